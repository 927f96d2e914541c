/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "options.h"

#include <stdlib.h>
#include <string.h>

enum {
	KEY_TARGET = CLI_KEY,
	KEY_OUT_DIR,
	KEY_EMIT,
	KEY_REFLECT,
	KEY_INPUT,
	KEY_NAME,
	KEY_WORKGROUP,
	KEY_LIST_OPCODES,
	KEY_MAX_ERRORS,
	KEY_LIMITS,
	KEY_STATS,
	KEY_VALIDATE,
	KEY_M,
	KEY_MD,
	KEY_MF,
	KEY_MP,
	KEY_MQ,
	KEY_MT,
};

static const struct cli_option option_table[] = {
	{0, NULL, NULL, "Output:"},
	{'o', "output", "FILE", "write to FILE (- is standard output)"},
	{KEY_TARGET, "target", "TARGET", "ptx[:sm_90[:8.0]] or spirv[:1.6], with +FEATURE...;\n"
					 "may be repeated; else the suffix of -o FILE decides"},
	{KEY_OUT_DIR, "out-dir", "FOLDER", "where several outputs go, as STEM.spv, STEM.ptx"},
	{KEY_EMIT, "emit", "FORM", "gasm or json: print the input in this form;\n"
				   "ir[:PASS] or cfg[:PASS]: the intermediate form, in place\n"
				   "of code (PASS: build, optimize, lower)"},
	{KEY_REFLECT, "reflect", NULL, "tell what a launch needs to know, as JSON"},
	{0, NULL, NULL, "Input:"},
	{KEY_INPUT, "input", "KIND", "gasm, json or stream; else the suffix decides"},
	{KEY_NAME, "name", "NAME", "of the kernel that a stream is (its file's name)"},
	{KEY_WORKGROUP, "workgroup", "X[,Y[,Z]]", "its size (64)"},
	{0, NULL, NULL, "Code:"},
	{'D', NULL, "NAME=VALUE", "set the spec constant @NAME"},
	{'O', NULL, "LEVEL", "0: as the source says it; 1: optimize, same bits (default)"},
	{'g', NULL, NULL, "keep names and source lines"},
	{KEY_LIMITS, "limits", "FILE", "hold SPIR-V against the limits of a Vulkan device: JSON,\n"
				       "the keys of VkPhysicalDeviceLimits, or vulkaninfo --json"},
	{KEY_VALIDATE, "validate", NULL, "hold what is written as SPIR-V against its rules, as\n"
					 "gc-spv-val does"},
	{0, NULL, NULL, "Dependencies, as rules for make:"},
	{KEY_M, "-M", NULL, "write the rule and no code: to -MF or -o FILE, or to\n"
			    "standard output"},
	{KEY_MD, "-MD", NULL, "write the rule besides the code: to -MF FILE, or to OUTPUT.d"},
	{KEY_MF, "-MF", "FILE", "where the rule goes"},
	{KEY_MP, "-MP", NULL, "add an empty rule for each included file"},
	{KEY_MQ, "-MQ", "NAME", "what the rule makes, quoted for make; may be repeated"},
	{KEY_MT, "-MT", "NAME", "the same, as it stands"},
	{0, NULL, NULL, "Messages:"},
	{'W', NULL, "[no-]NAME", "turn a warning on or off"},
	{'W', NULL, "error[=NAME]", "make warnings, or one of them, errors"},
	{'w', NULL, NULL, "print no warnings"},
	{KEY_MAX_ERRORS, "max-errors", "NUMBER", "stop an input after so many errors (20)"},
	{KEY_STATS, "stats", NULL, "print time and bytes of each phase, kernel and target"},
	{0, NULL, NULL, "Answers:"},
	{KEY_LIST_OPCODES, "list-opcodes", NULL, "print all instructions, with --json as JSON"},
};

static const char *built_in(size_t index)
{
	return index < GLACIER_TARGET_KIND_COUNT
		       ? glacier_target_kind_name((enum glacier_target_kind)index)
		       : NULL;
}

static const struct cli_program program = {
	.name = "gc-asm",
	.usage = "[OPTION]... [FILE]...",
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

/* The names given with --target or --emit; read when all options are known, --diagnostics among them. */
struct names {
	const char **at;
	size_t count;
};

static void add_name(struct names *names, const char *name)
{
	names->at = cli_realloc(names->at, (names->count + 1) * sizeof *names->at);
	names->at[names->count++] = name;
}

/* What the command line asks for, before it is known how the parts go together. */
struct wishes {
	struct names targets, emits;
	bool reflect;
	bool stream_options;   /* --name or --workgroup */
};

static void add_artifact(struct options *options, struct artifact artifact)
{
	options->artifacts = cli_realloc(options->artifacts,
					 (options->artifact_count + 1) * sizeof *options->artifacts);
	options->artifacts[options->artifact_count++] = artifact;
}

static bool same_target(const struct glacier_target *a, const struct glacier_target *b)
{
	char first[128], second[128];

	glacier_target_name(a, first, sizeof first);
	glacier_target_name(b, second, sizeof second);
	return !strcmp(first, second);
}

static struct glacier_target *read_targets(const struct names *names)
{
	struct glacier_diag diag = cli_diag(NULL);
	struct glacier_target *targets = cli_alloc((names->count + 1) * sizeof *targets);

	for (size_t i = 0; i < names->count; i++) {
		if (glacier_target_parse(names->at[i], &targets[i], &diag) != GLACIER_OK)
			cli_bad_usage(NULL);
		for (size_t j = 0; j < i; j++)
			if (same_target(&targets[i], &targets[j]))
				cli_bad_usage("target '%s' is given twice", names->at[i]);
	}
	return targets;
}

static void add_for_targets(struct options *options, struct artifact artifact,
			    const struct glacier_target *targets, size_t count)
{
	artifact.has_target = true;
	for (size_t i = 0; i < count; i++) {
		artifact.target = targets[i];
		add_artifact(options, artifact);
	}
}

/* Code for each target, unless the intermediate form takes its place; then each form. */
static void add_artifacts(struct options *options, const struct wishes *wishes)
{
	struct glacier_target *targets = read_targets(&wishes->targets);
	size_t count = wishes->targets.count;
	bool in_place = false;

	for (size_t i = 0; i < wishes->emits.count; i++) {
		struct artifact artifact;

		if (!emit_parse(wishes->emits.at[i], &artifact))
			cli_bad_usage("--emit takes gasm, json, ir[:PASS] or cfg[:PASS], not '%s'",
				      wishes->emits.at[i]);
		in_place |= artifact.form == FORM_IR || artifact.form == FORM_GRAPH;
		if (artifact.pass != GLACIER_PASS_LOWER) {
			add_artifact(options, artifact);
			continue;
		}
		if (!count)
			cli_bad_usage("--emit=%s needs a --target", wishes->emits.at[i]);
		add_for_targets(options, artifact, targets, count);
	}
	if (wishes->reflect)
		add_artifact(options, (struct artifact){.form = FORM_REFLECTION});
	if (!in_place)
		add_for_targets(options, (struct artifact){.form = FORM_CODE}, targets, count);
	free(targets);
}

/* "64", "8,8", "8,8,4" */
static void read_workgroup(struct options *options, const char *arg)
{
	char *copy = cli_strdup(arg), *rest = copy;

	for (int i = 0; i < 3 && rest; i++) {
		char *comma = strchr(rest, ',');

		if (comma)
			*comma++ = '\0';
		options->stream.workgroup[i] = (uint32_t)cli_number("--workgroup", rest, 1, UINT32_MAX);
		rest = comma;
	}
	if (rest)
		cli_bad_usage("--workgroup takes at most three sizes, not '%s'", arg);
	free(copy);
}

static enum input_kind read_input_kind(const char *arg)
{
	static const char kinds[INPUT_KIND_COUNT][8] = {
		[INPUT_TEXT] = "gasm", [INPUT_JSON] = "json", [INPUT_STREAM] = "stream"};

	for (int kind = INPUT_TEXT; kind < INPUT_KIND_COUNT; kind++)
		if (!strcmp(arg, kinds[kind]))
			return (enum input_kind)kind;
	cli_bad_usage("--input takes gasm, json or stream, not '%s'", arg);
}

static void add_define(struct options *options, const char *arg)
{
	const char *equals = strchr(arg, '=');
	struct glacier_define *defines = (struct glacier_define *)options->read.defines;
	size_t count = options->read.define_count;
	char *name;

	if (!equals || equals == arg || !equals[1])
		cli_bad_usage("-D takes NAME=VALUE, not '%s'", arg);
	for (size_t i = 0; i < count; i++)
		if (!strncmp(defines[i].name, arg, (size_t)(equals - arg)) &&
		    !defines[i].name[equals - arg])
			cli_bad_usage("-D gives %s two values", defines[i].name);
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

/* "x.spv": the suffix names a target, or a form. */
static void artifact_from_suffix(const struct options *options, struct wishes *wishes)
{
	const char *output = options->output && strcmp(options->output, "-") ? options->output : NULL;
	const char *dot = output ? strrchr(output, '.') : NULL;
	struct artifact artifact;

	for (int i = 0; dot && i < GLACIER_TARGET_KIND_COUNT; i++) {
		enum glacier_target_kind kind = (enum glacier_target_kind)i;

		if (!strcmp(dot + 1, glacier_target_suffix(kind))) {
			add_name(&wishes->targets, glacier_target_kind_name(kind));
			return;
		}
	}
	if (dot && emit_parse(dot + 1, &artifact) && (artifact.form == FORM_TEXT || artifact.form == FORM_JSON)) {
		add_name(&wishes->emits, dot + 1);
		return;
	}
	if (output)
		cli_bad_usage("no target: '%s' ends in no target's suffix, and --target is not given",
			      output);
	cli_bad_usage("no target: give --target=TARGET or -o FILE.SUFFIX");
}

static void check_streams(const struct options *options, const struct wishes *wishes)
{
	size_t streams = 0;

	for (size_t i = 0; i < options->input_count; i++)
		streams += input_kind(options, options->inputs[i]) == INPUT_STREAM;
	if (wishes->stream_options && !streams)
		cli_bad_usage("--name and --workgroup are for numeric streams");
	if (options->read.define_count && streams)
		cli_bad_usage("-D: a numeric stream has no spec constants");
}

static void add_depend_target(struct depend_options *depend, const char *name, bool quoted)
{
	depend->targets = cli_realloc(depend->targets,
				      (depend->target_count + 1) * sizeof *depend->targets);
	depend->targets[depend->target_count++] = (struct depend_target){name, quoted};
}

/* Before the artifacts are known: with -M the suffix of -o means none. */
static void check_depend(struct options *options, bool has_artifacts)
{
	struct depend_options *depend = &options->depend;

	if (!depend->alone && !depend->beside) {
		if (depend->file || depend->phony || depend->target_count)
			cli_bad_usage("-MF, -MP, -MQ and -MT need -M or -MD");
		return;
	}
	if (depend->alone && depend->beside)
		cli_bad_usage("-M writes no code, and -MD is besides the code: give one of them");
	if (depend->target_count && options->input_count > 1)
		cli_bad_usage("-MT and -MQ name the output of one input");
	if (!depend->alone)
		return;
	if (!has_artifacts && !depend->target_count)
		cli_bad_usage("what the rule makes is not known: give --target=TARGET or -MT NAME");
	if (depend->file && options->output)
		cli_bad_usage("-o and -MF both say where the rule goes");
	if (options->output)
		depend->file = options->output;
	options->output = NULL;
	cli_warnings_off(&options->warnings);
}

/* Standard input has no name that a file could be called by. */
static void check_stdin(const struct options *options)
{
	const struct depend_options *depend = &options->depend;
	bool named = options->output && strcmp(options->output, "-");
	size_t from_stdin = 0;

	for (size_t i = 0; i < options->input_count; i++)
		from_stdin += !strcmp(options->inputs[i], "-");
	if (!from_stdin)
		return;
	if (from_stdin > 1)
		cli_bad_usage("standard input can be read once");
	if (options->to_folder && !depend->alone)
		cli_bad_usage("standard input has no name to call several outputs by");
	if ((depend->alone || depend->beside) && !named && !depend->target_count)
		cli_bad_usage("standard input has no name to call an output by: give -MT NAME");
	if (depend->beside && !named && !depend->file)
		cli_bad_usage("standard input has no name to call a rule's file by: give -MF FILE");
}

static void check(struct options *options, struct wishes *wishes)
{
	static char standard_input[] = "-";
	bool has_artifacts = wishes->targets.count || wishes->emits.count || wishes->reflect;

	if (!options->input_count) {
		options->inputs[0] = standard_input;
		options->inputs[options->input_count = 1] = NULL;
	}
	check_depend(options, has_artifacts);
	if (!has_artifacts && !options->depend.alone)
		artifact_from_suffix(options, wishes);
	add_artifacts(options, wishes);
	check_streams(options, wishes);
	options->to_folder = options->out_dir || options->input_count > 1 || options->artifact_count > 1;
	if (options->to_folder && options->output)
		cli_bad_usage("-o names one file, and this run writes several, or to --out-dir");
	check_stdin(options);
}

void options_parse(struct options *options, int argc, char **argv)
{
	struct wishes wishes = {0};
	const char *arg, *limits = NULL;
	int key;

	*options = (struct options){.max_errors = 20};
#ifdef GLACIER_CHECKS
	options->validate = true;
#endif
	cli_start(&program, argc, argv);
	while ((key = cli_next(&arg)) != CLI_END) {
		switch (key) {
		case 'o': options->output = arg; break;
		case KEY_TARGET: add_name(&wishes.targets, arg); break;
		case KEY_EMIT: add_name(&wishes.emits, arg); break;
		case KEY_REFLECT: wishes.reflect = true; break;
		case KEY_INPUT: options->input_kind = read_input_kind(arg); break;
		case KEY_NAME:
			options->stream.name = arg;
			wishes.stream_options = true;
			break;
		case KEY_WORKGROUP:
			read_workgroup(options, arg);
			wishes.stream_options = true;
			break;
		case KEY_LIST_OPCODES: options->list_opcodes = true; break;
		case KEY_OUT_DIR: options->out_dir = arg; break;
		case 'D': add_define(options, arg); break;
		case 'O': options->write.optimize = optimize_level(arg); break;
		case 'g': options->write.debug = true; break;
		case KEY_LIMITS: limits = arg; break;
		case KEY_STATS: options->stats = true; break;
		case KEY_VALIDATE: options->validate = true; break;
		case KEY_M: options->depend.alone = true; break;
		case KEY_MD: options->depend.beside = true; break;
		case KEY_MF: options->depend.file = arg; break;
		case KEY_MP: options->depend.phony = true; break;
		case KEY_MQ: add_depend_target(&options->depend, arg, true); break;
		case KEY_MT: add_depend_target(&options->depend, arg, false); break;
		case 'W': cli_warning_flag(&options->warnings, arg); break;
		case 'w': cli_warnings_off(&options->warnings); break;
		case KEY_MAX_ERRORS:
			options->max_errors = (uint32_t)cli_number("--max-errors", arg, 1, UINT32_MAX);
			break;
		}
	}
	options->inputs = cli_operands(&options->input_count);
	if (!options->list_opcodes)
		check(options, &wishes);
	free(wishes.targets.at);
	free(wishes.emits.at);
	if (limits && !cli_read_limits(limits, &options->warnings, &options->limits))
		cli_exit(CLI_WRONG);
	options->write.limits = limits ? &options->limits : NULL;
}

bool options_use_stdout(const struct options *options)
{
	const struct depend_options *depend = &options->depend;

	if (depend->file ? !strcmp(depend->file, "-") : depend->alone)
		return true;
	return !depend->alone && !options->to_folder &&
	       (!options->output || !strcmp(options->output, "-"));
}

void options_fini(struct options *options)
{
	for (size_t i = 0; i < options->read.define_count; i++)
		free((char *)options->read.defines[i].name);
	free((void *)options->read.defines);
	free(options->artifacts);
	free(options->depend.targets);
}
