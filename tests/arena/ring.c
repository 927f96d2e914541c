/* SPDX-License-Identifier: MIT */
/*
 * The ring. A slice that is held survives ten laps by other threads, by free and by serial; the same
 * test over a ring that gives everything back at once (what one without reclaim does) must find
 * an overlap. Full capacity, wrap, blocking, growing, chunks, misuse.
 */
#include "shadow.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { CAPACITY = 1 << 20, THREADS = 3, HELD = 8 };

struct state {
	struct glacier_arena *arena;
	struct shadow shadow;
	_Atomic uint64_t claimed;
	_Atomic unsigned overlaps;
	_Atomic unsigned oldest[THREADS + 1];
	bool by_serial, no_reclaim;
};

static void *laps(void *argument)
{
	struct state *s = argument;
	uint64_t state = (uintptr_t)&state | 1;
	struct { glacier_addr addr; uint64_t bytes; } held[HELD] = {{0, 0}};

	for (unsigned i = 0; atomic_load(&s->claimed) < 10 * (uint64_t)CAPACITY; i++) {
		uint64_t bytes = 64 + next(&state) % 4000;
		glacier_addr addr;

		if (held[i % HELD].bytes) {
			atomic_fetch_add(&s->overlaps, shadow_mark(&s->shadow, held[i % HELD].addr, held[i % HELD].bytes, 5, 0));
			if (!s->by_serial)
				CHECK(!glacier_arena_free(s->arena, held[i % HELD].addr), "free");
			held[i % HELD].bytes = 0;
		}
		if (glacier_arena_alloc(s->arena, bytes, &addr)) {
			usleep(50);
			/* The one slice that is never freed keeps the ring full: that is the end of the test. */
			if (!s->no_reclaim && atomic_fetch_add(&s->claimed, 64) > 0 && i > 20000)
				break;
			continue;
		}
		atomic_fetch_add(&s->claimed, bytes);
		atomic_fetch_add(&s->overlaps, shadow_mark(&s->shadow, addr, bytes, 0, 5));
		held[i % HELD].addr = addr;
		held[i % HELD].bytes = bytes;
		if (s->no_reclaim) {
			uint64_t serial;

			glacier_arena_mark(s->arena, &serial);
			glacier_arena_retire(s->arena, serial);
		}
	}
	for (int i = 0; i < HELD; i++)
		if (held[i].bytes) {
			atomic_fetch_add(&s->overlaps, shadow_mark(&s->shadow, held[i].addr, held[i].bytes, 5, 0));
			if (!s->by_serial)
				CHECK(!glacier_arena_free(s->arena, held[i].addr), "free");
		}
	return NULL;
}

/* Threads go round while the main thread, and each of them, holds slices. */
static unsigned go_round(bool no_reclaim, uint32_t chunk)
{
	struct glacier_arena_options options = {.tier = GLACIER_TIER_RING, .bytes = CAPACITY, .chunk_bytes = chunk,
						.reclaim = no_reclaim ? GLACIER_RECLAIM_SERIAL : GLACIER_RECLAIM_FREE};
	struct state s = {.by_serial = no_reclaim, .no_reclaim = no_reclaim};
	pthread_t threads[THREADS];
	glacier_addr base, mine;
	uint64_t bytes;

	CHECK(!glacier_arena_create(&options, &s.arena), "create");
	glacier_arena_plan(s.arena, GLACIER_TIER_RING, &base, &bytes);
	shadow_init(&s.shadow, base, bytes, 64);
	CHECK(!glacier_arena_alloc(s.arena, 4096, &mine), "alloc");
	shadow_mark(&s.shadow, mine, 4096, 0, 9);
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, laps, &s), "no thread");
	if (!no_reclaim) {
		/* Held over some of the way, then given back so that the others can go on round it. */
		usleep(20000);
		s.overlaps += shadow_mark(&s.shadow, mine, 4096, 9, 0);
		CHECK(!glacier_arena_free(s.arena, mine), "free");
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (no_reclaim)
		s.overlaps += shadow_mark(&s.shadow, mine, 4096, 9, 0);
	glacier_arena_destroy(s.arena);
	shadow_fini(&s.shadow);
	return s.overlaps;
}

/* Ten laps, ring full or not, with one slice held: it is never given again. */
static void held_slice(void)
{
	struct glacier_arena_options options = {.tier = GLACIER_TIER_RING, .bytes = CAPACITY};
	struct glacier_arena *arena;
	glacier_addr held, addr, last[64] = {0};
	uint64_t given = 0;
	unsigned refused = 0;

	CHECK(!glacier_arena_create(&options, &arena), "create");
	CHECK(!glacier_arena_alloc(arena, 1000, &held), "alloc");
	for (unsigned i = 0; given < 10 * (uint64_t)CAPACITY && refused < 1000; i++) {
		if (last[i % 64])
			CHECK(!glacier_arena_free(arena, last[i % 64]), "free");
		last[i % 64] = 0;
		if (glacier_arena_alloc(arena, 4096, &addr)) {
			refused++;
			continue;
		}
		CHECK(addr + 4096 <= held || addr >= held + 1000, "a held slice is given again");
		last[i % 64] = addr;
		given += 4096;
	}
	CHECK(refused == 1000, "a ring with a slice that is never freed went round it");
	glacier_arena_destroy(arena);
}

static void serials(void)
{
	struct glacier_arena_options options = {.tier = GLACIER_TIER_RING, .bytes = CAPACITY, .reclaim = GLACIER_RECLAIM_SERIAL};
	struct glacier_arena *arena;
	uint64_t early, late;
	glacier_addr addr, first;

	CHECK(!glacier_arena_create(&options, &arena), "create");
	CHECK(!glacier_arena_alloc(arena, CAPACITY / 2, &first) && !glacier_arena_mark(arena, &early), "half");
	CHECK(!glacier_arena_alloc(arena, CAPACITY / 2, &addr) && !glacier_arena_mark(arena, &late), "the other half");
	CHECK(glacier_arena_alloc(arena, 1, &addr) == GLACIER_ERR_NOMEM, "beyond its capacity");
	CHECK(!glacier_arena_retire(arena, early), "retire");
	CHECK(!glacier_arena_alloc(arena, CAPACITY / 2, &addr) && addr == first, "the first half again");
	CHECK(glacier_arena_alloc(arena, 1, &addr) == GLACIER_ERR_NOMEM, "the second half is not retired");
	CHECK(!glacier_arena_retire(arena, late) && !glacier_arena_retire(arena, early), "an old serial does nothing");
	CHECK(!glacier_arena_alloc(arena, CAPACITY / 2, &addr), "the second half again");
	CHECK(glacier_arena_retire(arena, late + 10 * (uint64_t)CAPACITY) == GLACIER_ERR_ARGUMENT, "a serial of the future");
	CHECK(glacier_arena_free(arena, addr) == GLACIER_ERR_UNSUPPORTED, "free in a ring of serials");
	glacier_arena_destroy(arena);
}

/* Exactly the capacity, wherever the head is; more is refused, also near 2^64. */
static void edges(void)
{
	struct glacier_arena_options options = {.tier = GLACIER_TIER_RING, .bytes = CAPACITY + 63};
	struct glacier_arena *arena;
	glacier_addr addr, base;
	uint64_t bytes;

	CHECK(!glacier_arena_create(&options, &arena), "create");
	glacier_arena_plan(arena, GLACIER_TIER_RING, &base, &bytes);
	CHECK(bytes == CAPACITY, "whole units: %llu", (unsigned long long)bytes);
	for (uint64_t before = 1; before < CAPACITY; before = before * 3 + 64) {
		CHECK(!glacier_arena_alloc(arena, before, &addr) && !glacier_arena_free(arena, addr), "some");
		CHECK(!glacier_arena_alloc(arena, CAPACITY, &addr), "all of it, after %llu", (unsigned long long)before);
		CHECK(addr == base, "it begins at the start");
		CHECK(glacier_arena_alloc(arena, 1, &(glacier_addr){0}) == GLACIER_ERR_NOMEM, "one byte more");
		CHECK(!glacier_arena_free(arena, addr), "free");
		CHECK(glacier_arena_free(arena, addr) == GLACIER_ERR_INVALID, "twice");
	}
	CHECK(glacier_arena_alloc(arena, CAPACITY + 1, &addr) == GLACIER_ERR_LIMIT, "more than it has");
	CHECK(glacier_arena_alloc(arena, UINT64_MAX, &addr) == GLACIER_ERR_LIMIT, "2^64 - 1");
	CHECK(glacier_arena_alloc(arena, UINT64_MAX - 62, &addr) == GLACIER_ERR_LIMIT, "2^64 - 63");
	CHECK(glacier_arena_alloc(arena, 0, &addr) == GLACIER_ERR_ARGUMENT, "nothing");
	glacier_arena_destroy(arena);
}

static void *free_later(void *argument)
{
	struct glacier_scratch *scratch = argument;

	usleep(30000);
	CHECK(!glacier_scratch_release(scratch) && !glacier_scratch_release(scratch), "release, and again");
	return NULL;
}

static void blocking(void)
{
	struct glacier_arena_options options = {.tier = GLACIER_TIER_RING, .bytes = CAPACITY, .full = GLACIER_FULL_BLOCK};
	struct glacier_scratch scratch;
	struct glacier_arena *arena;
	pthread_t thread;
	glacier_addr addr;

	CHECK(!glacier_arena_create(&options, &arena), "create");
	CHECK(!glacier_arena_rent_scratch(arena, CAPACITY, &scratch) && scratch.bytes == CAPACITY, "rent");
	CHECK(!pthread_create(&thread, NULL, free_later, &scratch), "no thread");
	CHECK(!glacier_arena_alloc(arena, CAPACITY, &addr), "waits until there is room");
	pthread_join(thread, NULL);
	glacier_arena_destroy(arena);
}

static struct glacier_arena *shared;
static glacier_addr slices[CAPACITY / 64];
static _Atomic bool got_room;

/*
 * Frees some, which its thread adds up, and the rest once another sleeps for them; and lives on, so that nothing is drained.
 * The last one goes first, so that its segment is never whole in this thread's sum.
 */
static void *free_each(void *unused)
{
	enum { SOME = 3 };

	(void)unused;
	for (size_t i = 0; i < CAPACITY / 64; i++) {
		if (i == SOME)
			usleep(30000);
		glacier_addr slice = slices[(i + CAPACITY / 64 - 1) % (CAPACITY / 64)];

		CHECK(!glacier_arena_free(shared, slice), "free");
		CHECK(glacier_arena_free(shared, slice) == GLACIER_ERR_INVALID, "twice");
	}
	while (!atomic_load(&got_room))
		usleep(1000);
	return NULL;
}

static void blocking_on_small_ones(void)
{
	struct glacier_arena_options options = {.tier = GLACIER_TIER_RING, .bytes = CAPACITY, .full = GLACIER_FULL_BLOCK};
	struct glacier_arena_stats stats;
	pthread_t thread;
	glacier_addr addr;

	CHECK(!glacier_arena_create(&options, &shared), "create");
	for (size_t i = 0; i < CAPACITY / 64; i++)
		CHECK(!glacier_arena_alloc(shared, 64, &slices[i]), "slice %zu", i);
	CHECK(!pthread_create(&thread, NULL, free_each, NULL), "no thread");
	CHECK(!glacier_arena_alloc(shared, CAPACITY, &addr), "waits until there is room");
	atomic_store(&got_room, true);
	pthread_join(thread, NULL);
	CHECK(!glacier_arena_get_stats(shared, &stats) && stats.tier[GLACIER_TIER_RING].live == 1 &&
	      stats.tier[GLACIER_TIER_RING].live_bytes == CAPACITY, "%llu are live", (unsigned long long)stats.tier[GLACIER_TIER_RING].live);
	glacier_arena_destroy(shared);
}

static void growing(void)
{
	struct glacier_arena_options options = {.tier = GLACIER_TIER_RING, .bytes = CAPACITY, .full = GLACIER_FULL_GROW};
	struct glacier_arena *arena;
	glacier_addr addr[8], base;
	uint64_t bytes;

	CHECK(!glacier_arena_create(&options, &arena), "create");
	for (int i = 0; i < 8; i++) {
		CHECK(!glacier_arena_alloc(arena, CAPACITY, &addr[i]), "grow %d", i);
		memset((void *)(uintptr_t)addr[i], i, CAPACITY);
	}
	glacier_arena_plan(arena, GLACIER_TIER_RING, &base, &bytes);
	CHECK(bytes >= 8 * (uint64_t)CAPACITY, "%llu bytes", (unsigned long long)bytes);
	for (int i = 0; i < 8; i++) {
		CHECK(*(char *)(uintptr_t)addr[i] == i, "what was written is gone");
		CHECK(!glacier_arena_free(arena, addr[i]), "free");
	}
	glacier_arena_destroy(arena);
}

int main(void)
{
	unsigned overlaps = go_round(false, 0);

	CHECK(!overlaps, "%u overlaps", overlaps);
	overlaps = go_round(false, 16384);
	CHECK(!overlaps, "%u overlaps with chunks", overlaps);
	overlaps = go_round(true, 0);
	CHECK(overlaps, "a ring without reclaim shows no overlap: this test sees nothing");
	printf("without reclaim: %u units given twice, and seen\n", overlaps);
	held_slice();
	serials();
	edges();
	blocking();
	blocking_on_small_ones();
	growing();
	return 0;
}
