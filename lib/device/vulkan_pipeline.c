/* SPDX-License-Identifier: MIT */
/*
 * Everything that launches of a kernel share, made once: the code, the layouts, and for
 * each slot descriptor sets of its own, so that a launch never touches what another uses.
 */
#include "device/vulkan.h"

#include "base/buf.h"
#include "device/prebuilt.h"
#include "spirv/enum.h"
#include "spirv/spirv.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NAME(thing) (int)(thing)->name.bytes, (thing)->name.at
#define FEATURE(member) offsetof(struct glc_vk_features, member)

/* SPIR-V capability: the feature or property that allows it (Vulkan 1.3, appendix A). */
static const struct {
	uint16_t number, feature;
	char name[28];
} capabilities[] = {
	{GLC_SPV_CAP_FLOAT64, FEATURE(core.features.shaderFloat64), "Float64"},
	{GLC_SPV_CAP_INT64, FEATURE(core.features.shaderInt64), "Int64"},
	{GLC_SPV_CAP_GROUP_NON_UNIFORM, FEATURE(subgroup_basic), "GroupNonUniform"},
	{GLC_SPV_CAP_GROUP_NON_UNIFORM_BALLOT, FEATURE(subgroup_ballot), "GroupNonUniformBallot"},
	{GLC_SPV_CAP_GROUP_NON_UNIFORM_SHUFFLE, FEATURE(subgroup_shuffle), "GroupNonUniformShuffle"},
	{GLC_SPV_CAP_ATOMIC_FLOAT32_ADD, FEATURE(atomic_float.shaderBufferFloat32AtomicAdd), "AtomicFloat32AddEXT"},
};

static uint32_t word_at(const struct glacier_buffer *code, size_t index)
{
	uint32_t word;

	memcpy(&word, code->data + 4 * index, 4);
	return word;
}

/* The capabilities stand first in a module, behind its header of five words. */
static enum glacier_status check_capabilities(const struct glacier_device *device, const struct glc_kernel *kernel,
					      const struct glacier_buffer *code, struct glacier_diag *diag)
{
	const unsigned char *has = (const unsigned char *)&glc_vk_of(device)->has;

	for (size_t i = 5; word_at(code, i) == (2u << 16 | GLC_SPV_Capability); i += 2)
		for (size_t j = 0; j < sizeof capabilities / sizeof *capabilities; j++) {
			VkBool32 enabled;

			memcpy(&enabled, has + capabilities[j].feature, sizeof enabled);
			if (capabilities[j].number == word_at(code, i + 1) && !enabled)
				return glc_fail(diag, GLC_DV_VK_CAPABILITY, GLC_NOWHERE, NAME(kernel),
						capabilities[j].name, device->info.name);
		}
	return GLACIER_OK;
}

/* Code from elsewhere may ask for anything. */
static enum glacier_status check_known(const struct glc_kernel *kernel, const struct glacier_buffer *code,
				       struct glacier_diag *diag)
{
	for (size_t i = 5; word_at(code, i) == (2u << 16 | GLC_SPV_Capability); i += 2) {
		uint32_t number = word_at(code, i + 1);
		bool known = number == GLC_SPV_CAP_SHADER || number == GLC_SPV_CAP_SIGNED_ZERO_INF_NAN_PRESERVE;

		for (size_t j = 0; j < sizeof capabilities / sizeof *capabilities; j++)
			known = known || capabilities[j].number == number;
		if (!known)
			return glc_fail(diag, GLC_DV_SPV_CAPABILITY, GLC_NOWHERE, NAME(kernel), number);
	}
	return GLACIER_OK;
}

static enum glacier_status check_subgroup(const struct glacier_device *device, const struct glc_kernel *kernel,
					  struct glacier_diag *diag)
{
	const struct glc_vk_physical *physical = glc_vk_of(device)->physical;
	uint32_t min = physical->subgroup_min, max = physical->subgroup_max;
	uint64_t invocations = (uint64_t)kernel->workgroup[0].value * kernel->workgroup[1].value *
			       kernel->workgroup[2].value;

	if (!kernel->subgroup)
		return GLACIER_OK;
	if (!max)
		min = max = device->info.subgroup_size;
	if (kernel->subgroup < min || kernel->subgroup > max)
		return glc_fail(diag, GLC_DV_VK_SUBGROUP, GLC_NOWHERE, NAME(kernel), kernel->subgroup,
				device->info.name, min, max);
	if (physical->subgroups_max && invocations > (uint64_t)kernel->subgroup * physical->subgroups_max)
		return glc_fail(diag, GLC_DV_VK_SUBGROUPS, GLC_NOWHERE, NAME(kernel), kernel->subgroup,
				(unsigned long long)invocations, physical->subgroups_max);
	return GLACIER_OK;
}

/* --- Layouts -------------------------------------------------------------- */

static bool allocate(struct glacier_pipeline *pipeline, struct glc_vk_pipeline *built)
{
	struct glacier_memory *memory = &pipeline->memory;
	size_t buffers = built->buffer_count, sets = built->set_count;

	built->set_layouts = glc_bump_zero(memory, sets * sizeof *built->set_layouts);
	built->sets = glc_bump_zero(memory, GLC_VK_SLOTS * sets * sizeof *built->sets);
	built->objects = glc_bump(memory, buffers * sizeof *built->objects);
	built->bound = glc_bump_zero(memory, GLC_VK_SLOTS * buffers * sizeof *built->bound);
	built->infos = glc_bump(memory, buffers * sizeof *built->infos);
	built->writes = glc_bump(memory, buffers * sizeof *built->writes);
	built->push = glc_bump_zero(memory, built->push_bytes);
	built->pushed = glc_bump_zero(memory, GLC_VK_SLOTS * (size_t)built->push_bytes);
	return built->set_layouts && built->sets && built->objects && built->bound && built->infos &&
	       built->writes && built->push && built->pushed;
}

static enum glacier_status read_buffers(struct glacier_pipeline *pipeline, struct glc_vk_pipeline *built,
					struct glacier_diag *diag)
{
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];
	uint32_t n = 0;

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];

		if (object->kind != GLC_OBJECT_BUFFER)
			continue;
		built->buffer_count++;
		if (object->set >= built->set_count)
			built->set_count = object->set + 1;
	}
	built->push_bytes = (kernel->push_bytes + 3) / 4 * 4;
	if (!allocate(pipeline, built))
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	for (uint32_t i = 0; i < kernel->object_count; i++)
		if (kernel->objects[i].kind == GLC_OBJECT_BUFFER)
			built->objects[n++] = i;
	return GLACIER_OK;
}

static enum glacier_status create_set_layout(struct glacier_pipeline *pipeline, uint32_t set,
					     struct glacier_diag *diag)
{
	struct glacier_device *device = pipeline->device;
	struct glc_vk_pipeline *built = pipeline->built;
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];
	struct glc_mark mark = glc_bump_mark(&pipeline->memory);
	VkDescriptorSetLayoutBinding *bindings =
		glc_bump(&pipeline->memory, built->buffer_count * sizeof *bindings);
	VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.pBindings = bindings,
	};

	if (!bindings)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	for (uint32_t i = 0; i < built->buffer_count; i++) {
		const struct glc_object *object = &kernel->objects[built->objects[i]];

		if (object->set == set)
			bindings[info.bindingCount++] = (VkDescriptorSetLayoutBinding){
				.binding = object->binding,
				.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
				.descriptorCount = 1,
				.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
			};
	}
	GLC_VK_TRY(device, diag, CreateDescriptorSetLayout, glc_vk_of(device)->device, &info, NULL,
		   &built->set_layouts[set]);
	glc_bump_release(&pipeline->memory, mark);
	return GLACIER_OK;
}

static enum glacier_status create_layout(struct glacier_pipeline *pipeline, struct glacier_diag *diag)
{
	struct glacier_device *device = pipeline->device;
	struct glc_vk_pipeline *built = pipeline->built;
	VkPushConstantRange range = {
		.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		.size = built->push_bytes,
	};
	VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = built->set_count,
		.pSetLayouts = built->set_layouts,
		.pushConstantRangeCount = built->push_bytes != 0,
		.pPushConstantRanges = &range,
	};

	for (uint32_t set = 0; set < built->set_count; set++) {
		enum glacier_status status = create_set_layout(pipeline, set, diag);

		if (status != GLACIER_OK)
			return status;
	}
	GLC_VK_TRY(device, diag, CreatePipelineLayout, glc_vk_of(device)->device, &info, NULL, &built->layout);
	return GLACIER_OK;
}

static enum glacier_status create_sets(struct glacier_pipeline *pipeline, struct glacier_diag *diag)
{
	struct glacier_device *device = pipeline->device;
	struct glc_vk *vk = glc_vk_of(device);
	struct glc_vk_pipeline *built = pipeline->built;
	VkDescriptorPoolSize size = {
		.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.descriptorCount = GLC_VK_SLOTS * built->buffer_count,
	};
	VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = GLC_VK_SLOTS * built->set_count,
		.poolSizeCount = 1,
		.pPoolSizes = &size,
	};
	VkDescriptorSetAllocateInfo sets = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = GLC_VK_SLOTS * built->set_count,
	};
	struct glc_mark mark = glc_bump_mark(&pipeline->memory);
	VkDescriptorSetLayout *layouts;

	if (!built->buffer_count)
		return GLACIER_OK;
	layouts = glc_bump(&pipeline->memory, sets.descriptorSetCount * sizeof *layouts);
	if (!layouts)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	for (uint32_t i = 0; i < sets.descriptorSetCount; i++)
		layouts[i] = built->set_layouts[i % built->set_count];
	GLC_VK_TRY(device, diag, CreateDescriptorPool, vk->device, &info, NULL, &built->pool);
	sets.descriptorPool = built->pool;
	sets.pSetLayouts = layouts;
	GLC_VK_TRY(device, diag, AllocateDescriptorSets, vk->device, &sets, built->sets);
	glc_bump_release(&pipeline->memory, mark);
	return GLACIER_OK;
}

/* --- Specialization constants of code that is already made ---------------- */

struct specialization {
	VkSpecializationInfo info;
	VkSpecializationMapEntry *entries;
	unsigned char *data;
};

/* All of them: the module's own values may be others than the reflection's. */
static bool specialize(struct glacier_pipeline *pipeline, struct specialization *out)
{
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];
	uint32_t n = 0;

	out->entries = glc_bump(&pipeline->memory, kernel->object_count * sizeof *out->entries);
	out->data = glc_bump(&pipeline->memory, kernel->object_count * sizeof(uint64_t));
	if (!out->entries || !out->data)
		return false;
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct glc_object *object = &kernel->objects[i];
		uint64_t wide = object->spec_bits;
		uint32_t narrow = (uint32_t)wide;
		bool is_wide = glc_bits(object->type) == 64;

		if (object->kind != GLC_OBJECT_SPEC)
			continue;
		memcpy(out->data + 8 * n, is_wide ? (void *)&wide : (void *)&narrow, is_wide ? 8 : 4);
		out->entries[n] = (VkSpecializationMapEntry){object->spec_id, 8 * n, is_wide ? 8 : 4};
		n++;
	}
	out->info = (VkSpecializationInfo){n, out->entries, (size_t)8 * n, out->data};
	return true;
}

/* --- The pipeline --------------------------------------------------------- */

/* Whether the code came from the pipeline cache: the driver says so from Vulkan 1.3 on. */
static void count_code(struct glacier_device *device, bool filled, const VkPipelineCreationFeedback *feedback)
{
	bool told = feedback->flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
	bool found = told ? feedback->flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT
			  : filled;

	if (found)
		device->counts.code_found++;
	else
		device->counts.code_made++;
}

static enum glacier_status create_cached(struct glacier_pipeline *pipeline, const struct glacier_buffer *code,
					 VkComputePipelineCreateInfo *info, struct glacier_diag *diag)
{
	struct glacier_device *device = pipeline->device;
	struct glc_vk *vk = glc_vk_of(device);
	struct glc_vk_pipeline *built = pipeline->built;
	VkPipelineCreationFeedback feedback = {0};
	VkPipelineCreationFeedbackCreateInfo told = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
		.pPipelineCreationFeedback = &feedback,
	};
	unsigned char key[GLC_HASH_BYTES];
	VkPipelineCache cache;
	VkResult result;
	bool filled;

	glc_vk_cache_key(device, &pipeline->ir->kernels[0], code, key);
	cache = glc_vk_cache_open(device, key, &filled);
	if (vk->physical->version >= VK_API_VERSION_1_3)
		info->pNext = &told;
	result = vk->call.CreateComputePipelines(vk->device, cache, 1, info, NULL, &built->pipeline);
	if (result == VK_SUCCESS) {
		uint64_t made = device->counts.code_made;

		count_code(device, filled, &feedback);
		if (cache != VK_NULL_HANDLE && device->counts.code_made != made)
			glc_vk_cache_store(device, key, cache);
	}
	vk->call.DestroyPipelineCache(vk->device, cache, NULL);
	return result == VK_SUCCESS ? GLACIER_OK : glc_vk_fail(device, diag, "vkCreateComputePipelines", result);
}

static enum glacier_status create_pipeline(struct glacier_pipeline *pipeline, const struct glacier_buffer *code,
					   struct glacier_diag *diag)
{
	struct glacier_device *device = pipeline->device;
	struct glc_vk *vk = glc_vk_of(device);
	struct glc_vk_pipeline *built = pipeline->built;
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];
	struct specialization specialization = {0};
	VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
		.requiredSubgroupSize = kernel->subgroup,
	};
	VkShaderModuleCreateInfo module = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = code->size,
		.pCode = (const uint32_t *)(const void *)code->data,
	};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {
			.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			/* Without the feature only the size that the device has anyway came this far. */
			.pNext = kernel->subgroup && vk->physical->subgroup_max ? &subgroup : NULL,
			.stage = VK_SHADER_STAGE_COMPUTE_BIT,
			.pName = pipeline->prebuilt ? pipeline->prebuilt->symbol : pipeline->name,
		},
		.layout = built->layout,
	};
	enum glacier_status status;

	if (pipeline->prebuilt) {
		if (!specialize(pipeline, &specialization))
			return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
		info.stage.pSpecializationInfo = &specialization.info;
	}
	GLC_VK_TRY(device, diag, CreateShaderModule, vk->device, &module, NULL, &built->module);
	info.stage.module = built->module;
	status = create_cached(pipeline, code, &info, diag);
	vk->call.DestroyShaderModule(vk->device, built->module, NULL);
	built->module = VK_NULL_HANDLE;
	return status;
}

static enum glacier_status get_code(struct glacier_pipeline *pipeline, const struct glacier_write_options *options,
				      struct glacier_buffer *code, struct glacier_diag *diag)
{
	struct glacier_diag silent = {0};
	struct glacier_memory scratch;
	struct glc_backend_input input = {
		.ir = pipeline->ir,
		.target = &pipeline->device->info.target,
		.options = options,
		.memory = &scratch,
	};
	enum glacier_status status;

	if (pipeline->prebuilt) {
		const struct glc_spv_interface *made = &pipeline->prebuilt->code;

		if (!glc_buffer_reserve(code, (size_t)made->count * 4))
			return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
		memcpy(code->data, made->words, (size_t)made->count * 4);
		code->size = (size_t)made->count * 4;
		return check_known(&pipeline->ir->kernels[0], code, diag);
	}
	glacier_memory_init(&scratch, NULL, 0);
	status = glc_spirv_write(&input, code, diag ? diag : &silent);
	glacier_memory_fini(&scratch);
	return status;
}

enum glacier_status glc_vk_pipeline_build(struct glacier_pipeline *pipeline,
					  const struct glacier_write_options *options, struct glacier_diag *diag)
{
	const struct glc_kernel *kernel = &pipeline->ir->kernels[0];
	struct glc_vk_pipeline *built = glc_bump_zero(&pipeline->memory, sizeof *built);
	struct glacier_buffer code = {0};
	enum glacier_status status;

	if (!built)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	pipeline->built = built;   /* what fails half way is freed as a whole */
	status = check_subgroup(pipeline->device, kernel, diag);
	if (status == GLACIER_OK)
		status = get_code(pipeline, options, &code, diag);
	if (status == GLACIER_OK)
		status = check_capabilities(pipeline->device, kernel, &code, diag);
	if (status == GLACIER_OK)
		status = read_buffers(pipeline, built, diag);
	if (status == GLACIER_OK)
		status = create_layout(pipeline, diag);
	if (status == GLACIER_OK)
		status = create_sets(pipeline, diag);
	if (status == GLACIER_OK)
		status = create_pipeline(pipeline, &code, diag);
	glacier_buffer_fini(&code);
	return status;
}

void glc_vk_pipeline_free(struct glacier_pipeline *pipeline)
{
	struct glc_vk *vk = glc_vk_of(pipeline->device);
	struct glc_vk_pipeline *built = pipeline->built;

	if (vk->stuck)
		return;
	vk->call.DestroyShaderModule(vk->device, built->module, NULL);
	vk->call.DestroyPipeline(vk->device, built->pipeline, NULL);
	vk->call.DestroyDescriptorPool(vk->device, built->pool, NULL);
	vk->call.DestroyPipelineLayout(vk->device, built->layout, NULL);
	for (uint32_t set = 0; built->set_layouts && set < built->set_count; set++)
		vk->call.DestroyDescriptorSetLayout(vk->device, built->set_layouts[set], NULL);
}
