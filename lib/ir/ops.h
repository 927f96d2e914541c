/* SPDX-License-Identifier: MIT */
/* Opcodes as numbers, and the facts of each row of ops.def that every stage needs. */
#ifndef GLC_IR_OPS_H
#define GLC_IR_OPS_H

#include "ir/type.h"

#include <string.h>

enum glc_op {
#define OP(name, ...) GLC_OP_##name,
#include "ir/ops.def"
#undef OP
	GLC_OP_COUNT
};

enum { GLC_LEGACY_OP_COUNT = GLC_OP_Return + 1 };  /* the opcodes of the numeric stream */

/* Sets of types, one bit each. */
enum {
	GLC_TYPES_NONE = 0,
	GLC_TYPES_BOOL = 1 << GLC_BOOL,
	GLC_TYPES_INT32 = 1 << GLC_I32 | 1 << GLC_U32,
	GLC_TYPES_WORD = GLC_TYPES_INT32 | 1 << GLC_I64 | 1 << GLC_U64,
	GLC_TYPES_UNSIGNED = 1 << GLC_U32 | 1 << GLC_U64,
	GLC_TYPES_FLOAT = 1 << GLC_F32 | 1 << GLC_F64,
	GLC_TYPES_NUMBER = GLC_TYPES_WORD | GLC_TYPES_FLOAT,
	GLC_TYPES_NEGATABLE = 1 << GLC_I32 | 1 << GLC_I64 | GLC_TYPES_FLOAT,
	GLC_TYPES_BITS = GLC_TYPES_WORD | GLC_TYPES_BOOL,
	GLC_TYPES_ANY = GLC_TYPES_NUMBER | GLC_TYPES_BOOL,
	GLC_TYPES_MEMORY = GLC_TYPES_NUMBER,
	GLC_TYPES_INDEX = GLC_TYPES_UNSIGNED,
	GLC_TYPES_SHUFFLED = GLC_TYPES_NUMBER,
	GLC_TYPES_ATOMIC = GLC_TYPES_INT32 | 1 << GLC_F32,
};

enum {
	GLC_PURE = 1 << 0,
	GLC_COMMUTES = 1 << 1,
	GLC_DIM = 1 << 2,
	GLC_SCOPE = 1 << 3,
	GLC_TWO = 1 << 4,
	GLC_CONVERGE = 1 << 5,
	GLC_INNER = 1 << 6,
	GLC_NATIVE = 1 << 7,
};

struct glc_op_facts {
	char operands[5];
	uint8_t operand_count;
	char result;
	uint8_t flags;
	uint8_t name_bytes;
	uint16_t types;
	uint16_t name;  /* offset in glc_op_names */
};

extern const struct glc_op_facts glc_ops[GLC_OP_COUNT];

/* Those that lib/ir/math.c expands where .approx does not ask for the native form. */
static inline bool glc_is_transcendental(enum glc_op op)
{
	return (op >= GLC_OP_Exp && op <= GLC_OP_Tanh) || (op >= GLC_OP_Exp2 && op <= GLC_OP_Erf);
}

extern const char glc_op_names[];   /* all spellings, each terminated */

/* The spelling, terminated. */
static inline const char *glc_op_name(enum glc_op op)
{
	return glc_op_names + glc_ops[op].name;
}

/*
 * Finding an opcode by its spelling. The table is built once per module, not at program
 * start, and not kept as constants: it is 0.5 KiB that few programs need.
 */
struct glc_op_index {
	uint8_t slots[512];
};

void glc_op_index_build(struct glc_op_index *index);

/* Three characters and the length: enough to spread these names. */
static inline uint32_t glc_op_slot(const char *name, uint32_t bytes)
{
	uint32_t key = (uint32_t)(unsigned char)name[0] << 16 | (uint32_t)(unsigned char)name[bytes / 2] << 8 |
		       (unsigned char)name[bytes - 1];

	return (key ^ bytes << 24) * 0x9e3779b1u >> 23;
}

/* GLC_OP_COUNT when there is none. INNER rows have no spelling. */
static inline enum glc_op glc_op_find(const struct glc_op_index *index, const char *name, uint32_t bytes)
{
	uint32_t slot;

	if (!bytes)
		return GLC_OP_COUNT;
	for (slot = glc_op_slot(name, bytes); index->slots[slot]; slot = (slot + 1) % 512) {
		enum glc_op op = (enum glc_op)(index->slots[slot] - 1);

		if (glc_ops[op].name_bytes == bytes && !memcmp(glc_op_name(op), name, bytes))
			return op;
	}
	return GLC_OP_COUNT;
}

/* The opcode whose name is nearest, for "did you mean"; GLC_OP_COUNT when none is near. */
enum glc_op glc_op_nearest(const char *name, uint32_t bytes);

#endif
