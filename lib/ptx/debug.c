/* SPDX-License-Identifier: MIT */
/*
 * Line information (-g). Positions mostly go forward, so the line is counted from the one
 * before instead of from the start of the text.
 */
#include "ptx/emit.h"

/* PTX strings have no escapes. */
static void put_quoted(struct emitter *e, const char *text)
{
	glc_putc(&e->out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		glc_putc(&e->out, (char)(c == '"' ? '\'' : c < 0x20 || c == 0x7f ? '?' : c));
	}
	glc_putc(&e->out, '"');
}

void glc_ptx_files(struct emitter *e)
{
	const struct glc_source_map *map = e->input->map;

	for (uint32_t i = 0; map && i < map->count; i++) {
		if (!map->sources[i].text)
			continue;
		e->out.at = glc_decimal(TEXT(begin_line(e), ".file "), i + 1);
		glc_putc(&e->out, ' ');
		put_quoted(e, map->sources[i].name ? map->sources[i].name : "<stdin>");
		glc_putc(&e->out, '\n');
	}
}

/* Moves the place to pos, counting line ends on the way. */
static void walk(struct emitter *e, uint32_t pos)
{
	const char *text = e->source->text, *start = text + (pos - e->source->base);
	uint32_t lines = e->source_line;

	if (pos >= e->source_pos) {
		const char *at = text + (e->source_pos - e->source->base), *end = start;

		while ((at = memchr(at, '\n', (size_t)(end - at)))) {
			lines++;
			at++;
		}
	} else {
		const char *at = start, *end = text + (e->source_pos - e->source->base);

		while ((at = memchr(at, '\n', (size_t)(end - at)))) {
			lines--;
			at++;
		}
	}
	e->source_pos = pos;
	e->source_line = lines;
	while (start > text && start[-1] != '\n')
		start--;
	e->source_column = pos - e->source->base - (uint32_t)(start - text) + 1;
}

void glc_ptx_loc(struct emitter *e, uint32_t pos)
{
	const struct glc_source_map *map = e->input->map;
	const struct glc_source *source = map ? glc_source_at(map, pos) : NULL;
	uint32_t line = e->source_line, column = e->source_column;
	bool moved = source != e->source;
	unsigned char *at;

	if (!source || !source->text || pos - source->base > source->size || (!moved && pos == e->source_pos))
		return;
	if (moved) {
		e->source = source;
		e->source_pos = source->base;
		e->source_line = 1;
	}
	walk(e, pos);
	if (!moved && line == e->source_line && column == e->source_column)
		return;
	at = glc_decimal(TEXT(begin_line(e), "\t.loc "), (uint64_t)(source - map->sources) + 1);
	*at++ = ' ';
	at = glc_decimal(at, e->source_line);
	*at++ = ' ';
	at = glc_decimal(at, e->source_column);
	*at++ = '\n';
	e->out.at = at;
}
