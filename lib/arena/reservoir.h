/* SPDX-License-Identifier: MIT */
/*
 * Large allocations: granules of 2 MiB, best fit, under a lock. Ranges are used again, lower
 * lists first, so that what is freed and still has its pages is handed out before new ones.
 *
 * The host's memory becomes usable when it is first handed out, and stays so. Freed ranges keep
 * their pages up to a budget: a page that has to be faulted in again costs more than all
 * else that is done here.
 */
#ifndef GLC_ARENA_RESERVOIR_H
#define GLC_ARENA_RESERVOIR_H

#include "arena/runs.h"

#include <glacier/arena.h>

#include <pthread.h>

enum { GLC_GRANULE_SHIFT = 21, GLC_GRANULE = 1 << GLC_GRANULE_SHIFT };

struct glc_reservoir {
	glacier_addr base;
	uint32_t granules;
	bool pages;                /* are there when they are handed out: the host's, or by commit */
	bool populate;
	bool (*commit)(void *user, glacier_addr base, uint64_t bytes);   /* NULL: the host's */
	void (*decommit)(void *user, glacier_addr base, uint64_t bytes);
	void *user;
	pthread_mutex_t lock;
	struct glc_runs *runs;
	uint32_t *length;          /* of the allocation that begins here, in granules; 0: none */
	unsigned char *state;      /* pages: bits of a granule */
	uint64_t live, kept, keep_limit;   /* granules */
	void *tables;
	uint64_t table_bytes;
};

/* host: base is memory that glc_reserve gave, not usable yet. bytes: whole granules, at least one. */
enum glacier_status glc_reservoir_init(struct glc_reservoir *reservoir, glacier_addr base, uint64_t bytes, bool host,
				       const struct glacier_arena_options *options);
void glc_reservoir_fini(struct glc_reservoir *reservoir);

enum glacier_status glc_reservoir_alloc(struct glc_reservoir *reservoir, uint64_t bytes, glacier_addr *addr);
/* *bytes: what was given back. */
enum glacier_status glc_reservoir_free(struct glc_reservoir *reservoir, glacier_addr addr, uint64_t *bytes);
void glc_reservoir_trim(struct glc_reservoir *reservoir);
/* The allocation that an address lies in. */
bool glc_reservoir_find(struct glc_reservoir *reservoir, glacier_addr addr, glacier_addr *first, uint64_t *bytes);

#endif
