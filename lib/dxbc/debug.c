/* SPDX-License-Identifier: MIT */
/*
 * What compilers tell of themselves: ILDN (the name of the debug file), VERS (the compiler), SRCI (sources)
 * and PDBI (what a PDB holds of the compilation). Source: DxilContainer.h, DxilShaderDebugName, DxilCompilerVersion,
 * DxilSourceInfo and its sections, DxilShaderPDBInfo.
 */
#include "dxbc/codec.h"
#include "dxbc/inflate.h"

#include <stdlib.h>

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

/* --- SRCI ---------------------------------------------------------------- */

/* The end of an entry that claims `bytes` of them, of which `least` are there for sure. */
static uint32_t entry_end(struct codec *c, uint32_t at, uint32_t bytes, uint32_t least, const char *what)
{
	if (!c->failed && (bytes < least || bytes > UINT32_MAX - at))
		codec_fail(c, at, "%s of %u bytes cannot hold the %u of its members", what, bytes, least);
	return codec_need(c, at, c->failed ? 0 : bytes, what) ? at + bytes : at;
}

static void source_contents(struct codec *c, uint32_t count_at)
{
	uint32_t at = count_at + 4, count = codec_count(c, count_at, at, 12, "sources");

	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "sources", i);
		uint32_t bytes = codec_u32(c, at, "bytes"), text;

		codec_reserved(c, at + 4, 4, "flags");
		text = codec_u32(c, at + 8, "text_bytes");
		if (c->whole && text)
			codec_string(c, at + 12, "text");
		at = entry_end(c, at, bytes, 12, "a source");
		codec_leave(c, before);
	}
}

static void source_names(struct codec *c, uint32_t at)
{
	uint32_t count;

	codec_reserved(c, at, 4, "name_flags");
	codec_u16(c, at + 8, "name_bytes");
	count = codec_count(c, at + 4, at + 10, 16, "names");
	at += 10;
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "names", i);
		uint32_t bytes = codec_u32(c, at, "bytes");

		codec_reserved(c, at + 4, 4, "flags");
		codec_u32(c, at + 8, "name_bytes");
		codec_u32(c, at + 12, "text_bytes");
		codec_string(c, at + 16, "name");
		at = entry_end(c, at, bytes, 16, "a name");
		codec_leave(c, before);
	}
}

static void source_arguments(struct codec *c, uint32_t at)
{
	uint32_t count;

	codec_reserved(c, at, 4, "argument_flags");
	codec_u32(c, at + 4, "argument_bytes");
	count = codec_count(c, at + 8, at + 12, 2, "arguments");
	at += 12;
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "arguments", i);

		at += codec_string(c, at, "name");
		at += codec_string(c, at, "value");
		codec_leave(c, before);
	}
}

/* --- Compressed content --------------------------------------------------- */

enum { PLAIN, ZLIB };

static const struct codec_name compressions[] = {{PLAIN, "none"}, {ZLIB, "zlib"}, {0, NULL}};

static void inflated_sources(struct codec *c)
{
	source_contents(c, 0);
}

/*
 * The same content can be compressed to many streams, so the stream is what is kept; what is in
 * it is told beside it. `prefix`: this many bytes of the part go before it, for their reader.
 */
static void decoded(struct codec *c, codec_fn *fn, uint32_t prefix_at, uint32_t prefix, uint32_t at, uint32_t bytes,
		    uint32_t compression, uint32_t claimed)
{
	unsigned char *content = NULL, *all;

	if (c->encoding || c->failed || compression > ZLIB)
		return;
	if (compression == ZLIB) {
		switch (glc_inflate(c->data + at, bytes, claimed, &content)) {
		case GLC_INFLATED: break;
		case GLC_INFLATE_NO_LIBRARY: codec_note(c, "decoded", "not without zlib, which is not installed"); return;
		case GLC_INFLATE_NO_MEMORY: codec_fail(c, at, "there is no memory for its %u bytes", claimed); return;
		case GLC_INFLATE_BAD: codec_fail(c, at, "its %u bytes are no zlib stream of the %u that it claims", bytes, claimed); return;
		}
		bytes = claimed;
	}
	all = malloc((size_t)prefix + bytes + 1);
	if (all) {
		memcpy(all, c->data + prefix_at, prefix);
		memcpy(all + prefix, content ? content : c->data + at, bytes);
		codec_nested(c, fn, "decoded", all, prefix + bytes, at);
	} else {
		codec_fail(c, at, "there is no memory for its %u bytes", bytes);
	}
	free(all);
	free(content);
}

static void compressed_sources(struct codec *c, uint32_t at)
{
	uint32_t kind, bytes, claimed;

	codec_u32(c, at, "entry_bytes");
	codec_reserved(c, at + 4, 2, "entry_flags");
	kind = codec_enum(c, at + 6, 2, "compression", compressions);
	bytes = codec_u32(c, at + 8, "compressed_bytes");
	claimed = codec_u32(c, at + 12, "uncompressed_bytes");
	if (kind == PLAIN) {
		source_contents(c, at + 16);
		return;
	}
	codec_u32(c, at + 16, "source_count");
	codec_bulk(c, at + 20, bytes, "content");
	decoded(c, inflated_sources, at + 16, 4, at + 20, bytes, kind, claimed);
}

void codec_srci(struct codec *c)
{
	uint32_t at = 8, count;

	codec_u32(c, 0, "bytes");
	codec_reserved(c, 4, 2, "flags");
	count = codec_elements(c, codec_u16(c, 6, "section_count"), at, 8, "sections");
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "sections", i);
		uint32_t bytes = codec_u32(c, at, "bytes"), type;

		codec_reserved(c, at + 4, 2, "flags");
		type = codec_enum(c, at + 6, 2, "type", CODEC_NAMES({0, "contents"}, {1, "names"}, {2, "arguments"}));
		switch (type) {
		case 0: compressed_sources(c, at + 8); break;
		case 1: source_names(c, at + 8); break;
		case 2: source_arguments(c, at + 8); break;
		default: codec_bulk(c, at + 8, bytes < 8 ? 0 : bytes - 8, "content");
		}
		at = entry_end(c, at, bytes, 8, "a section");
		codec_leave(c, before);
	}
}

/* A container of debug information is RDAT inside, of the tables pdb_infos, pdb_sources and pdb_libraries. */
void codec_pdbi(struct codec *c)
{
	uint32_t kind, bytes, claimed;

	codec_u16(c, 0, "version");
	kind = codec_enum(c, 2, 2, "compression", compressions);
	bytes = codec_u32(c, 4, "bytes");
	claimed = codec_u32(c, 8, "uncompressed_bytes");
	codec_bulk(c, 12, bytes, "content");
	decoded(c, codec_rdat, 0, 0, 12, bytes, kind, claimed);
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
