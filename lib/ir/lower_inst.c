/* SPDX-License-Identifier: MIT */
/* One instruction at a time: said by simpler ones where the target does not have it. */
#include "ir/lower_inst.h"

#include "ir/expand.h"
#include "ir/math.h"

void glc_lower_refuse(struct lower *l, const struct glc_inst *inst)
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

glc_value glc_lower_edge_value(struct glc_builder *b, glc_value value)
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
	end.arg[1] = glc_lower_edge_value(b, got);
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
		glc_lower_refuse(l, inst);
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
			glc_lower_refuse(l, inst);
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
bool glc_lower_is_refused(const struct glc_inst *inst)
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
	case GLC_OP_Exp:
	case GLC_OP_Exp2:
	case GLC_OP_Log:
	case GLC_OP_Log2:
	case GLC_OP_Tanh: return inst->type == GLC_F32;
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

glc_value glc_lower_inst(struct lower *l, const struct glc_inst *source)
{
	struct glc_inst inst = *source;
	glc_value value;

	l->b.pos = source->pos;
	for (int i = 0; i < 4; i++)
		inst.arg[i] = glc_lower_mapped(l, inst.arg[i]);
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
	if (glc_lower_is_refused(&inst)) {
		glc_lower_refuse(l, source);
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
