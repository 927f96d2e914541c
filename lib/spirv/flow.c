/* SPDX-License-Identifier: MIT */
/*
 *	If:    before: SelectionMerge merge; BranchConditional c, first, second
 *	       first … Branch merge;  second … Branch merge;  merge: Phi*
 *	       (without instructions in the second arm, the branch goes to merge)
 *	Loop:  before: Branch header;  header: Phi* LoopMerge merge, next; Branch body
 *	       body … Branch next;  next: Phi* …; Branch header, or BranchConditional leave, merge, header
 *	       merge: Phi*
 *
 * The continue block is there even when nothing reaches it: it then feeds OpUndef to the
 * header. A merge that nothing reaches is OpUnreachable. The parent of a Phi is the block
 * that ends a way, not the one that begins it.
 */
#include "spirv/flow.h"

void sp_label(struct sp *sp, uint32_t id)
{
	sp_put(sp, &sp->code, GLC_SPV_Label, 2)[1] = id;
	sp->block = id;
	sp->line = 0;   /* OpLine ends with its block */
}

static void branch(struct sp *sp, uint32_t to)
{
	sp_put(sp, &sp->code, GLC_SPV_Branch, 2)[1] = to;
}

static struct sp_frame *push(struct sp *sp, uint32_t head)
{
	static _Thread_local struct sp_frame nowhere;
	struct sp_frame *frame = GLC_PUSH(sp->memory, &sp->frames);

	if (!frame) {
		sp->failed = true;
		frame = &nowhere;
	}
	*frame = (struct sp_frame){.head = head, .before = sp->block};
	return frame;
}

static struct sp_frame *top(struct sp *sp)
{
	return &sp->frames.at[sp->frames.count - 1];
}

/* A Phi's room, with its type and id; the pairs follow. */
static uint32_t *put_phi(struct sp *sp, uint32_t index, uint32_t ways)
{
	uint32_t type = sp_type(sp, sp->kernel->insts[index].type), id = sp_value(sp, index);
	uint32_t *at = sp_put(sp, &sp->code, GLC_SPV_Phi, 3 + 2 * ways);

	at[1] = type;
	at[2] = id;
	return at + 3;
}

static bool is_phi(const struct sp *sp, uint32_t index)
{
	return index < sp->kernel->inst_count && sp->kernel->insts[index].op == GLC_OP_Phi;
}

/* --- Selections ---------------------------------------------------------- */

static void begin_if(struct sp *sp, uint32_t index)
{
	uint32_t condition = sp_value(sp, sp->kernel->insts[index].arg[0]), first = sp_id(sp), *at;
	struct sp_frame *frame = push(sp, index);

	frame->merge = sp_id(sp);
	frame->next = sp_id(sp);
	at = sp_put(sp, &sp->code, GLC_SPV_SelectionMerge, 3);
	at[1] = frame->merge;
	at[2] = 0;
	at = sp_put(sp, &sp->code, GLC_SPV_BranchConditional, 4);
	at[1] = condition;
	at[2] = first;
	at[3] = frame->next;
	frame->branch = sp->code.count - 1;
	sp_label(sp, first);
}

static void begin_else(struct sp *sp, uint32_t index)
{
	struct sp_frame *frame = top(sp);

	frame->first_end = sp->block;
	if (sp->kernel->insts[index].mods & GLC_MOD_OPEN)
		branch(sp, frame->merge);
	frame->second_begin = sp->code.count;
	sp_label(sp, frame->next);
}

static uint32_t end_if(struct sp *sp, uint32_t index)
{
	const struct glc_inst *inst = &sp->kernel->insts[index];
	struct sp_frame frame = *top(sp);

	frame.second_end = sp->block;
	if (sp->code.count == frame.second_begin + 2 && (inst->mods & GLC_MOD_OPEN)) {
		/* Nothing but its label: the branch goes to the merge at once. */
		sp->code.count = frame.second_begin;
		sp->code.at[frame.branch] = frame.merge;
		frame.second_end = frame.before;
	} else if (inst->mods & GLC_MOD_OPEN) {
		branch(sp, frame.merge);
	}
	sp->frames.count--;
	sp_label(sp, frame.merge);
	if (inst->mods & GLC_MOD_UNREACHABLE) {
		sp_put(sp, &sp->code, GLC_SPV_Unreachable, 1);
		return index + 1;
	}
	for (index++; is_phi(sp, index); index++) {
		const glc_value *arg = sp->kernel->insts[index].arg;
		uint32_t values[2], parents[2], n = 0, *at;

		for (int i = 0; i < 2; i++)
			if (arg[i] != GLC_NO_VALUE) {
				values[n] = sp_value(sp, arg[i]);
				parents[n++] = i ? frame.second_end : frame.first_end;
			}
		at = put_phi(sp, index, n);
		for (uint32_t i = 0; i < n; i++) {
			at[2 * i] = values[i];
			at[2 * i + 1] = parents[i];
		}
	}
	return index;
}

/* --- Loops --------------------------------------------------------------- */

static uint32_t begin_loop(struct sp *sp, uint32_t index)
{
	struct sp_frame *frame = push(sp, index);
	uint32_t header = sp_id(sp), body = sp_id(sp), *at;
	bool unroll = sp->kernel->insts[index].mods & GLC_MOD_UNROLL;

	frame->merge = sp_id(sp);
	frame->next = sp_id(sp);
	frame->first_end = header;
	branch(sp, header);
	sp_label(sp, header);
	for (index++; is_phi(sp, index); index++) {
		const struct glc_inst *phi = &sp->kernel->insts[index];
		uint32_t entry = sp_value(sp, phi->arg[0]);
		uint32_t next = phi->arg[1] == GLC_NO_VALUE ? sp_undef(sp, phi->type)
							    : sp_value(sp, phi->arg[1]);

		at = put_phi(sp, index, 2);
		at[0] = entry;
		at[1] = top(sp)->before;
		at[2] = next;
		at[3] = top(sp)->next;
	}
	at = sp_put(sp, &sp->code, GLC_SPV_LoopMerge, 4);
	at[1] = top(sp)->merge;
	at[2] = top(sp)->next;
	at[3] = unroll ? GLC_SPV_LOOP_CONTROL_UNROLL : 0;
	branch(sp, body);
	sp_label(sp, body);
	return index;
}

static void leave(struct sp *sp, uint32_t index)
{
	bool breaks = sp->kernel->insts[index].op == GLC_OP_Break;

	/* The block from which this way starts, for the Phis at its end. */
	sp->values[index] = sp->block;
	for (uint32_t i = sp->frames.count; i-- > 0;)
		if (sp->kernel->insts[sp->frames.at[i].head].op == GLC_OP_Loop) {
			branch(sp, breaks ? sp->frames.at[i].merge : sp->frames.at[i].next);
			return;
		}
}

/* The Phis behind Continuing and EndLoop. `own`: the block of the way without an edge. */
static uint32_t edge_phis(struct sp *sp, uint32_t owner, uint32_t own)
{
	uint32_t index = owner + 1;

	for (; is_phi(sp, index); index++) {
		uint32_t ways = 0, i = 0, *at;

		/* Make the values' ids and types first: that writes to other sections only. */
		for (struct glc_ways w = glc_ways(sp->kernel, owner, index); glc_way(&w);) {
			sp_value(sp, w.value);
			ways++;
		}
		if (ways > (UINT16_MAX - 3) / 2) {
			glc_fail(sp->diag, GLC_GA_TOO_MANY, sp->kernel->insts[index].pos,
				 "ways out of a loop", (UINT16_MAX - 3) / 2);
			return index + 1;
		}
		put_phi(sp, index, 0);
		if (!GLC_RESERVE(sp->memory, &sp->code, 2 * ways)) {
			sp->failed = true;
			return index + 1;
		}
		sp->code.at[sp->code.count - 3] += (2 * ways) << 16;
		at = sp->code.at + sp->code.count;
		sp->code.count += 2 * ways;
		for (struct glc_ways w = glc_ways(sp->kernel, owner, index); glc_way(&w); i += 2) {
			at[i] = sp_value(sp, w.value);
			at[i + 1] = w.edge == owner ? own : sp->values[w.edge];
		}
	}
	return index;
}

static uint32_t begin_continuing(struct sp *sp, uint32_t index)
{
	uint32_t end = sp->block;

	if (sp->kernel->insts[index].mods & GLC_MOD_OPEN)
		branch(sp, top(sp)->next);
	sp_label(sp, top(sp)->next);
	return edge_phis(sp, index, end);
}

static uint32_t end_loop(struct sp *sp, uint32_t index)
{
	const struct glc_inst *inst = &sp->kernel->insts[index];
	struct sp_frame frame = *top(sp);
	uint32_t *at;

	if (inst->arg[0] == GLC_NO_VALUE) {
		branch(sp, frame.first_end);
	} else {
		uint32_t condition = sp_value(sp, inst->arg[0]);

		at = sp_put(sp, &sp->code, GLC_SPV_BranchConditional, 4);
		at[1] = condition;
		at[2] = frame.merge;
		at[3] = frame.first_end;
	}
	sp->frames.count--;
	sp_label(sp, frame.merge);
	if (inst->mods & GLC_MOD_UNREACHABLE) {
		sp_put(sp, &sp->code, GLC_SPV_Unreachable, 1);
		return index + 1;
	}
	return edge_phis(sp, index, frame.next);
}

uint32_t sp_flow(struct sp *sp, uint32_t index)
{
	switch (sp->kernel->insts[index].op) {
	case GLC_OP_If:
		begin_if(sp, index);
		return index + 1;
	case GLC_OP_Else:
		begin_else(sp, index);
		return index + 1;
	case GLC_OP_EndIf:
		return end_if(sp, index);
	case GLC_OP_Loop:
		return begin_loop(sp, index);
	case GLC_OP_Continuing:
		return begin_continuing(sp, index);
	case GLC_OP_EndLoop:
		return end_loop(sp, index);
	default:   /* Break, Continue */
		leave(sp, index);
		return index + 1;
	}
}
