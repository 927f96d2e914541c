/* SPDX-License-Identifier: MIT */
/* Decorations: on what they may be, and with which others. Source: SPIR-V 3.20; 2.16.2; Vulkan, StandaloneSpirv. */
#include "spirv/val/val.h"

static const char *name_of(uint32_t kind)
{
	const struct spv_enumerant *row = spv_enumerant_find(KindDecoration, kind);

	return row ? spv_string(row->name) : "a decoration";
}

static bool takes_ids(uint32_t kind)
{
	return kind == DecorationUniformId || kind == DecorationAlignmentId || kind == DecorationMaxByteOffsetId ||
	       kind == DecorationCounterBuffer;
}

static bool is_for_members_only(uint32_t kind)
{
	return kind == DecorationRowMajor || kind == DecorationColMajor || kind == DecorationMatrixStride;
}

static bool is_not_for_members(uint32_t kind)
{
	switch (kind) {
	case DecorationSpecId: case DecorationBlock: case DecorationBufferBlock: case DecorationArrayStride:
	case DecorationGLSLShared: case DecorationGLSLPacked: case DecorationCPacked: case DecorationAliased:
	case DecorationConstant: case DecorationUniform: case DecorationUniformId: case DecorationSaturatedConversion:
	case DecorationIndex: case DecorationBinding: case DecorationDescriptorSet: case DecorationFuncParamAttr:
	case DecorationFPRoundingMode: case DecorationFPFastMathMode: case DecorationLinkageAttributes:
	case DecorationNoContraction: case DecorationInputAttachmentIndex: case DecorationAlignment:
	case DecorationMaxByteOffset: case DecorationAlignmentId: case DecorationMaxByteOffsetId:
	case DecorationNoSignedWrap: case DecorationNoUnsignedWrap: case DecorationNonUniform:
	case DecorationRestrictPointer: case DecorationAliasedPointer: case DecorationCounterBuffer:
		return true;
	default:
		return false;
	}
}

static bool target(struct val *v, const spv_inst *inst, uint32_t kind, const char *what, const char *clause)
{
	return SPV_FAIL(v, inst, DECORATION_TARGET, clause, name_of(kind), what);
}

/* What kind of id a decoration is for. */
static bool check_target(struct val *v, const spv_inst *inst, uint32_t kind, const spv_inst *to)
{
	switch (kind) {
	case DecorationSpecId:
		return (to->op >= OpSpecConstantTrue && to->op <= OpSpecConstant) ||
		       target(v, inst, kind, "a scalar specialization constant", NULL);
	case DecorationBlock: case DecorationBufferBlock: case DecorationGLSLShared: case DecorationGLSLPacked:
	case DecorationCPacked:
		return to->op == OpTypeStruct || target(v, inst, kind, "a structure type", NULL);
	case DecorationArrayStride:
		return to->op == OpTypeArray || to->op == OpTypeRuntimeArray || to->op == OpTypePointer ||
		       target(v, inst, kind, "an array or a pointer type", NULL);
	case DecorationBuiltIn:
		if (v->shader && word(v, inst, 3) == BuiltInWorkgroupSize)
			return is_constant(to->op) || target(v, inst, kind, "a constant, being WorkgroupSize", NULL);
		return to->op == OpVariable || target(v, inst, kind, "a variable", NULL);
	case DecorationNoPerspective: case DecorationFlat: case DecorationPatch: case DecorationCentroid:
	case DecorationSample: case DecorationRestrict: case DecorationAliased: case DecorationVolatile:
	case DecorationCoherent: case DecorationNonWritable: case DecorationNonReadable: case DecorationXfbBuffer:
	case DecorationXfbStride: case DecorationComponent: case DecorationStream: case DecorationRestrictPointer:
	case DecorationAliasedPointer:
		return ((to->op == OpVariable || to->op == OpFunctionParameter) && is(v, to->type, T_POINTER)) ||
		       target(v, inst, kind, "a variable, or a parameter that is a pointer", NULL);
	case DecorationInvariant: case DecorationConstant: case DecorationLocation: case DecorationIndex:
	case DecorationBinding: case DecorationDescriptorSet: case DecorationInputAttachmentIndex:
		return to->op == OpVariable || target(v, inst, kind, "a variable", NULL);
	default:
		return true;
	}
}

/* In which storage class the target must be, in Vulkan. */
static bool check_storage(struct val *v, const spv_inst *inst, uint32_t kind, const spv_inst *to)
{
	const spv_inst *t = def(v, to->type);
	uint32_t storage = t && t->op == OpTypePointer ? word(v, t, 2) : StorageClassUniform;
	bool in_out = storage == StorageClassInput || storage == StorageClassOutput;

	switch (kind) {
	case DecorationLocation: case DecorationComponent:
		if (in_out || storage == StorageClassRayPayloadKHR || storage == StorageClassIncomingRayPayloadKHR ||
		    storage == StorageClassHitAttributeKHR || storage == StorageClassCallableDataKHR ||
		    storage == StorageClassIncomingCallableDataKHR || storage == StorageClassShaderRecordBufferKHR ||
		    storage == StorageClassHitObjectAttributeNV)
			return true;
		return target(v, inst, kind, "in Input, Output or a storage class of rays", "VUID-StandaloneSpirv-Location-06672");
	case DecorationIndex:
		return storage == StorageClassOutput || target(v, inst, kind, "in Output", NULL);
	case DecorationBinding: case DecorationDescriptorSet:
		return storage == StorageClassStorageBuffer || storage == StorageClassUniform || storage == StorageClassUniformConstant ||
		       target(v, inst, kind, "in StorageBuffer, Uniform or UniformConstant", "VUID-StandaloneSpirv-DescriptorSet-06491");
	case DecorationInputAttachmentIndex:
		return storage == StorageClassUniformConstant ||
		       target(v, inst, kind, "in UniformConstant", "VUID-StandaloneSpirv-InputAttachmentIndex-06678");
	case DecorationFlat: case DecorationNoPerspective: case DecorationCentroid: case DecorationSample:
		return in_out || target(v, inst, kind, "in Input or Output", "VUID-StandaloneSpirv-Flat-04670");
	case DecorationPerVertexKHR:
		return storage == StorageClassInput || target(v, inst, kind, "in Input", "VUID-StandaloneSpirv-PerVertexKHR-06777");
	default:
		return true;
	}
}

static bool check_member_target(struct val *v, const spv_inst *inst, uint32_t structure_id, uint32_t member)
{
	const spv_inst *structure = def(v, structure_id);

	if (!structure || structure->op != OpTypeStruct)
		return SPV_FAIL(v, inst, STRUCTURE_TARGET, NULL, spv_op_name(inst->op));
	return member < member_count(structure) || SPV_FAIL(v, inst, MEMBER_RANGE, NULL, member, member_count(structure));
}

static bool check_decorate(struct val *v, const spv_inst *inst)
{
	const spv_inst *to = def(v, word(v, inst, 1));
	uint32_t kind = word(v, inst, 2);

	if (v->vulkan && (kind == DecorationGLSLShared || kind == DecorationGLSLPacked))
		return target(v, inst, kind, "not for Vulkan", "VUID-StandaloneSpirv-GLSLShared-04669");
	if (takes_ids(kind))
		return SPV_FAIL(v, inst, DECORATE_FORM, NULL, name_of(kind));
	if (to->op == OpDecorationGroup)
		return true;
	if (is_for_members_only(kind))
		return target(v, inst, kind, "a member of a structure", NULL);
	return check_target(v, inst, kind, to) && (!v->vulkan || check_storage(v, inst, kind, to));
}

bool spv_check_annotation(struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpDecorate:
		return check_decorate(v, inst);
	case OpDecorateId:
		return takes_ids(word(v, inst, 2)) || SPV_FAIL(v, inst, DECORATE_FORM, NULL, name_of(word(v, inst, 2)));
	case OpMemberDecorate:
		if (!check_member_target(v, inst, word(v, inst, 1), word(v, inst, 2)))
			return false;
		return !is_not_for_members(word(v, inst, 3)) || target(v, inst, word(v, inst, 3), "no member of a structure", NULL);
	case OpGroupDecorate:
		if (op_of(v, word(v, inst, 1)) != OpDecorationGroup)
			return SPV_FAIL(v, inst, GROUP, NULL);
		for (uint32_t i = 2; i < inst->words; i++)
			if (op_of(v, word(v, inst, i)) == OpDecorationGroup)
				return SPV_FAIL(v, inst, GROUP, NULL);
		return true;
	case OpGroupMemberDecorate:
		if (op_of(v, word(v, inst, 1)) != OpDecorationGroup)
			return SPV_FAIL(v, inst, GROUP, NULL);
		for (uint32_t i = 2; i + 1 < inst->words; i += 2)
			if (!check_member_target(v, inst, word(v, inst, i), word(v, inst, i + 1)))
				return false;
		return true;
	default:
		return true;
	}
}

/* --- With everything known ----------------------------------------------- */

static const spv_inst *place_of(const struct val *v, const struct spv_decoration *d)
{
	return &v->module.insts[d->inst];
}

/* A buffer's block or a storage image: what NonWritable is for. */
static bool is_buffer_pointer(const struct val *v, uint32_t pointer)
{
	return v->flags[pointer] & (ID_UNIFORM_BLOCK | ID_STORAGE_BLOCK | ID_STORAGE_IMAGE);
}

static bool check_non_writable(struct val *v, const spv_inst *inst, const spv_inst *to)
{
	uint32_t storage = to->op == OpVariable ? word(v, to, 3) : UINT32_MAX;
	bool own = storage == StorageClassFunction || storage == StorageClassPrivate;

	if (to->op != OpVariable && to->op != OpFunctionParameter)
		return target(v, inst, DecorationNonWritable, "a variable or a parameter", NULL);
	return (own && v->version >= 0x10400) || is_buffer_pointer(v, to->type) ||
	       target(v, inst, DecorationNonWritable, "a buffer, a storage image or, from SPIR-V 1.4 on, in Private or Function", NULL);
}

static bool check_component(struct val *v, const spv_inst *inst, const spv_inst *to, const struct spv_decoration *d,
			    uint32_t member)
{
	uint32_t t = to->type, component = param(v, d, 0), sum;
	const struct spv_type *at;

	if (member != SPV_NO_MEMBER) {
		if (to->op != OpTypeStruct || member >= member_count(to))
			return true;
		t = word(v, to, 2 + member);
	} else if (is(v, t, T_POINTER)) {
		t = type(v, t)->inner;
	}
	if (!v->vulkan)
		return true;
	if (is(v, t, T_ARRAY))
		t = type(v, t)->inner;
	at = type(v, t);
	if (!(at->mask & (T_INT_LIKE | T_FLOAT_LIKE)))
		return target(v, inst, d->kind, "a scalar or a vector", "VUID-StandaloneSpirv-Component-04924");
	sum = component + at->dim * (at->width == 64 ? 2u : 1u);
	if (component > 3 || (at->width != 8 && sum > 4) || (at->width == 64 && (at->dim > 2 || component % 2)))
		return target(v, inst, d->kind, "of components that fit into a location", "VUID-StandaloneSpirv-Component-04920 to -04923");
	return true;
}

static bool check_wrap(struct val *v, const spv_inst *inst, const spv_inst *to, uint32_t kind)
{
	return to->op == OpIAdd || to->op == OpISub || to->op == OpIMul || to->op == OpShiftLeftLogical ||
	       to->op == OpSNegate || to->op == OpExtInst || target(v, inst, kind, "integer arithmetic", NULL);
}

/* Kinds that check_one knows. */
#define OF_ONE                                                                                                      \
	(SPV_BIT(DecorationComponent) | SPV_BIT(DecorationFPRoundingMode) | SPV_BIT(DecorationNonWritable) |        \
	 SPV_BIT(DecorationUniform) | SPV_BIT(DecorationUniformId) | SPV_BIT(DecorationNoSignedWrap) |              \
	 SPV_BIT(DecorationNoUnsignedWrap) | SPV_BIT(DecorationBlock) | SPV_BIT(DecorationBufferBlock) |            \
	 SPV_BIT(DecorationLocation) | SPV_BIT(DecorationRelaxedPrecision) | SPV_BIT(DecorationCoherent) |          \
	 SPV_BIT(DecorationVolatile))

static bool check_one(struct val *v, const struct spv_decoration *d, const spv_inst *to, uint32_t member)
{
	const spv_inst *inst = place_of(v, d);
	bool of_struct = member != SPV_NO_MEMBER && to->op == OpTypeStruct;

	switch (d->kind) {
	case DecorationComponent:
		return check_component(v, inst, to, d, member);
	case DecorationFPRoundingMode:
		if (!v->shader)
			return true;
		if (to->op != OpFConvert)
			return target(v, inst, d->kind, "OpFConvert", NULL);
		return !v->vulkan || param(v, d, 0) <= FPRoundingModeRTZ ||
		       target(v, inst, d->kind, "RTE or RTZ", "VUID-StandaloneSpirv-FPRoundingMode-04675");
	case DecorationNonWritable:
		return member != SPV_NO_MEMBER || check_non_writable(v, inst, to);
	case DecorationUniform: case DecorationUniformId:
		if (!to->type || is(v, to->type, T_VOID))
			return target(v, inst, d->kind, "an object", NULL);
		return d->kind == DecorationUniform || spv_check_execution_scope(v, inst, param(v, d, 0));
	case DecorationNoSignedWrap: case DecorationNoUnsignedWrap:
		return check_wrap(v, inst, to, d->kind);
	case DecorationBlock: case DecorationBufferBlock:
		return to->op == OpTypeStruct || target(v, inst, d->kind, "a structure type", NULL);
	case DecorationLocation:
		return to->op == OpVariable || of_struct || target(v, inst, d->kind, "a variable or a member", NULL);
	case DecorationRelaxedPrecision:
		return !is_type_op(to->op) || of_struct || target(v, inst, d->kind, "no type", NULL);
	case DecorationCoherent: case DecorationVolatile:
		return v->memory_model != MemoryModelVulkan ||
		       target(v, inst, d->kind, "not used with the Vulkan memory model", NULL);
	default:
		return true;
	}
}

/* What an id, or a member, has once, or not together with another: bits. */
enum { SEEN_OFFSET = 1, SEEN_MATRIX_STRIDE = 2, SEEN_ROW = 4, SEEN_COLUMN = 8, SEEN_ARRAY_STRIDE = 16, SEEN_BLOCK = 32,
       SEEN_BUFFER_BLOCK = 64, SEEN_RESTRICT = 128, SEEN_ALIASED = 256 };

static const struct {
	uint16_t kind, bit, excludes;
	bool member, once;
} singles[] = {
	{DecorationOffset, SEEN_OFFSET, 0, true, true},
	{DecorationMatrixStride, SEEN_MATRIX_STRIDE, 0, true, true},
	{DecorationRowMajor, SEEN_ROW, SEEN_COLUMN, true, true},
	{DecorationColMajor, SEEN_COLUMN, SEEN_ROW, true, true},
	{DecorationArrayStride, SEEN_ARRAY_STRIDE, 0, false, true},
	{DecorationBlock, SEEN_BLOCK, SEEN_BUFFER_BLOCK, false, false},
	{DecorationBufferBlock, SEEN_BUFFER_BLOCK, SEEN_BLOCK, false, false},
	{DecorationRestrict, SEEN_RESTRICT, SEEN_ALIASED, false, false},
	{DecorationAliased, SEEN_ALIASED, SEEN_RESTRICT, false, false},
};

#define SINGLES                                                                                                     \
	(SPV_BIT(DecorationOffset) | SPV_BIT(DecorationMatrixStride) | SPV_BIT(DecorationRowMajor) |                \
	 SPV_BIT(DecorationColMajor) | SPV_BIT(DecorationArrayStride) | SPV_BIT(DecorationBlock) |                  \
	 SPV_BIT(DecorationBufferBlock) | SPV_BIT(DecorationRestrict) | SPV_BIT(DecorationAliased))

static bool check_single(struct val *v, const struct spv_decoration *d, uint16_t *seen)
{
	if (!(SPV_BIT(d->kind) & SINGLES))
		return true;
	for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++) {
		if (singles[i].kind != d->kind || singles[i].member != (d->member != SPV_NO_MEMBER))
			continue;
		if (singles[i].once && (*seen & singles[i].bit))
			return SPV_FAIL(v, place_of(v, d), DECORATED_TWICE, NULL, name_of(d->kind));
		if (*seen & singles[i].excludes)
			return SPV_FAIL(v, place_of(v, d), EXCLUSIVE, NULL, name_of(d->kind));
		*seen |= singles[i].bit;
	}
	return true;
}

/* One pass over the chain, with a mark for each member. */
static bool check_pairs(struct val *v, const spv_inst *to)
{
	uint32_t members = to->op == OpTypeStruct ? member_count(to) : 0;
	struct glc_mark mark = glc_bump_mark(v->memory);
	uint16_t *seen = glc_bump_zero(v->memory, (members + 1) * sizeof *seen);
	bool good = true;

	if (!seen) {
		v->out_of_memory = true;
		return false;
	}
	for (uint32_t at = v->decorated[to->id]; at && good; at = v->decorations.at[at - 1].next) {
		const struct spv_decoration *d = &v->decorations.at[at - 1];
		uint32_t index = d->member == SPV_NO_MEMBER ? 0 : d->member + 1;

		if (index <= members)
			good = check_single(v, d, &seen[index]);
	}
	glc_bump_release(v->memory, mark);
	return good;
}

static bool is_imported(const struct val *v, uint32_t id)
{
	const struct spv_decoration *d = spv_decoration(v, id, DecorationLinkageAttributes, SPV_ANY);

	return d && d->params >= 2 && param(v, d, d->params - 1u) == LinkageTypeImport;
}

static void check_linkage(struct val *v)
{
	for (uint32_t i = 0; i < v->functions.count; i++) {
		const struct spv_function *f = &v->functions.at[i];

		if (f->defined == is_imported(v, f->id))
			SPV_FAIL(v, &v->module.insts[f->first], LINKAGE, NULL,
				 f->defined ? "a definition is not imported" : "a declaration is imported");
	}
}

static void check_id(struct val *v, uint32_t id)
{
	const spv_inst *to = def(v, id);
	struct spv_decoration_walk walk = spv_decorations(v, id);
	const struct spv_decoration *d;

	if (!to || to->op == OpDecorationGroup || (v->flags[id] & ID_BROKEN))
		return;
	if (to->op == OpVariable && to->words == 5 && is_imported(v, id))
		SPV_FAIL(v, to, LINKAGE, NULL, "an imported variable has no initializer");
	while (may_have(v, id, OF_ONE) && (d = spv_next_decoration(v, &walk)))
		if (!check_one(v, d, to, walk.member))
			return;
	if (may_have(v, id, SINGLES))
		check_pairs(v, to);
}

/* A rounding mode is for what is stored, and then as 16 bits. SPIR-V 3.20, FPRoundingMode. */
static void check_rounded_use(struct val *v, const spv_inst *inst, uint32_t offset, uint32_t id)
{
	uint32_t pointer, storage;
	const struct spv_type *t;

	if (inst->op == OpFConvert || spv_is_debug(inst->op) || spv_is_annotation(inst->op) || spv_is_non_semantic(v, inst) ||
	    op_of(v, id) != OpFConvert || !decorated(v, id, DecorationFPRoundingMode))
		return;
	pointer = inst->op == OpStore ? type_of(v, word(v, inst, 1)) : 0;
	storage = pointer_class(v, pointer);
	t = type(v, type(v, pointer)->inner);
	if (inst->op == OpStore && offset == 2 && (t->mask & T_FLOAT_LIKE) && t->width == 16 &&
	    (storage == StorageClassStorageBuffer || storage == StorageClassUniform || storage == StorageClassPushConstant ||
	     storage == StorageClassInput || storage == StorageClassOutput || storage == StorageClassPhysicalStorageBuffer))
		return;
	target(v, inst, DecorationFPRoundingMode, "stored as 16 bits", NULL);
}

static void check_rounding(struct val *v)
{
	bool any = v->decorated_all & SPV_BIT(DecorationFPRoundingMode);

	for (uint32_t i = 0; any && v->shader && i < v->module.inst_count; i++) {
		const spv_inst *inst = &v->module.insts[i];

		for (uint32_t k = 0; k < inst->operand_count; k++)
			if (v->module.operands[inst->operands + k].kind == KindIdRef)
				check_rounded_use(v, inst, v->module.operands[inst->operands + k].offset, operand(v, inst, k));
	}
}

void spv_check_decorations(struct val *v)
{
	for (uint32_t id = 1; id < v->module.id_count && v->decorations.count; id++)
		if ((v->decorated_by[id] & (OF_ONE | SINGLES | SPV_BIT(DecorationLinkageAttributes))) &&
		    v->diag->errors < v->most_errors)
			check_id(v, id);
	check_linkage(v);
	check_rounding(v);
}
