/* SPDX-License-Identifier: MIT */
/* What an arena tells of itself: numbers, each allocation, JSON and a picture. */
#include "arena/arena.h"
#include "base/buf.h"

#include <inttypes.h>

static bool is_closed(struct glacier_arena *arena)
{
	return !arena || atomic_load(&arena->closed);
}

/* --- Statistics ---------------------------------------------------------- */

static const enum glacier_tier tier_of[GLC_COUNTED] = {GLACIER_TIER_SLAB, GLACIER_TIER_BUDDY, GLACIER_TIER_RESERVOIR, GLACIER_TIER_RING};

static void add_counts(struct glacier_arena_stats *stats, struct glc_counts *counts)
{
	for (int i = 0; i < GLC_COUNTED; i++) {
		struct glacier_tier_stats *tier = &stats->tier[tier_of[i]];

		tier->allocs += atomic_load(&counts[i].allocs);
		tier->frees += atomic_load(&counts[i].frees);
		tier->failures += atomic_load(&counts[i].failures);
		tier->requested_bytes += atomic_load(&counts[i].requested);
		tier->live_bytes += atomic_load(&counts[i].granted) - atomic_load(&counts[i].returned);
	}
}

void glc_arena_count_into(struct glacier_arena *arena, struct glc_local *local, struct glc_counts *counts)
{
	for (int i = 0; i < GLC_COUNTED; i++) {
		struct glc_counts *into = &counts[i], *from = &local->counts[i];

		glc_add(&into->allocs, atomic_load(&from->allocs));
		glc_add(&into->frees, atomic_load(&from->frees));
		glc_add(&into->failures, atomic_load(&from->failures));
		glc_add(&into->requested, atomic_load(&from->requested));
		glc_add(&into->granted, atomic_load(&from->granted));
		glc_add(&into->returned, atomic_load(&from->returned));
	}
	if (arena->has_heap)
		glc_cache_count_into(&arena->heap, local, &counts[GLC_COUNTED_SLAB], &counts[GLC_COUNTED_BUDDY]);
}

struct gathering {
	struct glacier_arena *arena;
	struct glacier_arena_stats *stats;
	uint64_t room;               /* counted as reserved, and free again */
};

static void add_thread(void *user, struct glc_thread *thread)
{
	struct gathering *gathering = user;
	struct glc_counts counts[GLC_COUNTED] = {0};

	glc_arena_count_into(gathering->arena, (struct glc_local *)thread, counts);
	add_counts(gathering->stats, counts);
	gathering->room += (uint64_t)((struct glc_local *)thread)->room << GLC_LEAF_SHIFT;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void add_room(struct glacier_arena *arena, struct glacier_arena_stats *stats)
{
	if (arena->has_heap) {
		stats->largest_free_bytes = (uint64_t)glc_leaves_longest(&arena->heap) << GLC_LEAF_SHIFT;
		if (arena->heap.fit == GLACIER_FIT_RUN) {
			pthread_mutex_lock(&arena->heap.run_lock);
			stats->free_bytes += (uint64_t)arena->heap.runs->free_units << GLC_LEAF_SHIFT;
			pthread_mutex_unlock(&arena->heap.run_lock);
		}
		for (uint32_t i = 0; arena->heap.fit == GLACIER_FIT_BUDDY && i < arena->heap.word_count; i++)
			stats->free_bytes += (uint64_t)__builtin_popcountll(atomic_load(&arena->heap.words[i])) << GLC_LEAF_SHIFT;
	}
	if (arena->has_reservoir) {
		struct glc_reservoir *r = &arena->reservoir;

		pthread_mutex_lock(&r->lock);
		stats->free_bytes += (uint64_t)r->runs->free_units << GLC_GRANULE_SHIFT;
		stats->largest_free_bytes = larger(stats->largest_free_bytes, (uint64_t)glc_runs_longest(r->runs) << GLC_GRANULE_SHIFT);
		stats->committed_bytes = r->pages ? (r->live + r->kept) << GLC_GRANULE_SHIFT : 0;
		pthread_mutex_unlock(&r->lock);
	}
}

enum glacier_status glacier_arena_get_stats(struct glacier_arena *arena, struct glacier_arena_stats *stats)
{
	struct gathering gathering = {.arena = arena, .stats = stats};
	struct glacier_tier_stats *sum;

	if (is_closed(arena) || !stats)
		return GLACIER_ERR_ARGUMENT;
	*stats = (struct glacier_arena_stats){0};
	glc_threads_each(&arena->threads, add_thread, &gathering);
	add_counts(stats, arena->gone);
	sum = &stats->tier[GLACIER_TIER_POOL];
	for (int i = 0; i < GLC_COUNTED; i++) {
		struct glacier_tier_stats *tier = &stats->tier[tier_of[i]];
		glacier_addr base;

		glacier_arena_plan(arena, tier_of[i], &base, &tier->capacity_bytes);
		tier->live = tier->allocs - tier->frees;
		/* A slice that is retired by serial is no longer anybody's, and is not counted as it goes. */
		if (tier_of[i] == GLACIER_TIER_RING && arena->has_ring && arena->rings[0]->by_serial) {
			tier->live = 0;
			tier->live_bytes = atomic_load(&arena->rings[0]->head) - atomic_load(&arena->rings[0]->tail);
		}
		sum->allocs += tier->allocs;
		sum->frees += tier->frees;
		sum->failures += tier->failures;
		sum->requested_bytes += tier->requested_bytes;
		sum->live += tier->live;
		sum->live_bytes += tier->live_bytes;
	}
	glacier_arena_plan(arena, GLACIER_TIER_POOL, &(glacier_addr){0}, &sum->capacity_bytes);
	stats->reserved_bytes = atomic_load(&arena->budget.reserved) - gathering.room;
	stats->peak_reserved_bytes = atomic_load(&arena->budget.peak);
	add_room(arena, stats);
	return GLACIER_OK;
}

enum glacier_status glacier_arena_plan(struct glacier_arena *arena, enum glacier_tier tier, glacier_addr *base, uint64_t *bytes)
{
	if (is_closed(arena) || !base || !bytes || (unsigned)tier >= GLACIER_TIER_COUNT)
		return GLACIER_ERR_ARGUMENT;
	*base = 0;
	*bytes = 0;
	if (tier == GLACIER_TIER_POOL) {
		*base = arena->base;
		*bytes = arena->end - arena->base;
	} else if (tier == GLACIER_TIER_RESERVOIR && arena->has_reservoir) {
		*base = arena->reservoir.base;
		*bytes = (uint64_t)arena->reservoir.granules << GLC_GRANULE_SHIFT;
	} else if (tier == GLACIER_TIER_RING && arena->has_ring) {
		*base = arena->rings[0]->base;
		for (uint32_t i = 0, n = atomic_load(&arena->ring_count); i < n; i++)
			*bytes += arena->rings[i]->capacity;
	} else if ((tier == GLACIER_TIER_SLAB || tier == GLACIER_TIER_BUDDY) && arena->has_heap &&
		   (!arena->sole || tier == arena->options.tier)) {
		*base = arena->heap.base;
		*bytes = arena->heap.bytes;
	}
	return GLACIER_OK;
}

/* --- Allocations --------------------------------------------------------- */

static uint32_t tag_at(const struct glacier_arena *arena, glacier_addr addr)
{
	if (!arena->tags || addr - arena->base >= arena->end - arena->base)
		return 0;
	return atomic_load_explicit(&arena->tags[(addr - arena->base) >> GLC_TAG_SHIFT], memory_order_relaxed);
}

static struct glacier_allocation allocation(const struct glacier_arena *arena, enum glacier_tier tier, glacier_addr addr, uint64_t bytes)
{
	return (struct glacier_allocation){.addr = addr, .bytes = bytes, .tier = tier, .tag = tag_at(arena, addr)};
}

static bool find_in_heap(struct glacier_arena *arena, glacier_addr addr, struct glacier_allocation *found)
{
	struct glc_heap *heap = &arena->heap;
	uint64_t offset = addr - heap->base, at;
	uint32_t leaf = (uint32_t)(offset >> GLC_LEAF_SHIFT);
	unsigned entry = atomic_load(&heap->map[leaf]), bit;

	if (entry & GLC_MAP_SLAB) {
		struct glc_slots *slots = glc_slot_at(heap, offset, entry, &bit, &at);

		if (!slots || !glc_mark_at(heap, at))
			return false;
		*found = allocation(arena, GLACIER_TIER_SLAB, heap->base + at, glc_bin_kinds[entry & GLC_MAP_BIN].slot_bytes);
		return offset - at < found->bytes;
	}
	for (uint32_t back = 0; back < GLC_MOST_LEAVES && back <= leaf; back++) {
		entry = atomic_load(&heap->map[leaf - back]);
		if (!entry)
			continue;
		if (entry & GLC_MAP_SLAB || entry <= back || !glc_mark_at(heap, (uint64_t)(leaf - back) << GLC_LEAF_SHIFT))
			return false;
		*found = allocation(arena, GLACIER_TIER_BUDDY, heap->base + ((uint64_t)(leaf - back) << GLC_LEAF_SHIFT),
				    (uint64_t)entry << GLC_LEAF_SHIFT);
		return true;
	}
	return false;
}

static bool find_in_ring(struct glacier_arena *arena, struct glc_ring *ring, glacier_addr addr, struct glacier_allocation *found)
{
	uint64_t unit = (addr - ring->base) / GLC_UNIT;

	if (ring->by_serial)
		return false;
	for (uint64_t at = unit;; at--) {
		uint32_t units = atomic_load(&ring->units[at]);

		if (units) {
			*found = allocation(arena, GLACIER_TIER_RING, ring->base + at * GLC_UNIT, (uint64_t)units * GLC_UNIT);
			return units > unit - at;
		}
		if (!at)
			return false;
	}
}

enum glacier_status glacier_arena_find(struct glacier_arena *arena, glacier_addr addr, struct glacier_allocation *found)
{
	struct glc_ring *ring;
	bool there = false;

	if (is_closed(arena) || !found)
		return GLACIER_ERR_ARGUMENT;
	if (glc_in_heap(arena, addr)) {
		there = find_in_heap(arena, addr, found);
	} else if (glc_in_reservoir(arena, addr)) {
		glacier_addr first;
		uint64_t bytes;

		there = glc_reservoir_find(&arena->reservoir, addr, &first, &bytes);
		*found = allocation(arena, GLACIER_TIER_RESERVOIR, first, bytes);
	} else if ((ring = glc_ring_of(arena, addr))) {
		there = find_in_ring(arena, ring, addr, found);
	}
	return there ? GLACIER_OK : GLACIER_ERR_INVALID;
}

typedef void each_fn(void *user, const struct glacier_allocation *allocation);

static void walk_slab(struct glacier_arena *arena, uint32_t leaf, unsigned entry, each_fn *each, void *user)
{
	const struct glc_bin_kind *kind = &glc_bin_kinds[entry & GLC_MAP_BIN];
	struct glc_slots *slots = &arena->heap.slots[(uint64_t)leaf * GLC_SLAB_WORDS];
	uint32_t count = ((uint32_t)slots->leaves << GLC_LEAF_SHIFT) / kind->slot_bytes;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = ((uint64_t)leaf << GLC_LEAF_SHIFT) + (uint64_t)i * kind->slot_bytes;
		struct glacier_allocation one;

		if (!glc_mark_at(&arena->heap, at))
			continue;
		one = allocation(arena, GLACIER_TIER_SLAB, arena->heap.base + at, kind->slot_bytes);
		each(user, &one);
	}
}

static void walk_heap(struct glacier_arena *arena, each_fn *each, void *user)
{
	struct glc_heap *heap = &arena->heap;

	for (uint32_t leaf = 0; leaf < heap->leaves;) {
		unsigned entry = atomic_load(&heap->map[leaf]);

		if (entry & GLC_MAP_SLAB) {
			walk_slab(arena, leaf, entry, each, user);
			leaf += heap->slots[(uint64_t)leaf * GLC_SLAB_WORDS].leaves;
		} else if (entry) {
			struct glacier_allocation one = allocation(arena, GLACIER_TIER_BUDDY,
								   heap->base + ((uint64_t)leaf << GLC_LEAF_SHIFT),
								   (uint64_t)entry << GLC_LEAF_SHIFT);

			if (glc_mark_at(heap, (uint64_t)leaf << GLC_LEAF_SHIFT))
				each(user, &one);
			leaf += entry;
		} else {
			leaf++;
		}
	}
}

enum glacier_status glacier_arena_walk(struct glacier_arena *arena, each_fn *each, void *user)
{
	if (is_closed(arena) || !each)
		return GLACIER_ERR_ARGUMENT;
	if (arena->has_heap)
		walk_heap(arena, each, user);
	for (uint32_t at = 0; arena->has_reservoir && at < arena->reservoir.granules;) {
		uint32_t held = glc_length_at(&arena->reservoir, at), length = held & ~GLC_HELD;
		struct glacier_allocation one = allocation(arena, GLACIER_TIER_RESERVOIR,
							   arena->reservoir.base + ((uint64_t)at << GLC_GRANULE_SHIFT),
							   (uint64_t)length << GLC_GRANULE_SHIFT);

		if (length && held == length)
			each(user, &one);
		at += length ? length : 1;
	}
	for (uint32_t i = 0, n = atomic_load(&arena->ring_count); i < n; i++) {
		struct glc_ring *ring = arena->rings[i];

		for (uint64_t at = 0; !ring->by_serial && at < ring->capacity / GLC_UNIT;) {
			uint32_t units = atomic_load(&ring->units[at]);
			struct glacier_allocation one = allocation(arena, GLACIER_TIER_RING, ring->base + at * GLC_UNIT,
								   (uint64_t)units * GLC_UNIT);

			if (units)
				each(user, &one);
			at += units ? units : 1;
		}
	}
	return GLACIER_OK;
}

/* --- JSON ---------------------------------------------------------------- */

struct json {
	struct glc_writer writer;
	bool comma;
};

static void json_allocation(void *user, const struct glacier_allocation *one)
{
	struct json *json = user;

	glc_printf(&json->writer, "%s\n{\"addr\":\"0x%" PRIx64 "\",\"bytes\":%" PRIu64 ",\"tier\":\"%s\",\"tag\":%" PRIu32 "}",
		   json->comma ? "," : "", one->addr, one->bytes, glacier_tier_name(one->tier), one->tag);
	json->comma = true;
}

enum glacier_status glacier_arena_json(struct glacier_arena *arena, bool allocations, struct glacier_buffer *buffer)
{
	struct glacier_arena_stats stats;
	struct json json = {.comma = false};
	enum glacier_status status = buffer ? glacier_arena_get_stats(arena, &stats) : GLACIER_ERR_ARGUMENT;

	if (status)
		return status;
	glc_writer_begin(&json.writer, buffer);
	glc_printf(&json.writer, "{\"schema\":\"glacier-arena\",\"tier\":\"%s\",\"reserved_bytes\":%" PRIu64
		   ",\"peak_reserved_bytes\":%" PRIu64 ",\"free_bytes\":%" PRIu64 ",\"largest_free_bytes\":%" PRIu64
		   ",\"committed_bytes\":%" PRIu64 ",\n\"tiers\":[",
		   glacier_tier_name(arena->options.tier), stats.reserved_bytes, stats.peak_reserved_bytes, stats.free_bytes,
		   stats.largest_free_bytes, stats.committed_bytes);
	for (int i = 0, n = 0; i < GLACIER_TIER_COUNT; i++) {
		const struct glacier_tier_stats *t = &stats.tier[i];

		if (!t->capacity_bytes)
			continue;
		glc_printf(&json.writer, "%s\n{\"tier\":\"%s\",\"capacity_bytes\":%" PRIu64 ",\"allocs\":%" PRIu64 ",\"frees\":%" PRIu64
			   ",\"failures\":%" PRIu64 ",\"requested_bytes\":%" PRIu64 ",\"live\":%" PRIu64 ",\"live_bytes\":%" PRIu64 "}",
			   n++ ? "," : "", glacier_tier_name((enum glacier_tier)i), t->capacity_bytes, t->allocs, t->frees, t->failures,
			   t->requested_bytes, t->live, t->live_bytes);
	}
	glc_puts(&json.writer, "]");
	if (allocations) {
		glc_puts(&json.writer, ",\n\"allocations\":[");
		glacier_arena_walk(arena, json_allocation, &json);
		glc_puts(&json.writer, "]");
	}
	glc_puts(&json.writer, "}\n");
	return glc_writer_end(&json.writer) ? GLACIER_OK : GLACIER_ERR_NOMEM;
}

/* --- A picture ----------------------------------------------------------- */

enum { ROWS = 64, WIDTH = 1024, ROW_HEIGHT = 8 };

struct picture {
	struct glc_writer writer;
	struct glacier_arena *arena;
};

/* An allocation as one rectangle for each row that it touches. Coordinates in thousandths keep the small ones. */
static void draw(void *user, const struct glacier_allocation *one)
{
	static const char colors[GLACIER_TIER_COUNT][8] = {
		[GLACIER_TIER_POOL] = "#cccccc", [GLACIER_TIER_SLAB] = "#4e79a7", [GLACIER_TIER_BUDDY] = "#59a14f",
		[GLACIER_TIER_RESERVOIR] = "#f28e2b", [GLACIER_TIER_RING] = "#e15759",
	};
	struct picture *picture = user;
	struct glacier_arena *arena = picture->arena;
	uint64_t bytes = arena->end - arena->base, row_bytes = (bytes + ROWS - 1) / ROWS, at = one->addr - arena->base;
	uint64_t end = at + one->bytes;

	if (at >= bytes)
		return;   /* in a ring that has grown */
	while (at < end) {
		uint64_t row = at / row_bytes, stop = (row + 1) * row_bytes < end ? (row + 1) * row_bytes : end;
		uint64_t left = (uint64_t)((unsigned __int128)(at - row * row_bytes) * WIDTH * 1000 / row_bytes);
		uint64_t wide = (uint64_t)((unsigned __int128)(stop - at) * WIDTH * 1000 / row_bytes);

		glc_printf(&picture->writer, "<rect x=\"%" PRIu64 ".%03u\" y=\"%" PRIu64 "\" width=\"%" PRIu64 ".%03u\" height=\"%d\" "
			   "fill=\"%s\"><title>0x%" PRIx64 ", %" PRIu64 " bytes, tag %" PRIu32 "</title></rect>\n",
			   left / 1000, (unsigned)(left % 1000), row * ROW_HEIGHT, wide / 1000, (unsigned)(wide % 1000), ROW_HEIGHT - 1,
			   colors[one->tier], one->addr, one->bytes, one->tag);
		at = stop;
	}
}

enum glacier_status glacier_arena_svg(struct glacier_arena *arena, struct glacier_buffer *buffer)
{
	struct picture picture = {.arena = arena};

	if (is_closed(arena) || !buffer)
		return GLACIER_ERR_ARGUMENT;
	glc_writer_begin(&picture.writer, buffer);
	glc_printf(&picture.writer, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n"
		   "<rect width=\"%d\" height=\"%d\" fill=\"#eeeeee\"/>\n", WIDTH, ROWS * ROW_HEIGHT, WIDTH, ROWS * ROW_HEIGHT);
	glacier_arena_walk(arena, draw, &picture);
	glc_puts(&picture.writer, "</svg>\n");
	return glc_writer_end(&picture.writer) ? GLACIER_OK : GLACIER_ERR_NOMEM;
}
