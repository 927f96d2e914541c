# SPDX-License-Identifier: MIT
# Running SPIR-V on a Vulkan device: a small library, a program on it, and tests with both.

EXTRA_DIST += \
	doc/REFUSED.md \
	tests/exec/data/math_f32.gasm \
	tests/exec/data/spec.spvasm \
	tests/exec/data/vector_add.spvasm \
	tests/exec/math_f32.sh \
	tests/exec/op_table_long.sh \
	tests/exec/random_long.sh \
	tests/exec/shrink_crash.py \
	tests/exec/runner.sh \
	tests/exec/stream.sh \
	tests/exec/vector_add.sh \
	$(NULL)
TESTS += tests/exec/math_f32.sh tests/exec/runner.sh tests/exec/stream.sh tests/exec/vector_add.sh

if HAVE_VULKAN
check_LTLIBRARIES += tests/exec/libexec.la
check_PROGRAMS += tests/exec/glacier-exec tests/exec/math-bits tests/exec/test-vk
tests_exec_libexec_la_CPPFLAGS = $(AM_CPPFLAGS) $(VULKAN_CFLAGS)
tests_exec_libexec_la_SOURCES = \
	tests/exec/vk.h \
	tests/exec/vk_device.c \
	tests/exec/vk_internal.h \
	tests/exec/vk_run.c \
	$(NULL)
tests_exec_glacier_exec_SOURCES = tests/exec/glacier-exec.c
tests_exec_glacier_exec_LDADD = tests/exec/libexec.la
tests_exec_math_bits_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
tests_exec_math_bits_SOURCES = tests/exec/math-bits.c lib/ir/math_eval.h
tests_exec_test_vk_SOURCES = tests/exec/test-vk.c
tests_exec_test_vk_LDADD = tests/exec/libexec.la

check_PROGRAMS += tests/exec/examples
TESTS += tests/exec/examples
tests_exec_examples_CPPFLAGS = $(AM_CPPFLAGS)
tests_exec_examples_SOURCES = tests/exec/examples.c tests/exec/examples.h tests/exec/examples_cases.c
tests_exec_examples_LDADD = tests/exec/libexec.la lib/libglacier.la -lm
if SPIRV_TOOLS_IN_PROCESS
tests_exec_examples_CPPFLAGS += -DHAVE_VALID
tests_exec_examples_LDADD += tests/diff/libvalid.la
endif

# Random kernels: `make check` tries 50 seeds, `make check-long` 2,000.

check_PROGRAMS += tests/exec/random_kernels
TESTS += tests/exec/random_kernels
CHECK_LONG += tests/exec/random_long.sh:1800
tests_exec_random_kernels_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
tests_exec_random_kernels_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_exec_random_kernels_LDADD = tests/exec/libexec.la lib/libglacier-internal.la -lm
tests_exec_random_kernels_SOURCES = \
	tests/exec/library.c \
	tests/exec/library.h \
	tests/exec/random.h \
	tests/exec/random_eval.c \
	tests/exec/random_flow.c \
	tests/exec/random_kernels.c \
	tests/exec/random_make.c \
	tests/exec/random_make.h \
	tests/exec/random_text.c \
	tests/exec/random_value.c \
	$(NULL)
if SPIRV_TOOLS_IN_PROCESS
tests_exec_random_kernels_CPPFLAGS += -DHAVE_VALID
tests_exec_random_kernels_LDADD += tests/diff/libvalid.la
endif
endif

# Every instruction with every type: what emits is validated and run, what is refused is listed.
KERNELS_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
KERNELS_LDADD = lib/libglacier-internal.la
KERNELS_SOURCES = tests/exec/library.c tests/exec/library.h tests/exec/kernels.c tests/exec/kernels.h
if HAVE_VULKAN
KERNELS_CPPFLAGS += -DWITH_EXEC
KERNELS_LDADD += tests/exec/libexec.la
endif
if SPIRV_TOOLS_IN_PROCESS
KERNELS_CPPFLAGS += -DWITH_VALID
KERNELS_LDADD += tests/diff/libvalid.la
endif
check_PROGRAMS += tests/exec/ids tests/exec/memory tests/exec/op_table tests/exec/semantics
TESTS += tests/exec/ids tests/exec/memory tests/exec/op_table tests/exec/semantics
CHECK_LONG += tests/exec/op_table_long.sh:1800
tests_exec_ids_CPPFLAGS = $(KERNELS_CPPFLAGS)
tests_exec_ids_LDADD = $(KERNELS_LDADD)
tests_exec_ids_SOURCES = tests/exec/ids.c $(KERNELS_SOURCES)
tests_exec_memory_CPPFLAGS = $(KERNELS_CPPFLAGS)
tests_exec_memory_LDADD = $(KERNELS_LDADD)
tests_exec_memory_SOURCES = tests/exec/memory.c $(KERNELS_SOURCES)
tests_exec_op_table_CPPFLAGS = $(KERNELS_CPPFLAGS)
tests_exec_op_table_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_exec_op_table_LDADD = $(KERNELS_LDADD) -lm
tests_exec_op_table_SOURCES = \
	tests/exec/evaluate.c \
	tests/exec/evaluate.h \
	tests/exec/evaluate_float.h \
	$(KERNELS_SOURCES) \
	tests/exec/op_cells.c \
	tests/exec/op_cells.h \
	tests/exec/op_edges.c \
	tests/exec/op_edges.h \
	tests/exec/op_rounding.c \
	tests/exec/op_table.c \
	tests/exec/op_values.c \
	tests/exec/op_values.h \
	tests/exec/refused.c \
	tests/exec/refused.h \
	$(NULL)
tests_exec_semantics_CPPFLAGS = $(KERNELS_CPPFLAGS)
tests_exec_semantics_LDADD = $(KERNELS_LDADD)
tests_exec_semantics_SOURCES = \
	$(KERNELS_SOURCES) \
	tests/exec/semantics.c \
	tests/exec/shapes.h \
	tests/exec/shapes_for.c \
	tests/exec/shapes_if.c \
	tests/exec/shapes_loop.c \
	$(NULL)

# Loops that are copied for PTX: which, and that they run their rounds.
check_PROGRAMS += tests/exec/unroll
TESTS += tests/exec/unroll
tests_exec_unroll_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
tests_exec_unroll_LDADD = lib/libglacier-internal.la
tests_exec_unroll_SOURCES = tests/exec/library.c tests/exec/library.h tests/exec/unroll.c

# The same tests on the library's own processor device, at each level that this machine has.
CPU_TESTS = tests/exec/cpu_baseline.sh tests/exec/cpu_unrolled.sh tests/exec/cpu_v3.sh tests/exec/cpu_v4.sh
TESTS += $(CPU_TESTS)
EXTRA_DIST += $(CPU_TESTS) tests/exec/cpu.inc

# And with another size of tiles: the device's own files come before the library's, which then are not taken.
TILE_CPPFLAGS = $(KERNELS_CPPFLAGS) -DGLC_TILE=128 -DLEVEL=baseline
TILE_SOURCES = \
	lib/device/check.c \
	lib/device/check_log.c \
	lib/device/check_site.c \
	lib/device/cpu.c \
	lib/device/cpu_classify.c \
	lib/device/cpu_compile.c \
	lib/device/cpu_emit.c \
	lib/device/cpu_emit_flow.c \
	lib/device/cpu_emit_memory.c \
	lib/device/cpu_emit_watch.c \
	lib/device/cpu_lanes.c \
	lib/device/cpu_launch.c \
	lib/device/cpu_memory.c \
	lib/device/cpu_rows.c \
	lib/device/cpu_run.c \
	lib/device/cpu_slots.c \
	$(NULL)
check_PROGRAMS += tests/exec/op_table_tile tests/exec/semantics_tile
TESTS += tests/exec/cpu_tile.sh
EXTRA_DIST += tests/exec/cpu_tile.sh
tests_exec_op_table_tile_CPPFLAGS = $(TILE_CPPFLAGS)
tests_exec_op_table_tile_CFLAGS = $(AM_CFLAGS) $(LANES_CFLAGS)
tests_exec_op_table_tile_LDADD = $(tests_exec_op_table_LDADD)
tests_exec_op_table_tile_SOURCES = $(tests_exec_op_table_SOURCES) $(TILE_SOURCES)
tests_exec_semantics_tile_CPPFLAGS = $(TILE_CPPFLAGS)
tests_exec_semantics_tile_CFLAGS = $(AM_CFLAGS) $(LANES_CFLAGS)
tests_exec_semantics_tile_LDADD = $(tests_exec_semantics_LDADD)
tests_exec_semantics_tile_SOURCES = $(tests_exec_semantics_SOURCES) $(TILE_SOURCES)
