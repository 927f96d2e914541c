/* SPDX-License-Identifier: MIT */
/*
 * Scopes, memory semantics, barriers, atomics and operations of groups.
 *
 * Source: SPIR-V 3.27, 3.25, 3.49.18 to 3.49.21; Vulkan, StandaloneSpirv.
 */
#include "spirv/val/val.h"

/* --- Scopes -------------------------------------------------------------- */

static bool scope_fails(struct val *v, const spv_inst *inst, const char *what, const char *clause)
{
	return SPV_FAIL(v, inst, SCOPE, clause, spv_op_name(inst->op), what);
}

bool spv_check_scope(struct val *v, const spv_inst *inst, uint32_t scope)
{
	const struct spv_type *t = value_type(v, scope);
	uint32_t value;

	if (!(t->mask & T_INT) || t->width != 32)
		return scope_fails(v, inst, "a 32-bit integer", NULL);
	if (!spv_constant(v, scope, &value)) {
		bool matrices = has(v, HasCooperativeMatrixNV);

		if (v->shader && !(matrices && is_constant(op_of(v, scope))))
			return scope_fails(v, inst, "an OpConstant", NULL);
		return true;
	}
	return value <= ScopeShaderCallKHR || scope_fails(v, inst, "one of the scopes", NULL);
}

bool spv_check_execution_scope(struct val *v, const spv_inst *inst, uint32_t scope)
{
	bool group = spv_is_group_non_uniform(inst->op);
	uint32_t value;

	if (!spv_check_scope(v, inst, scope))
		return false;
	if (!spv_constant(v, scope, &value))
		return true;
	if (v->vulkan) {
		if (v->options.env != GLACIER_SPIRV_VULKAN_1_0 && group && value != ScopeSubgroup)
			return scope_fails(v, inst, "Subgroup", "VUID-StandaloneSpirv-None-04642");
		if (inst->op == OpControlBarrier && value != ScopeSubgroup &&
		    !spv_only_models(v, inst, M_ALL & ~(M_FRAGMENT | M_VERTEX | M_GEOMETRY | M_EVALUATION | M_RAY_GENERATION |
						       M_INTERSECTION | M_ANY_HIT | M_CLOSEST_HIT | M_MISS),
				     "VUID-StandaloneSpirv-OpControlBarrier-04682"))
			return false;
		if (value == ScopeWorkgroup && !spv_only_models(v, inst, M_GROUPS | M_CONTROL, "VUID-StandaloneSpirv-None-04637"))
			return false;
		if (value != ScopeWorkgroup && value != ScopeSubgroup)
			return scope_fails(v, inst, "Workgroup or Subgroup", "VUID-StandaloneSpirv-None-04636");
	}
	return !group || value == ScopeSubgroup || value == ScopeWorkgroup || scope_fails(v, inst, "Workgroup or Subgroup", NULL);
}

bool spv_check_memory_scope(struct val *v, const spv_inst *inst, uint32_t scope)
{
	uint32_t value;

	if (!spv_check_scope(v, inst, scope))
		return false;
	if (!spv_constant(v, scope, &value))
		return true;
	if (value == ScopeQueueFamily)
		return has(v, HasVulkanMemoryModel) || scope_fails(v, inst, "not QueueFamily without VulkanMemoryModel", NULL);
	if (value == ScopeDevice && has(v, HasVulkanMemoryModel) && !has(v, HasVulkanMemoryModelDeviceScope))
		return scope_fails(v, inst, "not Device without VulkanMemoryModelDeviceScope", NULL);
	if (!v->vulkan)
		return true;
	if (value == ScopeCrossDevice)
		return scope_fails(v, inst, "not CrossDevice", "VUID-StandaloneSpirv-None-04638");
	if (v->options.env == GLACIER_SPIRV_VULKAN_1_0 && value == ScopeSubgroup && !has(v, HasSubgroupBallotKHR) &&
	    !has(v, HasSubgroupVoteKHR))
		return scope_fails(v, inst, "not Subgroup", "VUID-StandaloneSpirv-SubgroupVoteKHR-06997");
	if (value == ScopeShaderCallKHR && !spv_only_models(v, inst, M_RAY, "VUID-StandaloneSpirv-None-04640"))
		return false;
	if (value != ScopeWorkgroup)
		return true;
	if (!spv_only_models(v, inst, M_GROUPS | M_CONTROL, "VUID-StandaloneSpirv-None-07321"))
		return false;
	return v->memory_model != MemoryModelGLSL450 ||
	       spv_only_models(v, inst, M_ALL & ~M_CONTROL, "VUID-StandaloneSpirv-ExecutionModel-07320");
}

/* --- Memory semantics ---------------------------------------------------- */

enum {
	ACQUIRE = MemorySemanticsAcquireMask, RELEASE = MemorySemanticsReleaseMask,
	BOTH = MemorySemanticsAcquireReleaseMask, SEQUENTIAL = MemorySemanticsSequentiallyConsistentMask,
	ORDERS = ACQUIRE | RELEASE | BOTH | SEQUENTIAL,
	AVAILABLE = MemorySemanticsMakeAvailableMask, VISIBLE = MemorySemanticsMakeVisibleMask,
	VULKAN_MEMORIES = MemorySemanticsUniformMemoryMask | MemorySemanticsWorkgroupMemoryMask |
			  MemorySemanticsImageMemoryMask | MemorySemanticsOutputMemoryMask,
	MEMORIES = VULKAN_MEMORIES | MemorySemanticsSubgroupMemoryMask | MemorySemanticsCrossWorkgroupMemoryMask |
		   MemorySemanticsAtomicCounterMemoryMask,
};

static bool semantics_fail(struct val *v, const spv_inst *inst, const char *what, const char *clause)
{
	return SPV_FAIL(v, inst, SEMANTICS, clause, spv_op_name(inst->op), what);
}

static bool check_model_bits(struct val *v, const spv_inst *inst, uint32_t value)
{
	bool vulkan = has(v, HasVulkanMemoryModel);
	uint32_t needs = AVAILABLE | VISIBLE | MemorySemanticsOutputMemoryMask | MemorySemanticsVolatileMask;

	if (v->memory_model == MemoryModelVulkan && (value & SEQUENTIAL))
		return semantics_fail(v, inst, "not SequentiallyConsistent with the Vulkan memory model", NULL);
	if ((value & needs) && !vulkan)
		return semantics_fail(v, inst, "of the Vulkan memory model, whose capability is not declared", NULL);
	if ((value & MemorySemanticsVolatileMask) && !spv_is_atomic(inst->op))
		return semantics_fail(v, inst, "not Volatile", NULL);
	if ((value & MemorySemanticsUniformMemoryMask) && !v->shader)
		return semantics_fail(v, inst, "not UniformMemory without Shader", NULL);
	if ((value & (AVAILABLE | VISIBLE)) && !(value & MEMORIES))
		return semantics_fail(v, inst, "of a storage class that is made available or visible", NULL);
	if ((value & VISIBLE) && !(value & (ACQUIRE | BOTH)))
		return semantics_fail(v, inst, "Acquire or AcquireRelease with MakeVisible", NULL);
	if ((value & AVAILABLE) && !(value & (RELEASE | BOTH)))
		return semantics_fail(v, inst, "Release or AcquireRelease with MakeAvailable", NULL);
	return true;
}

static bool check_vulkan_bits(struct val *v, const spv_inst *inst, uint32_t value, uint32_t scope)
{
	uint32_t where;

	if (inst->op == OpMemoryBarrier && !(value & ORDERS))
		return semantics_fail(v, inst, "an order", "VUID-StandaloneSpirv-OpMemoryBarrier-04732");
	if (inst->op != OpMemoryBarrier && (value & ORDERS) && spv_constant(v, scope, &where) && where == ScopeInvocation)
		return semantics_fail(v, inst, "None in the scope Invocation", "VUID-StandaloneSpirv-None-04641");
	if (inst->op == OpMemoryBarrier && !(value & VULKAN_MEMORIES))
		return semantics_fail(v, inst, "of a storage class", "VUID-StandaloneSpirv-OpMemoryBarrier-04733");
	if (inst->op == OpAtomicLoad && (value & (RELEASE | BOTH | SEQUENTIAL)))
		return semantics_fail(v, inst, "Acquire or none", "VUID-StandaloneSpirv-OpAtomicLoad-04731");
	if (inst->op == OpAtomicStore && (value & (ACQUIRE | BOTH | SEQUENTIAL)))
		return semantics_fail(v, inst, "Release or none", "VUID-StandaloneSpirv-OpAtomicStore-04730");
	/* What the specification says beyond spirv-val 2023.1. */
	if (!v->compat && (value & SEQUENTIAL))
		return semantics_fail(v, inst, "not SequentiallyConsistent", "VUID-StandaloneSpirv-MemorySemantics-10866");
	if (!v->compat && inst->op == OpControlBarrier && (value & ORDERS) && !(value & VULKAN_MEMORIES))
		return semantics_fail(v, inst, "of a storage class, with an order", "VUID-StandaloneSpirv-MemorySemantics-10870");
	return true;
}

static bool check_semantics(struct val *v, const spv_inst *inst, uint32_t n, uint32_t scope)
{
	uint32_t id = operand(v, inst, n), value, orders;
	const struct spv_type *t = value_type(v, id);

	if (!(t->mask & T_INT) || t->width != 32)
		return semantics_fail(v, inst, "a 32-bit integer", NULL);
	if (!spv_constant(v, id, &value)) {
		if (v->shader && !(has(v, HasCooperativeMatrixNV) && is_constant(op_of(v, id))))
			return semantics_fail(v, inst, "an OpConstant", NULL);
		return true;
	}
	orders = value & ORDERS;
	if (orders & (orders - 1))
		return semantics_fail(v, inst, "one order at most", NULL);
	if (!check_model_bits(v, inst, value))
		return false;
	if (v->vulkan && !check_vulkan_bits(v, inst, value, scope))
		return false;
	if (inst->op == OpAtomicFlagClear && (value & (ACQUIRE | BOTH)))
		return semantics_fail(v, inst, "Release or none", NULL);
	if (inst->op == OpAtomicCompareExchange && n == 5 && (value & (RELEASE | BOTH)))
		return semantics_fail(v, inst, "no Release where it is unequal", NULL);
	return true;
}

/* --- Barriers ------------------------------------------------------------ */

bool spv_check_barrier(struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpControlBarrier:
		if (v->version < 0x10300 &&
		    !spv_only_models(v, inst, M_CONTROL | M_COMPUTE | M_KERNEL | M_TASK_NV | M_MESH_NV, NULL))
			return false;
		return spv_check_execution_scope(v, inst, word(v, inst, 1)) && spv_check_memory_scope(v, inst, word(v, inst, 2)) &&
		       check_semantics(v, inst, 2, word(v, inst, 2));
	case OpMemoryBarrier:
		return spv_check_memory_scope(v, inst, word(v, inst, 1)) && check_semantics(v, inst, 1, word(v, inst, 1));
	case OpMemoryNamedBarrier:
		return spv_check_memory_scope(v, inst, word(v, inst, 2)) && check_semantics(v, inst, 2, word(v, inst, 2));
	default:
		return true;
	}
}

/* --- Atomics ------------------------------------------------------------- */

static bool is_atomic_class(const struct val *v, uint32_t storage)
{
	switch (storage) {
	case StorageClassUniform: case StorageClassStorageBuffer: case StorageClassWorkgroup: case StorageClassImage:
	case StorageClassPhysicalStorageBuffer: case StorageClassTaskPayloadWorkgroupEXT:
		return true;
	case StorageClassCrossWorkgroup: case StorageClassGeneric: case StorageClassAtomicCounter:
		return !(v->shader && v->vulkan);
	case StorageClassFunction:
		return !v->shader;
	default:
		return false;
	}
}

static bool has_atomic_float(const struct val *v, uint32_t op, uint32_t width)
{
	if (op == OpAtomicFAddEXT)
		return has(v, width == 16 ? HasAtomicFloat16AddEXT : width == 32 ? HasAtomicFloat32AddEXT : HasAtomicFloat64AddEXT);
	return has(v, width == 16 ? HasAtomicFloat16MinMaxEXT : width == 32 ? HasAtomicFloat32MinMaxEXT : HasAtomicFloat64MinMaxEXT);
}

static uint32_t atomic_result(uint32_t op)
{
	switch (op) {
	case OpAtomicFAddEXT: case OpAtomicFMinEXT: case OpAtomicFMaxEXT: return T_FLOAT;
	case OpAtomicLoad: case OpAtomicExchange: return T_INT | T_FLOAT;
	case OpAtomicFlagTestAndSet: return T_BOOL;
	default: return T_INT;
	}
}

static bool check_atomic_pointer(struct val *v, const spv_inst *inst, uint32_t n)
{
	uint32_t pointer = type_of(v, operand(v, inst, n)), data = type(v, pointer)->inner;
	const struct spv_type *t = type(v, data);

	if (!spv_operand_is(v, inst, n, T_POINTER))
		return false;
	if ((t->mask & T_INT) && t->width == 64 && !has(v, HasInt64Atomics))
		return SPV_FAIL(v, inst, CAPABILITY, NULL, "an atomic operation on 64 bits", "Int64Atomics");
	if (!is_atomic_class(v, pointer_class(v, pointer)))
		return spv_operand_fails(v, inst, n, "in a storage class with atomic operations",
					 v->vulkan ? "VUID-StandaloneSpirv-None-04686" : NULL);
	if (v->shader && atomic_result(inst->op) == T_FLOAT && !has_atomic_float(v, inst->op, type(v, inst->type)->width))
		return SPV_FAIL(v, inst, CAPABILITY, NULL, spv_op_name(inst->op), "AtomicFloat of this width");
	if (inst->op == OpAtomicFlagTestAndSet || inst->op == OpAtomicFlagClear)
		return ((t->mask & T_INT) && t->width == 32) || spv_operand_fails(v, inst, n, "a pointer to a 32-bit integer", NULL);
	if (inst->op == OpAtomicStore)
		return (t->mask & (T_INT | T_FLOAT)) || spv_operand_fails(v, inst, n, "a pointer to a scalar number", NULL);
	return data == inst->type || spv_operand_fails(v, inst, n, "a pointer to the result's type", NULL);
}

static bool takes_value(uint32_t op)
{
	return op != OpAtomicLoad && op != OpAtomicIIncrement && op != OpAtomicIDecrement && op != OpAtomicFlagTestAndSet &&
	       op != OpAtomicFlagClear;
}

bool spv_check_atomic(struct val *v, const spv_inst *inst)
{
	bool result = inst->type != 0, compare = inst->op == OpAtomicCompareExchange || inst->op == OpAtomicCompareExchangeWeak;
	uint32_t n = result ? 2 : 0, scope, data, equal, unequal;

	if (result && !spv_result_is(v, inst, inst->type, atomic_result(inst->op)))
		return false;
	if (!check_atomic_pointer(v, inst, n))
		return false;
	data = result ? inst->type : type(v, type_of(v, operand(v, inst, n)))->inner;
	scope = operand(v, inst, ++n);
	if (!spv_check_memory_scope(v, inst, scope) || !check_semantics(v, inst, ++n, scope))
		return false;
	if (compare) {
		if (!check_semantics(v, inst, ++n, scope))
			return false;
		if (spv_constant(v, operand(v, inst, n - 1), &equal) && spv_constant(v, operand(v, inst, n), &unequal) &&
		    ((equal ^ unequal) & MemorySemanticsVolatileMask))
			return semantics_fail(v, inst, "Volatile in both cases or in none", NULL);
	}
	for (uint32_t i = 0; takes_value(inst->op) && i < 1u + compare; i++)
		if (type_of(v, operand(v, inst, ++n)) != data)
			return spv_operand_fails(v, inst, n, "of the type pointed to", NULL);
	return true;
}

/* --- Groups -------------------------------------------------------------- */

enum { ANY_NUMBER = T_INT_LIKE | T_FLOAT_LIKE | T_BOOL_LIKE };

/*
 * What each asks of its result, its value and what comes behind it. spirv-val 2023.1 checks
 * two of them alone; the rest is the specification's.
 */
static const struct {
	uint16_t op;
	uint8_t value;               /* the operand that is the value; 0: none */
	uint32_t result;
	bool same;                   /* the value has the result's type */
	uint32_t mask;               /* of the value, when it has not */
} groups[] = {
	{OpGroupNonUniformElect, 0, T_BOOL, false, 0},
	{OpGroupNonUniformAll, 3, T_BOOL, true, 0},
	{OpGroupNonUniformAny, 3, T_BOOL, true, 0},
	{OpGroupNonUniformAllEqual, 3, T_BOOL, false, ANY_NUMBER},
	{OpGroupNonUniformBroadcast, 3, ANY_NUMBER, true, 0},
	{OpGroupNonUniformBroadcastFirst, 3, ANY_NUMBER, true, 0},
	{OpGroupNonUniformBallot, 3, T_INTS | T_UNSIGNED, false, T_BOOL},
	{OpGroupNonUniformInverseBallot, 3, T_BOOL, false, T_INTS | T_UNSIGNED},
	{OpGroupNonUniformBallotBitExtract, 3, T_BOOL, false, T_INTS | T_UNSIGNED},
	{OpGroupNonUniformBallotFindLSB, 3, T_INT | T_UNSIGNED, false, T_INTS | T_UNSIGNED},
	{OpGroupNonUniformBallotFindMSB, 3, T_INT | T_UNSIGNED, false, T_INTS | T_UNSIGNED},
	{OpGroupNonUniformShuffle, 3, ANY_NUMBER, true, 0},
	{OpGroupNonUniformShuffleXor, 3, ANY_NUMBER, true, 0},
	{OpGroupNonUniformShuffleUp, 3, ANY_NUMBER, true, 0},
	{OpGroupNonUniformShuffleDown, 3, ANY_NUMBER, true, 0},
	{OpGroupNonUniformIAdd, 4, T_INT_LIKE, true, 0}, {OpGroupNonUniformFAdd, 4, T_FLOAT_LIKE, true, 0},
	{OpGroupNonUniformIMul, 4, T_INT_LIKE, true, 0}, {OpGroupNonUniformFMul, 4, T_FLOAT_LIKE, true, 0},
	{OpGroupNonUniformSMin, 4, T_INT_LIKE, true, 0}, {OpGroupNonUniformUMin, 4, T_INT_LIKE, true, 0},
	{OpGroupNonUniformFMin, 4, T_FLOAT_LIKE, true, 0}, {OpGroupNonUniformSMax, 4, T_INT_LIKE, true, 0},
	{OpGroupNonUniformUMax, 4, T_INT_LIKE, true, 0}, {OpGroupNonUniformFMax, 4, T_FLOAT_LIKE, true, 0},
	{OpGroupNonUniformBitwiseAnd, 4, T_INT_LIKE, true, 0}, {OpGroupNonUniformBitwiseOr, 4, T_INT_LIKE, true, 0},
	{OpGroupNonUniformBitwiseXor, 4, T_INT_LIKE, true, 0},
	{OpGroupNonUniformLogicalAnd, 4, T_BOOL_LIKE, true, 0}, {OpGroupNonUniformLogicalOr, 4, T_BOOL_LIKE, true, 0},
	{OpGroupNonUniformLogicalXor, 4, T_BOOL_LIKE, true, 0},
	{OpGroupNonUniformQuadBroadcast, 3, ANY_NUMBER, true, 0}, {OpGroupNonUniformQuadSwap, 3, ANY_NUMBER, true, 0},
};

static bool check_bit_count(struct val *v, const spv_inst *inst)
{
	const struct spv_type *t = value_type(v, operand(v, inst, 4));

	if (!spv_result_is(v, inst, inst->type, T_INT | T_UNSIGNED))
		return false;
	if (!(t->mask & T_INTS) || !(t->mask & T_UNSIGNED) || t->dim != 4)
		return spv_operand_fails(v, inst, 4, "a vector of four unsigned integers", NULL);
	return !v->vulkan || operand(v, inst, 3) <= GroupOperationExclusiveScan ||
	       spv_operand_fails(v, inst, 3, "Reduce, InclusiveScan or ExclusiveScan",
				 "VUID-StandaloneSpirv-OpGroupNonUniformBallotBitCount-04685");
}

static bool check_rotate(struct val *v, const spv_inst *inst)
{
	uint64_t size;

	if (!spv_result_is(v, inst, inst->type, ANY_NUMBER))
		return false;
	if (type_of(v, operand(v, inst, 3)) != inst->type)
		return spv_operand_fails(v, inst, 3, "of the result's type", NULL);
	if (!spv_operand_is(v, inst, 4, T_INT | T_UNSIGNED))
		return false;
	if (operand_count(inst) <= 5)
		return true;
	return spv_operand_is(v, inst, 5, T_INT | T_UNSIGNED) &&
	       (spv_integer(v, operand(v, inst, 5), &size) || spv_operand_fails(v, inst, 5, "a constant", NULL));
}

bool spv_check_group(struct val *v, const spv_inst *inst)
{
	if (!spv_check_execution_scope(v, inst, word(v, inst, 3)))
		return false;
	if (inst->op == OpGroupNonUniformBallotBitCount)
		return check_bit_count(v, inst);
	if (inst->op == OpGroupNonUniformRotateKHR)
		return check_rotate(v, inst);
	for (size_t i = 0; i < sizeof groups / sizeof groups[0] && !v->compat; i++) {
		if (groups[i].op != inst->op)
			continue;
		if (!spv_result_is(v, inst, inst->type, groups[i].result))
			return false;
		if (groups[i].same && type_of(v, operand(v, inst, groups[i].value)) != inst->type)
			return spv_operand_fails(v, inst, groups[i].value, "of the result's type", NULL);
		return !groups[i].mask || spv_operand_is(v, inst, groups[i].value, groups[i].mask);
	}
	return true;
}
