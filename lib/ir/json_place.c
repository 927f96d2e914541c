/* SPDX-License-Identifier: MIT */
/* Positions in a document whose text is gone: a chain of keys and indices, spelled when asked for. */
#include "ir/json.h"

#include "base/buf.h"

static const char names[GLC_KEY_COUNT][12] = {
	[GLC_KEY_NONE] = "",
#define KEY(NAME, name) [GLC_KEY_##NAME] = #name,
#include "ir/json_keys.def"
#undef KEY
};

const char *glc_key_name(enum glc_key key)
{
	return names[key];
}

enum glc_key glc_key_find(const char *name)
{
	for (int key = GLC_KEY_NONE + 1; key < GLC_KEY_STATEMENTS; key++)
		if (!strcmp(name, names[key]))
			return (enum glc_key)key;
	return GLC_KEY_NONE;
}

/* ".statements[4294967295]" is the longest step. */
enum { STEP_BYTES = 24 };

/* Writes the step in front of `at`. */
static char *prepend(char *at, const struct glc_place *place)
{
	const char *key = names[place->key];
	size_t bytes = strlen(key);

	if (place->index != GLC_NO_INDEX) {
		unsigned char digits[20];
		size_t count = (size_t)(glc_decimal(digits, place->index) - digits);

		*--at = ']';
		at -= count;
		memcpy(at, digits, count);
		*--at = '[';
	}
	at -= bytes;
	memcpy(at, key, bytes);
	if (bytes && place->parent)
		*--at = '.';
	return at;
}

/* Where a path of so many steps ends; NULL without memory. */
static char *path_end(struct glc_places *places, uint32_t steps)
{
	uint32_t need = steps * STEP_BYTES + 1;

	if (need > places->path_bytes) {
		char *grown = glc_bump(places->memory, need);

		if (!grown)
			return NULL;
		places->path = grown;
		places->path_bytes = need;
	}
	places->path[places->path_bytes - 1] = '\0';
	return places->path + places->path_bytes - 1;
}

static const char *spell(struct glc_places *places, uint32_t position)
{
	struct glc_place item = {.index = position - 1, .key = places->list_key};
	uint32_t steps = 0;
	char *at;

	if (places->list_key) {
		at = path_end(places, 1);
		return at ? prepend(at, &item) : "?";
	}
	for (uint32_t i = position; i; i = places->list.at[i].parent)
		steps++;
	at = path_end(places, steps);
	if (!at)
		return "?";
	for (uint32_t i = position; i; i = places->list.at[i].parent)
		at = prepend(at, &places->list.at[i]);
	return at;
}

static void locate(const struct glc_source_map *map, uint32_t position, struct glacier_location *location)
{
	struct glc_places *places = map->context;

	if (position >= GLC_PLACES_END) {
		struct glc_source_map texts = *map;

		texts.locate = NULL;
		glc_source_locate(&texts, position, location);
		return;
	}
	location->source = places->source;
	/* The document as a whole has no path. */
	if (!position || (!places->list_key && position >= places->list.count))
		return;
	location->kind = GLACIER_LOCATION_PATH;
	location->path = spell(places, position);
}

void glc_places_list(struct glc_places *places, struct glacier_memory *memory, enum glc_key key,
		     struct glc_source_map *map)
{
	*places = (struct glc_places){.memory = memory, .list_key = key};
	map->sources = NULL;
	map->count = 0;
	map->locate = locate;
	map->context = places;
}

bool glc_places_init(struct glc_places *places, struct glacier_memory *memory, const char *source,
		     struct glc_source_map *map)
{
	struct glc_place *root;

	glc_places_list(places, memory, GLC_KEY_NONE, map);
	places->source = source;
	root = GLC_PUSH(memory, &places->list);
	if (!root)
		return false;
	*root = (struct glc_place){.index = GLC_NO_INDEX};
	return true;
}

uint32_t glc_place(struct glc_places *places, uint32_t parent, enum glc_key key, uint32_t index)
{
	struct glc_place *place;

	/* A text of 2^28 bytes cannot have more; what programs build can. */
	if (places->list.count == GLC_PLACES_END || !(place = GLC_PUSH(places->memory, &places->list))) {
		places->failed = true;
		return parent;
	}
	*place = (struct glc_place){parent, index, key};
	return places->list.count - 1;
}
