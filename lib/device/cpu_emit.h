/* SPDX-License-Identifier: MIT */
/*
 * Writing steps: what the parts of the walk over a kernel share.
 *
 *	cpu_compile.c       the walk, and the program around the steps
 *	cpu_emit.c          steps, operands, instructions that only compute
 *	cpu_emit_memory.c   accesses and atomics
 *	cpu_emit_flow.c     structure, and the joins behind it
 *	cpu_emit_watch.c    the steps of check.h, in programs that are watched
 */
#ifndef GLC_DEVICE_CPU_EMIT_H
#define GLC_DEVICE_CPU_EMIT_H

#include "device/cpu_compile.h"

/* A jump ahead that waits for the step where it lands. */
struct cpu_patch {
	uint32_t step, region;   /* GLC_NOWHERE_32: the program's end */
	uint8_t where;
};

/* Where in a region a jump ahead lands. */
enum { CPU_AT_MIDDLE, CPU_AT_END };

struct cpu_emit {
	struct cpu_compile *c;
	GLC_ARRAY(struct glc_step) steps;
	GLC_ARRAY(struct cpu_patch) patches;
	GLC_ARRAY(union glc_word) words;
	GLC_ARRAY(struct glc_cpu_input) inputs;
	uint32_t *const_words;   /* by constant: its word + 1 */
	uint32_t mask;           /* that holds here */
	uint32_t landed;         /* the last step that is jumped to: those behind it run one after the other */
	uint32_t pos;
};

/* --- cpu_emit.c ----------------------------------------------------------- */

/* A new step with the present mask; one that nobody runs when memory is out. */
struct glc_step *cpu_step(struct cpu_emit *e, uint32_t code);
/* The loop of cpu_lanes.c at the program's level; and a step that calls it. */
glc_lanes_fn *cpu_loop(const struct cpu_emit *e, uint32_t which, uint32_t shape);
struct glc_step *cpu_lanes(struct cpu_emit *e, uint32_t which, uint32_t shape);
/* A step that moves the word of a value of that type. */
void cpu_move(struct cpu_emit *e, uint32_t to, uint32_t from, enum glc_type type);
struct cpu_value *cpu_value_of(struct cpu_emit *e, glc_value value);
bool cpu_is_word(struct cpu_emit *e, glc_value value);
uint32_t cpu_new_word(struct cpu_emit *e, uint64_t bits);
/* The word of a uniform value, or of an affine one in lane 0. */
uint32_t cpu_word(struct cpu_emit *e, glc_value value);
/* A register with the value in every lane; a word is spread into `scratch`. */
uint32_t cpu_reg(struct cpu_emit *e, glc_value value, uint32_t scratch);
uint32_t cpu_word_or_reg(struct cpu_emit *e, glc_value value);
/* An affine value that is needed by lane. */
void cpu_spread(struct cpu_emit *e, uint32_t index);

void cpu_emit_pure(struct cpu_emit *e, uint32_t index);
void cpu_emit_input(struct cpu_emit *e, uint32_t index, uint8_t what);
void cpu_emit_id(struct cpu_emit *e, uint32_t index);

/* --- cpu_emit_memory.c ---------------------------------------------------- */

void cpu_emit_load(struct cpu_emit *e, uint32_t index);
void cpu_emit_store(struct cpu_emit *e, uint32_t index);
void cpu_emit_local(struct cpu_emit *e, uint32_t index);
void cpu_emit_atomic(struct cpu_emit *e, uint32_t index);
void cpu_emit_shuffle(struct cpu_emit *e, uint32_t index);

/* --- cpu_emit_flow.c ------------------------------------------------------ */

void cpu_emit_if(struct cpu_emit *e, uint32_t index);
void cpu_emit_else(struct cpu_emit *e, uint32_t index);
void cpu_emit_end_if(struct cpu_emit *e, uint32_t index);
void cpu_emit_loop(struct cpu_emit *e, uint32_t index);
void cpu_emit_edge(struct cpu_emit *e, uint32_t index);
void cpu_emit_continuing(struct cpu_emit *e, uint32_t index);
void cpu_emit_end_loop(struct cpu_emit *e, uint32_t index);
void cpu_emit_return(struct cpu_emit *e, uint32_t index);
/* Jumps that wait for a place land at the step that comes next. */
void cpu_land(struct cpu_emit *e, uint32_t region, uint8_t where);

/* --- cpu_emit_watch.c: nothing, where nobody watches ----------------------- */

/* In front of an access, a shuffle, a barrier, a fence or an atomic that is one. */
void cpu_watch_access(struct cpu_emit *e, uint32_t index);
void cpu_watch_shuffle(struct cpu_emit *e, uint32_t index);
void cpu_watch_barrier(struct cpu_emit *e, uint32_t index);
void cpu_watch_fence(struct cpu_emit *e, uint32_t index);
/* In front of a loop, and at the head of its rounds. */
void cpu_watch_loop(struct cpu_emit *e, struct cpu_region *region);
void cpu_watch_round(struct cpu_emit *e, const struct cpu_region *region);

#endif
