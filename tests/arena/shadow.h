/* SPDX-License-Identifier: MIT */
/*
 * Who owns each 64 bytes of a range: an owner is put in when an allocation is given and taken out
 * before it is freed, so that two live allocations that share a byte are seen at once.
 */
#ifndef TESTS_ARENA_SHADOW_H
#define TESTS_ARENA_SHADOW_H

#include "../stress/stress.h"

#include <glacier.h>

#include <stdatomic.h>
#include <stdlib.h>

struct shadow {
	glacier_addr base;
	uint64_t bytes, unit;
	_Atomic uint32_t *owner;
};

static inline void shadow_init(struct shadow *s, glacier_addr base, uint64_t bytes, uint64_t unit)
{
	*s = (struct shadow){.base = base, .bytes = bytes, .unit = unit, .owner = calloc(bytes / unit + 1, sizeof *s->owner)};
	CHECK(s->owner, "no memory");
}

/* Counts units that another owner has. */
static inline unsigned shadow_mark(struct shadow *s, glacier_addr addr, uint64_t bytes, uint32_t from, uint32_t to)
{
	uint64_t at = (addr - s->base) / s->unit, end = (addr - s->base + bytes + s->unit - 1) / s->unit;
	unsigned wrong = 0;

	CHECK(addr >= s->base && addr - s->base + bytes <= s->bytes, "0x%llx is outside", (unsigned long long)addr);
	for (; at < end; at++)
		wrong += atomic_exchange_explicit(&s->owner[at], to, memory_order_relaxed) != from;
	return wrong;
}

static inline void shadow_take(struct shadow *s, glacier_addr addr, uint64_t bytes, uint32_t owner)
{
	unsigned wrong = shadow_mark(s, addr, bytes, 0, owner);

	CHECK(!wrong, "%u units of 0x%llx + %llu are somebody's", wrong, (unsigned long long)addr, (unsigned long long)bytes);
}

static inline void shadow_give(struct shadow *s, glacier_addr addr, uint64_t bytes, uint32_t owner)
{
	unsigned wrong = shadow_mark(s, addr, bytes, owner, 0);

	CHECK(!wrong, "%u units of 0x%llx + %llu were taken by others", wrong, (unsigned long long)addr, (unsigned long long)bytes);
}

static inline void shadow_fini(struct shadow *s)
{
	free(s->owner);
}

/* xorshift: tests want numbers of their own. */
static inline uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Log-uniform in [low, high]. */
static inline uint64_t any_size(uint64_t *state, uint64_t low, uint64_t high)
{
	uint64_t size = low;

	while (size < high && next(state) & 3)
		size *= 2;
	size += next(state) % size;
	return size > high ? high : size;
}

#endif
