/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const double percentiles[PERCENTILES] = {50, 90, 99, 99.9, 99.99};

enum { SAMPLES = 1 << 17 };

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

double timer_cost_ns(void)
{
	static double cost = -1;
	double samples[1001];

	if (cost >= 0)
		return cost;
	for (size_t i = 0; i < 1001; i++) {
		uint64_t begun = cli_now_ns();

		samples[i] = (double)(cli_now_ns() - begun);
	}
	return cost = cli_stats(samples, 1001).median;
}

/* --- One run -------------------------------------------------------------- */

struct measured {
	double ns_pair, pairs_second;
	uint64_t failures, peak_bytes;
};

static void start(struct worker *w, struct cell *cell, unsigned number, uint64_t seed)
{
	*w = (struct worker){.cell = cell, .number = number};
	for (int i = 0; i < 4; i++) {
		/* SplitMix64 fills the state: no two zeros in a row. */
		uint64_t z = seed + (uint64_t)(number * 4 + (unsigned)i + 1) * UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		w->random[i] = z ^ z >> 31;
	}
	w->live = cli_alloc(MOST_LIVE * sizeof *w->live);
	memset(w->live, 0, MOST_LIVE * sizeof *w->live);
}

static void let_run(const struct options *opt, struct cell *cell)
{
	uint64_t until;

	pthread_barrier_wait(&cell->begin);
	if (opt->ops)
		return;
	until = cli_now_ns() + (uint64_t)(opt->seconds * 1e9);
	while (cli_now_ns() < until)
		nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
	atomic_store(&cell->stop, true);
}

/* samples: of all threads, or NULL. The workers are left with what they hold. */
static struct measured once(const struct options *opt, struct cell *cell, struct worker *workers, uint32_t *samples, size_t *sample_count)
{
	pthread_t *threads = cli_alloc(cell->threads * sizeof *threads);
	struct measured m = {0};
	uint64_t ops = 0, ns = 0, began = UINT64_MAX, ended = 0;

	atomic_store(&cell->stop, false);
	pthread_barrier_init(&cell->begin, NULL, cell->threads + 1);
	for (unsigned i = 0; i < cell->threads; i++) {
		start(&workers[i], cell, i, opt->seed);
		if (samples) {
			workers[i].sample_room = SAMPLES / cell->threads;
			workers[i].samples = samples + i * workers[i].sample_room;
		}
		if (pthread_create(&threads[i], NULL, pattern_run, &workers[i]))
			cli_die("a thread cannot be made");
	}
	let_run(opt, cell);
	for (unsigned i = 0; i < cell->threads; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&cell->begin);
	for (unsigned i = 0; i < cell->threads; i++) {
		struct worker *w = &workers[i];
		bool counts = w->ops && !(cell->pattern == PATTERN_XFREE && i % 2 == 0);

		m.failures += w->failures;
		m.peak_bytes += w->peak_bytes;
		if (samples && w->sample_count) {
			memmove(samples + *sample_count, w->samples, w->sample_count * sizeof *samples);
			*sample_count += w->sample_count;
		}
		if (!counts)
			continue;
		ops += w->ops;
		ns += w->ended_ns - w->began_ns;
		began = w->began_ns < began ? w->began_ns : began;
		ended = w->ended_ns > ended ? w->ended_ns : ended;
	}
	m.ns_pair = ops ? (double)ns / (double)ops : NAN;
	m.pairs_second = ops ? (double)ops * 1e9 / (double)(ended - began) : NAN;
	free(threads);
	return m;
}

static void finish(struct cell *cell, struct worker *workers)
{
	struct live *parked = atomic_exchange(&cell->parked, NULL);

	for (unsigned i = 0; i < cell->threads; i++)
		pattern_finish(&workers[i]);
	if (parked) {
		struct worker last = {.cell = cell, .live = parked};

		pattern_finish(&last);
	}
}

/* --- A cell --------------------------------------------------------------- */

static const char *make_target(const struct cell_spec *spec, struct target *target)
{
	return spec->compared ? target_compared(target, spec->compared) : target_arena(target, spec->opt, spec->tier, spec->opt->arena_bytes);
}

static void watch(struct cell *cell, struct shadow *shadow)
{
	glacier_addr base;
	uint64_t bytes;

	if (!cell->target->arena || glacier_arena_plan(cell->target->arena, GLACIER_TIER_POOL, &base, &bytes))
		return;
	*shadow = (struct shadow){.base = base, .bytes = bytes};
	shadow->owner = calloc(bytes / 256 + 1, sizeof *shadow->owner);
	if (!shadow->owner)
		cli_die("out of memory");
	cell->shadow = shadow;
}

static void look_at_arena(struct result *r, struct target *target, const struct measured *m)
{
	struct glacier_arena_stats stats;

	if (!target->arena || glacier_arena_get_stats(target->arena, &stats))
		return;
	if (m->peak_bytes && target->tier != GLACIER_TIER_RING && target->tier != GLACIER_TIER_POOL)
		r->reserved_ratio = (double)stats.peak_reserved_bytes / (double)m->peak_bytes;
	if (stats.free_bytes && target->tier != GLACIER_TIER_POOL)
		r->fragmentation = 1 - (double)stats.largest_free_bytes / (double)stats.free_bytes;
}

/* The p-th percent of sorted samples, nearest rank. */
static double rank(const uint32_t *samples, size_t count, double percent)
{
	size_t at = (size_t)ceil((double)count * percent / 100);
	double ns;

	if (!count)
		return NAN;
	ns = samples[at ? at - 1 : 0] - timer_cost_ns();
	return ns > 0 ? ns : 0;
}

static void time_calls(const struct cell_spec *spec, struct cell *cell, struct worker *workers, struct result *r)
{
	uint32_t *samples = cli_alloc(SAMPLES * sizeof *samples);
	size_t count = 0;

	once(spec->opt, cell, workers, samples, &count);
	finish(cell, workers);
	qsort(samples, count, sizeof *samples, by_number);
	for (int i = 0; i < PERCENTILES; i++)
		r->at[i] = rank(samples, count, percentiles[i]);
	free(samples);
}

struct result run_cell(const struct cell_spec *spec, struct trace *record)
{
	const struct options *opt = spec->opt;
	struct result r = {.ns_pair = NAN, .pairs_second = NAN, .at = {NAN, NAN, NAN, NAN, NAN}, .reserved_ratio = NAN, .fragmentation = NAN};
	struct worker *workers;
	double *pairs, *rates;
	struct target target;

	r.why = pattern_refused(spec->pattern, spec->compared ? GLACIER_TIER_POOL : spec->tier, spec->threads);
	if (r.why)
		return r;
	workers = cli_alloc(spec->threads * sizeof *workers);
	pairs = cli_alloc(opt->repeats * sizeof *pairs);
	rates = cli_alloc(opt->repeats * sizeof *rates);
	/* The last round times single calls. */
	for (unsigned repeat = 0; repeat <= opt->repeats && !r.why; repeat++) {
		struct cell cell = {.target = &target, .pattern = spec->pattern, .sizes = spec->sizes, .threads = spec->threads,
				    .ops = opt->ops, .record = record};
		struct shadow shadow;
		struct measured m;

		if (record && repeat)
			break;
		r.why = make_target(spec, &target);
		if (r.why)
			break;
		cell.slots = pattern_slots(spec->pattern, target.tier, spec->sizes, opt->arena_bytes, spec->threads);
		cell.queues = aligned_alloc(64, (spec->threads + 1) / 2 * sizeof *cell.queues);
		if (!cell.queues)
			cli_die("out of memory");
		memset(cell.queues, 0, (spec->threads + 1) / 2 * sizeof *cell.queues);
		if (opt->check)
			watch(&cell, &shadow);
		if (repeat == opt->repeats) {
			time_calls(spec, &cell, workers, &r);
		} else {
			m = once(opt, &cell, workers, NULL, NULL);
			look_at_arena(&r, &target, &m);
			finish(&cell, workers);
			pairs[repeat] = m.ns_pair;
			rates[repeat] = m.pairs_second;
			r.failures = m.failures;
		}
		if (atomic_load(&cell.failed))
			r.lost++;
		if (cell.shadow) {
			r.overlaps += atomic_load(&shadow.overlaps);
			r.lost += atomic_load(&shadow.lost);
			free(shadow.owner);
		}
		free(cell.queues);
		target_fini(&target);
	}
	if (!r.why) {
		r.ns_pair = cli_stats(pairs, record ? 1 : opt->repeats).median;
		r.pairs_second = cli_stats(rates, record ? 1 : opt->repeats).median;
	}
	free(workers);
	free(pairs);
	free(rates);
	return r;
}
