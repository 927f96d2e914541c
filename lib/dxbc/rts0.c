/* SPDX-License-Identifier: MIT */
/*
 * RTS0: a root signature, versions 1.0 (1), 1.1 (2) and 1.2 (3). Everything is found by offset.
 * Source: DxilRootSignature.h; d3d12.h.
 */
#include "dxbc/codec.h"

static const struct codec_name parameter_types[] = {
	{0, "DESCRIPTOR_TABLE"}, {1, "32BIT_CONSTANTS"}, {2, "CBV"}, {3, "SRV"}, {4, "UAV"}, {0, NULL},
};

static const struct codec_name visibilities[] = {
	{0, "ALL"}, {1, "VERTEX"}, {2, "HULL"}, {3, "DOMAIN"}, {4, "GEOMETRY"},
	{5, "PIXEL"}, {6, "AMPLIFICATION"}, {7, "MESH"}, {0, NULL},
};

static const struct codec_name range_types[] = {{0, "SRV"}, {1, "UAV"}, {2, "CBV"}, {3, "SAMPLER"}, {0, NULL}};

static const struct codec_name range_flags[] = {
	{1, "DESCRIPTORS_VOLATILE"}, {2, "DATA_VOLATILE"}, {4, "DATA_STATIC_WHILE_SET_AT_EXECUTE"}, {8, "DATA_STATIC"},
	{0x10000, "DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS"}, {0, NULL},
};

static const struct codec_name signature_flags[] = {
	{0x1, "ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT"}, {0x2, "DENY_VERTEX_SHADER_ROOT_ACCESS"},
	{0x4, "DENY_HULL_SHADER_ROOT_ACCESS"}, {0x8, "DENY_DOMAIN_SHADER_ROOT_ACCESS"},
	{0x10, "DENY_GEOMETRY_SHADER_ROOT_ACCESS"}, {0x20, "DENY_PIXEL_SHADER_ROOT_ACCESS"},
	{0x40, "ALLOW_STREAM_OUTPUT"}, {0x80, "LOCAL_ROOT_SIGNATURE"}, {0x100, "DENY_AMPLIFICATION_SHADER_ROOT_ACCESS"},
	{0x200, "DENY_MESH_SHADER_ROOT_ACCESS"}, {0x400, "CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED"},
	{0x800, "SAMPLER_HEAP_DIRECTLY_INDEXED"}, {0, NULL},
};

static const struct codec_name address_modes[] = {
	{1, "WRAP"}, {2, "MIRROR"}, {3, "CLAMP"}, {4, "BORDER"}, {5, "MIRROR_ONCE"}, {0, NULL},
};

static const struct codec_name comparisons[] = {
	{1, "NEVER"}, {2, "LESS"}, {3, "EQUAL"}, {4, "LESS_EQUAL"}, {5, "GREATER"}, {6, "NOT_EQUAL"},
	{7, "GREATER_EQUAL"}, {8, "ALWAYS"}, {0, NULL},
};

static const struct codec_name border_colors[] = {
	{0, "TRANSPARENT_BLACK"}, {1, "OPAQUE_BLACK"}, {2, "OPAQUE_WHITE"}, {3, "OPAQUE_BLACK_UINT"}, {4, "OPAQUE_WHITE_UINT"},
	{0, NULL},
};

static void table(struct codec *c, uint32_t at, uint32_t version)
{
	uint32_t stride = version >= 2 ? 24 : 20, first = codec_u32(c, at + 4, "ranges_offset");
	uint32_t count = codec_count(c, at, first, stride, "ranges");

	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "ranges", i);
		uint32_t range = first + i * stride;

		codec_enum(c, range, 4, "type", range_types);
		codec_u32(c, range + 4, "count");
		codec_u32(c, range + 8, "register");
		codec_u32(c, range + 12, "space");
		if (version >= 2)
			codec_flags(c, range + 16, 4, "flags", range_flags);
		codec_u32(c, range + stride - 4, "offset_in_table");
		codec_leave(c, before);
	}
}

static void parameter(struct codec *c, uint32_t at, uint32_t version)
{
	uint32_t type = codec_enum(c, at, 4, "type", parameter_types), payload;

	codec_enum(c, at + 4, 4, "visibility", visibilities);
	payload = codec_u32(c, at + 8, "payload_offset");
	switch (type) {
	case 0:
		table(c, payload, version);
		return;
	case 1:
		codec_u32(c, payload, "register");
		codec_u32(c, payload + 4, "space");
		codec_u32(c, payload + 8, "constants");
		return;
	case 2:
	case 3:
	case 4:
		codec_u32(c, payload, "register");
		codec_u32(c, payload + 4, "space");
		if (version >= 2)
			codec_flags(c, payload + 8, 4, "flags", range_flags);
		return;
	}
	codec_fail(c, at, "a root parameter has type %u, and there are 0 to 4", type);
}

static void sampler(struct codec *c, uint32_t at, uint32_t version)
{
	codec_u32(c, at, "filter");
	codec_enum(c, at + 4, 4, "address_u", address_modes);
	codec_enum(c, at + 8, 4, "address_v", address_modes);
	codec_enum(c, at + 12, 4, "address_w", address_modes);
	codec_float(c, at + 16, "mip_lod_bias");
	codec_u32(c, at + 20, "max_anisotropy");
	codec_enum(c, at + 24, 4, "comparison", comparisons);
	codec_enum(c, at + 28, 4, "border_color", border_colors);
	codec_float(c, at + 32, "min_lod");
	codec_float(c, at + 36, "max_lod");
	codec_u32(c, at + 40, "register");
	codec_u32(c, at + 44, "space");
	codec_enum(c, at + 48, 4, "visibility", visibilities);
	if (version >= 3)
		codec_flags(c, at + 52, 4, "flags", CODEC_NAMES({1, "UINT_BORDER_COLOR"}, {2, "NON_NORMALIZED_COORDINATES"}));
}

void codec_rts0(struct codec *c)
{
	uint32_t version = codec_u32(c, 0, "version"), first, samplers, count, stride = version >= 3 ? 56 : 52;

	if (!c->failed && (version < 1 || version > 3))
		codec_fail(c, 0, "the root signature has version %u, and there are 1 to 3", version);
	first = codec_u32(c, 8, "parameters_offset");
	samplers = codec_u32(c, 16, "samplers_offset");
	codec_flags(c, 20, 4, "flags", signature_flags);
	count = codec_count(c, 4, first, 12, "parameters");
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "parameters", i);

		parameter(c, first + 12 * i, version);
		codec_leave(c, before);
	}
	count = codec_count(c, 12, samplers, stride, "samplers");
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "samplers", i);

		sampler(c, samplers + stride * i, version);
		codec_leave(c, before);
	}
}
