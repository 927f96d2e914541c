/* SPDX-License-Identifier: MIT */
/*
 * The texts of one compilation. A position is one uint32_t over all of them: each text
 * takes the numbers from its base to base + size (the end included, so that "at the end
 * of the file" is a place). Lines are counted only when a diagnostic asks.
 */
#ifndef GLC_BASE_SOURCE_H
#define GLC_BASE_SOURCE_H

#include <glacier/diagnostic.h>

struct glc_source {
	const char *name;  /* NULL: the main input */
	const char *text;
	size_t size;
	uint32_t base;     /* base + size is below 2^32 */
};

/*
 * A line of a text. Zero-initialised it is no line yet; kept from one search to the next it
 * makes searches in nearly ascending order (debug information, many warnings) cost what
 * lies between them, instead of a count from the start for each.
 */
struct glc_line {
	const struct glc_source *source;
	uint32_t number;      /* from 1 */
	uint32_t start, end;  /* offsets into the text; end: of the newline, or the text's size */
};

struct glc_source_map {
	const struct glc_source *sources;  /* ascending by base */
	uint32_t count;
	struct glc_line *last;             /* kept between diagnostics; NULL: not kept */
	/* JSON: meaning has a path, not a place. Fills the location from a position. */
	void (*locate)(const struct glc_source_map *map, uint32_t position,
		       struct glacier_location *location);
	void *context;                     /* what locate needs */
};

/* The text that a position lies in; NULL when it lies before the first. */
const struct glc_source *glc_source_at(const struct glc_source_map *map, uint32_t position);

/* Moves *line to the one that holds the position, which lies in the source. */
void glc_source_find_line(struct glc_line *line, const struct glc_source *source, uint32_t position);

/* The number of that line alone, counted from the start. */
uint32_t glc_source_line(const struct glc_source *source, uint32_t position);

/* A position behind the last text is taken for its end. */
void glc_source_locate(const struct glc_source_map *map, uint32_t position,
		       struct glacier_location *location);

#endif
