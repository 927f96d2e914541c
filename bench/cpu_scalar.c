/* SPDX-License-Identifier: MIT */
/* Compiled with -O3 -march=native -ffp-contract=off: bench/local.mk. */
#include "cpu_scalar.h"

#include <math.h>

void scalar_logistic_map(const float *in, float *out, uint32_t iters, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		float v = in[i];

		for (uint32_t k = 0; k < iters; k++)
			v = 3.9f * v * (1 - v);
		out[i] = v;
	}
}

void scalar_mandelbrot(uint32_t *out, float left, float top, float step, uint32_t width, uint32_t height,
		       uint32_t limit)
{
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++) {
			float cr = (float)x * step + left, ci = (float)y * step + top, zr = 0, zi = 0;
			uint32_t rounds = 0;

			for (; rounds < limit; rounds++) {
				float rr = zr * zr, ii = zi * zi, ri;

				if (rr + ii > 4)
					break;
				ri = zr * zi;
				zi = ri + ri + ci;
				zr = rr - ii + cr;
			}
			out[(size_t)y * width + x] = rounds;
		}
}

void scalar_saxpy(const float *x, float *y, float a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		y[i] = a * x[i] + y[i];
}

static float normal(float d)
{
	float size = fabsf(d), x = 1 / (0.2316419f * size + 1), poly = 1.330274429f;

	poly = poly * x - 1.821255978f;
	poly = poly * x + 1.781477937f;
	poly = poly * x - 0.356563782f;
	poly = (poly * x + 0.319381530f) * x;
	poly *= 0.3989422804f * expf(-0.5f * d * d);
	return d < 0 ? poly : 1 - poly;
}

void scalar_black_scholes(const float *price, const float *strike, const float *years, float *call, float *put,
			  float rate, float volatility, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		float s = price[i], t = years[i], vt = volatility * sqrtf(t);
		float d1 = (logf(s / strike[i]) + (rate + 0.5f * volatility * volatility) * t) / vt;
		float n1 = normal(d1), n2 = normal(d1 - vt), k = strike[i] * expf(-rate * t);

		call[i] = s * n1 - k * n2;
		put[i] = k * (1 - n2) - s * (1 - n1);
	}
}

int32_t threaded_fibonacci(int32_t index)
{
	enum { ADD, MOVE, STEP, LESS, BRANCH, END };
	/* The loop of fibonacci.gasm: operands are registers, or where BRANCH goes. */
	static const struct { uint8_t op, d, a, b; } code[] = {
		{LESS, 4, 3, 5, }, {BRANCH, 4, 8, 0}, {ADD, 2, 0, 1}, {MOVE, 0, 1, 0}, {MOVE, 1, 2, 0},
		{STEP, 3, 3, 0}, {LESS, 4, 3, 5}, {BRANCH, 4, 8, 2}, {END, 0, 0, 0},
	};
	static const void *const labels[] = {&&add, &&move, &&advance, &&less, &&branch, &&end};
	uint32_t r[6] = {0, 1, 0, 1, 0, (uint32_t)index};
	unsigned pc = 0;

	goto *labels[code[pc].op];
add:
	r[code[pc].d] = r[code[pc].a] + r[code[pc].b];
	goto *labels[code[++pc].op];
move:
	r[code[pc].d] = r[code[pc].a];
	goto *labels[code[++pc].op];
advance:
	r[code[pc].d] = r[code[pc].a] + 1;
	goto *labels[code[++pc].op];
less:
	r[code[pc].d] = (int32_t)r[code[pc].a] < (int32_t)r[code[pc].b];
	goto *labels[code[++pc].op];
branch:
	pc = r[code[pc].d] ? (code[pc].b ? code[pc].b : pc + 1u) : code[pc].a;
	goto *labels[code[pc].op];
end:
	return (int32_t)r[1];
}
