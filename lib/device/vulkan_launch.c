/* SPDX-License-Identifier: MIT */
/*
 * Launches and copies. A few slots go round; each holds what one submission needs, made
 * when the device was opened, so that a launch only records, submits and later waits.
 */
#include "device/vulkan.h"

#include <string.h>

/* --- Slots ---------------------------------------------------------------- */

static uint32_t index_of(const struct glc_vk *vk, const struct glc_vk_slot *slot)
{
	return (uint32_t)(slot - vk->slots);
}

static struct glc_vk_slot *slot_at(struct glc_vk *vk, uint32_t place)
{
	return &vk->slots[(vk->oldest + place) % GLC_VK_SLOTS];
}

/* The work of so many has ended: read their times, and let them be used again. */
static enum glacier_status retire(struct glacier_device *device, uint32_t count, struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);

	for (; count; count--) {
		const struct glc_vk_slot *slot = slot_at(vk, 0);
		uint64_t at[2];

		vk->oldest = (vk->oldest + 1) % GLC_VK_SLOTS;
		vk->busy--;
		if (!slot->timed)
			continue;
		GLC_VK_TRY(device, diag, GetQueryPoolResults, vk->device, vk->times, 2 * index_of(vk, slot), 2,
			   sizeof at, at, sizeof *at, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
		vk->launch_ns =
			(uint64_t)((double)((at[1] - at[0]) & vk->physical->time_mask) * vk->physical->time_ns);
	}
	return GLACIER_OK;
}

/*
 * Waits for so many of the oldest, at least one. A queue's work ends in order (Vulkan 1.3, 7.3
 * Fences): the first fence behind them tells, and where there is none one is put there.
 */
static enum glacier_status finish(struct glacier_device *device, uint32_t count, uint64_t timeout_ns,
				  struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);
	VkFence fence = vk->last;
	VkResult result;

	while (count < vk->busy && !slot_at(vk, count - 1)->fenced)
		count++;
	if (slot_at(vk, count - 1)->fenced) {
		fence = slot_at(vk, count - 1)->fence;
	} else {
		GLC_VK_TRY(device, diag, ResetFences, vk->device, 1, &fence);
		GLC_VK_TRY(device, diag, QueueSubmit, vk->queue, 0, NULL, fence);
	}
	result = vk->call.WaitForFences(vk->device, 1, &fence, VK_TRUE, timeout_ns);
	if (result == VK_TIMEOUT) {
		device->lost = vk->stuck = true;
		return glc_fail(diag, GLC_DV_TIMEOUT, GLC_NOWHERE, (unsigned long long)timeout_ns / 1000000);
	}
	if (result != VK_SUCCESS)
		return glc_vk_fail(device, diag, "vkWaitForFences", result);
	return retire(device, count, diag);
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

/*
 * The slot that is next, with nothing of it under way. A launch when nothing else is under way
 * is as a rule waited for: it has a fence of its own.
 */
static enum glacier_status take_slot(struct glacier_device *device, struct glc_vk_slot **out, struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);
	struct glc_vk_slot *slot;

	if (vk->busy == GLC_VK_SLOTS) {
		enum glacier_status status = finish(device, 1, UINT64_MAX, diag);

		if (status != GLACIER_OK)
			return status;
	}
	slot = slot_at(vk, vk->busy);
	slot->fenced = !vk->busy || index_of(vk, slot) % GLC_VK_FENCED == GLC_VK_FENCED - 1;
	if (slot->fenced)
		GLC_VK_TRY(device, diag, ResetFences, vk->device, 1, &slot->fence);
	*out = slot;
	return GLACIER_OK;
}

static enum glacier_status begin(struct glacier_device *device, struct glc_vk_slot *slot, struct glacier_diag *diag)
{
	static const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	struct glc_vk *vk = glc_vk_of(device);

	slot->timed = false;
	slot->recorded = NULL;
	GLC_VK_TRY(device, diag, BeginCommandBuffer, slot->commands, &info);
	barrier(vk, slot->commands);
	return GLACIER_OK;
}

/* seen: the host looks at what was written. */
static enum glacier_status end(struct glacier_device *device, struct glc_vk_slot *slot, bool seen,
			       struct glacier_diag *diag)
{
	if (seen)
		barrier_to_host(glc_vk_of(device), slot->commands);
	GLC_VK_TRY(device, diag, EndCommandBuffer, slot->commands);
	return GLACIER_OK;
}

static enum glacier_status submit(struct glacier_device *device, struct glc_vk_slot *slot, struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);
	VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &slot->commands,
	};

	GLC_VK_TRY(device, diag, QueueSubmit, vk->queue, 1, &info, slot->fenced ? slot->fence : VK_NULL_HANDLE);
	vk->busy++;
	return GLACIER_OK;
}

enum glacier_status glc_vk_begin(struct glacier_device *device, struct glc_vk_slot **out, struct glacier_diag *diag)
{
	enum glacier_status status = take_slot(device, out, diag);

	return status == GLACIER_OK ? begin(device, *out, diag) : status;
}

enum glacier_status glc_vk_submit(struct glacier_device *device, struct glc_vk_slot *slot, struct glacier_diag *diag)
{
	enum glacier_status status = end(device, slot, true, diag);

	return status == GLACIER_OK ? submit(device, slot, diag) : status;
}

enum glacier_status glc_vk_wait(struct glacier_device *device, uint64_t timeout_ns, uint64_t *device_ns,
				struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);

	if (vk->busy) {
		enum glacier_status status = finish(device, vk->busy, timeout_ns ? timeout_ns : UINT64_MAX, diag);

		if (status != GLACIER_OK)
			return status;
	}
	/* One launch after the other finds its descriptors as it left them. */
	vk->oldest = 0;
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
static bool write_descriptors(const struct glc_vk *vk, uint32_t slot, const struct glc_launch *launch,
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
	return changed;
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

/* Memory that the device does not share comes to the host by a copy, which has a barrier of its own. */
static bool uses_host(const struct glc_launch *launch, const struct glc_vk_pipeline *built)
{
	bool shared = false;

	for (uint32_t i = 0; i < built->buffer_count; i++)
		shared = shared || launch->bindings[built->objects[i]].array->shared;
	return shared;
}

/* What the slot holds is this launch: the same code, buffers, scalars and size. */
static bool is_recorded(const struct glc_vk *vk, const struct glc_vk_slot *slot, const struct glc_launch *launch,
			const struct glc_vk_pipeline *built)
{
	return slot->recorded == built && !memcmp(slot->groups, launch->groups, sizeof slot->groups) &&
	       !memcmp(built->pushed + index_of(vk, slot) * (size_t)built->push_bytes, built->push, built->push_bytes);
}

enum glacier_status glc_vk_launch(struct glacier_device *device, const struct glc_launch *launch,
				  struct glacier_diag *diag)
{
	struct glc_vk *vk = glc_vk_of(device);
	const struct glc_kernel *kernel = &launch->pipeline->ir->kernels[0];
	struct glc_vk_pipeline *built = launch->pipeline->built;
	enum glacier_status status = find_ranges(device, launch, built, diag);
	struct glc_vk_slot *slot = NULL;
	bool changed;

	if (status == GLACIER_OK)
		status = take_slot(device, &slot, diag);
	if (status != GLACIER_OK)
		return status;
	fill_push_constants(launch, kernel, built);
	/* Sets that are written anew may not be used by what was recorded before. */
	changed = write_descriptors(vk, index_of(vk, slot), launch, built);
	if (!changed && is_recorded(vk, slot, launch, built))
		return submit(device, slot, diag);
	status = begin(device, slot, diag);
	if (status != GLACIER_OK)
		return status;
	slot->timed = vk->times != VK_NULL_HANDLE;
	record(vk, slot, launch, built);
	status = end(device, slot, uses_host(launch, built), diag);
	if (status != GLACIER_OK)
		return status;
	slot->recorded = built;
	memcpy(slot->groups, launch->groups, sizeof slot->groups);
	memcpy(built->pushed + index_of(vk, slot) * (size_t)built->push_bytes, built->push, built->push_bytes);
	return submit(device, slot, diag);
}
