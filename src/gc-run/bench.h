/* SPDX-License-Identifier: MIT */
/*
 * gc-run --bench: kernels of one source each on every device, what making their code costs
 * and what launching them does.
 *
 *	bench_kernels.c  which kernels, over how much
 *	bench.c          measuring
 *	bench_print.c    tables and JSON
 *	bench_chart.c    the chart
 */
#ifndef GC_RUN_BENCH_H
#define GC_RUN_BENCH_H

#include "options.h"

/* --- Kernels -------------------------------------------------------------- */

enum { BENCH_ARGUMENTS = 4, BENCH_WORKGROUP = 256 };

enum bench_role {
	BENCH_IN,        /* a buffer of f32, one an element */
	BENCH_INOUT,     /* likewise, and written */
	BENCH_OUT,       /* likewise, only written */
	BENCH_SUMS,      /* a buffer of f32, one a workgroup, only written */
	BENCH_COUNT,     /* a scalar: the elements */
	BENCH_FACTOR,    /* a scalar f32 */
	BENCH_ROUNDS,    /* a scalar: rounds of the logistic map */
};

struct bench_source {
	const char *name, *text;
	uint32_t most_groups;        /* that are launched; 0: as many as the elements take */
	struct {
		const char *name;
		enum bench_role role;
	} arguments[BENCH_ARGUMENTS];
};

/* A source at one size. */
struct bench_case {
	const char *name;
	const struct bench_source *source;
	uint32_t elems, rounds;
	double ops;                  /* floating point operations of a launch; 0: it is for its traffic */
};

extern const struct bench_case bench_cases[];
extern const size_t bench_case_count;

uint32_t bench_groups(const struct bench_case *bench);
/* Of an argument that is a buffer; 0: it is a scalar. */
uint64_t bench_argument_bytes(const struct bench_case *bench, enum bench_role role);
/* Bytes that a launch reads and writes. */
double bench_traffic(const struct bench_case *bench);

/* --- Results -------------------------------------------------------------- */

struct bench_device {
	char name[32];               /* "cpu/1", "cuda:0" */
	struct glacier_device_info info;
	uint32_t threads;            /* cpu */
};

/* Of a source on a device; medians, but for driver_ns: what is built is built once. */
struct bench_compile {
	const char *source;
	size_t device;
	double parse_ns, check_ns, lower_ns, write_ns;   /* the last: NaN where no code is written */
	double driver_ns;
};

struct bench_launch {
	const struct bench_case *bench;
	size_t device;
	struct cli_stats wait;       /* ns from the launch to the end of waiting */
	double queued_ns;            /* of one of many launches in a row */
	double device_ns;            /* by the device's own clock; NaN: not measured */
	bool same;                   /* bits as on the first device */
};

struct bench {
	struct bench_device *devices;
	size_t device_count;
	struct bench_compile *compiles;
	size_t compile_count;
	struct bench_launch *launches;
	size_t launch_count;
};

/* Measures, and prints. false: devices gave different bits. */
bool bench_run(const struct options *options);

void bench_print(const struct bench *bench);
/* Stages the chart for the commit; what it needs lives until then. Free it. */
char *bench_stage_chart(const struct bench *bench, const char *path);

#endif
