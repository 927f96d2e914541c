/* SPDX-License-Identifier: MIT */
/*
 * RDEF: reflection of shader model 4 and 5 programs: bindings, constant buffers, their variables and
 * types. From model 5 on the header says how large its structures are, behind "RD11". Types point at
 * types: each is shown once, by its offset. Sources: d3d11shader.h; files of fxc.
 */
#include "dxbc/codec.h"

#include <stdlib.h>

static const struct codec_name targets[] = {
	{0xffff, "pixel"}, {0xfffe, "vertex"}, {0x4753, "geometry"}, {0x4853, "hull"}, {0x4453, "domain"}, {0x4353, "compute"},
	{0x4c46, "library"}, {0, NULL},
};

static const struct codec_name input_types[] = {
	{0, "CBUFFER"}, {1, "TBUFFER"}, {2, "TEXTURE"}, {3, "SAMPLER"}, {4, "UAV_RWTYPED"}, {5, "STRUCTURED"},
	{6, "UAV_RWSTRUCTURED"}, {7, "BYTEADDRESS"}, {8, "UAV_RWBYTEADDRESS"}, {9, "UAV_APPEND_STRUCTURED"},
	{10, "UAV_CONSUME_STRUCTURED"}, {11, "UAV_RWSTRUCTURED_WITH_COUNTER"}, {0, NULL},
};

static const struct codec_name dimensions[] = {
	{0, "UNKNOWN"}, {1, "BUFFER"}, {2, "TEXTURE1D"}, {3, "TEXTURE1DARRAY"}, {4, "TEXTURE2D"}, {5, "TEXTURE2DARRAY"},
	{6, "TEXTURE2DMS"}, {7, "TEXTURE2DMSARRAY"}, {8, "TEXTURE3D"}, {9, "TEXTURECUBE"}, {10, "TEXTURECUBEARRAY"},
	{11, "BUFFEREX"}, {0, NULL},
};

static const struct codec_name buffer_types[] = {
	{0, "CBUFFER"}, {1, "TBUFFER"}, {2, "INTERFACE_POINTERS"}, {3, "RESOURCE_BIND_INFO"}, {0, NULL},
};

static const struct codec_name classes[] = {
	{0, "SCALAR"}, {1, "VECTOR"}, {2, "MATRIX_ROWS"}, {3, "MATRIX_COLUMNS"}, {4, "OBJECT"}, {5, "STRUCT"},
	{6, "INTERFACE_CLASS"}, {7, "INTERFACE_POINTER"}, {0, NULL},
};

/* Sizes of the structures. Before RD11 they are fixed. */
struct sizes {
	uint32_t header, buffer, binding, variable, type, member;
	bool rd11;
};

/* Offsets of types that are to be shown, each once. */
struct queue {
	uint32_t *at, count, capacity;
	unsigned char *seen;   /* a bit a byte of the part */
};

static void want(struct codec *c, struct queue *queue, uint32_t offset)
{
	uint32_t *grown;

	if (c->failed || c->encoding)
		return;
	if (!queue->seen)
		queue->seen = calloc(1, c->bytes / 8 + 1);
	if (!queue->seen || offset >= c->bytes) {
		codec_fail(c, offset < c->bytes ? offset : c->bytes, "a type at %u is outside of the part", offset);
		return;
	}
	if (queue->seen[offset / 8] >> offset % 8 & 1)
		return;
	queue->seen[offset / 8] |= (unsigned char)(1 << offset % 8);
	if (queue->count == queue->capacity) {
		grown = realloc(queue->at, (queue->capacity * 2 + 16) * sizeof *grown);
		if (!grown) {
			codec_fail(c, offset, "there is no memory for its types");
			return;
		}
		queue->at = grown;
		queue->capacity = queue->capacity * 2 + 16;
	}
	queue->at[queue->count++] = offset;
}

static void variable(struct codec *c, uint32_t at, const struct sizes *sizes, struct queue *queue)
{
	uint32_t bytes, value;

	codec_string_ref(c, at, 0, "name");
	codec_u32(c, at + 4, "offset");
	bytes = codec_u32(c, at + 8, "bytes");
	codec_flags(c, at + 12, 4, "flags", CODEC_NAMES({1, "USERPACKED"}, {2, "USED"}, {4, "INTERFACE_POINTER"},
							{8, "INTERFACE_PARAMETER"}));
	want(c, queue, codec_u32(c, at + 16, "type_offset"));
	value = codec_u32(c, at + 20, "default_offset");
	if (value)
		codec_hex(c, value, bytes, "default");
	if (sizes->variable >= 40) {
		codec_u32(c, at + 24, "start_texture");
		codec_u32(c, at + 28, "textures");
		codec_u32(c, at + 32, "start_sampler");
		codec_u32(c, at + 36, "samplers");
	}
}

static void buffer(struct codec *c, uint32_t at, const struct sizes *sizes, struct queue *queue)
{
	uint32_t first, count;

	codec_string_ref(c, at, 0, "name");
	first = codec_u32(c, at + 8, "variables_offset");
	codec_u32(c, at + 12, "bytes");
	codec_flags(c, at + 16, 4, "flags", CODEC_NAMES({1, "USERPACKED"}));
	codec_enum(c, at + 20, 4, "type", buffer_types);
	count = codec_count(c, at + 4, first, sizes->variable, "variables");
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "variables", i);

		variable(c, first + i * sizes->variable, sizes, queue);
		codec_leave(c, before);
	}
}

static void binding(struct codec *c, uint32_t at, const struct sizes *sizes)
{
	codec_string_ref(c, at, 0, "name");
	codec_enum(c, at + 4, 4, "type", input_types);
	codec_u32(c, at + 8, "return_type");
	codec_enum(c, at + 12, 4, "dimension", dimensions);
	codec_u32(c, at + 16, "samples");
	codec_u32(c, at + 20, "register");
	codec_u32(c, at + 24, "count");
	codec_flags(c, at + 28, 4, "flags", CODEC_NAMES({1, "USERPACKED"}, {2, "COMPARISON_SAMPLER"}, {4, "TEXTURE_COMPONENT_0"},
							{8, "TEXTURE_COMPONENT_1"}, {16, "UNUSED"}));
	if (sizes->binding >= 40) {
		codec_u32(c, at + 32, "space");
		codec_u32(c, at + 36, "id");
	}
}

static void type(struct codec *c, uint32_t at, const struct sizes *sizes, struct queue *queue)
{
	uint32_t members, count;

	codec_enum(c, at, 2, "class", classes);
	codec_u16(c, at + 2, "type");
	codec_u16(c, at + 4, "rows");
	codec_u16(c, at + 6, "columns");
	codec_u16(c, at + 8, "elements");
	count = codec_u16(c, at + 10, "member_count");
	members = codec_u32(c, at + 12, "members_offset");
	if (sizes->type >= 36) {
		uint32_t name = codec_u32(c, at + 32, "name_offset");

		codec_u32(c, at + 16, "parent_offset");
		codec_u32(c, at + 20, "word_20");
		codec_u32(c, at + 24, "word_24");
		codec_u32(c, at + 28, "word_28");
		if (name)
			codec_string(c, name, "name");
	}
	count = codec_elements(c, count, members, sizes->member, "members");
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "members", i);
		uint32_t member = members + i * sizes->member;

		codec_string_ref(c, member, 0, "name");
		want(c, queue, codec_u32(c, member + 4, "type_offset"));
		codec_u32(c, member + 8, "offset");
		codec_leave(c, before);
	}
}

static void types(struct codec *c, const struct sizes *sizes, struct queue *queue)
{
	uint32_t count = codec_elements(c, 0, 0, 0, "types");

	/* Reading one may add others behind it. */
	for (uint32_t i = 0; i < (c->encoding ? count : queue->count) && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "types", i);

		if (!c->encoding)
			codec_note_number(c, "at", queue->at[i]);
		if (c->encoding) {
			const cJSON *at = cJSON_GetObjectItemCaseSensitive(c->node, "at");

			if (!cJSON_IsNumber(at) || at->valuedouble < 0 || at->valuedouble > INT32_MAX)
				codec_fail(c, 0, "a type needs its place 'at'");
			else
				type(c, (uint32_t)at->valuedouble, sizes, queue);
		} else {
			type(c, queue->at[i], sizes, queue);
		}
		codec_leave(c, before);
	}
}

enum { MARK_51 = 0x25441313 };   /* what model 5.1 has instead of "RD11" */

static void read_sizes(struct codec *c, uint32_t major, struct sizes *sizes)
{
	uint32_t mark;

	*sizes = (struct sizes){.header = 28, .buffer = 24, .binding = 32, .variable = 24, .type = 16, .member = 12};
	if (major < 5)
		return;
	mark = codec_enum(c, 28, 4, "mark", CODEC_NAMES({GLACIER_FOURCC('R', 'D', '1', '1'), "RD11"}, {MARK_51, "RD11.1"}));
	if (!c->failed && mark != GLACIER_FOURCC('R', 'D', '1', '1') && mark != MARK_51)
		codec_fail(c, 28, "the mark is 0x%08x, not \"RD11\"", mark);
	sizes->rd11 = true;
	sizes->header = codec_u32(c, 32, "header_bytes");
	sizes->buffer = codec_u32(c, 36, "buffer_bytes");
	sizes->binding = codec_u32(c, 40, "binding_bytes");
	sizes->variable = codec_u32(c, 44, "variable_bytes");
	sizes->type = codec_u32(c, 48, "type_bytes");
	sizes->member = codec_u32(c, 52, "member_bytes");
	codec_u32(c, 56, "interface_slots");
	if (!c->failed && (sizes->buffer < 24 || sizes->binding < 32 || sizes->variable < 24 || sizes->type < 16 || sizes->member < 12))
		codec_fail(c, 32, "a structure is smaller than in any version");
}

void codec_rdef(struct codec *c)
{
	struct queue queue = {0};
	struct sizes sizes;
	uint32_t buffers = codec_u32(c, 4, "buffers_offset"), bindings = codec_u32(c, 12, "bindings_offset"), count;

	codec_u8(c, 16, "minor");
	read_sizes(c, codec_u8(c, 17, "major"), &sizes);
	codec_enum(c, 18, 2, "target", targets);
	codec_flags(c, 20, 4, "flags", CODEC_NAMES({1, "DEBUG"}, {2, "SKIP_VALIDATION"}, {4, "SKIP_OPTIMIZATION"},
						   {0x100, "NO_PRESHADER"}, {0x800, "ENABLE_STRICTNESS"}, {0x8000, "OPTIMIZATION_LEVEL3"}));
	codec_string_ref(c, 24, 0, "creator");
	count = codec_count(c, 8, bindings, sizes.binding, "bindings");
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "bindings", i);

		binding(c, bindings + i * sizes.binding, &sizes);
		codec_leave(c, before);
	}
	count = codec_count(c, 0, buffers, sizes.buffer, "buffers");
	for (uint32_t i = 0; i < count && !c->failed; i++) {
		cJSON *before = codec_enter_element(c, "buffers", i);

		buffer(c, buffers + i * sizes.buffer, &sizes, &queue);
		codec_leave(c, before);
	}
	types(c, &sizes, &queue);
	free(queue.at);
	free(queue.seen);
}
