/* SPDX-License-Identifier: MIT */
#include "manifest.h"

#include "tree.h"

#include <stdlib.h>
#include <string.h>

#define MANIFEST_SCHEMA "glacier-dxbc-manifest"

char *manifest_file(uint32_t index, uint32_t fourcc)
{
	char name[32];

	snprintf(name, sizeof name, "%02u-%s.bin", index, fourcc_file(fourcc).text);
	return cli_strdup(name);
}

char *manifest_write(const struct container *c)
{
	enum glacier_dxbc_digest kind = glacier_dxbc_digest_kind(&c->dxbc);
	cJSON *document = cJSON_CreateObject(), *list;
	char *text, hex[33];

	cJSON_AddStringToObject(document, "schema", MANIFEST_SCHEMA);
	cJSON_AddNumberToObject(document, "major", c->dxbc.major);
	cJSON_AddNumberToObject(document, "minor", c->dxbc.minor);
	cJSON_AddStringToObject(document, "digest", glacier_dxbc_digest_name(kind));
	if (kind == GLACIER_DIGEST_WRONG) {
		for (int i = 0; i < 16; i++)
			snprintf(hex + 2 * i, 3, "%02x", c->dxbc.data[4 + i]);
		cJSON_AddStringToObject(document, "digest_bytes", hex);
	}
	list = cJSON_AddArrayToObject(document, "parts");
	for (uint32_t i = 0; i < c->dxbc.part_count; i++) {
		struct glacier_dxbc_part part = glacier_dxbc_part_at(&c->dxbc, i);
		cJSON *row = cJSON_CreateObject();
		char *file = manifest_file(i, part.fourcc), number[16];

		snprintf(number, sizeof number, "0x%08x", part.fourcc);
		cJSON_AddStringToObject(row, "fourcc", fourcc_name(part.fourcc).text);
		cJSON_AddStringToObject(row, "number", number);
		cJSON_AddStringToObject(row, "file", file);
		cJSON_AddItemToArray(list, row);
		free(file);
	}
	text = cJSON_Print(document);
	if (!text)
		cli_die("out of memory");
	cJSON_Delete(document);
	return text;
}

/*
 * A file beside the manifest: a name without folders, so that a document reaches nothing else. "-" would be
 * standard input.
 */
static char *beside(const char *manifest, const char *file)
{
	const char *slash = strrchr(manifest, '/');
	size_t folder = slash ? (size_t)(slash - manifest) + 1 : 0;
	char *path = cli_alloc(folder + strlen(file) + 3);

	memcpy(path, manifest, folder);
	strcpy(stpcpy(path + folder, !folder && !strcmp(file, "-") ? "./" : ""), file);
	return path;
}

static const cJSON *get(const cJSON *node, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(node, name);
}

/* The string of that name; NULL: there is none. */
static const char *get_string(const cJSON *node, const char *name, const char *path)
{
	const cJSON *item = get(node, name);

	if (item && !cJSON_IsString(item))
		cli_wrong("%s: '%s' must be a string", path, name);
	return cJSON_GetStringValue(item);
}

/* A name that nothing asks for is a mistake, and of two that are the same one would be lost. */
static void check_names(const cJSON *node, const char *const *names, size_t count, const char *path)
{
	const cJSON *item, *twin;

	cJSON_ArrayForEach(item, node) {
		size_t i = 0;

		while (i < count && strcmp(names[i], item->string))
			i++;
		if (i == count)
			cli_wrong("%s: a manifest's '%s' means nothing", path, item->string);
		for (twin = node->child; twin != item; twin = twin->next)
			if (!strcmp(twin->string, item->string))
				cli_wrong("%s: '%s' stands twice in one object", path, item->string);
	}
}

static void check_document(const cJSON *document, const char *path)
{
	static const char *const names[] = {"schema", "major", "minor", "digest", "digest_bytes", "parts"};
	static const char *const part_names[] = {"fourcc", "number", "file"};
	const cJSON *list = get(document, "parts"), *row;
	const char *schema;

	if (!cJSON_IsObject(document))
		cli_wrong("%s: the manifest is no object", path);
	schema = get_string(document, "schema", path);
	if (schema && strcmp(schema, MANIFEST_SCHEMA))
		cli_wrong("%s: the schema is '%s', not '" MANIFEST_SCHEMA "'", path, schema);
	check_names(document, names, sizeof names / sizeof *names, path);
	if (!cJSON_IsArray(list) || !list->child)
		cli_wrong("%s: the manifest names no parts", path);
	cJSON_ArrayForEach(row, list) {
		if (!cJSON_IsObject(row))
			cli_wrong("%s: a part must be an object", path);
		check_names(row, part_names, sizeof part_names / sizeof *part_names, path);
	}
}

/* Absent: as the writer chooses. */
static uint16_t read_version(const cJSON *document, const char *name, const char *path)
{
	const cJSON *item = get(document, name);

	if (!item)
		return 0;
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= UINT16_MAX) ||
	    item->valuedouble != (double)(uint16_t)item->valuedouble)
		cli_wrong("%s: '%s' must be a whole number up to 65535", path, name);
	return (uint16_t)item->valuedouble;
}

static void read_digest(struct parts *parts, const cJSON *document, const char *path)
{
	const char *name = get_string(document, "digest", path), *hex = get_string(document, "digest_bytes", path);

	parts->write.digest = name ? glacier_dxbc_digest_find(name) : GLACIER_DIGEST_RETAIL;
	if (parts->write.digest == GLACIER_DIGEST_COUNT)
		cli_wrong("%s: there is no digest '%s'", path, name);
	if (parts->write.digest != GLACIER_DIGEST_WRONG) {
		if (hex)
			cli_wrong("%s: 'digest_bytes' belong to the digest 'wrong' alone", path);
		return;
	}
	if (!hex || strlen(hex) != 32 || strspn(hex, "0123456789abcdefABCDEF") != 32)
		cli_wrong("%s: 'digest_bytes' must be sixteen bytes in hex", path);
	for (int i = 0; i < 16; i++) {
		const char byte[] = {hex[2 * i], hex[2 * i + 1], '\0'};

		parts->write.raw_digest[i] = (unsigned char)strtoul(byte, NULL, 16);
	}
}

static uint32_t fourcc_of(const cJSON *row, const char *path)
{
	const char *number = get_string(row, "number", path), *name = get_string(row, "fourcc", path);
	unsigned long value;
	bool is_ascii = true;

	if (number) {
		if (strncmp(number, "0x", 2) || strlen(number) != 10 || strspn(number + 2, "0123456789abcdefABCDEF") != 8)
			cli_wrong("%s: the 'number' of a part is '%s', not 0x and eight digits in hex", path, number);
		value = strtoul(number, NULL, 16);
		/* What no character can be is shown as '.'. */
		if (name && strcmp(name, fourcc_name((uint32_t)value).text))
			cli_wrong("%s: a part's 'fourcc' is '%s', and its 'number' is that of '%s'", path, name,
				  fourcc_name((uint32_t)value).text);
		return (uint32_t)value;
	}
	if (!name)
		cli_wrong("%s: a part needs its 'fourcc'", path);
	for (size_t i = 0; i < 4; i++)
		is_ascii = is_ascii && name[i] >= 0x20 && name[i] <= 0x7e;
	if (!is_ascii || name[4])
		cli_wrong("%s: a part's 'fourcc' is '%s', not four characters of ASCII", path, name);
	return GLACIER_FOURCC(name[0], name[1], name[2], name[3]);
}

bool manifest_read(struct manifest *manifest, const char *path, struct parts *parts)
{
	cJSON *document = tree_read(path);
	const cJSON *list = get(document, "parts"), *row;
	bool good = true;

	*manifest = (struct manifest){0};
	*parts = (struct parts){.write = {.unaligned = true}};
	check_document(document, path);
	parts->write.major = read_version(document, "major", path);
	parts->write.minor = read_version(document, "minor", path);
	read_digest(parts, document, path);
	manifest->files = cli_alloc((size_t)cJSON_GetArraySize(list) * sizeof *manifest->files);
	cJSON_ArrayForEach(row, list) {
		const char *file = get_string(row, "file", path);
		struct cli_file *at = &manifest->files[manifest->count];
		char *where;

		if (!file || !*file || strchr(file, '/'))
			cli_wrong("%s: a part needs the name of its 'file', without folders", path);
		where = beside(path, file);
		good = cli_try_read(where, at);
		if (good) {
			manifest->count++;
			parts_push(parts, part_of_file(fourcc_of(row, path), at));
		}
		free(where);
		if (!good)
			break;
	}
	cJSON_Delete(document);
	return good;
}

void manifest_close(struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->count; i++)
		cli_release(&manifest->files[i]);
	free(manifest->files);
}
