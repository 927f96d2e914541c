/* SPDX-License-Identifier: MIT */
/*
 * Code that is already made: run, and refused where the module or its reflection is broken
 * or where the two were not made from one kernel. Reading is tried without a device, on
 * every truncation and on thousands of changed bytes; what runs needs a Vulkan device.
 */
#include "vk.h"

#include "device/prebuilt.h"
#include "spirv/enum.h"

#include <glacier.h>

static const char saxpy[] =
	"kernel saxpy(@x: buffer f32 read, @y: buffer f32 readwrite, @a: f32, @n: u32, @w: f64, @B: spec u32 = 64,\n"
	"  @S: spec f32 = 1, @T: spec bool = true) workgroup @B {\n"
	"  shared @tile: f32[@B]\n  %i = GlobalId.x\n  %t = LocalId.x\n  %in = Lt.u32 %i, @n\n"
	"  StoreShared.f32 @tile, %t, @S\n  BarrierSync\n  if %in {\n"
	"    %v = LoadGlobal.f32 @x, %i\n    %v = Mul.f32 %v, @a\n    %s = LoadShared.f32 @tile, %t\n    %v = Mul.f32 %v, %s\n"
	"    %w = Cvt.f32.f64 @w\n    %v = Add.f32 %v, %w\n    %z = Select.f32 @T, %v, 0\n"
	"    StoreGlobal.f32 @y, %i, %z\n  }\n}\n"
	"kernel other(@o: buffer u32 write set 1 binding 5) workgroup 4 2 1 {\n  StoreGlobal.u32 @o, 0, 1\n}\n";

/* What is made of a text. */
struct made {
	struct glacier_buffer code, reflection;
};

static struct made make(const char *text, const char *target_name)
{
	struct glacier_module *module = read_module(text);
	struct glacier_target target;
	struct made made = {0};

	OK(glacier_target_parse(target_name, &target, quiet()));
	OK(glacier_module_write(module, &target, NULL, &made.code, quiet()));
	OK(glacier_module_reflect(module, &made.reflection));
	glacier_module_destroy(module);
	return made;
}

static void unmake(struct made *made)
{
	glacier_buffer_fini(&made->code);
	glacier_buffer_fini(&made->reflection);
}

static struct glacier_prebuilt prebuilt_of(const struct made *made)
{
	return (struct glacier_prebuilt){
		.code = made->code.data,
		.code_bytes = made->code.size,
		.reflection = {"k.json", (const char *)made->reflection.data, made->reflection.size},
	};
}

/* All that happens before a driver is asked. */
static enum glacier_status read_both(const struct glacier_prebuilt *source, const char *kernel)
{
	struct glacier_memory memory;
	struct glc_prebuilt prebuilt = {0};
	enum glacier_status status;
	struct glc_ir ir;

	glacier_memory_init(&memory, NULL, 0);
	status = glc_prebuilt_read(source, kernel, GLACIER_TARGET_SPIRV, &memory, &ir, &prebuilt.symbol, quiet());
	if (status == GLACIER_OK)
		status = glc_spv_interface_read(&prebuilt.code, source->code, source->code_bytes, &memory, quiet());
	if (status == GLACIER_OK)
		status = glc_prebuilt_match(&prebuilt, &ir.kernels[0], quiet());
	glacier_memory_fini(&memory);
	return status;
}

/* --- Reflections ----------------------------------------------------------- */

static const struct {
	const char *from, *to, *code, *words;
} changes[] = {
	{"\"schema\"", "\"shema\"", "DV0102", "'shema'"},
	{"glacier-reflection", "glacier-kernel", "DV0105", "glacier-reflection, version 1"},
	{"\"version\": 1", "\"version\": 2", "DV0105", "version 1"},
	{"\"version\": 1", "\"version\": \"1\"", "DV0101", "a whole number"},
	{"\"kernels\": [", "\"kernels\": [7, ", "DV0101", "an object"},
	{"\"name\": \"saxpy\"", "\"name\": \"saxpi\"", "DV0011", "saxpy"},
	{"\"name\": \"saxpy\"", "\"name\": \"\"", "DV0101", "a string"},
	{"\"name\": \"saxpy\"", "\"name\": \"saxpy\", \"name\": \"saxpy\"", "DV0103", "'name' stands twice"},
	{"\"subgroup\": null", "\"subgroup\": -1", "DV0101", "or null"},
	{"\"subgroup\": null,", "", "DV0104", "'subgroup' is missing"},
	{"\"spirv\": \"saxpy\"", "\"spirv\": \"saxpi\"", "DV0109", "it has: saxpy, other"},
	{"\"spirv\": \"saxpy\"", "\"spirv\": \"other\"", "DV0116", "4 x 2 x 1"},
	{"{\"spec\": \"B\", \"value\": 64}, 1, 1]", "{\"spec\": \"B\", \"value\": 64}, 1]", "DV0101", "an array of three sizes"},
	{"{\"spec\": \"B\", \"value\": 64}, 1, 1]", "64, 1, 2]", "DV0116", "64 x 1 x 1 in the module, and 64 x 1 x 2"},
	{"{\"spec\": \"B\"", "{\"spec\": \"S\"", "DV0101", "a specialization constant of type u32"},
	{"{\"spec\": \"B\"", "{\"spek\": \"B\"", "DV0102", "'spek'"},
	{"\"kind\": \"buffer\"", "\"kind\": \"bufer\"", "DV0101", "\"buffer\", \"scalar\" or \"spec\""},
	{"\"type\": \"f32\"", "\"type\": \"f33\"", "DV0101", "a type of memory"},
	{"\"type\": \"f32\"", "\"type\": \"bool\"", "DV0101", "a type of memory"},
	{"\"type\": \"f32\"", "\"type\": \"u32\"", "DV0112", "@x holds u32 by the reflection, and floats of 32 bits every 4"},
	{"\"type\": \"f32\"", "\"type\": \"f64\"", "DV0112", "@x holds f64"},
	{"\"access\": \"read\"", "\"access\": \"readwrite\"", "DV0113", "@x is written by the reflection, and cannot be written"},
	{"\"access\": \"readwrite\"", "\"access\": \"read\"", "DV0113", "@y is only read by the reflection, and may be written"},
	{"\"access\": \"read\"", "\"access\": \"rw\"", "DV0101", "\"read\", \"write\" or"},
	{"\"binding\": 0", "\"binding\": 7", "DV0111", "@x: the module has no buffer at set 0, binding 7"},
	{"\"binding\": 0", "\"binding\": 1", "DV0101", "a place that no other buffer has"},
	{"\"binding\": 0", "\"binding\": 65536", "DV0101", "below 65536"},
	{"\"binding\": 0", "\"binding\": 0.5", "DV0101", "a whole number"},
	{"\"set\": 0", "\"set\": 256", "DV0101", "below 256"},
	{"\"set\": 0", "\"set\": 1e99", "DV0101", "a whole number"},
	{"\"name\": \"y\"", "\"name\": \"x\"", "DV0101", "a name that no other parameter has"},
	{"\"bytes\": 4, \"push_constant_offset\": 0", "\"bytes\": 8, \"push_constant_offset\": 0", "DV0101", "the size of the type"},
	{"\"push_constant_offset\": 0", "\"push_constant_offset\": 2", "DV0101", "a multiple of the size"},
	{"\"push_constant_offset\": 0", "\"push_constant_offset\": 4", "DV0101", "a place that no other scalar has"},
	{"\"push_constant_offset\": 0", "\"push_constant_offset\": 400", "DV0101", "within push_constant_bytes"},
	{"\"push_constant_bytes\": 16", "\"push_constant_bytes\": 12", "DV0101", "within push_constant_bytes"},
	{"\"push_constant_bytes\": 16", "\"push_constant_bytes\": 65537", "DV0101", "up to 65536"},
	{"\"id\": 0", "\"id\": 9", "DV0117", "@B: the module has no specialization constant of number 9 and type u32"},
	{"\"bits\": \"0x40\"", "\"bits\": \"0x140000000\"", "DV0101", "the bits of a value"},
	{"\"bits\": \"0x40\"", "\"bits\": \"64\"", "DV0101", "the bits of a value"},
	{"\"bits\": \"0x40\"", "\"bits\": \"0x\"", "DV0101", "the bits of a value"},
	{"\"kind\": \"shared\", \"type\": \"f32\", ", "\"kind\": \"shared\", ", "DV0104", "'type' is missing"},
	{"\"ptx_lengths\": []", "\"ptx_lengths\": [{\"buffer\": \"x\"}]", "DV0104", "'type' is missing"},
	{"\"arrays\": [", "\"arrays\": {", "GA0100", "expected"},
};

/* The first `from` of the reflection becomes `to`. */
static char *changed(const struct made *made, const char *from, const char *to, size_t *size)
{
	size_t bytes = made->reflection.size;
	char *text = calloc(1, bytes + 1), *copy = malloc(bytes + strlen(to) + 1), *at;

	CHECK(text && copy);
	memcpy(text, made->reflection.data, bytes);
	at = strstr(text, from);
	if (!at)
		FAIL("the reflection has no %s", from);
	*size = (size_t)sprintf(copy, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	free(text);
	return copy;
}

static void refuses_what_does_not_match(const struct made *made)
{
	struct glacier_prebuilt source = prebuilt_of(made);

	OK(read_both(&source, "saxpy"));
	OK(read_both(&source, "other"));
	REFUSED(read_both(&source, NULL), "DV0012", "2 kernels");
	REFUSED(read_both(&source, "none"), "DV0011", "none");
	for (size_t i = 0; i < COUNT(changes); i++) {
		size_t size;
		char *text = changed(made, changes[i].from, changes[i].to, &size);

		source.reflection = (struct glacier_text){"k.json", text, size};
		if (read_both(&source, "saxpy") == GLACIER_OK || strcmp(last_code, changes[i].code) ||
		    !strstr(last_message, changes[i].words))
			FAIL("%s -> %s: %s [%s], not %s with '%s'", changes[i].from, changes[i].to, last_message,
			     last_code, changes[i].code, changes[i].words);
		free(text);
	}
}

static void takes_defines(const struct made *made)
{
	static const struct {
		struct glacier_define define;
		const char *code;
	} rows[] = {{{"B", "128"}, ""}, {{"S", "2.5"}, ""}, {{"T", "false"}, ""}, {{"Q", "1"}, "DV0106"}, {{"B", "1.5"}, "GA"}};
	struct glacier_prebuilt source = prebuilt_of(made);

	source.define_count = 1;
	for (size_t i = 0; i < COUNT(rows); i++) {
		source.defines = &rows[i].define;
		if ((read_both(&source, "saxpy") != GLACIER_OK) != !!*rows[i].code ||
		    strncmp(last_code, rows[i].code, strlen(rows[i].code)))
			FAIL("-D %s=%s: %s [%s]", rows[i].define.name, rows[i].define.value, last_message, last_code);
	}
}

/* --- Modules --------------------------------------------------------------- */

/* The reflection of one kernel with the module of another: what differs is named. */
static void refuses_another_kernel(void)
{
	static const struct {
		const char *module, *reflection, *code;
	} rows[] = {
		{"kernel k(@a: buffer u32 write, @b: buffer u32 read) workgroup 4 {\n}\n",
		 "kernel k(@a: buffer u32 write) workgroup 4 {\n}\n", "DV0110"},
		{"kernel k(@a: buffer u32 write) workgroup 4 {\n}\n",
		 "kernel k(@a: buffer u32 write, @b: buffer u32 read) workgroup 4 {\n}\n", "DV0111"},
		{"kernel k(@n: u32, @m: u32) workgroup 4 {\n}\n", "kernel k(@n: u32) workgroup 4 {\n}\n", "DV0115"},
		{"kernel k(@n: u32) workgroup 4 {\n}\n", "kernel k(@n: u32, @m: u32) workgroup 4 {\n}\n", "DV0114"},
		{"kernel k(@n: f64) workgroup 4 {\n}\n", "kernel k(@n: u32, @m: u32) workgroup 4 {\n}\n", "DV0114"},
		{"kernel k() workgroup 4 {\n}\n", "kernel k() workgroup 8 {\n}\n", "DV0116"},
		{"kernel k(@B: spec u32 = 4) workgroup @B {\n}\n", "kernel k(@B: spec f32 = 4) workgroup 4 {\n}\n", "DV0117"},
		{"kernel k() workgroup 4 {\n}\n", "kernel j() workgroup 4 {\n}\n", "DV0109"},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (int v = 0; v < 2; v++) {
			struct made module = make(rows[i].module, v ? "spirv:1.3" : "spirv");
			struct made reflection = make(rows[i].reflection, "spirv");
			struct glacier_prebuilt source = prebuilt_of(&module);

			source.reflection = prebuilt_of(&reflection).reflection;
			/* Before 1.4 an entry point does not tell its buffers: another kernel may have them. */
			if (v && !strcmp(rows[i].code, "DV0110"))
				OK(read_both(&source, NULL));
			else
				REFUSED(read_both(&source, NULL), rows[i].code, "");
			source.reflection = prebuilt_of(&module).reflection;
			OK(read_both(&source, NULL));
			unmake(&module);
			unmake(&reflection);
		}
}

static void refuses_every_truncation(const struct made *made)
{
	struct glacier_prebuilt source = prebuilt_of(made);

	for (source.code_bytes = 0; source.code_bytes < made->code.size; source.code_bytes++) {
		enum glacier_status status = read_both(&source, "saxpy");

		/* The first kernel is whole when the second one's function is cut off. */
		if (status == GLACIER_OK && read_both(&source, "other") == GLACIER_OK)
			FAIL("the first %zu bytes of a module are taken", source.code_bytes);
	}
	source = prebuilt_of(made);
	for (; source.reflection.size; source.reflection.size--)
		if (source.reflection.size + 2 < made->reflection.size && read_both(&source, "saxpy") == GLACIER_OK)
			FAIL("the first %zu bytes of a reflection are taken", source.reflection.size);
}

/* Whatever the bytes are, reading ends, under sanitizers without a report. */
static void survives_changed_bytes(const struct made *made)
{
	struct glacier_prebuilt source = prebuilt_of(made);
	unsigned char *code = malloc(made->code.size), *text = malloc(made->reflection.size);
	uint64_t seed = 1;

	CHECK(code && text);
	source.code = code;
	source.reflection.text = (const char *)text;
	for (int i = 0; i < 20000; i++) {
		memcpy(code, made->code.data, made->code.size);
		memcpy(text, made->reflection.data, made->reflection.size);
		for (int j = 0; j < 1 + i % 4; j++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			code[(seed >> 33) % made->code.size] = (unsigned char)(seed >> 25);
			if (i % 8 == 0)
				text[(seed >> 30) % made->reflection.size] = (unsigned char)(seed >> 20);
		}
		read_both(&source, "saxpy");
	}
	free(code);
	free(text);
}

static void tells_other_bytes(const struct made *made)
{
	struct glacier_prebuilt source = prebuilt_of(made);
	uint32_t *words = malloc(made->code.size);

	CHECK(words);
	source.code = words;
	memcpy(words, made->code.data, made->code.size);
	words[0] = __builtin_bswap32(words[0]);
	REFUSED(read_both(&source, "saxpy"), "DV0107", "other byte order");
	words[0] = 1;
	REFUSED(read_both(&source, "saxpy"), "DV0107", "0x07230203");
	words[0] = GLC_SPV_MAGIC;
	words[3] = UINT32_MAX;
	REFUSED(read_both(&source, "saxpy"), "DV0107", "bound");
	free(words);
}

/* --- Running --------------------------------------------------------------- */

static void runs(struct glacier_device *device, const struct made *made)
{
	const struct glacier_define defines[] = {{"B", "32"}, {"S", "0x1p-1"}};
	struct glacier_prebuilt source = prebuilt_of(made);
	struct glacier_pipeline *plain, *again, *defined;
	struct glacier_array *x = create(device, 400), *y = create(device, 400);
	double w = 0.25;
	float a = 3, *at;
	uint64_t bits = 0, wide;
	struct glacier_variance variance;
	uint32_t size[3];

	memcpy(&bits, &a, sizeof a);
	memcpy(&wide, &w, sizeof wide);
	at = host(x, true);
	for (int i = 0; i < 100; i++)
		at[i] = (float)i;
	OK(glacier_pipeline_get_prebuilt(device, &source, "saxpy", &plain, quiet()));
	OK(glacier_pipeline_get_prebuilt(device, &source, "saxpy", &again, quiet()));
	CHECK(plain == again && !strcmp(glacier_pipeline_kernel(plain), "saxpy"));
	glacier_pipeline_variance(plain, &variance);
	CHECK(variance.unbounded);
	source.defines = defines;
	source.define_count = 2;
	OK(glacier_pipeline_get_prebuilt(device, &source, "saxpy", &defined, quiet()));
	CHECK(defined != plain);
	glacier_pipeline_workgroup(defined, size);
	CHECK(size[0] == 32 && size[1] == 1 && size[2] == 1);
	for (int i = 0; i < 2; i++) {
		LAUNCH(i ? defined : plain, i ? 4 : 2, {.name = "x", .array = x}, {.name = "y", .array = y},
		       {.name = "a", .bits = bits}, {.name = "n", .bits = 100}, {.name = "w", .bits = wide});
		at = host(y, false);
		for (int j = 0; j < 100; j++)
			if (at[j] != (i ? 1.5f : 3.0f) * (float)j + 0.25f)
				FAIL("defined %d: y[%d] is %g", i, j, (double)at[j]);
	}
	OK(glacier_array_free(device, x));
	OK(glacier_array_free(device, y));
}

/* Versions and capabilities that the device does not have, and limits. */
static void asks_the_device(struct glacier_device *device, const struct made *made)
{
	static const char shared[] = "kernel k(@B: spec u32 = 4) workgroup 4 {\nshared @t: u32[@B]\nStoreShared.u32 @t, 0, 1\n}\n";
	const struct glacier_define many = {"B", "100000000"};
	struct glacier_prebuilt source = prebuilt_of(made);
	struct made large = make(shared, "spirv");
	struct glacier_device *cpu;
	struct glacier_pipeline *pipeline;
	uint32_t *words = malloc(made->code.size);

	CHECK(words);
	memcpy(words, made->code.data, made->code.size);
	source.code = words;
	words[1] = 0x00020000;
	REFUSED(glacier_pipeline_get_prebuilt(device, &source, "saxpy", &pipeline, quiet()), "DV0108", "SPIR-V 2.0");
	memcpy(words, made->code.data, made->code.size);
	CHECK(words[5] == (2u << 16 | GLC_SPV_Capability) && words[7] == (2u << 16 | GLC_SPV_Capability));
	words[8] = 9;   /* Float16 */
	REFUSED(glacier_pipeline_get_prebuilt(device, &source, "saxpy", &pipeline, quiet()), "DV0118", "capability 9");
	free(words);
	source = prebuilt_of(&large);
	OK(glacier_pipeline_get_prebuilt(device, &source, NULL, &pipeline, quiet()));
	source.defines = &many;
	source.define_count = 1;
	CHECK(glacier_pipeline_get_prebuilt(device, &source, NULL, &pipeline, quiet()) == GLACIER_ERR_LIMIT);
	unmake(&large);
	OK(glacier_device_open(GLACIER_DEVICE_CPU, 0, NULL, &cpu, quiet()));
	source = prebuilt_of(made);
	REFUSED(glacier_pipeline_get_prebuilt(cpu, &source, "saxpy", &pipeline, quiet()), "DV0100", "cpu:0");
	glacier_device_close(cpu);
}

int main(void)
{
	struct made made = make(saxpy, "spirv");
	struct glacier_device *device;

	refuses_what_does_not_match(&made);
	takes_defines(&made);
	refuses_another_kernel();
	refuses_every_truncation(&made);
	survives_changed_bytes(&made);
	tells_other_bytes(&made);
	printf("%zu changed reflections\n", COUNT(changes));
	device = open_vulkan(false);
	runs(device, &made);
	asks_the_device(device, &made);
	glacier_device_close(device);
	unmake(&made);
	return 0;
}
