/* SPDX-License-Identifier: MIT */
/* NumPy's file format, versions 1 to 3, as far as arrays that are reduced need it. */
#ifndef GC_ALLREDUCE_NPY_H
#define GC_ALLREDUCE_NPY_H

#include "options.h"

struct npy {
	enum glacier_type type;
	const char *header;      /* in the file, the magic included: a result has the same */
	size_t header_bytes;
	size_t count;
};

/* Takes whole files in C order and little endian. Anything else is said, and ends the process with 1. */
void npy_parse(const struct cli_file *file, struct npy *npy);

#endif
