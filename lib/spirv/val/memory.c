/* SPDX-License-Identifier: MIT */
/* Loads, stores, copies and pointers into objects. Source: SPIR-V 3.49.8; 2.16.1. */
#include "spirv/val/val.h"

/* What gives a pointer under logical addressing; with variable pointers more does. */
static bool is_logical_pointer(const struct val *v, uint32_t op)
{
	switch (op) {
	case OpVariable: case OpAccessChain: case OpInBoundsAccessChain: case OpFunctionParameter:
	case OpImageTexelPointer: case OpCopyObject:
		return true;
	case OpSelect: case OpPhi: case OpFunctionCall: case OpPtrAccessChain: case OpLoad: case OpConstantNull:
		return v->any_variable_pointers;
	default:
		return false;
	}
}

static bool check_pointer(struct val *v, const spv_inst *inst, uint32_t n)
{
	uint32_t id = operand(v, inst, n);

	if (v->addressing == AddressingModelLogical && !is_logical_pointer(v, op_of(v, id)))
		return spv_operand_fails(v, inst, n, "a logical pointer", NULL);
	return spv_operand_is(v, inst, n, T_POINTER);
}

/* --- Memory operands ----------------------------------------------------- */

static bool may_be_shared(uint32_t storage)
{
	switch (storage) {
	case StorageClassUniform: case StorageClassWorkgroup: case StorageClassCrossWorkgroup: case StorageClassGeneric:
	case StorageClassImage: case StorageClassStorageBuffer: case StorageClassPhysicalStorageBuffer:
	case UINT32_MAX:
		return true;
	default:
		return false;
	}
}

static uint32_t mask_operands(uint32_t mask)
{
	return 1 + !!(mask & MemoryAccessAlignedMask) + !!(mask & MemoryAccessMakePointerAvailableMask) +
	       !!(mask & MemoryAccessMakePointerVisibleMask);
}

struct access {
	uint32_t target, source;   /* storage classes; UINT32_MAX: none */
	bool loads, stores;
};

static bool check_scope_of(struct val *v, const spv_inst *inst, uint32_t n, uint32_t mask, uint32_t bit)
{
	return spv_check_memory_scope(v, inst, operand(v, inst, n + mask_operands(mask & (bit | (bit - 1))) - 1));
}

static bool check_access(struct val *v, const spv_inst *inst, uint32_t n, const struct access *a)
{
	bool physical = a->target == StorageClassPhysicalStorageBuffer || a->source == StorageClassPhysicalStorageBuffer;
	uint32_t mask = n < operand_count(inst) ? operand(v, inst, n) : 0;

	if ((mask & MemoryAccessMakePointerAvailableMask) &&
	    (a->loads || !(mask & MemoryAccessNonPrivatePointerMask)))
		return SPV_FAIL(v, inst, MEMORY_OPERAND, NULL, "MakePointerAvailable is for stores, with NonPrivatePointer");
	if ((mask & MemoryAccessMakePointerAvailableMask) &&
	    !check_scope_of(v, inst, n, mask, MemoryAccessMakePointerAvailableMask))
		return false;
	if ((mask & MemoryAccessMakePointerVisibleMask) &&
	    (a->stores || !(mask & MemoryAccessNonPrivatePointerMask)))
		return SPV_FAIL(v, inst, MEMORY_OPERAND, NULL, "MakePointerVisible is for loads, with NonPrivatePointer");
	if ((mask & MemoryAccessMakePointerVisibleMask) &&
	    !check_scope_of(v, inst, n, mask, MemoryAccessMakePointerVisibleMask))
		return false;
	if ((mask & MemoryAccessNonPrivatePointerMask) && (!may_be_shared(a->target) || !may_be_shared(a->source)))
		return SPV_FAIL(v, inst, MEMORY_OPERAND, NULL, "NonPrivatePointer is for memory that others see");
	if (physical && !(mask & MemoryAccessAlignedMask))
		return SPV_FAIL(v, inst, MEMORY_OPERAND, "VUID-StandaloneSpirv-PhysicalStorageBuffer64-04708",
				"PhysicalStorageBuffer needs Aligned");
	return true;
}

/* --- Loads and stores ---------------------------------------------------- */

static bool is_plain(const struct val *v, uint32_t id)
{
	return is(v, id, T_INT | T_FLOAT | T_INTS | T_FLOATS | T_BOOLS | T_MATRIX | T_POINTER);
}

static bool check_load(struct val *v, const spv_inst *inst)
{
	uint32_t pointer = type_of(v, word(v, inst, 3));
	struct access access = {pointer_class(v, pointer), UINT32_MAX, true, false};

	if (!check_pointer(v, inst, 2))
		return false;
	if (type(v, pointer)->inner != inst->type)
		return spv_result_fails(v, inst, "of the type pointed to", NULL);
	if (!v->options.before_hlsl_legalization && (type(v, inst->type)->mask & T_HAS_RUNTIME_ARRAY))
		return spv_result_fails(v, inst, "no array without a length", NULL);
	if (!check_access(v, inst, 3, &access))
		return false;
	if (is_small(v, inst->type) && !is_plain(v, inst->type))
		return SPV_FAIL(v, inst, SMALL_TYPE, NULL, "OpLoad of a composite");
	return true;
}

/* Where a chain of pointers begins; as long as the chain is. */
static const spv_inst *trace(const struct val *v, uint32_t id)
{
	const spv_inst *inst = def(v, id), *before = NULL;

	while (inst && inst != before &&
	       (inst->op == OpAccessChain || inst->op == OpInBoundsAccessChain || inst->op == OpPtrAccessChain ||
		inst->op == OpInBoundsPtrAccessChain || inst->op == OpCopyObject)) {
		const spv_inst *base = def(v, word(v, inst, 3));

		/* Only what comes earlier: a circle is wrong elsewhere. */
		before = inst;
		inst = base && base < before ? base : NULL;
	}
	return inst;
}

static bool is_uniform_block(const struct val *v, uint32_t id)
{
	const spv_inst *variable = trace(v, id);
	uint32_t t;

	if (!variable || variable->op != OpVariable)
		return false;
	t = type(v, variable->type)->inner;
	if (is(v, t, T_ARRAY | T_RUNTIME_ARRAY))
		t = type(v, t)->inner;
	return decorated(v, t, DecorationBlock);
}

/* --relax-struct-store: other ids, members of the same types at the same offsets. */
static bool layout_compatible(const struct val *v, uint32_t a, uint32_t b)
{
	const spv_inst *x = def(v, a), *y = def(v, b);

	if (!x || !y || x->op != OpTypeStruct || y->op != OpTypeStruct || x->words != y->words)
		return false;
	for (uint32_t i = 0; i < member_count(x); i++) {
		const struct spv_decoration *p = spv_decoration(v, a, DecorationOffset, i), *q = spv_decoration(v, b, DecorationOffset, i);

		if (p && q && param(v, p, 0) != param(v, q, 0))
			return false;
		if (word(v, x, 2 + i) != word(v, y, 2 + i) && !spv_logically_match(v, word(v, x, 2 + i), word(v, y, 2 + i), false))
			return false;
	}
	return true;
}

static bool check_store(struct val *v, const spv_inst *inst)
{
	uint32_t pointer = type_of(v, word(v, inst, 1)), object = type_of(v, word(v, inst, 2)), pointee;
	struct access access = {pointer_class(v, pointer), UINT32_MAX, false, true};

	if (!check_pointer(v, inst, 0))
		return false;
	pointee = type(v, pointer)->inner;
	switch (access.target) {
	case StorageClassUniformConstant: case StorageClassInput: case StorageClassPushConstant:
	case StorageClassShaderRecordBufferKHR:
		return SPV_FAIL(v, inst, READ_ONLY, NULL);
	case StorageClassHitAttributeKHR:
		if (!spv_only_models(v, inst, M_ALL & ~(M_ANY_HIT | M_CLOSEST_HIT), "VUID-StandaloneSpirv-HitAttributeKHR-04703"))
			return false;
		break;
	case StorageClassUniform:
		if (v->vulkan && is_uniform_block(v, word(v, inst, 1)))
			return SPV_FAIL(v, inst, READ_ONLY, "VUID-StandaloneSpirv-Uniform-06925");
		break;
	default:
		break;
	}
	if (is(v, pointee, T_VOID) || is(v, object, T_VOID))
		return spv_operand_fails(v, inst, 1, "not void", NULL);
	if (pointee != object && !(v->options.relax_struct_store && layout_compatible(v, pointee, object)))
		return spv_operand_fails(v, inst, 1, "of the type pointed to", NULL);
	return check_access(v, inst, 2, &access);
}

static bool check_size(struct val *v, const spv_inst *inst)
{
	const spv_inst *size = def(v, word(v, inst, 3));
	const struct spv_type *t = type(v, size->type);
	uint64_t value;

	if (!spv_operand_is(v, inst, 2, T_INT))
		return false;
	if (size->op == OpConstantNull)
		return spv_operand_fails(v, inst, 2, "above 0", NULL);
	if (size->op == OpConstant && spv_integer(v, size->id, &value) &&
	    (!value || (!(t->mask & T_UNSIGNED) && word(v, size, size->words - 1u) >> 31)))
		return spv_operand_fails(v, inst, 2, "above 0", NULL);
	return true;
}

static bool check_copy(struct val *v, const spv_inst *inst)
{
	uint32_t target = type_of(v, word(v, inst, 1)), source = type_of(v, word(v, inst, 2)), first, second, t;
	struct access access = {pointer_class(v, target), pointer_class(v, source), false, false};

	if (!spv_operand_is(v, inst, 0, T_POINTER) || !spv_operand_is(v, inst, 1, T_POINTER))
		return false;
	if (inst->op == OpCopyMemory && (is(v, type(v, target)->inner, T_VOID) || type(v, target)->inner != type(v, source)->inner))
		return spv_operand_fails(v, inst, 1, "a pointer to the target's type", NULL);
	if (inst->op == OpCopyMemorySized && !check_size(v, inst))
		return false;
	first = inst->op == OpCopyMemory ? 2 : 3;
	/* What has no operands at all is not asked for Aligned by spirv-val 2023.1. */
	if ((first < operand_count(inst) || !v->compat) && !check_access(v, inst, first, &access))
		return false;
	second = first < operand_count(inst) ? first + mask_operands(operand(v, inst, first)) : first;
	if (second > first && second < operand_count(inst)) {
		if (v->version < 0x10400)
			return SPV_FAIL(v, inst, MEMORY_OPERAND, NULL, "two memory operands need SPIR-V 1.4");
		if (!check_access(v, inst, second, &access))
			return false;
		if ((operand(v, inst, first) & MemoryAccessMakePointerVisibleMask) ||
		    (operand(v, inst, second) & MemoryAccessMakePointerAvailableMask))
			return SPV_FAIL(v, inst, MEMORY_OPERAND, NULL, "the target is made available, the source visible");
	}
	for (t = type(v, target)->inner; is(v, t, T_POINTER) && type(v, t)->inner < t; t = type(v, t)->inner)
		;
	return !is_small(v, t) || SPV_FAIL(v, inst, SMALL_TYPE, NULL, spv_op_name(inst->op));
}

/* --- Chains -------------------------------------------------------------- */

static bool step(struct val *v, const spv_inst *inst, uint32_t i, uint32_t *at)
{
	const spv_inst *t = def(v, *at), *index = def(v, word(v, inst, i));

	if (!is(v, index->type, T_INT))
		return spv_operand_fails(v, inst, i - 1, "a scalar integer", NULL);
	switch (t->op) {
	case OpTypeMatrix: case OpTypeVector: case OpTypeArray: case OpTypeRuntimeArray: case OpTypeCooperativeMatrixNV:
		*at = word(v, t, 2);
		return true;
	case OpTypeStruct:
		if (index->op != OpConstant)
			return spv_operand_fails(v, inst, i - 1, "an OpConstant, for it chooses a member", NULL);
		if (word(v, index, 3) >= member_count(t))
			return SPV_FAIL(v, inst, MEMBER_RANGE, NULL, word(v, index, 3), member_count(t));
		*at = word(v, t, 2 + word(v, index, 3));
		return true;
	default:
		return SPV_FAIL(v, inst, NOT_COMPOSITE, NULL, i - 4);
	}
}

static bool check_chain(struct val *v, const spv_inst *inst)
{
	bool element = inst->op == OpPtrAccessChain || inst->op == OpInBoundsPtrAccessChain;
	uint32_t base = type_of(v, word(v, inst, 3)), first = element ? 5 : 4, at;

	if (!spv_result_is(v, inst, inst->type, T_POINTER) || !spv_operand_is(v, inst, 2, T_POINTER))
		return false;
	if (pointer_class(v, inst->type) != pointer_class(v, base))
		return spv_result_fails(v, inst, "in the base's storage class", NULL);
	if (inst->words - first > v->options.max_access_chain_indexes)
		return SPV_FAIL(v, inst, LIMIT, NULL, "indices of a chain", v->options.max_access_chain_indexes);
	at = type(v, base)->inner;
	for (uint32_t i = first; i < inst->words; i++)
		if (!step(v, inst, i, &at))
			return false;
	return at == type(v, inst->type)->inner || spv_result_fails(v, inst, "a pointer to what the indices reach", NULL);
}

static bool check_element_chain(struct val *v, const spv_inst *inst)
{
	uint32_t base = type_of(v, word(v, inst, 3)), storage = pointer_class(v, base);
	bool laid_out = storage == StorageClassUniform || storage == StorageClassStorageBuffer ||
			storage == StorageClassPhysicalStorageBuffer || storage == StorageClassPushConstant ||
			(storage == StorageClassWorkgroup && has(v, HasWorkgroupMemoryExplicitLayoutKHR));

	if (v->addressing == AddressingModelLogical && !v->any_variable_pointers)
		return SPV_FAIL(v, inst, VARIABLE_POINTER, NULL, spv_op_name(inst->op));
	if (!check_chain(v, inst))
		return false;
	if (v->shader && laid_out && !decorated(v, base, DecorationArrayStride))
		return SPV_FAIL(v, inst, POINTER_STRIDE, NULL);
	if (!v->vulkan || storage == StorageClassPhysicalStorageBuffer)
		return true;
	if (storage == StorageClassWorkgroup ? v->variable_pointers :
	    storage == StorageClassStorageBuffer && v->any_variable_pointers)
		return true;
	return SPV_FAIL(v, inst, VARIABLE_POINTER, "VUID-StandaloneSpirv-Base-07650, -07651, -07652", spv_op_name(inst->op));
}

static bool check_length(struct val *v, const spv_inst *inst)
{
	const struct spv_type *result = type(v, inst->type);
	uint32_t pointer = type_of(v, word(v, inst, 3));
	const spv_inst *structure = def(v, type(v, pointer)->inner);

	if (!(result->mask & T_INT) || !(result->mask & T_UNSIGNED) || result->width != 32)
		return spv_result_fails(v, inst, "an unsigned 32-bit integer", NULL);
	if (!is(v, pointer, T_POINTER) || !structure || structure->op != OpTypeStruct || !member_count(structure))
		return spv_operand_fails(v, inst, 2, "a pointer to a structure", NULL);
	if (!is(v, word(v, structure, structure->words - 1u), T_RUNTIME_ARRAY))
		return spv_operand_fails(v, inst, 2, "a pointer to a structure that ends in an array without a length", NULL);
	return word(v, inst, 4) == member_count(structure) - 1 ||
	       SPV_FAIL(v, inst, MEMBER_RANGE, NULL, word(v, inst, 4), member_count(structure));
}

bool spv_check_memory(struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpLoad: return check_load(v, inst);
	case OpStore: return check_store(v, inst);
	case OpCopyMemory: case OpCopyMemorySized: return check_copy(v, inst);
	case OpAccessChain: case OpInBoundsAccessChain: case OpInBoundsPtrAccessChain: return check_chain(v, inst);
	case OpPtrAccessChain: return check_element_chain(v, inst);
	case OpArrayLength: return check_length(v, inst);
	default: return true;
	}
}

bool spv_check_pointer_compare(struct val *v, const spv_inst *inst)
{
	uint32_t a = type_of(v, word(v, inst, 3)), storage = pointer_class(v, a);

	if (v->addressing == AddressingModelLogical && !v->any_variable_pointers)
		return SPV_FAIL(v, inst, VARIABLE_POINTER, NULL, spv_op_name(inst->op));
	if (!spv_result_is(v, inst, inst->type, inst->op == OpPtrDiff ? T_INT : T_BOOL) || !spv_operand_is(v, inst, 2, T_POINTER))
		return false;
	if (a != type_of(v, word(v, inst, 4)))
		return spv_operand_fails(v, inst, 3, "of the first operand's type", NULL);
	if (v->addressing != AddressingModelLogical)
		return storage != StorageClassPhysicalStorageBuffer || spv_operand_fails(v, inst, 2, "not in PhysicalStorageBuffer", NULL);
	return storage == StorageClassStorageBuffer || (storage == StorageClassWorkgroup && v->variable_pointers) ||
	       spv_operand_fails(v, inst, 2, "in StorageBuffer, or in Workgroup with VariablePointers", NULL);
}

bool spv_check_cooperative(struct val *v, const spv_inst *inst)
{
	bool load = inst->op == OpCooperativeMatrixLoadNV;
	uint32_t n = load ? 2 : 0, pointer = type_of(v, operand(v, inst, n)), storage = pointer_class(v, pointer);
	struct access access = {storage, UINT32_MAX, load, !load};

	if (inst->op == OpCooperativeMatrixLengthNV) {
		const struct spv_type *result = type(v, inst->type);

		if (!(result->mask & T_INT) || !(result->mask & T_UNSIGNED) || result->width != 32)
			return spv_result_fails(v, inst, "an unsigned 32-bit integer", NULL);
		return is(v, word(v, inst, 3), T_COOP) || SPV_FAIL(v, inst, COOPERATIVE, NULL, "its operand is a cooperative matrix type");
	}
	if (!is(v, load ? inst->type : type_of(v, word(v, inst, 2)), T_COOP))
		return SPV_FAIL(v, inst, COOPERATIVE, NULL, "what is loaded or stored is a cooperative matrix");
	if (!check_pointer(v, inst, n))
		return false;
	if (storage != StorageClassWorkgroup && storage != StorageClassStorageBuffer && storage != StorageClassPhysicalStorageBuffer)
		return spv_operand_fails(v, inst, n, "in Workgroup, StorageBuffer or PhysicalStorageBuffer", NULL);
	if (!is(v, type(v, pointer)->inner, T_INT_LIKE | T_FLOAT_LIKE))
		return spv_operand_fails(v, inst, n, "a pointer to numbers", NULL);
	n = load ? 3 : 2;
	if (!spv_operand_is(v, inst, n, T_INT) || !spv_operand_is(v, inst, n + 1, T_BOOL))
		return false;
	if (!is_constant(op_of(v, operand(v, inst, n + 1))))
		return spv_operand_fails(v, inst, n + 1, "a constant", NULL);
	return operand_count(inst) <= n + 2 || check_access(v, inst, n + 2, &access);
}
