/* SPDX-License-Identifier: MIT */
/* Slices of a ring as a thread takes them and gives them back: inline, for there is not much more to a slice. */
#ifndef GLC_ARENA_SLICES_H
#define GLC_ARENA_SLICES_H

#include "arena/arena.h"

/* A new chunk, where it is worth it. */
static inline bool glc_chunk_new(struct glacier_arena *arena, struct glc_local *local, struct glc_ring *ring, uint64_t bytes, uint64_t *offset)
{
	uint64_t chunk = glc_round_unit(arena->options.chunk_bytes), at;

	if (bytes > chunk / 4 || !glc_ring_claim(ring, chunk, &at))
		return glc_ring_claim(ring, bytes, offset);
	glc_chunk_drop(local);
	local->chunk.ring = ring;
	local->chunk.at = at + bytes;
	local->chunk.end = at + chunk;
	*offset = at;
	return true;
}

static inline enum glacier_status glc_slice_take(struct glacier_arena *arena, struct glc_local *local, uint64_t requested, glacier_addr *addr)
{
	uint64_t bytes = glc_round_unit(requested), offset;
	struct glc_ring *ring = local->chunk.ring;

	/* An older ring's chunk is used up in its ring. */
	if (local->chunk.end - local->chunk.at >= bytes) {
		offset = local->chunk.at;
		local->chunk.at += bytes;
	} else {
		ring = arena->rings[atomic_load_explicit(&arena->ring_count, memory_order_acquire) - 1];
		if (arena->options.chunk_bytes ? !glc_chunk_new(arena, local, ring, bytes, &offset) : !glc_ring_claim(ring, bytes, &offset))
			return GLACIER_ERR_NOMEM;
	}
	if (!ring->by_serial)
		glc_ring_begin(ring, offset, bytes);
	*addr = ring->base + offset;
	glc_count_alloc(local, GLC_COUNTED_RING, requested, bytes);
	return GLACIER_OK;
}

/* A slice that lies in one segment is added to what is freed of this; another is returned. Inside. */
static inline enum glacier_status glc_slice_give(struct glc_local *local, struct glc_ring *ring, uint64_t offset)
{
	uint64_t bytes, segment, inside;
	enum glacier_status status = glc_ring_end(ring, offset, &bytes);

	if (status)
		return status;
	glc_count_free(local, GLC_COUNTED_RING, bytes);
	if (local->returning.bytes && local->returning.ring == ring) {
		inside = offset - local->returning.segment * ring->segment_bytes;
		if (inside < ring->segment_bytes && bytes <= ring->segment_bytes - inside) {
			local->returning.bytes += bytes;
			goto added;
		}
	}
	segment = offset / ring->segment_bytes;
	inside = offset - segment * ring->segment_bytes;
	if (bytes > ring->segment_bytes - inside) {
		glc_ring_return(ring, offset, bytes);
		return GLACIER_OK;
	}
	glc_slices_return(local);
	local->returning.ring = ring;
	local->returning.segment = segment;
	local->returning.bytes = bytes;
added:
	/* A whole segment, or somebody sleeps. */
	if (local->returning.bytes == ring->segment_bytes || atomic_load_explicit(&ring->waiting, memory_order_relaxed))
		glc_slices_return(local);
	return GLACIER_OK;
}

#endif
