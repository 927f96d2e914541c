/* SPDX-License-Identifier: MIT */
#include "compile/limits.h"

enum { SHARED_BYTES_COMMON = 32768, PUSH_BYTES_PROMISED = 128 };

/* A kernel's name as messages take it. */
#define NAME(thing) (int)(thing)->name.bytes, (thing)->name.at

/*
 * Each array begins at a multiple of 16. A length that a specialization constant gives has
 * its present value, or counts as the one element that it has at least.
 */
static uint64_t shared_bytes(const struct glc_kernel *kernel, bool present)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];
		bool known = present || object->length.spec == GLC_NO_VALUE;

		if (object->kind == GLC_OBJECT_SHARED)
			bytes = ((bytes + 15) & ~UINT64_C(15)) +
				(known ? (uint64_t)object->length.value : 1) * glc_types[object->type].bytes;
	}
	return bytes;
}

void glc_limits_warn(const struct glc_ir *ir, struct glacier_diag *diag)
{
	for (uint32_t i = 0; i < ir->kernel_count; i++) {
		const struct glc_kernel *kernel = &ir->kernels[i];
		uint64_t bytes = shared_bytes(kernel, true);

		if (bytes > SHARED_BYTES_COMMON)
			glc_warn(diag, GLC_GA_SHARED_LARGE, kernel->pos, NAME(kernel),
				 (unsigned long long)bytes);
	}
}

/* --- Limits of one device ------------------------------------------------- */

static bool over(uint64_t value, uint32_t limit)
{
	return limit && value > limit;
}

static void check_shared(const struct glc_kernel *kernel, const struct glacier_limits *limits,
			 struct glacier_diag *diag)
{
	uint64_t bytes = shared_bytes(kernel, false);

	if (over(bytes, limits->compute_shared_memory_bytes))
		glc_fail(diag, GLC_GA_LIMIT_SHARED, kernel->pos, NAME(kernel), (unsigned long long)bytes,
			 limits->compute_shared_memory_bytes);
}

static void check_workgroup(const struct glc_kernel *kernel, const struct glacier_limits *limits,
			    struct glacier_diag *diag)
{
	uint64_t invocations = 1;

	for (int i = 0; i < 3; i++) {
		uint32_t size = kernel->workgroup[i].value;

		if (kernel->workgroup[i].spec != GLC_NO_VALUE)
			continue;
		if (over(size, limits->compute_workgroup_size[i]))
			glc_fail(diag, GLC_GA_LIMIT_WORKGROUP, kernel->pos, NAME(kernel), size, 'x' + i, i,
				 limits->compute_workgroup_size[i]);
		if (__builtin_mul_overflow(invocations, size, &invocations))
			invocations = UINT64_MAX;
	}
	if (over(invocations, limits->compute_workgroup_invocations))
		glc_fail(diag, GLC_GA_LIMIT_INVOCATIONS, kernel->pos, NAME(kernel),
			 (unsigned long long)invocations, limits->compute_workgroup_invocations);
}

static void check_buffers(const struct glc_kernel *kernel, const struct glacier_limits *limits,
			  struct glacier_diag *diag)
{
	const struct {
		uint32_t limit;
		char name[40];
	} rows[] = {
		{limits->per_stage_storage_buffers, "maxPerStageDescriptorStorageBuffers"},
		{limits->descriptor_set_storage_buffers, "maxDescriptorSetStorageBuffers"},
		{limits->per_stage_resources, "maxPerStageResources"},
	};
	uint32_t count = 0;

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];

		if (object->kind != GLC_OBJECT_BUFFER)
			continue;
		count++;
		/* Sets are numbered from 0. */
		if (over((uint64_t)object->set + 1, limits->bound_descriptor_sets))
			glc_fail(diag, GLC_GA_LIMIT_SETS, object->pos, NAME(object), object->set,
				 limits->bound_descriptor_sets);
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (over(count, rows[i].limit))
			glc_fail(diag, GLC_GA_LIMIT_BUFFERS, kernel->pos, NAME(kernel), count, rows[i].name,
				 rows[i].limit);
}

/* The buffer and the element of an access whose index is a literal. */
static bool known_access(const struct glc_ir *ir, const struct glc_kernel *kernel,
			 const struct glc_inst *inst, uint64_t *element)
{
	const char *operands = glc_ops[inst->op].operands;

	if ((operands[0] != 'g' && operands[0] != 'm') || operands[1] != 'i' ||
	    kernel->objects[inst->object].kind != GLC_OBJECT_BUFFER || !glc_is_const(inst->arg[0]))
		return false;
	*element = glc_const_at(ir, inst->arg[0])->bits;
	return true;
}

/* An element that lies behind what a buffer can be is never there. */
static void check_range(const struct glc_ir *ir, const struct glc_kernel *kernel, uint32_t limit,
			struct glacier_diag *diag)
{
	uint64_t element;

	for (uint32_t i = 0; limit && i < kernel->inst_count; i++) {
		const struct glc_inst *inst = &kernel->insts[i];
		const struct glc_object *object;

		if (!known_access(ir, kernel, inst, &element))
			continue;
		object = &kernel->objects[inst->object];
		if (element >= limit / glc_types[object->type].bytes)
			glc_fail(diag, GLC_GA_LIMIT_RANGE, inst->pos, (unsigned long long)element,
				 NAME(object), limit, limit / glc_types[object->type].bytes);
	}
}

static void check_push_constants(const struct glc_kernel *kernel, const struct glacier_limits *limits,
				 struct glacier_diag *diag)
{
	uint32_t limit = limits ? limits->push_constants_bytes : 0;

	if (over(kernel->push_bytes, limit))
		glc_fail(diag, GLC_GA_LIMIT_PUSH, kernel->pos, NAME(kernel), kernel->push_bytes, limit);
	else if (!limit && kernel->push_bytes > PUSH_BYTES_PROMISED)
		glc_fail(diag, GLC_GA_PUSH_BYTES, kernel->pos, NAME(kernel), kernel->push_bytes);
}

void glc_limits_check(const struct glc_ir *ir, const struct glacier_limits *limits,
		      struct glacier_diag *diag)
{
	for (uint32_t i = 0; i < ir->kernel_count; i++) {
		const struct glc_kernel *kernel = &ir->kernels[i];

		check_push_constants(kernel, limits, diag);
		if (!limits)
			continue;
		check_shared(kernel, limits, diag);
		check_workgroup(kernel, limits, diag);
		check_buffers(kernel, limits, diag);
		check_range(ir, kernel, limits->storage_buffer_range_bytes, diag);
	}
}
