/* SPDX-License-Identifier: MIT */
/*
 * Limits of a device from a JSON file: an object whose keys are the members of
 * VkPhysicalDeviceLimits, alone or as vulkaninfo --json writes it. Few of the members
 * matter to a kernel; the rest are passed over, and a name that is none of them is told.
 */
#include "cli.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <string.h>

static const struct row {
	char key[36];
	uint8_t count;    /* 1, or the elements of the array */
	uint8_t offset;
} rows[] = {
#define ROW(key, count, member) {key, count, offsetof(struct glacier_limits, member)}
	ROW("maxBoundDescriptorSets", 1, bound_descriptor_sets),
	ROW("maxComputeSharedMemorySize", 1, compute_shared_memory_bytes),
	ROW("maxComputeWorkGroupInvocations", 1, compute_workgroup_invocations),
	ROW("maxComputeWorkGroupSize", 3, compute_workgroup_size),
	ROW("maxDescriptorSetStorageBuffers", 1, descriptor_set_storage_buffers),
	ROW("maxPerStageDescriptorStorageBuffers", 1, per_stage_storage_buffers),
	ROW("maxPerStageResources", 1, per_stage_resources),
	ROW("maxPushConstantsSize", 1, push_constants_bytes),
	ROW("maxStorageBufferRange", 1, storage_buffer_range_bytes),
#undef ROW
};

/* All other members. Source: Vulkan 1.3, VkPhysicalDeviceLimits. */
static const char others[] =
	" maxImageDimension1D maxImageDimension2D maxImageDimension3D maxImageDimensionCube"
	" maxImageArrayLayers maxTexelBufferElements maxUniformBufferRange maxMemoryAllocationCount"
	" maxSamplerAllocationCount bufferImageGranularity sparseAddressSpaceSize"
	" maxPerStageDescriptorSamplers maxPerStageDescriptorUniformBuffers"
	" maxPerStageDescriptorSampledImages maxPerStageDescriptorStorageImages"
	" maxPerStageDescriptorInputAttachments maxDescriptorSetSamplers maxDescriptorSetUniformBuffers"
	" maxDescriptorSetUniformBuffersDynamic maxDescriptorSetStorageBuffersDynamic"
	" maxDescriptorSetSampledImages maxDescriptorSetStorageImages maxDescriptorSetInputAttachments"
	" maxVertexInputAttributes maxVertexInputBindings maxVertexInputAttributeOffset"
	" maxVertexInputBindingStride maxVertexOutputComponents maxTessellationGenerationLevel"
	" maxTessellationPatchSize maxTessellationControlPerVertexInputComponents"
	" maxTessellationControlPerVertexOutputComponents maxTessellationControlPerPatchOutputComponents"
	" maxTessellationControlTotalOutputComponents maxTessellationEvaluationInputComponents"
	" maxTessellationEvaluationOutputComponents maxGeometryShaderInvocations"
	" maxGeometryInputComponents maxGeometryOutputComponents maxGeometryOutputVertices"
	" maxGeometryTotalOutputComponents maxFragmentInputComponents maxFragmentOutputAttachments"
	" maxFragmentDualSrcAttachments maxFragmentCombinedOutputResources maxComputeWorkGroupCount"
	" subPixelPrecisionBits subTexelPrecisionBits mipmapPrecisionBits maxDrawIndexedIndexValue"
	" maxDrawIndirectCount maxSamplerLodBias maxSamplerAnisotropy maxViewports maxViewportDimensions"
	" viewportBoundsRange viewportSubPixelBits minMemoryMapAlignment minTexelBufferOffsetAlignment"
	" minUniformBufferOffsetAlignment minStorageBufferOffsetAlignment minTexelOffset maxTexelOffset"
	" minTexelGatherOffset maxTexelGatherOffset minInterpolationOffset maxInterpolationOffset"
	" subPixelInterpolationOffsetBits maxFramebufferWidth maxFramebufferHeight maxFramebufferLayers"
	" framebufferColorSampleCounts framebufferDepthSampleCounts framebufferStencilSampleCounts"
	" framebufferNoAttachmentsSampleCounts maxColorAttachments sampledImageColorSampleCounts"
	" sampledImageIntegerSampleCounts sampledImageDepthSampleCounts sampledImageStencilSampleCounts"
	" storageImageSampleCounts maxSampleMaskWords timestampComputeAndGraphics timestampPeriod"
	" maxClipDistances maxCullDistances maxCombinedClipAndCullDistances discreteQueuePriorities"
	" pointSizeRange lineWidthRange pointSizeGranularity lineWidthGranularity strictLines"
	" standardSampleLocations optimalBufferCopyOffsetAlignment optimalBufferCopyRowPitchAlignment"
	" nonCoherentAtomSize ";

/* The file, and the way to the object at hand. */
struct reader {
	struct cli_file file;
	struct glacier_diag diag;
	const struct cli_warnings *warnings;
	char prefix[256];  /* "VkPhysicalDeviceProperties.limits." */
	bool failed;
};

/* The row of the table of codes says it; the place says what it is said of. */
static void tell(struct reader *r, const char *code, const struct glacier_location *place)
{
	if (!cli_tell(&r->diag, r->warnings, code, place))
		r->failed = true;
}

static void tell_key(struct reader *r, const char *code, const char *key)
{
	char path[512];

	snprintf(path, sizeof path, "%s%s", r->prefix, key);
	tell(r, code, &(struct glacier_location){.kind = GLACIER_LOCATION_PATH, .path = path});
}

static void tell_syntax(struct reader *r, const char *at)
{
	const char *start = r->file.data, *end = start + r->file.size, *line = start, *stop;
	struct glacier_location place = {.kind = GLACIER_LOCATION_TEXT, .line = 1, .length = 1};

	if (!at || at > end)
		at = end;
	for (const char *c = start; c < at; c++) {
		if (*c == '\n') {
			line = c + 1;
			place.line++;
		}
	}
	stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
	place.column = (uint32_t)(at - line) + 1;
	place.source_line = line;
	place.source_line_bytes = (size_t)((stop ? stop : end) - line);
	tell(r, "CL0001", &place);
}

static bool read_number(const cJSON *value, uint32_t *number)
{
	if (!cJSON_IsNumber(value) || !(value->valuedouble >= 0 && value->valuedouble <= UINT32_MAX) ||
	    value->valuedouble != (double)(uint32_t)value->valuedouble)
		return false;
	*number = (uint32_t)value->valuedouble;
	return true;
}

static void read_row(struct reader *r, const struct row *row, const cJSON *value, uint32_t *numbers)
{
	if (row->count == 1) {
		if (!read_number(value, numbers))
			tell_key(r, "CL0003", row->key);
		return;
	}
	if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) != row->count) {
		tell_key(r, "CL0004", row->key);
		return;
	}
	value = value->child;
	for (int i = 0; i < row->count; i++, value = value->next) {
		char key[64];

		snprintf(key, sizeof key, "%.40s[%d]", row->key, i);
		if (!read_number(value, &numbers[i]))
			tell_key(r, "CL0003", key);
	}
}

static bool is_other(const char *key)
{
	size_t bytes = strlen(key);

	if (!bytes || strchr(key, ' '))
		return false;
	for (const char *at = others; (at = strstr(at, key)); at += bytes)
		if (at[-1] == ' ' && at[bytes] == ' ')
			return true;
	return false;
}

static void read_limits(struct reader *r, const cJSON *object, struct glacier_limits *limits)
{
	uint32_t given = 0;  /* bit set over rows */

	for (const cJSON *value = object->child; value; value = value->next) {
		size_t i = 0;

		while (i < sizeof rows / sizeof *rows && strcmp(value->string, rows[i].key))
			i++;
		if (i < sizeof rows / sizeof *rows) {
			if (given >> i & 1)
				tell_key(r, "CL0005", value->string);
			given |= 1u << i;
			read_row(r, &rows[i], value, (uint32_t *)((char *)limits + rows[i].offset));
		} else if (!is_other(value->string)) {
			tell_key(r, "CL0006", value->string);
		}
	}
}

/* The member, an object; its name joins the prefix. NULL: there is none. */
static const cJSON *enter(struct reader *r, const cJSON *object, const char *key)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);
	size_t used = strlen(r->prefix);

	if (!cJSON_IsObject(member))
		return NULL;
	snprintf(r->prefix + used, sizeof r->prefix - used, "%s.", key);
	return member;
}

static const cJSON *find_properties(struct reader *r, const cJSON *object)
{
	size_t used = strlen(r->prefix);
	const cJSON *found = enter(r, object, "VkPhysicalDeviceProperties");

	found = found ? enter(r, found, "limits") : NULL;
	if (!found)
		r->prefix[used] = '\0';
	return found;
}

/* A profile, as newer releases of vulkaninfo write it, names its sets of capabilities freely. */
static const cJSON *find_profile(struct reader *r, const cJSON *root)
{
	const cJSON *sets = enter(r, root, "capabilities"), *found = NULL;
	size_t used = strlen(r->prefix);

	for (const cJSON *set = sets ? sets->child : NULL; set && !found; set = set->next) {
		const cJSON *properties;

		r->prefix[used] = '\0';
		if (!enter(r, sets, set->string))
			continue;
		properties = enter(r, set, "properties");
		found = properties ? find_properties(r, properties) : NULL;
	}
	if (!found)
		r->prefix[0] = '\0';
	return found;
}

static const cJSON *find_limits(struct reader *r, const cJSON *root)
{
	const cJSON *found = enter(r, root, "limits");

	if (!found)
		found = find_properties(r, root);
	if (!found)
		found = find_profile(r, root);
	return found ? found : root;
}

bool cli_read_limits(const char *path, const struct cli_warnings *warnings, struct glacier_limits *limits)
{
	struct reader r = {.warnings = warnings};
	const char *end = NULL, *stop;
	cJSON *root;

	*limits = (struct glacier_limits){0};
	if (!cli_try_read(path, &r.file))
		return false;
	r.diag = cli_diag(&r.file);
	stop = (const char *)r.file.data + r.file.size;
	root = cJSON_ParseWithLengthOpts(r.file.data, r.file.size, &end, false);
	while (root && end < stop && strchr(" \t\r\n", *end) && *end)
		end++;
	if (!root || end < stop)
		tell_syntax(&r, end);
	else if (!cJSON_IsObject(root))
		tell(&r, "CL0002", &(struct glacier_location){0});
	else
		read_limits(&r, find_limits(&r, root), limits);
	cJSON_Delete(root);
	cli_release(&r.file);
	return !r.failed;
}
