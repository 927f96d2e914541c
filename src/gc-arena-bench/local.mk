# SPDX-License-Identifier: MIT
# gc-arena-bench: the allocators measured.

bin_PROGRAMS += src/gc-arena-bench/gc-arena-bench

src_gc_arena_bench_gc_arena_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src $(CJSON_CFLAGS)
src_gc_arena_bench_gc_arena_bench_LDADD = src/common/libcli.la lib/libglacier.la $(CJSON_LIBS) -lm
src_gc_arena_bench_gc_arena_bench_SOURCES = \
	src/gc-arena-bench/bench.c \
	src/gc-arena-bench/main.c \
	src/gc-arena-bench/options.c \
	src/gc-arena-bench/options.h \
	src/gc-arena-bench/patterns.c \
	src/gc-arena-bench/patterns.h \
	src/gc-arena-bench/pickle.c \
	src/gc-arena-bench/pickle.h \
	src/gc-arena-bench/plot.c \
	src/gc-arena-bench/read_kv.c \
	src/gc-arena-bench/read_lines.c \
	src/gc-arena-bench/read_pytorch.c \
	src/gc-arena-bench/repeat.c \
	src/gc-arena-bench/repeat.h \
	src/gc-arena-bench/replay.c \
	src/gc-arena-bench/run.c \
	src/gc-arena-bench/run.h \
	src/gc-arena-bench/target.c \
	src/gc-arena-bench/target.h \
	src/gc-arena-bench/trace.c \
	src/gc-arena-bench/trace.h \
	$(NULL)
