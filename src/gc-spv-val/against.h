/* SPDX-License-Identifier: MIT */
/* spirv-val beside us. */
#ifndef GC_SPV_VAL_AGAINST_H
#define GC_SPV_VAL_AGAINST_H

#include "options.h"

struct against {
	bool valid;
	char message[512];   /* its first line; empty when it is content */
};

/* Runs spirv-val on the module, with the options that it knows too. Says what went wrong and returns false. */
bool against_run(const struct options *options, const struct cli_file *file, struct against *result);

#endif
