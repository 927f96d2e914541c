/* SPDX-License-Identifier: MIT */
#include "arena/reservoir.h"

#include "arena/space.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { USABLE = 1, HAS_PAGES = 2 };

enum glacier_status glc_reservoir_init(struct glc_reservoir *reservoir, glacier_addr base, uint64_t bytes, bool host,
				       const struct glacier_arena_options *options)
{
	uint64_t granules = bytes >> GLC_GRANULE_SHIFT, runs = granules * sizeof(struct glc_run);
	unsigned char *tables;

	reservoir->base = base;
	reservoir->granules = (uint32_t)granules;
	reservoir->pages = host;
	if (options->range && options->range->commit) {
		reservoir->pages = true;
		reservoir->commit = options->range->commit;
		reservoir->decommit = options->range->decommit;
		reservoir->user = options->range->user;
	}
	reservoir->populate = options->populate;
	reservoir->keep_limit = (options->keep_bytes == UINT64_MAX ? 0 : options->keep_bytes ? options->keep_bytes
				: UINT64_C(256) << 20) >> GLC_GRANULE_SHIFT;
	reservoir->table_bytes = runs + 5 * granules;
	reservoir->tables = tables = glc_table(reservoir->table_bytes);
	reservoir->runs = malloc(sizeof *reservoir->runs);
	if (!tables || !reservoir->runs)
		return GLACIER_ERR_NOMEM;
	reservoir->length = (_Atomic uint32_t *)(tables + runs);
	reservoir->state = tables + runs + 4 * granules;
	glc_runs_init(reservoir->runs, (struct glc_run *)tables, reservoir->granules);
	pthread_mutex_init(&reservoir->lock, NULL);
	return GLACIER_OK;
}

void glc_reservoir_fini(struct glc_reservoir *reservoir)
{
	if (reservoir->tables)
		munmap(reservoir->tables, reservoir->table_bytes);
	free(reservoir->runs);
	reservoir->tables = NULL;
	reservoir->runs = NULL;
}

static bool add_pages(const struct glc_reservoir *reservoir, uint32_t first, uint32_t count)
{
	glacier_addr at = reservoir->base + ((uint64_t)first << GLC_GRANULE_SHIFT);
	uint64_t bytes = (uint64_t)count << GLC_GRANULE_SHIFT;

	return reservoir->commit ? reservoir->commit(reservoir->user, at, bytes)
				 : glc_commit((void *)(uintptr_t)at, bytes, reservoir->populate);
}

static void drop_pages(const struct glc_reservoir *reservoir, uint32_t first, uint32_t count)
{
	glacier_addr at = reservoir->base + ((uint64_t)first << GLC_GRANULE_SHIFT);
	uint64_t bytes = (uint64_t)count << GLC_GRANULE_SHIFT;

	if (reservoir->commit)
		reservoir->decommit(reservoir->user, at, bytes);
	else
		glc_decommit((void *)(uintptr_t)at, bytes);
}

/* The next stretch from *at on of granules that are alike in the bits of `mask`. */
static uint32_t stretch(const struct glc_reservoir *reservoir, uint32_t at, uint32_t end, unsigned mask)
{
	uint32_t n = 1;

	while (at + n < end && !((reservoir->state[at + n] ^ reservoir->state[at]) & mask))
		n++;
	return n;
}

static bool commit(struct glc_reservoir *reservoir, uint32_t first, uint32_t count)
{
	for (uint32_t at = first, end = first + count, n; at < end; at += n) {
		n = stretch(reservoir, at, end, USABLE | HAS_PAGES);
		if (reservoir->state[at] & HAS_PAGES) {
			reservoir->kept -= n;
			continue;
		}
		if (!add_pages(reservoir, at, n)) {
			/* What comes before is kept, as if it had been used. */
			for (uint32_t i = first; i < at; i++)
				reservoir->kept++;
			return false;
		}
		memset(reservoir->state + at, USABLE | HAS_PAGES, n);
	}
	return true;
}

static void decommit(struct glc_reservoir *reservoir, uint32_t first, uint32_t count)
{
	for (uint32_t at = first, end = first + count, n; at < end; at += n) {
		n = stretch(reservoir, at, end, HAS_PAGES);
		if (!(reservoir->state[at] & HAS_PAGES))
			continue;
		drop_pages(reservoir, at, n);
		memset(reservoir->state + at, USABLE, n);
		reservoir->kept -= n;
	}
}

enum glacier_status glc_reservoir_alloc(struct glc_reservoir *reservoir, uint64_t bytes, glacier_addr *addr)
{
	uint64_t count = (bytes >> GLC_GRANULE_SHIFT) + !!(bytes & (GLC_GRANULE - 1));
	enum glacier_status status = GLACIER_ERR_NOMEM;
	uint32_t first;

	if (count > reservoir->granules)
		return GLACIER_ERR_NOMEM;
	pthread_mutex_lock(&reservoir->lock);
	if (glc_runs_take(reservoir->runs, (uint32_t)count, &first)) {
		if (!reservoir->pages || commit(reservoir, first, (uint32_t)count)) {
			atomic_store_explicit(&reservoir->length[first], (uint32_t)count, memory_order_relaxed);
			reservoir->live += count;
			*addr = reservoir->base + ((uint64_t)first << GLC_GRANULE_SHIFT);
			status = GLACIER_OK;
		} else {
			glc_runs_give(reservoir->runs, first, (uint32_t)count);
		}
	}
	pthread_mutex_unlock(&reservoir->lock);
	return status;
}

/* A range that was live, or held. The lock is held. */
static void give_back(struct glc_reservoir *reservoir, uint32_t first, uint32_t count)
{
	atomic_store_explicit(&reservoir->length[first], 0, memory_order_relaxed);
	reservoir->live -= count;
	if (reservoir->pages) {
		reservoir->kept += count;
		if (reservoir->kept + reservoir->allowed > reservoir->keep_limit)
			decommit(reservoir, first, count);
	}
	glc_runs_give(reservoir->runs, first, count);
}

/* Whether the hand may hold so many. Where nothing comes and goes with the addresses there is nothing to keep, and no limit. */
static bool allow(struct glc_reservoir *reservoir, struct glc_hand *hand, uint32_t count)
{
	uint64_t more = count > hand->allowed ? count - hand->allowed : 0;

	if (reservoir->pages && reservoir->kept + reservoir->allowed + more > reservoir->keep_limit)
		return !more;
	reservoir->allowed += more;
	hand->allowed += (uint32_t)more;
	return true;
}

enum glacier_status glc_reservoir_free(struct glc_reservoir *reservoir, struct glc_hand *hand, glacier_addr addr, uint64_t *bytes,
				       uint64_t *back)
{
	uint64_t offset = addr - reservoir->base;
	uint32_t first = (uint32_t)(offset >> GLC_GRANULE_SHIFT), count, freed;

	if (offset & (GLC_GRANULE - 1))
		return GLACIER_ERR_INVALID;
	pthread_mutex_lock(&reservoir->lock);
	count = freed = glc_length_at(reservoir, first);
	if (count & GLC_HELD)
		count = 0;
	if (count) {
		struct glc_hand before = *hand;

		hand->count = 0;
		if (before.count)
			give_back(reservoir, before.first, before.count);
		freed = before.count;
		if (allow(reservoir, hand, count)) {
			glc_hand_keep(reservoir, hand, addr);
		} else {
			give_back(reservoir, first, count);
			freed += count;
		}
	}
	pthread_mutex_unlock(&reservoir->lock);
	*bytes = (uint64_t)count << GLC_GRANULE_SHIFT;
	*back = (uint64_t)freed << GLC_GRANULE_SHIFT;
	return count ? GLACIER_OK : GLACIER_ERR_INVALID;
}

uint64_t glc_hand_drop(struct glc_reservoir *reservoir, struct glc_hand *hand)
{
	struct glc_hand before = *hand;

	if (!before.allowed)
		return 0;
	*hand = (struct glc_hand){0};
	pthread_mutex_lock(&reservoir->lock);
	reservoir->allowed -= before.allowed;
	if (before.count)
		give_back(reservoir, before.first, before.count);
	pthread_mutex_unlock(&reservoir->lock);
	return (uint64_t)before.count << GLC_GRANULE_SHIFT;
}

void glc_reservoir_trim(struct glc_reservoir *reservoir)
{
	if (!reservoir->pages)
		return;
	pthread_mutex_lock(&reservoir->lock);
	for (uint32_t at = 0; at < reservoir->granules;) {
		uint32_t count = glc_length_at(reservoir, at) & ~GLC_HELD;

		if (!count)
			decommit(reservoir, at, 1);
		at += count ? count : 1;
	}
	pthread_mutex_unlock(&reservoir->lock);
}

bool glc_reservoir_find(struct glc_reservoir *reservoir, glacier_addr addr, glacier_addr *first, uint64_t *bytes)
{
	uint32_t granule = (uint32_t)((addr - reservoir->base) >> GLC_GRANULE_SHIFT), at = granule, length;
	bool found;

	pthread_mutex_lock(&reservoir->lock);
	while (at && !glc_length_at(reservoir, at))
		at--;
	length = glc_length_at(reservoir, at);
	found = !(length & GLC_HELD) && length > granule - at;
	*first = reservoir->base + ((uint64_t)at << GLC_GRANULE_SHIFT);
	*bytes = (uint64_t)length << GLC_GRANULE_SHIFT;
	pthread_mutex_unlock(&reservoir->lock);
	return found;
}
