/* SPDX-License-Identifier: MIT */
#include "valid.h"

#include <spirv-tools/libspirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct valid {
	spv_context context;
	spv_validator_options options;
};

struct valid *valid_create(const char *env)
{
	struct valid *valid = calloc(1, sizeof *valid);
	spv_target_env target;

	if (!valid)
		return NULL;
	if (spvParseTargetEnv(env, &target))
		valid->context = spvContextCreate(target);
	if (!valid->context) {
		free(valid);
		return NULL;
	}
	valid->options = spvValidatorOptionsCreate();
	return valid;
}

void valid_destroy(struct valid *valid)
{
	if (!valid)
		return;
	spvValidatorOptionsDestroy(valid->options);
	spvContextDestroy(valid->context);
	free(valid);
}

void valid_scalar_layout(struct valid *valid)
{
	spvValidatorOptionsSetScalarBlockLayout(valid->options, true);
}

bool valid_spirv(struct valid *valid, const uint32_t *words, size_t count, char *message, size_t bytes)
{
	spv_const_binary_t binary = {words, count};
	spv_diagnostic diagnostic = NULL;
	spv_result_t result = spvValidateWithOptions(valid->context, valid->options, &binary, &diagnostic);

	if (result != SPV_SUCCESS)
		snprintf(message, bytes, "%s", diagnostic && diagnostic->error ? diagnostic->error : "no reason given");
	spvDiagnosticDestroy(diagnostic);
	return result == SPV_SUCCESS;
}

uint32_t *valid_assemble(const char *version, const char *text, size_t *count, char *message, size_t bytes)
{
	char env[16];
	spv_target_env target;
	spv_context context;
	spv_binary binary = NULL;
	spv_diagnostic diagnostic = NULL;
	uint32_t *words = NULL;

	snprintf(env, sizeof env, "spv%.8s", version);
	if (!spvParseTargetEnv(env, &target))
		return NULL;
	context = spvContextCreate(target);
	if (spvTextToBinary(context, text, strlen(text), &binary, &diagnostic) == SPV_SUCCESS) {
		words = malloc(binary->wordCount * 4);
		if (words)
			memcpy(words, binary->code, binary->wordCount * 4);
		*count = binary->wordCount;
	} else {
		snprintf(message, bytes, "line %zu: %s", diagnostic ? diagnostic->position.line + 1 : 0,
			 diagnostic && diagnostic->error ? diagnostic->error : "no reason given");
	}
	spvDiagnosticDestroy(diagnostic);
	spvBinaryDestroy(binary);
	spvContextDestroy(context);
	return words;
}
