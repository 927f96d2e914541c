/* SPDX-License-Identifier: MIT */
/* The table: tiers and what they are compared with, patterns, sizes, numbers of threads. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_column columns[] = {
	{"tier", "tier", CLI_CELL_TEXT, 0},
	{"pattern", "pattern", CLI_CELL_TEXT, 0},
	{"sizes", "sizes", CLI_CELL_TEXT, 0},
	{"threads", "threads", CLI_CELL_UINT, 0},
	{"pair_ns", "ns/pair", CLI_CELL_REAL, 1},
	{"pairs_per_second", "Mpairs/s", CLI_CELL_REAL, 2},
	{"p50_ns", "p50", CLI_CELL_REAL, 0},
	{"p90_ns", "p90", CLI_CELL_REAL, 0},
	{"p99_ns", "p99", CLI_CELL_REAL, 0},
	{"p99_9_ns", "p99.9", CLI_CELL_REAL, 0},
	{"p99_99_ns", "p99.99", CLI_CELL_REAL, 0},
	{"reserved_per_live", "reserved/live", CLI_CELL_REAL, 2},
	{"external_fragmentation", "fragm.", CLI_CELL_REAL, 2},
	{"failures", "failed", CLI_CELL_UINT, 0},
	{"note", "note", CLI_CELL_TEXT, 0},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

/* What is asked of a tier when nothing is said. */
static const struct sizes usual[GLACIER_TIER_COUNT] = {
	[GLACIER_TIER_POOL] = {256, 1 << 20},          [GLACIER_TIER_SLAB] = {4096, 4096}, [GLACIER_TIER_BUDDY] = {1 << 20, 1 << 20},
	[GLACIER_TIER_RESERVOIR] = {64 << 20, 64 << 20}, [GLACIER_TIER_RING] = {1024, 1024},
};

static void spell_size(uint64_t bytes, char *out, size_t room)
{
	unsigned shift = bytes % (1 << 30) == 0 ? 30 : bytes % (1 << 20) == 0 ? 20 : bytes % (1 << 10) == 0 ? 10 : 0;

	snprintf(out, room, "%llu%s", (unsigned long long)(bytes >> shift), shift == 30 ? "G" : shift == 20 ? "M" : shift == 10 ? "K" : "");
}

static void spell_sizes(struct sizes sizes, char out[64])
{
	char low[24], high[24];

	spell_size(sizes.low, low, sizeof low);
	spell_size(sizes.high, high, sizeof high);
	snprintf(out, 64, sizes.low == sizes.high ? "%s" : "%s..%s", low, high);
}

struct bench {
	const struct options *opt;
	struct cli_table table;
	struct curve *curves;
	size_t curve_count, done, total;
	enum cli_code code;
};

static void add_row(struct bench *b, const struct cell_spec *spec, const char *name, const struct result *r)
{
	char sizes[64], note[160];
	union cli_cell cells[COLUMNS];

	spell_sizes(spec->sizes, sizes);
	note[0] = '\0';
	if (r->why)
		snprintf(note, sizeof note, "%s", r->why);
	else if (r->overlaps || r->lost)
		snprintf(note, sizeof note, "%llu overlaps, %llu lost writes or refused frees", (unsigned long long)r->overlaps,
			 (unsigned long long)r->lost);
	else if (r->failures && isnan(r->ns_pair))
		snprintf(note, sizeof note, "every allocation fails");
	else if (b->opt->check)
		snprintf(note, sizeof note, "checked");
	cells[0].text = name;
	cells[1].text = pattern_name(spec->pattern);
	cells[2].text = sizes;
	cells[3].u = spec->threads;
	cells[4].real = r->ns_pair;
	cells[5].real = b->opt->form == CLI_TABLE_TEXT ? r->pairs_second / 1e6 : r->pairs_second;
	for (int i = 0; i < PERCENTILES; i++)
		cells[6 + i].real = r->at[i];
	cells[11].real = r->reserved_ratio;
	cells[12].real = r->fragmentation;
	cells[13].u = r->failures;
	cells[14].text = note[0] ? note : NULL;
	cli_table_add(&b->table, cells);
	if (r->overlaps || r->lost)
		b->code = CLI_WRONG;
}

static void cell(struct bench *b, const struct cell_spec *spec)
{
	struct result r = run_cell(spec, NULL);
	char name[TARGET_NAME];

	if (spec->compared)
		snprintf(name, sizeof name, "%s", spec->compared);
	else
		target_name(name, spec->opt, spec->tier);
	add_row(b, spec, name, &r);
	if (!r.why) {
		struct curve *curve = &b->curves[b->curve_count++];

		snprintf(curve->name, sizeof curve->name, "%.24s %s, %u", name, pattern_name(spec->pattern), spec->threads);
		memcpy(curve->at, r.at, sizeof curve->at);
	}
	cli_progress("cells", ++b->done, b->total);
}

/* Why an arena's tier does not take such sizes, or NULL. */
static const char *sizes_refused(const struct cell_spec *spec)
{
	uint64_t most = spec->tier == GLACIER_TIER_SLAB ? 65536 : spec->tier == GLACIER_TIER_BUDDY ? 32 << 20 : UINT64_MAX;

	if (spec->compared)
		return NULL;
	return spec->sizes.high > most ? "larger than the tier gives" : spec->sizes.high > spec->opt->arena_bytes ? "larger than the arena" : NULL;
}

static void rows(struct bench *b, struct cell_spec spec)
{
	const struct options *opt = spec.opt;
	struct sizes own = usual[spec.tier];
	const struct sizes *sizes = opt->size_count ? opt->sizes : &own;
	size_t count = opt->size_count ? opt->size_count : 1;
	const char *why;

	for (int pattern = 0; pattern < PATTERN_COUNT; pattern++)
		for (size_t i = 0; opt->pattern[pattern] && i < count; i++)
			for (size_t t = 0; t < opt->thread_counts; t++) {
				spec.pattern = (enum pattern)pattern;
				spec.sizes = sizes[i];
				spec.threads = opt->threads[t];
				why = sizes_refused(&spec);
				if (why) {
					struct result none = {.ns_pair = NAN, .pairs_second = NAN, .at = {NAN, NAN, NAN, NAN, NAN},
							      .reserved_ratio = NAN, .fragmentation = NAN, .why = why};

					add_row(b, &spec, glacier_tier_name(spec.tier), &none);
					continue;
				}
				cell(b, &spec);
			}
}

static enum cli_code record(const struct options *opt)
{
	struct trace trace = {0};
	struct cell_spec spec = {.opt = opt, .threads = 1};
	const char *why;
	bool good;

	for (int i = GLACIER_TIER_COUNT; i--;)
		if (opt->tier[i])
			spec.tier = (enum glacier_tier)i;
	for (int i = PATTERN_COUNT; i--;)
		if (opt->pattern[i])
			spec.pattern = (enum pattern)i;
	spec.sizes = opt->size_count ? opt->sizes[0] : usual[spec.tier];
	why = sizes_refused(&spec);
	if (!why)
		why = run_cell(&spec, &trace).why;
	if (why)
		cli_wrong("--record: %s", why);
	target_close_device();
	good = trace_write(&trace, opt->record);
	trace_fini(&trace);
	return good ? CLI_OK : CLI_TROUBLE;
}

enum cli_code bench_patterns(const struct options *opt)
{
	struct bench b = {.opt = opt, .code = CLI_OK};
	size_t patterns = 0, tiers = opt->compared;

	if (opt->record)
		return record(opt);
	for (int i = 0; i < PATTERN_COUNT; i++)
		patterns += opt->pattern[i];
	for (int i = 0; i < GLACIER_TIER_COUNT; i++)
		tiers += opt->tier[i];
	b.total = patterns * tiers * opt->thread_counts * (opt->size_count ? opt->size_count : 1);
	b.curves = cli_alloc((b.total + patterns * opt->compared * GLACIER_TIER_COUNT * opt->thread_counts + 1) * sizeof *b.curves);
	cli_table_init(&b.table, "glacier-arena-bench", columns, COLUMNS);
	for (int tier = 0; tier < GLACIER_TIER_COUNT; tier++)
		if (opt->tier[tier])
			rows(&b, (struct cell_spec){.opt = opt, .tier = (enum glacier_tier)tier});
	for (size_t i = 0; i < opt->compared; i++) {
		/* Without sizes, those of the first tier that was asked for. */
		enum glacier_tier tier = GLACIER_TIER_SLAB;

		if (!opt->tier[tier])
			for (int t = GLACIER_TIER_COUNT; t--;)
				if (opt->tier[t])
					tier = (enum glacier_tier)t;
		rows(&b, (struct cell_spec){.opt = opt, .tier = tier, .compared = opt->compare[i]});
	}
	cli_progress_clear();
	cli_say("reading the clock twice costs %.0f ns, which latencies are without", timer_cost_ns());
	cli_table_print(&b.table, opt->form, stdout);
	if (opt->plot && !(plot_latency(opt->plot, b.curves, b.curve_count) && cli_commit()))
		b.code = CLI_TROUBLE;
	cli_table_fini(&b.table);
	target_close_device();
	free(b.curves);
	return b.code;
}
