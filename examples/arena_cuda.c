/* SPDX-License-Identifier: MIT */
/*
 * arena_cuda - a pool over memory of a CUDA device: taken of the driver once, handed out in nanoseconds, written
 * by one kernel and read by another. Without a device it says why, and ends with 77.
 *
 *     cc arena_cuda.c $(pkg-config --cflags --libs libglacier) && ./a.out
 *
 * "vulkan" or "cpu" as its argument takes that device: nothing else changes.
 */
#include <glacier.h>

#include <stdio.h>
#include <string.h>

enum { N = 100000, BYTES = 4 * N, SKIPPED = 77 };

static const char square_text[] =
	"kernel square(@y: buffer u32 write) workgroup 64 {\n"
	"  %i = GlobalId.x\n"
	"  %n = Length.u32 @y\n"
	"  %past = Ge.u32 %i, %n\n"
	"  if %past { Return }\n"
	"  %v = Mul.u32 %i, %i\n"
	"  StoreGlobal.u32 @y, %i, %v\n"
	"}\n"
	"kernel add(@x: buffer u32 read, @y: buffer u32 write, @k: u32) workgroup 64 {\n"
	"  %i = GlobalId.x\n"
	"  %n = Length.u32 @y\n"
	"  %past = Ge.u32 %i, %n\n"
	"  if %past { Return }\n"
	"  %v = LoadGlobal.u32 @x, %i\n"
	"  %v = Add.u32 %v, @k\n"
	"  StoreGlobal.u32 @y, %i, %v\n"
	"}\n";

static void print(void *user, const struct glacier_diagnostic *diagnostic)
{
	(void)user;
	fprintf(stderr, "%s\n", diagnostic->message);
}

static struct glacier_diag diag = {.report = print};

static int fail(const char *what, enum glacier_status status)
{
	fprintf(stderr, "%s: %s\n", what, glacier_status_name(status));
	return 1;
}

/* piece: of the arena. Squares are made there, and come to the host by way of an array, which has a copy on both sides. */
static enum glacier_status use(struct glacier_device *device, glacier_addr piece, struct glacier_array *result)
{
	const struct glacier_text text = {.text = square_text, .size = sizeof square_text - 1};
	const uint32_t groups[3] = {(N + 63) / 64, 1, 1};
	struct glacier_pipeline *square, *add;
	struct glacier_module *module;
	struct glacier_place place;
	enum glacier_status status = glacier_module_create(NULL, &module);

	if (status)
		return status;
	status = glacier_module_read_text(module, &text, NULL, &diag);
	if (!status)
		status = glacier_pipeline_get(device, module, "square", NULL, &square, &diag);
	if (!status)
		status = glacier_pipeline_get(device, module, "add", NULL, &add, &diag);
	glacier_module_destroy(module);
	if (!status)
		status = glacier_device_place(device, piece, &place);
	if (!status) {
		const struct glacier_argument y = {.name = "y", .array = place.array, .offset_bytes = place.offset_bytes, .bytes = BYTES};
		const struct glacier_argument sum[] = {
			{.name = "x", .array = place.array, .offset_bytes = place.offset_bytes, .bytes = BYTES},
			{.name = "y", .array = result},
			{.name = "k", .bits = 1},
		};

		status = glacier_launch(square, &y, 1, groups, &diag);
		if (!status)
			status = glacier_launch(add, sum, 3, groups, &diag);
	}
	return status;
}

/* None of that name: a kind that no device has. */
static enum glacier_device_kind kind_of(const char *name)
{
	int kind = 0;

	while (kind < GLACIER_DEVICE_KIND_COUNT && strcmp(name, glacier_device_kind_name((enum glacier_device_kind)kind)))
		kind++;
	return (enum glacier_device_kind)kind;
}

int main(int argc, char **argv)
{
	enum glacier_device_kind kind = kind_of(argc < 2 ? "cuda" : argv[1]);
	struct glacier_range range;
	struct glacier_arena_options options = {.range = &range, .ring_bytes = 4 << 20, .reservoir_bytes = 64 << 20};
	static const uint64_t sizes[] = {4096, BYTES, 40 << 20};
	glacier_addr given[3];
	struct glacier_device *device;
	struct glacier_array *result;
	struct glacier_arena *pool;
	enum glacier_status status = glacier_device_open(kind, 0, NULL, &device, &diag);
	const uint32_t *values;

	if (status)
		return status == GLACIER_ERR_UNAVAILABLE ? SKIPPED : fail("no device", status);
	printf("%s: %s\n", glacier_device_kind_name(kind), glacier_device_describe(device)->name);
	status = glacier_device_backing(device, GLACIER_BACKING_DEVICE, 128 << 20, &range, &diag);
	if (status)
		return fail("no memory", status);
	/* From here on the range is the arena's, which gives it back: also when it is refused. */
	status = glacier_arena_create(&options, &pool);
	if (status)
		return fail("no pool", status);
	for (int i = 0; i < 3; i++) {
		struct glacier_allocation found;

		status = glacier_arena_alloc(pool, sizes[i], &given[i]);
		if (status || (status = glacier_arena_find(pool, given[i], &found)))
			return fail("no allocation", status);
		printf("%9llu bytes: %llu of the %s\n", (unsigned long long)sizes[i], (unsigned long long)found.bytes,
		       glacier_tier_name(found.tier));
	}
	status = glacier_array_create(device, BYTES, &result, &diag);
	if (!status)
		status = use(device, given[1], result);
	if (status)
		return fail("no launch", status);
	values = glacier_array_host(result, false, &diag);
	if (!values)
		return 1;
	for (uint32_t i = 0; i < N; i++)
		if (values[i] != i * i + 1) {
			fprintf(stderr, "element %u is %u\n", i, values[i]);
			return 1;
		}
	printf("%d squares written and read where the pool said\n", N);
	for (int i = 0; i < 3; i++)
		if ((status = glacier_arena_free(pool, given[i])))
			return fail("free", status);
	/* The arena first: its memory is the device's. */
	glacier_arena_destroy(pool);
	glacier_device_close(device);
	return 0;
}
