/* SPDX-License-Identifier: MIT */
#include "patterns.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* xoshiro256**, by its authors' description: the library's own is not public. */
uint64_t worker_random(struct worker *w)
{
	uint64_t *s = w->random, result = s[1] * 5, shifted = s[1] << 17;

	result = (result << 7 | result >> 57) * 9;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = s[3] << 45 | s[3] >> 19;
	return result;
}

/* Log-uniform: a power of two, and a part of it. */
static uint64_t any_bytes(struct worker *w, struct sizes sizes)
{
	unsigned powers = (unsigned)(__builtin_clzll(sizes.low) - __builtin_clzll(sizes.high)) + 1;
	uint64_t bytes, part;

	if (sizes.low == sizes.high)
		return sizes.low;
	bytes = sizes.low << worker_random(w) % powers;
	part = worker_random(w) % bytes;
	/* Subtract, never add: a size near 2^64 can wrap. */
	return bytes > sizes.high || part > sizes.high - bytes ? sizes.high : bytes + part;
}

/* --- One allocation, one free -------------------------------------------- */

static void check_taken(struct worker *w, const struct live *live)
{
	struct shadow *s = w->cell->shadow;
	uint64_t at = (live->addr - s->base) >> 8, end = (live->addr - s->base + live->bytes + 255) >> 8;

	if (live->addr < s->base || end > s->bytes >> 8) {
		atomic_fetch_add(&s->overlaps, 1);
		return;
	}
	for (; at < end; at++)
		if (atomic_exchange_explicit(&s->owner[at], w->number + 1, memory_order_relaxed))
			atomic_fetch_add(&s->overlaps, 1);
	if (w->cell->target->writable && live->bytes >= 8)
		memcpy((void *)(uintptr_t)live->addr, &live->addr, 8);
}

static void check_given(struct worker *w, const struct live *live)
{
	struct shadow *s = w->cell->shadow;
	uint64_t at = (live->addr - s->base) >> 8, end = (live->addr - s->base + live->bytes + 255) >> 8;

	if (live->addr < s->base || end > s->bytes >> 8)
		return;
	if (w->cell->target->writable && live->bytes >= 8 && memcmp((void *)(uintptr_t)live->addr, &live->addr, 8))
		atomic_fetch_add(&s->lost, 1);
	for (; at < end; at++)
		atomic_store_explicit(&s->owner[at], 0, memory_order_relaxed);
}

static void sample(struct worker *w, uint64_t begun_ns)
{
	uint64_t ns = cli_now_ns() - begun_ns;

	if (w->sample_count < w->sample_room)
		w->samples[w->sample_count++] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

static bool take(struct worker *w, struct live *live, uint64_t bytes)
{
	struct cell *c = w->cell;
	uint64_t begun_ns = w->samples ? cli_now_ns() : 0;
	bool good = target_alloc(c->target, bytes, &live->addr);

	if (w->samples)
		sample(w, begun_ns);
	live->bytes = bytes;
	if (__builtin_expect(!good, 0)) {
		live->bytes = 0;
		w->failures++;
		return false;
	}
	w->live_bytes += bytes;
	if (w->live_bytes > w->peak_bytes)
		w->peak_bytes = w->live_bytes;
	if (__builtin_expect(c->shadow != NULL, 0))
		check_taken(w, live);
	if (__builtin_expect(c->record != NULL, 0)) {
		live->id = c->record->ids++;
		trace_add(c->record, (struct event){.op = EVENT_ALLOC, .thread = w->number, .id = live->id, .bytes = bytes});
	}
	return true;
}

static void give(struct worker *w, struct live *live)
{
	struct cell *c = w->cell;
	uint64_t begun_ns;
	bool good;

	if (!live->bytes)
		return;
	if (__builtin_expect(c->shadow != NULL, 0))
		check_given(w, live);
	begun_ns = w->samples ? cli_now_ns() : 0;
	good = target_free(c->target, live->addr);
	if (w->samples)
		sample(w, begun_ns);
	if (__builtin_expect(!good, 0))
		atomic_store(&c->failed, true);
	if (__builtin_expect(c->record != NULL, 0))
		trace_add(c->record, (struct event){.op = EVENT_FREE, .thread = w->number, .id = live->id});
	w->live_bytes -= live->bytes;
	live->bytes = 0;
	w->ops++;
}

static bool goes_on(struct worker *w)
{
	struct cell *c = w->cell;

	return !atomic_load_explicit(&c->stop, memory_order_relaxed) && (!c->ops || w->ops < c->ops) &&
	       w->failures < 1000 + w->ops;
}

/* --- The patterns --------------------------------------------------------- */

static void hot(struct worker *w)
{
	struct live live;

	while (goes_on(w))
		for (int i = 0; i < 64; i++)
			if (take(w, &live, any_bytes(w, w->cell->sizes)))
				give(w, &live);
}

/* A random one of the working set is replaced. */
static void working_set(struct worker *w)
{
	while (goes_on(w))
		for (int i = 0; i < 64; i++) {
			struct live *live = &w->live[worker_random(w) % w->cell->slots];

			give(w, live);
			take(w, live, any_bytes(w, w->cell->sizes));
		}
}

/* All are taken, and given back from the last, from the first, or in any order. */
static void batches(struct worker *w)
{
	unsigned n = w->cell->slots;

	while (goes_on(w)) {
		for (unsigned i = 0; i < n; i++)
			take(w, &w->live[i], any_bytes(w, w->cell->sizes));
		for (unsigned i = 0; i < n; i++) {
			struct live swapped, *at = &w->live[i];

			if (w->cell->pattern == PATTERN_LIFO) {
				at = &w->live[n - 1 - i];
			} else if (w->cell->pattern == PATTERN_RANDOM) {
				struct live *other = &w->live[i + worker_random(w) % (n - i)];

				swapped = *other;
				*other = *at;
				*at = swapped;
			}
			give(w, at);
		}
	}
}

/* Even threads allocate, odd ones free. */
static void across(struct worker *w)
{
	struct queue *q = &w->cell->queues[w->number / 2];
	bool consumer = w->number % 2;
	uint64_t limit = w->cell->slots < QUEUE ? w->cell->slots : QUEUE;
	struct live live;

	while (goes_on(w)) {
		uint64_t head = atomic_load_explicit(&q->head, consumer ? memory_order_acquire : memory_order_relaxed);
		uint64_t tail = atomic_load_explicit(&q->tail, consumer ? memory_order_relaxed : memory_order_acquire);

		if (consumer ? head == tail : head - tail >= limit) {
			if (consumer && atomic_load_explicit(&q->closed, memory_order_acquire) && head == atomic_load(&q->head))
				return;
			sched_yield();
			continue;
		}
		if (consumer) {
			live = q->at[tail % QUEUE];
			atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
			w->live_bytes += live.bytes;
			give(w, &live);
		} else if (take(w, &live, any_bytes(w, w->cell->sizes))) {
			w->live_bytes -= live.bytes;
			q->at[head % QUEUE] = live;
			atomic_store_explicit(&q->head, head + 1, memory_order_release);
			w->ops += w->cell->ops != 0;
		}
	}
	/* A producer that gives up leaves nobody waiting. */
	atomic_store_explicit(&q->closed, true, memory_order_release);
}

/* As working_set, but the set goes on to another thread now and then. */
static void larson(struct worker *w)
{
	while (goes_on(w)) {
		struct live *parked;

		for (int i = 0; i < 2000 && goes_on(w); i++) {
			struct live *live = &w->live[worker_random(w) % w->cell->slots];

			give(w, live);
			take(w, live, any_bytes(w, w->cell->sizes));
		}
		parked = atomic_exchange(&w->cell->parked, w->live);
		w->live = parked ? parked : atomic_exchange(&w->cell->parked, NULL);
		if (!w->live) {
			w->live = cli_alloc(MOST_LIVE * sizeof *w->live);
			memset(w->live, 0, MOST_LIVE * sizeof *w->live);
		}
	}
}

/* Small ones for a while, then large ones, half of the others still there. */
static void phases(struct worker *w)
{
	struct sizes all = w->cell->sizes, half[2] = {all, all};
	uint64_t middle = all.low;

	while (middle < all.high / 8)
		middle *= 2;
	half[0].high = half[1].low = middle;
	for (unsigned phase = 0; goes_on(w); phase++)
		for (unsigned i = 0; i < w->cell->slots; i++) {
			struct live *live = &w->live[worker_random(w) % w->cell->slots];

			give(w, live);
			take(w, live, any_bytes(w, half[phase % 2]));
		}
}

/* Buffers that live in the order of their sizes: the longer an answer, the later it is given back. */
static void key_values(struct worker *w)
{
	unsigned n = w->cell->slots, *until = cli_alloc(n * sizeof *until);
	uint64_t high = w->cell->sizes.high;

	memset(until, 0, n * sizeof *until);
	for (unsigned now = 0; goes_on(w); now++)
		for (unsigned i = now % 4; i < n; i += 4) {
			struct live *live = &w->live[i];

			if (live->bytes && until[i] > now)
				continue;
			give(w, live);
			if (take(w, live, any_bytes(w, w->cell->sizes)))
				until[i] = now + 1 + (unsigned)(high >> 58 ? live->bytes / (high / 64) : live->bytes * 64 / high);
		}
	free(until);
}

void *pattern_run(void *argument)
{
	struct worker *w = argument;

	pthread_barrier_wait(&w->cell->begin);
	w->began_ns = cli_now_ns();
	switch (w->cell->pattern) {
	case PATTERN_HOT: hot(w); break;
	case PATTERN_WS: working_set(w); break;
	case PATTERN_XFREE: across(w); break;
	case PATTERN_LARSON: larson(w); break;
	case PATTERN_PHASE: phases(w); break;
	case PATTERN_KV: key_values(w); break;
	default: batches(w); break;
	}
	w->ended_ns = cli_now_ns();
	return NULL;
}

void pattern_finish(struct worker *w)
{
	uint64_t ops = w->ops;
	struct queue *q = w->cell->pattern == PATTERN_XFREE ? &w->cell->queues[w->number / 2] : NULL;

	for (unsigned i = 0; w->live && i < MOST_LIVE; i++)
		give(w, &w->live[i]);
	while (q && w->number % 2 && atomic_load(&q->tail) != atomic_load(&q->head)) {
		struct live live = q->at[atomic_load(&q->tail) % QUEUE];

		w->live_bytes += live.bytes;
		give(w, &live);
		atomic_fetch_add(&q->tail, 1);
	}
	w->ops = ops;
	free(w->live);
	w->live = NULL;
}

const char *pattern_refused(enum pattern pattern, enum glacier_tier tier, unsigned threads)
{
	if (pattern == PATTERN_XFREE && threads % 2)
		return "it takes pairs of threads";
	if (pattern == PATTERN_LARSON && threads < 2)
		return "it takes two threads";
	if (tier == GLACIER_TIER_RING && (pattern == PATTERN_WS || pattern == PATTERN_LARSON || pattern == PATTERN_PHASE || pattern == PATTERN_KV))
		return "one slice that lives long stops the whole ring";
	return NULL;
}

unsigned pattern_slots(enum pattern pattern, enum glacier_tier tier, struct sizes sizes, uint64_t arena_bytes, unsigned threads)
{
	uint64_t wanted = pattern == PATTERN_BURST ? MOST_LIVE : pattern == PATTERN_WS || pattern == PATTERN_LARSON ? 256 : 64;
	/* A pool's half is the reservoir; blocks are rounded up to twice. */
	const uint64_t granule = 2 << 20;
	uint64_t share = tier == GLACIER_TIER_POOL ? arena_bytes / 4 : arena_bytes, room = share / 4 / threads / sizes.high;

	if (tier == GLACIER_TIER_RESERVOIR)
		room = share / 2 / threads / granule / ((sizes.high - 1) / granule + 1);
	return (unsigned)(wanted < room ? wanted : room ? room : 1);
}
