/* SPDX-License-Identifier: MIT */
/* What the command line says. */
#ifndef GC_SPV_VAL_OPTIONS_H
#define GC_SPV_VAL_OPTIONS_H

#include "common/cli.h"

#include <glacier/spirv.h>

struct options {
	struct glacier_spirv_options spirv;
	struct glacier_limits limits;
	bool against;           /* spirv-val beside us */
	uint32_t max_errors;
	char **inputs;          /* "-" alone when none is named */
	size_t input_count;
	const char **passed;    /* what spirv-val is told too; NULL at the end */
	size_t passed_count;
};

void options_parse(struct options *options, int argc, char **argv);
void options_fini(struct options *options);

#endif
