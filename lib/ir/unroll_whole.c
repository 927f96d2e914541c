/* SPDX-License-Identifier: MIT */
/*
 * Loops of few rounds that are known: what decides about the way out is computed beforehand, round by
 * round, and then each round is copied behind the other.
 */
#include "ir/unroll.h"

enum {
	MOST_ROUNDS = 16,
	MOST_WEIGHT = 256,    /* of all rounds */
};

/* The whole numbers of one round, as far as they follow from those that are known on entry. */
struct round {
	const struct lower *l;
	const struct glc_loop_body *body;
	uint64_t *bits;       /* by instruction of the loop */
	bool *known;
	uint32_t leaves;      /* the Break or EndLoop that ends the loop, or 0 */
};

static bool known(const struct round *r, glc_value value, uint64_t *bits)
{
	uint32_t at = value - r->body->loop;

	if (glc_is_const(value) || value < r->body->loop)
		return glc_unroll_constant(r->l, glc_lower_mapped(r->l, value), bits);
	*bits = r->bits[at];
	return r->known[at];
}

static void evaluate(struct round *r, uint32_t index)
{
	const struct glc_inst *inst = &r->body->insts[index];
	uint32_t at = index - r->body->loop;
	uint64_t args[4] = {0};

	r->known[at] = false;
	/* What nobody needs was not copied, nor perhaps what it is made of. */
	if (!glc_lower_is_live(r->l, index))
		return;
	/* Folding asks the same function, so that what is known here becomes a constant in the copy. */
	if (!(glc_ops[inst->op].flags & GLC_PURE) || inst->mods || glc_is_float(inst->from) || glc_is_float(inst->type) ||
	    inst->arg[0] == GLC_NO_VALUE || inst->op == GLC_OP_Select || (glc_ops[inst->op].flags & GLC_INNER))
		return;
	for (int i = 0; i < 4 && inst->arg[i] != GLC_NO_VALUE; i++)
		if (!known(r, inst->arg[i], &args[i]))
			return;
	r->known[at] = glc_evaluate(inst->op, inst->type, inst->from, args, &r->bits[at]);
}

/* At an If with a way out in an arm: where the arm that is taken begins, and its Else or EndIf. */
static bool find_arm(const struct round *r, uint32_t index, uint32_t *begin, uint32_t *end)
{
	uint32_t middle = glc_lower_arm_end(r->l, index);
	uint64_t condition;

	if (!known(r, r->body->insts[index].arg[0], &condition))
		return false;
	*begin = condition ? index + 1 : middle + 1;
	*end = condition ? middle : glc_lower_arm_end(r->l, middle);
	return true;
}

static bool has_way_out(const struct lower *l, uint32_t index)
{
	return glc_lower_has_edges(l, index, glc_lower_arm_end(l, glc_lower_arm_end(l, index)));
}

/* false: it depends on what is not known whether the loop ends. */
static bool run_round(struct round *r)
{
	const struct glc_inst *insts = r->body->insts;
	uint32_t begin, end;
	uint64_t condition;

	r->leaves = 0;
	for (uint32_t i = r->body->first; i < r->body->end; i++) {
		if (insts[i].op != GLC_OP_If) {
			evaluate(r, i);
			continue;
		}
		if (has_way_out(r->l, i)) {
			if (!find_arm(r, i, &begin, &end))
				return false;
			if (insts[end - 1].op == GLC_OP_Break) {
				r->leaves = end - 1;
				return !glc_lower_has_edges(r->l, begin, end - 1);
			}
			if (!(insts[end].mods & GLC_MOD_OPEN) || glc_lower_has_edges(r->l, begin, end))
				return false;
		}
		/* What the arms make stays unknown. */
		end = glc_lower_arm_end(r->l, glc_lower_arm_end(r->l, i));
		for (; i < end; i++)
			r->known[i - r->body->loop] = false;
	}
	if (insts[r->body->end].arg[0] == GLC_NO_VALUE)
		return true;
	if (!known(r, insts[r->body->end].arg[0], &condition))
		return false;
	r->leaves = condition ? r->body->end : 0;
	return true;
}

static void next_round(struct round *r, int arg)
{
	const struct glc_inst *insts = r->body->insts;
	uint32_t count = r->body->first - r->body->loop;
	/* All at once: behind the loop's own places is room for as many again. */
	uint64_t *bits = r->bits + GLC_LOOP_INSTS;
	bool *is_known = r->known + GLC_LOOP_INSTS;

	for (uint32_t i = 1; i < count; i++)
		is_known[i] = glc_lower_is_live(r->l, r->body->loop + i) &&
			      known(r, insts[r->body->loop + i].arg[glc_unroll_carries(r->l, r->body->loop + i) ? arg : 0], &bits[i]);
	for (uint32_t i = 1; i < count; i++) {
		r->bits[i] = bits[i];
		r->known[i] = is_known[i];
	}
}

static bool few_rounds(struct round *r)
{
	uint32_t rounds = 0;

	next_round(r, 0);
	for (;; next_round(r, 1)) {
		if (!run_round(r))
			return false;
		if (r->leaves)
			return true;
		if (++rounds > MOST_ROUNDS || (rounds + 1) * r->body->weight > MOST_WEIGHT)
			return false;
	}
}

static void copy_round(struct lower *l, const struct round *r)
{
	const struct glc_inst *insts = r->body->insts;
	uint32_t begin, end, stop = r->leaves ? r->leaves : r->body->end;

	for (uint32_t i = r->body->first; i < stop && !l->b.failed;) {
		if (insts[i].op == GLC_OP_Continuing) {
			i++;
		} else if (insts[i].op == GLC_OP_If && has_way_out(l, i) && find_arm(r, i, &begin, &end)) {
			/* The arm that leaves is copied as what it is, the end of the round. */
			i = end == stop + 1 ? begin : glc_lower_one_arm(l, i, begin == i + 1);
		} else {
			i = glc_lower_copy(l, i);
		}
	}
}

static uint32_t copy_all(struct lower *l, struct round *r)
{
	const struct glc_loop_body *body = r->body;
	glc_value *values = glc_unroll_head_values(l, body);
	uint32_t list, behind = body->behind;

	if (!values)
		return behind;
	next_round(r, 0);
	glc_unroll_take_phis(l, body, 0, values);
	for (;;) {
		run_round(r);
		glc_unroll_set_phis(l, body, values);
		copy_round(l, r);
		if (r->leaves || l->b.failed)
			break;
		glc_unroll_take_phis(l, body, 1, values);
		next_round(r, 1);
	}
	if (l->b.failed)
		return behind;
	list = body->insts[r->leaves].arg[r->leaves == body->end ? 1 : 0];
	for (uint32_t i = body->end + 1; i < behind; i++)
		if (glc_lower_is_live(l, i))
			l->map[i] = glc_lower_mapped(l, l->source->edge_values[list + body->insts[i].arg[0]]);
	return behind;
}

uint32_t glc_unroll_whole(struct lower *l, const struct glc_loop_body *body)
{
	struct round r = {.l = l, .body = body};
	bool any = false;
	uint64_t bits;

	if (body->weight > MOST_WEIGHT || (!body->breaks && body->insts[body->end].arg[0] == GLC_NO_VALUE))
		return 0;
	for (uint32_t i = body->loop + 1; i < body->first; i++)
		any |= glc_unroll_carries(l, i) && glc_unroll_constant(l, glc_lower_mapped(l, body->insts[i].arg[0]), &bits);
	if (!any)
		return 0;
	if (!l->round_bits) {
		l->round_bits = glc_bump(l->memory, 2 * (GLC_LOOP_INSTS + 1) * sizeof *r.bits);
		l->round_known = glc_bump(l->memory, 2 * (GLC_LOOP_INSTS + 1) * sizeof *r.known);
	}
	r.bits = l->round_bits;
	r.known = l->round_known;
	if (!r.bits || !r.known) {
		l->b.failed = true;
		return 0;
	}
	return few_rounds(&r) ? copy_all(l, &r) : 0;
}
