/* SPDX-License-Identifier: MIT */
/*
 * Whether a text of PTX is one that the reflection tells of: its entry, the entry's
 * parameters and its workgroup. Everything else the driver's compiler looks at.
 */
#include "device/prebuilt.h"

#include <stdio.h>
#include <string.h>

/* A piece of the text; ends with it. */
struct view {
	const char *at, *end;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Blanks and comments. */
static void skip(struct view *v)
{
	while (v->at < v->end) {
		bool line = v->end - v->at > 1 && v->at[0] == '/' && v->at[1] == '/';
		bool block = v->end - v->at > 1 && v->at[0] == '/' && v->at[1] == '*';

		if (!line && !block && !is_space(*v->at))
			return;
		if (!line && !block) {
			v->at++;
			continue;
		}
		v->at += 2;
		while (v->at < v->end && (line ? *v->at != '\n' : v->at[0] != '*' || v->end - v->at < 2 || v->at[1] != '/'))
			v->at++;
		v->at += block && v->end - v->at > 1 ? 2 : 0;
	}
}

/* A word, or one sign. False at the end of the text. */
static bool next(struct view *v, struct view *word)
{
	skip(v);
	if (v->at == v->end)
		return false;
	word->at = v->at++;
	if (!strchr("(){}[],;:=<>+-*/", *word->at))
		while (v->at < v->end && !is_space(*v->at) && !strchr("(){}[],;:=<>+-*/", *v->at))
			v->at++;
	word->end = v->at;
	return true;
}

static bool is(const struct view *word, const char *text)
{
	size_t bytes = strlen(text);

	return (size_t)(word->end - word->at) == bytes && !memcmp(word->at, text, bytes);
}

/* Behind the entry's name; *names gets those that are there. */
static bool find_entry(struct view *v, const char *symbol, char *names, size_t bytes)
{
	struct view word;
	size_t used = 0;

	names[0] = '\0';
	while (next(v, &word)) {
		if (!is(&word, ".entry") || !next(v, &word))
			continue;
		if (is(&word, symbol))
			return true;
		if (used < bytes)
			used += (size_t)snprintf(names + used, bytes - used, "%s%.*s", used ? ", " : "",
						 (int)(word.end - word.at < 100 ? word.end - word.at : 100), word.at);
	}
	return false;
}

/* Buffers as addresses, scalars in their types, then the lengths: lib/ptx/ptx.h. */
static uint32_t wanted_bytes(const struct glc_kernel *kernel, uint32_t index)
{
	for (int lengths = 0; lengths < 2; lengths++)
		for (uint32_t i = 0; i < kernel->object_count; i++) {
			const struct glc_object *object = &kernel->objects[i];
			bool is_param = object->kind == GLC_OBJECT_BUFFER || object->kind == GLC_OBJECT_SCALAR;

			if ((lengths ? !object->length_taken : !is_param) || index--)
				continue;
			if (lengths || object->kind == GLC_OBJECT_BUFFER)
				return 8;
			return object->type == GLC_BOOL ? 4 : glc_types[object->type].bytes;
		}
	return 0;
}

static uint32_t bytes_of(const struct view *type)
{
	static const char names[][5] = {".u64", ".s64", ".b64", ".f64", ".u32", ".s32", ".b32", ".f32"};

	for (uint32_t i = 0; i < 8; i++)
		if (is(type, names[i]))
			return i < 4 ? 8 : 4;
	return 0;
}

static enum glacier_status match_params(struct view *v, const struct glc_kernel *kernel, const char *symbol,
					struct glacier_diag *diag)
{
	struct view word = {0};
	uint32_t count = 0;

	if (next(v, &word) && is(&word, "("))
		while (next(v, &word) && !is(&word, ")")) {
			uint32_t bytes, wanted;

			if (is(&word, ","))
				continue;
			bytes = is(&word, ".param") && next(v, &word) ? bytes_of(&word) : 0;
			wanted = wanted_bytes(kernel, count);
			if (bytes != wanted || !bytes || !next(v, &word))
				return glc_fail(diag, GLC_DV_PTX_PARAM, GLC_NOWHERE, symbol, count, bytes, wanted);
			count++;
		}
	if (!wanted_bytes(kernel, count))
		return GLACIER_OK;
	return glc_fail(diag, GLC_DV_PTX_PARAM, GLC_NOWHERE, symbol, count, 0, wanted_bytes(kernel, count));
}

/* As it stands before the body. */
static enum glacier_status match_workgroup(struct view *v, const struct glc_kernel *kernel, struct glacier_diag *diag)
{
	uint32_t size[3] = {0}, wanted[3], i = 0;
	struct view word;

	while (next(v, &word) && !is(&word, "{"))
		if (is(&word, ".reqntid"))
			while (i < 3 && next(v, &word) && *word.at >= '0' && *word.at <= '9') {
				uint64_t value = 0;

				for (; word.at < word.end && value < 1 << 20; word.at++)
					value = value * 10 + (uint64_t)(*word.at - '0');
				size[i++] = (uint32_t)value;
				skip(v);
				if (v->at == v->end || *v->at != ',')
					break;
				v->at++;
			}
	for (uint32_t j = i; i && j < 3; j++)
		size[j] = 1;
	for (int j = 0; j < 3; j++)
		wanted[j] = kernel->workgroup[j].value;
	if (!memcmp(size, wanted, sizeof size))
		return GLACIER_OK;
	return glc_fail(diag, GLC_DV_SPV_WORKGROUP, GLC_NOWHERE, size[0], size[1], size[2], wanted[0], wanted[1],
			wanted[2]);
}

enum glacier_status glc_prebuilt_match_ptx(const struct glc_prebuilt *prebuilt, const struct glc_kernel *kernel,
					   struct glacier_diag *diag)
{
	struct view v = {prebuilt->ptx, prebuilt->ptx + prebuilt->ptx_bytes};
	enum glacier_status status;
	char names[512];

	/* The driver reads up to a zero, and would not see what is behind it. */
	if (memchr(v.at, 0, prebuilt->ptx_bytes))
		return glc_fail(diag, GLC_DV_PTX_MALFORMED, GLC_NOWHERE);
	if (!find_entry(&v, prebuilt->symbol, names, sizeof names))
		return glc_fail(diag, GLC_DV_PTX_ENTRY, GLC_NOWHERE, prebuilt->symbol, names);
	status = match_params(&v, kernel, prebuilt->symbol, diag);
	return status == GLACIER_OK ? match_workgroup(&v, kernel, diag) : status;
}
