/* SPDX-License-Identifier: MIT */
#include "device/check.h"
#include "device/cpu_emit.h"

static struct glc_step *watch(struct cpu_emit *e, uint32_t index, glc_lanes_fn *fn)
{
	struct glc_step *s = cpu_step(e, GLC_STEP_LANES);

	s->target = glc_check_site(e->c->options->watched, &e->c->kernel->insts[index]);
	s->lanes = fn;
	return s;
}

void cpu_watch_access(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	enum glc_shape shape = cpu_shape(e->c, inst->arg[0]);
	struct glc_step *s;

	if (!e->c->options->watched)
		return;
	s = watch(e, index, glc_check_access);
	s->object = inst->object;
	s->type = inst->type;
	s->flags = inst->from == GLC_U64 ? GLC_FLAG_INDEX64 : 0;
	if (shape == GLC_VARYING) {
		s->b = cpu_value_of(e, inst->arg[0])->reg;
		return;
	}
	s->flags |= GLC_FLAG_INDEX_WORD;
	s->b = cpu_word(e, inst->arg[0]);
	s->stride = shape == GLC_AFFINE ? cpu_value_of(e, inst->arg[0])->stride : 0;
}

void cpu_watch_shuffle(struct cpu_emit *e, uint32_t index)
{
	if (e->c->options->watched)
		watch(e, index, glc_check_shuffle);
}

/* The barrier is told which round of each loop around it this is. */
void cpu_watch_barrier(struct cpu_emit *e, uint32_t index)
{
	if (!e->c->options->watched)
		return;
	watch(e, index, glc_check_barrier);
	for (uint32_t r = e->c->region_of[index]; r != GLC_NOWHERE_32; r = e->c->regions[r].parent) {
		struct glc_step *s;

		if (!e->c->regions[r].is_loop)
			continue;
		s = cpu_step(e, GLC_STEP_LANES);
		s->lanes = glc_check_round;
		s->a = e->c->regions[r].rounds;
	}
}

static bool holds_barrier(const struct cpu_emit *e, const struct cpu_region *region)
{
	for (uint32_t i = region->begin; i < region->end; i++)
		if (e->c->kernel->insts[i].op == GLC_OP_BarrierSync)
			return true;
	return false;
}

/* In front of a loop, and at the head of its rounds. */
void cpu_watch_loop(struct cpu_emit *e, struct cpu_region *region)
{
	if (!e->c->options->watched || !holds_barrier(e, region))
		return;
	region->rounds = cpu_new_word(e, 0);
	cpu_move(e, region->rounds, cpu_new_word(e, 0), GLC_U32);
}

void cpu_watch_round(struct cpu_emit *e, const struct cpu_region *region)
{
	struct glc_step *s;

	if (!region->rounds)
		return;
	s = cpu_step(e, GLC_STEP_Add_u32);
	s->d = s->a = region->rounds;
	s->b = cpu_new_word(e, 1);
}

void cpu_watch_fence(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	bool atomic = inst->op == GLC_OP_AtomicAdd;
	enum glc_scope scope = GLC_DETAIL_SCOPE(inst->detail);
	bool shared = atomic && e->c->kernel->objects[inst->object].kind == GLC_OBJECT_SHARED;

	if (!e->c->options->watched || scope == GLC_SCOPE_WORKGROUP || (shared && scope == GLC_SCOPE_NONE) ||
	    (atomic && GLC_DETAIL_ORDER(inst->detail) == GLC_ORDER_RELAXED))
		return;
	cpu_step(e, GLC_STEP_LANES)->lanes = glc_check_fence;
}
