# SPDX-License-Identifier: MIT
# Running SPIR-V on a Vulkan device: a small library, a program on it, and tests with both.

EXTRA_DIST += \
	tests/exec/data/math_f32.gasm \
	tests/exec/data/spec.spvasm \
	tests/exec/data/vector_add.spvasm \
	tests/exec/math_f32.sh \
	tests/exec/runner.sh \
	tests/exec/vector_add.sh \
	$(NULL)
TESTS += tests/exec/math_f32.sh tests/exec/runner.sh tests/exec/vector_add.sh

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
tests_exec_math_bits_SOURCES = tests/exec/math-bits.c tests/stress/math_eval.h
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
endif
