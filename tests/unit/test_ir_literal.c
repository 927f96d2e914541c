/* SPDX-License-Identifier: MIT */
#include "ir/tree.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static enum glc_literal_fault read_as(const char *text, enum glc_type type, uint64_t *bits)
{
	*bits = 0;
	return glc_literal_bits((struct glc_name){text, (uint32_t)strlen(text)}, type, bits);
}

/* strtof and strtod of the C locale round to nearest even, and are not ours. */
static void expect_number(const char *text)
{
	float single = strtof(text, NULL);
	double real = strtod(text, NULL);
	uint32_t low;
	uint64_t wide, bits;

	memcpy(&low, &single, sizeof low);
	memcpy(&wide, &real, sizeof wide);
	cr_expect(eq(int, read_as(text, GLC_F32, &bits), GLC_LITERAL_OK), "%s", text);
	cr_expect(eq(u64, bits, low), "%s", text);
	cr_expect(eq(int, read_as(text, GLC_F64, &bits), GLC_LITERAL_OK), "%s", text);
	cr_expect(eq(u64, bits, wide), "%s", text);
}

/* An integer of any length stands for a float that holds it. */
Test(ir_literal, reads_integers_above_64_bits_for_floats)
{
	static const char *const exact[] = {
		"18446744073709551615.0", "18446744073709551616", "-18446744073709551616",
		"0x10000000000000000", "-0xFFFFFF0000000000000000",
		"340282346638528859811704183484516925440",      /* the largest f32 */
		"0000000000000000000000000000000000000000000000000000016777216",
		"0x000000000000000000000000000000000000000000000000000001",
	};
	uint64_t bits;

	for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
		expect_number(exact[i]);
	cr_expect(eq(int, read_as("100000000000000000000", GLC_F64, &bits), GLC_LITERAL_OK));
	cr_expect(eq(u64, bits, UINT64_C(0x4415AF1D78B58C40)));    /* 10^20 = 5^20 * 2^20 */
}

Test(ir_literal, refuses_integers_that_no_float_holds)
{
	uint64_t bits;
	char digits[402] = "1";

	cr_expect(eq(int, read_as("18446744073709551617", GLC_F32, &bits), GLC_LITERAL_INEXACT));
	cr_expect(eq(int, read_as("18446744073709551617", GLC_F64, &bits), GLC_LITERAL_INEXACT));
	cr_expect(eq(int, read_as("0x1FFFFFF0000000000000", GLC_F32, &bits), GLC_LITERAL_INEXACT));
	cr_expect(eq(int, read_as("0x1FFFFFF0000000000000", GLC_F64, &bits), GLC_LITERAL_OK));
	cr_expect(eq(int, read_as("340282366920938463463374607431768211456", GLC_F32, &bits),
		     GLC_LITERAL_RANGE));                       /* 2^128 */
	cr_expect(eq(int, read_as("340282366920938463463374607431768211456", GLC_F64, &bits),
		     GLC_LITERAL_OK));
	memset(digits + 1, '0', sizeof digits - 2);
	cr_expect(eq(int, read_as(digits, GLC_F64, &bits), GLC_LITERAL_RANGE));
	cr_expect(eq(int, read_as("18446744073709551616", GLC_U64, &bits), GLC_LITERAL_RANGE));
	cr_expect(eq(int, read_as("0x10000000000000000", GLC_I64, &bits), GLC_LITERAL_RANGE));
}

/* Halves and their neighbours, subnormal numbers, more digits than a float can tell apart. */
Test(ir_literal, rounds_to_nearest_even)
{
	static const char *const numbers[] = {
		"0.1", "16777217.0", "16777219.0", "9007199254740993.0", "1.4e-45", "1e-45", "0.7e-45",
		"1.17549435e-38", "1.0000000596046447753906250",
		"1.00000005960464477539062500000000000000000000000000000000000000000000000000000001",
		"0x1.000001p0", "0x1.0000010000000000000000001p0", "0x1p-149", "0x1p-150",
		"0x1.8p-150", "123456789012345678901234567890.5e-10", "-0.0", "3.4028235e38",
	};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		expect_number(numbers[i]);
}
