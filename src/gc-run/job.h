/* SPDX-License-Identifier: MIT */
/*
 * What is to be run: arrays, launches over them, outputs. The command line makes a job of
 * one launch, --job reads one of several; from there on they are the same.
 */
#ifndef GC_RUN_JOB_H
#define GC_RUN_JOB_H

#include "generator.h"
#include "npy.h"
#include "options.h"

#include <glacier/device.h>

enum array_source { ARRAY_FILE, ARRAY_GENERATOR };

struct array {
	char *name;
	char *text;                  /* as it was given: "@x.npy", ":zeros:16" */
	enum array_source source;
	enum glacier_type type;      /* GLACIER_VOID until a parameter decides */
	struct shape shape;          /* set once the type is */
	bool written;                /* by some launch */
	bool implied;                /* an output without an input */
	struct cli_file file;        /* ARRAY_FILE */
	size_t offset;               /* of its elements in the file */
	struct generator generator;  /* ARRAY_GENERATOR */
};

/* An argument of a launch: an array of the job, or a literal. */
struct value {
	char *name;
	char *literal;               /* NULL: an array */
	size_t array;
};

struct launch {
	char *file;
	char *reflect;               /* of a .spv: its reflection's file */
	char *kernel;                /* NULL until the file is read: the only one */
	uint32_t size[3];            /* workgroups, or invocations */
	bool in_invocations, has_size;
	struct glacier_define *defines;
	size_t define_count;
	struct value *values;
	size_t value_count;
	struct kernel_file *read;    /* kernels.c */
	/* What the library is asked for: resolved by arguments.c. */
	struct glacier_argument *arguments;
	size_t *argument_arrays;     /* of those that are buffers */
	size_t argument_count;
	uint32_t groups[3];
};

struct job {
	struct array *arrays;
	size_t array_count;
	struct launch *launches;
	size_t launch_count;
	struct output *outputs;      /* output.h */
	size_t output_count;
};

/* Each says what is wrong, and ends the process then. */
void job_from_options(struct job *job, const struct options *options);
void job_from_file(struct job *job, const char *path);
void job_fini(struct job *job);

/* For the two above. text: "@FILE" or ":RULE:N[:TYPE]". */
size_t job_add_array(struct job *job, const char *name, const char *text);
struct launch *job_add_launch(struct job *job);
struct value *job_add_value(struct launch *launch, const char *name);
/* Takes value. */
void job_add_define(struct launch *launch, const char *name, char *value);
/* text: a FILE, or FILE:TYPE[N,...] */
void job_add_output(struct job *job, const char *array, const char *text);
/* The array of that name, or SIZE_MAX. */
size_t job_find_array(const struct job *job, const char *name);
/* Outputs that say type and shape and have no input begin as zeros. */
void job_add_missing_outputs(struct job *job);

static inline uint64_t array_bytes(const struct array *array)
{
	return array->shape.elems * types[array->type].bytes;
}

/* The type is known now: of raw files and generators the shape follows from it. */
void array_decide(struct array *array, enum glacier_type type);

#endif
