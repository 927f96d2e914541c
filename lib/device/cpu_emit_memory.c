/* SPDX-License-Identifier: MIT */
#include "device/cpu_emit.h"

static const uint16_t gathers[2][2] = {
	{GLC_LOOP_gather32, GLC_LOOP_gather32_64}, {GLC_LOOP_gather64, GLC_LOOP_gather64_64}};
static const uint16_t scatters[2][2] = {
	{GLC_LOOP_scatter32, GLC_LOOP_scatter32_64}, {GLC_LOOP_scatter64, GLC_LOOP_scatter64_64}};

static void describe_access(const struct glc_inst *inst, struct glc_step *s)
{
	s->object = inst->object;
	s->type = inst->type;
	s->flags |= inst->from == GLC_U64 ? GLC_FLAG_INDEX64 : 0;
}

void cpu_emit_load(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct cpu_value *v = &e->c->values[index];
	bool wide = cpu_bits(inst->type) == 64, far = inst->from == GLC_U64;
	enum glc_shape at = cpu_shape(e->c, inst->arg[0]);
	struct glc_step *s;

	if (v->shape == GLC_UNIFORM) {
		s = cpu_step(e, GLC_STEP_LOAD_U);
		s->d = v->word;
		s->a = cpu_word(e, inst->arg[0]);
	} else if (at == GLC_AFFINE) {
		s = cpu_step(e, GLC_STEP_LOAD_A);
		s->d = v->slot;
		s->a = cpu_word(e, inst->arg[0]);
		s->b = GLC_SLOT_INDEX;
		s->c = v->reg;
		s->flags = v->alias ? GLC_FLAG_ALIAS : 0;
		s->stride = cpu_value_of(e, inst->arg[0])->stride;
		s->lanes = cpu_loop(e, gathers[wide][0], 0);
	} else {
		s = cpu_lanes(e, gathers[wide][far], 0);
		s->d = v->slot;
		s->b = cpu_value_of(e, inst->arg[0])->reg;
	}
	describe_access(inst, s);
}

/*
 * A value that is only stored, by the step behind the one that makes it, is made where it is to lie; not one that comes
 * of other lanes (a gather, a shuffle), whose places may have been written by then. Gives the register it is made in.
 */
static uint32_t aim(struct cpu_emit *e, const struct glc_inst *inst)
{
	const struct cpu_value *v = cpu_value_of(e, inst->arg[1]);
	uint16_t op = e->c->kernel->insts[cpu_same(e->c, inst->arg[1])].op;
	uint32_t at = e->steps.count - 1;
	struct glc_step *s;

	if (!(glc_ops[op].flags & GLC_PURE) || v->uses != 1 || v->alias || &e->c->values[v->home] != v ||
	    cpu_value_of(e, inst->arg[0])->stride != 1)
		return v->reg;
	if (!e->steps.count || at < e->landed || e->steps.at[at].code != GLC_STEP_LANES || e->steps.at[at].d != v->slot)
		return v->reg;
	s = cpu_step(e, GLC_STEP_AIM);
	s->a = cpu_word(e, inst->arg[0]);
	s->c = e->c->program->reg_count++;
	s->d = v->slot;
	s->stride = 1;
	describe_access(inst, s);
	if (!e->c->failed) {
		struct glc_step made = e->steps.at[at];

		made.d = s->c;
		e->steps.at[at] = *s;
		e->steps.at[at + 1] = made;
	}
	return e->c->program->reg_count - 1;
}

void cpu_emit_store(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	bool wide = cpu_bits(inst->type) == 64, far = inst->from == GLC_U64;
	enum glc_shape at = cpu_shape(e->c, inst->arg[0]);
	uint32_t from = at == GLC_AFFINE && !cpu_is_word(e, inst->arg[1]) ? aim(e, inst) : cpu_word_or_reg(e, inst->arg[1]);
	struct glc_step *s;

	if (at == GLC_VARYING) {
		s = cpu_lanes(e, scatters[wide][far], 0);
		s->b = cpu_value_of(e, inst->arg[0])->reg;
	} else {
		s = cpu_step(e, at == GLC_AFFINE ? GLC_STEP_STORE_A : GLC_STEP_STORE_U);
		s->c = cpu_word(e, inst->arg[0]);
		s->b = GLC_SLOT_INDEX;
		s->lanes = cpu_loop(e, scatters[wide][0], 0);
		if (at == GLC_AFFINE)
			s->stride = cpu_value_of(e, inst->arg[0])->stride;
	}
	s->a = from;
	s->flags = cpu_is_word(e, inst->arg[1]) ? GLC_FLAG_WORD : 0;
	describe_access(inst, s);
}

/* What index and value are, for the steps that ask lane by lane. */
static void describe_operands(struct cpu_emit *e, const struct glc_inst *inst, struct glc_step *s, bool has_value)
{
	s->b = cpu_word_or_reg(e, inst->arg[0]);
	s->flags |= cpu_is_word(e, inst->arg[0]) ? GLC_FLAG_INDEX_WORD : 0;
	if (has_value) {
		s->a = cpu_word_or_reg(e, inst->arg[1]);
		s->flags |= cpu_is_word(e, inst->arg[1]) ? GLC_FLAG_WORD : 0;
	}
	describe_access(inst, s);
}

void cpu_emit_local(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct cpu_value *v = &e->c->values[index];
	bool loads = inst->op == GLC_OP_LoadLocal;
	struct glc_step *s = cpu_step(e, loads ? GLC_STEP_LOCAL : GLC_STEP_STORE_LOCAL);

	if (loads) {
		s->d = v->shape == GLC_VARYING ? v->slot : v->word;
		s->c = v->reg;
		s->flags = (v->alias ? GLC_FLAG_ALIAS : 0) |
			   (v->shape == GLC_UNIFORM ? GLC_FLAG_RESULT_WORD : 0);
	}
	describe_operands(e, inst, s, !loads);
}

void cpu_emit_atomic(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct cpu_value *v = &e->c->values[index];
	struct glc_step *s;

	cpu_watch_fence(e, index);
	s = cpu_step(e, GLC_STEP_ATOMIC);
	s->d = v->shape == GLC_VARYING ? v->slot : v->word;
	s->flags = (v->shape == GLC_UNIFORM ? GLC_FLAG_RESULT_WORD : 0) | (v->uses ? 0 : GLC_FLAG_UNUSED);
	describe_operands(e, inst, s, true);
}

void cpu_emit_shuffle(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct cpu_value *v = &e->c->values[index];
	struct glc_step *s;
	uint32_t a, b;

	if (v->shape == GLC_UNIFORM) {
		/* One lane: there is no other to ask. */
		cpu_move(e, v->word, cpu_word(e, inst->arg[0]), inst->type);
		return;
	}
	a = cpu_reg(e, inst->arg[0], GLC_SLOT_SPLAT);
	b = cpu_reg(e, inst->arg[1], GLC_SLOT_SPLAT2);
	s = cpu_lanes(e, cpu_bits(inst->type) == 64 ? GLC_LOOP_shuffle64 : GLC_LOOP_shuffle32, 0);
	s->d = v->slot;
	s->a = a;
	s->b = b;
}
