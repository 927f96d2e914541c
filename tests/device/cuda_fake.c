/* SPDX-License-Identifier: MIT */
/*
 * The CUDA device over a driver that is none (fake_cuda.c): what it calls, in which order,
 * what it refuses before it calls, and what it makes of each failure. Runs anywhere.
 */
#include "vk.h"

#include "fake_cuda.h"

#include "base/buf.h"

#include <sys/mman.h>
#include <unistd.h>

static const char add_text[] =
	"kernel add(@in: buffer u32 read, @out: buffer u32 readwrite, @k: u32) workgroup 64 {\n"
	"  %i = GlobalId.x\n"
	"  %v = LoadGlobal.u32 @in, %i\n"
	"  %v = Add.u32 %v, @k\n"
	"  StoreGlobal.u32 @out, %i, %v\n"
	"}\n";

/* What that kernel does, by the parameters as the driver gets them. */
static void add(const struct fake_launch *launch)
{
	uint64_t in, out;
	uint32_t k;

	memcpy(&in, launch->params, 8);
	memcpy(&out, launch->params + 8, 8);
	memcpy(&k, launch->params + 16, 4);
	for (uint32_t i = 0; i < launch->grid[0] * launch->block[0]; i++)
		((uint32_t *)(uintptr_t)out)[i] = ((const uint32_t *)(uintptr_t)in)[i] + k;
}

static struct glacier_device *open_fake(const struct glacier_device_options *options)
{
	struct glacier_device *device;

	fake.kernel = add;
	OK(glacier_device_open(GLACIER_DEVICE_CUDA, 0, options, &device, quiet()));
	return device;
}

static enum glacier_status try_open(const struct glacier_device_options *options)
{
	struct glacier_device *device;
	enum glacier_status status = glacier_device_open(GLACIER_DEVICE_CUDA, 0, options, &device, quiet());

	if (status == GLACIER_OK)
		glacier_device_close(device);
	return status;
}

static void begin(void)
{
	if (fake.live)
		FAIL("%d objects are left", fake.live);
	fake_reset();
}

/* --- What there is -------------------------------------------------------- */

static void lists_what_can_be_opened(void)
{
	struct glacier_device_info infos[8];
	size_t count;

	begin();
	fake.devices = 2;
	OK(glacier_device_list(infos, 8, &count));
	/* The best first: CUDA before whatever Vulkan finds here. */
	CHECK(count >= 3 && infos[0].kind == GLACIER_DEVICE_CUDA && infos[1].kind == GLACIER_DEVICE_CUDA);
	CHECK(infos[0].index == 0 && infos[1].index == 1 && !strcmp(infos[1].name, "Fake 1"));
	CHECK(!strcmp(infos[0].driver, "CUDA 13.0, driver 1.2.3") && !infos[0].software);
	CHECK(infos[0].subgroup_size == 32 && infos[0].limits.compute_shared_memory_bytes == 49152);
	CHECK(infos[0].group_count[0] == INT32_MAX && infos[0].group_count[2] == 65535);
	CHECK(infos[0].target.kind == GLACIER_TARGET_PTX && infos[0].target.arch == 90);

	fake.capability = 61;
	OK(glacier_device_list(infos, 8, &count));
	CHECK(infos[0].kind != GLACIER_DEVICE_CUDA);
	REFUSED(try_open(NULL), "DV0153", "compute capability 6.1");
	/* Newer than the compiler knows: PTX for the newest that it does. */
	fake.capability = 99;
	OK(glacier_device_list(infos, 8, &count));
	CHECK(infos[0].target.arch == 90);
	/* CUDA 11.4 takes PTX 7.4 (PTX ISA, Release Notes). */
	fake.capability = 80;
	fake.version = 11040;
	OK(glacier_device_list(infos, 8, &count));
	CHECK(infos[0].target.arch == 80 && infos[0].target.major == 7 && infos[0].target.minor == 4);
}

static void says_why_there_is_none(void)
{
	struct glacier_device_info info;
	size_t count;

	begin();
	fake.absent = true;
	fake.init = GLC_CU_UNKNOWN;
	REFUSED(try_open(NULL), "DV0150", "libcuda.so.1 cannot be opened");
	OK(glacier_device_list(&info, 1, &count));
	CHECK(info.kind != GLACIER_DEVICE_CUDA);
	fake_reset();
	fake.missing = "cuLinkCreate_v2";
	REFUSED(try_open(NULL), "DV0151", "cuLinkCreate_v2");
	fake_reset();
	fake.init = GLC_CU_NO_DEVICE;
	REFUSED(try_open(NULL), "DV0152", "CUDA_ERROR_NO_DEVICE");
	fake_reset();
	fake.devices = 0;
	REFUSED(try_open(NULL), "DV0002", "cuda:0");
	fake_reset();
	fake.fail = "cuDevicePrimaryCtxRetain";
	fake.fail_result = GLC_CU_OUT_OF_MEMORY;
	REFUSED(try_open(NULL), "DV0154", "cuDevicePrimaryCtxRetain gives CUDA_ERROR_OUT_OF_MEMORY");
}

/* --- Launches ------------------------------------------------------------- */

static unsigned char seen[128];
static size_t seen_bytes;
static unsigned seen_grid[3], seen_block[3];
static char seen_name[64];

static void look(const struct fake_launch *launch)
{
	CHECK(launch->param_bytes <= sizeof seen);
	memcpy(seen, launch->params, launch->param_bytes);
	seen_bytes = launch->param_bytes;
	memcpy(seen_grid, launch->grid, sizeof seen_grid);
	memcpy(seen_block, launch->block, sizeof seen_block);
	snprintf(seen_name, sizeof seen_name, "%s", launch->name);
}

/* Natural alignment, declaration order, lengths behind (PTX ISA, ".param"; man/glacier-kernel.7). */
static void lays_parameters_out(void)
{
	static const char text[] =
		"kernel add(@flag: bool, @b: buffer f64 readwrite, @small: u32, @wide: f64, @last: u32) "
		"workgroup 4 2 3 {\n"
		"  %n = Length.u64 @b\n"
		"  %m = Cvt.f64.u64 %n\n"
		"  if @flag { StoreGlobal.f64 @b, @small, @wide }\n"
		"  StoreGlobal.f64 @b, @last, %m\n"
		"}\n";
	struct glacier_device *device;
	struct glacier_pipeline *pipeline;
	struct glacier_array *array;
	uint32_t flag, small, last;
	uint64_t address, length;
	double wide, value = 0.1;
	uint64_t bits;

	begin();
	device = open_fake(NULL);
	fake.kernel = look;
	pipeline = pipeline_of(device, text);
	array = create(device, 80);
	memcpy(&bits, &value, 8);
	OK(glacier_launch(pipeline,
			  (const struct glacier_argument[]){
				  {.name = "b", .array = array, .offset_bytes = 16, .bytes = 40},
				  {.name = "flag", .bits = 1},
				  {.name = "small", .bits = 0xfedcba98},
				  {.name = "wide", .bits = bits},
				  {.name = "last", .bits = 7},
			  },
			  5, (const uint32_t[3]){5, 6, 7}, quiet()));
	memcpy(&flag, seen, 4);
	memcpy(&address, seen + 8, 8);
	memcpy(&small, seen + 16, 4);
	memcpy(&wide, seen + 24, 8);
	memcpy(&last, seen + 32, 4);
	memcpy(&length, seen + 40, 8);
	CHECK(seen_bytes == 48 && flag == 1 && small == 0xfedcba98 && wide == 0.1 && last == 7);
	/* The part that is given: from 16 bytes on, five elements. */
	CHECK(address % 16 == 0 && address && length == 5);
	CHECK(seen_grid[0] == 5 && seen_grid[1] == 6 && seen_grid[2] == 7);
	CHECK(seen_block[0] == 4 && seen_block[1] == 2 && seen_block[2] == 3);
	/* PTX has an instruction of that name. */
	CHECK(!strcmp(seen_name, "add_") && strstr(fake.ptx, ".entry add_("));
	glacier_device_close(device);
}

static void launches_with_one_call(void)
{
	struct glacier_device *device;
	struct glacier_pipeline *pipeline;
	struct glacier_array *in, *out;
	const uint32_t *result;
	int calls;

	begin();
	device = open_fake(NULL);
	pipeline = pipeline_of(device, add_text);
	in = create(device, 256);
	out = create(device, 256);
	for (uint32_t i = 0; i < 64; i++)
		((uint32_t *)host(in, true))[i] = i;
	LAUNCH(pipeline, 1, {.name = "in", .array = in}, {.name = "out", .array = out}, {.name = "k", .bits = 5});
	calls = fake.calls;
	for (int i = 0; i < 10; i++)
		LAUNCH(pipeline, 1, {.name = "in", .array = in}, {.name = "out", .array = out},
		       {.name = "k", .bits = 9});
	/* The context is made current, and the kernel launched: nothing else. */
	CHECK(fake.calls - calls == 20 && fake.launches == 11);
	result = host(out, false);
	for (uint32_t i = 0; i < 64; i++)
		CHECK(result[i] == i + 9);
	CHECK(counts_of(device).copies_to_device == 1 && counts_of(device).copies_to_host == 1);
	/* Up to date: no copy. */
	host(out, false);
	CHECK(counts_of(device).copies_to_host == 1);
	CHECK(!strcmp(fake.trace, "up 0;launch 0;launch 0;launch 0;launch 0;launch 0;launch 0;launch 0;launch 0;"
				  "launch 0;launch 0;launch 0;down 0;"));
	glacier_device_close(device);
}

static void measures_where_it_is_asked_to(void)
{
	const struct glacier_device_options options = {.timed = true};
	struct glacier_array *in, *out;
	uint64_t ns = 1;

	for (int timed = 0; timed < 2; timed++) {
		struct glacier_device *device;
		struct glacier_pipeline *pipeline;

		begin();
		device = open_fake(timed ? &options : NULL);
		pipeline = pipeline_of(device, add_text);
		in = create(device, 256);
		out = create(device, 256);
		OK(glacier_device_wait(device, 0, &ns, quiet()));
		CHECK(ns == 0);
		LAUNCH(pipeline, 1, {.name = "in", .array = in}, {.name = "out", .array = out}, {.name = "k"});
		OK(glacier_device_wait(device, 0, &ns, quiet()));
		CHECK(ns == (timed ? 1500000 : 0));
		glacier_device_close(device);
	}
}

static void refuses_before_it_calls(void)
{
	struct glacier_device *device;
	struct glacier_pipeline *pipeline;
	struct glacier_array *in, *out, *huge;
	struct glacier_module *module;

	begin();
	device = open_fake(NULL);
	pipeline = pipeline_of(device, add_text);
	in = create(device, 256);
	out = create(device, 256);
	REFUSED(glacier_launch(pipeline,
			       (const struct glacier_argument[]){
				       {.name = "in", .array = in}, {.name = "out", .array = out}, {.name = "k"}},
			       3, (const uint32_t[3]){1, 65536, 1}, quiet()),
		"DV0024", "65536 workgroups in y; the device takes at most 65535");
	REFUSED(glacier_array_create(device, (UINT64_C(1) << 34) + 4, &huge, quiet()), "DV0009", "17179869184");
	module = read_module("kernel k(@o: buffer u32 write) workgroup 1024 2 {\n  StoreGlobal.u32 @o, 0, 1\n}\n");
	REFUSED(glacier_pipeline_get(device, module, NULL, NULL, &pipeline, quiet()), "GA0084", "1024");
	glacier_module_destroy(module);
	module = read_module("kernel k(@o: buffer u32 write) workgroup 1 subgroup 16 {\n  StoreGlobal.u32 @o, 0, 1\n}\n");
	CHECK(glacier_pipeline_get(device, module, NULL, NULL, &pipeline, quiet()) != GLACIER_OK);
	CHECK(strstr(last_message, "16"));
	glacier_module_destroy(module);
	CHECK(fake.launches == 0 && fake.links == 1);
	/* More registers than there are for so many. */
	fake.max_threads = 512;
	module = read_module("kernel k(@o: buffer u32 write) workgroup 1024 {\n  StoreGlobal.u32 @o, 0, 1\n}\n");
	REFUSED(glacier_pipeline_get(device, module, NULL, NULL, &pipeline, quiet()), "DV0158", "512 fit");
	glacier_module_destroy(module);
	glacier_device_close(device);
}

static void gives_up_in_time(void)
{
	struct glacier_device *device;
	struct glacier_pipeline *pipeline;
	struct glacier_array *in, *out;
	int live;

	begin();
	device = open_fake(NULL);
	pipeline = pipeline_of(device, add_text);
	in = create(device, 256);
	out = create(device, 256);
	fake.never_ready = true;
	fake.kernel = NULL;
	LAUNCH(pipeline, 1, {.name = "in", .array = in}, {.name = "out", .array = out}, {.name = "k"});
	CHECK(glacier_device_wait(device, 20000000, NULL, quiet()) == GLACIER_ERR_TIMEOUT);
	CHECK(!strcmp(last_code, "DV0008") && strstr(last_message, "20 ms"));
	REFUSED(glacier_array_create(device, 4, &in, quiet()), "DV0007", "can only be closed");
	/* What the launch may still use is not freed under it. */
	live = fake.live;
	glacier_device_close(device);
	CHECK(fake.live == live && live > 0);
	fake_forget();
}

/* --- Queues --------------------------------------------------------------- */

static void orders_queues_by_their_arrays(void)
{
	struct glacier_device *device, *other;
	struct glacier_pipeline *pipeline;
	struct glacier_array *a, *b, *c, *d;
	struct glacier_queue *one, *two;

	begin();
	device = open_fake(NULL);
	pipeline = pipeline_of(device, add_text);
	a = create(device, 256);
	b = create(device, 256);
	c = create(device, 256);
	d = create(device, 256);
	OK(glacier_queue_create(device, &one, quiet()));
	OK(glacier_queue_create(device, &two, quiet()));
	OK(glacier_device_wait(device, 0, NULL, quiet()));
	fake.trace[0] = '\0';
#define ON(queue, from, to)                                                                                     \
	OK(glacier_launch_on(queue, pipeline,                                                                   \
			     (const struct glacier_argument[]){                                                 \
				     {.name = "in", .array = from}, {.name = "out", .array = to}, {.name = "k"}}, \
			     3, (const uint32_t[3]){1, 1, 1}, quiet()))
	/* Two that share what both read run side by side. */
	ON(one, a, b);
	ON(two, a, c);
	CHECK(!strcmp(fake.trace, "launch 1;launch 2;"));
	/* One that reads what the other wrote waits for it; once is enough. */
	fake.trace[0] = '\0';
	ON(two, b, c);
	CHECK(!strcmp(fake.trace, "order 2 after 1;launch 2;"));
	/* One that writes what another reads, and what another wrote. */
	fake.trace[0] = '\0';
	ON(one, d, b);
	CHECK(!strcmp(fake.trace, "order 1 after 2;launch 1;"));
	fake.trace[0] = '\0';
	LAUNCH(pipeline, 1, {.name = "in", .array = c}, {.name = "out", .array = b}, {.name = "k"});
	CHECK(!strcmp(fake.trace, "order 0 after 1;order 0 after 2;launch 0;"));
	/* Nothing is under way after a wait. */
	OK(glacier_device_wait(device, 0, NULL, quiet()));
	fake.trace[0] = '\0';
	ON(two, b, c);
	CHECK(!strcmp(fake.trace, "launch 2;"));
	/* A copy goes to the queue that needs it. */
	host(d, true);
	fake.trace[0] = '\0';
	ON(one, d, a);
	CHECK(!strcmp(fake.trace, "up 1;launch 1;"));

	OK(glacier_queue_wait(one, 0, NULL, quiet()));
	OK(glacier_device_open(GLACIER_DEVICE_CPU, 0, NULL, &other, quiet()));
	REFUSED(glacier_launch_on(one, pipeline_of(other, add_text), NULL, 0, (const uint32_t[3]){1, 1, 1}, quiet()),
		"DV0045", "different devices");
	glacier_device_close(other);
	glacier_queue_free(one);
	glacier_queue_free(NULL);
	for (int i = 0; i < 30; i++)
		OK(glacier_queue_create(device, &one, quiet()));
	REFUSED(glacier_queue_create(device, &one, quiet()), "DV0046", "at most 31");
	glacier_device_close(device);
}

/* A queue that comes late knows nothing of what ran before: it waits for all of it. */
static void a_late_queue_waits_for_what_is_under_way(void)
{
	struct glacier_device *device;
	struct glacier_pipeline *pipeline;
	struct glacier_array *a, *b;
	struct glacier_queue *late;

	begin();
	device = open_fake(NULL);
	pipeline = pipeline_of(device, add_text);
	a = create(device, 256);
	b = create(device, 256);
	LAUNCH(pipeline, 1, {.name = "in", .array = a}, {.name = "out", .array = b}, {.name = "k"});
	OK(glacier_queue_create(device, &late, quiet()));
	fake.trace[0] = '\0';
	ON(late, b, a);
	CHECK(!strcmp(fake.trace, "order 1 after 0;launch 1;"));
	glacier_device_close(device);
}

/* --- Memory --------------------------------------------------------------- */

static void wraps_without_a_copy(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *memory = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct glacier_device *device;
	struct glacier_pipeline *pipeline;
	struct glacier_array *in, *out, *near, *odd;

	CHECK(memory != MAP_FAILED);
	begin();
	device = open_fake(NULL);
	pipeline = pipeline_of(device, add_text);
	for (uint32_t i = 0; i < 64; i++)
		((uint32_t *)(void *)memory)[i] = 3 * i;
	OK(glacier_array_wrap(device, memory, 256, true, &in, quiet()));
	CHECK(fake.register_flags == (GLC_CU_HOST_REGISTER_DEVICEMAP | GLC_CU_HOST_REGISTER_READ_ONLY));
	out = wrap(device, memory + page, 256);
	CHECK(fake.register_flags == GLC_CU_HOST_REGISTER_DEVICEMAP);
	LAUNCH(pipeline, 1, {.name = "in", .array = in}, {.name = "out", .array = out}, {.name = "k", .bits = 4});
	host(out, false);
	for (uint32_t i = 0; i < 64; i++)
		CHECK(((uint32_t *)(void *)(memory + page))[i] == 3 * i + 4);
	CHECK(!counts_of(device).copies_to_device && !counts_of(device).copies_to_host);
	/* A page that another array has, and an address that kernels could not use, are copied. */
	near = wrap(device, memory + 512, 256);
	odd = wrap(device, memory + 2 * page + 4, 256);
	LAUNCH(pipeline, 1, {.name = "in", .array = near}, {.name = "out", .array = odd}, {.name = "k", .bits = 8});
	host(odd, false);
	CHECK(counts_of(device).copies_to_device == 2 && counts_of(device).copies_to_host == 1);
	CHECK(((uint32_t *)(void *)(memory + 2 * page + 4))[63] == 8);
	/* Given back, the page can be had. */
	OK(glacier_array_free(device, in));
	OK(glacier_array_free(device, near));
	fake.register_flags = 0;
	near = wrap(device, memory + 512, 256);
	CHECK(fake.register_flags == GLC_CU_HOST_REGISTER_DEVICEMAP);
	OK(glacier_array_free(device, near));
	/* The driver may refuse: then it is copied. */
	fake.fail = "cuMemHostRegister";
	fake.fail_result = 801;
	near = wrap(device, memory, 256);
	fake.fail = "cuMemHostGetDevicePointer";
	odd = wrap(device, memory + 3 * page, 256);
	LAUNCH(pipeline, 1, {.name = "in", .array = near}, {.name = "out", .array = odd}, {.name = "k", .bits = 1});
	host(odd, false);
	CHECK(((uint32_t *)(void *)(memory + 3 * page))[63] == 3 * 63 + 1);
	glacier_device_close(device);
	munmap(memory, 4 * page);
}

/* Where the driver does not copy memory of which it knows a part, it is copied in pieces. */
static void copies_by_way_of_other_memory(void)
{
	enum { BYTES = 5 << 19 };
	const struct glacier_device_options options = {.no_host_wrap = true};
	struct glacier_device *device;
	struct glacier_pipeline *pipeline;
	struct glacier_array *in, *out;
	uint32_t *memory = malloc(2 * BYTES);

	CHECK(memory);
	begin();
	device = open_fake(&options);
	pipeline = pipeline_of(device, add_text);
	in = wrap(device, memory, BYTES);
	out = wrap(device, memory + BYTES / 4, BYTES);
	for (uint32_t i = 0; i < BYTES / 4; i++)
		memory[i] = i;
	fake.fail = "cuMemcpyHtoDAsync";
	fake.fail_result = GLC_CU_INVALID_VALUE;
	LAUNCH(pipeline, BYTES / 256, {.name = "in", .array = in}, {.name = "out", .array = out},
	       {.name = "k", .bits = 1});
	CHECK(strstr(fake.trace, "up 0;up 0;up 0;"));
	fake.fail = "cuMemcpyDtoHAsync";
	host(out, false);
	CHECK(strstr(fake.trace, "down 0;down 0;down 0;"));
	for (uint32_t i = 0; i < BYTES / 4; i++)
		CHECK(memory[BYTES / 4 + i] == i + 1);
	glacier_device_close(device);
	free(memory);
}

static void has_other_memory_on_request(void)
{
	static const enum glacier_device_memory kinds[] = {GLACIER_MEMORY_PINNED, GLACIER_MEMORY_MANAGED};
	struct glacier_device_options options = {0};
	struct glacier_device *device;
	struct glacier_array *array, *more;

	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct glacier_pipeline *pipeline;
		struct glacier_array *in, *out;

		begin();
		options.memory = kinds[i];
		device = open_fake(&options);
		pipeline = pipeline_of(device, add_text);
		in = create(device, 256);
		out = create(device, 256);
		((uint32_t *)host(in, true))[63] = 30;
		LAUNCH(pipeline, 1, {.name = "in", .array = in}, {.name = "out", .array = out},
		       {.name = "k", .bits = 3});
		CHECK(((uint32_t *)host(out, false))[63] == 33);
		CHECK(!counts_of(device).copies_to_device && !counts_of(device).copies_to_host);
		glacier_device_close(device);
	}
	begin();
	device = open_fake(&options);
	OK(glacier_array_create(device, (UINT64_C(1) << 30) - 64, &array, quiet()));
	REFUSED(glacier_array_create(device, 128, &more, quiet()), "DV0159", "1073741824 together");
	OK(glacier_array_free(device, array));
	OK(glacier_array_create(device, 128, &more, quiet()));
	glacier_device_close(device);
	begin();
	fake.no_managed = true;
	REFUSED(try_open(&options), "DV0160", "managed memory");
}

/* --- Failures ------------------------------------------------------------- */

/* Everything that the device does, once; false at the first failure. */
static bool do_everything(const struct glacier_device_options *options)
{
	struct glacier_device *device;
	struct glacier_pipeline *pipeline;
	struct glacier_array *in, *out = NULL;
	struct glacier_queue *queue;
	struct glacier_module *module;
	bool good;

	if (glacier_device_open(GLACIER_DEVICE_CUDA, 0, options, &device, quiet()) != GLACIER_OK)
		return false;
	module = read_module(add_text);
	good = glacier_pipeline_get(device, module, NULL, NULL, &pipeline, quiet()) == GLACIER_OK;
	glacier_module_destroy(module);
	good = good && glacier_array_create(device, 2 << 20, &in, quiet()) == GLACIER_OK;
	good = good && glacier_array_create(device, 2 << 20, &out, quiet()) == GLACIER_OK;
	good = good && glacier_queue_create(device, &queue, quiet()) == GLACIER_OK;
	for (int i = 0; i < 3 && good; i++) {
		const struct glacier_argument arguments[] = {
			{.name = "in", .array = in}, {.name = "out", .array = out}, {.name = "k"}};
		const uint32_t groups[3] = {1, 1, 1};

		good = glacier_array_host(in, true, quiet());
		good = good && glacier_launch(pipeline, arguments, 3, groups, quiet()) == GLACIER_OK;
		good = good && glacier_launch_on(queue, pipeline, arguments, 3, groups, quiet()) == GLACIER_OK;
		good = good && glacier_queue_wait(queue, 1000000000, NULL, quiet()) == GLACIER_OK;
		good = good && glacier_device_wait(device, 0, &(uint64_t){0}, quiet()) == GLACIER_OK;
		good = good && glacier_array_host(out, false, quiet());
	}
	glacier_device_close(device);
	return good;
}

static const char *const failing[] = {
	"cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",   "cuMemAlloc",       "cuMemcpyHtoDAsync",   "cuMemcpyDtoHAsync",
	"cuMemsetD8Async",          "cuStreamCreate",    "cuStreamQuery",    "cuStreamSynchronize", "cuStreamWaitEvent",
	"cuEventCreate",            "cuEventRecord",     "cuEventElapsedTime", "cuLinkCreate",      "cuLinkAddData",
	"cuLinkComplete",           "cuModuleLoadData",  "cuModuleGetFunction", "cuFuncGetAttribute", "cuLaunchKernel",
};

static void names_every_failure(void)
{
	static const struct {
		glc_cu_result result;
		char code[8], name[32];
	} results[] = {
		{GLC_CU_OUT_OF_MEMORY, "DV0154", "CUDA_ERROR_OUT_OF_MEMORY"},
		{700, "DV0155", "CUDA_ERROR_ILLEGAL_ADDRESS"},
		{801, "DV0156", "CUDA_ERROR_NOT_SUPPORTED"},
	};
	const struct glacier_device_options options = {.timed = true};

	begin();
	CHECK(do_everything(&options));
	for (size_t f = 0; f < COUNT(failing); f++)
		for (size_t r = 0; r < COUNT(results); r++)
			for (int after = 0;; after++) {
				bool good;

				begin();
				fake.fail = failing[f];
				fake.fail_after = after;
				fake.fail_result = results[r].result;
				good = do_everything(&options);
				if (good && fake.fail) {
					if (!after)
						FAIL("%s is never called", failing[f]);
					break;
				}
				/* Closing fails silently: there is nobody to tell. */
				if (!good && (strcmp(last_code, results[r].code) || !strstr(last_message, failing[f]) ||
					      !strstr(last_message, results[r].name)))
					FAIL("%s, call %d, gives %s: '%s' [%s]", failing[f], after + 1, results[r].name,
					     last_message, last_code);
				/* Without the context nothing can be given back. */
				if (strcmp(failing[f], "cuCtxSetCurrent") && fake.live)
					FAIL("%s, call %d: %d objects are left", failing[f], after + 1, fake.live);
				fake_forget();
			}
}

static void shows_what_the_compiler_says(void)
{
	struct glacier_device *device;
	struct glacier_module *module = read_module(add_text);
	struct glacier_write_options options = {.debug = true};
	struct glacier_pipeline *pipeline;

	begin();
	device = open_fake(NULL);
	fake.fail = "cuLinkAddData";
	fake.fail_result = GLC_CU_INVALID_PTX;
	fake.jit_log = "ptxas application ptx input, line 7; fatal   :\nParsing error near '%': syntax error\n";
	REFUSED(glacier_pipeline_get(device, module, NULL, NULL, &pipeline, quiet()), "DV0157",
		"kernel add: the driver's compiler refuses it (CUDA_ERROR_INVALID_PTX): ptxas application ptx input, "
		"line 7; fatal   : Parsing error near '%': syntax error");
	fake.fail = "cuLinkAddData";
	fake.fail_result = GLC_CU_UNSUPPORTED_PTX_VERSION;
	REFUSED(glacier_pipeline_get(device, module, NULL, NULL, &pipeline, quiet()), "DV0161", "code for Fake 0 of it");
	/* The device is as good as before. */
	OK(glacier_pipeline_get(device, module, NULL, NULL, &pipeline, quiet()));
	CHECK(fake.link_options == 3 && fake.link_level == 4);
	OK(glacier_pipeline_get(device, module, NULL, &options, &pipeline, quiet()));
	CHECK(fake.link_options == 4 && fake.link_level == 4);
	options = (struct glacier_write_options){.optimize = GLACIER_OPTIMIZE_NONE};
	OK(glacier_pipeline_get(device, module, NULL, &options, &pipeline, quiet()));
	CHECK(fake.link_options == 3 && fake.link_level == 0);
	glacier_module_destroy(module);
	glacier_device_close(device);
}

/* --- Code that is already made --------------------------------------------- */

struct made {
	struct glacier_buffer ptx, reflection;
};

static struct made make_code(const char *text)
{
	struct glacier_module *module = read_module(text);
	struct glacier_target target;
	struct made made = {0};

	OK(glacier_target_parse("ptx:sm_90", &target, quiet()));
	OK(glacier_module_write(module, &target, NULL, &made.ptx, quiet()));
	OK(glacier_module_reflect(module, &made.reflection));
	glacier_module_destroy(module);
	return made;
}

static enum glacier_status get_made(struct glacier_device *device, const struct made *made, const char *from,
				    const char *to, struct glacier_pipeline **pipeline)
{
	static char whole[8192], reflection[sizeof whole + 64];
	struct glacier_prebuilt prebuilt = {.code = made->ptx.data, .code_bytes = made->ptx.size};
	const char *at;

	snprintf(whole, sizeof whole, "%.*s", (int)made->reflection.size, (const char *)made->reflection.data);
	at = from ? strstr(whole, from) : whole;
	CHECK(at);
	snprintf(reflection, sizeof reflection, "%.*s%.60s%s", (int)(at - whole), whole, from ? to : "",
		 at + (from ? strlen(from) : 0));
	prebuilt.reflection = (struct glacier_text){"k.json", reflection, strlen(reflection)};
	return glacier_pipeline_get_prebuilt(device, &prebuilt, NULL, pipeline, quiet());
}

static void runs_ptx_that_is_already_made(void)
{
	static const char text[] =
		"kernel add(@in: buffer u32 read, @out: buffer u32 readwrite, @k: u32) workgroup 64 {\n"
		"  %i = GlobalId.x\n"
		"  %n = Length.u32 @out\n"
		"  %in = Lt.u32 %i, %n\n"
		"  if %in {\n"
		"    %v = LoadGlobal.u32 @in, %i\n"
		"    %v = Add.u32 %v, @k\n"
		"    StoreGlobal.u32 @out, %i, %v\n"
		"  }\n"
		"}\n";
	struct made made = make_code(text), other = make_code(add_text), mixed = {made.ptx, other.reflection};
	struct glacier_define define = {"N", "1"};
	struct glacier_prebuilt defined = {.code = made.ptx.data, .code_bytes = made.ptx.size, .defines = &define,
					   .define_count = 1};
	struct glacier_device *device;
	struct glacier_pipeline *pipeline;
	struct glacier_array *in, *out;
	uint64_t length;

	begin();
	device = open_fake(NULL);
	OK(get_made(device, &made, NULL, NULL, &pipeline));
	/* The very text, and the function by its symbol. */
	CHECK(strlen(fake.ptx) == made.ptx.size && !memcmp(fake.ptx, made.ptx.data, made.ptx.size));
	in = create(device, 256);
	out = create(device, 256);
	fake.kernel = look;
	LAUNCH(pipeline, 1, {.name = "in", .array = in}, {.name = "out", .array = out}, {.name = "k", .bits = 6});
	memcpy(&length, seen + 24, 8);
	CHECK(seen_bytes == 32 && length == 64 && seen_block[0] == 64 && !strcmp(seen_name, "add_"));

	REFUSED(get_made(device, &made, "\"ptx\": \"add_\"", "\"ptx\": \"sub\"", &pipeline), "DV0120", "it has: add_");
	REFUSED(get_made(device, &made, "\"workgroup\": [64", "\"workgroup\": [32", &pipeline), "DV0116",
		"64 x 1 x 1 in the module, and 32 x 1 x 1");
	REFUSED(get_made(device, &made, "\"ptx_offset\": 16", "\"ptx_offset\": 20", &pipeline), "DV0101",
		"next multiple");
	/* A length that the reflection does not know of. */
	REFUSED(get_made(device, &mixed, NULL, NULL, &pipeline), "DV0121", "parameter 3 has 8 bytes in the PTX, and 0");
	defined.reflection = (struct glacier_text){"k.json", (const char *)made.reflection.data, made.reflection.size};
	REFUSED(glacier_pipeline_get_prebuilt(device, &defined, NULL, &pipeline, quiet()), "DV0122", "-D N");
	/* Cut anywhere, it is refused, or what is left is the driver's to judge. */
	for (size_t bytes = 0; bytes < made.ptx.size; bytes++) {
		struct made cut = made;

		cut.ptx.size = bytes;
		get_made(device, &cut, NULL, NULL, &pipeline);
	}
	made.ptx.data[100] = '\0';
	REFUSED(get_made(device, &made, NULL, NULL, &pipeline), "DV0119", "zero byte");
	glacier_device_close(device);
	glacier_buffer_fini(&made.ptx);
	glacier_buffer_fini(&made.reflection);
	glacier_buffer_fini(&other.ptx);
	glacier_buffer_fini(&other.reflection);
}

/* --- The cache folder ----------------------------------------------------- */

static void finds_machine_code_again(void)
{
	char folder[] = "/tmp/glacier-cache-XXXXXX", command[64];
	struct glacier_device_options options = {.cache_folder = folder};
	struct glacier_device *device;

	CHECK(mkdtemp(folder));
	for (int round = 0; round < 5; round++) {
		static const int links[] = {1, 0, 1, 1, 0};
		struct glacier_device_counts counts;

		begin();
		/* Another driver; and one that does not take what it took before. */
		fake.version = round == 2 ? 12080 : 13000;
		device = open_fake(&options);
		if (round == 3) {
			struct glacier_module *module = read_module(add_text);
			struct glacier_pipeline *pipeline;

			fake.refuse_code = true;
			CHECK(glacier_pipeline_get(device, module, NULL, NULL, &pipeline, quiet()) != GLACIER_OK);
			CHECK(fake.links == 1);
			fake.refuse_code = false;
			glacier_module_destroy(module);
			fake.links = 1;
		} else {
			pipeline_of(device, add_text);
			counts = counts_of(device);
			CHECK(counts.code_made == (uint64_t)links[round] && counts.code_found == 1 - counts.code_made);
			CHECK(!memcmp(fake.image, "CUBIN ", 6));
		}
		CHECK(fake.links == links[round]);
		glacier_device_close(device);
	}
	/* A folder that cannot be is no error. */
	begin();
	options.cache_folder = "/dev/null/none";
	device = open_fake(&options);
	pipeline_of(device, add_text);
	CHECK(counts_of(device).code_made == 1);
	glacier_device_close(device);
	snprintf(command, sizeof command, "rm -r %s", folder);
	CHECK(!system(command));
}

int main(void)
{
	lists_what_can_be_opened();
	says_why_there_is_none();
	lays_parameters_out();
	launches_with_one_call();
	measures_where_it_is_asked_to();
	refuses_before_it_calls();
	gives_up_in_time();
	orders_queues_by_their_arrays();
	a_late_queue_waits_for_what_is_under_way();
	wraps_without_a_copy();
	copies_by_way_of_other_memory();
	has_other_memory_on_request();
	names_every_failure();
	shows_what_the_compiler_says();
	runs_ptx_that_is_already_made();
	finds_machine_code_again();
	CHECK(fake.live == 0);
	printf("cuda_fake: passed\n");
	return 0;
}
