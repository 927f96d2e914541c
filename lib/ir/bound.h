/* SPDX-License-Identifier: MIT */
/*
 * How far another device's values may lie from those of the processor: the bounds that
 * glacier-kernel(7), ONE ANSWER ON EVERY TARGET, gives to single instructions, carried
 * through all that is computed with their results.
 *
 * The kernel is rewritten to compute, beside each value that may differ, a bound of the
 * difference: f64, 0 where none is allowed, infinity where none is known. Bounds of what
 * is stored stand in buffers of their own, and in shared and private arrays of their own.
 *
 *	bound.c        the copy with its bounds: structure, memory, control flow
 *	bound_rule.c   one instruction's bound from those of its operands
 */
#ifndef GLC_IR_BOUND_H
#define GLC_IR_BOUND_H

#include "ir/build.h"

struct glc_bounded {
	struct glc_ir ir;            /* kernels[0]: the kernel with its bounds */
	uint32_t *bounds;            /* by object of the source: the object with its bounds, or GLC_NO_VALUE */
	/*
	 * A buffer of two u32: the first is set when some branch, index or sum depended on a
	 * value that may differ, so that no bound of this run is worth anything.
	 */
	uint32_t lost;
};

/*
 * One kernel of the checked IR, not lowered. inputs_differ: an earlier launch may have left
 * what differs in its buffers. Everything in memory; false: it ran out.
 */
bool glc_bound_kernel(const struct glc_ir *ir, const struct glc_kernel *kernel, bool inputs_differ,
		      struct glacier_memory *memory, struct glc_bounded *out);

/* --- bound_rule.c ---------------------------------------------------------- */

struct glc_bound_operand {
	glc_value value, bound;      /* in the copy; bound: an f64, or GLC_NO_VALUE: 0 */
	enum glc_type type;
};

/*
 * Of a pure instruction whose copy is `result`. GLC_NO_VALUE: it cannot differ. The operands
 * of floats may be flushed where they are subnormal, and so may the result.
 */
glc_value glc_bound_rule(struct glc_builder *b, const struct glc_inst *inst, glc_value result,
			 const struct glc_bound_operand operands[4]);
/* Whether its result may differ though its operands cannot. */
bool glc_bound_begins(const struct glc_inst *inst);

#endif
