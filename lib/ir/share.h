/* SPDX-License-Identifier: MIT */
/*
 * Sharing: an instruction is written behind the last one, and stays there only if none
 * before it gives the same. Inline, for those that make many instructions of one kind.
 */
#ifndef GLC_IR_SHARE_H
#define GLC_IR_SHARE_H

#include "ir/build.h"

/* Of all but the first two arguments, which differ most. */
static inline uint64_t glc_share_salt(const struct glc_inst *inst)
{
	uint64_t last;

	memcpy(&last, inst->arg + 2, sizeof last);
	return (glc_inst_head(inst) ^ last * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
}

static inline uint32_t glc_share_salted(const struct glc_inst *inst, uint64_t salt)
{
	uint64_t first;

	memcpy(&first, inst->arg, sizeof first);
	return (uint32_t)((first ^ salt) * 0x9e3779b97f4a7c15u >> 32);
}

static inline uint32_t glc_share_hash(const struct glc_inst *inst)
{
	return glc_share_salted(inst, glc_share_salt(inst));
}

static inline bool glc_share_same(const struct glc_inst *a, const struct glc_inst *c)
{
	uint64_t x[3], y[3];   /* what stands before the position */

	_Static_assert(sizeof x == offsetof(struct glc_inst, pos), "no padding is compared");
	memcpy(x, a, sizeof x);
	memcpy(y, c, sizeof y);
	return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]));
}

/* Longer tables for the chains; without memory they stay as they are, slower and not wrong. */
void glc_share_grow(struct glc_builder *b);

/*
 * Room for n instructions that follow, and for what sharing keeps of them; false: memory ran
 * out, which the builder remembers.
 */
static inline bool glc_share_reserve(struct glc_builder *b, uint32_t n)
{
	if (GLC_RESERVE(b->memory, &b->insts, n) &&
	    (!b->optimize || GLC_RESERVE(b->memory, &b->chain, b->insts.count + n - b->chain.count)))
		return true;
	b->failed = true;
	return false;
}

/*
 * The instruction at insts.at[insts.count], which is complete and has its room: the number
 * of the one before it that gives the same; else it stays, and is shared from here on.
 * salt: the instruction's, which is the same for many that follow one another.
 */
static inline glc_value glc_share(struct glc_builder *b, uint64_t salt)
{
	const struct glc_inst *insts = b->insts.at, *inst = &insts[b->insts.count];
	struct glc_shared *chain = b->chain.at;
	uint32_t *head = &b->heads[glc_share_salted(inst, salt) & b->head_mask], oldest = *head, value;

	for (uint32_t i = oldest; i; i = chain[i - 1].older)
		if (glc_share_same(&insts[i - 1], inst))
			return i - 1;
	value = b->insts.count++;
	chain[value].older = oldest;
	chain[value].before = b->newest;
	*head = b->newest = value + 1;
	b->chain.count = value + 1;
	if (!--b->share_room)
		glc_share_grow(b);
	return value;
}

#endif
