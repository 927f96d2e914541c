/* SPDX-License-Identifier: MIT */
/*
 * Structure: labels and branches. One pass over the instructions, with a stack of what is
 * open. A label is written only when something jumps to it; an arm that has no instructions
 * becomes moves under the predicate, and one that only leaves becomes a predicated branch.
 */
#include "ptx/emit.h"

static const struct guard always = {0, false};

/* More moves than these are worth a jump around them, since they are made on the other way too. */
enum { GUARDED_COPIES = 4 };

static inline const struct glc_inst *inst_at(const struct emitter *e, uint32_t index)
{
	return &e->kernel->insts[index];
}

static struct frame *top(struct emitter *e)
{
	return &e->frames.at[e->frames.count - 1];
}

static struct frame *push(struct emitter *e)
{
	struct frame *frame = GLC_PUSH(e->input->memory, &e->frames);

	if (frame)
		*frame = (struct frame){0};
	else
		e->out.failed = true;
	return frame;
}

static uint32_t behind_phis(const struct emitter *e, uint32_t index)
{
	while (index < e->kernel->inst_count && inst_at(e, index)->op == GLC_OP_Phi)
		index++;
	return index;
}

static void write_label(struct emitter *e, uint32_t label)
{
	unsigned char *at = put_label(begin_line(e), label);

	e->out.at = TEXT(at, ":\n");
	e->section++;
}

static unsigned char *put_guard(unsigned char *at, struct guard guard)
{
	if (!guard.reg)
		return at;
	*at++ = '@';
	if (guard.negated)
		*at++ = '!';
	at = put_register(at, guard.reg);
	*at++ = ' ';
	return at;
}

static void branch(struct emitter *e, uint32_t label, struct guard guard)
{
	unsigned char *at = put_guard(TEXT(begin_line(e), "\t"), guard);

	end_line(e, put_label(TEXT(at, "bra "), label));
}

static void write_return(struct emitter *e, struct guard guard)
{
	end_line(e, TEXT(put_guard(TEXT(begin_line(e), "\t"), guard), "ret"));
}

/* Where a Break or Continue goes; remembered by its loop. */
static uint32_t loop_label(struct emitter *e, uint32_t op)
{
	struct frame *loop = &e->frames.at[e->loop];

	if (op == GLC_OP_Break) {
		loop->end_used = true;
		return loop->label + 2;
	}
	loop->continue_used = true;
	return loop->label + 1;
}

/* The Phis that a Break or Continue feeds. */
static uint32_t loop_phis(const struct emitter *e, uint32_t op)
{
	const struct glc_inst *loop = inst_at(e, e->frames.at[e->loop].at);

	return (op == GLC_OP_Break ? loop->arg[1] : loop->arg[2]) + 1;
}

/* An arm of one instruction that leaves, and moves at most what is cheaper than a jump. */
static bool only_leaves(struct emitter *e, uint32_t begin, uint32_t end)
{
	const struct glc_inst *inst = inst_at(e, begin);

	if (end - begin != 1)
		return false;
	if (inst->op == GLC_OP_Return)
		return true;
	return (inst->op == GLC_OP_Break || inst->op == GLC_OP_Continue) &&
	       glc_ptx_count_copies(e, loop_phis(e, inst->op), EDGE_LIST, inst->arg[0]) <= GUARDED_COPIES;
}

static void leave(struct emitter *e, uint32_t index, struct guard guard)
{
	const struct glc_inst *inst = inst_at(e, index);

	if (inst->op == GLC_OP_Return) {
		write_return(e, guard);
		return;
	}
	glc_ptx_copies(e, loop_phis(e, inst->op), EDGE_LIST, inst->arg[0], always);
	/* A Continue that ends the body is there already. */
	if (guard.reg || inst->op == GLC_OP_Break || inst_at(e, index + 1)->op != GLC_OP_Continuing)
		branch(e, loop_label(e, inst->op), guard);
}

/* Gives the instruction to go on with. */
static uint32_t begin_if(struct emitter *e, uint32_t index)
{
	uint32_t else_at = e->places[index], end_at = e->places[else_at], phis = end_at + 1;
	bool first_empty = else_at == index + 1, second_empty = end_at == else_at + 1;
	uint32_t condition = glc_ptx_in_register(e, operand(e, inst_at(e, index)->arg[0]), GLC_BOOL);
	struct guard taken = {condition, false}, not_taken = {condition, true};
	struct frame *frame;

	glc_ptx_phi_registers(e, phis);
	if (first_empty && second_empty) {
		glc_ptx_copies(e, phis, EDGE_FIRST, 0, taken);
		glc_ptx_copies(e, phis, EDGE_SECOND, 0, not_taken);
		return behind_phis(e, phis);
	}
	frame = push(e);
	if (!frame)
		return e->kernel->inst_count;
	frame->label = e->labels + 1;
	e->labels += 2;
	if (only_leaves(e, index + 1, else_at)) {
		leave(e, index + 1, taken);
		return else_at + 1;
	}
	if (only_leaves(e, else_at + 1, end_at)) {
		leave(e, else_at + 1, not_taken);
		frame->skip_else = true;
		return index + 1;
	}
	if (first_empty) {
		glc_ptx_copies(e, phis, EDGE_FIRST, 0, always);
		frame->end_used = true;
		branch(e, frame->label + 1, taken);
		return else_at + 1;
	}
	if (second_empty) {
		glc_ptx_copies(e, phis, EDGE_SECOND, 0, always);
		frame->end_used = true;
		branch(e, frame->label + 1, not_taken);
		frame->skip_else = true;
		return index + 1;
	}
	branch(e, frame->label, not_taken);
	return index + 1;
}

/* The first arm ends; only arms that were written out come here. */
static uint32_t begin_else(struct emitter *e, uint32_t index)
{
	struct frame *frame = top(e);
	uint32_t end_at = e->places[index];

	if (inst_at(e, index)->mods & GLC_MOD_OPEN) {
		glc_ptx_copies(e, end_at + 1, EDGE_FIRST, 0, always);
		if (!frame->skip_else) {
			frame->end_used = true;
			branch(e, frame->label + 1, always);
		}
	}
	if (frame->skip_else)
		return end_at;
	write_label(e, frame->label);
	return index + 1;
}

static uint32_t end_if(struct emitter *e, uint32_t index)
{
	struct frame *frame = top(e);

	if (!frame->skip_else && inst_at(e, index)->mods & GLC_MOD_OPEN)
		glc_ptx_copies(e, index + 1, EDGE_SECOND, 0, always);
	if (frame->end_used)
		write_label(e, frame->label + 1);
	e->frames.count--;
	return behind_phis(e, index + 1);
}

/* Whether control ever goes round. */
static bool goes_on(const struct glc_inst *continuing)
{
	return continuing->mods & GLC_MOD_OPEN || continuing->arg[0] != GLC_NO_VALUE;
}

static uint32_t begin_loop(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = inst_at(e, index);
	struct frame *frame;

	glc_ptx_phi_registers(e, index + 1);
	glc_ptx_phi_registers(e, inst->arg[2] + 1);
	glc_ptx_phi_registers(e, inst->arg[1] + 1);
	glc_ptx_copies(e, index + 1, EDGE_FIRST, 0, always);
	frame = push(e);
	if (!frame)
		return e->kernel->inst_count;
	frame->at = index;
	frame->label = e->labels + 1;
	frame->outer = e->loop;
	e->labels += 3;
	e->loop = e->frames.count - 1;
	if (goes_on(inst_at(e, inst->arg[2]))) {
		write_label(e, frame->label);
		/* ptxas would unroll by four what runs three times at most. */
		if (inst->mods & GLC_MOD_REST)
			e->out.at = TEXT(begin_line(e), "\t.pragma \"nounroll\";\n");
	}
	return behind_phis(e, index + 1);
}

static uint32_t end_loop(struct emitter *e, uint32_t index)
{
	struct frame *frame = top(e);

	if (frame->end_used)
		write_label(e, frame->label + 2);
	e->loop = frame->outer;
	e->frames.count--;
	return behind_phis(e, index + 1);
}

static uint32_t begin_continuing(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = inst_at(e, index);
	struct frame *frame = top(e);

	if (!goes_on(inst))
		return end_loop(e, inst_at(e, frame->at)->arg[1]);
	if (inst->mods & GLC_MOD_OPEN)
		glc_ptx_copies(e, index + 1, EDGE_LIST, inst->arg[1], always);
	if (frame->continue_used)
		write_label(e, frame->label + 1);
	return behind_phis(e, index + 1);
}

/*
 * The moves of the way out and of the way back must not run both: a way back writes the
 * Phis at the head, which the way out may still read.
 */
static uint32_t back_edge(struct emitter *e, uint32_t index)
{
	const struct glc_inst *inst = inst_at(e, index);
	struct frame *frame = top(e);
	uint32_t head = frame->at + 1, out;
	struct guard leaves = {0, false}, stays = {0, true};
	bool copies_out, copies_back;

	if (inst->arg[0] == GLC_NO_VALUE) {
		glc_ptx_copies(e, head, EDGE_SECOND, 0, always);
		branch(e, frame->label, always);
		return end_loop(e, index);
	}
	leaves.reg = stays.reg = glc_ptx_in_register(e, operand(e, inst->arg[0]), GLC_BOOL);
	copies_back = glc_ptx_count_copies(e, head, EDGE_SECOND, 0) > 0;
	copies_out = glc_ptx_count_copies(e, index + 1, EDGE_LIST, inst->arg[1]) > 0;
	if (!copies_back) {
		branch(e, frame->label, stays);
		glc_ptx_copies(e, index + 1, EDGE_LIST, inst->arg[1], always);
		return end_loop(e, index);
	}
	if (copies_out) {
		out = ++e->labels;
	} else {
		out = frame->label + 2;
		frame->end_used = true;
	}
	branch(e, out, leaves);
	glc_ptx_copies(e, head, EDGE_SECOND, 0, always);
	branch(e, frame->label, always);
	if (copies_out) {
		write_label(e, out);
		glc_ptx_copies(e, index + 1, EDGE_LIST, inst->arg[1], always);
	}
	return end_loop(e, index);
}

/* From the first If on each If's Else, each Else's EndIf: what is in a place when no value is. */
static bool match_arms(struct emitter *e, uint32_t first)
{
	const struct glc_inst *insts = e->kernel->insts;

	for (uint32_t i = first, count = e->kernel->inst_count; i < count; i++) {
		uint32_t op = insts[i].op;
		struct frame *frame;

		if (op - GLC_OP_If > GLC_OP_EndIf - GLC_OP_If)   /* most are none of them */
			continue;
		switch ((enum glc_op)op) {
		case GLC_OP_If:
			frame = push(e);
			if (!frame)
				return false;
			frame->at = i;
			break;
		case GLC_OP_Else:
			e->places[top(e)->at] = i;
			top(e)->at = i;
			break;
		case GLC_OP_EndIf:
			e->places[top(e)->at] = i;
			e->frames.count--;
			break;
		default:
			break;
		}
	}
	return true;
}

/* Whether nothing gets behind the last instruction. */
static bool ends_itself(const struct glc_kernel *kernel)
{
	const struct glc_inst *last = kernel->inst_count ? &kernel->insts[kernel->inst_count - 1] : NULL;

	return last && (last->op == GLC_OP_Return ||
			((last->op == GLC_OP_EndIf || last->op == GLC_OP_EndLoop) && last->mods & GLC_MOD_UNREACHABLE));
}

bool glc_ptx_body(struct emitter *e)
{
	uint32_t count = e->kernel->inst_count, index = 0, next;
	bool debug = e->input->options->debug, matched = false;

	e->frames.count = 0;
	e->loop = GLC_NO_VALUE;
	while (index < count && e->status == GLACIER_OK) {
		const struct glc_inst *inst = inst_at(e, index);

		if (debug)
			glc_ptx_loc(e, inst->pos);
		switch ((enum glc_op)inst->op) {
		case GLC_OP_If:
			if (!matched && !match_arms(e, index))
				return false;
			matched = true;
			index = begin_if(e, index);
			break;
		case GLC_OP_Else: index = begin_else(e, index); break;
		case GLC_OP_EndIf: index = end_if(e, index); break;
		case GLC_OP_Loop: index = begin_loop(e, index); break;
		case GLC_OP_Continuing: index = begin_continuing(e, index); break;
		case GLC_OP_EndLoop: index = back_edge(e, index); break;
		case GLC_OP_Break:
		case GLC_OP_Continue:
		case GLC_OP_Return: leave(e, index++, always); break;
		default:
			next = debug ? index : glc_ptx_plain_run(e, index);
			if (next == index)
				glc_ptx_value(e, next++);
			index = next;
			break;
		}
	}
	if (!ends_itself(e->kernel))
		write_return(e, always);
	return !e->out.failed;
}
