/* SPDX-License-Identifier: MIT */
/* Arenas made and unmade: the range divided among the tiers. */
#include "arena/arena.h"

#include "arena/space.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { DEFAULT_SEGMENTS = 32, MOST_SEGMENTS = 1024, PAGE = 4096 };

static const char names[GLACIER_TIER_COUNT][12] = {
	[GLACIER_TIER_POOL] = "pool",           [GLACIER_TIER_SLAB] = "slab", [GLACIER_TIER_BUDDY] = "buddy",
	[GLACIER_TIER_RESERVOIR] = "reservoir", [GLACIER_TIER_RING] = "ring",
};

const char *glacier_tier_name(enum glacier_tier tier)
{
	return (unsigned)tier < GLACIER_TIER_COUNT ? names[tier] : NULL;
}

/* How a range is cut. Each tier's bytes are whole units of its own. */
struct plan {
	glacier_addr base;
	uint64_t heap, reservoir, ring;
	uint32_t segments;
};

static bool good_options(const struct glacier_arena_options *o)
{
	bool ring = o->tier == GLACIER_TIER_RING || o->ring_bytes;

	return (unsigned)o->tier < GLACIER_TIER_COUNT && (unsigned)o->fit <= GLACIER_FIT_RUN &&
	       (unsigned)o->spill <= GLACIER_SPILL_NONE && (unsigned)o->reclaim <= GLACIER_RECLAIM_SERIAL &&
	       (unsigned)o->full <= GLACIER_FULL_GROW && (!o->segments || (o->segments >= 2 && o->segments <= MOST_SEGMENTS)) &&
	       (o->tier == GLACIER_TIER_POOL || !(o->ring_bytes | o->reservoir_bytes)) &&
	       !(o->chunk_bytes && (o->reclaim == GLACIER_RECLAIM_SERIAL || !ring)) &&
	       !(o->full == GLACIER_FULL_GROW && (o->range || o->reclaim == GLACIER_RECLAIM_SERIAL)) &&
	       !(o->populate && o->range) &&
	       !(o->range && !o->range->commit != !o->range->decommit) &&
	       !(o->range && o->range->commit && o->tier != GLACIER_TIER_RESERVOIR);
}

static enum glacier_status cut(const struct glacier_arena_options *o, glacier_addr base, uint64_t bytes, struct plan *plan)
{
	uint64_t unit = o->tier == GLACIER_TIER_RING ? GLC_UNIT : PAGE, skip = -base & (unit - 1), ring_unit;

	if (bytes >> 48)
		return GLACIER_ERR_LIMIT;
	if (bytes <= skip || base + bytes < base)
		return GLACIER_ERR_ARGUMENT;
	bytes -= skip;
	*plan = (struct plan){.base = base + skip, .segments = o->segments ? o->segments : DEFAULT_SEGMENTS};
	ring_unit = (uint64_t)plan->segments * GLC_UNIT;
	switch (o->tier) {
	case GLACIER_TIER_RING: plan->ring = bytes / ring_unit * ring_unit; break;
	case GLACIER_TIER_RESERVOIR: plan->reservoir = bytes & ~(uint64_t)(GLC_GRANULE - 1); break;
	case GLACIER_TIER_POOL:
		plan->ring = o->ring_bytes / ring_unit * ring_unit;
		plan->reservoir = o->reservoir_bytes & ~(uint64_t)(GLC_GRANULE - 1);
		if (o->ring_bytes > bytes || o->reservoir_bytes > bytes - o->ring_bytes || (o->ring_bytes && !plan->ring) ||
		    (o->reservoir_bytes && !plan->reservoir))
			return GLACIER_ERR_ARGUMENT;
		bytes -= plan->ring + plan->reservoir;
		/* fall through */
	default: plan->heap = bytes & ~(uint64_t)(GLC_LEAF - 1);
	}
	if (!plan->heap && o->tier != GLACIER_TIER_RING && o->tier != GLACIER_TIER_RESERVOIR)
		return GLACIER_ERR_ARGUMENT;
	return plan->heap | plan->reservoir | plan->ring ? GLACIER_OK : GLACIER_ERR_ARGUMENT;
}

static uint64_t default_bytes(const struct glacier_arena_options *o)
{
	if (o->bytes)
		return o->bytes;
	if (o->tier == GLACIER_TIER_POOL)
		return (UINT64_C(1) << 30) + o->reservoir_bytes + o->ring_bytes;
	return o->tier == GLACIER_TIER_RESERVOIR ? UINT64_C(4) << 30 : UINT64_C(64) << 20;
}

/* What lies before the reservoir, and behind it, is usable at once. */
static bool reserve(struct glacier_arena *arena, const struct plan *plan)
{
	uint64_t bytes = plan->heap + plan->reservoir + plan->ring;

	arena->host = glc_reserve(bytes, false, arena->options.huge_pages);
	arena->host_bytes = bytes;
	if (!arena->host)
		return false;
	return (!plan->heap || glc_commit(arena->host, plan->heap, false)) &&
	       (!plan->ring || glc_commit((char *)arena->host + plan->heap + plan->reservoir, plan->ring, false));
}

static enum glacier_status add_ring(struct glacier_arena *arena, glacier_addr base, uint64_t bytes, uint32_t segments)
{
	uint32_t count = atomic_load(&arena->ring_count);
	struct glc_ring *ring = aligned_alloc(2 * GLC_LINE, sizeof *ring);
	enum glacier_status status;

	if (!ring)
		return GLACIER_ERR_NOMEM;
	memset(ring, 0, sizeof *ring);
	status = glc_ring_init(ring, base, bytes, segments, arena->options.reclaim == GLACIER_RECLAIM_SERIAL);
	if (status) {
		glc_ring_fini(ring);
		free(ring);
		return status;
	}
	arena->rings[count] = ring;
	atomic_store(&arena->ring_count, count + 1);
	return GLACIER_OK;
}

static enum glacier_status init(struct glacier_arena *arena, const struct plan *plan)
{
	const struct glacier_arena_options *o = &arena->options;
	glacier_addr base = plan->base;
	enum glacier_status status = GLACIER_OK;

	if (!o->range) {
		if (!reserve(arena, plan))
			return GLACIER_ERR_NOMEM;
		base = (uintptr_t)arena->host;
	}
	arena->base = base;
	arena->end = base + plan->heap + plan->reservoir + plan->ring;
	arena->align = base ? base & -base : UINT64_C(1) << 63;
	arena->has_heap = plan->heap;
	arena->has_reservoir = plan->reservoir;
	arena->has_ring = plan->ring;
	arena->sole = o->tier != GLACIER_TIER_POOL;
	arena->quick_slices = o->tier == GLACIER_TIER_RING && o->reclaim == GLACIER_RECLAIM_FREE && !o->tags;
	/* Tags are written the long way. */
	arena->runs_from = arena->ranges_from = UINT64_MAX;
	if (!o->tags && plan->heap && o->fit == GLACIER_FIT_RUN && o->tier != GLACIER_TIER_SLAB)
		arena->runs_from = arena->sole ? 0 : GLC_MOST_SLOT;
	if (!o->tags && plan->reservoir)
		arena->ranges_from = arena->sole ? 0 : (uint64_t)GLC_MOST_LEAVES << GLC_LEAF_SHIFT;
	arena->budget.hard = o->hard_bytes;
	arena->budget.soft = o->soft_bytes;
	if (plan->heap)
		status = glc_heap_init(&arena->heap, base, plan->heap, o, &arena->budget);
	if (!status && plan->reservoir)
		status = glc_reservoir_init(&arena->reservoir, base + plan->heap, plan->reservoir, !o->range, o);
	if (!status && plan->ring)
		status = add_ring(arena, base + plan->heap + plan->reservoir, plan->ring, plan->segments);
	if (!status && plan->ring) {
		status = glc_budget_take(&arena->budget, plan->ring) ? GLACIER_OK : GLACIER_ERR_ARGUMENT;
		glc_budget_keep(&arena->budget);
	}
	if (!status && o->tags) {
		arena->tag_bytes = ((arena->end - base) >> GLC_TAG_SHIFT) * sizeof *arena->tags;
		arena->tags = glc_table(arena->tag_bytes);
		status = arena->tags ? GLACIER_OK : GLACIER_ERR_NOMEM;
	}
	return status;
}

static void release_range(const struct glacier_range *range)
{
	if (range && range->release)
		range->release(range->user, range->base, range->bytes);
}

static void fini(struct glacier_arena *arena)
{
	uint32_t rings = atomic_load(&arena->ring_count);

	glc_heap_fini(&arena->heap);
	glc_reservoir_fini(&arena->reservoir);
	for (uint32_t i = 0; i < rings; i++) {
		if (i)
			glc_unreserve((void *)(uintptr_t)arena->rings[i]->base, arena->rings[i]->capacity);
		glc_ring_fini(arena->rings[i]);
		free(arena->rings[i]);
	}
	if (arena->tags)
		munmap(arena->tags, arena->tag_bytes);
	if (arena->host)
		glc_unreserve(arena->host, arena->host_bytes);
}

enum glacier_status glacier_arena_create(const struct glacier_arena_options *options, struct glacier_arena **out)
{
	size_t bytes = (sizeof(struct glacier_arena) + 2 * GLC_LINE - 1) & ~(size_t)(2 * GLC_LINE - 1);
	enum glacier_status status = GLACIER_ERR_ARGUMENT;
	struct glacier_arena *arena = NULL;
	const struct glacier_range *range;
	struct plan plan;

	if (!options)
		return status;
	range = options->range;
	if (good_options(options) && out)
		status = cut(options, range ? range->base : 0, range ? range->bytes : default_bytes(options), &plan);
	if (!status) {
		arena = aligned_alloc(2 * GLC_LINE, bytes);
		status = arena ? GLACIER_OK : GLACIER_ERR_NOMEM;
	}
	if (!status) {
		memset(arena, 0, bytes);
		arena->options = *options;
		status = init(arena, &plan);
		if (status)
			fini(arena);
	}
	if (status) {
		free(arena);
		release_range(range);
		return status;
	}
	if (range) {
		/* The caller's structure need not outlive the call. */
		struct glacier_range *kept = malloc(sizeof *kept);

		if (!kept) {
			fini(arena);
			free(arena);
			release_range(range);
			return GLACIER_ERR_NOMEM;
		}
		*kept = *range;
		arena->options.range = kept;
	}
	pthread_mutex_init(&arena->grow_lock, NULL);
	glc_threads_init(&arena->threads, sizeof(struct glc_local), glc_arena_make, glc_arena_drain, arena);
	*out = arena;
	return GLACIER_OK;
}

static void leak(void *user, const struct glacier_allocation *allocation)
{
	struct glacier_arena *arena = user;

	arena->options.on_leak(arena->options.user, allocation->addr, allocation->bytes, allocation->tag);
}

void glacier_arena_close(struct glacier_arena *arena)
{
	if (!arena || atomic_load(&arena->closed))
		return;
	if (arena->options.on_leak)
		glacier_arena_walk(arena, leak, arena);
	atomic_store(&arena->closed, true);
	glc_threads_fini(&arena->threads);
	fini(arena);
	release_range(arena->options.range);
	free((void *)arena->options.range);
	arena->options.range = NULL;
}

void glacier_arena_destroy(struct glacier_arena *arena)
{
	glacier_arena_close(arena);
	free(arena);
}

/* --- Rings that grow ----------------------------------------------------- */

bool glc_arena_grow(struct glacier_arena *arena, uint32_t seen)
{
	uint32_t count;
	bool good = true;

	pthread_mutex_lock(&arena->grow_lock);
	count = atomic_load(&arena->ring_count);
	if (count == seen) {
		struct glc_ring *last = arena->rings[count - 1];
		uint32_t segments = (uint32_t)(last->capacity / last->segment_bytes);
		uint64_t bytes = 2 * last->capacity;
		void *at = NULL;

		good = count < GLC_MOST_RINGS && glc_budget_take(&arena->budget, bytes);
		if (good) {
			at = glc_reserve(bytes, true, false);
			good = at && add_ring(arena, (uintptr_t)at, bytes, segments) == GLACIER_OK;
			if (good)
				glc_budget_keep(&arena->budget);
			else
				glc_budget_return(&arena->budget, bytes);
			if (!good && at)
				glc_unreserve(at, bytes);
		}
	}
	pthread_mutex_unlock(&arena->grow_lock);
	return good;
}

struct glc_ring *glc_ring_of(struct glacier_arena *arena, glacier_addr addr)
{
	uint32_t count = atomic_load_explicit(&arena->ring_count, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++)
		if (addr - arena->rings[i]->base < arena->rings[i]->capacity)
			return arena->rings[i];
	return NULL;
}
