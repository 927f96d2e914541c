/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  /* dlinfo */
#endif

#include "driver/cuda.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct glc_cuda table;

/*
 * The interface does not tell the driver's own version, and two of one interface make
 * different code. The file's name does: libcuda.so.580.159.04.
 */
static void find_build(void *library)
{
	static const char stem[] = "libcuda.so.";
	struct link_map *map;
	const char *name;
	char *path;

	if (dlinfo(library, RTLD_DI_LINKMAP, &map))
		return;
	path = realpath(map->l_name, NULL);
	name = path ? strrchr(path, '/') : NULL;
	if (name && !strncmp(name + 1, stem, sizeof stem - 1))
		snprintf(table.build, sizeof table.build, "%.31s", name + sizeof stem);
	free(path);
}

/*
 * Nothing is closed again: the driver leaves threads and exit handlers behind, which must
 * find their code.
 */
static void open_library(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	table.result = GLC_CU_UNKNOWN;
	if (!library)
		return;
	/* POSIX lets a function's address travel in a pointer to data, as dlsym gives it. */
#define LOAD(name, symbol, arguments) *(void **)&table.name = dlsym(library, symbol);
	GLC_CUDA_FUNCTIONS(LOAD)
	GLC_CUDA_OPTIONAL(LOAD)
#undef LOAD
#define LOOK(name, symbol, arguments) \
	if (!table.name && !table.missing) \
		table.missing = symbol;
	GLC_CUDA_FUNCTIONS(LOOK)
#undef LOOK
	if (table.missing)
		return;
	table.opened = true;
	find_build(library);
	table.result = table.Init(0);
	if (table.result == GLC_CU_SUCCESS)
		table.result = table.DriverGetVersion(&table.version);
}

const struct glc_cuda *glc_cuda(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_library);
	return &table;
}

glc_cu_result glc_cuda_context_get(int ordinal, glc_cu_context *context)
{
	glc_cu_device device;
	glc_cu_result result = table.DeviceGet(&device, ordinal);

	return result == GLC_CU_SUCCESS ? table.DevicePrimaryCtxRetain(context, device) : result;
}

void glc_cuda_context_put(int ordinal)
{
	glc_cu_device device;

	if (table.DeviceGet(&device, ordinal) == GLC_CU_SUCCESS)
		table.DevicePrimaryCtxRelease(device);
}

bool glc_cuda_has_mapping(const struct glc_cuda *cuda)
{
	bool complete = true;

#define LOOK(name, symbol, arguments) complete = complete && cuda->name;
	GLC_CUDA_OPTIONAL(LOOK)
#undef LOOK
	return complete;
}

/* The driver knows its own errors, also those that came after this was written. */
const char *glc_cuda_result_name(glc_cu_result result)
{
	const char *name = NULL;

	if (table.GetErrorName && table.GetErrorName(result, &name) == GLC_CU_SUCCESS && name)
		return name;
	return "CUDA_ERROR_UNKNOWN";
}
