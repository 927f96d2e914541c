/* SPDX-License-Identifier: MIT */
/*
 * PSV0: what the runtime checks a program against when it makes a pipeline. Each version adds to
 * the end of the info, whose size tells it: 24, 36, 48, 52, 56 bytes for 0 to 4; larger ones are read as 4.
 * Source: DxilPipelineStateValidation.h.
 */
#include "dxbc/codec.h"

enum stage { PIXEL, VERTEX, GEOMETRY, HULL, DOMAIN, COMPUTE, MESH = 13, AMPLIFICATION = 14 };

const struct codec_name glc_dxbc_resource_kinds[] = {
	{0, "invalid"},        {1, "Texture1D"},       {2, "Texture2D"},         {3, "Texture2DMS"},
	{4, "Texture3D"},      {5, "TextureCube"},     {6, "Texture1DArray"},    {7, "Texture2DArray"},
	{8, "Texture2DMSArray"}, {9, "TextureCubeArray"}, {10, "TypedBuffer"},   {11, "RawBuffer"},
	{12, "StructuredBuffer"}, {13, "CBuffer"},     {14, "Sampler"},          {15, "TBuffer"},
	{16, "RTAccelerationStructure"}, {17, "FeedbackTexture2D"}, {18, "FeedbackTexture2DArray"}, {0, NULL},
};

static const struct codec_name resource_types[] = {
	{0, "invalid"}, {1, "Sampler"},  {2, "CBV"},           {3, "SRVTyped"}, {4, "SRVRaw"}, {5, "SRVStructured"},
	{6, "UAVTyped"}, {7, "UAVRaw"}, {8, "UAVStructured"}, {9, "UAVStructuredWithCounter"}, {0, NULL},
};

static const struct codec_name semantics[] = {
	{0, "Arbitrary"}, {1, "VertexID"}, {2, "InstanceID"}, {3, "Position"}, {4, "RenderTargetArrayIndex"},
	{5, "ViewPortArrayIndex"}, {6, "ClipDistance"}, {7, "CullDistance"}, {8, "OutputControlPointID"},
	{9, "DomainLocation"}, {10, "PrimitiveID"}, {11, "GSInstanceID"}, {12, "SampleIndex"}, {13, "IsFrontFace"},
	{14, "Coverage"}, {15, "InnerCoverage"}, {16, "Target"}, {17, "Depth"}, {18, "DepthLessEqual"},
	{19, "DepthGreaterEqual"}, {20, "StencilRef"}, {21, "DispatchThreadID"}, {22, "GroupID"}, {23, "GroupIndex"},
	{24, "GroupThreadID"}, {25, "TessFactor"}, {26, "InsideTessFactor"}, {27, "ViewID"}, {28, "Barycentrics"},
	{29, "ShadingRate"}, {30, "CullPrimitive"}, {0, NULL},
};

static const struct codec_name types[] = {
	{0, "unknown"}, {1, "uint32"}, {2, "sint32"}, {3, "float32"}, {4, "uint16"},
	{5, "sint16"},  {6, "float16"}, {7, "uint64"}, {8, "sint64"}, {9, "float64"}, {0, NULL},
};

struct psv {
	uint32_t info_bytes, stage;
	bool view_id;
	uint8_t patch_vectors, inputs, outputs, patches, input_vectors, output_vectors[4];
};

/* The first 16 bytes mean what the stage makes of them. Before version 1 the stage is told elsewhere. */
static void stage_info(struct codec *c, uint32_t at, uint32_t stage, bool known)
{
	if (!known) {
		codec_hex(c, at, 16, "stage_info");
		return;
	}
	switch (stage) {
	case PIXEL:
		codec_u8(c, at, "depth_output");
		codec_u8(c, at + 1, "sample_frequency");
		break;
	case VERTEX:
		codec_u8(c, at, "output_position");
		break;
	case GEOMETRY:
		codec_u32(c, at, "input_primitive");
		codec_u32(c, at + 4, "output_topology");
		codec_u32(c, at + 8, "output_streams");
		codec_u8(c, at + 12, "output_position");
		break;
	case HULL:
		codec_u32(c, at, "input_control_points");
		codec_u32(c, at + 4, "output_control_points");
		codec_u32(c, at + 8, "tessellator_domain");
		codec_u32(c, at + 12, "tessellator_output_primitive");
		break;
	case DOMAIN:
		codec_u32(c, at, "input_control_points");
		codec_u8(c, at + 4, "output_position");
		codec_u32(c, at + 8, "tessellator_domain");
		break;
	case MESH:
		codec_u32(c, at, "group_shared_bytes");
		codec_u32(c, at + 4, "group_shared_view_id_bytes");
		codec_u32(c, at + 8, "payload_bytes");
		codec_u16(c, at + 12, "max_vertices");
		codec_u16(c, at + 14, "max_primitives");
		break;
	case AMPLIFICATION:
		codec_u32(c, at, "payload_bytes");
		break;
	}
}

static void info(struct codec *c, struct psv *p, uint32_t at)
{
	cJSON *before = codec_enter(c, "info");
	bool has_stage = p->info_bytes >= 36;

	/* The stage first: what stands before it depends on it. */
	if (has_stage)
		p->stage = codec_enum(c, at + 24, 1, "stage", glc_dxbc_kinds);
	stage_info(c, at, p->stage, has_stage);
	codec_u32(c, at + 16, "min_wave_lanes");
	codec_u32(c, at + 20, "max_wave_lanes");
	if (has_stage) {
		p->view_id = codec_u8(c, at + 25, "uses_view_id");
		if (p->stage == GEOMETRY) {
			codec_u16(c, at + 26, "max_vertex_count");
		} else {
			p->patch_vectors = codec_u8(c, at + 26, p->stage == MESH ? "primitive_vectors" : "patch_vectors");
			codec_u8(c, at + 27, p->stage == MESH ? "mesh_output_topology" : "reserved_27");
		}
		p->inputs = codec_u8(c, at + 28, "input_elements");
		p->outputs = codec_u8(c, at + 29, "output_elements");
		p->patches = codec_u8(c, at + 30, "patch_elements");
		p->input_vectors = codec_u8(c, at + 31, "input_vectors");
		for (uint32_t i = 0; i < 4; i++) {
			static const char *const names[] = {"output_vectors", "output_vectors_1", "output_vectors_2", "output_vectors_3"};

			p->output_vectors[i] = codec_u8(c, at + 32 + i, names[i]);
		}
	}
	if (p->info_bytes >= 48) {
		codec_u32(c, at + 36, "threads_x");
		codec_u32(c, at + 40, "threads_y");
		codec_u32(c, at + 44, "threads_z");
	}
	if (p->info_bytes >= 52)
		codec_u32(c, at + 48, "entry_name_offset");
	if (p->info_bytes >= 56)
		codec_u32(c, at + 52, "group_shared_bytes_v4");
	codec_leave(c, before);
}

static uint32_t resources(struct codec *c, uint32_t at)
{
	uint32_t stride = 0, count;

	/* The size stands there only when there are resources. */
	if (!c->encoding && codec_need(c, at, 4, "the number of resources") && glc_le32(c->data + at)) {
		stride = codec_u32(c, at + 4, "resource_bytes");
		if (stride < 16 && !c->failed)
			codec_fail(c, at + 4, "a resource has at least 16 bytes, and %u are claimed", stride);
	}
	count = codec_count(c, at, at + 8, stride, "resources");
	if (c->encoding && count) {
		stride = codec_u32(c, at + 4, "resource_bytes");
		if (stride < 16)
			codec_fail(c, 0, "'resource_bytes' must be at least 16");
	}
	at += 4;
	if (!count || c->failed)
		return at;
	at += 4;
	for (uint32_t i = 0; i < count && !c->failed; i++, at += stride) {
		cJSON *before = codec_enter_element(c, "resources", i);

		codec_enum(c, at, 4, "type", resource_types);
		codec_u32(c, at + 4, "space");
		codec_u32(c, at + 8, "lower");
		codec_u32(c, at + 12, "upper");
		if (stride >= 24) {
			codec_enum(c, at + 16, 4, "kind", glc_dxbc_resource_kinds);
			codec_flags(c, at + 20, 4, "flags", CODEC_NAMES({1, "UsedByAtomic64"}));
		}
		codec_leave(c, before);
	}
	return at;
}

/* The strings of the table, in order; the last one may be the padding. */
static uint32_t strings(struct codec *c, uint32_t at)
{
	uint32_t bytes = codec_u32(c, at, "string_bytes"), used = 0;
	cJSON *list = NULL, *item;

	at += 4;
	if (c->failed)
		return at;
	if (c->encoding) {
		list = cJSON_GetObjectItemCaseSensitive(c->node, "strings");
		codec_need(c, at, bytes, "the table of strings");
		cJSON_ArrayForEach(item, list) {
			const char *text = cJSON_GetStringValue(item);
			size_t length = text ? strlen(text) : 0;

			if (c->failed || !text || length + 1 > bytes - used) {
				codec_fail(c, 0, "'strings' must be strings that fit 'string_bytes'");
				return at;
			}
			memcpy(c->data + at + used, text, length);
			used += (uint32_t)length + 1;
		}
		return at + bytes;
	}
	if (bytes % 4)
		codec_fail(c, at - 4, "the table of strings has %u bytes, no whole words", bytes);
	if (!codec_need(c, at, bytes, "the table of strings"))
		return at;
	if (bytes && c->data[at + bytes - 1]) {
		codec_fail(c, at + bytes - 1, "the table of strings does not end in a zero");
		return at;
	}
	list = c->node ? cJSON_AddArrayToObject(c->node, "strings") : NULL;
	while (used < bytes) {
		const char *text = (const char *)c->data + at + used;

		for (const char *t = text; *t; t++)
			if ((unsigned char)*t < 0x20 || (unsigned char)*t >= 0x7f) {
				codec_fail(c, at + used, "a string of the table is no plain text");
				return at;
			}
		if (c->node)
			cJSON_AddItemToArray(list, cJSON_CreateString(text));
		used += (uint32_t)strlen(text) + 1;
	}
	return at + bytes;
}

static uint32_t elements(struct codec *c, uint32_t at, uint32_t stride, uint32_t count, const char *array)
{
	count = codec_elements(c, count, at, stride, array);
	for (uint32_t i = 0; i < count && !c->failed; i++, at += stride) {
		cJSON *before = codec_enter_element(c, array, i);

		codec_u32(c, at, "name_offset");
		codec_u32(c, at + 4, "indexes_offset");
		codec_u8(c, at + 8, "rows");
		codec_u8(c, at + 9, "start_row");
		codec_bits(c, at + 10, 1, 0, 4, "columns", NULL);
		codec_bits(c, at + 10, 1, 4, 2, "start_column", NULL);
		codec_bits(c, at + 10, 1, 6, 1, "allocated", NULL);
		codec_enum(c, at + 11, 1, "semantic", semantics);
		codec_enum(c, at + 12, 1, "type", types);
		codec_u8(c, at + 13, "interpolation");
		codec_bits(c, at + 14, 1, 0, 4, "dynamic_mask", NULL);
		codec_bits(c, at + 14, 1, 4, 2, "stream", NULL);
		codec_reserved(c, at + 15, 1, "reserved");
		codec_leave(c, before);
	}
	return at;
}

/* --- Dependencies -------------------------------------------------------- */

static uint32_t mask_words(uint32_t vectors)
{
	return (vectors + 7) / 8;
}

static uint32_t words(struct codec *c, uint32_t at, uint32_t count, const char *name)
{
	if (count)
		codec_words(c, at, count, name);
	return at + 4 * count;
}

static uint32_t dependencies(struct codec *c, const struct psv *p, uint32_t at)
{
	static const char *const masks[] = {"view_id_outputs", "view_id_outputs_1", "view_id_outputs_2", "view_id_outputs_3"};
	static const char *const tables[] = {"input_outputs", "input_outputs_1", "input_outputs_2", "input_outputs_3"};
	uint32_t streams = p->stage == GEOMETRY ? 4 : 1;
	uint32_t patch = p->stage == HULL || p->stage == DOMAIN || p->stage == MESH ? p->patch_vectors : 0;

	if (p->view_id) {
		for (uint32_t i = 0; i < streams; i++)
			at = words(c, at, mask_words(p->output_vectors[i]), masks[i]);
		if (p->stage == HULL || p->stage == MESH)
			at = words(c, at, mask_words(patch), "view_id_patch_outputs");
	}
	for (uint32_t i = 0; i < streams && p->stage != MESH; i++)
		at = words(c, at, mask_words(p->output_vectors[i]) * p->input_vectors * 4, tables[i]);
	if (p->stage == HULL)
		at = words(c, at, mask_words(patch) * p->input_vectors * 4, "input_patch_outputs");
	if (p->stage == DOMAIN)
		at = words(c, at, mask_words(p->output_vectors[0]) * patch * 4, "patch_outputs");
	return at;
}

void codec_psv0(struct codec *c)
{
	struct psv p = {0};
	uint32_t at = 4, stride = 0;

	p.info_bytes = codec_u32(c, 0, "info_bytes");
	if (!c->failed && (p.info_bytes < 24 || p.info_bytes % 4))
		codec_fail(c, 0, "the info has 24 bytes or more, and %u are claimed", p.info_bytes);
	if (!codec_need(c, at, p.info_bytes, "the info"))
		return;
	codec_note_number(c, "version", p.info_bytes >= 56   ? 4
					: p.info_bytes >= 52 ? 3
					: p.info_bytes >= 48 ? 2
					: p.info_bytes >= 36 ? 1
							     : 0);
	info(c, &p, at);
	if (p.info_bytes > 56)   /* of a version that is newer than this */
		codec_hex(c, at + 56, p.info_bytes - 56, "info_more");
	at = resources(c, at + p.info_bytes);
	if (p.info_bytes < 36)
		return;
	at = strings(c, at);
	at = codec_word_array(c, at, "semantic_indexes");
	if (p.inputs || p.outputs || p.patches) {
		stride = codec_u32(c, at, "element_bytes");
		if (stride < 16 && !c->failed)
			codec_fail(c, at, "a signature element has at least 16 bytes, and %u are claimed", stride);
		at = elements(c, at + 4, stride, p.inputs, "inputs");
		at = elements(c, at, stride, p.outputs, "outputs");
		at = elements(c, at, stride, p.patches, "patch_constants");
	}
	dependencies(c, &p, at);
}
