/* SPDX-License-Identifier: MIT */
/* One walk over the kernel writes the program's steps; jumps ahead are filled in when they land. */
#include "device/cpu_emit.h"

/* --- The walk ------------------------------------------------------------- */

static void emit(struct cpu_emit *e, uint32_t index)
{
	const struct glc_inst *inst = &e->c->kernel->insts[index];
	const struct glc_cpu_program *p = e->c->program;

	e->pos = inst->pos;
	if (e->c->same[index] != index)
		return;
	switch (inst->op) {
	case GLC_OP_Phi: cpu_spread(e, index); return;
	case GLC_OP_If: cpu_emit_if(e, index); return;
	case GLC_OP_Else: cpu_emit_else(e, index); return;
	case GLC_OP_EndIf: cpu_emit_end_if(e, index); return;
	case GLC_OP_Loop: cpu_emit_loop(e, index); return;
	case GLC_OP_Continuing: cpu_emit_continuing(e, index); return;
	case GLC_OP_EndLoop: cpu_emit_end_loop(e, index); return;
	case GLC_OP_Break:
	case GLC_OP_Continue: cpu_emit_edge(e, index); return;
	case GLC_OP_Return: cpu_emit_return(e, index); return;
	case GLC_OP_Param: cpu_emit_input(e, index, GLC_INPUT_PARAM); return;
	case GLC_OP_Length: cpu_emit_input(e, index, GLC_INPUT_LENGTH); return;
	case GLC_OP_GroupCount: cpu_emit_input(e, index, GLC_INPUT_GROUP_COUNT); return;
	case GLC_OP_SubgroupSize: e->words.at[e->c->values[index].word].u32 = p->subgroup; return;
	case GLC_OP_GroupId:
	case GLC_OP_GlobalId:
	case GLC_OP_LocalId:
	case GLC_OP_LocalIndex:
	case GLC_OP_SubgroupId:
	case GLC_OP_LaneId: cpu_emit_id(e, index); return;
	case GLC_OP_LoadGlobal:
	case GLC_OP_LoadShared:
	case GLC_OP_LoadConst:
		cpu_watch_access(e, index);
		cpu_emit_load(e, index);
		return;
	case GLC_OP_StoreGlobal:
	case GLC_OP_StoreShared:
		cpu_watch_access(e, index);
		cpu_emit_store(e, index);
		return;
	case GLC_OP_LoadLocal:
	case GLC_OP_StoreLocal:
		cpu_watch_access(e, index);
		cpu_emit_local(e, index);
		return;
	case GLC_OP_AtomicAdd:
		cpu_watch_access(e, index);
		cpu_emit_atomic(e, index);
		return;
	case GLC_OP_ShflSyncBfly:
		cpu_watch_shuffle(e, index);
		cpu_emit_shuffle(e, index);
		return;
	case GLC_OP_Fence:
		cpu_watch_fence(e, index);
		cpu_step(e, GLC_STEP_FENCE);
		return;
	case GLC_OP_BarrierSync:
		cpu_watch_barrier(e, index);
		/* All lanes of one tile are together anyway; who watches counts barriers. */
		if (p->lanes > GLC_TILE || e->c->options->watched)
			cpu_step(e, GLC_STEP_BARRIER);
		return;
	default: cpu_emit_pure(e, index); return;
	}
}

static bool give_words(struct cpu_emit *e)
{
	for (uint32_t i = 0; i < e->c->kernel->inst_count; i++) {
		struct cpu_value *v = &e->c->values[i];

		if (v->shape == GLC_UNIFORM || v->shape == GLC_AFFINE || v->range)
			v->word = cpu_new_word(e, 0);
	}
	for (uint32_t i = 0; i < e->c->kernel->inst_count; i++) {
		struct cpu_value *v = &e->c->values[i];

		if (v->shape == GLC_UNIFORM)
			v->word = e->c->values[v->home].word;
	}
	return !e->c->failed;
}

static void write_steps(struct cpu_compile *c)
{
	struct cpu_emit e = {.c = c};

	e.const_words = glc_bump_zero(c->memory, (size_t)c->ir->const_count * sizeof *e.const_words);
	if (!e.const_words || !give_words(&e)) {
		c->failed = true;
		return;
	}
	c->program->mask_count = 2;
	for (uint32_t i = 0; i < c->kernel->inst_count && !c->failed; i++)
		emit(&e, i);
	cpu_land(&e, GLC_NOWHERE_32, CPU_AT_END);
	cpu_step(&e, GLC_STEP_END);
	c->program->steps = e.steps.at;
	c->program->step_count = e.steps.count;
	c->program->words = e.words.at;
	c->program->word_count = e.words.count;
	c->program->inputs = e.inputs.at;
	c->program->input_count = e.inputs.count;
}

/* --- The program around them ---------------------------------------------- */

static const void *pack(const struct glc_object *object, struct glacier_memory *memory)
{
	uint32_t bytes = glc_types[object->type].bytes;
	unsigned char *at = glc_bump(memory, (size_t)object->length.value * bytes);

	for (uint32_t i = 0; at && i < object->length.value; i++) {
		union glc_word word = {.u64 = object->values[i]};

		if (bytes == 8)
			memcpy(at + 8 * (size_t)i, &word.u64, 8);
		else
			memcpy(at + 4 * (size_t)i, &word.u32, 4);
	}
	return at;
}

static bool place_objects(struct cpu_compile *c)
{
	const struct glc_kernel *kernel = c->kernel;
	struct glc_cpu_program *p = c->program;

	p->object_count = kernel->object_count;
	p->objects = glc_bump_zero(c->memory, (size_t)kernel->object_count * sizeof *p->objects);
	if (!p->objects)
		return false;
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];
		struct glc_cpu_object *o = &p->objects[i];
		uint64_t bytes;

		o->kind = object->kind;
		o->elem_bytes = glc_types[object->type].bytes;
		o->length = object->length.value;
		bytes = (o->length * o->elem_bytes + 63) & ~UINT64_C(63);
		if (object->kind == GLC_OBJECT_SHARED) {
			o->offset = p->shared_bytes;
			p->shared_bytes += bytes;
		} else if (object->kind == GLC_OBJECT_LOCAL) {
			o->offset = p->local_bytes;
			p->local_bytes += o->length * o->elem_bytes * GLC_TILE;
		} else if (object->kind == GLC_OBJECT_CONST) {
			o->values = pack(object, c->memory);
			if (!o->values)
				return false;
		}
	}
	return true;
}

static void choose_layout(struct glc_cpu_program *p, const struct glc_kernel *kernel, bool watched)
{
	p->lanes = 1;
	for (int i = 0; i < 3; i++) {
		p->workgroup[i] = kernel->workgroup[i].value;
		p->lanes *= p->workgroup[i];
	}
	if (kernel->converges || p->shared_bytes || watched)
		p->layout = GLC_LAYOUT_GROUPS;
	else if (p->workgroup[1] == 1 && p->workgroup[2] == 1)
		p->layout = GLC_LAYOUT_ROWS;
	else
		p->layout = p->lanes < GLC_TILE ? GLC_LAYOUT_PACKED : GLC_LAYOUT_GROUPS;
}

static bool find_same(struct cpu_compile *c)
{
	const struct glc_kernel *kernel = c->kernel;

	c->same = glc_bump(c->memory, (size_t)kernel->inst_count * sizeof *c->same);
	for (uint32_t i = 0; c->same && i < kernel->inst_count; i++) {
		const struct glc_inst *inst = &kernel->insts[i];

		c->same[i] = inst->op == GLC_OP_Bitcast ? cpu_same(c, inst->arg[0]) : i;
	}
	return c->same;
}

bool glc_cpu_compile(const struct glc_ir *ir, const struct glc_cpu_options *options,
		     struct glacier_memory *memory, struct glc_cpu_program *out)
{
	struct cpu_compile c = {
		.ir = ir,
		.kernel = &ir->kernels[0],
		.options = options,
		.memory = memory,
		.program = out,
		.values = glc_bump_zero(memory, (size_t)ir->kernels[0].inst_count * sizeof *c.values),
	};

	*out = (struct glc_cpu_program){.kernel = c.kernel, .subgroup = options->subgroup, .single = options->single};
	if (!c.values || !place_objects(&c) || !find_same(&c))
		return false;
	choose_layout(out, c.kernel, options->watched);
	cpu_classify(&c);
	if (!c.failed)
		cpu_place(&c);
	if (!c.failed)
		write_steps(&c);
	return !c.failed;
}
