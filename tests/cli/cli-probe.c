/* SPDX-License-Identifier: MIT */
/*
 * cli-probe COMMAND - a program that does nothing but what libcli does, so that its
 * manners can be tested without a compiler behind them.
 */
#include "common/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEY_BINARY = CLI_KEY, KEY_FORM, KEY_MAX_ERRORS };

static const struct cli_option options[] = {
	{0, NULL, NULL, "Output:"},
	{'o', "output", "FILE", "write to FILE; - is standard output"},
	{KEY_BINARY, "binary", NULL, "the output is no text"},
	{KEY_FORM, "form", "FORM", "table: text (default), json or csv"},
	{'W', NULL, "[no-]NAME", "turn a warning on or off"},
	{'w', NULL, NULL, "no warnings"},
	{KEY_MAX_ERRORS, "max-errors", "NUMBER", "stop after so many errors\n(20 if it is not given)"},
};

static const char *built_in(size_t index)
{
	return index == 0 ? "one" : index == 1 ? "two" : NULL;
}

static const struct cli_program program = {
	.name = "cli-probe",
	.usage = "[OPTION]... COMMAND [ARGUMENT]...\n--version",
	.purpose = "Do what every Glacier program does, and nothing else.",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.built_in = built_in,
};

static struct {
	const char *output;
	bool binary;
	enum cli_table_form form;
	struct cli_warnings warnings;
	uint64_t max_errors;
	char **args;
} opt;

static void parse_options(int argc, char **argv)
{
	const char *arg;
	size_t count;
	int key;

	cli_start(&program, argc, argv);
	while ((key = cli_next(&arg)) != CLI_END) {
		switch (key) {
		case 'o': opt.output = arg; break;
		case KEY_BINARY: opt.binary = true; break;
		case KEY_FORM:
			opt.form = !strcmp(arg, "csv")    ? CLI_TABLE_CSV
				   : !strcmp(arg, "json") ? CLI_TABLE_JSON
							  : CLI_TABLE_TEXT;
			break;
		case 'W': cli_warning_flag(&opt.warnings, arg); break;
		case 'w': cli_warnings_off(&opt.warnings); break;
		case KEY_MAX_ERRORS:
			opt.max_errors = cli_number("--max-errors", arg, 1, UINT32_MAX);
			break;
		}
	}
	opt.args = cli_operands(&count);
	if (!count)
		cli_bad_usage("a command is needed");
	opt.args++;
}

static void print_args(void)
{
	for (char **arg = opt.args; *arg; arg++)
		printf("<%s>\n", *arg);
}

/* copy [FILE]...: the inputs, one behind the other. */
static void copy(void)
{
	static const char *standard_input[] = {"-", NULL};
	const char **paths = *opt.args ? (const char **)opt.args : standard_input;
	struct cli_file file;
	unsigned char *all = NULL;
	size_t size = 0;
	bool read_all = true;

	for (; *paths; paths++) {
		if (!cli_try_read(*paths, &file)) {
			read_all = false;
			continue;
		}
		cli_say("%s: %zu bytes", file.name, file.size);
		all = cli_realloc(all, size + file.size);
		if (file.size)
			memcpy(all + size, file.data, file.size);
		size += file.size;
		cli_release(&file);
	}
	if (read_all && cli_stage(opt.output, all, size, opt.binary))
		cli_commit();
	free(all);
}

/* twice A B: two outputs, which appear together or not at all. */
static void twice(void)
{
	if (cli_stage(opt.args[0], "one\n", 4, false) && cli_stage(opt.args[1], "two\n", 4, false))
		cli_commit();
}

/* fail: an error is found when the output is already staged. */
static void fail(void)
{
	cli_stage(opt.output, "half an output\n", 15, false);
	cli_note_code(CLI_WRONG);
}

/* signal NUMBER: it arrives while a temporary exists. */
static void take_signal(void)
{
	int number = (int)cli_number("signal", opt.args[0], 1, 64);

	/* The test's own parent may ignore it. */
	signal(number, SIG_DFL);
	cli_stage(opt.output, "never seen\n", 11, false);
	raise(number);
	puts("still here");
}

/* shrink FILE: another process makes a mapped input shorter. */
static void shrink(void)
{
	struct cli_file file = cli_read(opt.args[0]);
	volatile const unsigned char *bytes = file.data;

	cli_stage(opt.output, "never seen\n", 11, false);
	if (truncate(opt.args[0], 0))
		cli_die("cannot truncate");
	printf("%d\n", bytes[file.size - 1]);
}

static void table(void)
{
	static const struct cli_column columns[] = {
		{"kernel", "kernel", CLI_CELL_TEXT, 0},      {"size_bytes", "bytes", CLI_CELL_UINT, 0},
		{"change_elems", "change", CLI_CELL_INT, 0}, {"time_ns", "ns", CLI_CELL_REAL, 2},
		{"passed", "passed", CLI_CELL_BOOL, 0},
	};
	static const double nan = __builtin_nan("");
	struct cli_table rows;

	cli_table_init(&rows, "cli-probe-table", columns, sizeof columns / sizeof *columns);
	cli_table_add(&rows, (union cli_cell[]){{.text = "saxpy"}, {.u = 12}, {.i = -3}, {.real = 0.1}, {.yes = true}});
	cli_table_add(&rows, (union cli_cell[]){{.text = "a \"b\", c"}, {.u = UINT64_MAX}, {.i = INT64_MIN}, {.real = nan}, {.yes = false}});
	cli_table_add(&rows, (union cli_cell[]){{.text = "\xc3\xa4\xff\33"}, {.u = UINT64_C(1) << 53}, {.i = 0}, {.real = 1e6}, {.yes = true}});
	cli_table_add(&rows, (union cli_cell[]){{.text = NULL}, {.u = 0}, {.i = 7}, {.real = -2.345}, {.yes = false}});
	cli_table_print(&rows, opt.form, stdout);
	cli_table_fini(&rows);
}

static void stats(void)
{
	double samples[64];
	struct cli_stats result;
	size_t count = 0;

	for (; count < 64 && opt.args[count]; count++)
		samples[count] = strtod(opt.args[count], NULL);
	result = cli_stats(samples, count);
	printf("runs %zu median %g mad %g min %g max %g\n", result.runs, result.median, result.mad,
	       result.min, result.max);
}

static void count_call(void *user)
{
	++*(unsigned *)user;
}

static void bench(void)
{
	unsigned calls = 0;
	struct cli_stats result = cli_bench(count_call, &calls, 3, 10);

	printf("calls %u runs %zu in order %d\n", calls, result.runs,
	       result.min <= result.median && result.median <= result.max);
}

static void warnings(void)
{
	for (int i = GLACIER_WARNING_NONE + 1; i < GLACIER_WARNING_COUNT; i++)
		printf("%s: %s\n", glacier_warning_name((enum glacier_warning)i),
		       opt.warnings.disabled[i / 64] >> (i % 64) & 1 ? "off"
		       : opt.warnings.fatal[i / 64] >> (i % 64) & 1  ? "error"
								     : "warning");
}

/* Draws for a little more than the second that a run must last before it shows. */
static void progress(void)
{
	for (unsigned i = 0; i <= 12; i++) {
		cli_progress("work", i, 12);
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	}
	puts("done");
}

static struct glacier_location text_at(const char *line, uint32_t column, uint32_t length)
{
	return (struct glacier_location){
		.kind = GLACIER_LOCATION_TEXT,
		.line = 7,
		.column = column,
		.length = length,
		.source_line = line,
		.source_line_bytes = strlen(line),
	};
}

static void diagnostics(void)
{
	struct cli_file file = {.name = "a.gasm"}, nameless = {.name = "<stdin>"};
	struct glacier_diag diag = cli_diag(&file), diag_stdin = cli_diag(&nameless);
	char *wide = cli_alloc(100001);
	struct glacier_diagnostic d = {
		.code = "GA0012",
		.status = GLACIER_ERR_INVALID,
		.message = "unknown opcode 'Ad'",
		.location = text_at("\t%x\t= Ad.f32 %a, %b", 7, 6),
	};

	diag.report(diag.user, &d);
	d.location = text_at("  %x = Add.f32 %a,\r", 19, 1);
	d.message = "an operand is missing";
	diag_stdin.report(diag_stdin.user, &d);
	d.location = text_at("  \xc3\xa4\xff\33[31m %x", 12, 2);
	d.message = "what cannot be shown: \33[31m \xc2\x9b \xe2\x80\xae \xc3\xa4";
	diag.report(diag.user, &d);

	memset(wide, 'a', 100000);
	wide[100000] = '\0';
	memcpy(wide + 50000, " here ", 6);
	d.location = text_at(wide, 50002, 4);
	d.message = "a line of 100000 bytes";
	diag.report(diag.user, &d);
	d.location = text_at(wide, 1, 100000);
	d.message = "at its beginning";
	diag.report(diag.user, &d);
	d.location = text_at(wide, 100001, 1);
	d.message = "at its end";
	diag.report(diag.user, &d);

	d.severity = GLACIER_WARNING;
	d.flag = "unused";
	d.message = "%x is never read";
	d.location = text_at("%x = Mov.u32 1", 1, 2);
	diag.report(diag.user, &d);
	d.severity = GLACIER_NOTE;
	d.code = d.flag = NULL;
	d.message = "written here";
	d.location.source = "b.gasm";
	diag.report(diag.user, &d);
	d.severity = GLACIER_ERROR;
	d.code = "GA0013";
	d.flag = "unset";
	d.message = "%y is read before it is written";
	d.location = text_at("%x = Mov.u32 %y", 14, 2);
	diag.report(diag.user, &d);

	d.flag = NULL;
	d.code = "DX0003";
	d.message = "part 0 starts at 4096, container has 84 bytes";
	d.location = (struct glacier_location){.kind = GLACIER_LOCATION_BINARY, .offset = 32, .word = 8};
	diag.report(diag.user, &d);
	d.code = "GA0044";
	d.message = "unknown key \"thn\"";
	d.location = (struct glacier_location){.kind = GLACIER_LOCATION_PATH, .path = "kernels[0].body[3]"};
	diag.report(diag.user, &d);
	d.code = "GA0001";
	d.message = "nothing is known of the place";
	d.location = (struct glacier_location){.kind = GLACIER_LOCATION_NONE};
	diag = cli_diag(NULL);
	diag.report(diag.user, &d);
	free(wide);
}

static const struct {
	char name[16];
	unsigned args;  /* at least */
	void (*run)(void);
} commands[] = {
	{"args", 0, print_args},   {"copy", 0, copy},         {"twice", 2, twice},
	{"fail", 0, fail},         {"signal", 1, take_signal}, {"shrink", 1, shrink},
	{"table", 0, table},       {"stats", 0, stats},       {"bench", 0, bench},
	{"warnings", 0, warnings}, {"progress", 0, progress}, {"diagnostics", 0, diagnostics},
};

int main(int argc, char **argv)
{
	const char *name;
	unsigned given = 0;

	parse_options(argc, argv);
	name = opt.args[-1];
	while (opt.args[given])
		given++;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		if (strcmp(name, commands[i].name))
			continue;
		if (given < commands[i].args)
			cli_bad_usage("%s needs %u arguments", name, commands[i].args);
		commands[i].run();
		cli_exit(CLI_OK);
	}
	cli_bad_usage("no command is named '%s'", name);
}
