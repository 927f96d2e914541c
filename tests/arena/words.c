/* SPDX-License-Identifier: MIT */
/*
 * The functions of lib/arena/words.h, by exhaustion: every order at every start in every word that is made
 * of one run of free leaves, against a scan leaf by leaf; whole words claimed and rolled back.
 */
#include "../stress/stress.h"
#include "arena/words.h"

/* By the definition: aligned, all of its leaves free. */
static uint64_t scan(uint64_t word, unsigned order)
{
	uint64_t starts = 0;

	for (unsigned at = 0; at < 64; at += 1u << order) {
		bool all = true;

		for (unsigned i = 0; i < 1u << order; i++)
			all &= word >> (at + i) & 1;
		if (all)
			starts |= UINT64_C(1) << at;
	}
	return starts;
}

static uint64_t run_of(unsigned start, unsigned length)
{
	return (length < 64 ? (UINT64_C(1) << length) - 1 : ~UINT64_C(0)) << start;
}

static void one_word(uint64_t value)
{
	for (unsigned order = 0; order <= GLC_WORD_ORDER; order++) {
		uint64_t starts = scan(value, order);
		glc_word word;
		int leaf;

		CHECK(glc_free_blocks(value, order) == starts, "order %u in %016llx", order, (unsigned long long)value);
		if (starts)
			CHECK(!(glc_prefer_halves(starts, order) & ~starts) && glc_prefer_halves(starts, order), "a half that is not there");
		atomic_init(&word, value);
		leaf = glc_claim_in(&word, order);
		CHECK((leaf >= 0) == (starts != 0), "order %u in %016llx: %d", order, (unsigned long long)value, leaf);
		if (leaf < 0) {
			CHECK(atomic_load(&word) == value, "a refused claim changes the word");
			continue;
		}
		CHECK(starts >> leaf & 1, "leaf %d", leaf);
		CHECK(atomic_load(&word) == (value & ~(glc_block(order) << leaf)), "other leaves than the block's");
		CHECK(glc_release_in(&word, (unsigned)leaf, order) && atomic_load(&word) == value, "released");
		CHECK(!glc_release_in(&word, (unsigned)leaf, order), "released twice, and not seen");
	}
}

/* A block of two or four words of which one is not free is refused, and the others are as before. */
static void many_words(void)
{
	for (unsigned count = 1; count <= 4; count *= 2)
		for (unsigned taken = 0; taken <= count; taken++)
			for (unsigned bit = 0; bit < 64; bit++) {
				glc_word words[4];
				bool good;

				for (unsigned i = 0; i < 4; i++)
					atomic_init(&words[i], i == taken ? ~(UINT64_C(1) << bit) : ~UINT64_C(0));
				good = glc_claim_words(words, count);
				CHECK(good == (taken >= count), "%u words, one leaf of word %u taken", count, taken);
				for (unsigned i = 0; i < 4; i++)
					CHECK(atomic_load(&words[i]) == (good && i < count ? 0 : i == taken ? ~(UINT64_C(1) << bit) : ~UINT64_C(0)),
					      "word %u", i);
			}
}

/* Of two blocks of which one has a free other half the other is taken. */
static void halves(void)
{
	glc_word word;

	atomic_init(&word, 0x8f);            /* a free block of four, and one leaf alone */
	CHECK(glc_claim_in(&word, 0) == 7, "a block of four is broken while a leaf stands alone");
	atomic_init(&word, UINT64_C(0xff30));
	CHECK(glc_claim_in(&word, 1) == 4, "a block of eight is broken while one of two stands alone");
}

int main(void)
{
	for (unsigned start = 0; start < 64; start++)
		for (unsigned length = 1; length <= 64 - start; length++) {
			one_word(run_of(start, length));
			one_word(~run_of(start, length));
		}
	for (uint64_t value = 0, i = 0; i < 20000; i++, value = value * UINT64_C(6364136223846793005) + 1442695040888963407)
		one_word(value);
	many_words();
	halves();
	return 0;
}
