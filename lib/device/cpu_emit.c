/* SPDX-License-Identifier: MIT */
#include "device/cpu_emit.h"

static struct glc_step nowhere;

struct glc_step *cpu_step(struct cpu_emit *e, uint32_t code)
{
	struct glc_step *s = GLC_PUSH(e->c->memory, &e->steps);

	if (!s) {
		e->c->failed = true;
		return &nowhere;
	}
	*s = (struct glc_step){.code = (uint16_t)code, .mask = (uint16_t)e->mask, .pos = e->pos};
	return s;
}

glc_lanes_fn *cpu_loop(const struct cpu_emit *e, uint32_t which, uint32_t shape)
{
	switch (e->c->options->level) {
#if defined __x86_64__
	case GLC_CPU_X86_64_V3: return glc_cpu_loop_v3(which, shape);
	case GLC_CPU_X86_64_V4: return glc_cpu_loop_v4(which, shape);
#endif
	default: return glc_cpu_loop_baseline(which, shape);
	}
}

struct glc_step *cpu_lanes(struct cpu_emit *e, uint32_t which, uint32_t shape)
{
	struct glc_step *s = cpu_step(e, GLC_STEP_LANES);

	s->lanes = cpu_loop(e, which, shape);
	return s;
}

void cpu_move(struct cpu_emit *e, uint32_t to, uint32_t from, enum glc_type type)
{
	struct glc_step *s = cpu_step(e, cpu_bits(type) == 64 ? GLC_STEP_MOVE64 : GLC_STEP_MOVE32);

	s->d = to;
	s->a = from;
}

/* --- Operands ------------------------------------------------------------- */

struct cpu_value *cpu_value_of(struct cpu_emit *e, glc_value value)
{
	return &e->c->values[cpu_same(e->c, value)];
}

bool cpu_is_word(struct cpu_emit *e, glc_value value)
{
	return cpu_shape(e->c, value) == GLC_UNIFORM;
}

uint32_t cpu_new_word(struct cpu_emit *e, uint64_t bits)
{
	union glc_word *word = GLC_PUSH(e->c->memory, &e->words);

	if (!word) {
		e->c->failed = true;
		return 0;
	}
	word->u64 = bits;
	return e->words.count - 1;
}

/* The word of a uniform value, or of an affine one in lane 0. */
uint32_t cpu_word(struct cpu_emit *e, glc_value value)
{
	value = cpu_same(e->c, value);
	if (glc_is_const(value)) {
		uint32_t index = value & ~GLC_CONST_BIT;
		const struct glc_const *constant = &e->c->ir->consts[index];

		if (!e->const_words[index])
			e->const_words[index] = 1 + cpu_new_word(e, constant->type == GLC_BOOL && constant->bits
									? UINT32_MAX : constant->bits);
		return e->const_words[index] - 1;
	}
	return e->c->values[value].word;
}

/* A register with the value in every lane; a word is spread into `scratch`. */
uint32_t cpu_reg(struct cpu_emit *e, glc_value value, uint32_t scratch)
{
	struct glc_step *s;

	if (!cpu_is_word(e, value))
		return cpu_value_of(e, value)->reg;
	s = cpu_lanes(e, cpu_bits(cpu_type(e->c, value)) == 64 ? GLC_LOOP_splat64 : GLC_LOOP_splat32, 0);
	s->d = scratch;
	s->a = cpu_word(e, value);
	return scratch;
}

uint32_t cpu_word_or_reg(struct cpu_emit *e, glc_value value)
{
	return cpu_is_word(e, value) ? cpu_word(e, value) : cpu_value_of(e, value)->reg;
}

/* An affine value that is needed by lane. */
void cpu_spread(struct cpu_emit *e, uint32_t index)
{
	const struct cpu_value *v = &e->c->values[index];
	struct glc_step *s;

	if (v->shape != GLC_AFFINE || !v->in_register)
		return;
	s = cpu_lanes(e, GLC_LOOP_iota, 0);
	s->d = v->slot;
	s->a = v->word;
	s->stride = v->stride;
}

/* --- Pure instructions ---------------------------------------------------- */

static void emit_range(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct cpu_value *v = &e->c->values[index];
	static const uint8_t swapped[] = {
		[GLC_OP_Eq - GLC_OP_Eq] = GLC_OP_Eq, [GLC_OP_Ne - GLC_OP_Eq] = GLC_OP_Ne,
		[GLC_OP_Lt - GLC_OP_Eq] = GLC_OP_Gt, [GLC_OP_Le - GLC_OP_Eq] = GLC_OP_Ge,
		[GLC_OP_Gt - GLC_OP_Eq] = GLC_OP_Lt, [GLC_OP_Ge - GLC_OP_Eq] = GLC_OP_Le,
	};
	bool first = cpu_shape(e->c, inst->arg[0]) == GLC_AFFINE;
	struct glc_step *s = cpu_step(e, GLC_STEP_RANGE);

	s->object = first ? inst->op : swapped[inst->op - GLC_OP_Eq];
	s->type = inst->from;
	s->a = cpu_word(e, inst->arg[first ? 0 : 1]);
	s->b = cpu_word(e, inst->arg[first ? 1 : 0]);
	s->c = v->word;
	s->d = v->slot;
	s->stride = cpu_value_of(e, inst->arg[first ? 0 : 1])->stride;
	s->flags = v->only_branches ? 0 : GLC_FLAG_NEEDED;
}

static void emit_row(struct cpu_emit *e, uint32_t row, uint32_t index, glc_value a, glc_value b, glc_value c)
{
	const struct cpu_value *v = &e->c->values[index];
	uint32_t shape = 0;
	struct glc_step *s;

	if (v->shape != GLC_VARYING) {
		s = cpu_step(e, row);
		s->d = v->word;
		s->a = cpu_word(e, a);
		s->b = b == GLC_NO_VALUE ? 0 : cpu_word(e, b);
		s->c = c == GLC_NO_VALUE ? 0 : cpu_word(e, c);
		cpu_spread(e, index);
		return;
	}
	if (cpu_is_word(e, a))
		shape |= GLC_A_WORD;
	if (b != GLC_NO_VALUE && cpu_is_word(e, b))
		shape |= GLC_B_WORD;
	if (c != GLC_NO_VALUE && cpu_is_word(e, c))
		shape |= GLC_C_WORD;
	s = cpu_lanes(e, row, shape);
	s->d = v->slot;
	s->a = cpu_word_or_reg(e, a);
	s->b = b == GLC_NO_VALUE ? 0 : cpu_word_or_reg(e, b);
	s->c = c == GLC_NO_VALUE ? 0 : cpu_word_or_reg(e, c);
}

static void emit_pair(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *insts = e->c->kernel->insts, *second = &insts[index];
	const struct glc_inst *first = &insts[e->c->values[index].first];
	uint32_t place = cpu_same(e->c, second->arg[0]) == e->c->values[index].first ? 0 : 1;

	emit_row(e, cpu_pair(first->op, second->op, place, second->type), index, first->arg[0], first->arg[1],
		 second->arg[1 - place]);
}

void cpu_emit_pure(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	uint32_t row;

	if (e->c->values[index].fused)
		return;
	if (e->c->values[index].range) {
		emit_range(e, index);
		return;
	}
	if (e->c->values[index].first != GLC_NOWHERE_32) {
		emit_pair(e, index);
		return;
	}
	row = cpu_row(inst->op, inst->op == GLC_OP_Cvt || inst->op == GLC_OP_Select ? inst->type : inst->from,
		      inst->from);
	if (inst->op == GLC_OP_Gt || inst->op == GLC_OP_Ge)
		emit_row(e, row, index, inst->arg[1], inst->arg[0], GLC_NO_VALUE);
	else
		emit_row(e, row, index, inst->arg[0], inst->arg[1], inst->arg[2]);
}

void cpu_emit_input(struct cpu_emit *e, uint32_t index, uint8_t what)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	struct glc_cpu_input *input = GLC_PUSH(e->c->memory, &e->inputs);

	if (!input) {
		e->c->failed = true;
		return;
	}
	*input = (struct glc_cpu_input){
		.word = e->c->values[index].word, .object = inst->object, .what = what, .dimension = inst->detail};
}

void cpu_emit_id(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct cpu_value *v = &e->c->values[index];
	struct glc_step *s = cpu_step(e, v->shape == GLC_VARYING ? GLC_STEP_ID_LANES : GLC_STEP_ID);

	s->object = inst->op;
	s->stride = inst->detail;
	s->d = v->shape == GLC_VARYING ? v->slot : v->word;
	cpu_spread(e, index);
}
