/* SPDX-License-Identifier: MIT */
/* Pictures: the latency of calls by percentile, and an arena's addresses over time. */
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { WIDTH = 900, HEIGHT = 480, LEFT = 70, BOTTOM = 40, LEGEND = 260 };

static const char *const colors[] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#9c755f"};

static bool stage(const char *path, FILE *out, char **text, size_t *bytes)
{
	bool good;

	fputs("</svg>\n", out);
	if (fclose(out))
		cli_die("out of memory");
	good = cli_stage(path, *text, *bytes, false) && cli_commit();
	free(*text);
	return good;
}

static FILE *begin(char **text, size_t *bytes, int width)
{
	FILE *out = open_memstream(text, bytes);

	if (!out)
		cli_die("out of memory");
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		     "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", width, HEIGHT);
	return out;
}

/* Logarithmic: 1 ns at the bottom, 1 ms at the top. */
static double height_of(double ns)
{
	double decades = ns > 1 ? log10(ns) / 6 : 0;

	return HEIGHT - BOTTOM - (decades < 1 ? decades : 1) * (HEIGHT - BOTTOM - 20);
}

bool plot_latency(const char *path, const struct curve *curves, size_t count)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = begin(&text, &bytes, WIDTH + LEGEND);
	double step = (double)(WIDTH - LEFT - 20) / (PERCENTILES - 1);

	for (int decade = 0; decade <= 6; decade++) {
		double y = height_of(pow(10, decade));

		fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/><text x=\"5\" y=\"%.1f\">%g ns</text>\n",
			LEFT, WIDTH - 20, y, y, y + 4, pow(10, decade));
	}
	for (int i = 0; i < PERCENTILES; i++)
		fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">p%g</text>\n", LEFT + i * step, HEIGHT - 15, percentiles[i]);
	for (size_t c = 0; c < count; c++) {
		const char *color = colors[c % (sizeof colors / sizeof *colors)];

		fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", color);
		for (int i = 0; i < PERCENTILES; i++)
			if (isfinite(curves[c].at[i]))
				fprintf(out, "%.1f,%.1f ", LEFT + i * step, height_of(curves[c].at[i]));
		fprintf(out, "\"/>\n<rect x=\"%d\" y=\"%zu\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"%zu\">%s</text>\n", WIDTH,
			20 + c * 16, color, WIDTH + 16, 29 + c * 16, curves[c].name);
	}
	return stage(path, out, &text, &bytes);
}

bool plot_occupancy(const char *path, const struct box *boxes, size_t count, uint64_t events, glacier_addr base)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = begin(&text, &size, WIDTH);
	double across = (double)(WIDTH - LEFT - 20) / (double)events, up;
	uint64_t top = 0;

	for (size_t i = 0; i < count; i++)
		if (boxes[i].bytes && boxes[i].addr - base + boxes[i].bytes > top)
			top = boxes[i].addr - base + boxes[i].bytes;
	up = (double)(HEIGHT - BOTTOM - 20) / (double)(top ? top : 1);
	fprintf(out, "<text x=\"%d\" y=\"%d\">%" PRIu64 " events</text><text x=\"5\" y=\"14\">%" PRIu64 " bytes</text>\n", LEFT, HEIGHT - 12, events, top);
	for (size_t i = 0; i < count; i++)
		if (boxes[i].bytes)
			fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", LEFT + (double)boxes[i].from * across,
				HEIGHT - BOTTOM - (double)(boxes[i].addr - base + boxes[i].bytes) * up,
				fmax((double)(boxes[i].to - boxes[i].from) * across, 0.3), fmax((double)boxes[i].bytes * up, 0.3),
				colors[i % (sizeof colors / sizeof *colors)]);
	return stage(path, out, &text, &size);
}
