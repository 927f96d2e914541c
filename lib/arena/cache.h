/* SPDX-License-Identifier: MIT */
/*
 * What a thread has at hand of a heap: the piece that was freed last, and for each class of equal sizes a stack of those
 * before it. Most calls are one push or one pop, inside of the thread's own state.
 *
 * The last piece lies at one place, whatever its class: only a chain of loads tells the class of what is freed, and an
 * allocation that follows would wait for it to know where it was put. It goes on to its stack when the next one comes.
 *
 * Whether a piece is given out is told by a byte for each unit of the heap: the mark of its class where a live
 * allocation begins, and 0 everywhere else. A free that finds 0 is wrong, whichever thread it comes from; what lies in
 * a cache, in a slab's words or in no block at all is the same to it.
 *
 * Nothing counts frees: they are the allocations, with what is still at hand, without what came from below.
 */
#ifndef GLC_ARENA_CACHE_H
#define GLC_ARENA_CACHE_H

#include "arena/threads.h"

/*
 * Classes by their mark: 1 to 9 slots of 256 bytes to 64 KiB, 10 to 18 blocks of 128 KiB to 32 MiB, then the slots
 * between the powers of two. So the class of a size is the number of its highest bit, less a constant.
 */
enum {
	GLC_MARK_SLOT = 1,
	GLC_MARK_BLOCK = 10,
	GLC_MARK_BETWEEN = 19,
	GLC_MARKS = 43,
	GLC_FIRST_POWER = 7,               /* what has at most 256 bytes: the highest bit of 255 */
	GLC_UNIT_SHIFT = 8,                /* of a heap's unit; sub-bins: GLC_SMALL_UNIT_SHIFT */
	GLC_SMALL_UNIT_SHIFT = 6,
	GLC_MOST_KEPT = 28,                /* fills four lines */
};

struct glc_cache {
	/* The two that each allocation adds to do not lie side by side: as one vector they would be put together for one addition. */
	_Alignas(GLC_LINE) uint64_t allocs;
	uint64_t entered;                  /* pieces that came from below, less those that went there */
	uint64_t requested;                /* bytes, of all allocations */
	uint32_t count, limit;
	uint64_t unit[GLC_MOST_KEPT];
};

static inline bool glc_cache_push(struct glc_cache *cache, uint64_t unit)
{
	if (__builtin_expect(cache->count >= cache->limit, 0))
		return false;
	cache->unit[cache->count++] = unit;
	return true;
}

static inline bool glc_cache_pop(struct glc_cache *cache, uint64_t *unit)
{
	if (__builtin_expect(!cache->count, 0))
		return false;
	*unit = cache->unit[--cache->count];
	return true;
}

/* The mark of so many bytes, less one; floor: the largest size, less one, of the smallest class that there is. */
static inline unsigned glc_mark_of(uint64_t last_byte, uint64_t floor)
{
	return 63 - (unsigned)__builtin_clzll(last_byte | floor) - GLC_FIRST_POWER + 1;
}

static inline unsigned glc_mark_of_bin(unsigned bin)
{
	return bin % 4 == 0 ? GLC_MARK_SLOT + bin / 4 : GLC_MARK_BETWEEN + bin - bin / 4 - 1;
}

static inline unsigned glc_bin_of_mark(unsigned mark)
{
	unsigned between = mark - GLC_MARK_BETWEEN;

	return mark < GLC_MARK_BLOCK ? 4 * (mark - GLC_MARK_SLOT) : between + between / 3 + 1;
}

static inline bool glc_is_block(unsigned mark)
{
	return mark - GLC_MARK_BLOCK < GLC_MARK_BETWEEN - GLC_MARK_BLOCK;
}

#endif
