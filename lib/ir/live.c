/* SPDX-License-Identifier: MIT */
#include "ir/live.h"

struct finder {
	const struct glc_kernel *kernel;
	struct glacier_memory *memory;
	uint8_t *marks;
	uint32_t *owner;   /* by Phi: the instruction that it stands behind */
	GLC_ARRAY(uint32_t) work;
	bool failed;
};

static void need(struct finder *f, glc_value value)
{
	uint32_t *at;

	if (glc_is_const(value) || f->marks[value])
		return;
	f->marks[value] = 1;
	at = GLC_PUSH(f->memory, &f->work);
	if (at)
		*at = value;
	else
		f->failed = true;
}

/* A load whose value nobody needs is no effect; neither is a shuffle, which all drop together. */
static bool has_effect(enum glc_op op)
{
	switch (op) {
	case GLC_OP_StoreGlobal:
	case GLC_OP_StoreShared:
	case GLC_OP_StoreLocal:
	case GLC_OP_AtomicAdd:
	case GLC_OP_AtomicCompareExchange:
	case GLC_OP_BarrierSync:
	case GLC_OP_Fence:
		return true;
	default:
		return false;
	}
}

static bool is_structure(enum glc_op op)
{
	return op >= GLC_OP_If && op <= GLC_OP_Continue;
}

static void need_operands(struct finder *f, uint32_t index)
{
	const struct glc_inst *inst = &f->kernel->insts[index];

	if (inst->op == GLC_OP_Phi) {
		for (struct glc_ways w = glc_ways(f->kernel, f->owner[index], index); glc_way(&w);)
			need(f, w.value);
		return;
	}
	for (int i = 0; i < 4; i++)
		need(f, inst->arg[i]);
}

bool glc_live_find(const struct glc_kernel *kernel, struct glacier_memory *memory, struct glc_live *live)
{
	struct finder f = {.kernel = kernel, .memory = memory};
	uint32_t owner = 0;

	f.marks = glc_bump_zero(memory, kernel->inst_count);
	f.owner = glc_bump(memory, (size_t)kernel->inst_count * sizeof *f.owner);
	if (!f.marks || !f.owner)
		return false;
	for (uint32_t i = 0; i < kernel->inst_count; i++) {
		const struct glc_inst *inst = &kernel->insts[i];

		if (inst->op == GLC_OP_Phi) {
			f.owner[i] = owner;
			continue;
		}
		owner = i;
		if (has_effect(inst->op)) {
			f.marks[i] = 1;
			need_operands(&f, i);
		} else if (is_structure(inst->op) || inst->op == GLC_OP_Return) {
			f.marks[i] = 1;
			if (inst->op == GLC_OP_If || inst->op == GLC_OP_EndLoop)
				need(&f, inst->arg[0]);
		}
	}
	while (f.work.count && !f.failed)
		need_operands(&f, f.work.at[--f.work.count]);
	live->marks = f.marks;
	return !f.failed;
}
