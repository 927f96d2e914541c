/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_TARGET = CLI_KEY, KEY_OUT_DIR, KEY_MAX_ERRORS };

static const struct cli_option option_table[] = {
	{0, NULL, NULL, "Output:"},
	{'o', "output", "FILE", "write to FILE (- is standard output)"},
	{KEY_TARGET, "target", "TARGET", "ptx[:sm_90[:8.0]] or spirv[:1.6], with +FEATURE...;\n"
					 "may be repeated; else the suffix of -o FILE decides"},
	{KEY_OUT_DIR, "out-dir", "FOLDER", "where several outputs go, as STEM.spv, STEM.ptx"},
	{0, NULL, NULL, "Code:"},
	{'D', NULL, "NAME=VALUE", "set the spec constant @NAME"},
	{'O', NULL, "LEVEL", "0: as the source says it; 1: optimize, same bits (default)"},
	{'g', NULL, NULL, "keep names and source lines"},
	{0, NULL, NULL, "Messages:"},
	{'W', NULL, "[no-]NAME", "turn a warning on or off"},
	{'W', NULL, "error[=NAME]", "make warnings, or one of them, errors"},
	{'w', NULL, NULL, "print no warnings"},
	{KEY_MAX_ERRORS, "max-errors", "NUMBER", "stop an input after so many errors (20)"},
};

static const char *built_in(size_t index)
{
	return index < GLACIER_TARGET_KIND_COUNT
		       ? glacier_target_kind_name((enum glacier_target_kind)index)
		       : NULL;
}

static const struct cli_program program = {
	.name = "gc-asm",
	.usage = "[OPTION]... [FILE.gasm]...",
	.purpose = "Assemble compute kernels: glacier-kernel(7) in, PTX or SPIR-V out.\n"
		   "With no FILE, or when FILE is -, read standard input.",
	.closing = "Examples:\n"
		   "  gc-asm saxpy.gasm -o saxpy.spv\n"
		   "  gc-asm saxpy.gasm --target=ptx:sm_90 | ptxas -arch=sm_90 -o saxpy.cubin -\n"
		   "  gc-asm *.gasm --target=spirv --target=ptx --out-dir=build",
	.options = option_table,
	.option_count = sizeof option_table / sizeof *option_table,
	.built_in = built_in,
};

/* The names given with --target; read when all options are known, --diagnostics among them. */
struct names {
	const char **at;
	size_t count;
};

static void add_name(struct names *names, const char *name)
{
	names->at = cli_realloc(names->at, (names->count + 1) * sizeof *names->at);
	names->at[names->count++] = name;
}

static void read_targets(struct options *options, struct names *names)
{
	struct glacier_diag diag = cli_diag(NULL);

	options->targets = cli_alloc(names->count * sizeof *options->targets);
	for (size_t i = 0; i < names->count; i++)
		if (glacier_target_parse(names->at[i], &options->targets[i], &diag) != GLACIER_OK)
			cli_bad_usage(NULL);
	options->target_count = names->count;
	free(names->at);
}

static void add_define(struct options *options, const char *arg)
{
	const char *equals = strchr(arg, '=');
	struct glacier_define *defines = (struct glacier_define *)options->read.defines;
	size_t count = options->read.define_count;
	char *name;

	if (!equals || equals == arg || !equals[1])
		cli_bad_usage("-D takes NAME=VALUE, not '%s'", arg);
	defines = cli_realloc(defines, (count + 1) * sizeof *defines);
	name = cli_strdup(arg);
	name[equals - arg] = '\0';
	defines[count] = (struct glacier_define){.name = name, .value = name + (equals - arg) + 1};
	options->read.defines = defines;
	options->read.define_count = count + 1;
}

static enum glacier_optimize optimize_level(const char *arg)
{
	if (!strcmp(arg, "0"))
		return GLACIER_OPTIMIZE_NONE;
	if (!strcmp(arg, "1"))
		return GLACIER_OPTIMIZE_SAFE;
	cli_bad_usage("-O takes 0 or 1, not '%s'", arg);
}

/* "x.spv": the suffix names a target. */
static void target_from_suffix(const struct options *options, struct names *targets)
{
	const char *output = options->output && strcmp(options->output, "-") ? options->output : NULL;
	const char *dot = output ? strrchr(output, '.') : NULL;

	for (int i = 0; dot && i < GLACIER_TARGET_KIND_COUNT; i++) {
		enum glacier_target_kind kind = (enum glacier_target_kind)i;

		if (!strcmp(dot + 1, glacier_target_suffix(kind))) {
			add_name(targets, glacier_target_kind_name(kind));
			return;
		}
	}
	if (output)
		cli_bad_usage("no target: '%s' ends in no target's suffix, and --target is not given",
			      output);
	cli_bad_usage("no target: give --target=TARGET or -o FILE.SUFFIX");
}

static void check(struct options *options, struct names *targets)
{
	static char standard_input[] = "-";
	size_t from_stdin = 0;

	if (!options->input_count) {
		options->inputs[0] = standard_input;
		options->inputs[options->input_count = 1] = NULL;
	}
	if (!targets->count)
		target_from_suffix(options, targets);
	read_targets(options, targets);
	options->to_folder = options->out_dir || options->input_count > 1 || options->target_count > 1;
	for (size_t i = 0; i < options->input_count; i++)
		from_stdin += !strcmp(options->inputs[i], "-");
	if (from_stdin > 1)
		cli_bad_usage("standard input can be read once");
	if (options->to_folder && options->output)
		cli_bad_usage("-o names one file, and this run writes several, or to --out-dir");
	if (options->to_folder && from_stdin)
		cli_bad_usage("standard input has no name to call several outputs by");
}

void options_parse(struct options *options, int argc, char **argv)
{
	struct names targets = {0};
	const char *arg;
	int key;

	*options = (struct options){0};
	cli_start(&program, argc, argv);
	while ((key = cli_next(&arg)) != CLI_END) {
		switch (key) {
		case 'o': options->output = arg; break;
		case KEY_TARGET: add_name(&targets, arg); break;
		case KEY_OUT_DIR: options->out_dir = arg; break;
		case 'D': add_define(options, arg); break;
		case 'O': options->write.optimize = optimize_level(arg); break;
		case 'g': options->write.debug = true; break;
		case 'W': cli_warning_flag(&options->warnings, arg); break;
		case 'w': cli_warnings_off(&options->warnings); break;
		case KEY_MAX_ERRORS:
			options->max_errors = (uint32_t)cli_number("--max-errors", arg, 1, UINT32_MAX);
			break;
		}
	}
	options->inputs = cli_operands(&options->input_count);
	check(options, &targets);
}

void options_fini(struct options *options)
{
	for (size_t i = 0; i < options->read.define_count; i++)
		free((char *)options->read.defines[i].name);
	free((void *)options->read.defines);
	free(options->targets);
}
