/* SPDX-License-Identifier: MIT */
/* What the expressions of cpu_ops.def are made of. */
#ifndef GLC_DEVICE_CPU_MATH_H
#define GLC_DEVICE_CPU_MATH_H

#include "device/cpu.h"
#include "ir/math_eval.h"
#include "ir/math_f32.h"

#define BOOL(condition) (0 - (u32)(condition))

/* The divisor is replaced by 1: x / 1 = x, x % 1 = 0, and MIN is what MIN / -1 wraps to. */
#define UDIVIDE(op, a, b) ((a) op ((b) ? (b) : 1))
#define DIVIDE(T, op, a, b) ((a) op ((b) == 0 || ((b) == -1 && (a) == LEAST_##T) ? 1 : (b)))
#define LEAST_i32 INT32_MIN
#define LEAST_i64 INT64_MIN

static inline u32 bits_f32(f32 x)
{
	union glc_word w = {.f32 = x};

	return w.u32;
}

static inline f32 from_bits_f32(u32 x)
{
	union glc_word w = {.u32 = x};

	return w.f32;
}

static inline u64 bits_f64(f64 x)
{
	union glc_word w = {.f64 = x};

	return w.u64;
}

static inline f64 from_bits_f64(u64 x)
{
	union glc_word w = {.u64 = x};

	return w.f64;
}

/* A NaN loses; of two zeros the negative one is less. Equal operands differ in a zero's sign only. */
#define MIN_MAX(T, W)                                                             \
	static inline T min_##T(T a, T b)                                         \
	{                                                                         \
		T less = a < b ? a : b;                                           \
		T same = from_bits_##T(bits_##T(a) | bits_##T(b));                \
		T r = a == b ? same : less;                                       \
		return b != b ? a : r;                                            \
	}                                                                         \
	static inline T max_##T(T a, T b)                                         \
	{                                                                         \
		T more = a > b ? a : b;                                           \
		T same = from_bits_##T(bits_##T(a) & bits_##T(b));                \
		T r = a == b ? same : more;                                       \
		return b != b ? a : r;                                            \
	}
MIN_MAX(f32, u32)
MIN_MAX(f64, u64)
#undef MIN_MAX

static inline u32 reverse_u32(u32 x)
{
	x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
	x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
	x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
	x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
	return x >> 16 | x << 16;
}

/* Offset and count are cut so that the field lies within the word. */
#define FIELD(T, S, W)                                                                       \
	static inline T extract_##T(T x, u32 offset, u32 count)                              \
	{                                                                                    \
		u32 o = offset < W ? offset : W, n = count < W - o ? count : W - o;          \
		S up = (S)x << ((W - n - o) & (W - 1));                                      \
		return n ? (T)up >> ((W - n) & (W - 1)) : 0;                                 \
	}
FIELD(i32, u32, 32)
FIELD(u32, u32, 32)
FIELD(i64, u64, 64)
FIELD(u64, u64, 64)
#undef FIELD

#endif
