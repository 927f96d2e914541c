/* SPDX-License-Identifier: MIT */
/*
 * arena [-1] [LIBRARY...] - the allocators in tight loops, in one run with what they are held against: one
 * compare and swap, mmap and munmap, and the malloc and free of each library that is named (or its peer_malloc
 * and peer_free: a wrapper around what is no malloc; without a lock it is for -1, one thread). Medians of
 * 7 rounds that take turns; ns of an allocation with its free.
 */
#include <glacier.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 7, MOST_PEERS = 8, LOOPS = 200000 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct subject {
	char name[64];
	struct glacier_arena *arena;
	void *(*take)(size_t);
	void (*give)(void *);
	_Atomic uint64_t *word;      /* a bare compare and swap */
	bool own_word;
	uint64_t bytes;
	unsigned loops;
	double samples[ROUNDS];
};

static uint64_t keep;

static void *run(void *argument)
{
	struct subject *s = argument;
	double *ns = malloc(sizeof *ns), begun;
	glacier_addr addr, sum = 0;

	begun = now();
	if (s->arena) {
		for (unsigned i = 0; i < s->loops; i++) {
			if (glacier_arena_alloc(s->arena, s->bytes, &addr) || glacier_arena_free(s->arena, addr))
				exit(2);
			sum += addr;
		}
	} else if (s->word) {
		for (unsigned i = 0; i < s->loops; i++) {
			uint64_t old = atomic_load_explicit(s->word, memory_order_relaxed);

			while (!atomic_compare_exchange_weak(s->word, &old, old + 64))
				;
			sum += old;
		}
	} else {
		for (unsigned i = 0; i < s->loops; i++) {
			void *volatile at = s->take(s->bytes);

			if (!at)
				exit(2);
			s->give(at);
			sum += (uintptr_t)at;
		}
	}
	*ns = (now() - begun) / s->loops;
	__atomic_fetch_add(&keep, sum, __ATOMIC_RELAXED);
	return ns;
}

static double once(struct subject *s, unsigned threads)
{
	pthread_t thread[8];
	double sum = 0;

	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, run, s))
			exit(2);
	for (unsigned i = 0; i < threads; i++) {
		void *ns;

		pthread_join(thread[i], &ns);
		sum += *(double *)ns;
		free(ns);
	}
	return sum / threads;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct glacier_arena *make(struct glacier_arena_options options)
{
	struct glacier_arena *arena;

	if (glacier_arena_create(&options, &arena))
		exit(2);
	return arena;
}

static struct subject peers[MOST_PEERS];
static size_t peer_count;
static unsigned most_threads = 2;

static void table(const char *what, struct glacier_arena_options options, const uint64_t *sizes, size_t count)
{
	for (unsigned threads = 1; threads <= most_threads; threads++)
		for (size_t i = 0; i < count; i++) {
			struct subject all[MOST_PEERS + 1];
			size_t n = 0;

			all[n] = (struct subject){.arena = make(options), .bytes = sizes[i], .loops = LOOPS};
			snprintf(all[n++].name, sizeof all[0].name, "%s", what);
			for (size_t p = 0; p < peer_count; p++) {
				all[n] = peers[p];
				all[n].bytes = sizes[i];
				all[n++].loops = sizes[i] > 1 << 20 ? 2000 : LOOPS / 4;
			}
			for (int round = 0; round < ROUNDS; round++)
				for (size_t k = 0; k < n; k++)
					all[k].samples[round] = once(&all[k], threads);
			for (size_t k = 0; k < n; k++) {
				qsort(all[k].samples, ROUNDS, sizeof(double), by_size);
				printf("%-28s %10llu  %u  %9.1f  %7.2f\n", all[k].name, (unsigned long long)sizes[i], threads,
				       all[k].samples[ROUNDS / 2], all[k].samples[ROUNDS / 2] / all[0].samples[ROUNDS / 2]);
			}
			glacier_arena_destroy(all[0].arena);
		}
}

/* A slice against one compare and swap: alone, and of one word by two threads. */
static void ring(void)
{
	for (unsigned threads = 1; threads <= 2; threads++) {
		static _Alignas(128) _Atomic uint64_t word;
		struct subject all[3] = {
			{.name = "a bare compare and swap", .word = &word, .loops = LOOPS},
			{.name = "ring", .arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_RING}), .bytes = 256, .loops = LOOPS},
			{.name = "ring, chunks of 64K", .arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_RING, .chunk_bytes = 65536}),
			 .bytes = 256, .loops = LOOPS},
		};

		for (int round = 0; round < ROUNDS; round++)
			for (size_t k = 0; k < 3; k++)
				all[k].samples[round] = once(&all[k], threads);
		for (size_t k = 0; k < 3; k++) {
			qsort(all[k].samples, ROUNDS, sizeof(double), by_size);
			printf("%-28s %10d  %u  %9.1f  %7.2f\n", all[k].name, 256, threads, all[k].samples[ROUNDS / 2],
			       all[k].samples[ROUNDS / 2] / all[0].samples[ROUNDS / 2]);
		}
		glacier_arena_destroy(all[1].arena);
		glacier_arena_destroy(all[2].arena);
	}
}

static void touch(volatile unsigned char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 4096)
		at[i] = 1;
}

static unsigned long resident_kib(void)
{
	unsigned long pages = 0, ignored;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%lu %lu", &ignored, &pages) != 2)
		exit(2);
	fclose(file);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

/* 64 MiB, all pages touched, again and again. */
static void reservoir(void)
{
	enum { BYTES = 64 << 20 };
	double mine[ROUNDS], theirs[ROUNDS];
	struct glacier_arena *arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_RESERVOIR, .bytes = UINT64_C(1) << 30});
	unsigned long before;
	glacier_addr addr;

	for (int round = -1; round < ROUNDS; round++) {
		double begun = now();
		void *at;

		if (glacier_arena_alloc(arena, BYTES, &addr))
			exit(2);
		touch((void *)(uintptr_t)addr, BYTES);
		glacier_arena_free(arena, addr);
		if (round >= 0)
			mine[round] = now() - begun;
		begun = now();
		at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		touch(at, BYTES);
		munmap(at, BYTES);
		if (round >= 0)
			theirs[round] = now() - begun;
	}
	qsort(mine, ROUNDS, sizeof *mine, by_size);
	qsort(theirs, ROUNDS, sizeof *theirs, by_size);
	printf("64 MiB, every page touched: reservoir %.0f us, mmap and munmap %.0f us (%.0f ns a page), ratio %.1f\n", mine[ROUNDS / 2] / 1e3,
	       theirs[ROUNDS / 2] / 1e3, theirs[ROUNDS / 2] / (BYTES / 4096), theirs[ROUNDS / 2] / mine[ROUNDS / 2]);
	glacier_arena_destroy(arena);
	before = resident_kib();
	arena = make((struct glacier_arena_options){.tier = GLACIER_TIER_RESERVOIR, .bytes = UINT64_C(1) << 30});
	printf("1 GiB reserved and not touched: %ld KiB resident\n", (long)(resident_kib() - before));
	if (glacier_arena_alloc(arena, UINT64_C(1) << 30, &addr))
		exit(2);
	printf("1 GiB allocated and not touched: %ld KiB resident\n", (long)(resident_kib() - before));
	glacier_arena_destroy(arena);
}

int main(int argc, char **argv)
{
	static const uint64_t slab[] = {256, 4096, 65536}, buddy[] = {128 << 10, 1 << 20, 8 << 20, 32 << 20};

	if (argc > 1 && !strcmp(argv[1], "-1")) {
		most_threads = 1;
		argc--;
		argv++;
	}
	for (int i = 1; i < argc && peer_count < MOST_PEERS; i++) {
		void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		const char *slash = strrchr(argv[i], '/');
		struct subject *peer = &peers[peer_count];

		if (library) {
			bool own = dlsym(library, "peer_malloc") != NULL;

			peer->take = (void *(*)(size_t))dlsym(library, own ? "peer_malloc" : "malloc");
			peer->give = (void (*)(void *))dlsym(library, own ? "peer_free" : "free");
		}
		if (!peer->take || !peer->give) {
			fprintf(stderr, "%s: no malloc and free\n", argv[i]);
			return 2;
		}
		snprintf(peer->name, sizeof peer->name, "%s", slash ? slash + 1 : argv[i]);
		peer_count++;
	}
	printf("%-28s %10s  %s  %9s  %s\n", "", "bytes", "T", "ns", "to ours");
	table("slab", (struct glacier_arena_options){.tier = GLACIER_TIER_SLAB}, slab, 3);
	table("buddy", (struct glacier_arena_options){.tier = GLACIER_TIER_BUDDY, .bytes = UINT64_C(1) << 30}, buddy, 4);
	table("buddy, fit=run", (struct glacier_arena_options){.tier = GLACIER_TIER_BUDDY, .bytes = UINT64_C(1) << 30, .fit = GLACIER_FIT_RUN}, buddy, 4);
	ring();
	reservoir();
	return 0;
}
