/* SPDX-License-Identifier: MIT */
/* Modules in JSON form: includes, constants, kernels, declarations. */
#include "ir/json.h"

#include "base/buf.h"
#include "ir/stream.h"

#include <math.h>

/* --- Values -------------------------------------------------------------- */

struct glc_name glc_json_copy(struct glc_json *j, const char *text)
{
	size_t bytes = strlen(text);
	char *copy = glc_bump(j->tree->memory, bytes + 1);

	if (!copy) {
		j->tree->failed = true;
		return (struct glc_name){"", 0};
	}
	memcpy(copy, text, bytes + 1);
	return (struct glc_name){copy, (uint32_t)bytes};
}

bool glc_json_shape(struct glc_json *j, uint32_t pos, const char *what, const char *wanted)
{
	glc_fail(j->tree->diag, GLC_GA_JSON_SHAPE, pos, what, wanted);
	return false;
}

bool glc_json_whole(const cJSON *value, int64_t *number)
{
	double v;

	if (!cJSON_IsNumber(value))
		return false;
	v = value->valuedouble;
	/* From 2^53 on, readers of JSON do not agree which number it is. */
	if (!(v > -0x1p53 && v < 0x1p53) || v != (double)(int64_t)v)
		return false;
	*number = (int64_t)v;
	return true;
}

bool glc_json_members(struct glc_json *j, const cJSON *object, uint64_t allowed, const char *what,
		      uint32_t pos)
{
	const cJSON *member;
	bool good = true;

	memset(j->member, 0, sizeof j->member);
	if (!cJSON_IsObject(object))
		return glc_json_shape(j, pos, what, "an object");
	cJSON_ArrayForEach(member, object) {
		enum glc_key key = glc_key_find(member->string);

		if (key == GLC_KEY_NONE || !(allowed & GLC_KEY_BIT(key))) {
			glc_fail(j->tree->diag, GLC_GA_JSON_KEY, pos, what, member->string);
			good = false;
		} else if (j->member[key]) {
			glc_fail(j->tree->diag, GLC_GA_JSON_TWICE, pos, member->string);
			good = false;
		} else {
			j->member[key] = member;
		}
		if (j->tree->diag->errors >= glc_max_errors(j->tree->diag))
			return false;
	}
	return good;
}

bool glc_json_needs(struct glc_json *j, enum glc_key key, const char *what, uint32_t pos)
{
	if (j->member[key])
		return true;
	glc_fail(j->tree->diag, GLC_GA_JSON_MISSING, pos, what, glc_key_name(key));
	return false;
}

struct glc_operand glc_json_register(struct glc_json *j, const char *name, uint32_t pos)
{
	struct glc_tree_kernel *kernel = glc_tree_current(j->tree);
	uint32_t count = kernel->registers.count;
	struct glc_name text = {name, (uint32_t)strlen(name)};
	struct glc_operand operand = glc_tree_register(j->tree, text, glc_name_key(text, '%'), pos);

	/* The document goes away: a new name must not. Symbols are looked up only while it lives. */
	if (kernel->registers.count > count)
		kernel->registers.at[count] = glc_json_copy(j, name);
	return operand;
}

static bool object(struct glc_json *j, const char *name, uint32_t pos, struct glc_operand *operand)
{
	struct glc_name text = {name, (uint32_t)strlen(name)};

	*operand = glc_tree_object(j->tree, text, glc_name_key(text, '@'), pos);
	return true;
}

/* The characters that a literal may have in text: what it means is looked at where it is used. */
static bool literal(struct glc_json *j, const char *text, uint32_t pos, struct glc_operand *operand)
{
	if (!lex_is_literal(text)) {
		glc_fail(j->tree->diag, GLC_GA_LITERAL_FORM, pos, (int)strnlen(text, 64), text);
		return false;
	}
	*operand = glc_tree_literal(j->tree, glc_json_copy(j, text), pos);
	return true;
}

static bool number(struct glc_json *j, const cJSON *value, uint32_t pos, struct glc_operand *operand)
{
	unsigned char digits[24], *at = digits, *end;
	int64_t whole;

	if (!glc_json_whole(value, &whole))
		return glc_json_shape(j, pos, "a number",
				      "whole and below 2^53; others are strings, spelled as in text");
	if (signbit(value->valuedouble))
		*at++ = '-';
	end = glc_decimal(at, whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole);
	*end = '\0';
	*operand = glc_tree_literal(j->tree, glc_json_copy(j, (const char *)digits), pos);
	return true;
}

bool glc_json_operand(struct glc_json *j, const cJSON *value, uint32_t pos, struct glc_operand *operand)
{
	const char *text;

	if (cJSON_IsNumber(value))
		return number(j, value, pos, operand);
	if (!cJSON_IsString(value))
		return glc_json_shape(j, pos, "an operand", "a string or a number");
	text = value->valuestring;
	if (*text == '@')
		return object(j, text + 1, pos, operand);
	if (*text != '%')
		return literal(j, text, pos, operand);
	*operand = glc_json_register(j, text + 1, pos);
	return true;
}

/* A length or size: a number, a literal's string, or "@SPEC". */
static bool extent(struct glc_json *j, const cJSON *value, uint32_t pos, struct glc_operand *operand)
{
	if (cJSON_IsString(value) && *value->valuestring == '%')
		return glc_json_shape(j, pos, "a length or size", "a number or a specialization constant");
	return glc_json_operand(j, value, pos, operand);
}

static bool just_literal(struct glc_json *j, const cJSON *value, uint32_t pos, struct glc_operand *operand)
{
	if (cJSON_IsString(value) && (*value->valuestring == '%' || *value->valuestring == '@'))
		return glc_json_shape(j, pos, "this value", "a literal");
	return glc_json_operand(j, value, pos, operand);
}

/* --- Declarations -------------------------------------------------------- */

static enum glc_type type_of(struct glc_json *j, enum glc_key key, uint32_t pos)
{
	const cJSON *value = j->member[key];
	enum glc_type type;

	if (!cJSON_IsString(value)) {
		glc_json_shape(j, pos, "a type", "a string");
		return GLC_VOID;
	}
	type = glc_type_find(value->valuestring, (uint32_t)strlen(value->valuestring));
	if (type == GLC_VOID)
		glc_fail(j->tree->diag, GLC_GA_UNKNOWN_TYPE, pos, (int)strnlen(value->valuestring, 64),
			 value->valuestring);
	return type;
}

/* "@x" of the member "name", with the type of the member `type`. */
static struct glc_decl *declare(struct glc_json *j, enum glc_object_kind kind, enum glc_key type_key,
				const char *what, uint32_t pos)
{
	const cJSON *name = j->member[GLC_KEY_NAME];
	enum glc_type type;

	if (!glc_json_needs(j, GLC_KEY_NAME, what, pos) || !glc_json_needs(j, type_key, what, pos))
		return NULL;
	type = type_of(j, type_key, pos);
	if (type == GLC_VOID)
		return NULL;
	if (!cJSON_IsString(name) || *name->valuestring != '@') {
		glc_json_shape(j, pos, "the name", "a string such as \"@x\"");
		return NULL;
	}
	return glc_tree_decl(j->tree, glc_json_copy(j, name->valuestring + 1), pos, kind, type);
}

static bool limited(struct glc_json *j, enum glc_key key, const char *what, uint32_t max, uint32_t pos,
		    uint32_t *out, bool *given)
{
	int64_t number;

	*given = j->member[key];
	if (!*given)
		return true;
	if (!glc_json_whole(j->member[key], &number) || number < 0)
		return glc_json_shape(j, pos, what, "a number from 0");
	if (number > max) {
		glc_fail(j->tree->diag, GLC_GA_TOO_MANY, pos, what, max);
		return false;
	}
	*out = (uint32_t)number;
	return true;
}

static void buffer(struct glc_json *j, uint32_t pos)
{
	const cJSON *access = j->member[GLC_KEY_ACCESS];
	struct glc_decl *decl;
	const char *word;

	if (!glc_json_needs(j, GLC_KEY_ACCESS, "a buffer", pos))
		return;
	decl = declare(j, GLC_OBJECT_BUFFER, GLC_KEY_BUFFER, "a buffer", pos);
	if (!decl)
		return;
	word = cJSON_IsString(access) ? access->valuestring : "";
	decl->access = !strcmp(word, "read")        ? GLC_READ
		       : !strcmp(word, "write")     ? GLC_WRITE
		       : !strcmp(word, "readwrite") ? GLC_READWRITE
						    : 0;
	if (!decl->access)
		glc_json_shape(j, pos, "the access", "\"read\", \"write\" or \"readwrite\"");
	if (limited(j, GLC_KEY_SET, "descriptor set", 31, pos, &decl->set, &decl->set_given))
		limited(j, GLC_KEY_BINDING, "binding", 65535, pos, &decl->binding, &decl->binding_given);
}

static void specialization(struct glc_json *j, uint32_t pos)
{
	struct glc_operand value;
	struct glc_decl *decl;

	if (!glc_json_needs(j, GLC_KEY_VALUE, "a specialization constant", pos) ||
	    !just_literal(j, j->member[GLC_KEY_VALUE], pos, &value))
		return;
	decl = declare(j, GLC_OBJECT_SPEC, GLC_KEY_SPEC, "a specialization constant", pos);
	if (decl)
		decl->extent = value;
}

static void parameter(struct glc_json *j, const cJSON *item, uint32_t pos)
{
	static const struct {
		uint8_t key;
		char what[28];
		uint64_t allowed;
		void (*read)(struct glc_json *j, uint32_t pos);
	} kinds[] = {
		{GLC_KEY_BUFFER, "a buffer",
		 GLC_KEY_BIT(GLC_KEY_NAME) | GLC_KEY_BIT(GLC_KEY_BUFFER) | GLC_KEY_BIT(GLC_KEY_ACCESS) |
			 GLC_KEY_BIT(GLC_KEY_SET) | GLC_KEY_BIT(GLC_KEY_BINDING), buffer},
		{GLC_KEY_SPEC, "a specialization constant",
		 GLC_KEY_BIT(GLC_KEY_NAME) | GLC_KEY_BIT(GLC_KEY_SPEC) | GLC_KEY_BIT(GLC_KEY_VALUE),
		 specialization},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (cJSON_GetObjectItemCaseSensitive(item, glc_key_name(kinds[i].key))) {
			if (glc_json_members(j, item, kinds[i].allowed, kinds[i].what, pos))
				kinds[i].read(j, pos);
			return;
		}
	if (!glc_json_members(j, item, GLC_KEY_BIT(GLC_KEY_NAME) | GLC_KEY_BIT(GLC_KEY_SCALAR),
			      "a parameter", pos))
		return;
	if (!j->member[GLC_KEY_SCALAR])
		glc_json_shape(j, pos, "a parameter", "a \"buffer\", a \"scalar\" or a \"spec\"");
	else
		declare(j, GLC_OBJECT_SCALAR, GLC_KEY_SCALAR, "a scalar", pos);
}

static void array(struct glc_json *j, const cJSON *item, enum glc_object_kind kind, uint32_t pos)
{
	static const uint64_t allowed = GLC_KEY_BIT(GLC_KEY_NAME) | GLC_KEY_BIT(GLC_KEY_TYPE) |
					GLC_KEY_BIT(GLC_KEY_LENGTH);
	struct glc_operand length;
	struct glc_decl *decl;

	if (!glc_json_members(j, item, allowed, "an array", pos) ||
	    !glc_json_needs(j, GLC_KEY_LENGTH, "an array", pos) ||
	    !extent(j, j->member[GLC_KEY_LENGTH], pos, &length))
		return;
	decl = declare(j, kind, GLC_KEY_TYPE, "an array", pos);
	if (decl)
		decl->extent = length;
}

static void constant(struct glc_json *j, const cJSON *item, uint32_t pos)
{
	static const uint64_t allowed = GLC_KEY_BIT(GLC_KEY_NAME) | GLC_KEY_BIT(GLC_KEY_TYPE) |
					GLC_KEY_BIT(GLC_KEY_LENGTH) | GLC_KEY_BIT(GLC_KEY_VALUES);
	struct glc_tree *tree = j->tree;
	const cJSON *values, *value, *length;
	struct glc_decl *decl;
	struct glc_operand ignored;
	uint32_t index = 0;

	if (!glc_json_members(j, item, allowed, "a constant", pos) ||
	    !glc_json_needs(j, GLC_KEY_VALUES, "a constant", pos))
		return;
	values = j->member[GLC_KEY_VALUES];
	length = j->member[GLC_KEY_LENGTH];
	decl = declare(j, GLC_OBJECT_CONST, GLC_KEY_TYPE, "a constant", pos);
	if (!decl)
		return;
	if (!cJSON_IsArray(values)) {
		glc_json_shape(j, pos, "\"values\"", "an array");
		return;
	}
	decl->values = tree->literals.count;
	cJSON_ArrayForEach(value, values) {
		if (!just_literal(j, value, glc_place(j->places, pos, GLC_KEY_VALUES, index++), &ignored))
			return;
		decl->value_count++;
	}
	if (length) {
		just_literal(j, length, pos, &decl->extent);
	} else {
		unsigned char digits[24];

		*glc_decimal(digits, decl->value_count) = '\0';
		decl->extent = glc_tree_literal(tree, glc_json_copy(j, (const char *)digits), pos);
	}
}

/* --- Kernels ------------------------------------------------------------- */

/* Whether there is such a member, and it is an array. */
static const cJSON *list(struct glc_json *j, enum glc_key key, uint32_t pos)
{
	const cJSON *value = j->member[key];

	if (value && !cJSON_IsArray(value)) {
		glc_fail(j->tree->diag, GLC_GA_JSON_SHAPE, pos, glc_key_name(key), "an array");
		return NULL;
	}
	return value;
}

static void workgroup(struct glc_json *j, const cJSON *sizes, uint32_t pos)
{
	struct glc_tree_kernel *kernel = glc_tree_current(j->tree);
	int count = cJSON_GetArraySize(sizes);
	const cJSON *size;

	if (!cJSON_IsArray(sizes) || count < 1 || count > 3) {
		glc_json_shape(j, pos, "\"workgroup\"", "an array of one to three sizes");
		return;
	}
	cJSON_ArrayForEach(size, sizes) {
		/* What could not be read has no place: others look at those that are counted. */
		if (!extent(j, size, pos, &kernel->workgroup[kernel->workgroup_count]))
			return;
		kernel->workgroup_count++;
	}
}

static void stream(struct glc_json *j, const cJSON *rows, const cJSON *sizes, uint32_t pos)
{
	glc_stream_begin(j->tree);
	workgroup(j, sizes, pos);
	glc_json_rows(j, rows, pos, GLC_KEY_STREAM);
	if (glc_stream_workgroup(j->tree))
		glc_stream_end(j->tree);
}

static void each_array(struct glc_json *j, const cJSON *arrays, enum glc_key key, uint32_t pos)
{
	const cJSON *item;
	uint32_t index = 0;

	cJSON_ArrayForEach(item, arrays)
		array(j, item, key == GLC_KEY_SHARED ? GLC_OBJECT_SHARED : GLC_OBJECT_LOCAL,
		      glc_place(j->places, pos, key, index++));
}

/* A kernel that is no stream. */
static void typed(struct glc_json *j, uint32_t pos)
{
	struct glc_tree_kernel *kernel = glc_tree_current(j->tree);
	const cJSON *params = list(j, GLC_KEY_PARAMS, pos), *shared = list(j, GLC_KEY_SHARED, pos);
	const cJSON *local = list(j, GLC_KEY_LOCAL, pos), *statements = j->member[GLC_KEY_BODY];
	const cJSON *subgroup = j->member[GLC_KEY_SUBGROUP], *sizes = j->member[GLC_KEY_WORKGROUP], *item;
	uint32_t index = 0;

	if (!glc_json_needs(j, GLC_KEY_BODY, "a kernel", pos))
		return;
	cJSON_ArrayForEach(item, params)
		parameter(j, item, glc_place(j->places, pos, GLC_KEY_PARAMS, index++));
	kernel->param_count = kernel->decls.count;
	workgroup(j, sizes, pos);
	kernel->has_subgroup = subgroup && extent(j, subgroup, pos, &kernel->subgroup);
	each_array(j, shared, GLC_KEY_SHARED, pos);
	each_array(j, local, GLC_KEY_LOCAL, pos);
	glc_json_body(j, statements, pos);
}

static void kernel(struct glc_json *j, const cJSON *item, uint32_t pos)
{
	static const uint64_t common = GLC_KEY_BIT(GLC_KEY_KERNEL) | GLC_KEY_BIT(GLC_KEY_WORKGROUP);
	static const uint64_t stream_keys = common | GLC_KEY_BIT(GLC_KEY_STREAM);
	static const uint64_t typed_keys = common | GLC_KEY_BIT(GLC_KEY_SUBGROUP) |
					   GLC_KEY_BIT(GLC_KEY_PARAMS) | GLC_KEY_BIT(GLC_KEY_SHARED) |
					   GLC_KEY_BIT(GLC_KEY_LOCAL) | GLC_KEY_BIT(GLC_KEY_BODY);
	bool is_stream = cJSON_GetObjectItemCaseSensitive(item, "stream");
	const char *what = is_stream ? "a stream kernel" : "a kernel";
	const cJSON *name;

	if (!glc_json_members(j, item, is_stream ? stream_keys : typed_keys, what, pos) ||
	    !glc_json_needs(j, GLC_KEY_KERNEL, what, pos) ||
	    !glc_json_needs(j, GLC_KEY_WORKGROUP, what, pos))
		return;
	name = j->member[GLC_KEY_KERNEL];
	if (!cJSON_IsString(name)) {
		glc_json_shape(j, pos, "the kernel's name", "a string");
		return;
	}
	if (!glc_tree_kernel(j->tree, glc_json_copy(j, name->valuestring), pos))
		return;
	if (is_stream)
		stream(j, j->member[GLC_KEY_STREAM], j->member[GLC_KEY_WORKGROUP], pos);
	else
		typed(j, pos);
	glc_tree_kernel_end(j->tree);
}

/* --- Modules ------------------------------------------------------------- */

static void includes(struct glc_json *j, const cJSON *paths, struct glc_text_parser *parser)
{
	const cJSON *path;
	uint32_t index = 0;

	cJSON_ArrayForEach(path, paths) {
		uint32_t pos = glc_place(j->places, 0, GLC_KEY_INCLUDE, index++);

		/* A path must fit between the quotes of the text form. */
		if (!cJSON_IsString(path) || strpbrk(path->valuestring, "\"\n"))
			glc_json_shape(j, pos, "an include", "a path without quotes and newlines");
		else if (!glc_text_include(parser, glc_json_copy(j, path->valuestring), pos))
			return;
	}
}

static bool is_schema(const struct glc_json *j)
{
	const cJSON *schema = j->member[GLC_KEY_SCHEMA], *version = j->member[GLC_KEY_VERSION];

	return cJSON_IsString(schema) && !strcmp(schema->valuestring, "glacier-kernel") &&
	       cJSON_IsNumber(version) && version->valuedouble == 1;
}

static void module(struct glc_json *j, const cJSON *document, struct glc_text_parser *parser)
{
	static const uint64_t allowed = GLC_KEY_BIT(GLC_KEY_SCHEMA) | GLC_KEY_BIT(GLC_KEY_VERSION) |
					GLC_KEY_BIT(GLC_KEY_INCLUDE) | GLC_KEY_BIT(GLC_KEY_CONSTS) |
					GLC_KEY_BIT(GLC_KEY_KERNELS) | GLC_KEY_BIT(GLC_KEY_FUNCTIONS);
	const cJSON *consts, *kernels, *item;
	uint32_t index = 0;

	if (!glc_json_members(j, document, allowed, "a module", 0) ||
	    !glc_json_needs(j, GLC_KEY_SCHEMA, "a module", 0) ||
	    !glc_json_needs(j, GLC_KEY_VERSION, "a module", 0))
		return;
	if (!is_schema(j)) {
		glc_fail(j->tree->diag, GLC_GA_JSON_SCHEMA, 0);
		return;
	}
	if (cJSON_GetArraySize(j->member[GLC_KEY_FUNCTIONS]) > 0) {
		glc_fail(j->tree->diag, GLC_GA_JSON_LATER, 0, "functions");
		return;
	}
	consts = list(j, GLC_KEY_CONSTS, 0);
	kernels = list(j, GLC_KEY_KERNELS, 0);
	includes(j, list(j, GLC_KEY_INCLUDE, 0), parser);
	cJSON_ArrayForEach(item, consts)
		constant(j, item, glc_place(j->places, 0, GLC_KEY_CONSTS, index++));
	index = 0;
	cJSON_ArrayForEach(item, kernels) {
		if (j->tree->diag->errors >= glc_max_errors(j->tree->diag) || j->tree->failed)
			return;
		kernel(j, item, glc_place(j->places, 0, GLC_KEY_KERNELS, index++));
	}
}

/* From text to values; NULL, reported, when it is not JSON. Positions are the text's meanwhile. */
static cJSON *read_values(struct glc_tree *tree, struct glc_source_map *map, const struct glacier_text *input)
{
	struct glc_source source = {.name = input->name, .text = input->text, .size = input->size};
	cJSON *document;
	bool good;

	if (input->size > GLC_MAX_JSON_BYTES) {
		glc_fail(tree->diag, GLC_GA_JSON_LARGE, GLC_NOWHERE, input->size, GLC_MAX_JSON_BYTES);
		return NULL;
	}
	map->sources = &source;
	map->count = 1;
	good = glc_json_scan(tree->diag, input->text, input->size, 0);
	map->sources = NULL;
	map->count = 0;
	if (!good)
		return NULL;
	document = cJSON_ParseWithLength(input->text, input->size);
	if (!document)
		tree->failed = true;
	return document;
}

void glc_json_parse(struct glc_tree *tree, struct glc_sources *sources, struct glc_source_map *map,
		    struct glc_places *places, const struct glacier_text *input,
		    const struct glacier_read_options *options)
{
	struct glc_source main = {.name = input->name};
	struct glc_text_parser parser = {
		.tree = tree, .sources = sources, .map = map, .source = &main, .options = options};
	struct glc_json j = {.tree = tree, .places = places};
	cJSON *document = read_values(tree, map, input);

	if (!document)
		return;
	sources->next_base = GLC_PLACES_END;
	tree->whole_positions = true;
	if (glc_places_init(places, tree->memory, input->name, map))
		module(&j, document, &parser);
	else
		tree->failed = true;
	tree->failed |= places->failed;
	cJSON_Delete(document);
}

void glc_json_parse_rows(struct glc_tree *tree, struct glc_source_map *map, struct glc_places *places,
			 const struct glacier_text *input)
{
	struct glc_json j = {.tree = tree, .places = places};
	cJSON *document = read_values(tree, map, input);

	if (!document)
		return;
	if (glc_places_init(places, tree->memory, input->name, map))
		glc_json_rows(&j, document, 0, GLC_KEY_NONE);
	else
		tree->failed = true;
	tree->failed |= places->failed;
	cJSON_Delete(document);
}
