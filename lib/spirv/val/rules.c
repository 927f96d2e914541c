/* SPDX-License-Identifier: MIT */
/* Which opcode is judged by which family, and the order of the whole. */
#include "spirv/val/val.h"

#include <stdio.h>

/* The families; their numbers fill the tables, so that no table holds addresses. */
enum {
	NO_FAMILY, MISC, DEBUG, EXTENDED, MODE, TYPE, CONSTANT, FUNCTION, VARIABLE, IMAGE, MEMORY, ANNOTATION, COMPOSITE,
	TYPING, CONVERSION, MATRIX, BARRIER, ATOMIC, BRANCH, GROUP, COMPARE, COOPERATIVE_MATRIX, STAGE,
};

static bool check_family(struct val *v, const spv_inst *inst, unsigned family)
{
	switch (family) {
	case MISC: return spv_check_misc(v, inst);
	case DEBUG: return spv_check_debug(v, inst);
	case EXTENDED: return spv_check_extended(v, inst);
	case MODE: return spv_check_mode(v, inst);
	case TYPE: return spv_check_type(v, inst);
	case CONSTANT: return spv_check_constant(v, inst);
	case FUNCTION: return spv_check_function(v, inst);
	case VARIABLE: return spv_check_variable(v, inst);
	case IMAGE: return spv_check_image(v, inst);
	case MEMORY: return spv_check_memory(v, inst);
	case ANNOTATION: return spv_check_annotation(v, inst);
	case COMPOSITE: return spv_check_composite(v, inst);
	case TYPING: return spv_check_typing(v, inst);
	case CONVERSION: return spv_check_conversion(v, inst);
	case MATRIX: return spv_check_matrix(v, inst);
	case BARRIER: return spv_check_barrier(v, inst);
	case ATOMIC: return spv_check_atomic(v, inst);
	case BRANCH: return spv_check_branch(v, inst);
	case GROUP: return spv_check_group(v, inst);
	case COMPARE: return spv_check_pointer_compare(v, inst);
	case COOPERATIVE_MATRIX: return spv_check_cooperative(v, inst);
	case STAGE: return spv_check_stage_op(v, inst);
	default: return true;
	}
}

enum { NEAR = 448 };

static const uint8_t near_families[NEAR] = {
	[OpUndef] = MISC,
	[OpMemberName] = DEBUG,
	[OpLine] = DEBUG,
	[OpExtInstImport] = MISC,
	[OpExtInst] = EXTENDED,
	[OpMemoryModel ... OpExecutionMode] = MODE,
	[OpTypeVoid ... OpTypeForwardPointer] = TYPE,
	[OpConstantTrue ... OpSpecConstantOp] = CONSTANT,
	[OpFunction ... OpFunctionCall] = FUNCTION,
	[OpVariable] = VARIABLE,
	[OpImageTexelPointer] = IMAGE,
	[OpLoad ... OpInBoundsPtrAccessChain] = MEMORY,
	[OpDecorate ... OpGroupMemberDecorate] = ANNOTATION,
	[OpVectorExtractDynamic ... OpTranspose] = COMPOSITE,
	[OpSampledImage ... OpImageQuerySamples] = IMAGE,
	[OpConvertFToU ... OpQuantizeToF16] = TYPING,
	[OpConvertPtrToU] = CONVERSION,
	[OpSatConvertSToU ... OpSatConvertUToS] = TYPING,
	[OpConvertUToPtr ... OpBitcast] = CONVERSION,
	[OpSNegate ... OpFMod] = TYPING,
	[OpVectorTimesScalar ... OpSMulExtended] = MATRIX,
	[OpAny ... OpLogicalNot] = TYPING,
	[OpSelect] = MATRIX,
	[OpIEqual ... OpNot] = TYPING,
	[OpBitFieldInsert ... OpBitCount] = MATRIX,
	[OpDPdx ... OpFwidthCoarse] = TYPING,
	[OpEmitVertex ... OpEndStreamPrimitive] = MISC,
	[OpControlBarrier ... OpMemoryBarrier] = BARRIER,
	[OpAtomicLoad ... OpAtomicXor] = ATOMIC,
	[OpPhi ... OpUnreachable] = BRANCH,
	[OpImageSparseSampleImplicitLod ... OpImageSparseTexelsResident] = IMAGE,
	[OpTypePipeStorage] = TYPE,
	[OpAtomicFlagTestAndSet ... OpAtomicFlagClear] = ATOMIC,
	[OpImageSparseRead] = IMAGE,
	[OpTypeNamedBarrier] = TYPE,
	[OpMemoryNamedBarrier] = BARRIER,
	[OpExecutionModeId] = MODE,
	[OpDecorateId] = ANNOTATION,
	[OpGroupNonUniformElect ... OpGroupNonUniformQuadSwap] = GROUP,
	[OpCopyLogical] = COMPOSITE,
	[OpPtrEqual ... OpPtrDiff] = COMPARE,
};

/* The rest, by ranges; ascending. */
static const struct {
	uint16_t first, last;
	uint8_t family;
} far_families[] = {
	{OpTerminateInvocation, OpTerminateInvocation, BRANCH},
	{OpGroupNonUniformRotateKHR, OpGroupNonUniformRotateKHR, GROUP},
	{OpTraceRayKHR, OpExecuteCallableKHR, STAGE},
	{OpConvertUToAccelerationStructureKHR, OpConvertUToAccelerationStructureKHR, CONVERSION},
	{OpIgnoreIntersectionKHR, OpTerminateRayKHR, BRANCH},
	{OpTypeRayQueryKHR, OpTypeRayQueryKHR, TYPE},
	{OpRayQueryInitializeKHR, OpRayQueryProceedKHR, STAGE},
	{OpRayQueryGetIntersectionTypeKHR, OpRayQueryGetIntersectionTypeKHR, STAGE},
	{OpReadClockKHR, OpReadClockKHR, MISC},
	{OpEmitMeshTasksEXT, OpSetMeshOutputsEXT, STAGE},
	{OpReportIntersectionKHR, OpReportIntersectionKHR, STAGE},
	{OpTypeAccelerationStructureKHR, OpTypeAccelerationStructureKHR, TYPE},
	{OpTypeCooperativeMatrixNV, OpTypeCooperativeMatrixNV, TYPE},
	{OpCooperativeMatrixLoadNV, OpCooperativeMatrixStoreNV, COOPERATIVE_MATRIX},
	{OpCooperativeMatrixMulAddNV, OpCooperativeMatrixMulAddNV, MATRIX},
	{OpCooperativeMatrixLengthNV, OpCooperativeMatrixLengthNV, COOPERATIVE_MATRIX},
	{OpBeginInvocationInterlockEXT, OpEndInvocationInterlockEXT, MISC},
	{OpDemoteToHelperInvocation, OpDemoteToHelperInvocation, MISC},
	{OpIsHelperInvocationEXT, OpIsHelperInvocationEXT, MISC},
	{OpSamplerImageAddressingModeNV, OpSamplerImageAddressingModeNV, MODE},
	{OpAtomicFMinEXT, OpAtomicFMaxEXT, ATOMIC},
	{OpAssumeTrueKHR, OpExpectKHR, MISC},
	{OpRayQueryGetRayTMinKHR, OpRayQueryGetIntersectionWorldToObjectKHR, STAGE},
	{OpAtomicFAddEXT, OpAtomicFAddEXT, ATOMIC},
};

static unsigned family_of(uint32_t op)
{
	if (op < NEAR)
		return near_families[op];
	for (size_t i = 0; i < sizeof far_families / sizeof far_families[0]; i++)
		if (op >= far_families[i].first && op <= far_families[i].last)
			return far_families[i].family;
	return NO_FAMILY;
}

/* --- Small families ------------------------------------------------------ */

static bool check_import(struct val *v, const spv_inst *inst)
{
	static const char known[][44] = {
		"GLSL.std.450", "OpenCL.std", "SPV_AMD_shader_explicit_vertex_parameter", "SPV_AMD_shader_trinary_minmax",
		"SPV_AMD_gcn_shader", "SPV_AMD_shader_ballot", "DebugInfo", "OpenCL.DebugInfo.100",
	};
	uint32_t bytes;
	const char *name = spv_text(&v->module, inst, 2, &bytes);

	if (bytes >= 12 && !memcmp(name, "NonSemantic.", 12))
		return v->version > 0x10500 || v->non_semantic ||
		       SPV_FAIL(v, inst, EXTENSION, NULL, "a non-semantic set", "SPV_KHR_non_semantic_info");
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (bytes == strlen(known[i]) && !memcmp(name, known[i], bytes))
			return true;
	return SPV_FAIL(v, inst, IMPORT, NULL, (int)(bytes < 256 ? bytes : 256), name);
}

static bool check_clock(struct val *v, const spv_inst *inst)
{
	const struct spv_type *t = type(v, inst->type);
	uint32_t value;

	if (!spv_check_scope(v, inst, word(v, inst, 3)))
		return false;
	if (spv_constant(v, word(v, inst, 3), &value) && value != ScopeSubgroup && value != ScopeDevice)
		return SPV_FAIL(v, inst, SCOPE, "VUID-StandaloneSpirv-OpReadClockKHR-04652", "OpReadClockKHR", "Subgroup or Device");
	return ((t->mask & T_UNSIGNED) && (((t->mask & T_INT) && t->width == 64) || ((t->mask & T_INTS) && t->dim == 2 && t->width == 32))) ||
	       spv_result_fails(v, inst, "64 bits: an unsigned integer or two", NULL);
}

bool spv_check_misc(struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpUndef:
		if (is(v, inst->type, T_VOID))
			return spv_result_fails(v, inst, "not void", NULL);
		return !is_small(v, inst->type) || is(v, inst->type, T_POINTER) || SPV_FAIL(v, inst, SMALL_TYPE, NULL, "OpUndef");
	case OpExtInstImport:
		return check_import(v, inst);
	case OpEmitVertex: case OpEndPrimitive: case OpEmitStreamVertex: case OpEndStreamPrimitive:
		return spv_only_models(v, inst, M_GEOMETRY, NULL);
	case OpBeginInvocationInterlockEXT: case OpEndInvocationInterlockEXT:
		if (!spv_only_models(v, inst, M_FRAGMENT, NULL))
			return false;
		return !v->function || !v->functions.at[v->function - 1].lacks_interlock ||
		       SPV_FAIL(v, inst, INTERLOCK, NULL, spv_op_name(inst->op));
	case OpDemoteToHelperInvocation:
		return spv_only_models(v, inst, M_FRAGMENT, NULL);
	case OpIsHelperInvocationEXT:
		return spv_only_models(v, inst, M_FRAGMENT, NULL) && spv_result_is(v, inst, inst->type, T_BOOL);
	case OpReadClockKHR:
		return check_clock(v, inst);
	case OpAssumeTrueKHR:
		return spv_operand_is(v, inst, 0, T_BOOL);
	case OpExpectKHR:
		if (!spv_result_is(v, inst, inst->type, T_BOOL_LIKE | T_INT_LIKE))
			return false;
		return (type_of(v, word(v, inst, 3)) == inst->type && type_of(v, word(v, inst, 4)) == inst->type) ||
		       spv_operand_fails(v, inst, 2, "of the result's type", NULL);
	default:
		return true;
	}
}

/* --- All instructions ---------------------------------------------------- */

/* An operand whose definition was refused: nothing more is said of its users. */
static bool is_spoilt(struct val *v, const spv_inst *inst)
{
	for (uint32_t i = 0; i < inst->operand_count; i++) {
		const struct glacier_spirv_operand *o = &v->module.operands[inst->operands + i];
		uint32_t id = word(v, inst, o->offset);

		if (o->kind < KindIdResultType || o->kind > KindIdRef)
			continue;
		if (id >= v->module.id_count || !(v->flags[id] & ID_BROKEN))
			continue;
		/* And nothing of those that use it. */
		if (inst->id)
			v->flags[inst->id] |= ID_BROKEN;
		return true;
	}
	return false;
}

static bool check_sampled_uses(struct val *v, const spv_inst *inst)
{
	for (uint32_t i = 0; i < inst->operand_count; i++)
		if (v->module.operands[inst->operands + i].kind == KindIdRef &&
		    op_of(v, operand(v, inst, i)) == OpSampledImage && !spv_check_sampled_use(v, inst, operand(v, inst, i)))
			return false;
	return true;
}

/* Classes of storage that some models do not have. */
static const struct {
	uint16_t storage;
	uint32_t models;
	const char *clause;
} class_models[] = {
	{StorageClassOutput, M_ALL & ~(M_COMPUTE | M_RAY), "VUID-StandaloneSpirv-None-04644"},
	{StorageClassWorkgroup, M_GROUPS, "VUID-StandaloneSpirv-None-04645"},
	{StorageClassCallableDataKHR, M_RAY_GENERATION | M_CLOSEST_HIT | M_MISS | M_CALLABLE,
	 "VUID-StandaloneSpirv-CallableDataKHR-04704"},
	{StorageClassIncomingCallableDataKHR, M_CALLABLE, "VUID-StandaloneSpirv-IncomingCallableDataKHR-04705"},
	{StorageClassRayPayloadKHR, M_RAY_GENERATION | M_CLOSEST_HIT | M_MISS, "VUID-StandaloneSpirv-RayPayloadKHR-04698"},
	{StorageClassHitAttributeKHR, M_INTERSECTION | M_ANY_HIT | M_CLOSEST_HIT, "VUID-StandaloneSpirv-HitAttributeKHR-04701"},
	{StorageClassIncomingRayPayloadKHR, M_ANY_HIT | M_CLOSEST_HIT | M_MISS, "VUID-StandaloneSpirv-IncomingRayPayloadKHR-04699"},
	{StorageClassShaderRecordBufferKHR, M_RAY, "VUID-StandaloneSpirv-ShaderRecordBufferKHR-07119"},
	{StorageClassTaskPayloadWorkgroupEXT, M_TASK | M_MESH, NULL},   /* its extension says so, in every environment */
};

enum { CLASS_ROWS = sizeof class_models / sizeof class_models[0] };

uint32_t spv_class_bit(uint32_t storage)
{
	for (uint32_t i = 0; i < CLASS_ROWS; i++)
		if (class_models[i].storage == storage)
			return 1u << i;
	return 0;
}

/* At every use in a function. */
static bool check_class_models(struct val *v, const spv_inst *inst)
{
	if (!v->function)
		return true;
	for (uint32_t i = 0; i < inst->operand_count; i++) {
		const struct glacier_spirv_operand *o = &v->module.operands[inst->operands + i];
		const spv_inst *used;
		uint32_t storage;

		if (o->kind != KindIdRef && o->kind != KindIdResultType)
			continue;
		used = def(v, word(v, inst, o->offset));
		if (!used || (used->op != OpTypePointer && used->op != OpVariable))
			continue;
		storage = word(v, used, used->op == OpVariable ? 3 : 2);
		for (uint32_t k = 0; k < CLASS_ROWS; k++)
			if (class_models[k].storage == storage && (v->vulkan || !class_models[k].clause) &&
			    !spv_only_models(v, inst, class_models[k].models, class_models[k].clause))
				return false;
	}
	return true;
}

/* Phis, variables and merge instructions stand at their places in a block. SPIR-V 2.4, 2.16.1. */
enum { NEW_FUNCTION, ENTRY, PHIS, REST };

static bool check_place(struct val *v, const spv_inst *inst, uint32_t *place)
{
	const spv_inst *next = inst + 1;
	bool last = (uint32_t)(inst - v->module.insts) + 1 == v->module.inst_count;

	switch (inst->op) {
	case OpFunction: case OpFunctionParameter:
		*place = NEW_FUNCTION;
		return true;
	case OpLabel:
		*place = *place == NEW_FUNCTION ? ENTRY : PHIS;
		return true;
	case OpExtInst:
		if (!spv_is_debug_info(v, inst) || spv_is_non_semantic(v, inst))
			*place = REST;
		return true;
	case OpPhi:
		return *place == PHIS || SPV_FAIL(v, inst, PLACE, NULL, "OpPhi", "at the beginning of a block, not of a function's first");
	case OpLine: case OpNoLine:
		return true;
	case OpVariable:
		return word(v, inst, 3) != StorageClassFunction || *place == ENTRY ||
		       SPV_FAIL(v, inst, PLACE, NULL, "OpVariable", "at the beginning of a function's first block");
	case OpLoopMerge:
		*place = REST;
		return last || next->op == OpBranch || next->op == OpBranchConditional ||
		       SPV_FAIL(v, inst, PLACE, NULL, "OpLoopMerge", "before OpBranch or OpBranchConditional");
	case OpSelectionMerge:
		*place = REST;
		return last || next->op == OpBranchConditional || next->op == OpSwitch ||
		       SPV_FAIL(v, inst, PLACE, NULL, "OpSelectionMerge", "before OpBranchConditional or OpSwitch");
	default:
		*place = REST;
		return true;
	}
}

static void check_everywhere(struct val *v, const spv_inst *inst)
{
	if (v->small && !spv_check_small_uses(v, inst))
		return;
	if (v->samples && !check_sampled_uses(v, inst))
		return;
	if (v->models_differ)
		check_class_models(v, inst);
}

static void count_variable(struct val *v, const spv_inst *inst, uint32_t *variables)
{
	bool local = word(v, inst, 3) == StorageClassFunction;
	uint32_t limit = local ? v->options.max_local_variables : v->options.max_global_variables;

	if (++variables[local] == limit + 1)
		SPV_FAIL(v, inst, LIMIT, NULL, local ? "variables of functions" : "variables of the module", limit);
}

/* A stage that lacks a storage class, when a module has pointers into it. */
static bool models_differ(const struct val *v)
{
	uint32_t models = 0;

	for (uint32_t i = 0; i < v->functions.count; i++)
		models |= v->functions.at[i].models;
	for (uint32_t i = 0; i < CLASS_ROWS; i++)
		if ((v->classes >> i & 1) && (models & ~class_models[i].models))
			return true;
	return false;
}

void spv_check_instructions(struct val *v)
{
	uint32_t functions = 0, place = REST, variables[2] = {0}, count = v->module.inst_count;
	bool everywhere;

	v->models_differ = models_differ(v);
	everywhere = v->small || v->samples || v->models_differ;
	for (uint32_t i = 0; i < count; i++) {
		const spv_inst *inst = &v->module.insts[i];
		bool plain = spv_traits(inst->op) & OP_PLAIN;

		if (v->spoilt && v->diag->errors >= v->most_errors)
			break;
		v->at = i;
		if (!plain && inst->op == OpFunction)
			v->function = ++functions;
		if (!plain && inst->op == OpVariable)
			count_variable(v, inst, variables);
		if (v->spoilt && ((v->refused[i / 8] >> i % 8 & 1) || is_spoilt(v, inst)))
			continue;
		if (plain)
			place = REST;
		if ((plain || check_place(v, inst, &place)) && check_family(v, inst, family_of(inst->op)) && everywhere)
			check_everywhere(v, inst);
		if (inst->op == OpFunctionEnd)
			v->function = 0;
	}
	v->function = 0;
}

/* --- The whole ----------------------------------------------------------- */

/* The specification's universal limits. Source: SPIR-V 2.17. */
static void fill_options(struct val *v, const struct glacier_spirv_options *options)
{
	struct glacier_spirv_options *o = &v->options;
	static const uint32_t limits[9] = {16383, 255, 524287, 65535, 16383, 255, 1023, 255, 0x3fffff};
	uint32_t *values[9] = {&o->max_struct_members, &o->max_struct_depth, &o->max_local_variables, &o->max_global_variables,
			       &o->max_switch_branches, &o->max_function_args, &o->max_control_flow_nesting_depth,
			       &o->max_access_chain_indexes, &o->max_id_bound};

	if (options)
		*o = *options;
	/* What comes before legalization has pointers that only it will take away. */
	o->relax_logical_pointer |= o->before_hlsl_legalization;
	for (int i = 0; i < 9; i++)
		if (!*values[i] && !(o->max_none >> i & 1))
			*values[i] = limits[i];
	if ((unsigned)o->env >= GLACIER_SPIRV_ENV_COUNT)
		o->env = GLACIER_SPIRV_VULKAN_1_3;
	/* LocalSizeId came to Vulkan with 1.3, block layouts that are relaxed with 1.1. */
	o->allow_localsizeid |= o->env == GLACIER_SPIRV_VULKAN_1_3 || o->env >= GLACIER_SPIRV_UNIVERSAL_1_0;
	v->relaxed = o->relax_block_layout || o->env < GLACIER_SPIRV_VULKAN_1_0;
	v->compat = o->compat;
}

static bool make_arrays(struct val *v)
{
	size_t ids = (size_t)v->module.id_count + 1, insts = (size_t)v->module.inst_count + 1;

	size_t id_bytes = sizeof *v->decorated_by + sizeof *v->types + sizeof *v->decorated + sizeof *v->blocks_of +
			  sizeof *v->function_of + sizeof *v->flags;

	/* All in one piece, the widest first: most modules are small, and each piece costs. */
	v->decorated_by = glc_bump_zero(v->memory, ids * id_bytes + insts * sizeof *v->block_of + insts / 8 + 1);
	if (!v->decorated_by)
		return false;
	v->types = (struct spv_type *)(v->decorated_by + ids);
	v->decorated = (uint32_t *)(v->types + ids);
	v->blocks_of = v->decorated + ids;
	v->function_of = v->blocks_of + ids;
	v->block_of = v->function_of + ids;
	v->flags = (uint8_t *)(v->block_of + insts);
	v->refused = v->flags + ids;
	return true;
}

/* Stages have rules that are not here: what was not looked at is said, once a module. */
static void say_unchecked(struct val *v)
{
	static const char names[17][24] = {
		"vertex", "tessellation-control", "tessellation-evaluation", "geometry", "fragment", "", "kernel", "task", "mesh",
		"ray-generation", "intersection", "any-hit", "closest-hit", "miss", "callable", "task", "mesh",
	};
	char text[256];
	uint32_t at = 0;

	for (uint32_t i = 0; i < 17; i++)
		if (v->unchecked >> i & 1)
			at += (uint32_t)snprintf(text + at, sizeof text - at, "%s%s-stage", at ? ", " : "", names[i]);
	if (at)
		glc_note(v->diag, GLC_NOWHERE, "%s rules not checked", text);
}

/* What comes later trusts what came before: blocks and ids that are wrong end it. */
static void check_module(struct val *v)
{
	uint32_t before = v->diag->errors;
	bool ids_wrong;

	if (!spv_check_header(v))
		return;
	if (!make_arrays(v) || !spv_collect(v)) {
		v->out_of_memory = true;
		return;
	}
	spv_check_order(v);
	ids_wrong = v->diag->errors > before;
	if (v->broken || v->out_of_memory)
		return;
	if (!spv_build_types(v)) {
		v->out_of_memory = true;
		return;
	}
	spv_reach(v);
	say_unchecked(v);
	if (!v->out_of_memory)
		spv_build_flow(v);
	if (v->out_of_memory || v->broken)
		return;
	spv_check_instructions(v);
	if (ids_wrong || v->options.level != GLACIER_SPIRV_FULL || v->out_of_memory)
		return;
	spv_check_entries(v);
	spv_check_locations(v);
	spv_check_flow(v);
	spv_check_dominance(v);
	spv_check_buffers(v);
	spv_check_decorations(v);
	spv_check_built_ins(v);
	spv_check_limits(v);
}

enum glacier_status glacier_spirv_validate(struct glacier_memory *memory, const void *data, size_t bytes,
					   const struct glacier_spirv_options *options, struct glacier_diag *diag)
{
	struct glacier_diag silent = {0};
	struct val v = {.memory = memory, .diag = diag ? diag : &silent};
	const struct glc_source_map *outer = v.diag->map;
	uint32_t before = v.diag->errors;
	struct spv_where where;
	enum glacier_status status;

	fill_options(&v, options);
	glacier_memory_reset(memory);
	status = glacier_spirv_read(memory, data, bytes, &v.module, v.diag);
	if (status != GLACIER_OK || v.options.level == GLACIER_SPIRV_FRAMING)
		return status;
	spv_where_begin(&where, &v.module);
	v.diag->map = &where.map;
	v.most_errors = before + glc_max_errors(v.diag);
	check_module(&v);
	if (v.out_of_memory)
		glc_fail(v.diag, GLC_SV_OUT_OF_MEMORY, GLC_NOWHERE);
	v.diag->map = outer;
	return v.diag->errors > before ? v.diag->first : GLACIER_OK;
}
