/* SPDX-License-Identifier: MIT */
/*
 * The instructions of the kernel language, as numbers and as facts: one table, which the
 * readers, the checks and the back ends walk too. Values; any thread.
 */
#ifndef GLACIER_OPCODE_H
#define GLACIER_OPCODE_H

#include <glacier/base.h>
#include <glacier/buffer.h>
#include <glacier/status.h>

GLACIER_BEGIN

enum glacier_type {
	GLACIER_VOID, GLACIER_BOOL, GLACIER_I8, GLACIER_U8, GLACIER_I16, GLACIER_U16, GLACIER_I32,
	GLACIER_U32, GLACIER_I64, GLACIER_U64, GLACIER_F16, GLACIER_BF16, GLACIER_F32, GLACIER_F64,
	GLACIER_TYPE_COUNT
};

/* The first 26 have the numbers of the numeric stream. */
enum glacier_opcode {
	GLACIER_OP_NOP, GLACIER_OP_ADD, GLACIER_OP_SUB, GLACIER_OP_MUL, GLACIER_OP_DIV,
	GLACIER_OP_FMA, GLACIER_OP_NEG, GLACIER_OP_ABS, GLACIER_OP_MIN, GLACIER_OP_MAX,
	GLACIER_OP_SQRT, GLACIER_OP_RSQRT, GLACIER_OP_EXP, GLACIER_OP_LOG, GLACIER_OP_TANH,
	GLACIER_OP_LOAD_GLOBAL, GLACIER_OP_STORE_GLOBAL, GLACIER_OP_LOAD_SHARED,
	GLACIER_OP_STORE_SHARED, GLACIER_OP_LOAD_CONSTANT, GLACIER_OP_SHFL_SYNC_BFLY,
	GLACIER_OP_BARRIER_SYNC, GLACIER_OP_LOCAL_ID, GLACIER_OP_GLOBAL_ID,
	GLACIER_OP_ATOMIC_ADD, GLACIER_OP_RETURN, GLACIER_OP_MOV, GLACIER_OP_SELECT,
	GLACIER_OP_REM, GLACIER_OP_CLAMP, GLACIER_OP_MUL_HI, GLACIER_OP_MUL_WIDE,
	GLACIER_OP_ADD_CARRY, GLACIER_OP_SUB_BORROW, GLACIER_OP_RCP, GLACIER_OP_FLOOR,
	GLACIER_OP_CEIL, GLACIER_OP_TRUNC, GLACIER_OP_ROUND, GLACIER_OP_FRACT, GLACIER_OP_SIGN,
	GLACIER_OP_COPY_SIGN, GLACIER_OP_LDEXP, GLACIER_OP_EXP2, GLACIER_OP_LOG2,
	GLACIER_OP_POW, GLACIER_OP_SIN, GLACIER_OP_COS, GLACIER_OP_TAN, GLACIER_OP_SINH,
	GLACIER_OP_COSH, GLACIER_OP_ASIN, GLACIER_OP_ACOS, GLACIER_OP_ATAN, GLACIER_OP_ATAN2,
	GLACIER_OP_ERF, GLACIER_OP_AND, GLACIER_OP_OR, GLACIER_OP_XOR, GLACIER_OP_NOT,
	GLACIER_OP_SHL, GLACIER_OP_SHR, GLACIER_OP_POP_COUNT, GLACIER_OP_COUNT_LEADING_ZEROS,
	GLACIER_OP_COUNT_TRAILING_ZEROS, GLACIER_OP_REVERSE_BITS, GLACIER_OP_EXTRACT_BITS,
	GLACIER_OP_INSERT_BITS, GLACIER_OP_EQ, GLACIER_OP_NE, GLACIER_OP_LT, GLACIER_OP_LE,
	GLACIER_OP_GT, GLACIER_OP_GE, GLACIER_OP_IS_NAN, GLACIER_OP_IS_INF,
	GLACIER_OP_IS_FINITE, GLACIER_OP_CVT, GLACIER_OP_BITCAST, GLACIER_OP_LOAD_LOCAL,
	GLACIER_OP_STORE_LOCAL, GLACIER_OP_LOAD_CONST, GLACIER_OP_LENGTH, GLACIER_OP_FENCE,
	GLACIER_OP_GROUP_ID, GLACIER_OP_WORKGROUP_SIZE, GLACIER_OP_GROUP_COUNT,
	GLACIER_OP_GLOBAL_SIZE, GLACIER_OP_LOCAL_INDEX, GLACIER_OP_SUBGROUP_SIZE,
	GLACIER_OP_SUBGROUP_ID, GLACIER_OP_LANE_ID,
	GLACIER_OP_COUNT
};

/* What an operand may be. */
enum glacier_operand_kind {
	GLACIER_OPERAND_VALUE,      /* of the suffix type: a register, scalar parameter or literal */
	GLACIER_OPERAND_BOOL,
	GLACIER_OPERAND_INDEX,      /* u32 or u64 */
	GLACIER_OPERAND_SHIFT,      /* u32 or the suffix type */
	GLACIER_OPERAND_U32,
	GLACIER_OPERAND_I32,
	GLACIER_OPERAND_FROM,       /* of the second suffix type */
	GLACIER_OPERAND_LITERAL,    /* a literal of the suffix type */
	GLACIER_OPERAND_BUFFER,
	GLACIER_OPERAND_SHARED,     /* a shared array */
	GLACIER_OPERAND_MEMORY,     /* a buffer or a shared array */
	GLACIER_OPERAND_LOCAL,      /* a local array */
	GLACIER_OPERAND_CONST,      /* a const array */
	GLACIER_OPERAND_KIND_COUNT
};

enum glacier_result_kind {
	GLACIER_RESULT_NONE,
	GLACIER_RESULT_TYPE,        /* of the suffix type */
	GLACIER_RESULT_OPTIONAL,    /* the same, and may be left out */
	GLACIER_RESULT_BOOL,
	GLACIER_RESULT_WIDE,        /* the suffix type at twice its width */
	GLACIER_RESULT_U32,
	GLACIER_RESULT_KIND_COUNT
};

enum {
	GLACIER_OPCODE_PURE = 1 << 0,        /* no effect but its result */
	GLACIER_OPCODE_COMMUTES = 1 << 1,    /* the first two operands may be exchanged */
	GLACIER_OPCODE_DIMENSION = 1 << 2,   /* takes .x .y .z */
	GLACIER_OPCODE_SCOPE = 1 << 3,       /* takes an order and a scope: .acquire.device */
	GLACIER_OPCODE_FROM = 1 << 4,        /* has a second type: Cvt.to.from */
	GLACIER_OPCODE_CONVERGES = 1 << 5,   /* all invocations must reach it together */
	GLACIER_OPCODE_APPROX = 1 << 6,      /* takes .approx */
	GLACIER_OPCODE_STREAM = 1 << 7,      /* the numeric stream has it, under the opcode's number */
};

struct glacier_opcode_info {
	const char *name;         /* static */
	enum glacier_opcode opcode;
	enum glacier_result_kind result;
	uint32_t operand_count;
	enum glacier_operand_kind operands[4];
	uint32_t types;           /* bit set over glacier_type: the suffixes it takes; 0: it has none */
	uint32_t flags;
};

/* Returns false, with *info unchanged, for a number that is no opcode. Since: 0.1 */
GLACIER_API bool glacier_opcode_info(enum glacier_opcode opcode, struct glacier_opcode_info *info);

/* The opcode of that name, letter case counting; GLACIER_OP_COUNT when there is none. Since: 0.1 */
GLACIER_API enum glacier_opcode glacier_opcode_find(const char *name);

/* "f32" and so on; "void" for no type and for a value out of range. A static string. Since: 0.1 */
GLACIER_API const char *glacier_type_name(enum glacier_type type);

/*
 * The whole table at the end of the buffer: a line an instruction, or (json) an array of
 * objects. Returns GLACIER_OK, or GLACIER_ERR_NOMEM with the buffer unchanged. Since: 0.1
 */
GLACIER_API enum glacier_status glacier_opcode_list(bool json, struct glacier_buffer *buffer);

GLACIER_END

#endif
