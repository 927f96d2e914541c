/* SPDX-License-Identifier: MIT */
/* An arena: its tiers side by side, and what they share. */
#ifndef GLC_ARENA_ARENA_H
#define GLC_ARENA_ARENA_H

#include "arena/budget.h"
#include "arena/heap.h"
#include "arena/reservoir.h"
#include "arena/ring.h"

enum { GLC_MOST_RINGS = 16, GLC_TAG_SHIFT = 6 };

struct glacier_arena {
	struct glc_threads threads;                     /* the first: a state's owner is compared with the arena itself */
	_Atomic bool closed;
	bool has_heap, has_reservoir, has_ring, sole;   /* sole: one tier, no pool */
	bool quick_slices;                              /* a ring alone, by free, without tags */
	struct glacier_arena_options options;
	/* Requests of so many bytes and more, less one, that may be at hand as a run, as a range; UINT64_MAX: none. */
	uint64_t runs_from, ranges_from;
	struct glc_heap heap;
	struct glc_reservoir reservoir;
	struct glc_ring *rings[GLC_MOST_RINGS];         /* behind the first: grown ones */
	_Atomic uint32_t ring_count;
	pthread_mutex_t grow_lock;
	struct glc_budget budget;
	glacier_addr base, end;                         /* of the tiers */
	uint64_t align;                                 /* the largest power of two that divides base */
	void *host;                                     /* memory reserved here */
	uint64_t host_bytes;
	_Atomic uint32_t *tags;                         /* of each 64 bytes */
	uint64_t tag_bytes;
	struct glc_counts gone[GLC_COUNTED];            /* of threads that have ended */
};

static inline struct glc_local *glc_local(struct glacier_arena *arena)
{
	return (struct glc_local *)glc_thread(&arena->threads);
}

/* A state begins; its drain: caches, owned words, the rest of a chunk. */
void glc_arena_make(void *arena, struct glc_thread *thread);
void glc_arena_drain(void *arena, struct glc_thread *thread);
/* Adds what a thread has counted. */
void glc_arena_count_into(struct glacier_arena *arena, struct glc_local *local, struct glc_counts *counts);
static inline void glc_count_alloc(struct glc_local *local, int tier, uint64_t requested, uint64_t granted)
{
	struct glc_counts *counts = &local->counts[tier];

	glc_add(&counts->allocs, 1);
	glc_add(&counts->requested, requested);
	glc_add(&counts->granted, granted);
}

static inline void glc_count_free(struct glc_local *local, int tier, uint64_t bytes)
{
	glc_add(&local->counts[tier].frees, 1);
	glc_add(&local->counts[tier].returned, bytes);
}

/* The long ways. Not inside. */
enum glacier_status glc_alloc_slowly(struct glacier_arena *arena, uint64_t bytes, glacier_addr *addr);
enum glacier_status glc_free_slowly(struct glacier_arena *arena, glacier_addr addr);

/* Of a thread's part of a ring: the rest of its chunk, and the freed slices that it has added up. */
void glc_chunk_drop(struct glc_local *local);
void glc_slices_return(struct glc_local *local);
/* The ring that an address is in, or NULL. */
struct glc_ring *glc_ring_of(struct glacier_arena *arena, glacier_addr addr);
/* A ring of twice the size of the last, unless there are more than `seen` already. */
bool glc_arena_grow(struct glacier_arena *arena, uint32_t seen);

static inline bool glc_in_heap(const struct glacier_arena *arena, glacier_addr addr)
{
	return arena->has_heap && addr - arena->heap.base < arena->heap.bytes;
}

static inline bool glc_in_reservoir(const struct glacier_arena *arena, glacier_addr addr)
{
	return arena->has_reservoir && addr - arena->reservoir.base < (uint64_t)arena->reservoir.granules << GLC_GRANULE_SHIFT;
}

#endif
