/* SPDX-License-Identifier: MIT */
/*
 * One loop at a time is open. A worker that sees it enters under the lock, takes chunks
 * from a shared counter until none is left, and leaves under the lock. The caller does the
 * same, then closes the loop and waits for those inside: workers that never woke up are
 * not waited for, so that a short loop costs no wake-up.
 */
#include "base/pool.h"
#include "base/cpu.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Looks at memory before a thread goes to sleep: tens of microseconds. */
enum { SPINS = 1000, CHUNKS_PER_THREAD = 8, CACHE_LINE = 64 };

struct loop {
	size_t n, grain, chunks;
	glc_pool_fn *fn;
	void *context;
};

struct glc_pool {
	unsigned threads;       /* the caller included */
	unsigned spins;         /* 0 when there are more threads than CPUs */
	pthread_mutex_t turn;   /* held by the caller whose loop runs */

	pthread_mutex_t lock;   /* of the members down to `inside` */
	pthread_cond_t opened;  /* a loop, or the end */
	pthread_cond_t left;    /* by the last worker inside */
	struct loop loop;
	bool open, stop;
	unsigned sleeping;
	unsigned started;       /* worker threads; gives each its number */

	/* Written under the lock, and watched without it while spinning. */
	atomic_uint round;      /* how many loops were opened */
	atomic_uint inside;     /* workers in the open loop */

	/* Hot in every thread: alone on its line. */
	_Alignas(CACHE_LINE) atomic_size_t next_chunk;
	_Alignas(CACHE_LINE) pthread_t ids[];
};

/* What the thread at hand is running, for calls from inside a loop. */
static _Thread_local bool in_loop;
static _Thread_local unsigned own_number;

static inline void pause_briefly(void)
{
#if defined __x86_64__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("yield");
#endif
}

static void run_chunk(const struct loop *loop, size_t chunk, unsigned number)
{
	size_t begin = chunk * loop->grain;
	size_t rest = loop->n - begin;

	loop->fn(loop->context, begin, begin + (rest < loop->grain ? rest : loop->grain), number);
}

static void take_chunks(struct glc_pool *pool, const struct loop *loop, unsigned number)
{
	size_t chunk;

	in_loop = true;
	own_number = number;
	while ((chunk = atomic_fetch_add_explicit(&pool->next_chunk, 1, memory_order_relaxed)) <
	       loop->chunks)
		run_chunk(loop, chunk, number);
	in_loop = false;
}

static void *work(void *argument)
{
	struct glc_pool *pool = argument;
	unsigned number, seen = 0;

	pthread_mutex_lock(&pool->lock);
	number = ++pool->started;
	for (;;) {
		unsigned round = atomic_load_explicit(&pool->round, memory_order_relaxed);

		if (pool->stop)
			break;
		if (pool->open && round != seen) {
			struct loop loop = pool->loop;

			seen = round;
			atomic_fetch_add_explicit(&pool->inside, 1, memory_order_relaxed);
			pthread_mutex_unlock(&pool->lock);
			take_chunks(pool, &loop, number);
			pthread_mutex_lock(&pool->lock);
			if (atomic_fetch_sub_explicit(&pool->inside, 1, memory_order_relaxed) == 1)
				pthread_cond_signal(&pool->left);
			continue;
		}
		/* Watch for the next round, then sleep unless it came. */
		pthread_mutex_unlock(&pool->lock);
		for (unsigned i = 0; i < pool->spins; i++) {
			if (atomic_load_explicit(&pool->round, memory_order_relaxed) != round)
				break;
			pause_briefly();
		}
		pthread_mutex_lock(&pool->lock);
		if (atomic_load_explicit(&pool->round, memory_order_relaxed) == round && !pool->stop) {
			pool->sleeping++;
			pthread_cond_wait(&pool->opened, &pool->lock);
			pool->sleeping--;
		}
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static void open_loop(struct glc_pool *pool, const struct loop *loop)
{
	size_t wanted = loop->chunks - 1;  /* the caller takes one */

	pthread_mutex_lock(&pool->lock);
	pool->loop = *loop;
	atomic_store_explicit(&pool->next_chunk, 0, memory_order_relaxed);
	pool->open = true;
	atomic_fetch_add_explicit(&pool->round, 1, memory_order_relaxed);
	if (wanted >= pool->sleeping)
		pthread_cond_broadcast(&pool->opened);
	else
		while (wanted--)
			pthread_cond_signal(&pool->opened);
	pthread_mutex_unlock(&pool->lock);
}

static void close_loop(struct glc_pool *pool)
{
	/* All chunks are taken: those inside are at their last one. */
	for (unsigned i = 0; i < pool->spins; i++) {
		if (!atomic_load_explicit(&pool->inside, memory_order_relaxed))
			break;
		pause_briefly();
	}
	pthread_mutex_lock(&pool->lock);
	pool->open = false;
	while (atomic_load_explicit(&pool->inside, memory_order_relaxed))
		pthread_cond_wait(&pool->left, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

void glc_parallel_for(struct glc_pool *pool, size_t n, size_t grain, glc_pool_fn *fn, void *context)
{
	struct loop loop = {.n = n, .grain = grain, .fn = fn, .context = context};

	if (!n)
		return;
	if (!grain)
		loop.grain = n / glc_pool_threads(pool) / CHUNKS_PER_THREAD + 1;
	loop.chunks = n / loop.grain + (n % loop.grain != 0);

	if (!pool || in_loop) {
		for (size_t chunk = 0; chunk < loop.chunks; chunk++)
			run_chunk(&loop, chunk, in_loop ? own_number : 0);
		return;
	}
	pthread_mutex_lock(&pool->turn);
	if (pool->threads == 1 || loop.chunks == 1) {
		atomic_store_explicit(&pool->next_chunk, 0, memory_order_relaxed);
		take_chunks(pool, &loop, 0);
	} else {
		open_loop(pool, &loop);
		take_chunks(pool, &loop, 0);
		close_loop(pool);
	}
	pthread_mutex_unlock(&pool->turn);
}

/* Ends and joins the first `count` threads. */
static void join(struct glc_pool *pool, unsigned count)
{
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	atomic_fetch_add_explicit(&pool->round, 1, memory_order_relaxed);
	pthread_cond_broadcast(&pool->opened);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < count; i++)
		pthread_join(pool->ids[i], NULL);
}

static void free_pool(struct glc_pool *pool)
{
	pthread_cond_destroy(&pool->left);
	pthread_cond_destroy(&pool->opened);
	pthread_mutex_destroy(&pool->lock);
	pthread_mutex_destroy(&pool->turn);
	free(pool);
}

enum glacier_status glc_pool_create(unsigned threads, struct glc_pool **out)
{
	unsigned cpus = glc_cpu_count(), made = 0;
	struct glc_pool *pool;
	sigset_t mask, before;
	size_t bytes;

	if (!threads)
		threads = cpus;
	bytes = sizeof *pool + (threads - 1) * sizeof pool->ids[0];
	bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	pool = aligned_alloc(CACHE_LINE, bytes);
	if (!pool)
		return GLACIER_ERR_NOMEM;
	*pool = (struct glc_pool){
		.threads = threads,
		.spins = threads <= cpus ? SPINS : 0,
		.turn = PTHREAD_MUTEX_INITIALIZER,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.opened = PTHREAD_COND_INITIALIZER,
		.left = PTHREAD_COND_INITIALIZER,
	};

	/* Threads inherit the mask. What a fault raises stays open, for the program's handler. */
	sigfillset(&mask);
	sigdelset(&mask, SIGSEGV);
	sigdelset(&mask, SIGBUS);
	sigdelset(&mask, SIGFPE);
	sigdelset(&mask, SIGILL);
	pthread_sigmask(SIG_SETMASK, &mask, &before);
	while (made < threads - 1 && !pthread_create(&pool->ids[made], NULL, work, pool))
		made++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (made < threads - 1) {
		join(pool, made);
		free_pool(pool);
		return GLACIER_ERR_LIMIT;
	}
	*out = pool;
	return GLACIER_OK;
}

void glc_pool_destroy(struct glc_pool *pool)
{
	if (!pool)
		return;
	join(pool, pool->threads - 1);
	free_pool(pool);
}

unsigned glc_pool_threads(const struct glc_pool *pool)
{
	return pool ? pool->threads : 1;
}
