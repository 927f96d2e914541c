/* SPDX-License-Identifier: MIT */
#include "manifest.h"

#include "tree.h"

#include <stdlib.h>
#include <string.h>

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

	cJSON_AddStringToObject(document, "schema", "glacier-dxbc-manifest");
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

/* A file beside the manifest: a name without folders, so that a document reaches nothing else. */
static char *beside(const char *manifest, const char *file)
{
	const char *slash = strrchr(manifest, '/');
	size_t folder = slash ? (size_t)(slash - manifest) + 1 : 0;
	char *path = cli_alloc(folder + strlen(file) + 1);

	memcpy(path, manifest, folder);
	strcpy(path + folder, file);
	return path;
}

/* Absent: as the writer chooses. */
static uint16_t read_version(const cJSON *document, const char *name, const char *path)
{
	const cJSON *item = cJSON_GetObjectItem(document, name);

	if (!item)
		return 0;
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= UINT16_MAX) ||
	    item->valuedouble != (double)(uint16_t)item->valuedouble)
		cli_wrong("%s: '%s' must be a whole number up to 65535", path, name);
	return (uint16_t)item->valuedouble;
}

static void read_digest(struct parts *parts, const cJSON *document, const char *path)
{
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(document, "digest"));
	const char *hex = cJSON_GetStringValue(cJSON_GetObjectItem(document, "digest_bytes"));

	parts->write.digest = name ? glacier_dxbc_digest_find(name) : GLACIER_DIGEST_RETAIL;
	if (parts->write.digest == GLACIER_DIGEST_COUNT)
		cli_wrong("%s: there is no digest '%s'", path, name);
	if (parts->write.digest != GLACIER_DIGEST_WRONG)
		return;
	for (int i = 0; i < 16; i++) {
		unsigned byte;

		if (!hex || strlen(hex) != 32 || sscanf(hex + 2 * i, "%2x", &byte) != 1)
			cli_wrong("%s: 'digest_bytes' must be sixteen bytes in hex", path);
		parts->write.raw_digest[i] = (unsigned char)byte;
	}
}

static uint32_t fourcc_of(const cJSON *row, const char *path)
{
	const char *number = cJSON_GetStringValue(cJSON_GetObjectItem(row, "number"));
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(row, "fourcc"));

	if (number)
		return (uint32_t)strtoul(number, NULL, 0);
	if (!name || strlen(name) != 4)
		cli_wrong("%s: a part needs its 'fourcc'", path);
	return GLACIER_FOURCC(name[0], name[1], name[2], name[3]);
}

bool manifest_read(struct manifest *manifest, const char *path, struct parts *parts)
{
	cJSON *document = tree_read(path), *list = cJSON_GetObjectItem(document, "parts"), *row;
	bool good = true;

	*manifest = (struct manifest){0};
	*parts = (struct parts){.write = {.unaligned = true}};
	if (!cJSON_IsArray(list) || !list->child)
		cli_wrong("%s: the manifest names no parts", path);
	parts->write.major = read_version(document, "major", path);
	parts->write.minor = read_version(document, "minor", path);
	read_digest(parts, document, path);
	manifest->files = cli_alloc((size_t)cJSON_GetArraySize(list) * sizeof *manifest->files);
	cJSON_ArrayForEach(row, list) {
		const char *file = cJSON_GetStringValue(cJSON_GetObjectItem(row, "file"));
		struct cli_file *at = &manifest->files[manifest->count];
		char *where;

		if (!file || !*file || strchr(file, '/'))
			cli_wrong("%s: a part needs the name of its 'file', without folders", path);
		where = beside(path, file);
		good = good && cli_try_read(where, at);
		free(where);
		if (!good)
			break;
		manifest->count++;
		parts_push(parts, (struct glacier_dxbc_part){
					  .fourcc = fourcc_of(row, path), .data = at->data, .bytes = (uint32_t)at->size});
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
