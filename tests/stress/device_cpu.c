/* SPDX-License-Identifier: MIT */
/*
 * The processor's device by the public calls: what it refuses, counts and warns of, kernels
 * that never end, and many launches by several threads. Right values are closed forms.
 */
#include <glacier.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stress.h"

#define HOLDS(condition) CHECK(condition, "the last code is %s", last_code)

static char last_code[8];

static void note(void *user, const struct glacier_diagnostic *d)
{
	(void)user;
	if (d->code)
		snprintf(last_code, sizeof last_code, "%s", d->code);
}

static struct glacier_diag diag = {.report = note};

static const char text[] =
	"kernel add(@a: buffer u32 read, @out: buffer u32 write, @n: u32) workgroup 64 {\n"
	"  %i = GlobalId.x\n  %v = LoadGlobal.u32 @a, %i\n  %v = Add.u32 %v, @n\n  StoreGlobal.u32 @out, %i, %v\n}\n"
	"kernel count(@sum: buffer u32 readwrite) workgroup 300 {\n  AtomicAdd.u32 @sum, 0, 1\n}\n"
	"kernel endless(@out: buffer u32 write) workgroup 1 {\n  %x = LoadConstant.u32 1\n"
	"  loop {\n    %stop = Eq.u32 %x, 0\n    break_if %stop\n    %x = Or.u32 %x, 1\n  }\n"
	"  StoreGlobal.u32 @out, 0, %x\n}\n";

static struct glacier_module *module;

static struct glacier_device *open_device(uint32_t threads)
{
	struct glacier_device_options options = {.threads = threads};
	struct glacier_device *device;

	HOLDS(glacier_device_open(GLACIER_DEVICE_CPU, 0, &options, &device, &diag) == GLACIER_OK);
	return device;
}

static struct glacier_pipeline *get(struct glacier_device *device, const char *name)
{
	struct glacier_pipeline *pipeline;

	HOLDS(glacier_pipeline_get(device, module, name, NULL, &pipeline, &diag) == GLACIER_OK);
	return pipeline;
}

static struct glacier_array *array(struct glacier_device *device, uint64_t bytes)
{
	struct glacier_array *array;

	HOLDS(glacier_array_create(device, bytes, &array, &diag) == GLACIER_OK);
	return array;
}

static void refuses(void)
{
	static const struct {
		struct glacier_device_options options;
		char code[8];
	} rows[] = {
		{{.isa = "sse9"}, "DV0003"}, {{.subgroup_size = 3}, "DV0004"}, {{.subgroup_size = 256}, "DV0004"}};
	struct glacier_device *device;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		HOLDS(glacier_device_open(GLACIER_DEVICE_CPU, 0, &rows[i].options, &device, &diag) != GLACIER_OK);
		HOLDS(!strcmp(last_code, rows[i].code));
	}
	HOLDS(glacier_device_open(GLACIER_DEVICE_CPU, 1, NULL, &device, &diag) == GLACIER_ERR_UNAVAILABLE);
}

static void refuses_arguments(void)
{
	struct glacier_device *device = open_device(1);
	struct glacier_pipeline *add = get(device, "add");
	struct glacier_array *a = array(device, 256), *out = array(device, 256);
	struct glacier_argument good[] = {{.name = "a", .array = a}, {.name = "out", .array = out}, {.name = "n"}};
	struct glacier_argument x[4];

#define REFUSED(n, groups, code, change)                                                                   \
	do {                                                                                               \
		memcpy(x, good, sizeof good);                                                              \
		change;                                                                                    \
		HOLDS(glacier_launch(add, x, n, (uint32_t[]){groups, 1, 1}, &diag) != GLACIER_OK);         \
		HOLDS(!strcmp(last_code, code));                                                           \
	} while (0)
	REFUSED(2, 1, "DV0013", (void)0);
	REFUSED(3, 1, "DV0014", x[2].name = "m");
	REFUSED(3, 1, "DV0015", x[2] = x[0]);
	REFUSED(3, 1, "DV0016", x[0].array = NULL);
	REFUSED(3, 1, "DV0018", x[0].offset_bytes = 260);
	REFUSED(3, 1, "DV0019", x[0].offset_bytes = 2);
	REFUSED(3, 1, "DV0021", x[0].array = out);
	REFUSED(3, 0, "DV0023", (void)0);
	HOLDS(glacier_array_free(device, a) == GLACIER_OK);
	HOLDS(glacier_array_free(device, a) == GLACIER_ERR_ARGUMENT);
	REFUSED(3, 1, "DV0017", (void)0);
	glacier_device_close(device);
}

/* 64 elements, 128 invocations: half of the loads and stores lie outside. */
static void counts_what_lies_outside(void)
{
	struct glacier_device *device = open_device(2);
	struct glacier_array *a = array(device, 256), *out = array(device, 256);
	struct glacier_argument x[] = {{.name = "a", .array = a}, {.name = "out", .array = out}, {.name = "n", .bits = 5}};
	struct glacier_device_counts counts;
	const uint32_t *got;

	HOLDS(glacier_launch(get(device, "add"), x, 3, (uint32_t[]){2, 1, 1}, &diag) == GLACIER_OK);
	got = glacier_array_host(out, false, &diag);
	HOLDS(!strcmp(last_code, "DV0026"));
	for (int i = 0; i < 64; i++)
		HOLDS(got[i] == 5);
	glacier_device_count(device, &counts);
	HOLDS(counts.out_of_bounds == 128 && counts.launches == 1 && !counts.copies_to_device);
	glacier_device_close(device);
}

static void counts_every_lane(void)
{
	struct glacier_device *device = open_device(4);
	struct glacier_pipeline *count = get(device, "count");
	struct glacier_array *sum = array(device, 4);
	struct glacier_argument x[] = {{.name = "sum", .array = sum}};

	for (int i = 0; i < 200; i++)
		HOLDS(glacier_launch(count, x, 1, (uint32_t[]){7, 2, 1}, &diag) == GLACIER_OK);
	HOLDS(*(const uint32_t *)glacier_array_host(sum, false, &diag) == 200u * 14 * 300);
	HOLDS(get(device, "count") == count);
	glacier_device_close(device);
}

/* Found in the device's thread, told in this one. */
static void tells_what_it_watches(void)
{
	struct glacier_device_options options = {.threads = 4, .check = true};
	struct glacier_device_counts counts;
	struct glacier_device *device;
	struct glacier_array *a, *sum;

	HOLDS(glacier_device_open(GLACIER_DEVICE_CPU, 0, &options, &device, &diag) == GLACIER_OK);
	a = array(device, 256);
	sum = array(device, 4);
	for (int i = 0; i < 20; i++) {
		struct glacier_argument x[] = {{.name = "a", .array = a}, {.name = "out", .array = sum}, {.name = "n"}};
		struct glacier_argument y[] = {{.name = "sum", .array = sum}};

		HOLDS(glacier_launch(get(device, "add"), x, 3, (uint32_t[]){1, 1, 1}, &diag) == GLACIER_OK);
		HOLDS(glacier_launch(get(device, "count"), y, 1, (uint32_t[]){7, 2, 1}, &diag) == GLACIER_OK);
	}
	/* Freeing waits and has nobody to tell: it is kept for who asks. */
	HOLDS(glacier_array_free(device, sum) == GLACIER_OK);
	last_code[0] = '\0';
	HOLDS(glacier_device_wait(device, 0, NULL, &diag) == GLACIER_OK);
	HOLDS(!strncmp(last_code, "CK", 2));
	glacier_device_count(device, &counts);
	/* Each launch of add: 64 loads of what nobody stored, and 63 stores outside. */
	HOLDS(counts.findings == 20 * (64 + 63));
	glacier_device_close(device);
}

static void stops_what_never_ends(void)
{
	struct glacier_device *device = open_device(2);
	struct glacier_array *out = array(device, 4);
	struct glacier_argument x[] = {{.name = "out", .array = out}};

	HOLDS(glacier_launch(get(device, "endless"), x, 1, (uint32_t[]){3, 1, 1}, &diag) == GLACIER_OK);
	HOLDS(glacier_device_wait(device, 50000000, NULL, &diag) == GLACIER_ERR_TIMEOUT);
	HOLDS(glacier_device_wait(device, 0, NULL, &diag) == GLACIER_ERR_DEVICE);
	glacier_device_close(device);
}

int main(void)
{
	HOLDS(glacier_module_create(NULL, &module) == GLACIER_OK);
	HOLDS(glacier_module_read_text(module, &(struct glacier_text){"test", text, sizeof text - 1}, NULL, &diag) ==
	      GLACIER_OK);
	refuses();
	refuses_arguments();
	counts_what_lies_outside();
	counts_every_lane();
	tells_what_it_watches();
	stops_what_never_ends();
	glacier_module_destroy(module);
	return 0;
}
