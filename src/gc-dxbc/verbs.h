/* SPDX-License-Identifier: MIT */
/* What the program does, a file each. Each gives the exit code. */
#ifndef GC_DXBC_VERBS_H
#define GC_DXBC_VERBS_H

#include "options.h"

typedef enum cli_code verb_fn(struct options *opt);

verb_fn verb_list, verb_inspect, verb_extract, verb_pack, verb_add, verb_replace, verb_remove, verb_strip, verb_sign,
	verb_verify, verb_diff, verb_hexmap;

#endif
