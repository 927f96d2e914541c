/* SPDX-License-Identifier: MIT */
/* What is known of the module as a whole, and how rules report. */
#include "spirv/val/val.h"

#include <stdio.h>

bool spv_explain(struct val *v, const spv_inst *inst, enum glc_code code, const char *clause)
{
	struct glacier_code_info info;
	char text[512];

	v->spoilt = true;
	if (v->module.inst_count && inst >= v->module.insts && inst < v->module.insts + v->module.inst_count)
		v->refused[(inst - v->module.insts) / 8] |= (uint8_t)(1u << (inst - v->module.insts) % 8);
	if (inst->id && inst->id < v->module.id_count)
		v->flags[inst->id] |= ID_BROKEN;
	if (!v->diag->report)
		return false;
	spv_print(&v->module, inst, text, sizeof text);
	glc_note(v->diag, inst->word, "word %u, instruction %u: %s", inst->word, (uint32_t)(inst - v->module.insts), text);
	if (!clause && glacier_code_at(code, &info))
		clause = info.clause;
	glc_note(v->diag, inst->word, "rule: %s", clause ? clause : "");
	return false;
}

const char *spv_op_name(uint32_t op)
{
	const struct spv_op_row *row = spv_op_find(op);

	return row ? spv_string(row->name) : "an unknown instruction";
}

const char *spv_mask_name(uint32_t mask)
{
	static const struct {
		uint32_t mask;
		const char *name;
	} names[] = {
		{T_INT | T_FLOAT, "a scalar number"},
		{T_SCALAR, "a scalar"},
		{T_BOOL, "a scalar bool"},
		{T_BOOLS, "a vector of bools"},
		{T_BOOL_LIKE, "a bool or a vector of bools"},
		{T_INT | T_UNSIGNED, "a scalar unsigned integer"},
		{T_INT_LIKE | T_UNSIGNED, "an unsigned integer or a vector of them"},
		{T_INT_LIKE | T_COOP_INT | T_UNSIGNED, "an unsigned integer or a vector of them"},
		{T_INTS | T_UNSIGNED, "a vector of unsigned integers"},
		{T_INT, "a scalar integer"},
		{T_INTS, "a vector of integers"},
		{T_INT_LIKE, "an integer or a vector of integers"},
		{T_INT_LIKE | T_COOP_INT, "an integer or a vector of integers"},
		{T_FLOAT, "a scalar float"},
		{T_FLOATS, "a vector of floats"},
		{T_FLOAT_LIKE, "a float or a vector of floats"},
		{T_FLOAT_LIKE | T_COOP_FLOAT, "a float or a vector of floats"},
		{T_INT_LIKE | T_FLOAT_LIKE, "a number or a vector of numbers"},
		{T_INTS | T_FLOATS, "a vector of numbers"},
		{T_VECTOR, "a vector"},
		{T_MATRIX, "a matrix"},
		{T_POINTER, "a pointer"},
		{T_STRUCT, "a structure"},
		{T_IMAGE, "an image"},
		{T_SAMPLER, "a sampler"},
		{T_SAMPLED_IMAGE, "a sampled image"},
		{T_ACCELERATION, "an acceleration structure"},
		{T_COOP, "a cooperative matrix"},
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (names[i].mask == mask)
			return names[i].name;
	return "of another type";
}

bool spv_operand_fails(struct val *v, const spv_inst *inst, uint32_t n, const char *what, const char *clause)
{
	return SPV_FAIL(v, inst, OPERAND_TYPE, clause, n, spv_op_name(inst->op), what);
}

bool spv_result_fails(struct val *v, const spv_inst *inst, const char *what, const char *clause)
{
	return SPV_FAIL(v, inst, RESULT_TYPE, clause, spv_op_name(inst->op), what);
}

static bool fits(const struct val *v, uint32_t type_id, uint32_t mask)
{
	uint32_t have = type(v, type_id)->mask;

	return (have & mask & T_KIND) && (!(mask & T_UNSIGNED) || (have & T_UNSIGNED) || !(have & (T_INT_LIKE | T_COOP_INT)));
}

bool spv_operand_is(struct val *v, const spv_inst *inst, uint32_t n, uint32_t mask)
{
	return fits(v, type_of(v, operand(v, inst, n)), mask) || spv_operand_fails(v, inst, n, spv_mask_name(mask), NULL);
}

bool spv_result_is(struct val *v, const spv_inst *inst, uint32_t type_id, uint32_t mask)
{
	return fits(v, type_id, mask) || spv_result_fails(v, inst, spv_mask_name(mask), NULL);
}

/* --- Classes of opcodes -------------------------------------------------- */

uint32_t spv_model(uint32_t model)
{
	if (model <= ExecutionModelKernel)
		return model;
	if (model <= ExecutionModelMeshNV)
		return 7 + model - ExecutionModelTaskNV;
	if (model <= ExecutionModelCallableKHR)
		return 9 + model - ExecutionModelRayGenerationKHR;
	return 15 + model - ExecutionModelTaskEXT;
}

bool spv_is_atomic(uint32_t op)
{
	return (op >= OpAtomicLoad && op <= OpAtomicXor) || op == OpAtomicFlagTestAndSet || op == OpAtomicFlagClear ||
	       op == OpAtomicFAddEXT || op == OpAtomicFMinEXT || op == OpAtomicFMaxEXT;
}

bool spv_is_group_non_uniform(uint32_t op)
{
	return (op >= OpGroupNonUniformElect && op <= OpGroupNonUniformQuadSwap) || op == OpGroupNonUniformRotateKHR;
}

static const char *set_name(const struct val *v, const spv_inst *inst, uint32_t *bytes)
{
	const spv_inst *import = inst->op == OpExtInst && inst->words > 4 ? def(v, word(v, inst, 3)) : NULL;

	*bytes = 0;
	return import ? spv_text(&v->module, import, 2, bytes) : "";
}

enum spv_set_name spv_set_of(struct val *v, const spv_inst *inst)
{
	uint32_t bytes;
	const char *name;

	if (v->import != word(v, inst, 3)) {
		name = set_name(v, inst, &bytes);
		v->import = word(v, inst, 3);
		v->set = spv_set_find(name, bytes);
	}
	return v->set;
}

bool spv_is_non_semantic(const struct val *v, const spv_inst *inst)
{
	uint32_t bytes;
	const char *name = set_name(v, inst, &bytes);

	return bytes > 12 && !memcmp(name, "NonSemantic.", 12);
}

bool spv_is_debug_info(const struct val *v, const spv_inst *inst)
{
	static const char names[3][36] = {"DebugInfo", "OpenCL.DebugInfo.100", "NonSemantic.Shader.DebugInfo.100"};
	uint32_t bytes;
	const char *name = set_name(v, inst, &bytes);

	for (int i = 0; bytes && i < 3; i++)
		if (bytes == strlen(names[i]) && !memcmp(name, names[i], bytes))
			return true;
	return false;
}

/* --- Constants and decorations ------------------------------------------- */

bool spv_constant(const struct val *v, uint32_t id, uint32_t *value)
{
	const spv_inst *inst = def(v, id);
	const struct spv_type *t = inst ? type(v, inst->type) : NULL;

	if (!inst || !(t->mask & T_INT) || t->width != 32 || !is_constant(inst->op) || is_spec_constant(inst->op))
		return false;
	*value = inst->op == OpConstant ? word(v, inst, 3) : 0;
	return true;
}

bool spv_integer(const struct val *v, uint32_t id, uint64_t *value)
{
	const spv_inst *inst = def(v, id);

	if (!inst || (inst->op != OpConstant && inst->op != OpSpecConstant) || !is(v, inst->type, T_INT))
		return false;
	*value = word(v, inst, 3);
	if (inst->words > 4)
		*value |= (uint64_t)word(v, inst, 4) << 32;
	return true;
}

const struct spv_decoration *spv_next_of_groups(const struct val *v, struct spv_decoration_walk *walk)
{
	const struct spv_decoration *d;

	for (;;) {
		if (!walk->at) {
			if (!walk->outer)
				return NULL;
			walk->at = walk->outer;
			walk->outer = 0;
			continue;
		}
		d = &v->decorations.at[walk->at - 1];
		walk->at = d->next;
		if (d->kind != SPV_GROUP) {
			walk->member = walk->inside ? walk->group_member : d->member;
			walk->inside = walk->inside && walk->at;
			return d;
		}
		/* Groups hold no groups: one level. */
		if (walk->inside)
			continue;
		walk->outer = d->next;
		walk->inside = v->decorated[d->param] != 0;
		walk->group_member = d->member;
		walk->at = v->decorated[d->param];
	}
}

const struct spv_decoration *spv_find_decoration(const struct val *v, uint32_t id, uint32_t kind, uint32_t member)
{
	struct spv_decoration_walk walk = spv_decorations(v, id);
	const struct spv_decoration *d;

	while ((d = spv_next_decoration(v, &walk)))
		if (d->kind == kind && (member == SPV_ANY || walk.member == member))
			return d;
	return NULL;
}

/* --- Collecting ---------------------------------------------------------- */

bool spv_only_models(struct val *v, const spv_inst *inst, uint32_t models, const char *clause)
{
	uint32_t others = v->function ? v->functions.at[v->function - 1].models & ~models : 0;

	if (!others)
		return true;
	return SPV_FAIL(v, inst, MODEL, clause, spv_op_name(inst->op));
}

bool spv_needs_derivatives(struct val *v, const spv_inst *inst)
{
	if (!spv_only_models(v, inst, M_FRAGMENT | M_COMPUTE, NULL))
		return false;
	if (v->function && v->functions.at[v->function - 1].lacks_derivatives)
		return SPV_FAIL(v, inst, DERIVATIVES, NULL, spv_op_name(inst->op));
	return true;
}

static void declare(struct val *v, uint32_t value)
{
	uint32_t capability = spv_capability_find(value);

	if (capability < HasCount)
		spv_declare(&v->capabilities, capability);
}

static bool named(const char *name, uint32_t bytes, const char *wanted)
{
	return bytes == strlen(wanted) && !memcmp(name, wanted, bytes);
}

/* Extensions beyond those that the grammar asks for somewhere: they change a rule. */
static void extend(struct val *v, const spv_inst *inst)
{
	uint32_t bytes, extension;
	const char *name = spv_text(&v->module, inst, 1, &bytes);

	extension = spv_extension_find(name, bytes);
	if (extension < ExtensionCount)
		spv_add(&v->extensions, extension);
	if (named(name, bytes, "SPV_AMD_gpu_shader_half_float") || named(name, bytes, "SPV_AMD_gpu_shader_half_float_fetch"))
		v->float16 = true;
	if (named(name, bytes, "SPV_AMD_gpu_shader_int16"))
		v->spec_uconvert = v->amd_int16 = true;
	if (named(name, bytes, "SPV_AMD_shader_ballot"))
		v->reduce_and_scan = true;
	if (named(name, bytes, "SPV_VALIDATOR_ignore_type_decl_unique"))
		v->ignore_unique = true;
	if (named(name, bytes, "SPV_KHR_non_semantic_info"))
		v->non_semantic = true;
	if (named(name, bytes, "SPV_KHR_physical_storage_buffer"))
		v->physical_storage = true;
}

static void derive(struct val *v)
{
	bool storage16 = has(v, HasStorageBuffer16BitAccess) || has(v, HasUniformAndStorageBuffer16BitAccess) ||
			 has(v, HasStoragePushConstant16) || has(v, HasStorageInputOutput16) ||
			 has(v, HasWorkgroupMemoryExplicitLayout16BitAccessKHR);

	v->shader = has(v, HasShader);
	v->kernel = has(v, HasKernel);
	v->reduce_and_scan |= v->kernel;
	v->int8 = has(v, HasInt8) || has(v, HasStorageBuffer8BitAccess) || has(v, HasUniformAndStorageBuffer8BitAccess) ||
		  has(v, HasStoragePushConstant8) || has(v, HasWorkgroupMemoryExplicitLayout8BitAccessKHR);
	v->int16 = has(v, HasInt16) || storage16;
	v->float16 |= has(v, HasFloat16) || has(v, HasFloat16Buffer) || storage16;
	v->free_rounding = storage16;
	v->variable_pointers = has(v, HasVariablePointers);
	v->any_variable_pointers = v->variable_pointers || has(v, HasVariablePointersStorageBuffer);
	v->spec_uconvert |= v->version >= 0x10400;
	if (v->shader)
		v->small = (has(v, HasInt16) ? 0 : T_HAS_INT16) | (has(v, HasInt8) ? 0 : T_HAS_INT8) |
			   (has(v, HasFloat16) ? 0 : T_HAS_FLOAT16);
}

static bool add_decoration(struct val *v, uint32_t id, uint32_t member, uint32_t inst, uint32_t at)
{
	const spv_inst *decorate = &v->module.insts[inst];
	struct spv_decoration *d;

	if (id >= v->module.id_count || at >= decorate->words)
		return true;
	d = GLC_PUSH(v->memory, &v->decorations);
	if (!d)
		return false;
	*d = (struct spv_decoration){.next = v->decorated[id], .member = member, .inst = inst,
		.kind = (uint16_t)word(v, decorate, at), .param = decorate->word + at + 1,
		.params = (uint16_t)(decorate->words - at - 1)};
	v->decorated_by[id] |= SPV_BIT(d->kind);
	v->decorated_all |= SPV_BIT(d->kind);
	v->decorated_far |= d->kind >= 64;
	v->decorated[id] = v->decorations.count;
	return true;
}

/* A group's decorations are not copied to each target: targets times decorations could be a lot. */
static bool add_group(struct val *v, uint32_t group, uint32_t id, uint32_t member, uint32_t inst)
{
	struct spv_decoration *d;

	if (id >= v->module.id_count || group >= v->module.id_count || id == group)
		return true;
	d = GLC_PUSH(v->memory, &v->decorations);
	if (!d)
		return false;
	*d = (struct spv_decoration){
		.next = v->decorated[id], .member = member, .inst = inst, .param = group, .kind = SPV_GROUP};
	v->decorated_by[id] = UINT64_MAX;
	v->decorated_far = true;
	v->decorated[id] = v->decorations.count;
	return true;
}

static bool collect_decoration(struct val *v, const spv_inst *inst, uint32_t index)
{
	bool more = true;

	switch (inst->op) {
	case OpDecorate: case OpDecorateId: case OpDecorateString:
		return inst->words < 3 || add_decoration(v, word(v, inst, 1), SPV_NO_MEMBER, index, 2);
	case OpMemberDecorate: case OpMemberDecorateString:
		return inst->words < 4 || add_decoration(v, word(v, inst, 1), word(v, inst, 2), index, 3);
	case OpGroupDecorate:
		for (uint32_t i = 2; i < inst->words && more; i++)
			more = add_group(v, word(v, inst, 1), word(v, inst, i), SPV_NO_MEMBER, index);
		break;
	case OpGroupMemberDecorate:
		for (uint32_t i = 2; i + 1 < inst->words && more; i += 2)
			more = add_group(v, word(v, inst, 1), word(v, inst, i), word(v, inst, i + 1), index);
		break;
	default:
		break;
	}
	return more;
}

bool spv_collect(struct val *v)
{
	for (uint32_t i = 0; i < v->module.inst_count; i++) {
		const spv_inst *inst = &v->module.insts[i];

		switch (inst->op) {
		case OpFunction:
			i = v->module.inst_count - 1;
			break;
		case OpCapability:
			declare(v, word(v, inst, 1));
			break;
		case OpExtension:
			extend(v, inst);
			break;
		case OpMemoryModel:
			if (!v->memory_models++)
				v->addressing = word(v, inst, 1), v->memory_model = word(v, inst, 2);
			break;
		case OpSamplerImageAddressingModeNV:
			v->bindless_bits = word(v, inst, 1);
			break;
		default:
			if (spv_is_annotation(inst->op) && !collect_decoration(v, inst, i))
				return false;
			break;
		}
	}
	derive(v);
	return true;
}
