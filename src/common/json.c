/* SPDX-License-Identifier: MIT */
/* A JSON writer over stdio: no tree, so that a document of any size costs no memory. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A double holds every integer up to here. */
#define LARGEST_EXACT (UINT64_C(1) << 53)

/* What is no UTF-8 becomes U+FFFD: a document is valid whatever it quotes. */
static void print_string(FILE *out, const char *text)
{
	const char *end = text + strlen(text);

	fputc('"', out);
	while (text < end) {
		unsigned char c = (unsigned char)*text;
		size_t n = cli_utf8(text, end);

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else if (n)
			fwrite(text, 1, n, out);
		else
			fputs("\\ufffd", out);
		text += n ? n : 1;
	}
	fputc('"', out);
}

static void begin_value(struct cli_json *json, const char *key)
{
	if (json->comma)
		fputc(',', json->out);
	json->comma = true;
	if (key) {
		print_string(json->out, key);
		fputc(':', json->out);
	}
}

void cli_json_open(struct cli_json *json, const char *key, char bracket)
{
	begin_value(json, key);
	fputc(bracket, json->out);
	json->comma = false;
}

void cli_json_close(struct cli_json *json, char bracket)
{
	fputc(bracket, json->out);
	json->comma = true;
}

void cli_json_string(struct cli_json *json, const char *key, const char *value)
{
	begin_value(json, key);
	if (value)
		print_string(json->out, value);
	else
		fputs("null", json->out);
}

void cli_json_int(struct cli_json *json, const char *key, int64_t value)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;

	begin_value(json, key);
	fprintf(json->out, size > LARGEST_EXACT ? "\"%" PRId64 "\"" : "%" PRId64, value);
}

void cli_json_uint(struct cli_json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	fprintf(json->out, value > LARGEST_EXACT ? "\"%" PRIu64 "\"" : "%" PRIu64, value);
}

void cli_spell_real(double value, char out[32])
{
	int precision = 15;

	/* Most are whole, and cost a tenth of it this way; a zero may have a sign. */
	if ((value >= 1 && value < 1e15 && value == (double)(int64_t)value) || (value == 0 && !signbit(value))) {
		char digits[20], *at = digits + sizeof digits;

		for (uint64_t rest = (uint64_t)value; rest || at == digits + sizeof digits; rest /= 10)
			*--at = (char)('0' + rest % 10);
		memcpy(out, at, (size_t)(digits + sizeof digits - at));
		out[digits + sizeof digits - at] = '\0';
		return;
	}
	/* 24 characters at most; the result is looked at so that the compiler believes it. */
	do
		if (snprintf(out, 32, "%.*g", precision, value) >= 32)
			break;
	while (precision++ < 17 && strtod(out, NULL) != value);
}

void cli_json_real(struct cli_json *json, const char *key, double value)
{
	char spelling[32];

	begin_value(json, key);
	cli_spell_real(value, spelling);
	fputs(isfinite(value) ? spelling : "null", json->out);
}

void cli_json_bool(struct cli_json *json, const char *key, bool value)
{
	begin_value(json, key);
	fputs(value ? "true" : "false", json->out);
}
