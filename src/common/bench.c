/* SPDX-License-Identifier: MIT */
/* Timing. Medians, because the errors of a clock on a shared machine all point upward. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

uint64_t cli_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double middle(const double *sorted, size_t count)
{
	double low = sorted[(count - 1) / 2], high = sorted[count / 2];

	return low + (high - low) / 2;
}

struct cli_stats cli_stats(double *samples, size_t count)
{
	struct cli_stats stats = {.runs = count};
	double *distances;

	if (!count)
		return stats;
	qsort(samples, count, sizeof *samples, by_size);
	stats.min = samples[0];
	stats.max = samples[count - 1];
	stats.median = middle(samples, count);
	distances = cli_alloc(count * sizeof *distances);
	for (size_t i = 0; i < count; i++)
		distances[i] = fabs(samples[i] - stats.median);
	qsort(distances, count, sizeof *distances, by_size);
	stats.mad = middle(distances, count);
	free(distances);
	return stats;
}

struct cli_stats cli_bench(void (*work)(void *user), void *user, size_t warmup, size_t runs)
{
	double *samples = cli_alloc(runs * sizeof *samples);
	struct cli_stats stats;

	for (size_t i = 0; i < warmup; i++)
		work(user);
	for (size_t i = 0; i < runs; i++) {
		uint64_t begun_ns = cli_now_ns();

		work(user);
		samples[i] = (double)(cli_now_ns() - begun_ns);
		cli_progress("runs", i + 1, runs);
	}
	stats = cli_stats(samples, runs);
	free(samples);
	return stats;
}
