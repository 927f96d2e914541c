/* SPDX-License-Identifier: MIT */
/*
 * f32 transcendentals as straight-line code over basic operations, so that every target
 * gives the same bits. Written once, over the operations of a seam that is included first:
 * ir/math_ops.h appends them to a kernel, ir/math_eval.h computes them, for
 * the processor and for the test that tries every input.
 *
 * The seam: values f32, u32 and pred; `m`, the builder, is implied; a literal may stand
 * for an operand. At most one operand of a call may itself be a call: C leaves the order
 * of evaluation of arguments to the compiler, and the code we emit must not depend on it.
 *
 * What is used, and what is not:
 *  - Add, Sub, Mul of f32 rounded to nearest even, never contracted. No Fma (Vulkan may
 *    round twice), no Div (Vulkan allows 2.5 ULP), no f64 (optional on devices).
 *  - Special values are told apart by their bits, so that no float compare depends on how
 *    a device treats NaN or subnormals. Subnormals are read and made by integer operations
 *    where they matter (exp, log, pow): a device that flushes gives the same bits.
 *  - What an instruction computes for an input that a later Select throws away is free.
 *
 * What it costs and how exact it is: ir/math.h, found by trying all inputs of one argument
 * (tests/stress/math_f32 --full). Constants: maint/derive-math-f32.py. Methods:
 *  [Dekker]  A floating-point technique for extending the available precision, 1971
 *  [Payne]   Payne and Hanek, Radian reduction for trigonometric functions, 1983
 *  [Muller]  Elementary Functions: Algorithms and Implementation, 3rd edition, 2016
 *  [C]       ISO C, annex F: special cases
 */
#ifndef GLC_IR_MATH_F32_H
#define GLC_IR_MATH_F32_H

#include <math.h>

#define ONE_BITS      0x3f800000u
#define INFINITY_BITS 0x7f800000u
#define SIGN_BIT      0x80000000u
#define MAGNITUDE     0x7fffffffu
#define LEAST_NORMAL  0x00800000u
#define FRACTION      0x007fffffu

/* Added to a float below 2^22 it rounds it to an integer, which stands in the low bits. */
#define ROUNDER       0x1.8p23f

/* Keeps the 12 leading bits of the significand: products of two such floats are exact. */
#define LEADING       0xfffff000u

/* log(2) and log2(e) in two parts; the first of log(2) has room for factors below 2^9. */
#define LN2_HIGH      0x1.62e4p-1f
#define LN2_LOW       0x1.7f7d1cp-20f
#define LOG2E         0x1.715476p0f
#define LOG2E_HIGH    0x1.716p0f
#define LOG2E_LOW     -0x1.7135a8p-13f

/* Horner: c[0] + c[1] x + ... */
static inline f32 polynomial(struct glc_builder *m, f32 x, const float *c, int terms)
{
	f32 sum = add(mul(x, c[terms - 1]), c[terms - 2]);

	for (int i = terms - 3; i >= 0; i--)
		sum = add(mul(sum, x), c[i]);
	return sum;
}
#define POLYNOMIAL(x, c) polynomial(m, x, c, (int)(sizeof(c) / sizeof *(c)))

/* x with the significand cut to 12 bits; x minus that has 12 more and is exact. */
static inline f32 leading(struct glc_builder *m, f32 x)
{
	return as_f32(and(as_u32(x), LEADING));
}

static inline pred is_nan(struct glc_builder *m, u32 magnitude)
{
	return gt_u(magnitude, INFINITY_BITS);
}

/* --- Powers of two and of e ---------------------------------------------- */

/*
 * p 2^k, rounded once, also where it is subnormal, and infinite from 2^128. p in (0.5, 2);
 * k is given as k << 23, |k| <= 152 and k <= 128.
 */
static inline f32 scale(struct glc_builder *m, f32 p, u32 k23)
{
	u32 normal = add_u(as_u32(p), k23);
	/*
	 * A sum with 2^(-126 - k) is rounded to multiples of 2^(-149 - k): those that a
	 * subnormal p 2^k counts in units of 2^-149, and how many is in the low bits.
	 */
	u32 step = sub_u(LEAST_NORMAL, k23);
	u32 subnormal = sub_u(as_u32(add(p, as_f32(step))), step);
	pred is_normal = ge_i(normal, LEAST_NORMAL);

	return as_f32(select_u(is_normal, min_i(normal, INFINITY_BITS), subnormal));
}

struct exponent {
	f32 r;     /* x - k log(2) */
	u32 k23;   /* k << 23 */
};

/* [Muller] 11.1: additive reduction. k is right for |x| < 2^21, r for |k| < 2^9. */
static inline struct exponent reduce_exponent(struct glc_builder *m, f32 x)
{
	f32 rounded = add(mul(x, LOG2E), ROUNDER);
	f32 k = sub(rounded, ROUNDER);
	f32 r = sub(x, mul(k, LN2_HIGH));

	r = sub(r, mul(k, LN2_LOW));
	return (struct exponent){r, shl(as_u32(rounded), 23u)};
}

struct power {
	f32 p;     /* the power is p 2^k */
	u32 k23;   /* k << 23 */
};

/* e^x as p 2^k, p in [0.7, 1.42]. */
static inline struct power exp_parts(struct glc_builder *m, f32 x)
{
	/* (e^r - 1 - r) / r^2, |r| <= log(2) / 2: error of e^r below 2^-28.2 */
	static const float TAIL[] = {
		0x1.fffffcp-2f, 0x1.55548cp-3f, 0x1.555858p-5f, 0x1.123da6p-7f, 0x1.6ac36ap-10f,
	};
	struct exponent exponent = reduce_exponent(m, x);
	f32 r = exponent.r;
	f32 square = mul(r, r);
	f32 p = mul(square, POLYNOMIAL(r, TAIL));

	return (struct power){add(add(p, r), 1.0f), exponent.k23};
}

/* 2^f for |f| <= 0.5. */
static inline f32 exp2_fraction(struct glc_builder *m, f32 f)
{
	/* (2^f - 1) / f: error of 2^f below 2^-26.6 */
	static const float TAIL[] = {
		0x1.62e432p-1f, 0x1.ebfbe6p-3f, 0x1.c6ada8p-5f,
		0x1.3b2178p-7f, 0x1.5fc7d8p-10f, 0x1.4c626ep-13f,
	};

	return add(mul(f, POLYNOMIAL(f, TAIL)), 1.0f);
}

static inline f32 exp_f32(struct glc_builder *m, f32 x)
{
	/* Beyond these the result is 0 and infinity anyhow. What a NaN becomes is not used. */
	struct power power = exp_parts(m, min_f(max_f(x, -105.0f), 89.0f));
	f32 result = scale(m, power.p, power.k23);
	u32 magnitude = and(as_u32(x), MAGNITUDE);

	return select(is_nan(m, magnitude), NAN, result);
}

static inline f32 exp2_f32(struct glc_builder *m, f32 x)
{
	f32 clamped = min_f(max_f(x, -151.0f), 128.0f);
	f32 rounded = add(clamped, ROUNDER);
	f32 f = sub(clamped, sub(rounded, ROUNDER));
	f32 p = exp2_fraction(m, f);
	f32 result = scale(m, p, shl(as_u32(rounded), 23u));
	u32 magnitude = and(as_u32(x), MAGNITUDE);

	return select(is_nan(m, magnitude), NAN, result);
}

/* --- Logarithms ---------------------------------------------------------- */

struct split {
	u32 bits;   /* of a float in [base, 2 base) */
	u32 e;      /* x is that float times 2^e */
};

/* Of a positive finite x, given by its bits; base_bits: those of a float in [0.5, 1]. */
static inline struct split split_exponent(struct glc_builder *m, u32 bits, uint32_t base_bits)
{
	/* Subnormals: move the leading bit to where the exponent's lowest bit is. */
	u32 up = max_i(sub_u(clz(bits), 8u), 0u);
	u32 above = sub_u(shl(bits, up), base_bits);
	u32 e = sub_u(sar(above, 23u), up);

	return (struct split){add_u(and(above, FRACTION), base_bits), e};
}

struct log_parts {
	f32 f;        /* log(1 + f) = f - (half_square - tail), the leading part exact */
	f32 half_square, tail;
	f32 e;
};

/* log(x) = e log(2) + log(1 + f), 1 + f in [sqrt(0.5), sqrt(2)): no cancellation of the sum. */
static inline struct log_parts log_parts(struct glc_builder *m, u32 bits)
{
	/* (log(1 + f) - f + f^2 / 2) / f^3: error of log(1 + f) below 2^-28.8 */
	static const float TAIL[] = {
		0x1.555548p-2f, -0x1.00007p-2f, 0x1.99a542p-3f, -0x1.552f1p-3f, 0x1.2302f8p-3f,
		-0x1.010452p-3f, 0x1.f004cp-4f, -0x1.bf1644p-4f, 0x1.b49ed8p-5f,
	};
	struct split split = split_exponent(m, bits, 0x3f3504f3u);
	f32 f = sub(as_f32(split.bits), 1.0f);
	f32 square = mul(f, f);
	f32 cube = mul(f, square);
	f32 tail = mul(cube, POLYNOMIAL(f, TAIL));
	f32 e = from_i32(split.e);

	return (struct log_parts){f, mul(square, 0.5f), tail, e};
}

/* The special cases that log and log2 share. [C] F.10.3.7, F.10.3.10 */
static inline f32 log_special(struct glc_builder *m, u32 bits, f32 result)
{
	/* From infinity up, as unsigned: infinity, NaNs, and what has its sign bit set. */
	f32 beyond = select(eq_u(bits, INFINITY_BITS), INFINITY, NAN);

	result = select(ge_u(bits, INFINITY_BITS), beyond, result);
	return select(eq_u(shl(bits, 1u), 0u), -INFINITY, result);
}

static inline f32 log_f32(struct glc_builder *m, f32 x)
{
	u32 bits = as_u32(x);
	struct log_parts log = log_parts(m, bits);
	/* Small terms first. e LN2_HIGH is exact. */
	f32 low = add(mul(log.e, LN2_LOW), log.tail);
	f32 sum = add(log.f, sub(low, log.half_square));

	sum = add(sum, mul(log.e, LN2_HIGH));
	return log_special(m, bits, sum);
}

static inline f32 log2_f32(struct glc_builder *m, f32 x)
{
	u32 bits = as_u32(x);
	struct log_parts log = log_parts(m, bits);
	/* log(1 + f) as high + low, so that the product with log2(e) loses nothing. */
	f32 rest = sub(log.half_square, log.tail);
	f32 high = leading(m, sub(log.f, rest));
	f32 low = sub(sub(log.f, high), rest);
	f32 sum = mul(low, LOG2E);

	sum = add(sum, mul(high, LOG2E_LOW));
	sum = add(sum, mul(high, LOG2E_HIGH));
	return log_special(m, bits, add(sum, log.e));
}

/* --- Pow ------------------------------------------------------------------ */

struct sum {
	f32 high;   /* 12 bits */
	f32 low;
};

/*
 * log2(x) of a positive finite x to about 2^-32 of its value, as high + low.
 *
 * x = 2^(e + j/4) z, j = 0..3, z within 2^(1/8) of 1. With c a 12-bit float near 2^(-j/4),
 * r = (x 2^-e) c - 1 is the exact sum of two floats; log2(x) = e + j/4 + d + log2(1 + r),
 * where d = -log2(c) - j/4 is small enough for one float, and r for a short polynomial
 * whose leading terms alone need the double length. [Muller] 4.2: tables, in miniature.
 */
static inline struct sum log2_sum(struct glc_builder *m, u32 bits)
{
	/* (log2(1 + r) - log2(e) (r - r^2 / 2)) / r^3: error of log2(1 + r) below 2^-35.4 */
	static const float TAIL[] = {
		0x1.ec709ep-2f, -0x1.715438p-2f, 0x1.277596p-2f,
		-0x1.ed2c3ap-3f, 0x1.a9663ap-3f, -0x1.312988p-3f,
	};
	struct split split = split_exponent(m, bits, 0x3f6ac0c7u);   /* 2^(-1/8) */
	pred from_1 = ge_u(split.bits, 0x3f8b95c2u);                  /* 2^(1/8) */
	pred from_2 = ge_u(split.bits, 0x3fa5fed7u);                  /* 2^(3/8) */
	pred from_3 = ge_u(split.bits, 0x3fc5672au);                  /* 2^(5/8) */
	f32 c = select(from_3, 0x1.306p-1f,
		       select(from_2, 0x1.6ap-1f, select(from_1, 0x1.ae8p-1f, 1.0f)));
	f32 d = select(from_3, 0x1.3438bcp-12f,
		       select(from_2, 0x1.4332bep-13f, select(from_1, 0x1.11d4a2p-13f, 0.0f)));
	f32 quarters = select(from_3, 0.75f, select(from_2, 0.5f, select(from_1, 0.25f, 0.0f)));
	f32 e = add(from_i32(split.e), quarters);

	/* r = r_high + r_low: both products and the difference are exact, as is [Dekker]'s sum. */
	f32 z = as_f32(split.bits);
	f32 z_high = leading(m, z);
	f32 product = mul(sub(z, z_high), c);
	f32 shifted = sub(mul(z_high, c), 1.0f);
	f32 r = add(shifted, product);
	f32 r_low = sub(product, sub(r, shifted));

	/* r - r^2 / 2 = u + u_low; the square's leading part is exact. */
	f32 lead = leading(m, r);
	f32 square = mul(mul(lead, lead), 0.5f);
	f32 u = sub(r, square);
	f32 u_low = sub(sub(r, u), square);
	f32 half_rest = mul(add(r, lead), 0.5f);
	f32 cross = mul(half_rest, sub(r, lead));
	f32 high, low, whole, tail, cube;

	cross = add(cross, mul(r, r_low));
	u_low = add(u_low, sub(r_low, cross));

	/* Times log2(e), plus the rest. */
	high = leading(m, u);
	low = add(sub(u, high), u_low);
	low = mul(low, LOG2E);
	low = add(low, mul(high, LOG2E_LOW));
	cube = mul(r, mul(r, r));
	tail = mul(cube, POLYNOMIAL(r, TAIL));
	low = add(low, tail);
	low = add(low, d);
	high = mul(high, LOG2E_HIGH);

	whole = add(e, high);
	low = add(low, sub(high, sub(whole, e)));
	high = leading(m, add(whole, low));
	return (struct sum){high, add(sub(whole, high), low)};
}

/* |x|^y = 2^(y log2|x|), then the sign and the special cases. [C] F.10.4.4 */
static inline f32 pow_f32(struct glc_builder *m, f32 x, f32 y)
{
	u32 x_bits = as_u32(x);
	u32 y_bits = as_u32(y);
	u32 x_magnitude = and(x_bits, MAGNITUDE);
	u32 y_magnitude = and(y_bits, MAGNITUDE);
	struct sum log = log2_sum(m, x_magnitude);

	/*
	 * t = y log2|x| = t_high + t_low. |log2| is 0 or at least 2^-24, so that |y| may stop
	 * at 2^33 without a change of the result, infinite y included.
	 */
	f32 factor = min_f(max_f(y, -0x1p33f), 0x1p33f);
	f32 factor_high = leading(m, factor);
	f32 t_high = mul(factor_high, log.high);
	f32 t_low = mul(sub(factor, factor_high), log.high);
	f32 t, rounded, f, result, limit;
	pred y_negative, whole, odd, none, ends;
	u32 sign;

	t_low = add(t_low, mul(factor, log.low));
	t = add(t_high, t_low);
	rounded = add(t, ROUNDER);
	f = add(sub(t_high, sub(rounded, ROUNDER)), t_low);
	f = exp2_fraction(m, f);
	result = scale(m, f, shl(as_u32(rounded), 23u));
	result = select(gt_f(t, 128.25f), INFINITY, result);
	result = select(lt_f(t, -151.0f), 0.0f, result);

	/* 0 and infinity: the one or the other, by the sign of y. */
	y_negative = ne_u(and(y_bits, SIGN_BIT), 0u);
	ends = eq_u(x_magnitude, 0u);
	limit = select(xor_p(y_negative, ends), 0.0f, INFINITY);
	ends = or_p(ends, eq_u(x_magnitude, INFINITY_BITS));
	result = select(ends, limit, result);

	/* Negative x: odd y keeps the sign; for other than whole y there is no real result. */
	f = floor_f(y);
	whole = eq_f(f, y);
	t = mul(y, 0.5f);
	odd = and_p(whole, ne_f(floor_f(t), t));
	sign = select_u(odd, and(x_bits, SIGN_BIT), 0u);
	result = as_f32(or(as_u32(result), sign));
	none = lt_i(x_bits, 0u);
	none = and_p(none, not_p(or_p(whole, ends)));

	none = or_p(none, is_nan(m, x_magnitude));
	none = or_p(none, is_nan(m, y_magnitude));
	result = select(none, NAN, result);

	/* 1 whatever the other is, a NaN included. */
	none = eq_u(y_magnitude, 0u);
	return select(or_p(none, eq_u(x_bits, ONE_BITS)), 1.0f, result);
}

/* --- Hyperbolic functions ------------------------------------------------- */

/*
 * Below 0.625 an odd polynomial; from there 1 - 2t / (1 + t) with t = e^-2|x| <= e^-1.25,
 * where 2 / (1 + t) is a polynomial, so that nothing is divided.
 */
static inline f32 tanh_f32(struct glc_builder *m, f32 x)
{
	/* (tanh x - x) / x^3 in x^2: error of tanh x below 2^-27.7 */
	static const float NEAR[] = {
		-0x1.555532p-2f, 0x1.1106f6p-3f, -0x1.b835a4p-5f, 0x1.51f8cep-6f, -0x1.750ce2p-8f,
	};
	/* 2 / (1 + t): error of tanh x below 2^-29.5 */
	static const float FAR[] = {
		0x1.fffffap0f, -0x1.fffdf8p0f, 0x1.ffc366p0f, -0x1.fc957ap0f,
		0x1.e4e01ep0f, -0x1.837acap0f, 0x1.677876p-1f,
	};
	u32 bits = as_u32(x);
	u32 magnitude = and(bits, MAGNITUDE);
	f32 size = as_f32(magnitude);
	f32 square = mul(size, size);
	f32 near = mul(square, POLYNOMIAL(square, NEAR));
	struct power power = exp_parts(m, mul(size, -2.0f));
	f32 t = as_f32(add_u(as_u32(power.p), power.k23));
	f32 far = sub(1.0f, mul(t, POLYNOMIAL(t, FAR)));
	u32 sign = and(bits, SIGN_BIT);
	f32 result;

	near = add(mul(near, size), size);
	result = select(lt_u(magnitude, 0x3f200000u), near, far);
	result = select(gt_u(magnitude, 0x41a00000u), 1.0f, result);   /* 20: 1 - 2^-57 */
	result = as_f32(or(as_u32(result), sign));
	return select(is_nan(m, magnitude), NAN, result);
}

/*
 * With x = r + k log(2), S = sinh r and C = 1 + c = cosh r: sinh x = S (a + b) + C (a - b) and
 * cosh x = C (a + b) + S (a - b), where a = 2^(k-1) and b = 2^(-k-1). For k = 0 that is S and C.
 * Halved until the end, where the result may still overflow.
 */
struct hyperbolic {
	f32 s, c;
	f32 sum, difference;   /* (a + b) / 2, (a - b) / 2 */
};

static inline struct hyperbolic hyperbolic(struct glc_builder *m, u32 magnitude)
{
	/* (sinh r - r) / r^3, (cosh r - 1) / r^2 in r^2: errors below 2^-34.3, 2^-33.3 */
	static const float SINH[] = {0x1.555556p-3f, 0x1.110fbep-7f, 0x1.a2e31p-13f};
	static const float COSH[] = {0x1p-1f, 0x1.5554e6p-5f, 0x1.6d4f3cp-10f};
	/* As of 89.42 both overflow; k is at most 129. */
	struct exponent exponent = reduce_exponent(m, min_f(as_f32(magnitude), 89.5f));
	f32 r = exponent.r;
	f32 square = mul(r, r);
	f32 s = mul(square, POLYNOMIAL(square, SINH));
	f32 c = mul(square, POLYNOMIAL(square, COSH));
	f32 a = as_f32(add_u(exponent.k23, 0x3e800000u));   /* 2^-2 */
	f32 b = as_f32(sub_u(0x3e800000u, exponent.k23));
	f32 sum;

	/* 2^(-k-2) has no float from k = 125 on; it does not count from k = 13 on. */
	b = select(gt_i(exponent.k23, 20u << 23), 0.0f, b);
	s = add(mul(s, r), r);
	sum = add(a, b);
	return (struct hyperbolic){s, c, sum, sub(a, b)};
}

static inline f32 sinh_f32(struct glc_builder *m, f32 x)
{
	u32 bits = as_u32(x);
	u32 magnitude = and(bits, MAGNITUDE);
	u32 sign = and(bits, SIGN_BIT);
	struct hyperbolic h = hyperbolic(m, magnitude);
	f32 small = mul(h.c, h.difference);
	f32 result = add(small, mul(h.s, h.sum));

	result = mul(add(result, h.difference), 2.0f);
	/* Below 2^-12 it is x; a subnormal would not survive being halved. */
	small = as_f32(magnitude);
	result = select(lt_u(magnitude, 0x39800000u), small, result);
	result = as_f32(or(as_u32(result), sign));
	return select(is_nan(m, magnitude), NAN, result);
}

static inline f32 cosh_f32(struct glc_builder *m, f32 x)
{
	u32 magnitude = and(as_u32(x), MAGNITUDE);
	struct hyperbolic h = hyperbolic(m, magnitude);
	f32 small = mul(h.c, h.sum);
	f32 result = add(small, mul(h.s, h.difference));

	result = mul(add(result, h.sum), 2.0f);
	return select(is_nan(m, magnitude), NAN, result);
}

/* --- Error function ------------------------------------------------------- */

/* Below 0.9375 an odd polynomial; from there 1 - e^q(x), q(x) being close to -x^2. */
static inline f32 erf_f32(struct glc_builder *m, f32 x)
{
	/* erf(x) / x - 1 in x^2: error of erf x below 2^-30.0 */
	static const float NEAR[] = {
		0x1.06eba8p-3f, -0x1.81274p-2f, 0x1.ce2d64p-4f, -0x1.b8012p-6f,
		0x1.544aa8p-8f, -0x1.a6126ep-11f, 0x1.4f8e58p-14f,
	};
	/* log(1 - erf x), x <= 4: error of erf x below 2^-33.6 */
	static const float FAR[] = {
		0x1.77fbfep-13f, -0x1.212956p0f, -0x1.444038p-1f, -0x1.bbb71p-4f,
		0x1.9c1282p-6f, -0x1.1222ccp-8f, 0x1.ca22e8p-12f, -0x1.65715ep-16f,
	};
	u32 bits = as_u32(x);
	u32 sign = and(bits, SIGN_BIT);
	u32 magnitude = and(bits, MAGNITUDE);
	f32 size = as_f32(magnitude);
	f32 square = mul(size, size);
	/* Not x + x NEAR, which is more exact: where x is small that product is subnormal. */
	f32 near = mul(add(POLYNOMIAL(square, NEAR), 1.0f), size);
	struct power power = exp_parts(m, POLYNOMIAL(size, FAR));
	f32 far = sub(1.0f, as_f32(add_u(as_u32(power.p), power.k23)));
	f32 result;

	result = select(lt_u(magnitude, 0x3f700000u), near, far);
	result = select(gt_u(magnitude, 0x40800000u), 1.0f, result);   /* 4: 1 - 2^-26 */
	result = as_f32(or(as_u32(result), sign));
	return select(is_nan(m, magnitude), NAN, result);
}

#endif
