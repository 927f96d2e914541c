/* SPDX-License-Identifier: MIT */
#include "ir/ops.h"

#include <stddef.h>
#include <string.h>

/* One object for all names: an array of pointers would cost relocations at start. */
const char glc_op_names[] =
#define OP(name, ...) #name "\0"
#include "ir/ops.def"
#undef OP
	;

/* Where each name begins in it. */
struct names {
#define OP(name, ...) char name[sizeof #name];
#include "ir/ops.def"
#undef OP
};

const struct glc_op_facts glc_ops[GLC_OP_COUNT] = {
#define PURE GLC_PURE
#define COMMUTES GLC_COMMUTES
#define DIM GLC_DIM
#define SCOPE GLC_SCOPE
#define TWO GLC_TWO
#define CONVERGE GLC_CONVERGE
#define INNER GLC_INNER
#define NATIVE GLC_NATIVE
#define OP(name_, operands_, result_, types_, flags_, ...)  \
	{.operands = operands_,                             \
	 .operand_count = sizeof operands_ - 1,              \
	 .result = result_,                                 \
	 .flags = flags_,                                   \
	 .name_bytes = sizeof #name_ - 1,                   \
	 .types = GLC_TYPES_##types_,                       \
	 .name = offsetof(struct names, name_)},
#include "ir/ops.def"
#undef OP
};

const struct glc_type_facts glc_types[GLC_TYPE_COUNT] = {
	[GLC_VOID] = {"void", 0, 0, GLC_CLASS_BOOL},
	[GLC_BOOL] = {"bool", 1, 0, GLC_CLASS_BOOL},
	[GLC_I8] = {"i8", 8, 1, GLC_CLASS_SIGNED},
	[GLC_U8] = {"u8", 8, 1, GLC_CLASS_UNSIGNED},
	[GLC_I16] = {"i16", 16, 2, GLC_CLASS_SIGNED},
	[GLC_U16] = {"u16", 16, 2, GLC_CLASS_UNSIGNED},
	[GLC_I32] = {"i32", 32, 4, GLC_CLASS_SIGNED},
	[GLC_U32] = {"u32", 32, 4, GLC_CLASS_UNSIGNED},
	[GLC_I64] = {"i64", 64, 8, GLC_CLASS_SIGNED},
	[GLC_U64] = {"u64", 64, 8, GLC_CLASS_UNSIGNED},
	[GLC_F16] = {"f16", 16, 2, GLC_CLASS_FLOAT},
	[GLC_BF16] = {"bf16", 16, 2, GLC_CLASS_FLOAT},
	[GLC_F32] = {"f32", 32, 4, GLC_CLASS_FLOAT},
	[GLC_F64] = {"f64", 64, 8, GLC_CLASS_FLOAT},
};

/* Types are two to four characters: compared as one number. */
#define SPELLING(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum glc_type glc_type_find(const char *name, uint32_t bytes)
{
	if (bytes < 2 || bytes > 4)
		return GLC_VOID;
	switch (SPELLING(name[0], name[1], bytes > 2 ? name[2] : 0, bytes > 3 ? name[3] : 0)) {
	case SPELLING('b', 'o', 'o', 'l'): return GLC_BOOL;
	case SPELLING('i', '8', 0, 0): return GLC_I8;
	case SPELLING('u', '8', 0, 0): return GLC_U8;
	case SPELLING('i', '1', '6', 0): return GLC_I16;
	case SPELLING('u', '1', '6', 0): return GLC_U16;
	case SPELLING('i', '3', '2', 0): return GLC_I32;
	case SPELLING('u', '3', '2', 0): return GLC_U32;
	case SPELLING('i', '6', '4', 0): return GLC_I64;
	case SPELLING('u', '6', '4', 0): return GLC_U64;
	case SPELLING('f', '1', '6', 0): return GLC_F16;
	case SPELLING('b', 'f', '1', '6'): return GLC_BF16;
	case SPELLING('f', '3', '2', 0): return GLC_F32;
	case SPELLING('f', '6', '4', 0): return GLC_F64;
	}
	return GLC_VOID;
}

void glc_op_index_build(struct glc_op_index *index)
{
	_Static_assert(GLC_OP_COUNT < 255, "slots hold opcode + 1 in a byte");
	memset(index, 0, sizeof *index);
	for (uint32_t op = 0; op < GLC_OP_COUNT; op++) {
		uint32_t slot;

		if (glc_ops[op].flags & GLC_INNER)
			continue;
		slot = glc_op_slot(glc_op_name(op), glc_ops[op].name_bytes);
		while (index->slots[slot])
			slot = (slot + 1) % 512;
		index->slots[slot] = (uint8_t)(op + 1);
	}
}

static inline uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Edits (insert, delete, replace; letter case is free) between two short names. */
static uint32_t distance(const char *a, uint32_t a_bytes, const char *b, uint32_t b_bytes)
{
	uint32_t row[32];

	for (uint32_t j = 0; j <= b_bytes; j++)
		row[j] = j;
	for (uint32_t i = 1; i <= a_bytes; i++) {
		uint32_t diagonal = row[0];

		row[0] = i;
		for (uint32_t j = 1; j <= b_bytes; j++) {
			uint32_t above = row[j];
			uint32_t differs = (a[i - 1] | 0x20) != (b[j - 1] | 0x20);

			row[j] = smaller(diagonal + differs, smaller(above, row[j - 1]) + 1);
			diagonal = above;
		}
	}
	return row[b_bytes];
}

enum glc_op glc_op_nearest(const char *name, uint32_t bytes)
{
	enum glc_op best = GLC_OP_COUNT;
	uint32_t best_distance = bytes / 3 + 1;

	if (bytes > 30)
		return GLC_OP_COUNT;
	for (uint32_t op = 0; op < GLC_OP_COUNT; op++) {
		uint32_t edits;

		if (glc_ops[op].flags & GLC_INNER)
			continue;
		edits = distance(name, bytes, glc_op_name(op), glc_ops[op].name_bytes);
		if (edits < best_distance) {
			best_distance = edits;
			best = (enum glc_op)op;
		}
	}
	return best;
}
