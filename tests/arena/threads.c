/* SPDX-License-Identifier: MIT */
/*
 * threads [ROUNDS] - several threads over one arena of each kind, allocating, freeing what the others
 * allocated, wrongly freeing now and then; threads end and others come. A shadow of owners sees
 * any byte that two have; in the end all is back, and the statistics agree with what was counted.
 */
#include "shadow.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 4, SHARED = 1024, GENERATIONS = 3 };

struct shared {
	struct glacier_arena *arena;
	struct shadow shadow;
	_Atomic uint64_t slot[SHARED];      /* address, and its owner in slot_owner */
	uint32_t slot_bytes[SHARED];
	_Atomic uint64_t allocs, frees;
	uint64_t low, high;
	unsigned rounds;
	bool write;
};

struct worker {
	struct shared *shared;
	uint64_t state;
};

/* Slots are taken and filled by exchange: what is in one belongs to whoever took it out. 1 is "busy". */
static void *work(void *argument)
{
	struct worker *worker = argument;
	struct shared *s = worker->shared;
	uint64_t *state = &worker->state;

	for (unsigned round = 0; round < s->rounds; round++) {
		size_t i = next(state) % SHARED;
		uint64_t held = atomic_exchange(&s->slot[i], 1);

		if (held == 1)
			continue;
		if (held) {
			shadow_give(&s->shadow, held, s->slot_bytes[i], 7);
			if (s->write)
				CHECK(*(volatile uint64_t *)(uintptr_t)held == (held ^ s->slot_bytes[i]), "what was written is gone");
			CHECK(!glacier_arena_free(s->arena, held), "free");
			atomic_fetch_add(&s->frees, 1);
			held = 0;
		} else {
			uint64_t bytes = any_size(state, s->low, s->high);
			glacier_addr addr;

			if (!glacier_arena_alloc(s->arena, bytes, &addr)) {
				shadow_take(&s->shadow, addr, bytes, 7);
				s->slot_bytes[i] = (uint32_t)bytes;
				if (s->write && bytes >= 8)
					*(volatile uint64_t *)(uintptr_t)addr = addr ^ bytes;
				held = addr;
				atomic_fetch_add(&s->allocs, 1);
			}
		}
		if (round % 64 == 0)
			CHECK(glacier_arena_free(s->arena, s->shadow.base + s->shadow.bytes + 64 * round) == GLACIER_ERR_INVALID, "foreign");
		if (round % 4096 == 4095)
			glacier_arena_trim(s->arena);
		atomic_store(&s->slot[i], held);
	}
	return NULL;
}

static void run(const char *what, const struct glacier_arena_options *options, uint64_t low, uint64_t high, unsigned rounds)
{
	static struct shared s;
	struct glacier_arena_stats stats;
	glacier_addr base;
	uint64_t bytes, first_free;
	pthread_t threads[THREADS];
	struct worker workers[THREADS];

	printf("%s\n", what);
	fflush(stdout);
	memset(&s, 0, sizeof s);
	s.low = low;
	s.high = high;
	s.rounds = rounds;
	s.write = low >= 8;
	CHECK(!glacier_arena_create(options, &s.arena), "create");
	glacier_arena_plan(s.arena, GLACIER_TIER_POOL, &base, &bytes);
	glacier_arena_get_stats(s.arena, &stats);
	first_free = stats.free_bytes;
	/* Units that the arena's own are multiples of: 16 MiB blocks in units of 64 bytes were all that the test did. */
	shadow_init(&s.shadow, base, bytes, low < 4096 ? 64 : 4096);
	for (int generation = 0; generation < GENERATIONS; generation++) {
		for (int i = 0; i < THREADS; i++) {
			workers[i] = (struct worker){&s, (uint64_t)(generation * THREADS + i + 1) * UINT64_C(0x9e3779b97f4a7c15)};
			CHECK(!pthread_create(&threads[i], NULL, work, &workers[i]), "no thread");
		}
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	glacier_arena_get_stats(s.arena, &stats);
	CHECK(stats.tier[GLACIER_TIER_POOL].allocs == s.allocs && stats.tier[GLACIER_TIER_POOL].frees == s.frees,
	      "%llu allocations were counted, and %llu done", (unsigned long long)stats.tier[GLACIER_TIER_POOL].allocs,
	      (unsigned long long)s.allocs);
	CHECK(stats.reserved_bytes + stats.free_bytes == bytes, "%llu bytes are reserved, %llu free, of %llu",
	      (unsigned long long)stats.reserved_bytes, (unsigned long long)stats.free_bytes, (unsigned long long)bytes);
	for (size_t i = 0; i < SHARED; i++)
		if (s.slot[i]) {
			shadow_give(&s.shadow, s.slot[i], s.slot_bytes[i], 7);
			CHECK(!glacier_arena_free(s.arena, s.slot[i]), "free");
		}
	glacier_arena_trim(s.arena);
	glacier_arena_get_stats(s.arena, &stats);
	CHECK(!stats.tier[GLACIER_TIER_POOL].live && !stats.tier[GLACIER_TIER_POOL].live_bytes && stats.free_bytes == first_free,
	      "%llu bytes of %llu came back", (unsigned long long)stats.free_bytes, (unsigned long long)first_free);
	printf("  %llu allocations, %llu frees\n", (unsigned long long)s.allocs, (unsigned long long)s.frees);
	glacier_arena_destroy(s.arena);
	shadow_fini(&s.shadow);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 30000;

	run("slab", &(struct glacier_arena_options){.tier = GLACIER_TIER_SLAB, .bytes = 64 << 20}, 8, 65536, rounds);
	run("slab, full", &(struct glacier_arena_options){.tier = GLACIER_TIER_SLAB, .bytes = 4 << 20}, 256, 65536, rounds);
	run("slab, sub-bins, run", &(struct glacier_arena_options){.tier = GLACIER_TIER_SLAB, .bytes = 16 << 20, .sub_bins = true,
								   .fit = GLACIER_FIT_RUN}, 8, 65536, rounds);
	run("buddy", &(struct glacier_arena_options){.tier = GLACIER_TIER_BUDDY, .bytes = 512 << 20}, 65536, 16 << 20, rounds);
	run("buddy, run", &(struct glacier_arena_options){.tier = GLACIER_TIER_BUDDY, .bytes = 512 << 20, .fit = GLACIER_FIT_RUN},
	    65536, 16 << 20, rounds);
	run("reservoir", &(struct glacier_arena_options){.tier = GLACIER_TIER_RESERVOIR, .bytes = 256 << 20}, 4096, 8 << 20, rounds / 8);
	/* A million operations and more, by default: the statistics of every tier equal what was done. */
	run("pool", &(struct glacier_arena_options){.bytes = 256 << 20, .reservoir_bytes = 128 << 20}, 8, 8 << 20, 3 * rounds);
	return 0;
}
