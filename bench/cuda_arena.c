/* SPDX-License-Identifier: MIT */
/*
 * An allocation and its free: of a pool over memory of a CUDA device, and of the driver's two ways.
 * Medians of rounds that take turns, so that all see the machine in the same states.
 */
#include "gpu.h"

#include "device/cuda.h"

#include <dlfcn.h>

enum { TURNS = 7, ARENA_PAIRS = 100000, ASYNC_PAIRS = 5000, PLAIN_PAIRS = 100 };

/* What the aims are, in doc/BENCHMARKS.md. */
static const double async_aim = 20, plain_aim = 1000;

static glc_cu_result (*alloc_async)(glc_cu_address *address, size_t bytes, glc_cu_stream stream);
static glc_cu_result (*free_async)(glc_cu_address address, glc_cu_stream stream);

#define TRY(call) \
	do { \
		glc_cu_result result_ = (call); \
		if (result_ != GLC_CU_SUCCESS) \
			DIE("%s gives %s", #call, glc_cuda_result_name(result_)); \
	} while (0)

static double arena_pair(struct glacier_arena *arena, uint64_t bytes)
{
	double begun = now_ns();
	glacier_addr addr;

	for (int i = 0; i < ARENA_PAIRS; i++) {
		OK(glacier_arena_alloc(arena, bytes, &addr));
		OK(glacier_arena_free(arena, addr));
	}
	return (now_ns() - begun) / ARENA_PAIRS;
}

static double async_pair(const struct glc_cuda_state *cuda, uint64_t bytes)
{
	glc_cu_stream stream = cuda->queues[0].stream;
	glc_cu_address address;
	double begun;

	/* The first of them grows the driver's own pool. */
	TRY(alloc_async(&address, bytes, stream));
	TRY(free_async(address, stream));
	begun = now_ns();
	for (int i = 0; i < ASYNC_PAIRS; i++) {
		TRY(alloc_async(&address, bytes, stream));
		TRY(free_async(address, stream));
	}
	begun = (now_ns() - begun) / ASYNC_PAIRS;
	TRY(cuda->call->StreamSynchronize(stream));
	return begun;
}

static double plain_pair(const struct glc_cuda_state *cuda, uint64_t bytes)
{
	double begun = now_ns();
	glc_cu_address address;

	for (int i = 0; i < PLAIN_PAIRS; i++) {
		TRY(cuda->call->MemAlloc(&address, bytes));
		TRY(cuda->call->MemFree(address));
	}
	return (now_ns() - begun) / PLAIN_PAIRS;
}

static void find_async(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (!library)
		return;
	/* CUDA 11.2; a driver without them has no row for them. */
	*(void **)&alloc_async = dlsym(library, "cuMemAllocAsync");
	*(void **)&free_async = dlsym(library, "cuMemFreeAsync");
}

int main(void)
{
	static const uint64_t sizes[] = {256, 4096, 65536, 1 << 20, 32 << 20, 64 << 20};
	struct glacier_device *device = open_device(GLACIER_DEVICE_CUDA, NULL);
	const struct glc_cuda_state *cuda = glc_cuda_of(device);
	struct glacier_range range;
	struct glacier_arena_options options = {.range = &range, .reservoir_bytes = 512 << 20};
	struct glacier_arena *arena;

	find_async();
	OK(glacier_device_backing(device, GLACIER_BACKING_DEVICE, UINT64_C(1) << 30, &range, &sink));
	OK(glacier_arena_create(&options, &arena));
	OK(glc_cuda_enter(device, &sink));
	printf("%s\n%10s %12s %18s %8s %18s %8s\n", glacier_device_describe(device)->name, "bytes", "arena ns", "cuMemAllocAsync ns",
	       "ratio", "cuMemAlloc ns", "ratio");
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		double ours[TURNS], async[TURNS] = {0}, plain[TURNS], a, b, c;

		arena_pair(arena, sizes[i]);
		for (int turn = 0; turn < TURNS; turn++) {
			ours[turn] = arena_pair(arena, sizes[i]);
			if (alloc_async && free_async)
				async[turn] = async_pair(cuda, sizes[i]);
			plain[turn] = plain_pair(cuda, sizes[i]);
		}
		a = median(ours, TURNS);
		b = median(async, TURNS);
		c = median(plain, TURNS);
		printf("%10llu %12.1f %18.1f %8.1f %18.1f %8.0f%s\n", (unsigned long long)sizes[i], a, b, b / a, c, c / a,
		       b / a >= async_aim && c / a >= plain_aim ? "" : "  below the aim");
	}
	printf("aims: %.0f and %.0f times\n", async_aim, plain_aim);
	glacier_arena_destroy(arena);
	glacier_device_close(device);
	return 0;
}
