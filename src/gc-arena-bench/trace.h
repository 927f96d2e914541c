/* SPDX-License-Identifier: MIT */
/* A log of allocations: what it takes to do them again. */
#ifndef GC_ARENA_BENCH_TRACE_H
#define GC_ARENA_BENCH_TRACE_H

#include "options.h"

enum { EVENT_ALLOC, EVENT_FREE };

struct event {
	uint8_t op;
	uint32_t thread;
	uint32_t id;               /* dense, from 0: an allocation, not an address */
	uint64_t bytes;            /* of an allocation */
	uint64_t line;             /* of the log, for messages */
};

struct trace {
	struct event *events;
	size_t count, capacity;
	uint32_t ids;
	uint64_t unseen_frees;     /* of addresses that the log has not named before */
	uint64_t failures;         /* allocations that failed when the log was written */
	uint64_t twice;            /* addresses given again without a free */
};

/* Reads a log; what is wrong with it ends the process with 1. */
void trace_read(struct trace *trace, const char *path, const struct options *opt);
void trace_add(struct trace *trace, struct event event);
void trace_fini(struct trace *trace);
/* Stages the log in the program's own form. */
bool trace_write(const struct trace *trace, const char *path);

/* Identities of a log (pointers, names) to dense numbers; NOT_LIVE: it has been freed. */
#define NOT_LIVE UINT32_MAX
struct ids {
	uint64_t *key;
	uint32_t *id;              /* + 1; 0: free place */
	size_t capacity, used;
};
/* The place of a key, made when it is not there: *id is 0, or the number + 1. */
uint32_t *ids_place(struct ids *ids, uint64_t key);
void ids_fini(struct ids *ids);

/* Allocations whose identity is an address. */
struct addressed {
	struct trace *trace;
	struct ids ids;            /* what is live, and what was */
	struct ids late;           /* + 1: frees that may still come of what was given again without one */
};
/* One that is given again without a free is freed first. */
void addressed_alloc(struct addressed *a, uint64_t at, uint64_t bytes, uint32_t thread, uint64_t line);
/*
 * A free of what was never seen began before the log did and is counted; false: the address was freed before.
 * One that was given again may be freed once more: a thread's row of a free comes late when another
 * is given the address meanwhile.
 */
bool addressed_free(struct addressed *a, uint64_t at, uint32_t thread, uint64_t line);
void addressed_fini(struct addressed *a);

/* The formats. Each is given the whole file. */
void read_rmm(struct trace *trace, const struct cli_file *file);
void read_rep(struct trace *trace, const struct cli_file *file);
void read_gc(struct trace *trace, const struct cli_file *file);
void read_kv(struct trace *trace, const struct cli_file *file, uint64_t token_bytes, uint64_t block);
void read_pytorch(struct trace *trace, const struct cli_file *file);

/* The next line without its end; false behind the last. */
struct lines {
	const char *at, *end;
	uint64_t number;           /* of the line that was given */
};
bool next_line(struct lines *lines, const char **line, size_t *bytes);
/* "file:line: message", and the end with 1. */
_Noreturn void bad_line(const struct cli_file *file, uint64_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
