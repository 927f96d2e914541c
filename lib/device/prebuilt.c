/* SPDX-License-Identifier: MIT */
#include "device/prebuilt.h"

#include "base/buf.h"

#include <string.h>

static void put_text(struct glc_writer *out, const void *text, size_t bytes)
{
	uint64_t size = bytes;

	glc_put(out, &size, sizeof size);
	glc_put(out, text, bytes);
}

/* Unlike any kernel's content: that begins with the length of a name. */
static bool write_key(const struct glacier_prebuilt *source, const char *kernel, struct glacier_buffer *key)
{
	struct glc_writer out;

	glc_writer_begin(&out, key);
	glc_put(&out, &(uint64_t){UINT64_MAX}, sizeof(uint64_t));
	put_text(&out, source->code, source->code_bytes);
	put_text(&out, source->reflection.text, source->reflection.size);
	put_text(&out, kernel ? kernel : "", kernel ? strlen(kernel) : 0);
	for (size_t i = 0; i < source->define_count; i++) {
		put_text(&out, source->defines[i].name, strlen(source->defines[i].name));
		put_text(&out, source->defines[i].value, strlen(source->defines[i].value));
	}
	return glc_writer_end(&out);
}

/* What is made here is made of this. */
struct source {
	const struct glacier_prebuilt *prebuilt;
	const char *kernel;
};

static enum glacier_status check_version(const struct glacier_device *device, const struct glc_prebuilt *prebuilt,
					 struct glacier_diag *diag)
{
	uint32_t major = prebuilt->code.version >> 16 & 0xff, minor = prebuilt->code.version >> 8 & 0xff;
	const struct glacier_target *target = &device->info.target;

	if (major < target->major || (major == target->major && minor <= target->minor))
		return GLACIER_OK;
	return glc_fail(diag, GLC_DV_SPV_VERSION, GLC_NOWHERE, major, minor, device->info.name, target->major,
			target->minor);
}

static enum glacier_status take_spirv(const struct glacier_pipeline *pipeline, const struct source *source,
				      struct glacier_memory *memory, struct glc_prebuilt *prebuilt,
				      const struct glc_kernel *kernel, struct glacier_diag *diag)
{
	enum glacier_status status = glc_spv_interface_read(&prebuilt->code, source->prebuilt->code,
							    source->prebuilt->code_bytes, memory, diag);

	if (status == GLACIER_OK)
		status = check_version(pipeline->device, prebuilt, diag);
	return status == GLACIER_OK ? glc_prebuilt_match(prebuilt, kernel, diag) : status;
}

static enum glacier_status take_ptx(const struct source *source, struct glacier_memory *memory,
				    struct glc_prebuilt *prebuilt, const struct glc_kernel *kernel,
				    struct glacier_diag *diag)
{
	size_t bytes = source->prebuilt->code_bytes;
	char *text = glc_bump(memory, bytes + 1);

	if (!text)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	if (bytes)
		memcpy(text, source->prebuilt->code, bytes);
	text[bytes] = '\0';
	prebuilt->ptx = text;
	prebuilt->ptx_bytes = bytes;
	return glc_prebuilt_match_ptx(prebuilt, kernel, diag);
}

/* Its positions lie nowhere. */
static void locate(const struct glc_source_map *map, uint32_t position, struct glacier_location *location)
{
	(void)map;
	(void)position;
	(void)location;
}

static enum glacier_status make(struct glacier_pipeline *pipeline, const void *context,
				const struct glc_kernel **kernel, struct glacier_diag *diag)
{
	static const struct glc_source_map nowhere = {.locate = locate};
	const struct source *source = context;
	struct glc_ir *ir = glc_bump(&pipeline->memory, sizeof *ir);
	struct glc_prebuilt *prebuilt = glc_bump_zero(&pipeline->memory, sizeof *prebuilt);
	enum glacier_target_kind target = pipeline->device->info.target.kind;
	enum glacier_status status;

	if (!ir || !prebuilt)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	status = glc_prebuilt_read(source->prebuilt, source->kernel, target, &pipeline->memory, ir, &prebuilt->symbol,
				   diag);
	if (status == GLACIER_OK)
		status = target == GLACIER_TARGET_PTX
				 ? take_ptx(source, &pipeline->memory, prebuilt, &ir->kernels[0], diag)
				 : take_spirv(pipeline, source, &pipeline->memory, prebuilt, &ir->kernels[0], diag);
	if (status == GLACIER_OK)
		status = glc_pipeline_check_limits(pipeline->device, &ir->kernels[0], &nowhere, diag);
	pipeline->ir = ir;
	pipeline->prebuilt = prebuilt;
	*kernel = ir->kernels;
	return status;
}

enum glacier_status glacier_pipeline_get_prebuilt(struct glacier_device *device,
						  const struct glacier_prebuilt *prebuilt, const char *kernel,
						  struct glacier_pipeline **out, struct glacier_diag *diag)
{
	static const struct glacier_write_options options;
	struct source source = {prebuilt, kernel};
	struct glacier_buffer key = {0};
	enum glacier_status status;

	if (device->lost)
		return glc_fail(diag, GLC_DV_LOST, GLC_NOWHERE);
	if (device->info.target.kind == GLACIER_TARGET_KIND_COUNT)
		return glc_fail(diag, GLC_DV_PREBUILT, GLC_NOWHERE, glacier_device_kind_name(device->info.kind),
				device->info.index);
	if (write_key(prebuilt, kernel, &key))
		status = glc_pipeline_find(device, &key, make, &source, &options, out, diag);
	else
		status = glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	glacier_buffer_fini(&key);
	return status;
}
