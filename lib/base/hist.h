/* SPDX-License-Identifier: MIT */
/*
 * A histogram of 64-bit values (times in ns, sizes in bytes) whose buckets grow with the
 * value: 64 for each power of two.
 *
 * Values below 128 are exact. Above, a bucket is at most 1/64 of its lowest value wide, so
 * that a quantile is never below the true one and above it by less than 1/64 (1.6 %);
 * count, sum, mean, min and max are exact. Recording is a handful of instructions and the
 * storage is fixed (about 30 KB): nothing is allocated, nothing is lost, no range is
 * chosen in advance. One thread at a time: give each thread its own and merge.
 */
#ifndef GLC_BASE_HIST_H
#define GLC_BASE_HIST_H

#include <stdint.h>

enum {
	GLC_HIST_BITS = 6,
	GLC_HIST_STEPS = 1 << GLC_HIST_BITS,  /* buckets a power of two */
	GLC_HIST_BUCKETS = (64 - GLC_HIST_BITS + 1) * GLC_HIST_STEPS
};

struct glc_hist {
	uint64_t count;
	uint64_t min, max;      /* UINT64_MAX and 0 while count is 0 */
	unsigned __int128 sum;  /* 2^64 values of 2^64 do not overflow it */
	uint64_t buckets[GLC_HIST_BUCKETS];
};

void glc_hist_init(struct glc_hist *hist);

/*
 * The value's bucket: its leading GLC_HIST_BITS + 1 bits, behind the buckets of the smaller
 * powers of two. Where the shift is 0 that is the value itself.
 */
static inline unsigned glc_hist_bucket(uint64_t value)
{
	unsigned shift = 63 - GLC_HIST_BITS -
			 (unsigned)__builtin_clzll(value | (GLC_HIST_STEPS * 2 - 1));

	return (shift << GLC_HIST_BITS) + (unsigned)(value >> shift);
}

static inline void glc_hist_record(struct glc_hist *hist, uint64_t value)
{
	hist->buckets[glc_hist_bucket(value)]++;
	hist->count++;
	hist->sum += value;
	if (value < hist->min)
		hist->min = value;
	if (value > hist->max)
		hist->max = value;
}

/* Adds what `from` recorded, as if it had been recorded here. */
void glc_hist_merge(struct glc_hist *into, const struct glc_hist *from);

/*
 * The least value that at least `per_million` millionths of all values do not exceed, as
 * its bucket's highest value, but not above max: 500000 is the median, 999900 is p99.99.
 * 0 gives the lowest bucket's, 1000000 and above give max. 0 while the histogram is empty.
 * Millionths, since ranks computed from a floating percentage are off by one now and then.
 */
uint64_t glc_hist_quantile(const struct glc_hist *hist, uint32_t per_million);

/* 0 while the histogram is empty. */
double glc_hist_mean(const struct glc_hist *hist);

#endif
