/* SPDX-License-Identifier: MIT */
/* Logs of a line an event: RMM's CSV, malloclab's .rep, and this program's own. */
#include "trace.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 8, FIELD_BYTES = 64 };

/* Fields between commas or blanks. False: too many, or too long. */
static bool split(const char *line, size_t bytes, bool commas, char field[MOST_FIELDS][FIELD_BYTES], size_t *count)
{
	const char *end = line + bytes;

	*count = 0;
	while (line < end || (commas && *count && line == end && line[-1] == ',')) {
		const char *begin;
		size_t length;

		while (line < end && (*line == ' ' || *line == '\t'))
			line++;
		begin = line;
		while (line < end && !(commas ? *line == ',' : isspace((unsigned char)*line)))
			line++;
		length = (size_t)(line - begin);
		while (length && isspace((unsigned char)begin[length - 1]))
			length--;
		if (*count == MOST_FIELDS || length >= FIELD_BYTES)
			return false;
		if (length || commas) {
			memcpy(field[*count], begin, length);
			field[(*count)++][length] = '\0';
		}
		if (line >= end)
			break;
		line++;
	}
	return true;
}

static bool number(const char *text, int base, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, base);
	return end != text && !*end && *text != '-' && !errno;
}

static void room_for_id(const struct trace *trace, const struct cli_file *file, uint64_t line)
{
	if (trace->ids == UINT32_MAX - 1)
		bad_line(file, line, "more than 2^32 allocations");
}

/* --- RMM ----------------------------------------------------------------- */

/* "0x..", hex without it, or "(nil)". */
static bool pointer(const char *text, uint64_t *value)
{
	*value = 0;
	return !strcmp(text, "(nil)") || !strcmp(text, "nullptr") || number(text, 16, value);
}

/*
 * Thread,Time,Action,Pointer,Size,Stream. The pointer is who an allocation is; one that is given again
 * without a free lost a row, or was reused in the order of a stream.
 */
void read_rmm(struct trace *trace, const struct cli_file *file)
{
	struct lines lines = {.at = file->data, .end = (const char *)file->data + file->size};
	char field[MOST_FIELDS][FIELD_BYTES];
	struct addressed addressed = {.trace = trace};
	struct ids threads = {0};
	const char *line;
	size_t bytes, count;

	while (next_line(&lines, &line, &bytes)) {
		uint64_t at, thread, size;
		uint32_t *place;

		if (!bytes || *line == '#')
			continue;
		if (!split(line, bytes, true, field, &count) || count < 5)
			bad_line(file, lines.number, "a row has Thread,Time,Action,Pointer,Size,Stream");
		if (!strcasecmp(field[0], "Thread"))
			continue;
		if (!number(field[0], 0, &thread))
			bad_line(file, lines.number, "'%s' is no thread", field[0]);
		if (!strcmp(field[2], "allocate failure")) {
			trace->failures++;
			continue;
		}
		if (!pointer(field[3], &at))
			bad_line(file, lines.number, "'%s' is no pointer", field[3]);
		if (!number(field[4], 10, &size))
			bad_line(file, lines.number, "'%s' is no size", field[4]);
		place = ids_place(&threads, thread);
		if (!*place)
			*place = (uint32_t)threads.used;
		if (!strcmp(field[2], "allocate")) {
			if (!at)
				continue;   /* nothing was given */
			room_for_id(trace, file, lines.number);
			addressed_alloc(&addressed, at, size ? size : 1, *place - 1, lines.number);
		} else if (!strcmp(field[2], "free") || !strcmp(field[2], "deallocate") || !strcmp(field[2], "dealloc")) {
			if (at && !addressed_free(&addressed, at, *place - 1, lines.number))
				bad_line(file, lines.number, "event %zu frees 0x%" PRIx64 ", which was freed before", trace->count + 1, at);
		} else {
			bad_line(file, lines.number, "'%s' is no action", field[2]);
		}
	}
	addressed_fini(&addressed);
	ids_fini(&threads);
}

/* --- By numbers: .rep and our own ----------------------------------------- */

struct numbered {
	struct trace *trace;
	const struct cli_file *file;
	struct ids ids;
};

static void numbered_alloc(struct numbered *n, uint64_t name, uint64_t bytes, uint32_t thread, uint64_t line)
{
	uint32_t *place = ids_place(&n->ids, name);

	if (*place && *place != NOT_LIVE)
		bad_line(n->file, line, "event %zu allocates %" PRIu64 ", which is live", n->trace->count + 1, name);
	room_for_id(n->trace, n->file, line);
	*place = ++n->trace->ids;
	trace_add(n->trace, (struct event){.op = EVENT_ALLOC, .thread = thread, .id = *place - 1, .bytes = bytes, .line = line});
}

static void numbered_free(struct numbered *n, uint64_t name, uint32_t thread, uint64_t line)
{
	uint32_t *place = ids_place(&n->ids, name);

	if (!*place || *place == NOT_LIVE)
		bad_line(n->file, line, "event %zu frees %" PRIu64 ", which is not live", n->trace->count + 1, name);
	trace_add(n->trace, (struct event){.op = EVENT_FREE, .thread = thread, .id = *place - 1, .line = line});
	*place = NOT_LIVE;
}

/* a id bytes, f id, r id bytes; four numbers before them, or not. */
void read_rep(struct trace *trace, const struct cli_file *file)
{
	struct lines lines = {.at = file->data, .end = (const char *)file->data + file->size};
	struct numbered n = {.trace = trace, .file = file};
	char field[MOST_FIELDS][FIELD_BYTES];
	const char *line;
	size_t bytes, count;
	int header = 0;

	while (next_line(&lines, &line, &bytes)) {
		uint64_t id = 0, size = 0, ignored;

		if (!split(line, bytes, false, field, &count))
			bad_line(file, lines.number, "a line is 'a id bytes', 'f id' or 'r id bytes'");
		if (!count || field[0][0] == '#')
			continue;
		if (count == 1 && header < 4 && !trace->count && number(field[0], 10, &ignored)) {
			header++;
			continue;
		}
		if (strlen(field[0]) != 1 || !strchr("afr", field[0][0]) || count != (field[0][0] == 'f' ? 2u : 3u) ||
		    !number(field[1], 10, &id) || (field[0][0] != 'f' && !number(field[2], 10, &size)))
			bad_line(file, lines.number, "a line is 'a id bytes', 'f id' or 'r id bytes'");
		if (field[0][0] != 'a')
			numbered_free(&n, id, 0, lines.number);
		if (field[0][0] != 'f')
			numbered_alloc(&n, id, size ? size : 1, 0, lines.number);
	}
	ids_fini(&n.ids);
}

/* "gctrace 1", then: thread a id bytes; thread f id. # begins a comment. */
void read_gc(struct trace *trace, const struct cli_file *file)
{
	struct lines lines = {.at = file->data, .end = (const char *)file->data + file->size};
	struct numbered n = {.trace = trace, .file = file};
	char field[MOST_FIELDS][FIELD_BYTES];
	const char *line;
	size_t bytes, count;

	while (next_line(&lines, &line, &bytes)) {
		uint64_t thread, id, size = 0;
		const char *comment = bytes ? memchr(line, '#', bytes) : NULL;

		bytes = comment ? (size_t)(comment - line) : bytes;
		if (!split(line, bytes, false, field, &count))
			bad_line(file, lines.number, "a line is 'thread a id bytes' or 'thread f id'");
		if (lines.number == 1) {
			if (count != 2 || strcmp(field[0], "gctrace") || strcmp(field[1], "1"))
				bad_line(file, 1, "the first line is 'gctrace 1'");
			continue;
		}
		if (!count)
			continue;
		if (count < 3 || !number(field[0], 10, &thread) || thread > UINT32_MAX || !number(field[2], 10, &id) ||
		    strlen(field[1]) != 1 || (field[1][0] == 'a' ? count != 4 || !number(field[3], 10, &size) : count != 3) ||
		    !strchr("af", field[1][0]))
			bad_line(file, lines.number, "a line is 'thread a id bytes' or 'thread f id'");
		if (field[1][0] == 'a')
			numbered_alloc(&n, id, size ? size : 1, (uint32_t)thread, lines.number);
		else
			numbered_free(&n, id, (uint32_t)thread, lines.number);
	}
	ids_fini(&n.ids);
}
