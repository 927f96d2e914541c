/* SPDX-License-Identifier: MIT */
/* Where arrays go: .npy, raw or text files, or standard output. All appear together, or none. */
#ifndef GC_RUN_OUTPUT_H
#define GC_RUN_OUTPUT_H

#include "npy.h"

enum output_form { OUTPUT_NPY, OUTPUT_RAW, OUTPUT_TEXT };

struct output {
	char *array;              /* its name */
	char *path;               /* "-": standard output */
	enum output_form form;
	enum glacier_type type;   /* GLACIER_VOID: not said */
	struct shape shape;
	/* What is staged, until it is committed. */
	char *data;
	size_t bytes;
};

/* Reads FILE or FILE:TYPE[N,...]; what is wrong ends the process. */
void output_parse(struct output *output, const char *array, const char *text);
/* Gets the file ready; nothing is visible before cli_commit. Trouble ends the process. */
void output_stage(struct output *output, enum glacier_type type, const struct shape *shape, const void *elems);
void output_fini(struct output *output);

#endif
