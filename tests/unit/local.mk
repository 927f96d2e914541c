# SPDX-License-Identifier: MIT
# Unit tests: one Criterion program an area, linked with all of the library's symbols.
# Without Criterion they are skipped; so they are under TSan, which libcriterion does not bear.

UNIT_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib $(CRITERION_CFLAGS)
UNIT_LDADD = lib/libglacier-internal.la $(CRITERION_LIBS) -lm

if UNIT_TESTS
check_PROGRAMS += tests/unit/test_base tests/unit/test_front tests/unit/test_ir_math
TESTS += tests/unit/test_base tests/unit/test_front tests/unit/test_ir_math
tests_unit_test_base_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_base_LDADD = $(UNIT_LDADD)
tests_unit_test_base_SOURCES = \
	tests/unit/test_base_buf.c \
	tests/unit/test_base_bump.c \
	tests/unit/test_base_cpu.c \
	tests/unit/test_base_cursor.c \
	tests/unit/test_base_diag.c \
	tests/unit/test_base_hash.c \
	tests/unit/test_base_hist.c \
	tests/unit/test_base_rng.c \
	tests/unit/test_base_source.c \
	$(NULL)

# What goes into a module and comes back as text, JSON or a report: the public headers.
tests_unit_test_front_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_front_LDADD = $(UNIT_LDADD)
tests_unit_test_front_SOURCES = \
	tests/unit/test_compile_build.c \
	tests/unit/test_ir_json.c \
	tests/unit/test_ir_literal.c \
	tests/unit/test_ir_op_info.c \
	tests/unit/test_ir_print.c \
	tests/unit/test_ir_stream.c \
	$(NULL)

# What the public calls promise besides their code: limits, measurements.
check_PROGRAMS += tests/unit/test_compile
TESTS += tests/unit/test_compile
tests_unit_test_compile_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_compile_LDADD = $(UNIT_LDADD)
tests_unit_test_compile_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime
tests_unit_test_compile_SOURCES = \
	tests/unit/test_compile_limits.c \
	tests/unit/test_compile_literal.c \
	tests/unit/test_compile_stats.c \
	tests/unit/test_device_disk_cache.c \
	tests/unit/test_device_variance.c \
	$(NULL)

tests_unit_test_ir_math_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_ir_math_LDADD = $(UNIT_LDADD)
tests_unit_test_ir_math_SOURCES = tests/unit/test_ir_math.c lib/ir/math_eval.h

check_PROGRAMS += tests/unit/test_collective
TESTS += tests/unit/test_collective
tests_unit_test_collective_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_collective_LDADD = $(UNIT_LDADD)
tests_unit_test_collective_SOURCES = tests/unit/test_collective.c tests/stress/allreduce_values.h

check_PROGRAMS += tests/unit/test_kernel_page
TESTS += tests/unit/test_kernel_page
tests_unit_test_kernel_page_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_test_kernel_page_LDADD = $(UNIT_LDADD)
tests_unit_test_kernel_page_SOURCES = tests/unit/test_kernel_page.c
endif
