/* SPDX-License-Identifier: MIT */
/* One dispatch: the module's header, the pipeline, the memory, the commands. */
#include "vk_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
	SPIRV_MAGIC = 0x07230203,
	HEADER_WORDS = 5,
	OP_ENTRY_POINT = 15,
	OP_CAPABILITY = 17,
	MODEL_GL_COMPUTE = 5,
};

static const uint64_t time_limit_ns = UINT64_C(30000000000);

/*
 * Walk the instructions before the first function for capabilities and entry points.
 * *name becomes the entry point to run: the one asked for, or the only one.
 */
static enum exec_status read_module(struct exec *exec, const struct exec_run *run, const char **name)
{
	const uint32_t *words = run->words;
	size_t count = run->word_count, at = HEADER_WORDS;
	unsigned matches = 0;

	if (count < HEADER_WORDS || words[0] != SPIRV_MAGIC)
		return exec_fail(exec, EXEC_WRONG, "this is no SPIR-V module in the host's byte order");
	while (at < count) {
		uint32_t length = words[at] >> 16, opcode = words[at] & 0xffff;

		if (length == 0 || length > count - at)
			return exec_fail(exec, EXEC_WRONG, "the instruction at word %zu is cut off", at);
		if (opcode == OP_CAPABILITY && length >= 2 && !exec_has_capability(exec, words[at + 1]))
			return exec_fail(exec, EXEC_UNSUPPORTED, "%s lacks SPIR-V capability %u",
					 exec->properties.deviceName, words[at + 1]);
		if (opcode == OP_ENTRY_POINT && length >= 4 && words[at + 1] == MODEL_GL_COMPUTE) {
			const char *found = (const char *)(words + at + 3);

			if (!memchr(found, 0, 4 * (length - 3)))
				return exec_fail(exec, EXEC_WRONG, "an entry point's name has no end");
			if (!run->entry || strcmp(run->entry, found) == 0) {
				*name = found;
				matches++;
			}
		}
		at += length;
	}
	if (matches == 1)
		return EXEC_OK;
	if (run->entry)
		return exec_fail(exec, EXEC_WRONG, "the module has no compute entry point '%s'", run->entry);
	return exec_fail(exec, EXEC_WRONG, matches ? "the module has %u compute entry points: name one" :
			 "the module has no compute entry point", matches);
}

static enum exec_status check_run(struct exec *exec, const struct exec_run *run)
{
	const VkPhysicalDeviceLimits *limits = &exec->properties.limits;

	if (run->buffer_count > EXEC_MAX_BUFFERS || run->spec_count > EXEC_MAX_SPECS)
		return exec_fail(exec, EXEC_WRONG, "at most %d buffers and %d constants",
				 EXEC_MAX_BUFFERS, EXEC_MAX_SPECS);
	for (size_t i = 0; i < run->buffer_count; i++) {
		const struct exec_buffer *buffer = &run->buffers[i];

		if (buffer->set >= EXEC_MAX_SETS || buffer->set >= limits->maxBoundDescriptorSets)
			return exec_fail(exec, EXEC_UNSUPPORTED, "descriptor set %u is out of range", buffer->set);
		if (buffer->bytes > limits->maxStorageBufferRange)
			return exec_fail(exec, EXEC_UNSUPPORTED, "a buffer of %zu bytes, %s binds at most %u",
					 buffer->bytes, exec->properties.deviceName, limits->maxStorageBufferRange);
		for (size_t k = 0; k < i; k++)
			if (run->buffers[k].set == buffer->set && run->buffers[k].binding == buffer->binding)
				return exec_fail(exec, EXEC_WRONG, "two buffers for set %u, binding %u",
						 buffer->set, buffer->binding);
	}
	for (size_t i = 0; i < run->spec_count; i++)
		if (run->specs[i].bytes != 4 && run->specs[i].bytes != 8)
			return exec_fail(exec, EXEC_WRONG, "constant %u has %u bytes, not 4 or 8",
					 run->specs[i].id, run->specs[i].bytes);
	if (run->push_bytes > limits->maxPushConstantsSize)
		return exec_fail(exec, EXEC_UNSUPPORTED, "%zu bytes of push constants, %s has %u",
				 run->push_bytes, exec->properties.deviceName, limits->maxPushConstantsSize);
	if (run->push_bytes % 4)
		return exec_fail(exec, EXEC_WRONG, "%zu bytes of push constants: no multiple of 4", run->push_bytes);
	for (int axis = 0; axis < 3; axis++)
		if (run->groups[axis] > limits->maxComputeWorkGroupCount[axis])
			return exec_fail(exec, EXEC_UNSUPPORTED, "%u workgroups on one axis, %s has %u", run->groups[axis],
					 exec->properties.deviceName, limits->maxComputeWorkGroupCount[axis]);
	if (run->subgroup_size && run->subgroup_size != exec->subgroup_size &&
	    (!exec->features.v13.subgroupSizeControl || run->subgroup_size < exec->subgroup_min ||
	     run->subgroup_size > exec->subgroup_max))
		return exec_fail(exec, EXEC_UNSUPPORTED, "%s has no subgroups of %u",
				 exec->properties.deviceName, run->subgroup_size);
	return EXEC_OK;
}

void exec_pipeline_destroy(struct exec *exec)
{
	struct exec_pipeline *last = &exec->last;

	exec->vk.DestroyPipeline(exec->device, last->pipeline, NULL);
	exec->vk.DestroyShaderModule(exec->device, last->module, NULL);
	exec->vk.DestroyPipelineLayout(exec->device, last->layout, NULL);
	for (uint32_t set = 0; set < last->set_count; set++)
		exec->vk.DestroyDescriptorSetLayout(exec->device, last->set_layouts[set], NULL);
	free(last->words);
	free(last->entry);
	memset(last, 0, sizeof *last);
}

static bool is_last(const struct exec_pipeline *last, const struct exec_run *run, const char *entry)
{
	if (!last->pipeline || last->word_count != run->word_count ||
	    last->buffer_count != run->buffer_count || last->push_bytes != run->push_bytes ||
	    last->spec_count != run->spec_count || last->subgroup_size != run->subgroup_size ||
	    strcmp(last->entry, entry) != 0 ||
	    memcmp(last->words, run->words, 4 * run->word_count) != 0)
		return false;
	for (size_t i = 0; i < run->buffer_count; i++)
		if (last->sets[i] != run->buffers[i].set || last->bindings[i] != run->buffers[i].binding)
			return false;
	for (size_t i = 0; i < run->spec_count; i++)
		if (last->specs[i].id != run->specs[i].id || last->specs[i].bytes != run->specs[i].bytes ||
		    last->specs[i].value != run->specs[i].value)
			return false;
	return true;
}

static VkResult create_layouts(struct exec *exec, const struct exec_run *run)
{
	struct exec_pipeline *last = &exec->last;
	VkPushConstantRange range = {
		.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		.size = (uint32_t)run->push_bytes,
	};
	VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.pSetLayouts = last->set_layouts,
		.pushConstantRangeCount = run->push_bytes != 0,
		.pPushConstantRanges = &range,
	};
	uint32_t sets = 0;

	for (size_t i = 0; i < run->buffer_count; i++)
		if (sets <= run->buffers[i].set)
			sets = run->buffers[i].set + 1;
	for (uint32_t set = 0; set < sets; set++) {
		VkDescriptorSetLayoutBinding bindings[EXEC_MAX_BUFFERS];
		VkDescriptorSetLayoutCreateInfo layout = {
			.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
			.pBindings = bindings,
		};
		VkResult result;

		for (size_t i = 0; i < run->buffer_count; i++)
			if (run->buffers[i].set == set)
				bindings[layout.bindingCount++] = (VkDescriptorSetLayoutBinding){
					.binding = run->buffers[i].binding,
					.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
					.descriptorCount = 1,
					.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
				};
		result = exec->vk.CreateDescriptorSetLayout(exec->device, &layout, NULL,
							    &last->set_layouts[set]);
		if (result != VK_SUCCESS)
			return result;
		last->set_count = set + 1;
	}
	info.setLayoutCount = last->set_count;
	return exec->vk.CreatePipelineLayout(exec->device, &info, NULL, &last->layout);
}

static VkResult create_pipeline(struct exec *exec, const struct exec_run *run)
{
	struct exec_pipeline *last = &exec->last;
	VkSpecializationMapEntry entries[EXEC_MAX_SPECS];
	uint64_t values[EXEC_MAX_SPECS];
	VkSpecializationInfo constants = {
		.mapEntryCount = (uint32_t)run->spec_count,
		.pMapEntries = entries,
		.dataSize = 8 * run->spec_count,
		.pData = values,
	};
	VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
		.requiredSubgroupSize = run->subgroup_size,
	};
	VkShaderModuleCreateInfo module = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = 4 * run->word_count,
		.pCode = run->words,
	};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {
			.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			/* Without the feature only the device's own size passes check_run. */
			.pNext = run->subgroup_size && exec->features.v13.subgroupSizeControl ? &subgroup : NULL,
			.stage = VK_SHADER_STAGE_COMPUTE_BIT,
			.pName = last->entry,
			.pSpecializationInfo = &constants,
		},
		.layout = last->layout,
	};
	VkResult result;

	for (size_t i = 0; i < run->spec_count; i++) {
		entries[i] = (VkSpecializationMapEntry){
			.constantID = run->specs[i].id,
			.offset = (uint32_t)(8 * i),
			.size = run->specs[i].bytes,
		};
		values[i] = run->specs[i].value;
	}
	result = exec->vk.CreateShaderModule(exec->device, &module, NULL, &last->module);
	if (result != VK_SUCCESS)
		return result;
	info.stage.module = last->module;
	return exec->vk.CreateComputePipelines(exec->device, VK_NULL_HANDLE, 1, &info, NULL, &last->pipeline);
}

static enum exec_status prepare_pipeline(struct exec *exec, const struct exec_run *run, const char *entry)
{
	struct exec_pipeline *last = &exec->last;
	VkResult result;

	if (is_last(last, run, entry))
		return EXEC_OK;
	exec_pipeline_destroy(exec);
	last->words = malloc(4 * run->word_count);
	last->entry = strdup(entry);
	if (!last->words || !last->entry)
		return exec_fail(exec, EXEC_FAILED, "out of memory");
	memcpy(last->words, run->words, 4 * run->word_count);
	last->word_count = run->word_count;
	last->buffer_count = run->buffer_count;
	last->push_bytes = run->push_bytes;
	last->spec_count = run->spec_count;
	last->subgroup_size = run->subgroup_size;
	for (size_t i = 0; i < run->buffer_count; i++) {
		last->sets[i] = run->buffers[i].set;
		last->bindings[i] = run->buffers[i].binding;
	}
	for (size_t i = 0; i < run->spec_count; i++)
		last->specs[i] = run->specs[i];

	result = create_layouts(exec, run);
	if (result != VK_SUCCESS)
		return exec_fail(exec, EXEC_FAILED, "the pipeline's layout: VkResult %d", result);
	result = create_pipeline(exec, run);
	if (result != VK_SUCCESS)
		return exec_fail(exec, EXEC_FAILED, "the driver refuses the module: VkResult %d", result);
	return EXEC_OK;
}

/* The type of memory to use: the host sees it coherently, through its cache if possible. */
static uint32_t memory_type(const struct exec *exec, uint32_t allowed)
{
	const VkMemoryPropertyFlags need =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	const VkMemoryPropertyFlags wish[] = {need | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, need};

	for (int w = 0; w < 2; w++)
		for (uint32_t i = 0; i < exec->memories.memoryTypeCount; i++)
			if (allowed >> i & 1 && (exec->memories.memoryTypes[i].propertyFlags & wish[w]) == wish[w])
				return i;
	return UINT32_MAX;
}

/* Have at least bytes of memory that host and device share. */
static enum exec_status prepare_memory(struct exec *exec, size_t bytes)
{
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
		.size = 1 << 20,
	};
	VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements requirements;
	void *mapped;

	if (bytes <= exec->capacity)
		return EXEC_OK;
	while (info.size < bytes)
		info.size *= 2;
	exec->vk.DestroyBuffer(exec->device, exec->buffer, NULL);
	exec->vk.FreeMemory(exec->device, exec->memory, NULL);
	exec->buffer = VK_NULL_HANDLE;
	exec->memory = VK_NULL_HANDLE;
	exec->capacity = 0;
	if (exec->vk.CreateBuffer(exec->device, &info, NULL, &exec->buffer) != VK_SUCCESS)
		goto fail;
	exec->vk.GetBufferMemoryRequirements(exec->device, exec->buffer, &requirements);
	allocation.allocationSize = requirements.size;
	allocation.memoryTypeIndex = memory_type(exec, requirements.memoryTypeBits);
	if (allocation.memoryTypeIndex == UINT32_MAX ||
	    exec->vk.AllocateMemory(exec->device, &allocation, NULL, &exec->memory) != VK_SUCCESS ||
	    exec->vk.BindBufferMemory(exec->device, exec->buffer, exec->memory, 0) != VK_SUCCESS ||
	    exec->vk.MapMemory(exec->device, exec->memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS)
		goto fail;
	exec->mapped = mapped;
	exec->capacity = info.size;
	return EXEC_OK;

fail:
	return exec_fail(exec, EXEC_FAILED, "%zu bytes of device memory cannot be had", bytes);
}

static VkResult write_descriptors(struct exec *exec, const struct exec_run *run, const size_t *offsets,
				  VkDescriptorSet *sets)
{
	VkDescriptorBufferInfo slices[EXEC_MAX_BUFFERS];
	VkWriteDescriptorSet writes[EXEC_MAX_BUFFERS];
	VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = exec->descriptor_pool,
		.descriptorSetCount = exec->last.set_count,
		.pSetLayouts = exec->last.set_layouts,
	};
	VkResult result;

	if (exec->last.set_count == 0)
		return VK_SUCCESS;
	exec->vk.ResetDescriptorPool(exec->device, exec->descriptor_pool, 0);
	result = exec->vk.AllocateDescriptorSets(exec->device, &info, sets);
	if (result != VK_SUCCESS)
		return result;
	for (size_t i = 0; i < run->buffer_count; i++) {
		slices[i] = (VkDescriptorBufferInfo){
			.buffer = exec->buffer,
			.offset = offsets[i],
			.range = run->buffers[i].bytes ? run->buffers[i].bytes : 4,
		};
		writes[i] = (VkWriteDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = sets[run->buffers[i].set],
			.dstBinding = run->buffers[i].binding,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &slices[i],
		};
	}
	exec->vk.UpdateDescriptorSets(exec->device, (uint32_t)run->buffer_count, writes, 0, NULL);
	return VK_SUCCESS;
}

static VkResult submit(struct exec *exec, const struct exec_run *run, const VkDescriptorSet *sets)
{
	struct exec_pipeline *last = &exec->last;
	VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	VkMemoryBarrier to_host = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
	};
	VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &exec->commands,
	};
	VkResult result;

	exec->vk.ResetCommandPool(exec->device, exec->command_pool, 0);
	result = exec->vk.BeginCommandBuffer(exec->commands, &begin);
	if (result != VK_SUCCESS)
		return result;
	exec->vk.CmdBindPipeline(exec->commands, VK_PIPELINE_BIND_POINT_COMPUTE, last->pipeline);
	if (last->set_count)
		exec->vk.CmdBindDescriptorSets(exec->commands, VK_PIPELINE_BIND_POINT_COMPUTE, last->layout, 0,
					       last->set_count, sets, 0, NULL);
	if (run->push_bytes)
		exec->vk.CmdPushConstants(exec->commands, last->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
					  (uint32_t)run->push_bytes, run->push);
	exec->vk.CmdDispatch(exec->commands, run->groups[0], run->groups[1], run->groups[2]);
	exec->vk.CmdPipelineBarrier(exec->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				    VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
	result = exec->vk.EndCommandBuffer(exec->commands);
	if (result != VK_SUCCESS)
		return result;
	exec->vk.ResetFences(exec->device, 1, &exec->fence);
	result = exec->vk.QueueSubmit(exec->queue, 1, &info, exec->fence);
	if (result != VK_SUCCESS)
		return result;
	return exec->vk.WaitForFences(exec->device, 1, &exec->fence, VK_TRUE, time_limit_ns);
}

enum exec_status exec_run(struct exec *exec, const struct exec_run *run)
{
	VkDescriptorSet sets[EXEC_MAX_SETS];
	size_t offsets[EXEC_MAX_BUFFERS], total = 0;
	size_t alignment = (size_t)exec->properties.limits.minStorageBufferOffsetAlignment;
	const char *entry = NULL;
	enum exec_status status;
	VkResult result;

	if (exec->lost)
		return EXEC_FAILED;
	exec->message[0] = 0;
	exec->validation_failed = false;
	status = check_run(exec, run);
	if (status == EXEC_OK)
		status = read_module(exec, run, &entry);
	if (status == EXEC_OK)
		status = prepare_pipeline(exec, run, entry);
	if (status != EXEC_OK)
		return status;

	if (alignment < 64)
		alignment = 64;
	for (size_t i = 0; i < run->buffer_count; i++) {
		offsets[i] = total;
		total += (run->buffers[i].bytes + 4 + alignment - 1) / alignment * alignment;
	}
	status = prepare_memory(exec, total);
	if (status != EXEC_OK)
		return status;
	for (size_t i = 0; i < run->buffer_count; i++) {
		if (run->buffers[i].bytes)
			memcpy(exec->mapped + offsets[i], run->buffers[i].data, run->buffers[i].bytes);
		else
			memset(exec->mapped + offsets[i], 0, 4);
	}

	result = write_descriptors(exec, run, offsets, sets);
	if (result == VK_SUCCESS)
		result = submit(exec, run, sets);
	if (result == VK_TIMEOUT || result == VK_ERROR_DEVICE_LOST) {
		exec->lost = true;
		return exec_fail(exec, EXEC_FAILED, result == VK_TIMEOUT ? "the kernel did not end in 30 s" :
				 "the device is lost");
	}
	if (result != VK_SUCCESS)
		return exec_fail(exec, EXEC_FAILED, "the dispatch: VkResult %d", result);
	if (exec->validation_failed)
		return EXEC_FAILED;
	for (size_t i = 0; i < run->buffer_count; i++)
		if (run->buffers[i].bytes)
			memcpy(run->buffers[i].data, exec->mapped + offsets[i], run->buffers[i].bytes);
	return EXEC_OK;
}
