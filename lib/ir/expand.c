/* SPDX-License-Identifier: MIT */
#include "ir/expand.h"

static inline glc_value zero(struct glc_builder *b, enum glc_type type)
{
	return glc_const_bits(b, type, 0);
}

static glc_value raw(struct glc_builder *b, enum glc_op op, enum glc_type type, glc_value x, glc_value y,
		     glc_value z, glc_value w)
{
	struct glc_inst inst = {
		.op = op, .type = type, .from = type, .mods = GLC_MOD_RAW, .arg = {x, y, z, w}};

	return glc_emit_inst(b, &inst);
}

/* --- Integers ------------------------------------------------------------ */

glc_value glc_expand_divide(struct glc_builder *b, enum glc_op op, enum glc_type type, glc_value x,
			    glc_value y, bool by_quotient)
{
	uint64_t mask = glc_type_mask(type), bits;
	glc_value bad;

	if (glc_is_const(y)) {
		bits = b->consts.at[y & ~GLC_CONST_BIT].bits;
		if (!bits)
			return op == GLC_OP_Div ? x : zero(b, type);
		if (glc_is_signed(type) && bits == mask)
			return op == GLC_OP_Div ? glc_emit1(b, GLC_OP_Neg, type, x) : zero(b, type);
	} else {
		bad = glc_emit2(b, GLC_OP_Eq, type, y, zero(b, type));
		if (glc_is_signed(type)) {
			glc_value min = glc_emit2(b, GLC_OP_Eq, type, x,
						  glc_const_bits(b, type, mask ^ mask >> 1));
			glc_value minus = glc_emit2(b, GLC_OP_Eq, type, y, glc_const_bits(b, type, mask));

			bad = glc_emit2(b, GLC_OP_Or, GLC_BOOL, bad,
					glc_emit2(b, GLC_OP_And, GLC_BOOL, min, minus));
		}
		/* x / 1 = x and x % 1 = 0: just what the language wants of 0 and of MIN / -1. */
		y = glc_select(b, type, bad, glc_const_bits(b, type, 1), y);
	}
	if (op == GLC_OP_Rem && by_quotient)
		return glc_emit2(b, GLC_OP_Sub, type, x,
				 glc_emit2(b, GLC_OP_Mul, type, y,
					   raw(b, GLC_OP_Div, type, x, y, GLC_NO_VALUE, GLC_NO_VALUE)));
	return raw(b, op, type, x, y, GLC_NO_VALUE, GLC_NO_VALUE);
}

glc_value glc_expand_shift(struct glc_builder *b, enum glc_op op, enum glc_type type, glc_value x,
			   glc_value amount)
{
	uint32_t mask = glc_bits(type) - 1;

	if (glc_is_const(amount))
		amount = glc_const_u32(b, (uint32_t)b->consts.at[amount & ~GLC_CONST_BIT].bits & mask);
	else
		amount = glc_emit2(b, GLC_OP_And, GLC_U32, amount, glc_const_u32(b, mask));
	return raw(b, op, type, x, amount, GLC_NO_VALUE, GLC_NO_VALUE);
}

static glc_value from_bool(struct glc_builder *b, enum glc_type type, glc_value p)
{
	return glc_select(b, type, p, glc_const_int(b, type, 1), glc_const_int(b, type, 0));
}

static glc_value low32(struct glc_builder *b, glc_value x)
{
	return glc_cvt(b, GLC_U32, GLC_U64, x);
}

static glc_value high32(struct glc_builder *b, glc_value x)
{
	return low32(b, glc_expand_shift(b, GLC_OP_Shr, GLC_U64, x, glc_const_u32(b, 32)));
}

static glc_value wide(struct glc_builder *b, glc_value x)
{
	return glc_cvt(b, GLC_U64, GLC_U32, x);
}

glc_value glc_expand_mulhi64(struct glc_builder *b, enum glc_type type, glc_value x, glc_value y)
{
	glc_value half = glc_const_u32(b, 32), low = glc_const_bits(b, GLC_U64, UINT32_MAX);
	glc_value ux = glc_bitcast(b, GLC_U64, type, x), uy = glc_bitcast(b, GLC_U64, type, y);
	glc_value x0 = glc_emit2(b, GLC_OP_And, GLC_U64, ux, low);
	glc_value y0 = glc_emit2(b, GLC_OP_And, GLC_U64, uy, low);
	glc_value x1 = glc_expand_shift(b, GLC_OP_Shr, GLC_U64, ux, half);
	glc_value y1 = glc_expand_shift(b, GLC_OP_Shr, GLC_U64, uy, half);
	glc_value p00 = glc_emit2(b, GLC_OP_Mul, GLC_U64, x0, y0);
	/* No sum below exceeds 64 bits: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1. */
	glc_value mid = glc_emit2(b, GLC_OP_Add, GLC_U64, glc_emit2(b, GLC_OP_Mul, GLC_U64, x1, y0),
				  glc_expand_shift(b, GLC_OP_Shr, GLC_U64, p00, half));
	glc_value mid2 = glc_emit2(b, GLC_OP_Add, GLC_U64, glc_emit2(b, GLC_OP_Mul, GLC_U64, x0, y1),
				   glc_emit2(b, GLC_OP_And, GLC_U64, mid, low));
	glc_value high = glc_emit2(b, GLC_OP_Add, GLC_U64, glc_emit2(b, GLC_OP_Mul, GLC_U64, x1, y1),
				   glc_expand_shift(b, GLC_OP_Shr, GLC_U64, mid, half));

	high = glc_emit2(b, GLC_OP_Add, GLC_U64, high, glc_expand_shift(b, GLC_OP_Shr, GLC_U64, mid2, half));
	if (glc_is_signed(type)) {
		glc_value x_negative = glc_emit2(b, GLC_OP_Lt, type, x, zero(b, type));
		glc_value y_negative = glc_emit2(b, GLC_OP_Lt, type, y, zero(b, type));

		high = glc_emit2(b, GLC_OP_Sub, GLC_U64, high,
				 glc_select(b, GLC_U64, x_negative, uy, zero(b, GLC_U64)));
		high = glc_emit2(b, GLC_OP_Sub, GLC_U64, high,
				 glc_select(b, GLC_U64, y_negative, ux, zero(b, GLC_U64)));
	}
	return glc_bitcast(b, type, GLC_U64, high);
}

glc_value glc_expand_bits64(struct glc_builder *b, const struct glc_inst *inst)
{
	enum glc_type type = inst->type;
	enum glc_op op = inst->op;
	glc_value x = glc_bitcast(b, GLC_U64, type, inst->arg[0]);
	glc_value low = low32(b, x), high = high32(b, x), half = glc_const_u32(b, 32), r;

	if (op == GLC_OP_ReverseBits) {
		r = wide(b, glc_emit1(b, op, GLC_U32, low));
		r = glc_expand_shift(b, GLC_OP_Shl, GLC_U64, r, half);
		r = glc_emit2(b, GLC_OP_Or, GLC_U64, r, wide(b, glc_emit1(b, op, GLC_U32, high)));
	} else if (op == GLC_OP_PopCount) {
		r = wide(b, glc_emit2(b, GLC_OP_Add, GLC_U32, glc_emit1(b, op, GLC_U32, low),
				      glc_emit1(b, op, GLC_U32, high)));
	} else {
		/* Counting zeros: from one end, then go on in the other half if the first is empty. */
		glc_value first = op == GLC_OP_CountLeadingZeros ? high : low;
		glc_value rest = op == GLC_OP_CountLeadingZeros ? low : high;
		glc_value empty = glc_emit2(b, GLC_OP_Eq, GLC_U32, first, zero(b, GLC_U32));

		r = glc_select(b, GLC_U32, empty,
			       glc_emit2(b, GLC_OP_Add, GLC_U32, glc_emit1(b, op, GLC_U32, rest), half),
			       glc_emit1(b, op, GLC_U32, first));
		r = wide(b, r);
	}
	return glc_bitcast(b, type, GLC_U64, r);
}

glc_value glc_expand_field(struct glc_builder *b, const struct glc_inst *inst, bool by_shifts)
{
	enum glc_type type = inst->type, plain = glc_unsigned_of(type);
	bool extract = inst->op == GLC_OP_ExtractBits;
	glc_value width = glc_const_u32(b, glc_bits(type));
	glc_value x = inst->arg[0], y = inst->arg[1];
	glc_value offset = inst->arg[extract ? 1 : 2], count = inst->arg[extract ? 2 : 3];
	glc_value none, rest, mask;

	offset = glc_emit2(b, GLC_OP_Min, GLC_U32, offset, width);
	count = glc_emit2(b, GLC_OP_Min, GLC_U32, count, glc_emit2(b, GLC_OP_Sub, GLC_U32, width, offset));
	if (!by_shifts)
		return extract ? raw(b, inst->op, type, x, offset, count, GLC_NO_VALUE)
			       : raw(b, inst->op, type, x, y, offset, count);

	none = glc_emit2(b, GLC_OP_Eq, GLC_U32, count, zero(b, GLC_U32));
	rest = glc_emit2(b, GLC_OP_Sub, GLC_U32, width, count);
	if (extract) {
		x = glc_expand_shift(b, GLC_OP_Shl, type, x, glc_emit2(b, GLC_OP_Sub, GLC_U32, rest, offset));
		x = glc_expand_shift(b, GLC_OP_Shr, type, x, rest);
		return glc_select(b, type, none, zero(b, type), x);
	}
	mask = glc_expand_shift(b, GLC_OP_Shr, plain, glc_const_bits(b, plain, glc_type_mask(type)), rest);
	mask = glc_expand_shift(b, GLC_OP_Shl, plain, mask, offset);
	mask = glc_bitcast(b, type, plain, glc_select(b, plain, none, zero(b, plain), mask));
	y = glc_emit2(b, GLC_OP_And, type, glc_expand_shift(b, GLC_OP_Shl, type, y, offset), mask);
	x = glc_emit2(b, GLC_OP_And, type, x, glc_emit1(b, GLC_OP_Not, type, mask));
	return glc_emit2(b, GLC_OP_Or, type, x, y);
}

/* --- Floats -------------------------------------------------------------- */

static glc_value power_of_two(struct glc_builder *b, enum glc_type type, int exponent)
{
	return type == GLC_F32 ? glc_const_bits(b, type, (uint64_t)(exponent + 127) << 23)
			       : glc_const_bits(b, type, (uint64_t)(exponent + 1023) << 52);
}

/*
 * x * 2^n by up to three exact steps and one that rounds. On the way down a step multiplies
 * by 2^-102 (2^-969), not by the smallest normal: what then underflows before the last step
 * ends as zero anyway, so nothing is rounded twice.
 */
static glc_value ldexp_steps(struct glc_builder *b, enum glc_type type, glc_value x, glc_value n)
{
	int up = type == GLC_F32 ? 127 : 1023, low = 1 - up, down = type == GLC_F32 ? -102 : -969;
	enum glc_type word = type == GLC_F32 ? GLC_U32 : GLC_U64;
	glc_value one = power_of_two(b, type, 0), power;

	n = glc_emit2(b, GLC_OP_Max, GLC_I32, n, glc_const_int(b, GLC_I32, low + 2 * down));
	n = glc_emit2(b, GLC_OP_Min, GLC_I32, n, glc_const_int(b, GLC_I32, 3 * up));
	for (int i = 0; i < 2; i++) {
		glc_value high = glc_emit2(b, GLC_OP_Gt, GLC_I32, n, glc_const_int(b, GLC_I32, up));
		glc_value deep = glc_emit2(b, GLC_OP_Lt, GLC_I32, n, glc_const_int(b, GLC_I32, low));
		glc_value factor = glc_select(b, type, high, power_of_two(b, type, up),
					      glc_select(b, type, deep, power_of_two(b, type, down), one));
		glc_value taken = glc_select(b, GLC_I32, high, glc_const_int(b, GLC_I32, up),
					     glc_select(b, GLC_I32, deep, glc_const_int(b, GLC_I32, down),
							zero(b, GLC_I32)));

		x = glc_emit2(b, GLC_OP_Mul, type, x, factor);
		n = glc_emit2(b, GLC_OP_Sub, GLC_I32, n, taken);
	}
	n = glc_emit2(b, GLC_OP_Add, GLC_I32, n, glc_const_int(b, GLC_I32, up));
	power = glc_bitcast(b, GLC_U32, GLC_I32, n);
	power = glc_cvt(b, word, GLC_U32, power);
	power = glc_expand_shift(b, GLC_OP_Shl, word, power, glc_const_u32(b, type == GLC_F32 ? 23 : 52));
	return glc_emit2(b, GLC_OP_Mul, type, x, glc_bitcast(b, type, word, power));
}

static glc_value copy_sign(struct glc_builder *b, enum glc_type type, glc_value x, glc_value y)
{
	enum glc_type word = glc_unsigned_of(type);
	uint64_t mask = glc_type_mask(word), sign = mask ^ mask >> 1;

	x = glc_emit2(b, GLC_OP_And, word, glc_bitcast(b, word, type, x), glc_const_bits(b, word, mask >> 1));
	y = glc_emit2(b, GLC_OP_And, word, glc_bitcast(b, word, type, y), glc_const_bits(b, word, sign));
	return glc_bitcast(b, type, word, glc_emit2(b, GLC_OP_Or, word, x, y));
}

glc_value glc_expand_saturate(struct glc_builder *b, enum glc_type to, enum glc_type from, glc_value x)
{
	uint32_t bits = glc_bits(to);
	uint64_t mask = glc_type_mask(to);
	bool is_signed = glc_is_signed(to);
	glc_value low = zero(b, from);
	glc_value high = power_of_two(b, from, (int)bits - is_signed);
	struct glc_inst cvt = {
		.op = GLC_OP_Cvt,
		.type = to,
		.from = from,
		.mods = GLC_MOD_RAW,
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};
	glc_value inside, r;

	if (is_signed)
		low = from == GLC_F32 ? glc_const_f32(b, bits == 32 ? -0x1p31f : -0x1p63f)
				      : glc_const_f64(b, bits == 32 ? -0x1p31 : -0x1p63);
	/* A NaN is in no range, so 0 is converted. */
	inside = glc_emit2(b, GLC_OP_And, GLC_BOOL, glc_emit2(b, GLC_OP_Gt, from, x, low),
			   glc_emit2(b, GLC_OP_Lt, from, x, high));
	cvt.arg[0] = glc_select(b, from, inside, x, zero(b, from));
	r = glc_emit_inst(b, &cvt);
	r = glc_select(b, to, glc_emit2(b, GLC_OP_Ge, from, x, high),
		       glc_const_bits(b, to, is_signed ? mask >> 1 : mask), r);
	if (is_signed)
		r = glc_select(b, to, glc_emit2(b, GLC_OP_Le, from, x, low),
			       glc_const_bits(b, to, mask ^ mask >> 1), r);
	return r;
}

/*
 * The product of two f32 is exact in f64; adding z there rounds once, and rounding that to
 * f32 would round a second time. Rounding the sum to odd instead makes the second rounding
 * the only one that counts (Boldo and Melquiond, Emulation of FMA and correctly rounded sums).
 */
glc_value glc_expand_fma32(struct glc_builder *b, glc_value x, glc_value y, glc_value z)
{
	glc_value p = glc_emit2(b, GLC_OP_Mul, GLC_F64, glc_cvt(b, GLC_F64, GLC_F32, x),
				glc_cvt(b, GLC_F64, GLC_F32, y));
	glc_value c = glc_cvt(b, GLC_F64, GLC_F32, z);
	glc_value sum = glc_emit2(b, GLC_OP_Add, GLC_F64, p, c);
	/* TwoSum: what the sum lost. */
	glc_value t = glc_emit2(b, GLC_OP_Sub, GLC_F64, sum, p);
	glc_value lost = glc_emit2(
		b, GLC_OP_Add, GLC_F64,
		glc_emit2(b, GLC_OP_Sub, GLC_F64, p, glc_emit2(b, GLC_OP_Sub, GLC_F64, sum, t)),
		glc_emit2(b, GLC_OP_Sub, GLC_F64, c, t));
	glc_value none = zero(b, GLC_F64), bits = glc_bitcast(b, GLC_U64, GLC_F64, sum);
	glc_value one = glc_const_bits(b, GLC_U64, 1), even, adjust, outward, step;

	even = glc_emit2(b, GLC_OP_Eq, GLC_U64, glc_emit2(b, GLC_OP_And, GLC_U64, bits, one),
			 zero(b, GLC_U64));
	/* Lt and Gt are false for the NaN that an infinite or NaN sum leaves behind. */
	adjust = glc_emit2(b, GLC_OP_Or, GLC_BOOL, glc_emit2(b, GLC_OP_Lt, GLC_F64, lost, none),
			   glc_emit2(b, GLC_OP_Gt, GLC_F64, lost, none));
	adjust = glc_emit2(b, GLC_OP_And, GLC_BOOL, adjust, even);
	outward = glc_emit2(b, GLC_OP_Eq, GLC_BOOL, glc_emit2(b, GLC_OP_Gt, GLC_F64, lost, none),
			    glc_emit2(b, GLC_OP_Gt, GLC_F64, sum, none));
	step = glc_select(b, GLC_U64, outward, one, glc_const_bits(b, GLC_U64, UINT64_MAX));
	bits = glc_select(b, GLC_U64, adjust, glc_emit2(b, GLC_OP_Add, GLC_U64, bits, step), bits);
	return glc_cvt(b, GLC_F32, GLC_F64, glc_bitcast(b, GLC_F64, GLC_U64, bits));
}

/* --- The common list ----------------------------------------------------- */

static glc_value sign_of(struct glc_builder *b, enum glc_type type, glc_value x)
{
	glc_value none = zero(b, type);
	/* A float that is neither above nor below zero is a zero or a NaN, and stays what it is. */
	glc_value rest = glc_is_float(type) ? x : none;

	rest = glc_select(b, type, glc_emit2(b, GLC_OP_Lt, type, x, none), glc_const_int(b, type, -1), rest);
	return glc_select(b, type, glc_emit2(b, GLC_OP_Gt, type, x, none), glc_const_int(b, type, 1), rest);
}

static bool expand_cvt(struct glc_builder *b, const struct glc_inst *inst, glc_value *value)
{
	enum glc_type to = inst->type, from = inst->from;
	glc_value x = inst->arg[0];

	if (to == from)
		*value = x;
	else if (to == GLC_BOOL)
		*value = glc_emit2(b, GLC_OP_Ne, from, x, glc_const_int(b, from, 0));
	else if (from == GLC_BOOL)
		*value = from_bool(b, to, x);
	else if (!glc_is_float(to) && !glc_is_float(from) && glc_bits(to) == glc_bits(from))
		*value = glc_bitcast(b, to, from, x);
	else
		return false;
	return true;
}

bool glc_expand_common(struct glc_builder *b, const struct glc_inst *inst, glc_value *value)
{
	enum glc_type type = inst->from;
	glc_value x = inst->arg[0], y = inst->arg[1], t;

	switch (inst->op) {
	case GLC_OP_Div:
		if (glc_is_float(type))
			return false;
		*value = glc_expand_divide(b, inst->op, type, x, y, false);
		return true;
	case GLC_OP_Rem:
		if (!glc_is_float(type)) {
			*value = glc_expand_divide(b, inst->op, type, x, y, false);
			return true;
		}
		t = glc_emit1(b, GLC_OP_Trunc, type, glc_emit2(b, GLC_OP_Div, type, x, y));
		*value = glc_emit2(b, GLC_OP_Sub, type, x, glc_emit2(b, GLC_OP_Mul, type, y, t));
		return true;
	case GLC_OP_Shl:
	case GLC_OP_Shr:
		*value = glc_expand_shift(b, inst->op, type, x, y);
		return true;
	case GLC_OP_Clamp:
		*value = glc_emit2(b, GLC_OP_Min, type, glc_emit2(b, GLC_OP_Max, type, x, y), inst->arg[2]);
		return true;
	case GLC_OP_AddCarry:
		t = glc_emit2(b, GLC_OP_Add, type, x, y);
		*value = from_bool(b, type, glc_emit2(b, GLC_OP_Lt, type, t, x));
		return true;
	case GLC_OP_SubBorrow:
		*value = from_bool(b, type, glc_emit2(b, GLC_OP_Lt, type, x, y));
		return true;
	case GLC_OP_Rcp:
		if (inst->mods & GLC_MOD_APPROX)
			return false;
		*value = glc_emit2(b, GLC_OP_Div, type, glc_const_int(b, type, 1), x);
		return true;
	case GLC_OP_Rsqrt:
		if (inst->mods & GLC_MOD_APPROX)
			return false;
		t = glc_emit1(b, GLC_OP_Sqrt, type, x);
		*value = glc_emit2(b, GLC_OP_Div, type, glc_const_int(b, type, 1), t);
		return true;
	case GLC_OP_Fract:
		*value = glc_emit2(b, GLC_OP_Sub, type, x, glc_emit1(b, GLC_OP_Floor, type, x));
		return true;
	case GLC_OP_Sign:
		*value = sign_of(b, type, x);
		return true;
	case GLC_OP_CopySign:
		*value = copy_sign(b, type, x, y);
		return true;
	case GLC_OP_Ldexp:
		*value = ldexp_steps(b, type, x, y);
		return true;
	case GLC_OP_Cvt:
		return expand_cvt(b, inst, value);
	case GLC_OP_Bitcast:
		*value = x;
		return inst->type == inst->from;
	default:
		return false;
	}
}
