/* SPDX-License-Identifier: MIT */
/* Modules in text form: includes, constants, kernel headers, declarations. */
#include "ir/text_lex.h"

#include "ir/stream.h"

const struct glc_source *glc_sources_add(struct glc_sources *sources, struct glacier_memory *memory,
					 const struct glacier_text *text, struct glc_source_map *map,
					 struct glacier_diag *diag)
{
	struct glc_source *source;
	/* A byte order mark says nothing in UTF-8 and is no part of the text, nor of line 1. */
	size_t skip = text->size >= 3 && !memcmp(text->text, "\xef\xbb\xbf", 3) ? 3 : 0;
	size_t size = text->size - skip;
	char *copy;

	if (text->size > 1u << 30 || sources->next_base > (3u << 30) - text->size ||
	    sources->list.count >= GLC_MAX_SOURCES) {
		glc_fail(diag, GLC_GA_TOO_LARGE, GLC_NOWHERE);
		return NULL;
	}
	source = GLC_PUSH(memory, &sources->list);
	copy = glc_bump(memory, size + 1);
	if (!source || !copy)
		return NULL;
	memcpy(copy, skip ? text->text + skip : text->text, size);
	copy[size] = '\0';
	*source = (struct glc_source){
		.name = text->name, .text = copy, .size = size, .base = sources->next_base};
	sources->next_base += (uint32_t)size + 1;
	map->sources = sources->list.at;
	map->count = sources->list.count;
	return source;
}

/* --- Messages ------------------------------------------------------------ */

struct glc_name glc_lex_found(const struct glc_text_parser *p)
{
	const char *at = p->at;

	if (!*at && at == p->end)
		return (struct glc_name){"the end of the file", 19};
	if (!*at)
		return (struct glc_name){"a NUL byte", 10};
	if (*at == '\n')
		return (struct glc_name){"the end of the line", 19};
	while (lex_is(*at, LEX_OPCODE))
		at++;
	return (struct glc_name){p->at, at > p->at ? (uint32_t)(at - p->at) : 1};
}

void glc_lex_expected(struct glc_text_parser *p, const char *what)
{
	struct glc_name found = glc_lex_found(p);

	glc_fail(p->tree->diag, GLC_GA_EXPECTED, lex_pos(p), what, lex_width(found), found.at);
}

static bool expect(struct glc_text_parser *p, char c, const char *what)
{
	lex_space(p);
	if (lex_eat(p, c))
		return true;
	glc_lex_expected(p, what);
	return false;
}

bool glc_lex_extent(struct glc_text_parser *p, struct glc_operand *operand)
{
	uint32_t pos = lex_pos(p);
	struct glc_name text;
	uint64_t key;

	if (*p->at == '@') {
		text = lex_keyed_name(p, &key);
		*operand = glc_tree_object(p->tree, text, key, pos);
		return true;
	}
	text = lex_literal(p);
	if (!text.bytes) {
		glc_lex_expected(p, "a number or a specialization constant");
		return false;
	}
	*operand = glc_tree_literal(p->tree, text, pos);
	return true;
}

bool glc_lex_number(struct glc_text_parser *p, const char *what, uint32_t max, uint32_t *number)
{
	uint32_t pos = lex_pos(p);
	struct glc_name text = lex_literal(p);
	uint64_t bits;

	if (!text.bytes) {
		glc_lex_expected(p, what);
		return false;
	}
	if (!glc_literal_read(p->tree->diag, text, pos, GLC_U32, &bits))
		return false;
	if (bits > max) {
		glc_fail(p->tree->diag, GLC_GA_TOO_MANY, pos, what, max);
		return false;
	}
	*number = (uint32_t)bits;
	return true;
}

/* --- Declarations -------------------------------------------------------- */

static enum glc_type type_name(struct glc_text_parser *p)
{
	uint32_t pos = lex_pos(p);
	struct glc_name word = lex_run(p, LEX_NAME);
	enum glc_type type = glc_type_find(word.at, word.bytes);

	if (type == GLC_VOID) {
		p->at = word.at;
		if (word.bytes)
			glc_fail(p->tree->diag, GLC_GA_UNKNOWN_TYPE, pos, lex_width(word), word.at);
		else
			glc_lex_expected(p, "a type");
	}
	return type;
}

/* `@name :` */
static bool declared_name(struct glc_text_parser *p, struct glc_name *name, uint32_t *pos)
{
	lex_space(p);
	*pos = lex_pos(p);
	if (*p->at != '@') {
		glc_lex_expected(p, "a name such as @x");
		return false;
	}
	*name = lex_name(p);
	if (!expect(p, ':', "':'"))
		return false;
	lex_space(p);
	return true;
}

/* `@t: f32[N]`, the type and length shared by shared, local and const arrays. */
static struct glc_decl *array(struct glc_text_parser *p, enum glc_object_kind kind)
{
	struct glc_name name;
	struct glc_operand length;
	struct glc_decl *decl;
	enum glc_type type;
	uint32_t pos;

	if (!declared_name(p, &name, &pos))
		return NULL;
	type = type_name(p);
	if (type == GLC_VOID || !expect(p, '[', "'['"))
		return NULL;
	lex_space(p);
	if (kind == GLC_OBJECT_CONST && *p->at == '@') {
		glc_lex_expected(p, "a number");
		return NULL;
	}
	if (!glc_lex_extent(p, &length) || !expect(p, ']', "']'"))
		return NULL;
	decl = glc_tree_decl(p->tree, name, pos, kind, type);
	if (decl)
		decl->extent = length;
	return decl;
}

void glc_text_array(struct glc_text_parser *p, enum glc_object_kind kind)
{
	if (!array(p, kind))
		while (*p->at && *p->at != '\n')
			p->at++;
}

/* `const @lut: u32[256] = { … }`, behind the keyword. */
static bool constant(struct glc_text_parser *p)
{
	struct glc_tree *tree = p->tree;
	struct glc_decl *decl = array(p, GLC_OBJECT_CONST);

	if (!decl || !expect(p, '=', "'='") || !expect(p, '{', "'{'"))
		return false;
	decl->values = tree->literals.count;
	for (;;) {
		uint32_t pos;
		struct glc_name text;

		lex_space(p);
		if (lex_eat(p, '}'))
			return true;
		pos = lex_pos(p);
		text = lex_literal(p);
		if (!text.bytes) {
			glc_lex_expected(p, "a literal");
			return false;
		}
		glc_tree_literal(tree, text, pos);
		decl->value_count++;
		lex_space(p);
		if (lex_eat(p, '}'))
			return true;
		if (!lex_eat(p, ',')) {
			glc_lex_expected(p, "',' or '}'");
			return false;
		}
	}
}

/* `buffer f32 read [set N] [binding N]` */
static bool buffer(struct glc_text_parser *p, struct glc_name name, uint32_t pos)
{
	struct glc_decl *decl;
	enum glc_type type;
	struct glc_name word;
	uint32_t access;

	lex_space(p);
	type = type_name(p);
	if (type == GLC_VOID)
		return false;
	lex_space(p);
	word = lex_run(p, LEX_NAME);
	access = LEX_IS(word, "read")        ? GLC_READ
		 : LEX_IS(word, "write")     ? GLC_WRITE
		 : LEX_IS(word, "readwrite") ? GLC_READWRITE
					     : 0;
	if (!access) {
		p->at = word.at;
		glc_lex_expected(p, "read, write or readwrite");
		return false;
	}
	decl = glc_tree_decl(p->tree, name, pos, GLC_OBJECT_BUFFER, type);
	if (!decl)
		return false;
	decl->access = (uint8_t)access;
	for (;;) {
		lex_space(p);
		if (!lex_is(*p->at, LEX_NAME))
			return true;
		word = lex_run(p, LEX_NAME);
		lex_space(p);
		if (LEX_IS(word, "set") && !decl->set_given) {
			decl->set_given = true;
			if (!glc_lex_number(p, "descriptor set", 31, &decl->set))
				return false;
		} else if (LEX_IS(word, "binding") && !decl->binding_given) {
			decl->binding_given = true;
			if (!glc_lex_number(p, "binding", 65535, &decl->binding))
				return false;
		} else {
			p->at = word.at;
			glc_lex_expected(p, "'set N', 'binding N', ',' or ')'");
			return false;
		}
	}
}

/* `spec u32 = 16` */
static bool specialization(struct glc_text_parser *p, struct glc_name name, uint32_t pos)
{
	struct glc_decl *decl;
	enum glc_type type;
	struct glc_name text;

	lex_space(p);
	type = type_name(p);
	if (type == GLC_VOID || !expect(p, '=', "'='"))
		return false;
	lex_space(p);
	decl = glc_tree_decl(p->tree, name, pos, GLC_OBJECT_SPEC, type);
	pos = lex_pos(p);
	text = lex_literal(p);
	if (!text.bytes) {
		glc_lex_expected(p, "a literal");
		return false;
	}
	if (decl)
		decl->extent = glc_tree_literal(p->tree, text, pos);
	return true;
}

static bool parameter(struct glc_text_parser *p)
{
	struct glc_name name, word;
	enum glc_type type;
	uint32_t pos;
	const char *start;

	if (!declared_name(p, &name, &pos))
		return false;
	start = p->at;
	word = lex_run(p, LEX_NAME);
	if (LEX_IS(word, "buffer"))
		return buffer(p, name, pos);
	if (LEX_IS(word, "spec"))
		return specialization(p, name, pos);
	p->at = start;
	type = type_name(p);
	if (type == GLC_VOID)
		return false;
	glc_tree_decl(p->tree, name, pos, GLC_OBJECT_SCALAR, type);
	return true;
}

static bool parameters(struct glc_text_parser *p)
{
	if (!expect(p, '(', "'('"))
		return false;
	lex_space(p);
	if (lex_eat(p, ')'))
		return true;
	for (;;) {
		if (!parameter(p))
			return false;
		lex_space(p);
		if (lex_eat(p, ')'))
			return true;
		if (!lex_eat(p, ',')) {
			glc_lex_expected(p, "',' or ')'");
			return false;
		}
	}
}

/* `workgroup X [Y [Z]] [subgroup N] {` */
static bool clauses(struct glc_text_parser *p, struct glc_tree_kernel *kernel)
{
	struct glc_name word;

	lex_space(p);
	word = lex_run(p, LEX_NAME);
	if (!LEX_IS(word, "workgroup")) {
		p->at = word.at;
		glc_lex_expected(p, "'workgroup'");
		return false;
	}
	do {
		lex_space(p);
		if (!glc_lex_extent(p, &kernel->workgroup[kernel->workgroup_count]))
			return false;
		kernel->workgroup_count++;
		lex_space(p);
	} while (kernel->workgroup_count < 3 && (*p->at == '@' || (*p->at >= '0' && *p->at <= '9')));
	if (lex_is(*p->at, LEX_NAME) && !kernel->is_stream) {
		word = lex_run(p, LEX_NAME);
		if (!LEX_IS(word, "subgroup")) {
			p->at = word.at;
			glc_lex_expected(p, "'subgroup' or '{'");
			return false;
		}
		lex_space(p);
		kernel->has_subgroup = true;
		if (!glc_lex_extent(p, &kernel->subgroup))
			return false;
	}
	return expect(p, '{', "'{'");
}

static bool kernel(struct glc_text_parser *p)
{
	struct glc_tree *tree = p->tree;
	struct glc_tree_kernel *kernel;
	struct glc_name name, word;
	uint32_t pos;
	const char *start;

	lex_space(p);
	pos = lex_pos(p);
	name = lex_run(p, LEX_NAME);
	if (!name.bytes) {
		glc_lex_expected(p, "the kernel's name");
		return false;
	}
	if (p->depth) {
		glc_fail(tree->diag, GLC_GA_INCLUDED_KERNEL, pos, lex_width(name), name.at);
		return false;
	}
	kernel = glc_tree_kernel(tree, name, pos);
	if (!kernel)
		return false;
	lex_space(p);
	start = p->at;
	word = lex_run(p, LEX_NAME);
	kernel->is_stream = LEX_IS(word, "stream");
	if (kernel->is_stream) {
		glc_stream_begin(tree);
	} else {
		p->at = start;
		if (!parameters(p))
			return false;
		kernel->param_count = kernel->decls.count;
	}
	if (!clauses(p, kernel))
		return false;
	glc_text_body(p);
	if (p->stopped)
		return false;
	if (kernel->is_stream && glc_stream_workgroup(tree))
		glc_stream_end(tree);
	glc_tree_kernel_end(tree);
	return true;
}

static void parse(struct glc_text_parser *p);

bool glc_text_include(struct glc_text_parser *p, struct glc_name path, uint32_t pos)
{
	struct glc_tree *tree = p->tree;
	struct glc_text_parser inner = *p;
	struct glacier_text text = {0};
	struct glc_name *kept;

	if (p->depth == 0 && (kept = GLC_PUSH(tree->memory, &tree->includes)))
		*kept = path;
	if (p->depth == GLC_MAX_INCLUDE_DEPTH) {
		glc_fail(tree->diag, GLC_GA_TOO_MANY, pos, "includes inside of each other",
			 GLC_MAX_INCLUDE_DEPTH);
		p->stopped = true;
		return false;
	}
	if (!p->options || !p->options->include ||
	    !p->options->include(p->options->include_user, path.at, p->source->name, &text)) {
		glc_fail(tree->diag, GLC_GA_NO_INCLUDE, pos, path.at);
		return false;
	}
	/* A text is read once, however often it is named. */
	for (uint32_t i = 0; text.name && i < p->sources->list.count; i++)
		if (p->sources->list.at[i].name && !strcmp(p->sources->list.at[i].name, text.name))
			return true;
	inner.source = glc_sources_add(p->sources, tree->memory, &text, p->map, tree->diag);
	if (!inner.source)
		return false;
	inner.text = inner.at = inner.source->text;
	inner.end = inner.text + inner.source->size;
	inner.base = inner.source->base;
	inner.depth = p->depth + 1;
	tree->included = true;
	parse(&inner);
	tree->included = p->depth > 0;
	p->stopped = inner.stopped;
	return !inner.stopped;
}

/* `include "path"`, behind the keyword. */
static bool include(struct glc_text_parser *p)
{
	uint32_t pos, bytes;
	const char *close;
	char *path;

	lex_blanks(p);
	pos = lex_pos(p);
	if (*p->at != '"' || !(close = strpbrk(p->at + 1, "\"\n")) || *close != '"') {
		glc_lex_expected(p, "a path in quotes");
		return false;
	}
	bytes = (uint32_t)(close - p->at - 1);
	path = glc_bump(p->tree->memory, bytes + 1);
	if (!path) {
		p->tree->failed = true;
		return false;
	}
	memcpy(path, p->at + 1, bytes);
	path[bytes] = '\0';
	p->at = close + 1;
	return glc_text_include(p, (struct glc_name){path, bytes}, pos);
}

/* To the next line that begins with a word of the module level. */
static void skip_to_next(struct glc_text_parser *p)
{
	while (p->at < p->end) {
		if (p->at[0] == '\n' && (!strncmp(p->at + 1, "kernel ", 7) ||
					 !strncmp(p->at + 1, "const ", 6) ||
					 !strncmp(p->at + 1, "include ", 8)))
			return;
		p->at++;
	}
}

static void parse(struct glc_text_parser *p)
{
	struct glc_tree *tree = p->tree;

	for (;;) {
		struct glc_name word;
		uint32_t pos;
		bool good;

		lex_space(p);
		if (p->at >= p->end)
			return;
		pos = lex_pos(p);
		word = lex_run(p, LEX_NAME);
		if (LEX_IS(word, "kernel")) {
			good = kernel(p);
		} else if (LEX_IS(word, "const")) {
			good = constant(p);
		} else if (LEX_IS(word, "include")) {
			good = include(p);
		} else {
			if (LEX_IS(word, "vertex") || LEX_IS(word, "pixel") || LEX_IS(word, "fragment")) {
				glc_fail(tree->diag, GLC_GA_STAGE, pos, lex_width(word), word.at);
			} else {
				p->at = word.at;
				glc_lex_expected(p, "kernel, const or include");
			}
			good = false;
		}
		if (p->stopped || tree->failed || tree->diag->errors >= glc_max_errors(tree->diag)) {
			p->stopped = true;
			return;
		}
		if (!good)
			skip_to_next(p);
	}
}

void glc_text_parse(struct glc_tree *tree, struct glc_sources *sources, struct glc_source_map *map,
		    const struct glc_source *source, const struct glacier_read_options *options)
{
	struct glc_text_parser p = {
		.tree = tree,
		.at = source->text,
		.text = source->text,
		.end = source->text + source->size,
		.base = source->base,
		.sources = sources,
		.map = map,
		.source = source,
		.options = options,
	};

	tree->lexed = true;
	parse(&p);
}
