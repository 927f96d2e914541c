/* SPDX-License-Identifier: MIT */
/* The files that include statements name. They live as long as anything may point into them. */
#ifndef CLI_INCLUDE_H
#define CLI_INCLUDE_H

#include "cli.h"

#include <glacier/kernel.h>

struct includes {
	struct included {
		char *path;       /* as messages show it; file.name points here */
		char *real_path;  /* tells one file under two names */
		struct cli_file file;
	} **at;
	size_t count;
	struct included **used;   /* those of the input at hand, each once, in order */
	size_t used_count;
};

/* struct glacier_read_options' include; user is a struct includes. Relative to the including file. */
bool include_find(void *user, const char *path, const char *from, struct glacier_text *out);
/* Another input. */
void includes_begin(struct includes *includes);
void includes_fini(struct includes *includes);

#endif
