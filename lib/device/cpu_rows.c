/* SPDX-License-Identifier: MIT */
/* Which row of cpu_ops.def an instruction is. */
#include "device/cpu_compile.h"

/* Types as the rows have them: the class S says whether an integer's sign counts. */
static enum glc_type plain(enum glc_type type)
{
	switch (type) {
	case GLC_BOOL:
	case GLC_I32: return GLC_U32;
	case GLC_I64: return GLC_U64;
	default: return type;
	}
}

#define ALL4(op)                                           \
	case GLC_OP_##op:                                  \
		switch (plain(type)) {                     \
		case GLC_U32: return GLC_STEP_##op##_u32;  \
		case GLC_U64: return GLC_STEP_##op##_u64;  \
		case GLC_F32: return GLC_STEP_##op##_f32;  \
		case GLC_F64: return GLC_STEP_##op##_f64;  \
		default: return GLC_NOWHERE_32;            \
		}
#define INTS(op)                                           \
	case GLC_OP_##op:                                  \
		switch (plain(type)) {                     \
		case GLC_U32: return GLC_STEP_##op##_u32;  \
		case GLC_U64: return GLC_STEP_##op##_u64;  \
		default: return GLC_NOWHERE_32;            \
		}
#define SIGNED_INTS(op)                                    \
	case GLC_OP_##op:                                  \
		switch (type) {                            \
		case GLC_I32: return GLC_STEP_##op##_i32;  \
		case GLC_U32: return GLC_STEP_##op##_u32;  \
		case GLC_I64: return GLC_STEP_##op##_i64;  \
		case GLC_U64: return GLC_STEP_##op##_u64;  \
		default: return GLC_NOWHERE_32;            \
		}
#define ALL6(op)                                           \
	case GLC_OP_##op:                                  \
		switch (type) {                            \
		case GLC_I32: return GLC_STEP_##op##_i32;  \
		case GLC_U32: return GLC_STEP_##op##_u32;  \
		case GLC_I64: return GLC_STEP_##op##_i64;  \
		case GLC_U64: return GLC_STEP_##op##_u64;  \
		case GLC_F32: return GLC_STEP_##op##_f32;  \
		case GLC_F64: return GLC_STEP_##op##_f64;  \
		default: return GLC_NOWHERE_32;            \
		}
#define FLOATS(op)                                         \
	case GLC_OP_##op:                                  \
		return type == GLC_F32   ? (uint32_t)GLC_STEP_##op##_f32 \
		       : type == GLC_F64 ? (uint32_t)GLC_STEP_##op##_f64 \
					 : GLC_NOWHERE_32;

#define SINGLE(op)                                         \
	case GLC_OP_##op:                                  \
		return type == GLC_F32 ? (uint32_t)GLC_STEP_##op##_f32 : GLC_NOWHERE_32;

static uint32_t convert_row(enum glc_type to, enum glc_type from)
{
#define PAIR(to, from) ((unsigned)(to) << 8 | (unsigned)(from))
	if (!glc_is_float(to) && !glc_is_float(from) && glc_bits(to) == 32)
		return GLC_STEP_Cvt_u32_u64;
	switch (PAIR(to, from)) {
	case PAIR(GLC_I64, GLC_I32):
	case PAIR(GLC_U64, GLC_I32): return GLC_STEP_Cvt_i64_i32;
	case PAIR(GLC_I64, GLC_U32):
	case PAIR(GLC_U64, GLC_U32): return GLC_STEP_Cvt_i64_u32;
	case PAIR(GLC_F32, GLC_I32): return GLC_STEP_Cvt_f32_i32;
	case PAIR(GLC_F32, GLC_U32): return GLC_STEP_Cvt_f32_u32;
	case PAIR(GLC_F32, GLC_I64): return GLC_STEP_Cvt_f32_i64;
	case PAIR(GLC_F32, GLC_U64): return GLC_STEP_Cvt_f32_u64;
	case PAIR(GLC_F32, GLC_F64): return GLC_STEP_Cvt_f32_f64;
	case PAIR(GLC_F64, GLC_I32): return GLC_STEP_Cvt_f64_i32;
	case PAIR(GLC_F64, GLC_U32): return GLC_STEP_Cvt_f64_u32;
	case PAIR(GLC_F64, GLC_I64): return GLC_STEP_Cvt_f64_i64;
	case PAIR(GLC_F64, GLC_U64): return GLC_STEP_Cvt_f64_u64;
	case PAIR(GLC_F64, GLC_F32): return GLC_STEP_Cvt_f64_f32;
	case PAIR(GLC_I32, GLC_F32): return GLC_STEP_Cvt_i32_f32;
	case PAIR(GLC_U32, GLC_F32): return GLC_STEP_Cvt_u32_f32;
	case PAIR(GLC_I64, GLC_F32): return GLC_STEP_Cvt_i64_f32;
	case PAIR(GLC_U64, GLC_F32): return GLC_STEP_Cvt_u64_f32;
	case PAIR(GLC_I32, GLC_F64): return GLC_STEP_Cvt_i32_f64;
	case PAIR(GLC_U32, GLC_F64): return GLC_STEP_Cvt_u32_f64;
	case PAIR(GLC_I64, GLC_F64): return GLC_STEP_Cvt_i64_f64;
	case PAIR(GLC_U64, GLC_F64): return GLC_STEP_Cvt_u64_f64;
	}
	return GLC_NOWHERE_32;
#undef PAIR
}

uint32_t cpu_row(enum glc_op op, enum glc_type type, enum glc_type from)
{
	switch (op) {
	ALL4(Add) ALL4(Sub) ALL4(Mul) ALL4(Neg) ALL4(Eq) ALL4(Ne)
	ALL6(Div) ALL6(Min) ALL6(Max) ALL6(Lt) ALL6(Le)
	SIGNED_INTS(Rem) SIGNED_INTS(MulHi) SIGNED_INTS(Shr) SIGNED_INTS(ExtractBits)
	INTS(And) INTS(Or) INTS(Xor) INTS(Not) INTS(Shl)
	INTS(PopCount) INTS(CountLeadingZeros) INTS(CountTrailingZeros) INTS(ReverseBits)
	FLOATS(Sqrt) FLOATS(Floor) FLOATS(Ceil) FLOATS(Trunc) FLOATS(Round) FLOATS(Fma)
	FLOATS(IsNan) FLOATS(IsInf) FLOATS(IsFinite)
	SINGLE(Exp) SINGLE(Exp2) SINGLE(Log) SINGLE(Log2) SINGLE(Tanh)
	case GLC_OP_Gt: return cpu_row(GLC_OP_Lt, type, from);
	case GLC_OP_Ge: return cpu_row(GLC_OP_Le, type, from);
	case GLC_OP_Abs:
		switch (type) {
		case GLC_I32: return GLC_STEP_Abs_i32;
		case GLC_I64: return GLC_STEP_Abs_i64;
		case GLC_F32: return GLC_STEP_Abs_f32;
		case GLC_F64: return GLC_STEP_Abs_f64;
		default: return GLC_NOWHERE_32;
		}
	case GLC_OP_MulWide: return from == GLC_I32 ? GLC_STEP_MulWide_i32 : GLC_STEP_MulWide_u32;
	case GLC_OP_Select: return cpu_bits(type) == 64 ? GLC_STEP_Select_u64 : GLC_STEP_Select_u32;
	case GLC_OP_Cvt: return convert_row(type, from);
	default: return GLC_NOWHERE_32;
	}
}

uint32_t cpu_pair(enum glc_op first, enum glc_op second, uint32_t place, enum glc_type type)
{
	bool narrow = type == GLC_F32;

	if (plain(type) == GLC_U32) {
		if (second == GLC_OP_Add && first == GLC_OP_Mul)
			return GLC_STEP_MulAdd_u32;
		if (second == GLC_OP_Add && first == GLC_OP_Add)
			return GLC_STEP_AddAdd_u32;
		return GLC_NOWHERE_32;
	}
	if (!narrow && type != GLC_F64)
		return GLC_NOWHERE_32;
	if (first == GLC_OP_Mul && second == GLC_OP_Add)
		return narrow ? GLC_STEP_MulAdd_f32 : GLC_STEP_MulAdd_f64;
	if (first == GLC_OP_Mul && second == GLC_OP_Sub && place == 0)
		return narrow ? GLC_STEP_MulSub_f32 : GLC_STEP_MulSub_f64;
	if (first == GLC_OP_Mul && second == GLC_OP_Sub)
		return narrow ? GLC_STEP_MulFrom_f32 : GLC_STEP_MulFrom_f64;
	if (first == GLC_OP_Mul && second == GLC_OP_Mul)
		return narrow ? GLC_STEP_MulMul_f32 : GLC_STEP_MulMul_f64;
	if (first == GLC_OP_Sub && second == GLC_OP_Mul)
		return narrow ? GLC_STEP_SubMul_f32 : GLC_STEP_SubMul_f64;
	if (first == GLC_OP_Add && second == GLC_OP_Add)
		return narrow ? GLC_STEP_AddAdd_f32 : GLC_STEP_AddAdd_f64;
	if (first == GLC_OP_Max && second == GLC_OP_Min && place == 0)
		return narrow ? GLC_STEP_MaxMin_f32 : GLC_STEP_MaxMin_f64;
	if (first == GLC_OP_Add && second == GLC_OP_Mul)
		return narrow ? GLC_STEP_AddMul_f32 : GLC_STEP_AddMul_f64;
	return GLC_NOWHERE_32;
}
