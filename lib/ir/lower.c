/* SPDX-License-Identifier: MIT */
/*
 * One pass over each kernel: copy what is needed, say by simpler instructions what the
 * target does not have. The copy goes through the builder, so what an expansion makes is
 * folded and shared like everything else.
 */
#include "ir/unroll.h"

#include <string.h>

static struct frame *push_frame(struct lower *l, uint32_t source)
{
	static _Thread_local struct frame nowhere;
	struct frame *frame = GLC_PUSH(l->memory, &l->frames);

	if (!frame) {
		l->b.failed = true;
		frame = &nowhere;
	}
	memset(frame, 0, sizeof *frame);
	frame->source = source;
	frame->first_break = frame->first_continue = GLC_NO_VALUE;
	return frame;
}

static struct frame *top(struct lower *l)
{
	return &l->frames.at[l->frames.count - 1];
}

uint32_t glc_lower_arm_end(const struct lower *l, uint32_t index)
{
	uint32_t depth = 0;

	for (index++;; index++) {
		uint16_t op = l->source->insts[index].op;

		if (op == GLC_OP_If) {
			depth++;
		} else if (op == GLC_OP_EndIf) {
			if (!depth--)
				return index;
		} else if (op == GLC_OP_Else && !depth) {
			return index;
		}
	}
}

bool glc_lower_has_edges(const struct lower *l, uint32_t from, uint32_t to)
{
	for (; from < to; from++)
		if (l->source->insts[from].op == GLC_OP_Break || l->source->insts[from].op == GLC_OP_Continue)
			return true;
	return false;
}

uint32_t glc_lower_one_arm(struct lower *l, uint32_t index, bool first)
{
	push_frame(l, index)->inlined = true;
	return first ? index + 1 : glc_lower_arm_end(l, index) + 1;
}

/*
 * An If whose condition is known, and whose other arm takes part in no join but its own:
 * only the arm that runs is copied. Gives the instruction to go on with, or 0: copy it all.
 */
static uint32_t inline_if(struct lower *l, uint32_t index, glc_value condition)
{
	uint32_t middle, end;
	bool first;

	if (!l->b.optimize || !glc_is_const(condition))
		return 0;
	first = l->b.consts.at[condition & ~GLC_CONST_BIT].bits;
	middle = glc_lower_arm_end(l, index);
	end = glc_lower_arm_end(l, middle);
	if (!(l->source->insts[first ? middle : end].mods & GLC_MOD_OPEN) ||
	    glc_lower_has_edges(l, first ? middle : index, first ? end : middle))
		return 0;
	return glc_lower_one_arm(l, index, first);
}

/* Behind an inlined arm: its values are those of the join. */
static uint32_t end_inlined(struct lower *l, uint32_t index)
{
	bool first = l->source->insts[index].op == GLC_OP_Else;
	uint32_t end = first ? glc_lower_arm_end(l, index) : index;

	l->frames.count--;
	for (index = end + 1; index < l->source->inst_count && l->source->insts[index].op == GLC_OP_Phi; index++)
		l->map[index] = glc_lower_mapped(l, l->source->insts[index].arg[first ? 0 : 1]);
	return index;
}

static void end_if(struct lower *l, uint32_t index)
{
	const struct glc_inst *inst = &l->source->insts[index];
	struct glc_builder *b = &l->b;
	bool any_phi = false;

	glc_scope_end(b, top(l)->scope);
	for (uint32_t i = index + 1; i < l->source->inst_count && l->source->insts[i].op == GLC_OP_Phi; i++)
		any_phi = any_phi || glc_lower_is_live(l, i);
	/* Nothing came of either arm: take the If and Else back. */
	if (b->optimize && !any_phi && !(inst->mods & GLC_MOD_UNREACHABLE) &&
	    b->insts.count == top(l)->head + 2) {
		b->insts.count = top(l)->head;
		if (b->chain.count > b->insts.count)
			b->chain.count = b->insts.count;
	} else {
		glc_end_if(b, inst->mods & GLC_MOD_OPEN, inst->mods & GLC_MOD_UNREACHABLE);
	}
	l->frames.count--;
}

/* The slots that live Phis behind `index` read, into l->slots. */
static void collect_slots(struct lower *l, uint32_t index, uint32_t *first, uint32_t *count)
{
	*first = l->slots.count;
	for (index++; index < l->source->inst_count && l->source->insts[index].op == GLC_OP_Phi; index++) {
		uint32_t *slot;

		if (!glc_lower_is_live(l, index))
			continue;
		slot = GLC_PUSH(l->memory, &l->slots);
		if (!slot) {
			l->b.failed = true;
			return;
		}
		*slot = l->source->insts[index].arg[0];
	}
	*count = l->slots.count - *first;
}

bool glc_lower_is_invariant(const struct lower *l, uint32_t index)
{
	const struct glc_inst *phi = &l->source->insts[index];

	return l->b.optimize && (phi->arg[1] == index || phi->arg[1] == GLC_NO_VALUE || phi->arg[1] == phi->arg[0]);
}

struct frame *glc_lower_push_loop(struct lower *l, uint32_t index)
{
	struct frame *frame = push_frame(l, index);

	collect_slots(l, l->source->insts[index].arg[1], &frame->exit_slots, &frame->exit_count);
	return frame;
}

void glc_lower_pop_loop(struct lower *l, struct glc_inst *end)
{
	struct frame *frame = top(l);
	glc_value at;

	end->arg[2] = frame->first_break;
	glc_scope_end(&l->b, frame->scope);
	/* Append first, then look the head up: appending may move the array. */
	at = glc_append(&l->b, end);
	l->b.insts.at[frame->head].arg[1] = at;
	l->slots.count = frame->exit_slots;
	l->frames.count--;
}

static uint32_t begin_loop(struct lower *l, uint32_t index)
{
	struct glc_inst loop = l->source->insts[index];
	struct frame *frame = glc_lower_push_loop(l, index);
	struct glc_builder *b = &l->b;

	collect_slots(l, loop.arg[2], &frame->next_slots, &frame->next_count);
	loop.arg[0] = frame->exit_count > frame->next_count ? frame->exit_count : frame->next_count;
	frame->head = glc_append(b, &loop);
	for (index++; l->source->insts[index].op == GLC_OP_Phi; index++) {
		struct glc_inst phi = l->source->insts[index];

		if (!glc_lower_is_live(l, index))
			continue;
		phi.arg[0] = glc_lower_mapped(l, phi.arg[0]);
		phi.arg[1] = phi.arg[2] = GLC_NO_VALUE;
		l->map[index] = glc_lower_is_invariant(l, index) ? phi.arg[0] : glc_append(b, &phi);
	}
	frame->scope = glc_scope_begin(b);
	return index;
}

/* The values that an edge carries: the slots that are read, of its list in the source. */
static uint32_t copy_list(struct lower *l, uint32_t list, uint32_t first, uint32_t count)
{
	uint32_t at = l->b.edge_values.count;

	for (uint32_t i = 0; i < count; i++)
		glc_lower_edge_value(&l->b, glc_lower_mapped(l, l->source->edge_values[list + l->slots.at[first + i]]));
	return at;
}

static void copy_edge(struct lower *l, const struct glc_inst *source)
{
	bool leaves = source->op == GLC_OP_Break;
	struct glc_inst edge = *source;
	struct frame *frame = NULL;
	glc_value *first, *last, copy;

	for (uint32_t i = l->frames.count; i-- > 0 && !frame;)
		if (l->source->insts[l->frames.at[i].source].op == GLC_OP_Loop)
			frame = &l->frames.at[i];
	if (!frame)
		return;
	edge.arg[0] = leaves ? copy_list(l, edge.arg[0], frame->exit_slots, frame->exit_count)
			     : copy_list(l, edge.arg[0], frame->next_slots, frame->next_count);
	if (frame->goes_on) {
		/* Nothing goes on, from whatever values. */
		for (uint32_t i = 0; i < frame->heads; i++)
			glc_lower_edge_value(&l->b, GLC_NO_VALUE);
		glc_lower_edge_value(&l->b, glc_const_bits(&l->b, GLC_BOOL, 0));
	}
	edge.arg[1] = GLC_NO_VALUE;
	copy = glc_append(&l->b, &edge);
	first = leaves ? &frame->first_break : &frame->first_continue;
	last = leaves ? &frame->last_break : &frame->last_continue;
	if (*first == GLC_NO_VALUE)
		*first = copy;
	else
		l->b.insts.at[*last].arg[1] = copy;
	*last = copy;
}

/* The Phis behind Continuing and EndLoop: their slots are numbered anew. */
static uint32_t copy_slot_phis(struct lower *l, uint32_t index)
{
	uint32_t slot = 0;

	for (index++; index < l->source->inst_count && l->source->insts[index].op == GLC_OP_Phi; index++) {
		struct glc_inst phi = l->source->insts[index];

		if (!glc_lower_is_live(l, index))
			continue;
		phi.arg[0] = slot++;
		l->map[index] = glc_append(&l->b, &phi);
	}
	return index;
}

static uint32_t begin_continuing(struct lower *l, uint32_t index)
{
	struct glc_inst inst = l->source->insts[index];
	struct frame *frame = top(l);

	inst.arg[0] = frame->first_continue;
	if (inst.mods & GLC_MOD_OPEN)
		inst.arg[1] = copy_list(l, inst.arg[1], frame->next_slots, frame->next_count);
	if (frame->first_continue != GLC_NO_VALUE || !(inst.mods & GLC_MOD_OPEN)) {
		glc_scope_end(&l->b, frame->scope);
		frame->scope = glc_scope_begin(&l->b);
	}
	frame->continuing = glc_append(&l->b, &inst);
	l->b.insts.at[frame->head].arg[2] = frame->continuing;
	return copy_slot_phis(l, index);
}

static uint32_t end_loop(struct lower *l, uint32_t index)
{
	struct glc_inst inst = l->source->insts[index];
	struct frame *frame = top(l);
	struct glc_builder *b = &l->b;

	for (uint32_t i = frame->source + 1; l->source->insts[i].op == GLC_OP_Phi; i++)
		if (glc_lower_is_live(l, i) && !glc_lower_is_invariant(l, i))
			b->insts.at[l->map[i]].arg[1] = glc_lower_mapped(l, l->source->insts[i].arg[1]);
	if (inst.arg[0] != GLC_NO_VALUE) {
		inst.arg[0] = glc_lower_mapped(l, inst.arg[0]);
		inst.arg[1] = copy_list(l, inst.arg[1], frame->exit_slots, frame->exit_count);
	}
	glc_lower_pop_loop(l, &inst);
	return copy_slot_phis(l, index);
}

uint32_t glc_lower_copy(struct lower *l, uint32_t index)
{
	const struct glc_inst *inst = &l->source->insts[index];
	struct frame *frame;
	glc_value condition;
	uint32_t next;

	l->b.pos = inst->pos;
	switch (inst->op) {
	case GLC_OP_If:
		condition = glc_lower_mapped(l, inst->arg[0]);
		next = inline_if(l, index, condition);
		if (next)
			return next;
		frame = push_frame(l, index);
		frame->head = glc_if(&l->b, condition);
		frame->scope = glc_scope_begin(&l->b);
		return index + 1;
	case GLC_OP_Else:
		if (top(l)->inlined)
			return end_inlined(l, index);
		glc_scope_end(&l->b, top(l)->scope);
		glc_else(&l->b, inst->mods & GLC_MOD_OPEN);
		top(l)->scope = glc_scope_begin(&l->b);
		return index + 1;
	case GLC_OP_EndIf:
		if (top(l)->inlined)
			return end_inlined(l, index);
		end_if(l, index);
		return index + 1;
	case GLC_OP_Loop:
		next = glc_unroll(l, index);
		return next ? next : begin_loop(l, index);
	case GLC_OP_Continuing:
		return begin_continuing(l, index);
	case GLC_OP_EndLoop:
		return end_loop(l, index);
	case GLC_OP_Break:
	case GLC_OP_Continue:
		copy_edge(l, inst);
		return index + 1;
	case GLC_OP_Return:
		glc_append(&l->b, inst);
		return index + 1;
	case GLC_OP_Phi:   /* of an EndIf: the others are copied with their structure */
		if (glc_lower_is_live(l, index))
			l->map[index] = glc_phi(&l->b, inst->type, glc_lower_mapped(l, inst->arg[0]),
						glc_lower_mapped(l, inst->arg[1]));
		return index + 1;
	default:
		if (glc_lower_is_live(l, index))
			l->map[index] = glc_lower_inst(l, inst);
		else if (glc_lower_is_refused(inst))
			glc_lower_refuse(l, inst);
		return index + 1;
	}
}

static void retype_objects(struct lower *l)
{
	if (!l->spirv || (l->target->features & GLACIER_FEATURE_ATOMIC_FLOAT_ADD))
		return;
	for (uint32_t i = 0; i < l->kernel->object_count; i++)
		if (l->kernel->objects[i].atomic && l->kernel->objects[i].type == GLC_F32)
			l->kernel->objects[i].type = GLC_U32;
}

static bool lower_kernel(struct lower *l, bool optimize)
{
	const struct glc_kernel *source = l->source;
	struct glc_live live;

	*l->kernel = *source;
	l->kernel->objects = glc_bump(l->memory, (size_t)source->object_count * sizeof *source->objects);
	l->map = glc_bump(l->memory, (size_t)source->inst_count * sizeof *l->map);
	if (!l->kernel->objects || !l->map)
		return false;
	memcpy(l->kernel->objects, source->objects, (size_t)source->object_count * sizeof *source->objects);
	retype_objects(l);
	l->live = NULL;
	if (optimize) {
		if (!glc_live_find(source, l->memory, &live))
			return false;
		l->live = &live;
	}
	glc_builder_restart(&l->b, source->inst_count);
	l->b.objects = l->kernel->objects;
	l->frames.count = l->slots.count = 0;
	for (uint32_t i = 0; i < source->inst_count && !l->b.failed;)
		i = glc_lower_copy(l, i);
	l->kernel->insts = l->b.insts.at;
	l->kernel->inst_count = l->b.insts.count;
	l->kernel->edge_values = l->b.edge_values.at;
	l->kernel->edge_value_count = l->b.edge_values.count;
	return !l->b.failed;
}

enum glacier_status glc_lower(const struct glc_ir *ir, const struct glacier_target *target,
			      enum glc_lowering how, struct glacier_memory *memory, struct glc_ir *out,
			      struct glacier_diag *diag)
{
	struct lower l = {
		.ir = ir,
		.target = target,
		.diag = diag,
		.memory = memory,
		.spirv = target->kind == GLACIER_TARGET_SPIRV,
		.cpu = target->kind == GLACIER_TARGET_KIND_COUNT,
		.unroll = how == GLC_LOWER_UNROLLED,
	};
	uint32_t largest = 0;
	bool good = true;

	for (uint32_t i = 0; i < ir->kernel_count; i++)
		if (ir->kernels[i].inst_count > largest)
			largest = ir->kernels[i].inst_count;
	*out = *ir;
	out->memory = memory;
	out->kernels = glc_bump(memory, (size_t)ir->kernel_count * sizeof *out->kernels);
	if (!out->kernels || !glc_builder_init(&l.b, memory, how != GLC_LOWER_PLAIN, largest > ir->const_count ? largest : ir->const_count))
		return glc_fail(diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	/* The same numbers for the same constants: values that are constants need no mapping. */
	for (uint32_t i = 0; i < ir->const_count; i++)
		glc_const_bits(&l.b, ir->consts[i].type, ir->consts[i].bits);
	for (uint32_t i = 0; i < ir->kernel_count && good; i++) {
		l.source = &ir->kernels[i];
		l.kernel = &out->kernels[i];
		good = lower_kernel(&l, how != GLC_LOWER_PLAIN);
	}
	if (!good)
		return glc_fail(diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	out->consts = l.b.consts.at;
	out->const_count = l.b.consts.count;
	return l.status;
}
