/* SPDX-License-Identifier: MIT */
/*
 * The Vulkan devices of the process. They are asked once: what they say does not change,
 * and an index names the same device for as long as the process runs.
 */
#include "device/vulkan.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct glc_vk_physical *list;
	uint32_t count;
} found;

static bool has_extension(const VkExtensionProperties *list, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(list[i].extensionName, name))
			return true;
	return false;
}

/* A queue that computes, preferably one whose time stamps are good for something. */
static bool find_queue(const struct glc_vulkan *vk, VkPhysicalDevice handle, struct glc_vk_physical *physical)
{
	VkQueueFamilyProperties families[64];
	uint32_t count = 64;
	bool is_found = false;

	vk->GetPhysicalDeviceQueueFamilyProperties(handle, &count, families);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t bits = families[i].timestampValidBits;

		if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || (is_found && (physical->time_mask || !bits)))
			continue;
		physical->family = i;
		physical->time_mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
		is_found = true;
	}
	return is_found;
}

/* Memory that is the device's own and that the host reads as fast as any: then there is only one. */
static bool is_unified(const VkPhysicalDeviceMemoryProperties *memories)
{
	const VkMemoryPropertyFlags all =
		VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
		VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

	for (uint32_t i = 0; i < memories->memoryTypeCount; i++)
		if ((memories->memoryTypes[i].propertyFlags & all) == all)
			return true;
	return false;
}

static void fill_limits(const VkPhysicalDeviceLimits *from, struct glacier_device_info *info)
{
	struct glacier_limits *limits = &info->limits;

	limits->compute_shared_memory_bytes = from->maxComputeSharedMemorySize;
	limits->compute_workgroup_invocations = from->maxComputeWorkGroupInvocations;
	limits->push_constants_bytes = from->maxPushConstantsSize;
	limits->storage_buffer_range_bytes = from->maxStorageBufferRange;
	limits->per_stage_storage_buffers = from->maxPerStageDescriptorStorageBuffers;
	limits->per_stage_resources = from->maxPerStageResources;
	limits->descriptor_set_storage_buffers = from->maxDescriptorSetStorageBuffers;
	limits->bound_descriptor_sets = from->maxBoundDescriptorSets;
	for (int i = 0; i < 3; i++) {
		limits->compute_workgroup_size[i] = from->maxComputeWorkGroupSize[i];
		info->group_count[i] = from->maxComputeWorkGroupCount[i];
	}
	info->buffer_bytes = from->maxStorageBufferRange;
}

void glc_vk_link_features(const struct glc_vk_physical *physical, struct glc_vk_features *features)
{
	uint32_t version = physical->version;
	void **last = &features->core.pNext;

#define LINK(member, type, there)                                      \
	do {                                                           \
		features->member.sType = VK_STRUCTURE_TYPE_##type;     \
		features->member.pNext = NULL;                         \
		if (there) {                                           \
			*last = &features->member;                     \
			last = &features->member.pNext;                \
		}                                                      \
	} while (0)
	features->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
	features->core.pNext = NULL;
	LINK(maintenance4, PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, version >= VK_API_VERSION_1_3);
	LINK(subgroup_size, PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
	     version >= VK_API_VERSION_1_3 || physical->subgroup_size_extension);
	LINK(subgroup_types, PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES,
	     version >= VK_API_VERSION_1_2);
	LINK(atomic_float, PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, physical->atomic_float);
#undef LINK
}

/* What vkGetPhysicalDeviceProperties2 tells beyond 1.0. */
struct properties {
	VkPhysicalDeviceProperties2 core;
	VkPhysicalDeviceSubgroupProperties subgroup;
	VkPhysicalDeviceMaintenance3Properties maintenance3;
	VkPhysicalDeviceMaintenance4Properties maintenance4;
	VkPhysicalDeviceDriverProperties driver;
	VkPhysicalDeviceFloatControlsProperties floats;
	VkPhysicalDeviceSubgroupSizeControlProperties subgroup_size;
	VkPhysicalDeviceExternalMemoryHostPropertiesEXT import;
};

static void ask_properties(const struct glc_vulkan *vk, VkPhysicalDevice handle, uint32_t version,
			   bool import, bool subgroup_size, struct properties *p)
{
	void **last = &p->core.pNext;

#define LINK(member, type, there)                               \
	do {                                                    \
		p->member.sType = VK_STRUCTURE_TYPE_##type;     \
		if (there) {                                    \
			*last = &p->member;                     \
			last = &p->member.pNext;                \
		}                                               \
	} while (0)
	memset(p, 0, sizeof *p);
	p->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
	LINK(subgroup, PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, true);
	LINK(maintenance3, PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, true);
	LINK(maintenance4, PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, version >= VK_API_VERSION_1_3);
	LINK(driver, PHYSICAL_DEVICE_DRIVER_PROPERTIES, version >= VK_API_VERSION_1_2);
	LINK(floats, PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES, version >= VK_API_VERSION_1_2);
	LINK(subgroup_size, PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
	     version >= VK_API_VERSION_1_3 || subgroup_size);
	LINK(import, PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT, import);
#undef LINK
	vk->GetPhysicalDeviceProperties2(handle, &p->core);
}

static void fill_subgroups(const struct properties *p, struct glc_vk_physical *physical)
{
	VkSubgroupFeatureFlags operations =
		p->subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT ? p->subgroup.supportedOperations : 0;

	physical->has.subgroup_basic = !!(operations & VK_SUBGROUP_FEATURE_BASIC_BIT);
	physical->has.subgroup_ballot = !!(operations & VK_SUBGROUP_FEATURE_BALLOT_BIT);
	physical->has.subgroup_shuffle = !!(operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
	if (!physical->has.subgroup_size.subgroupSizeControl ||
	    !(p->subgroup_size.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT))
		return;
	physical->subgroup_min = p->subgroup_size.minSubgroupSize;
	physical->subgroup_max = p->subgroup_size.maxSubgroupSize;
	physical->subgroups_max = p->subgroup_size.maxComputeWorkgroupSubgroups;
}

/* The newest SPIR-V that each version of Vulkan takes (Vulkan 1.3, appendix A). */
static uint8_t spirv_minor(uint32_t version)
{
	return version >= VK_API_VERSION_1_3 ? 6 : version >= VK_API_VERSION_1_2 ? 5 : 3;
}

static void fill_info(const struct properties *p, struct glc_vk_physical *physical)
{
	const VkPhysicalDeviceProperties *core = &p->core.properties;
	struct glacier_device_info *info = &physical->info;

	info->kind = GLACIER_DEVICE_VULKAN;
	snprintf(info->name, sizeof info->name, "%s", core->deviceName);
	snprintf(info->driver, sizeof info->driver, "%.99s%s%.150s", p->driver.driverName,
		 p->driver.driverInfo[0] ? " " : "", p->driver.driverInfo);
	fill_limits(&core->limits, info);
	info->subgroup_size = p->subgroup.subgroupSize;
	info->software = core->deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
	info->has_i64 = physical->has.core.features.shaderInt64;
	info->has_f64 = physical->has.core.features.shaderFloat64;
	info->wraps_host = physical->import_align != 0;
	info->target = (struct glacier_target){
		.kind = GLACIER_TARGET_SPIRV,
		.major = 1,
		.minor = spirv_minor(physical->version),
		.version_given = true,
	};
	/* Both places where the language has the instruction. */
	if (physical->has.atomic_float.shaderBufferFloat32AtomicAdd &&
	    physical->has.atomic_float.shaderSharedFloat32AtomicAdd)
		info->target.features |= GLACIER_FEATURE_ATOMIC_FLOAT_ADD;
	if (p->floats.shaderSignedZeroInfNanPreserveFloat32 &&
	    (p->floats.shaderSignedZeroInfNanPreserveFloat64 || !info->has_f64))
		info->target.features |= GLACIER_FEATURE_SIGNED_ZERO_INF_NAN;
}

/* False for a device that cannot compute, or whose driver is older than Vulkan 1.1. */
static bool ask(const struct glc_vulkan *vk, VkPhysicalDevice handle, struct glc_vk_physical *physical)
{
	VkExtensionProperties *extensions;
	uint32_t count = 0, version;
	struct properties p;
	bool import;

	memset(physical, 0, sizeof *physical);
	physical->handle = handle;
	ask_properties(vk, handle, 0, false, false, &p);
	physical->version = version = p.core.properties.apiVersion;
	if (version < VK_API_VERSION_1_1 || !find_queue(vk, handle, physical))
		return false;
	if (vk->EnumerateDeviceExtensionProperties(handle, NULL, &count, NULL) != VK_SUCCESS)
		return false;
	extensions = calloc((size_t)count + 1, sizeof *extensions);
	if (!extensions)
		return false;
	if (vk->EnumerateDeviceExtensionProperties(handle, NULL, &count, extensions) != VK_SUCCESS)
		count = 0;
	physical->atomic_float = has_extension(extensions, count, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
	physical->subgroup_size_extension =
		version < VK_API_VERSION_1_3 &&
		has_extension(extensions, count, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
	import = has_extension(extensions, count, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
	free(extensions);

	glc_vk_link_features(physical, &physical->has);
	vk->GetPhysicalDeviceFeatures2(handle, &physical->has.core);
	ask_properties(vk, handle, version, import, physical->subgroup_size_extension, &p);
	vk->GetPhysicalDeviceMemoryProperties(handle, &physical->memories);
	physical->unified = is_unified(&physical->memories);
	physical->time_ns = (double)p.core.properties.limits.timestampPeriod;
	physical->buffer_align = p.core.properties.limits.minStorageBufferOffsetAlignment;
	physical->piece_bytes = p.maintenance3.maxMemoryAllocationSize;
	if (p.maintenance4.maxBufferSize && p.maintenance4.maxBufferSize < physical->piece_bytes)
		physical->piece_bytes = p.maintenance4.maxBufferSize;
	physical->import_align = p.import.minImportedHostPointerAlignment;
	physical->vendor = p.core.properties.vendorID;
	physical->model = p.core.properties.deviceID;
	physical->driver_version = p.core.properties.driverVersion;
	memcpy(physical->cache_uuid, p.core.properties.pipelineCacheUUID, sizeof physical->cache_uuid);
	fill_subgroups(&p, physical);
	fill_info(&p, physical);
	return true;
}

/* The lower, the better; devices of one rank stay in the driver's order. */
static int rank(VkPhysicalDeviceType type)
{
	switch (type) {
	case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 0;
	case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 1;
	case VK_PHYSICAL_DEVICE_TYPE_CPU: return 3;
	default: return 2;
	}
}

static int rank_of(const struct glc_vulkan *vk, VkPhysicalDevice handle)
{
	VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};

	vk->GetPhysicalDeviceProperties2(handle, &properties);
	return rank(properties.properties.deviceType);
}

static void ask_all(void)
{
	const struct glc_vulkan *vk = glc_vulkan();
	VkPhysicalDevice *handles;
	uint32_t count = 0;

	if (vk->result != VK_SUCCESS ||
	    vk->EnumeratePhysicalDevices(vk->instance, &count, NULL) != VK_SUCCESS || !count)
		return;
	handles = calloc(count, sizeof *handles);
	found.list = calloc(count, sizeof *found.list);
	if (handles && found.list && vk->EnumeratePhysicalDevices(vk->instance, &count, handles) >= 0)
		for (int wanted = 0; wanted < 4; wanted++)
			for (uint32_t i = 0; i < count; i++)
				if (rank_of(vk, handles[i]) == wanted &&
				    ask(vk, handles[i], &found.list[found.count])) {
					found.list[found.count].info.index = found.count;
					found.count++;
				}
	free(handles);
}

struct glc_vk_physical *glc_vk_physicals(uint32_t *count)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, ask_all);
	*count = found.count;
	return found.list;
}
