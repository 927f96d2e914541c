/* SPDX-License-Identifier: MIT */
/* NumPy's file format, versions 1 to 3: numpy.lib.format in NumPy's reference. */
#ifndef GC_RUN_NPY_H
#define GC_RUN_NPY_H

#include "types.h"

#include "common/cli.h"

enum { SHAPE_DIMENSIONS = 32 };  /* as many as NumPy has */

struct shape {
	uint32_t count;                  /* 0: one element without an index */
	uint64_t at[SHAPE_DIMENSIONS];
	uint64_t elems;                  /* their product */
};

/* Appends a dimension; false when there are too many, or their product passes 2^63. */
bool shape_add(struct shape *shape, uint64_t extent);
bool shape_equal(const struct shape *a, const struct shape *b);
/* "[2,3]" */
void shape_spell(const struct shape *shape, char *text, size_t bytes);

struct npy {
	enum glacier_type type;
	struct shape shape;
	size_t offset;                   /* of the first element in the file */
};

/* Takes nothing but whole files in C order and little endian. Anything else is said, and ends the process. */
void npy_parse(const struct cli_file *file, struct npy *npy);

enum { NPY_HEADER_BYTES = 1024 };    /* room for every header that is written */

/* Writes what stands before the elements, and gives its length: a multiple of 64. */
size_t npy_header(enum glacier_type type, const struct shape *shape, char header[NPY_HEADER_BYTES]);

#endif
