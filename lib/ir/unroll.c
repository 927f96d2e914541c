/* SPDX-License-Identifier: MIT */
#include "ir/unroll.h"

#include "ir/expand.h"

#include <string.h>

enum {
	COPIES = 4,           /* of a counted loop; nvcc's number */
	MOST_WEIGHT = 64,     /* of its body */
};

/* About how many instructions of the target one of the source becomes, where it is not one. */
static const uint8_t weights[GLC_OP_COUNT] = {
	[GLC_OP_Div] = 8,    [GLC_OP_Rem] = 8,    [GLC_OP_Sqrt] = 8,   [GLC_OP_Rsqrt] = 16, [GLC_OP_Rcp] = 8,
	[GLC_OP_Exp] = 30,   [GLC_OP_Exp2] = 30,  [GLC_OP_Log] = 40,   [GLC_OP_Log2] = 40,  [GLC_OP_Pow] = 100,
	[GLC_OP_Sin] = 100,  [GLC_OP_Cos] = 100,  [GLC_OP_Tan] = 100,  [GLC_OP_Tanh] = 50,  [GLC_OP_Sinh] = 60,
	[GLC_OP_Cosh] = 60,  [GLC_OP_Asin] = 60,  [GLC_OP_Acos] = 60,  [GLC_OP_Atan] = 60,  [GLC_OP_Atan2] = 80,
	[GLC_OP_Erf] = 80,
};

/* Innermost, of a size worth looking at, and each round begins where the one before it ended. */
static bool look_at(const struct lower *l, uint32_t loop, struct glc_loop_body *body)
{
	const struct glc_inst *insts = l->source->insts;

	*body = (struct glc_loop_body){
		.insts = insts, .loop = loop, .first = loop + 1, .continuing = insts[loop].arg[2], .end = insts[loop].arg[1]};
	if (body->end - loop > GLC_LOOP_INSTS || !(insts[body->continuing].mods & GLC_MOD_OPEN) ||
	    insts[body->continuing + 1].op == GLC_OP_Phi)
		return false;
	for (uint32_t i = loop + 1; i < body->end; i++) {
		if (insts[i].op == GLC_OP_Loop || insts[i].op == GLC_OP_Continue)
			return false;
		body->breaks |= insts[i].op == GLC_OP_Break;
		body->converges |= (glc_ops[insts[i].op].flags & GLC_CONVERGE) != 0;
		body->weight += insts[i].mods & GLC_MOD_APPROX || !weights[insts[i].op] ? 1 : weights[insts[i].op];
	}
	while (insts[body->first].op == GLC_OP_Phi)
		body->first++;
	body->behind = body->end + 1;
	while (body->behind < l->source->inst_count && insts[body->behind].op == GLC_OP_Phi)
		body->behind++;
	return true;
}

void glc_unroll_set_phis(struct lower *l, const struct glc_loop_body *body, const glc_value *values)
{
	for (uint32_t i = body->loop + 1; i < body->first; i++)
		if (glc_lower_is_live(l, i))
			l->map[i] = values[i - body->loop - 1];
}

void glc_unroll_take_phis(const struct lower *l, const struct glc_loop_body *body, int arg, glc_value *values)
{
	for (uint32_t i = body->loop + 1; i < body->first; i++)
		if (glc_lower_is_live(l, i))
			values[i - body->loop - 1] = glc_lower_mapped(l, body->insts[i].arg[glc_unroll_carries(l, i) ? arg : 0]);
}

glc_value *glc_unroll_phi_values(struct lower *l, uint32_t count)
{
	/* One more: nothing is asked for in no bytes. */
	glc_value *values = glc_bump(l->memory, ((size_t)count + 1) * sizeof *values);

	l->b.failed |= !values;
	return values;
}

/*
 * What glc_ssa_end_loop makes of a `for`: at its end `next >= bound` (or <= when counting down), or
 * `bound - counter <= step` without sign. A round is run only while counter and bound are apart.
 */
struct counter {
	uint32_t phi;          /* behind the Loop */
	enum glc_type type, plain;
	glc_value bound;       /* in the source */
	uint64_t step;         /* its size */
	bool down;
};

static bool is_own_phi(const struct glc_loop_body *body, glc_value value)
{
	return !glc_is_const(value) && value > body->loop && value < body->first;
}

static bool find_counter(const struct lower *l, const struct glc_loop_body *body, struct counter *c)
{
	const struct glc_inst *insts = body->insts, *test, *next, *left;
	glc_value value = insts[body->end].arg[0], phi;
	uint64_t step, size;

	if (value == GLC_NO_VALUE || glc_is_const(value) || value < body->first)
		return false;
	test = &insts[value];
	if ((test->op != GLC_OP_Ge && test->op != GLC_OP_Le) || glc_is_const(test->arg[0]) || test->arg[0] < body->first)
		return false;
	left = &insts[test->arg[0]];
	if (left->op == GLC_OP_Bitcast && !glc_is_const(left->arg[0]))
		left = &insts[left->arg[0]];
	c->down = test->op == GLC_OP_Le;
	if (left->op == GLC_OP_Add) {
		phi = left->arg[is_own_phi(body, left->arg[0]) ? 0 : 1];
		c->bound = test->arg[1];
	} else if (left->op == GLC_OP_Sub && test->op == GLC_OP_Le) {
		c->down = is_own_phi(body, left->arg[0]);
		phi = left->arg[c->down ? 0 : 1];
		c->bound = left->arg[c->down ? 1 : 0];
	} else {
		return false;
	}
	if (!is_own_phi(body, phi) || glc_is_const(insts[phi].arg[1]) ||
	    (!glc_is_const(c->bound) && c->bound >= body->loop))
		return false;
	next = &insts[insts[phi].arg[1]];
	if (next->op != GLC_OP_Add || (next->arg[0] != phi && next->arg[1] != phi) ||
	    (left->op == GLC_OP_Add && next != left) ||
	    !glc_unroll_constant(l, glc_lower_mapped(l, next->arg[next->arg[0] == phi]), &step))
		return false;
	c->phi = phi;
	c->type = insts[phi].type;
	c->plain = glc_unsigned_of(c->type);
	c->step = (c->down ? 0 - step : step) & glc_type_mask(c->type);
	if (left->op == GLC_OP_Add)
		return c->step == 1;
	return glc_unroll_constant(l, glc_lower_mapped(l, test->arg[1]), &size) && size == c->step;
}

struct counted {
	struct lower *l;
	const struct glc_loop_body *body;
	const struct counter *c;
	glc_value rounds, rest;             /* in the copy; rest: rounds modulo COPIES */
	glc_value *heads, *exits;           /* what the Phis at the head and behind the end are, from here on */
	glc_value go;                       /* whether no Break was taken */
};

static glc_value plain_const(const struct counted *u, uint64_t value)
{
	return glc_const_bits(&u->l->b, u->c->plain, value & glc_type_mask(u->c->plain));
}

static glc_value emit2(const struct counted *u, enum glc_op op, enum glc_type type, glc_value a, glc_value c)
{
	return glc_emit2(&u->l->b, op, type, a, c);
}

/* How many rounds there are: one at least, or the loop would not have been reached. */
static void count_rounds(struct counted *u)
{
	struct glc_builder *b = &u->l->b;
	const struct counter *c = u->c;
	glc_value from = glc_lower_mapped(u->l, u->body->insts[c->phi].arg[0]), to = glc_lower_mapped(u->l, c->bound), left;

	left = c->down ? emit2(u, GLC_OP_Sub, c->type, from, to) : emit2(u, GLC_OP_Sub, c->type, to, from);
	u->rounds = glc_bitcast(b, c->plain, c->type, left);
	if (c->step != 1) {
		left = emit2(u, GLC_OP_Sub, c->plain, u->rounds, plain_const(u, 1));
		if (c->step & (c->step - 1))
			left = glc_expand_divide(b, GLC_OP_Div, c->plain, left, plain_const(u, c->step), false);
		else
			left = glc_expand_shift(b, GLC_OP_Shr, c->plain, left,
						glc_const_u32(b, (uint32_t)__builtin_ctzll(c->step)));
		u->rounds = emit2(u, GLC_OP_Add, c->plain, left, plain_const(u, 1));
	}
	u->rest = emit2(u, GLC_OP_And, c->plain, u->rounds, plain_const(u, COPIES - 1));
}

/* The step of the counter is all that is needed of what stands behind Continuing. */
static void copy_step(struct counted *u, bool last)
{
	uint32_t next = u->body->insts[u->c->phi].arg[1];
	struct glc_inst inst = u->body->insts[next];

	if (next < u->body->continuing)
		return;
	inst.arg[0] = glc_lower_mapped(u->l, inst.arg[0]);
	inst.arg[1] = glc_lower_mapped(u->l, inst.arg[1]);
	/* There is another round, or the bound is the next value: it does not wrap. */
	if (!u->c->down && u->c->type == u->c->plain && (!last || u->c->step == 1))
		inst.mods |= GLC_MOD_RAW;
	u->l->b.pos = inst.pos;
	u->l->map[next] = glc_emit_inst(&u->l->b, &inst);
}

static void copy_rounds(struct counted *u, uint32_t copies)
{
	struct lower *l = u->l;

	for (uint32_t round = 0; round < copies && !l->b.failed; round++) {
		glc_unroll_set_phis(l, u->body, u->heads);
		for (uint32_t i = u->body->first; i < u->body->continuing && !l->b.failed;)
			i = glc_lower_copy(l, i);
		copy_step(u, round == copies - 1);
		glc_unroll_take_phis(l, u->body, 1, u->heads);
	}
}

/* The values at the loop's end: those for the Phis behind it, those for its head, and `go`. */
static uint32_t end_list(const struct counted *u, bool goes_on)
{
	struct lower *l = u->l;
	const struct glc_loop_body *body = u->body;
	uint32_t at = l->b.edge_values.count, list = body->insts[body->end].arg[1];

	for (uint32_t i = body->end + 1; i < body->behind; i++)
		if (glc_lower_is_live(l, i))
			glc_lower_edge_value(&l->b, glc_lower_mapped(l, l->source->edge_values[list + body->insts[i].arg[0]]));
	if (!goes_on)
		return at;
	for (uint32_t i = body->loop + 1; i < body->first; i++)
		if (glc_unroll_carries(l, i))
			glc_lower_edge_value(&l->b, u->heads[i - body->loop - 1]);
	glc_lower_edge_value(&l->b, glc_const_bits(&l->b, GLC_BOOL, 1));
	return at;
}

static glc_value slot_phi(struct lower *l, enum glc_type type, uint32_t *slot)
{
	struct glc_inst phi = {
		.op = GLC_OP_Phi,
		.type = type,
		.from = type,
		.arg = {(*slot)++, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	return glc_append(&l->b, &phi);
}

static void end_phis(struct counted *u, bool goes_on)
{
	struct lower *l = u->l;
	const struct glc_loop_body *body = u->body;
	uint32_t slot = 0;

	for (uint32_t i = body->end + 1; i < body->behind; i++)
		if (glc_lower_is_live(l, i))
			u->exits[i - body->end - 1] = slot_phi(l, body->insts[i].type, &slot);
	if (!goes_on)
		return;
	for (uint32_t i = body->loop + 1; i < body->first; i++)
		if (glc_unroll_carries(l, i))
			u->heads[i - body->loop - 1] = slot_phi(l, body->insts[i].type, &slot);
	u->go = slot_phi(l, GLC_BOOL, &slot);
}

/*
 * `count` rounds, so many copies at a time, beginning with u->heads. goes_on: more rounds follow, for
 * which u->heads and u->go are set. The counter that is compared runs down to 0 whatever the source's
 * does: compilers see from that how many rounds there are.
 */
static void emit_loop(struct counted *u, uint32_t copies, glc_value count, bool goes_on)
{
	struct lower *l = u->l;
	struct glc_builder *b = &l->b;
	const struct glc_loop_body *body = u->body;
	struct glc_inst loop = body->insts[body->loop], next = {.op = GLC_OP_Continuing}, end = {.op = GLC_OP_EndLoop};
	glc_value *phis = glc_unroll_head_values(l, body), left, at;
	struct frame *frame = glc_lower_push_loop(l, body->loop);

	if (!phis)
		return;
	frame->goes_on = goes_on;
	for (uint32_t i = body->loop + 1; i < body->first; i++)
		frame->heads += glc_unroll_carries(l, i);
	loop.arg[0] = frame->exit_count + (goes_on ? frame->heads + 1 : 0);
	loop.mods |= copies == 1 ? GLC_MOD_REST : 0;
	frame->head = glc_append(b, &loop);
	for (uint32_t i = body->loop + 1; i < body->first; i++) {
		uint32_t n = i - body->loop - 1;

		if (glc_unroll_carries(l, i))
			phis[n] = u->heads[n] = glc_phi(b, body->insts[i].type, u->heads[n], GLC_NO_VALUE);
	}
	count = glc_phi(b, u->c->plain, count, GLC_NO_VALUE);
	frame->scope = glc_scope_begin(b);
	copy_rounds(u, copies);
	if (b->failed)
		return;
	frame = &l->frames.at[l->frames.count - 1];   /* copying may have moved it */
	next.mods = GLC_MOD_OPEN;
	next.arg[0] = next.arg[3] = end.arg[3] = GLC_NO_VALUE;
	next.arg[1] = b->edge_values.count;
	next.arg[2] = 1;
	at = glc_append(b, &next);
	b->insts.at[frame->head].arg[2] = at;
	left = emit2(u, GLC_OP_Sub, u->c->plain, count, plain_const(u, copies));
	b->insts.at[count].arg[1] = left;
	for (uint32_t i = body->loop + 1; i < body->first; i++)
		if (glc_unroll_carries(l, i))
			b->insts.at[phis[i - body->loop - 1]].arg[1] = u->heads[i - body->loop - 1];
	end.arg[0] = emit2(u, GLC_OP_Eq, u->c->plain, left, plain_const(u, 0));
	end.arg[1] = end_list(u, goes_on);
	glc_lower_pop_loop(l, &end);
	end_phis(u, goes_on);
}

/* emit_loop where the condition holds; else all stays as it is. */
static void emit_if(struct counted *u, glc_value condition, uint32_t copies, glc_value count, bool goes_on)
{
	struct lower *l = u->l;
	struct glc_builder *b = &l->b;
	const struct glc_loop_body *body = u->body;
	glc_value *heads = glc_unroll_head_values(l, body);
	glc_value *exits = glc_unroll_phi_values(l, body->behind - body->end - 1), go = u->go;
	uint32_t scope;
	uint64_t bits;

	if (!heads || !exits)
		return;
	if (glc_unroll_constant(l, condition, &bits)) {
		if (bits)
			emit_loop(u, copies, count, goes_on);
		return;
	}
	memcpy(heads, u->heads, (body->first - body->loop - 1) * sizeof *heads);
	memcpy(exits, u->exits, (body->behind - body->end - 1) * sizeof *exits);
	glc_if(b, condition);
	scope = glc_scope_begin(b);
	emit_loop(u, copies, count, goes_on);
	glc_scope_end(b, scope);
	glc_else(b, true);
	glc_end_if(b, true, false);
	for (uint32_t i = body->end + 1; i < body->behind; i++) {
		uint32_t n = i - body->end - 1;

		if (glc_lower_is_live(l, i))
			u->exits[n] = glc_phi(b, body->insts[i].type, u->exits[n], exits[n]);
	}
	for (uint32_t i = body->loop + 1; goes_on && i < body->first; i++) {
		uint32_t n = i - body->loop - 1;

		if (glc_unroll_carries(l, i))
			u->heads[n] = glc_phi(b, body->insts[i].type, u->heads[n], heads[n]);
	}
	if (goes_on)
		u->go = body->breaks ? glc_phi(b, GLC_BOOL, u->go, go) : go;
}

/*
 *	if rest { loop of `rest` rounds }  if rounds >= 4, and nothing left that loop { loop by fours }
 *
 * The rest comes first, so that a Break of the main loop, where the time is spent, has nothing to say
 * but the loop's own results.
 */
static uint32_t unroll_counted(struct lower *l, const struct glc_loop_body *body)
{
	struct counted u = {.l = l, .body = body};
	struct counter c;
	glc_value many;
	uint64_t bits;

	if (body->weight > MOST_WEIGHT || body->converges || !find_counter(l, body, &c))
		return 0;
	u.c = &c;
	u.heads = glc_unroll_head_values(l, body);
	u.exits = glc_unroll_phi_values(l, body->behind - body->end - 1);
	if (!u.heads || !u.exits)
		return 0;
	count_rounds(&u);
	many = emit2(&u, GLC_OP_Ge, c.plain, u.rounds, plain_const(&u, COPIES));
	if (glc_unroll_constant(l, many, &bits) && !bits)
		return 0;
	u.go = glc_const_bits(&l->b, GLC_BOOL, 1);
	/* Not read: one of the loops is run. */
	for (uint32_t i = body->end + 1; i < body->behind; i++)
		u.exits[i - body->end - 1] = GLC_NO_VALUE;
	glc_unroll_take_phis(l, body, 0, u.heads);
	emit_if(&u, emit2(&u, GLC_OP_Ne, c.plain, u.rest, plain_const(&u, 0)), 1, u.rest, true);
	l->b.pos = body->insts[body->loop].pos;
	if (body->breaks)
		many = emit2(&u, GLC_OP_And, GLC_BOOL, u.go, many);
	emit_if(&u, many, COPIES, emit2(&u, GLC_OP_Sub, c.plain, u.rounds, u.rest), false);
	for (uint32_t i = body->end + 1; i < body->behind; i++)
		l->map[i] = u.exits[i - body->end - 1];
	return body->behind;
}

uint32_t glc_unroll(struct lower *l, uint32_t loop)
{
	struct glc_loop_body body;
	uint32_t next;

	if (!l->unroll || !look_at(l, loop, &body))
		return 0;
	next = glc_unroll_whole(l, &body);
	return next ? next : unroll_counted(l, &body);
}
