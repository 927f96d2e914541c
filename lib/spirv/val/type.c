/* SPDX-License-Identifier: MIT */
/*
 * Types: what each is, and the rules for declaring it. A type's facts follow from those
 * of its parts, which come before it, so that nothing walks down a type later.
 *
 * Source: SPIR-V 3.49.6, Type-Declaration Instructions; 2.16.1.
 */
#include "spirv/val/val.h"

static uint32_t kind_of(uint32_t op)
{
	switch (op) {
	case OpTypeVoid: return T_VOID;
	case OpTypeBool: return T_BOOL;
	case OpTypeInt: return T_INT;
	case OpTypeFloat: return T_FLOAT;
	case OpTypeMatrix: return T_MATRIX;
	case OpTypeImage: return T_IMAGE | T_HAS_OPAQUE;
	case OpTypeSampler: return T_SAMPLER | T_HAS_OPAQUE;
	case OpTypeSampledImage: return T_SAMPLED_IMAGE | T_HAS_OPAQUE;
	case OpTypeArray: return T_ARRAY;
	case OpTypeRuntimeArray: return T_RUNTIME_ARRAY | T_HAS_RUNTIME_ARRAY;
	case OpTypeStruct: return T_STRUCT;
	case OpTypePointer: return T_POINTER;
	case OpTypeFunction: return T_FUNCTION;
	case OpTypeAccelerationStructureKHR: return T_ACCELERATION;
	case OpTypeRayQueryKHR: return T_RAY_QUERY;
	case OpTypeOpaque: case OpTypeEvent: case OpTypeDeviceEvent: case OpTypeReserveId: case OpTypeQueue:
	case OpTypePipe: case OpTypePipeStorage: case OpTypeNamedBarrier:
		return T_OTHER | T_HAS_OPAQUE;
	default: return T_OTHER;
	}
}

/* Source: SPIR-V 3.49.7, OpConstantNull; a pointer has one, but not in PhysicalStorageBuffer. */
static bool lacks_null(const struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpTypeBool: case OpTypeInt: case OpTypeFloat: case OpTypeEvent: case OpTypeDeviceEvent:
	case OpTypeReserveId: case OpTypeQueue: case OpTypeVector: case OpTypeMatrix: case OpTypeArray:
	case OpTypeStruct: case OpTypeCooperativeMatrixNV:
		return false;
	case OpTypePointer:
		return word(v, inst, 2) == StorageClassPhysicalStorageBuffer;
	default:
		return true;
	}
}

static uint8_t clipped(uint32_t value)
{
	return value > 255 ? 255 : (uint8_t)value;
}

static void build_struct(struct val *v, const spv_inst *inst, struct spv_type *t)
{
	uint32_t depth = 0;
	bool built_in = false;

	for (uint32_t i = 2; i < inst->words; i++) {
		uint32_t member = word(v, inst, i);
		const struct spv_type *m = type(v, member);

		t->mask |= m->mask & (T_INHERITED | (uint32_t)T_HAS_BOOL);
		if (!(m->mask & T_STRUCT))
			continue;
		depth = m->depth > depth ? m->depth : depth;
		if ((m->mask & T_HAS_BLOCK) || decorated(v, member, DecorationBlock) || decorated(v, member, DecorationBufferBlock))
			t->mask |= T_HAS_BLOCK;
	}
	if (may_have(v, inst->id, SPV_BIT(DecorationBuiltIn))) {
		struct spv_decoration_walk walk = spv_decorations(v, inst->id);
		const struct spv_decoration *d;

		while (!built_in && (d = spv_next_decoration(v, &walk)))
			built_in = d->kind == DecorationBuiltIn && walk.member != SPV_NO_MEMBER;
	}
	if (built_in)
		t->mask |= T_HAS_BUILT_IN;
	t->depth = (uint16_t)(depth < UINT16_MAX ? depth + 1 : depth);
}

static void build(struct val *v, const spv_inst *inst)
{
	struct spv_type *t = &v->types[inst->id];
	const struct spv_type *inner;

	t->mask = kind_of(inst->op);
	t->dim = 1;
	switch (inst->op) {
	case OpTypeBool:
		t->mask |= (uint32_t)T_HAS_BOOL;
		t->width = 1;
		break;
	case OpTypeInt:
		t->width = clipped(word(v, inst, 2));
		t->mask |= (word(v, inst, 3) ? 0 : T_UNSIGNED) | (t->width == 8 ? T_HAS_INT8 : 0) |
			   (t->width == 16 ? T_HAS_INT16 : 0);
		break;
	case OpTypeFloat:
		t->width = clipped(word(v, inst, 2));
		t->mask |= t->width == 16 ? T_HAS_FLOAT16 : 0;
		break;
	case OpTypeVector:
		t->inner = word(v, inst, 2);
		inner = type(v, t->inner);
		t->mask = (inner->mask & (T_INHERITED | T_UNSIGNED | (uint32_t)T_HAS_BOOL)) | (inner->mask & T_SCALAR) << 3;
		t->width = inner->width;
		t->dim = clipped(word(v, inst, 3));
		break;
	case OpTypeMatrix:
		t->inner = word(v, inst, 2);
		t->mask |= type(v, t->inner)->mask & T_INHERITED;
		t->width = type(v, t->inner)->width;
		t->dim = clipped(word(v, inst, 3));
		break;
	case OpTypeCooperativeMatrixNV:
		t->inner = word(v, inst, 2);
		inner = type(v, t->inner);
		t->mask = (inner->mask & T_INT ? T_COOP_INT : T_COOP_FLOAT) | (inner->mask & (T_INHERITED | T_UNSIGNED)) |
			  T_HAS_COOP;
		t->width = inner->width;
		t->dim = 0;
		break;
	case OpTypeArray: case OpTypeRuntimeArray:
		t->mask |= type(v, word(v, inst, 2))->mask & (uint32_t)T_HAS_BOOL;
		/* fall through */
	case OpTypeSampledImage: case OpTypeImage:
		t->inner = word(v, inst, 2);
		t->mask |= type(v, t->inner)->mask & T_INHERITED;
		break;
	case OpTypePointer:
		v->classes |= spv_class_bit(word(v, inst, 2));
		t->inner = word(v, inst, 3);
		/* What a forward pointer points to comes later: it contains nothing. */
		if (!(v->flags[inst->id] & ID_FORWARD))
			t->mask |= type(v, t->inner)->mask & (T_SMALL | T_HAS_OPAQUE);
		break;
	case OpTypeFunction:
		for (uint32_t i = 2; i < inst->words; i++)
			t->mask |= type(v, word(v, inst, i))->mask & T_SMALL;
		break;
	case OpTypeStruct:
		build_struct(v, inst, t);
		break;
	default:
		break;
	}
	if (lacks_null(v, inst))
		t->mask |= T_HAS_NO_NULL;
}

bool spv_build_types(struct val *v)
{
	uint32_t types = 0, size = 16, all = 0;

	for (uint32_t i = 0; i < v->module.inst_count; i++) {
		const spv_inst *inst = &v->module.insts[i];

		if (inst->op == OpFunction)
			break;
		if (!is_type_op(inst->op) && inst->op != OpTypeForwardPointer)
			continue;
		types++;
		if (!inst->id)
			continue;
		build(v, inst);
		all |= v->types[inst->id].mask;
	}
	/* Where no type has such numbers nothing needs to look for them. */
	v->small &= all;
	while (size / 2 < types)
		size *= 2;
	v->unique_mask = size - 1;
	v->unique = glc_bump_zero(v->memory, size * sizeof *v->unique);
	return v->unique != NULL;
}

/* --- Rules --------------------------------------------------------------- */

static bool same_type(const struct val *v, const spv_inst *a, const spv_inst *b)
{
	uint32_t from = a->id ? 2 : 1;

	return a->op == b->op && a->words == b->words &&
	       !memcmp(v->module.words + a->word + from, v->module.words + b->word + from, (a->words - from) * 4u);
}

/* Types that are no aggregates and no pointers are declared once. SPIR-V 2.8. */
static bool check_unique(struct val *v, const spv_inst *inst)
{
	uint32_t hash = inst->op, slot;

	if (v->ignore_unique || inst->op == OpTypeArray || inst->op == OpTypeRuntimeArray || inst->op == OpTypeStruct ||
	    inst->op == OpTypePointer)
		return true;
	for (uint32_t i = inst->id ? 2 : 1; i < inst->words; i++)
		hash = (hash ^ word(v, inst, i)) * 0x9e3779b1u;
	for (slot = hash >> 7 & v->unique_mask; v->unique[slot]; slot = (slot + 1) & v->unique_mask)
		if (same_type(v, &v->module.insts[v->unique[slot] - 1], inst))
			return SPV_FAIL(v, inst, TYPE_TWICE, NULL, spv_id(&v->module, v->module.insts[v->unique[slot] - 1].id));
	v->unique[slot] = (uint32_t)(inst - v->module.insts) + 1;
	return true;
}

static bool check_int(struct val *v, const spv_inst *inst)
{
	uint32_t bits = word(v, inst, 2);

	if (bits != 32) {
		bool allowed = (bits == 8 && v->int8) || (bits == 16 && v->int16) || (bits == 64 && has(v, HasInt64));

		return allowed || SPV_FAIL(v, inst, TYPE_WIDTH, NULL, bits, "integers");
	}
	if (word(v, inst, 3) > 1)
		return SPV_FAIL(v, inst, SIGNEDNESS, NULL, word(v, inst, 3));
	if (v->kernel && word(v, inst, 3))
		return SPV_FAIL(v, inst, SIGNEDNESS, "SPIR-V 2.16.1: 0 with the capability Kernel", word(v, inst, 3));
	return true;
}

static bool check_float(struct val *v, const spv_inst *inst)
{
	uint32_t bits = word(v, inst, 2);
	bool allowed = bits == 32 || (bits == 16 && v->float16) || (bits == 64 && has(v, HasFloat64));

	return allowed || SPV_FAIL(v, inst, TYPE_WIDTH, NULL, bits, "floats");
}

static bool check_vector(struct val *v, const spv_inst *inst)
{
	uint32_t n = word(v, inst, 3);
	bool allowed = (n >= 2 && n <= 4) || ((n == 8 || n == 16) && has(v, HasVector16));

	if (!is(v, word(v, inst, 2), T_SCALAR))
		return SPV_FAIL(v, inst, VECTOR_OF, NULL, "a vector", "scalars");
	return allowed || SPV_FAIL(v, inst, COMPONENTS, NULL, "a vector", n);
}

static bool check_matrix(struct val *v, const spv_inst *inst)
{
	uint32_t n = word(v, inst, 3);

	if (!is(v, word(v, inst, 2), T_FLOATS))
		return SPV_FAIL(v, inst, VECTOR_OF, NULL, "a matrix", "vectors of floats");
	return (n >= 2 && n <= 4) || SPV_FAIL(v, inst, COMPONENTS, NULL, "a matrix", n);
}

static bool check_element(struct val *v, const spv_inst *inst)
{
	uint32_t element = word(v, inst, 2);

	if (is(v, element, T_VOID) || !type(v, element)->mask)
		return SPV_FAIL(v, inst, ELEMENT, NULL, "an array", "void");
	if (v->vulkan && is(v, element, T_RUNTIME_ARRAY))
		return SPV_FAIL(v, inst, RUNTIME_ARRAY, "VUID-StandaloneSpirv-OpTypeRuntimeArray-04680");
	return true;
}

static bool check_array(struct val *v, const spv_inst *inst)
{
	const spv_inst *length = def(v, word(v, inst, 3));
	uint64_t value = 1;

	if (!check_element(v, inst))
		return false;
	if (!length || !is_constant(length->op) || !is(v, length->type, T_INT))
		return SPV_FAIL(v, inst, ARRAY_LENGTH, NULL, "is no integer constant");
	if (length->op == OpConstantNull)
		return SPV_FAIL(v, inst, ARRAY_LENGTH, NULL, "is 0");
	if (spv_integer(v, word(v, inst, 3), &value)) {
		uint32_t width = type(v, length->type)->width;
		bool sign = !(type(v, length->type)->mask & T_UNSIGNED);
		int64_t number = width <= 32 ? (int32_t)value : (int64_t)value;

		if (!number || (sign && number < 0))
			return SPV_FAIL(v, inst, ARRAY_LENGTH, NULL, "is below 1");
	}
	return true;
}

/* All members or none. Marks, so that long structures with long chains cost no more. */
static bool check_struct_built_ins(struct val *v, const spv_inst *inst)
{
	struct glc_mark mark = glc_bump_mark(v->memory);
	bool *seen = glc_bump_zero(v->memory, member_count(inst));
	struct spv_decoration_walk walk = spv_decorations(v, inst->id);
	const struct spv_decoration *d;
	uint32_t with = 0;

	while (seen && (d = spv_next_decoration(v, &walk))) {
		if (d->kind != DecorationBuiltIn || walk.member >= member_count(inst) || seen[walk.member])
			continue;
		seen[walk.member] = true;
		with++;
	}
	glc_bump_release(v->memory, mark);
	return with == member_count(inst) || SPV_FAIL(v, inst, BUILT_IN_MIXED, NULL, with, member_count(inst));
}

static bool check_struct(struct val *v, const spv_inst *inst)
{
	const struct spv_type *t = type(v, inst->id);

	for (uint32_t i = 2; i < inst->words; i++) {
		uint32_t member = word(v, inst, i);
		const struct spv_type *m = type(v, member);

		if (member == inst->id)
			return SPV_FAIL(v, inst, ELEMENT, NULL, "a structure", "itself");
		if (!m->mask || (m->mask & T_VOID))
			return SPV_FAIL(v, inst, ELEMENT, NULL, "a structure", "void");
		if ((m->mask & T_STRUCT) && (m->mask & T_HAS_BUILT_IN))
			return SPV_FAIL(v, inst, ELEMENT, NULL, "a structure", "a structure with built-ins");
		if (v->vulkan && (m->mask & T_RUNTIME_ARRAY) && i + 1u != inst->words)
			return SPV_FAIL(v, inst, RUNTIME_ARRAY, "VUID-StandaloneSpirv-OpTypeRuntimeArray-04680");
	}
	if (t->depth > v->options.max_struct_depth)
		return SPV_FAIL(v, inst, LIMIT, NULL, "structures in structures", v->options.max_struct_depth);
	if ((t->mask & T_HAS_BLOCK) && (decorated(v, inst->id, DecorationBlock) || decorated(v, inst->id, DecorationBufferBlock)))
		return SPV_FAIL(v, inst, BLOCK_NESTED, NULL);
	if ((t->mask & T_HAS_BUILT_IN) && !check_struct_built_ins(v, inst))
		return false;
	if (v->vulkan && !v->options.before_hlsl_legalization && (t->mask & T_HAS_OPAQUE) && !has(v, HasBindlessTextureNV))
		return SPV_FAIL(v, inst, ELEMENT, "VUID-StandaloneSpirv-None-04667", "a structure", "opaque types");
	return true;
}

/* Storage classes that Vulkan has. Source: VUID-StandaloneSpirv-None-04643. */
static bool is_vulkan_class(uint32_t storage)
{
	switch (storage) {
	case StorageClassUniformConstant: case StorageClassUniform: case StorageClassStorageBuffer:
	case StorageClassInput: case StorageClassOutput: case StorageClassImage: case StorageClassWorkgroup:
	case StorageClassPrivate: case StorageClassFunction: case StorageClassPushConstant:
	case StorageClassPhysicalStorageBuffer: case StorageClassRayPayloadKHR: case StorageClassIncomingRayPayloadKHR:
	case StorageClassHitAttributeKHR: case StorageClassCallableDataKHR: case StorageClassIncomingCallableDataKHR:
	case StorageClassShaderRecordBufferKHR: case StorageClassTaskPayloadWorkgroupEXT:
	case StorageClassHitObjectAttributeNV:
		return true;
	default:
		return false;
	}
}

/* A type is named where only a type can stand: constants are defined in the same section. */
static bool check_named(struct val *v, const spv_inst *inst, uint32_t id)
{
	return is_type_op(op_of(v, id)) || SPV_FAIL(v, inst, NOT_A_TYPE, NULL, spv_id(&v->module, id));
}

static bool check_pointer(struct val *v, const spv_inst *inst)
{
	uint32_t storage = word(v, inst, 2), pointee = word(v, inst, 3);

	if (!check_named(v, inst, pointee))
		return false;
	if (storage == StorageClassUniformConstant) {
		if (is(v, pointee, T_ARRAY | T_RUNTIME_ARRAY))
			pointee = type(v, pointee)->inner;
		if (is(v, pointee, T_IMAGE) && word(v, def(v, pointee), 7) == 2)
			v->flags[inst->id] |= ID_STORAGE_IMAGE;
	}
	if (v->vulkan && !is_vulkan_class(storage))
		return SPV_FAIL(v, inst, STORAGE_CLASS, "VUID-StandaloneSpirv-None-04643", "Vulkan");
	return true;
}

static bool check_function_type(struct val *v, const spv_inst *inst)
{
	for (uint32_t i = 2; i < inst->words; i++) {
		if (!check_named(v, inst, word(v, inst, i)))
			return false;
		if (i > 2 && is(v, word(v, inst, i), T_VOID))
			return SPV_FAIL(v, inst, ELEMENT, NULL, "a parameter", "void");
	}
	if (inst->words - 3u > v->options.max_function_args)
		return SPV_FAIL(v, inst, LIMIT, NULL, "parameters of a function", v->options.max_function_args);
	return true;
}

static bool check_forward_pointer(struct val *v, const spv_inst *inst)
{
	const spv_inst *pointer = def(v, word(v, inst, 1));

	if (!pointer || pointer->op != OpTypePointer)
		return SPV_FAIL(v, inst, FORWARD_POINTER, NULL, "names no pointer type");
	if (word(v, pointer, 2) != word(v, inst, 2))
		return SPV_FAIL(v, inst, FORWARD_POINTER, NULL, "has another storage class than its pointer");
	if (!is(v, word(v, pointer, 3), T_STRUCT))
		return SPV_FAIL(v, inst, FORWARD_POINTER, NULL, "does not point to a structure");
	if (v->vulkan && word(v, inst, 2) != StorageClassPhysicalStorageBuffer)
		return SPV_FAIL(v, inst, FORWARD_POINTER, "VUID-StandaloneSpirv-OpTypeForwardPointer-04711",
				"is not in PhysicalStorageBuffer");
	return true;
}

static bool check_cooperative_type(struct val *v, const spv_inst *inst)
{
	if (!is(v, word(v, inst, 2), T_INT | T_FLOAT))
		return SPV_FAIL(v, inst, VECTOR_OF, NULL, "a cooperative matrix", "scalar numbers");
	for (uint32_t i = 3; i < 6; i++)
		if (!is(v, type_of(v, word(v, inst, i)), T_INT) || !is_constant(op_of(v, word(v, inst, i))))
			return SPV_FAIL(v, inst, COOPERATIVE, "SPV_NV_cooperative_matrix", "its scope, rows and columns are integer constants");
	return true;
}

bool spv_check_type(struct val *v, const spv_inst *inst)
{
	if (!check_unique(v, inst))
		return false;
	switch (inst->op) {
	case OpTypeInt: return check_int(v, inst);
	case OpTypeFloat: return check_float(v, inst);
	case OpTypeVector: return check_vector(v, inst);
	case OpTypeMatrix: return check_matrix(v, inst);
	case OpTypeArray: return check_array(v, inst);
	case OpTypeRuntimeArray: return check_element(v, inst);
	case OpTypeStruct: return check_struct(v, inst);
	case OpTypePointer: return check_pointer(v, inst);
	case OpTypeFunction: return check_function_type(v, inst);
	case OpTypeForwardPointer: return check_forward_pointer(v, inst);
	case OpTypeCooperativeMatrixNV: return check_cooperative_type(v, inst);
	case OpTypeImage: case OpTypeSampledImage: return spv_check_image_type(v, inst);
	default: return true;
	}
}
