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
 * Whether a block or a slot is given out or in a thread's cache is told by the units' marks (cache.h).
 */
#ifndef GLC_ARENA_HEAP_H
#define GLC_ARENA_HEAP_H

#include "arena/budget.h"
#include "arena/cache.h"
#include "arena/reservoir.h"
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
	GLC_CACHED_SLOTS = 512 << 10,      /* bytes of each bin, by each thread, GLC_MOST_KEPT slots at most */
	GLC_MOST_SLOT = 1 << 16,
	GLC_BINS = 33,
	GLC_SLAB_WORDS = 8,                /* a leaf has at most 512 slots */
	GLC_KEPT_BLOCKS = 4,               /* of each order, by each thread */
	GLC_KEPT_ROOM = 64 << 20,          /* of the budget, by each thread */
	GLC_MOST_OWNED = 16,               /* words of a bin, by each thread */
};

enum { GLC_MAP_SLAB = 0x8000, GLC_MAP_FAR = 6, GLC_MAP_BIN = 63 };

/* --- Slabs --------------------------------------------------------------- */

enum glc_slots_state { GLC_SLOTS_NONE, GLC_SLOTS_OWNED, GLC_SLOTS_LISTED, GLC_SLOTS_FULL };

/*
 * 64 slots. One whose bit is neither in `free` nor in `local` is given out, or in a thread's cache. `local` is the
 * owner's: it alone writes it, with plain stores; others may look. All others return slots by one fetch-or of `free`.
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
 * The words of a bin that a thread owns: several, so that what leaves its cache for them is mostly plain
 * stores. `free`: those with a free slot that the thread has already.
 */
struct glc_owned {
	struct glc_slots *at[GLC_MOST_OWNED];
	uint16_t free;
	uint8_t count, victim;
	struct glc_slots *spare;           /* the one that may be wholly free */
};

struct glc_ring;

struct glc_local {
	struct glc_thread thread;
	/* fit=run: the block that was freed last, and the longest that may be it; 0: none. Its length says what it is good for. */
	struct { uint32_t leaves, most; uint64_t unit; } last_run;
	struct glc_hand hand;              /* of the reservoir */
	struct glc_cache cache[GLC_MARKS]; /* the first is nobody's */
	struct glc_owned owned[GLC_BINS];
	uint32_t kept_limit[GLC_ORDERS];   /* of the blocks' caches; where these have 0, the quick ways are closed */
	uint32_t kept_leaves, granted_leaves;   /* that the limits may allow together, and that they do */
	uint32_t room;                     /* leaves that the budget counts and that are free again */
	uint64_t run_bytes;                /* fit=run: given out by this thread, less those that it freed */
	uint32_t word[GLC_ORDERS];         /* fit=buddy: where to look first */
	struct glc_counts counts[GLC_COUNTED];
	struct { struct glc_ring *ring; uint64_t at, end; } chunk;              /* of a ring */
	struct { struct glc_ring *ring; uint64_t segment, bytes; } returning;   /* freed, and not yet counted by the segment */
};

struct glc_heap {
	glacier_addr base;
	uint64_t bytes;                    /* of its leaves */
	uint32_t leaves;
	enum glacier_fit fit;
	uint32_t kept_limit;               /* leaves that a thread may keep, and with the block that it freed last on stacks */
	uint32_t stack_limit;
	uint32_t room_limit;               /* and whose room in the budget */
	uint8_t bin_step, unit_shift;
	_Atomic uint8_t *marks;            /* of each unit */
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
/* What the thread has of the budget's room goes back. */
void glc_leaves_drain(struct glc_heap *heap, struct glc_local *at);
/* The word that a thread looks at first. */
uint32_t glc_leaves_start(const struct glc_heap *heap, uint32_t thread);
uint32_t glc_leaves_longest(struct glc_heap *heap);
/* 1 << this many leaves hold the bytes; at most GLC_ORDERS - 1. */
static inline unsigned glc_order_of(uint32_t leaves)
{
	return leaves > 1 ? 32 - (unsigned)__builtin_clz(leaves - 1) : 0;
}

/* --- cache.c, buddy.c, slab.c: inside of glc_enter ------------------------ */

/* What a new state needs to know. quick_bytes: 0 where the quick ways are closed for requests; runs: and for runs. */
void glc_cache_init(struct glc_heap *heap, struct glc_local *local, uint64_t quick_bytes, uint64_t floor, bool runs);
/* Adds what the caches counted to the tiers' counts. */
void glc_cache_count_into(struct glc_heap *heap, struct glc_local *local, struct glc_counts *slab, struct glc_counts *buddy);

enum glacier_status glc_slab_alloc(struct glc_heap *heap, struct glc_local *local, unsigned bin, uint64_t *offset);
enum glacier_status glc_buddy_alloc(struct glc_heap *heap, struct glc_local *local, uint64_t bytes, uint64_t *offset);
/* fit=run: a block of just so many leaves that the thread has at hand. */
bool glc_buddy_at_hand(struct glc_heap *heap, struct glc_local *local, uint32_t leaves, uint64_t *unit);
/* Of a unit whose mark says that it is given out. */
void glc_cache_free(struct glc_heap *heap, struct glc_local *local, uint64_t unit, unsigned mark);
/* The piece that was freed last goes on its stack, or below. */
void glc_cache_settle(struct glc_heap *heap, struct glc_local *local);
/* What is no longer given out, to its stack or below. */
void glc_slab_keep(struct glc_heap *heap, struct glc_local *local, uint64_t unit, unsigned mark);
void glc_buddy_keep(struct glc_heap *heap, struct glc_local *local, uint64_t unit, unsigned mark);
void glc_buddy_drain(struct glc_heap *heap, struct glc_local *local);
/* What a thread owns and has at hand becomes anybody's. */
void glc_slab_drain(struct glc_heap *heap, struct glc_local *local);
/* Gives slabs back that have no slot in use, the kept ones too. */
void glc_slab_trim(struct glc_heap *heap, struct glc_local *local);

extern const struct glc_bin_kind glc_bin_kinds[GLC_BINS];
/* The bin for so many bytes, a multiple of the heap's step. */
unsigned glc_bin_of(const struct glc_heap *heap, uint64_t bytes);
/* The slot that an offset lies in, and where it begins; NULL: none that exists. */
struct glc_slots *glc_slot_at(const struct glc_heap *heap, uint64_t offset, unsigned entry, unsigned *bit, uint64_t *at);

static inline unsigned glc_mark_at(const struct glc_heap *heap, uint64_t offset)
{
	return atomic_load_explicit(&heap->marks[offset >> heap->unit_shift], memory_order_relaxed);
}

static inline uint64_t glc_unit_of(const struct glc_thread *thread, glacier_addr addr)
{
	return (addr - thread->base) >> GLC_UNIT_SHIFT;
}

static inline uint32_t glc_leaf_of_unit(const struct glc_heap *heap, uint64_t unit)
{
	return (uint32_t)(unit >> (GLC_LEAF_SHIFT - heap->unit_shift));
}

#endif
