/* SPDX-License-Identifier: MIT */
/*
 * What an arena's header promises, case by case: bounds, orders, coalescing, misuse, routing, budgets, out of
 * memory, arenas of odd size, leaks, release. Reports of faults in other allocators are among the cases.
 */
#include "shadow.h"

#include <pthread.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)
#define KIB (UINT64_C(1) << 10)

static struct glacier_arena *make(struct glacier_arena_options options)
{
	struct glacier_arena *arena;
	enum glacier_status status = glacier_arena_create(&options, &arena);

	CHECK(!status, "create: %s", glacier_status_name(status));
	return arena;
}

static enum glacier_status ask(struct glacier_arena *arena, uint64_t bytes, enum glacier_category category, glacier_addr *addr)
{
	return glacier_arena_request(arena, &(struct glacier_request){.bytes = bytes, .category = category}, addr);
}

static uint64_t granted(struct glacier_arena *arena, glacier_addr addr)
{
	struct glacier_allocation found;

	CHECK(!glacier_arena_find(arena, addr, &found), "not found");
	return found.bytes;
}

static void slab(void)
{
	struct glacier_arena *arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_SLAB, .bytes = 64 * MIB});
	glacier_addr addr, many[64];

	for (uint64_t size = 256; size <= 64 * KIB; size *= 2)
		for (int over = -1; over <= 1; over++) {
			uint64_t bytes = size + (uint64_t)over;
			enum glacier_status status = glacier_arena_alloc(arena, bytes, &addr);

			CHECK(status == (bytes > 64 * KIB ? GLACIER_ERR_LIMIT : GLACIER_OK), "%llu bytes", (unsigned long long)bytes);
			if (status)
				continue;
			CHECK(granted(arena, addr) == (over > 0 ? 2 * size : size), "%llu bytes", (unsigned long long)bytes);
			CHECK(addr % (size < 4096 ? size : 4096) == 0, "alignment");
			CHECK(!glacier_arena_free(arena, addr) && glacier_arena_free(arena, addr) == GLACIER_ERR_INVALID, "free, twice");
		}
	CHECK(glacier_arena_alloc(arena, 0, &addr) == GLACIER_ERR_ARGUMENT, "nothing");
	for (int i = 0; i < 64; i++)
		CHECK(!glacier_arena_alloc(arena, 1024, &many[i]), "one of 64");
	for (int i = 0; i < 64; i++)
		CHECK(!glacier_arena_free(arena, many[i]), "free");
	for (int i = 0; i < 64; i++) {
		CHECK(glacier_arena_free(arena, many[i]) == GLACIER_ERR_INVALID, "double");
		CHECK(glacier_arena_free(arena, many[i] + 1) == GLACIER_ERR_INVALID, "misaligned");
		CHECK(glacier_arena_free(arena, many[i] + 3) == GLACIER_ERR_INVALID, "misaligned");
	}
	CHECK(glacier_arena_free(arena, 0) == GLACIER_ERR_INVALID, "null");
	glacier_arena_destroy(arena);
	/* Smaller than a whole slab of the largest bin. */
	arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_SLAB, .bytes = 1 * MIB});
	for (int i = 0; i < 16; i++)
		CHECK(!glacier_arena_alloc(arena, 64 * KIB, &many[i]), "one of 16 that fit");
	CHECK(glacier_arena_alloc(arena, 64 * KIB, &addr) == GLACIER_ERR_NOMEM, "the 17th");
	glacier_arena_destroy(arena);
}

static void buddy_orders(void)
{
	static const struct { uint64_t ask, gives; } rows[] = {
		{1, 128 * KIB}, {128 * KIB, 128 * KIB}, {200 * KIB, 256 * KIB}, {256 * KIB, 256 * KIB}, {512 * KIB, 512 * KIB},
		{1 * MIB, 1 * MIB}, {32 * MIB, 32 * MIB}, {32 * MIB - 1, 32 * MIB}, {16 * MIB + 1, 32 * MIB},
	};
	struct glacier_arena *arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_BUDDY, .bytes = 64 * MIB});
	glacier_addr addr, leaves[512];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		CHECK(!glacier_arena_alloc(arena, rows[i].ask, &addr) && granted(arena, addr) == rows[i].gives, "%llu bytes",
		      (unsigned long long)rows[i].ask);
		CHECK(addr % rows[i].gives == 0, "alignment");
		CHECK(glacier_arena_free(arena, addr + 128 * KIB) == GLACIER_ERR_INVALID, "interior");
		CHECK(glacier_arena_free(arena, addr + 1) == GLACIER_ERR_INVALID, "interior");
		CHECK(!glacier_arena_free(arena, addr) && glacier_arena_free(arena, addr) == GLACIER_ERR_INVALID, "free, twice");
	}
	CHECK(glacier_arena_alloc(arena, 0, &addr) == GLACIER_ERR_ARGUMENT && glacier_arena_alloc(arena, 33 * MIB, &addr) == GLACIER_ERR_LIMIT,
	      "bounds");
	/* Filled leaf by leaf and freed in several orders, two of 32 MiB fit again each time. */
	for (int order = 0; order < 4; order++) {
		for (int i = 0; i < 512; i++)
			CHECK(!glacier_arena_alloc(arena, 128 * KIB, &leaves[i]), "leaf %d", i);
		CHECK(glacier_arena_alloc(arena, 1, &addr) == GLACIER_ERR_NOMEM, "full");
		for (int i = 0; i < 512; i++) {
			int at = order == 0 ? i : order == 1 ? 511 - i : order == 2 ? (i * 2 + i / 256) % 512 : (i * 77) % 512;

			CHECK(!glacier_arena_free(arena, leaves[at]), "free %d", at);
		}
		CHECK(!glacier_arena_alloc(arena, 32 * MIB, &leaves[0]) && !glacier_arena_alloc(arena, 32 * MIB, &leaves[1]), "coalesced");
		CHECK(!glacier_arena_free(arena, leaves[0]) && !glacier_arena_free(arena, leaves[1]), "free");
	}
	glacier_arena_destroy(arena);
}

/* Arenas of one leaf more or less, and one byte: exactly the whole leaves are there. */
static void odd_arenas(void)
{
	static const int64_t over[] = {-(int64_t)(128 * KIB), -1, 0, 1, 128 * KIB, 128 * KIB + 4095};

	for (int fit = 0; fit < 2; fit++)
		for (size_t i = 0; i < sizeof over / sizeof *over; i++)
			for (uint64_t skew = 0; skew < 2; skew++) {
				struct glacier_range range = {.base = 0x100000000 + skew, .bytes = 32 * MIB + (uint64_t)over[i]};
				struct glacier_arena *arena = make((struct glacier_arena_options){
					.tier = GLACIER_TIER_BUDDY, .range = &range, .fit = (enum glacier_fit)fit});
				uint64_t whole = (range.bytes - (skew ? 4095 : 0)) / (128 * KIB), count = 0;
				glacier_addr addr, low = UINT64_MAX, high = 0;

				while (!glacier_arena_alloc(arena, 128 * KIB, &addr)) {
					low = addr < low ? addr : low;
					high = addr > high ? addr : high;
					count++;
				}
				CHECK(count == whole, "%llu leaves, %llu fit", (unsigned long long)count, (unsigned long long)whole);
				CHECK(low >= range.base && high + 128 * KIB <= range.base + range.bytes, "outside");
				glacier_arena_destroy(arena);
			}
}

static unsigned released;

static void on_release(void *user, glacier_addr base, uint64_t bytes)
{
	(void)user, (void)base, (void)bytes;
	released++;
}

/* Called once, whether the arena comes to be or not. */
static void release_once(void)
{
	static const struct { uint64_t base, bytes; enum glacier_status status; } rows[] = {
		{1 << 20, 1 << 26, GLACIER_OK},        {1 << 20, 0, GLACIER_ERR_ARGUMENT},     {1 << 20, 100, GLACIER_ERR_ARGUMENT},
		{UINT64_MAX - 4095, 8192, GLACIER_ERR_ARGUMENT}, {0, UINT64_MAX, GLACIER_ERR_LIMIT}, {0, UINT64_C(1) << 48, GLACIER_ERR_LIMIT},
	};
	struct glacier_arena *arena;

	for (int tier = 0; tier < GLACIER_TIER_COUNT; tier++)
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			struct glacier_range range = {.base = rows[i].base, .bytes = rows[i].bytes, .release = on_release};
			struct glacier_arena_options options = {.tier = (enum glacier_tier)tier, .range = &range};
			enum glacier_status status;

			released = 0;
			status = glacier_arena_create(&options, &arena);
			CHECK(status == rows[i].status, "%s of %llu bytes: %s", glacier_tier_name((enum glacier_tier)tier),
			      (unsigned long long)rows[i].bytes, glacier_status_name(status));
			CHECK(released == (status ? 1 : 0), "released %u times", released);
			if (status)
				continue;
			glacier_arena_close(arena);
			glacier_arena_close(arena);
			CHECK(released == 1, "released %u times", released);
			CHECK(glacier_arena_alloc(arena, 256, &range.base) == GLACIER_ERR_ARGUMENT &&
			      glacier_arena_free(arena, 1 << 20) == GLACIER_ERR_ARGUMENT && glacier_arena_trim(arena) == GLACIER_ERR_ARGUMENT &&
			      glacier_arena_get_stats(arena, &(struct glacier_arena_stats){0}) == GLACIER_ERR_ARGUMENT, "use after close");
			glacier_arena_destroy(arena);
			CHECK(released == 1, "released %u times", released);
		}
	released = 0;
	CHECK(glacier_arena_create(&(struct glacier_arena_options){.range = &(struct glacier_range){.base = 1 << 20, .bytes = 1 << 26, .release = on_release},
								   .ring_bytes = UINT64_MAX - 1}, &arena) == GLACIER_ERR_ARGUMENT &&
	      released == 1, "a ring larger than the range");
}

static uint64_t committed;

static bool on_commit(void *user, glacier_addr base, uint64_t bytes)
{
	CHECK(base % (2 * MIB) == 0 && bytes % (2 * MIB) == 0, "%llx, %llx", (unsigned long long)base, (unsigned long long)bytes);
	committed += bytes;
	return !user;
}

static void on_decommit(void *user, glacier_addr base, uint64_t bytes)
{
	(void)user;
	(void)base;
	committed -= bytes;
}

/* A range whose memory comes and goes by the caller's functions, as the host's does. */
static void commits(void)
{
	struct glacier_range range = {.base = UINT64_C(1) << 50, .bytes = 64 * MIB, .release = on_release, .commit = on_commit};
	struct glacier_arena_options options = {.tier = GLACIER_TIER_RESERVOIR, .range = &range, .keep_bytes = UINT64_MAX};
	struct glacier_arena_stats stats;
	struct glacier_arena *arena;
	glacier_addr a, b;

	released = 0;
	CHECK(glacier_arena_create(&options, &arena) == GLACIER_ERR_ARGUMENT && released == 1, "commit alone");
	range.commit = NULL;
	range.decommit = on_decommit;
	CHECK(glacier_arena_create(&options, &arena) == GLACIER_ERR_ARGUMENT && released == 2, "decommit alone");
	range.commit = on_commit;
	options.tier = GLACIER_TIER_POOL;
	CHECK(glacier_arena_create(&options, &arena) == GLACIER_ERR_ARGUMENT && released == 3, "a pool that commits");
	options.tier = GLACIER_TIER_RESERVOIR;
	arena = make(options);
	CHECK(!committed, "%llu bytes before any allocation", (unsigned long long)committed);
	CHECK(!glacier_arena_alloc(arena, 5 * MIB, &a) && !glacier_arena_alloc(arena, 1, &b) && committed == 8 * MIB, "two allocations");
	CHECK(!glacier_arena_get_stats(arena, &stats) && stats.committed_bytes == 8 * MIB, "statistics");
	CHECK(!glacier_arena_free(arena, a) && committed == 2 * MIB, "a free that keeps nothing");
	glacier_arena_destroy(arena);
	CHECK(released == 4 && committed == 2 * MIB, "the end takes nothing back");
	/* A commit that fails: out of memory, and the addresses are free again. */
	range.user = &range;
	arena = make(options);
	CHECK(glacier_arena_alloc(arena, 64 * MIB, &a) == GLACIER_ERR_NOMEM, "no memory behind it");
	CHECK(!glacier_arena_get_stats(arena, &stats) && stats.largest_free_bytes == 64 * MIB, "all is free");
	glacier_arena_destroy(arena);
}

static void reservoir(void)
{
	struct glacier_arena *arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_RESERVOIR, .bytes = 256 * MIB});
	struct glacier_arena_stats stats;
	glacier_addr a, b, addr;

	CHECK(!glacier_arena_alloc(arena, 64 * MIB, &a) && !glacier_arena_alloc(arena, 32 * MIB, &b), "two");
	glacier_arena_get_stats(arena, &stats);
	CHECK(stats.committed_bytes >= 96 * MIB, "committed");
	memset((void *)(uintptr_t)a, 1, 64 * MIB);
	CHECK(glacier_arena_free(arena, a + 2 * MIB) == GLACIER_ERR_INVALID && glacier_arena_free(arena, a + 1) == GLACIER_ERR_INVALID, "interior");
	CHECK(!glacier_arena_free(arena, a) && !glacier_arena_free(arena, b) && glacier_arena_free(arena, a) == GLACIER_ERR_INVALID, "free");
	/* The range is used again: a watermark would be at its end after four rounds. */
	for (int i = 0; i < 1000; i++)
		CHECK(!glacier_arena_alloc(arena, 64 * MIB, &a) && !glacier_arena_free(arena, a), "round %d", i);
	glacier_arena_trim(arena);
	glacier_arena_get_stats(arena, &stats);
	CHECK(stats.committed_bytes == 0, "%llu bytes are kept after a trim", (unsigned long long)stats.committed_bytes);
	CHECK(!glacier_arena_alloc(arena, 256 * MIB, &a) && glacier_arena_alloc(arena, 1, &addr) == GLACIER_ERR_NOMEM, "all of it");
	CHECK(*(unsigned char *)(uintptr_t)a == 0, "pages that were given back read as zeros");
	CHECK(glacier_arena_alloc(arena, 256 * MIB + 1, &addr) == GLACIER_ERR_LIMIT && glacier_arena_alloc(arena, UINT64_MAX, &addr) ==
	      GLACIER_ERR_LIMIT && glacier_arena_alloc(arena, 0, &addr) == GLACIER_ERR_ARGUMENT, "bounds");
	glacier_arena_destroy(arena);
}

static void pool(void)
{
	struct glacier_arena *arena = make((struct glacier_arena_options){.bytes = 512 * MIB, .reservoir_bytes = 256 * MIB, .ring_bytes = 16 * MIB});
	static const struct { uint64_t bytes; enum glacier_category category; enum glacier_tier tier; } rows[] = {
		{4 * KIB, GLACIER_CATEGORY_AUTO, GLACIER_TIER_SLAB},        {64 * KIB, GLACIER_CATEGORY_AUTO, GLACIER_TIER_SLAB},
		{64 * KIB + 1, GLACIER_CATEGORY_AUTO, GLACIER_TIER_BUDDY},  {1 * MIB, GLACIER_CATEGORY_AUTO, GLACIER_TIER_BUDDY},
		{32 * MIB, GLACIER_CATEGORY_AUTO, GLACIER_TIER_BUDDY},      {32 * MIB + 1, GLACIER_CATEGORY_AUTO, GLACIER_TIER_RESERVOIR},
		{1 * MIB, GLACIER_CATEGORY_SLAB, GLACIER_TIER_BUDDY},       {40 * MIB, GLACIER_CATEGORY_SLAB, GLACIER_TIER_RESERVOIR},
		{100, GLACIER_CATEGORY_BUDDY, GLACIER_TIER_BUDDY},          {40 * MIB, GLACIER_CATEGORY_BUDDY, GLACIER_TIER_RESERVOIR},
		{100, GLACIER_CATEGORY_VIRTUAL, GLACIER_TIER_RESERVOIR},    {100, GLACIER_CATEGORY_SCRATCH, GLACIER_TIER_RING},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct glacier_allocation found;
		struct glacier_arena_stats stats;
		glacier_addr addr;

		CHECK(!ask(arena, rows[i].bytes, rows[i].category, &addr) && !glacier_arena_find(arena, addr, &found) &&
		      found.tier == rows[i].tier, "row %zu", i);
		glacier_arena_get_stats(arena, &stats);
		CHECK(stats.tier[rows[i].tier].live == 1 && stats.tier[GLACIER_TIER_POOL].live == 1, "row %zu", i);
		CHECK(!glacier_arena_free(arena, addr), "row %zu", i);
	}
	glacier_arena_destroy(arena);
}

/* A full tier asks the next, unless told not to. */
static void spill(void)
{
	struct glacier_arena_options options = {.bytes = 8 * MIB, .reservoir_bytes = 4 * MIB};
	struct glacier_arena *arena = make(options);
	struct glacier_allocation found;
	glacier_addr addr, last = 0;
	unsigned count = 0;

	while (!glacier_arena_alloc(arena, 64 * KIB, &addr)) {
		last = addr;
		count++;
	}
	/* 4 MiB of slots, then two granules. */
	CHECK(count == 66 && !glacier_arena_find(arena, last, &found) && found.tier == GLACIER_TIER_RESERVOIR, "%u", count);
	glacier_arena_destroy(arena);
	options.spill = GLACIER_SPILL_NONE;
	arena = make(options);
	for (count = 0; !glacier_arena_alloc(arena, 64 * KIB, &addr); count++)
		;
	CHECK(count == 64, "%u", count);
	glacier_arena_destroy(arena);
}

static void hoard(struct glacier_arena *arena)
{
	glacier_addr addr[8];

	for (int i = 0; i < 8; i++)
		CHECK(!glacier_arena_alloc(arena, 1 * MIB, &addr[i]), "alloc");
	for (int i = 0; i < 8; i++)
		CHECK(!glacier_arena_free(arena, addr[i]), "free");
	CHECK(!glacier_arena_alloc(arena, 100, &addr[0]) && !glacier_arena_free(arena, addr[0]), "a slot");
}

/* What idle threads keep is no reason to be out of memory. */
struct idle {
	struct glacier_arena *arena;
	pthread_barrier_t filled, done;
};

static void *sit(void *argument)
{
	struct idle *idle = argument;

	hoard(idle->arena);
	pthread_barrier_wait(&idle->filled);
	pthread_barrier_wait(&idle->done);
	return NULL;
}

static void hoarders(void)
{
	for (int fit = 0; fit < 2; fit++) {
		struct idle idle = {.arena = make((struct glacier_arena_options){.bytes = 32 * MIB, .fit = (enum glacier_fit)fit})};
		pthread_t threads[3];
		glacier_addr addr;

		pthread_barrier_init(&idle.filled, NULL, 4);
		pthread_barrier_init(&idle.done, NULL, 4);
		for (int i = 0; i < 3; i++)
			CHECK(!pthread_create(&threads[i], NULL, sit, &idle), "no thread");
		pthread_barrier_wait(&idle.filled);
		CHECK(!glacier_arena_alloc(idle.arena, 32 * MIB, &addr), "all of it, while three threads have caches");
		CHECK(!glacier_arena_free(idle.arena, addr), "free");
		pthread_barrier_wait(&idle.done);
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		glacier_arena_destroy(idle.arena);
	}
}

static unsigned soft_calls, full_calls;
static struct { struct glacier_arena *arena; glacier_addr spare; } rescue;

static void on_soft(void *user, uint64_t reserved)
{
	(void)user;
	CHECK(reserved > 16 * MIB, "too early");
	soft_calls++;
}

static bool on_full(void *user, uint64_t bytes)
{
	(void)user, (void)bytes;
	full_calls++;
	if (!rescue.spare)
		return false;
	CHECK(!glacier_arena_free(rescue.arena, rescue.spare), "free inside of the call");
	rescue.spare = 0;
	return true;
}

static void budgets(void)
{
	struct glacier_arena *arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_BUDDY, .bytes = 64 * MIB, .hard_bytes = 32 * MIB,
									  .soft_bytes = 16 * MIB, .on_soft = on_soft, .on_full = on_full});
	struct glacier_arena_stats stats;
	glacier_addr addr;

	rescue.arena = arena;
	CHECK(!glacier_arena_alloc(arena, 16 * MIB, &rescue.spare) && !soft_calls, "as much as is free of notice");
	CHECK(!glacier_arena_alloc(arena, 8 * MIB, &addr) && soft_calls == 1, "crossed once");
	CHECK(!glacier_arena_alloc(arena, 8 * MIB, &addr) && soft_calls == 1, "crossed once");
	CHECK(!glacier_arena_alloc(arena, 1 * MIB, &addr) && full_calls == 1, "the callback made room");
	CHECK(glacier_arena_alloc(arena, 16 * MIB, &addr) == GLACIER_ERR_NOMEM && full_calls == 2, "over the hard budget");
	glacier_arena_get_stats(arena, &stats);
	CHECK(stats.peak_reserved_bytes == 32 * MIB && stats.tier[GLACIER_TIER_BUDDY].failures == 1, "statistics");
	glacier_arena_destroy(arena);
}

static unsigned leaks;
static uint64_t leaked_bytes;
static uint32_t leaked_tags;

static void on_leak(void *user, glacier_addr addr, uint64_t bytes, uint32_t tag)
{
	(void)user, (void)addr;
	leaks++;
	leaked_bytes += bytes;
	leaked_tags ^= tag;
}

static void leak_report(void)
{
	struct glacier_arena *arena = make((struct glacier_arena_options){.bytes = 192 * MIB, .reservoir_bytes = 96 * MIB, .ring_bytes = 8 * MIB,
									  .tags = true, .on_leak = on_leak});
	static const uint64_t sizes[] = {100, 5000, 1 << 20, 33 << 20};
	struct glacier_buffer buffer = {0};
	glacier_addr addr;

	for (uint32_t i = 0; i < 4; i++) {
		CHECK(!glacier_arena_request(arena, &(struct glacier_request){.bytes = sizes[i], .tag = 1u << i}, &addr), "alloc");
		CHECK(!glacier_arena_request(arena, &(struct glacier_request){.bytes = sizes[i], .tag = 99}, &addr) &&
		      !glacier_arena_free(arena, addr), "freed");
	}
	CHECK(!glacier_arena_request(arena, &(struct glacier_request){.bytes = 70, .tag = 16, .category = GLACIER_CATEGORY_SCRATCH}, &addr), "slice");
	CHECK(!glacier_arena_json(arena, true, &buffer) && !glacier_arena_svg(arena, &buffer), "reports");
	CHECK(buffer.size > 1000, "reports");
	glacier_buffer_fini(&buffer);
	glacier_arena_destroy(arena);
	CHECK(leaks == 5 && leaked_tags == 31 && leaked_bytes == 256 + 8192 + (1 << 20) + (34 << 20) + 128, "%u leaks of %llu bytes, tags %x",
	      leaks, (unsigned long long)leaked_bytes, leaked_tags);
}

/* Reports of faults elsewhere, as sequences: sizes, alignments and frees that others accept or refuse wrongly. */
static void reported_elsewhere(void)
{
	struct glacier_range range = {.base = 0, .bytes = 2 * MIB};
	struct glacier_arena *arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_BUDDY, .range = &range, .fit = GLACIER_FIT_RUN});
	glacier_addr addr, first;

	/* Nearly all of an empty arena is one allocation. */
	CHECK(!glacier_arena_alloc(arena, 2 * MIB - 1, &addr) && !glacier_arena_free(arena, addr), "nearly all");
	CHECK(!glacier_arena_alloc(arena, 2 * MIB, &first) && first == 0, "all; address 0 is one like others");
	for (int i = 0; i < 100; i++)
		CHECK(glacier_arena_free(arena, first) == (i ? GLACIER_ERR_INVALID : GLACIER_OK), "a hundred frees");
	CHECK(!glacier_arena_alloc(arena, 2 * MIB, &first) && !glacier_arena_free(arena, first), "the counts are as before");
	CHECK(glacier_arena_request(arena, &(struct glacier_request){.bytes = 5, .alignment = 3}, &addr) == GLACIER_ERR_ARGUMENT, "alignment 3");
	CHECK(glacier_arena_request(arena, &(struct glacier_request){.bytes = 1, .alignment = UINT64_C(1) << 63}, &addr) ==
	      GLACIER_ERR_UNSUPPORTED, "alignment 2^63");
	for (uint64_t bytes = UINT64_MAX; bytes > UINT64_MAX - 300000; bytes -= 4099)
		CHECK(glacier_arena_alloc(arena, bytes, &addr) == GLACIER_ERR_LIMIT, "near 2^64");
	glacier_arena_destroy(arena);
	CHECK(glacier_arena_alloc(NULL, 1, &addr) == GLACIER_ERR_ARGUMENT && glacier_arena_free(NULL, 1) == GLACIER_ERR_ARGUMENT, "no arena");
	glacier_arena_destroy(NULL);
}

int main(void)
{
	slab();
	buddy_orders();
	odd_arenas();
	release_once();
	commits();
	reservoir();
	pool();
	spill();
	hoarders();
	budgets();
	leak_report();
	reported_elsewhere();
	return 0;
}
