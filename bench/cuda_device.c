/* SPDX-License-Identifier: MIT */
/*
 * The CUDA device against what the driver can do without it, in one run:
 *
 *	launches of glacier_launch against those of a bare cuLaunchKernel loop
 *	vecadd and saxpy of 256 MiB an array against a copy from device to device
 *	256 MiB of the caller's memory, wrapped and copied
 *	the examples against bench/cuda_examples.cu, compiled by nvcc -O3
 *
 * cuda_device [CUBIN [CUBIN-WITHOUT-FMAD]]    top_srcdir names the source tree
 */
#include "gpu.h"

#include "device/cuda.h"

#include <math.h>
#include <sys/mman.h>

static const struct glc_cuda *call;

#define TRY(name, ...) \
	do { \
		glc_cu_result result_ = call->name(__VA_ARGS__); \
		if (result_) \
			DIE("cu%s gives %s", #name, glc_cuda_result_name(result_)); \
	} while (0)

static glc_cu_stream stream_of(const struct glacier_device *device)
{
	return glc_cuda_of(device)->queues[0].stream;
}

/* What a launch of a pipeline gives the driver. */
struct bare {
	glc_cu_function function;
	uint32_t grid[3], block[3];
	void *list;
	size_t bytes;
	glc_cu_stream stream;
};

static struct bare bare_of(const struct glacier_device *device, const struct glacier_pipeline *pipeline,
			   const uint32_t grid[3])
{
	struct glc_cuda_pipeline *built = pipeline->built;

	return (struct bare){
		.function = built->function,
		.grid = {grid[0], grid[1], grid[2]},
		.block = {built->block[0], built->block[1], built->block[2]},
		.list = built->list,
		.bytes = built->list_bytes,
		.stream = stream_of(device),
	};
}

static void launch_bare(const struct bare *b)
{
	size_t bytes = b->bytes;
	void *extra[] = {GLC_CU_LAUNCH_PARAM_BUFFER_POINTER, b->list, GLC_CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
			 GLC_CU_LAUNCH_PARAM_END};

	TRY(LaunchKernel, b->function, b->grid[0], b->grid[1], b->grid[2], b->block[0], b->block[1], b->block[2], 0,
	    b->stream, NULL, extra);
}

/* --- Launching ------------------------------------------------------------ */

enum { IN_A_ROW = 1000 };

static void measure_launching(struct glacier_device *device)
{
	struct glacier_pipeline *pipeline = load(device, "examples/vector_add.gasm", NULL);
	struct glacier_array *a = array_of(device, 1024), *b = array_of(device, 1024), *c = array_of(device, 1024);
	const struct glacier_argument arguments[] = {
		{.name = "a", .array = a}, {.name = "b", .array = b}, {.name = "out", .array = c}, {.name = "n", .bits = 256}};
	const uint32_t groups[3] = {1, 1, 1};
	double times[4][ROUNDS], ours, theirs;
	struct bare bare;

	OK(glacier_launch(pipeline, arguments, 4, groups, &sink));
	OK(glacier_device_wait(device, 0, NULL, &sink));
	bare = bare_of(device, pipeline, groups);
	for (int round = -3; round < ROUNDS; round++) {
		int r = round < 0 ? 0 : round;
		double begun = now_ns();

		for (int i = 0; i < IN_A_ROW; i++)
			launch_bare(&bare);
		TRY(StreamSynchronize, bare.stream);
		times[0][r] = (now_ns() - begun) / IN_A_ROW;
		begun = now_ns();
		for (int i = 0; i < IN_A_ROW; i++)
			OK(glacier_launch(pipeline, arguments, 4, groups, &sink));
		OK(glacier_device_wait(device, 0, NULL, &sink));
		times[1][r] = (now_ns() - begun) / IN_A_ROW;
		begun = now_ns();
		for (int i = 0; i < IN_A_ROW; i++) {
			launch_bare(&bare);
			TRY(StreamSynchronize, bare.stream);
		}
		times[2][r] = (now_ns() - begun) / IN_A_ROW;
		begun = now_ns();
		for (int i = 0; i < IN_A_ROW; i++) {
			OK(glacier_launch(pipeline, arguments, 4, groups, &sink));
			OK(glacier_device_wait(device, 0, NULL, &sink));
		}
		times[3][r] = (now_ns() - begun) / IN_A_ROW;
	}
	theirs = median(times[0], ROUNDS);
	ours = median(times[1], ROUNDS);
	printf("launch in a row     bare %7.0f ns  glacier %7.0f ns  %5.2f times\n", theirs, ours, ours / theirs);
	theirs = median(times[2], ROUNDS);
	ours = median(times[3], ROUNDS);
	printf("launch and wait     bare %7.0f ns  glacier %7.0f ns  %5.2f times\n", theirs, ours, ours / theirs);
	OK(glacier_array_free(device, a));
	OK(glacier_array_free(device, b));
	OK(glacier_array_free(device, c));
}

/* --- On the device -------------------------------------------------------- */

static double elapsed_ns(glc_cu_event begin, glc_cu_event end)
{
	float ms;

	TRY(EventElapsedTime, &ms, begin, end);
	return (double)ms * 1e6;
}

/* Of one launch, by the device's clock: of as many in a row as take a while. */
static double time_bare(const struct bare *bare, int in_a_row)
{
	static glc_cu_event begin, end;

	if (!begin) {
		TRY(EventCreate, &begin, GLC_CU_EVENT_DEFAULT);
		TRY(EventCreate, &end, GLC_CU_EVENT_DEFAULT);
	}
	TRY(EventRecord, begin, bare->stream);
	for (int i = 0; i < in_a_row; i++)
		launch_bare(bare);
	TRY(EventRecord, end, bare->stream);
	TRY(StreamSynchronize, bare->stream);
	return elapsed_ns(begin, end) / in_a_row;
}

static int enough(const struct bare *bare)
{
	double once;

	time_bare(bare, 1);
	once = time_bare(bare, 1);
	return once > 500000 ? 1 : (int)(500000 / once) + 1;
}

static double time_copy(glc_cu_address to, glc_cu_address from, size_t bytes, glc_cu_stream stream)
{
	glc_cu_event begin, end;
	double ns;

	TRY(EventCreate, &begin, GLC_CU_EVENT_DEFAULT);
	TRY(EventCreate, &end, GLC_CU_EVENT_DEFAULT);
	TRY(EventRecord, begin, stream);
	for (int i = 0; i < 10; i++)
		TRY(MemcpyDtoDAsync, to, from, bytes, stream);
	TRY(EventRecord, end, stream);
	TRY(StreamSynchronize, stream);
	ns = elapsed_ns(begin, end) / 10;
	TRY(EventDestroy, begin);
	TRY(EventDestroy, end);
	return ns;
}

static void measure_bandwidth(struct glacier_device *device)
{
	enum { BYTES = 256 << 20 };
	struct glacier_array *a = array_of(device, BYTES), *b = array_of(device, BYTES), *c = array_of(device, BYTES);
	struct glacier_pipeline *add = load(device, "examples/vector_add.gasm", NULL),
				*saxpy = load(device, "examples/saxpy.gasm", NULL);
	const uint32_t n = BYTES / 4, groups[3] = {n / 256, 1, 1};
	double copies[ROUNDS], adds[ROUNDS], saxpys[ROUNDS], copy, gb;
	struct bare bare[2];

	OK(glacier_launch(add,
			  (const struct glacier_argument[]){{.name = "a", .array = a},
							    {.name = "b", .array = b},
							    {.name = "out", .array = c},
							    {.name = "n", .bits = n}},
			  4, groups, &sink));
	OK(glacier_launch(saxpy,
			  (const struct glacier_argument[]){{.name = "x", .array = a},
							    {.name = "y", .array = b},
							    {.name = "a", .bits = 0x3f000000},
							    {.name = "n", .bits = n}},
			  4, groups, &sink));
	OK(glacier_device_wait(device, 0, NULL, &sink));
	bare[0] = bare_of(device, add, groups);
	bare[1] = bare_of(device, saxpy, groups);
	for (int r = -3; r < ROUNDS; r++) {
		int round = r < 0 ? 0 : r;

		copies[round] = time_copy(((struct glc_cuda_memory *)c->backing)->address,
					  ((struct glc_cuda_memory *)a->backing)->address, BYTES, bare[0].stream);
		adds[round] = time_bare(&bare[0], 10);
		saxpys[round] = time_bare(&bare[1], 10);
	}
	copy = 2.0 * BYTES / median(copies, ROUNDS);
	printf("copy 256 MiB        %6.0f GB/s\n", copy);
	gb = 3.0 * BYTES / median(adds, ROUNDS);
	printf("vecadd 256 MiB      %6.0f GB/s  %5.2f of the copy\n", gb, gb / copy);
	gb = 3.0 * BYTES / median(saxpys, ROUNDS);
	printf("saxpy 256 MiB       %6.0f GB/s  %5.2f of the copy\n", gb, gb / copy);
	OK(glacier_array_free(device, a));
	OK(glacier_array_free(device, b));
	OK(glacier_array_free(device, c));
}

/* --- The caller's memory -------------------------------------------------- */

static void measure_wrap(bool copied)
{
	enum { BYTES = 256 << 20 };
	struct glacier_device *device = open_device(
		GLACIER_DEVICE_CUDA, &(const struct glacier_device_options){.no_host_wrap = copied});
	float *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct glacier_pipeline *pipeline = load(device, "bench/kernels/reduce_stride.gasm", NULL);
	struct glacier_array *in, *out = array_of(device, 4 * 1056);
	struct glacier_device_counts counts;
	double begun, wrap_ns, first_ns, next_ns;
	struct glacier_argument arguments[3] = {{.name = "in"}, {.name = "out", .array = out}, {.name = "n", .bits = BYTES / 4}};
	const uint32_t groups[3] = {1056, 1, 1};

	if (memory == MAP_FAILED)
		DIE("out of memory");
	begun = now_ns();
	OK(glacier_array_wrap(device, memory, BYTES, true, &in, &sink));
	wrap_ns = now_ns() - begun;
	arguments[0].array = in;
	begun = now_ns();
	OK(glacier_launch(pipeline, arguments, 3, groups, &sink));
	OK(glacier_device_wait(device, 0, NULL, &sink));
	first_ns = now_ns() - begun;
	begun = now_ns();
	OK(glacier_launch(pipeline, arguments, 3, groups, &sink));
	OK(glacier_device_wait(device, 0, NULL, &sink));
	next_ns = now_ns() - begun;
	glacier_device_count(device, &counts);
	printf("256 MiB %-8s    wrap %7.2f ms  first launch %7.2f ms  second %7.2f ms  %llu bytes copied to the device\n",
	       copied ? "copied" : "wrapped", wrap_ns / 1e6, first_ns / 1e6, next_ns / 1e6,
	       (unsigned long long)counts.bytes_to_device);
	glacier_device_close(device);
	munmap(memory, BYTES);
}

/* --- The examples --------------------------------------------------------- */

enum { K = 1 << 10, M = 1 << 20, MOST_ARGUMENTS = 8 };

/* F: floats. I: any 32 bits. J: 0 to 4095. R: rows of 16 elements each. C: columns below 1M. O: is written. */
struct argument {
	const char *name;
	char kind;       /* of a buffer, or 'u', 'f' */
	uint32_t count;  /* elements; the bits of 'u' */
	float value;     /* of 'f' */
	bool out;
};

static const struct example {
	const char *name, *file;
	uint32_t groups[2];
	struct argument arguments[MOST_ARGUMENTS];
} examples[] = {
	{"vector_add", NULL, {128 * K, 1},
	 {{"a", 'F', 32 * M, 0, 0}, {"b", 'F', 32 * M, 0, 0}, {"out", 'F', 32 * M, 0, 1}, {"n", 'u', 32 * M, 0, 0}}},
	{"saxpy", NULL, {128 * K, 1},
	 {{"x", 'F', 32 * M, 0, 0}, {"y", 'F', 32 * M, 0, 1}, {"a", 'f', 0, 0.5f, 0}, {"n", 'u', 32 * M, 0, 0}}},
	{"block_reduce", NULL, {128 * K, 1},
	 {{"in", 'F', 32 * M, 0, 0}, {"out", 'F', 128 * K, 0, 1}, {"n", 'u', 32 * M, 0, 0}}},
	{"reduce_stride", "bench/kernels/reduce_stride.gasm", {1056, 1},
	 {{"in", 'F', 32 * M, 0, 0}, {"out", 'F', 1056, 0, 1}, {"n", 'u', 32 * M, 0, 0}}},
	{"logistic_map", NULL, {K, 1},
	 {{"in", 'F', 256 * K, 0, 0}, {"out", 'F', 256 * K, 0, 1}, {"iters", 'u', 1024, 0, 0}, {"n", 'u', 256 * K, 0, 0}}},
	{"matmul_tiled", NULL, {128, 128},
	 {{"a", 'F', 4 * M, 0, 0}, {"b", 'F', 4 * M, 0, 0}, {"c", 'F', 4 * M, 0, 1}, {"m", 'u', 2048, 0, 0},
	  {"n", 'u', 2048, 0, 0}, {"k", 'u', 2048, 0, 0}}},
	{"histogram", NULL, {1056, 1}, {{"data", 'I', 16 * M, 0, 0}, {"bins", 'I', 256, 0, 1}, {"n", 'u', 64 * M, 0, 0}}},
	{"scan_blocks", "examples/scan.gasm", {64 * K, 1},
	 {{"in", 'I', 16 * M, 0, 0}, {"out", 'I', 16 * M, 0, 1}, {"sums", 'I', 64 * K, 0, 1}, {"n", 'u', 16 * M, 0, 0}}},
	{"scan_sums", "examples/scan.gasm", {1, 1}, {{"sums", 'I', 64 * K, 0, 1}, {"count", 'u', 64 * K, 0, 0}}},
	{"scan_add", "examples/scan.gasm", {64 * K, 1},
	 {{"out", 'I', 16 * M, 0, 1}, {"sums", 'I', 64 * K, 0, 0}, {"n", 'u', 16 * M, 0, 0}}},
	{"softmax", NULL, {8 * K, 1}, {{"in", 'F', 32 * M, 0, 0}, {"out", 'F', 32 * M, 0, 1}, {"columns", 'u', 4096, 0, 0}}},
	{"layer_norm", NULL, {8 * K, 1},
	 {{"x", 'F', 32 * M, 0, 0}, {"gamma", 'F', 4096, 0, 0}, {"beta", 'F', 4096, 0, 0}, {"y", 'F', 32 * M, 0, 1},
	  {"columns", 'u', 4096, 0, 0}, {"epsilon", 'f', 0, 1e-5f, 0}}},
	{"transpose", NULL, {512, 512},
	 {{"in", 'F', 64 * M, 0, 0}, {"out", 'F', 64 * M, 0, 1}, {"width", 'u', 8192, 0, 0}, {"height", 'u', 8192, 0, 0}}},
	{"gcd", NULL, {64 * K, 1},
	 {{"a", 'I', 4 * M, 0, 0}, {"b", 'I', 4 * M, 0, 0}, {"out", 'I', 4 * M, 0, 1}, {"n", 'u', 4 * M, 0, 0}}},
	{"fibonacci", NULL, {16 * K, 1}, {{"in", 'J', M, 0, 0}, {"out", 'I', M, 0, 1}, {"n", 'u', M, 0, 0}}},
	{"nbody", NULL, {256, 1},
	 {{"bodies", 'F', 128 * K, 0, 0}, {"accel", 'F', 96 * K, 0, 1}, {"softening", 'f', 0, 0.01f, 0},
	  {"n", 'u', 32 * K, 0, 0}}},
	{"black_scholes", NULL, {64 * K, 1},
	 {{"price", 'F', 16 * M, 0, 0}, {"strike", 'F', 16 * M, 0, 0}, {"years", 'F', 16 * M, 0, 0},
	  {"call", 'F', 16 * M, 0, 1}, {"put", 'F', 16 * M, 0, 1}, {"rate", 'f', 0, 0.02f, 0},
	  {"volatility", 'f', 0, 0.3f, 0}, {"n", 'u', 16 * M, 0, 0}}},
	{"spmv", NULL, {16 * K, 1},
	 {{"starts", 'R', M + 1, 0, 0}, {"columns", 'C', 16 * M, 0, 0}, {"values", 'F', 16 * M, 0, 0}, {"x", 'F', M, 0, 0},
	  {"y", 'F', M, 0, 1}, {"rows", 'u', M, 0, 0}}},
	{"subgroup_reduce", NULL, {256 * K, 1}, {{"in", 'I', 32 * M, 0, 0}, {"total", 'I', 1, 0, 1}, {"n", 'u', 32 * M, 0, 0}}},
	{"mandelbrot", NULL, {256, 256},
	 {{"out", 'I', 16 * M, 0, 1}, {"left", 'f', 0, -2.0f, 0}, {"top", 'f', 0, -1.5f, 0}, {"step", 'f', 0, 3.0f / 4096, 0},
	  {"width", 'u', 4096, 0, 0}, {"height", 'u', 4096, 0, 0}, {"limit", 'u', 1024, 0, 0}}},
};

static void fill(const struct argument *argument, void *at)
{
	uint32_t *words = at, state = 99;

	if (argument->kind == 'F') {
		fill_floats(at, argument->count);
		return;
	}
	for (uint32_t i = 0; i < argument->count; i++) {
		uint32_t random;

		state = state * 1664525 + 1013904223;
		random = state ^ state >> 16;
		switch (argument->kind) {
		case 'J': words[i] = random % 4096; break;
		case 'R': words[i] = 16 * i; break;
		case 'C': words[i] = random % M; break;
		default: words[i] = random;
		}
	}
}

/* How far what two kernels wrote is apart: the largest relative distance of floats, of others 0 or 1. */
static double distance(const struct argument *argument, const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	double most = 0;

	for (uint32_t i = 0; i < argument->count; i++) {
		float f, g;
		double apart;

		if (x[i] == y[i])
			continue;
		if (argument->kind != 'F')
			return 1;
		memcpy(&f, &x[i], 4);
		memcpy(&g, &y[i], 4);
		apart = fabs((double)f - (double)g) / (fabs((double)f) + 1e-2);
		/* Not a number is far away. */
		if (!(apart <= most))
			most = apart;
	}
	return most;
}

/* Both kernels on what the host has, and what they leave apart. */
static double compare(const struct example *example, struct glacier_array *const *arrays, const struct bare *ours,
		      const struct bare *theirs)
{
	double most = 0;

	for (int i = 0; i < MOST_ARGUMENTS && example->arguments[i].name; i++) {
		const struct argument *argument = &example->arguments[i];
		size_t bytes = (size_t)argument->count * 4;
		void *results[2];

		if (!argument->out)
			continue;
		for (int side = 0; side < 2; side++) {
			results[side] = malloc(bytes);
			if (!results[side])
				DIE("out of memory");
			for (int j = 0; j < MOST_ARGUMENTS && example->arguments[j].name; j++)
				if (arrays[j])
					TRY(MemcpyHtoDAsync, ((struct glc_cuda_memory *)arrays[j]->backing)->address,
					    arrays[j]->host, arrays[j]->bytes, ours->stream);
			launch_bare(side ? theirs : ours);
			TRY(MemcpyDtoHAsync, results[side], ((struct glc_cuda_memory *)arrays[i]->backing)->address, bytes,
			    ours->stream);
			TRY(StreamSynchronize, ours->stream);
		}
		most = fmax(most, distance(argument, results[0], results[1]));
		free(results[0]);
		free(results[1]);
	}
	return most;
}

static void measure_example(struct glacier_device *device, const struct example *example, const glc_cu_module *modules)
{
	char path[64];
	struct glacier_argument arguments[MOST_ARGUMENTS];
	struct glacier_array *arrays[MOST_ARGUMENTS] = {NULL};
	const uint32_t groups[3] = {example->groups[0], example->groups[1], 1};
	struct glacier_pipeline *pipeline;
	double times[3][ROUNDS], apart, ours, theirs[2];
	struct bare bare[3];
	int in_a_row;
	size_t count = 0;

	snprintf(path, sizeof path, "examples/%s.gasm", example->name);
	pipeline = load(device, example->file ? example->file : path, example->name);
	for (; count < MOST_ARGUMENTS && example->arguments[count].name; count++) {
		const struct argument *argument = &example->arguments[count];
		uint32_t bits = argument->count;

		if (argument->kind == 'f')
			memcpy(&bits, &argument->value, 4);
		arguments[count] = (struct glacier_argument){.name = argument->name, .bits = bits};
		if (argument->kind == 'u' || argument->kind == 'f')
			continue;
		arguments[count].array = arrays[count] = array_of(device, 4 * (uint64_t)argument->count);
		fill(argument, glacier_array_host(arrays[count], true, &sink));
	}
	OK(glacier_launch(pipeline, arguments, count, groups, &sink));
	OK(glacier_device_wait(device, 0, NULL, &sink));
	bare[0] = bare[1] = bare[2] = bare_of(device, pipeline, groups);
	for (int i = 1; i < 3; i++)
		TRY(ModuleGetFunction, &bare[i].function, modules[i - 1], example->name);
	apart = compare(example, arrays, &bare[0], &bare[2]);
	in_a_row = enough(&bare[0]);
	for (int r = 0; r < ROUNDS; r++)
		for (int i = 0; i < 3; i++)
			times[i][r] = time_bare(&bare[i], in_a_row);
	ours = median(times[0], ROUNDS);
	for (int i = 0; i < 2; i++)
		theirs[i] = median(times[i + 1], ROUNDS);
	printf("%-16s %10.1f us  nvcc -O3 %10.1f us  %5.2f   -fmad=false %10.1f us  %5.2f   apart %.1g\n", example->name,
	       ours / 1e3, theirs[0] / 1e3, theirs[0] / ours, theirs[1] / 1e3, theirs[1] / ours, apart);
	fflush(stdout);
	for (size_t i = 0; i < count; i++)
		if (arrays[i])
			OK(glacier_array_free(device, arrays[i]));
}

int main(int argc, char **argv)
{
	struct glacier_device *device = open_device(GLACIER_DEVICE_CUDA, NULL);
	glc_cu_module modules[2];

	call = glc_cuda();
	printf("%s, %s\n", glacier_device_describe(device)->name, glacier_device_describe(device)->driver);
	measure_launching(device);
	measure_bandwidth(device);
	measure_wrap(false);
	measure_wrap(true);
	if (argc < 2)
		return 0;
	printf("above 1: faster than the kernel of nvcc\n");
	OK(glc_cuda_enter(device, &sink));
	for (int i = 0; i < 2; i++) {
		const char *path = argv[argc > 2 ? i + 1 : 1];
		size_t bytes;
		void *image = read_file(path, &bytes);

		TRY(ModuleLoadData, &modules[i], image);
		free(image);
	}
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		measure_example(device, &examples[i], modules);
	glacier_device_close(device);
	return 0;
}
