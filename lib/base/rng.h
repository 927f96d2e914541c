/* SPDX-License-Identifier: MIT */
/*
 * Seeded random numbers, the same on every machine: xoshiro256** (Blackman and Vigna,
 * "Scrambled linear pseudorandom number generators", 2021), its state filled by SplitMix64
 * (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
 * Period 2^256 - 1. Not for secrets. A generator belongs to one thread at a time.
 */
#ifndef GLC_BASE_RNG_H
#define GLC_BASE_RNG_H

#include <stdint.h>

struct glc_rng {
	uint64_t s[4];  /* not all zero */
};

/* SplitMix64: advances *state by the golden ratio and mixes it. Also a generator by itself. */
static inline uint64_t glc_splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Every seed is good: SplitMix64 gives no two zeros in a row. */
static inline struct glc_rng glc_rng(uint64_t seed)
{
	struct glc_rng rng;

	for (int i = 0; i < 4; i++)
		rng.s[i] = glc_splitmix64(&seed);
	return rng;
}

/* 64 random bits. */
static inline uint64_t glc_rng_next(struct glc_rng *rng)
{
	uint64_t *s = rng->s, times5 = s[1] * 5, shifted = s[1] << 17;
	uint64_t result = (times5 << 7 | times5 >> 57) * 9;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = s[3] << 45 | s[3] >> 19;
	return result;
}

/*
 * Uniform in [0, bound), bound not 0. The high half of a product, with the few draws
 * rejected that would favour some results (Lemire, "Fast random integer generation in an
 * interval", 2019).
 */
static inline uint64_t glc_rng_below(struct glc_rng *rng, uint64_t bound)
{
	unsigned __int128 product = (unsigned __int128)glc_rng_next(rng) * bound;

	if ((uint64_t)product < bound) {
		uint64_t surplus = -bound % bound;  /* 2^64 mod bound */

		while ((uint64_t)product < surplus)
			product = (unsigned __int128)glc_rng_next(rng) * bound;
	}
	return (uint64_t)(product >> 64);
}

/* Uniform in [0, 1): the multiples of 2^-53, and of 2^-24. 1 is never given. */
static inline double glc_rng_double(struct glc_rng *rng)
{
	return (double)(glc_rng_next(rng) >> 11) * 0x1p-53;
}

static inline float glc_rng_float(struct glc_rng *rng)
{
	return (float)(glc_rng_next(rng) >> 40) * 0x1p-24f;
}

/* Goes 2^128 steps ahead: the polynomial x^(2^128) modulo that of the generator, applied. */
static inline void glc_rng_jump(struct glc_rng *rng)
{
	static const uint64_t polynomial[4] = {
		UINT64_C(0x180ec6d33cfd0aba), UINT64_C(0xd5a61266f0c9392c),
		UINT64_C(0xa9582618e03fc9aa), UINT64_C(0x39abdc4529b1661c),
	};
	struct glc_rng sum = {{0}};

	for (unsigned bit = 0; bit < 256; bit++) {
		if (polynomial[bit / 64] >> bit % 64 & 1)
			for (int i = 0; i < 4; i++)
				sum.s[i] ^= rng->s[i];
		glc_rng_next(rng);
	}
	*rng = sum;
}

/*
 * A generator for another thread: it takes the next 2^128 numbers, and rng goes on behind
 * them. Splitting n times in a row gives n streams that do not overlap.
 */
static inline struct glc_rng glc_rng_split(struct glc_rng *rng)
{
	struct glc_rng taken = *rng;

	glc_rng_jump(rng);
	return taken;
}

#endif
