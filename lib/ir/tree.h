/* SPDX-License-Identifier: MIT */
/*
 * The statement tree: what a source says, before anything is checked. Names, the spelling
 * of literals and mutable registers are kept, so that it can be printed back; comments are
 * not. The front ends (text, JSON, numeric stream, the C builder) fill it through the
 * functions below; the printers read it; ssa.c makes the IR from it.
 *
 * Statements of a kernel are one flat run in source order. A block is opened by If, Loop or
 * For, and closed by End; Else stands between. `end` of the opener is the index of its Else
 * or End, and `end` of Else that of its End, so a block is skipped in one step.
 */
#ifndef GLC_IR_TREE_H
#define GLC_IR_TREE_H

#include "base/diag.h"
#include "base/source.h"
#include "ir/ir.h"

/* Statements that are no opcode. If, Else, Loop, Break and Continue have the IR's numbers. */
enum glc_stmt_op {
	GLC_STMT_FOR = GLC_OP_COUNT,
	GLC_STMT_END,
	GLC_STMT_BREAK_IF,
	GLC_STMT_CONTINUE_IF,
};

enum glc_operand_kind { GLC_REGISTER, GLC_OBJECT, GLC_LITERAL };

struct glc_operand {
	uint32_t kind : 2;
	uint32_t index : 30;   /* in the kernel's registers or objects, or the tree's literals */
	uint32_t pos;
};

struct glc_stmt {
	uint16_t op;
	uint8_t type;          /* the suffix; GLC_VOID when there is none */
	uint8_t from;          /* Cvt, Bitcast: the second suffix */
	uint8_t mods;          /* GLC_MOD_APPROX; GLC_MOD_UNROLL on For */
	uint8_t detail;        /* dimension, scope and order as in struct glc_inst */
	uint8_t operand_count;
	bool has_suffix_dim;   /* the dimension was written */
	uint32_t operands;     /* first in the tree's operands */
	uint32_t result;       /* register, or GLC_NO_VALUE; For: its counter */
	uint32_t end;          /* openers and Else */
	uint32_t pos;          /* of the opcode */
	uint32_t result_pos;
};

struct glc_literal {
	struct glc_name text;
	uint32_t pos;
};

/* A declaration: a parameter, a shared or local array, a module constant. */
struct glc_decl {
	struct glc_name name;
	uint32_t pos;
	uint8_t kind, type, access;
	bool set_given, binding_given;
	bool included;               /* stands in an included text */
	uint32_t set, binding;
	struct glc_operand extent;   /* arrays: length; spec: value. A literal, or an object that is a spec */
	uint32_t values, value_count;  /* const: its literals */
};

struct glc_tree_kernel {
	struct glc_name name;
	uint32_t pos;
	GLC_ARRAY(struct glc_decl) decls;       /* parameters, then arrays, in order */
	uint32_t param_count;
	GLC_ARRAY(struct glc_name) registers;
	struct glc_operand workgroup[3];
	uint32_t workgroup_count;
	struct glc_operand subgroup;
	bool has_subgroup, is_stream;
	uint32_t first, count;                  /* its statements */
	uint32_t first_row, row_count;          /* of a stream */
	uint32_t live_rows;                     /* up to its Return */
	bool has_loops;
};

/* A row of the numeric stream, kept for printing it back. */
struct glc_row {
	int64_t value[4];
	uint32_t pos;
};

struct glc_symbol {
	uint64_t key;          /* of the name and its sigil; 0: a free slot */
	const char *name;
	uint32_t name_bytes;
	uint32_t kernel;       /* 0: of the module; else the kernel's number + 1 that it belongs to */
	uint32_t index;        /* register, declaration of the kernel, or module constant */
};

struct glc_tree {
	struct glacier_memory *memory;
	struct glacier_diag *diag;
	struct glc_op_index *opcodes;
	GLC_ARRAY(struct glc_tree_kernel) kernels;
	GLC_ARRAY(struct glc_decl) consts;      /* of the module */
	GLC_ARRAY(struct glc_stmt) stmts;
	GLC_ARRAY(struct glc_operand) operands;
	GLC_ARRAY(struct glc_literal) literals;
	GLC_ARRAY(struct glc_row) rows;         /* of every stream kernel */
	GLC_ARRAY(uint32_t) open;               /* openers without their End */
	GLC_ARRAY(struct glc_name) includes;    /* paths as written in the main text */
	struct glc_symbol *symbols;
	uint32_t symbol_mask, symbol_count;
	bool lexed;                             /* names come from a lexer: their characters are right */
	bool included;                          /* declarations now come from an included text */
	bool whole_positions;                   /* no position + offset: they are no places in a text */
	bool failed;                            /* memory ran out: sticky */
};

enum {
	GLC_MAX_NAME_BYTES = 128,
	GLC_MAX_NESTING = 1000,
	GLC_MAX_OBJECTS = 65535,
	GLC_MAX_OPERANDS = 8,
};

bool glc_tree_init(struct glc_tree *tree, struct glacier_memory *memory,
		   struct glc_op_index *opcodes, struct glacier_diag *diag);

/* Each reports what is wrong with a name (form, length, taken) and then goes on. */
struct glc_tree_kernel *glc_tree_kernel(struct glc_tree *tree, struct glc_name name, uint32_t pos);
/* The kernel being filled. */
static inline struct glc_tree_kernel *glc_tree_current(struct glc_tree *tree)
{
	return &tree->kernels.at[tree->kernels.count - 1];
}

/* A declaration of the current kernel, or of the module (kind GLC_OBJECT_CONST). */
struct glc_decl *glc_tree_decl(struct glc_tree *tree, struct glc_name name, uint32_t pos,
			       enum glc_object_kind kind, enum glc_type type);
struct glc_operand glc_tree_literal(struct glc_tree *tree, struct glc_name text, uint32_t pos);
/*
 * What a name is looked up by. For names of up to seven bytes it is the name with its sigil,
 * and nothing else needs to be compared; longer ones have the top bit set, which no short
 * one has, and are hashed.
 */
static inline uint64_t glc_name_key(struct glc_name name, char sigil)
{
	uint64_t key = (unsigned char)sigil;

	if (name.bytes <= 7) {
		for (uint32_t i = 0; i < name.bytes; i++)
			key = key << 8 | (unsigned char)name.at[i];
		return key;
	}
	for (uint32_t i = 0; i < name.bytes; i++)
		key = (key ^ (unsigned char)name.at[i]) * 0x9e3779b97f4a7c15u;
	return key | UINT64_C(1) << 63;
}

/*
 * name without its sigil; key = glc_name_key(name, '%' or '@'). An object that does not
 * exist is reported, and gives a literal 0.
 */
struct glc_operand glc_tree_register(struct glc_tree *tree, struct glc_name name, uint64_t key,
				     uint32_t pos);
struct glc_operand glc_tree_object(struct glc_tree *tree, struct glc_name name, uint64_t key, uint32_t pos);

/* Opens a statement: its operands follow by glc_tree_operand. */
struct glc_stmt *glc_tree_stmt(struct glc_tree *tree, uint32_t op, uint32_t pos);

static inline void glc_tree_operand(struct glc_tree *tree, struct glc_stmt *stmt, struct glc_operand operand)
{
	struct glc_operand *at;

	/* Counted no further: the checker reports that there are too many. */
	if (stmt->operand_count == GLC_MAX_OPERANDS)
		return;
	at = GLC_PUSH(tree->memory, &tree->operands);
	if (!at) {
		tree->failed = true;
		return;
	}
	*at = operand;
	stmt->operand_count++;
}

/* Blocks: glc_tree_stmt with an opener enters it. False, reported, beyond GLC_MAX_NESTING. */
bool glc_tree_enter(struct glc_tree *tree, uint32_t max_nesting);
void glc_tree_else(struct glc_tree *tree, uint32_t pos);
void glc_tree_end(struct glc_tree *tree, uint32_t pos);
/* The kernel's statements are complete. */
void glc_tree_kernel_end(struct glc_tree *tree);

/*
 * Reads "Add.f32", "GlobalId.x", "Cvt.i32.f32.approx" into the statement's members, up to
 * the first character that belongs to no opcode: its place is returned. What is wrong is
 * reported at pos (+ the offset of the part) and gives NULL. The text ends in a NUL.
 */
const char *glc_tree_opcode(struct glc_tree *tree, struct glc_stmt *stmt, const char *text, uint32_t pos);

/* What a character may be part of. */
enum {
	GLC_CHAR_NAME = 1,
	GLC_CHAR_OPCODE = 2,   /* an opcode with its suffixes, or a number */
	GLC_CHAR_BLANK = 4,    /* space, tab, carriage return */
	GLC_CHAR_NEWLINE = 8,
};

extern const uint8_t glc_chars[256];

/* Whether a name has the form of one: [A-Za-z_][A-Za-z0-9_]*, not "_". */
bool glc_is_name(struct glc_name name);

/* The text of an operand as it is written. For messages and printers. */
struct glc_name glc_operand_name(const struct glc_tree *tree, const struct glc_tree_kernel *kernel,
				 struct glc_operand operand);

/* --- literal.c ----------------------------------------------------------- */

enum glc_literal_fault {
	GLC_LITERAL_OK,
	GLC_LITERAL_FORM,      /* not a literal at all */
	GLC_LITERAL_TYPE,      /* a literal, but not of this type (1.5 as u32) */
	GLC_LITERAL_RANGE,     /* does not fit */
	GLC_LITERAL_DIGITS,    /* 0f, 0h, 0d with the wrong number of digits */
	GLC_LITERAL_INEXACT,   /* an integer that the float cannot hold */
};

/* The bits of a literal read as a value of that type. glacier-kernel(7), LITERALS. */
enum glc_literal_fault glc_literal_bits(struct glc_name text, enum glc_type type, uint64_t *bits);

/* A few decimal digits that fit every 32-bit integer: what most literals of programs are. */
static inline bool glc_literal_digits(struct glc_name text, enum glc_type type, uint64_t *bits)
{
	uint32_t value = 0;

	if (text.bytes - 1 > 8 || !(GLC_TYPES_WORD >> type & 1))
		return false;
	for (const char *at = text.at, *end = at + text.bytes; at < end; at++) {
		uint32_t digit = (unsigned char)*at - '0';

		if (digit > 9)
			return false;
		value = value * 10 + digit;
	}
	*bits = value;
	return true;
}

bool glc_literal_read_slow(struct glacier_diag *diag, struct glc_name text, uint64_t where,
			   enum glc_type type, uint64_t *bits);

/* As glc_literal_bits, reported: false after a diagnostic at that place. */
static inline bool glc_literal_read(struct glacier_diag *diag, struct glc_name text, uint64_t where,
				    enum glc_type type, uint64_t *bits)
{
	return glc_literal_digits(text, type, bits) || glc_literal_read_slow(diag, text, where, type, bits);
}

#endif
