/* SPDX-License-Identifier: MIT */
/* Which CUDA devices there are, and what they can do; opening one and closing it. */
#include "device/cuda.h"

#include "ir/target.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The oldest architecture whose instructions code is made of: lib/ir/target.c. */
enum { OLDEST_ARCH = 70 };

/*
 * Devices that were closed while a launch still ran. What it uses cannot be freed under
 * it, and what is in this list is no leak.
 */
static struct glc_cuda_state *stuck;

/* --- Errors --------------------------------------------------------------- */

/* A launch went wrong: from then on the context gives this for every call. */
static bool is_lost(glc_cu_result result)
{
	switch (result) {
	case 214: /* ECC_UNCORRECTABLE */
	case 220: /* NVLINK_UNCORRECTABLE */
	case 226: /* CONTAINED */
	case 700: /* ILLEGAL_ADDRESS */
	case 702: /* LAUNCH_TIMEOUT */
	case 709: /* CONTEXT_IS_DESTROYED */
	case 710: /* ASSERT */
	case 714: /* HARDWARE_STACK_ERROR */
	case 715: /* ILLEGAL_INSTRUCTION */
	case 716: /* MISALIGNED_ADDRESS */
	case 717: /* INVALID_ADDRESS_SPACE */
	case 718: /* INVALID_PC */
	case 719: /* LAUNCH_FAILED */
	case 721: /* TENSOR_MEMORY_LEAK */
	case GLC_CU_DEINITIALIZED: return true;
	default: return false;
	}
}

enum glacier_status glc_cuda_fail(struct glacier_device *device, struct glacier_diag *diag, const char *function,
				  glc_cu_result result)
{
	const char *name = glc_cuda_result_name(result);

	if (is_lost(result)) {
		device->lost = true;
		return glc_fail(diag, GLC_DV_CU_LOST, GLC_NOWHERE, device->info.name, function, name);
	}
	if (result == GLC_CU_OUT_OF_MEMORY)
		return glc_fail(diag, GLC_DV_CU_MEMORY, GLC_NOWHERE, device->info.name, function, name);
	return glc_fail(diag, GLC_DV_CU_CALL, GLC_NOWHERE, device->info.name, function, name, result);
}

enum glacier_status glc_cuda_enter(struct glacier_device *device, struct glacier_diag *diag)
{
	GLC_CUDA_TRY(device, diag, CtxSetCurrent, glc_cuda_of(device)->context);
	return GLACIER_OK;
}

/* --- What there is -------------------------------------------------------- */

/* 0 for what the driver does not know. */
static int ask(const struct glc_cuda *call, glc_cu_device device, int attribute)
{
	int value = 0;

	return call->DeviceGetAttribute(&value, attribute, device) == GLC_CU_SUCCESS ? value : 0;
}

/*
 * PTX for an architecture runs on every later one: the newest that the compiler knows. A
 * driver takes PTX 7.N from CUDA 11.N on; from 12.0 on the compiler's own choice is right.
 */
static struct glacier_target target_of(const struct glc_cuda *call, int arch)
{
	struct glacier_target target = {.kind = GLACIER_TARGET_PTX};

	while (arch > OLDEST_ARCH && !glc_ptx_isa_of((uint32_t)arch))
		arch--;
	target.arch = (uint16_t)arch;
	if (call->version < 12000) {
		target.major = 7;
		target.minor = (uint8_t)(call->version / 10 % 100);
		target.version_given = true;
	}
	return target;
}

static void fill_info(const struct glc_cuda *call, glc_cu_device device, int ordinal,
		      struct glacier_device_info *info)
{
	struct glacier_limits *limits = &info->limits;
	size_t total = 0;

	*info = (struct glacier_device_info){
		.kind = GLACIER_DEVICE_CUDA,
		.index = (uint32_t)ordinal,
		.subgroup_size = (uint32_t)ask(call, device, GLC_CU_WARP_SIZE),
		.has_i64 = true,
		.has_f64 = true,
		.wraps_host = ask(call, device, GLC_CU_HOST_REGISTER_SUPPORTED) &&
			      ask(call, device, GLC_CU_CAN_MAP_HOST_MEMORY),
	};
	call->DeviceGetName(info->name, sizeof info->name, device);
	info->name[sizeof info->name - 1] = '\0';
	snprintf(info->driver, sizeof info->driver, "CUDA %d.%d%s%s", call->version / 1000, call->version / 10 % 100,
		 call->build[0] ? ", driver " : "", call->build);
	if (call->DeviceTotalMem(&total, device) == GLC_CU_SUCCESS)
		info->buffer_bytes = total;
	limits->compute_shared_memory_bytes = (uint32_t)ask(call, device, GLC_CU_MAX_SHARED_MEMORY_PER_BLOCK);
	limits->compute_workgroup_invocations = (uint32_t)ask(call, device, GLC_CU_MAX_THREADS_PER_BLOCK);
	for (int i = 0; i < 3; i++) {
		limits->compute_workgroup_size[i] = (uint32_t)ask(call, device, GLC_CU_MAX_BLOCK_DIM_X + i);
		info->group_count[i] = (uint32_t)ask(call, device, GLC_CU_MAX_GRID_DIM_X + i);
	}
	info->target = target_of(call, 10 * ask(call, device, GLC_CU_COMPUTE_CAPABILITY_MAJOR) +
						ask(call, device, GLC_CU_COMPUTE_CAPABILITY_MINOR));
}

static int arch_of(const struct glc_cuda *call, glc_cu_device device)
{
	return 10 * ask(call, device, GLC_CU_COMPUTE_CAPABILITY_MAJOR) +
	       ask(call, device, GLC_CU_COMPUTE_CAPABILITY_MINOR);
}

static int device_count(const struct glc_cuda *call)
{
	int count = 0;

	if (call->result != GLC_CU_SUCCESS || call->DeviceGetCount(&count) != GLC_CU_SUCCESS)
		return 0;
	return count;
}

/* Those that can be opened; an index is the driver's own number. */
static size_t list(struct glacier_device_info *out, size_t capacity)
{
	const struct glc_cuda *call = glc_cuda();
	int count = device_count(call);
	size_t found = 0;

	for (int i = 0; i < count; i++) {
		glc_cu_device device;

		if (call->DeviceGet(&device, i) != GLC_CU_SUCCESS || arch_of(call, device) < OLDEST_ARCH ||
		    ask(call, device, GLC_CU_COMPUTE_MODE) == GLC_CU_COMPUTE_MODE_PROHIBITED)
			continue;
		if (found < capacity)
			fill_info(call, device, i, &out[found]);
		found++;
	}
	return found;
}

/* --- Opening -------------------------------------------------------------- */

static enum glacier_status find_device(uint32_t index, struct glacier_device_info *info, glc_cu_device *device,
				       struct glacier_diag *diag)
{
	const struct glc_cuda *call = glc_cuda();

	if (call->missing)
		return glc_fail(diag, GLC_DV_CU_FUNCTION, GLC_NOWHERE, call->missing);
	if (!call->opened)
		return glc_fail(diag, GLC_DV_CU_LIBRARY, GLC_NOWHERE);
	if (call->result != GLC_CU_SUCCESS)
		return glc_fail(diag, GLC_DV_CU_INIT, GLC_NOWHERE, glc_cuda_result_name(call->result));
	if (index >= (uint32_t)device_count(call) || call->DeviceGet(device, (int)index) != GLC_CU_SUCCESS)
		return glc_fail(diag, GLC_DV_NO_DEVICE, GLC_NOWHERE, "cuda", index);
	fill_info(call, *device, (int)index, info);
	if (arch_of(call, *device) < OLDEST_ARCH)
		return glc_fail(diag, GLC_DV_CU_OLD, GLC_NOWHERE, info->name, arch_of(call, *device) / 10,
				arch_of(call, *device) % 10);
	return GLACIER_OK;
}

static enum glacier_status check_memory(const struct glacier_device *device, glc_cu_device handle,
					struct glacier_diag *diag)
{
	const struct glc_cuda_state *cuda = glc_cuda_of(device);

	/* The host may look while nothing runs, and the driver may hold all of it at once. */
	if (cuda->memory == GLACIER_MEMORY_MANAGED && !ask(cuda->call, handle, GLC_CU_MANAGED_MEMORY))
		return glc_fail(diag, GLC_DV_CU_NO_MANAGED, GLC_NOWHERE, device->info.name, "managed");
	if (cuda->memory == GLACIER_MEMORY_PINNED && !ask(cuda->call, handle, GLC_CU_CAN_MAP_HOST_MEMORY))
		return glc_fail(diag, GLC_DV_CU_NO_MANAGED, GLC_NOWHERE, device->info.name, "mapped host");
	return GLACIER_OK;
}

static void close_device(struct glacier_device *device)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct glc_cuda_state *cuda = glc_cuda_of(device);

	if (cuda->stuck) {
		pthread_mutex_lock(&lock);
		cuda->next_stuck = stuck;
		stuck = cuda;
		pthread_mutex_unlock(&lock);
		return;
	}
	if (cuda->context) {
		if (glc_cuda_enter(device, NULL) == GLACIER_OK)
			glc_cuda_queues_destroy(device);
		glc_cuda_context_put(cuda->ordinal);
	}
	free(cuda);
}

static enum glacier_status open_device(struct glacier_device *device, uint32_t index,
				       const struct glacier_device_options *options, struct glacier_diag *diag)
{
	glc_cu_device handle = 0;
	enum glacier_status status = find_device(index, &device->info, &handle, diag);
	struct glc_cuda_state *cuda;
	glc_cu_result result;

	if (status != GLACIER_OK)
		return status;
	cuda = calloc(1, sizeof *cuda);
	if (!cuda)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	cuda->call = glc_cuda();
	cuda->ordinal = (int)index;
	cuda->memory = options->memory;
	cuda->timed = options->timed;
	cuda->registers = device->info.wraps_host && !options->no_host_wrap;
	cuda->registers_read_only = ask(cuda->call, handle, GLC_CU_READ_ONLY_HOST_REGISTER_SUPPORTED);
	cuda->call->DeviceGetUuid((struct glc_cu_uuid *)(void *)cuda->uuid, handle);
	device->info.wraps_host = cuda->registers;
	device->state = cuda;
	status = check_memory(device, handle, diag);
	if (status == GLACIER_OK) {
		result = glc_cuda_context_get(cuda->ordinal, &cuda->context);
		if (result != GLC_CU_SUCCESS)
			status = glc_cuda_fail(device, diag, "cuDevicePrimaryCtxRetain", result);
	}
	if (status == GLACIER_OK)
		status = glc_cuda_queue_create(device, 0, diag);
	if (status != GLACIER_OK) {
		close_device(device);
		device->state = NULL;
	}
	return status;
}

const struct glc_device_table glc_cuda_device = {
	.kind = GLACIER_DEVICE_CUDA,
	.list = list,
	.open = open_device,
	.close = close_device,
	.array_create = glc_cuda_array_create,
	.array_free = glc_cuda_array_free,
	.backing_create = glc_cuda_backing_create,
	.backing_commit = glc_cuda_mapping_commit,
	.backing_decommit = glc_cuda_mapping_decommit,
	.backing_place = glc_cuda_backing_place,
	.copy_to_device = glc_cuda_copy_to_device,
	.copy_to_host = glc_cuda_copy_to_host,
	.pipeline_build = glc_cuda_pipeline_build,
	.pipeline_free = glc_cuda_pipeline_free,
	.launch = glc_cuda_launch,
	.wait = glc_cuda_wait,
	.queue_create = glc_cuda_queue_create,
	.queue_order = glc_cuda_queue_order,
	.queue_wait = glc_cuda_queue_wait,
};
