/* SPDX-License-Identifier: MIT */
/* Decoded parts as trees: for people, and for what compares them. */
#ifndef GC_DXBC_TREE_H
#define GC_DXBC_TREE_H

#include "container.h"

#include <cjson/cJSON.h>

/* The decoded part; NULL after a diagnostic. */
cJSON *tree_of_part(const struct glacier_dxbc_part *part, bool whole, struct glacier_diag *diag);
/* The bitcode's blocks; NULL after a diagnostic. */
cJSON *tree_of_bitcode(const struct glacier_dxbc_part *part, bool records, struct glacier_diag *diag);
/* Indented lines; objects of one shape in a list as a table. */
void tree_print(const cJSON *tree, int indent);
/* Reads a JSON file; ends the process when it is none. */
cJSON *tree_read(const char *path);

#endif
