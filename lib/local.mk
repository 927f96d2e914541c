# SPDX-License-Identifier: MIT
# libglacier: one convenience library with all symbols for the unit tests, and the
# shared library made of the same objects with only the public symbols left visible.

noinst_LTLIBRARIES += lib/libglacier-internal.la
lib_LTLIBRARIES += lib/libglacier.la
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = lib/libglacier.pc

include_HEADERS = include/glacier.h
glacierincludedir = $(includedir)/glacier
glacierinclude_HEADERS = \
	include/glacier/base.h \
	include/glacier/buffer.h \
	include/glacier/diagnostic.h \
	include/glacier/kernel.h \
	include/glacier/memory.h \
	include/glacier/status.h \
	include/glacier/target.h \
	$(NULL)

lib_libglacier_internal_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib $(CJSON_CFLAGS)
lib_libglacier_internal_la_LIBADD = $(CJSON_LIBS) -lm
lib_libglacier_internal_la_SOURCES = \
	lib/base/buf.c \
	lib/base/buf.h \
	lib/base/bump.c \
	lib/base/bump.h \
	lib/base/codes.def \
	lib/base/cpu.c \
	lib/base/cpu.h \
	lib/base/cursor.h \
	lib/base/diag.c \
	lib/base/diag.h \
	lib/base/hash.c \
	lib/base/hash.h \
	lib/base/hist.c \
	lib/base/hist.h \
	lib/base/pool.c \
	lib/base/pool.h \
	lib/base/rng.h \
	lib/base/source.c \
	lib/base/source.h \
	lib/base/status.c \
	lib/ir/backend.h \
	lib/ir/build.h \
	lib/ir/ir.h \
	lib/ir/lower.h \
	lib/ir/ops.c \
	lib/ir/ops.def \
	lib/ir/ops.h \
	lib/ir/type.h \
	lib/ptx/copies.c \
	lib/ptx/debug.c \
	lib/ptx/emit.h \
	lib/ptx/flow.c \
	lib/ptx/isa.c \
	lib/ptx/memory.c \
	lib/ptx/module.c \
	lib/ptx/ptx.h \
	lib/ptx/sync.c \
	lib/ptx/value.c \
	$(NULL)

lib_libglacier_la_SOURCES =
lib_libglacier_la_LIBADD = lib/libglacier-internal.la
lib_libglacier_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0
EXTRA_lib_libglacier_la_DEPENDENCIES = lib/libglacier.map
if VERSION_SCRIPT
lib_libglacier_la_LDFLAGS += -Wl,--version-script=$(srcdir)/lib/libglacier.map
endif
EXTRA_DIST += lib/libglacier.map
