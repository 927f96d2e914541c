/* SPDX-License-Identifier: MIT */
/*
 * Validates one module again and again in a warm process: what bench/instructions.sh counts.
 *
 *	validate FILE COUNT
 */
#include <glacier.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static char data[1 << 24];
	struct glacier_memory memory;
	enum glacier_status status = GLACIER_OK;
	FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
	size_t bytes;

	if (!file)
		return 2;
	bytes = fread(data, 1, sizeof data, file);
	fclose(file);
	glacier_memory_init(&memory, NULL, 0);
	for (long i = strtol(argv[2], NULL, 10); i > 0; i--)
		status = glacier_spirv_validate(&memory, data, bytes, NULL, NULL);
	glacier_memory_fini(&memory);
	printf("%s: %zu bytes: %s\n", argv[1], bytes, glacier_status_name(status));
	return status != GLACIER_OK;
}
