/* SPDX-License-Identifier: MIT */
/* The reader's result, for the validator. */
#ifndef GLC_SPIRV_READ_H
#define GLC_SPIRV_READ_H

#include <glacier/spirv.h>

#include "base/bump.h"
#include "base/diag.h"
#include "base/source.h"
#include "spirv/grammar.h"

/* One operand, without the opcode's own word. Literals and strings may take several words. */
struct glacier_spirv_operand {
	uint16_t offset;       /* in words from the instruction's first */
	uint8_t kind;          /* enum spv_kind; never a composite */
	uint8_t words;         /* of a literal number; of a string 0; of an enumerant SPV_NEEDS when something must allow it */
};

enum { SPV_NEEDS = 2 };

/* Where positions of diagnostics are words of the module: makes a sink that says so. */
struct spv_where {
	struct glc_source_map map;
	const struct glacier_spirv *module;   /* its words and instructions as far as they are known */
};

void spv_where_begin(struct spv_where *where, const struct glacier_spirv *module);

/* The module's number of an id as it is kept here. */
static inline uint32_t spv_id(const struct glacier_spirv *module, uint32_t id)
{
	return module->ids && id < module->id_count ? module->ids[id] : id;
}

static inline const struct glacier_spirv_inst *spv_def(const struct glacier_spirv *module, uint32_t id)
{
	uint32_t def = id < module->id_count ? module->defs[id] : 0;

	return def ? &module->insts[def - 1] : NULL;
}

static inline uint32_t spv_word(const struct glacier_spirv *module, const struct glacier_spirv_inst *inst, uint32_t n)
{
	return n < inst->words ? module->words[inst->word + n] : 0;
}

/* A literal string, cut at its terminator; bytes without it. The reader made sure that it has one. */
const char *spv_text(const struct glacier_spirv *module, const struct glacier_spirv_inst *inst, uint32_t n,
		     uint32_t *bytes);

/* An instruction as spirv-dis would write it, cut where it does not fit. text.c */
void spv_print(const struct glacier_spirv *module, const struct glacier_spirv_inst *inst, char *out, uint32_t bytes);

#endif
