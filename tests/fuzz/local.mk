# SPDX-License-Identifier: MIT
# Fuzz targets: fuzz_X.c with LLVMFuzzerTestOneInput, its corpus in corpus/X. Each becomes
# replay_X, a plain program that make check runs, and with --enable-fuzzers fuzz_X.

EXTRA_DIST += \
	tests/fuzz/corpus \
	tests/fuzz/libfuzzer.sh \
	tests/fuzz/replay-long.sh \
	tests/fuzz/replay.sh \
	$(NULL)
TESTS += tests/fuzz/replay.sh
CHECK_LONG += \
	tests/fuzz/libfuzzer.sh:600 \
	tests/fuzz/replay-long.sh:300 \
	$(NULL)

check_PROGRAMS += tests/fuzz/replay_dxbc tests/fuzz/replay_frames tests/fuzz/replay_json tests/fuzz/replay_spirv tests/fuzz/replay_stream tests/fuzz/replay_text
tests_fuzz_replay_dxbc_SOURCES = tests/fuzz/fuzz_dxbc.c tests/fuzz/replay.c
tests_fuzz_replay_dxbc_LDADD = lib/libglacier.la
tests_fuzz_replay_frames_SOURCES = tests/fuzz/fuzz_frames.c tests/fuzz/replay.c
tests_fuzz_replay_frames_LDADD = lib/libglacier.la
tests_fuzz_replay_json_SOURCES = tests/fuzz/fuzz_json.c tests/fuzz/replay.c
tests_fuzz_replay_json_LDADD = lib/libglacier.la
tests_fuzz_replay_spirv_SOURCES = tests/fuzz/fuzz_spirv.c tests/fuzz/replay.c
tests_fuzz_replay_spirv_LDADD = lib/libglacier.la
tests_fuzz_replay_stream_SOURCES = tests/fuzz/fuzz_stream.c tests/fuzz/replay.c
tests_fuzz_replay_stream_LDADD = lib/libglacier.la
tests_fuzz_replay_text_SOURCES = tests/fuzz/fuzz_text.c tests/fuzz/replay.c
tests_fuzz_replay_text_LDADD = lib/libglacier.la

fuzzers =
if FUZZERS
fuzzers += tests/fuzz/fuzz_dxbc tests/fuzz/fuzz_frames tests/fuzz/fuzz_json tests/fuzz/fuzz_spirv tests/fuzz/fuzz_stream tests/fuzz/fuzz_text
endif
EXTRA_PROGRAMS += $(fuzzers)
tests_fuzz_fuzz_dxbc_SOURCES = tests/fuzz/fuzz_dxbc.c
tests_fuzz_fuzz_dxbc_LDADD = lib/libglacier-internal.la
tests_fuzz_fuzz_dxbc_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_frames_SOURCES = tests/fuzz/fuzz_frames.c
tests_fuzz_fuzz_frames_LDADD = lib/libglacier-internal.la
tests_fuzz_fuzz_frames_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_json_SOURCES = tests/fuzz/fuzz_json.c
tests_fuzz_fuzz_json_LDADD = lib/libglacier-internal.la
tests_fuzz_fuzz_json_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_spirv_SOURCES = tests/fuzz/fuzz_spirv.c
tests_fuzz_fuzz_spirv_LDADD = lib/libglacier-internal.la
tests_fuzz_fuzz_spirv_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_stream_SOURCES = tests/fuzz/fuzz_stream.c
tests_fuzz_fuzz_stream_LDADD = lib/libglacier-internal.la
tests_fuzz_fuzz_stream_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz_text.c
tests_fuzz_fuzz_text_LDADD = lib/libglacier-internal.la
tests_fuzz_fuzz_text_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer

fuzzers: $(fuzzers)
.PHONY: fuzzers
