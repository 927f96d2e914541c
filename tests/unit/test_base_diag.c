/* SPDX-License-Identifier: MIT */
#include "base/diag.h"
#include "base/source.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What a sink was told, in short: "E GA0001 text;N - text;". */
struct told {
	char text[4096];
	size_t size;
	struct glacier_location location;
};

static void tell(void *user, const struct glacier_diagnostic *diagnostic)
{
	static const char letters[] = "EWN";
	struct told *told = user;

	told->size += (size_t)snprintf(told->text + told->size, sizeof told->text - told->size, "%c %s %s;",
				       letters[diagnostic->severity],
				       diagnostic->code ? diagnostic->code : "-", diagnostic->message);
	told->location = diagnostic->location;
}

/* What every row of the table must be, whoever adds it. */
Test(base_diag, has_a_table_of_whole_and_unique_rows)
{
	char seen[GLC_CODE_COUNT][8];
	struct glacier_code_info info;

	for (size_t i = 0; i < GLC_CODE_COUNT; i++) {
		size_t length;

		cr_assert(glacier_code_at(i, &info));
		cr_expect(strlen(info.code) == 6 && isupper(info.code[0]) && isupper(info.code[1]) &&
			  strspn(info.code + 2, "0123456789") == 4, "%s", info.code);
		strcpy(seen[i], info.code);
		for (size_t j = 0; j < i; j++)
			cr_expect(strcmp(seen[i], seen[j]) != 0, "%s is there twice", info.code);
		length = strlen(info.text);
		cr_expect(length && !isupper(info.text[0]) && info.text[length - 1] != '.' &&
			  !strchr(info.text, '\n'), "%s: %s", info.code, info.text);
		cr_expect(info.cause[0] && info.remedy[0] && info.clause[0], "%s is not explained", info.code);
		cr_expect(info.status > GLACIER_OK && info.status < GLACIER_STATUS_COUNT, "%s", info.code);
	}
	cr_expect(not(glacier_code_at(GLC_CODE_COUNT, &info)));
}

Test(base_diag, finds_codes_and_keeps_them)
{
	struct glacier_code_info info = {.text = "unchanged"}, other;

	cr_assert(not(glacier_code_find("GA9999", &info)));
	cr_assert(not(glacier_code_find("", &info)));
	cr_assert(strcmp(info.text, "unchanged") == 0);
	cr_assert(glacier_code_find("ga0001", &info));
	for (size_t i = 0; glacier_code_at(i, &other); i++)
		;
	cr_assert(strcmp(info.code, "GA0001") == 0, "a later look-up changed it");
	cr_assert(eq(int, info.status, GLACIER_ERR_NOMEM));
}

Test(base_diag, names_every_warning)
{
	for (int i = GLACIER_WARNING_NONE + 1; i < GLACIER_WARNING_COUNT; i++) {
		const char *name = glacier_warning_name(i);

		cr_assert(name && *name, "warning %d", i);
		cr_assert(eq(int, glacier_warning_find(name), i));
	}
	cr_assert(glacier_warning_name(GLACIER_WARNING_NONE) == NULL);
	cr_assert(glacier_warning_name(GLACIER_WARNING_COUNT) == NULL);
	cr_assert(eq(int, glacier_warning_find("none"), GLACIER_WARNING_NONE));
	cr_assert(eq(int, glacier_warning_find(""), GLACIER_WARNING_NONE));
}

/* Each code under each setting of its warning: told as what, counted where, what status. */
Test(base_diag, obeys_the_settings_of_warnings)
{
	for (unsigned code = 0; code < GLC_CODE_COUNT; code++) {
		for (int setting = 0; setting < 4; setting++) {
			struct glacier_code_info info;
			struct told told = {.size = 0};
			uint64_t set;
			char severity, want[64] = "";
			enum glacier_status status;

			glacier_code_at(code, &info);
			set = UINT64_C(1) << info.warning;
			severity = !info.warning ? 'E' : setting & 1 ? 0 : setting & 2 ? 'E' : 'W';
			struct glacier_diag diag = {
				.report = tell,
				.user = &told,
				.disabled = setting & 1 ? &set : NULL,
				.fatal = setting & 2 ? &set : NULL,
			};
			status = glc_report(&diag, code, GLC_NOWHERE, "text %d", 1);
			glc_note(&diag, GLC_NOWHERE, "note");
			if (severity)
				snprintf(want, sizeof want, "%c %s text 1;N - note;", severity, info.code);
			cr_expect(eq(str, told.text, want));
			cr_expect(eq(int, status, severity == 'E' ? info.status : GLACIER_OK), "%s", info.code);
			cr_expect(eq(u32, diag.errors, severity == 'E'));
			cr_expect(eq(u32, diag.warnings, severity == 'W'));

			/* Without a function the counts are the same; without a sink the status of -Wall. */
			diag.report = NULL;
			cr_expect(eq(int, glc_report(&diag, code, GLC_NOWHERE, "text"), status));
			cr_expect(eq(u32, diag.errors, 2 * (severity == 'E')));
			cr_expect(eq(int, glc_report(NULL, code, GLC_NOWHERE, "text"),
				     info.warning ? GLACIER_OK : info.status));
			glc_note(NULL, GLC_NOWHERE, "note");
		}
	}
}

/* The Unicode Standard, table 3-7, from both sides of each limit. */
Test(base_diag, lets_only_printable_utf_8_out)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"plain ~", "plain ~"},
		{"a\nb\tc\r\x1b[31m\x7f", "a?b?c??[31m?"},
		{"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8d", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8d"},
		{"\xc2\x9b \xc2\x80 \xc2\xa0", "?? ?? \xc2\xa0"},
		{"\x80 \xbf \xfe \xff", "? ? ? ?"},
		{"\xc0\xaf \xc1\xbf \xc2\xc2", "?? ?? ??"},
		{"\xe0\x9f\xbf \xe0\xa0\x80", "??? \xe0\xa0\x80"},
		{"\xed\x9f\xbf \xed\xa0\x80", "\xed\x9f\xbf ???"},
		{"\xf0\x8f\xbf\xbf \xf0\x90\x80\x80", "???? \xf0\x90\x80\x80"},
		{"\xf4\x8f\xbf\xbf \xf4\x90\x80\x80 \xf5\x80\x80\x80", "\xf4\x8f\xbf\xbf ???? ????"},
		{"\xe2\x82", "??"},
		{"\xf0\x9f\x8c", "???"},
		{"\xe2", "?"},
	};

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct told told = {.size = 0};
		struct glacier_diag diag = {.report = tell, .user = &told};
		char want[64];

		glc_report(&diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE, "%s", rows[r].in);
		snprintf(want, sizeof want, "E GA0001 %s;", rows[r].out);
		cr_expect(eq(str, told.text, want), "row %zu", r);
	}
}

Test(base_diag, says_when_a_message_was_cut)
{
	for (int length = 1015; length < 1030; length++) {
		struct told told = {.size = 0};
		struct glacier_diag diag = {.report = tell, .user = &told};
		size_t message;

		glc_report(&diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE, "%0*d", length, 0);
		message = told.size - strlen("E GA0001 ;");
		cr_expect(eq(sz, message, length < 1024 ? (size_t)length : 1023));
		cr_expect(eq(int, strstr(told.text, "0...;") != NULL, length >= 1024), "%d bytes", length);
	}
}

Test(base_diag, places_text_by_the_map_and_bytes_by_offset)
{
	static const struct glc_source source = {.text = "a\nbc", .size = 4};
	const struct glc_source_map map = {.sources = &source, .count = 1};
	struct told told = {.size = 0};
	struct glacier_diag diag = {.report = tell, .user = &told};

	glc_fail(&diag, GLC_GA_OUT_OF_MEMORY, 3);
	cr_expect(eq(int, told.location.kind, GLACIER_LOCATION_BINARY));
	cr_expect(eq(u64, told.location.offset, 3));
	glc_fail(&diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	cr_expect(eq(int, told.location.kind, GLACIER_LOCATION_NONE));
	diag.map = &map;
	glc_note(&diag, 3, "here");
	cr_expect(eq(int, told.location.kind, GLACIER_LOCATION_TEXT));
	cr_expect(eq(u32, told.location.line, 2));
	cr_expect(eq(u32, told.location.column, 2));
}
