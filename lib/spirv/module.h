/* SPDX-License-Identifier: MIT */
/*
 * A SPIR-V module while it is written. The sections of the logical layout (SPIR-V, 2.4) are
 * filled side by side, and joined at the end. Types and constants are made when first asked
 * for, so that none is there twice and none is there unused.
 */
#ifndef GLC_SPIRV_MODULE_H
#define GLC_SPIRV_MODULE_H

#include "base/diag.h"
#include "ir/backend.h"
#include "spirv/enum.h"

typedef GLC_ARRAY(uint32_t) sp_words;

enum sp_built_in {
	SP_GLOBAL_ID,
	SP_LOCAL_ID,
	SP_GROUP_ID,
	SP_GROUP_COUNT,
	SP_LOCAL_INDEX,
	SP_SUBGROUP_SIZE,
	SP_SUBGROUP_ID,
	SP_LANE_ID,
	SP_BUILT_IN_COUNT
};

struct sp {
	const struct glc_backend_input *input;
	const struct glc_ir *ir;
	const struct glc_kernel *kernel;   /* being written */
	struct glacier_memory *memory;
	struct glacier_diag *diag;
	sp_words entry, modes, debug, names, decorations, types, code;
	uint32_t next_id;
	uint64_t capabilities[2];          /* bit sets: 0 to 63, 64 to 127 */
	bool atomic_float, float_controls, failed;
	uint32_t glsl;                     /* id of the import, or 0 */

	/* ids by what they stand for; 0: not made yet */
	uint32_t type_void, type_function, type_vector, type_vector4, type_pair;
	uint32_t types_by_type[GLC_TYPE_COUNT];
	uint32_t undefs[GLC_TYPE_COUNT];
	uint32_t pointers[GLC_SPV_STORAGE_COUNT][GLC_TYPE_COUNT];
	uint32_t vector_pointer;
	uint32_t buffer_pointers[GLC_TYPE_COUNT];   /* to the block of a buffer of that type */
	uint32_t *consts;                  /* by constant of the IR */
	struct sp_const *shared;           /* by bits and type: a table with open addressing */
	uint32_t shared_mask, shared_count;
	uint32_t built_ins[SP_BUILT_IN_COUNT];
	GLC_ARRAY(struct sp_array) arrays;
	GLC_ARRAY(struct sp_file) files;

	/* of the kernel */
	uint32_t function;
	uint32_t *objects;                 /* variable, or the constant of a spec, by object */
	uint32_t push_constants;
	uint32_t *members;                 /* by object: index in the push constant block */
	uint32_t used_built_ins;           /* bit set */
	uint32_t *values;                  /* by instruction: its id; Break and Continue: their block */
	uint32_t block;                    /* the label that code goes behind */
	uint32_t line;                     /* the last one that OpLine told, 0: none */
	GLC_ARRAY(struct sp_frame) frames;
};

struct sp_const {
	uint64_t bits;
	uint32_t type, id;
};

struct sp_file {
	const char *name;
	uint32_t id;
};

struct sp_array {
	uint32_t element, length, id;
};

struct sp_frame {
	uint32_t head;              /* the If or Loop */
	uint32_t merge, next;       /* labels; next: of Else, of the continue block */
	uint32_t before;            /* If: the block with the branch; Loop: the one before */
	uint32_t first_end, second_end;   /* If: blocks at the arms' ends; Loop: first_end is its header */
	uint32_t branch;            /* If: where in code the false label stands */
	uint32_t second_begin;      /* If: where in code the Else's label stands */
};

/* n words behind the end of a section, the first one filled. */
static inline uint32_t *sp_put(struct sp *sp, sp_words *section, uint32_t op, uint32_t n)
{
	static _Thread_local uint32_t nowhere[16];
	uint32_t *at;

	if (!GLC_RESERVE(sp->memory, section, n)) {
		sp->failed = true;
		return nowhere;
	}
	at = section->at + section->count;
	section->count += n;
	at[0] = n << 16 | op;
	return at;
}

static inline uint32_t sp_id(struct sp *sp)
{
	return sp->next_id++;
}

static inline void sp_capability(struct sp *sp, uint32_t capability)
{
	if (capability == GLC_SPV_CAP_ATOMIC_FLOAT32_ADD)
		sp->atomic_float = true;
	else
		sp->capabilities[capability / 64] |= UINT64_C(1) << capability % 64;
}

/* An instruction with a string behind its fixed words. */
void sp_put_string(struct sp *sp, sp_words *section, uint32_t op, const uint32_t *words, uint32_t n,
		   const char *text, uint32_t bytes);

uint32_t sp_make_type(struct sp *sp, enum glc_type type);

/* One integer type a width: signs lie in the instructions. */
static inline enum glc_type sp_plain(enum glc_type type)
{
	return glc_is_int(type) ? (enum glc_type)(type | 1) : type;
}

static inline uint32_t sp_type(struct sp *sp, enum glc_type type)
{
	return sp->types_by_type[type] ? sp->types_by_type[type] : sp_make_type(sp, type);
}

uint32_t sp_vector3(struct sp *sp);
uint32_t sp_vector4(struct sp *sp);
/* The OpString of a source's name. */
uint32_t sp_file(struct sp *sp, const char *name);
/* struct { u32 low, high }, the result of OpUMulExtended. */
uint32_t sp_pair(struct sp *sp);
uint32_t sp_pointer(struct sp *sp, enum glc_spv_storage storage, enum glc_type type);
uint32_t sp_undef(struct sp *sp, enum glc_type type);
uint32_t sp_const_u32(struct sp *sp, uint32_t value);
uint32_t sp_const_bits(struct sp *sp, enum glc_type type, uint64_t bits);
/* The id of a constant of the IR. */
uint32_t sp_const(struct sp *sp, glc_value value);
uint32_t sp_built_in(struct sp *sp, enum sp_built_in which);
uint32_t sp_glsl(struct sp *sp);
void sp_decorate(struct sp *sp, uint32_t id, enum glc_spv_decoration decoration);
void sp_decorate1(struct sp *sp, uint32_t id, enum glc_spv_decoration decoration, uint32_t value);

/* Variables, specialization constants and push constants of sp->kernel. */
bool sp_declare_objects(struct sp *sp);
/* Entry point and execution modes of sp->kernel. */
void sp_declare_entry(struct sp *sp);

/* The function of sp->kernel. body.c */
void sp_body(struct sp *sp);

#endif
