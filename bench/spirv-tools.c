/* SPDX-License-Identifier: MIT */
/*
 * The peer of bench/compile: SPIRV-Tools assembles (or validates) one module again and again.
 *
 *	spirv-tools assemble|validate FILE COUNT     FILE: assembly text, or a module
 */
#include <spirv-tools/libspirv.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
	static char bytes[1 << 20];
	bool assemble;
	size_t size;
	FILE *file;

	if (argc != 4 || !(file = fopen(argv[2], "rb"))) {
		fprintf(stderr, "usage: spirv-tools assemble|validate FILE COUNT\n");
		return 2;
	}
	size = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	assemble = !strcmp(argv[1], "assemble");
	for (long i = strtol(argv[3], NULL, 10); i > 0; i--) {
		spv_binary module = NULL;
		spv_result_t result;

		if (assemble) {
			result = spvTextToBinary(context, bytes, size, &module, NULL);
			spvBinaryDestroy(module);
		} else {
			spv_const_binary_t words = {(uint32_t *)(void *)bytes, size / 4};

			result = spvValidate(context, &words, NULL);
		}
		if (result != SPV_SUCCESS)
			return 1;
	}
	spvContextDestroy(context);
	return 0;
}
