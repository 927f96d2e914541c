/* SPDX-License-Identifier: MIT */
/*
 * Bump memory: allocations of one task, freed all at once.
 *
 * It begins in the caller's bytes, if any, and grows by blocks from malloc, which a
 * reset keeps: a task repeated on a warm memory makes no heap call. One thread at a time.
 */
#ifndef GLACIER_MEMORY_H
#define GLACIER_MEMORY_H

#include <glacier/base.h>

GLACIER_BEGIN

struct glacier_memory {
	unsigned char *next, *end;        /* the free rest of the current block */
	struct glacier_memory_block *first, *current;
	unsigned char *base;              /* the caller's bytes */
	size_t base_bytes;
	size_t limit_bytes;               /* take no more than this from malloc; 0: no limit. Set after init */
	size_t held_bytes;                /* in blocks from malloc, whether in use or kept */
};

/* base, of any alignment, must outlive the memory; NULL when bytes is 0. Since: 0.1 */
GLACIER_API void glacier_memory_init(struct glacier_memory *memory, void *base, size_t bytes);

/* Forgets every allocation and keeps the blocks. Since: 0.1 */
GLACIER_API void glacier_memory_reset(struct glacier_memory *memory);

/* Frees the blocks. NULL is allowed. Since: 0.1 */
GLACIER_API void glacier_memory_fini(struct glacier_memory *memory);

/* bytes aligned to 16, uninitialised; NULL when memory runs out. Since: 0.1 */
GLACIER_API void *glacier_memory_alloc(struct glacier_memory *memory, size_t bytes);

GLACIER_END

#endif
