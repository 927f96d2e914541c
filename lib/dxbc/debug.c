/* SPDX-License-Identifier: MIT */
/*
 * What compilers tell of themselves: ILDN (the name of the debug file), VERS (the compiler), SRCI (sources)
 * and PDBI (a whole PDB's content). Source: DxilContainer.h, "DxilShaderDebugName" to "DxilShaderPDBInfo".
 */
#include "dxbc/codec.h"

void codec_ildn(struct codec *c)
{
	uint32_t bytes;

	codec_reserved(c, 0, 2, "flags");
	bytes = codec_u16(c, 2, "name_bytes");
	if (codec_string(c, 4, "name") != bytes + 1 && !c->encoding && !c->failed)
		codec_fail(c, 2, "the name claims %u bytes, and does not end behind them", bytes);
}

void codec_vers(struct codec *c)
{
	uint32_t bytes, at = 16;

	codec_u16(c, 0, "major");
	codec_u16(c, 2, "minor");
	codec_flags(c, 4, 4, "flags", CODEC_NAMES({1, "Debug"}, {2, "Internal"}));
	codec_u32(c, 8, "commits");
	bytes = codec_u32(c, 12, "string_bytes");
	if (!codec_need(c, at, bytes, "the strings"))
		return;
	if (codec_optional(c, "hash", bytes > 0))
		at += codec_string(c, at, "hash");
	if (codec_optional(c, "custom", !c->failed && at - 16 < bytes))
		codec_string(c, at, "custom");
}

static void sections(struct codec *c, uint32_t count)
{
	uint32_t at = 8;

	count = codec_elements(c, count, at, 8, "sections");
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "sections", i);
		uint32_t bytes = codec_u32(c, at, "bytes");

		codec_reserved(c, at + 4, 2, "flags");
		codec_enum(c, at + 6, 2, "type", CODEC_NAMES({0, "contents"}, {1, "names"}, {2, "arguments"}));
		if (!c->failed && bytes < 8)
			codec_fail(c, at, "a section of %u bytes is smaller than its header", bytes);
		else
			codec_bulk(c, at + 8, bytes - 8, "content");
		codec_leave(c, before);
		if (bytes > UINT32_MAX - at)
			return;
		at += bytes;
	}
}

void codec_srci(struct codec *c)
{
	uint32_t count;

	codec_u32(c, 0, "bytes");
	codec_reserved(c, 4, 2, "flags");
	count = codec_u16(c, 6, "section_count");
	sections(c, count);
}

void codec_pdbi(struct codec *c)
{
	uint32_t bytes;

	codec_u16(c, 0, "version");
	codec_enum(c, 2, 2, "compression", CODEC_NAMES({0, "none"}, {1, "zlib"}));
	bytes = codec_u32(c, 4, "bytes");
	codec_u32(c, 8, "uncompressed_bytes");
	codec_bulk(c, 12, bytes, "content");
}

void codec_opaque(struct codec *c)
{
	uint32_t bytes = c->bytes;

	if (c->encoding) {
		const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(c->node, "data"));

		bytes = text ? (uint32_t)(strlen(text) / 2) : 0;
	}
	codec_bulk(c, 0, bytes, "data");
}
