/* SPDX-License-Identifier: MIT */
/*
 * The header is a dictionary as Python prints it. It is read strictly: three keys, each
 * once, and nothing is allocated, whatever numbers a file claims.
 */
#include "npy.h"

#include <inttypes.h>
#include <string.h>

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* --- Shapes --------------------------------------------------------------------------- */

bool shape_add(struct shape *shape, uint64_t extent)
{
	if (!shape->count)
		shape->elems = 1;
	if (shape->count == SHAPE_DIMENSIONS ||
	    __builtin_mul_overflow(shape->elems, extent, &shape->elems) || shape->elems > INT64_MAX)
		return false;
	shape->at[shape->count++] = extent;
	return true;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
	return a->count == b->count && !memcmp(a->at, b->at, a->count * sizeof *a->at);
}

void shape_spell(const struct shape *shape, char *text, size_t bytes)
{
	size_t used = (size_t)snprintf(text, bytes, "[");

	for (uint32_t i = 0; i < shape->count && used < bytes; i++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%" PRIu64, i ? "," : "", shape->at[i]);
	if (used < bytes)
		snprintf(text + used, bytes - used, "]");
}

/* --- Reading -------------------------------------------------------------------------- */

struct reader {
	const char *name;
	const char *at, *end;
	struct npy *npy;
	bool has_descr, has_order, has_shape;
};

static _Noreturn void broken(const struct reader *r, const char *what)
{
	cli_wrong("%s: its .npy header is wrong: %s", r->name, what);
}

static void skip_space(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n'))
		r->at++;
}

static bool take(struct reader *r, const char *token)
{
	size_t bytes = strlen(token);

	skip_space(r);
	if ((size_t)(r->end - r->at) < bytes || memcmp(r->at, token, bytes))
		return false;
	r->at += bytes;
	return true;
}

/* A string without escapes, which no key and no descr needs. */
static void read_string(struct reader *r, char *out, size_t bytes)
{
	char quote;
	size_t n = 0;

	skip_space(r);
	quote = r->at < r->end ? *r->at++ : '\0';
	if (quote != '\'' && quote != '"')
		broken(r, "a string is missing");
	while (r->at < r->end && *r->at != quote) {
		if (*r->at == '\\' || n + 1 == bytes)
			broken(r, "a string is too long, or has an escape");
		out[n++] = *r->at++;
	}
	if (r->at == r->end)
		broken(r, "a string does not end");
	r->at++;
	out[n] = '\0';
}

static void read_descr(struct reader *r)
{
	char descr[32];
	const char *name;

	skip_space(r);
	if (r->at < r->end && *r->at == '[')
		cli_wrong("%s: structured elements cannot be an array of a kernel", r->name);
	read_string(r, descr, sizeof descr);
	name = descr + (*descr && strchr("<>=|", *descr) != NULL);
	for (int i = 0; i < GLACIER_TYPE_COUNT; i++)
		if (types[i].bytes && !strcmp(types[i].npy, name))
			r->npy->type = (enum glacier_type)i;
	if (r->npy->type == GLACIER_VOID)
		cli_wrong("%s: elements of dtype '%s' cannot be an array of a kernel", r->name, descr);
	if (*descr == '>' && types[r->npy->type].bytes > 1)
		cli_wrong("%s: dtype '%s' is big-endian: store it with astype('<%s')", r->name, descr, name);
}

static uint64_t read_extent(struct reader *r)
{
	uint64_t extent = 0;
	const char *first;

	skip_space(r);
	first = r->at;
	for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
		if (__builtin_mul_overflow(extent, 10, &extent) ||
		    __builtin_add_overflow(extent, (uint64_t)(*r->at - '0'), &extent))
			broken(r, "the shape is too large");
	if (r->at == first)
		broken(r, "the shape is no tuple of numbers");
	return extent;
}

static void read_shape(struct reader *r)
{
	struct shape *shape = &r->npy->shape;

	*shape = (struct shape){.elems = 1};
	if (!take(r, "("))
		broken(r, "the shape is no tuple");
	while (!take(r, ")")) {
		if (!shape_add(shape, read_extent(r)))
			broken(r, "the shape is too large");
		if (take(r, ","))
			continue;
		/* "(3)" is a number in Python. */
		if (shape->count < 2 || !take(r, ")"))
			broken(r, "the shape is no tuple of numbers");
		return;
	}
}

static void read_order(struct reader *r)
{
	if (take(r, "True"))
		cli_wrong("%s: the elements are in Fortran order: store it with numpy.ascontiguousarray", r->name);
	if (!take(r, "False"))
		broken(r, "fortran_order is neither True nor False");
}

static void once(struct reader *r, bool *seen)
{
	if (*seen)
		broken(r, "a key stands twice");
	*seen = true;
}

static void read_dictionary(struct reader *r)
{
	char key[32];

	if (!take(r, "{"))
		broken(r, "it is no dictionary");
	while (!take(r, "}")) {
		read_string(r, key, sizeof key);
		if (!take(r, ":"))
			broken(r, "a key has no value");
		if (!strcmp(key, "descr")) {
			once(r, &r->has_descr);
			read_descr(r);
		} else if (!strcmp(key, "fortran_order")) {
			once(r, &r->has_order);
			read_order(r);
		} else if (!strcmp(key, "shape")) {
			once(r, &r->has_shape);
			read_shape(r);
		} else {
			broken(r, "a key is unknown");
		}
		if (!take(r, ",")) {
			if (!take(r, "}"))
				broken(r, "it does not end");
			break;
		}
	}
	skip_space(r);
	if (r->at != r->end)
		broken(r, "something stands behind it");
	if (!r->has_descr || !r->has_order || !r->has_shape)
		broken(r, "descr, fortran_order or shape is missing");
}

void npy_parse(const struct cli_file *file, struct npy *npy)
{
	const unsigned char *bytes = file->data;
	struct reader r = {.name = file->name, .npy = npy};
	size_t fixed, length;
	uint64_t need;

	*npy = (struct npy){0};
	if (file->size < 10 || memcmp(bytes, magic, sizeof magic))
		cli_wrong("%s: no .npy file", file->name);
	if (bytes[6] < 1 || bytes[6] > 3 || bytes[7])
		cli_wrong("%s: .npy version %u.%u; 1.0, 2.0 and 3.0 can be read", file->name, bytes[6], bytes[7]);
	/* Version 1 has a length of 16 bits, the others of 32. */
	fixed = bytes[6] == 1 ? 10 : 12;
	length = bytes[8] | (size_t)bytes[9] << 8;
	if (fixed == 12) {
		if (file->size < fixed)
			cli_wrong("%s: truncated in its header", file->name);
		length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
	}
	if (length > file->size - fixed)
		cli_wrong("%s: truncated in its header", file->name);
	npy->offset = fixed + length;
	r.at = (const char *)bytes + fixed;
	r.end = r.at + length;
	read_dictionary(&r);

	if (__builtin_mul_overflow(npy->shape.elems, (uint64_t)types[npy->type].bytes, &need))
		broken(&r, "the shape is too large");
	if (need != file->size - npy->offset)
		cli_wrong("%s: %s: its shape takes %" PRIu64 " bytes, %zu are there", file->name,
			  need > file->size - npy->offset ? "truncated" : "something stands behind the elements",
			  need, file->size - npy->offset);
}

/* --- Writing -------------------------------------------------------------------------- */

size_t npy_header(enum glacier_type type, const struct shape *shape, char header[NPY_HEADER_BYTES])
{
	char order = types[type].bytes == 1 ? '|' : '<';
	size_t used, total;

	memcpy(header, magic, sizeof magic);
	memcpy(header + 6, "\1", 2);
	used = 10;
	used += (size_t)snprintf(header + used, NPY_HEADER_BYTES - used,
				 "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order, types[type].npy);
	for (uint32_t i = 0; i < shape->count; i++)
		used += (size_t)snprintf(header + used, NPY_HEADER_BYTES - used, "%s%" PRIu64, i ? ", " : "",
					 shape->at[i]);
	used += (size_t)snprintf(header + used, NPY_HEADER_BYTES - used, "%s), }", shape->count == 1 ? "," : "");
	total = (used + 1 + 63) & ~(size_t)63;
	memset(header + used, ' ', total - used - 1);
	header[total - 1] = '\n';
	header[8] = (char)(unsigned char)(total - 10);
	header[9] = (char)(unsigned char)((total - 10) >> 8);
	return total;
}
