/* SPDX-License-Identifier: MIT */
/*
 * Expansions: instructions said by simpler ones, with the language's one answer. Each takes
 * operands in the new kernel and gives the value of the result.
 */
#ifndef GLC_IR_EXPAND_H
#define GLC_IR_EXPAND_H

#include "ir/build.h"

/*
 * Integer Div and Rem: the divisor is replaced before the division. by_quotient: Rem is made
 * of Div, because Vulkan leaves OpSRem of negative numbers undefined.
 */
glc_value glc_expand_divide(struct glc_builder *b, enum glc_op op, enum glc_type type, glc_value x,
			    glc_value y, bool by_quotient);
/* Shl and Shr with the amount cut to the width. */
glc_value glc_expand_shift(struct glc_builder *b, enum glc_op op, enum glc_type type, glc_value x,
			   glc_value amount);
/* One of those that have one form for all targets; false: op is none of them. expand.c has the list. */
bool glc_expand_common(struct glc_builder *b, const struct glc_inst *inst, glc_value *value);
/* Float to integer, saturating, NaN to 0, by a conversion that is given values in range only. */
glc_value glc_expand_saturate(struct glc_builder *b, enum glc_type to, enum glc_type from, glc_value x);
/* The 64-bit forms of bit instructions by 32-bit ones. */
glc_value glc_expand_bits64(struct glc_builder *b, const struct glc_inst *inst);
/* The high half of a 64-bit product by 32-bit products. */
glc_value glc_expand_mulhi64(struct glc_builder *b, enum glc_type type, glc_value x, glc_value y);
/* ExtractBits and InsertBits: offset and count clamped; `raw` is then what the target does. */
glc_value glc_expand_field(struct glc_builder *b, const struct glc_inst *inst, bool by_shifts);
/* f32 Fma with one rounding, by f64 arithmetic and rounding to odd. */
glc_value glc_expand_fma32(struct glc_builder *b, glc_value x, glc_value y, glc_value z);

#endif
