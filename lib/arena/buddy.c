/* SPDX-License-Identifier: MIT */
/*
 * Blocks of leaves behind each thread's cache. The cache is what makes them fast; it can be
 * emptied from outside at any time, so that it never is the reason for running out of memory.
 */
#include "arena/heap.h"

enum glacier_status glc_buddy_alloc(struct glc_heap *heap, struct glc_local *local, uint64_t bytes, uint64_t *offset)
{
	uint32_t leaves = (uint32_t)((bytes + GLC_LEAF - 1) >> GLC_LEAF_SHIFT), leaf;
	unsigned order = glc_order_of(leaves), n = local->kept_count[order];

	if (heap->fit == GLACIER_FIT_BUDDY)
		leaves = 1u << order;
	while (n--) {
		if (local->kept[order].leaves[n] != leaves)
			continue;
		leaf = local->kept[order].leaf[n];
		local->kept_count[order]--;
		local->kept[order].leaf[n] = local->kept[order].leaf[local->kept_count[order]];
		local->kept[order].leaves[n] = local->kept[order].leaves[local->kept_count[order]];
		local->kept_leaves -= leaves;
		goto found;
	}
	if (!glc_leaves_claim(heap, local, leaves, &leaf))
		return GLACIER_ERR_NOMEM;
found:
	atomic_store_explicit(&heap->map[leaf], (uint16_t)leaves, memory_order_relaxed);
	*offset = (uint64_t)leaf << GLC_LEAF_SHIFT;
	return GLACIER_OK;
}

void glc_buddy_free(struct glc_heap *heap, struct glc_local *local, uint32_t leaf, uint32_t leaves)
{
	unsigned order = glc_order_of(leaves), n = local->kept_count[order];

	atomic_store_explicit(&heap->map[leaf], 0, memory_order_relaxed);
	if (n < GLC_KEPT_BLOCKS && local->kept_leaves + leaves <= heap->kept_limit) {
		local->kept[order].leaf[n] = leaf;
		local->kept[order].leaves[n] = (uint16_t)leaves;
		local->kept_count[order] = (uint8_t)(n + 1);
		local->kept_leaves += leaves;
	} else {
		glc_leaves_release(heap, local, leaf, leaves);
	}
}

void glc_buddy_drain(struct glc_heap *heap, struct glc_local *local)
{
	for (unsigned order = 0; order < GLC_ORDERS; order++) {
		for (unsigned n = 0; n < local->kept_count[order]; n++)
			glc_leaves_release(heap, local, local->kept[order].leaf[n], local->kept[order].leaves[n]);
		local->kept_count[order] = 0;
	}
	local->kept_leaves = 0;
}
