/* SPDX-License-Identifier: MIT */
#ifndef GC_ARENA_BENCH_OPTIONS_H
#define GC_ARENA_BENCH_OPTIONS_H

#include "common/cli.h"

#include <glacier/arena.h>

enum pattern {
	PATTERN_HOT, PATTERN_WS, PATTERN_LIFO, PATTERN_FIFO, PATTERN_RANDOM, PATTERN_XFREE, PATTERN_LARSON, PATTERN_BURST,
	PATTERN_PHASE, PATTERN_KV, PATTERN_COUNT
};

enum backing { BACKING_HOST, BACKING_THP, BACKING_NULL, BACKING_PINNED, BACKING_CUDA, BACKING_VIRTUAL, BACKING_VULKAN, BACKING_COUNT };
enum format { FORMAT_RMM, FORMAT_REP, FORMAT_GC, FORMAT_PYTORCH, FORMAT_KV, FORMAT_COUNT };

enum { MOST_SIZES = 16, MOST_THREAD_COUNTS = 8, MOST_COMPARED = 4 };

struct sizes {
	uint64_t low, high;      /* log-uniform between them; equal: one size */
};

struct options {
	bool tier[GLACIER_TIER_COUNT];
	bool pattern[PATTERN_COUNT];
	struct sizes sizes[MOST_SIZES];
	size_t size_count;
	unsigned threads[MOST_THREAD_COUNTS];
	size_t thread_counts;
	bool threads_given, backing_given;
	double seconds;          /* of a cell */
	uint64_t ops;            /* of a thread; 0: by time */
	uint64_t seed, arena_bytes;
	bool arena_given;
	unsigned repeats;
	enum backing backing;
	enum glacier_fit fit;
	bool sub_bins, check, min_arena, dump;
	const char *compare[MOST_COMPARED];
	size_t compared;
	const char *replay, *record, *plot, *map;
	enum format format;
	uint64_t kv_bytes, kv_block;
	enum cli_table_form form;
};

/* Ends the process on bad usage. */
void options_parse(struct options *opt, int argc, char **argv);
const char *pattern_name(enum pattern pattern);
const char *backing_name(enum backing backing);

#endif
