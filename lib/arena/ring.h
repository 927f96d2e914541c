/* SPDX-License-Identifier: MIT */
/*
 * The scratch ring. Head and tail only grow; a slice lies at head modulo the capacity, and what is
 * between them is in use. A claim is one compare and swap of the head, and fails when it would
 * pass the tail by more than the capacity: a stale tail is merely careful.
 *
 * Reclaimed by free, the ring is cut into segments that each count the bytes which came back,
 * padding included: since claims leave no gap, a segment of a lap is done when its count says
 * that all of it came back, and the tail moves on. Nothing is counted when a slice is claimed.
 *
 * A thread adds up what it frees of one segment and returns it at once: when it frees in another one, when anybody is
 * short of room, and at every free while anybody sleeps for it.
 *
 * Reclaimed by serial, the tail is moved to a mark's head.
 */
#ifndef GLC_ARENA_RING_H
#define GLC_ARENA_RING_H

#include "arena/threads.h"

#include <glacier/arena.h>

#include <pthread.h>

enum { GLC_UNIT = 64 };

struct glc_segment {
	_Alignas(GLC_LINE) _Atomic uint64_t returned;   /* bytes, of all laps */
};

struct glc_ring {
	glacier_addr base;
	uint64_t capacity, segment_bytes;
	bool by_serial;
	_Alignas(2 * GLC_LINE) _Atomic uint64_t head;
	_Atomic uint64_t lap;              /* a multiple of the capacity near head: spares a division */
	_Alignas(2 * GLC_LINE) _Atomic uint64_t tail;
	struct glc_segment *segments;
	_Atomic uint32_t *units;           /* by free: of the slice that begins here; 0: none */
	void *tables;
	uint64_t table_bytes;
	pthread_mutex_t lock;              /* for those who wait for room */
	pthread_cond_t room;
	_Atomic uint32_t waiting;
};

/* bytes: `segments` times whole units. */
enum glacier_status glc_ring_init(struct glc_ring *ring, glacier_addr base, uint64_t bytes, uint32_t segments, bool by_serial);
void glc_ring_fini(struct glc_ring *ring);

/* Claims a stretch of whole units that does not wrap. False: there is no room. */
bool glc_ring_claim(struct glc_ring *ring, uint64_t bytes, uint64_t *offset);
/* By free: slices that have ended, and the rest of a claim that no slice has. */
void glc_ring_return(struct glc_ring *ring, uint64_t offset, uint64_t bytes);
/* Moves the tail to a serial: GLACIER_ERR_ARGUMENT when it lies beyond the head. */
enum glacier_status glc_ring_retire(struct glc_ring *ring, uint64_t serial);
/*
 * Sleeps until the tail has moved from where it was. Between the two calls all threads have to return what they have
 * added up; from the first on they return each slice by itself.
 */
void glc_ring_expect(struct glc_ring *ring);
void glc_ring_wait(struct glc_ring *ring, uint64_t tail);

/* By free: a slice within what was claimed begins; it ends, and is to be returned. */
static inline void glc_ring_begin(struct glc_ring *ring, uint64_t offset, uint64_t bytes)
{
	atomic_store_explicit(&ring->units[offset / GLC_UNIT], (uint32_t)(bytes / GLC_UNIT), memory_order_relaxed);
}

static inline enum glacier_status glc_ring_end(struct glc_ring *ring, uint64_t offset, uint64_t *bytes)
{
	_Atomic uint32_t *units = &ring->units[offset / GLC_UNIT];
	uint32_t count;

	if (offset % GLC_UNIT)
		return GLACIER_ERR_INVALID;
	count = atomic_load_explicit(units, memory_order_relaxed);
	if (!count)
		return GLACIER_ERR_INVALID;
	atomic_store_explicit(units, 0, memory_order_relaxed);
	*bytes = (uint64_t)count * GLC_UNIT;
	return GLACIER_OK;
}

static inline uint64_t glc_round_unit(uint64_t bytes)
{
	return (bytes + GLC_UNIT - 1) & ~(uint64_t)(GLC_UNIT - 1);
}

#endif
