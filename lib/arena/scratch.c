/* SPDX-License-Identifier: MIT */
/* What is the ring's alone: what a thread has of it, serials, slices for a scope. */
#include "arena/arena.h"

void glc_chunk_drop(struct glc_local *local)
{
	struct glc_ring *ring = local->chunk.ring;

	if (local->chunk.at == local->chunk.end)
		return;
	glc_ring_return(ring, local->chunk.at, local->chunk.end - local->chunk.at);
	local->chunk.at = local->chunk.end = 0;
}

void glc_slices_return(struct glc_local *local)
{
	struct glc_ring *ring = local->returning.ring;

	if (local->returning.bytes)
		glc_ring_return(ring, local->returning.segment * ring->segment_bytes, local->returning.bytes);
	local->returning.bytes = 0;
}

static bool by_serial(struct glacier_arena *arena)
{
	return arena->has_ring && arena->rings[0]->by_serial;
}

enum glacier_status glacier_arena_mark(struct glacier_arena *arena, uint64_t *serial)
{
	if (!arena || !serial || atomic_load(&arena->closed))
		return GLACIER_ERR_ARGUMENT;
	if (!by_serial(arena))
		return GLACIER_ERR_UNSUPPORTED;
	*serial = atomic_load(&arena->rings[0]->head);
	return GLACIER_OK;
}

enum glacier_status glacier_arena_retire(struct glacier_arena *arena, uint64_t serial)
{
	if (!arena || atomic_load(&arena->closed))
		return GLACIER_ERR_ARGUMENT;
	return by_serial(arena) ? glc_ring_retire(arena->rings[0], serial) : GLACIER_ERR_UNSUPPORTED;
}

enum glacier_status glacier_arena_rent_scratch(struct glacier_arena *arena, uint64_t bytes, struct glacier_scratch *scratch)
{
	struct glacier_request request = {.bytes = bytes, .category = GLACIER_CATEGORY_SCRATCH};
	enum glacier_status status;

	if (!scratch)
		return GLACIER_ERR_ARGUMENT;
	*scratch = (struct glacier_scratch){0};
	status = glacier_arena_request(arena, &request, &scratch->addr);
	if (!status) {
		scratch->arena = arena;
		scratch->bytes = glc_round_unit(bytes);
	}
	return status;
}

enum glacier_status glacier_scratch_release(struct glacier_scratch *scratch)
{
	struct glacier_arena *arena = scratch ? scratch->arena : NULL;

	if (!arena)
		return GLACIER_OK;
	scratch->arena = NULL;
	/* By serial the slice goes with its mark. */
	return by_serial(arena) ? GLACIER_OK : glacier_arena_free(arena, scratch->addr);
}
