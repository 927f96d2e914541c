/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdio.h>

Test(base_buf, appends_in_order_and_keeps_its_capacity)
{
	struct glacier_buffer buffer = {0};
	struct glc_writer writer;
	unsigned char *data;
	size_t capacity;

	glc_writer_begin(&writer, &buffer);
	glc_puts(&writer, "one ");
	glc_printf(&writer, "%s ", "two");
	glc_putc(&writer, '3');
	cr_assert(glc_writer_end(&writer));
	glc_writer_begin(&writer, &buffer);
	glc_puts(&writer, " four");
	cr_assert(glc_writer_end(&writer));
	cr_assert(eq(sz, buffer.size, 14));
	cr_assert(memcmp(buffer.data, "one two 3 four", 14) == 0);

	data = buffer.data;
	capacity = buffer.capacity;
	buffer.size = 0;
	glc_writer_begin(&writer, &buffer);
	while (writer.at < writer.end)
		glc_putc(&writer, 'x');
	cr_assert(glc_writer_end(&writer));
	cr_assert(buffer.data == data && buffer.size == capacity, "%zu of %zu bytes", buffer.size, capacity);
	glacier_buffer_fini(&buffer);
	cr_assert(buffer.data == NULL && buffer.capacity == 0);
	glacier_buffer_fini(NULL);
}

Test(base_buf, leaves_an_empty_buffer_empty)
{
	struct glacier_buffer buffer = {0};
	struct glc_writer writer;

	glc_writer_begin(&writer, &buffer);
	glc_put(&writer, NULL, 0);
	glc_printf(&writer, "%s", "");
	cr_assert(glc_writer_end(&writer));
	cr_assert(eq(sz, buffer.size, 0));
	glacier_buffer_fini(&buffer);
}

/* The terminator that vsnprintf writes must neither be kept nor go past the end. */
Test(base_buf, formats_up_to_the_last_byte_of_room)
{
	unsigned char bytes[64];
	char text[80], want[96];

	for (int length = 0; length < 70; length++) {
		struct glacier_buffer buffer = {0};
		struct glc_writer writer;

		memset(text, 'a' + length % 26, (size_t)length);
		text[length] = '\0';
		snprintf(want, sizeof want, "%s!%d", text, length);
		memset(bytes, 0xee, sizeof bytes);
		glacier_buffer_borrow(&buffer, bytes, 32);
		glc_writer_begin(&writer, &buffer);
		glc_printf(&writer, "%s!%d", text, length);
		cr_assert(glc_writer_end(&writer));
		cr_assert(eq(sz, buffer.size, strlen(want)));
		cr_assert(memcmp(buffer.data, want, buffer.size) == 0, "length %d", length);
		cr_assert(bytes[32] == 0xee, "length %d wrote behind the end", length);
		cr_assert(eq(int, buffer.borrowed, strlen(want) < 32), "length %d", length);
		glacier_buffer_fini(&buffer);
	}
}

Test(base_buf, refuses_sizes_that_wrap)
{
	struct glacier_buffer buffer = {0};

	cr_assert(glc_buffer_reserve(&buffer, 10));
	buffer.size = 10;
	for (size_t less = 0; less < 12; less++)
		cr_assert(not(glc_buffer_reserve(&buffer, SIZE_MAX - less)));
	cr_assert(eq(sz, buffer.size, 10));
	glacier_buffer_fini(&buffer);
}

Test(base_buf, fails_for_good)
{
	struct glacier_buffer buffer = {0};
	struct glc_writer writer;

	glc_writer_begin(&writer, &buffer);
	glc_puts(&writer, "text");
	glc_writer_grow(&writer, SIZE_MAX / 2);
	for (int i = 0; i < 2000; i++) {
		glc_puts(&writer, "more");
		glc_printf(&writer, "%d", i);
		glc_putc(&writer, 'c');
		glc_need(&writer, sizeof writer.scratch);
		memset(writer.at, 'y', sizeof writer.scratch);
		writer.at += sizeof writer.scratch;
	}
	cr_assert(not(glc_writer_end(&writer)));
	cr_assert(eq(sz, buffer.size, 0));
	glacier_buffer_fini(&buffer);
}

Test(base_buf, writes_decimal_as_printf_does)
{
	uint64_t value = 0;

	for (int i = 0; i < 21; i++, value = value * 10 + 9) {
		for (uint64_t step = 0; step < 3; step++) {
			unsigned char at[21] = "";
			char want[32];

			glc_decimal(at, value + step)[0] = '\0';
			snprintf(want, sizeof want, "%" PRIu64, value + step);
			cr_assert(eq(str, (char *)at, want));
		}
	}
}
