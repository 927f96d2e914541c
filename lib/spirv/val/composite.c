/* SPDX-License-Identifier: MIT */
/*
 * Composites, matrices, bit fields, selections and the conversions that no row of a table
 * describes.
 *
 * Source: SPIR-V 3.49.11 to 3.49.15.
 */
#include "spirv/val/val.h"

/* --- Indices ------------------------------------------------------------- */

/* The type that literal indices reach; 0, reported, when they lead nowhere. */
static uint32_t walk_indices(struct val *v, const spv_inst *inst, uint32_t first, uint32_t at)
{
	if (first >= inst->words || inst->words - first > 255)
		return SPV_FAIL(v, inst, INDEX_COUNT, NULL, spv_op_name(inst->op)), 0;
	for (uint32_t i = first; i < inst->words; i++) {
		const spv_inst *t = def(v, at);
		uint32_t index = word(v, inst, i);
		uint64_t count = UINT64_MAX;

		switch (t ? t->op : OpNop) {
		case OpTypeVector: case OpTypeMatrix:
			count = word(v, t, 3);
			at = word(v, t, 2);
			break;
		case OpTypeArray:
			if (!is_spec_constant(op_of(v, word(v, t, 3))) && !spv_integer(v, word(v, t, 3), &count))
				count = UINT64_MAX;
			at = word(v, t, 2);
			break;
		case OpTypeRuntimeArray: case OpTypeCooperativeMatrixNV:
			at = word(v, t, 2);
			break;
		case OpTypeStruct:
			count = member_count(t);
			at = index < count ? word(v, t, 2 + index) : 0;
			break;
		default:
			return SPV_FAIL(v, inst, NOT_COMPOSITE, NULL, i - first), 0;
		}
		if (index >= count)
			return SPV_FAIL(v, inst, MEMBER_RANGE, NULL, index, (uint32_t)count), 0;
	}
	return at;
}

static bool no_small(struct val *v, const spv_inst *inst)
{
	return !is_small(v, inst->type) || SPV_FAIL(v, inst, SMALL_TYPE, NULL, spv_op_name(inst->op));
}

static bool check_extract(struct val *v, const spv_inst *inst)
{
	uint32_t composite = type_of(v, word(v, inst, 3)), reached;

	if (!composite)
		return spv_operand_fails(v, inst, 2, "a composite", NULL);
	reached = walk_indices(v, inst, 4, composite);
	if (!reached)
		return false;
	return reached == inst->type || spv_result_fails(v, inst, "of the type that the indices reach", NULL);
}

static bool check_insert(struct val *v, const spv_inst *inst)
{
	uint32_t reached;

	if (type_of(v, word(v, inst, 4)) != inst->type)
		return spv_operand_fails(v, inst, 3, "of the result's type", NULL);
	reached = walk_indices(v, inst, 5, inst->type);
	if (!reached)
		return false;
	return reached == type_of(v, word(v, inst, 3)) ||
	       spv_operand_fails(v, inst, 2, "of the type that the indices reach", NULL);
}

/* --- Building ------------------------------------------------------------ */

static bool construct_vector(struct val *v, const spv_inst *inst, const spv_inst *vector)
{
	uint32_t component = word(v, vector, 2), count = 0;

	if (inst->words <= 4)
		return SPV_FAIL(v, inst, CONSTITUENTS, NULL, inst->words - 3u);
	for (uint32_t i = 3; i < inst->words; i++) {
		uint32_t t = type_of(v, word(v, inst, i));

		if (t != component && !(is(v, t, T_VECTOR) && type(v, t)->inner == component))
			return spv_operand_fails(v, inst, i - 1, "of the vector's components", NULL);
		count += type(v, t)->dim;
	}
	return count == word(v, vector, 3) || SPV_FAIL(v, inst, CONSTITUENTS, NULL, count);
}

static bool check_construct(struct val *v, const spv_inst *inst)
{
	const spv_inst *t = def(v, inst->type);
	uint32_t given = inst->words - 3u;
	uint64_t count;

	switch (t->op) {
	case OpTypeVector:
		return construct_vector(v, inst, t);
	case OpTypeMatrix:
		count = word(v, t, 3);
		break;
	case OpTypeArray:
		if (is_spec_constant(op_of(v, word(v, t, 3))))
			return true;
		if (!spv_integer(v, word(v, t, 3), &count))
			return true;
		break;
	case OpTypeStruct:
		count = member_count(t);
		break;
	case OpTypeCooperativeMatrixNV:
		count = 1;
		break;
	default:
		return spv_result_fails(v, inst, "a composite", NULL);
	}
	if (given != count)
		return SPV_FAIL(v, inst, CONSTITUENTS, NULL, given);
	for (uint32_t i = 0; i < given; i++)
		if (type_of(v, word(v, inst, 3 + i)) != word(v, t, t->op == OpTypeStruct ? 2 + i : 2))
			return spv_operand_fails(v, inst, 2 + i, "of its member's type", NULL);
	return true;
}

static bool check_shuffle(struct val *v, const spv_inst *inst)
{
	const struct spv_type *result = type(v, inst->type), *a = value_type(v, word(v, inst, 3)),
		*b = value_type(v, word(v, inst, 4));

	if (!(result->mask & T_VECTOR))
		return spv_result_fails(v, inst, "a vector", NULL);
	if (inst->words - 5u != result->dim)
		return SPV_FAIL(v, inst, CONSTITUENTS, NULL, inst->words - 5u);
	if (!(a->mask & T_VECTOR) || a->inner != result->inner)
		return spv_operand_fails(v, inst, 2, "a vector of the result's components", NULL);
	if (!(b->mask & T_VECTOR) || b->inner != result->inner)
		return spv_operand_fails(v, inst, 3, "a vector of the result's components", NULL);
	for (uint32_t i = 5; i < inst->words; i++)
		if (word(v, inst, i) != UINT32_MAX && word(v, inst, i) >= (uint32_t)a->dim + b->dim)
			return SPV_FAIL(v, inst, MEMBER_RANGE, NULL, word(v, inst, i), (uint32_t)a->dim + b->dim);
	return true;
}

static bool check_dynamic(struct val *v, const spv_inst *inst)
{
	bool extract = inst->op == OpVectorExtractDynamic;
	uint32_t vector = type_of(v, word(v, inst, 3));

	if (!spv_result_is(v, inst, inst->type, extract ? T_SCALAR : T_VECTOR))
		return false;
	if (extract ? !is(v, vector, T_VECTOR) || type(v, vector)->inner != inst->type : vector != inst->type)
		return spv_operand_fails(v, inst, 2, "a vector that fits the result", NULL);
	if (!extract && type_of(v, word(v, inst, 4)) != type(v, inst->type)->inner)
		return spv_operand_fails(v, inst, 3, "of the vector's components", NULL);
	return spv_operand_is(v, inst, extract ? 3 : 4, T_INT) && no_small(v, inst);
}

static bool check_transpose(struct val *v, const spv_inst *inst)
{
	const struct spv_type *result = type(v, inst->type), *m = value_type(v, word(v, inst, 3));

	if (!spv_result_is(v, inst, inst->type, T_MATRIX) || !spv_operand_is(v, inst, 2, T_MATRIX))
		return false;
	if (type(v, result->inner)->inner != type(v, m->inner)->inner || type(v, result->inner)->dim != m->dim ||
	    result->dim != type(v, m->inner)->dim)
		return spv_operand_fails(v, inst, 2, "of the result's shape transposed", NULL);
	return no_small(v, inst);
}

bool spv_check_composite(struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpVectorExtractDynamic: case OpVectorInsertDynamic: return check_dynamic(v, inst);
	case OpVectorShuffle: return check_shuffle(v, inst) && no_small(v, inst);
	case OpCompositeConstruct: return check_construct(v, inst) && no_small(v, inst);
	case OpCompositeExtract: return check_extract(v, inst) && no_small(v, inst);
	case OpCompositeInsert: return check_insert(v, inst) && no_small(v, inst);
	case OpTranspose: return check_transpose(v, inst);
	case OpCopyObject:
		if (type_of(v, word(v, inst, 3)) != inst->type)
			return spv_operand_fails(v, inst, 2, "of the result's type", NULL);
		return !is(v, inst->type, T_VOID) || spv_result_fails(v, inst, "not void", NULL);
	case OpCopyLogical: {
		uint32_t source = type_of(v, word(v, inst, 3));

		if (source == inst->type || !spv_logically_match(v, source, inst->type, false))
			return spv_operand_fails(v, inst, 2, "another type that matches the result's", NULL);
		return no_small(v, inst);
	}
	default: return true;
	}
}

/* --- Matrices and wide arithmetic ---------------------------------------- */

static bool same_result(struct val *v, const spv_inst *inst, uint32_t n)
{
	return type_of(v, operand(v, inst, n)) == inst->type || spv_operand_fails(v, inst, n, "of the result's type", NULL);
}

static bool check_scale(struct val *v, const spv_inst *inst)
{
	const struct spv_type *t = type(v, inst->type);
	uint32_t component = t->mask & T_MATRIX ? type(v, t->inner)->inner : t->inner;

	if (!spv_result_is(v, inst, inst->type, inst->op == OpVectorTimesScalar ? T_FLOATS : T_MATRIX | T_COOP))
		return false;
	return same_result(v, inst, 2) && (type_of(v, word(v, inst, 4)) == component ||
					   spv_operand_fails(v, inst, 3, "of the result's components", NULL));
}

static bool check_product(struct val *v, const spv_inst *inst)
{
	const struct spv_type *r = type(v, inst->type), *a = value_type(v, word(v, inst, 3)),
		*b = value_type(v, word(v, inst, 4));
	uint32_t left = type_of(v, word(v, inst, 3));

	switch (inst->op) {
	case OpDot:
		if (!spv_result_is(v, inst, inst->type, T_FLOAT))
			return false;
		for (uint32_t i = 2; i < 4; i++)
			if (!spv_operand_is(v, inst, i, T_FLOATS))
				return false;
		if (a->inner != inst->type || b->inner != inst->type || a->dim != b->dim)
			return spv_operand_fails(v, inst, 3, "a vector like the first, of the result's components", NULL);
		return true;
	case OpVectorTimesMatrix:
		if (!spv_result_is(v, inst, inst->type, T_FLOATS) || !spv_operand_is(v, inst, 2, T_FLOATS) ||
		    !spv_operand_is(v, inst, 3, T_MATRIX))
			return false;
		if (r->inner != a->inner || r->inner != type(v, b->inner)->inner || b->dim != r->dim ||
		    type(v, b->inner)->dim != a->dim)
			return spv_operand_fails(v, inst, 3, "a matrix that fits the vectors", NULL);
		return true;
	case OpMatrixTimesVector:
		if (!spv_result_is(v, inst, inst->type, T_FLOATS) || !spv_operand_is(v, inst, 2, T_MATRIX) ||
		    !spv_operand_is(v, inst, 3, T_FLOATS))
			return false;
		if (a->inner != inst->type || type(v, a->inner)->inner != b->inner || a->dim != b->dim)
			return spv_operand_fails(v, inst, 2, "a matrix that fits the vectors", NULL);
		return true;
	case OpMatrixTimesMatrix:
		if (!spv_result_is(v, inst, inst->type, T_MATRIX) || !spv_operand_is(v, inst, 2, T_MATRIX) ||
		    !spv_operand_is(v, inst, 3, T_MATRIX))
			return false;
		if (r->inner != a->inner || type(v, r->inner)->inner != type(v, b->inner)->inner || r->dim != b->dim ||
		    a->dim != type(v, b->inner)->dim)
			return spv_operand_fails(v, inst, 3, "a matrix that fits the others", NULL);
		return true;
	case OpOuterProduct:
		if (!spv_result_is(v, inst, inst->type, T_MATRIX) || !spv_operand_is(v, inst, 3, T_FLOATS))
			return false;
		if (left != r->inner)
			return spv_operand_fails(v, inst, 2, "a column of the result", NULL);
		return (type(v, r->inner)->inner == b->inner && r->dim == b->dim) ||
		       spv_operand_fails(v, inst, 3, "a row of the result", NULL);
	default:
		return true;
	}
}

/* Results in two parts. */
static bool check_extended_integer(struct val *v, const spv_inst *inst)
{
	const spv_inst *structure = def(v, inst->type);
	uint32_t part;

	if (structure->op != OpTypeStruct || member_count(structure) != 2 || word(v, structure, 2) != word(v, structure, 3))
		return spv_result_fails(v, inst, "a structure of two equal members", NULL);
	part = word(v, structure, 2);
	if (!spv_result_is(v, inst, part, inst->op == OpSMulExtended ? T_INT_LIKE : T_INT_LIKE | T_UNSIGNED))
		return false;
	for (uint32_t i = 2; i < 4; i++)
		if (type_of(v, operand(v, inst, i)) != part)
			return spv_operand_fails(v, inst, i, "of the members' type", NULL);
	return true;
}

static bool check_bit_field(struct val *v, const spv_inst *inst)
{
	const struct spv_type *base = value_type(v, word(v, inst, 3));
	uint32_t at = 3;

	if (inst->op == OpBitCount && !spv_result_is(v, inst, inst->type, T_INT_LIKE))
		return false;
	if (!(base->mask & T_INT_LIKE) || (v->vulkan && base->width != 32))
		return spv_operand_fails(v, inst, 2, "an integer or a vector of integers, of 32 bits in Vulkan",
					 "VUID-StandaloneSpirv-Base-04781");
	if (inst->op == OpBitCount)
		return base->dim == type(v, inst->type)->dim ||
		       spv_operand_fails(v, inst, 2, "of as many components as the result", NULL);
	if (!same_result(v, inst, 2))
		return false;
	if (inst->op == OpBitFieldInsert && !same_result(v, inst, at++))
		return false;
	for (; at < operand_count(inst); at++)
		if (!spv_operand_is(v, inst, at, T_INT))
			return false;
	return true;
}

static bool check_select(struct val *v, const spv_inst *inst)
{
	const struct spv_type *result = type(v, inst->type), *condition = value_type(v, word(v, inst, 3));
	bool composites = v->version >= 0x10400;
	uint32_t dim = result->mask & T_VECTOR ? result->dim : 1;

	if (result->mask & T_POINTER) {
		if (v->addressing == AddressingModelLogical && !v->any_variable_pointers)
			return SPV_FAIL(v, inst, VARIABLE_POINTER, NULL, "OpSelect");
	} else if (result->mask & (T_SAMPLED_IMAGE | T_IMAGE | T_SAMPLER)) {
		if (!has(v, HasBindlessTextureNV))
			return spv_result_fails(v, inst, "no image or sampler", NULL);
	} else if (!(result->mask & (T_SCALAR | T_VECTOR)) &&
		   !(composites && (result->mask & (T_ARRAY | T_MATRIX | T_STRUCT)))) {
		return spv_result_fails(v, inst, "a scalar or a vector; from SPIR-V 1.4 on any composite", NULL);
	}
	if (!spv_operand_is(v, inst, 2, T_BOOL_LIKE))
		return false;
	if (condition->dim != dim && (!composites || (condition->mask & T_BOOLS)))
		return spv_operand_fails(v, inst, 2, "of as many components as the result", NULL);
	return same_result(v, inst, 3) && same_result(v, inst, 4);
}

static bool check_mul_add(struct val *v, const spv_inst *inst)
{
	const spv_inst *m[4];
	uint32_t value[4][3];
	bool known[4][3];
	/* Which of scope, rows and columns of D, A, B and C agree. */
	static const uint8_t pairs[8][4] = {
		{1, 0, 2, 0}, {1, 0, 3, 0}, {1, 0, 0, 0}, {1, 1, 3, 1}, {1, 1, 0, 1}, {2, 2, 3, 2}, {2, 2, 0, 2}, {1, 2, 2, 1},
	};

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t t = i ? type_of(v, word(v, inst, 2 + i)) : inst->type;

		if (!is(v, t, T_COOP))
			return SPV_FAIL(v, inst, COOPERATIVE, NULL, "operands and result are cooperative matrices");
		m[i] = def(v, t);
		for (uint32_t k = 0; k < 3; k++)
			known[i][k] = spv_constant(v, word(v, m[i], 3 + k), &value[i][k]);
	}
	for (int i = 0; i < 8; i++) {
		const uint8_t *p = pairs[i];

		if (known[p[0]][p[1]] && known[p[2]][p[3]] && value[p[0]][p[1]] != value[p[2]][p[3]])
			return SPV_FAIL(v, inst, COOPERATIVE, NULL, "the shapes of the matrices fit");
	}
	return true;
}

bool spv_check_matrix(struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpVectorTimesScalar: case OpMatrixTimesScalar: return check_scale(v, inst);
	case OpIAddCarry: case OpISubBorrow: case OpUMulExtended: case OpSMulExtended: return check_extended_integer(v, inst);
	case OpBitFieldInsert: case OpBitFieldSExtract: case OpBitFieldUExtract: case OpBitReverse: case OpBitCount:
		return check_bit_field(v, inst);
	case OpSelect: return check_select(v, inst);
	case OpCooperativeMatrixMulAddNV: return check_mul_add(v, inst);
	default: return check_product(v, inst);
	}
}

/* --- Conversions --------------------------------------------------------- */

static bool check_bitcast(struct val *v, const spv_inst *inst)
{
	const struct spv_type *result = type(v, inst->type), *input = value_type(v, word(v, inst, 3));
	uint32_t numbers = T_INT_LIKE | T_FLOAT_LIKE;
	bool vectors = v->version >= 0x10500 || v->physical_storage;

	if (!(result->mask & (numbers | T_POINTER)))
		return spv_result_fails(v, inst, "a pointer, a number or a vector of numbers", NULL);
	if (!(input->mask & (numbers | T_POINTER)))
		return spv_operand_fails(v, inst, 2, "a pointer, a number or a vector of numbers", NULL);
	if ((result->mask & T_POINTER) && !(input->mask & (T_POINTER | T_INT)) &&
	    !(vectors && (input->mask & T_INTS) && input->width == 32))
		return spv_operand_fails(v, inst, 2, "a pointer or integers", NULL);
	if ((input->mask & T_POINTER) && !(result->mask & (T_POINTER | T_INT)) &&
	    !(vectors && (result->mask & T_INTS) && result->width == 32))
		return spv_result_fails(v, inst, "a pointer or integers", NULL);
	if (!((result->mask | input->mask) & T_POINTER) && result->width * result->dim != input->width * input->dim)
		return spv_operand_fails(v, inst, 2, "of as many bits as the result", NULL);
	if (is_small(v, inst->type) || is_small(v, type_of(v, word(v, inst, 3))))
		return SPV_FAIL(v, inst, SMALL_TYPE, NULL, "OpBitcast");
	return true;
}

/* Pointers and integers: physical addressing only. */
static bool check_address(struct val *v, const spv_inst *inst)
{
	bool to_pointer = inst->op == OpConvertUToPtr;
	uint32_t input = type_of(v, word(v, inst, 3)), pointer = to_pointer ? inst->type : input;
	uint32_t integer = to_pointer ? input : inst->type;

	if (!spv_result_is(v, inst, inst->type, to_pointer ? T_POINTER : T_INT | T_UNSIGNED) ||
	    !spv_operand_is(v, inst, 2, to_pointer ? T_INT : T_POINTER))
		return false;
	if (v->addressing == AddressingModelLogical)
		return SPV_FAIL(v, inst, ADDRESSING, NULL, spv_op_name(inst->op));
	if (v->addressing == AddressingModelPhysicalStorageBuffer64) {
		if (pointer_class(v, pointer) != StorageClassPhysicalStorageBuffer)
			return spv_operand_fails(v, inst, 2, "in PhysicalStorageBuffer", NULL);
		if (v->vulkan && type(v, integer)->width != 64)
			return spv_operand_fails(v, inst, 2, "of 64 bits",
						 "VUID-StandaloneSpirv-PhysicalStorageBuffer64-04710");
	}
	return true;
}

static bool check_generic(struct val *v, const spv_inst *inst)
{
	uint32_t input = type_of(v, word(v, inst, 3)), from, to;

	if (!spv_result_is(v, inst, inst->type, T_POINTER) || !spv_operand_is(v, inst, 2, T_POINTER))
		return false;
	from = pointer_class(v, inst->op == OpPtrCastToGeneric ? input : inst->type);
	to = pointer_class(v, inst->op == OpPtrCastToGeneric ? inst->type : input);
	if (to != StorageClassGeneric || (from != StorageClassWorkgroup && from != StorageClassCrossWorkgroup &&
					  from != StorageClassFunction))
		return spv_operand_fails(v, inst, 2, "in Generic, Workgroup, CrossWorkgroup or Function", NULL);
	if (inst->op == OpGenericCastToPtrExplicit && pointer_class(v, inst->type) != word(v, inst, 4))
		return spv_result_fails(v, inst, "in the storage class that it names", NULL);
	return type(v, inst->type)->inner == type(v, input)->inner ||
	       spv_operand_fails(v, inst, 2, "a pointer to what the result points to", NULL);
}

bool spv_check_conversion(struct val *v, const spv_inst *inst)
{
	switch (inst->op) {
	case OpBitcast: return check_bitcast(v, inst);
	case OpConvertPtrToU: case OpConvertUToPtr: return check_address(v, inst);
	case OpPtrCastToGeneric: case OpGenericCastToPtr: case OpGenericCastToPtrExplicit: return check_generic(v, inst);
	case OpConvertUToAccelerationStructureKHR: {
		const struct spv_type *t = value_type(v, word(v, inst, 3));
		bool handle = (t->mask & T_UNSIGNED) && (((t->mask & T_INT) && t->width == 64) ||
							 ((t->mask & T_INTS) && t->dim == 2 && t->width == 32));

		if (!spv_result_is(v, inst, inst->type, T_ACCELERATION))
			return false;
		return handle || spv_operand_fails(v, inst, 2, "64 bits: an unsigned integer or two", NULL);
	}
	default: return true;
	}
}
