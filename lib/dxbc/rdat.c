/* SPDX-License-Identifier: MIT */
/*
 * RDAT: what the runtime reads of libraries. A list of tables, each of records of one size; newer
 * validators add members at the end of a record, which are shown as words. Source: DxilRuntimeReflection.h,
 * RDAT_LibraryTypes.inl.
 */
#include "dxbc/codec.h"

enum { STRINGS = 1, INDEXES = 2, RESOURCES = 3, FUNCTIONS = 4, RAW = 5, SUBOBJECTS = 6 };

static const struct codec_name sub_part_types[] = {
	{STRINGS, "strings"}, {INDEXES, "index_arrays"}, {RESOURCES, "resources"}, {FUNCTIONS, "functions"}, {RAW, "raw_bytes"},
	{SUBOBJECTS, "subobjects"}, {7, "node_ids"}, {8, "node_shader_io_attributes"}, {9, "node_shader_function_attributes"},
	{10, "io_nodes"}, {11, "node_shader_infos"}, {12, "reserved_mesh_nodes_preview"}, {13, "signature_elements"},
	{14, "vs_infos"}, {15, "ps_infos"}, {16, "hs_infos"}, {17, "ds_infos"}, {18, "gs_infos"}, {19, "cs_infos"},
	{20, "ms_infos"}, {21, "as_infos"}, {0x10001, "pdb_infos"}, {0x10002, "pdb_sources"}, {0x10003, "pdb_libraries"}, {0, NULL},
};

static const struct codec_name resource_classes[] = {{0, "SRV"}, {1, "UAV"}, {2, "CBuffer"}, {3, "Sampler"}, {0, NULL}};

static const struct codec_name resource_flags[] = {
	{1, "UAVGloballyCoherent"}, {2, "UAVCounter"}, {4, "UAVRasterizerOrderedView"}, {8, "DynamicIndexing"},
	{16, "Atomics64Use"}, {0, NULL},
};

static const struct codec_name stages[] = {
	{1 << 0, "pixel"}, {1 << 1, "vertex"}, {1 << 2, "geometry"}, {1 << 3, "hull"}, {1 << 4, "domain"}, {1 << 5, "compute"},
	{1 << 6, "library"}, {1 << 7, "raygeneration"}, {1 << 8, "intersection"}, {1 << 9, "anyhit"}, {1 << 10, "closesthit"},
	{1 << 11, "miss"}, {1 << 12, "callable"}, {1 << 13, "mesh"}, {1 << 14, "amplification"}, {1 << 15, "node"}, {0, NULL},
};

static void resource(struct codec *c, uint32_t at)
{
	codec_enum(c, at, 4, "class", resource_classes);
	codec_enum(c, at + 4, 4, "kind", glc_dxbc_resource_kinds);
	codec_u32(c, at + 8, "id");
	codec_u32(c, at + 12, "space");
	codec_u32(c, at + 16, "lower");
	codec_u32(c, at + 20, "upper");
	codec_u32(c, at + 24, "name");
	codec_flags(c, at + 28, 4, "flags", resource_flags);
}

static void function(struct codec *c, uint32_t at)
{
	codec_u32(c, at, "name");
	codec_u32(c, at + 4, "unmangled_name");
	codec_u32(c, at + 8, "resources");
	codec_u32(c, at + 12, "dependencies");
	codec_enum(c, at + 16, 4, "kind", glc_dxbc_kinds);
	codec_u32(c, at + 20, "payload_bytes");
	codec_u32(c, at + 24, "attribute_bytes");
	codec_flags(c, at + 28, 8, "features", glc_dxbc_features);
	codec_flags(c, at + 36, 4, "stages", stages);
	codec_u32(c, at + 40, "min_target");
}

static void subobject(struct codec *c, uint32_t at)
{
	codec_u32(c, at, "kind");
	codec_u32(c, at + 4, "name");
}

/* Members that this knows of, by type; behind them words. */
static uint32_t known_bytes(uint32_t type)
{
	return type == RESOURCES ? 32 : type == FUNCTIONS ? 44 : type == SUBOBJECTS ? 8 : 0;
}

static void record_table(struct codec *c, uint32_t at, uint32_t type)
{
	uint32_t stride = codec_u32(c, at + 4, "record_bytes"), known = known_bytes(type), count;

	if (!c->failed && (stride < 4 || stride % 4)) {
		codec_fail(c, at + 4, "records of %u bytes are claimed, no whole words", stride);
		return;
	}
	count = codec_count(c, at, at + 8, stride, "records");
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "records", i);
		uint32_t record = at + 8 + i * stride, shown = stride >= known ? known : 0;

		if (shown && type == RESOURCES)
			resource(c, record);
		if (shown && type == FUNCTIONS)
			function(c, record);
		if (shown && type == SUBOBJECTS)
			subobject(c, record);
		if (stride > shown)
			codec_words(c, record + shown, (stride - shown) / 4, shown ? "more" : "words");
		codec_leave(c, before);
	}
}

/* A table of strings is shown as they are; names of records are offsets into it. */
static void string_table(struct codec *c, uint32_t at, uint32_t bytes)
{
	uint32_t used = 0, index = 0;
	cJSON *before;

	if (!c->encoding && !codec_need(c, at, bytes, "the table of strings"))
		return;
	if (c->encoding) {
		uint32_t count = codec_elements(c, 0, at, 0, "strings");

		for (uint32_t i = 0; i < count && !c->failed; i++) {
			before = codec_enter_element(c, "strings", i);
			used += codec_string(c, at + used, "text");
			codec_leave(c, before);
		}
		return;
	}
	codec_elements(c, 0, at, 0, "strings");
	for (; used < bytes && !c->failed; index++) {
		before = codec_enter_element(c, "strings", index);
		codec_note_number(c, "at", used);
		used += codec_string(c, at + used, "text");
		codec_leave(c, before);
	}
}

static void sub_part(struct codec *c, uint32_t at)
{
	uint32_t type = codec_enum(c, at, 4, "type", sub_part_types), bytes = codec_u32(c, at + 4, "bytes");

	at += 8;
	if (!codec_need(c, at, bytes, "a sub-part"))
		return;
	switch (type) {
	case STRINGS:
		string_table(c, at, bytes);
		return;
	case INDEXES:
		codec_words(c, at, bytes / 4, "words");
		return;
	case RAW:
		codec_hex(c, at, bytes, "raw");
		return;
	}
	if (bytes >= 8)
		record_table(c, at, type);
}

void codec_rdat(struct codec *c)
{
	uint32_t count;

	codec_u32(c, 0, "version");
	count = codec_count(c, 4, 8, 4, "sub_parts");
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "sub_parts", i);
		uint32_t offset = codec_u32(c, 8 + 4 * i, "offset");

		if (offset > UINT32_MAX - 8)
			codec_fail(c, 8 + 4 * i, "sub-part %u begins at %u", i, offset);
		sub_part(c, offset);
		codec_leave(c, before);
	}
}
