/* SPDX-License-Identifier: MIT */
/* Lowering one instruction: what lower.c, which copies the structure, asks lower_inst.c for. */
#ifndef GLC_IR_LOWER_INST_H
#define GLC_IR_LOWER_INST_H

#include "ir/live.h"
#include "ir/lower.h"

struct frame {
	uint32_t source;           /* the If or Loop in the source kernel */
	glc_value head;            /* its copy */
	uint32_t scope;
	bool inlined;              /* an If with a known condition: only one arm is copied */
	/* Loop: which slots of its edges are read, and the chains of copied edges */
	uint32_t exit_slots, exit_count, next_slots, next_count;   /* in lower.slots */
	glc_value first_break, last_break, first_continue, last_continue;
	glc_value continuing;
	/* Of a counted loop that is unrolled: its ends list so many values of its head and whether to go on. */
	bool goes_on;
	uint32_t heads;
};

struct lower {
	const struct glc_ir *ir;
	const struct glc_kernel *source;
	const struct glacier_target *target;
	struct glacier_diag *diag;
	struct glacier_memory *memory;
	struct glc_kernel *kernel;        /* being made */
	struct glc_builder b;
	glc_value *map;                   /* by source instruction */
	const struct glc_live *live;      /* NULL: everything is copied */
	GLC_ARRAY(struct frame) frames;
	GLC_ARRAY(uint32_t) slots;
	enum glacier_status status;
	bool spirv, cpu, unroll;
	/* unroll.c: what a round's instructions are known to be. */
	uint64_t *round_bits;
	bool *round_known;
};

/* What stands for a value of the source in the copy. */
static inline glc_value glc_lower_mapped(const struct lower *l, glc_value value)
{
	return value == GLC_NO_VALUE || glc_is_const(value) ? value : l->map[value];
}

static inline bool glc_lower_is_live(const struct lower *l, uint32_t index)
{
	return !l->live || glc_live_is(l->live, index);
}

/* For unroll.c. One instruction, or a run that belongs together; gives the next. */
uint32_t glc_lower_copy(struct lower *l, uint32_t index);
/* A Phi behind Loop that changes nothing: its value is the one on entry. */
bool glc_lower_is_invariant(const struct lower *l, uint32_t index);
/* From an If or Else to the Else or EndIf that belongs to it. */
uint32_t glc_lower_arm_end(const struct lower *l, uint32_t index);
/* Whether a Break or Continue stands there. */
bool glc_lower_has_edges(const struct lower *l, uint32_t from, uint32_t to);
/* Of an If only the first or the second arm from here on; gives its first instruction. */
uint32_t glc_lower_one_arm(struct lower *l, uint32_t index, bool first);
/* A frame for a copy of the Loop, whose end is left with what the Phis behind it read. */
struct frame *glc_lower_push_loop(struct lower *l, uint32_t index);
/* The copy ends with this EndLoop, complete but for its Breaks. */
void glc_lower_pop_loop(struct lower *l, struct glc_inst *end);

/* The instructions that take the place of one of the source; the value of its result. */
glc_value glc_lower_inst(struct lower *l, const struct glc_inst *source);
/* Whether the target has no form of it, used or not; and telling so. */
bool glc_lower_is_refused(const struct glc_inst *inst);
void glc_lower_refuse(struct lower *l, const struct glc_inst *inst);
/* Appends to the lists of edges; gives the place. */
glc_value glc_lower_edge_value(struct glc_builder *b, glc_value value);

#endif
