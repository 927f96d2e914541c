/* SPDX-License-Identifier: MIT */
/* Kernels and their objects, from the declarations of the tree. */
#include "ir/ssa.h"

#include <string.h>

static bool is_known_type(enum glc_type type)
{
	return GLC_TYPES_ANY >> type & 1;
}

/* The value that -D gives a specialization constant; false: none does. */
static const char *defined(const struct ssa *s, struct glc_name name)
{
	for (size_t i = 0; s->options && i < s->options->define_count; i++)
		if (strlen(s->options->defines[i].name) == name.bytes &&
		    !memcmp(s->options->defines[i].name, name.at, name.bytes))
			return s->options->defines[i].value;
	return NULL;
}

static void declare_spec(struct ssa *s, const struct glc_decl *decl, struct glc_object *object)
{
	const struct glc_literal *literal = &s->tree->literals.at[decl->extent.index];
	const char *value = defined(s, decl->name);

	if (decl->extent.kind != GLC_LITERAL)
		return;
	glc_literal_read(s->diag, literal->text, decl->extent.pos, decl->type, &object->spec_bits);
	if (value)
		glc_literal_read(s->diag, (struct glc_name){value, (uint32_t)strlen(value)}, GLC_NOWHERE,
				 decl->type, &object->spec_bits);
}

/* A length or workgroup size: a literal, or a u32 specialization constant. */
static inline bool extent(struct ssa *s, struct glc_operand operand, const char *what, struct glc_extent *extent)
{
	const struct glc_object *object;
	uint64_t bits;

	extent->spec = GLC_NO_VALUE;
	if (operand.kind == GLC_LITERAL) {
		const struct glc_literal *literal = &s->tree->literals.at[operand.index];

		if (!glc_literal_read(s->diag, literal->text, operand.pos, GLC_U32, &bits))
			return false;
		extent->value = (uint32_t)bits;
	} else {
		object = &s->kernel->objects[operand.index];
		if (object->kind != GLC_OBJECT_SPEC || object->type != GLC_U32) {
			glc_fail(s->diag, GLC_GA_NOT_AN_EXTENT, operand.pos, (int)object->name.bytes,
				 object->name.at, what);
			return false;
		}
		extent->spec = operand.index;
		extent->value = (uint32_t)object->spec_bits;
	}
	if (!extent->value) {
		glc_fail(s->diag, GLC_GA_ZERO, operand.pos, what);
		return false;
	}
	return true;
}

static void const_values(struct ssa *s, const struct glc_decl *decl, struct glc_object *object)
{
	uint64_t *values;

	if (decl->value_count != object->length.value) {
		glc_fail(s->diag, GLC_GA_CONST_COUNT, decl->pos, (int)decl->name.bytes, decl->name.at,
			 object->length.value, decl->value_count);
		return;
	}
	values = glc_bump(s->memory, (size_t)decl->value_count * sizeof *values);
	if (!values) {
		s->failed = true;
		return;
	}
	for (uint32_t i = 0; i < decl->value_count; i++) {
		const struct glc_literal *literal = &s->tree->literals.at[decl->values + i];

		if (!glc_literal_read(s->diag, literal->text, literal->pos, decl->type, &values[i]))
			return;
	}
	object->values = values;
}

static void declare_array(struct ssa *s, const struct glc_decl *decl, struct glc_object *object)
{
	if (!extent(s, decl->extent, "an array's length", &object->length))
		return;
	if ((uint64_t)object->length.value * glc_types[decl->type].bytes > UINT32_MAX) {
		glc_fail(s->diag, GLC_GA_ARRAY_BYTES, decl->pos, (int)decl->name.bytes, decl->name.at);
		return;
	}
	if (decl->kind == GLC_OBJECT_CONST)
		const_values(s, decl, object);
}

/* Scalars lie in the push constants at natural alignment; a bool travels as 32 bits. */
static uint32_t place_scalar(uint32_t end, struct glc_object *object)
{
	uint32_t bytes = object->type == GLC_BOOL ? 4 : glc_types[object->type].bytes;

	object->offset = (end + bytes - 1) & ~(bytes - 1);
	return object->offset + bytes;
}

static inline bool same_binding(const struct glc_object *a, const struct glc_object *b)
{
	return a->kind == GLC_OBJECT_BUFFER && a->set == b->set && a->binding == b->binding;
}

/* Open addressing by set and binding, over all declarations; the slot that has it or takes it. */
static uint32_t *binding_slot(struct ssa *s, const struct glc_object *buffer)
{
	uint32_t at = (buffer->set * 65536u + buffer->binding) * 0x9e3779b1u >> 7;

	for (;; at++) {
		uint32_t *slot = &s->bindings[at & s->binding_mask];

		if (!*slot || same_binding(&s->kernel->objects[*slot - 1], buffer))
			return slot;
	}
}

static bool make_bindings(struct ssa *s, uint32_t index)
{
	uint32_t size = 64;

	while (size < 2 * s->kernel->object_count)
		size *= 2;
	s->bindings = glc_bump_zero(s->memory, size * sizeof *s->bindings);
	s->binding_mask = size - 1;
	if (!s->bindings)
		return false;
	for (uint32_t i = 0; i < index; i++)
		if (s->kernel->objects[i].kind == GLC_OBJECT_BUFFER)
			*binding_slot(s, &s->kernel->objects[i]) = i + 1;
	return true;
}

/* Few kernels have more than some buffers: compare with those before; the others get a table. */
static void check_bindings(struct ssa *s, uint32_t index, uint32_t buffers)
{
	const struct glc_object *objects = s->kernel->objects, *b = &objects[index];
	uint32_t first = 0;

	if (buffers <= 16) {
		while (first < index && !same_binding(&objects[first], b))
			first++;
	} else {
		uint32_t *slot;

		if (!s->bindings && !make_bindings(s, index)) {
			s->failed = true;
			return;
		}
		slot = binding_slot(s, b);
		first = *slot ? *slot - 1 : index;
		if (!*slot)
			*slot = index + 1;
	}
	if (first < index)
		glc_fail(s->diag, GLC_GA_BINDING_TAKEN, b->pos, b->set, b->binding, (int)objects[first].name.bytes,
			 objects[first].name.at);
}

static bool has_type(struct ssa *s, const struct glc_decl *decl)
{
	if (decl->kind != GLC_OBJECT_SCALAR && decl->kind != GLC_OBJECT_SPEC && decl->type == GLC_BOOL) {
		glc_fail(s->diag, GLC_GA_BOOL_MEMORY, decl->pos, (int)decl->name.bytes, decl->name.at);
		return false;
	}
	if (!is_known_type(decl->type)) {
		glc_fail(s->diag, GLC_GA_TYPE_LATER, decl->pos, glc_types[decl->type].name);
		return false;
	}
	return true;
}

/* Those that no kernel uses as well; and what is wrong with one is told once, not by each kernel. */
void glc_ssa_check_constants(struct ssa *s)
{
	for (uint32_t i = 0; i < s->tree->consts.count; i++) {
		const struct glc_decl *decl = &s->tree->consts.at[i];
		struct glc_object object = {.type = decl->type};
		struct glc_mark mark = glc_bump_mark(s->memory);

		if (has_type(s, decl))
			declare_array(s, decl, &object);
		glc_bump_release(s->memory, mark);
	}
}

static void declare(struct ssa *s, uint32_t index, uint32_t *buffers)
{
	const struct glc_decl *decl = &s->source->decls.at[index];
	struct glc_object *object = &s->kernel->objects[index];

	*object = (struct glc_object){
		.name = decl->name,
		.pos = decl->pos,
		.kind = decl->kind,
		.type = decl->type,
		.access = decl->access,
		.length.spec = GLC_NO_VALUE,
	};
	if (!has_type(s, decl))
		return;
	switch (decl->kind) {
	case GLC_OBJECT_BUFFER:
		object->set = decl->set;
		object->binding = decl->binding_given ? decl->binding : *buffers;
		++*buffers;
		check_bindings(s, index, *buffers);
		break;
	case GLC_OBJECT_SCALAR:
		s->kernel->push_bytes = place_scalar(s->kernel->push_bytes, object);
		break;
	case GLC_OBJECT_SPEC:
		object->spec_id = s->spec_count++;
		declare_spec(s, decl, object);
		break;
	default:
		declare_array(s, decl, object);
	}
}

static void workgroup(struct ssa *s)
{
	for (uint32_t i = 0; i < 3; i++) {
		s->kernel->workgroup[i] = (struct glc_extent){1, GLC_NO_VALUE};
		if (i < s->source->workgroup_count)
			extent(s, s->source->workgroup[i], "a workgroup size", &s->kernel->workgroup[i]);
	}
}

static void subgroup(struct ssa *s)
{
	struct glc_extent size;

	if (!s->source->has_subgroup)
		return;
	if (s->source->subgroup.kind != GLC_LITERAL) {
		glc_fail(s->diag, GLC_GA_SUBGROUP_SIZE, s->source->subgroup.pos);
		return;
	}
	if (!extent(s, s->source->subgroup, "a subgroup size", &size))
		return;
	if (size.value > 128 || (size.value & (size.value - 1)))
		glc_fail(s->diag, GLC_GA_SUBGROUP_SIZE, s->source->subgroup.pos);
	s->kernel->subgroup = size.value;
}

glc_value glc_ssa_param(struct ssa *s, uint32_t index)
{
	const struct glc_object *object = &s->kernel->objects[index];
	struct glc_inst inst = {
		.op = object->kind == GLC_OBJECT_SPEC ? GLC_OP_Spec : GLC_OP_Param,
		.type = object->type,
		.from = object->type,
		.object = (uint16_t)index,
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	s->b.pos = object->pos;
	return glc_append(&s->b, &inst);
}

bool glc_ssa_declare(struct ssa *s)
{
	struct glc_kernel *kernel = s->kernel;
	uint32_t count = s->source->decls.count, buffers = 0;

	memset(kernel, 0, sizeof *kernel);
	s->bindings = NULL;
	kernel->name = s->source->name;
	kernel->pos = s->source->pos;
	kernel->object_count = count;
	kernel->objects = glc_bump(s->memory, (size_t)count * sizeof *kernel->objects);
	s->object_values = glc_bump(s->memory, (size_t)count * sizeof *s->object_values);
	s->regs = glc_bump(s->memory, (size_t)s->source->registers.count * sizeof *s->regs);
	if (!kernel->objects || !s->object_values || !s->regs)
		return false;
	for (uint32_t i = 0; i < s->source->registers.count; i++)
		s->regs[i] = (struct ssa_register){.now = GLC_NO_VALUE};
	s->b.objects = kernel->objects;
	for (uint32_t i = 0; i < count; i++)
		declare(s, i, &buffers);
	workgroup(s);
	subgroup(s);
	if (s->failed)
		return false;

	/* A stream asks for its scalar where it needs it. */
	for (uint32_t i = 0; !s->source->is_stream && i < count; i++)
		if (kernel->objects[i].kind == GLC_OBJECT_SCALAR || kernel->objects[i].kind == GLC_OBJECT_SPEC)
			s->object_values[i] = glc_ssa_param(s, i);
	return true;
}
