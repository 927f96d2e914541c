/* SPDX-License-Identifier: MIT */
/*
 * arena [-1] [LIBRARY...] - the allocators in tight loops, in one run with what they are held against: one
 * compare and swap, mmap and munmap, and the malloc and free of each library that is named (or its peer_malloc
 * and peer_free: a wrapper around what is no malloc; without a lock it is for -1, one thread). Medians of
 * 7 rounds that take turns; ns of an allocation with its free. All are called by pointers. Two threads run on a processor
 * each, begin together, and end when the first is done, so that all that is measured is both of them at once.
 */
#define _GNU_SOURCE
#include <glacier.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 7, MOST_PEERS = 8, LOOPS = 200000, BATCH = 64, STEPS = 4096, MOST_SLOTS = 256, MOST_THREADS = 2 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct subject {
	char name[64];
	struct glacier_arena *arena;
	enum glacier_status (*alloc)(struct glacier_arena *, uint64_t, glacier_addr *);
	enum glacier_status (*free)(struct glacier_arena *, glacier_addr);
	void *(*take)(size_t);
	void (*give)(void *);
	_Atomic uint64_t *word;      /* a bare compare and swap */
	uint64_t bytes;
	const struct mix *mix;       /* NULL: one size, in a loop */
	unsigned loops;
	double samples[ROUNDS];
};

/* A working set of powers of two, of which a random one is replaced: the steps are made before the clock runs. */
struct mix {
	const char *name;
	unsigned low, high, slots;   /* sizes: 1 << low to 1 << high */
};
struct step {
	uint64_t bytes;
	unsigned slot;
};

struct worker {
	struct subject *subject;
	unsigned number;
	_Atomic bool *stop;
	pthread_barrier_t *begin;
	struct step steps[STEPS];
	void *held[MOST_SLOTS];
	double ns;
};

static uint64_t keep;

static void make_steps(struct worker *w, const struct mix *mix)
{
	uint64_t state = (w->number + 1) * UINT64_C(0x9e3779b97f4a7c15);

	for (unsigned i = 0; i < STEPS; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		w->steps[i] = (struct step){UINT64_C(1) << (mix->low + state % (mix->high - mix->low + 1)), (unsigned)(state >> 32) % mix->slots};
	}
}

static bool take(const struct subject *s, uint64_t bytes, void **at)
{
	glacier_addr addr;

	if (!s->arena)
		return (*at = s->take(bytes)) != NULL;
	if (s->alloc(s->arena, bytes, &addr))
		return false;
	*at = (void *)(uintptr_t)addr;
	return true;
}

static void give(const struct subject *s, void *at)
{
	if (!s->arena)
		s->give(at);
	else if (s->free(s->arena, (uintptr_t)at))
		exit(2);
}

/* Some of the larger ones may not fit just then; none of them is there again in time. */
static uint64_t replace(struct worker *w, unsigned from)
{
	for (unsigned i = from; i < from + BATCH; i++) {
		const struct step *step = &w->steps[i % STEPS];
		void **held = &w->held[step->slot];

		if (*held)
			give(w->subject, *held);
		if (!take(w->subject, step->bytes, held))
			*held = NULL;
	}
	return 0;
}

static uint64_t batch(struct worker *w, unsigned done)
{
	struct subject *s = w->subject;
	glacier_addr addr;
	uint64_t sum = 0;

	if (s->mix)
		return replace(w, done);
	if (s->arena) {
		for (unsigned i = 0; i < BATCH; i++) {
			if (s->alloc(s->arena, s->bytes, &addr) || s->free(s->arena, addr))
				exit(2);
			sum += addr;
		}
	} else if (s->word) {
		for (unsigned i = 0; i < BATCH; i++) {
			uint64_t old = atomic_load_explicit(s->word, memory_order_relaxed);

			while (!atomic_compare_exchange_weak(s->word, &old, old + 64))
				;
			sum += old;
		}
	} else {
		for (unsigned i = 0; i < BATCH; i++) {
			void *volatile at = s->take(s->bytes);

			if (!at)
				exit(2);
			s->give(at);
			sum += (uintptr_t)at;
		}
	}
	return sum;
}

static void pin(unsigned number)
{
	cpu_set_t all, one;

	if (sched_getaffinity(0, sizeof all, &all))
		return;
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && !number--) {
			CPU_SET(cpu, &one);
			sched_setaffinity(0, sizeof one, &one);
		}
}

static void *run(void *argument)
{
	struct worker *w = argument;
	uint64_t sum = 0;
	unsigned done = 0;
	double begun;

	pin(w->number);
	if (w->subject->mix) {
		make_steps(w, w->subject->mix);
		for (unsigned i = 0; i < STEPS; i += BATCH)
			replace(w, i);
	}
	pthread_barrier_wait(w->begin);
	begun = now();
	do {
		sum += batch(w, done);
		done += BATCH;
	} while (done < w->subject->loops && !atomic_load_explicit(w->stop, memory_order_relaxed));
	w->ns = (now() - begun) / done;
	atomic_store(w->stop, true);
	__atomic_fetch_add(&keep, sum, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < MOST_SLOTS; i++)
		if (w->held[i])
			give(w->subject, w->held[i]);
	return NULL;
}

static double once(struct subject *s, unsigned threads)
{
	static struct worker workers[MOST_THREADS];
	_Atomic bool stop = false;
	pthread_barrier_t begin;
	pthread_t thread[MOST_THREADS];
	double sum = 0;

	pthread_barrier_init(&begin, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		workers[i] = (struct worker){.subject = s, .number = i, .stop = &stop, .begin = &begin};
		if (pthread_create(&thread[i], NULL, run, &workers[i]))
			exit(2);
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		sum += workers[i].ns;
	}
	pthread_barrier_destroy(&begin);
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

static struct subject ours(const char *name, struct glacier_arena_options options)
{
	struct subject s = {.arena = make(options), .alloc = glacier_arena_alloc, .free = glacier_arena_free, .loops = LOOPS};

	snprintf(s.name, sizeof s.name, "%s", name);
	return s;
}

/* Of each size, or of a mix. */
static void table(const char *what, struct glacier_arena_options options, const uint64_t *sizes, size_t count, const struct mix *mix)
{
	for (unsigned threads = 1; threads <= most_threads; threads++)
		for (size_t i = 0; i < count; i++) {
			struct subject all[MOST_PEERS + 1];
			size_t n = 0;

			all[n] = ours(what, options);
			all[n].mix = mix;
			all[n++].bytes = sizes[i];
			for (size_t p = 0; p < peer_count; p++) {
				all[n] = peers[p];
				all[n].mix = mix;
				all[n].bytes = sizes[i];
				all[n++].loops = sizes[i] > 1 << 20 && !mix ? 2000 : LOOPS / 4;
			}
			for (int round = 0; round < ROUNDS; round++)
				for (size_t k = 0; k < n; k++)
					all[k].samples[round] = once(&all[k], threads);
			for (size_t k = 0; k < n; k++) {
				qsort(all[k].samples, ROUNDS, sizeof(double), by_size);
				if (mix)
					printf("%-28s %10s", all[k].name, mix->name);
				else
					printf("%-28s %10llu", all[k].name, (unsigned long long)sizes[i]);
				printf("  %u  %9.1f  %7.2f\n", threads, all[k].samples[ROUNDS / 2],
				       all[k].samples[ROUNDS / 2] / all[0].samples[ROUNDS / 2]);
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
			ours("ring", (struct glacier_arena_options){.tier = GLACIER_TIER_RING}),
			ours("ring, chunks of 64K", (struct glacier_arena_options){.tier = GLACIER_TIER_RING, .chunk_bytes = 65536}),
		};

		all[1].bytes = all[2].bytes = 256;
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
	static const uint64_t slab[] = {256, 4096, 65536}, buddy[] = {128 << 10, 1 << 20, 8 << 20, 32 << 20}, range[] = {64 << 20};
	static const struct mix slots = {"256..64K", 8, 16, 256}, blocks = {"128K..32M", 17, 25, 16};
	struct glacier_arena_options run = {.tier = GLACIER_TIER_BUDDY, .bytes = UINT64_C(1) << 30, .fit = GLACIER_FIT_RUN}, plain = run;

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
	plain.fit = GLACIER_FIT_BUDDY;
	table("slab", (struct glacier_arena_options){.tier = GLACIER_TIER_SLAB}, slab, 3, NULL);
	table("slab", (struct glacier_arena_options){.tier = GLACIER_TIER_SLAB}, slab, 1, &slots);
	table("buddy", plain, buddy, 4, NULL);
	table("buddy", plain, buddy, 1, &blocks);
	table("buddy, fit=run", run, buddy, 4, NULL);
	table("buddy, fit=run", run, buddy, 1, &blocks);
	table("reservoir", (struct glacier_arena_options){.tier = GLACIER_TIER_RESERVOIR}, range, 1, NULL);
	ring();
	reservoir();
	return 0;
}
