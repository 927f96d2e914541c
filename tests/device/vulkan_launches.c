/* SPDX-License-Identifier: MIT */
/*
 * Launches on the Vulkan device: what the first one builds the others find, they run in
 * order, and every kind of parameter arrives.
 */
#include "vk.h"

#include "device/vulkan.h"

#include <stdint.h>

static const char count_text[] =
	"kernel count(@v: buffer u32 readwrite, @by: u32) workgroup 64 {\n"
	"  %i = GlobalId.x\n"
	"  %v = LoadGlobal.u32 @v, %i\n"
	"  %v = Add.u32 %v, @by\n"
	"  StoreGlobal.u32 @v, %i, %v\n"
	"}\n";

/* --- What a launch calls -------------------------------------------------- */

/* In place of each function of the driver that no launch but the first may call. */
#define TRAP(name) \
	static void trap_##name(void) \
	{ \
		FAIL("vk" #name " is called by a launch that is not the first"); \
	}
GLC_VULKAN_DEVICE(TRAP)

/* All that is left: descriptors, when arguments change, and recording, submitting, waiting. */
#define ALLOWED(X) \
	X(BeginCommandBuffer) \
	X(CmdBindDescriptorSets) \
	X(CmdBindPipeline) \
	X(CmdDispatch) \
	X(CmdPipelineBarrier) \
	X(CmdPushConstants) \
	X(CmdResetQueryPool) \
	X(CmdWriteTimestamp) \
	X(EndCommandBuffer) \
	X(GetQueryPoolResults) \
	X(QueueSubmit) \
	X(ResetFences) \
	X(WaitForFences)

static struct glc_vulkan_calls real_calls;
static unsigned dispatches, submits, updates;

static void VKAPI_PTR count_dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)
{
	dispatches++;
	real_calls.CmdDispatch(commands, x, y, z);
}

static VkResult VKAPI_PTR count_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits_, VkFence fence)
{
	submits += count;
	return real_calls.QueueSubmit(queue, count, submits_, fence);
}

static void VKAPI_PTR count_update(VkDevice device, uint32_t count, const VkWriteDescriptorSet *writes, uint32_t copies,
				   const VkCopyDescriptorSet *copy)
{
	updates++;
	real_calls.UpdateDescriptorSets(device, count, writes, copies, copy);
}

static void set_trap(struct glacier_device *device)
{
	struct glc_vulkan_calls *calls = &glc_vk_of(device)->call;

	real_calls = *calls;
#define SET_TRAP(name) calls->name = (PFN_vk##name)(void (*)(void))trap_##name;
	GLC_VULKAN_DEVICE(SET_TRAP)
#define PERMIT(name) calls->name = real_calls.name;
	ALLOWED(PERMIT)
	calls->CmdDispatch = count_dispatch;
	calls->QueueSubmit = count_submit;
	calls->UpdateDescriptorSets = count_update;
	dispatches = submits = updates = 0;
}

static void thousand_launches(bool separate, bool timed)
{
	struct glacier_device *device = open_vulkan_with(
		&(const struct glacier_device_options){.no_host_wrap = separate, .timed = timed});
	struct glacier_module *module = read_module(count_text);
	struct glacier_array *v = create(device, 256), *w = create(device, 256);
	struct glacier_pipeline *first, *pipeline;
	uint64_t total = 1, ns;

	OK(glacier_pipeline_get(device, module, NULL, NULL, &first, quiet()));
	LAUNCH(first, 1, {.name = "v", .array = v}, {.name = "by", .bits = 1});
	OK(glacier_device_wait(device, 0, NULL, quiet()));

	set_trap(device);
	for (uint32_t i = 2; i <= 1000; i++) {
		OK(glacier_pipeline_get(device, module, NULL, NULL, &pipeline, quiet()));
		CHECK(pipeline == first);
		LAUNCH(pipeline, 1, {.name = "v", .array = v}, {.name = "by", .bits = i});
		total += i;
		if (i % 2)
			OK(glacier_device_wait(device, 0, NULL, quiet()));
	}
	OK(glacier_device_wait(device, 0, &ns, quiet()));
	CHECK(dispatches == 999 && submits == 999);
	CHECK(timed ? ns || !glc_vk_of(device)->physical->time_mask : !ns);
	/* Two under way at the most: the descriptors of each were written once at the most. */
	CHECK(updates <= 2);

	/* Many under way: as many descriptors as there are slots, and only once. */
	updates = dispatches = submits = 0;
	for (uint32_t i = 0; i < 100; i++)
		LAUNCH(first, 1, {.name = "v", .array = v}, {.name = "by", .bits = 1});
	total += 100;
	CHECK(updates <= GLC_VK_SLOTS);
	/* The same launch again is submitted as it was recorded. */
	CHECK(submits == 100 && dispatches <= GLC_VK_SLOTS);
	OK(glacier_device_wait(device, 0, NULL, quiet()));

	/* Other arguments: one update a launch. */
	updates = 0;
	LAUNCH(first, 1, {.name = "v", .array = w}, {.name = "by", .bits = 5});
	OK(glacier_device_wait(device, 0, NULL, quiet()));
	CHECK(updates == 1);
	glc_vk_of(device)->call = real_calls;

	for (uint32_t i = 0; i < 64; i++)
		CHECK(((uint32_t *)host(v, false))[i] == total && ((uint32_t *)host(w, false))[i] == 5);
	CHECK(counts_of(device).launches == 1101);
	CHECK(counts_of(device).pipelines_built == 1 && counts_of(device).pipelines_found == 999);
	glacier_module_destroy(module);
	glacier_device_close(device);
}

/* A freed array's descriptor is not taken for that of the next one in its place. */
static void new_arrays_in_old_places(void)
{
	struct glacier_device *device = open_vulkan(false);
	struct glacier_pipeline *count = pipeline_of(device, count_text);

	for (uint32_t i = 0; i < 50; i++) {
		struct glacier_array *v = create(device, 256);

		LAUNCH(count, 1, {.name = "v", .array = v}, {.name = "by", .bits = i});
		CHECK(((uint32_t *)host(v, false))[63] == i);
		OK(glacier_array_free(device, v));
	}
	glacier_device_close(device);
}

/* Each launch reads what the one before wrote, far more of them than can be under way. */
static void launches_run_in_order(bool separate)
{
	static const char text[] =
		"kernel step(@from: buffer u32 read, @to: buffer u32 write) workgroup 64 {\n"
		"  %i = GlobalId.x\n"
		"  %n = Length.u32 @to\n"
		"  %past = Ge.u32 %i, %n\n"
		"  if %past { Return }\n"
		"  %j = Sub.u32 %n, 1\n"
		"  %j = Sub.u32 %j, %i\n"
		"  %v = LoadGlobal.u32 @from, %j\n"
		"  %v = Mul.u32 %v, 3\n"
		"  %v = Add.u32 %v, %i\n"
		"  StoreGlobal.u32 @to, %i, %v\n"
		"}\n";
	enum { N = 5000, STEPS = 101 };
	struct glacier_device *device = open_vulkan(separate);
	struct glacier_pipeline *step = pipeline_of(device, text);
	struct glacier_array *arrays[2] = {create(device, N * 4), create(device, N * 4)};
	static uint32_t want[2][N];

	memset(want, 0, sizeof want);
	for (uint32_t s = 0; s < STEPS; s++) {
		LAUNCH(step, (N + 63) / 64, {.name = "from", .array = arrays[s % 2]},
		       {.name = "to", .array = arrays[(s + 1) % 2]});
		for (uint32_t i = 0; i < N; i++)
			want[(s + 1) % 2][i] = want[s % 2][N - 1 - i] * 3 + i;
	}
	CHECK(!memcmp(host(arrays[1], false), want[1], N * 4));
	CHECK(!memcmp(host(arrays[0], false), want[0], N * 4));
	glacier_device_close(device);
}

/* Scalars of every type at their offsets, bindings of one's own choice, three dimensions. */
static void every_parameter_arrives(void)
{
	static const char text[] =
		"kernel all(@a: u32, @b: f64, @c: bool, @d: i64, @e: f32, @x: buffer u64 write set 1 binding 3,\n"
		"           @y: buffer u32 write set 3 binding 0) workgroup 2 2 2 {\n"
		"  %gx = GroupId.x\n"
		"  %gy = GroupId.y\n"
		"  %gz = GroupId.z\n"
		"  %at = Mul.u32 %gz, 3\n"
		"  %at = Add.u32 %at, %gy\n"
		"  %at = Mul.u32 %at, 2\n"
		"  %at = Add.u32 %at, %gx\n"
		"  %l = LocalIndex\n"
		"  %first = Eq.u32 %l, 0\n"
		"  if %first {\n"
		"    StoreGlobal.u32 @y, %at, @a\n"
		"  }\n"
		"  %b = Bitcast.u64.f64 @b\n"
		"  StoreGlobal.u64 @x, 0, %b\n"
		"  %c = Select.u64 @c, 11, 22\n"
		"  StoreGlobal.u64 @x, 1, %c\n"
		"  %d = Bitcast.u64.i64 @d\n"
		"  StoreGlobal.u64 @x, 2, %d\n"
		"  %e = Bitcast.u32.f32 @e\n"
		"  %e64 = Cvt.u64.u32 %e\n"
		"  StoreGlobal.u64 @x, 3, %e64\n"
		"}\n";
	struct glacier_device *device = open_vulkan(false);
	struct glacier_pipeline *all;
	struct glacier_array *x = create(device, 32), *y = create(device, 24 * 4);
	const struct glacier_argument arguments[] = {
		{.name = "y", .array = y},
		{.name = "e", .bits = 0x3f800001},
		{.name = "d", .bits = UINT64_C(0xfedcba9876543210)},
		{.name = "c", .bits = 1},
		{.name = "x", .array = x},
		{.name = "b", .bits = UINT64_C(0x400921fb54442d18)},
		{.name = "a", .bits = 0xdeadbeef},
	};
	const uint64_t *got;

	if (!glacier_device_describe(device)->has_i64 || !glacier_device_describe(device)->has_f64) {
		printf("the device has no 64-bit types: not tried\n");
		glacier_device_close(device);
		return;
	}
	all = pipeline_of(device, text);
	OK(glacier_launch(all, arguments, COUNT(arguments), (const uint32_t[3]){2, 3, 4}, quiet()));
	got = host(x, false);
	CHECK(got[0] == UINT64_C(0x400921fb54442d18) && got[1] == 11);
	CHECK(got[2] == UINT64_C(0xfedcba9876543210) && got[3] == 0x3f800001);
	for (uint32_t i = 0; i < 24; i++)
		CHECK(((uint32_t *)host(y, false))[i] == 0xdeadbeef);
	glacier_device_close(device);
}

/*
 * The device's own time of the last launch, not of a copy behind it. Many invocations
 * instead of a long loop, because llvmpipe ends an invocation's loops after 65,535 rounds.
 */
static void tells_the_time(bool separate)
{
	static const char text[] =
		"kernel spin(@v: buffer u32 readwrite) workgroup 64 {\n"
		"  %i = GlobalId.x\n"
		"  %v = LoadGlobal.u32 @v, %i\n"
		"  for %k.u32 = 0, 1000 {\n"
		"    %v = Mul.u32 %v, 1664525\n"
		"    %v = Add.u32 %v, 1013904223\n"
		"  }\n"
		"  StoreGlobal.u32 @v, %i, %v\n"
		"}\n";
	struct glacier_device *device = open_vulkan(separate);
	struct glacier_pipeline *spin = pipeline_of(device, text);
	uint32_t groups = glacier_device_describe(device)->software ? 2000 : 60000;
	struct glacier_array *v = create(device, groups * 64 * 4);
	uint64_t small_ns, large_ns, after_copy_ns;
	uint32_t want = 0;

	/* Drivers may finish a pipeline in its first launch: that one is not looked at. */
	for (int i = 0; i < 2; i++) {
		LAUNCH(spin, 1, {.name = "v", .array = v});
		OK(glacier_device_wait(device, 0, &small_ns, quiet()));
	}
	LAUNCH(spin, groups, {.name = "v", .array = v});
	OK(glacier_device_wait(device, 0, &large_ns, quiet()));
	host(v, true);
	OK(glacier_device_wait(device, 0, &after_copy_ns, quiet()));
	if (glc_vk_of(device)->times && !(large_ns > small_ns && after_copy_ns == large_ns && large_ns > 1000))
		FAIL("1 workgroup takes %llu ns, %u take %llu ns, then %llu ns", (unsigned long long)small_ns, groups,
		     (unsigned long long)large_ns, (unsigned long long)after_copy_ns);
	for (uint32_t k = 0; k < 1000; k++)
		want = want * 1664525 + 1013904223;
	CHECK(((uint32_t *)host(v, false))[groups * 64 - 1] == want);
	glacier_device_close(device);
}

/* Constants are part of what a pipeline is made of. */
static void specializes(void)
{
	static const char text[] =
		"kernel k(@out: buffer u32 write, @SIZE: spec u32 = 32) workgroup @SIZE {\n"
		"  %n = WorkgroupSize.x\n"
		"  %i = GlobalId.x\n"
		"  StoreGlobal.u32 @out, %i, %n\n"
		"}\n";
	struct glacier_device *device = open_vulkan(false);
	struct glacier_array *out = create(device, 512 * 4);
	static const char values[][4] = {"64", "16"};

	for (size_t i = 0; i < COUNT(values); i++) {
		const struct glacier_define define = {"SIZE", values[i]};
		const struct glacier_read_options options = {.defines = &define, .define_count = 1};
		const struct glacier_text input = {.text = text, .size = sizeof text - 1};
		uint32_t size[3], want = (uint32_t)atoi(values[i]);
		struct glacier_pipeline *pipeline;
		struct glacier_module *module;

		OK(glacier_module_create(NULL, &module));
		OK(glacier_module_read_text(module, &input, &options, quiet()));
		OK(glacier_pipeline_get(device, module, "k", NULL, &pipeline, quiet()));
		glacier_pipeline_workgroup(pipeline, size);
		CHECK(size[0] == want && size[1] == 1 && size[2] == 1);
		memset(host(out, true), 0, 512 * 4);
		LAUNCH(pipeline, 2, {.name = "out", .array = out});
		for (uint32_t j = 0; j < 512; j++)
			CHECK(((uint32_t *)host(out, false))[j] == (j < 2 * want ? want : 0));
		glacier_module_destroy(module);
	}
	CHECK(counts_of(device).pipelines_built == 2);
	glacier_device_close(device);
}

/* A subgroup size that is demanded is had. */
static void demands_a_subgroup(void)
{
	struct glacier_device *device = open_vulkan(false);
	struct glacier_array *out = create(device, 4);
	uint32_t size = glacier_device_describe(device)->subgroup_size;
	struct glacier_pipeline *pipeline;
	char text[256];

	snprintf(text, sizeof text,
		 "kernel k(@out: buffer u32 write) workgroup 128 subgroup %u {\n"
		 "  %%n = SubgroupSize\n"
		 "  StoreGlobal.u32 @out, 0, %%n\n"
		 "}\n", size);
	pipeline = pipeline_of(device, text);
	LAUNCH(pipeline, 1, {.name = "out", .array = out});
	CHECK(*(uint32_t *)host(out, false) == size);
	glacier_device_close(device);
}

int main(void)
{
	for (int separate = 0; separate < 2; separate++) {
		thousand_launches(separate, false);
		thousand_launches(separate, true);
		launches_run_in_order(separate);
		tells_the_time(separate);
	}
	new_arrays_in_old_places();
	every_parameter_arrives();
	specializes();
	demands_a_subgroup();
	printf("vulkan_launches: passed\n");
	return 0;
}
