/* SPDX-License-Identifier: MIT */
/* One collective as a picture: a row a rank, a box a piece of work. Rank 0 draws what all recorded. */
#include "session.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 2048, WIDTH = 1000, LEFT = 60, ROW = 26 };

struct record {
	uint32_t kind, step, chunk, bytes;
	uint64_t begin_ns, end_ns;
};

struct recorder {
	struct record *records;
	size_t count;
};

static void note(void *user, const struct glacier_comm_event *event)
{
	struct recorder *recorder = user;

	if (recorder->count < MOST_EVENTS)
		recorder->records[recorder->count++] = (struct record){
			(uint32_t)event->kind, event->step, event->chunk, (uint32_t)event->bytes, event->begin_ns, event->end_ns};
}

static char *draw(const struct record *records, uint32_t size, size_t *bytes)
{
	static const struct {
		char name[8], color[8];
	} kinds[] = {{"send", "#4477aa"}, {"receive", "#228833"}, {"fold", "#ee6677"}, {"wait", "#dddddd"}};
	uint64_t first = UINT64_MAX, last = 0;
	char *text;
	FILE *out = open_memstream(&text, bytes);

	if (!out)
		cli_die("out of memory");
	for (size_t i = 0; i < (size_t)size * MOST_EVENTS; i++)
		if (records[i].end_ns) {
			first = records[i].begin_ns < first ? records[i].begin_ns : first;
			last = records[i].end_ns > last ? records[i].end_ns : last;
		}
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" font-family=\"sans-serif\" font-size=\"11\">\n"
		     "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", LEFT + WIDTH + 20, (size + 2) * ROW);
	for (uint32_t rank = 0; rank < size; rank++) {
		fprintf(out, "<text x=\"4\" y=\"%u\">rank %u</text>\n", rank * ROW + 17, rank);
		for (size_t i = 0; i < MOST_EVENTS; i++) {
			const struct record *r = &records[rank * MOST_EVENTS + i];
			double scale = last > first ? (double)WIDTH / (double)(last - first) : 1;

			if (!r->end_ns || r->kind >= sizeof kinds / sizeof *kinds)
				continue;
			fprintf(out, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"6\" fill=\"%s\"><title>%s, step %u, chunk %u, %u B, %.1f us</title></rect>\n",
				LEFT + (double)(r->begin_ns - first) * scale, rank * ROW + 2 + 6 * (r->kind == 3 ? 0 : r->kind),
				(double)(r->end_ns - r->begin_ns) * scale + 0.2, kinds[r->kind].color, kinds[r->kind].name, r->step,
				r->chunk, r->bytes, (double)(r->end_ns - r->begin_ns) / 1000);
		}
	}
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		fprintf(out, "<rect x=\"%zu\" y=\"%u\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%zu\" y=\"%u\">%s</text>\n",
			LEFT + k * 90, (size + 1) * ROW - 10, kinds[k].color, LEFT + k * 90 + 14, (size + 1) * ROW, kinds[k].name);
	fprintf(out, "<text x=\"%d\" y=\"%u\">%.1f us</text>\n</svg>\n", LEFT + WIDTH - 60, (size + 1) * ROW,
		last > first ? (double)(last - first) / 1000 : 0.0);
	if (fclose(out))
		cli_die("out of memory");
	return text;
}

void timeline_run(struct session *s, void *in, void *out, size_t count)
{
	size_t own = MOST_EVENTS * sizeof(struct record);
	struct recorder recorder = {.records = cli_alloc(own)};
	struct record *all = cli_alloc(own * s->size);
	size_t bytes;
	char *text;

	memset(recorder.records, 0, own);
	s->status = glacier_barrier(s->comm);
	glacier_comm_watch(s->comm, note, &recorder);
	if (s->status == GLACIER_OK)
		s->status = glacier_allreduce(s->comm, in, out, count, s->type, s->options->op);
	glacier_comm_watch(s->comm, NULL, NULL);
	if (s->status == GLACIER_OK)
		s->status = glacier_all_gather(s->comm, recorder.records, all, own * s->size, GLACIER_U8);
	if (s->status == GLACIER_OK && s->rank == 0) {
		text = draw(all, s->size, &bytes);
		if (!cli_stage(s->options->timeline, text, bytes, false) || !cli_commit())
			s->status = GLACIER_ERR_IO;
		free(text);
	}
	free(recorder.records);
	free(all);
}
