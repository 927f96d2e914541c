/* SPDX-License-Identifier: MIT */
#include "tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* cJSON tries digits for each number that it prints; nearly all are whole, and spelled without. */
static bool spell_numbers(cJSON *item)
{
	cJSON *child;

	if (cJSON_IsNumber(item) && isfinite(item->valuedouble)) {
		char *text = cJSON_malloc(32);

		if (!text)
			return false;
		cli_spell_real(item->valuedouble, text);
		item->type = (item->type & ~0xff) | cJSON_Raw;
		item->valuestring = text;
	}
	cJSON_ArrayForEach(child, item)
		if (!spell_numbers(child))
			return false;
	return true;
}

char *tree_json(cJSON *tree)
{
	char *text = spell_numbers(tree) ? cJSON_Print(tree) : NULL;

	if (!text)
		cli_die("out of memory");
	return text;
}

/* --- Memory -------------------------------------------------------------- */

enum { BLOCK = 64 * 1024, ALIGN = 16 };

static struct block {
	struct block *before;
	size_t used, bytes;
	_Alignas(ALIGN) unsigned char data[];
} *newest;

static void *take(size_t bytes)
{
	void *memory;

	bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!newest || bytes > newest->bytes - newest->used) {
		size_t room = bytes > BLOCK ? bytes : BLOCK;
		struct block *block = malloc(sizeof *block + room);

		if (!block)
			return NULL;
		*block = (struct block){.before = newest, .bytes = room};
		newest = block;
	}
	memory = newest->data + newest->used;
	newest->used += bytes;
	return memory;
}

static void keep(void *memory)
{
	(void)memory;
}

void tree_own_memory(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = take, .free_fn = keep});
}

void tree_release(void)
{
	while (newest && newest->before) {
		struct block *block = newest;

		newest = block->before;
		free(block);
	}
	if (newest)
		newest->used = 0;
}

cJSON *tree_text(const char *text)
{
	const char *end = text + strlen(text), *at = text;
	char *clean, *out;
	cJSON *item;

	/* Most are ASCII. */
	while ((unsigned char)*at - 1u < 0x7f)
		at++;
	if (at == end)
		return cJSON_CreateString(text);
	out = clean = cli_alloc(3 * (size_t)(end - text) + 1);
	while (text < end) {
		size_t n = cli_utf8(text, end), bytes = n ? n : 3;

		/* U+FFFD, as the other documents have it. */
		memcpy(out, n ? text : "\357\277\275", bytes);
		out += bytes;
		text += n ? n : 1;
	}
	*out = '\0';
	item = cJSON_CreateString(clean);
	free(clean);
	return item;
}

cJSON *tree_read(const char *path)
{
	struct cli_file file = cli_read(path);
	const char *end, *behind = (const char *)file.data + file.size;
	cJSON *tree = cJSON_ParseWithLengthOpts(file.data, file.size, &end, false);

	if (!tree)
		cli_wrong("%s: this is no JSON document", path);
	while (end < behind && memchr(" \t\r\n", *end, 4))
		end++;
	if (end < behind)
		cli_wrong("%s: there is text behind the JSON document", path);
	cli_release(&file);
	return tree;
}

/* --- Text ---------------------------------------------------------------- */

static bool is_scalar(const cJSON *item)
{
	return !(item->type & (cJSON_Object | cJSON_Array));
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

/* A value in a line; `list` is kept, so that a list's text is made in the same memory. */
struct spelling {
	char number[32];
	char *list;
	size_t capacity;
};

static const char *spell_scalar(struct spelling *s, const cJSON *item)
{
	switch (item->type & 0xff) {
	case cJSON_Number:
		cli_spell_real(item->valuedouble, s->number);
		return s->number;
	case cJSON_String:
		return item->valuestring;
	default:
		return "";
	}
}

/* Stays until the next one is spelled. */
static const char *spell(struct spelling *s, const cJSON *item)
{
	size_t bytes = 0;
	const cJSON *element;

	if (is_scalar(item))
		return spell_scalar(s, item);
	cJSON_ArrayForEach(element, item) {
		const char *one = spell_scalar(s, element);
		size_t length = strlen(one);

		if (bytes + length + 2 > s->capacity)
			s->list = cli_realloc(s->list, s->capacity = 2 * (bytes + length) + 64);
		if (bytes)
			s->list[bytes++] = ' ';
		memcpy(s->list + bytes, one, length + 1);
		bytes += length;
	}
	return bytes ? s->list : "";
}

static void pad(int width)
{
	while (width-- > 0)
		putchar_unlocked(' ');
}

/* Words are short: a call of stdio for each would cost more than its letters. */
static void print_word(const char *text)
{
	while (*text)
		putchar_unlocked(*text++);
}

/* "name: ", or "name:" with a line's end. */
static void print_name(const char *name, int indent, const char *after)
{
	pad(indent);
	print_word(name);
	print_word(after);
}

static size_t print_value(struct spelling *s, const cJSON *item)
{
	const char *text = spell(s, item);
	size_t bytes = strlen(text);

	cli_print_clean(stdout, text, bytes);
	return bytes;
}

/* Text of several lines, as a block. */
static void print_lines(const char *name, const char *text, int indent)
{
	print_name(name, indent, ":\n");
	while (*text) {
		size_t bytes = strcspn(text, "\n");

		print_name("| ", indent + 2, "");
		cli_print_clean(stdout, text, bytes - (bytes && text[bytes - 1] == '\r'));
		putchar_unlocked('\n');
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

static void print_table(struct spelling *s, const cJSON *list, int indent)
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
			size_t bytes = strlen(spell(s, cell));

			if (bytes > widths[column])
				widths[column] = bytes;
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
	putchar_unlocked('\n');
	cJSON_ArrayForEach(row, list) {
		pad(indent);
		column = 0;
		cJSON_ArrayForEach(cell, row) {
			size_t bytes;

			pad(column ? 2 : 0);
			bytes = print_value(s, cell);
			if (cell->next)
				pad((int)(widths[column] - bytes));
			column++;
		}
		putchar_unlocked('\n');
	}
	free(widths);
}

static void print_members(struct spelling *s, const cJSON *tree, int indent)
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
			print_value(s, item);
			putchar_unlocked('\n');
			continue;
		}
		print_name(name, indent, ":\n");
		if (cJSON_IsArray(item) && is_table(item))
			print_table(s, item, indent + 2);
		else
			print_members(s, item, indent + 2);
	}
}

void tree_print(const cJSON *tree, int indent)
{
	struct spelling s = {0};

	print_members(&s, tree, indent);
	free(s.list);
}
