/* SPDX-License-Identifier: MIT */
#include "library.h"

#include "compile/module.h"
#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A device keeps every pipeline: a new one from time to time bounds them. Opening a GPU takes its time. */
enum { RUNS_A_DEVICE = 64, RUNS_A_GPU = 2048, MAX_PARAMETERS = 64 };

struct library {
	enum glacier_device_kind kind;
	struct glacier_device *device;
	unsigned runs;
	char message[512];
};

static void note(void *user, const struct glacier_diagnostic *diagnostic)
{
	struct library *library = user;

	if (diagnostic->severity == GLACIER_ERROR && !library->message[0])
		snprintf(library->message, sizeof library->message, "%s: %s", diagnostic->code, diagnostic->message);
}

static bool open_device(struct library *library)
{
	const char *threads = getenv("GLACIER_EXEC_THREADS");
	struct glacier_diag diag = {.report = note, .user = library};
	struct glacier_device_options options = {
		.isa = getenv("GLACIER_EXEC_ISA"),
		.threads = threads ? (uint32_t)atoi(threads) : 1,
		.check = getenv("GLACIER_EXEC_CHECK"),
	};

	return glacier_device_open(library->kind, 0, &options, &library->device, &diag) == GLACIER_OK;
}

enum glacier_device_kind library_kind(void)
{
	const char *name = getenv("GLACIER_EXEC_TARGET");
	int kind = 0;

	while (kind < GLACIER_DEVICE_KIND_COUNT &&
	       (!name || strcmp(name, glacier_device_kind_name((enum glacier_device_kind)kind))))
		kind++;
	return (enum glacier_device_kind)kind;
}

enum exec_status library_open(enum glacier_device_kind kind, struct library **out, char *message, size_t bytes)
{
	struct library *library = calloc(1, sizeof *library);

	if (library)
		library->kind = kind;
	if (library && open_device(library)) {
		*out = library;
		return EXEC_OK;
	}
	snprintf(message, bytes, "%s", library ? library->message : "out of memory");
	free(library);
	return EXEC_UNAVAILABLE;
}

void library_close(struct library *library)
{
	if (!library)
		return;
	glacier_device_close(library->device);
	free(library);
}

const struct glacier_device_info *library_info(const struct library *library)
{
	return glacier_device_describe(library->device);
}

void library_target(const struct library *library, char *name, size_t bytes)
{
	if (library->kind == GLACIER_DEVICE_CPU)
		snprintf(name, bytes, "spirv:1.6");
	else
		glacier_target_name(&library_info(library)->target, name, bytes);
}

const char *library_message(const struct library *library)
{
	return library->message;
}

static const struct exec_buffer *find_buffer(const struct exec_run *run, const struct glc_object *object)
{
	for (size_t i = 0; i < run->buffer_count; i++)
		if (run->buffers[i].set == object->set && run->buffers[i].binding == object->binding)
			return &run->buffers[i];
	return NULL;
}

/* Fills an argument from the run; false: the run has none for it. */
static bool take(struct library *library, const struct exec_run *run, const struct glc_object *object,
		 struct glacier_argument *argument, struct glacier_diag *diag)
{
	uint32_t bytes = object->type == GLC_BOOL ? 4 : glc_types[object->type].bytes;
	const struct exec_buffer *buffer;

	/* Of a pipeline with bounds: an f64 for each element, or the two words of .lost. */
	if (memchr(object->name.at, '.', object->name.bytes)) {
		buffer = find_buffer(run, object);
		return glacier_array_create(library->device, object->name.at[0] == '.' || !buffer ? 8 : 2 * buffer->bytes,
					    &argument->array, diag) == GLACIER_OK;
	}
	if (object->kind == GLC_OBJECT_SCALAR) {
		if (object->offset + bytes > run->push_bytes)
			return false;
		memcpy(&argument->bits, (const char *)run->push + object->offset, bytes);
		return true;
	}
	buffer = find_buffer(run, object);
	return buffer && glacier_array_wrap(library->device, buffer->data, buffer->bytes,
					    !(object->access & GLC_WRITE), &argument->array, diag) == GLACIER_OK;
}

static bool launch(struct library *library, struct glacier_pipeline *pipeline, const struct exec_run *run,
		   struct glacier_diag *diag)
{
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];
	struct glacier_argument arguments[MAX_PARAMETERS] = {0};
	size_t count = 0;
	bool good = true;

	for (uint32_t i = 0; i < kernel->object_count && good; i++) {
		const struct glc_object *object = &kernel->objects[i];

		if (object->kind != GLC_OBJECT_BUFFER && object->kind != GLC_OBJECT_SCALAR)
			continue;
		arguments[count].name = pipeline->names[i];
		good = count < MAX_PARAMETERS && take(library, run, object, &arguments[count], diag);
		count++;
	}
	good = good && glacier_launch(pipeline, arguments, count, run->groups, diag) == GLACIER_OK;
	good = good && glacier_device_wait(library->device, 30000000000, NULL, diag) == GLACIER_OK;
	/* What checking finds is told, and the wait succeeds. */
	good = good && !diag->errors;
	for (size_t i = 0; i < count; i++)
		if (arguments[i].array)
			glacier_array_free(library->device, arguments[i].array);
	return good;
}

enum exec_status library_run(struct library *library, struct glacier_module *module, bool optimize,
			 const struct exec_run *run)
{
	struct glacier_write_options options = {
		.optimize = optimize ? GLACIER_OPTIMIZE_SAFE : GLACIER_OPTIMIZE_NONE};
	struct glacier_diag diag = {.report = note, .user = library};
	struct glacier_pipeline *pipeline;

	library->message[0] = 0;
	module->unrolls = getenv("GLACIER_EXEC_UNROLLED") != NULL;
	if (++library->runs % (library->kind == GLACIER_DEVICE_CPU ? RUNS_A_DEVICE : RUNS_A_GPU) == 0) {
		glacier_device_close(library->device);
		if (!open_device(library))
			return EXEC_FAILED;
	}
	if ((getenv("GLACIER_EXEC_BOUNDED")
		     ? glacier_pipeline_get_bounded(library->device, module, run->entry, optimize, &pipeline, &diag)
		     : glacier_pipeline_get(library->device, module, run->entry, &options, &pipeline, &diag)) != GLACIER_OK ||
	    !launch(library, pipeline, run, &diag)) {
		if (!library->message[0])
			snprintf(library->message, sizeof library->message, "an argument is missing");
		return EXEC_FAILED;
	}
	return EXEC_OK;
}
