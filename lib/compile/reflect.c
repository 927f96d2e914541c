/* SPDX-License-Identifier: MIT */
/* What a program that launches a kernel must know about it, as JSON. */
#include "compile/module.h"

#include "base/buf.h"
#include "ir/print.h"
#include "ptx/ptx.h"

struct reflection {
	struct glc_writer *out;
	const struct glc_ir *ir;
	const struct glc_kernel *kernel;
	bool first;   /* in the list that is being written */
};

static const char kinds[][8] = {
	[GLC_OBJECT_BUFFER] = "buffer", [GLC_OBJECT_SCALAR] = "scalar", [GLC_OBJECT_SPEC] = "spec",
	[GLC_OBJECT_SHARED] = "shared", [GLC_OBJECT_LOCAL] = "local",   [GLC_OBJECT_CONST] = "const",
};

static void item(struct reflection *r)
{
	glc_print_string(r->out, r->first ? "\n        " : ",\n        ");
	r->first = false;
}

static void begin_list(struct reflection *r, const char *key)
{
	glc_printf(r->out, ",\n      \"%s\": [", key);
	r->first = true;
}

static void end_list(struct reflection *r)
{
	glc_print_string(r->out, r->first ? "]" : "\n      ]");
}

/* A number, or the specialization constant that gives it. */
static void extent(struct reflection *r, const struct glc_extent *extent)
{
	if (extent->spec == GLC_NO_VALUE) {
		glc_print_number(r->out, extent->value);
		return;
	}
	glc_puts(r->out, "{\"spec\": \"");
	glc_print_name(r->out, r->kernel->objects[extent->spec].name);
	glc_printf(r->out, "\", \"value\": %u}", extent->value);
}

static void begin_object(struct reflection *r, const struct glc_object *object)
{
	item(r);
	glc_puts(r->out, "{\"name\": \"");
	glc_print_name(r->out, object->name);
	glc_printf(r->out, "\", \"kind\": \"%s\", \"type\": \"%s\"", kinds[object->kind],
		   glc_types[object->type].name);
}

/* Narrow scalars travel as 32 bits. */
static uint32_t scalar_bytes(const struct glc_object *object)
{
	return object->type == GLC_BOOL ? 4 : glc_types[object->type].bytes;
}

static void spec_value(struct reflection *r, const struct glc_object *object)
{
	uint64_t bits = object->spec_bits;

	glc_printf(r->out, ", \"id\": %u, \"bits\": \"0x%llx\"", object->spec_id, (unsigned long long)bits);
	/* A float, or an integer that readers of JSON might round, is told by its bits alone. */
	if (object->type == GLC_BOOL)
		glc_printf(r->out, ", \"value\": %s", bits ? "true" : "false");
	else if (object->type == GLC_I32)
		glc_printf(r->out, ", \"value\": %d", (int32_t)bits);
	else if (glc_is_int(object->type) && bits < UINT64_C(1) << 53)
		glc_printf(r->out, ", \"value\": %llu", (unsigned long long)bits);
}

static void parameters(struct reflection *r)
{
	uint32_t end = 0;

	begin_list(r, "params");
	for (uint32_t i = 0; i < r->kernel->object_count; i++) {
		const struct glc_object *object = &r->kernel->objects[i];
		uint32_t bytes = object->kind == GLC_OBJECT_BUFFER ? 8 : scalar_bytes(object);

		if (object->kind > GLC_OBJECT_SPEC)
			continue;
		begin_object(r, object);
		if (object->kind == GLC_OBJECT_BUFFER)
			glc_printf(r->out, ", \"access\": \"%s\", \"set\": %u, \"binding\": %u",
				   glc_access_name(object->access), object->set, object->binding);
		if (object->kind == GLC_OBJECT_SCALAR)
			glc_printf(r->out, ", \"bytes\": %u, \"push_constant_offset\": %u", bytes,
				   object->offset);
		if (object->kind == GLC_OBJECT_SPEC) {
			spec_value(r, object);
		} else {
			end = (end + bytes - 1) & ~(bytes - 1);
			glc_printf(r->out, ", \"ptx_offset\": %u", end);
			end += bytes;
		}
		glc_putc(r->out, '}');
	}
	end_list(r);

	begin_list(r, "ptx_lengths");
	end = (end + 7) & ~7u;
	for (uint32_t i = 0; i < r->kernel->object_count; i++) {
		const struct glc_object *object = &r->kernel->objects[i];

		if (!object->length_taken)
			continue;
		item(r);
		glc_puts(r->out, "{\"buffer\": \"");
		glc_print_name(r->out, object->name);
		glc_printf(r->out, "\", \"type\": \"u64\", \"ptx_offset\": %u}", end);
		end += 8;
	}
	end_list(r);
}

static void arrays(struct reflection *r)
{
	uint64_t shared = 0;

	begin_list(r, "arrays");
	for (uint32_t i = 0; i < r->kernel->object_count; i++) {
		const struct glc_object *object = &r->kernel->objects[i];
		uint64_t bytes = (uint64_t)object->length.value * glc_types[object->type].bytes;

		if (object->kind <= GLC_OBJECT_SPEC)
			continue;
		begin_object(r, object);
		glc_puts(r->out, ", \"length\": ");
		extent(r, &object->length);
		glc_printf(r->out, ", \"bytes\": %llu}", (unsigned long long)bytes);
		/* Each begins at a multiple of 16. */
		if (object->kind == GLC_OBJECT_SHARED)
			shared = ((shared + 15) & ~UINT64_C(15)) + bytes;
	}
	end_list(r);
	glc_printf(r->out, ",\n      \"shared_bytes\": %llu", (unsigned long long)shared);
	glc_printf(r->out, ",\n      \"push_constant_bytes\": %u", r->kernel->push_bytes);
}

static void kernel(struct reflection *r)
{
	struct glc_writer *out = r->out;
	uint32_t underscores = glc_ptx_underscores(r->ir, r->kernel);

	glc_puts(out, "    {\n      \"name\": \"");
	glc_print_name(out, r->kernel->name);
	glc_puts(out, "\",\n      \"symbols\": {\"ptx\": \"");
	glc_print_name(out, r->kernel->name);
	while (underscores--)
		glc_putc(out, '_');
	glc_puts(out, "\", \"spirv\": \"");
	glc_print_name(out, r->kernel->name);
	glc_puts(out, "\"},\n      \"workgroup\": [");
	for (int i = 0; i < 3; i++) {
		glc_print_string(out, i ? ", " : "");
		extent(r, &r->kernel->workgroup[i]);
	}
	glc_puts(out, "],\n      \"subgroup\": ");
	if (r->kernel->subgroup)
		glc_print_number(out, r->kernel->subgroup);
	else
		glc_puts(out, "null");
	parameters(r);
	arrays(r);
	glc_puts(out, "\n    }");
}

enum glacier_status glacier_module_reflect(struct glacier_module *module, struct glacier_buffer *buffer)
{
	struct reflection r = {0};
	struct glc_writer out;

	if (!module->filled)
		return GLACIER_ERR_ARGUMENT;
	r.ir = glc_module_ir(module, NULL);
	if (!r.ir)
		return GLACIER_ERR_NOMEM;
	r.out = &out;
	glc_writer_begin(&out, buffer);
	glc_puts(&out, "{\n  \"schema\": \"glacier-reflection\",\n  \"version\": 1,\n  \"kernels\": [\n");
	for (uint32_t i = 0; i < module->ir.kernel_count; i++) {
		r.kernel = &module->ir.kernels[i];
		glc_print_string(&out, i ? ",\n" : "");
		kernel(&r);
	}
	glc_puts(&out, "\n  ]\n}\n");
	return glc_writer_end(&out) ? GLACIER_OK : GLACIER_ERR_NOMEM;
}
