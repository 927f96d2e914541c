/* SPDX-License-Identifier: MIT */
/*
 * A buddy system in 64-bit words, a set bit for a free leaf. An aligned block of 2^order leaves
 * is claimed by one compare and swap and freed by one fetch-or: nothing is split and nothing
 * merged, for neighbours that are free are simply bits beside each other. Blocks of more than
 * a word are claimed word by word, and given back where one of them fails.
 *
 * Inline, over C11 atomics alone: tests/model runs the same text under a model checker.
 */
#ifndef GLC_ARENA_WORDS_H
#define GLC_ARENA_WORDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { GLC_WORD_LEAVES = 64, GLC_WORD_ORDER = 6 };

typedef _Atomic uint64_t glc_word;

/* Bits at which an aligned block of 2^order leaves begins. */
static inline uint64_t glc_aligned(unsigned order)
{
	static const uint64_t starts[GLC_WORD_ORDER + 1] = {
		~UINT64_C(0), UINT64_C(0x5555555555555555), UINT64_C(0x1111111111111111), UINT64_C(0x0101010101010101),
		UINT64_C(0x0001000100010001), UINT64_C(0x0000000100000001), 1,
	};

	return starts[order];
}

static inline uint64_t glc_block(unsigned order)
{
	return order < GLC_WORD_ORDER ? (UINT64_C(1) << (1u << order)) - 1 : ~UINT64_C(0);
}

/* First bits of the free aligned blocks in a word. */
static inline uint64_t glc_free_blocks(uint64_t word, unsigned order)
{
	for (unsigned shift = 1; shift < 1u << order; shift *= 2)
		word &= word >> shift;
	return word & glc_aligned(order);
}

/*
 * Of the free blocks those whose other half is not free too, where there are any: larger blocks stay whole.
 */
static inline uint64_t glc_prefer_halves(uint64_t blocks, unsigned order)
{
	uint64_t whole, halves;

	if (order >= GLC_WORD_ORDER)
		return blocks;
	whole = blocks & blocks >> (1u << order) & glc_aligned(order + 1);
	halves = blocks & ~(whole | whole << (1u << order));
	return halves ? halves : blocks;
}

/* In one word: its leaf, or -1. */
static inline int glc_claim_in(glc_word *word, unsigned order)
{
	uint64_t value = atomic_load_explicit(word, memory_order_relaxed), blocks;

	while ((blocks = glc_free_blocks(value, order))) {
		int leaf = __builtin_ctzll(glc_prefer_halves(blocks, order));

		if (atomic_compare_exchange_weak_explicit(word, &value, value & ~(glc_block(order) << leaf),
							  memory_order_acquire, memory_order_relaxed))
			return leaf;
	}
	return -1;
}

/* Whole words. */
static inline bool glc_claim_words(glc_word *word, unsigned count)
{
	/* Looking costs less than a swap that fails. */
	for (unsigned i = 0; i < count; i++)
		if (atomic_load_explicit(&word[i], memory_order_relaxed) != ~UINT64_C(0))
			return false;
	for (unsigned i = 0; i < count; i++) {
		uint64_t value = ~UINT64_C(0);

		if (atomic_compare_exchange_strong_explicit(&word[i], &value, 0, memory_order_acquire, memory_order_relaxed))
			continue;
		while (i--)
			atomic_store_explicit(&word[i], ~UINT64_C(0), memory_order_release);
		return false;
	}
	return true;
}

/* Leaves of a block that was claimed. False when one of them is free: then all are, now. */
static inline bool glc_release_in(glc_word *word, unsigned leaf, unsigned order)
{
	uint64_t bits = glc_block(order) << leaf;

	return !(atomic_fetch_or_explicit(word, bits, memory_order_release) & bits);
}

/* No bit of these words is anybody else's: nobody writes them before they are stored. */
static inline void glc_release_words(glc_word *word, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		atomic_store_explicit(&word[i], ~UINT64_C(0), memory_order_release);
}

#endif
