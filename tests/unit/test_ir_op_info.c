/* SPDX-License-Identifier: MIT */
#include <glacier.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

/* The numbers that Glacier.Compute gave them. */
Test(ir_op_info, keeps_the_numbers_of_the_stream)
{
	static const char names[][16] = {
		"Nop", "Add", "Sub", "Mul", "Div", "Fma", "Neg", "Abs", "Min", "Max", "Sqrt", "Rsqrt", "Exp",
		"Log", "Tanh", "LoadGlobal", "StoreGlobal", "LoadShared", "StoreShared", "LoadConstant",
		"ShflSyncBfly", "BarrierSync", "LocalId", "GlobalId", "AtomicAdd", "Return"};

	for (int i = 0; i < GLACIER_OP_COUNT; i++) {
		struct glacier_opcode_info info;
		bool in_stream = i < (int)(sizeof names / sizeof *names);

		cr_assert(glacier_opcode_info((enum glacier_opcode)i, &info));
		cr_expect(eq(int, info.opcode, i));
		cr_expect(eq(int, glacier_opcode_find(info.name), i));
		cr_expect(eq(int, !!(info.flags & GLACIER_OPCODE_STREAM), in_stream));
		if (in_stream)
			cr_expect(eq(str, (char *)info.name, (char *)names[i]));
	}
}

Test(ir_op_info, tells_what_an_instruction_takes)
{
	struct glacier_opcode_info info;

	cr_assert(glacier_opcode_info(GLACIER_OP_STORE_GLOBAL, &info));
	cr_expect(eq(int, info.result, GLACIER_RESULT_NONE));
	cr_expect(eq(u32, info.operand_count, 3));
	cr_expect(eq(int, info.operands[0], GLACIER_OPERAND_BUFFER));
	cr_expect(eq(int, info.operands[1], GLACIER_OPERAND_INDEX));
	cr_expect(eq(int, info.operands[2], GLACIER_OPERAND_VALUE));
	cr_expect(eq(u32, info.types >> GLACIER_F32 & 1, 1));
	cr_expect(eq(u32, info.types >> GLACIER_BOOL & 1, 0));

	cr_assert(glacier_opcode_info(GLACIER_OP_CVT, &info));
	cr_expect(eq(u32, !!(info.flags & GLACIER_OPCODE_FROM), 1));
	cr_expect(eq(int, info.operands[0], GLACIER_OPERAND_FROM));

	cr_assert(glacier_opcode_info(GLACIER_OP_LT, &info));
	cr_expect(eq(int, info.result, GLACIER_RESULT_BOOL));
	cr_assert(glacier_opcode_info(GLACIER_OP_MUL_WIDE, &info));
	cr_expect(eq(int, info.result, GLACIER_RESULT_WIDE));
	cr_assert(glacier_opcode_info(GLACIER_OP_ATOMIC_ADD, &info));
	cr_expect(eq(int, info.result, GLACIER_RESULT_OPTIONAL));
}

Test(ir_op_info, has_no_other_opcodes)
{
	struct glacier_opcode_info info = {.operand_count = 9};

	cr_expect(eq(int, glacier_opcode_info(GLACIER_OP_COUNT, &info), false));
	cr_expect(eq(int, glacier_opcode_info((enum glacier_opcode)-1, &info), false));
	cr_expect(eq(u32, info.operand_count, 9));
	cr_expect(eq(int, glacier_opcode_find("add"), GLACIER_OP_COUNT));
	cr_expect(eq(int, glacier_opcode_find("Phi"), GLACIER_OP_COUNT));
	cr_expect(eq(int, glacier_opcode_find(""), GLACIER_OP_COUNT));
	cr_expect(eq(str, (char *)glacier_type_name(GLACIER_BF16), (char *)"bf16"));
	cr_expect(eq(str, (char *)glacier_type_name(GLACIER_TYPE_COUNT), (char *)"void"));
}

/* A list at the end of what the buffer held. */
Test(ir_op_info, lists_every_opcode_once)
{
	struct glacier_buffer out = {0};
	size_t lines = 0;

	cr_assert(eq(int, glacier_opcode_list(false, &out), GLACIER_OK));
	for (size_t i = 0; i < out.size; i++)
		lines += out.data[i] == '\n';
	cr_expect(eq(sz, lines, GLACIER_OP_COUNT));
	lines = out.size;
	cr_assert(eq(int, glacier_opcode_list(true, &out), GLACIER_OK));
	cr_expect(eq(int, out.data[lines], '['));
	glacier_buffer_fini(&out);
}
