/* SPDX-License-Identifier: MIT */
/*
 * A growable run of bytes that a call fills: SPIR-V words, PTX text, a report.
 *
 * Zero-initialise it, pass it, read data and size, then reuse it (set size to 0:
 * capacity is kept, so the next fill allocates nothing) or glacier_buffer_fini it.
 * One thread at a time.
 */
#ifndef GLACIER_BUFFER_H
#define GLACIER_BUFFER_H

#include <glacier/base.h>

GLACIER_BEGIN

struct glacier_buffer {
	unsigned char *data;  /* size bytes; NULL while capacity is 0 */
	size_t size;
	size_t capacity;
	bool borrowed;        /* data is the caller's: it is replaced, not freed, when too small */
};

/*
 * Fill bytes of the caller's first, and move to the heap only when they do not suffice.
 * The buffer must be empty (new, or after fini): what it holds is forgotten.    Since: 0.1
 */
GLACIER_API void glacier_buffer_borrow(struct glacier_buffer *buffer, void *data, size_t bytes);

/* Frees the bytes unless they are borrowed, and leaves an empty buffer. NULL is allowed. Since: 0.1 */
GLACIER_API void glacier_buffer_fini(struct glacier_buffer *buffer);

GLACIER_END

#endif
