/* SPDX-License-Identifier: MIT */
#include "cpu.h"

#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A device keeps every pipeline: a new one from time to time bounds them. */
enum { RUNS_A_DEVICE = 64, MAX_PARAMETERS = 64 };

struct cpu {
	struct glacier_device *device;
	unsigned runs;
	char message[512];
};

static void note(void *user, const struct glacier_diagnostic *diagnostic)
{
	struct cpu *cpu = user;

	if (diagnostic->severity == GLACIER_ERROR && !cpu->message[0])
		snprintf(cpu->message, sizeof cpu->message, "%s: %s", diagnostic->code, diagnostic->message);
}

static bool open_device(struct cpu *cpu)
{
	const char *threads = getenv("GLACIER_EXEC_THREADS");
	struct glacier_diag diag = {.report = note, .user = cpu};
	struct glacier_device_options options = {
		.isa = getenv("GLACIER_EXEC_ISA"),
		.threads = threads ? (uint32_t)atoi(threads) : 1,
		.check = getenv("GLACIER_EXEC_CHECK"),
	};

	return glacier_device_open(GLACIER_DEVICE_CPU, 0, &options, &cpu->device, &diag) == GLACIER_OK;
}

enum exec_status cpu_open(struct cpu **out, char *message, size_t bytes)
{
	struct cpu *cpu = calloc(1, sizeof *cpu);

	if (cpu && open_device(cpu)) {
		*out = cpu;
		return EXEC_OK;
	}
	snprintf(message, bytes, "%s", cpu ? cpu->message : "out of memory");
	free(cpu);
	return EXEC_UNAVAILABLE;
}

void cpu_close(struct cpu *cpu)
{
	if (!cpu)
		return;
	glacier_device_close(cpu->device);
	free(cpu);
}

const char *cpu_message(const struct cpu *cpu)
{
	return cpu->message;
}

static const struct exec_buffer *find_buffer(const struct exec_run *run, const struct glc_object *object)
{
	for (size_t i = 0; i < run->buffer_count; i++)
		if (run->buffers[i].set == object->set && run->buffers[i].binding == object->binding)
			return &run->buffers[i];
	return NULL;
}

/* Fills an argument from the run; false: the run has none for it. */
static bool take(struct cpu *cpu, const struct exec_run *run, const struct glc_object *object,
		 struct glacier_argument *argument, struct glacier_diag *diag)
{
	uint32_t bytes = object->type == GLC_BOOL ? 4 : glc_types[object->type].bytes;
	const struct exec_buffer *buffer;

	/* Of a pipeline with bounds: an f64 for each element, or the two words of .lost. */
	if (memchr(object->name.at, '.', object->name.bytes)) {
		buffer = find_buffer(run, object);
		return glacier_array_create(cpu->device, object->name.at[0] == '.' || !buffer ? 8 : 2 * buffer->bytes,
					    &argument->array, diag) == GLACIER_OK;
	}
	if (object->kind == GLC_OBJECT_SCALAR) {
		if (object->offset + bytes > run->push_bytes)
			return false;
		memcpy(&argument->bits, (const char *)run->push + object->offset, bytes);
		return true;
	}
	buffer = find_buffer(run, object);
	return buffer && glacier_array_wrap(cpu->device, buffer->data, buffer->bytes,
					    !(object->access & GLC_WRITE), &argument->array, diag) == GLACIER_OK;
}

static bool launch(struct cpu *cpu, struct glacier_pipeline *pipeline, const struct exec_run *run,
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
		good = count < MAX_PARAMETERS && take(cpu, run, object, &arguments[count], diag);
		count++;
	}
	good = good && glacier_launch(pipeline, arguments, count, run->groups, diag) == GLACIER_OK;
	good = good && glacier_device_wait(cpu->device, 30000000000, NULL, diag) == GLACIER_OK;
	/* What checking finds is told, and the wait succeeds. */
	good = good && !diag->errors;
	for (size_t i = 0; i < count; i++)
		if (arguments[i].array)
			glacier_array_free(cpu->device, arguments[i].array);
	return good;
}

enum exec_status cpu_run(struct cpu *cpu, struct glacier_module *module, bool optimize,
			 const struct exec_run *run)
{
	struct glacier_write_options options = {
		.optimize = optimize ? GLACIER_OPTIMIZE_SAFE : GLACIER_OPTIMIZE_NONE};
	struct glacier_diag diag = {.report = note, .user = cpu};
	struct glacier_pipeline *pipeline;

	cpu->message[0] = 0;
	if (++cpu->runs % RUNS_A_DEVICE == 0) {
		glacier_device_close(cpu->device);
		if (!open_device(cpu))
			return EXEC_FAILED;
	}
	if ((getenv("GLACIER_EXEC_BOUNDED")
		     ? glacier_pipeline_get_bounded(cpu->device, module, run->entry, optimize, &pipeline, &diag)
		     : glacier_pipeline_get(cpu->device, module, run->entry, &options, &pipeline, &diag)) != GLACIER_OK ||
	    !launch(cpu, pipeline, run, &diag)) {
		if (!cpu->message[0])
			snprintf(cpu->message, sizeof cpu->message, "an argument is missing");
		return EXEC_FAILED;
	}
	return EXEC_OK;
}
