/* SPDX-License-Identifier: MIT */
/*
 * The numeric stream of Glacier.Compute: rows of opcode, A, B, destination, with a fixed
 * signature. The rows become ordinary statements; nothing behind the tree knows of them.
 * glacier-kernel(7), THE NUMERIC STREAM.
 */
#ifndef GLC_IR_STREAM_H
#define GLC_IR_STREAM_H

#include "ir/tree.h"

enum { GLC_MAX_ROWS = 1 << 24 };

/* Gives the current kernel the legacy parameters. */
void glc_stream_begin(struct glc_tree *tree);
/* Turns the rows pushed to tree->rows since glc_stream_begin into statements. */
void glc_stream_end(struct glc_tree *tree);

#endif
