/* SPDX-License-Identifier: MIT */
#include "base/source.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static const char first[] = "ab\ncd efg\r\n\n  %x.1 = @f\n";  /* 25 bytes */
static const char second[] = "last";

static const struct glc_source sources[] = {
	{.text = first, .size = sizeof first - 1, .base = 0},
	{.name = "inc", .text = second, .size = sizeof second - 1, .base = 26},
};

Test(base_source, locates_every_kind_of_place)
{
	static const struct {
		uint32_t position;
		const char *name;
		uint32_t line, column, length;
		const char *source_line;
	} rows[] = {
		{0, NULL, 1, 1, 2, "ab"},
		{1, NULL, 1, 2, 1, "ab"},
		{2, NULL, 1, 3, 1, "ab"},                 /* the newline belongs to its line */
		{3, NULL, 2, 1, 2, "cd efg"},
		{6, NULL, 2, 4, 3, "cd efg"},
		{9, NULL, 2, 7, 1, "cd efg"},             /* the carriage return */
		{10, NULL, 2, 8, 1, "cd efg"},
		{11, NULL, 3, 1, 1, ""},
		{12, NULL, 4, 1, 1, "  %x.1 = @f"},
		{14, NULL, 4, 3, 4, "  %x.1 = @f"},       /* a name with its sigil */
		{19, NULL, 4, 8, 1, "  %x.1 = @f"},
		{21, NULL, 4, 10, 2, "  %x.1 = @f"},
		{24, NULL, 5, 1, 1, ""},                  /* the end */
		{26, "inc", 1, 1, 4, "last"},
		{30, "inc", 1, 5, 1, "last"},
		{4000000000, "inc", 1, 5, 1, "last"},     /* behind all: the end */
	};
	enum { ROWS = sizeof rows / sizeof *rows };
	struct glc_line last = {0};

	/* With and without a kept line; up, then down. */
	for (int pass = 0; pass < 4; pass++) {
		struct glc_source_map map = {.sources = sources, .count = 2, .last = pass % 2 ? &last : NULL};

		for (size_t i = 0; i < ROWS; i++) {
			size_t r = pass < 2 ? i : ROWS - 1 - i;
			struct glacier_location location = {0};

			glc_source_locate(&map, rows[r].position, &location);
			cr_expect(eq(int, location.kind, GLACIER_LOCATION_TEXT));
			cr_expect(rows[r].name ? location.source && !strcmp(location.source, rows[r].name)
					       : !location.source, "position %u", rows[r].position);
			cr_expect(eq(u32, location.line, rows[r].line), "position %u", rows[r].position);
			cr_expect(eq(u32, location.column, rows[r].column), "position %u", rows[r].position);
			cr_expect(eq(u32, location.length, rows[r].length), "position %u", rows[r].position);
			cr_expect(location.source_line_bytes == strlen(rows[r].source_line) &&
				  !memcmp(location.source_line, rows[r].source_line, location.source_line_bytes),
				  "position %u: %.*s", rows[r].position, (int)location.source_line_bytes,
				  location.source_line);
		}
	}
}

/* Each pair of positions, so that every way from a kept line to another is gone. */
Test(base_source, finds_the_same_line_from_any_other)
{
	for (uint32_t from = 0; from <= sources[0].size; from++) {
		for (uint32_t to = 0; to <= sources[0].size; to++) {
			struct glc_line line = {0};
			uint32_t number = 1;

			for (uint32_t i = 0; i < to; i++)
				number += first[i] == '\n';
			glc_source_find_line(&line, &sources[0], from);
			glc_source_find_line(&line, &sources[0], to);
			cr_assert(eq(u32, line.number, number), "from %u to %u", from, to);
			cr_assert(line.start <= to && to <= line.end, "from %u to %u", from, to);
			cr_assert(eq(u32, glc_source_line(&sources[0], to), number));
		}
	}
}

Test(base_source, takes_an_empty_text_without_bytes)
{
	static const struct glc_source empty = {0};
	struct glc_source_map map = {.sources = &empty, .count = 1};
	struct glacier_location location = {0};

	glc_source_locate(&map, 0, &location);
	cr_expect(eq(u32, location.line, 1));
	cr_expect(eq(u32, location.column, 1));
	cr_expect(eq(u32, location.length, 1));
	map.count = 0;
	cr_expect(glc_source_at(&map, 5) == NULL);
	memset(&location, 0, sizeof location);
	glc_source_locate(&map, 5, &location);
	cr_expect(eq(int, location.kind, GLACIER_LOCATION_NONE));
}
