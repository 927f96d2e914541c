/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes one made input of a given size: linear.sh counts the instructions.
 *
 *	linear-work KIND SIZE TARGET [LIMIT]
 *	linear-work KIND SIZE validate
 *
 * The second validates the SPIR-V of it, and counts that alone.
 *
 * LIMIT is how many MiB the module may take; 0, and nothing: any. Exits 0 when it was
 * compiled, 1 when it was refused, with the code on stdout.
 */
#include <glacier.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t size, capacity;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
	va_list args;

	if (capacity - size < 4096) {
		capacity = 2 * capacity + 65536;
		text = realloc(text, capacity);
		if (!text)
			exit(99);
	}
	va_start(args, format);
	size += (size_t)vsnprintf(text + size, capacity - size, format, args);
	va_end(args);
}

static void begin(const char *parameters)
{
	put("kernel k(@o: buffer u32 readwrite, @n: u32, @p: bool%s) workgroup 64 {\n%%x = Mov.u32 @n\n", parameters);
}

static void end(void)
{
	put("StoreGlobal.u32 @o, 0, %%x\nReturn\n}\n");
}

static void straight(unsigned n)
{
	begin("");
	for (unsigned i = 0; i < n; i++)
		put("%%x = %s.u32 %%x, @n\n", i & 1 ? "Add" : "Mul");
	end();
}

static void registers(unsigned n)
{
	begin("");
	put("%%r0 = Mov.u32 @n\n");
	for (unsigned i = 1; i < n; i++)
		put("%%r%u = %s.u32 %%r%u, @n\n", i, i & 1 ? "Add" : "Mul", i - 1);
	put("%%x = Mov.u32 %%r%u\n", n - 1);
	end();
}

static void chained_ifs(unsigned n)
{
	begin("");
	for (unsigned i = 0; i < n; i++)
		put("if @p {\n%%x = Add.u32 %%x, @n\n} else {\n%%x = Mul.u32 %%x, @n\n}\n");
	end();
}

static void nested(unsigned n, const char *opening)
{
	begin("");
	for (unsigned i = 0; i < n; i++)
		put("%s {\n%%x = Add.u32 %%x, @n\n", opening);
	for (unsigned i = 0; i < n; i++)
		put("}\n");
	end();
}

static void nested_ifs(unsigned n)
{
	nested(n, "if @p");
}

static void nested_loops(unsigned n)
{
	begin("");
	for (unsigned i = 0; i < n; i++)
		put("for %%k%u.u32 = 0, @n {\n%%x = Add.u32 %%x, %%k%u\n", i, i);
	for (unsigned i = 0; i < n; i++)
		put("}\n");
	end();
}

static void chained_loops(unsigned n)
{
	begin("");
	for (unsigned i = 0; i < n; i++)
		put("for %%k.u32 = 0, @n {\n%%x = Add.u32 %%x, %%k\nbreak_if @p\n}\n");
	end();
}

/* n leaving statements, each carrying n registers: n * n by nature. */
static void breaks(unsigned n)
{
	begin("");
	for (unsigned i = 0; i < n; i++)
		put("%%r%u = Mov.u32 @n\n", i);
	put("loop {\n");
	for (unsigned i = 0; i < n; i++)
		put("%%r%u = Add.u32 %%r%u, 1\nbreak_if @p\n", i, i);
	put("}\n");
	for (unsigned i = 0; i < n; i++)
		put("%%x = Add.u32 %%x, %%r%u\n", i);
	end();
}

static void unrolls(unsigned n, const char *statement)
{
	begin("");
	for (unsigned i = 0; i < n; i++)
		put("for %%k%u.u32 = 0, 1024 unroll {\n", i);
	put("%s", statement);
	for (unsigned i = 0; i < n; i++)
		put("}\n");
	end();
}

static void full_unrolls(unsigned n)
{
	unrolls(n, "%x = Add.u32 %x, @n\n");
}

static void empty_unrolls(unsigned n)
{
	unrolls(n, "");
}

static void scalars(unsigned n)
{
	put("kernel k(@o: buffer u32 readwrite");
	for (unsigned i = 0; i < n; i++)
		put(", @p%u: spec u32 = 1", i);
	put(") workgroup 64 {\nReturn\n}\n");
}

static void buffers(unsigned n)
{
	put("kernel k(@o: buffer u32 readwrite");
	for (unsigned i = 0; i < n; i++)
		put(", @p%u: buffer u32 read", i);
	put(") workgroup 64 {\nReturn\n}\n");
}

static void kernels(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put("kernel k%u(@o: buffer u32 readwrite) workgroup 64 {\nStoreGlobal.u32 @o, 0, %u\nReturn\n}\n", i, i);
}

static void constants(unsigned n)
{
	put("const @c: u32[%u] = {0", n);
	for (unsigned i = 1; i < n; i++)
		put(", %u", i);
	put("}\n");
	begin("");
	put("%%x = LoadConst.u32 @c, @n\n");
	end();
}

/* Literals that all differ: the table of constants. */
static void literals(unsigned n)
{
	begin("");
	for (unsigned i = 0; i < n; i++)
		put("%%x = Xor.u32 %%x, %u\n", i * 7919 + 1);
	end();
}

/* Stores, each behind a barrier: the analysis of uniform values. */
static void barriers(unsigned n)
{
	begin("");
	for (unsigned i = 0; i < n; i++)
		put("if @p {\nBarrierSync\n}\nStoreGlobal.u32 @o, %u, %%x\n", i);
	end();
}

static const struct {
	char name[16];
	void (*make)(unsigned n);
} kinds[] = {
	{"straight", straight}, {"registers", registers}, {"chained-ifs", chained_ifs}, {"nested-ifs", nested_ifs},
	{"nested-loops", nested_loops}, {"chained-loops", chained_loops}, {"breaks", breaks},
	{"full-unrolls", full_unrolls}, {"empty-unrolls", empty_unrolls}, {"specs", scalars}, {"buffers", buffers},
	{"kernels", kernels}, {"constants", constants}, {"literals", literals}, {"barriers", barriers},
};

static void report(void *user, const struct glacier_diagnostic *d)
{
	(void)user;
	if (d->severity == GLACIER_ERROR)
		printf("%s\n", d->code);
}

/* What is counted: of a compilation. */
__attribute__((noinline)) enum glacier_status measured(struct glacier_module *module, const struct glacier_text *input,
							const struct glacier_target *target, struct glacier_diag *diag,
							struct glacier_buffer *buffer);
__attribute__((noinline)) enum glacier_status measured(struct glacier_module *module, const struct glacier_text *input,
							const struct glacier_target *target, struct glacier_diag *diag,
							struct glacier_buffer *buffer)
{
	enum glacier_status status = glacier_module_read_text(module, input, NULL, diag);

	return status == GLACIER_OK ? glacier_module_write(module, target, NULL, buffer, diag) : status;
}

/* Of a validation; cold memory, as above. */
__attribute__((noinline)) enum glacier_status measured_validation(const struct glacier_buffer *code, struct glacier_diag *diag);
__attribute__((noinline)) enum glacier_status measured_validation(const struct glacier_buffer *code, struct glacier_diag *diag)
{
	struct glacier_memory memory;
	enum glacier_status status;

	glacier_memory_init(&memory, NULL, 0);
	status = glacier_spirv_validate(&memory, code->data, code->size, NULL, diag);
	glacier_memory_fini(&memory);
	return status;
}

int main(int argc, char **argv)
{
	struct glacier_diag diag = {.report = report, .max_errors = 1};
	struct glacier_buffer buffer = {0};
	struct glacier_memory memory;
	struct glacier_module *module;
	struct glacier_target target;
	struct glacier_text input;
	enum glacier_status status = GLACIER_ERR_ARGUMENT;
	bool validate = argc > 3 && !strcmp(argv[3], "validate");

	if (argc < 4 || glacier_target_parse(validate ? "spirv" : argv[3], &target, NULL) != GLACIER_OK)
		return 99;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(argv[1], kinds[i].name))
			kinds[i].make((unsigned)strtoul(argv[2], NULL, 10));
	if (!text)
		return 99;
	input = (struct glacier_text){.text = text, .size = size};
	glacier_memory_init(&memory, NULL, 0);
	memory.limit_bytes = argc > 4 ? strtoul(argv[4], NULL, 10) << 20 : 0;
	if (glacier_module_create(&memory, &module) != GLACIER_OK)
		return 99;
	status = measured(module, &input, &target, &diag, &buffer);
	if (validate && status == GLACIER_OK)
		status = measured_validation(&buffer, &diag);
	printf("%zu bytes of text, %zu MiB held, %zu bytes of code\n", size, memory.held_bytes >> 20, buffer.size);
	glacier_buffer_fini(&buffer);
	glacier_module_destroy(module);
	glacier_memory_fini(&memory);
	free(text);
	return status != GLACIER_OK;
}
