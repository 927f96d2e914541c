/* SPDX-License-Identifier: MIT */
/*
 * A bounds-checked little-endian cursor over bytes of any alignment. A read past the end
 * gives 0 and sets `failed`, which the reader looks at once per structure.
 */
#ifndef GLC_BASE_CURSOR_H
#define GLC_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct glc_cursor {
	const unsigned char *base;
	size_t size;
	size_t offset;  /* never above size */
	bool failed;
};

static inline struct glc_cursor glc_cursor(const void *base, size_t size)
{
	return (struct glc_cursor){.base = base, .size = size};
}

static inline uint16_t glc_le16(const void *at)
{
	const unsigned char *b = at;

	return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t glc_le32(const void *at)
{
	const unsigned char *b = at;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t glc_le64(const void *at)
{
	return glc_le32(at) | (uint64_t)glc_le32((const unsigned char *)at + 4) << 32;
}

/* The next `bytes` bytes, or NULL. */
static inline const unsigned char *glc_take(struct glc_cursor *cursor, size_t bytes)
{
	const unsigned char *at;

	if (cursor->size - cursor->offset < bytes) {
		cursor->failed = true;
		return NULL;
	}
	at = cursor->base + cursor->offset;
	cursor->offset += bytes;
	return at;
}

static inline uint8_t glc_take8(struct glc_cursor *cursor)
{
	const unsigned char *at = glc_take(cursor, 1);

	return at ? *at : 0;
}

static inline uint16_t glc_take16(struct glc_cursor *cursor)
{
	const unsigned char *at = glc_take(cursor, 2);

	return at ? glc_le16(at) : 0;
}

static inline uint32_t glc_take32(struct glc_cursor *cursor)
{
	const unsigned char *at = glc_take(cursor, 4);

	return at ? glc_le32(at) : 0;
}

static inline uint64_t glc_take64(struct glc_cursor *cursor)
{
	const unsigned char *at = glc_take(cursor, 8);

	return at ? glc_le64(at) : 0;
}

/* Move to an absolute offset; false, and failed, when it lies outside. */
static inline bool glc_seek(struct glc_cursor *cursor, size_t offset)
{
	if (offset > cursor->size) {
		cursor->failed = true;
		return false;
	}
	cursor->offset = offset;
	return true;
}

#endif
