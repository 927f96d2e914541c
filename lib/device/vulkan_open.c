/* SPDX-License-Identifier: MIT */
/* Opening a Vulkan device with the features that kernels need, and closing it. */
#include "device/vulkan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/*
 * Devices that were closed while a launch still ran. What it uses cannot be freed under
 * it, and what is in this list is no leak.
 */
static struct glc_vk *stuck;

enum glacier_status glc_vk_fail(struct glacier_device *device, struct glacier_diag *diag, const char *function,
				VkResult result)
{
	switch (result) {
	case VK_ERROR_OUT_OF_HOST_MEMORY:
	case VK_ERROR_OUT_OF_DEVICE_MEMORY:
	case VK_ERROR_OUT_OF_POOL_MEMORY:
	case VK_ERROR_TOO_MANY_OBJECTS:
		return glc_fail(diag, GLC_DV_VK_MEMORY, GLC_NOWHERE, device->info.name, function,
				glc_vulkan_result_name(result));
	case VK_ERROR_DEVICE_LOST:
		device->lost = true;
		return glc_fail(diag, GLC_DV_VK_LOST, GLC_NOWHERE, device->info.name, function);
	default:
		return glc_fail(diag, GLC_DV_VK_CALL, GLC_NOWHERE, device->info.name, function,
				glc_vulkan_result_name(result), (int)result);
	}
}

/* What is known of the device by now. */
static struct glacier_device_info info_of(const struct glc_vk_physical *physical)
{
	struct glacier_device_info info = physical->info;

	if (physical->fma == GLC_VK_FMA_TWO_ROUNDINGS && info.has_i64 && info.has_f64)
		info.target.features |= GLACIER_FEATURE_SOFT_FMA;
	return info;
}

static size_t list(struct glacier_device_info *out, size_t capacity)
{
	uint32_t count;
	const struct glc_vk_physical *physicals = glc_vk_physicals(&count);

	for (uint32_t i = 0; i < count && i < capacity; i++)
		out[i] = info_of(&physicals[i]);
	return count;
}

/* --- The device ----------------------------------------------------------- */

/* Of what the device has, the features that SPIR-V of ours or this device makes use of. */
static void choose_features(const struct glc_vk_physical *physical, struct glc_vk_features *out)
{
	const struct glc_vk_features *has = &physical->has;

	memset(out, 0, sizeof *out);
	glc_vk_link_features(physical, out);
	out->core.features.shaderInt64 = has->core.features.shaderInt64;
	out->core.features.shaderFloat64 = has->core.features.shaderFloat64;
	out->maintenance4.maintenance4 = has->maintenance4.maintenance4;
	out->subgroup_size.subgroupSizeControl = has->subgroup_size.subgroupSizeControl;
	out->subgroup_types.shaderSubgroupExtendedTypes = has->subgroup_types.shaderSubgroupExtendedTypes;
	out->atomic_float.shaderBufferFloat32AtomicAdd = has->atomic_float.shaderBufferFloat32AtomicAdd;
	out->atomic_float.shaderSharedFloat32AtomicAdd = has->atomic_float.shaderSharedFloat32AtomicAdd;
	out->subgroup_basic = has->subgroup_basic;
	out->subgroup_ballot = has->subgroup_ballot;
	out->subgroup_shuffle = has->subgroup_shuffle;
}

static enum glacier_status create_device(struct glacier_device *device, struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);
	const struct glc_vk_physical *physical = vk->physical;
	const char *extensions[3];
	float priority = 1;
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = physical->family,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = &vk->has.core,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.ppEnabledExtensionNames = extensions,
	};
	VkResult result;

	if (physical->atomic_float)
		extensions[info.enabledExtensionCount++] = VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
	if (physical->subgroup_size_extension)
		extensions[info.enabledExtensionCount++] = VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME;
	if (physical->import_align)
		extensions[info.enabledExtensionCount++] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
	choose_features(physical, &vk->has);
	result = glc_vulkan()->CreateDevice(physical->handle, &info, NULL, &vk->device);
	if (result != VK_SUCCESS)
		return glc_vk_fail(device, diag, "vkCreateDevice", result);
	if (!glc_vulkan_load(vk->device, &vk->call))
		return glc_fail(diag, GLC_DV_VK_FUNCTIONS, GLC_NOWHERE, device->info.name);
	vk->call.GetDeviceQueue(vk->device, physical->family, 0, &vk->queue);
	vk->import = vk->import && vk->call.GetMemoryHostPointerPropertiesEXT;
	return GLACIER_OK;
}

static enum glacier_status create_slots(struct glacier_device *device, struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);
	VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
		.queueFamilyIndex = vk->physical->family,
	};
	VkCommandBufferAllocateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = GLC_VK_SLOTS,
	};
	VkCommandBuffer buffers[GLC_VK_SLOTS];
	VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkQueryPoolCreateInfo times = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = VK_QUERY_TYPE_TIMESTAMP,
		.queryCount = 2 * GLC_VK_SLOTS,
	};

	GLC_VK_TRY(device, diag, CreateCommandPool, vk->device, &pool, NULL, &vk->pool);
	commands.commandPool = vk->pool;
	GLC_VK_TRY(device, diag, AllocateCommandBuffers, vk->device, &commands, buffers);
	for (int i = 0; i < GLC_VK_SLOTS; i++) {
		vk->slots[i].commands = buffers[i];
		GLC_VK_TRY(device, diag, CreateFence, vk->device, &fence, NULL, &vk->slots[i].fence);
	}
	GLC_VK_TRY(device, diag, CreateFence, vk->device, &fence, NULL, &vk->last);
	if (vk->timed && vk->physical->time_mask)
		GLC_VK_TRY(device, diag, CreateQueryPool, vk->device, &times, NULL, &vk->times);
	return GLACIER_OK;
}

static void close_device(struct glacier_device *device)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct glc_vk *vk = glc_vk_of(device);

	if (vk->stuck) {
		pthread_mutex_lock(&lock);
		vk->next_stuck = stuck;
		stuck = vk;
		pthread_mutex_unlock(&lock);
		return;
	}
	/* The pool is made first of all, when every function is there. */
	if (vk->pool) {
		for (int i = 0; i < GLC_VK_SLOTS; i++)
			vk->call.DestroyFence(vk->device, vk->slots[i].fence, NULL);
		vk->call.DestroyFence(vk->device, vk->last, NULL);
		vk->call.DestroyQueryPool(vk->device, vk->times, NULL);
		vk->call.DestroyCommandPool(vk->device, vk->pool, NULL);
	}
	if (vk->device && vk->call.DestroyDevice)
		vk->call.DestroyDevice(vk->device, NULL);
	free(vk);
}

/* --- One rounding or two -------------------------------------------------- */

/*
 * Whether the driver's Fma rounds once cannot be asked (Vulkan allows both), but seen:
 * (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, and 0 when the product is rounded first.
 */
static const char probe_text[] =
	"kernel probe(@v: buffer f32 readwrite) workgroup 1 {\n"
	"  %x = LoadGlobal.f32 @v, 0\n"
	"  %c = LoadGlobal.f32 @v, 1\n"
	"  %r = Fma.f32 %x, %x, %c\n"
	"  StoreGlobal.f32 @v, 1, %r\n"
	"}\n";

static enum glacier_status run_probe(struct glacier_device *device, struct glacier_module *module,
				     struct glacier_array *array, float *value, struct glacier_diag *diag)
{
	static const uint32_t groups[3] = {1, 1, 1};
	const struct glacier_argument argument = {.name = "v", .array = array};
	struct glacier_pipeline *pipeline;
	float *v = glacier_array_host(array, true, diag);
	enum glacier_status status;

	if (!v)
		return GLACIER_ERR_DEVICE;
	v[0] = 0x1.001p0f;
	v[1] = -0x1.002p0f;
	status = glacier_pipeline_get(device, module, NULL, NULL, &pipeline, diag);
	if (status == GLACIER_OK)
		status = glacier_launch(pipeline, &argument, 1, groups, diag);
	if (status != GLACIER_OK)
		return status;
	v = glacier_array_host(array, false, diag);
	if (!v)
		return GLACIER_ERR_DEVICE;
	*value = v[1];
	return GLACIER_OK;
}

static enum glacier_status probe_fma(struct glacier_device *device, struct glacier_diag *diag)
{
	const struct glacier_text text = {.text = probe_text, .size = sizeof probe_text - 1};
	struct glc_vk_physical *physical = glc_vk_of(device)->physical;
	struct glacier_module *module = NULL;
	struct glacier_array *array = NULL;
	enum glacier_status status = glacier_module_create(NULL, &module);
	float value = 0;

	if (status != GLACIER_OK)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	status = glacier_module_read_text(module, &text, NULL, diag);
	if (status == GLACIER_OK)
		status = glacier_array_create(device, 2 * sizeof value, &array, diag);
	if (status == GLACIER_OK)
		status = run_probe(device, module, array, &value, diag);
	if (status == GLACIER_OK)
		physical->fma = value == 0x1p-24f ? GLC_VK_FMA_ONE_ROUNDING : GLC_VK_FMA_TWO_ROUNDINGS;
	if (array)
		glacier_array_free(device, array);
	glacier_module_destroy(module);
	/* It was no doing of the caller's. */
	while (device->pipelines) {
		struct glacier_pipeline *pipeline = device->pipelines;

		device->pipelines = pipeline->next;
		glc_pipeline_free(pipeline);
	}
	memset(&device->counts, 0, sizeof device->counts);
	return status;
}

/* --- Opening -------------------------------------------------------------- */

static enum glacier_status find_physical(uint32_t index, struct glc_vk_physical **out, struct glacier_diag *diag)
{
	const struct glc_vulkan *vulkan = glc_vulkan();
	uint32_t count;
	struct glc_vk_physical *physicals;

	if (!vulkan->opened)
		return glc_fail(diag, GLC_DV_VK_LIBRARY, GLC_NOWHERE);
	if (vulkan->result != VK_SUCCESS)
		return glc_fail(diag, GLC_DV_VK_INSTANCE, GLC_NOWHERE, glc_vulkan_result_name(vulkan->result));
	physicals = glc_vk_physicals(&count);
	if (index >= count)
		return glc_fail(diag, GLC_DV_NO_DEVICE, GLC_NOWHERE, "vulkan", index);
	*out = &physicals[index];
	return GLACIER_OK;
}

static enum glacier_status open_device(struct glacier_device *device, uint32_t index,
				       const struct glacier_device_options *options, struct glacier_diag *diag)
{
	struct glc_vk_physical *physical = NULL;
	enum glacier_status status = find_physical(index, &physical, diag);
	struct glc_vk *vk;

	if (status != GLACIER_OK)
		return status;
	vk = calloc(1, sizeof *vk);
	if (!vk)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	vk->physical = physical;
	vk->separate = !physical->unified || options->no_host_wrap;
	vk->import = physical->import_align && !options->no_host_wrap;
	vk->timed = options->timed;
	device->state = vk;
	device->info = physical->info;
	status = create_device(device, diag);
	if (status == GLACIER_OK)
		status = create_slots(device, diag);
	if (status == GLACIER_OK)
		glc_vk_cache_read_fma(device);
	if (status == GLACIER_OK && physical->fma == GLC_VK_FMA_UNKNOWN) {
		status = probe_fma(device, diag);
		if (status == GLACIER_OK)
			glc_vk_cache_store_fma(device);
	}
	if (status != GLACIER_OK) {
		close_device(device);
		device->state = NULL;
		return status;
	}
	device->info = info_of(physical);
	device->info.wraps_host = vk->import;
	return GLACIER_OK;
}

const struct glc_device_table glc_vulkan_device = {
	.kind = GLACIER_DEVICE_VULKAN,
	.list = list,
	.open = open_device,
	.close = close_device,
	.array_create = glc_vk_array_create,
	.array_free = glc_vk_array_free,
	.backing_create = glc_vk_backing_create,
	.backing_place = glc_vk_backing_place,
	.copy_to_device = glc_vk_copy_to_device,
	.copy_to_host = glc_vk_copy_to_host,
	.pipeline_build = glc_vk_pipeline_build,
	.pipeline_free = glc_vk_pipeline_free,
	.launch = glc_vk_launch,
	.wait = glc_vk_wait,
};
