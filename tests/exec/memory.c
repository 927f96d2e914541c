/* SPDX-License-Identifier: MIT */
/*
 * Memory: every kind of object with every element type, indices of both widths, lengths,
 * barriers, fences, atomics, scalar parameters and specialization constants.
 */
#include "kernels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMS = 256, GROUP = 64 };

static const char type_names[][4] = {"i32", "u32", "i64", "u64", "f32", "f64"};
enum { TYPES = sizeof type_names / sizeof type_names[0] };

static size_t bytes_of(const char *type)
{
	return strchr(type, '6') ? 8 : 4;
}

/* Bits that any change would show: NaNs with payloads, negative zeros, subnormals among them. */
static void fill(unsigned char *memory, size_t elem_bytes, size_t count)
{
	static const uint64_t special[] = {
		0, UINT64_C(0x8000000080000000), UINT64_C(0x7f8000017f800001), UINT64_C(0x7ff0000000000001),
		UINT64_C(0x0000000100000001), UINT64_C(0xffffffffffffffff), UINT64_C(0xfff8123456789abc),
	};
	uint64_t state = 7;

	for (size_t i = 0; i < count; i++) {
		uint64_t bits = i < sizeof special / sizeof special[0] ? special[i]
									: (state = state * 6364136223846793005u + 99);

		memcpy(memory + i * elem_bytes, &bits, elem_bytes);
	}
}

/* --- Buffers, shared, local and constant arrays --------------------------- */

/* out[i] = in[(i * 7 + 3) % ELEMS] by way of what the body says. */
static void try_moves(struct kernels *kernels, const char *what, const char *format, const char *type)
{
	unsigned char in[8 * ELEMS], out[8 * ELEMS], want[8 * ELEMS];
	size_t bytes = bytes_of(type);
	struct exec_buffer buffers[] = {{0, 0, in, ELEMS * bytes}, {0, 1, out, ELEMS * bytes}};
	struct exec_run run = {.buffers = buffers, .buffer_count = 2, .groups = {ELEMS / GROUP, 1, 1}};
	struct script text = {0};

	/* The format names the type wherever TYPE stands. */
	for (const char *at = format; *at;) {
		const char *next = strstr(at, "TYPE");

		script_add(&text, "%.*s%s", next ? (int)(next - at) : (int)strlen(at), at, next ? type : "");
		at = next ? next + 4 : at + strlen(at);
	}
	fill(in, bytes, ELEMS);
	for (size_t i = 0; i < ELEMS; i++)
		memcpy(want + i * bytes, in + (i * 7 + 3) % ELEMS * bytes, bytes);
	for (int optimize = 0; optimize < 2; optimize++) {
		memset(out, 0xa5, sizeof out);
		if (kernels_run(kernels, text.at, optimize, &run) && memcmp(out, want, ELEMS * bytes))
			kernels_fail(kernels, text.at, "%s of %s at -O%d: other bits", what, type, optimize);
	}
	free(text.at);
}

#define HEAD "kernel k(@in: buffer TYPE read, @out: buffer TYPE write) workgroup 64 {\n"
#define FROM "  %j = Mul.u32 %i, 7\n  %j = Add.u32 %j, 3\n  %j = Rem.u32 %j, 256\n"

static const struct {
	char name[24];
	const char *text;
} moves[] = {
	{"a copy", HEAD "  %i = GlobalId\n" FROM
	 "  %v = LoadGlobal.TYPE @in, %j\n  StoreGlobal.TYPE @out, %i, %v\n}\n"},
	{"a copy by u64", HEAD "  %i = GlobalId\n" FROM
	 "  %i8 = Cvt.u64.u32 %i\n  %j8 = Cvt.u64.u32 %j\n"
	 "  %v = LoadGlobal.TYPE @in, %j8\n  StoreGlobal.TYPE @out, %i8, %v\n}\n"},
	/* Each lane brings one element; another one of the group takes it: 7 is odd, 64 a power of two. */
	{"a shared array", HEAD "  shared @spare: u32[3]\n  shared @a: TYPE[64]\n"
	 "  %i = GlobalId\n" FROM "  %l = LocalId\n"
	 "  %to = Mul.u32 %l, 5\n  %to = And.u32 %to, 63\n"
	 "  %v = LoadGlobal.TYPE @in, %j\n  StoreShared.TYPE @a, %to, %v\n  StoreShared.u32 @spare, 1, 77\n"
	 "  BarrierSync\n"
	 "  %other = Sub.u32 63, %l\n  %g = GroupId\n  %i = Mul.u32 %g, 64\n  %i = Add.u32 %i, %other\n"
	 "  %at = Mul.u32 %other, 5\n  %at = And.u32 %at, 63\n"
	 "  %w = LoadShared.TYPE @a, %at\n  StoreGlobal.TYPE @out, %i, %w\n}\n"},
	{"a shared array by u64", HEAD "  shared @a: TYPE[64]\n"
	 "  %i = GlobalId\n" FROM "  %l = LocalId\n  %l8 = Cvt.u64.u32 %l\n"
	 "  %v = LoadGlobal.TYPE @in, %j\n  StoreShared.TYPE @a, %l8, %v\n  BarrierSync\n"
	 "  %other = Sub.u32 63, %l\n  %g = GroupId\n  %i = Mul.u32 %g, 64\n  %i = Add.u32 %i, %other\n"
	 "  %o8 = Cvt.u64.u32 %other\n  %w = LoadShared.TYPE @a, %o8\n  StoreGlobal.TYPE @out, %i, %w\n}\n"},
	{"a local array", HEAD "  local @a: TYPE[8]\n  local @b: TYPE[2]\n"
	 "  %i = GlobalId\n" FROM
	 "  for %k.u32 = 0, 8 {\n    %q = Add.u32 %i, %k\n    %q = Rem.u32 %q, 256\n"
	 "    %v = LoadGlobal.TYPE @in, %q\n    StoreLocal.TYPE @a, %k, %v\n  }\n"
	 "  %v = LoadGlobal.TYPE @in, %j\n  %s = And.u32 %i, 7\n  StoreLocal.TYPE @a, %s, %v\n"
	 "  StoreLocal.TYPE @b, 1, %v\n"
	 "  %s8 = Cvt.u64.u32 %s\n  %w = LoadLocal.TYPE @a, %s8\n  StoreLocal.TYPE @b, 0, %w\n"
	 "  %w = LoadLocal.TYPE @b, 0\n  StoreGlobal.TYPE @out, %i, %w\n}\n"},
	/* Written by one lane, read by another of the group, through the buffer itself. */
	{"a barrier and a buffer",
	 "kernel k(@in: buffer TYPE read, @out: buffer TYPE readwrite) workgroup 64 {\n"
	 "  %i = GlobalId\n  %l = LocalId\n  %g = GroupId\n  %base = Mul.u32 %g, 64\n"
	 "  %o = Xor.u32 %l, 63\n  %o = Add.u32 %o, %base\n"
	 "  %v = LoadGlobal.TYPE @in, %o\n  StoreGlobal.TYPE @out, %o, %v\n  BarrierSync\n"
	 "  %w = LoadGlobal.TYPE @out, %i\n  BarrierSync\n"
	 "  StoreGlobal.TYPE @out, %o, %w\n  BarrierSync\n"
	 FROM "  %v = LoadGlobal.TYPE @in, %j\n  StoreGlobal.TYPE @out, %i, %v\n}\n"},
};

static bool is_nan(const char *type, const unsigned char *at)
{
	uint64_t bits = 0;

	memcpy(&bits, at, bytes_of(type));
	if (type[0] != 'f')
		return false;
	return type[1] == '3' ? (bits & 0x7fffffff) > 0x7f800000
			      : (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

/*
 * Vulkan may make a signaling NaN of a module a quiet one (Vulkan 1.3, Precision and Operation
 * of SPIR-V Instructions), and NVIDIA's compiler does.
 */
static bool same_const(const struct kernels *kernels, const char *type, const unsigned char *got,
		       const unsigned char *want)
{
	return !memcmp(got, want, bytes_of(type)) ||
	       (!kernels->strict && is_nan(type, got) && is_nan(type, want));
}

/* Every element of a constant array, spelled by its bits. */
static void try_const_array(struct kernels *kernels, const char *type)
{
	enum { COUNT = 40 };
	unsigned char values[8 * COUNT], out[8 * ELEMS];
	size_t bytes = bytes_of(type);
	struct exec_buffer buffer = {0, 0, out, ELEMS * bytes};
	struct exec_run run = {.buffers = &buffer, .buffer_count = 1, .groups = {ELEMS / GROUP, 1, 1}};
	struct script text = {0};

	fill(values, bytes, COUNT);
	script_add(&text, "const @t: %s[%d] = {", type, COUNT);
	for (int i = 0; i < COUNT; i++) {
		uint64_t bits = 0;

		memcpy(&bits, values + (size_t)i * bytes, bytes);
		script_add(&text, type[0] == 'f' ? bytes == 4 ? "%s0f%08" PRIx64 : "%s0d%016" PRIx64 : "%s0x%" PRIx64,
			   i ? ", " : " ", bits);
	}
	script_add(&text, " }\nkernel k(@out: buffer %s write) workgroup 64 {\n  %%i = GlobalId\n"
		   "  %%k = Rem.u32 %%i, %d\n  %%v = LoadConst.%s @t, %%k\n  StoreGlobal.%s @out, %%i, %%v\n}\n",
		   type, COUNT, type, type);
	for (int optimize = 0; optimize < 2; optimize++) {
		memset(out, 0xa5, sizeof out);
		if (!kernels_run(kernels, text.at, optimize, &run))
			continue;
		for (size_t i = 0; i < ELEMS; i++)
			if (!same_const(kernels, type, out + i * bytes, values + i % COUNT * bytes)) {
				kernels_fail(kernels, text.at, "const %s at -O%d: element %zu", type, optimize, i);
				break;
			}
	}
	free(text.at);
}

static void try_length(struct kernels *kernels, const char *type, uint64_t count)
{
	static unsigned char memory[8 * 1000];
	uint64_t out[3];
	struct exec_buffer buffers[] = {{0, 0, memory, count * bytes_of(type)}, {0, 1, out, sizeof out}};
	struct exec_run run = {.buffers = buffers, .buffer_count = 2, .groups = {1, 1, 1}};
	struct script text = {0};

	script_add(&text, "kernel k(@a: buffer %s read, @out: buffer u64 write) workgroup 1 {\n"
		   "  %%n = Length.u32 @a\n  %%w = Cvt.u64.u32 %%n\n  StoreGlobal.u64 @out, 0, %%w\n"
		   "  %%w = Length.u64 @a\n  StoreGlobal.u64 @out, 1, %%w\n"
		   "  %%n = Length.u32 @out\n  %%w = Cvt.u64.u32 %%n\n  StoreGlobal.u64 @out, 2, %%w\n}\n", type);
	for (int optimize = 0; optimize < 2; optimize++)
		if (kernels_run(kernels, text.at, optimize, &run) && (out[0] != count || out[1] != count || out[2] != 3))
			kernels_fail(kernels, text.at, "Length of %" PRIu64 " %s: %" PRIu64 ", %" PRIu64 ", %" PRIu64,
				     count, type, out[0], out[1], out[2]);
	free(text.at);
}

/* --- Fences and atomics --------------------------------------------------- */

/*
 * Each group sums its part, publishes the sum, and the one that comes last adds all sums up:
 * right only if the fence orders the sum before the count, and the count before the reading.
 */
static void try_last_group(struct kernels *kernels, const char *fence, const char *order)
{
	enum { GROUPS = 37 };
	uint32_t in[GROUPS * GROUP], sums[GROUPS], out[2], want = 0;
	struct exec_buffer buffers[] = {
		{0, 0, in, sizeof in}, {0, 1, sums, sizeof sums}, {0, 2, out, sizeof out},
	};
	struct exec_run run = {.buffers = buffers, .buffer_count = 3, .groups = {GROUPS, 1, 1}};
	struct script text = {0};

	script_add(&text,
		   "kernel k(@in: buffer u32 read, @sums: buffer u32 readwrite, @out: buffer u32 readwrite) workgroup 64 {\n"
		   "  shared @sum: u32[1]\n  %%i = GlobalId\n  %%l = LocalId\n  %%g = GroupId\n  %%first = Eq.u32 %%l, 0\n"
		   "  if %%first { StoreShared.u32 @sum, 0, 0 }\n  BarrierSync\n"
		   "  %%v = LoadGlobal.u32 @in, %%i\n  AtomicAdd.u32 @sum, 0, %%v\n  BarrierSync\n"
		   "  if %%first {\n"
		   "    %%s = LoadShared.u32 @sum, 0\n    StoreGlobal.u32 @sums, %%g, %%s\n    %s\n"
		   "    %%old = AtomicAdd.u32%s @out, 0, 1\n    %s\n"
		   "    %%n = GroupCount\n    %%n = Sub.u32 %%n, 1\n    %%last = Eq.u32 %%old, %%n\n"
		   "    if %%last {\n      %%n = Add.u32 %%n, 1\n      %%t = Mov.u32 0\n"
		   "      for %%k.u32 = 0, %%n {\n        %%s = LoadGlobal.u32 @sums, %%k\n        %%t = Add.u32 %%t, %%s\n      }\n"
		   "      StoreGlobal.u32 @out, 1, %%t\n    }\n  }\n}\n", fence, order, fence);
	for (uint32_t i = 0; i < GROUPS * GROUP; i++)
		want += in[i] = i * i + 1;
	for (int optimize = 0; optimize < 2; optimize++) {
		memset(out, 0, sizeof out);
		memset(sums, 0, sizeof sums);
		if (kernels_run(kernels, text.at, optimize, &run) && (out[0] != GROUPS || out[1] != want))
			kernels_fail(kernels, text.at, "last group with '%s'%s: %u of %u groups, sum %u, not %u", fence,
				     order, out[0], (unsigned)GROUPS, out[1], want);
	}
	free(text.at);
}

/* All lanes add 1: the old values are 0, 1, 2, ... in some order, and the sum is their number. */
static void try_atomic(struct kernels *kernels, const char *type, const char *modifiers, bool shared, bool wide)
{
	uint32_t sum[3], old[ELEMS];
	bool seen[ELEMS], fits = true, is_float = type[0] == 'f';
	unsigned per_group = shared ? GROUP : ELEMS;
	struct exec_buffer buffers[] = {{0, 0, sum, sizeof sum}, {0, 1, old, sizeof old}};
	struct exec_run run = {.buffers = buffers, .buffer_count = 2, .groups = {ELEMS / GROUP, 1, 1}};
	const char *object = shared ? "s" : "sum";
	struct script text = {0};

	script_add(&text, "kernel k(@sum: buffer %s readwrite, @old: buffer %s write) workgroup 64 {\n", type, type);
	if (shared)
		script_add(&text, "  shared @s: %s[3]\n", type);
	script_add(&text, "  %%i = GlobalId\n  %%l = LocalId\n  %%at = Mov.u32 1\n");
	if (shared)
		script_add(&text, "  %%c = Lt.u32 %%l, 3\n  if %%c { StoreShared.%s @s, %%l, 0 }\n  BarrierSync\n", type);
	if (wide)
		script_add(&text, "  %%at8 = Cvt.u64.u32 %%at\n");
	script_add(&text, "  %%o = AtomicAdd.%s%s @%s, %s, 1\n  AtomicAdd.%s%s @%s, 2, 2\n"
		   "  StoreGlobal.%s @old, %%i, %%o\n", type, modifiers, object, wide ? "%at8" : "%at", type, modifiers,
		   object, type);
	if (shared)
		script_add(&text, "  BarrierSync\n  %%c = Lt.u32 %%l, 3\n  %%g = GroupId\n  %%zero = Eq.u32 %%g, 0\n"
			   "  %%c = And.bool %%c, %%zero\n"
			   "  if %%c {\n    %%v = LoadShared.%s @s, %%l\n    StoreGlobal.%s @sum, %%l, %%v\n  }\n", type, type);
	script_add(&text, "}\n");
	for (int optimize = 0; optimize < 2; optimize++) {
		memset(sum, 0, sizeof sum);
		if (!kernels_run(kernels, text.at, optimize, &run))
			continue;
		for (unsigned group = 0; group < ELEMS / per_group; group++) {
			memset(seen, 0, sizeof seen);
			for (unsigned i = 0; i < per_group; i++) {
				uint32_t value = old[group * per_group + i];
				float real;

				memcpy(&real, &value, sizeof real);
				if (is_float)
					value = real >= 0 && real < ELEMS ? (uint32_t)real : ELEMS;
				fits = fits && value < per_group && !seen[value];
				if (value < per_group)
					seen[value] = true;
			}
		}
		for (int i = 0; i < 3; i++) {
			float real;

			memcpy(&real, &sum[i], sizeof real);
			if (is_float)
				sum[i] = (uint32_t)real;
		}
		if (!fits || sum[0] || sum[1] != per_group || sum[2] != 2 * per_group)
			kernels_fail(kernels, text.at, "AtomicAdd.%s%s at -O%d: sums %u %u %u%s", type, modifiers, optimize,
				     sum[0], sum[1], sum[2], fits ? "" : ", old values are no permutation");
	}
	free(text.at);
}

static void try_atomics(struct kernels *kernels)
{
	static const char orders[][12] = {"", ".relaxed", ".acquire", ".release", ".acqrel"};
	static const char scopes[][12] = {"", ".workgroup", ".device"};
	static const char types[][4] = {"u32", "i32", "f32"};
	char modifiers[24];

	/* Every order and scope, on buffers and shared arrays; every type with some of them. */
	for (int i = 0; i < 5 * 3 * 3; i++) {
		int type = i % 3, scope = i / 3 % 3, order = i / 9;

		/* An acquire or release that reaches one workgroup says nothing of the device's sum. */
		snprintf(modifiers, sizeof modifiers, "%.8s%.10s", orders[order], scopes[scope]);
		try_atomic(kernels, types[type], modifiers, true, i & 1);
		if (scope != 1)
			try_atomic(kernels, types[type], modifiers, false, i & 1);
	}
	try_last_group(kernels, "Fence.device", "");
	try_last_group(kernels, "Nop", ".acqrel");
	try_last_group(kernels, "Fence.device", ".acqrel.device");
}

/* --- Parameters and constants --------------------------------------------- */

/* Natural alignment in the order of declaration: bool as 32 bits, then padding before f64. */
static void try_scalars(struct kernels *kernels)
{
	static const char text[] =
		"kernel k(@yes: bool, @d: f64, @u: u32, @w: u64, @n: i32, @f: f32, @out: buffer u64 write, @no: bool, @q: i64)"
		" workgroup 1 {\n"
		"  %b = Select.u64 @yes, 1, 0\n  StoreGlobal.u64 @out, 0, %b\n"
		"  %b = Bitcast.u64.f64 @d\n  StoreGlobal.u64 @out, 1, %b\n"
		"  %b = Cvt.u64.u32 @u\n  StoreGlobal.u64 @out, 2, %b\n"
		"  StoreGlobal.u64 @out, 3, @w\n"
		"  %b = Cvt.u64.i32 @n\n  StoreGlobal.u64 @out, 4, %b\n"
		"  %c = Bitcast.u32.f32 @f\n  %b = Cvt.u64.u32 %c\n  StoreGlobal.u64 @out, 5, %b\n"
		"  if @no {\n    %b = Mov.u64 3\n  } else {\n    %b = Mov.u64 4\n  }\n  StoreGlobal.u64 @out, 6, %b\n"
		"  %b = Bitcast.u64.i64 @q\n  StoreGlobal.u64 @out, 7, %b\n}\n";
	struct {
		uint32_t yes, padding;
		double d;
		uint32_t u, padding2;
		uint64_t w;
		int32_t n;
		float f;
		uint32_t no, padding3;
		int64_t q;
	} push = {0x80, 0xffffffff, -0.1, 0xfedcba98, 0xffffffff, 0x123456789abcdef0, -5, 1.5f, 0, 0xffffffff,
		  INT64_MIN + 3};
	uint64_t out[8], want[8] = {1, 0, 0xfedcba98, 0x123456789abcdef0, (uint64_t)-5, 0x3fc00000, 4,
				    (uint64_t)INT64_MIN + 3};
	struct exec_buffer buffer = {0, 0, out, sizeof out};
	struct exec_run run = {
		.buffers = &buffer, .buffer_count = 1, .push = &push, .push_bytes = sizeof push, .groups = {1, 1, 1}};

	memcpy(&want[1], &push.d, 8);
	for (int optimize = 0; optimize < 2; optimize++) {
		memset(out, 0xa5, sizeof out);
		if (!kernels_run(kernels, text, optimize, &run))
			continue;
		for (int i = 0; i < 8; i++)
			if (out[i] != want[i])
				kernels_fail(kernels, text, "parameter %d at -O%d: %#" PRIx64 ", not %#" PRIx64, i, optimize,
					     out[i], want[i]);
	}
}

static const char spec_text[] =
	"kernel k(@out: buffer u64 write, @yes: spec bool = true, @n: spec i32 = -5, @u: spec u32 = 0xfedcba98,\n"
	"  @q: spec i64 = -4294967297, @w: spec u64 = 0x123456789abcdef0, @f: spec f32 = 1.5, @d: spec f64 = -0.1,\n"
	"  @SIZE: spec u32 = 32, @LENGTH: spec u32 = 40) workgroup @SIZE 2 {\n"
	"  shared @a: u32[@LENGTH]\n"
	"  %l = LocalIndex\n  %last = Sub.u32 @LENGTH, 1\n"
	"  %b = Select.u64 @yes, 1, 0\n  StoreGlobal.u64 @out, 0, %b\n"
	"  %b = Cvt.u64.i32 @n\n  StoreGlobal.u64 @out, 1, %b\n"
	"  %b = Cvt.u64.u32 @u\n  StoreGlobal.u64 @out, 2, %b\n"
	"  %b = Bitcast.u64.i64 @q\n  StoreGlobal.u64 @out, 3, %b\n"
	"  StoreGlobal.u64 @out, 4, @w\n"
	"  %c = Bitcast.u32.f32 @f\n  %b = Cvt.u64.u32 %c\n  StoreGlobal.u64 @out, 5, %b\n"
	"  %b = Bitcast.u64.f64 @d\n  StoreGlobal.u64 @out, 6, %b\n"
	"  %x = WorkgroupSize.x\n  %y = WorkgroupSize.y\n  %x = Mul.u32 %x, %y\n  %b = Cvt.u64.u32 %x\n"
	"  StoreGlobal.u64 @out, 7, %b\n"
	/* One round a lane, so that all of the array is written whatever the sizes are. */
	"  for %k.u32 = %l, @LENGTH, 1 {\n    StoreShared.u32 @a, %k, %k\n    break\n  }\n  BarrierSync\n"
	"  %c = LoadShared.u32 @a, %last\n  %b = Cvt.u64.u32 %c\n  StoreGlobal.u64 @out, 8, %b\n"
	"  %z = Eq.u32 %l, 0\n  if %z {\n    %g = GlobalSize.x\n    %b = Cvt.u64.u32 %g\n    StoreGlobal.u64 @out, 9, %b\n  }\n}\n";

static void try_specs(struct kernels *kernels)
{
	static const char *const defines[] = {
		"yes", "false", "n", "7", "u", "1", "q", "-2", "w", "3", "SIZE", "16", "LENGTH", "20", NULL, NULL,
	};
	static const struct exec_spec launch[] = {
		{0, 4, 0}, {1, 4, 9}, {2, 4, 8}, {3, 8, 0x700000006}, {4, 8, 0x500000004}, {5, 4, 0x40000000},
		{6, 8, 0x4000000000000000}, {7, 4, 48}, {8, 4, 90},
	};
	const uint64_t tenth = UINT64_C(0xbfb999999999999a);
	const uint64_t wants[3][10] = {
		{1, (uint64_t)-5, 0xfedcba98, (uint64_t)-4294967297, 0x123456789abcdef0, 0x3fc00000, tenth, 64, 39, 96},
		{0, 7, 1, (uint64_t)-2, 3, 0x3fc00000, tenth, 32, 19, 48},
		{0, 9, 8, 0x700000006, 0x500000004, 0x40000000, 0x4000000000000000, 96, 89, 144},
	};

	for (int way = 0; way < 3; way++)
		for (int optimize = 0; optimize < 2; optimize++) {
			uint64_t out[10];
			struct exec_buffer buffer = {0, 0, out, sizeof out};
			struct exec_run run = {.buffers = &buffer, .buffer_count = 1, .groups = {3, 1, 1}};

			if (way == 2) {
				run.specs = launch;
				run.spec_count = sizeof launch / sizeof launch[0];
			}
			memset(out, 0xa5, sizeof out);
			if (!kernels_run_with(kernels, spec_text, way == 1 ? defines : NULL, optimize, &run))
				continue;
			for (int i = 0; i < 10; i++)
				if (out[i] != wants[way][i])
					kernels_fail(kernels, spec_text, "constant %d %s at -O%d: %#" PRIx64 ", not %#" PRIx64,
						     i, way == 0 ? "as declared" : way == 1 ? "by -D" : "of the launch",
						     optimize, out[i], wants[way][i]);
		}
}

int main(void)
{
	struct kernels kernels;

	kernels_open(&kernels);
	kernels.older = true;
	if (!kernels.runs) {
		printf("SKIP: %s\n", kernels.why);
		return 77;
	}
	for (int t = 0; t < TYPES; t++) {
		for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
			try_moves(&kernels, moves[i].name, moves[i].text, type_names[t]);
		try_const_array(&kernels, type_names[t]);
		try_length(&kernels, type_names[t], 1);
		try_length(&kernels, type_names[t], 1000);
	}
	try_atomics(&kernels);
	try_scalars(&kernels);
	try_specs(&kernels);
	return kernels_finish(&kernels);
}
