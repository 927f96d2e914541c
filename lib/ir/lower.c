/* SPDX-License-Identifier: MIT */
/*
 * One pass over each kernel: copy what is needed, say by simpler instructions what the
 * target does not have. The copy goes through the builder, so what an expansion makes is
 * folded and shared like everything else.
 */
#include "ir/lower.h"

#include "ir/expand.h"
#include "ir/live.h"
#include "ir/math.h"

#include <string.h>

struct frame {
	uint32_t source;           /* the If or Loop in the source kernel */
	glc_value head;            /* its copy */
	uint32_t scope;
	bool inlined;              /* an If with a known condition: only one arm is copied */
	/* Loop: which slots of its edges are read, and the chains of copied edges */
	uint32_t exit_slots, exit_count, next_slots, next_count;   /* in lower.slots */
	glc_value first_break, last_break, first_continue, last_continue;
	glc_value continuing;
};

struct lower {
	const struct glc_ir *ir;
	const struct glc_kernel *source;
	const struct glacier_target *target;
	struct glacier_diag *diag;
	struct glacier_memory *memory;
	struct glc_kernel *kernel;        /* being made */
	struct glc_builder b;
	glc_value *map;                   /* by source instruction */
	const struct glc_live *live;      /* NULL: everything is copied */
	GLC_ARRAY(struct frame) frames;
	GLC_ARRAY(uint32_t) slots;
	enum glacier_status status;
	bool spirv, cpu;
};

static glc_value mapped(const struct lower *l, glc_value value)
{
	return value == GLC_NO_VALUE || glc_is_const(value) ? value : l->map[value];
}

static void refuse(struct lower *l, const struct glc_inst *inst)
{
	/* Of atomics and fences no type is refused, but the widest scope. */
	const char *form = glc_ops[inst->op].flags & GLC_SCOPE ? "system" : glc_types[inst->from].name;
	char name[64];
	enum glacier_status status;

	glacier_target_name(l->target, name, sizeof name);
	status = glc_fail(l->diag, GLC_GA_REFUSED, inst->pos, glc_op_name(inst->op), form, name);
	if (l->status == GLACIER_OK)
		l->status = status;
}

/* --- Ids ----------------------------------------------------------------- */

static glc_value id(struct lower *l, enum glc_op op, uint32_t dimension)
{
	struct glc_inst inst = {
		.op = op,
		.type = GLC_U32,
		.detail = (uint8_t)dimension,
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	/* In a dimension of one there is only one place. */
	if (op == GLC_OP_LocalId && l->b.optimize && l->kernel->workgroup[dimension].value == 1 &&
	    l->kernel->workgroup[dimension].spec == GLC_NO_VALUE)
		return glc_const_u32(&l->b, 0);
	return glc_emit_inst(&l->b, &inst);
}

static glc_value workgroup_size(struct lower *l, uint32_t dimension)
{
	struct glc_extent extent = l->kernel->workgroup[dimension];
	struct glc_inst inst = {
		.op = GLC_OP_Spec,
		.type = GLC_U32,
		.from = GLC_U32,
		.object = (uint16_t)extent.spec,
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	return extent.spec == GLC_NO_VALUE || !l->spirv ? glc_const_u32(&l->b, extent.value)
							: glc_emit_inst(&l->b, &inst);
}

static glc_value add(struct lower *l, glc_value x, glc_value y)
{
	return glc_emit2(&l->b, GLC_OP_Add, GLC_U32, x, y);
}

static glc_value mul(struct lower *l, glc_value x, glc_value y)
{
	return glc_emit2(&l->b, GLC_OP_Mul, GLC_U32, x, y);
}

static glc_value local_index(struct lower *l)
{
	glc_value row = add(l, id(l, GLC_OP_LocalId, 1), mul(l, workgroup_size(l, 1), id(l, GLC_OP_LocalId, 2)));

	return add(l, id(l, GLC_OP_LocalId, 0), mul(l, workgroup_size(l, 0), row));
}

static bool lower_id(struct lower *l, const struct glc_inst *inst, glc_value *value)
{
	uint32_t d = inst->detail;
	struct glc_builder *b = &l->b;

	switch (inst->op) {
	case GLC_OP_LocalId:
		*value = id(l, inst->op, d);
		return true;
	case GLC_OP_WorkgroupSize:
		*value = workgroup_size(l, d);
		return true;
	case GLC_OP_GlobalSize:
		*value = mul(l, id(l, GLC_OP_GroupCount, d), workgroup_size(l, d));
		return true;
	default:
		break;
	}
	if (l->spirv || l->cpu)
		return false;
	/* PTX: subgroups are warps of 32, in the order of the local index; %warpid is not that. */
	switch (inst->op) {
	case GLC_OP_LocalIndex:
		*value = local_index(l);
		return true;
	case GLC_OP_SubgroupSize:
		*value = glc_const_u32(b, 32);
		return true;
	case GLC_OP_SubgroupId:
		*value = glc_expand_shift(b, GLC_OP_Shr, GLC_U32, local_index(l), glc_const_u32(b, 5));
		return true;
	case GLC_OP_LaneId:
		*value = glc_emit2(b, GLC_OP_And, GLC_U32, local_index(l), glc_const_u32(b, 31));
		return true;
	default:
		return false;
	}
}

/* --- Memory -------------------------------------------------------------- */

/* Held as integers of its width, because the target adds floats only by compare-and-exchange. */
static bool is_retyped(const struct lower *l, uint32_t object)
{
	return l->kernel->objects[object].type != l->source->objects[object].type;
}

static void lower_index(struct lower *l, struct glc_inst *inst)
{
	if (l->spirv && inst->from == GLC_U64) {
		/* A buffer has less than 2^32 elements there; beyond the end everything is undefined. */
		inst->arg[0] = glc_cvt(&l->b, GLC_U32, GLC_U64, inst->arg[0]);
		inst->from = GLC_U32;
	}
}

static glc_value lower_load(struct lower *l, struct glc_inst *inst)
{
	glc_value value;

	lower_index(l, inst);
	if (!is_retyped(l, inst->object))
		return glc_emit_inst(&l->b, inst);
	inst->type = l->kernel->objects[inst->object].type;
	value = glc_emit_inst(&l->b, inst);
	return glc_bitcast(&l->b, l->source->objects[inst->object].type, inst->type, value);
}

static glc_value lower_store(struct lower *l, struct glc_inst *inst)
{
	lower_index(l, inst);
	if (is_retyped(l, inst->object)) {
		enum glc_type from = inst->type;

		inst->type = l->kernel->objects[inst->object].type;
		inst->arg[1] = glc_bitcast(&l->b, inst->type, from, inst->arg[1]);
	}
	return glc_emit_inst(&l->b, inst);
}

static glc_value push_edge_value(struct glc_builder *b, glc_value value)
{
	glc_value *at = GLC_PUSH(b->memory, &b->edge_values);

	if (!at) {
		b->failed = true;
		return 0;
	}
	*at = value;
	return b->edge_values.count - 1;
}

/* The fence that orders what an atomic's order says, at the atomic's scope. */
static void atomic_fence(struct lower *l, const struct glc_inst *inst)
{
	bool shared = l->kernel->objects[inst->object].kind == GLC_OBJECT_SHARED;
	struct glc_inst fence = {
		.op = GLC_OP_Fence,
		.detail = (uint8_t)GLC_DETAIL_SCOPE(inst->detail),
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	if (fence.detail == GLC_SCOPE_NONE)
		fence.detail = shared ? GLC_SCOPE_WORKGROUP : GLC_SCOPE_DEVICE;
	glc_append(&l->b, &fence);
}

/*
 *	old = load; loop { got = compare_exchange(old, old + x); if got == old leave; old = got }
 *
 * The order is given by fences before and behind: once, not in each round. (llvmpipe also
 * loses the stores of subgroups that pass a memory barrier in a loop a different number of times.)
 */
static glc_value float_add_by_exchange(struct lower *l, struct glc_inst *inst)
{
	struct glc_builder *b = &l->b;
	struct glc_inst load = *inst, exchange = *inst, loop = {.op = GLC_OP_Loop}, phi = {.op = GLC_OP_Phi};
	struct glc_inst next = {.op = GLC_OP_Continuing}, end = {.op = GLC_OP_EndLoop};
	enum glc_order order = GLC_DETAIL_ORDER(inst->detail);
	glc_value old, sum, got, head, at;
	uint32_t scope;

	lower_index(l, inst);
	if (order == GLC_ORDER_RELEASE || order == GLC_ORDER_ACQREL)
		atomic_fence(l, inst);
	load.op = GLC_OP_AtomicLoad;
	load.type = GLC_U32;
	load.from = inst->from;
	load.arg[0] = inst->arg[0];
	load.arg[1] = GLC_NO_VALUE;
	load.detail = GLC_DETAIL(GLC_ORDER_RELAXED, GLC_DETAIL_SCOPE(inst->detail));
	load.mods = 0;
	old = glc_append(b, &load);

	loop.arg[0] = 1;
	head = glc_append(b, &loop);
	phi.type = phi.from = GLC_U32;
	phi.arg[0] = old;
	phi.arg[2] = phi.arg[3] = GLC_NO_VALUE;
	old = glc_append(b, &phi);
	scope = glc_scope_begin(b);
	sum = glc_emit2(b, GLC_OP_Add, GLC_F32, glc_bitcast(b, GLC_F32, GLC_U32, old), inst->arg[1]);
	exchange.op = GLC_OP_AtomicCompareExchange;
	exchange.type = GLC_U32;
	exchange.from = inst->from;
	exchange.detail = load.detail;
	exchange.mods = 0;
	exchange.arg[0] = inst->arg[0];
	exchange.arg[1] = old;
	exchange.arg[2] = glc_bitcast(b, GLC_U32, GLC_F32, sum);
	exchange.arg[3] = GLC_NO_VALUE;
	got = glc_append(b, &exchange);

	next.mods = GLC_MOD_OPEN;
	next.arg[0] = GLC_NO_VALUE;
	next.arg[1] = b->edge_values.count;
	next.arg[2] = 1;
	next.arg[3] = GLC_NO_VALUE;
	/* Append first, then look the head up: appending may move the array. */
	at = glc_append(b, &next);
	b->insts.at[head].arg[2] = at;
	end.arg[0] = glc_emit2(b, GLC_OP_Eq, GLC_U32, got, old);
	end.arg[1] = push_edge_value(b, got);
	end.arg[2] = end.arg[3] = GLC_NO_VALUE;
	glc_scope_end(b, scope);
	at = glc_append(b, &end);
	b->insts.at[head].arg[1] = at;
	b->insts.at[head].arg[3] = GLC_NO_VALUE;
	b->insts.at[old].arg[1] = got;
	phi.arg[0] = 0;   /* the slot */
	phi.arg[1] = GLC_NO_VALUE;
	got = glc_append(b, &phi);
	if (order == GLC_ORDER_ACQUIRE || order == GLC_ORDER_ACQREL)
		atomic_fence(l, inst);
	return glc_bitcast(b, GLC_F32, GLC_U32, got);
}

static glc_value lower_atomic_add(struct lower *l, struct glc_inst *inst)
{
	if (l->spirv && GLC_DETAIL_SCOPE(inst->detail) == GLC_SCOPE_SYSTEM) {
		refuse(l, inst);
		return glc_const_bits(&l->b, inst->type, 0);
	}
	if (is_retyped(l, inst->object))
		return float_add_by_exchange(l, inst);
	lower_index(l, inst);
	return glc_emit_inst(&l->b, inst);
}

/* --- Everything else ----------------------------------------------------- */

static glc_value lower_float_to_int(struct lower *l, const struct glc_inst *inst)
{
	struct glc_builder *b = &l->b;
	glc_value nan;

	if (l->spirv)
		return glc_expand_saturate(b, inst->type, inst->from, inst->arg[0]);
	if (l->cpu || (inst->from == GLC_F32 && glc_bits(inst->type) == 32))
		return glc_emit_inst(b, inst);
	/* PTX saturates, but gives 0x8000... for a NaN in all but the 32-bit case (PTX ISA, cvt). */
	nan = glc_emit1(b, GLC_OP_IsNan, inst->from, inst->arg[0]);
	return glc_select(b, inst->type, nan, glc_const_bits(b, inst->type, 0), glc_emit_inst(b, inst));
}

static glc_value lower_for_spirv(struct lower *l, struct glc_inst *inst)
{
	struct glc_builder *b = &l->b;
	enum glc_type type = inst->from;
	bool is64 = glc_bits(inst->type) == 64;

	switch (inst->op) {
	case GLC_OP_PopCount:
	case GLC_OP_CountLeadingZeros:
	case GLC_OP_CountTrailingZeros:
	case GLC_OP_ReverseBits:
		return is64 ? glc_expand_bits64(b, inst) : glc_emit_inst(b, inst);
	case GLC_OP_ExtractBits:
	case GLC_OP_InsertBits:
		return glc_expand_field(b, inst, is64);
	case GLC_OP_MulHi:
		return is64 ? glc_expand_mulhi64(b, type, inst->arg[0], inst->arg[1])
			    : glc_emit_inst(b, inst);
	case GLC_OP_MulWide:
		return glc_emit2(b, GLC_OP_Mul, inst->type, glc_cvt(b, inst->type, type, inst->arg[0]),
				 glc_cvt(b, inst->type, type, inst->arg[1]));
	case GLC_OP_IsFinite:
		return glc_emit2(b, GLC_OP_Lt, type, glc_emit1(b, GLC_OP_Abs, type, inst->arg[0]),
				 type == GLC_F32 ? glc_const_f32(b, __builtin_inff())
						 : glc_const_f64(b, __builtin_inf()));
	case GLC_OP_Fma:
		if (type == GLC_F32 && (l->target->features & GLACIER_FEATURE_SOFT_FMA))
			return glc_expand_fma32(b, inst->arg[0], inst->arg[1], inst->arg[2]);
		return glc_emit_inst(b, inst);
	case GLC_OP_Fence:
		if (inst->detail == GLC_SCOPE_SYSTEM)
			refuse(l, inst);
		return glc_append(b, inst);
	default:
		return glc_emit_inst(b, inst);
	}
}

static glc_value lower_for_ptx(struct lower *l, struct glc_inst *inst)
{
	struct glc_builder *b = &l->b;

	switch (inst->op) {
	case GLC_OP_Spec:
		return glc_const_bits(b, inst->type, l->source->objects[inst->object].spec_bits);
	case GLC_OP_ExtractBits:
	case GLC_OP_InsertBits:
		return glc_expand_field(b, inst, false);
	default:
		return glc_emit_inst(b, inst);
	}
}

/* Expansions and native forms exist for f32 alone, used or not: -O must not change what is refused. */
static bool is_refused(const struct glc_inst *inst)
{
	return (glc_is_transcendental(inst->op) || (inst->mods & GLC_MOD_APPROX)) && inst->type != GLC_F32;
}

/* The processor's loops have the language's meaning themselves, where that is faster. */
static bool has_cpu_loop(const struct glc_inst *inst)
{
	switch (inst->op) {
	case GLC_OP_Div:
	case GLC_OP_Rem: return !glc_is_float(inst->type);
	case GLC_OP_Shl:
	case GLC_OP_Shr: return true;
	default: return false;
	}
}

static glc_value lower_for_cpu(struct lower *l, struct glc_inst *inst)
{
	if (inst->op == GLC_OP_Spec)
		return glc_const_bits(&l->b, inst->type, l->source->objects[inst->object].spec_bits);
	if (inst->op == GLC_OP_InsertBits)
		return glc_expand_field(&l->b, inst, true);
	return glc_emit_inst(&l->b, inst);
}

static glc_value lower_inst(struct lower *l, const struct glc_inst *source)
{
	struct glc_inst inst = *source;
	glc_value value;

	l->b.pos = source->pos;
	for (int i = 0; i < 4; i++)
		inst.arg[i] = mapped(l, inst.arg[i]);
	switch (inst.op) {
	case GLC_OP_LoadGlobal:
	case GLC_OP_LoadShared:
	case GLC_OP_LoadLocal:
	case GLC_OP_LoadConst:
		return lower_load(l, &inst);
	case GLC_OP_StoreGlobal:
	case GLC_OP_StoreShared:
	case GLC_OP_StoreLocal:
		return lower_store(l, &inst);
	case GLC_OP_AtomicAdd:
		return lower_atomic_add(l, &inst);
	case GLC_OP_Cvt:
		if (glc_is_float(inst.from) && glc_is_int(inst.type))
			return lower_float_to_int(l, &inst);
		break;
	case GLC_OP_Rem:
		if (l->spirv && glc_is_signed(inst.type))
			return glc_expand_divide(&l->b, inst.op, inst.type, inst.arg[0], inst.arg[1], true);
		break;
	default:
		break;
	}
	if (is_refused(&inst)) {
		refuse(l, source);
		return glc_const_bits(&l->b, inst.type, 0);
	}
	/* The processor has no native forms. */
	if (l->cpu)
		inst.mods &= (uint8_t)~GLC_MOD_APPROX;
	if ((inst.mods & GLC_MOD_APPROX) || (l->cpu && has_cpu_loop(&inst)))
		return glc_emit_inst(&l->b, &inst);
	if (glc_is_transcendental(inst.op))
		return glc_math(&l->b, inst.op, inst.type, inst.arg[0], inst.arg[1]);
	if (glc_expand_common(&l->b, &inst, &value) || lower_id(l, &inst, &value))
		return value;
	return l->spirv ? lower_for_spirv(l, &inst) : l->cpu ? lower_for_cpu(l, &inst) : lower_for_ptx(l, &inst);
}

/* --- Structure ----------------------------------------------------------- */

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

static bool is_live(const struct lower *l, uint32_t index)
{
	return !l->live || glc_live_is(l->live, index);
}

/* From an If or Else to the Else or EndIf that belongs to it. */
static uint32_t arm_end(const struct lower *l, uint32_t index)
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

static bool has_edges(const struct lower *l, uint32_t from, uint32_t to)
{
	for (; from < to; from++)
		if (l->source->insts[from].op == GLC_OP_Break || l->source->insts[from].op == GLC_OP_Continue)
			return true;
	return false;
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
	middle = arm_end(l, index);
	end = arm_end(l, middle);
	if (!(l->source->insts[first ? middle : end].mods & GLC_MOD_OPEN) ||
	    has_edges(l, first ? middle : index, first ? end : middle))
		return 0;
	push_frame(l, index)->inlined = true;
	return first ? index + 1 : middle + 1;
}

/* Behind an inlined arm: its values are those of the join. */
static uint32_t end_inlined(struct lower *l, uint32_t index)
{
	bool first = l->source->insts[index].op == GLC_OP_Else;
	uint32_t end = first ? arm_end(l, index) : index;

	l->frames.count--;
	for (index = end + 1; index < l->source->inst_count && l->source->insts[index].op == GLC_OP_Phi; index++)
		l->map[index] = mapped(l, l->source->insts[index].arg[first ? 0 : 1]);
	return index;
}

static void end_if(struct lower *l, uint32_t index)
{
	const struct glc_inst *inst = &l->source->insts[index];
	struct glc_builder *b = &l->b;
	bool any_phi = false;

	glc_scope_end(b, top(l)->scope);
	for (uint32_t i = index + 1; i < l->source->inst_count && l->source->insts[i].op == GLC_OP_Phi; i++)
		any_phi = any_phi || is_live(l, i);
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

		if (!is_live(l, index))
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

/* A Phi behind Loop that changes nothing: its value is the one on entry. */
static bool is_invariant(const struct lower *l, uint32_t index)
{
	const struct glc_inst *phi = &l->source->insts[index];

	return l->b.optimize && (phi->arg[1] == index || phi->arg[1] == GLC_NO_VALUE || phi->arg[1] == phi->arg[0]);
}

static uint32_t begin_loop(struct lower *l, uint32_t index)
{
	struct glc_inst loop = l->source->insts[index];
	struct frame *frame = push_frame(l, index);
	struct glc_builder *b = &l->b;

	collect_slots(l, loop.arg[1], &frame->exit_slots, &frame->exit_count);
	collect_slots(l, loop.arg[2], &frame->next_slots, &frame->next_count);
	loop.arg[0] = frame->exit_count > frame->next_count ? frame->exit_count : frame->next_count;
	frame->head = glc_append(b, &loop);
	for (index++; l->source->insts[index].op == GLC_OP_Phi; index++) {
		struct glc_inst phi = l->source->insts[index];

		if (!is_live(l, index))
			continue;
		phi.arg[0] = mapped(l, phi.arg[0]);
		phi.arg[1] = phi.arg[2] = GLC_NO_VALUE;
		l->map[index] = is_invariant(l, index) ? phi.arg[0] : glc_append(b, &phi);
	}
	frame->scope = glc_scope_begin(b);
	return index;
}

/* The values that an edge carries: the slots that are read, of its list in the source. */
static uint32_t copy_list(struct lower *l, uint32_t list, uint32_t first, uint32_t count)
{
	uint32_t at = l->b.edge_values.count;

	for (uint32_t i = 0; i < count; i++)
		push_edge_value(&l->b, mapped(l, l->source->edge_values[list + l->slots.at[first + i]]));
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

		if (!is_live(l, index))
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
	glc_value at;

	for (uint32_t i = frame->source + 1; l->source->insts[i].op == GLC_OP_Phi; i++)
		if (is_live(l, i) && !is_invariant(l, i))
			b->insts.at[l->map[i]].arg[1] = mapped(l, l->source->insts[i].arg[1]);
	if (inst.arg[0] != GLC_NO_VALUE) {
		inst.arg[0] = mapped(l, inst.arg[0]);
		inst.arg[1] = copy_list(l, inst.arg[1], frame->exit_slots, frame->exit_count);
	}
	inst.arg[2] = frame->first_break;
	glc_scope_end(b, frame->scope);
	/* Append first, then look the head up: appending may move the array. */
	at = glc_append(b, &inst);
	b->insts.at[frame->head].arg[1] = at;
	l->slots.count = frame->exit_slots;
	l->frames.count--;
	return copy_slot_phis(l, index);
}

/* One instruction, or a run that belongs together. Gives the next. */
static uint32_t copy(struct lower *l, uint32_t index)
{
	const struct glc_inst *inst = &l->source->insts[index];
	struct frame *frame;
	glc_value condition;
	uint32_t next;

	l->b.pos = inst->pos;
	switch (inst->op) {
	case GLC_OP_If:
		condition = mapped(l, inst->arg[0]);
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
		return begin_loop(l, index);
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
		if (is_live(l, index))
			l->map[index] = glc_phi(&l->b, inst->type, mapped(l, inst->arg[0]),
						mapped(l, inst->arg[1]));
		return index + 1;
	default:
		if (is_live(l, index))
			l->map[index] = lower_inst(l, inst);
		else if (is_refused(inst))
			refuse(l, inst);
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
	glc_builder_restart(&l->b);
	l->b.objects = l->kernel->objects;
	l->frames.count = l->slots.count = 0;
	for (uint32_t i = 0; i < source->inst_count && !l->b.failed;)
		i = copy(l, i);
	l->kernel->insts = l->b.insts.at;
	l->kernel->inst_count = l->b.insts.count;
	l->kernel->edge_values = l->b.edge_values.at;
	l->kernel->edge_value_count = l->b.edge_values.count;
	return !l->b.failed;
}

/* --- When there is nothing to do ----------------------------------------- */

enum {
	IN_SPIRV = 1 << GLACIER_TARGET_SPIRV,
	IN_PTX = 1 << GLACIER_TARGET_PTX,
	IN_BOTH = IN_SPIRV | IN_PTX,
	BUT_INTS = 1 << 6,    /* not the forms on integers */
	CHECK_ARG = 1 << 7,   /* depends on an argument */
};

/* By opcode: where it is written as it is. */
static const uint8_t plain[GLC_OP_COUNT] = {
	[GLC_OP_Add] = IN_BOTH,         [GLC_OP_Sub] = IN_BOTH,         [GLC_OP_Mul] = IN_BOTH,
	[GLC_OP_Div] = IN_BOTH | BUT_INTS, [GLC_OP_Neg] = IN_BOTH,      [GLC_OP_Abs] = IN_BOTH,
	[GLC_OP_Min] = IN_BOTH,         [GLC_OP_Max] = IN_BOTH,         [GLC_OP_Sqrt] = IN_BOTH,
	[GLC_OP_Floor] = IN_BOTH,       [GLC_OP_Ceil] = IN_BOTH,        [GLC_OP_Trunc] = IN_BOTH,
	[GLC_OP_Round] = IN_BOTH,       [GLC_OP_Select] = IN_BOTH,      [GLC_OP_And] = IN_BOTH,
	[GLC_OP_Or] = IN_BOTH,          [GLC_OP_Xor] = IN_BOTH,         [GLC_OP_Not] = IN_BOTH,
	[GLC_OP_Eq] = IN_BOTH,          [GLC_OP_Ne] = IN_BOTH,          [GLC_OP_Lt] = IN_BOTH,
	[GLC_OP_Le] = IN_BOTH,          [GLC_OP_Gt] = IN_BOTH,          [GLC_OP_Ge] = IN_BOTH,
	[GLC_OP_IsNan] = IN_BOTH,       [GLC_OP_IsInf] = IN_BOTH,       [GLC_OP_Fma] = IN_PTX,
	[GLC_OP_LoadGlobal] = IN_BOTH | CHECK_ARG,  [GLC_OP_StoreGlobal] = IN_BOTH | CHECK_ARG,
	[GLC_OP_LoadShared] = IN_BOTH | CHECK_ARG,  [GLC_OP_StoreShared] = IN_BOTH | CHECK_ARG,
	[GLC_OP_ShflSyncBfly] = IN_BOTH, [GLC_OP_BarrierSync] = IN_BOTH, [GLC_OP_LocalId] = IN_BOTH,
	[GLC_OP_GlobalId] = IN_BOTH,    [GLC_OP_GroupId] = IN_BOTH,     [GLC_OP_GroupCount] = IN_BOTH,
	[GLC_OP_Param] = IN_BOTH,       [GLC_OP_Spec] = IN_SPIRV,       [GLC_OP_Phi] = IN_BOTH,
	[GLC_OP_Return] = IN_BOTH,      [GLC_OP_If] = IN_BOTH | CHECK_ARG,
	[GLC_OP_Else] = IN_BOTH,        [GLC_OP_EndIf] = IN_BOTH,
};

static bool argument_needs_lowering(const struct glc_inst *inst)
{
	return inst->op == GLC_OP_If ? glc_is_const(inst->arg[0]) : inst->from == GLC_U64;
}

static bool kernel_needs_lowering(const struct glc_kernel *kernel, uint8_t where, bool optimize,
				  uint8_t *used)
{
	for (uint32_t i = kernel->inst_count; i-- > 0;) {
		const struct glc_inst *inst = &kernel->insts[i];

		uint8_t how = plain[inst->op];

		if (!(how & where) || ((how & BUT_INTS) && glc_is_int(inst->from)) ||
		    ((how & CHECK_ARG) && argument_needs_lowering(inst)))
			return true;
		/* Users stand behind what they use: there are no loops among the plain ones. */
		if (!optimize)
			continue;
		if (!used[i] && glc_ops[inst->op].result != '-')
			return true;
		/* None of the plain ones takes more than three; an absent one counts as constant. */
		for (int a = 0; a < 3; a++)
			if (!glc_is_const(inst->arg[a]))
				used[inst->arg[a]] = 1;
	}
	return false;
}

bool glc_needs_lowering(const struct glc_ir *ir, const struct glacier_target *target, bool optimize,
			struct glacier_memory *memory)
{
	for (uint32_t i = 0; i < ir->kernel_count; i++) {
		uint8_t *used = glc_bump_zero(memory, ir->kernels[i].inst_count);

		if (!used ||
		    kernel_needs_lowering(&ir->kernels[i], (uint8_t)(1 << target->kind), optimize, used))
			return true;
	}
	return false;
}

enum glacier_status glc_lower(const struct glc_ir *ir, const struct glacier_target *target,
			      bool optimize, struct glacier_memory *memory, struct glc_ir *out,
			      struct glacier_diag *diag)
{
	struct lower l = {
		.ir = ir,
		.target = target,
		.diag = diag,
		.memory = memory,
		.spirv = target->kind == GLACIER_TARGET_SPIRV,
		.cpu = target->kind == GLACIER_TARGET_KIND_COUNT,
	};
	uint32_t largest = 0;
	bool good = true;

	for (uint32_t i = 0; i < ir->kernel_count; i++)
		if (ir->kernels[i].inst_count > largest)
			largest = ir->kernels[i].inst_count;
	*out = *ir;
	out->memory = memory;
	out->kernels = glc_bump(memory, (size_t)ir->kernel_count * sizeof *out->kernels);
	if (!out->kernels || !glc_builder_init(&l.b, memory, largest > ir->const_count ? largest : ir->const_count))
		return glc_fail(diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	l.b.optimize = optimize;
	/* The same numbers for the same constants: values that are constants need no mapping. */
	for (uint32_t i = 0; i < ir->const_count; i++)
		glc_const_bits(&l.b, ir->consts[i].type, ir->consts[i].bits);
	for (uint32_t i = 0; i < ir->kernel_count && good; i++) {
		l.source = &ir->kernels[i];
		l.kernel = &out->kernels[i];
		good = lower_kernel(&l, optimize);
	}
	if (!good)
		return glc_fail(diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	out->consts = l.b.consts.at;
	out->const_count = l.b.consts.count;
	return l.status;
}
