/* SPDX-License-Identifier: MIT */
/* manifest.json: all that a container is besides the data of its parts, so that it can be made again. */
#ifndef GC_DXBC_MANIFEST_H
#define GC_DXBC_MANIFEST_H

#include "container.h"

/* The name of a part's file in the folder; parts of one FourCC do not exist. Free it. */
char *manifest_file(uint32_t index, uint32_t fourcc);
/* The document. Free it with cJSON_free. */
char *manifest_write(const struct container *c);
/* The parts that a manifest names, read from beside it; files live until manifest_close. */
struct manifest {
	struct cli_file *files;
	size_t count;
};
bool manifest_read(struct manifest *manifest, const char *path, struct parts *parts);
void manifest_close(struct manifest *manifest);

#endif
