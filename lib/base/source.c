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

uint32_t glc_source_line(const struct glc_source *source, uint32_t position)
{
	const char *at = source->text, *end = at + (position - source->base);
	uint32_t line = 1;

	while ((at = memchr(at, '\n', (size_t)(end - at)))) {
		line++;
		at++;
	}
	return line;
}

/* How many bytes the word at `at` has: what a caret underlines. */
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
	const struct glc_source *source;
	const char *line, *at, *end;

	if (map->locate) {
		map->locate(map, position, location);
		return;
	}
	source = glc_source_at(map, position);
	if (!source)
		return;
	if (position - source->base > source->size)
		position = source->base + (uint32_t)source->size;
	at = source->text + (position - source->base);
	for (line = at; line > source->text && line[-1] != '\n'; line--)
		;
	end = memchr(at, '\n', source->size - (position - source->base));
	if (!end)
		end = source->text + source->size;

	location->kind = GLACIER_LOCATION_TEXT;
	location->source = source->name;
	location->line = glc_source_line(source, position);
	location->column = (uint32_t)(at - line) + 1;
	location->length = word_length(at, end);
	location->source_line = line;
	location->source_line_bytes = (size_t)(end - line);
}
