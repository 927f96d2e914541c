/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a kernel's text: read, and what is accepted is written for every target at
 * every level. Besides memory safety it holds what the headers promise: an error is told,
 * a failed write leaves the buffer alone, the same call gives the same bytes.
 */
#include <glacier.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "fuzz_text.c:%d: broken promise: %s\n", __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

static const char targets[][24] = {"spirv", "spirv:1.3", "ptx", "ptx:sm_90"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_diagnostic(void *user, const struct glacier_diagnostic *diagnostic)
{
	const struct glacier_location *location = &diagnostic->location;
	size_t *text_size = user;

	REQUIRE(diagnostic->message && diagnostic->message[0]);
	REQUIRE(!strchr(diagnostic->message, '\n'));
	REQUIRE(diagnostic->code || diagnostic->severity == GLACIER_NOTE);
	if (location->kind != GLACIER_LOCATION_TEXT)
		return;
	REQUIRE(location->line >= 1 && location->column >= 1);
	REQUIRE(location->line <= *text_size + 1 && location->column <= *text_size + 1);
	/* One behind the last byte at most; a carriage return at the end is not shown. */
	if (location->source_line)
		REQUIRE(location->column <= location->source_line_bytes + 2);
}

/* A module's words: the header, then instructions that fill it exactly. */
static void check_spirv(const unsigned char *bytes, size_t size)
{
	size_t count = size / 4, at = 5;

	REQUIRE(size % 4 == 0 && count >= 5);
	while (at < count) {
		size_t length = bytes[4 * at + 2] | (size_t)bytes[4 * at + 3] << 8;

		REQUIRE(length > 0 && length <= count - at);
		at += length;
	}
	REQUIRE(bytes[0] == 0x03 && bytes[1] == 0x02 && bytes[2] == 0x23 && bytes[3] == 0x07);
}

static void check_ptx(const unsigned char *bytes, size_t size)
{
	REQUIRE(size > 0 && bytes[size - 1] == '\n');
	for (size_t i = 0; i < size; i++)
		REQUIRE(bytes[i] < 0x7f && (bytes[i] >= 0x20 || bytes[i] == '\n' || bytes[i] == '\t'));
}

static void write_all(struct glacier_module *module, size_t text_size)
{
	struct glacier_buffer first = {0}, again = {0};

	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		struct glacier_target target;

		REQUIRE(glacier_target_parse(targets[i], &target, NULL) == GLACIER_OK);
		for (int way = 0; way < 4; way++) {
			struct glacier_write_options options = {
				.optimize = way & 1 ? GLACIER_OPTIMIZE_SAFE : GLACIER_OPTIMIZE_NONE,
				.debug = way & 2,
			};
			struct glacier_diag diag = {.report = check_diagnostic, .user = &text_size};
			enum glacier_status status;

			first.size = again.size = 0;
			status = glacier_module_write(module, &target, &options, &first, &diag);
			if (status != GLACIER_OK) {
				REQUIRE(first.size == 0);
				REQUIRE(status == GLACIER_ERR_NOMEM || diag.errors > 0);
				continue;
			}
			REQUIRE(glacier_module_write(module, &target, &options, &again, NULL) == GLACIER_OK);
			REQUIRE(first.size == again.size && memcmp(first.data, again.data, first.size) == 0);
			if (target.kind == GLACIER_TARGET_SPIRV)
				check_spirv(first.data, first.size);
			else
				check_ptx(first.data, first.size);
		}
	}
	glacier_buffer_fini(&first);
	glacier_buffer_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct glacier_text text = {.name = "input", .text = (const char *)data, .size = size};
	struct glacier_diag diag = {.report = check_diagnostic, .user = &size};
	struct glacier_module *module;
	enum glacier_status status;

	if (glacier_module_create(NULL, &module) != GLACIER_OK)
		return 0;
	status = glacier_module_read_text(module, &text, NULL, &diag);
	REQUIRE((status == GLACIER_OK) == (diag.errors == 0) || status == GLACIER_ERR_NOMEM);
	REQUIRE(diag.errors <= 20);
	if (status == GLACIER_OK)
		write_all(module, size);
	glacier_module_destroy(module);
	return 0;
}
