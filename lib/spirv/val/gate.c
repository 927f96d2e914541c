/* SPDX-License-Identifier: MIT */
/*
 * What allows an instruction or an operand: capabilities, extensions, versions, and the
 * lists of capabilities that each Vulkan knows.
 *
 * Source: the grammar's tables; Vulkan, appendix "Vulkan Environment for SPIR-V".
 */
#include "spirv/val/val.h"

#include <stdio.h>

/* The first Vulkan version that knows a capability without an extension; the others: never. */
static const struct {
	uint16_t capability;
	uint8_t minor;
} vulkan_capabilities[] = {
	{CapabilityMatrix, 0}, {CapabilityShader, 0}, {CapabilityInputAttachment, 0}, {CapabilitySampled1D, 0},
	{CapabilityImage1D, 0}, {CapabilitySampledBuffer, 0}, {CapabilityImageBuffer, 0}, {CapabilityImageQuery, 0},
	{CapabilityDerivativeControl, 0}, {CapabilityGeometry, 0}, {CapabilityTessellation, 0}, {CapabilityFloat64, 0},
	{CapabilityInt64, 0}, {CapabilityInt16, 0}, {CapabilityTessellationPointSize, 0},
	{CapabilityGeometryPointSize, 0}, {CapabilityImageGatherExtended, 0}, {CapabilityStorageImageMultisample, 0},
	{CapabilityUniformBufferArrayDynamicIndexing, 0}, {CapabilitySampledImageArrayDynamicIndexing, 0},
	{CapabilityStorageBufferArrayDynamicIndexing, 0}, {CapabilityStorageImageArrayDynamicIndexing, 0},
	{CapabilityClipDistance, 0}, {CapabilityCullDistance, 0}, {CapabilityImageCubeArray, 0},
	{CapabilitySampleRateShading, 0}, {CapabilitySparseResidency, 0}, {CapabilityMinLod, 0},
	{CapabilitySampledCubeArray, 0}, {CapabilityImageMSArray, 0}, {CapabilityStorageImageExtendedFormats, 0},
	{CapabilityInterpolationFunction, 0}, {CapabilityStorageImageReadWithoutFormat, 0},
	{CapabilityStorageImageWriteWithoutFormat, 0}, {CapabilityMultiViewport, 0}, {CapabilityInt64Atomics, 0},
	{CapabilityTransformFeedback, 0}, {CapabilityGeometryStreams, 0}, {CapabilityFloat16, 0}, {CapabilityInt8, 0},
	{CapabilityDeviceGroup, 1}, {CapabilityMultiView, 1}, {CapabilityGroupNonUniform, 1},
	{CapabilityGroupNonUniformVote, 1}, {CapabilityGroupNonUniformArithmetic, 1},
	{CapabilityGroupNonUniformBallot, 1}, {CapabilityGroupNonUniformShuffle, 1},
	{CapabilityGroupNonUniformShuffleRelative, 1}, {CapabilityGroupNonUniformClustered, 1},
	{CapabilityGroupNonUniformQuad, 1}, {CapabilityDrawParameters, 1}, {CapabilityStorageUniformBufferBlock16, 1},
	{CapabilityStorageUniform16, 1}, {CapabilityStoragePushConstant16, 1}, {CapabilityStorageInputOutput16, 1},
	{CapabilityVariablePointersStorageBuffer, 1}, {CapabilityVariablePointers, 1}, {CapabilityShaderNonUniform, 2},
	{CapabilityDenormPreserve, 2}, {CapabilityDenormFlushToZero, 2}, {CapabilitySignedZeroInfNanPreserve, 2},
	{CapabilityRoundingModeRTE, 2}, {CapabilityRoundingModeRTZ, 2}, {CapabilityVulkanMemoryModel, 2},
	{CapabilityVulkanMemoryModelDeviceScope, 2}, {CapabilityStorageBuffer8BitAccess, 2},
	{CapabilityUniformAndStorageBuffer8BitAccess, 2}, {CapabilityStoragePushConstant8, 2},
	{CapabilityShaderViewportIndex, 2}, {CapabilityShaderLayer, 2}, {CapabilityPhysicalStorageBufferAddresses, 2},
	{CapabilityRuntimeDescriptorArray, 2}, {CapabilityUniformTexelBufferArrayDynamicIndexing, 2},
	{CapabilityStorageTexelBufferArrayDynamicIndexing, 2}, {CapabilityUniformBufferArrayNonUniformIndexing, 2},
	{CapabilitySampledImageArrayNonUniformIndexing, 2}, {CapabilityStorageBufferArrayNonUniformIndexing, 2},
	{CapabilityStorageImageArrayNonUniformIndexing, 2}, {CapabilityInputAttachmentArrayNonUniformIndexing, 2},
	{CapabilityUniformTexelBufferArrayNonUniformIndexing, 2},
	{CapabilityStorageTexelBufferArrayNonUniformIndexing, 2},
	{CapabilityDotProductInputAll, 3}, {CapabilityDotProductInput4x8Bit, 3},
	{CapabilityDotProductInput4x8BitPacked, 3}, {CapabilityDotProduct, 3}, {CapabilityDemoteToHelperInvocation, 3},
};

/* The Vulkan version of an environment; SPIR-V's own has none. */
static int vulkan_minor(enum glacier_spirv_env env)
{
	switch (env) {
	case GLACIER_SPIRV_VULKAN_1_0: return 0;
	case GLACIER_SPIRV_VULKAN_1_1: case GLACIER_SPIRV_VULKAN_1_1_SPIRV_1_4: return 1;
	case GLACIER_SPIRV_VULKAN_1_2: return 2;
	case GLACIER_SPIRV_VULKAN_1_3: return 3;
	default: return -1;
	}
}

static bool check_capability(struct val *v, const spv_inst *inst)
{
	uint32_t capability = word(v, inst, 1);
	const struct spv_enumerant *row = spv_enumerant_find(KindCapability, capability);
	const struct spv_need *need = spv_need_at(row->need);
	int minor_version = vulkan_minor(v->options.env);

	/* spirv-val 2023.1 has no lists for these two. */
	if (minor_version < 0 || (v->compat && (v->options.env == GLACIER_SPIRV_VULKAN_1_3 ||
						v->options.env == GLACIER_SPIRV_VULKAN_1_1_SPIRV_1_4)))
		return true;
	for (size_t i = 0; i < sizeof vulkan_capabilities / sizeof vulkan_capabilities[0]; i++)
		if (vulkan_capabilities[i].capability == capability && vulkan_capabilities[i].minor <= minor_version)
			return true;
	if (need->extension_count && spv_has_any_extension(&v->extensions, need->extensions, need->extension_count))
		return true;
	return SPV_FAIL(v, inst, ENV_CAPABILITY, NULL, spv_string(row->name), glacier_spirv_env_name(v->options.env));
}

static bool check_capabilities(struct val *v, const spv_inst *inst, const char *name, const struct spv_need *need)
{
	char names[256];

	if (spv_has_any_capability(&v->capabilities, need->capabilities, need->capability_count))
		return true;
	spv_capability_names(names, sizeof names, need->capabilities, need->capability_count);
	/* Reported once: the rest of the module is judged as if it were declared. */
	spv_declare_needed(&v->capabilities, need);
	return SPV_FAIL(v, inst, CAPABILITY, NULL, name, names);
}

static bool needs_extension(struct val *v, const spv_inst *inst, const char *name, const struct spv_need *need)
{
	char names[256];

	spv_extension_names(names, sizeof names, need->extensions, need->extension_count);
	spv_add_needed(&v->extensions, need);
	return SPV_FAIL(v, inst, EXTENSION, NULL, name, names);
}

static uint32_t version_of(uint8_t minor_version)
{
	return 0x10000u | (uint32_t)minor_version << 8;
}

static bool check_operand_version(struct val *v, const spv_inst *inst, const char *name, const struct spv_need *need)
{
	bool reserved = need->from == SPV_NEVER;

	if (need->last != SPV_NEVER && version_of(need->last) < v->version)
		return SPV_FAIL(v, inst, REMOVED, NULL, name, need->last);
	if (!reserved && version_of(need->from) <= v->version)
		return true;
	if (!need->extension_count)
		return reserved || SPV_FAIL(v, inst, VERSION, NULL, name, need->from);
	return spv_has_any_extension(&v->extensions, need->extensions, need->extension_count) ||
	       needs_extension(v, inst, name, need);
}

/* Values that are free although the grammar asks for something. */
static bool is_free(const struct val *v, uint8_t kind, uint32_t value)
{
	switch (kind) {
	case KindBuiltIn:
		/* Vulkan: what declares them need not use them. */
		return value == BuiltInPointSize || value == BuiltInClipDistance || value == BuiltInCullDistance;
	case KindFPRoundingMode:
		return v->free_rounding;
	case KindGroupOperation:
		return v->reduce_and_scan && value <= GroupOperationExclusiveScan;
	case KindDecoration:
		return value == DecorationFPRoundingMode && v->free_rounding;
	default:
		return false;
	}
}

enum { PASSED_VALUE = 1, PASSED_OP = 2 };

/* passed: a place for the pair of kind and value, once nothing can refuse it any more; NULL: none. */
static bool check_value(struct val *v, const spv_inst *inst, uint8_t kind, uint32_t value, uint32_t *passed)
{
	const struct spv_enumerant *row = spv_enumerant_find((enum spv_kind)kind, value);
	const struct spv_need *need;
	const char *name;
	bool whole = false;

	if (row && passed && (v->passed[row->need] & PASSED_VALUE))
		*passed = (uint32_t)kind << 16 | value;
	if (!row || !row->need || (v->passed[row->need] & PASSED_VALUE) || is_free(v, kind, value))
		return true;
	need = spv_need_at(row->need);
	name = spv_string(row->name);
	if (kind == KindDecoration && value == DecorationFPRoundingMode) {
		/* Vulkan allows it with the 16-bit storage capabilities, which is_free saw. */
		if (v->vulkan)
			return SPV_FAIL(v, inst, CAPABILITY, NULL, name,
					"StorageUniformBufferBlock16 StorageUniform16 StoragePushConstant16 "
					"StorageInputOutput16");
	} else if (inst->op != OpCapability) {
		if (!check_capabilities(v, inst, name, need))
			return false;
		whole = true;
	}
	if (!check_operand_version(v, inst, name, need))
		return false;
	/* Nothing declares or takes back anything now: the next one needs no look. */
	if (whole) {
		v->passed[row->need] |= PASSED_VALUE;
		if (passed)
			*passed = (uint32_t)kind << 16 | value;
	}
	return true;
}

static bool check_op(struct val *v, const spv_inst *inst, const struct spv_op_row *row)
{
	const struct spv_need *need = spv_need_at(row->need);
	const char *name = spv_string(row->name);
	bool reserved = need->from == SPV_NEVER;
	bool ballot = inst->op >= OpGroupIAddNonUniformAMD && inst->op <= OpGroupSMaxNonUniformAMD;

	if (!(ballot && v->reduce_and_scan) && !check_capabilities(v, inst, name, need))
		return false;
	if (need->last != SPV_NEVER && version_of(need->last) < v->version)
		return SPV_FAIL(v, inst, REMOVED, NULL, name, need->last);
	/* The capability stands for the version, but here an extension without one brought it. */
	if (need->capability_count && inst->op != OpTerminateInvocation)
		return true;
	if (!reserved && version_of(need->from) <= v->version)
		return true;
	if (need->extension_count)
		return spv_has_any_extension(&v->extensions, need->extensions, need->extension_count) ||
		       needs_extension(v, inst, name, need);
	return reserved ? SPV_FAIL(v, inst, RESERVED, NULL, name) : SPV_FAIL(v, inst, VERSION, NULL, name, need->from);
}

/* Extensions that say of themselves which version they are written against; what they bring does not say it again. */
static bool check_extension(struct val *v, const spv_inst *inst)
{
	uint32_t bytes;
	const char *name = spv_text(&v->module, inst, 1, &bytes);
	uint32_t extension = spv_extension_find(name, bytes);

	return v->version >= version_of(4) ||
	       (extension != SPV_EXT_mesh_shader && extension != SPV_KHR_workgroup_memory_explicit_layout) ||
	       SPV_FAIL(v, inst, VERSION, NULL, name, 4u);
}

static bool check_limits(struct val *v, const spv_inst *inst)
{
	if (inst->op == OpTypeStruct && member_count(inst) > v->options.max_struct_members)
		return SPV_FAIL(v, inst, LIMIT, NULL, "members of a structure", v->options.max_struct_members);
	if (inst->op == OpSwitch && (operand_count(inst) - 2) / 2 > v->options.max_switch_branches)
		return SPV_FAIL(v, inst, LIMIT, NULL, "branches of OpSwitch", v->options.max_switch_branches);
	return true;
}

bool spv_check_gate(struct val *v, const spv_inst *inst)
{
	const struct spv_op_row *row = spv_op_find(inst->op);
	const struct glacier_spirv_operand *operands = v->module.operands + inst->operands;

	if (inst->op == OpCapability && !check_capability(v, inst))
		return false;
	if (inst->op == OpExtension && !check_extension(v, inst))
		return false;
	/* Reserved though they are listed. */
	if (inst->op >= OpImageSparseSampleProjImplicitLod && inst->op <= OpImageSparseSampleProjDrefExplicitLod)
		return SPV_FAIL(v, inst, RESERVED, NULL, spv_string(row->name));
	if (row->need && (!(v->passed[row->need] & PASSED_OP) || inst->op == OpTerminateInvocation)) {
		if (!check_op(v, inst, row))
			return false;
		/* Two exceptions look at the opcode itself. */
		if (inst->op != OpTerminateInvocation && !v->reduce_and_scan)
			v->passed[row->need] |= PASSED_OP;
	}
	for (uint32_t i = 0; i < inst->operand_count; i++) {
		uint8_t kind = operands[i].kind;
		uint32_t value;

		if (kind >= KindIdResultType || operands[i].words != SPV_NEEDS)
			continue;
		value = word(v, inst, operands[i].offset);
		if (spv_category(kind) == SPV_VALUE) {
			uint32_t pair = (uint32_t)kind << 16 | value, *passed = &v->passed_values[(value ^ kind << 2) % 64];

			if (*passed == pair && value <= UINT16_MAX)
				continue;
			if (!check_value(v, inst, kind, value, passed))
				return false;
			continue;
		}
		for (; value; value &= value - 1)
			if (!check_value(v, inst, kind, value & -value, NULL))
				return false;
	}
	return check_limits(v, inst);
}

/* --- The header ---------------------------------------------------------- */

static const struct {
	char name[20];
	uint32_t version;
	bool vulkan;
} environments[GLACIER_SPIRV_ENV_COUNT] = {
	[GLACIER_SPIRV_VULKAN_1_3] = {"vulkan1.3", 0x10600, true},
	[GLACIER_SPIRV_VULKAN_1_2] = {"vulkan1.2", 0x10500, true},
	[GLACIER_SPIRV_VULKAN_1_1_SPIRV_1_4] = {"vulkan1.1spv1.4", 0x10400, true},
	[GLACIER_SPIRV_VULKAN_1_1] = {"vulkan1.1", 0x10300, true},
	[GLACIER_SPIRV_VULKAN_1_0] = {"vulkan1.0", 0x10000, true},
	[GLACIER_SPIRV_UNIVERSAL_1_0] = {"spv1.0", 0x10000, false},
	[GLACIER_SPIRV_UNIVERSAL_1_1] = {"spv1.1", 0x10100, false},
	[GLACIER_SPIRV_UNIVERSAL_1_2] = {"spv1.2", 0x10200, false},
	[GLACIER_SPIRV_UNIVERSAL_1_3] = {"spv1.3", 0x10300, false},
	[GLACIER_SPIRV_UNIVERSAL_1_4] = {"spv1.4", 0x10400, false},
	[GLACIER_SPIRV_UNIVERSAL_1_5] = {"spv1.5", 0x10500, false},
	[GLACIER_SPIRV_UNIVERSAL_1_6] = {"spv1.6", 0x10600, false},
};

const char *glacier_spirv_env_name(enum glacier_spirv_env env)
{
	return (unsigned)env < GLACIER_SPIRV_ENV_COUNT ? environments[env].name : NULL;
}

enum glacier_spirv_env glacier_spirv_env_find(const char *name)
{
	unsigned env = 0;

	while (env < GLACIER_SPIRV_ENV_COUNT && strcmp(environments[env].name, name))
		env++;
	return (enum glacier_spirv_env)env;
}

bool spv_check_header(struct val *v)
{
	const struct glacier_spirv *module = &v->module;

	v->version = module->version;
	v->vulkan = environments[v->options.env].vulkan;
	/* 2.3: the first and the last byte are 0. */
	if ((module->version & 0xff0000ff) || module->version < 0x10000 || module->version > 0x10600) {
		glc_fail(v->diag, GLC_SV_HEADER_VERSION, 1, module->version);
		return false;
	}
	if (module->version > environments[v->options.env].version) {
		glc_fail(v->diag, GLC_SV_ENV_VERSION, 1, minor(v), environments[v->options.env].name);
		return false;
	}
	if (module->bound > v->options.max_id_bound) {
		glc_fail(v->diag, GLC_SV_BOUND, 3, module->bound, v->options.max_id_bound);
		return false;
	}
	if (module->schema && !v->compat) {
		glc_fail(v->diag, GLC_SV_SCHEMA, 4, module->schema);
		return false;
	}
	return true;
}
