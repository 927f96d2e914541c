/* SPDX-License-Identifier: MIT */
/*
 * The statement tree, written back: the canonical text, and the JSON that means the same.
 * Both depend on the tree alone, and reading what one of them wrote and writing it again
 * gives the same bytes. Memory that runs out is the writer's.
 */
#ifndef GLC_IR_PRINT_H
#define GLC_IR_PRINT_H

#include "base/buf.h"
#include "ir/tree.h"

void glc_print_text(const struct glc_tree *tree, struct glc_writer *out);
/* False, reported, and nothing useful written, when it nests too deep or a path is not UTF-8. */
bool glc_print_json(const struct glc_tree *tree, struct glc_writer *out, struct glacier_diag *diag);

/* --- Shared by the two --------------------------------------------------- */

/* "Add.f32", "GlobalId.y", "AtomicAdd.u32.acquire.device": the opcode with its suffixes. */
void glc_print_opcode(struct glc_writer *out, const struct glc_stmt *stmt);
/* "%x", "@a", or the literal as it was spelled. */
void glc_print_operand(struct glc_writer *out, const struct glc_tree *tree,
		       const struct glc_tree_kernel *kernel, struct glc_operand operand);
/* "read", "write", "readwrite" */
const char *glc_access_name(enum glc_access access);

static inline void glc_print_name(struct glc_writer *out, struct glc_name name)
{
	glc_put(out, name.at, name.bytes);
}

static inline void glc_print_string(struct glc_writer *out, const char *text)
{
	glc_put(out, text, strlen(text));
}

static inline void glc_print_number(struct glc_writer *out, uint64_t value)
{
	unsigned char digits[20];

	glc_put(out, digits, (size_t)(glc_decimal(digits, value) - digits));
}

static inline void glc_print_spaces(struct glc_writer *out, uint32_t count)
{
	glc_need(out, 16);
	for (; count > 16; count -= 16)
		glc_put(out, "                ", 16);
	glc_put(out, "                ", count);
}

/* The statement opens a block. */
static inline bool glc_is_opener(const struct glc_stmt *stmt)
{
	return stmt->op == GLC_OP_If || stmt->op == GLC_OP_Loop || stmt->op == GLC_STMT_FOR;
}

#endif
