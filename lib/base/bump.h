/* SPDX-License-Identifier: MIT */
/* Bump memory inside the library: the inline allocation path and growable arrays in it. */
#ifndef GLC_BASE_BUMP_H
#define GLC_BASE_BUMP_H

#include <glacier/memory.h>

#include <string.h>

/* The path that leaves the current block; bytes is already rounded up to 16. */
void *glc_bump_slow(struct glacier_memory *memory, size_t bytes);

static inline void *glc_bump(struct glacier_memory *memory, size_t bytes)
{
	/* At least 16: NULL means that memory ran out, also for 0 bytes of an empty memory. */
	size_t rounded = (bytes + (bytes ? 15 : 16)) & ~(size_t)15;

	if (rounded >= bytes && (size_t)(memory->end - memory->next) >= rounded) {
		void *at = memory->next;

		memory->next += rounded;
		return at;
	}
	return rounded < bytes ? NULL : glc_bump_slow(memory, rounded);
}

static inline void *glc_bump_zero(struct glacier_memory *memory, size_t bytes)
{
	void *at = glc_bump(memory, bytes);

	return at ? memset(at, 0, bytes) : NULL;
}

/* A point to come back to: releasing it forgets what was allocated since. */
struct glc_mark {
	unsigned char *next, *end;
	struct glacier_memory_block *current;
};

static inline struct glc_mark glc_bump_mark(const struct glacier_memory *memory)
{
	return (struct glc_mark){memory->next, memory->end, memory->current};
}

static inline void glc_bump_release(struct glacier_memory *memory, struct glc_mark mark)
{
	memory->next = mark.next;
	memory->end = mark.end;
	memory->current = mark.current;
}

/*
 * Grow an array in bump memory to hold at least `need` elements: the old bytes stay where
 * they are until the reset. Returns the new place and updates *capacity, or returns NULL
 * and changes nothing. The array must have come from here, or be NULL with capacity 0.
 */
void *glc_bump_grow(struct glacier_memory *memory, void *array, uint32_t count,
		    uint32_t *capacity, uint32_t need, size_t elem_bytes);

/*
 * An array of T that lives in bump memory. GLC_PUSH gives the place of a new last
 * element, NULL when memory runs out; the element is not initialised.
 */
#define GLC_ARRAY(T)                     \
	struct {                         \
		T *at;                   \
		uint32_t count;          \
		uint32_t capacity;       \
	}

#define GLC_RESERVE(memory, array, extra)                                                     \
	((array)->capacity - (array)->count >= (extra)                                        \
		 ? true                                                                       \
		 : glc_reserve_slow(memory, &(array)->at, (array)->count,                     \
				    &(array)->capacity, (extra), sizeof *(array)->at))

/* at: where the array's pointer lies, of whatever type; it changes only on success. */
bool glc_reserve_slow(struct glacier_memory *memory, void *at, uint32_t count,
		      uint32_t *capacity, uint32_t extra, size_t elem_bytes);

/*
 * Room for n elements of an empty array, on the short path: for arrays that nearly every
 * task fills. A failure leaves it empty, so that the first push tries again, and reports.
 */
#define GLC_PRESIZE(memory, array, n)                                                   \
	((array)->count = 0, (array)->at = glc_bump(memory, (n) * sizeof *(array)->at), \
	 (array)->capacity = (array)->at ? (n) : 0)

#define GLC_PUSH(memory, array) \
	(GLC_RESERVE(memory, array, 1) ? &(array)->at[(array)->count++] : NULL)

#endif
