/* SPDX-License-Identifier: MIT */
/*
 * What one instruction gives, written down from the language's tables alone: C on scalars,
 * built with -ffp-contract=off and without any of the compiler's own code.
 */
#include "random.h"

#include <float.h>
#include <math.h>
#include <string.h>

static float f32(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof value);
	return value;
}

static double f64(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint64_t of_f32(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static uint64_t of_f64(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static int64_t extended(enum glc_type type, uint64_t bits)
{
	if (type == GLC_I32)
		return (int32_t)bits;
	return (int64_t)bits;
}

static bool is_denormal(enum glc_type type, uint64_t bits)
{
	uint64_t mask = type == GLC_F32 ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);

	return !(bits & mask) && (bits & glc_type_mask(type) >> 1);
}

/* --- Integers ------------------------------------------------------------ */

static uint64_t count_leading(uint64_t x, uint32_t width)
{
	uint32_t n = 0;

	while (n < width && !(x >> (width - 1 - n) & 1))
		n++;
	return n;
}

static uint64_t count_trailing(uint64_t x, uint32_t width)
{
	uint32_t n = 0;

	while (n < width && !(x >> n & 1))
		n++;
	return n;
}

static uint64_t reverse(uint64_t x, uint32_t width)
{
	uint64_t r = 0;

	for (uint32_t i = 0; i < width; i++)
		r |= (x >> i & 1) << (width - 1 - i);
	return r;
}

static uint64_t high_product(enum glc_type type, uint64_t a, uint64_t b)
{
	uint32_t width = glc_bits(type);

	if (glc_is_signed(type))
		return (uint64_t)((__int128)extended(type, a) * extended(type, b) >> width);
	return (uint64_t)((unsigned __int128)a * b >> width);
}

/* The bits [offset, offset + count) that WGSL's clamping leaves, as a mask; *low is the offset. */
static uint64_t field(uint32_t width, uint64_t offset, uint64_t count, uint32_t *low, uint32_t *size)
{
	*low = offset < width ? (uint32_t)offset : width;
	*size = count < width - *low ? (uint32_t)count : width - *low;
	return *size ? (UINT64_MAX >> (64 - *size)) << *low : 0;
}

static uint64_t divide(enum glc_type type, uint64_t a, uint64_t b, bool remainder)
{
	int64_t x = extended(type, a), y = extended(type, b);

	if (!b)
		return remainder ? 0 : a;
	if (!glc_is_signed(type))
		return remainder ? a % b : a / b;
	if (y == -1)
		return remainder ? 0 : 0 - a;
	return (uint64_t)(remainder ? x % y : x / y);
}

static bool less(enum glc_type type, uint64_t a, uint64_t b)
{
	return glc_is_signed(type) ? extended(type, a) < extended(type, b) : a < b;
}

static bool compute_int(const struct rk_stmt *stmt, const uint64_t a[4], uint64_t *r)
{
	enum glc_type type = stmt->op == GLC_OP_Cvt ? stmt->from : stmt->type;
	uint32_t width = glc_bits(type), low, size;
	uint64_t mask;

	switch (stmt->op) {
	case GLC_OP_Add: *r = a[0] + a[1]; break;
	case GLC_OP_Sub: *r = a[0] - a[1]; break;
	case GLC_OP_Mul: *r = a[0] * a[1]; break;
	case GLC_OP_Div: *r = divide(type, a[0], a[1], false); break;
	case GLC_OP_Rem: *r = divide(type, a[0], a[1], true); break;
	case GLC_OP_Neg: *r = 0 - a[0]; break;
	case GLC_OP_Abs: *r = extended(type, a[0]) < 0 ? 0 - a[0] : a[0]; break;
	case GLC_OP_Sign: *r = extended(type, a[0]) < 0 ? UINT64_MAX : a[0] != 0; break;
	case GLC_OP_Min: *r = less(type, a[1], a[0]) ? a[1] : a[0]; break;
	case GLC_OP_Max: *r = less(type, a[0], a[1]) ? a[1] : a[0]; break;
	case GLC_OP_Clamp:
		*r = less(type, a[0], a[1]) ? a[1] : a[0];
		*r = less(type, a[2], *r) ? a[2] : *r;
		break;
	case GLC_OP_MulHi: *r = high_product(type, a[0], a[1]); break;
	case GLC_OP_MulWide:
		*r = type == GLC_I32 ? (uint64_t)(extended(type, a[0]) * extended(type, a[1])) : a[0] * a[1];
		return true;
	case GLC_OP_AddCarry: *r = (unsigned __int128)a[0] + a[1] > glc_type_mask(type); break;
	case GLC_OP_SubBorrow: *r = a[0] < a[1]; break;
	case GLC_OP_And: *r = a[0] & a[1]; break;
	case GLC_OP_Or: *r = a[0] | a[1]; break;
	case GLC_OP_Xor: *r = a[0] ^ a[1]; break;
	case GLC_OP_Not: *r = type == GLC_BOOL ? !a[0] : ~a[0]; break;
	case GLC_OP_Shl: *r = a[0] << (a[1] % width); break;
	case GLC_OP_Shr:
		*r = glc_is_signed(type) ? (uint64_t)(extended(type, a[0]) >> (a[1] % width)) : a[0] >> (a[1] % width);
		break;
	case GLC_OP_PopCount: *r = (uint64_t)__builtin_popcountll(a[0]); break;
	case GLC_OP_CountLeadingZeros: *r = count_leading(a[0], width); break;
	case GLC_OP_CountTrailingZeros: *r = count_trailing(a[0], width); break;
	case GLC_OP_ReverseBits: *r = reverse(a[0], width); break;
	case GLC_OP_ExtractBits:
		mask = field(width, a[1], a[2], &low, &size);
		*r = mask ? (a[0] & mask) >> low : 0;
		if (glc_is_signed(type) && size && *r >> (size - 1) & 1)
			*r |= ~(UINT64_MAX >> (64 - size));
		break;
	case GLC_OP_InsertBits:
		mask = field(width, a[2], a[3], &low, &size);
		*r = (a[0] & ~mask) | (mask ? a[1] << low & mask : 0);
		break;
	default:
		return false;
	}
	*r &= glc_type_mask(type);
	return true;
}

/* --- Floats -------------------------------------------------------------- */

/*
 * One body for both types. Min and Max: a NaN loses; which zero is left open, and what
 * makes them adds +0 afterwards, as it does behind Sign.
 */
#define FLOAT(NAME, T, OF, FROM, SUFFIX)                                                            \
	static T NAME##_min(T x, T y) { return x != x ? y : y != y ? x : x < y ? x : y; }            \
	static T NAME##_max(T x, T y) { return x != x ? y : y != y ? x : x > y ? x : y; }            \
	static bool NAME(const struct rk_stmt *stmt, const uint64_t a[4], uint64_t *r)               \
	{                                                                                            \
		T x = FROM(a[0]), y = FROM(a[1]), z = FROM(a[2]), v;                                 \
                                                                                                     \
		switch (stmt->op) {                                                                  \
		case GLC_OP_Add: v = x + y; break;                                                   \
		case GLC_OP_Sub: v = x - y; break;                                                   \
		case GLC_OP_Mul: v = x * y; break;                                                   \
		case GLC_OP_Div: v = x / y; break;                                                   \
		case GLC_OP_Rem: v = trunc##SUFFIX(x / y); v = y * v; v = x - v; break;              \
		case GLC_OP_Fma: v = fma##SUFFIX(x, y, z); break;                                    \
		case GLC_OP_Neg: v = -x; break;                                                      \
		case GLC_OP_Abs: v = fabs##SUFFIX(x); break;                                         \
		case GLC_OP_Min: v = NAME##_min(x, y); break;                                        \
		case GLC_OP_Max: v = NAME##_max(x, y); break;                                        \
		case GLC_OP_Clamp: v = NAME##_min(NAME##_max(x, y), z); break;                       \
		case GLC_OP_Sqrt: v = sqrt##SUFFIX(x); break;                                        \
		case GLC_OP_Rsqrt: v = (T)1 / sqrt##SUFFIX(x); break;                                \
		case GLC_OP_Rcp: v = (T)1 / x; break;                                                \
		case GLC_OP_Floor: v = floor##SUFFIX(x); break;                                      \
		case GLC_OP_Ceil: v = ceil##SUFFIX(x); break;                                        \
		case GLC_OP_Trunc: v = trunc##SUFFIX(x); break;                                      \
		case GLC_OP_Round: v = rint##SUFFIX(x); break;                                       \
		case GLC_OP_Fract: v = x - floor##SUFFIX(x); break;                                  \
		case GLC_OP_Sign: v = x > 0 ? 1 : x < 0 ? -1 : x; break;                             \
		case GLC_OP_CopySign: v = copysign##SUFFIX(x, y); break;                             \
		case GLC_OP_Ldexp: v = scalbln##SUFFIX(x, (int32_t)a[1]); break;                     \
		default: return false;                                                               \
		}                                                                                    \
		*r = OF(v);                                                                          \
		return true;                                                                         \
	}

FLOAT(compute_f32, float, of_f32, f32, f)
FLOAT(compute_f64, double, of_f64, f64, )

/*
 * Vulkan promises signed zeros, infinities and NaN only to modules that ask for them, which
 * needs a feature of the device. Mesa makes x of x + 0, -x of 0 - x, 0 of x * 0 and of x / 0. And
 * it may round the product of an f64 Fma; f32 has +soft-fma.
 */
static bool is_relaxed(const struct rk_stmt *stmt, enum glc_type type, const uint64_t a[4], double x, double y, uint64_t r)
{
	bool zero = x == 0 || y == 0, none = !(r & glc_type_mask(type) >> 1);
	double twice;

	switch (stmt->op) {
	case GLC_OP_Add: return x == 0 && y == 0 && a[0] != a[1];
	case GLC_OP_Sub: return !a[0] && !a[1];
	case GLC_OP_Mul: return zero && (r || !isfinite(x) || !isfinite(y));
	case GLC_OP_Div: return y == 0;
	case GLC_OP_Rem: return y == 0 || !isfinite(x) || !isfinite(x / y);
	case GLC_OP_Fma:
		if (zero && (none || !isfinite(x) || !isfinite(y)))
			return true;
		if (type == GLC_F32)
			return false;
		twice = f64(a[0]) * f64(a[1]);
		twice += f64(a[2]);
		return of_f64(twice) != r && !(twice != twice && f64(r) != f64(r));
	default: return false;
	}
}

static bool compute_float(const struct rk_device *device, const struct rk_stmt *stmt, const uint64_t a[4],
			  uint64_t *r)
{
	enum glc_type type = stmt->type;
	int values = (int)strspn(glc_ops[stmt->op].operands, "v");
	double x = type == GLC_F32 ? (double)f32(a[0]) : f64(a[0]), y = type == GLC_F32 ? (double)f32(a[1]) : f64(a[1]);
	bool moves_bits = stmt->op == GLC_OP_CopySign || stmt->op == GLC_OP_Neg || stmt->op == GLC_OP_Abs;

	if (!(type == GLC_F32 ? compute_f32 : compute_f64)(stmt, a, r))
		return false;
	if (device->flushes)
		for (int i = 0; i < values; i++)
			if (is_denormal(type, a[i]))
				return false;
	if (device->flushes && !moves_bits) {
		if (is_denormal(type, *r))
			return false;
		/* The smallest normal may be what rounding made of a number that was flushed. */
		if ((*r & glc_type_mask(type) >> 1) == (type == GLC_F32 ? UINT64_C(0x00800000) : UINT64_C(1) << 52))
			return false;
		/* So may a zero whose parts came to nothing on the way. */
		if (!(*r & glc_type_mask(type) >> 1) && (stmt->op == GLC_OP_Ldexp || stmt->op == GLC_OP_Fma || stmt->op == GLC_OP_Rem))
			return false;
	}
	if (device->relaxed && is_relaxed(stmt, type, a, x, y, *r))
		return false;
	/* Within some ULP, and the rest of the kernel makes more of them: op_table tries each alone. */
	if (device->near && (stmt->op == GLC_OP_Div || stmt->op == GLC_OP_Rem || stmt->op == GLC_OP_Rcp ||
			     stmt->op == GLC_OP_Sqrt || stmt->op == GLC_OP_Rsqrt))
		return false;
	return true;
}

/* --- Comparisons and conversions ----------------------------------------- */

static bool compare(const struct rk_device *device, const struct rk_stmt *stmt, const uint64_t a[4], uint64_t *r)
{
	enum glc_type type = stmt->type;
	bool lt, eq, nan = false;

	if (glc_is_float(type)) {
		double x = type == GLC_F32 ? (double)f32(a[0]) : f64(a[0]);
		double y = type == GLC_F32 ? (double)f32(a[1]) : f64(a[1]);

		if (device->flushes && (is_denormal(type, a[0]) || is_denormal(type, a[1])))
			return false;
		nan = isnan(x) || isnan(y);
		lt = x < y;
		eq = x == y;
	} else {
		lt = less(type, a[0], a[1]);
		eq = a[0] == a[1];
	}
	switch (stmt->op) {
	case GLC_OP_Eq: *r = eq; break;
	case GLC_OP_Ne: *r = !eq; break;
	case GLC_OP_Lt: *r = lt; break;
	case GLC_OP_Le: *r = lt || eq; break;
	case GLC_OP_Gt: *r = !lt && !eq && !nan; break;
	default: *r = !lt && !nan; break;
	}
	return true;
}

static uint64_t to_int(enum glc_type to, double x)
{
	double high = ldexp(1, (int)glc_bits(to) - glc_is_signed(to)), low = glc_is_signed(to) ? -high : 0;
	uint64_t mask = glc_type_mask(to);

	if (isnan(x))
		return 0;
	x = trunc(x);
	if (x >= high)
		return glc_is_signed(to) ? mask >> 1 : mask;
	if (x < low)
		return glc_is_signed(to) ? mask ^ mask >> 1 : 0;
	return (glc_is_signed(to) ? (uint64_t)(int64_t)x : (uint64_t)x) & mask;
}

static bool convert(const struct rk_device *device, const struct rk_stmt *stmt, uint64_t x, uint64_t *r)
{
	enum glc_type to = stmt->type, from = stmt->from;
	double value = 0;

	if (glc_is_float(from)) {
		if (device->flushes && is_denormal(from, x))
			return false;
		value = from == GLC_F32 ? (double)f32(x) : f64(x);
	}
	if (to == GLC_BOOL) {
		*r = glc_is_float(from) ? value != 0 : x != 0;
	} else if (glc_is_float(to)) {
		if (glc_is_float(from))
			*r = to == GLC_F64 ? of_f64(value) : of_f32((float)value);
		else if (glc_is_signed(from))
			*r = to == GLC_F64 ? of_f64((double)extended(from, x)) : of_f32((float)extended(from, x));
		else
			*r = to == GLC_F64 ? of_f64((double)x) : of_f32((float)x);
		if (device->flushes && to == GLC_F32 && from == GLC_F64 &&
		    (is_denormal(to, *r) || (*r & 0x7fffffff) == 0x00800000))
			return false;
	} else if (glc_is_float(from)) {
		*r = to_int(to, value);
	} else {
		*r = (from == GLC_BOOL ? x : (uint64_t)extended(from, x)) & glc_type_mask(to);
	}
	return true;
}

bool rk_compute(const struct rk_device *device, const struct rk_stmt *stmt, const uint64_t a[4], uint64_t *r)
{
	bool single = stmt->type == GLC_F32;

	switch (stmt->op) {
	case GLC_OP_Mov:
	case GLC_OP_LoadConstant:
	case GLC_OP_Bitcast:
		*r = a[0];
		return true;
	case GLC_OP_Select:
		*r = a[0] ? a[1] : a[2];
		return true;
	case GLC_OP_Eq: case GLC_OP_Ne: case GLC_OP_Lt: case GLC_OP_Le: case GLC_OP_Gt: case GLC_OP_Ge:
		return compare(device, stmt, a, r);
	case GLC_OP_IsNan:
		*r = single ? isnan(f32(a[0])) : isnan(f64(a[0]));
		return true;
	case GLC_OP_IsInf:
		*r = (single ? isinf(f32(a[0])) : isinf(f64(a[0]))) != 0;
		return true;
	case GLC_OP_IsFinite:
		*r = (single ? isfinite(f32(a[0])) : isfinite(f64(a[0]))) != 0;
		return true;
	case GLC_OP_Cvt:
		return convert(device, stmt, a[0], r);
	default:
		return glc_is_float(stmt->type) ? compute_float(device, stmt, a, r) : compute_int(stmt, a, r);
	}
}

double rk_transcendental(enum glc_op op, double x, double y)
{
	switch (op) {
	case GLC_OP_Exp: return exp(x);
	case GLC_OP_Exp2: return exp2(x);
	case GLC_OP_Log: return log(x);
	case GLC_OP_Log2: return log2(x);
	case GLC_OP_Pow: return pow(x, y);
	case GLC_OP_Sin: return sin(x);
	case GLC_OP_Cos: return cos(x);
	case GLC_OP_Tan: return tan(x);
	case GLC_OP_Tanh: return tanh(x);
	case GLC_OP_Sinh: return sinh(x);
	case GLC_OP_Cosh: return cosh(x);
	case GLC_OP_Asin: return asin(x);
	case GLC_OP_Acos: return acos(x);
	case GLC_OP_Atan: return atan(x);
	case GLC_OP_Atan2: return atan2(x, y);
	default: return erf(x);
	}
}
