/* SPDX-License-Identifier: MIT */
/*
 * What somebody who launches a SPIR-V module must know of it: entry points, workgroup
 * sizes, buffers, push constants, specialization constants. The words are checked as far
 * as they are read; what the functions do is for a validator.
 */
#ifndef GLC_SPIRV_INTERFACE_H
#define GLC_SPIRV_INTERFACE_H

#include "base/bump.h"
#include "base/diag.h"

/* What decorations say of an id. */
struct glc_spv_marks {
	uint32_t definition;            /* the word where the instruction begins that gives it; 0: none */
	uint32_t set, binding, stride, spec_id, built_in;   /* UINT32_MAX: not said */
	bool non_writable, non_readable;
};

struct glc_spv_member {
	uint32_t id, member, offset;
};

struct glc_spv_interface {
	const uint32_t *words;
	uint32_t count, version;        /* version: 0x00010600 */
	uint32_t bound;
	uint32_t functions;             /* the word where they begin */
	struct glc_spv_marks *marks;    /* by id */
	GLC_ARRAY(struct glc_spv_member) members;
	struct glacier_memory *memory;
};

/* Everything lies in memory, words too. Returns GLACIER_OK, _ERR_MALFORMED, _LIMIT or _NOMEM. */
enum glacier_status glc_spv_interface_read(struct glc_spv_interface *out, const void *code, size_t bytes,
					   struct glacier_memory *memory, struct glacier_diag *diag);

/* The next instruction in front of the functions, from 5 on; count is its words. NULL: there is none. */
static inline const uint32_t *glc_spv_next(const struct glc_spv_interface *m, uint32_t *at, uint32_t *count)
{
	const uint32_t *inst = m->words + *at;

	if (*at >= m->functions)
		return NULL;
	*count = inst[0] >> 16;
	*at += *count;
	return inst;
}

static inline uint32_t glc_spv_op(const uint32_t *inst)
{
	return inst[0] & 0xffff;
}

/* The instruction that gives an id when it is such a one, else NULL. It has the operands it must have. */
const uint32_t *glc_spv_definition(const struct glc_spv_interface *m, uint32_t id, uint32_t op);

/* The compute entry point of that name, whose function is there; or NULL. */
const uint32_t *glc_spv_entry_point(const struct glc_spv_interface *m, const char *name);
/* The names of all, separated by commas, as far as there is room. */
void glc_spv_entry_names(const struct glc_spv_interface *m, char *text, size_t bytes);
/* Whether the entry point can reach a global variable; before SPIR-V 1.4 it does not say. */
bool glc_spv_reaches(const struct glc_spv_interface *m, const uint32_t *entry, uint32_t variable);

/* An integer or float type: its width; 0 when it is neither. */
uint32_t glc_spv_width(const struct glc_spv_interface *m, uint32_t type, bool *is_float);
/* Where the first members of a structure lie; UINT32_MAX where nothing says it. */
void glc_spv_offsets(const struct glc_spv_interface *m, uint32_t structure, uint32_t *offsets, uint32_t count);

#endif
