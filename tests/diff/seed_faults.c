/* SPDX-License-Identifier: MIT */
/*
 * Thirteen faults that a compiler of these streams had (they were numbered W1 to W13), each a
 * check that it would fail: by the numeric stream, and by text where text can say it.
 * tests/exec/stream.sh runs the streams on a device.
 */
#include <glacier.h>

#ifdef HAVE_VALID
#include "valid.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOP, ADD, SUB, MUL, DIV, FMA, NEG, ABS, MIN, MAX, SQRT, RSQRT, EXP, LOG, TANH, LOAD, STORE, LOAD_SHARED,
       STORE_SHARED, CONSTANT, SHUFFLE, BARRIER, LOCAL_ID, GLOBAL_ID, ATOMIC_ADD, RETURN, OPCODES };

static struct glacier_module *module;
static struct glacier_buffer ptx, spirv;
static char code[8];
static int failures;

#define CHECK(condition, what) \
	((condition) ? (void)0 : (void)(printf("FAIL: line %d: %s\n", __LINE__, what), failures++))

static void hear(void *user, const struct glacier_diagnostic *d)
{
	(void)user;
	if (d->severity == GLACIER_ERROR && !code[0])
		snprintf(code, sizeof code, "%s", d->code);
}

static bool write_both(void)
{
	struct glacier_diag diag = {.report = hear};
	struct glacier_target target;

	ptx.size = spirv.size = 0;
	glacier_target_parse("ptx:sm_90", &target, NULL);
	if (glacier_module_write(module, &target, NULL, &ptx, &diag) != GLACIER_OK)
		return false;
	glacier_target_parse("spirv", &target, NULL);
	return glacier_module_write(module, &target, NULL, &spirv, &diag) == GLACIER_OK;
}

static bool from_rows(const struct glacier_row *rows, size_t count, const char *name)
{
	struct glacier_stream_options options = {.name = name};
	struct glacier_diag diag = {.report = hear};

	code[0] = '\0';
	return glacier_kernel_from_stream(module, rows, count, &options, &diag) == GLACIER_OK && write_both();
}

static bool from_text(const char *text)
{
	struct glacier_text input = {.text = text, .size = strlen(text)};
	struct glacier_diag diag = {.report = hear};

	code[0] = '\0';
	return glacier_module_read_text(module, &input, NULL, &diag) == GLACIER_OK && write_both();
}

#define ROWS(name, ...)                                                               \
	from_rows((const struct glacier_row[]){__VA_ARGS__},                          \
		  sizeof((const struct glacier_row[]){__VA_ARGS__}) / sizeof(struct glacier_row), name)

/* --- What came out ------------------------------------------------------- */

static int count_ptx(const char *needle)
{
	size_t bytes = strlen(needle);
	int count = 0;

	for (size_t i = 0; i + bytes <= ptx.size; i++)
		count += !memcmp(ptx.data + i, needle, bytes);
	return count;
}

static uint32_t word(size_t index)
{
	uint32_t value;

	memcpy(&value, spirv.data + 4 * index, 4);
	return value;
}

/* Instructions with the opcode; inside: between OpFunction and OpFunctionEnd only. */
static int count_spirv(uint32_t opcode, bool inside)
{
	bool in_function = false;
	int count = 0;

	for (size_t at = 5; at < spirv.size / 4; at += word(at) >> 16) {
		uint32_t op = word(at) & 0xffff;

		in_function = (in_function || op == 54) && op != 56;
		count += op == opcode && (in_function || !inside);
	}
	return count;
}

/* The value of the 32-bit OpConstant with that id. */
static uint32_t constant(uint32_t id)
{
	for (size_t at = 5; at < spirv.size / 4; at += word(at) >> 16)
		if ((word(at) & 0xffff) == 43 && word(at + 2) == id)
			return word(at + 3);
	return UINT32_MAX;
}

static void judge(int line)
{
#ifdef HAVE_VALID
	static struct valid *valid;
	char why[512];

	if (!valid)
		valid = valid_create("vulkan1.3");
	if (!valid_spirv(valid, (const uint32_t *)(const void *)spirv.data, spirv.size / 4, why, sizeof why)) {
		printf("FAIL: line %d: SPIRV-Tools: %s\n", line, why);
		failures++;
	}
#endif
	(void)line;
}

/* 0 when there is no ptxas. */
static void assemble(int line)
{
	static int present = -1;
	FILE *pipe;

	if (present < 0)
		present = system("ptxas --version >/dev/null 2>&1") == 0;
	if (!present)
		return;
	pipe = popen("ptxas -arch=sm_90 -o /dev/null - >/dev/null 2>&1", "w");
	if (!pipe || fwrite(ptx.data, 1, ptx.size, pipe) != ptx.size || pclose(pipe)) {
		printf("FAIL: line %d: ptxas refuses it\n", line);
		failures++;
	}
}

/* --- The faults ---------------------------------------------------------- */

/* W1: Nop became `nop;`, which PTX does not have. */
static void nop_is_nothing(void)
{
	CHECK(ROWS("k", {NOP, 0, 0, 0}, {RETURN, 0, 0, 0}), "a stream with Nop");
	CHECK(!count_ptx("nop"), "nop in PTX");
	assemble(__LINE__);
	CHECK(from_text("kernel k() workgroup 64 {\nNop\nReturn\n}\n"), "a text with Nop");
	CHECK(!count_ptx("nop"), "nop in PTX");
	CHECK(!count_spirv(0, false), "OpNop in SPIR-V");
	assemble(__LINE__);
}

/* W2: constants were printed as decimals, and whole ones became integers. */
static void constants_keep_their_bits(void)
{
	static const struct {
		const char *text;
		uint32_t bits;
	} rows[] = {{"1.5", 0x3fc00000}, {"0.1", 0x3dcccccd}, {"1e-5", 0x3727c5ac}, {"1e20", 0x60ad78ec}, {"nan", 0x7fc00000},
		    {"-inf", 0xff800000}, {"1", 0x3f800000}};
	char text[256], digits[16];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(digits, sizeof digits, "0f%08X", rows[i].bits);
		CHECK(ROWS("k", {GLOBAL_ID, 0, 0, 0}, {CONSTANT, (int32_t)rows[i].bits, 0, 1}, {STORE, 1, 0, 0}), rows[i].text);
		CHECK(count_ptx(digits) == 1, rows[i].text);
		assemble(__LINE__);
		snprintf(text, sizeof text, "kernel k(@o: buffer f32 write) workgroup 64 {\n%%x = LoadConstant.f32 %s\n"
			 "StoreGlobal.f32 @o, 0, %%x\n}\n", rows[i].text);
		CHECK(from_text(text), rows[i].text);
		CHECK(count_ptx(digits) == 1, rows[i].text);
		assemble(__LINE__);
	}
}

/* W3: Exp and Log were to the base 2 on one target and natural on the other. */
static void exp_is_natural(void)
{
	CHECK(ROWS("k", {GLOBAL_ID, 0, 0, 0}, {LOAD, 0, 0, 1}, {EXP, 1, 0, 2}, {LOG, 2, 0, 3}, {STORE, 3, 0, 0}), "Exp, Log");
	CHECK(!count_ptx("ex2.approx") && !count_ptx("lg2.approx"), "a native form without a bound");
	/* One expansion for both: 1/ln 2 and ln 2 are in it. */
	CHECK(count_ptx("0f3FB8AA3B") > 0, "no 1 / ln 2 in Exp");
	/* GLSL.std.450 has Exp 27 and Log 28, by which devices differ. */
	for (size_t at = 5; at < spirv.size / 4; at += word(at) >> 16)
		CHECK((word(at) & 0xffff) != 12 || (word(at + 4) != 27 && word(at + 4) != 28), "a native form in SPIR-V");
}

/* W4: index registers 1 to 5 held n and the ids: LocalId into r5 destroyed GlobalId. */
static void registers_alias_nothing(void)
{
	size_t size;
	unsigned char *kept;

	CHECK(ROWS("k", {GLOBAL_ID, 0, 0, 40}, {LOCAL_ID, 0, 0, 41}, {LOAD, 0, 40, 1}, {STORE, 1, 41, 0}), "high registers");
	size = ptx.size;
	kept = malloc(size);
	if (!kept)
		exit(99);
	memcpy(kept, ptx.data, size);
	for (int32_t r = 1; r <= 5; r++) {
		CHECK(ROWS("k", {GLOBAL_ID, 0, 0, 0}, {LOCAL_ID, 0, 0, r}, {LOAD, 0, 0, 1}, {STORE, 1, r, 0}), "low registers");
		CHECK(ptx.size == size && !memcmp(kept, ptx.data, size), "the number of a register changed the code");
	}
	free(kept);
}

/* W5: LoadGlobal read input_a whatever it was told. */
static void each_buffer_is_read(void)
{
	CHECK(ROWS("vector_add", {GLOBAL_ID, 0, 0, 0}, {LOAD, 0, 0, 0}, {LOAD, 1, 0, 1}, {ADD, 0, 1, 2}, {STORE, 2, 0, 0}), "");
	CHECK(count_ptx("ld.global") == 2 && count_ptx("input_b]") == 1, "input_b is not read");
	CHECK(count_spirv(61, true) >= 2, "loads in SPIR-V");
}

/* W6, W7: every kernel had one name, and a cache that did not ask for it. */
static void names_reach_the_code(void)
{
	struct glacier_row rows[] = {{GLOBAL_ID, 0, 0, 0}, {LOAD, 0, 0, 1}, {STORE, 1, 0, 0}};
	struct glacier_compile_request request = {
		.content = GLACIER_CONTENT_ROWS, .data = rows, .size = sizeof rows, .name = "one"};
	const struct glacier_compiled *first, *second, *third;
	struct glacier_compile_cache *cache;

	CHECK(from_rows(rows, 3, "vector_add") && count_ptx(".entry vector_add(") == 1, "the name in PTX");
	CHECK(from_text("kernel other() workgroup 64 {\n}\n") && count_ptx(".entry other(") == 1, "the name in PTX");
	if (glacier_compile_cache_create(1 << 20, &cache) != GLACIER_OK)
		exit(99);
	glacier_target_parse("ptx:sm_90", &request.target, NULL);
	CHECK(glacier_compile_cache_get(cache, &request, &first, NULL) == GLACIER_OK, "the cache");
	request.name = "two";
	CHECK(glacier_compile_cache_get(cache, &request, &second, NULL) == GLACIER_OK, "the cache");
	request.name = "one";
	glacier_target_parse("spirv", &request.target, NULL);
	CHECK(glacier_compile_cache_get(cache, &request, &third, NULL) == GLACIER_OK, "the cache");
	CHECK(first != second && first != third, "one object for two names or targets");
	CHECK(third->size > 4 && !memcmp(third->data, "\x03\x02\x23\x07", 4), "no SPIR-V after PTX was asked for");
	glacier_compiled_release(cache, first);
	glacier_compiled_release(cache, second);
	glacier_compiled_release(cache, third);
	glacier_compile_cache_destroy(cache);
}

/* W8: a stream that ended in Return returned twice. W13: the generator was another tool's. */
static void one_return(void)
{
	CHECK(ROWS("k", {GLOBAL_ID, 0, 0, 0}, {LOAD, 0, 0, 1}, {STORE, 1, 0, 0}, {RETURN, 0, 0, 0}), "Return");
	CHECK(count_spirv(253, true) == 1 && count_ptx("\tret;") == 1, "returns");
	CHECK(word(2) == 0, "the generator is not 0");
	judge(__LINE__);
	CHECK(from_text("kernel k() workgroup 64 {\nReturn\n}\n"), "Return");
	CHECK(count_spirv(253, true) == 1 && word(2) == 0, "returns");
	judge(__LINE__);
}

/* W9: a barrier put constants into the function. W10: its semantics ordered nothing. */
static void barrier(int line)
{
	uint32_t semantics = 0;

	CHECK(!count_spirv(43, true), "OpConstant in a function");
	for (size_t at = 5; at < spirv.size / 4; at += word(at) >> 16)
		if ((word(at) & 0xffff) == 224)
			semantics = constant(word(at + 3));
	/* AcquireRelease, of buffers and of shared memory. */
	CHECK(semantics == 0x148, "the semantics of the barrier");
	CHECK(count_ptx("bar.sync") == 1, "bar.sync");
	judge(line);
	assemble(line);
}

static void barriers_order_memory(void)
{
	CHECK(ROWS("k", {LOCAL_ID, 0, 0, 0}, {CONSTANT, 0x3f800000, 0, 1}, {STORE_SHARED, 1, 0, 0}, {BARRIER, 0, 0, 0},
		   {LOAD_SHARED, 0, 0, 2}, {STORE, 2, 0, 0}), "a stream with a barrier");
	barrier(__LINE__);
	CHECK(from_text("kernel k(@o: buffer f32 readwrite) workgroup 64 {\nshared @s: f32[64]\n%i = LocalIndex\n"
			"StoreShared.f32 @s, %i, 1\nBarrierSync\n%x = LoadShared.f32 @s, %i\nStoreGlobal.f32 @o, %i, %x\n}\n"),
	      "a text with a barrier");
	barrier(__LINE__);
}

/* W11: 18 of the 26 opcodes became OpNop. Each does something here: without its row the code differs. */
static void nothing_is_dropped(void)
{
	for (int32_t op = ADD; op < OPCODES; op++) {
		struct glacier_row rows[] = {
			{GLOBAL_ID, 0, 0, 0}, {LOCAL_ID, 0, 0, 1}, {LOAD, 0, 0, 1}, {LOAD, 1, 0, 2},
			{LOAD, 1, 1, 3}, {op, 0, 0, 0}, {STORE, 3, 0, 0}, {STORE, 1, 1, 0}};
		struct glacier_row *row = &rows[5];
		unsigned char *with;
		size_t size;
		char what[32];

		snprintf(what, sizeof what, "opcode %d", op);
		if (op == STORE || op == STORE_SHARED)
			*row = (struct glacier_row){op, 2, 0, 0};
		else if (op == LOAD || op == LOAD_SHARED)
			*row = (struct glacier_row){op, 0, 1, 3};
		else if (op == CONSTANT)
			*row = (struct glacier_row){op, 0x40490fdb, 0, 3};
		else if (op == LOCAL_ID || op == GLOBAL_ID)
			*row = (struct glacier_row){op, 0, 0, op == LOCAL_ID ? 0 : 1};
		else if (op != BARRIER && op != RETURN)
			*row = (struct glacier_row){op, 1, op == ATOMIC_ADD ? 0 : 2, 3};
		CHECK(from_rows(rows, 8, "k"), what);
		CHECK(!count_spirv(0, false), "OpNop");
		judge(__LINE__);
		size = spirv.size;
		with = malloc(size);
		if (!with)
			exit(99);
		memcpy(with, spirv.data, size);
		memmove(row, row + 1, 2 * sizeof *row);
		CHECK(from_rows(rows, 7, "k"), what);
		CHECK(spirv.size != size || memcmp(with, spirv.data, size), what);
		free(with);
	}
}

/* W12: vertex and pixel modules were written, and were wrong. They are refused by name. */
static void stages_are_refused(void)
{
	CHECK(!from_text("vertex v() workgroup 64 {\n}\n") && !strcmp(code, "GA0025"), "a vertex stage");
	CHECK(!from_text("pixel p() workgroup 64 {\n}\n") && !strcmp(code, "GA0025"), "a pixel stage");
	CHECK(!ROWS("k", {OPCODES, 0, 0, 0}) && !strcmp(code, "GA0063"), "an unknown opcode");
	CHECK(!ROWS("k", {ADD, 64, 0, 0}) && !strcmp(code, "GA0064"), "a register beyond the file");
}

int main(void)
{
	if (glacier_module_create(NULL, &module) != GLACIER_OK)
		return 99;
	nop_is_nothing();
	constants_keep_their_bits();
	exp_is_natural();
	registers_alias_nothing();
	each_buffer_is_read();
	names_reach_the_code();
	one_return();
	barriers_order_memory();
	nothing_is_dropped();
	stages_are_refused();
	glacier_buffer_fini(&ptx);
	glacier_buffer_fini(&spirv);
	glacier_module_destroy(module);
	return failures != 0;
}
