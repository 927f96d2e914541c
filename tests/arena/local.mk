# SPDX-License-Identifier: MIT
# Arenas: against a shadow of every byte, one thread and many; the words that blocks are claimed in; the seed's behaviours.

ARENA_TESTS = tests/arena/behaviours tests/arena/hand tests/arena/oracle tests/arena/ring tests/arena/threads tests/arena/words
check_PROGRAMS += $(ARENA_TESTS)
TESTS += $(ARENA_TESTS) tests/arena/shrink.sh
EXTRA_DIST += tests/arena/shrink.sh
tests_arena_behaviours_SOURCES = tests/arena/behaviours.c tests/arena/shadow.h tests/stress/stress.h
tests_arena_behaviours_LDADD = lib/libglacier.la
tests_arena_hand_SOURCES = tests/arena/hand.c tests/arena/shadow.h tests/stress/stress.h
tests_arena_hand_LDADD = lib/libglacier.la
tests_arena_oracle_SOURCES = tests/arena/oracle.c tests/arena/shadow.h tests/arena/shrink.h tests/stress/stress.h
tests_arena_oracle_LDADD = lib/libglacier.la
tests_arena_ring_SOURCES = tests/arena/ring.c tests/arena/shadow.h tests/stress/stress.h
tests_arena_ring_LDADD = lib/libglacier.la
tests_arena_threads_SOURCES = tests/arena/threads.c tests/arena/shadow.h tests/stress/stress.h
tests_arena_threads_LDADD = lib/libglacier.la
# The inline functions alone.
tests_arena_words_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
tests_arena_words_SOURCES = tests/arena/words.c lib/arena/words.h tests/stress/stress.h
