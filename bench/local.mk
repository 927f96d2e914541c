# SPDX-License-Identifier: MIT
# What doc/BENCHMARKS.md is measured with. `make bench` counts instructions.

EXTRA_PROGRAMS += bench/compile
bench_compile_SOURCES = bench/compile.c
bench_compile_LDADD = lib/libglacier.la

if HAVE_SPIRV_TOOLS
EXTRA_PROGRAMS += bench/spirv-tools
bench_spirv_tools_SOURCES = bench/spirv-tools.c
bench_spirv_tools_CPPFLAGS = $(AM_CPPFLAGS) $(SPIRV_TOOLS_CFLAGS)
bench_spirv_tools_LDADD = $(SPIRV_TOOLS_LIBS) -lstdc++ -lm
BENCH_PEER = bench/spirv-tools
endif

CLEANFILES += bench/compile bench/spirv-tools
EXTRA_DIST += bench/instructions.sh

bench: bench/compile $(BENCH_PEER) src/gc-asm/gc-asm
	top_srcdir=$(top_srcdir) VALGRIND="$(VALGRIND)" LIBTOOL="$(LIBTOOL)" sh $(top_srcdir)/bench/instructions.sh
.PHONY: bench
