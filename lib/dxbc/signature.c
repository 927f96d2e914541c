/* SPDX-License-Identifier: MIT */
/*
 * Signatures: ISGN, OSGN, PCSG (24 bytes an element), OSG5 (with a stream, 28), ISG1, OSG1, PSG1 (with a
 * stream and a precision, 32). Source: DxilContainer.h, struct DxilProgramSignatureElement.
 */
#include "dxbc/codec.h"

static const struct codec_name system_values[] = {
	{0, "UNDEFINED"},
	{1, "POSITION"},
	{2, "CLIP_DISTANCE"},
	{3, "CULL_DISTANCE"},
	{4, "RENDER_TARGET_ARRAY_INDEX"},
	{5, "VIEWPORT_ARRAY_INDEX"},
	{6, "VERTEX_ID"},
	{7, "PRIMITIVE_ID"},
	{8, "INSTANCE_ID"},
	{9, "IS_FRONT_FACE"},
	{10, "SAMPLE_INDEX"},
	{11, "FINAL_QUAD_EDGE_TESSFACTOR"},
	{12, "FINAL_QUAD_INSIDE_TESSFACTOR"},
	{13, "FINAL_TRI_EDGE_TESSFACTOR"},
	{14, "FINAL_TRI_INSIDE_TESSFACTOR"},
	{15, "FINAL_LINE_DETAIL_TESSFACTOR"},
	{16, "FINAL_LINE_DENSITY_TESSFACTOR"},
	{23, "BARYCENTRICS"},
	{24, "SHADINGRATE"},
	{25, "CULLPRIMITIVE"},
	{64, "TARGET"},
	{65, "DEPTH"},
	{66, "COVERAGE"},
	{67, "DEPTH_GREATER_EQUAL"},
	{68, "DEPTH_LESS_EQUAL"},
	{69, "STENCIL_REF"},
	{70, "INNER_COVERAGE"},
	{0, NULL},
};

static const struct codec_name component_types[] = {
	{0, "unknown"}, {1, "uint32"}, {2, "sint32"}, {3, "float32"}, {4, "uint16"},
	{5, "sint16"},  {6, "float16"}, {7, "uint64"}, {8, "sint64"}, {9, "float64"}, {0, NULL},
};

static const struct codec_name precisions[] = {
	{0, "default"}, {1, "float16"}, {2, "float2_8"}, {4, "sint16"}, {5, "uint16"}, {0xf0, "any16"}, {0xf1, "any10"}, {0, NULL},
};

void codec_signature(struct codec *c)
{
	bool has_stream = c->part[3] == '5' || c->part[3] == '1', has_precision = c->part[3] == '1';
	uint32_t stride = 24 + (has_stream ? 4 : 0) + (has_precision ? 4 : 0), first, count;

	if (c->encoding && !cJSON_HasObjectItem(c->node, "elements_offset"))
		cJSON_AddNumberToObject(c->node, "elements_offset", 8);
	first = codec_u32(c, 4, "elements_offset");
	count = codec_count(c, 0, first, stride, "elements");
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "elements", i);
		uint32_t at = first + i * stride;

		if (has_stream) {
			codec_u32(c, at, "stream");
			at += 4;
		}
		codec_string_ref(c, at, 0, "name");
		codec_u32(c, at + 4, "index");
		codec_enum(c, at + 8, 4, "system_value", system_values);
		codec_enum(c, at + 12, 4, "type", component_types);
		codec_u32(c, at + 16, "register");
		codec_u8(c, at + 20, "mask");
		codec_u8(c, at + 21, has_precision || c->part[0] != 'I' ? "never_writes_mask" : "always_reads_mask");
		codec_reserved(c, at + 22, 2, "reserved");
		if (has_precision)
			codec_enum(c, at + 24, 4, "precision", precisions);
		codec_leave(c, before);
	}
}
