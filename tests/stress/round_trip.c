/* SPDX-License-Identifier: MIT */
/*
 * Every example, and every input of the fuzz corpus that is a module: text, JSON and back is
 * the canonical text to the byte; printing a printed form changes nothing; and all forms of
 * one module give the same code.
 */
#include "stress.h"

#include <glacier.h>

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
	char *data;
	size_t size;
};

/* Texts that includes named: alive until the end. */
static struct file included[64];
static size_t included_count;

static bool read_file(const char *path, struct file *file)
{
	FILE *in = fopen(path, "rb");
	size_t capacity = 1 << 16;

	if (!in)
		return false;
	*file = (struct file){.data = malloc(capacity)};
	for (;;) {
		size_t n = fread(file->data + file->size, 1, capacity - file->size, in);

		if (!n)
			break;
		file->size += n;
		if (file->size == capacity)
			file->data = realloc(file->data, capacity *= 2);
	}
	fclose(in);
	return true;
}

/* user: the folder of the module. */
static bool find_include(void *user, const char *path, const char *from, struct glacier_text *out)
{
	char name[4096];
	struct file *file = &included[included_count];

	(void)from;
	snprintf(name, sizeof name, "%s/%s", (const char *)user, path);
	if (included_count == sizeof included / sizeof *included || !read_file(name, file))
		return false;
	included_count++;
	*out = (struct glacier_text){.name = path, .text = file->data, .size = file->size};
	return true;
}

typedef enum glacier_status reader(struct glacier_module *, const struct glacier_text *,
				   const struct glacier_read_options *, struct glacier_diag *);

struct forms {
	struct glacier_buffer text, json, spirv, ptx;
};

static void fini(struct forms *forms)
{
	glacier_buffer_fini(&forms->text);
	glacier_buffer_fini(&forms->json);
	glacier_buffer_fini(&forms->spirv);
	glacier_buffer_fini(&forms->ptx);
}

static void print_error(void *user, const struct glacier_diagnostic *d)
{
	printf("%s: %s: %u:%u %s: %s\n", (const char *)user, d->severity == GLACIER_ERROR ? "error" : "warning",
	       d->location.line, d->location.column, d->location.path ? d->location.path : "", d->message);
}

/* Reads the bytes, and writes everything that can be made of them. */
static bool all_forms(struct glacier_module *module, reader *read, const char *name, const void *data,
		      size_t size, const struct glacier_read_options *options, struct forms *out, bool loud)
{
	struct glacier_text input = {.name = name, .text = data, .size = size};
	struct glacier_diag diag = {.report = loud ? print_error : NULL, .user = (void *)(uintptr_t)name};
	struct glacier_target target;

	memset(out, 0, sizeof *out);
	if (read(module, &input, options, &diag) != GLACIER_OK)
		return false;
	CHECK(glacier_module_print(module, GLACIER_FORM_TEXT, &out->text, NULL) == GLACIER_OK, "%s", name);
	if (glacier_module_print(module, GLACIER_FORM_JSON, &out->json, NULL) != GLACIER_OK) {
		fini(out);
		return false;   /* nested too deep for JSON */
	}
	/* A target may refuse the module: then all forms of it. */
	CHECK(glacier_target_parse("spirv", &target, NULL) == GLACIER_OK, "spirv");
	glacier_module_write(module, &target, NULL, &out->spirv, NULL);
	CHECK(glacier_target_parse("ptx", &target, NULL) == GLACIER_OK, "ptx");
	glacier_module_write(module, &target, NULL, &out->ptx, NULL);
	return true;
}

static bool same(const struct glacier_buffer *a, const struct glacier_buffer *b)
{
	return a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size));
}

/* Arrays may have changed places with parameters of their kernel: not the code of the printed forms. */
static bool agree(const struct forms *a, const struct forms *b, bool code)
{
	return same(&a->text, &b->text) && same(&a->json, &b->json) &&
	       (!code || (same(&a->spirv, &b->spirv) && same(&a->ptx, &b->ptx)));
}

static bool round_trip(struct glacier_module *module, const char *path, const char *folder)
{
	struct glacier_read_options options = {.include = find_include, .include_user = (void *)(uintptr_t)folder};
	struct forms first, text, json;
	struct file file;
	bool good;

	if (!read_file(path, &file))
		return false;
	good = all_forms(module, glacier_module_read_text, path, file.data, file.size, &options, &first, false);
	free(file.data);
	if (!good)
		return false;
	good = all_forms(module, glacier_module_read_text, path, first.text.data, first.text.size, &options,
			 &text, true);
	CHECK(good, "%s: the printed text is refused:\n%.*s", path, (int)first.text.size,
		 (const char *)first.text.data);
	good = all_forms(module, glacier_module_read_json, path, first.json.data, first.json.size, &options,
			 &json, true);
	CHECK(good, "%s: the printed JSON is refused:\n%.*s", path, (int)first.json.size,
		 (const char *)first.json.data);
	CHECK(agree(&first, &text, false), "%s: printing the text again differs", path);
	CHECK(agree(&text, &json, true), "%s: text and JSON differ", path);
	fini(&first);
	fini(&text);
	fini(&json);
	return true;
}

/* How many modules the folder held. */
static int each(const char *folder, const char *suffix)
{
	struct glacier_module *module;
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int count = 0;

	CHECK(dir != NULL, "%s cannot be opened", folder);
	CHECK(glacier_module_create(NULL, &module) == GLACIER_OK, "no memory");
	while ((entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);
		char path[4096];

		if (entry->d_name[0] == '.' || length < strlen(suffix) ||
		    strcmp(entry->d_name + length - strlen(suffix), suffix))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		count += round_trip(module, path, folder);
	}
	closedir(dir);
	glacier_module_destroy(module);
	return count;
}

/* What is handed out as one kernel in two forms must be one. */
static void same_code(const char *text_path, const char *json_path)
{
	struct glacier_module *module;
	struct forms text, json;
	struct file text_file, json_file;

	CHECK(read_file(text_path, &text_file) && read_file(json_path, &json_file), "%s", json_path);
	CHECK(glacier_module_create(NULL, &module) == GLACIER_OK, "no memory");
	CHECK(all_forms(module, glacier_module_read_text, text_path, text_file.data, text_file.size, NULL,
			&text, true), "%s is refused", text_path);
	CHECK(all_forms(module, glacier_module_read_json, json_path, json_file.data, json_file.size, NULL,
			&json, true), "%s is refused", json_path);
	CHECK(agree(&text, &json, true) && text.spirv.size && text.ptx.size, "%s differs", json_path);
	CHECK(json.json.size == json_file.size && !memcmp(json.json.data, json_file.data, json_file.size),
	      "%s is not what is printed", json_path);
	fini(&text);
	fini(&json);
	free(text_file.data);
	free(json_file.data);
	glacier_module_destroy(module);
}

int main(void)
{
	const char *source = getenv("top_srcdir");
	char folder[4096], text[4096], json[4096];
	int examples, corpus;

	snprintf(folder, sizeof folder, "%s/examples", source ? source : ".");
	examples = each(folder, ".gasm");
	snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/text", source ? source : ".");
	corpus = each(folder, "");
	snprintf(text, sizeof text, "%s/examples/vector_add.gasm", source ? source : ".");
	snprintf(json, sizeof json, "%s/examples/vector_add.json", source ? source : ".");
	same_code(text, json);
	printf("%d examples, %d modules of the corpus\n", examples, corpus);
	for (size_t i = 0; i < included_count; i++)
		free(included[i].data);
	return examples && corpus ? 0 : 1;
}
