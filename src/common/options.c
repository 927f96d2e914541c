/* SPDX-License-Identifier: MIT */
/*
 * One table of options drives getopt_long, --help and the tests that compare it with the
 * man page and the completions. --help, --version and --explain answer after all options
 * are read, so that --json counts wherever it stands.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cli_settings cli;

/* Above every key of a program. */
enum { KEY_JSON = 4096, KEY_COLOR, KEY_EXPLAIN, KEY_DIAGNOSTICS };

static const struct cli_option shared_options[] = {
	{0, NULL, NULL, "Every Glacier program:"},
	{'h', "help", NULL, "print this help"},
	{'V', "version", NULL, "print the version and what is built in"},
	{KEY_JSON, "json", NULL, "print what is asked for as one JSON document"},
	{KEY_COLOR, "color", "WHEN", "colour messages: auto (default), always or never"},
	{'q', "quiet", NULL, "print errors alone: no warnings, no progress"},
	{'v', "verbose", NULL, "say what is being done"},
	{KEY_EXPLAIN, "explain", "CODE", "print cause and remedy of a message's code, as GA0001"},
	{KEY_DIAGNOSTICS, "diagnostics", "FORM", "print messages as text (default) or json"},
};

#define SHARED_COUNT (sizeof shared_options / sizeof *shared_options)

static struct {
	int argc;
	char **argv;
	char *short_options;
	struct option *long_options;
	char **operands;
	size_t operand_count;
	const char *color;
	const char *explain;
	bool help, version;
} state;

/* A descriptor 0, 1 or 2 that is closed would be given to the next file that is opened. */
static void fill_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		/* The wrong direction: using it fails, as using a closed one does. */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			_exit(CLI_TROUBLE);
	}
}

/* "-MD": one dash and several letters, which getopt does not know. */
static bool is_spelled(const struct cli_option *option)
{
	return option->name && *option->name == '-';
}

static void add_options(const struct cli_option *options, size_t count, char **letter,
			struct option **row)
{
	for (size_t i = 0; i < count; i++) {
		const struct cli_option *option = &options[i];

		if (!option->key || is_spelled(option))
			continue;
		if (option->key < CLI_KEY) {
			*(*letter)++ = (char)option->key;
			if (option->arg)
				*(*letter)++ = ':';
		}
		if (option->name)
			*(*row)++ = (struct option){
				.name = option->name,
				.has_arg = !option->arg ? no_argument
					   : *option->arg == '[' ? optional_argument : required_argument,
				.val = option->key,
			};
	}
}

void cli_start(const struct cli_program *program, int argc, char **argv)
{
	size_t count = program->option_count + SHARED_COUNT;
	struct option *row;
	char *letter;

	cli.program = program;
	fill_standard_descriptors();
	signal(SIGPIPE, SIG_DFL);

	state.argc = argc;
	state.argv = cli_expand_responses(&state.argc, argv);
	letter = state.short_options = cli_alloc(2 * count + 3);
	row = state.long_options = cli_alloc((count + 1) * sizeof *row);
	/* "-": operands come in order, whatever POSIXLY_CORRECT says. ":": the messages are ours. */
	*letter++ = '-';
	*letter++ = ':';
	add_options(program->options, program->option_count, &letter, &row);
	add_options(shared_options, SHARED_COUNT, &letter, &row);
	*letter = '\0';
	*row = (struct option){0};
	state.operands = cli_alloc(((size_t)state.argc + 1) * sizeof *state.operands);
}

/* --- What ends the process ------------------------------------------------------------ */

/* "-o, --output=FILE", "    --json", "-DNAME=VALUE", "-MF FILE" */
static int print_option_name(const struct cli_option *option)
{
	const char *arg = option->arg ? option->arg : "";

	if (!option->name)
		return printf("  -%c%s", option->key, arg);
	/* "[NUMBER]": the long form alone may stand without it. */
	if (*arg == '[')
		return option->key < CLI_KEY ? printf("  -%c, --%s[=%s", option->key, option->name, arg + 1)
					     : printf("      --%s[=%s", option->name, arg + 1);
	if (is_spelled(option))
		return printf("  %s%s%s", option->name, *arg ? " " : "", arg);
	if (option->key < CLI_KEY)
		return printf("  -%c, --%s%s%s", option->key, option->name, *arg ? "=" : "", arg);
	return printf("      --%s%s%s", option->name, *arg ? "=" : "", arg);
}

static void print_options(const struct cli_option *options, size_t count)
{
	enum { HELP_COLUMN = 28 };

	for (size_t i = 0; i < count; i++) {
		const char *help = options[i].help, *end;
		int column;

		if (!options[i].key) {
			printf("\n%s\n", help);
			continue;
		}
		column = print_option_name(&options[i]);
		if (column > HELP_COLUMN - 2) {
			putchar('\n');
			column = 0;
		}
		for (; (end = strchr(help, '\n')); help = end + 1, column = 0)
			printf("%*s%.*s\n", HELP_COLUMN - column, "", (int)(end - help), help);
		printf("%*s%s\n", HELP_COLUMN - column, "", help);
	}
}

static _Noreturn void print_help(void)
{
	const struct cli_program *program = cli.program;
	const char *form = program->usage, *end;

	for (const char *lead = "Usage:"; form; lead = "   or:", form = end ? end + 1 : NULL) {
		end = strchr(form, '\n');
		printf("%s %s %.*s\n", lead, program->name,
		       end ? (int)(end - form) : (int)strlen(form), form);
	}
	printf("%s\n", program->purpose);
	print_options(program->options, program->option_count);
	print_options(shared_options, SHARED_COUNT);
	printf("\nThe exit status is 0 for done, 1 if the input is wrong, 2 if it could not be tried.\n");
	if (program->closing)
		printf("\n%s\n", program->closing);
	cli_exit(CLI_OK);
}

static _Noreturn void print_version(void)
{
	const struct cli_program *program = cli.program;
	const char *name;

	if (cli.json) {
		struct cli_json json = {.out = stdout};

		cli_json_open(&json, NULL, '{');
		cli_json_string(&json, "schema", "glacier-version");
		cli_json_uint(&json, "version", 1);
		cli_json_string(&json, "program", program->name);
		cli_json_string(&json, "release", glacier_version());
		cli_json_open(&json, "built_in", '[');
		for (size_t i = 0; program->built_in && (name = program->built_in(i)); i++)
			cli_json_string(&json, NULL, name);
		cli_json_close(&json, ']');
		cli_json_close(&json, '}');
		putchar('\n');
		cli_exit(CLI_OK);
	}
	/* No printf: this is the program's shortest run, and the one that is measured. */
	fputs(program->name, stdout);
	fputs(" (glacier) ", stdout);
	fputs(glacier_version(), stdout);
	fputs("\n", stdout);
	for (size_t i = 0; program->built_in && (name = program->built_in(i)); i++) {
		fputs(i ? " " : "built in: ", stdout);
		fputs(name, stdout);
		if (!program->built_in(i + 1))
			fputs("\n", stdout);
	}
	cli_exit(CLI_OK);
}

/* GA0012 itself, or the name of a warning: that is what its message shows. */
static bool find_code(const char *name, struct glacier_code_info *info)
{
	enum glacier_warning warning;

	if (glacier_code_find(name, info))
		return true;
	warning = glacier_warning_find(!strncmp(name, "-W", 2) ? name + 2 : name);
	if (warning == GLACIER_WARNING_NONE)
		return false;
	for (size_t i = 0; glacier_code_at(i, info); i++)
		if (info->warning == warning)
			return true;
	return false;
}

static _Noreturn void print_explanation(const char *code)
{
	struct glacier_code_info info;
	char pattern[512];

	if (!find_code(code, &info))
		cli_die("no message has the code '%s'; glacier-diagnostics(7) lists them", code);
	if (cli.json) {
		struct cli_json json = {.out = stdout};

		cli_json_open(&json, NULL, '{');
		cli_json_string(&json, "schema", "glacier-code");
		cli_json_uint(&json, "version", 1);
		cli_json_string(&json, "code", info.code);
		cli_json_string(&json, "warning", glacier_warning_name(info.warning));
		cli_json_string(&json, "text", info.text);
		cli_json_string(&json, "cause", info.cause);
		cli_json_string(&json, "remedy", info.remedy);
		cli_json_string(&json, "clause", info.clause);
		cli_json_close(&json, '}');
		putchar('\n');
		cli_exit(CLI_OK);
	}
	cli_message_pattern(info.text, pattern, sizeof pattern);
	printf("%s: %s", info.code, pattern);
	if (info.warning)
		printf(" [-W%s]", glacier_warning_name(info.warning));
	printf("\n\n%s\n%s\n\nSee %s.\n", info.cause, info.remedy, info.clause);
	cli_exit(CLI_OK);
}

/* --- Reading them --------------------------------------------------------------------- */

static void set_color(void)
{
	const char *when = state.color ? state.color : "auto", *value;

	if (!strcmp(when, "always")) {
		cli.color = true;
	} else if (!strcmp(when, "auto")) {
		value = getenv("NO_COLOR");
		if (value && *value)
			return;
		value = getenv("TERM");
		cli.color = value && strcmp(value, "dumb") && isatty(STDERR_FILENO);
	} else if (strcmp(when, "never")) {
		cli_bad_usage("--color takes auto, always or never, not '%s'", when);
	}
}

static bool shared_option(int key)
{
	switch (key) {
	case 'h': state.help = true; break;
	case 'V': state.version = true; break;
	case 'q': cli.quiet = true; break;
	case 'v': cli.verbose++; break;
	case KEY_JSON: cli.json = true; break;
	case KEY_COLOR: state.color = optarg; break;
	case KEY_EXPLAIN: state.explain = optarg; break;
	case KEY_DIAGNOSTICS:
		cli.json_diagnostics = !strcmp(optarg, "json");
		if (!cli.json_diagnostics && strcmp(optarg, "text"))
			cli_bad_usage("--diagnostics takes text or json, not '%s'", optarg);
		break;
	default: return false;
	}
	return true;
}

/* Does "--name" or "--name=value" begin as a long option does? */
static bool begins_an_option(const char *word)
{
	size_t bytes = strcspn(word + 2, "=");

	for (const struct option *row = state.long_options; row->name; row++)
		if (!strncmp(row->name, word + 2, bytes))
			return true;
	return false;
}

/* What getopt_long stumbled over. Its own messages know neither --diagnostics=json nor terminals. */
static _Noreturn void refuse_option(bool lacks_argument)
{
	/* optopt is a letter or a long option's key; 0: the last word is no long option. */
	const char *word = state.argv[optind - 1];
	bool is_long = !strncmp(word, "--", 2);

	if (lacks_argument && is_long)
		cli_bad_usage("option '%s' takes an argument", word);
	if (lacks_argument)
		cli_bad_usage("option '-%c' takes an argument", optopt);
	/* Within "-ab" the last word is still the one before. */
	if (optopt == ':' || (optopt && optopt < CLI_KEY && !strchr(state.short_options + 2, optopt)))
		cli_bad_usage("there is no option '-%c'", optopt);
	if (optopt)
		cli_bad_usage("option '%.*s' takes no argument", (int)strcspn(word, "="), word);
	if (begins_an_option(word))
		cli_bad_usage("option '%s' can mean several", word);
	cli_bad_usage("there is no option '%s'", word);
}

/*
 * The spelled option that the word is, or begins with when a value may follow it. Their
 * first letters belong to them alone, so that "-Mx" is none and nothing else either.
 */
static const struct cli_option *find_spelled(const char *word)
{
	const struct cli_program *program = cli.program;
	bool begun = false;

	for (size_t i = 0; i < program->option_count; i++) {
		const struct cli_option *option = &program->options[i];

		if (!is_spelled(option))
			continue;
		begun |= word[1] == option->name[1];
		if (option->arg ? !strncmp(word, option->name, strlen(option->name))
				: !strcmp(word, option->name))
			return option;
	}
	if (begun)
		cli_bad_usage("there is no option '%s'", word);
	return NULL;
}

/* Its key, with optind and optarg as getopt leaves them; 0: it is none. */
static int next_spelled(void)
{
	const char *word = optind < state.argc ? state.argv[optind] : NULL;
	const struct cli_option *option = word && *word == '-' ? find_spelled(word) : NULL;

	if (!option)
		return 0;
	optind++;
	optarg = NULL;
	if (!option->arg)
		return option->key;
	if (word[strlen(option->name)])
		optarg = (char *)word + strlen(option->name);
	else if (optind < state.argc)
		optarg = state.argv[optind++];
	else
		cli_bad_usage("option '%s' takes an argument", option->name);
	return option->key;
}

int cli_next(const char **arg)
{
	int key;

	do {
		key = next_spelled();
		if (!key)
			key = getopt_long(state.argc, state.argv, state.short_options,
					  state.long_options, NULL);
		if (key == 1)
			state.operands[state.operand_count++] = optarg;
		if (key == '?' || key == ':')
			refuse_option(key == ':');
	} while (key == 1 || shared_option(key));
	*arg = optarg;
	if (key >= 0)
		return key;

	/* What stands behind "--". */
	while (optind < state.argc)
		state.operands[state.operand_count++] = state.argv[optind++];
	state.operands[state.operand_count] = NULL;
	set_color();
	if (state.help)
		print_help();
	if (state.version)
		print_version();
	if (state.explain)
		print_explanation(state.explain);
	return CLI_END;
}

char **cli_operands(size_t *count)
{
	*count = state.operand_count;
	return state.operands;
}

uint64_t cli_number(const char *option, const char *arg, uint64_t min, uint64_t max)
{
	uint64_t value;
	char *end;

	errno = 0;
	value = strtoull(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || value < min || value > max)
		cli_bad_usage("%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'",
			      option, min, max, arg);
	return value;
}
