/* SPDX-License-Identifier: MIT */
/*
 * Devices without memory: a kernel that is watched, one that computes bounds and code that
 * is already made, with each allocation failing in turn. Whatever fails is told as out of
 * memory or as a thread that cannot be had, and all that was made is freed.
 */
#include <glacier.h>

#include "device/prebuilt.h"
#include "stress.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *block);

static atomic_int until_failure;   /* the allocation that fails, and all behind it; 0: none */
static atomic_bool failed;
static atomic_int live;

static bool fails(void)
{
	if (until_failure > 0 && atomic_fetch_sub(&until_failure, 1) == 1)
		failed = true;
	return failed;
}

static void *counted(void *block)
{
	live += block != NULL;
	return block;
}

void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	return fails() ? NULL : counted(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *old, size_t bytes)
{
	void *block = fails() ? NULL : __real_realloc(old, bytes);

	return old ? block : counted(block);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return fails() ? NULL : counted(__real_aligned_alloc(alignment, bytes));
}

void __wrap_free(void *block)
{
	live -= block != NULL;
	__real_free(block);
}

static const char text[] =
	"kernel k(@a: buffer f32 readwrite, @n: u32, @B: spec u32 = 8) workgroup @B {\n"
	"  shared @tile: f32[@B]\n  local @own: f32[2]\n  %t = LocalId.x\n  %v = LoadGlobal.f32 @a, %t\n"
	"  StoreShared.f32 @tile, %t, %v\n  BarrierSync\n  %j = Xor.u32 %t, 1\n  %w = LoadShared.f32 @tile, %j\n"
	"  loop {\n    %w = Div.f32 %w, 3\n    %p = Lt.f32 %w, 1\n    break_if %p\n  }\n"
	"  StoreLocal.f32 @own, 1, %w\n  %w = LoadLocal.f32 @own, 0\n"
	"  StoreGlobal.f32 @a, %t, %w\n  Fence.device\n  AtomicAdd.f32 @a, 0, %w\n}\n";

/* For the part that makes code: outside of what is counted. */
static struct glacier_buffer code, reflection;

static void expect(enum glacier_status status)
{
	CHECK(status == GLACIER_OK || status == GLACIER_ERR_NOMEM || status == GLACIER_ERR_LIMIT, "%s",
	      glacier_status_name(status));
}

static struct glacier_module *read_module(void)
{
	const struct glacier_text input = {"k.gasm", text, sizeof text - 1};
	struct glacier_module *module;
	enum glacier_status status = glacier_module_create(NULL, &module);

	expect(status);
	if (status != GLACIER_OK)
		return NULL;
	status = glacier_module_read_text(module, &input, NULL, NULL);
	expect(status);
	if (status == GLACIER_OK)
		return module;
	glacier_module_destroy(module);
	return NULL;
}

static bool launch(struct glacier_device *device, struct glacier_pipeline *pipeline, bool bounded)
{
	static const uint32_t groups[3] = {3, 1, 1};
	struct glacier_argument arguments[4] = {{.name = "a"}, {.name = "n"}, {.name = "a.bound"}, {.name = ".lost"}};
	static const size_t bytes[4] = {32, 0, 64, 8};
	enum glacier_status status = GLACIER_OK;

	for (size_t i = 0; i < (bounded ? 4 : 1) && status == GLACIER_OK; i++)
		if (bytes[i])
			status = glacier_array_create(device, bytes[i], &arguments[i].array, NULL);
	if (status == GLACIER_OK)
		status = glacier_launch(pipeline, arguments, bounded ? 4 : 2, groups, NULL);
	expect(status);
	if (status != GLACIER_OK)
		return false;
	CHECK(glacier_device_wait(device, 0, NULL, NULL) == GLACIER_OK, "the wait fails");
	return true;
}

static bool run(bool check, bool bounded)
{
	const struct glacier_device_options options = {.threads = 1, .check = check};
	struct glacier_device *device;
	struct glacier_pipeline *pipeline;
	struct glacier_module *module;
	enum glacier_status status = glacier_device_open(GLACIER_DEVICE_CPU, 0, &options, &device, NULL);
	bool whole = false;

	expect(status);
	if (status != GLACIER_OK)
		return false;
	module = read_module();
	if (module) {
		status = bounded ? glacier_pipeline_get_bounded(device, module, NULL, false, &pipeline, NULL)
				 : glacier_pipeline_get(device, module, NULL, NULL, &pipeline, NULL);
		expect(status);
		whole = status == GLACIER_OK && launch(device, pipeline, bounded);
		glacier_module_destroy(module);
	}
	glacier_device_close(device);
	return whole;
}

static bool watches(void)
{
	return run(true, false);
}

static bool bounds(void)
{
	return run(false, true);
}

static bool reads_prebuilt(void)
{
	const struct glacier_prebuilt source = {
		.code = code.data,
		.code_bytes = code.size,
		.reflection = {"k.json", (const char *)reflection.data, reflection.size},
	};
	struct glacier_memory memory;
	struct glc_prebuilt prebuilt = {0};
	enum glacier_status status;
	struct glc_ir ir;

	glacier_memory_init(&memory, NULL, 0);
	status = glc_prebuilt_read(&source, NULL, GLACIER_TARGET_SPIRV, &memory, &ir, &prebuilt.symbol, NULL);
	if (status == GLACIER_OK)
		status = glc_spv_interface_read(&prebuilt.code, source.code, source.code_bytes, &memory, NULL);
	if (status == GLACIER_OK)
		status = glc_prebuilt_match(&prebuilt, &ir.kernels[0], NULL);
	expect(status);
	glacier_memory_fini(&memory);
	return status == GLACIER_OK;
}

static void fail_each(const char *name, bool (*scenario)(void), int least)
{
	int n = 1;

	for (;; n++) {
		int before = live;
		bool whole;

		until_failure = n;
		failed = false;
		whole = scenario();
		CHECK(whole == !failed, "%s, allocation %d: %s", name, n,
		      whole ? "no error" : "an error without a failure");
		CHECK(live == before, "%s, allocation %d: %d blocks left", name, n, live - before);
		if (!failed)
			break;
	}
	until_failure = 0;
	CHECK(n > least, "%s: only %d allocations were seen", name, n - 1);
}

int main(void)
{
	struct glacier_module *module = read_module();
	struct glacier_target target;

	CHECK(module, "the kernel is wrong");
	CHECK(glacier_target_parse("spirv+atomic-float-add", &target, NULL) == GLACIER_OK &&
		      glacier_module_write(module, &target, NULL, &code, NULL) == GLACIER_OK &&
		      glacier_module_reflect(module, &reflection) == GLACIER_OK,
	      "no code");
	glacier_module_destroy(module);
	fail_each("watched", watches, 12);
	fail_each("bounded", bounds, 10);
	fail_each("already made", reads_prebuilt, 1);
	glacier_buffer_fini(&code);
	glacier_buffer_fini(&reflection);
	return 0;
}
