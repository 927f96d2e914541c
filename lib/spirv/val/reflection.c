/* SPDX-License-Identifier: MIT */
/*
 * NonSemantic.ClspvReflection: how the kernels of a module are called. Of no meaning for a
 * device; for who reads it the operands are what they are said to be.
 *
 * Source: SPIR-V extended instruction sets, NonSemantic.ClspvReflection, revisions 1 to 5.
 */
#include "spirv/val/val.h"

enum { KERNEL = 1, ARGUMENT_INFO = 2, NEWEST = 5 };

/*
 * By number: the first revision that has it, and its operands: a function F, a string S, an
 * unsigned 32-bit constant U, an instruction Kernel K, an ArgumentInfo A.
 */
static const struct {
	uint8_t from;
	char operands[8];
} rows[] = {
	[1] = {1, "FSUUS"}, [2] = {1, "SSUUU"}, [3] = {1, "KUUUA"}, [4] = {1, "KUUUA"}, [5] = {1, "KUUUUUA"}, [6] = {1, "KUUUUUA"},
	[7] = {1, "KUUUA"}, [8] = {1, "KUUUA"}, [9] = {1, "KUUUA"}, [10] = {1, "KUUUA"}, [11] = {1, "KUUUA"}, [12] = {1, "UUU"},
	[13] = {1, "UUU"}, [14] = {1, "U"}, [15] = {1, "UU"}, [16] = {1, "UU"}, [17] = {1, "UU"}, [18] = {1, "UU"}, [19] = {1, "UU"},
	[20] = {1, "UU"}, [21] = {1, "UUS"}, [22] = {1, "UUS"}, [23] = {1, "UUU"}, [24] = {1, "KUUU"}, [25] = {2, "U"},
	[26] = {3, "KUUUA"}, [27] = {3, "KUUUUUA"}, [28] = {3, "UUS"}, [29] = {3, "UUU"}, [30] = {3, "KUUU"}, [31] = {3, "KUUU"},
	[32] = {3, "KUUUUU"}, [33] = {3, "KUUUUU"}, [34] = {4, "KUUUA"}, [35] = {4, "KUUUA"}, [36] = {5, "UUS"}, [37] = {5, "UUS"},
};

static bool fails(struct val *v, const spv_inst *inst, const char *what)
{
	return SPV_FAIL(v, inst, REFLECTION, NULL, what);
}

/* The number behind the set's name; 0: none that is known. */
static uint32_t revision(const struct val *v, const spv_inst *import)
{
	uint32_t bytes, prefix = (uint32_t)strlen(spv_set_name(SetNonSemanticClspvReflection));
	const char *name = spv_text(&v->module, import, 2, &bytes);

	return bytes == prefix + 1 && name[prefix] >= '1' && name[prefix] <= '0' + NEWEST ? (uint32_t)(name[prefix] - '0') : 0;
}

static bool is_instruction(const struct val *v, uint32_t id, uint32_t set, uint32_t number)
{
	const spv_inst *inst = def(v, id);

	return inst && inst->op == OpExtInst && word(v, inst, 3) == set && word(v, inst, 4) == number;
}

static bool check_operand(struct val *v, const spv_inst *inst, uint32_t n, char kind)
{
	uint32_t id = operand(v, inst, n), value;

	switch (kind) {
	case 'F': return op_of(v, id) == OpFunction || spv_operand_fails(v, inst, n, "a function", NULL);
	case 'S': return op_of(v, id) == OpString || spv_operand_fails(v, inst, n, "an OpString", NULL);
	case 'K':
		return is_instruction(v, id, word(v, inst, 3), KERNEL) || spv_operand_fails(v, inst, n, "the set's instruction Kernel", NULL);
	case 'A':
		return is_instruction(v, id, word(v, inst, 3), ARGUMENT_INFO) ||
		       spv_operand_fails(v, inst, n, "the set's instruction ArgumentInfo", NULL);
	default:
		return (op_of(v, id) == OpConstant && spv_constant(v, id, &value) && (value_type(v, id)->mask & T_UNSIGNED)) ||
		       spv_operand_fails(v, inst, n, "an unsigned 32-bit constant", NULL);
	}
}

/* The function is an entry point of compute shaders, by that name. */
static bool check_kernel(struct val *v, const spv_inst *inst, uint32_t from)
{
	uint32_t bytes, length;
	const char *name = spv_text(&v->module, def(v, operand(v, inst, 5)), 2, &bytes);
	bool named = false;

	for (uint32_t i = 0; i < v->entries.count; i++) {
		const spv_inst *entry = &v->module.insts[v->entries.at[i].inst];
		const char *have = spv_text(&v->module, entry, 3, &length);

		if (word(v, entry, 2) != operand(v, inst, 4))
			continue;
		if (word(v, entry, 1) != ExecutionModelGLCompute)
			return fails(v, inst, "Kernel names entry points of compute shaders alone");
		named |= length == bytes && !memcmp(have, name, length);
	}
	if (!named)
		return fails(v, inst, "Kernel names an entry point by its name");
	return from >= 5 || operand_count(inst) == 6 || fails(v, inst, "Kernel has two operands before revision 5");
}

bool spv_check_reflection(struct val *v, const spv_inst *inst)
{
	uint32_t number = word(v, inst, 4), have = revision(v, def(v, word(v, inst, 3)));

	if (!have)
		return fails(v, inst, "the set's revision, the end of the name it is imported by, is 1 to 5");
	if (number >= sizeof rows / sizeof rows[0] || !rows[number].from)
		return true;
	if (!is(v, inst->type, T_VOID))
		return spv_result_fails(v, inst, "void", NULL);
	if (have < rows[number].from)
		return fails(v, inst, "the instruction is of a later revision");
	for (uint32_t i = 0; rows[number].operands[i] && 4 + i < operand_count(inst); i++)
		if (!check_operand(v, inst, 4 + i, rows[number].operands[i]))
			return false;
	return number != KERNEL || check_kernel(v, inst, have);
}
