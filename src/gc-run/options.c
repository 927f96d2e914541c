/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_GLOBAL = CLI_KEY,
	KEY_JOB,
	KEY_LIST_DEVICES,
	KEY_SUBGROUP,
	KEY_THREADS,
	KEY_ISA,
	KEY_TIMEOUT,
	KEY_NO_CACHE,
	KEY_BENCH,
	KEY_RUNS,
	KEY_PLOT,
	KEY_SEED,
	KEY_COMPARE,
	KEY_EXPECT,
	KEY_RTOL,
	KEY_ATOL,
	KEY_TIME,
	KEY_DRY_RUN,
	KEY_DUMP,
	KEY_CHECK,
	KEY_REFLECT,
};

static const struct cli_option option_table[] = {
	{0, NULL, NULL, "Launch:"},
	{'g', "groups", "X[,Y[,Z]]", "how many workgroups"},
	{KEY_GLOBAL, "global", "X[,Y[,Z]]", "how many invocations, rounded up to whole workgroups"},
	{'k', "kernel", "NAME", "which kernel of the file; needed when there are several"},
	{'o', "output", "NAME=FILE", "write the array @NAME to FILE (.npy, .raw, .txt; - prints it);\n"
				     "FILE:f32[N] also says what it is when it has no input"},
	{KEY_REFLECT, "reflect", "FILE", "what gc-asm --reflect wrote of a .spv or .ptx that is run"},
	{KEY_JOB, "job", "FILE", "several launches over arrays that stay on the device"},
	{KEY_SEED, "seed", "NUMBER", "of :uniform and :normal (0)"},
	{0, NULL, NULL, "Device:"},
	{'d', "device", "DEVICE", "cpu, cuda[:N], vulkan[:N] or auto (default)"},
	{KEY_LIST_DEVICES, "list-devices", NULL, "print the devices that are there, with --json as JSON"},
	{KEY_SUBGROUP, "subgroup", "NUMBER", "cpu: size of a subgroup (32)"},
	{KEY_THREADS, "threads", "NUMBER", "cpu: worker threads (as many as processors)"},
	{KEY_ISA, "isa", "LEVEL", "cpu: baseline, x86-64-v3 or x86-64-v4 (the best there is)"},
	{KEY_TIMEOUT, "timeout", "SECONDS", "give up when the launches have not ended after so long"},
	{KEY_NO_CACHE, "no-cache", NULL, "keep no machine code on disk, and use none"},
	{0, NULL, NULL, "Code:"},
	{'D', NULL, "NAME=VALUE", "set the spec constant @NAME"},
	{'O', NULL, "LEVEL", "0: as the source says it; 1: optimize, same bits (default)"},
	{0, NULL, NULL, "Judge:"},
	{KEY_CHECK, "check", NULL, "cpu: report accesses out of bounds or racing, memory read before it is written,\n"
				   "and barriers that not all invocations reach"},
	{KEY_COMPARE, "compare", "DEVICE,DEVICE", "run on both, and report the first difference"},
	{KEY_EXPECT, "expect", "NAME=FILE", "compare the array @NAME with that of FILE"},
	{KEY_RTOL, "rtol", "NUMBER", "let elements differ by so much of their value (0)"},
	{KEY_ATOL, "atol", "NUMBER", "and by so much in any case (0)"},
	{KEY_TIME, "time", NULL, "print how long each launch took, with --json as JSON"},
	{KEY_DRY_RUN, "dry-run", NULL, "check everything, say what would run, and run nothing"},
	{KEY_DUMP, "dump", "TARGET", "print the code for ptx or spirv instead of running it"},
	{0, NULL, NULL, "Measure:"},
	{KEY_BENCH, "bench", NULL, "measure kernels of its own on every device there is, or on that of -d: what compiling\n"
				   "and what launching them costs; operands choose among them"},
	{KEY_RUNS, "runs", "NUMBER", "of each, after a warm-up (20)"},
	{KEY_PLOT, "plot", "FILE", "draw the results as SVG"},
	{0, NULL, NULL, "Messages:"},
	{'W', NULL, "[no-]NAME", "turn a warning on or off"},
	{'w', NULL, NULL, "print no warnings"},
};

static const char *built_in(size_t index)
{
	return index < GLACIER_DEVICE_KIND_COUNT
		       ? glacier_device_kind_name((enum glacier_device_kind)index)
		       : NULL;
}

static const struct cli_program program = {
	.name = "gc-run",
	.usage = "[OPTION]... FILE -g X[,Y[,Z]] NAME=VALUE...\n"
		 "[OPTION]... --job=FILE\n"
		 "[OPTION]... --bench [CASE]...",
	.purpose = "Run a compute kernel, glacier-kernel(7), on the processor or a GPU.\n"
		   "A VALUE is a literal, @FILE (.npy, or .raw), or :zeros, :iota, :uniform or :normal\n"
		   "followed by :N[:TYPE]. With arguments missing it prints what the kernel takes.",
	.closing = "Examples:\n"
		   "  gc-run saxpy.gasm -g 4096 x=@x.npy y=@y.npy n=1048576 a=2.5 -o y=out.npy\n"
		   "  gc-run vector_add.gasm --global=8 a=:iota:8 b=:iota:8 n=8 -o 'out=-:f32[8]'\n"
		   "  gc-run --compare=cpu,vulkan saxpy.gasm -g 16 x=:normal:4096 y=:normal:4096 n=4096 a=3",
	.options = option_table,
	.option_count = sizeof option_table / sizeof *option_table,
	.built_in = built_in,
};

static void add_pair(struct pairs *pairs, const char *what, const char *arg)
{
	const char *equals = strchr(arg, '=');
	char *name;

	if (!equals || equals == arg || !equals[1])
		cli_bad_usage("%s NAME=VALUE, not '%s'", what, arg);
	name = cli_strdup(arg);
	name[equals - arg] = '\0';
	pairs->at = cli_realloc(pairs->at, (pairs->count + 1) * sizeof *pairs->at);
	pairs->at[pairs->count++] = (struct pair){name, name + (equals - arg) + 1};
}

static void free_pairs(struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->count; i++)
		free(pairs->at[i].name);
	free(pairs->at);
}

/* "64", "8,8", "8,8,4"; what is left out is 1. */
static void read_size(struct options *options, const char *option, const char *arg)
{
	char *copy = cli_strdup(arg), *rest = copy;

	if (options->has_size)
		cli_bad_usage("the size of the launch is given twice");
	for (int i = 0; i < 3; i++) {
		char *comma = rest ? strchr(rest, ',') : NULL;

		if (comma)
			*comma++ = '\0';
		options->size[i] = rest ? (uint32_t)cli_number(option, rest, 1, UINT32_MAX) : 1;
		rest = comma;
	}
	if (rest)
		cli_bad_usage("%s takes at most three sizes, not '%s'", option, arg);
	free(copy);
	options->has_size = true;
}

static double read_real(const char *option, const char *arg)
{
	char *end;
	double value = strtod(arg, &end);

	if (end == arg || *end || !isfinite(value) || value < 0)
		cli_bad_usage("%s takes a number that is not negative, not '%s'", option, arg);
	return value;
}

static struct device_name read_device(const char *arg)
{
	struct device_name device = {.text = arg, .automatic = !strcmp(arg, "auto")};
	size_t bytes = strcspn(arg, ":");

	if (device.automatic)
		return device;
	for (int i = 0; i < GLACIER_DEVICE_KIND_COUNT; i++) {
		const char *name = glacier_device_kind_name((enum glacier_device_kind)i);

		if (strlen(name) != bytes || memcmp(name, arg, bytes))
			continue;
		device.kind = (enum glacier_device_kind)i;
		if (arg[bytes])
			device.index = (uint32_t)cli_number("the number of a device", arg + bytes + 1, 0, UINT16_MAX);
		return device;
	}
	cli_bad_usage("there is no kind of device '%s': the devices are cpu, cuda[:N], vulkan[:N] and auto", arg);
}

static void read_compared(struct options *options, const char *arg)
{
	const char *comma = strchr(arg, ',');
	char *first;

	if (!comma || comma == arg || !comma[1] || strchr(comma + 1, ','))
		cli_bad_usage("--compare takes two devices, as cpu,vulkan, not '%s'", arg);
	if (options->device_count == 2)
		cli_bad_usage("--compare is given twice");
	/* As long as the program runs: messages name it. */
	first = cli_strdup(arg);
	first[comma - arg] = '\0';
	options->devices[0] = read_device(first);
	options->devices[1] = read_device(comma + 1);
	options->device_count = 2;
}

static void read_level(struct options *options, const char *arg)
{
	if (!strcmp(arg, "0"))
		options->write.optimize = GLACIER_OPTIMIZE_NONE;
	else if (!strcmp(arg, "1"))
		options->write.optimize = GLACIER_OPTIMIZE_SAFE;
	else
		cli_bad_usage("-O takes 0 or 1, not '%s'", arg);
}

static void read_operands(struct options *options)
{
	size_t count;
	char **operands = cli_operands(&count);

	if (options->list_devices)
		return;
	if (options->bench) {
		options->cases = operands;
		options->case_count = count;
		return;
	}
	if (options->job) {
		if (count || options->has_size || options->kernel || options->outputs.count ||
		    options->defines.count || options->reflect)
			cli_bad_usage("--job=FILE says what is launched: no operands, -g, -k, -D, -o or --reflect beside it");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (strchr(operands[i], '='))
			add_pair(&options->values, "an argument is", operands[i]);
		else if (options->file)
			cli_bad_usage("one kernel is run: '%s' and '%s'; an argument is NAME=VALUE", options->file,
				      operands[i]);
		else
			options->file = operands[i];
	}
	if (!options->file)
		cli_bad_usage("which kernel? Give its file");
}

/*
 * Where caches belong: XDG Base Directory Specification 0.8. Without a home there is none,
 * and a path that is not absolute counts as none.
 */
static char *cache_folder(void)
{
	static const char *const places[][2] = {{"XDG_CACHE_HOME", "/glacier"}, {"HOME", "/.cache/glacier"}};

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const char *base = getenv(places[i][0]);
		size_t bytes = base ? strlen(base) + strlen(places[i][1]) + 1 : 0;
		char *folder;

		if (!base || *base != '/')
			continue;
		folder = cli_alloc(bytes);
		snprintf(folder, bytes, "%s%s", base, places[i][1]);
		return folder;
	}
	return NULL;
}

static void check(struct options *options)
{
	if (options->device_given && options->device_count == 2)
		cli_bad_usage("--compare names its devices: no -d beside it");
	if (options->device.check && options->device_count == 2)
		cli_bad_usage("--check watches one run: no --compare beside it");
	if (!options->device_count)
		options->devices[options->device_count++] = (struct device_name){.text = "auto", .automatic = true};
	/* Only the processor watches. */
	if (options->device.check && options->devices[0].automatic)
		options->devices[0] = (struct device_name){.text = "cpu", .kind = GLACIER_DEVICE_CPU};
	if (options->plot && !options->bench)
		cli_bad_usage("--plot draws what --bench measures");
	if (options->bench && (options->job || options->has_size || options->kernel || options->outputs.count ||
			       options->defines.count || options->expected.count || options->device_count == 2 ||
			       options->dry_run || options->dump || options->time))
		cli_bad_usage("--bench has kernels of its own: only -d, --threads, --isa, -O, --runs, --plot and --json "
			      "beside it");
	if (options->dump && options->job)
		cli_bad_usage("--dump shows one file's code: no --job beside it");
}

void options_parse(struct options *options, int argc, char **argv)
{
	struct device_name device = {0};
	const char *arg;
	int key;

	*options = (struct options){.runs = 20};
	cli_start(&program, argc, argv);
	while ((key = cli_next(&arg)) != CLI_END) {
		switch (key) {
		case 'g': read_size(options, "-g", arg); break;
		case KEY_GLOBAL:
			read_size(options, "--global", arg);
			options->in_invocations = true;
			break;
		case 'k': options->kernel = arg; break;
		case 'o': add_pair(&options->outputs, "-o takes", arg); break;
		case KEY_JOB: options->job = arg; break;
		case KEY_SEED: options->seed = cli_number("--seed", arg, 0, UINT64_MAX); break;
		case 'd':
			device = read_device(arg);
			options->device_given = true;
			break;
		case KEY_LIST_DEVICES: options->list_devices = true; break;
		case KEY_SUBGROUP:
			options->device.subgroup_size = (uint32_t)cli_number("--subgroup", arg, 1, 128);
			break;
		case KEY_THREADS: options->device.threads = (uint32_t)cli_number("--threads", arg, 1, 1024); break;
		case KEY_ISA: options->device.isa = arg; break;
		case KEY_TIMEOUT:
			options->timeout_ns = cli_number("--timeout", arg, 1, UINT32_MAX) * UINT64_C(1000000000);
			break;
		case KEY_NO_CACHE: options->no_cache = true; break;
		case 'D': add_pair(&options->defines, "-D takes", arg); break;
		case 'O': read_level(options, arg); break;
		case KEY_COMPARE: read_compared(options, arg); break;
		case KEY_EXPECT: add_pair(&options->expected, "--expect takes", arg); break;
		case KEY_RTOL: options->rtol = read_real("--rtol", arg); break;
		case KEY_ATOL: options->atol = read_real("--atol", arg); break;
		case KEY_TIME: options->time = options->device.timed = true; break;
		case KEY_DRY_RUN: options->dry_run = true; break;
		case KEY_DUMP: options->dump = arg; break;
		case KEY_BENCH: options->bench = true; break;
		case KEY_RUNS: options->runs = (size_t)cli_number("--runs", arg, 1, 10000); break;
		case KEY_PLOT: options->plot = arg; break;
		case KEY_REFLECT: options->reflect = arg; break;
		case KEY_CHECK: options->device.check = true; break;
		case 'W': cli_warning_flag(&options->warnings, arg); break;
		case 'w': cli_warnings_off(&options->warnings); break;
		}
	}
	read_operands(options);
	if (!options->no_cache)
		options->device.cache_folder = options->cache_folder = cache_folder();
	if (options->device_given && !options->device_count)
		options->devices[options->device_count++] = device;
	check(options);
}

void options_fini(struct options *options)
{
	free_pairs(&options->values);
	free_pairs(&options->outputs);
	free_pairs(&options->expected);
	free_pairs(&options->defines);
	free(options->cache_folder);
	if (options->device_count == 2)
		free((char *)options->devices[0].text);
}

struct glacier_diag options_diag(const struct options *options, const struct cli_file *file)
{
	struct glacier_diag diag = cli_diag(file);

	diag.disabled = options->warnings.disabled;
	diag.fatal = options->warnings.fatal;
	return diag;
}
