/* SPDX-License-Identifier: MIT */
/*
 * Data whose result is known. The exact kind: small whole numbers that depend on rank and
 * position, so that an element of another place or rank does not go unnoticed; sums are exact in
 * double precision and rounded once. The random kind: against the same fold in double precision,
 * within the error that as many roundings can make.
 */
#include "session.h"

#include <math.h>
#include <string.h>

size_t type_bytes(enum glacier_type type)
{
	switch (type) {
	case GLACIER_I8: case GLACIER_U8: return 1;
	case GLACIER_F16: case GLACIER_BF16: return 2;
	case GLACIER_F64: case GLACIER_I64: case GLACIER_U64: return 8;
	default: return 4;
	}
}

static bool is_float(enum glacier_type type)
{
	return type == GLACIER_F16 || type == GLACIER_BF16 || type == GLACIER_F32 || type == GLACIER_F64;
}

static int fraction_bits(enum glacier_type type)
{
	return type == GLACIER_F16 ? 10 : type == GLACIER_BF16 ? 7 : type == GLACIER_F32 ? 23 : 52;
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* A finite float of the type from the nearest double, ties to even. */
static uint64_t float_bits(enum glacier_type type, double value)
{
	int fraction = fraction_bits(type), width = 8 * (int)type_bytes(type), bias = (1 << (width - 2 - fraction)) - 1;
	int exponent = value == 0 ? 1 - bias : ilogb(value);
	uint64_t sign = signbit(value) ? UINT64_C(1) << (width - 1) : 0;
	uint64_t infinity = (UINT64_C(2) * (uint64_t)bias + 1) << fraction, size;

	if (exponent < 1 - bias)
		exponent = 1 - bias;
	size = (uint64_t)rint(ldexp(fabs(value), fraction - exponent)) + ((uint64_t)(exponent + bias - 1) << fraction);
	return sign | (size < infinity ? size : infinity);
}

static double float_value(enum glacier_type type, uint64_t bits)
{
	int fraction = fraction_bits(type), width = 8 * (int)type_bytes(type), bias = (1 << (width - 2 - fraction)) - 1;
	uint64_t size = bits & ((UINT64_C(1) << (width - 1)) - 1), low = size & ((UINT64_C(1) << fraction) - 1);
	int exponent = (int)(size >> fraction);
	double value;

	if (exponent == 2 * bias + 1)
		value = low ? NAN : INFINITY;
	else
		value = ldexp((double)(exponent ? low | UINT64_C(1) << fraction : low), (exponent ? exponent : 1) - bias - fraction);
	return bits >> (width - 1) ? -value : value;
}

/* Rank r's element i: a part of the place, and one that goes around with the rank. */
static uint64_t exact_value(const struct session *s, uint32_t rank, size_t i, uint32_t round)
{
	uint64_t place = mix(i + s->options->seed * 31 + round * UINT64_C(0x9e3779b97f4a7c15));

	if (s->options->op == GLACIER_REDUCE_PROD)
		return rank < 7 ? 1 + (mix(place + rank) & 1) : 1;
	return (place & 3) + (rank + (place >> 8)) % s->size;
}

static double random_value(const struct session *s, uint32_t rank, size_t i, uint32_t round)
{
	uint64_t x = mix(mix(i + s->options->seed) + rank * UINT64_C(0x9e3779b97f4a7c15) + round);
	double value = (double)(x >> 11) * 0x1p-52 - 1;

	/* Products stay in range. */
	return s->options->op == GLACIER_REDUCE_PROD ? 1 + value / (8 * s->size) : value;
}

static uint64_t element(const struct session *s, uint32_t rank, size_t i, uint32_t round)
{
	enum glacier_type type = s->type;

	if (!is_float(type))
		return s->options->random ? mix(mix(i + s->options->seed) + rank * UINT64_C(0x9e3779b97f4a7c15) + round)
					  : exact_value(s, rank, i, round);
	return float_bits(type, s->options->random ? random_value(s, rank, i, round) : (double)exact_value(s, rank, i, round));
}

void values_fill(const struct session *s, void *array, size_t count, uint32_t round)
{
	size_t bytes = type_bytes(s->type);

	for (size_t i = 0; i < count; i++) {
		uint64_t bits = element(s, s->rank, i, round);

		memcpy((char *)array + i * bytes, &bits, bytes);
	}
}

static int64_t extend(enum glacier_type type, uint64_t bits)
{
	int unused = 64 - 8 * (int)type_bytes(type);
	bool has_sign = type == GLACIER_I8 || type == GLACIER_I32 || type == GLACIER_I64;

	return has_sign ? (int64_t)(bits << unused) >> unused : (int64_t)(bits << unused >> unused);
}

static bool integer_is_right(const struct session *s, uint64_t got, size_t i, uint32_t round)
{
	enum glacier_reduce op = s->options->op;
	enum glacier_type type = s->type;
	int64_t sum = extend(type, element(s, 0, i, round));
	bool has_sign = type == GLACIER_I8 || type == GLACIER_I32 || type == GLACIER_I64;

	for (uint32_t rank = 1; rank < s->size; rank++) {
		int64_t next = extend(type, element(s, rank, i, round));
		bool below = has_sign ? next < sum : (uint64_t)next < (uint64_t)sum;

		if (op == GLACIER_REDUCE_PROD)
			sum = extend(type, (uint64_t)sum * (uint64_t)next);
		else if (op >= GLACIER_REDUCE_MIN)
			sum = below == (op == GLACIER_REDUCE_MIN || op == GLACIER_REDUCE_MINNUM) ? next : sum;
		else
			sum = extend(type, (uint64_t)sum + (uint64_t)next);
	}
	if (op == GLACIER_REDUCE_AVG)
		sum = has_sign ? sum / (int64_t)s->size : (int64_t)((uint64_t)sum / s->size);
	return extend(type, got) == sum;
}

static bool float_is_right(const struct session *s, uint64_t got, size_t i, uint32_t round)
{
	enum glacier_reduce op = s->options->op;
	double sum = float_value(s->type, element(s, 0, i, round)), size = fabs(sum), value, error;

	for (uint32_t rank = 1; rank < s->size; rank++) {
		double next = float_value(s->type, element(s, rank, i, round));

		size += fabs(next);
		if (op == GLACIER_REDUCE_PROD)
			sum *= next;
		else if (op >= GLACIER_REDUCE_MIN)
			sum = (op == GLACIER_REDUCE_MIN || op == GLACIER_REDUCE_MINNUM) == (next < sum) ? next : sum;
		else
			sum += next;
	}
	if (op == GLACIER_REDUCE_AVG) {
		sum /= s->size;
		size /= s->size;
	}
	if (!s->options->random || op >= GLACIER_REDUCE_MIN)
		return got == float_bits(s->type, sum);
	/* One rounding a step in the work type, one at the end, and one of a division. */
	value = float_value(s->type, got);
	error = (op == GLACIER_REDUCE_PROD ? fabs(sum) : size) * s->size *
			ldexp(1, s->type == GLACIER_F64 ? -52 : -23) + fabs(sum) * ldexp(1, -fraction_bits(s->type));
	return fabs(value - sum) <= error;
}

uint64_t values_wrong(const struct session *s, const void *array, size_t count, uint32_t round)
{
	size_t bytes = type_bytes(s->type);
	uint64_t wrong = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t got = 0;

		memcpy(&got, (const char *)array + i * bytes, bytes);
		wrong += !(is_float(s->type) ? float_is_right(s, got, i, round) : integer_is_right(s, got, i, round));
	}
	return wrong;
}
