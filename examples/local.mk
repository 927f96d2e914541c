# SPDX-License-Identifier: MIT
# Kernels that every release compiles, validates and runs.

examplesdir = $(docdir)/examples
dist_examples_DATA = \
	examples/arena_cuda.c \
	examples/arena_pool.c \
	examples/black_scholes.gasm \
	examples/block_reduce.gasm \
	examples/compute.dxil \
	examples/debug.dxil \
	examples/embed.c \
	examples/fibonacci.gasm \
	examples/gcd.gasm \
	examples/histogram.gasm \
	examples/launch_cuda.c \
	examples/launch_vulkan.c \
	examples/layer_norm.gasm \
	examples/logistic_map.gasm \
	examples/mandelbrot.gasm \
	examples/matmul_tiled.gasm \
	examples/nbody.gasm \
	examples/pixel.dxbc \
	examples/saxpy.gasm \
	examples/scan.gasm \
	examples/softmax.gasm \
	examples/spmv.gasm \
	examples/subgroup_reduce.gasm \
	examples/transpose.gasm \
	examples/vector_add.gasm \
	examples/vector_add.json \
	examples/vector_add.stream.json \
	$(NULL)

check_PROGRAMS += examples/arena_cuda examples/arena_pool examples/embed
TESTS += examples/arena_cuda examples/arena_pool examples/embed
examples_arena_cuda_SOURCES = examples/arena_cuda.c
examples_arena_cuda_LDADD = lib/libglacier.la
examples_arena_pool_SOURCES = examples/arena_pool.c
examples_arena_pool_LDADD = lib/libglacier.la
examples_embed_SOURCES = examples/embed.c
examples_embed_LDADD = lib/libglacier.la

# Without glacier: what a program needs to launch a kernel that gc-asm compiled.
check_PROGRAMS += examples/launch_cuda
examples_launch_cuda_CPPFLAGS = $(CJSON_CFLAGS)
examples_launch_cuda_SOURCES = examples/launch_cuda.c
examples_launch_cuda_LDADD = $(CJSON_LIBS)
if HAVE_VULKAN
check_PROGRAMS += examples/launch_vulkan
examples_launch_vulkan_CPPFLAGS = $(VULKAN_CFLAGS) $(CJSON_CFLAGS)
examples_launch_vulkan_SOURCES = examples/launch_vulkan.c
examples_launch_vulkan_LDADD = $(VULKAN_LIBS) $(CJSON_LIBS)
endif
