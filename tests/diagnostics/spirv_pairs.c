/* SPDX-License-Identifier: MIT */
/*
 * Every code of the validator has a module that raises it, once and nothing else, and a near
 * twin that raises nothing: spirv.txt, assembled here. What SPIRV-Tools' own validator says
 * of both is held against what the file expects of it.
 */
#include <glacier.h>

#include "../diff/valid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_EDITS = 24, TEXT_BYTES = 1 << 16 };

struct edit {
	char *what, *which, *rest;
};

struct test {
	char *code;
	char env[16], spv[8];
	bool accepted, made;
	struct edit edits[MOST_EDITS];
	int edit_count;
	struct glacier_limits limits;
	bool limited;
};

static char *base;
static int failures;

#define FAIL(...) (printf("FAIL: " __VA_ARGS__), putchar('\n'), failures++)

/* --- The file ------------------------------------------------------------ */

static char *load(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text;
	long end;

	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	end = ftell(file);
	rewind(file);
	text = malloc((size_t)end + 1);
	if (!text || fread(text, 1, (size_t)end, file) != (size_t)end)
		exit(99);
	text[end] = '\0';
	fclose(file);
	return text;
}

/* The next word of the line, or NULL. */
static char *word(char **line)
{
	char *at = *line + strspn(*line, " "), *end = at + strcspn(at, " ");

	if (!*at)
		return NULL;
	*line = end + (*end != '\0');
	*end = '\0';
	return at;
}

static void read_limit(struct test *test, char *rest)
{
	char *name = word(&rest), *number = word(&rest);
	uint32_t value = number ? (uint32_t)strtoul(number, NULL, 10) : 0;

	test->limited = true;
	if (name && !strcmp(name, "compute_workgroup_size_x"))
		test->limits.compute_workgroup_size[0] = value;
	else
		FAIL("%s: no limit is called %s", test->code, name ? name : "so");
}

static void read_head(struct test *test, char *line)
{
	char *at;

	*test = (struct test){.code = word(&line), .env = "vulkan1.3", .spv = "1.3"};
	while ((at = word(&line)))
		if (!strncmp(at, "env=", 4))
			snprintf(test->env, sizeof test->env, "%.15s", at + 4);
		else if (!strncmp(at, "spv=", 4))
			snprintf(test->spv, sizeof test->spv, "%.7s", at + 4);
		else if (!strcmp(at, "accepted"))
			test->accepted = true;
		else
			FAIL("%s: '%s' means nothing", test->code, at);
}

static void read_line(struct test *test, char *line)
{
	char *what = word(&line);
	struct edit *edit = &test->edits[test->edit_count];

	if (!strcmp(what, "made")) {
		test->made = true;
	} else if (!strcmp(what, "limit")) {
		read_limit(test, line);
	} else if (test->edit_count == MOST_EDITS) {
		FAIL("%s: too many edits", test->code);
	} else {
		bool binary = !strcmp(what, "poke") || !strcmp(what, "size");

		edit->what = what;
		edit->which = binary ? word(&line) : what;
		edit->rest = line;
		test->edit_count++;
	}
}

/* --- Making a module ----------------------------------------------------- */

/* The old text, found once, becomes the new one. */
static bool replace(const struct test *test, char *text, char *edit)
{
	char old[1024], *arrow = strstr(edit, " =>"), *at;
	const char *fresh;
	size_t n, m;

	if (!arrow) {
		FAIL("%s: an edit without an arrow: %s", test->code, edit);
		return false;
	}
	snprintf(old, sizeof old, "%.*s", (int)(arrow - edit), edit);
	for (char *c = old; *c; c++)
		*c = *c == '|' ? '\n' : *c;
	fresh = arrow + 3 + (arrow[3] == ' ');
	at = strstr(text, old);
	if (!at) {
		FAIL("%s: '%s' is not there", test->code, old);
		return false;
	}
	n = strlen(old), m = strlen(fresh);
	if (strlen(text) + m + 1 >= TEXT_BYTES)
		exit(99);
	memmove(at + m, at + n, strlen(at + n) + 1);
	memcpy(at, fresh, m);
	for (char *c = at; c < at + m; c++)
		/* A bar between two names of a mask stays: "Unroll|DontUnroll". */
		if (*c == '|' && (c[1] == '%' || c[1] == 'O' || c[1] == '!' || c + 1 == at + m || c[1] == '|'))
			*c = '\n';
	return true;
}

/* The words of an instruction, by opcode: "op14+1". */
static size_t place(const struct test *test, const uint32_t *words, size_t count, const char *text)
{
	unsigned op, offset;

	if (sscanf(text, "op%u+%u", &op, &offset) != 2)
		return strtoul(text, NULL, 0);
	for (size_t at = 5; at < count && words[at] >> 16; at += words[at] >> 16)
		if ((words[at] & 0xffff) == op)
			return at + offset;
	FAIL("%s: there is no opcode %u", test->code, op);
	return 0;
}

static void patch(const struct test *test, const struct edit *edit, uint32_t *words, size_t *bytes)
{
	char copy[64], *rest = copy, *first, *second;

	snprintf(copy, sizeof copy, "%.63s", edit->rest);
	first = word(&rest);
	second = word(&rest);
	if (!strcmp(edit->what, "size") && first)
		*bytes = strtoul(first, NULL, 0);
	else if (first && second)
		words[place(test, words, *bytes / 4, first)] = (uint32_t)strtoul(second, NULL, 0);
}

static uint32_t *make(const struct test *test, const char *which, size_t *bytes)
{
	static char text[TEXT_BYTES];
	uint32_t *words, *room;
	size_t count;
	char message[256];

	snprintf(text, sizeof text, "%s", base);
	for (int i = 0; i < test->edit_count; i++) {
		const struct edit *edit = &test->edits[i];

		if ((!strcmp(edit->what, which) || !strcmp(edit->what, "both")) && !replace(test, text, edit->rest))
			return NULL;
	}
	words = valid_assemble(test->spv, text, &count, message, sizeof message);
	if (!words) {
		FAIL("%s: the %s module is no text: %s", test->code, which, message);
		return NULL;
	}
	room = calloc(count + 4096, 4);
	if (!room)
		exit(99);
	memcpy(room, words, count * 4);
	free(words);
	*bytes = count * 4;
	for (int i = 0; i < test->edit_count; i++)
		if ((!strcmp(test->edits[i].what, "poke") || !strcmp(test->edits[i].what, "size")) &&
		    !strcmp(test->edits[i].which, which))
			patch(test, &test->edits[i], room, bytes);
	return room;
}

/* --- Judging ------------------------------------------------------------- */

struct heard {
	unsigned errors;
	char code[16], message[512], other[512];
};

static void hear(void *user, const struct glacier_diagnostic *diagnostic)
{
	struct heard *heard = user;

	if (diagnostic->severity != GLACIER_ERROR)
		return;
	if (!heard->errors++) {
		snprintf(heard->code, sizeof heard->code, "%s", diagnostic->code);
		snprintf(heard->message, sizeof heard->message, "%s", diagnostic->message);
	} else {
		snprintf(heard->other, sizeof heard->other, "%s: %.400s", diagnostic->code, diagnostic->message);
	}
}

static void judge(const struct test *test, struct valid *valid, const char *which)
{
	struct glacier_spirv_options options = {.env = glacier_spirv_env_find(test->env),
						.limits = test->limited ? &test->limits : NULL};
	struct heard heard = {0};
	struct glacier_diag diag = {.report = hear, .user = &heard};
	struct glacier_memory memory;
	bool bad = !strcmp(which, "bad"), theirs;
	size_t bytes;
	uint32_t *words = make(test, which, &bytes);
	char message[512] = "";

	if (!words)
		return;
	glacier_memory_init(&memory, NULL, 0);
	glacier_spirv_validate(&memory, words, bytes, &options, &diag);
	glacier_memory_fini(&memory);
	if (bad && (heard.errors != 1 || strcmp(heard.code, test->code)))
		FAIL("%s: the bad module has %u errors, the first %s: %s; %s", test->code, heard.errors, heard.code,
		     heard.message, heard.other);
	if (!bad && heard.errors)
		FAIL("%s: its twin is refused: %s: %s", test->code, heard.code, heard.message);
	theirs = bytes % 4 == 0 && valid_spirv(valid, words, bytes / 4, message, sizeof message);
	if (theirs != (!bad || test->accepted))
		FAIL("%s: SPIRV-Tools %s the %s module: %s", test->code, theirs ? "takes" : "refuses", which, message);
	free(words);
}

/* What no file can hold: memory that runs out, and more words than there are numbers. */
static void try_made(const struct test *test)
{
	const size_t huge = (size_t)1 << 32;
	struct test good = {.code = test->code, .env = "vulkan1.3", .spv = "1.3"};
	struct glacier_memory memory;
	struct heard heard = {0};
	struct glacier_diag diag = {.report = hear, .user = &heard};
	size_t bytes;
	uint32_t *words = make(&good, "good", &bytes);

	glacier_memory_init(&memory, NULL, 0);
	if (!strcmp(test->code, "SV0001")) {
		memory.limit_bytes = 4096;
		glacier_spirv_validate(&memory, words, bytes, NULL, &diag);
	} else {
		void *map = mmap(NULL, huge, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (map == MAP_FAILED)
			snprintf(heard.code, sizeof heard.code, "%s", test->code);
		else
			glacier_spirv_validate(&memory, map, huge, NULL, &diag);
		if (map != MAP_FAILED)
			munmap(map, huge);
	}
	if (strcmp(heard.code, test->code))
		FAIL("%s: %s: %s", test->code, heard.code, heard.message);
	glacier_memory_fini(&memory);
	free(words);
}

static void try_test(const struct test *test, const char *only)
{
	struct valid *valid;

	if (!test->code || (only && strcmp(only, test->code)))
		return;
	if (test->made) {
		try_made(test);
		return;
	}
	valid = valid_create(test->env);
	if (!valid) {
		FAIL("%s: SPIRV-Tools has no environment %s", test->code, test->env);
		return;
	}
	judge(test, valid, "bad");
	judge(test, valid, "good");
	valid_destroy(valid);
}

static char *take_base(char *text)
{
	char *begin = strstr(text, "\nbase\n"), *end = begin ? strstr(begin, "\nend\n") : NULL;

	if (!end)
		exit(99);
	base = begin + 6;
	end[1] = '\0';
	return end + 5;
}

static void check_all(bool *seen, size_t codes)
{
	struct glacier_code_info info;

	for (size_t i = 0; i < codes && glacier_code_at(i, &info); i++)
		if (!strncmp(info.code, "SV", 2) && !seen[i])
			FAIL("%s has no pair: %s", info.code, info.text);
}

int main(int argc, char **argv)
{
	static char path[4096];
	static bool seen[4096];
	const char *source = getenv("top_srcdir");
	struct test test = {0};
	struct glacier_code_info info, found;
	char *text, *line, *next;
	size_t codes = 0, tests = 0;

	snprintf(path, sizeof path, "%s/tests/diagnostics/spirv.txt", source ? source : ".");
	text = load(path);
	if (!text)
		return 99;
	while (glacier_code_at(codes, &info))
		codes++;
	for (line = take_base(text); line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!*line || *line == '#')
			continue;
		if (strncmp(line, "SV", 2)) {
			read_line(&test, line);
			continue;
		}
		try_test(&test, argc > 1 ? argv[1] : NULL);
		read_head(&test, line);
		tests++;
		if (!glacier_code_find(test.code, &found))
			FAIL("%s is no code", test.code);
		for (size_t i = 0; i < codes; i++)
			if (glacier_code_at(i, &info) && !strcmp(info.code, test.code))
				seen[i] = true;
	}
	try_test(&test, argc > 1 ? argv[1] : NULL);
	check_all(seen, codes);
	printf("%zu pairs\n", tests);
	free(text);
	return failures != 0;
}
