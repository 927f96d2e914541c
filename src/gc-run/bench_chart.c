/* SPDX-License-Identifier: MIT */
/*
 * The launches as bars: a group a case, a colour a device, how often a second the case could
 * run on a logarithmic scale, so that a processor and a GPU fit one picture.
 */
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 70, TOP = 30, HEIGHT = 320, BAR = 12, GAP = 14, BELOW = 130, LEGEND = 20 };

static const char colours[][8] = {"#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377", "#bbbbbb"};

struct text {
	char *at;
	size_t size, capacity;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
	for (;;) {
		size_t room = text->capacity - text->size;
		va_list args;
		int bytes;

		va_start(args, format);
		bytes = vsnprintf(text->at ? text->at + text->size : NULL, room, format, args);
		va_end(args);
		if (bytes < 0)
			cli_die("a message cannot be spelled");
		if ((size_t)bytes < room) {
			text->size += (size_t)bytes;
			return;
		}
		text->capacity = 2 * text->capacity + (size_t)bytes + 4096;
		text->at = cli_realloc(text->at, text->capacity);
	}
}

/* Names come from drivers: XML's own characters are spelled. */
static void add_name(struct text *text, const char *name)
{
	for (; *name; name++)
		switch (*name) {
		case '<': add(text, "&lt;"); break;
		case '>': add(text, "&gt;"); break;
		case '&': add(text, "&amp;"); break;
		default: add(text, "%c", (unsigned char)*name < 0x20 ? '?' : *name);
		}
}

static double rate(const struct bench_launch *launch)
{
	return 1e9 / launch->wait.median;
}

/* Powers of ten around all rates. */
static void find_range(const struct bench *bench, int *low, int *high)
{
	*low = 9;
	*high = 0;
	for (size_t i = 0; i < bench->launch_count; i++) {
		double power = log10(rate(&bench->launches[i]));

		if (floor(power) < *low)
			*low = (int)floor(power);
		if (ceil(power) > *high)
			*high = (int)ceil(power);
	}
	if (*high <= *low)
		*high = *low + 1;
}

static int y_of(double power, int low, int high)
{
	return TOP + HEIGHT - (int)lround((power - low) / (high - low) * HEIGHT);
}

static void add_axis(struct text *text, int width, int low, int high)
{
	for (int power = low; power <= high; power++) {
		int y = y_of(power, low, high);

		add(text, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>\n", LEFT, y, width - GAP, y);
		add(text, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">10<tspan dy=\"-4\" font-size=\"8\">%d</tspan></text>\n",
		    LEFT - 8, y + 4, power);
	}
	add(text, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 16 %d)\">launches a second</text>\n",
	    16, TOP + HEIGHT / 2, TOP + HEIGHT / 2);
}

static int group_width(const struct bench *bench)
{
	return (int)bench->device_count * BAR + GAP;
}

/* The cases that were run, in the order of the table; -1: this one was not. */
static int place_of(const struct bench *bench, const struct bench_case *wanted)
{
	int place = 0;

	for (size_t c = 0; c < bench_case_count; c++) {
		bool run = false;

		for (size_t i = 0; i < bench->launch_count && !run; i++)
			run = bench->launches[i].bench == &bench_cases[c];
		if (&bench_cases[c] == wanted)
			return run ? place : -1;
		place += run;
	}
	return -1;
}

static void add_bars(struct text *text, const struct bench *bench, int low, int high)
{
	for (size_t i = 0; i < bench->launch_count; i++) {
		const struct bench_launch *launch = &bench->launches[i];
		int y = y_of(log10(rate(launch)), low, high);

		add(text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"><title>",
		    LEFT + GAP + place_of(bench, launch->bench) * group_width(bench) + (int)launch->device * BAR, y, BAR - 1,
		    TOP + HEIGHT - y, colours[launch->device % (sizeof colours / sizeof *colours)]);
		add_name(text, launch->bench->name);
		add(text, " on ");
		add_name(text, bench->devices[launch->device].name);
		add(text, ": %.1f us</title></rect>\n", launch->wait.median / 1e3);
	}
}

static void add_names(struct text *text, const struct bench *bench)
{
	for (size_t c = 0; c < bench_case_count; c++) {
		int place = place_of(bench, &bench_cases[c]);
		int x = LEFT + GAP + place * group_width(bench) + group_width(bench) / 2 - GAP / 2, y = TOP + HEIGHT + 14;

		if (place < 0)
			continue;
		add(text, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" transform=\"rotate(-50 %d %d)\">", x, y, x, y);
		add_name(text, bench_cases[c].name);
		add(text, "</text>\n");
	}
}

static void add_legend(struct text *text, const struct bench *bench)
{
	for (size_t i = 0; i < bench->device_count; i++) {
		const struct bench_device *device = &bench->devices[i];
		int y = TOP + HEIGHT + BELOW + (int)i * LEGEND;

		add(text, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>\n<text x=\"%d\" y=\"%d\">", LEFT, y,
		    colours[i % (sizeof colours / sizeof *colours)], LEFT + 20, y + 11);
		add_name(text, device->name);
		add(text, ": ");
		add_name(text, device->info.name);
		add(text, ", ");
		add_name(text, device->info.driver);
		add(text, "</text>\n");
	}
}

char *bench_stage_chart(const struct bench *bench, const char *path)
{
	int cases = 0, width, low, high;
	struct text text = {0};

	for (size_t c = 0; c < bench_case_count; c++)
		cases += place_of(bench, &bench_cases[c]) >= 0;
	width = LEFT + 2 * GAP + cases * group_width(bench);
	if (width < 640)
		width = 640;
	find_range(bench, &low, &high);
	add(&text,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
	    "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
	    width, TOP + HEIGHT + BELOW + LEGEND * (int)bench->device_count + GAP);
	add_axis(&text, width, low, high);
	add_bars(&text, bench, low, high);
	add_names(&text, bench);
	add_legend(&text, bench);
	add(&text, "</svg>\n");
	if (!cli_stage(path, text.at, text.size, false))
		cli_exit(CLI_TROUBLE);
	return text.at;
}
