/* SPDX-License-Identifier: MIT */
/*
 * Ids: each is defined, before it is used where the grammar does not allow otherwise, as
 * what it is used for; and its definition dominates its uses.
 *
 * Source: SPIR-V 2.16.1, Universal Validation Rules; 2.17, Universal Limits.
 */
#include "spirv/val/val.h"

/* Debug information: functions, and members of composites. Non-semantic sets name nothing ahead. Set and number are 2 and 3. */
static bool names_later(struct val *v, const spv_inst *inst, uint32_t n)
{
	enum { FUNCTION = 20, COMPOSITE = 10 };
	uint32_t number = word(v, inst, 4);

	switch (spv_set_of(v, inst)) {
	case SetDebugInfo:
		return (number == FUNCTION && n == 13) || (number == COMPOSITE && n >= 12);
	case SetOpenCLDebugInfo100:
		return (number == FUNCTION && n == 13) || (number == COMPOSITE && n >= 13);
	default:
		return false;
	}
}

/* Which operands may name what comes later. Source: the instructions' own descriptions. */
static bool may_be_forward(struct val *v, const spv_inst *inst, uint32_t n)
{
	if (is_type_op(inst->op))
		return true;
	switch (inst->op) {
	case OpExecutionMode: case OpExecutionModeId: case OpEntryPoint: case OpName: case OpMemberName:
	case OpSelectionMerge: case OpDecorate: case OpMemberDecorate: case OpDecorateId: case OpDecorateString:
	case OpMemberDecorateString: case OpBranch: case OpLoopMerge:
		return true;
	case OpGroupDecorate: case OpGroupMemberDecorate: case OpBranchConditional: case OpSwitch:
		return n != 0;
	case OpFunctionCall:
		return n == 2;
	case OpPhi:
		return n > 1;
	case OpTypeForwardPointer:
		return n == 0;
	case OpEnqueueKernel:
		return n == 8;
	case OpExtInst:
		return names_later(v, inst, n);
	default:
		return false;
	}
}

/* Instructions that name ids of any kind. */
static bool names_anything(const struct val *v, const spv_inst *inst)
{
	return is_type_op(inst->op) || spv_is_debug(inst->op) || spv_is_annotation(inst->op) || inst->op == OpFunction ||
	       inst->op == OpCooperativeMatrixLengthNV ||
	       (inst->op == OpSpecConstantOp && word(v, inst, 3) == OpCooperativeMatrixLengthNV) ||
	       (inst->op == OpExtInst && (spv_is_non_semantic(v, inst) || spv_is_debug_info(v, inst)));
}

static bool names_no_values(const spv_inst *inst)
{
	return spv_is_branch(inst->op) || inst->op == OpPhi || inst->op == OpExtInst || inst->op == OpSelectionMerge ||
	       inst->op == OpLoopMerge || inst->op == OpFunction;
}

/* Functions, function types and groups of decorations may be named by few instructions. */
static bool refuse_use(struct val *v, const spv_inst *inst, const spv_inst *used)
{
	switch (used->op) {
	case OpTypeFunction:
		if (inst->op == OpFunction || spv_is_debug(inst->op) || spv_is_annotation(inst->op) ||
		    spv_is_non_semantic(v, inst))
			return true;
		return SPV_FAIL(v, inst, FUNCTION_TYPE_USE, NULL, used->id);
	case OpFunction:
		switch (inst->op) {
		case OpGroupDecorate: case OpDecorate: case OpEnqueueKernel: case OpEntryPoint: case OpExecutionMode:
		case OpExecutionModeId: case OpFunctionCall: case OpName: case OpGetKernelNDrangeSubGroupCount:
		case OpGetKernelNDrangeMaxSubGroupSize: case OpGetKernelWorkGroupSize:
		case OpGetKernelPreferredWorkGroupSizeMultiple: case OpGetKernelLocalSizeForSubgroupCount:
		case OpGetKernelMaxNumSubgroups:
			return true;
		default:
			break;
		}
		if (spv_is_non_semantic(v, inst) || spv_is_debug_info(v, inst))
			return true;
		return SPV_FAIL(v, inst, FUNCTION_USE, NULL, used->id);
	case OpDecorationGroup:
		if (inst->op == OpDecorate || inst->op == OpGroupDecorate || inst->op == OpGroupMemberDecorate ||
		    inst->op == OpName || inst->op == OpDecorateId || spv_is_non_semantic(v, inst))
			return true;
		return SPV_FAIL(v, inst, GROUP_USE, NULL, used->id);
	default:
		return true;
	}
}

static inline bool special_use(struct val *v, const spv_inst *inst, const spv_inst *used)
{
	return (used->op != OpTypeFunction && used->op != OpFunction && used->op != OpDecorationGroup) ||
	       refuse_use(v, inst, used);
}

/* Variables of the module that a function names: for interfaces and push constants. */
static bool note_global(struct val *v, uint32_t id)
{
	uint32_t *global = GLC_PUSH(v->memory, &v->globals);

	if (!global) {
		v->out_of_memory = true;
		return false;
	}
	*global = id;
	v->functions.at[v->functions.count - 1].global_count++;
	return true;
}

static bool check_id(struct val *v, const spv_inst *inst, uint32_t index, uint32_t n, uint32_t id, bool anything)
{
	const spv_inst *used = id < v->module.id_count ? spv_def(&v->module, id) : NULL;

	if (!used) {
		v->broken |= id >= v->module.id_count;
		return SPV_FAIL(v, inst, UNDEFINED, NULL, spv_id(&v->module, id));
	}
	if ((uint32_t)(used - v->module.insts) >= index) {
		if (!may_be_forward(v, inst, n))
			return SPV_FAIL(v, inst, USE_BEFORE, NULL, spv_id(&v->module, id));
		if (is_type_op(inst->op) && !(v->flags[id] & ID_FORWARD))
			return SPV_FAIL(v, inst, USE_BEFORE, NULL, spv_id(&v->module, id));
		return special_use(v, inst, used);
	}
	if (used->op == OpVariable && v->functions.count && word(v, used, 3) != StorageClassFunction &&
	    index > v->functions.at[v->functions.count - 1].first && !note_global(v, id))
		return false;
	if (!used->type || used->op == OpExtInst) {
		if (is_type_op(used->op) && !anything)
			return SPV_FAIL(v, inst, IS_A_TYPE, NULL, spv_id(&v->module, id));
		if (!used->type && !anything && !names_no_values(inst))
			return SPV_FAIL(v, inst, NO_VALUE, NULL, spv_id(&v->module, id), spv_op_name(used->op));
		if (used->op == OpExtInst && inst->op != OpExtInst && spv_is_non_semantic(v, used))
			return SPV_FAIL(v, inst, NON_SEMANTIC, NULL, spv_id(&v->module, id));
		if (used->op == OpExtInst && inst->op == OpExtInst && spv_is_non_semantic(v, used) &&
		    !spv_is_non_semantic(v, inst))
			return SPV_FAIL(v, inst, NON_SEMANTIC, NULL, spv_id(&v->module, id));
		return special_use(v, inst, used);
	}
	return used->op != OpFunction || special_use(v, inst, used);
}

static bool is_small_user(uint32_t op)
{
	return op == OpDecorate || op == OpDecorateId || op == OpCopyObject || op == OpStore || op == OpFConvert ||
	       op == OpUConvert || op == OpSConvert;
}

bool spv_check_ids(struct val *v, const spv_inst *inst, uint32_t index)
{
	const struct glacier_spirv_operand *operands = v->module.operands + inst->operands;
	const uint32_t *words = v->module.words + inst->word;
	int anything = -1;


	if (inst->id >= v->module.bound && !v->module.ids) {
		/* Nothing has room for it. */
		v->broken = true;
		return SPV_FAIL(v, inst, ID_BOUND, NULL, inst->id, v->module.bound);
	}
	if (v->module.ids && inst->id && v->module.ids[inst->id] >= v->module.bound)
		return SPV_FAIL(v, inst, ID_BOUND, NULL, v->module.ids[inst->id], v->module.bound);
	for (uint32_t i = 0; i < inst->operand_count; i++) {
		uint32_t id = words[operands[i].offset];

		switch (operands[i].kind) {
		case KindIdResultType: {
			const spv_inst *used = spv_def(&v->module, id);

			if (!used) {
				v->broken |= id >= v->module.id_count;
				return SPV_FAIL(v, inst, UNDEFINED, NULL, spv_id(&v->module, id));
			}
			if ((uint32_t)(used - v->module.insts) >= index)
				return SPV_FAIL(v, inst, USE_BEFORE, NULL, spv_id(&v->module, id));
			if (!is_type_op(used->op))
				return SPV_FAIL(v, inst, NOT_A_TYPE, NULL, spv_id(&v->module, id));
			if (used->op == OpTypeFunction)
				return SPV_FAIL(v, inst, FUNCTION_TYPE_USE, NULL, spv_id(&v->module, id));
			break;
		}
		case KindIdRef: case KindIdScope: case KindIdMemorySemantics:
			if (anything < 0)
				anything = names_anything(v, inst);
			if (!check_id(v, inst, index, i, id, anything))
				return false;
			break;
		default:
			break;
		}
	}
	if (inst->op == OpTypeForwardPointer)
		v->flags[words[1]] |= ID_FORWARD;
	return true;
}

/* --- Dominance ----------------------------------------------------------- */

/* Whether a's block dominates b's, by the numbers of the tree of dominators. */
bool spv_dominates(const struct val *v, uint32_t a, uint32_t b)
{
	const struct spv_block *blocks = v->blocks.at;

	return blocks[a].first <= blocks[b].first && blocks[b].last <= blocks[a].last;
}

static bool check_phi(struct val *v, const spv_inst *phi)
{
	for (uint32_t i = 3; i + 1 < phi->words; i += 2) {
		const spv_inst *value = def(v, word(v, phi, i));
		uint32_t from = value ? v->block_of[value - v->module.insts] : 0;
		uint32_t parent = word(v, phi, i + 1) < v->module.id_count ? v->blocks_of[word(v, phi, i + 1)] : 0;

		if (!from || !parent || !v->blocks.at[parent - 1].reachable)
			continue;
		if (!spv_dominates(v, from - 1, parent - 1))
			return SPV_FAIL(v, phi, DOMINANCE, NULL, spv_id(&v->module, word(v, phi, i)));
	}
	return true;
}

static bool check_uses(struct val *v, const spv_inst *inst, uint32_t index)
{
	uint32_t block = v->block_of[index];

	for (uint32_t i = 0; i < inst->operand_count; i++) {
		const struct glacier_spirv_operand *o = &v->module.operands[inst->operands + i];
		uint32_t id = word(v, inst, o->offset), from;
		const spv_inst *used;

		if (o->kind < KindIdMemorySemantics || o->kind > KindIdRef)
			continue;
		used = def(v, id);
		from = used ? v->block_of[used - v->module.insts] : 0;
		/* In one block the order says it. */
		if (from && from == block && inst->settled)
			continue;
		if (from && used->op != OpLabel) {
			if (block && v->blocks.at[block - 1].reachable && !spv_dominates(v, from - 1, block - 1))
				return SPV_FAIL(v, inst, DOMINANCE, NULL, spv_id(&v->module, id));
		} else if (used && used->op == OpFunctionParameter && v->function &&
			   ((uint32_t)(used - v->module.insts) < v->functions.at[v->function - 1].first ||
			    (uint32_t)(used - v->module.insts) > v->functions.at[v->function - 1].last)) {
			return SPV_FAIL(v, inst, OTHER_FUNCTION, NULL, spv_id(&v->module, id));
		}
	}
	return true;
}

void spv_check_dominance(struct val *v)
{
	for (uint32_t f = 0; f < v->functions.count; f++) {
		const struct spv_function *function = &v->functions.at[f];

		v->function = f + 1;
		for (uint32_t i = function->first; i <= function->last && v->diag->errors < v->most_errors; i++) {
			const spv_inst *inst = &v->module.insts[i];
			uint32_t block = v->block_of[i];

			if (inst->op != OpPhi)
				check_uses(v, inst, i);
			else if (block && v->blocks.at[block - 1].reachable)
				check_phi(v, inst);
		}
	}
	v->function = 0;
}

/* Values with 8- or 16-bit numbers go into few instructions without their capability. SPIR-V 2.16.1. */
bool spv_check_debug(struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpMemberName: {
		const spv_inst *structure = def(v, word(v, inst, 1));

		if (!structure || structure->op != OpTypeStruct)
			return SPV_FAIL(v, inst, STRUCTURE_TARGET, NULL, spv_op_name(inst->op));
		if (word(v, inst, 2) >= member_count(structure))
			return SPV_FAIL(v, inst, MEMBER_RANGE, NULL, word(v, inst, 2), member_count(structure));
		return true;
	}
	case OpLine:
		return op_of(v, word(v, inst, 1)) == OpString || SPV_FAIL(v, inst, LINE_FILE, NULL);
	default:
		return true;
	}
}

bool spv_check_small_uses(struct val *v, const spv_inst *inst)
{
	if (!v->small || is_small_user(inst->op))
		return true;
	for (uint32_t i = 0; i < inst->operand_count; i++) {
		const struct glacier_spirv_operand *o = &v->module.operands[inst->operands + i];
		uint32_t t;

		if (o->kind < KindIdMemorySemantics || o->kind > KindIdRef)
			continue;
		t = type_of(v, word(v, inst, o->offset));
		if (t && is_small(v, t) && !is(v, t, T_POINTER))
			return SPV_FAIL(v, inst, SMALL_USE, NULL, spv_id(&v->module, word(v, inst, o->offset)));
	}
	return true;
}
