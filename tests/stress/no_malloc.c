/* SPDX-License-Identifier: MIT */
/*
 * No heap call for a kernel once the memory is warm: from text and from the numeric stream,
 * for every target, at every level, with the caller's memory and buffer; SPIR-V is validated too. The linker hands
 * the library's calls to the counters below.
 *
 *	no_malloc FILE.gasm...
 */
#include "stress.h"

#include <glacier.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

static unsigned calls;

void *__wrap_malloc(size_t bytes)
{
	calls++;
	return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	calls++;
	return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
	calls++;
	return __real_realloc(old, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	calls++;
	return __real_aligned_alloc(alignment, bytes);
}

static const char targets[][16] = {"spirv", "spirv:1.3", "ptx:sm_80", "ptx:sm_90"};
static const struct glacier_write_options levels[] = {
	{0}, {.optimize = GLACIER_OPTIMIZE_NONE}, {.debug = true},
};
enum { TARGETS = sizeof targets / sizeof *targets, LEVELS = sizeof levels / sizeof *levels, ROUNDS = 3 };

static const struct glacier_row rows[] = {
	{23, 0, 0, 0}, {15, 0, 0, 0}, {15, 1, 0, 1}, {14, 0, 0, 2}, {5, 0, 1, 2}, {20, 2, 1, 3},
	{18, 3, 0, 0}, {21, 0, 0, 0}, {17, 0, 0, 4}, {16, 4, 0, 0}, {25, 0, 0, 0},
};

static struct glacier_memory validation;

/* Text, or the rows when text is NULL: the heap calls of one kernel from source to code. */
static unsigned compile(struct glacier_module *module, struct glacier_buffer *out,
			const struct glacier_text *text, const struct glacier_target *target,
			const struct glacier_write_options *options)
{
	static const struct glacier_stream_options stream = {.name = "rows", .workgroup = {64, 1, 1}};
	unsigned before = calls;
	enum glacier_status status =
		text ? glacier_module_read_text(module, text, NULL, NULL)
		     : glacier_kernel_from_stream(module, rows, sizeof rows / sizeof *rows, &stream, NULL);

	CHECK(status == GLACIER_OK, "%s", glacier_status_name(status));
	out->size = 0;
	status = glacier_module_write(module, target, options, out, NULL);
	CHECK(status == GLACIER_OK, "%s", glacier_status_name(status));
	if (target->kind == GLACIER_TARGET_SPIRV) {
		status = glacier_spirv_validate(&validation, out->data, out->size, NULL, NULL);
		CHECK(status == GLACIER_OK, "%s", glacier_status_name(status));
	}
	return calls - before;
}

static void measure(const char *what, const struct glacier_text *text)
{
	struct glacier_memory memory;
	struct glacier_module *module;
	struct glacier_buffer out = {0};
	unsigned cold = 0;

	glacier_memory_init(&memory, NULL, 0);
	CHECK(glacier_module_create(&memory, &module) == GLACIER_OK, "%s", what);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < TARGETS * LEVELS; i++) {
			const char *name = targets[i / LEVELS];
			struct glacier_target target;
			unsigned took;

			CHECK(glacier_target_parse(name, &target, NULL) == GLACIER_OK, "%s", name);
			took = compile(module, &out, text, &target, &levels[i % LEVELS]);
			cold += round ? 0 : took;
			CHECK(!round || !took, "%s, %s, round %u: %u heap calls", what, name, round, took);
		}
	/* Else nothing was counted, and the zeros say nothing. */
	CHECK(cold, "%s: no heap call at all", what);
	glacier_buffer_fini(&out);
	glacier_module_destroy(module);
	glacier_memory_fini(&memory);
}

int main(int argc, char **argv)
{
	static char bytes[1 << 16];

	glacier_memory_init(&validation, NULL, 0);
	measure("stream", NULL);
	for (int i = 1; i < argc; i++) {
		struct glacier_text text = {.text = bytes};
		FILE *file = fopen(argv[i], "rb");

		CHECK(file, "%s", argv[i]);
		text.size = fread(bytes, 1, sizeof bytes, file);
		fclose(file);
		measure(argv[i], &text);
	}
	glacier_memory_fini(&validation);
	return 0;
}
