# SPDX-License-Identifier: MIT
# Ranks that are processes: over shared memory and TCP, started by gc-allreduce and by others.

RANK_TESTS = \
	tests/ranks/failure.sh \
	tests/ranks/files.sh \
	tests/ranks/mpirun.sh \
	tests/ranks/relay.sh \
	tests/ranks/security.sh \
	tests/ranks/values.sh \
	$(NULL)
EXTRA_DIST += $(RANK_TESTS) tests/ranks/lib.sh tests/ranks/relay_long.sh tests/ranks/values_long.sh
TESTS += $(RANK_TESTS)
CHECK_LONG += tests/ranks/relay_long.sh:120 tests/ranks/values_long.sh:900

# A stranger, and a relay that does things to a connection.
check_PROGRAMS += tests/ranks/relay tests/ranks/stranger
tests_ranks_relay_SOURCES = tests/ranks/relay.c
tests_ranks_stranger_SOURCES = tests/ranks/stranger.c
