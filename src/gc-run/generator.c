/* SPDX-License-Identifier: MIT */
/*
 * The random bits of element i are a hash of seed and i: SplitMix64 (Steele, Lea and Flood,
 * "Fast splittable pseudorandom number generators", 2014), entered at its i-th step.
 */
#include "generator.h"

#include "common/cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char rule_names[GENERATE_COUNT][8] = {
	[GENERATE_ZEROS] = "zeros",
	[GENERATE_IOTA] = "iota",
	[GENERATE_UNIFORM] = "uniform",
	[GENERATE_NORMAL] = "normal",
};

static uint64_t random_bits(uint64_t seed, uint64_t index)
{
	uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void generator_parse(const char *name, const char *text, struct generator *generator)
{
	const char *rule = text + 1, *colon = strchr(rule, ':'), *digits = colon ? colon + 1 : "";
	size_t rule_bytes = colon ? (size_t)(colon - rule) : strlen(rule);
	uint64_t bytes;

	*generator = (struct generator){.rule = GENERATE_COUNT};
	for (int i = 0; i < GENERATE_COUNT; i++)
		if (strlen(rule_names[i]) == rule_bytes && !memcmp(rule_names[i], rule, rule_bytes))
			generator->rule = (enum generator_rule)i;
	if (generator->rule == GENERATE_COUNT)
		cli_bad_usage("%s=%s: the generators are :zeros, :iota, :uniform and :normal", name, text);
	for (; *digits >= '0' && *digits <= '9'; digits++)
		if (__builtin_mul_overflow(generator->elems, 10, &generator->elems) ||
		    __builtin_add_overflow(generator->elems, (uint64_t)(*digits - '0'), &generator->elems) ||
		    __builtin_mul_overflow(generator->elems, 8, &bytes))
			cli_bad_usage("%s=%s: that many elements cannot be", name, text);
	if (!colon || digits == colon + 1 || (*digits && *digits != ':'))
		cli_bad_usage("%s=%s: a generator is :%.*s:N or :%.*s:N:TYPE", name, text, (int)rule_bytes, rule,
			      (int)rule_bytes, rule);
	if (!*digits)
		return;
	generator->type = glacier_type_find(digits + 1);
	if (!types[generator->type].bytes)
		cli_bad_usage("%s=%s: there is no element type '%s'", name, text, digits + 1);
}

/* Of the normal distribution, by the method of Box and Muller: two uniform numbers give one. */
static double normal(uint64_t seed, uint64_t index)
{
	double u = (double)(random_bits(seed, 2 * index) >> 11) * 0x1p-53;
	double v = (double)(random_bits(seed, 2 * index + 1) >> 11) * 0x1p-53;

	/* 1 - u is never 0. */
	return sqrt(-2 * log(1 - u)) * cos(2 * 3.14159265358979323846 * v);
}

/* In [0, 1) with as many bits as the type has, so that none is rounded up to 1. */
static double uniform(enum glacier_type type, uint64_t bits)
{
	int digits = types[type].fraction_bits + 1;

	return ldexp((double)(bits >> (64 - digits)), -digits);
}

static uint64_t element(const struct generator *generator, enum glacier_type type, uint64_t seed, uint64_t i)
{
	bool is_float = types[type].klass == TYPE_FLOAT;

	switch (generator->rule) {
	case GENERATE_IOTA: return is_float ? type_round(type, (double)i) : i;
	case GENERATE_UNIFORM:
		return is_float ? type_round(type, uniform(type, random_bits(seed, i))) : random_bits(seed, i);
	case GENERATE_NORMAL: return type_round(type, normal(seed, i));
	default: return 0;
	}
}

void generator_fill(const struct generator *generator, enum glacier_type type, uint64_t seed, void *at)
{
	unsigned char *bytes = at;
	unsigned size = types[type].bytes;

	if (generator->rule == GENERATE_NORMAL && types[type].klass != TYPE_FLOAT)
		cli_wrong(":normal gives floats, and cannot fill an array of %s", glacier_type_name(type));
	if (generator->rule == GENERATE_ZEROS) {
		memset(at, 0, generator->elems * size);
		return;
	}
	for (uint64_t i = 0; i < generator->elems; i++)
		type_store(type, bytes + i * size, element(generator, type, seed, i));
}
