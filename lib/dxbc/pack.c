/* SPDX-License-Identifier: MIT */
/*
 * A container around bitcode: what the document does not say in the form of parts is made from what it
 * says of the program. Parts stand in the order that DXC writes.
 */
#include "dxbc/codec.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 32 };

struct pack {
	struct glacier_diag *diag;
	cJSON *document;
	const unsigned char *bitcode;
	uint32_t bitcode_bytes;
	struct glacier_buffer data[MOST];
	uint32_t fourcc[MOST], count;
	uint32_t major, minor, kind;
};

static bool refuse(struct pack *p, const char *what)
{
	glc_fail(p->diag, GLC_DX_PACK, GLC_NOWHERE, what);
	return false;
}

static cJSON *get(const cJSON *node, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(node, name);
}

/* --- What the document says ---------------------------------------------- */

/* What inspect prints has a list of parts: they become members. */
static bool flatten(struct pack *p)
{
	cJSON *list = get(p->document, "parts"), *item;

	if (!list)
		return true;
	cJSON_ArrayForEach(item, list) {
		const char *name = cJSON_GetStringValue(get(item, "fourcc"));
		cJSON *content = cJSON_DetachItemFromObjectCaseSensitive(item, "content");

		if (!name || !content)
			cJSON_Delete(content);
		else if (get(p->document, name))
			cJSON_Delete(content);
		else
			cJSON_AddItemToObject(p->document, name, content);
	}
	return true;
}

static bool read_kind(struct pack *p)
{
	const cJSON *program = get(p->document, "DXIL");
	const char *kind = cJSON_GetStringValue(get(program ? program : p->document, "kind"));
	const char *model = cJSON_GetStringValue(get(p->document, "model"));
	const struct codec_name *row = glc_dxbc_kinds;
	static const char short_names[][3] = {"ps", "vs", "gs", "hs", "ds", "cs", "", "", "", "", "", "", "", "ms", "as"};

	if (kind && !strcmp(kind, "lib"))
		kind = "library";
	for (size_t i = 0; kind && i < sizeof short_names / sizeof short_names[0]; i++)
		if (!strcmp(kind, short_names[i]))
			kind = glc_dxbc_kinds[i].name;
	while (row->name && (!kind || strcmp(row->name, kind)))
		row++;
	if (!row->name)
		return refuse(p, "the document names no 'kind' of program, as compute or pixel");
	p->kind = row->value;
	if (program && !model) {
		p->major = (uint32_t)cJSON_GetNumberValue(get(program, "major"));
		p->minor = (uint32_t)cJSON_GetNumberValue(get(program, "minor"));
	} else if (!model || sscanf(model, "%u.%u", &p->major, &p->minor) != 2) {
		return refuse(p, "the document names no shader 'model', as 6.0");
	}
	if (p->major < 6 || p->major > 15 || p->minor > 15)
		return refuse(p, "bitcode is of shader model 6.0 or later");
	return true;
}

/* --- Parts --------------------------------------------------------------- */

static struct glacier_buffer *add(struct pack *p, const char *fourcc)
{
	p->fourcc[p->count] = glc_le32(fourcc);
	return &p->data[p->count++];
}

static bool put(struct pack *p, struct glacier_buffer *buffer, const void *data, size_t bytes)
{
	if (!glc_buffer_reserve(buffer, bytes)) {
		glc_fail(p->diag, GLC_DX_OUT_OF_MEMORY, GLC_NOWHERE);
		return false;
	}
	memcpy(buffer->data + buffer->size, data, bytes);
	buffer->size += bytes;
	return true;
}

/* The part as the document has it; *there tells whether it has. */
static bool from_document(struct pack *p, const char *fourcc, bool *there)
{
	cJSON *content = get(p->document, fourcc);

	*there = content;
	return !content || codec_encode(glc_le32(fourcc), content, add(p, fourcc), p->diag);
}

static bool features(struct pack *p)
{
	cJSON *tree = cJSON_CreateObject(), *list = cJSON_Duplicate(get(p->document, "features"), true);
	bool good;

	if (tree && list)
		cJSON_AddItemToObject(tree, "features", list);
	good = codec_encode(glc_le32("SFI0"), tree, add(p, "SFI0"), p->diag);
	cJSON_Delete(tree);
	return good;
}

static bool empty_signature(struct pack *p, const char *fourcc)
{
	static const unsigned char empty[8] = {0, 0, 0, 0, 8, 0, 0, 0};

	return put(p, add(p, fourcc), empty, sizeof empty);
}

/* Versions 1, 2, 3 by model: 6.6 tells threads and kinds of resources, 6.8 the entry's name. */
static bool validation(struct pack *p)
{
	uint32_t info_bytes = p->minor >= 8 ? 52 : p->minor >= 6 ? 48 : 36;
	const char *entry = cJSON_GetStringValue(get(p->document, "entry"));
	cJSON *tree = cJSON_CreateObject(), *info = cJSON_AddObjectToObject(tree, "info"), *strings, *resources;
	const cJSON *threads = get(p->document, "threads");
	static const char *const axes[] = {"threads_x", "threads_y", "threads_z"};
	bool grouped = p->kind == 5 || p->kind == 13 || p->kind == 14, good;
	size_t string_bytes = 0;

	cJSON_AddNumberToObject(tree, "info_bytes", info_bytes);
	cJSON_AddNumberToObject(info, "stage", p->kind);
	cJSON_AddNumberToObject(info, "max_wave_lanes", 4294967295.0);
	for (int i = 0; i < 3 && grouped && info_bytes >= 48; i++) {
		const cJSON *size = cJSON_GetArrayItem(threads, i);

		if (!threads || (size && (!cJSON_IsNumber(size) || size->valuedouble < 1 || size->valuedouble > 1024))) {
			cJSON_Delete(tree);
			return refuse(p, "the document must name the 'threads' of a group, as [64, 1, 1]");
		}
		cJSON_AddNumberToObject(info, axes[i], size ? size->valuedouble : 1);
	}
	strings = cJSON_AddArrayToObject(tree, "strings");
	if (info_bytes >= 52) {
		entry = entry ? entry : "main";
		cJSON_AddNumberToObject(info, "entry_name_offset", 0);
		cJSON_AddItemToArray(strings, cJSON_CreateString(entry));
		string_bytes = (strlen(entry) + 4) / 4 * 4;
	}
	cJSON_AddNumberToObject(tree, "string_bytes", (double)string_bytes);
	resources = get(p->document, "resources");
	if (cJSON_IsArray(resources) && resources->child) {
		cJSON_AddNumberToObject(tree, "resource_bytes", info_bytes >= 48 ? 24 : 16);
		cJSON_AddItemToObject(tree, "resources", cJSON_Duplicate(resources, true));
	}
	good = codec_encode(glc_le32("PSV0"), tree, add(p, "PSV0"), p->diag);
	cJSON_Delete(tree);
	return good;
}

static void offset(cJSON *node, const char *name, uint32_t *end, uint32_t bytes)
{
	if (!get(node, name))
		cJSON_AddNumberToObject(node, name, *end);
	*end += bytes;
}

/* Places that the document left out: parameters, then their payloads, then samplers. */
static bool root_signature(struct pack *p)
{
	cJSON *tree = cJSON_Duplicate(get(p->document, "root_signature"), true), *item, *list;
	uint32_t end = 24, version;
	bool good;

	if (!tree)
		return true;
	if (!get(tree, "version"))
		cJSON_AddNumberToObject(tree, "version", 2);
	version = (uint32_t)cJSON_GetNumberValue(get(tree, "version"));
	list = get(tree, "parameters");
	offset(tree, "parameters_offset", &end, 12 * (uint32_t)cJSON_GetArraySize(list));
	cJSON_ArrayForEach(item, list) {
		const char *type = cJSON_GetStringValue(get(item, "type"));
		cJSON *ranges = get(item, "ranges");

		if (type && !strcmp(type, "DESCRIPTOR_TABLE")) {
			offset(item, "payload_offset", &end, 8);
			offset(item, "ranges_offset", &end, (version >= 2 ? 24u : 20u) * (uint32_t)cJSON_GetArraySize(ranges));
		} else if (type && !strcmp(type, "32BIT_CONSTANTS")) {
			offset(item, "payload_offset", &end, 12);
		} else {
			offset(item, "payload_offset", &end, version >= 2 ? 12 : 8);
		}
	}
	offset(tree, "samplers_offset", &end, 0);
	good = codec_encode(glc_le32("RTS0"), tree, add(p, "RTS0"), p->diag);
	cJSON_Delete(tree);
	return good;
}

static bool hash(struct pack *p)
{
	unsigned char data[20] = {0};

	glacier_dxbc_md5(p->bitcode, p->bitcode_bytes, data + 4);
	return put(p, add(p, "HASH"), data, sizeof data);
}

static void put32(unsigned char *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

static bool program(struct pack *p)
{
	unsigned char header[24] = {0}, zeros[4] = {0};
	struct glacier_buffer *buffer = add(p, "DXIL");
	const cJSON *given = get(p->document, "DXIL");
	uint32_t pad = -p->bitcode_bytes & 3, dxil_minor = p->minor;

	if (cJSON_IsNumber(get(given, "dxil_minor")))
		dxil_minor = (uint32_t)cJSON_GetNumberValue(get(given, "dxil_minor"));
	put32(header, p->kind << 16 | p->major << 4 | p->minor);
	put32(header + 4, (24 + p->bitcode_bytes + pad) / 4);
	memcpy(header + 8, "DXIL", 4);
	put32(header + 12, 1 << 8 | (dxil_minor & 0xff));
	put32(header + 16, 16);
	put32(header + 20, p->bitcode_bytes);
	return put(p, buffer, header, sizeof header) && put(p, buffer, p->bitcode, p->bitcode_bytes) &&
	       put(p, buffer, zeros, pad);
}

static bool make_parts(struct pack *p)
{
	static const char before[][5] = {"SFI0", "ISG1", "OSG1", "PSG1", "VERS", "RDAT", "PSV0", "RTS0"};
	static const char after[][5] = {"STAT", "ILDN"};
	bool there;

	for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
		if (!from_document(p, before[i], &there))
			return false;
		/* A document that tells of a whole container tells of all its parts. */
		if (there || get(p->document, "DXIL"))
			continue;
		if ((!strcmp(before[i], "SFI0") && !features(p)) ||
		    ((!strcmp(before[i], "ISG1") || !strcmp(before[i], "OSG1")) && !empty_signature(p, before[i])) ||
		    (!strcmp(before[i], "PSV0") && p->kind != 6 && !validation(p)) ||
		    (!strcmp(before[i], "RTS0") && !root_signature(p)))
			return false;
	}
	for (size_t i = 0; i < sizeof after / sizeof after[0]; i++)
		if (!from_document(p, after[i], &there))
			return false;
	if ((!get(p->document, "DXIL") || get(p->document, "HASH")) && !hash(p))
		return false;
	return program(p) && from_document(p, "PRIV", &there);
}

/* --- The bitcode --------------------------------------------------------- */

static bool take_bitcode(struct pack *p, const unsigned char *data, size_t bytes)
{
	if (bytes >= 20 && glc_le32(data) == 0x0b17c0de) {
		uint32_t first = glc_le32(data + 8), size = glc_le32(data + 12);

		if (first > bytes || size > bytes - first)
			return refuse(p, "the wrapper of the bitcode claims more bytes than there are");
		data += first;
		bytes = size;
	}
	if (bytes < 4 || glc_le32(data) != 0xdec04342)
		return refuse(p, "the input does not begin with 'BC' 0xC0DE: it is no bitcode");
	if (bytes > 0x40000000)
		return refuse(p, "the bitcode is larger than 2^30 bytes");
	p->bitcode = data;
	p->bitcode_bytes = (uint32_t)bytes;
	return true;
}

enum glacier_status glacier_dxbc_pack(const void *bitcode, size_t bytes, const char *text, size_t text_bytes,
				      const struct glacier_dxbc_write_options *options,
				      struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	struct pack *p = calloc(1, sizeof *p);
	struct glacier_dxbc_part parts[MOST];
	enum glacier_status status = GLACIER_ERR_INVALID;

	if (!p)
		return glc_fail(diag, GLC_DX_OUT_OF_MEMORY, GLC_NOWHERE);
	p->diag = diag;
	p->document = cJSON_ParseWithLength(text, text_bytes);
	if (!cJSON_IsObject(p->document))
		refuse(p, "the document is no JSON object");
	else if (take_bitcode(p, bitcode, bytes) && flatten(p) && read_kind(p) && make_parts(p)) {
		for (uint32_t i = 0; i < p->count; i++)
			parts[i] = (struct glacier_dxbc_part){
				.fourcc = p->fourcc[i], .data = p->data[i].data, .bytes = (uint32_t)p->data[i].size};
		status = glacier_dxbc_write(parts, p->count, options, buffer, diag);
	}
	for (uint32_t i = 0; i < MOST; i++)
		glacier_buffer_fini(&p->data[i]);
	cJSON_Delete(p->document);
	free(p);
	return status;
}
