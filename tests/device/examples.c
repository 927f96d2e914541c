/* SPDX-License-Identifier: MIT */
/*
 * The shipped examples on a device, by the public calls alone, against what
 * tests/exec/examples_cases.c computes in another way. The cases' memory is wrapped.
 *
 * examples DEVICE [check], as "vulkan"; check: cpu, and every access is watched
 */
#include "vk.h"

#include "tests/exec/examples.h"

#include <math.h>

enum { GUARD = 16, MAX_TEXT = 1 << 16, MAX_ARGUMENTS = 32 };

/* What the cases are given is the first member of this. */
struct running {
	struct example example;
	struct glacier_device *device;
	const char *text;
	enum glacier_optimize optimize;
};

static const struct {
	char name[4];
	enum glacier_optimize optimize;
} levels[] = {{"-O0", GLACIER_OPTIMIZE_NONE}, {"-O1", GLACIER_OPTIMIZE_SAFE}};

/* --- What the cases use -------------------------------------------------- */

static uint64_t seed = 1;

/* splitmix64 */
uint32_t random_u32(void)
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ z >> 31) >> 32);
}

double random_real(double low, double high)
{
	return low + (high - low) * random_u32() / 0x1p32;
}

int random_int(int low, int high)
{
	return low + (int)(random_u32() % (uint32_t)(high - low));
}

struct array array_new(uint32_t count)
{
	uint32_t *at = malloc(((size_t)count + GUARD) * sizeof *at), sentinel = random_u32();

	CHECK(at);
	for (size_t i = 0; i < (size_t)count + GUARD; i++)
		at[i] = sentinel;
	return (struct array){at, count, sentinel};
}

void array_free(struct array *array)
{
	free(array->at);
	array->at = NULL;
}

void expect_f32(const struct example *example, const char *what, uint32_t index, float got, double want,
		double tolerance)
{
	if (!(fabs((double)got - want) <= tolerance))
		FAIL("%s %s: %s[%u] is %.9g, not %.9g +- %.3g", example->name, example->level, what, index,
		     (double)got, want, tolerance);
}

void expect_u32(const struct example *example, const char *what, uint32_t index, uint32_t got, uint32_t want)
{
	if (got != want)
		FAIL("%s %s: %s[%u] is %u (0x%x), not %u (0x%x)", example->name, example->level, what, index, got, got,
		     want, want);
}

/* The name of the first specialization constant: "@BLOCK: spec u32 = 256". */
static void find_spec(const char *text, char *name, size_t bytes)
{
	const char *spec = strstr(text, ": spec "), *at = spec;

	if (!spec)
		FAIL("no specialization constant");
	while (at[-1] != '@')
		at--;
	snprintf(name, bytes, "%.*s", (int)(spec - at), at);
}

static struct glacier_pipeline *get_pipeline(const struct running *running, const char *entry, const uint32_t *spec)
{
	const struct glacier_text input = {running->example.name, running->text, strlen(running->text)};
	const struct glacier_write_options options = {.optimize = running->optimize};
	struct glacier_read_options read = {0};
	struct glacier_define define;
	struct glacier_module *module;
	struct glacier_pipeline *pipeline;
	char name[64], value[16];

	if (spec) {
		find_spec(running->text, name, sizeof name);
		snprintf(value, sizeof value, "%u", *spec);
		define = (struct glacier_define){name, value};
		read = (struct glacier_read_options){.defines = &define, .define_count = 1};
	}
	OK(glacier_module_create(NULL, &module));
	OK(glacier_module_read_text(module, &input, &read, quiet()));
	OK(glacier_pipeline_get(running->device, module, entry, &options, &pipeline, quiet()));
	glacier_module_destroy(module);
	return pipeline;
}

/* The cases give buffers in order, and scalars as they lie in the push constants. */
static size_t name_arguments(const struct glacier_pipeline *pipeline, struct glacier_array **wrapped,
			     const unsigned char *push, struct glacier_argument *arguments)
{
	size_t count = glacier_pipeline_parameter_count(pipeline), buffers = 0, offset = 0;

	CHECK(count <= MAX_ARGUMENTS);
	for (size_t i = 0; i < count; i++) {
		struct glacier_parameter parameter;

		CHECK(glacier_pipeline_parameter(pipeline, i, &parameter));
		arguments[i] = (struct glacier_argument){.name = parameter.name};
		if (parameter.is_buffer) {
			arguments[i].array = wrapped[buffers++];
			continue;
		}
		offset = (offset + parameter.elem_bytes - 1) / parameter.elem_bytes * parameter.elem_bytes;
		memcpy(&arguments[i].bits, push + offset, parameter.elem_bytes);
		offset += parameter.elem_bytes;
	}
	return count;
}

static void dispatch(const struct example *example, const char *entry, uint32_t x, uint32_t y, const uint32_t *spec,
		     struct array *arrays, size_t count, const void *push)
{
	const struct running *running = (const struct running *)example;
	struct glacier_pipeline *pipeline = get_pipeline(running, entry, spec);
	struct glacier_argument arguments[MAX_ARGUMENTS];
	struct glacier_array *wrapped[MAX_ARGUMENTS];
	size_t argument_count;

	for (size_t i = 0; i < count; i++)
		wrapped[i] = wrap(running->device, arrays[i].at, ((size_t)arrays[i].count + GUARD) * 4);
	argument_count = name_arguments(pipeline, wrapped, push, arguments);
	OK(glacier_launch(pipeline, arguments, argument_count, (const uint32_t[3]){x ? x : 1, y ? y : 1, 1}, quiet()));
	OK(glacier_device_wait(running->device, 0, NULL, quiet()));
	if (last_code[0])
		FAIL("%s %s: %s [%s]", example->name, example->level, last_message, last_code);
	for (size_t i = 0; i < count; i++)
		OK(glacier_array_free(running->device, wrapped[i]));
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < GUARD; j++)
			if (((uint32_t *)arrays[i].at)[arrays[i].count + j] != arrays[i].sentinel)
				FAIL("%s %s: writes element %zu behind the %u of buffer %zu", example->name,
				     example->level, j, arrays[i].count, i);
}

void launch(const struct example *example, const char *entry, uint32_t x, uint32_t y, struct array *arrays,
	    size_t count, const void *push, size_t push_bytes)
{
	(void)push_bytes;
	dispatch(example, entry, x, y, NULL, arrays, count, push);
}

void launch_spec(const struct example *example, uint32_t x, uint32_t spec, struct array *arrays, size_t count,
		 const void *push, size_t push_bytes)
{
	(void)push_bytes;
	dispatch(example, NULL, x, 1, &spec, arrays, count, push);
}

/* --- The examples --------------------------------------------------------- */

static void read_example(const char *name, char *text)
{
	const char *folder = getenv("top_srcdir");
	char path[4096];
	size_t bytes;
	FILE *file;

	snprintf(path, sizeof path, "%s/examples/%s.gasm", folder ? folder : ".", name);
	file = fopen(path, "rb");
	if (!file)
		FAIL("%s cannot be read", path);
	bytes = fread(text, 1, MAX_TEXT, file);
	CHECK(bytes < MAX_TEXT);
	text[bytes] = '\0';
	fclose(file);
}

static struct glacier_device *open_device(const char *kind, bool no_host_wrap, bool check)
{
	const struct glacier_device_options options = {.no_host_wrap = no_host_wrap, .check = check};
	struct glacier_device *device;

	for (int k = 0; k < GLACIER_DEVICE_KIND_COUNT; k++) {
		enum glacier_status status;

		if (strcmp(kind, glacier_device_kind_name((enum glacier_device_kind)k)))
			continue;
		status = glacier_device_open((enum glacier_device_kind)k, 0, &options, &device, quiet());
		if (status == GLACIER_ERR_UNAVAILABLE) {
			printf("SKIP: %s\n", last_message);
			exit(77);
		}
		OK(status);
		return device;
	}
	FAIL("there is no kind of device named %s", kind);
}

int main(int argc, char **argv)
{
	static char text[MAX_TEXT];
	const char *kind = argc > 1 ? argv[1] : "vulkan";
	bool check = argc > 2 && !strcmp(argv[2], "check");

	for (int no_host_wrap = 0; no_host_wrap < 2; no_host_wrap++) {
		struct glacier_device *device = open_device(kind, no_host_wrap, check);

		for (size_t i = 0; i < example_case_count; i++) {
			read_example(example_cases[i].name, text);
			for (size_t l = 0; l < COUNT(levels); l++) {
				struct running running = {
					.example = {.name = example_cases[i].name, .level = levels[l].name},
					.device = device,
					.text = text,
					.optimize = levels[l].optimize,
				};

				example_cases[i].run(&running.example);
			}
		}
		CHECK(counts_of(device).launches > 2 * example_case_count);
		printf("examples: %zu passed on %s, %s: %llu launches of %llu pipelines\n", example_case_count,
		       glacier_device_describe(device)->name, no_host_wrap ? "copied" : "wrapped",
		       (unsigned long long)counts_of(device).launches,
		       (unsigned long long)counts_of(device).pipelines_built);
		glacier_device_close(device);
	}
	return 0;
}
