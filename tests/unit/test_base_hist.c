/* SPDX-License-Identifier: MIT */
#include "base/hist.h"
#include "base/rng.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

enum { N = 997 };  /* prime: most ranks are fractions */

static struct glc_hist hist, other;
static uint64_t values[N];

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

Test(base_hist, is_empty_at_first)
{
	glc_hist_init(&hist);
	cr_expect(eq(u64, hist.count, 0));
	cr_expect(eq(u64, glc_hist_quantile(&hist, 500000), 0));
	cr_expect(eq(dbl, glc_hist_mean(&hist), 0));
}

/* Against the sorted values: all magnitudes up to one, so that neighbours lie far apart. */
Test(base_hist, keeps_its_error_bound_at_every_magnitude)
{
	static const uint32_t parts[] = {0, 1, 1000, 250000, 500000, 900000, 990000, 999000, 999900,
					 999999, 1000000, 2000000};

	for (unsigned bits = 1; bits <= 64; bits += 3) {
		struct glc_rng rng = glc_rng(bits);

		glc_hist_init(&hist);
		for (size_t i = 0; i < N; i++) {
			values[i] = glc_rng_next(&rng) >> (63 - glc_rng_below(&rng, bits));
			glc_hist_record(&hist, values[i]);
		}
		qsort(values, N, sizeof *values, ascending);
		for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
			uint64_t got = glc_hist_quantile(&hist, parts[p]);
			/* The least rank whose share of N reaches the part. */
			uint64_t rank = 1, want;

			while (rank < N && rank * 1000000 < (uint64_t)N * parts[p])
				rank++;
			want = values[rank - 1];
			cr_assert(got <= hist.max, "%u bits, part %u", bits, parts[p]);
			cr_assert(got >= want, "%u bits, part %u: %llu below %llu", bits, parts[p],
				  (unsigned long long)got, (unsigned long long)want);
			cr_assert(got - want <= want / 64, "%u bits, part %u: %llu for %llu", bits, parts[p],
				  (unsigned long long)got, (unsigned long long)want);
			if (want < 128)
				cr_assert(eq(u64, got, want));
		}
		cr_assert(eq(u64, hist.min, values[0]));
		cr_assert(eq(u64, hist.max, values[N - 1]));
	}
}

Test(base_hist, takes_every_64_bit_value_in_ascending_buckets)
{
	unsigned last = 0;

	cr_assert(eq(uint, glc_hist_bucket(0), 0));
	cr_assert(eq(uint, glc_hist_bucket(UINT64_MAX), GLC_HIST_BUCKETS - 1));
	for (unsigned bit = 2; bit < 64; bit++) {
		for (int off = -1; off <= 1; off++) {
			unsigned bucket = glc_hist_bucket((UINT64_C(1) << bit) + (uint64_t)off);

			cr_assert(bucket >= last && bucket < GLC_HIST_BUCKETS, "2^%u %+d", bit, off);
			/* Bucket limits lie at the powers of two: from 2^6 on each starts one. */
			cr_assert(off || bit < 6 || bucket > last, "2^%u", bit);
			last = bucket;
		}
	}
}

Test(base_hist, gives_exact_sums_beyond_64_bits)
{
	glc_hist_init(&hist);
	for (int i = 0; i < 4; i++)
		glc_hist_record(&hist, UINT64_MAX);
	cr_expect(eq(dbl, glc_hist_mean(&hist), 0x1p64));
	cr_expect(eq(u64, glc_hist_quantile(&hist, 500000), UINT64_MAX));
}

Test(base_hist, merges_as_if_recorded_in_one)
{
	struct glc_rng rng = glc_rng(7);
	static struct glc_hist whole;

	glc_hist_init(&hist);
	glc_hist_init(&other);
	glc_hist_init(&whole);
	glc_hist_merge(&hist, &other);  /* nothing to nothing */
	cr_expect(eq(u64, hist.min, UINT64_MAX));
	for (int i = 0; i < N; i++) {
		uint64_t value = glc_rng_next(&rng) >> glc_rng_below(&rng, 64);

		glc_hist_record(i % 3 ? &hist : &other, value);
		glc_hist_record(&whole, value);
	}
	glc_hist_merge(&hist, &other);
	cr_assert(memcmp(&hist, &whole, sizeof hist) == 0);
}
