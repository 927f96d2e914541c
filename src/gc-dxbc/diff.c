/* SPDX-License-Identifier: MIT */
/* diff: parts that only one file has, then fields that differ. */
#include "tree.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

enum { DIGEST_AT = 4, DIGEST_BYTES = 16, SIZE_AT = 24, TABLE_AT = 32 };

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
	} else if (a == GLACIER_DIGEST_WRONG && memcmp(c[0].dxbc.data + DIGEST_AT, c[1].dxbc.data + DIGEST_AT, DIGEST_BYTES)) {
		printf("digest: both are wrong, and their bytes differ\n");
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

/* What a byte belongs to that is no field's. */
static const char *place(const struct glacier_dxbc *dxbc, size_t at)
{
	uint32_t end = TABLE_AT + 4 * dxbc->part_count;

	if (at < end)
		return at < SIZE_AT ? "in the header" : at < TABLE_AT ? "in the sizes of the header" : "in the table of parts";
	if (at >= dxbc->bytes)
		return "behind the container";
	for (uint32_t i = 0; i < dxbc->part_count; i++) {
		struct glacier_dxbc_part part = glacier_dxbc_part_at(dxbc, i);

		if (part.offset + 8 + part.bytes > end)
			end = part.offset + 8 + part.bytes;
	}
	return at < end ? "between parts" : "behind the last part";
}

static bool places_differ(struct container c[2])
{
	for (uint32_t i = 0; i < c[0].dxbc.part_count && i < c[1].dxbc.part_count; i++) {
		struct glacier_dxbc_part a = glacier_dxbc_part_at(&c[0].dxbc, i), b = glacier_dxbc_part_at(&c[1].dxbc, i);

		if (a.offset == b.offset)
			continue;
		printf("part %u '%s' lies at byte %u -> %u\n", i, fourcc_name(a.fourcc).text, a.offset, b.offset);
		return true;
	}
	return false;
}

/* The parts are the same: gaps, and what trails, belong to none. A right digest differs only with what it is of. */
static bool rest_differs(struct container c[2])
{
	const unsigned char *a = c[0].file.data, *b = c[1].file.data;
	size_t least = c[0].file.size < c[1].file.size ? c[0].file.size : c[1].file.size, at = DIGEST_AT + DIGEST_BYTES;

	if (places_differ(c))
		return true;
	if (c[0].dxbc.bytes != c[1].dxbc.bytes) {
		printf("the containers have %u -> %u bytes, with the same parts\n", c[0].dxbc.bytes, c[1].dxbc.bytes);
		return true;
	}
	while (at < least && a[at] == b[at])
		at++;
	if (at < least)
		printf("bytes differ from byte %zu on, %s\n", at, place(&c[0].dxbc, at));
	else if (c[0].file.size != c[1].file.size)
		printf("the files have %zu -> %zu bytes, and differ behind the container from byte %zu on\n", c[0].file.size,
		       c[1].file.size, at);
	return at < least || c[0].file.size != c[1].file.size;
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
	if (!d.differs)
		d.differs = rest_differs(c);
	container_close(&c[0]);
	container_close(&c[1]);
	return d.differs ? CLI_WRONG : CLI_OK;
}
