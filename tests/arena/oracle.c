/* SPDX-License-Identifier: MIT */
/*
 * oracle [SEEDS [FIRST]] - random calls, one thread, against a shadow of every 64 bytes and a list
 * of what is live: no overlap, alignment, every wrong free refused, statistics equal to the
 * shadow's, everything back at the end. Each tier and both fits. A failure names its seed, and
 * `oracle 1 SEED` repeats it; the step that fails first is found by halving the number of steps.
 */
#include "shadow.h"

#include <string.h>
#include <sys/mman.h>

enum { MOST_LIVE = 600, STEPS = 4000 };

struct one {
	glacier_addr addr;
	uint64_t bytes, granted;
	uint32_t tag;
};

struct world {
	struct glacier_arena *arena;
	struct shadow shadow;
	struct one live[MOST_LIVE];
	size_t count;
	uint64_t state, allocs, frees, granted;
	uint64_t low, high;
	bool pool, ring;
};

static void allocate(struct world *w)
{
	struct glacier_request request = {.bytes = any_size(&w->state, w->low, w->high), .tag = (uint32_t)next(&w->state)};
	struct glacier_allocation found;
	struct one one = {.bytes = request.bytes, .tag = request.tag};
	enum glacier_status status;

	if (w->count == MOST_LIVE)
		return;
	if (next(&w->state) % 8 == 0)
		request.alignment = UINT64_C(1) << next(&w->state) % 13;
	if (w->pool)
		request.category = (enum glacier_category)(next(&w->state) % 5);
	if (w->ring && request.alignment > 64)
		request.alignment = 64;
	status = glacier_arena_request(w->arena, &request, &one.addr);
	if (status) {
		CHECK(status == GLACIER_ERR_NOMEM || status == GLACIER_ERR_LIMIT || status == GLACIER_ERR_UNSUPPORTED, "%s for %llu bytes",
		      glacier_status_name(status), (unsigned long long)request.bytes);
		return;
	}
	CHECK(!request.alignment || one.addr % request.alignment == 0, "0x%llx is not aligned to %llu",
	      (unsigned long long)one.addr, (unsigned long long)request.alignment);
	shadow_take(&w->shadow, one.addr, one.bytes, 1);
	CHECK(!glacier_arena_find(w->arena, one.addr + next(&w->state) % one.bytes, &found) && found.addr == one.addr &&
	      found.bytes >= one.bytes && found.tag == one.tag, "what was given is not found");
	one.granted = found.bytes;
	w->live[w->count++] = one;
	w->allocs++;
	w->granted += one.granted;
}

static void release(struct world *w, size_t i)
{
	struct one one = w->live[i];
	enum glacier_status status;

	shadow_give(&w->shadow, one.addr, one.bytes, 1);
	status = glacier_arena_free(w->arena, one.addr);
	CHECK(!status, "free: %s", glacier_status_name(status));
	w->live[i] = w->live[--w->count];
	w->frees++;
	w->granted -= one.granted;
	CHECK(glacier_arena_free(w->arena, one.addr) == GLACIER_ERR_INVALID, "a second free is taken");
}

/* Addresses that were never given, or lie inside. */
static void misuse(struct world *w)
{
	struct one one = {0};
	glacier_addr addr = w->shadow.base + next(&w->state) % w->shadow.bytes;
	bool begins = false;

	if (w->count) {
		one = w->live[next(&w->state) % w->count];
		CHECK(glacier_arena_free(w->arena, one.addr + 1 + next(&w->state) % (one.bytes > 1 ? one.bytes - 1 : 1)) ==
		      GLACIER_ERR_INVALID, "an interior free is taken");
	}
	for (size_t i = 0; i < w->count; i++)
		begins |= w->live[i].addr == addr;
	CHECK(begins || glacier_arena_free(w->arena, addr) == GLACIER_ERR_INVALID, "a free of 0x%llx is taken", (unsigned long long)addr);
	CHECK(glacier_arena_free(w->arena, w->shadow.base - 1) == GLACIER_ERR_INVALID, "a free before the range is taken");
	CHECK(glacier_arena_free(w->arena, w->shadow.base + w->shadow.bytes) == GLACIER_ERR_INVALID, "a free behind it is taken");
}

static void compare(struct world *w)
{
	struct glacier_arena_stats stats;
	const struct glacier_tier_stats *sum = &stats.tier[GLACIER_TIER_POOL];

	CHECK(!glacier_arena_get_stats(w->arena, &stats), "no statistics");
	CHECK(sum->allocs == w->allocs && sum->frees == w->frees && sum->live == w->count && sum->live_bytes == w->granted,
	      "statistics: %llu, %llu, %llu, %llu; the shadow: %llu, %llu, %zu, %llu", (unsigned long long)sum->allocs,
	      (unsigned long long)sum->frees, (unsigned long long)sum->live, (unsigned long long)sum->live_bytes,
	      (unsigned long long)w->allocs, (unsigned long long)w->frees, w->count, (unsigned long long)w->granted);
}

static void run(uint64_t seed, const struct glacier_arena_options *options, uint64_t low, uint64_t high)
{
	struct world w = {.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .low = low, .high = high,
			  .pool = options->tier == GLACIER_TIER_POOL, .ring = options->tier == GLACIER_TIER_RING};
	enum glacier_status status = glacier_arena_create(options, &w.arena);
	struct glacier_arena_stats stats;
	glacier_addr base;
	uint64_t bytes, first_free, first_largest;

	CHECK(!status, "create: %s", glacier_status_name(status));
	glacier_arena_plan(w.arena, GLACIER_TIER_POOL, &base, &bytes);
	glacier_arena_get_stats(w.arena, &stats);
	first_free = stats.free_bytes;
	first_largest = stats.largest_free_bytes;
	shadow_init(&w.shadow, base, bytes, 64);
	for (int step = 0; step < STEPS; step++) {
		uint64_t what = next(&w.state) % 32;

		if (what < 15)
			allocate(&w);
		else if (what < 28 && w.count)
			release(&w, w.ring && what < 24 ? 0 : next(&w.state) % w.count);
		else if (what < 30)
			misuse(&w);
		else if (what == 31 && next(&w.state) % 16 == 0)
			glacier_arena_trim(w.arena);
		if (step % 500 == 499)
			compare(&w);
	}
	while (w.count)
		release(&w, w.count - 1);
	compare(&w);
	glacier_arena_trim(w.arena);
	glacier_arena_get_stats(w.arena, &stats);
	CHECK(stats.free_bytes == first_free, "%llu bytes are free in the end, and were %llu", (unsigned long long)stats.free_bytes,
	      (unsigned long long)first_free);
	CHECK(stats.largest_free_bytes == first_largest, "%llu bytes are free in one piece, and were %llu",
	      (unsigned long long)stats.largest_free_bytes, (unsigned long long)first_largest);
	glacier_arena_destroy(w.arena);
	shadow_fini(&w.shadow);
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 12, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	enum { BYTES = 80 << 20 };
	/* Nothing may touch it. */
	void *forbidden = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct glacier_range range = {.base = (uintptr_t)forbidden, .bytes = BYTES};

	CHECK(forbidden != MAP_FAILED, "no address space");
	for (uint64_t seed = first; seed < first + seeds; seed++) {
		printf("seed %llu\n", (unsigned long long)seed);
		fflush(stdout);
		for (int sub = 0; sub < 2; sub++)
			for (int fit = 0; fit < 2; fit++) {
				run(seed, &(struct glacier_arena_options){.tier = GLACIER_TIER_SLAB, .range = &range, .tags = true,
									 .sub_bins = sub, .fit = (enum glacier_fit)fit}, 1, 65536);
				run(seed, &(struct glacier_arena_options){
						.tier = GLACIER_TIER_POOL, .range = &range, .tags = true, .sub_bins = sub,
						.fit = (enum glacier_fit)fit, .ring_bytes = 8 << 20, .reservoir_bytes = 32 << 20,
						.chunk_bytes = sub ? 65536 : 0}, 1, 4 << 20);
			}
		for (int fit = 0; fit < 2; fit++)
			run(seed, &(struct glacier_arena_options){.tier = GLACIER_TIER_BUDDY, .range = &range, .tags = true,
								 .fit = (enum glacier_fit)fit, .cache_bytes = seed & 1 ? UINT64_MAX : 0},
			    1, 8 << 20);
		run(seed, &(struct glacier_arena_options){.tier = GLACIER_TIER_RESERVOIR, .range = &range, .tags = true}, 1, 16 << 20);
		run(seed, &(struct glacier_arena_options){.tier = GLACIER_TIER_RING, .range = &range, .tags = true,
							 .chunk_bytes = seed & 1 ? 65536 : 0}, 1, 1 << 20);
	}
	munmap(forbidden, BYTES);
	return 0;
}
