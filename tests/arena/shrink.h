/* SPDX-License-Identifier: MIT */
/*
 * The shortest part of a list that still fails, by delta debugging: pieces are left out, large ones first, and what is left
 * is tried again, until no single element can go.
 */
#ifndef TESTS_ARENA_SHRINK_H
#define TESTS_ARENA_SHRINK_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* fails: whether a list of `count` elements of `bytes` each does. all is changed; how many are left. */
static inline size_t shrink(void *all, size_t count, size_t bytes, void *room, bool (*fails)(void *user, const void *list, size_t count),
			    void *user)
{
	unsigned char *list = all, *less = room;

	for (size_t piece = count / 2; piece;) {
		bool changed = false;

		/* From the end: what comes after the failure goes first. */
		for (size_t end = count; end;) {
			size_t begin = end > piece ? end - piece : 0, rest = count - end;

			memcpy(less, list, begin * bytes);
			memcpy(less + begin * bytes, list + end * bytes, rest * bytes);
			if (fails(user, less, begin + rest)) {
				count = begin + rest;
				memcpy(list, less, count * bytes);
				changed = true;
			}
			end = begin;
		}
		/* One pass of single elements may make others superfluous. */
		if (!(piece == 1 && changed))
			piece /= 2;
		if (piece > count && count)
			piece = count;
	}
	return count;
}

#endif
