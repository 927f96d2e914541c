/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a SPIR-V module: read alone, and validated twice, for Vulkan and for SPIR-V
 * alone. What is refused is refused with an error; reading refuses nothing that validation
 * accepts; the verdict is the same again in warm memory.
 */
#include <glacier.h>

#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "fuzz_spirv.c:%d: broken promise: %s\n", __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

/* Memory is given in proportion to the input, whatever its numbers claim. */
enum { BYTES_A_BYTE = 512, BYTES_ANYWAY = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_diagnostic(void *user, const struct glacier_diagnostic *diagnostic)
{
	(void)user;
	REQUIRE(diagnostic->message && diagnostic->message[0]);
	REQUIRE(diagnostic->code || diagnostic->severity == GLACIER_NOTE);
}

static enum glacier_status judge(struct glacier_memory *memory, const uint8_t *data, size_t size,
				 const struct glacier_spirv_options *options)
{
	struct glacier_diag diag = {.report = check_diagnostic};
	enum glacier_status status = glacier_spirv_validate(memory, data, size, options, &diag);

	REQUIRE(status != GLACIER_ERR_NOMEM);
	REQUIRE((status == GLACIER_OK) == !diag.errors);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct glacier_spirv_options options[] = {
		{.scalar_block_layout = true, .compat = true},
		{.env = GLACIER_SPIRV_UNIVERSAL_1_6, .relax_struct_store = true},
	};
	struct glacier_diag diag = {.report = check_diagnostic};
	struct glacier_memory memory;
	struct glacier_spirv module;
	enum glacier_status status;
	bool valid = false;

	glacier_memory_init(&memory, NULL, 0);
	memory.limit_bytes = size * BYTES_A_BYTE + BYTES_ANYWAY;
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		status = judge(&memory, data, size, &options[i]);
		REQUIRE(judge(&memory, data, size, &options[i]) == status);
		valid |= status == GLACIER_OK;
	}
	glacier_memory_reset(&memory);
	status = glacier_spirv_read(&memory, data, size, &module, &diag);
	REQUIRE((status == GLACIER_OK) == !diag.errors);
	REQUIRE(status == GLACIER_OK || !valid);
	glacier_memory_fini(&memory);
	return 0;
}
