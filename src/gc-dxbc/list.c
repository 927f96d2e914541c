/* SPDX-License-Identifier: MIT */
/* list: the parts of each file, a line each. */
#include "container.h"
#include "verbs.h"

#include <string.h>

/* Right in `width`, or as wide as it is; the place behind. */
static char *put_number(char *at, size_t width, uint32_t value)
{
	char digits[10];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	for (; width > n; width--)
		*at++ = ' ';
	while (n)
		*at++ = digits[--n];
	return at;
}

/* A line a part is most of what there is to do for many files: printf would be half of it. */
static void print_part(uint32_t index, const struct glacier_dxbc_part *part)
{
	struct glacier_dxbc_part_info info;
	struct fourcc name = fourcc_name(part->fourcc);
	char line[128], *at = put_number(line, 3, index);

	at = stpcpy(at, "  ");
	at = stpcpy(at, name.text);
	at = put_number(stpcpy(at, "  "), 10, part->offset);
	at = put_number(stpcpy(at, "  "), 10, part->bytes);
	glacier_dxbc_part_info(part->fourcc, &info);
	at = stpcpy(stpcpy(at, "  "), info.meaning ? info.meaning : "not known");
	*at++ = '\n';
	fwrite(line, 1, (size_t)(at - line), stdout);
}

static void print_text(const struct container *c, bool first)
{
	char program[40], line[160], *at;

	if (!first)
		putchar('\n');
	container_print_name(c);
	at = put_number(stpcpy(line, ": "), 0, c->dxbc.bytes);
	at = put_number(stpcpy(at, " bytes, "), 0, c->dxbc.part_count);
	at = stpcpy(at, c->dxbc.part_count == 1 ? " part, digest " : " parts, digest ");
	at = stpcpy(at, glacier_dxbc_digest_name(glacier_dxbc_digest_kind(&c->dxbc)));
	if (container_program(&c->dxbc, program, sizeof program))
		at = stpcpy(stpcpy(at, ", "), program);
	stpcpy(at, "\n  #  part      offset       bytes  what it is\n");
	fputs(line, stdout);
	for (uint32_t i = 0; i < c->dxbc.part_count; i++) {
		struct glacier_dxbc_part part = glacier_dxbc_part_at(&c->dxbc, i);

		print_part(i, &part);
	}
}

static void print_json(struct cli_json *json, const struct container *c)
{
	char program[40];

	cli_json_open(json, NULL, '{');
	cli_json_string(json, "file", c->file.name);
	cli_json_uint(json, "bytes", c->dxbc.bytes);
	cli_json_string(json, "digest", glacier_dxbc_digest_name(glacier_dxbc_digest_kind(&c->dxbc)));
	if (container_program(&c->dxbc, program, sizeof program))
		cli_json_string(json, "program", program);
	cli_json_open(json, "parts", '[');
	for (uint32_t i = 0; i < c->dxbc.part_count; i++) {
		struct glacier_dxbc_part part = glacier_dxbc_part_at(&c->dxbc, i);

		cli_json_open(json, NULL, '{');
		cli_json_string(json, "fourcc", fourcc_name(part.fourcc).text);
		cli_json_uint(json, "offset", part.offset);
		cli_json_uint(json, "bytes", part.bytes);
		cli_json_close(json, '}');
	}
	cli_json_close(json, ']');
	cli_json_close(json, '}');
}

enum cli_code verb_list(struct options *opt)
{
	struct cli_json json = {.out = stdout};
	enum cli_code code = CLI_OK;
	bool first = true;

	options_want_files(opt, 1, SIZE_MAX);
	if (cli.json)
		cli_json_open(&json, NULL, '[');
	for (size_t i = 0; i < opt->file_count; i++) {
		struct container c;

		if (!container_open(&c, opt, opt->files[i])) {
			code = CLI_WRONG;
			continue;
		}
		if (cli.json)
			print_json(&json, &c);
		else
			print_text(&c, first);
		first = false;
		container_close(&c);
	}
	if (cli.json) {
		cli_json_close(&json, ']');
		putchar('\n');
	}
	return code;
}
