/* SPDX-License-Identifier: MIT */
/*
 * Every shape of control flow as a body, and beside it the same in C. The body begins with %i
 * (the invocation) and %x (its input); it stores to @out, element %i, or leaves UNTOUCHED.
 */
#ifndef TESTS_EXEC_SHAPES_H
#define TESTS_EXEC_SHAPES_H

#include <stdint.h>

enum { SHAPE_ELEMS = 64 };
#define UNTOUCHED 0xdeadbeefu

struct shape {
	const char *name;
	const char *params;     /* further parameters, each with a comma before it */
	const char *body;
	uint32_t (*want)(uint32_t x);
};

extern const struct shape if_shapes[], loop_shapes[], for_shapes[];
extern const unsigned if_shape_count, loop_shape_count, for_shape_count;

/* Most bodies end so. */
#define STORE_R "  StoreGlobal.u32 @out, %i, %r\n  Return\n"

#endif
