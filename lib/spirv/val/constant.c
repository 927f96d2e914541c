/* SPDX-License-Identifier: MIT */
/* Constants and specialization constants. Source: SPIR-V 3.49.7. */
#include "spirv/val/val.h"

static bool is_constant_or_undef(uint32_t op)
{
	return is_constant(op) || op == OpUndef;
}

static bool check_constituent(struct val *v, const spv_inst *inst, const spv_inst *t, uint32_t i)
{
	uint32_t id = word(v, inst, 3 + i), have = type_of(v, id), want;

	if (!is_constant_or_undef(op_of(v, id)))
		return spv_operand_fails(v, inst, 2 + i, "a constant or undefined", NULL);
	want = word(v, t, t->op == OpTypeStruct ? 2 + i : 2);
	/* spirv-val 2023.1 looks at the kind of a vector's components alone, not at their width or sign. */
	if (t->op == OpTypeVector && v->compat && op_of(v, have) == op_of(v, want))
		return true;
	/* And at a matrix' columns by their parts, which are unique types anyway. */
	return have == want || spv_operand_fails(v, inst, 2 + i, "of its member's type", NULL);
}

static bool check_composite(struct val *v, const spv_inst *inst)
{
	const spv_inst *t = def(v, inst->type);
	uint32_t given = inst->words - 3u, count = given;

	switch (t->op) {
	case OpTypeVector: case OpTypeMatrix:
		count = word(v, t, 3);
		break;
	case OpTypeArray:
		if (!spv_constant(v, word(v, t, 3), &count))
			count = given;
		break;
	case OpTypeStruct:
		count = member_count(t);
		break;
	case OpTypeCooperativeMatrixNV:
		count = 1;
		break;
	default:
		return spv_result_fails(v, inst, "a composite", NULL);
	}
	if (given != count)
		return SPV_FAIL(v, inst, CONSTITUENTS, NULL, given);
	for (uint32_t i = 0; i < given; i++)
		if (!check_constituent(v, inst, t, i))
			return false;
	return true;
}

static bool check_spec_op(struct val *v, const spv_inst *inst)
{
	uint32_t op = word(v, inst, 3);
	bool kernel;

	switch (op) {
	case OpQuantizeToF16:
		return v->shader || SPV_FAIL(v, inst, CAPABILITY, NULL, "OpQuantizeToF16 in OpSpecConstantOp", "Shader");
	case OpUConvert:
		return v->spec_uconvert || v->kernel ||
		       SPV_FAIL(v, inst, CAPABILITY, NULL, "OpUConvert in OpSpecConstantOp before SPIR-V 1.4", "Kernel");
	case OpConvertFToS: case OpConvertSToF: case OpConvertFToU: case OpConvertUToF: case OpConvertPtrToU:
	case OpConvertUToPtr: case OpGenericCastToPtr: case OpPtrCastToGeneric: case OpBitcast: case OpFNegate:
	case OpFAdd: case OpFSub: case OpFMul: case OpFDiv: case OpFRem: case OpFMod: case OpAccessChain:
	case OpInBoundsAccessChain: case OpPtrAccessChain: case OpInBoundsPtrAccessChain:
		kernel = true;
		break;
	default:
		kernel = false;
		break;
	}
	return !kernel || v->kernel || SPV_FAIL(v, inst, CAPABILITY, NULL, spv_op_name(op), "Kernel");
}

static bool check_one(struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpConstantTrue: case OpConstantFalse: case OpSpecConstantTrue: case OpSpecConstantFalse:
		return spv_result_is(v, inst, inst->type, T_BOOL);
	case OpConstantComposite: case OpSpecConstantComposite:
		return check_composite(v, inst);
	case OpConstantSampler:
		return spv_result_is(v, inst, inst->type, T_SAMPLER);
	case OpConstantNull:
		return !(type(v, inst->type)->mask & T_HAS_NO_NULL) || spv_result_fails(v, inst, "of a type with a null value", NULL);
	case OpSpecConstantOp:
		return check_spec_op(v, inst);
	default:
		return true;
	}
}

bool spv_check_constant(struct val *v, const spv_inst *inst)
{
	if (!check_one(v, inst) || !spv_check_literals(v, inst))
		return false;
	if (is_small(v, inst->type) && !is(v, inst->type, T_POINTER))
		return SPV_FAIL(v, inst, SMALL_TYPE, NULL, spv_op_name(inst->op));
	return true;
}

/* The unused high bits of a literal: 0, or the sign's. SPIR-V 2.2.1, Literal. */
bool spv_check_literals(struct val *v, const spv_inst *inst)
{
	uint32_t type_id = inst->op == OpSwitch ? type_of(v, word(v, inst, 1)) : inst->type;
	const struct spv_type *t = type(v, type_id);
	uint32_t bits = t->width % 32;
	bool sign = (t->mask & T_INT) && !(t->mask & T_UNSIGNED);

	for (uint32_t i = 0; i < inst->operand_count && bits; i++) {
		const struct glacier_spirv_operand *o = &v->module.operands[inst->operands + i];
		uint32_t value, high;

		if (o->kind != KindLiteralContextDependentNumber && !(inst->op == OpSwitch && o->kind == KindLiteralInteger))
			continue;
		value = word(v, inst, (uint32_t)o->offset + o->words - 1);
		high = value >> bits;
		if (high != (sign && value >> (bits - 1) & 1 ? UINT32_MAX >> bits : 0))
			return SPV_FAIL(v, inst, LITERAL_BITS, NULL, value, bits);
	}
	return true;
}
