/* SPDX-License-Identifier: MIT */
/*
 * Bodies of kernels. One statement ends at the line's end or before a }, so after an error
 * the next line is the place to go on from.
 */
#include "ir/text_lex.h"

/* Skips the rest of a broken line. Gives true when a { stood in it: a block is open now. */
static bool skip_line(struct glc_text_parser *p)
{
	int depth = 0;

	while (*p->at && *p->at != '\n') {
		if (p->at[0] == '/' && p->at[1] == '/') {
			lex_blanks(p);
			break;
		}
		if (*p->at == '}' && depth-- == 0)
			return false;
		if (*p->at == '{')
			depth++;
		p->at++;
	}
	/* NUL bytes inside of the text are as wrong as any other garbage. */
	if (!*p->at && p->at < p->end)
		p->at++;
	return depth > 0;
}

static inline bool operand(struct glc_text_parser *p, struct glc_operand *operand)
{
	struct glc_tree *tree = p->tree;
	uint32_t pos = lex_pos(p);
	struct glc_name text;
	uint64_t key;

	switch (*p->at) {
	case '%':
		text = lex_keyed_name(p, &key);
		*operand = glc_tree_register(tree, text, key, pos);
		return true;
	case '@':
		text = lex_keyed_name(p, &key);
		*operand = glc_tree_object(tree, text, key, pos);
		return true;
	}
	text = lex_literal(p);
	if (!text.bytes) {
		glc_lex_expected(p, "an operand");
		return false;
	}
	*operand = glc_tree_literal(tree, text, pos);
	return true;
}

static bool at_end(const struct glc_text_parser *p)
{
	return *p->at == '\n' || *p->at == '}' || (!*p->at && p->at == p->end);
}

static bool end_of_statement(struct glc_text_parser *p)
{
	lex_blanks(p);
	if (at_end(p))
		return true;
	glc_lex_expected(p, "the end of the line");
	return false;
}

static bool operands(struct glc_text_parser *p, struct glc_stmt *stmt)
{
	struct glc_operand next;

	lex_blanks(p);
	if (at_end(p))
		return true;
	for (;;) {
		if (!operand(p, &next))
			return false;
		glc_tree_operand(p->tree, stmt, next);
		/* Most often nothing stands before the comma or the line's end. */
		if (*p->at == '\n')
			return true;
		if (*p->at != ',') {
			lex_blanks(p);
			if (*p->at != ',')
				return end_of_statement(p);
		}
		p->at++;
		lex_blanks(p);
	}
}

/* `Op.suffix operands`, with or without a result before it. */
static bool instruction(struct glc_text_parser *p, uint32_t result, uint32_t result_pos)
{
	uint32_t pos = lex_pos(p);
	struct glc_stmt *stmt = glc_tree_stmt(p->tree, GLC_OP_Nop, pos);
	const char *behind;

	if (!lex_is(*p->at, LEX_NAME)) {
		glc_lex_expected(p, "an instruction");
		return false;
	}
	behind = glc_tree_opcode(p->tree, stmt, p->at, pos);
	if (!behind)
		return false;
	p->at = behind;
	stmt->result = result;
	stmt->result_pos = result_pos;
	return operands(p, stmt);
}

static bool assignment(struct glc_text_parser *p)
{
	uint32_t pos = lex_pos(p), result;
	uint64_t key;
	struct glc_name name = lex_keyed_name(p, &key);

	result = glc_tree_register(p->tree, name, key, pos).index;

	lex_blanks(p);
	if (!lex_eat(p, '=')) {
		glc_lex_expected(p, "'='");
		return false;
	}
	lex_blanks(p);
	return instruction(p, result, pos);
}

static bool open_block(struct glc_text_parser *p)
{
	lex_blanks(p);
	if (!lex_eat(p, '{')) {
		glc_lex_expected(p, "'{'");
		return false;
	}
	if (!glc_tree_enter(p->tree, GLC_MAX_NESTING))
		p->stopped = true;
	return true;
}

/* `%k.u32 = a, b [, step] [unroll]` */
static bool for_header(struct glc_text_parser *p, struct glc_stmt *stmt)
{
	struct glc_operand next;
	struct glc_name type, word;
	uint32_t pos = lex_pos(p);
	uint64_t key;

	if (*p->at != '%') {
		glc_lex_expected(p, "a counter such as %k.u32");
		return false;
	}
	stmt->result_pos = pos;
	type = lex_keyed_name(p, &key);
	stmt->result = glc_tree_register(p->tree, type, key, pos).index;
	if (!lex_eat(p, '.')) {
		glc_lex_expected(p, "the counter's type, as in %k.u32");
		return false;
	}
	pos = lex_pos(p);
	type = lex_run(p, LEX_NAME);
	stmt->type = (uint8_t)glc_type_find(type.at, type.bytes);
	if (!(GLC_TYPES_WORD >> stmt->type & 1)) {
		glc_fail(p->tree->diag, GLC_GA_COUNTER_TYPE, pos, lex_width(type), type.at);
		return false;
	}
	lex_blanks(p);
	if (!lex_eat(p, '=')) {
		glc_lex_expected(p, "'='");
		return false;
	}
	do {
		lex_blanks(p);
		if (!operand(p, &next))
			return false;
		glc_tree_operand(p->tree, stmt, next);
		lex_blanks(p);
	} while (lex_eat(p, ','));
	if (stmt->operand_count < 2 || stmt->operand_count > 3) {
		glc_fail(p->tree->diag, GLC_GA_FOR_BOUNDS, stmt->pos);
		return false;
	}
	if (lex_is(*p->at, LEX_NAME)) {
		pos = lex_pos(p);
		word = lex_run(p, LEX_NAME);
		if (!LEX_IS(word, "unroll")) {
			glc_fail(p->tree->diag, GLC_GA_EXPECTED, pos, "'unroll' or '{'",
				 lex_width(word), word.at);
			return false;
		}
		stmt->mods |= GLC_MOD_UNROLL;
	}
	return true;
}

static bool one_operand(struct glc_text_parser *p, struct glc_stmt *stmt)
{
	struct glc_operand next;

	lex_blanks(p);
	if (!operand(p, &next))
		return false;
	glc_tree_operand(p->tree, stmt, next);
	return true;
}

enum keyword { KEY_NONE, KEY_IF, KEY_LOOP, KEY_FOR, KEY_BREAK, KEY_BREAK_IF, KEY_CONTINUE,
	       KEY_CONTINUE_IF, KEY_ELSE, KEY_SHARED, KEY_LOCAL };

static const struct {
	char word[12];
	uint8_t bytes, key;
} keywords[] = {
	{"if", 2, KEY_IF},         {"loop", 4, KEY_LOOP},           {"for", 3, KEY_FOR},
	{"break", 5, KEY_BREAK},   {"break_if", 8, KEY_BREAK_IF},   {"continue", 8, KEY_CONTINUE},
	{"else", 4, KEY_ELSE},     {"continue_if", 11, KEY_CONTINUE_IF}, {"shared", 6, KEY_SHARED},
	{"local", 5, KEY_LOCAL},
};

static enum keyword find_keyword(struct glc_name word)
{
	for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
		if (lex_is_word(word, keywords[i].word, keywords[i].bytes))
			return keywords[i].key;
	return KEY_NONE;
}

/* A statement that begins with a lower-case word. */
static bool keyword_statement(struct glc_text_parser *p)
{
	struct glc_tree *tree = p->tree;
	uint32_t pos = lex_pos(p);
	const char *start = p->at;
	struct glc_name word = lex_run(p, LEX_NAME);
	enum keyword key = find_keyword(word);

	switch (key) {
	case KEY_IF:
		return one_operand(p, glc_tree_stmt(tree, GLC_OP_If, pos)) && open_block(p);
	case KEY_LOOP:
		glc_tree_stmt(tree, GLC_OP_Loop, pos);
		return open_block(p);
	case KEY_FOR:
		lex_blanks(p);
		return for_header(p, glc_tree_stmt(tree, GLC_STMT_FOR, pos)) && open_block(p);
	case KEY_BREAK:
		glc_tree_stmt(tree, GLC_OP_Break, pos);
		return end_of_statement(p);
	case KEY_CONTINUE:
		glc_tree_stmt(tree, GLC_OP_Continue, pos);
		return end_of_statement(p);
	case KEY_BREAK_IF:
		return one_operand(p, glc_tree_stmt(tree, GLC_STMT_BREAK_IF, pos)) && end_of_statement(p);
	case KEY_CONTINUE_IF:
		return one_operand(p, glc_tree_stmt(tree, GLC_STMT_CONTINUE_IF, pos)) &&
		       end_of_statement(p);
	case KEY_SHARED:
	case KEY_LOCAL:
		if (tree->stmts.count != glc_tree_current(tree)->first) {
			glc_fail(tree->diag, GLC_GA_LATE_ARRAY, pos, lex_width(word), word.at);
			return false;
		}
		glc_text_array(p, key == KEY_SHARED ? GLC_OBJECT_SHARED : GLC_OBJECT_LOCAL);
		return end_of_statement(p);
	case KEY_ELSE:
		glc_fail(tree->diag, GLC_GA_STRAY_ELSE, pos);
		return false;
	case KEY_NONE:
		break;
	}
	/* Not ours: let the opcode table say what it might have been. */
	p->at = start;
	return instruction(p, GLC_NO_VALUE, pos);
}

/* After a }: `else {` on the same line goes on with the same if. */
static void close_block(struct glc_text_parser *p)
{
	struct glc_tree *tree = p->tree;
	uint32_t opener = tree->open.at[tree->open.count - 1], pos = lex_pos(p) - 1;
	const char *start;
	uint32_t else_pos;

	lex_blanks(p);
	start = p->at;
	else_pos = lex_pos(p);
	if (tree->stmts.at[opener].op == GLC_OP_If && LEX_IS(lex_run(p, LEX_NAME), "else")) {
		lex_blanks(p);
		if (lex_eat(p, '{')) {
			glc_tree_else(tree, else_pos);
			return;
		}
		glc_lex_expected(p, "'{'");
		skip_line(p);
	} else {
		p->at = start;
	}
	glc_tree_end(tree, pos);
	lex_blanks(p);
	if (!at_end(p)) {
		glc_lex_expected(p, "the end of the line");
		skip_line(p);
	}
}

/* A broken line that opened a block: keep the braces paired. */
static void recover(struct glc_text_parser *p, uint32_t open_before)
{
	struct glc_tree *tree = p->tree;

	/* Not when the statement itself got as far as its {. */
	if (skip_line(p) && tree->open.count == open_before) {
		glc_tree_stmt(tree, GLC_OP_Loop, lex_pos(p));
		if (!glc_tree_enter(tree, GLC_MAX_NESTING))
			p->stopped = true;
	}
}

static bool row(struct glc_text_parser *p)
{
	struct glc_tree *tree = p->tree;
	struct glc_row *row = GLC_PUSH(tree->memory, &tree->rows);

	if (!row) {
		tree->failed = true;
		return false;
	}
	row->pos = lex_pos(p);
	p->at++;
	for (int i = 0; i < 4; i++) {
		uint64_t bits;
		uint32_t pos;
		struct glc_name text;

		lex_space(p);
		pos = lex_pos(p);
		text = lex_literal(p);
		if (!text.bytes) {
			glc_lex_expected(p, "a number");
			return false;
		}
		if (!glc_literal_read(tree->diag, text, pos, GLC_I64, &bits))
			return false;
		row->value[i] = (int64_t)bits;
		lex_space(p);
		if (!lex_eat(p, i < 3 ? ',' : '}')) {
			glc_lex_expected(p, i < 3 ? "','" : "'}'");
			return false;
		}
	}
	return end_of_statement(p);
}

void glc_text_body(struct glc_text_parser *p)
{
	struct glc_tree *tree = p->tree;
	uint32_t max_errors = glc_max_errors(tree->diag);
	bool stream = glc_tree_current(tree)->is_stream;

	for (;;) {
		uint32_t open = tree->open.count;
		bool good;

		lex_space(p);
		if (*p->at == '%' && !stream) {
			good = assignment(p);
		} else if (*p->at == '}') {
			p->at++;
			if (!open)
				return;
			close_block(p);
			continue;
		} else if (!*p->at && p->at == p->end) {
			glc_fail(tree->diag, GLC_GA_UNCLOSED, lex_pos(p));
			glc_note(tree->diag, open ? tree->stmts.at[tree->open.at[open - 1]].pos
						  : glc_tree_current(tree)->pos,
				 "this one is still open");
			p->stopped = true;
			return;
		} else if (stream && *p->at == '{') {
			good = row(p);
		} else if (stream) {
			glc_lex_expected(p, "a row such as {15, 0, 0, 1}");
			good = false;
		} else if (*p->at >= 'A' && *p->at <= 'Z') {
			good = instruction(p, GLC_NO_VALUE, lex_pos(p));
		} else if (lex_is(*p->at, LEX_NAME)) {
			good = keyword_statement(p);
		} else if (*p->at == '{') {
			glc_fail(tree->diag, GLC_GA_STRAY_ROW, lex_pos(p));
			good = false;
		} else {
			glc_lex_expected(p, "a statement");
			good = false;
		}
		if (!good)
			recover(p, open);
		if (p->stopped | tree->failed | (tree->diag->errors >= max_errors)) {
			p->stopped = true;
			return;
		}
	}
}
