/* SPDX-License-Identifier: MIT */
#include <glacier.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

struct seen {
	char code[8], path[64];
	uint32_t errors, warnings;
};

static void remember(void *user, const struct glacier_diagnostic *diagnostic)
{
	struct seen *seen = user;

	if (diagnostic->severity == GLACIER_NOTE)
		return;
	if (!seen->errors && !seen->warnings) {
		snprintf(seen->code, sizeof seen->code, "%s", diagnostic->code);
		snprintf(seen->path, sizeof seen->path, "%s",
			 diagnostic->location.path ? diagnostic->location.path : "");
	}
	seen->errors += diagnostic->severity == GLACIER_ERROR;
	seen->warnings += diagnostic->severity == GLACIER_WARNING;
}

/* PTX of the rows; what the diagnostics were is in *seen. */
static void compile(const struct glacier_row *rows, size_t count, const struct glacier_stream_options *options,
		    struct seen *seen, struct glacier_buffer *ptx)
{
	struct glacier_diag diag = {.report = remember, .user = seen};
	struct glacier_target target;
	struct glacier_module *module;

	memset(seen, 0, sizeof *seen);
	ptx->size = 0;
	cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
	cr_assert(eq(int, glacier_target_parse("ptx", &target, NULL), GLACIER_OK));
	if (glacier_kernel_from_stream(module, rows, count, options, &diag) == GLACIER_OK)
		cr_assert(eq(int, glacier_module_write(module, &target, NULL, ptx, &diag), GLACIER_OK));
	glacier_module_destroy(module);
}

static size_t occurrences(const struct glacier_buffer *text, const char *word)
{
	const char *at = (const char *)text->data, *end = at + text->size;
	size_t count = 0;

	for (size_t bytes = strlen(word); at + bytes <= end; at++)
		count += !memcmp(at, word, bytes);
	return count;
}

/* Each with its near twin: nothing is dropped or clamped. */
Test(ir_stream, refuses_what_a_row_cannot_say)
{
	static const struct {
		struct glacier_row row;
		const char *code;   /* "": accepted in silence */
	} rows[] = {
		{{25, 0, 0, 0}, ""},       {{26, 0, 0, 0}, "GA0063"},  {{-1, 0, 0, 0}, "GA0063"},
		{{19, 0, 0, 63}, ""},      {{19, 0, 0, 64}, "GA0064"}, {{19, 0, 0, -1}, "GA0064"},
		{{19, -1, 0, 0}, ""},      {{19, INT32_MIN, 0, 0}, ""},
		{{1, 64, 0, 0}, "GA0064"}, {{1, 0, 64, 0}, "GA0064"},  {{1, 0, 0, 0}, "GA0068"},
		{{15, 0, 64, 0}, "GA0064"}, {{15, 2, 0, 0}, "GA0065"}, {{15, -1, 0, 0}, "GA0065"},
		{{15, 1, 0, 0}, "GA0068"}, {{20, 0, 32, 0}, "GA0066"}, {{20, 0, -1, 0}, "GA0066"},
		{{20, 0, 31, 0}, "GA0068"}, {{23, 99, 99, 0}, ""},     {{21, 99, 99, 99}, ""},
		{{0, 99, 99, 99}, ""},     {{24, 0, 0, 64}, "GA0064"}, {{16, 64, 0, 0}, "GA0064"},
	};
	struct glacier_buffer ptx = {0};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct seen seen;

		compile(&rows[i].row, 1, NULL, &seen, &ptx);
		cr_expect(eq(str, seen.code, (char *)rows[i].code), "row %zu", i);
		if (seen.errors)
			cr_expect(eq(str, seen.path, (char *)"rows[0]"), "row %zu", i);
	}
	glacier_buffer_fini(&ptx);
}

/* facts W1 to W7 of the streams that Glacier.Compute compiled wrongly. */
Test(ir_stream, keeps_every_row_of_its_meaning)
{
	static const struct glacier_row ids[] = {
		/* W4: LocalId into r5 must not destroy what GlobalId needs. */
		{22, 0, 0, 5}, {23, 0, 0, 6}, {15, 0, 6, 0}, {16, 0, 5, 0}, {0, 0, 0, 0}, {25, 0, 0, 0}};
	static const struct glacier_row both[] = {
		/* W5: input_b is a buffer of its own. */
		{23, 0, 0, 0}, {15, 0, 0, 0}, {15, 1, 0, 1}, {1, 0, 1, 2}, {16, 2, 0, 0}, {25, 0, 0, 0}};
	static const struct glacier_row constant[] = {
		/* W2: the bits of 1.5f. */
		{23, 0, 0, 0}, {19, 0x3fc00000, 0, 1}, {16, 1, 0, 0}};
	static const struct glacier_row shuffle[] = {
		{23, 0, 0, 0}, {15, 0, 0, 0}, {20, 0, 0, 1}, {20, 1, 5, 1}, {21, 0, 0, 0}, {16, 1, 0, 0}};
	static const struct glacier_row fma[] = {
		{23, 0, 0, 0}, {15, 0, 0, 0}, {15, 1, 0, 1}, {19, 0, 0, 2}, {5, 0, 1, 2}, {5, 0, 1, 2}, {16, 2, 0, 0}};
	struct glacier_stream_options options = {.name = "vector_add", .workgroup = {128, 2}};
	struct glacier_buffer ptx = {0};
	struct seen seen;

	compile(ids, sizeof ids / sizeof *ids, NULL, &seen, &ptx);
	cr_expect(eq(u32, seen.errors + seen.warnings, 0));
	cr_expect(eq(sz, occurrences(&ptx, "nop"), 0));   /* W1 */
	cr_expect(occurrences(&ptx, "%tid.x;") >= 1);
	cr_expect(eq(sz, occurrences(&ptx, "mad.lo.u32"), 1));

	compile(both, sizeof both / sizeof *both, &options, &seen, &ptx);
	cr_expect(eq(sz, occurrences(&ptx, ".entry vector_add("), 1));   /* W6 */
	cr_expect(eq(sz, occurrences(&ptx, ".reqntid 128, 2, 1"), 1));
	cr_expect(eq(sz, occurrences(&ptx, "input_a]"), 1));
	cr_expect(eq(sz, occurrences(&ptx, "input_b]"), 1));
	cr_expect(eq(sz, occurrences(&ptx, "ld.global"), 2));
	cr_expect(eq(sz, occurrences(&ptx, "st.global"), 1));

	compile(constant, sizeof constant / sizeof *constant, NULL, &seen, &ptx);
	cr_expect(eq(sz, occurrences(&ptx, "0f3FC00000") + occurrences(&ptx, "0f3fc00000"), 1));

	compile(shuffle, sizeof shuffle / sizeof *shuffle, NULL, &seen, &ptx);
	cr_expect(eq(sz, occurrences(&ptx, "shfl.sync.bfly"), 2));
	cr_expect(eq(sz, occurrences(&ptx, ", 16, "), 1));   /* mask 0 means 16 */
	cr_expect(eq(sz, occurrences(&ptx, "bar.sync"), 1));
	cr_expect(eq(sz, occurrences(&ptx, "ret;"), 1));     /* control flow stays uniform */

	compile(fma, sizeof fma / sizeof *fma, NULL, &seen, &ptx);
	cr_expect(eq(sz, occurrences(&ptx, "fma.rn.f32"), 2));
	glacier_buffer_fini(&ptx);
}

Test(ir_stream, names_each_unset_register_once)
{
	static const struct glacier_row rows[] = {
		{16, 7, 3, 0}, {15, 0, 3, 7}, {1, 7, 7, 8}, {24, 8, 3, 7}, {16, 7, 3, 0}};
	struct glacier_buffer ptx = {0};
	struct seen seen;

	compile(rows, sizeof rows / sizeof *rows, NULL, &seen, &ptx);
	cr_expect(eq(u32, seen.errors, 0));
	cr_expect(eq(u32, seen.warnings, 2));
	cr_expect(eq(str, seen.path, (char *)"rows[0]"));
	cr_expect(eq(sz, occurrences(&ptx, "atom.") + occurrences(&ptx, "red."), 1));
	glacier_buffer_fini(&ptx);
}

Test(ir_stream, reports_each_bad_row_once)
{
	static const struct glacier_row rows[] = {
		{23, 0, 0, 0}, {15, 0, 0, 0}, {15, 5, 0, 0}, {15, 0, 0, 1}, {77, 0, 0, 0}, {16, 0, 64, 0}};
	struct glacier_buffer ptx = {0};
	struct seen seen;

	compile(rows, sizeof rows / sizeof *rows, NULL, &seen, &ptx);
	cr_expect(eq(u32, seen.errors, 3));
	cr_expect(eq(str, seen.path, (char *)"rows[2]"));
	glacier_buffer_fini(&ptx);
}

/* All three ways in give the same code. */
Test(ir_stream, is_one_kernel_in_every_spelling)
{
	static const struct glacier_row rows[] = {
		{23, 0, 0, 0}, {15, 0, 0, 1}, {15, 1, 0, 2}, {1, 1, 2, 3}, {16, 3, 0, 0}, {25, 0, 0, 0}};
	static const char json[] = "[[23,0,0,0],[15,0,0,1],{\"opcode\":15,\"a\":1,\"b\":0,\"d\":2},[1,1,2,3],"
				   "[16,3,0,0],[25,0,0,0]]";
	static const char text[] = "kernel k stream workgroup 64 {\n{23,0,0,0}\n{15,0,0,1}\n{15,1,0,2}\n"
				   "{1,1,2,3}\n{16,3,0,0}\n{25,0,0,0}\n}\n";
	struct glacier_text json_input = {.text = json, .size = sizeof json - 1};
	struct glacier_text text_input = {.text = text, .size = sizeof text - 1};
	struct glacier_stream_options options = {.name = "k"};
	struct glacier_buffer ptx = {0}, out = {0};
	struct glacier_target target;
	struct glacier_module *module;
	struct seen seen;

	compile(rows, sizeof rows / sizeof *rows, &options, &seen, &ptx);
	cr_assert(eq(int, glacier_target_parse("ptx", &target, NULL), GLACIER_OK));
	cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
	for (int way = 0; way < 2; way++) {
		out.size = 0;
		cr_assert(eq(int, way ? glacier_module_read_text(module, &text_input, NULL, NULL)
				      : glacier_module_read_stream(module, &json_input, &options, NULL),
			     GLACIER_OK));
		cr_assert(eq(int, glacier_module_write(module, &target, NULL, &out, NULL), GLACIER_OK));
		cr_expect(out.size == ptx.size && !memcmp(out.data, ptx.data, out.size), "way %d", way);
	}
	out.size = 0;
	cr_assert(eq(int, glacier_module_print(module, GLACIER_FORM_TEXT, &out, NULL), GLACIER_OK));
	cr_expect(eq(sz, occurrences(&out, "  {15, 1, 0, 2}\n"), 1));
	glacier_module_destroy(module);
	glacier_buffer_fini(&ptx);
	glacier_buffer_fini(&out);
}

Test(ir_stream, names_what_is_wrong_with_a_bare_array)
{
	static const struct {
		const char *json, *code, *path;
	} rows[] = {
		{"[]", "", ""},
		{"{}", "GA0106", ""},
		{"[[25,0,0,0]", "GA0100", ""},
		{"[[25,0,0,0],[25,0,0]]", "GA0106", "[1]"},
		{"[[25,0,0,0],[1,99,0,0]]", "GA0064", "[1]"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct glacier_text input = {.text = rows[i].json, .size = strlen(rows[i].json)};
		struct seen seen = {0};
		struct glacier_diag diag = {.report = remember, .user = &seen};
		struct glacier_module *module;

		cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
		glacier_module_read_stream(module, &input, NULL, &diag);
		cr_expect(eq(str, seen.code, (char *)rows[i].code), "row %zu", i);
		cr_expect(eq(str, seen.path, (char *)rows[i].path), "row %zu", i);
		glacier_module_destroy(module);
	}
}
