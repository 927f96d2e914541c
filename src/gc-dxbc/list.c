/* SPDX-License-Identifier: MIT */
/* list: the parts of each file, a line each. */
#include "container.h"
#include "verbs.h"

static void print_text(const struct container *c, bool first)
{
	char program[40];

	printf("%s%s: %u bytes, %u part%s, digest %s", first ? "" : "\n", c->file.name, c->dxbc.bytes, c->dxbc.part_count,
	       c->dxbc.part_count == 1 ? "" : "s", glacier_dxbc_digest_name(glacier_dxbc_digest_kind(&c->dxbc)));
	if (container_program(&c->dxbc, program, sizeof program))
		printf(", %s", program);
	printf("\n  #  part      offset       bytes  what it is\n");
	for (uint32_t i = 0; i < c->dxbc.part_count; i++) {
		struct glacier_dxbc_part part = glacier_dxbc_part_at(&c->dxbc, i);
		struct glacier_dxbc_part_info info;

		glacier_dxbc_part_info(part.fourcc, &info);
		printf("%3u  %s  %10u  %10u  %s\n", i, fourcc_name(part.fourcc).text, part.offset, part.bytes,
		       info.meaning ? info.meaning : "not known");
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
