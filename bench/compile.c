/* SPDX-License-Identifier: MIT */
/*
 * Compiles one input again and again in a warm process: what bench/instructions.sh counts
 * and bench/compile.sh times.
 *
 *	compile FILE TARGET COUNT [-O0]     FILE.gasm, or add32 / add32io: the numeric stream
 *
 * add32 is the stream of 32 Adds that Glacier.Compute publishes a figure for; add32io has two
 * loads and a store around it, so that it does something.
 */
#include <glacier.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *read_all(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;
	long end;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END) && (end = ftell(file)) >= 0 && !fseek(file, 0, SEEK_SET)) {
		bytes = malloc((size_t)end + 1);
		*size = bytes ? fread(bytes, 1, (size_t)end, file) : 0;
	}
	fclose(file);
	return bytes;
}

/* LoadGlobal 15, StoreGlobal 16, Add 1. */
static size_t adds(struct glacier_row *rows, bool memory)
{
	size_t n = 0;

	if (memory) {
		rows[n++] = (struct glacier_row){23, 0, 0, 0};
		rows[n++] = (struct glacier_row){15, 0, 0, 0};
		rows[n++] = (struct glacier_row){15, 1, 0, 1};
	}
	for (int i = 0; i < 32; i++)
		rows[n++] = (struct glacier_row){1, i, (i + 1) % 32, (i + 2) % 32};
	if (memory)
		rows[n++] = (struct glacier_row){16, 1, 0, 2};
	return n;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	struct glacier_write_options options = {0};
	const struct glacier_stream_options stream = {.name = "add32", .workgroup = {64, 1, 1}};
	struct glacier_module *module;
	struct glacier_target target;
	struct glacier_buffer out = {0};
	struct glacier_row rows[40];
	struct glacier_text text = {0};
	size_t row_count = 0;
	double begun;
	long count;

	if (argc < 4 || glacier_target_parse(argv[2], &target, NULL) != GLACIER_OK) {
		fprintf(stderr, "usage: compile FILE|add32|add32io TARGET COUNT [-O0]\n");
		return 2;
	}
	count = strtol(argv[3], NULL, 10);
	if (argc > 4)
		options.optimize = GLACIER_OPTIMIZE_NONE;
	if (!strncmp(argv[1], "add32", 5))
		row_count = adds(rows, !strcmp(argv[1], "add32io"));
	else if (!(text.text = read_all(argv[1], &text.size)))
		return 2;
	if (glacier_module_create(NULL, &module) != GLACIER_OK)
		return 2;

	begun = seconds();
	for (long i = 0; i < count; i++) {
		enum glacier_status status =
			row_count ? glacier_kernel_from_stream(module, rows, row_count, &stream, NULL)
				  : glacier_module_read_text(module, &text, NULL, NULL);

		out.size = 0;
		if (status != GLACIER_OK ||
		    glacier_module_write(module, &target, &options, &out, NULL) != GLACIER_OK) {
			fprintf(stderr, "compile: %s\n", glacier_status_name(status));
			return 1;
		}
	}
	printf("%zu bytes, %.0f ns each\n", out.size, (seconds() - begun) * 1e9 / (double)(count ? count : 1));
	glacier_buffer_fini(&out);
	glacier_module_destroy(module);
	free((void *)text.text);
	return 0;
}
