/* SPDX-License-Identifier: MIT */
/*
 * Best fit over a row of equal units: runs of free ones, by their length. A length below
 * GLC_RUN_LISTS has a list of its own and a bit in a bitmap; longer runs share the last.
 * Neighbours are found by the length that stands at both ends of a run, so freeing merges
 * at once. One thread at a time.
 */
#ifndef GLC_ARENA_RUNS_H
#define GLC_ARENA_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GLC_RUN_LISTS = 4096 };

struct glc_run {
	uint32_t length;        /* at the first and the last unit of a free run; 0: not free, or inside */
	uint32_t next, before;  /* at the first: neighbours in the list, as unit + 1 */
};

struct glc_runs {
	struct glc_run *unit;
	uint32_t units, free_units;
	uint32_t first[GLC_RUN_LISTS];              /* unit + 1; 0: none */
	uint64_t full[GLC_RUN_LISTS / 64];
};

/* unit: zeroed, of `units`; all of them begin free. */
void glc_runs_init(struct glc_runs *runs, struct glc_run *unit, uint32_t units);
/* The first of `length` units, or false. */
bool glc_runs_take(struct glc_runs *runs, uint32_t length, uint32_t *first);
/* These are free again. */
void glc_runs_give(struct glc_runs *runs, uint32_t first, uint32_t length);
/* Units of the longest run. */
uint32_t glc_runs_longest(const struct glc_runs *runs);

#endif
