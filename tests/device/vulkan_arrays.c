/* SPDX-License-Identifier: MIT */
/*
 * Arrays of the Vulkan device: memory wrapped without a copy where that can be, copies only
 * where they are needed, parts, lengths, and who owns what.
 */
#include "vk.h"

#include "device/vulkan.h"

#include <stdint.h>

/* out[i] = in[i] + add, and the number of elements that the kernel sees. */
static const char add_text[] =
	"kernel add(@in: buffer u32 read, @out: buffer u32 write, @seen: buffer u32 write, @add: u32) workgroup 64 {\n"
	"  %i = GlobalId.x\n"
	"  %n = Length.u32 @out\n"
	"  %first = Eq.u32 %i, 0\n"
	"  if %first {\n"
	"    StoreGlobal.u32 @seen, 0, %n\n"
	"  }\n"
	"  %past = Ge.u32 %i, %n\n"
	"  if %past { Return }\n"
	"  %v = LoadGlobal.u32 @in, %i\n"
	"  %v = Add.u32 %v, @add\n"
	"  StoreGlobal.u32 @out, %i, %v\n"
	"}\n";

enum { N = 1000, GROUPS = (N + 63) / 64 };

static void fill(uint32_t *at, uint32_t first)
{
	for (uint32_t i = 0; i < N; i++)
		at[i] = first + i;
}

static void expect(const uint32_t *at, uint32_t first)
{
	for (uint32_t i = 0; i < N; i++)
		if (at[i] != first + i)
			FAIL("element %u is %u, not %u", i, at[i], first + i);
}

/* A kernel writes into the caller's memory itself, at an offset within its pages. */
static void writes_into_the_callers_memory(void)
{
	struct glacier_device *device = open_vulkan(false);
	struct glacier_pipeline *add = pipeline_of(device, add_text);
	uint32_t *in = malloc(N * 4 + 64), *out = malloc(N * 4 + 64);
	struct glacier_array *wrapped_in = wrap(device, in + 16, N * 4), *wrapped_out = wrap(device, out + 16, N * 4);
	struct glacier_array *seen = create(device, 4);
	struct glacier_device_counts counts;

	if (!glacier_device_describe(device)->wraps_host) {
		printf("the device cannot wrap: not tried\n");
		goto end;
	}
	CHECK((uintptr_t)(in + 16) % 4096 != 0);
	fill(in + 16, 5);
	memset(out, 0xee, N * 4 + 64);
	LAUNCH(add, GROUPS, {.name = "in", .array = wrapped_in}, {.name = "out", .array = wrapped_out},
	       {.name = "seen", .array = seen}, {.name = "add", .bits = 7});
	OK(glacier_device_wait(device, 0, NULL, quiet()));
	/* Without asking for the host's bytes: they were never anywhere else. */
	expect(out + 16, 12);
	CHECK(out[15] == 0xeeeeeeee && out[16 + N - 1] == 12 + N - 1);
	CHECK(host(wrapped_out, false) == out + 16);
	counts = counts_of(device);
	CHECK(counts.launches == 1);
	CHECK(counts.copies_to_host == 0 && counts.copies_to_device == 0);
	CHECK(*(uint32_t *)host(seen, false) == N);
	CHECK(glacier_array_bytes(wrapped_out) == N * 4);
	CHECK(glacier_array_reserved_bytes(wrapped_out) >= N * 4);
	CHECK(glacier_array_reserved_bytes(wrapped_out) % 4096 == 0);
end:
	OK(glacier_array_free(device, wrapped_out));
	OK(glacier_array_free(device, wrapped_in));
	glacier_device_close(device);
	free(in);
	free(out);
}

/* The same where it is forbidden to share: one copy there for each input, one back. */
static void copies_when_it_must(void)
{
	struct glacier_device *device = open_vulkan(true);
	struct glacier_pipeline *add = pipeline_of(device, add_text);
	uint32_t *in = malloc(N * 4), *out = malloc(N * 4);
	struct glacier_array *wrapped_in = wrap(device, in, N * 4), *wrapped_out = wrap(device, out, N * 4);
	struct glacier_array *seen = create(device, 4);
	struct glacier_device_counts counts;

	CHECK(!glacier_device_describe(device)->wraps_host);
	fill(in, 5);
	memset(out, 0xee, N * 4);
	LAUNCH(add, GROUPS, {.name = "in", .array = wrapped_in}, {.name = "out", .array = wrapped_out},
	       {.name = "seen", .array = seen}, {.name = "add", .bits = 7});
	CHECK(host(wrapped_out, false) == out);
	expect(out, 12);
	counts = counts_of(device);
	CHECK(counts.copies_to_host == 1 && counts.bytes_to_host == N * 4);
	/* Both caller's arrays: a kernel need not write all of an output. Ours is zero on both sides. */
	CHECK(counts.copies_to_device == 2 && counts.bytes_to_device == 2 * N * 4);

	/* Looked at again, nothing has changed: nothing moves. */
	host(wrapped_out, false);
	host(wrapped_in, false);
	LAUNCH(add, GROUPS, {.name = "in", .array = wrapped_in}, {.name = "out", .array = wrapped_out},
	       {.name = "seen", .array = seen}, {.name = "add", .bits = 8});
	counts = counts_of(device);
	CHECK(counts.copies_to_host == 1 && counts.copies_to_device == 2);

	/* A result that goes into the next launch stays on the device. */
	LAUNCH(add, GROUPS, {.name = "in", .array = wrapped_out}, {.name = "out", .array = wrapped_in},
	       {.name = "seen", .array = seen}, {.name = "add", .bits = 100});
	counts = counts_of(device);
	CHECK(counts.copies_to_host == 1 && counts.copies_to_device == 2);
	expect(host(wrapped_in, true), 113);
	CHECK(counts_of(device).copies_to_host == 2);

	/* The host writes: one copy, of that array alone. */
	fill(in, 40);
	LAUNCH(add, GROUPS, {.name = "in", .array = wrapped_in}, {.name = "out", .array = wrapped_out},
	       {.name = "seen", .array = seen}, {.name = "add", .bits = 1});
	counts = counts_of(device);
	CHECK(counts.copies_to_host == 2 && counts.copies_to_device == 3);

	/* Freeing brings the caller's memory up to date, and only then. */
	OK(glacier_array_free(device, wrapped_out));
	expect(out, 41);
	CHECK(counts_of(device).copies_to_host == 3);
	OK(glacier_array_free(device, wrapped_in));
	CHECK(counts_of(device).copies_to_host == 3);
	glacier_device_close(device);
	free(in);
	free(out);
}

/* Whether an array of ours is the same memory for both: then a launch leaves nothing to copy. */
static bool is_unified(struct glacier_device *device)
{
	return glc_vk_of(device)->physical->unified;
}

/* Ours: zeroed, the same pointer for life, on both kinds of device. */
static void creates_zeroed(bool separate)
{
	struct glacier_device *device = open_vulkan(separate);
	struct glacier_pipeline *add = pipeline_of(device, add_text);
	struct glacier_array *in = create(device, N * 4), *out = create(device, N * 4), *seen = create(device, 4);
	uint32_t *at = host(in, false);

	for (uint32_t i = 0; i < N; i++)
		CHECK(at[i] == 0);
	/* 100 elements of out: the others keep their zeros. */
	LAUNCH(add, GROUPS, {.name = "in", .array = in}, {.name = "out", .array = out, .bytes = 400},
	       {.name = "seen", .array = seen}, {.name = "add", .bits = 3});
	at = host(out, true);
	for (uint32_t i = 0; i < N; i++)
		CHECK(at[i] == (i < 100 ? 3 : 0));
	CHECK(*(uint32_t *)host(seen, false) == 100);
	CHECK(host(out, false) == at);
	CHECK(counts_of(device).copies_to_device == 0);
	/* On hardware with memory of its own it is so in any case. */
	CHECK(counts_of(device).copies_to_host == (separate || !is_unified(device) ? 2 : 0));
	glacier_device_close(device);   /* frees the arrays as well */
}

/* Sizes that are no multiple of anything, none included: Length counts what was asked for. */
static void keeps_the_size_asked_for(bool separate)
{
	static const uint32_t elems[] = {0, 1, 3, 63, 1023, 1025};
	struct glacier_device *device = open_vulkan(separate);
	struct glacier_pipeline *add = pipeline_of(device, add_text);

	for (size_t i = 0; i < COUNT(elems); i++) {
		struct glacier_array *in = create(device, 4096 * 4), *out = create(device, elems[i] * 4);
		struct glacier_array *seen = create(device, 4);

		CHECK(glacier_array_bytes(out) == elems[i] * 4);
		CHECK(glacier_array_reserved_bytes(out) >= elems[i] * 4);
		*(uint32_t *)host(seen, true) = 77;
		LAUNCH(add, 20, {.name = "in", .array = in}, {.name = "out", .array = out},
		       {.name = "seen", .array = seen}, {.name = "add", .bits = 3});
		if (*(uint32_t *)host(seen, false) != elems[i])
			FAIL("Length of %u elements is %u", elems[i], *(uint32_t *)host(seen, false));
		for (uint32_t j = 0; j < elems[i]; j++)
			CHECK(((uint32_t *)host(out, false))[j] == 3);
		OK(glacier_array_free(device, out));
		OK(glacier_array_free(device, in));
	}
	{
		/* The caller's memory may be empty too. */
		uint32_t nothing = 5;
		struct glacier_array *in = create(device, 64), *out = wrap(device, &nothing, 0), *seen = create(device, 4);

		*(uint32_t *)host(seen, true) = 77;
		LAUNCH(add, 1, {.name = "in", .array = in}, {.name = "out", .array = out},
		       {.name = "seen", .array = seen}, {.name = "add", .bits = 3});
		CHECK(*(uint32_t *)host(seen, false) == 0);
		OK(glacier_array_free(device, out));
		CHECK(nothing == 5);
	}
	glacier_device_close(device);
}

/* A kernel sees a part of an array, and nothing before or behind it. */
static void binds_parts(bool separate)
{
	struct glacier_device *device = open_vulkan(separate);
	struct glacier_pipeline *add = pipeline_of(device, add_text);
	struct glacier_array *all = create(device, 3 * N * 4 + 64), *seen = create(device, 4);
	uint64_t middle = N * 4 / 256 * 256, offset_bytes = 0;   /* 256: no device asks for more */
	uint32_t *at = host(all, true);

	fill(at, 10);
	LAUNCH(add, GROUPS, {.name = "in", .array = all, .bytes = 800},
	       {.name = "out", .array = all, .offset_bytes = middle, .bytes = 800},
	       {.name = "seen", .array = seen}, {.name = "add", .bits = 1});
	at = host(all, false);
	for (uint32_t i = 0; i < 200; i++)
		CHECK(at[i] == 10 + i && at[middle / 4 + i] == 11 + i);
	CHECK(at[middle / 4 - 1] == 10 + middle / 4 - 1);
	CHECK(at[middle / 4 + 200] == (middle / 4 + 200 < N ? 10 + middle / 4 + 200 : 0));
	CHECK(*(uint32_t *)host(seen, false) == 200);

	/* bytes 0: to its end, and at the end nothing is left. */
	LAUNCH(add, 1, {.name = "in", .array = all, .bytes = 800},
	       {.name = "out", .array = all, .offset_bytes = 3 * N * 4 / 256 * 256}, {.name = "seen", .array = seen},
	       {.name = "add", .bits = 1});
	CHECK(*(uint32_t *)host(seen, false) == (3 * N * 4 + 64 - 3 * N * 4 / 256 * 256) / 4);

	CHECK(glacier_array_find(device, at + 7, &offset_bytes) == all && offset_bytes == 28);
	CHECK(glacier_array_find(device, (char *)at + 3 * N * 4 + 63, &offset_bytes) == all);
	CHECK(offset_bytes == 3 * N * 4 + 63);
	CHECK(!glacier_array_find(device, (char *)at + 3 * N * 4 + 64, &offset_bytes));
	glacier_device_close(device);
}

/* Memory that a descriptor cannot begin at is copied, not refused. */
static void copies_what_is_not_aligned(void)
{
	struct glacier_device *device = open_vulkan(false);
	struct glacier_pipeline *add = pipeline_of(device, add_text);
	uint32_t *out = aligned_alloc(4096, 2 * 4096);
	struct glacier_array *in = create(device, N * 4), *wrapped = wrap(device, out + 1, N * 4);
	struct glacier_array *seen = create(device, 4);

	LAUNCH(add, GROUPS, {.name = "in", .array = in}, {.name = "out", .array = wrapped},
	       {.name = "seen", .array = seen}, {.name = "add", .bits = 9});
	CHECK(host(wrapped, false) == out + 1);
	for (uint32_t i = 0; i < N; i++)
		CHECK(out[1 + i] == 9);
	CHECK(counts_of(device).copies_to_host == 1 && counts_of(device).copies_to_device == 1);
	glacier_device_close(device);
	free(out);
}

static void refuses_what_is_not_its_own(void)
{
	struct glacier_device *device = open_vulkan(false), *other = open_vulkan(false);
	struct glacier_array *array = create(device, 64), *foreign = create(other, 64);
	struct glacier_array *found;
	unsigned char memory[256] __attribute__((aligned(64)));

	CHECK(glacier_array_free(device, foreign) == GLACIER_ERR_ARGUMENT);
	OK(glacier_array_free(device, array));
	CHECK(glacier_array_free(device, array) == GLACIER_ERR_ARGUMENT);
	array = wrap(device, memory, 128);
	CHECK(glacier_array_wrap(device, memory + 64, 128, false, &found, quiet()) == GLACIER_ERR_ARGUMENT);
	OK(glacier_array_free(device, array));
	OK(glacier_array_free(other, foreign));
	glacier_device_close(other);
	glacier_device_close(device);
}

int main(void)
{
	writes_into_the_callers_memory();
	copies_when_it_must();
	for (int separate = 0; separate < 2; separate++) {
		creates_zeroed(separate);
		keeps_the_size_asked_for(separate);
		binds_parts(separate);
	}
	copies_what_is_not_aligned();
	refuses_what_is_not_its_own();
	printf("vulkan_arrays: passed\n");
	return 0;
}
