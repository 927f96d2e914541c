/* SPDX-License-Identifier: MIT */
/* When lowering would change nothing: see glc_needs_lowering. */
#include "ir/lower.h"

enum {
	IN_SPIRV = 1 << GLACIER_TARGET_SPIRV,
	IN_PTX = 1 << GLACIER_TARGET_PTX,
	IN_BOTH = IN_SPIRV | IN_PTX,
	BUT_INTS = 1 << 6,    /* not the forms on integers */
	CHECK_ARG = 1 << 7,   /* depends on an argument */
};

/* By opcode: where it is written as it is. */
static const uint8_t plain[GLC_OP_COUNT] = {
	[GLC_OP_Add] = IN_BOTH,         [GLC_OP_Sub] = IN_BOTH,         [GLC_OP_Mul] = IN_BOTH,
	[GLC_OP_Div] = IN_BOTH | BUT_INTS, [GLC_OP_Neg] = IN_BOTH,      [GLC_OP_Abs] = IN_BOTH,
	[GLC_OP_Min] = IN_BOTH,         [GLC_OP_Max] = IN_BOTH,         [GLC_OP_Sqrt] = IN_BOTH,
	[GLC_OP_Floor] = IN_BOTH,       [GLC_OP_Ceil] = IN_BOTH,        [GLC_OP_Trunc] = IN_BOTH,
	[GLC_OP_Round] = IN_BOTH,       [GLC_OP_Select] = IN_BOTH,      [GLC_OP_And] = IN_BOTH,
	[GLC_OP_Or] = IN_BOTH,          [GLC_OP_Xor] = IN_BOTH,         [GLC_OP_Not] = IN_BOTH,
	[GLC_OP_Eq] = IN_BOTH,          [GLC_OP_Ne] = IN_BOTH,          [GLC_OP_Lt] = IN_BOTH,
	[GLC_OP_Le] = IN_BOTH,          [GLC_OP_Gt] = IN_BOTH,          [GLC_OP_Ge] = IN_BOTH,
	[GLC_OP_IsNan] = IN_BOTH,       [GLC_OP_IsInf] = IN_BOTH,       [GLC_OP_Fma] = IN_PTX,
	[GLC_OP_LoadGlobal] = IN_BOTH | CHECK_ARG,  [GLC_OP_StoreGlobal] = IN_BOTH | CHECK_ARG,
	[GLC_OP_LoadShared] = IN_BOTH | CHECK_ARG,  [GLC_OP_StoreShared] = IN_BOTH | CHECK_ARG,
	[GLC_OP_ShflSyncBfly] = IN_BOTH, [GLC_OP_BarrierSync] = IN_BOTH, [GLC_OP_LocalId] = IN_BOTH,
	[GLC_OP_GlobalId] = IN_BOTH,    [GLC_OP_GroupId] = IN_BOTH,     [GLC_OP_GroupCount] = IN_BOTH,
	[GLC_OP_Param] = IN_BOTH,       [GLC_OP_Spec] = IN_SPIRV,       [GLC_OP_Phi] = IN_BOTH,
	[GLC_OP_Return] = IN_BOTH,      [GLC_OP_If] = IN_BOTH | CHECK_ARG,
	[GLC_OP_Else] = IN_BOTH,        [GLC_OP_EndIf] = IN_BOTH,
};

static bool argument_needs_lowering(const struct glc_inst *inst)
{
	return inst->op == GLC_OP_If ? glc_is_const(inst->arg[0]) : inst->from == GLC_U64;
}

/* Of one whose row does not tell by itself. */
static bool is_plain(const struct glc_inst *inst, uint8_t how, uint8_t where)
{
	return (how & where) && !((how & BUT_INTS) && glc_is_int(inst->from)) &&
	       !((how & CHECK_ARG) && argument_needs_lowering(inst));
}

static bool all_plain(const struct glc_kernel *kernel, uint8_t where)
{
	uint32_t last = GLC_OP_COUNT;   /* an opcode whose row tells: the next of the same need no look */

	for (const struct glc_inst *inst = kernel->insts, *end = inst + kernel->inst_count; inst < end; inst++) {
		uint8_t how;

		if (inst->op == last)
			continue;
		how = plain[inst->op];
		if ((how & (where | BUT_INTS | CHECK_ARG)) == where)
			last = inst->op;
		else if (!is_plain(inst, how, where))
			return false;
	}
	return true;
}

/* Of plain instructions alone: there are no loops among them, so users stand behind what they use. */
static bool has_dead(const struct glc_kernel *kernel, uint8_t *used)
{
	for (uint32_t i = kernel->inst_count; i-- > 0;) {
		const struct glc_inst *inst = &kernel->insts[i];

		if (!used[i] && glc_ops[inst->op].result != '-')
			return true;
		/* None of them takes more than three; an absent one counts as constant. */
		for (int a = 0; a < 3; a++)
			if (!glc_is_const(inst->arg[a]))
				used[inst->arg[a]] = 1;
	}
	return false;
}

bool glc_needs_lowering(const struct glc_ir *ir, const struct glacier_target *target, bool optimize,
			struct glacier_memory *memory)
{
	for (uint32_t i = 0; i < ir->kernel_count; i++) {
		const struct glc_kernel *kernel = &ir->kernels[i];
		uint8_t *used;

		if (!all_plain(kernel, (uint8_t)(1 << target->kind)))
			return true;
		if (!optimize || kernel->trimmed)
			continue;
		used = glc_bump_zero(memory, kernel->inst_count);
		if (!used || has_dead(kernel, used))
			return true;
	}
	return false;
}
