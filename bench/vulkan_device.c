/* SPDX-License-Identifier: MIT */
/*
 * The Vulkan device's launches against a bare loop of vkQueueSubmit, whose command buffer was
 * recorded once: in a row, and each waited for.
 */
#include "gpu.h"

#include "device/vulkan.h"

enum { IN_A_ROW = 1000 };

#define TRY(name, ...) \
	do { \
		VkResult result_ = vk->call.name(__VA_ARGS__); \
		if (result_ != VK_SUCCESS) \
			DIE("vk%s gives %s", #name, glc_vulkan_result_name(result_)); \
	} while (0)

/* What slot 0 launched last, recorded so that it may be under way many times. */
static VkCommandBuffer record(const struct glc_vk *vk, const struct glc_vk_pipeline *built)
{
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = vk->pool,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
	};
	/* Launches of one device run one after the other: so do these. */
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
	};
	VkCommandBuffer commands;

	TRY(AllocateCommandBuffers, vk->device, &info, &commands);
	TRY(BeginCommandBuffer, commands, &begin);
	vk->call.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				    0, 1, &barrier, 0, NULL, 0, NULL);
	vk->call.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, built->pipeline);
	vk->call.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, built->layout, 0, built->set_count,
				       built->sets, 0, NULL);
	vk->call.CmdPushConstants(commands, built->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, built->push_bytes,
				  built->push);
	vk->call.CmdDispatch(commands, 1, 1, 1);
	TRY(EndCommandBuffer, commands);
	return commands;
}

int main(void)
{
	struct glacier_device *device = open_device(GLACIER_DEVICE_VULKAN, NULL);
	const struct glc_vk *vk = glc_vk_of(device);
	struct glacier_pipeline *pipeline = load(device, "examples/vector_add.gasm", NULL);
	struct glacier_array *a = array_of(device, 1024), *b = array_of(device, 1024), *c = array_of(device, 1024);
	const struct glacier_argument arguments[] = {
		{.name = "a", .array = a}, {.name = "b", .array = b}, {.name = "out", .array = c}, {.name = "n", .bits = 256}};
	const uint32_t groups[3] = {1, 1, 1};
	VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	double times[4][ROUNDS], ours, theirs;
	VkCommandBuffer commands;
	VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
	};
	VkFence fence;

	printf("%s, %s\n", glacier_device_describe(device)->name, glacier_device_describe(device)->driver);
	OK(glacier_launch(pipeline, arguments, 4, groups, &sink));
	OK(glacier_device_wait(device, 0, NULL, &sink));
	commands = record(vk, pipeline->built);
	TRY(CreateFence, vk->device, &fence_info, NULL, &fence);
	for (int round = -3; round < ROUNDS; round++) {
		int r = round < 0 ? 0 : round;
		double begun = now_ns();

		for (int i = 0; i < IN_A_ROW; i++)
			TRY(QueueSubmit, vk->queue, 1, &info, i + 1 < IN_A_ROW ? VK_NULL_HANDLE : fence);
		TRY(WaitForFences, vk->device, 1, &fence, VK_TRUE, UINT64_MAX);
		TRY(ResetFences, vk->device, 1, &fence);
		times[0][r] = (now_ns() - begun) / IN_A_ROW;
		begun = now_ns();
		for (int i = 0; i < IN_A_ROW; i++)
			OK(glacier_launch(pipeline, arguments, 4, groups, &sink));
		OK(glacier_device_wait(device, 0, NULL, &sink));
		times[1][r] = (now_ns() - begun) / IN_A_ROW;
		begun = now_ns();
		for (int i = 0; i < IN_A_ROW; i++) {
			TRY(QueueSubmit, vk->queue, 1, &info, fence);
			TRY(WaitForFences, vk->device, 1, &fence, VK_TRUE, UINT64_MAX);
			TRY(ResetFences, vk->device, 1, &fence);
		}
		times[2][r] = (now_ns() - begun) / IN_A_ROW;
		begun = now_ns();
		for (int i = 0; i < IN_A_ROW; i++) {
			OK(glacier_launch(pipeline, arguments, 4, groups, &sink));
			OK(glacier_device_wait(device, 0, NULL, &sink));
		}
		times[3][r] = (now_ns() - begun) / IN_A_ROW;
	}
	theirs = median(times[0], ROUNDS);
	ours = median(times[1], ROUNDS);
	printf("launch in a row     bare %7.0f ns  glacier %7.0f ns  %5.2f times\n", theirs, ours, ours / theirs);
	theirs = median(times[2], ROUNDS);
	ours = median(times[3], ROUNDS);
	printf("launch and wait     bare %7.0f ns  glacier %7.0f ns  %5.2f times\n", theirs, ours, ours / theirs);
	vk->call.DestroyFence(vk->device, fence, NULL);
	glacier_device_close(device);
	return 0;
}
