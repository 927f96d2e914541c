/* SPDX-License-Identifier: MIT */
/*
 * What each example must give, computed in another way: exact integers, or double, whose
 * rounding is invisible next to that of f32. A tolerance is derived where it stands, in
 * U = 2^-24, half an ULP: one rounding is U, a function within 4 ULP is 8 U. A result of
 * Add, Sub or Mul alone is compared exactly: a double holds the product of two f32, and
 * rounding a sum first to double and then to f32 is the same as rounding it once.
 */
#include "examples.h"

#include <math.h>
#include <string.h>

#define U 0x1p-24
#define COUNT(table) (sizeof(table) / sizeof *(table))
#define F32(array) ((float *)(array).at)
#define U32(array) ((uint32_t *)(array).at)
#define I32(array) ((int32_t *)(array).at)
#define PUSH(...) &(__VA_ARGS__), sizeof(__VA_ARGS__)

static float add(float x, float y) { return (float)((double)x + (double)y); }
static float mul(float x, float y) { return (float)((double)x * (double)y); }

static struct array reals(uint32_t count, double low, double high)
{
	struct array array = array_new(count);

	for (uint32_t i = 0; i < count; i++)
		F32(array)[i] = (float)random_real(low, high);
	return array;
}

/* Whole numbers: sums and products of few of them are exact in any order. */
static struct array whole(uint32_t count, int low, int high)
{
	struct array array = array_new(count);

	for (uint32_t i = 0; i < count; i++)
		F32(array)[i] = (float)random_int(low, high);
	return array;
}

static struct array patterns(uint32_t count)
{
	struct array array = array_new(count);

	for (uint32_t i = 0; i < count; i++)
		U32(array)[i] = random_u32();
	return array;
}

static void free_all(struct array *arrays, size_t count)
{
	for (size_t i = 0; i < count; i++)
		array_free(&arrays[i]);
}

static uint32_t groups(uint32_t n, uint32_t size)
{
	return (n + size - 1) / size;
}

/* None, one, around a workgroup of 64, 128 and 256, several, none of them a multiple. */
static const uint32_t sizes[] = {0, 1, 63, 65, 127, 200, 255, 257, 1000};

static void vector_add(const struct example *e)
{
	for (size_t s = 0; s < COUNT(sizes); s++) {
		uint32_t n = sizes[s];
		struct array v[] = {reals(n, -9, 9), reals(n, -1e6, 1e6), array_new(n)};

		launch(e, NULL, groups(n, 256), 1, v, 3, PUSH((uint32_t){n}));
		for (uint32_t i = 0; i < n; i++)
			expect_f32(e, "out", i, F32(v[2])[i], (double)add(F32(v[0])[i], F32(v[1])[i]), 0);
		free_all(v, 3);
	}
}

static void saxpy(const struct example *e)
{
	for (size_t s = 0; s < COUNT(sizes); s++)
		/* Fewer workgroups than elements need, and more. */
		for (uint32_t x = 1; x <= 9; x += 4) {
			uint32_t n = sizes[s];
			float a = 2.7f;
			struct array v[] = {reals(n, -9, 9), reals(n, -9, 9)}, before = array_new(n);

			memcpy(before.at, v[1].at, n * sizeof(float));
			launch(e, NULL, x, 1, v, 2, PUSH((struct { float a; uint32_t n; }){a, n}));
			for (uint32_t i = 0; i < n; i++)
				expect_f32(e, "y", i, F32(v[1])[i],
					   (double)add(mul(a, F32(v[0])[i]), F32(before)[i]), 0);
			array_free(&before);
			free_all(v, 2);
		}
}

static void block_reduce_by(const struct example *e, uint32_t n, uint32_t block)
{
	uint32_t count = groups(n, block) ? groups(n, block) : 1, depth = (uint32_t)__builtin_ctz(block);
	struct array v[] = {reals(n, -9, 9), array_new(count)};

	if (block == 256)
		launch(e, NULL, count, 1, v, 2, PUSH((uint32_t){n}));
	else
		launch_spec(e, count, block, v, 2, PUSH((uint32_t){n}));
	for (uint32_t g = 0; g < count; g++) {
		double sum = 0, sizes_sum = 0;

		for (uint32_t i = g * block; i < n && i < (g + 1) * block; i++) {
			sum += (double)F32(v[0])[i];
			sizes_sum += fabs((double)F32(v[0])[i]);
		}
		/* An element passes through as many additions as the tree is deep. */
		expect_f32(e, "out", g, F32(v[1])[g], sum, depth * U * sizes_sum);
	}
	free_all(v, 2);
}

static void block_reduce(const struct example *e)
{
	for (size_t s = 0; s < COUNT(sizes); s++)
		for (uint32_t block = 1; block <= 256; block *= 4)
			block_reduce_by(e, sizes[s], block);
}

static void logistic_map(const struct example *e)
{
	static const uint32_t rounds[] = {0, 1, 300};

	for (size_t r = 0; r < COUNT(rounds); r++)
		for (size_t s = 0; s < COUNT(sizes); s++) {
			uint32_t n = sizes[s];
			struct array v[] = {reals(n, 0, 1), array_new(n)};

			launch(e, NULL, 2, 1, v, 2, PUSH((uint32_t[]){rounds[r], n}));
			for (uint32_t i = 0; i < n; i++) {
				float x = F32(v[0])[i];

				for (uint32_t k = 0; k < rounds[r]; k++)
					x = mul(mul(3.9f, x), add(1, -x));
				expect_f32(e, "out", i, F32(v[1])[i], (double)x, 0);
			}
			free_all(v, 2);
		}
}

static void matmul_tiled(const struct example *e)
{
	static const uint32_t shapes[][3] = {{1, 1, 1}, {1, 1, 0}, {16, 16, 16}, {17, 33, 5},
					     {3, 40, 70}, {50, 2, 31}};

	for (size_t s = 0; s < COUNT(shapes); s++) {
		uint32_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
		struct array v[] = {whole(m * k, -9, 9), whole(k * n, -9, 9), array_new(m * n)};

		launch(e, NULL, groups(n, 16), groups(m, 16), v, 3, PUSH((uint32_t[]){m, n, k}));
		for (uint32_t i = 0; i < m; i++)
			for (uint32_t j = 0; j < n; j++) {
				int sum = 0;   /* below 2^24: exact in f32 as well */

				for (uint32_t l = 0; l < k; l++)
					sum += (int)F32(v[0])[i * k + l] * (int)F32(v[1])[l * n + j];
				expect_f32(e, "c", i * n + j, F32(v[2])[i * n + j], sum, 0);
			}
		free_all(v, 3);
	}
}

static void histogram(const struct example *e)
{
	static const uint32_t bytes[] = {0, 1, 3, 4, 7, 1023, 1024, 1025, 5003};

	for (size_t s = 0; s < COUNT(bytes); s++)
		for (uint32_t x = 1; x <= 3; x += 2) {
			uint32_t n = bytes[s], want[256];
			struct array v[] = {patterns(groups(n, 4)), array_new(256)};

			for (uint32_t i = 0; i < 256; i++)
				U32(v[1])[i] = want[i] = i;
			for (uint32_t i = 0; i < n; i++)
				want[((unsigned char *)v[0].at)[i]]++;
			launch(e, NULL, x, 1, v, 2, PUSH((uint32_t){n}));
			for (uint32_t i = 0; i < 256; i++)
				expect_u32(e, "bins", i, U32(v[1])[i], want[i]);
			free_all(v, 2);
		}
}

static void scan(const struct example *e)
{
	/* The last one has more than 256 workgroups: two rounds of scan_sums. */
	static const uint32_t counts[] = {0, 1, 255, 256, 257, 1000, 66000};

	for (size_t s = 0; s < COUNT(counts); s++) {
		uint32_t n = counts[s], blocks = groups(n, 256) ? groups(n, 256) : 1, sum = 0;
		struct array in = patterns(n), out = array_new(n), sums = array_new(blocks);

		launch(e, "scan_blocks", blocks, 1, (struct array[]){in, out, sums}, 3, PUSH((uint32_t){n}));
		launch(e, "scan_sums", 1, 1, &sums, 1, PUSH((uint32_t){blocks}));
		launch(e, "scan_add", blocks, 1, (struct array[]){out, sums}, 2, PUSH((uint32_t){n}));
		for (uint32_t i = 0; i < n; i++) {
			sum += U32(in)[i];
			expect_u32(e, "out", i, U32(out)[i], sum);
		}
		array_free(&in);
		array_free(&out);
		array_free(&sums);
	}
}

static void softmax(const struct example *e)
{
	static const uint32_t shapes[][2] = {{1, 1}, {1, 0}, {3, 255}, {2, 256}, {2, 257}, {4, 1000}};

	for (size_t s = 0; s < COUNT(shapes); s++) {
		uint32_t rows = shapes[s][0], columns = shapes[s][1];
		struct array v[] = {array_new(rows * columns), array_new(rows * columns)};

		/*
		 * Multiples of 1/64: their differences are exact. Every other row has one element so far
		 * above the rest that its exp overflows if another is taken for the largest.
		 */
		for (uint32_t i = 0; i < rows * columns; i++)
			F32(v[0])[i] = (float)random_int(-1280, 1280) / 64;
		for (uint32_t r = 0; r < rows && columns; r += 2)
			F32(v[0])[r * columns + random_u32() % columns] = 150;
		launch(e, NULL, rows, 1, v, 2, PUSH((uint32_t){columns}));
		for (uint32_t r = 0; r < rows; r++) {
			const float *x = F32(v[0]) + r * columns;
			double max = -INFINITY, sum = 0;
			/*
			 * Exp of element and sum 8 U each, Div 5 U, additions in a lane and in the tree; and
			 * a device may flush what is below the least normal number.
			 */
			double bound = (8 + 8 + 5 + groups(columns, 256) + 8) * U;

			for (uint32_t c = 0; c < columns; c++)
				max = fmax(max, (double)x[c]);
			for (uint32_t c = 0; c < columns; c++)
				sum += exp((double)x[c] - max);
			for (uint32_t c = 0; c < columns; c++) {
				double want = exp((double)x[c] - max) / sum;

				expect_f32(e, "out", r * columns + c, F32(v[1])[r * columns + c], want,
					   bound * want + 0x1p-126);
			}
		}
		free_all(v, 2);
	}
}

static void layer_norm_row(const struct example *e, const struct array v[4], uint32_t row, uint32_t columns,
			   double epsilon)
{
	const float *x = F32(v[0]) + row * columns;
	double mean = 0, size = 0, variance = 0, scale, depth = groups(columns, 128) + 7;

	for (uint32_t c = 0; c < columns; c++) {
		mean += (double)x[c] / columns;
		size += fabs((double)x[c]) / columns;
	}
	for (uint32_t c = 0; c < columns; c++)
		variance += ((double)x[c] - mean) * ((double)x[c] - mean) / columns;
	scale = 1 / sqrt(variance + epsilon);
	for (uint32_t c = 0; c < columns; c++) {
		double gamma = (double)F32(v[1])[c], beta = (double)F32(v[2])[c];
		double part = ((double)x[c] - mean) * scale * gamma, want = part + beta;
		/*
		 * The mean is wrong by depth + 5 roundings (the division has up to 5) of the mean size;
		 * it goes into the variance squared. The variance has depth + 9, and the root halves
		 * them; the root itself is within 3 ULP, its reciprocal within 2.5, then three products.
		 */
		double bound = U * ((depth + 5) * size * scale * fabs(gamma) +
				    ((depth + 9) / 2 + 6 + 5 + 4) * fabs(part) + fabs(want));
		uint32_t i = row * columns + c;

		expect_f32(e, "y", i, F32(v[3])[i], want, bound);
	}
}

static void layer_norm(const struct example *e)
{
	static const uint32_t shapes[][2] = {{1, 1}, {3, 127}, {2, 128}, {2, 130}, {4, 1000}};
	float epsilon = 1e-3f;

	for (size_t s = 0; s < COUNT(shapes); s++) {
		uint32_t rows = shapes[s][0], columns = shapes[s][1];
		/* Far from 0: a variance from the difference of two sums would be wrong by a hundred bounds. */
		struct array v[] = {reals(rows * columns, 99, 101), reals(columns, -2, 2),
				    reals(columns, -1, 1), array_new(rows * columns)};

		launch(e, NULL, rows, 1, v, 4,
		       PUSH((struct { uint32_t columns; float epsilon; }){columns, epsilon}));
		for (uint32_t r = 0; r < rows; r++)
			layer_norm_row(e, v, r, columns, (double)epsilon);
		free_all(v, 4);
	}
}

static void transpose(const struct example *e)
{
	static const uint32_t shapes[][2] = {{1, 1}, {16, 16}, {17, 33}, {3, 100}, {100, 3}, {1, 40}, {0, 5}};

	for (size_t s = 0; s < COUNT(shapes); s++) {
		uint32_t w = shapes[s][0], h = shapes[s][1];
		struct array v[] = {whole(w * h, -9999, 9999), array_new(w * h)};

		launch(e, NULL, groups(w, 16), groups(h, 16), v, 2, PUSH((uint32_t[]){w, h}));
		for (uint32_t y = 0; y < h; y++)
			for (uint32_t x = 0; x < w; x++)
				expect_f32(e, "out", x * h + y, F32(v[1])[x * h + y],
					   (double)F32(v[0])[y * w + x], 0);
		free_all(v, 2);
	}
}

/* In 64 bits, where nothing overflows. */
static int32_t euclid(int64_t a, int64_t b)
{
	while (b) {
		int64_t r = a % b;

		a = b;
		b = r;
	}
	return (int32_t)a;
}

static void gcd(const struct example *e)
{
	static const int32_t edges[] = {0, 1, -1, 2, -6, INT32_MAX, INT32_MIN, INT32_MIN + 1};

	for (size_t s = 0; s < COUNT(sizes); s++) {
		uint32_t n = sizes[s];
		struct array v[] = {array_new(n), array_new(n), array_new(n)};

		for (uint32_t i = 0; i < n; i++) {
			/* Multiples of a common factor, then every pair of edge values. */
			I32(v[0])[i] = random_int(-1000, 1000) * (int)(i % 100 + 1);
			I32(v[1])[i] = random_int(-1000, 1000) * (int)(i % 100 + 1);
			if (i >= 100 && i < 164) {
				I32(v[0])[i] = edges[(i - 100) / 8];
				I32(v[1])[i] = edges[(i - 100) % 8];
			}
		}
		launch(e, NULL, groups(n, 64), 1, v, 3, PUSH((uint32_t){n}));
		for (uint32_t i = 0; i < n; i++)
			expect_u32(e, "out", i, U32(v[2])[i], (uint32_t)euclid(I32(v[0])[i], I32(v[1])[i]));
		free_all(v, 3);
	}
}

/* F(2m) = F(m) (2 F(m+1) - F(m)), F(2m+1) = F(m)^2 + F(m+1)^2, modulo 2^32 */
static uint32_t fibonacci_of(uint32_t index)
{
	uint32_t a = 0, b = 1;

	for (int bit = 31; bit >= 0; bit--) {
		uint32_t c = a * (2 * b - a), d = a * a + b * b;

		a = index >> bit & 1 ? d : c;
		b = index >> bit & 1 ? c + d : d;
	}
	return a;
}

static void fibonacci(const struct example *e)
{
	for (size_t s = 0; s < COUNT(sizes); s++) {
		uint32_t n = sizes[s];
		struct array v[] = {array_new(n), array_new(n)};

		for (uint32_t i = 0; i < n; i++)
			I32(v[0])[i] = i == 62 ? 15000 : i == 61 ? INT32_MIN : (int)i - 5;
		launch(e, NULL, groups(n, 64), 1, v, 2, PUSH((uint32_t){n}));
		for (uint32_t i = 0; i < n; i++) {
			int32_t index = I32(v[0])[i];

			expect_u32(e, "out", i, U32(v[1])[i], index < 1 ? 1 : fibonacci_of((uint32_t)index));
		}
		free_all(v, 2);
	}
}

static void nbody(const struct example *e)
{
	static const uint32_t counts[] = {0, 1, 2, 127, 129, 300};
	float softening = 0.01f;

	for (size_t s = 0; s < COUNT(counts); s++) {
		uint32_t n = counts[s];
		struct array v[] = {reals(4 * n, 0, 1), array_new(3 * n)};

		launch(e, NULL, groups(n, 128), 1, v, 2,
		       PUSH((struct { float softening; uint32_t n; }){softening, n}));
		for (uint32_t i = 0; i < n; i++)
			for (int axis = 0; axis < 3; axis++) {
				const float *me = F32(v[0]) + 4 * i;
				double sum = 0, size = 0;

				for (uint32_t j = 0; j < n; j++) {
					const float *other = F32(v[0]) + 4 * j;
					double d[3], rr = (double)softening, part;

					for (int k = 0; k < 3; k++) {
						d[k] = (double)other[k] - (double)me[k];
						rr += d[k] * d[k];
					}
					part = (double)other[3] * d[axis] / (rr * sqrt(rr));
					sum += part;
					size += fabs(part);
				}
				/*
				 * rr has 6 U (difference twice, square, three sums), its root half of that and 6 more,
				 * the reciprocal 5: 14 for u and 44 for its cube, then difference and products.
				 */
				expect_f32(e, "accel", 3 * i + (uint32_t)axis, F32(v[1])[3 * i + (uint32_t)axis], sum,
					   (50 + n) * U * size);
			}
		free_all(v, 2);
	}
}

static double normal(double x)
{
	return 0.5 * erfc(-x / sqrt(2));
}

static void black_scholes(const struct example *e)
{
	float rate = 0.03f, volatility = 0.3f;

	for (size_t s = 0; s < COUNT(sizes); s++) {
		uint32_t n = sizes[s];
		struct array v[] = {reals(n, 50, 100), reals(n, 50, 100), reals(n, 0.25, 3),
				    array_new(n), array_new(n)};

		launch(e, NULL, groups(n, 256), 1, v, 5,
		       PUSH((struct { float rate, volatility; uint32_t n; }){rate, volatility, n}));
		for (uint32_t i = 0; i < n; i++) {
			double price = (double)F32(v[0])[i], strike = (double)F32(v[1])[i];
			double t = (double)F32(v[2])[i], r = (double)rate, vt = (double)volatility * sqrt(t);
			double d1 = (log(price / strike) + r * t) / vt + vt / 2, d2 = d1 - vt;
			double due = strike * exp(-r * t);
			/*
			 * N is wrong by 7.5e-8 of the polynomial, by 5 roundings of terms whose sizes sum to 5.3
			 * times 0.4, and by the slope, at most 0.4, times the error of d: 8 U of a logarithm below
			 * 0.7 divided by vt above 0.15, and 10 U of d below 5. Together below 2.5e-6.
			 */
			double bound = 2.5e-6 * (price + due);

			expect_f32(e, "call", i, F32(v[3])[i], price * normal(d1) - due * normal(d2), bound);
			expect_f32(e, "put", i, F32(v[4])[i], due * normal(-d2) - price * normal(-d1), bound);
		}
		free_all(v, 5);
	}
}

static void spmv(const struct example *e)
{
	enum { COLUMNS = 50, MOST = 9 };

	for (size_t s = 0; s < COUNT(sizes); s++) {
		uint32_t rows = sizes[s], count = 0;
		struct array v[] = {array_new(rows + 1), array_new(rows * MOST), whole(rows * MOST, -99, 99),
				    whole(COLUMNS, -99, 99), array_new(rows)};

		for (uint32_t r = 0; r < rows; r++) {
			U32(v[0])[r] = count;
			for (int j = random_int(0, MOST + 1); j > 0; j--)
				U32(v[1])[count++] = random_u32() % COLUMNS;
		}
		U32(v[0])[rows] = count;
		launch(e, NULL, groups(rows, 64), 1, v, 5, PUSH((uint32_t){rows}));
		for (uint32_t r = 0; r < rows; r++) {
			int sum = 0;

			for (uint32_t j = U32(v[0])[r]; j < U32(v[0])[r + 1]; j++)
				sum += (int)F32(v[2])[j] * (int)F32(v[3])[U32(v[1])[j]];
			expect_f32(e, "y", r, F32(v[4])[r], sum, 0);
		}
		free_all(v, 5);
	}
}

static void subgroup_reduce(const struct example *e)
{
	for (size_t s = 0; s < COUNT(sizes); s++) {
		uint32_t n = sizes[s], sum = 12345;
		struct array v[] = {patterns(n), array_new(1)};

		U32(v[1])[0] = sum;
		for (uint32_t i = 0; i < n; i++)
			sum += U32(v[0])[i];
		launch(e, NULL, groups(n, 128), 1, v, 2, PUSH((uint32_t){n}));
		expect_u32(e, "total", 0, U32(v[1])[0], sum);
		free_all(v, 2);
	}
}

static void mandelbrot(const struct example *e)
{
	static const uint32_t shapes[][3] = {{1, 1, 50}, {33, 17, 100}, {40, 5, 0}, {0, 0, 9}};
	float left = -2.2f, top = -1.2f, step = 0.09f;

	for (size_t s = 0; s < COUNT(shapes); s++) {
		uint32_t w = shapes[s][0], h = shapes[s][1], limit = shapes[s][2];
		struct array v = array_new(w * h);

		launch(e, NULL, groups(w, 16), groups(h, 16), &v, 1,
		       PUSH((struct { float left, top, step; uint32_t w, h, limit; }){left, top, step, w, h, limit}));
		for (uint32_t i = 0; i < w * h; i++) {
			float cr = add(mul((float)(i % w), step), left), ci = add(mul((float)(i / w), step), top);
			float zr = 0, zi = 0;
			uint32_t rounds = 0;

			while (rounds < limit && add(mul(zr, zr), mul(zi, zi)) <= 4) {
				float re = add(add(mul(zr, zr), -mul(zi, zi)), cr);

				zi = add(2 * mul(zr, zi), ci);
				zr = re;
				rounds++;
			}
			expect_u32(e, "out", i, U32(v)[i], rounds);
		}
		array_free(&v);
	}
}

const struct example_case example_cases[] = {
	{"vector_add", vector_add},       {"saxpy", saxpy},
	{"block_reduce", block_reduce},   {"logistic_map", logistic_map},
	{"matmul_tiled", matmul_tiled},   {"histogram", histogram},
	{"scan", scan},                   {"softmax", softmax},
	{"layer_norm", layer_norm},       {"transpose", transpose},
	{"gcd", gcd},                     {"fibonacci", fibonacci},
	{"nbody", nbody},                 {"black_scholes", black_scholes},
	{"spmv", spmv},                   {"subgroup_reduce", subgroup_reduce},
	{"mandelbrot", mandelbrot},
};
const size_t example_case_count = COUNT(example_cases);
