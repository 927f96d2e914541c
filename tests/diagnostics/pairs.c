/* SPDX-License-Identifier: MIT */
/*
 * Every code of the kernel language has an input that raises it and a near twin that raises
 * nothing: GA0031.bad.gasm and GA0031.good.gasm, or .json. A code without a pair fails, and
 * so does a pair without a code. Lines of a text that say more than the language does:
 *
 *	//! GA0031 [COLUMN]      behind a statement: this code is reported on this line
 *	//! GA0031 nowhere       it is reported without a place
 *	//! target NAME          what is written; spirv when nothing is said
 *	//! define NAME=VALUE    as -D
 *	//! limit NAME NUMBER    one of the device's limits
 *	//! quiet NAME           as -Wno-NAME
 *
 * JSON has no comments: the file `places` tells "GA0106 path kernels[0].body" or "GA0100 line
 * 2 7". What cannot lie in a file is made in made.c.
 */
#include <glacier.h>

#include "made.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEFINES = 4, TWIN_LINES = 6 };

struct expected {
	char code[8], path[128];
	bool nowhere;
	uint32_t line, column;      /* column 0: any */
	const char *source;         /* the file it is in, when that is an included one */
};

struct sample {
	char name[300];
	char *text;
	size_t size;
	bool json;
	struct expected expected;   /* code empty: the good twin */
	char target[64];
	struct glacier_define defines[MOST_DEFINES];
	char define_text[MOST_DEFINES][64];
	size_t define_count;
	struct glacier_limits limits;
	bool limited;
	uint64_t disabled[1];
};

static const char *folder;
static int failures;

#define FAIL(...) (printf("FAIL: " __VA_ARGS__), putchar('\n'), failures++)

static char *load(const char *name, size_t *size)
{
	char path[4096];
	FILE *file;
	char *text;
	long end;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "rb");
	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	end = ftell(file);
	rewind(file);
	text = malloc((size_t)end + 1);
	if (!text || fread(text, 1, (size_t)end, file) != (size_t)end)
		exit(99);
	text[end] = '\0';
	*size = (size_t)end;
	fclose(file);
	return text;
}

/* --- What a text says of itself ------------------------------------------ */

static uint32_t *limit(struct glacier_limits *limits, const char *name)
{
#define LIMIT(member) if (!strcmp(name, #member)) return &limits->member
	LIMIT(compute_shared_memory_bytes);
	LIMIT(compute_workgroup_invocations);
	LIMIT(push_constants_bytes);
	LIMIT(storage_buffer_range_bytes);
	LIMIT(per_stage_storage_buffers);
	LIMIT(per_stage_resources);
	LIMIT(descriptor_set_storage_buffers);
	LIMIT(bound_descriptor_sets);
	if (!strcmp(name, "compute_workgroup_size_z"))
		return &limits->compute_workgroup_size[2];
	return NULL;
}

static void read_mark(struct sample *sample, uint32_t line, const char *mark)
{
	char word[16] = "", rest[128] = "", number[16] = "";

	if (sscanf(mark, "%15s %127s %15s", word, rest, number) < 1)
		return;
	if (!strncmp(word, "GA", 2)) {
		snprintf(sample->expected.code, sizeof sample->expected.code, "%.7s", word);
		sample->expected.nowhere = !strcmp(rest, "nowhere");
		sample->expected.line = line;
		sample->expected.column = (uint32_t)strtoul(rest, NULL, 10);
	} else if (!strcmp(word, "target")) {
		snprintf(sample->target, sizeof sample->target, "%.63s", rest);
	} else if (!strcmp(word, "define") && sample->define_count < MOST_DEFINES) {
		char *text = sample->define_text[sample->define_count], *equals;

		snprintf(text, 64, "%.63s", rest);
		equals = strchr(text, '=');
		if (!equals)
			return;
		*equals = '\0';
		sample->defines[sample->define_count++] = (struct glacier_define){text, equals + 1};
	} else if (!strcmp(word, "limit") && limit(&sample->limits, rest)) {
		sample->limited = true;
		*limit(&sample->limits, rest) = (uint32_t)strtoul(number, NULL, 10);
	} else if (!strcmp(word, "quiet") && glacier_warning_find(rest)) {
		sample->disabled[0] |= UINT64_C(1) << glacier_warning_find(rest);
	} else {
		FAIL("%s:%u: '//!%s' means nothing", sample->name, line, mark);
	}
}

static void read_marks(struct sample *sample, const char *text, const char *source)
{
	uint32_t line = 1;

	for (const char *at = text; at && *at; line++) {
		const char *end = strchr(at, '\n'), *mark = strstr(at, "//!");
		size_t bytes = end ? (size_t)(end - at) : strlen(at);
		char copy[256];

		if (mark && mark < at + bytes) {
			snprintf(copy, sizeof copy, "%.*s", (int)(at + bytes - mark - 3), mark + 3);
			read_mark(sample, line, copy);
			if (source && sample->expected.code[0])
				sample->expected.source = source;
		}
		at = end ? end + 1 : NULL;
	}
}

/* The place of a code in a JSON document. */
static void read_place(struct sample *sample)
{
	size_t size;
	char *places = load("places", &size), *line = places ? strstr(places, sample->expected.code) : NULL;

	if (!line) {
		FAIL("%s: 'places' does not tell where", sample->name);
	} else if (sscanf(line, "%*s line %u %u", &sample->expected.line, &sample->expected.column) != 2) {
		sample->expected.line = 0;
		sample->expected.nowhere = sscanf(line, "%*s path%*[ ]%127[^\n]", sample->expected.path) != 1;
	}
	free(places);
}

/* --- What the library says of it ----------------------------------------- */

struct heard {
	const struct sample *sample;
	struct glacier_diagnostic first;
	char code[8], message[512], path[256], source[64];
	int count, notes;
};

static void check_style(const struct sample *sample, const struct glacier_diagnostic *d)
{
	size_t bytes = strlen(d->message);

	if (isupper((unsigned char)d->message[0]) && islower((unsigned char)d->message[1]) &&
	    strncmp(d->message, d->message, 1) == 0 && !strchr(d->message, ' '))
		FAIL("%s: '%s' is one word", sample->name, d->message);
	if (bytes < 4 || d->message[bytes - 1] == '.')
		FAIL("%s: '%s' ends with a full stop", sample->name, d->message);
	for (size_t i = 0; i < bytes; i++)
		if (iscntrl((unsigned char)d->message[i]))
			FAIL("%s: a control character in the message", sample->name);
}

static void hear(void *user, const struct glacier_diagnostic *d)
{
	struct heard *heard = user;

	check_style(heard->sample, d);
	if (d->severity == GLACIER_NOTE) {
		heard->notes++;
		return;
	}
	if (heard->count++)
		return;
	heard->first = *d;
	snprintf(heard->code, sizeof heard->code, "%s", d->code);
	snprintf(heard->message, sizeof heard->message, "%s", d->message);
	snprintf(heard->path, sizeof heard->path, "%s", d->location.kind == GLACIER_LOCATION_PATH ? d->location.path : "");
	snprintf(heard->source, sizeof heard->source, "%s", d->location.source ? d->location.source : "");
}

/* Included texts: they live as long as the module. */
static char *kept[64];
static size_t kept_count;

static bool include(void *user, const char *path, const char *from, struct glacier_text *out)
{
	static char name[64];
	size_t size;
	char *text = NULL;

	(void)user, (void)from;
	if (!strchr(path, '/') && kept_count < sizeof kept / sizeof *kept)
		text = load(path, &size);
	if (!text)
		return false;
	kept[kept_count++] = text;
	snprintf(name, sizeof name, "%.63s", path);
	*out = (struct glacier_text){.name = name, .text = text, .size = size};
	return true;
}

static enum glacier_status run(const struct sample *sample, struct heard *heard)
{
	struct glacier_text input = {.name = sample->name, .text = sample->text, .size = sample->size};
	struct glacier_read_options read = {
		.defines = sample->defines, .define_count = sample->define_count, .include = include};
	struct glacier_write_options write = {.limits = sample->limited ? &sample->limits : NULL};
	struct glacier_diag diag = {.report = hear, .user = heard, .disabled = sample->disabled};
	struct glacier_buffer buffer = {0};
	struct glacier_target target;
	struct glacier_module *module;
	enum glacier_status status;

	if (glacier_module_create(NULL, &module) != GLACIER_OK)
		exit(99);
	status = glacier_target_parse(sample->target, &target, &diag);
	if (status == GLACIER_OK)
		status = sample->json ? glacier_module_read_json(module, &input, &read, &diag)
				      : glacier_module_read_text(module, &input, &read, &diag);
	if (status == GLACIER_OK)
		status = glacier_module_write(module, &target, &write, &buffer, &diag);
	if (status != GLACIER_OK && buffer.size)
		FAIL("%s: something was written all the same", sample->name);
	glacier_buffer_fini(&buffer);
	glacier_module_destroy(module);
	while (kept_count)
		free(kept[--kept_count]);
	return status;
}

static void compare(const struct sample *sample, const struct heard *heard, enum glacier_status status,
		    const struct glacier_code_info *info)
{
	const struct expected *e = &sample->expected;
	const struct glacier_location *location = &heard->first.location;

	if (!e->code[0]) {
		if (heard->count || status != GLACIER_OK)
			FAIL("%s: the twin is refused: %s [%s]", sample->name, heard->message, heard->code);
		return;
	}
	if (heard->count != 1 || strcmp(heard->code, e->code)) {
		FAIL("%s: %d reports, the first is [%s] '%s'", sample->name, heard->count, heard->code, heard->message);
		return;
	}
	if (status != (info->warning ? GLACIER_OK : info->status))
		FAIL("%s: status %d", sample->name, (int)status);
	if (e->nowhere ? location->kind != GLACIER_LOCATION_NONE
		       : e->path[0] ? strcmp(heard->path, e->path) != 0 : location->line != e->line)
		FAIL("%s: the report is at line %u%s%s", sample->name, location->line, heard->path[0] ? ", path " : "", heard->path);
	if (e->column && location->column != e->column)
		FAIL("%s: the report is at column %u, not %u", sample->name, location->column, e->column);
	if (e->source && strcmp(heard->source, e->source))
		FAIL("%s: the report is in '%s'", sample->name, heard->source);
}

/* --- Pairs --------------------------------------------------------------- */

static bool load_sample(struct sample *sample, const char *code, const char *which)
{
	static const char *const suffixes[] = {"gasm", "json"};
	char *included;
	size_t size;

	memset(sample, 0, sizeof *sample);
	for (int i = 0; i < 2 && !sample->text; i++) {
		snprintf(sample->name, sizeof sample->name, "%s.%s.%s", code, which, suffixes[i]);
		sample->text = load(sample->name, &sample->size);
		sample->json = i == 1;
	}
	if (!sample->text)
		return false;
	/* The device that has it all, until a mark takes something away. */
	sample->limits = (struct glacier_limits){1u << 30, 1u << 30, {1u << 30, 1u << 30, 1u << 30}, 1u << 30, 1u << 30,
						 1u << 30, 1u << 30, 1u << 30, 1u << 30};
	snprintf(sample->target, sizeof sample->target, "spirv");
	if (!sample->json) {
		read_marks(sample, sample->text, NULL);
		snprintf(sample->name + sizeof sample->name - 16, 16, "%.7s.inc", code);
		included = load(sample->name + sizeof sample->name - 16, &size);
		if (included && !sample->expected.code[0] && !strcmp(which, "bad"))
			read_marks(sample, included, sample->name + sizeof sample->name - 16);
		free(included);
	} else if (!strcmp(which, "bad")) {
		snprintf(sample->expected.code, sizeof sample->expected.code, "%.7s", code);
		read_place(sample);
	}
	return true;
}

/* Lines between the common beginning and the common end: a twin is near. */
static int differing_lines(const char *a, const char *b)
{
	const char *a_end = a + strlen(a), *b_end = b + strlen(b);
	int lines[2] = {0};

	while (*a && *a == *b)
		a++, b++;
	while (a_end > a && b_end > b && a_end[-1] == b_end[-1])
		a_end--, b_end--;
	for (; a < a_end; a++)
		lines[0] += *a == '\n';
	for (; b < b_end; b++)
		lines[1] += *b == '\n';
	return lines[0] > lines[1] ? lines[0] : lines[1];
}

static void try_pair(const struct glacier_code_info *info)
{
	struct sample bad, good;
	struct heard heard = {.sample = &bad}, quiet = {.sample = &good};
	enum glacier_status status;

	if (!load_sample(&bad, info->code, "bad")) {
		FAIL("%s has no test that raises it: %s", info->code, info->text);
		return;
	}
	if (strcmp(bad.expected.code, info->code))
		FAIL("%s: no line is marked with the code", bad.name);
	status = run(&bad, &heard);
	compare(&bad, &heard, status, info);
	if (!load_sample(&good, info->code, "good")) {
		FAIL("%s has no twin that does not raise it", info->code);
	} else {
		status = run(&good, &quiet);
		compare(&good, &quiet, status, info);
		if (differing_lines(bad.text, good.text) > TWIN_LINES)
			FAIL("%s is not near its twin", good.name);
		free(good.text);
	}
	free(bad.text);
}

/* A file whose code the table does not have. */
static void check_files(void)
{
	DIR *dir = opendir(folder);
	struct glacier_code_info info;
	struct dirent *entry;
	char code[8];

	while (dir && (entry = readdir(dir)) != NULL) {
		snprintf(code, sizeof code, "%.6s", entry->d_name);
		if (!strncmp(code, "GA", 2) && !glacier_code_find(code, &info))
			FAIL("%s belongs to no code", entry->d_name);
	}
	if (dir)
		closedir(dir);
}

int main(void)
{
	static char path[4096];
	const char *source = getenv("top_srcdir");
	struct glacier_code_info info;
	int codes = 0, made = 0;

	snprintf(path, sizeof path, "%s/tests/diagnostics/data", source ? source : ".");
	folder = path;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; glacier_code_at(i, &info); i++) {
		enum made_result result;

		if (strncmp(info.code, "GA", 2))
			continue;
		codes++;
		result = made_try(info.code);
		if (result == MADE_NOT)
			try_pair(&info);
		else
			made++;
		failures += result == MADE_WRONG;
	}
	check_files();
	printf("%d codes: %d with a pair of files, %d made here\n", codes, codes - made, made);
	return failures != 0;
}
