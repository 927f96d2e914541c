/* SPDX-License-Identifier: MIT */
/*
 * A serving log, a JSON object a line with timestamp (ms), input_length and output_length: each request is one
 * buffer for the keys and values of all its tokens, in whole blocks, from its arrival until its last
 * token is written, at 200 ms for the first and 20 ms for each further one.
 */
#include "trace.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

enum { FIRST_MS = 200, TOKEN_MS = 20 };

struct moment {
	double ms;
	struct event event;
};

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->ms != y->ms)
		return x->ms < y->ms ? -1 : 1;
	/* What ends makes room for what begins. */
	if (x->event.op != y->event.op)
		return x->event.op == EVENT_FREE ? -1 : 1;
	return (x->event.line > y->event.line) - (x->event.line < y->event.line);
}

static double member(const struct cli_file *file, uint64_t line, const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= 1e12))
		bad_line(file, line, "'%s' must be a number from 0 to 10^12", name);
	return item->valuedouble;
}

void read_kv(struct trace *trace, const struct cli_file *file, uint64_t token_bytes, uint64_t block)
{
	struct lines lines = {.at = file->data, .end = (const char *)file->data + file->size};
	struct moment *moments = NULL;
	size_t count = 0, capacity = 0, bytes;
	const char *line;

	while (next_line(&lines, &line, &bytes)) {
		cJSON *object;
		double begin, input, output, tokens;
		struct event event = {.op = EVENT_ALLOC, .id = trace->ids, .line = lines.number};

		if (!bytes)
			continue;
		object = cJSON_ParseWithLength(line, bytes);
		if (!cJSON_IsObject(object))
			bad_line(file, lines.number, "a line is a JSON object");
		begin = member(file, lines.number, object, "timestamp");
		input = member(file, lines.number, object, "input_length");
		output = member(file, lines.number, object, "output_length");
		cJSON_Delete(object);
		tokens = input + output;
		if (tokens > 1e9)
			bad_line(file, lines.number, "more than 10^9 tokens");
		event.bytes = ((uint64_t)tokens + block - 1) / block * block * token_bytes;
		if (!event.bytes)
			continue;
		trace->ids++;
		if (count + 2 > capacity) {
			capacity = capacity ? 2 * capacity : 256;
			moments = cli_realloc(moments, capacity * sizeof *moments);
		}
		moments[count++] = (struct moment){begin, event};
		event.op = EVENT_FREE;
		moments[count++] = (struct moment){begin + FIRST_MS + TOKEN_MS * output, event};
	}
	if (count)
		qsort(moments, count, sizeof *moments, by_time);
	for (size_t i = 0; i < count; i++)
		trace_add(trace, moments[i].event);
	free(moments);
}
