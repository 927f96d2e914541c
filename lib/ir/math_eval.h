/* SPDX-License-Identifier: MIT */
/*
 * The seam of ir/math_f32.h that computes: each operation at once, on plain C values, with
 * the meaning that glacier-kernel(7) gives to the instruction. Build it without contraction.
 * Nothing here branches, so that a loop over it can be made of vector instructions.
 */
#ifndef GLC_IR_MATH_EVAL_H
#define GLC_IR_MATH_EVAL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef float f32;
typedef uint32_t u32;
typedef bool pred;

struct glc_builder;   /* not needed here: `m` is NULL */

static inline float eval_as_f32(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static inline uint32_t eval_as_u32(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/*
 * The exponent of x as a float tells where its highest bit is; the next one is cleared, so that nothing is rounded up
 * to the next power. Unlike an instruction for it, this is one that every processor has for vectors.
 */
static inline uint32_t eval_clz(uint32_t x)
{
	uint32_t exponent = eval_as_u32((float)(int32_t)(x & ~(x >> 1))) >> 23;

	return x >> 31 ? 0 : x ? 158 - exponent : 32;
}

static inline float eval_select(bool p, float yes, float no)
{
	return p ? yes : no;
}

static inline uint32_t eval_select_u(bool p, uint32_t yes, uint32_t no)
{
	return p ? yes : no;
}

static inline uint32_t eval_sar(uint32_t x, uint32_t by)
{
	return (uint32_t)((int32_t)x >> (by & 31));
}

static inline float eval_min(float a, float b)
{
	return a < b ? a : b;
}

static inline float eval_max(float a, float b)
{
	return a > b ? a : b;
}

static inline uint32_t eval_min_i(uint32_t a, uint32_t b)
{
	return (int32_t)a < (int32_t)b ? a : b;
}

static inline uint32_t eval_max_i(uint32_t a, uint32_t b)
{
	return (int32_t)a > (int32_t)b ? a : b;
}

static inline float eval_floor(float x)
{
	/* From 2^23 on, and for NaN and infinity, x is whole already. */
	bool whole = !(__builtin_fabsf(x) < 0x1p23f);
	float cut = (float)(int32_t)(whole ? 0 : x);

	return whole ? x : cut - (float)(cut > x);
}

#define USE_M(value)        ((void)m, (value))

#define add(a, b)           USE_M((float)(a) + (float)(b))
#define sub(a, b)           USE_M((float)(a) - (float)(b))
#define mul(a, b)           USE_M((float)(a) * (float)(b))
#define min_f(a, b)         USE_M(eval_min(a, b))
#define max_f(a, b)         USE_M(eval_max(a, b))
#define floor_f(a)          USE_M(eval_floor(a))

#define add_u(a, b)         USE_M((u32)(a) + (u32)(b))
#define sub_u(a, b)         USE_M((u32)(a) - (u32)(b))
#define mul_u(a, b)         USE_M((u32)(a) * (u32)(b))
#define mulhi_u(a, b)       USE_M((u32)((uint64_t)(a) * (b) >> 32))
#define min_i(a, b)         USE_M(eval_min_i(a, b))
#define max_i(a, b)         USE_M(eval_max_i(a, b))
#define and(a, b)           USE_M((u32)(a) & (u32)(b))
#define or(a, b)            USE_M((u32)(a) | (u32)(b))
#define xor(a, b)           USE_M((u32)(a) ^ (u32)(b))
#define shl(a, by)          USE_M((u32)(a) << ((by) & 31))
#define shr(a, by)          USE_M((u32)(a) >> ((by) & 31))
#define sar(a, by)          USE_M(eval_sar(a, by))
#define clz(a)              USE_M(eval_clz(a))

#define as_f32(a)           USE_M(eval_as_f32(a))
#define as_u32(a)           USE_M(eval_as_u32(a))
#define from_i32(a)         USE_M((float)(int32_t)(a))

#define lt_f(a, b)          USE_M((float)(a) < (float)(b))
#define gt_f(a, b)          USE_M((float)(a) > (float)(b))
#define eq_f(a, b)          USE_M((float)(a) == (float)(b))
#define ne_f(a, b)          USE_M((float)(a) != (float)(b))
#define lt_u(a, b)          USE_M((u32)(a) < (u32)(b))
#define le_u(a, b)          USE_M((u32)(a) <= (u32)(b))
#define gt_u(a, b)          USE_M((u32)(a) > (u32)(b))
#define ge_u(a, b)          USE_M((u32)(a) >= (u32)(b))
#define eq_u(a, b)          USE_M((u32)(a) == (u32)(b))
#define ne_u(a, b)          USE_M((u32)(a) != (u32)(b))
#define lt_i(a, b)          USE_M((int32_t)(a) < (int32_t)(b))
#define ge_i(a, b)          USE_M((int32_t)(a) >= (int32_t)(b))
#define gt_i(a, b)          USE_M((int32_t)(a) > (int32_t)(b))
#define and_p(a, b)         USE_M((bool)((a) & (b)))
#define or_p(a, b)          USE_M((bool)((a) | (b)))
#define xor_p(a, b)         USE_M((bool)((a) ^ (b)))
#define not_p(a)            USE_M(!(a))
#define select(p, a, b)     USE_M(eval_select(p, a, b))
#define select_u(p, a, b)   USE_M(eval_select_u(p, a, b))

#endif
