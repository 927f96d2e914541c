/* SPDX-License-Identifier: MIT */
/*
 * libcli: what every Glacier program does in the same way.
 *
 * A program describes itself in one struct cli_program, reads its options with cli_next,
 * its input with cli_read, hands its output to cli_stage and cli_commit, and ends in
 * cli_exit. The state (settings, temporaries, the worst exit code so far) is the
 * process's own. One thread, except for cli_now_ns.
 */
#ifndef CLI_H
#define CLI_H

#include <glacier/diagnostic.h>
#include <glacier/limits.h>

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

enum cli_code {
	CLI_OK = 0,       /* done, or yes */
	CLI_WRONG = 1,    /* the input is wrong */
	CLI_TROUBLE = 2,  /* could not try: usage, input or output, memory, device */
};

/* --- Options (options.c) ------------------------------------------------------------ */

/* One row drives getopt_long, --help, and the test that compares man page and completions. */
struct cli_option {
	int key;           /* the short letter, or CLI_KEY + n when there is none; 0: a heading */
	const char *name;  /* the long name; "-MD" is spelled so, with one dash; NULL: short alone */
	const char *arg;   /* what its argument is called; NULL: it takes none; "[N]": the long form may do without */
	const char *help;  /* one line; a newline continues it */
};

enum { CLI_KEY = 256, CLI_END = -1 };

struct cli_program {
	const char *name;
	const char *usage;    /* what follows the name; a newline begins another form */
	const char *purpose;  /* one or two lines under the usage */
	const char *closing;  /* after the options: examples; may be NULL */
	const struct cli_option *options;
	size_t option_count;
	const char *(*built_in)(size_t index);  /* names for --version, NULL at the end; may be NULL */
};

/* What the shared options said. */
struct cli_settings {
	const struct cli_program *program;
	bool json;              /* --json */
	bool quiet;             /* -q */
	int verbose;            /* how many -v */
	bool color;             /* messages are coloured */
	bool json_diagnostics;  /* --diagnostics=json */
};

extern struct cli_settings cli;

/* First call of main: takes over the arguments, @files expanded, and the signals' manners. */
void cli_start(const struct cli_program *program, int argc, char **argv);

/*
 * The key of the program's next own option, or CLI_END. The shared options are dealt with
 * inside; bad usage, --help, --version and --explain end the process. *arg is the option's argument or NULL.
 */
int cli_next(const char **arg);

/* After CLI_END: what is no option, in order. NULL-terminated. */
char **cli_operands(size_t *count);

/* The number in an option's argument; outside min..max, or no number, is bad usage. */
uint64_t cli_number(const char *option, const char *arg, uint64_t min, uint64_t max);

/* Every @FILE of the arguments replaced by the words in FILE, with gcc's quoting (response.c). */
char **cli_expand_responses(int *argc, char **argv);

/* -W flags as the bit sets that struct glacier_diag takes (warnings.c). */
struct cli_warnings {
	uint64_t disabled[(GLACIER_WARNING_COUNT + 63) / 64];
	uint64_t fatal[(GLACIER_WARNING_COUNT + 63) / 64];
	/* What was said of errors: of all, and by name, which weighs more. */
	bool all_fatal;
	uint64_t fatal_on[(GLACIER_WARNING_COUNT + 63) / 64];
	uint64_t fatal_off[(GLACIER_WARNING_COUNT + 63) / 64];
};

/* What followed -W: "name", "no-name", "error", "error=name", "no-error", "no-error=name". Unknown: bad usage. */
void cli_warning_flag(struct cli_warnings *warnings, const char *flag);
/* -w: none of them. */
void cli_warnings_off(struct cli_warnings *warnings);
bool cli_warning_is_off(const struct cli_warnings *warnings, enum glacier_warning warning);
/*
 * Tells a row of the table of codes: an error, or a warning as the flags want it. place NULL: of nowhere. False when it
 * was an error.
 */
bool cli_tell(struct glacier_diag *diag, const struct cli_warnings *warnings, const char *code,
	      const struct glacier_location *place);

/* --- Input (input.c) ---------------------------------------------------------------- */

struct cli_file {
	const char *name;  /* for people: the path, or "<stdin>" */
	const void *data;
	size_t size;
	bool mapped;
};

/*
 * Read a whole file; NULL or "-" is standard input. A regular file is mapped, anything
 * else is read. Says what went wrong and returns false.
 */
bool cli_try_read(const char *path, struct cli_file *file);
/* The same, but trouble ends the process. */
struct cli_file cli_read(const char *path);
void cli_release(struct cli_file *file);
/* Does the path end in the suffix, with something before it? */
bool cli_has_suffix(const char *path, const char *suffix);
/*
 * What a kernel is called that has no name but its file's: that up to its first dot, where
 * it is a name of the language; else NULL. Free it.
 */
char *cli_kernel_name(const char *path);
/* Was this file read? Writing over it is never meant. */
bool cli_is_input(const struct stat *status);

/* --- Output (output.c) -------------------------------------------------------------- */

/*
 * Get an output ready under a temporary name; nothing is visible before cli_commit.
 *
 * path    NULL is standard output, where binary is refused on a terminal; "-" insists.
 *         A symbolic link is written through, a file that is replaced keeps its mode.
 *         What exists and is no regular file (/dev/null, a FIFO), or is where standard
 *         output goes (/dev/stdout), is written directly, at the commit.
 * data    must live until the commit.
 *
 * Says what went wrong and returns false.
 */
bool cli_stage(const char *path, const void *data, size_t bytes, bool binary);
/* The same for a file that was read, and is to be replaced: what strip and its like do. */
bool cli_stage_in_place(const char *path, const void *data, size_t bytes);
/* All staged outputs take their names. false: something failed and was said. */
bool cli_commit(void);
/* Forgets what is staged. */
void cli_drop_staged(void);
/* Its part that a signal handler may call. */
void cli_remove_temporaries(void);

/* Cleaning up after SIGINT and its like; called before the first temporary exists (signals.c). */
void cli_catch_signals(void);
/* No handler runs between these two. */
void cli_hold_signals(sigset_t *saved);
void cli_allow_signals(const sigset_t *saved);
/* A mapped file can shrink while it is read: SIGBUS inside these bytes is trouble, not a crash. */
void cli_guard_mapping(const struct cli_file *file);
void cli_unguard_mapping(const struct cli_file *file);

/* --- Messages (report.c, report_json.c) --------------------------------------------- */

/* A sink that prints for this input, which must outlive it. NULL: for no input. */
struct glacier_diag cli_diag(const struct cli_file *file);

/* "program: message": trouble with no place. The process will exit with CLI_TROUBLE. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and it ends here. */
_Noreturn void cli_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What was given is wrong, in a place that has no line: the message, and it ends here. */
_Noreturn void cli_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Bad usage: the message and where to look. */
_Noreturn void cli_bad_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What -v adds. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The exit code that a library's refusal means. */
enum cli_code cli_code_of(enum glacier_status status);
/* Remember that the run went at least this badly. */
void cli_note_code(enum cli_code code);
/* Flushes, finds write errors, removes temporaries, exits with the worst code noted. */
_Noreturn void cli_exit(enum cli_code code);

/* The length of the UTF-8 character at `at`; 0: there is none. */
size_t cli_utf8(const char *at, const char *end);
/* The same, but 0 for what must not reach a terminal. */
size_t cli_printable(const char *at, const char *end);
/* Foreign text for people: what cannot be shown becomes a question mark. */
void cli_print_clean(FILE *out, const char *text, size_t bytes);

/* A message's printf pattern for people: "..." stands for each conversion. Cut to fit out. */
void cli_message_pattern(const char *text, char *out, size_t bytes);

/* Before each: a message is one write, so that lines of several programs do not mix. */
void cli_begin_message(void);
/* The JSON form of messages: an array that is closed at exit. */
void cli_json_report(const char *input, const struct glacier_diagnostic *diagnostic);
void cli_json_report_end(void);

/* Drawn over itself on a terminal, in runs above a second; never in logs (progress.c). */
void cli_progress(const char *what, uint64_t done, uint64_t total);
void cli_progress_clear(void);

/* --- JSON (json.c) ------------------------------------------------------------------ */

/* Writes one document; the caller keeps the order right. key is NULL inside an array. */
struct cli_json {
	FILE *out;
	bool comma;  /* something stands before, on this level */
};

void cli_json_open(struct cli_json *json, const char *key, char bracket);
void cli_json_close(struct cli_json *json, char bracket);
void cli_json_string(struct cli_json *json, const char *key, const char *value);
/* Above 2^53 as strings: readers take numbers as doubles. */
void cli_json_int(struct cli_json *json, const char *key, int64_t value);
void cli_json_uint(struct cli_json *json, const char *key, uint64_t value);
/* The shortest decimal that reads back as the same double. */
void cli_spell_real(double value, char out[32]);
/* null when it is not finite. */
void cli_json_real(struct cli_json *json, const char *key, double value);
void cli_json_bool(struct cli_json *json, const char *key, bool value);

/* --- Limits of a device (limits.c) -------------------------------------------------- */

/*
 * Read a file of --limits: JSON with the members of VkPhysicalDeviceLimits, alone or as
 * vulkaninfo --json writes them. What it does not name is 0, not known. Says what is wrong
 * with it and returns false.
 */
bool cli_read_limits(const char *path, const struct cli_warnings *warnings, struct glacier_limits *limits);

/* --- Tables (table.c) --------------------------------------------------------------- */

enum cli_cell_kind { CLI_CELL_TEXT, CLI_CELL_INT, CLI_CELL_UINT, CLI_CELL_REAL, CLI_CELL_BOOL };

/* One description gives the text table, JSON and CSV. */
struct cli_column {
	const char *key;    /* JSON and CSV: snake_case, the unit at its end ("time_ns") */
	const char *title;  /* text */
	enum cli_cell_kind kind;
	int digits;         /* text: after the point of a real */
};

union cli_cell {
	const char *text;  /* copied; NULL is empty, null in JSON */
	int64_t i;
	uint64_t u;
	double real;       /* NaN: not known */
	bool yes;
};

enum cli_table_form { CLI_TABLE_TEXT, CLI_TABLE_JSON, CLI_TABLE_CSV };

struct cli_table {
	const char *schema;  /* JSON: "glacier-asm-stats" */
	const struct cli_column *columns;
	size_t column_count;
	union cli_cell *cells;  /* row after row */
	size_t row_count, row_capacity;
};

void cli_table_init(struct cli_table *table, const char *schema,
		    const struct cli_column *columns, size_t column_count);
/* column_count cells. */
void cli_table_add(struct cli_table *table, const union cli_cell *cells);
void cli_table_print(const struct cli_table *table, enum cli_table_form form, FILE *out);
void cli_table_fini(struct cli_table *table);

/* --- Measuring (bench.c) ------------------------------------------------------------ */

struct cli_stats {
	size_t runs;
	double median, mad;  /* mad: the median of the distances from the median */
	double min, max;
};

/* A steady clock. Any thread. */
uint64_t cli_now_ns(void);
/* Sorts the samples. All zero when there are none. */
struct cli_stats cli_stats(double *samples, size_t count);
/* Call `work` warmup times, then `runs` times with the clock: nanoseconds of one call. */
struct cli_stats cli_bench(void (*work)(void *user), void *user, size_t warmup, size_t runs);

/* Memory or the end of the process. */
void *cli_alloc(size_t bytes);
void *cli_realloc(void *old, size_t bytes);
char *cli_strdup(const char *text);

#endif
