/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void trace_add(struct trace *trace, struct event event)
{
	if (trace->count == trace->capacity) {
		trace->capacity = trace->capacity ? 2 * trace->capacity : 1024;
		trace->events = cli_realloc(trace->events, trace->capacity * sizeof *trace->events);
	}
	trace->events[trace->count++] = event;
}

void trace_fini(struct trace *trace)
{
	free(trace->events);
	*trace = (struct trace){0};
}

bool next_line(struct lines *lines, const char **line, size_t *bytes)
{
	const char *newline;

	if (lines->at == lines->end)
		return false;
	newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
	*line = lines->at;
	*bytes = (size_t)((newline ? newline : lines->end) - lines->at);
	lines->at = newline ? newline + 1 : lines->end;
	lines->number++;
	*bytes -= *bytes && (*line)[*bytes - 1] == '\r';
	return true;
}

void bad_line(const struct cli_file *file, uint64_t line, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	cli_wrong("%s:%" PRIu64 ": %s", file->name, line, text);
}

/* --- Identities: open addressing, at most half full ----------------------- */

static size_t start(uint64_t key, size_t capacity)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
}

static uint32_t *find(struct ids *ids, uint64_t key)
{
	size_t at = start(key, ids->capacity);

	while (ids->id[at] && ids->key[at] != key)
		at = (at + 1) & (ids->capacity - 1);
	ids->key[at] = key;
	return &ids->id[at];
}

static void grow(struct ids *ids)
{
	struct ids old = *ids;

	ids->capacity = old.capacity ? 2 * old.capacity : 1024;
	ids->key = cli_alloc(ids->capacity * sizeof *ids->key);
	ids->id = cli_alloc(ids->capacity * sizeof *ids->id);
	memset(ids->id, 0, ids->capacity * sizeof *ids->id);
	for (size_t i = 0; i < old.capacity; i++)
		if (old.id[i])
			*find(ids, old.key[i]) = old.id[i];
	free(old.key);
	free(old.id);
}

uint32_t *ids_place(struct ids *ids, uint64_t key)
{
	uint32_t *place;

	if (2 * ids->used >= ids->capacity)
		grow(ids);
	place = find(ids, key);
	ids->used += !*place;
	return place;
}

void ids_fini(struct ids *ids)
{
	free(ids->key);
	free(ids->id);
}

/* --- Addresses ----------------------------------------------------------- */

void addressed_alloc(struct addressed *a, uint64_t at, uint64_t bytes, uint32_t thread, uint64_t line)
{
	uint32_t *place = ids_place(&a->ids, at), *late;

	if (*place && *place != NOT_LIVE) {
		a->trace->twice++;
		late = ids_place(&a->late, at);
		*late = *late ? *late + 1 : 2;
		trace_add(a->trace, (struct event){.op = EVENT_FREE, .thread = thread, .id = *place - 1, .line = line});
	}
	*place = ++a->trace->ids;
	trace_add(a->trace, (struct event){.op = EVENT_ALLOC, .thread = thread, .id = *place - 1, .bytes = bytes, .line = line});
}

bool addressed_free(struct addressed *a, uint64_t at, uint32_t thread, uint64_t line)
{
	uint32_t *place = ids_place(&a->ids, at), *late;

	if (*place == NOT_LIVE) {
		late = ids_place(&a->late, at);
		if (*late > 1) {
			--*late;
			return true;
		}
		*late = 1;   /* keeps the place */
		return false;
	}
	if (*place)
		trace_add(a->trace, (struct event){.op = EVENT_FREE, .thread = thread, .id = *place - 1, .line = line});
	else
		a->trace->unseen_frees++;
	*place = NOT_LIVE;
	return true;
}

void addressed_fini(struct addressed *a)
{
	ids_fini(&a->ids);
	ids_fini(&a->late);
}

/* --- Reading ------------------------------------------------------------- */

static enum format guess(const struct cli_file *file)
{
	const unsigned char *data = file->data;
	size_t at = 0;

	if (cli_has_suffix(file->name, ".rep"))
		return FORMAT_REP;
	if (cli_has_suffix(file->name, ".csv"))
		return FORMAT_RMM;
	if (cli_has_suffix(file->name, ".jsonl"))
		return FORMAT_KV;
	if (cli_has_suffix(file->name, ".pickle") || cli_has_suffix(file->name, ".pkl") || (file->size > 1 && data[0] == 0x80))
		return FORMAT_PYTORCH;
	while (at < file->size && (data[at] == ' ' || data[at] == '\n' || data[at] == '\r' || data[at] == '\t'))
		at++;
	if (at < file->size && (data[at] == '{' || data[at] == '['))
		return FORMAT_PYTORCH;
	/* A pickle of old: its reader says so. */
	if (file->size > 2 && (!memcmp(data, "(dp", 3) || !memcmp(data, "}q", 2)))
		return FORMAT_PYTORCH;
	if (file->size >= 7 && !memcmp(data, "gctrace", 7))
		return FORMAT_GC;
	if (file->size >= 6 && !memcmp(data, "Thread", 6))
		return FORMAT_RMM;
	cli_bad_usage("%s: its format is not seen from its name or first bytes: say --format", file->name);
}

void trace_read(struct trace *trace, const char *path, const struct options *opt)
{
	struct cli_file file = cli_read(path);

	*trace = (struct trace){0};
	switch (opt->format == FORMAT_COUNT ? guess(&file) : opt->format) {
	case FORMAT_RMM: read_rmm(trace, &file); break;
	case FORMAT_REP: read_rep(trace, &file); break;
	case FORMAT_GC: read_gc(trace, &file); break;
	case FORMAT_KV: read_kv(trace, &file, opt->kv_bytes, opt->kv_block); break;
	default: read_pytorch(trace, &file); break;
	}
	if (!trace->count)
		cli_wrong("%s: there is no allocation in it", file.name);
	cli_release(&file);
}

bool trace_write(const struct trace *trace, const char *path)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	bool good;

	if (!out)
		cli_die("out of memory");
	fprintf(out, "gctrace 1\n# thread op id bytes\n");
	for (size_t i = 0; i < trace->count; i++) {
		const struct event *e = &trace->events[i];

		if (e->op == EVENT_ALLOC)
			fprintf(out, "%" PRIu32 " a %" PRIu32 " %" PRIu64 "\n", e->thread, e->id, e->bytes);
		else
			fprintf(out, "%" PRIu32 " f %" PRIu32 "\n", e->thread, e->id);
	}
	if (fclose(out))
		cli_die("out of memory");
	good = cli_stage(path, text, bytes, false) && cli_commit();
	free(text);
	return good;
}
