/* SPDX-License-Identifier: MIT */
/*
 * Blocks form a list in the order they were made; `current` walks it. After a reset the
 * walk starts over, so a block is reused before a new one is asked for. A block too small
 * for the request at hand is skipped, not freed: the next reset finds it again.
 */
#include "base/bump.h"

#include <stdlib.h>

struct glacier_memory_block {
	struct glacier_memory_block *next;
	size_t bytes;  /* of data[] */
	_Alignas(16) unsigned char data[];
};

enum { FIRST_BLOCK_BYTES = 64 * 1024, LARGEST_STEP_BYTES = 64 * 1024 * 1024 };

void glacier_memory_init(struct glacier_memory *memory, void *base, size_t bytes)
{
	size_t skew = (size_t)(-(uintptr_t)base & 15);

	memset(memory, 0, sizeof *memory);
	if (bytes > skew) {
		memory->base = (unsigned char *)base + skew;
		memory->base_bytes = bytes - skew;
	}
	glacier_memory_reset(memory);
}

void glacier_memory_reset(struct glacier_memory *memory)
{
	memory->current = NULL;
	memory->next = memory->base;
	memory->end = memory->base ? memory->base + memory->base_bytes : NULL;
}

void glacier_memory_fini(struct glacier_memory *memory)
{
	struct glacier_memory_block *block, *next;

	if (!memory)
		return;
	for (block = memory->first; block; block = next) {
		next = block->next;
		free(block);
	}
	memset(memory, 0, sizeof *memory);
}

static void enter(struct glacier_memory *memory, struct glacier_memory_block *block)
{
	memory->current = block;
	memory->next = block->data;
	memory->end = block->data + block->bytes;
}

void *glc_bump_slow(struct glacier_memory *memory, size_t bytes)
{
	struct glacier_memory_block **link, *block;
	size_t limit = PTRDIFF_MAX, want, room;

	link = memory->current ? &memory->current->next : &memory->first;
	for (; (block = *link); link = &block->next) {
		enter(memory, block);
		if (block->bytes >= bytes)
			goto take;
	}

	/* Double what is held, so that n bytes cost O(log n) blocks. */
	want = memory->held_bytes < FIRST_BLOCK_BYTES    ? FIRST_BLOCK_BYTES
	       : memory->held_bytes > LARGEST_STEP_BYTES ? LARGEST_STEP_BYTES
							 : memory->held_bytes;
	if (want < bytes)
		want = bytes;
	/* Near the limit a block takes what is left, so that the limit itself can be reached. */
	if (memory->limit_bytes && memory->limit_bytes < limit)
		limit = memory->limit_bytes;
	room = limit > memory->held_bytes ? (limit - memory->held_bytes) & ~(size_t)15 : 0;
	if (room < bytes)
		return NULL;
	if (want > room)
		want = room;
	block = malloc(sizeof *block + want);
	if (!block)
		return NULL;
	block->next = NULL;
	block->bytes = want;
	memory->held_bytes += want;
	*link = block;
	enter(memory, block);
take:
	memory->next += bytes;
	return memory->next - bytes;
}

void *glacier_memory_alloc(struct glacier_memory *memory, size_t bytes)
{
	return glc_bump(memory, bytes);
}

void *glc_bump_grow(struct glacier_memory *memory, void *array, uint32_t count,
		    uint32_t *capacity, uint32_t need, size_t elem_bytes)
{
	uint32_t want = *capacity > UINT32_MAX / 2 ? UINT32_MAX : *capacity * 2;
	unsigned char *end;
	size_t old_bytes, new_bytes;
	void *grown;

	/* Not too small at first: most arrays are then never moved. */
	if (!*capacity)
		want = elem_bytes >= 32 ? 16 : (uint32_t)(512 / elem_bytes);
	if (want < need)
		want = need;
	if (want > SIZE_MAX / 2 / elem_bytes)  /* leaves room for the rounding below */
		return NULL;
	old_bytes = ((size_t)*capacity * elem_bytes + 15) & ~(size_t)15;
	new_bytes = ((size_t)want * elem_bytes + 15) & ~(size_t)15;

	/* The last allocation grows in place. */
	end = array ? (unsigned char *)array + old_bytes : NULL;
	if (array && end == memory->next && (size_t)(memory->end - end) >= new_bytes - old_bytes) {
		memory->next += new_bytes - old_bytes;
		*capacity = want;
		return array;
	}
	grown = glc_bump(memory, new_bytes);
	if (!grown)
		return NULL;
	if (count)
		memcpy(grown, array, (size_t)count * elem_bytes);
	*capacity = want;
	return grown;
}

bool glc_reserve_slow(struct glacier_memory *memory, void *at, uint32_t count,
		      uint32_t *capacity, uint32_t extra, size_t elem_bytes)
{
	void *array;

	if (extra > UINT32_MAX - count)
		return false;
	memcpy(&array, at, sizeof array);  /* a T *, which may not be read as a void * */
	array = glc_bump_grow(memory, array, count, capacity, count + extra, elem_bytes);
	if (!array)
		return false;
	memcpy(at, &array, sizeof array);
	return true;
}
