# SPDX-License-Identifier: MIT
# Containers: seeds laid out by hand, malformed ones made of them, real ones under GLACIER_CORPUS.

EXTRA_DIST += tests/dxbc/corpus.sh tests/dxbc/examples.sh tests/dxbc/llvm.sh tests/dxbc/llvm-newest.sh tests/dxbc/zlib.sh \
	tests/dxbc/against_obj2yaml.py
TESTS += tests/dxbc/digests tests/dxbc/examples.sh tests/dxbc/malformed tests/dxbc/parts tests/dxbc/zlib.sh
CHECK_LONG += tests/dxbc/corpus.sh:1200 tests/dxbc/llvm.sh:600 tests/dxbc/llvm-newest.sh:900

check_LTLIBRARIES += tests/dxbc/libseeds.la
tests_dxbc_libseeds_la_SOURCES = tests/dxbc/seeds.c tests/dxbc/seeds.h
tests_dxbc_libseeds_la_LIBADD = -lm

check_PROGRAMS += tests/dxbc/digests tests/dxbc/make-examples tests/dxbc/malformed tests/dxbc/parts
tests_dxbc_make_examples_SOURCES = tests/dxbc/make-examples.c
tests_dxbc_make_examples_LDADD = tests/dxbc/libseeds.la
tests_dxbc_malformed_SOURCES = tests/dxbc/malformed.c
tests_dxbc_malformed_LDADD = tests/dxbc/libseeds.la lib/libglacier.la
tests_dxbc_parts_CPPFLAGS = $(AM_CPPFLAGS) $(CJSON_CFLAGS)
tests_dxbc_parts_SOURCES = tests/dxbc/parts.c
tests_dxbc_parts_LDADD = tests/dxbc/libseeds.la lib/libglacier.la $(CJSON_LIBS)

# The containers of examples/, anew.
update-examples: tests/dxbc/make-examples
	tests/dxbc/make-examples $(srcdir)/examples
.PHONY: update-examples
tests_dxbc_digests_SOURCES = tests/dxbc/digests.c
tests_dxbc_digests_LDADD = tests/dxbc/libseeds.la lib/libglacier.la
