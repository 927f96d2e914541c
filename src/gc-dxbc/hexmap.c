/* SPDX-License-Identifier: MIT */
/* hexmap: which bytes belong to what, as lines or as a picture. */
#include "container.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

enum { WIDE = 64, CELL = 10, MOST_CELLS = 8192 };

struct range {
	uint32_t first, end;
	char name[24];
	const char *color;
};

static const char *const colors[] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#ff9da7", "#9c755f"};

static int by_place(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* What trails may end anywhere; addresses have 32 bits. */
static uint32_t mapped_bytes(const struct container *c)
{
	return c->file.size < UINT32_MAX ? (uint32_t)c->file.size : UINT32_MAX;
}

/* The frame, each part's header and data, and what is between. */
static struct range *ranges_of(const struct container *c, size_t *count)
{
	uint32_t n = c->dxbc.part_count, end = 0, table_end = 32 + 4 * n;
	struct range *ranges = cli_alloc((4 * (size_t)n + 8) * sizeof *ranges), *out;
	size_t made = 0, kept = 0;

	ranges[made++] = (struct range){0, 4, "magic", "#333333"};
	ranges[made++] = (struct range){4, 20, "digest", "#888888"};
	ranges[made++] = (struct range){20, 32, "version, size, count", "#555555"};
	ranges[made++] = (struct range){32, table_end, "offsets", "#777777"};
	for (uint32_t i = 0; i < n; i++) {
		struct glacier_dxbc_part part = glacier_dxbc_part_at(&c->dxbc, i);
		const char *color = colors[i % (sizeof colors / sizeof *colors)];

		ranges[made] = (struct range){part.offset, part.offset + 8, "", "#aaaaaa"};
		snprintf(ranges[made++].name, sizeof ranges->name, "%s header", fourcc_name(part.fourcc).text);
		ranges[made] = (struct range){part.offset + 8, part.offset + 8 + part.bytes, "", color};
		snprintf(ranges[made++].name, sizeof ranges->name, "%s", fourcc_name(part.fourcc).text);
	}
	qsort(ranges, made, sizeof *ranges, by_place);
	out = cli_alloc((2 * made + 2) * sizeof *out);
	for (size_t i = 0; i < made; i++) {
		if (ranges[i].first > end)
			out[kept++] = (struct range){end, ranges[i].first, "gap", "#ff0000"};
		if (ranges[i].first < ranges[i].end)
			out[kept++] = ranges[i];
		end = ranges[i].end;
	}
	if (end < c->dxbc.bytes)
		out[kept++] = (struct range){end, c->dxbc.bytes, "gap", "#ff0000"};
	if (c->dxbc.bytes < c->file.size)
		out[kept++] = (struct range){c->dxbc.bytes, mapped_bytes(c), "trailing bytes", "#ff0000"};
	free(ranges);
	*count = kept;
	return out;
}

/* Bytes from `at` to `end` of the row of 16 that they are in, as hex and as text. */
static void print_row(const unsigned char *data, uint32_t at, uint32_t end)
{
	static const char digits[] = "0123456789abcdef";
	uint32_t row = at & ~15u;
	char line[96], *out = line;

	*out++ = ' ';
	*out++ = ' ';
	for (int shift = 28; shift >= 0; shift -= 4)
		*out++ = digits[row >> shift & 15];
	*out++ = ' ';
	for (uint32_t byte = row; byte < row + 16; byte++) {
		bool inside = byte >= at && byte < end;

		*out++ = ' ';
		*out++ = inside ? digits[data[byte] >> 4] : ' ';
		*out++ = inside ? digits[data[byte] & 15] : ' ';
	}
	*out++ = ' ';
	*out++ = ' ';
	for (uint32_t byte = row; byte < end; byte++)
		*out++ = byte < at ? ' ' : data[byte] >= 0x20 && data[byte] < 0x7f ? (char)data[byte] : '.';
	*out++ = '\n';
	fwrite(line, 1, (size_t)(out - line), stdout);
}

static void print_text(const struct container *c, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct range *range = &ranges[i];

		printf("%s, %u bytes\n", range->name, range->end - range->first);
		for (uint32_t at = range->first, end; at < range->end; at = end) {
			end = range->end - (at & ~15u) > 16 ? (at & ~15u) + 16 : range->end;
			print_row(c->file.data, at, end);
		}
	}
}

/* A FourCC may have any bytes. */
static void print_xml(const char *text)
{
	for (; *text; text++) {
		if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
			printf("&#%d;", *text);
		else
			putchar(*text);
	}
}

/* A cell a byte, or more where there are too many. */
static void print_svg(const struct container *c, const struct range *ranges, size_t count)
{
	uint32_t bytes = mapped_bytes(c), scale = (bytes + MOST_CELLS - 1) / MOST_CELLS, cells, rows;

	scale = scale ? scale : 1;
	cells = (bytes + scale - 1) / scale;
	rows = (cells + WIDE - 1) / WIDE;
	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" font-family=\"monospace\" font-size=\"11\">\n",
	       WIDE * CELL + 260, (rows > count ? rows : (uint32_t)count) * CELL * 3 / 2 + 60);
	printf("<text x=\"0\" y=\"14\">%u bytes, %u a cell</text>\n", bytes, scale);
	for (size_t i = 0; i < count; i++) {
		const struct range *range = &ranges[i];

		for (uint32_t cell = range->first / scale; cell <= (range->end - 1) / scale;) {
			uint32_t row = cell / WIDE, column = cell % WIDE, last = (range->end - 1) / scale;
			uint32_t run = last - cell + 1 < WIDE - column ? last - cell + 1 : WIDE - column;

			printf("<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%d\" fill=\"%s\"><title>",
			       column * CELL, 24 + row * CELL, run * CELL, CELL - 1, range->color);
			print_xml(range->name);
			printf(": %u to %u</title></rect>\n", range->first, range->end);
			cell += run;
		}
		printf("<rect x=\"%d\" y=\"%zu\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", WIDE * CELL + 10, 24 + i * 15, range->color);
		printf("<text x=\"%d\" y=\"%zu\">", WIDE * CELL + 26, 33 + i * 15);
		print_xml(range->name);
		printf(", %u</text>\n", range->end - range->first);
	}
	printf("</svg>\n");
}

static void print_json(const struct container *c, const struct range *ranges, size_t count)
{
	struct cli_json json = {.out = stdout};

	cli_json_open(&json, NULL, '{');
	cli_json_string(&json, "file", c->file.name);
	cli_json_uint(&json, "bytes", c->file.size);
	cli_json_open(&json, "ranges", '[');
	for (size_t i = 0; i < count; i++) {
		cli_json_open(&json, NULL, '{');
		cli_json_string(&json, "name", ranges[i].name);
		cli_json_uint(&json, "offset", ranges[i].first);
		cli_json_uint(&json, "bytes", ranges[i].end - ranges[i].first);
		cli_json_close(&json, '}');
	}
	cli_json_close(&json, ']');
	cli_json_close(&json, '}');
	putchar('\n');
}

enum cli_code verb_hexmap(struct options *opt)
{
	struct container c;
	struct range *ranges;
	size_t count;

	options_want_files(opt, 1, 1);
	if (opt->svg && cli.json)
		cli_bad_usage("hexmap: --svg and --json are two forms");
	if (!container_open(&c, opt, opt->files[0]))
		return CLI_WRONG;
	ranges = ranges_of(&c, &count);
	if (cli.json)
		print_json(&c, ranges, count);
	else if (opt->svg)
		print_svg(&c, ranges, count);
	else
		print_text(&c, ranges, count);
	free(ranges);
	container_close(&c);
	return CLI_OK;
}
