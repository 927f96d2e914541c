/* SPDX-License-Identifier: MIT */
/* Which devices there are; opening, waiting for, and closing one. */
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

static const struct glc_device_table *table_of(enum glacier_device_kind kind)
{
	switch (kind) {
	case GLACIER_DEVICE_CPU: return &glc_cpu_device;
	case GLACIER_DEVICE_VULKAN: return &glc_vulkan_device;
	case GLACIER_DEVICE_CUDA: return &glc_cuda_device;
	default: return NULL;
	}
}

const char *glacier_device_kind_name(enum glacier_device_kind kind)
{
	switch (kind) {
	case GLACIER_DEVICE_CPU: return "cpu";
	case GLACIER_DEVICE_VULKAN: return "vulkan";
	case GLACIER_DEVICE_CUDA: return "cuda";
	default: return "unknown";
	}
}

/*
 * Hardware first, then what pretends to be, the processor itself last. A card that CUDA and
 * Vulkan both drive is better through CUDA: no limit on a buffer's size, and equal bits.
 */
static int rank(const struct glacier_device_info *info)
{
	switch (info->kind) {
	case GLACIER_DEVICE_CUDA: return 0;
	case GLACIER_DEVICE_CPU: return 3;
	default: return info->software ? 2 : 1;
	}
}

/* Into the list of what came before, behind its equals; what falls off the end is only counted. */
static void insert(struct glacier_device_info *out, size_t capacity, size_t count,
		   const struct glacier_device_info *info)
{
	size_t at = count < capacity ? count : capacity;

	while (at && rank(&out[at - 1]) > rank(info)) {
		if (at < capacity)
			out[at] = out[at - 1];
		at--;
	}
	if (at < capacity)
		out[at] = *info;
}

enum glacier_status glacier_device_list(struct glacier_device_info *out, size_t capacity, size_t *count)
{
	size_t found = 0;

	for (int kind = 0; kind < GLACIER_DEVICE_KIND_COUNT; kind++) {
		const struct glc_device_table *table = table_of((enum glacier_device_kind)kind);
		size_t n = table ? table->list(NULL, 0) : 0, listed;
		struct glacier_device_info *infos;

		if (!n)
			continue;
		infos = calloc(n, sizeof *infos);
		if (!infos)
			return GLACIER_ERR_NOMEM;
		/* A driver may count anew each time: no more than there is room for. */
		listed = table->list(infos, n);
		for (size_t i = 0; i < n && i < listed; i++)
			insert(out, capacity, found++, &infos[i]);
		free(infos);
	}
	*count = found;
	return GLACIER_OK;
}

enum glacier_status glacier_device_open(enum glacier_device_kind kind, uint32_t index,
					const struct glacier_device_options *options,
					struct glacier_device **out, struct glacier_diag *diag)
{
	static const struct glacier_device_options defaults;
	const struct glc_device_table *table = table_of(kind);
	struct glacier_device *device;
	enum glacier_status status;

	if (!table)
		return glc_fail(diag, GLC_DV_NO_DEVICE, GLC_NOWHERE, glacier_device_kind_name(kind), index);
	options = options ? options : &defaults;
	if (options->check && kind != GLACIER_DEVICE_CPU)
		return glc_fail(diag, GLC_DV_CHECK, GLC_NOWHERE, glacier_device_kind_name(kind), index);
	device = calloc(1, sizeof *device);
	if (!device)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	device->table = table;
	device->check = options->check;
	device->queues[0].device = device;
	device->queues_used = 1;
	/* Before opening: what a device compiles to find out about itself is kept as well. */
	if (options->cache_folder)
		device->cache = glc_disk_cache_open(options->cache_folder, options->cache_bytes);
	status = table->open(device, index, options, diag);
	if (status != GLACIER_OK) {
		glc_disk_cache_close(device->cache);
		free(device);
		return status;
	}
	*out = device;
	return GLACIER_OK;
}

void glacier_device_close(struct glacier_device *device)
{
	struct glacier_pipeline *next;

	if (!device)
		return;
	if (!device->lost)
		glacier_device_wait(device, 0, NULL, NULL);
	while (device->arrays)
		glc_array_free(device->arrays);
	for (struct glacier_pipeline *pipeline = device->pipelines; pipeline; pipeline = next) {
		next = pipeline->next;
		glc_pipeline_free(pipeline);
	}
	device->table->close(device);
	glc_disk_cache_close(device->cache);
	free(device);
}

const struct glacier_device_info *glacier_device_describe(const struct glacier_device *device)
{
	return &device->info;
}

void glacier_device_count(const struct glacier_device *device, struct glacier_device_counts *counts)
{
	*counts = device->counts;
}

enum glacier_status glacier_device_wait(struct glacier_device *device, uint64_t timeout_ns,
					uint64_t *device_ns, struct glacier_diag *diag)
{
	enum glacier_status status;
	uint64_t ns = 0;

	if (device->lost)
		return glc_fail(diag, GLC_DV_LOST, GLC_NOWHERE);
	status = device->table->wait(device, timeout_ns, &ns, diag);
	if (status != GLACIER_OK)
		device->lost = true;
	/* Nothing is under way: no launch has to wait for another queue. */
	for (struct glacier_array *array = device->arrays; array && device->queues_used > 1; array = array->next)
		array->writer = array->readers = 0;
	if (device_ns)
		*device_ns = ns;
	return status;
}
