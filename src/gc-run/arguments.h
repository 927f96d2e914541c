/* SPDX-License-Identifier: MIT */
/* What a launch gives, held against what its kernel takes. */
#ifndef GC_RUN_ARGUMENTS_H
#define GC_RUN_ARGUMENTS_H

#include "job.h"

/*
 * Fills the launch's arguments and groups, decides the types of its arrays, and notes which
 * of them are written. What is missing or wrong is said, with what the kernel takes, and
 * ends the process.
 */
void arguments_resolve(struct job *job, struct launch *launch, const struct glacier_pipeline *pipeline,
		       const struct options *options);

/* When all launches are resolved: every array has a type, every output an array. */
void arguments_check(struct job *job, const struct options *options);

#endif
