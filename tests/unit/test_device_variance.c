/* SPDX-License-Identifier: MIT */
#include "compile/kernel.h"
#include "device/device.h"

#include <glacier.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

static struct glacier_variance variance_of(const char *body, const char *target_name)
{
	struct glacier_module *module;
	struct glacier_device device = {.info.target.kind = GLACIER_TARGET_KIND_COUNT};
	struct glacier_pipeline pipeline = {.device = &device};
	struct glacier_variance variance;
	const struct glc_kernel *kernel;
	struct glc_ir ir;
	char source[1024];
	struct glacier_text text = {"k.gasm", source, 0};
	struct glacier_diag diag = {0};

	text.size = (size_t)snprintf(source, sizeof source,
				     "kernel k(@x: buffer f32 readwrite, @d: buffer f64 readwrite) workgroup 1 {\n"
				     "%%x = LoadGlobal.f32 @x, 0\n%%d = LoadGlobal.f64 @d, 0\n%s\n"
				     "StoreGlobal.f32 @x, 0, %%x\nStoreGlobal.f64 @d, 0, %%d\nReturn\n}\n", body);
	if (target_name)
		cr_assert(eq(int, glacier_target_parse(target_name, &device.info.target, NULL), GLACIER_OK));
	cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
	cr_assert(eq(int, glacier_module_read_text(module, &text, NULL, &diag), GLACIER_OK), "%s", body);
	cr_assert(eq(int, glc_module_kernel(module, NULL, &kernel, NULL), GLACIER_OK));
	glacier_memory_init(&pipeline.memory, NULL, 0);
	cr_assert(eq(int, glc_module_lower(module, kernel, &device.info.target, true,
					   &pipeline.memory, &ir, &diag), GLACIER_OK), "%s", body);
	pipeline.ir = &ir;
	pipeline.adds_floats = glc_adds_floats(kernel);
	glacier_pipeline_variance(&pipeline, &variance);
	glacier_memory_fini(&pipeline.memory);
	glacier_module_destroy(module);
	return variance;
}

/* glacier-kernel(7), ONE ANSWER ON EVERY TARGET. */
Test(device_variance, follows_the_table_of_the_language)
{
	static const struct {
		const char *body, *target;
		struct glacier_variance right;
	} rows[] = {
		{"", "spirv", {0}},
		{"%x = Add.f32 %x, 1", NULL, {0}},
		{"%x = Div.f32 %x, 3", NULL, {0}},
		{"%x = Max.f32 %x, 0", NULL, {0}},
		{"%x = Mul.f32 %x, %x", "spirv", {.bounded = true}},
		{"%x = Div.f32 %x, %x", "spirv", {.bounded = true}},
		{"%x = Sqrt.f32 %x\n%d = Sqrt.f64 %d", "spirv", {.bounded = true}},
		{"%x = Max.f32 %x, 2", "spirv", {.zeros = true, .bounded = true}},
		{"%x = Fma.f32 %x, %x, %x", "spirv+soft-fma", {.bounded = true}},
		{"%d = Fma.f64 %d, %d, %d", "spirv", {.unbounded = true, .bounded = true}},
		{"AtomicAdd.f32 @x, 0, %x", "spirv", {.unbounded = true, .bounded = true}},
		{"AtomicAdd.f32 @x, 0, %x", NULL, {.unbounded = true}},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct glacier_variance variance = variance_of(rows[i].body, rows[i].target);

		cr_expect(eq(int, variance.zeros, rows[i].right.zeros), "%s", rows[i].body);
		cr_expect(eq(int, variance.bounded, rows[i].right.bounded), "%s", rows[i].body);
		cr_expect(eq(int, variance.unbounded, rows[i].right.unbounded), "%s", rows[i].body);
	}
}
