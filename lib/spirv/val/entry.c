/* SPDX-License-Identifier: MIT */
/*
 * Entry points, their modes and interfaces, the memory model, the graph of calls.
 *
 * Source: SPIR-V 3.49.5, Mode-Setting Instructions; 2.16.1; Vulkan, StandaloneSpirv.
 */
#include "spirv/val/val.h"

/* --- Modes --------------------------------------------------------------- */

/* Which models a mode is for; modes that are not here are not checked. */
static uint32_t models_of_mode(const struct val *v, uint32_t mode)
{
	uint32_t nv = has(v, HasMeshShadingNV) ? M_TASK_NV | M_MESH_NV : 0;
	uint32_t ext = has(v, HasMeshShadingEXT) ? M_TASK | M_MESH : 0;

	switch (mode) {
	case ExecutionModeInvocations: case ExecutionModeInputPoints: case ExecutionModeInputLines:
	case ExecutionModeInputLinesAdjacency: case ExecutionModeInputTrianglesAdjacency:
	case ExecutionModeOutputLineStrip: case ExecutionModeOutputTriangleStrip:
		return M_GEOMETRY;
	case ExecutionModeOutputPoints:
		return M_GEOMETRY | (nv & M_MESH_NV) | (ext & M_MESH);
	case ExecutionModeSpacingEqual: case ExecutionModeSpacingFractionalEven: case ExecutionModeSpacingFractionalOdd:
	case ExecutionModeVertexOrderCw: case ExecutionModeVertexOrderCcw: case ExecutionModePointMode:
	case ExecutionModeQuads: case ExecutionModeIsolines:
		return M_CONTROL | M_EVALUATION;
	case ExecutionModeTriangles:
		return M_GEOMETRY | M_CONTROL | M_EVALUATION;
	case ExecutionModeOutputVertices:
		return M_GEOMETRY | M_CONTROL | M_EVALUATION | (nv & M_MESH_NV) | (ext & M_MESH);
	case ExecutionModeOutputLinesEXT: case ExecutionModeOutputTrianglesEXT: case ExecutionModeOutputPrimitivesEXT:
		return M_MESH | M_MESH_NV;
	case ExecutionModePixelCenterInteger: case ExecutionModeOriginUpperLeft: case ExecutionModeOriginLowerLeft:
	case ExecutionModeEarlyFragmentTests: case ExecutionModeDepthReplacing: case ExecutionModeDepthGreater:
	case ExecutionModeDepthLess: case ExecutionModeDepthUnchanged: case ExecutionModePixelInterlockOrderedEXT:
	case ExecutionModePixelInterlockUnorderedEXT: case ExecutionModeSampleInterlockOrderedEXT:
	case ExecutionModeSampleInterlockUnorderedEXT: case ExecutionModeShadingRateInterlockOrderedEXT:
	case ExecutionModeShadingRateInterlockUnorderedEXT: case ExecutionModeEarlyAndLateFragmentTestsAMD:
	case ExecutionModeStencilRefUnchangedFrontAMD: case ExecutionModeStencilRefGreaterFrontAMD:
	case ExecutionModeStencilRefLessFrontAMD: case ExecutionModeStencilRefUnchangedBackAMD:
	case ExecutionModeStencilRefGreaterBackAMD: case ExecutionModeStencilRefLessBackAMD:
		return M_FRAGMENT;
	case ExecutionModeLocalSizeHint: case ExecutionModeVecTypeHint: case ExecutionModeContractionOff:
	case ExecutionModeLocalSizeHintId:
		return M_KERNEL;
	case ExecutionModeLocalSize: case ExecutionModeLocalSizeId:
		return M_KERNEL | M_COMPUTE | nv | ext;
	default:
		return M_ALL;
	}
}

/* Of all OpEntryPoint that name this function. */
static uint32_t models_of(const struct val *v, uint32_t function_id)
{
	uint32_t models = 0;

	for (uint32_t i = 0; i < v->entries.count && i < 64; i++) {
		const spv_inst *entry = &v->module.insts[v->entries.at[i].inst];

		if (word(v, entry, 2) == function_id)
			models |= 1u << spv_model(word(v, entry, 1));
	}
	return models;
}

static bool takes_ids(uint32_t mode)
{
	return mode == ExecutionModeSubgroupsPerWorkgroupId || mode == ExecutionModeLocalSizeHintId ||
	       mode == ExecutionModeLocalSizeId;
}

static bool check_local_size(struct val *v, const spv_inst *inst)
{
	/* spirv-val 2023.1 accepts 0. Source: VUID-StandaloneSpirv-None (LocalSize), SPIR-V 3.6. */
	for (uint32_t i = 3; i < 6 && !v->compat; i++)
		if (!word(v, inst, i))
			return SPV_FAIL(v, inst, LOCAL_SIZE, NULL);
	return true;
}

static bool check_execution_mode(struct val *v, const spv_inst *inst)
{
	uint32_t id = word(v, inst, 1), mode = word(v, inst, 2);

	if (!(v->flags[id] & ID_ENTRY))
		return SPV_FAIL(v, inst, NO_ENTRY_POINT, NULL, spv_id(&v->module, id));
	if (inst->op == OpExecutionMode ? takes_ids(mode) : inst->words > 3 && !takes_ids(mode))
		return SPV_FAIL(v, inst, MODE_FORM, NULL);
	/* spirv-val 2023.1 looks at the first of the ids alone. */
	for (uint32_t i = 3; inst->op == OpExecutionModeId && i < (v->compat ? 4u : inst->words) && i < inst->words; i++)
		if (!is_constant(op_of(v, word(v, inst, i))))
			return spv_operand_fails(v, inst, i - 1, "a constant", NULL);
	if (mode == ExecutionModeLocalSizeId && !v->options.allow_localsizeid)
		return SPV_FAIL(v, inst, LOCAL_SIZE_ID, NULL, glacier_spirv_env_name(v->options.env));
	if (models_of(v, id) & ~models_of_mode(v, mode))
		return SPV_FAIL(v, inst, MODE_MODEL, NULL);
	if (v->vulkan && (mode == ExecutionModeOriginLowerLeft || mode == ExecutionModePixelCenterInteger))
		return SPV_FAIL(v, inst, MODE_MODEL, "VUID-StandaloneSpirv-OriginLowerLeft-04653, PixelCenterInteger-04654");
	return mode != ExecutionModeLocalSize || check_local_size(v, inst);
}

/* --- Entry points -------------------------------------------------------- */

static bool has_workgroup_size(const struct val *v)
{
	for (uint32_t i = 0; i < v->decorations.count && (v->decorated_all & SPV_BIT(DecorationBuiltIn)); i++) {
		const struct spv_decoration *d = &v->decorations.at[i];

		if (d->kind == DecorationBuiltIn && d->member == SPV_NO_MEMBER && param(v, d, 0) == BuiltInWorkgroupSize)
			return true;
	}
	return false;
}

/* Any LocalSizeId of the module will do for spirv-val; its own mode for us. */
static bool has_local_size(const struct val *v, uint32_t modes)
{
	if (modes & (MODE_LOCAL_SIZE | MODE_LOCAL_SIZE_ID))
		return true;
	for (uint32_t i = 0; i < v->functions.count && v->compat; i++)
		if (v->functions.at[i].modes & MODE_LOCAL_SIZE_ID)
			return true;
	return has_workgroup_size(v);
}

static bool check_stage(struct val *v, const spv_inst *inst, uint32_t function)
{
	uint32_t origins = 0, model = word(v, inst, 1);

	if (!v->shader || model != ExecutionModelFragment)
		return true;
	for (uint32_t i = v->entries.at[0].inst; i < v->module.inst_count; i++) {
		const spv_inst *mode = &v->module.insts[i];

		if (mode->op != OpEntryPoint && mode->op != OpExecutionMode && mode->op != OpExecutionModeId)
			break;
		if (mode->op == OpExecutionMode && word(v, mode, 1) == function)
			origins |= word(v, mode, 2) == ExecutionModeOriginUpperLeft ? 1 : word(v, mode, 2) == ExecutionModeOriginLowerLeft ? 2 : 0;
	}
	return origins == 1 || origins == 2 || SPV_FAIL(v, inst, ORIGIN, NULL);
}

static bool check_entry_point(struct val *v, const spv_inst *inst)
{
	uint32_t model = word(v, inst, 1), id = word(v, inst, 2);
	const spv_inst *function = def(v, id), *t;

	if (!function || function->op != OpFunction)
		return spv_operand_fails(v, inst, 1, "a function", NULL);
	t = def(v, word(v, function, 4));
	if (model != ExecutionModelKernel && t && t->op == OpTypeFunction && t->words != 3)
		return SPV_FAIL(v, inst, ENTRY_TYPE, "VUID-StandaloneSpirv-None-04633");
	if (!is(v, function->type, T_VOID))
		return SPV_FAIL(v, inst, ENTRY_TYPE, "VUID-StandaloneSpirv-None-04633");
	if (v->vulkan && model == ExecutionModelGLCompute &&
	    !has_local_size(v, v->function_of[id] ? v->functions.at[v->function_of[id] - 1].modes : 0))
		return SPV_FAIL(v, inst, NO_LOCAL_SIZE, NULL);
	return check_stage(v, inst, id) && (!v->shader || spv_check_stage_modes(v, inst));
}

static bool check_memory_model(struct val *v, const spv_inst *inst)
{
	if (v->memory_model != MemoryModelVulkan && has(v, HasVulkanMemoryModel))
		return SPV_FAIL(v, inst, MEMORY_MODEL, NULL, "Vulkan, for its capability is declared");
	if (v->vulkan && v->addressing != AddressingModelLogical && v->addressing != AddressingModelPhysicalStorageBuffer64)
		return SPV_FAIL(v, inst, MEMORY_MODEL, "VUID-StandaloneSpirv-None-04635", "Logical or PhysicalStorageBuffer64");
	if (has(v, HasBindlessTextureNV) && !v->bindless_bits)
		return SPV_FAIL(v, inst, BINDLESS, NULL);
	return true;
}

bool spv_check_mode(struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpEntryPoint: return check_entry_point(v, inst);
	case OpExecutionMode: case OpExecutionModeId: return check_execution_mode(v, inst);
	case OpMemoryModel: return check_memory_model(v, inst);
	case OpSamplerImageAddressingModeNV:
		if (v->bindless_modes++)
			return SPV_FAIL(v, inst, BINDLESS, NULL);
		return word(v, inst, 1) == 32 || word(v, inst, 1) == 64 || SPV_FAIL(v, inst, BINDLESS, NULL);
	default: return true;
	}
}

/* --- Interfaces ---------------------------------------------------------- */

static bool check_interface_variable(struct val *v, const spv_inst *entry, uint32_t id)
{
	const spv_inst *variable = def(v, id);
	uint32_t storage;

	if (!variable || variable->op != OpVariable)
		return SPV_FAIL(v, entry, INTERFACE, NULL, spv_id(&v->module, id), "is no variable");
	storage = word(v, variable, 3);
	if (v->version >= 0x10400) {
		if (storage == StorageClassFunction)
			return SPV_FAIL(v, entry, INTERFACE, NULL, spv_id(&v->module, id), "is a variable of a function");
	} else if (storage != StorageClassInput && storage != StorageClassOutput) {
		return SPV_FAIL(v, entry, INTERFACE, NULL, spv_id(&v->module, id), "is not in Input or Output, before SPIR-V 1.4");
	}
	if (v->vulkan && decorated(v, id, DecorationBuiltIn) &&
	    (decorated(v, id, DecorationLocation) || decorated(v, id, DecorationComponent)))
		return SPV_FAIL(v, entry, INTERFACE, "VUID-StandaloneSpirv-Location-04915", spv_id(&v->module, id),
				"has BuiltIn and a location");
	return true;
}

/* A structure of built-ins: with Block, and one in Input and one in Output. */
static bool check_built_in_block(struct val *v, const spv_inst *entry, uint32_t id, uint32_t counts[2])
{
	const spv_inst *variable = def(v, id);
	uint32_t t = type(v, variable->type)->inner, storage = word(v, variable, 3);

	if (!is(v, t, T_STRUCT) || !(type(v, t)->mask & T_HAS_BUILT_IN))
		return true;
	if (!decorated(v, t, DecorationBlock))
		return SPV_FAIL(v, entry, INTERFACE, "VUID-StandaloneSpirv-Location-04919", spv_id(&v->module, id),
				"has built-in members and no Block");
	if (storage == StorageClassInput)
		counts[0]++;
	if (storage == StorageClassOutput)
		counts[1]++;
	return (counts[0] <= 1 && counts[1] <= 1) ||
	       SPV_FAIL(v, entry, INTERFACE, NULL, spv_id(&v->module, id), "is the second block of built-ins");
}

static bool has_block(const struct val *v, uint32_t t)
{
	return is(v, t, T_STRUCT) && (decorated(v, t, DecorationBlock) || (type(v, t)->mask & T_HAS_BLOCK));
}

/* Variables in Workgroup with a layout: all or none, and Aliased when there are several. */
static bool check_workgroup(struct val *v, const spv_inst *entry, uint32_t first)
{
	uint32_t all = 0, blocks = 0, aliased = 0;

	if (!has(v, HasWorkgroupMemoryExplicitLayoutKHR))
		return true;
	for (uint32_t i = first; i < operand_count(entry); i++) {
		const spv_inst *variable = def(v, operand(v, entry, i));
		uint32_t t = type(v, variable->type)->inner;

		if (word(v, variable, 3) != StorageClassWorkgroup)
			continue;
		all++;
		blocks += has_block(v, t);
		aliased += is(v, t, T_STRUCT) && decorated(v, variable->id, DecorationAliased);
	}
	return !blocks || (all == blocks && (blocks == 1 || aliased == blocks)) || SPV_FAIL(v, entry, WORKGROUP_BLOCKS, NULL);
}

/* Variables that the entry point's functions name: listed, and one push constant block. */
static void check_reached(struct val *v, const struct spv_entry *entry, uint32_t stamp, uint32_t *seen, uint32_t *list,
			  uint32_t *variables)
{
	const spv_inst *inst = &v->module.insts[entry->inst];
	uint32_t count = 0, push_constants = 0;

	for (uint32_t i = 3; i < operand_count(inst); i++)
		variables[operand(v, inst, i)] = stamp * 2;
	list[count++] = entry->function - 1;
	seen[entry->function - 1] = stamp;
	for (uint32_t at = 0; at < count; at++) {
		const struct spv_function *f = &v->functions.at[list[at]];

		for (uint32_t i = 0; i < f->global_count; i++) {
			uint32_t id = v->globals.at[f->globals + i], storage = word(v, def(v, id), 3);
			bool listed = variables[id] >= stamp * 2;

			if (variables[id] == stamp * 2 + 1)
				continue;
			variables[id] = stamp * 2 + 1;
			if (v->vulkan && storage == StorageClassPushConstant && push_constants++ == 1)
				SPV_FAIL(v, inst, PUSH_CONSTANTS, NULL);
			if (!listed && (v->version >= 0x10400 || storage == StorageClassInput || storage == StorageClassOutput))
				SPV_FAIL(v, inst, INTERFACE, NULL, spv_id(&v->module, id), "is used and not listed");
		}
		spv_list_callees(v, f, stamp, seen, list, &count);
	}
}

/* --- The graph of calls -------------------------------------------------- */

/* Colours of a walk in depth with its own stack: a call into what is open is a circle. */
static void check_recursion(struct val *v, const struct spv_entry *entry, uint8_t *colour, uint32_t *stack, uint32_t *next)
{
	uint32_t depth = 0;

	if (colour[entry->function - 1])
		return;
	stack[depth++] = entry->function - 1;
	colour[entry->function - 1] = 1;
	next[entry->function - 1] = 0;
	while (depth) {
		uint32_t f = stack[depth - 1];
		const struct spv_function *function = &v->functions.at[f];
		uint32_t id, callee;

		if (next[f] == function->call_count) {
			colour[f] = 2;
			depth--;
			continue;
		}
		id = v->calls.at[function->call + next[f]++];
		callee = id < v->module.id_count ? v->function_of[id] : 0;
		if (!callee)
			continue;
		if (colour[callee - 1] == 1) {
			SPV_FAIL(v, &v->module.insts[function->first], RECURSION, NULL, spv_id(&v->module, function->id));
			colour[f] = 2;
			depth--;
			continue;
		}
		if (colour[callee - 1])
			continue;
		colour[callee - 1] = 1;
		next[callee - 1] = 0;
		stack[depth++] = callee - 1;
	}
}

static bool same_name(const struct val *v, const spv_inst *a, const spv_inst *b)
{
	uint32_t n, m;
	const char *x = spv_text(&v->module, a, 3, &n), *y = spv_text(&v->module, b, 3, &m);

	return word(v, a, 1) == word(v, b, 1) && n == m && !memcmp(x, y, n);
}

/* Names are hashed: modules may have thousands of entry points. */
static void check_names(struct val *v)
{
	uint32_t size = 16, *slots;

	if (v->entries.count < 2)
		return;
	while (size / 2 < v->entries.count)
		size *= 2;
	slots = glc_bump_zero(v->memory, size * sizeof *slots);
	if (!slots) {
		v->out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < v->entries.count; i++) {
		const spv_inst *inst = &v->module.insts[v->entries.at[i].inst];
		uint32_t bytes, hash, slot;
		const char *name = spv_text(&v->module, inst, 3, &bytes);

		hash = word(v, inst, 1);
		for (uint32_t k = 0; k < bytes; k++)
			hash = (hash ^ (unsigned char)name[k]) * 0x01000193u;
		for (slot = hash & (size - 1); slots[slot]; slot = (slot + 1) & (size - 1))
			if (same_name(v, &v->module.insts[v->entries.at[slots[slot] - 1].inst], inst)) {
				SPV_FAIL(v, inst, ENTRY_NAME, NULL, (int)(bytes < 256 ? bytes : 256), name);
				break;
			}
		if (!slots[slot])
			slots[slot] = i + 1;
	}
}

static void check_interface(struct val *v, const struct spv_entry *entry, uint32_t stamp, uint32_t *variables)
{
	const spv_inst *inst = &v->module.insts[entry->inst];
	uint32_t counts[2] = {0};

	for (uint32_t i = 3; i < operand_count(inst); i++) {
		uint32_t id = operand(v, inst, i);

		if (!check_interface_variable(v, inst, id) || !check_built_in_block(v, inst, id, counts))
			return;
		if (v->version >= 0x10400 && variables[id] == stamp) {
			SPV_FAIL(v, inst, INTERFACE, NULL, spv_id(&v->module, id), "is listed twice");
			return;
		}
		variables[id] = stamp;
	}
	if (spv_decoration(v, word(v, inst, 2), DecorationLinkageAttributes, SPV_ANY)) {
		SPV_FAIL(v, inst, LINKAGE, NULL, "an entry point has none");
		return;
	}
	check_workgroup(v, inst, 3);
}

void spv_check_entries(struct val *v)
{
	uint32_t n = v->functions.count;
	uint32_t *seen = glc_bump_zero(v->memory, (size_t)n * 4), *list = glc_bump(v->memory, (size_t)n * 4);
	uint32_t *next = glc_bump(v->memory, (size_t)n * 4);
	uint32_t *variables = glc_bump_zero(v->memory, ((size_t)v->module.id_count + 1) * 4);
	uint8_t *colour = glc_bump_zero(v->memory, n);

	if (!seen || !list || !next || !variables || !colour) {
		v->out_of_memory = true;
		return;
	}
	if (!v->entries.count && !has(v, HasLinkage)) {
		glc_fail(v->diag, GLC_SV_NO_ENTRY, GLC_NOWHERE);
		return;
	}
	check_names(v);
	for (uint32_t i = 0; i < v->entries.count && v->diag->errors < v->most_errors; i++) {
		const struct spv_entry *entry = &v->entries.at[i];
		const spv_inst *inst = &v->module.insts[entry->inst];

		if (!entry->function)
			continue;
		if (v->flags[word(v, inst, 2)] & ID_CALLED)
			SPV_FAIL(v, inst, ENTRY_CALLED, NULL, spv_id(&v->module, word(v, inst, 2)));
		if (v->vulkan)
			check_recursion(v, entry, colour, list, next);
	}
	for (uint32_t i = 0; i < v->entries.count && v->diag->errors < v->most_errors; i++)
		if (v->entries.at[i].function)
			check_interface(v, &v->entries.at[i], i + 1, variables);
	memset(variables, 0, ((size_t)v->module.id_count + 1) * 4);
	for (uint32_t i = 0; i < v->entries.count && v->diag->errors < v->most_errors; i++)
		if (v->entries.at[i].function)
			check_reached(v, &v->entries.at[i], i + 1, seen, list, variables);
}
