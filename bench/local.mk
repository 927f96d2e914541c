# SPDX-License-Identifier: MIT
# What doc/BENCHMARKS.md is measured with. `make bench` counts instructions.

EXTRA_PROGRAMS += bench/compile
bench_compile_SOURCES = bench/compile.c
bench_compile_LDADD = lib/libglacier.la

EXTRA_PROGRAMS += bench/validate
bench_validate_SOURCES = bench/validate.c
bench_validate_LDADD = lib/libglacier.la

# The same loops in C, as fast as the compiler makes them on this machine.
EXTRA_PROGRAMS += bench/cpu_device
EXTRA_LTLIBRARIES = bench/libscalar.la
bench_libscalar_la_CFLAGS = $(AM_CFLAGS) -O3 -march=native -ffp-contract=off
bench_libscalar_la_SOURCES = bench/cpu_scalar.c bench/cpu_scalar.h
bench_cpu_device_SOURCES = bench/cpu_device.c bench/cpu_scalar.h
bench_cpu_device_LDADD = lib/libglacier.la bench/libscalar.la -lm

EXTRA_PROGRAMS += bench/arena
bench_arena_SOURCES = bench/arena.c
bench_arena_LDADD = lib/libglacier.la
EXTRA_PROGRAMS += bench/min_arena
bench_min_arena_SOURCES = bench/min_arena.c
bench_min_arena_LDADD = lib/libglacier.la

EXTRA_PROGRAMS += bench/dxbc
bench_dxbc_SOURCES = bench/dxbc.c
bench_dxbc_LDADD = lib/libglacier.la

# On a GPU: what the driver does without the library, and what nvcc makes of the examples.
GPU_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
EXTRA_PROGRAMS += bench/cuda_device
bench_cuda_device_CPPFLAGS = $(GPU_CPPFLAGS)
bench_cuda_device_SOURCES = bench/cuda_device.c bench/gpu.h
bench_cuda_device_LDADD = lib/libglacier-internal.la -lm
EXTRA_PROGRAMS += bench/cuda_arena
bench_cuda_arena_CPPFLAGS = $(GPU_CPPFLAGS)
bench_cuda_arena_SOURCES = bench/cuda_arena.c bench/gpu.h
bench_cuda_arena_LDADD = lib/libglacier-internal.la -lm
if HAVE_VULKAN
EXTRA_PROGRAMS += bench/vulkan_device
bench_vulkan_device_CPPFLAGS = $(GPU_CPPFLAGS) $(VULKAN_CFLAGS)
bench_vulkan_device_SOURCES = bench/vulkan_device.c bench/gpu.h
bench_vulkan_device_LDADD = lib/libglacier-internal.la
endif
NVCC = nvcc
CLEANFILES += bench/cuda_arena bench/cuda_device bench/vulkan_device bench/cuda_examples.cubin bench/cuda_examples_no_fmad.cubin
EXTRA_DIST += bench/cuda_examples.cu
bench/cuda_examples.cubin: bench/cuda_examples.cu
	$(NVCC) -O3 -arch=sm_90 -cubin $(srcdir)/bench/cuda_examples.cu -o $@
bench/cuda_examples_no_fmad.cubin: bench/cuda_examples.cu
	$(NVCC) -O3 -fmad=false -arch=sm_90 -cubin $(srcdir)/bench/cuda_examples.cu -o $@

if HAVE_SPIRV_TOOLS
EXTRA_PROGRAMS += bench/spirv-tools
bench_spirv_tools_SOURCES = bench/spirv-tools.c
bench_spirv_tools_CPPFLAGS = $(AM_CPPFLAGS) $(SPIRV_TOOLS_CFLAGS)
bench_spirv_tools_LDADD = $(SPIRV_TOOLS_LIBS) -lstdc++ -lm
BENCH_PEER = bench/spirv-tools
endif

CLEANFILES += bench/arena bench/compile bench/cpu_device bench/dxbc bench/min_arena bench/spirv-tools bench/validate
EXTRA_DIST += bench/allreduce.sh bench/allreduce_limit.c bench/instructions.sh bench/gloo_allreduce.cc bench/mpi_allreduce.c

bench: bench/compile bench/validate $(BENCH_PEER) src/gc-asm/gc-asm src/gc-spv-val/gc-spv-val
	top_srcdir=$(top_srcdir) VALGRIND="$(VALGRIND)" LIBTOOL="$(LIBTOOL)" sh $(top_srcdir)/bench/instructions.sh
.PHONY: bench
