/* SPDX-License-Identifier: MIT */
/* Requests taken to a tier and back, and what is done before a request is refused. */
#include "arena/arena.h"
#include "arena/slices.h"

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
		glc_count_alloc(local, GLC_COUNTED_RESERVOIR, requested, granted);
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
	glc_count_alloc(local, GLC_COUNTED_RESERVOIR, requested, granted);
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
		status = glc_slice_take(arena, local, requested, addr);
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

/* What the quick ways have not: what lies below them, before the whole plan of a request. */
enum glacier_status glc_alloc_slowly(struct glacier_arena *arena, uint64_t bytes, glacier_addr *addr)
{
	struct glacier_request request = {.bytes = bytes};

	if (!arena || !addr || atomic_load_explicit(&arena->closed, memory_order_relaxed))
		return GLACIER_ERR_ARGUMENT;
	return alloc_in_heap(arena, bytes, addr) ? GLACIER_OK : take(arena, &request, addr);
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
		glc_count_free(local, GLC_COUNTED_RESERVOIR, bytes);
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
	status = glc_slice_give(local, ring, addr - ring->base);
	glc_leave(&local->thread);
	return status;
}

enum glacier_status glc_free_slowly(struct glacier_arena *arena, glacier_addr addr)
{
	if (!arena || atomic_load_explicit(&arena->closed, memory_order_relaxed))
		return GLACIER_ERR_ARGUMENT;
	return glc_in_heap(arena, addr) ? free_in_heap(arena, addr) : free_elsewhere(arena, addr);
}
