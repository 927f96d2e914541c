/* SPDX-License-Identifier: MIT */
/*
 * The text front end: .gasm to statement tree. text_decl.c reads modules, headers and
 * declarations, text_stmt.c the bodies, text_lex.h the characters.
 */
#ifndef GLC_IR_TEXT_H
#define GLC_IR_TEXT_H

#include <glacier/kernel.h>

#include "ir/tree.h"

enum { GLC_MAX_INCLUDE_DEPTH = 16, GLC_MAX_SOURCES = 4096 };

/* The texts of one module. Positions of the next text begin at next_base. */
struct glc_sources {
	GLC_ARRAY(struct glc_source) list;
	uint32_t next_base;
};

/*
 * Add a text: it is copied into memory behind a terminating NUL, which lets the lexer look
 * at characters without asking for the end. NULL, reported, when it is too large.
 */
const struct glc_source *glc_sources_add(struct glc_sources *sources, struct glacier_memory *memory,
					 const struct glacier_text *text, struct glc_source_map *map,
					 struct glacier_diag *diag);

/* Parse the text `source`, and what it includes, into the tree. What is wrong is in tree->diag. */
void glc_text_parse(struct glc_tree *tree, struct glc_sources *sources, struct glc_source_map *map,
		    const struct glc_source *source, const struct glacier_read_options *options);

struct glc_text_parser;

/*
 * What an include statement does: declarations of the text that the path names enter the tree.
 * path.at is terminated and lives as long as the tree. False, reported, when it cannot be read.
 */
bool glc_text_include(struct glc_text_parser *p, struct glc_name path, uint32_t pos);

/* --- Between the two files ----------------------------------------------- */

struct glc_text_parser {
	struct glc_tree *tree;
	const char *at;            /* the next character; the text ends in a NUL */
	const char *text, *end;
	uint32_t base;             /* position of text[0] */
	struct glc_sources *sources;
	struct glc_source_map *map;
	const struct glc_source *source;
	const struct glacier_read_options *options;
	uint32_t depth;            /* of includes */
	bool stopped;              /* too many errors, or one that leaves no place to go on from */
};

/* After the { of a kernel, up to and with its }. */
void glc_text_body(struct glc_text_parser *p);
/* `shared @t: f32[N]` or `local …`, behind the keyword. */
void glc_text_array(struct glc_text_parser *p, enum glc_object_kind kind);

#endif
