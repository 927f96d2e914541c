/* SPDX-License-Identifier: MIT */
/* Cells of the table measured, and logs replayed. */
#ifndef GC_ARENA_BENCH_RUN_H
#define GC_ARENA_BENCH_RUN_H

#include "patterns.h"

enum { PERCENTILES = 5 };
extern const double percentiles[PERCENTILES];   /* in percent */

/* What a cell gives; NaN: not known. */
struct result {
	double ns_pair, pairs_second, at[PERCENTILES], reserved_ratio, fragmentation;
	uint64_t failures;
	const char *why;             /* it was not measured */
	uint64_t overlaps, lost;     /* with --check */
};

/* make: a fresh target for each run. */
struct cell_spec {
	const struct options *opt;
	enum glacier_tier tier;
	const char *compared;        /* instead of an arena; NULL: none */
	enum pattern pattern;
	struct sizes sizes;
	unsigned threads;
};
struct result run_cell(const struct cell_spec *spec, struct trace *record);
/* ns that reading the clock twice costs: taken off each latency. */
double timer_cost_ns(void);

/* The whole table of patterns, or of a log. The exit code. */
enum cli_code bench_patterns(const struct options *opt);
enum cli_code bench_replay(const struct options *opt);

/* plot.c. Each stages a file. */
struct curve {
	char name[64];
	double at[PERCENTILES];
};
bool plot_latency(const char *path, const struct curve *curves, size_t count);
struct box {
	uint64_t from, to;           /* events */
	glacier_addr addr;
	uint64_t bytes;
};
bool plot_occupancy(const char *path, const struct box *boxes, size_t count, uint64_t events, glacier_addr base);

#endif
