/* SPDX-License-Identifier: MIT */
/* loop: left in every way, or not at all; what its registers carry. */
#include "shapes.h"

static uint32_t bounded(uint32_t x)
{
	return x & 15;
}

static uint32_t without_break(uint32_t x)
{
	uint32_t k = 1;

	while (k <= bounded(x))
		k *= 2;
	return k;
}

static uint32_t always_leaves(uint32_t x)
{
	return x * 2 + 5;
}

static uint32_t both_break(uint32_t x)
{
	return x < 5 ? x + 1 : x + 2;
}

static uint32_t count_up(uint32_t x)
{
	return bounded(x) + 1;
}

static uint32_t fibonacci(uint32_t x)
{
	uint32_t a = 0, b = 1;

	for (uint32_t k = 0; k < bounded(x); k++) {
		uint32_t t = a + b;

		a = b;
		b = t;
	}
	return a;
}

static uint32_t rotate(uint32_t x)
{
	uint32_t v[3] = {1, 20, 300}, n = bounded(x) % 3;

	return v[n] * 1000000 + v[(n + 1) % 3] * 1000 + v[(n + 2) % 3];
}

static uint32_t swap(uint32_t x)
{
	return x & 1 ? 20 * 1000 + 10 : 10 * 1000 + 20;
}

static uint32_t breaks_and_continues(uint32_t x)
{
	uint32_t k = 0, sum = 0, step;

	x = bounded(x);
	for (;; k += step) {
		step = 1;
		if (k > 100)
			return sum * 4 + 1;
		if (k % 3 == 0) {
			step = 2;
			continue;
		}
		if (sum > 50 + x)
			return k * 4 + 2;
		if (k % 7 == 6)
			continue;
		sum += k;
	}
}

static uint32_t nested(uint32_t x)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < bounded(x); i++) {
		for (uint32_t j = 0;; j++) {
			if (j == 7)
				break;
			if (j == i)
				continue;
			if (sum > 90)
				break;
			sum += i * j;
		}
		if (sum > 200)
			break;
		if (i == 3)
			continue;
		sum++;
	}
	return sum;
}

static uint32_t return_from_depth(uint32_t x)
{
	for (uint32_t i = 0; i < 5; i++)
		for (uint32_t j = 0; j < 5; j++)
			if (i * 5 + j == bounded(x) + 3)
				return i * 100 + j;
	return 7777;
}

static uint32_t old_and_new(uint32_t x)
{
	uint32_t k = 0, before = 0;

	do {
		before = k;
		k += 3;
	} while (k <= bounded(x));
	return before * 1000 + k;
}

static uint32_t written_by_breaks(uint32_t x)
{
	x = bounded(x);
	return x == 0 ? 100 : x < 4 ? 200 + x : 300;
}

static uint32_t kept_in_arm(uint32_t x)
{
	uint32_t last = 99, k = 0;

	for (; k < bounded(x); k++)
		if (k & 1)
			last = k;
	return last * 100 + k;
}

static uint32_t mixed_carry(uint32_t x)
{
	uint64_t w = 1;
	double d = 1;
	int p = 0;

	for (uint32_t k = 0; k < bounded(x); k++) {
		w = w * 6364136223846793005u + 1442695040888963407u;
		d = d * 1.5 + 0.25;
		p = !p;
	}
	return (uint32_t)(w >> 32) ^ (uint32_t)(int32_t)(d * 4) ^ (p ? 0x80000000u : 0);
}

static uint32_t collatz(uint32_t x)
{
	uint32_t n = bounded(x) + 1, steps = 0;

	while (n != 1) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

static uint32_t in_sequence(uint32_t x)
{
	uint32_t r = 0, n = bounded(x);

	for (uint32_t k = 0; k < n; k++)
		r += k;
	for (uint32_t k = n; k; k--)
		r = r * 3 + k;
	return r;
}

static uint32_t only_continues(uint32_t x)
{
	return bounded(x) * 2;
}

static uint32_t inner_always_leaves(uint32_t x)
{
	return bounded(x) * 5;
}

const struct shape loop_shapes[] = {
	{"without_break", "",
	 "  %n = And.u32 %x, 15\n  %k = Mov.u32 1\n"
	 "  loop {\n    %c = Gt.u32 %k, %n\n"
	 "    if %c {\n      StoreGlobal.u32 @out, %i, %k\n      Return\n    }\n"
	 "    %k = Mul.u32 %k, 2\n  }\n", without_break},
	{"always_leaves", "",
	 "  %k = Mov.u32 5\n"
	 "  loop {\n    %t = Mul.u32 %x, 2\n    %r = Add.u32 %k, %t\n    %k = Mov.u32 %r\n    break\n  }\n" STORE_R,
	 always_leaves},
	{"both_break", "",
	 "  %c = Lt.u32 %x, 5\n"
	 "  loop {\n    if %c {\n      %r = Add.u32 %x, 1\n      break\n"
	 "    } else {\n      %r = Add.u32 %x, 2\n      break\n    }\n  }\n" STORE_R, both_break},
	{"both_break_in_rounds", "",
	 "  %n = And.u32 %x, 15\n  %k = Mov.u32 0\n"
	 "  loop {\n    %k = Add.u32 %k, 1\n    %c = Gt.u32 %k, %n\n"
	 "    if %c { break } else { continue }\n  }\n  %r = Mov.u32 %k\n" STORE_R, count_up},
	{"dead_after_break", "",
	 "  %n = And.u32 %x, 15\n  %k = Mov.u32 0\n"
	 "  loop {\n    %k = Add.u32 %k, 1\n    %c = Gt.u32 %k, %n\n"
	 "    if %c {\n      break\n      %k = Mov.u32 1000\n    }\n    continue\n    %k = Mov.u32 2000\n  }\n"
	 "  %r = Mov.u32 %k\n" STORE_R, count_up},
	{"fibonacci", "",
	 "  %n = And.u32 %x, 15\n  %k = Mov.u32 0\n  %a = Mov.u32 0\n  %b = Mov.u32 1\n"
	 "  loop {\n    %c = Ge.u32 %k, %n\n    break_if %c\n"
	 "    %t = Add.u32 %a, %b\n    %a = Mov.u32 %b\n    %b = Mov.u32 %t\n    %k = Add.u32 %k, 1\n  }\n"
	 "  %r = Mov.u32 %a\n" STORE_R, fibonacci},
	{"rotate", "",
	 "  %n = And.u32 %x, 15\n  %n = Rem.u32 %n, 3\n  %k = Mov.u32 0\n"
	 "  %a = Mov.u32 1\n  %b = Mov.u32 20\n  %d = Mov.u32 300\n"
	 "  loop {\n    %c = Ge.u32 %k, %n\n    break_if %c\n"
	 "    %t = Mov.u32 %a\n    %a = Mov.u32 %b\n    %b = Mov.u32 %d\n    %d = Mov.u32 %t\n    %k = Add.u32 %k, 1\n  }\n"
	 "  %r = Mul.u32 %a, 1000000\n  %b = Mul.u32 %b, 1000\n  %r = Add.u32 %r, %b\n  %r = Add.u32 %r, %d\n" STORE_R,
	 rotate},
	{"swap", "",
	 "  %n = And.u32 %x, 15\n  %k = Mov.u32 0\n  %a = Mov.u32 10\n  %b = Mov.u32 20\n"
	 "  loop {\n    %c = Ge.u32 %k, %n\n    break_if %c\n"
	 "    %t = Mov.u32 %a\n    %a = Mov.u32 %b\n    %b = Mov.u32 %t\n    %k = Add.u32 %k, 1\n  }\n"
	 "  %r = Mul.u32 %a, 1000\n  %r = Add.u32 %r, %b\n" STORE_R, swap},
	{"breaks_and_continues", "",
	 "  %n = And.u32 %x, 15\n  %limit = Add.u32 %n, 50\n  %k = Mov.u32 0\n  %sum = Mov.u32 0\n  %step = Mov.u32 0\n"
	 "  loop {\n"
	 "    %k = Add.u32 %k, %step\n    %step = Mov.u32 1\n"
	 "    %c = Gt.u32 %k, 100\n"
	 "    if %c {\n      %r = Mul.u32 %sum, 4\n      %r = Add.u32 %r, 1\n      break\n    }\n"
	 "    %m = Rem.u32 %k, 3\n    %c = Eq.u32 %m, 0\n"
	 "    if %c {\n      %step = Mov.u32 2\n      continue\n    }\n"
	 "    %c = Gt.u32 %sum, %limit\n"
	 "    if %c {\n      %r = Mul.u32 %k, 4\n      %r = Add.u32 %r, 2\n      break\n    }\n"
	 "    %m = Rem.u32 %k, 7\n    %c = Eq.u32 %m, 6\n    continue_if %c\n"
	 "    %sum = Add.u32 %sum, %k\n"
	 "  }\n" STORE_R, breaks_and_continues},
	{"nested", "",
	 "  %n = And.u32 %x, 15\n  %sum = Mov.u32 0\n  %a = Mov.u32 0\n"
	 "  loop {\n"
	 "    %c = Ge.u32 %a, %n\n    break_if %c\n"
	 "    %j = Mov.u32 0\n    %first = Mov.bool true\n"
	 "    loop {\n"
	 "      if %first {\n        %first = Mov.bool false\n      } else {\n        %j = Add.u32 %j, 1\n      }\n"
	 "      %c = Eq.u32 %j, 7\n      break_if %c\n"
	 "      %c = Eq.u32 %j, %a\n      continue_if %c\n"
	 "      %c = Gt.u32 %sum, 90\n      if %c { break }\n"
	 "      %t = Mul.u32 %a, %j\n      %sum = Add.u32 %sum, %t\n"
	 "    }\n"
	 "    %c = Gt.u32 %sum, 200\n    break_if %c\n"
	 "    %c = Eq.u32 %a, 3\n    %a = Add.u32 %a, 1\n    continue_if %c\n"
	 "    %sum = Add.u32 %sum, 1\n"
	 "  }\n  %r = Mov.u32 %sum\n" STORE_R, nested},
	{"return_from_depth", "",
	 "  %n = And.u32 %x, 15\n  %n = Add.u32 %n, 3\n  %a = Mov.u32 0\n"
	 "  loop {\n    %c = Ge.u32 %a, 5\n    break_if %c\n    %b = Mov.u32 0\n"
	 "    loop {\n      %c = Ge.u32 %b, 5\n      break_if %c\n"
	 "      %t = Mul.u32 %a, 5\n      %t = Add.u32 %t, %b\n      %c = Eq.u32 %t, %n\n"
	 "      if %c {\n        %r = Mul.u32 %a, 100\n        %r = Add.u32 %r, %b\n"
	 "        StoreGlobal.u32 @out, %i, %r\n        Return\n      }\n"
	 "      %b = Add.u32 %b, 1\n    }\n"
	 "    %a = Add.u32 %a, 1\n  }\n"
	 "  StoreGlobal.u32 @out, %i, 7777\n", return_from_depth},
	{"old_and_new", "",
	 "  %n = And.u32 %x, 15\n  %k = Mov.u32 0\n"
	 "  loop {\n    %before = Mov.u32 %k\n    %k = Add.u32 %k, 3\n    %c = Gt.u32 %k, %n\n    break_if %c\n  }\n"
	 "  %r = Mul.u32 %before, 1000\n  %r = Add.u32 %r, %k\n" STORE_R, old_and_new},
	{"written_by_breaks", "",
	 "  %n = And.u32 %x, 15\n"
	 "  loop {\n"
	 "    %c = Eq.u32 %n, 0\n    if %c {\n      %r = Mov.u32 100\n      break\n    }\n"
	 "    %c = Lt.u32 %n, 4\n    if %c {\n      %r = Add.u32 %n, 200\n      break\n    }\n"
	 "    %r = Mov.u32 300\n    break\n"
	 "  }\n" STORE_R, written_by_breaks},
	{"kept_in_arm", "",
	 "  %n = And.u32 %x, 15\n  %k = Mov.u32 0\n  %last = Mov.u32 99\n"
	 "  loop {\n    %c = Ge.u32 %k, %n\n    break_if %c\n"
	 "    %b = And.u32 %k, 1\n    %odd = Ne.u32 %b, 0\n    if %odd {\n      %last = Mov.u32 %k\n    }\n"
	 "    %k = Add.u32 %k, 1\n  }\n"
	 "  %r = Mul.u32 %last, 100\n  %r = Add.u32 %r, %k\n" STORE_R, kept_in_arm},
	{"mixed_carry", "",
	 "  %n = And.u32 %x, 15\n  %k = Mov.u32 0\n  %w = Mov.u64 1\n  %d = Mov.f64 1\n  %p = Mov.bool false\n"
	 "  loop {\n    %c = Ge.u32 %k, %n\n    break_if %c\n"
	 "    %w = Mul.u64 %w, 6364136223846793005\n    %w = Add.u64 %w, 1442695040888963407\n"
	 "    %d = Mul.f64 %d, 1.5\n    %d = Add.f64 %d, 0.25\n    %p = Not.bool %p\n    %k = Add.u32 %k, 1\n  }\n"
	 "  %h = Shr.u64 %w, 32\n  %r = Cvt.u32.u64 %h\n  %d = Mul.f64 %d, 4\n  %s = Cvt.i32.f64 %d\n"
	 "  %t = Bitcast.u32.i32 %s\n  %r = Xor.u32 %r, %t\n  %t = Select.u32 %p, 0x80000000, 0\n"
	 "  %r = Xor.u32 %r, %t\n" STORE_R, mixed_carry},
	{"collatz", "",
	 "  %n = And.u32 %x, 15\n  %n = Add.u32 %n, 1\n  %r = Mov.u32 0\n"
	 "  loop {\n    %c = Eq.u32 %n, 1\n    if %c { break }\n"
	 "    %b = And.u32 %n, 1\n    %odd = Ne.u32 %b, 0\n"
	 "    if %odd {\n      %n = Mul.u32 %n, 3\n      %n = Add.u32 %n, 1\n"
	 "    } else {\n      %n = Div.u32 %n, 2\n    }\n"
	 "    %r = Add.u32 %r, 1\n  }\n" STORE_R, collatz},
	{"in_sequence", "",
	 "  %n = And.u32 %x, 15\n  %r = Mov.u32 0\n  %k = Mov.u32 0\n"
	 "  loop {\n    %c = Ge.u32 %k, %n\n    break_if %c\n    %r = Add.u32 %r, %k\n    %k = Add.u32 %k, 1\n  }\n"
	 "  loop {\n    %c = Eq.u32 %k, 0\n    break_if %c\n    %r = Mul.u32 %r, 3\n    %r = Add.u32 %r, %k\n"
	 "    %k = Sub.u32 %k, 1\n  }\n" STORE_R, in_sequence},
	{"only_continues", "",
	 "  %n = And.u32 %x, 15\n  %r = Mov.u32 0\n  %k = Mov.u32 0\n"
	 "  loop {\n    %c = Lt.u32 %k, %n\n"
	 "    if %c {\n      %k = Add.u32 %k, 1\n      %r = Add.u32 %r, 2\n      continue\n    }\n    break\n  }\n" STORE_R,
	 only_continues},
	{"inner_always_leaves", "",
	 "  %n = And.u32 %x, 15\n  %r = Mov.u32 0\n  %k = Mov.u32 0\n"
	 "  loop {\n    %c = Ge.u32 %k, %n\n    break_if %c\n    %k = Add.u32 %k, 1\n"
	 "    loop {\n      %r = Add.u32 %r, 5\n      break\n    }\n  }\n" STORE_R, inner_always_leaves},
};
const unsigned loop_shape_count = sizeof loop_shapes / sizeof loop_shapes[0];
