/* SPDX-License-Identifier: MIT */
#include "base/rng.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

/* As published for the reference programs: xoshiro256** from {1, 2, 3, 4}, SplitMix64 from 1234567. */
Test(base_rng, gives_the_published_values)
{
	static const uint64_t xoshiro[] = {
		UINT64_C(11520), UINT64_C(0), UINT64_C(1509978240), UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360), UINT64_C(607988272756665600),
		UINT64_C(16172922978634559625), UINT64_C(8476171486693032832),
		UINT64_C(10595114339597558777), UINT64_C(2904607092377533576),
	};
	static const uint64_t splitmix[] = {
		UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821),
	};
	struct glc_rng rng = {{1, 2, 3, 4}};
	uint64_t state = 1234567;

	for (size_t i = 0; i < sizeof xoshiro / sizeof *xoshiro; i++)
		cr_expect(eq(u64, glc_rng_next(&rng), xoshiro[i]), "number %zu", i);
	for (size_t i = 0; i < sizeof splitmix / sizeof *splitmix; i++)
		cr_expect(eq(u64, glc_splitmix64(&state), splitmix[i]), "number %zu", i);
	rng = glc_rng(1234567);
	cr_expect(memcmp(rng.s, splitmix, sizeof rng.s) == 0, "the seed is spread by SplitMix64");
}

/*
 * A step is linear over GF(2): a matrix of 256 columns, each the step of one bit. Squared
 * 128 times it is the jump, without any polynomial.
 */
struct matrix {
	struct glc_rng column[256];
};

static struct glc_rng apply(const struct matrix *m, const struct glc_rng *v)
{
	struct glc_rng sum = {{0}};

	for (int bit = 0; bit < 256; bit++)
		if (v->s[bit / 64] >> bit % 64 & 1)
			for (int i = 0; i < 4; i++)
				sum.s[i] ^= m->column[bit].s[i];
	return sum;
}

Test(base_rng, jumps_over_2_to_the_128_steps)
{
	static struct matrix m, square;
	struct glc_rng start = glc_rng(99), jumped = start, stepped = start, want;

	for (int bit = 0; bit < 256; bit++) {
		m.column[bit].s[bit / 64] = UINT64_C(1) << bit % 64;
		glc_rng_next(&m.column[bit]);
	}
	want = apply(&m, &start);
	glc_rng_next(&stepped);
	cr_assert(memcmp(&want, &stepped, sizeof want) == 0, "a step is not the matrix");
	for (int i = 0; i < 128; i++) {
		for (int bit = 0; bit < 256; bit++)
			square.column[bit] = apply(&m, &m.column[bit]);
		m = square;
	}
	want = apply(&m, &start);
	glc_rng_jump(&jumped);
	cr_assert(memcmp(&want, &jumped, sizeof want) == 0);
}

Test(base_rng, splits_into_this_stream_and_the_next)
{
	struct glc_rng parent = glc_rng(5), before = parent, after = parent, child;

	glc_rng_jump(&after);
	child = glc_rng_split(&parent);
	cr_expect(memcmp(&child, &before, sizeof child) == 0);
	cr_expect(memcmp(&parent, &after, sizeof parent) == 0);
}

/*
 * 3 * 2^62 values for 2^64 draws. A remainder would give the lowest third half of the draws;
 * a product without rejection would give half of them to the multiples of 3.
 */
Test(base_rng, favours_no_value_below_a_bound)
{
	const uint64_t third = UINT64_C(1) << 62;
	struct glc_rng rng = glc_rng(1);
	unsigned by_place[3] = {0}, by_remainder[3] = {0};

	for (int i = 0; i < 30000; i++) {
		uint64_t value = glc_rng_below(&rng, 3 * third);

		by_place[value / third]++;
		by_remainder[value % 3]++;
	}
	for (int i = 0; i < 3; i++) {  /* 10000 each, standard deviation 82 */
		cr_expect(by_place[i] > 9600 && by_place[i] < 10400, "third %d: %u", i, by_place[i]);
		cr_expect(by_remainder[i] > 9600 && by_remainder[i] < 10400, "remainder %d: %u", i,
			  by_remainder[i]);
	}
}

Test(base_rng, stays_below_every_bound)
{
	static const uint64_t bounds[] = {1, 2, 3, 10, 1000, UINT64_C(1) << 32, UINT64_MAX};
	struct glc_rng rng = glc_rng(2);

	for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
		uint64_t highest = 0;

		for (int i = 0; i < 2000; i++) {
			uint64_t value = glc_rng_below(&rng, bounds[b]);

			cr_assert(lt(u64, value, bounds[b]));
			highest = value > highest ? value : highest;
		}
		/* And comes near it: 2000 draws all in the lower 95 % have a chance of 2^-147. */
		cr_assert(highest >= (bounds[b] - 1) / 20 * 19, "bound %llu", (unsigned long long)bounds[b]);
	}
}

Test(base_rng, gives_fractions_from_0_up_to_below_1)
{
	struct glc_rng rng = glc_rng(3);
	double sum = 0, least = 1, most = 0;

	for (int i = 0; i < 50000; i++) {
		double d = glc_rng_double(&rng);
		float f = glc_rng_float(&rng);

		cr_assert(d >= 0 && d < 1 && f >= 0 && f < 1, "%a, %a", d, (double)f);
		cr_assert(eq(dbl, f * 0x1p24, (double)(uint32_t)(f * 0x1p24)));
		sum += d + f;
		least = f < least ? f : least;
		most = f > most ? f : most;
	}
	cr_expect(sum > 49500 && sum < 50500, "sum of 100000 is %f", sum);
	cr_expect(least < 0.001 && most > 0.999, "%f to %f", least, most);
}
