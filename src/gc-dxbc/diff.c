/* SPDX-License-Identifier: MIT */
/* diff: parts that only one file has, then fields that differ. */
#include "tree.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

struct diff {
	char path[512];
	bool differs;
};

static void print_scalar(const cJSON *item)
{
	char *text = item ? cJSON_PrintUnformatted(item) : NULL;

	printf("%s", !item ? "(none)" : text ? text : "?");
	cJSON_free(text);
}

static void report(struct diff *d, const cJSON *a, const cJSON *b)
{
	d->differs = true;
	printf("%s: ", d->path);
	print_scalar(a);
	printf(" -> ");
	print_scalar(b);
	putchar('\n');
}

static void compare(struct diff *d, const cJSON *a, const cJSON *b)
{
	size_t length = strlen(d->path);
	const cJSON *x, *y;
	int index = 0;

	if (!a || !b || a->type != b->type || (!cJSON_IsObject(a) && !cJSON_IsArray(a))) {
		if (!cJSON_Compare(a, b, true))
			report(d, a, b);
		return;
	}
	if (cJSON_IsArray(a)) {
		for (x = a->child, y = b->child; x || y; x = x ? x->next : NULL, y = y ? y->next : NULL) {
			snprintf(d->path + length, sizeof d->path - length, "[%d]", index++);
			compare(d, x, y);
		}
	} else {
		cJSON_ArrayForEach(x, a) {
			snprintf(d->path + length, sizeof d->path - length, ".%s", x->string);
			compare(d, x, cJSON_GetObjectItemCaseSensitive(b, x->string));
		}
		cJSON_ArrayForEach(y, b)
			if (!cJSON_HasObjectItem(a, y->string)) {
				snprintf(d->path + length, sizeof d->path - length, ".%s", y->string);
				report(d, NULL, y);
			}
	}
	d->path[length] = '\0';
}

static bool same_bytes(const struct glacier_dxbc_part *a, const struct glacier_dxbc_part *b)
{
	return a->bytes == b->bytes && (!a->bytes || !memcmp(a->data, b->data, a->bytes));
}

static void compare_part(struct diff *d, struct container c[2], const struct glacier_dxbc_part *a,
			 const struct glacier_dxbc_part *b)
{
	cJSON *x, *y;
	bool before = d->differs;

	if (same_bytes(a, b))
		return;
	glacier_dxbc_tree(a, false, &x, &c[0].diag);
	glacier_dxbc_tree(b, false, &y, &c[1].diag);
	snprintf(d->path, sizeof d->path, "%s", fourcc_name(a->fourcc).text);
	d->differs = false;
	if (x && y)
		compare(d, x, y);
	if (!d->differs) {   /* in bytes that no field shows */
		uint32_t at = 0, least = a->bytes < b->bytes ? a->bytes : b->bytes;

		while (at < least && a->data[at] == b->data[at])
			at++;
		printf("%s: %u and %u bytes, which differ from byte %u on\n", fourcc_name(a->fourcc).text, a->bytes, b->bytes, at);
	}
	d->differs = true | before;
	cJSON_Delete(x);
	cJSON_Delete(y);
}

static void compare_frames(struct diff *d, struct container c[2])
{
	enum glacier_dxbc_digest a = glacier_dxbc_digest_kind(&c[0].dxbc), b = glacier_dxbc_digest_kind(&c[1].dxbc);

	if (a != b) {
		printf("digest: %s -> %s\n", glacier_dxbc_digest_name(a), glacier_dxbc_digest_name(b));
		d->differs = true;
	}
	if (c[0].dxbc.major != c[1].dxbc.major || c[0].dxbc.minor != c[1].dxbc.minor) {
		printf("version: %u.%u -> %u.%u\n", c[0].dxbc.major, c[0].dxbc.minor, c[1].dxbc.major, c[1].dxbc.minor);
		d->differs = true;
	}
}

static bool compare_parts(struct diff *d, struct container c[2])
{
	struct glacier_dxbc_part a, b;
	bool same_order = c[0].dxbc.part_count == c[1].dxbc.part_count;

	for (uint32_t i = 0; i < c[0].dxbc.part_count; i++) {
		a = glacier_dxbc_part_at(&c[0].dxbc, i);
		same_order = same_order && glacier_dxbc_part_at(&c[1].dxbc, i).fourcc == a.fourcc;
		if (glacier_dxbc_find(&c[1].dxbc, a.fourcc, &b)) {
			compare_part(d, c, &a, &b);
			continue;
		}
		printf("%s: %u bytes -> (none)\n", fourcc_name(a.fourcc).text, a.bytes);
		d->differs = true;
	}
	for (uint32_t i = 0; i < c[1].dxbc.part_count; i++) {
		b = glacier_dxbc_part_at(&c[1].dxbc, i);
		if (glacier_dxbc_find(&c[0].dxbc, b.fourcc, &a))
			continue;
		printf("%s: (none) -> %u bytes\n", fourcc_name(b.fourcc).text, b.bytes);
		d->differs = true;
	}
	return same_order;
}

enum cli_code verb_diff(struct options *opt)
{
	struct container c[2];
	struct diff d = {.differs = false};
	bool same_order;

	options_want_files(opt, 2, 2);
	if (!container_open(&c[0], opt, opt->files[0]))
		return CLI_TROUBLE;
	if (!container_open(&c[1], opt, opt->files[1])) {
		container_close(&c[0]);
		return CLI_TROUBLE;
	}
	compare_frames(&d, c);
	same_order = compare_parts(&d, c);
	if (!same_order && !d.differs) {
		printf("the parts stand in another order\n");
		d.differs = true;
	}
	container_close(&c[0]);
	container_close(&c[1]);
	return d.differs ? CLI_WRONG : CLI_OK;
}
