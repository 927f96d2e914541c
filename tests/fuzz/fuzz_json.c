/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a kernel in JSON, else in text. What is accepted is printed in both forms;
 * each is read back, and must print as the same two, and give the same code.
 */
#include <glacier.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "fuzz_json.c:%d: broken promise: %s\n", __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_diagnostic(void *user, const struct glacier_diagnostic *diagnostic)
{
	const struct glacier_location *location = &diagnostic->location;

	(void)user;
	REQUIRE(diagnostic->message && diagnostic->message[0]);
	REQUIRE(!strchr(diagnostic->message, '\n'));
	REQUIRE(diagnostic->code || diagnostic->severity == GLACIER_NOTE);
	REQUIRE(location->kind != GLACIER_LOCATION_BINARY);
	if (location->kind == GLACIER_LOCATION_PATH)
		REQUIRE(location->path && location->path[0]);
	if (location->kind == GLACIER_LOCATION_TEXT)
		REQUIRE(location->line >= 1 && location->column >= 1);
}

struct forms {
	struct glacier_buffer text, json, ptx;
};

/* What people look at: nothing is promised of it but that it can be had, twice the same. */
static void look(struct glacier_module *module)
{
	struct glacier_target target;
	struct glacier_dump_options dump = {.target = &target};
	struct glacier_buffer out = {0};

	REQUIRE(glacier_module_reflect(module, &out) == GLACIER_OK);
	REQUIRE(glacier_target_parse("spirv", &target, NULL) == GLACIER_OK);
	for (int pass = 0; pass < GLACIER_PASS_COUNT; pass++)
		for (int graph = 0; graph < 2; graph++) {
			enum glacier_status status;
			size_t begun = out.size;

			dump.pass = (enum glacier_pass)pass;
			dump.graph = graph;
			status = glacier_module_dump(module, &dump, &out, NULL);
			REQUIRE(status == GLACIER_OK || pass == GLACIER_PASS_LOWER);
			REQUIRE((status == GLACIER_OK) == (out.size > begun));
		}
	glacier_buffer_fini(&out);
}

static void print(struct glacier_module *module, struct forms *forms)
{
	struct glacier_target target;
	enum glacier_status status;

	REQUIRE(glacier_module_print(module, GLACIER_FORM_TEXT, &forms->text, NULL) == GLACIER_OK);
	status = glacier_module_print(module, GLACIER_FORM_JSON, &forms->json, NULL);
	REQUIRE(status == GLACIER_OK || status == GLACIER_ERR_LIMIT || status == GLACIER_ERR_UNSUPPORTED);
	REQUIRE(status == GLACIER_OK || !forms->json.size);
	REQUIRE(glacier_target_parse("ptx", &target, NULL) == GLACIER_OK);
	glacier_module_write(module, &target, NULL, &forms->ptx, NULL);
}

static void fini(struct forms *forms)
{
	glacier_buffer_fini(&forms->text);
	glacier_buffer_fini(&forms->json);
	glacier_buffer_fini(&forms->ptx);
}

static bool same(const struct glacier_buffer *a, const struct glacier_buffer *b)
{
	return a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size));
}

static bool read_form(struct glacier_module *module, enum glacier_form form, const void *data, size_t size)
{
	struct glacier_text input = {.text = data, .size = size};
	struct glacier_diag diag = {.report = check_diagnostic};
	enum glacier_status status =
		form == GLACIER_FORM_JSON ? glacier_module_read_json(module, &input, NULL, &diag)
					  : glacier_module_read_text(module, &input, NULL, &diag);

	REQUIRE((status == GLACIER_OK) == (diag.errors == 0) || status == GLACIER_ERR_NOMEM);
	REQUIRE(diag.errors <= 20);
	return status == GLACIER_OK;
}

static void read_back(struct glacier_module *module, enum glacier_form form, const struct forms *first)
{
	const struct glacier_buffer *from = form == GLACIER_FORM_JSON ? &first->json : &first->text;
	struct forms again = {0};

	REQUIRE(read_form(module, form, from->data, from->size));
	print(module, &again);
	REQUIRE(same(&first->text, &again.text) && same(&first->json, &again.json));
	fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct glacier_module *module;
	struct forms first = {0};

	if (glacier_module_create(NULL, &module) != GLACIER_OK)
		return 0;
	if (read_form(module, GLACIER_FORM_JSON, data, size) || read_form(module, GLACIER_FORM_TEXT, data, size)) {
		print(module, &first);
		look(module);
		read_back(module, GLACIER_FORM_TEXT, &first);
		if (first.json.size)
			read_back(module, GLACIER_FORM_JSON, &first);
	}
	fini(&first);
	glacier_module_destroy(module);
	return 0;
}
