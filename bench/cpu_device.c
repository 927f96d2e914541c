/* SPDX-License-Identifier: MIT */
/*
 * The processor's device against the same loops in C: bench/cpu_scalar.c. Both run in turn;
 * the ratio of medians is printed, above 1 where the device is faster.
 *
 * cpu_device FOLDER-OF-EXAMPLES [THREADS [LEVEL]]
 */
#include "cpu_scalar.h"

#include <glacier.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9 };

static struct glacier_device *device;
static const char *folder;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "cpu_device: %s\n", what);
	exit(2);
}

static void print_diagnostic(void *user, const struct glacier_diagnostic *d)
{
	(void)user;
	fprintf(stderr, "cpu_device: %s\n", d->message);
}

static struct glacier_diag diag = {.report = print_diagnostic};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *times)
{
	qsort(times, ROUNDS, sizeof *times, by_value);
	return times[ROUNDS / 2];
}

/* alone: with workgroups of one invocation. */
static struct glacier_pipeline *load(const char *name, bool alone)
{
	struct glacier_module *module;
	struct glacier_pipeline *pipeline;
	static char text[1 << 16];
	char path[1024], *group;
	FILE *file;
	size_t size;

	snprintf(path, sizeof path, "%s/%s.gasm", folder, name);
	file = fopen(path, "rb");
	if (!file)
		die(path);
	size = fread(text, 1, sizeof text, file);
	fclose(file);
	if (alone && (group = strstr(text, "workgroup 64")))
		memcpy(group, "workgroup  1", 12);
	if (glacier_module_create(NULL, &module) != GLACIER_OK ||
	    glacier_module_read_text(module, &(struct glacier_text){path, text, size}, NULL, &diag) != GLACIER_OK ||
	    glacier_pipeline_get(device, module, NULL, NULL, &pipeline, &diag) != GLACIER_OK)
		die(name);
	glacier_module_destroy(module);
	return pipeline;
}

static struct glacier_array *array(size_t bytes)
{
	struct glacier_array *array;

	if (glacier_array_create(device, bytes, &array, &diag) != GLACIER_OK)
		die("no memory");
	return array;
}

static float *floats(struct glacier_array *array, float low, float high)
{
	float *at = glacier_array_host(array, true, &diag);
	size_t n = glacier_array_bytes(array) / sizeof *at;

	for (size_t i = 0; i < n; i++)
		at[i] = low + (high - low) * (float)(i * 7919 % 65536) / 65536;
	return at;
}

static uint64_t bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static double launch(struct glacier_pipeline *pipeline, const struct glacier_argument *arguments, size_t count,
		     uint32_t x, uint32_t y)
{
	double begin = now();

	if (glacier_launch(pipeline, arguments, count, (uint32_t[]){x, y, 1}, &diag) != GLACIER_OK ||
	    glacier_device_wait(device, 0, NULL, &diag) != GLACIER_OK)
		die("a launch failed");
	return now() - begin;
}

#define LAUNCH(pipeline, x, y, ...)                                      \
	launch(pipeline, (struct glacier_argument[]){__VA_ARGS__},       \
	       sizeof((struct glacier_argument[]){__VA_ARGS__}) / sizeof(struct glacier_argument), x, y)

/* Runs both in turn, once before anything counts. */
#define COMPARE(name, device_run, scalar_run)                                              \
	do {                                                                               \
		double ours[ROUNDS], theirs[ROUNDS], a, b;                                 \
		for (int i = -1; i < ROUNDS; i++) {                                        \
			double took = (device_run), begin = now();                         \
			scalar_run;                                                        \
			begin = now() - begin;                                             \
			if (i >= 0) {                                                      \
				ours[i] = took;                                            \
				theirs[i] = begin;                                         \
			}                                                                  \
		}                                                                          \
		a = median(ours);                                                          \
		b = median(theirs);                                                        \
		printf("%-26s %10.3f ms %10.3f ms %8.2f\n", name, 1e3 * a, 1e3 * b, b / a); \
		fflush(stdout);                                                            \
	} while (0)

static void logistic(void)
{
	enum { N = 256 << 10, ITERS = 256 };
	struct glacier_pipeline *p = load("logistic_map", false);
	struct glacier_array *in = array(4 * N), *out = array(4 * N);
	float *x = floats(in, 0.1f, 0.9f), *scratch = malloc(4 * N);

	COMPARE("logistic 256K x 256",
		LAUNCH(p, N / 256, 1, {.name = "in", .array = in}, {.name = "out", .array = out},
		       {.name = "iters", .bits = ITERS}, {.name = "n", .bits = N}),
		scalar_logistic_map(x, scratch, ITERS, N));
	if (memcmp(scratch, glacier_array_host(out, false, &diag), 4 * N))
		die("logistic_map: other bits");
	free(scratch);
}

static void black_scholes(void)
{
	enum { N = 1 << 20 };
	struct glacier_pipeline *p = load("black_scholes", false);
	struct glacier_array *s = array(4 * N), *k = array(4 * N), *t = array(4 * N), *call = array(4 * N),
			     *put = array(4 * N);
	float *fs = floats(s, 10, 100), *fk = floats(k, 20, 90), *ft = floats(t, 0.1f, 3);
	float *c = malloc(4 * N), *d = malloc(4 * N);

	COMPARE("Black-Scholes 1M",
		LAUNCH(p, N / 256, 1, {.name = "price", .array = s}, {.name = "strike", .array = k},
		       {.name = "years", .array = t}, {.name = "call", .array = call}, {.name = "put", .array = put},
		       {.name = "rate", .bits = bits(0.02f)}, {.name = "volatility", .bits = bits(0.3f)},
		       {.name = "n", .bits = N}),
		scalar_black_scholes(fs, fk, ft, c, d, 0.02f, 0.3f, N));
	free(c);
	free(d);
}

static void mandelbrot(void)
{
	enum { SIDE = 512, LIMIT = 256 };
	struct glacier_pipeline *p = load("mandelbrot", false);
	struct glacier_array *out = array(4 * SIDE * SIDE);
	uint32_t *scratch = malloc(4 * SIDE * SIDE);
	float step = 3.0f / SIDE;

	COMPARE("mandelbrot 512 x 512",
		LAUNCH(p, SIDE / 16, SIDE / 16, {.name = "out", .array = out}, {.name = "left", .bits = bits(-2.25f)},
		       {.name = "top", .bits = bits(-1.5f)}, {.name = "step", .bits = bits(step)},
		       {.name = "width", .bits = SIDE}, {.name = "height", .bits = SIDE},
		       {.name = "limit", .bits = LIMIT}),
		scalar_mandelbrot(scratch, -2.25f, -1.5f, step, SIDE, SIDE, LIMIT));
	if (memcmp(scratch, glacier_array_host(out, false, &diag), 4 * SIDE * SIDE))
		die("mandelbrot: other counts");
	free(scratch);
}

static void saxpy(const char *name, uint32_t groups)
{
	enum { N = 16 << 20 };
	struct glacier_pipeline *p = load("saxpy", false);
	struct glacier_array *x = array((size_t)4 * N), *y = array((size_t)4 * N);
	float *fx = floats(x, 0, 1), *fy = malloc((size_t)4 * N);

	floats(y, 0, 1);
	memset(fy, 0, (size_t)4 * N);
	COMPARE(name,
		LAUNCH(p, groups, 1, {.name = "x", .array = x}, {.name = "y", .array = y},
		       {.name = "a", .bits = bits(0.5f)}, {.name = "n", .bits = N}),
		scalar_saxpy(fx, fy, 0.5f, N));
	free(fy);
	glacier_array_free(device, x);
	glacier_array_free(device, y);
}

static void fibonacci(void)
{
	struct glacier_pipeline *p = load("fibonacci", true);
	struct glacier_array *in = array(4), *out = array(4);
	int32_t index = 15000, *at = glacier_array_host(in, true, &diag);
	volatile int32_t sink;

	*at = index;
	COMPARE("fibonacci(15000), 1 lane",
		LAUNCH(p, 1, 1, {.name = "in", .array = in}, {.name = "out", .array = out}, {.name = "n", .bits = 1}),
		sink = threaded_fibonacci(index));
	if (*(int32_t *)glacier_array_host(out, false, &diag) != sink)
		die("fibonacci: another number");
}

int main(int argc, char **argv)
{
	struct glacier_device_options options = {
		.threads = argc > 2 ? (uint32_t)atoi(argv[2]) : 1,
		.isa = argc > 3 ? argv[3] : NULL,
	};

	folder = argc > 1 ? argv[1] : "examples";
	if (glacier_device_open(GLACIER_DEVICE_CPU, 0, &options, &device, &diag) != GLACIER_OK)
		return 2;
	printf("%s, %s, %u threads; medians of %d\n", glacier_device_describe(device)->name,
	       glacier_device_describe(device)->driver, options.threads, ROUNDS);
	printf("%-26s %13s %13s %8s\n", "", "device", "C loop", "ratio");
	logistic();
	black_scholes();
	mandelbrot();
	saxpy("saxpy 16M, 1 an invocation", 65536);
	saxpy("saxpy 16M, -g 4096", 4096);
	fibonacci();
	glacier_device_close(device);
	return 0;
}
