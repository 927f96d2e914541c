/* SPDX-License-Identifier: MIT */
/* Arms that join and arms that leave, Return, dead code, definite assignment. */
#include "shapes.h"

static uint32_t choose(uint32_t x)
{
	return x < 5 ? x * 3 : x + 7;
}

static uint32_t first_only(uint32_t x)
{
	return x < 5 ? x + 100 : x;
}

static uint32_t second_only(uint32_t x)
{
	return x < 5 ? x : x + 100;
}

static uint32_t both_leave(uint32_t x)
{
	return x < 5 ? 1 : 2;
}

static uint32_t one_leaves(uint32_t x)
{
	return x < 5 ? UNTOUCHED : x;
}

static uint32_t phi_parents(uint32_t x)
{
	uint32_t r = 0;

	if (x < 20) {
		if (x & 1) {
			r = x & 2 ? 10 : 20;
		} else {
			for (uint32_t k = x; k; k >>= 1)
				r += k & 1;
		}
		r = r * 2 + (x > 7 ? 1 : 0);
	} else {
		r = x > 30 ? 3 : 4;
	}
	return r;
}

static uint32_t cascade(uint32_t x)
{
	return x == 0 ? 11 : x == 1 ? 22 : x == 2 ? 33 : x == 3 ? 44 : x < 10 ? 55 : 66;
}

static uint32_t deep_return(uint32_t x)
{
	if (x & 1) {
		if (x & 2)
			return x & 4 ? 1 : 2;
		if (x & 8)
			return 3;
	} else if (x & 4) {
		return 4;
	}
	return 5;
}

static uint32_t wide_phis(uint32_t x)
{
	uint64_t w = x < 8 ? UINT64_C(0x100000000) + x : UINT64_C(0xfedcba9876543210);
	float f = x < 8 ? 1.5f : (float)(x & 255);
	double d = x < 8 ? (double)(x + 1) : -0.5;
	int p = x < 8 ? (x & 1) != 0 : x < 16;

	return (uint32_t)(w >> 32) + (uint32_t)w + (uint32_t)(f * 4) + (uint32_t)(int32_t)(d * 2) + (p ? 1000 : 0);
}

static uint32_t swap_in_arm(uint32_t x)
{
	uint32_t a = x * 3, b = x + 50;

	return x & 1 ? b * 1000 + a : a * 1000 + b;
}

static uint32_t after_return(uint32_t x)
{
	return x + 1;
}

static uint32_t assigned_before_leaving(uint32_t x)
{
	return x > 3 ? UNTOUCHED : x * 2;
}

static uint32_t overwritten(uint32_t x)
{
	return x < 5 ? 3 : 2;
}

static uint32_t never(uint32_t x)
{
	return x;
}

static uint32_t known_conditions(uint32_t x)
{
	return x + 1 + 20 + 300;
}

const struct shape if_shapes[] = {
	{"choose", "",
	 "  %c = Lt.u32 %x, 5\n"
	 "  if %c {\n    %r = Mul.u32 %x, 3\n  } else {\n    %r = Add.u32 %x, 7\n  }\n" STORE_R, choose},
	{"first_only", "",
	 "  %c = Lt.u32 %x, 5\n  %r = Mov.u32 %x\n"
	 "  if %c {\n    %r = Add.u32 %r, 100\n  }\n" STORE_R, first_only},
	{"second_only", "",
	 "  %c = Lt.u32 %x, 5\n  %r = Mov.u32 %x\n"
	 "  if %c {\n  } else {\n    %r = Add.u32 %r, 100\n  }\n" STORE_R, second_only},
	{"both_leave", "",
	 "  %c = Lt.u32 %x, 5\n"
	 "  if %c {\n    StoreGlobal.u32 @out, %i, 1\n    Return\n"
	 "  } else {\n    StoreGlobal.u32 @out, %i, 2\n    Return\n  }\n", both_leave},
	{"both_leave_inside", "",
	 "  %always = Ge.u32 %x, 0\n  %c = Lt.u32 %x, 5\n"
	 "  if %always {\n"
	 "    if %c { \n      StoreGlobal.u32 @out, %i, 1\n      Return\n"
	 "    } else {\n      StoreGlobal.u32 @out, %i, 2\n      Return\n    }\n"
	 "  }\n  Return\n", both_leave},
	{"first_leaves", "",
	 "  %c = Lt.u32 %x, 5\n  if %c { Return }\n  StoreGlobal.u32 @out, %i, %x\n  Return\n", one_leaves},
	{"second_leaves", "",
	 "  %c = Ge.u32 %x, 5\n  if %c {\n    %r = Mov.u32 %x\n  } else { Return }\n" STORE_R, one_leaves},
	{"phi_parents", "",
	 "  %r = Mov.u32 0\n  %low = Lt.u32 %x, 20\n  %b = And.u32 %x, 1\n  %odd = Ne.u32 %b, 0\n"
	 "  if %low {\n"
	 "    if %odd {\n"
	 "      %b = And.u32 %x, 2\n      %two = Ne.u32 %b, 0\n"
	 "      if %two {\n        %r = Mov.u32 10\n      } else {\n        %r = Mov.u32 20\n      }\n"
	 "    } else {\n"
	 "      %k = Mov.u32 %x\n"
	 "      loop {\n"
	 "        %z = Eq.u32 %k, 0\n        break_if %z\n"
	 "        %b = And.u32 %k, 1\n        %r = Add.u32 %r, %b\n        %k = Shr.u32 %k, 1\n"
	 "      }\n"
	 "    }\n"
	 "    %r = Mul.u32 %r, 2\n    %more = Gt.u32 %x, 7\n"
	 "    if %more {\n      %r = Add.u32 %r, 1\n    }\n"
	 "  } else {\n"
	 "    %high = Gt.u32 %x, 30\n"
	 "    if %high {\n      %r = Mov.u32 3\n    } else {\n      %r = Mov.u32 4\n    }\n"
	 "  }\n" STORE_R, phi_parents},
	{"cascade", "",
	 "  %c = Eq.u32 %x, 0\n  if %c {\n    %r = Mov.u32 11\n  } else {\n"
	 "    %c = Eq.u32 %x, 1\n    if %c {\n      %r = Mov.u32 22\n    } else {\n"
	 "      %c = Eq.u32 %x, 2\n      if %c {\n        %r = Mov.u32 33\n      } else {\n"
	 "        %c = Eq.u32 %x, 3\n        if %c {\n          %r = Mov.u32 44\n        } else {\n"
	 "          %c = Lt.u32 %x, 10\n          if %c {\n            %r = Mov.u32 55\n"
	 "          } else {\n            %r = Mov.u32 66\n          }\n        }\n      }\n    }\n  }\n" STORE_R,
	 cascade},
	{"deep_return", "",
	 "  %b0 = And.u32 %x, 1\n  %p0 = Ne.u32 %b0, 0\n  %b1 = And.u32 %x, 2\n  %p1 = Ne.u32 %b1, 0\n"
	 "  %b2 = And.u32 %x, 4\n  %p2 = Ne.u32 %b2, 0\n  %b3 = And.u32 %x, 8\n  %p3 = Ne.u32 %b3, 0\n"
	 "  if %p0 {\n"
	 "    if %p1 {\n"
	 "      if %p2 {\n        StoreGlobal.u32 @out, %i, 1\n        Return\n"
	 "      } else {\n        StoreGlobal.u32 @out, %i, 2\n        Return\n      }\n"
	 "    }\n"
	 "    if %p3 {\n      StoreGlobal.u32 @out, %i, 3\n      Return\n    }\n"
	 "  } else {\n"
	 "    if %p2 {\n      StoreGlobal.u32 @out, %i, 4\n      Return\n    }\n"
	 "  }\n"
	 "  StoreGlobal.u32 @out, %i, 5\n  Return\n", deep_return},
	{"wide_phis", "",
	 "  %c = Lt.u32 %x, 8\n"
	 "  if %c {\n"
	 "    %w = Cvt.u64.u32 %x\n    %w = Add.u64 %w, 0x100000000\n    %f = Mov.f32 1.5\n"
	 "    %d0 = Add.u32 %x, 1\n    %d = Cvt.f64.u32 %d0\n    %b = And.u32 %x, 1\n    %p = Ne.u32 %b, 0\n"
	 "  } else {\n"
	 "    %w = Mov.u64 0xfedcba9876543210\n    %b = And.u32 %x, 255\n    %f = Cvt.f32.u32 %b\n"
	 "    %d = Mov.f64 -0.5\n    %p = Lt.u32 %x, 16\n"
	 "  }\n"
	 "  %h = Shr.u64 %w, 32\n  %r = Cvt.u32.u64 %h\n  %l = Cvt.u32.u64 %w\n  %r = Add.u32 %r, %l\n"
	 "  %f = Mul.f32 %f, 4\n  %l = Cvt.u32.f32 %f\n  %r = Add.u32 %r, %l\n"
	 "  %d = Mul.f64 %d, 2\n  %n = Cvt.i32.f64 %d\n  %l = Bitcast.u32.i32 %n\n  %r = Add.u32 %r, %l\n"
	 "  %l = Select.u32 %p, 1000, 0\n  %r = Add.u32 %r, %l\n" STORE_R, wide_phis},
	{"swap_in_arm", "",
	 "  %a = Mul.u32 %x, 3\n  %b = Add.u32 %x, 50\n  %t = And.u32 %x, 1\n  %odd = Ne.u32 %t, 0\n"
	 "  if %odd {\n    %t = Mov.u32 %a\n    %a = Mov.u32 %b\n    %b = Mov.u32 %t\n  }\n"
	 "  %r = Mul.u32 %a, 1000\n  %r = Add.u32 %r, %b\n" STORE_R, swap_in_arm},
	{"after_return", "",
	 "  %r = Add.u32 %x, 1\n  StoreGlobal.u32 @out, %i, %r\n  Return\n"
	 "  %q = Add.u32 %never, 1\n  StoreGlobal.u32 @out, %i, 99\n  loop {\n    %q = Add.u32 %q, 1\n  }\n",
	 after_return},
	{"dead_in_arm", "",
	 "  %r = Add.u32 %x, 1\n  %c = Lt.u32 %x, 5\n"
	 "  if %c {\n    StoreGlobal.u32 @out, %i, %r\n    Return\n    %r = Mov.u32 77\n"
	 "    StoreGlobal.u32 @out, %i, 78\n  }\n" STORE_R, after_return},
	{"assigned_before_leaving", "",
	 "  %c = Gt.u32 %x, 3\n  if %c {\n    Return\n  } else {\n    %r = Mul.u32 %x, 2\n  }\n" STORE_R,
	 assigned_before_leaving},
	{"overwritten", "",
	 "  %c = Lt.u32 %x, 5\n  %r = Mov.u32 1\n"
	 "  if %c {\n    %r = Mov.u32 2\n    %r = Mov.u32 3\n  } else {\n    %r = Add.u32 %r, 1\n  }\n" STORE_R,
	 overwritten},
	{"never_taken_loop", "",
	 "  %r = Mov.u32 %x\n  %c = Lt.u32 %x, 0\n  if %c {\n    loop {\n      %r = Add.u32 %r, 1\n    }\n  }\n" STORE_R,
	 never},
	{"known_conditions", "",
	 "  %r = Mov.u32 %x\n"
	 "  if true {\n    %r = Add.u32 %r, 1\n  } else {\n    %r = Add.u32 %r, 2\n  }\n"
	 "  %c = Lt.u32 7, 3\n"
	 "  if %c {\n    %r = Add.u32 %r, 10\n  } else {\n    %r = Add.u32 %r, 20\n  }\n"
	 "  if false {\n    %r = Add.u32 %r, 100\n    Return\n  } else {\n    %r = Add.u32 %r, 300\n  }\n" STORE_R,
	 known_conditions},
};
const unsigned if_shape_count = sizeof if_shapes / sizeof if_shapes[0];
