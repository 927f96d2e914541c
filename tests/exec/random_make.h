/* SPDX-License-Identifier: MIT */
/* What random_make.c (instructions) and random_flow.c (structure) share. */
#ifndef TESTS_EXEC_RANDOM_MAKE_H
#define TESTS_EXEC_RANDOM_MAKE_H

#include "random.h"

/* The loop around the statement that is being made. */
struct loop {
	bool together;       /* lanes stay together: no lane leaves or goes on alone */
	bool always_leaves;  /* has no bound but the leaving at its end: no continue then */
	int breaks, continues;
};

struct maker {
	struct rk_kernel *k;
	struct rk_coverage *coverage;
	const struct rk_row *rows;
	int row_count;
	struct glc_rng rng;
	int16_t visible[RK_MOST_REGS];
	int visible_count;
	int16_t *link;               /* where the next statement's number goes */
	struct loop *loop;
	bool uniform;                /* all lanes come here together */
	bool pin;
	bool apart;                  /* no loop keeps its lanes together, or leaves at its end */
	int chain[RK_DEPTH];         /* constructs to be nested, outermost first */
	int chain_length, leave;     /* a leaving statement for the innermost, or -1 */
	int16_t lane, lane_slot;     /* registers: the lane's number, and that times RK_SLOTS */
	int16_t local_index;
	int slot;
	int rounds;                  /* how often the statement may run: bounds the work */
};

uint32_t below(struct maker *m, uint32_t bound);
bool chance(struct maker *m, uint32_t percent);
struct rk_stmt *append(struct maker *m, enum rk_kind kind);
int16_t new_reg(struct maker *m, enum glc_type type);
void show(struct maker *m, int16_t reg);
struct rk_operand reg_operand(const struct maker *m, int16_t reg);
struct rk_operand literal(enum glc_type type, uint64_t bits);
void take(struct rk_stmt *stmt, struct rk_operand operand);
struct rk_stmt *op(struct maker *m, enum glc_op opcode, enum glc_type type, int16_t result);
int16_t op2(struct maker *m, enum glc_op opcode, enum glc_type type, struct rk_operand a, struct rk_operand b);
int16_t any_reg(struct maker *m, enum glc_type type, bool writable);
struct rk_operand constant(struct maker *m, enum glc_type type);
struct rk_operand value(struct maker *m, enum glc_type type);
void use(struct maker *m, enum rk_object object, enum glc_type type);
void make_row(struct maker *m, const struct rk_row *row);
bool has_cells(const struct rk_kernel *k);

#endif
