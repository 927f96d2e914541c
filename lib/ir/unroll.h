/* SPDX-License-Identifier: MIT */
/*
 * Innermost loops, copied several times while a kernel is lowered. ptxas is given what nvcc would
 * give it: it overlaps the loads of rounds that follow each other in a straight line, and takes
 * counters, moves and branches of a loop once for all of them.
 *
 *  - Of few rounds that are known: one after the other, without a loop.
 *  - Counted (what a `for` becomes): a loop for what the number of rounds leaves when it is divided by
 *    four, then the main loop, which runs four rounds and tests the counter once.
 *
 * Each round does what it did, in the same order: no value has other bits than before.
 */
#ifndef GLC_IR_UNROLL_H
#define GLC_IR_UNROLL_H

#include "ir/lower_inst.h"

enum { GLC_LOOP_INSTS = 160 };   /* of a body that is looked at */

struct glc_loop_body {
	const struct glc_inst *insts;    /* of the source */
	uint32_t loop, first, continuing, end, behind;   /* first, behind: past the Phis of the head, of the end */
	uint32_t weight;                 /* about how many instructions of the target it becomes */
	bool breaks, converges;
};

/* At a Loop of the source: copies it in one of these ways and gives the instruction behind it, or gives 0. */
uint32_t glc_unroll(struct lower *l, uint32_t loop);
/* The same for a loop of few rounds. */
uint32_t glc_unroll_whole(struct lower *l, const struct glc_loop_body *body);

/* --- Shared by the files of unrolling ------------------------------------- */

static inline bool glc_unroll_constant(const struct lower *l, glc_value value, uint64_t *bits)
{
	if (value == GLC_NO_VALUE || !glc_is_const(value))
		return false;
	*bits = l->b.consts.at[value & ~GLC_CONST_BIT].bits;
	return true;
}

/* A Phi of the head that is needed and changes. */
static inline bool glc_unroll_carries(const struct lower *l, uint32_t phi)
{
	return glc_lower_is_live(l, phi) && !glc_lower_is_invariant(l, phi);
}

/* An array for so many Phis; NULL: memory ran out, which the builder knows. */
glc_value *glc_unroll_phi_values(struct lower *l, uint32_t count);
static inline glc_value *glc_unroll_head_values(struct lower *l, const struct glc_loop_body *body)
{
	return glc_unroll_phi_values(l, body->first - body->loop - 1);
}
/* What the head's Phis are on entry (arg 0) or become for the next round (arg 1), all at once. */
void glc_unroll_take_phis(const struct lower *l, const struct glc_loop_body *body, int arg, glc_value *values);
/* What they are from here on. */
void glc_unroll_set_phis(struct lower *l, const struct glc_loop_body *body, const glc_value *values);

#endif
