/* SPDX-License-Identifier: MIT */
/*
 * f32 trigonometric functions and their inverses: see math_f32.h, of which this is the
 * second half.
 */
#ifndef GLC_IR_MATH_TRIG_F32_H
#define GLC_IR_MATH_TRIG_F32_H

#include "ir/math_f32.h"

/* pi/2 and pi in two parts. */
#define HALF_PI_HIGH 0x1.921fb6p0f
#define HALF_PI_LOW  -0x1.777a5cp-25f
#define PI_HIGH      0x1.921fb6p1f
#define PI_LOW       -0x1.777a5cp-24f

/* --- Division and square root ---------------------------------------------- */

/*
 * 1 / d to 0.51 ULP, for 2^-125 <= d <= 2^125.
 *
 * The difference of the bits from a constant is an estimate: with 254 - (2 - sqrt 2) as its
 * exponent, d times it is in [0.7071, 0.7286] whatever d, and a line brings that to 1 within
 * 2^-13. Cut to 12 bits, its residual e = 1 - d y is exact but for one rounding, and
 * 1 / d = y (1 + e + e^2 + ...).
 */
static inline f32 reciprocal(struct glc_builder *m, f32 d)
{
	f32 estimate = as_f32(sub_u(0x7eb504f3u, as_u32(d)));
	f32 line = mul(mul(d, estimate), 1.940909f);
	f32 y = leading(m, mul(estimate, sub(2.786488f, line)));
	f32 d_high = leading(m, d);
	f32 e = sub(1.0f, mul(d_high, y));

	e = sub(e, mul(sub(d, d_high), y));
	e = add(mul(e, e), e);
	return add(mul(y, e), y);
}

/* sqrt(z) to 0.8 ULP, for z = 0 and 2^-100 <= z <= 2^100: the same way, by 1 / sqrt(z). */
static inline f32 square_root(struct glc_builder *m, f32 z)
{
	f32 y = as_f32(sub_u(0x5f3759dfu, shr(as_u32(z), 1u)));
	f32 half_z = mul(z, 0.5f);
	f32 s, rest;

	/* Newton's step for 1 / sqrt(z): an error e becomes 3/2 e^2; from 2^-4.8 to 2^-9.1, 2^-17.6. */
	for (int i = 0; i < 2; i++) {
		rest = mul(mul(half_z, y), y);
		y = mul(y, sub(1.5f, rest));
	}
	/* Rounded to 12 bits its square is exact, and one more step for the square root is left. */
	s = mul(z, y);
	s = as_f32(and(add_u(as_u32(s), 0x800u), LEADING));
	rest = sub(z, mul(s, s));
	return add(mul(mul(rest, y), 0.5f), s);
}

/* --- Sine, cosine, tangent ------------------------------------------------ */

struct angle {
	u32 quadrant;   /* the low 2 bits count */
	f32 r;          /* |x| = quadrant pi/2 + or - r, 0 <= r <= pi/4 */
	u32 sign;       /* sign bit: minus */
};

/* The 32 bits from bit `shift` of high:low, 0 <= shift <= 31; the complement is 31 - shift. */
static inline u32 funnel(struct glc_builder *m, u32 high, u32 low, u32 shift, u32 complement)
{
	u32 left = shl(high, shift);
	u32 right = shr(low, 1u);

	return or(left, shr(right, complement));
}

/*
 * [Payne]: of |x| 2/pi only the bits around the point matter: those worth multiples of 4
 * turn full circles, and no float is nearer to a multiple of pi/2 than 2^-30 quadrants.
 * So |x|, a 24-bit integer M at some exponent, is multiplied with those 96 bits of 2/pi
 * that the exponent selects, modulo 2^96: the two top bits of the product are the quadrant.
 * Exact to 2^-62 quadrants for |x| >= pi/4 up to the largest float.
 */
static inline struct angle reduce(struct glc_builder *m, u32 magnitude)
{
	/* 26 zero bits, then 2/pi. */
	static const uint32_t TWO_OVER_PI[7] = {
		0x00000028u, 0xbe60db93u, 0x91054a7fu, 0x09d5f47du, 0x4d377036u, 0xd8a5664fu, 0x10e4107fu,
	};
	/* pi/2 2^-12 in two parts, and pi/2 2^-32: v is a fraction in units of 2^-32. */
	const float high_unit = 0x1.922p-12f, low_unit = -0x1.2aeef4p-30f, unit = 0x1.921fb6p-32f;

	/*
	 * The window starts at bit `first` of the table, 0 for x in [0.5, 1). The topmost
	 * exponent, 128, shares its window with the one below, and doubles M.
	 */
	u32 first = sub_u(shr(magnitude, 23u), 126u);
	u32 start = min_i(first, 127u);
	u32 significand = or(and(magnitude, FRACTION), LEAST_NORMAL);
	pred by_64 = ne_u(and(start, 64u), 0u);
	pred by_32 = ne_u(and(start, 32u), 0u);
	u32 shift = and(start, 31u);
	u32 complement = xor(shift, 31u);
	u32 pair[5], word[4], window[3];
	u32 low, high, part, quadrant, minus, norm, v;
	f32 v_high, r;
	pred small;

	significand = shl(significand, sub_u(first, start));
	for (int i = 0; i < 5; i++)
		pair[i] = select_u(by_64, TWO_OVER_PI[i + 2], TWO_OVER_PI[i]);
	for (int i = 0; i < 4; i++)
		word[i] = select_u(by_32, pair[i + 1], pair[i]);
	for (int i = 0; i < 3; i++)
		window[i] = funnel(m, word[i], word[i + 1], shift, complement);

	/* The upper 64 bits of the product's lower 96. */
	part = mulhi_u(significand, window[2]);
	low = add_u(mul_u(significand, window[1]), part);
	part = select_u(lt_u(low, part), 1u, 0u);
	high = add_u(mulhi_u(significand, window[1]), part);
	high = add_u(high, mul_u(significand, window[0]));

	/* To the nearest quadrant; what is left, a signed fraction, as sign and magnitude. */
	quadrant = shr(add_u(high, 0x20000000u), 30u);
	high = shl(high, 2u);
	high = or(high, shr(low, 30u));
	low = shl(low, 2u);
	minus = sar(high, 31u);
	high = xor(high, minus);
	low = xor(low, minus);

	/* Its leading 32 bits, times pi/2 with one rounding that counts. */
	norm = clz(high);
	v = funnel(m, high, low, norm, xor(norm, 31u));
	v_high = from_i32(shr(v, 20u));
	r = from_i32(and(v, 0xfffffu));
	r = mul(r, unit);
	r = add(r, mul(v_high, low_unit));
	r = add(r, mul(v_high, high_unit));
	r = mul(r, as_f32(sub_u(ONE_BITS, shl(norm, 23u))));

	/* Below pi/4 there is nothing to reduce. */
	small = le_u(magnitude, 0x3f490fdau);
	quadrant = select_u(small, 0u, quadrant);
	minus = select_u(small, 0u, and(minus, SIGN_BIT));
	return (struct angle){quadrant, select(small, as_f32(magnitude), r), minus};
}

/* sin(|x| + turn pi/2) */
static inline f32 sine(struct glc_builder *m, u32 magnitude, uint32_t turn)
{
	/* (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 in r^2: errors below 2^-27.9, 2^-33.0 */
	static const float SINE[] = {-0x1.555546p-3f, 0x1.110778p-7f, -0x1.995408p-13f};
	static const float COSINE[] = {0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e80cp-16f};
	struct angle angle = reduce(m, magnitude);
	f32 square = mul(angle.r, angle.r);
	f32 s = mul(square, POLYNOMIAL(square, SINE));
	f32 c = mul(square, POLYNOMIAL(square, COSINE));
	u32 quadrant = angle.quadrant;
	u32 result, cosine;
	pred odd;

	s = add(mul(s, angle.r), angle.r);
	c = mul(c, square);
	c = sub(c, mul(square, 0.5f));
	c = add(c, 1.0f);

	if (turn)
		quadrant = add_u(quadrant, turn);
	result = xor(as_u32(s), angle.sign);
	odd = ne_u(and(quadrant, 1u), 0u);
	cosine = as_u32(c);
	result = select_u(odd, cosine, result);
	result = xor(result, shl(and(quadrant, 2u), 30u));
	s = as_f32(result);
	return select(ge_u(magnitude, INFINITY_BITS), NAN, s);
}

static inline f32 sin_f32(struct glc_builder *m, f32 x)
{
	u32 bits = as_u32(x);
	u32 sign = and(bits, SIGN_BIT);
	f32 result = sine(m, and(bits, MAGNITUDE), 0);

	return as_f32(xor(as_u32(result), sign));
}

static inline f32 cos_f32(struct glc_builder *m, f32 x)
{
	return sine(m, and(as_u32(x), MAGNITUDE), 1);
}

/* tan r = r + r^3 T(r^2) in even quadrants, -cot r = -(1/r - r C(r^2)) in odd ones. */
static inline f32 tan_f32(struct glc_builder *m, f32 x)
{
	/* (tan r - r) / r^3, (1/r - cot r) / r in r^2: errors below 2^-25.7, 2^-27.3 */
	static const float TAN[] = {
		0x1.5554dep-2f, 0x1.112deap-3f, 0x1.b5851ep-5f, 0x1.9072ap-6f, 0x1.96847cp-9f, 0x1.33e7c6p-7f,
	};
	static const float COT[] = {0x1.555542p-2f, 0x1.6c28dap-6f, 0x1.12c37cp-9f, 0x1.04401ep-12f};
	u32 bits = as_u32(x);
	u32 sign = and(bits, SIGN_BIT);
	u32 magnitude = and(bits, MAGNITUDE);
	struct angle angle = reduce(m, magnitude);
	f32 square = mul(angle.r, angle.r);
	f32 tangent = mul(square, POLYNOMIAL(square, TAN));
	f32 cotangent = mul(angle.r, POLYNOMIAL(square, COT));
	pred odd;
	f32 result;

	tangent = add(mul(tangent, angle.r), angle.r);
	cotangent = sub(reciprocal(m, angle.r), cotangent);
	odd = ne_u(and(angle.quadrant, 1u), 0u);
	result = select(odd, cotangent, tangent);
	sign = xor(sign, angle.sign);
	sign = xor(sign, shl(angle.quadrant, 31u));
	result = as_f32(xor(as_u32(result), sign));
	return select(ge_u(magnitude, INFINITY_BITS), NAN, result);
}

/* --- Inverse functions ----------------------------------------------------- */

/* atan t, 0 <= t <= 1 */
static inline f32 arctangent(struct glc_builder *m, f32 t)
{
	/* (atan t - t) / t^3 in t^2: error of atan t below 2^-28.5 */
	static const float TAIL[] = {
		-0x1.55553ep-2f, 0x1.9991e4p-3f, -0x1.242086p-3f, 0x1.c08c5p-4f, -0x1.58091ep-4f,
		0x1.da297ap-5f, -0x1.fd7a2cp-6f, 0x1.641bep-7f, -0x1.d33e88p-10f,
	};
	f32 square = mul(t, t);
	f32 tail = mul(square, POLYNOMIAL(square, TAIL));

	return add(mul(tail, t), t);
}

/* pi/2 - a */
static inline f32 half_pi_minus(struct glc_builder *m, f32 a)
{
	return sub(HALF_PI_HIGH, sub(a, HALF_PI_LOW));
}

static inline f32 atan_f32(struct glc_builder *m, f32 x)
{
	u32 bits = as_u32(x);
	u32 sign = and(bits, SIGN_BIT);
	u32 magnitude = and(bits, MAGNITUDE);
	f32 size = as_f32(magnitude);
	pred large = gt_u(magnitude, ONE_BITS);
	/* From 2^26 on the result is pi/2. */
	f32 inverse = reciprocal(m, min_f(size, 0x1p60f));
	f32 a = arctangent(m, select(large, inverse, size));

	a = select(large, half_pi_minus(m, a), a);
	a = as_f32(or(as_u32(a), sign));
	return select(is_nan(m, magnitude), NAN, a);
}

/* The angle of (x, y). [C] F.10.1.4 */
static inline f32 atan2_f32(struct glc_builder *m, f32 y, f32 x)
{
	u32 x_bits = as_u32(x);
	u32 y_bits = as_u32(y);
	u32 x_magnitude = and(x_bits, MAGNITUDE);
	u32 y_magnitude = and(y_bits, MAGNITUDE);
	u32 sign = and(y_bits, SIGN_BIT);
	u32 below = min_i(x_magnitude, y_magnitude);
	u32 above = max_i(x_magnitude, y_magnitude);

	/* t = below / above, exponents apart: both may be subnormal, and so may t. */
	struct split dividend = split_exponent(m, below, ONE_BITS);
	struct split divisor = split_exponent(m, above, ONE_BITS);
	f32 inverse = reciprocal(m, as_f32(divisor.bits));
	f32 t = mul(inverse, as_f32(dividend.bits));
	u32 k = max_i(sub_u(dividend.e, divisor.e), (uint32_t)-152);
	pred steep = gt_u(y_magnitude, x_magnitude);
	pred left = lt_i(x_bits, 0u);
	pred none = eq_u(below, 0u);
	pred infinite = eq_u(above, INFINITY_BITS);
	f32 a, other;

	t = scale(m, t, shl(k, 23u));
	/* 0 by anything, and what is finite by infinity. Infinity, here 2^128, by itself is 1. */
	infinite = and_p(infinite, ne_u(below, INFINITY_BITS));
	t = select(or_p(none, infinite), 0.0f, t);

	a = arctangent(m, t);
	other = half_pi_minus(m, a);
	a = select(steep, other, a);
	other = sub(PI_HIGH, sub(a, PI_LOW));
	a = select(left, other, a);
	a = as_f32(or(as_u32(a), sign));
	return select(gt_u(above, INFINITY_BITS), NAN, a);
}

struct arc {
	pred large;    /* |x| > 0.5: |x| = cos 2a, else |x| = sin a */
	f32 t, tail;   /* a = t + tail */
};

static inline struct arc arc(struct glc_builder *m, u32 magnitude)
{
	/* (asin t - t) / t^3 in t^2, t <= 0.5: error of asin t below 2^-27.6 */
	static const float TAIL[] = {
		0x1.5555c8p-3f, 0x1.3301fcp-4f, 0x1.747d06p-5f, 0x1.8c2d84p-6f, 0x1.596d6p-5f,
	};
	f32 size = as_f32(magnitude);
	pred large = gt_u(magnitude, 0x3f000000u);
	/* 1 - cos 2a = 2 sin^2 a; the difference is exact. */
	f32 half = mul(sub(1.0f, size), 0.5f);
	f32 square = select(large, half, mul(size, size));
	f32 t = select(large, square_root(m, half), size);
	f32 tail = mul(square, POLYNOMIAL(square, TAIL));

	return (struct arc){large, t, mul(tail, t)};
}

static inline f32 asin_f32(struct glc_builder *m, f32 x)
{
	u32 bits = as_u32(x);
	u32 sign = and(bits, SIGN_BIT);
	u32 magnitude = and(bits, MAGNITUDE);
	struct arc arcs = arc(m, magnitude);
	f32 a = add(arcs.t, arcs.tail);
	/* pi/2 - 2a, the large difference first: it is exact where it could cost most. */
	f32 result = sub(HALF_PI_HIGH, add(arcs.t, arcs.t));
	f32 low = sub(add(arcs.tail, arcs.tail), HALF_PI_LOW);

	result = select(arcs.large, sub(result, low), a);
	result = as_f32(or(as_u32(result), sign));
	return select(gt_u(magnitude, ONE_BITS), NAN, result);
}

static inline f32 acos_f32(struct glc_builder *m, f32 x)
{
	u32 bits = as_u32(x);
	u32 sign = and(bits, SIGN_BIT);
	u32 magnitude = and(bits, MAGNITUDE);
	struct arc arcs = arc(m, magnitude);
	pred left = lt_i(bits, 0u);
	f32 a = add(arcs.t, arcs.tail);
	f32 twice = add(a, a);
	f32 beyond = sub(PI_HIGH, sub(twice, PI_LOW));
	u32 signed_a = or(as_u32(a), sign);
	f32 middle = half_pi_minus(m, as_f32(signed_a));
	f32 result = select(left, beyond, twice);

	result = select(arcs.large, result, middle);
	return select(gt_u(magnitude, ONE_BITS), NAN, result);
}

#endif
