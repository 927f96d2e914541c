# SPDX-License-Identifier: MIT
# gc-allreduce: ranks combine arrays.

bin_PROGRAMS += src/gc-allreduce/gc-allreduce

src_gc_allreduce_gc_allreduce_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src $(CJSON_CFLAGS)
src_gc_allreduce_gc_allreduce_LDADD = src/common/libcli.la lib/libglacier.la $(CJSON_LIBS) -lm
src_gc_allreduce_gc_allreduce_SOURCES = \
	src/gc-allreduce/bench.c \
	src/gc-allreduce/files.c \
	src/gc-allreduce/launch.c \
	src/gc-allreduce/launch.h \
	src/gc-allreduce/lifeline.c \
	src/gc-allreduce/main.c \
	src/gc-allreduce/npy.c \
	src/gc-allreduce/npy.h \
	src/gc-allreduce/options.c \
	src/gc-allreduce/options.h \
	src/gc-allreduce/session.h \
	src/gc-allreduce/spawn.c \
	src/gc-allreduce/timeline.c \
	src/gc-allreduce/values.c \
	$(NULL)
