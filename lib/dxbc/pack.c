/* SPDX-License-Identifier: MIT */
/*
 * A container around bitcode: what the document does not say in the form of parts is made from what it
 * says of the program. Parts stand in the order that DXC writes.
 */
#include "dxbc/codec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 32, MOST_MEMBERS = 1024, PATH_BYTES = 256 };
enum { COMPUTE = 5, LIBRARY = 6, MESH = 13, AMPLIFICATION = 14 };

struct pack {
	struct glacier_diag *diag;
	cJSON *document;
	const unsigned char *bitcode;
	uint32_t bitcode_bytes;
	struct glacier_buffer data[MOST];
	uint32_t fourcc[MOST], count;
	uint32_t major, minor, kind;
};

/* The parts that are made, in their order; the first eight stand before those for debugging, PRIV behind all. */
static const char before[][5] = {"SFI0", "ISG1", "OSG1", "PSG1", "VERS", "RDAT", "PSV0", "RTS0"};
static const char after[][5] = {"ILDB", "STAT", "ILDN", "SRCI", "PDBI"};
static const char last[][5] = {"HASH", "DXIL", "PRIV"};

static bool refuse(struct pack *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(struct pack *p, const char *format, ...)
{
	char what[PATH_BYTES + 200];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	glc_fail(p->diag, GLC_DX_PACK, GLC_NOWHERE, what);
	return false;
}

static cJSON *get(const cJSON *node, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(node, name);
}

/* --- What the document says ---------------------------------------------- */

/* The same key twice: one of the two would be lost. */
static bool check_twins(struct pack *p, const cJSON *node, char *path)
{
	size_t length = strlen(path);
	const cJSON *item, *twin;
	int index = 0;

	if (cJSON_IsObject(node) && cJSON_GetArraySize(node) > MOST_MEMBERS)
		return refuse(p, "%s has more than %d members", *path ? path : "the document", MOST_MEMBERS);
	cJSON_ArrayForEach(item, node) {
		if (cJSON_IsObject(node)) {
			snprintf(path + length, PATH_BYTES - length, "%s%.100s", length ? "." : "", item->string);
			for (twin = node->child; twin != item; twin = twin->next)
				if (!strcmp(twin->string, item->string))
					return refuse(p, "'%s' stands twice in the document", path);
		} else {
			snprintf(path + length, PATH_BYTES - length, "[%d]", index++);
		}
		if (!check_twins(p, item, path))
			return false;
		path[length] = '\0';
	}
	return true;
}

static bool is_one_of(const char names[][5], size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static bool is_part(const char *name)
{
	return is_one_of(before, sizeof before / sizeof *before, name) || is_one_of(after, sizeof after / sizeof *after, name) ||
	       is_one_of(last, sizeof last / sizeof *last, name);
}

static bool check_members(struct pack *p)
{
	static const char *const names[] = {"schema",  "file",     "bytes",     "version",        "digest", "program", "parts", "kind", "model",
					    "entry", "threads", "features", "resources", "root_signature"};
	const cJSON *item;

	cJSON_ArrayForEach(item, p->document) {
		size_t i = 0;

		while (i < sizeof names / sizeof *names && strcmp(names[i], item->string))
			i++;
		if (i == sizeof names / sizeof *names && !is_part(item->string))
			return refuse(p, "the document has a member '%.100s', which means nothing", item->string);
	}
	return true;
}

/* What inspect prints has a list of parts: they become members. */
static bool flatten(struct pack *p)
{
	cJSON *list = get(p->document, "parts"), *item, *twin;
	int index = 0;

	if (list && !cJSON_IsArray(list))
		return refuse(p, "'parts' must be a list");
	cJSON_ArrayForEach(item, list) {
		const char *name = cJSON_GetStringValue(get(item, "fourcc"));

		if (!name)
			return refuse(p, "'parts[%d]' must be an object with a 'fourcc'", index);
		if (!is_part(name))
			return refuse(p, "'parts[%d].fourcc' is '%.40s', which is no part that belongs around bitcode", index, name);
		for (twin = list->child; twin != item; twin = twin->next)
			if (!strcmp(cJSON_GetStringValue(get(twin, "fourcc")), name))
				return refuse(p, "'parts[%d].fourcc' is '%s', which stands twice in the list", index, name);
		if (!cJSON_IsObject(get(item, "content")))
			return refuse(p, "'parts[%d].content' must be an object", index);
		index++;
	}
	cJSON_ArrayForEach(item, list) {
		const char *name = cJSON_GetStringValue(get(item, "fourcc"));

		if (!get(p->document, name))
			cJSON_AddItemToObject(p->document, name, cJSON_DetachItemFromObjectCaseSensitive(item, "content"));
	}
	return true;
}

static bool is_whole(const cJSON *item, double least, double most)
{
	return cJSON_IsNumber(item) && item->valuedouble >= least && item->valuedouble <= most &&
	       item->valuedouble == floor(item->valuedouble);
}

/* Up to two digits. */
static const char *read_number(const char *at, uint32_t *value)
{
	const char *begin = at;

	for (*value = 0; *at >= '0' && *at <= '9' && at - begin < 2; at++)
		*value = *value * 10 + (uint32_t)(*at - '0');
	return at > begin ? at : NULL;
}

static bool read_model(struct pack *p, const cJSON *program)
{
	const cJSON *model = get(p->document, "model");
	const char *at = cJSON_GetStringValue(model);

	if (program && !model) {
		if (!is_whole(get(program, "major"), 0, 15) || !is_whole(get(program, "minor"), 0, 15))
			return refuse(p, "'DXIL' must have a 'major' and a 'minor' of the shader model");
		p->major = (uint32_t)get(program, "major")->valuedouble;
		p->minor = (uint32_t)get(program, "minor")->valuedouble;
	} else {
		at = at ? read_number(at, &p->major) : NULL;
		at = at && *at == '.' ? read_number(at + 1, &p->minor) : NULL;
		if (!at || *at)
			return refuse(p, "the document names no shader 'model', as 6.0");
	}
	if (p->major < 6 || p->major > 15 || p->minor > 15)
		return refuse(p, "bitcode is of shader model 6.0 or later");
	return true;
}

static bool read_kind(struct pack *p)
{
	const cJSON *program = get(p->document, "DXIL"), *given = get(p->document, "kind");
	const char *kind = cJSON_GetStringValue(given ? given : get(program, "kind"));
	const struct codec_name *row = glc_dxbc_kinds;
	static const char short_names[][3] = {"ps", "vs", "gs", "hs", "ds", "cs", "", "", "", "", "", "", "", "ms", "as"};

	if (kind && !strcmp(kind, "lib"))
		kind = "library";
	for (size_t i = 0; kind && i < sizeof short_names / sizeof short_names[0]; i++)
		if (*kind && !strcmp(kind, short_names[i]))
			kind = glc_dxbc_kinds[i].name;
	while (row->name && (!kind || strcmp(row->name, kind)))
		row++;
	if (!row->name)
		return refuse(p, "the document names no 'kind' of program, as compute or pixel");
	p->kind = row->value;
	return read_model(p, program);
}

static bool has_groups(const struct pack *p)
{
	return p->kind == COMPUTE || p->kind == MESH || p->kind == AMPLIFICATION;
}

/* Limits: d3d12.h, D3D12_CS_THREAD_GROUP_MAX_*; the specification of mesh shaders. */
static bool check_threads(struct pack *p)
{
	const cJSON *threads = get(p->document, "threads"), *item;
	double most = p->kind == COMPUTE ? 1024 : 128, product = 1;
	int axis = 0;

	if (!threads) {
		if (has_groups(p) && p->minor >= 6 && !get(p->document, "PSV0") && !get(p->document, "DXIL"))
			return refuse(p, "the document must name the 'threads' of a group, as [64, 1, 1]");
		return true;
	}
	if (!has_groups(p))
		return refuse(p, "the document names 'threads', and a program of this kind has no groups");
	if (!cJSON_IsArray(threads) || !threads->child || cJSON_GetArraySize(threads) > 3)
		return refuse(p, "'threads' must be a list of one to three whole numbers");
	cJSON_ArrayForEach(item, threads) {
		if (!is_whole(item, 1, axis == 2 ? 64 : most))
			return refuse(p, "'threads[%d]' must be a whole number from 1 to %.0f", axis, axis == 2 ? 64 : most);
		product *= item->valuedouble;
		axis++;
	}
	if (product > most)
		return refuse(p, "'threads' make %.0f in a group, and there are at most %.0f", product, most);
	return true;
}

static bool check_resources(struct pack *p)
{
	static const char *const names[] = {"type", "space", "lower", "upper", "kind", "flags"};
	const cJSON *list = get(p->document, "resources"), *item, *member;
	int index = 0;

	if (list && !cJSON_IsArray(list))
		return refuse(p, "'resources' must be a list");
	cJSON_ArrayForEach(item, list) {
		if (!cJSON_IsObject(item))
			return refuse(p, "'resources[%d]' must be an object", index);
		cJSON_ArrayForEach(member, item) {
			size_t i = 0;

			while (i < sizeof names / sizeof *names && strcmp(names[i], member->string))
				i++;
			if (i == sizeof names / sizeof *names)
				return refuse(p, "'resources[%d].%.100s' means nothing", index, member->string);
		}
		/* Before 6.6 the kind is not kept. */
		if (!get(item, "type") || (p->minor >= 6 && !get(item, "kind")))
			return refuse(p, "'resources[%d]' has no '%s'", index, get(item, "type") ? "kind" : "type");
		index++;
	}
	return true;
}

static bool check_list(struct pack *p, const cJSON *node, const char *name, const char *path)
{
	const cJSON *list = get(node, name), *item;
	int index = 0;

	if (list && !cJSON_IsArray(list))
		return refuse(p, "'%s.%s' must be a list", path, name);
	cJSON_ArrayForEach(item, list) {
		if (!cJSON_IsObject(item))
			return refuse(p, "'%s.%s[%d]' must be an object", path, name, index);
		index++;
	}
	return true;
}

static bool check_root_signature(struct pack *p)
{
	const cJSON *root = get(p->document, "root_signature"), *item;
	char path[64];
	int index = 0;

	if (!root)
		return true;
	if (!cJSON_IsObject(root))
		return refuse(p, "'root_signature' must be an object");
	if (get(root, "version") && !is_whole(get(root, "version"), 1, 3))
		return refuse(p, "'root_signature.version' must be 1, 2 or 3");
	if (!check_list(p, root, "parameters", "root_signature") || !check_list(p, root, "samplers", "root_signature"))
		return false;
	cJSON_ArrayForEach(item, get(root, "parameters")) {
		snprintf(path, sizeof path, "root_signature.parameters[%d]", index++);
		if (!get(item, "type"))
			return refuse(p, "'%s' has no 'type'", path);
		if (!check_list(p, item, "ranges", path))
			return false;
	}
	return true;
}

/* A part that the document has as a whole takes nothing from what it says besides. */
static bool check_both(struct pack *p)
{
	static const char pairs[][2][16] = {{"threads", "PSV0"},  {"entry", "PSV0"}, {"resources", "PSV0"},
					    {"features", "SFI0"}, {"root_signature", "RTS0"}};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		if (!get(p->document, pairs[i][0]))
			continue;
		if (get(p->document, pairs[i][1]))
			return refuse(p, "both '%s' and '%s' are given, and one tells what the other does", pairs[i][0], pairs[i][1]);
		if (get(p->document, "DXIL"))
			return refuse(p, "'%s' is given, and the document tells of a whole container, without '%s'", pairs[i][0],
				      pairs[i][1]);
	}
	return true;
}

static bool check_document(struct pack *p)
{
	const cJSON *entry = get(p->document, "entry");

	if (entry && !cJSON_IsString(entry))
		return refuse(p, "'entry' must be a string");
	return check_both(p) && check_threads(p) && check_resources(p) && check_root_signature(p);
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

/* Registers may be given in several spellings: they are compared as they came out. */
static bool check_registers(struct pack *p, const unsigned char *psv, uint32_t info_bytes)
{
	const unsigned char *at = psv + 4 + info_bytes;
	uint32_t count = glc_le32(at), stride = count ? glc_le32(at + 4) : 0;

	for (uint32_t i = 0; i < count; i++) {
		const unsigned char *resource = at + 8 + i * stride;

		if (glc_le32(resource + 8) > glc_le32(resource + 12))
			return refuse(p, "'resources[%u]' has 'lower' %u above 'upper' %u", i, glc_le32(resource + 8),
				      glc_le32(resource + 12));
	}
	return true;
}

/* Versions 1, 2, 3 by model: 6.6 tells threads and kinds of resources, 6.8 the entry's name. */
static bool validation(struct pack *p)
{
	uint32_t info_bytes = p->minor >= 8 ? 52 : p->minor >= 6 ? 48 : 36;
	const char *entry = cJSON_GetStringValue(get(p->document, "entry"));
	cJSON *tree = cJSON_CreateObject(), *info = cJSON_AddObjectToObject(tree, "info"), *strings, *resources;
	const cJSON *threads = get(p->document, "threads");
	struct glacier_buffer *buffer;
	static const char *const axes[] = {"threads_x", "threads_y", "threads_z"};
	size_t string_bytes = 0;
	bool good;

	cJSON_AddNumberToObject(tree, "info_bytes", info_bytes);
	cJSON_AddNumberToObject(info, "stage", p->kind);
	cJSON_AddNumberToObject(info, "max_wave_lanes", 4294967295.0);
	for (int i = 0; i < 3 && has_groups(p) && info_bytes >= 48; i++) {
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
	resources = get(p->document, "resources");
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
			snprintf(path + length, PATH_BYTES - length, ".%.100s", item->string);
		else
			snprintf(path + length, PATH_BYTES - length, "[%d]", index);
		other = cJSON_IsObject(given) ? get(made, item->string) : cJSON_GetArrayItem(made, index);
		index++;
		if (cJSON_IsObject(given) && !other)
			return refuse(p, "'%s' means nothing", path);
		/* Lists of numbers and names may be spelled in other ways. */
		if ((cJSON_IsObject(item) || (cJSON_IsArray(item) && cJSON_IsObject(item->child))) && !check_kept(p, item, other, path))
			return false;
		path[length] = '\0';
	}
	return true;
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
	cJSON *tree = cJSON_Duplicate(get(p->document, "root_signature"), true), *made = NULL, *item, *list;
	struct glacier_buffer *buffer;
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
	buffer = add(p, "RTS0");
	good = codec_encode(glc_le32("RTS0"), tree, buffer, p->diag);
	if (good) {
		const struct glacier_dxbc_part part = {
			.fourcc = glc_le32("RTS0"), .data = buffer->data, .bytes = (uint32_t)buffer->size};
		char path[PATH_BYTES] = "root_signature";

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
	const cJSON *given = get(p->document, "DXIL");
	uint32_t pad = -p->bitcode_bytes & 3, dxil_minor = p->minor;

	if (is_whole(get(given, "dxil_minor"), 0, 255))
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
	bool there;

	for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
		if (!from_document(p, before[i], &there))
			return false;
		/* A document that tells of a whole container tells of all its parts. */
		if (there || get(p->document, "DXIL"))
			continue;
		if ((!strcmp(before[i], "SFI0") && !features(p)) ||
		    ((!strcmp(before[i], "ISG1") || !strcmp(before[i], "OSG1")) && !empty_signature(p, before[i])) ||
		    (!strcmp(before[i], "PSV0") && p->kind != LIBRARY && !validation(p)) ||
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

/* The first thing that is wrong, without its place, which is one of a container that nobody has yet. */
static void take_message(void *user, const struct glacier_diagnostic *diagnostic)
{
	char *message = user;

	if (diagnostic->severity == GLACIER_ERROR && !*message)
		snprintf(message, PATH_BYTES, "%s", diagnostic->message);
}

/* What is made here verifies, or it is not made. */
static bool check_made(struct pack *p, const unsigned char *data, size_t bytes)
{
	char message[PATH_BYTES] = "";
	struct glacier_diag diag = {.report = take_message, .user = message};
	struct glacier_dxbc dxbc;

	if (glacier_dxbc_parse(data, bytes, &dxbc, &diag) != GLACIER_OK || glacier_dxbc_verify(&dxbc, NULL, &diag) != GLACIER_OK)
		return refuse(p, "what the document tells does not verify: %s", message);
	return true;
}

static cJSON *parse(struct pack *p, const char *text, size_t bytes)
{
	char path[PATH_BYTES] = "";
	const char *end;
	cJSON *document = cJSON_ParseWithLengthOpts(text, bytes, &end, false);

	if (!cJSON_IsObject(document)) {
		refuse(p, "the document is no JSON object");
	} else {
		while (end < text + bytes && memchr(" \t\r\n", *end, 4))
			end++;
		if (end < text + bytes)
			refuse(p, "there is text behind the document");
		else if (check_twins(p, document, path))
			return document;
	}
	cJSON_Delete(document);
	return NULL;
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
	p->document = parse(p, text, text_bytes);
	if (p->document && take_bitcode(p, bitcode, bytes) && check_members(p) && flatten(p) && read_kind(p) &&
	    check_document(p) && make_parts(p)) {
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
	for (uint32_t i = 0; i < MOST; i++)
		glacier_buffer_fini(&p->data[i]);
	cJSON_Delete(p->document);
	free(p);
	return status;
}
