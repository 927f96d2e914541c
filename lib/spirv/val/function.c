/* SPDX-License-Identifier: MIT */
/* Functions, parameters, calls, and who reaches whom. Source: SPIR-V 3.49.9; 2.16.1. */
#include "spirv/val/val.h"

enum { MOST_PAIRS = 256, MOST_STEPS = 1 << 16 };

/*
 * Arrays by length and element, structures by members; anything else by id. Structures that
 * share their parts could be compared for ever: after so many steps they are taken to match.
 */
bool spv_logically_match(const struct val *v, uint32_t a, uint32_t b, bool with_decorations)
{
	uint32_t pairs[MOST_PAIRS][2], count = 0;

	pairs[count][0] = a, pairs[count++][1] = b;
	for (uint32_t steps = 0; count && steps < MOST_STEPS; steps++) {
		const spv_inst *x = def(v, pairs[--count][0]), *y = def(v, pairs[count][1]);

		if (!x || !y || x->op != y->op || (x->op != OpTypeArray && x->op != OpTypeStruct))
			return false;
		if (with_decorations && v->decorated[y->id] && !v->decorated[x->id])
			return false;
		if (x->words != y->words || (x->op == OpTypeArray && word(v, x, 3) != word(v, y, 3)))
			return false;
		for (uint32_t i = 2; i < (x->op == OpTypeArray ? 3u : x->words); i++) {
			if (word(v, x, i) == word(v, y, i))
				continue;
			if (!is(v, word(v, x, i), T_ARRAY | T_STRUCT) || count == MOST_PAIRS)
				return false;
			pairs[count][0] = word(v, x, i), pairs[count++][1] = word(v, y, i);
		}
	}
	return true;
}

static bool check_definition(struct val *v, const spv_inst *inst)
{
	const spv_inst *t = def(v, word(v, inst, 4));
	const struct spv_function *function = &v->functions.at[v->function - 1];

	if (!t || t->op != OpTypeFunction)
		return SPV_FAIL(v, inst, FUNCTION_TYPE, NULL, "no function type");
	if (word(v, t, 2) != inst->type)
		return SPV_FAIL(v, inst, FUNCTION_TYPE, NULL, "a type with another result");
	if (!v->compat && function->parameters != t->words - 3u)
		return SPV_FAIL(v, inst, PARAMETERS, NULL, function->parameters, t->words - 3u);
	return true;
}

static bool check_aliasing(struct val *v, const spv_inst *inst, uint32_t one, uint32_t other, const char *a, const char *b)
{
	return decorated(v, inst->id, one) != decorated(v, inst->id, other) || SPV_FAIL(v, inst, POINTER_ALIASING, NULL, a, b);
}

static bool check_parameter(struct val *v, const spv_inst *inst)
{
	const struct spv_function *function = &v->functions.at[v->function - 1];
	const spv_inst *t = def(v, word(v, &v->module.insts[function->first], 4));
	uint32_t index = 0, base;

	for (const spv_inst *before = inst - 1; before->op != OpFunction; before--)
		index += before->op == OpFunctionParameter;
	if (!t || t->op != OpTypeFunction)
		return true;
	if (index >= t->words - 3u)
		return SPV_FAIL(v, inst, PARAMETERS, NULL, index + 1, t->words - 3u);
	if (word(v, t, 3 + index) != inst->type)
		return spv_result_fails(v, inst, "of the parameter's type in the function's type", NULL);
	for (base = inst->type; is(v, base, T_ARRAY); base = type(v, base)->inner)
		;
	if (pointer_class(v, base) == StorageClassPhysicalStorageBuffer)
		return check_aliasing(v, inst, DecorationAliased, DecorationRestrict, "Aliased", "Restrict");
	if (is(v, base, T_POINTER) && pointer_class(v, type(v, base)->inner) == StorageClassPhysicalStorageBuffer)
		return check_aliasing(v, inst, DecorationAliasedPointer, DecorationRestrictPointer, "AliasedPointer", "RestrictPointer");
	return true;
}

/* Pointers as arguments under logical addressing. SPIR-V 2.16.1. */
static bool check_pointer(struct val *v, const spv_inst *inst, uint32_t n)
{
	const spv_inst *argument = def(v, operand(v, inst, n));
	uint32_t storage = pointer_class(v, argument->type);

	switch (storage) {
	case StorageClassUniformConstant: case StorageClassFunction: case StorageClassPrivate:
	case StorageClassWorkgroup: case StorageClassAtomicCounter:
		break;
	case StorageClassStorageBuffer:
		if (v->any_variable_pointers)
			break;
		return SPV_FAIL(v, inst, VARIABLE_POINTER, NULL, "an argument in StorageBuffer");
	default:
		return spv_operand_fails(v, inst, n, "in another storage class", NULL);
	}
	if (argument->op == OpVariable || argument->op == OpFunctionParameter || storage == StorageClassUniformConstant ||
	    (storage == StorageClassStorageBuffer && v->any_variable_pointers) ||
	    (storage == StorageClassWorkgroup && v->variable_pointers))
		return true;
	return spv_operand_fails(v, inst, n, "a variable or a parameter", NULL);
}

static bool pointees_match(const struct val *v, uint32_t a, uint32_t b)
{
	if (!is(v, a, T_POINTER) || !is(v, b, T_POINTER))
		return false;
	return type(v, a)->inner == type(v, b)->inner || spv_logically_match(v, type(v, a)->inner, type(v, b)->inner, true);
}

static bool check_call(struct val *v, const spv_inst *inst)
{
	const spv_inst *callee = def(v, word(v, inst, 3)), *t;

	if (!callee || callee->op != OpFunction)
		return spv_operand_fails(v, inst, 2, "a function", NULL);
	if (callee->type != inst->type)
		return spv_result_fails(v, inst, "of the function's result type", NULL);
	t = def(v, word(v, callee, 4));
	if (!t || t->op != OpTypeFunction)
		return true;
	if (inst->words - 4u != t->words - 3u)
		return SPV_FAIL(v, inst, PARAMETERS, NULL, inst->words - 4u, t->words - 3u);
	for (uint32_t i = 0; i < inst->words - 4u; i++) {
		uint32_t have = type_of(v, word(v, inst, 4 + i)), want = word(v, t, 3 + i);

		if (have != want && !(v->options.before_hlsl_legalization && pointees_match(v, have, want)))
			return spv_operand_fails(v, inst, 3 + i, "of the parameter's type", NULL);
		if (v->addressing == AddressingModelLogical && is(v, want, T_POINTER) && !v->options.relax_logical_pointer &&
		    !check_pointer(v, inst, 3 + i))
			return false;
	}
	return true;
}

bool spv_check_function(struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpFunction: return check_definition(v, inst);
	case OpFunctionParameter: return check_parameter(v, inst);
	case OpFunctionCall: return check_call(v, inst);
	default: return true;
	}
}

/* --- Reaching ------------------------------------------------------------ */

/* The modes of all entry points, in one pass over where they stand. */
static void collect_modes(struct val *v)
{
	for (uint32_t i = v->entries.count ? v->entries.at[0].inst : v->module.inst_count; i < v->module.inst_count; i++) {
		const spv_inst *inst = &v->module.insts[i];
		uint32_t id = word(v, inst, 1), function;

		if (inst->op != OpEntryPoint && inst->op != OpExecutionMode && inst->op != OpExecutionModeId)
			break;
		function = inst->op != OpEntryPoint && id < v->module.id_count ? v->function_of[id] : 0;
		if (!function)
			continue;
		switch (word(v, inst, 2)) {
		case ExecutionModeLocalSize: v->functions.at[function - 1].modes |= MODE_LOCAL_SIZE; break;
		case ExecutionModeLocalSizeId: v->functions.at[function - 1].modes |= MODE_LOCAL_SIZE_ID; break;
		case ExecutionModeDerivativeGroupQuadsNV: case ExecutionModeDerivativeGroupLinearNV:
			v->functions.at[function - 1].modes |= MODE_DERIVATIVES;
			break;
		case ExecutionModePixelInterlockOrderedEXT: case ExecutionModePixelInterlockUnorderedEXT:
		case ExecutionModeSampleInterlockOrderedEXT: case ExecutionModeSampleInterlockUnorderedEXT:
		case ExecutionModeShadingRateInterlockOrderedEXT: case ExecutionModeShadingRateInterlockUnorderedEXT:
			v->functions.at[function - 1].modes |= MODE_INTERLOCK;
			break;
		default: break;
		}
	}
}

void spv_list_callees(const struct val *v, const struct spv_function *f, uint32_t stamp, uint32_t *seen, uint32_t *list,
		      uint32_t *count)
{
	for (uint32_t i = 0; i < f->call_count; i++) {
		uint32_t id = v->calls.at[f->call + i], callee = id < v->module.id_count ? v->function_of[id] : 0;

		if (!callee || seen[callee - 1] == stamp)
			continue;
		seen[callee - 1] = stamp;
		list[(*count)++] = callee - 1;
	}
}

/* Marks what one entry point reaches: a worklist over calls, each function once. */
static void reach_from(struct val *v, const struct spv_entry *entry, uint32_t stamp, uint32_t *seen, uint32_t *list)
{
	uint32_t model = 1u << spv_model(word(v, &v->module.insts[entry->inst], 1)), count = 0;
	bool lacks_interlock = !(v->functions.at[entry->function - 1].modes & MODE_INTERLOCK);
	bool lacks = (model & M_COMPUTE) && !(v->functions.at[entry->function - 1].modes & MODE_DERIVATIVES);

	list[count++] = entry->function - 1;
	seen[entry->function - 1] = stamp;
	for (uint32_t at = 0; at < count; at++) {
		struct spv_function *f = &v->functions.at[list[at]];

		f->models |= model;
		f->lacks_derivatives |= lacks;
		f->lacks_interlock |= lacks_interlock;
		for (uint32_t i = 0; i < f->global_count; i++)
			v->flags[v->globals.at[f->globals + i]] |= ID_USED;
		spv_list_callees(v, f, stamp, seen, list, &count);
	}
}

void spv_reach(struct val *v)
{
	uint32_t n = v->functions.count;
	uint32_t *seen = glc_bump_zero(v->memory, (size_t)n * sizeof *seen), *list = glc_bump(v->memory, (size_t)n * sizeof *list);

	if (!seen || !list) {
		v->out_of_memory = true;
		return;
	}
	collect_modes(v);
	for (uint32_t i = 0; i < v->entries.count; i++) {
		struct spv_entry *entry = &v->entries.at[i];
		const spv_inst *inst = &v->module.insts[entry->inst];
		uint32_t id = word(v, inst, 2);

		entry->function = id < v->module.id_count ? v->function_of[id] : 0;
		v->unchecked |= 1u << spv_model(word(v, inst, 1));
		if (entry->function)
			reach_from(v, entry, i + 1, seen, list);
	}
	v->unchecked &= ~(uint32_t)M_COMPUTE;
}
