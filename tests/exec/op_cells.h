/* SPDX-License-Identifier: MIT */
/*
 * The cells of the table: each instruction that a text can spell, with each type. The rows
 * come from the opcode table, so that an instruction added there is asked for here.
 */
#ifndef TESTS_EXEC_OP_CELLS_H
#define TESTS_EXEC_OP_CELLS_H

#include "evaluate.h"
#include "kernels.h"

struct cell {
	char name[48];          /* as it is spelled, with suffixes and modifiers */
	char row[40];           /* as doc/REFUSED.md names it: opcode and modifiers */
	const char *operands;   /* the letters of the opcode table */
	char result;            /* its letter */
	int op;                 /* evaluate_find's number, or -1 */
	bool typed, two, approx;
	enum ev_type type, from;
	bool emits;             /* for spirv:1.6; known after the first pass */
};

/* All cells, in the order of the opcode table; *count of them. The array is static. */
struct cell *cells_all(unsigned *count);

/* How an operand is spelled: LITERAL with its bits, or the register of its letter. */
struct spelling {
	bool literal;
	bool own;               /* a shift amount in the instruction's own type */
	uint64_t bits;
};

/* Adds a literal of that type with exactly these bits. */
void cell_literal(struct script *script, enum ev_type type, uint64_t bits);

/*
 * Adds `%result = NAME operands`. Values stand in %x, %y, %z, a bool in %p, u32 in %u and %w,
 * an i32 in %e; objects are @g, @h, @l and @k_TYPE; the
 * index is %i.
 */
void cell_statement(struct script *script, const struct cell *cell, const char *result,
		    const struct spelling spellings[4]);

/* The constant arrays that kernels of a module may read: once, before them. */
void cell_constants(struct script *script);

/* A whole kernel of that name with this one instruction; its result is stored. */
void cell_kernel(struct script *script, const struct cell *cell, const char *name);

/* The operand's own type, by its letter. */
enum ev_type cell_operand_type(const struct cell *cell, char letter);

/* The type of the result; only where there is one. */
enum ev_type cell_result_type(const struct cell *cell);

#endif
