/* SPDX-License-Identifier: MIT */
/*
 * Sharing: an instruction is written behind the last one, and stays there only if none
 * before it gives the same. Inline, for those that make many instructions of one kind.
 */
#ifndef GLC_IR_SHARE_H
#define GLC_IR_SHARE_H

#include "ir/build.h"

static inline uint32_t glc_share_hash(const struct glc_inst *inst)
{
	uint64_t head, args[2], h;

	memcpy(&head, inst, sizeof head);
	memcpy(args, inst->arg, sizeof args);
	h = (head ^ args[0] * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
	h = (h ^ h >> 29 ^ args[1]) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
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
 */
static inline glc_value glc_share(struct glc_builder *b)
{
	const struct glc_inst *inst = &b->insts.at[b->insts.count];
	uint32_t slot = glc_share_hash(inst) & b->head_mask, value;

	for (uint32_t i = b->heads[slot]; i; i = b->chain.at[i - 1].older)
		if (glc_share_same(&b->insts.at[i - 1], inst))
			return i - 1;
	value = b->insts.count++;
	b->chain.count = b->insts.count;
	b->chain.at[value] = (struct glc_shared){.older = b->heads[slot], .before = b->newest};
	b->heads[slot] = b->newest = value + 1;
	if (++b->shared_count > b->head_mask * 2u)
		glc_share_grow(b);
	return value;
}

#endif
