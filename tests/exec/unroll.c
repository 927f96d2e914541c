/* SPDX-License-Identifier: MIT */
/*
 * Loops that are copied for PTX (lib/ir/unroll.h): which are, seen in the text; and that a loop runs the
 * rounds that it has, with the same values, seen on the processor, which is given the same form. Rounds
 * are counted here by arithmetic of 128 bits, at the ends of the types too.
 */
#include "library.h"

#include <glacier/kernel.h>
#include <glacier/target.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void report(void *user, const struct glacier_diagnostic *d)
{
	(void)user;
	printf("FAIL: %u: %s\n", d->location.line, d->message);
	failures++;
}

static struct glacier_module *read_module(const char *text)
{
	struct glacier_text input = {.name = "unroll", .text = text, .size = strlen(text)};
	struct glacier_diag diag = {.report = report};
	struct glacier_module *module = NULL;

	if (glacier_module_create(NULL, &module) != GLACIER_OK)
		abort();
	glacier_module_read_text(module, &input, NULL, &diag);
	return module;
}

/* --- What is copied ------------------------------------------------------- */

#define HEAD "kernel k(@x: buffer f32 read, @y: buffer f32 readwrite, @n: u32, @m: i32) workgroup 64 {\n" \
	     "  shared @s: f32[64]\n  %i = GlobalId\n  %v = LoadGlobal.f32 @x, %i\n  %w = Mov.f32 %v\n"
#define TAIL "  StoreGlobal.f32 @y, %i, %v\n  Return\n}\n"
#define STEP "    %v = Mul.f32 %v, %w\n"
#define FOUR STEP STEP STEP STEP
#define SIXTEEN FOUR FOUR FOUR FOUR

static const struct {
	const char *what, *body;
	int copies, rests;       /* at -O1: of the multiplication; loops for what fours leave */
} loops[] = {
	{"counted", "  for %k.u32 = 0, @n {\n" STEP "  }\n", 5, 1},
	{"counted down", "  for %k.i32 = @m, 0, -1 {\n" STEP "  }\n", 5, 1},
	{"counted by 48", "  for %k.u32 = %i, @n, 48 {\n" STEP "  }\n", 5, 1},
	{"with a way out", "  for %k.u32 = 0, @n {\n" STEP "    %p = Gt.f32 %v, 4\n    break_if %p\n  }\n", 5, 1},
	{"of many rounds that are known", "  for %k.u32 = 0, 4000 {\n" STEP "  }\n", 4, 0},
	{"of some more", "  for %k.u32 = 0, 4002 {\n" STEP "  }\n", 5, 1},
	{"of few", "  for %k.u32 = 0, 3 {\n" STEP "  }\n", 3, 0},
	{"by hand, of few",
	 "  %k = Mov.u32 64\n  loop {\n    %p = Eq.u32 %k, 0\n    break_if %p\n" STEP "    BarrierSync\n"
	 "    %k = Shr.u32 %k, 1\n  }\n",
	 7, 0},
	{"of three or until found", "  for %k.u32 = 0, 3 {\n" STEP "    %p = Gt.f32 %v, 4\n    break_if %p\n  }\n", 1, 0},
	{"that goes on", "  for %k.u32 = 0, @n {\n    %p = Gt.f32 %v, 4\n    continue_if %p\n" STEP "  }\n", 1, 0},
	{"around another",
	 "  for %k.u32 = 0, @n {\n" STEP "    for %j.u32 = 0, @n {\n      %u = Rcp.f32 %v\n    }\n  }\n", 1, 1},
	{"with a barrier", "  for %k.u32 = 0, @n {\n" STEP "    BarrierSync\n  }\n", 1, 0},
	{"without a counter", "  loop {\n" STEP "    %p = Gt.f32 %v, 4\n    break_if %p\n  }\n", 1, 0},
	{"that is small enough", "  for %k.u32 = 0, @n {\n" SIXTEEN SIXTEEN SIXTEEN "  }\n", 240, 1},
	{"that is too large", "  for %k.u32 = 0, @n {\n" SIXTEEN SIXTEEN SIXTEEN SIXTEEN "  }\n", 64, 0},
};

static int count(const char *text, const char *word)
{
	int n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

static void try_text(const char *what, const char *body, enum glacier_optimize optimize, int copies, int rests)
{
	struct glacier_write_options options = {.optimize = optimize};
	struct glacier_diag diag = {.report = report};
	struct glacier_buffer ptx = {0};
	struct glacier_module *module;
	struct glacier_target target;
	char text[16384];
	int got[2];

	snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL);
	module = read_module(text);
	if (glacier_target_parse("ptx:sm_90", &target, &diag) == GLACIER_OK &&
	    glacier_module_write(module, &target, &options, &ptx, &diag) == GLACIER_OK) {
		char *end = strndup((const char *)ptx.data, ptx.size);

		got[0] = count(end, "\tmul.rn.f32");
		got[1] = count(end, ".pragma \"nounroll\"");
		if (got[0] != copies || got[1] != rests) {
			printf("FAIL: a loop %s: %d copies and %d loops for the rest, want %d and %d\n", what, got[0],
			       got[1], copies, rests);
			failures++;
		}
		free(end);
	}
	glacier_buffer_fini(&ptx);
	glacier_module_destroy(module);
}

/* --- How many rounds are run ---------------------------------------------- */

enum { MOST_ROUNDS = 13, STOPS = 4, LANES = 2 * 3 * (MOST_ROUNDS + 1) * STOPS, NEVER = 99 };

static const struct {
	const char *type;
	int64_t step;
	bool is_signed;
	uint32_t bits;
} counters[] = {
	{"u32", 1, false, 32}, {"u32", 3, false, 32},  {"u32", 256, false, 32}, {"u32", 0x10000001, false, 32},
	{"i32", 1, true, 32},  {"i32", -1, true, 32},  {"i32", 5, true, 32},    {"i32", -64, true, 32},
	{"u64", 1, false, 64}, {"u64", 1000, false, 64}, {"i64", 1, true, 64},  {"i64", -7, true, 64},
	{"i64", INT64_C(-0x1000000000000000), true, 64},
};

typedef __int128 wide;

struct lanes {
	uint64_t from[LANES], to[LANES];
	uint32_t stop[LANES], want[2 * LANES];
	size_t count;
};

/* What the kernel does, by arithmetic that cannot wrap. */
static void expect(struct lanes *l, wide from, wide to, wide step, uint32_t stop)
{
	uint32_t rounds = 0, r = 0;

	for (wide k = from; step > 0 ? k < to : k > to; k += step) {
		r = r * 31 + (uint32_t)k;
		if (rounds == stop)
			break;
		rounds++;
	}
	l->from[l->count] = (uint64_t)from;
	l->to[l->count] = (uint64_t)to;
	l->stop[l->count] = stop;
	l->want[2 * l->count] = r;
	l->want[2 * l->count++ + 1] = rounds;
}

/* Bounds at the start, the end and the middle of the type, so that each number of rounds comes about. */
static void fill(struct lanes *l, size_t row)
{
	static const uint32_t stops[STOPS] = {NEVER, 0, 3, 6};
	wide one = 1, step = counters[row].step, size = step < 0 ? -step : step;
	wide low = counters[row].is_signed ? -(one << (counters[row].bits - 1)) : 0;
	wide high = (one << (counters[row].bits - (counters[row].is_signed ? 1 : 0))) - 1;

	l->count = 0;
	for (int rounds = 0; rounds <= MOST_ROUNDS; rounds++)
		for (int s = 0; s < STOPS; s++)
			for (int exact = 0; exact < 2; exact++)
				for (int place = 0; place < 3; place++) {
					/* The last step reaches the bound, or goes beyond it by all but one. */
					wide span = rounds ? (rounds - 1) * size + (exact ? size : 1) : 0, from, to;

					if (span > high - low)
						span = high - low;
					from = place == 0 ? low : place == 1 ? high - span : low + (high - low - span) / 2;
					to = from + span;
					if (step < 0)
						expect(l, to, from, step, stops[s]);
					else
						expect(l, from, to, step, stops[s]);
				}
}

static void try_values(size_t row, bool breaks)
{
	static const char *const unrolled[] = {NULL, "1"};
	static struct lanes l;
	const char *type = counters[row].type;
	bool cut = counters[row].bits == 64;
	uint32_t from32[LANES], to32[LANES], out[2 * LANES], n;
	struct glacier_module *module;
	char text[2048];

	fill(&l, row);
	n = (uint32_t)l.count;
	for (size_t i = 0; i < l.count; i++) {
		from32[i] = (uint32_t)l.from[i];
		to32[i] = (uint32_t)l.to[i];
	}
	snprintf(text, sizeof text,
		 "kernel k(@from: buffer %s read, @to: buffer %s read, @stop: buffer u32 read, @out: buffer u32 write, @n: u32) "
		 "workgroup 64 {\n  %%i = GlobalId\n  %%p = Ge.u32 %%i, @n\n  if %%p { Return }\n"
		 "  %%a = LoadGlobal.%s @from, %%i\n  %%b = LoadGlobal.%s @to, %%i\n  %%stop = LoadGlobal.u32 @stop, %%i\n"
		 "  %%r = Mov.u32 0\n  %%c = Mov.u32 0\n  for %%k.%s = %%a, %%b, %" PRId64 " {\n"
		 "    %%low = %s %%k\n    %%r = Mul.u32 %%r, 31\n    %%r = Add.u32 %%r, %%low\n%s    %%c = Add.u32 %%c, 1\n  }\n"
		 "  %%j = Mul.u32 %%i, 2\n  StoreGlobal.u32 @out, %%j, %%r\n  %%j = Add.u32 %%j, 1\n"
		 "  StoreGlobal.u32 @out, %%j, %%c\n  Return\n}\n",
		 type, type, type, type, type, counters[row].step,
		 cut ? (counters[row].is_signed ? "Cvt.u32.i64" : "Cvt.u32.u64")
		     : (counters[row].is_signed ? "Bitcast.u32.i32" : "Mov.u32"),
		 breaks ? "    %p = Eq.u32 %c, %stop\n    break_if %p\n" : "");
	module = read_module(text);
	for (int form = 0; form < 2 && !failures; form++) {
		struct exec_buffer buffers[] = {
			{0, 0, cut ? (void *)l.from : from32, l.count * (cut ? 8 : 4)},
			{0, 1, cut ? (void *)l.to : to32, l.count * (cut ? 8 : 4)},
			{0, 2, l.stop, l.count * 4},
			{0, 3, out, l.count * 8},
		};
		struct exec_run run = {
			.buffers = buffers,
			.buffer_count = 4,
			.push = &n,
			.push_bytes = 4,
			.groups = {(n + 63) / 64, 1, 1},
		};
		struct library *library;
		char message[256];

		/* A device keeps what it compiled. */
		if (unrolled[form])
			setenv("GLACIER_EXEC_UNROLLED", unrolled[form], 1);
		else
			unsetenv("GLACIER_EXEC_UNROLLED");
		if (library_open(GLACIER_DEVICE_CPU, &library, message, sizeof message) != EXEC_OK) {
			printf("FAIL: %s\n", message);
			exit(1);
		}
		memset(out, 0xa5, sizeof out);
		if (library_run(library, module, true, &run) != EXEC_OK) {
			printf("FAIL: %s\n", library_message(library));
			failures++;
		}
		for (size_t i = 0; i < l.count && !failures; i++)
			/* Without breaks only the lanes that never stop are those of `want`. */
			if ((breaks || l.stop[i] == NEVER) && memcmp(out + 2 * i, l.want + 2 * i, 8)) {
				printf("FAIL: for %s from 0x%" PRIx64 " to 0x%" PRIx64 " by %" PRId64 ", stop %u, %s: "
				       "%u rounds and 0x%x, want %u and 0x%x\n",
				       type, l.from[i], l.to[i], counters[row].step, l.stop[i], form ? "unrolled" : "plain",
				       out[2 * i + 1], out[2 * i], l.want[2 * i + 1], l.want[2 * i]);
				failures++;
			}
		library_close(library);
	}
	glacier_module_destroy(module);
}

int main(void)
{
	for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
		int once = count(loops[i].body, "Mul.f32");

		try_text(loops[i].what, loops[i].body, GLACIER_OPTIMIZE_SAFE, loops[i].copies, loops[i].rests);
		try_text(loops[i].what, loops[i].body, GLACIER_OPTIMIZE_NONE, once, 0);
	}
	for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
		try_values(i, false);
		try_values(i, true);
	}
	return failures != 0;
}
