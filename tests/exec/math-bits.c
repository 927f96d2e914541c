/* SPDX-License-Identifier: MIT */
/*
 * math-bits inputs X Y        write the inputs of data/math_f32.gasm, 2^18 each
 * math-bits compare X Y OUT   1 unless OUT holds the bits of the measured functions
 *
 * The functions computed here are those that tests/stress/math_f32 holds to their bounds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/math_eval.h"

#include "ir/math_trig_f32.h"

enum { COUNT = 1 << 18, RESULTS = 16 };

static const char NAMES[RESULTS][6] = {
	"exp", "exp2", "log", "log2", "sin", "cos", "tan", "asin",
	"acos", "atan", "sinh", "cosh", "tanh", "erf", "pow", "atan2",
};

static void compute(float x, float y, float want[RESULTS])
{
	const float values[RESULTS] = {
		exp_f32(NULL, x),  exp2_f32(NULL, x), log_f32(NULL, x),    log2_f32(NULL, x),
		sin_f32(NULL, x),  cos_f32(NULL, x),  tan_f32(NULL, x),    asin_f32(NULL, x),
		acos_f32(NULL, x), atan_f32(NULL, x), sinh_f32(NULL, x),   cosh_f32(NULL, x),
		tanh_f32(NULL, x), erf_f32(NULL, x),  pow_f32(NULL, x, y), atan2_f32(NULL, x, y),
	};

	memcpy(want, values, sizeof values);
}

/* Half of x any bits, half within 2^-7 and 2^9; y any bits or a multiple of 1/16. */
static void fill(uint32_t *x, uint32_t *y)
{
	uint32_t state = 1;

	for (uint32_t i = 0; i < COUNT; i++) {
		/* Numerical Recipes' linear congruences, upper halves. */
		uint32_t r[4];

		for (int k = 0; k < 4; k++)
			r[k] = (state = state * 1664525u + 1013904223u) >> 16;
		x[i] = r[0] << 16 | r[1];
		if (i & 1)
			x[i] = (x[i] & SIGN_BIT) | (0x3c000000u + (x[i] & 0x07ffffffu));
		y[i] = i & 2 ? r[2] << 16 | r[3] : eval_as_u32(((float)(r[2] % 2001) - 1000) / 16);
	}
}

static bool transfer(const char *name, const char *mode, uint32_t *words, size_t count)
{
	FILE *file = fopen(name, mode);
	bool good = file && (*mode == 'w' ? fwrite(words, 4, count, file) : fread(words, 4, count, file)) == count;

	if (file && fclose(file))
		good = false;
	if (!good)
		perror(name);
	return good;
}

static int compare(const uint32_t *x, const uint32_t *y, const uint32_t *got)
{
	uint32_t wrong[RESULTS] = {0};
	int exit_code = 0;

	for (uint32_t i = 0; i < COUNT; i++) {
		float first = eval_as_f32(x[i]), second = eval_as_f32(y[i]), want[RESULTS];

		compute(first, second, want);
		for (int k = 0; k < RESULTS; k++) {
			float value = eval_as_f32(got[i * RESULTS + k]);

			if (eval_as_u32(value) == eval_as_u32(want[k]) || (isnan(value) && isnan(want[k])))
				continue;
			if (!wrong[k]++)
				printf("%s of %a, %a is %a, want %a\n", NAMES[k], (double)first,
				       (double)second, (double)value, (double)want[k]);
		}
	}
	for (int k = 0; k < RESULTS; k++) {
		if (!wrong[k])
			continue;
		printf("%s: %u of %u differ\n", NAMES[k], wrong[k], (unsigned)COUNT);
		exit_code = 1;
	}
	return exit_code;
}

int main(int argc, char **argv)
{
	static uint32_t x[COUNT], y[COUNT], got[COUNT * RESULTS];

	if (argc == 4 && !strcmp(argv[1], "inputs")) {
		fill(x, y);
		return transfer(argv[2], "w", x, COUNT) && transfer(argv[3], "w", y, COUNT) ? 0 : 2;
	}
	if (argc == 5 && !strcmp(argv[1], "compare")) {
		if (!transfer(argv[2], "r", x, COUNT) || !transfer(argv[3], "r", y, COUNT) ||
		    !transfer(argv[4], "r", got, (size_t)COUNT * RESULTS))
			return 2;
		return compare(x, y, got);
	}
	fprintf(stderr, "Usage: math-bits inputs X Y | compare X Y OUT\n");
	return 2;
}
