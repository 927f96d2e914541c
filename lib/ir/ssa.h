/* SPDX-License-Identifier: MIT */
/*
 * From the statement tree to SSA in structured regions; every rule of the language that is
 * not syntax is checked on the way. ssa.c walks statements, regs.c knows what each register
 * holds, flow.c joins it where control flow meets, operand.c reads operands, kernel.c makes
 * kernels and objects of declarations.
 */
#ifndef GLC_IR_SSA_H
#define GLC_IR_SSA_H

#include <glacier/kernel.h>

#include "ir/build.h"
#include "ir/tree.h"

/* Fills *ir, whose arrays lie in memory. What is wrong is in diag->errors afterwards. */
void glc_ssa_build(const struct glc_tree *tree, const struct glacier_read_options *options,
		   bool optimize, struct glacier_memory *memory, struct glc_ir *ir,
		   struct glacier_diag *diag);

/* --- Shared by the files named above ------------------------------------- */

/* A register without a value. From the first unset one on, the value says why. */
#define GLC_UNSET 0xc0000000u   /* | index of the reason; GLC_NO_VALUE: never written at all */

static inline bool glc_is_set(glc_value value)
{
	return value < GLC_UNSET;
}

struct ssa_register {
	glc_value now;
	uint32_t stamp;        /* the frame in which it was last written */
	uint32_t mark;         /* of the join that is being made */
	uint32_t pos;          /* its first definition */
	uint8_t type;          /* GLC_VOID: not defined yet */
	bool counter;          /* of a for that is open: read-only */
};

/* What a register held before a frame wrote it. */
struct ssa_journal {
	uint32_t reg;
	glc_value old;
	uint32_t old_stamp;
};

/* What a register held at the end of an if's first arm. */
struct ssa_join {
	uint32_t reg;
	glc_value first, second;
};

/* Why a register may be unset: on which way past `pos` it was not written. */
enum ssa_way {
	SSA_WAY_TRUE,       /* when the condition holds */
	SSA_WAY_FALSE,
	SSA_WAY_LEAVE,      /* when the loop is left there */
	SSA_WAY_NEVER,      /* when the loop's body is not run at all */
};

struct ssa_reason {
	uint32_t pos;
	enum ssa_way way;
	glc_value deeper;   /* another reason behind it, or GLC_NO_VALUE */
};

/* What the scan before finds out about a loop. */
struct ssa_loop {
	uint32_t writes, write_count;   /* the registers written in it: in ssa.write_sets */
	bool leaves;                    /* a break or continue of its own */
};

enum ssa_frame_kind { SSA_IF, SSA_LOOP, SSA_FOR, SSA_UNROLL };

struct ssa_frame {
	enum ssa_frame_kind kind;
	uint32_t stmt;
	uint32_t outer_stamp, journal, joins;
	bool first_open;            /* if: the first arm reaches its end */
	bool in_else;
	glc_value first_only;       /* why a register that only the first arm writes is unset; 0: not asked yet */
	glc_value head;             /* the If or Loop */
	uint32_t scope;             /* for sharing */
	/* loops */
	const struct ssa_loop *loop;
	glc_value phis;             /* first header phi; for: the counter's comes first */
	uint32_t first_break, last_break, first_continue, last_continue, continue_count;
	glc_value bound, step, counter;
	bool guarded;               /* for: stands in an if that tests the bounds */
	/* unroll */
	uint64_t rounds, value;
};

struct ssa {
	const struct glc_tree *tree;
	const struct glc_tree_kernel *source;
	const struct glacier_read_options *options;
	struct glacier_memory *memory;
	struct glacier_diag *diag;
	struct glc_builder b;
	struct glc_kernel *kernel;
	struct ssa_register *regs;
	glc_value *object_values;      /* scalars and specs: their Param or Spec */
	GLC_ARRAY(struct ssa_journal) journal;
	GLC_ARRAY(struct ssa_join) joins;
	GLC_ARRAY(struct ssa_reason) reasons;
	GLC_ARRAY(struct ssa_frame) frames;
	GLC_ARRAY(uint32_t) write_sets;
	struct ssa_loop *loops;        /* by statement, offset by the kernel's first; NULL: none */
	uint32_t stamp, last_stamp, last_mark;
	uint32_t *bindings;            /* of a kernel with many buffers: object + 1, by set and binding */
	uint32_t binding_mask;
	uint32_t copies;               /* of unrolled bodies, the empty ones too */
	uint32_t spec_count;           /* specialization constants of the kernels so far */
	bool reachable;
	bool failed;                   /* memory */
	uint32_t replay;               /* > 0: inside a further copy of an unrolled body */
};

/* kernel.c */
void glc_ssa_check_constants(struct ssa *s);
bool glc_ssa_declare(struct ssa *s);
/* The value of a scalar or specialization constant, from here on. */
glc_value glc_ssa_param(struct ssa *s, uint32_t index);
/* operand.c: each false after a diagnostic. */
bool glc_ssa_value_slow(struct ssa *s, struct glc_operand operand, enum glc_type type, glc_value *value);
bool glc_ssa_index(struct ssa *s, struct glc_operand operand, glc_value *value, enum glc_type *type);
bool glc_ssa_shift(struct ssa *s, struct glc_operand operand, enum glc_type type, glc_value *value);
/* regs.c */
bool glc_ssa_define(struct ssa *s, uint32_t reg, enum glc_type type, glc_value value, uint32_t pos);
void glc_ssa_write(struct ssa *s, uint32_t reg, glc_value value);
void glc_ssa_touch(struct ssa *s, uint32_t reg);
glc_value glc_ssa_unset(struct ssa *s, uint32_t pos, enum ssa_way way, glc_value deeper);
bool glc_ssa_read(struct ssa *s, struct glc_operand operand, enum glc_type type, glc_value *value);
bool glc_ssa_scan_loops(struct ssa *s);
/* flow.c */
void glc_ssa_if(struct ssa *s, uint32_t stmt, glc_value condition);
void glc_ssa_else(struct ssa *s);
void glc_ssa_end_if(struct ssa *s);
void glc_ssa_loop(struct ssa *s, uint32_t stmt);
void glc_ssa_leave(struct ssa *s, enum glc_op op, uint32_t pos);
void glc_ssa_end_loop(struct ssa *s);
void glc_ssa_for(struct ssa *s, uint32_t stmt, glc_value from, glc_value to, glc_value step);

/* A register that holds a value of that type is the common case. */
static inline bool glc_ssa_value(struct ssa *s, struct glc_operand operand, enum glc_type type, glc_value *value)
{
	if (operand.kind == GLC_REGISTER && s->regs[operand.index].type == type &&
	    glc_is_set(s->regs[operand.index].now)) {
		*value = s->regs[operand.index].now;
		return true;
	}
	return glc_ssa_value_slow(s, operand, type, value);
}

static inline struct ssa_frame *glc_ssa_top(struct ssa *s)
{
	return &s->frames.at[s->frames.count - 1];
}

#endif
