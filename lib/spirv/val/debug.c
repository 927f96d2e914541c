/* SPDX-License-Identifier: MIT */
/*
 * OpenCL.DebugInfo.100 and NonSemantic.Shader.DebugInfo.100: what operands name. The grammar calls them all
 * ids. The sets share numbers; what is a literal in the first is a 32-bit constant in the second. Instructions
 * that the table does not have name what they like, as for spirv-val.
 *
 * Source: SPIR-V extended instruction sets, both, the instructions' operands.
 */
#include "spirv/val/val.h"

enum {
	NONE = 0, COMPILATION_UNIT = 1, BASIC = 2, ARRAY = 5, VECTOR = 6, TEMPLATE = 14, COMPOSITE = 10, MEMBER = 11,
	INHERITANCE = 12, TEMPLATE_PARAMETER = 15, TEMPLATE_TEMPLATE_PARAMETER = 16, GLOBAL_VARIABLE = 18, DECLARATION = 19,
	FUNCTION = 20, LEXICAL_BLOCK = 21, INLINED_AT = 25, LOCAL_VARIABLE = 26, OPERATION = 30, EXPRESSION = 31, SOURCE = 35,
	MATRIX = 108,
	SET_SHADER = 1, SET_OPENCL = 2, SETS = 3, UNSIGNED = 6, CLASS = 0, STRUCTURE = 1,
};

/*
 * Operands, a letter each. A small letter is an instruction of the set: s Source, b TypeBasic, v TypeVector, c
 * TypeComposite, e Expression, o Operation, i InlinedAt, l LocalVariable, d FunctionDeclaration, m TypeMember; t a
 * type, p a type or a parameter of a template, q one of those parameters, x a scope, k a member, g what a template is
 * of, h a class or structure. Others: S OpString, C OpConstant, P a positive one, U an unsigned 32-bit one, N one from
 * 1 to 4, I an integer, A an array's length, V a variable or constant, W a variable or parameter, F OpFunction, R void
 * or p. '.' anything; '?' behind a letter: or DebugInfoNone; '*' begins what is repeated.
 */
static const struct {
	uint8_t number, sets;
	char operands[14];
} rows[] = {
	{1, SETS, "UUsU"}, {2, SETS, "SCU"}, {3, SETS, "bUU"}, {4, SETS, "bU"}, {5, SETS, "t*A"}, {6, SETS, "bN"},
	{7, SETS, "SbsUUx"}, {8, SETS, "UR*p"}, {9, SETS, "St?sUUxPU*CS"}, {10, SETS, "S.sUUxSC?U*k"},
	{11, SET_SHADER, "SpsUUCCUC"}, {11, SET_OPENCL, "SpsUUcCCUC"}, {12, SET_OPENCL, "hhCCU"}, {14, SETS, "g*q"},
	{15, SETS, "StC?sUU"}, {18, SETS, "StsUUxSV?.m"}, {19, SETS, "StsUUxSU"}, {20, SET_SHADER, "StsUUxSUUd"},
	{20, SET_OPENCL, "StsUUxSUUF?d"}, {21, SETS, "sUUxS"}, {23, SETS, "xi"}, {25, SETS, "Uxi"}, {26, SETS, "SpsUUxUU"},
	{28, SETS, "lWe"}, {29, SETS, "l.e*I"}, {30, SETS, "U*U"}, {31, SETS, "*o"}, {35, SETS, "SS"}, {108, SET_SHADER, "vN"},
};

/* The number of an instruction of either set; UINT32_MAX: it is none. */
static uint32_t debug_number(struct val *v, uint32_t id)
{
	const spv_inst *inst = def(v, id);

	if (!inst || inst->op != OpExtInst)
		return UINT32_MAX;
	switch (spv_set_of(v, inst)) {
	case SetOpenCLDebugInfo100: case SetNonSemanticShaderDebugInfo100: return word(v, inst, 4);
	default: return UINT32_MAX;
	}
}

static bool is_integer_constant(const struct val *v, uint32_t id)
{
	return op_of(v, id) == OpConstant && (value_type(v, id)->mask & T_INT);
}

/* A variable of an unsigned basic type; any: of whatever size. */
static bool is_length(struct val *v, uint32_t id, bool any)
{
	uint32_t number = debug_number(v, id), basic, encoding, size;

	if (number != LOCAL_VARIABLE && number != GLOBAL_VARIABLE)
		return false;
	basic = word(v, def(v, id), 6);
	if (debug_number(v, basic) != BASIC)
		return false;
	encoding = word(v, def(v, basic), 7);
	if (spv_set_of(v, def(v, basic)) == SetNonSemanticShaderDebugInfo100 && !spv_constant(v, encoding, &encoding))
		return false;
	return any || (encoding == UNSIGNED && spv_constant(v, word(v, def(v, basic), 6), &size) && (size == 32 || size == 64));
}

static bool is_class(struct val *v, uint32_t id)
{
	uint32_t tag;

	if (debug_number(v, id) != COMPOSITE)
		return false;
	tag = word(v, def(v, id), 6);
	return tag == CLASS || tag == STRUCTURE;
}

static bool is_parameter(uint32_t number)
{
	return number == TEMPLATE_PARAMETER || number == TEMPLATE_TEMPLATE_PARAMETER;
}

static bool is_type(struct val *v, const spv_inst *inst, uint32_t number)
{
	return (number >= BASIC && number <= TEMPLATE) ||
	       (number == MATRIX && spv_set_of(v, inst) == SetNonSemanticShaderDebugInfo100);
}

/* NULL: the operand is of that kind; else what it should be. */
static const char *wrong(struct val *v, const spv_inst *inst, uint32_t id, char kind)
{
	uint32_t number = debug_number(v, id), value = 0;
	bool shader = spv_set_of(v, inst) == SetNonSemanticShaderDebugInfo100;

	switch (kind) {
	case 's': return number == SOURCE ? NULL : "a DebugSource";
	case 'b': return number == BASIC ? NULL : "a DebugTypeBasic";
	case 'v': return number == VECTOR ? NULL : "a DebugTypeVector";
	case 'c': return number == COMPOSITE ? NULL : "a DebugTypeComposite";
	case 'e': return number == EXPRESSION ? NULL : "a DebugExpression";
	case 'o': return number == OPERATION ? NULL : "a DebugOperation";
	case 'i': return number == INLINED_AT ? NULL : "a DebugInlinedAt";
	case 'l': return number == LOCAL_VARIABLE ? NULL : "a DebugLocalVariable";
	case 'd': return number == DECLARATION ? NULL : "a DebugFunctionDeclaration";
	case 'm': return number == MEMBER ? NULL : "a DebugTypeMember";
	case 't': return is_type(v, inst, number) ? NULL : "a type of debug information";
	case 'p':
		return is_type(v, inst, number) || is_parameter(number)
			       ? NULL : "a type of debug information, or a template's parameter";
	case 'q': return is_parameter(number) ? NULL : "a template's parameter";
	case 'R':
		return op_of(v, id) == OpTypeVoid || is_type(v, inst, number) || is_parameter(number)
			       ? NULL : "void, a type of debug information, or a template's parameter";
	case 'x':
		return number == COMPILATION_UNIT || number == FUNCTION || number == LEXICAL_BLOCK || number == COMPOSITE
			       ? NULL : "a scope: a compilation unit, function, lexical block or composite of debug information";
	case 'k':
		return number == MEMBER || number == FUNCTION || number == INHERITANCE
			       ? NULL : "a DebugTypeMember, DebugFunction or DebugTypeInheritance";
	case 'g': return number == COMPOSITE || number == FUNCTION ? NULL : "a DebugTypeComposite or DebugFunction";
	case 'h': return is_class(v, id) ? NULL : "a DebugTypeComposite of a class or structure";
	case 'S': return op_of(v, id) == OpString ? NULL : "an OpString";
	case 'F': return op_of(v, id) == OpFunction ? NULL : "a function";
	case 'C': return op_of(v, id) == OpConstant ? NULL : "an OpConstant";
	case 'P':
		return is_integer_constant(v, id) && word(v, def(v, id), 3) ? NULL : "a positive integer constant";
	case 'U':
		return !shader || (op_of(v, id) == OpConstant && spv_constant(v, id, &value) && (value_type(v, id)->mask & T_UNSIGNED))
			       ? NULL : "an unsigned 32-bit constant";
	case 'N':
		if (!shader)
			value = id;   /* a literal */
		else if (wrong(v, inst, id, 'U') || !spv_constant(v, id, &value))
			return "an unsigned 32-bit constant";
		return value >= 1 && value <= 4 ? NULL : "a number of components from 1 to 4";
	case 'A':
		return (is_integer_constant(v, id) && (shader || word(v, def(v, id), 3))) || is_length(v, id, false)
			       ? NULL : "an integer constant, or a variable of debug information of 32 or 64 unsigned bits";
	case 'I':
		return is_integer_constant(v, id) || is_length(v, id, true)
			       ? NULL : "an integer constant, or a variable of debug information";
	case 'V': return op_of(v, id) == OpVariable || op_of(v, id) == OpConstant ? NULL : "a variable or constant";
	case 'W': return op_of(v, id) == OpVariable || op_of(v, id) == OpFunctionParameter ? NULL : "a variable or parameter";
	default: return NULL;
	}
}

static bool check_operands(struct val *v, const spv_inst *inst, const char *kinds)
{
	const char *at = kinds, *again = NULL;

	for (uint32_t n = 4; n < operand_count(inst); n++) {
		const char *what;
		uint32_t id = operand(v, inst, n);

		if (*at == '*')
			again = ++at;
		if (!*at)
			at = again;
		if (!at)
			return true;
		what = at[1] == '?' && debug_number(v, id) == NONE ? NULL : wrong(v, inst, id, *at);
		if (what)
			return spv_operand_fails(v, inst, n, what, NULL);
		at += at[1] == '?' ? 2 : 1;
	}
	return true;
}

bool spv_check_debug_info(struct val *v, const spv_inst *inst)
{
	uint32_t number = word(v, inst, 4);
	uint8_t set = spv_set_of(v, inst) == SetOpenCLDebugInfo100 ? SET_OPENCL : SET_SHADER;

	if (!is(v, inst->type, T_VOID))
		return spv_result_fails(v, inst, "void", NULL);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].number == number && (rows[i].sets & set))
			return check_operands(v, inst, rows[i].operands);
	return true;
}
