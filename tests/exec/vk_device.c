/* SPDX-License-Identifier: MIT */
/*
 * Opening a device: the loader by dlopen, a function table, one compute queue, and every
 * optional feature that a compute module may name, as far as the device has it.
 */
#include "vk_internal.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORE(member) offsetof(struct exec_features, core.features.member)
#define V11(member) offsetof(struct exec_features, v11.member)
#define V12(member) offsetof(struct exec_features, v12.member)
#define V13(member) offsetof(struct exec_features, v13.member)
#define ATOMIC(member) offsetof(struct exec_features, atomic_float.member)
#define FLOATS(member) offsetof(struct exec_features, float_controls.member)
#define SUBGROUP(bit) offsetof(struct exec_features, subgroup[bit])
#define ALWAYS SIZE_MAX

/* SPIR-V capability -> the feature or property that allows it. */
static const struct {
	uint32_t number;
	size_t feature;
} capabilities[] = {
	{0, ALWAYS},                                        /* Matrix */
	{1, ALWAYS},                                        /* Shader */
	{9, V12(shaderFloat16)},                            /* Float16 */
	{10, CORE(shaderFloat64)},                          /* Float64 */
	{11, CORE(shaderInt64)},                            /* Int64 */
	{12, V12(shaderBufferInt64Atomics)},                /* Int64Atomics */
	{22, CORE(shaderInt16)},                            /* Int16 */
	{39, V12(shaderInt8)},                              /* Int8 */
	{61, SUBGROUP(0)},                                  /* GroupNonUniform */
	{62, SUBGROUP(1)},                                  /* GroupNonUniformVote */
	{63, SUBGROUP(2)},                                  /* GroupNonUniformArithmetic */
	{64, SUBGROUP(3)},                                  /* GroupNonUniformBallot */
	{65, SUBGROUP(4)},                                  /* GroupNonUniformShuffle */
	{66, SUBGROUP(5)},                                  /* GroupNonUniformShuffleRelative */
	{67, SUBGROUP(6)},                                  /* GroupNonUniformClustered */
	{68, SUBGROUP(7)},                                  /* GroupNonUniformQuad */
	{4433, V11(storageBuffer16BitAccess)},              /* StorageBuffer16BitAccess */
	{4434, V11(uniformAndStorageBuffer16BitAccess)},    /* UniformAndStorageBuffer16BitAccess */
	{4435, V11(storagePushConstant16)},                 /* StoragePushConstant16 */
	{4448, V12(storageBuffer8BitAccess)},               /* StorageBuffer8BitAccess */
	{4449, V12(uniformAndStorageBuffer8BitAccess)},     /* UniformAndStorageBuffer8BitAccess */
	{4450, V12(storagePushConstant8)},                  /* StoragePushConstant8 */
	{4464, FLOATS(shaderDenormPreserveFloat32)},        /* DenormPreserve */
	{4466, FLOATS(shaderSignedZeroInfNanPreserveFloat32)}, /* SignedZeroInfNanPreserve */
	{4467, FLOATS(shaderRoundingModeRTEFloat32)},       /* RoundingModeRTE */
	{5345, V12(vulkanMemoryModel)},                     /* VulkanMemoryModel */
	{5346, V12(vulkanMemoryModelDeviceScope)},          /* VulkanMemoryModelDeviceScope */
	{6018, V13(shaderIntegerDotProduct)},               /* DotProductInput4x8BitPacked */
	{6019, V13(shaderIntegerDotProduct)},               /* DotProduct */
	{6033, ATOMIC(shaderBufferFloat32AtomicAdd)},       /* AtomicFloat32AddEXT */
	{6034, ATOMIC(shaderBufferFloat64AtomicAdd)},       /* AtomicFloat64AddEXT */
};

/* Features that no capability stands for. */
static const size_t more_features[] = {
	V12(shaderSharedInt64Atomics),
	V12(shaderSubgroupExtendedTypes),
	V12(scalarBlockLayout),
	V13(computeFullSubgroups),
	V13(maintenance4),                                  /* LocalSizeId */
	V13(shaderZeroInitializeWorkgroupMemory),
	V13(subgroupSizeControl),
	ATOMIC(shaderBufferFloat32Atomics),
	ATOMIC(shaderBufferFloat64Atomics),
	ATOMIC(shaderSharedFloat32Atomics),
	ATOMIC(shaderSharedFloat32AtomicAdd),
	ATOMIC(shaderSharedFloat64Atomics),
	ATOMIC(shaderSharedFloat64AtomicAdd),
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum exec_status exec_fail(struct exec *exec, enum exec_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(exec->message, sizeof exec->message, format, args);
	va_end(args);
	return status;
}

static VkBool32 *member_at(struct exec_features *features, size_t offset)
{
	return (VkBool32 *)((unsigned char *)features + offset);
}

bool exec_has_capability(const struct exec *exec, uint32_t capability)
{
	for (size_t i = 0; i < COUNT(capabilities); i++) {
		size_t offset = capabilities[i].feature;

		if (capabilities[i].number == capability)
			return offset == ALWAYS ||
			       *(const VkBool32 *)((const unsigned char *)&exec->features + offset);
	}
	return false;
}

static void chain_features(struct exec_features *features, bool atomic_float)
{
	memset(features, 0, sizeof *features);
	features->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
	features->core.pNext = &features->v11;
	features->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
	features->v11.pNext = &features->v12;
	features->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
	features->v12.pNext = &features->v13;
	features->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
	features->v13.pNext = atomic_float ? &features->atomic_float : NULL;
	features->atomic_float.sType =
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT;
	features->float_controls.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
}

static bool has_extension(struct exec *exec, const char *name)
{
	VkExtensionProperties *list;
	uint32_t count = 0;
	bool found = false;

	exec->vk.EnumerateDeviceExtensionProperties(exec->physical, NULL, &count, NULL);
	list = calloc(count + 1, sizeof *list);
	if (!list)
		return false;
	exec->vk.EnumerateDeviceExtensionProperties(exec->physical, NULL, &count, list);
	for (uint32_t i = 0; i < count; i++)
		found = found || strcmp(list[i].extensionName, name) == 0;
	free(list);
	return found;
}

static VkBool32 VKAPI_PTR take_validation(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
					  VkDebugUtilsMessageTypeFlagsEXT types,
					  const VkDebugUtilsMessengerCallbackDataEXT *data,
					  void *user)
{
	struct exec *exec = user;

	(void)severity;
	(void)types;
	/* The first error is the cause, those after it are consequences. */
	if (!exec->validation_failed)
		exec_fail(exec, EXEC_FAILED, "%s", data->pMessage);
	exec->validation_failed = true;
	return VK_FALSE;
}

static enum exec_status create_instance(struct exec *exec, PFN_vkGetInstanceProcAddr lookup)
{
	static const char *const layer = "VK_LAYER_KHRONOS_validation";
	static const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
	const char *wish = getenv("GLACIER_VK_VALIDATE");
	bool validate = wish && strcmp(wish, "1") == 0;
	uint32_t version = VK_API_VERSION_1_0;
	VkDebugUtilsMessengerCreateInfoEXT messenger = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
			       VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
		.pfnUserCallback = take_validation,
		.pUserData = exec,
	};
	VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.apiVersion = VK_API_VERSION_1_3,
	};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
	};
	VkResult result;

	if (validate) {
		info.pNext = &messenger;
		info.enabledLayerCount = 1;
		info.ppEnabledLayerNames = &layer;
		info.enabledExtensionCount = 1;
		info.ppEnabledExtensionNames = &extension;
	}
#define LOAD(name) \
	exec->vk.name = (PFN_vk##name)lookup(exec->instance, "vk" #name); \
	if (!exec->vk.name) \
		return exec_fail(exec, EXEC_UNAVAILABLE, "the Vulkan loader has no vk" #name);
	EXEC_GLOBAL_FUNCTIONS(LOAD)
	exec->vk.EnumerateInstanceVersion(&version);
	if (version < VK_API_VERSION_1_3)
		return exec_fail(exec, EXEC_UNAVAILABLE, "the Vulkan loader is older than 1.3");
	result = exec->vk.CreateInstance(&info, NULL, &exec->instance);
	if (result == VK_ERROR_LAYER_NOT_PRESENT)
		return exec_fail(exec, EXEC_UNAVAILABLE, "%s is not installed", layer);
	if (result != VK_SUCCESS)
		return exec_fail(exec, EXEC_UNAVAILABLE, "vkCreateInstance gives %d", result);
	EXEC_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
	if (validate) {
		PFN_vkCreateDebugUtilsMessengerEXT create = (PFN_vkCreateDebugUtilsMessengerEXT)
			lookup(exec->instance, "vkCreateDebugUtilsMessengerEXT");

		exec->destroy_messenger = (PFN_vkDestroyDebugUtilsMessengerEXT)
			lookup(exec->instance, "vkDestroyDebugUtilsMessengerEXT");
		if (!create || create(exec->instance, &messenger, NULL, &exec->messenger) != VK_SUCCESS)
			return exec_fail(exec, EXEC_UNAVAILABLE, "%s cannot report", layer);
	}
	return EXEC_OK;
}

static enum exec_status pick_device(struct exec *exec)
{
	VkPhysicalDevice devices[32];
	const char *wish = getenv("GLACIER_VK_DEVICE");
	uint32_t count = 32, from = 0, to;
	VkResult result = exec->vk.EnumeratePhysicalDevices(exec->instance, &count, devices);
	VkPhysicalDeviceVulkan11Properties v11 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
	};
	VkPhysicalDeviceVulkan13Properties v13 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
	};

	if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || count == 0)
		return exec_fail(exec, EXEC_UNAVAILABLE, "Vulkan finds no device");
	to = count;
	if (wish && *wish) {
		char *end;
		unsigned long index = strtoul(wish, &end, 10);

		if (*end || index >= count)
			return exec_fail(exec, EXEC_UNAVAILABLE,
					 "GLACIER_VK_DEVICE is %s, there are %u devices", wish, count);
		from = (uint32_t)index;
		to = from + 1;
	}
	for (uint32_t i = from; i < to; i++) {
		properties.pNext = NULL;
		exec->vk.GetPhysicalDeviceProperties2(devices[i], &properties);
		if (properties.properties.apiVersion < VK_API_VERSION_1_3)
			continue;
		exec->physical = devices[i];
		properties.pNext = &v11;
		v11.pNext = &v13;
		v13.pNext = &exec->features.float_controls;
		exec->vk.GetPhysicalDeviceProperties2(devices[i], &properties);
		exec->features.float_controls.pNext = NULL;
		exec->properties = properties.properties;
		exec->subgroup_size = v11.subgroupSize;
		exec->subgroup_min = v13.minSubgroupSize;
		exec->subgroup_max = v13.maxSubgroupSize;
		for (unsigned bit = 0; bit < COUNT(exec->features.subgroup); bit++)
			exec->features.subgroup[bit] = v11.subgroupSupportedOperations >> bit & 1;
		exec->vk.GetPhysicalDeviceMemoryProperties(exec->physical, &exec->memories);
		return EXEC_OK;
	}
	return exec_fail(exec, EXEC_UNAVAILABLE, "no device has Vulkan 1.3");
}

static enum exec_status create_device(struct exec *exec)
{
	static const char *const extension = VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
	VkQueueFamilyProperties families[32];
	uint32_t family_count = 32;
	bool atomic_float = has_extension(exec, extension);
	float priority = 1;
	struct exec_features have;
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = &exec->features.core,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = atomic_float,
		.ppEnabledExtensionNames = &extension,
	};

	chain_features(&have, atomic_float);
	exec->vk.GetPhysicalDeviceFeatures2(exec->physical, &have.core);
	for (size_t i = 0; i < COUNT(capabilities); i++)
		if (capabilities[i].feature < offsetof(struct exec_features, float_controls))
			*member_at(&exec->features, capabilities[i].feature) =
				*member_at(&have, capabilities[i].feature);
	for (size_t i = 0; i < COUNT(more_features); i++)
		*member_at(&exec->features, more_features[i]) = *member_at(&have, more_features[i]);
	exec->features.v13.pNext = atomic_float ? &exec->features.atomic_float : NULL;

	exec->vk.GetPhysicalDeviceQueueFamilyProperties(exec->physical, &family_count, families);
	for (exec->family = 0; exec->family < family_count; exec->family++)
		if (families[exec->family].queueFlags & VK_QUEUE_COMPUTE_BIT)
			break;
	if (exec->family == family_count)
		return exec_fail(exec, EXEC_UNAVAILABLE, "%s has no compute queue",
				 exec->properties.deviceName);
	queue.queueFamilyIndex = exec->family;
	if (exec->vk.CreateDevice(exec->physical, &info, NULL, &exec->device) != VK_SUCCESS)
		return exec_fail(exec, EXEC_UNAVAILABLE, "%s cannot be opened",
				 exec->properties.deviceName);
#define LOAD(name) \
	exec->vk.name = (PFN_vk##name)exec->vk.GetDeviceProcAddr(exec->device, "vk" #name); \
	if (!exec->vk.name) \
		return exec_fail(exec, EXEC_UNAVAILABLE, "the driver has no vk" #name);
	EXEC_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
	exec->vk.GetDeviceQueue(exec->device, exec->family, 0, &exec->queue);
	return EXEC_OK;
}

static enum exec_status create_objects(struct exec *exec)
{
	VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = exec->family,
	};
	VkCommandBufferAllocateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	VkDescriptorPoolSize size = {
		.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.descriptorCount = EXEC_MAX_BUFFERS,
	};
	VkDescriptorPoolCreateInfo descriptors = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = EXEC_MAX_SETS,
		.poolSizeCount = 1,
		.pPoolSizes = &size,
	};
	VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};

	if (exec->vk.CreateCommandPool(exec->device, &pool, NULL, &exec->command_pool) != VK_SUCCESS)
		goto fail;
	commands.commandPool = exec->command_pool;
	if (exec->vk.AllocateCommandBuffers(exec->device, &commands, &exec->commands) != VK_SUCCESS ||
	    exec->vk.CreateDescriptorPool(exec->device, &descriptors, NULL, &exec->descriptor_pool) != VK_SUCCESS ||
	    exec->vk.CreateFence(exec->device, &fence, NULL, &exec->fence) != VK_SUCCESS)
		goto fail;
	return EXEC_OK;

fail:
	return exec_fail(exec, EXEC_UNAVAILABLE, "%s is out of memory", exec->properties.deviceName);
}

enum exec_status exec_open(struct exec **out, char *message, size_t bytes)
{
	/*
	 * Never closed: drivers leave threads and exit handlers behind, and a leak report
	 * can name a library only while that is loaded.
	 */
	void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
	PFN_vkGetInstanceProcAddr lookup;
	struct exec *exec;
	enum exec_status status;

	lookup = library ? (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr") : NULL;
	if (!lookup) {
		snprintf(message, bytes, "libvulkan.so.1 cannot be opened");
		return EXEC_UNAVAILABLE;
	}
	exec = calloc(1, sizeof *exec);
	if (!exec) {
		snprintf(message, bytes, "out of memory");
		return EXEC_UNAVAILABLE;
	}
	chain_features(&exec->features, false);
	status = create_instance(exec, lookup);
	if (status == EXEC_OK)
		status = pick_device(exec);
	if (status == EXEC_OK)
		status = create_device(exec);
	if (status == EXEC_OK)
		status = create_objects(exec);
	if (status != EXEC_OK) {
		snprintf(message, bytes, "%s", exec->message);
		exec_close(exec);
		return status;
	}
	*out = exec;
	return EXEC_OK;
}

void exec_close(struct exec *exec)
{
	if (!exec)
		return;
	/* What still runs on a lost device must not be freed under it. */
	if (exec->lost)
		return;
	/* With a device there may be no functions yet: the driver lacked one. */
	if (exec->device && exec->vk.WaitForFences) {
		exec_pipeline_destroy(exec);
		exec->vk.DestroyBuffer(exec->device, exec->buffer, NULL);
		exec->vk.FreeMemory(exec->device, exec->memory, NULL);
		exec->vk.DestroyFence(exec->device, exec->fence, NULL);
		exec->vk.DestroyDescriptorPool(exec->device, exec->descriptor_pool, NULL);
		exec->vk.DestroyCommandPool(exec->device, exec->command_pool, NULL);
		exec->vk.DestroyDevice(exec->device, NULL);
	}
	if (exec->messenger)
		exec->destroy_messenger(exec->instance, exec->messenger, NULL);
	if (exec->instance && exec->vk.DestroyInstance)
		exec->vk.DestroyInstance(exec->instance, NULL);
	free(exec);
}

const char *exec_message(const struct exec *exec)
{
	return exec->message;
}

const char *exec_device_name(const struct exec *exec)
{
	return exec->properties.deviceName;
}

uint32_t exec_subgroup_size(const struct exec *exec)
{
	return exec->subgroup_size;
}
