/* SPDX-License-Identifier: MIT */
/*
 * Every value is visible from the instruction that makes it to the end of its region: a
 * stamp by instruction says in which region, and the open regions are a stack. What has
 * left through the end of its region can only be named by the Phis of that end.
 */
#include "ir/verify.h"

#include <stddef.h>

struct region {
	uint32_t head;         /* the If, Else, Loop or Continuing that opened it */
	uint32_t number;
	bool ended;            /* by Break, Continue or Return: only the region's end may follow */
	bool is_loop, continuing, edges;
};

struct verifier {
	const struct glc_ir *ir;
	const struct glc_kernel *kernel;
	struct glacier_memory *memory;
	GLC_ARRAY(struct region) open;
	uint32_t *home;        /* by instruction: the number of its region */
	uint8_t *closed;       /* by number of a region */
	uint32_t regions, index, owner;
	const char *rule;
};

static void broken(struct verifier *v, const char *rule)
{
	if (!v->rule)
		v->rule = rule;
}

static struct region *top(struct verifier *v)
{
	return &v->open.at[v->open.count - 1];
}

static void enter(struct verifier *v, bool is_loop, bool continuing)
{
	struct region *region = GLC_PUSH(v->memory, &v->open);

	if (!region) {
		broken(v, "memory ran out");
		return;
	}
	*region = (struct region){
		.head = v->index, .number = ++v->regions, .is_loop = is_loop, .continuing = continuing};
}

static void leave(struct verifier *v)
{
	if (v->open.count < 2) {
		broken(v, "a region ends that was not begun");
		return;
	}
	v->closed[top(v)->number] = 1;
	v->open.count--;
}

static void check_value(struct verifier *v, glc_value value, bool may_be_later)
{
	if (value == GLC_NO_VALUE)
		return;
	if (glc_is_const(value)) {
		if ((value & ~GLC_CONST_BIT) >= v->ir->const_count)
			broken(v, "a constant that does not exist");
		return;
	}
	if (value >= v->kernel->inst_count)
		broken(v, "a value that does not exist");
	else if (!may_be_later && value >= v->index)
		broken(v, "a value is used before it is made");
	else if (!may_be_later && v->closed[v->home[value]])
		broken(v, "a value is used outside of its region");
}

/* The value that comes into a Phi by an edge: visible there, which the edge's own check said. */
static void check_phi(struct verifier *v)
{
	uint32_t owner_op = v->kernel->insts[v->owner].op;
	const struct glc_inst *phi = &v->kernel->insts[v->index];
	uint32_t ways = 0;

	if (owner_op != GLC_OP_EndIf && owner_op != GLC_OP_Loop && owner_op != GLC_OP_Continuing &&
	    owner_op != GLC_OP_EndLoop) {
		broken(v, "a Phi that does not stand behind the end or head of a region");
		return;
	}
	for (struct glc_ways w = glc_ways(v->kernel, v->owner, v->index); glc_way(&w); ways++) {
		bool back = owner_op == GLC_OP_Loop && w.edge == 1;

		if (!glc_is_const(w.value) && w.value >= v->kernel->inst_count)
			broken(v, "a Phi takes a value that does not exist");
		else if (!back && !glc_is_const(w.value) && w.value >= v->index)
			broken(v, "a Phi takes a value that is not made yet");
		else if (glc_type_of(v->ir, v->kernel, w.value) != phi->type)
			broken(v, "a Phi joins values of different types");
	}
	if (!ways)
		broken(v, "a Phi that nothing comes into");
}

static void check_operands(struct verifier *v)
{
	const struct glc_inst *inst = &v->kernel->insts[v->index];
	const struct glc_op_facts *facts = &glc_ops[inst->op];
	uint32_t arg = 0;

	for (uint32_t i = 0; i < facts->operand_count; i++) {
		char letter = facts->operands[i];
		glc_value value;
		enum glc_type type, want;

		if (letter == 'g' || letter == 'h' || letter == 'm' || letter == 'l' || letter == 'k') {
			if (inst->object >= v->kernel->object_count)
				broken(v, "an object that does not exist");
			continue;
		}
		value = inst->arg[arg++];
		if (value == GLC_NO_VALUE) {
			broken(v, "an operand is missing");
			return;
		}
		check_value(v, value, false);
		if (v->rule)
			return;
		type = glc_type_of(v->ir, v->kernel, value);
		want = letter == 'b'   ? GLC_BOOL
		       : letter == 'u' ? GLC_U32
		       : letter == 'e' ? GLC_I32
		       : letter == 's' ? GLC_U32
		       : letter == 'i' ? (inst->from == GLC_U64 ? GLC_U64 : GLC_U32)
		       : facts->flags & GLC_TWO || facts->result == 'B' || facts->result == 'W' ? inst->from
											       : inst->type;
		if (type != want)
			broken(v, "an operand of the wrong type");
	}
}

static void mark_edges(struct verifier *v)
{
	for (uint32_t i = v->open.count; i-- > 0;)
		if (v->open.at[i].is_loop) {
			if (v->open.at[i].continuing)
				broken(v, "a Break or Continue behind Continuing");
			v->open.at[i].edges = v->open.at[i].edges ||
					      v->kernel->insts[v->index].op == GLC_OP_Continue;
			return;
		}
	broken(v, "a Break or Continue outside of a loop");
}

static void check_structure(struct verifier *v, const struct glc_inst *inst)
{
	bool ended = top(v)->ended, loop_edges;

	switch (inst->op) {
	case GLC_OP_If:
		check_operands(v);
		enter(v, false, false);
		return;
	case GLC_OP_Else:
	case GLC_OP_EndIf:
		if (v->kernel->insts[top(v)->head].op != (inst->op == GLC_OP_Else ? GLC_OP_If : GLC_OP_Else))
			broken(v, "an Else or EndIf without its If");
		if (!ended != !!(inst->mods & GLC_MOD_OPEN))
			broken(v, "an arm's end is marked wrongly");
		leave(v);
		if (inst->op == GLC_OP_Else)
			enter(v, false, false);
		else if (inst->mods & GLC_MOD_UNREACHABLE)
			top(v)->ended = true;
		return;
	case GLC_OP_Loop:
		/* The head's Phis are visible in the whole loop, what the body makes is not. */
		enter(v, false, false);
		enter(v, true, false);
		return;
	case GLC_OP_Continuing:
		if (!top(v)->is_loop || top(v)->continuing)
			broken(v, "Continuing without its Loop");
		if (!ended != !!(inst->mods & GLC_MOD_OPEN))
			broken(v, "the end of a loop's body is marked wrongly");
		loop_edges = top(v)->edges;
		/* With a Continue, or without the body's end, what the body made is not visible here. */
		if (loop_edges || ended) {
			uint32_t head = top(v)->head;

			leave(v);
			enter(v, true, true);
			top(v)->head = head;
		}
		top(v)->continuing = true;
		top(v)->ended = false;
		return;
	case GLC_OP_EndLoop:
		if (!top(v)->is_loop || !top(v)->continuing)
			broken(v, "EndLoop without its Continuing");
		check_value(v, inst->arg[0], false);
		leave(v);
		leave(v);
		if (inst->mods & GLC_MOD_UNREACHABLE)
			top(v)->ended = true;
		return;
	case GLC_OP_Break:
	case GLC_OP_Continue:
		mark_edges(v);
		top(v)->ended = true;
		return;
	default:   /* Return */
		top(v)->ended = true;
	}
}

static bool ends_region(enum glc_op op)
{
	return op == GLC_OP_Else || op == GLC_OP_EndIf || op == GLC_OP_Continuing || op == GLC_OP_EndLoop;
}

static void check_inst(struct verifier *v)
{
	const struct glc_inst *inst = &v->kernel->insts[v->index];

	if (top(v)->ended && !ends_region(inst->op)) {
		broken(v, "an instruction that nothing reaches");
		return;
	}
	if (inst->op == GLC_OP_Phi) {
		check_phi(v);
		v->home[v->index] = v->kernel->insts[v->owner].op == GLC_OP_Loop
					    ? v->open.at[v->open.count - 2].number
					    : top(v)->number;
		return;
	}
	v->owner = v->index;
	if ((inst->op >= GLC_OP_If && inst->op <= GLC_OP_Continue) || inst->op == GLC_OP_Return)
		check_structure(v, inst);
	else
		check_operands(v);
	if (!v->rule)
		v->home[v->index] = top(v)->number;
}

static void check_kernel(struct verifier *v)
{
	v->home = glc_bump_zero(v->memory, (size_t)v->kernel->inst_count * sizeof *v->home);
	v->closed = glc_bump_zero(v->memory, 3 * (size_t)v->kernel->inst_count + 3);
	v->open.count = v->regions = 0;
	v->index = v->owner = 0;
	if (!v->home || !v->closed) {
		broken(v, "memory ran out");
		return;
	}
	enter(v, false, false);
	for (; v->index < v->kernel->inst_count && !v->rule; v->index++)
		check_inst(v);
	if (!v->rule && v->open.count != 1)
		broken(v, "a region that does not end");
	if (!v->rule && !top(v)->ended)
		broken(v, "the kernel ends without Return");
}

struct glc_verdict glc_ir_verify(const struct glc_ir *ir, struct glacier_memory *memory)
{
	struct verifier v = {.ir = ir, .memory = memory};
	struct glc_mark mark = glc_bump_mark(memory);
	struct glc_verdict verdict = {0};

	for (uint32_t i = 0; i < ir->kernel_count && !v.rule; i++) {
		v.kernel = &ir->kernels[i];
		check_kernel(&v);
		verdict.kernel = i;
		verdict.index = v.index ? v.index - 1 : 0;
	}
	glc_bump_release(memory, mark);
	verdict.rule = v.rule;
	return verdict;
}
