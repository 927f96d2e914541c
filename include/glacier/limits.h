/* SPDX-License-Identifier: MIT */
/*
 * What a Vulkan device can hold. Each member is named after its member of
 * VkPhysicalDeviceLimits, in the comment; 0 means that it is not known, and nothing is
 * checked against it. A value; any thread.
 */
#ifndef GLACIER_LIMITS_H
#define GLACIER_LIMITS_H

#include <glacier/base.h>

GLACIER_BEGIN

struct glacier_limits {
	uint32_t compute_shared_memory_bytes;     /* maxComputeSharedMemorySize */
	uint32_t compute_workgroup_invocations;   /* maxComputeWorkGroupInvocations */
	uint32_t compute_workgroup_size[3];       /* maxComputeWorkGroupSize */
	uint32_t push_constants_bytes;            /* maxPushConstantsSize */
	uint32_t storage_buffer_range_bytes;      /* maxStorageBufferRange */
	uint32_t per_stage_storage_buffers;       /* maxPerStageDescriptorStorageBuffers */
	uint32_t per_stage_resources;             /* maxPerStageResources */
	uint32_t descriptor_set_storage_buffers;  /* maxDescriptorSetStorageBuffers */
	uint32_t bound_descriptor_sets;           /* maxBoundDescriptorSets */
};

GLACIER_END

#endif
