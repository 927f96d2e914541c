/* SPDX-License-Identifier: MIT */
/*
 * The types of results and operands. Most instructions ask the same of all their operands:
 * a row of a table says what.
 *
 * Source: SPIR-V 3.49.11 to 3.49.15; GLSL.std.450, 2.
 */
#include "spirv/val/val.h"

enum {
	SAME = 1,            /* operands have the result's type */
	DIM = 2,             /* operands have as many components as the result */
	WIDTH = 4,           /* and as wide ones */
	ALIKE = 8,           /* the second operand has the first one's type */
	EQUAL_WIDTH = 16,    /* the components of both operands are equally wide */
	FIRST_WIDTH = 32,    /* the first operand's are as wide as the result's */
	OTHER_WIDTH = 64,    /* the operand's are not as wide as the result's */
	NO_SMALL = 128,      /* neither result nor operand without its 8- or 16-bit capability */
	WIDE32 = 256,        /* the result's components have 32 bits */
	HALF_OR_SINGLE = 512,
};

struct row {
	uint16_t op;
	uint16_t rule;
	uint32_t result, operand;
};

enum {
	U = T_INT_LIKE | T_UNSIGNED, I = T_INT_LIKE, F = T_FLOAT_LIKE, B = T_BOOL_LIKE,
	UC = U | T_COOP_INT, IC = I | T_COOP_INT, FC = F | T_COOP_FLOAT,
};

static const struct row rows[] = {
	{OpConvertFToU, DIM | NO_SMALL, UC, FC},
	{OpConvertFToS, DIM | NO_SMALL, IC, FC},
	{OpConvertSToF, DIM | NO_SMALL, FC, IC},
	{OpConvertUToF, DIM | NO_SMALL, FC, IC},
	{OpUConvert, DIM | OTHER_WIDTH, UC, IC},
	{OpSConvert, DIM | OTHER_WIDTH, IC, IC},
	{OpFConvert, DIM | OTHER_WIDTH, FC, FC},
	{OpQuantizeToF16, SAME | WIDE32, F, F},
	{OpSatConvertSToU, DIM, I, I},
	{OpSatConvertUToS, DIM, I, I},
	{OpSNegate, DIM | WIDTH, IC, IC},
	{OpFNegate, SAME, FC, FC},
	{OpIAdd, DIM | WIDTH, IC, IC},
	{OpFAdd, SAME, FC, FC},
	{OpISub, DIM | WIDTH, IC, IC},
	{OpFSub, SAME, FC, FC},
	{OpIMul, DIM | WIDTH, I, I},
	{OpFMul, SAME, F, F},
	{OpUDiv, SAME, UC, UC},
	{OpSDiv, DIM | WIDTH, IC, IC},
	{OpFDiv, SAME, FC, FC},
	{OpUMod, SAME, U, U},
	{OpSRem, DIM | WIDTH, I, I},
	{OpSMod, DIM | WIDTH, I, I},
	{OpFRem, SAME, F, F},
	{OpFMod, SAME, F, F},
	{OpAny, 0, T_BOOL, T_BOOLS},
	{OpAll, 0, T_BOOL, T_BOOLS},
	{OpIsNan, DIM, B, F},
	{OpIsInf, DIM, B, F},
	{OpIsFinite, DIM, B, F},
	{OpIsNormal, DIM, B, F},
	{OpSignBitSet, DIM, B, F},
	{OpLessOrGreater, DIM | ALIKE, B, F},
	{OpOrdered, DIM | ALIKE, B, F},
	{OpUnordered, DIM | ALIKE, B, F},
	{OpLogicalEqual, SAME, B, B},
	{OpLogicalNotEqual, SAME, B, B},
	{OpLogicalOr, SAME, B, B},
	{OpLogicalAnd, SAME, B, B},
	{OpLogicalNot, SAME, B, B},
	{OpIEqual, DIM | EQUAL_WIDTH, B, I},
	{OpINotEqual, DIM | EQUAL_WIDTH, B, I},
	{OpUGreaterThan, DIM | EQUAL_WIDTH, B, I},
	{OpSGreaterThan, DIM | EQUAL_WIDTH, B, I},
	{OpUGreaterThanEqual, DIM | EQUAL_WIDTH, B, I},
	{OpSGreaterThanEqual, DIM | EQUAL_WIDTH, B, I},
	{OpULessThan, DIM | EQUAL_WIDTH, B, I},
	{OpSLessThan, DIM | EQUAL_WIDTH, B, I},
	{OpULessThanEqual, DIM | EQUAL_WIDTH, B, I},
	{OpSLessThanEqual, DIM | EQUAL_WIDTH, B, I},
	{OpFOrdEqual, DIM | ALIKE, B, F},
	{OpFUnordEqual, DIM | ALIKE, B, F},
	{OpFOrdNotEqual, DIM | ALIKE, B, F},
	{OpFUnordNotEqual, DIM | ALIKE, B, F},
	{OpFOrdLessThan, DIM | ALIKE, B, F},
	{OpFUnordLessThan, DIM | ALIKE, B, F},
	{OpFOrdGreaterThan, DIM | ALIKE, B, F},
	{OpFUnordGreaterThan, DIM | ALIKE, B, F},
	{OpFOrdLessThanEqual, DIM | ALIKE, B, F},
	{OpFUnordLessThanEqual, DIM | ALIKE, B, F},
	{OpFOrdGreaterThanEqual, DIM | ALIKE, B, F},
	{OpFUnordGreaterThanEqual, DIM | ALIKE, B, F},
	{OpShiftRightLogical, DIM | FIRST_WIDTH, I, I},
	{OpShiftRightArithmetic, DIM | FIRST_WIDTH, I, I},
	{OpShiftLeftLogical, DIM | FIRST_WIDTH, I, I},
	{OpBitwiseOr, DIM | WIDTH, I, I},
	{OpBitwiseXor, DIM | WIDTH, I, I},
	{OpBitwiseAnd, DIM | WIDTH, I, I},
	{OpNot, DIM | WIDTH, I, I},
	{OpDPdx, SAME | WIDE32, F, F}, {OpDPdy, SAME | WIDE32, F, F}, {OpFwidth, SAME | WIDE32, F, F},
	{OpDPdxFine, SAME | WIDE32, F, F}, {OpDPdyFine, SAME | WIDE32, F, F}, {OpFwidthFine, SAME | WIDE32, F, F},
	{OpDPdxCoarse, SAME | WIDE32, F, F}, {OpDPdyCoarse, SAME | WIDE32, F, F}, {OpFwidthCoarse, SAME | WIDE32, F, F},
};

/* By number in the set; 0: not here. */
static const struct row extended_rows[] = {
	[1] = {1, SAME, F, F}, [2] = {2, SAME, F, F}, [3] = {3, SAME, F, F}, [4] = {4, SAME, F, F},
	[5] = {5, DIM | WIDTH, I, I}, [6] = {6, SAME, F, F}, [7] = {7, DIM | WIDTH, I, I},
	[8] = {8, SAME, F, F}, [9] = {9, SAME, F, F}, [10] = {10, SAME, F, F},
	[11] = {11, SAME | HALF_OR_SINGLE, F, F}, [12] = {12, SAME | HALF_OR_SINGLE, F, F},
	[13] = {13, SAME | HALF_OR_SINGLE, F, F}, [14] = {14, SAME | HALF_OR_SINGLE, F, F},
	[15] = {15, SAME | HALF_OR_SINGLE, F, F}, [16] = {16, SAME | HALF_OR_SINGLE, F, F},
	[17] = {17, SAME | HALF_OR_SINGLE, F, F}, [18] = {18, SAME | HALF_OR_SINGLE, F, F},
	[19] = {19, SAME | HALF_OR_SINGLE, F, F}, [20] = {20, SAME | HALF_OR_SINGLE, F, F},
	[21] = {21, SAME | HALF_OR_SINGLE, F, F}, [22] = {22, SAME | HALF_OR_SINGLE, F, F},
	[23] = {23, SAME | HALF_OR_SINGLE, F, F}, [24] = {24, SAME | HALF_OR_SINGLE, F, F},
	[25] = {25, SAME | HALF_OR_SINGLE, F, F}, [26] = {26, SAME | HALF_OR_SINGLE, F, F},
	[27] = {27, SAME | HALF_OR_SINGLE, F, F}, [28] = {28, SAME | HALF_OR_SINGLE, F, F},
	[29] = {29, SAME | HALF_OR_SINGLE, F, F}, [30] = {30, SAME | HALF_OR_SINGLE, F, F},
	[31] = {31, SAME, F, F}, [32] = {32, SAME, F, F},
	[37] = {37, SAME, F, F}, [38] = {38, DIM | WIDTH, I, I}, [39] = {39, DIM | WIDTH, I, I},
	[40] = {40, SAME, F, F}, [41] = {41, DIM | WIDTH, I, I}, [42] = {42, DIM | WIDTH, I, I},
	[43] = {43, SAME, F, F}, [44] = {44, DIM | WIDTH, I, I}, [45] = {45, DIM | WIDTH, I, I},
	[46] = {46, SAME, F, F}, [48] = {48, SAME, F, F}, [49] = {49, SAME, F, F}, [50] = {50, SAME, F, F},
	[69] = {69, SAME, F, F}, [70] = {70, SAME, F, F}, [71] = {71, SAME, F, F},
	[73] = {73, DIM | WIDTH, I, I}, [74] = {74, DIM | WIDTH | WIDE32, I, I}, [75] = {75, DIM | WIDTH | WIDE32, I, I},
	[79] = {79, SAME, F, F}, [80] = {80, SAME, F, F}, [81] = {81, SAME, F, F},
};

static const struct row *find(uint32_t op)
{
	return SPV_FIND(rows, sizeof rows / sizeof rows[0], op, op);
}

static bool shapes_match(const struct val *v, uint32_t a, uint32_t b)
{
	const spv_inst *left = def(v, a), *right = def(v, b);

	if (left->op != OpTypeCooperativeMatrixNV || right->op != OpTypeCooperativeMatrixNV)
		return false;
	for (uint32_t i = 3; i < 6; i++) {
		uint32_t x, y;

		if (spv_constant(v, word(v, left, i), &x) && spv_constant(v, word(v, right, i), &y) && x != y)
			return false;
	}
	return true;
}

static bool check_operand(struct val *v, const spv_inst *inst, const struct row *row, uint32_t first, uint32_t n)
{
	uint32_t result_id = inst->type, id = type_of(v, operand(v, inst, n));
	const struct spv_type *result = type(v, result_id), *t = type(v, id);

	if (row->rule & SAME)
		return id == result_id || spv_operand_fails(v, inst, n, "of the result's type", NULL);
	if (!spv_operand_is(v, inst, n, row->operand))
		return false;
	if ((row->rule & DIM) && ((result->mask | t->mask) & T_COOP) && (row->rule & (NO_SMALL | OTHER_WIDTH))) {
		if (!shapes_match(v, result_id, id))
			return spv_operand_fails(v, inst, n, "a matrix of the result's shape", NULL);
	} else if ((row->rule & DIM) && t->dim != result->dim) {
		return spv_operand_fails(v, inst, n, "of as many components as the result", NULL);
	}
	if (((row->rule & WIDTH) || ((row->rule & FIRST_WIDTH) && n == first)) && t->width != result->width)
		return spv_operand_fails(v, inst, n, "as wide as the result", NULL);
	if ((row->rule & OTHER_WIDTH) && t->width == result->width)
		return spv_operand_fails(v, inst, n, "wider or narrower than the result", NULL);
	if ((row->rule & ALIKE) && n > first && id != type_of(v, operand(v, inst, first)))
		return spv_operand_fails(v, inst, n, "of the first operand's type", NULL);
	if ((row->rule & EQUAL_WIDTH) && n > first && t->width != value_type(v, operand(v, inst, first))->width)
		return spv_operand_fails(v, inst, n, "as wide as the first operand", NULL);
	if ((row->rule & NO_SMALL) && is_small(v, id))
		return SPV_FAIL(v, inst, SMALL_TYPE, NULL, spv_op_name(inst->op));
	return true;
}

static bool check_row(struct val *v, const spv_inst *inst, const struct row *row, uint32_t first)
{
	uint32_t width = type(v, inst->type)->width;

	if (!spv_result_is(v, inst, inst->type, row->result))
		return false;
	if ((row->rule & WIDE32) && width != 32)
		return spv_result_fails(v, inst, "of 32 bits", NULL);
	if ((row->rule & HALF_OR_SINGLE) && width != 16 && width != 32)
		return spv_result_fails(v, inst, "of 16 or 32 bits", NULL);
	for (uint32_t i = first; i < operand_count(inst); i++)
		if (!check_operand(v, inst, row, first, i))
			return false;
	if ((row->rule & NO_SMALL) && is_small(v, inst->type))
		return SPV_FAIL(v, inst, SMALL_TYPE, NULL, spv_op_name(inst->op));
	return true;
}

static bool is_derivative(uint32_t op)
{
	return op >= OpDPdx && op <= OpFwidthCoarse;
}

bool spv_check_typing(struct val *v, const spv_inst *inst)
{
	const struct row *row = find(inst->op);

	if (!row)
		return true;
	return check_row(v, inst, row, 2) && (!is_derivative(inst->op) || spv_needs_derivatives(v, inst));
}

/* --- GLSL.std.450 -------------------------------------------------------- */

static bool is_shape(const struct val *v, uint32_t id, uint32_t mask, uint32_t dim, uint32_t width)
{
	const struct spv_type *t = type(v, id);

	return (t->mask & T_KIND & mask) && t->dim == dim && t->width == width;
}

/* Packing and unpacking: fixed shapes. */
static const struct {
	uint8_t number;
	uint32_t result;
	uint8_t result_dim, result_width;
	uint32_t operand;
	uint8_t operand_dim, operand_width;
} packs[] = {
	{54, T_INT, 1, 32, T_FLOATS, 4, 32}, {55, T_INT, 1, 32, T_FLOATS, 4, 32},
	{56, T_INT, 1, 32, T_FLOATS, 2, 32}, {57, T_INT, 1, 32, T_FLOATS, 2, 32}, {58, T_INT, 1, 32, T_FLOATS, 2, 32},
	{59, T_FLOAT, 1, 64, T_INTS, 2, 32},
	{60, T_FLOATS, 2, 32, T_INT, 1, 32}, {61, T_FLOATS, 2, 32, T_INT, 1, 32}, {62, T_FLOATS, 2, 32, T_INT, 1, 32},
	{63, T_FLOATS, 4, 32, T_INT, 1, 32}, {64, T_FLOATS, 4, 32, T_INT, 1, 32},
	{65, T_INTS, 2, 32, T_FLOAT, 1, 64},
};

static bool check_pack(struct val *v, const spv_inst *inst, uint32_t number)
{
	for (size_t i = 0; i < sizeof packs / sizeof packs[0]; i++) {
		if (packs[i].number != number)
			continue;
		if (!is_shape(v, inst->type, packs[i].result, packs[i].result_dim, packs[i].result_width))
			return spv_result_fails(v, inst, "of the packed or unpacked shape", NULL);
		if (!is_shape(v, type_of(v, operand(v, inst, 4)), packs[i].operand, packs[i].operand_dim, packs[i].operand_width))
			return spv_operand_fails(v, inst, 4, "of the packed or unpacked shape", NULL);
	}
	return true;
}

static bool is_exponent(const struct val *v, uint32_t id, uint32_t dim)
{
	const struct spv_type *t = type(v, id);

	return (t->mask & T_INT_LIKE) && (t->width == 32 || (t->width == 16 && v->amd_int16)) && t->dim == dim;
}

static bool check_split(struct val *v, const spv_inst *inst, uint32_t number)
{
	uint32_t x = type_of(v, operand(v, inst, 4)), pointee, y;
	const spv_inst *structure;

	if (number == 36 || number == 52) {     /* ModfStruct, FrexpStruct */
		structure = def(v, inst->type);
		if (!structure || structure->op != OpTypeStruct || member_count(structure) != 2 ||
		    !is(v, word(v, structure, 2), F))
			return spv_result_fails(v, inst, "a structure of the two results", NULL);
		y = word(v, structure, 3);
		if (number == 36 ? y != word(v, structure, 2) : !is_exponent(v, y, type(v, word(v, structure, 2))->dim))
			return spv_result_fails(v, inst, "a structure of the two results", NULL);
		return x == word(v, structure, 2) || spv_operand_fails(v, inst, 4, "of the first member's type", NULL);
	}
	if (!spv_result_is(v, inst, inst->type, F))
		return false;
	if (x != inst->type)
		return spv_operand_fails(v, inst, 4, "of the result's type", NULL);
	y = type_of(v, operand(v, inst, 5));
	if (number == 53) {                     /* Ldexp */
		if (!spv_operand_is(v, inst, 5, I))
			return false;
		return type(v, y)->dim == type(v, inst->type)->dim ||
		       spv_operand_fails(v, inst, 5, "of as many components as the result", NULL);
	}
	if (!spv_operand_is(v, inst, 5, T_POINTER))
		return false;
	pointee = type(v, y)->inner;
	if (number == 35)                       /* Modf */
		return pointee == inst->type || spv_operand_fails(v, inst, 5, "a pointer to the result's type", NULL);
	return is_exponent(v, pointee, type(v, inst->type)->dim) ||
	       spv_operand_fails(v, inst, 5, "a pointer to integers of 32 bits, as many as the result has", NULL);
}

static bool check_geometry(struct val *v, const spv_inst *inst, uint32_t number)
{
	uint32_t x = type_of(v, operand(v, inst, 4)), y = operand_count(inst) > 5 ? type_of(v, operand(v, inst, 5)) : 0;
	const struct spv_type *result = type(v, inst->type);

	switch (number) {
	case 33: case 34: {                     /* Determinant, MatrixInverse */
		const struct spv_type *m = type(v, x);

		if (!(m->mask & T_MATRIX) || type(v, m->inner)->dim != m->dim)
			return spv_operand_fails(v, inst, 4, "a square matrix", NULL);
		if (number == 33 ? inst->type != type(v, m->inner)->inner : inst->type != x)
			return spv_result_fails(v, inst, "of the matrix' type", NULL);
		return true;
	}
	case 66: case 67:                       /* Length, Distance */
		if (!spv_result_is(v, inst, inst->type, T_FLOAT))
			return false;
		for (uint32_t i = 4; i < 4 + number - 65; i++) {
			uint32_t t = type_of(v, operand(v, inst, i));

			if (!spv_operand_is(v, inst, i, F))
				return false;
			if (inst->type != (is(v, t, T_FLOAT) ? t : type(v, t)->inner))
				return spv_operand_fails(v, inst, i, "of components of the result's type", NULL);
		}
		return number == 66 || type(v, x)->dim == type(v, y)->dim ||
		       spv_operand_fails(v, inst, 5, "of as many components as the first operand", NULL);
	case 68:                                /* Cross */
		if (!(result->mask & T_FLOATS) || result->dim != 3)
			return spv_result_fails(v, inst, "a vector of three floats", NULL);
		return (x == inst->type && y == inst->type) || spv_operand_fails(v, inst, 4, "of the result's type", NULL);
	case 72:                                /* Refract */
		if (!spv_result_is(v, inst, inst->type, F))
			return false;
		if (x != inst->type || y != inst->type)
			return spv_operand_fails(v, inst, 4, "of the result's type", NULL);
		return spv_operand_is(v, inst, 6, T_FLOAT);
	default:
		return true;
	}
}

static bool check_interpolate(struct val *v, const spv_inst *inst, uint32_t number)
{
	uint32_t pointer = type_of(v, operand(v, inst, 4));

	if (!has(v, HasInterpolationFunction))
		return SPV_FAIL(v, inst, CAPABILITY, NULL, "GLSL.std.450's interpolation", "InterpolationFunction");
	if (!is(v, inst->type, F) || type(v, inst->type)->width != 32)
		return spv_result_fails(v, inst, "a float or a vector of floats, of 32 bits", NULL);
	if (pointer_class(v, pointer) != StorageClassInput || type(v, pointer)->inner != inst->type)
		return spv_operand_fails(v, inst, 4, "a pointer to the result's type in Input", NULL);
	if (number == 77 && !is_shape(v, type_of(v, operand(v, inst, 5)), T_INT, 1, 32))
		return spv_operand_fails(v, inst, 5, "a 32-bit integer", NULL);
	if (number == 78 && !is_shape(v, type_of(v, operand(v, inst, 5)), T_FLOATS, 2, 32))
		return spv_operand_fails(v, inst, 5, "a vector of two 32-bit floats", NULL);
	return spv_only_models(v, inst, M_FRAGMENT, NULL);
}

bool spv_check_extended(struct val *v, const spv_inst *inst)
{
	uint32_t number = word(v, inst, 4);

	switch (spv_set_of(v, inst)) {
	case SetGLSLstd450: break;
	case SetNonSemanticClspvReflection: return spv_check_reflection(v, inst);
	case SetOpenCLDebugInfo100: case SetNonSemanticShaderDebugInfo100: return spv_check_debug_info(v, inst);
	default: return true;
	}
	if (number < sizeof extended_rows / sizeof extended_rows[0] && extended_rows[number].op)
		return check_row(v, inst, &extended_rows[number], 4);
	switch (number) {
	case 47:
		return SPV_FAIL(v, inst, RESERVED, NULL, "IMix of GLSL.std.450");
	case 35: case 36: case 51: case 52: case 53:
		return check_split(v, inst, number);
	case 76: case 77: case 78:
		return check_interpolate(v, inst, number);
	default:
		return check_pack(v, inst, number) && check_geometry(v, inst, number);
	}
}
