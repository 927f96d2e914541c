/* SPDX-License-Identifier: MIT */
/* man/glacier-kernel.7 against the compiler: its kernels, its tables, its sections. */
#include <glacier/kernel.h>

#include "base/buf.h"
#include "ir/ops.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *page;

static void read_page(void)
{
	const char *folder = getenv("top_srcdir");
	char path[4096];
	FILE *file;
	long size;

	snprintf(path, sizeof path, "%s/man/glacier-kernel.7", folder ? folder : ".");
	file = fopen(path, "rb");
	cr_assert(file, "%s cannot be read", path);
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	page = calloc(1, (size_t)size + 1);
	cr_assert(page && fread(page, 1, (size_t)size, file) == (size_t)size);
	fclose(file);
}

static void free_page(void)
{
	free(page);
}

TestSuite(kernel_page, .init = read_page, .fini = free_page);

/* What a literal block says, without roff's escapes; *at moves behind it. NULL: there is none. */
static char *next_block(const char **at)
{
	const char *begin = strstr(*at, "\n.Bd -literal"), *end;
	char *text, *out;

	if (!begin)
		return NULL;
	begin = strchr(begin + 1, '\n') + 1;
	end = strstr(begin, "\n.Ed\n");
	cr_assert(end, "a literal block has no end");
	*at = end;
	text = out = malloc((size_t)(end - begin) + 2);
	cr_assert(text);
	for (const char *c = begin; c <= end; c++) {
		if (*c != '\\') {
			*out++ = *c;
			continue;
		}
		c++;
		if (*c == 'e' || *c == '-')
			*out++ = *c == 'e' ? '\\' : '-';
		else
			cr_assert(*c == '&', "an escape that this test does not know: \\%c", *c);
	}
	*out = '\0';
	return text;
}

static void report(void *user, const struct glacier_diagnostic *diagnostic)
{
	cr_log_error("%u:%u: %s\n%s", diagnostic->location.line, diagnostic->location.column,
		     diagnostic->message, (const char *)user);
}

/* What the JSON on the page includes. */
static bool include(void *user, const char *path, const char *from, struct glacier_text *out)
{
	static const char text[] = "const @half: f32[1] = { 0.5 }\n";

	(void)user;
	(void)from;
	*out = (struct glacier_text){path, text, sizeof text - 1};
	return true;
}

static void compile(struct glacier_module *module, char *text)
{
	static const char targets[][12] = {"spirv", "spirv:1.3", "ptx"};
	struct glacier_read_options options = {.include = include};
	struct glacier_text input = {"block", text, strlen(text)};
	struct glacier_diag diag = {.report = report, .user = text};
	struct glacier_buffer out = {0};
	struct glacier_target target;

	if (*text == '{')
		cr_assert(glacier_module_read_json(module, &input, &options, &diag) == GLACIER_OK);
	else
		cr_assert(glacier_module_read_text(module, &input, &options, &diag) == GLACIER_OK);
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		cr_assert(glacier_target_parse(targets[i], &target, &diag) == GLACIER_OK);
		cr_assert(glacier_module_write(module, &target, NULL, &out, &diag) == GLACIER_OK);
	}
	cr_assert(diag.errors + diag.warnings == 0);
	glacier_buffer_fini(&out);
}

Test(kernel_page, holds_kernels_in_text_and_json_that_compile_without_a_warning)
{
	struct glacier_module *module;
	const char *at = page;
	char *text;
	int kernels = 0, documents = 0;

	cr_assert(glacier_module_create(NULL, &module) == GLACIER_OK);
	while ((text = next_block(&at))) {
		const char *kernel = strstr(text, "kernel ");
		bool is_kernel = kernel && (kernel == text || kernel[-1] == '\n');
		bool is_json = strstr(text, "\"schema\"");

		if (is_kernel || is_json)
			compile(module, text);
		kernels += is_kernel;
		documents += is_json;
		free(text);
	}
	cr_assert(kernels >= 7 && documents >= 1, "only %d and %d were found", kernels, documents);
	glacier_module_destroy(module);
}

static const char *types_word(uint16_t types)
{
	switch (types) {
	case GLC_TYPES_NONE: return "-";
	case GLC_TYPES_ANY: return "any";
	case GLC_TYPES_NUMBER: return "number";
	case GLC_TYPES_WORD: return "word";
	case GLC_TYPES_BITS: return "bits";
	case GLC_TYPES_NEGATABLE: return "signed";
	case GLC_TYPES_UNSIGNED: return "unsigned";
	case GLC_TYPES_FLOAT: return "float";
	case GLC_TYPES_INT32: return "i32 u32";
	case GLC_TYPES_ATOMIC: return "i32 u32 f32";
	}
	return "a set of types without a word";
}

static const char *result_word(char result)
{
	switch (result) {
	case 'B': return "bool";
	case 'U': return "u32";
	case 'W': return "i64 u64";
	case '-': return "-";
	}
	return "T";
}

/* A row of a table: .It Ic Add Ar x , y Ta number Ta T Ta */
static void check_row(enum glc_op op)
{
	const struct glc_op_facts *facts = &glc_ops[op];
	char begin[48], rest[64];
	const char *row, *end;
	size_t operands = 0;

	snprintf(begin, sizeof begin, "\n.It Ic %s ", glc_op_name(op));
	for (row = strstr(page, begin); row; row = strstr(end, begin)) {
		end = strchr(row + 1, '\n');
		if (!strncmp(end - 3, " Ta", 3))
			break;   /* other lists name instructions as well */
	}
	cr_assert(row, "no table has a row of %s", glc_op_name(op));
	row += strlen(begin);
	if (!strncmp(row, "Ar ", 3))
		operands = 1;
	for (; strncmp(row, "Ta ", 3); row++)
		operands += *row == ',';
	snprintf(rest, sizeof rest, "Ta %s Ta %s Ta\n", types_word(facts->types), result_word(facts->result));
	cr_assert(!strncmp(row, rest, strlen(rest)), "%s: the row ends in\n%.40s\nnot in\n%s", glc_op_name(op),
		  row, rest);
	cr_assert(operands == strnlen(facts->operands, sizeof facts->operands), "%s: the row has %zu operands",
		  glc_op_name(op), operands);
}

Test(kernel_page, has_a_row_for_every_instruction_with_its_operands_types_and_result)
{
	for (int op = 0; op < GLC_OP_COUNT; op++)
		if (!(glc_ops[op].flags & GLC_INNER))
			check_row((enum glc_op)op);
}

Test(kernel_page, numbers_the_rows_of_the_numeric_stream)
{
	char row[64];

	for (int op = 0; op < GLC_LEGACY_OP_COUNT; op++) {
		snprintf(row, sizeof row, "\n.It %d Ta %s Ta ", op, glc_op_name((enum glc_op)op));
		cr_assert(strstr(page, row), "no row of %s with the number %d", glc_op_name((enum glc_op)op), op);
	}
}

Test(kernel_page, has_every_section_that_a_message_names)
{
	static const char *const clauses[] = {
#define ROW(area, NAME, number, status, warning, text, cause, remedy, clause) clause,
#include "base/codes.def"
#undef ROW
	};
	static const char this_page[] = "glacier-kernel(7), ";

	for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
		char section[128];

		if (strncmp(clauses[i], this_page, sizeof this_page - 1))
			continue;
		snprintf(section, sizeof section, "\n.Sh %s\n", clauses[i] + sizeof this_page - 1);
		cr_assert(strstr(page, section), "there is no section%s", section);
	}
}
