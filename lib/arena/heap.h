/* SPDX-License-Identifier: MIT */
/*
 * The part of an arena that is made of 128 KiB leaves: buddy blocks, and slabs carved out of them.
 *
 * Of each leaf a 16-bit entry tells what begins there, so that a free needs no size and no lock:
 *
 *   0                  nothing: free, or inside of a block
 *   1 to 256           a block of so many leaves
 *   SLAB | far | bin   a slab of this bin, whose first leaf lies `far` leaves before
 *
 * Blocks that a thread keeps in its cache have 0: to everybody else they are free.
 */
#ifndef GLC_ARENA_HEAP_H
#define GLC_ARENA_HEAP_H

#include "arena/budget.h"
#include "arena/runs.h"
#include "arena/threads.h"
#include "arena/words.h"

#include <glacier/arena.h>

#include <pthread.h>

enum {
	GLC_LEAF_SHIFT = 17,
	GLC_LEAF = 1 << GLC_LEAF_SHIFT,
	GLC_ORDERS = 9,                    /* 128 KiB to 32 MiB */
	GLC_MOST_LEAVES = 1 << (GLC_ORDERS - 1),
	GLC_SLOT_SHIFT = 8,                /* the smallest slot */
	GLC_MOST_SLOT = 1 << 16,
	GLC_BINS = 33,
	GLC_SLAB_WORDS = 8,                /* a leaf has at most 512 slots */
	GLC_KEPT_BLOCKS = 4,               /* of each order, by each thread */
	GLC_MOST_OWNED = 16,               /* words of a bin, by each thread */
	GLC_MOST_RECENT = 8,               /* slots of a bin that a thread freed last */
};

enum { GLC_MAP_SLAB = 0x8000, GLC_MAP_FAR = 6, GLC_MAP_BIN = 63 };

/* --- Slabs --------------------------------------------------------------- */

enum glc_slots_state { GLC_SLOTS_NONE, GLC_SLOTS_OWNED, GLC_SLOTS_LISTED, GLC_SLOTS_FULL };

/*
 * 64 slots. One whose bit is neither in `free` nor in `local` is given out. `local` is the owner's:
 * it alone writes it, with plain stores; others may look. All others free by one fetch-or of `free`.
 */
struct glc_slots {
	_Alignas(GLC_LINE) _Atomic uint64_t free;
	_Atomic uint64_t local;
	_Atomic(struct glc_thread *) owner;
	uint64_t exist;                    /* bits that are slots */
	uint64_t at;                       /* offset of the first */
	struct glc_slots *next, *before;   /* while LISTED, under the bin's lock */
	_Atomic uint8_t state;
	uint8_t bin, leaves;               /* of its slab */
	uint8_t place;                     /* among its owner's */
	uint32_t first_leaf;
};

struct glc_bin {
	_Alignas(2 * GLC_LINE) pthread_mutex_t lock;
	struct glc_slots *listed;          /* with free slots, of nobody */
	struct glc_slots *spare;           /* the first word of an empty slab that is kept */
};

/* What a bin is, the same in every arena. */
struct glc_bin_kind {
	uint32_t slot_bytes;
	uint32_t reciprocal;               /* of slot_bytes / 64, for a multiplication instead of a division */
	uint16_t leaves;                   /* of a slab */
};

/* --- A thread's part ----------------------------------------------------- */

enum { GLC_COUNTED_SLAB, GLC_COUNTED_BUDDY, GLC_COUNTED_RESERVOIR, GLC_COUNTED_RING, GLC_COUNTED };

struct glc_counts {
	_Atomic uint64_t allocs, frees, failures, requested, granted, returned;
};

/*
 * The words of a bin that a thread owns: several, so that what it frees of its own work is mostly plain
 * stores. `free`: those with a free slot that the thread has already.
 */
struct glc_owned {
	struct glc_slots *at[GLC_MOST_OWNED];
	uint16_t free;
	uint8_t count, victim;
	struct glc_slots *spare;           /* the one that may be wholly free */
	/*
	 * What was freed last, and is given first: their bits are in `local` like those of others. It spares the next
	 * allocation to wait for the chain of loads that this free has to go through. While there are any, no other is given.
	 */
	uint8_t recent_count;
	struct {
		struct glc_slots *slots;
		uint64_t offset;
		unsigned bit;
	} recent[GLC_MOST_RECENT];
};

struct glc_local {
	struct glc_thread thread;
	struct glc_owned owned[GLC_BINS];
	struct {
		uint32_t leaf[GLC_KEPT_BLOCKS];
		uint16_t leaves[GLC_KEPT_BLOCKS];
	} kept[GLC_ORDERS];
	uint8_t kept_count[GLC_ORDERS];
	uint32_t kept_leaves;
	uint32_t word[GLC_ORDERS];         /* fit=buddy: where to look first */
	struct glc_counts counts[GLC_COUNTED];
	struct { uint64_t at, end; } chunk;   /* of the ring */
};

struct glc_heap {
	glacier_addr base;
	uint64_t bytes;                    /* of its leaves */
	uint32_t leaves;
	enum glacier_fit fit;
	uint32_t kept_limit;               /* leaves that a thread may keep */
	uint8_t first_bin, bin_step;
	_Atomic uint16_t *map;
	struct glc_slots *slots;           /* GLC_SLAB_WORDS a leaf */
	glc_word *words;
	uint32_t word_count;
	pthread_mutex_t run_lock;
	struct glc_runs *runs;
	struct glc_bin bins[GLC_BINS];
	void *tables;
	uint64_t table_bytes;
	struct glc_budget *budget;
};

/* bytes: whole leaves, at least one. */
enum glacier_status glc_heap_init(struct glc_heap *heap, glacier_addr base, uint64_t bytes,
				  const struct glacier_arena_options *options, struct glc_budget *budget);
void glc_heap_fini(struct glc_heap *heap);

/* --- leaves.c: what lies under the caches -------------------------------- */

/* `leaves` is a power of two where fit is buddy. at: the thread's hints. */
bool glc_leaves_claim(struct glc_heap *heap, struct glc_local *at, uint32_t leaves, uint32_t *leaf);
void glc_leaves_release(struct glc_heap *heap, struct glc_local *at, uint32_t leaf, uint32_t leaves);
uint32_t glc_leaves_longest(struct glc_heap *heap);
/* 1 << this many leaves hold the bytes; at most GLC_ORDERS - 1. */
static inline unsigned glc_order_of(uint32_t leaves)
{
	return leaves > 1 ? 32 - (unsigned)__builtin_clz(leaves - 1) : 0;
}

/* --- buddy.c, slab.c: inside of glc_enter -------------------------------- */

enum glacier_status glc_buddy_alloc(struct glc_heap *heap, struct glc_local *local, uint64_t bytes, uint64_t *offset);
void glc_buddy_free(struct glc_heap *heap, struct glc_local *local, uint32_t leaf, uint32_t leaves);
void glc_buddy_drain(struct glc_heap *heap, struct glc_local *local);

/* The thread has no free slot of the bin: collects, or takes another word, or a new slab's. */
bool glc_slab_refill(struct glc_heap *heap, struct glc_local *local, unsigned bin);
enum glacier_status glc_slab_free_foreign(struct glc_heap *heap, struct glc_local *local, struct glc_slots *slots, uint64_t bit);
/* A word of the thread's own that is wholly free. */
void glc_slab_let_go(struct glc_heap *heap, struct glc_local *local, struct glc_slots *slots);
/* What a thread owns becomes anybody's. */
void glc_slab_drain(struct glc_heap *heap, struct glc_local *local);
/* Gives slabs back that have no slot in use, the kept ones too. */
void glc_slab_trim(struct glc_heap *heap, struct glc_local *local);

extern const struct glc_bin_kind glc_bin_kinds[GLC_BINS];
/* The bin for so many bytes, a multiple of the heap's step. */
unsigned glc_bin_of(const struct glc_heap *heap, uint64_t bytes);

/* The slot that an offset lies in; NULL: none that exists. */
static inline struct glc_slots *glc_slot_at(const struct glc_heap *heap, uint64_t offset, unsigned entry, unsigned *bit, uint64_t *at)
{
	unsigned bin = entry & GLC_MAP_BIN, shift = GLC_SLOT_SHIFT + bin / 4;
	uint32_t leaf = (uint32_t)(offset >> GLC_LEAF_SHIFT) - (entry >> GLC_MAP_FAR & 31);
	uint32_t inside = (uint32_t)(offset - ((uint64_t)leaf << GLC_LEAF_SHIFT)), slot;
	struct glc_slots *slots;

	/* Whole powers of two need no table: a free is a chain of loads, of which each counts. */
	if (__builtin_expect(bin % 4 == 0, 1)) {
		slot = inside >> shift;
		*at = offset & ~((UINT64_C(1) << shift) - 1);
	} else {
		slot = (uint32_t)((uint64_t)(inside >> 6) * glc_bin_kinds[bin].reciprocal >> 32);
		*at = ((uint64_t)leaf << GLC_LEAF_SHIFT) + (uint64_t)slot * glc_bin_kinds[bin].slot_bytes;
	}
	slots = &heap->slots[(uint64_t)leaf * GLC_SLAB_WORDS + slot / 64];
	*bit = slot % 64;
	return slot / 64 < GLC_SLAB_WORDS * 4u && slots->exist >> *bit & 1 ? slots : NULL;
}

static inline bool glc_slot_used(struct glc_slots *slots, unsigned bit)
{
	uint64_t none = atomic_load_explicit(&slots->free, memory_order_relaxed) |
			atomic_load_explicit(&slots->local, memory_order_relaxed);

	return slots->exist & ~none & UINT64_C(1) << bit;
}

/* --- Inline: what a pair of calls mostly is -------------------------------- */

static inline enum glacier_status glc_slab_alloc(struct glc_heap *heap, struct glc_local *local, unsigned bin, uint64_t *offset)
{
	struct glc_owned *owned = &local->owned[bin];
	struct glc_slots *slots;
	uint64_t free;

	if (owned->recent_count) {
		unsigned last = --owned->recent_count;

		slots = owned->recent[last].slots;
		*offset = owned->recent[last].offset;
		free = atomic_load_explicit(&slots->local, memory_order_relaxed) & ~(UINT64_C(1) << owned->recent[last].bit);
	} else {
		if (__builtin_expect(!owned->free, 0) && !glc_slab_refill(heap, local, bin))
			return GLACIER_ERR_NOMEM;
		slots = owned->at[__builtin_ctz(owned->free)];
		free = atomic_load_explicit(&slots->local, memory_order_relaxed);
		*offset = slots->at + (uint64_t)(unsigned)__builtin_ctzll(free) * glc_bin_kinds[bin].slot_bytes;
		free &= free - 1;
	}
	atomic_store_explicit(&slots->local, free, memory_order_relaxed);
	if (!free)
		owned->free &= (uint16_t)~(1u << slots->place);
	return GLACIER_OK;
}

static inline enum glacier_status glc_slab_free(struct glc_heap *heap, struct glc_local *local, uint64_t offset, unsigned entry)
{
	uint64_t at, bit, free;
	unsigned number;
	struct glc_owned *owned;
	struct glc_slots *slots = glc_slot_at(heap, offset, entry, &number, &at);

	if (!slots || at != offset)
		return GLACIER_ERR_INVALID;
	bit = UINT64_C(1) << number;
	if (atomic_load_explicit(&slots->owner, memory_order_relaxed) != &local->thread)
		return glc_slab_free_foreign(heap, local, slots, bit);
	free = atomic_load_explicit(&slots->local, memory_order_relaxed);
	if ((free | atomic_load_explicit(&slots->free, memory_order_relaxed)) & bit)
		return GLACIER_ERR_INVALID;
	atomic_store_explicit(&slots->local, free | bit, memory_order_relaxed);
	owned = &local->owned[entry & GLC_MAP_BIN];
	owned->free |= (uint16_t)(1u << slots->place);
	if (owned->recent_count < GLC_MOST_RECENT) {
		unsigned last = owned->recent_count++;

		owned->recent[last].slots = slots;
		owned->recent[last].offset = offset;
		owned->recent[last].bit = number;
	}
	if ((free | bit) == slots->exist && owned->spare != slots)
		glc_slab_let_go(heap, local, slots);
	return GLACIER_OK;
}

#endif
