# SPDX-License-Identifier: MIT
# gc-asm: kernels to PTX and SPIR-V.

bin_PROGRAMS += src/gc-asm/gc-asm

src_gc_asm_gc_asm_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src
src_gc_asm_gc_asm_LDADD = src/common/libcli.la lib/libglacier.la
src_gc_asm_gc_asm_SOURCES = \
	src/gc-asm/depend.c \
	src/gc-asm/depend.h \
	src/gc-asm/emit.c \
	src/gc-asm/main.c \
	src/gc-asm/options.c \
	src/gc-asm/options.h \
	src/gc-asm/output.c \
	src/gc-asm/stats.c \
	src/gc-asm/stats.h \
	$(NULL)
