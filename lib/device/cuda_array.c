/* SPDX-License-Identifier: MIT */
/*
 * Arrays on a CUDA device: plain device memory with a copy on the host, unless the device
 * was opened for another kind. The caller's memory is registered and used as it is; where
 * the driver refuses that, it is copied.
 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE  /* MAP_ANONYMOUS */
#endif

#include "device/cuda.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The widest access that a kernel makes (ld.v4.b32); no allocation is empty. */
enum { ALIGN_BYTES = 16 };

/* What managed memory a device may have: far below what any has free, so that it is never short. */
#define MANAGED_BYTES (UINT64_C(1) << 30)

/* Locking pages costs more than one copy gains, and less than many. */
enum { LOCK_BYTES = 1 << 20, LOCK_COPIES = 2, BOUNCE_BYTES = 1 << 20 };

static uint64_t round_up(uint64_t bytes, uint64_t align)
{
	return (bytes + align - 1) / align * align;
}

static uint64_t device_bytes(const struct glacier_array *array)
{
	return array->bytes ? round_up(array->bytes, ALIGN_BYTES) : ALIGN_BYTES;
}

static uint64_t mapped_bytes(const struct glacier_array *array)
{
	return round_up(array->bytes ? array->bytes : 1, (uint64_t)sysconf(_SC_PAGESIZE));
}

/* --- The caller's memory -------------------------------------------------- */

/*
 * The driver maps whole pages, and only once: of two ranges that share one, the second would
 * have the rights of the first there, or none once the first is gone. A context is shared by
 * all that opened its device, and so is this list.
 */
static pthread_mutex_t registered_lock = PTHREAD_MUTEX_INITIALIZER;
static struct glc_cuda_memory *registered;

/* False: a page is taken. */
static bool take_pages(const struct glacier_array *array, struct glc_cuda_memory *memory)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), base = (uintptr_t)array->host;
	const struct glc_cuda_memory *other;

	memory->ordinal = glc_cuda_of(array->device)->ordinal;
	memory->begin = base / page * page;
	memory->end = (base + array->bytes + page - 1) / page * page;
	pthread_mutex_lock(&registered_lock);
	other = registered;
	while (other && (other->ordinal != memory->ordinal || other->end <= memory->begin ||
			 memory->end <= other->begin))
		other = other->next;
	if (!other) {
		memory->next = registered;
		registered = memory;
	}
	pthread_mutex_unlock(&registered_lock);
	return !other;
}

static void leave_pages(const struct glc_cuda_memory *memory)
{
	struct glc_cuda_memory **link = &registered;

	pthread_mutex_lock(&registered_lock);
	while (*link != memory)
		link = &(*link)->next;
	*link = memory->next;
	pthread_mutex_unlock(&registered_lock);
}

/* False leaves nothing behind: the driver refuses pages that it cannot lock or may not write. */
static bool register_host(struct glacier_array *array, struct glc_cuda_memory *memory)
{
	const struct glc_cuda_state *cuda = glc_cuda_of(array->device);
	bool read_only = array->read_only && cuda->registers_read_only;
	unsigned flags = GLC_CU_HOST_REGISTER_DEVICEMAP | (read_only ? GLC_CU_HOST_REGISTER_READ_ONLY : 0);

	/* A kernel's accesses are aligned if the array is; an address that is not would end in a fault. */
	if (!cuda->registers || !array->bytes || (uintptr_t)array->host % ALIGN_BYTES || !take_pages(array, memory))
		return false;
	if (cuda->call->MemHostRegister(array->host, array->bytes, flags) != GLC_CU_SUCCESS) {
		leave_pages(memory);
		return false;
	}
	if (cuda->call->MemHostGetDevicePointer(&memory->address, array->host, 0) != GLC_CU_SUCCESS) {
		cuda->call->MemHostUnregister(array->host);
		leave_pages(memory);
		return false;
	}
	memory->home = GLC_CUDA_REGISTERED;
	array->reserved_bytes = mapped_bytes(array);
	array->shared = true;
	return true;
}

/* --- Creating ------------------------------------------------------------- */

static enum glacier_status create_separate(struct glacier_array *array, struct glc_cuda_memory *memory,
					   struct glacier_diag *diag)
{
	struct glacier_device *device = array->device;

	GLC_CUDA_TRY(device, diag, MemAlloc, &memory->address, device_bytes(array));
	array->reserved_bytes = device_bytes(array);
	if (array->wrapped)
		return GLACIER_OK;
	/* No page of it exists until somebody looks: results that stay on the device cost the host nothing. */
	array->host = mmap(NULL, mapped_bytes(array), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (array->host == MAP_FAILED)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	memory->host_mapped = true;
	GLC_CUDA_TRY(device, diag, MemsetD8Async, memory->address, 0, device_bytes(array),
		     glc_cuda_of(device)->queues[0].stream);
	array->fresh = GLC_FRESH_BOTH;
	return GLACIER_OK;
}

static enum glacier_status create_pinned(struct glacier_array *array, struct glc_cuda_memory *memory,
					 struct glacier_diag *diag)
{
	struct glacier_device *device = array->device;
	void *host;

	GLC_CUDA_TRY(device, diag, MemHostAlloc, &host, device_bytes(array), GLC_CU_HOST_ALLOC_DEVICEMAP);
	memory->home = GLC_CUDA_PINNED;
	array->host = memset(host, 0, device_bytes(array));
	array->reserved_bytes = device_bytes(array);
	GLC_CUDA_TRY(device, diag, MemHostGetDevicePointer, &memory->address, host, 0);
	array->shared = true;
	return GLACIER_OK;
}

static enum glacier_status create_managed(struct glacier_array *array, struct glc_cuda_memory *memory,
					  struct glacier_diag *diag)
{
	struct glacier_device *device = array->device;
	struct glc_cuda_state *cuda = glc_cuda_of(device);
	uint64_t bytes = device_bytes(array);

	if (bytes > MANAGED_BYTES - cuda->managed_bytes)
		return glc_fail(diag, GLC_DV_CU_MANAGED, GLC_NOWHERE, (unsigned long long)bytes,
				(unsigned long long)cuda->managed_bytes, (unsigned long long)MANAGED_BYTES);
	GLC_CUDA_TRY(device, diag, MemAllocManaged, &memory->address, bytes, GLC_CU_ATTACH_GLOBAL);
	memory->home = GLC_CUDA_MANAGED;
	cuda->managed_bytes += bytes;
	array->host = memset((void *)(uintptr_t)memory->address, 0, bytes);
	array->reserved_bytes = bytes;
	array->shared = true;
	return GLACIER_OK;
}

/* Enters the device, and gives the array what is known of its memory: nothing yet. */
static enum glacier_status begin_memory(struct glacier_array *array, struct glc_cuda_memory **memory, struct glacier_diag *diag)
{
	enum glacier_status status = glc_cuda_enter(array->device, diag);

	if (status != GLACIER_OK)
		return status;
	*memory = calloc(1, sizeof **memory);
	if (!*memory)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	array->backing = *memory;
	return GLACIER_OK;
}

enum glacier_status glc_cuda_array_create(struct glacier_array *array, struct glacier_diag *diag)
{
	const struct glc_cuda_state *cuda = glc_cuda_of(array->device);
	struct glc_cuda_memory *memory;
	enum glacier_status status = begin_memory(array, &memory, diag);

	if (status != GLACIER_OK)
		return status;
	if (array->wrapped && register_host(array, memory))
		return GLACIER_OK;
	if (array->wrapped || cuda->memory == GLACIER_MEMORY_DEVICE)
		status = create_separate(array, memory, diag);
	else if (cuda->memory == GLACIER_MEMORY_PINNED)
		status = create_pinned(array, memory, diag);
	else
		status = create_managed(array, memory, diag);
	if (status != GLACIER_OK)
		glc_cuda_array_free(array);
	return status;
}

void glc_cuda_array_free(struct glacier_array *array)
{
	struct glc_cuda_state *cuda = glc_cuda_of(array->device);
	struct glc_cuda_memory *memory = array->backing;

	if (memory->home == GLC_CUDA_REGISTERED)
		leave_pages(memory);
	/* A launch that never ends may still use it. */
	if (!cuda->stuck && glc_cuda_enter(array->device, NULL) == GLACIER_OK) {
		if (memory->home == GLC_CUDA_REGISTERED || memory->host_registered)
			cuda->call->MemHostUnregister(array->host);
		if (memory->home == GLC_CUDA_PINNED)
			cuda->call->MemFreeHost(array->host);
		else if (memory->home == GLC_CUDA_MAPPED)
			glc_cuda_mapping_free(array);
		else if (memory->home != GLC_CUDA_REGISTERED && memory->address)
			cuda->call->MemFree(memory->address);
		if (memory->home == GLC_CUDA_MANAGED)
			cuda->managed_bytes -= device_bytes(array);
	}
	if (!cuda->stuck && memory->host_mapped)
		munmap(array->host, mapped_bytes(array));
	free(memory->mapped);
	free(memory);
}

/* --- Memory for arenas ---------------------------------------------------- */

static enum glacier_status take_backing(struct glacier_array *array, enum glacier_backing kind,
					struct glc_cuda_memory *memory, struct glacier_diag *diag)
{
	struct glacier_device *device = array->device;
	void *host;

	array->reserved_bytes = device_bytes(array);
	if (kind == GLACIER_BACKING_DEVICE) {
		GLC_CUDA_TRY(device, diag, MemAlloc, &memory->address, device_bytes(array));
		return GLACIER_OK;
	}
	if (kind == GLACIER_BACKING_VIRTUAL)
		return glc_cuda_mapping_create(array, memory, diag);
	GLC_CUDA_TRY(device, diag, MemHostAlloc, &host, device_bytes(array), GLC_CU_HOST_ALLOC_DEVICEMAP);
	memory->home = GLC_CUDA_PINNED;
	array->host = host;
	GLC_CUDA_TRY(device, diag, MemHostGetDevicePointer, &memory->address, host, 0);
	return GLACIER_OK;
}

enum glacier_status glc_cuda_backing_create(struct glacier_array *array, enum glacier_backing kind, glacier_addr *base,
					    struct glacier_diag *diag)
{
	struct glc_cuda_memory *memory;
	enum glacier_status status = begin_memory(array, &memory, diag);

	if (status != GLACIER_OK)
		return status;
	status = take_backing(array, kind, memory, diag);
	if (status != GLACIER_OK) {
		glc_cuda_array_free(array);
		return status;
	}
	*base = array->host ? (uintptr_t)array->host : memory->address;
	return GLACIER_OK;
}

void glc_cuda_backing_place(const struct glacier_array *array, struct glacier_place *place)
{
	const struct glc_cuda_memory *memory = array->backing;

	place->device_address = memory->address + place->offset_bytes;
}

/* --- Copies --------------------------------------------------------------- */

/* Arrays that go to and fro are worth it that their host side stays in memory. */
static void lock_host(struct glacier_array *array, struct glc_cuda_memory *memory)
{
	const struct glc_cuda_state *cuda = glc_cuda_of(array->device);

	if (++memory->copies == LOCK_COPIES && memory->host_mapped && array->bytes >= LOCK_BYTES)
		memory->host_registered =
			cuda->call->MemHostRegister(array->host, mapped_bytes(array), 0) == GLC_CU_SUCCESS;
}

/*
 * The driver refuses to copy memory of which it knows a part: the caller's, where the page at
 * one end belongs to another array that is registered. Then by way of memory of ours.
 */
static enum glacier_status bounce(struct glacier_array *array, glc_cu_stream stream, bool to_device,
				  struct glacier_diag *diag)
{
	struct glacier_device *device = array->device;
	const struct glc_cuda_memory *memory = array->backing;
	const struct glc_cuda *call = glc_cuda_of(device)->call;
	unsigned char *between = malloc(BOUNCE_BYTES);
	glc_cu_result result = GLC_CU_SUCCESS;

	if (!between)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	for (uint64_t at = 0; at < array->bytes && result == GLC_CU_SUCCESS; at += BOUNCE_BYTES) {
		uint64_t left = array->bytes - at, bytes = left < BOUNCE_BYTES ? left : BOUNCE_BYTES;

		if (to_device)
			memcpy(between, array->host + at, bytes);
		result = to_device ? call->MemcpyHtoDAsync(memory->address + at, between, bytes, stream)
				   : call->MemcpyDtoHAsync(between, memory->address + at, bytes, stream);
		if (result == GLC_CU_SUCCESS)
			result = call->StreamSynchronize(stream);
		if (result == GLC_CU_SUCCESS && !to_device)
			memcpy(array->host + at, between, bytes);
	}
	free(between);
	return result == GLC_CU_SUCCESS
		       ? GLACIER_OK
		       : glc_cuda_fail(device, diag, to_device ? "cuMemcpyHtoDAsync" : "cuMemcpyDtoHAsync", result);
}

static enum glacier_status transfer(struct glacier_array *array, uint32_t queue, bool to_device,
				    struct glacier_diag *diag)
{
	struct glacier_device *device = array->device;
	const struct glc_cuda_state *cuda = glc_cuda_of(device);
	struct glc_cuda_memory *memory = array->backing;
	glc_cu_stream stream = cuda->queues[queue].stream;
	enum glacier_status status = glc_cuda_enter(device, diag);
	glc_cu_result result;

	if (status != GLACIER_OK || !array->bytes)
		return status;
	lock_host(array, memory);
	result = to_device ? cuda->call->MemcpyHtoDAsync(memory->address, array->host, array->bytes, stream)
			   : cuda->call->MemcpyDtoHAsync(array->host, memory->address, array->bytes, stream);
	if (result == GLC_CU_INVALID_VALUE && array->wrapped)
		return bounce(array, stream, to_device, diag);
	return result == GLC_CU_SUCCESS
		       ? GLACIER_OK
		       : glc_cuda_fail(device, diag, to_device ? "cuMemcpyHtoDAsync" : "cuMemcpyDtoHAsync", result);
}

/* Not waited for: the host changes the array only after it waited for everything. */
enum glacier_status glc_cuda_copy_to_device(struct glacier_array *array, uint32_t queue, struct glacier_diag *diag)
{
	return transfer(array, queue, true, diag);
}

enum glacier_status glc_cuda_copy_to_host(struct glacier_array *array, struct glacier_diag *diag)
{
	enum glacier_status status = transfer(array, 0, false, diag);

	return status == GLACIER_OK ? glc_cuda_queue_wait(array->device, 0, 0, NULL, diag) : status;
}
