/* SPDX-License-Identifier: MIT */
/* make-examples FOLDER: the containers of examples/, from the seeds of the tests. */
#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static const struct {
		enum seed seed;
		const char *name;
	} files[] = {{SEED_COMPUTE_6_6, "compute.dxil"}, {SEED_DEBUG_6_8, "debug.dxil"}, {SEED_PIXEL_5_0, "pixel.dxbc"}};
	char path[4096];

	for (size_t i = 0; argc == 2 && i < sizeof files / sizeof *files; i++) {
		struct bytes b = seed_make(files[i].seed);
		FILE *file;

		snprintf(path, sizeof path, "%s/%s", argv[1], files[i].name);
		file = fopen(path, "wb");
		if (!file || fwrite(b.at, 1, b.size, file) != b.size || fclose(file))
			return 1;
		free(b.at);
	}
	return argc == 2 ? 0 : 2;
}
