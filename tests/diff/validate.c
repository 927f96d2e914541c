/* SPDX-License-Identifier: MIT */
/* validate ENV FILE.spv... - libSPIRV-Tools' verdict on each file; exits 1 if one is invalid. */
#include "valid.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t *read_words(const char *path, size_t *count)
{
	FILE *file = fopen(path, "rb");
	uint32_t *words;
	long bytes;

	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	bytes = ftell(file);
	rewind(file);
	words = bytes < 0 ? NULL : malloc((size_t)bytes + 4);
	if (words)
		*count = fread(words, 4, (size_t)bytes / 4, file);
	fclose(file);
	return words;
}

int main(int argc, char **argv)
{
	struct valid *valid = argc > 2 ? valid_create(argv[1]) : NULL;
	int invalid = 0;

	if (!valid) {
		fprintf(stderr, "usage: validate ENV FILE.spv...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		char message[512];
		size_t count = 0;
		uint32_t *words = read_words(argv[i], &count);

		if (!words) {
			fprintf(stderr, "%s: cannot be read\n", argv[i]);
			valid_destroy(valid);
			return 2;
		}
		if (!valid_spirv(valid, words, count, message, sizeof message)) {
			printf("%s: %s\n", argv[i], message);
			invalid = 1;
		}
		free(words);
	}
	valid_destroy(valid);
	return invalid;
}
