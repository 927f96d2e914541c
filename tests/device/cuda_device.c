/* SPDX-License-Identifier: MIT */
/* The CUDA device on a real GPU: what fake_cuda.c cannot show. Without one it is skipped. */
#include "vk.h"

#include "device/cuda.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct glacier_device *open_cuda(const struct glacier_device_options *options)
{
	struct glacier_device *device;
	enum glacier_status status = glacier_device_open(GLACIER_DEVICE_CUDA, 0, options, &device, quiet());

	if (status == GLACIER_ERR_UNAVAILABLE) {
		printf("SKIP: %s\n", last_message);
		exit(77);
	}
	if (status != GLACIER_OK)
		FAIL("cuda:0 cannot be opened: %s [%s]", last_message, last_code);
	return device;
}

static const char add_text[] =
	"kernel sum(@in: buffer u32 read, @out: buffer u32 readwrite, @k: u32, @n: u32) workgroup 256 {\n"
	"  %i = GlobalId.x\n"
	"  %in = Lt.u32 %i, @n\n"
	"  if %in {\n"
	"    %v = LoadGlobal.u32 @in, %i\n"
	"    %v = Add.u32 %v, @k\n"
	"    StoreGlobal.u32 @out, %i, %v\n"
	"  }\n"
	"}\n";

static void add(struct glacier_queue *queue, struct glacier_pipeline *pipeline, struct glacier_array *in,
		struct glacier_array *out, uint32_t k)
{
	uint32_t n = (uint32_t)(glacier_array_bytes(out) / 4);
	const struct glacier_argument arguments[] = {{.name = "in", .array = in},
						     {.name = "out", .array = out},
						     {.name = "k", .bits = k},
						     {.name = "n", .bits = n}};
	const uint32_t groups[3] = {(n + 255) / 256, 1, 1};

	if (queue)
		OK(glacier_launch_on(queue, pipeline, arguments, 4, groups, quiet()));
	else
		OK(glacier_launch(pipeline, arguments, 4, groups, quiet()));
}

/* Arrays that share pages, that begin anywhere, that are only read: right in every mixture. */
static void wraps_any_memory(void)
{
	struct glacier_device *device = open_cuda(NULL);
	struct glacier_pipeline *pipeline = pipeline_of(device, add_text);
	uint32_t *memory = malloc(1 << 20);
	unsigned registered = 0;

	CHECK(memory);
	for (uint32_t round = 0; round < 60; round++) {
		/* Two to twenty thousand elements, one behind the other, a few bytes apart. */
		uint32_t n = 2 + round * 331, gap = round % 5;
		uint32_t *in = memory + round % 7, *out = in + n + gap;
		struct glacier_array *a, *b;

		for (uint32_t i = 0; i < n; i++)
			in[i] = i * i;
		out[n] = 0xabcdef;
		OK(glacier_array_wrap(device, in, 4 * (uint64_t)n, round % 2, &a, quiet()));
		b = wrap(device, out, 4 * (uint64_t)n);
		registered += ((struct glc_cuda_memory *)a->backing)->home == GLC_CUDA_REGISTERED;
		registered += ((struct glc_cuda_memory *)b->backing)->home == GLC_CUDA_REGISTERED;
		add(NULL, pipeline, a, b, round);
		host(b, false);
		for (uint32_t i = 0; i < n; i++)
			if (out[i] != i * i + round)
				FAIL("round %u: [%u] is %u", round, i, out[i]);
		CHECK(out[n] == 0xabcdef);
		OK(glacier_array_free(device, a));
		OK(glacier_array_free(device, b));
	}
	printf("wrapped: %u of 120 without a copy\n", registered);
	CHECK(registered >= 12);
	free(memory);
	glacier_device_close(device);
}

/* The pages of a file that can only be read. */
static void wraps_a_file(void)
{
	enum { BYTES = 1 << 20 };
	char path[] = "/tmp/glacier-wrap-XXXXXX";
	int file = mkstemp(path);
	struct glacier_device *device = open_cuda(NULL);
	struct glacier_pipeline *pipeline = pipeline_of(device, add_text);
	struct glacier_array *in, *out = create(device, BYTES);
	uint32_t *memory = malloc(BYTES);
	const void *mapped;

	CHECK(file >= 0 && memory);
	for (uint32_t i = 0; i < BYTES / 4; i++)
		memory[i] = 7 * i;
	CHECK(write(file, memory, BYTES) == BYTES);
	mapped = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, file, 0);
	CHECK(mapped != MAP_FAILED);
	OK(glacier_array_wrap(device, (void *)mapped, BYTES, true, &in, quiet()));
	add(NULL, pipeline, in, out, 1);
	CHECK(((uint32_t *)host(out, false))[BYTES / 4 - 1] == 7 * (BYTES / 4 - 1) + 1);
	printf("a read-only file: %s\n", in->shared ? "without a copy" : "copied");
	glacier_device_close(device);
	munmap((void *)mapped, BYTES);
	close(file);
	unlink(path);
	free(memory);
}

static void keeps_every_kind_of_memory(void)
{
	static const enum glacier_device_memory kinds[] = {GLACIER_MEMORY_DEVICE, GLACIER_MEMORY_PINNED,
							   GLACIER_MEMORY_MANAGED};

	for (size_t k = 0; k < COUNT(kinds); k++) {
		enum { N = 100000 };
		struct glacier_device *device =
			open_cuda(&(const struct glacier_device_options){.memory = kinds[k], .timed = true});
		struct glacier_pipeline *pipeline = pipeline_of(device, add_text);
		struct glacier_array *a = create(device, 4 * N), *b = create(device, 4 * N), *empty = create(device, 0);
		uint64_t ns;

		/* Zeroed on both sides. */
		add(NULL, pipeline, a, b, 5);
		for (uint32_t i = 0; i < N; i++)
			CHECK(((uint32_t *)host(a, false))[i] == 0 && ((uint32_t *)host(b, false))[i] == 5);
		for (uint32_t round = 0; round < 5; round++) {
			((uint32_t *)host(a, true))[N - 1] = round;
			add(NULL, pipeline, a, b, 100);
			OK(glacier_device_wait(device, 0, &ns, quiet()));
			CHECK(ns > 500 && ns < 1000000000);
			CHECK(((uint32_t *)host(b, false))[N - 1] == round + 100);
		}
		CHECK(host(empty, false));
		CHECK((counts_of(device).copies_to_host == 0) == (kinds[k] != GLACIER_MEMORY_DEVICE));
		glacier_device_close(device);
	}
}

/* Beyond 2^32 bytes, and 2^30 elements. */
static void has_arrays_above_4_gib(void)
{
	static const char text[] =
		"kernel k(@v: buffer u32 readwrite) workgroup 1 {\n"
		"  %n = Length.u64 @v\n"
		"  %last = Sub.u64 %n, 1\n"
		"  %low = Cvt.u32.u64 %n\n"
		"  StoreGlobal.u32 @v, %last, %low\n"
		"  StoreGlobal.u32 @v, 1200000000, 77\n"
		"}\n";
	const uint64_t n = 1300000000;
	struct glacier_device *device = open_cuda(NULL);
	struct glacier_pipeline *pipeline;
	struct glacier_array *v;
	const uint32_t *at;

	if (glacier_device_describe(device)->buffer_bytes < 4 * n + (UINT64_C(1) << 31)) {
		printf("no array above 4 GiB: the device is too small\n");
		glacier_device_close(device);
		return;
	}
	pipeline = pipeline_of(device, text);
	v = create(device, 4 * n);
	LAUNCH(pipeline, 1, {.name = "v", .array = v});
	at = host(v, false);
	CHECK(at[n - 1] == (uint32_t)n && at[1200000000] == 77 && at[0] == 0 && at[n - 2] == 0);
	glacier_device_close(device);
}

/* A chain of dependent launches over eight queues gives what one queue gives. */
static void runs_queues_in_the_order_of_their_arrays(void)
{
	enum { N = 1 << 20, QUEUES = 8, STEPS = 200 };
	struct glacier_device *device = open_cuda(NULL);
	struct glacier_pipeline *pipeline = pipeline_of(device, add_text);
	struct glacier_queue *queues[QUEUES];
	struct glacier_array *arrays[QUEUES];
	uint32_t want[QUEUES] = {0}, state = 5;

	for (int i = 0; i < QUEUES; i++) {
		OK(glacier_queue_create(device, &queues[i], quiet()));
		arrays[i] = create(device, 4 * N);
	}
	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t from = (state = state * 1664525 + 1013904223) >> 20, to = from / 8 + 1, queue = from / 64;

		from %= QUEUES;
		to %= QUEUES;
		if (from == to)
			continue;
		add(queues[queue % QUEUES], pipeline, arrays[from], arrays[to], step);
		want[to] = want[from] + step;
	}
	for (int i = 0; i < QUEUES; i++)
		OK(glacier_queue_wait(queues[i], 0, NULL, quiet()));
	for (int i = 0; i < QUEUES; i++) {
		const uint32_t *at = host(arrays[i], false);

		for (uint32_t j = 0; j < N; j += 4099)
			CHECK(at[j] == want[i]);
		CHECK(at[N - 1] == want[i]);
	}
	glacier_device_close(device);
}

/* Launches that know nothing of each other run at the same time: 8 of one workgroup are not 8 times as long. */
static void runs_queues_side_by_side(void)
{
	static const char text[] =
		"kernel spin(@v: buffer u32 readwrite, @rounds: u32) workgroup 32 {\n"
		"  %i = LocalId.x\n"
		"  %v = LoadGlobal.u32 @v, %i\n"
		"  for %k.u32 = 0, @rounds {\n"
		"    %v = Mul.u32 %v, 1664525\n"
		"    %v = Add.u32 %v, 1013904223\n"
		"  }\n"
		"  StoreGlobal.u32 @v, %i, %v\n"
		"}\n";
	enum { QUEUES = 8 };
	struct glacier_device *device = open_cuda(NULL);
	struct glacier_pipeline *pipeline = pipeline_of(device, text);
	struct glacier_queue *queues[QUEUES];
	struct glacier_array *arrays[QUEUES];
	double took[2] = {0};

	for (int i = 0; i < QUEUES; i++) {
		OK(glacier_queue_create(device, &queues[i], quiet()));
		arrays[i] = create(device, 128);
	}
	for (int together = 0; together < 2; together++)
		for (int warm = 0; warm < 2; warm++) {
			struct timespec begun, ended;

			OK(glacier_device_wait(device, 0, NULL, quiet()));
			clock_gettime(CLOCK_MONOTONIC, &begun);
			for (int i = 0; i < QUEUES; i++)
				OK(glacier_launch_on(queues[together ? i : 0], pipeline,
						     (const struct glacier_argument[]){
							     {.name = "v", .array = arrays[i]},
							     {.name = "rounds", .bits = 2000000}},
						     2, (const uint32_t[3]){1, 1, 1}, quiet()));
			OK(glacier_device_wait(device, 0, NULL, quiet()));
			clock_gettime(CLOCK_MONOTONIC, &ended);
			took[together] = (double)(ended.tv_sec - begun.tv_sec) * 1e3 +
					 (double)(ended.tv_nsec - begun.tv_nsec) / 1e6;
		}
	printf("8 launches on one queue: %.2f ms; on 8: %.2f ms\n", took[0], took[1]);
	CHECK(took[1] < took[0] / 2);
	glacier_device_close(device);
}

/*
 * What the driver says comes through, and again when the device is opened again: it is lost to
 * the process (CUDA Driver API, CUDA_ERROR_ILLEGAL_ADDRESS), and so this comes last.
 */
static void survives_a_failed_launch(void)
{
	static const char text[] =
		"kernel k(@v: buffer u32 write, @i: u64) workgroup 1 {\n  StoreGlobal.u32 @v, @i, 1\n}\n";
	struct glacier_device *device = open_cuda(NULL);
	struct glacier_pipeline *pipeline = pipeline_of(device, text);
	struct glacier_array *v = create(device, 64);

	LAUNCH(pipeline, 1, {.name = "v", .array = v}, {.name = "i", .bits = UINT64_C(1) << 44});
	REFUSED(glacier_device_wait(device, 0, NULL, quiet()), "DV0155", "CUDA_ERROR_ILLEGAL_ADDRESS");
	REFUSED(glacier_array_create(device, 64, &v, quiet()), "DV0007", "can only be closed");
	glacier_device_close(device);

	REFUSED(glacier_device_open(GLACIER_DEVICE_CUDA, 0, NULL, &device, quiet()), "DV0155",
		"CUDA_ERROR_ILLEGAL_ADDRESS");
	/* The others are as good as before. */
	OK(glacier_device_open(GLACIER_DEVICE_CPU, 0, NULL, &device, quiet()));
	pipeline = pipeline_of(device, text);
	v = create(device, 64);
	LAUNCH(pipeline, 1, {.name = "v", .array = v}, {.name = "i", .bits = 3});
	CHECK(((uint32_t *)host(v, false))[3] == 1);
	glacier_device_close(device);
}

/* Memory that the arena will map piece by piece: the entry points do what they say. */
static void maps_memory(void)
{
	struct glacier_device *device = open_cuda(NULL);
	const struct glc_cuda *call = glc_cuda_of(device)->call;
	const struct glc_cu_allocation allocation = {
		.type = GLC_CU_ALLOCATION_PINNED, .location = {GLC_CU_LOCATION_DEVICE, glc_cuda_of(device)->ordinal}};
	const struct glc_cu_access access = {allocation.location, GLC_CU_ACCESS_READWRITE};
	unsigned long long handle;
	glc_cu_address base;
	uint32_t value = 0;
	size_t unit;

	if (!glc_cuda_has_mapping(call)) {
		printf("the driver maps no memory\n");
		glacier_device_close(device);
		return;
	}
	OK(glc_cuda_enter(device, quiet()));
	CHECK(!call->MemGetAllocationGranularity(&unit, &allocation, GLC_CU_GRANULARITY_MINIMUM) && unit >= 4096);
	CHECK(!call->MemAddressReserve(&base, 16 * unit, 0, 0, 0));
	CHECK(!call->MemCreate(&handle, unit, &allocation, 0));
	CHECK(!call->MemMap(base + 3 * unit, unit, 0, handle, 0));
	CHECK(!call->MemSetAccess(base + 3 * unit, unit, &access, 1));
	CHECK(!call->MemsetD8Async(base + 3 * unit, 0x5a, unit, glc_cuda_of(device)->queues[0].stream));
	CHECK(!call->MemcpyDtoHAsync(&value, base + 4 * unit - 4, 4, glc_cuda_of(device)->queues[0].stream));
	CHECK(!call->StreamSynchronize(glc_cuda_of(device)->queues[0].stream) && value == 0x5a5a5a5a);
	CHECK(!call->MemUnmap(base + 3 * unit, unit) && !call->MemRelease(handle) &&
	      !call->MemAddressFree(base, 16 * unit));
	glacier_device_close(device);
}

int main(void)
{
	wraps_any_memory();
	wraps_a_file();
	keeps_every_kind_of_memory();
	has_arrays_above_4_gib();
	runs_queues_in_the_order_of_their_arrays();
	runs_queues_side_by_side();
	maps_memory();
	survives_a_failed_launch();
	printf("cuda_device: passed\n");
	return 0;
}
