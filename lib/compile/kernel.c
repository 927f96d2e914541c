/* SPDX-License-Identifier: MIT */
/* One kernel of a module, for the devices that run it. */
#include "compile/kernel.h"

#include "base/buf.h"
#include "compile/module.h"
#include "ir/bound.h"
#include "ir/lower.h"

#include <string.h>

static bool is_named(const struct glc_kernel *kernel, const char *name)
{
	return strlen(name) == kernel->name.bytes && !memcmp(name, kernel->name.at, kernel->name.bytes);
}

enum glacier_status glc_module_kernel(struct glacier_module *module, const char *name,
				      const struct glc_kernel **out, struct glacier_diag *diag)
{
	static const struct glc_ir nothing;
	const struct glc_ir *ir = module->filled ? glc_module_ir(module, diag) : &nothing;

	if (!ir)
		return GLACIER_ERR_NOMEM;
	if (!name && ir->kernel_count != 1)
		return glc_fail(diag, GLC_DV_WHICH_KERNEL, GLC_NOWHERE, ir->kernel_count);
	for (uint32_t i = 0; i < ir->kernel_count; i++)
		if (!name || is_named(&ir->kernels[i], name)) {
			*out = &ir->kernels[i];
			return GLACIER_OK;
		}
	return glc_fail(diag, GLC_DV_NO_KERNEL, GLC_NOWHERE, name);
}

const struct glc_source_map *glc_module_map(const struct glacier_module *module)
{
	return &module->map;
}

static void put_u64(struct glc_writer *out, uint64_t value)
{
	glc_put(out, &value, sizeof value);
}

static void put_object(struct glc_writer *out, const struct glc_object *object)
{
	put_u64(out, object->name.bytes);
	glc_put(out, object->name.at, object->name.bytes);
	put_u64(out, (uint64_t)object->kind << 24 | (uint64_t)object->type << 16 | (uint64_t)object->access << 8 |
			     object->used);
	put_u64(out, (uint64_t)object->atomic << 1 | object->length_taken);
	put_u64(out, (uint64_t)object->set << 32 | object->binding);
	put_u64(out, (uint64_t)object->spec_id << 32 | object->offset);
	put_u64(out, object->spec_bits);
	put_u64(out, (uint64_t)object->length.value << 32 | object->length.spec);
	if (object->kind == GLC_OBJECT_CONST)
		glc_put(out, object->values, (size_t)object->length.value * sizeof *object->values);
}

bool glc_module_content(const struct glacier_module *module, const struct glc_kernel *kernel,
			const struct glacier_write_options *options, struct glacier_buffer *buffer)
{
	bool debug = options && options->debug;
	struct glc_writer out;

	glc_writer_begin(&out, buffer);
	put_u64(&out, kernel->name.bytes);
	glc_put(&out, kernel->name.at, kernel->name.bytes);
	put_u64(&out, options ? (uint64_t)options->optimize << 1 | debug : 0);
	put_u64(&out, kernel->subgroup);
	for (int i = 0; i < 3; i++)
		put_u64(&out, (uint64_t)kernel->workgroup[i].value << 32 | kernel->workgroup[i].spec);
	put_u64(&out, kernel->object_count);
	for (uint32_t i = 0; i < kernel->object_count; i++)
		put_object(&out, &kernel->objects[i]);
	put_u64(&out, kernel->inst_count);
	for (uint32_t i = 0; i < kernel->inst_count; i++) {
		struct glc_inst inst = kernel->insts[i];

		if (!debug)
			inst.pos = 0;
		glc_put(&out, &inst, sizeof inst);
	}
	put_u64(&out, kernel->edge_value_count);
	glc_put(&out, kernel->edge_values, (size_t)kernel->edge_value_count * sizeof *kernel->edge_values);
	put_u64(&out, module->ir.const_count);
	for (uint32_t i = 0; i < module->ir.const_count; i++) {
		put_u64(&out, module->ir.consts[i].bits);
		put_u64(&out, module->ir.consts[i].type);
	}
	return glc_writer_end(&out);
}

/* A copy of the bytes in memory; NULL when it ran out. */
static const void *keep(struct glacier_memory *memory, const void *at, size_t bytes)
{
	void *copy = glc_bump(memory, bytes);

	return copy && bytes ? memcpy(copy, at, bytes) : copy;
}

/* What lowering shares with its source. */
static bool keep_shared(struct glc_kernel *kernel, struct glacier_memory *memory)
{
	kernel->name.at = keep(memory, kernel->name.at, kernel->name.bytes);
	if (!kernel->name.at)
		return false;
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		struct glc_object *object = &kernel->objects[i];

		object->name.at = keep(memory, object->name.at, object->name.bytes);
		if (!object->name.at)
			return false;
		if (object->kind != GLC_OBJECT_CONST)
			continue;
		object->values = keep(memory, object->values,
				      (size_t)object->length.value * sizeof *object->values);
		if (!object->values)
			return false;
	}
	return true;
}

enum glacier_status glc_module_lower(struct glacier_module *module, const struct glc_kernel *kernel,
				     const struct glacier_target *target, bool optimize,
				     struct glacier_memory *memory, struct glc_ir *out,
				     struct glacier_diag *diag)
{
	struct glc_mark mark = glc_bump_mark(module->memory);
	struct glc_ir source = module->ir;
	struct glc_kernel one = *kernel;
	enum glacier_status status;
	struct glc_relay relay;

	glc_relay_begin(&relay, diag, &module->map);
	if (!optimize) {
		status = glc_module_plain(module, &source, &relay.diag);
		if (status != GLACIER_OK)
			return glc_relay_end(&relay);
		one = source.kernels[kernel - module->ir.kernels];
	}
	source.kernels = &one;
	source.kernel_count = 1;
	status = glc_lower(&source, target, glc_lowering_of(optimize, module->unrolls), memory, out, &relay.diag);
	if (status == GLACIER_OK && !keep_shared(&out->kernels[0], memory))
		status = glc_fail(&relay.diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	if (glc_relay_end(&relay) != GLACIER_OK)
		status = relay.diag.first;
	glc_bump_release(module->memory, mark);
	return status;
}

enum glacier_status glc_module_bound(struct glacier_module *module, const struct glc_kernel *kernel,
				     bool inputs_differ, struct glacier_memory *memory, struct glc_ir *out,
				     struct glacier_diag *diag)
{
	static const struct glacier_target processor = {.kind = GLACIER_TARGET_KIND_COUNT};
	struct glc_mark mark = glc_bump_mark(module->memory);
	enum glacier_status status;
	struct glc_bounded bounded;
	struct glc_relay relay;

	glc_relay_begin(&relay, diag, &module->map);
	if (!glc_bound_kernel(&module->ir, kernel, inputs_differ, module->memory, &bounded))
		status = glc_fail(&relay.diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	else
		status = glc_lower(&bounded.ir, &processor, GLC_LOWER_OPTIMIZED, memory, out, &relay.diag);
	if (status == GLACIER_OK && !keep_shared(&out->kernels[0], memory))
		status = glc_fail(&relay.diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	glc_relay_end(&relay);
	glc_bump_release(module->memory, mark);
	return status;
}
