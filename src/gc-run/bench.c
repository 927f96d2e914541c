/* SPDX-License-Identifier: MIT */
/* Measuring: every source's way to code, then every case's launches, device by device. */
#include "bench.h"

#include "devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	WARMUP = 3,
	COMPILES = 21,
	IN_A_ROW = 10,               /* launches between two waits, where launching is measured alone */
	LEAST_RUNS = 3,
	LONG_NS = 20000000,
};

/* A case that takes longer than this is not run as often as was asked for. */
static const uint64_t PATIENCE_NS = 2000000000;

static struct glacier_diag diag;

static void check(enum glacier_status status)
{
	if (status != GLACIER_OK)
		cli_exit(CLI_TROUBLE);
}

/* --- Compiling ------------------------------------------------------------ */

struct phases {
	double samples[GLACIER_PHASE_COUNT][COMPILES];
	int round;
};

static void note_phase(void *user, const struct glacier_stat *stat)
{
	struct phases *phases = user;

	if (!stat->kernel)
		phases->samples[stat->phase][phases->round] += (double)stat->time_ns;
}

static struct glacier_module *read_source(const struct bench_source *source, struct phases *phases)
{
	const struct glacier_text text = {source->name, source->text, strlen(source->text)};
	const struct glacier_stats stats = {note_phase, phases};
	const struct glacier_read_options read = {.stats = phases ? &stats : NULL};
	struct glacier_module *module;

	check(glacier_module_create(NULL, &module));
	check(glacier_module_read_text(module, &text, &read, &diag));
	return module;
}

/* The stages of the library itself, each time with a module that has seen nothing. */
static void measure_stages(const struct bench_source *source, const struct glacier_device_info *info,
			   const struct glacier_write_options *options, struct bench_compile *compile)
{
	struct phases *phases = cli_alloc(sizeof *phases);
	const struct glacier_stats stats = {note_phase, phases};
	bool writes = info->target.kind != GLACIER_TARGET_KIND_COUNT;

	*phases = (struct phases){.round = 0};
	for (; phases->round < COMPILES; phases->round++) {
		struct glacier_write_options write = *options;
		struct glacier_buffer code = {0};
		struct glacier_module *module = read_source(source, phases);

		write.stats = &stats;
		if (writes)
			check(glacier_module_write(module, &info->target, &write, &code, &diag));
		glacier_buffer_fini(&code);
		glacier_module_destroy(module);
	}
	compile->parse_ns = cli_stats(phases->samples[GLACIER_PHASE_PARSE], COMPILES).median;
	compile->check_ns = cli_stats(phases->samples[GLACIER_PHASE_CHECK], COMPILES).median;
	compile->lower_ns = writes ? cli_stats(phases->samples[GLACIER_PHASE_LOWER], COMPILES).median : NAN;
	compile->write_ns = writes ? cli_stats(phases->samples[GLACIER_PHASE_WRITE], COMPILES).median : NAN;
	free(phases);
}

static struct glacier_pipeline *get_pipeline(struct glacier_device *device, const struct bench_source *source,
					     const struct glacier_write_options *options, double *ns)
{
	struct glacier_module *module = read_source(source, NULL);
	struct glacier_pipeline *pipeline;
	uint64_t begun = cli_now_ns();

	check(glacier_pipeline_get(device, module, NULL, options, &pipeline, &diag));
	if (ns)
		*ns = (double)(cli_now_ns() - begun);
	glacier_module_destroy(module);
	return pipeline;
}

static void measure_compile(struct bench *bench, size_t index, struct glacier_device *device,
			    const struct bench_source *source, const struct glacier_write_options *options)
{
	const struct bench_device *on = &bench->devices[index];
	struct bench_compile compile = {.source = source->name, .device = index};
	double whole;

	for (size_t i = 0; i < bench->compile_count; i++)
		if (bench->compiles[i].device == index && !strcmp(bench->compiles[i].source, source->name))
			return;
	measure_stages(source, &on->info, options, &compile);
	get_pipeline(device, source, options, &whole);
	compile.driver_ns = whole - (isnan(compile.write_ns) ? 0 : compile.lower_ns + compile.write_ns);
	if (compile.driver_ns < 0)
		compile.driver_ns = 0;
	bench->compiles = cli_realloc(bench->compiles, (bench->compile_count + 1) * sizeof *bench->compiles);
	bench->compiles[bench->compile_count++] = compile;
}

/* --- Launching ------------------------------------------------------------ */

struct prepared {
	struct glacier_device *device;
	struct glacier_pipeline *pipeline;
	struct glacier_argument arguments[BENCH_ARGUMENTS];
	size_t count;
	uint32_t groups[3];
	size_t written;              /* the argument that is */
};

/* Between 0 and 1, and never near a fixed point of the logistic map for long. */
static void fill(struct glacier_array *array)
{
	float *at = glacier_array_host(array, true, &diag);
	uint64_t elems = glacier_array_bytes(array) / sizeof *at;

	if (!at)
		cli_exit(CLI_TROUBLE);
	for (uint64_t i = 0; i < elems; i++)
		at[i] = (float)(i * 7919 % 65536) / 65536;
}

static struct prepared prepare(struct glacier_device *device, const struct bench_case *bench,
			       const struct glacier_write_options *options)
{
	static const float factor = 2.5f;
	struct prepared prepared = {
		.device = device,
		.pipeline = get_pipeline(device, bench->source, options, NULL),
		.groups = {bench_groups(bench), 1, 1},
	};

	for (; prepared.count < BENCH_ARGUMENTS && bench->source->arguments[prepared.count].name; prepared.count++) {
		enum bench_role role = bench->source->arguments[prepared.count].role;
		uint64_t bytes = bench_argument_bytes(bench, role);
		struct glacier_argument *argument = &prepared.arguments[prepared.count];
		uint32_t bits = role == BENCH_COUNT ? bench->elems : bench->rounds;

		if (role == BENCH_FACTOR)
			memcpy(&bits, &factor, sizeof bits);
		*argument = (struct glacier_argument){.name = bench->source->arguments[prepared.count].name, .bits = bits};
		if (!bytes)
			continue;
		check(glacier_array_create(device, bytes, &argument->array, &diag));
		if (role == BENCH_IN || role == BENCH_INOUT)
			fill(argument->array);
		if (role != BENCH_IN)
			prepared.written = prepared.count;
	}
	return prepared;
}

static void release(struct prepared *prepared)
{
	for (size_t i = 0; i < prepared->count; i++)
		if (prepared->arguments[i].array)
			glacier_array_free(prepared->device, prepared->arguments[i].array);
}

static void launch(const struct prepared *prepared)
{
	check(glacier_launch(prepared->pipeline, prepared->arguments, prepared->count, prepared->groups, &diag));
}

static double wait_for(const struct prepared *prepared)
{
	uint64_t ns;

	check(glacier_device_wait(prepared->device, 0, &ns, &diag));
	return ns ? (double)ns : NAN;
}

/* What one launch leaves behind, as one number. FNV-1a, by words. */
static uint64_t sum_of(const struct prepared *prepared)
{
	struct glacier_array *array = prepared->arguments[prepared->written].array;
	const uint32_t *at = array ? glacier_array_host(array, false, &diag) : NULL;
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	if (array && !at)
		cli_exit(CLI_TROUBLE);
	for (uint64_t i = 0; array && i < glacier_array_bytes(array) / sizeof *at; i++)
		sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
	return sum;
}

/* Launches one at a time, then many in a row; device_ns is measured where the device does by itself. */
static uint64_t measure_launches(struct glacier_device *device, const struct options *options,
				 struct bench_launch *out)
{
	struct prepared prepared = prepare(device, out->bench, &options->write);
	size_t runs = options->runs, done = 0;
	double *waits = cli_alloc(runs * sizeof *waits), *times = cli_alloc(runs * sizeof *times);
	uint64_t begun, patience, sum;

	launch(&prepared);
	wait_for(&prepared);
	sum = sum_of(&prepared);
	for (int i = 0; i < WARMUP; i++) {
		launch(&prepared);
		wait_for(&prepared);
	}
	patience = cli_now_ns() + PATIENCE_NS;
	while (done < runs && (done < LEAST_RUNS || cli_now_ns() < patience)) {
		begun = cli_now_ns();
		launch(&prepared);
		times[done] = wait_for(&prepared);
		waits[done++] = (double)(cli_now_ns() - begun);
	}
	out->wait = cli_stats(waits, done);
	out->device_ns = isnan(times[0]) ? NAN : cli_stats(times, done).median;
	/* What launching itself takes cannot be seen beside a long kernel. */
	out->queued_ns = out->wait.median;
	done = out->wait.median > LONG_NS ? runs : 0;
	while (done < runs && (done < LEAST_RUNS || cli_now_ns() < patience)) {
		begun = cli_now_ns();
		for (int i = 0; i < IN_A_ROW; i++)
			launch(&prepared);
		wait_for(&prepared);
		waits[done++] = (double)(cli_now_ns() - begun) / IN_A_ROW;
	}
	if (out->wait.median <= LONG_NS)
		out->queued_ns = cli_stats(waits, done).median;
	release(&prepared);
	free(waits);
	free(times);
	return sum;
}

/* By the clock of a device that does not measure unless it is told to. */
static double measure_on_device(struct glacier_device *device, const struct options *options,
				const struct bench_case *bench)
{
	struct prepared prepared = prepare(device, bench, &options->write);
	double *times = cli_alloc(options->runs * sizeof *times), median;

	for (size_t i = 0; i < WARMUP + options->runs; i++) {
		launch(&prepared);
		times[i < WARMUP ? 0 : i - WARMUP] = wait_for(&prepared);
	}
	median = cli_stats(times, options->runs).median;
	release(&prepared);
	free(times);
	return median;
}

/* --- Devices -------------------------------------------------------------- */

static struct glacier_device *open_device(const struct bench_device *on, const struct options *options, bool timed)
{
	struct glacier_device_options wanted = options->device;
	struct glacier_device *device;

	wanted.threads = on->threads;
	wanted.timed = timed;
	/* What the driver's compiler takes is measured. */
	wanted.cache_folder = NULL;
	check(glacier_device_open(on->info.kind, on->info.index, &wanted, &device, &diag));
	return device;
}

static bool is_chosen(const struct bench_case *bench, const struct options *options)
{
	for (size_t i = 0; i < options->case_count; i++)
		if (!strncmp(bench->name, options->cases[i], strlen(options->cases[i])))
			return true;
	return !options->case_count;
}

static bool is_possible(const struct bench_device *on, const struct bench_case *bench)
{
	uint32_t limit = on->info.group_count[0];

	if (!limit || bench_groups(bench) <= limit)
		return true;
	fprintf(stderr, "gc-run: %s is not run on %s, which takes at most %u workgroups, not %u\n", bench->name, on->name,
		limit, bench_groups(bench));
	return false;
}

static void measure_device(struct bench *bench, size_t index, const struct options *options,
			   const uint64_t *reference, uint64_t *sums)
{
	const struct bench_device *on = &bench->devices[index];
	struct glacier_device *device = open_device(on, options, false), *timed = NULL;

	if (on->info.kind != GLACIER_DEVICE_CPU)
		timed = open_device(on, options, true);
	for (size_t i = 0; i < bench_case_count; i++) {
		struct bench_launch launched = {.bench = &bench_cases[i], .device = index};

		if (!is_chosen(&bench_cases[i], options) || !is_possible(on, &bench_cases[i]))
			continue;
		cli_progress(on->name, i, bench_case_count);
		measure_compile(bench, index, device, bench_cases[i].source, &options->write);
		sums[i] = measure_launches(device, options, &launched);
		if (timed)
			launched.device_ns = measure_on_device(timed, options, &bench_cases[i]);
		/* What the first device could not run nothing is held against. */
		launched.same = !reference[i] || sums[i] == reference[i];
		bench->launches[bench->launch_count++] = launched;
	}
	glacier_device_close(timed);
	glacier_device_close(device);
}

static void add_device(struct bench *bench, const struct glacier_device_info *info, uint32_t threads)
{
	struct bench_device *device;

	bench->devices = cli_realloc(bench->devices, (bench->device_count + 1) * sizeof *bench->devices);
	device = &bench->devices[bench->device_count++];
	*device = (struct bench_device){.info = *info, .threads = threads};
	if (threads)
		snprintf(device->name, sizeof device->name, "%s/%u", glacier_device_kind_name(info->kind), threads);
	else
		device_spell(info->kind, info->index, device->name, sizeof device->name);
}

static uint32_t all_threads(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count > 1 ? (uint32_t)count : 1;
}

/* The processor first, with one thread and with all: the others are held against it. */
static void find_devices(struct bench *bench, const struct options *options)
{
	const struct device_name *only = options->device_given ? &options->devices[0] : NULL;
	size_t count;
	struct glacier_device_info *infos = devices_find(&count);

	for (int cpu = 1; cpu >= 0; cpu--)
		for (size_t i = 0; i < count; i++) {
			const struct glacier_device_info *info = &infos[i];

			if ((info->kind == GLACIER_DEVICE_CPU) != cpu ||
			    (only && (only->kind != info->kind || only->index != info->index)))
				continue;
			if (!cpu) {
				add_device(bench, info, 0);
				continue;
			}
			if (options->device.threads) {
				add_device(bench, info, options->device.threads);
				continue;
			}
			add_device(bench, info, 1);
			if (all_threads() > 1)
				add_device(bench, info, all_threads());
		}
	free(infos);
	if (!bench->device_count)
		cli_die("there is no device %s", only ? only->text : "");
}

bool bench_run(const struct options *options)
{
	struct bench bench = {0};
	uint64_t reference[32] = {0}, sums[32] = {0};
	bool same = true;
	char *chart = NULL;

	diag = options_diag(options, NULL);
	find_devices(&bench, options);
	bench.launches = cli_alloc(bench.device_count * bench_case_count * sizeof *bench.launches);
	for (size_t i = 0; i < bench.device_count; i++) {
		measure_device(&bench, i, options, i ? reference : sums, sums);
		if (!i)
			memcpy(reference, sums, sizeof reference);
	}
	cli_progress_clear();
	if (!bench.launch_count)
		cli_bad_usage("there is no case '%s'", options->cases[0]);
	for (size_t i = 0; i < bench.launch_count; i++)
		same &= bench.launches[i].same;
	if (options->plot)
		chart = bench_stage_chart(&bench, options->plot);
	bench_print(&bench);
	if (options->plot && !cli_commit())
		cli_exit(CLI_TROUBLE);
	if (!same)
		cli_error("devices gave different bits");
	free(chart);
	free(bench.devices);
	free(bench.compiles);
	free(bench.launches);
	return same;
}
