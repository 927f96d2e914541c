/* SPDX-License-Identifier: MIT */
/*
 * Memory that runs out: each scenario is run with the first allocation failing, then with
 * the second, and so on until none fails. Whatever fails is reported as out of memory,
 * what the header says is unchanged is unchanged, and every block is freed.
 */
#include "base/buf.h"
#include "base/bump.h"
#include "base/pool.h"
#include "stress.h"

#include <errno.h>
#include <pthread.h>

void *__real_malloc(size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *block);
int __real_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *),
			  void *argument);
int __real_pthread_join(pthread_t id, void **result);
int __wrap_pthread_join(pthread_t id, void **result);
void *__wrap_malloc(size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *block);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *),
			  void *argument);

static int until_failure;  /* the allocation that fails; 0: none */
static bool failed;        /* it did */
static int live;           /* blocks not freed yet, and threads not joined */

static bool fails(void)
{
	if (until_failure && --until_failure == 0)
		failed = true;
	return failed;  /* and all after it */
}

static void *counted(void *block)
{
	live += block != NULL;
	return block;
}

void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_realloc(void *old, size_t bytes)
{
	void *block = fails() ? NULL : __real_realloc(old, bytes);

	return old ? block : counted(block);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return fails() ? NULL : counted(__real_aligned_alloc(alignment, bytes));
}

void __wrap_free(void *block)
{
	live -= block != NULL;
	__real_free(block);
}

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *),
			  void *argument)
{
	int error = fails() ? EAGAIN : __real_pthread_create(id, attributes, start, argument);

	live += !error;
	return error;
}

int __wrap_pthread_join(pthread_t id, void **result)
{
	live--;
	return __real_pthread_join(id, result);
}

/* Blocks of many sizes, one larger than any block yet, then again on what is kept. */
static bool fills_bump_memory(void)
{
	static unsigned char base[512];
	struct glacier_memory memory;
	bool whole = true;

	glacier_memory_init(&memory, base, sizeof base);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 60; i++) {
			size_t bytes = i == 40 ? 1 << 20 : i * i * 40;
			unsigned char *at = glacier_memory_alloc(&memory, bytes);

			whole = whole && at;
			if (at)
				memset(at, 0xa5, bytes);
		}
		glacier_memory_reset(&memory);
	}
	glacier_memory_fini(&memory);
	return whole;
}

/* An array keeps its elements, whether it could grow or not. */
static bool grows_an_array(void)
{
	struct glacier_memory memory;
	GLC_ARRAY(uint32_t) array = {0};
	bool whole = true;

	glacier_memory_init(&memory, NULL, 0);
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t *element = GLC_PUSH(&memory, &array);

		if (!element) {
			whole = false;
			break;
		}
		*element = i;
		if (i % 1000 == 0 && !glc_bump(&memory, 100))  /* in the way of growth in place */
			whole = false;
	}
	CHECK(!whole || array.count == 100000, "%u elements", array.count);
	for (uint32_t i = 0; i < array.count; i++)
		CHECK(array.at[i] == i, "element %u is %u", i, array.at[i]);
	glacier_memory_fini(&memory);
	return whole;
}

static bool writes(struct glacier_buffer *buffer)
{
	struct glc_writer writer;
	char large[600];

	memset(large, 'x', sizeof large);
	glc_writer_begin(&writer, buffer);
	for (int i = 0; i < 300; i++) {
		glc_put(&writer, large, sizeof large);
		glc_printf(&writer, "%d %s;", i, "some text");
		glc_putc(&writer, '\n');
		glc_need(&writer, 20);
		writer.at = glc_decimal(writer.at, UINT64_MAX);
	}
	return glc_writer_end(&writer);
}

/* A failed writer leaves what was there before. */
static bool fills_a_buffer(void)
{
	struct glacier_buffer buffer = {0};
	struct glc_writer writer;
	bool whole;

	glc_writer_begin(&writer, &buffer);
	glc_puts(&writer, "before");
	whole = glc_writer_end(&writer);
	CHECK(buffer.size == (whole ? 6 : 0), "%zu bytes", buffer.size);
	if (whole && !writes(&buffer)) {
		whole = false;
		CHECK(buffer.size == 6 && !memcmp(buffer.data, "before", 6), "%zu bytes", buffer.size);
	}
	glacier_buffer_fini(&buffer);
	return whole;
}

/* As above, in the caller's bytes: those are not touched once the buffer has left them. */
static bool outgrows_borrowed_bytes(void)
{
	unsigned char bytes[64] = "borrowed";
	struct glacier_buffer buffer = {0};
	bool whole;

	glacier_buffer_borrow(&buffer, bytes, sizeof bytes);
	buffer.size = 8;
	whole = writes(&buffer);
	CHECK(!memcmp(buffer.data, "borrowed", 8), "lost");
	CHECK(whole ? buffer.data != bytes && buffer.size > 300 * 600 : buffer.size == 8, "%zu bytes",
	      buffer.size);
	glacier_buffer_fini(&buffer);
	return whole;
}

static bool creates_a_pool(void)
{
	struct glc_pool *pool = NULL;
	enum glacier_status status = glc_pool_create(4, &pool);

	CHECK(status == GLACIER_OK || status == GLACIER_ERR_NOMEM || status == GLACIER_ERR_LIMIT, "%s",
	      glacier_status_name(status));
	CHECK(!pool == (status != GLACIER_OK), "%s", glacier_status_name(status));
	glc_pool_destroy(pool);
	return status == GLACIER_OK;
}

static void fail_each(const char *name, bool (*scenario)(void), int least)
{
	int n = 1;

	for (;; n++) {
		bool whole;

		until_failure = n;
		failed = false;
		whole = scenario();
		CHECK(whole == !failed, "%s, allocation %d: %s", name, n,
		      whole ? "no error" : "an error without a failure");
		CHECK(live == 0, "%s, allocation %d: %d blocks or threads left", name, n, live);
		if (!failed)
			break;
	}
	until_failure = 0;
	CHECK(n > least, "%s: only %d allocations were seen", name, n - 1);
}

int main(void)
{
	/* How many allocations each makes at least: a test that fails none proves nothing. */
	fail_each("bump memory", fills_bump_memory, 4);
	fail_each("array", grows_an_array, 3);
	fail_each("buffer", fills_a_buffer, 4);
	fail_each("borrowed buffer", outgrows_borrowed_bytes, 4);
	fail_each("pool", creates_a_pool, 4);
	return 0;
}
