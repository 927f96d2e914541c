/* SPDX-License-Identifier: MIT */
/*
 * Arenas over a driver that is none (fake_cuda.c): what is taken of it and given back, also when
 * something fails on the way, and that nobody touches what lies there. Runs anywhere.
 */
#include "vk.h"

#include "fake_cuda.h"

#include <glacier/arena.h>

static struct glacier_device *open_fake(void)
{
	struct glacier_device *device;

	fake_reset();
	CHECK(fake.live == 0);
	OK(glacier_device_open(GLACIER_DEVICE_CUDA, 0, NULL, &device, quiet()));
	return device;
}

/* One call takes it, one gives it back; the bytes stay as the driver gave them. */
static void takes_and_gives_once(enum glacier_backing kind, unsigned char byte)
{
	struct glacier_device *device = open_fake();
	int live = fake.live;
	struct glacier_range range;
	struct glacier_arena_options options = {.range = &range};
	struct glacier_arena *arena;
	glacier_addr addr;

	OK(glacier_device_backing(device, kind, 1 << 20, &range, quiet()));
	CHECK(fake.live == live + 1);
	OK(glacier_arena_create(&options, &arena));
	for (int i = 0; i < 100; i++) {
		OK(glacier_arena_alloc(arena, 256 << i % 5, &addr));
		if (i % 3)
			OK(glacier_arena_free(arena, addr));
	}
	for (uint64_t i = 0; i < range.bytes; i++)
		CHECK(((unsigned char *)(uintptr_t)range.base)[i] == byte);
	CHECK(fake.live == live + 1);
	glacier_arena_destroy(arena);
	CHECK(fake.live == live);
	glacier_device_close(device);
	CHECK(fake.live == 0);
}

/* Whichever call of the driver's fails: nothing is left, and the arena's failures give it back as well. */
static void leaves_nothing_behind(void)
{
	static const struct {
		const char *call;
		enum glacier_backing kind;
		glc_cu_result result;
		enum glacier_status status;
	} rows[] = {
		{"cuCtxSetCurrent", GLACIER_BACKING_DEVICE, GLC_CU_OUT_OF_MEMORY, GLACIER_ERR_NOMEM},
		{"cuMemAlloc", GLACIER_BACKING_DEVICE, GLC_CU_OUT_OF_MEMORY, GLACIER_ERR_NOMEM},
		{"cuMemHostAlloc", GLACIER_BACKING_PINNED, GLC_CU_OUT_OF_MEMORY, GLACIER_ERR_NOMEM},
		{"cuMemHostGetDevicePointer", GLACIER_BACKING_PINNED, GLC_CU_INVALID_VALUE, GLACIER_ERR_DEVICE},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct glacier_device *device = open_fake();
		struct glacier_range range = {.bytes = 77};
		int live = fake.live;
		enum glacier_status status;

		fake.fail = rows[i].call;
		fake.fail_result = rows[i].result;
		status = glacier_device_backing(device, rows[i].kind, 1 << 20, &range, quiet());
		if (status != rows[i].status)
			FAIL("%s: %s, not %s", rows[i].call, glacier_status_name(status), glacier_status_name(rows[i].status));
		CHECK(!fake.fail && strstr(last_message, rows[i].call));
		CHECK(range.bytes == 77 && !range.release && fake.live == live);
		glacier_device_close(device);
		CHECK(fake.live == 0);
	}
}

static void refused_arenas_give_it_back(void)
{
	struct glacier_device *device = open_fake();
	int live = fake.live;
	struct glacier_range range;
	struct glacier_arena_options options = {.tier = GLACIER_TIER_RESERVOIR, .range = &range};
	struct glacier_arena *arena;

	OK(glacier_device_backing(device, GLACIER_BACKING_DEVICE, 1 << 20, &range, quiet()));
	CHECK(glacier_arena_create(&options, &arena) == GLACIER_ERR_ARGUMENT);   /* below one granule */
	CHECK(fake.live == live);
	glacier_device_close(device);
}

/* The device is closed first: the memory goes with it, once. */
static void closing_takes_it_along(void)
{
	struct glacier_device *device = open_fake();
	struct glacier_range range;
	struct glacier_arena_options options = {.range = &range};
	struct glacier_arena *arena;

	OK(glacier_device_backing(device, GLACIER_BACKING_DEVICE, 1 << 20, &range, quiet()));
	OK(glacier_arena_create(&options, &arena));
	glacier_device_close(device);
	CHECK(fake.live == 0);
	glacier_arena_destroy(arena);
	CHECK(fake.live == 0);
}

int main(void)
{
	takes_and_gives_once(GLACIER_BACKING_DEVICE, 0xdb);
	takes_and_gives_once(GLACIER_BACKING_PINNED, 0);
	leaves_nothing_behind();
	refused_arenas_give_it_back();
	closing_takes_it_along();
	printf("cuda_backing: passed\n");
	return 0;
}
