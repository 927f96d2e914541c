/* SPDX-License-Identifier: MIT */
/*
 * Bounds beside values. The other device is played by the kernel itself, with the result of
 * each Div and Sqrt moved by up to as many units as Vulkan allows, otherwise in each
 * invocation: what it then computes must lie within the bounds, and these must not be
 * far wider. Exact kernels have bounds of 0, and where nothing is known that is said.
 */
#include "vk.h"

#include <math.h>

enum { LANES = 256, MOVES = 24, MOST_TEXT = 8192 };

struct row {
	const char *name, *body;   /* from %x, %y (floats) and %i to %z */
	double slack;              /* the largest bound over the largest difference; 0: all bounds are 0 */
	bool lost;                 /* says that no bound counts */
	bool unknown;              /* bounds are infinite */
};

static const struct row rows[] = {
	{"exact arithmetic", "%z = Mul.f32 %x, %y\n%z = Add.f32 %z, %x\n%z = Sub.f32 %z, 3", 0, false, false},
	{"exact functions", "%z = Sin.f32 %x\n%w = Exp.f32 %y\n%z = Mul.f32 %z, %w", 0, false, false},
	{"exact loop", "%z = Mov.f32 %x\nfor %k.u32 = 0, 10 {\n%z = Mul.f32 %z, %y\n%z = Sub.f32 %z, 0.5\n}", 0, false, false},
	{"exact branch", "%z = Mov.f32 %x\n%p = Gt.f32 %x, %y\nif %p { %z = Sub.f32 %z, %y }", 0, false, false},
	{"Div", "%z = Div.f32 %x, %y", 4, false, false},
	{"Sqrt", "%z = Sqrt.f32 %x", 4, false, false},
	{"Div stored through a select", "%q = Div.f32 %x, %y\n%p = Gt.f32 %x, 1\n%z = Select.f32 %p, %q, %x", 4, false, false},
	{"sum", "%q = Div.f32 %x, %y\n%z = Add.f32 %q, 1000", 6, false, false},
	{"cancellation", "%q = Div.f32 %x, %y\n%w = Sqrt.f32 %x\n%z = Sub.f32 %q, %w\n%z = Mul.f32 %z, 1000", 8, false, false},
	{"product", "%q = Div.f32 %x, %y\n%z = Mul.f32 %q, %q\n%z = Mul.f32 %z, %z", 8, false, false},
	{"quotient of quotients", "%q = Div.f32 %x, %y\n%w = Sqrt.f32 %y\n%z = Div.f32 %q, %w", 8, false, false},
	{"root of a quotient", "%q = Div.f32 %x, %y\n%z = Sqrt.f32 %q", 8, false, false},
	{"fma", "%q = Div.f32 %x, %y\n%z = Fma.f32 %q, %q, %x", 8, false, false},
	{"exponential", "%q = Div.f32 %x, %y\n%z = Exp.f32 %q", 40, false, false},
	{"logarithm", "%q = Div.f32 %x, %y\n%q = Add.f32 %q, 1\n%z = Log.f32 %q", 60, false, false},
	{"sine", "%q = Div.f32 %x, %y\n%z = Sin.f32 %q", 60, false, false},
	{"tangent", "%q = Div.f32 %x, %y\n%q = Mul.f32 %q, 0.01\n%z = Tan.f32 %q", 60, false, false},
	{"hyperbolic tangent", "%q = Div.f32 %x, %y\n%z = Tanh.f32 %q", 1000, false, false},
	{"minimum", "%q = Div.f32 %x, %y\n%z = Min.f32 %q, %y\n%z = Max.f32 %z, 0.25", 8, false, false},
	{"negative", "%q = Div.f32 %x, %y\n%q = Neg.f32 %q\n%z = Abs.f32 %q", 8, false, false},
	{"through f64", "%q = Div.f32 %x, %y\n%d = Cvt.f64.f32 %q\n%d = Mul.f64 %d, 3\n%z = Cvt.f32.f64 %d", 8, false, false},
	{"a loop", "%z = Mov.f32 %x\nfor %k.u32 = 0, 6 {\n%z = Div.f32 %z, %y\n%z = Add.f32 %z, 0.5\n}", 60, false, false},
	{"a loop that exchanges", "%z = Mov.f32 %x\n%w = Mov.f32 %y\nfor %k.u32 = 0, 5 {\n%q = Div.f32 %w, 3\n"
	 "%w = Mov.f32 %z\n%z = Mov.f32 %q\n}\n%z = Sub.f32 %z, %w", 60, false, false},
	{"break and continue", "%z = Mov.f32 %x\n%n = LoadConstant.u32 0\nloop {\n%n = Add.u32 %n, 1\n%p = Gt.u32 %n, 5\n"
	 "break_if %p\n%o = And.u32 %n, 1\n%p = Eq.u32 %o, 1\ncontinue_if %p\n%z = Div.f32 %z, %y\n}", 60, false, false},
	{"arms", "%o = And.u32 %i, 1\n%p = Eq.u32 %o, 0\n%z = Mov.f32 %x\nif %p {\n%z = Div.f32 %x, %y\n} else {\n"
	 "%z = Sqrt.f32 %x\n}\n%z = Add.f32 %z, 1", 8, false, false},
	{"a private array", "%q = Div.f32 %x, %y\nStoreLocal.f32 @own, 1, %q\nStoreLocal.f32 @own, 0, %x\n"
	 "%w = LoadLocal.f32 @own, 1\n%z = LoadLocal.f32 @own, 0\n%z = Sub.f32 %z, %w", 8, false, false},
	{"a shared array", "%q = Div.f32 %x, %y\nStoreShared.f32 @tile, %i, %q\nBarrierSync\n%j = Xor.u32 %i, 1\n"
	 "%z = LoadShared.f32 @tile, %j\n%z = Mul.f32 %z, %x", 8, false, false},
	{"a shuffle", "%q = Div.f32 %x, %y\n%z = ShflSyncBfly.f32 %q, 1\n%z = Mul.f32 %z, %x", 8, false, false},
	{"a comparison that is beyond doubt", "%q = Div.f32 %x, %y\n%p = Lt.f32 %q, 1000000\n%z = Mov.f32 %x\n"
	 "if %p { %z = Mov.f32 %q }", 8, false, false},
	{"a comparison that is not", "%q = Div.f32 %x, %x\n%p = Lt.f32 %q, 1\n%z = Mov.f32 %x\n"
	 "if %p { %z = Mov.f32 %y }", 1, true, false},
	{"a select in doubt", "%q = Div.f32 %x, %x\n%p = Lt.f32 %q, 1\n%w = Add.f32 %x, 1\n%z = Select.f32 %p, %x, %w", 8, false, false},
	{"a whole number in doubt", "%q = Div.f32 %x, %x\n%z = Floor.f32 %q", 8, false, false},
	{"an index in doubt", "%q = Div.f32 %x, %x\n%n = Cvt.u32.f32 %q\nStoreLocal.f32 @own, %n, %x\n"
	 "%z = LoadLocal.f32 @own, 0", 1, true, false},
	{"a loop in doubt", "%z = Div.f32 %x, %x\nloop {\n%p = Ge.f32 %z, 1\nbreak_if %p\n%z = Add.f32 %z, 1\n}", 1, true, false},
	{"division by what may be 0", "%q = Div.f32 %x, %x\n%q = Sub.f32 %q, 1\n%z = Div.f32 %y, %q", 1, false, true},
	{"bits of a quotient", "%q = Div.f32 %x, %y\n%n = Bitcast.u32.f32 %q\n%n = And.u32 %n, 0xfffffff0\n"
	 "%z = Bitcast.f32.u32 %n", 1, false, true},
};

/* Behind each Div and Sqrt its result is moved by units that the invocation and the seed choose. */
static void move_results(const char *body, char *out, size_t bytes)
{
	size_t used = 0;
	int place = 0;

	for (const char *line = body; *line;) {
		const char *end = strchr(line, '\n');
		size_t length = end ? (size_t)(end - line) : strlen(line);
		const char *op = strstr(line, "Div.f32");
		int most = 5, offset = 2;
		char name[8];

		if (!op || op > line + length)
			op = strstr(line, "Sqrt.f32"), most = 7, offset = 3;
		used += (size_t)snprintf(out + used, bytes - used, "%.*s\n", (int)length, line);
		/* A statement in braces ends there: none of these stands in any. */
		if (op && op < line + length && sscanf(line, "%%%7[a-z]", name) == 1) {
			used += (size_t)snprintf(out + used, bytes - used,
						 "%%u%d = Mul.u32 %%i, 2654435761\n%%u%d = Add.u32 %%u%d, @seed\n"
						 "%%u%d = Mul.u32 %%u%d, %u\n%%u%d = Shr.u32 %%u%d, 24\n"
						 "%%u%d = Rem.u32 %%u%d, %d\n%%u%d = Sub.u32 %%u%d, %d\n"
						 "%%b%d = Bitcast.u32.f32 %%%s\n%%b%d = Add.u32 %%b%d, %%u%d\n"
						 "%%%s = Bitcast.f32.u32 %%b%d\n",
						 place, place, place, place, place, 2246822519u + 2u * (unsigned)place, place, place,
						 place, place, most, place, place, offset, place, name, place, place, place,
						 name, place);
			place++;
		}
		line += length + (end != NULL);
	}
	CHECK(used < bytes);
}

static void write_kernel(const struct row *row, bool moved, char *text)
{
	char body[MOST_TEXT];

	if (moved)
		move_results(row->body, body, sizeof body);
	else
		snprintf(body, sizeof body, "%s\n", row->body);
	CHECK(snprintf(text, MOST_TEXT,
		       "kernel k(@x: buffer f32 read, @y: buffer f32 read, @z: buffer f32 write, @seed: u32) workgroup %d {\n"
		       "shared @tile: f32[%d]\nlocal @own: f32[4]\n%%i = GlobalId.x\n"
		       "%%x = LoadGlobal.f32 @x, %%i\n%%y = LoadGlobal.f32 @y, %%i\n%s"
		       "StoreGlobal.f32 @z, %%i, %%z\nReturn\n}\n", LANES, LANES, body) < MOST_TEXT);
}

static const float *run_moved(struct glacier_device *device, const struct row *row, struct glacier_array *x,
			      struct glacier_array *y, struct glacier_array *z, uint32_t seed)
{
	char text[MOST_TEXT];
	struct glacier_pipeline *pipeline;

	write_kernel(row, true, text);
	pipeline = pipeline_of(device, text);
	LAUNCH(pipeline, 1, {.name = "x", .array = x}, {.name = "y", .array = y}, {.name = "z", .array = z},
	       {.name = "seed", .bits = seed});
	return host(z, false);
}

static void try_row(struct glacier_device *device, const struct row *row)
{
	struct glacier_array *x = create(device, 4 * LANES), *y = create(device, 4 * LANES), *z = create(device, 4 * LANES);
	struct glacier_array *moved = create(device, 4 * LANES), *bound = create(device, 8 * LANES), *lost = create(device, 8);
	double largest_bound = 0, largest_difference = 0;
	struct glacier_pipeline *pipeline;
	struct glacier_module *module;
	struct glacier_parameter parameter;
	char text[MOST_TEXT];
	const double *bounds;
	const float *values;
	bool has_bound = false, plain = true;
	float *at;

	at = host(x, true);
	for (int i = 0; i < LANES; i++)
		at[i] = 0.5f + 0.37f * (float)i;
	at = host(y, true);
	for (int i = 0; i < LANES; i++)
		at[i] = 1.25f + 0.011f * (float)(i * 7 % 256);
	write_kernel(row, false, text);
	module = read_module(text);
	OK(glacier_pipeline_get_bounded(device, module, NULL, false, &pipeline, quiet()));
	glacier_module_destroy(module);
	for (size_t i = 0; glacier_pipeline_parameter(pipeline, i, &parameter); i++)
		has_bound = has_bound || !strcmp(parameter.name, "z.bound");
	if (has_bound) {
		LAUNCH(pipeline, 1, {.name = "x", .array = x}, {.name = "y", .array = y}, {.name = "z", .array = z},
		       {.name = "seed"}, {.name = "z.bound", .array = bound}, {.name = ".lost", .array = lost});
	} else {
		/* All that is stored is the same, if only the ways to it are. */
		CHECK(row->lost);
		LAUNCH(pipeline, 1, {.name = "x", .array = x}, {.name = "y", .array = y}, {.name = "z", .array = z},
		       {.name = "seed"}, {.name = ".lost", .array = lost});
	}
	values = host(z, false);
	bounds = host(bound, false);
	if (!!*(const uint32_t *)host(lost, false) != row->lost)
		FAIL("%s: lost is %d", row->name, !row->lost);
	for (uint32_t seed = 0; seed < MOVES && !row->lost; seed++) {
		const float *other = run_moved(device, row, x, y, moved, seed);

		for (int i = 0; i < LANES; i++) {
			double difference = fabs((double)other[i] - (double)values[i]);

			if (row->unknown) {
				plain = plain && isfinite(bounds[i]);
				continue;
			}
			if (!(difference <= bounds[i]))
				FAIL("%s: z[%d] is %.9g and %.9g, %.3g apart, bound %.3g", row->name, i, (double)values[i],
				     (double)other[i], difference, bounds[i]);
			if (difference > largest_difference)
				largest_difference = difference;
			if (bounds[i] > largest_bound)
				largest_bound = bounds[i];
		}
	}
	if (row->unknown && plain)
		FAIL("%s: all bounds are known", row->name);
	if (!row->lost && !row->unknown && largest_bound > row->slack * largest_difference)
		FAIL("%s: bounds up to %.3g for differences up to %.3g", row->name, largest_bound, largest_difference);
	OK(glacier_array_free(device, x));
	OK(glacier_array_free(device, y));
	OK(glacier_array_free(device, z));
	OK(glacier_array_free(device, moved));
	OK(glacier_array_free(device, bound));
	OK(glacier_array_free(device, lost));
}

/* What a launch leaves, the next one begins with. */
static void carries_over_launches(struct glacier_device *device)
{
	static const char divides[] = "kernel d(@a: buffer f32 readwrite) workgroup 4 {\n%i = GlobalId.x\n"
				      "%v = LoadGlobal.f32 @a, %i\n%v = Div.f32 %v, 3\nStoreGlobal.f32 @a, %i, %v\n}\n";
	static const char doubles[] = "kernel e(@a: buffer f32 read, @b: buffer f32 write) workgroup 4 {\n%i = GlobalId.x\n"
				      "%v = LoadGlobal.f32 @a, %i\n%v = Mul.f32 %v, 2\nStoreGlobal.f32 @b, %i, %v\n}\n";
	struct glacier_array *a = create(device, 16), *b = create(device, 16), *ea = create(device, 32);
	struct glacier_array *eb = create(device, 32), *lost = create(device, 8);
	struct glacier_module *d = read_module(divides), *e = read_module(doubles);
	struct glacier_pipeline *first, *second;
	float *at = host(a, true);
	const double *bounds;

	for (int i = 0; i < 4; i++)
		at[i] = 1;
	OK(glacier_pipeline_get_bounded(device, d, NULL, true, &first, quiet()));
	OK(glacier_pipeline_get_bounded(device, e, NULL, true, &second, quiet()));
	LAUNCH(first, 1, {.name = "a", .array = a}, {.name = "a.bound", .array = ea}, {.name = ".lost", .array = lost});
	LAUNCH(second, 1, {.name = "a", .array = a}, {.name = "b", .array = b}, {.name = "a.bound", .array = ea},
	       {.name = "b.bound", .array = eb}, {.name = ".lost", .array = lost});
	bounds = host(eb, false);
	/* 3 units of 1/3, doubled: 2^-22 * 3, and a little. */
	if (!(bounds[0] >= 2 * 3 * 0x1p-25 && bounds[0] <= 3 * 3 * 0x1p-23))
		FAIL("after two launches the bound is %g", bounds[0]);
	glacier_module_destroy(d);
	glacier_module_destroy(e);
}

/* A subnormal number may be taken for 0: its own size, and what it is multiplied to. */
static void allows_flushing(struct glacier_device *device)
{
	static const char text[] = "kernel k(@a: buffer f32 read, @b: buffer f32 write) workgroup 2 {\n%i = GlobalId.x\n"
				   "%v = LoadGlobal.f32 @a, %i\n%w = Mul.f32 %v, 0x1p60\nStoreGlobal.f32 @b, %i, %w\n}\n";
	struct glacier_array *a = create(device, 8), *b = create(device, 8), *eb = create(device, 16), *lost = create(device, 8);
	struct glacier_module *module = read_module(text);
	struct glacier_pipeline *pipeline;
	float *at = host(a, true);
	const double *bounds;

	at[0] = 0x1p-130f;
	at[1] = 0x1p-120f;
	OK(glacier_pipeline_get_bounded(device, module, NULL, false, &pipeline, quiet()));
	LAUNCH(pipeline, 1, {.name = "a", .array = a}, {.name = "b", .array = b}, {.name = "b.bound", .array = eb},
	       {.name = ".lost", .array = lost});
	bounds = host(eb, false);
	if (!(bounds[0] >= 0x1p-70 && bounds[0] < 0x1p-69) || bounds[1] != 0)
		FAIL("bounds of what may be flushed: %g, %g", bounds[0], bounds[1]);
	glacier_module_destroy(module);
}

static void refuses_other_devices(void)
{
	struct glacier_module *module = read_module("kernel k(@a: buffer f32 write) workgroup 1 {\n}\n");
	struct glacier_device *device;
	struct glacier_pipeline *pipeline;

	if (glacier_device_open(GLACIER_DEVICE_VULKAN, 0, NULL, &device, quiet()) == GLACIER_OK) {
		REFUSED(glacier_pipeline_get_bounded(device, module, NULL, false, &pipeline, quiet()), "DV0028", "vulkan:0");
		glacier_device_close(device);
	}
	glacier_module_destroy(module);
}

int main(void)
{
	struct glacier_device *device;

	OK(glacier_device_open(GLACIER_DEVICE_CPU, 0, NULL, &device, quiet()));
	for (size_t i = 0; i < COUNT(rows); i++)
		try_row(device, &rows[i]);
	carries_over_launches(device);
	allows_flushing(device);
	glacier_device_close(device);
	refuses_other_devices();
	printf("%zu kernels\n", COUNT(rows));
	return 0;
}
