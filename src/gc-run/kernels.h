/* SPDX-License-Identifier: MIT */
/* The files that kernels come from, read into modules. */
#ifndef GC_RUN_KERNELS_H
#define GC_RUN_KERNELS_H

#include "job.h"

#include "common/include.h"

struct kernel_file {
	struct cli_file file;
	struct includes includes;
	struct glacier_module *module;   /* NULL: the file is code that is already made */
	struct cli_file reflection;      /* of such code */
	struct glacier_diag diag;        /* tells what is wrong with this file */
};

/* Reads the file of every launch. What is wrong with one ends the process. */
void kernels_read(struct job *job, const struct options *options);
void kernels_fini(struct job *job);

/* Whether a launch is of code that is already made: SPIR-V, for Vulkan. */
bool kernels_are_prebuilt(const struct job *job);
/* The pipeline of a launch on a device; names its kernel when nobody has. false, told: it cannot be had. */
enum glacier_status kernels_pipeline(struct launch *launch, struct glacier_device *device, const struct options *options,
				     struct glacier_pipeline **out);

/* --dump: the code of the one file, to standard output. */
void kernels_dump(const struct job *job, const struct options *options);

#endif
