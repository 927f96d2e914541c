/* SPDX-License-Identifier: MIT */
#include "arena/heap.h"

/*
 * Blocks that the quick ways may keep: such that the last piece takes no more than half of what a thread may keep.
 * fit=run: none, for the quick ways know no lengths.
 */
static unsigned quick_blocks(const struct glc_heap *heap)
{
	unsigned orders = 0;

	while (heap->fit == GLACIER_FIT_BUDDY && orders < GLC_ORDERS && 2u << orders <= heap->kept_limit)
		orders++;
	return orders;
}

void glc_cache_init(struct glc_heap *heap, struct glc_local *local, uint64_t quick_bytes, uint64_t floor)
{
	unsigned blocks = quick_blocks(heap);

	local->base = heap->base;
	local->marks = heap->marks;
	local->floor = floor;
	/* The quick ways know one size of unit. */
	if (heap->unit_shift == GLC_UNIT_SHIFT) {
		local->units = heap->bytes >> GLC_UNIT_SHIFT;
		local->quick_bytes = quick_bytes;
		local->quick_marks = (uint8_t)(GLC_MARK_BLOCK - 1 + blocks);
	}
	local->kept_leaves = heap->kept_limit - (blocks ? 1u << (blocks - 1) : 0);
	for (unsigned mark = GLC_MARK_SLOT; mark < GLC_MARKS; mark++) {
		uint32_t fit = glc_is_block(mark) ? 0 : GLC_CACHED_SLOTS / glc_bin_kinds[glc_bin_of_mark(mark)].slot_bytes;

		local->cache[mark].limit = fit < GLC_MOST_KEPT ? fit : GLC_MOST_KEPT;
	}
}

void glc_cache_settle(struct glc_heap *heap, struct glc_local *local)
{
	unsigned mark = local->last_mark;

	local->last_mark = 0;
	if (glc_is_block(mark))
		glc_buddy_keep(heap, local, local->last_unit, mark);
	else if (mark)
		glc_slab_keep(heap, local, local->last_unit, mark);
}

void glc_cache_free(struct glc_heap *heap, struct glc_local *local, uint64_t unit, unsigned mark)
{
	uint32_t leaf = glc_leaf_of_unit(heap, unit);

	atomic_store_explicit(&heap->marks[unit], 0, memory_order_relaxed);
	local->cache[mark].frees++;
	if (heap->fit == GLACIER_FIT_RUN && glc_is_block(mark))
		local->run_bytes -= (uint64_t)atomic_load_explicit(&heap->map[leaf], memory_order_relaxed) << GLC_LEAF_SHIFT;
	glc_cache_settle(heap, local);
	if (glc_is_block(mark))
		glc_buddy_keep(heap, local, unit, mark);
	else
		glc_slab_keep(heap, local, unit, mark);
}

static uint64_t allocs_of(struct glc_local *local, unsigned mark)
{
	struct glc_cache *cache = &local->cache[mark];

	return cache->entered + cache->frees - cache->count - (local->last_mark == mark);
}

void glc_cache_count_into(struct glc_heap *heap, struct glc_local *local, struct glc_counts *slab, struct glc_counts *buddy)
{
	for (unsigned mark = GLC_MARK_SLOT; mark < GLC_MARKS; mark++) {
		struct glc_cache *cache = &local->cache[mark];
		bool block = glc_is_block(mark);
		struct glc_counts *counts = block ? buddy : slab;
		uint64_t allocs = allocs_of(local, mark), frees = cache->frees;
		uint64_t bytes = block ? (uint64_t)GLC_LEAF << (mark - GLC_MARK_BLOCK) : glc_bin_kinds[glc_bin_of_mark(mark)].slot_bytes;

		glc_add(&counts->allocs, allocs);
		glc_add(&counts->frees, frees);
		glc_add(&counts->requested, cache->requested);
		if (!block || heap->fit == GLACIER_FIT_BUDDY) {
			glc_add(&counts->granted, allocs * bytes);
			glc_add(&counts->returned, frees * bytes);
		}
	}
	glc_add(&buddy->granted, local->run_bytes);
}
