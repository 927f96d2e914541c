/* SPDX-License-Identifier: MIT */
/*
 * Slots of slabs: what a thread's cache has not is found in the words that the thread owns, which its bin's list or a
 * new slab gives.
 */
#include "arena/heap.h"

#include <string.h>

/*
 * Four bins a power of two, of which an arena uses every fourth unless it was asked for all. Slabs
 * have 64 slots and more, and a power of two of leaves.
 */
#define KIND(bytes, leaves) {bytes, (uint32_t)(UINT64_C(0x100000000) / ((bytes) / 64)) + 1, leaves}
#define KINDS(bytes, a, b) KIND(bytes, a), KIND((bytes) / 4 * 5, b), KIND((bytes) / 4 * 6, b), KIND((bytes) / 4 * 7, b)
const struct glc_bin_kind glc_bin_kinds[GLC_BINS] = {
	KINDS(256, 1, 1), KINDS(512, 1, 1), KINDS(1024, 1, 1), KINDS(2048, 1, 2), KINDS(4096, 2, 4),
	KINDS(8192, 4, 8), KINDS(16384, 8, 16), KINDS(32768, 16, 32), KIND(65536, 32),
};

unsigned glc_bin_of(const struct glc_heap *heap, uint64_t bytes)
{
	unsigned power, bin;

	if (bytes <= 256)
		return 0;
	power = 63 - (unsigned)__builtin_clzll(bytes - 1);          /* 2^power < bytes <= 2^(power + 1) */
	bin = 4 * (power - 8) + (unsigned)((bytes - 1) >> (power - 2) & 3) + 1;
	return heap->bin_step == 1 ? bin : (bin + 3) & ~3u;
}

struct glc_slots *glc_slot_at(const struct glc_heap *heap, uint64_t offset, unsigned entry, unsigned *bit, uint64_t *at)
{
	unsigned bin = entry & GLC_MAP_BIN;
	uint32_t leaf = (uint32_t)(offset >> GLC_LEAF_SHIFT) - (entry >> GLC_MAP_FAR & 31);
	uint32_t inside = (uint32_t)(offset - ((uint64_t)leaf << GLC_LEAF_SHIFT));
	uint32_t slot = (uint32_t)((uint64_t)(inside >> 6) * glc_bin_kinds[bin].reciprocal >> 32);
	struct glc_slots *slots = &heap->slots[(uint64_t)leaf * GLC_SLAB_WORDS + slot / 64];

	*at = ((uint64_t)leaf << GLC_LEAF_SHIFT) + (uint64_t)slot * glc_bin_kinds[bin].slot_bytes;
	*bit = slot % 64;
	return slot / 64 < GLC_SLAB_WORDS * 4u && slots->exist >> *bit & 1 ? slots : NULL;
}

/* --- The bin's list, under its lock -------------------------------------- */

static void push(struct glc_bin *bin, struct glc_slots *slots)
{
	slots->next = bin->listed;
	slots->before = NULL;
	if (bin->listed)
		bin->listed->before = slots;
	bin->listed = slots;
	atomic_store(&slots->state, GLC_SLOTS_LISTED);
}

static void pull(struct glc_bin *bin, struct glc_slots *slots, enum glc_slots_state state)
{
	if (slots->next)
		slots->next->before = slots->before;
	if (slots->before)
		slots->before->next = slots->next;
	else
		bin->listed = slots->next;
	atomic_store(&slots->state, (uint8_t)state);
}

/* A word of nobody: listed when it has a free slot. Whoever frees into it later sees that it is full, and lists it. */
static void disown(struct glc_bin *bin, struct glc_slots *slots)
{
	atomic_fetch_or(&slots->free, atomic_load_explicit(&slots->local, memory_order_relaxed));
	atomic_store_explicit(&slots->local, 0, memory_order_relaxed);
	atomic_store(&slots->owner, NULL);
	atomic_store(&slots->state, GLC_SLOTS_FULL);
	if (atomic_load(&slots->free))
		push(bin, slots);
}

/* --- Slabs --------------------------------------------------------------- */

static unsigned word_count(const struct glc_slots *first)
{
	uint32_t bytes = (uint32_t)first->leaves << GLC_LEAF_SHIFT, slots = bytes / glc_bin_kinds[first->bin].slot_bytes;

	return (slots + 63) / 64;
}

static bool is_empty(struct glc_slots *first)
{
	for (unsigned i = 0, n = word_count(first); i < n; i++)
		if (atomic_load(&first[i].state) != GLC_SLOTS_LISTED || atomic_load(&first[i].free) != first[i].exist)
			return false;
	return true;
}

/* The bin's lock is held, and nobody has a slot of it. */
static void dissolve(struct glc_heap *heap, struct glc_local *local, struct glc_slots *first)
{
	struct glc_bin *bin = &heap->bins[first->bin];
	uint32_t leaf = first->first_leaf, leaves = first->leaves;

	for (unsigned i = 0, n = word_count(first); i < n; i++) {
		pull(bin, &first[i], GLC_SLOTS_NONE);
		atomic_store_explicit(&first[i].free, 0, memory_order_relaxed);
		first[i].exist = 0;
	}
	if (bin->spare == first)
		bin->spare = NULL;
	for (uint32_t i = 0; i < leaves; i++)
		atomic_store_explicit(&heap->map[leaf + i], 0, memory_order_relaxed);
	glc_leaves_release(heap, local, leaf, leaves);
}

/* One empty slab a bin is kept, so that a number of slots around the end of a slab does not make and unmake it. */
static void keep_or_dissolve(struct glc_heap *heap, struct glc_local *local, struct glc_slots *first)
{
	struct glc_bin *bin = &heap->bins[first->bin];

	if (!is_empty(first) || bin->spare == first)
		return;
	if (bin->spare && is_empty(bin->spare))
		dissolve(heap, local, first);
	else
		bin->spare = first;
}

/* A new slab, smaller ones where there is no room. Its words are listed. */
static bool carve(struct glc_heap *heap, struct glc_local *local, unsigned number)
{
	const struct glc_bin_kind *kind = &glc_bin_kinds[number];
	struct glc_bin *bin = &heap->bins[number];
	uint32_t leaves = kind->leaves, leaf, slots;
	struct glc_slots *first;

	while (!glc_leaves_claim(heap, local, leaves, &leaf))
		if (!(leaves /= 2))
			return false;
	slots = (leaves << GLC_LEAF_SHIFT) / kind->slot_bytes;
	first = &heap->slots[(uint64_t)leaf * GLC_SLAB_WORDS];
	pthread_mutex_lock(&bin->lock);
	for (unsigned i = (slots + 63) / 64; i--;) {
		uint32_t here = slots - 64 * i < 64 ? slots - 64 * i : 64;

		first[i].exist = here < 64 ? (UINT64_C(1) << here) - 1 : ~UINT64_C(0);
		first[i].at = ((uint64_t)leaf << GLC_LEAF_SHIFT) + (uint64_t)i * 64 * kind->slot_bytes;
		first[i].bin = (uint8_t)number;
		first[i].leaves = (uint8_t)leaves;
		first[i].first_leaf = leaf;
		atomic_store_explicit(&first[i].local, 0, memory_order_relaxed);
		atomic_store_explicit(&first[i].owner, NULL, memory_order_relaxed);
		atomic_store_explicit(&first[i].free, first[i].exist, memory_order_relaxed);
		push(bin, &first[i]);
	}
	for (uint32_t i = 0; i < leaves; i++)
		atomic_store_explicit(&heap->map[leaf + i], (uint16_t)(GLC_MAP_SLAB | i << GLC_MAP_FAR | number),
				      memory_order_release);
	pthread_mutex_unlock(&bin->lock);
	return true;
}

/* --- Allocation ---------------------------------------------------------- */

static struct glc_slots *take_listed(struct glc_bin *bin, struct glc_local *local)
{
	struct glc_slots *slots = bin->listed;

	if (!slots)
		return NULL;
	pull(bin, slots, GLC_SLOTS_OWNED);
	atomic_store(&slots->owner, &local->thread);
	atomic_store_explicit(&slots->local, atomic_exchange(&slots->free, 0), memory_order_relaxed);
	return slots;
}

static void own(struct glc_owned *owned, unsigned place, struct glc_slots *slots)
{
	slots->place = (uint8_t)place;
	owned->at[place] = slots;
	owned->free |= (uint16_t)(atomic_load_explicit(&slots->local, memory_order_relaxed) ? 1u << place : 0);
}

/* The last takes the place of one that goes. */
static void forget(struct glc_owned *owned, unsigned place)
{
	unsigned last = --owned->count;

	if (owned->spare == owned->at[place])
		owned->spare = NULL;
	owned->free &= (uint16_t)~(1u << place);
	if (place != last) {
		owned->free &= (uint16_t)~(1u << last);
		own(owned, place, owned->at[last]);
	}
}

/* What others have freed into the thread's own words. */
static bool collect(struct glc_owned *owned)
{
	for (unsigned i = 0; i < owned->count; i++) {
		struct glc_slots *slots = owned->at[i];

		if (!atomic_load_explicit(&slots->free, memory_order_relaxed))
			continue;
		atomic_store_explicit(&slots->local, atomic_exchange_explicit(&slots->free, 0, memory_order_acquire), memory_order_relaxed);
		owned->free |= (uint16_t)(1u << i);
	}
	return owned->free;
}

/* The thread has no free slot in its words: it collects, or takes another word, or a new slab's. */
static bool refill(struct glc_heap *heap, struct glc_local *local, unsigned number)
{
	struct glc_bin *bin = &heap->bins[number];
	struct glc_owned *owned = &local->owned[number];
	struct glc_slots *slots;

	if (collect(owned))
		return true;
	do {
		pthread_mutex_lock(&bin->lock);
		/* Full ones go in turn. */
		if (owned->count == GLC_MOST_OWNED) {
			unsigned place = owned->victim++ % GLC_MOST_OWNED;

			slots = owned->at[place];
			forget(owned, place);
			disown(bin, slots);
		}
		slots = take_listed(bin, local);
		pthread_mutex_unlock(&bin->lock);
	} while (!slots && carve(heap, local, number));
	if (slots)
		own(owned, owned->count++, slots);
	return slots;
}

/* The lowest slots of one word, the lowest on top. */
static void fill(struct glc_heap *heap, struct glc_cache *cache, struct glc_owned *owned)
{
	struct glc_slots *slots = owned->at[__builtin_ctz(owned->free)];
	uint64_t free = atomic_load_explicit(&slots->local, memory_order_relaxed);
	uint32_t batch = cache->limit / 2, have = (uint32_t)__builtin_popcountll(free), slot_bytes = glc_bin_kinds[slots->bin].slot_bytes;

	if (batch > have)
		batch = have;
	for (uint32_t i = batch; i--; free &= free - 1)
		cache->unit[i] = (slots->at + (uint64_t)(unsigned)__builtin_ctzll(free) * slot_bytes) >> heap->unit_shift;
	atomic_store_explicit(&slots->local, free, memory_order_relaxed);
	if (!free)
		owned->free &= (uint16_t)~(1u << slots->place);
	cache->count = batch;
	cache->entered += batch;
}

enum glacier_status glc_slab_alloc(struct glc_heap *heap, struct glc_local *local, unsigned bin, uint64_t *offset)
{
	unsigned mark = glc_mark_of_bin(bin);
	struct glc_cache *cache = &local->cache[mark];
	struct glc_owned *owned = &local->owned[bin];
	uint64_t unit;

	glc_cache_settle(heap, local);
	if (!glc_cache_pop(cache, &unit)) {
		if (!owned->free && !refill(heap, local, bin))
			return GLACIER_ERR_NOMEM;
		fill(heap, cache, owned);
		unit = cache->unit[--cache->count];
	}
	atomic_store_explicit(&heap->marks[unit], (uint8_t)mark, memory_order_relaxed);
	*offset = unit << heap->unit_shift;
	return GLACIER_OK;
}

/* --- Free ---------------------------------------------------------------- */

/*
 * The word is full and of nobody, or empty: the bin has to know. What was returned may by now have been taken and the
 * slab dissolved, and a new one made of its leaves: under the bin's lock the map tells.
 */
static void tell_bin(struct glc_heap *heap, struct glc_local *local, struct glc_slots *slots, unsigned number)
{
	struct glc_bin *bin = &heap->bins[number];
	uint32_t leaf = (uint32_t)(slots - heap->slots) / GLC_SLAB_WORDS;
	unsigned entry;

	pthread_mutex_lock(&bin->lock);
	entry = atomic_load(&heap->map[leaf]);
	if (entry & GLC_MAP_SLAB && (entry & GLC_MAP_BIN) == number) {
		if (atomic_load(&slots->state) == GLC_SLOTS_FULL && atomic_load(&slots->free))
			push(bin, slots);
		if (atomic_load(&slots->state) == GLC_SLOTS_LISTED && atomic_load(&slots->free) == slots->exist)
			keep_or_dissolve(heap, local, &heap->slots[(uint64_t)slots->first_leaf * GLC_SLAB_WORDS]);
	}
	pthread_mutex_unlock(&bin->lock);
}

/* Until the slots are returned the slab stands; afterwards nothing but its atomics may be looked at without the lock. */
static void give_to_other(struct glc_heap *heap, struct glc_local *local, struct glc_slots *slots, uint64_t bits)
{
	uint64_t exist = slots->exist, before;
	unsigned number = slots->bin;
	uint8_t state;

	before = atomic_fetch_or(&slots->free, bits);
	state = atomic_load(&slots->state);
	if (state == GLC_SLOTS_FULL || (state == GLC_SLOTS_LISTED && (before | bits) == exist))
		tell_bin(heap, local, slots, number);
}

/* Of the thread's own words one may be wholly free; another goes back to the bin. */
static void let_go(struct glc_heap *heap, struct glc_local *local, struct glc_slots *slots)
{
	struct glc_owned *owned = &local->owned[slots->bin];
	struct glc_slots *spare = owned->spare;

	if (!spare || atomic_load_explicit(&spare->local, memory_order_relaxed) != spare->exist) {
		owned->spare = slots;
		return;
	}
	forget(owned, slots->place);
	pthread_mutex_lock(&heap->bins[slots->bin].lock);
	disown(&heap->bins[slots->bin], slots);
	keep_or_dissolve(heap, local, &heap->slots[(uint64_t)slots->first_leaf * GLC_SLAB_WORDS]);
	pthread_mutex_unlock(&heap->bins[slots->bin].lock);
}

/* From the cache to its word. */
static void give(struct glc_heap *heap, struct glc_local *local, struct glc_slots *slots, uint64_t bits)
{
	uint64_t free;

	if (atomic_load_explicit(&slots->owner, memory_order_relaxed) != &local->thread) {
		give_to_other(heap, local, slots, bits);
		return;
	}
	free = atomic_load_explicit(&slots->local, memory_order_relaxed) | bits;
	atomic_store_explicit(&slots->local, free, memory_order_relaxed);
	local->owned[slots->bin].free |= (uint16_t)(1u << slots->place);
	if (free == slots->exist && local->owned[slots->bin].spare != slots)
		let_go(heap, local, slots);
}

/* The `count` that lie at the bottom. What one word gets at once costs one locked operation at most. */
static void flush(struct glc_heap *heap, struct glc_local *local, struct glc_cache *cache, uint32_t count)
{
	struct glc_slots *last = NULL;
	uint64_t bits = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t offset = cache->unit[i] << heap->unit_shift, at;
		unsigned entry = atomic_load_explicit(&heap->map[offset >> GLC_LEAF_SHIFT], memory_order_relaxed), bit;
		struct glc_slots *slots = glc_slot_at(heap, offset, entry, &bit, &at);

		if (slots != last && last) {
			give(heap, local, last, bits);
			bits = 0;
		}
		last = slots;
		bits |= UINT64_C(1) << bit;
	}
	if (last)
		give(heap, local, last, bits);
	memmove(cache->unit, cache->unit + count, (cache->count - count) * sizeof *cache->unit);
	cache->count -= count;
	cache->entered -= count;
}

void glc_slab_keep(struct glc_heap *heap, struct glc_local *local, uint64_t unit, unsigned mark)
{
	struct glc_cache *cache = &local->cache[mark];

	if (glc_cache_push(cache, unit))
		return;
	flush(heap, local, cache, cache->limit / 2);
	glc_cache_push(cache, unit);
}

/* --- From outside -------------------------------------------------------- */

void glc_slab_drain(struct glc_heap *heap, struct glc_local *local)
{
	glc_cache_settle(heap, local);
	for (unsigned number = 0; number < GLC_BINS; number++) {
		struct glc_owned *owned = &local->owned[number];
		struct glc_cache *cache = &local->cache[glc_mark_of_bin(number)];

		if (cache->count)
			flush(heap, local, cache, cache->count);
		if (!owned->count)
			continue;
		pthread_mutex_lock(&heap->bins[number].lock);
		for (unsigned i = 0; i < owned->count; i++)
			disown(&heap->bins[number], owned->at[i]);
		pthread_mutex_unlock(&heap->bins[number].lock);
		*owned = (struct glc_owned){0};
	}
}

void glc_slab_trim(struct glc_heap *heap, struct glc_local *local)
{
	for (unsigned number = 0; number < GLC_BINS; number++) {
		struct glc_bin *bin = &heap->bins[number];
		struct glc_slots *slots, *next;

		pthread_mutex_lock(&bin->lock);
		/* A slab's words lie beside each other in no order: begin anew after each that went. */
		for (slots = bin->listed; slots; slots = next) {
			struct glc_slots *first = &heap->slots[(uint64_t)slots->first_leaf * GLC_SLAB_WORDS];

			next = slots->next;
			if (is_empty(first)) {
				dissolve(heap, local, first);
				next = bin->listed;
			}
		}
		pthread_mutex_unlock(&bin->lock);
	}
}
