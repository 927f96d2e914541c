/* SPDX-License-Identifier: MIT */
/*
 * Lowering: the module's IR, rewritten for one target, in one copying pass per kernel that
 * also drops what nobody needs (-O1).
 *
 * What a back end may rely on behind it, for every instruction that it is given:
 *
 *  - never seen: Nop, Mov, LoadConstant, Clamp, AddCarry, SubBorrow, Rcp and Rsqrt without
 *    .approx, Fract, Sign, CopySign, Ldexp, float Rem, transcendentals without .approx,
 *    WorkgroupSize, GlobalSize, Cvt from and to bool, Cvt between types of one width and both
 *    integer (they are Bitcasts), Bitcast between equal types.
 *  - Div, Rem of integers: the divisor is neither 0 nor makes MIN / -1. Both are GLC_MOD_RAW.
 *    On SPIR-V Rem is unsigned.
 *  - Shl, Shr: the amount is a u32 below the width. ExtractBits, InsertBits: offset + count is at
 *    most the width (count may be 0, offset may be the width).
 *  - Cvt float to integer: in range and no NaN on SPIR-V; as the PTX instruction does it, with
 *    NaN replaced where that differs, on PTX.
 *  - Spec: only on SPIR-V; PTX has its value folded in.
 *  - ptx: LocalIndex, SubgroupSize, SubgroupId, LaneId are gone, made from GroupId and LocalId.
 *  - spirv: MulHi and bit counts, ReverseBits, ExtractBits, InsertBits are 32 bits wide; MulWide is
 *    gone; IsFinite is gone; AtomicAdd of f32 only with the feature, else a loop around
 *    AtomicCompareExchange and the object's type is u32 (loads and stores are of u32 then).
 *  - an index is a u32 on SPIR-V; u32, or u64 with from == GLC_U64, on PTX.
 *  - cpu (the kind is GLACIER_TARGET_KIND_COUNT): Div, Rem, Shl, Shr and Cvt have the language's
 *    meaning whatever the operands, and .approx is gone; ids but WorkgroupSize and GlobalSize stay.
 *  - a Phi behind Loop has arg[1] == GLC_NO_VALUE only when control never goes back.
 */
#ifndef GLC_IR_LOWER_H
#define GLC_IR_LOWER_H

#include <glacier/target.h>

#include "base/diag.h"
#include "ir/build.h"

/*
 * Whether glc_lower would change anything that matters: false only when every instruction
 * is one that the target has, and (when optimizing) every result is used. Looks once at each instruction.
 */
bool glc_needs_lowering(const struct glc_ir *ir, const struct glacier_target *target, bool optimize,
			struct glacier_memory *memory);

/* Optimized: -O1. Unrolled: loops are copied as well (unroll.h), for targets whose compilers gain by it. */
enum glc_lowering { GLC_LOWER_PLAIN, GLC_LOWER_OPTIMIZED, GLC_LOWER_UNROLLED };

static inline enum glc_lowering glc_lowering_of(bool optimize, bool unrolls)
{
	return !optimize ? GLC_LOWER_PLAIN : unrolls ? GLC_LOWER_UNROLLED : GLC_LOWER_OPTIMIZED;
}

/*
 * Fills *out with new kernels and constants in `memory`; names and values are shared with `ir`.
 * GLACIER_ERR_UNSUPPORTED, with a diagnostic, for what the target refuses.
 */
enum glacier_status glc_lower(const struct glc_ir *ir, const struct glacier_target *target,
			      enum glc_lowering how, struct glacier_memory *memory, struct glc_ir *out,
			      struct glacier_diag *diag);

#endif
