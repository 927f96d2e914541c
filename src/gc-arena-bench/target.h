/* SPDX-License-Identifier: MIT */
/* What is measured: an arena, the process's malloc, or another library's, behind three functions. */
#ifndef GC_ARENA_BENCH_TARGET_H
#define GC_ARENA_BENCH_TARGET_H

#include "options.h"

enum { TARGET_NAME = 40 };

struct target {
	enum glacier_tier tier;            /* POOL for others than arenas */
	struct glacier_arena *arena;       /* NULL: functions */
	void *(*take)(size_t bytes);
	void (*give)(void *at);
	bool writable;                     /* there is memory behind the addresses */
};

static inline bool target_alloc(struct target *target, uint64_t bytes, glacier_addr *addr)
{
	if (target->arena)
		return glacier_arena_alloc(target->arena, bytes, addr) == GLACIER_OK;
	*addr = (uintptr_t)target->take(bytes);
	return *addr != 0;
}

static inline bool target_free(struct target *target, glacier_addr addr)
{
	if (target->arena)
		return glacier_arena_free(target->arena, addr) == GLACIER_OK;
	target->give((void *)(uintptr_t)addr);
	return true;
}

/* What an arena is called in the table. */
void target_name(char name[TARGET_NAME], const struct options *opt, enum glacier_tier tier);
/* An arena over a backing, of so many bytes; of `options` what --fit and the like say is set here. NULL: made; else why not. */
const char *target_over(const struct options *opt, enum backing backing, struct glacier_arena_options *options, uint64_t bytes,
			struct target *target);
/* An arena as the options say, of so many bytes. NULL: made; else why it cannot be. */
const char *target_arena(struct target *target, const struct options *opt, enum glacier_tier tier, uint64_t bytes);
/* "malloc" or "dlopen:LIBRARY". NULL: found; else why not. */
const char *target_compared(struct target *target, const char *what);
void target_fini(struct target *target);
/* What --backing opened, if it did; after the last target. */
void target_close_device(void);

#endif
