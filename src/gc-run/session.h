/* SPDX-License-Identifier: MIT */
/* A job on one device: opened, its kernels made ready, its arrays filled, its launches run. */
#ifndef GC_RUN_SESSION_H
#define GC_RUN_SESSION_H

#include "job.h"

struct session {
	char name[32];                          /* "vulkan:0" */
	struct glacier_device *device;
	struct glacier_pipeline **pipelines;    /* one a launch */
	struct glacier_array **arrays;          /* one an array of the job */
	uint64_t *device_ns, *host_ns;          /* one a launch */
	/* Of a session that computes bounds: */
	bool bounded;
	struct glacier_array **bounds;          /* one an array of the job; NULL: it has none */
	struct glacier_array *lost;
};

/* All end the process after saying what is wrong. */

/* subgroup_size: of a processor, unless the options say another; 0: its own. */
void session_open(struct session *session, struct job *job, const struct options *options,
		  const struct device_name *name, uint32_t subgroup_size);
/*
 * The processor, computing how far the values of other devices may lie from its own.
 * Nothing is said of its kernels that was not said before.
 */
void session_open_bounded(struct session *session, struct job *job, const struct options *options,
			  uint32_t subgroup_size);
/* keep_inputs: no launch may change what the job holds, since another device runs it too. */
void session_run(struct session *session, const struct job *job, const struct options *options, bool keep_inputs);
/* The elements of an array of the job, after the run. */
const void *session_elems(struct session *session, size_t array);
/* The bounds of an array, or NULL: equal bits. lost: no bound of this run counts. */
const double *session_bounds(struct session *session, size_t array);
bool session_is_lost(struct session *session);
/* false: --check has found something. */
bool session_is_clean(const struct session *session);
void session_close(struct session *session);

/* --time, --dry-run */
void session_print_times(const struct session *sessions, size_t count, const struct job *job);
void session_print_plan(const struct session *session, const struct job *job);

#endif
