/* SPDX-License-Identifier: MIT */
/* Pipelines and launches: what is checked and remembered before a device is asked. */
#include "device/device.h"

#include "base/buf.h"
#include "base/hash.h"
#include "compile/kernel.h"
#include "compile/limits.h"
#include "device/check.h"

#include <stdlib.h>

#define NAME(thing) (int)(thing)->name.bytes, (thing)->name.at

static const struct glc_kernel *kernel_of(const struct glacier_pipeline *pipeline)
{
	return &pipeline->ir->kernels[0];
}

static bool is_parameter(const struct glc_object *object)
{
	return object->kind == GLC_OBJECT_BUFFER || object->kind == GLC_OBJECT_SCALAR;
}

/* --- Pipelines ------------------------------------------------------------ */

static struct glacier_pipeline *find(struct glacier_device *device, const uint64_t hash[2], const void *key,
				     size_t bytes)
{
	for (struct glacier_pipeline *pipeline = device->pipelines; pipeline; pipeline = pipeline->next)
		if (pipeline->hash[0] == hash[0] && pipeline->hash[1] == hash[1] &&
		    pipeline->key_bytes == bytes && !memcmp(pipeline->key, key, bytes))
			return pipeline;
	return NULL;
}

/* Everything is known of a kernel that is about to run, its specialization constants too. */
enum glacier_status glc_pipeline_check_limits(const struct glacier_device *device, const struct glc_kernel *kernel,
					      const struct glc_source_map *map, struct glacier_diag *diag)
{
	struct glacier_memory memory;
	struct glc_kernel known = *kernel;
	struct glc_ir ir = {.kernels = &known, .kernel_count = 1};
	enum glacier_status status = GLACIER_OK;
	const struct glc_source_map *outer = diag ? diag->map : NULL;
	uint32_t before = diag ? diag->errors : 0;
	struct glacier_diag silent = {0};

	for (int i = 0; i < 3; i++) {
		known.workgroup[i].spec = GLC_NO_VALUE;
		if (!known.workgroup[i].value)
			return glc_fail(diag, GLC_DV_WORKGROUP_ZERO, GLC_NOWHERE, NAME(kernel), 'x' + i);
	}
	/* What the constants' literals say of indices was checked when the kernel was lowered. */
	known.inst_count = 0;
	glacier_memory_init(&memory, NULL, 0);
	known.objects = glc_bump(&memory, (size_t)kernel->object_count * sizeof *known.objects);
	if (!known.objects) {
		status = glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	} else {
		if (kernel->object_count)
			memcpy(known.objects, kernel->objects,
			       (size_t)kernel->object_count * sizeof *known.objects);
		for (uint32_t i = 0; i < kernel->object_count; i++)
			known.objects[i].length.spec = GLC_NO_VALUE;
		if (!diag)
			diag = &silent;
		diag->map = map;
		glc_limits_check(&ir, &device->info.limits, diag);
		diag->map = outer;
		if (diag->errors != before)
			status = GLACIER_ERR_LIMIT;
	}
	glacier_memory_fini(&memory);
	return status;
}

/* The names of the parameters as strings, and room for the arguments of a launch. */
static bool prepare_arguments(struct glacier_pipeline *pipeline, const struct glc_kernel *source)
{
	const struct glc_kernel *kernel = kernel_of(pipeline);
	size_t n = kernel->object_count;
	uint8_t *types = glc_bump(&pipeline->memory, n);
	char *own = glc_bump_zero(&pipeline->memory, kernel->name.bytes + 1);

	if (!own)
		return false;
	pipeline->name = memcpy(own, kernel->name.at, kernel->name.bytes);
	pipeline->types = types;
	pipeline->names = glc_bump(&pipeline->memory, n * sizeof *pipeline->names);
	pipeline->bindings = glc_bump_zero(&pipeline->memory, n * sizeof *pipeline->bindings);
	pipeline->scalars = glc_bump_zero(&pipeline->memory, n * sizeof *pipeline->scalars);
	pipeline->given = glc_bump(&pipeline->memory, n * sizeof *pipeline->given);
	if (!types || !pipeline->names || !pipeline->bindings || !pipeline->scalars || !pipeline->given)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct glc_object *object = &kernel->objects[i];
		char *name = glc_bump(&pipeline->memory, object->name.bytes + 1);

		if (!name)
			return false;
		memcpy(name, object->name.at, object->name.bytes);
		name[object->name.bytes] = '\0';
		pipeline->names[i] = name;
		types[i] = source->objects[i].type;
	}
	return true;
}

void glc_pipeline_free(struct glacier_pipeline *pipeline)
{
	if (pipeline->built)
		pipeline->device->table->pipeline_free(pipeline);
	glacier_memory_fini(&pipeline->memory);
	free(pipeline);
}

/* What is made here is made of this. */
struct source {
	struct glacier_module *module;
	const struct glc_kernel *kernel;
	const struct glacier_write_options *options;
	bool bounded, inputs_differ;
};

static enum glacier_status lower(struct glacier_pipeline *pipeline, const void *context,
				 const struct glc_kernel **kernel, struct glacier_diag *diag)
{
	const struct source *source = context;
	struct glacier_device *device = pipeline->device;
	struct glc_ir *ir = glc_bump(&pipeline->memory, sizeof *ir);
	enum glacier_status status;

	if (!ir)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	pipeline->ir = ir;
	pipeline->adds_floats = glc_adds_floats(source->kernel);
	*kernel = source->kernel;
	status = glc_pipeline_check_limits(device, source->kernel, glc_module_map(source->module), diag);
	if (status == GLACIER_OK && source->bounded) {
		status = glc_module_bound(source->module, source->kernel, source->inputs_differ, &pipeline->memory, ir,
					  diag);
		*kernel = ir->kernels;
	} else if (status == GLACIER_OK)
		status = glc_module_lower(source->module, source->kernel, &device->info.target,
					  source->options->optimize != GLACIER_OPTIMIZE_NONE, &pipeline->memory, ir,
					  diag);
	if (status == GLACIER_OK && device->check)
		status = glc_check_find_sites(pipeline, glc_module_map(source->module), diag);
	return status;
}

enum glacier_status glc_pipeline_find(struct glacier_device *device, const struct glacier_buffer *key,
				      enum glacier_status (*make)(struct glacier_pipeline *pipeline, const void *source,
								  const struct glc_kernel **kernel,
								  struct glacier_diag *diag),
				      const void *source, const struct glacier_write_options *options,
				      struct glacier_pipeline **out, struct glacier_diag *diag)
{
	const struct glc_kernel *kernel = NULL;
	struct glacier_pipeline *pipeline;
	enum glacier_status status;
	struct glc_hash hash;
	uint64_t sum[2];
	void *copy;

	glc_hash_init(&hash, NULL);
	glc_hash_add(&hash, key->data, key->size);
	glc_hash_end(&hash, sum);
	pipeline = find(device, sum, key->data, key->size);
	if (pipeline) {
		device->counts.pipelines_found++;
		*out = pipeline;
		return GLACIER_OK;
	}
	pipeline = calloc(1, sizeof *pipeline);
	if (!pipeline)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	pipeline->device = device;
	memcpy(pipeline->hash, sum, sizeof sum);
	glacier_memory_init(&pipeline->memory, NULL, 0);
	copy = glc_bump(&pipeline->memory, key->size);
	pipeline->key = copy ? memcpy(copy, key->data, key->size) : NULL;
	pipeline->key_bytes = key->size;
	status = copy ? make(pipeline, source, &kernel, diag) : glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	if (status == GLACIER_OK && !prepare_arguments(pipeline, kernel))
		status = glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	if (status == GLACIER_OK)
		status = device->table->pipeline_build(pipeline, options, diag);
	if (status != GLACIER_OK) {
		glc_pipeline_free(pipeline);
		return status;
	}
	pipeline->next = device->pipelines;
	device->pipelines = pipeline;
	device->counts.pipelines_built++;
	*out = pipeline;
	return GLACIER_OK;
}

enum glacier_status glacier_pipeline_get(struct glacier_device *device, struct glacier_module *module,
					 const char *name, const struct glacier_write_options *options,
					 struct glacier_pipeline **out, struct glacier_diag *diag)
{
	struct glacier_write_options known = options ? *options : (struct glacier_write_options){0};
	struct source source = {.module = module, .options = &known};
	struct glacier_buffer key = {0};
	enum glacier_status status;

	if (device->lost)
		return glc_fail(diag, GLC_DV_LOST, GLC_NOWHERE);
	status = glc_module_kernel(module, name, &source.kernel, diag);
	if (status != GLACIER_OK)
		return status;
	/* Two kernels that only stand in different places are told of in different places. */
	known.debug |= device->check;
	if (glc_module_content(module, source.kernel, &known, &key))
		status = glc_pipeline_find(device, &key, lower, &source, &known, out, diag);
	else
		status = glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	glacier_buffer_fini(&key);
	return status;
}

enum glacier_status glacier_pipeline_get_bounded(struct glacier_device *device, struct glacier_module *module,
						 const char *name, bool inputs_differ,
						 struct glacier_pipeline **out, struct glacier_diag *diag)
{
	struct glacier_write_options options = {0};
	struct source source = {
		.module = module, .options = &options, .bounded = true, .inputs_differ = inputs_differ};
	struct glacier_buffer key = {0};
	enum glacier_status status;
	struct glc_writer tag;

	if (device->lost)
		return glc_fail(diag, GLC_DV_LOST, GLC_NOWHERE);
	if (device->info.kind != GLACIER_DEVICE_CPU)
		return glc_fail(diag, GLC_DV_BOUNDS, GLC_NOWHERE, glacier_device_kind_name(device->info.kind),
				device->info.index);
	status = glc_module_kernel(module, name, &source.kernel, diag);
	if (status != GLACIER_OK)
		return status;
	/* In front of the content, no kernel's name is so long. */
	glc_writer_begin(&tag, &key);
	glc_put(&tag, &(uint64_t[]){UINT64_MAX - 1 - inputs_differ}, sizeof(uint64_t));
	if (glc_writer_end(&tag) && glc_module_content(module, source.kernel, &options, &key))
		status = glc_pipeline_find(device, &key, lower, &source, &options, out, diag);
	else
		status = glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	glacier_buffer_fini(&key);
	return status;
}

const char *glacier_pipeline_kernel(const struct glacier_pipeline *pipeline)
{
	return pipeline->name;
}

size_t glacier_pipeline_parameter_count(const struct glacier_pipeline *pipeline)
{
	const struct glc_kernel *kernel = kernel_of(pipeline);
	size_t count = 0;

	for (uint32_t i = 0; i < kernel->object_count; i++)
		count += is_parameter(&kernel->objects[i]);
	return count;
}

bool glacier_pipeline_parameter(const struct glacier_pipeline *pipeline, size_t index,
				struct glacier_parameter *parameter)
{
	const struct glc_kernel *kernel = kernel_of(pipeline);

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];
		enum glc_type type = pipeline->types[i];
		bool is_buffer = object->kind == GLC_OBJECT_BUFFER;

		if (!is_parameter(object) || index--)
			continue;
		*parameter = (struct glacier_parameter){
			.name = pipeline->names[i],
			.type = glc_types[type].name,
			.elem_bytes = type == GLC_BOOL ? 4 : glc_types[type].bytes,
			.is_buffer = is_buffer,
			.reads = is_buffer && (object->access & GLC_READ),
			.writes = is_buffer && (object->access & GLC_WRITE),
		};
		return true;
	}
	return false;
}

void glacier_pipeline_workgroup(const struct glacier_pipeline *pipeline, uint32_t size[3])
{
	for (int i = 0; i < 3; i++)
		size[i] = kernel_of(pipeline)->workgroup[i].value;
}

/* --- Arguments ------------------------------------------------------------ */

static uint32_t find_parameter(const struct glacier_pipeline *pipeline, const char *name)
{
	const struct glc_kernel *kernel = kernel_of(pipeline);

	for (uint32_t i = 0; i < kernel->object_count; i++)
		if (is_parameter(&kernel->objects[i]) && !strcmp(pipeline->names[i], name))
			return i;
	return GLC_NO_VALUE;
}

static bool is_own(const struct glacier_device *device, const struct glacier_array *array)
{
	const struct glacier_array *own = device->arrays;

	while (own && own != array)
		own = own->next;
	return own;
}

static enum glacier_status bind_buffer(struct glacier_pipeline *pipeline, uint32_t index,
				       const struct glacier_argument *argument, struct glacier_diag *diag)
{
	const struct glacier_device *device = pipeline->device;
	const struct glc_kernel *kernel = kernel_of(pipeline);
	const struct glc_object *object = &kernel->objects[index];
	uint32_t elem_bytes = glc_types[object->type].bytes;
	uint32_t limit = device->info.limits.storage_buffer_range_bytes;
	struct glacier_array *array = argument->array;
	uint64_t offset = argument->offset_bytes, bytes = argument->bytes;

	if (!is_own(device, array))
		return glc_fail(diag, GLC_DV_ARGUMENT_FOREIGN, GLC_NOWHERE, NAME(kernel), argument->name);
	if (offset <= array->bytes && !bytes)
		bytes = array->bytes - offset;
	if (offset > array->bytes || bytes > array->bytes - offset)
		return glc_fail(diag, GLC_DV_ARGUMENT_PART, GLC_NOWHERE, NAME(kernel), argument->name,
				(unsigned long long)offset, (unsigned long long)(offset + bytes),
				(unsigned long long)array->bytes);
	if (offset % elem_bytes || bytes % elem_bytes)
		return glc_fail(diag, GLC_DV_ARGUMENT_ELEMS, GLC_NOWHERE, NAME(kernel),
				(unsigned long long)bytes, (unsigned long long)offset, argument->name,
				elem_bytes);
	if (limit && bytes > limit)
		return glc_fail(diag, GLC_DV_ARGUMENT_LARGE, GLC_NOWHERE, NAME(kernel), argument->name,
				(unsigned long long)bytes, (unsigned long long)limit);
	if (array->read_only && (object->access & GLC_WRITE))
		return glc_fail(diag, GLC_DV_ARGUMENT_READ_ONLY, GLC_NOWHERE, NAME(kernel), argument->name);
	pipeline->bindings[index] = (struct glc_binding){array, offset, bytes};
	return GLACIER_OK;
}

static enum glacier_status bind(struct glacier_pipeline *pipeline, const struct glacier_argument *argument,
				struct glacier_diag *diag)
{
	const struct glc_kernel *kernel = kernel_of(pipeline);
	uint32_t index = find_parameter(pipeline, argument->name);
	const struct glc_object *object;
	bool is_buffer;

	if (index == GLC_NO_VALUE)
		return glc_fail(diag, GLC_DV_ARGUMENT_UNKNOWN, GLC_NOWHERE, NAME(kernel), argument->name);
	object = &kernel->objects[index];
	is_buffer = object->kind == GLC_OBJECT_BUFFER;
	if (pipeline->given[index])
		return glc_fail(diag, GLC_DV_ARGUMENT_TWICE, GLC_NOWHERE, NAME(kernel), argument->name);
	if (is_buffer != !!argument->array)
		return glc_fail(diag, GLC_DV_ARGUMENT_KIND, GLC_NOWHERE, NAME(kernel), argument->name,
				is_buffer ? "buffer" : "scalar");
	pipeline->given[index] = true;
	if (is_buffer)
		return bind_buffer(pipeline, index, argument, diag);
	pipeline->scalars[index] = object->type == GLC_BOOL ? !!argument->bits
							    : argument->bits & glc_type_mask(object->type);
	return GLACIER_OK;
}

static bool overlap(const struct glc_binding *a, const struct glc_binding *b)
{
	return a->array == b->array && a->offset_bytes < b->offset_bytes + b->bytes &&
	       b->offset_bytes < a->offset_bytes + a->bytes;
}

static enum glacier_status check_complete(const struct glacier_pipeline *pipeline, struct glacier_diag *diag)
{
	const struct glc_kernel *kernel = kernel_of(pipeline);
	const struct glc_object *objects = kernel->objects;

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		if (!is_parameter(&objects[i]))
			continue;
		if (!pipeline->given[i])
			return glc_fail(diag, GLC_DV_ARGUMENT_MISSING, GLC_NOWHERE, NAME(kernel),
					NAME(&objects[i]));
		if (objects[i].kind != GLC_OBJECT_BUFFER)
			continue;
		for (uint32_t j = 0; j < i; j++)
			if (objects[j].kind == GLC_OBJECT_BUFFER &&
			    ((objects[i].access | objects[j].access) & GLC_WRITE) &&
			    overlap(&pipeline->bindings[i], &pipeline->bindings[j]))
				return glc_fail(diag, GLC_DV_ARGUMENT_OVERLAP, GLC_NOWHERE, NAME(kernel),
						NAME(&objects[j]), NAME(&objects[i]));
	}
	return GLACIER_OK;
}

static enum glacier_status check_groups(const struct glacier_device *device, const uint32_t groups[3],
					struct glacier_diag *diag)
{
	for (int i = 0; i < 3; i++) {
		uint32_t limit = device->info.group_count[i];

		if (!groups[i])
			return glc_fail(diag, GLC_DV_GROUPS_ZERO, GLC_NOWHERE, groups[0], groups[1], groups[2]);
		if (limit && groups[i] > limit)
			return glc_fail(diag, GLC_DV_GROUPS_MANY, GLC_NOWHERE, groups[i], 'x' + i, limit);
	}
	return GLACIER_OK;
}

/* Behind what other queues do with the same arrays, where one of two writes. */
static enum glacier_status order(struct glacier_pipeline *pipeline, uint32_t queue, struct glacier_diag *diag)
{
	struct glacier_device *device = pipeline->device;
	const struct glc_kernel *kernel = kernel_of(pipeline);
	uint32_t others = 0;
	enum glacier_status status = GLACIER_OK;

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glacier_array *array = pipeline->bindings[i].array;

		if (kernel->objects[i].kind != GLC_OBJECT_BUFFER)
			continue;
		others |= array->writer;
		if ((kernel->objects[i].access & GLC_WRITE) || array->fresh == GLC_FRESH_HOST)
			others |= array->readers;
	}
	others &= device->queues_used & ~(UINT32_C(1) << queue);
	for (uint32_t other = 0; other < GLC_QUEUES && status == GLACIER_OK; other++)
		if (others >> other & 1)
			status = device->table->queue_order(device, queue, other, diag);
	return status;
}

static void note_order(struct glacier_pipeline *pipeline, uint32_t queue)
{
	const struct glc_kernel *kernel = kernel_of(pipeline);

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		struct glacier_array *array = pipeline->bindings[i].array;

		if (kernel->objects[i].kind != GLC_OBJECT_BUFFER)
			continue;
		if (kernel->objects[i].access & GLC_WRITE) {
			array->writer = UINT32_C(1) << queue;
			array->readers = 0;
		} else {
			array->readers |= UINT32_C(1) << queue;
		}
	}
}

/* Brings what the kernel sees to the device, and notes what it will write. */
static enum glacier_status move(struct glacier_pipeline *pipeline, uint32_t queue, struct glacier_diag *diag)
{
	struct glacier_device *device = pipeline->device;
	const struct glc_kernel *kernel = kernel_of(pipeline);

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		struct glacier_array *array = pipeline->bindings[i].array;
		enum glacier_status status;

		if (kernel->objects[i].kind != GLC_OBJECT_BUFFER || array->shared ||
		    array->fresh != GLC_FRESH_HOST)
			continue;
		status = device->table->copy_to_device(array, queue, diag);
		if (status != GLACIER_OK)
			return status;
		array->writer = UINT32_C(1) << queue;
		device->counts.copies_to_device++;
		device->counts.bytes_to_device += array->bytes;
		array->fresh = GLC_FRESH_BOTH;
	}
	return GLACIER_OK;
}

static enum glacier_status launch_on(struct glacier_pipeline *pipeline, uint32_t queue,
				     const struct glacier_argument *arguments, size_t count,
				     const uint32_t groups[3], struct glacier_diag *diag)
{
	struct glacier_device *device = pipeline->device;
	const struct glc_kernel *kernel = kernel_of(pipeline);
	struct glc_launch launch = {
		.pipeline = pipeline,
		.bindings = pipeline->bindings,
		.scalars = pipeline->scalars,
		.groups = {groups[0], groups[1], groups[2]},
		.queue = queue,
	};
	bool ordered = device->queues_used > 1 && device->table->queue_order;
	enum glacier_status status;

	if (device->lost)
		return glc_fail(diag, GLC_DV_LOST, GLC_NOWHERE);
	status = check_groups(device, groups, diag);
	memset(pipeline->given, 0, kernel->object_count * sizeof *pipeline->given);
	for (size_t i = 0; i < count && status == GLACIER_OK; i++)
		status = bind(pipeline, &arguments[i], diag);
	if (status == GLACIER_OK)
		status = check_complete(pipeline, diag);
	if (status == GLACIER_OK && ordered)
		status = order(pipeline, queue, diag);
	if (status == GLACIER_OK)
		status = move(pipeline, queue, diag);
	if (status == GLACIER_OK)
		status = device->table->launch(device, &launch, diag);
	if (status != GLACIER_OK) {
		device->lost = device->lost || status == GLACIER_ERR_DEVICE;
		return status;
	}
	if (ordered)
		note_order(pipeline, queue);
	for (uint32_t i = 0; i < kernel->object_count; i++)
		if (kernel->objects[i].kind == GLC_OBJECT_BUFFER && (kernel->objects[i].access & GLC_WRITE) &&
		    !pipeline->bindings[i].array->shared)
			pipeline->bindings[i].array->fresh = GLC_FRESH_DEVICE;
	device->counts.launches++;
	return GLACIER_OK;
}

enum glacier_status glacier_launch(struct glacier_pipeline *pipeline, const struct glacier_argument *arguments,
				   size_t count, const uint32_t groups[3], struct glacier_diag *diag)
{
	return launch_on(pipeline, 0, arguments, count, groups, diag);
}

enum glacier_status glacier_launch_on(struct glacier_queue *queue, struct glacier_pipeline *pipeline,
				      const struct glacier_argument *arguments, size_t count,
				      const uint32_t groups[3], struct glacier_diag *diag)
{
	if (queue->device != pipeline->device)
		return glc_fail(diag, GLC_DV_QUEUE_FOREIGN, GLC_NOWHERE, NAME(kernel_of(pipeline)));
	return launch_on(pipeline, queue->number, arguments, count, groups, diag);
}
