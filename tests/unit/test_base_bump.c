/* SPDX-License-Identifier: MIT */
#include "base/bump.h"
#include "base/rng.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

enum { BLOCKS = 400 };

static _Alignas(16) unsigned char base[4096];

/* Whole, apart and aligned, wherever the caller's bytes begin. */
Test(base_bump, gives_aligned_blocks_that_do_not_overlap)
{
	for (size_t skew = 0; skew < 18; skew++) {
		struct glc_rng rng = glc_rng(skew);
		struct glacier_memory memory;
		unsigned char *at[BLOCKS];
		size_t bytes[BLOCKS];

		glacier_memory_init(&memory, skew < 17 ? base + skew : NULL, skew < 17 ? skew * 200 : 0);
		for (int i = 0; i < BLOCKS; i++) {
			bytes[i] = glc_rng_below(&rng, i % 50 ? 300 : 200000);
			at[i] = glacier_memory_alloc(&memory, bytes[i]);
			cr_assert(at[i] != NULL && (uintptr_t)at[i] % 16 == 0, "%zu bytes at %p", bytes[i],
				  (void *)at[i]);
			memset(at[i], i, bytes[i]);
		}
		for (int i = 0; i < BLOCKS; i++)
			for (size_t b = 0; b < bytes[i]; b++)
				cr_assert(at[i][b] == (unsigned char)i, "block %d, byte %zu", i, b);
		glacier_memory_fini(&memory);
	}
}

Test(base_bump, repeats_a_task_in_the_same_places)
{
	struct glacier_memory memory;
	void *at[BLOCKS];
	size_t held = 0;

	glacier_memory_init(&memory, base, sizeof base);
	for (int round = 0; round < 3; round++) {
		struct glc_rng rng = glc_rng(3);

		for (int i = 0; i < BLOCKS; i++) {
			void *now = glc_bump(&memory, glc_rng_below(&rng, i % 30 ? 3000 : 300000));

			cr_assert(round == 0 || now == at[i], "round %d, block %d", round, i);
			at[i] = now;
		}
		cr_assert(round == 0 || memory.held_bytes == held, "%zu bytes, then %zu", held, memory.held_bytes);
		held = memory.held_bytes;
		glacier_memory_reset(&memory);
	}
	glacier_memory_fini(&memory);
}

Test(base_bump, tells_nothing_from_no_memory)
{
	struct glacier_memory memory;
	void *first, *second;

	glacier_memory_init(&memory, NULL, 0);
	first = glacier_memory_alloc(&memory, 0);
	second = glacier_memory_alloc(&memory, 0);
	cr_assert(first && second && first != second);
	for (size_t less = 0; less < 40; less++)
		cr_assert(glacier_memory_alloc(&memory, SIZE_MAX - less) == NULL, "SIZE_MAX - %zu", less);
	cr_assert(glacier_memory_alloc(&memory, PTRDIFF_MAX) == NULL);
	cr_assert(glacier_memory_alloc(&memory, 100) != NULL, "a refusal is not for good");
	glacier_memory_fini(&memory);
	glacier_memory_fini(NULL);
}

Test(base_bump, holds_no_more_than_its_limit_but_all_of_that)
{
	static const size_t limits[] = {16, 100, 1000, 65536, 100000, 1000000, SIZE_MAX};

	for (size_t r = 0; r < sizeof limits / sizeof *limits; r++) {
		struct glacier_memory memory;
		size_t got = 0;

		glacier_memory_init(&memory, NULL, 0);
		memory.limit_bytes = limits[r];
		while (got < 2000000 && glc_bump(&memory, 16))
			got += 16;
		cr_expect(memory.held_bytes <= limits[r], "%zu of %zu", memory.held_bytes, limits[r]);
		if (limits[r] < 2000000)
			cr_expect(got == limits[r] / 16 * 16, "%zu of %zu", got, limits[r]);
		else
			cr_expect(got == 2000000);
		glacier_memory_reset(&memory);
		cr_expect(glc_bump(&memory, 16) != NULL, "kept blocks stay usable");
		glacier_memory_fini(&memory);
	}
}

Test(base_bump, grows_arrays_in_place_and_elsewhere)
{
	struct glacier_memory memory;
	GLC_ARRAY(uint64_t) array = {0};
	unsigned moves = 0;
	bool wraps;

	glacier_memory_init(&memory, base, sizeof base);
	for (uint32_t i = 0; i < 100000; i++) {
		uint64_t *before = array.at, *element = GLC_PUSH(&memory, &array);

		cr_assert(element != NULL);
		*element = i * UINT64_C(0x123456789);
		moves += before && array.at != before;
		if (i == 200 || i == 5000)
			glc_bump(&memory, 8);
	}
	for (uint32_t i = 0; i < array.count; i++)
		cr_assert(eq(u64, array.at[i], i * UINT64_C(0x123456789)));
	cr_assert(moves >= 2 && moves < 15, "%u moves", moves);

	wraps = GLC_RESERVE(&memory, &array, UINT32_MAX);
	cr_assert(not(wraps));
	cr_assert(eq(u32, array.count, 100000));
	glacier_memory_fini(&memory);
}
