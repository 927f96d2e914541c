/* SPDX-License-Identifier: MIT */
/* What one rank works with. Ranks that are threads have one each, and rank 0 alone prints. */
#ifndef GC_ALLREDUCE_SESSION_H
#define GC_ALLREDUCE_SESSION_H

#include "options.h"

struct session {
	const struct options *options;
	struct glacier_comm *comm;
	uint32_t rank, size;
	bool threads;                 /* all ranks are in this process */
	enum glacier_status status;   /* the first that was not good */
	/* Files (files.c) */
	struct cli_file file;
	const unsigned char *input;   /* elements */
	unsigned char *result;
	unsigned char *output;        /* with what stands before the elements */
	size_t header_bytes, count;
	enum glacier_type type;
	char *output_path;
	uint64_t wrong;               /* elements that were not right, of all ranks */
	void *own[2];                 /* private memory: what goes in and what comes out */
	uint32_t own_count;
};

size_t type_bytes(enum glacier_type type);

/* Memory of the communicator, or the rank's own with --private; false: status says why. */
bool session_alloc(struct session *session, size_t bytes, void **out);
/* Frees what is private, the file and the name; the communicator's memory goes with it. */
void session_release(struct session *session);

/* Files: read (before the collective; trouble ends the process), reduce, stage. */
void files_read(struct session *session);
void files_reduce(struct session *session);
void files_stage(struct session *session);

/* The benchmark, one rank's part. */
void bench_run(struct session *session);

/* What element i of a rank is, and what the result must be (values.c). */
void values_fill(const struct session *session, void *array, size_t count, uint32_t round);
uint64_t values_wrong(const struct session *session, const void *array, size_t count, uint32_t round);

/* One collective as a picture. */
void timeline_run(struct session *session, void *in, void *out, size_t count);

#endif
