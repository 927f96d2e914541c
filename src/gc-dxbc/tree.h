/* SPDX-License-Identifier: MIT */
/* Decoded parts as trees: for people, and for what compares them. */
#ifndef GC_DXBC_TREE_H
#define GC_DXBC_TREE_H

#include "container.h"

#include <cjson/cJSON.h>

/*
 * From here on trees, the library's too, take memory from blocks, and lose none of it before tree_release ends all of
 * them: half of the time of a small container went into as many small allocations as it has fields.
 */
void tree_own_memory(void);
void tree_release(void);
/* Indented lines; objects of one shape in a list as a table. */
void tree_print(const cJSON *tree, int indent);
/* JSON for a file, which may be ended by cJSON_free; the tree is for nothing else behind it. */
char *tree_json(cJSON *tree);
/* A string of foreign bytes, of a file's name, as a document may have it. */
cJSON *tree_text(const char *text);
/* Reads a JSON file; ends the process when it is none. */
cJSON *tree_read(const char *path);

#endif
