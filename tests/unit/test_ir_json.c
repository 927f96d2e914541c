/* SPDX-License-Identifier: MIT */
#include <glacier.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the first diagnostic said. */
struct seen {
	char code[8], path[256];
	uint32_t line, column, errors;
};

static void remember(void *user, const struct glacier_diagnostic *diagnostic)
{
	struct seen *seen = user;

	if (diagnostic->severity != GLACIER_ERROR || seen->errors++)
		return;
	snprintf(seen->code, sizeof seen->code, "%s", diagnostic->code);
	snprintf(seen->path, sizeof seen->path, "%s",
		 diagnostic->location.kind == GLACIER_LOCATION_PATH ? diagnostic->location.path : "");
	seen->line = diagnostic->location.line;
	seen->column = diagnostic->location.column;
}

static struct seen read_json(const char *text, size_t size)
{
	struct glacier_text input = {.name = "k.json", .text = text, .size = size};
	struct seen seen = {0};
	struct glacier_diag diag = {.report = remember, .user = &seen};
	struct glacier_module *module;
	enum glacier_status status;

	cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
	status = glacier_module_read_json(module, &input, NULL, &diag);
	cr_expect(status == GLACIER_OK ? !seen.errors : seen.errors > 0);
	glacier_module_destroy(module);
	return seen;
}

#define TEXT(literal) literal, sizeof literal - 1

/* Syntax: rows come in pairs, what is refused and its nearest twin that is JSON (and no kernel: GA0106). */
Test(ir_json, names_the_place_of_broken_json)
{
	static const struct {
		const char *text;
		size_t size;
		const char *code;
		uint32_t line, column;
	} rows[] = {
		{TEXT(""), "GA0100", 1, 1},
		{TEXT(" \n\t"), "GA0100", 2, 2},
		{TEXT("[1,]"), "GA0100", 1, 4},
		{TEXT("[1,2]"), "GA0106", 0, 0},
		{TEXT("[1 2]"), "GA0100", 1, 4},
		{TEXT("[1"), "GA0100", 1, 3},
		{TEXT("[1}"), "GA0100", 1, 3},
		{TEXT("{\"a\" 1}"), "GA0100", 1, 6},
		{TEXT("{\"a\":1}"), "GA0107", 0, 0},
		{TEXT("{a:1}"), "GA0100", 1, 2},
		{TEXT("{\"a\":1,}"), "GA0100", 1, 8},
		{TEXT("[\n 1,\n  nul]"), "GA0100", 3, 3},
		{TEXT("[\n 1,\n  null]"), "GA0106", 0, 0},
		{TEXT("[truE]"), "GA0100", 1, 2},
		{TEXT("[1]]"), "GA0100", 1, 4},
		{TEXT("[1]\0"), "GA0100", 1, 4},
		{TEXT("[1] \n"), "GA0106", 0, 0},
		{TEXT("\0[1]"), "GA0100", 1, 1},
		{TEXT("[01]"), "GA0100", 1, 3},
		{TEXT("[0]"), "GA0106", 0, 0},
		{TEXT("[+1]"), "GA0100", 1, 2},
		{TEXT("[.5]"), "GA0100", 1, 2},
		{TEXT("[1.]"), "GA0100", 1, 4},
		{TEXT("[1e]"), "GA0100", 1, 4},
		{TEXT("[1.5e-3]"), "GA0106", 0, 0},
		{TEXT("[-]"), "GA0100", 1, 3},
		{TEXT("[1\f]"), "GA0100", 1, 3},
		{TEXT("\"a"), "GA0100", 1, 3},
		{TEXT("\"a\n\""), "GA0104", 1, 3},
		{TEXT("\"a\\n\""), "GA0106", 0, 0},
		{TEXT("\"\x80\""), "GA0104", 1, 2},
		{TEXT("\"\xc0\x80\""), "GA0104", 1, 2},         /* overlong */
		{TEXT("\"\xed\xa0\x80\""), "GA0104", 1, 2},     /* a surrogate */
		{TEXT("\"\xf4\x90\x80\x80\""), "GA0104", 1, 2}, /* above U+10FFFF */
		{TEXT("\"\xf4\x8f\xbf\xbf\""), "GA0106", 0, 0},
		{TEXT("\"\xe2\x82\""), "GA0104", 1, 2},
		{TEXT("\"\xe2\x82\xac\""), "GA0106", 0, 0},
		{TEXT("\"\\x\""), "GA0103", 1, 2},
		{TEXT("\"\\u12\""), "GA0103", 1, 2},
		{TEXT("\"\\u0000\""), "GA0103", 1, 2},
		{TEXT("\"\\u0001\""), "GA0106", 0, 0},
		{TEXT("\"\\ud800\""), "GA0103", 1, 2},
		{TEXT("\"\\udc00\""), "GA0103", 1, 2},
		{TEXT("\"\\ud800\\u0041\""), "GA0103", 1, 2},
		{TEXT("\"\\ud834\\udd1e\""), "GA0106", 0, 0},
		{TEXT("\xef\xbb\xbf[1]"), "GA0106", 0, 0},      /* a byte order mark */
		{TEXT("[1\xef\xbb\xbf]"), "GA0100", 1, 3},
		{TEXT("[1234567890123456789012345678901234567890123456789012345678901234]"), "GA0102", 1, 2},
		{TEXT("[123456789012345678901234567890123456789012345678901234567890123]"), "GA0106", 0, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct seen seen = read_json(rows[i].text, rows[i].size);

		cr_expect(eq(str, seen.code, (char *)rows[i].code), "row %zu: %s", i, rows[i].text);
		cr_expect(eq(u32, seen.line, rows[i].line), "row %zu: %s", i, rows[i].text);
		cr_expect(eq(u32, seen.column, rows[i].column), "row %zu: %s", i, rows[i].text);
	}
}

#define MODULE(members) "{\"schema\":\"glacier-kernel\",\"version\":1," members "}"
#define KERNEL(members) MODULE("\"kernels\":[{\"kernel\":\"k\",\"workgroup\":[64]," members "}]")
#define BODY(statements) \
	KERNEL("\"params\":[{\"name\":\"@o\",\"buffer\":\"u32\",\"access\":\"readwrite\"}]," \
	       "\"body\":[" statements "]")
#define STREAM(rows) KERNEL("\"stream\":[" rows "]")

static const struct meaning {
	const char *text, *code, *path;   /* code NULL: it is right */
} meanings[] = {
	{MODULE("\"kernels\":[{\"kernel\":\"k\",\"workgroup\":[1],\"body\":[]}]"), NULL, ""},
	{"{\"schema\":\"glacier\",\"version\":1,\"kernels\":[]}", "GA0110", ""},
	{"{\"schema\":\"glacier-kernel\",\"version\":2,\"kernels\":[]}", "GA0110", ""},
	{"{\"version\":1,\"kernels\":[]}", "GA0109", ""},
	{MODULE("\"kernels\":[]"), "GA0075", ""},
	{MODULE("\"kernels\":{}"), "GA0106", ""},
	{MODULE("\"kernels\":[1]"), "GA0106", "kernels[0]"},
	{MODULE("\"kernals\":[]"), "GA0107", ""},
	{MODULE("\"version\":1"), "GA0108", ""},
	{MODULE("\"functions\":[{}]"), "GA0111", ""},
	{MODULE("\"include\":[\"a.gasm\"]"), "GA0024", "include[0]"},
	{MODULE("\"include\":[\"a\\nb\"]"), "GA0106", "include[0]"},
	{MODULE("\"consts\":[{\"name\":\"@c\",\"type\":\"u32\",\"values\":[1,\"x\"]}]"), "GA0075", ""},
	{MODULE("\"consts\":[{\"name\":\"@c\",\"type\":\"u32\",\"values\":[1,\"a b\"]}]"), "GA0026",
	 "consts[0].values[1]"},
	{MODULE("\"consts\":[{\"name\":\"@c\",\"type\":\"u32\"}]"), "GA0109", "consts[0]"},
	{MODULE("\"consts\":[{\"name\":\"@c\",\"type\":\"u32\",\"values\":[\"@c\"]}]"), "GA0106",
	 "consts[0].values[0]"},
	{KERNEL("\"body\":[]"), NULL, ""},
	{KERNEL("\"body\":{}"), "GA0106", "kernels[0]"},
	{KERNEL("\"params\":[]"), "GA0109", "kernels[0]"},
	{KERNEL("\"kernel\":\"j\",\"body\":[]"), "GA0108", "kernels[0]"},
	{KERNEL("\"bodies\":[]"), "GA0107", "kernels[0]"},
	{KERNEL("\"subgroup\":32,\"body\":[]"), NULL, ""},
	{KERNEL("\"subgroup\":33,\"body\":[]"), "GA0045", "kernels[0]"},
	{KERNEL("\"subgroup\":null,\"body\":[]"), "GA0106", "kernels[0]"},
	{KERNEL("\"params\":[{\"name\":\"@a\",\"scalar\":\"u32\"}],\"body\":[]"), NULL, ""},
	{KERNEL("\"params\":[{\"name\":\"a\",\"scalar\":\"u32\"}],\"body\":[]"), "GA0106", "kernels[0].params[0]"},
	{KERNEL("\"params\":[{\"name\":\"@a b\",\"scalar\":\"u32\"}],\"body\":[]"), "GA0002",
	 "kernels[0].params[0]"},
	{KERNEL("\"params\":[{\"name\":\"@a\",\"scalar\":\"u33\"}],\"body\":[]"), "GA0015", "kernels[0].params[0]"},
	{KERNEL("\"params\":[{\"name\":\"@a\"}],\"body\":[]"), "GA0106", "kernels[0].params[0]"},
	{KERNEL("\"params\":[{\"name\":\"@a\",\"buffer\":\"u32\"}],\"body\":[]"), "GA0109", "kernels[0].params[0]"},
	{KERNEL("\"params\":[{\"name\":\"@a\",\"buffer\":\"u32\",\"access\":\"rw\"}],\"body\":[]"), "GA0106",
	 "kernels[0].params[0]"},
	{KERNEL("\"params\":[{\"name\":\"@a\",\"buffer\":\"u32\",\"access\":\"read\",\"binding\":65535}],\"body\":[]"),
	 NULL, ""},
	{KERNEL("\"params\":[{\"name\":\"@a\",\"buffer\":\"u32\",\"access\":\"read\",\"binding\":65536}],\"body\":[]"),
	 "GA0006", "kernels[0].params[0]"},
	{KERNEL("\"params\":[{\"name\":\"@a\",\"buffer\":\"u32\",\"access\":\"read\",\"set\":0.5}],\"body\":[]"),
	 "GA0106", "kernels[0].params[0]"},
	{KERNEL("\"params\":[{\"name\":\"@a\",\"buffer\":\"u32\",\"access\":\"read\",\"set\":-1}],\"body\":[]"),
	 "GA0106", "kernels[0].params[0]"},
	{KERNEL("\"params\":[{\"name\":\"@a\",\"scalar\":\"u32\",\"set\":1}],\"body\":[]"), "GA0107",
	 "kernels[0].params[0]"},
	{KERNEL("\"params\":[{\"name\":\"@a\",\"spec\":\"u32\"}],\"body\":[]"), "GA0109", "kernels[0].params[0]"},
	{KERNEL("\"params\":[{\"name\":\"@a\",\"scalar\":\"u32\"},{\"name\":\"@a\",\"scalar\":\"u32\"}],\"body\":[]"),
	 "GA0004", "kernels[0].params[1]"},
	{KERNEL("\"shared\":[{\"name\":\"@t\",\"type\":\"f32\",\"length\":4}],\"body\":[]"), NULL, ""},
	{KERNEL("\"shared\":[{\"name\":\"@t\",\"type\":\"f32\",\"length\":0}],\"body\":[]"), "GA0039",
	 "kernels[0].shared[0]"},
	{KERNEL("\"local\":[{\"name\":\"@t\",\"type\":\"f32\",\"length\":\"%x\"}],\"body\":[]"), "GA0106",
	 "kernels[0].local[0]"},
	{BODY("[\"%x\",\"Mov.u32\",9007199254740991]"), "GA0028", "kernels[0].body[0]"},
	{BODY("[\"%x\",\"Mov.u64\",9007199254740991]"), NULL, ""},
	{BODY("[\"%x\",\"Mov.u64\",9007199254740992]"), "GA0106", "kernels[0].body[0]"},
	{BODY("[\"%x\",\"Mov.u64\",\"9007199254740992\"]"), NULL, ""},
	{BODY("[\"%x\",\"Mov.f32\",0.5]"), "GA0106", "kernels[0].body[0]"},
	{BODY("[\"%x\",\"Mov.f32\",\"0.5\"]"), NULL, ""},
	{BODY("[\"%x\",\"Mov.f32\",1e400]"), "GA0106", "kernels[0].body[0]"},
	{BODY("[\"%x\",\"Mov.bool\",true]"), "GA0106", "kernels[0].body[0]"},
	{BODY("[\"%x\",\"Mov.bool\",\"true\"]"), NULL, ""},
	{BODY("[\"%x\",\"Mov.f32\",\"1 }\"]"), "GA0026", "kernels[0].body[0]"},
	{BODY("[\"%x y\",\"Mov.f32\",1]"), "GA0002", "kernels[0].body[0]"},
	{BODY("[\"%x\",\"Mov.f33\",1]"), "GA0015", "kernels[0].body[0]"},
	{BODY("[\"%x\",\"Mvo.f32\",1]"), "GA0012", "kernels[0].body[0]"},
	{BODY("[\"%x\",\"Mov.f32 1\"]"), "GA0017", "kernels[0].body[0]"},
	{BODY("[\"%x\",\"\",1]"), "GA0012", "kernels[0].body[0]"},
	{BODY("[\"x\",\"Mov.f32\",1]"), "GA0106", "kernels[0].body[0]"},
	{BODY("[null,\"break\"]"), "GA0055", "kernels[0].body[0]"},
	{BODY("[\"%x\",\"break\"]"), "GA0054", "kernels[0].body[0]"},
	{BODY("[null,\"break_if\"]"), "GA0050", "kernels[0].body[0]"},
	{BODY("{\"loop\":[[null,\"break_if\",\"true\"]]}"), NULL, ""},
	{BODY("{\"loop\":[[null,\"break\"]],\"do\":[]}"), "GA0107", "kernels[0].body[0]"},
	{BODY("{\"if\":\"true\",\"then\":[],\"else\":[]}"), NULL, ""},
	{BODY("{\"if\":\"true\",\"then\":[],\"else\":null}"), "GA0106", "kernels[0].body[0]"},
	{BODY("{\"if\":\"true\"}"), "GA0109", "kernels[0].body[0]"},
	{BODY("{\"if\":\"true\",\"then\":[[null,\"Nop\"],[null,\"Nope.f32\"]]}"), "GA0013",
	 "kernels[0].body[0].then[1]"},
	{BODY("[null,\"Nop\"],{\"if\":\"true\",\"then\":[],\"else\":[{\"loop\":[[\"%y\",\"Neg.f32\",\"%z\"]]}]}"),
	 "GA0031", "kernels[0].body[1].else[0].loop[0]"},
	{BODY("{\"for\":[\"%k.u32\",0,4],\"do\":[[null,\"StoreGlobal.u32\",\"@o\",\"%k\",\"%k\"]]}"), NULL, ""},
	{BODY("{\"for\":[\"%k.u32\",0,4],\"do\":[[null,\"StoreGlobal.f32\",\"@o\",\"%k\",1]]}"), "GA0048",
	 "kernels[0].body[0].do[0]"},
	{BODY("{\"for\":[\"%k.f32\",0,4],\"do\":[]}"), "GA0020", "kernels[0].body[0]"},
	{BODY("{\"for\":[\"%k.u32\",0],\"do\":[]}"), "GA0021", "kernels[0].body[0]"},
	{BODY("{\"for\":[\"%k\",0,4],\"do\":[]}"), "GA0106", "kernels[0].body[0]"},
	{BODY("{\"for\":[\"%k.u32\",0,4],\"unroll\":1,\"do\":[]}"), "GA0106", "kernels[0].body[0]"},
	{BODY("{\"for\":[\"%k.u32\",0,4],\"unroll\":true,\"do\":[]}"), NULL, ""},
	{BODY("{\"switch\":\"%x\",\"cases\":[]}"), "GA0111", "kernels[0].body[0]"},
	{BODY("{\"while\":[]}"), "GA0106", "kernels[0].body[0]"},
	{BODY("1"), "GA0106", "kernels[0].body[0]"},
	{STREAM("[22,0,0,1],{\"opcode\":25,\"a\":0,\"b\":0,\"d\":0}"), NULL, ""},
	{STREAM("[25,0,0]"), "GA0106", "kernels[0].stream[0]"},
	{STREAM("[25,0,0,0],[25,0,0,0,0]"), "GA0106", "kernels[0].stream[1]"},
	{STREAM("{\"opcode\":25,\"a\":0,\"b\":0}"), "GA0109", "kernels[0].stream[0]"},
	{STREAM("{\"opcode\":25,\"a\":0,\"b\":0,\"c\":0}"), "GA0107", "kernels[0].stream[0]"},
	{STREAM("[25,0,0.5,0]"), "GA0106", "kernels[0].stream[0]"},
	{STREAM("[26,0,0,0]"), "GA0063", "kernels[0].stream[0]"},
	{STREAM("[1,64,0,0]"), "GA0064", "kernels[0].stream[0]"},
	{KERNEL("\"stream\":[],\"body\":[]"), "GA0107", "kernels[0]"},
	{MODULE("\"kernels\":[{\"kernel\":\"k\",\"workgroup\":[4,0],\"stream\":[]}]"), "GA0039", "kernels[0]"},
	{MODULE("\"kernels\":[{\"kernel\":\"k\",\"workgroup\":[\"6v4\"],\"stream\":[]}]"), "GA0026", "kernels[0]"},
	{MODULE("\"consts\":[{\"name\":\"@c\",\"type\":\"u32\",\"values\":[1]}],"
		"\"kernels\":[{\"kernel\":\"k\",\"workgroup\":[\"@c\"],\"stream\":[]}]"), "GA0038", "kernels[0]"},
	{MODULE("\"kernels\":[{\"kernel\":\"k\",\"workgroup\":[\"0x10\"],\"stream\":[]}]"), NULL, ""},
};

Test(ir_json, names_the_path_of_wrong_meaning)
{
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
		const struct meaning *row = &meanings[i];
		struct seen seen = read_json(row->text, strlen(row->text));

		cr_expect(eq(str, seen.code, (char *)(row->code ? row->code : "")), "row %zu: %s", i, row->text);
		cr_expect(eq(str, seen.path, (char *)row->path), "row %zu: %s", i, row->text);
	}
}

/* What a prefix, repeated, and its end make. */
static char *nest(const char *open, const char *close, size_t depth, const char *head, const char *tail)
{
	size_t bytes = strlen(head) + strlen(tail) + depth * (strlen(open) + strlen(close)) + 1;
	char *text = malloc(bytes), *at = text;

	at = stpcpy(at, head);
	for (size_t i = 0; i < depth; i++)
		at = stpcpy(at, open);
	for (size_t i = 0; i < depth; i++)
		at = stpcpy(at, close);
	stpcpy(at, tail);
	return text;
}

Test(ir_json, limits_nesting)
{
	static const char head[] = "{\"schema\":\"glacier-kernel\",\"version\":1,\"kernels\":[{\"kernel\":\"k\","
				   "\"workgroup\":[1],\"body\":[";
	static const struct {
		size_t depth;
		const char *code;
	} rows[] = {{480, ""}, {481, "GA0008"}, {500, "GA0101"}, {2000000, "GA0101"}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *text = nest("{\"if\":\"true\",\"then\":[", "]}", rows[i].depth, head, "]}]}");
		struct seen seen = read_json(text, strlen(text));

		cr_expect(eq(str, seen.code, (char *)rows[i].code), "%zu deep", rows[i].depth);
		free(text);
	}
}

/* Deeper than JSON can be read back, so not written either. */
Test(ir_json, prints_no_module_that_it_could_not_read)
{
	for (size_t depth = 480; depth <= 481; depth++) {
		char *text = nest("if true {\n", "}\n", depth, "kernel k() workgroup 1 {\n", "}\n");
		struct glacier_text input = {.text = text, .size = strlen(text)};
		struct glacier_buffer out = {0};
		struct glacier_module *module;

		cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
		cr_assert(eq(int, glacier_module_read_text(module, &input, NULL, NULL), GLACIER_OK));
		cr_expect(eq(int, glacier_module_print(module, GLACIER_FORM_JSON, &out, NULL),
			     depth == 480 ? GLACIER_OK : GLACIER_ERR_LIMIT));
		cr_expect(depth == 480 ? out.size > 0 : out.size == 0);
		glacier_buffer_fini(&out);
		glacier_module_destroy(module);
		free(text);
	}
}

Test(ir_json, reports_no_more_than_asked_for)
{
	char text[64 * 1024] = "{\"schema\":\"glacier-kernel\",\"version\":1,\"kernels\":[";
	char *at = text + strlen(text);

	for (int i = 0; i < 1000; i++)
		at = stpcpy(at, "{\"kernal\":1},");
	strcpy(at - 1, "]}");
	cr_expect(eq(u32, read_json(text, strlen(text)).errors, 20));
}

/* Only the size is looked at: the bytes need not exist. */
Test(ir_json, limits_the_size_of_a_document)
{
	struct seen seen = read_json("[1]", (1u << 28) + 1);

	cr_expect(eq(str, seen.code, (char *)"GA0105"));
	cr_expect(eq(str, read_json("[1]", 3).code, (char *)"GA0106"));
}

static bool find_nothing(void *user, const char *path, const char *from, struct glacier_text *out)
{
	(void)user;
	(void)from;
	*out = (struct glacier_text){.name = path, .text = "", .size = 0};
	return true;
}

/* A path of the text form may be any bytes; one in JSON is UTF-8, with escapes where needed. */
Test(ir_json, prints_paths_that_json_can_hold)
{
	static const struct {
		const char *path, *json;   /* NULL: refused */
	} rows[] = {
		{"a/b.gasm", "\"a/b.gasm\""},
		{"a\\b\x01.gasm", "\"a\\\\b\\u0001.gasm\""},
		{"caf\xc3\xa9.gasm", "\"caf\xc3\xa9.gasm\""},
		{"caf\xe9.gasm", NULL},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct glacier_read_options options = {.include = find_nothing};
		char text[128];
		int bytes = snprintf(text, sizeof text, "include \"%s\"\nkernel k() workgroup 1 {\n}\n", rows[i].path);
		struct glacier_text input = {.text = text, .size = (size_t)bytes};
		struct seen seen = {0};
		struct glacier_diag diag = {.report = remember, .user = &seen};
		struct glacier_buffer out = {0};
		struct glacier_module *module;

		cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
		cr_assert(eq(int, glacier_module_read_text(module, &input, &options, NULL), GLACIER_OK));
		cr_expect(eq(int, glacier_module_print(module, GLACIER_FORM_JSON, &out, &diag),
			     rows[i].json ? GLACIER_OK : GLACIER_ERR_UNSUPPORTED));
		cr_expect(eq(str, seen.code, (char *)(rows[i].json ? "" : "GA0112")));
		if (rows[i].json) {
			glacier_module_destroy(module);
			cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
			input = (struct glacier_text){.text = (const char *)out.data, .size = out.size};
			cr_expect(eq(int, glacier_module_read_json(module, &input, &options, NULL), GLACIER_OK));
			out.size = 0;
			cr_assert(eq(int, glacier_module_print(module, GLACIER_FORM_TEXT, &out, NULL), GLACIER_OK));
			cr_expect(eq(int, memcmp(out.data, text, strcspn(text, "\n")), 0));
		}
		glacier_buffer_fini(&out);
		glacier_module_destroy(module);
	}
}
