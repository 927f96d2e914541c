/* SPDX-License-Identifier: MIT */
/* verify: one line a file or one object, and the exit code. */
#include "tree.h"
#include "verbs.h"

#include <string.h>

/* With --json messages are rows of the answer. */
static void keep(void *user, const struct glacier_diagnostic *diagnostic)
{
	static const char *const severities[GLACIER_SEVERITY_COUNT] = {
		[GLACIER_ERROR] = "error", [GLACIER_WARNING] = "warning", [GLACIER_NOTE] = "note"};
	cJSON *problems = user, *row = cJSON_CreateObject();

	if (diagnostic->severity == GLACIER_ERROR)
		cli_note_code(cli_code_of(diagnostic->status));
	cJSON_AddStringToObject(row, "severity", severities[diagnostic->severity]);
	if (diagnostic->code)
		cJSON_AddStringToObject(row, "code", diagnostic->code);
	if (diagnostic->flag)
		cJSON_AddStringToObject(row, "flag", diagnostic->flag);
	cJSON_AddStringToObject(row, "message", diagnostic->message);
	if (diagnostic->location.kind == GLACIER_LOCATION_BINARY)
		cJSON_AddNumberToObject(row, "offset", (double)diagnostic->location.offset);
	cJSON_AddItemToArray(problems, row);
}

static void print_line(const struct container *c, bool good, const struct glacier_dxbc_verdict *verdict)
{
	container_print_name(c);
	printf(": %s, digest %s%s\n", good ? "OK" : "FAILED", glacier_dxbc_digest_name(verdict->digest),
	       verdict->hash_checked ? ", hash checked" : "");
}

static void print_object(const struct container *c, bool parsed, bool good, const struct glacier_dxbc_verdict *verdict,
			 cJSON *problems, bool first)
{
	cJSON *document = cJSON_CreateObject();

	cJSON_AddItemToObject(document, "file", tree_text(c->file.name));
	cJSON_AddBoolToObject(document, "valid", good);
	if (parsed) {
		cJSON_AddStringToObject(document, "digest", glacier_dxbc_digest_name(verdict->digest));
		cJSON_AddBoolToObject(document, "hash_checked", verdict->hash_checked);
	}
	cJSON_AddItemToObject(document, "problems", problems);
	printf("%s%s", first ? "" : ",\n", tree_json(document));
}

/* *first: nothing was printed. */
static bool verify(struct options *opt, const char *path, bool *first)
{
	struct glacier_dxbc_verdict verdict = {.required = opt->has_require, .require = opt->require};
	struct container c;
	cJSON *problems = cli.json ? cJSON_CreateArray() : NULL;
	bool parsed, good = false;

	if (cli.json)
		parsed = container_open_into(&c, opt, path, (struct glacier_diag){.report = keep, .user = problems});
	else
		parsed = container_open(&c, opt, path);
	if (parsed)
		good = glacier_dxbc_verify(&c.dxbc, &verdict, &c.diag) == GLACIER_OK;
	if (cli.json && c.file.name) {
		print_object(&c, parsed, good, &verdict, problems, *first);
		*first = false;
	} else if (parsed && !cli.json && !cli.quiet) {
		print_line(&c, good, &verdict);
	}
	if (parsed)
		container_close(&c);
	tree_release();
	return good;
}

enum cli_code verb_verify(struct options *opt)
{
	enum cli_code code = CLI_OK;
	bool first = true;

	options_want_files(opt, 1, SIZE_MAX);
	tree_own_memory();
	if (opt->strict)
		memset(opt->warnings.fatal, 0xff, sizeof opt->warnings.fatal);
	if (cli.json)
		putchar('[');
	for (size_t i = 0; i < opt->file_count; i++)
		if (!verify(opt, opt->files[i], &first))
			code = CLI_WRONG;
	if (cli.json)
		printf("]\n");
	return code;
}
