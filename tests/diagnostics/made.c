/* SPDX-License-Identifier: MIT */
#include "made.h"

#include <glacier.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* An input under construction. */
struct text {
	char *at;
	size_t size, capacity;
};

static void put(struct text *text, const char *piece, unsigned count)
{
	size_t bytes = strlen(piece);

	while (count--) {
		if (text->size + bytes + 1 > text->capacity) {
			text->capacity = 2 * text->capacity + bytes + 4096;
			text->at = realloc(text->at, text->capacity);
			if (!text->at)
				exit(99);
		}
		memcpy(text->at + text->size, piece, bytes + 1);
		text->size += bytes;
	}
}

struct heard {
	char code[8];
	uint32_t line, count;
};

static void hear(void *user, const struct glacier_diagnostic *d)
{
	struct heard *heard = user;

	if (d->severity == GLACIER_NOTE || heard->count++)
		return;
	snprintf(heard->code, sizeof heard->code, "%s", d->code);
	heard->line = d->location.line;
}

struct input {
	const char *text;
	size_t size;
	bool json, print_json;
	size_t limit_bytes;
};

/* Another text for every include. */
static bool include(void *user, const char *path, const char *from, struct glacier_text *out)
{
	(void)user, (void)from;
	*out = (struct glacier_text){.name = path, .text = "", .size = 0};
	return true;
}

static struct heard read_input(struct input in)
{
	struct heard heard = {0};
	struct glacier_diag diag = {.report = hear, .user = &heard};
	struct glacier_text input = {.text = in.text, .size = in.size};
	struct glacier_read_options options = {.include = include};
	struct glacier_buffer buffer = {0};
	struct glacier_memory memory;
	struct glacier_module *module;
	enum glacier_status status;

	glacier_memory_init(&memory, NULL, 0);
	memory.limit_bytes = in.limit_bytes;
	if (glacier_module_create(&memory, &module) != GLACIER_OK)
		exit(99);
	status = in.json ? glacier_module_read_json(module, &input, &options, &diag)
			 : glacier_module_read_text(module, &input, &options, &diag);
	if (status == GLACIER_OK && in.print_json)
		glacier_module_print(module, GLACIER_FORM_JSON, &buffer, &diag);
	glacier_buffer_fini(&buffer);
	glacier_module_destroy(module);
	glacier_memory_fini(&memory);
	return heard;
}

static bool expect(const char *what, struct heard heard, const char *code, uint32_t line)
{
	if (!strcmp(heard.code, code) && heard.count == (code[0] != '\0') && heard.line == line)
		return true;
	printf("FAIL: %s: %u reports, the first is [%s] at line %u; wanted [%s] at line %u\n", what, heard.count, heard.code,
	       heard.line, code, line);
	return false;
}

/* --- One function a code ------------------------------------------------- */

static bool out_of_memory(void)
{
	static const char text[] = "kernel k() workgroup 1 {\n}\n";
	struct input in = {.text = text, .size = sizeof text - 1, .limit_bytes = 1};
	bool good = expect("no memory", read_input(in), "GA0001", 0);

	in.limit_bytes = 0;
	return expect("memory", read_input(in), "", 0) && good;
}

/* Address space is enough: nothing is read before the size is seen. */
static bool too_large(const char *code, bool json, size_t limit)
{
	char *text = mmap(NULL, limit + 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct text small = {0};
	bool good;

	if (text == MAP_FAILED)
		exit(99);
	good = expect("a huge input", read_input((struct input){.text = text, .size = limit + 1, .json = json}), code, 0);
	munmap(text, limit + 1);
	/* A twin of 10 MB, so that the test ends: nothing but space behind what counts. */
	put(&small, json ? "{\"schema\":\"glacier-kernel\",\"version\":1,\"kernels\":[{\"kernel\":\"k\",\"workgroup\":[1],\"body\":[]}]}"
			 : "kernel k() workgroup 1 {\n}\n", 1);
	put(&small, "          ", 1000000);
	good = expect("10 MB", read_input((struct input){.text = small.at, .size = small.size, .json = json}), "", 0) && good;
	free(small.at);
	return good;
}

static bool text_nested(unsigned depth, const char *code)
{
	struct text text = {0};
	bool good;

	put(&text, "kernel k(@p: bool) workgroup 1 {\n", 1);
	put(&text, "if @p {\n", depth);
	put(&text, "}\n", depth + 1);
	good = expect("nested ifs", read_input((struct input){.text = text.at, .size = text.size}), code, code[0] ? depth + 1 : 0);
	free(text.at);
	return good;
}

static bool nesting(void)
{
	bool good = text_nested(1001, "GA0008");

	return text_nested(1000, "") && good;
}

static bool json_arrays(unsigned depth, const char *code)
{
	struct text text = {0};
	struct heard heard;

	put(&text, "[", depth);
	put(&text, "]", depth);
	heard = read_input((struct input){.text = text.at, .size = text.size, .json = true});
	free(text.at);
	/* Arrays are no module, which is said of those that are not too deep. */
	return expect("nested arrays", heard, code, heard.line);
}

static bool json_depth(void)
{
	bool good = json_arrays(981, "GA0101");

	return json_arrays(980, "GA0106") && good;
}

static bool unrolled(const char *inner, const char *code)
{
	struct text text = {0};
	struct heard heard;

	put(&text, "kernel k(@o: buffer u32 readwrite) workgroup 1 {\nfor %i.u32 = 0, 1024 unroll {\nfor %j.u32 = 0, ", 1);
	put(&text, inner, 1);
	put(&text, " unroll {\nfor %k.u32 = 0, 1024 unroll {\nStoreGlobal.u32 @o, %k, %j\n}\n}\n}\n}\n", 1);
	heard = read_input((struct input){.text = text.at, .size = text.size});
	free(text.at);
	return expect("unrolled loops", heard, code, heard.line);
}

static bool unroll_size(void)
{
	bool good = unrolled("1024", "GA0060");

	return unrolled("1", "") && good;
}

static bool included(const char *path, const char *code)
{
	struct text text = {0};
	struct heard heard;

	put(&text, "include \"", 1);
	put(&text, path, 1);
	put(&text, "\"\nkernel k() workgroup 1 {\n}\n", 1);
	heard = read_input((struct input){.text = text.at, .size = text.size, .print_json = true});
	free(text.at);
	return expect("a path", heard, code, 0);
}

static bool json_path(void)
{
	bool good = included("a\xff", "GA0112");

	return included("a\xc3\xbf", "") && good;
}

/* What a program builds by calls: the same calls, one of them wrong or right. */
static bool built_as(const char *code, bool wrong)
{
	struct heard heard = {0};
	struct glacier_diag diag = {.report = hear, .user = &heard};
	struct glacier_module *module;
	struct glacier_build *build;
	struct glacier_operand foreign, own, one;

	if (glacier_module_create(NULL, &module) != GLACIER_OK)
		exit(99);
	build = glacier_build_begin(module, &diag);
	one = glacier_build_uint(build, 1);
	glacier_build_kernel(build, "first", 64, 0, 0);
	foreign = glacier_build_scalar(build, "x", GLACIER_U32);
	glacier_build_kernel(build, "second", 64, 0, 0);
	own = glacier_build_scalar(build, "x", GLACIER_U32);
	if (!strcmp(code, "GA0113") && wrong)
		glacier_build_scalar(build, "y", GLACIER_U32), glacier_build_else(build);
	else if (!strcmp(code, "GA0114"))
		glacier_build_value(build, GLACIER_OP_ADD, GLACIER_U32, (struct glacier_operand[]){wrong ? foreign : own, one}, 2);
	else if (!strcmp(code, "GA0115"))
		glacier_build_value(build, wrong ? (enum glacier_opcode)9999 : GLACIER_OP_ADD, GLACIER_U32,
				    (struct glacier_operand[]){own, one}, 2);
	else
		glacier_build_if(build, glacier_build_bool(build, true));
	if (!strcmp(code, "GA0116") ? !wrong : !strcmp(code, "GA0113") && !wrong)
		glacier_build_close(build);
	glacier_build_end(build, NULL);
	glacier_module_destroy(module);
	return expect(wrong ? "a wrong call" : "the right call", heard, wrong ? code : "", 0);
}

static bool built(const char *code)
{
	bool good = built_as(code, true);

	return built_as(code, false) && good;
}

enum made_result made_try(const char *code)
{
	bool good;

	if (!strcmp(code, "GA0001"))
		good = out_of_memory();
	else if (!strcmp(code, "GA0007"))
		good = too_large(code, false, (size_t)1 << 30);
	else if (!strcmp(code, "GA0008"))
		good = nesting();
	else if (!strcmp(code, "GA0060"))
		good = unroll_size();
	else if (!strcmp(code, "GA0101"))
		good = json_depth();
	else if (!strcmp(code, "GA0105"))
		good = too_large(code, true, (size_t)1 << 28);
	else if (!strcmp(code, "GA0112"))
		good = json_path();
	else if (!strcmp(code, "GA0113") || !strcmp(code, "GA0114") || !strcmp(code, "GA0115") || !strcmp(code, "GA0116"))
		good = built(code);
	else if (!strcmp(code, "GA0082") || !strcmp(code, "GA0303"))
		good = true;   /* rules of the intermediate form, which no input breaks; tests/stress/ptx_limits.c has the second */
	else
		return MADE_NOT;
	return good ? MADE_RIGHT : MADE_WRONG;
}
