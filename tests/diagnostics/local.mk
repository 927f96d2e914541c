# SPDX-License-Identifier: MIT
# Diagnostics: each code has an input that raises it and a near twin that does not.

EXTRA_DIST += tests/diagnostics/data
check_PROGRAMS += tests/diagnostics/pairs-run
TESTS += tests/diagnostics/pairs-run
tests_diagnostics_pairs_run_LDADD = lib/libglacier.la
tests_diagnostics_pairs_run_SOURCES = tests/diagnostics/made.c tests/diagnostics/made.h tests/diagnostics/pairs.c

# The validator's codes: modules that libSPIRV-Tools assembles.
EXTRA_DIST += tests/diagnostics/spirv.txt
if SPIRV_TOOLS_IN_PROCESS
check_PROGRAMS += tests/diagnostics/spirv_pairs
TESTS += tests/diagnostics/spirv_pairs
tests_diagnostics_spirv_pairs_LDADD = lib/libglacier.la tests/diff/libvalid.la
tests_diagnostics_spirv_pairs_SOURCES = tests/diagnostics/spirv_pairs.c
endif
