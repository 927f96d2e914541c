# SPDX-License-Identifier: MIT
# gc-spv-val: is a SPIR-V module valid?

bin_PROGRAMS += src/gc-spv-val/gc-spv-val

src_gc_spv_val_gc_spv_val_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src
src_gc_spv_val_gc_spv_val_LDADD = src/common/libcli.la lib/libglacier.la
src_gc_spv_val_gc_spv_val_SOURCES = \
	src/gc-spv-val/against.c \
	src/gc-spv-val/against.h \
	src/gc-spv-val/main.c \
	src/gc-spv-val/options.c \
	src/gc-spv-val/options.h \
	src/gc-spv-val/report.c \
	src/gc-spv-val/report.h \
	$(NULL)
