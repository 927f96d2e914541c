/* SPDX-License-Identifier: MIT */
/* diff: parts that only one file has, then fields that differ. */
#include "tree.h"
#include "verbs.h"

#include <inttypes.h>
#include <string.h>

enum { DIGEST_AT = 4, DIGEST_BYTES = 16, SIZE_AT = 24, TABLE_AT = 32 };

/*
 * Each difference is a row: "what" differs, the "part" and the "field" that it is of, "before" and "after" (null: there
 * is none), and the byte from which on it does. A line for people is made of the row.
 */
struct diff {
	cJSON *rows;
	char path[512];   /* of the field */
};

static cJSON *number(double value)
{
	return cJSON_CreateNumber(value);
}

/* part NULL: of none. */
static cJSON *tell(struct diff *d, const char *what, const char *part, cJSON *before, cJSON *after)
{
	cJSON *row = cJSON_CreateObject();

	cJSON_AddStringToObject(row, "what", what);
	if (part)
		cJSON_AddStringToObject(row, "part", part);
	cJSON_AddItemToObject(row, "before", before ? before : cJSON_CreateNull());
	cJSON_AddItemToObject(row, "after", after ? after : cJSON_CreateNull());
	cJSON_AddItemToArray(d->rows, row);
	return row;
}

static void tell_field(struct diff *d, const char *part, const cJSON *a, const cJSON *b)
{
	cJSON *row = tell(d, "field", part, cJSON_Duplicate(a, true), cJSON_Duplicate(b, true));

	cJSON_AddStringToObject(row, "field", d->path + (d->path[0] == '.'));
}

static void compare(struct diff *d, const char *part, const cJSON *a, const cJSON *b)
{
	size_t length = strlen(d->path);
	const cJSON *x, *y;
	int index = 0;

	if (!a || !b || a->type != b->type || (!cJSON_IsObject(a) && !cJSON_IsArray(a))) {
		if (!cJSON_Compare(a, b, true))
			tell_field(d, part, a, b);
		return;
	}
	if (cJSON_IsArray(a)) {
		for (x = a->child, y = b->child; x || y; x = x ? x->next : NULL, y = y ? y->next : NULL) {
			snprintf(d->path + length, sizeof d->path - length, "[%d]", index++);
			compare(d, part, x, y);
		}
	} else {
		cJSON_ArrayForEach(x, a) {
			snprintf(d->path + length, sizeof d->path - length, ".%s", x->string);
			compare(d, part, x, cJSON_GetObjectItemCaseSensitive(b, x->string));
		}
		cJSON_ArrayForEach(y, b)
			if (!cJSON_HasObjectItem(a, y->string)) {
				snprintf(d->path + length, sizeof d->path - length, ".%s", y->string);
				tell_field(d, part, NULL, y);
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
	struct fourcc name = fourcc_name(a->fourcc);
	const cJSON *last = d->rows->child ? d->rows->child->prev : NULL;
	cJSON *x, *y, *row;

	if (same_bytes(a, b))
		return;
	glacier_dxbc_tree(a, false, &x, &c[0].diag);
	glacier_dxbc_tree(b, false, &y, &c[1].diag);
	d->path[0] = '\0';
	if (x && y)
		compare(d, name.text, x, y);
	if (last == (d->rows->child ? d->rows->child->prev : NULL)) {   /* in bytes that no field shows */
		uint32_t at = 0, least = a->bytes < b->bytes ? a->bytes : b->bytes;

		while (at < least && a->data[at] == b->data[at])
			at++;
		row = tell(d, "data", name.text, number(a->bytes), number(b->bytes));
		cJSON_AddNumberToObject(row, "at", at);
	}
	cJSON_Delete(x);
	cJSON_Delete(y);
}

static cJSON *digest_bytes(const struct glacier_dxbc *dxbc)
{
	char hex[2 * DIGEST_BYTES + 1];

	for (int i = 0; i < DIGEST_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", dxbc->data[DIGEST_AT + i]);
	return cJSON_CreateString(hex);
}

static cJSON *version(const struct glacier_dxbc *dxbc)
{
	char text[16];

	snprintf(text, sizeof text, "%u.%u", dxbc->major, dxbc->minor);
	return cJSON_CreateString(text);
}

static void compare_frames(struct diff *d, struct container c[2])
{
	enum glacier_dxbc_digest a = glacier_dxbc_digest_kind(&c[0].dxbc), b = glacier_dxbc_digest_kind(&c[1].dxbc);

	if (a != b)
		tell(d, "digest", NULL, cJSON_CreateString(glacier_dxbc_digest_name(a)),
		     cJSON_CreateString(glacier_dxbc_digest_name(b)));
	else if (a == GLACIER_DIGEST_WRONG && memcmp(c[0].dxbc.data + DIGEST_AT, c[1].dxbc.data + DIGEST_AT, DIGEST_BYTES))
		tell(d, "digest_bytes", NULL, digest_bytes(&c[0].dxbc), digest_bytes(&c[1].dxbc));
	if (c[0].dxbc.major != c[1].dxbc.major || c[0].dxbc.minor != c[1].dxbc.minor)
		tell(d, "version", NULL, version(&c[0].dxbc), version(&c[1].dxbc));
}

/* Its bytes are those of the side that has it. */
static void tell_part(struct diff *d, const struct glacier_dxbc_part *part, bool before)
{
	cJSON *bytes = number(part->bytes);

	tell(d, "part", fourcc_name(part->fourcc).text, before ? bytes : NULL, before ? NULL : bytes);
}

/* False: the parts stand in another order. */
static bool compare_parts(struct diff *d, struct container c[2])
{
	struct glacier_dxbc_part a, b;
	bool same_order = c[0].dxbc.part_count == c[1].dxbc.part_count;

	for (uint32_t i = 0; i < c[0].dxbc.part_count; i++) {
		a = glacier_dxbc_part_at(&c[0].dxbc, i);
		same_order = same_order && glacier_dxbc_part_at(&c[1].dxbc, i).fourcc == a.fourcc;
		if (glacier_dxbc_find(&c[1].dxbc, a.fourcc, &b))
			compare_part(d, c, &a, &b);
		else
			tell_part(d, &a, true);
	}
	for (uint32_t i = 0; i < c[1].dxbc.part_count; i++) {
		b = glacier_dxbc_part_at(&c[1].dxbc, i);
		if (!glacier_dxbc_find(&c[0].dxbc, b.fourcc, &a))
			tell_part(d, &b, false);
	}
	return same_order;
}

static cJSON *order(const struct glacier_dxbc *dxbc)
{
	cJSON *list = cJSON_CreateArray();

	for (uint32_t i = 0; i < dxbc->part_count; i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(fourcc_name(glacier_dxbc_part_at(dxbc, i).fourcc).text));
	return list;
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

static bool places_differ(struct diff *d, struct container c[2])
{
	for (uint32_t i = 0; i < c[0].dxbc.part_count && i < c[1].dxbc.part_count; i++) {
		struct glacier_dxbc_part a = glacier_dxbc_part_at(&c[0].dxbc, i), b = glacier_dxbc_part_at(&c[1].dxbc, i);
		cJSON *row;

		if (a.offset == b.offset)
			continue;
		row = tell(d, "offset", fourcc_name(a.fourcc).text, number(a.offset), number(b.offset));
		cJSON_AddNumberToObject(row, "index", i);
		return true;
	}
	return false;
}

/* The parts are the same: gaps, and what trails, belong to none. A right digest differs only with what it is of. */
static void compare_rest(struct diff *d, struct container c[2])
{
	const unsigned char *a = c[0].file.data, *b = c[1].file.data;
	size_t least = c[0].file.size < c[1].file.size ? c[0].file.size : c[1].file.size, at = DIGEST_AT + DIGEST_BYTES;
	cJSON *row;

	if (places_differ(d, c))
		return;
	if (c[0].dxbc.bytes != c[1].dxbc.bytes) {
		tell(d, "container_bytes", NULL, number(c[0].dxbc.bytes), number(c[1].dxbc.bytes));
		return;
	}
	while (at < least && a[at] == b[at])
		at++;
	if (at < least) {
		row = tell(d, "byte", NULL, number(a[at]), number(b[at]));
		cJSON_AddStringToObject(row, "where", place(&c[0].dxbc, at));
	} else if (c[0].file.size != c[1].file.size) {
		row = tell(d, "file_bytes", NULL, number((double)c[0].file.size), number((double)c[1].file.size));
	} else {
		return;
	}
	cJSON_AddNumberToObject(row, "at", (double)at);
}

static const cJSON *get(const cJSON *row, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(row, name);
}

static const char *spell(const cJSON *item)
{
	char *text = cJSON_IsNull(item) ? NULL : cJSON_PrintUnformatted(item);

	return text ? text : "(none)";
}

static uint64_t whole(const cJSON *row, const char *name)
{
	return (uint64_t)cJSON_GetNumberValue(get(row, name));
}

static const char *text(const cJSON *row, const char *name)
{
	return cJSON_GetStringValue(get(row, name));
}

static void print_row(const cJSON *row)
{
	const cJSON *before = get(row, "before"), *after = get(row, "after");
	const char *what = text(row, "what"), *part = text(row, "part");

	if (!strcmp(what, "field")) {
		const char *field = text(row, "field");

		printf("%s%s%s: %s -> %s\n", part, *field == '[' ? "" : ".", field, spell(before), spell(after));
	} else if (!strcmp(what, "data")) {
		printf("%s: %" PRIu64 " and %" PRIu64 " bytes, which differ from byte %" PRIu64 " on\n", part, whole(row, "before"),
		       whole(row, "after"), whole(row, "at"));
	} else if (!strcmp(what, "part")) {
		printf("%s: %s%s -> %s%s\n", part, spell(before), cJSON_IsNull(before) ? "" : " bytes", spell(after),
		       cJSON_IsNull(after) ? "" : " bytes");
	} else if (!strcmp(what, "digest") || !strcmp(what, "version")) {
		printf("%s: %s -> %s\n", what, cJSON_GetStringValue(before), cJSON_GetStringValue(after));
	} else if (!strcmp(what, "digest_bytes")) {
		printf("digest: both are wrong, and their bytes differ\n");
	} else if (!strcmp(what, "order")) {
		printf("the parts stand in another order\n");
	} else if (!strcmp(what, "offset")) {
		printf("part %" PRIu64 " '%s' lies at byte %s -> %s\n", whole(row, "index"), part, spell(before), spell(after));
	} else if (!strcmp(what, "container_bytes")) {
		printf("the containers have %s -> %s bytes, with the same parts\n", spell(before), spell(after));
	} else if (!strcmp(what, "byte")) {
		printf("bytes differ from byte %" PRIu64 " on, %s\n", whole(row, "at"), text(row, "where"));
	} else {
		printf("the files have %" PRIu64 " -> %" PRIu64 " bytes, and differ behind the container from byte %" PRIu64 " on\n",
		       whole(row, "before"), whole(row, "after"), whole(row, "at"));
	}
}

static void print_json(struct diff *d, struct container c[2])
{
	cJSON *document = cJSON_CreateObject(), *files = cJSON_AddArrayToObject(document, "files");

	for (int i = 0; i < 2; i++)
		cJSON_AddItemToArray(files, tree_text(c[i].file.name));
	cJSON_AddBoolToObject(document, "same", !d->rows->child);
	cJSON_AddItemToObject(document, "differences", d->rows);
	puts(tree_json(document));
}

enum cli_code verb_diff(struct options *opt)
{
	struct container c[2];
	struct diff d = {.rows = NULL};
	const cJSON *row;
	bool same_order, differs;

	options_want_files(opt, 2, 2);
	tree_own_memory();
	if (!container_open(&c[0], opt, opt->files[0]))
		return CLI_TROUBLE;
	if (!container_open(&c[1], opt, opt->files[1])) {
		container_close(&c[0]);
		return CLI_TROUBLE;
	}
	d.rows = cJSON_CreateArray();
	compare_frames(&d, c);
	same_order = compare_parts(&d, c);
	if (!d.rows->child && !same_order)
		tell(&d, "order", NULL, order(&c[0].dxbc), order(&c[1].dxbc));
	if (!d.rows->child)
		compare_rest(&d, c);
	differs = d.rows->child;
	if (cli.json)
		print_json(&d, c);
	else
		cJSON_ArrayForEach(row, d.rows)
			print_row(row);
	container_close(&c[0]);
	container_close(&c[1]);
	return differs ? CLI_WRONG : CLI_OK;
}
