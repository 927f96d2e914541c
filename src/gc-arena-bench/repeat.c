/* SPDX-License-Identifier: MIT */
#include "repeat.h"

#include <sched.h>
#include <stdlib.h>

struct shared {
	struct glacier_arena *arena;
	const struct trace *trace;
	unsigned threads;
	bool stop;
	_Atomic glacier_addr *addr;
	struct box *boxes;
	pthread_barrier_t begin;
};

struct repeater {
	struct shared *shared;
	unsigned number;
	struct repetition done;
	uint64_t began_ns, ended_ns;
};

/* The allocation may be another thread's, which has not come to it. */
static glacier_addr wait_for(_Atomic glacier_addr *addr)
{
	glacier_addr at;

	while ((at = atomic_load_explicit(addr, memory_order_acquire)) == NOT_YET)
		sched_yield();
	return at;
}

static void free_one(struct shared *s, size_t i)
{
	const struct event *e = &s->trace->events[i];
	glacier_addr at = wait_for(&s->addr[e->id]);

	if (at != HAS_FAILED && glacier_arena_free(s->arena, at))
		cli_die("event %zu: the arena refuses to free what it gave", i + 1);
	if (s->boxes)
		s->boxes[e->id].to = i;
}

static bool alloc_one(struct shared *s, size_t i)
{
	const struct event *e = &s->trace->events[i];
	glacier_addr at;
	bool good = !glacier_arena_alloc(s->arena, e->bytes, &at);

	if (s->boxes)
		s->boxes[e->id] = (struct box){i, s->trace->count, good ? at : 0, good ? e->bytes : 0};
	atomic_store_explicit(&s->addr[e->id], good ? at : HAS_FAILED, memory_order_release);
	return good;
}

static void *repeat(void *argument)
{
	struct repeater *r = argument;
	struct shared *s = r->shared;

	if (s->threads > 1)
		pthread_barrier_wait(&s->begin);
	r->began_ns = cli_now_ns();
	for (size_t i = 0; i < s->trace->count; i++) {
		const struct event *e = &s->trace->events[i];

		if (s->threads > 1 && e->thread % s->threads != r->number)
			continue;
		if (e->op == EVENT_FREE) {
			free_one(s, i);
		} else if (!alloc_one(s, i)) {
			if (!r->done.failures++)
				r->done.first_failure = i;
			if (s->stop)
				break;
		}
	}
	r->ended_ns = cli_now_ns();
	return NULL;
}

struct repetition repeat_log(struct glacier_arena *arena, const struct trace *trace, unsigned threads, bool stop,
			     _Atomic glacier_addr *addr, struct box *boxes)
{
	struct shared s = {arena, trace, threads, stop, addr, boxes, {{0}}};
	struct repeater *r = cli_alloc(threads * sizeof *r);
	pthread_t *ids = cli_alloc(threads * sizeof *ids);
	struct repetition all = {.first_failure = SIZE_MAX};
	uint64_t began = UINT64_MAX, ended = 0;

	for (uint32_t i = 0; i < trace->ids; i++)
		atomic_init(&addr[i], NOT_YET);
	pthread_barrier_init(&s.begin, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		r[i] = (struct repeater){.shared = &s, .number = i, .done.first_failure = SIZE_MAX};
		if (threads == 1)
			repeat(&r[i]);
		else if (pthread_create(&ids[i], NULL, repeat, &r[i]))
			cli_die("a thread cannot be made");
	}
	for (unsigned i = 0; i < threads; i++) {
		if (threads > 1)
			pthread_join(ids[i], NULL);
		all.failures += r[i].done.failures;
		if (r[i].done.first_failure < all.first_failure)
			all.first_failure = r[i].done.first_failure;
		began = r[i].began_ns < began ? r[i].began_ns : began;
		ended = r[i].ended_ns > ended ? r[i].ended_ns : ended;
	}
	pthread_barrier_destroy(&s.begin);
	all.ns = (double)(ended - began);
	free(r);
	free(ids);
	return all;
}
