/* SPDX-License-Identifier: MIT */
/* The worker pool: what its header promises, with more threads than CPUs and with fewer. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "base/cpu.h"
#include "base/pool.h"
#include "stress.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { MAX_INDICES = 5000, MAX_THREADS = 8 };

static const unsigned thread_counts[] = {1, 2, 3, MAX_THREADS};

static struct glc_pool *make_pool(unsigned threads)
{
	struct glc_pool *pool = NULL;
	enum glacier_status status = glc_pool_create(threads, &pool);

	CHECK(status == GLACIER_OK, "%u threads: %s", threads, glacier_status_name(status));
	CHECK(!threads || glc_pool_threads(pool) == threads, "%u of %u", glc_pool_threads(pool), threads);
	return pool;
}

/* Plain memory throughout: TSan sees whether the pool orders the accesses. */
struct visit {
	size_t n, grain;
	unsigned threads;
	unsigned char seen[MAX_INDICES];
	size_t by_worker[MAX_THREADS];
};

static void visit(void *context, size_t begin, size_t end, unsigned worker)
{
	struct visit *v = context;

	CHECK(worker < v->threads, "worker %u of %u", worker, v->threads);
	CHECK(begin < end && end <= v->n, "[%zu, %zu) of %zu", begin, end, v->n);
	if (v->grain)
		CHECK(begin % v->grain == 0 && (end - begin == v->grain || end == v->n),
		      "[%zu, %zu) of %zu by %zu", begin, end, v->n, v->grain);
	for (size_t i = begin; i < end; i++)
		v->seen[i]++;
	v->by_worker[worker] += end - begin;
}

static void visits_each_index_once(struct glc_pool *pool)
{
	static const struct {
		size_t n, grain;
	} rows[] = {{0, 1}, {1, 0}, {1, 1}, {1, 100}, {2, 1}, {7, 3}, {8, 4}, {63, 64}, {64, 64},
		    {65, 64}, {1000, 0}, {1000, 1}, {4999, 7}, {5000, 13}, {5000, SIZE_MAX}};

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct visit v = {.n = rows[r].n, .grain = rows[r].grain,
				  .threads = glc_pool_threads(pool)};
		size_t total = 0;

		glc_parallel_for(pool, v.n, v.grain, visit, &v);
		for (size_t i = 0; i < MAX_INDICES; i++)
			CHECK(v.seen[i] == (i < v.n), "index %zu of %zu: %d times", i, v.n, v.seen[i]);
		for (unsigned w = 0; w < MAX_THREADS; w++)
			total += v.by_worker[w];
		CHECK(total == v.n, "%zu of %zu", total, v.n);
	}
}

/* Calls from inside a loop run at once, in the same thread, in order, as the same worker. */
struct inner {
	pthread_t thread;
	unsigned worker;
	size_t next;
};

static void run_inner(void *context, size_t begin, size_t end, unsigned worker)
{
	struct inner *in = context;

	CHECK(pthread_equal(in->thread, pthread_self()), "another thread");
	CHECK(worker == in->worker, "worker %u in %u", worker, in->worker);
	CHECK(begin == in->next && end <= begin + 3, "[%zu, %zu) after %zu", begin, end, in->next);
	in->next = end;
}

struct outer {
	struct glc_pool *pool;
	atomic_size_t inner;
};

static void run_outer(void *context, size_t begin, size_t end, unsigned worker)
{
	struct outer *out = context;

	for (size_t i = begin; i < end; i++) {
		struct inner in = {.thread = pthread_self(), .worker = worker};

		glc_parallel_for(i % 2 ? out->pool : NULL, 50, 3, run_inner, &in);
		atomic_fetch_add(&out->inner, in.next);
	}
}

static void runs_nested_calls_in_place(struct glc_pool *pool)
{
	struct outer out = {.pool = pool};

	glc_parallel_for(pool, 200, 1, run_outer, &out);
	CHECK(out.inner == 200 * 50, "%zu", (size_t)out.inner);
}

/* Loops in a row, each reading what the last one wrote, with pauses that put workers to sleep. */
static void add_one(void *context, size_t begin, size_t end, unsigned worker)
{
	unsigned *values = context;

	(void)worker;
	for (size_t i = begin; i < end; i++)
		values[i]++;
}

static void orders_loops(struct glc_pool *pool)
{
	enum { N = 64, LOOPS = 2000 };
	unsigned values[N] = {0};

	for (unsigned loop = 1; loop <= LOOPS; loop++) {
		glc_parallel_for(pool, N, 4, add_one, values);
		CHECK(values[loop % N] == loop, "%u after %u loops", values[loop % N], loop);
		if (loop % 500 == 0)
			usleep(2000);
	}
}

/* Several threads call: their loops take turns, so a worker number has one user. */
struct shared {
	struct glc_pool *pool;
	size_t by_worker[MAX_THREADS];
};

static void count(void *context, size_t begin, size_t end, unsigned worker)
{
	struct shared *s = context;

	s->by_worker[worker] += end - begin;
}

static void *call(void *context)
{
	struct shared *s = context;

	for (int i = 0; i < 200; i++)
		glc_parallel_for(s->pool, 100, 1, count, s);
	return NULL;
}

static void takes_turns(struct glc_pool *pool)
{
	struct shared s = {.pool = pool};
	pthread_t callers[3];
	size_t total = 0;

	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&callers[i], NULL, call, &s), "caller %d", i);
	for (int i = 0; i < 3; i++)
		pthread_join(callers[i], NULL);
	for (int w = 0; w < MAX_THREADS; w++)
		total += s.by_worker[w];
	CHECK(total == 3 * 200 * 100, "%zu", total);
}

/* Signals from outside are the caller's; those of a fault are the thread's own. */
static void look_at_mask(void *context, size_t begin, size_t end, unsigned worker)
{
	sigset_t mask;

	(void)context, (void)begin, (void)end;
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	CHECK(sigismember(&mask, SIGINT) == (worker != 0), "worker %u", worker);
	CHECK(!sigismember(&mask, SIGSEGV), "worker %u", worker);
	usleep(50);  /* lets the others have some */
}

static void leaves_signals_to_the_caller(struct glc_pool *pool)
{
	glc_parallel_for(pool, 50, 1, look_at_mask, NULL);
}

static unsigned threads_now(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned n = 0;

	CHECK(tasks, "no /proc");
	while (readdir(tasks))
		n++;
	closedir(tasks);
	return n;
}

static void makes_and_joins_its_threads(void)
{
	unsigned before, during;
	struct glc_pool *pool;

	glc_pool_destroy(make_pool(2));  /* a sanitizer may start its own thread with the first */
	usleep(100000);  /* that pool's thread may still be on the kernel's list, see below */
	before = threads_now();
	pool = make_pool(1);
	CHECK(threads_now() == before, "1 thread made one");
	glc_pool_destroy(pool);

	pool = make_pool(MAX_THREADS);
	during = threads_now();
	glc_pool_destroy(pool);
	CHECK(during == before + MAX_THREADS - 1, "%u more", during - before);
	/* The kernel takes a thread off the list a moment after it was joined. */
	for (int i = 0; i < 1000 && threads_now() != before; i++)
		usleep(1000);
	CHECK(threads_now() == before, "%u remain", threads_now() - before);

	pool = make_pool(0);
	CHECK(glc_pool_threads(pool) == glc_cpu_count(), "%u threads, %u CPUs", glc_pool_threads(pool),
	      glc_cpu_count());
	glc_pool_destroy(pool);
	glc_pool_destroy(NULL);
	for (int i = 0; i < 100; i++)
		glc_pool_destroy(make_pool(1 + i % 4));  /* before its threads are up */
}

static void ask_level(void *context, size_t begin, size_t end, unsigned worker)
{
	(void)end, (void)worker;
	((enum glc_cpu_level *)context)[begin] = glc_cpu_level();
}

static void detects_the_cpu_from_many_threads(struct glc_pool *pool)
{
	enum glc_cpu_level levels[32];

	glc_parallel_for(pool, 32, 1, ask_level, levels);
	for (int i = 1; i < 32; i++)
		CHECK(levels[i] == levels[0], "%d, %d", levels[i], levels[0]);
}

int main(void)
{
	/* First: no level is known yet. */
	struct glc_pool *pool = make_pool(4);

	detects_the_cpu_from_many_threads(pool);
	glc_pool_destroy(pool);

	visits_each_index_once(NULL);
	makes_and_joins_its_threads();
	for (size_t i = 0; i < sizeof thread_counts / sizeof *thread_counts; i++) {
		pool = make_pool(thread_counts[i]);
		visits_each_index_once(pool);
		runs_nested_calls_in_place(pool);
		orders_loops(pool);
		takes_turns(pool);
		leaves_signals_to_the_caller(pool);
		glc_pool_destroy(pool);
	}
	return 0;
}
