/* SPDX-License-Identifier: MIT */
/* The header is a Python dictionary of three keys. Nothing is allocated, whatever numbers it claims. */
#include "npy.h"

#include <inttypes.h>
#include <string.h>

static _Noreturn void broken(const struct cli_file *file, const char *what)
{
	cli_wrong("%s: its .npy header is wrong: %s", file->name, what);
}

/* What stands behind 'key':; the key stands once. */
static const char *value_of(const struct cli_file *file, const char *text, const char *key)
{
	size_t bytes = strlen(key);
	const char *at = strstr(text, key), *again = at ? strstr(at + bytes, key) : NULL;

	if (!at || again || at == text || (at[-1] != '\'' && at[-1] != '"') || at[bytes] != at[-1])
		broken(file, "descr, fortran_order or shape is missing, or stands twice");
	at += bytes + 1;
	at += strspn(at, " ");
	if (*at++ != ':')
		broken(file, "a key has no value");
	return at + strspn(at, " ");
}

static enum glacier_type read_descr(const struct cli_file *file, const char *at)
{
	static const struct {
		char name[4];
		uint8_t type;
	} types[] = {{"f4", GLACIER_F32}, {"f8", GLACIER_F64}, {"f2", GLACIER_F16}, {"i1", GLACIER_I8}, {"u1", GLACIER_U8},
		     {"i4", GLACIER_I32}, {"u4", GLACIER_U32}, {"i8", GLACIER_I64}, {"u8", GLACIER_U64}, {"V2", GLACIER_BF16}};
	size_t bytes = *at == '\'' || *at == '"' ? strcspn(at + 1, at[0] == '"' ? "\"" : "'") : 0;

	if (bytes < 2 || bytes > 4)
		broken(file, "descr is no type of numbers");
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		const char *name = at + 1 + (strchr("<>=|", at[1]) != NULL);

		if (bytes - (size_t)(name - at - 1) != 2 || memcmp(name, types[i].name, 2))
			continue;
		if (at[1] == '>' && name[1] != '1')
			cli_wrong("%s: dtype '%.*s' is big-endian: store it with astype('<%.2s')", file->name, (int)bytes, at + 1, name);
		return (enum glacier_type)types[i].type;
	}
	cli_wrong("%s: elements of dtype '%.*s' cannot be reduced", file->name, (int)bytes, at + 1);
}

static size_t read_shape(const struct cli_file *file, const char *at)
{
	uint64_t count = 1, extent;

	if (*at++ != '(')
		broken(file, "the shape is no tuple");
	for (at += strspn(at, " "); *at != ')'; at += strspn(at, " ")) {
		if (*at < '0' || *at > '9')
			broken(file, "the shape is no tuple of numbers");
		for (extent = 0; *at >= '0' && *at <= '9'; at++)
			if (__builtin_mul_overflow(extent, 10, &extent) ||
			    __builtin_add_overflow(extent, (uint64_t)(*at - '0'), &extent))
				broken(file, "the shape is too large");
		if (__builtin_mul_overflow(count, extent, &count) || count > INT64_MAX)
			broken(file, "the shape is too large");
		at += strspn(at, " ");
		if (*at == ',')
			at++;
		else if (*at != ')')
			broken(file, "the shape is no tuple of numbers");
	}
	return (size_t)count;
}

static size_t bytes_of(enum glacier_type type)
{
	switch (type) {
	case GLACIER_I8: case GLACIER_U8: return 1;
	case GLACIER_F16: case GLACIER_BF16: return 2;
	case GLACIER_F64: case GLACIER_I64: case GLACIER_U64: return 8;
	default: return 4;
	}
}

void npy_parse(const struct cli_file *file, struct npy *npy)
{
	const unsigned char *bytes = file->data;
	char text[1024];
	size_t prefix, length, needed;
	const char *order;

	if (file->size < 12 || memcmp(bytes, "\x93NUMPY", 6))
		cli_wrong("%s: is no .npy file", file->name);
	if (bytes[6] < 1 || bytes[6] > 3)
		cli_wrong("%s: .npy version %u.%u is not known", file->name, bytes[6], bytes[7]);
	prefix = bytes[6] == 1 ? 10 : 12;
	length = bytes[8] | (size_t)bytes[9] << 8;
	if (bytes[6] > 1)
		length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
	if (length > file->size - prefix)
		broken(file, "it is longer than the file");
	if (length >= sizeof text || memchr(bytes + prefix, '\0', length))
		broken(file, "it is too long");
	memcpy(text, bytes + prefix, length);
	text[length] = '\0';
	if (*text != '{')
		broken(file, "it is no dictionary");
	npy->type = read_descr(file, value_of(file, text, "descr"));
	order = value_of(file, text, "fortran_order");
	npy->count = read_shape(file, value_of(file, text, "shape"));
	if (!strncmp(order, "True", 4))
		cli_wrong("%s: the elements are in Fortran order: store it with numpy.ascontiguousarray", file->name);
	if (strncmp(order, "False", 5))
		broken(file, "fortran_order is neither True nor False");
	npy->header = file->data;
	npy->header_bytes = prefix + length;
	if (__builtin_mul_overflow(npy->count, bytes_of(npy->type), &needed) || needed != file->size - npy->header_bytes)
		cli_wrong("%s: has %zu bytes of elements, its shape needs %" PRIu64, file->name, file->size - npy->header_bytes,
			  (uint64_t)npy->count * bytes_of(npy->type));
}
