/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1   /* memmem */
#include <glacier.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

static bool no_file(void *user, const char *path, const char *from, struct glacier_text *out)
{
	(void)user;
	(void)from;
	*out = (struct glacier_text){.name = path, .text = "const @k: u32[1] = {7}\n", .size = 23};
	return true;
}

/* What the text is in canonical form. */
static void print(const char *text, enum glacier_form form, struct glacier_buffer *out)
{
	struct glacier_read_options options = {.include = no_file};
	struct glacier_text input = {.text = text, .size = strlen(text)};
	struct glacier_module *module;

	out->size = 0;
	cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
	cr_assert(eq(int, glacier_module_read_text(module, &input, &options, NULL), GLACIER_OK), "%s", text);
	cr_assert(eq(int, glacier_module_print(module, form, out, NULL), GLACIER_OK));
	glacier_module_destroy(module);
}

Test(ir_print, writes_the_text_of_the_manual)
{
	static const struct {
		const char *given, *canonical;
	} rows[] = {
		{"kernel k ( ) workgroup 1 {}", "kernel k() workgroup 1 {\n}\n"},
		{"// c\nkernel k(@a : buffer f32 read set 0,\n  @b: buffer u32 readwrite binding 0x7, @n: u64, @T: spec u32 = 0x10)\n"
		 "workgroup @T 2 1 subgroup 32\n{ // c\n\n Return // c\n }",
		 "kernel k(@a: buffer f32 read set 0, @b: buffer u32 readwrite binding 7, @n: u64, @T: spec u32 = 0x10)"
		 " workgroup @T 2 1 subgroup 32 {\n  Return\n}\n"},
		{"kernel k() workgroup 1 { local @l: f32[8]\n shared @s: u32[ 16 ]\n }",
		 "kernel k() workgroup 1 {\n  shared @s: u32[16]\n  local @l: f32[8]\n}\n"},
		{"kernel k(@p: bool) workgroup 1 { if @p { Return } else { if @p {} } }",
		 "kernel k(@p: bool) workgroup 1 {\n  if @p {\n    Return\n  } else {\n    if @p {\n    }\n  }\n}\n"},
		{"kernel k(@o: buffer u32 readwrite) workgroup 1 {\n%i=GlobalId\n%j = GlobalId.z\n"
		 "AtomicAdd.u32.device.acquire @o,%i,0x1\n%f = Cvt.f32.u32 %i\n%e = Exp.f32.approx %f\nFence.system\n}",
		 "kernel k(@o: buffer u32 readwrite) workgroup 1 {\n  %i = GlobalId\n  %j = GlobalId.z\n"
		 "  AtomicAdd.u32.acquire.device @o, %i, 0x1\n  %f = Cvt.f32.u32 %i\n  %e = Exp.f32.approx %f\n"
		 "  Fence.system\n}\n"},
		{"kernel k() workgroup 1 {\nfor %k.i32=10,-1,-0x2 unroll{ continue_if true\n}\nloop { break\n}\n}",
		 "kernel k() workgroup 1 {\n  for %k.i32 = 10, -1, -0x2 unroll {\n    continue_if true\n  }\n"
		 "  loop {\n    break\n  }\n}\n"},
		{"const @c: u32[2] = {1,\n0x2,}\nkernel k() workgroup 1 {}\nkernel j() workgroup 2 {}\ninclude \"a.gasm\"\n",
		 "include \"a.gasm\"\n\nconst @c: u32[2] = { 1, 0x2 }\n\nkernel k() workgroup 1 {\n}\n\n"
		 "kernel j() workgroup 2 {\n}\n"},
		{"const @c: u32[9] = {1,2,3,4,5,6,7,8,9}\nkernel k() workgroup 1 {}\n",
		 "const @c: u32[9] = {\n  1, 2, 3, 4, 5, 6, 7, 8,\n  9\n}\n\nkernel k() workgroup 1 {\n}\n"},
		{"kernel k stream workgroup 64 { {22,0,0,1}\n{20, 0, 0x10, 1} }",
		 "kernel k stream workgroup 64 {\n  {22, 0, 0, 1}\n  {20, 0, 16, 1}\n}\n"},
	};
	struct glacier_buffer out = {0};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		print(rows[i].given, GLACIER_FORM_TEXT, &out);
		cr_expect(out.size == strlen(rows[i].canonical) && !memcmp(out.data, rows[i].canonical, out.size),
			  "row %zu:\n%.*s", i, (int)out.size, (const char *)out.data);
	}
	glacier_buffer_fini(&out);
}

/* Plain integers below 2^53 are numbers, everything else is a string. */
Test(ir_print, spells_literals_as_every_json_reader_keeps_them)
{
	static const struct {
		const char *literal, *json;
	} rows[] = {
		{"0", " 0]"}, {"-0", " \"-0\"]"}, {"7", " 7]"}, {"-7", " -7]"}, {"007", " \"007\"]"},
		{"9007199254740991", " 9007199254740991]"}, {"9007199254740992", " \"9007199254740992\"]"},
		{"-9007199254740991", " -9007199254740991]"}, {"-9007199254740992", " \"-9007199254740992\"]"},
		{"0x10", " \"0x10\"]"}, {"9223372036854775807", " \"9223372036854775807\"]"},
	};
	struct glacier_buffer out = {0};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[128];

		snprintf(text, sizeof text, "kernel k() workgroup 1 {\n%%x = Mov.i64 %s\n}\n", rows[i].literal);
		print(text, GLACIER_FORM_JSON, &out);
		glacier_buffer_fini(&out);
		print(text, GLACIER_FORM_JSON, &out);
		cr_expect(memmem(out.data, out.size, rows[i].json, strlen(rows[i].json)) != NULL, "%s:\n%.*s",
			  rows[i].literal, (int)out.size, (const char *)out.data);
	}
	glacier_buffer_fini(&out);
}

Test(ir_print, refuses_an_empty_module)
{
	struct glacier_buffer out = {0};
	struct glacier_module *module;

	cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
	cr_expect(eq(int, glacier_module_print(module, GLACIER_FORM_TEXT, &out, NULL), GLACIER_ERR_ARGUMENT));
	glacier_module_destroy(module);
}
