/* SPDX-License-Identifier: MIT */
/* for: steps of both signs, the ends of the types, no rounds, continue, unroll, constants. */
#include "shapes.h"

static uint32_t bounded(uint32_t x)
{
	return x & 15;
}

static uint32_t up(uint32_t x)
{
	uint32_t r = 0;

	for (uint32_t k = 0; k < bounded(x); k++)
		r = r * 3 + k;
	return r;
}

static uint32_t up_by_three(uint32_t x)
{
	uint32_t r = 0;

	for (uint32_t k = 2; k < bounded(x) + 5; k += 3)
		r = r * 31 + k;
	return r;
}

static uint32_t down(uint32_t x)
{
	uint32_t r = 0;

	for (int32_t k = (int32_t)bounded(x); k > -4; k -= 2)
		r = r * 31 + (uint32_t)k;
	return r;
}

static uint32_t near_end(uint32_t x)
{
	uint32_t r = 0;

	/* The next of 0xfffffffe would wrap to 5. */
	for (uint64_t k = 0xfffffff0 + (bounded(x) & 7); k < 0xffffffff; k += 7)
		r = r * 31 + (uint32_t)k;
	return r;
}

static uint32_t near_signed_end(uint32_t x)
{
	uint32_t r = 0;

	for (int64_t k = INT64_C(0x7ffffff0) + (bounded(x) & 7); k < 0x7fffffff; k += 5)
		r = r * 31 + (uint32_t)k;
	return r;
}

static uint32_t down_to_signed_end(uint32_t x)
{
	uint32_t r = 0;

	for (int64_t k = -INT64_C(0x7ffffff0) - (bounded(x) & 7); k > -INT64_C(0x80000000); k -= 6)
		r = r * 31 + (uint32_t)k;
	return r;
}

static uint32_t whole_range(uint32_t x)
{
	/* MIN to MAX by 2^31 - 1: three rounds, the distances only fit unsigned. */
	(void)x;
	return ((0x80000000u * 31 + 0xffffffffu) * 31) + 0x7ffffffeu;
}

static uint32_t near_end_64(uint32_t x)
{
	uint32_t r = 0;

	for (unsigned __int128 k = UINT64_C(0xfffffffffffffff0) + (bounded(x) & 7); k < UINT64_MAX; k += 9)
		r = r * 31 + (uint32_t)(k >> 32) + (uint32_t)k;
	return r;
}

static uint32_t down_64(uint32_t x)
{
	uint32_t r = 0;

	for (int64_t k = (int64_t)bounded(x) * 0x100000000; k > -0x100000001; k -= 0x80000000)
		r = r * 31 + (uint32_t)(uint64_t)(k >> 32) + (uint32_t)(uint64_t)k;
	return r;
}

static uint32_t no_rounds(uint32_t x)
{
	return x + 5;
}

static uint32_t read_once(uint32_t x)
{
	return bounded(x) * 101;
}

static uint32_t continues(uint32_t x)
{
	uint32_t r = 0;

	for (uint32_t k = 0; k < bounded(x); k++) {
		if (k % 3 == 1)
			continue;
		if (k == 7)
			continue;
		r = r * 5 + k;
	}
	return r;
}

static uint32_t breaks(uint32_t x)
{
	uint32_t r = 1000;

	for (uint32_t k = 0; k < 12; k++) {
		if (k == bounded(x))
			break;
		r += k;
		if (r > 1040) {
			r *= 2;
			break;
		}
	}
	return r;
}

static uint32_t returns(uint32_t x)
{
	for (uint32_t k = 0; k < 10; k++)
		if (k * k > bounded(x) * 3)
			return k * 10;
	return UNTOUCHED;
}

static uint32_t always_leaves(uint32_t x)
{
	return bounded(x) ? 7 + x : x;
}

static uint32_t body_returns(uint32_t x)
{
	return bounded(x) ? 1 : 2;
}

static uint32_t triangle(uint32_t x)
{
	uint32_t r = 0;

	for (uint32_t i = 0; i < bounded(x); i++)
		for (uint32_t j = i; j < bounded(x); j++) {
			if ((i ^ j) == 3)
				continue;
			if (r > 5000)
				break;
			r += i * j + 1;
		}
	return r;
}

static uint32_t unrolled(uint32_t x)
{
	uint32_t r = x;

	for (uint32_t k = 3; k < 12; k += 2)
		r = r * 31 + k;
	return r;
}

static uint32_t unrolled_down(uint32_t x)
{
	uint32_t r = x;

	for (int32_t k = 3; k > -5; k -= 3)
		r = r * 31 + (uint32_t)k;
	return r;
}

static uint32_t unrolled_break(uint32_t x)
{
	uint32_t r = 0;

	for (uint32_t k = 0; k < 9; k++) {
		if (k == bounded(x))
			break;
		if (k & 1)
			continue;
		r = r * 10 + k + 1;
	}
	return r;
}

static uint32_t unrolled_nest(uint32_t x)
{
	uint32_t r = 0;

	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t j = 0; j < 4; j++) {
			if (j > i)
				break;
			if (((x >> i) & 1) == (j & 1))
				continue;
			r += 1u << (i * 4 + j);
		}
	return r;
}

static uint32_t unrolled_return(uint32_t x)
{
	for (uint32_t k = 0; k < 6; k++)
		if (k == bounded(x))
			return k + 40;
	return 6;
}

static uint32_t unrolled_in_loop(uint32_t x)
{
	uint32_t a = x, b = 1;

	for (uint32_t i = 0; i < bounded(x); i++)
		for (uint32_t k = 0; k < 3; k++) {
			uint32_t t = a + b * k;

			a = b;
			b = t;
		}
	return a ^ b;
}

static uint32_t many_copies(uint32_t x)
{
	return x + 1024 * 1023 / 2;
}

static uint32_t by_constant(uint32_t x)
{
	uint32_t r = 0;

	for (uint32_t k = 1; k < bounded(x) + 4; k += 3)
		r = r * 31 + k;
	return r;
}

static uint32_t down_by_constant(uint32_t x)
{
	uint32_t r = 0;

	for (int32_t k = (int32_t)bounded(x); k > -5; k -= 2)
		r = r * 31 + (uint32_t)k;
	return r;
}

static uint32_t last_values(uint32_t x)
{
	uint32_t a = 1, b = 2;

	for (uint32_t k = 0; k < bounded(x); k++) {
		uint32_t t = a;

		a = b + k;
		b = t;
	}
	return a * 1000 + b;
}

#define R_STEP "    %r = Mul.u32 %r, 31\n    %r = Add.u32 %r, %k\n"
#define R_STEP_SIGNED "    %q = Bitcast.u32.i32 %k\n    %r = Mul.u32 %r, 31\n    %r = Add.u32 %r, %q\n"
#define R_STEP_WIDE(type) \
	"    %h = Shr." type " %k, 32\n    %h0 = Cvt.u32." type " %h\n    %l = Cvt.u32." type " %k\n" \
	"    %r = Mul.u32 %r, 31\n    %r = Add.u32 %r, %h0\n    %r = Add.u32 %r, %l\n"
#define BOUND "  %n = And.u32 %x, 15\n"
#define ZERO_R "  %r = Mov.u32 0\n"

const struct shape for_shapes[] = {
	{"up", "", BOUND ZERO_R
	 "  for %k.u32 = 0, %n {\n    %r = Mul.u32 %r, 3\n    %r = Add.u32 %r, %k\n  }\n" STORE_R, up},
	{"up_by_three", "", BOUND ZERO_R
	 "  %n = Add.u32 %n, 5\n  for %k.u32 = 2, %n, 3 {\n" R_STEP "  }\n" STORE_R, up_by_three},
	{"down", "", BOUND ZERO_R
	 "  %m = Bitcast.i32.u32 %n\n  for %k.i32 = %m, -4, -2 {\n" R_STEP_SIGNED "  }\n" STORE_R, down},
	{"near_end", "", ZERO_R
	 "  %n = And.u32 %x, 7\n  %n = Add.u32 %n, 0xfffffff0\n  for %k.u32 = %n, 0xffffffff, 7 {\n" R_STEP "  }\n" STORE_R,
	 near_end},
	{"near_signed_end", "", ZERO_R
	 "  %n = And.u32 %x, 7\n  %n = Add.u32 %n, 0x7ffffff0\n  %m = Bitcast.i32.u32 %n\n"
	 "  for %k.i32 = %m, 0x7fffffff, 5 {\n" R_STEP_SIGNED "  }\n" STORE_R, near_signed_end},
	{"down_to_signed_end", "", ZERO_R
	 "  %n = And.u32 %x, 7\n  %n = Sub.u32 0x80000010, %n\n  %m = Bitcast.i32.u32 %n\n"
	 "  for %k.i32 = %m, -2147483648, -6 {\n" R_STEP_SIGNED "  }\n" STORE_R, down_to_signed_end},
	{"whole_range", "", ZERO_R
	 "  for %k.i32 = -2147483648, 2147483647, 2147483647 {\n" R_STEP_SIGNED "  }\n" STORE_R, whole_range},
	{"near_end_64", "", ZERO_R
	 "  %n = And.u32 %x, 7\n  %m = Cvt.u64.u32 %n\n  %m = Add.u64 %m, 0xfffffffffffffff0\n"
	 "  for %k.u64 = %m, 0xffffffffffffffff, 9 {\n" R_STEP_WIDE("u64") "  }\n" STORE_R, near_end_64},
	{"down_64", "", BOUND ZERO_R
	 "  %m = Cvt.i64.u32 %n\n  %m = Mul.i64 %m, 0x100000000\n"
	 "  for %k.i64 = %m, -4294967297, -2147483648 {\n" R_STEP_WIDE("i64") "  }\n" STORE_R, down_64},
	{"no_rounds", "",
	 "  %r = Add.u32 %x, 5\n  %big = Or.u32 %x, 64\n"
	 "  for %k.u32 = %big, 10 {\n    %r = Mov.u32 1\n  }\n"
	 "  for %k.u32 = %big, %big {\n    %r = Mov.u32 2\n  }\n"
	 "  for %j.i32 = -5, 5, -1 {\n    %r = Mov.u32 3\n  }\n"
	 "  for %j.i32 = 5, 5, -1 {\n    %r = Mov.u32 4\n  }\n"
	 "  for %j.i32 = 7, 5, 1 {\n    %r = Mov.u32 5\n  }\n" STORE_R, no_rounds},
	{"read_once", "", BOUND ZERO_R
	 "  %a = Mov.u32 0\n  for %k.u32 = %a, %n {\n    %n = Add.u32 %n, 10\n    %a = Add.u32 %a, 1\n    %r = Add.u32 %r, 101\n  }\n"
	 STORE_R, read_once},
	{"continues", "", BOUND ZERO_R
	 "  for %k.u32 = 0, %n {\n    %m = Rem.u32 %k, 3\n    %c = Eq.u32 %m, 1\n    continue_if %c\n"
	 "    %c = Eq.u32 %k, 7\n    if %c { continue }\n    %r = Mul.u32 %r, 5\n    %r = Add.u32 %r, %k\n  }\n" STORE_R,
	 continues},
	{"breaks", "", BOUND
	 "  %r = Mov.u32 1000\n"
	 "  for %k.u32 = 0, 12 {\n    %c = Eq.u32 %k, %n\n    break_if %c\n    %r = Add.u32 %r, %k\n"
	 "    %c = Gt.u32 %r, 1040\n    if %c {\n      %r = Mul.u32 %r, 2\n      break\n    }\n  }\n" STORE_R, breaks},
	{"returns", "", BOUND
	 "  %n = Mul.u32 %n, 3\n"
	 "  for %k.u32 = 0, 10 {\n    %q = Mul.u32 %k, %k\n    %c = Gt.u32 %q, %n\n"
	 "    if %c {\n      %r = Mul.u32 %k, 10\n      StoreGlobal.u32 @out, %i, %r\n      Return\n    }\n  }\n  Return\n",
	 returns},
	{"always_leaves", "", BOUND
	 "  %r = Mov.u32 %x\n  for %k.u32 = 0, %n {\n    %r = Add.u32 %x, 7\n    break\n  }\n" STORE_R, always_leaves},
	{"body_returns", "", BOUND
	 "  for %k.u32 = 0, %n {\n    StoreGlobal.u32 @out, %i, 1\n    Return\n  }\n  StoreGlobal.u32 @out, %i, 2\n",
	 body_returns},
	{"triangle", "", BOUND ZERO_R
	 "  for %a.u32 = 0, %n {\n    for %b.u32 = %a, %n {\n"
	 "      %t = Xor.u32 %a, %b\n      %c = Eq.u32 %t, 3\n      continue_if %c\n"
	 "      %c = Gt.u32 %r, 5000\n      break_if %c\n"
	 "      %t = Mul.u32 %a, %b\n      %t = Add.u32 %t, 1\n      %r = Add.u32 %r, %t\n    }\n  }\n" STORE_R, triangle},
	{"unrolled", "",
	 "  %r = Mov.u32 %x\n  for %k.u32 = 3, 12, 2 unroll {\n" R_STEP "  }\n" STORE_R, unrolled},
	{"unrolled_down", "",
	 "  %r = Mov.u32 %x\n  for %k.i32 = 3, -5, -3 unroll {\n" R_STEP_SIGNED "  }\n" STORE_R, unrolled_down},
	{"unrolled_break", "", BOUND ZERO_R
	 "  for %k.u32 = 0, 9 unroll {\n    %c = Eq.u32 %k, %n\n    break_if %c\n"
	 "    %b = And.u32 %k, 1\n    %odd = Ne.u32 %b, 0\n    continue_if %odd\n"
	 "    %r = Mul.u32 %r, 10\n    %t = Add.u32 %k, 1\n    %r = Add.u32 %r, %t\n  }\n" STORE_R, unrolled_break},
	{"unrolled_nest", "", ZERO_R
	 "  for %a.u32 = 0, 4 unroll {\n    for %b.u32 = 0, 4 unroll {\n"
	 "      %c = Gt.u32 %b, %a\n      if %c { break }\n"
	 "      %s = Shr.u32 %x, %a\n      %s = And.u32 %s, 1\n      %t = And.u32 %b, 1\n      %c = Eq.u32 %s, %t\n"
	 "      continue_if %c\n"
	 "      %t = Mul.u32 %a, 4\n      %t = Add.u32 %t, %b\n      %t = Shl.u32 1, %t\n      %r = Add.u32 %r, %t\n    }\n  }\n"
	 STORE_R, unrolled_nest},
	{"unrolled_return", "", BOUND
	 "  for %k.u32 = 0, 6 unroll {\n    %c = Eq.u32 %k, %n\n"
	 "    if %c {\n      %r = Add.u32 %k, 40\n      StoreGlobal.u32 @out, %i, %r\n      Return\n    }\n  }\n"
	 "  StoreGlobal.u32 @out, %i, 6\n", unrolled_return},
	{"unrolled_in_loop", "", BOUND
	 "  %a = Mov.u32 %x\n  %b = Mov.u32 1\n"
	 "  for %j.u32 = 0, %n {\n    for %k.u32 = 0, 3 unroll {\n"
	 "      %t = Mul.u32 %b, %k\n      %t = Add.u32 %a, %t\n      %a = Mov.u32 %b\n      %b = Mov.u32 %t\n    }\n  }\n"
	 "  %r = Xor.u32 %a, %b\n" STORE_R, unrolled_in_loop},
	{"unrolled_never", "",
	 "  %r = Add.u32 %x, 5\n  for %k.u32 = 7, 7 unroll {\n    %r = Mov.u32 0\n  }\n" STORE_R, no_rounds},
	{"many_copies", "",
	 "  %r = Mov.u32 %x\n  for %k.u32 = 0, 1024 unroll {\n    %r = Add.u32 %r, %k\n  }\n" STORE_R, many_copies},
	{"by_constant", ", @S: spec u32 = 3", BOUND ZERO_R
	 "  %n = Add.u32 %n, 4\n  for %k.u32 = 1, %n, @S {\n" R_STEP "  }\n" STORE_R, by_constant},
	{"down_by_constant", ", @S: spec i32 = -2", BOUND ZERO_R
	 "  %m = Bitcast.i32.u32 %n\n  for %k.i32 = %m, -5, @S {\n" R_STEP_SIGNED "  }\n" STORE_R, down_by_constant},
	{"last_values", "", BOUND
	 "  %a = Mov.u32 1\n  %b = Mov.u32 2\n"
	 "  for %k.u32 = 0, %n {\n    %t = Mov.u32 %a\n    %a = Add.u32 %b, %k\n    %b = Mov.u32 %t\n  }\n"
	 "  %r = Mul.u32 %a, 1000\n  %r = Add.u32 %r, %b\n" STORE_R, last_values},
};
const unsigned for_shape_count = sizeof for_shapes / sizeof for_shapes[0];
