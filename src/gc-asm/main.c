/* SPDX-License-Identifier: MIT */
/*
 * gc-asm: read each input into a module, write the module for each target and in each form,
 * and let all outputs appear together, or none of them.
 */
#include "depend.h"
#include "common/include.h"
#include "options.h"
#include "stats.h"

#include <glacier/opcode.h>
#include <glacier/spirv.h>

#include <stdio.h>
#include <stdlib.h>

/* What lives as long as the run. */
struct run {
	struct options opt;
	struct includes includes;
	struct depend depend;
	struct run_stats stats;
	struct glacier_module *module;
	struct glacier_memory checks;   /* of --validate */
};

/* The reader stops at the limit, so that more may follow. */
static void note_stop(const struct glacier_diag *diag, uint32_t max_errors)
{
	if (diag->errors >= max_errors)
		diag->report(diag->user, &(struct glacier_diagnostic){
						 .severity = GLACIER_NOTE,
						 .message = "too many errors: reading stopped; see --max-errors",
					 });
}

/* What is made must be valid: where it is not, the fault is ours. */
static bool validate(struct run *run, const struct cli_file *file, size_t artifact, const struct glacier_buffer *made)
{
	const struct options *opt = &run->opt;
	struct cli_file module = {.name = "the SPIR-V made", .data = made->data, .size = made->size};
	struct glacier_diag diag = cli_diag(&module);

	if (!opt->validate || !output_is_binary(&opt->artifacts[artifact]))
		return true;
	diag.max_errors = opt->max_errors;
	if (glacier_spirv_validate(&run->checks, made->data, made->size, NULL, &diag) == GLACIER_OK)
		return true;
	cli_error("%s: a fault of gc-asm: what it makes is not valid", file->name);
	return false;
}

/* Write each artifact, and stage. outputs: one an artifact, alive until the commit. */
static bool write_artifacts(struct run *run, const char *input, const struct cli_file *file,
			    struct glacier_buffer *outputs, struct glacier_diag *diag)
{
	const struct options *opt = &run->opt;
	bool done = true;

	for (size_t i = 0; i < opt->artifact_count && done; i++)
		done = emit_write(opt, run->module, &opt->artifacts[i], &outputs[i], diag) == GLACIER_OK &&
		       validate(run, file, i, &outputs[i]);
	for (size_t i = 0; i < opt->artifact_count && done; i++) {
		char *path = output_path(opt, input, i);

		done = cli_stage(path, outputs[i].data, outputs[i].size,
				 output_is_binary(&opt->artifacts[i]));
		if (done)
			cli_say("%s: %zu bytes for %s", file->name, outputs[i].size,
				path ? path : "standard output");
		free(path);
	}
	return done;
}

static bool assemble(struct run *run, const char *input, struct glacier_buffer *outputs)
{
	const struct options *opt = &run->opt;
	uint64_t begun_ns = opt->stats ? cli_now_ns() : 0;
	struct cli_file file;
	struct glacier_diag diag;
	struct glacier_text text;
	bool done;

	if (!cli_try_read(input, &file))
		return false;
	if (opt->stats)
		stats_add_read(&run->stats, &file, begun_ns);
	text = (struct glacier_text){.name = file.name, .text = file.data, .size = file.size};
	diag = cli_diag(&file);
	diag.max_errors = opt->max_errors;
	diag.disabled = opt->warnings.disabled;
	diag.fatal = opt->warnings.fatal;
	includes_begin(&run->includes);

	done = emit_read(opt, run->module, input, &text, &diag) == GLACIER_OK;
	if (!done)
		note_stop(&diag, opt->max_errors);
	if (done && (opt->depend.alone || opt->depend.beside))
		done = depend_add(&run->depend, opt, input, &run->includes);
	if (done && !opt->depend.alone)
		done = write_artifacts(run, input, &file, outputs, &diag);
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
	struct run run = {0};
	struct options *opt = &run.opt;
	struct glacier_buffer *outputs;
	size_t output_count;
	bool done = true;

	options_parse(opt, argc, argv);
	if (opt->list_opcodes)
		list_opcodes();
	opt->read.include = include_find;
	opt->read.include_user = &run.includes;
	if (opt->stats) {
		stats_init(&run.stats);
		opt->read.stats = opt->write.stats = &run.stats.hook;
	}
	glacier_memory_init(&run.checks, NULL, 0);
	output_count = opt->input_count * opt->artifact_count;
	outputs = cli_alloc((output_count + 1) * sizeof *outputs);
	for (size_t i = 0; i < output_count; i++)
		outputs[i] = (struct glacier_buffer){0};
	if (glacier_module_create(NULL, &run.module) != GLACIER_OK)
		cli_die("out of memory");

	for (size_t i = 0; i < opt->input_count; i++)
		done &= assemble(&run, opt->inputs[i], outputs + i * opt->artifact_count);
	done = done && depend_stage(&run.depend) && cli_commit();
	/* Where outputs go to standard output nothing else may stand. */
	if (done && opt->stats)
		stats_print(&run.stats, options_use_stdout(opt) ? stderr : stdout);

	glacier_module_destroy(run.module);
	for (size_t i = 0; i < output_count; i++)
		glacier_buffer_fini(&outputs[i]);
	free(outputs);
	glacier_memory_fini(&run.checks);
	stats_fini(&run.stats);
	depend_fini(&run.depend);
	includes_fini(&run.includes);
	options_fini(opt);
	cli_exit(done ? CLI_OK : CLI_WRONG);
}
