/* SPDX-License-Identifier: MIT */
/*
 * The error of the f32 transcendentals, against the C library's double functions: their own
 * error is below 2^-28 of an f32 ULP, which cannot hide anything at the bounds stated here.
 *
 *	math_f32 [--long | --full] [NAME...]
 *
 * By default every 4,099th input, and all neighbours of the inputs where something changes;
 * --long: every 67th input; --full: all 2^32 of them for each function of one argument, which
 * takes some 30 minutes of a processor. Random pairs for the others: 6 * 10^5, 4 * 10^6, 10^8.
 * Prints the largest error in ULP of the result and where it is; fails above the bound, or
 * where a zero's sign, an infinity or a NaN is wrong.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ir/math_eval.h"

#include "ir/math_trig_f32.h"

enum { BLOCK = 4096, THREADS_MAX = 16, NEIGHBOURS = 100 };

/* How much is looked at. Primes, so that no pattern of bits is left out. */
struct extent {
	const char *option;
	uint32_t stride;        /* between inputs of a function of one argument */
	uint32_t pairs;
	uint32_t grid_stride;
};

static const struct extent EXTENTS[] = {
	{"", 4099, 600000, 1000003},
	{"--long", 67, 4000000, 200003},
	{"--full", 1, 100000000, 16411},
};

static uint32_t bits_of(float x)
{
	return eval_as_u32(x);
}

static float of_bits(uint32_t bits)
{
	return eval_as_f32(bits);
}

/* --- The functions -------------------------------------------------------- */

/* One loop per function, so that the compiler sees through the evaluation. */
#define UNARY(name)                                                           \
	__attribute__((noinline)) static void name##_block(const float *x, float *result, int count)    \
	{                                                                     \
		for (int i = 0; i < count; i++)                               \
			result[i] = name##_f32(NULL, x[i]);                   \
	}
UNARY(exp)
UNARY(exp2)
UNARY(log)
UNARY(log2)
UNARY(sin)
UNARY(cos)
UNARY(tan)
UNARY(sinh)
UNARY(cosh)
UNARY(tanh)
UNARY(asin)
UNARY(acos)
UNARY(atan)
UNARY(erf)

#define BINARY(name)                                                          \
	__attribute__((noinline)) static void                                 \
	name##_block(const float *x, const float *y, float *result, int count) \
	{                                                                     \
		for (int i = 0; i < count; i++)                               \
			result[i] = name##_f32(NULL, x[i], y[i]);             \
	}
BINARY(pow)
BINARY(atan2)

struct function {
	char name[8];
	void (*block)(const float *x, float *result, int count);
	double (*reference)(double);
	int mirror;     /* f(-x) = mirror f(x); 0: no such thing */
	double bound;   /* ULP: what --full found, and a little */
};

static const struct function FUNCTIONS[] = {
	{"exp",  exp_block,  exp,  0, 1.05},
	{"exp2", exp2_block, exp2, 0, 1.15},
	{"log",  log_block,  log,  0, 0.90},
	{"log2", log2_block, log2, 0, 1.00},
	{"sin",  sin_block,  sin,  -1, 1.6},
	{"cos",  cos_block,  cos,  1, 1.6},
	{"tan",  tan_block,  tan,  -1, 2.5},
	{"sinh", sinh_block, sinh, -1, 1.9},
	{"cosh", cosh_block, cosh, 1, 2.25},
	{"tanh", tanh_block, tanh, -1, 1.45},
	{"asin", asin_block, asin, -1, 2.5},
	{"acos", acos_block, acos, 0, 1.5},
	{"atan", atan_block, atan, -1, 1.75},
	{"erf",  erf_block,  erf,  -1, 1.75},
};
enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof *FUNCTIONS };

struct pair_function {
	char name[8];
	void (*block)(const float *x, const float *y, float *result, int count);
	double (*reference)(double, double);
	void (*random)(uint64_t *state, float *x, float *y);
	double bound;
};

/* --- Errors --------------------------------------------------------------- */

/* |got - want| in ULP of an f32 near want; infinite where no rounding error explains it. */
static double error_of(float got, double want)
{
	double value = got, scale;
	uint64_t bits;
	int exponent;

	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got) ? 0 : INFINITY;
	if (!signbit(want) != !signbit(got) || (want == 0 && got != 0))
		return INFINITY;
	/* Infinity stands for 2^128, where rounding to nearest puts its edge. */
	value = isinf(got) ? 0x1p128 : fabs(value);
	want = fabs(want) > 0x1p128 ? 0x1p128 : fabs(want);
	memcpy(&bits, &want, sizeof bits);
	exponent = (int)(bits >> 52) - 1023;
	if (exponent < -126)
		exponent = -126;
	if (exponent > 127)
		exponent = 127;
	bits = (uint64_t)(1023 + 23 - exponent) << 52;
	memcpy(&scale, &bits, sizeof scale);
	return fabs(value - want) * scale;
}

struct worst {
	double error;
	float x, y;
	double sum;        /* of the errors, for the mean */
	uint64_t count;
};

static void note(struct worst *worst, double error, float x, float y)
{
	worst->count++;
	worst->sum += error;
	if (error > worst->error) {
		worst->error = error;
		worst->x = x;
		worst->y = y;
	}
}

static void merge(struct worst *into, const struct worst *from)
{
	if (from->error > into->error) {
		into->error = from->error;
		into->x = from->x;
		into->y = from->y;
	}
	into->sum += from->sum;
	into->count += from->count;
}

/* --- Work over threads ---------------------------------------------------- */

struct job {
	void (*block)(const struct job *job, uint64_t index, struct worst *worst);
	const struct function *function;
	const struct pair_function *pair;
	uint64_t blocks, inputs;
	uint32_t stride;
	_Atomic uint64_t next;
	struct worst worst[THREADS_MAX];
	_Atomic int threads;
};

static void *work(void *argument)
{
	struct job *job = argument;
	struct worst worst = {0};
	uint64_t index;

	while ((index = atomic_fetch_add(&job->next, 1)) < job->blocks)
		job->block(job, index, &worst);
	job->worst[atomic_fetch_add(&job->threads, 1)] = worst;
	return NULL;
}

static struct worst run(struct job *job)
{
	long threads = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t thread[THREADS_MAX];
	struct worst worst = {0};
	int begun = 0;

	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	while (begun < threads - 1 && !pthread_create(&thread[begun], NULL, work, job))
		begun++;
	work(job);
	for (int i = 0; i < begun; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i <= begun; i++)
		merge(&worst, &job->worst[i]);
	return worst;
}

/* --- One argument --------------------------------------------------------- */

/* With a mirror, -x is tried with x: the reference is what takes the time. */
static void compare(const struct function *f, const float *x, int count, struct worst *worst)
{
	float got[BLOCK], opposite[BLOCK], mirrored[BLOCK];

	f->block(x, got, count);
	if (f->mirror) {
		for (int i = 0; i < count; i++)
			opposite[i] = -x[i];
		f->block(opposite, mirrored, count);
	}
	for (int i = 0; i < count; i++) {
		double want = f->reference(x[i]);

		note(worst, error_of(got[i], want), x[i], 0);
		if (f->mirror)
			note(worst, error_of(mirrored[i], f->mirror * want), -x[i], 0);
	}
}

static void unary_block(const struct job *job, uint64_t index, struct worst *worst)
{
	uint64_t first = index * BLOCK * job->stride, end = job->inputs;
	float x[BLOCK] = {0};
	int count = 0;

	for (; count < BLOCK && first < end; count++, first += job->stride)
		x[count] = of_bits((uint32_t)first);
	compare(job->function, x, count, worst);
}

/* Where a function, or our way to compute it, changes. */
static const float EDGES[] = {
	0.0f, 0x1p-149f, 0x1p-148f, 0x1p-126f, 0x1p-125f, 0x1p-64f, 0x1p-25f, 0x1p-24f, 0x1p-12f, 0x1p-7f,
	0.25f, 0x1.555556p-2f, 0x1.62e43p-2f, 0.5f, 0.625f, 0.9375f, 0x1.6a09e6p-1f, 0x1.921fb6p-1f, 1.0f,
	0x1.16a09ep0f, 0x1.24p0f, 0x1.6a09e6p0f, 0x1.921fb6p0f, 2.0f, 0x1.921fb6p1f, 3.0f, 4.0f, 0x1.2d97c8p2f,
	9.0f, 9.01f, 20.0f, 0x1.0ffep3f, 0x1p8f, 126.0f, 127.0f, 128.0f, 149.0f, 150.0f, 151.0f, 88.72284f,
	87.33655f, 103.27893f, 103.97208f, 105.0f, 89.0f, 89.41599f, 16384.0f,
	0x1p22f, 0x1p23f, 0x1p24f, 0x1p31f, 0x1p32f,
	0x1p63f, 0x1p64f, 0x1p95f, 0x1p96f, 0x1p126f, 0x1p127f, 0x1.fffffep127f, INFINITY, NAN,
	/* Nearest to multiples of pi/2, the first, 16367173 2^72, at 2^-29.9 quadrants. */
	0x1.f37c8ap95f, 0x1.f37c8ap96f, 0x1.47d0fep34f, 0x1.47d0fep35f, 0x1.f9cbe2p7f, 0x1.32ede2p85f,
	0x1.628d4cp40f,
};

static void unary_edges(const struct function *f, struct worst *worst)
{
	for (size_t i = 0; i < sizeof EDGES / sizeof *EDGES; i++) {
		float x[4 * NEIGHBOURS + 2];
		int count = 0;

		for (int k = -NEIGHBOURS; k <= NEIGHBOURS; k++) {
			x[count++] = of_bits(bits_of(EDGES[i]) + (uint32_t)k);
			x[count++] = of_bits(bits_of(-EDGES[i]) + (uint32_t)k);
		}
		compare(f, x, count, worst);
	}
}

static struct worst test_unary(const struct function *f, const struct extent *extent)
{
	uint64_t inputs = UINT64_C(1) << (f->mirror ? 31 : 32);
	uint32_t stride = extent->stride;
	struct job job = {
		.block = unary_block,
		.function = f,
		.inputs = inputs,
		.stride = stride,
		.blocks = (inputs / stride + BLOCK) / BLOCK,
	};
	struct worst worst = run(&job), edges = {0};

	unary_edges(f, &edges);
	merge(&worst, &edges);
	return worst;
}

/* --- Two arguments -------------------------------------------------------- */

/* Steele, Lea, Flood: SplitMix64. */
static uint64_t random_bits(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static double uniform(uint64_t *state, double from, double to)
{
	return from + (to - from) * (double)(random_bits(state) >> 11) * 0x1p-53;
}

static void random_power(uint64_t *state, float *x, float *y)
{
	uint64_t r = random_bits(state);
	double log;

	*x = of_bits((uint32_t)(r >> 32));
	switch (r % 8) {
	case 0:   /* anything */
		*y = of_bits((uint32_t)random_bits(state));
		return;
	case 1:   /* whole y, x of both signs */
		*x = of_bits(bits_of((float)exp2(uniform(state, -8, 8))) | ((uint32_t)r & SIGN_BIT));
		*y = (float)floor(uniform(state, -40, 40));
		return;
	case 2:   /* x near 1 */
		log = exp2(uniform(state, -24, -1.5));
		*x = (float)(r & 8 ? 1 + log : 1 - log);
		break;
	case 3:   /* near the middle of what log2 reduces */
		*x = (float)exp2(uniform(state, -1, 1));
		break;
	default:
		*x = of_bits(bits_of(*x) & MAGNITUDE);
	}
	/* A result that is a number: subnormal and overflowing ones in their share. */
	log = log2(*x);
	*y = (float)(uniform(state, -152, 130) / (isfinite(log) && log != 0 ? log : 1));
}

static void random_point(uint64_t *state, float *y, float *x)
{
	uint64_t r = random_bits(state);

	*y = of_bits((uint32_t)(r >> 32));
	*x = of_bits((uint32_t)random_bits(state));
	if (r & 1)
		*x = (float)(*y * exp2(uniform(state, -28, 28)));
}

static const struct pair_function PAIR_FUNCTIONS[] = {
	{"pow",   pow_block,   pow,   random_power, 1.75},
	{"atan2", atan2_block, atan2, random_point, 2.5},
};
enum { PAIR_FUNCTION_COUNT = sizeof PAIR_FUNCTIONS / sizeof *PAIR_FUNCTIONS };

static void compare_pairs(const struct pair_function *f, const float *x, const float *y, int count,
			  struct worst *worst)
{
	float got[BLOCK];

	f->block(x, y, got, count);
	for (int i = 0; i < count; i++)
		note(worst, error_of(got[i], f->reference(x[i], y[i])), x[i], y[i]);
}

static void random_block(const struct job *job, uint64_t index, struct worst *worst)
{
	uint64_t state = index * UINT64_C(0x100000001b3) + 1;
	float x[BLOCK], y[BLOCK];

	for (int i = 0; i < BLOCK; i++)
		job->pair->random(&state, &x[i], &y[i]);
	compare_pairs(job->pair, x, y, BLOCK, worst);
}

static const float SECOND[] = {
	0.5f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 1.5f, 2.5f, 0x1.555556p-2f, 0.1f, 0.01f, 2.2f, 2.4f, 1 / 2.4f,
	7.0f, 10.0f, 32.0f, 33.0f, 64.0f, 100.5f, 127.0f, 128.0f, 149.0f, 150.0f, 151.0f, 0x1p-10f, 0x1p-30f,
	0x1p-126f, 0x1p-149f, 0x1.fffffep-1f, 0x1.000002p0f, 8388607.0f, 8388607.5f, 8388608.0f, 8388609.0f,
	16777215.0f, 16777216.0f, 16777218.0f, 0x1p30f, 0x1p31f, 0x1p33f, 0x1p100f, 0x1.fffffep127f, INFINITY, NAN,
	0.0f, 0x1.6ap-1f, 0x1.306p-1f, 0x1.ae8p-1f, 0x1.172b84p0f, 0x1.4bfdaep0f, 0x1.8ace54p0f, 0x1.d5818ep-1f,
};
enum { SECOND_COUNT = sizeof SECOND / sizeof *SECOND };

/* Every pair of special values of both signs, with near neighbours: the cases of annex F among them. */
static void pair_edges(const struct pair_function *f, struct worst *worst)
{
	for (uint32_t i = 0; i < SECOND_COUNT * SECOND_COUNT * 4; i++) {
		float a = SECOND[i / 4 / SECOND_COUNT], b = SECOND[i / 4 % SECOND_COUNT];
		float x[25], y[25];

		for (int k = 0; k < 25; k++) {
			x[k] = of_bits((bits_of(a) ^ i << 31) + (uint32_t)(k % 5 - 2));
			y[k] = of_bits((bits_of(b) ^ i >> 1 << 31) + (uint32_t)(k / 5 - 2));
		}
		compare_pairs(f, x, y, 25, worst);
	}
}

/* Each of them, of both signs, with every 16,411th x. */
static void grid_block(const struct job *job, uint64_t index, struct worst *worst)
{
	float second = SECOND[index / 2];
	float x[BLOCK], y[BLOCK];
	uint64_t at = 0;

	while (at >> 32 == 0) {
		int count = 0;

		for (; count < BLOCK && at >> 32 == 0; count++, at += job->stride) {
			x[count] = of_bits((uint32_t)at);
			y[count] = index & 1 ? -second : second;
		}
		compare_pairs(job->pair, x, y, count, worst);
	}
}

static struct worst test_pair(const struct pair_function *f, const struct extent *extent)
{
	struct job random = {
		.block = random_block,
		.pair = f,
		.blocks = extent->pairs / BLOCK + 1,
	};
	struct job grid = {
		.block = grid_block,
		.pair = f,
		.blocks = 2 * SECOND_COUNT,
		.stride = extent->grid_stride,
	};
	struct worst worst = run(&random), part = run(&grid);

	merge(&worst, &part);
	part = (struct worst){0};
	pair_edges(f, &part);
	merge(&worst, &part);
	return worst;
}

/* --- Devices that flush subnormals ----------------------------------------- */

#ifdef __SSE2__

static void set_flush(bool flush)
{
	uint32_t control = flush ? 0x9fc0 : 0x1f80;   /* FTZ and DAZ; the default otherwise */

	__asm__ volatile("ldmxcsr %0" : : "m"(control) : "memory");
}

static bool is_subnormal(float x)
{
	return fpclassify(x) == FP_SUBNORMAL;
}

static bool same(float a, float b)
{
	return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b));
}

/* Of f, or of pair when f is NULL. */
static bool flush_agrees(const struct function *f, const struct pair_function *pair)
{
	const char *name = f ? f->name : pair->name;
	uint64_t state = 1;

	for (uint32_t round = 0; round < 256; round++) {
		float x[BLOCK], y[BLOCK], kept[BLOCK], flushed[BLOCK];

		for (int i = 0; i < BLOCK; i++)
			(f ? random_power : pair->random)(&state, &x[i], &y[i]);
		for (int flush = 0; flush < 2; flush++) {
			float *result = flush ? flushed : kept;

			set_flush(flush);
			if (f)
				f->block(x, result, BLOCK);
			else
				pair->block(x, y, result, BLOCK);
			set_flush(false);
		}
		for (int i = 0; i < BLOCK; i++) {
			bool excused = f ? f->mirror < 0 && is_subnormal(x[i])
				     : pair->reference == pow ? x[i] < 0 && is_subnormal(y[i])
							      : is_subnormal(kept[i]);

			if (!excused && !same(kept[i], flushed[i])) {
				printf("%s of %a, %a: %a, flushed %a  FAILED\n", name, (double)x[i],
				       (double)y[i], (double)kept[i], (double)flushed[i]);
				return false;
			}
		}
	}
	return true;
}

/*
 * The bits do not depend on whether subnormals are flushed, but where the subnormal argument
 * is the result (as of sin), is no whole power of a negative number, or for a subnormal atan2.
 */
static bool test_flush(void)
{
	bool good = true;

	for (size_t i = 0; i < FUNCTION_COUNT; i++)
		good &= flush_agrees(&FUNCTIONS[i], NULL);
	for (size_t i = 0; i < PAIR_FUNCTION_COUNT; i++)
		good &= flush_agrees(NULL, &PAIR_FUNCTIONS[i]);
	return good;
}

#else

static bool test_flush(void)
{
	return true;
}

#endif

/* --- Report --------------------------------------------------------------- */

static bool report(const char *name, const struct worst *worst, double bound, bool two, double seconds)
{
	bool good = worst->error <= bound;

	printf("%-5s %11llu inputs  worst %.4f ULP (bound %.2f, mean %.4f) at %a", name,
	       (unsigned long long)worst->count, worst->error, bound,
	       worst->sum / (double)worst->count, (double)worst->x);
	if (two)
		printf(", %a", (double)worst->y);
	printf("  %.1f s%s\n", seconds, good ? "" : "  FAILED");
	fflush(stdout);
	return good;
}

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static bool is_asked(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const struct extent *extent = &EXTENTS[0];
	char **names = argv + 1;
	bool good = true;

	for (size_t i = 1; i < sizeof EXTENTS / sizeof *EXTENTS; i++)
		if (argc > 1 && !strcmp(argv[1], EXTENTS[i].option)) {
			extent = &EXTENTS[i];
			names++;
		}

	for (size_t i = 0; i < FUNCTION_COUNT; i++) {
		const struct function *f = &FUNCTIONS[i];
		double begun = now();
		struct worst worst;

		if (!is_asked(f->name, names))
			continue;
		worst = test_unary(f, extent);
		good &= report(f->name, &worst, f->bound, false, now() - begun);
	}
	for (size_t i = 0; i < PAIR_FUNCTION_COUNT; i++) {
		const struct pair_function *f = &PAIR_FUNCTIONS[i];
		double begun = now();
		struct worst worst;

		if (!is_asked(f->name, names))
			continue;
		worst = test_pair(f, extent);
		good &= report(f->name, &worst, f->bound, true, now() - begun);
	}
	if (!*names)
		good &= test_flush();
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
