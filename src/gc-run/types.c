/* SPDX-License-Identifier: MIT */
#include "types.h"

#include "common/cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* bf16 is spelled as ml_dtypes writes it: NumPy itself has no such type. */
const struct type_facts types[GLACIER_TYPE_COUNT] = {
	[GLACIER_I8] = {"i1", 1, TYPE_SIGNED, 0, 0},
	[GLACIER_U8] = {"u1", 1, TYPE_UNSIGNED, 0, 0},
	[GLACIER_I16] = {"i2", 2, TYPE_SIGNED, 0, 0},
	[GLACIER_U16] = {"u2", 2, TYPE_UNSIGNED, 0, 0},
	[GLACIER_I32] = {"i4", 4, TYPE_SIGNED, 0, 0},
	[GLACIER_U32] = {"u4", 4, TYPE_UNSIGNED, 0, 0},
	[GLACIER_I64] = {"i8", 8, TYPE_SIGNED, 0, 0},
	[GLACIER_U64] = {"u8", 8, TYPE_UNSIGNED, 0, 0},
	[GLACIER_F16] = {"f2", 2, TYPE_FLOAT, 10, 5},
	[GLACIER_BF16] = {"V2", 2, TYPE_FLOAT, 7, 8},
	[GLACIER_F32] = {"f4", 4, TYPE_FLOAT, 23, 8},
	[GLACIER_F64] = {"f8", 8, TYPE_FLOAT, 52, 11},
};

uint64_t type_load(enum glacier_type type, const void *at)
{
	const unsigned char *bytes = at;
	uint64_t bits = 0;

	for (unsigned i = 0; i < types[type].bytes; i++)
		bits |= (uint64_t)bytes[i] << 8 * i;
	return bits;
}

void type_store(enum glacier_type type, void *at, uint64_t bits)
{
	unsigned char *bytes = at;

	for (unsigned i = 0; i < types[type].bytes; i++)
		bytes[i] = (unsigned char)(bits >> 8 * i);
}

/* --- Floats, by the width of their parts -------------------------------------------- */

static uint64_t sign_bit(enum glacier_type type)
{
	return UINT64_C(1) << (8 * types[type].bytes - 1);
}

static uint64_t infinity(enum glacier_type type)
{
	return ((UINT64_C(1) << types[type].exponent_bits) - 1) << types[type].fraction_bits;
}

static int bias(enum glacier_type type)
{
	return (1 << (types[type].exponent_bits - 1)) - 1;
}

bool type_is_nan(enum glacier_type type, uint64_t bits)
{
	return types[type].klass == TYPE_FLOAT && (bits & ~sign_bit(type)) > infinity(type);
}

double type_real(enum glacier_type type, uint64_t bits)
{
	int fraction_bits = types[type].fraction_bits;
	uint64_t size = bits & ~sign_bit(type), fraction = size & ((UINT64_C(1) << fraction_bits) - 1);
	int exponent = (int)(size >> fraction_bits);
	double value;

	if (size >= infinity(type))
		value = size > infinity(type) ? NAN : INFINITY;
	else if (exponent)
		value = ldexp((double)(fraction | UINT64_C(1) << fraction_bits),
			      exponent - bias(type) - fraction_bits);
	else
		value = ldexp((double)fraction, 1 - bias(type) - fraction_bits);
	return bits & sign_bit(type) ? -value : value;
}

uint64_t type_round(enum glacier_type type, double value)
{
	int fraction_bits = types[type].fraction_bits, exponent;
	uint64_t sign = signbit(value) ? sign_bit(type) : 0, bits;

	if (isnan(value))
		return infinity(type) | UINT64_C(1) << (fraction_bits - 1);
	if (isinf(value))
		return sign | infinity(type);
	value = fabs(value);
	frexp(value, &exponent);
	exponent--;
	if (value == 0 || exponent < 1 - bias(type))
		exponent = 1 - bias(type);
	/* In units of the last place: rint rounds to even, and a carry moves on into the exponent. */
	bits = (uint64_t)rint(ldexp(value, fraction_bits - exponent));
	bits += (uint64_t)(exponent + bias(type) - 1) << fraction_bits;
	return sign | (bits < infinity(type) ? bits : infinity(type));
}

/* --- Text ----------------------------------------------------------------------------- */

void type_spell(enum glacier_type type, uint64_t bits, char text[TYPE_TEXT_BYTES])
{
	int width = 8 * types[type].bytes, digits = 1;
	double value;

	switch (types[type].klass) {
	case TYPE_SIGNED:
		snprintf(text, TYPE_TEXT_BYTES, "%" PRId64, (int64_t)(bits << (64 - width)) >> (64 - width));
		break;
	case TYPE_UNSIGNED:
		snprintf(text, TYPE_TEXT_BYTES, "%" PRIu64, bits);
		break;
	default:
		value = type_real(type, bits);
		/* Not "1e+01", though it is shorter. */
		if (value == floor(value) && fabs(value) < 1e16) {
			snprintf(text, TYPE_TEXT_BYTES, "%.0f", value);
			break;
		}
		do
			snprintf(text, TYPE_TEXT_BYTES, "%.*g", digits, value);
		while (digits++ < 17 && isfinite(value) &&
		       (type == GLACIER_F32 ? (double)strtof(text, NULL) != value
					    : type_round(type, strtod(text, NULL)) != bits));
		/* "-nan" says nothing that "nan" does not. */
		if (isnan(value))
			snprintf(text, TYPE_TEXT_BYTES, "nan");
	}
}

/* --- How far apart -------------------------------------------------------------------- */

/* Floats in the order of their values; both zeros at the same place. */
static int64_t rank(enum glacier_type type, uint64_t bits)
{
	int64_t size = (int64_t)(bits & ~sign_bit(type));

	return bits & sign_bit(type) ? -size : size;
}

uint64_t type_distance(enum glacier_type type, uint64_t a, uint64_t b)
{
	int unused = 64 - 8 * types[type].bytes;
	int64_t x, y;

	if (types[type].klass == TYPE_UNSIGNED)
		return a > b ? a - b : b - a;
	if (types[type].klass == TYPE_SIGNED) {
		x = (int64_t)(a << unused) >> unused;
		y = (int64_t)(b << unused) >> unused;
	} else {
		x = rank(type, a);
		y = rank(type, b);
	}
	return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}
