/* SPDX-License-Identifier: MIT */
/*
 * A value is divergent when it is made from a lane's own numbers, from memory that is
 * written, by an atomic, or when it joins ways that lanes take apart. Divergence only grows,
 * so passes are repeated until nothing changes; one or two suffice but for nested loops.
 *
 * A way is divergent inside of an If or behind a Break, Continue or Return that only some
 * lanes take: a Break or Continue until the loop it belongs to has ended, a Return for ever.
 */
#include "ir/uniform.h"

struct region {
	uint32_t cause;        /* the divergent If + 1, 0: uniform */
	uint32_t loop;         /* the Loop + 1; 0: an If */
	uint32_t split;        /* loop: by what some lanes left it or skip the rest, 0: none */
	uint32_t exit_split;   /* loop: by what lanes leave it in different rounds */
};

struct uniform {
	const struct glc_ir *ir;
	const struct glc_kernel *kernel;
	struct glacier_memory *memory;
	struct glacier_diag *diag;
	uint8_t *divergent;            /* by instruction */
	uint32_t *loop_split;          /* by Loop: exit_split as found so far */
	GLC_ARRAY(struct region) regions;
	uint32_t returned;             /* by what some lanes have returned, 0: not */
	uint32_t owner;                /* what the next Phi stands behind */
	bool changed, warn, failed;
};

static bool is_divergent(const struct uniform *u, glc_value value)
{
	return !glc_is_const(value) && u->divergent[value];
}

static void set(struct uniform *u, uint32_t index, bool divergent)
{
	if (divergent && !u->divergent[index]) {
		u->divergent[index] = 1;
		u->changed = true;
	}
}

/* What separates the lanes here: an instruction + 1, or 0. */
static uint32_t separated(const struct uniform *u)
{
	if (u->returned)
		return u->returned;
	for (uint32_t i = u->regions.count; i-- > 0;) {
		if (u->regions.at[i].cause)
			return u->regions.at[i].cause;
		if (u->regions.at[i].split)
			return u->regions.at[i].split;
	}
	return 0;
}

static bool makes_divergence(const struct uniform *u, const struct glc_inst *inst)
{
	const struct glc_object *objects = u->kernel->objects;

	switch (inst->op) {
	case GLC_OP_LocalId:
	case GLC_OP_GlobalId:
	case GLC_OP_LocalIndex:
	case GLC_OP_SubgroupId:
	case GLC_OP_LaneId:
	case GLC_OP_LoadShared:
	case GLC_OP_LoadLocal:
	case GLC_OP_AtomicAdd:
	case GLC_OP_ShflSyncBfly:
		return true;
	case GLC_OP_LoadGlobal:
		return objects[inst->object].access != GLC_READ;
	default:
		return false;
	}
}

static struct region *push(struct uniform *u)
{
	struct region *region = GLC_PUSH(u->memory, &u->regions);
	static _Thread_local struct region nowhere;

	if (!region) {
		u->failed = true;
		region = &nowhere;
	}
	*region = (struct region){0};
	return region;
}

static void leave(struct uniform *u, enum glc_op op)
{
	uint32_t cause = 0, i;

	for (i = u->regions.count; i-- > 0;) {
		if (u->regions.at[i].loop)
			break;
		if (u->regions.at[i].cause)
			cause = u->regions.at[i].cause;
	}
	if (i == UINT32_MAX || !cause)
		return;
	/* From here to the loop's end not all lanes are there. */
	u->regions.at[i].split = cause;
	if (op == GLC_OP_Break)
		u->regions.at[i].exit_split = cause;
}

static void do_return(struct uniform *u)
{
	uint32_t cause = separated(u);

	if (cause)
		u->returned = cause;
}

static const char *what(enum glc_op op)
{
	return op == GLC_OP_BarrierSync ? "BarrierSync stands" : "a subgroup instruction stands";
}

static void visit(struct uniform *u, uint32_t index, uint32_t *join)
{
	const struct glc_inst *inst = &u->kernel->insts[index];
	struct region *region;
	bool divergent = false;
	uint32_t cause;

	if (inst->op != GLC_OP_Phi)
		u->owner = index;
	switch (inst->op) {
	case GLC_OP_If:
		region = push(u);
		region->cause = is_divergent(u, inst->arg[0]) ? index + 1 : 0;
		return;
	case GLC_OP_Else:
		return;
	case GLC_OP_EndIf:
		*join = u->regions.count ? u->regions.at[--u->regions.count].cause : 0;
		return;
	case GLC_OP_Loop:
		region = push(u);
		region->loop = index + 1;
		/* Lanes that leave in different rounds are separated from the second round on. */
		region->split = region->exit_split = u->loop_split[index];
		*join = 0;
		return;
	case GLC_OP_Continuing:
		if (!u->regions.count)
			return;
		region = &u->regions.at[u->regions.count - 1];
		*join = region->split;
		/* Those that continued have joined; those that broke out are gone. */
		region->split = region->exit_split;
		return;
	case GLC_OP_EndLoop:
		if (!u->regions.count)
			return;
		region = &u->regions.at[--u->regions.count];
		if (inst->arg[0] != GLC_NO_VALUE && is_divergent(u, inst->arg[0]) && !region->exit_split)
			region->exit_split = region->loop;
		*join = region->exit_split;
		if (region->exit_split && !u->loop_split[region->loop - 1]) {
			u->loop_split[region->loop - 1] = region->exit_split;
			u->changed = true;
		}
		return;
	case GLC_OP_Break:
	case GLC_OP_Continue:
		leave(u, inst->op);
		return;
	case GLC_OP_Return:
		do_return(u);
		return;
	case GLC_OP_Phi:
		/* Ways that lanes took apart give different values even of uniform ones. */
		divergent = *join != 0;
		for (struct glc_ways w = glc_ways(u->kernel, u->owner, index); !divergent && glc_way(&w);)
			divergent = is_divergent(u, w.value);
		set(u, index, divergent);
		return;
	default:
		break;
	}
	*join = 0;
	if (u->warn && (glc_ops[inst->op].flags & GLC_CONVERGE) && (cause = separated(u))) {
		glc_warn(u->diag, GLC_GA_DIVERGENT, inst->pos, what(inst->op));
		glc_note(u->diag, u->kernel->insts[cause - 1].pos, "not all invocations go the same way here");
	}
	divergent = makes_divergence(u, inst);
	for (int i = 0; i < 4 && !divergent; i++)
		divergent = is_divergent(u, inst->arg[i]);
	set(u, index, divergent);
}

static void pass(struct uniform *u)
{
	uint32_t join = 0;

	u->regions.count = 0;
	u->returned = 0;
	for (uint32_t i = 0; i < u->kernel->inst_count && !u->failed; i++)
		visit(u, i, &join);
}

static void check_kernel(struct uniform *u)
{
	u->divergent = glc_bump_zero(u->memory, u->kernel->inst_count);
	u->loop_split = glc_bump_zero(u->memory, (size_t)u->kernel->inst_count * sizeof *u->loop_split);
	if (!u->divergent || !u->loop_split)
		return;
	u->warn = false;
	do {
		u->changed = false;
		pass(u);
	} while (u->changed && !u->failed);
	u->warn = true;
	pass(u);
}

void glc_uniform_check(const struct glc_ir *ir, struct glacier_memory *memory, struct glacier_diag *diag)
{
	struct uniform u = {.ir = ir, .memory = memory, .diag = diag};
	struct glc_mark mark = glc_bump_mark(memory);

	for (uint32_t i = 0; i < ir->kernel_count; i++) {
		u.kernel = &ir->kernels[i];
		if (u.kernel->converges)
			check_kernel(&u);
	}
	glc_bump_release(memory, mark);
}
