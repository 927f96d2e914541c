/* SPDX-License-Identifier: MIT */
/*
 * The numeric stream of Glacier.Compute: rows of opcode, A, B, destination, with a fixed
 * signature. Rows are checked when they are read, and become instructions without a detour
 * through statements. glacier-kernel(7), THE NUMERIC STREAM.
 */
#ifndef GLC_IR_STREAM_H
#define GLC_IR_STREAM_H

#include "ir/tree.h"

enum { GLC_MAX_ROWS = 1 << 24 };

struct ssa;

/* Gives the current kernel the legacy parameters. */
void glc_stream_begin(struct glc_tree *tree);
/* What a source says of the kernel's size; false after a diagnostic. Numbers of a program need no look. */
bool glc_stream_workgroup(struct glc_tree *tree);
/* Checks the rows pushed to tree->rows since glc_stream_begin. */
void glc_stream_end(struct glc_tree *tree);
/* The instructions of s->source's rows, which were checked. stream_ir.c */
void glc_stream_build(struct ssa *s);

enum glc_stream_object { GLC_INPUT_A, GLC_INPUT_B, GLC_OUTPUT, GLC_COUNT, GLC_SMEM };

/* What A, B and the destination of a row mean. */
struct glc_row_shape {
	char a, b, d;  /* f value register, r index register, n buffer, k float bits, m mask, - nothing */
};

extern const struct glc_row_shape glc_row_shapes[GLC_LEGACY_OP_COUNT];

enum { GLC_STREAM_REGISTERS = 64 };

#endif
