/* SPDX-License-Identifier: MIT */
#include "fake_cuda.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct fake_cuda fake;

/* Every handle is one of these. */
struct object {
	int number;                  /* of a stream */
	struct object *recorded;     /* of an event: the stream */
	char name[160];              /* of a function */
	void *data;                  /* of a linker: its output */
};

static int streams;

static void note(const char *format, ...)
{
	size_t used = strlen(fake.trace);
	va_list args;

	va_start(args, format);
	vsnprintf(fake.trace + used, sizeof fake.trace - used, format, args);
	va_end(args);
}

static glc_cu_result enter(const char *name)
{
	fake.calls++;
	if (!fake.fail || strcmp(fake.fail, name) || fake.fail_after-- > 0)
		return GLC_CU_SUCCESS;
	fake.fail = NULL;
	return fake.fail_result;
}

/* The head of every function: the failure that is wished for. */
#define ENTER(name)                                         \
	do {                                                \
		glc_cu_result result_ = enter(name);        \
		if (result_ != GLC_CU_SUCCESS)              \
			return result_;                     \
	} while (0)

enum { MOST_MADE = 1 << 16 };

/* What was made and not given back, in no order. */
static void *made[MOST_MADE];
static int made_count;

static void *make(size_t bytes)
{
	void *object = calloc(1, bytes);

	if (!object || made_count == MOST_MADE)
		abort();
	made[made_count++] = object;
	fake.live++;
	return object;
}

static void unmake(void *object)
{
	for (int i = 0; i < made_count; i++)
		if (made[i] == object) {
			made[i] = made[--made_count];
			fake.live--;
			free(object);
			return;
		}
	abort();   /* twice, or never made */
}

void fake_forget(void)
{
	while (made_count)
		free(made[--made_count]);
	fake.live = 0;
}

static void *address(glc_cu_address at)
{
	return (void *)(uintptr_t)at;
}

/* --- The device ----------------------------------------------------------- */

static glc_cu_result get_error_name(glc_cu_result result, const char **name)
{
	switch (result) {
	case GLC_CU_OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
	case GLC_CU_NO_DEVICE: *name = "CUDA_ERROR_NO_DEVICE"; break;
	case GLC_CU_INVALID_PTX: *name = "CUDA_ERROR_INVALID_PTX"; break;
	case 700: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
	case 801: *name = "CUDA_ERROR_NOT_SUPPORTED"; break;
	default: return GLC_CU_INVALID_VALUE;
	}
	return GLC_CU_SUCCESS;
}

static glc_cu_result device_get_count(int *count)
{
	ENTER("cuDeviceGetCount");
	*count = fake.devices;
	return GLC_CU_SUCCESS;
}

static glc_cu_result device_get(glc_cu_device *device, int ordinal)
{
	ENTER("cuDeviceGet");
	*device = ordinal;
	return ordinal < fake.devices ? GLC_CU_SUCCESS : 101;
}

static glc_cu_result device_get_name(char *name, int bytes, glc_cu_device device)
{
	snprintf(name, (size_t)bytes, "Fake %d", device);
	return GLC_CU_SUCCESS;
}

static glc_cu_result device_get_uuid(struct glc_cu_uuid *uuid, glc_cu_device device)
{
	memset(uuid, device + 1, sizeof *uuid);
	return GLC_CU_SUCCESS;
}

static glc_cu_result device_total_mem(size_t *bytes, glc_cu_device device)
{
	(void)device;
	*bytes = (size_t)1 << 34;
	return GLC_CU_SUCCESS;
}

/* Those of an H200. */
static glc_cu_result device_get_attribute(int *value, int attribute, glc_cu_device device)
{
	(void)device;
	switch (attribute) {
	case GLC_CU_MAX_THREADS_PER_BLOCK:
	case GLC_CU_MAX_BLOCK_DIM_X:
	case GLC_CU_MAX_BLOCK_DIM_X + 1: *value = 1024; break;
	case GLC_CU_MAX_BLOCK_DIM_X + 2: *value = 64; break;
	case GLC_CU_MAX_GRID_DIM_X: *value = INT32_MAX; break;
	case GLC_CU_MAX_GRID_DIM_X + 1:
	case GLC_CU_MAX_GRID_DIM_X + 2: *value = 65535; break;
	case GLC_CU_MAX_SHARED_MEMORY_PER_BLOCK: *value = 49152; break;
	case GLC_CU_WARP_SIZE: *value = 32; break;
	case GLC_CU_COMPUTE_CAPABILITY_MAJOR: *value = fake.capability / 10; break;
	case GLC_CU_COMPUTE_CAPABILITY_MINOR: *value = fake.capability % 10; break;
	case GLC_CU_MANAGED_MEMORY: *value = !fake.no_managed; break;
	case GLC_CU_READ_ONLY_HOST_REGISTER_SUPPORTED: *value = !fake.no_read_only; break;
	case GLC_CU_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: *value = !fake.no_mapping; break;
	case GLC_CU_CAN_MAP_HOST_MEMORY:
	case GLC_CU_HOST_REGISTER_SUPPORTED: *value = 1; break;
	default: *value = 0;
	}
	return GLC_CU_SUCCESS;
}

static glc_cu_result context_retain(glc_cu_context *context, glc_cu_device device)
{
	ENTER("cuDevicePrimaryCtxRetain");
	(void)device;
	*context = (glc_cu_context)(void *)&fake;
	fake.live++;
	return GLC_CU_SUCCESS;
}

static glc_cu_result context_release(glc_cu_device device)
{
	(void)device;
	fake.live--;
	return GLC_CU_SUCCESS;
}

static glc_cu_result context_set(glc_cu_context context)
{
	ENTER("cuCtxSetCurrent");
	return context == (glc_cu_context)(void *)&fake ? GLC_CU_SUCCESS : 201;
}

/* --- Memory --------------------------------------------------------------- */

static glc_cu_result mem_alloc(glc_cu_address *out, size_t bytes)
{
	unsigned char *at;

	ENTER("cuMemAlloc");
	at = make(bytes);
	/* As on a real device, it begins as anything. */
	memset(at, 0xdb, bytes);
	*out = (uintptr_t)at;
	return GLC_CU_SUCCESS;
}

static glc_cu_result mem_free(glc_cu_address at)
{
	unmake(address(at));
	return GLC_CU_SUCCESS;
}

static glc_cu_result mem_alloc_managed(glc_cu_address *out, size_t bytes, unsigned flags)
{
	ENTER("cuMemAllocManaged");
	*out = (uintptr_t)make(bytes);
	return flags == GLC_CU_ATTACH_GLOBAL ? GLC_CU_SUCCESS : GLC_CU_INVALID_VALUE;
}

static glc_cu_result mem_host_alloc(void **host, size_t bytes, unsigned flags)
{
	ENTER("cuMemHostAlloc");
	*host = make(bytes);
	return flags == GLC_CU_HOST_ALLOC_DEVICEMAP ? GLC_CU_SUCCESS : GLC_CU_INVALID_VALUE;
}

static glc_cu_result mem_free_host(void *host)
{
	unmake(host);
	return GLC_CU_SUCCESS;
}

static glc_cu_result mem_host_register(void *host, size_t bytes, unsigned flags)
{
	ENTER("cuMemHostRegister");
	(void)host;
	(void)bytes;
	fake.register_flags = flags;
	fake.live++;
	return GLC_CU_SUCCESS;
}

static glc_cu_result mem_host_unregister(void *host)
{
	(void)host;
	fake.live--;
	return GLC_CU_SUCCESS;
}

static glc_cu_result mem_host_get_device_pointer(glc_cu_address *out, void *host, unsigned flags)
{
	(void)flags;
	ENTER("cuMemHostGetDevicePointer");
	*out = (uintptr_t)host;
	return GLC_CU_SUCCESS;
}

static int number_of(glc_cu_stream stream)
{
	return ((const struct object *)(void *)stream)->number;
}

static glc_cu_result memcpy_up(glc_cu_address to, const void *from, size_t bytes, glc_cu_stream stream)
{
	ENTER("cuMemcpyHtoDAsync");
	memcpy(address(to), from, bytes);
	note("up %d;", number_of(stream));
	return GLC_CU_SUCCESS;
}

static glc_cu_result memcpy_down(void *to, glc_cu_address from, size_t bytes, glc_cu_stream stream)
{
	ENTER("cuMemcpyDtoHAsync");
	memcpy(to, address(from), bytes);
	note("down %d;", number_of(stream));
	return GLC_CU_SUCCESS;
}

static glc_cu_result memset_async(glc_cu_address to, unsigned char value, size_t bytes, glc_cu_stream stream)
{
	(void)stream;
	ENTER("cuMemsetD8Async");
	memset(address(to), value, bytes);
	return GLC_CU_SUCCESS;
}

/* --- Mapped memory: pages that cannot be touched until access is set ------- */

enum { GRANULE_BYTES = 2 << 20 };

static glc_cu_result get_granularity(size_t *bytes, const struct glc_cu_allocation *allocation, int option)
{
	ENTER("cuMemGetAllocationGranularity");
	*bytes = GRANULE_BYTES;
	return allocation->type == GLC_CU_ALLOCATION_PINNED && option == GLC_CU_GRANULARITY_MINIMUM ? GLC_CU_SUCCESS
												    : GLC_CU_INVALID_VALUE;
}

static glc_cu_result address_reserve(glc_cu_address *out, size_t bytes, size_t align, glc_cu_address wish,
				     unsigned long long flags)
{
	size_t padded = bytes + align;
	unsigned char *at;

	ENTER("cuMemAddressReserve");
	if (wish || flags || bytes % GRANULE_BYTES || align % GRANULE_BYTES)
		return GLC_CU_INVALID_VALUE;
	at = mmap(NULL, padded, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return GLC_CU_OUT_OF_MEMORY;
	*out = ((uintptr_t)at + align - 1) / align * align;
	if (*out > (uintptr_t)at)
		munmap(at, *out - (uintptr_t)at);
	munmap(address(*out + bytes), (uintptr_t)at + padded - (*out + bytes));
	fake.live++;
	return GLC_CU_SUCCESS;
}

static glc_cu_result address_free(glc_cu_address at, size_t bytes)
{
	fake.live--;
	return munmap(address(at), bytes) ? GLC_CU_INVALID_VALUE : GLC_CU_SUCCESS;
}

static glc_cu_result mem_create(unsigned long long *handle, size_t bytes, const struct glc_cu_allocation *allocation,
				unsigned long long flags)
{
	ENTER("cuMemCreate");
	if (bytes % GRANULE_BYTES || flags || allocation->location.type != GLC_CU_LOCATION_DEVICE)
		return GLC_CU_INVALID_VALUE;
	*handle = bytes;
	fake.live++;
	return GLC_CU_SUCCESS;
}

static glc_cu_result mem_release(unsigned long long handle)
{
	(void)handle;
	fake.live--;
	return GLC_CU_SUCCESS;
}

static glc_cu_result mem_map(glc_cu_address at, size_t bytes, size_t offset, unsigned long long handle,
			     unsigned long long flags)
{
	ENTER("cuMemMap");
	if (at % GRANULE_BYTES || offset || flags || handle != bytes)
		return GLC_CU_INVALID_VALUE;
	fake.live++;
	return GLC_CU_SUCCESS;
}

static glc_cu_result mem_unmap(glc_cu_address at, size_t bytes)
{
	fake.live--;
	madvise(address(at), bytes, MADV_DONTNEED);
	return mprotect(address(at), bytes, PROT_NONE) ? GLC_CU_INVALID_VALUE : GLC_CU_SUCCESS;
}

static glc_cu_result mem_set_access(glc_cu_address at, size_t bytes, const struct glc_cu_access *access, size_t count)
{
	ENTER("cuMemSetAccess");
	if (count != 1 || access->flags != GLC_CU_ACCESS_READWRITE)
		return GLC_CU_INVALID_VALUE;
	return mprotect(address(at), bytes, PROT_READ | PROT_WRITE) ? GLC_CU_INVALID_VALUE : GLC_CU_SUCCESS;
}

/* --- Streams and events --------------------------------------------------- */

static glc_cu_result stream_create(glc_cu_stream *stream, unsigned flags)
{
	struct object *object;

	ENTER("cuStreamCreate");
	object = make(sizeof *object);
	object->number = streams++;
	*stream = (glc_cu_stream)(void *)object;
	return flags == GLC_CU_STREAM_NON_BLOCKING ? GLC_CU_SUCCESS : GLC_CU_INVALID_VALUE;
}

static glc_cu_result stream_destroy(glc_cu_stream stream)
{
	unmake(stream);
	return GLC_CU_SUCCESS;
}

static glc_cu_result stream_synchronize(glc_cu_stream stream)
{
	(void)stream;
	ENTER("cuStreamSynchronize");
	return GLC_CU_SUCCESS;
}

static glc_cu_result stream_query(glc_cu_stream stream)
{
	(void)stream;
	ENTER("cuStreamQuery");
	return fake.never_ready ? GLC_CU_NOT_READY : GLC_CU_SUCCESS;
}

static glc_cu_result event_create(glc_cu_event *event, unsigned flags)
{
	(void)flags;
	ENTER("cuEventCreate");
	*event = make(sizeof(struct object));
	return GLC_CU_SUCCESS;
}

static glc_cu_result event_destroy(glc_cu_event event)
{
	unmake(event);
	return GLC_CU_SUCCESS;
}

static glc_cu_result event_record(glc_cu_event event, glc_cu_stream stream)
{
	ENTER("cuEventRecord");
	((struct object *)(void *)event)->recorded = (struct object *)(void *)stream;
	return GLC_CU_SUCCESS;
}

static glc_cu_result stream_wait_event(glc_cu_stream stream, glc_cu_event event, unsigned flags)
{
	(void)flags;
	ENTER("cuStreamWaitEvent");
	note("order %d after %d;", number_of(stream), ((const struct object *)(void *)event)->recorded->number);
	return GLC_CU_SUCCESS;
}

static glc_cu_result event_elapsed_time(float *ms, glc_cu_event begin, glc_cu_event end)
{
	(void)begin;
	(void)end;
	ENTER("cuEventElapsedTime");
	*ms = 1.5f;
	return GLC_CU_SUCCESS;
}

/* --- Code ----------------------------------------------------------------- */

static char *log_at;
static size_t log_bytes;

static glc_cu_result link_create(unsigned count, int *options, void **values, glc_cu_link *link)
{
	ENTER("cuLinkCreate");
	fake.link_options = (int)count;
	for (unsigned i = 0; i < count; i++) {
		if (options[i] == GLC_CU_JIT_ERROR_LOG_BUFFER)
			log_at = values[i];
		if (options[i] == GLC_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			log_bytes = (size_t)(uintptr_t)values[i];
		if (options[i] == GLC_CU_JIT_OPTIMIZATION_LEVEL)
			fake.link_level = (int)(uintptr_t)values[i];
	}
	*link = make(sizeof(struct object));
	fake.links++;
	return GLC_CU_SUCCESS;
}

static glc_cu_result link_add_data(glc_cu_link link, int type, void *data, size_t bytes, const char *name,
				   unsigned count, int *options, void **values)
{
	glc_cu_result result = enter("cuLinkAddData");

	(void)link;
	(void)name;
	(void)count;
	(void)options;
	(void)values;
	if (result != GLC_CU_SUCCESS && fake.jit_log)
		snprintf(log_at, log_bytes, "%s", fake.jit_log);
	/* The text ends with a zero, and that is counted. */
	if (type != GLC_CU_JIT_INPUT_PTX || !bytes || ((const char *)data)[bytes - 1] || strlen(data) != bytes - 1)
		return GLC_CU_INVALID_VALUE;
	snprintf(fake.ptx, sizeof fake.ptx, "%s", (const char *)data);
	return result;
}

/* The machine code of this driver is "CUBIN" and the length of the text. */
static glc_cu_result link_complete(glc_cu_link link, void **cubin, size_t *bytes)
{
	struct object *linker = (struct object *)(void *)link;

	ENTER("cuLinkComplete");
	linker->data = make(64);
	snprintf(linker->data, 64, "CUBIN %zu", strlen(fake.ptx));
	*cubin = linker->data;
	*bytes = 64;
	return GLC_CU_SUCCESS;
}

static glc_cu_result link_destroy(glc_cu_link link)
{
	struct object *linker = (struct object *)(void *)link;

	if (linker->data)
		unmake(linker->data);
	unmake(linker);
	return GLC_CU_SUCCESS;
}

static glc_cu_result module_load_data(glc_cu_module *module, const void *image)
{
	ENTER("cuModuleLoadData");
	memcpy(fake.image, image, sizeof fake.image);
	if (fake.refuse_code || memcmp(image, "CUBIN ", 6))
		return GLC_CU_INVALID_IMAGE;
	*module = make(sizeof(struct object));
	return GLC_CU_SUCCESS;
}

static glc_cu_result module_unload(glc_cu_module module)
{
	unmake(module);
	return GLC_CU_SUCCESS;
}

/* A function is the module itself with a name. */
static glc_cu_result module_get_function(glc_cu_function *function, glc_cu_module module, const char *name)
{
	struct object *object = (struct object *)(void *)module;

	ENTER("cuModuleGetFunction");
	snprintf(object->name, sizeof object->name, "%s", name);
	*function = (glc_cu_function)(void *)object;
	return GLC_CU_SUCCESS;
}

static glc_cu_result func_get_attribute(int *value, int attribute, glc_cu_function function)
{
	(void)function;
	ENTER("cuFuncGetAttribute");
	*value = attribute == 0 ? fake.max_threads : 0;
	return GLC_CU_SUCCESS;
}

static glc_cu_result launch_kernel(glc_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
				   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
				   glc_cu_stream stream, void **params, void **extra)
{
	const struct fake_launch launch = {
		.name = ((const struct object *)(void *)function)->name,
		.grid = {grid_x, grid_y, grid_z},
		.block = {block_x, block_y, block_z},
		.params = extra[1],
		.param_bytes = *(const size_t *)extra[3],
	};

	ENTER("cuLaunchKernel");
	if (shared_bytes || params || extra[0] != GLC_CU_LAUNCH_PARAM_BUFFER_POINTER ||
	    extra[2] != GLC_CU_LAUNCH_PARAM_BUFFER_SIZE || extra[4] != GLC_CU_LAUNCH_PARAM_END)
		return GLC_CU_INVALID_VALUE;
	fake.launches++;
	note("launch %d;", number_of(stream));
	if (fake.kernel)
		fake.kernel(&launch);
	return GLC_CU_SUCCESS;
}

/* --- In place of lib/driver/cuda.c ---------------------------------------- */

const struct glc_cuda *glc_cuda(void)
{
	static struct glc_cuda table = {
		.GetErrorName = get_error_name,
		.DeviceGetCount = device_get_count,
		.DeviceGet = device_get,
		.DeviceGetName = device_get_name,
		.DeviceGetUuid = device_get_uuid,
		.DeviceTotalMem = device_total_mem,
		.DeviceGetAttribute = device_get_attribute,
		.DevicePrimaryCtxRetain = context_retain,
		.DevicePrimaryCtxRelease = context_release,
		.CtxSetCurrent = context_set,
		.MemAlloc = mem_alloc,
		.MemFree = mem_free,
		.MemAllocManaged = mem_alloc_managed,
		.MemHostAlloc = mem_host_alloc,
		.MemFreeHost = mem_free_host,
		.MemHostRegister = mem_host_register,
		.MemHostUnregister = mem_host_unregister,
		.MemHostGetDevicePointer = mem_host_get_device_pointer,
		.MemcpyHtoDAsync = memcpy_up,
		.MemcpyDtoHAsync = memcpy_down,
		.MemsetD8Async = memset_async,
		.StreamCreate = stream_create,
		.StreamDestroy = stream_destroy,
		.StreamSynchronize = stream_synchronize,
		.StreamQuery = stream_query,
		.StreamWaitEvent = stream_wait_event,
		.EventCreate = event_create,
		.EventDestroy = event_destroy,
		.EventRecord = event_record,
		.EventElapsedTime = event_elapsed_time,
		.LinkCreate = link_create,
		.LinkAddData = link_add_data,
		.LinkComplete = link_complete,
		.LinkDestroy = link_destroy,
		.ModuleLoadData = module_load_data,
		.ModuleUnload = module_unload,
		.ModuleGetFunction = module_get_function,
		.FuncGetAttribute = func_get_attribute,
		.LaunchKernel = launch_kernel,
		.MemAddressReserve = address_reserve,
		.MemAddressFree = address_free,
		.MemCreate = mem_create,
		.MemRelease = mem_release,
		.MemMap = mem_map,
		.MemUnmap = mem_unmap,
		.MemSetAccess = mem_set_access,
		.MemGetAllocationGranularity = get_granularity,
		.build = "1.2.3",
	};

	table.opened = !fake.absent && !fake.missing;
	table.missing = fake.missing;
	table.result = fake.init;
	table.version = fake.version;
	return &table;
}

glc_cu_result glc_cuda_context_get(int ordinal, glc_cu_context *context)
{
	return context_retain(context, ordinal);
}

void glc_cuda_context_put(int ordinal)
{
	context_release(ordinal);
}

bool glc_cuda_has_mapping(const struct glc_cuda *cuda)
{
	return cuda->MemCreate;
}

const char *glc_cuda_result_name(glc_cu_result result)
{
	const char *name = "CUDA_ERROR_UNKNOWN";

	get_error_name(result, &name);
	return name;
}

void fake_reset(void)
{
	fake = (struct fake_cuda){
		.version = 13000, .devices = 1, .capability = 90, .max_threads = 1024, .live = fake.live};
	streams = 0;
}
