/* SPDX-License-Identifier: MIT */
/*
 * Filling a glacier_buffer. Running out of memory is sticky: `failed` is looked at once,
 * at the end, so that emitters need no check at each byte.
 */
#ifndef GLC_BASE_BUF_H
#define GLC_BASE_BUF_H

#include <glacier/buffer.h>

#include <stdarg.h>
#include <string.h>

/*
 * The writer's own view of the buffer it fills: reserve once, then store through `at`.
 * Between begin and end the glacier_buffer is not touched.
 */
struct glc_writer {
	unsigned char *at, *end;
	struct glacier_buffer *buffer;
	bool failed;
	unsigned char scratch[256];  /* stored into, and never read, after a failure */
};

void glc_writer_begin(struct glc_writer *writer, struct glacier_buffer *buffer);
/* false when memory ran out at any time; the buffer's contents are then those at begin. */
bool glc_writer_end(struct glc_writer *writer);
/*
 * Makes room for `bytes` more. After a failure `at`
 * points to scratch: ask for at most sizeof scratch before storing through `at`.
 */
void glc_writer_grow(struct glc_writer *writer, size_t bytes);

static inline void glc_need(struct glc_writer *writer, size_t bytes)
{
	if ((size_t)(writer->end - writer->at) < bytes)
		glc_writer_grow(writer, bytes);
}

void glc_put(struct glc_writer *writer, const void *data, size_t bytes);
/*
 * For integers and strings. Not for floating point: its decimal point is the caller's locale's.
 * A text that vsnprintf refuses is a failure like running out of memory.
 */
void glc_printf(struct glc_writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static inline void glc_putc(struct glc_writer *writer, char c)
{
	glc_need(writer, 1);
	*writer->at++ = (unsigned char)c;
}

#define glc_puts(writer, literal) glc_put(writer, literal, sizeof(literal) - 1)

extern const char glc_digit_pairs[201];   /* "00" to "99" */
unsigned char *glc_decimal_long(unsigned char *at, uint64_t value);

/* Decimal digits of value at `at`; returns the place behind them. At most 20 bytes. */
static inline unsigned char *glc_decimal(unsigned char *at, uint64_t value)
{
	if (value >= 100)
		return glc_decimal_long(at, value);
	if (value < 10) {
		*at = (unsigned char)('0' + value);
		return at + 1;
	}
	memcpy(at, glc_digit_pairs + 2 * value, 2);
	return at + 2;
}

/* Makes room for at least `bytes` more in the buffer itself; false, and nothing changed, without memory. */
bool glc_buffer_reserve(struct glacier_buffer *buffer, size_t bytes);

#endif
