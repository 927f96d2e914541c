/* SPDX-License-Identifier: MIT */
/* Requests taken to a tier and back, and what is done before a request is refused. */
#include "arena/arena.h"

#include <string.h>

/* --- What a thread gives back -------------------------------------------- */

static void flush(void *user, struct glc_thread *thread)
{
	struct glacier_arena *arena = user;
	struct glc_local *local = (struct glc_local *)thread;

	if (arena->has_heap) {
		glc_slab_drain(&arena->heap, local);
		glc_buddy_drain(&arena->heap, local);
		glc_leaves_drain(&arena->heap, local);
	}
	if (arena->has_reservoir)
		glc_budget_return(&arena->budget, glc_hand_drop(&arena->reservoir, &local->hand));
	glc_slices_return(local);
	glc_chunk_drop(local);
}

void glc_arena_make(void *user, struct glc_thread *thread)
{
	struct glacier_arena *arena = user;
	bool blocks = arena->options.tier == GLACIER_TIER_BUDDY, runs = arena->heap.fit == GLACIER_FIT_RUN;
	uint64_t most = (uint64_t)GLC_MOST_LEAVES << GLC_LEAF_SHIFT;

	if (arena->options.tier == GLACIER_TIER_SLAB || runs)
		most = blocks ? 0 : GLC_MOST_SLOT;
	if (arena->has_heap)
		glc_cache_init(&arena->heap, (struct glc_local *)thread, arena->tags ? 0 : most,
			       blocks ? GLC_LEAF - 1 : (1 << GLC_SLOT_SHIFT) - 1, runs);
}

void glc_arena_drain(void *user, struct glc_thread *thread)
{
	struct glacier_arena *arena = user;

	flush(arena, thread);
	glc_arena_count_into(arena, (struct glc_local *)thread, arena->gone);
}

static void scavenge(struct glacier_arena *arena)
{
	glc_threads_each(&arena->threads, flush, arena);
	if (arena->has_heap)
		glc_slab_trim(&arena->heap, NULL);
}

enum glacier_status glacier_arena_trim(struct glacier_arena *arena)
{
	if (!arena || atomic_load(&arena->closed))
		return GLACIER_ERR_ARGUMENT;
	scavenge(arena);
	if (arena->has_reservoir)
		glc_reservoir_trim(&arena->reservoir);
	return GLACIER_OK;
}

/* --- Tiers --------------------------------------------------------------- */

static inline void count_alloc(struct glc_local *local, int tier, uint64_t requested, uint64_t granted)
{
	struct glc_counts *counts = &local->counts[tier];

	glc_add(&counts->allocs, 1);
	glc_add(&counts->requested, requested);
	glc_add(&counts->granted, granted);
}

static inline void count_free(struct glc_local *local, int tier, uint64_t bytes)
{
	glc_add(&local->counts[tier].frees, 1);
	glc_add(&local->counts[tier].returned, bytes);
}

static enum glacier_status from_slab(struct glacier_arena *arena, struct glc_local *local, uint64_t requested,
				     unsigned bin, glacier_addr *addr)
{
	uint64_t offset;
	enum glacier_status status = glc_slab_alloc(&arena->heap, local, bin, &offset);

	if (status)
		return status;
	*addr = arena->heap.base + offset;
	local->cache[glc_mark_of_bin(bin)].allocs++;
	local->cache[glc_mark_of_bin(bin)].requested += requested;
	return GLACIER_OK;
}

static enum glacier_status from_buddy(struct glacier_arena *arena, struct glc_local *local, uint64_t requested,
				      uint64_t bytes, glacier_addr *addr)
{
	uint64_t offset;
	enum glacier_status status = glc_buddy_alloc(&arena->heap, local, bytes, &offset);
	struct glc_cache *cache;

	if (status)
		return status;
	*addr = arena->heap.base + offset;
	cache = &local->cache[glc_mark_at(&arena->heap, offset)];
	cache->allocs++;
	cache->requested += requested;
	return GLACIER_OK;
}

static enum glacier_status from_reservoir(struct glacier_arena *arena, struct glc_local *local, uint64_t requested,
					  uint64_t bytes, glacier_addr *addr)
{
	uint64_t granted = (bytes + GLC_GRANULE - 1) & ~(uint64_t)(GLC_GRANULE - 1);
	enum glacier_status status;

	if (glc_hand_take(&arena->reservoir, &local->hand, granted >> GLC_GRANULE_SHIFT, addr)) {
		count_alloc(local, GLC_COUNTED_RESERVOIR, requested, granted);
		return GLACIER_OK;
	}
	if (granted < bytes || !glc_budget_take(&arena->budget, granted))
		return GLACIER_ERR_NOMEM;
	status = glc_reservoir_alloc(&arena->reservoir, bytes, addr);
	if (status) {
		glc_budget_return(&arena->budget, granted);
		return status;
	}
	glc_budget_keep(&arena->budget);
	count_alloc(local, GLC_COUNTED_RESERVOIR, requested, granted);
	return GLACIER_OK;
}

/* A new chunk, where it is worth it. */
static bool new_chunk(struct glacier_arena *arena, struct glc_local *local, struct glc_ring *ring, uint64_t bytes, uint64_t *offset)
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

static inline enum glacier_status from_ring(struct glacier_arena *arena, struct glc_local *local, uint64_t requested, glacier_addr *addr)
{
	uint64_t bytes = glc_round_unit(requested), offset;
	struct glc_ring *ring = local->chunk.ring;

	/* An older ring's chunk is used up in its ring. */
	if (local->chunk.end - local->chunk.at >= bytes) {
		offset = local->chunk.at;
		local->chunk.at += bytes;
	} else {
		ring = arena->rings[atomic_load_explicit(&arena->ring_count, memory_order_acquire) - 1];
		if (arena->options.chunk_bytes ? !new_chunk(arena, local, ring, bytes, &offset) : !glc_ring_claim(ring, bytes, &offset))
			return GLACIER_ERR_NOMEM;
	}
	if (!ring->by_serial)
		glc_ring_begin(ring, offset, bytes);
	*addr = ring->base + offset;
	count_alloc(local, GLC_COUNTED_RING, requested, bytes);
	return GLACIER_OK;
}

/* A slice that lies in one segment is added to what is freed of this; another is returned. Inside. */
static inline enum glacier_status to_ring(struct glc_local *local, struct glc_ring *ring, uint64_t offset)
{
	uint64_t bytes, segment, inside;
	enum glacier_status status = glc_ring_end(ring, offset, &bytes);

	if (status)
		return status;
	count_free(local, GLC_COUNTED_RING, bytes);
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

/* --- A request ----------------------------------------------------------- */

struct route {
	uint64_t bytes;              /* to ask for: raised where the alignment asks for it */
	bool slab, buddy, reservoir, ring;
	unsigned bin;
};

static bool route_slab(const struct glacier_arena *arena, uint64_t bytes, uint64_t alignment, struct route *route)
{
	uint64_t need = bytes > alignment ? bytes : alignment;

	if (!arena->has_heap || need > GLC_MOST_SLOT || alignment > 4096 || alignment > arena->align)
		return false;
	route->bin = glc_bin_of(&arena->heap, need);
	/* Bins between powers of two are aligned to what divides them. */
	while (route->bin < GLC_BINS && glc_bin_kinds[route->bin].slot_bytes & (alignment - 1) && alignment)
		route->bin += arena->heap.bin_step;
	return route->slab = route->bin < GLC_BINS;
}

static bool route_buddy(const struct glacier_arena *arena, uint64_t bytes, uint64_t alignment, struct route *route)
{
	uint64_t need = bytes > alignment ? bytes : alignment;

	if (!arena->has_heap || need > (uint64_t)GLC_MOST_LEAVES << GLC_LEAF_SHIFT || alignment > arena->align ||
	    (arena->heap.fit == GLACIER_FIT_RUN && alignment > GLC_LEAF))
		return false;
	route->bytes = arena->heap.fit == GLACIER_FIT_RUN ? bytes : need;
	return route->buddy = true;
}

static bool route_reservoir(const struct glacier_arena *arena, uint64_t alignment, struct route *route)
{
	glacier_addr base = arena->reservoir.base;

	return arena->has_reservoir && (!alignment || (alignment <= GLC_GRANULE && !(base & (alignment - 1))))
		       ? (route->reservoir = true) : false;
}

/* Which tiers may have it, the first that can being asked first. */
static enum glacier_status plan_route(const struct glacier_arena *arena, const struct glacier_request *request, struct route *route)
{
	uint64_t bytes = request->bytes, alignment = request->alignment;
	enum glacier_category category = request->category;
	bool up = arena->options.spill == GLACIER_SPILL_UP;

	*route = (struct route){.bytes = bytes};
	if (!bytes || alignment & (alignment - 1) || (unsigned)category > GLACIER_CATEGORY_SCRATCH)
		return GLACIER_ERR_ARGUMENT;
	if (arena->sole) {
		switch (arena->options.tier) {
		case GLACIER_TIER_SLAB:
			if (bytes > GLC_MOST_SLOT)
				return GLACIER_ERR_LIMIT;
			return route_slab(arena, bytes, alignment, route) ? GLACIER_OK : GLACIER_ERR_UNSUPPORTED;
		case GLACIER_TIER_BUDDY:
			if (bytes > (uint64_t)GLC_MOST_LEAVES << GLC_LEAF_SHIFT || bytes > arena->heap.bytes)
				return GLACIER_ERR_LIMIT;
			return route_buddy(arena, bytes, alignment, route) ? GLACIER_OK : GLACIER_ERR_UNSUPPORTED;
		case GLACIER_TIER_RESERVOIR:
			if (bytes > (uint64_t)arena->reservoir.granules << GLC_GRANULE_SHIFT)
				return GLACIER_ERR_LIMIT;
			return route_reservoir(arena, alignment, route) ? GLACIER_OK : GLACIER_ERR_UNSUPPORTED;
		default: category = GLACIER_CATEGORY_SCRATCH;
		}
	}
	if (category == GLACIER_CATEGORY_SCRATCH) {
		if (!arena->has_ring)
			return GLACIER_ERR_ARGUMENT;
		if (bytes > arena->rings[0]->capacity && arena->options.full != GLACIER_FULL_GROW)
			return GLACIER_ERR_LIMIT;
		if (bytes > UINT32_MAX || glc_round_unit(bytes) < bytes)
			return GLACIER_ERR_LIMIT;
		if (alignment > GLC_UNIT)
			return GLACIER_ERR_UNSUPPORTED;
		route->ring = true;
		return GLACIER_OK;
	}
	if (category == GLACIER_CATEGORY_VIRTUAL) {
		if (!arena->has_reservoir)
			return GLACIER_ERR_ARGUMENT;
		if (bytes > (uint64_t)arena->reservoir.granules << GLC_GRANULE_SHIFT)
			return GLACIER_ERR_LIMIT;
		return route_reservoir(arena, alignment, route) ? GLACIER_OK : GLACIER_ERR_UNSUPPORTED;
	}
	if (category != GLACIER_CATEGORY_BUDDY && route_slab(arena, bytes, alignment, route) && !up)
		return GLACIER_OK;
	if (route_buddy(arena, bytes, alignment, route) && !up)
		return GLACIER_OK;
	if (route_reservoir(arena, alignment, route) || route->slab || route->buddy)
		return GLACIER_OK;
	return bytes > (uint64_t)GLC_MOST_LEAVES << GLC_LEAF_SHIFT ? GLACIER_ERR_LIMIT : GLACIER_ERR_UNSUPPORTED;
}

static enum glacier_status try_route(struct glacier_arena *arena, struct glc_local *local, const struct route *route,
				     uint64_t requested, glacier_addr *addr)
{
	enum glacier_status status = GLACIER_ERR_NOMEM;

	glc_enter(&local->thread);
	if (route->ring)
		status = from_ring(arena, local, requested, addr);
	if (route->slab)
		status = from_slab(arena, local, requested, route->bin, addr);
	if (status && route->buddy)
		status = from_buddy(arena, local, requested, route->bytes, addr);
	if (status && route->reservoir)
		status = from_reservoir(arena, local, requested, route->bytes, addr);
	glc_leave(&local->thread);
	return status;
}

/* The ring is full: by its policy. True: try again. */
static bool make_room(struct glacier_arena *arena, uint32_t rings, uint64_t tail)
{
	switch (arena->options.full) {
	case GLACIER_FULL_BLOCK:
		glc_ring_expect(arena->rings[0]);
		scavenge(arena);
		glc_ring_wait(arena->rings[0], tail);
		return true;
	case GLACIER_FULL_GROW: return glc_arena_grow(arena, rings);
	default: return false;
	}
}

static void tell_soft(struct glacier_arena *arena)
{
	/* In this order: the budget's line is everybody's. */
	if (arena->options.on_soft && atomic_load_explicit(&arena->budget.crossed, memory_order_relaxed) &&
	    atomic_exchange(&arena->budget.crossed, false))
		arena->options.on_soft(arena->options.user, atomic_load(&arena->budget.reserved));
}

static int counted(const struct route *route)
{
	return route->ring ? GLC_COUNTED_RING : route->slab ? GLC_COUNTED_SLAB : route->buddy ? GLC_COUNTED_BUDDY : GLC_COUNTED_RESERVOIR;
}

static enum glacier_status take(struct glacier_arena *arena, const struct glacier_request *request, glacier_addr *addr)
{
	struct glc_local *local;
	enum glacier_status status;
	struct route route;
	bool flushed = false;

	status = plan_route(arena, request, &route);
	if (status)
		return status;
	local = glc_local(arena);
	if (!local)
		return GLACIER_ERR_NOMEM;
	for (;;) {
		uint32_t rings = atomic_load(&arena->ring_count);
		uint64_t tail = route.ring ? atomic_load(&arena->rings[0]->tail) : 0;

		status = try_route(arena, local, &route, request->bytes, addr);
		if (status != GLACIER_ERR_NOMEM)
			break;
		/* Chunks of other threads may be all that is missing, before anybody waits or grows. */
		if (!flushed) {
			scavenge(arena);
			flushed = true;
			continue;
		}
		if (route.ring && make_room(arena, rings, tail)) {
			flushed = arena->options.full == GLACIER_FULL_GROW;
			continue;
		}
		if (arena->options.on_full && arena->options.on_full(arena->options.user, request->bytes)) {
			flushed = false;
			continue;
		}
		glc_enter(&local->thread);
		glc_add(&local->counts[counted(&route)].failures, 1);
		glc_leave(&local->thread);
		break;
	}
	if (!status && arena->tags && *addr - arena->base < arena->end - arena->base)
		atomic_store_explicit(&arena->tags[(*addr - arena->base) >> GLC_TAG_SHIFT], request->tag, memory_order_relaxed);
	tell_soft(arena);
	return status;
}

enum glacier_status glacier_arena_request(struct glacier_arena *arena, const struct glacier_request *request, glacier_addr *addr)
{
	if (!arena || !request || !addr || atomic_load_explicit(&arena->closed, memory_order_relaxed))
		return GLACIER_ERR_ARGUMENT;
	return take(arena, request, addr);
}

/* A ring alone, of slices that may be freed. */
static bool alloc_slice(struct glacier_arena *arena, uint64_t bytes, glacier_addr *addr)
{
	struct glc_local *local = glc_local(arena);
	enum glacier_status status;

	if (!local || !glc_enter_quick(&local->thread))
		return false;
	status = from_ring(arena, local, bytes, addr);
	glc_leave(&local->thread);
	return !status;
}

/* A slot or a block, by the size alone. */
static bool alloc_in_heap(struct glacier_arena *arena, uint64_t bytes, glacier_addr *addr)
{
	bool slot = bytes - 1 < GLC_MOST_SLOT && arena->options.tier != GLACIER_TIER_BUDDY;
	bool block = arena->options.tier != GLACIER_TIER_SLAB && bytes - 1 < (uint64_t)GLC_MOST_LEAVES << GLC_LEAF_SHIFT;
	struct glc_local *local;
	enum glacier_status status;

	if (!arena->has_heap || arena->tags || (!slot && !block) || bytes > arena->heap.bytes)
		return false;
	local = glc_local(arena);
	if (!local)
		return false;
	glc_enter(&local->thread);
	status = slot ? from_slab(arena, local, bytes, glc_bin_of(&arena->heap, bytes), addr) : from_buddy(arena, local, bytes, bytes, addr);
	glc_leave(&local->thread);
	if (!status)
		tell_soft(arena);
	return !status;
}

/* fit=run: a block of just this length that is at hand. */
static bool alloc_run(struct glacier_arena *arena, struct glc_local *local, uint64_t bytes, glacier_addr *addr)
{
	uint32_t leaves = (uint32_t)((bytes + GLC_LEAF - 1) >> GLC_LEAF_SHIFT);
	unsigned mark = GLC_MARK_BLOCK + glc_order_of(leaves);
	uint64_t unit;
	bool good;

	if (bytes > (uint64_t)GLC_MOST_LEAVES << GLC_LEAF_SHIFT || !glc_enter_quick(&local->thread))
		return false;
	good = glc_buddy_at_hand(&arena->heap, local, leaves, &unit);
	if (good) {
		local->run_bytes += (uint64_t)leaves << GLC_LEAF_SHIFT;
		local->cache[mark].allocs++;
		local->cache[mark].requested += bytes;
		atomic_store_explicit(&arena->heap.marks[unit], (uint8_t)mark, memory_order_relaxed);
		*addr = arena->heap.base + (unit << arena->heap.unit_shift);
	}
	glc_leave(&local->thread);
	return good;
}

/* The range that the thread freed last. */
static bool alloc_range(struct glacier_arena *arena, struct glc_local *local, uint64_t bytes, glacier_addr *addr)
{
	uint64_t count = (bytes >> GLC_GRANULE_SHIFT) + !!(bytes & (GLC_GRANULE - 1));
	bool good;

	if (!glc_enter_quick(&local->thread))
		return false;
	good = glc_hand_take(&arena->reservoir, &local->hand, count, addr);
	if (good)
		count_alloc(local, GLC_COUNTED_RESERVOIR, bytes, count << GLC_GRANULE_SHIFT);
	glc_leave(&local->thread);
	return good;
}

/* What the quick way has not: what else may be at hand, what lies below it, before the whole plan of a request. */
static __attribute__((noinline)) enum glacier_status alloc_slowly(struct glacier_arena *arena, uint64_t bytes, glacier_addr *addr)
{
	struct glacier_request request = {.bytes = bytes};

	if (!arena || !addr || atomic_load_explicit(&arena->closed, memory_order_relaxed))
		return GLACIER_ERR_ARGUMENT;
	if (glc_is_of(glc_last, &arena->threads)) {
		struct glc_local *local = (struct glc_local *)glc_last;

		if (bytes - 1 >= arena->ranges_from) {
			if (alloc_range(arena, local, bytes, addr))
				return GLACIER_OK;
		} else if (bytes - 1 >= arena->runs_from && alloc_run(arena, local, bytes, addr)) {
			return GLACIER_OK;
		}
	}
	if (arena->quick_slices && bytes - 1 < GLC_MOST_SLOT && alloc_slice(arena, bytes, addr))
		return GLACIER_OK;
	return alloc_in_heap(arena, bytes, addr) ? GLACIER_OK : take(arena, &request, addr);
}

static struct glacier_arena *arena_of(struct glc_local *local)
{
	return (struct glacier_arena *)atomic_load_explicit(&local->thread.threads, memory_order_relaxed);
}

/* By the gate, which is closed, or not this wide. */
static __attribute__((noinline)) enum glacier_status alloc_outside(struct glacier_arena *arena, uint64_t bytes, glacier_addr *addr)
{
	glc_leave(glc_last);
	return alloc_slowly(arena, bytes, addr);
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
	return good ? GLACIER_OK : alloc_slowly(arena_of(local), bytes, addr);
}

/* What the thread has at hand needs no more than is done here: the state is found and entered, a piece taken and marked. */
enum glacier_status glacier_arena_alloc(struct glacier_arena *arena, uint64_t bytes, glacier_addr *addr)
{
	struct glc_local *local = (struct glc_local *)glc_last;
	struct glc_thread *thread = &local->thread;
	glacier_addr last;
	unsigned mark;

	if (__builtin_expect(!glc_is_of(thread, (const struct glc_threads *)arena) || !addr, 0))
		return alloc_slowly(arena, bytes, addr);
	glc_enter_by_gate(thread);
	if (__builtin_expect(bytes - 1 >= atomic_load_explicit(&thread->quick_bytes, memory_order_acquire), 0))
		return alloc_outside(arena, bytes, addr);
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

static enum glacier_status free_in_heap(struct glacier_arena *arena, glacier_addr addr)
{
	uint64_t offset = addr - arena->heap.base, unit = offset >> arena->heap.unit_shift;
	struct glc_local *local = glc_local(arena);
	unsigned mark;

	if (!local)
		return GLACIER_ERR_NOMEM;
	if (offset & ((1u << arena->heap.unit_shift) - 1))
		return GLACIER_ERR_INVALID;
	glc_enter(&local->thread);
	mark = glc_mark_at(&arena->heap, offset);
	if (mark)
		glc_cache_free(&arena->heap, local, unit, mark);
	glc_leave(&local->thread);
	return mark ? GLACIER_OK : GLACIER_ERR_INVALID;
}

static enum glacier_status free_in_reservoir(struct glacier_arena *arena, struct glc_local *local, glacier_addr addr)
{
	uint64_t bytes, back = 0;
	enum glacier_status status = GLACIER_OK;

	glc_enter(&local->thread);
	bytes = (uint64_t)glc_hand_keep(&arena->reservoir, &local->hand, addr) << GLC_GRANULE_SHIFT;
	if (!bytes)
		status = glc_reservoir_free(&arena->reservoir, &local->hand, addr, &bytes, &back);
	if (!status)
		count_free(local, GLC_COUNTED_RESERVOIR, bytes);
	glc_leave(&local->thread);
	if (!status && back)
		glc_budget_return(&arena->budget, back);
	return status;
}

static enum glacier_status free_elsewhere(struct glacier_arena *arena, glacier_addr addr)
{
	struct glc_local *local = glc_local(arena);
	struct glc_ring *ring = NULL;
	enum glacier_status status;

	if (!local)
		return GLACIER_ERR_NOMEM;
	if (glc_in_reservoir(arena, addr))
		return free_in_reservoir(arena, local, addr);
	ring = glc_ring_of(arena, addr);
	if (!ring)
		return GLACIER_ERR_INVALID;
	if (ring->by_serial)
		return GLACIER_ERR_UNSUPPORTED;
	glc_enter(&local->thread);
	status = to_ring(local, ring, addr - ring->base);
	glc_leave(&local->thread);
	return status;
}

static __attribute__((noinline)) enum glacier_status free_slowly(struct glacier_arena *arena, glacier_addr addr)
{
	if (!arena || atomic_load_explicit(&arena->closed, memory_order_relaxed))
		return GLACIER_ERR_ARGUMENT;
	if (arena->quick_slices) {
		struct glc_local *local = glc_local(arena);
		uint64_t offset = addr - arena->rings[0]->base;

		if (local && offset < arena->rings[0]->capacity && glc_enter_quick(&local->thread)) {
			enum glacier_status status = to_ring(local, arena->rings[0], offset);

			glc_leave(&local->thread);
			return status;
		}
	}
	return glc_in_heap(arena, addr) ? free_in_heap(arena, addr) : free_elsewhere(arena, addr);
}

/* By the gate, which is closed, or not this wide. */
static __attribute__((noinline)) enum glacier_status free_outside(struct glacier_arena *arena, glacier_addr addr)
{
	glc_leave(glc_last);
	return free_slowly(arena, addr);
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
	return free_slowly(arena_of(local), addr);
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
		return free_slowly(arena, addr);
	offset = addr - thread->base;
	unit = offset >> GLC_UNIT_SHIFT | offset << (64 - GLC_UNIT_SHIFT);
	glc_enter_by_gate(thread);
	if (__builtin_expect(unit >= atomic_load_explicit(&thread->quick_units, memory_order_acquire), 0))
		return free_outside(arena, addr);
	mark = atomic_load_explicit(&thread->marks[unit], memory_order_relaxed);
	if (__builtin_expect(glc_last_mark(thread) || mark - 1 >= thread->quick_marks, 0))
		return free_onto_stack((struct glc_local *)thread, addr, unit);
	return have_last(thread, addr, unit, mark);
}
