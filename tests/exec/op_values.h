/* SPDX-License-Identifier: MIT */
/* Executing the cells of the table: edge values and random ones, against the evaluator. */
#ifndef TESTS_EXEC_OP_VALUES_H
#define TESTS_EXEC_OP_VALUES_H

#include "op_cells.h"

/*
 * Run every cell that emits, with operands in registers and as literals, at -O0 and -O1.
 * thorough: with more literals, for which the device's compiler takes most of the time.
 */
void run_cells(struct kernels *kernels, const struct cell *cells, unsigned count, uint64_t seed,
	       bool thorough);

/* Products and sums that one rounding and two give different bits of. */
void run_rounding(struct kernels *kernels, uint64_t seed);

#endif
