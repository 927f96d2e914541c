/* SPDX-License-Identifier: MIT */
/*
 * gc-asm: read each input into a module, write the module for each target and in each form,
 * and let all outputs appear together, or none of them.
 */
#include "include.h"
#include "options.h"

#include <glacier/opcode.h>

#include <stdio.h>
#include <stdlib.h>

/* Read, check, write each artifact, stage. outputs: one an artifact, alive until the commit. */
static bool assemble(const struct options *opt, struct glacier_module *module, const char *input,
		     struct glacier_buffer *outputs)
{
	struct cli_file file;
	struct glacier_diag diag;
	struct glacier_text text;
	bool done;

	if (!cli_try_read(input, &file))
		return false;
	text = (struct glacier_text){.name = file.name, .text = file.data, .size = file.size};
	diag = cli_diag(&file);
	diag.max_errors = opt->max_errors;
	diag.disabled = opt->warnings.disabled;
	diag.fatal = opt->warnings.fatal;

	done = emit_read(opt, module, input, &text, &diag) == GLACIER_OK;
	for (size_t i = 0; i < opt->artifact_count && done; i++)
		done = emit_write(opt, module, &opt->artifacts[i], &outputs[i], &diag) == GLACIER_OK;
	for (size_t i = 0; i < opt->artifact_count && done; i++) {
		char *path = output_path(opt, input, i);

		done = cli_stage(path, outputs[i].data, outputs[i].size,
				 output_is_binary(&opt->artifacts[i]));
		if (done)
			cli_say("%s: %zu bytes for %s", file.name, outputs[i].size,
				path ? path : "standard output");
		free(path);
	}
	cli_release(&file);
	return done;
}

/* --list-opcodes: an answer, as --version is one. */
static void list_opcodes(void)
{
	struct glacier_buffer list = {0};

	if (glacier_opcode_list(cli.json, &list) != GLACIER_OK)
		cli_die("out of memory");
	fwrite(list.data, 1, list.size, stdout);
	glacier_buffer_fini(&list);
	cli_exit(CLI_OK);
}

int main(int argc, char **argv)
{
	struct options opt;
	struct includes includes = {0};
	struct glacier_module *module;
	struct glacier_buffer *outputs;
	size_t output_count;
	bool done = true;

	options_parse(&opt, argc, argv);
	if (opt.list_opcodes)
		list_opcodes();
	opt.read.include = include_find;
	opt.read.include_user = &includes;
	output_count = opt.input_count * opt.artifact_count;
	outputs = cli_alloc(output_count * sizeof *outputs);
	for (size_t i = 0; i < output_count; i++)
		outputs[i] = (struct glacier_buffer){0};
	if (glacier_module_create(NULL, &module) != GLACIER_OK)
		cli_die("out of memory");

	for (size_t i = 0; i < opt.input_count; i++)
		done &= assemble(&opt, module, opt.inputs[i], outputs + i * opt.artifact_count);
	done = done && cli_commit();

	glacier_module_destroy(module);
	for (size_t i = 0; i < output_count; i++)
		glacier_buffer_fini(&outputs[i]);
	free(outputs);
	includes_fini(&includes);
	options_fini(&opt);
	cli_exit(done ? CLI_OK : CLI_WRONG);
}
