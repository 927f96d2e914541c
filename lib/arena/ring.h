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
/* By free: a slice within what was claimed begins; it ends; the rest of a claim that no slice has. */
void glc_ring_begin(struct glc_ring *ring, uint64_t offset, uint64_t bytes);
enum glacier_status glc_ring_end(struct glc_ring *ring, uint64_t offset, uint64_t *bytes);
void glc_ring_return(struct glc_ring *ring, uint64_t offset, uint64_t bytes);
/* Moves the tail to a serial: GLACIER_ERR_ARGUMENT when it lies beyond the head. */
enum glacier_status glc_ring_retire(struct glc_ring *ring, uint64_t serial);
/* Sleeps until the tail has moved from where it is now, or room was made before. */
void glc_ring_wait(struct glc_ring *ring, uint64_t tail);

static inline uint64_t glc_round_unit(uint64_t bytes)
{
	return (bytes + GLC_UNIT - 1) & ~(uint64_t)(GLC_UNIT - 1);
}

#endif
