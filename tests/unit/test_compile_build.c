/* SPDX-License-Identifier: MIT */
#include <glacier.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

struct seen {
	char code[8], path[64];
	uint32_t errors;
};

static void remember(void *user, const struct glacier_diagnostic *diagnostic)
{
	struct seen *seen = user;

	if (diagnostic->severity != GLACIER_ERROR || seen->errors++)
		return;
	snprintf(seen->code, sizeof seen->code, "%s", diagnostic->code);
	snprintf(seen->path, sizeof seen->path, "%s", diagnostic->location.path ? diagnostic->location.path : "");
}

#define OPERANDS(...) (struct glacier_operand[]){__VA_ARGS__}

/* Everything that can be called, once; the text says what it means. */
static void everything(struct glacier_build *b)
{
	struct glacier_operand none = {0}, values[3], lut, tile, out, on, size, mine, x, k, i, v, p;

	values[0] = glacier_build_f32(b, 1.5f);
	values[1] = glacier_build_int(b, -2);
	values[2] = glacier_build_literal(b, "0x1p-3");
	lut = glacier_build_const(b, "lut", GLACIER_F32, values, 3);

	glacier_build_kernel(b, "first", 0, 0, 0);
	out = glacier_build_buffer(b, "out", GLACIER_F32, GLACIER_READWRITE, 1, 4);
	on = glacier_build_scalar(b, "on", GLACIER_BOOL);
	size = glacier_build_spec(b, "SIZE", GLACIER_U32, glacier_build_uint(b, 64));
	glacier_build_workgroup(b, OPERANDS(size, glacier_build_uint(b, 1)), 2);
	glacier_build_subgroup(b, 32);
	tile = glacier_build_shared(b, "tile", GLACIER_F32, size);
	mine = glacier_build_local(b, "mine", GLACIER_U64, glacier_build_uint(b, 4));
	i = glacier_build_register(b, "t0");
	glacier_build_emit(b, &(struct glacier_instruction){
		.opcode = GLACIER_OP_LOCAL_ID, .dimension = 'y', .result = i});
	v = glacier_build_value(b, GLACIER_OP_LOAD_CONST, GLACIER_F32, OPERANDS(lut, i), 2);
	glacier_build_emit(b, &(struct glacier_instruction){
		.opcode = GLACIER_OP_EXP, .type = GLACIER_F32, .approx = true, .result = v, .operands = {v},
		.operand_count = 1});
	glacier_build_if(b, on);
	glacier_build_emit(b, &(struct glacier_instruction){
		.opcode = GLACIER_OP_ATOMIC_ADD, .type = GLACIER_F32, .order = GLACIER_ORDER_ACQREL,
		.scope = GLACIER_SCOPE_DEVICE, .operands = {out, i, v}, .operand_count = 3});
	glacier_build_else(b);
	k = glacier_build_register(b, "k");
	glacier_build_for(b, k, GLACIER_I32, glacier_build_int(b, 8), glacier_build_int(b, 0),
			  glacier_build_int(b, -2), true);
	x = glacier_build_register(b, NULL);
	glacier_build_named(b, "Cvt.u64.i32", x, &k, 1);
	glacier_build_named(b, "StoreLocal.u64", none, OPERANDS(mine, glacier_build_uint(b, 0), x), 3);
	glacier_build_close(b);
	glacier_build_close(b);
	glacier_build_loop(b);
	p = glacier_build_value(b, GLACIER_OP_IS_NAN, GLACIER_F32, &v, 1);
	glacier_build_continue_if(b, p);
	glacier_build_break_if(b, on);
	glacier_build_if(b, glacier_build_bool(b, true));
	glacier_build_continue(b);
	glacier_build_close(b);
	glacier_build_break(b);
	glacier_build_close(b);
	glacier_build_emit(b, &(struct glacier_instruction){
		.opcode = GLACIER_OP_STORE_SHARED, .type = GLACIER_F32, .operands = {tile, i, v}, .operand_count = 3});
	glacier_build_return(b);

	glacier_build_kernel(b, "second", 8, 8, 4);
	glacier_build_value(b, GLACIER_OP_MOV, GLACIER_F64, OPERANDS(glacier_build_f64(b, 0.1)), 1);
}

static const char everything_text[] =
	"const @lut: f32[3] = { 0f3fc00000, -2, 0x1p-3 }\n"
	"\n"
	"kernel first(@out: buffer f32 readwrite set 1 binding 4, @on: bool, @SIZE: spec u32 = 64)"
	" workgroup @SIZE 1 subgroup 32 {\n"
	"  shared @tile: f32[@SIZE]\n"
	"  local @mine: u64[4]\n"
	"  %t0 = LocalId.y\n"
	"  %t1 = LoadConst.f32 @lut, %t0\n"
	"  %t1 = Exp.f32.approx %t1\n"
	"  if @on {\n"
	"    AtomicAdd.f32.acqrel.device @out, %t0, %t1\n"
	"  } else {\n"
	"    for %k.i32 = 8, 0, -2 unroll {\n"
	"      %t2 = Cvt.u64.i32 %k\n"
	"      StoreLocal.u64 @mine, 0, %t2\n"
	"    }\n"
	"  }\n"
	"  loop {\n"
	"    %t3 = IsNan.f32 %t1\n"
	"    continue_if %t3\n"
	"    break_if @on\n"
	"    if true {\n"
	"      continue\n"
	"    }\n"
	"    break\n"
	"  }\n"
	"  StoreShared.f32 @tile, %t0, %t1\n"
	"  Return\n"
	"}\n"
	"\n"
	"kernel second() workgroup 8 8 4 {\n"
	"  %t0 = Mov.f64 0d3fb999999999999a\n"
	"}\n";

Test(compile_build, makes_the_module_that_the_text_makes)
{
	struct glacier_diag diag = {0};
	struct glacier_buffer out = {0};
	struct glacier_module *module;
	struct glacier_build *build;

	cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
	for (int round = 0; round < 2; round++) {
		build = glacier_build_begin(module, &diag);
		cr_assert(build != NULL);
		everything(build);
		cr_assert(eq(int, glacier_build_end(build, NULL), GLACIER_OK));
		out.size = 0;
		cr_assert(eq(int, glacier_module_print(module, GLACIER_FORM_TEXT, &out, NULL), GLACIER_OK));
		cr_expect(out.size == sizeof everything_text - 1 && !memcmp(out.data, everything_text, out.size),
			  "%.*s", (int)out.size, (const char *)out.data);
	}
	glacier_buffer_fini(&out);
	glacier_module_destroy(module);
}

/* --- What is wrong ------------------------------------------------------- */

static struct glacier_operand begin(struct glacier_build *b)
{
	glacier_build_kernel(b, "k", 64, 0, 0);
	return glacier_build_buffer(b, "x", GLACIER_F32, GLACIER_READWRITE, -1, -1);
}

static void fine(struct glacier_build *b)
{
	begin(b);
	glacier_build_value(b, GLACIER_OP_GLOBAL_ID, GLACIER_VOID, NULL, 0);
}
static void no_kernel(struct glacier_build *b) { (void)b; }
static void statement_outside(struct glacier_build *b) { glacier_build_return(b); }
static void close_nothing(struct glacier_build *b) { begin(b); glacier_build_close(b); }
static void not_closed(struct glacier_build *b) { begin(b); glacier_build_return(b); glacier_build_loop(b); }
static void else_of_loop(struct glacier_build *b) { begin(b); glacier_build_loop(b); glacier_build_else(b); }
static void late_parameter(struct glacier_build *b)
{
	begin(b);
	glacier_build_return(b);
	glacier_build_scalar(b, "n", GLACIER_U32);
}
static void no_type(struct glacier_build *b)
{
	begin(b);
	glacier_build_value(b, GLACIER_OP_ADD, GLACIER_VOID,
			    OPERANDS(glacier_build_int(b, 1), glacier_build_int(b, 2)), 2);
}
static void wrong_type(struct glacier_build *b)
{
	begin(b);
	glacier_build_return(b);
	glacier_build_value(b, GLACIER_OP_FMA, GLACIER_U32, NULL, 0);
}
static void wrong_count(struct glacier_build *b)
{
	begin(b);
	glacier_build_value(b, GLACIER_OP_ADD, GLACIER_U32, OPERANDS(glacier_build_int(b, 1)), 1);
}
static void no_opcode(struct glacier_build *b)
{
	begin(b);
	glacier_build_value(b, GLACIER_OP_COUNT, GLACIER_U32, NULL, 0);
}
static void unset(struct glacier_build *b)
{
	begin(b);
	glacier_build_value(b, GLACIER_OP_NEG, GLACIER_F32, OPERANDS(glacier_build_register(b, "y")), 1);
}
static void foreign(struct glacier_build *b)
{
	struct glacier_operand x = begin(b);

	glacier_build_kernel(b, "j", 1, 0, 0);
	glacier_build_value(b, GLACIER_OP_LOAD_GLOBAL, GLACIER_F32, OPERANDS(x, glacier_build_int(b, 0)), 2);
}
static void bad_literal(struct glacier_build *b) { begin(b); glacier_build_literal(b, "1 }"); }
static void bad_name(struct glacier_build *b) { glacier_build_kernel(b, "a b", 1, 0, 0); }
static void bad_binding(struct glacier_build *b)
{
	begin(b);
	glacier_build_buffer(b, "y", GLACIER_F32, GLACIER_READ, -1, 65536);
}

Test(compile_build, names_the_statement_that_is_wrong)
{
	static const struct {
		void (*make)(struct glacier_build *);
		const char *code, *path;
	} rows[] = {
		{fine, "", ""},
		{no_kernel, "GA0075", ""},
		{statement_outside, "GA0113", ""},
		{close_nothing, "GA0113", "kernels[0].statements[0]"},
		{not_closed, "GA0116", "kernels[0].statements[1]"},
		{else_of_loop, "GA0113", "kernels[0].statements[1]"},
		{late_parameter, "GA0113", "kernels[0].params[1]"},
		{no_type, "GA0014", "kernels[0].statements[0]"},
		{wrong_type, "GA0016", "kernels[0].statements[1]"},
		{wrong_count, "GA0050", "kernels[0].statements[0]"},
		{no_opcode, "GA0115", "kernels[0]"},
		{unset, "GA0031", "kernels[0].statements[0]"},
		{foreign, "GA0114", "kernels[1].statements[0]"},
		{bad_literal, "GA0026", "kernels[0]"},
		{bad_name, "GA0002", "kernels[0]"},
		{bad_binding, "GA0006", "kernels[0].params[1]"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct seen seen = {0};
		struct glacier_diag diag = {.report = remember, .user = &seen};
		struct glacier_module *module;
		struct glacier_build *build;
		enum glacier_status status;

		cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
		build = glacier_build_begin(module, &diag);
		cr_assert(build != NULL);
		rows[i].make(build);
		status = glacier_build_end(build, NULL);
		cr_expect(eq(int, status == GLACIER_OK, seen.errors == 0), "row %zu", i);
		cr_expect(eq(str, seen.code, (char *)rows[i].code), "row %zu", i);
		cr_expect(eq(str, seen.path, (char *)rows[i].path), "row %zu", i);
		glacier_module_destroy(module);
	}
}
