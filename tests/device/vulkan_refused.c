/* SPDX-License-Identifier: MIT */
/*
 * What the Vulkan device refuses, each with its code and the value: limits before anything
 * runs, and every function of the driver that can fail, made to fail.
 */
#include "vk.h"

#include "device/vulkan.h"

static const char copy_text[] =
	"kernel copy(@in: buffer u32 read, @out: buffer u32 write) workgroup 64 {\n"
	"  %i = GlobalId.x\n"
	"  %v = LoadGlobal.u32 @in, %i\n"
	"  StoreGlobal.u32 @out, %i, %v\n"
	"}\n";

static enum glacier_status launch(struct glacier_pipeline *pipeline, struct glacier_array *in, uint64_t in_offset,
				  struct glacier_array *out, uint32_t x)
{
	const struct glacier_argument arguments[] = {
		{.name = "in", .array = in, .offset_bytes = in_offset},
		{.name = "out", .array = out},
	};

	return glacier_launch(pipeline, arguments, COUNT(arguments), (const uint32_t[3]){x, 1, 1}, quiet());
}

static enum glacier_status get(struct glacier_device *device, const char *text)
{
	struct glacier_module *module = read_module(text);
	struct glacier_pipeline *pipeline;
	enum glacier_status status = glacier_pipeline_get(device, module, NULL, NULL, &pipeline, quiet());

	glacier_module_destroy(module);
	return status;
}

/* --- Limits --------------------------------------------------------------- */

/* The value that is asked for, and the device's, stand in the message. */
static void expect_limit(struct glacier_device *device, const char *text, const char *code, uint64_t asked,
			 uint64_t limit)
{
	char words[24];

	snprintf(words, sizeof words, "%llu", (unsigned long long)asked);
	REFUSED(get(device, text), code, words);
	snprintf(words, sizeof words, "%llu", (unsigned long long)limit);
	if (!strstr(last_message, words))
		FAIL("'%s' does not say %s", last_message, words);
}

static void refuses_kernels_over_limits(void)
{
	struct glacier_device *device = open_vulkan(false);
	const struct glacier_limits *limits = &glacier_device_describe(device)->limits;
	char text[4096];
	uint32_t n;
	int at;

	n = limits->compute_shared_memory_bytes / 4 + 1;
	snprintf(text, sizeof text,
		 "kernel k(@o: buffer u32 write) workgroup 1 {\n  shared @s: u32[%u]\n  StoreShared.u32 @s, 0, 1\n"
		 "  %%v = LoadShared.u32 @s, 0\n  StoreGlobal.u32 @o, 0, %%v\n}\n", n);
	expect_limit(device, text, "GA0083", 4 * (uint64_t)n, limits->compute_shared_memory_bytes);
	/* A specialization constant is known by now. */
	snprintf(text, sizeof text,
		 "kernel k(@o: buffer u32 write, @N: spec u32 = %u) workgroup 1 {\n  shared @s: u32[@N]\n"
		 "  StoreShared.u32 @s, 0, 1\n  %%v = LoadShared.u32 @s, 0\n  StoreGlobal.u32 @o, 0, %%v\n}\n", n);
	expect_limit(device, text, "GA0083", 4 * (uint64_t)n, limits->compute_shared_memory_bytes);

	snprintf(text, sizeof text, "kernel k(@o: buffer u32 write) workgroup 1 1 %u {\n  StoreGlobal.u32 @o, 0, 1\n}\n",
		 limits->compute_workgroup_size[2] + 1);
	expect_limit(device, text, "GA0085", limits->compute_workgroup_size[2] + 1, limits->compute_workgroup_size[2]);
	n = limits->compute_workgroup_invocations / 2 + 1;
	if (n <= limits->compute_workgroup_size[0]) {
		snprintf(text, sizeof text,
			 "kernel k(@o: buffer u32 write) workgroup %u 2 {\n  StoreGlobal.u32 @o, 0, 1\n}\n", n);
		expect_limit(device, text, "GA0084", 2 * (uint64_t)n, limits->compute_workgroup_invocations);
	}

	n = limits->push_constants_bytes / 4 + 1;
	if (n <= 100) {
		at = snprintf(text, sizeof text, "kernel k(@o: buffer u32 write");
		for (uint32_t i = 0; i < n; i++)
			at += snprintf(text + at, sizeof text - (size_t)at, ", @p%u: u32", i);
		snprintf(text + at, sizeof text - (size_t)at, ") workgroup 1 {\n  StoreGlobal.u32 @o, 0, @p0\n}\n");
		expect_limit(device, text, "GA0086", 4 * (uint64_t)n, limits->push_constants_bytes);
	}
	/* The language has sets up to 31. */
	n = limits->bound_descriptor_sets;
	snprintf(text, sizeof text, "kernel k(@o: buffer u32 write set %u) workgroup 1 {\n  StoreGlobal.u32 @o, 0, 1\n}\n",
		 n);
	if (n < 32)
		expect_limit(device, text, "GA0089", n, n);
	glacier_device_close(device);
}

static void refuses_launches_over_limits(void)
{
	struct glacier_device *device = open_vulkan(false);
	struct glc_vk_physical *physical = glc_vk_of(device)->physical;
	const struct glacier_device_info *info = glacier_device_describe(device);
	struct glacier_pipeline *copy = pipeline_of(device, copy_text);
	struct glacier_array *in = create(device, 4096), *out = create(device, 4096), *huge;
	uint64_t align = physical->buffer_align;
	char words[64];

	snprintf(words, sizeof words, "%u", info->group_count[0]);
	if (info->group_count[0] < UINT32_MAX)
		REFUSED(launch(copy, in, 0, out, info->group_count[0] + 1), "DV0024", words);
	snprintf(words, sizeof words, "%llu", (unsigned long long)info->buffer_bytes);
	REFUSED(glacier_array_create(device, info->buffer_bytes + 4, &huge, quiet()), "DV0009", words);
	CHECK(launch(copy, in, 0, out, 0) == GLACIER_ERR_ARGUMENT);

	/* A device that takes any offset is made to be like others. */
	physical->buffer_align = 256;
	REFUSED(launch(copy, in, 128, out, 1), "DV0061", "multiple of 256 (minStorageBufferOffsetAlignment)");
	CHECK(launch(copy, in, 512, out, 1) == GLACIER_OK);
	physical->buffer_align = align;
	CHECK(counts_of(device).launches == 1);
	glacier_device_close(device);
}

static void refuses_what_the_device_lacks(void)
{
	struct glacier_device *device = open_vulkan(false);
	struct glc_vk *vk = glc_vk_of(device);
	struct glc_vk_physical *physical = vk->physical;
	struct glc_vk_physical saved = *physical;
	static const char wide[] =
		"kernel wide(@o: buffer f64 write) workgroup 1 {\n  StoreGlobal.f64 @o, 0, 1\n}\n";
	static const char whole[] =
		"kernel whole(@o: buffer u64 write) workgroup 1 {\n  StoreGlobal.u64 @o, 0, 1\n}\n";
	struct glacier_array *array;
	char text[256], words[96];
	uint32_t size;

	vk->has.core.features.shaderFloat64 = vk->has.core.features.shaderInt64 = VK_FALSE;
	REFUSED(get(device, wide), "DV0058", "needs Float64");
	REFUSED(get(device, whole), "DV0058", "needs Int64");

	size = physical->subgroup_max ? physical->subgroup_max * 2 : glacier_device_describe(device)->subgroup_size * 2;
	snprintf(text, sizeof text, "kernel k(@o: buffer u32 write) workgroup 128 subgroup %u {\n"
		 "  StoreGlobal.u32 @o, 0, 1\n}\n", size);
	snprintf(words, sizeof words, "demands subgroups of %u", size);
	REFUSED(get(device, text), "DV0059", words);
	/* Without the extension there is the one size that the device has. */
	physical->subgroup_min = physical->subgroup_max = 0;
	REFUSED(get(device, text), "DV0059", words);
	physical->subgroup_min = physical->subgroup_max = size;
	physical->subgroups_max = 1;
	if (size < 128)
		REFUSED(get(device, text), "DV0060", "workgroup of 128 are more than 1 (maxComputeWorkgroupSubgroups)");

	physical->memories.memoryTypeCount = 0;
	REFUSED(glacier_array_create(device, 64, &array, quiet()), "DV0057", "has no memory");
	memcpy(&physical->subgroup_min, &saved.subgroup_min, sizeof saved.subgroup_min);
	physical->subgroup_max = saved.subgroup_max;
	physical->subgroups_max = saved.subgroups_max;
	physical->memories = saved.memories;
	glacier_device_close(device);
	CHECK(glacier_device_open(GLACIER_DEVICE_VULKAN, 1000, NULL, &device, quiet()) == GLACIER_ERR_UNAVAILABLE);
	CHECK(!strcmp(last_code, "DV0002") && strstr(last_message, "vulkan:1000"));
}

/* --- A driver that fails -------------------------------------------------- */

static VkResult given;
static const char *failing;
static PFN_vkGetDeviceProcAddr real_lookup;

static VkResult VKAPI_PTR fail(void)
{
	return given;
}

static PFN_vkVoidFunction VKAPI_PTR lookup(VkDevice device, const char *name)
{
	if (strcmp(name, failing))
		return real_lookup(device, name);
	return given == VK_SUCCESS ? NULL : (PFN_vkVoidFunction)(void (*)(void))fail;
}

/* From here on the function of that name gives the result, or with VK_SUCCESS is not there. */
static void plant(const char *name, VkResult result)
{
	struct glc_vulkan *vulkan = (struct glc_vulkan *)glc_vulkan();

	if (!real_lookup)
		real_lookup = vulkan->GetDeviceProcAddr;
	failing = name;
	given = result;
	vulkan->GetDeviceProcAddr = name ? lookup : real_lookup;
}

/* A device's whole life, in which each function is called; the status of what failed first. */
static enum glacier_status live(bool separate)
{
	const struct glacier_device_options options = {.no_host_wrap = separate, .timed = true};
	struct glacier_module *module = read_module(copy_text);
	struct glacier_array *in = NULL, *out = NULL;
	struct glacier_pipeline *copy;
	struct glacier_device *device;
	enum glacier_status status;

	status = glacier_device_open(GLACIER_DEVICE_VULKAN, 0, &options, &device, quiet());
	if (status != GLACIER_OK)
		goto end;
	status = glacier_array_create(device, 256, &in, quiet());
	if (status == GLACIER_OK)
		status = glacier_array_create(device, 256, &out, quiet());
	if (status == GLACIER_OK)
		status = glacier_array_host(in, true, quiet()) ? GLACIER_OK : GLACIER_ERR_DEVICE;
	if (status == GLACIER_OK)
		status = glacier_pipeline_get(device, module, NULL, NULL, &copy, quiet());
	if (status == GLACIER_OK)
		status = launch(copy, in, 0, out, 1);
	if (status == GLACIER_OK)
		status = glacier_array_host(out, false, quiet()) ? GLACIER_OK : GLACIER_ERR_DEVICE;
	glacier_device_close(device);
end:
	glacier_module_destroy(module);
	return status;
}

#define CAN_FAIL(X) \
	X(AllocateCommandBuffers) \
	X(AllocateDescriptorSets) \
	X(AllocateMemory) \
	X(BeginCommandBuffer) \
	X(BindBufferMemory) \
	X(CreateBuffer) \
	X(CreateCommandPool) \
	X(CreateComputePipelines) \
	X(CreateDescriptorPool) \
	X(CreateDescriptorSetLayout) \
	X(CreateFence) \
	X(CreatePipelineLayout) \
	X(CreateQueryPool) \
	X(CreateShaderModule) \
	X(EndCommandBuffer) \
	X(MapMemory) \
	X(QueueSubmit) \
	X(ResetFences)

static void names_each_function_that_fails(void)
{
#define ROW(name) "vk" #name,
	static const char names[][32] = {CAN_FAIL(ROW)};
#undef ROW
	static const struct {
		VkResult result;
		char code[8], words[32];
	} results[] = {
		{VK_ERROR_OUT_OF_DEVICE_MEMORY, "DV0054", "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
		{VK_ERROR_OUT_OF_HOST_MEMORY, "DV0054", "VK_ERROR_OUT_OF_HOST_MEMORY"},
		{VK_ERROR_DEVICE_LOST, "DV0055", ""},
		{VK_ERROR_FEATURE_NOT_PRESENT, "DV0056", "VK_ERROR_FEATURE_NOT_PRESENT"},
		{(VkResult)-12345, "DV0056", "VK_ERROR_UNKNOWN (-12345)"},
	};
	uint32_t count;

	for (size_t i = 0; i < COUNT(names); i++)
		for (size_t r = 0; r < COUNT(results); r++)
			for (int probed = 0; probed < 2; probed++)
				for (int separate = 0; separate < 2; separate++) {
					int fma = probed ? GLC_VK_FMA_TWO_ROUNDINGS : GLC_VK_FMA_UNKNOWN;

					/* The names of the results differ, not where they come from. */
					if (r && (separate || !probed))
						continue;
					glc_vk_physicals(&count)->fma = fma;
					plant(names[i], results[r].result);
					REFUSED(live(separate), results[r].code, names[i]);
					if (!strstr(last_message, results[r].words))
						FAIL("'%s' does not say %s", last_message, results[r].words);
				}
	for (int i = 0; i < 2; i++) {
		plant(i ? "vkCmdDispatch" : "vkDestroyFence", VK_SUCCESS);
		REFUSED(live(false), "DV0053", "lacks functions");
	}
	plant(NULL, VK_SUCCESS);
	glc_vk_physicals(&count)->fma = GLC_VK_FMA_UNKNOWN;
	OK(live(false));
}

/* What fails only once leaves a device that goes on, unless it is lost. */
static void goes_on_or_is_lost(void)
{
	struct glacier_device *device = open_vulkan(false);
	struct glacier_pipeline *copy = pipeline_of(device, copy_text);
	struct glacier_array *in = create(device, 256), *out = create(device, 256), *array;
	struct glc_vulkan_calls *calls = &glc_vk_of(device)->call, real = *calls;

	given = VK_ERROR_OUT_OF_DEVICE_MEMORY;
	calls->AllocateMemory = (PFN_vkAllocateMemory)(void (*)(void))fail;
	REFUSED(glacier_array_create(device, 64, &array, quiet()), "DV0054", "vkAllocateMemory");
	calls->AllocateMemory = real.AllocateMemory;
	array = create(device, 64);
	calls->QueueSubmit = (PFN_vkQueueSubmit)(void (*)(void))fail;
	REFUSED(launch(copy, in, 0, out, 1), "DV0054", "vkQueueSubmit");
	calls->QueueSubmit = real.QueueSubmit;
	((uint32_t *)host(in, true))[7] = 99;
	OK(launch(copy, in, 0, out, 1));
	CHECK(((uint32_t *)host(out, false))[7] == 99);

	given = VK_ERROR_DEVICE_LOST;
	OK(launch(copy, in, 0, out, 1));
	calls->WaitForFences = (PFN_vkWaitForFences)(void (*)(void))fail;
	REFUSED(glacier_device_wait(device, 0, NULL, quiet()), "DV0055", "is lost (vkWaitForFences)");
	*calls = real;
	REFUSED(launch(copy, in, 0, out, 1), "DV0007", "can only be closed");
	REFUSED(glacier_array_create(device, 64, &array, quiet()), "DV0007", "can only be closed");
	CHECK(!glacier_array_host(out, false, quiet()));
	/* The launch did run, in truth: the driver must be through with it before it is destroyed. */
	CHECK(glc_vk_of(device)->busy);
	CHECK(calls->WaitForFences(glc_vk_of(device)->device, 1, &glc_vk_of(device)->slots[0].fence, VK_TRUE,
				   UINT64_MAX) == VK_SUCCESS);
	glacier_device_close(device);
}

/* A launch that does not end in time: the device can only be closed, and nothing is freed under it. */
static void gives_up_waiting(void)
{
	static const char text[] =
		"kernel spin(@v: buffer u32 readwrite) workgroup 64 {\n"
		"  %i = GlobalId.x\n"
		"  %v = LoadGlobal.u32 @v, %i\n"
		"  for %k.u32 = 0, 30000 {\n"
		"    %v = Mul.u32 %v, 1664525\n"
		"    %v = Add.u32 %v, 1013904223\n"
		"  }\n"
		"  StoreGlobal.u32 @v, %i, %v\n"
		"}\n";
	struct glacier_device *device = open_vulkan(false);
	struct glacier_pipeline *spin = pipeline_of(device, text);
	uint32_t groups = glacier_device_describe(device)->software ? 1000 : 60000;
	struct glacier_array *v = create(device, groups * 64 * 4);
	struct glc_vulkan_calls calls = glc_vk_of(device)->call;
	VkDevice handle = glc_vk_of(device)->device;
	VkFence fence = glc_vk_of(device)->slots[0].fence;

	OK(glacier_device_wait(device, 0, NULL, quiet()));
	LAUNCH(spin, groups, {.name = "v", .array = v});
	CHECK(glacier_device_wait(device, 1000000, NULL, quiet()) == GLACIER_ERR_TIMEOUT);
	CHECK(!strcmp(last_code, "DV0008") && strstr(last_message, "within 1 ms"));
	CHECK(!glacier_array_host(v, false, quiet()));
	CHECK(glacier_device_wait(device, 0, NULL, quiet()) == GLACIER_ERR_DEVICE && !strcmp(last_code, "DV0007"));
	glacier_device_close(device);
	/* It still is there, and ends; a process that ends first would end under the driver's threads. */
	CHECK(calls.WaitForFences(handle, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS);
}

/* The driver may refuse the caller's memory, at any step: then it is copied. */
static void copies_when_the_driver_refuses(void)
{
	static const char *const names[] = {"vkGetMemoryHostPointerPropertiesEXT"};
	uint32_t *out = aligned_alloc(4096, 4096);

	for (size_t i = 0; i < COUNT(names); i++)
		for (int r = 0; r < 2; r++) {
			struct glacier_device *device;
			struct glacier_array *in, *wrapped;

			plant(names[i], r ? VK_ERROR_INVALID_EXTERNAL_HANDLE : VK_SUCCESS);
			device = open_vulkan(false);
			plant(NULL, VK_SUCCESS);
			in = create(device, 256);
			wrapped = wrap(device, out, 256);
			((uint32_t *)host(in, true))[63] = 7 + (uint32_t)r;
			OK(launch(pipeline_of(device, copy_text), in, 0, wrapped, 1));
			CHECK(host(wrapped, false) == out && out[63] == 7 + (uint32_t)r);
			CHECK(counts_of(device).copies_to_host == 1);
			glacier_device_close(device);
		}
	free(out);
}

int main(void)
{
	refuses_kernels_over_limits();
	refuses_launches_over_limits();
	refuses_what_the_device_lacks();
	goes_on_or_is_lost();
	copies_when_the_driver_refuses();
	gives_up_waiting();
	names_each_function_that_fails();
	printf("vulkan_refused: passed\n");
	return 0;
}
