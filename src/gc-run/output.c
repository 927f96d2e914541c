/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <stdlib.h>
#include <string.h>

/* "f32[2,3]" at the end of FILE:f32[2,3]; false: it is no such thing, and belongs to the name. */
static bool read_shape(const char *text, enum glacier_type *type, struct shape *shape)
{
	char name[8];
	size_t bytes = strcspn(text, "[");
	const char *at = text + bytes;

	if (bytes >= sizeof name || !*at)
		return false;
	memcpy(name, text, bytes);
	name[bytes] = '\0';
	*type = glacier_type_find(name);
	*shape = (struct shape){.elems = 1};
	while (*at == '[' || *at == ',') {
		uint64_t extent = 0;
		const char *first = ++at;

		for (; *at >= '0' && *at <= '9'; at++)
			if (__builtin_mul_overflow(extent, 10, &extent) ||
			    __builtin_add_overflow(extent, (uint64_t)(*at - '0'), &extent))
				return false;
		if (at == first || !shape_add(shape, extent))
			return false;
	}
	return types[*type].bytes && !strcmp(at, "]") && shape->elems <= INT64_MAX / 8;
}

void output_parse(struct output *output, const char *array, const char *text)
{
	char *colon;

	*output = (struct output){.array = cli_strdup(array), .path = cli_strdup(text)};
	colon = strrchr(output->path, ':');
	if (colon && colon != output->path && read_shape(colon + 1, &output->type, &output->shape))
		*colon = '\0';
	else
		output->type = GLACIER_VOID;
	if (cli_has_suffix(output->path, ".npy"))
		output->form = OUTPUT_NPY;
	else if (cli_has_suffix(output->path, ".raw"))
		output->form = OUTPUT_RAW;
	else if (cli_has_suffix(output->path, ".txt") || !strcmp(output->path, "-"))
		output->form = OUTPUT_TEXT;
	else
		cli_bad_usage("-o %s=%s: the file's name ends in .npy, .raw or .txt, or is -, "
			      "and may be followed by :TYPE[N]", array, text);
}

/* An element a line; of several dimensions, the last a line. */
static void print_text(struct output *output, enum glacier_type type, const struct shape *shape, const void *elems)
{
	const unsigned char *at = elems;
	uint64_t row = shape->count > 1 ? shape->at[shape->count - 1] : 1;
	char text[TYPE_TEXT_BYTES];
	FILE *out = open_memstream(&output->data, &output->bytes);

	if (!out)
		cli_die("out of memory");
	for (uint64_t i = 0; i < shape->elems; i++) {
		type_spell(type, type_load(type, at + i * types[type].bytes), text);
		fputs(text, out);
		fputc((i + 1) % row ? ' ' : '\n', out);
	}
	if (fclose(out))
		cli_die("out of memory");
}

void output_stage(struct output *output, enum glacier_type type, const struct shape *shape, const void *elems)
{
	size_t bytes = shape->elems * types[type].bytes, header;
	const void *data = elems;

	if (output->form == OUTPUT_TEXT) {
		print_text(output, type, shape, elems);
		data = output->data;
		bytes = output->bytes;
	} else if (output->form == OUTPUT_NPY) {
		output->data = cli_alloc(NPY_HEADER_BYTES + bytes);
		header = npy_header(type, shape, output->data);
		if (bytes)
			memcpy(output->data + header, elems, bytes);
		data = output->data;
		bytes += header;
	}
	if (!cli_stage(output->path, data, bytes, output->form != OUTPUT_TEXT))
		cli_exit(CLI_TROUBLE);
}

void output_fini(struct output *output)
{
	free(output->array);
	free(output->path);
	free(output->data);
}
