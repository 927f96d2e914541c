# SPDX-License-Identifier: MIT
# gc-dxbc: containers of DXBC and DXIL.

bin_PROGRAMS += src/gc-dxbc/gc-dxbc

src_gc_dxbc_gc_dxbc_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src $(CJSON_CFLAGS)
src_gc_dxbc_gc_dxbc_LDADD = src/common/libcli.la lib/libglacier.la $(CJSON_LIBS)
src_gc_dxbc_gc_dxbc_SOURCES = \
	src/gc-dxbc/container.c \
	src/gc-dxbc/container.h \
	src/gc-dxbc/diff.c \
	src/gc-dxbc/edit.c \
	src/gc-dxbc/extract.c \
	src/gc-dxbc/hexmap.c \
	src/gc-dxbc/inspect.c \
	src/gc-dxbc/list.c \
	src/gc-dxbc/main.c \
	src/gc-dxbc/manifest.c \
	src/gc-dxbc/manifest.h \
	src/gc-dxbc/options.c \
	src/gc-dxbc/options.h \
	src/gc-dxbc/pack.c \
	src/gc-dxbc/tree.c \
	src/gc-dxbc/tree.h \
	src/gc-dxbc/verbs.h \
	src/gc-dxbc/verify.c \
	$(NULL)
