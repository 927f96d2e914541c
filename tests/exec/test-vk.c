/* SPDX-License-Identifier: MIT */
/*
 * test-vk VECTOR_ADD.spv SPEC.spv - many runs on one device, as the seed tests do: sizes
 * from none to more than the memory held, two modules in turn, one failing in between.
 */
#include "vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition, ...) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "test-vk.c:%d: ", __LINE__); \
			fprintf(stderr, __VA_ARGS__); \
			fputc('\n', stderr); \
			exit(1); \
		} \
	} while (0)

struct words {
	uint32_t word[4096];
	size_t count;
};

static void read_words(const char *path, struct words *out)
{
	FILE *file = fopen(path, "rb");

	CHECK(file, "%s cannot be read", path);
	out->count = fread(out->word, 4, 4096, file);
	fclose(file);
}

static void add_vectors(struct exec *exec, const struct words *module, uint32_t n)
{
	float *a = calloc(n + 1, sizeof *a), *b = calloc(n + 1, sizeof *b), *sum = calloc(n + 1, sizeof *sum);
	struct exec_buffer buffers[] = {
		{0, 0, a, n * sizeof *a},
		{0, 1, b, n * sizeof *b},
		{0, 2, sum, n * sizeof *sum},
	};
	struct exec_run run = {
		.words = module->word, .word_count = module->count,
		.buffers = buffers, .buffer_count = 3,
		.push = &n, .push_bytes = sizeof n,
		.groups = {(n + 63) / 64, 1, 1},
	};

	CHECK(a && b && sum, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		a[i] = (float)i;
		b[i] = (float)(i * 2 + n % 7);
	}
	CHECK(exec_run(exec, &run) == EXEC_OK, "%u elements: %s", n, exec_message(exec));
	for (uint32_t i = 0; i < n; i++)
		CHECK(sum[i] == (float)(3 * i + n % 7), "element %u of %u is %g", i, n, (double)sum[i]);
	free(a);
	free(b);
	free(sum);
}

static void fill_line(struct exec *exec, const struct words *module, uint32_t width)
{
	int64_t out[96] = {0};
	struct exec_spec specs[] = {{3, 4, width}, {7, 8, UINT64_C(1) << 40}};
	struct exec_buffer buffer = {1, 5, out, sizeof out};
	struct exec_run run = {
		.words = module->word, .word_count = module->count, .entry = "spec",
		.buffers = &buffer, .buffer_count = 1,
		.specs = specs, .spec_count = 2,
		.groups = {96 / width, 1, 1},
	};
	enum exec_status status = exec_run(exec, &run);

	if (status == EXEC_UNSUPPORTED)
		return;
	CHECK(status == EXEC_OK, "width %u: %s", width, exec_message(exec));
	for (uint32_t i = 0; i < 96; i++)
		CHECK(out[i] == ((int64_t)i << 40) + width, "element %u, width %u", i, width);
}

static void refuse(struct exec *exec, const struct words *module)
{
	uint32_t n = 1;
	struct exec_run run = {
		.words = module->word, .word_count = module->count,
		.push = &n, .push_bytes = 3, .groups = {1, 1, 1},
	};
	struct words strange = *module;

	CHECK(exec_run(exec, &run) == EXEC_WRONG && exec_message(exec)[0], "3 bytes of push constants pass");
	run.push_bytes = 4;
	/* The first instruction is OpCapability Shader: make it one that no device has. */
	strange.word[6] = 65000;
	run.words = strange.word;
	CHECK(exec_run(exec, &run) == EXEC_UNSUPPORTED && strstr(exec_message(exec), "65000"),
	      "capability 65000 passes");
}

int main(int argc, char **argv)
{
	static struct words vector_add, spec;
	struct exec *exec;
	char message[256];
	enum exec_status status;

	CHECK(argc == 3, "usage: test-vk VECTOR_ADD.spv SPEC.spv");
	read_words(argv[1], &vector_add);
	read_words(argv[2], &spec);
	status = exec_open(&exec, message, sizeof message);
	if (status == EXEC_UNAVAILABLE) {
		fprintf(stderr, "test-vk: %s\n", message);
		return 77;
	}
	for (uint32_t n = 0; n < 2000; n += 17)
		add_vectors(exec, &vector_add, n);
	for (uint32_t width = 1; width <= 32; width *= 2) {
		fill_line(exec, &spec, width);
		refuse(exec, &vector_add);
		add_vectors(exec, &vector_add, 1000 * width);
	}
	add_vectors(exec, &vector_add, 1 << 20);
	add_vectors(exec, &vector_add, 5);
	exec_close(exec);
	exec_close(NULL);
	puts("test-vk: passed");
	return 0;
}
