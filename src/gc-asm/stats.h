/* SPDX-License-Identifier: MIT */
/* --stats: what each phase took, as a table. */
#ifndef GC_ASM_STATS_H
#define GC_ASM_STATS_H

#include "common/cli.h"

#include <glacier/stats.h>

struct run_stats {
	struct glacier_stats hook;   /* for the options of the library's calls */
	struct cli_table table;
	const char *input;           /* at hand */
};

void stats_init(struct run_stats *stats);
/* A file that was read since begun_ns. */
void stats_add_read(struct run_stats *stats, const struct cli_file *file, uint64_t begun_ns);
void stats_print(const struct run_stats *stats, FILE *out);
void stats_fini(struct run_stats *stats);

#endif
