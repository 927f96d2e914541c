/* SPDX-License-Identifier: MIT */
/* The events of a log done again, by one thread in their order or by several. */
#ifndef GC_ARENA_BENCH_REPEAT_H
#define GC_ARENA_BENCH_REPEAT_H

#include "run.h"

#include <stdatomic.h>

/* Where an allocation is; these are no addresses of it. */
enum { NOT_YET, HAS_FAILED };

struct repetition {
	uint64_t failures;
	double ns;
	size_t first_failure;        /* event; SIZE_MAX: none */
};

/*
 * threads: 1, or up to as many as the log tells of. Each then does the events of some of the log's threads, in their
 * order; a free waits for its allocation, and nothing else for anything. stop: at the first that fails, of one thread.
 * addr: an entry for each allocation, with which nothing has to be done before. boxes: where each was, or NULL.
 */
struct repetition repeat_log(struct glacier_arena *arena, const struct trace *trace, unsigned threads, bool stop,
			     _Atomic glacier_addr *addr, struct box *boxes);

#endif
