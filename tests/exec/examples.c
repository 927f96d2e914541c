/* SPDX-License-Identifier: MIT */
/*
 * Every example, through the public API: accepted for SPIR-V and PTX at -O0 and -O1, valid
 * for SPIRV-Tools and ptxas where they are here, and run on a Vulkan device against what
 * examples_cases.c computes in another way.
 */
#include "examples.h"

#include <glacier/kernel.h>

#ifdef HAVE_VALID
#include "tests/diff/valid.h"
#endif

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GUARD = 16, MAX_ARRAYS = 8, MAX_TEXT = 1 << 20 };

#define FAIL(...) \
	do { \
		fprintf(stderr, "examples: "); \
		fprintf(stderr, __VA_ARGS__); \
		fputc('\n', stderr); \
		exit(1); \
	} while (0)

static const struct {
	char name[4];
	enum glacier_optimize optimize;
} levels[] = {{"-O0", GLACIER_OPTIMIZE_NONE}, {"-O1", GLACIER_OPTIMIZE_SAFE}};

/* ptxas without its optimizer, which takes much longer than what reads and checks the code. */
static const struct {
	char target[12], command[48];
} archs[] = {
	{"ptx:sm_80", "ptxas -O0 -arch=sm_80 -o /dev/null"},
	{"ptx:sm_89", "ptxas -O0 -arch=sm_89 -o /dev/null"},
	{"ptx:sm_90", "ptxas -O0 -arch=sm_90 -o /dev/null"},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* --- What the cases use -------------------------------------------------- */

struct array array_new(uint32_t count)
{
	uint32_t *at = malloc(((size_t)count + GUARD) * sizeof *at), sentinel = random_u32();

	if (!at)
		FAIL("out of memory");
	for (size_t i = 0; i < (size_t)count + GUARD; i++)
		at[i] = sentinel;
	return (struct array){at, count, sentinel};
}

void array_free(struct array *array)
{
	free(array->at);
	array->at = NULL;
}

static void dispatch(const struct example *example, const char *entry, uint32_t x, uint32_t y,
		     const uint32_t *spec, struct array *arrays, size_t count, const void *push,
		     size_t push_bytes)
{
	struct exec_buffer buffers[MAX_ARRAYS] = {0};
	struct exec_spec specs = {0, 4, spec ? *spec : 0};
	struct exec_run run = {
		.words = example->words, .word_count = example->word_count, .entry = entry,
		.buffers = buffers, .buffer_count = count,
		.push = push, .push_bytes = push_bytes,
		.specs = &specs, .spec_count = spec != NULL,
		.groups = {x ? x : 1, y ? y : 1, 1},
	};

	for (size_t i = 0; i < count; i++)
		buffers[i] = (struct exec_buffer){
			.binding = (uint32_t)i,
			.data = arrays[i].at,
			.bytes = ((size_t)arrays[i].count + GUARD) * 4,
		};
	if (exec_run(example->exec, &run) != EXEC_OK)
		FAIL("%s %s: %s", example->name, example->level, exec_message(example->exec));
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < GUARD; j++)
			if (((uint32_t *)arrays[i].at)[arrays[i].count + j] != arrays[i].sentinel)
				FAIL("%s %s: writes element %zu behind the %u of buffer %zu", example->name,
				     example->level, j, arrays[i].count, i);
}

void launch(const struct example *example, const char *entry, uint32_t x, uint32_t y,
	    struct array *arrays, size_t count, const void *push, size_t push_bytes)
{
	dispatch(example, entry, x, y, NULL, arrays, count, push, push_bytes);
}

void launch_spec(const struct example *example, uint32_t x, uint32_t spec, struct array *arrays,
		 size_t count, const void *push, size_t push_bytes)
{
	dispatch(example, NULL, x, 1, &spec, arrays, count, push, push_bytes);
}

void expect_f32(const struct example *example, const char *what, uint32_t index, float got,
		double want, double tolerance)
{
	if (!(fabs((double)got - want) <= tolerance))
		FAIL("%s %s: %s[%u] is %.9g, not %.9g +- %.3g", example->name, example->level, what, index,
		     (double)got, want, tolerance);
}

void expect_u32(const struct example *example, const char *what, uint32_t index, uint32_t got,
		uint32_t want)
{
	if (got != want)
		FAIL("%s %s: %s[%u] is %u (0x%x), not %u (0x%x)", example->name, example->level, what,
		     index, got, got, want, want);
}

/* splitmix64 */
static uint64_t seed = 1;

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

/* --- Compiling ----------------------------------------------------------- */

static void print_diagnostic(void *user, const struct glacier_diagnostic *d)
{
	fprintf(stderr, "examples: %s:%u:%u: %s [%s]\n", (const char *)user, d->location.line,
		d->location.column, d->message, d->code ? d->code : "note");
}

static const char *source_folder(void)
{
	const char *folder = getenv("top_srcdir");

	return folder ? folder : ".";
}

/* Appends the example's text. */
static void read_example(const char *name, char *text, size_t *size)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof path, "%s/examples/%s.gasm", source_folder(), name);
	file = fopen(path, "rb");
	if (!file)
		FAIL("%s cannot be read", path);
	*size += fread(text + *size, 1, MAX_TEXT - *size, file);
	if (*size == MAX_TEXT)
		FAIL("the examples are larger than the test's buffer");
	fclose(file);
}

static void read_module(struct glacier_module *module, const char *name, const char *text, size_t size)
{
	struct glacier_text input = {name, text, size};
	struct glacier_diag diag = {.report = print_diagnostic, .user = (void *)name};

	if (glacier_module_read_text(module, &input, NULL, &diag) != GLACIER_OK)
		FAIL("%s is refused", name);
	if (diag.warnings)
		FAIL("%s has warnings", name);
}

static void write_module(struct glacier_module *module, const char *name, const char *target_name,
			 enum glacier_optimize optimize, struct glacier_buffer *out)
{
	struct glacier_write_options options = {.optimize = optimize};
	struct glacier_diag diag = {.report = print_diagnostic, .user = (void *)name};
	struct glacier_target target;

	out->size = 0;
	if (glacier_target_parse(target_name, &target, &diag) != GLACIER_OK ||
	    glacier_module_write(module, &target, &options, out, &diag) != GLACIER_OK || !out->size)
		FAIL("%s cannot be written for %s", name, target_name);
}

/* --- Judges -------------------------------------------------------------- */

static bool have_program(const char *name)
{
	char command[64];

	snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
	return system(command) == 0;
}

/* Runs COMMAND FILE with the bytes in the file; its messages go to standard error. */
static bool judged(const char *command, const struct glacier_buffer *bytes)
{
	char path[] = "/tmp/glacier-examples.XXXXXX", line[256];
	int fd = mkstemp(path);
	bool good;

	if (fd < 0 || write(fd, bytes->data, bytes->size) != (ssize_t)bytes->size)
		FAIL("%s cannot be written", path);
	close(fd);
	snprintf(line, sizeof line, "%s %s", command, path);
	good = system(line) == 0;
	unlink(path);
	return good;
}

static void judge_spirv(const char *name, const char *level, const struct glacier_buffer *words)
{
#ifdef HAVE_VALID
	static struct valid *valid;
	char message[512];

	if (!valid && !(valid = valid_create("vulkan1.3")))
		FAIL("SPIRV-Tools does not know vulkan1.3");
	if (!valid_spirv(valid, (const uint32_t *)words->data, words->size / 4, message, sizeof message))
		FAIL("%s %s is not valid: %s", name, level, message);
#else
	static int have = -1;

	if (have < 0)
		have = have_program("spirv-val");
	if (have && !judged("spirv-val --target-env vulkan1.3", words))
		FAIL("%s %s is not valid", name, level);
#endif
}

/* All examples as one module: ptxas takes its time for each call more than for each kernel. */
static void judge_ptx(struct glacier_module *module)
{
	static char text[MAX_TEXT];
	struct glacier_buffer ptx = {0};
	size_t size = 0;

	for (size_t i = 0; i < example_case_count; i++)
		read_example(example_cases[i].name, text, &size);
	read_module(module, "all examples", text, size);
	for (size_t a = 0; a < COUNT(archs); a++)
		for (size_t l = 0; l < COUNT(levels); l++) {
			write_module(module, "all examples", archs[a].target, levels[l].optimize, &ptx);
			if (!judged(archs[a].command, &ptx))
				FAIL("ptxas refuses the examples for %s %s", archs[a].target, levels[l].name);
		}
	glacier_buffer_fini(&ptx);
}

/* No example without a case. */
static void check_complete(void)
{
	char path[4096];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof path, "%s/examples", source_folder());
	folder = opendir(path);
	if (!folder)
		FAIL("%s cannot be read", path);
	while ((entry = readdir(folder))) {
		size_t bytes = strcspn(entry->d_name, "."), i = 0;

		if (strcmp(entry->d_name + bytes, ".gasm"))
			continue;
		while (i < example_case_count && (strlen(example_cases[i].name) != bytes ||
						  strncmp(example_cases[i].name, entry->d_name, bytes)))
			i++;
		if (i == example_case_count)
			FAIL("%s has no case here", entry->d_name);
	}
	closedir(folder);
}

static void try_example(const struct example_case *c, struct glacier_module *module, struct exec *exec)
{
	static char text[MAX_TEXT];
	struct glacier_buffer code = {0};
	size_t size = 0;

	read_example(c->name, text, &size);
	read_module(module, c->name, text, size);
	for (size_t l = 0; l < COUNT(levels); l++) {
		struct example example = {.exec = exec, .name = c->name, .level = levels[l].name};

		for (size_t a = 0; a < COUNT(archs); a++)
			write_module(module, c->name, archs[a].target, levels[l].optimize, &code);
		write_module(module, c->name, "spirv", levels[l].optimize, &code);
		judge_spirv(c->name, levels[l].name, &code);
		example.words = (const uint32_t *)code.data;
		example.word_count = code.size / 4;
		if (exec)
			c->run(&example);
	}
	glacier_buffer_fini(&code);
}

static bool is_chosen(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

/* examples [NAME]...: without a name, all of them. */
int main(int argc, char **argv)
{
	size_t tried = 0;
	struct glacier_module *module;
	struct exec *exec = NULL;
	char message[256];

	check_complete();
	if (glacier_module_create(NULL, &module) != GLACIER_OK)
		FAIL("out of memory");
	if (exec_open(&exec, message, sizeof message) != EXEC_OK)
		exec = NULL;
	for (size_t i = 0; i < example_case_count; i++) {
		if (!is_chosen(example_cases[i].name, argv + 1))
			continue;
		try_example(&example_cases[i], module, exec);
		tried++;
	}
	if (!tried)
		FAIL("there is no example of that name");
	if (argc == 1 && have_program("ptxas"))
		judge_ptx(module);
	glacier_module_destroy(module);
	if (!exec) {
		printf("SKIP: the examples compile, and are not run: %s\n", message);
		return 77;
	}
	printf("examples: %zu passed on %s\n", tried, exec_device_name(exec));
	exec_close(exec);
	return 0;
}
