/* SPDX-License-Identifier: MIT */
#include <glacier.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* glacier-kernel(7), TYPES. */
Test(compile_literal, finds_types_by_their_names)
{
	for (int type = GLACIER_BOOL; type < GLACIER_TYPE_COUNT; type++)
		cr_expect(eq(int, glacier_type_find(glacier_type_name((enum glacier_type)type)), type));
	cr_expect(eq(int, glacier_type_find("f33"), GLACIER_VOID));
	cr_expect(eq(int, glacier_type_find(""), GLACIER_VOID));
	cr_expect(eq(int, glacier_type_find("f32x4 of a long name"), GLACIER_VOID));
}

/* IEEE 754 and two's complement. */
Test(compile_literal, gives_the_bits_of_a_literal)
{
	static const struct {
		enum glacier_type type;
		const char *text;
		uint64_t bits;
	} rows[] = {
		{GLACIER_F32, "2.5", 0x40200000},
		{GLACIER_F32, "0x1p-3", 0x3e000000},
		{GLACIER_F32, "-inf", 0xff800000},
		{GLACIER_F64, "1", UINT64_C(0x3ff0000000000000)},
		{GLACIER_I32, "-1", 0xffffffff},
		{GLACIER_U32, "0xFFFFFFFF", 0xffffffff},
		{GLACIER_U64, "18446744073709551615", UINT64_MAX},
		{GLACIER_BOOL, "true", 1},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t bits = 0;

		cr_expect(eq(int, glacier_literal_read(rows[i].type, rows[i].text, &bits, NULL), GLACIER_OK));
		cr_expect(eq(u64, bits, rows[i].bits), "%s", rows[i].text);
	}
}

Test(compile_literal, refuses_what_is_no_literal_of_the_type)
{
	static const struct {
		enum glacier_type type;
		const char *text;
	} rows[] = {
		{GLACIER_U32, "-1"}, {GLACIER_U32, "4294967296"}, {GLACIER_U32, "1.5"}, {GLACIER_F32, "2.5x"},
		{GLACIER_F32, ""}, {GLACIER_F32, "1e39"}, {GLACIER_BOOL, "1"}, {GLACIER_I32, "%x"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct glacier_diag diag = {0};
		uint64_t bits = 77;

		cr_expect(eq(int, glacier_literal_read(rows[i].type, rows[i].text, &bits, &diag),
			     GLACIER_ERR_INVALID), "%s", rows[i].text);
		cr_expect(eq(u32, diag.errors, 1), "%s", rows[i].text);
		cr_expect(eq(u64, bits, 77), "%s", rows[i].text);
	}
	cr_expect(eq(int, glacier_literal_read(GLACIER_VOID, "1", &(uint64_t){0}, NULL), GLACIER_ERR_ARGUMENT));
}
