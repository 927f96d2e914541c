/* SPDX-License-Identifier: MIT */
/*
 * What a thread has at hand, range or run: it is nobody's for all that ask or free, it counts as kept, it goes to who
 * needs it, and only a request of its own length gets it. And a state that outlives its arena is nobody's.
 */
#include "shadow.h"

#include <pthread.h>

#define MIB (UINT64_C(1) << 20)
#define KIB (UINT64_C(1) << 10)

static struct glacier_arena *make(struct glacier_arena_options options)
{
	struct glacier_arena *arena;

	CHECK(!glacier_arena_create(&options, &arena), "create");
	return arena;
}

static struct glacier_arena_stats stats_of(struct glacier_arena *arena)
{
	struct glacier_arena_stats stats;

	CHECK(!glacier_arena_get_stats(arena, &stats), "statistics");
	return stats;
}

static glacier_addr take(struct glacier_arena *arena, uint64_t bytes)
{
	glacier_addr addr;

	CHECK(!glacier_arena_alloc(arena, bytes, &addr), "%llu bytes", (unsigned long long)bytes);
	return addr;
}

static void count(void *user, const struct glacier_allocation *allocation)
{
	(void)allocation;
	++*(unsigned *)user;
}

/* Nobody has it: a free by any thread is refused, and nothing finds it. */
static void is_nobodys(struct glacier_arena *arena, glacier_addr addr)
{
	struct glacier_allocation found;
	unsigned seen = 0;

	CHECK(glacier_arena_free(arena, addr) == GLACIER_ERR_INVALID, "a second free");
	CHECK(glacier_arena_find(arena, addr, &found) == GLACIER_ERR_INVALID, "it is found");
	CHECK(!glacier_arena_walk(arena, count, &seen) && !seen, "it is walked over");
	CHECK(stats_of(arena).tier[GLACIER_TIER_POOL].live == 0, "it is counted");
}

struct elsewhere {
	struct glacier_arena *arena;
	glacier_addr addr;
	uint64_t bytes;
};

static void *free_again(void *argument)
{
	struct elsewhere *e = argument;

	is_nobodys(e->arena, e->addr);
	/* All of it, though another thread holds a part. */
	e->addr = take(e->arena, e->bytes);
	return NULL;
}

/* By another thread, which then takes the whole arena. */
static void by_another(struct glacier_arena *arena, glacier_addr addr, uint64_t all)
{
	struct elsewhere e = {arena, addr, all};
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, free_again, &e) && !pthread_join(thread, NULL), "a thread");
	CHECK(!glacier_arena_free(arena, e.addr), "free what another took");
}

static void ranges(void)
{
	struct glacier_arena *arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_RESERVOIR, .bytes = 128 * MIB});
	glacier_addr a = take(arena, 64 * MIB), b;

	CHECK(!glacier_arena_free(arena, a), "free");
	is_nobodys(arena, a);
	CHECK(glacier_arena_free(arena, a + 2 * MIB) == GLACIER_ERR_INVALID, "interior");
	CHECK(stats_of(arena).reserved_bytes == 64 * MIB && stats_of(arena).committed_bytes == 64 * MIB, "it is kept");
	CHECK(take(arena, 64 * MIB - 1) == a, "its own length gets it");
	b = take(arena, 2 * MIB);
	CHECK(b != a, "another range");
	CHECK(!glacier_arena_free(arena, a) && !glacier_arena_free(arena, b), "free");
	CHECK(stats_of(arena).reserved_bytes == 2 * MIB, "one range is at hand, the last");
	CHECK(take(arena, 2 * MIB) == b && !glacier_arena_free(arena, b), "that one");
	is_nobodys(arena, a);
	is_nobodys(arena, b);
	by_another(arena, b, 128 * MIB);
	CHECK(!glacier_arena_trim(arena) && stats_of(arena).reserved_bytes == 0 && stats_of(arena).committed_bytes == 0, "a trim takes all");
	glacier_arena_destroy(arena);
}

/* What is in hands is part of what may be kept. */
static void kept(void)
{
	struct glacier_arena *arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_RESERVOIR, .bytes = 128 * MIB, .keep_bytes = 8 * MIB});
	glacier_addr a[8];

	for (int i = 0; i < 8; i++)
		a[i] = take(arena, 4 * MIB);
	for (int i = 0; i < 8; i++) {
		CHECK(!glacier_arena_free(arena, a[i]), "free");
		CHECK(stats_of(arena).committed_bytes <= (uint64_t)(7 - i) * 4 * MIB + 8 * MIB, "more is kept than may be");
	}
	CHECK(!glacier_arena_free(arena, take(arena, 12 * MIB)) && stats_of(arena).committed_bytes <= 8 * MIB, "one that may not be kept");
	glacier_arena_destroy(arena);
	arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_RESERVOIR, .bytes = 64 * MIB, .keep_bytes = UINT64_MAX});
	CHECK(!glacier_arena_free(arena, take(arena, 2 * MIB)) && stats_of(arena).committed_bytes == 0, "nothing may be kept");
	glacier_arena_destroy(arena);
	/* Addresses alone, with nothing to keep. */
	arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_RESERVOIR, .keep_bytes = UINT64_MAX, .range = &(struct glacier_range){
		.base = UINT64_C(1) << 40, .bytes = 1024 * MIB}});
	a[0] = take(arena, 512 * MIB);
	CHECK(!glacier_arena_free(arena, a[0]) && stats_of(arena).reserved_bytes == 512 * MIB && take(arena, 512 * MIB) == a[0], "at hand");
	CHECK(!glacier_arena_free(arena, a[0]), "free");
	by_another(arena, a[0], 1024 * MIB);
	glacier_arena_destroy(arena);
}

static void runs(void)
{
	for (int pool = 0; pool < 2; pool++) {
		struct glacier_arena *arena = make((struct glacier_arena_options){
			.tier = pool ? GLACIER_TIER_POOL : GLACIER_TIER_BUDDY, .bytes = 64 * MIB, .fit = GLACIER_FIT_RUN,
			.cache_bytes = 64 * MIB});
		glacier_addr a = take(arena, 5 * 128 * KIB), b, c;

		CHECK(!glacier_arena_free(arena, a), "free");
		is_nobodys(arena, a);
		CHECK(glacier_arena_free(arena, a + 128 * KIB) == GLACIER_ERR_INVALID, "interior");
		b = take(arena, 6 * 128 * KIB);
		CHECK(b != a, "six leaves are not five, of one class though they be");
		CHECK(take(arena, 5 * 128 * KIB) == a, "its own length gets it");
		CHECK(stats_of(arena).tier[GLACIER_TIER_BUDDY].live_bytes == 11 * 128 * KIB, "both are counted");
		c = take(arena, 7 * 128 * KIB);
		CHECK(!glacier_arena_free(arena, a) && !glacier_arena_free(arena, c) && !glacier_arena_free(arena, b), "free");
		CHECK(take(arena, 7 * 128 * KIB) == c && take(arena, 5 * 128 * KIB) == a && take(arena, 6 * 128 * KIB) == b, "all are at hand");
		CHECK(!glacier_arena_free(arena, a) && !glacier_arena_free(arena, c) && !glacier_arena_free(arena, b), "free");
		is_nobodys(arena, b);
		by_another(arena, b, 32 * MIB);
		CHECK(!glacier_arena_trim(arena) && stats_of(arena).free_bytes == 64 * MIB, "a trim takes all");
		glacier_arena_destroy(arena);
	}
}

/* The budget's room that a thread keeps is not reserved twice, and is there for another. */
static void room(void)
{
	for (int fit = 0; fit < 2; fit++) {
		struct glacier_arena *arena = make((struct glacier_arena_options){
			.tier = GLACIER_TIER_BUDDY, .bytes = 256 * MIB, .fit = (enum glacier_fit)fit, .cache_bytes = UINT64_MAX});
		glacier_addr a[3];

		for (int round = 0; round < 5; round++) {
			for (int i = 0; i < 3; i++)
				a[i] = take(arena, 32 * MIB);
			for (int i = 0; i < 3; i++)
				CHECK(!glacier_arena_free(arena, a[i]), "free");
			CHECK(stats_of(arena).reserved_bytes == 0 && stats_of(arena).peak_reserved_bytes == 96 * MIB, "counted");
		}
		glacier_arena_destroy(arena);
		/* Under a limit nothing is kept back of it. */
		arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_BUDDY, .bytes = 256 * MIB, .fit = (enum glacier_fit)fit,
							    .hard_bytes = 32 * MIB});
		a[0] = take(arena, 1 * MIB);
		CHECK(!glacier_arena_free(arena, a[0]), "free");
		by_another(arena, a[0], 32 * MIB);
		glacier_arena_destroy(arena);
	}
}

/* Arenas one after the other, most of them at the same place, while the thread's last state is that of one that is gone. */
static void at_the_same_place(void)
{
	static const enum glacier_tier tiers[] = {GLACIER_TIER_SLAB, GLACIER_TIER_BUDDY, GLACIER_TIER_RESERVOIR};

	for (int i = 0; i < 300; i++) {
		struct glacier_arena *arena = make((struct glacier_arena_options){.tier = tiers[i % 3], .bytes = 64 * MIB});
		glacier_addr addr = take(arena, 4096);

		CHECK(!glacier_arena_free(arena, addr) && glacier_arena_free(arena, addr) == GLACIER_ERR_INVALID, "free, twice");
		if (i % 2)
			glacier_arena_close(arena);
		CHECK(i % 2 == 0 || (glacier_arena_free(arena, addr) == GLACIER_ERR_ARGUMENT &&
				     glacier_arena_alloc(arena, 4096, &addr) == GLACIER_ERR_ARGUMENT), "closed");
		glacier_arena_destroy(arena);
	}
	CHECK(glacier_arena_free(NULL, 0) == GLACIER_ERR_ARGUMENT && glacier_arena_alloc(NULL, 1, &(glacier_addr){0}) == GLACIER_ERR_ARGUMENT,
	      "no arena");
}

int main(void)
{
	ranges();
	kept();
	runs();
	room();
	at_the_same_place();
	return 0;
}
