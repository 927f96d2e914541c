/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rule {
	struct glacier_variance variance;
	double rtol, atol;
};

struct difference {
	uint64_t first, count, largest;   /* largest: distance, where neither is NaN */
};

static bool is_tiny(enum glacier_type type, uint64_t bits)
{
	return type_distance(type, bits, 0) < UINT64_C(1) << types[type].fraction_bits;
}

static bool within(const struct rule *rule, double a, double b)
{
	return fabs(a - b) <= rule->atol + rule->rtol * fabs(b);
}

static bool same_float(const struct rule *rule, enum glacier_type type, uint64_t a, uint64_t b)
{
	const struct glacier_variance *variance = &rule->variance;
	uint64_t distance;

	if (type_is_nan(type, a) || type_is_nan(type, b))
		return type_is_nan(type, a) && type_is_nan(type, b);
	distance = type_distance(type, a, b);
	if (!distance)
		return variance->zeros || variance->subnormals || rule->rtol > 0 || rule->atol > 0;
	if (variance->subnormals && is_tiny(type, a) && is_tiny(type, b) &&
	    (!type_distance(type, a, 0) || !type_distance(type, b, 0)))
		return true;
	return distance <= variance->ulp ||
	       ((rule->rtol > 0 || rule->atol > 0) && within(rule, type_real(type, a), type_real(type, b)));
}

static bool same_integer(const struct rule *rule, enum glacier_type type, uint64_t a, uint64_t b)
{
	double size = (double)type_distance(type, 0, b);

	return (rule->rtol > 0 || rule->atol > 0) &&
	       (double)type_distance(type, a, b) <= rule->atol + rule->rtol * size;
}

static struct difference find_differences(const struct rule *rule, enum glacier_type type, uint64_t elems,
					  const unsigned char *a, const unsigned char *b)
{
	struct difference difference = {0};
	unsigned bytes = types[type].bytes;

	if (!elems || !memcmp(a, b, elems * bytes))
		return difference;
	for (uint64_t i = 0; i < elems; i++) {
		uint64_t x = type_load(type, a + i * bytes), y = type_load(type, b + i * bytes), distance;
		bool is_float = types[type].klass == TYPE_FLOAT;

		if (x == y || (is_float ? same_float : same_integer)(rule, type, x, y))
			continue;
		if (!difference.count++)
			difference.first = i;
		distance = type_is_nan(type, x) || type_is_nan(type, y) ? 0 : type_distance(type, x, y);
		if (distance > difference.largest)
			difference.largest = distance;
	}
	return difference;
}

/* "y[2,5]" */
static void print_element(const char *name, const struct shape *shape, uint64_t index)
{
	uint64_t rest = shape->elems;

	printf("%s[", name);
	for (uint32_t i = 0; i < shape->count; i++) {
		rest /= shape->at[i];
		printf("%s%" PRIu64, i ? "," : "", index / rest);
		index %= rest;
	}
	printf("]");
}

static void print_value(enum glacier_type type, const unsigned char *elems, uint64_t index, const char *where)
{
	uint64_t bits = type_load(type, elems + index * types[type].bytes);
	char text[TYPE_TEXT_BYTES];

	type_spell(type, bits, text);
	printf("%s (0x%0*" PRIx64 ") %s", text, 2 * types[type].bytes, bits, where);
}

static void print_difference(const struct array *array, const struct difference *difference, const unsigned char *a,
			     const char *where_a, const unsigned char *b, const char *where_b)
{
	enum glacier_type type = array->type;
	uint64_t first = difference->first;
	uint64_t x = type_load(type, a + first * types[type].bytes), y = type_load(type, b + first * types[type].bytes);

	print_element(array->name, &array->shape, first);
	fputs(": ", stdout);
	print_value(type, a, first, where_a);
	fputs(", ", stdout);
	print_value(type, b, first, where_b);
	if (!type_is_nan(type, x) && !type_is_nan(type, y))
		printf(": %" PRIu64 "%s apart", type_distance(type, x, y),
		       types[type].klass == TYPE_FLOAT ? " ULP" : "");
	printf("; %" PRIu64 " of %" PRIu64 " elements differ, by up to %" PRIu64 "\n", difference->count,
	       array->shape.elems, difference->largest);
}

/* What both devices may do, added up over all launches. */
static void add_variance(struct rule *rule, const struct session *session, const struct job *job)
{
	struct glacier_variance *sum = &rule->variance;

	for (size_t i = 0; i < job->launch_count; i++) {
		struct glacier_variance one;

		glacier_pipeline_variance(session->pipelines[i], &one);
		sum->ulp = sum->ulp > UINT32_MAX - one.ulp ? UINT32_MAX : sum->ulp + one.ulp;
		sum->zeros |= one.zeros;
		sum->subnormals |= one.subnormals;
		sum->unbounded |= one.unbounded;
	}
}

bool compare_sessions(struct session sessions[2], const struct job *job, const struct options *options)
{
	struct rule rule = {.rtol = options->rtol, .atol = options->atol};
	char where[2][48];
	bool same = true;

	for (int i = 0; i < 2; i++) {
		add_variance(&rule, &sessions[i], job);
		snprintf(where[i], sizeof where[i], "on %s", sessions[i].name);
	}
	for (size_t i = 0; i < job->array_count; i++) {
		const struct array *array = &job->arrays[i];
		const unsigned char *a, *b;
		struct difference difference;

		if (!array->written)
			continue;
		a = session_elems(&sessions[0], i);
		b = session_elems(&sessions[1], i);
		difference = find_differences(&rule, array->type, array->shape.elems, a, b);
		if (!difference.count) {
			cli_say("%s: %" PRIu64 " elements agree, %" PRIu32 " ULP allowed", array->name,
				array->shape.elems, rule.variance.ulp);
			continue;
		}
		print_difference(array, &difference, a, where[0], b, where[1]);
		same = false;
	}
	if (!same && rule.variance.ulp)
		printf("allowed: %" PRIu32 " ULP, for the Div and Sqrt of the kernels; --rtol and --atol allow more\n",
		       rule.variance.ulp);
	if (!same && rule.variance.unbounded)
		printf("no bound is promised for .approx, f64 Fma and float AtomicAdd: "
		       "--rtol and --atol can set one\n");
	return same;
}

static bool compare_one(struct session *session, const struct job *job, const struct options *options,
			const struct pair *expected)
{
	struct rule rule = {.rtol = options->rtol, .atol = options->atol};
	size_t index = job_find_array(job, expected->name);
	const struct array *array = &job->arrays[index];
	struct cli_file file = cli_read(expected->value);
	const unsigned char *elems = session_elems(session, index), *right;
	struct difference difference;
	char has[256], wants[256], where[48];
	struct npy npy;

	npy_parse(&file, &npy);
	if (npy.type != array->type || !shape_equal(&npy.shape, &array->shape)) {
		shape_spell(&array->shape, has, sizeof has);
		shape_spell(&npy.shape, wants, sizeof wants);
		cli_wrong("%s: holds %s%s, and %s is %s%s", file.name, glacier_type_name(npy.type), wants, array->name,
			  glacier_type_name(array->type), has);
	}
	right = (const unsigned char *)file.data + npy.offset;
	difference = find_differences(&rule, array->type, array->shape.elems, elems, right);
	snprintf(where, sizeof where, "on %s", session->name);
	if (difference.count)
		print_difference(array, &difference, elems, where, right, "expected");
	cli_release(&file);
	return !difference.count;
}

bool compare_expected(struct session *session, const struct job *job, const struct options *options)
{
	bool same = true;

	for (size_t i = 0; i < options->expected.count; i++)
		same &= compare_one(session, job, options, &options->expected.at[i]);
	return same;
}
