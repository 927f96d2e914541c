/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a numeric stream: as the JSON of one, and as the rows themselves, each four
 * bytes of input with small numbers more likely. What is accepted is written for both
 * kinds of target, and prints as text that gives the same code.
 */
#include <glacier.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "fuzz_stream.c:%d: broken promise: %s\n", __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

enum { MAX_ROWS = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_diagnostic(void *user, const struct glacier_diagnostic *diagnostic)
{
	(void)user;
	REQUIRE(diagnostic->message && diagnostic->message[0]);
	REQUIRE(diagnostic->code || diagnostic->severity == GLACIER_NOTE);
	REQUIRE(diagnostic->location.kind != GLACIER_LOCATION_BINARY);
}

static void write_both(struct glacier_module *module, struct glacier_buffer *spirv, struct glacier_buffer *ptx)
{
	struct glacier_target target;

	REQUIRE(glacier_target_parse("spirv", &target, NULL) == GLACIER_OK);
	REQUIRE(glacier_module_write(module, &target, NULL, spirv, NULL) == GLACIER_OK);
	REQUIRE(glacier_target_parse("ptx", &target, NULL) == GLACIER_OK);
	REQUIRE(glacier_module_write(module, &target, NULL, ptx, NULL) == GLACIER_OK);
}

static bool same(const struct glacier_buffer *a, const struct glacier_buffer *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

static void check_written(struct glacier_module *module)
{
	struct glacier_buffer text = {0}, spirv[2] = {{0}}, ptx[2] = {{0}};
	struct glacier_text input;

	write_both(module, &spirv[0], &ptx[0]);
	REQUIRE(glacier_module_print(module, GLACIER_FORM_TEXT, &text, NULL) == GLACIER_OK);
	input = (struct glacier_text){.text = (const char *)text.data, .size = text.size};
	REQUIRE(glacier_module_read_text(module, &input, NULL, NULL) == GLACIER_OK);
	write_both(module, &spirv[1], &ptx[1]);
	REQUIRE(same(&spirv[0], &spirv[1]) && same(&ptx[0], &ptx[1]));
	glacier_buffer_fini(&text);
	for (int i = 0; i < 2; i++) {
		glacier_buffer_fini(&spirv[i]);
		glacier_buffer_fini(&ptx[i]);
	}
}

/* Mostly what a row may hold, now and then something else. */
static int32_t operand(uint8_t byte, int32_t usual)
{
	return byte < 240 ? byte % usual : (int32_t)(byte - 248) * 0x01010101;
}

static size_t rows_of(const uint8_t *data, size_t size, struct glacier_row *rows)
{
	size_t count = size / 4 < MAX_ROWS ? size / 4 : MAX_ROWS;

	for (size_t i = 0; i < count; i++) {
		const uint8_t *at = data + 4 * i;

		rows[i].opcode = operand(at[0], 26);
		rows[i].a = operand(at[1], rows[i].opcode == 15 ? 2 : 64);
		rows[i].b = operand(at[2], rows[i].opcode == 20 ? 32 : 64);
		rows[i].d = operand(at[3], 64);
	}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct glacier_row rows[MAX_ROWS];
	struct glacier_text json = {.text = (const char *)data, .size = size};
	struct glacier_stream_options options = {.name = "fuzzed", .workgroup = {32}};
	struct glacier_diag diag = {.report = check_diagnostic};
	struct glacier_module *module;
	enum glacier_status status;

	if (glacier_module_create(NULL, &module) != GLACIER_OK)
		return 0;
	status = glacier_module_read_stream(module, &json, &options, &diag);
	REQUIRE((status == GLACIER_OK) == (diag.errors == 0) || status == GLACIER_ERR_NOMEM);
	if (status == GLACIER_OK)
		check_written(module);
	diag = (struct glacier_diag){.report = check_diagnostic};
	status = glacier_kernel_from_stream(module, rows, rows_of(data, size, rows), &options, &diag);
	REQUIRE((status == GLACIER_OK) == (diag.errors == 0) || status == GLACIER_ERR_NOMEM);
	if (status == GLACIER_OK)
		check_written(module);
	glacier_module_destroy(module);
	return 0;
}
