/* SPDX-License-Identifier: MIT */
/*
 * Constant folding and identities, with exact rules: a fold gives the bits that every
 * target gives, or is not done. Left alone: a float result that is a NaN (any NaN is
 * allowed), subnormal operands and results (a device may flush them), Fma (Vulkan may
 * round twice). No identity of floats is applied: x + 0 loses the sign of -0, and x * 1
 * keeps a subnormal that a device would flush.
 */
#include "ir/build.h"

#include <math.h>
#include <string.h>

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

static uint64_t bits_of_f32(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static uint64_t bits_of_f64(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static bool is_settled(enum glc_type type, uint64_t bits)
{
	uint64_t exponent, mantissa;

	if (type == GLC_F32) {
		exponent = bits >> 23 & 0xff;
		mantissa = bits & 0x7fffff;
		return exponent == 0xff ? mantissa == 0 : exponent || !mantissa;
	}
	if (type == GLC_F64) {
		exponent = bits >> 52 & 0x7ff;
		mantissa = bits & 0xfffffffffffff;
		return exponent == 0x7ff ? mantissa == 0 : exponent || !mantissa;
	}
	return true;
}

static int64_t sign_extend(uint64_t bits, uint32_t width)
{
	return (int64_t)(bits << (64 - width)) >> (64 - width);
}

/* One body for both widths: F is float or double. */
#define EVALUATE_FLOAT(F, of, bits_of)                                                      \
	do {                                                                                \
		F x = of(arg[0]), y = of(arg[1]);                                           \
		switch (op) {                                                               \
		case GLC_OP_Add: *result = bits_of(x + y); break;                           \
		case GLC_OP_Sub: *result = bits_of(x - y); break;                           \
		case GLC_OP_Mul: *result = bits_of(x * y); break;                           \
		case GLC_OP_Div: *result = bits_of(x / y); break;                           \
		case GLC_OP_Neg: *result = bits_of(-x); break;                              \
		case GLC_OP_Abs: *result = bits_of(x < 0 || (x == 0 && signbit(x)) ? -x : x); break; \
		/* Equal operands may be zeros of two signs, which targets order differently. */ \
		case GLC_OP_Min: if (x == y) return false; *result = bits_of(x < y ? x : y); break; \
		case GLC_OP_Max: if (x == y) return false; *result = bits_of(x > y ? x : y); break; \
		case GLC_OP_Eq: *result = x == y; return true;                              \
		case GLC_OP_Ne: *result = x != y; return true;                              \
		case GLC_OP_Lt: *result = x < y; return true;                               \
		case GLC_OP_Le: *result = x <= y; return true;                              \
		case GLC_OP_Gt: *result = x > y; return true;                               \
		case GLC_OP_Ge: *result = x >= y; return true;                              \
		case GLC_OP_IsNan: *result = 0; return true;                                \
		case GLC_OP_IsInf: *result = isinf(x) != 0; return true;                    \
		case GLC_OP_IsFinite: *result = !isinf(x); return true;                     \
		default: return false;                                                      \
		}                                                                           \
	} while (0)

static bool evaluate_float(enum glc_op op, enum glc_type type, const uint64_t arg[4], uint64_t *result)
{
	if (!is_settled(type, arg[0]) || !is_settled(type, arg[1]))
		return false;
	if (type == GLC_F32)
		EVALUATE_FLOAT(float, f32_of, bits_of_f32);
	else
		EVALUATE_FLOAT(double, f64_of, bits_of_f64);
	return is_settled(type, *result);
}

static bool evaluate_int(enum glc_op op, enum glc_type type, const uint64_t arg[4], uint64_t *result)
{
	uint32_t width = glc_bits(type);
	uint64_t mask = glc_type_mask(type), x = arg[0], y = arg[1], r;
	int64_t sx = sign_extend(x, width), sy = sign_extend(y, width);
	int64_t min = sign_extend(UINT64_C(1) << (width - 1), width);
	bool is_signed = glc_is_signed(type);

	switch (op) {
	case GLC_OP_Add: r = x + y; break;
	case GLC_OP_Sub: r = x - y; break;
	case GLC_OP_Mul: r = x * y; break;
	case GLC_OP_Div:
		if (y == 0)
			r = x;
		else if (is_signed)
			r = sy == -1 && sx == min ? x : (uint64_t)(sx / sy);
		else
			r = x / y;
		break;
	case GLC_OP_Rem:
		if (y == 0)
			r = 0;
		else if (is_signed)
			r = sy == -1 ? 0 : (uint64_t)(sx % sy);
		else
			r = x % y;
		break;
	case GLC_OP_Neg: r = 0 - x; break;
	case GLC_OP_Abs: r = sx < 0 ? 0 - x : x; break;
	case GLC_OP_Min: r = (is_signed ? sx < sy : x < y) ? x : y; break;
	case GLC_OP_Max: r = (is_signed ? sx > sy : x > y) ? x : y; break;
	case GLC_OP_And: r = x & y; break;
	case GLC_OP_Or: r = x | y; break;
	case GLC_OP_Xor: r = x ^ y; break;
	case GLC_OP_Not: r = ~x; break;
	case GLC_OP_Shl: r = x << (y & (width - 1)); break;
	case GLC_OP_Shr:
		r = is_signed ? (uint64_t)(sx >> (y & (width - 1))) : x >> (y & (width - 1));
		break;
	case GLC_OP_Eq: *result = x == y; return true;
	case GLC_OP_Ne: *result = x != y; return true;
	case GLC_OP_Lt: *result = is_signed ? sx < sy : x < y; return true;
	case GLC_OP_Le: *result = is_signed ? sx <= sy : x <= y; return true;
	case GLC_OP_Gt: *result = is_signed ? sx > sy : x > y; return true;
	case GLC_OP_Ge: *result = is_signed ? sx >= sy : x >= y; return true;
	default: return false;
	}
	*result = r & mask;
	return true;
}

static bool evaluate_bool(enum glc_op op, const uint64_t arg[4], uint64_t *result)
{
	uint64_t x = arg[0] & 1, y = arg[1] & 1;

	switch (op) {
	case GLC_OP_And: *result = x & y; return true;
	case GLC_OP_Or: *result = x | y; return true;
	case GLC_OP_Xor:
	case GLC_OP_Ne: *result = x ^ y; return true;
	case GLC_OP_Eq: *result = x == y; return true;
	case GLC_OP_Not: *result = !x; return true;
	default: return false;
	}
}

/* Integer and bool sources only, and never into a float that must round. */
static bool evaluate_cvt(enum glc_type to, enum glc_type from, uint64_t bits, uint64_t *result)
{
	int64_t value;

	if (glc_is_float(from))
		return false;
	value = from == GLC_BOOL || !glc_is_signed(from) ? (int64_t)bits
							 : sign_extend(bits, glc_bits(from));
	if (to == GLC_BOOL) {
		*result = bits != 0;
		return true;
	}
	if (!glc_is_float(to)) {
		*result = (uint64_t)value & glc_type_mask(to);
		return true;
	}
	/* The upper half of u64 would pass for small negative numbers. */
	if (value > 1 << 24 || value < -(1 << 24) || (value < 0 && !glc_is_signed(from)))
		return false;
	*result = to == GLC_F32 ? bits_of_f32((float)value) : bits_of_f64((double)value);
	return to == GLC_F32 || to == GLC_F64;
}

bool glc_evaluate(enum glc_op op, enum glc_type type, enum glc_type from, const uint64_t arg[4],
		  uint64_t *result)
{
	if (op == GLC_OP_Cvt)
		return evaluate_cvt(type, from, arg[0], result);
	if (op == GLC_OP_Bitcast) {
		*result = arg[0];
		return true;
	}
	if (glc_is_float(from))
		return (from == GLC_F32 || from == GLC_F64) && evaluate_float(op, from, arg, result);
	return from == GLC_BOOL ? evaluate_bool(op, arg, result) : evaluate_int(op, from, arg, result);
}

glc_value glc_fold(struct glc_builder *b, const struct glc_inst *inst)
{
	uint64_t arg[4] = {0}, result;

	if (inst->op == GLC_OP_Select || (inst->mods & GLC_MOD_APPROX))
		return GLC_NO_VALUE;
	for (int i = 0; i < 4 && inst->arg[i] != GLC_NO_VALUE; i++) {
		if (!glc_is_const(inst->arg[i]))
			return GLC_NO_VALUE;
		arg[i] = b->consts.at[inst->arg[i] & ~GLC_CONST_BIT].bits;
	}
	if (inst->arg[0] == GLC_NO_VALUE || (glc_ops[inst->op].flags & GLC_INNER))
		return GLC_NO_VALUE;
	if (!glc_evaluate(inst->op, inst->type, inst->from, arg, &result))
		return GLC_NO_VALUE;
	return glc_const_bits(b, inst->type, result);
}

static bool is_bits(const struct glc_builder *b, glc_value value, uint64_t bits)
{
	return glc_is_const(value) && value != GLC_NO_VALUE &&
	       b->consts.at[value & ~GLC_CONST_BIT].bits == bits;
}

/* The operand of `value` if an instruction of that opcode made it. */
static glc_value undo(const struct glc_builder *b, glc_value value, enum glc_op op, enum glc_type type)
{
	if (glc_is_const(value) || b->insts.at[value].op != op || b->insts.at[value].from != type)
		return GLC_NO_VALUE;
	return b->insts.at[value].arg[0];
}

glc_value glc_identity(struct glc_builder *b, const struct glc_inst *inst)
{
	glc_value x = inst->arg[0], y = inst->arg[1];
	enum glc_type type = inst->from;
	bool whole = !glc_is_float(type);
	uint64_t ones = glc_type_mask(type);

	switch (inst->op) {
	case GLC_OP_Select:
		if (y == inst->arg[2] || is_bits(b, x, 1))
			return y;
		if (is_bits(b, x, 0))
			return inst->arg[2];
		break;
	case GLC_OP_Neg:
	case GLC_OP_Not:
		return undo(b, x, inst->op, type);
	case GLC_OP_Add:
	case GLC_OP_Or:
	case GLC_OP_Xor:
		if (whole && is_bits(b, y, 0))
			return x;
		if (inst->op == GLC_OP_Or && (x == y || is_bits(b, y, ones)))
			return y;
		if (inst->op == GLC_OP_Xor && x == y)
			return glc_const_bits(b, type, 0);
		break;
	case GLC_OP_Sub:
		if (whole && is_bits(b, y, 0))
			return x;
		if (whole && x == y)
			return glc_const_bits(b, type, 0);
		break;
	case GLC_OP_Mul:
		if (whole && is_bits(b, y, 1))
			return x;
		if (whole && is_bits(b, y, 0))
			return y;
		break;
	case GLC_OP_Div:
		if (whole && is_bits(b, y, 1))
			return x;
		break;
	case GLC_OP_And:
		if (x == y || is_bits(b, y, ones))
			return x;
		if (is_bits(b, y, 0))
			return y;
		break;
	case GLC_OP_Shl:
	case GLC_OP_Shr:
		if (is_bits(b, y, 0))
			return x;
		break;
	case GLC_OP_Min:
	case GLC_OP_Max:
		if (whole && x == y)
			return x;
		break;
	case GLC_OP_Eq:
	case GLC_OP_Le:
	case GLC_OP_Ge:
		if (whole && x == y)
			return glc_const_bits(b, GLC_BOOL, 1);
		break;
	case GLC_OP_Ne:
	case GLC_OP_Lt:
	case GLC_OP_Gt:
		if (whole && x == y)
			return glc_const_bits(b, GLC_BOOL, 0);
		break;
	default:
		break;
	}
	return GLC_NO_VALUE;
}
