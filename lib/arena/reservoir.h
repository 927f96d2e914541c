/* SPDX-License-Identifier: MIT */
/*
 * Large allocations: granules of 2 MiB, best fit, under a lock. Ranges are used again, lower
 * lists first, so that what is freed and still has its pages is handed out before new ones.
 *
 * The range that a thread freed last stays with it, for the next request of its length: no lock, no list. Its length is
 * then marked as held, so that a free of it is refused like one of any range that nobody has. What a thread may hold
 * it is allowed once, out of what the reservoir may keep of pages, and has until its state is emptied.
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
#include <stdatomic.h>

enum { GLC_GRANULE_SHIFT = 21, GLC_GRANULE = 1 << GLC_GRANULE_SHIFT };
#define GLC_HELD UINT32_C(0x80000000)

/* A thread's: the range that it freed last, in granules; count 0: none. */
struct glc_hand {
	uint32_t first, count, allowed;
};

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
	_Atomic uint32_t *length;  /* of the allocation that begins here, in granules; 0: none. GLC_HELD: in a thread's hand */
	unsigned char *state;      /* pages: bits of a granule */
	uint64_t live, kept, keep_limit;   /* granules; live: with what threads hold */
	uint64_t allowed;          /* that threads may hold */
	void *tables;
	uint64_t table_bytes;
};

/* host: base is memory that glc_reserve gave, not usable yet. bytes: whole granules, at least one. */
enum glacier_status glc_reservoir_init(struct glc_reservoir *reservoir, glacier_addr base, uint64_t bytes, bool host,
				       const struct glacier_arena_options *options);
void glc_reservoir_fini(struct glc_reservoir *reservoir);

enum glacier_status glc_reservoir_alloc(struct glc_reservoir *reservoir, uint64_t bytes, glacier_addr *addr);
/* *bytes: of the allocation; *back: of what is now free, which may be what the hand held before. */
enum glacier_status glc_reservoir_free(struct glc_reservoir *reservoir, struct glc_hand *hand, glacier_addr addr, uint64_t *bytes,
				       uint64_t *back);
/* The hand is emptied, and may hold nothing. Bytes that are now free. */
uint64_t glc_hand_drop(struct glc_reservoir *reservoir, struct glc_hand *hand);
void glc_reservoir_trim(struct glc_reservoir *reservoir);
/* The allocation that an address lies in. */
bool glc_reservoir_find(struct glc_reservoir *reservoir, glacier_addr addr, glacier_addr *first, uint64_t *bytes);

static inline uint32_t glc_length_at(const struct glc_reservoir *reservoir, uint32_t granule)
{
	return atomic_load_explicit(&reservoir->length[granule], memory_order_relaxed);
}

/* What the hand holds, if it has this length; else false. */
static inline bool glc_hand_take(struct glc_reservoir *reservoir, struct glc_hand *hand, uint64_t count, glacier_addr *addr)
{
	if (!hand->count || hand->count != count)
		return false;
	hand->count = 0;
	atomic_store_explicit(&reservoir->length[hand->first], (uint32_t)count, memory_order_relaxed);
	*addr = reservoir->base + ((uint64_t)hand->first << GLC_GRANULE_SHIFT);
	return true;
}

/* Puts an allocation into the empty hand. Its granules; 0: it has to be freed otherwise, or is none. */
static inline uint32_t glc_hand_keep(struct glc_reservoir *reservoir, struct glc_hand *hand, glacier_addr addr)
{
	uint64_t offset = addr - reservoir->base;
	uint32_t first = (uint32_t)(offset >> GLC_GRANULE_SHIFT), count;

	if (offset & (GLC_GRANULE - 1) || hand->count)
		return 0;
	count = glc_length_at(reservoir, first);
	if (count - 1 >= hand->allowed)
		return 0;
	atomic_store_explicit(&reservoir->length[first], count | GLC_HELD, memory_order_relaxed);
	hand->first = first;
	return hand->count = count;
}

#endif
