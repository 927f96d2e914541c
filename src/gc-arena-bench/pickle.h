/* SPDX-License-Identifier: MIT */
/*
 * Python's pickles, protocols 2 to 5, as far as data goes: containers, strings, numbers, None and the memo.
 * Whatever would call something (GLOBAL, REDUCE, BUILD and their kin) is refused by name. Values
 * may be shared, and contain themselves: a reader goes to what it knows, and does not walk.
 */
#ifndef GC_ARENA_BENCH_PICKLE_H
#define GC_ARENA_BENCH_PICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind { VALUE_NONE, VALUE_BOOL, VALUE_INT, VALUE_REAL, VALUE_TEXT, VALUE_LIST, VALUE_DICT, VALUE_MARK };

struct value {
	enum value_kind kind;
	int64_t number;
	const char *text;          /* in the file; `count` bytes, no terminator */
	struct value **item;       /* LIST: items; DICT: key, value, key, value */
	size_t count, capacity;
};

struct pickle {
	struct value **made;       /* all of them, for the end */
	size_t made_count, made_capacity;
	struct value *top;         /* what the pickle is */
	char error[128];           /* why it is refused, and where */
	size_t error_at;
};

/* False, with a reason, when it is no such pickle. The data must outlive it. */
bool pickle_read(struct pickle *pickle, const void *data, size_t bytes);
void pickle_fini(struct pickle *pickle);
/* The value of a key that is a text; NULL: no dictionary, or no such key. */
const struct value *pickle_member(const struct value *dict, const char *key);

#endif
