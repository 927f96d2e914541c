/* SPDX-License-Identifier: MIT */
/*
 * What an opcode is to the reader and to the rules: one look-up an instruction instead of
 * a row of comparisons.
 */
#ifndef GLC_SPIRV_OPCODE_H
#define GLC_SPIRV_OPCODE_H

#include "spirv/grammar.h"

enum {
	OP_TYPE = 1,           /* declares a type */
	OP_DEBUG = 2,
	OP_ANNOTATION = 4,     /* decorates; OpDecorationGroup does not */
	OP_BRANCH = 8,
	OP_TERMINATOR = 16,
	OP_NAMES_ANYTHING = 32,  /* its ids may be types, functions, labels; what they may not be is told apart later */
	OP_PLAIN = 64,         /* stands anywhere in blocks and nowhere else, and no walk waits for it */
	OP_GATED = 128,        /* a limit must allow it, a version, or a list of capabilities */
};

extern const uint8_t spv_near_traits[SPV_NEAR];
uint8_t spv_far_traits(uint32_t op);

static inline uint32_t spv_traits(uint32_t op)
{
	return op < SPV_NEAR ? spv_near_traits[op] : spv_far_traits(op);
}

static inline bool is_type_op(uint32_t op)
{
	return spv_traits(op) & OP_TYPE;
}

static inline bool spv_is_debug(uint32_t op)
{
	return spv_traits(op) & OP_DEBUG;
}

static inline bool spv_is_annotation(uint32_t op)
{
	return spv_traits(op) & OP_ANNOTATION;
}

static inline bool spv_is_branch(uint32_t op)
{
	return op >= OpBranch && op <= OpSwitch;
}

static inline bool spv_is_terminator(uint32_t op)
{
	return spv_traits(op) & OP_TERMINATOR;
}

#endif
