/* SPDX-License-Identifier: MIT */
#ifndef GC_ALLREDUCE_OPTIONS_H
#define GC_ALLREDUCE_OPTIONS_H

#include <glacier/collective.h>

#include "common/cli.h"

/* Beyond what every program has. */
enum exit_code { EXIT_MISMATCH = 3, EXIT_LOST, EXIT_TIMEOUT, EXIT_AUTHENTICATION, EXIT_SYSTEM };

enum transport_kind { TRANSPORT_DEFAULT, TRANSPORT_INPROC, TRANSPORT_SHM, TRANSPORT_TCP, TRANSPORT_COUNT };

struct options {
	uint32_t ranks;            /* -n; 0: not given */
	const char *input, *output;
	uint64_t begin_bytes, end_bytes, step_bytes;
	uint32_t factor;
	uint32_t warmup;
	uint32_t iters;            /* 0: by the size */
	enum glacier_type type;
	bool has_type;
	enum glacier_reduce op;
	uint32_t check_rounds;     /* 0: nothing is checked */
	bool random, plant_fault, in_place, private_memory;
	uint64_t seed;
	enum transport_kind transport;
	bool explain_algo, full, csv, dry_run;
	const char *timeline;
	struct glacier_comm_options comm;
	/* Launching; what is not given comes from the environment. */
	const char *rank, *size, *address, *token_file, *bind, *congestion;
	uint16_t port_base;
	uint32_t channels;
};

void options_parse(struct options *options, int argc, char **argv);
const char *transport_name(enum transport_kind kind);

/* The exit code of a library's refusal. */
int exit_code_of(enum glacier_status status);
/* Tells why, and ends the process. */
_Noreturn void fail_with(struct glacier_comm *comm, enum glacier_status status);

#endif
