/* SPDX-License-Identifier: MIT */
/* Arrays made by rule: ":normal:1048576:f32". The same seed gives the same elements. */
#ifndef GC_RUN_GENERATOR_H
#define GC_RUN_GENERATOR_H

#include "types.h"

enum generator_rule { GENERATE_ZEROS, GENERATE_IOTA, GENERATE_UNIFORM, GENERATE_NORMAL, GENERATE_COUNT };

struct generator {
	enum generator_rule rule;
	enum glacier_type type;   /* GLACIER_VOID: not said */
	uint64_t elems;
};

/* Reads ":RULE:N[:TYPE]". What is wrong is said of `name`, and ends the process. */
void generator_parse(const char *name, const char *text, struct generator *generator);

/* Fills elems elements of the type at `at`, which is aligned for it. Says when the type has no such values. */
void generator_fill(const struct generator *generator, enum glacier_type type, uint64_t seed, void *at);

#endif
