/* SPDX-License-Identifier: MIT */
/* Logs done again, event by event: what they need of memory and time under each policy. */
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_column columns[] = {
	{"policy", "policy", CLI_CELL_TEXT, 0},
	{"events", "events", CLI_CELL_UINT, 0},
	{"event_ns", "ns/event", CLI_CELL_REAL, 1},
	{"peak_live_bytes", "peak live", CLI_CELL_UINT, 0},
	{"peak_reserved_bytes", "peak reserved", CLI_CELL_UINT, 0},
	{"reserved_per_live", "reserved/live", CLI_CELL_REAL, 3},
	{"min_arena_bytes", "min arena", CLI_CELL_UINT, 0},
	{"min_arena_per_live", "min/live", CLI_CELL_REAL, 3},
	{"failures", "failed", CLI_CELL_UINT, 0},
	{"note", "note", CLI_CELL_TEXT, 0},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

enum { LARGEST_BUDDY = 32 << 20 };

struct policy {
	const char *name;
	enum glacier_fit fit;
	bool sub_bins;
};

static const struct policy policies[] = {
	{"buddy", GLACIER_FIT_BUDDY, false},
	{"buddy+sub-bins", GLACIER_FIT_BUDDY, true},
	{"run", GLACIER_FIT_RUN, false},
	{"run+sub-bins", GLACIER_FIT_RUN, true},
};

struct need {
	uint64_t peak_live, small_peak, large_peak;   /* large: what only a reservoir takes */
};

/* What is live at most, by the log alone. */
static struct need needs(const struct trace *trace, uint64_t *bytes)
{
	struct need n = {0};
	uint64_t live = 0, small = 0, large = 0;

	for (size_t i = 0; i < trace->count; i++) {
		const struct event *e = &trace->events[i];
		uint64_t size = e->op == EVENT_ALLOC ? (bytes[e->id] = e->bytes) : bytes[e->id];
		uint64_t *kind = size > LARGEST_BUDDY ? &large : &small;

		live += e->op == EVENT_ALLOC ? size : -size;
		*kind += e->op == EVENT_ALLOC ? size : -size;
		n.peak_live = live > n.peak_live ? live : n.peak_live;
		n.small_peak = small > n.small_peak ? small : n.small_peak;
		n.large_peak = large > n.large_peak ? large : n.large_peak;
	}
	return n;
}

static struct glacier_arena *make(const struct policy *policy, uint64_t heap, uint64_t reservoir)
{
	struct glacier_range range = {.base = UINT64_C(1) << 46, .bytes = heap + reservoir};
	struct glacier_arena_options options = {.range = &range, .fit = policy->fit, .sub_bins = policy->sub_bins,
						.reservoir_bytes = reservoir, .spill = GLACIER_SPILL_NONE};
	struct glacier_arena *arena;

	return glacier_arena_create(&options, &arena) ? NULL : arena;
}

struct run {
	uint64_t failures;
	double ns;
	size_t first_failure;            /* event */
};

/* stop: at the first allocation that fails. boxes: where each allocation was, or NULL. */
static struct run replay(struct glacier_arena *arena, const struct trace *trace, bool stop, glacier_addr *addr, struct box *boxes)
{
	struct run run = {.first_failure = SIZE_MAX};
	uint64_t begun = cli_now_ns();

	for (size_t i = 0; i < trace->count; i++) {
		const struct event *e = &trace->events[i];

		if (e->op == EVENT_FREE) {
			if (addr[e->id] && glacier_arena_free(arena, addr[e->id]))
				cli_die("event %zu: the arena refuses to free what it gave", i + 1);
			if (boxes)
				boxes[e->id].to = i;
			addr[e->id] = 0;
			continue;
		}
		if (glacier_arena_alloc(arena, e->bytes, &addr[e->id])) {
			addr[e->id] = 0;
			if (!run.failures++)
				run.first_failure = i;
			if (stop)
				break;
		}
		if (boxes)
			boxes[e->id] = (struct box){i, trace->count, addr[e->id], addr[e->id] ? e->bytes : 0};
	}
	run.ns = (double)(cli_now_ns() - begun);
	return run;
}

static bool fits(const struct policy *policy, const struct trace *trace, uint64_t heap, uint64_t reservoir, glacier_addr *addr)
{
	struct glacier_arena *arena = make(policy, heap, reservoir);
	struct run run = {.failures = 1};

	memset(addr, 0, trace->ids * sizeof *addr);
	if (arena)
		run = replay(arena, trace, true, addr, NULL);
	glacier_arena_destroy(arena);
	return !run.failures;
}

/* The least of one part, the other being ample; 0: not even 64 times the bytes suffice. */
static uint64_t least(const struct policy *policy, const struct trace *trace, uint64_t peak, uint64_t unit, uint64_t other, bool heap,
		      glacier_addr *addr)
{
	uint64_t low = 0, high = (peak + unit - 1) / unit;

	if (!peak)
		return 0;
	while (!fits(policy, trace, heap ? high * unit : other, heap ? other : high * unit, addr)) {
		low = high;
		high *= 2;
		if (high * unit > 64 * peak + 64 * unit * 32)
			return 0;
	}
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (fits(policy, trace, heap ? middle * unit : other, heap ? other : middle * unit, addr))
			high = middle;
		else
			low = middle;
	}
	return high * unit;
}

static void check_unseen(const struct trace *trace)
{
	if (trace->unknown_frees)
		cli_say("%" PRIu64 " frees of what was allocated before the log began", trace->unknown_frees);
	if (trace->twice)
		cli_say("%" PRIu64 " addresses given again without a free", trace->twice);
	if (trace->failures)
		cli_say("%" PRIu64 " allocations that had failed are left out", trace->failures);
}

struct replays {
	const struct options *opt;
	const struct trace *trace;
	struct need need;
	struct cli_table table;
	glacier_addr *addr;
	enum cli_code code;
};

static uint64_t enough(uint64_t bytes)
{
	uint64_t room = bytes * 4 + (UINT64_C(256) << 20);

	return room < UINT64_C(1) << 46 ? room : UINT64_C(1) << 46;
}

static void policy_row(struct replays *r, const struct policy *policy, bool chosen)
{
	uint64_t reservoir = r->need.large_peak ? enough(r->need.large_peak) : 0, heap = enough(r->need.small_peak), min_heap, min_reservoir = 0;
	struct glacier_arena *arena = r->opt->arena_given && chosen
					      ? make(policy, r->opt->arena_bytes, reservoir) : make(policy, heap, reservoir);
	struct glacier_arena_stats stats = {0};
	struct box *boxes = NULL;
	char note[160] = "";
	struct run run;
	union cli_cell cells[COLUMNS];

	if (!arena)
		cli_die("no arena can be made of %" PRIu64 " bytes", r->opt->arena_given && chosen ? r->opt->arena_bytes : heap + reservoir);
	if (chosen && r->opt->plot) {
		boxes = cli_alloc(r->trace->ids * sizeof *boxes);
		memset(boxes, 0, r->trace->ids * sizeof *boxes);
	}
	memset(r->addr, 0, r->trace->ids * sizeof *r->addr);
	run = replay(arena, r->trace, false, r->addr, boxes);
	glacier_arena_get_stats(arena, &stats);
	if (run.failures) {
		const struct event *e = &r->trace->events[run.first_failure];

		snprintf(note, sizeof note, "event %zu (line %" PRIu64 ", %" PRIu64 " bytes) is the first that fails; %" PRIu64 " free, %" PRIu64
			 " in one piece", run.first_failure + 1, e->line, e->bytes, stats.free_bytes, stats.largest_free_bytes);
		r->code = CLI_WRONG;
	}
	min_heap = r->opt->min_arena ? least(policy, r->trace, r->need.small_peak, 128 << 10, reservoir, true, r->addr) : 0;
	if (r->opt->min_arena && r->need.large_peak)
		min_reservoir = least(policy, r->trace, r->need.large_peak, 2 << 20, heap, false, r->addr);
	cells[0].text = policy->name;
	cells[1].u = r->trace->count;
	cells[2].real = run.ns / (double)r->trace->count;
	cells[3].u = r->need.peak_live;
	cells[4].u = stats.peak_reserved_bytes;
	cells[5].real = (double)stats.peak_reserved_bytes / (double)r->need.peak_live;
	cells[6].u = min_heap + min_reservoir;
	cells[7].real = r->opt->min_arena ? (double)(min_heap + min_reservoir) / (double)r->need.peak_live : NAN;
	cells[8].u = run.failures;
	cells[9].text = note[0] ? note : NULL;
	cli_table_add(&r->table, cells);
	if (chosen) {
		struct glacier_buffer buffer = {0};
		glacier_addr base;
		uint64_t bytes;

		glacier_arena_plan(arena, GLACIER_TIER_POOL, &base, &bytes);
		if (boxes && !plot_occupancy(r->opt->plot, boxes, r->trace->ids, r->trace->count, base))
			r->code = CLI_TROUBLE;
		if (r->opt->map && (glacier_arena_svg(arena, &buffer) || !cli_stage(r->opt->map, buffer.data, buffer.size, false) || !cli_commit()))
			r->code = CLI_TROUBLE;
		buffer.size = 0;
		if (r->opt->dump && !glacier_arena_json(arena, true, &buffer))
			fwrite(buffer.data, 1, buffer.size, stdout);
		glacier_buffer_fini(&buffer);
	}
	free(boxes);
	glacier_arena_destroy(arena);
}

enum cli_code bench_replay(const struct options *opt)
{
	struct replays r = {.opt = opt, .code = CLI_OK};
	struct trace trace;
	size_t done = 0;

	trace_read(&trace, opt->replay, opt);
	check_unseen(&trace);
	if (opt->record) {
		r.code = trace_write(&trace, opt->record) ? CLI_OK : CLI_TROUBLE;
		trace_fini(&trace);
		return r.code;
	}
	r.trace = &trace;
	r.addr = cli_alloc(trace.ids * sizeof *r.addr);
	r.need = needs(&trace, r.addr);
	if (!r.need.peak_live)
		cli_wrong("%s: there is no allocation in it", opt->replay);
	if (r.need.peak_live > UINT64_C(1) << 44)
		cli_wrong("%s: %" PRIu64 " bytes are live at once: more than arenas have", opt->replay, r.need.peak_live);
	cli_table_init(&r.table, "glacier-arena-replay", columns, COLUMNS);
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
		bool chosen = policies[i].fit == opt->fit && policies[i].sub_bins == opt->sub_bins;

		/* All of them side by side, or the one that was asked for. */
		if (chosen || opt->min_arena)
			policy_row(&r, &policies[i], chosen);
		cli_progress("policies", ++done, sizeof policies / sizeof *policies);
	}
	cli_progress_clear();
	if (!opt->dump)
		cli_table_print(&r.table, opt->form, stdout);
	cli_table_fini(&r.table);
	free(r.addr);
	trace_fini(&trace);
	return r.code;
}
