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
	uint32_t base;
};

struct glc_source_map {
	const struct glc_source *sources;
	uint32_t count;
	/* JSON: meaning has a path, not a place. Fills the location from a position. */
	void (*locate)(const struct glc_source_map *map, uint32_t position,
		       struct glacier_location *location);
};

const struct glc_source *glc_source_at(const struct glc_source_map *map, uint32_t position);
void glc_source_locate(const struct glc_source_map *map, uint32_t position,
		       struct glacier_location *location);
/* The line number alone, from 1; for debug information. */
uint32_t glc_source_line(const struct glc_source *source, uint32_t position);

#endif
