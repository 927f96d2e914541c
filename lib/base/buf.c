/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

void glacier_buffer_borrow(struct glacier_buffer *buffer, void *data, size_t bytes)
{
	buffer->data = data;
	buffer->size = 0;
	buffer->capacity = bytes;
	buffer->borrowed = true;
}

void glacier_buffer_fini(struct glacier_buffer *buffer)
{
	if (!buffer)
		return;
	if (!buffer->borrowed)
		free(buffer->data);
	memset(buffer, 0, sizeof *buffer);
}

bool glc_buffer_reserve(struct glacier_buffer *buffer, size_t bytes)
{
	size_t want;
	unsigned char *grown;

	if (buffer->capacity - buffer->size >= bytes)
		return true;
	if (bytes > SIZE_MAX / 4 - buffer->size)
		return false;
	want = buffer->capacity * 2;
	if (want < 4096)
		want = 4096;
	if (want < buffer->size + bytes)
		want = buffer->size + bytes;
	grown = realloc(buffer->borrowed ? NULL : buffer->data, want);
	if (!grown)
		return false;
	if (buffer->borrowed && buffer->size)
		memcpy(grown, buffer->data, buffer->size);
	buffer->data = grown;
	buffer->capacity = want;
	buffer->borrowed = false;
	return true;
}

void glc_writer_begin(struct glc_writer *writer, struct glacier_buffer *buffer)
{
	writer->buffer = buffer;
	writer->failed = false;
	writer->at = buffer->data ? buffer->data + buffer->size : writer->scratch;
	writer->end = buffer->data ? buffer->data + buffer->capacity : writer->scratch;
}

bool glc_writer_end(struct glc_writer *writer)
{
	if (writer->failed)
		return false;
	/* No bytes at all: the buffer has no data yet, and at is in scratch. */
	if (writer->buffer->data)
		writer->buffer->size = (size_t)(writer->at - writer->buffer->data);
	return true;
}

void glc_writer_grow(struct glc_writer *writer, size_t bytes)
{
	struct glacier_buffer *buffer = writer->buffer;
	size_t begun = buffer->size;  /* put back before returning: end sets the size, or nothing does */

	if (!writer->failed) {
		if (buffer->data)
			buffer->size = (size_t)(writer->at - buffer->data);
		if (glc_buffer_reserve(buffer, bytes)) {
			writer->at = buffer->data + buffer->size;
			writer->end = buffer->data + buffer->capacity;
			buffer->size = begun;
			return;
		}
		buffer->size = begun;
		writer->failed = true;
	}
	writer->at = writer->scratch;
	writer->end = writer->scratch + sizeof writer->scratch;
}

void glc_put(struct glc_writer *writer, const void *data, size_t bytes)
{
	if (!bytes)  /* data may be NULL then, which memcpy does not take */
		return;
	glc_need(writer, bytes);
	if (writer->failed)
		return;
	memcpy(writer->at, data, bytes);
	writer->at += bytes;
}

void glc_printf(struct glc_writer *writer, const char *format, ...)
{
	size_t room = (size_t)(writer->end - writer->at);
	va_list args, again;
	int bytes;

	if (writer->failed)
		return;
	va_start(args, format);
	va_copy(again, args);
	/* Most texts fit the room that is there: a second pass is the exception. */
	bytes = vsnprintf((char *)writer->at, room, format, args);
	va_end(args);
	if (bytes < 0) {
		writer->failed = true;
	} else if ((size_t)bytes >= room) {
		glc_writer_grow(writer, (size_t)bytes + 1);  /* the terminator is not kept */
		if (!writer->failed)
			vsnprintf((char *)writer->at, (size_t)bytes + 1, format, again);
	}
	va_end(again);
	if (!writer->failed)
		writer->at += bytes;
}

const char glc_digit_pairs[201] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
	"49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
	"9899";

unsigned char *glc_decimal_long(unsigned char *at, uint64_t value)
{
	uint32_t low;

	if (value < 10000) {
		low = (uint32_t)value;
		at = glc_decimal(at, low / 100);
		memcpy(at, glc_digit_pairs + 2 * (low % 100), 2);
		return at + 2;
	}
	at = glc_decimal(at, value / 10000);
	low = (uint32_t)(value % 10000);
	memcpy(at, glc_digit_pairs + 2 * (low / 100), 2);
	memcpy(at + 2, glc_digit_pairs + 2 * (low % 100), 2);
	return at + 4;
}
