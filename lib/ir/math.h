/* SPDX-License-Identifier: MIT */
/*
 * Transcendental instructions, expanded: glacier-kernel(7), ONE ANSWER ON EVERY TARGET.
 *
 * The expansion is straight-line code that a target computes bit for bit as the next one
 * does: Add, Sub, Mul, Min, Max, Floor of floats; 32-bit integer instructions with MulHi and
 * CountLeadingZeros; compares, Select, Bitcast, Cvt.f32.i32 of small integers. Shift amounts
 * are in range (GLC_MOD_RAW). Nothing in it needs lowering again.
 *
 * f32, in ULP of the result at the worst input, and instructions:
 *
 *	Exp 1.0, 32     Sin 1.6, 104     Asin 2.1, 47      Sinh 1.9, 40
 *	Exp2 1.1, 28    Cos 1.6, 103     Acos 1.3, 49      Cosh 1.8, 36
 *	Log 0.9, 44     Tan 2.4, 124     Atan 1.6, 47      Tanh 1.4, 57
 *	Log2 1.0, 49    Pow 1.6, 144     Atan2 2.2, 87     Erf 1.6, 60
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
