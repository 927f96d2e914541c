/* SPDX-License-Identifier: MIT */
#include "driver/vulkan.h"

#include <dlfcn.h>
#include <pthread.h>

static struct glc_vulkan table;

static VkResult create_instance(PFN_vkGetInstanceProcAddr lookup)
{
	VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pEngineName = "glacier",
		/* The newest that is made use of; devices may have less. */
		.apiVersion = VK_API_VERSION_1_3,
	};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
	};
	VkInstance instance;
	VkResult result = table.CreateInstance(&info, NULL, &instance);

	if (result != VK_SUCCESS)
		return result;
#define LOAD(name) \
	table.name = (PFN_vk##name)lookup(instance, "vk" #name); \
	if (!table.name) \
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	GLC_VULKAN_INSTANCE(LOAD)
#undef LOAD
	table.instance = instance;
	return VK_SUCCESS;
}

/*
 * Nothing is closed again: drivers leave threads and exit handlers behind, which must find
 * their code.
 */
static void open_library(void)
{
	void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
	PFN_vkGetInstanceProcAddr lookup =
		library ? (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr") : NULL;

	table.result = VK_ERROR_INITIALIZATION_FAILED;
	if (!lookup)
		return;
#define LOAD(name) \
	table.name = (PFN_vk##name)lookup(NULL, "vk" #name); \
	if (!table.name) \
		return;
	/* EnumerateInstanceVersion came with 1.1: a loader of 1.0 ends here. */
	GLC_VULKAN_GLOBAL(LOAD)
#undef LOAD
	table.opened = true;
	table.result = create_instance(lookup);
}

const struct glc_vulkan *glc_vulkan(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_library);
	return &table;
}

bool glc_vulkan_load(VkDevice device, struct glc_vulkan_calls *calls)
{
	PFN_vkGetDeviceProcAddr lookup = table.GetDeviceProcAddr;
	bool complete = true;

#define LOAD(name) \
	calls->name = (PFN_vk##name)lookup(device, "vk" #name); \
	complete = complete && calls->name;
	GLC_VULKAN_DEVICE(LOAD)
#undef LOAD
	calls->GetMemoryHostPointerPropertiesEXT = (PFN_vkGetMemoryHostPointerPropertiesEXT)lookup(
		device, "vkGetMemoryHostPointerPropertiesEXT");
	return complete;
}

const char *glc_vulkan_result_name(VkResult result)
{
#define NAME(name) \
	case name: \
		return #name;
	switch (result) {
	NAME(VK_SUCCESS)
	NAME(VK_NOT_READY)
	NAME(VK_TIMEOUT)
	NAME(VK_INCOMPLETE)
	NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
	NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
	NAME(VK_ERROR_INITIALIZATION_FAILED)
	NAME(VK_ERROR_DEVICE_LOST)
	NAME(VK_ERROR_MEMORY_MAP_FAILED)
	NAME(VK_ERROR_LAYER_NOT_PRESENT)
	NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
	NAME(VK_ERROR_FEATURE_NOT_PRESENT)
	NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
	NAME(VK_ERROR_TOO_MANY_OBJECTS)
	NAME(VK_ERROR_FRAGMENTED_POOL)
	NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
	NAME(VK_ERROR_FRAGMENTATION)
	NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE)
	NAME(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
	default:
		/* What else there is belongs to windows and images. */
		return "VK_ERROR_UNKNOWN";
	}
#undef NAME
}
