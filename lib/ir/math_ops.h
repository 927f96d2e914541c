/* SPDX-License-Identifier: MIT */
/*
 * The seam of ir/math_f32.h that appends each operation to the kernel of the builder `m`,
 * which every macro here takes from where it is used.
 */
#ifndef GLC_IR_MATH_OPS_H
#define GLC_IR_MATH_OPS_H

#include "ir/build.h"

/* An operand: a value of the kernel, or a literal while value is GLC_NO_VALUE. */
typedef struct {
	glc_value value;
	float literal;
} f32;

typedef struct {
	glc_value value;
	uint32_t literal;
} u32;

typedef struct {
	glc_value value;
} pred;

static inline f32 f32_same(f32 x) { return x; }
static inline u32 u32_same(u32 x) { return x; }
static inline f32 f32_literal(float x) { return (f32){GLC_NO_VALUE, x}; }
static inline u32 u32_literal(uint32_t x) { return (u32){GLC_NO_VALUE, x}; }

#define F32(x) _Generic((x), f32: f32_same, float: f32_literal)(x)
#define U32(x) _Generic((x), u32: u32_same, uint32_t: u32_literal)(x)

static glc_value value_f32(struct glc_builder *b, f32 x)
{
	return x.value == GLC_NO_VALUE ? glc_const_f32(b, x.literal) : x.value;
}

static glc_value value_u32(struct glc_builder *b, u32 x)
{
	return x.value == GLC_NO_VALUE ? glc_const_u32(b, x.literal) : x.value;
}

/* Literals become constants in the order of the operands, so that it does not matter who compiles us. */
static glc_value emit_f32(struct glc_builder *b, enum glc_op op, f32 x, f32 y)
{
	glc_value first = value_f32(b, x);

	return glc_emit2(b, op, GLC_F32, first, value_f32(b, y));
}

static glc_value emit_u32(struct glc_builder *b, enum glc_op op, enum glc_type type, u32 x, u32 y)
{
	glc_value first = value_u32(b, x);
	glc_value second = value_u32(b, y);

	/* Values are u32 throughout; an instruction on i32 sees their bits. */
	if (type != GLC_U32) {
		first = glc_bitcast(b, type, GLC_U32, first);
		second = glc_bitcast(b, type, GLC_U32, second);
	}
	return glc_emit2(b, op, type, first, second);
}

static u32 from_signed(struct glc_builder *b, glc_value value)
{
	return (u32){.value = glc_bitcast(b, GLC_U32, GLC_I32, value)};
}

static glc_value emit_shift(struct glc_builder *b, enum glc_op op, enum glc_type type, u32 x, u32 by)
{
	struct glc_inst inst = {
		.op = (uint16_t)op,
		.type = (uint8_t)type,
		.from = (uint8_t)type,
		.mods = GLC_MOD_RAW,
	};

	inst.arg[0] = glc_bitcast(b, type, GLC_U32, value_u32(b, x));
	inst.arg[1] = value_u32(b, by);
	inst.arg[2] = inst.arg[3] = GLC_NO_VALUE;
	return glc_emit_inst(b, &inst);
}

static glc_value emit_from_i32(struct glc_builder *b, u32 x)
{
	return glc_cvt(b, GLC_F32, GLC_I32, glc_bitcast(b, GLC_I32, GLC_U32, value_u32(b, x)));
}

static f32 select_f32(struct glc_builder *b, pred p, f32 yes, f32 no)
{
	glc_value first = value_f32(b, yes);

	return (f32){.value = glc_select(b, GLC_F32, p.value, first, value_f32(b, no))};
}

static u32 select_u32(struct glc_builder *b, pred p, u32 yes, u32 no)
{
	glc_value first = value_u32(b, yes);

	return (u32){.value = glc_select(b, GLC_U32, p.value, first, value_u32(b, no))};
}

#define OP_F(op, a, b)      ((f32){.value = emit_f32(m, GLC_OP_##op, F32(a), F32(b))})
#define OP_U(op, a, b)      ((u32){.value = emit_u32(m, GLC_OP_##op, GLC_U32, U32(a), U32(b))})
#define OP_I(op, a, b)      from_signed(m, emit_u32(m, GLC_OP_##op, GLC_I32, U32(a), U32(b)))
#define OP_P(op, a, b)      ((pred){glc_emit2(m, GLC_OP_##op, GLC_BOOL, (a).value, (b).value)})
#define COMPARE_F(op, a, b) ((pred){emit_f32(m, GLC_OP_##op, F32(a), F32(b))})
#define COMPARE_U(op, a, b) ((pred){emit_u32(m, GLC_OP_##op, GLC_U32, U32(a), U32(b))})
#define COMPARE_I(op, a, b) ((pred){emit_u32(m, GLC_OP_##op, GLC_I32, U32(a), U32(b))})

#define add(a, b)           OP_F(Add, a, b)
#define sub(a, b)           OP_F(Sub, a, b)
#define mul(a, b)           OP_F(Mul, a, b)
#define min_f(a, b)         OP_F(Min, a, b)
#define max_f(a, b)         OP_F(Max, a, b)
#define floor_f(a)          ((f32){.value = glc_emit1(m, GLC_OP_Floor, GLC_F32, value_f32(m, F32(a)))})

#define add_u(a, b)         OP_U(Add, a, b)
#define sub_u(a, b)         OP_U(Sub, a, b)
#define mul_u(a, b)         OP_U(Mul, a, b)
#define mulhi_u(a, b)       OP_U(MulHi, a, b)
#define min_i(a, b)         OP_I(Min, a, b)
#define max_i(a, b)         OP_I(Max, a, b)
#define and(a, b)           OP_U(And, a, b)
#define or(a, b)            OP_U(Or, a, b)
#define xor(a, b)           OP_U(Xor, a, b)
#define shl(a, by)          ((u32){.value = emit_shift(m, GLC_OP_Shl, GLC_U32, U32(a), U32(by))})
#define shr(a, by)          ((u32){.value = emit_shift(m, GLC_OP_Shr, GLC_U32, U32(a), U32(by))})
#define sar(a, by)          from_signed(m, emit_shift(m, GLC_OP_Shr, GLC_I32, U32(a), U32(by)))
#define clz(a)              ((u32){.value = glc_emit1(m, GLC_OP_CountLeadingZeros, GLC_U32, value_u32(m, U32(a)))})

#define as_f32(a)           ((f32){.value = glc_bitcast(m, GLC_F32, GLC_U32, value_u32(m, U32(a)))})
#define as_u32(a)           ((u32){.value = glc_bitcast(m, GLC_U32, GLC_F32, value_f32(m, F32(a)))})
#define from_i32(a)         ((f32){.value = emit_from_i32(m, U32(a))})

#define lt_f(a, b)          COMPARE_F(Lt, a, b)
#define gt_f(a, b)          COMPARE_F(Gt, a, b)
#define eq_f(a, b)          COMPARE_F(Eq, a, b)
#define ne_f(a, b)          COMPARE_F(Ne, a, b)
#define lt_u(a, b)          COMPARE_U(Lt, a, b)
#define le_u(a, b)          COMPARE_U(Le, a, b)
#define gt_u(a, b)          COMPARE_U(Gt, a, b)
#define ge_u(a, b)          COMPARE_U(Ge, a, b)
#define eq_u(a, b)          COMPARE_U(Eq, a, b)
#define ne_u(a, b)          COMPARE_U(Ne, a, b)
#define lt_i(a, b)          COMPARE_I(Lt, a, b)
#define ge_i(a, b)          COMPARE_I(Ge, a, b)
#define gt_i(a, b)          COMPARE_I(Gt, a, b)
#define and_p(a, b)         OP_P(And, a, b)
#define or_p(a, b)          OP_P(Or, a, b)
#define xor_p(a, b)         OP_P(Xor, a, b)
#define not_p(a)            ((pred){glc_emit1(m, GLC_OP_Not, GLC_BOOL, (a).value)})
#define select(p, a, b)     select_f32(m, p, F32(a), F32(b))
#define select_u(p, a, b)   select_u32(m, p, U32(a), U32(b))

#endif
