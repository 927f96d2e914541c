/* SPDX-License-Identifier: MIT */
/*
 * Programs: DXIL and ILDB (LLVM bitcode behind a header), SHDR and SHEX (tokens), STAT of shader
 * model 6, which is a program too. Sources: DxilContainer.h, struct DxilProgramHeader;
 * d3d11TokenizedProgramFormat.hpp.
 */
#include "dxbc/codec.h"

enum { HEADER_BYTES = 24, BITCODE_AT = 8, BITCODE_MAGIC = (int)0xdec04342 };

const struct codec_name glc_dxbc_kinds[] = {
	{0, "pixel"},         {1, "vertex"},      {2, "geometry"}, {3, "hull"},     {4, "domain"},         {5, "compute"},
	{6, "library"},       {7, "raygeneration"}, {8, "intersection"}, {9, "anyhit"}, {10, "closesthit"}, {11, "miss"},
	{12, "callable"},     {13, "mesh"},       {14, "amplification"}, {15, "node"}, {0, NULL},
};

static bool is_tokens(const struct codec *c)
{
	return c->fourcc == GLACIER_FOURCC('S', 'H', 'D', 'R') || c->fourcc == GLACIER_FOURCC('S', 'H', 'E', 'X');
}

static void version(struct codec *c, uint32_t at)
{
	codec_bits(c, at, 1, 4, 4, "major", NULL);
	codec_bits(c, at, 1, 0, 4, "minor", NULL);
	codec_reserved(c, at + 1, 1, "version_reserved");
}

/* --- Tokens -------------------------------------------------------------- */

enum { OP_CUSTOM_DATA = 53, OP_DCL_THREAD_GROUP = 155 };

/* Walks instructions by their lengths: none may be 0 or leave the program. */
static void tokens(struct codec *c, uint32_t end)
{
	uint32_t at = 8, instructions = 0;

	while (!c->failed && at < end) {
		uint32_t token = glc_le32(c->data + at), op = token & 0x7ff, words = token >> 24 & 0x7f;

		if (op == OP_CUSTOM_DATA)   /* its length stands in a word of its own */
			words = end - at >= 8 ? glc_le32(c->data + at + 4) : 0;
		if (!words || words > (end - at) / 4) {
			codec_fail(c, at, "instruction %u with opcode %u claims %u words, and %u are left", instructions, op, words,
				   (end - at) / 4);
			return;
		}
		if (op == OP_DCL_THREAD_GROUP && words == 4) {
			codec_note_number(c, "threads_x", glc_le32(c->data + at + 4));
			codec_note_number(c, "threads_y", glc_le32(c->data + at + 8));
			codec_note_number(c, "threads_z", glc_le32(c->data + at + 12));
		}
		instructions++;
		at += words * 4;
	}
	codec_note_number(c, "instructions", instructions);
}

static void token_program(struct codec *c)
{
	uint32_t words;

	version(c, 0);
	codec_enum(c, 2, 2, "kind", glc_dxbc_kinds);
	words = codec_u32(c, 4, "words");
	if (c->encoding) {
		codec_bulk(c, 8, words > 2 && words < UINT32_MAX / 4 ? words * 4 - 8 : 0, "tokens");
		return;
	}
	if (c->failed)
		return;
	if (words < 2 || words > c->bytes / 4 || words * 4 != c->bytes) {
		codec_fail(c, 4, "the program claims %u words, and the part has %u bytes", words, c->bytes);
		return;
	}
	tokens(c, words * 4);
	codec_bulk(c, 8, words * 4 - 8, "tokens");
}

/* --- Bitcode ------------------------------------------------------------- */

static void bitcode_program(struct codec *c)
{
	uint32_t words, offset, bytes;

	version(c, 0);
	codec_enum(c, 2, 2, "kind", glc_dxbc_kinds);
	words = codec_u32(c, 4, "words");
	codec_constant(c, 8, 4, GLACIER_FOURCC('D', 'X', 'I', 'L'), "the mark \"DXIL\"");
	codec_u8(c, 13, "dxil_major");
	codec_u8(c, 12, "dxil_minor");
	codec_reserved(c, 14, 2, "dxil_reserved");
	offset = codec_u32(c, 16, "bitcode_offset");
	bytes = codec_u32(c, 20, "bitcode_bytes");
	if (c->failed)
		return;
	if (c->encoding) {
		codec_bulk(c, BITCODE_AT + offset, bytes, "bitcode");
		return;
	}
	if (words > c->bytes / 4 || words * 4 < HEADER_BYTES)
		codec_fail(c, 4, "the program claims %u words, and the part has %u bytes", words, c->bytes);
	else if (offset < HEADER_BYTES - BITCODE_AT || offset > c->bytes - BITCODE_AT)
		codec_fail(c, 16, "the bitcode begins at %u behind byte 8, outside of the part's %u bytes", offset, c->bytes);
	else if (bytes > c->bytes - BITCODE_AT - offset)
		codec_fail(c, 20, "the bitcode claims %u bytes from %u on, and the part has %u", bytes, BITCODE_AT + offset, c->bytes);
	else if (bytes < 4 || glc_le32(c->data + BITCODE_AT + offset) != (uint32_t)BITCODE_MAGIC)
		codec_fail(c, BITCODE_AT + offset, "the bitcode does not begin with 'BC' 0xC0DE");
	codec_bulk(c, BITCODE_AT + offset, bytes, "bitcode");
}

void codec_program(struct codec *c)
{
	if (is_tokens(c))
		token_program(c);
	else
		bitcode_program(c);
}

bool glacier_dxbc_bitcode_of(const struct glacier_dxbc_part *part, const unsigned char **data, size_t *bytes)
{
	uint32_t offset, size;

	if (part->bytes < HEADER_BYTES || glc_le32(part->data + 8) != GLACIER_FOURCC('D', 'X', 'I', 'L'))
		return false;
	offset = glc_le32(part->data + 16);
	size = glc_le32(part->data + 20);
	if (offset < HEADER_BYTES - BITCODE_AT || offset > part->bytes - BITCODE_AT ||
	    size > part->bytes - BITCODE_AT - offset || size < 4 ||
	    glc_le32(part->data + BITCODE_AT + offset) != (uint32_t)BITCODE_MAGIC)
		return false;
	*data = part->data + BITCODE_AT + offset;
	*bytes = size;
	return true;
}

/* --- Statistics ---------------------------------------------------------- */

/* Shader model 4 has the first 29, 5 all 37. Source: D3D11_SHADER_DESC, and files with known counts. */
void codec_stat(struct codec *c)
{
	static const char *const names[] = {
		"instructions", "temporaries", "definitions", "declarations", "float_instructions", "int_instructions",
		"uint_instructions", "static_flow_control", "dynamic_flow_control", "macro_instructions", "temporary_arrays",
		"array_instructions", "cuts", "emits", "texture_normal", "texture_load", "texture_compare", "texture_bias",
		"texture_gradient", "moves", "conditional_moves", "conversions", "bitwise_instructions", "input_primitive",
		"gs_output_topology", "gs_max_vertices", "unknown_26", "unknown_27", "sample_frequency", "gs_instances",
		"control_points", "hs_output_primitive", "hs_partitioning", "tessellator_domain", "barriers", "interlocked",
		"texture_stores",
	};
	uint32_t count = sizeof names / sizeof names[0];

	if (c->encoding ? cJSON_HasObjectItem(c->node, "bitcode_bytes")
			: c->bytes >= HEADER_BYTES && glc_le32(c->data + 8) == GLACIER_FOURCC('D', 'X', 'I', 'L')) {
		bitcode_program(c);
		return;
	}
	if (!c->encoding && c->bytes < count * 4)
		count = 29;
	if (c->encoding && !cJSON_HasObjectItem(c->node, names[29]))
		count = 29;
	for (uint32_t i = 0; i < count && !c->failed; i++)
		codec_u32(c, 4 * i, names[i]);
}
