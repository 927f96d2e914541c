/* SPDX-License-Identifier: MIT */
/*
 * A program of one's own that runs a kernel: the CUDA driver and cJSON, nothing of glacier's.
 * What it needs to know of the kernel is in what gc-asm --reflect writes. The driver's library
 * is opened at run time and declared here, so that no header of CUDA's is needed to build.
 *
 *	gc-asm saxpy.gasm --target=ptx -o saxpy.ptx
 *	gc-asm saxpy.gasm --reflect >saxpy.json
 *	cc launch_cuda.c $(pkg-config --cflags --libs libcjson) -ldl -o launch_cuda
 *	./launch_cuda saxpy.ptx saxpy.json 4 1000 a=2 n=1000
 *
 * launches 4 workgroups on buffers of 1000 elements, which hold 0, 1, 2 and so on, and
 * prints the first elements of those that the kernel writes. Types of 32 bits only.
 */
#include <cjson/cJSON.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BUFFERS = 16, MAX_LIST = 512, SHOWN = 8 };

/* What is wrong with the input ends the program with 1, a machine without CUDA with 77. */
#define DIE(status, ...) (fprintf(stderr, "launch_cuda: " __VA_ARGS__), fputc('\n', stderr), exit(status))

struct buffer {
	const char *name, *type;
	int written;
	uint32_t offset;     /* of its address among the parameters */
	uint64_t address;
};

static char *read_file(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *data;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET))
		DIE(1, "%s cannot be read", path);
	data = calloc(1, (size_t)size + 1);
	if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
		DIE(1, "%s cannot be read", path);
	fclose(file);
	*bytes = (size_t)size;
	return data;
}

/* --- What the kernel takes ------------------------------------------------ */

static const cJSON *member(const cJSON *object, const char *name)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);

	if (!value)
		DIE(1, "the reflection has no \"%s\"", name);
	return value;
}

static const char *string(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(member(object, name));
}

static uint32_t number(const cJSON *object, const char *name)
{
	return (uint32_t)cJSON_GetNumberValue(member(object, name));
}

static uint32_t bits_of(const char *type, const char *text)
{
	float real = strtof(text, NULL);
	uint32_t bits;

	if (strcmp(type, "f32"))
		return (uint32_t)strtoll(text, NULL, 0);
	memcpy(&bits, &real, sizeof bits);
	return bits;
}

/* NAME=VALUE among the arguments. */
static const char *value_of(const char *name, char **arguments)
{
	size_t bytes = strlen(name);

	for (; *arguments; arguments++)
		if (!strncmp(*arguments, name, bytes) && (*arguments)[bytes] == '=')
			return *arguments + bytes + 1;
	DIE(1, "the scalar %s has no value: write %s=VALUE", name, name);
}

/* The parameters as the kernel finds them in memory; their addresses are filled in later. */
struct list {
	unsigned char bytes[MAX_LIST];
	size_t size;
};

static void put(struct list *list, uint32_t offset, const void *value, size_t bytes)
{
	if (offset > MAX_LIST - bytes)
		DIE(1, "the parameters take more than %d bytes", MAX_LIST);
	memcpy(list->bytes + offset, value, bytes);
	if (list->size < offset + bytes)
		list->size = offset + bytes;
}

static uint32_t read_parameters(const cJSON *kernel, char **arguments, uint64_t elems, struct buffer *buffers,
				struct list *list)
{
	const cJSON *parameter;
	uint32_t count = 0;

	cJSON_ArrayForEach(parameter, member(kernel, "params")) {
		const char *name = string(parameter, "name"), *kind = string(parameter, "kind");
		const char *type = string(parameter, "type");

		if (!strcmp(kind, "scalar")) {
			uint32_t bits = bits_of(type, value_of(name, arguments));

			if (number(parameter, "bytes") != sizeof bits)
				DIE(1, "%s: this program knows types of 32 bits only", name);
			put(list, number(parameter, "ptx_offset"), &bits, sizeof bits);
		} else if (!strcmp(kind, "buffer")) {
			if (count == MAX_BUFFERS)
				DIE(1, "more than %d buffers", MAX_BUFFERS);
			buffers[count++] = (struct buffer){
				.name = name,
				.type = type,
				.offset = number(parameter, "ptx_offset"),
				.written = !!strstr(string(parameter, "access"), "write"),
			};
		}
	}
	/* Where the kernel asks for a buffer's Length, that is a parameter as well. */
	cJSON_ArrayForEach(parameter, member(kernel, "ptx_lengths"))
		put(list, number(parameter, "ptx_offset"), &elems, sizeof elems);
	return count;
}

/* --- CUDA ----------------------------------------------------------------- */

typedef void *handle;

/* As the CUDA Driver API has them; each returns 0, or the number of an error. */
#define FUNCTIONS(X) \
	X(Init, "cuInit", (unsigned)) \
	X(DeviceGet, "cuDeviceGet", (int *, int)) \
	X(CtxRetain, "cuDevicePrimaryCtxRetain", (handle *, int)) \
	X(CtxRelease, "cuDevicePrimaryCtxRelease_v2", (int)) \
	X(CtxSetCurrent, "cuCtxSetCurrent", (handle)) \
	X(CtxSynchronize, "cuCtxSynchronize", (void)) \
	X(ModuleLoadDataEx, "cuModuleLoadDataEx", (handle *, const void *, unsigned, int *, void **)) \
	X(ModuleUnload, "cuModuleUnload", (handle)) \
	X(ModuleGetFunction, "cuModuleGetFunction", (handle *, handle, const char *)) \
	X(MemAlloc, "cuMemAlloc_v2", (uint64_t *, size_t)) \
	X(MemFree, "cuMemFree_v2", (uint64_t)) \
	X(MemcpyHtoD, "cuMemcpyHtoD_v2", (uint64_t, const void *, size_t)) \
	X(MemcpyDtoH, "cuMemcpyDtoH_v2", (void *, uint64_t, size_t)) \
	X(LaunchKernel, "cuLaunchKernel", (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
					   unsigned, handle, void **, void **)) \
	X(GetErrorName, "cuGetErrorName", (int, const char **))

static struct {
#define X(name, symbol, arguments) int (*name) arguments;
	FUNCTIONS(X)
#undef X
} cu;

static const char *name_of(int error)
{
	const char *name;

	return cu.GetErrorName(error, &name) ? "an unknown error" : name;
}

#define TRY(call) \
	do { \
		int error_ = (call); \
		if (error_) \
			DIE(2, "%s: %s", #call, name_of(error_)); \
	} while (0)

static void open_device(int *device)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	handle context;

	if (!library)
		DIE(77, "libcuda.so.1 cannot be opened");
#define X(name, symbol, arguments) \
	*(void **)&cu.name = dlsym(library, symbol); \
	if (!cu.name) \
		DIE(77, "the driver has no %s", symbol);
	FUNCTIONS(X)
#undef X
	if (cu.Init(0) || cu.DeviceGet(device, 0))
		DIE(77, "there is no CUDA device");
	TRY(cu.CtxRetain(&context, *device));
	TRY(cu.CtxSetCurrent(context));
}

static handle load(const char *ptx)
{
	enum { ERROR_LOG = 5, ERROR_LOG_BYTES = 6 };   /* CU_JIT_ERROR_LOG_BUFFER and its _SIZE_BYTES */
	char log[2048] = "";
	int options[] = {ERROR_LOG, ERROR_LOG_BYTES};
	void *values[] = {log, (void *)(uintptr_t)sizeof log};
	handle module;
	int error = cu.ModuleLoadDataEx(&module, ptx, 2, options, values);

	if (error)
		DIE(1, "the PTX is refused: %s: %s", name_of(error), log);
	return module;
}

/* --- Elements ------------------------------------------------------------- */

static void fill(struct buffer *buffer, uint32_t elems)
{
	uint32_t *bits = malloc((size_t)elems * sizeof *bits);

	if (!bits)
		DIE(2, "out of memory");
	for (uint32_t i = 0; i < elems; i++) {
		float real = (float)i;

		bits[i] = i;
		if (!strcmp(buffer->type, "f32"))
			memcpy(&bits[i], &real, sizeof real);
	}
	TRY(cu.MemAlloc(&buffer->address, (size_t)elems * sizeof *bits));
	TRY(cu.MemcpyHtoD(buffer->address, bits, (size_t)elems * sizeof *bits));
	free(bits);
}

static void show(const struct buffer *buffer, uint32_t elems)
{
	uint32_t bits[SHOWN], count = elems < SHOWN ? elems : SHOWN;

	TRY(cu.MemcpyDtoH(bits, buffer->address, count * sizeof *bits));
	printf("%s:", buffer->name);
	for (uint32_t i = 0; i < count; i++) {
		float real;

		memcpy(&real, &bits[i], sizeof real);
		if (!strcmp(buffer->type, "f32"))
			printf(" %g", (double)real);
		else
			printf(" %u", bits[i]);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct buffer buffers[MAX_BUFFERS];
	struct list list = {.size = 0};
	void *extra[] = {(void *)1, list.bytes, (void *)2, &list.size, NULL};   /* CU_LAUNCH_PARAM_BUFFER_ */
	uint32_t groups, elems, count, size[3];
	const cJSON *kernel, *workgroup;
	size_t code_bytes, json_bytes;
	handle module, function;
	cJSON *reflection;
	char *code, *json;
	int device;

	if (argc < 5)
		DIE(1, "usage: launch_cuda KERNEL.ptx KERNEL.json WORKGROUPS ELEMENTS [SCALAR=VALUE]...");
	code = read_file(argv[1], &code_bytes);
	json = read_file(argv[2], &json_bytes);
	groups = (uint32_t)strtoul(argv[3], NULL, 10);
	elems = (uint32_t)strtoul(argv[4], NULL, 10);
	if (!groups || !elems)
		DIE(1, "there must be workgroups and elements");
	reflection = cJSON_Parse(json);
	if (!reflection)
		DIE(1, "%s is not JSON", argv[2]);
	kernel = cJSON_GetArrayItem(member(reflection, "kernels"), 0);
	workgroup = member(kernel, "workgroup");
	for (int i = 0; i < 3; i++)
		size[i] = (uint32_t)cJSON_GetNumberValue(cJSON_GetArrayItem(workgroup, i));
	count = read_parameters(kernel, argv + 5, elems, buffers, &list);

	open_device(&device);
	module = load(code);
	TRY(cu.ModuleGetFunction(&function, module, string(member(kernel, "symbols"), "ptx")));
	for (uint32_t i = 0; i < count; i++) {
		fill(&buffers[i], elems);
		put(&list, buffers[i].offset, &buffers[i].address, sizeof buffers[i].address);
	}
	TRY(cu.LaunchKernel(function, groups, 1, 1, size[0], size[1], size[2], 0, NULL, NULL, extra));
	TRY(cu.CtxSynchronize());
	for (uint32_t i = 0; i < count; i++)
		if (buffers[i].written)
			show(&buffers[i], elems);

	for (uint32_t i = 0; i < count; i++)
		cu.MemFree(buffers[i].address);
	cu.ModuleUnload(module);
	cu.CtxRelease(device);
	cJSON_Delete(reflection);
	free(json);
	free(code);
	return 0;
}
