/* SPDX-License-Identifier: MIT */
/*
 * The quick ways: what a thread has at hand, given and taken inside of its own state. What they cannot do, and all that is
 * wrong, goes the long way, lib/arena/alloc.c.
 */
#include "arena/arena.h"
#include "arena/slices.h"

/* fit=run: a block of just this length. Inside. */
static inline bool run_at_hand(struct glacier_arena *arena, struct glc_local *local, uint64_t bytes, glacier_addr *addr)
{
	uint32_t leaves = (uint32_t)((bytes + GLC_LEAF - 1) >> GLC_LEAF_SHIFT);
	unsigned mark = GLC_MARK_BLOCK + glc_order_of(leaves);
	uint64_t unit;

	if (bytes > (uint64_t)GLC_MOST_LEAVES << GLC_LEAF_SHIFT || !glc_buddy_at_hand(&arena->heap, local, leaves, &unit))
		return false;
	local->run_bytes += (uint64_t)leaves << GLC_LEAF_SHIFT;
	local->cache[mark].allocs++;
	local->cache[mark].requested += bytes;
	atomic_store_explicit(&arena->heap.marks[unit], (uint8_t)mark, memory_order_relaxed);
	*addr = arena->heap.base + (unit << arena->heap.unit_shift);
	return true;
}

/* What is at hand of other tiers: a slice of a chunk or of the ring, the range that was freed last, a run. Inside. */
static inline bool is_at_hand(struct glacier_arena *arena, struct glc_local *local, uint64_t bytes, glacier_addr *addr)
{
	if (arena->quick_slices)
		return bytes - 1 < GLC_MOST_SLOT && !glc_slice_take(arena, local, bytes, addr);
	if (bytes - 1 >= arena->ranges_from) {
		uint64_t count = (bytes >> GLC_GRANULE_SHIFT) + !!(bytes & (GLC_GRANULE - 1));

		if (!glc_hand_take(&arena->reservoir, &local->hand, count, addr))
			return false;
		glc_count_alloc(local, GLC_COUNTED_RESERVOIR, bytes, count << GLC_GRANULE_SHIFT);
		return true;
	}
	return bytes - 1 >= arena->runs_from && run_at_hand(arena, local, bytes, addr);
}

/* By the gate, which is closed, or not this wide. Whether one is inside the gate has not told. */
static __attribute__((noinline)) enum glacier_status alloc_by_length(struct glacier_arena *arena, uint64_t bytes, glacier_addr *addr)
{
	struct glc_local *local = (struct glc_local *)glc_last;
	bool good = !atomic_load_explicit(&local->thread.wanted, memory_order_acquire) && is_at_hand(arena, local, bytes, addr);

	glc_leave(&local->thread);
	return good ? GLACIER_OK : glc_alloc_slowly(arena, bytes, addr);
}

static struct glacier_arena *arena_of(struct glc_local *local)
{
	return (struct glacier_arena *)atomic_load_explicit(&local->thread.threads, memory_order_relaxed);
}

/* Inside, and what was freed last has another class. */
static __attribute__((noinline)) enum glacier_status alloc_from_stack(struct glc_local *local, uint64_t bytes, glacier_addr *addr,
								      unsigned mark)
{
	uint64_t unit;
	bool good = glc_cache_pop(&local->cache[mark], &unit);

	if (__builtin_expect(good, 1)) {
		local->cache[mark].allocs++;
		local->cache[mark].requested += bytes;
		atomic_store_explicit(&local->thread.marks[unit], (uint8_t)mark, memory_order_relaxed);
		*addr = local->thread.base + (unit << GLC_UNIT_SHIFT);
	}
	glc_leave(&local->thread);
	return good ? GLACIER_OK : glc_alloc_slowly(arena_of(local), bytes, addr);
}

/* What the thread has at hand needs no more than is done here: the state is found and entered, a piece taken and marked. */
enum glacier_status glacier_arena_alloc(struct glacier_arena *arena, uint64_t bytes, glacier_addr *addr)
{
	struct glc_local *local = (struct glc_local *)glc_last;
	struct glc_thread *thread = &local->thread;
	glacier_addr last;
	unsigned mark;

	if (__builtin_expect(!glc_is_of(thread, (const struct glc_threads *)arena) || !addr, 0))
		return glc_alloc_slowly(arena, bytes, addr);
	glc_enter_by_gate(thread);
	if (__builtin_expect(bytes - 1 >= atomic_load_explicit(&thread->quick_bytes, memory_order_acquire), 0))
		return alloc_by_length(arena, bytes, addr);
	mark = glc_mark_of(bytes - 1, thread->floor);
	if (__builtin_expect(glc_last_mark(thread) != mark, 0))
		return alloc_from_stack(local, bytes, addr, mark);
	last = thread->last_addr;
	local->cache[mark].allocs++;
	local->cache[mark].requested += bytes;
	atomic_store_explicit(&thread->marks[glc_unit_of(thread, last)], (uint8_t)mark, memory_order_relaxed);
	*addr = last;
	glc_leave_with(thread, 0);
	return GLACIER_OK;
}

/* --- Back ---------------------------------------------------------------- */

/* A slice, or a range that the hand has room for. Inside. */
static inline bool free_at_hand(struct glacier_arena *arena, struct glc_local *local, glacier_addr addr)
{
	uint64_t bytes;

	if (arena->quick_slices) {
		uint64_t offset = addr - arena->rings[0]->base;

		return offset < arena->rings[0]->capacity && !glc_slice_give(local, arena->rings[0], offset);
	}
	if (!glc_in_reservoir(arena, addr))
		return false;
	bytes = (uint64_t)glc_hand_keep(&arena->reservoir, &local->hand, addr) << GLC_GRANULE_SHIFT;
	if (bytes)
		glc_count_free(local, GLC_COUNTED_RESERVOIR, bytes);
	return bytes;
}

/* As alloc_by_length. What is wrong goes the long way. */
static __attribute__((noinline)) enum glacier_status free_by_address(struct glacier_arena *arena, glacier_addr addr)
{
	struct glc_local *local = (struct glc_local *)glc_last;
	bool good = !atomic_load_explicit(&local->thread.wanted, memory_order_acquire) && free_at_hand(arena, local, addr);

	glc_leave(&local->thread);
	return good ? GLACIER_OK : glc_free_slowly(arena, addr);
}

/* Freed, and at hand for the next allocation of its class; out. */
static inline enum glacier_status have_last(struct glc_thread *thread, glacier_addr addr, uint64_t unit, unsigned mark)
{
	atomic_store_explicit(&thread->marks[unit], 0, memory_order_relaxed);
	thread->last_addr = addr;
	glc_leave_with(thread, mark);
	return GLACIER_OK;
}

/* Inside, and what was freed last has to move to its stack first, or this has to be freed otherwise. */
static __attribute__((noinline)) enum glacier_status free_onto_stack(struct glc_local *local, glacier_addr addr, uint64_t unit)
{
	struct glc_thread *thread = &local->thread;
	unsigned mark = atomic_load_explicit(&thread->marks[unit], memory_order_relaxed), last_mark = glc_last_mark(thread);

	if (__builtin_expect(mark - 1 < thread->quick_marks, 1)) {
		if (!last_mark || glc_cache_push(&local->cache[last_mark], glc_unit_of(thread, thread->last_addr)))
			return have_last(thread, addr, unit, mark);
	} else if (mark) {
		glc_cache_free(&arena_of(local)->heap, local, unit, mark);
		glc_leave(thread);
		return GLACIER_OK;
	}
	glc_leave(thread);
	return glc_free_slowly(arena_of(local), addr);
}

/*
 * The reverse. What is odd in an address is turned to the top, where it is beyond every arena's number of units.
 * Whatever else is wrong goes the long way too, and is refused there.
 */
enum glacier_status glacier_arena_free(struct glacier_arena *arena, glacier_addr addr)
{
	struct glc_thread *thread = glc_last;
	uint64_t offset, unit;
	unsigned mark;

	if (__builtin_expect(!glc_is_of(thread, (const struct glc_threads *)arena), 0))
		return glc_free_slowly(arena, addr);
	offset = addr - thread->base;
	unit = offset >> GLC_UNIT_SHIFT | offset << (64 - GLC_UNIT_SHIFT);
	glc_enter_by_gate(thread);
	if (__builtin_expect(unit >= atomic_load_explicit(&thread->quick_units, memory_order_acquire), 0))
		return free_by_address(arena, addr);
	mark = atomic_load_explicit(&thread->marks[unit], memory_order_relaxed);
	if (__builtin_expect(glc_last_mark(thread) || mark - 1 >= thread->quick_marks, 0))
		return free_onto_stack((struct glc_local *)thread, addr, unit);
	return have_last(thread, addr, unit, mark);
}
