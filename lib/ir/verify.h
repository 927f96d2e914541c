/* SPDX-License-Identifier: MIT */
/* The rules of ir.h, checked. For tests and for builds with --enable-checks. */
#ifndef GLC_IR_VERIFY_H
#define GLC_IR_VERIFY_H

#include "ir/ir.h"

/*
 * Whether every kernel keeps the rules that the back ends rely on. When one does not, *rule
 * is told in words, and *kernel and *index where. A fault found here is the compiler's own.
 */
struct glc_verdict {
	const char *rule;     /* NULL: all is well */
	uint32_t kernel, index;
};

struct glc_verdict glc_ir_verify(const struct glc_ir *ir, struct glacier_memory *memory);

#endif
