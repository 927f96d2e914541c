/* SPDX-License-Identifier: MIT */
/* The operands: values at which instructions go wrong, then random ones. */
#ifndef TESTS_EXEC_OP_EDGES_H
#define TESTS_EXEC_OP_EDGES_H

#include "evaluate.h"

enum { ELEMS = 4096 };

/* What the buffers x, y, z (one type), u, w (u32) and e (i32) hold. */
struct operands {
	uint64_t value[3][ELEMS], word[2][ELEMS], exponent[ELEMS];
};

/* All pairs of edge values in x and y, the rest of the elements at random from the seed. */
void operands_fill(struct operands *operands, enum ev_type type, uint64_t seed);

/* A literal at random: mostly an edge value. letter: the operand's in the opcode table. */
uint64_t operand_literal(enum ev_type type, char letter, uint64_t *state);

/* The next of a sequence that begins with any state (SplitMix64). */
uint64_t next_random(uint64_t *state);

#endif
