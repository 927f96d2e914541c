/* SPDX-License-Identifier: MIT */
/*
 * --diagnostics=json: one array on standard error, with the field names of gcc's
 * -fdiagnostics-format=json (kind, message, option, locations, caret, finish, children)
 * and `code` besides. Notes are children of what they belong to, so an item stays open
 * until the next one, or the exit.
 */
#include "cli.h"

static struct cli_json json;
static bool item_open;

static void begin_array(void)
{
	cli_begin_message();
	if (json.out)
		return;
	json.out = stderr;
	cli_json_open(&json, NULL, '[');
}

static void end_item(void)
{
	if (!item_open)
		return;
	cli_json_close(&json, ']');
	cli_json_close(&json, '}');
	item_open = false;
}

static void print_location(const char *file, const struct glacier_location *place)
{
	cli_json_open(&json, NULL, '{');
	cli_json_open(&json, "caret", '{');
	cli_json_string(&json, "file", file);
	if (place->kind == GLACIER_LOCATION_TEXT) {
		cli_json_uint(&json, "line", place->line);
		cli_json_uint(&json, "column", place->column);
	} else if (place->kind == GLACIER_LOCATION_BINARY) {
		cli_json_uint(&json, "offset", place->offset);
		cli_json_uint(&json, "word", place->word);
		cli_json_uint(&json, "instruction", place->instruction);
	} else if (place->kind == GLACIER_LOCATION_PATH) {
		cli_json_string(&json, "path", place->path);
	}
	cli_json_close(&json, '}');
	if (place->kind == GLACIER_LOCATION_TEXT && place->length > 1) {
		cli_json_open(&json, "finish", '{');
		cli_json_string(&json, "file", file);
		cli_json_uint(&json, "line", place->line);
		cli_json_uint(&json, "column", (uint64_t)place->column + place->length - 1);
		cli_json_close(&json, '}');
	}
	cli_json_close(&json, '}');
}

void cli_json_report(const char *input, const struct glacier_diagnostic *diagnostic)
{
	static const char kinds[GLACIER_SEVERITY_COUNT][8] = {"error", "warning", "note"};
	const char *file = diagnostic->location.source ? diagnostic->location.source : input;
	bool child = diagnostic->severity == GLACIER_NOTE && item_open;

	begin_array();
	if (!child)
		end_item();
	cli_json_open(&json, NULL, '{');
	cli_json_string(&json, "kind", kinds[diagnostic->severity]);
	if (diagnostic->code)
		cli_json_string(&json, "code", diagnostic->code);
	if (diagnostic->flag) {
		char option[64];

		snprintf(option, sizeof option, "-W%s%s",
			 diagnostic->severity == GLACIER_ERROR ? "error=" : "", diagnostic->flag);
		cli_json_string(&json, "option", option);
	}
	cli_json_string(&json, "message", diagnostic->message);
	cli_json_open(&json, "locations", '[');
	if (file)
		print_location(file, &diagnostic->location);
	cli_json_close(&json, ']');
	if (child) {
		cli_json_close(&json, '}');
		return;
	}
	cli_json_open(&json, "children", '[');
	item_open = true;
}

void cli_json_report_end(void)
{
	if (!cli.json_diagnostics)
		return;
	begin_array();
	end_item();
	cli_json_close(&json, ']');
	fputc('\n', stderr);
}
