/* SPDX-License-Identifier: MIT */
/* Characters and words of the text form. Everything stops at the terminating NUL by itself. */
#ifndef GLC_IR_TEXT_LEX_H
#define GLC_IR_TEXT_LEX_H

#include "ir/text.h"

#include <string.h>

enum { LEX_NAME = GLC_CHAR_NAME, LEX_OPCODE = GLC_CHAR_OPCODE, LEX_BLANK = GLC_CHAR_BLANK,
       LEX_NEWLINE = GLC_CHAR_NEWLINE };

static inline bool lex_is(char c, uint8_t klass)
{
	return glc_chars[(unsigned char)c] & klass;
}

static inline uint32_t lex_pos(const struct glc_text_parser *p)
{
	return p->base + (uint32_t)(p->at - p->text);
}

static inline const char *lex_comment_end(const struct glc_text_parser *p, const char *at)
{
	const char *newline = memchr(at, '\n', (size_t)(p->end - at));

	return newline ? newline : p->end;
}

/* Blanks and a comment: up to the next token or the line's end. */
static inline void lex_blanks(struct glc_text_parser *p)
{
	const char *at = p->at;

	while (lex_is(*at, LEX_BLANK))
		at++;
	if (at[0] == '/' && at[1] == '/')
		at = lex_comment_end(p, at);
	p->at = at;
}

/* Newlines too. */
static inline void lex_space(struct glc_text_parser *p)
{
	const char *at = p->at;

	for (;;) {
		while (lex_is(*at, LEX_BLANK | LEX_NEWLINE))
			at++;
		if (at[0] != '/' || at[1] != '/')
			break;
		at = lex_comment_end(p, at);
	}
	p->at = at;
}

static inline struct glc_name lex_run(struct glc_text_parser *p, uint8_t klass)
{
	const char *start = p->at, *at = start;

	while (lex_is(*at, klass))
		at++;
	p->at = at;
	return (struct glc_name){start, (uint32_t)(at - start)};
}

/* The name behind a % or @ at `at`. */
static inline struct glc_name lex_name(struct glc_text_parser *p)
{
	p->at++;
	return lex_run(p, LEX_NAME);
}

/* The same, with the key that it is looked up by made on the way. */
static inline struct glc_name lex_keyed_name(struct glc_text_parser *p, uint64_t *key)
{
	const char *start = p->at + 1, *at = start;
	uint64_t made = (unsigned char)*p->at;
	struct glc_name name;

	for (; lex_is(*at, LEX_NAME); at++)
		made = made << 8 | (unsigned char)*at;
	name = (struct glc_name){start, (uint32_t)(at - start)};
	*key = name.bytes <= 7 ? made : glc_name_key(name, *p->at);
	p->at = at;
	return name;
}

/* A number or one of true, false, inf, nan, with an optional leading minus and signed exponent. */
static inline struct glc_name lex_literal(struct glc_text_parser *p)
{
	const char *start = p->at, *at = start;
	bool hex;

	if (*at == '-')
		at++;
	hex = at[0] == '0' && (at[1] | 0x20) == 'x';
	while (lex_is(*at, LEX_OPCODE)) {
		char c = *at++ | 0x20;

		if ((hex ? c == 'p' : c == 'e') && (*at == '-' || *at == '+'))
			at++;
	}
	p->at = at;
	return (struct glc_name){start, (uint32_t)(at - start)};
}

/* The text is a literal and nothing else, as far as its characters go. */
static inline bool lex_is_literal(const char *text)
{
	struct glc_text_parser p = {.at = text};

	return lex_literal(&p).bytes && !*p.at;
}

static inline bool lex_is_word(struct glc_name word, const char *text, uint32_t bytes)
{
	return word.bytes == bytes && !memcmp(word.at, text, bytes);
}

#define LEX_IS(word, literal) lex_is_word(word, literal, sizeof literal - 1)

/* Eats the character if it is next. */
static inline bool lex_eat(struct glc_text_parser *p, char c)
{
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static inline int lex_width(struct glc_name name)
{
	return name.bytes > 64 ? 64 : (int)name.bytes;
}

/* What stands at `at`, for a message; gives how many bytes to print. */
struct glc_name glc_lex_found(const struct glc_text_parser *p);
/* "expected X, found Y" */
void glc_lex_expected(struct glc_text_parser *p, const char *what);
/* A literal or an @ object, as an operand; false, reported, when neither is there. */
bool glc_lex_extent(struct glc_text_parser *p, struct glc_operand *operand);
/* A decimal number that fits; false, reported, otherwise. */
bool glc_lex_number(struct glc_text_parser *p, const char *what, uint32_t max, uint32_t *number);

#endif
