/* SPDX-License-Identifier: MIT */
/*
 * libvulkan, opened when it is first asked for: its functions, one instance for the
 * process, and nothing else. Which device, which memory, which feature: lib/device.
 */
#ifndef GLC_DRIVER_VULKAN_H
#define GLC_DRIVER_VULKAN_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <stdbool.h>

/* Every function that is called, by the object that it is loaded from. */
#define GLC_VULKAN_GLOBAL(X)          \
	X(CreateInstance)             \
	X(EnumerateInstanceVersion)

#define GLC_VULKAN_INSTANCE(X)                 \
	X(CreateDevice)                        \
	X(EnumerateDeviceExtensionProperties)  \
	X(EnumeratePhysicalDevices)            \
	X(GetDeviceProcAddr)                   \
	X(GetPhysicalDeviceFeatures2)          \
	X(GetPhysicalDeviceMemoryProperties)   \
	X(GetPhysicalDeviceProperties2)        \
	X(GetPhysicalDeviceQueueFamilyProperties)

#define GLC_VULKAN_DEVICE(X)           \
	X(AllocateCommandBuffers)      \
	X(AllocateDescriptorSets)      \
	X(AllocateMemory)              \
	X(BeginCommandBuffer)          \
	X(BindBufferMemory)            \
	X(CmdBindDescriptorSets)       \
	X(CmdBindPipeline)             \
	X(CmdCopyBuffer)               \
	X(CmdDispatch)                 \
	X(CmdFillBuffer)               \
	X(CmdPipelineBarrier)          \
	X(CmdPushConstants)            \
	X(CmdResetQueryPool)           \
	X(CmdWriteTimestamp)           \
	X(CreateBuffer)                \
	X(CreateCommandPool)           \
	X(CreateComputePipelines)      \
	X(CreateDescriptorPool)        \
	X(CreateDescriptorSetLayout)   \
	X(CreateFence)                 \
	X(CreatePipelineCache)         \
	X(CreatePipelineLayout)        \
	X(CreateQueryPool)             \
	X(CreateShaderModule)          \
	X(DestroyBuffer)               \
	X(DestroyCommandPool)          \
	X(DestroyDescriptorPool)       \
	X(DestroyDescriptorSetLayout)  \
	X(DestroyDevice)               \
	X(DestroyFence)                \
	X(DestroyPipeline)             \
	X(DestroyPipelineCache)        \
	X(DestroyPipelineLayout)       \
	X(DestroyQueryPool)            \
	X(DestroyShaderModule)         \
	X(EndCommandBuffer)            \
	X(FreeMemory)                  \
	X(GetBufferMemoryRequirements) \
	X(GetDeviceQueue)              \
	X(GetPipelineCacheData)        \
	X(GetQueryPoolResults)         \
	X(MapMemory)                   \
	X(QueueSubmit)                 \
	X(ResetFences)                 \
	X(UpdateDescriptorSets)        \
	X(WaitForFences)

#define GLC_VULKAN_MEMBER(name) PFN_vk##name name;

struct glc_vulkan {
	bool opened;          /* the library is there, and as new as Vulkan 1.1 */
	VkResult result;      /* of making the instance; VK_SUCCESS: all below can be used */
	VkInstance instance;  /* kept until the process ends */
	GLC_VULKAN_GLOBAL(GLC_VULKAN_MEMBER)
	GLC_VULKAN_INSTANCE(GLC_VULKAN_MEMBER)
};

struct glc_vulkan_calls {
	GLC_VULKAN_DEVICE(GLC_VULKAN_MEMBER)
	PFN_vkGetMemoryHostPointerPropertiesEXT GetMemoryHostPointerPropertiesEXT;   /* or NULL */
};

/* The one table; opens the library in the first call. Any thread. */
const struct glc_vulkan *glc_vulkan(void);

/* False when the driver lacks one: it is NULL then. */
bool glc_vulkan_load(VkDevice device, struct glc_vulkan_calls *calls);

/* "VK_ERROR_DEVICE_LOST". A static string. */
const char *glc_vulkan_result_name(VkResult result);

#endif
