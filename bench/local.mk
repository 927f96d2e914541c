# SPDX-License-Identifier: MIT
# What doc/BENCHMARKS.md is measured with. `make bench` counts instructions.

EXTRA_PROGRAMS += bench/compile
bench_compile_SOURCES = bench/compile.c
bench_compile_LDADD = lib/libglacier.la

# The same loops in C, as fast as the compiler makes them on this machine.
EXTRA_PROGRAMS += bench/cpu_device
EXTRA_LTLIBRARIES = bench/libscalar.la
bench_libscalar_la_CFLAGS = $(AM_CFLAGS) -O3 -march=native -ffp-contract=off
bench_libscalar_la_SOURCES = bench/cpu_scalar.c bench/cpu_scalar.h
bench_cpu_device_SOURCES = bench/cpu_device.c bench/cpu_scalar.h
bench_cpu_device_LDADD = lib/libglacier.la bench/libscalar.la -lm

EXTRA_PROGRAMS += bench/dxbc
bench_dxbc_SOURCES = bench/dxbc.c
bench_dxbc_LDADD = lib/libglacier.la

if HAVE_SPIRV_TOOLS
EXTRA_PROGRAMS += bench/spirv-tools
bench_spirv_tools_SOURCES = bench/spirv-tools.c
bench_spirv_tools_CPPFLAGS = $(AM_CPPFLAGS) $(SPIRV_TOOLS_CFLAGS)
bench_spirv_tools_LDADD = $(SPIRV_TOOLS_LIBS) -lstdc++ -lm
BENCH_PEER = bench/spirv-tools
endif

CLEANFILES += bench/compile bench/cpu_device bench/dxbc bench/spirv-tools
EXTRA_DIST += bench/allreduce.sh bench/instructions.sh bench/mpi_allreduce.c

bench: bench/compile $(BENCH_PEER) src/gc-asm/gc-asm
	top_srcdir=$(top_srcdir) VALGRIND="$(VALGRIND)" LIBTOOL="$(LIBTOOL)" sh $(top_srcdir)/bench/instructions.sh
.PHONY: bench
