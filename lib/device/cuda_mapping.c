/* SPDX-License-Identifier: MIT */
/*
 * Addresses of a CUDA device that get memory granule by granule, for an arena that is a reservoir.
 * Each granule is an allocation of its own: a mapping can only be undone as a whole, and a
 * reservoir gives back any granules that it keeps (CUDA Driver API, cuMemUnmap).
 */
#include "device/cuda.h"

#include <stdlib.h>

static struct glc_cu_location location_of(const struct glc_cuda_state *cuda)
{
	return (struct glc_cu_location){.type = GLC_CU_LOCATION_DEVICE, .id = cuda->ordinal};
}

static struct glc_cu_allocation allocation_of(const struct glc_cuda_state *cuda)
{
	return (struct glc_cu_allocation){.type = GLC_CU_ALLOCATION_PINNED, .location = location_of(cuda)};
}

static bool can_map(const struct glc_cuda_state *cuda)
{
	const struct glc_cu_allocation allocation = allocation_of(cuda);
	const struct glc_cuda *call = cuda->call;
	glc_cu_device device;
	size_t granularity = 0;
	int has = 0;

	return glc_cuda_has_mapping(call) && call->DeviceGet(&device, cuda->ordinal) == GLC_CU_SUCCESS &&
	       call->DeviceGetAttribute(&has, GLC_CU_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device) == GLC_CU_SUCCESS && has &&
	       call->MemGetAllocationGranularity(&granularity, &allocation, GLC_CU_GRANULARITY_MINIMUM) == GLC_CU_SUCCESS &&
	       granularity && GLC_BACKING_GRANULE % granularity == 0;
}

enum glacier_status glc_cuda_mapping_create(struct glacier_array *array, struct glc_cuda_memory *memory,
					    struct glacier_diag *diag)
{
	struct glacier_device *device = array->device;

	if (!can_map(glc_cuda_of(device)))
		return glc_fail(diag, GLC_DV_BACKING_VIRTUAL, GLC_NOWHERE, device->info.name);
	memory->mapped = calloc(array->bytes / GLC_BACKING_GRANULE, sizeof *memory->mapped);
	if (!memory->mapped)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	GLC_CUDA_TRY(device, diag, MemAddressReserve, &memory->address, array->bytes, GLC_BACKING_GRANULE, 0, 0);
	memory->home = GLC_CUDA_MAPPED;
	return GLACIER_OK;
}

static bool map_granule(const struct glc_cuda_state *cuda, glc_cu_address at)
{
	const struct glc_cu_allocation allocation = allocation_of(cuda);
	unsigned long long handle;
	glc_cu_result result;

	if (cuda->call->MemCreate(&handle, GLC_BACKING_GRANULE, &allocation, 0) != GLC_CU_SUCCESS)
		return false;
	result = cuda->call->MemMap(at, GLC_BACKING_GRANULE, 0, handle, 0);
	/* The mapping keeps the memory; unmapping it then frees it. */
	cuda->call->MemRelease(handle);
	return result == GLC_CU_SUCCESS;
}

void glc_cuda_mapping_decommit(struct glacier_array *array, uint64_t offset, uint64_t bytes)
{
	const struct glc_cuda_state *cuda = glc_cuda_of(array->device);
	struct glc_cuda_memory *memory = array->backing;

	for (uint64_t at = offset; at < offset + bytes; at += GLC_BACKING_GRANULE) {
		if (!memory->mapped[at / GLC_BACKING_GRANULE])
			continue;
		cuda->call->MemUnmap(memory->address + at, GLC_BACKING_GRANULE);
		memory->mapped[at / GLC_BACKING_GRANULE] = false;
	}
}

/*
 * From any thread: neither the device nor its array is changed, nor a context current, which none
 * of these functions asks for. Nor is it said why there is none; the arena says that it is full.
 */
bool glc_cuda_mapping_commit(struct glacier_array *array, uint64_t offset, uint64_t bytes)
{
	const struct glc_cuda_state *cuda = glc_cuda_of(array->device);
	const struct glc_cu_access access = {.location = location_of(cuda), .flags = GLC_CU_ACCESS_READWRITE};
	struct glc_cuda_memory *memory = array->backing;

	for (uint64_t at = offset; at < offset + bytes; at += GLC_BACKING_GRANULE) {
		if (!map_granule(cuda, memory->address + at)) {
			glc_cuda_mapping_decommit(array, offset, at - offset);
			return false;
		}
		memory->mapped[at / GLC_BACKING_GRANULE] = true;
	}
	if (cuda->call->MemSetAccess(memory->address + offset, bytes, &access, 1) == GLC_CU_SUCCESS)
		return true;
	glc_cuda_mapping_decommit(array, offset, bytes);
	return false;
}

void glc_cuda_mapping_free(struct glacier_array *array)
{
	const struct glc_cuda_memory *memory = array->backing;

	glc_cuda_mapping_decommit(array, 0, array->bytes);
	glc_cuda_of(array->device)->call->MemAddressFree(memory->address, array->bytes);
}
