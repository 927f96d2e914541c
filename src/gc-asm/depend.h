/* SPDX-License-Identifier: MIT */
/* Dependencies of the outputs as rules for make: -M, -MD and what goes with them. */
#ifndef GC_ASM_DEPEND_H
#define GC_ASM_DEPEND_H

#include "common/include.h"
#include "options.h"

/* The files that the rules go to; what they hold lives until the commit. */
struct depend {
	struct depend_file {
		char *path;  /* NULL: standard output */
		char *text;
		size_t bytes;
	} *files;
	size_t count;
};

/* Add the rule of an input that was read. Says what make cannot be told, and gives false. */
bool depend_add(struct depend *depend, const struct options *options, const char *input,
		const struct includes *includes);
/* All rules are written: hand them to cli_stage. */
bool depend_stage(struct depend *depend);
void depend_fini(struct depend *depend);

#endif
