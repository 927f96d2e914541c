/* SPDX-License-Identifier: MIT */
/*
 * Arenas over memory of a device's: backing [cpu|vulkan|cuda]. What the arena gives lies in it and apart,
 * kernels write and read through it, and it is given back once, whatever happens.
 */
#include "vk.h"

#include <glacier/arena.h>

static enum glacier_device_kind kind;

static struct glacier_device *open_it(void)
{
	struct glacier_device *device;
	enum glacier_status status = glacier_device_open(kind, 0, NULL, &device, quiet());

	if (status == GLACIER_ERR_UNAVAILABLE) {
		printf("SKIP: %s\n", last_message);
		exit(77);
	}
	if (status != GLACIER_OK)
		FAIL("%s:0 cannot be opened: %s [%s]", glacier_device_kind_name(kind), last_message, last_code);
	return device;
}

/* A range whose release is counted on its way. */
struct counted {
	struct glacier_range real;
	int released;
};

static void count_release(void *user, glacier_addr base, uint64_t bytes)
{
	struct counted *counted = user;

	CHECK(base == counted->real.base && bytes == counted->real.bytes);
	counted->released++;
	counted->real.release(counted->real.user, base, bytes);
}

static struct glacier_range count(struct counted *counted)
{
	struct glacier_range range = counted->real;

	range.release = count_release;
	range.user = counted;
	return range;
}

static const char copy_text[] =
	"kernel copy(@in: buffer u32 read, @out: buffer u32 write, @add: u32) workgroup 64 {\n"
	"  %i = GlobalId.x\n"
	"  %n = Length.u32 @out\n"
	"  %past = Ge.u32 %i, %n\n"
	"  if %past { Return }\n"
	"  %v = LoadGlobal.u32 @in, %i\n"
	"  %v = Add.u32 %v, @add\n"
	"  StoreGlobal.u32 @out, %i, %v\n"
	"}\n";

enum { PIECES = 24, LARGEST = 1 << 20 };

/* Sizes that all the tiers of a pool serve. */
static uint64_t bytes_of(int piece)
{
	static const uint64_t sizes[] = {256, 4096, 1000, 65536, 200000, LARGEST};

	return sizes[piece % 6];
}

static void check_apart(const glacier_addr *addr, const struct glacier_range *range)
{
	for (int i = 0; i < PIECES; i++) {
		CHECK(addr[i] >= range->base && addr[i] - range->base <= range->bytes - bytes_of(i));
		for (int j = 0; j < i; j++)
			CHECK(addr[i] + bytes_of(i) <= addr[j] || addr[j] + bytes_of(j) <= addr[i]);
	}
}

/* Each piece is filled by a kernel; then all are read: one that lay over another would have lost its values. */
static void use_pieces(struct glacier_device *device, const glacier_addr *addr)
{
	struct glacier_pipeline *copy = pipeline_of(device, copy_text);
	struct glacier_array *in = create(device, LARGEST), *out = create(device, LARGEST);
	struct glacier_device_counts counts;
	uint32_t *values = host(in, true);

	for (uint32_t i = 0; i < LARGEST / 4; i++)
		values[i] = i;
	for (int i = 0; i < PIECES; i++) {
		struct glacier_place place;

		OK(glacier_device_place(device, addr[i], &place));
		CHECK(place.bytes >= bytes_of(i));
		LAUNCH(copy, (uint32_t)(bytes_of(i) + 255) / 256, {.name = "in", .array = in, .bytes = bytes_of(i)},
		       {.name = "out", .array = place.array, .offset_bytes = place.offset_bytes, .bytes = bytes_of(i)},
		       {.name = "add", .bits = 1000003 * (uint64_t)(i + 1)});
	}
	for (int i = 0; i < PIECES; i++) {
		struct glacier_place place;

		OK(glacier_device_place(device, addr[i], &place));
		LAUNCH(copy, (uint32_t)(bytes_of(i) + 255) / 256,
		       {.name = "in", .array = place.array, .offset_bytes = place.offset_bytes, .bytes = bytes_of(i)},
		       {.name = "out", .array = out, .bytes = bytes_of(i)}, {.name = "add", .bits = 0});
		values = host(out, false);
		for (uint32_t k = 0; k < bytes_of(i) / 4; k++)
			if (values[k] != k + 1000003 * (uint32_t)(i + 1))
				FAIL("piece %d: element %u is %u", i, k, values[k]);
	}
	/* Nothing of the arena's 64 MiB went to the host: what was copied were the two arrays alone. */
	counts = counts_of(device);
	if (counts.bytes_to_device + counts.bytes_to_host > (2 * PIECES + 2) * (uint64_t)LARGEST)
		FAIL("%llu bytes went to the device and %llu to the host", (unsigned long long)counts.bytes_to_device,
		     (unsigned long long)counts.bytes_to_host);
	OK(glacier_array_free(device, in));
	OK(glacier_array_free(device, out));
}

static void pool_over(enum glacier_backing backing)
{
	struct glacier_device *device = open_it();
	struct counted counted = {0};
	struct glacier_range range;
	struct glacier_arena_options options = {.range = &range, .ring_bytes = 1 << 20};
	struct glacier_arena *arena;
	glacier_addr addr[PIECES];

	OK(glacier_device_backing(device, backing, 64 << 20, &counted.real, quiet()));
	CHECK(counted.real.bytes == 64 << 20 && counted.real.base && counted.real.base % 256 == 0);
	range = count(&counted);
	OK(glacier_arena_create(&options, &arena));
	for (int i = 0; i < PIECES; i++)
		OK(glacier_arena_alloc(arena, bytes_of(i), &addr[i]));
	check_apart(addr, &range);
	use_pieces(device, addr);
	for (int i = 0; i < PIECES; i++)
		OK(glacier_arena_free(arena, addr[i]));
	CHECK(counted.released == 0);
	glacier_arena_close(arena);
	CHECK(counted.released == 1);
	glacier_arena_destroy(arena);
	CHECK(counted.released == 1);
	CHECK(glacier_device_place(device, range.base, &(struct glacier_place){0}) == GLACIER_ERR_INVALID);
	glacier_device_close(device);
}

/* cuda: far more addresses than memory; kernels find memory behind what is allocated. */
static void virtual_reservoir(void)
{
	struct glacier_device *device = open_it();
	struct glacier_range range;
	struct glacier_arena_options options = {.tier = GLACIER_TIER_RESERVOIR, .range = &range, .keep_bytes = UINT64_MAX};
	struct glacier_arena *arena;
	enum glacier_status status = glacier_device_backing(device, GLACIER_BACKING_VIRTUAL, UINT64_C(1) << 42, &range, quiet());

	if (status == GLACIER_ERR_UNSUPPORTED) {
		printf("virtual: %s\n", last_message);
		glacier_device_close(device);
		return;
	}
	OK(status);
	OK(glacier_arena_create(&options, &arena));
	for (int round = 0; round < 2; round++) {
		glacier_addr addr[PIECES];

		for (int i = 0; i < PIECES; i++)
			OK(glacier_arena_alloc(arena, bytes_of(i), &addr[i]));
		check_apart(addr, &range);
		use_pieces(device, addr);
		for (int i = 0; i < PIECES; i++)
			OK(glacier_arena_free(arena, addr[i]));
	}
	glacier_arena_destroy(arena);
	glacier_device_close(device);
}

/* Each tier by itself divides it, and each refusal gives it back. */
static void every_tier(void)
{
	struct glacier_device *device = open_it();

	for (int tier = 0; tier < GLACIER_TIER_COUNT; tier++) {
		struct counted counted = {0};
		struct glacier_range range;
		struct glacier_arena_options options = {.tier = (enum glacier_tier)tier, .range = &range};
		struct glacier_arena *arena;
		glacier_addr addr;

		OK(glacier_device_backing(device, GLACIER_BACKING_DEVICE, 16 << 20, &counted.real, quiet()));
		range = count(&counted);
		OK(glacier_arena_create(&options, &arena));
		OK(glacier_arena_alloc(arena, 4096, &addr));
		CHECK(addr - range.base < range.bytes);
		glacier_arena_destroy(arena);
		CHECK(counted.released == 1);

		counted.released = 0;
		OK(glacier_device_backing(device, GLACIER_BACKING_DEVICE, 16 << 20, &counted.real, quiet()));
		range = count(&counted);
		options.populate = true;   /* not over a caller's range */
		CHECK(glacier_arena_create(&options, &arena) == GLACIER_ERR_ARGUMENT);
		CHECK(counted.released == 1);
	}
	glacier_device_close(device);
}

static void places(void)
{
	struct glacier_device *device = open_it();
	struct glacier_range a, b;
	struct glacier_place place;

	OK(glacier_device_backing(device, GLACIER_BACKING_DEVICE, 5000, &a, quiet()));
	OK(glacier_device_backing(device, GLACIER_BACKING_DEVICE, 1 << 20, &b, quiet()));
	CHECK(a.bytes == 5000 && (a.base + a.bytes <= b.base || b.base + b.bytes <= a.base));
	OK(glacier_device_place(device, a.base + 4999, &place));
	CHECK(place.offset_bytes == 4999 && place.bytes == 1);
	CHECK(!place.device_address == (kind != GLACIER_DEVICE_CUDA) && !place.vulkan_buffer == (kind != GLACIER_DEVICE_VULKAN));
	CHECK(!place.vulkan_memory == !place.vulkan_buffer && !place.vulkan_device == !place.vulkan_buffer);
	if (kind == GLACIER_DEVICE_CUDA)
		CHECK(place.device_address == a.base + 4999);
	/* Neither a number below 2^47, which a pointer may be, nor one above its mirror. */
	if (kind == GLACIER_DEVICE_VULKAN)
		CHECK(a.base >> 60 == 1 && a.base % (2 << 20) == 0 && b.base % (2 << 20) == 0);
	CHECK(glacier_array_free(device, place.array) == GLACIER_ERR_ARGUMENT);
	if (kind == GLACIER_DEVICE_CPU)
		CHECK(glacier_array_host(place.array, false, quiet()) == (void *)(uintptr_t)a.base);
	else
		CHECK(!glacier_array_host(place.array, false, quiet()) && !strcmp(last_code, "DV0031"));
	CHECK(!glacier_array_find(device, NULL, &place.offset_bytes) && !glacier_array_find(device, (void *)100, &place.offset_bytes));
	a.release(a.user, a.base, a.bytes);
	CHECK(glacier_device_place(device, a.base, &place) == GLACIER_ERR_INVALID);
	OK(glacier_device_place(device, b.base, &place));
	/* The device goes first: its memory too, and the release has only its own to free. */
	glacier_device_close(device);
	b.release(b.user, b.base, b.bytes);
}

static void refusals(void)
{
	struct glacier_device *device = open_it();
	struct glacier_range range = {.bytes = 77};

	REFUSED(glacier_device_backing(device, GLACIER_BACKING_DEVICE, 0, &range, quiet()), "DV0030", "0 bytes");
	REFUSED(glacier_device_backing(device, GLACIER_BACKING_DEVICE, UINT64_C(1) << 48, &range, quiet()), "DV0030", "2^48");
	CHECK(glacier_device_backing(device, GLACIER_BACKING_COUNT, 4096, &range, quiet()) == GLACIER_ERR_ARGUMENT);
	if (kind != GLACIER_DEVICE_CUDA)
		REFUSED(glacier_device_backing(device, GLACIER_BACKING_PINNED, 4096, &range, quiet()), "DV0029", "pinned");
	if (kind != GLACIER_DEVICE_CUDA)
		REFUSED(glacier_device_backing(device, GLACIER_BACKING_VIRTUAL, 4096, &range, quiet()), "DV0029", "virtual");
	if (kind == GLACIER_DEVICE_VULKAN)
		REFUSED(glacier_device_backing(device, GLACIER_BACKING_DEVICE, UINT64_C(1) << 47, &range, quiet()), "DV0032",
			"in one piece");
	if (kind == GLACIER_DEVICE_CUDA)
		CHECK(glacier_device_backing(device, GLACIER_BACKING_DEVICE, UINT64_C(1) << 47, &range, quiet()) == GLACIER_ERR_NOMEM);
	CHECK(range.bytes == 77 && !range.release);
	glacier_device_close(device);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "cpu";

	kind = !strcmp(name, "vulkan") ? GLACIER_DEVICE_VULKAN : !strcmp(name, "cuda") ? GLACIER_DEVICE_CUDA : GLACIER_DEVICE_CPU;
	pool_over(GLACIER_BACKING_DEVICE);
	if (kind == GLACIER_DEVICE_CUDA) {
		pool_over(GLACIER_BACKING_PINNED);
		virtual_reservoir();
	}
	every_tier();
	places();
	refusals();
	printf("arenas over memory of %s: %d pieces filled and read by kernels, each range given back once\n", name, PIECES);
	return 0;
}
