/* SPDX-License-Identifier: MIT */
#include "refused.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 200, COLUMNS = 5 };

static struct row {
	char column[COLUMNS][400];   /* instructions, types, targets, code, reason */
	unsigned line;
	bool used;
} rows[MOST_ROWS];
static unsigned row_count;

/* The text between blanks, of at most bytes with the terminator. */
static void trim(char *out, size_t bytes, const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	snprintf(out, bytes, "%.*s", (int)(to - from), from);
}

static bool is_code(const char *text)
{
	return !strncmp(text, "GA", 2) && strlen(text) == 6 && strspn(text + 2, "0123456789") == 4;
}

bool refused_read(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[2000];
	bool good = true;

	if (!file) {
		printf("%s cannot be read\n", path);
		return false;
	}
	for (unsigned number = 1; fgets(line, sizeof line, file); number++) {
		struct row *row = &rows[row_count];
		const char *at = line;
		int column = 0;

		if (line[0] != '|' || row_count == MOST_ROWS)
			continue;
		for (; column < COLUMNS && *at == '|'; column++) {
			const char *end = strchr(at + 1, '|');

			if (!end)
				break;
			trim(row->column[column], sizeof row->column[column], at + 1, end);
			at = end;
		}
		if (column == COLUMNS && !is_code(row->column[3]))
			continue;   /* a heading */
		if (column != COLUMNS || !row->column[4][0]) {
			printf("%s:%u: five columns are wanted, the last with a reason\n", path, number);
			good = false;
			continue;
		}
		row->line = number;
		row_count++;
	}
	fclose(file);
	return good;
}

/* Does one of the words of a list, in which * stands for any text, match that word? */
static bool lists(const char *list, const char *word)
{
	char pattern[64];

	while (*list) {
		size_t bytes = strcspn(list, " ");

		snprintf(pattern, sizeof pattern, "%.*s", (int)bytes, list);
		if (fnmatch(pattern, word, 0) == 0)
			return true;
		list += bytes;
		list += strspn(list, " ");
	}
	return false;
}

/* A type's name, or a class of types. */
static bool type_matches(const char *word, size_t bytes, enum ev_type type)
{
	const struct {
		const char *name;
		bool matches;
	} classes[] = {
		{"*", true},
		{ev_type_name(type), true},
		{"int", type >= EV_I32 && type <= EV_U64},
		{"signed", ev_is_signed(type)},
		{"unsigned", type == EV_U32 || type == EV_U64},
		{"float", ev_is_float(type)},
		{"32", ev_bits(type) == 32},
		{"64", ev_bits(type) == 64},
	};

	for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
		if (strlen(classes[i].name) == bytes && !memcmp(classes[i].name, word, bytes))
			return classes[i].matches;
	return false;
}

static bool types_match(const char *list, const struct cell *cell)
{
	if (!cell->typed)
		return !strcmp(list, "-");
	while (*list) {
		size_t bytes = strcspn(list, " "), first = strcspn(list, ". ");

		if (!cell->two && type_matches(list, bytes, cell->type))
			return true;
		if (cell->two && first < bytes && type_matches(list, first, cell->type) &&
		    type_matches(list + first + 1, bytes - first - 1, cell->from))
			return true;
		list += bytes;
		list += strspn(list, " ");
	}
	return false;
}

const char *refused_code(const struct cell *cell, const char *target)
{
	for (unsigned i = 0; i < row_count; i++) {
		struct row *row = &rows[i];

		if (!lists(row->column[0], cell->row) || !types_match(row->column[1], cell))
			continue;
		if (!strcmp(row->column[2], "all") || lists(row->column[2], target)) {
			row->used = true;
			return row->column[3];
		}
	}
	return NULL;
}

unsigned refused_unused(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < row_count; i++)
		if (!rows[i].used) {
			printf("doc/REFUSED.md:%u: no cell is meant: %s\n", rows[i].line, rows[i].column[0]);
			count++;
		}
	return count;
}
