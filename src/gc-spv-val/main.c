/* SPDX-License-Identifier: MIT */
/* gc-spv-val: read each module, validate it, say what is wrong. */
#include "against.h"
#include "options.h"
#include "report.h"

struct run {
	struct options opt;
	struct report report;
	struct glacier_memory memory;
};

/* A verdict of spirv-val that is another: as an error of this file. */
static void compare(const struct cli_file *file, bool valid, const struct against *against)
{
	char message[640];
	struct glacier_diag diag = cli_diag(file);

	if (against->valid == valid)
		return;
	cli_note_code(CLI_WRONG);
	if (cli.json)
		return;
	if (against->valid)
		snprintf(message, sizeof message, "spirv-val accepts this module");
	else
		snprintf(message, sizeof message, "spirv-val refuses this module: %s", against->message);
	diag.report(diag.user, &(struct glacier_diagnostic){
				       .severity = GLACIER_ERROR, .message = message, .status = GLACIER_ERR_INVALID});
}

static void validate(struct run *run, const char *input)
{
	const struct options *opt = &run->opt;
	struct against against = {0};
	struct glacier_diag diag;
	struct cli_file file;
	bool valid, asked = false;

	if (!cli_try_read(input, &file))
		return;
	if (cli.json)
		report_begin_module(&run->report, file.name);
	diag = cli.json ? report_diag(&run->report) : cli_diag(&file);
	diag.max_errors = opt->max_errors;
	valid = glacier_spirv_validate(&run->memory, file.data, file.size, &opt->spirv, &diag) == GLACIER_OK;
	if (opt->against)
		asked = against_run(opt, &file, &against);
	if (asked)
		compare(&file, valid, &against);
	if (cli.json)
		report_end_module(&run->report, valid, asked ? &against : NULL);
	else if (valid)
		cli_say("%s: valid", file.name);
	cli_release(&file);
}

int main(int argc, char **argv)
{
	struct run run = {0};

	options_parse(&run.opt, argc, argv);
	glacier_memory_init(&run.memory, NULL, 0);
	if (cli.json)
		report_begin(&run.report);
	for (size_t i = 0; i < run.opt.input_count; i++)
		validate(&run, run.opt.inputs[i]);
	if (cli.json)
		report_end(&run.report);
	glacier_memory_fini(&run.memory);
	options_fini(&run.opt);
	cli_exit(CLI_OK);
}
