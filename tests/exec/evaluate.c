/* SPDX-License-Identifier: MIT */
#include "evaluate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define OPS(X) \
	X(Mov) X(LoadConstant) X(Select) \
	X(Add) X(Sub) X(Mul) X(Div) X(Rem) X(Fma) X(Neg) X(Abs) X(Min) X(Max) X(Clamp) \
	X(MulHi) X(MulWide) X(AddCarry) X(SubBorrow) X(Sqrt) X(Rsqrt) X(Rcp) X(Floor) X(Ceil) X(Trunc) \
	X(Round) X(Fract) X(Sign) X(CopySign) X(Ldexp) \
	X(Exp) X(Exp2) X(Log) X(Log2) X(Pow) X(Sin) X(Cos) X(Tan) X(Tanh) X(Sinh) X(Cosh) X(Asin) \
	X(Acos) X(Atan) X(Atan2) X(Erf) \
	X(And) X(Or) X(Xor) X(Not) X(Shl) X(Shr) X(PopCount) X(CountLeadingZeros) X(CountTrailingZeros) \
	X(ReverseBits) X(ExtractBits) X(InsertBits) \
	X(Eq) X(Ne) X(Lt) X(Le) X(Gt) X(Ge) X(IsNan) X(IsInf) X(IsFinite) \
	X(Cvt) X(Bitcast)

enum op {
#define X(name) OP_##name,
	OPS(X)
#undef X
	OP_COUNT
};

static const char names[OP_COUNT][20] = {
#define X(name) #name,
	OPS(X)
#undef X
};

static const struct {
	char name[5];
	unsigned char bits;
} types[EV_TYPE_COUNT] = {
	[EV_BOOL] = {"bool", 1}, [EV_I32] = {"i32", 32}, [EV_U32] = {"u32", 32}, [EV_I64] = {"i64", 64},
	[EV_U64] = {"u64", 64}, [EV_F32] = {"f32", 32}, [EV_F64] = {"f64", 64},
};

const char *ev_type_name(enum ev_type type)
{
	return types[type].name;
}

unsigned ev_bits(enum ev_type type)
{
	return types[type].bits;
}

int evaluate_find(const char *name)
{
	for (int op = 0; op < OP_COUNT; op++)
		if (!strcmp(names[op], name))
			return op;
	return -1;
}

enum ev_type evaluate_result(int op, enum ev_type type)
{
	if (op >= OP_Eq && op <= OP_IsFinite)
		return EV_BOOL;
	if (op == OP_MulWide)
		return type == EV_I32 ? EV_I64 : EV_U64;
	return type;
}

/* --- Bits and values ----------------------------------------------------- */

static uint64_t mask_of(enum ev_type type)
{
	return types[type].bits == 64 ? UINT64_MAX : (UINT64_C(1) << types[type].bits) - 1;
}

static float f32_of(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof value);
	return value;
}

static double f64_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint64_t f32_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static uint64_t f64_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* Floats in their order as integers: neighbours differ by one, and the two zeros are one. */
static int64_t place(enum ev_type type, uint64_t bits)
{
	uint64_t sign = UINT64_C(1) << (types[type].bits - 1);

	return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static uint64_t at_place(enum ev_type type, int64_t place)
{
	return place < 0 ? (uint64_t)-place | UINT64_C(1) << (types[type].bits - 1) : (uint64_t)place;
}

static bool is_nan(enum ev_type type, uint64_t bits)
{
	return type == EV_F32 ? isnan(f32_of(bits)) : type == EV_F64 && isnan(f64_of(bits));
}

static bool is_signaling(enum ev_type type, uint64_t bits)
{
	return is_nan(type, bits) && !(bits >> (type == EV_F32 ? 22 : 51) & 1);
}

static bool is_subnormal(enum ev_type type, uint64_t bits)
{
	return type == EV_F32 ? fpclassify(f32_of(bits)) == FP_SUBNORMAL
			      : type == EV_F64 && fpclassify(f64_of(bits)) == FP_SUBNORMAL;
}

static void add(struct answer *a, uint64_t bits)
{
	for (unsigned i = 0; i < a->count; i++)
		if (a->bits[i] == bits)
			return;
	a->bits[a->count++] = bits;
}

/* Near a value; exactly so where C's function gives a NaN, a zero or an infinity. */
static void approach(struct answer *a, long double value)
{
	a->near = true;
	a->value[a->near_count++] = value;
}

/* --- Floats -------------------------------------------------------------- */

#define NEXT(x, n) OF(at_place(KIND, place(KIND, BITS(x)) + (n)))

#define F float
#define KIND EV_F32
#define M(name) name##f
#define OF f32_of
#define BITS f32_bits
#define NAME(name) f32_##name
#define R(name) name
#define R_TYPE double
#define SMALLEST FLT_MIN
#include "evaluate_float.h"
#undef F
#undef KIND
#undef M
#undef OF
#undef BITS
#undef NAME
#undef R
#undef R_TYPE
#undef SMALLEST

#define F double
#define KIND EV_F64
#define M(name) name
#define OF f64_of
#define BITS f64_bits
#define NAME(name) f64_##name
#define R(name) name##l
#define R_TYPE long double
#define SMALLEST DBL_MIN
#include "evaluate_float.h"

/* --- Integers and bool --------------------------------------------------- */

static int64_t extended(enum ev_type type, uint64_t bits)
{
	return type == EV_I32 ? (int32_t)(uint32_t)bits : (int64_t)bits;
}

static uint64_t divide(int op, enum ev_type type, uint64_t x, uint64_t y)
{
	int64_t sx = extended(type, x), sy = extended(type, y);

	if (y == 0)
		return op == OP_Div ? x : 0;
	if (!ev_is_signed(type))
		return op == OP_Div ? x / y : x % y;
	if (sy == -1)
		return op == OP_Div ? 0 - x : 0;
	return (uint64_t)(op == OP_Div ? sx / sy : sx % sy);
}

static uint64_t high_product(enum ev_type type, uint64_t x, uint64_t y)
{
	unsigned width = types[type].bits;

	if (ev_is_signed(type))
		return (uint64_t)((__int128)extended(type, x) * extended(type, y) >> width);
	return (uint64_t)((unsigned __int128)x * y >> width);
}

/* WGSL, extractBits and insertBits: the offset is cut to the width, the count to what is left. */
static uint64_t field(int op, enum ev_type type, const uint64_t arg[4])
{
	unsigned width = types[type].bits;
	uint64_t offset = arg[op == OP_ExtractBits ? 1 : 2], count = arg[op == OP_ExtractBits ? 2 : 3];
	uint64_t ones, r;

	offset = offset < width ? offset : width;
	count = count < width - offset ? count : width - offset;
	if (count == 0)
		return op == OP_ExtractBits ? 0 : arg[0];
	ones = count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
	if (op == OP_InsertBits)
		return (arg[0] & ~(ones << offset)) | (arg[1] & ones) << offset;
	r = arg[0] >> offset & ones;
	return ev_is_signed(type) && r >> (count - 1) & 1 ? r | ~ones : r;
}

static uint64_t count_bits(int op, enum ev_type type, uint64_t x)
{
	unsigned width = types[type].bits, n = 0;

	switch (op) {
	case OP_PopCount:
		for (; x; x &= x - 1)
			n++;
		return n;
	case OP_CountLeadingZeros:
		while (n < width && !(x >> (width - 1 - n) & 1))
			n++;
		return n;
	case OP_CountTrailingZeros:
		while (n < width && !(x >> n & 1))
			n++;
		return n;
	default: {
		uint64_t r = 0;

		for (; n < width; n++)
			r |= (x >> n & 1) << (width - 1 - n);
		return r;
	}
	}
}

static uint64_t whole(int op, enum ev_type type, const uint64_t arg[4])
{
	uint64_t x = arg[0], y = arg[1];
	int64_t sx = extended(type, x), sy = extended(type, y);
	bool is_signed = ev_is_signed(type);
	bool less = is_signed ? sx < sy : x < y;
	uint64_t low[2] = {x, y};
	unsigned shift = (unsigned)y & (types[type].bits - 1u);

	switch (op) {
	case OP_Add: return x + y;
	case OP_Sub: return x - y;
	case OP_Mul: return x * y;
	case OP_Div: case OP_Rem: return divide(op, type, x, y);
	case OP_Neg: return 0 - x;
	case OP_Abs: return sx < 0 ? 0 - x : x;
	case OP_Min: return less ? x : y;
	case OP_Max: return less ? y : x;
	case OP_Clamp:
		low[0] = whole(OP_Max, type, arg);
		low[1] = arg[2];
		return whole(OP_Min, type, (uint64_t[4]){low[0], low[1]});
	case OP_MulHi: return high_product(type, x, y);
	case OP_MulWide: return is_signed ? (uint64_t)(sx * sy) : x * y;
	case OP_AddCarry: return ((x + y) & mask_of(type)) < x;
	case OP_SubBorrow: return x < y;
	case OP_Sign: return sx > 0 ? 1 : sx < 0 ? UINT64_MAX : 0;
	case OP_And: return x & y;
	case OP_Or: return x | y;
	case OP_Xor: return x ^ y;
	case OP_Not: return type == EV_BOOL ? !x : ~x;
	case OP_Shl: return x << shift;
	case OP_Shr: return is_signed ? (uint64_t)(sx >> shift) : x >> shift;
	case OP_ExtractBits: case OP_InsertBits: return field(op, type, arg);
	case OP_Eq: return x == y;
	case OP_Ne: return x != y;
	case OP_Lt: return less;
	case OP_Le: return less || x == y;
	case OP_Gt: return !less && x != y;
	case OP_Ge: return !less;
	default: return count_bits(op, type, x);
	}
}

/* --- Conversions --------------------------------------------------------- */

/* Towards zero, to the nearest value that there is; 0 for a NaN. */
static uint64_t saturated(enum ev_type to, double x)
{
	double low = ev_is_signed(to) ? -ldexp(1, (int)types[to].bits - 1) : 0;
	double high = ldexp(1, (int)types[to].bits - ev_is_signed(to));

	if (isnan(x))
		return 0;
	if (x <= low)
		return ev_is_signed(to) ? UINT64_C(1) << (types[to].bits - 1) : 0;
	if (x >= high)
		return ev_is_signed(to) ? mask_of(to) >> 1 : mask_of(to);
	return x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
}

static uint64_t converted(enum ev_type to, enum ev_type from, uint64_t bits)
{
	double x = from == EV_F32 ? (double)f32_of(bits) : f64_of(bits);

	if (to == EV_BOOL)
		return ev_is_float(from) ? x != 0 : bits != 0;
	if (to == from)
		return bits;
	if (ev_is_float(from))
		return to == EV_F64 ? f64_bits(x) : to == EV_F32 ? f32_bits((float)x) : saturated(to, x);
	if (to == EV_F32)
		return f32_bits(ev_is_signed(from) ? (float)extended(from, bits) : (float)bits);
	if (to == EV_F64)
		return f64_bits(ev_is_signed(from) ? (double)extended(from, bits) : (double)bits);
	return ev_is_signed(from) ? (uint64_t)extended(from, bits) : bits;
}

/* --- The whole ----------------------------------------------------------- */

void evaluate(int op, enum ev_type type, enum ev_type from, enum ev_rules rules, const uint64_t arg[4],
	      struct answer *a)
{
	unsigned operands = op == OP_Fma || op == OP_Clamp ? 3
			    : op == OP_Ldexp || op == OP_Neg || op == OP_Abs ? 1
			    : (op >= OP_Sqrt && op <= OP_Sign) || op >= OP_IsNan ? 1 : 2;

	*a = (struct answer){.type = evaluate_result(op, type), .rules = rules};
	switch (op) {
	case OP_Mov: case OP_LoadConstant: case OP_Bitcast: add(a, arg[0]); break;
	case OP_Select: add(a, arg[0] ? arg[1] : arg[2]); break;
	case OP_Cvt:
		add(a, converted(type, from, arg[0]));
		if (rules == EV_VULKAN && is_subnormal(from, arg[0]) && type != from)
			add(a, converted(type, from, arg[0] & UINT64_C(1) << (types[from].bits - 1)));
		break;
	default:
		if (type == EV_F32)
			f32_evaluate(op, arg, operands, a);
		else if (type == EV_F64)
			f64_evaluate(op, arg, operands, a);
		else
			add(a, whole(op, type, arg));
		break;
	}
	for (unsigned i = 0; i < a->count; i++)
		a->bits[i] &= mask_of(a->type);
}

/* Infinity counts as the power of two behind the largest float: an error may cross that line. */
static long double cut(enum ev_type type, long double x)
{
	long double end = ldexpl(1, type == EV_F32 ? FLT_MAX_EXP : DBL_MAX_EXP);

	return x > end ? end : x < -end ? -end : x;
}

static bool is_near(const struct answer *a, long double want, uint64_t bits)
{
	long double got = a->type == EV_F32 ? (long double)f32_of(bits) : (long double)f64_of(bits);
	int digits = a->type == EV_F32 ? FLT_MANT_DIG : DBL_MANT_DIG;
	int least = a->type == EV_F32 ? FLT_MIN_EXP : DBL_MIN_EXP, exponent;
	long double smallest = ldexpl(1, least - 1), ulp, size;

	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	if (want == 0 || isinf(want))
		return got == want && !signbit(got) == !signbit(want);
	want = cut(a->type, want);
	got = cut(a->type, got);
	size = fabsl(want);
	frexpl(size, &exponent);
	if (exponent > (a->type == EV_F32 ? FLT_MAX_EXP : DBL_MAX_EXP))
		exponent--;
	ulp = ldexpl(1, (exponent < least ? least : exponent) - digits);
	if (a->rules == EV_VULKAN && got == 0 && size - 4 * ulp < smallest)
		return true;
	return !signbit(got) == !signbit(want) && fabsl(got - want) <= 4 * ulp;
}

/* A subnormal, or the least normal, which may be what rounding made of one that was flushed before. */
static bool may_flush(enum ev_type type, uint64_t bits)
{
	int64_t at = place(type, bits), least = place(type, type == EV_F32 ? UINT64_C(0x00800000) : UINT64_C(1) << 52);

	return at && at >= -least && at <= least;
}

bool answer_allows(const struct answer *a, uint64_t got)
{
	if (a->open)
		return true;
	for (unsigned i = 0; i < a->near_count; i++)
		if (is_near(a, a->value[i], got))
			return true;
	for (unsigned i = 0; i < a->count; i++) {
		uint64_t want = a->bits[i];
		__int128 away;

		if (got == want)
			return true;
		if (!ev_is_float(a->type))
			continue;
		if (is_nan(a->type, want) || is_nan(a->type, got)) {
			if (is_nan(a->type, want) && is_nan(a->type, got))
				return true;
			continue;
		}
		away = (__int128)place(a->type, got) - place(a->type, want);
		if (away && away >= -(__int128)a->steps && away <= a->steps)
			return true;
		if (a->rules == EV_VULKAN && place(a->type, got) == 0 &&
		    (may_flush(a->type, want) || (a->steps && may_flush(a->type, at_place(a->type,
			(place(a->type, want) < 0 ? 1 : -1) * (int64_t)a->steps + place(a->type, want))))))
			return true;
	}
	return false;
}
