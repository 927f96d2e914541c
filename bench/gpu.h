/* SPDX-License-Identifier: MIT */
/* What the measurements on a GPU share: texts, arrays, medians; every failure ends the program. */
#ifndef BENCH_GPU_H
#define BENCH_GPU_H

#include <glacier.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 20 };

#define DIE(...) \
	(fprintf(stderr, "bench: "), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(2))

static inline void print_diagnostic(void *user, const struct glacier_diagnostic *d)
{
	(void)user;
	fprintf(stderr, "bench: %s [%s]\n", d->message, d->code ? d->code : "");
}

static struct glacier_diag sink = {.report = print_diagnostic};

#define OK(call) \
	do { \
		if ((call) != GLACIER_OK) \
			DIE("%s fails", #call); \
	} while (0)

static inline double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline double median(double *samples, size_t count)
{
	qsort(samples, count, sizeof *samples, by_value);
	return (samples[(count - 1) / 2] + samples[count / 2]) / 2;
}

/* The first device of a kind; without one the program ends with 77. */
static inline struct glacier_device *open_device(enum glacier_device_kind kind,
						 const struct glacier_device_options *options)
{
	struct glacier_device *device;
	enum glacier_status status = glacier_device_open(kind, 0, options, &device, &sink);

	if (status == GLACIER_ERR_UNAVAILABLE)
		exit(77);
	if (status != GLACIER_OK)
		exit(2);
	return device;
}

static inline void *read_file(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *data;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET))
		DIE("%s cannot be read", path);
	data = malloc((size_t)size + 1);
	if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
		DIE("%s cannot be read", path);
	fclose(file);
	data[size] = '\0';
	*bytes = (size_t)size;
	return data;
}

/* file: of the source tree, as "examples/saxpy.gasm". kernel: NULL for the only one. */
static inline struct glacier_pipeline *load(struct glacier_device *device, const char *file, const char *kernel)
{
	const char *folder = getenv("top_srcdir");
	struct glacier_pipeline *pipeline;
	struct glacier_module *module;
	struct glacier_text text;
	char path[1024];
	char *data;

	snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", file);
	data = read_file(path, &text.size);
	text.name = path;
	text.text = data;
	OK(glacier_module_create(NULL, &module));
	OK(glacier_module_read_text(module, &text, NULL, &sink));
	OK(glacier_pipeline_get(device, module, kernel, NULL, &pipeline, &sink));
	glacier_module_destroy(module);
	free(data);
	return pipeline;
}

static inline struct glacier_array *array_of(struct glacier_device *device, uint64_t bytes)
{
	struct glacier_array *array;

	OK(glacier_array_create(device, bytes, &array, &sink));
	return array;
}

/* Floats in [0.25, 1.25). */
static inline void fill_floats(float *at, size_t count)
{
	uint32_t state = 12345;

	for (size_t i = 0; i < count; i++)
		at[i] = 0.25f + (float)((state = state * 1664525 + 1013904223) >> 8) / 0x1p24f;
}

#endif
