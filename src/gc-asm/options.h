/* SPDX-License-Identifier: MIT */
/* What the command line of gc-asm says, with every default filled in. */
#ifndef GC_ASM_OPTIONS_H
#define GC_ASM_OPTIONS_H

#include "common/cli.h"

#include <glacier/kernel.h>
#include <glacier/target.h>

struct options {
	char **inputs;           /* "-" when none is named */
	size_t input_count;
	struct glacier_target *targets;
	size_t target_count;
	bool to_folder;          /* several outputs: STEM.SUFFIX in out_dir; else one, to output */
	const char *output;      /* NULL: standard output by default */
	const char *out_dir;
	struct glacier_read_options read;
	struct glacier_write_options write;
	struct cli_warnings warnings;
	uint32_t max_errors;     /* 0: the library's default */
};

/* Bad usage, --help and the like end the process. */
void options_parse(struct options *options, int argc, char **argv);
void options_fini(struct options *options);

/*
 * Where the input's code for one of the targets goes: NULL is standard output by default.
 * Free it.
 */
char *output_path(const struct options *options, const char *input, size_t target);
/* Nobody wants it on a terminal. */
bool output_is_binary(const struct glacier_target *target);

#endif
