/* SPDX-License-Identifier: MIT */
#include "arena/ring.h"

#include "arena/space.h"

#include <sys/mman.h>

enum glacier_status glc_ring_init(struct glc_ring *ring, glacier_addr base, uint64_t bytes, uint32_t segments, bool by_serial)
{
	uint64_t units = bytes / GLC_UNIT;

	ring->base = base;
	ring->capacity = bytes;
	ring->segment_bytes = bytes / segments;
	ring->by_serial = by_serial;
	ring->table_bytes = segments * sizeof *ring->segments + (by_serial ? 0 : units * sizeof *ring->units);
	ring->tables = glc_table(ring->table_bytes);
	if (!ring->tables)
		return GLACIER_ERR_NOMEM;
	ring->segments = ring->tables;
	ring->units = (_Atomic uint32_t *)(ring->segments + segments);
	pthread_mutex_init(&ring->lock, NULL);
	pthread_cond_init(&ring->room, NULL);
	return GLACIER_OK;
}

void glc_ring_fini(struct glc_ring *ring)
{
	if (ring->tables)
		munmap(ring->tables, ring->table_bytes);
	ring->tables = NULL;
}

static uint64_t position(struct glc_ring *ring, uint64_t head)
{
	uint64_t lap = atomic_load_explicit(&ring->lap, memory_order_relaxed), at = head - lap;

	if (__builtin_expect(at >= ring->capacity, 0)) {
		at = head % ring->capacity;
		atomic_store_explicit(&ring->lap, head - at, memory_order_relaxed);
	}
	return at;
}

static void wake(struct glc_ring *ring)
{
	if (!atomic_load(&ring->waiting))
		return;
	pthread_mutex_lock(&ring->lock);
	pthread_cond_broadcast(&ring->room);
	pthread_mutex_unlock(&ring->lock);
}

/* Any thread that completes a segment moves the tail, over those behind it too. */
static void advance(struct glc_ring *ring)
{
	uint64_t tail = atomic_load(&ring->tail);
	bool moved = false;

	for (;;) {
		uint64_t at = tail % ring->capacity, lap = tail / ring->capacity;
		struct glc_segment *segment = &ring->segments[at / ring->segment_bytes];

		if (atomic_load(&segment->returned) != (lap + 1) * ring->segment_bytes)
			break;
		if (atomic_compare_exchange_strong(&ring->tail, &tail, tail + ring->segment_bytes)) {
			tail += ring->segment_bytes;
			moved = true;
		}
	}
	if (moved)
		wake(ring);
}

void glc_ring_return(struct glc_ring *ring, uint64_t offset, uint64_t bytes)
{
	bool done = false;

	while (bytes) {
		uint64_t number = offset / ring->segment_bytes, room = (number + 1) * ring->segment_bytes - offset;
		uint64_t part = bytes < room ? bytes : room, now;

		now = atomic_fetch_add(&ring->segments[number].returned, part) + part;
		done |= now % ring->segment_bytes == 0;
		offset += part;
		bytes -= part;
	}
	if (done)
		advance(ring);
}

/*
 * A segment that is begun and all free does not come back by itself. Where that is why there is no
 * room, its rest is claimed and returned, as if somebody had used it.
 */
static bool finish_segment(struct glc_ring *ring)
{
	uint64_t head = atomic_load(&ring->head), tail = atomic_load(&ring->tail);
	uint64_t at = head % ring->capacity, number = at / ring->segment_bytes, rest = ring->segment_bytes - at % ring->segment_bytes;

	if (ring->by_serial || rest == ring->segment_bytes || head + rest - tail > ring->capacity ||
	    atomic_load(&ring->segments[number].returned) % ring->segment_bytes != at % ring->segment_bytes ||
	    !atomic_compare_exchange_strong(&ring->head, &head, head + rest))
		return false;
	glc_ring_return(ring, at, rest);
	return true;
}

/*
 * A slice that does not fit behind the head needs the whole way from the start. Where nothing is in use
 * that is there, once the head has been moved on.
 */
static bool skip_rest(struct glc_ring *ring, uint64_t head, uint64_t rest)
{
	uint64_t tail = head, at = head % ring->capacity;

	if (!rest || atomic_load(&ring->tail) != head || !atomic_compare_exchange_strong(&ring->head, &head, head + rest))
		return false;
	if (ring->by_serial)
		atomic_compare_exchange_strong(&ring->tail, &tail, tail + rest);
	else
		glc_ring_return(ring, at, rest);
	return true;
}

bool glc_ring_claim(struct glc_ring *ring, uint64_t bytes, uint64_t *offset)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed), at, pad;

	for (;;) {
		at = position(ring, head);
		pad = bytes > ring->capacity - at ? ring->capacity - at : 0;
		if (head + pad + bytes - atomic_load_explicit(&ring->tail, memory_order_acquire) > ring->capacity) {
			uint64_t now = atomic_load(&ring->head);

			/* An old head with a newer tail looks full, or beyond it. */
			if (now != head) {
				head = now;
				continue;
			}
			if (!finish_segment(ring) && !skip_rest(ring, head, pad))
				return false;
			head = atomic_load(&ring->head);
			continue;
		}
		if (atomic_compare_exchange_weak_explicit(&ring->head, &head, head + pad + bytes, memory_order_acq_rel,
							  memory_order_relaxed))
			break;
	}
	if (pad && !ring->by_serial)
		glc_ring_return(ring, at, pad);
	*offset = pad ? 0 : at;
	return true;
}

enum glacier_status glc_ring_retire(struct glc_ring *ring, uint64_t serial)
{
	uint64_t tail = atomic_load(&ring->tail);

	if (serial > atomic_load(&ring->head))
		return GLACIER_ERR_ARGUMENT;
	while (tail < serial)
		if (atomic_compare_exchange_weak(&ring->tail, &tail, serial)) {
			wake(ring);
			break;
		}
	return GLACIER_OK;
}

void glc_ring_expect(struct glc_ring *ring)
{
	atomic_fetch_add(&ring->waiting, 1);
}

void glc_ring_wait(struct glc_ring *ring, uint64_t tail)
{
	pthread_mutex_lock(&ring->lock);
	while (atomic_load(&ring->tail) == tail)
		pthread_cond_wait(&ring->room, &ring->lock);
	atomic_fetch_sub(&ring->waiting, 1);
	pthread_mutex_unlock(&ring->lock);
}
