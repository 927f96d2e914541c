/* SPDX-License-Identifier: MIT */
/*
 * What Khronos' machine-readable grammar says of opcodes and operands: arity, kinds, and
 * which capabilities, extensions and versions allow each. The tables are generated
 * (maint/spirv-grammar.py); strings and lists are offsets, so that nothing is relocated.
 */
#ifndef GLC_SPIRV_GRAMMAR_H
#define GLC_SPIRV_GRAMMAR_H

#include "spirv/grammar_enum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A kind in a list, with how often it stands there. */
enum { SPV_KIND = 0x3f, SPV_OPTIONAL = 0x40, SPV_VARIADIC = 0x80 };

/* A version that no module has: an extension or a capability must allow it, or nothing removes it. */
enum { SPV_NEVER = 255 };

/* What allows a row: one of the capabilities if there are any, and the version or one of the extensions. */
struct spv_need {
	uint16_t capabilities;
	uint8_t capability_count;
	uint8_t extensions, extension_count;
	uint8_t from, last;      /* minor versions; from SPV_NEVER: reserved; last SPV_NEVER: for ever */
};

struct spv_op_row {
	uint16_t op, name, need, kinds;
	uint8_t kind_count, klass, flags;   /* flags: SPV_HAS_TYPE, SPV_HAS_RESULT */
};

enum { SPV_HAS_TYPE = 1, SPV_HAS_RESULT = 2 };

struct spv_enumerant {
	uint32_t value;
	uint16_t name, need, kinds;
	uint8_t kind_count;      /* of its parameters */
};

enum spv_category { SPV_BITS, SPV_VALUE, SPV_ID, SPV_LITERAL, SPV_COMPOSITE };

struct spv_kind_row {
	uint16_t first, count, name;
	uint8_t category;
};

/* A set of extended instructions; where its name ends with a dot a revision follows. */
struct spv_set_row {
	uint16_t name, first, count;
};

struct spv_ext_row {
	uint16_t number, name, kinds;
	uint8_t kind_count;
};

/* Kinds are numbered by category. A test compares with the table. */
static inline enum spv_category spv_category(uint32_t kind)
{
	return kind < KindSourceLanguage ? SPV_BITS : kind < KindIdResultType ? SPV_VALUE :
	       kind < KindLiteralInteger ? SPV_ID : kind < KindPairLiteralIntegerIdRef ? SPV_LITERAL : SPV_COMPOSITE;
}

/* Sets of capabilities and extensions, by the places in enum { HasMatrix, ... } and spv_extension. */
struct spv_set {
	uint64_t words[4];
};

_Static_assert(HasCount <= 256 && ExtensionCount <= 256, "sets have 256 members");

static inline bool spv_in(const struct spv_set *set, uint32_t member)
{
	return set->words[member / 64] >> member % 64 & 1;
}

static inline void spv_add(struct spv_set *set, uint32_t member)
{
	set->words[member / 64] |= UINT64_C(1) << member % 64;
}

/* The tables that reading looks into at every instruction and operand. */
enum { SPV_NEAR = 448 };    /* opcodes below are found by their number */
extern const uint16_t spv_near_rows[SPV_NEAR];
extern const struct spv_op_row spv_op_rows[];
extern const struct spv_enumerant spv_enumerants[];
extern const struct spv_kind_row spv_kind_rows[KindCount];
extern const uint8_t spv_kind_lists[];

const struct spv_op_row *spv_op_search(uint32_t op);
const struct spv_enumerant *spv_enumerant_search(enum spv_kind kind, uint32_t value);

/* NULL when there is none. */
static inline const struct spv_op_row *spv_op_find(uint32_t op)
{
	if (op >= SPV_NEAR)
		return spv_op_search(op);
	return spv_near_rows[op] ? &spv_op_rows[spv_near_rows[op] - 1] : NULL;
}

/* Values ascend, so that a row stands at its value's place or before: mostly at most two before. */
static inline const struct spv_enumerant *spv_enumerant_find(enum spv_kind kind, uint32_t value)
{
	const struct spv_enumerant *rows = spv_enumerants + spv_kind_rows[kind].first;

	if (value < spv_kind_rows[kind].count)
		for (uint32_t at = value; value - at < 3; at--) {
			if (rows[at].value == value)
				return &rows[at];
			if (!at)
				break;
		}
	return spv_enumerant_search(kind, value);
}

/* The one of `count` rows, sorted by `member`, whose member is `key`; NULL when there is none. */
#define SPV_FIND(rows, count, member, key)                                           \
	({                                                                           \
		uint32_t low_ = 0, high_ = (count);                                  \
		while (low_ < high_) {                                               \
			uint32_t middle_ = (low_ + high_) / 2;                       \
			if ((rows)[middle_].member < (key))                          \
				low_ = middle_ + 1;                                  \
			else                                                         \
				high_ = middle_;                                     \
		}                                                                    \
		low_ < (count) && (rows)[low_].member == (key) ? &(rows)[low_] : NULL; \
	})

/* By the name in OpExtInstImport; SetCount when its instructions are not known. */
enum spv_set_name spv_set_find(const char *name, uint32_t bytes);
const char *spv_set_name(enum spv_set_name set);
/* NULL when the set has none of that number. */
const struct spv_ext_row *spv_ext_find(enum spv_set_name set, uint32_t number);

static inline const struct spv_kind_row *spv_kind_at(enum spv_kind kind)
{
	return &spv_kind_rows[kind];
}

enum { SPV_MOST_NEEDS = 384 };
const struct spv_need *spv_need_at(uint32_t need);
const char *spv_string(uint32_t offset);
/* A list of kinds of operands. */
static inline const uint8_t *spv_kinds(uint32_t offset)
{
	return spv_kind_lists + offset;
}

/* A capability's place by its value; HasCount when there is none. */
uint32_t spv_capability_find(uint32_t value);
/* Adds a capability with all that it implies. */
void spv_declare(struct spv_set *set, uint32_t capability);
/* The first capability, or extension, of those that would be enough. */
void spv_declare_needed(struct spv_set *set, const struct spv_need *need);
void spv_add_needed(struct spv_set *set, const struct spv_need *need);
const char *spv_capability_name(uint32_t capability);
/* Whether the list is empty or the set has one of it. */
bool spv_has_any_capability(const struct spv_set *set, uint32_t list, uint32_t count);
bool spv_has_any_extension(const struct spv_set *set, uint32_t list, uint32_t count);
/* The names of a list, for a message, separated by blanks. */
void spv_capability_names(char *out, uint32_t bytes, uint32_t list, uint32_t count);
void spv_extension_names(char *out, uint32_t bytes, uint32_t list, uint32_t count);
/* By name; ExtensionCount when there is none. */
uint32_t spv_extension_find(const char *name, uint32_t bytes);

#endif
