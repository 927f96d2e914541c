/* SPDX-License-Identifier: MIT */
/*
 * Memory of a device for an arena to divide. The device knows it as one array, so that kernels
 * are given parts of it as of any other; the arena knows its addresses alone.
 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE  /* MAP_ANONYMOUS */
#endif

#include "device/device.h"

#include <stdlib.h>
#include <sys/mman.h>

void glc_backing_detach(struct glc_backing *backing)
{
	if (backing->pages)
		munmap(backing->pages, backing->page_bytes);
	backing->array = NULL;
	backing->pages = NULL;
}

static void release(void *user, glacier_addr base, uint64_t bytes)
{
	struct glc_backing *backing = user;

	(void)base;
	(void)bytes;
	if (backing->array)
		glc_array_free(backing->array);
	free(backing);
}

/* Closing the device takes all of it: then nothing can be had, and nothing is there to give. */
static bool commit(void *user, glacier_addr base, uint64_t bytes)
{
	struct glc_backing *backing = user;

	return backing->array &&
	       backing->array->device->table->backing_commit(backing->array, base - backing->base, bytes);
}

static void decommit(void *user, glacier_addr base, uint64_t bytes)
{
	struct glc_backing *backing = user;

	if (backing->array)
		backing->array->device->table->backing_decommit(backing->array, base - backing->base, bytes);
}

/* Pages that are taken as they are touched: an arena may be far larger than what is used of it. */
static enum glacier_status take_pages(struct glacier_device *device, struct glc_backing *backing, uint64_t bytes,
				      struct glacier_diag *diag)
{
	enum glacier_status status;
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (pages == MAP_FAILED)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	status = glacier_array_wrap(device, pages, bytes, false, &backing->array, diag);
	if (status != GLACIER_OK) {
		munmap(pages, bytes);
		return status;
	}
	backing->pages = pages;
	backing->page_bytes = bytes;
	backing->base = (uintptr_t)pages;
	return GLACIER_OK;
}

static enum glacier_status take_memory(struct glacier_device *device, enum glacier_backing kind,
				       struct glc_backing *backing, uint64_t bytes, struct glacier_diag *diag)
{
	struct glacier_array *array = calloc(1, sizeof *array);
	enum glacier_status status;

	if (!array)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	/* Shared: no launch looks for a copy that must go to the device first. */
	*array = (struct glacier_array){.device = device, .bytes = bytes, .shared = true, .fresh = GLC_FRESH_BOTH};
	status = device->table->backing_create(array, kind, &backing->base, diag);
	if (status != GLACIER_OK) {
		free(array);
		return status;
	}
	array->next = device->arrays;
	device->arrays = array;
	backing->array = array;
	return GLACIER_OK;
}

enum glacier_status glacier_device_backing(struct glacier_device *device, enum glacier_backing kind, uint64_t bytes,
					   struct glacier_range *out, struct glacier_diag *diag)
{
	struct glc_backing *backing;
	enum glacier_status status;

	if (device->lost)
		return glc_fail(diag, GLC_DV_LOST, GLC_NOWHERE);
	if ((unsigned)kind >= GLACIER_BACKING_COUNT)
		return GLACIER_ERR_ARGUMENT;
	if (!bytes || bytes >> 48)
		return glc_fail(diag, GLC_DV_BACKING_BYTES, GLC_NOWHERE, (unsigned long long)bytes);
	if (kind == GLACIER_BACKING_VIRTUAL)
		bytes = (bytes + GLC_BACKING_GRANULE - 1) / GLC_BACKING_GRANULE * GLC_BACKING_GRANULE;
	if (kind != GLACIER_BACKING_DEVICE && !device->table->backing_create)
		return glc_fail(diag, GLC_DV_BACKING_KIND, GLC_NOWHERE, glacier_device_kind_name(device->info.kind),
				device->info.index);
	backing = calloc(1, sizeof *backing);
	if (!backing)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	status = device->table->backing_create ? take_memory(device, kind, backing, bytes, diag)
					       : take_pages(device, backing, bytes, diag);
	if (status != GLACIER_OK) {
		free(backing);
		return status;
	}
	backing->array->owner = backing;
	*out = (struct glacier_range){.base = backing->base, .bytes = bytes, .release = release, .user = backing};
	if (kind == GLACIER_BACKING_VIRTUAL) {
		out->commit = commit;
		out->decommit = decommit;
	}
	return GLACIER_OK;
}

enum glacier_status glacier_device_place(struct glacier_device *device, glacier_addr addr, struct glacier_place *place)
{
	for (struct glacier_array *array = device->arrays; array; array = array->next) {
		if (!array->owner || addr - array->owner->base >= array->bytes)
			continue;
		*place = (struct glacier_place){.array = array, .offset_bytes = addr - array->owner->base};
		place->bytes = array->bytes - place->offset_bytes;
		if (device->table->backing_place)
			device->table->backing_place(array, place);
		return GLACIER_OK;
	}
	return GLACIER_ERR_INVALID;
}
