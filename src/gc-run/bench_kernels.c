/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include "bench_sources.h"

enum { M = 1 << 20, K = 1 << 10 };

/* 65535 is as many workgroups as every Vulkan device takes (Vulkan 1.3, maxComputeWorkGroupCount). */
static const struct bench_source
	empty = {"empty", empty_gasm, 1, {{NULL, 0}}},
	vecadd = {"vecadd", vector_add_gasm, 0,
		  {{"a", BENCH_IN}, {"b", BENCH_IN}, {"out", BENCH_OUT}, {"n", BENCH_COUNT}}},
	saxpy = {"saxpy", saxpy_gasm, 65535,
		 {{"x", BENCH_IN}, {"y", BENCH_INOUT}, {"a", BENCH_FACTOR}, {"n", BENCH_COUNT}}},
	/* The form of one element an invocation, and the form that is written for speed. */
	reduce = {"reduce", block_reduce_gasm, 0, {{"in", BENCH_IN}, {"out", BENCH_SUMS}, {"n", BENCH_COUNT}}},
	reduce_stride = {"reduce_stride", reduce_stride_gasm, 1024,
			 {{"in", BENCH_IN}, {"out", BENCH_SUMS}, {"n", BENCH_COUNT}}},
	logistic = {"logistic", logistic_map_gasm, 65535,
		    {{"in", BENCH_IN}, {"out", BENCH_OUT}, {"iters", BENCH_ROUNDS}, {"n", BENCH_COUNT}}};

/* Three operations a round. */
#define LOGISTIC(rounds) {"logistic_" #rounds, &logistic, 256 * K, rounds, 3.0 * 256 * K * rounds}

const struct bench_case bench_cases[] = {
	{"empty", &empty, 1, 0, 0},
	{"vecadd_1M", &vecadd, M, 0, 0},
	{"vecadd_4M", &vecadd, 4 * M, 0, 0},
	{"vecadd_16M", &vecadd, 16 * M, 0, 0},
	{"saxpy_1M", &saxpy, M, 0, 0},
	{"saxpy_4M", &saxpy, 4 * M, 0, 0},
	{"saxpy_16M", &saxpy, 16 * M, 0, 0},
	{"reduce_1M", &reduce, M, 0, 0},
	{"reduce_4M", &reduce, 4 * M, 0, 0},
	{"reduce_16M", &reduce, 16 * M, 0, 0},
	{"reduce_stride_1M", &reduce_stride, M, 0, 0},
	{"reduce_stride_4M", &reduce_stride, 4 * M, 0, 0},
	{"reduce_stride_16M", &reduce_stride, 16 * M, 0, 0},
	LOGISTIC(256),
	LOGISTIC(1024),
};
_Static_assert(sizeof bench_cases / sizeof *bench_cases <= 32, "bench_run has room for so many");
const size_t bench_case_count = sizeof bench_cases / sizeof *bench_cases;

uint32_t bench_groups(const struct bench_case *bench)
{
	uint32_t groups = (bench->elems + BENCH_WORKGROUP - 1) / BENCH_WORKGROUP, most = bench->source->most_groups;

	return most && groups > most ? most : groups;
}

uint64_t bench_argument_bytes(const struct bench_case *bench, enum bench_role role)
{
	switch (role) {
	case BENCH_IN:
	case BENCH_INOUT:
	case BENCH_OUT: return (uint64_t)bench->elems * sizeof(float);
	case BENCH_SUMS: return (uint64_t)bench_groups(bench) * sizeof(float);
	default: return 0;
	}
}

double bench_traffic(const struct bench_case *bench)
{
	double bytes = 0;

	for (int i = 0; i < BENCH_ARGUMENTS && bench->source->arguments[i].name; i++) {
		enum bench_role role = bench->source->arguments[i].role;

		bytes += (double)bench_argument_bytes(bench, role) * (role == BENCH_INOUT ? 2 : 1);
	}
	return bytes;
}
