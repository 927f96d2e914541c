/* SPDX-License-Identifier: MIT */
/* inspect: what the parts say, for people or as JSON that pack and the library take back. */
#include "tree.h"
#include "verbs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool wanted(const struct options *opt, uint32_t fourcc)
{
	return !opt->part_count || options_part(opt, fourcc);
}

static cJSON *describe(struct container *c, const struct options *opt, bool *good)
{
	cJSON *document = cJSON_CreateObject(), *list;
	char program[40], version[16];

	cJSON_AddItemToObject(document, "file", tree_text(c->file.name));
	cJSON_AddNumberToObject(document, "bytes", c->dxbc.bytes);
	snprintf(version, sizeof version, "%u.%u", c->dxbc.major, c->dxbc.minor);
	cJSON_AddStringToObject(document, "version", version);
	cJSON_AddStringToObject(document, "digest", glacier_dxbc_digest_name(glacier_dxbc_digest_kind(&c->dxbc)));
	if (container_program(&c->dxbc, program, sizeof program))
		cJSON_AddStringToObject(document, "program", program);
	list = cJSON_AddArrayToObject(document, "parts");
	for (uint32_t i = 0; i < c->dxbc.part_count; i++) {
		struct glacier_dxbc_part part = glacier_dxbc_part_at(&c->dxbc, i);
		const unsigned char *bitcode;
		size_t bytes;
		cJSON *row, *content;

		if (!wanted(opt, part.fourcc))
			continue;
		row = cJSON_CreateObject();
		cJSON_AddItemToArray(list, row);
		cJSON_AddStringToObject(row, "fourcc", fourcc_name(part.fourcc).text);
		cJSON_AddNumberToObject(row, "offset", part.offset);
		cJSON_AddNumberToObject(row, "bytes", part.bytes);
		glacier_dxbc_tree(&part, opt->whole, &content, &c->diag);
		*good &= content != NULL;
		if (content)
			cJSON_AddItemToObject(row, "content", content);
		if (opt->bitcode && glacier_dxbc_bitcode_of(&part, &bitcode, &bytes)) {
			glacier_dxbc_bitcode_tree(&part, opt->records, &content, &c->diag);
			*good &= content != NULL;
			if (content)
				cJSON_AddItemToObject(row, "bitcode", content);
		}
	}
	return document;
}

static void print_text(const cJSON *document)
{
	const cJSON *item, *row, *content;

	cJSON_ArrayForEach(item, document)
		if (!cJSON_IsArray(item)) {
			printf("%s: ", item->string);
			if (cJSON_IsNumber(item))
				printf("%" PRIu64, (uint64_t)item->valuedouble);
			else
				cli_print_clean(stdout, item->valuestring, strlen(item->valuestring));
			putchar('\n');
		}
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(document, "parts")) {
		printf("\n%s, %" PRIu32 " bytes at %" PRIu32 "\n", cJSON_GetStringValue(cJSON_GetObjectItem(row, "fourcc")),
		       (uint32_t)cJSON_GetNumberValue(cJSON_GetObjectItem(row, "bytes")),
		       (uint32_t)cJSON_GetNumberValue(cJSON_GetObjectItem(row, "offset")));
		content = cJSON_GetObjectItem(row, "content");
		if (content)
			tree_print(content, 2);
		content = cJSON_GetObjectItem(row, "bitcode");
		if (content)
			tree_print(content, 2);
	}
}

enum cli_code verb_inspect(struct options *opt)
{
	bool good = true, first = true;

	options_want_files(opt, 1, SIZE_MAX);
	tree_own_memory();
	if (cli.json && opt->file_count > 1)
		putchar('[');
	for (size_t i = 0; i < opt->file_count; i++) {
		struct container c;
		cJSON *document;

		if (!container_open(&c, opt, opt->files[i])) {
			good = false;
			continue;
		}
		document = describe(&c, opt, &good);
		if (cli.json) {
			printf("%s%s\n", first ? "" : ",", tree_json(document));
		} else {
			if (!first)
				putchar('\n');
			print_text(document);
		}
		first = false;
		tree_release();
		container_close(&c);
	}
	if (cli.json && opt->file_count > 1)
		printf("]\n");
	return good ? CLI_OK : CLI_WRONG;
}
