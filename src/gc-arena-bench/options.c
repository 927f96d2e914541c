/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_TIER = CLI_KEY, KEY_PATTERN, KEY_SIZES, KEY_THREADS, KEY_TIME, KEY_OPS, KEY_SEED, KEY_ARENA, KEY_REPEAT, KEY_BACKING,
	KEY_FIT, KEY_SUB_BINS, KEY_CHECK, KEY_COMPARE, KEY_REPLAY, KEY_FORMAT, KEY_RECORD, KEY_MIN_ARENA, KEY_KV, KEY_CSV, KEY_PLOT,
	KEY_MAP, KEY_DUMP
};

static const struct cli_option option_table[] = {
	{0, NULL, NULL, "What is measured:"},
	{KEY_TIER, "tier", "LIST", "slab, buddy, reservoir, ring, pool or all (all)"},
	{KEY_PATTERN, "pattern", "LIST", "hot, ws, lifo, fifo, random, xfree, larson, burst, phase, kv or all (hot,ws)"},
	{KEY_SIZES, "sizes", "LIST", "bytes, 4K, 1M or 256..64K for any between (what suits the tier)"},
	{KEY_THREADS, "threads", "LIST", "numbers of threads (1,2; of a log: 1)"},
	{KEY_TIME, "time", "TIME", "of each cell, as 100ms or 1s"},
	{KEY_OPS, "ops", "N", "operations of each thread instead of a time"},
	{KEY_REPEAT, "repeat", "N", "runs of each cell: the median is told (3)"},
	{KEY_SEED, "seed", "N", "of the random numbers (1)"},
	{0, NULL, NULL, "The arena:"},
	{KEY_ARENA, "arena", "SIZE", "its bytes (1G)"},
	{KEY_BACKING, "backing", "KIND", "host, thp, null (addresses alone), pinned, cuda, virtual or vulkan (host; of a log: null)"},
	{KEY_FIT, "fit", "KIND", "buddy or run (buddy)"},
	{KEY_SUB_BINS, "sub-bins", NULL, "four slab sizes a power of two"},
	{KEY_CHECK, "check", NULL, "watch every byte: overlaps and lost writes end it with 1"},
	{KEY_COMPARE, "compare", "WHAT", "also measure malloc, or dlopen:LIBRARY's"},
	{0, NULL, NULL, "Traces:"},
	{KEY_REPLAY, "replay", "FILE", "repeat what a log tells"},
	{KEY_FORMAT, "format", "KIND", "of the log: rmm, rep, gc, pytorch or kv (by its name and first bytes)"},
	{KEY_KV, "kv", "BYTES,BLOCK", "kv: bytes a token, tokens a block (131072,16)"},
	{KEY_MIN_ARENA, "min-arena", NULL, "the smallest arena that replays, for each policy"},
	{KEY_RECORD, "record", "FILE", "write what the pattern does, or the log of --replay, in the program's own form"},
	{0, NULL, NULL, "Output:"},
	{KEY_CSV, "csv", NULL, "the table as CSV"},
	{KEY_DUMP, "dump", NULL, "the arena's statistics as JSON after a replay"},
	{KEY_PLOT, "plot", "FILE.svg", "latency, or occupancy over time of a replay"},
	{KEY_MAP, "map", "FILE.svg", "the arena after a replay"},
};

static const struct cli_program program = {
	.name = "gc-arena-bench",
	.usage = "[--tier=LIST] [--pattern=LIST] [options]\n"
		 "--replay=FILE [--format=KIND] [--min-arena] [options]",
	.purpose = "Measure the arena allocators, and replay allocation logs on them.",
	.closing = "Examples:\n"
		   "  gc-arena-bench\n"
		   "  gc-arena-bench --tier=slab --pattern=all --sizes=4K --threads=1,2 --compare=malloc\n"
		   "  gc-arena-bench --replay=rmm_log.csv --min-arena",
	.options = option_table,
	.option_count = sizeof option_table / sizeof *option_table,
};

static const char patterns[PATTERN_COUNT][8] = {"hot", "ws", "lifo", "fifo", "random", "xfree", "larson", "burst", "phase", "kv"};
static const char backings[BACKING_COUNT][8] = {"host", "thp", "null", "pinned", "cuda", "virtual", "vulkan"};
static const char formats[FORMAT_COUNT][8] = {"rmm", "rep", "gc", "pytorch", "kv"};

const char *pattern_name(enum pattern pattern)
{
	return patterns[pattern];
}

const char *backing_name(enum backing backing)
{
	return backings[backing];
}

/* The next word of a list that commas divide; false at its end. */
static bool word(const char **list, char *out, size_t bytes, const char *option)
{
	size_t length = strcspn(*list, ",");

	if (!**list)
		return false;
	if (!length || length >= bytes)
		cli_bad_usage("%s: '%s' is no list", option, *list);
	memcpy(out, *list, length);
	out[length] = '\0';
	*list += length;
	*list += **list == ',';
	return true;
}

static unsigned find(const char *option, const char *name, const char *names, size_t stride, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(name, names + i * stride))
			return i;
	cli_bad_usage("%s: there is no '%s'", option, name);
}

/* 4096, 4K, 1M, 2G. */
static uint64_t size_of(const char *option, const char *text, char **end)
{
	unsigned long long value;
	unsigned shift = 0;

	errno = 0;
	value = strtoull(text, end, 10);
	if (*text < '0' || *text > '9')
		cli_bad_usage("%s: '%s' is no size", option, text);
	switch (**end) {
	case 'k': case 'K': shift = 10; break;
	case 'm': case 'M': shift = 20; break;
	case 'g': case 'G': shift = 30; break;
	default: break;
	}
	*end += shift > 0;
	if (errno || value > UINT64_MAX >> shift)
		cli_bad_usage("%s: '%s' is too large", option, text);
	return (uint64_t)value << shift;
}

static void read_sizes(struct options *opt, const char *list)
{
	char text[64], *end;

	opt->size_count = 0;
	while (word(&list, text, sizeof text, "--sizes")) {
		struct sizes *sizes = &opt->sizes[opt->size_count++];

		if (opt->size_count > MOST_SIZES - 1)
			cli_bad_usage("--sizes: more than %d", MOST_SIZES - 1);
		sizes->low = sizes->high = size_of("--sizes", text, &end);
		if (!strncmp(end, "..", 2))
			sizes->high = size_of("--sizes", end + 2, &end);
		if (*end || !sizes->low || sizes->high < sizes->low)
			cli_bad_usage("--sizes: '%s' is no size and no range", text);
	}
}

static double read_time(const char *text)
{
	char *end;
	double value = strtod(text, &end), scale = !strcmp(end, "ms") ? 1e-3 : !strcmp(end, "us") ? 1e-6 : !strcmp(end, "s") || !*end ? 1 : 0;

	if (end == text || !scale || !(value > 0 && value * scale <= 3600))
		cli_bad_usage("--time=%s: write 100ms or 1s, up to an hour", text);
	return value * scale;
}

static void read_list(bool *chosen, const char *option, const char *list, const char *names, size_t stride, unsigned count)
{
	char text[64];

	memset(chosen, 0, count * sizeof *chosen);
	while (word(&list, text, sizeof text, option)) {
		if (!strcmp(text, "all"))
			memset(chosen, 1, count * sizeof *chosen);
		else
			chosen[find(option, text, names, stride, count)] = true;
	}
}

static void read_threads(struct options *opt, const char *list)
{
	char text[64];

	opt->thread_counts = 0;
	while (word(&list, text, sizeof text, "--threads")) {
		if (opt->thread_counts == MOST_THREAD_COUNTS)
			cli_bad_usage("--threads: more than %d numbers", MOST_THREAD_COUNTS);
		opt->threads[opt->thread_counts++] = (unsigned)cli_number("--threads", text, 1, 256);
	}
}

static void defaults(struct options *opt)
{
	*opt = (struct options){.threads = {1, 2}, .thread_counts = 2, .seed = 1, .arena_bytes = UINT64_C(1) << 30, .repeats = 3,
				.format = FORMAT_COUNT, .kv_bytes = 131072, .kv_block = 16};
	memset(opt->tier, 1, sizeof opt->tier);
	opt->pattern[PATTERN_HOT] = opt->pattern[PATTERN_WS] = true;
}

static const char *name_of(int key)
{
	size_t i = 0;

	while (option_table[i].key != key)
		i++;
	return option_table[i].name;
}

/* The first of the keys that was given, or 0. */
static int first_given(uint32_t given, const int *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (given >> (keys[i] - CLI_KEY) & 1)
			return keys[i];
	return 0;
}

/* An option that nothing would ask for is a mistake. given: a bit a key. */
static void check(const struct options *opt, uint32_t given)
{
	static const int of_patterns[] = {KEY_TIER, KEY_PATTERN, KEY_SIZES, KEY_TIME, KEY_OPS, KEY_REPEAT, KEY_SEED, KEY_CHECK, KEY_COMPARE};
	static const int of_logs[] = {KEY_FORMAT, KEY_KV, KEY_MIN_ARENA, KEY_MAP, KEY_DUMP};
	static const int of_repetition[] = {KEY_THREADS, KEY_ARENA, KEY_BACKING, KEY_FIT, KEY_SUB_BINS, KEY_MIN_ARENA, KEY_CSV, KEY_PLOT,
					    KEY_MAP, KEY_DUMP};
	int key;

	key = opt->replay ? first_given(given, of_patterns, sizeof of_patterns / sizeof *of_patterns) : 0;
	if (key)
		cli_bad_usage("--%s is not for --replay: the log says what is done", name_of(key));
	key = opt->replay ? 0 : first_given(given, of_logs, sizeof of_logs / sizeof *of_logs);
	if (key)
		cli_bad_usage("--%s needs --replay", name_of(key));
	key = opt->replay && opt->record ? first_given(given, of_repetition, sizeof of_repetition / sizeof *of_repetition) : 0;
	if (key || (opt->replay && opt->record && cli.json))
		cli_bad_usage("--record with --replay writes the log and repeats nothing: not with --%s", key ? name_of(key) : "json");
	if (opt->dump && (opt->form != CLI_TABLE_TEXT || cli.json))
		cli_bad_usage("--dump is JSON by itself: not with --json or --csv");
	if (cli.json && opt->form == CLI_TABLE_CSV)
		cli_bad_usage("--json and --csv are two forms: choose one");
}

void options_parse(struct options *opt, int argc, char **argv)
{
	char tiers[GLACIER_TIER_COUNT][12];
	char **operands;
	const char *arg;
	char *end;
	size_t count;
	uint32_t given = 0;
	int key;

	for (int i = 0; i < GLACIER_TIER_COUNT; i++)
		snprintf(tiers[i], sizeof tiers[i], "%s", glacier_tier_name((enum glacier_tier)i));
	defaults(opt);
	cli_start(&program, argc, argv);
	while ((key = cli_next(&arg)) != CLI_END) {
		given |= UINT32_C(1) << (key - CLI_KEY);
		switch (key) {
		case KEY_TIER: read_list(opt->tier, "--tier", arg, tiers[0], sizeof tiers[0], GLACIER_TIER_COUNT); break;
		case KEY_PATTERN: read_list(opt->pattern, "--pattern", arg, patterns[0], sizeof patterns[0], PATTERN_COUNT); break;
		case KEY_SIZES: read_sizes(opt, arg); break;
		case KEY_THREADS:
			read_threads(opt, arg);
			opt->threads_given = true;
			break;
		case KEY_TIME: opt->seconds = read_time(arg); break;
		case KEY_OPS: opt->ops = cli_number("--ops", arg, 1, UINT64_C(1) << 40); break;
		case KEY_REPEAT: opt->repeats = (unsigned)cli_number("--repeat", arg, 1, 1000); break;
		case KEY_SEED: opt->seed = cli_number("--seed", arg, 0, UINT64_MAX); break;
		case KEY_ARENA:
			opt->arena_bytes = size_of("--arena", arg, &end);
			if (*end)
				cli_bad_usage("--arena=%s is no size", arg);
			if (!opt->arena_bytes)
				cli_bad_usage("--arena=%s: no arena can be made of 0 bytes", arg);
			opt->arena_given = true;
			break;
		case KEY_BACKING:
			opt->backing = (enum backing)find("--backing", arg, backings[0], sizeof backings[0], BACKING_COUNT);
			opt->backing_given = true;
			break;
		case KEY_FIT:
			if (strcmp(arg, "buddy") && strcmp(arg, "run"))
				cli_bad_usage("--fit=%s: there are buddy and run", arg);
			opt->fit = *arg == 'r' ? GLACIER_FIT_RUN : GLACIER_FIT_BUDDY;
			break;
		case KEY_SUB_BINS: opt->sub_bins = true; break;
		case KEY_CHECK: opt->check = true; break;
		case KEY_COMPARE:
			if (strcmp(arg, "malloc") && strncmp(arg, "dlopen:", 7))
				cli_bad_usage("--compare=%s: there are malloc and dlopen:LIBRARY", arg);
			if (!strcmp(arg, "dlopen:"))
				cli_bad_usage("--compare=%s names no library", arg);
			if (opt->compared == MOST_COMPARED)
				cli_bad_usage("--compare: more than %d", MOST_COMPARED);
			opt->compare[opt->compared++] = arg;
			break;
		case KEY_REPLAY: opt->replay = arg; break;
		case KEY_FORMAT: opt->format = (enum format)find("--format", arg, formats[0], sizeof formats[0], FORMAT_COUNT); break;
		case KEY_KV:
			opt->kv_bytes = size_of("--kv", arg, &end);
			if (*end != ',')
				cli_bad_usage("--kv=%s: write BYTES,BLOCK", arg);
			opt->kv_block = cli_number("--kv", end + 1, 1, 1 << 20);
			if (!opt->kv_bytes || opt->kv_bytes > 1 << 30)
				cli_bad_usage("--kv=%s: a token has 1 to 1G bytes", arg);
			break;
		case KEY_MIN_ARENA: opt->min_arena = true; break;
		case KEY_RECORD: opt->record = arg; break;
		case KEY_CSV: opt->form = CLI_TABLE_CSV; break;
		case KEY_DUMP: opt->dump = true; break;
		case KEY_PLOT: opt->plot = arg; break;
		case KEY_MAP: opt->map = arg; break;
		}
	}
	operands = cli_operands(&count);
	if (count)
		cli_bad_usage("'%s' is not expected: a log is given with --replay", operands[0]);
	check(opt, given);
	if (cli.json)
		opt->form = CLI_TABLE_JSON;
	/* Without a time all cells together take some seconds. */
	if (opt->seconds == 0)
		opt->seconds = 0.02;
}
