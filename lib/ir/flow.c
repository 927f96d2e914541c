/* SPDX-License-Identifier: MIT */
/*
 * Joins. Each function opens or closes a region in the IR and merges what the registers
 * hold: one Phi for each register whose value depends on the way taken, and for each value
 * that leaves the region it was made in.
 */
#include "ir/ssa.h"

#include <string.h>

/* What the ways out of a kernel's loops carry: breaks times registers, so it multiplies. */
enum { MAX_EDGE_VALUES = 1 << 22 };

static struct ssa_frame *push_frame(struct ssa *s, enum ssa_frame_kind kind, uint32_t stmt)
{
	static _Thread_local struct ssa_frame nowhere;
	struct ssa_frame *frame = GLC_PUSH(s->memory, &s->frames);

	if (!frame) {
		s->failed = true;
		frame = &nowhere;
	}
	memset(frame, 0, sizeof *frame);
	frame->kind = kind;
	frame->stmt = stmt;
	frame->first_break = frame->first_continue = GLC_NO_VALUE;
	return frame;
}

/* --- If ------------------------------------------------------------------ */

void glc_ssa_if(struct ssa *s, uint32_t stmt, glc_value condition)
{
	struct ssa_frame *frame = push_frame(s, SSA_IF, stmt);

	frame->head = glc_if(&s->b, condition);
	frame->outer_stamp = s->stamp;
	frame->journal = s->journal.count;
	frame->joins = s->joins.count;
	frame->scope = glc_scope_begin(&s->b);
	s->stamp = ++s->last_stamp;
}

/* Takes back the writes of the arm that ends here. */
static void restore(struct ssa *s, const struct ssa_frame *frame)
{
	while (s->journal.count > frame->journal) {
		const struct ssa_journal *entry = &s->journal.at[--s->journal.count];

		s->regs[entry->reg].now = entry->old;
		s->regs[entry->reg].stamp = entry->old_stamp;
	}
}

static struct ssa_join *push_join(struct ssa *s)
{
	static _Thread_local struct ssa_join nowhere;
	struct ssa_join *join = GLC_PUSH(s->memory, &s->joins);

	if (!join) {
		s->failed = true;
		return &nowhere;
	}
	return join;
}

void glc_ssa_else(struct ssa *s)
{
	struct ssa_frame *frame = glc_ssa_top(s);

	for (uint32_t i = frame->journal; i < s->journal.count; i++) {
		uint32_t reg = s->journal.at[i].reg;

		*push_join(s) = (struct ssa_join){.reg = reg, .first = s->regs[reg].now};
	}
	restore(s, frame);
	glc_scope_end(&s->b, frame->scope);
	frame->first_open = s->reachable;
	frame->in_else = true;
	glc_else(&s->b, s->reachable);
	frame->scope = glc_scope_begin(&s->b);
	s->stamp = ++s->last_stamp;
	s->reachable = true;
}

/* Made inside of the region that `head` opened, so not usable behind it as it is. */
static bool is_inside(glc_value value, glc_value head)
{
	return !glc_is_const(value) && value > head;
}

static inline glc_value merge(struct ssa *s, struct ssa_frame *frame, uint32_t pos,
			      const struct ssa_join *join, bool second_open)
{
	glc_value first = frame->first_open ? join->first : GLC_NO_VALUE;
	glc_value second = second_open ? join->second : GLC_NO_VALUE;
	glc_value known = frame->first_open ? first : second;

	if (frame->first_open && !glc_is_set(first))
		return glc_ssa_unset(s, pos, SSA_WAY_TRUE, first);
	if (second_open && !glc_is_set(second)) {
		/* Registers of one arm alone: one reason serves them all. */
		if (second != GLC_NO_VALUE)
			return glc_ssa_unset(s, pos, SSA_WAY_FALSE, second);
		if (!frame->first_only)
			frame->first_only = glc_ssa_unset(s, pos, SSA_WAY_FALSE, second);
		return frame->first_only;
	}
	if (frame->first_open && second_open && first != second)
		return glc_phi(&s->b, s->regs[join->reg].type, first, second);
	if (is_inside(known, frame->head))
		return glc_phi(&s->b, s->regs[join->reg].type, first, second);
	return known;
}

void glc_ssa_end_if(struct ssa *s)
{
	struct ssa_frame frame;
	bool second_open;
	uint32_t mark = ++s->last_mark, pos;

	if (!glc_ssa_top(s)->in_else)
		glc_ssa_else(s);
	frame = *glc_ssa_top(s);
	s->frames.count--;
	second_open = s->reachable;
	pos = s->tree->stmts.at[frame.stmt].pos;

	/* What the first arm wrote; the second arm's value is there now, written or not. */
	for (uint32_t i = frame.joins; i < s->joins.count; i++) {
		s->joins.at[i].second = s->regs[s->joins.at[i].reg].now;
		s->regs[s->joins.at[i].reg].mark = mark;
	}
	/* And what only the second arm wrote. */
	for (uint32_t i = frame.journal; i < s->journal.count; i++) {
		const struct ssa_journal entry = s->journal.at[i];

		if (s->regs[entry.reg].mark != mark)
			*push_join(s) = (struct ssa_join){entry.reg, entry.old, s->regs[entry.reg].now};
	}
	restore(s, &frame);
	glc_scope_end(&s->b, frame.scope);
	s->stamp = frame.outer_stamp;
	s->reachable = frame.first_open || second_open;
	glc_end_if(&s->b, second_open, !s->reachable);
	if (s->reachable)
		for (uint32_t i = frame.joins; i < s->joins.count && !s->failed; i++) {
			struct ssa_join join = s->joins.at[i];

			glc_value merged = merge(s, &frame, pos, &join, second_open);

			if (merged != s->regs[join.reg].now)
				glc_ssa_write(s, join.reg, merged);
		}
	s->joins.count = frame.joins;
}

/* --- Loops --------------------------------------------------------------- */

static const struct ssa_loop *loop_of(struct ssa *s, uint32_t stmt)
{
	return &s->loops[stmt - s->source->first];
}

/* Opens the Loop and gives each register that its body writes a Phi, if it has a value now. */
static void open_loop(struct ssa *s, enum ssa_frame_kind kind, uint32_t stmt, bool unroll,
		      bool guarded)
{
	struct ssa_frame *frame = push_frame(s, kind, stmt);
	const struct ssa_loop *loop = loop_of(s, stmt);
	struct glc_inst inst = {
		.op = GLC_OP_Loop,
		.mods = unroll ? GLC_MOD_UNROLL : 0,
		.arg = {loop->write_count, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	frame->loop = loop;
	frame->guarded = guarded;
	frame->head = glc_append(&s->b, &inst);
	frame->phis = s->b.insts.count;
	frame->outer_stamp = s->stamp;
}

static void open_phis(struct ssa *s)
{
	struct ssa_frame *frame = glc_ssa_top(s);

	for (uint32_t slot = 0; slot < frame->loop->write_count; slot++) {
		uint32_t reg = s->write_sets.at[frame->loop->writes + slot];
		struct glc_inst phi = {
			.op = GLC_OP_Phi,
			.type = s->regs[reg].type,
			.from = s->regs[reg].type,
			.arg = {s->regs[reg].now, GLC_NO_VALUE, slot, GLC_NO_VALUE},
		};

		glc_ssa_touch(s, reg);
		if (glc_is_set(s->regs[reg].now))
			s->regs[reg].now = glc_append(&s->b, &phi);
	}
	frame->scope = glc_scope_begin(&s->b);
}

void glc_ssa_loop(struct ssa *s, uint32_t stmt)
{
	open_loop(s, SSA_LOOP, stmt, false, false);
	open_phis(s);
}

void glc_ssa_for(struct ssa *s, uint32_t stmt, glc_value from, glc_value to, glc_value step)
{
	const struct glc_stmt *source = &s->tree->stmts.at[stmt];
	struct glc_inst phi = {
		.op = GLC_OP_Phi,
		.type = source->type,
		.from = source->type,
		.arg = {from, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};
	struct ssa_frame *frame;
	bool guarded = s->frames.count && glc_ssa_top(s)->kind == SSA_IF && glc_ssa_top(s)->stmt == stmt;

	open_loop(s, SSA_FOR, stmt, source->mods & GLC_MOD_UNROLL, guarded);
	frame = glc_ssa_top(s);
	frame->counter = glc_append(&s->b, &phi);
	frame->bound = to;
	frame->step = step;
	s->regs[source->result].now = frame->counter;
	open_phis(s);
}

/* The values of the loop's registers on an edge: where they begin in edge_values. */
static uint32_t edge_list(struct ssa *s, const struct ssa_frame *frame)
{
	uint32_t count = frame->loop->write_count, first = s->b.edge_values.count;

	if (count > MAX_EDGE_VALUES - first) {
		glc_fail(s->diag, GLC_GA_TOO_MANY, s->tree->stmts.at[frame->stmt].pos,
			 "registers written in loops times the ways out of them", MAX_EDGE_VALUES);
		s->failed = true;
		return 0;
	}
	if (!GLC_RESERVE(s->memory, &s->b.edge_values, count)) {
		s->failed = true;
		return 0;
	}
	for (uint32_t slot = 0; slot < count; slot++)
		s->b.edge_values.at[first + slot] =
			s->regs[s->write_sets.at[frame->loop->writes + slot]].now;
	s->b.edge_values.count += count;
	return first;
}

void glc_ssa_leave(struct ssa *s, enum glc_op op, uint32_t pos)
{
	struct ssa_frame *frame = NULL;
	struct glc_inst inst = {.op = op, .arg = {0, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE}};
	uint32_t *first, *last;
	glc_value edge;

	for (uint32_t i = s->frames.count; i-- > 0 && !frame;)
		if (s->frames.at[i].kind != SSA_IF)
			frame = &s->frames.at[i];
	if (!frame) {
		glc_fail(s->diag, GLC_GA_OUTSIDE_LOOP, pos, op == GLC_OP_Break ? "break" : "continue");
		return;
	}
	inst.arg[0] = edge_list(s, frame);
	edge = glc_append(&s->b, &inst);
	first = op == GLC_OP_Break ? &frame->first_break : &frame->first_continue;
	last = op == GLC_OP_Break ? &frame->last_break : &frame->last_continue;
	if (*first == GLC_NO_VALUE)
		*first = edge;
	else
		s->b.insts.at[*last].arg[1] = edge;
	*last = edge;
	frame->continue_count += op == GLC_OP_Continue;
	s->reachable = false;
}

/* The value of a slot on the edges of a chain, and one list more (GLC_NO_VALUE: none). */
struct gathered {
	glc_value value;    /* of the first edge */
	bool any, same;
	glc_value unset;    /* the first edge's that has none, or GLC_NO_VALUE */
	uint32_t unset_pos;
	bool all_set;
};

static void gather(struct gathered *g, glc_value value, uint32_t pos)
{
	if (!glc_is_set(value) && g->all_set) {
		g->all_set = false;
		g->unset = value;
		g->unset_pos = pos;
	}
	if (!g->any)
		g->value = value;
	else if (g->value != value)
		g->same = false;
	g->any = true;
}

static struct gathered gather_edges(const struct ssa *s, uint32_t edge, uint32_t list, uint32_t pos,
				    uint32_t slot)
{
	struct gathered g = {.same = true, .all_set = true, .unset = GLC_NO_VALUE};

	for (; edge != GLC_NO_VALUE; edge = s->b.insts.at[edge].arg[1])
		gather(&g, s->b.edge_values.at[s->b.insts.at[edge].arg[0] + slot], s->b.insts.at[edge].pos);
	if (list != GLC_NO_VALUE)
		gather(&g, s->b.edge_values.at[list + slot], pos);
	return g;
}

static glc_value slot_phi(struct ssa *s, uint32_t reg, uint32_t slot)
{
	struct glc_inst phi = {
		.op = GLC_OP_Phi,
		.type = s->regs[reg].type,
		.from = s->regs[reg].type,
		.arg = {slot, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	return glc_append(&s->b, &phi);
}

/* Continuing: what the registers hold when the next round begins. */
static void join_continues(struct ssa *s, const struct ssa_frame *frame)
{
	uint32_t pos = s->tree->stmts.at[frame->stmt].pos;
	struct glc_inst inst = {
		.op = GLC_OP_Continuing,
		.mods = s->reachable ? GLC_MOD_OPEN : 0,
		.arg = {frame->first_continue, GLC_NO_VALUE, frame->continue_count + s->reachable,
			GLC_NO_VALUE},
	};
	uint32_t list = GLC_NO_VALUE;

	if (s->reachable)
		list = inst.arg[1] = edge_list(s, frame);
	glc_append(&s->b, &inst);
	if (frame->first_continue == GLC_NO_VALUE)
		return;   /* the body's end is the only way, or there is none: nothing to join */
	for (uint32_t slot = 0; slot < frame->loop->write_count && !s->failed; slot++) {
		uint32_t reg = s->write_sets.at[frame->loop->writes + slot];
		struct gathered g = gather_edges(s, frame->first_continue, list, pos, slot);

		if (!g.all_set)
			s->regs[reg].now = glc_ssa_unset(s, g.unset_pos, SSA_WAY_LEAVE, g.unset);
		else if (g.same && (glc_is_const(g.value) || g.value < frame->scope))
			s->regs[reg].now = g.value;   /* from before the loop, or a Phi of its head */
		else
			s->regs[reg].now = slot_phi(s, reg, slot);
	}
}

/*
 * By one: the next value cannot pass the bound, so it is what is compared. Compilers know this
 * form of a loop, and unroll it where they do not unroll the general one.
 */
static glc_value step_by_one(struct ssa *s, const struct ssa_frame *frame, bool down)
{
	struct glc_builder *b = &s->b;
	enum glc_type type = s->tree->stmts.at[frame->stmt].type;
	glc_value next = glc_emit2(b, GLC_OP_Add, type, frame->counter, frame->step);

	b->insts.at[frame->counter].arg[1] = next;
	return glc_emit2(b, down ? GLC_OP_Le : GLC_OP_Ge, type, next, frame->bound);
}

/* The counter's step, and the condition to leave: see glacier-kernel(7), for. */
static glc_value step_counter(struct ssa *s, const struct ssa_frame *frame)
{
	struct glc_builder *b = &s->b;
	enum glc_type type = s->tree->stmts.at[frame->stmt].type;
	enum glc_type plain = glc_unsigned_of(type);
	glc_value k = frame->counter, step = frame->step, left, size, leave, next, up;
	uint64_t bits = glc_is_const(step) ? b->consts.at[step & ~GLC_CONST_BIT].bits : 0;
	bool down = glc_is_signed(type) && bits >> (glc_bits(type) - 1);

	if (glc_is_const(step) && ((down ? 0 - bits : bits) & glc_type_mask(type)) == 1)
		return step_by_one(s, frame, down);
	up = glc_emit2(b, GLC_OP_Sub, type, frame->bound, k);
	if (glc_is_const(step)) {
		left = down ? glc_emit2(b, GLC_OP_Sub, type, k, frame->bound) : up;
		size = glc_const_bits(b, plain, (down ? 0 - bits : bits) & glc_type_mask(type));
	} else if (!glc_is_signed(type)) {
		left = up;
		size = step;
	} else {
		glc_value rising = glc_emit2(b, GLC_OP_Gt, type, step, glc_const_int(b, type, 0));

		left = glc_select(b, type, rising, up, glc_emit2(b, GLC_OP_Sub, type, k, frame->bound));
		size = glc_bitcast(b, plain, type, glc_emit1(b, GLC_OP_Abs, type, step));
	}
	leave = glc_emit2(b, GLC_OP_Le, plain, glc_bitcast(b, plain, type, left), size);
	/* Emit first, then look the counter up: emitting may move the array. */
	next = glc_emit2(b, GLC_OP_Add, type, k, step);
	b->insts.at[k].arg[1] = next;
	return leave;
}

void glc_ssa_end_loop(struct ssa *s)
{
	struct ssa_frame frame = *glc_ssa_top(s);
	const struct glc_stmt *source = &s->tree->stmts.at[frame.stmt];
	bool continues = s->reachable || frame.continue_count, leaves;
	struct glc_inst end = {
		.op = GLC_OP_EndLoop,
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, frame.first_break, GLC_NO_VALUE},
	};
	struct glc_builder *b = &s->b;

	b->insts.at[frame.head].arg[2] = b->insts.count;
	join_continues(s, &frame);
	/* Sharing sees the body's top level only when the body's end is the one way here. */
	if (frame.first_continue != GLC_NO_VALUE || !s->reachable) {
		glc_scope_end(b, frame.scope);
		frame.scope = glc_scope_begin(b);
	}
	if (s->failed)
		return;
	for (uint32_t i = frame.phis; i < b->insts.count && b->insts.at[i].op == GLC_OP_Phi; i++) {
		uint32_t slot = b->insts.at[i].arg[2];

		if (slot != GLC_NO_VALUE && continues)
			b->insts.at[i].arg[1] = s->regs[s->write_sets.at[frame.loop->writes + slot]].now;
	}
	if (frame.kind == SSA_FOR && continues) {
		end.arg[0] = step_counter(s, &frame);
		end.arg[1] = edge_list(s, &frame);
	}
	leaves = frame.first_break != GLC_NO_VALUE || end.arg[0] != GLC_NO_VALUE;
	if (!leaves)
		end.mods |= GLC_MOD_UNREACHABLE;
	glc_scope_end(b, frame.scope);
	b->insts.at[frame.head].arg[1] = b->insts.count;
	glc_append(b, &end);
	s->frames.count--;
	s->reachable = leaves;

	for (uint32_t slot = 0; leaves && slot < frame.loop->write_count && !s->failed; slot++) {
		uint32_t reg = s->write_sets.at[frame.loop->writes + slot];
		struct gathered g = gather_edges(s, frame.first_break, end.arg[1], source->pos, slot);

		if (!g.all_set)
			s->regs[reg].now = glc_ssa_unset(s, g.unset_pos, SSA_WAY_LEAVE, g.unset);
		else if (g.same && !is_inside(g.value, frame.head))
			s->regs[reg].now = g.value;
		else
			s->regs[reg].now = slot_phi(s, reg, slot);
	}
	if (frame.kind == SSA_FOR) {
		s->regs[source->result].counter = false;
		s->regs[source->result].type = GLC_VOID;
		s->regs[source->result].now = GLC_NO_VALUE;
	}
	if (frame.guarded)
		glc_ssa_end_if(s);
}
