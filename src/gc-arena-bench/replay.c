/* SPDX-License-Identifier: MIT */
/* Logs done again, event by event: what they need of memory and time under each policy. */
#include "repeat.h"

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
	{"threads", "threads", CLI_CELL_UINT, 0},
	{"unseen_frees", "unseen", CLI_CELL_UINT, 0},
	{"note", "note", CLI_CELL_TEXT, 0},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

enum { LARGEST_BUDDY = 32 << 20, GRANULE = 2 << 20 };
#define MOST_LIVE_BYTES (UINT64_C(1) << 44)

struct policy {
	const char *name;
	enum glacier_fit fit;
	bool sub_bins;
	enum glacier_tier tier;          /* the pool, or the reservoir alone */
};

static const struct policy policies[] = {
	{"buddy", GLACIER_FIT_BUDDY, false, GLACIER_TIER_POOL},
	{"buddy+sub-bins", GLACIER_FIT_BUDDY, true, GLACIER_TIER_POOL},
	{"run", GLACIER_FIT_RUN, false, GLACIER_TIER_POOL},
	{"run+sub-bins", GLACIER_FIT_RUN, true, GLACIER_TIER_POOL},
};
/* Of what can stand behind nothing else. */
static const struct policy ranges = {"reservoir", GLACIER_FIT_BUDDY, false, GLACIER_TIER_RESERVOIR};

struct need {
	uint64_t peak_live, small_peak, large_peak;   /* large: what only a reservoir takes */
};

/* What is live at most, by the log alone. granules: a reservoir has it all. */
static struct need needs(const struct trace *trace, bool granules)
{
	uint64_t live = 0, small = 0, large = 0, *bytes = cli_alloc(trace->ids * sizeof *bytes);
	struct need n = {0};

	for (size_t i = 0; i < trace->count; i++) {
		const struct event *e = &trace->events[i];
		uint64_t size = e->op == EVENT_ALLOC ? (bytes[e->id] = e->bytes) : bytes[e->id];
		uint64_t *kind = granules || size > LARGEST_BUDDY ? &large : &small;

		/* No arena has this, and sums with it could wrap. */
		if (size > MOST_LIVE_BYTES) {
			n.peak_live = size;
			break;
		}
		live += e->op == EVENT_ALLOC ? size : -size;
		if (granules)
			size = (size + GRANULE - 1) / GRANULE * GRANULE;
		*kind += e->op == EVENT_ALLOC ? size : -size;
		n.peak_live = live > n.peak_live ? live : n.peak_live;
		n.small_peak = small > n.small_peak ? small : n.small_peak;
		n.large_peak = large > n.large_peak ? large : n.large_peak;
	}
	free(bytes);
	return n;
}

/* With addresses and nothing behind them, or over what --backing names. NULL: made; else why not. */
static const char *make(const struct options *opt, const struct policy *policy, uint64_t heap, uint64_t reservoir, bool backed,
			struct target *target)
{
	struct glacier_arena_options options = {.tier = policy->tier, .spill = GLACIER_SPILL_NONE};
	struct options own = *opt;

	own.fit = policy->fit;
	own.sub_bins = policy->sub_bins;
	if (policy->tier == GLACIER_TIER_POOL)
		options.reservoir_bytes = reservoir;
	return target_over(&own, backed ? opt->backing : BACKING_NULL, &options, heap + reservoir, target);
}

struct replays {
	const struct options *opt;
	const struct trace *trace;
	struct need need;
	struct cli_table table;
	_Atomic glacier_addr *addr;
	unsigned threads;                /* that the log tells of */
	enum cli_code code;
};

static bool fits(struct replays *r, const struct policy *policy, uint64_t heap, uint64_t reservoir)
{
	struct repetition done = {.failures = 1};
	struct target target;

	if (!make(r->opt, policy, heap, reservoir, false, &target))
		done = repeat_log(target.arena, r->trace, 1, true, r->addr, NULL);
	target_fini(&target);
	return !done.failures;
}

/* The least of one part, the other being ample; 0: not even 64 times the bytes suffice. */
static uint64_t least(struct replays *r, const struct policy *policy, uint64_t peak, uint64_t unit, uint64_t other, bool heap)
{
	uint64_t low = 0, high = (peak + unit - 1) / unit;

	if (!peak)
		return 0;
	while (!fits(r, policy, heap ? high * unit : other, heap ? other : high * unit)) {
		low = high;
		high *= 2;
		if (high * unit > 64 * peak + 64 * unit * 32)
			return 0;
	}
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (fits(r, policy, heap ? middle * unit : other, heap ? other : middle * unit))
			high = middle;
		else
			low = middle;
	}
	return high * unit;
}

/* Where no table says it, it is a warning. */
static void tell_left_out(const struct options *opt, uint64_t count, const char *what)
{
	struct glacier_diag diag = cli_diag(NULL);
	char text[120];

	if (!count)
		return;
	snprintf(text, sizeof text, "%" PRIu64 " %s", count, what);
	if (opt->record || opt->dump)
		diag.report(diag.user, &(struct glacier_diagnostic){.severity = GLACIER_WARNING, .message = text});
	else
		cli_say("%s", text);
}

static void check_unseen(const struct options *opt, const struct trace *trace)
{
	tell_left_out(opt, trace->unseen_frees, "frees of what was allocated before the log began");
	tell_left_out(opt, trace->twice, "addresses given again without a free");
	tell_left_out(opt, trace->failures, "allocations that had failed are left out");
}

static uint64_t enough(uint64_t bytes)
{
	uint64_t room = bytes * 4 + (UINT64_C(256) << 20);

	return room < UINT64_C(1) << 46 ? room : UINT64_C(1) << 46;
}

/* What the arena is after a replay. */
static void show(struct replays *r, struct glacier_arena *arena, const struct box *boxes)
{
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

static void note_failure(struct replays *r, const struct repetition *done, const struct glacier_arena_stats *stats, char note[160])
{
	const struct event *e = &r->trace->events[done->first_failure];

	snprintf(note, 160, "event %zu (line %" PRIu64 ", %" PRIu64 " bytes) is the first that fails; %" PRIu64 " free, %" PRIu64
		 " in one piece", done->first_failure + 1, e->line, e->bytes, stats->free_bytes, stats->largest_free_bytes);
	r->code = CLI_WRONG;
}

/* done NULL: it was not, for what the note says. */
static void add_row(struct replays *r, const struct policy *policy, unsigned threads, const struct repetition *done,
		    const struct glacier_arena_stats *stats, uint64_t least_bytes, const char *note)
{
	double peak = (double)r->need.peak_live;
	uint64_t unseen = r->trace->unseen_frees;
	union cli_cell cells[COLUMNS];
	char all[256];

	snprintf(all, sizeof all, "%s", note);
	if (unseen)
		snprintf(all, sizeof all, "%s%s%" PRIu64 " free%s of what was allocated before the log began", note, note[0] ? "; " : "", unseen,
			 unseen > 1 ? "s" : "");
	cells[0].text = policy->name;
	cells[1].u = r->trace->count;
	cells[2].real = done ? done->ns / (double)r->trace->count : NAN;
	cells[3].u = r->need.peak_live;
	cells[4].u = stats->peak_reserved_bytes;
	cells[5].real = done ? (double)stats->peak_reserved_bytes / peak : NAN;
	cells[6].u = least_bytes;
	cells[7].real = r->opt->min_arena ? (double)least_bytes / peak : NAN;
	cells[8].u = done ? done->failures : 0;
	cells[9].u = threads;
	cells[10].u = unseen;
	cells[11].text = all[0] ? all : NULL;
	cli_table_add(&r->table, cells);
}

static void policy_row(struct replays *r, const struct policy *policy, unsigned threads, bool chosen)
{
	uint64_t reservoir = r->need.large_peak ? enough(r->need.large_peak) : 0;
	uint64_t heap = policy->tier == GLACIER_TIER_POOL ? enough(r->need.small_peak) : 0, least_bytes = 0;
	bool sized = r->opt->arena_given && chosen;
	uint64_t given = policy->tier == GLACIER_TIER_POOL ? r->opt->arena_bytes : 0;
	struct glacier_arena_stats stats = {0};
	struct repetition done;
	struct box *boxes = NULL;
	char note[160] = "", why[160];
	struct target target;
	const char *refused;

	if (threads > r->threads) {
		snprintf(why, sizeof why, "the log tells of %u thread%s", r->threads, r->threads > 1 ? "s" : "");
		add_row(r, policy, threads, NULL, &stats, 0, why);
		return;
	}
	refused = make(r->opt, policy, sized ? given : heap, sized && !given ? r->opt->arena_bytes : reservoir, chosen && r->opt->backing_given,
		       &target);
	if (refused && !r->opt->backing_given)
		cli_die("no arena can be made of %" PRIu64 " bytes", sized ? r->opt->arena_bytes : heap + reservoir);
	if (refused) {
		add_row(r, policy, threads, NULL, &stats, 0, refused);
		return;
	}
	if (chosen && r->opt->plot) {
		boxes = cli_alloc(r->trace->ids * sizeof *boxes);
		memset(boxes, 0, r->trace->ids * sizeof *boxes);
	}
	done = repeat_log(target.arena, r->trace, threads, false, r->addr, boxes);
	glacier_arena_get_stats(target.arena, &stats);
	if (done.failures)
		note_failure(r, &done, &stats, note);
	if (r->opt->min_arena && heap)
		least_bytes = least(r, policy, r->need.small_peak, 128 << 10, reservoir, true);
	if (r->opt->min_arena && r->need.large_peak)
		least_bytes += least(r, policy, r->need.large_peak, GRANULE, heap, false);
	add_row(r, policy, threads, &done, &stats, least_bytes, note);
	if (chosen)
		show(r, target.arena, boxes);
	free(boxes);
	target_fini(&target);
}

static void all_rows(struct replays *r)
{
	const struct options *opt = r->opt;
	size_t done = 0, count = sizeof policies / sizeof *policies, counts = opt->threads_given ? opt->thread_counts : 1;

	if (opt->backing_given && opt->backing == BACKING_VIRTUAL) {
		for (size_t t = 0; t < counts; t++)
			policy_row(r, &ranges, opt->threads_given ? opt->threads[t] : 1, true);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		bool chosen = policies[i].fit == opt->fit && policies[i].sub_bins == opt->sub_bins;

		/* All of them side by side, or the one that was asked for. */
		for (size_t t = 0; t < counts && (chosen || opt->min_arena); t++)
			policy_row(r, &policies[i], opt->threads_given ? opt->threads[t] : 1, chosen);
		cli_progress("policies", ++done, count);
	}
}

static unsigned count_threads(const struct trace *trace)
{
	struct ids threads = {0};
	unsigned count = 0;

	for (size_t i = 0; i < trace->count; i++) {
		uint32_t *place = ids_place(&threads, trace->events[i].thread);

		if (!*place)
			*place = ++count;
		trace->events[i].thread = *place - 1;
	}
	ids_fini(&threads);
	return count;
}

enum cli_code bench_replay(const struct options *opt)
{
	struct replays r = {.opt = opt, .code = CLI_OK};
	struct trace trace;

	trace_read(&trace, opt->replay, opt);
	check_unseen(opt, &trace);
	if (opt->record) {
		r.code = trace_write(&trace, opt->record) ? CLI_OK : CLI_TROUBLE;
		trace_fini(&trace);
		return r.code;
	}
	r.trace = &trace;
	r.addr = cli_alloc(trace.ids * sizeof *r.addr);
	r.threads = count_threads(&trace);
	r.need = needs(&trace, opt->backing_given && opt->backing == BACKING_VIRTUAL);
	if (!r.need.peak_live)
		cli_wrong("%s: there is no allocation in it", opt->replay);
	if (r.need.peak_live > MOST_LIVE_BYTES)
		cli_wrong("%s: %" PRIu64 " bytes are live at once: more than arenas have", opt->replay, r.need.peak_live);
	cli_table_init(&r.table, "glacier-arena-replay", columns, COLUMNS);
	all_rows(&r);
	cli_progress_clear();
	if (!opt->dump)
		cli_table_print(&r.table, opt->form, stdout);
	cli_table_fini(&r.table);
	target_close_device();
	free(r.addr);
	trace_fini(&trace);
	return r.code;
}
