/* SPDX-License-Identifier: MIT */
/* A container of a file, and parts on the way to a new one. */
#ifndef GC_DXBC_CONTAINER_H
#define GC_DXBC_CONTAINER_H

#include "options.h"

struct container {
	struct cli_file file;
	struct glacier_diag diag;
	struct glacier_dxbc dxbc;
};

/* Reads and parses; says what is wrong and returns false. */
bool container_open(struct container *c, const struct options *opt, const char *path);
/* The same, into another sink than that of messages. c->file.name stays when the bytes could be read, else it is NULL. */
bool container_open_into(struct container *c, const struct options *opt, const char *path, struct glacier_diag sink);
void container_close(struct container *c);
/* The file's name, without what a terminal would obey. */
void container_print_name(const struct container *c);
/* Warns of bytes that no part has, when what is written is made of the parts. False when that is told to be an error. */
bool container_warn_left_out(struct container *c, const struct options *opt);

/* "DXIL"; what cannot be printed is a '.'. */
struct fourcc {
	char text[5];
};

struct fourcc fourcc_name(uint32_t fourcc);
/* Also fit to be a file's name. */
struct fourcc fourcc_file(uint32_t fourcc);

/* "compute 6.0" of the program; false when there is none. */
bool container_program(const struct glacier_dxbc *dxbc, char *out, size_t bytes);

/* The parts of a container that is to be made. */
struct parts {
	struct glacier_dxbc_part *at;
	uint32_t count;
	struct glacier_dxbc_write_options write;
};

void parts_of(struct parts *parts, const struct container *c, const struct options *opt);
/* Where a compiler would have put it. */
void parts_insert(struct parts *parts, struct glacier_dxbc_part part);
void parts_push(struct parts *parts, struct glacier_dxbc_part part);
/* The file's data, which must live as long, as a part; ends the process where it is more than a part can be. */
struct glacier_dxbc_part part_of_file(uint32_t fourcc, const struct cli_file *file);
/* Stages the container for `path`, NULL: in place of the input, "-": standard output. */
bool parts_stage(struct parts *parts, struct container *c, const struct options *opt, const char *path,
		 struct glacier_buffer *buffer);
void parts_fini(struct parts *parts);

#endif
