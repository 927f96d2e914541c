/* SPDX-License-Identifier: MIT */
/*
 * A program of one's own that runs a kernel: plain Vulkan and cJSON, nothing of glacier's.
 * What it needs to know of the kernel is in what gc-asm --reflect writes.
 *
 *	gc-asm saxpy.gasm --target=spirv -o saxpy.spv
 *	gc-asm saxpy.gasm --reflect >saxpy.json
 *	cc launch_vulkan.c $(pkg-config --cflags --libs vulkan libcjson) -o launch_vulkan
 *	./launch_vulkan saxpy.spv saxpy.json 4 1000 a=2 n=1000
 *
 * launches 4 workgroups on buffers of 1000 elements, which hold 0, 1, 2 and so on, and
 * prints the first elements of those that the kernel writes. Types of 32 bits only.
 */
#include <cjson/cJSON.h>
#include <vulkan/vulkan.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BUFFERS = 16, MAX_PUSH = 128, SHOWN = 8 };

/* What is wrong with the input ends the program with 1, a machine without Vulkan with 77. */
#define DIE(status, ...) (fprintf(stderr, "launch_vulkan: " __VA_ARGS__), fputc('\n', stderr), exit(status))

#define TRY(call) \
	do { \
		VkResult result_ = (call); \
		if (result_ != VK_SUCCESS) \
			DIE(2, "%s: VkResult %d", #call, result_); \
	} while (0)

struct buffer {
	const char *name, *type;
	uint32_t set, binding;
	int written;
	VkBuffer buffer;
	void *mapped;
};

static char *read_file(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *data;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET))
		DIE(1, "%s cannot be read", path);
	data = calloc(1, (size_t)size + 1);
	if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
		DIE(1, "%s cannot be read", path);
	fclose(file);
	*bytes = (size_t)size;
	return data;
}

/* --- What the kernel takes ------------------------------------------------ */

static const cJSON *member(const cJSON *object, const char *name)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);

	if (!value)
		DIE(1, "the reflection has no \"%s\"", name);
	return value;
}

static const char *string(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(member(object, name));
}

static uint32_t number(const cJSON *object, const char *name)
{
	return (uint32_t)cJSON_GetNumberValue(member(object, name));
}

static uint32_t bits_of(const char *type, const char *text)
{
	float real = strtof(text, NULL);
	uint32_t bits;

	if (strcmp(type, "f32"))
		return (uint32_t)strtoll(text, NULL, 0);
	memcpy(&bits, &real, sizeof bits);
	return bits;
}

/* NAME=VALUE among the arguments. */
static const char *value_of(const char *name, char **arguments)
{
	size_t bytes = strlen(name);

	for (; *arguments; arguments++)
		if (!strncmp(*arguments, name, bytes) && (*arguments)[bytes] == '=')
			return *arguments + bytes + 1;
	DIE(1, "the scalar %s has no value: write %s=VALUE", name, name);
}

static uint32_t read_parameters(const cJSON *kernel, char **arguments, struct buffer *buffers, unsigned char *push)
{
	const cJSON *parameter;
	uint32_t count = 0;

	cJSON_ArrayForEach(parameter, member(kernel, "params")) {
		const char *name = string(parameter, "name"), *kind = string(parameter, "kind");
		const char *type = string(parameter, "type");

		if (!strcmp(kind, "scalar")) {
			uint32_t offset = number(parameter, "push_constant_offset");
			uint32_t bits = bits_of(type, value_of(name, arguments));

			if (offset > MAX_PUSH - sizeof bits || number(parameter, "bytes") != sizeof bits)
				DIE(1, "%s: this program has no room for it", name);
			memcpy(push + offset, &bits, sizeof bits);
		} else if (!strcmp(kind, "buffer")) {
			if (count == MAX_BUFFERS)
				DIE(1, "more than %d buffers", MAX_BUFFERS);
			buffers[count++] = (struct buffer){
				.name = name,
				.type = type,
				.set = number(parameter, "set"),
				.binding = number(parameter, "binding"),
				.written = !!strstr(string(parameter, "access"), "write"),
			};
			if (buffers[count - 1].set)
				DIE(1, "%s: this program binds set 0 only", name);
		}
	}
	return count;
}

/* --- Vulkan --------------------------------------------------------------- */

static struct {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	uint32_t family;
} vk;

static void open_device(void)
{
	VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo instance = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application,
	};
	float priority = 1;
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority,
	};
	/* For kernels whose workgroup size is a specialization constant. */
	VkPhysicalDeviceMaintenance4Features maintenance4 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, .maintenance4 = VK_TRUE,
	};
	VkDeviceCreateInfo device = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &maintenance4,
		.queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
	};
	VkQueueFamilyProperties families[16];
	VkPhysicalDeviceProperties properties;
	uint32_t count = 1, family_count = 16;

	if (vkCreateInstance(&instance, NULL, &vk.instance) != VK_SUCCESS ||
	    vkEnumeratePhysicalDevices(vk.instance, &count, &vk.physical) < 0 || !count)
		DIE(77, "there is no Vulkan device");
	vkGetPhysicalDeviceProperties(vk.physical, &properties);
	if (properties.apiVersion < VK_API_VERSION_1_3)
		DIE(77, "%s is older than Vulkan 1.3", properties.deviceName);
	vkGetPhysicalDeviceQueueFamilyProperties(vk.physical, &family_count, families);
	while (vk.family < family_count && !(families[vk.family].queueFlags & VK_QUEUE_COMPUTE_BIT))
		vk.family++;
	if (vk.family == family_count)
		DIE(77, "%s has no compute queue", properties.deviceName);
	queue.queueFamilyIndex = vk.family;
	TRY(vkCreateDevice(vk.physical, &device, NULL, &vk.device));
	vkGetDeviceQueue(vk.device, vk.family, 0, &vk.queue);
}

/* One piece of memory that the host sees, for all buffers; it lasts as long as the device. */
static VkDeviceMemory create_buffers(struct buffer *buffers, uint32_t count, VkDeviceSize bytes)
{
	const VkMemoryPropertyFlags seen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkPhysicalDeviceMemoryProperties memories;
	VkDeviceSize offsets[MAX_BUFFERS];
	uint32_t allowed = UINT32_MAX;
	VkDeviceMemory memory;
	char *mapped;

	for (uint32_t i = 0; i < count; i++) {
		VkBufferCreateInfo info = {
			.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes,
			.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
		};
		VkMemoryRequirements needs;

		TRY(vkCreateBuffer(vk.device, &info, NULL, &buffers[i].buffer));
		vkGetBufferMemoryRequirements(vk.device, buffers[i].buffer, &needs);
		offsets[i] = (allocation.allocationSize + needs.alignment - 1) / needs.alignment * needs.alignment;
		allocation.allocationSize = offsets[i] + needs.size;
		allowed &= needs.memoryTypeBits;
	}
	vkGetPhysicalDeviceMemoryProperties(vk.physical, &memories);
	while (!(allowed >> allocation.memoryTypeIndex & 1) ||
	       (memories.memoryTypes[allocation.memoryTypeIndex].propertyFlags & seen) != seen)
		if (++allocation.memoryTypeIndex == memories.memoryTypeCount)
			DIE(2, "the device has no memory that the host sees");
	TRY(vkAllocateMemory(vk.device, &allocation, NULL, &memory));
	TRY(vkMapMemory(vk.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&mapped));
	for (uint32_t i = 0; i < count; i++) {
		TRY(vkBindBufferMemory(vk.device, buffers[i].buffer, memory, offsets[i]));
		buffers[i].mapped = mapped + offsets[i];
	}
	return memory;
}

static void fill(const struct buffer *buffer, uint32_t elems)
{
	for (uint32_t i = 0; i < elems; i++) {
		if (!strcmp(buffer->type, "f32"))
			((float *)buffer->mapped)[i] = (float)i;
		else
			((uint32_t *)buffer->mapped)[i] = i;
	}
}

static void show(const struct buffer *buffer, uint32_t elems)
{
	printf("%s:", buffer->name);
	for (uint32_t i = 0; i < elems && i < SHOWN; i++) {
		if (!strcmp(buffer->type, "f32"))
			printf(" %g", (double)((float *)buffer->mapped)[i]);
		else if (!strcmp(buffer->type, "i32"))
			printf(" %d", ((int32_t *)buffer->mapped)[i]);
		else
			printf(" %u", ((uint32_t *)buffer->mapped)[i]);
	}
	putchar('\n');
}

struct program {
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkShaderModule module;
	VkPipeline pipeline;
	VkDescriptorPool pool;
	VkDescriptorSet set;
};

static struct program create_program(const cJSON *kernel, const char *words, size_t bytes, const struct buffer *buffers,
				     uint32_t count)
{
	VkDescriptorSetLayoutBinding bindings[MAX_BUFFERS];
	VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, number(kernel, "push_constant_bytes")};
	VkDescriptorSetLayoutCreateInfo set_layout = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = bindings,
	};
	struct program program;
	VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &program.set_layout,
		.pushConstantRangeCount = range.size != 0, .pPushConstantRanges = &range,
	};
	VkShaderModuleCreateInfo module = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = (const void *)words,
	};
	VkComputePipelineCreateInfo pipeline = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {
			.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			.pName = string(member(kernel, "symbols"), "spirv"),
		},
	};
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count ? count : 1};
	VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size,
	};
	VkDescriptorSetAllocateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorSetCount = 1,
		.pSetLayouts = &program.set_layout,
	};

	for (uint32_t i = 0; i < count; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){
			.binding = buffers[i].binding, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		};
	TRY(vkCreateDescriptorSetLayout(vk.device, &set_layout, NULL, &program.set_layout));
	TRY(vkCreatePipelineLayout(vk.device, &layout, NULL, &program.layout));
	TRY(vkCreateShaderModule(vk.device, &module, NULL, &program.module));
	pipeline.stage.module = program.module;
	pipeline.layout = program.layout;
	TRY(vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, 1, &pipeline, NULL, &program.pipeline));
	TRY(vkCreateDescriptorPool(vk.device, &pool, NULL, &program.pool));
	set.descriptorPool = program.pool;
	TRY(vkAllocateDescriptorSets(vk.device, &set, &program.set));
	for (uint32_t i = 0; i < count; i++) {
		/* The range is what the kernel's Length counts. */
		VkDescriptorBufferInfo whole = {buffers[i].buffer, 0, VK_WHOLE_SIZE};
		VkWriteDescriptorSet write = {
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = program.set, .dstBinding = buffers[i].binding,
			.descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &whole,
		};

		vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	}
	return program;
}

static void run(const struct program *program, const unsigned char *push, uint32_t push_bytes, uint32_t groups)
{
	VkCommandPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = vk.family,
	};
	VkCommandBufferAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkMemoryBarrier to_host = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
	};
	VkCommandBuffer commands;
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands,
	};
	VkCommandPool pool;

	TRY(vkCreateCommandPool(vk.device, &pool_info, NULL, &pool));
	allocation.commandPool = pool;
	TRY(vkAllocateCommandBuffers(vk.device, &allocation, &commands));
	TRY(vkBeginCommandBuffer(commands, &begin));
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->pipeline);
	vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->layout, 0, 1, &program->set, 0, NULL);
	if (push_bytes)
		vkCmdPushConstants(commands, program->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, push);
	vkCmdDispatch(commands, groups, 1, 1);
	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host,
			     0, NULL, 0, NULL);
	TRY(vkEndCommandBuffer(commands));
	TRY(vkQueueSubmit(vk.queue, 1, &submit, VK_NULL_HANDLE));
	TRY(vkQueueWaitIdle(vk.queue));
	vkDestroyCommandPool(vk.device, pool, NULL);
}

int main(int argc, char **argv)
{
	struct buffer buffers[MAX_BUFFERS];
	unsigned char push[MAX_PUSH] = {0};
	struct program program;
	VkDeviceMemory memory;
	size_t code_bytes, json_bytes;
	uint32_t groups, elems, count;
	char *code, *json;
	const cJSON *kernel;
	cJSON *reflection;

	if (argc < 5)
		DIE(1, "usage: launch_vulkan KERNEL.spv KERNEL.json WORKGROUPS ELEMENTS [SCALAR=VALUE]...");
	code = read_file(argv[1], &code_bytes);
	json = read_file(argv[2], &json_bytes);
	groups = (uint32_t)strtoul(argv[3], NULL, 10);
	elems = (uint32_t)strtoul(argv[4], NULL, 10);
	if (!groups || !elems)
		DIE(1, "there must be workgroups and elements");
	reflection = cJSON_Parse(json);
	if (!reflection)
		DIE(1, "%s is not JSON", argv[2]);
	kernel = cJSON_GetArrayItem(member(reflection, "kernels"), 0);
	count = read_parameters(kernel, argv + 5, buffers, push);

	open_device();
	memory = create_buffers(buffers, count, (VkDeviceSize)elems * 4);
	for (uint32_t i = 0; i < count; i++)
		fill(&buffers[i], elems);
	program = create_program(kernel, code, code_bytes, buffers, count);
	run(&program, push, number(kernel, "push_constant_bytes"), groups);
	for (uint32_t i = 0; i < count; i++)
		if (buffers[i].written)
			show(&buffers[i], elems);

	vkDestroyDescriptorPool(vk.device, program.pool, NULL);
	vkDestroyPipeline(vk.device, program.pipeline, NULL);
	vkDestroyShaderModule(vk.device, program.module, NULL);
	vkDestroyPipelineLayout(vk.device, program.layout, NULL);
	vkDestroyDescriptorSetLayout(vk.device, program.set_layout, NULL);
	for (uint32_t i = 0; i < count; i++)
		vkDestroyBuffer(vk.device, buffers[i].buffer, NULL);
	vkFreeMemory(vk.device, memory, NULL);
	vkDestroyDevice(vk.device, NULL);
	vkDestroyInstance(vk.instance, NULL);
	cJSON_Delete(reflection);
	free(json);
	free(code);
	return 0;
}
