/* SPDX-License-Identifier: MIT */
#include "spirv/grammar.h"

#include <stdio.h>
#include <string.h>

#include "spirv/grammar.inc"

enum { ROWS = sizeof spv_op_rows / sizeof spv_op_rows[0] };

const struct spv_op_row *spv_op_search(uint32_t op)
{
	return SPV_FIND(spv_op_rows, ROWS, op, op);
}

const struct spv_enumerant *spv_enumerant_search(enum spv_kind kind, uint32_t value)
{
	const struct spv_enumerant *rows = spv_enumerants + spv_kind_rows[kind].first;

	return SPV_FIND(rows, spv_kind_rows[kind].count, value, value);
}

enum spv_set_name spv_set_find(const char *name, uint32_t bytes)
{
	for (uint32_t set = 0; set < SetCount; set++) {
		const char *known = strings + set_rows[set].name;
		size_t length = strlen(known);
		bool prefix = known[length - 1] == '.';

		if ((prefix ? bytes >= length : bytes == length) && !memcmp(name, known, length))
			return (enum spv_set_name)set;
	}
	return SetCount;
}

const char *spv_set_name(enum spv_set_name set)
{
	return strings + set_rows[set].name;
}

const struct spv_ext_row *spv_ext_find(enum spv_set_name set, uint32_t number)
{
	const struct spv_ext_row *rows = ext_rows + set_rows[set].first;

	return SPV_FIND(rows, set_rows[set].count, number, number);
}

_Static_assert(sizeof needs / sizeof needs[0] <= SPV_MOST_NEEDS, "a need has its place in arrays");

const struct spv_need *spv_need_at(uint32_t need)
{
	return &needs[need];
}

const char *spv_string(uint32_t offset)
{
	return strings + offset;
}

uint32_t spv_capability_find(uint32_t value)
{
	const struct spv_enumerant *row = spv_enumerant_find(KindCapability, value);

	return row ? (uint32_t)(row - (spv_enumerants + spv_kind_rows[KindCapability].first)) : HasCount;
}

void spv_declare(struct spv_set *set, uint32_t capability)
{
	for (int i = 0; i < 4; i++)
		set->words[i] |= implied[capability][i];
}

const char *spv_capability_name(uint32_t capability)
{
	return strings + spv_enumerants[spv_kind_rows[KindCapability].first + capability].name;
}

void spv_declare_needed(struct spv_set *set, const struct spv_need *need)
{
	if (need->capability_count)
		spv_declare(set, capability_lists[need->capabilities]);
}

void spv_add_needed(struct spv_set *set, const struct spv_need *need)
{
	if (need->extension_count)
		spv_add(set, extension_lists[need->extensions]);
}

bool spv_has_any_capability(const struct spv_set *set, uint32_t list, uint32_t count)
{
	bool any = !count;

	for (uint32_t i = 0; i < count && !any; i++)
		any = spv_in(set, capability_lists[list + i]);
	return any;
}

bool spv_has_any_extension(const struct spv_set *set, uint32_t list, uint32_t count)
{
	bool any = false;

	for (uint32_t i = 0; i < count && !any; i++)
		any = spv_in(set, extension_lists[list + i]);
	return any;
}

static uint32_t append(char *out, uint32_t at, uint32_t bytes, const char *name)
{
	int more = at < bytes ? snprintf(out + at, bytes - at, "%s%s", at ? " " : "", name) : 0;

	return at + (uint32_t)(more > 0 ? more : 0);
}

void spv_capability_names(char *out, uint32_t bytes, uint32_t list, uint32_t count)
{
	uint32_t at = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < count; i++)
		at = append(out, at, bytes, spv_capability_name(capability_lists[list + i]));
}

void spv_extension_names(char *out, uint32_t bytes, uint32_t list, uint32_t count)
{
	uint32_t at = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < count; i++)
		at = append(out, at, bytes, strings + extension_names[extension_lists[list + i]]);
}

uint32_t spv_extension_find(const char *name, uint32_t bytes)
{
	uint32_t low = 0, high = ExtensionCount;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const char *at = strings + extension_names[middle];
		int order = strncmp(at, name, bytes);

		if (!order && !at[bytes])
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return ExtensionCount;
}
