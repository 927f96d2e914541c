/* SPDX-License-Identifier: MIT */
/*
 * Registers. A value's slot is its own from the first instruction that writes it to the last
 * that reads it, loops counted to their end. Values that one is copied to, where that saves
 * the copy, share a slot; a linear scan gives out the rest.
 */
#include "device/cpu_compile.h"

/* How far behind a load it is looked for a store that would change what it stands for. */
enum { ALIAS_REACH = 4096 };

static bool is_structure(enum glc_op op)
{
	return op >= GLC_OP_If && op <= GLC_OP_Continue;
}

/* --- Uses ----------------------------------------------------------------- */

typedef void use_fn(struct cpu_compile *c, glc_value value, uint32_t at, uint32_t user);

/* Every read of a value: by which instruction, and where in the program it happens. */
static void each_use(struct cpu_compile *c, use_fn *fn)
{
	const struct glc_kernel *kernel = c->kernel;

	for (uint32_t i = 0; i < kernel->inst_count; i++) {
		const struct glc_inst *inst = &kernel->insts[i];
		const struct cpu_region *region;
		uint32_t owner, at;

		switch (inst->op) {
		case GLC_OP_Phi:
			owner = c->owner[i];
			region = &c->regions[c->region_of[owner]];
			for (struct glc_ways w = glc_ways(kernel, owner, i); glc_way(&w);) {
				at = w.edge;
				if (kernel->insts[owner].op == GLC_OP_EndIf)
					at = w.edge ? region->end : region->middle;
				else if (kernel->insts[owner].op == GLC_OP_Loop)
					at = w.edge ? region->end : region->begin;
				fn(c, w.value, at, i);
			}
			break;
		case GLC_OP_If:
			fn(c, inst->arg[0], i, i);
			break;
		case GLC_OP_EndLoop:
			if (inst->arg[0] != GLC_NO_VALUE)
				fn(c, inst->arg[0], i, i);
			break;
		default:
			if (is_structure(inst->op))
				break;
			at = c->values[i].fused ? c->values[i].user : i;
			for (int a = 0; a < 4; a++)
				if (inst->arg[a] != GLC_NO_VALUE)
					fn(c, inst->arg[a], at, i);
			break;
		}
	}
}

static void count_use(struct cpu_compile *c, glc_value value, uint32_t at, uint32_t user)
{
	uint16_t op = c->kernel->insts[user].op;
	struct cpu_value *v;

	(void)at;
	value = cpu_same(c, value);
	if (glc_is_const(value))
		return;
	v = &c->values[value];
	v->uses++;
	v->user = user;
	if (op != GLC_OP_If && op != GLC_OP_EndLoop)
		v->only_branches = false;
}

/* --- Ranges --------------------------------------------------------------- */

static bool is_comparison(enum glc_op op)
{
	return op >= GLC_OP_Eq && op <= GLC_OP_Ge;
}

static void find_range(struct cpu_compile *c, uint32_t index)
{
	const struct glc_inst *inst = &c->kernel->insts[index];
	enum glc_shape a, b;
	glc_value grows;

	if (!is_comparison(inst->op) || (inst->from != GLC_U32 && inst->from != GLC_I32))
		return;
	a = cpu_shape(c, inst->arg[0]);
	b = cpu_shape(c, inst->arg[1]);
	if (!(a == GLC_AFFINE && b == GLC_UNIFORM) && !(a == GLC_UNIFORM && b == GLC_AFFINE))
		return;
	grows = cpu_same(c, inst->arg[a == GLC_AFFINE ? 0 : 1]);
	c->values[index].range = c->values[grows].stride > 0;
}

/* Where an affine value does without a register. */
static bool takes_affine(const struct cpu_compile *c, uint32_t user, glc_value value)
{
	const struct glc_inst *inst = &c->kernel->insts[user];

	if (c->values[user].shape == GLC_AFFINE || c->values[user].range)
		return true;
	return (cpu_is_load(inst->op) || cpu_is_store(inst->op)) && cpu_same(c, inst->arg[0]) == value &&
	       !(cpu_is_store(inst->op) && cpu_same(c, inst->arg[1]) == value);
}

static void ask_register(struct cpu_compile *c, glc_value value, uint32_t at, uint32_t user)
{
	(void)at;
	value = cpu_same(c, value);
	if (!glc_is_const(value) && c->values[value].shape == GLC_AFFINE && !takes_affine(c, user, value))
		c->values[value].in_register = true;
}

/* --- Pairs ---------------------------------------------------------------- */

static bool fuse_operand(struct cpu_compile *c, uint32_t second, uint32_t place)
{
	const struct glc_inst *insts = c->kernel->insts;
	glc_value first = insts[second].arg[place];
	struct cpu_value *v;

	if (glc_is_const(first) || first != cpu_same(c, first))
		return false;
	v = &c->values[first];
	if (v->shape != GLC_VARYING || v->uses != 1 || v->user != second || v->first != GLC_NOWHERE_32 ||
	    c->region_of[first] != c->region_of[second] ||
	    cpu_pair(insts[first].op, insts[second].op, place, insts[second].type) == GLC_NOWHERE_32)
		return false;
	for (uint32_t i = first + 1; i < second; i++)
		if (is_structure(insts[i].op))
			return false;
	v->fused = true;
	c->values[second].first = first;
	return true;
}

static void fuse(struct cpu_compile *c, uint32_t second)
{
	const struct glc_inst *inst = &c->kernel->insts[second];

	if (c->values[second].shape != GLC_VARYING ||
	    (inst->op != GLC_OP_Add && inst->op != GLC_OP_Sub && inst->op != GLC_OP_Mul && inst->op != GLC_OP_Min))
		return;
	if (!fuse_operand(c, second, 0))
		fuse_operand(c, second, 1);
}

/* --- Lifetimes ------------------------------------------------------------ */

/* The last instruction at which a slot that begins at `begin` must still be there. */
static uint32_t reach(const struct cpu_compile *c, uint32_t begin, uint32_t at)
{
	uint32_t end = at, r = c->region_of[at];

	/* What a loop begins with is read before it. */
	if (r != GLC_NOWHERE_32 && c->regions[r].is_loop && c->regions[r].begin == at)
		r = c->regions[r].parent;
	for (; r != GLC_NOWHERE_32; r = c->regions[r].parent)
		if (c->regions[r].is_loop && begin < c->regions[r].begin && c->regions[r].end > end)
			end = c->regions[r].end;
	return end;
}

static void begin_life(struct cpu_compile *c, uint32_t index)
{
	struct cpu_value *v = &c->values[index];
	uint32_t owner = c->owner[index];
	const struct cpu_region *region;

	v->begin = v->end = index;
	if (c->kernel->insts[index].op != GLC_OP_Phi || v->shape != GLC_VARYING)
		return;
	/* Written by the ways that lead to it, the last at the region's end. */
	region = &c->regions[c->region_of[owner]];
	v->begin = owner == region->end && !region->is_loop ? region->middle : region->begin;
	v->end = reach(c, v->begin, owner == region->middle ? region->middle : region->end);
}

static void live_until(struct cpu_compile *c, glc_value value, uint32_t at, uint32_t user)
{
	struct cpu_value *v;
	uint32_t end;

	(void)user;
	value = cpu_same(c, value);
	if (glc_is_const(value))
		return;
	v = &c->values[value];
	end = reach(c, v->begin, at);
	if (end > v->end)
		v->end = end;
}

/* --- Loads that copy nothing ---------------------------------------------- */

static bool writes(const struct glc_inst *inst, uint32_t object)
{
	switch (inst->op) {
	case GLC_OP_BarrierSync:
	case GLC_OP_Fence:
		return true;
	case GLC_OP_StoreGlobal:
	case GLC_OP_StoreShared:
	case GLC_OP_StoreLocal:
	case GLC_OP_AtomicAdd:
		return inst->object == object;
	default:
		return false;
	}
}

static void find_alias(struct cpu_compile *c, uint32_t index)
{
	const struct glc_inst *inst = &c->kernel->insts[index];
	struct cpu_value *v = &c->values[index];
	glc_value at;

	if (v->shape != GLC_VARYING || v->home != index)
		return;
	at = cpu_same(c, inst->arg[0]);
	if (inst->op == GLC_OP_LoadLocal) {
		if (cpu_shape(c, at) != GLC_UNIFORM)
			return;
	} else if (!cpu_is_load(inst->op) || cpu_shape(c, at) != GLC_AFFINE || c->values[at].stride != 1) {
		return;
	}
	if (c->kernel->objects[inst->object].used & GLC_WRITE) {
		if (v->end - index > ALIAS_REACH)
			return;
		for (uint32_t i = index + 1; i <= v->end; i++)
			if (writes(&c->kernel->insts[i], inst->object))
				return;
	}
	v->alias = true;
}

/* --- Sharing -------------------------------------------------------------- */

static void share(struct cpu_compile *c, uint32_t phi, uint32_t with)
{
	struct cpu_value *home = &c->values[phi], *v = &c->values[with];

	v->home = phi;
	if (v->begin < home->begin)
		home->begin = v->begin;
	if (v->end > home->end)
		home->end = v->end;
}

static bool may_share(const struct cpu_compile *c, uint32_t phi, glc_value with)
{
	return !glc_is_const(with) && c->values[with].shape == GLC_VARYING && c->values[with].home == with &&
	       c->kernel->insts[with].op != GLC_OP_LoadLocal &&
	       cpu_bits(c->kernel->insts[with].type) == cpu_bits(c->kernel->insts[phi].type);
}

/* The latest read of each Phi of a loop, its own carrying-round left out. */
static void last_read(struct cpu_compile *c, glc_value value, uint32_t at, uint32_t user)
{
	value = cpu_same(c, value);
	(void)user;
	if (glc_is_const(value))
		return;
	at = reach(c, c->values[value].begin, at);
	if (at > c->values[value].slot)
		c->values[value].slot = at;
}

/* A value that a loop's Phi takes round: may be written where the Phi lies, which nobody reads any more. */
static void share_loop(struct cpu_compile *c, uint32_t phi)
{
	const struct cpu_region *region = &c->regions[c->region_of[c->owner[phi]]];
	glc_value next = cpu_same(c, c->kernel->insts[phi].arg[1]);
	uint32_t last = c->values[phi].slot;

	if (next == GLC_NO_VALUE || next == phi || !may_share(c, phi, next) || c->values[next].begin <= region->begin)
		return;
	if (c->kernel->insts[next].op == GLC_OP_Phi || c->kernel->insts[next].op == GLC_OP_ShflSyncBfly
		    ? last < c->values[next].begin
		    : last <= c->values[next].begin)
		share(c, phi, next);
}

/* Its word is filled once, before the kernel begins: nobody else may write it. */
static bool is_filled_before(enum glc_op op)
{
	return op == GLC_OP_Param || op == GLC_OP_Length || op == GLC_OP_GroupCount || op == GLC_OP_SubgroupSize;
}

/* The same for words: whoever computes the next round's value reads the last one first. */
static void share_word(struct cpu_compile *c, uint32_t phi)
{
	glc_value next = cpu_same(c, c->kernel->insts[phi].arg[1]);
	const struct cpu_value *v;

	if (next == GLC_NO_VALUE || glc_is_const(next) || next == phi ||
	    is_filled_before((enum glc_op)c->kernel->insts[next].op))
		return;
	v = &c->values[next];
	if (v->shape == c->values[phi].shape && v->home == next && c->kernel->insts[next].op != GLC_OP_Phi &&
	    next > phi && c->values[phi].slot <= next)
		c->values[next].home = phi;
}

/* What the first arm ends with may be made where the join wants it. */
static void share_arm(struct cpu_compile *c, uint32_t phi)
{
	const struct cpu_region *region = &c->regions[c->region_of[c->owner[phi]]];
	glc_value first = cpu_same(c, c->kernel->insts[phi].arg[0]);

	if (first == GLC_NO_VALUE || !may_share(c, phi, first) || c->values[first].begin <= region->begin ||
	    c->values[first].end > region->middle || c->values[first].begin >= region->middle ||
	    c->kernel->insts[first].op == GLC_OP_Phi)
		return;
	share(c, phi, first);
}

static void share_all(struct cpu_compile *c)
{
	const struct glc_inst *insts = c->kernel->insts;
	uint32_t n = c->kernel->inst_count;

	for (uint32_t i = 0; i < n; i++)
		c->values[i].slot = 0;
	each_use(c, last_read);
	for (uint32_t i = 0; i < n; i++) {
		if (insts[i].op != GLC_OP_Phi || c->values[i].home != i)
			continue;
		if (c->values[i].shape != GLC_VARYING) {
			if (c->values[i].shape == GLC_UNIFORM && insts[c->owner[i]].op == GLC_OP_Loop)
				share_word(c, i);
			continue;
		}
		if (insts[c->owner[i]].op == GLC_OP_Loop)
			share_loop(c, i);
		else if (insts[c->owner[i]].op == GLC_OP_EndIf)
			share_arm(c, i);
	}
}

/* --- Slots ---------------------------------------------------------------- */

struct scan {
	uint32_t *begins, *ends;    /* by instruction: the first value + 1 */
	uint32_t *next_begin, *next_end;
	uint32_t *free[2];          /* stacks of slots: of 32 bits, of 64 */
	uint32_t free_count[2];
};

static bool is_placed(const struct cpu_compile *c, uint32_t index)
{
	const struct cpu_value *v = &c->values[index];

	return v->in_register && !v->fused && v->home == index && c->same[index] == index;
}

static void release_ending(struct cpu_compile *c, struct scan *s, uint32_t at)
{
	for (uint32_t i = s->ends[at]; i--; i = s->next_end[i]) {
		bool wide = c->program->slot_bits[c->values[i].slot] == 64;

		s->free[wide][s->free_count[wide]++] = c->values[i].slot;
	}
}

static void place_beginning(struct cpu_compile *c, struct scan *s, uint32_t at)
{
	for (uint32_t i = s->begins[at]; i--; i = s->next_begin[i]) {
		bool wide = cpu_bits(c->kernel->insts[i].type) == 64;
		uint32_t slot;

		if (s->free_count[wide]) {
			slot = s->free[wide][--s->free_count[wide]];
		} else {
			slot = c->program->slot_count++;
			c->program->slot_bits[slot] = wide ? 64 : 32;
		}
		c->values[i].slot = slot;
	}
}

static void scan_slots(struct cpu_compile *c)
{
	uint32_t n = c->kernel->inst_count;
	struct scan s = {
		.begins = glc_bump_zero(c->memory, ((size_t)n + 2) * sizeof *s.begins),
		.ends = glc_bump_zero(c->memory, ((size_t)n + 2) * sizeof *s.ends),
		.next_begin = glc_bump(c->memory, (size_t)n * sizeof *s.next_begin),
		.next_end = glc_bump(c->memory, (size_t)n * sizeof *s.next_end),
	};

	c->program->slot_bits = glc_bump(c->memory, 2 * (size_t)n + GLC_SLOT_FIRST);
	for (int i = 0; i < 2; i++)
		s.free[i] = glc_bump(c->memory, ((size_t)n + 1) * sizeof *s.free[i]);
	if (!s.begins || !s.ends || !s.next_begin || !s.next_end || !s.free[0] || !s.free[1] ||
	    !c->program->slot_bits) {
		c->failed = true;
		return;
	}
	memset(c->program->slot_bits, 64, GLC_SLOT_FIRST);
	c->program->slot_count = GLC_SLOT_FIRST;
	for (uint32_t i = 0; i < n; i++) {
		struct cpu_value *v = &c->values[i];
		uint32_t end;

		if (!is_placed(c, i))
			continue;
		end = v->end > v->begin ? v->end : v->begin + 1;
		s.next_begin[i] = s.begins[v->begin];
		s.begins[v->begin] = i + 1;
		s.next_end[i] = s.ends[end];
		s.ends[end] = i + 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint16_t op = c->kernel->insts[i].op;
		bool in_place = !is_structure(op) && op != GLC_OP_ShflSyncBfly;

		if (in_place)
			release_ending(c, &s, i);
		place_beginning(c, &s, i);
		if (!in_place)
			release_ending(c, &s, i);
	}
}

/* --- All together --------------------------------------------------------- */

static void add_spares(struct cpu_compile *c)
{
	const struct glc_inst *insts = c->kernel->insts;

	for (uint32_t i = 0; i < c->kernel->inst_count; i++) {
		if (insts[i].op != GLC_OP_Phi || insts[c->owner[i]].op != GLC_OP_Loop ||
		    c->values[i].shape != GLC_VARYING || !cpu_is_exchanged(c, i))
			continue;
		c->values[i].spare = c->program->slot_count;
		c->program->slot_bits[c->program->slot_count++] = (uint8_t)cpu_bits(insts[i].type);
	}
}

static void name_registers(struct cpu_compile *c)
{
	uint32_t n = c->kernel->inst_count;

	c->program->reg_count = c->program->slot_count;
	for (uint32_t i = 0; i < n; i++) {
		struct cpu_value *v = &c->values[i];

		if (!v->in_register || c->same[i] != i)
			continue;
		v->slot = c->values[v->home].slot;
		v->reg = v->alias ? c->program->reg_count++ : v->slot;
	}
}

void cpu_place(struct cpu_compile *c)
{
	uint32_t n = c->kernel->inst_count;

	for (uint32_t i = 0; i < n; i++) {
		c->values[i].home = i;
		c->values[i].first = GLC_NOWHERE_32;
		c->values[i].only_branches = true;
		c->values[i].in_register = c->values[i].shape == GLC_VARYING;
	}
	each_use(c, count_use);
	for (uint32_t i = 0; i < n; i++)
		if (c->values[i].shape == GLC_VARYING)
			find_range(c, i);
	each_use(c, ask_register);
	for (uint32_t i = 0; i < n; i++)
		fuse(c, i);
	for (uint32_t i = 0; i < n; i++)
		begin_life(c, i);
	each_use(c, live_until);
	share_all(c);
	for (uint32_t i = 0; i < n; i++)
		find_alias(c, i);
	scan_slots(c);
	if (c->failed)
		return;
	add_spares(c);
	name_registers(c);
}
