/* SPDX-License-Identifier: MIT */
/* Leaves claimed and released: in words, by order, or as runs, by best fit. */
#include "arena/heap.h"

#include "arena/space.h"

#include <stdlib.h>
#include <sys/mman.h>

static bool claim_words(struct glc_heap *heap, struct glc_local *at, unsigned order, uint32_t *leaf)
{
	uint32_t many = order > GLC_WORD_ORDER ? 1u << (order - GLC_WORD_ORDER) : 1, words = heap->word_count / many * many;
	uint32_t start = at->word[order] / many * many, word;

	/* From the hint to the end, then what lies before it. */
	for (uint32_t i = 0; i < words; i += many) {
		word = start + i < words ? start + i : start + i - words;
		if (order >= GLC_WORD_ORDER && glc_claim_words(&heap->words[word], many)) {
			*leaf = word * GLC_WORD_LEAVES;
			at->word[order] = word + many < words ? word + many : 0;
			return true;
		}
		if (order < GLC_WORD_ORDER) {
			int bit = glc_claim_in(&heap->words[word], order);

			if (bit >= 0) {
				*leaf = word * GLC_WORD_LEAVES + (uint32_t)bit;
				at->word[order] = word;
				return true;
			}
		}
	}
	return false;
}

/*
 * The budget is one line for all threads, so that a thread keeps the room of what it released for what it claims next.
 * Not under a limit, which is to be exact.
 */
static bool take_room(struct glc_heap *heap, struct glc_local *at, uint32_t leaves, uint32_t *more)
{
	uint32_t had = at->room < leaves ? at->room : leaves;

	*more = leaves - had;
	if (*more && !glc_budget_take(heap->budget, (uint64_t)*more << GLC_LEAF_SHIFT))
		return false;
	at->room -= had;
	return true;
}

static void give_room(struct glc_heap *heap, struct glc_local *at, uint32_t leaves)
{
	if (at && leaves <= heap->room_limit - at->room)
		at->room += leaves;
	else
		glc_budget_return(heap->budget, (uint64_t)leaves << GLC_LEAF_SHIFT);
}

void glc_leaves_drain(struct glc_heap *heap, struct glc_local *at)
{
	glc_budget_return(heap->budget, (uint64_t)at->room << GLC_LEAF_SHIFT);
	at->room = 0;
}

/* Threads begin apart, as far as there are lines of words: 0, a half, a quarter, three quarters. */
uint32_t glc_leaves_start(const struct glc_heap *heap, uint32_t thread)
{
	uint32_t line = GLC_LINE / sizeof(glc_word), lines = heap->word_count / line, at = 0;

	for (uint32_t part = lines; thread && part > 1; thread /= 2) {
		part /= 2;
		at += thread % 2 * part;
	}
	return at * line;
}

bool glc_leaves_claim(struct glc_heap *heap, struct glc_local *at, uint32_t leaves, uint32_t *leaf)
{
	uint32_t more;
	bool good;

	if (leaves > heap->leaves || !take_room(heap, at, leaves, &more))
		return false;
	if (heap->fit == GLACIER_FIT_RUN) {
		pthread_mutex_lock(&heap->run_lock);
		good = glc_runs_take(heap->runs, leaves, leaf);
		pthread_mutex_unlock(&heap->run_lock);
	} else {
		good = claim_words(heap, at, glc_order_of(leaves), leaf);
	}
	if (!good)
		give_room(heap, at, leaves);
	else if (more)
		glc_budget_keep(heap->budget);
	return good;
}

void glc_leaves_release(struct glc_heap *heap, struct glc_local *at, uint32_t leaf, uint32_t leaves)
{
	unsigned order = glc_order_of(leaves);
	uint32_t word = leaf / GLC_WORD_LEAVES;

	give_room(heap, at, leaves);
	if (heap->fit == GLACIER_FIT_RUN) {
		pthread_mutex_lock(&heap->run_lock);
		glc_runs_give(heap->runs, leaf, leaves);
		pthread_mutex_unlock(&heap->run_lock);
		return;
	}
	if (order < GLC_WORD_ORDER)
		glc_release_in(&heap->words[word], leaf % GLC_WORD_LEAVES, order);
	else
		glc_release_words(&heap->words[word], 1u << (order - GLC_WORD_ORDER));
	/* Low addresses first: what is far away stays whole. */
	for (unsigned i = 0; at && i < GLC_ORDERS; i++)
		if (word < at->word[i])
			at->word[i] = word;
}

static uint32_t longest_word_run(struct glc_heap *heap)
{
	uint32_t longest = 0, run = 0;

	/* The largest block that can be claimed: whole words in a row, or an aligned block of one. */
	for (uint32_t i = 0; i < heap->word_count; i++) {
		uint64_t word = atomic_load_explicit(&heap->words[i], memory_order_relaxed);

		run = word == ~UINT64_C(0) ? run + 1 : 0;
		for (unsigned many = 4; many; many /= 2)
			if (run >= many && (i + 1) % many == 0 && many * GLC_WORD_LEAVES > longest)
				longest = many * GLC_WORD_LEAVES;
		for (unsigned order = GLC_WORD_ORDER; order--;)
			if (1u << order > longest && glc_free_blocks(word, order))
				longest = 1u << order;
	}
	return longest;
}

uint32_t glc_leaves_longest(struct glc_heap *heap)
{
	uint32_t longest;

	if (heap->fit == GLACIER_FIT_BUDDY)
		return longest_word_run(heap);
	pthread_mutex_lock(&heap->run_lock);
	longest = glc_runs_longest(heap->runs);
	pthread_mutex_unlock(&heap->run_lock);
	return longest;
}

/* --- The heap ------------------------------------------------------------ */

static uint64_t lines(uint64_t bytes)
{
	return (bytes + 4095) & ~UINT64_C(4095);
}

static void mark_free(struct glc_heap *heap)
{
	uint32_t rest = heap->leaves % GLC_WORD_LEAVES;

	for (uint32_t i = 0; i < heap->word_count; i++)
		atomic_init(&heap->words[i], ~UINT64_C(0));
	if (rest)
		atomic_init(&heap->words[heap->word_count - 1], (UINT64_C(1) << rest) - 1);
}

enum glacier_status glc_heap_init(struct glc_heap *heap, glacier_addr base, uint64_t bytes,
				  const struct glacier_arena_options *options, struct glc_budget *budget)
{
	uint64_t leaves = bytes >> GLC_LEAF_SHIFT, map_bytes = lines(2 * leaves), bit_bytes = lines((leaves + 63) / 64 * 8);
	unsigned shift = options->sub_bins ? GLC_SMALL_UNIT_SHIFT : GLC_UNIT_SHIFT;
	uint64_t mark_bytes = lines(leaves << (GLC_LEAF_SHIFT - shift));
	uint64_t slot_bytes = leaves * GLC_SLAB_WORDS * sizeof(struct glc_slots), run_bytes = lines(leaves * sizeof(struct glc_run));
	unsigned char *tables;

	heap->budget = budget;
	heap->base = base;
	heap->bytes = leaves << GLC_LEAF_SHIFT;
	heap->leaves = (uint32_t)leaves;
	heap->fit = options->fit;
	heap->kept_limit = (uint32_t)((options->cache_bytes == UINT64_MAX ? 0 : options->cache_bytes ? options->cache_bytes
					: UINT64_C(64) << 20) >> GLC_LEAF_SHIFT);
	if (heap->kept_limit > heap->leaves / 2)
		heap->kept_limit = heap->leaves / 2;
	/* What waits on stacks is not merged, and moves what is given out to where less fits: for runs only where it is asked for. */
	heap->stack_limit = heap->fit == GLACIER_FIT_RUN && !options->cache_bytes ? 0 : heap->kept_limit;
	heap->room_limit = budget->hard || budget->soft ? 0 : GLC_KEPT_ROOM >> GLC_LEAF_SHIFT;
	heap->bin_step = options->sub_bins ? 1 : 4;
	heap->unit_shift = (uint8_t)shift;
	heap->word_count = (uint32_t)((leaves + 63) / 64);
	heap->table_bytes = map_bytes + bit_bytes + slot_bytes + mark_bytes + (heap->fit == GLACIER_FIT_RUN ? run_bytes : 0);
	heap->tables = tables = glc_table(heap->table_bytes);
	heap->runs = heap->fit == GLACIER_FIT_RUN ? malloc(sizeof *heap->runs) : NULL;
	if (!tables || (heap->fit == GLACIER_FIT_RUN && !heap->runs))
		return GLACIER_ERR_NOMEM;
	heap->map = (_Atomic uint16_t *)tables;
	heap->words = (glc_word *)(tables + map_bytes);
	heap->slots = (struct glc_slots *)(tables + map_bytes + bit_bytes);
	heap->marks = (_Atomic uint8_t *)(tables + map_bytes + bit_bytes + slot_bytes);
	if (heap->runs)
		glc_runs_init(heap->runs, (struct glc_run *)(tables + map_bytes + bit_bytes + slot_bytes + mark_bytes), heap->leaves);
	else
		mark_free(heap);
	pthread_mutex_init(&heap->run_lock, NULL);
	for (int i = 0; i < GLC_BINS; i++)
		pthread_mutex_init(&heap->bins[i].lock, NULL);
	return GLACIER_OK;
}

void glc_heap_fini(struct glc_heap *heap)
{
	if (heap->tables)
		munmap(heap->tables, heap->table_bytes);
	free(heap->runs);
	heap->tables = NULL;
	heap->runs = NULL;
}
