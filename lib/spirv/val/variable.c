/* SPDX-License-Identifier: MIT */
/* Variables: what may lie in which storage class. Source: SPIR-V 3.49.8, OpVariable; Vulkan, StandaloneSpirv. */
#include "spirv/val/val.h"

/* A bool where the outside sees it; in Input and Output structures with built-ins do not count, which no other holds. */
static bool has_bool(const struct val *v, uint32_t id, bool skip_built_in)
{
	bool holds = type(v, id)->mask & (uint32_t)T_HAS_BOOL;

	while (holds && is(v, id, T_ARRAY | T_RUNTIME_ARRAY))
		id = type(v, id)->inner;
	return holds && !(skip_built_in && is(v, id, T_STRUCT) && decorated(v, id, DecorationBuiltIn));
}

static bool is_internal(uint32_t storage)
{
	switch (storage) {
	case StorageClassWorkgroup: case StorageClassCrossWorkgroup: case StorageClassPrivate: case StorageClassFunction:
	case StorageClassRayPayloadKHR: case StorageClassIncomingRayPayloadKHR: case StorageClassHitAttributeKHR:
	case StorageClassCallableDataKHR: case StorageClassIncomingCallableDataKHR:
	case StorageClassTaskPayloadWorkgroupEXT: case StorageClassHitObjectAttributeNV:
		return true;
	default:
		return false;
	}
}

static bool check_initializer(struct val *v, const spv_inst *inst, uint32_t pointee, uint32_t storage)
{
	const spv_inst *init = def(v, word(v, inst, 4));
	bool variable = init->op == OpVariable && word(v, init, 3) != StorageClassFunction;

	if (!variable && !is_constant(init->op))
		return SPV_FAIL(v, inst, INITIALIZER, NULL, "is no constant and no variable of the module");
	if (init->type != pointee)
		return SPV_FAIL(v, inst, INITIALIZER, NULL, "has another type than the variable");
	if (v->vulkan && storage == StorageClassWorkgroup && init->op != OpConstantNull)
		return SPV_FAIL(v, inst, INITIALIZER, "VUID-StandaloneSpirv-OpVariable-04734", "is not OpConstantNull, in Workgroup");
	if (storage == StorageClassInput || storage == StorageClassTaskPayloadWorkgroupEXT ||
	    storage == StorageClassHitObjectAttributeNV)
		return SPV_FAIL(v, inst, INITIALIZER, NULL, "is not possible in this storage class");
	if (v->vulkan && storage != StorageClassWorkgroup && storage != StorageClassOutput &&
	    storage != StorageClassPrivate && storage != StorageClassFunction)
		return SPV_FAIL(v, inst, INITIALIZER, "VUID-StandaloneSpirv-OpVariable-04651", "is not possible in this storage class");
	return true;
}

static bool type_or_array_of(const struct val *v, uint32_t id, uint32_t mask)
{
	return is(v, id, mask) || (is(v, id, T_ARRAY | T_RUNTIME_ARRAY) && is(v, type(v, id)->inner, mask));
}

static bool check_vulkan(struct val *v, const spv_inst *inst, uint32_t pointee, uint32_t storage)
{
	uint32_t opaque = T_IMAGE | T_SAMPLER | T_SAMPLED_IMAGE | T_ACCELERATION;

	if (storage == StorageClassPushConstant && !is(v, pointee, T_STRUCT))
		return SPV_FAIL(v, inst, VARIABLE_TYPE, "VUID-StandaloneSpirv-PushConstant-06808", "a structure");
	if (storage == StorageClassUniformConstant && !type_or_array_of(v, pointee, opaque))
		return SPV_FAIL(v, inst, VARIABLE_TYPE, "VUID-StandaloneSpirv-UniformConstant-04655",
				"an image, a sampler, an acceleration structure, or an array of one");
	if ((storage == StorageClassUniform || storage == StorageClassStorageBuffer) && !type_or_array_of(v, pointee, T_STRUCT))
		return SPV_FAIL(v, inst, VARIABLE_TYPE, "VUID-StandaloneSpirv-Uniform-06807", "a structure or an array of one");
	if (storage != StorageClassInput && storage != StorageClassOutput &&
	    (decorated(v, inst->id, DecorationInvariant) ||
	     (is(v, pointee, T_STRUCT) && decorated(v, pointee, DecorationInvariant))))
		return SPV_FAIL(v, inst, DECORATION_TARGET, "VUID-StandaloneSpirv-Invariant-04677", "Invariant", "in Input or Output");
	return true;
}

/* Arrays without a length, in Vulkan. Source: VUID-StandaloneSpirv-OpTypeRuntimeArray-04680. */
static bool check_runtime_array(struct val *v, const spv_inst *inst, uint32_t pointee, uint32_t storage)
{
	const spv_inst *t = def(v, pointee);
	bool found = false;

	if (is(v, pointee, T_RUNTIME_ARRAY)) {
		if (has(v, HasRuntimeDescriptorArray) &&
		    (storage == StorageClassStorageBuffer || storage == StorageClassUniform || storage == StorageClassUniformConstant))
			return true;
		return SPV_FAIL(v, inst, RUNTIME_ARRAY, "VUID-StandaloneSpirv-OpTypeRuntimeArray-04680");
	}
	if (!is(v, pointee, T_STRUCT) || !(type(v, pointee)->mask & T_HAS_RUNTIME_ARRAY))
		return true;
	for (uint32_t i = 2; i < t->words && !found; i++)
		found = is(v, word(v, t, i), T_RUNTIME_ARRAY);
	if (!found || (storage == StorageClassStorageBuffer && decorated(v, pointee, DecorationBlock)) ||
	    (storage == StorageClassPhysicalStorageBuffer && decorated(v, pointee, DecorationBlock)) ||
	    (storage == StorageClassUniform && decorated(v, pointee, DecorationBufferBlock)))
		return true;
	return SPV_FAIL(v, inst, RUNTIME_ARRAY, "VUID-StandaloneSpirv-OpTypeRuntimeArray-04680");
}

static bool check_pointers(struct val *v, const spv_inst *inst, uint32_t pointee, uint32_t storage)
{
	uint32_t base = pointee;
	bool aliased, restricted;

	if (v->addressing == AddressingModelLogical && !v->options.relax_logical_pointer && is(v, pointee, T_POINTER) &&
	    (!has(v, HasVariablePointersStorageBuffer) ||
	     (storage != StorageClassFunction && storage != StorageClassPrivate)))
		return SPV_FAIL(v, inst, POINTER_VARIABLE, NULL);
	while (is(v, base, T_ARRAY))
		base = type(v, base)->inner;
	if (pointer_class(v, base) != StorageClassPhysicalStorageBuffer)
		return true;
	aliased = decorated(v, inst->id, DecorationAliasedPointer);
	restricted = decorated(v, inst->id, DecorationRestrictPointer);
	return aliased != restricted || SPV_FAIL(v, inst, POINTER_ALIASING, NULL, "AliasedPointer", "RestrictPointer");
}

/* Which capability lets 8- and 16-bit numbers lie in a storage class. */
static const struct {
	uint32_t storage;
	uint16_t wide, narrow;   /* for 16 and for 8 bits; HasCount: none does */
} small_storage[] = {
	{StorageClassStorageBuffer, HasStorageBuffer16BitAccess, HasStorageBuffer8BitAccess},
	{StorageClassPhysicalStorageBuffer, HasStorageBuffer16BitAccess, HasStorageBuffer8BitAccess},
	{StorageClassUniform, HasUniformAndStorageBuffer16BitAccess, HasUniformAndStorageBuffer8BitAccess},
	{StorageClassPushConstant, HasStoragePushConstant16, HasStoragePushConstant8},
	{StorageClassInput, HasStorageInputOutput16, HasCount},
	{StorageClassOutput, HasStorageInputOutput16, HasCount},
	{StorageClassWorkgroup, HasWorkgroupMemoryExplicitLayout16BitAccessKHR,
	 HasWorkgroupMemoryExplicitLayout8BitAccessKHR},
};

static bool check_small(struct val *v, const spv_inst *inst, uint32_t pointee, uint32_t storage, bool narrow)
{
	uint32_t t = pointee;

	for (uint32_t steps = 0; is(v, t, T_POINTER) && steps < 64; steps++) {
		storage = pointer_class(v, t);
		t = type(v, t)->inner;
	}
	for (size_t i = 0; i < sizeof small_storage / sizeof small_storage[0]; i++) {
		uint32_t needed = narrow ? small_storage[i].narrow : small_storage[i].wide;

		if (small_storage[i].storage != storage || needed == HasCount)
			continue;
		if (has(v, needed))
			return true;
		if (storage == StorageClassUniform) {
			if (is(v, t, T_ARRAY | T_RUNTIME_ARRAY))
				t = type(v, t)->inner;
			if (has(v, narrow ? HasStorageBuffer8BitAccess : HasStorageBuffer16BitAccess) &&
			    decorated(v, t, DecorationBufferBlock))
				return true;
		}
	}
	return SPV_FAIL(v, inst, SMALL_VARIABLE, NULL, narrow ? 8 : 16);
}

bool spv_check_variable(struct val *v, const spv_inst *inst)
{
	uint32_t storage = word(v, inst, 3), pointee = type(v, inst->type)->inner;
	bool in_out = storage == StorageClassInput || storage == StorageClassOutput;
	uint32_t mask = type(v, pointee)->mask & v->small;

	if (!spv_result_is(v, inst, inst->type, T_POINTER))
		return false;
	if (storage != pointer_class(v, inst->type))
		return spv_result_fails(v, inst, "a pointer in the variable's storage class", NULL);
	if (storage == StorageClassGeneric || storage == StorageClassPhysicalStorageBuffer)
		return SPV_FAIL(v, inst, STORAGE_CLASS, NULL, "OpVariable");
	if ((v->function != 0) != (storage == StorageClassFunction))
		return SPV_FAIL(v, inst, VARIABLE_PLACE, NULL);
	if (!is_internal(storage) && !(in_out && decorated(v, inst->id, DecorationBuiltIn)) && has_bool(v, pointee, in_out))
		return SPV_FAIL(v, inst, BOOL_VARIABLE, in_out ? "VUID-StandaloneSpirv-Input-07290" : NULL);
	if (inst->words > 4 && !check_initializer(v, inst, pointee, storage))
		return false;
	if (v->vulkan && (!check_vulkan(v, inst, pointee, storage) || !check_runtime_array(v, inst, pointee, storage)))
		return false;
	if (!check_pointers(v, inst, pointee, storage))
		return false;
	if ((type(v, pointee)->mask & T_HAS_COOP) && storage != StorageClassFunction && storage != StorageClassPrivate)
		return SPV_FAIL(v, inst, COOPERATIVE, NULL, "such variables are in Function or Private");
	if ((mask & (T_HAS_INT16 | T_HAS_FLOAT16)) && !check_small(v, inst, pointee, storage, false))
		return false;
	return !(mask & T_HAS_INT8) || check_small(v, inst, pointee, storage, true);
}
