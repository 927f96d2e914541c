/* SPDX-License-Identifier: MIT */
/*
 * Writes man/glacier-diagnostics.7 from the library's table of codes. `make
 * update-diagnostics` runs it, and a test compares the page with what it prints.
 */
#include "common/cli.h"

#include <string.h>

/* The first letters of a code, and what its part of the table is about. */
static const struct {
	char area[4], title[48];
} areas[] = {
	{"GA", "THE KERNEL LANGUAGE (GA)"},
	{"CL", "FILES THAT OPTIONS NAME (CL)"},
	{"SV", "SPIR-V MODULES (SV)"},
	{"DX", "DXBC AND DXIL CONTAINERS (DX)"},
	{"DV", "DEVICES (DV)"},
	{"CK", "WHAT CHECKING FINDS (CK)"},
};

static size_t area_bytes(const char *code)
{
	return strcspn(code, "0123456789");
}

/*
 * mdoc reads a backslash as an escape, and a dot or quote at a line's beginning as a
 * request; it wants each sentence to begin a line.
 */
static void print_escaped(const char *text)
{
	bool begins = true;

	for (; *text; text++) {
		if (begins && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		begins = text[0] == '.' && text[1] == ' ';
		if (*text == '\\')
			fputs("\\e", stdout);
		else
			putchar(*text);
		if (begins) {
			putchar('\n');
			text++;
		}
	}
	putchar('\n');
}

static void print_title(const char *code)
{
	size_t n = area_bytes(code);

	for (size_t i = 0; i < sizeof areas / sizeof *areas; i++) {
		if (strlen(areas[i].area) == n && !strncmp(areas[i].area, code, n)) {
			printf(".Sh %s\n.Bl -tag -width GA0000\n", areas[i].title);
			return;
		}
	}
	printf(".Sh %.*s\n.Bl -tag -width GA0000\n", (int)n, code);
}

static void print_code(const struct glacier_code_info *info)
{
	char pattern[512];

	printf(".It Sy %s\n.Dq ", info->code);
	cli_message_pattern(info->text, pattern, sizeof pattern);
	/* A macro's arguments: quotes would group them. */
	for (const char *at = pattern; *at; at++) {
		if (*at == '"')
			fputs("\\(dq", stdout);
		else if (*at == '\\')
			fputs("\\e", stdout);
		else
			putchar(*at);
	}
	putchar('\n');
	if (info->warning)
		printf(".Pq Fl W Ns Cm %s\n", glacier_warning_name(info->warning));
	printf(".Pp\n");
	print_escaped(info->cause);
	print_escaped(info->remedy);
	printf("See ");
	print_escaped(info->clause);
}

int main(void)
{
	struct glacier_code_info info;
	char area[8] = "";

	printf(".\\\" SPDX-License-Identifier: MIT\n"
	       ".\\\" Written by maint/diagnostics-page.c: edit lib/base/codes.def, then "
	       "make update-diagnostics.\n"
	       ".Dd November 30, 2026\n"
	       ".Dt GLACIER-DIAGNOSTICS 7\n"
	       ".Os\n"
	       ".Sh NAME\n"
	       ".Nm glacier-diagnostics\n"
	       ".Nd messages of the Glacier programs, their causes and remedies\n"
	       ".Sh DESCRIPTION\n"
	       "Every error and warning has a code that never changes its meaning.\n"
	       "A program's option\n"
	       ".Fl -explain Ns = Ns Ar code\n"
	       "prints what this page says of it.\n"
	       "In the messages below,\n"
	       ".Ql ...\n"
	       "stands for what differs from case to case.\n");
	for (size_t i = 0; glacier_code_at(i, &info); i++) {
		size_t n = area_bytes(info.code);

		if (strlen(area) != n || strncmp(area, info.code, n)) {
			if (*area)
				printf(".El\n");
			snprintf(area, sizeof area, "%.*s", (int)n, info.code);
			print_title(info.code);
		}
		print_code(&info);
	}
	if (*area)
		printf(".El\n");
	printf(".Sh SEE ALSO\n.Xr gc-asm 1 ,\n.Xr glacier 7\n");
	return 0;
}
