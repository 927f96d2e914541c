/* SPDX-License-Identifier: MIT */
#include "ir/share.h"

#include <string.h>

static uint32_t table_size(uint32_t hint)
{
	uint32_t size = 32;

	while (size < hint && size < 1u << 24)
		size *= 2;
	return size;
}

bool glc_builder_init(struct glc_builder *b, struct glacier_memory *memory, bool optimize, uint32_t size_hint)
{
	uint32_t size = table_size(size_hint);

	memset(b, 0, sizeof *b);
	b->memory = memory;
	b->optimize = optimize;
	b->const_mask = size - 1;
	b->const_heads = glc_bump_zero(memory, size * sizeof *b->const_heads);
	b->failed = !b->const_heads;
	if (optimize) {
		b->head_mask = size - 1;
		b->heads = glc_bump_zero(memory, size * sizeof *b->heads);
		b->failed |= !b->heads;
		b->share_room = 2 * size;
	}
	GLC_PRESIZE(memory, &b->consts, 32);
	return !b->failed;
}

void glc_builder_restart(struct glc_builder *b, uint32_t size_hint)
{
	uint32_t size = table_size(size_hint);   /* a power of two, so that doubling ends at the limit, which is one */

	glc_scope_end(b, 0);
	/* The arrays handed to the last kernel stay there: begin new ones. */
	memset(&b->insts, 0, sizeof b->insts);
	memset(&b->edge_values, 0, sizeof b->edge_values);
	memset(&b->chain, 0, sizeof b->chain);
	b->replaced = false;
	GLC_PRESIZE(b->memory, &b->insts, size);
	if (b->optimize)
		GLC_PRESIZE(b->memory, &b->chain, size);
}

/* --- Constants ----------------------------------------------------------- */

static bool grow_const_heads(struct glc_builder *b)
{
	uint32_t size = (b->const_mask + 1) * 4;
	uint32_t *heads = glc_bump_zero(b->memory, size * sizeof *heads);

	if (!heads)
		return false;
	b->const_heads = heads;
	b->const_mask = size - 1;
	for (uint32_t i = 0; i < b->consts.count; i++) {
		struct glc_const *at = &b->consts.at[i];
		uint32_t slot = (uint32_t)(((at->bits ^ at->type) * 0x9e3779b97f4a7c15u) >> 32) & b->const_mask;

		at->next = heads[slot];
		heads[slot] = i + 1;
	}
	return true;
}

glc_value glc_const_bits(struct glc_builder *b, enum glc_type type, uint64_t bits)
{
	uint32_t slot = (uint32_t)(((bits ^ type) * 0x9e3779b97f4a7c15u) >> 32) & b->const_mask;
	struct glc_const *at;

	for (uint32_t i = b->const_heads[slot]; i; i = at->next) {
		at = &b->consts.at[i - 1];
		if (at->bits == bits && at->type == type)
			return (i - 1) | GLC_CONST_BIT;
	}
	at = GLC_PUSH(b->memory, &b->consts);
	if (!at) {
		b->failed = true;
		return GLC_CONST_BIT;
	}
	*at = (struct glc_const){.bits = bits, .type = type, .next = b->const_heads[slot]};
	b->const_heads[slot] = b->consts.count;
	if (b->consts.count > b->const_mask * 2u && !grow_const_heads(b))
		b->failed = true;
	return (b->consts.count - 1) | GLC_CONST_BIT;
}

glc_value glc_const_f32(struct glc_builder *b, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return glc_const_bits(b, GLC_F32, bits);
}

glc_value glc_const_f64(struct glc_builder *b, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return glc_const_bits(b, GLC_F64, bits);
}

glc_value glc_const_int(struct glc_builder *b, enum glc_type type, int64_t value)
{
	if (type == GLC_F32)
		return glc_const_f32(b, (float)value);
	if (type == GLC_F64)
		return glc_const_f64(b, (double)value);
	if (type == GLC_BOOL)
		return glc_const_bits(b, type, value != 0);
	return glc_const_bits(b, type, (uint64_t)value & glc_type_mask(type));
}

/* --- Instructions -------------------------------------------------------- */

glc_value glc_append(struct glc_builder *b, const struct glc_inst *inst)
{
	struct glc_inst *at;

	/* Memory ends long before 2^31 instructions do, where a number would look like a constant. */
	at = GLC_PUSH(b->memory, &b->insts);
	if (!at) {
		b->failed = true;
		return 0;
	}
	*at = *inst;
	at->pos = b->pos;
	return b->insts.count - 1;
}

/*
 * Unrolling and expansion make more instructions than the source has statements. Each chain
 * becomes four, whose parts stay in order.
 */
void glc_share_grow(struct glc_builder *b)
{
	uint32_t size = b->head_mask + 1, mask = size * 4 - 1;
	uint32_t *heads = size < 1u << 24 ? glc_bump_zero(b->memory, (size_t)size * 4 * sizeof *heads) : NULL;

	if (!heads) {
		b->share_room = UINT32_MAX;   /* longer chains are slower, not wrong */
		return;
	}
	for (uint32_t old = 0; old < size; old++) {
		uint32_t *end[4] = {&heads[old], &heads[old + size], &heads[old + 2 * size], &heads[old + 3 * size]};
		uint32_t next;

		for (uint32_t i = b->heads[old]; i; i = next) {
			uint32_t part = (glc_share_hash(&b->insts.at[i - 1]) & mask) / size;

			next = b->chain.at[i - 1].older;
			*end[part] = i;
			end[part] = &b->chain.at[i - 1].older;
		}
		for (int part = 0; part < 4; part++)
			*end[part] = 0;
	}
	b->heads = heads;
	b->head_mask = mask;
	b->share_room = 2 * (mask + 1 - size);   /* two to a chain: those of the old chains are there */
}

/* Loads of what no one writes give the same each time; so do pure instructions. */
static bool is_shareable(const struct glc_builder *b, const struct glc_inst *inst)
{
	if (glc_ops[inst->op].flags & GLC_PURE)
		return true;
	return inst->op == GLC_OP_LoadGlobal && b->objects &&
	       b->objects[inst->object].access == GLC_READ;
}

/* What folding and the identities make of it, or GLC_NO_VALUE. */
static glc_value simplify(struct glc_builder *b, const struct glc_inst *inst)
{
	glc_value value = glc_fold(b, inst);

	if (value != GLC_NO_VALUE)
		return value;
	value = glc_identity(b, inst);
	b->replaced |= value != GLC_NO_VALUE;
	return value;
}

glc_value glc_emit_inst(struct glc_builder *b, const struct glc_inst *given)
{
	struct glc_inst inst, *at;
	glc_value value;

	if (!b->optimize || !is_shareable(b, given))
		return glc_append(b, given);
	inst = *given;
	if (inst.arg[0] > inst.arg[1] && (glc_ops[inst.op].flags & GLC_COMMUTES)) {
		inst.arg[0] = given->arg[1];
		inst.arg[1] = given->arg[0];
	}
	/* An absent argument counts as constant: what has one argument is always looked at. */
	if ((inst.arg[0] | inst.arg[1]) & GLC_CONST_BIT || inst.arg[0] == inst.arg[1] ||
	    inst.op == GLC_OP_Select) {
		value = simplify(b, &inst);
		if (value != GLC_NO_VALUE)
			return value;
	}
	if (!glc_share_reserve(b, 1))
		return 0;
	at = &b->insts.at[b->insts.count];
	*at = inst;
	at->pos = b->pos;
	return glc_share(b, glc_share_salt(at));
}

void glc_scope_end(struct glc_builder *b, uint32_t begin)
{
	/* Newest first, so each one stands at the head of its chain when its turn comes. */
	while (b->newest > begin) {
		uint32_t i = b->newest - 1;

		b->heads[glc_share_hash(&b->insts.at[i]) & b->head_mask] = b->chain.at[i].older;
		b->newest = b->chain.at[i].before;
		b->share_room++;
	}
}

static enum glc_type result_type(const struct glc_op_facts *facts, enum glc_type type)
{
	switch (facts->result) {
	case 'B': return GLC_BOOL;
	case 'U': return GLC_U32;
	case 'W': return type == GLC_I32 ? GLC_I64 : GLC_U64;
	case '-': return GLC_VOID;
	}
	return type;
}

glc_value glc_emit(struct glc_builder *b, enum glc_op op, enum glc_type type, glc_value a,
		   glc_value b_, glc_value c)
{
	struct glc_inst inst = {
		.op = op,
		.type = result_type(&glc_ops[op], type),
		.from = type,
		.arg = {a, b_, c, GLC_NO_VALUE},
	};

	return glc_emit_inst(b, &inst);
}

glc_value glc_cvt(struct glc_builder *b, enum glc_type to, enum glc_type from, glc_value a)
{
	struct glc_inst inst = {
		.op = GLC_OP_Cvt,
		.type = to,
		.from = from,
		.arg = {a, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	return to == from ? a : glc_emit_inst(b, &inst);
}

glc_value glc_bitcast(struct glc_builder *b, enum glc_type to, enum glc_type from, glc_value a)
{
	struct glc_inst inst = {
		.op = GLC_OP_Bitcast,
		.type = to,
		.from = from,
		.arg = {a, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	return to == from ? a : glc_emit_inst(b, &inst);
}

/* --- Structure ----------------------------------------------------------- */

glc_value glc_if(struct glc_builder *b, glc_value condition)
{
	struct glc_inst inst = {
		.op = GLC_OP_If,
		.arg = {condition, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	return glc_append(b, &inst);
}

static void mark(struct glc_builder *b, enum glc_op op, uint8_t mods)
{
	struct glc_inst inst = {
		.op = op,
		.mods = mods,
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	glc_append(b, &inst);
}

void glc_else(struct glc_builder *b, bool open)
{
	mark(b, GLC_OP_Else, open ? GLC_MOD_OPEN : 0);
}

void glc_end_if(struct glc_builder *b, bool open, bool unreachable)
{
	mark(b, GLC_OP_EndIf, (open ? GLC_MOD_OPEN : 0) | (unreachable ? GLC_MOD_UNREACHABLE : 0));
}

glc_value glc_phi(struct glc_builder *b, enum glc_type type, glc_value a, glc_value c)
{
	struct glc_inst inst = {
		.op = GLC_OP_Phi,
		.type = type,
		.from = type,
		.arg = {a, c, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	return glc_append(b, &inst);
}
