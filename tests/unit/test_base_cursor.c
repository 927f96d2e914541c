/* SPDX-License-Identifier: MIT */
#include "base/cursor.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const unsigned char bytes[] = {0x81, 0x02, 0x83, 0x04, 0x85, 0x06, 0x87, 0x88,
				      0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x8f};

Test(base_cursor, reads_little_endian_at_any_alignment)
{
	struct glc_cursor cursor = glc_cursor(bytes, sizeof bytes);

	cr_expect(eq(u8, glc_take8(&cursor), 0x81));
	cr_expect(eq(u16, glc_take16(&cursor), 0x8302));
	cr_expect(eq(u32, glc_take32(&cursor), 0x87068504));
	cr_expect(eq(u64, glc_take64(&cursor), UINT64_C(0x8f0e0d0c0b0a0988)));
	cr_expect(eq(sz, cursor.offset, sizeof bytes));
	cr_expect(not(cursor.failed));
}

Test(base_cursor, fails_for_good_on_the_first_byte_behind_the_end)
{
	for (size_t size = 0; size < 8; size++) {
		for (int width = 1; width <= 8; width *= 2) {
			struct glc_cursor cursor = glc_cursor(bytes, size);
			uint64_t value = width == 1 ? glc_take8(&cursor) : width == 2 ? glc_take16(&cursor) :
					 width == 4 ? glc_take32(&cursor) : glc_take64(&cursor);
			bool fits = (size_t)width <= size;

			cr_expect(eq(int, cursor.failed, !fits), "%d of %zu", width, size);
			cr_expect(eq(sz, cursor.offset, fits ? (size_t)width : 0));
			cr_expect(eq(int, value != 0, fits), "%d of %zu", width, size);
			cr_expect(glc_seek(&cursor, 0));
			cr_expect(eq(int, cursor.failed, !fits), "a seek is no pardon");
		}
	}
}

Test(base_cursor, stays_inside_whatever_is_asked)
{
	struct glc_cursor cursor = glc_cursor(bytes, sizeof bytes);

	cr_assert(glc_seek(&cursor, sizeof bytes));
	cr_assert(glc_take(&cursor, 0) == bytes + sizeof bytes);
	cr_assert(not(cursor.failed));
	cr_assert(not(glc_seek(&cursor, sizeof bytes + 1)));
	cr_assert(glc_take(&cursor, SIZE_MAX) == NULL);
	cr_assert(eq(sz, cursor.offset, sizeof bytes));
	cr_assert(cursor.failed);
}
