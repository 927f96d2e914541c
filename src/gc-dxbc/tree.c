/* SPDX-License-Identifier: MIT */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

static cJSON *parse(struct glacier_buffer *text, bool good)
{
	cJSON *tree = good ? cJSON_ParseWithLength((const char *)text->data, text->size) : NULL;

	glacier_buffer_fini(text);
	if (good && !tree)
		cli_die("out of memory");
	return tree;
}

cJSON *tree_of_part(const struct glacier_dxbc_part *part, bool whole, struct glacier_diag *diag)
{
	struct glacier_buffer text = {0};
	bool good = glacier_dxbc_decode(part, whole, &text, diag) == GLACIER_OK;

	return parse(&text, good);
}

cJSON *tree_of_bitcode(const struct glacier_dxbc_part *part, bool records, struct glacier_diag *diag)
{
	struct glacier_buffer text = {0};
	bool good = glacier_dxbc_bitcode(part, records, &text, diag) == GLACIER_OK;

	return parse(&text, good);
}

cJSON *tree_read(const char *path)
{
	struct cli_file file = cli_read(path);
	cJSON *tree = cJSON_ParseWithLength(file.data, file.size);

	if (!tree)
		cli_wrong("%s: this is no JSON document", path);
	cli_release(&file);
	return tree;
}

/* --- Text ---------------------------------------------------------------- */

static bool is_scalar(const cJSON *item)
{
	return !cJSON_IsObject(item) && !cJSON_IsArray(item);
}

static bool has_lines(const cJSON *item)
{
	return cJSON_IsString(item) && strchr(item->valuestring, '\n');
}

static bool is_flat(const cJSON *list)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list)
		if (!is_scalar(item) || has_lines(item))
			return false;
	return true;
}

/* A value in a line. Free it. */
static char *spell(const cJSON *item)
{
	size_t bytes = 0, capacity = 64;
	char *text, number[32];
	const cJSON *element;

	if (cJSON_IsString(item))
		return cli_strdup(item->valuestring);
	if (cJSON_IsNumber(item)) {
		cli_spell_real(item->valuedouble, number);
		return cli_strdup(number);
	}
	text = cli_alloc(capacity);
	text[0] = '\0';
	cJSON_ArrayForEach(element, item) {
		char *one = spell(element);
		size_t length = strlen(one);

		while (bytes + length + 2 > capacity)
			text = cli_realloc(text, capacity *= 2);
		if (bytes)
			text[bytes++] = ' ';
		memcpy(text + bytes, one, length + 1);
		bytes += length;
		free(one);
	}
	return text;
}

static void pad(int width)
{
	while (width-- > 0)
		putchar_unlocked(' ');
}

/* "name: ", or "name:" with a line's end. */
static void print_name(const char *name, int indent, const char *after)
{
	pad(indent);
	fputs(name, stdout);
	fputs(after, stdout);
}

static void print_value(const cJSON *item)
{
	char *text = spell(item);

	cli_print_clean(stdout, text, strlen(text));
	free(text);
}

/* Text of several lines, as a block. */
static void print_lines(const char *name, const char *text, int indent)
{
	print_name(name, indent, ":\n");
	while (*text) {
		size_t bytes = strcspn(text, "\n");

		print_name("| ", indent + 2, "");
		cli_print_clean(stdout, text, bytes - (bytes && text[bytes - 1] == '\r'));
		putchar('\n');
		text += bytes + (text[bytes] == '\n');
	}
}

/* Objects with the same flat members, in the same order. */
static bool is_table(const cJSON *list)
{
	const cJSON *first = list->child, *row, *a, *b;

	if (!first || !cJSON_IsObject(first))
		return false;
	cJSON_ArrayForEach(row, list) {
		if (!cJSON_IsObject(row))
			return false;
		for (a = first->child, b = row->child; a && b; a = a->next, b = b->next)
			if (strcmp(a->string, b->string) || has_lines(b) || !(is_scalar(b) || is_flat(b)))
				return false;
		if (a || b)
			return false;
	}
	return true;
}

static void print_table(const cJSON *list, int indent)
{
	int columns = cJSON_GetArraySize(list->child), column;
	size_t *widths = cli_alloc((size_t)(columns + 1) * sizeof *widths);
	const cJSON *row, *cell;

	column = 0;
	cJSON_ArrayForEach(cell, list->child)
		widths[column++] = strlen(cell->string);
	cJSON_ArrayForEach(row, list) {
		column = 0;
		cJSON_ArrayForEach(cell, row) {
			char *text = spell(cell);

			if (strlen(text) > widths[column])
				widths[column] = strlen(text);
			free(text);
			column++;
		}
	}
	pad(indent);
	column = 0;
	cJSON_ArrayForEach(cell, list->child) {
		print_name(cell->string, column ? 2 : 0, "");
		pad(cell->next ? (int)(widths[column] - strlen(cell->string)) : 0);
		column++;
	}
	putchar('\n');
	cJSON_ArrayForEach(row, list) {
		pad(indent);
		column = 0;
		cJSON_ArrayForEach(cell, row) {
			char *text = spell(cell);

			pad(column ? 2 : 0);
			cli_print_clean(stdout, text, strlen(text));
			if (cell->next)
				pad((int)(widths[column] - strlen(text)));
			free(text);
			column++;
		}
		putchar('\n');
	}
	free(widths);
}

void tree_print(const cJSON *tree, int indent)
{
	const cJSON *item;
	int index = 0;

	cJSON_ArrayForEach(item, tree) {
		const char *name = item->string;
		char number[24];

		if (!name) {
			snprintf(number, sizeof number, "[%d]", index++);
			name = number;
		}
		if (has_lines(item)) {
			print_lines(name, item->valuestring, indent);
			continue;
		}
		if (is_scalar(item) || (cJSON_IsArray(item) && is_flat(item))) {
			print_name(name, indent, ": ");
			print_value(item);
			putchar('\n');
			continue;
		}
		print_name(name, indent, ":\n");
		if (cJSON_IsArray(item) && is_table(item))
			print_table(item, indent + 2);
		else
			tree_print(item, indent + 2);
	}
}
