/* SPDX-License-Identifier: MIT */
/* Is this text JSON? One pass without recursion; nothing is kept. */
#include "ir/json.h"

#include <string.h>

struct scan {
	struct glacier_diag *diag;
	const unsigned char *at, *start, *end;
	uint32_t base;
	uint32_t depth;
	uint8_t is_object[GLC_MAX_JSON_DEPTH / 8 + 1];   /* a bit for each that is open */
};

static uint32_t pos(const struct scan *s)
{
	return s->base + (uint32_t)(s->at - s->start);
}

static bool expected(const struct scan *s, const char *what)
{
	if (s->at == s->end)
		glc_fail(s->diag, GLC_GA_JSON_SYNTAX, pos(s), what, 19, "the end of the file");
	else
		glc_fail(s->diag, GLC_GA_JSON_SYNTAX, pos(s), what, 1, (const char *)s->at);
	return false;
}

/* The bytes of the UTF-8 sequence at `at` (Unicode 15, table 3-7), or 0. */
static uint32_t sequence(const unsigned char *at, const unsigned char *end)
{
	unsigned char first = at[0], low = 0x80, high = 0xbf;
	uint32_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	if (bytes == 1)
		return 1;
	if (first < 0xc2 || first > 0xf4 || (size_t)(end - at) < bytes)
		return 0;
	switch (first) {
	case 0xe0: low = 0xa0; break;    /* overlong below */
	case 0xed: high = 0x9f; break;   /* surrogates above */
	case 0xf0: low = 0x90; break;    /* overlong below */
	case 0xf4: high = 0x8f; break;   /* above U+10FFFF */
	}
	if (at[1] < low || at[1] > high)
		return 0;
	for (uint32_t i = 2; i < bytes; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return bytes;
}

bool glc_is_utf8(const char *text, size_t bytes)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + bytes;

	while (at < end) {
		uint32_t length = sequence(at, end);

		if (!length)
			return false;
		at += length;
	}
	return true;
}

static void skip_space(struct scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
		s->at++;
}

static bool is_digit(const struct scan *s)
{
	return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static bool digits(struct scan *s)
{
	if (!is_digit(s))
		return expected(s, "a digit");
	while (is_digit(s))
		s->at++;
	return true;
}

static bool number(struct scan *s)
{
	enum { CJSON_NUMBER_BYTES = 63 };   /* longer ones it cuts */
	const unsigned char *start = s->at;

	if (*s->at == '-')
		s->at++;
	if (s->at < s->end && *s->at == '0')
		s->at++;
	else if (!digits(s))
		return false;
	if (s->at < s->end && *s->at == '.') {
		s->at++;
		if (!digits(s))
			return false;
	}
	if (s->at < s->end && (*s->at | 0x20) == 'e') {
		s->at++;
		if (s->at < s->end && (*s->at == '+' || *s->at == '-'))
			s->at++;
		if (!digits(s))
			return false;
	}
	if (s->at - start > CJSON_NUMBER_BYTES) {
		s->at = start;
		glc_fail(s->diag, GLC_GA_JSON_NUMBER, pos(s));
		return false;
	}
	return true;
}

/* The four digits behind \u; -1 when they are not. */
static int32_t hex4(const struct scan *s, const unsigned char *at)
{
	int32_t value = 0;

	if (s->end - at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		unsigned char c = at[i] | 0x20;

		if (at[i] >= '0' && at[i] <= '9')
			value = value * 16 + at[i] - '0';
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + c - 'a' + 10;
		else
			return -1;
	}
	return value;
}

/* \uXXXX, or two of them that make one character. */
static bool unicode_escape(struct scan *s)
{
	int32_t first = hex4(s, s->at + 2), second = -1;

	if (first >= 0xd800 && first < 0xdc00 && s->end - s->at >= 12 && s->at[6] == '\\' && s->at[7] == 'u')
		second = hex4(s, s->at + 8);
	if (first <= 0 || (first >= 0xdc00 && first < 0xe000) ||
	    (first >= 0xd800 && first < 0xdc00 && (second < 0xdc00 || second >= 0xe000))) {
		glc_fail(s->diag, GLC_GA_JSON_ESCAPE, pos(s));
		return false;
	}
	s->at += second < 0 ? 6 : 12;
	return true;
}

static bool string(struct scan *s)
{
	if (s->at == s->end || *s->at != '"')
		return expected(s, "a string");
	s->at++;
	for (;;) {
		uint32_t length;

		if (s->at == s->end)
			return expected(s, "the end of a string");
		if (*s->at == '"')
			break;
		if (*s->at == '\\') {
			if (s->end - s->at >= 2 && s->at[1] == 'u') {
				if (!unicode_escape(s))
					return false;
			} else if (s->end - s->at >= 2 && s->at[1] && strchr("\"\\/bfnrt", s->at[1])) {
				s->at += 2;
			} else {
				glc_fail(s->diag, GLC_GA_JSON_ESCAPE, pos(s));
				return false;
			}
			continue;
		}
		length = *s->at < 0x20 ? 0 : sequence(s->at, s->end);
		if (!length) {
			glc_fail(s->diag, GLC_GA_JSON_BYTE, pos(s), *s->at);
			return false;
		}
		s->at += length;
	}
	s->at++;
	return true;
}

static bool word(struct scan *s, const char *text, size_t bytes)
{
	if ((size_t)(s->end - s->at) < bytes || memcmp(s->at, text, bytes))
		return expected(s, "a value");
	s->at += bytes;
	return true;
}

/* A value that is no object or array. */
static bool scalar(struct scan *s)
{
	if (s->at == s->end)
		return expected(s, "a value");
	switch (*s->at) {
	case '"': return string(s);
	case 't': return word(s, "true", 4);
	case 'f': return word(s, "false", 5);
	case 'n': return word(s, "null", 4);
	}
	if (*s->at == '-' || is_digit(s))
		return number(s);
	return expected(s, "a value");
}

static bool in_object(const struct scan *s)
{
	return s->is_object[(s->depth - 1) / 8] >> ((s->depth - 1) % 8) & 1;
}

static bool open(struct scan *s)
{
	bool object = *s->at == '{';
	uint8_t bit = (uint8_t)(1 << s->depth % 8);

	if (s->depth == GLC_MAX_JSON_DEPTH) {
		glc_fail(s->diag, GLC_GA_JSON_DEPTH, pos(s), GLC_MAX_JSON_DEPTH);
		return false;
	}
	s->is_object[s->depth / 8] = (uint8_t)((s->is_object[s->depth / 8] & ~bit) | (object ? bit : 0));
	s->depth++;
	s->at++;
	return true;
}

/* `"key":` */
static bool key(struct scan *s)
{
	skip_space(s);
	if (!string(s))
		return false;
	skip_space(s);
	if (s->at == s->end || *s->at != ':')
		return expected(s, "':'");
	s->at++;
	return true;
}

/* Behind a value: closes what ends here; true in *more when another value follows. */
static bool after_value(struct scan *s, bool *more)
{
	*more = false;
	while (s->depth) {
		unsigned char close = in_object(s) ? '}' : ']';

		skip_space(s);
		if (s->at < s->end && *s->at == ',') {
			s->at++;
			*more = true;
			return !in_object(s) || key(s);
		}
		if (s->at == s->end || *s->at != close)
			return expected(s, in_object(s) ? "',' or '}'" : "',' or ']'");
		s->at++;
		s->depth--;
	}
	return true;
}

/* Opens what begins at this value; true in *empty when that is `{}` or `[]`. */
static bool begin(struct scan *s, bool *empty)
{
	unsigned char close = *s->at == '{' ? '}' : ']';

	*empty = false;
	if (!open(s))
		return false;
	skip_space(s);
	if (s->at < s->end && *s->at == close) {
		s->at++;
		s->depth--;
		*empty = true;
		return true;
	}
	return !in_object(s) || key(s);
}

bool glc_json_scan(struct glacier_diag *diag, const char *text, size_t size, uint32_t base)
{
	const unsigned char *start = (const unsigned char *)text;
	struct scan s = {.diag = diag, .at = start, .start = start, .end = start + size, .base = base};
	bool more = true, empty;

	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		s.at += 3;   /* a byte order mark, which some editors leave */
	while (more) {
		skip_space(&s);
		if (s.at < s.end && (*s.at == '{' || *s.at == '[')) {
			if (!begin(&s, &empty))
				return false;
			if (!empty)
				continue;
		} else if (!scalar(&s)) {
			return false;
		}
		if (!after_value(&s, &more))
			return false;
	}
	skip_space(&s);
	return s.at == s.end || expected(&s, "the end of the file");
}
