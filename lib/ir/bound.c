/* SPDX-License-Identifier: MIT */
/*
 * The copy of a kernel that computes bounds beside its values. The bound of a value is made
 * right behind it, and so can be used wherever the value can. Where ways join, bounds are
 * handed over in a private array: stored at the end of each way, loaded behind the Phis.
 */
#include "ir/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bound {
	const struct glc_ir *ir;
	const struct glc_kernel *source;
	struct glacier_memory *memory;
	struct glc_bounded *out;
	struct glc_builder b;
	struct glc_object *objects;
	uint32_t object_count, joins;   /* joins: the private array */
	uint8_t *differs;               /* by instruction: it may */
	uint8_t *object_differs;
	glc_value *map, *bounds;        /* by instruction: its copy, and the bound of that or GLC_NO_VALUE */
	uint32_t *owner;                /* by Phi: the instruction that it stands behind */
};

static bool is_store(enum glc_op op)
{
	return op == GLC_OP_StoreGlobal || op == GLC_OP_StoreShared || op == GLC_OP_StoreLocal;
}

static bool is_load(enum glc_op op)
{
	return op == GLC_OP_LoadGlobal || op == GLC_OP_LoadShared || op == GLC_OP_LoadLocal;
}

/* --- What may differ ------------------------------------------------------- */

static bool may(const struct bound *s, glc_value value)
{
	return value != GLC_NO_VALUE && !glc_is_const(value) && s->differs[value];
}

static bool find_phi(const struct bound *s, uint32_t index)
{
	for (struct glc_ways w = glc_ways(s->source, s->owner[index], index); glc_way(&w);)
		if (may(s, w.value))
			return true;
	return false;
}

static bool visit(struct bound *s, uint32_t index)
{
	const struct glc_inst *inst = &s->source->insts[index];
	bool differs = false;

	if (inst->op == GLC_OP_Phi) {
		differs = find_phi(s, index);
	} else if (is_store(inst->op)) {
		differs = may(s, inst->arg[1]);
		if (differs && !s->object_differs[inst->object]) {
			s->object_differs[inst->object] = 1;
			return true;
		}
		return false;
	} else if (is_load(inst->op)) {
		differs = s->object_differs[inst->object] || may(s, inst->arg[0]);
	} else if (glc_ops[inst->op].result != '-') {
		differs = glc_bound_begins(inst);
		for (int i = 0; i < 4; i++)
			differs = differs || may(s, inst->arg[i]);
	}
	if (!differs || s->differs[index])
		return false;
	s->differs[index] = 1;
	return true;
}

static bool find_differing(struct bound *s, bool inputs_differ)
{
	const struct glc_kernel *kernel = s->source;
	uint32_t n = kernel->inst_count, owner = 0;
	bool changed = true;

	s->differs = glc_bump_zero(s->memory, n + 1);
	s->object_differs = glc_bump_zero(s->memory, kernel->object_count + 1);
	s->owner = glc_bump_zero(s->memory, ((size_t)n + 1) * sizeof *s->owner);
	if (!s->differs || !s->object_differs || !s->owner)
		return false;
	for (uint32_t i = 0; i < n; i++)
		s->owner[i] = owner = kernel->insts[i].op == GLC_OP_Phi ? owner : i;
	for (uint32_t i = 0; i < kernel->object_count && inputs_differ; i++)
		s->object_differs[i] = kernel->objects[i].kind == GLC_OBJECT_BUFFER;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < n; i++)
			changed = visit(s, i) || changed;
	}
	return true;
}

/* --- Objects --------------------------------------------------------------- */

static uint32_t add_object(struct bound *s, struct glc_object object, const char *suffix)
{
	char *name = glc_bump(s->memory, object.name.bytes + strlen(suffix) + 1);

	if (!name) {
		s->b.failed = true;
		return 0;
	}
	if (object.name.bytes)
		memcpy(name, object.name.at, object.name.bytes);
	memcpy(name + object.name.bytes, suffix, strlen(suffix) + 1);
	object.name = (struct glc_name){name, object.name.bytes + (uint32_t)strlen(suffix)};
	s->objects[s->object_count] = object;
	return s->object_count++;
}

static bool make_objects(struct bound *s)
{
	const struct glc_kernel *kernel = s->source;
	uint32_t n = kernel->object_count;

	s->objects = glc_bump(s->memory, (2 * (size_t)n + 2) * sizeof *s->objects);
	s->out->bounds = glc_bump(s->memory, ((size_t)n + 1) * sizeof *s->out->bounds);
	if (!s->objects || !s->out->bounds)
		return false;
	if (n)
		memcpy(s->objects, kernel->objects, n * sizeof *s->objects);
	s->object_count = n;
	for (uint32_t i = 0; i < n; i++) {
		struct glc_object twin = kernel->objects[i];

		s->out->bounds[i] = GLC_NO_VALUE;
		if (!s->object_differs[i] || twin.kind == GLC_OBJECT_CONST || twin.kind == GLC_OBJECT_SCALAR ||
		    twin.kind == GLC_OBJECT_SPEC)
			continue;
		/* In a name of the language no dot can stand. */
		twin.type = GLC_F64;
		twin.access = twin.used = GLC_READWRITE;
		twin.atomic = twin.length_taken = false;
		s->out->bounds[i] = add_object(s, twin, ".bound");
	}
	s->out->lost = add_object(s, (struct glc_object){.kind = GLC_OBJECT_BUFFER, .type = GLC_U32,
							 .access = GLC_READWRITE, .used = GLC_READWRITE,
							 .length.spec = GLC_NO_VALUE}, ".lost");
	s->joins = add_object(s, (struct glc_object){.kind = GLC_OBJECT_LOCAL, .type = GLC_F64, .used = GLC_READWRITE,
						     .length = {1, GLC_NO_VALUE}}, ".joins");
	return !s->b.failed;
}

/* --- Pieces of the copy ---------------------------------------------------- */

static glc_value mapped(const struct bound *s, glc_value value)
{
	return value == GLC_NO_VALUE || glc_is_const(value) ? value : s->map[value];
}

static glc_value bound_of(const struct bound *s, glc_value value)
{
	return value == GLC_NO_VALUE || glc_is_const(value) ? GLC_NO_VALUE : s->bounds[value];
}

static glc_value access_to(struct bound *s, enum glc_op op, uint32_t object, enum glc_type index_type, glc_value index,
			   glc_value value)
{
	enum glc_type type = s->objects[object].type;

	return glc_append(&s->b, &(struct glc_inst){
					 .op = op, .type = (uint8_t)type, .from = index_type == GLC_U64 ? GLC_U64 : type,
					 .object = (uint16_t)object, .arg = {index, value, GLC_NO_VALUE, GLC_NO_VALUE},
					 .pos = s->b.pos});
}

/* Nothing of this run can be bounded any more if `bound` is above 0. */
static void lose_if(struct bound *s, glc_value bound)
{
	struct glc_builder *b = &s->b;
	glc_value p;

	if (bound == GLC_NO_VALUE)
		return;
	p = glc_emit2(b, GLC_OP_Gt, GLC_F64, bound, glc_const_f64(b, 0));
	access_to(s, GLC_OP_StoreGlobal, s->out->lost, GLC_U32,
		  glc_select(b, GLC_U32, p, glc_const_u32(b, 0), glc_const_u32(b, 1)), glc_const_u32(b, 1));
}

/* Hands the bound of a value over to a Phi, at the end of a way to it. */
static void hand_over(struct bound *s, uint32_t phi, glc_value value)
{
	glc_value bound = bound_of(s, value);

	if (!s->differs[phi])
		return;
	access_to(s, GLC_OP_StoreLocal, s->joins, GLC_U32, glc_const_u32(&s->b, phi),
		  bound == GLC_NO_VALUE ? glc_const_f64(&s->b, 0) : bound);
}

/* To the Phis behind `owner`, for those of its ways that `edge` names. */
static void hand_over_all(struct bound *s, uint32_t owner, uint32_t edge)
{
	const struct glc_kernel *kernel = s->source;

	for (uint32_t i = owner + 1; i < kernel->inst_count && kernel->insts[i].op == GLC_OP_Phi; i++)
		for (struct glc_ways w = glc_ways(kernel, owner, i); glc_way(&w);)
			if (w.edge == edge)
				hand_over(s, i, w.value);
}

/* Behind the Phis of `owner`: what was handed over to them. */
static void take_over(struct bound *s, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		s->bounds[i] = s->differs[i] ? access_to(s, GLC_OP_LoadLocal, s->joins, GLC_U32,
							 glc_const_u32(&s->b, i), GLC_NO_VALUE)
					     : GLC_NO_VALUE;
}

/* --- Statements ------------------------------------------------------------ */

static void copy_store(struct bound *s, const struct glc_inst *inst)
{
	uint32_t twin = s->out->bounds[inst->object];
	glc_value bound = bound_of(s, inst->arg[1]);

	lose_if(s, bound_of(s, inst->arg[0]));
	if (twin != GLC_NO_VALUE)
		access_to(s, (enum glc_op)inst->op, twin, (enum glc_type)inst->from, mapped(s, inst->arg[0]),
			  bound == GLC_NO_VALUE ? glc_const_f64(&s->b, 0) : bound);
}

static glc_value bound_of_load(struct bound *s, const struct glc_inst *inst)
{
	uint32_t twin = s->out->bounds[inst->object];
	glc_value index = bound_of(s, inst->arg[0]), bound = GLC_NO_VALUE;
	struct glc_builder *b = &s->b;

	if (twin != GLC_NO_VALUE)
		bound = access_to(s, (enum glc_op)inst->op, twin, (enum glc_type)inst->from, mapped(s, inst->arg[0]),
				  GLC_NO_VALUE);
	if (index == GLC_NO_VALUE)
		return bound;
	return glc_select(b, GLC_F64, glc_emit2(b, GLC_OP_Gt, GLC_F64, index, glc_const_f64(b, 0)),
			  glc_const_f64(b, INFINITY), bound == GLC_NO_VALUE ? glc_const_f64(b, 0) : bound);
}

static glc_value bound_of_result(struct bound *s, uint32_t index)
{
	const struct glc_inst *inst = &s->source->insts[index];
	struct glc_bound_operand operands[4];

	if (!s->differs[index])
		return GLC_NO_VALUE;
	if (is_load(inst->op))
		return bound_of_load(s, inst);
	for (int i = 0; i < 4; i++)
		operands[i] = (struct glc_bound_operand){
			mapped(s, inst->arg[i]), bound_of(s, inst->arg[i]),
			inst->arg[i] == GLC_NO_VALUE ? GLC_VOID : glc_type_of(s->ir, s->source, inst->arg[i])};
	if (inst->op == GLC_OP_ShflSyncBfly) {
		lose_if(s, operands[1].bound);
		return operands[0].bound == GLC_NO_VALUE
			       ? GLC_NO_VALUE
			       : glc_append(&s->b, &(struct glc_inst){.op = GLC_OP_ShflSyncBfly, .type = GLC_F64,
								     .from = GLC_F64, .pos = s->b.pos,
								     .arg = {operands[0].bound, operands[1].value,
									     GLC_NO_VALUE, GLC_NO_VALUE}});
	}
	return glc_bound_rule(&s->b, inst, s->map[index], operands);
}

/* The order of float sums is nobody's, and what is counted with a value that differs, too. */
static void copy_atomic(struct bound *s, const struct glc_inst *inst)
{
	lose_if(s, bound_of(s, inst->arg[0]));
	lose_if(s, glc_is_float(inst->type) ? glc_const_f64(&s->b, INFINITY) : bound_of(s, inst->arg[1]));
}

/* --- Structure ------------------------------------------------------------- */

/* The copy still has arguments of the source where they name structure, or values to come. */
static void append_raw(struct bound *s, uint32_t index)
{
	s->map[index] = glc_append(&s->b, &s->source->insts[index]);
}

static uint32_t innermost_loop(const struct bound *s, uint32_t index)
{
	uint32_t depth = 0;

	while (index--) {
		uint16_t op = s->source->insts[index].op;

		if (op == GLC_OP_EndLoop)
			depth++;
		else if (op == GLC_OP_Loop && !depth--)
			return index;
	}
	return 0;
}

/* The If that an Else or EndIf belongs to. */
static uint32_t end_of_if(const struct bound *s, uint32_t index)
{
	uint32_t depth = 0;

	for (index++;; index++) {
		uint16_t op = s->source->insts[index].op;

		if (op == GLC_OP_If)
			depth++;
		else if (op == GLC_OP_EndIf && !depth--)
			return index;
	}
}

/* What must be done before control goes on: bounds are handed over, decisions looked at. */
static void before(struct bound *s, uint32_t index)
{
	const struct glc_inst *inst = &s->source->insts[index], *insts = s->source->insts;
	uint32_t loop;

	switch (inst->op) {
	case GLC_OP_If:
		lose_if(s, bound_of(s, inst->arg[0]));
		return;
	case GLC_OP_Else:
		if (inst->mods & GLC_MOD_OPEN)
			hand_over_all(s, end_of_if(s, index), 0);
		return;
	case GLC_OP_EndIf:
		if (inst->mods & GLC_MOD_OPEN)
			hand_over_all(s, index, 1);
		return;
	case GLC_OP_Loop:
		hand_over_all(s, index, 0);
		return;
	case GLC_OP_Break:
	case GLC_OP_Continue:
		loop = innermost_loop(s, index);
		hand_over_all(s, insts[loop].arg[inst->op == GLC_OP_Break ? 1 : 2], index);
		return;
	case GLC_OP_Continuing:
		if (inst->mods & GLC_MOD_OPEN)
			hand_over_all(s, index, index);
		return;
	case GLC_OP_EndLoop:
		lose_if(s, bound_of(s, inst->arg[0]));
		if (inst->arg[0] != GLC_NO_VALUE)
			hand_over_all(s, index, index);
		/* What others of the round before are is in their bounds, which were taken over already. */
		hand_over_all(s, innermost_loop(s, index), 1);
		return;
	default:
		return;
	}
}

static bool has_phis(enum glc_op op)
{
	return op == GLC_OP_EndIf || op == GLC_OP_Loop || op == GLC_OP_Continuing || op == GLC_OP_EndLoop;
}

static uint32_t copy(struct bound *s, uint32_t index)
{
	const struct glc_inst *inst = &s->source->insts[index];
	struct glc_inst same = *inst;
	uint32_t next = index + 1;

	s->b.pos = inst->pos;
	if ((inst->op >= GLC_OP_If && inst->op <= GLC_OP_Continue) || inst->op == GLC_OP_Return) {
		before(s, index);
		append_raw(s, index);
		if (!has_phis(inst->op))
			return next;
		while (next < s->source->inst_count && s->source->insts[next].op == GLC_OP_Phi)
			append_raw(s, next++);
		take_over(s, index + 1, next);
		return next;
	}
	for (int i = 0; i < 4; i++)
		same.arg[i] = mapped(s, inst->arg[i]);
	if (inst->op == GLC_OP_AtomicAdd)
		copy_atomic(s, inst);
	if (is_store(inst->op))
		copy_store(s, inst);
	s->map[index] = glc_append(&s->b, &same);
	s->bounds[index] = bound_of_result(s, index);
	return next;
}

/* Structure and Phis, once everything has its place. */
static void settle(struct bound *s)
{
	const struct glc_kernel *kernel = s->source;

	for (uint32_t i = 0; i < kernel->inst_count; i++) {
		struct glc_inst *inst = &s->b.insts.at[s->map[i]];
		uint16_t owner = kernel->insts[s->owner[i]].op;

		switch (kernel->insts[i].op) {
		case GLC_OP_Phi:
			if (owner == GLC_OP_EndIf || owner == GLC_OP_Loop)
				for (int a = 0; a < 2; a++)
					inst->arg[a] = mapped(s, inst->arg[a]);
			break;
		case GLC_OP_If: inst->arg[0] = mapped(s, inst->arg[0]); break;
		case GLC_OP_Loop:
			inst->arg[1] = mapped(s, inst->arg[1]);
			inst->arg[2] = mapped(s, inst->arg[2]);
			break;
		case GLC_OP_Continuing: inst->arg[0] = mapped(s, inst->arg[0]); break;
		case GLC_OP_EndLoop:
			inst->arg[0] = mapped(s, inst->arg[0]);
			inst->arg[2] = mapped(s, inst->arg[2]);
			break;
		case GLC_OP_Break:
		case GLC_OP_Continue: inst->arg[1] = mapped(s, inst->arg[1]); break;
		default: break;
		}
	}
}

static bool copy_all(struct bound *s)
{
	const struct glc_kernel *source = s->source;
	struct glc_kernel *kernel = glc_bump(s->memory, sizeof *kernel);
	size_t n = source->inst_count;

	s->map = glc_bump(s->memory, (n + 1) * sizeof *s->map);
	s->bounds = glc_bump(s->memory, (n + 1) * sizeof *s->bounds);
	if (!kernel || !s->map || !s->bounds)
		return false;
	for (size_t i = 0; i < n; i++)
		s->bounds[i] = GLC_NO_VALUE;
	s->b.objects = s->objects;
	s->objects[s->joins].length.value = (uint32_t)n + 1;
	for (uint32_t i = 0; i < n && !s->b.failed;)
		i = copy(s, i);
	if (s->b.failed)
		return false;
	settle(s);
	*kernel = *source;
	kernel->objects = s->objects;
	kernel->object_count = s->object_count;
	kernel->insts = s->b.insts.at;
	kernel->inst_count = s->b.insts.count;
	kernel->edge_values = glc_bump(s->memory, ((size_t)source->edge_value_count + 1) * sizeof *kernel->edge_values);
	if (!kernel->edge_values)
		return false;
	for (uint32_t i = 0; i < source->edge_value_count; i++)
		kernel->edge_values[i] = mapped(s, source->edge_values[i]);
	s->out->ir = (struct glc_ir){s->memory, kernel, 1, s->b.consts.at, s->b.consts.count};
	return true;
}

bool glc_bound_kernel(const struct glc_ir *ir, const struct glc_kernel *kernel, bool inputs_differ,
		      struct glacier_memory *memory, struct glc_bounded *out)
{
	struct bound s = {.ir = ir, .source = kernel, .memory = memory, .out = out};

	if (!glc_builder_init(&s.b, memory, false, 8 * kernel->inst_count))
		return false;
	/* The same numbers for the same constants: values that are constants need no mapping. */
	for (uint32_t i = 0; i < ir->const_count; i++)
		glc_const_bits(&s.b, ir->consts[i].type, ir->consts[i].bits);
	return find_differing(&s, inputs_differ) && make_objects(&s) && copy_all(&s);
}
