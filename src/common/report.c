/* SPDX-License-Identifier: MIT */
/*
 * What people read on standard error, and the way out.
 *
 *	FILE:LINE:COLUMN: error: MESSAGE [GA0012]
 *	the source line
 *	    ^~~~
 */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum cli_code worst;

/* --- Foreign text ----------------------------------------------------------------------- */

size_t cli_utf8(const char *at, const char *end)
{
	const unsigned char *b = (const unsigned char *)at;
	size_t n = *b < 0x80 ? 1 : *b >= 0xc2 && *b < 0xe0 ? 2 : *b >= 0xe0 && *b < 0xf0 ? 3
		   : *b >= 0xf0 && *b < 0xf5 ? 4 : 0;

	if (!n || (size_t)(end - at) < n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((b[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, beyond U+10FFFF. */
	if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] >= 0xa0) ||
	    (b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] >= 0x90))
		return 0;
	return n;
}

size_t cli_printable(const char *at, const char *end)
{
	const unsigned char *b = (const unsigned char *)at;
	size_t n = cli_utf8(at, end);

	/* Controls, those of Latin 1 too, and what reorders or breaks a line (U+2028-202E, U+2066-2069). */
	if ((n == 1 && (b[0] < 0x20 || b[0] == 0x7f)) || (n == 2 && b[0] == 0xc2 && b[1] < 0xa0) ||
	    (n == 3 && b[0] == 0xe2 && b[1] == 0x80 && b[2] >= 0xa8 && b[2] <= 0xae) ||
	    (n == 3 && b[0] == 0xe2 && b[1] == 0x81 && b[2] >= 0xa6 && b[2] <= 0xa9))
		return 0;
	return n;
}

void cli_print_clean(FILE *out, const char *text, size_t bytes)
{
	const char *end = text + bytes;

	while (text < end) {
		/* Most is ASCII, and needs no second look. */
		size_t n = *text >= 0x20 && *text < 0x7f ? 1 : cli_printable(text, end);

		if (!n)
			putc_unlocked(*text++ == '\t' ? '\t' : '?', out);
		while (n--)
			putc_unlocked(*text++, out);
	}
}

static void print_clean(const char *text)
{
	cli_print_clean(stderr, text, strlen(text));
}

/* --- One diagnostic ---------------------------------------------------------------------- */

enum color { PLAIN, BOLD, RED, MAGENTA, CYAN, GREEN };

static void paint(enum color color)
{
	static const char escapes[][12] = {
		[PLAIN] = "\33[0m",      [BOLD] = "\33[1m",       [RED] = "\33[1;31m",
		[MAGENTA] = "\33[1;35m", [CYAN] = "\33[1;36m",    [GREEN] = "\33[1;32m",
	};

	if (cli.color)
		fputs(escapes[color], stderr);
}

static const struct {
	char name[8];
	enum color color;
} severities[GLACIER_SEVERITY_COUNT] = {
	[GLACIER_ERROR] = {"error", RED},
	[GLACIER_WARNING] = {"warning", MAGENTA},
	[GLACIER_NOTE] = {"note", CYAN},
};

void cli_begin_message(void)
{
	static char buffer[8192];
	static bool buffered;

	cli_progress_clear();
	if (!buffered)
		setvbuf(stderr, buffer, _IOFBF, sizeof buffer);
	buffered = true;
}

static const char *back(const char *at, const char *start, size_t bytes)
{
	at = (size_t)(at - start) > bytes ? at - bytes : start;
	while (at > start && (*at & 0xc0) == 0x80)
		at--;
	return at;
}

/*
 * The line with its caret. Tabs stay, so that the caret stands right at every tab width.
 * A long line is cut to what is near the caret.
 */
static void print_excerpt(const struct glacier_location *place)
{
	enum { BEFORE = 60, AFTER = 60 };
	const char *line = place->source_line, *end = line + place->source_line_bytes;
	const char *caret, *from, *to, *at, *stop;

	if (!line || !place->column || place->column - 1 > place->source_line_bytes)
		return;
	if (end > line && end[-1] == '\r')
		end--;
	caret = line + place->column - 1;
	if (caret > end)
		caret = end;
	from = end - line > BEFORE + AFTER ? back(caret, line, BEFORE) : line;
	to = end - from > BEFORE + AFTER ? back(from + BEFORE + AFTER, from, 0) : end;
	if (from > line)
		fputs("...", stderr);
	cli_print_clean(stderr, from, (size_t)(to - from));
	if (to < end)
		fputs("...", stderr);
	fputc('\n', stderr);

	if (from > line)
		fputs("   ", stderr);
	for (at = from; at < caret;) {
		size_t n = cli_printable(at, end);

		fputc(*at == '\t' ? '\t' : ' ', stderr);
		at += n ? n : 1;
	}
	paint(GREEN);
	fputc('^', stderr);
	stop = place->length > (size_t)(to - caret) ? to : caret + place->length;
	for (at = caret; at < stop;) {
		size_t n = cli_printable(at, end);

		if (at > caret)
			fputc('~', stderr);
		at += n ? n : 1;
	}
	paint(PLAIN);
	fputc('\n', stderr);
}

static void print_place(const char *input, const struct glacier_location *place)
{
	print_clean(place->source ? place->source : input);
	if (place->kind == GLACIER_LOCATION_TEXT)
		fprintf(stderr, ":%" PRIu32 ":%" PRIu32, place->line, place->column);
	else if (place->kind == GLACIER_LOCATION_BINARY)
		fprintf(stderr, ":0x%" PRIx64, place->offset);
	fputs(": ", stderr);
}

static void print_diagnostic(void *user, const struct glacier_diagnostic *diagnostic)
{
	const struct cli_file *file = user;
	const char *input = file ? file->name : cli.program->name;
	const struct glacier_location *place = &diagnostic->location;

	if (diagnostic->severity == GLACIER_ERROR)
		cli_note_code(cli_code_of(diagnostic->status));
	if (cli.json_diagnostics) {
		cli_json_report(file ? input : NULL, diagnostic);
		return;
	}
	cli_begin_message();
	paint(BOLD);
	print_place(input, place);
	paint(severities[diagnostic->severity].color);
	fprintf(stderr, "%s: ", severities[diagnostic->severity].name);
	paint(PLAIN);
	if (place->kind == GLACIER_LOCATION_PATH && place->path) {
		print_clean(place->path);
		fputs(": ", stderr);
	}
	print_clean(diagnostic->message);
	if (diagnostic->flag)
		fprintf(stderr, " [-W%s%s]", diagnostic->severity == GLACIER_ERROR ? "error=" : "",
			diagnostic->flag);
	else if (diagnostic->code)
		fprintf(stderr, " [%s]", diagnostic->code);
	fputc('\n', stderr);
	if (place->kind == GLACIER_LOCATION_TEXT)
		print_excerpt(place);
	fflush(stderr);
}

/* -q takes warnings away, and the notes that follow them. */
static void print_errors(void *user, const struct glacier_diagnostic *diagnostic)
{
	static bool after_warning;

	if (diagnostic->severity != GLACIER_NOTE)
		after_warning = diagnostic->severity == GLACIER_WARNING;
	if (!after_warning)
		print_diagnostic(user, diagnostic);
}

struct glacier_diag cli_diag(const struct cli_file *file)
{
	return (struct glacier_diag){
		.report = cli.quiet ? print_errors : print_diagnostic,
		.user = (void *)file,
	};
}

/* --- Messages of the program itself ------------------------------------------------------ */

static void print_message(const char *format, va_list args)
{
	char text[2048];

	vsnprintf(text, sizeof text, format, args);
	if (cli.json_diagnostics) {
		cli_json_report(NULL, &(struct glacier_diagnostic){.message = text});
		return;
	}
	cli_begin_message();
	fprintf(stderr, "%s: ", cli.program->name);
	print_clean(text);
	fputc('\n', stderr);
	fflush(stderr);
}

void cli_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_message(format, args);
	va_end(args);
	cli_note_code(CLI_TROUBLE);
}

void cli_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_message(format, args);
	va_end(args);
	cli_exit(CLI_TROUBLE);
}

void cli_wrong(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_message(format, args);
	va_end(args);
	cli_exit(CLI_WRONG);
}

void cli_bad_usage(const char *format, ...)
{
	va_list args;

	if (format) {
		va_start(args, format);
		print_message(format, args);
		va_end(args);
	}
	if (!cli.json_diagnostics) {
		cli_begin_message();
		fprintf(stderr, "Try '%s --help' for more information.\n", cli.program->name);
		fflush(stderr);
	}
	cli_exit(CLI_TROUBLE);
}

void cli_say(const char *format, ...)
{
	va_list args;

	if (!cli.verbose || cli.quiet || cli.json_diagnostics)
		return;
	va_start(args, format);
	print_message(format, args);
	va_end(args);
}

void cli_message_pattern(const char *text, char *out, size_t bytes)
{
	bool after_conversion = false;
	size_t used = 0;

	while (*text && used + 4 < bytes) {
		if (*text != '%' || text[1] == '%') {
			out[used++] = *text;
			text += *text == '%' ? 2 : 1;
			after_conversion = false;
			continue;
		}
		text += 1 + strspn(text + 1, "-+ #0123456789.*hljztL");
		text += *text != '\0';
		/* "%c%u" is one thing to people. */
		if (!after_conversion) {
			memcpy(out + used, "...", 3);
			used += 3;
		}
		after_conversion = true;
	}
	out[used] = '\0';
}

/* --- The way out ------------------------------------------------------------------------- */

enum cli_code cli_code_of(enum glacier_status status)
{
	switch (status) {
	case GLACIER_OK: return CLI_OK;
	case GLACIER_ERR_MALFORMED:
	case GLACIER_ERR_INVALID:
	case GLACIER_ERR_UNSUPPORTED:
	case GLACIER_ERR_LIMIT:
	case GLACIER_ERR_CHECKSUM: return CLI_WRONG;
	default: return CLI_TROUBLE;
	}
}

void cli_note_code(enum cli_code code)
{
	if (code > worst)
		worst = code;
}

void cli_exit(enum cli_code code)
{
	bool failed;

	cli_note_code(code);
	cli_progress_clear();
	cli_drop_staged();

	errno = 0;
	failed = ferror(stdout);
	if (fclose(stdout) || failed) {
		if (errno)
			cli_error("cannot write standard output: %s", strerror(errno));
		else
			cli_error("cannot write standard output");
	}
	cli_json_report_end();
	if (fflush(stderr) || ferror(stderr))
		cli_note_code(CLI_TROUBLE);
	exit(worst);
}

void *cli_realloc(void *old, size_t bytes)
{
	void *at = realloc(old, bytes ? bytes : 1);

	if (!at)
		cli_die("out of memory");
	return at;
}

void *cli_alloc(size_t bytes)
{
	return cli_realloc(NULL, bytes);
}

char *cli_strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;

	return memcpy(cli_alloc(bytes), text, bytes);
}
