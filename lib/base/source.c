/* SPDX-License-Identifier: MIT */
#include "base/source.h"

#include <string.h>

const struct glc_source *glc_source_at(const struct glc_source_map *map, uint32_t position)
{
	for (uint32_t i = map->count; i-- > 0;)
		if (position >= map->sources[i].base)
			return &map->sources[i];
	return NULL;
}

static uint32_t line_end(const struct glc_source *source, uint32_t offset)
{
	const char *newline = NULL;

	if (offset < source->size)  /* an empty text may be NULL, which memchr does not take */
		newline = memchr(source->text + offset, '\n', source->size - offset);
	return newline ? (uint32_t)(newline - source->text) : (uint32_t)source->size;
}

static uint32_t line_start(const struct glc_source *source, uint32_t offset)
{
	while (offset && source->text[offset - 1] != '\n')
		offset--;
	return offset;
}

void glc_source_find_line(struct glc_line *line, const struct glc_source *source, uint32_t position)
{
	uint32_t offset = position - source->base;

	/* From the top, unless the way from the line at hand is shorter. */
	if (line->source != source || offset < line->start / 2)
		*line = (struct glc_line){.source = source, .number = 1, .end = line_end(source, 0)};
	while (offset > line->end) {
		line->number++;
		line->start = line->end + 1;
		line->end = line_end(source, line->start);
	}
	while (offset < line->start) {
		line->number--;
		line->end = line->start - 1;
		line->start = line_start(source, line->end);
	}
}

uint32_t glc_source_line(const struct glc_source *source, uint32_t position)
{
	struct glc_line line = {0};

	glc_source_find_line(&line, source, position);
	return line.number;
}

/* How many bytes the word at `at` has: what a caret underlines. at may lie one behind end. */
static uint32_t word_length(const char *at, const char *end)
{
	const char *start = at;

	if (at < end && (*at == '%' || *at == '@'))
		at++;
	while (at < end && (*at == '_' || *at == '.' || (*at >= '0' && *at <= '9') ||
			    (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')))
		at++;
	return at > start ? (uint32_t)(at - start) : 1;
}

void glc_source_locate(const struct glc_source_map *map, uint32_t position,
		       struct glacier_location *location)
{
	struct glc_line here = {0}, *line = map->last ? map->last : &here;
	const struct glc_source *source;
	const char *start, *at, *end;

	if (map->locate) {
		map->locate(map, position, location);
		return;
	}
	source = glc_source_at(map, position);
	if (!source)
		return;
	if (position - source->base > source->size)
		position = source->base + (uint32_t)source->size;
	glc_source_find_line(line, source, position);
	location->kind = GLACIER_LOCATION_TEXT;
	location->source = source->name;
	location->line = line->number;
	location->column = position - source->base - line->start + 1;
	location->length = 1;
	if (!source->text)
		return;

	start = source->text + line->start;
	at = source->text + (position - source->base);
	end = source->text + line->end;
	if (end > start && end[-1] == '\r')
		end--;
	location->length = word_length(at, end);
	location->source_line = start;
	location->source_line_bytes = (size_t)(end - start);
}
