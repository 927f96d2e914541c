/* SPDX-License-Identifier: MIT */
#include "arena/heap.h"

/* Blocks that the quick ways may keep: such that the last piece takes no more than half of what a thread may keep. */
static unsigned quick_blocks(const struct glc_heap *heap)
{
	unsigned orders = 0;

	while (orders < GLC_ORDERS && 2u << orders <= heap->kept_limit)
		orders++;
	return orders;
}

void glc_cache_init(struct glc_heap *heap, struct glc_local *local, uint64_t quick_bytes, uint64_t floor, bool runs)
{
	unsigned blocks = quick_blocks(heap);

	for (unsigned order = 0; order < GLC_ORDERS; order++)
		local->word[order] = glc_leaves_start(heap, local->thread.number);
	local->thread.base = heap->base;
	local->thread.marks = heap->marks;
	local->thread.floor = floor;
	/* The quick ways know one size of unit, and the quickest no lengths. */
	if (heap->unit_shift == GLC_UNIT_SHIFT) {
		local->thread.open_units = heap->bytes >> GLC_UNIT_SHIFT;
		local->thread.open_bytes = quick_bytes;
		local->thread.quick_marks = (uint8_t)(GLC_MARK_BLOCK - 1 + (heap->fit == GLACIER_FIT_BUDDY ? blocks : 0));
	}
	if (runs && blocks)
		local->last_run.most = 1u << (blocks - 1);
	local->kept_leaves = heap->stack_limit - (blocks && heap->stack_limit ? 1u << (blocks - 1) : 0);
	for (unsigned mark = GLC_MARK_SLOT; mark < GLC_MARKS; mark++) {
		uint32_t fit = glc_is_block(mark) ? 0 : GLC_CACHED_SLOTS / glc_bin_kinds[glc_bin_of_mark(mark)].slot_bytes;

		local->cache[mark].limit = fit < GLC_MOST_KEPT ? fit : GLC_MOST_KEPT;
	}
}

void glc_cache_settle(struct glc_heap *heap, struct glc_local *local)
{
	unsigned mark = glc_last_mark(&local->thread);
	uint32_t leaves = local->last_run.leaves;

	atomic_store_explicit(&local->thread.last_mark, 0, memory_order_relaxed);
	local->last_run.leaves = 0;
	if (glc_is_block(mark))
		glc_buddy_keep(heap, local, glc_unit_of(&local->thread, local->thread.last_addr), mark);
	else if (mark)
		glc_slab_keep(heap, local, glc_unit_of(&local->thread, local->thread.last_addr), mark);
	if (leaves)
		glc_buddy_keep(heap, local, local->last_run.unit, GLC_MARK_BLOCK + glc_order_of(leaves));
}

void glc_cache_free(struct glc_heap *heap, struct glc_local *local, uint64_t unit, unsigned mark)
{
	bool block = glc_is_block(mark);

	atomic_store_explicit(&heap->marks[unit], 0, memory_order_relaxed);
	if (heap->fit == GLACIER_FIT_RUN && block) {
		uint32_t leaves = atomic_load_explicit(&heap->map[glc_leaf_of_unit(heap, unit)], memory_order_relaxed);
		uint64_t before = local->last_run.unit;
		uint32_t had = local->last_run.leaves;

		local->run_bytes -= (uint64_t)leaves << GLC_LEAF_SHIFT;
		local->last_run.leaves = 0;
		if (had)
			glc_buddy_keep(heap, local, before, GLC_MARK_BLOCK + glc_order_of(had));
		if (leaves <= local->last_run.most) {
			local->last_run.leaves = leaves;
			local->last_run.unit = unit;
			return;
		}
	} else {
		glc_cache_settle(heap, local);
	}
	if (block)
		glc_buddy_keep(heap, local, unit, mark);
	else
		glc_slab_keep(heap, local, unit, mark);
}

static uint64_t frees_of(struct glc_local *local, unsigned mark)
{
	struct glc_cache *cache = &local->cache[mark];
	uint32_t leaves = local->last_run.leaves;

	return cache->allocs - cache->entered + cache->count + (glc_last_mark(&local->thread) == mark) +
	       (leaves && GLC_MARK_BLOCK + glc_order_of(leaves) == mark);
}

void glc_cache_count_into(struct glc_heap *heap, struct glc_local *local, struct glc_counts *slab, struct glc_counts *buddy)
{
	for (unsigned mark = GLC_MARK_SLOT; mark < GLC_MARKS; mark++) {
		struct glc_cache *cache = &local->cache[mark];
		bool block = glc_is_block(mark);
		struct glc_counts *counts = block ? buddy : slab;
		uint64_t allocs = cache->allocs, frees = frees_of(local, mark);
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
