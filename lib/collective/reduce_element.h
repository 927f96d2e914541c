/* SPDX-License-Identifier: MIT */
/*
 * One element's arithmetic, in a form that compilers vectorise: no branches, floats compared as
 * integers in the order of their values (which puts -0 below +0).
 */
#ifndef GLC_COLLECTIVE_REDUCE_ELEMENT_H
#define GLC_COLLECTIVE_REDUCE_ELEMENT_H

#include <stdint.h>

#define ELEMENT static inline __attribute__((always_inline))

ELEMENT uint32_t bits_f32(float value)
{
	uint32_t bits;

	__builtin_memcpy(&bits, &value, sizeof bits);
	return bits;
}

ELEMENT float f32_bits(uint32_t bits)
{
	float value;

	__builtin_memcpy(&value, &bits, sizeof value);
	return value;
}

/* IEEE 754-2019, 6.2: which NaN comes out is the implementation's choice. Ours has no sign and no payload. */
ELEMENT float quiet_f32(float value) { return value != value ? f32_bits(0x7fc00000) : value; }
ELEMENT double quiet_f64(double value) { return value != value ? __builtin_nan("") : value; }

ELEMENT float f32_of_bf16(uint16_t bits) { return f32_bits((uint32_t)bits << 16); }

/* To nearest, ties to even; the carry may make it infinite, as it should. */
ELEMENT uint16_t bf16_of_f32(float value)
{
	uint32_t bits = bits_f32(value);
	uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;

	return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : rounded);
}

ELEMENT float f32_of_f16(uint16_t half)
{
	uint32_t size = (uint32_t)(half & 0x7fff) << 13, sign = (uint32_t)(half & 0x8000) << 16;
	uint32_t normal = size + (112u << 23);  /* the biases' difference */
	/* A subnormal: 2^-14 is put before its fraction and taken away again, which is exact. */
	uint32_t subnormal = bits_f32(f32_bits(size + (113u << 23)) - 0x1p-14f);
	uint32_t bits = size < 0x00800000 ? subnormal : normal;

	bits |= size >= 0x0f800000 ? 0x7f800000 : 0;
	return f32_bits(bits | sign);
}

ELEMENT uint16_t f16_of_f32(float value)
{
	uint32_t bits = bits_f32(value), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
	uint32_t normal = (size + 0xfff + (size >> 13 & 1) - (112u << 23)) >> 13;
	/* The last place of 0.5 is that of f16's subnormals: the addition rounds. */
	uint32_t subnormal = bits_f32(f32_bits(size) + 0.5f) - 0x3f000000;
	uint32_t half = size < 0x38800000 ? subnormal : normal;

	half = size >= 0x477ff000 ? 0x7c00 : half;
	half |= sign;
	return (uint16_t)(size > 0x7f800000 ? 0x7e00 : half);
}

/*
 * minimum, maximum, minimumNumber and maximumNumber on the bits of a float: infinity is the bits
 * above which NaNs are.
 */
#define FLOAT_ORDER(name, uint, sint, top, infinity, quiet)                                            \
	ELEMENT sint key_##name(uint bits)                                                             \
	{                                                                                              \
		return (sint)(bits ^ ((uint)((sint)bits >> (top)) & (uint)~((uint)1 << (top))));       \
	}                                                                                              \
	ELEMENT uint order_##name(uint a, uint b, int greatest, int numbers)                           \
	{                                                                                              \
		const uint size = (uint)~((uint)1 << (top));                                           \
		sint x = key_##name(a), y = key_##name(b);                                             \
		uint least = x < y ? a : b, most = x < y ? b : a, chosen = greatest ? most : least;    \
		uint nan_a = (uint)((a & size) > (uint)(infinity)), nan_b = (uint)((b & size) > (uint)(infinity)); \
		if (numbers) {                                                                         \
			chosen = nan_a ? b : chosen;                                                   \
			chosen = nan_b ? a : chosen;                                                   \
			return (nan_a & nan_b) ? (uint)(quiet) : chosen;                               \
		}                                                                                      \
		return (nan_a | nan_b) ? (uint)(quiet) : chosen;                                       \
	}
FLOAT_ORDER(f16, uint16_t, int16_t, 15, 0x7c00, 0x7e00)
FLOAT_ORDER(bf16, uint16_t, int16_t, 15, 0x7f80, 0x7fc0)
FLOAT_ORDER(f32, uint32_t, int32_t, 31, 0x7f800000, 0x7fc00000)
FLOAT_ORDER(f64, uint64_t, int64_t, 63, UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000000))
#undef FLOAT_ORDER

#endif
