/* SPDX-License-Identifier: MIT */
/* What threads do to an allocator, one call an operation: an allocation and a free that belong together. */
#ifndef GC_ARENA_BENCH_PATTERNS_H
#define GC_ARENA_BENCH_PATTERNS_H

#include "target.h"
#include "trace.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MOST_LIVE = 4096, QUEUE = 256 };

struct live {
	glacier_addr addr;
	uint64_t bytes;
	uint32_t id;
};

/* One producer and one consumer. */
struct queue {
	_Alignas(64) _Atomic uint64_t head;
	_Alignas(64) _Atomic uint64_t tail;
	_Atomic bool closed;
	struct live at[QUEUE];
};

/* What each 256 bytes belong to, with --check. */
struct shadow {
	glacier_addr base;
	uint64_t bytes;
	_Atomic uint32_t *owner;
	_Atomic uint64_t overlaps, lost;
};

/* What the threads of a cell share. */
struct cell {
	struct target *target;
	enum pattern pattern;
	struct sizes sizes;
	unsigned threads, slots;           /* slots: allocations that a thread has at once */
	uint64_t ops;                      /* 0: until stop */
	_Atomic bool stop, failed;
	struct queue *queues;              /* xfree: one a pair of threads */
	_Atomic(struct live *) parked;     /* larson: the working set that goes to the next thread */
	struct shadow *shadow;
	struct trace *record;
	pthread_barrier_t begin;
};

struct worker {
	struct cell *cell;
	unsigned number;
	uint64_t random[4], ops, failures, live_bytes, peak_bytes;
	struct live *live;
	uint32_t *samples;                 /* ns of single calls; NULL: they are not timed */
	size_t sample_count, sample_room;
	uint64_t began_ns, ended_ns;
};

void *pattern_run(void *worker);
/* Frees what the worker holds; outside of the time. */
void pattern_finish(struct worker *worker);
/* Why a pattern cannot be run on a tier, or NULL. */
const char *pattern_refused(enum pattern pattern, enum glacier_tier tier, unsigned threads);
/* How many allocations of these sizes a thread of so many may hold in an arena. */
unsigned pattern_slots(enum pattern pattern, enum glacier_tier tier, struct sizes sizes, uint64_t arena_bytes, unsigned threads);
uint64_t worker_random(struct worker *worker);

#endif
