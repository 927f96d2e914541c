/* SPDX-License-Identifier: MIT */
#include "stats.h"

static const struct cli_column columns[] = {
	{"input", "input", CLI_CELL_TEXT, 0},   {"phase", "phase", CLI_CELL_TEXT, 0},
	{"target", "target", CLI_CELL_TEXT, 0}, {"kernel", "kernel", CLI_CELL_TEXT, 0},
	{"time_ns", "ns", CLI_CELL_UINT, 0},    {"bytes", "bytes", CLI_CELL_UINT, 0},
};

enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static void record(void *user, const struct glacier_stat *stat)
{
	struct run_stats *stats = user;
	char target[128], kernel[256];

	if (stat->target)
		glacier_target_name(stat->target, target, sizeof target);
	if (stat->kernel)
		snprintf(kernel, sizeof kernel, "%.*s", (int)stat->kernel_name_bytes, stat->kernel);
	cli_table_add(&stats->table, (union cli_cell[COLUMN_COUNT]){
					     {.text = stats->input},
					     {.text = glacier_phase_name(stat->phase)},
					     {.text = stat->target ? target : NULL},
					     {.text = stat->kernel ? kernel : NULL},
					     {.u = stat->time_ns},
					     {.u = stat->bytes},
				     });
}

void stats_init(struct run_stats *stats)
{
	*stats = (struct run_stats){.hook = {.record = record, .user = stats}};
	cli_table_init(&stats->table, "glacier-asm-stats", columns, COLUMN_COUNT);
}

void stats_add_read(struct run_stats *stats, const struct cli_file *file, uint64_t begun_ns)
{
	stats->input = file->name;
	record(stats, &(struct glacier_stat){
			      .phase = GLACIER_PHASE_READ,
			      .time_ns = cli_now_ns() - begun_ns,
			      .bytes = file->size,
		      });
}

void stats_print(const struct run_stats *stats, FILE *out)
{
	cli_table_print(&stats->table, cli.json ? CLI_TABLE_JSON : CLI_TABLE_TEXT, out);
}

void stats_fini(struct run_stats *stats)
{
	cli_table_fini(&stats->table);
}
