# SPDX-License-Identifier: MIT
# Our output before the field's own tools. They are looked for at run time, except the
# SPIRV-Tools library: C++ inside, linked here as C with its standard library.

EXTRA_DIST += \
	tests/diff/data/bad-register.ptx \
	tests/diff/data/bad-type.spvasm \
	tests/diff/data/good.ptx \
	tests/diff/examples.inc \
	tests/diff/judge.sh \
	tests/diff/ptxas.sh \
	tests/diff/spirv-tools.sh \
	tests/diff/spirv-val.sh \
	tests/diff/spv-val-long.sh \
	tests/diff/spv-val.sh \
	$(NULL)
TESTS += \
	tests/diff/judge.sh \
	tests/diff/ptxas.sh \
	tests/diff/spirv-tools.sh \
	tests/diff/spirv-val.sh \
	tests/diff/spv-val.sh \
	$(NULL)
CHECK_LONG += tests/diff/spv-val-long.sh:600

if SPIRV_TOOLS_IN_PROCESS
check_LTLIBRARIES += tests/diff/libvalid.la
check_PROGRAMS += tests/diff/validate
tests_diff_libvalid_la_CPPFLAGS = $(AM_CPPFLAGS) $(SPIRV_TOOLS_CFLAGS)
tests_diff_libvalid_la_SOURCES = tests/diff/valid.c tests/diff/valid.h
tests_diff_libvalid_la_LIBADD = $(SPIRV_TOOLS_LIBS) -lstdc++ -lm
tests_diff_validate_SOURCES = tests/diff/validate.c
tests_diff_validate_LDADD = tests/diff/libvalid.la
check_PROGRAMS += tests/diff/spv_val
tests_diff_spv_val_SOURCES = tests/diff/spv_val.c
tests_diff_spv_val_LDADD = lib/libglacier.la tests/diff/libvalid.la
endif

check_PROGRAMS += tests/diff/seed_faults
TESTS += tests/diff/seed_faults
tests_diff_seed_faults_CPPFLAGS = $(AM_CPPFLAGS)
tests_diff_seed_faults_LDADD = lib/libglacier.la
tests_diff_seed_faults_SOURCES = tests/diff/seed_faults.c
if SPIRV_TOOLS_IN_PROCESS
tests_diff_seed_faults_CPPFLAGS += -DHAVE_VALID
tests_diff_seed_faults_LDADD += tests/diff/libvalid.la
endif
