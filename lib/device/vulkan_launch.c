/* SPDX-License-Identifier: MIT */
/*
 * Launches and copies. A few slots go round; each holds what one submission needs, made
 * when the device was opened, so that a launch only records, submits and later waits.
 */
#include "device/vulkan.h"

#include <string.h>
#include <time.h>

/* --- Slots ---------------------------------------------------------------- */

static uint32_t index_of(const struct glc_vk *vk, const struct glc_vk_slot *slot)
{
	return (uint32_t)(slot - vk->slots);
}

/* Its work has ended: read the time, and let it be used again. */
static enum glacier_status retire(struct glacier_device *device, struct glc_vk_slot *slot, struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);
	uint64_t at[2];

	slot->busy = false;
	if (!slot->timed)
		return GLACIER_OK;
	GLC_VK_TRY(device, diag, GetQueryPoolResults, vk->device, vk->times, 2 * index_of(vk, slot), 2, sizeof at, at,
		   sizeof *at, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
	vk->launch_ns = (uint64_t)((double)((at[1] - at[0]) & vk->physical->time_mask) * vk->physical->time_ns);
	return GLACIER_OK;
}

static enum glacier_status finish(struct glacier_device *device, struct glc_vk_slot *slot, uint64_t timeout_ns,
				  uint64_t limit_ns, struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);
	VkResult result = vk->call.WaitForFences(vk->device, 1, &slot->fence, VK_TRUE, timeout_ns);

	if (result == VK_TIMEOUT) {
		device->lost = vk->stuck = true;
		return glc_fail(diag, GLC_DV_TIMEOUT, GLC_NOWHERE, (unsigned long long)limit_ns / 1000000);
	}
	if (result != VK_SUCCESS)
		return glc_vk_fail(device, diag, "vkWaitForFences", result);
	return retire(device, slot, diag);
}

/* Everything that was written before is seen by what comes behind. */
static void barrier(const struct glc_vk *vk, VkCommandBuffer commands)
{
	const VkMemoryBarrier memory = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
				 VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
	};
	const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;

	vk->call.CmdPipelineBarrier(commands, stages, stages, 0, 1, &memory, 0, NULL, 0, NULL);
}

/* The host sees what was written once it has waited for the fence. */
static void barrier_to_host(const struct glc_vk *vk, VkCommandBuffer commands)
{
	const VkMemoryBarrier memory = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
	};

	vk->call.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
				    VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, NULL, 0, NULL);
}

enum glacier_status glc_vk_begin(struct glacier_device *device, struct glc_vk_slot **out, struct glacier_diag *diag)
{
	static const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	struct glc_vk *vk = glc_vk_of(device);
	struct glc_vk_slot *slot = &vk->slots[vk->next];

	if (slot->busy) {
		enum glacier_status status = finish(device, slot, UINT64_MAX, 0, diag);

		if (status != GLACIER_OK)
			return status;
	}
	slot->timed = false;
	GLC_VK_TRY(device, diag, ResetFences, vk->device, 1, &slot->fence);
	GLC_VK_TRY(device, diag, BeginCommandBuffer, slot->commands, &begin);
	barrier(vk, slot->commands);
	*out = slot;
	return GLACIER_OK;
}

enum glacier_status glc_vk_submit(struct glacier_device *device, struct glc_vk_slot *slot, struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &slot->commands,
	};

	barrier_to_host(vk, slot->commands);
	GLC_VK_TRY(device, diag, EndCommandBuffer, slot->commands);
	GLC_VK_TRY(device, diag, QueueSubmit, vk->queue, 1, &submit, slot->fence);
	slot->busy = true;
	vk->next = (index_of(vk, slot) + 1) % GLC_VK_SLOTS;
	return GLACIER_OK;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

enum glacier_status glc_vk_wait(struct glacier_device *device, uint64_t timeout_ns, uint64_t *device_ns,
				struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);
	uint64_t begun = timeout_ns ? now_ns() : 0;

	/* From the oldest to the newest, so that the last launch is the last to set the time. */
	for (uint32_t i = 0; i < GLC_VK_SLOTS; i++) {
		struct glc_vk_slot *slot = &vk->slots[(vk->next + i) % GLC_VK_SLOTS];
		uint64_t left = UINT64_MAX;
		enum glacier_status status;

		if (!slot->busy)
			continue;
		if (timeout_ns) {
			uint64_t spent = now_ns() - begun;

			left = spent < timeout_ns ? timeout_ns - spent : 0;
		}
		status = finish(device, slot, left, timeout_ns, diag);
		if (status != GLACIER_OK)
			return status;
	}
	/* One launch after the other finds its descriptors as it left them. */
	vk->next = 0;
	if (device_ns)
		*device_ns = vk->launch_ns;
	return GLACIER_OK;
}

/* --- Launching ------------------------------------------------------------ */

/*
 * What the kernel sees of each buffer. Its range is what Length counts, so it is exact; an
 * empty one cannot be said (VUID-VkDescriptorBufferInfo-range-00341), and one byte is no
 * element, because there are no elements of one byte.
 */
static enum glacier_status find_ranges(struct glacier_device *device, const struct glc_launch *launch,
				       struct glc_vk_pipeline *built, struct glacier_diag *diag)
{
	const struct glc_kernel *kernel = &launch->pipeline->ir->kernels[0];
	uint64_t align = glc_vk_of(device)->physical->buffer_align;

	for (uint32_t i = 0; i < built->buffer_count; i++) {
		const struct glc_object *object = &kernel->objects[built->objects[i]];
		const struct glc_binding *binding = &launch->bindings[built->objects[i]];
		const struct glc_vk_memory *memory = binding->array->backing;

		if (binding->offset_bytes % align)
			return glc_fail(diag, GLC_DV_VK_OFFSET, GLC_NOWHERE, (int)kernel->name.bytes,
					kernel->name.at, (int)object->name.bytes, object->name.at,
					(unsigned long long)binding->offset_bytes, device->info.name,
					(unsigned long long)align);
		built->infos[i] = (VkDescriptorBufferInfo){
			.buffer = memory->buffer,
			/* The end of an array that is used up is behind its buffer, perhaps. */
			.offset = memory->offset_bytes + (binding->bytes ? binding->offset_bytes : 0),
			.range = binding->bytes ? binding->bytes : 1,
		};
	}
	return GLACIER_OK;
}

/* Only what differs from the launch that used the slot's sets before. */
static void write_descriptors(const struct glc_vk *vk, uint32_t slot, const struct glc_launch *launch,
			      struct glc_vk_pipeline *built)
{
	const struct glc_kernel *kernel = &launch->pipeline->ir->kernels[0];
	struct glc_vk_bound *bound = &built->bound[slot * built->buffer_count];
	uint32_t changed = 0;

	for (uint32_t i = 0; i < built->buffer_count; i++) {
		const struct glc_object *object = &kernel->objects[built->objects[i]];
		const struct glc_vk_memory *memory = launch->bindings[built->objects[i]].array->backing;
		const VkDescriptorBufferInfo *info = &built->infos[i];

		if (bound[i].memory == memory->number && bound[i].offset_bytes == info->offset &&
		    bound[i].bytes == info->range)
			continue;
		bound[i] = (struct glc_vk_bound){memory->number, info->offset, info->range};
		built->writes[changed++] = (VkWriteDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = built->sets[slot * built->set_count + object->set],
			.dstBinding = object->binding,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = info,
		};
	}
	if (changed)
		vk->call.UpdateDescriptorSets(vk->device, changed, built->writes, 0, NULL);
}

static void fill_push_constants(const struct glc_launch *launch, const struct glc_kernel *kernel,
				struct glc_vk_pipeline *built)
{
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];
		uint64_t wide = launch->scalars[i];
		uint32_t narrow = (uint32_t)wide;

		if (object->kind != GLC_OBJECT_SCALAR)
			continue;
		if (glc_types[object->type].bytes == 8)
			memcpy(built->push + object->offset, &wide, 8);
		else
			memcpy(built->push + object->offset, &narrow, 4);
	}
}

static void record(const struct glc_vk *vk, const struct glc_vk_slot *slot, const struct glc_launch *launch,
		   const struct glc_vk_pipeline *built)
{
	uint32_t index = index_of(vk, slot);
	VkCommandBuffer commands = slot->commands;

	vk->call.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, built->pipeline);
	if (built->set_count)
		vk->call.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, built->layout, 0,
					       built->set_count, &built->sets[index * built->set_count], 0, NULL);
	if (built->push_bytes)
		vk->call.CmdPushConstants(commands, built->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
					  built->push_bytes, built->push);
	/* By the stage that computes: from the end of what ran before to the end of this. */
	if (slot->timed) {
		vk->call.CmdResetQueryPool(commands, vk->times, 2 * index, 2);
		vk->call.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, vk->times, 2 * index);
	}
	vk->call.CmdDispatch(commands, launch->groups[0], launch->groups[1], launch->groups[2]);
	if (slot->timed)
		vk->call.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, vk->times, 2 * index + 1);
}

enum glacier_status glc_vk_launch(struct glacier_device *device, const struct glc_launch *launch,
				  struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);
	const struct glc_kernel *kernel = &launch->pipeline->ir->kernels[0];
	struct glc_vk_pipeline *built = launch->pipeline->built;
	enum glacier_status status = find_ranges(device, launch, built, diag);
	struct glc_vk_slot *slot;

	if (status == GLACIER_OK)
		status = glc_vk_begin(device, &slot, diag);
	if (status != GLACIER_OK)
		return status;
	slot->timed = vk->times != VK_NULL_HANDLE;
	fill_push_constants(launch, kernel, built);
	write_descriptors(vk, index_of(vk, slot), launch, built);
	record(vk, slot, launch, built);
	return glc_vk_submit(device, slot, diag);
}
