/* SPDX-License-Identifier: MIT */
#include "op_edges.h"

#define COUNT(array) (sizeof (array) / sizeof (array)[0])

/* Sign-extended; cut to the width of the type. */
static const int64_t whole_edges[] = {
	0, 1, -1, 2, -2, 3, 5, 7, -7, 10, 31, 32, 33, 63, 64, 100, 255, 256, -256, 0x7fff, 0x8000, 0xffff, 0x10000,
	(1 << 23) - 1, 1 << 23, (1 << 24) - 1, 1 << 24, (1 << 24) + 1, (1 << 24) + 3, -(1 << 24) - 1,
	INT32_MAX - 1, INT32_MAX, INT32_MIN, INT32_MIN + 1, UINT32_MAX, INT64_C(1) << 32, (INT64_C(1) << 32) + 1,
	(INT64_C(1) << 52) + 1, (INT64_C(1) << 53) + 1, (INT64_C(1) << 54) + 2, INT64_MAX, INT64_MIN, INT64_MIN + 1,
	0x5555555555555555, -0x5555555555555556, 0x123456789abcdef0,
};

static const uint32_t f32_edges[] = {
	0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x3f000000, 0xbf000000,
	0x3fc00000, 0xbfc00000, 0x40200000, 0xc0200000, 0x40400000, 0xc0e80000,   /* 1.5, 2.5, 3, -7.25 */
	0x3dcccccd, 0x3f7fffff, 0x3f800001, 0xbf7fffff, 0x3effffff,               /* 0.1, about 1 and 0.5 */
	0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00400000,               /* subnormal */
	0x00800000, 0x80800000, 0x00800001, 0x01000000,                           /* least normal */
	0x7f7fffff, 0xff7fffff, 0x7f000000, 0x5f000001,
	0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x7fc12345,   /* infinite, NaN */
	0x4affffff, 0x4b000000, 0x4b000001, 0x4b7fffff, 0x4b800000, 0xcb800001,   /* about 2^23, 2^24 */
	0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000,   /* about 2^31, 2^32 */
	0x5effffff, 0x5f000000, 0xdf000000, 0xdf000001, 0x5f7fffff, 0x5f800000,   /* about 2^63, 2^64 */
	0x40490fdb, 0x42b17218, 0xc2cff1b5, 0x461c4000, 0x501502f9,               /* pi, 88.7, -104, 1e4, 1e10 */
};

static const uint64_t f64_edges[] = {
	0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x4000000000000000,
	0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000, 0xbff8000000000000, 0x4004000000000000,
	0xc004000000000000, 0x4008000000000000, 0xc01d000000000000, 0x3fb999999999999a, 0x3fefffffffffffff,
	0x3ff0000000000001, 0x3fdfffffffffffff,
	0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, 0x0008000000000000,   /* subnormal */
	0x0010000000000000, 0x8010000000000000, 0x0010000000000001, 0x0020000000000000,
	0x7fefffffffffffff, 0xffefffffffffffff, 0x7fe0000000000000,
	0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001,
	0x416fffffe0000000, 0x4170000000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000,
	0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000,                        /* 2^24, 2^31, 2^32 */
	0x432fffffffffffff, 0x4330000000000000, 0x4330000000000001, 0x433fffffffffffff, 0x4340000000000000,
	0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0xc3e0000000000001,    /* 2^52, 2^53, 2^63 */
	0x43efffffffffffff, 0x43f0000000000000,                                            /* 2^64 */
	0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x47f0000000000000,    /* where f32 ends */
	0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x3810000000000000, 0x380fffffffffffff,
	0x3ff0000010000000, 0x3ff0000030000000, 0x3ff0000010000001,                        /* ties in f32 */
};

static const uint32_t word_edges[] = {
	0, 1, 2, 5, 8, 15, 16, 30, 31, 32, 33, 47, 63, 64, 65, 70, 96, 127, 128, 0x7fffffff, 0x80000000, 0xffffffff,
};

static const int32_t exponent_edges[] = {
	0, 1, -1, 2, 23, -23, 24, -24, 25, -25, 52, -52, 53, -53, 100, -100, 126, 127, 128, -125, -126, -127, -128,
	-148, -149, -150, -151, 149, 252, 253, 254, 276, 277, 278, 280, -252, -277, -280, 1022, 1023, 1024, -1021,
	-1022, -1023, -1074, -1075, -1076, 2046, 2097, 2098, 2099, -2098, -2200, 5000, -5000, INT32_MAX, INT32_MIN,
};

uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static unsigned edge_count(enum ev_type type)
{
	switch (type) {
	case EV_BOOL: return 2;
	case EV_F32: return COUNT(f32_edges);
	case EV_F64: return COUNT(f64_edges);
	default: return COUNT(whole_edges);
	}
}

static uint64_t edge(enum ev_type type, unsigned index)
{
	switch (type) {
	case EV_BOOL: return index;
	case EV_F32: return f32_edges[index];
	case EV_F64: return f64_edges[index];
	case EV_I64: case EV_U64: return (uint64_t)whole_edges[index];
	default: return (uint32_t)whole_edges[index];
	}
}

/* An edge, any bits, or something of moderate size, where results are no edges themselves. */
static uint64_t any_value(enum ev_type type, uint64_t *state)
{
	uint64_t bits = next_random(state), kind = next_random(state) % 4;

	if (type == EV_BOOL)
		return bits & 1;
	if (kind == 0)
		return edge(type, (unsigned)(bits % edge_count(type)));
	if (type == EV_F32) {
		bits &= UINT32_MAX;
		return kind == 1 ? bits : (bits & 0x807fffff) | (uint64_t)(127 - 20 + (bits >> 23) % 40) << 23;
	}
	if (type == EV_F64)
		return kind == 1 ? bits : (bits & UINT64_C(0x800fffffffffffff)) |
					  (uint64_t)(1023 - 40 + (bits >> 52) % 80) << 52;
	if (kind == 1)
		bits = (uint64_t)((int64_t)bits >> (next_random(state) & 63));
	return ev_bits(type) == 64 ? bits : bits & UINT32_MAX;
}

static uint64_t any_word(uint64_t *state)
{
	uint64_t bits = next_random(state);

	return bits & 1 ? word_edges[(bits >> 8) % COUNT(word_edges)] : (bits >> 8) % 71;
}

uint64_t operand_literal(enum ev_type type, char letter, uint64_t *state)
{
	switch (letter) {
	case 's': case 'u': return any_word(state);
	case 'e': return (uint32_t)exponent_edges[next_random(state) % COUNT(exponent_edges)];
	case 'b': return next_random(state) & 1;
	default: return any_value(type, state);
	}
}

void operands_fill(struct operands *operands, enum ev_type type, uint64_t seed)
{
	unsigned n = edge_count(type), pairs = n * n;
	uint64_t state = seed;

	for (unsigned k = 0; k < ELEMS; k++) {
		for (int i = 0; i < 3; i++)
			operands->value[i][k] = any_value(type, &state);
		if (k < pairs) {
			operands->value[0][k] = edge(type, k % n);
			operands->value[1][k] = edge(type, k / n);
		}
		/* Offsets and counts from 0 to 70 in all pairs but some, which are beyond every width. */
		operands->word[0][k] = k % 71;
		operands->word[1][k] = k / 71;
		if (k % 13 == 0)
			operands->word[k % 2][k] = any_word(&state);
		operands->exponent[k] = (uint32_t)exponent_edges[k % COUNT(exponent_edges)];
		if (k % 3 == 0)
			operands->exponent[k] = (uint32_t)(int32_t)(next_random(&state) % 400) - 200u;
	}
}
