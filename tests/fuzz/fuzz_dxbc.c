/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a container. What is accepted without a warning is made again from its parts,
 * byte by byte; each part that decodes gives its bytes again; verifying and walking the bitcode
 * end. The digest is not looked at by parsing, so that mutations reach the parts.
 */
#include <glacier.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "fuzz_dxbc.c:%d: broken promise: %s\n", __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

enum { MOST_PARTS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_diagnostic(void *user, const struct glacier_diagnostic *diagnostic)
{
	(void)user;
	REQUIRE(diagnostic->message && diagnostic->message[0]);
	REQUIRE(diagnostic->code || diagnostic->severity == GLACIER_NOTE);
}

static void check_part(const struct glacier_dxbc_part *part)
{
	struct glacier_diag diag = {.report = check_diagnostic};
	struct glacier_buffer text = {0}, again = {0};
	const unsigned char *bitcode;
	size_t bytes;

	/* Asking for the form alone makes no tree, and must come to the same. */
	REQUIRE(glacier_dxbc_decode(part, false, NULL, &diag) == glacier_dxbc_decode(part, false, &text, NULL));
	text.size = 0;
	diag = (struct glacier_diag){.report = check_diagnostic};
	if (glacier_dxbc_decode(part, true, &text, &diag) == GLACIER_OK) {
		REQUIRE(!diag.errors);
		REQUIRE(glacier_dxbc_encode(part->fourcc, (const char *)text.data, text.size, &again, &diag) == GLACIER_OK);
		REQUIRE(again.size == part->bytes && (!again.size || !memcmp(again.data, part->data, again.size)));
	} else {
		REQUIRE(diag.errors);
	}
	if (glacier_dxbc_bitcode_of(part, &bitcode, &bytes)) {
		text.size = 0;
		diag = (struct glacier_diag){.report = check_diagnostic};
		REQUIRE((glacier_dxbc_bitcode(part, bytes < 4096, &text, &diag) == GLACIER_OK) == !diag.errors);
	}
	glacier_buffer_fini(&text);
	glacier_buffer_fini(&again);
}

static void check_again(const struct glacier_dxbc *dxbc)
{
	struct glacier_dxbc_write_options options = {
		.major = dxbc->major, .minor = dxbc->minor, .unaligned = true, .digest = GLACIER_DIGEST_WRONG};
	struct glacier_dxbc_part parts[MOST_PARTS];
	struct glacier_buffer again = {0};

	if (dxbc->part_count > MOST_PARTS)
		return;
	for (uint32_t i = 0; i < dxbc->part_count; i++)
		parts[i] = glacier_dxbc_part_at(dxbc, i);
	memcpy(options.raw_digest, dxbc->data + 4, 16);
	REQUIRE(glacier_dxbc_write(parts, dxbc->part_count, &options, &again, NULL) == GLACIER_OK);
	REQUIRE(again.size == dxbc->bytes && !memcmp(again.data, dxbc->data, again.size));
	glacier_buffer_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct glacier_diag diag = {.report = check_diagnostic};
	struct glacier_dxbc dxbc;

	if (glacier_dxbc_parse(data, size, &dxbc, &diag) != GLACIER_OK) {
		REQUIRE(diag.errors);
		return 0;
	}
	REQUIRE(!diag.errors);
	if (!diag.warnings)
		check_again(&dxbc);
	for (uint32_t i = 0; i < dxbc.part_count; i++) {
		struct glacier_dxbc_part part = glacier_dxbc_part_at(&dxbc, i);

		check_part(&part);
	}
	glacier_dxbc_verify(&dxbc, NULL, &diag);
	return 0;
}
