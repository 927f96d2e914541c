/* SPDX-License-Identifier: MIT */
/*
 * Launches on queues. A launch fills the list of parameters and calls cuLaunchKernel;
 * everything else was made before.
 */
#include "device/cuda.h"

#include <string.h>
#include <time.h>

/* --- Queues --------------------------------------------------------------- */

enum glacier_status glc_cuda_queue_create(struct glacier_device *device, uint32_t queue, struct glacier_diag *diag)
{
	struct glc_cuda_state *cuda = glc_cuda_of(device);
	struct glc_cuda_queue *made = &cuda->queues[queue];
	enum glacier_status status = glc_cuda_enter(device, diag);

	if (status != GLACIER_OK)
		return status;
	/* What else the process does on this device, on the stream that has no name, is no concern of ours. */
	if (!made->stream)
		GLC_CUDA_TRY(device, diag, StreamCreate, &made->stream, GLC_CU_STREAM_NON_BLOCKING);
	if (!made->order)
		GLC_CUDA_TRY(device, diag, EventCreate, &made->order, GLC_CU_EVENT_DISABLE_TIMING);
	if (cuda->timed && !made->begin)
		GLC_CUDA_TRY(device, diag, EventCreate, &made->begin, GLC_CU_EVENT_DEFAULT);
	if (cuda->timed && !made->end)
		GLC_CUDA_TRY(device, diag, EventCreate, &made->end, GLC_CU_EVENT_DEFAULT);
	made->timed = false;
	return GLACIER_OK;
}

void glc_cuda_queues_destroy(struct glacier_device *device)
{
	const struct glc_cuda_state *cuda = glc_cuda_of(device);

	for (uint32_t i = 0; i < GLC_QUEUES; i++) {
		const struct glc_cuda_queue *queue = &cuda->queues[i];
		glc_cu_event events[] = {queue->order, queue->begin, queue->end};

		for (size_t j = 0; j < sizeof events / sizeof *events; j++)
			if (events[j])
				cuda->call->EventDestroy(events[j]);
		if (queue->stream)
			cuda->call->StreamDestroy(queue->stream);
	}
}

/* An event is recorded only when somebody waits: it then stands for all that came before. */
enum glacier_status glc_cuda_queue_order(struct glacier_device *device, uint32_t queue, uint32_t other,
					 struct glacier_diag *diag)
{
	const struct glc_cuda_state *cuda = glc_cuda_of(device);
	enum glacier_status status = glc_cuda_enter(device, diag);

	if (status != GLACIER_OK)
		return status;
	GLC_CUDA_TRY(device, diag, EventRecord, cuda->queues[other].order, cuda->queues[other].stream);
	GLC_CUDA_TRY(device, diag, StreamWaitEvent, cuda->queues[queue].stream, cuda->queues[other].order, 0);
	return GLACIER_OK;
}

/* --- Launching ------------------------------------------------------------ */

static void fill(const struct glc_launch *launch, struct glc_cuda_pipeline *built)
{
	const struct glc_object *objects = launch->pipeline->ir->kernels[0].objects;

	for (uint32_t i = 0; i < built->param_count; i++) {
		const struct glc_cuda_param *param = &built->params[i];
		const struct glc_binding *binding = &launch->bindings[param->object];
		unsigned char *at = built->list + param->offset;
		uint64_t wide = launch->scalars[param->object];
		uint32_t narrow = (uint32_t)wide;

		switch (param->kind) {
		case GLC_CUDA_ADDRESS:
			wide = ((const struct glc_cuda_memory *)binding->array->backing)->address +
			       binding->offset_bytes;
			memcpy(at, &wide, 8);
			break;
		case GLC_CUDA_LENGTH:
			wide = binding->bytes / glc_types[objects[param->object].type].bytes;
			memcpy(at, &wide, 8);
			break;
		case GLC_CUDA_SCALAR4: memcpy(at, &narrow, 4); break;
		case GLC_CUDA_SCALAR8: memcpy(at, &wide, 8); break;
		}
	}
}

enum glacier_status glc_cuda_launch(struct glacier_device *device, const struct glc_launch *launch,
				    struct glacier_diag *diag)
{
	struct glc_cuda_state *cuda = glc_cuda_of(device);
	struct glc_cuda_queue *queue = &cuda->queues[launch->queue];
	struct glc_cuda_pipeline *built = launch->pipeline->built;
	const uint32_t *groups = launch->groups, *block = built->block;
	void *extra[] = {GLC_CU_LAUNCH_PARAM_BUFFER_POINTER, built->list, GLC_CU_LAUNCH_PARAM_BUFFER_SIZE,
			 &built->list_bytes, GLC_CU_LAUNCH_PARAM_END};
	enum glacier_status status = glc_cuda_enter(device, diag);

	if (status != GLACIER_OK)
		return status;
	fill(launch, built);
	if (cuda->timed)
		GLC_CUDA_TRY(device, diag, EventRecord, queue->begin, queue->stream);
	GLC_CUDA_TRY(device, diag, LaunchKernel, built->function, groups[0], groups[1], groups[2], block[0], block[1],
		     block[2], 0, queue->stream, NULL, extra);
	if (cuda->timed)
		GLC_CUDA_TRY(device, diag, EventRecord, queue->end, queue->stream);
	queue->timed = cuda->timed;
	cuda->last = launch->queue;
	return GLACIER_OK;
}

/* --- Waiting -------------------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The driver has no waiting with a limit: look again and again, and soon less often. */
static glc_cu_result poll(const struct glc_cuda_state *cuda, glc_cu_stream stream, uint64_t begun_ns,
			  uint64_t timeout_ns)
{
	enum { SPIN_NS = 100000, REST_NS = 50000 };
	glc_cu_result result;

	while ((result = cuda->call->StreamQuery(stream)) == GLC_CU_NOT_READY) {
		uint64_t waited_ns = now_ns() - begun_ns;
		const struct timespec rest = {.tv_nsec = REST_NS};

		if (waited_ns >= timeout_ns)
			break;
		if (waited_ns > SPIN_NS)
			nanosleep(&rest, NULL);
	}
	return result;
}

static enum glacier_status finish(struct glacier_device *device, uint32_t number, uint64_t begun_ns,
				  uint64_t timeout_ns, struct glacier_diag *diag)
{
	struct glc_cuda_state *cuda = glc_cuda_of(device);
	glc_cu_stream stream = cuda->queues[number].stream;
	glc_cu_result result;

	if (!timeout_ns) {
		GLC_CUDA_TRY(device, diag, StreamSynchronize, stream);
		return GLACIER_OK;
	}
	result = poll(cuda, stream, begun_ns, timeout_ns);
	if (result == GLC_CU_NOT_READY) {
		device->lost = cuda->stuck = true;
		return glc_fail(diag, GLC_DV_TIMEOUT, GLC_NOWHERE, (unsigned long long)timeout_ns / 1000000);
	}
	return result == GLC_CU_SUCCESS ? GLACIER_OK : glc_cuda_fail(device, diag, "cuStreamQuery", result);
}

/* Of a queue whose work has ended. */
static enum glacier_status read_time(struct glacier_device *device, uint32_t number, uint64_t *device_ns,
				     struct glacier_diag *diag)
{
	const struct glc_cuda_queue *queue = &glc_cuda_of(device)->queues[number];
	float ms = 0;

	*device_ns = 0;
	if (!queue->timed)
		return GLACIER_OK;
	GLC_CUDA_TRY(device, diag, EventElapsedTime, &ms, queue->begin, queue->end);
	*device_ns = (uint64_t)((double)ms * 1e6);
	return GLACIER_OK;
}

enum glacier_status glc_cuda_wait(struct glacier_device *device, uint64_t timeout_ns, uint64_t *device_ns,
				  struct glacier_diag *diag)
{
	uint64_t begun_ns = timeout_ns ? now_ns() : 0;
	enum glacier_status status = glc_cuda_enter(device, diag);

	for (uint32_t i = 0; i < GLC_QUEUES && device->queues_used >> i && status == GLACIER_OK; i++)
		if (device->queues_used >> i & 1)
			status = finish(device, i, begun_ns, timeout_ns, diag);
	if (status != GLACIER_OK || !device_ns)
		return status;
	return read_time(device, glc_cuda_of(device)->last, device_ns, diag);
}

enum glacier_status glc_cuda_queue_wait(struct glacier_device *device, uint32_t queue, uint64_t timeout_ns,
					uint64_t *device_ns, struct glacier_diag *diag)
{
	uint64_t begun_ns = timeout_ns ? now_ns() : 0;
	enum glacier_status status = glc_cuda_enter(device, diag);

	if (status == GLACIER_OK)
		status = finish(device, queue, begun_ns, timeout_ns, diag);
	return status == GLACIER_OK && device_ns ? read_time(device, queue, device_ns, diag) : status;
}
