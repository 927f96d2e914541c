/* SPDX-License-Identifier: MIT */
/*
 * Arrays: what the host sees, what the device sees, and which of the two is up to date.
 * Where the device works on the host's bytes there is nothing to keep in step.
 */
#include "device/device.h"

#include <stdlib.h>

/* The address behind the last byte, as a number: pointers into different objects do not compare. */
static uintptr_t end_of(const void *base, uint64_t bytes)
{
	return (uintptr_t)base + (uintptr_t)bytes;
}

static bool overlaps(const struct glacier_array *array, const void *base, uint64_t bytes)
{
	return array->host && (uintptr_t)base < end_of(array->host, array->bytes) &&
	       (uintptr_t)array->host < end_of(base, bytes);
}

static enum glacier_status create(struct glacier_device *device, void *base, uint64_t bytes, bool wrapped,
				  bool read_only, struct glacier_array **out, struct glacier_diag *diag)
{
	struct glacier_array *array;
	enum glacier_status status;

	if (device->lost)
		return glc_fail(diag, GLC_DV_LOST, GLC_NOWHERE);
	if ((device->info.buffer_bytes && bytes > device->info.buffer_bytes) || bytes > PTRDIFF_MAX)
		return glc_fail(diag, GLC_DV_ARRAY_LARGE, GLC_NOWHERE, (unsigned long long)bytes,
				(unsigned long long)(device->info.buffer_bytes ? device->info.buffer_bytes
									       : PTRDIFF_MAX));
	array = calloc(1, sizeof *array);
	if (!array)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	*array = (struct glacier_array){
		.device = device,
		.host = base,
		.bytes = bytes,
		.wrapped = wrapped,
		.read_only = read_only,
		.fresh = GLC_FRESH_HOST,
	};
	status = device->table->array_create(array, diag);
	if (status != GLACIER_OK) {
		free(array);
		return status;
	}
	/* Where it is zeroed on the device, that is work of the first queue. */
	array->writer = 1;
	array->next = device->arrays;
	device->arrays = array;
	*out = array;
	return GLACIER_OK;
}

enum glacier_status glacier_array_create(struct glacier_device *device, uint64_t bytes,
					 struct glacier_array **out, struct glacier_diag *diag)
{
	return create(device, NULL, bytes, false, false, out, diag);
}

enum glacier_status glacier_array_wrap(struct glacier_device *device, void *base, uint64_t bytes,
				       bool read_only, struct glacier_array **out, struct glacier_diag *diag)
{
	if (bytes > UINTPTR_MAX - (uintptr_t)base)
		return glc_fail(diag, GLC_DV_ARRAY_LARGE, GLC_NOWHERE, (unsigned long long)bytes,
				(unsigned long long)(UINTPTR_MAX - (uintptr_t)base));
	for (const struct glacier_array *array = device->arrays; array; array = array->next)
		if (overlaps(array, base, bytes))
			return glc_fail(diag, GLC_DV_ARRAY_OVERLAP, GLC_NOWHERE);
	return create(device, base, bytes, true, read_only, out, diag);
}

/* The caller's copy, up to date; GLACIER_OK also when it is already. */
static enum glacier_status bring_home(struct glacier_array *array, struct glacier_diag *diag)
{
	struct glacier_device *device = array->device;
	enum glacier_status status;

	if (array->shared || array->fresh != GLC_FRESH_DEVICE)
		return GLACIER_OK;
	status = device->table->copy_to_host(array, diag);
	if (status != GLACIER_OK) {
		device->lost = true;
		return status;
	}
	device->counts.copies_to_host++;
	device->counts.bytes_to_host += array->bytes;
	array->fresh = GLC_FRESH_BOTH;
	return GLACIER_OK;
}

void glc_array_free(struct glacier_array *array)
{
	struct glacier_device *device = array->device;
	struct glacier_array **link = &device->arrays;

	while (*link != array)
		link = &(*link)->next;
	if (!device->lost)
		glacier_device_wait(device, 0, NULL, NULL);
	if (!device->lost && array->wrapped)
		bring_home(array, NULL);
	*link = array->next;
	device->table->array_free(array);
	if (array->owner)
		glc_backing_detach(array->owner);
	free(array);
}

enum glacier_status glacier_array_free(struct glacier_device *device, struct glacier_array *array)
{
	const struct glacier_array *own = device->arrays;

	while (own && own != array)
		own = own->next;
	/* An arena's memory goes by the release of its range, which somebody holds. */
	if (!own || own->owner)
		return GLACIER_ERR_ARGUMENT;
	glc_array_free(array);
	return GLACIER_OK;
}

uint64_t glacier_array_bytes(const struct glacier_array *array)
{
	return array->bytes;
}

uint64_t glacier_array_reserved_bytes(const struct glacier_array *array)
{
	return array->reserved_bytes;
}

void *glacier_array_host(struct glacier_array *array, bool writing, struct glacier_diag *diag)
{
	if (array->owner && !array->host) {
		glc_fail(diag, GLC_DV_BACKING_UNSEEN, GLC_NOWHERE);
		return NULL;
	}
	if (glacier_device_wait(array->device, 0, NULL, diag) != GLACIER_OK ||
	    bring_home(array, diag) != GLACIER_OK)
		return NULL;
	if (writing && !array->shared)
		array->fresh = GLC_FRESH_HOST;
	if (writing) {
		free(array->stored);
		array->stored = NULL;
	}
	return array->host;
}

struct glacier_array *glacier_array_find(struct glacier_device *device, const void *pointer,
					 uint64_t *offset_bytes)
{
	for (struct glacier_array *array = device->arrays; array; array = array->next) {
		if (!overlaps(array, pointer, 1))
			continue;
		*offset_bytes = (uint64_t)((uintptr_t)pointer - (uintptr_t)array->host);
		return array;
	}
	return NULL;
}
