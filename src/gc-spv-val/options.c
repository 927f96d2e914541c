/* SPDX-License-Identifier: MIT */
/* spirv-val's names where the meaning is the same: what it knows too is kept for --against. */
#include "options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_TARGET_ENV = CLI_KEY,
	KEY_LEVEL,
	KEY_COMPAT,
	KEY_AGAINST,
	KEY_LIMITS,
	KEY_MAX_ERRORS,
	KEY_FLAGS,
	KEY_NUMBERS = KEY_FLAGS + 16,
};

/* Switches of the library, in the order of their keys. */
static const struct flag {
	char name[36];
	uint16_t offset;
} flags[] = {
#define FLAG(name, member) {name, offsetof(struct glacier_spirv_options, member)}
	FLAG("relax-logical-pointer", relax_logical_pointer),
	FLAG("relax-block-layout", relax_block_layout),
	FLAG("uniform-buffer-standard-layout", uniform_buffer_standard_layout),
	FLAG("scalar-block-layout", scalar_block_layout),
	FLAG("workgroup-scalar-block-layout", workgroup_scalar_block_layout),
	FLAG("skip-block-layout", skip_block_layout),
	FLAG("relax-struct-store", relax_struct_store),
	FLAG("allow-localsizeid", allow_localsizeid),
	FLAG("before-hlsl-legalization", before_hlsl_legalization),
#undef FLAG
};

/* Universal limits, in the order of the members. */
static const struct flag numbers[] = {
#define NUMBER(name, member) {name, offsetof(struct glacier_spirv_options, member)}
	NUMBER("max-struct-members", max_struct_members),
	NUMBER("max-struct-depth", max_struct_depth),
	NUMBER("max-local-variables", max_local_variables),
	NUMBER("max-global-variables", max_global_variables),
	NUMBER("max-switch-branches", max_switch_branches),
	NUMBER("max-function-args", max_function_args),
	NUMBER("max-control-flow-nesting-depth", max_control_flow_nesting_depth),
	NUMBER("max-access-chain-indexes", max_access_chain_indexes),
	NUMBER("max-id-bound", max_id_bound),
#undef NUMBER
};

static const struct cli_option option_table[] = {
	{0, NULL, NULL, "Rules:"},
	{KEY_TARGET_ENV, "target-env", "ENV", "vulkan1.0, 1.1, 1.1spv1.4, 1.2 or 1.3 (default),\n"
					     "or spv1.0 to spv1.6: SPIR-V's own rules alone"},
	{KEY_LEVEL, "level", "LEVEL", "framing: words and operands; module: layout, ids, types\n"
				      "and instructions too; full: everything (default)"},
	{KEY_COMPAT, "compat", "TOOL", "spirv-val: the verdict of its release 2023.1 where the\n"
				       "specification says more"},
	{KEY_AGAINST, "against", "TOOL", "spirv-tools: run spirv-val beside, and report where its\n"
					 "verdict is another"},
	{KEY_LIMITS, "limits", "FILE", "hold modules against the limits of a Vulkan device: JSON,\n"
				       "the keys of VkPhysicalDeviceLimits, or vulkaninfo --json"},
	{0, NULL, NULL, "Layout and legalization:"},
	{KEY_FLAGS + 0, "relax-logical-pointer", NULL, "allow variables of pointers, and pointers as arguments"},
	{KEY_FLAGS + 1, "relax-block-layout", NULL, "vectors in blocks are aligned as their components;\n"
						    "implied from Vulkan 1.1 on"},
	{KEY_FLAGS + 2, "uniform-buffer-standard-layout", NULL, "uniform blocks are laid out as storage blocks"},
	{KEY_FLAGS + 3, "scalar-block-layout", NULL, "everything in blocks is aligned as its scalars"},
	{KEY_FLAGS + 4, "workgroup-scalar-block-layout", NULL, "the same for blocks in Workgroup"},
	{KEY_FLAGS + 5, "skip-block-layout", NULL, "do not check offsets and strides"},
	{KEY_FLAGS + 6, "relax-struct-store", NULL, "store structures of equal layout into each other"},
	{KEY_FLAGS + 7, "allow-localsizeid", NULL, "allow LocalSizeId before Vulkan 1.3"},
	{KEY_FLAGS + 8, "before-hlsl-legalization", NULL, "allow what legalization of HLSL removes"},
	{0, NULL, NULL, "Universal limits:"},
	{KEY_NUMBERS + 0, "max-struct-members", "NUMBER", "members of a structure (16383)"},
	{KEY_NUMBERS + 1, "max-struct-depth", "NUMBER", "structures in structures (255)"},
	{KEY_NUMBERS + 2, "max-local-variables", "NUMBER", "variables of functions (524287)"},
	{KEY_NUMBERS + 3, "max-global-variables", "NUMBER", "variables of the module (65535)"},
	{KEY_NUMBERS + 4, "max-switch-branches", "NUMBER", "branches of OpSwitch (16383)"},
	{KEY_NUMBERS + 5, "max-function-args", "NUMBER", "parameters of a function (255)"},
	{KEY_NUMBERS + 6, "max-control-flow-nesting-depth", "NUMBER", "constructs in constructs (1023)"},
	{KEY_NUMBERS + 7, "max-access-chain-indexes", "NUMBER", "indices of a chain (255)"},
	{KEY_NUMBERS + 8, "max-id-bound", "NUMBER", "the header's bound of ids (4194303)"},
	{0, NULL, NULL, "Messages:"},
	{KEY_MAX_ERRORS, "max-errors", "NUMBER", "stop a module after so many errors (20)"},
};

static const char *built_in(size_t index)
{
	return glacier_spirv_env_name((enum glacier_spirv_env)index);
}

static const struct cli_program program = {
	.name = "gc-spv-val",
	.usage = "[OPTION]... [FILE]...",
	.purpose = "Validate SPIR-V modules, for Vulkan 1.3 unless told otherwise.\n"
		   "With no FILE, or when FILE is -, read standard input.",
	.closing = "Examples:\n"
		   "  gc-spv-val shader.spv\n"
		   "  gc-asm saxpy.gasm --target=spirv | gc-spv-val -\n"
		   "  gc-spv-val --json --target-env=vulkan1.1 build/*.spv",
	.options = option_table,
	.option_count = sizeof option_table / sizeof *option_table,
	.built_in = built_in,
};

/* An option for spirv-val: "--name", or "--name=argument" as two words, as it takes them. */
static void pass(struct options *options, const char *name, const char *arg)
{
	char *option = cli_alloc(strlen(name) + 3);

	options->passed = cli_realloc(options->passed, (options->passed_count + 3) * sizeof *options->passed);
	option[0] = option[1] = '-';
	strcpy(option + 2, name);
	options->passed[options->passed_count++] = option;
	if (arg)
		options->passed[options->passed_count++] = cli_strdup(arg);
	options->passed[options->passed_count] = NULL;
}

static enum glacier_spirv_level read_level(const char *arg)
{
	static const char names[3][8] = {
		[GLACIER_SPIRV_FULL] = "full", [GLACIER_SPIRV_MODULE] = "module", [GLACIER_SPIRV_FRAMING] = "framing"};

	for (int i = 0; i < 3; i++)
		if (!strcmp(arg, names[i]))
			return (enum glacier_spirv_level)i;
	cli_bad_usage("--level takes framing, module or full, not '%s'", arg);
}

static void read_option(struct options *options, int key, const char *arg, const char **limits)
{
	char *fields = (char *)&options->spirv;

	switch (key) {
	case KEY_TARGET_ENV:
		options->spirv.env = glacier_spirv_env_find(arg);
		if (options->spirv.env == GLACIER_SPIRV_ENV_COUNT)
			cli_bad_usage("there is no environment '%s'; --version lists them", arg);
		break;
	case KEY_LEVEL:
		options->spirv.level = read_level(arg);
		break;
	case KEY_COMPAT:
		if (strcmp(arg, "spirv-val"))
			cli_bad_usage("--compat takes spirv-val, not '%s'", arg);
		options->spirv.compat = true;
		break;
	case KEY_AGAINST:
		if (strcmp(arg, "spirv-tools"))
			cli_bad_usage("--against takes spirv-tools, not '%s'", arg);
		options->against = true;
		break;
	case KEY_LIMITS:
		*limits = arg;
		break;
	case KEY_MAX_ERRORS:
		options->max_errors = (uint32_t)cli_number("--max-errors", arg, 1, UINT32_MAX);
		break;
	default:
		if (key >= KEY_NUMBERS) {
			char option[48];
			uint32_t number;

			snprintf(option, sizeof option, "--%s", numbers[key - KEY_NUMBERS].name);
			number = (uint32_t)cli_number(option, arg, 0, UINT32_MAX);
			memcpy(fields + numbers[key - KEY_NUMBERS].offset, &number, sizeof number);
			/* 0 there is the specification's limit. */
			options->spirv.max_none &= ~(1u << (key - KEY_NUMBERS));
			options->spirv.max_none |= (uint32_t)!number << (key - KEY_NUMBERS);
			pass(options, numbers[key - KEY_NUMBERS].name, arg);
		} else {
			bool on = true;

			memcpy(fields + flags[key - KEY_FLAGS].offset, &on, sizeof on);
			pass(options, flags[key - KEY_FLAGS].name, NULL);
		}
	}
}

void options_parse(struct options *options, int argc, char **argv)
{
	static char dash[] = "-";
	static char *standard[] = {dash, NULL};
	static const struct cli_warnings warnings;
	const char *arg, *limits = NULL;
	size_t from_stdin = 0;
	int key;

	*options = (struct options){.max_errors = 20};
	cli_start(&program, argc, argv);
	while ((key = cli_next(&arg)) != CLI_END)
		read_option(options, key, arg, &limits);
	pass(options, "target-env", glacier_spirv_env_name(options->spirv.env));
	options->inputs = cli_operands(&options->input_count);
	for (size_t i = 0; i < options->input_count; i++)
		from_stdin += !strcmp(options->inputs[i], "-");
	if (from_stdin > 1)
		cli_bad_usage("standard input can be read once");
	if (!options->input_count) {
		options->inputs = standard;
		options->input_count = 1;
	}
	if (limits) {
		if (!cli_read_limits(limits, &warnings, &options->limits))
			cli_exit(CLI_WRONG);
		options->spirv.limits = &options->limits;
	}
}

void options_fini(struct options *options)
{
	for (size_t i = 0; i < options->passed_count; i++)
		free((char *)options->passed[i]);
	free(options->passed);
}
