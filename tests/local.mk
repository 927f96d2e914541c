# SPDX-License-Identifier: MIT
# The tests. Each folder has its fragment; doc/HOWTO-TEST.md says how to add a test.
#
# TESTS       run by `make check`: programs, and shell scripts NAME.sh.
# CHECK_LONG  run by `make check-long`: PATH or PATH:SECONDS, its limit (300).

CHECK_LONG =

TEST_EXTENSIONS = .sh .test
# Every test runs under tests/run: 120 s at most, and no sanitizer report.
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run
SH_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run $(SHELL)

TESTS_VARIABLES = \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	bin_programs='$(bin_PROGRAMS)'; export bin_programs; \
	CC='$(CC)'; export CC; \
	CXX='$(CXX)'; export CXX; \
	CJSON_CFLAGS='$(CJSON_CFLAGS)'; export CJSON_CFLAGS; \
	CJSON_LIBS='$(CJSON_LIBS)'; export CJSON_LIBS; \
	SANITIZERS='$(SANITIZERS_LIST)'; export SANITIZERS; \
	LSAN_OPTIONS="suppressions=$(abs_top_srcdir)/tests/lsan.supp:print_suppressions=0"; export LSAN_OPTIONS; \
	UBSAN_OPTIONS=print_stacktrace=1; export UBSAN_OPTIONS;
AM_TESTS_ENVIRONMENT = $(TESTS_VARIABLES)

EXTRA_DIST += \
	tests/check-long \
	tests/lib.sh \
	tests/lsan.supp \
	tests/run \
	$(NULL)

include tests/checks/local.mk
include tests/diagnostics/local.mk
include tests/device/local.mk
include tests/diff/local.mk
include tests/arena/local.mk
include tests/dxbc/local.mk
include tests/exec/local.mk
include tests/fuzz/local.mk
include tests/ranks/local.mk
include tests/model/local.mk
include tests/stress/local.mk
include tests/unit/local.mk

check-long: all-am $(check_PROGRAMS)
	@$(TESTS_VARIABLES) $(SHELL) $(srcdir)/tests/check-long $(srcdir) . $(CHECK_LONG)

# What ThreadSanitizer can judge: the programs of tests/stress, plain C.
check-stress: all-am
	@$(MAKE) $(AM_MAKEFLAGS) check TESTS="`echo $(TESTS) | tr ' ' '\n' | sed -n '/^tests.stress/p' | tr '\n' ' '`"

# The tests that are programs without Criterion, one a line: for other machines.
list-plain-tests:
	@echo $(TESTS) | tr ' ' '\n' | sed -n '/^tests.stress/p' | sed '/sh$$/d'
.PHONY: check-long check-stress list-plain-tests

# Where the devices under test keep machine code: tests/run.
clean-local:
	-rm -rf tests/cache
