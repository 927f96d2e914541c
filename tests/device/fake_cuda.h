/* SPDX-License-Identifier: MIT */
/*
 * A CUDA driver for machines without one: linked in place of lib/driver/cuda.c. Memory is the
 * host's, work runs when it is given, and kernels are what the test says. It notes each call,
 * makes any of them fail, and counts what was made and not given back.
 */
#ifndef TESTS_DEVICE_FAKE_CUDA_H
#define TESTS_DEVICE_FAKE_CUDA_H

#include "driver/cuda.h"

struct fake_launch {
	const char *name;            /* of the entry */
	unsigned grid[3], block[3];
	const unsigned char *params;
	size_t param_bytes;
};

struct fake_cuda {
	/* What there is; glc_cuda() looks at opened, result, missing and version each time. */
	bool absent;
	const char *missing;
	glc_cu_result init;
	int version, devices, capability;   /* capability: 90 */
	bool no_managed, no_read_only, no_mapping;
	int max_threads;             /* of a function */
	/* The call of this name fails; after so many that do not. */
	const char *fail;
	int fail_after;
	glc_cu_result fail_result;
	bool never_ready;            /* launches do not end */
	bool refuse_code;            /* cuModuleLoadData takes none */
	const char *jit_log;         /* what a failing compiler says */
	void (*kernel)(const struct fake_launch *launch);
	/* What happened. */
	int calls, launches, links, live;
	char trace[4096];            /* "launch 1;" by stream, "order 1 after 0;", "up 0;", "down 0;" */
	unsigned char image[64];     /* the beginning of the module loaded last */
	char ptx[65536];             /* linked last */
	int link_options, link_level;
	unsigned register_flags;
};

extern struct fake_cuda fake;

/* What the device did not give back, and could not, is gone. */
void fake_forget(void);

/* One H200, nothing fails, nothing happened; what is live stays counted. */
void fake_reset(void);

#endif
