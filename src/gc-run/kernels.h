/* SPDX-License-Identifier: MIT */
/* The files that kernels come from, read into modules. */
#ifndef GC_RUN_KERNELS_H
#define GC_RUN_KERNELS_H

#include "job.h"

#include "common/include.h"

struct kernel_file {
	struct cli_file file;
	struct includes includes;
	struct glacier_module *module;
	struct glacier_diag diag;    /* tells what is wrong with this file */
};

/* Reads the file of every launch. What is wrong with one ends the process. */
void kernels_read(struct job *job, const struct options *options);
void kernels_fini(struct job *job);

/* --dump: the code of the one file, to standard output. */
void kernels_dump(const struct job *job, const struct options *options);

#endif
