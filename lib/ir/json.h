/* SPDX-License-Identifier: MIT */
/*
 * The JSON front end: glacier-kernel(7), JSON. json_scan.c looks at the characters,
 * cJSON makes values of them, json_parse.c reads modules and declarations, json_stmt.c
 * the bodies, json_place.c knows where in the document each thing stands.
 */
#ifndef GLC_IR_JSON_H
#define GLC_IR_JSON_H

#include <glacier/kernel.h>

#include <cjson/cJSON.h>

#include "ir/text_lex.h"

enum {
	GLC_MAX_JSON_BYTES = 1 << 28,
	GLC_MAX_JSON_NESTING = 480,   /* of blocks; each is an object and an array */
	GLC_MAX_JSON_DEPTH = 980,     /* of objects and arrays; cJSON itself goes to 1,000 */
};

struct glc_places;

/*
 * Reads the document into the tree. Included texts are added to `sources`. Afterwards
 * positions are places: `map` resolves them to paths, and those of included texts to lines.
 * What is wrong is in tree->diag.
 */
void glc_json_parse(struct glc_tree *tree, struct glc_sources *sources, struct glc_source_map *map,
		    struct glc_places *places, const struct glacier_text *input,
		    const struct glacier_read_options *options);

/* The same for a bare array of rows, which are pushed to tree->rows. */
void glc_json_parse_rows(struct glc_tree *tree, struct glc_source_map *map, struct glc_places *places,
			 const struct glacier_text *input);

/* --- json_scan.c --------------------------------------------------------- */

/*
 * Whether the text is one JSON value (RFC 8259), UTF-8, nested at most GLC_MAX_JSON_DEPTH deep and
 * without NUL characters, which a C string cannot hold. Reports at base + offset.
 * cJSON is more lenient than the standard, and its only word for a failure is a position:
 * behind this scan it has nothing left to refuse, so that its failure means memory.
 */
bool glc_json_scan(struct glacier_diag *diag, const char *text, size_t size, uint32_t base);

bool glc_is_utf8(const char *text, size_t bytes);

/* --- json_place.c: positions that are paths ------------------------------ */

/* The keys of all objects that the form has. */
enum glc_key {
	GLC_KEY_NONE,
#define KEY(NAME, name) GLC_KEY_##NAME,
#include "ir/json_keys.def"
#undef KEY
	GLC_KEY_COUNT
};

const char *glc_key_name(enum glc_key key);
/* GLC_KEY_NONE when there is none of that name. */
enum glc_key glc_key_find(const char *name);

#define GLC_NO_INDEX UINT32_MAX

struct glc_place {
	uint32_t parent;    /* index of a place; 0 is the document */
	uint32_t index;     /* in the array, or GLC_NO_INDEX */
	uint32_t key;
};

struct glc_places {
	struct glacier_memory *memory;
	const char *source;           /* the input's name */
	GLC_ARRAY(struct glc_place) list;
	enum glc_key list_key;        /* not NONE: position i + 1 is list_key[i], and no place is kept */
	char *path;                   /* of the diagnostic that is being reported */
	uint32_t path_bytes;
	bool failed;                  /* memory */
};

/* Positions from here on belong to included texts. */
#define GLC_PLACES_END 0x40000000u

bool glc_places_init(struct glc_places *places, struct glacier_memory *memory, const char *source,
		     struct glc_source_map *map);
/* Positions of a plain list: 0 is the whole, i + 1 is key[i]. */
void glc_places_list(struct glc_places *places, struct glacier_memory *memory, enum glc_key key,
		     struct glc_source_map *map);
/* The position of parent.key[index]. */
uint32_t glc_place(struct glc_places *places, uint32_t parent, enum glc_key key, uint32_t index);

/* --- Between json_parse.c and json_stmt.c -------------------------------- */

struct glc_json {
	struct glc_tree *tree;
	struct glc_places *places;
	const cJSON *member[GLC_KEY_COUNT];   /* of the object read last */
};

#define GLC_KEY_BIT(key) (UINT64_C(1) << (key))
/*
 * Fills j->member; false, reported at `pos`, when the value is no object, has keys beyond
 * `allowed`, or one twice. what: "a kernel", for messages.
 */
bool glc_json_members(struct glc_json *j, const cJSON *object, uint64_t allowed, const char *what,
		      uint32_t pos);
/* False, reported, when j->member has no such key. */
bool glc_json_needs(struct glc_json *j, enum glc_key key, const char *what, uint32_t pos);
/* The text in memory of the module. */
struct glc_name glc_json_copy(struct glc_json *j, const char *text);
/* Reports that `what` is not what is `wanted`; gives false. */
bool glc_json_shape(struct glc_json *j, uint32_t pos, const char *what, const char *wanted);
/* A register, object or literal. */
bool glc_json_operand(struct glc_json *j, const cJSON *value, uint32_t pos, struct glc_operand *operand);
struct glc_operand glc_json_register(struct glc_json *j, const char *name, uint32_t pos);
bool glc_json_whole(const cJSON *value, int64_t *number);
/* The array of statements parent.body. */
void glc_json_body(struct glc_json *j, const cJSON *statements, uint32_t parent);
/* The array of rows parent.key, pushed to tree->rows. */
void glc_json_rows(struct glc_json *j, const cJSON *rows, uint32_t parent, enum glc_key key);

#endif
