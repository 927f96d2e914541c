/* SPDX-License-Identifier: MIT */
/*
 * Blocks of leaves behind each thread's cache. The cache is what makes them fast; it can be
 * emptied from outside at any time, so that it never is the reason for running out of memory.
 *
 * A cache holds as many blocks as its limit says, and the limits of a thread hold no more leaves together than the
 * arena allows. They begin at 0, and move to the orders that are used.
 */
#include "arena/heap.h"

static uint32_t leaves_of(struct glc_heap *heap, uint64_t unit)
{
	return atomic_load_explicit(&heap->map[glc_leaf_of_unit(heap, unit)], memory_order_relaxed);
}

/* The one on top that has so many leaves; fit=run has several lengths in a cache. */
static bool from_cache(struct glc_heap *heap, struct glc_cache *cache, uint32_t leaves, uint64_t *unit)
{
	uint32_t count = cache->count, i = count;

	while (i--) {
		if (leaves_of(heap, cache->unit[i]) != leaves)
			continue;
		*unit = cache->unit[i];
		for (; i + 1 < count; i++)
			cache->unit[i] = cache->unit[i + 1];
		cache->count = count - 1;
		return true;
	}
	return false;
}

bool glc_buddy_at_hand(struct glc_heap *heap, struct glc_local *local, uint32_t leaves, uint64_t *unit)
{
	if (local->last_run.leaves != leaves)
		return from_cache(heap, &local->cache[GLC_MARK_BLOCK + glc_order_of(leaves)], leaves, unit);
	local->last_run.leaves = 0;
	*unit = local->last_run.unit;
	return true;
}

enum glacier_status glc_buddy_alloc(struct glc_heap *heap, struct glc_local *local, uint64_t bytes, uint64_t *offset)
{
	uint32_t leaves = (uint32_t)((bytes + GLC_LEAF - 1) >> GLC_LEAF_SHIFT), leaf;
	uint64_t unit;
	unsigned order = glc_order_of(leaves), mark = GLC_MARK_BLOCK + order;
	struct glc_cache *cache = &local->cache[mark];

	if (heap->fit == GLACIER_FIT_BUDDY)
		leaves = 1u << order;
	glc_cache_settle(heap, local);
	if (!from_cache(heap, cache, leaves, &unit)) {
		if (!glc_leaves_claim(heap, local, leaves, &leaf))
			return GLACIER_ERR_NOMEM;
		unit = (uint64_t)leaf << (GLC_LEAF_SHIFT - heap->unit_shift);
		atomic_store_explicit(&heap->map[leaf], (uint16_t)leaves, memory_order_relaxed);
		cache->entered++;
	}
	if (heap->fit == GLACIER_FIT_RUN)
		local->run_bytes += (uint64_t)leaves << GLC_LEAF_SHIFT;
	atomic_store_explicit(&heap->marks[unit], (uint8_t)mark, memory_order_relaxed);
	*offset = unit << heap->unit_shift;
	return GLACIER_OK;
}

static void release(struct glc_heap *heap, struct glc_local *local, struct glc_cache *cache, uint64_t unit)
{
	uint32_t leaf = glc_leaf_of_unit(heap, unit), leaves = leaves_of(heap, unit);

	atomic_store_explicit(&heap->map[leaf], 0, memory_order_relaxed);
	cache->entered--;
	glc_leaves_release(heap, local, leaf, leaves);
}

static void set_limit(struct glc_heap *heap, struct glc_local *local, unsigned order, uint32_t limit)
{
	local->granted_leaves += (limit - local->kept_limit[order]) << order;
	local->kept_limit[order] = limit;
	/* fit=run: the quick ways know no lengths. */
	local->cache[GLC_MARK_BLOCK + order].limit = heap->fit == GLACIER_FIT_BUDDY ? limit : 0;
}

/* Room for one more block of the order: what others are allowed and do not use is taken from them. */
static bool grant(struct glc_heap *heap, struct glc_local *local, unsigned order)
{
	uint32_t leaves = 1u << order;

	if (local->kept_limit[order] == GLC_KEPT_BLOCKS || leaves > local->kept_leaves)
		return false;
	for (unsigned other = GLC_ORDERS; other-- && local->granted_leaves + leaves > local->kept_leaves;)
		if (other != order)
			set_limit(heap, local, other, local->cache[GLC_MARK_BLOCK + other].count);
	if (local->granted_leaves + leaves > local->kept_leaves)
		return false;
	set_limit(heap, local, order, local->kept_limit[order] + 1);
	return true;
}

void glc_buddy_keep(struct glc_heap *heap, struct glc_local *local, uint64_t unit, unsigned mark)
{
	struct glc_cache *cache = &local->cache[mark];
	unsigned order = mark - GLC_MARK_BLOCK;
	uint32_t count = cache->count;

	if (count < local->kept_limit[order] || grant(heap, local, order)) {
		cache->unit[count] = unit;
		cache->count = count + 1;
	} else {
		release(heap, local, cache, unit);
	}
}

void glc_buddy_drain(struct glc_heap *heap, struct glc_local *local)
{
	glc_cache_settle(heap, local);
	for (unsigned order = 0; order < GLC_ORDERS; order++) {
		struct glc_cache *cache = &local->cache[GLC_MARK_BLOCK + order];
		uint32_t count = cache->count;

		cache->count = 0;
		while (count--)
			release(heap, local, cache, cache->unit[count]);
	}
}
