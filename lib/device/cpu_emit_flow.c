/* SPDX-License-Identifier: MIT */
#include "device/cpu_emit.h"

/* --- Joins ---------------------------------------------------------------- */

static bool in_place(struct cpu_emit *e, uint32_t phi, glc_value from)
{
	const struct cpu_value *v = &e->c->values[phi];

	from = cpu_same(e->c, from);
	return v->shape == GLC_VARYING && !cpu_is_word(e, from) && e->c->values[from].reg == v->slot;
}

/* masked: lanes that come by other ways have their value already, or must keep it. */
static void copy(struct cpu_emit *e, uint32_t phi, glc_value from, bool masked)
{
	const struct cpu_value *v = &e->c->values[phi];
	bool wide = cpu_bits(e->c->kernel->insts[phi].type) == 64, from_word = cpu_is_word(e, from);
	struct glc_step *s;

	if (in_place(e, phi, from))
		return;
	if (v->shape != GLC_VARYING) {
		if (cpu_word(e, from) == v->word)
			return;
		cpu_move(e, v->word, cpu_word(e, from), e->c->kernel->insts[phi].type);
		return;
	}
	s = cpu_step(e, wide ? GLC_STEP_COPY64 : GLC_STEP_COPY32);
	s->d = v->slot;
	s->a = cpu_word_or_reg(e, from);
	s->flags = (from_word ? GLC_FLAG_WORD : 0) | (masked ? 0 : GLC_FLAG_PLAIN);
	s->lanes = from_word ? cpu_loop(e, wide ? GLC_LOOP_merge_splat64 : GLC_LOOP_merge_splat32, 0)
			     : cpu_loop(e, wide ? GLC_LOOP_merge64 : GLC_LOOP_merge32, 0);
}

/* To the Phis behind `owner`, from the way `edge`. */
static void copy_way(struct cpu_emit *e, uint32_t owner, uint32_t edge, bool masked)
{
	const struct glc_kernel *kernel = e->c->kernel;

	for (uint32_t i = owner + 1; i < kernel->inst_count && kernel->insts[i].op == GLC_OP_Phi; i++)
		for (struct glc_ways w = glc_ways(kernel, owner, i); glc_way(&w);)
			if (w.edge == edge && cpu_same(e->c, w.value) != i)
				copy(e, i, w.value, masked);
}

/* Two words of 32 bits that are moved one after the other are one step. */
static void pair_moves(struct cpu_emit *e, uint32_t first)
{
	uint32_t kept = first;

	if (e->c->failed)
		return;
	for (uint32_t i = first; i < e->steps.count; i++, kept++) {
		struct glc_step *s = &e->steps.at[kept];

		*s = e->steps.at[i];
		if (s->code == GLC_STEP_MOVE32 && i + 1 < e->steps.count && e->steps.at[i + 1].code == GLC_STEP_MOVE32) {
			i++;
			s->code = GLC_STEP_MOVE_PAIR;
			s->c = e->steps.at[i].d;
			s->b = e->steps.at[i].a;
		}
	}
	e->steps.count = kept;
}

/*
 * All Phis of a loop change at once: what others read of the last round is saved first.
 */
static void copy_round(struct cpu_emit *e, uint32_t owner)
{
	struct cpu_compile *c = e->c;
	const struct glc_inst *insts = c->kernel->insts;
	uint32_t last = owner + 1, first = e->steps.count;

	for (; last < c->kernel->inst_count && insts[last].op == GLC_OP_Phi; last++) {
		struct cpu_value *v = &c->values[last];
		bool varies = v->shape == GLC_VARYING;
		struct glc_step *s;

		if (!cpu_is_exchanged(c, last))
			continue;
		if (!varies) {
			v->spare = cpu_new_word(e, 0);
			cpu_move(e, v->spare, v->word, insts[last].type);
			continue;
		}
		s = cpu_lanes(e, cpu_bits(insts[last].type) == 64 ? GLC_LOOP_copy64 : GLC_LOOP_copy32, 0);
		s->d = v->spare;
		s->a = v->slot;
	}
	for (uint32_t i = owner + 1; i < last; i++) {
		glc_value from = cpu_same(c, insts[i].arg[1]);
		uint32_t before = e->steps.count;

		if (from == GLC_NO_VALUE || from == i)
			continue;
		copy(e, i, from, false);
		if (!glc_is_const(from) && from > owner && from < i && e->steps.count > before)
			e->steps.at[before].a = c->values[from].spare;
	}
	pair_moves(e, first);
}

/* --- Structure ------------------------------------------------------------ */

static void jump_to(struct cpu_emit *e, uint32_t at, uint32_t region, uint8_t where)
{
	struct cpu_patch *patch = GLC_PUSH(e->c->memory, &e->patches);

	if (patch)
		*patch = (struct cpu_patch){at, region, where};
	else
		e->c->failed = true;
}

static void land_at(struct cpu_emit *e, uint32_t step)
{
	if (!e->c->failed)
		e->steps.at[step].target = e->steps.count;
	e->landed = e->steps.count;
}

/* Jumps that wait for a place land at the step that comes next. */
void cpu_land(struct cpu_emit *e, uint32_t region, uint8_t where)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < e->patches.count; i++) {
		struct cpu_patch *patch = &e->patches.at[i];

		if (patch->region == region && patch->where == where)
			land_at(e, patch->step);
		else
			e->patches.at[kept++] = *patch;
	}
	e->patches.count = kept;
}

/* Where lanes go on, or are counted, when those that were at `region` are gone. */
static void jump_out(struct cpu_emit *e, uint32_t at, uint32_t region)
{
	const struct cpu_compile *c = e->c;

	/* The innermost region that keeps masks; an arm of an If is told by which mask holds. */
	while (region != GLC_NOWHERE_32 && !c->regions[region].varying)
		region = c->regions[region].parent;
	if (region == GLC_NOWHERE_32)
		jump_to(e, at, GLC_NOWHERE_32, CPU_AT_END);
	else if (c->regions[region].is_loop)
		jump_to(e, at, region, CPU_AT_MIDDLE);
	else
		jump_to(e, at, region, e->steps.at[at].mask == c->regions[region].no ? CPU_AT_END : CPU_AT_MIDDLE);
}

static uint32_t new_mask(struct cpu_emit *e)
{
	return e->c->program->mask_count++;
}

static struct cpu_region *region_at(struct cpu_emit *e, uint32_t index)
{
	return &e->c->regions[e->c->region_of[index]];
}

static uint32_t last_step(const struct cpu_emit *e)
{
	return e->steps.count - 1;
}

/* A jump unless a word is true: one step with the comparison that made it, where nobody else wants to know. */
static void jump_unless(struct cpu_emit *e, glc_value condition)
{
	uint32_t word = cpu_word(e, condition);
	struct glc_step *last = e->steps.count > e->landed ? &e->steps.at[last_step(e)] : NULL;

	if (last && last->code >= GLC_STEP_Eq_u32 && last->code <= GLC_STEP_Le_f64 && last->d == word &&
	    !glc_is_const(cpu_same(e->c, condition)) && cpu_value_of(e, condition)->uses == 1)
		last->code = (uint16_t)(last->code - GLC_STEP_Eq_u32 + GLC_STEP_UNLESS_Eq_u32);
	else
		cpu_step(e, GLC_STEP_JUMP_UNLESS)->a = word;
}

void cpu_emit_if(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	uint32_t r = e->c->region_of[index];
	struct cpu_region *region = &e->c->regions[r];
	struct glc_step *s;

	if (!region->varying) {
		jump_unless(e, inst->arg[0]);
		jump_to(e, last_step(e), r, CPU_AT_MIDDLE);
		return;
	}
	region->outer = e->mask;
	region->yes = new_mask(e);
	region->no = new_mask(e);
	s = cpu_step(e, GLC_STEP_IF);
	s->a = cpu_value_of(e, inst->arg[0])->reg;
	s->d = region->yes;
	s->c = region->no;
	s->lanes = cpu_loop(e, GLC_LOOP_split, 0);
	if (cpu_value_of(e, inst->arg[0])->range) {
		s->flags = GLC_FLAG_SUMMARY;
		s->b = cpu_value_of(e, inst->arg[0])->word;
	}
	jump_to(e, last_step(e), r, CPU_AT_MIDDLE);
	e->mask = region->yes;
}

void cpu_emit_else(struct cpu_emit *e, uint32_t index)
{
	uint32_t r = e->c->region_of[index];
	struct cpu_region *region = &e->c->regions[r];
	struct glc_step *s;

	if (e->c->kernel->insts[index].mods & GLC_MOD_OPEN)
		copy_way(e, region->end, 0, false);
	if (!region->varying) {
		cpu_step(e, GLC_STEP_JUMP);
		jump_to(e, last_step(e), r, CPU_AT_END);
		cpu_land(e, r, CPU_AT_MIDDLE);
		return;
	}
	cpu_land(e, r, CPU_AT_MIDDLE);
	s = cpu_step(e, GLC_STEP_ELSE);
	s->c = region->no;
	jump_to(e, last_step(e), r, CPU_AT_END);
	e->mask = region->no;
}

void cpu_emit_end_if(struct cpu_emit *e, uint32_t index)
{
	uint32_t r = e->c->region_of[index];
	struct cpu_region *region = &e->c->regions[r];
	bool two_ways = e->c->kernel->insts[region->middle].mods & GLC_MOD_OPEN;
	struct glc_step *s;

	if (e->c->kernel->insts[index].mods & GLC_MOD_OPEN)
		copy_way(e, index, 1, region->varying && two_ways);
	cpu_land(e, r, CPU_AT_END);
	if (!region->varying)
		return;
	e->mask = region->outer;
	s = cpu_step(e, GLC_STEP_ENDIF);
	s->d = region->yes;
	s->c = region->no;
	jump_out(e, last_step(e), region->parent);
}

void cpu_emit_loop(struct cpu_emit *e, uint32_t index)
{
	struct cpu_region *region = region_at(e, index);
	struct glc_step *s;

	copy_way(e, index, 0, false);
	cpu_watch_loop(e, region);
	if (region->varying) {
		region->outer = e->mask;
		region->yes = new_mask(e);
		region->no = new_mask(e);
		region->leave = new_mask(e);
		region->stay = new_mask(e);
		s = cpu_step(e, GLC_STEP_LOOP);
		s->d = region->yes;
		s->c = region->no;
		e->mask = region->yes;
	}
	region->head = e->landed = e->steps.count;
	cpu_watch_round(e, region);
}

/* Lanes leave a loop, or go on to its next round. */
void cpu_emit_edge(struct cpu_emit *e, uint32_t index)
{
	bool leaves = e->c->kernel->insts[index].op == GLC_OP_Break;
	uint32_t r = e->c->region_of[index], l = r;
	const struct cpu_region *region;

	while (!e->c->regions[l].is_loop)
		l = e->c->regions[l].parent;
	region = &e->c->regions[l];
	copy_way(e, leaves ? region->end : region->middle, index, region->varying);
	if (!region->varying) {
		cpu_step(e, GLC_STEP_JUMP);
		jump_to(e, last_step(e), l, leaves ? CPU_AT_END : CPU_AT_MIDDLE);
		return;
	}
	cpu_step(e, leaves ? GLC_STEP_LEAVE : GLC_STEP_CONTINUE)->c = region->no;
	jump_out(e, last_step(e), r);
}

void cpu_emit_continuing(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	uint32_t r = e->c->region_of[index];
	struct cpu_region *region = &e->c->regions[r];
	struct glc_step *s;

	if (inst->mods & GLC_MOD_OPEN)
		copy_way(e, index, index, region->varying);
	cpu_land(e, r, CPU_AT_MIDDLE);
	if (!region->varying)
		return;
	s = cpu_step(e, GLC_STEP_CONTINUING);
	s->c = region->no;
	jump_to(e, last_step(e), r, CPU_AT_END);
}

static void emit_back(struct cpu_emit *e, const struct cpu_region *region)
{
	copy_round(e, region->begin);
	cpu_step(e, GLC_STEP_BACK)->target = region->head;
}

void cpu_emit_end_loop(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	uint32_t r = e->c->region_of[index], unless;
	struct cpu_region *region = &e->c->regions[r];
	struct glc_step *s;

	if (inst->arg[0] != GLC_NO_VALUE && cpu_is_word(e, inst->arg[0])) {
		jump_unless(e, inst->arg[0]);
		unless = last_step(e);
		copy_way(e, index, index, region->varying);
		cpu_step(e, region->varying ? GLC_STEP_LEAVE : GLC_STEP_JUMP);
		jump_to(e, last_step(e), r, CPU_AT_END);
		land_at(e, unless);
	} else if (inst->arg[0] != GLC_NO_VALUE) {
		s = cpu_step(e, GLC_STEP_IF);
		s->a = cpu_value_of(e, inst->arg[0])->reg;
		s->d = region->leave;
		s->c = region->stay;
		s->lanes = cpu_loop(e, GLC_LOOP_split, 0);
		if (cpu_value_of(e, inst->arg[0])->range) {
			s->flags = GLC_FLAG_SUMMARY;
			s->b = cpu_value_of(e, inst->arg[0])->word;
		}
		unless = last_step(e);
		e->mask = region->leave;
		copy_way(e, index, index, true);
		e->mask = region->yes;
		land_at(e, unless);
		cpu_step(e, GLC_STEP_STAY)->c = region->stay;
		jump_to(e, last_step(e), r, CPU_AT_END);
	}
	emit_back(e, region);
	cpu_land(e, r, CPU_AT_MIDDLE);   /* who was lost behind Continuing */
	cpu_land(e, r, CPU_AT_END);
	if (!region->varying)
		return;
	e->mask = region->outer;
	if (region->returns) {
		cpu_step(e, GLC_STEP_ENDLOOP);
		jump_out(e, last_step(e), region->parent);
	}
}

void cpu_emit_return(struct cpu_emit *e, uint32_t index)
{
	uint32_t r = e->c->region_of[index];
	bool apart = false;

	for (uint32_t i = r; i != GLC_NOWHERE_32; i = e->c->regions[i].parent)
		apart = apart || e->c->regions[i].varying;
	if (!apart) {
		cpu_step(e, GLC_STEP_JUMP);
		jump_to(e, last_step(e), GLC_NOWHERE_32, CPU_AT_END);
		return;
	}
	e->c->program->returns = true;
	cpu_step(e, GLC_STEP_RETURN);
	jump_out(e, last_step(e), r);
}
