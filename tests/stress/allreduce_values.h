/* SPDX-License-Identifier: MIT */
/*
 * What an all-reduce must give, computed one element at a time in plain C: the order of the
 * header's promise, the compiler's own conversions, and comparisons written out.
 */
#ifndef ALLREDUCE_VALUES_H
#define ALLREDUCE_VALUES_H

#include <glacier.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const enum glacier_type all_types[] = {
	GLACIER_F32, GLACIER_F64, GLACIER_F16, GLACIER_BF16, GLACIER_I8,
	GLACIER_U8,  GLACIER_I32, GLACIER_U32, GLACIER_I64,  GLACIER_U64,
};
enum { TYPES = sizeof all_types / sizeof *all_types };

static inline size_t type_bytes(enum glacier_type type)
{
	switch (type) {
	case GLACIER_I8: case GLACIER_U8: return 1;
	case GLACIER_F16: case GLACIER_BF16: return 2;
	case GLACIER_F64: case GLACIER_I64: case GLACIER_U64: return 8;
	default: return 4;
	}
}

static inline bool type_is_float(enum glacier_type type)
{
	return type == GLACIER_F32 || type == GLACIER_F64 || type == GLACIER_F16 || type == GLACIER_BF16;
}

/* Fraction bits, and all exponent bits set: what a float's format is. */
static inline int fraction_bits(enum glacier_type type)
{
	return type == GLACIER_F16 ? 10 : type == GLACIER_BF16 ? 7 : type == GLACIER_F32 ? 23 : 52;
}

static inline uint64_t load(enum glacier_type type, const void *array, size_t i)
{
	uint64_t bits = 0;

	memcpy(&bits, (const char *)array + i * type_bytes(type), type_bytes(type));
	return bits;
}

/* Exactly. */
static inline double to_double(enum glacier_type type, uint64_t bits)
{
	int f = fraction_bits(type), width = 8 * (int)type_bytes(type), e = width - 1 - f;
	uint64_t fraction = bits & ((UINT64_C(1) << f) - 1), top = (UINT64_C(1) << e) - 1;
	uint64_t exponent = bits >> f & top;
	double sign = bits >> (width - 1) & 1 ? -1 : 1;
	int bias = (int)(top >> 1);

	if (exponent == top)
		return fraction ? NAN : sign * INFINITY;
	if (!exponent)
		return sign * ldexp((double)fraction, 1 - bias - f);
	return sign * ldexp((double)(fraction | UINT64_C(1) << f), (int)exponent - bias - f);
}

/* To nearest even, by the value's place between two neighbours. */
static inline uint64_t from_double(enum glacier_type type, double value)
{
	int f = fraction_bits(type), width = 8 * (int)type_bytes(type), e = width - 1 - f, exponent;
	uint64_t sign = signbit(value) ? UINT64_C(1) << (width - 1) : 0, infinity = ((UINT64_C(1) << e) - 1) << f, size;
	int bias = (1 << (e - 1)) - 1;

	if (isnan(value))
		return infinity | UINT64_C(1) << (f - 1);
	value = fabs(value);
	if (isinf(value))
		return sign | infinity;
	exponent = value == 0 ? 1 - bias : ilogb(value);
	if (exponent < 1 - bias)
		exponent = 1 - bias;
	size = (uint64_t)nearbyint(ldexp(value, f - exponent)) + ((uint64_t)(exponent + bias - 1) << f);
	return sign | (size < infinity ? size : infinity);
}

static inline double choose_float(enum glacier_reduce op, double a, double b)
{
	bool numbers = op == GLACIER_REDUCE_MINNUM || op == GLACIER_REDUCE_MAXNUM;
	bool least = op == GLACIER_REDUCE_MIN || op == GLACIER_REDUCE_MINNUM;

	if (isnan(a) || isnan(b))
		return !numbers ? NAN : isnan(a) ? b : a;
	if (a == 0 && b == 0)
		return signbit(a) == (least ? 1 : 0) || (bool)signbit(a) == least ? a : b;
	return least ? (a < b ? a : b) : (a > b ? a : b);
}

static inline uint64_t reduce_float(enum glacier_type type, enum glacier_reduce op, const uint64_t *bits, int n)
{
	double d = to_double(type, bits[0]);
	float f = (float)d;

	if (op >= GLACIER_REDUCE_MIN) {
		for (int i = 1; i < n; i++)
			d = choose_float(op, d, to_double(type, bits[i]));
		return from_double(type, d);
	}
	for (int i = 1; i < n; i++) {
		double next = to_double(type, bits[i]);

		if (op == GLACIER_REDUCE_PROD) {
			d = d * next;
			f = f * (float)next;
		} else {
			d = d + next;
			f = f + (float)next;
		}
	}
	if (op == GLACIER_REDUCE_AVG) {
		d = d / n;
		f = f / (float)n;
	}
	return from_double(type, type == GLACIER_F64 ? d : (double)f);
}

static inline uint64_t reduce_integer(enum glacier_type type, enum glacier_reduce op, const uint64_t *bits, int n)
{
	int width = 8 * (int)type_bytes(type), unused = 64 - width;
	bool has_sign = type == GLACIER_I8 || type == GLACIER_I32 || type == GLACIER_I64;
	uint64_t sum = bits[0];

	for (int i = 1; i < n; i++) {
		bool below = has_sign ? (int64_t)(bits[i] << unused) < (int64_t)(sum << unused) : bits[i] < sum;

		switch (op) {
		case GLACIER_REDUCE_PROD: sum *= bits[i]; break;
		case GLACIER_REDUCE_MIN: case GLACIER_REDUCE_MINNUM: sum = below ? bits[i] : sum; break;
		case GLACIER_REDUCE_MAX: case GLACIER_REDUCE_MAXNUM: sum = below ? sum : bits[i]; break;
		default: sum += bits[i];
		}
		sum = sum << unused >> unused;
	}
	if (op == GLACIER_REDUCE_AVG)
		sum = has_sign ? (uint64_t)(((int64_t)(sum << unused) >> unused) / n) << unused >> unused : sum / (uint64_t)n;
	return sum;
}

/* bits: in the order in which they are combined. */
static inline uint64_t reduce_values(enum glacier_type type, enum glacier_reduce op, const uint64_t *bits, int n)
{
	return type_is_float(type) ? reduce_float(type, op, bits, n) : reduce_integer(type, op, bits, n);
}

/* The rank whose element is combined first. */
static inline int first_rank(size_t i, size_t count, int n, bool deterministic)
{
	size_t each = count / (size_t)n, more = count % (size_t)n;
	size_t owner = i < more * (each + 1) ? i / (each + 1) : more + (i - more * (each + 1)) / (each ? each : 1);

	return deterministic ? 0 : (int)((owner + 1) % (size_t)n);
}

/* Different on every rank and place; floats with NaNs, infinities, zeros of both signs and subnormals among them. */
static inline uint64_t make_value(enum glacier_type type, int rank, size_t i, uint64_t seed)
{
	uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)(rank + 1) * UINT64_C(0xbf58476d1ce4e5b9) + seed;
	int width = 8 * (int)type_bytes(type), f = fraction_bits(type);

	x ^= x >> 31;
	x *= UINT64_C(0x94d049bb133111eb);
	x ^= x >> 29;
	if (!type_is_float(type))
		return x << (64 - width) >> (64 - width);
	switch (x >> 40 & 63) {
	case 0: return ((UINT64_C(1) << (width - 1 - f)) - 1) << f | UINT64_C(1) << (f - 2);  /* signalling */
	case 1: return ((UINT64_C(1) << (width - f)) - 1) << f;                               /* -infinity */
	case 2: case 3: return 0;
	case 4: case 5: return UINT64_C(1) << (width - 1);
	case 6: case 7: return x & ((UINT64_C(1) << f) - 1);                                  /* subnormal */
	default: return from_double(type, ldexp((double)(x & 0xffff) - 32768, (int)(x >> 20 & 7) - 16));
	}
}

#endif
