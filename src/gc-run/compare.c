/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What lets an element differ. */
struct rule {
	bool zeros;             /* -0 and +0 are the same */
	const double *bounds;   /* by element, of one device's difference from the processor; NULL: none */
	double devices;         /* so many have it */
	double rtol, atol;
};

struct difference {
	uint64_t first, count, largest;   /* largest: distance, where neither is NaN */
	uint64_t allowed, unknown;        /* within a bound; where no bound is known */
	double bound;                     /* of the first */
};

static bool within(const struct rule *rule, double a, double b)
{
	return (rule->rtol > 0 || rule->atol > 0) && fabs(a - b) <= rule->atol + rule->rtol * fabs(b);
}

static double bound_at(const struct rule *rule, uint64_t index)
{
	return rule->bounds ? rule->devices * rule->bounds[index] : 0;
}

static bool same_float(const struct rule *rule, enum glacier_type type, uint64_t a, uint64_t b, double bound)
{
	double x = type_real(type, a), y = type_real(type, b);

	/* Where an infinity or NaN was multiplied by 0, no bound is known, and 0 may be what comes of it. */
	if (type_is_nan(type, a) || type_is_nan(type, b))
		return (type_is_nan(type, a) && type_is_nan(type, b)) || (isinf(bound) && (x == 0 || y == 0));
	if (!type_distance(type, a, b) && (rule->zeros || bound > 0))
		return true;
	return (isfinite(bound) && bound > 0 && fabs(x - y) <= bound) || within(rule, x, y);
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
		double bound = bound_at(rule, i);

		if (x == y)
			continue;
		if (is_float ? same_float(rule, type, x, y, bound) : same_integer(rule, type, x, y)) {
			difference.allowed++;
			continue;
		}
		difference.unknown += isinf(bound);
		if (!difference.count++) {
			difference.first = i;
			difference.bound = bound;
		}
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

/* What either device may do, in any launch. */
static struct glacier_variance find_variance(const struct session sessions[2], const struct job *job)
{
	struct glacier_variance all = {0};

	for (int i = 0; i < 2; i++)
		for (size_t j = 0; j < job->launch_count; j++) {
			struct glacier_variance one;

			glacier_pipeline_variance(sessions[i].pipelines[j], &one);
			all.bounded |= one.bounded;
			all.zeros |= one.zeros;
			all.unbounded |= one.unbounded;
		}
	return all;
}

static bool are_equal(struct session sessions[2], const struct job *job)
{
	for (size_t i = 0; i < job->array_count; i++) {
		uint64_t bytes = array_bytes(&job->arrays[i]);

		if (job->arrays[i].written && bytes &&
		    memcmp(session_elems(&sessions[0], i), session_elems(&sessions[1], i), bytes))
			return false;
	}
	return true;
}

static double count_others(const struct session sessions[2])
{
	double count = 0;

	for (int i = 0; i < 2; i++)
		count += glacier_device_describe(sessions[i].device)->kind != GLACIER_DEVICE_CPU;
	return count;
}

static bool compare_array(struct session sessions[2], struct session *bounded, const struct job *job, size_t index,
			  struct rule rule)
{
	const struct array *array = &job->arrays[index];
	const unsigned char *a = session_elems(&sessions[0], index), *b = session_elems(&sessions[1], index);
	struct difference difference;
	char where[2][48];

	for (int i = 0; i < 2; i++)
		snprintf(where[i], sizeof where[i], "on %s", sessions[i].name);
	rule.bounds = bounded && !session_is_lost(bounded) ? session_bounds(bounded, index) : NULL;
	difference = find_differences(&rule, array->type, array->shape.elems, a, b);
	if (!difference.count) {
		cli_say("%s: %" PRIu64 " elements agree, %" PRIu64 " of them in every bit", array->name,
			array->shape.elems, array->shape.elems - difference.allowed);
		return true;
	}
	print_difference(array, &difference, a, where[0], b, where[1]);
	if (bounded && session_is_lost(bounded))
		printf("%s: a branch, an index or a sum depends on a value that may differ: no bound is known; "
		       "--rtol and --atol can set one\n", array->name);
	else if (difference.unknown)
		printf("%s: of %" PRIu64 " elements no bound is known: --rtol and --atol can set one\n", array->name,
		       difference.unknown);
	if (difference.bound > 0 && isfinite(difference.bound)) {
		print_element(array->name, &array->shape, difference.first);
		printf(": may differ by %.3g\n", difference.bound);
	}
	return false;
}

bool compare_sessions(struct session sessions[2], struct job *job, const struct options *options)
{
	struct glacier_variance variance = find_variance(sessions, job);
	struct rule rule = {
		.zeros = variance.zeros || variance.bounded || options->rtol > 0 || options->atol > 0,
		.devices = count_others(sessions),
		.rtol = options->rtol,
		.atol = options->atol,
	};
	/* Bounds cost a run many times as long: they are asked for when bits differ. */
	bool asks = variance.bounded && !variance.unbounded && !are_equal(sessions, job), same = true;
	struct session bounded;

	if (asks) {
		session_open_bounded(&bounded, job, options,
				     glacier_device_describe(sessions[0].device)->subgroup_size);
		session_run(&bounded, job, options, true);
	}
	for (size_t i = 0; i < job->array_count; i++)
		if (job->arrays[i].written)
			same &= compare_array(sessions, asks ? &bounded : NULL, job, i, rule);
	if (!same && variance.unbounded)
		printf("no bound is promised for .approx, f64 Fma, float AtomicAdd and code that is already made: "
		       "--rtol and --atol can set one\n");
	if (asks)
		session_close(&bounded);
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
