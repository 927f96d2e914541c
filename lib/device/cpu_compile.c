/* SPDX-License-Identifier: MIT */
/* One walk over the kernel writes the program's steps; jumps ahead are filled in when they land. */
#include "device/cpu_compile.h"

#include "device/check.h"

struct patch {
	uint32_t step, region;   /* GLC_NOWHERE_32: the program's end */
	uint8_t where;
};

/* Where in a region a jump ahead lands. */
enum { AT_MIDDLE, AT_END };

struct emit {
	struct cpu_compile *c;
	GLC_ARRAY(struct glc_step) steps;
	GLC_ARRAY(struct patch) patches;
	GLC_ARRAY(union glc_word) words;
	GLC_ARRAY(struct glc_cpu_input) inputs;
	uint32_t *const_words;   /* by constant: its word + 1 */
	uint32_t mask;           /* that holds here */
	uint32_t pos;
};

static struct glc_step nowhere;

static struct glc_step *step(struct emit *e, uint32_t code)
{
	struct glc_step *s = GLC_PUSH(e->c->memory, &e->steps);

	if (!s) {
		e->c->failed = true;
		return &nowhere;
	}
	*s = (struct glc_step){.code = (uint16_t)code, .mask = (uint16_t)e->mask, .pos = e->pos};
	return s;
}

static glc_lanes_fn *loop(const struct emit *e, uint32_t which, uint32_t shape)
{
	switch (e->c->options->level) {
#if defined __x86_64__
	case GLC_CPU_X86_64_V3: return glc_cpu_loop_v3(which, shape);
	case GLC_CPU_X86_64_V4: return glc_cpu_loop_v4(which, shape);
#endif
	default: return glc_cpu_loop_baseline(which, shape);
	}
}

static struct glc_step *lanes(struct emit *e, uint32_t which, uint32_t shape)
{
	struct glc_step *s = step(e, GLC_STEP_LANES);

	s->lanes = loop(e, which, shape);
	return s;
}

/* --- Operands ------------------------------------------------------------- */

static struct cpu_value *value_of(struct emit *e, glc_value value)
{
	return &e->c->values[cpu_same(e->c, value)];
}

static bool is_word(struct emit *e, glc_value value)
{
	return cpu_shape(e->c, value) == GLC_UNIFORM;
}

static uint32_t new_word(struct emit *e, uint64_t bits)
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
static uint32_t word(struct emit *e, glc_value value)
{
	value = cpu_same(e->c, value);
	if (glc_is_const(value)) {
		uint32_t index = value & ~GLC_CONST_BIT;
		const struct glc_const *constant = &e->c->ir->consts[index];

		if (!e->const_words[index])
			e->const_words[index] = 1 + new_word(e, constant->type == GLC_BOOL && constant->bits
									? UINT32_MAX : constant->bits);
		return e->const_words[index] - 1;
	}
	return e->c->values[value].word;
}

/* A register with the value in every lane; a word is spread into `scratch`. */
static uint32_t reg(struct emit *e, glc_value value, uint32_t scratch)
{
	struct glc_step *s;

	if (!is_word(e, value))
		return value_of(e, value)->reg;
	s = lanes(e, cpu_bits(cpu_type(e->c, value)) == 64 ? GLC_LOOP_splat64 : GLC_LOOP_splat32, 0);
	s->d = scratch;
	s->a = word(e, value);
	return scratch;
}

static uint32_t word_or_reg(struct emit *e, glc_value value)
{
	return is_word(e, value) ? word(e, value) : value_of(e, value)->reg;
}

/* An affine value that is needed by lane. */
static void spread(struct emit *e, uint32_t index)
{
	const struct cpu_value *v = &e->c->values[index];
	struct glc_step *s;

	if (v->shape != GLC_AFFINE || !v->in_register)
		return;
	s = lanes(e, GLC_LOOP_iota, 0);
	s->d = v->slot;
	s->a = v->word;
	s->stride = v->stride;
}

/* --- Pure instructions ---------------------------------------------------- */

static void emit_range(struct emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct cpu_value *v = &e->c->values[index];
	static const uint8_t swapped[] = {
		[GLC_OP_Eq - GLC_OP_Eq] = GLC_OP_Eq, [GLC_OP_Ne - GLC_OP_Eq] = GLC_OP_Ne,
		[GLC_OP_Lt - GLC_OP_Eq] = GLC_OP_Gt, [GLC_OP_Le - GLC_OP_Eq] = GLC_OP_Ge,
		[GLC_OP_Gt - GLC_OP_Eq] = GLC_OP_Lt, [GLC_OP_Ge - GLC_OP_Eq] = GLC_OP_Le,
	};
	bool first = cpu_shape(e->c, inst->arg[0]) == GLC_AFFINE;
	struct glc_step *s = step(e, GLC_STEP_RANGE);

	s->object = first ? inst->op : swapped[inst->op - GLC_OP_Eq];
	s->type = inst->from;
	s->a = word(e, inst->arg[first ? 0 : 1]);
	s->b = word(e, inst->arg[first ? 1 : 0]);
	s->c = v->word;
	s->d = v->slot;
	s->stride = value_of(e, inst->arg[first ? 0 : 1])->stride;
	s->flags = v->only_branches ? 0 : GLC_FLAG_NEEDED;
}

static void emit_row(struct emit *e, uint32_t row, uint32_t index, glc_value a, glc_value b, glc_value c)
{
	const struct cpu_value *v = &e->c->values[index];
	uint32_t shape = 0;
	struct glc_step *s;

	if (v->shape != GLC_VARYING) {
		s = step(e, row);
		s->d = v->word;
		s->a = word(e, a);
		s->b = b == GLC_NO_VALUE ? 0 : word(e, b);
		s->c = c == GLC_NO_VALUE ? 0 : word(e, c);
		spread(e, index);
		return;
	}
	if (is_word(e, a))
		shape |= GLC_A_WORD;
	if (b != GLC_NO_VALUE && is_word(e, b))
		shape |= GLC_B_WORD;
	if (c != GLC_NO_VALUE && is_word(e, c))
		shape |= GLC_C_WORD;
	s = lanes(e, row, shape);
	s->d = v->slot;
	s->a = word_or_reg(e, a);
	s->b = b == GLC_NO_VALUE ? 0 : word_or_reg(e, b);
	s->c = c == GLC_NO_VALUE ? 0 : word_or_reg(e, c);
}

static void emit_pair(struct emit *e, uint32_t index)
{
	const struct glc_inst *insts = e->c->kernel->insts, *second = &insts[index];
	const struct glc_inst *first = &insts[e->c->values[index].first];
	uint32_t place = cpu_same(e->c, second->arg[0]) == e->c->values[index].first ? 0 : 1;

	emit_row(e, cpu_pair(first->op, second->op, place, second->type), index, first->arg[0], first->arg[1],
		 second->arg[1 - place]);
}

static void emit_pure(struct emit *e, uint32_t index)
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

static void emit_input(struct emit *e, uint32_t index, uint8_t what)
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

static void emit_id(struct emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct cpu_value *v = &e->c->values[index];
	struct glc_step *s = step(e, v->shape == GLC_VARYING ? GLC_STEP_ID_LANES : GLC_STEP_ID);

	s->object = inst->op;
	s->stride = inst->detail;
	s->d = v->shape == GLC_VARYING ? v->slot : v->word;
	spread(e, index);
}

/* --- Being watched: check.h ------------------------------------------------ */

static struct glc_step *watch(struct emit *e, uint32_t index, glc_lanes_fn *fn)
{
	struct glc_step *s = step(e, GLC_STEP_LANES);

	s->target = glc_check_site(e->c->options->watched, &e->c->kernel->insts[index]);
	s->lanes = fn;
	return s;
}

static void watch_access(struct emit *e, uint32_t index)
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
		s->b = value_of(e, inst->arg[0])->reg;
		return;
	}
	s->flags |= GLC_FLAG_INDEX_WORD;
	s->b = word(e, inst->arg[0]);
	s->stride = shape == GLC_AFFINE ? value_of(e, inst->arg[0])->stride : 0;
}

/* The barrier is told which round of each loop around it this is. */
static void watch_barrier(struct emit *e, uint32_t index)
{
	watch(e, index, glc_check_barrier);
	for (uint32_t r = e->c->region_of[index]; r != GLC_NOWHERE_32; r = e->c->regions[r].parent) {
		struct glc_step *s;

		if (!e->c->regions[r].is_loop)
			continue;
		s = step(e, GLC_STEP_LANES);
		s->lanes = glc_check_round;
		s->a = e->c->regions[r].rounds;
	}
}

static bool holds_barrier(const struct emit *e, const struct cpu_region *region)
{
	for (uint32_t i = region->begin; i < region->end; i++)
		if (e->c->kernel->insts[i].op == GLC_OP_BarrierSync)
			return true;
	return false;
}

/* In front of a loop, and at the head of its rounds. */
static void watch_loop(struct emit *e, struct cpu_region *region)
{
	struct glc_step *s;

	if (!e->c->options->watched || !holds_barrier(e, region))
		return;
	region->rounds = new_word(e, 0);
	s = step(e, GLC_STEP_MOVE);
	s->d = region->rounds;
	s->a = new_word(e, 0);
}

static void watch_round(struct emit *e, const struct cpu_region *region)
{
	struct glc_step *s;

	if (!region->rounds)
		return;
	s = step(e, GLC_STEP_Add_u32);
	s->d = s->a = region->rounds;
	s->b = new_word(e, 1);
}

static void watch_fence(struct emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	bool atomic = inst->op == GLC_OP_AtomicAdd;
	enum glc_scope scope = GLC_DETAIL_SCOPE(inst->detail);
	bool shared = atomic && e->c->kernel->objects[inst->object].kind == GLC_OBJECT_SHARED;

	if (!e->c->options->watched || scope == GLC_SCOPE_WORKGROUP || (shared && scope == GLC_SCOPE_NONE) ||
	    (atomic && GLC_DETAIL_ORDER(inst->detail) == GLC_ORDER_RELAXED))
		return;
	step(e, GLC_STEP_LANES)->lanes = glc_check_fence;
}

/* --- Memory --------------------------------------------------------------- */

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

static void emit_load(struct emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct cpu_value *v = &e->c->values[index];
	bool wide = cpu_bits(inst->type) == 64, far = inst->from == GLC_U64;
	enum glc_shape at = cpu_shape(e->c, inst->arg[0]);
	struct glc_step *s;

	if (v->shape == GLC_UNIFORM) {
		s = step(e, GLC_STEP_LOAD_U);
		s->d = v->word;
		s->a = word(e, inst->arg[0]);
	} else if (at == GLC_AFFINE) {
		s = step(e, GLC_STEP_LOAD_A);
		s->d = v->slot;
		s->a = word(e, inst->arg[0]);
		s->b = GLC_SLOT_INDEX;
		s->c = v->reg;
		s->flags = v->alias ? GLC_FLAG_ALIAS : 0;
		s->stride = value_of(e, inst->arg[0])->stride;
		s->lanes = loop(e, gathers[wide][0], 0);
	} else {
		s = lanes(e, gathers[wide][far], 0);
		s->d = v->slot;
		s->b = value_of(e, inst->arg[0])->reg;
	}
	describe_access(inst, s);
}

static void emit_store(struct emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	bool wide = cpu_bits(inst->type) == 64, far = inst->from == GLC_U64;
	enum glc_shape at = cpu_shape(e->c, inst->arg[0]);
	struct glc_step *s;

	if (at == GLC_VARYING) {
		s = lanes(e, scatters[wide][far], 0);
		s->b = value_of(e, inst->arg[0])->reg;
	} else {
		s = step(e, at == GLC_AFFINE ? GLC_STEP_STORE_A : GLC_STEP_STORE_U);
		s->c = word(e, inst->arg[0]);
		s->b = GLC_SLOT_INDEX;
		s->lanes = loop(e, scatters[wide][0], 0);
		if (at == GLC_AFFINE)
			s->stride = value_of(e, inst->arg[0])->stride;
	}
	s->a = word_or_reg(e, inst->arg[1]);
	s->flags = is_word(e, inst->arg[1]) ? GLC_FLAG_WORD : 0;
	describe_access(inst, s);
}

/* What index and value are, for the steps that ask lane by lane. */
static void describe_operands(struct emit *e, const struct glc_inst *inst, struct glc_step *s, bool has_value)
{
	s->b = word_or_reg(e, inst->arg[0]);
	s->flags |= is_word(e, inst->arg[0]) ? GLC_FLAG_INDEX_WORD : 0;
	if (has_value) {
		s->a = word_or_reg(e, inst->arg[1]);
		s->flags |= is_word(e, inst->arg[1]) ? GLC_FLAG_WORD : 0;
	}
	describe_access(inst, s);
}

static void emit_local(struct emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct cpu_value *v = &e->c->values[index];
	bool loads = inst->op == GLC_OP_LoadLocal;
	struct glc_step *s = step(e, loads ? GLC_STEP_LOCAL : GLC_STEP_STORE_LOCAL);

	if (loads) {
		s->d = v->shape == GLC_VARYING ? v->slot : v->word;
		s->c = v->reg;
		s->flags = (v->alias ? GLC_FLAG_ALIAS : 0) |
			   (v->shape == GLC_UNIFORM ? GLC_FLAG_RESULT_WORD : 0);
	}
	describe_operands(e, inst, s, !loads);
}

static void emit_atomic(struct emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct cpu_value *v = &e->c->values[index];
	struct glc_step *s;

	watch_fence(e, index);
	s = step(e, GLC_STEP_ATOMIC);
	s->d = v->shape == GLC_VARYING ? v->slot : v->word;
	s->flags = (v->shape == GLC_UNIFORM ? GLC_FLAG_RESULT_WORD : 0) | (v->uses ? 0 : GLC_FLAG_UNUSED);
	describe_operands(e, inst, s, true);
}

static void emit_shuffle(struct emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct cpu_value *v = &e->c->values[index];
	struct glc_step *s;
	uint32_t a, b;

	if (v->shape == GLC_UNIFORM) {
		/* One lane: there is no other to ask. */
		s = step(e, GLC_STEP_MOVE);
		s->d = v->word;
		s->a = word(e, inst->arg[0]);
		return;
	}
	a = reg(e, inst->arg[0], GLC_SLOT_SPLAT);
	b = reg(e, inst->arg[1], GLC_SLOT_SPLAT2);
	s = lanes(e, cpu_bits(inst->type) == 64 ? GLC_LOOP_shuffle64 : GLC_LOOP_shuffle32, 0);
	s->d = v->slot;
	s->a = a;
	s->b = b;
}

/* --- Joins ---------------------------------------------------------------- */

static bool in_place(struct emit *e, uint32_t phi, glc_value from)
{
	const struct cpu_value *v = &e->c->values[phi];

	from = cpu_same(e->c, from);
	return v->shape == GLC_VARYING && !is_word(e, from) && e->c->values[from].reg == v->slot;
}

/* masked: lanes that come by other ways have their value already, or must keep it. */
static void copy(struct emit *e, uint32_t phi, glc_value from, bool masked)
{
	const struct cpu_value *v = &e->c->values[phi];
	bool wide = cpu_bits(e->c->kernel->insts[phi].type) == 64, from_word = is_word(e, from);
	struct glc_step *s;

	if (in_place(e, phi, from))
		return;
	if (v->shape != GLC_VARYING) {
		if (word(e, from) == v->word)
			return;
		s = step(e, GLC_STEP_MOVE);
		s->d = v->word;
		s->a = word(e, from);
		return;
	}
	s = step(e, wide ? GLC_STEP_COPY64 : GLC_STEP_COPY32);
	s->d = v->slot;
	s->a = word_or_reg(e, from);
	s->flags = (from_word ? GLC_FLAG_WORD : 0) | (masked ? 0 : GLC_FLAG_PLAIN);
	s->lanes = from_word ? loop(e, wide ? GLC_LOOP_merge_splat64 : GLC_LOOP_merge_splat32, 0)
			     : loop(e, wide ? GLC_LOOP_merge64 : GLC_LOOP_merge32, 0);
}

/* To the Phis behind `owner`, from the way `edge`. */
static void copy_way(struct emit *e, uint32_t owner, uint32_t edge, bool masked)
{
	const struct glc_kernel *kernel = e->c->kernel;

	for (uint32_t i = owner + 1; i < kernel->inst_count && kernel->insts[i].op == GLC_OP_Phi; i++)
		for (struct glc_ways w = glc_ways(kernel, owner, i); glc_way(&w);)
			if (w.edge == edge && cpu_same(e->c, w.value) != i)
				copy(e, i, w.value, masked);
}

/*
 * All Phis of a loop change at once: what others read of the last round is saved first.
 */
static void copy_round(struct emit *e, uint32_t owner)
{
	struct cpu_compile *c = e->c;
	const struct glc_inst *insts = c->kernel->insts;
	uint32_t last = owner + 1;

	for (; last < c->kernel->inst_count && insts[last].op == GLC_OP_Phi; last++) {
		struct cpu_value *v = &c->values[last];
		bool varies = v->shape == GLC_VARYING;
		struct glc_step *s;

		if (!cpu_is_exchanged(c, last))
			continue;
		if (!varies)
			v->spare = new_word(e, 0);
		s = varies ? lanes(e, cpu_bits(insts[last].type) == 64 ? GLC_LOOP_copy64 : GLC_LOOP_copy32, 0)
			   : step(e, GLC_STEP_MOVE);
		s->d = v->spare;
		s->a = varies ? v->slot : v->word;
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
}

/* --- Structure ------------------------------------------------------------ */

static void jump_to(struct emit *e, uint32_t at, uint32_t region, uint8_t where)
{
	struct patch *patch = GLC_PUSH(e->c->memory, &e->patches);

	if (patch)
		*patch = (struct patch){at, region, where};
	else
		e->c->failed = true;
}

/* Jumps that wait for a place land at the step that comes next. */
static void land(struct emit *e, uint32_t region, uint8_t where)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < e->patches.count; i++) {
		struct patch *patch = &e->patches.at[i];

		if (patch->region == region && patch->where == where)
			e->steps.at[patch->step].target = e->steps.count;
		else
			e->patches.at[kept++] = *patch;
	}
	e->patches.count = kept;
}

/* Where lanes go on, or are counted, when those that were at `region` are gone. */
static void jump_out(struct emit *e, uint32_t at, uint32_t region)
{
	const struct cpu_compile *c = e->c;

	/* The innermost region that keeps masks; an arm of an If is told by which mask holds. */
	while (region != GLC_NOWHERE_32 && !c->regions[region].varying)
		region = c->regions[region].parent;
	if (region == GLC_NOWHERE_32)
		jump_to(e, at, GLC_NOWHERE_32, AT_END);
	else if (c->regions[region].is_loop)
		jump_to(e, at, region, AT_MIDDLE);
	else
		jump_to(e, at, region, e->steps.at[at].mask == c->regions[region].no ? AT_END : AT_MIDDLE);
}

static uint32_t new_mask(struct emit *e)
{
	return e->c->program->mask_count++;
}

static struct cpu_region *region_at(struct emit *e, uint32_t index)
{
	return &e->c->regions[e->c->region_of[index]];
}

static uint32_t last_step(const struct emit *e)
{
	return e->steps.count - 1;
}

static void emit_if(struct emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	uint32_t r = e->c->region_of[index];
	struct cpu_region *region = &e->c->regions[r];
	struct glc_step *s;

	if (!region->varying) {
		s = step(e, GLC_STEP_JUMP_UNLESS);
		s->a = word(e, inst->arg[0]);
		jump_to(e, last_step(e), r, AT_MIDDLE);
		return;
	}
	region->outer = e->mask;
	region->yes = new_mask(e);
	region->no = new_mask(e);
	s = step(e, GLC_STEP_IF);
	s->a = value_of(e, inst->arg[0])->reg;
	s->d = region->yes;
	s->c = region->no;
	s->lanes = loop(e, GLC_LOOP_split, 0);
	if (value_of(e, inst->arg[0])->range) {
		s->flags = GLC_FLAG_SUMMARY;
		s->b = value_of(e, inst->arg[0])->word;
	}
	jump_to(e, last_step(e), r, AT_MIDDLE);
	e->mask = region->yes;
}

static void emit_else(struct emit *e, uint32_t index)
{
	uint32_t r = e->c->region_of[index];
	struct cpu_region *region = &e->c->regions[r];
	struct glc_step *s;

	if (e->c->kernel->insts[index].mods & GLC_MOD_OPEN)
		copy_way(e, region->end, 0, false);
	if (!region->varying) {
		step(e, GLC_STEP_JUMP);
		jump_to(e, last_step(e), r, AT_END);
		land(e, r, AT_MIDDLE);
		return;
	}
	land(e, r, AT_MIDDLE);
	s = step(e, GLC_STEP_ELSE);
	s->c = region->no;
	jump_to(e, last_step(e), r, AT_END);
	e->mask = region->no;
}

static void emit_end_if(struct emit *e, uint32_t index)
{
	uint32_t r = e->c->region_of[index];
	struct cpu_region *region = &e->c->regions[r];
	bool two_ways = e->c->kernel->insts[region->middle].mods & GLC_MOD_OPEN;
	struct glc_step *s;

	if (e->c->kernel->insts[index].mods & GLC_MOD_OPEN)
		copy_way(e, index, 1, region->varying && two_ways);
	land(e, r, AT_END);
	if (!region->varying)
		return;
	e->mask = region->outer;
	s = step(e, GLC_STEP_ENDIF);
	s->d = region->yes;
	s->c = region->no;
	jump_out(e, last_step(e), region->parent);
}

static void emit_loop(struct emit *e, uint32_t index)
{
	struct cpu_region *region = region_at(e, index);
	struct glc_step *s;

	copy_way(e, index, 0, false);
	watch_loop(e, region);
	if (region->varying) {
		region->outer = e->mask;
		region->yes = new_mask(e);
		region->no = new_mask(e);
		region->leave = new_mask(e);
		region->stay = new_mask(e);
		s = step(e, GLC_STEP_LOOP);
		s->d = region->yes;
		s->c = region->no;
		e->mask = region->yes;
	}
	region->head = e->steps.count;
	watch_round(e, region);
}

/* Lanes leave a loop, or go on to its next round. */
static void emit_edge(struct emit *e, uint32_t index)
{
	bool leaves = e->c->kernel->insts[index].op == GLC_OP_Break;
	uint32_t r = e->c->region_of[index], l = r;
	const struct cpu_region *region;

	while (!e->c->regions[l].is_loop)
		l = e->c->regions[l].parent;
	region = &e->c->regions[l];
	copy_way(e, leaves ? region->end : region->middle, index, region->varying);
	if (!region->varying) {
		step(e, GLC_STEP_JUMP);
		jump_to(e, last_step(e), l, leaves ? AT_END : AT_MIDDLE);
		return;
	}
	step(e, leaves ? GLC_STEP_LEAVE : GLC_STEP_CONTINUE)->c = region->no;
	jump_out(e, last_step(e), r);
}

static void emit_continuing(struct emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	uint32_t r = e->c->region_of[index];
	struct cpu_region *region = &e->c->regions[r];
	struct glc_step *s;

	if (inst->mods & GLC_MOD_OPEN)
		copy_way(e, index, index, region->varying);
	land(e, r, AT_MIDDLE);
	if (!region->varying)
		return;
	s = step(e, GLC_STEP_CONTINUING);
	s->c = region->no;
	jump_to(e, last_step(e), r, AT_END);
}

static void emit_back(struct emit *e, const struct cpu_region *region)
{
	copy_round(e, region->begin);
	step(e, GLC_STEP_BACK)->target = region->head;
}

static void emit_end_loop(struct emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	uint32_t r = e->c->region_of[index], unless;
	struct cpu_region *region = &e->c->regions[r];
	struct glc_step *s;

	if (inst->arg[0] != GLC_NO_VALUE && is_word(e, inst->arg[0])) {
		s = step(e, GLC_STEP_JUMP_UNLESS);
		s->a = word(e, inst->arg[0]);
		unless = last_step(e);
		copy_way(e, index, index, region->varying);
		step(e, region->varying ? GLC_STEP_LEAVE : GLC_STEP_JUMP);
		jump_to(e, last_step(e), r, AT_END);
		if (!e->c->failed)
			e->steps.at[unless].target = e->steps.count;
	} else if (inst->arg[0] != GLC_NO_VALUE) {
		s = step(e, GLC_STEP_IF);
		s->a = value_of(e, inst->arg[0])->reg;
		s->d = region->leave;
		s->c = region->stay;
		s->lanes = loop(e, GLC_LOOP_split, 0);
		if (value_of(e, inst->arg[0])->range) {
			s->flags = GLC_FLAG_SUMMARY;
			s->b = value_of(e, inst->arg[0])->word;
		}
		unless = last_step(e);
		e->mask = region->leave;
		copy_way(e, index, index, true);
		e->mask = region->yes;
		if (!e->c->failed)
			e->steps.at[unless].target = e->steps.count;
		step(e, GLC_STEP_STAY)->c = region->stay;
		jump_to(e, last_step(e), r, AT_END);
	}
	emit_back(e, region);
	land(e, r, AT_MIDDLE);   /* who was lost behind Continuing */
	land(e, r, AT_END);
	if (!region->varying)
		return;
	e->mask = region->outer;
	if (region->returns) {
		step(e, GLC_STEP_ENDLOOP);
		jump_out(e, last_step(e), region->parent);
	}
}

static void emit_return(struct emit *e, uint32_t index)
{
	uint32_t r = e->c->region_of[index];
	bool apart = false;

	for (uint32_t i = r; i != GLC_NOWHERE_32; i = e->c->regions[i].parent)
		apart = apart || e->c->regions[i].varying;
	if (!apart) {
		step(e, GLC_STEP_JUMP);
		jump_to(e, last_step(e), GLC_NOWHERE_32, AT_END);
		return;
	}
	e->c->program->returns = true;
	step(e, GLC_STEP_RETURN);
	jump_out(e, last_step(e), r);
}

/* --- The walk ------------------------------------------------------------- */

static void emit(struct emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct glc_cpu_program *p = e->c->program;

	e->pos = inst->pos;
	if (e->c->same[index] != index)
		return;
	switch (inst->op) {
	case GLC_OP_Phi: spread(e, index); return;
	case GLC_OP_If: emit_if(e, index); return;
	case GLC_OP_Else: emit_else(e, index); return;
	case GLC_OP_EndIf: emit_end_if(e, index); return;
	case GLC_OP_Loop: emit_loop(e, index); return;
	case GLC_OP_Continuing: emit_continuing(e, index); return;
	case GLC_OP_EndLoop: emit_end_loop(e, index); return;
	case GLC_OP_Break:
	case GLC_OP_Continue: emit_edge(e, index); return;
	case GLC_OP_Return: emit_return(e, index); return;
	case GLC_OP_Param: emit_input(e, index, GLC_INPUT_PARAM); return;
	case GLC_OP_Length: emit_input(e, index, GLC_INPUT_LENGTH); return;
	case GLC_OP_GroupCount: emit_input(e, index, GLC_INPUT_GROUP_COUNT); return;
	case GLC_OP_SubgroupSize: e->words.at[e->c->values[index].word].u32 = p->subgroup; return;
	case GLC_OP_GroupId:
	case GLC_OP_GlobalId:
	case GLC_OP_LocalId:
	case GLC_OP_LocalIndex:
	case GLC_OP_SubgroupId:
	case GLC_OP_LaneId: emit_id(e, index); return;
	case GLC_OP_LoadGlobal:
	case GLC_OP_LoadShared:
	case GLC_OP_LoadConst:
		watch_access(e, index);
		emit_load(e, index);
		return;
	case GLC_OP_StoreGlobal:
	case GLC_OP_StoreShared:
		watch_access(e, index);
		emit_store(e, index);
		return;
	case GLC_OP_LoadLocal:
	case GLC_OP_StoreLocal:
		watch_access(e, index);
		emit_local(e, index);
		return;
	case GLC_OP_AtomicAdd:
		watch_access(e, index);
		emit_atomic(e, index);
		return;
	case GLC_OP_ShflSyncBfly:
		if (e->c->options->watched)
			watch(e, index, glc_check_shuffle);
		emit_shuffle(e, index);
		return;
	case GLC_OP_Fence:
		watch_fence(e, index);
		step(e, GLC_STEP_FENCE);
		return;
	case GLC_OP_BarrierSync:
		if (e->c->options->watched)
			watch_barrier(e, index);
		/* All lanes of one tile are together anyway; who watches counts barriers. */
		if (p->lanes > GLC_TILE || e->c->options->watched)
			step(e, GLC_STEP_BARRIER);
		return;
	default: emit_pure(e, index); return;
	}
}

static bool give_words(struct emit *e)
{
	for (uint32_t i = 0; i < e->c->kernel->inst_count; i++) {
		struct cpu_value *v = &e->c->values[i];

		if (v->shape == GLC_UNIFORM || v->shape == GLC_AFFINE || v->range)
			v->word = new_word(e, 0);
	}
	for (uint32_t i = 0; i < e->c->kernel->inst_count; i++) {
		struct cpu_value *v = &e->c->values[i];

		if (v->shape == GLC_UNIFORM)
			v->word = e->c->values[v->home].word;
	}
	return !e->c->failed;
}

static void write_steps(struct cpu_compile *c)
{
	struct emit e = {.c = c};

	e.const_words = glc_bump_zero(c->memory, (size_t)c->ir->const_count * sizeof *e.const_words);
	if (!e.const_words || !give_words(&e)) {
		c->failed = true;
		return;
	}
	c->program->mask_count = 2;
	for (uint32_t i = 0; i < c->kernel->inst_count && !c->failed; i++)
		emit(&e, i);
	land(&e, GLC_NOWHERE_32, AT_END);
	step(&e, GLC_STEP_END);
	c->program->steps = e.steps.at;
	c->program->step_count = e.steps.count;
	c->program->words = e.words.at;
	c->program->word_count = e.words.count;
	c->program->inputs = e.inputs.at;
	c->program->input_count = e.inputs.count;
}

/* --- The program around them ---------------------------------------------- */

static const void *pack(const struct glc_object *object, struct glacier_memory *memory)
{
	uint32_t bytes = glc_types[object->type].bytes;
	unsigned char *at = glc_bump(memory, (size_t)object->length.value * bytes);

	for (uint32_t i = 0; at && i < object->length.value; i++) {
		union glc_word word = {.u64 = object->values[i]};

		if (bytes == 8)
			memcpy(at + 8 * (size_t)i, &word.u64, 8);
		else
			memcpy(at + 4 * (size_t)i, &word.u32, 4);
	}
	return at;
}

static bool place_objects(struct cpu_compile *c)
{
	const struct glc_kernel *kernel = c->kernel;
	struct glc_cpu_program *p = c->program;

	p->object_count = kernel->object_count;
	p->objects = glc_bump_zero(c->memory, (size_t)kernel->object_count * sizeof *p->objects);
	if (!p->objects)
		return false;
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];
		struct glc_cpu_object *o = &p->objects[i];
		uint64_t bytes;

		o->kind = object->kind;
		o->elem_bytes = glc_types[object->type].bytes;
		o->length = object->length.value;
		bytes = (o->length * o->elem_bytes + 63) & ~UINT64_C(63);
		if (object->kind == GLC_OBJECT_SHARED) {
			o->offset = p->shared_bytes;
			p->shared_bytes += bytes;
		} else if (object->kind == GLC_OBJECT_LOCAL) {
			o->offset = p->local_bytes;
			p->local_bytes += o->length * o->elem_bytes * GLC_TILE;
		} else if (object->kind == GLC_OBJECT_CONST) {
			o->values = pack(object, c->memory);
			if (!o->values)
				return false;
		}
	}
	return true;
}

static void choose_layout(struct glc_cpu_program *p, const struct glc_kernel *kernel, bool watched)
{
	p->lanes = 1;
	for (int i = 0; i < 3; i++) {
		p->workgroup[i] = kernel->workgroup[i].value;
		p->lanes *= p->workgroup[i];
	}
	if (kernel->converges || p->shared_bytes || watched)
		p->layout = GLC_LAYOUT_GROUPS;
	else if (p->workgroup[1] == 1 && p->workgroup[2] == 1)
		p->layout = GLC_LAYOUT_ROWS;
	else
		p->layout = p->lanes < GLC_TILE ? GLC_LAYOUT_PACKED : GLC_LAYOUT_GROUPS;
}

static bool find_same(struct cpu_compile *c)
{
	const struct glc_kernel *kernel = c->kernel;

	c->same = glc_bump(c->memory, (size_t)kernel->inst_count * sizeof *c->same);
	for (uint32_t i = 0; c->same && i < kernel->inst_count; i++) {
		const struct glc_inst *inst = &kernel->insts[i];

		c->same[i] = inst->op == GLC_OP_Bitcast ? cpu_same(c, inst->arg[0]) : i;
	}
	return c->same;
}

bool glc_cpu_compile(const struct glc_ir *ir, const struct glc_cpu_options *options,
		     struct glacier_memory *memory, struct glc_cpu_program *out)
{
	struct cpu_compile c = {
		.ir = ir,
		.kernel = &ir->kernels[0],
		.options = options,
		.memory = memory,
		.program = out,
		.values = glc_bump_zero(memory, (size_t)ir->kernels[0].inst_count * sizeof *c.values),
	};

	*out = (struct glc_cpu_program){.kernel = c.kernel, .subgroup = options->subgroup, .single = options->single};
	if (!c.values || !place_objects(&c) || !find_same(&c))
		return false;
	choose_layout(out, c.kernel, options->watched);
	cpu_classify(&c);
	if (!c.failed)
		cpu_place(&c);
	if (!c.failed)
		write_steps(&c);
	return !c.failed;
}
