/* SPDX-License-Identifier: MIT */
/*
 * Appending to a kernel's IR. Everything that makes instructions goes through here: the
 * reader of statements, lowering, the expansions of transcendental functions; so that
 * folding and sharing happen at one place, or nowhere (-O0).
 */
#ifndef GLC_IR_BUILD_H
#define GLC_IR_BUILD_H

#include "ir/ir.h"

/* Instruction + 1, or 0. */
struct glc_shared {
	uint32_t older;    /* in the same chain */
	uint32_t before;   /* of all that are shared */
};

struct glc_builder {
	struct glacier_memory *memory;
	GLC_ARRAY(struct glc_inst) insts;
	GLC_ARRAY(glc_value) edge_values;
	GLC_ARRAY(struct glc_const) consts;
	uint32_t *const_heads;      /* hash of (type, bits) to the chain's first constant + 1 */
	uint32_t const_mask;
	uint32_t pos;               /* given to each instruction */
	bool optimize;              /* fold, apply identities, share */
	bool replaced;              /* an identity gave an older value: one between may be dead */
	bool failed;                /* memory ran out: sticky, ids stay valid to use */
	/* Sharing: chains of pure instructions by hash, newest first; popped with their region. */
	GLC_ARRAY(struct glc_shared) chain;  /* parallel to insts; set for those that are shared */
	uint32_t newest;            /* shared instruction + 1 */
	uint32_t *heads;
	uint32_t head_mask;
	uint32_t share_room;        /* how many more may be shared before the table is too small */
	const struct glc_object *objects;  /* of this kernel: whether a load may be shared */
};

/* size_hint: about how many instructions to expect. */
bool glc_builder_init(struct glc_builder *b, struct glacier_memory *memory, bool optimize, uint32_t size_hint);
/* Start the next kernel, of about that many instructions: none are there, the constants stay. */
void glc_builder_restart(struct glc_builder *b, uint32_t size_hint);

/* The constant of that type and bit pattern. */
glc_value glc_const_bits(struct glc_builder *b, enum glc_type type, uint64_t bits);

static inline glc_value glc_const_u32(struct glc_builder *b, uint32_t value)
{
	return glc_const_bits(b, GLC_U32, value);
}

glc_value glc_const_f32(struct glc_builder *b, float value);
glc_value glc_const_f64(struct glc_builder *b, double value);
/* value as that type, integers cut to the width, floats rounded; bool: value != 0. */
glc_value glc_const_int(struct glc_builder *b, enum glc_type type, int64_t value);

/* A pure instruction whose suffix is `type`: folded, shared, or appended. The result's type follows from the row. */
glc_value glc_emit(struct glc_builder *b, enum glc_op op, enum glc_type type, glc_value a,
		   glc_value b_, glc_value c);
/* The same with every member given; what effects have, and structure. Never shared unless pure. */
glc_value glc_emit_inst(struct glc_builder *b, const struct glc_inst *inst);
/* Appended as it is: no folding, no sharing. */
glc_value glc_append(struct glc_builder *b, const struct glc_inst *inst);

static inline glc_value glc_emit1(struct glc_builder *b, enum glc_op op, enum glc_type type, glc_value a)
{
	return glc_emit(b, op, type, a, GLC_NO_VALUE, GLC_NO_VALUE);
}

static inline glc_value glc_emit2(struct glc_builder *b, enum glc_op op, enum glc_type type,
				  glc_value a, glc_value c)
{
	return glc_emit(b, op, type, a, c, GLC_NO_VALUE);
}

static inline glc_value glc_select(struct glc_builder *b, enum glc_type type, glc_value p,
				   glc_value yes, glc_value no)
{
	return glc_emit(b, GLC_OP_Select, type, p, yes, no);
}

glc_value glc_cvt(struct glc_builder *b, enum glc_type to, enum glc_type from, glc_value a);
glc_value glc_bitcast(struct glc_builder *b, enum glc_type to, enum glc_type from, glc_value a);

/* What is shared from here on is forgotten by glc_scope_end(b, the value returned). */
static inline uint32_t glc_scope_begin(const struct glc_builder *b)
{
	return b->insts.count;
}

void glc_scope_end(struct glc_builder *b, uint32_t begin);

static inline enum glc_type glc_built_type(const struct glc_builder *b, glc_value value)
{
	return glc_is_const(value) ? b->consts.at[value & ~GLC_CONST_BIT].type
				   : b->insts.at[value].type;
}

/* Structure. glc_if returns the If's index. */
glc_value glc_if(struct glc_builder *b, glc_value condition);
/* open: whether the run before reaches this point. */
void glc_else(struct glc_builder *b, bool open);
void glc_end_if(struct glc_builder *b, bool open, bool unreachable);
glc_value glc_phi(struct glc_builder *b, enum glc_type type, glc_value a, glc_value c);

/*
 * The value of a pure instruction whose arguments are all constants, if the answer is the
 * same on every target; else GLC_NO_VALUE. And the identities that keep every bit.
 */
glc_value glc_fold(struct glc_builder *b, const struct glc_inst *inst);
glc_value glc_identity(struct glc_builder *b, const struct glc_inst *inst);

/* A literal's fold of one instruction over bit patterns; false: left to the target. fold.c */
bool glc_evaluate(enum glc_op op, enum glc_type type, enum glc_type from, const uint64_t arg[4],
		  uint64_t *result);

#endif
