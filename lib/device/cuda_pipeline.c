/* SPDX-License-Identifier: MIT */
/*
 * From IR to a function that can be launched: PTX, machine code by the driver's linker
 * (or from the cache folder, where some process made it before), a module, the layout of
 * the parameters.
 */
#include "device/cuda.h"

#include "base/buf.h"
#include "device/prebuilt.h"
#include "ptx/ptx.h"

#include <stdio.h>
#include <string.h>

#define NAME(thing) (int)(thing)->name.bytes, (thing)->name.at

/* CUfunction_attribute */
enum { MAX_THREADS_PER_BLOCK = 0 };

/* --- Parameters ----------------------------------------------------------- */

static void add_param(struct glc_cuda_pipeline *built, uint32_t object, int kind, uint32_t bytes)
{
	uint32_t offset = ((uint32_t)built->list_bytes + bytes - 1) & ~(bytes - 1);
	struct glc_cuda_param *param = &built->params[built->param_count++];

	param->object = object;
	param->offset = offset;
	param->kind = kind;
	built->list_bytes = offset + bytes;
}

/* Their order and alignment: lib/ptx/ptx.h; .param is aligned as in C. */
static bool lay_out(struct glacier_pipeline *pipeline, struct glc_cuda_pipeline *built)
{
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];

	built->params = glc_bump(&pipeline->memory, 2 * (size_t)kernel->object_count * sizeof *built->params);
	if (!built->params)
		return false;
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];

		if (object->kind == GLC_OBJECT_BUFFER)
			add_param(built, i, GLC_CUDA_ADDRESS, 8);
		else if (object->kind == GLC_OBJECT_SCALAR && glc_types[object->type].bytes == 8)
			add_param(built, i, GLC_CUDA_SCALAR8, 8);
		else if (object->kind == GLC_OBJECT_SCALAR)
			add_param(built, i, GLC_CUDA_SCALAR4, 4);
	}
	for (uint32_t i = 0; i < kernel->object_count; i++)
		if (kernel->objects[i].kind == GLC_OBJECT_BUFFER && kernel->objects[i].length_taken)
			add_param(built, i, GLC_CUDA_LENGTH, 8);
	built->list = glc_bump_zero(&pipeline->memory, built->list_bytes);
	return built->list;
}

/* --- Machine code --------------------------------------------------------- */

/* What the driver's compiler wrote, as the end of a message: no line breaks, no blanks around. */
static void tidy(char *log)
{
	size_t bytes = strlen(log);

	while (bytes && (log[bytes - 1] == '\n' || log[bytes - 1] == ' '))
		log[--bytes] = '\0';
	for (; *log; log++)
		if (*log == '\n' || *log == '\t')
			*log = ' ';
}

static bool is_refusal(glc_cu_result result)
{
	switch (result) {
	case GLC_CU_INVALID_IMAGE:
	case GLC_CU_INVALID_PTX:
	case GLC_CU_INVALID_SOURCE: return true;
	default: return false;
	}
}

static bool is_for_another(glc_cu_result result)
{
	return result == GLC_CU_NO_BINARY_FOR_GPU || result == GLC_CU_UNSUPPORTED_PTX_VERSION;
}

/* What the driver's compiler is told. */
struct jit {
	bool debug;
	uint32_t level;
};

/* -O0 is what the source says, for the driver's compiler as well. */
static struct jit jit_of(const struct glacier_write_options *options)
{
	return (struct jit){options->debug, options->optimize == GLACIER_OPTIMIZE_NONE ? 0 : 4};
}

struct compiler {
	struct glacier_device *device;
	const struct glc_kernel *kernel;
	const struct jit *jit;
	glc_cu_link link;
	char log[1024];
};

static enum glacier_status compile_fail(struct compiler *compiler, const char *function, glc_cu_result result,
					struct glacier_diag *diag)
{
	tidy(compiler->log);
	if (is_refusal(result))
		return glc_fail(diag, GLC_DV_CU_JIT, GLC_NOWHERE, NAME(compiler->kernel), glc_cuda_result_name(result),
				*compiler->log ? ": " : "", compiler->log);
	if (is_for_another(result))
		return glc_fail(diag, GLC_DV_CU_NEWER, GLC_NOWHERE, NAME(compiler->kernel),
				compiler->device->info.name, glc_cuda_result_name(result), *compiler->log ? ": " : "",
				compiler->log);
	return glc_cuda_fail(compiler->device, diag, function, result);
}

/* The linker's output lives as long as the linker. */
static enum glacier_status link_code(struct compiler *compiler, const struct glacier_buffer *ptx,
				     struct glacier_buffer *cubin, struct glacier_diag *diag)
{
	const struct glc_cuda *call = glc_cuda_of(compiler->device)->call;
	int options[] = {GLC_CU_JIT_ERROR_LOG_BUFFER, GLC_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
			 GLC_CU_JIT_OPTIMIZATION_LEVEL, GLC_CU_JIT_GENERATE_LINE_INFO};
	void *values[] = {compiler->log, (void *)(uintptr_t)(sizeof compiler->log - 1),
			  (void *)(uintptr_t)compiler->jit->level, (void *)(uintptr_t)1};
	glc_cu_result result = call->LinkCreate(3 + compiler->jit->debug, options, values, &compiler->link);
	size_t bytes;
	void *data;

	if (result != GLC_CU_SUCCESS)
		return compile_fail(compiler, "cuLinkCreate", result, diag);
	/* The text with the zero behind it, as the driver wants it. */
	result = call->LinkAddData(compiler->link, GLC_CU_JIT_INPUT_PTX, ptx->data, ptx->size, "kernel.ptx", 0, NULL,
				   NULL);
	if (result != GLC_CU_SUCCESS)
		return compile_fail(compiler, "cuLinkAddData", result, diag);
	result = call->LinkComplete(compiler->link, &data, &bytes);
	if (result != GLC_CU_SUCCESS)
		return compile_fail(compiler, "cuLinkComplete", result, diag);
	if (!glc_buffer_reserve(cubin, bytes))
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	memcpy(cubin->data, data, bytes);
	cubin->size = bytes;
	return GLACIER_OK;
}

static enum glacier_status compile(struct glacier_pipeline *pipeline, const struct glacier_buffer *ptx,
				   const struct jit *jit, struct glacier_buffer *cubin, struct glacier_diag *diag)
{
	struct compiler compiler = {.device = pipeline->device, .kernel = &pipeline->ir->kernels[0], .jit = jit};
	enum glacier_status status = link_code(&compiler, ptx, cubin, diag);

	if (compiler.link)
		glc_cuda_of(pipeline->device)->call->LinkDestroy(compiler.link);
	if (status == GLACIER_OK)
		pipeline->device->counts.code_made++;
	return status;
}

/*
 * Everything that the machine code depends on. The PTX is what the kernel, its name, the
 * options and the specialization constants became; the driver and the card decide the rest.
 */
static void make_key(const struct glacier_pipeline *pipeline, const struct glacier_buffer *ptx, const struct jit *jit,
		     unsigned char key[GLC_HASH_BYTES])
{
	const struct glacier_device *device = pipeline->device;
	struct glc_hash hash;

	glc_hash_init(&hash, NULL);
	glc_hash_add_field(&hash, "cuda cubin 1", 12);
	glc_hash_add_field(&hash, device->info.driver, strlen(device->info.driver));
	glc_hash_add_field(&hash, glc_cuda_of(device)->uuid, sizeof glc_cuda_of(device)->uuid);
	glc_hash_add_u64(&hash, jit->debug);
	glc_hash_add_u64(&hash, jit->level);
	glc_hash_add_field(&hash, ptx->data, ptx->size);
	glc_hash_end(&hash, key);
}

static enum glacier_status load(struct glacier_pipeline *pipeline, const struct glacier_buffer *cubin, bool quiet,
				struct glacier_diag *diag)
{
	struct glacier_device *device = pipeline->device;
	struct glc_cuda_pipeline *built = pipeline->built;
	glc_cu_result result = glc_cuda_of(device)->call->ModuleLoadData(&built->module, cubin->data);

	if (result == GLC_CU_SUCCESS)
		return GLACIER_OK;
	built->module = NULL;
	/* A file of the cache that this driver does not take after all is as good as none. */
	if (quiet && (is_refusal(result) || is_for_another(result)))
		return GLACIER_ERR_UNSUPPORTED;
	return glc_cuda_fail(device, diag, "cuModuleLoadData", result);
}

static enum glacier_status find_code(struct glacier_pipeline *pipeline, const struct glacier_buffer *ptx,
				     const struct jit *jit, struct glacier_diag *diag)
{
	struct glacier_device *device = pipeline->device;
	struct glacier_buffer cubin = {0};
	unsigned char key[GLC_HASH_BYTES];
	enum glacier_status status;

	make_key(pipeline, ptx, jit, key);
	if (device->cache && glc_disk_cache_get(device->cache, key, &cubin) &&
	    load(pipeline, &cubin, true, diag) == GLACIER_OK) {
		device->counts.code_found++;
		glacier_buffer_fini(&cubin);
		return GLACIER_OK;
	}
	cubin.size = 0;
	status = compile(pipeline, ptx, jit, &cubin, diag);
	if (status == GLACIER_OK)
		status = load(pipeline, &cubin, false, diag);
	if (status == GLACIER_OK && device->cache)
		glc_disk_cache_put(device->cache, key, cubin.data, cubin.size);
	glacier_buffer_fini(&cubin);
	return status;
}

/* --- The pipeline --------------------------------------------------------- */

/* The kernel's name, and what PTX makes of it. */
static const char *make_symbol(struct glacier_pipeline *pipeline)
{
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];
	uint32_t underscores = glc_ptx_underscores(pipeline->ir, kernel);
	char *symbol = glc_bump_zero(&pipeline->memory, kernel->name.bytes + underscores + 1);

	if (!symbol)
		return NULL;
	memcpy(symbol, kernel->name.at, kernel->name.bytes);
	memset(symbol + kernel->name.bytes, '_', underscores);
	return symbol;
}

static enum glacier_status find_function(struct glacier_pipeline *pipeline, struct glacier_diag *diag)
{
	struct glacier_device *device = pipeline->device;
	struct glc_cuda_pipeline *built = pipeline->built;
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];
	uint64_t invocations = 1;
	const char *symbol = pipeline->prebuilt ? pipeline->prebuilt->symbol : make_symbol(pipeline);
	int threads = 0;

	if (!symbol)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	GLC_CUDA_TRY(device, diag, ModuleGetFunction, &built->function, built->module, symbol);
	GLC_CUDA_TRY(device, diag, FuncGetAttribute, &threads, MAX_THREADS_PER_BLOCK, built->function);
	for (int i = 0; i < 3; i++)
		invocations *= built->block[i] = kernel->workgroup[i].value;
	if (invocations > (uint64_t)threads)
		return glc_fail(diag, GLC_DV_CU_THREADS, GLC_NOWHERE, NAME(kernel), (unsigned long long)invocations,
				device->info.name, threads);
	return GLACIER_OK;
}

static enum glacier_status get_code(struct glacier_pipeline *pipeline, const struct glacier_write_options *options,
				      struct glacier_buffer *ptx, struct glacier_diag *diag)
{
	struct glacier_diag silent = {0};
	struct glacier_memory scratch;
	struct glc_backend_input input = {
		.ir = pipeline->ir,
		.target = &pipeline->device->info.target,
		.options = options,
		.memory = &scratch,
	};
	enum glacier_status status;

	if (pipeline->prebuilt) {
		const struct glc_prebuilt *made = pipeline->prebuilt;

		if (!glc_buffer_reserve(ptx, made->ptx_bytes + 1))
			return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
		memcpy(ptx->data, made->ptx, made->ptx_bytes + 1);
		ptx->size = made->ptx_bytes + 1;
		return GLACIER_OK;
	}
	glacier_memory_init(&scratch, NULL, 0);
	status = glc_ptx_write(&input, ptx, diag ? diag : &silent);
	glacier_memory_fini(&scratch);
	if (status == GLACIER_OK && !glc_buffer_reserve(ptx, 1))
		status = glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	if (status == GLACIER_OK)
		ptx->data[ptx->size++] = '\0';
	return status;
}

enum glacier_status glc_cuda_pipeline_build(struct glacier_pipeline *pipeline,
					    const struct glacier_write_options *options, struct glacier_diag *diag)
{
	struct glc_cuda_pipeline *built = glc_bump_zero(&pipeline->memory, sizeof *built);
	enum glacier_status status = glc_cuda_enter(pipeline->device, diag);
	const struct jit jit = jit_of(options);
	struct glacier_buffer ptx = {0};

	if (!built)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	pipeline->built = built;   /* what fails half way is freed as a whole */
	if (status == GLACIER_OK)
		status = get_code(pipeline, options, &ptx, diag);
	if (status == GLACIER_OK && !lay_out(pipeline, built))
		status = glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	if (status == GLACIER_OK)
		status = find_code(pipeline, &ptx, &jit, diag);
	if (status == GLACIER_OK)
		status = find_function(pipeline, diag);
	glacier_buffer_fini(&ptx);
	return status;
}

void glc_cuda_pipeline_free(struct glacier_pipeline *pipeline)
{
	const struct glc_cuda_state *cuda = glc_cuda_of(pipeline->device);
	const struct glc_cuda_pipeline *built = pipeline->built;

	if (!cuda->stuck && built->module && glc_cuda_enter(pipeline->device, NULL) == GLACIER_OK)
		cuda->call->ModuleUnload(built->module);
}
