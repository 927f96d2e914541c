/* SPDX-License-Identifier: MIT */
/*
 * How often is rounded: a product and a sum in two instructions always twice, Fma with
 * +soft-fma once. The third operand nearly cancels the product, so that one rounding and two
 * give other bits; no operand or result is subnormal.
 */
#include "op_values.h"

#include "op_edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIPLES = 8192 };

static float random_f32(uint64_t *state)
{
	uint64_t bits = next_random(state);

	return ldexpf((float)(1 << 23 | (bits & 0x7fffff)), (int)(bits >> 24 & 31) - 40) * (bits >> 32 & 1 ? -1 : 1);
}

static double random_f64(uint64_t *state)
{
	uint64_t bits = next_random(state);

	return ldexp((double)(UINT64_C(1) << 52 | bits >> 12), (int)(bits & 63) - 80) * (bits >> 6 & 1 ? -1 : 1);
}

static bool run_triples(struct kernels *kernels, const char *type, const char *body, bool optimize, const void *x,
			const void *y, const void *z, void *out)
{
	size_t bytes = TRIPLES * (size_t)(strcmp(type, "f64") ? 4 : 8);
	struct exec_buffer buffers[] = {
		{0, 0, (void *)(uintptr_t)x, bytes}, {0, 1, (void *)(uintptr_t)y, bytes},
		{0, 2, (void *)(uintptr_t)z, bytes}, {0, 3, out, bytes},
	};
	struct exec_run run = {.buffers = buffers, .buffer_count = 4, .groups = {TRIPLES / 64, 1, 1}};
	struct script text = {0};
	bool good;

	script_add(&text, "kernel k(@x: buffer %s read, @y: buffer %s read, @z: buffer %s read, @out: buffer %s write)"
		   " workgroup 64 {\n  %%i = GlobalId\n  %%x = LoadGlobal.%s @x, %%i\n  %%y = LoadGlobal.%s @y, %%i\n"
		   "  %%z = LoadGlobal.%s @z, %%i\n%s  StoreGlobal.%s @out, %%i, %%r\n}\n",
		   type, type, type, type, type, type, type, body, type);
	good = kernels_run(kernels, text.at, optimize, &run);
	free(text.at);
	return good;
}

static const char two_f32[] = "  %m = Mul.f32 %x, %y\n  %r = Add.f32 %m, %z\n";
static const char two_f64[] = "  %m = Mul.f64 %x, %y\n  %r = Add.f64 %z, %m\n";
static const char one_f32[] = "  %r = Fma.f32 %x, %y, %z\n";

static void try_f32(struct kernels *kernels, uint64_t seed)
{
	static float x[TRIPLES], y[TRIPLES], z[TRIPLES], out[TRIPLES];
	uint64_t state = seed;
	unsigned differing = 0;
	size_t plain;

	for (int i = 0; i < TRIPLES; i++) {
		x[i] = random_f32(&state);
		y[i] = random_f32(&state);
		z[i] = i % 2 ? -(x[i] * y[i]) : random_f32(&state);
		/* The residue of an exact product is a zero whose sign is the rounding's affair. */
		if (fmaf(x[i], y[i], z[i]) == 0)
			z[i] = 1;
		differing += fmaf(x[i], y[i], z[i]) != x[i] * y[i] + z[i];
	}
	if (differing < TRIPLES / 8)
		kernels_fail(kernels, NULL, "only %u triples tell one rounding from two", differing);
	for (int optimize = 0; optimize < 2; optimize++) {
		if (run_triples(kernels, "f32", two_f32, optimize, x, y, z, out))
			for (int i = 0; i < TRIPLES; i++)
				if (out[i] != x[i] * y[i] + z[i]) {
					kernels_fail(kernels, NULL, "Mul.f32 and Add.f32 at -O%d: %a * %a + %a gives %a", optimize,
						     (double)x[i], (double)y[i], (double)z[i], (double)out[i]);
					break;
				}
		plain = strlen(kernels->target);
		if (!kernels->strict)
			strcat(kernels->target, "+soft-fma");
		if (run_triples(kernels, "f32", one_f32, optimize, x, y, z, out))
			for (int i = 0; i < TRIPLES; i++)
				if (out[i] != fmaf(x[i], y[i], z[i])) {
					kernels_fail(kernels, NULL, "Fma.f32 for %s at -O%d: %a * %a + %a gives %a", kernels->target,
						     optimize, (double)x[i], (double)y[i], (double)z[i], (double)out[i]);
					break;
				}
		kernels->target[plain] = 0;
	}
}

static void try_f64(struct kernels *kernels, uint64_t seed)
{
	static double x[TRIPLES], y[TRIPLES], z[TRIPLES], out[TRIPLES];
	uint64_t state = seed;

	for (int i = 0; i < TRIPLES; i++) {
		x[i] = random_f64(&state);
		y[i] = random_f64(&state);
		z[i] = i % 2 ? -(x[i] * y[i]) : random_f64(&state);
	}
	for (int optimize = 0; optimize < 2; optimize++)
		if (run_triples(kernels, "f64", two_f64, optimize, x, y, z, out))
			for (int i = 0; i < TRIPLES; i++)
				if (out[i] != x[i] * y[i] + z[i]) {
					kernels_fail(kernels, NULL, "Mul.f64 and Add.f64 at -O%d: %a * %a + %a gives %a", optimize, x[i],
						     y[i], z[i], out[i]);
					break;
				}
}

void run_rounding(struct kernels *kernels, uint64_t seed)
{
	try_f32(kernels, seed);
	try_f64(kernels, seed);
}
