/* SPDX-License-Identifier: MIT */
/*
 * A scalar evaluator of the language's instructions, written from its reference and sharing
 * nothing with the library: what a target must answer, and what it may answer besides.
 *
 * A value is held as its bits in the low part of a uint64_t; a bool is 0 or 1.
 */
#ifndef TESTS_EXEC_EVALUATE_H
#define TESTS_EXEC_EVALUATE_H

#include <stdbool.h>
#include <stdint.h>

enum ev_type { EV_BOOL, EV_I32, EV_U32, EV_I64, EV_U64, EV_F32, EV_F64, EV_TYPE_COUNT };

/*
 * EV_STRICT  what CPU and PTX must give: one rounding, subnormals kept.
 * EV_VULKAN  the bounds of section 7 for Vulkan: Div and Sqrt within 2.5 and 3 ULP, Fma in one
 *            rounding or two, either zero of Min and Max, subnormals kept or flushed. Quotients
 *            of f32 have that bound for divisors from 2^-126 to 2^126 only (Vulkan 1.3,
 *            Precision and Operation of SPIR-V Instructions).
 */
enum ev_rules { EV_STRICT, EV_VULKAN };

/* The answers that are right. */
struct answer {
	enum ev_type type;
	enum ev_rules rules;
	uint64_t bits[48];      /* any of these */
	unsigned count;
	bool open;              /* anything is */
	unsigned steps;         /* and what lies within so many floats of one of them */
	bool near;              /* transcendental: and what lies within 4 ULP of value */
	unsigned near_count;
	long double value[4];
};

/* The number of an instruction by its spelling without suffix, or -1: nothing to evaluate. */
int evaluate_find(const char *name);

/* The type of the result. from is the second suffix, or the type itself. */
enum ev_type evaluate_result(int op, enum ev_type type);

/*
 * The answers for given operands, in the order of the text. from: as above. Indices, shift
 * amounts, offsets and counts come as u32, Ldexp's exponent as i32.
 */
void evaluate(int op, enum ev_type type, enum ev_type from, enum ev_rules rules, const uint64_t arg[4],
	      struct answer *answer);

bool answer_allows(const struct answer *answer, uint64_t got);

const char *ev_type_name(enum ev_type type);
unsigned ev_bits(enum ev_type type);   /* bool: 1 */
static inline bool ev_is_float(enum ev_type type)
{
	return type >= EV_F32;
}
static inline bool ev_is_signed(enum ev_type type)
{
	return type == EV_I32 || type == EV_I64;
}

#endif
