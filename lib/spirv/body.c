/* SPDX-License-Identifier: MIT */
/*
 * One walk over a kernel's instructions. Regions become SPIR-V's structured constructs one
 * to one; flow.c writes those, this file the instructions between.
 */
#include "spirv/flow.h"

#include <string.h>

/* SPIR-V's instruction by opcode and class of the suffix; 0 where a function decides. */
static const uint16_t table[GLC_OP_COUNT][GLC_CLASS_COUNT] = {
#define OP(name, operands, result, types, flags, f, s, u, b, ...) \
	[GLC_OP_##name] = {GLC_SPV_##f, GLC_SPV_##s, GLC_SPV_##u, GLC_SPV_##b},
#include "ir/ops.def"
#undef OP
};

/* The forms of .approx. */
static uint32_t native(enum glc_op op)
{
	switch (op) {
	case GLC_OP_Rsqrt: return GLC_SPV_G_InverseSqrt;
	case GLC_OP_Exp: return GLC_SPV_G_Exp;
	case GLC_OP_Exp2: return GLC_SPV_G_Exp2;
	case GLC_OP_Log: return GLC_SPV_G_Log;
	case GLC_OP_Log2: return GLC_SPV_G_Log2;
	case GLC_OP_Sin: return GLC_SPV_G_Sin;
	case GLC_OP_Cos: return GLC_SPV_G_Cos;
	case GLC_OP_Tanh: return GLC_SPV_G_Tanh;
	default: return 0;
	}
}

/* The id of the instruction that is written now. */
static uint32_t result(struct sp *sp, uint32_t index)
{
	return sp_value(sp, index);
}

/* The same bits under another of our types: no instruction, unless the id is promised. */
static void alias(struct sp *sp, uint32_t index, uint32_t type, uint32_t id)
{
	uint32_t *at;

	if (!sp->values[index]) {
		sp->values[index] = id;
		return;
	}
	at = sp_put(sp, &sp->code, GLC_SPV_CopyObject, 4);
	at[1] = type;
	at[2] = sp->values[index];
	at[3] = id;
}

static inline uint32_t emit1(struct sp *sp, uint32_t op, uint32_t type, uint32_t id, uint32_t a)
{
	uint32_t *at = sp_put(sp, &sp->code, op, 4);

	at[1] = type;
	at[2] = id;
	at[3] = a;
	return id;
}

static inline uint32_t emit2(struct sp *sp, uint32_t op, uint32_t type, uint32_t id, uint32_t a, uint32_t b)
{
	uint32_t *at = sp_put(sp, &sp->code, op, 5);

	at[1] = type;
	at[2] = id;
	at[3] = a;
	at[4] = b;
	return id;
}

static inline uint32_t emit3(struct sp *sp, uint32_t op, uint32_t type, uint32_t id, uint32_t a, uint32_t b,
		      uint32_t c)
{
	uint32_t *at = sp_put(sp, &sp->code, op, 6);

	at[1] = type;
	at[2] = id;
	at[3] = a;
	at[4] = b;
	at[5] = c;
	return id;
}

static uint32_t glsl1(struct sp *sp, uint32_t op, uint32_t type, uint32_t id, uint32_t a)
{
	uint32_t import = sp_glsl(sp);

	return emit3(sp, GLC_SPV_ExtInst, type, id, import, op & ~GLC_SPV_GLSL, a);
}

/* A product and a sum stay two roundings, and a fused one stays one: what NoContraction says. */
static inline bool is_contractible(uint32_t op)
{
	return op == GLC_SPV_FMul || op == GLC_SPV_FAdd || op == GLC_SPV_FSub || op == GLC_SPV_G_Fma;
}

/* Whatever the table says, with all arguments. */
static void from_table(struct sp *sp, const struct glc_inst *inst, uint32_t index, uint32_t op)
{
	uint32_t args[4], count = 0, head = op & GLC_SPV_GLSL ? 5 : 3, type, id, *at;

	while (count < 4 && inst->arg[count] != GLC_NO_VALUE) {
		args[count] = sp_value(sp, inst->arg[count]);
		count++;
	}
	type = sp_type(sp, inst->type);
	id = result(sp, index);
	at = sp_put(sp, &sp->code, op & GLC_SPV_GLSL ? GLC_SPV_ExtInst : op, head + count);
	at[1] = type;
	at[2] = id;
	if (op & GLC_SPV_GLSL) {
		at[3] = sp_glsl(sp);
		at[4] = op & ~GLC_SPV_GLSL;
	}
	for (uint32_t i = 0; i < count; i++)
		at[head + i] = args[i];
	if (is_contractible(op))
		sp_decorate(sp, id, GLC_SPV_NO_CONTRACTION);
}

/* A row of the table with two arguments and nothing else to it, as most instructions are. */
static inline uint32_t plain_op(const struct glc_inst *inst)
{
	uint32_t op = table[inst->op][glc_types[inst->from].klass];

	return op - 1 < GLC_SPV_GLSL - 1 && !(inst->mods & GLC_MOD_APPROX) && inst->arg[1] != GLC_NO_VALUE &&
			       inst->arg[2] == GLC_NO_VALUE
		       ? op
		       : 0;
}

/* An argument of an instruction that stands behind what makes it: no id is promised here. */
static inline uint32_t argument(struct sp *sp, glc_value value)
{
	return glc_is_const(value) ? sp_const(sp, value) : sp->values[value];
}

/* The run of them that begins at index. Gives the next index. */
static uint32_t plain_run(struct sp *sp, uint32_t index)
{
	const struct glc_inst *inst = &sp->kernel->insts[index];
	uint32_t count = sp->kernel->inst_count, *values = sp->values, *code, *decorations;
	uint32_t first = 0, type = 0, id;
	uint64_t last = UINT64_MAX;   /* what the first word and the type depend on */
	bool contractible = false;

	/* Room for all that follow, asked for once. */
	if (!GLC_RESERVE(sp->memory, &sp->code, 5 * (count - index)) ||
	    !GLC_RESERVE(sp->memory, &sp->decorations, 3 * (count - index))) {
		sp->failed = true;
		return count;
	}
	code = sp->code.at + sp->code.count;
	decorations = sp->decorations.at + sp->decorations.count;
	for (; index < count; inst++, index++, code += 5) {
		uint64_t head = glc_inst_head(inst);

		if (head != last) {
			uint32_t op = plain_op(inst);

			if (!op)
				break;
			last = head;
			first = 5u << 16 | op;
			type = sp_type(sp, inst->type);
			contractible = is_contractible(op);
		}
		code[0] = first;
		code[1] = type;
		code[3] = argument(sp, inst->arg[0]);
		code[4] = argument(sp, inst->arg[1]);
		id = values[index] ? values[index] : sp_id(sp);
		values[index] = id;
		code[2] = id;
		if (!contractible)
			continue;
		decorations[0] = 3u << 16 | GLC_SPV_Decorate;
		decorations[1] = id;
		decorations[2] = GLC_SPV_NO_CONTRACTION;
		decorations += 3;
	}
	sp->code.count = (uint32_t)(code - sp->code.at);
	sp->decorations.count = (uint32_t)(decorations - sp->decorations.at);
	return index;
}

/* --- Bits ---------------------------------------------------------------- */

static void count_zeros(struct sp *sp, const struct glc_inst *inst, uint32_t index)
{
	uint32_t type = sp_type(sp, GLC_U32), x = sp_value(sp, inst->arg[0]), found, limit;

	if (inst->op == GLC_OP_CountLeadingZeros) {
		/* 31 - the highest bit's number, which is -1 when there is none. */
		limit = sp_const_u32(sp, 31);
		found = glsl1(sp, GLC_SPV_G_FindUMsb, type, sp_id(sp), x);
		emit2(sp, GLC_SPV_ISub, type, result(sp, index), limit, found);
		return;
	}
	/* The lowest bit's number, -1 (the largest u32) when there is none. */
	limit = sp_const_u32(sp, 32);
	found = glsl1(sp, GLC_SPV_G_FindILsb, type, sp_id(sp), x);
	{
		uint32_t import = sp_glsl(sp), id = result(sp, index), *at;

		at = sp_put(sp, &sp->code, GLC_SPV_ExtInst, 7);
		at[1] = type;
		at[2] = id;
		at[3] = import;
		at[4] = GLC_SPV_G_UMin & ~GLC_SPV_GLSL;
		at[5] = found;
		at[6] = limit;
	}
}

static void mul_high(struct sp *sp, const struct glc_inst *inst, uint32_t index)
{
	uint32_t a = sp_value(sp, inst->arg[0]), b = sp_value(sp, inst->arg[1]);
	uint32_t type = sp_type(sp, GLC_U32), pair = sp_pair(sp);
	uint32_t op = glc_is_signed(inst->type) ? GLC_SPV_SMulExtended : GLC_SPV_UMulExtended;

	pair = emit2(sp, op, pair, sp_id(sp), a, b);
	emit2(sp, GLC_SPV_CompositeExtract, type, result(sp, index), pair, 1);
}

/* --- Conversions --------------------------------------------------------- */

static void convert(struct sp *sp, const struct glc_inst *inst, uint32_t index)
{
	enum glc_type to = inst->type, from = inst->from;
	uint32_t op;

	if (glc_is_float(to))
		op = glc_is_float(from)	   ? GLC_SPV_FConvert
		     : glc_is_signed(from) ? GLC_SPV_ConvertSToF
					   : GLC_SPV_ConvertUToF;
	else if (glc_is_float(from))
		op = glc_is_signed(to) ? GLC_SPV_ConvertFToS : GLC_SPV_ConvertFToU;
	else
		op = glc_is_signed(from) ? GLC_SPV_SConvert : GLC_SPV_UConvert;
	from_table(sp, inst, index, op);
}

static void bitcast(struct sp *sp, const struct glc_inst *inst, uint32_t index)
{
	if (glc_is_float(inst->type) == glc_is_float(inst->from))
		alias(sp, index, sp_type(sp, inst->type), sp_value(sp, inst->arg[0]));
	else
		from_table(sp, inst, index, GLC_SPV_Bitcast);
}

/* --- Ids and parameters -------------------------------------------------- */

static void built_in(struct sp *sp, const struct glc_inst *inst, uint32_t index)
{
	static const uint8_t which[GLC_OP_COUNT] = {
		[GLC_OP_GlobalId] = SP_GLOBAL_ID,     [GLC_OP_LocalId] = SP_LOCAL_ID,
		[GLC_OP_GroupId] = SP_GROUP_ID,       [GLC_OP_GroupCount] = SP_GROUP_COUNT,
		[GLC_OP_LocalIndex] = SP_LOCAL_INDEX, [GLC_OP_SubgroupSize] = SP_SUBGROUP_SIZE,
		[GLC_OP_SubgroupId] = SP_SUBGROUP_ID, [GLC_OP_LaneId] = SP_LANE_ID,
	};
	uint32_t variable = sp_built_in(sp, which[inst->op]), type = sp_type(sp, GLC_U32), vector;

	if (which[inst->op] >= SP_LOCAL_INDEX) {
		emit1(sp, GLC_SPV_Load, type, result(sp, index), variable);
		return;
	}
	vector = emit1(sp, GLC_SPV_Load, sp_vector3(sp), sp_id(sp), variable);
	emit2(sp, GLC_SPV_CompositeExtract, type, result(sp, index), vector, inst->detail);
}

static void parameter(struct sp *sp, const struct glc_inst *inst, uint32_t index)
{
	enum glc_type held = inst->type == GLC_BOOL ? GLC_U32 : inst->type;
	uint32_t type = sp_type(sp, held), pointer = sp_pointer(sp, GLC_SPV_PUSH_CONSTANT, held);
	uint32_t member = sp_const_u32(sp, sp->members[inst->object]), id, zero, truth;

	pointer = emit2(sp, GLC_SPV_AccessChain, pointer, sp_id(sp), sp->push_constants, member);
	if (inst->type != GLC_BOOL) {
		emit1(sp, GLC_SPV_Load, type, result(sp, index), pointer);
		return;
	}
	zero = sp_const_u32(sp, 0);
	truth = sp_type(sp, GLC_BOOL);
	id = emit1(sp, GLC_SPV_Load, type, sp_id(sp), pointer);
	emit2(sp, GLC_SPV_INotEqual, truth, result(sp, index), id, zero);
}

/* --- Memory -------------------------------------------------------------- */

static enum glc_spv_storage storage_of(const struct glc_object *object)
{
	switch (object->kind) {
	case GLC_OBJECT_BUFFER: return GLC_SPV_STORAGE_BUFFER;
	case GLC_OBJECT_SHARED: return GLC_SPV_WORKGROUP;
	case GLC_OBJECT_CONST: return GLC_SPV_PRIVATE;
	default: return GLC_SPV_FUNCTION;
	}
}

/* A pointer to the element that a memory instruction names. */
static uint32_t element(struct sp *sp, const struct glc_inst *inst)
{
	const struct glc_object *object = &sp->kernel->objects[inst->object];
	uint32_t pointer = sp_pointer(sp, storage_of(object), object->type);
	uint32_t at = sp_value(sp, inst->arg[0]), zero;

	if (object->kind != GLC_OBJECT_BUFFER)
		return emit2(sp, GLC_SPV_AccessChain, pointer, sp_id(sp), sp->objects[inst->object], at);
	zero = sp_const_u32(sp, 0);
	return emit3(sp, GLC_SPV_AccessChain, pointer, sp_id(sp), sp->objects[inst->object], zero, at);
}

static void load(struct sp *sp, const struct glc_inst *inst, uint32_t index)
{
	uint32_t pointer = element(sp, inst);

	emit1(sp, GLC_SPV_Load, sp_type(sp, inst->type), result(sp, index), pointer);
}

static void store(struct sp *sp, const struct glc_inst *inst)
{
	uint32_t value = sp_value(sp, inst->arg[1]), pointer = element(sp, inst);
	uint32_t *at = sp_put(sp, &sp->code, GLC_SPV_Store, 3);

	at[1] = pointer;
	at[2] = value;
}

static void length(struct sp *sp, const struct glc_inst *inst, uint32_t index)
{
	uint32_t type = sp_type(sp, GLC_U32), id;

	id = inst->type == GLC_U32 ? result(sp, index) : sp_id(sp);
	emit2(sp, GLC_SPV_ArrayLength, type, id, sp->objects[inst->object], 0);
	if (inst->type == GLC_U64)
		emit1(sp, GLC_SPV_UConvert, sp_type(sp, GLC_U64), result(sp, index), id);
}

struct ordering {
	uint32_t scope, semantics, unequal;   /* ids; unequal: what a failed exchange orders */
};

static struct ordering ordering(struct sp *sp, const struct glc_inst *inst)
{
	static const uint8_t orders[] = {
		[GLC_ORDER_RELAXED] = 0,
		[GLC_ORDER_ACQUIRE] = GLC_SPV_SEMANTICS_ACQUIRE,
		[GLC_ORDER_RELEASE] = GLC_SPV_SEMANTICS_RELEASE,
		[GLC_ORDER_ACQREL] = GLC_SPV_SEMANTICS_ACQUIRE_RELEASE,
	};
	bool shared = sp->kernel->objects[inst->object].kind == GLC_OBJECT_SHARED;
	enum glc_order order = GLC_DETAIL_ORDER(inst->detail);
	enum glc_scope scope = GLC_DETAIL_SCOPE(inst->detail);
	uint32_t memory = GLC_SPV_SEMANTICS_UNIFORM_MEMORY | GLC_SPV_SEMANTICS_WORKGROUP_MEMORY;
	bool narrow = scope == GLC_SCOPE_WORKGROUP || (scope == GLC_SCOPE_NONE && shared);
	bool acquires = order == GLC_ORDER_ACQUIRE || order == GLC_ORDER_ACQREL;

	return (struct ordering){
		.scope = sp_const_u32(sp, narrow ? GLC_SPV_SCOPE_WORKGROUP : GLC_SPV_SCOPE_DEVICE),
		.semantics = sp_const_u32(sp, order ? orders[order] | memory : 0),
		.unequal = sp_const_u32(sp, acquires ? GLC_SPV_SEMANTICS_ACQUIRE | memory : 0),
	};
}

static void atomic(struct sp *sp, const struct glc_inst *inst, uint32_t index)
{
	struct ordering how = ordering(sp, inst);
	uint32_t values[2], pointer, type = sp_type(sp, inst->type), n = 0, *at;
	uint32_t op = inst->op == GLC_OP_AtomicLoad  ? GLC_SPV_AtomicLoad
		      : inst->op != GLC_OP_AtomicAdd ? GLC_SPV_AtomicCompareExchange
		      : glc_is_float(inst->type)     ? GLC_SPV_AtomicFAddEXT
						     : GLC_SPV_AtomicIAdd;

	if (op == GLC_SPV_AtomicFAddEXT)
		sp_capability(sp, GLC_SPV_CAP_ATOMIC_FLOAT32_ADD);
	if (op == GLC_SPV_AtomicCompareExchange)   /* value, then comparator */
		values[n++] = sp_value(sp, inst->arg[2]);
	if (op != GLC_SPV_AtomicLoad)
		values[n++] = sp_value(sp, inst->arg[1]);
	pointer = element(sp, inst);
	at = sp_put(sp, &sp->code, op, 6 + n + (op == GLC_SPV_AtomicCompareExchange));
	at[1] = type;
	at[2] = result(sp, index);
	at[3] = pointer;
	at[4] = how.scope;
	at[5] = how.semantics;
	at += 6;
	if (op == GLC_SPV_AtomicCompareExchange)
		*at++ = how.unequal;
	for (uint32_t i = 0; i < n; i++)
		at[i] = values[i];
}

static void barrier(struct sp *sp)
{
	uint32_t scope = sp_const_u32(sp, GLC_SPV_SCOPE_WORKGROUP);
	uint32_t semantics = sp_const_u32(sp, GLC_SPV_SEMANTICS_ACQUIRE_RELEASE |
						      GLC_SPV_SEMANTICS_UNIFORM_MEMORY |
						      GLC_SPV_SEMANTICS_WORKGROUP_MEMORY);
	uint32_t *at = sp_put(sp, &sp->code, GLC_SPV_ControlBarrier, 4);

	at[1] = at[2] = scope;
	at[3] = semantics;
}

static void fence(struct sp *sp, const struct glc_inst *inst)
{
	uint32_t scope = sp_const_u32(sp, inst->detail == GLC_SCOPE_WORKGROUP ? GLC_SPV_SCOPE_WORKGROUP
									     : GLC_SPV_SCOPE_DEVICE);
	uint32_t semantics = sp_const_u32(sp, GLC_SPV_SEMANTICS_ACQUIRE_RELEASE |
						      GLC_SPV_SEMANTICS_UNIFORM_MEMORY |
						      GLC_SPV_SEMANTICS_WORKGROUP_MEMORY);
	uint32_t *at = sp_put(sp, &sp->code, GLC_SPV_MemoryBarrier, 3);

	at[1] = scope;
	at[2] = semantics;
}

/*
 * The value of lane (own ^ mask), or the own one where that lane is outside of the subgroup
 * or not active: SPIR-V leaves both undefined, so the source lane is chosen first.
 */
static void shuffle(struct sp *sp, const struct glc_inst *inst, uint32_t index)
{
	uint32_t value = sp_value(sp, inst->arg[0]), mask = sp_value(sp, inst->arg[1]);
	uint32_t type = sp_type(sp, inst->type), word = sp_type(sp, GLC_U32), truth = sp_type(sp, GLC_BOOL);
	uint32_t scope = sp_const_u32(sp, GLC_SPV_SCOPE_SUBGROUP), yes = sp_const_bits(sp, GLC_BOOL, 1);
	uint32_t lane_variable = sp_built_in(sp, SP_LANE_ID), size_variable = sp_built_in(sp, SP_SUBGROUP_SIZE);
	uint32_t lane, size, other, inside, active, ballot_type, ballot;

	sp_capability(sp, GLC_SPV_CAP_GROUP_NON_UNIFORM_BALLOT);
	sp_capability(sp, GLC_SPV_CAP_GROUP_NON_UNIFORM_SHUFFLE);
	ballot_type = sp_vector4(sp);
	lane = emit1(sp, GLC_SPV_Load, word, sp_id(sp), lane_variable);
	size = emit1(sp, GLC_SPV_Load, word, sp_id(sp), size_variable);
	other = emit2(sp, GLC_SPV_BitwiseXor, word, sp_id(sp), lane, mask);
	inside = emit2(sp, GLC_SPV_ULessThan, truth, sp_id(sp), other, size);
	other = emit3(sp, GLC_SPV_Select, word, sp_id(sp), inside, other, lane);
	ballot = emit2(sp, GLC_SPV_GroupNonUniformBallot, ballot_type, sp_id(sp), scope, yes);
	active = emit3(sp, GLC_SPV_GroupNonUniformBallotBitExtract, truth, sp_id(sp), scope, ballot, other);
	other = emit3(sp, GLC_SPV_Select, word, sp_id(sp), active, other, lane);
	emit3(sp, GLC_SPV_GroupNonUniformShuffle, type, result(sp, index), scope, value, other);
}

/* --- The walk ------------------------------------------------------------ */

/* -g: OpLine where the line changes. */
static void line(struct sp *sp, const struct glc_inst *inst)
{
	const struct glc_source *source;
	struct glacier_location where = {0};
	uint32_t *at;

	source = glc_source_at(sp->input->map, inst->pos);
	if (!source)
		return;
	glc_source_locate(sp->input->map, inst->pos, &where);
	if (where.kind != GLACIER_LOCATION_TEXT || where.line == sp->line)
		return;
	sp->line = where.line;
	at = sp_put(sp, &sp->code, GLC_SPV_Line, 4);
	at[1] = sp_file(sp, source->name);
	at[2] = where.line;
	at[3] = where.column;
}

static void instruction(struct sp *sp, uint32_t index)
{
	const struct glc_inst *inst = &sp->kernel->insts[index];
	uint32_t op;

	switch (inst->op) {
	case GLC_OP_Param:
		parameter(sp, inst, index);
		return;
	case GLC_OP_Spec:
		alias(sp, index, 0, sp->objects[inst->object]);
		return;
	case GLC_OP_LocalId:
	case GLC_OP_GlobalId:
	case GLC_OP_GroupId:
	case GLC_OP_GroupCount:
	case GLC_OP_LocalIndex:
	case GLC_OP_SubgroupSize:
	case GLC_OP_SubgroupId:
	case GLC_OP_LaneId:
		built_in(sp, inst, index);
		return;
	case GLC_OP_LoadGlobal:
	case GLC_OP_LoadShared:
	case GLC_OP_LoadLocal:
	case GLC_OP_LoadConst:
		load(sp, inst, index);
		return;
	case GLC_OP_StoreGlobal:
	case GLC_OP_StoreShared:
	case GLC_OP_StoreLocal:
		store(sp, inst);
		return;
	case GLC_OP_Length:
		length(sp, inst, index);
		return;
	case GLC_OP_AtomicAdd:
	case GLC_OP_AtomicLoad:
	case GLC_OP_AtomicCompareExchange:
		atomic(sp, inst, index);
		return;
	case GLC_OP_BarrierSync:
		barrier(sp);
		return;
	case GLC_OP_Fence:
		fence(sp, inst);
		return;
	case GLC_OP_ShflSyncBfly:
		shuffle(sp, inst, index);
		return;
	case GLC_OP_Cvt:
		convert(sp, inst, index);
		return;
	case GLC_OP_Bitcast:
		bitcast(sp, inst, index);
		return;
	case GLC_OP_CountLeadingZeros:
	case GLC_OP_CountTrailingZeros:
		count_zeros(sp, inst, index);
		return;
	case GLC_OP_MulHi:
		mul_high(sp, inst, index);
		return;
	case GLC_OP_Rcp:   /* .approx: the division is all that GLSL has */
		emit2(sp, GLC_SPV_FDiv, sp_type(sp, GLC_F32), result(sp, index),
		      sp_const_bits(sp, GLC_F32, 0x3f800000), sp_value(sp, inst->arg[0]));
		return;
	default:
		break;
	}
	op = inst->mods & GLC_MOD_APPROX ? native(inst->op) : 0;
	if (!op)
		op = table[inst->op][glc_types[inst->from].klass];
	from_table(sp, inst, index, op);
}

/* Function variables stand first in the first block. */
static void local_variables(struct sp *sp)
{
	for (uint32_t i = 0; i < sp->kernel->object_count; i++) {
		uint32_t *at;

		if (sp->kernel->objects[i].kind != GLC_OBJECT_LOCAL || !sp->objects[i])
			continue;
		at = sp_put(sp, &sp->code, GLC_SPV_Variable, 4);
		at[1] = sp->objects[i];
		at[2] = sp->objects[i] = sp_id(sp);
		at[3] = GLC_SPV_FUNCTION;
	}
}

static void begin_function(struct sp *sp)
{
	uint32_t *at;

	if (!sp->type_void) {
		sp->type_void = sp_id(sp);
		sp_put(sp, &sp->types, GLC_SPV_TypeVoid, 2)[1] = sp->type_void;
		sp->type_function = sp_id(sp);
		at = sp_put(sp, &sp->types, GLC_SPV_TypeFunction, 3);
		at[1] = sp->type_function;
		at[2] = sp->type_void;
	}
	at = sp_put(sp, &sp->code, GLC_SPV_Function, 5);
	at[1] = sp->type_void;
	at[2] = sp->function;
	at[3] = 0;
	at[4] = sp->type_function;
	sp_label(sp, sp_id(sp));
	local_variables(sp);
}

void sp_body(struct sp *sp)
{
	const struct glc_kernel *kernel = sp->kernel;
	bool debug = sp->input->options->debug && sp->input->map;

	sp->values = glc_bump_zero(sp->memory, ((size_t)kernel->inst_count + 1) * sizeof *sp->values);
	if (!sp->values) {
		sp->failed = true;
		return;
	}
	sp->frames.count = 0;
	sp->line = 0;
	begin_function(sp);
	for (uint32_t i = 0; i < kernel->inst_count && !sp->failed;) {
		const struct glc_inst *inst = &kernel->insts[i];

		if (inst->op == GLC_OP_Return) {
			sp_put(sp, &sp->code, GLC_SPV_Return, 1);
			i++;
		} else if (inst->op >= GLC_OP_If && inst->op <= GLC_OP_Continue) {
			i = sp_flow(sp, i);
		} else if (!debug && plain_op(inst)) {
			i = plain_run(sp, i);
		} else {
			if (debug)
				line(sp, inst);
			instruction(sp, i++);
		}
	}
	sp_put(sp, &sp->code, GLC_SPV_FunctionEnd, 1);
}
