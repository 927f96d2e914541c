/* SPDX-License-Identifier: MIT */
/*
 * The code that the transcendentals expand to, run instruction by instruction, gives the bits
 * that tests/stress/math_f32 has measured: the two seams of ir/math_f32.h agree.
 */
#include <criterion/criterion.h>

#include "ir/math.h"

#include "ir/math_eval.h"

#include "ir/math_trig_f32.h"

enum { INPUTS = 20000, INSTS_MAX = 400 };


static uint32_t argument(const struct glc_builder *b, const uint32_t *values, glc_value value)
{
	if (value == GLC_NO_VALUE)
		return 0;
	return glc_is_const(value) ? (uint32_t)b->consts.at[value & ~GLC_CONST_BIT].bits : values[value];
}

static uint32_t run_float(const struct glc_inst *inst, uint32_t x_bits, uint32_t y_bits)
{
	float x = eval_as_f32(x_bits), y = eval_as_f32(y_bits);

	switch (inst->op) {
	case GLC_OP_Add: return eval_as_u32(x + y);
	case GLC_OP_Sub: return eval_as_u32(x - y);
	case GLC_OP_Mul: return eval_as_u32(x * y);
	case GLC_OP_Min: return eval_as_u32(x < y ? x : y);
	case GLC_OP_Max: return eval_as_u32(x > y ? x : y);
	case GLC_OP_Floor: return eval_as_u32(floorf(x));
	case GLC_OP_Lt: return x < y;
	case GLC_OP_Gt: return x > y;
	case GLC_OP_Eq: return x == y;
	case GLC_OP_Ne: return x != y;
	}
	cr_assert_fail("instruction %s.f32 is not among the agreed ones", glc_op_name(inst->op));
	return 0;
}

static uint32_t run_word(const struct glc_inst *inst, uint32_t x, uint32_t y)
{
	bool is_signed = inst->from == GLC_I32;
	bool less = is_signed ? (int32_t)x < (int32_t)y : x < y;

	if (inst->op == GLC_OP_Shl || inst->op == GLC_OP_Shr)
		cr_assert(inst->mods & GLC_MOD_RAW && y < 32, "a shift by %u", y);
	switch (inst->op) {
	case GLC_OP_Add: return x + y;
	case GLC_OP_Sub: return x - y;
	case GLC_OP_Mul: return x * y;
	case GLC_OP_MulHi: return (uint32_t)((uint64_t)x * y >> 32);
	case GLC_OP_Min: return less ? x : y;
	case GLC_OP_Max: return less ? y : x;
	case GLC_OP_And: return x & y;
	case GLC_OP_Or: return x | y;
	case GLC_OP_Xor: return x ^ y;
	case GLC_OP_Not: return !x;   /* of bool only */
	case GLC_OP_Shl: return x << y;
	case GLC_OP_Shr: return is_signed ? (uint32_t)((int32_t)x >> y) : x >> y;
	case GLC_OP_CountLeadingZeros: return eval_clz(x);
	case GLC_OP_Lt: return less;
	case GLC_OP_Le: return less || x == y;
	case GLC_OP_Gt: return !less && x != y;
	case GLC_OP_Ge: return !less;
	case GLC_OP_Eq: return x == y;
	case GLC_OP_Ne: return x != y;
	}
	cr_assert_fail("instruction %s.u32 is not among the agreed ones", glc_op_name(inst->op));
	return 0;
}

static uint32_t run(const struct glc_builder *b, glc_value result, uint32_t x, uint32_t y)
{
	uint32_t values[INSTS_MAX];

	for (uint32_t i = 0; i < b->insts.count; i++) {
		const struct glc_inst *inst = &b->insts.at[i];
		uint32_t first = argument(b, values, inst->arg[0]);
		uint32_t second = argument(b, values, inst->arg[1]);

		if (inst->op == GLC_OP_Param)
			values[i] = inst->object ? y : x;
		else if (inst->op == GLC_OP_Select)
			values[i] = first ? second : argument(b, values, inst->arg[2]);
		else if (inst->op == GLC_OP_Bitcast)
			values[i] = first;
		else if (inst->op == GLC_OP_Cvt)
			values[i] = eval_as_u32((float)(int32_t)first);
		else
			values[i] = inst->from == GLC_F32 ? run_float(inst, first, second)
							  : run_word(inst, first, second);
	}
	return argument(b, values, result);
}

struct row {
	enum glc_op op;
	uint32_t cost;   /* instructions but Bitcasts, at most: a budget, to be moved with thought */
};

static const struct row ROWS[] = {
	{GLC_OP_Exp, 32},   {GLC_OP_Exp2, 28},  {GLC_OP_Log, 44},   {GLC_OP_Log2, 49},  {GLC_OP_Pow, 144},
	{GLC_OP_Sin, 104},  {GLC_OP_Cos, 103},  {GLC_OP_Tan, 130},  {GLC_OP_Tanh, 57},  {GLC_OP_Sinh, 60},
	{GLC_OP_Cosh, 60},  {GLC_OP_Asin, 60},  {GLC_OP_Acos, 60},  {GLC_OP_Atan, 60},  {GLC_OP_Atan2, 100},
	{GLC_OP_Erf, 60},
};

static float computed(enum glc_op op, float x, float y)
{
	switch (op) {
	case GLC_OP_Exp: return exp_f32(NULL, x);
	case GLC_OP_Exp2: return exp2_f32(NULL, x);
	case GLC_OP_Log: return log_f32(NULL, x);
	case GLC_OP_Log2: return log2_f32(NULL, x);
	case GLC_OP_Pow: return pow_f32(NULL, x, y);
	case GLC_OP_Sin: return sin_f32(NULL, x);
	case GLC_OP_Cos: return cos_f32(NULL, x);
	case GLC_OP_Tan: return tan_f32(NULL, x);
	case GLC_OP_Tanh: return tanh_f32(NULL, x);
	case GLC_OP_Sinh: return sinh_f32(NULL, x);
	case GLC_OP_Cosh: return cosh_f32(NULL, x);
	case GLC_OP_Asin: return asin_f32(NULL, x);
	case GLC_OP_Acos: return acos_f32(NULL, x);
	case GLC_OP_Atan: return atan_f32(NULL, x);
	case GLC_OP_Atan2: return atan2_f32(NULL, x, y);
	default: return erf_f32(NULL, x);
	}
}

static void check_row(const struct row *row, bool optimize)
{
	struct glacier_memory memory;
	struct glc_builder b;
	struct glc_inst param = {.op = GLC_OP_Param, .type = GLC_F32, .from = GLC_F32};
	glc_value x, y, result;
	uint32_t cost = 0, bits = 0;

	glacier_memory_init(&memory, NULL, 0);
	cr_assert(glc_builder_init(&b, &memory, optimize, 64));
	memset(param.arg, 0xff, sizeof param.arg);
	x = glc_append(&b, &param);
	param.object = 1;
	y = glc_append(&b, &param);
	result = glc_math(&b, row->op, GLC_F32, x, y);
	cr_assert(!b.failed && result != GLC_NO_VALUE && b.insts.count < INSTS_MAX);

	for (uint32_t i = 2; i < b.insts.count; i++)
		cost += b.insts.at[i].op != GLC_OP_Bitcast;
	cr_log_info("%s: %u instructions\n", glc_op_name(row->op), cost);
	cr_assert(cost <= row->cost, "%s takes %u instructions", glc_op_name(row->op), cost);

	for (uint32_t i = 0; i < INPUTS; i++, bits += UINT32_MAX / INPUTS) {
		float at = eval_as_f32(bits), power = (float)(i % 512) / 8 - 32;
		uint32_t got = run(&b, result, bits, eval_as_u32(power));
		float want = computed(row->op, at, power);

		cr_assert(got == eval_as_u32(want) || (isnan(eval_as_f32(got)) && isnan(want)),
			  "%s of %a, %a: code gives %a, C gives %a", glc_op_name(row->op), (double)at,
			  (double)power, (double)eval_as_f32(got), (double)want);
	}
	glacier_memory_fini(&memory);
}

Test(ir_math, code_and_measured_functions_agree)
{
	for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
		check_row(&ROWS[i], false);
		check_row(&ROWS[i], true);
	}
}

Test(ir_math, what_has_no_expansion_appends_nothing)
{
	struct glacier_memory memory;
	struct glc_builder b;

	glacier_memory_init(&memory, NULL, 0);
	cr_assert(glc_builder_init(&b, &memory, false, 64));
	cr_assert(glc_math(&b, GLC_OP_Add, GLC_F32, 0, 0) == GLC_NO_VALUE);
	cr_assert(glc_math(&b, GLC_OP_Exp, GLC_U32, 0, 0) == GLC_NO_VALUE);
	cr_assert(b.insts.count == 0);
	glacier_memory_fini(&memory);
}
