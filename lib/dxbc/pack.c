/* SPDX-License-Identifier: MIT */
/*
 * A container around bitcode: what the document does not say in the form of parts is made from what it
 * says of the program. Parts stand in the order that DXC writes.
 */
#include "dxbc/pack.h"

#include <stdio.h>
#include <stdlib.h>

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
	cJSON *content = glc_pack_get(p->document, fourcc);

	*there = content;
	return !content || codec_encode(glc_le32(fourcc), content, add(p, fourcc), p->diag);
}

static bool features(struct pack *p)
{
	cJSON *tree = cJSON_CreateObject(), *list = cJSON_Duplicate(glc_pack_get(p->document, "features"), true);
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

/* Registers may be given in several spellings: they are compared as they came out. */
static bool check_registers(struct pack *p, const unsigned char *psv, uint32_t info_bytes)
{
	const unsigned char *at = psv + 4 + info_bytes;
	uint32_t count = glc_le32(at), stride = count ? glc_le32(at + 4) : 0;

	for (uint32_t i = 0; i < count; i++) {
		const unsigned char *resource = at + 8 + i * stride;

		if (glc_le32(resource + 8) > glc_le32(resource + 12))
			return glc_pack_refuse(p, "'resources[%u]' has 'lower' %u above 'upper' %u", i, glc_le32(resource + 8),
				      glc_le32(resource + 12));
	}
	return true;
}

/* Versions 1, 2, 3 by model: 6.6 tells threads and kinds of resources, 6.8 the entry's name. */
static bool validation(struct pack *p)
{
	uint32_t info_bytes = p->minor >= 8 ? 52 : p->minor >= 6 ? 48 : 36;
	const char *entry = cJSON_GetStringValue(glc_pack_get(p->document, "entry"));
	cJSON *tree = cJSON_CreateObject(), *info = cJSON_AddObjectToObject(tree, "info"), *strings, *resources;
	const cJSON *threads = glc_pack_get(p->document, "threads");
	struct glacier_buffer *buffer;
	static const char *const axes[] = {"threads_x", "threads_y", "threads_z"};
	size_t string_bytes = 0;
	bool good;

	cJSON_AddNumberToObject(tree, "info_bytes", info_bytes);
	cJSON_AddNumberToObject(info, "stage", p->kind);
	cJSON_AddNumberToObject(info, "max_wave_lanes", 4294967295.0);
	for (int i = 0; i < 3 && glc_pack_has_groups(p) && info_bytes >= 48; i++) {
		const cJSON *size = cJSON_GetArrayItem(threads, i);

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
	resources = glc_pack_get(p->document, "resources");
	if (resources && resources->child) {
		cJSON_AddNumberToObject(tree, "resource_bytes", info_bytes >= 48 ? 24 : 16);
		cJSON_AddItemToObject(tree, "resources", cJSON_Duplicate(resources, true));
	}
	buffer = add(p, "PSV0");
	good = codec_encode(glc_le32("PSV0"), tree, buffer, p->diag) && check_registers(p, buffer->data, info_bytes);
	cJSON_Delete(tree);
	return good;
}

/* What was given and did not come back was not understood. */
static bool check_kept(struct pack *p, const cJSON *given, const cJSON *made, char *path)
{
	size_t length = strlen(path);
	const cJSON *item, *other;
	int index = 0;

	cJSON_ArrayForEach(item, given) {
		if (cJSON_IsObject(given))
			snprintf(path + length, PACK_PATH_BYTES - length, ".%.100s", item->string);
		else
			snprintf(path + length, PACK_PATH_BYTES - length, "[%d]", index);
		other = cJSON_IsObject(given) ? glc_pack_get(made, item->string) : cJSON_GetArrayItem(made, index);
		index++;
		if (cJSON_IsObject(given) && !other)
			return glc_pack_refuse(p, "'%s' means nothing", path);
		/* Lists of numbers and names may be spelled in other ways. */
		if ((cJSON_IsObject(item) || (cJSON_IsArray(item) && cJSON_IsObject(item->child))) && !check_kept(p, item, other, path))
			return false;
		path[length] = '\0';
	}
	return true;
}

static void offset(cJSON *node, const char *name, uint32_t *end, uint32_t bytes)
{
	if (!glc_pack_get(node, name))
		cJSON_AddNumberToObject(node, name, *end);
	*end += bytes;
}

/* Places that the document left out: parameters, then their payloads, then samplers. */
static bool root_signature(struct pack *p)
{
	cJSON *tree = cJSON_Duplicate(glc_pack_get(p->document, "root_signature"), true), *made = NULL, *item, *list;
	struct glacier_buffer *buffer;
	uint32_t end = 24, version;
	bool good;

	if (!tree)
		return true;
	if (!glc_pack_get(tree, "version"))
		cJSON_AddNumberToObject(tree, "version", 2);
	version = (uint32_t)cJSON_GetNumberValue(glc_pack_get(tree, "version"));
	list = glc_pack_get(tree, "parameters");
	offset(tree, "parameters_offset", &end, 12 * (uint32_t)cJSON_GetArraySize(list));
	cJSON_ArrayForEach(item, list) {
		const char *type = cJSON_GetStringValue(glc_pack_get(item, "type"));
		cJSON *ranges = glc_pack_get(item, "ranges");

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
	buffer = add(p, "RTS0");
	good = codec_encode(glc_le32("RTS0"), tree, buffer, p->diag);
	if (good) {
		const struct glacier_dxbc_part part = {
			.fourcc = glc_le32("RTS0"), .data = buffer->data, .bytes = (uint32_t)buffer->size};
		char path[PACK_PATH_BYTES] = "root_signature";

		good = glacier_dxbc_tree(&part, true, &made, p->diag) == GLACIER_OK && check_kept(p, tree, made, path);
		cJSON_Delete(made);
	}
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
	const cJSON *given = glc_pack_get(p->document, "DXIL");
	uint32_t pad = -p->bitcode_bytes & 3, dxil_minor = p->minor;

	if (glc_pack_is_whole(glc_pack_get(given, "dxil_minor"), 0, 255))
		dxil_minor = (uint32_t)cJSON_GetNumberValue(glc_pack_get(given, "dxil_minor"));
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
	bool there;

	for (size_t i = 0; i < sizeof glc_pack_before / sizeof *glc_pack_before; i++) {
		if (!from_document(p, glc_pack_before[i], &there))
			return false;
		/* A document that tells of a whole container tells of all its parts. */
		if (there || glc_pack_get(p->document, "DXIL"))
			continue;
		if ((!strcmp(glc_pack_before[i], "SFI0") && !features(p)) ||
		    ((!strcmp(glc_pack_before[i], "ISG1") || !strcmp(glc_pack_before[i], "OSG1")) && !empty_signature(p, glc_pack_before[i])) ||
		    (!strcmp(glc_pack_before[i], "PSV0") && p->kind != PACK_LIBRARY && !validation(p)) ||
		    (!strcmp(glc_pack_before[i], "RTS0") && !root_signature(p)))
			return false;
	}
	for (size_t i = 0; i < sizeof glc_pack_after / sizeof *glc_pack_after; i++)
		if (!from_document(p, glc_pack_after[i], &there))
			return false;
	if ((!glc_pack_get(p->document, "DXIL") || glc_pack_get(p->document, "HASH")) && !hash(p))
		return false;
	return program(p) && from_document(p, "PRIV", &there);
}

/* --- The bitcode --------------------------------------------------------- */

static bool take_bitcode(struct pack *p, const unsigned char *data, size_t bytes)
{
	if (bytes >= 20 && glc_le32(data) == 0x0b17c0de) {
		uint32_t first = glc_le32(data + 8), size = glc_le32(data + 12);

		if (first > bytes || size > bytes - first)
			return glc_pack_refuse(p, "the wrapper of the bitcode claims more bytes than there are");
		data += first;
		bytes = size;
	}
	if (bytes < 4 || glc_le32(data) != 0xdec04342)
		return glc_pack_refuse(p, "the input does not begin with 'BC' 0xC0DE: it is no bitcode");
	if (bytes > 0x40000000)
		return glc_pack_refuse(p, "the bitcode is larger than 2^30 bytes");
	p->bitcode = data;
	p->bitcode_bytes = (uint32_t)bytes;
	return true;
}

/* The first thing that is wrong, without its place, which is one of a container that nobody has yet. */
static void take_message(void *user, const struct glacier_diagnostic *diagnostic)
{
	char *message = user;

	if (diagnostic->severity == GLACIER_ERROR && !*message)
		snprintf(message, PACK_PATH_BYTES, "%s", diagnostic->message);
}

/* What is made here verifies, or it is not made. */
static bool check_made(struct pack *p, const unsigned char *data, size_t bytes)
{
	char message[PACK_PATH_BYTES] = "";
	struct glacier_diag diag = {.report = take_message, .user = message};
	struct glacier_dxbc dxbc;

	if (glacier_dxbc_parse(data, bytes, &dxbc, &diag) != GLACIER_OK || glacier_dxbc_verify(&dxbc, NULL, &diag) != GLACIER_OK)
		return glc_pack_refuse(p, "what the document tells does not verify: %s", message);
	return true;
}

enum glacier_status glacier_dxbc_pack(const void *bitcode, size_t bytes, const char *text, size_t text_bytes,
				      const struct glacier_dxbc_write_options *options,
				      struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	struct pack *p = calloc(1, sizeof *p);
	struct glacier_dxbc_part parts[PACK_PARTS];
	enum glacier_status status = GLACIER_ERR_INVALID;

	if (!p)
		return glc_fail(diag, GLC_DX_OUT_OF_MEMORY, GLC_NOWHERE);
	p->diag = diag;
	if (glc_pack_document(p, text, text_bytes) && take_bitcode(p, bitcode, bytes) && make_parts(p)) {
		size_t first = buffer->size;

		for (uint32_t i = 0; i < p->count; i++)
			parts[i] = (struct glacier_dxbc_part){
				.fourcc = p->fourcc[i], .data = p->data[i].data, .bytes = (uint32_t)p->data[i].size};
		status = glacier_dxbc_write(parts, p->count, options, buffer, diag);
		if (status == GLACIER_OK && !check_made(p, buffer->data + first, buffer->size - first)) {
			buffer->size = first;
			status = GLACIER_ERR_INVALID;
		}
	}
	for (uint32_t i = 0; i < PACK_PARTS; i++)
		glacier_buffer_fini(&p->data[i]);
	cJSON_Delete(p->document);
	free(p);
	return status;
}
