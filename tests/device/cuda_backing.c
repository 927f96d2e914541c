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

enum { MIB = 1 << 20 };

/* Addresses, and memory behind what is allocated: more of them than the device has memory. */
static void maps_what_is_allocated(void)
{
	struct glacier_device *device = open_fake();
	int live = fake.live, reserved = live + 1;
	struct glacier_range range;
	struct glacier_arena_options options = {.tier = GLACIER_TIER_RESERVOIR, .range = &range, .keep_bytes = 4 * MIB};
	struct glacier_arena_stats stats;
	struct glacier_arena *arena;
	struct glacier_place place;
	glacier_addr a, b, c;

	OK(glacier_device_backing(device, GLACIER_BACKING_VIRTUAL, (UINT64_C(1) << 36) - 5, &range, quiet()));
	CHECK(range.bytes == UINT64_C(1) << 36 && range.base % (2 * MIB) == 0 && fake.live == reserved);
	OK(glacier_arena_create(&options, &arena));
	CHECK(fake.live == reserved);
	OK(glacier_arena_alloc(arena, 10 * MIB, &a));
	OK(glacier_arena_alloc(arena, 3 * MIB, &b));
	CHECK(fake.live == reserved + 5 + 2);
	/* A byte that was not mapped would end the test here. */
	memset((void *)(uintptr_t)a, 1, 10 * MIB);
	memset((void *)(uintptr_t)b, 2, 4 * MIB);
	OK(glacier_device_place(device, a, &place));
	CHECK(place.device_address == a);
	/* Within what is kept: still there, and handed out again. */
	OK(glacier_arena_free(arena, b));
	CHECK(fake.live == reserved + 5 + 2);
	OK(glacier_arena_alloc(arena, 4 * MIB, &c));
	CHECK(c == b && fake.live == reserved + 5 + 2);
	/* Beyond it: gone. */
	OK(glacier_arena_free(arena, a));
	CHECK(fake.live == reserved + 2);
	OK(glacier_arena_free(arena, c));
	OK(glacier_arena_get_stats(arena, &stats));
	CHECK(stats.committed_bytes == 4 * MIB);
	OK(glacier_arena_trim(arena));
	CHECK(fake.live == reserved);
	/* What is still live goes with the range. */
	OK(glacier_arena_alloc(arena, 6 * MIB, &a));
	glacier_arena_destroy(arena);
	CHECK(fake.live == live);
	glacier_device_close(device);
	CHECK(fake.live == 0);
}

/* In the middle of an allocation, by each call: what was mapped for it goes back, and the next one succeeds. */
static void undoes_half_a_mapping(void)
{
	static const struct {
		const char *call;
		int after;
	} rows[] = {{"cuMemCreate", 0}, {"cuMemCreate", 2}, {"cuMemMap", 0}, {"cuMemMap", 3}, {"cuMemSetAccess", 0}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct glacier_device *device = open_fake();
		struct glacier_range range;
		struct glacier_arena_options options = {.tier = GLACIER_TIER_RESERVOIR, .range = &range};
		struct glacier_arena *arena;
		int reserved = fake.live + 1;
		glacier_addr addr;

		OK(glacier_device_backing(device, GLACIER_BACKING_VIRTUAL, 64 * MIB, &range, quiet()));
		OK(glacier_arena_create(&options, &arena));
		/* The arena would flush and ask again, so its own call is asked. */
		for (int round = 0; round < 2; round++) {
			fake.fail = rows[i].call;
			fake.fail_after = rows[i].after;
			fake.fail_result = GLC_CU_OUT_OF_MEMORY;
			CHECK(!range.commit(range.user, range.base, 8 * MIB));
			CHECK(!fake.fail && fake.live == reserved);
		}
		fake.fail_after = 0;
		OK(glacier_arena_alloc(arena, 8 * MIB, &addr));
		CHECK(fake.live == reserved + 4);
		memset((void *)(uintptr_t)addr, 1, 8 * MIB);
		glacier_arena_destroy(arena);
		glacier_device_close(device);
		CHECK(fake.live == 0);
	}
}

static void refuses_what_cannot_be_mapped(void)
{
	struct glacier_device *device = open_fake();
	int live = fake.live;
	struct glacier_range range;
	struct glacier_arena *arena;

	fake.no_mapping = true;
	REFUSED(glacier_device_backing(device, GLACIER_BACKING_VIRTUAL, 64 * MIB, &range, quiet()), "DV0033", "2 MiB");
	CHECK(fake.live == live);
	fake.no_mapping = false;
	fake.fail = "cuMemAddressReserve";
	fake.fail_result = GLC_CU_OUT_OF_MEMORY;
	REFUSED(glacier_device_backing(device, GLACIER_BACKING_VIRTUAL, 64 * MIB, &range, quiet()), "DV0154", "cuMemAddressReserve");
	CHECK(fake.live == live);
	/* Of the other tiers none would have memory. */
	for (int tier = 0; tier < GLACIER_TIER_COUNT; tier++) {
		struct glacier_arena_options options = {.tier = (enum glacier_tier)tier, .range = &range};

		if (tier == GLACIER_TIER_RESERVOIR)
			continue;
		OK(glacier_device_backing(device, GLACIER_BACKING_VIRTUAL, 64 * MIB, &range, quiet()));
		CHECK(glacier_arena_create(&options, &arena) == GLACIER_ERR_ARGUMENT);
		CHECK(fake.live == live);
	}
	glacier_device_close(device);
}

int main(void)
{
	takes_and_gives_once(GLACIER_BACKING_DEVICE, 0xdb);
	takes_and_gives_once(GLACIER_BACKING_PINNED, 0);
	leaves_nothing_behind();
	refused_arenas_give_it_back();
	closing_takes_it_along();
	maps_what_is_allocated();
	undoes_half_a_mapping();
	refuses_what_cannot_be_mapped();
	printf("cuda_backing: passed\n");
	return 0;
}
