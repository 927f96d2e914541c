/* SPDX-License-Identifier: MIT */
/*
 * Transcendental instructions, expanded: glacier-kernel(7), ONE ANSWER ON EVERY TARGET.
 *
 * The expansion is straight-line code that a target computes bit for bit as the next one
 * does: Add, Sub, Mul, Min, Max, Floor of floats; 32-bit integer instructions with MulHi and
 * CountLeadingZeros; compares, Select, Bitcast, Cvt.f32.i32 of small integers. Shift amounts
 * are in range (GLC_MOD_RAW). Nothing in it needs lowering again.
 */
#ifndef GLC_IR_MATH_H
#define GLC_IR_MATH_H

#include "ir/build.h"

/*
 * Append op.type of x (and y: Pow) and return the result. GLC_NO_VALUE, with nothing
 * appended, when op has no expansion in that type.
 */
glc_value glc_math(struct glc_builder *b, enum glc_op op, enum glc_type type, glc_value x, glc_value y);

#endif
