/* SPDX-License-Identifier: MIT */
/* What a document says of a container that is to be made: read, and held against what may be said. */
#include "dxbc/pack.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { MOST_MEMBERS = 1024 };

const char glc_pack_before[8][5] = {"SFI0", "ISG1", "OSG1", "PSG1", "VERS", "RDAT", "PSV0", "RTS0"};
const char glc_pack_after[5][5] = {"ILDB", "STAT", "ILDN", "SRCI", "PDBI"};
static const char others[][5] = {"HASH", "DXIL", "PRIV"};

bool glc_pack_refuse(struct pack *p, const char *format, ...)
{
	char what[PACK_PATH_BYTES + 200];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	glc_fail(p->diag, GLC_DX_PACK, GLC_NOWHERE, what);
	return false;
}

/* The same key twice: one of the two would be lost. */
static bool check_twins(struct pack *p, const cJSON *node, char *path)
{
	size_t length = strlen(path);
	const cJSON *item, *twin;
	int index = 0;

	if (cJSON_IsObject(node) && cJSON_GetArraySize(node) > MOST_MEMBERS)
		return glc_pack_refuse(p, "%s has more than %d members", *path ? path : "the document", MOST_MEMBERS);
	cJSON_ArrayForEach(item, node) {
		if (cJSON_IsObject(node)) {
			snprintf(path + length, PACK_PATH_BYTES - length, "%s%.100s", length ? "." : "", item->string);
			for (twin = node->child; twin != item; twin = twin->next)
				if (!strcmp(twin->string, item->string))
					return glc_pack_refuse(p, "'%s' stands twice in the document", path);
		} else {
			snprintf(path + length, PACK_PATH_BYTES - length, "[%d]", index++);
		}
		if (!check_twins(p, item, path))
			return false;
		path[length] = '\0';
	}
	return true;
}

static bool parse(struct pack *p, const char *text, size_t bytes)
{
	char path[PACK_PATH_BYTES] = "";
	const char *end;

	p->document = cJSON_ParseWithLengthOpts(text, bytes, &end, false);
	if (!cJSON_IsObject(p->document))
		return glc_pack_refuse(p, "the document is no JSON object");
	while (end < text + bytes && memchr(" \t\r\n", *end, 4))
		end++;
	if (end < text + bytes)
		return glc_pack_refuse(p, "there is text behind the document");
	return check_twins(p, p->document, path);
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
	return is_one_of(glc_pack_before, sizeof glc_pack_before / sizeof *glc_pack_before, name) ||
	       is_one_of(glc_pack_after, sizeof glc_pack_after / sizeof *glc_pack_after, name) ||
	       is_one_of(others, sizeof others / sizeof *others, name);
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
			return glc_pack_refuse(p, "the document has a member '%.100s', which means nothing", item->string);
	}
	return true;
}

/* What inspect prints has a list of parts: they become members. */
static bool flatten(struct pack *p)
{
	cJSON *list = glc_pack_get(p->document, "parts"), *item, *twin;
	int index = 0;

	if (list && !cJSON_IsArray(list))
		return glc_pack_refuse(p, "'parts' must be a list");
	cJSON_ArrayForEach(item, list) {
		const char *name = cJSON_GetStringValue(glc_pack_get(item, "fourcc"));

		if (!name)
			return glc_pack_refuse(p, "'parts[%d]' must be an object with a 'fourcc'", index);
		if (!is_part(name))
			return glc_pack_refuse(p, "'parts[%d].fourcc' is '%.40s', which is no part that belongs around bitcode", index,
					       name);
		for (twin = list->child; twin != item; twin = twin->next)
			if (!strcmp(cJSON_GetStringValue(glc_pack_get(twin, "fourcc")), name))
				return glc_pack_refuse(p, "'parts[%d].fourcc' is '%s', which stands twice in the list", index, name);
		if (!cJSON_IsObject(glc_pack_get(item, "content")))
			return glc_pack_refuse(p, "'parts[%d].content' must be an object", index);
		index++;
	}
	cJSON_ArrayForEach(item, list) {
		const char *name = cJSON_GetStringValue(glc_pack_get(item, "fourcc"));

		if (!glc_pack_get(p->document, name))
			cJSON_AddItemToObject(p->document, name, cJSON_DetachItemFromObjectCaseSensitive(item, "content"));
	}
	return true;
}

bool glc_pack_is_whole(const cJSON *item, double least, double most)
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
	const cJSON *model = glc_pack_get(p->document, "model");
	const char *at = cJSON_GetStringValue(model);

	if (program && !model) {
		if (!glc_pack_is_whole(glc_pack_get(program, "major"), 0, 15) || !glc_pack_is_whole(glc_pack_get(program, "minor"), 0, 15))
			return glc_pack_refuse(p, "'DXIL' must have a 'major' and a 'minor' of the shader model");
		p->major = (uint32_t)glc_pack_get(program, "major")->valuedouble;
		p->minor = (uint32_t)glc_pack_get(program, "minor")->valuedouble;
	} else {
		at = at ? read_number(at, &p->major) : NULL;
		at = at && *at == '.' ? read_number(at + 1, &p->minor) : NULL;
		if (!at || *at)
			return glc_pack_refuse(p, "the document names no shader 'model', as 6.0");
	}
	if (p->major < 6 || p->major > 15 || p->minor > 15)
		return glc_pack_refuse(p, "bitcode is of shader model 6.0 or later");
	return true;
}

static bool read_kind(struct pack *p)
{
	const cJSON *program = glc_pack_get(p->document, "DXIL"), *given = glc_pack_get(p->document, "kind");
	const char *kind = cJSON_GetStringValue(given ? given : glc_pack_get(program, "kind"));
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
		return glc_pack_refuse(p, "the document names no 'kind' of program, as compute or pixel");
	p->kind = row->value;
	return read_model(p, program);
}

bool glc_pack_has_groups(const struct pack *p)
{
	return p->kind == PACK_COMPUTE || p->kind == PACK_MESH || p->kind == PACK_AMPLIFICATION;
}

/* Limits: d3d12.h, D3D12_CS_THREAD_GROUP_MAX_*; the specification of mesh shaders. */
static bool check_threads(struct pack *p)
{
	const cJSON *threads = glc_pack_get(p->document, "threads"), *item;
	double most = p->kind == PACK_COMPUTE ? 1024 : 128, product = 1;
	int axis = 0;

	if (!threads) {
		if (glc_pack_has_groups(p) && p->minor >= 6 && !glc_pack_get(p->document, "PSV0") && !glc_pack_get(p->document, "DXIL"))
			return glc_pack_refuse(p, "the document must name the 'threads' of a group, as [64, 1, 1]");
		return true;
	}
	if (!glc_pack_has_groups(p))
		return glc_pack_refuse(p, "the document names 'threads', and a program of this kind has no groups");
	if (!cJSON_IsArray(threads) || !threads->child || cJSON_GetArraySize(threads) > 3)
		return glc_pack_refuse(p, "'threads' must be a list of one to three whole numbers");
	cJSON_ArrayForEach(item, threads) {
		if (!glc_pack_is_whole(item, 1, axis == 2 ? 64 : most))
			return glc_pack_refuse(p, "'threads[%d]' must be a whole number from 1 to %.0f", axis, axis == 2 ? 64 : most);
		product *= item->valuedouble;
		axis++;
	}
	if (product > most)
		return glc_pack_refuse(p, "'threads' make %.0f in a group, and there are at most %.0f", product, most);
	return true;
}

static bool check_resources(struct pack *p)
{
	static const char *const names[] = {"type", "space", "lower", "upper", "kind", "flags"};
	const cJSON *list = glc_pack_get(p->document, "resources"), *item, *member;
	int index = 0;

	if (list && !cJSON_IsArray(list))
		return glc_pack_refuse(p, "'resources' must be a list");
	cJSON_ArrayForEach(item, list) {
		if (!cJSON_IsObject(item))
			return glc_pack_refuse(p, "'resources[%d]' must be an object", index);
		cJSON_ArrayForEach(member, item) {
			size_t i = 0;

			while (i < sizeof names / sizeof *names && strcmp(names[i], member->string))
				i++;
			if (i == sizeof names / sizeof *names)
				return glc_pack_refuse(p, "'resources[%d].%.100s' means nothing", index, member->string);
		}
		/* Before 6.6 the kind is not kept. */
		if (!glc_pack_get(item, "type") || (p->minor >= 6 && !glc_pack_get(item, "kind")))
			return glc_pack_refuse(p, "'resources[%d]' has no '%s'", index, glc_pack_get(item, "type") ? "kind" : "type");
		index++;
	}
	return true;
}

static bool check_list(struct pack *p, const cJSON *node, const char *name, const char *path)
{
	const cJSON *list = glc_pack_get(node, name), *item;
	int index = 0;

	if (list && !cJSON_IsArray(list))
		return glc_pack_refuse(p, "'%s.%s' must be a list", path, name);
	cJSON_ArrayForEach(item, list) {
		if (!cJSON_IsObject(item))
			return glc_pack_refuse(p, "'%s.%s[%d]' must be an object", path, name, index);
		index++;
	}
	return true;
}

static bool check_root_signature(struct pack *p)
{
	const cJSON *root = glc_pack_get(p->document, "root_signature"), *item;
	char path[64];
	int index = 0;

	if (!root)
		return true;
	if (!cJSON_IsObject(root))
		return glc_pack_refuse(p, "'root_signature' must be an object");
	if (glc_pack_get(root, "version") && !glc_pack_is_whole(glc_pack_get(root, "version"), 1, 3))
		return glc_pack_refuse(p, "'root_signature.version' must be 1, 2 or 3");
	if (!check_list(p, root, "parameters", "root_signature") || !check_list(p, root, "samplers", "root_signature"))
		return false;
	cJSON_ArrayForEach(item, glc_pack_get(root, "parameters")) {
		snprintf(path, sizeof path, "root_signature.parameters[%d]", index++);
		if (!glc_pack_get(item, "type"))
			return glc_pack_refuse(p, "'%s' has no 'type'", path);
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
		if (!glc_pack_get(p->document, pairs[i][0]))
			continue;
		if (glc_pack_get(p->document, pairs[i][1]))
			return glc_pack_refuse(p, "both '%s' and '%s' are given, and one tells what the other does", pairs[i][0], pairs[i][1]);
		if (glc_pack_get(p->document, "DXIL"))
			return glc_pack_refuse(p, "'%s' is given, and the document tells of a whole container, without '%s'", pairs[i][0],
				      pairs[i][1]);
	}
	return true;
}

bool glc_pack_document(struct pack *p, const char *text, size_t bytes)
{
	const cJSON *entry;

	if (!parse(p, text, bytes) || !check_members(p) || !flatten(p) || !read_kind(p))
		return false;
	entry = glc_pack_get(p->document, "entry");
	if (entry && !cJSON_IsString(entry))
		return glc_pack_refuse(p, "'entry' must be a string");
	return check_both(p) && check_threads(p) && check_resources(p) && check_root_signature(p);
}
