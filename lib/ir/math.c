/* SPDX-License-Identifier: MIT */
#include "ir/math.h"

#include "ir/math_ops.h"

#include "ir/math_trig_f32.h"

/* cold: for size. The code is one call after the other, and would be 56 KB. */
__attribute__((cold)) static f32 expand_f32(struct glc_builder *b, enum glc_op op, f32 x, f32 y)
{
	switch (op) {
	case GLC_OP_Exp: return exp_f32(b, x);
	case GLC_OP_Exp2: return exp2_f32(b, x);
	case GLC_OP_Log: return log_f32(b, x);
	case GLC_OP_Log2: return log2_f32(b, x);
	case GLC_OP_Pow: return pow_f32(b, x, y);
	case GLC_OP_Sin: return sin_f32(b, x);
	case GLC_OP_Cos: return cos_f32(b, x);
	case GLC_OP_Tan: return tan_f32(b, x);
	case GLC_OP_Tanh: return tanh_f32(b, x);
	case GLC_OP_Sinh: return sinh_f32(b, x);
	case GLC_OP_Cosh: return cosh_f32(b, x);
	case GLC_OP_Asin: return asin_f32(b, x);
	case GLC_OP_Acos: return acos_f32(b, x);
	case GLC_OP_Atan: return atan_f32(b, x);
	case GLC_OP_Atan2: return atan2_f32(b, x, y);
	case GLC_OP_Erf: return erf_f32(b, x);
	default: return (f32){.value = GLC_NO_VALUE};
	}
}

glc_value glc_math(struct glc_builder *b, enum glc_op op, enum glc_type type, glc_value x, glc_value y)
{
	if (type != GLC_F32)
		return GLC_NO_VALUE;
	return expand_f32(b, op, (f32){.value = x}, (f32){.value = y}).value;
}
