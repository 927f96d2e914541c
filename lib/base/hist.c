/* SPDX-License-Identifier: MIT */
#include "base/hist.h"

#include <string.h>

void glc_hist_init(struct glc_hist *hist)
{
	memset(hist, 0, sizeof *hist);
	hist->min = UINT64_MAX;
}

void glc_hist_merge(struct glc_hist *into, const struct glc_hist *from)
{
	for (unsigned i = 0; i < GLC_HIST_BUCKETS; i++)
		into->buckets[i] += from->buckets[i];
	into->count += from->count;
	into->sum += from->sum;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
}

/* The inverse of glc_hist_bucket. */
static uint64_t highest_value(unsigned bucket)
{
	unsigned shift;
	uint64_t lead;

	if (bucket < 2 * GLC_HIST_STEPS)
		return bucket;
	shift = (bucket >> GLC_HIST_BITS) - 1;
	lead = bucket - (shift << GLC_HIST_BITS);
	return (lead << shift) + ((UINT64_C(1) << shift) - 1);
}

uint64_t glc_hist_quantile(const struct glc_hist *hist, uint32_t per_million)
{
	const uint32_t million = 1000000;
	uint64_t rank, seen = 0;

	if (!hist->count)
		return 0;
	if (per_million >= million)
		return hist->max;
	rank = (uint64_t)(((unsigned __int128)hist->count * per_million + million - 1) / million);
	if (!rank)
		rank = 1;
	for (unsigned i = 0; i < GLC_HIST_BUCKETS; i++) {
		seen += hist->buckets[i];
		if (seen >= rank) {
			uint64_t value = highest_value(i);

			return value < hist->max ? value : hist->max;
		}
	}
	return hist->max;
}

double glc_hist_mean(const struct glc_hist *hist)
{
	return hist->count ? (double)hist->sum / (double)hist->count : 0;
}
