/* SPDX-License-Identifier: MIT */
#include "cuda.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BUFFERS = 64, PARAM_BYTES = 4096 };

/* The driver's interface, as CUDA Driver API describes it: handles are pointers, 0 is success. */
typedef void *handle;
typedef uint64_t address;

#define FUNCTIONS(X) \
	X(Init, "cuInit", (unsigned)) \
	X(DeviceGet, "cuDeviceGet", (int *, int)) \
	X(DeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, int)) \
	X(CtxCreate, "cuCtxCreate_v2", (handle *, unsigned, int)) \
	X(CtxDestroy, "cuCtxDestroy_v2", (handle)) \
	X(CtxSynchronize, "cuCtxSynchronize", (void)) \
	X(ModuleLoadDataEx, "cuModuleLoadDataEx", (handle *, const void *, unsigned, int *, void **)) \
	X(ModuleUnload, "cuModuleUnload", (handle)) \
	X(ModuleGetFunction, "cuModuleGetFunction", (handle *, handle, const char *)) \
	X(MemAlloc, "cuMemAlloc_v2", (address *, size_t)) \
	X(MemFree, "cuMemFree_v2", (address)) \
	X(MemcpyHtoD, "cuMemcpyHtoD_v2", (address, const void *, size_t)) \
	X(MemcpyDtoH, "cuMemcpyDtoH_v2", (void *, address, size_t)) \
	X(LaunchKernel, "cuLaunchKernel", (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
					   unsigned, handle, void **, void **)) \
	X(GetErrorString, "cuGetErrorString", (int, const char **))

struct cuda {
	void *library;
	handle context;
	char message[1024];
#define X(name, symbol, arguments) int (*name) arguments;
	FUNCTIONS(X)
#undef X
};

static enum exec_status fail(struct cuda *cuda, enum exec_status status, const char *what, int code)
{
	const char *why = NULL;

	if (code && cuda->GetErrorString)
		cuda->GetErrorString(code, &why);
	snprintf(cuda->message, sizeof cuda->message, "%s%s%s", what, why ? ": " : "", why ? why : "");
	return status;
}

enum exec_status cuda_open(struct cuda **out, unsigned *arch, char *message, size_t bytes)
{
	enum { MAJOR = 75, MINOR = 76 };   /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_ */
	struct cuda *cuda = calloc(1, sizeof *cuda);
	int device, major = 0, minor = 0, code = 0;

	if (!cuda)
		return EXEC_UNAVAILABLE;
	cuda->library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!cuda->library) {
		snprintf(message, bytes, "libcuda.so.1 cannot be opened");
		free(cuda);
		return EXEC_UNAVAILABLE;
	}
#define X(name, symbol, arguments) \
	*(void **)&cuda->name = dlsym(cuda->library, symbol); \
	code = code || !cuda->name;
	FUNCTIONS(X)
#undef X
	if (code || cuda->Init(0) || cuda->DeviceGet(&device, 0) ||
	    cuda->DeviceGetAttribute(&major, MAJOR, device) || cuda->DeviceGetAttribute(&minor, MINOR, device) ||
	    cuda->CtxCreate(&cuda->context, 0, device)) {
		snprintf(message, bytes, "there is no CUDA device");
		cuda_close(cuda);
		return EXEC_UNAVAILABLE;
	}
	*arch = (unsigned)(major * 10 + minor);
	*out = cuda;
	return EXEC_OK;
}

void cuda_close(struct cuda *cuda)
{
	if (!cuda)
		return;
	if (cuda->context)
		cuda->CtxDestroy(cuda->context);
	dlclose(cuda->library);
	free(cuda);
}

const char *cuda_message(const struct cuda *cuda)
{
	return cuda->message;
}

/* --- The parameters ------------------------------------------------------- */

struct params {
	unsigned char bytes[PARAM_BYTES];
	size_t size;
};

static void put(struct params *params, const void *value, size_t bytes)
{
	params->size = (params->size + bytes - 1) / bytes * bytes;
	memcpy(params->bytes + params->size, value, bytes);
	params->size += bytes;
}

static size_t bytes_of(const char *type)
{
	return !strncmp(type, "i64", 3) || !strncmp(type, "u64", 3) || !strncmp(type, "f64", 3) ? 8 : 4;
}

/* Does the text take the Length of that buffer? */
static bool takes_length(const char *text, const char *name, size_t bytes)
{
	for (const char *at = text; (at = strstr(at, "= Length.")); at++) {
		const char *object = strchr(at, '@');

		if (object && !strncmp(object, name, bytes) && object[bytes] == '\n')
			return true;
	}
	return false;
}

/* From the kernel's parameter list: pointers and scalars in order, then the lengths taken. */
static void fill_params(struct params *params, const char *source, const struct exec_run *run,
			const address *addresses)
{
	const char *kernel = strstr(source, "kernel "), *end = strchr(kernel, ')');
	const unsigned char *push = run->push;
	uint64_t lengths[MOST_BUFFERS];
	size_t pushed = 0, buffer = 0, length_count = 0;

	for (const char *at = strchr(kernel, '('); (at = strchr(at, '@')) && at < end; at++) {
		size_t name = strcspn(at, ":");
		const char *kind = at + name + 2;

		if (!strncmp(kind, "buffer ", 7)) {
			if (takes_length(source, at, name))
				lengths[length_count++] = run->buffers[buffer].bytes / bytes_of(kind + 7);
			put(params, &addresses[buffer++], 8);
		} else if (strncmp(kind, "spec ", 5)) {
			size_t bytes = bytes_of(kind);

			pushed = (pushed + bytes - 1) / bytes * bytes;
			put(params, push + pushed, bytes);
			pushed += bytes;
		}
	}
	for (size_t i = 0; i < length_count; i++)
		put(params, &lengths[i], 8);
}

/* --- The launch ----------------------------------------------------------- */

/* The numbers behind `directive` in the PTX; 1 where there are fewer. */
static void read_extents(const char *ptx, unsigned extents[3])
{
	const char *at = strstr(ptx, ".reqntid");

	extents[0] = extents[1] = extents[2] = 1;
	if (at)
		sscanf(at + 8, "%u , %u , %u", &extents[0], &extents[1], &extents[2]);
}

static enum exec_status launch(struct cuda *cuda, handle module, const char *ptx, const char *source,
			       const struct exec_run *run, const address *addresses)
{
	enum { POINTER = 1, SIZE = 2 };    /* CU_LAUNCH_PARAM_BUFFER_ */
	struct params params = {.size = 0};
	const char *at = strstr(ptx, ".entry ");
	char name[160];
	unsigned extents[3];
	handle function;
	int code;

	if (!at || sscanf(at + 7, "%150[A-Za-z0-9_$]", name) != 1)
		return fail(cuda, EXEC_WRONG, "there is no kernel", 0);
	code = cuda->ModuleGetFunction(&function, module, name);
	if (code)
		return fail(cuda, EXEC_WRONG, name, code);
	read_extents(ptx, extents);
	fill_params(&params, source, run, addresses);
	code = cuda->LaunchKernel(function, run->groups[0], run->groups[1], run->groups[2], extents[0], extents[1],
				  extents[2], 0, NULL, NULL,
				  (void *[]){(void *)(uintptr_t)POINTER, params.bytes, (void *)(uintptr_t)SIZE,
					     &params.size, NULL});
	if (!code)
		code = cuda->CtxSynchronize();
	return code ? fail(cuda, EXEC_FAILED, "the launch", code) : EXEC_OK;
}

enum exec_status cuda_run(struct cuda *cuda, const char *ptx, const char *source, const struct exec_run *run)
{
	enum { ERROR_LOG = 5, ERROR_LOG_BYTES = 6 };   /* CU_JIT_ */
	char log[800] = "";
	int options[] = {ERROR_LOG, ERROR_LOG_BYTES};
	void *values[] = {log, (void *)(uintptr_t)sizeof log};
	address addresses[MOST_BUFFERS] = {0};
	enum exec_status status = EXEC_OK;
	handle module;
	int code = cuda->ModuleLoadDataEx(&module, ptx, 2, options, values);

	if (code)
		return fail(cuda, EXEC_WRONG, log[0] ? log : "the module", code);
	for (size_t i = 0; i < run->buffer_count && !code; i++) {
		code = cuda->MemAlloc(&addresses[i], run->buffers[i].bytes + 4);
		if (!code && run->buffers[i].bytes)
			code = cuda->MemcpyHtoD(addresses[i], run->buffers[i].data, run->buffers[i].bytes);
	}
	if (code)
		status = fail(cuda, EXEC_FAILED, "memory", code);
	else
		status = launch(cuda, module, ptx, source, run, addresses);
	for (size_t i = 0; i < run->buffer_count; i++) {
		if (status == EXEC_OK && run->buffers[i].bytes)
			cuda->MemcpyDtoH(run->buffers[i].data, addresses[i], run->buffers[i].bytes);
		if (addresses[i])
			cuda->MemFree(addresses[i]);
	}
	cuda->ModuleUnload(module);
	return status;
}
