/* SPDX-License-Identifier: MIT */
/* Phis, branches and returns, one at a time. Source: SPIR-V 3.49.17, Control-Flow Instructions. */
#include "spirv/val/val.h"

static bool check_phi_type(struct val *v, const spv_inst *inst)
{
	uint32_t opaque = T_SAMPLED_IMAGE | (v->shader ? T_IMAGE | T_SAMPLER : 0);

	if (is(v, inst->type, T_VOID))
		return spv_result_fails(v, inst, "not void", NULL);
	if (is(v, inst->type, T_POINTER) && v->addressing == AddressingModelLogical && !v->any_variable_pointers)
		return SPV_FAIL(v, inst, VARIABLE_POINTER, NULL, "OpPhi");
	if (is(v, inst->type, opaque) && !v->options.before_hlsl_legalization && !has(v, HasBindlessTextureNV))
		return spv_result_fails(v, inst, "no image or sampler", NULL);
	return true;
}

/* Blocks that branch here, each once; lists may be long in both, so they are marked. */
static bool check_parents(struct val *v, const spv_inst *inst)
{
	const struct spv_block *block = &v->blocks.at[v->block_of[inst - v->module.insts] - 1];
	uint32_t parents = 0, given = (inst->words - 3u) / 2, stamp = (uint32_t)(inst - v->module.insts) * 2 + 2;

	for (uint32_t i = 0; i < block->previous_count; i++) {
		uint32_t *mark = &v->marks[v->edges.at[block->previous + i]];

		parents += *mark != stamp;
		*mark = stamp;
	}
	if (given != parents)
		return SPV_FAIL(v, inst, PHI_PARENTS, NULL, given, parents);
	for (uint32_t i = 3; i + 1 < inst->words; i += 2) {
		uint32_t label = word(v, inst, i + 1), at = label < v->module.id_count ? v->blocks_of[label] : 0;

		if (type_of(v, word(v, inst, i)) != inst->type)
			return spv_operand_fails(v, inst, i - 1, "of the result's type", NULL);
		if (!at || v->marks[at - 1] != stamp)
			return SPV_FAIL(v, inst, PHI_PARENT, NULL, spv_id(&v->module, label));
		v->marks[at - 1] = stamp + 1;
	}
	return true;
}

static bool check_phi(struct val *v, const spv_inst *inst)
{
	if (!check_phi_type(v, inst))
		return false;
	if (inst->words % 2 == 0)
		return SPV_FAIL(v, inst, PHI_PARENTS, NULL, (inst->words - 3u) / 2, (inst->words - 3u) / 2 + 1);
	return check_parents(v, inst);
}

static bool check_label(struct val *v, const spv_inst *inst, uint32_t n)
{
	return op_of(v, operand(v, inst, n)) == OpLabel || spv_operand_fails(v, inst, n, "a label", NULL);
}

static bool check_conditional(struct val *v, const spv_inst *inst)
{
	if (operand_count(inst) != 3 && operand_count(inst) != 5)
		return SPV_FAIL(v, inst, BRANCH_WEIGHTS, NULL, operand_count(inst) - 3);
	if (!spv_operand_is(v, inst, 0, T_BOOL))
		return false;
	if (v->version >= 0x10600 && word(v, inst, 2) == word(v, inst, 3))
		return SPV_FAIL(v, inst, SAME_LABELS, NULL);
	return true;
}

static bool check_loop_merge(struct val *v, const spv_inst *inst)
{
	const struct spv_block *block = &v->blocks.at[v->block_of[inst - v->module.insts] - 1];
	uint32_t control = word(v, inst, 3), at = 4;

	if (!check_label(v, inst, 0) || !check_label(v, inst, 1))
		return false;
	if (word(v, inst, 1) == word(v, inst, 2) || word(v, inst, 1) == v->module.insts[block->label].id)
		return SPV_FAIL(v, inst, LOOP_MERGE, NULL, "merge block, continue target and header differ");
	if ((control & LoopControlDontUnrollMask) &&
	    (control & (LoopControlUnrollMask | LoopControlPeelCountMask | LoopControlPartialCountMask)))
		return SPV_FAIL(v, inst, LOOP_MERGE, NULL, "DontUnroll stands without Unroll, PeelCount and PartialCount");
	for (uint32_t bit = LoopControlDependencyLengthMask; bit < LoopControlIterationMultipleMask; bit <<= 1)
		at += (control & bit) != 0;
	if ((control & LoopControlIterationMultipleMask) && (at >= inst->words || !word(v, inst, at)))
		return SPV_FAIL(v, inst, LOOP_MERGE, NULL, "IterationMultiple is above 0");
	return true;
}

static bool check_return(struct val *v, const spv_inst *inst)
{
	uint32_t want = v->module.insts[v->functions.at[v->function - 1].first].type, have;

	if (inst->op == OpReturn)
		return is(v, want, T_VOID) || SPV_FAIL(v, inst, RETURN, NULL, "OpReturn", "gives none");
	have = type_of(v, word(v, inst, 1));
	if (!have || is(v, have, T_VOID) || have != want)
		return SPV_FAIL(v, inst, RETURN, NULL, "OpReturnValue", "has another type");
	if (is(v, have, T_POINTER) && v->addressing == AddressingModelLogical && !v->any_variable_pointers &&
	    !v->options.relax_logical_pointer)
		return SPV_FAIL(v, inst, VARIABLE_POINTER, NULL, "OpReturnValue");
	return true;
}

bool spv_check_branch(struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpPhi: return check_phi(v, inst);
	case OpLoopMerge: return check_loop_merge(v, inst);
	case OpBranchConditional: return check_conditional(v, inst);
	case OpSwitch: return spv_operand_is(v, inst, 0, T_INT) && spv_check_literals(v, inst);
	case OpReturn: case OpReturnValue: return check_return(v, inst);
	case OpKill: case OpTerminateInvocation: return spv_only_models(v, inst, M_FRAGMENT, NULL);
	case OpIgnoreIntersectionKHR: case OpTerminateRayKHR: return spv_only_models(v, inst, M_ANY_HIT, NULL);
	default: return true;
	}
}
