/* SPDX-License-Identifier: MIT */
/* The element types: their size, their name in .npy files, and how values are read and shown. */
#ifndef GC_RUN_TYPES_H
#define GC_RUN_TYPES_H

#include <glacier/literal.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum type_class { TYPE_NONE, TYPE_SIGNED, TYPE_UNSIGNED, TYPE_FLOAT };

struct type_facts {
	char npy[4];            /* the descr without its byte order */
	uint8_t bytes;          /* 0: it is no memory type */
	uint8_t klass;
	uint8_t fraction_bits;  /* of a float */
	uint8_t exponent_bits;
};

extern const struct type_facts types[GLACIER_TYPE_COUNT];

enum { TYPE_TEXT_BYTES = 32 };

/* The bit pattern of the element at `at`, of any alignment. */
uint64_t type_load(enum glacier_type type, const void *at);
void type_store(enum glacier_type type, void *at, uint64_t bits);

/* The value of a float's bits, exactly; NaN stays NaN. */
double type_real(enum glacier_type type, uint64_t bits);
/* The float nearest to the value, ties to even. */
uint64_t type_round(enum glacier_type type, double value);

/* Decimal; of a float, the shortest that reads back as the same value. */
void type_spell(enum glacier_type type, uint64_t bits, char text[TYPE_TEXT_BYTES]);

bool type_is_nan(enum glacier_type type, uint64_t bits);
/* How many values of the type lie between the two, and one more; for integers, their difference. Neither is NaN. */
uint64_t type_distance(enum glacier_type type, uint64_t a, uint64_t b);

#endif
