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
	uint64_t unknown_frees;    /* of what was allocated before the log began */
	uint64_t failures;         /* allocations that failed when the log was written */
	uint64_t twice;            /* addresses given again without a free */
};

/* Reads a log; what is wrong with it ends the process with 1. */
void trace_read(struct trace *trace, const char *path, const struct options *opt);
void trace_add(struct trace *trace, struct event event);
void trace_fini(struct trace *trace);
/* Stages the log in the program's own form. */
bool trace_write(const struct trace *trace, const char *path);

/* Identities of a log (pointers, names) to dense numbers. */
struct ids {
	uint64_t *key;
	uint32_t *id;              /* + 1; 0: free place */
	size_t capacity, used;
};
/* The place of a key, made when it is not there: *id is 0, or the number + 1. */
uint32_t *ids_place(struct ids *ids, uint64_t key);
void ids_fini(struct ids *ids);

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
