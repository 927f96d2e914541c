/* SPDX-License-Identifier: MIT */
/*
 * What the files of the PTX back end share: the state of one module's writing, and the
 * few functions through which text reaches the buffer.
 *
 * An operand is a register (class and number) or a constant (top bit set, as in glc_value).
 * Lines are stored through plain pointers into room asked for before: LINE_BYTES a line.
 */
#ifndef GLC_PTX_EMIT_H
#define GLC_PTX_EMIT_H

#include "base/buf.h"
#include "ptx/ptx.h"

enum register_class { CLASS_P, CLASS_R, CLASS_RD, CLASS_F, CLASS_FD, CLASS_COUNT };

#define REGISTER(klass, number) ((uint32_t)(klass) << 28 | (number))
#define REGISTER_CLASS(reg)     ((reg) >> 28)
#define REGISTER_NUMBER(reg)    ((reg) & 0x0fffffffu)

/* Longest line without a name: mnemonic, five operands of at most 20 bytes. At most 256. */
enum { LINE_BYTES = 192 };

/* What only some versions of the ISA or architectures have. isa.c */
enum feature {
	FEATURE_SHFL,
	FEATURE_FENCE,
	FEATURE_ATOM,
	FEATURE_RED,
	FEATURE_TANH,
	FEATURE_PARAMS,
	FEATURE_COUNT
};

/* One of the kernel's objects. Registers are 0 until something asks for them. */
struct object_state {
	uint32_t base;       /* the address, or a scalar's value */
	uint32_t length;     /* of a buffer */
	uint32_t number;     /* a bool as it arrives */
	uint32_t array;      /* const: its place in consts, + 1 */
};

/* A const array that was written: shared by all kernels that use it. */
struct written_const {
	const uint64_t *values;
	struct glc_name prefix, name;  /* of the kernel that used it first */
	uint8_t type;
	bool spilled;        /* in .global, because .const is full */
};

/* An open If or Loop. */
struct frame {
	uint32_t at;         /* Loop: its place */
	uint32_t label;      /* If: Else, EndIf; Loop: header, Continuing, EndLoop */
	uint32_t outer;      /* Loop: the enclosing loop's frame */
	bool skip_else;      /* If: the second arm's code stands before the first's */
	bool end_used, continue_used;
};

/* A predicate that stands before an instruction; 0: none. */
struct guard {
	uint32_t reg;
	bool negated;
};

/* The register of an instruction as it is written in a list: "%rd12, ". */
struct spelling {
	unsigned char text[15];   /* the longest takes fourteen */
	uint8_t bytes;            /* 0: not spelled yet */
};

/* What one kernel needs to shuffle; made in the prologue. */
struct lanes {
	bool used;
	uint32_t lane;       /* register, or 0: warps are full */
	uint32_t count;      /* register: the lanes that the warp has; 0: `fixed_count` for all */
	uint32_t mask;       /* register: their mask; 0: `fixed_mask` */
	uint32_t fixed_count, fixed_mask;
	uint32_t id[3];      /* registers: of .y and .z, where the workgroup has them */
	uint32_t last;       /* predicate: this is the last warp, which is not full */
};

/* An address, or an index times a size, that was written since the last label. An object has one size. */
struct written_address {
	uint32_t base, index, bytes;
	uint32_t reg;
	uint32_t section;    /* that it was written in */
};

enum { ADDRESSES = 16 };

struct emitter {
	struct glc_writer out;
	const struct glc_backend_input *input;
	const struct glc_ir *ir;
	const struct glc_kernel *kernel;
	struct glacier_diag *diag;
	enum glacier_status status;    /* the first refusal */
	uint32_t *places;    /* by instruction: the operand that holds its value; If: its Else, Else: its EndIf */
	struct spelling *spellings;    /* by instruction */
	struct object_state *objects;
	uint32_t kinds;      /* a bit for each kind of object that the kernel has */
	uint32_t counts[CLASS_COUNT];  /* registers given out */
	uint32_t labels;
	struct written_address addresses[ADDRESSES], product;
	uint32_t section;    /* counts labels, over all kernels */
	struct glc_name prefix;        /* the kernel's symbol and a $ */
	struct lanes lanes;
	GLC_ARRAY(struct frame) frames;
	uint32_t loop;       /* innermost loop's frame, or GLC_NO_VALUE */
	GLC_ARRAY(uint32_t) scratch;   /* of the parallel copies */
	/* Of the module. */
	uint16_t isa;        /* 80 for 8.0 */
	uint16_t arch;
	GLC_ARRAY(struct written_const) consts;
	uint32_t *const_slots;         /* hash of values to index in consts + 1 */
	uint32_t const_mask;
	uint64_t const_bytes;
	/* -g: where the last .loc was. */
	const struct glc_source *source;
	uint32_t source_pos, source_line, source_column;
};

extern const uint8_t glc_ptx_class[GLC_TYPE_COUNT];
extern const char glc_ptx_suffix[GLC_TYPE_COUNT][4];       /* ".s32" */
extern const char glc_ptx_bits_suffix[GLC_TYPE_COUNT][4];  /* ".b32" */

/* Copies a literal; its size is known to the compiler. */
#define TEXT(at, literal) ((unsigned char *)memcpy(at, literal, sizeof(literal) - 1) + sizeof(literal) - 1)

static inline unsigned char *begin_line(struct emitter *e)
{
	glc_need(&e->out, LINE_BYTES);
	return e->out.at;
}

static inline void end_line(struct emitter *e, unsigned char *at)
{
	e->out.at = TEXT(at, ";\n");
}

static inline uint32_t new_register(struct emitter *e, enum register_class klass)
{
	return REGISTER(klass, ++e->counts[klass]);
}

static inline uint32_t operand(const struct emitter *e, glc_value value)
{
	return glc_is_const(value) ? value : e->places[value];
}

extern const char glc_ptx_register_prefix[CLASS_COUNT][4];   /* "%rd" */
extern const uint8_t glc_ptx_prefix_bytes[CLASS_COUNT];

static inline unsigned char *put_register(unsigned char *at, uint32_t reg)
{
	memcpy(at, glc_ptx_register_prefix[REGISTER_CLASS(reg)], 4);
	return glc_decimal(at + glc_ptx_prefix_bytes[REGISTER_CLASS(reg)], REGISTER_NUMBER(reg));
}

unsigned char *glc_ptx_constant(const struct emitter *e, unsigned char *at, uint32_t constant);

static inline unsigned char *put_operand(const struct emitter *e, unsigned char *at, uint32_t op)
{
	return glc_is_const(op) ? glc_ptx_constant(e, at, op) : put_register(at, op);
}

/*
 * The value of an instruction, or a constant, and the comma behind it. Registers are spelled
 * once, and copied whole.
 */
static inline unsigned char *put_listed(struct emitter *e, struct spelling *spellings, unsigned char *at,
					glc_value value)
{
	struct spelling *known;

	if (glc_is_const(value))
		return TEXT(glc_ptx_constant(e, at, value), ", ");
	known = &spellings[value];
	if (!known->bytes)
		known->bytes = (uint8_t)(TEXT(put_register(known->text, e->places[value]), ", ") - known->text);
	memcpy(at, known, sizeof *known);
	return at + known->bytes;
}

static inline unsigned char *put_value(struct emitter *e, unsigned char *at, glc_value value)
{
	return put_listed(e, e->spellings, at, value) - 2;
}

static inline unsigned char *put_label(unsigned char *at, uint32_t label)
{
	at = TEXT(at, "$L");
	return glc_decimal(at, label);
}

/*
 * Writes a pattern of whole lines. In it $d is the first operand given, $a $b $c the next;
 * $p $q, $r $s, $l, $f are fresh registers: two predicates, two of 32 bits, one of 64, one float.
 */
void glc_ptx_expand(struct emitter *e, const char *pattern, uint32_t d, uint32_t a, uint32_t b,
		    uint32_t c);

/* d = a, behind a guard if there is one. */
void glc_ptx_move(struct emitter *e, uint32_t d, uint32_t a, struct guard guard);

/* operand, in a register; predicates have no literals. */
uint32_t glc_ptx_in_register(struct emitter *e, uint32_t op, enum glc_type type);

/* The address or value of an object, loaded in the prologue. */
uint32_t glc_ptx_object(struct emitter *e, uint32_t object);
uint32_t glc_ptx_length(struct emitter *e, uint32_t object);

/* One instruction that is no structure. value.c hands the rest to memory.c and sync.c. */
void glc_ptx_value(struct emitter *e, uint32_t at);
/* Add and its like with two operands: those that begin at `at`, if any. Gives the next index. */
uint32_t glc_ptx_plain_run(struct emitter *e, uint32_t at);
void glc_ptx_memory(struct emitter *e, uint32_t at);
void glc_ptx_atomic_add(struct emitter *e, uint32_t at);
void glc_ptx_fence(struct emitter *e, uint32_t at);
void glc_ptx_shuffle(struct emitter *e, uint32_t at);
void glc_ptx_lanes_prologue(struct emitter *e);

/* The body of the kernel, structure and all. flow.c */
bool glc_ptx_body(struct emitter *e);

/* Where the values of a join's Phis come from. */
enum edge { EDGE_FIRST, EDGE_SECOND, EDGE_LIST };

/* Gives each Phi of the run that begins at `first` its register. */
void glc_ptx_phi_registers(struct emitter *e, uint32_t first);
/* How many moves the edge takes; and the moves, all of them at once in effect. copies.c */
uint32_t glc_ptx_count_copies(const struct emitter *e, uint32_t first, enum edge edge, uint32_t list);
void glc_ptx_copies(struct emitter *e, uint32_t first, enum edge edge, uint32_t list,
		    struct guard guard);

/* Const arrays of the kernel, before its entry. memory.c */
bool glc_ptx_const_arrays(struct emitter *e);
/* KERNEL$ once; any name; and KERNEL$OBJECT. Each leaves room for a line. */
bool glc_ptx_prefix(struct emitter *e);
void glc_ptx_name(struct emitter *e, struct glc_name name);
void glc_ptx_symbol(struct emitter *e, uint32_t object);

/* isa.c: refuses what the version or the architecture does not have. */
void glc_ptx_require(struct emitter *e, enum feature feature, uint32_t pos);
/* All parameters of an entry, in every version; what is above it needs a newer one. */
enum { GLC_PTX_SMALL_PARAM_BYTES = 4352 };
/* The version to write; refuses one that was given and is too old. */
enum glacier_status glc_ptx_choose_isa(struct emitter *e, uint64_t param_bytes, uint32_t pos);

/* debug.c: .file and .loc. */
void glc_ptx_files(struct emitter *e);
void glc_ptx_loc(struct emitter *e, uint32_t pos);

#endif
