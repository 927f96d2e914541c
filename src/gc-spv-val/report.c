/* SPDX-License-Identifier: MIT */
/*
 * The library tells an error, then in notes the instruction and the clause: here they are
 * members of one object.
 */
#include "report.h"

#include <string.h>

void report_begin(struct report *report)
{
	*report = (struct report){.json = {.out = stdout}};
	cli_json_open(&report->json, NULL, '[');
}

void report_begin_module(struct report *report, const char *name)
{
	cli_json_open(&report->json, NULL, '{');
	cli_json_string(&report->json, "file", name);
	cli_json_open(&report->json, "errors", '[');
}

static void close_error(struct report *report)
{
	if (!report->error_open)
		return;
	if (report->clause)
		cli_json_string(&report->json, "clause", report->clause);
	cli_json_close(&report->json, '}');
	report->error_open = false;
}

/* For people notes begin with what members say here. */
static const char *behind(const char *message)
{
	const char *colon = strstr(message, ": ");

	return colon ? colon + 2 : message;
}

static void take(void *user, const struct glacier_diagnostic *diagnostic)
{
	struct report *report = user;
	struct cli_json *json = &report->json;
	struct glacier_code_info info;

	if (diagnostic->severity == GLACIER_NOTE) {
		if (!report->error_open) {
			snprintf(report->unchecked, sizeof report->unchecked, "%s", diagnostic->message);
		} else if (report->notes++ == 0) {
			cli_json_string(json, "text", behind(diagnostic->message));
		} else {
			cli_json_string(json, "clause", behind(diagnostic->message));
			report->clause = NULL;
		}
		return;
	}
	close_error(report);
	cli_note_code(cli_code_of(diagnostic->status));
	cli_json_open(json, NULL, '{');
	cli_json_string(json, "code", diagnostic->code);
	cli_json_string(json, "message", diagnostic->message);
	if (diagnostic->location.kind == GLACIER_LOCATION_BINARY) {
		cli_json_uint(json, "offset", diagnostic->location.offset);
		cli_json_uint(json, "word", diagnostic->location.word);
		cli_json_uint(json, "instruction", diagnostic->location.instruction);
	}
	report->error_open = true;
	report->notes = 0;
	report->clause = glacier_code_find(diagnostic->code, &info) ? info.clause : NULL;
}

struct glacier_diag report_diag(struct report *report)
{
	return (struct glacier_diag){.report = take, .user = report};
}

void report_end_module(struct report *report, bool valid, const struct against *against)
{
	close_error(report);
	cli_json_close(&report->json, ']');
	cli_json_bool(&report->json, "valid", valid);
	if (report->unchecked[0])
		cli_json_string(&report->json, "unchecked", report->unchecked);
	report->unchecked[0] = '\0';
	if (against) {
		cli_json_open(&report->json, "spirv_val", '{');
		cli_json_bool(&report->json, "valid", against->valid);
		cli_json_string(&report->json, "message", against->message);
		cli_json_close(&report->json, '}');
	}
	cli_json_close(&report->json, '}');
}

void report_end(struct report *report)
{
	cli_json_close(&report->json, ']');
	fputc('\n', report->json.out);
}
