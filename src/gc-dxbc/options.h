/* SPDX-License-Identifier: MIT */
#ifndef GC_DXBC_OPTIONS_H
#define GC_DXBC_OPTIONS_H

#include "common/cli.h"

#include <glacier/dxbc.h>

/* --part: a FourCC, and what was written behind a '='. */
struct part_option {
	uint32_t fourcc;
	const char *path;        /* NULL: none was given */
};

struct options {
	const char *verb;
	char **files;
	size_t file_count;
	const char *output;
	struct part_option *parts;
	size_t part_count;
	bool all, whole, bitcode, records, strict, unaligned, svg;
	const char *as;          /* raw, bitcode, container */
	const char *manifest;
	/* pack */
	const char *kind, *model, *entry, *threads, *resources;
	bool has_digest, has_require;
	enum glacier_dxbc_digest digest, require;
	/* strip */
	bool debug, reflection, private_data, root_signature;
	struct cli_warnings warnings;
};

/* Ends the process on bad usage. */
void options_parse(struct options *opt, int argc, char **argv);
void options_fini(struct options *opt);
/* Bad usage unless there are so many files. */
void options_want_files(const struct options *opt, size_t least, size_t most);
/* The first --part of that FourCC, or NULL. */
const struct part_option *options_part(const struct options *opt, uint32_t fourcc);

#endif
