/* SPDX-License-Identifier: MIT */
/*
 * Inputs that something has broken: every example cut at every byte, with every byte taken
 * out or changed; garbage; a line of 10 MB. Each is compiled or refused with a message and a
 * place, and never more than that: sanitizers watch. Wrong answers cannot be told here.
 */
#include <glacier.h>

#include "base/rng.h"
#include "stress.h"

#include <dirent.h>
#include <string.h>

/* ASan makes it ten times as slow: then each third byte. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { STRIDE = 3 };
#else
enum { STRIDE = 1 };
#endif

struct heard {
	uint32_t errors;
	bool placeless;     /* an error in a text that names no place in it */
	uint32_t lines;
	const char *code;
};

static struct glacier_module *module;
static unsigned long tried, taken;

static void hear(void *user, const struct glacier_diagnostic *d)
{
	struct heard *heard = user;
	const struct glacier_location *at = &d->location;

	if (d->severity != GLACIER_ERROR)
		return;
	heard->errors++;
	if (at->kind == GLACIER_LOCATION_TEXT && (!at->line || !at->column || at->line > heard->lines + 1))
		heard->placeless = true;
}

static bool include(void *user, const char *path, const char *from, struct glacier_text *out)
{
	(void)user, (void)path, (void)from, (void)out;
	return false;
}

static void try_input(const char *what, size_t place, const char *text, size_t size, bool json)
{
	static const char *const names[] = {"spirv", "ptx"};
	struct glacier_text input = {.name = what, .text = text, .size = size};
	struct glacier_read_options options = {.include = include};
	struct heard heard = {0};
	struct glacier_diag diag = {.report = hear, .user = &heard};
	struct glacier_buffer buffer = {0};
	struct glacier_target target;
	enum glacier_status status;

	for (size_t i = 0; i < size; i++)
		heard.lines += text[i] == '\n';
	status = json ? glacier_module_read_json(module, &input, &options, &diag)
		      : glacier_module_read_text(module, &input, &options, &diag);
	tried++;
	CHECK((status == GLACIER_OK) == !heard.errors, "%s, byte %zu: status %d, %u errors", what, place, (int)status,
	      heard.errors);
	CHECK(heard.errors <= 21, "%s, byte %zu: %u errors", what, place, heard.errors);
	CHECK(!heard.placeless, "%s, byte %zu: an error outside of the text", what, place);
	if (status != GLACIER_OK)
		return;
	taken++;
	/* Now and then: what is valid is written in other tests. */
	if (tried % 16)
		return;
	glacier_target_parse(names[tried / 16 % 2], &target, NULL);
	status = glacier_module_write(module, &target, NULL, &buffer, &diag);
	CHECK((status == GLACIER_OK) == !heard.errors, "%s, byte %zu: written with status %d, %u errors", what, place,
	      (int)status, heard.errors);
	glacier_buffer_fini(&buffer);
}

/* A copy of exactly this size, so that ASan sees the first byte too many. */
static void try_copy(const char *what, size_t place, const char *text, size_t size, bool json)
{
	char *copy = malloc(size ? size : 1);

	CHECK(copy, "no memory");
	memcpy(copy, text, size);
	try_input(what, place, copy, size, json);
	free(copy);
}

static void try_file(const char *name, const char *text, size_t size, bool json)
{
	static const unsigned char changes[] = {0x20, 0x80, 0x01};
	char *work = malloc(size + 1);

	CHECK(work, "no memory");
	for (size_t i = 0; i < size; i += STRIDE) {
		try_copy(name, i, text, i, json);
		memcpy(work, text, i);
		memcpy(work + i, text + i + 1, size - i - 1);
		try_copy(name, i, work, size - 1, json);
		memcpy(work, text, size);
		work[i] ^= (char)changes[i % sizeof changes];
		try_copy(name, i, work, size, json);
		work[i] = '\0';
		try_copy(name, i, work, size, json);
	}
	free(work);
}

static void try_examples(void)
{
	const char *source = getenv("top_srcdir");
	char folder[4000], path[4400];
	struct dirent *entry;
	int files = 0;
	DIR *dir;

	snprintf(folder, sizeof folder, "%s/examples", source ? source : ".");
	dir = opendir(folder);
	CHECK(dir, "%s", folder);
	while ((entry = readdir(dir)) != NULL) {
		const char *suffix = strrchr(entry->d_name, '.');
		bool json = suffix && !strcmp(suffix, ".json");
		static char text[1 << 16];
		size_t size;
		FILE *file;

		if (!suffix || (!json && strcmp(suffix, ".gasm")))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		file = fopen(path, "rb");
		CHECK(file, "%s", path);
		size = fread(text, 1, sizeof text, file);
		fclose(file);
		try_file(entry->d_name, text, size, json);
		files++;
	}
	closedir(dir);
	CHECK(files >= 10, "only %d examples", files);
}

static void try_garbage(void)
{
	static const char begin[] = "kernel k(@o: buffer u32 readwrite) workgroup 64 {\n";
	struct glc_rng rng = glc_rng(1);
	char bytes[600];

	for (size_t i = 0; i < 3000; i++) {
		size_t head = i % 3 ? sizeof begin - 1 : 0, size = head + glc_rng_below(&rng, 500);

		memcpy(bytes, begin, head);
		for (size_t j = head; j < size; j++)
			bytes[j] = (char)(i % 2 ? glc_rng_below(&rng, 256) : 32 + glc_rng_below(&rng, 95));
		try_copy("garbage", i, bytes, size, i % 5 == 0);
	}
}

/* 10 MB without a newline: as one name, one number, one run of statements' signs, one comment. */
static void try_long_lines(void)
{
	static const char *const pieces[] = {"a", "1", "{", "}", "%x ", "(", "\"", "[", "/", "\xff"};
	static const char *const heads[] = {"", "kernel k() workgroup 64 {\n", "kernel k() workgroup 64 {\n%x = Mov.u32 "};
	size_t size = 10u << 20;
	char *text = malloc(size);

	CHECK(text, "no memory");
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		for (size_t head = 0; head < 3; head++) {
			size_t at = strlen(heads[head]), bytes = strlen(pieces[i]);

			memcpy(text, heads[head], at);
			for (; at < size; at++)
				text[at] = pieces[i][at % bytes];
			try_input("a long line", i, text, size, head == 0 && i % 2);
		}
	free(text);
}

int main(void)
{
	CHECK(glacier_module_create(NULL, &module) == GLACIER_OK, "no memory");
	try_examples();
	try_garbage();
	try_long_lines();
	glacier_module_destroy(module);
	printf("%lu broken inputs, %lu of them still kernels\n", tried, taken);
	return 0;
}
