/* SPDX-License-Identifier: MIT */
/*
 * What PTX refuses, each with a twin just inside the limit; versions, names, parameters. The
 * twins and the names go through ptxas, where there is one.
 */
#include "ptx.h"
#include "stress.h"

static struct maker *begin(const char *name, uint32_t x, uint32_t y, uint32_t z)
{
	struct maker *m = make_module();

	begin_kernel(m, name, x, y, z);
	return m;
}

static void end(struct maker *m)
{
	add(m, (struct glc_inst){.op = GLC_OP_Return});
	end_kernel(m);
}

/* Writes, judges and frees. status: what is expected; code: with which diagnostic. */
static void expect(struct maker *m, const char *target, enum glacier_status want, const char *code)
{
	enum glacier_status status;
	char arch[8], *text = write_module(m, target, &status);

	snprintf(arch, sizeof arch, "%.5s", target);
	CHECK(status == want, "%s: status %d, not %d", target, (int)status, (int)want);
	CHECK(want == GLACIER_OK || !strcmp(last_code(), code), "%s: %s, not %s", target, last_code(), code);
	if (text)
		CHECK(assemble(text, arch) != 1, "ptxas refuses it for %s", arch);
	free(text);
	free_module(m);
}

static struct maker *sized(uint32_t x, uint32_t y, uint32_t z)
{
	struct maker *m = begin("sized", x, y, z);

	end(m);
	return m;
}

static void workgroups(void)
{
	expect(sized(1024, 1, 1), "sm_90", GLACIER_OK, NULL);
	expect(sized(1025, 1, 1), "sm_90", GLACIER_ERR_LIMIT, "GA0304");
	expect(sized(32, 32, 1), "sm_90", GLACIER_OK, NULL);
	expect(sized(32, 33, 1), "sm_90", GLACIER_ERR_LIMIT, "GA0304");
	/* Products that wrap in 32 bits, and in 64. */
	expect(sized(65536, 65536, 1), "sm_90", GLACIER_ERR_LIMIT, "GA0304");
	expect(sized(0x80000000, 0x80000000, 4), "sm_90", GLACIER_ERR_LIMIT, "GA0304");
	expect(sized(1, 1, 64), "sm_90", GLACIER_OK, NULL);
	expect(sized(1, 1, 65), "sm_90", GLACIER_ERR_LIMIT, "GA0305");
	expect(sized(0, 1, 1), "sm_90", GLACIER_ERR_LIMIT, "GA0303");
	expect(sized(1, 1, 0), "sm_90", GLACIER_ERR_LIMIT, "GA0303");
}

static struct maker *with_subgroup(uint32_t size)
{
	struct maker *m = begin("subgroup", 64, 1, 1);

	m->kernel->subgroup = size;
	end(m);
	return m;
}

/* Arrays of `bytes`, each used, so that each is declared. */
static struct maker *with_arrays(enum glc_object_kind kind, uint32_t first_bytes, uint32_t second_bytes)
{
	struct maker *m = begin("arrays", 64, 1, 1);
	uint32_t bytes[2] = {first_bytes, second_bytes};

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t object = add_object(m, kind, GLC_F32, i ? "b" : "a", bytes[i] / 4);

		add(m, (struct glc_inst){.op = kind == GLC_OBJECT_SHARED ? GLC_OP_StoreShared : GLC_OP_StoreLocal,
					 .type = GLC_F32, .object = (uint16_t)object,
					 .arg = {constant(m, GLC_U32, 0), constant(m, GLC_F32, 0)}});
	}
	end(m);
	return m;
}

static void memory(void)
{
	expect(with_subgroup(32), "sm_90", GLACIER_OK, NULL);
	expect(with_subgroup(16), "sm_90", GLACIER_ERR_UNSUPPORTED, "GA0306");
	expect(with_arrays(GLC_OBJECT_SHARED, 16384, 32768), "sm_90", GLACIER_OK, NULL);
	expect(with_arrays(GLC_OBJECT_SHARED, 16388, 32768), "sm_90", GLACIER_ERR_LIMIT, "GA0307");
	/* 4 bytes, then 12 to the next multiple of 16. */
	expect(with_arrays(GLC_OBJECT_SHARED, 4, 49136), "sm_90", GLACIER_OK, NULL);
	expect(with_arrays(GLC_OBJECT_SHARED, 4, 49140), "sm_90", GLACIER_ERR_LIMIT, "GA0307");
	expect(with_arrays(GLC_OBJECT_LOCAL, 4, 1024), "sm_90", GLACIER_OK, NULL);
	expect(with_arrays(GLC_OBJECT_LOCAL, 4, 524288), "sm_90", GLACIER_ERR_LIMIT, "GA0308");
}

static struct maker *with_tanh(void)
{
	struct maker *m = begin("tanh_approx", 64, 1, 1);
	glc_value x = load(m, GLC_F32, constant(m, GLC_U32, 0));

	x = add(m, (struct glc_inst){.op = GLC_OP_Tanh, .type = GLC_F32, .from = GLC_F32, .mods = GLC_MOD_APPROX,
				     .arg = {x}});
	store(m, GLC_F32, constant(m, GLC_U32, 0), x);
	end(m);
	return m;
}

static struct maker *with_scalars(uint32_t count)
{
	struct maker *m = begin("scalars", 64, 1, 1);

	/* Six buffers and the scalars are 48 + 44 bytes; the rest is f64. */
	m->objects = m->kernel->objects = glc_bump_zero(&m->memory, (13 + count) * sizeof *m->objects);
	m->kernel->object_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		char *name = glc_bump(&m->memory, 16);

		snprintf(name, 16, "n%u", i);
		m->objects[i] = (struct glc_object){.name = {name, (uint32_t)strlen(name)},
						    .kind = GLC_OBJECT_SCALAR, .type = GLC_F64};
	}
	m->kernel->object_count = count;
	end(m);
	return m;
}

static void version_is(struct maker *m, const char *target, const char *version)
{
	enum glacier_status status;
	char *text = write_module(m, target, &status);

	CHECK(text && !strncmp(text, version, strlen(version)), "%s: %.16s", target, text ? text : "refused");
	free(text);
	free_module(m);
}

static void versions(void)
{
	version_is(sized(32, 1, 1), "sm_80", ".version 8.0\n.target sm_80\n");
	version_is(sized(32, 1, 1), "sm_80:7.0", ".version 7.0\n");
	version_is(sized(32, 1, 1), "sm_90:7.8", ".version 7.8\n");
	version_is(sized(32, 1, 1), "sm_100", ".version 8.6\n");
	expect(sized(32, 1, 1), "sm_80:7.0", GLACIER_OK, NULL);
	expect(sized(32, 1, 1), "sm_80:6.9", GLACIER_ERR_UNSUPPORTED, "GA0300");
	expect(sized(32, 1, 1), "sm_90:7.8", GLACIER_OK, NULL);
	expect(sized(32, 1, 1), "sm_90:7.7", GLACIER_ERR_UNSUPPORTED, "GA0300");
	expect(with_tanh(), "sm_75:7.0", GLACIER_OK, NULL);
	expect(with_tanh(), "sm_75:6.5", GLACIER_ERR_UNSUPPORTED, "GA0300");
	expect(with_tanh(), "sm_72", GLACIER_ERR_UNSUPPORTED, "GA0301");

	expect(with_scalars(544), "sm_90:8.0", GLACIER_OK, NULL);
	expect(with_scalars(545), "sm_90:8.0", GLACIER_ERR_UNSUPPORTED, "GA0300");
	version_is(with_scalars(544), "sm_90", ".version 8.0\n");
	version_is(with_scalars(545), "sm_90", ".version 8.1\n");
	expect(with_scalars(4095), "sm_90", GLACIER_OK, NULL);
	expect(with_scalars(4096), "sm_90", GLACIER_ERR_LIMIT, "GA0302");
}

static void names(void)
{
	static const char given[][12] = {"WARP_SZ", "WARP_SZ_", "add", "add_", "add__", "addx", "main", "abs", "xor"};
	static const char symbols[][12] = {"WARP_SZ__", "WARP_SZ_", "add___", "add_", "add__", "addx", "main", "abs_",
					   "xor_"};
	struct maker *m = make_module();
	enum glacier_status status;
	char *text;

	for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
		begin_kernel(m, given[i], 32, 1, 1);
		store(m, GLC_U32, constant(m, GLC_U32, 0), parameter(m, GLC_U32));
		end(m);
	}
	text = write_module(m, "sm_90", &status);
	CHECK(text, "status %d", (int)status);
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		char entry[160];

		snprintf(entry, sizeof entry, ".visible .entry %s(", symbols[i]);
		CHECK(strstr(text, entry), "there is no %s in\n%s", entry, text);
	}
	free(text);
	expect(m, "sm_90", GLACIER_OK, NULL);
}

/* PTX ISA, "Reserved Instruction Keywords": each gets an underscore, and what is one letter longer none. */
static void reserved(void)
{
	static const char words[][24] = {
		"abs", "activemask", "add", "addc", "alloca", "and", "applypriority", "atom", "bar", "barrier",
		"bfe", "bfi", "bfind", "bmsk", "bra", "brev", "brkpt", "brx", "call", "clusterlaunchcontrol",
		"clz", "cnot", "copysign", "cos", "cp", "createpolicy", "cvt", "cvta", "discard", "div", "dp2a",
		"dp4a", "elect", "ex2", "exit", "fence", "fma", "fns", "getctarank", "griddepcontrol",
		"isspacep", "istypep", "ld", "ldmatrix", "ldu", "lg2", "lop3", "mad", "mad24", "madc", "mapa",
		"match", "max", "mbarrier", "membar", "min", "mma", "mov", "movmatrix", "mul", "mul24",
		"multimem", "nanosleep", "neg", "not", "or", "pmevent", "popc", "prefetch", "prefetchu", "prmt",
		"rcp", "red", "redux", "rem", "ret", "rsqrt", "sad", "selp", "set", "setmaxnreg", "setp", "shf",
		"shfl", "shl", "shr", "sin", "slct", "sqrt", "st", "stackrestore", "stacksave", "stmatrix",
		"sub", "subc", "suld", "suq", "sured", "sust", "szext", "tanh", "tcgen05", "tensormap", "testp",
		"tex", "tld4", "trap", "txq", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2", "vadd4",
		"vavrg2", "vavrg4", "vmad", "vmax", "vmax2", "vmax4", "vmin", "vmin2", "vmin4", "vote", "vset",
		"vset2", "vset4", "vshl", "vshr", "vsub", "vsub2", "vsub4", "wgmma", "wmma", "xor",
	};
	enum glacier_status status;
	char *text, longer[32], entry[64];

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct maker *m = make_module();

		snprintf(longer, sizeof longer, "%.22sq", words[i]);
		begin_kernel(m, words[i], 32, 1, 1);
		end(m);
		begin_kernel(m, longer, 32, 1, 1);
		end(m);
		text = write_module(m, "sm_90", &status);
		CHECK(text, "%s: status %d", words[i], (int)status);
		snprintf(entry, sizeof entry, ".entry %.22s_(", words[i]);
		CHECK(strstr(text, entry), "%s has no underscore", words[i]);
		snprintf(entry, sizeof entry, ".entry %s(", longer);
		CHECK(strstr(text, entry), "%s is not written as it is", longer);
		free(text);
		expect(m, "sm_90", GLACIER_OK, NULL);
	}
}

/* Hidden lengths come last, in the order of their buffers. */
static void lengths(void)
{
	struct maker *m = begin("lengths", 32, 1, 1);
	enum glacier_status status;
	const char *scalar, *first, *second;
	char *text;

	m->objects[3].length_taken = m->objects[1].length_taken = true;
	store(m, GLC_U64, constant(m, GLC_U32, 0),
	      add(m, (struct glc_inst){.op = GLC_OP_Length, .type = GLC_U64, .object = 3}));
	end(m);
	text = write_module(m, "sm_90", &status);
	CHECK(text, "status %d", (int)status);
	scalar = strstr(text, ".param .u32 lengths$n_bool,");
	first = strstr(text, ".param .u64 lengths$buf_u32$length,");
	second = strstr(text, ".param .u64 lengths$buf_u64$length)");
	CHECK(scalar && first && second && scalar < first && first < second, "wrong order in\n%s", text);
	free(text);
	expect(m, "sm_90", GLACIER_OK, NULL);
}

/* A failure leaves what was in the buffer. */
static void small_buffers(void)
{
	struct maker *m = begin("grows", 32, 1, 1);
	struct glacier_target target = {.arch = 90};
	struct glacier_write_options options = {0};
	struct glc_backend_input input = {.ir = &m->ir, .target = &target, .options = &options, .memory = &m->memory};
	struct glacier_buffer whole = {0};

	for (uint32_t i = 0; i < 50; i++)
		store(m, GLC_U32, constant(m, GLC_U32, i), parameter(m, GLC_U32));
	end(m);
	CHECK(glc_ptx_write(&input, &whole, NULL) == GLACIER_OK, "whole");
	/* Wherever the caller's bytes end, the text is the same. */
	for (size_t bytes = 0; bytes < whole.size + 8; bytes += 7) {
		struct glacier_buffer buffer = {0};
		char *small = malloc(bytes + 1);

		glacier_buffer_borrow(&buffer, small, bytes);
		CHECK(glc_ptx_write(&input, &buffer, NULL) == GLACIER_OK, "%zu bytes", bytes);
		CHECK(buffer.size == whole.size && !memcmp(buffer.data, whole.data, whole.size),
		      "other text from %zu bytes", bytes);
		glacier_buffer_fini(&buffer);
		free(small);
	}
	glacier_buffer_fini(&whole);
	free_module(m);
}

/* The longest names that the language has. */
static void long_names(void)
{
	char kernel[129], object[129];
	struct maker *m;
	uint32_t tile;

	memset(kernel, 'k', 128);
	memset(object, 'o', 128);
	kernel[128] = object[128] = '\0';
	m = begin(kernel, 32, 1, 1);
	tile = add_object(m, GLC_OBJECT_SHARED, GLC_F32, object, 16);
	add(m, (struct glc_inst){.op = GLC_OP_StoreShared, .type = GLC_F32, .object = (uint16_t)tile,
				 .arg = {constant(m, GLC_U32, 0), constant(m, GLC_F32, 0)}});
	end(m);
	expect(m, "sm_90", GLACIER_OK, NULL);
}

/* -g: a line and column for each statement that made code, forward, backward, in two files. */
static void lines(void)
{
	static const struct glc_source sources[2] = {
		{.name = NULL, .text = "one\n  two\nthree\n", .size = 16, .base = 0},
		{.name = "a\\\"b\".gasm", .text = "x\ny\n", .size = 4, .base = 17},
	};
	static const uint32_t positions[5] = {0, 6, 2, 19, 12};
	static const char want[] = "\t.loc 1 2 3\n*\t.loc 1 1 3\n*\t.loc 2 2 1\n*\t.loc 1 3 3\n";
	struct glc_source_map map = {.sources = sources, .count = 2};
	struct maker *m = begin("lines", 32, 1, 1);
	struct glacier_target target = {.arch = 90};
	struct glacier_write_options options = {.debug = true};
	struct glc_backend_input input = {
		.ir = &m->ir, .target = &target, .options = &options, .map = &map, .memory = &m->memory};
	struct glacier_buffer buffer = {0};
	const char *at;

	for (uint32_t i = 0; i < 5; i++) {
		store(m, GLC_U32, constant(m, GLC_U32, i), constant(m, GLC_U32, i));
		m->insts.at[m->insts.count - 1].pos = positions[i];
	}
	end(m);
	m->insts.at[m->insts.count - 1].pos = 12;
	CHECK(glc_ptx_write(&input, &buffer, NULL) == GLACIER_OK && glc_buffer_reserve(&buffer, 1), "written");
	buffer.data[buffer.size] = '\0';
	at = (const char *)buffer.data;
	CHECK(strstr(at, ".file 1 \"<stdin>\"\n.file 2 \"a\\'b'.gasm\"\n"), "no files in\n%s", at);
	at = strstr(at, "\t.loc 1 1 1\n");
	CHECK(at, "no first place in\n%s", buffer.data);
	for (const char *part = want; *part; part = strchr(part, '\n') + 1 + (strchr(part, '\n')[1] == '*')) {
		char line[32];

		snprintf(line, sizeof line, "%.*s", (int)(strchr(part, '\n') + 1 - part), part);
		at = strstr(at, line);
		CHECK(at, "no %s in\n%s", line, buffer.data);
	}
	CHECK(assemble((const char *)buffer.data, "sm_90") != 1, "ptxas refuses it");
	glacier_buffer_fini(&buffer);
	free_module(m);
}

/* Memory that ends anywhere: refused, and nothing breaks; then enough, and the same text. */
static void little_memory(void)
{
	static const uint64_t values[2] = {1, 2};
	static unsigned char bytes[65536];
	struct maker *m = begin("little", 32, 1, 1);
	struct glacier_target target = {.arch = 90};
	struct glacier_write_options options = {0};
	struct glacier_memory memory;
	struct glc_backend_input input = {.ir = &m->ir, .target = &target, .options = &options, .memory = &memory};
	uint32_t few = add_object(m, GLC_OBJECT_CONST, GLC_U32, "few", 2), refused = 0, taken = 0;
	glc_value loop, a, b;

	m->objects[few].values = values;
	for (uint32_t i = 0; i < 40; i++)
		add(m, (struct glc_inst){.op = GLC_OP_If, .arg = {parameter(m, GLC_BOOL)}});
	loop = add(m, (struct glc_inst){.op = GLC_OP_Loop});
	a = add(m, (struct glc_inst){.op = GLC_OP_Phi, .type = GLC_U32, .arg = {constant(m, GLC_U32, 1), loop + 2}});
	b = add(m, (struct glc_inst){.op = GLC_OP_Phi, .type = GLC_U32, .arg = {constant(m, GLC_U32, 2), loop + 1}});
	m->insts.at[loop].arg[2] = add(m, (struct glc_inst){.op = GLC_OP_Continuing, .mods = GLC_MOD_OPEN,
							    .arg = {GLC_NO_VALUE, 0, 1}});
	m->insts.at[loop].arg[1] = add(m, (struct glc_inst){
		.op = GLC_OP_EndLoop, .arg = {parameter(m, GLC_BOOL), 0, GLC_NO_VALUE}});
	store(m, GLC_U32, constant(m, GLC_U32, 0),
	      add(m, (struct glc_inst){.op = GLC_OP_LoadConst, .type = GLC_U32, .object = (uint16_t)few,
				       .arg = {constant(m, GLC_U32, 1)}}));
	for (uint32_t i = 0; i < 40; i++) {
		add(m, (struct glc_inst){.op = GLC_OP_Else, .mods = GLC_MOD_OPEN});
		add(m, (struct glc_inst){.op = GLC_OP_EndIf, .mods = GLC_MOD_OPEN});
	}
	CHECK(a == loop + 1 && b == loop + 2, "the Phis follow the Loop");
	end(m);
	for (size_t size = 0; size < sizeof bytes; size += 48) {
		struct glacier_buffer buffer = {0};
		enum glacier_status status;

		glacier_memory_init(&memory, bytes, size);
		memory.limit_bytes = 1;
		status = glc_ptx_write(&input, &buffer, NULL);
		CHECK(status == GLACIER_OK || status == GLACIER_ERR_NOMEM, "%zu bytes: status %d", size, (int)status);
		refused += status != GLACIER_OK;
		taken += status == GLACIER_OK;
		CHECK(status == GLACIER_OK || !taken, "%zu bytes are too few, less were not", size);
		glacier_memory_fini(&memory);
		glacier_buffer_fini(&buffer);
	}
	CHECK(refused > 20 && taken > 20, "%u refused, %u taken", refused, taken);
	free_module(m);
}

int main(void)
{
	little_memory();
	long_names();
	lines();
	workgroups();
	memory();
	versions();
	names();
	reserved();
	lengths();
	small_buffers();
	return 0;
}
