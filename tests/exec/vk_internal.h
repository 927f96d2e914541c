/* SPDX-License-Identifier: MIT */
/* What vk_device.c opens and vk_run.c uses. */
#ifndef TESTS_EXEC_VK_INTERNAL_H
#define TESTS_EXEC_VK_INTERNAL_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "vk.h"

/* Every function that is called, by the object it is loaded from. */
#define EXEC_GLOBAL_FUNCTIONS(X) \
	X(CreateInstance) \
	X(EnumerateInstanceVersion)

#define EXEC_INSTANCE_FUNCTIONS(X) \
	X(CreateDevice) \
	X(DestroyInstance) \
	X(EnumerateDeviceExtensionProperties) \
	X(EnumeratePhysicalDevices) \
	X(GetDeviceProcAddr) \
	X(GetPhysicalDeviceFeatures2) \
	X(GetPhysicalDeviceMemoryProperties) \
	X(GetPhysicalDeviceProperties2) \
	X(GetPhysicalDeviceQueueFamilyProperties)

#define EXEC_DEVICE_FUNCTIONS(X) \
	X(AllocateCommandBuffers) \
	X(AllocateDescriptorSets) \
	X(AllocateMemory) \
	X(BeginCommandBuffer) \
	X(BindBufferMemory) \
	X(CmdBindDescriptorSets) \
	X(CmdBindPipeline) \
	X(CmdDispatch) \
	X(CmdPipelineBarrier) \
	X(CmdPushConstants) \
	X(CreateBuffer) \
	X(CreateCommandPool) \
	X(CreateComputePipelines) \
	X(CreateDescriptorPool) \
	X(CreateDescriptorSetLayout) \
	X(CreateFence) \
	X(CreatePipelineLayout) \
	X(CreateShaderModule) \
	X(DestroyBuffer) \
	X(DestroyCommandPool) \
	X(DestroyDescriptorPool) \
	X(DestroyDescriptorSetLayout) \
	X(DestroyDevice) \
	X(DestroyFence) \
	X(DestroyPipeline) \
	X(DestroyPipelineLayout) \
	X(DestroyShaderModule) \
	X(EndCommandBuffer) \
	X(FreeMemory) \
	X(GetBufferMemoryRequirements) \
	X(GetDeviceQueue) \
	X(MapMemory) \
	X(QueueSubmit) \
	X(ResetCommandPool) \
	X(ResetDescriptorPool) \
	X(ResetFences) \
	X(UpdateDescriptorSets) \
	X(WaitForFences)

#define EXEC_MEMBER(name) PFN_vk##name name;

/* What is enabled or always there; a row of the capability table names one member. */
struct exec_features {
	VkPhysicalDeviceFeatures2 core;
	VkPhysicalDeviceVulkan11Features v11;
	VkPhysicalDeviceVulkan12Features v12;
	VkPhysicalDeviceVulkan13Features v13;
	VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
	VkPhysicalDeviceVulkan12Properties float_controls;
	VkBool32 subgroup[8];           /* VkSubgroupFeatureFlagBits, one by one */
};

enum { EXEC_MAX_SETS = 8, EXEC_MAX_BUFFERS = 64, EXEC_MAX_SPECS = 64 };

/* The pipeline of the last run, and everything that decides whether the next can use it. */
struct exec_pipeline {
	uint32_t *words;
	size_t word_count;
	char *entry;
	uint32_t sets[EXEC_MAX_BUFFERS], bindings[EXEC_MAX_BUFFERS];
	size_t buffer_count, push_bytes, spec_count;
	struct exec_spec specs[EXEC_MAX_SPECS];
	uint32_t subgroup_size;

	VkDescriptorSetLayout set_layouts[EXEC_MAX_SETS];
	uint32_t set_count;
	VkPipelineLayout layout;
	VkShaderModule module;
	VkPipeline pipeline;
};

struct exec {
	struct {
		EXEC_GLOBAL_FUNCTIONS(EXEC_MEMBER)
		EXEC_INSTANCE_FUNCTIONS(EXEC_MEMBER)
		EXEC_DEVICE_FUNCTIONS(EXEC_MEMBER)
	} vk;
	VkInstance instance;
	VkDebugUtilsMessengerEXT messenger;
	PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger;
	VkPhysicalDevice physical;
	VkPhysicalDeviceProperties properties;
	VkPhysicalDeviceMemoryProperties memories;
	uint32_t subgroup_size, subgroup_min, subgroup_max;
	struct exec_features features;

	VkDevice device;
	VkQueue queue;
	uint32_t family;
	VkCommandPool command_pool;
	VkCommandBuffer commands;
	VkDescriptorPool descriptor_pool;
	VkFence fence;

	/* All buffers of a run are slices of this one; it grows and stays. */
	VkBuffer buffer;
	VkDeviceMemory memory;
	size_t capacity;
	unsigned char *mapped;

	struct exec_pipeline last;
	bool lost;                      /* a run never ended: touch nothing of it again */
	bool validation_failed;
	char message[1024];
};

/* Fill the message of the exec and give the status back. */
enum exec_status exec_fail(struct exec *exec, enum exec_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void exec_pipeline_destroy(struct exec *exec);

#endif
