/* SPDX-License-Identifier: MIT */
/* The tree as JSON: one statement, parameter or array a line, so that diffs read like those of the text. */
#include "ir/print.h"
#include "ir/json.h"

enum { VALUES_PER_LINE = 8 };

struct json_out {
	struct glc_writer *out;
	const struct glc_tree *tree;
	const struct glc_tree_kernel *kernel;
	const struct glc_stmt *too_deep;
};

/* --- Values -------------------------------------------------------------- */

static void string(struct glc_writer *out, const char *text, size_t bytes)
{
	glc_putc(out, '"');
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			glc_putc(out, '\\');
		if (c < 0x20)
			glc_printf(out, "\\u%04x", c);
		else
			glc_putc(out, (char)c);
	}
	glc_putc(out, '"');
}

/* Names need no escapes: their characters are letters, digits and _. */
static void sigil_name(struct glc_writer *out, char sigil, struct glc_name name)
{
	glc_putc(out, '"');
	glc_putc(out, sigil);
	glc_print_name(out, name);
	glc_putc(out, '"');
}

/* A whole number that every reader of JSON keeps exactly, in the one spelling JSON has for it. */
static bool is_plain(struct glc_name text)
{
	static const char limit[] = "9007199254740992";   /* 2^53 */
	const char *digits = text.at + (text.bytes && text.at[0] == '-');
	uint32_t count = text.bytes - (uint32_t)(digits - text.at);

	if (!count || count >= sizeof limit || (digits[0] == '0' && text.bytes > 1))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (digits[i] < '0' || digits[i] > '9')
			return false;
	return count < sizeof limit - 1 || memcmp(digits, limit, count) < 0;
}

static void literal(struct glc_writer *out, struct glc_name text)
{
	if (is_plain(text))
		glc_print_name(out, text);
	else
		string(out, text.at, text.bytes);
}

static void operand(struct json_out *j, struct glc_operand operand)
{
	struct glc_name name = glc_operand_name(j->tree, j->kernel, operand);

	if (operand.kind == GLC_LITERAL)
		literal(j->out, name);
	else
		sigil_name(j->out, operand.kind == GLC_REGISTER ? '%' : '@', name);
}

/* --- Declarations -------------------------------------------------------- */

static void type_member(struct glc_writer *out, const char *key, enum glc_type type)
{
	glc_printf(out, ", \"%s\": \"%s\"", key, glc_types[type].name);
}

static void declaration(struct json_out *j, const struct glc_decl *decl)
{
	struct glc_writer *out = j->out;

	glc_puts(out, "{\"name\": ");
	sigil_name(out, '@', decl->name);
	switch (decl->kind) {
	case GLC_OBJECT_BUFFER:
		type_member(out, "buffer", decl->type);
		glc_printf(out, ", \"access\": \"%s\"", glc_access_name(decl->access));
		if (decl->set_given)
			glc_printf(out, ", \"set\": %u", decl->set);
		if (decl->binding_given)
			glc_printf(out, ", \"binding\": %u", decl->binding);
		break;
	case GLC_OBJECT_SCALAR:
		type_member(out, "scalar", decl->type);
		break;
	case GLC_OBJECT_SPEC:
		type_member(out, "spec", decl->type);
		glc_puts(out, ", \"value\": ");
		operand(j, decl->extent);
		break;
	default:
		type_member(out, "type", decl->type);
		glc_puts(out, ", \"length\": ");
		operand(j, decl->extent);
	}
	glc_putc(out, '}');
}

/* `"params": [ … ]`: those of the kernel's declarations from first to end that are of the kind. */
static void declarations(struct json_out *j, const char *key, uint32_t first, uint32_t end, int kind)
{
	bool any = false;

	for (uint32_t i = first; i < end; i++) {
		const struct glc_decl *decl = &j->kernel->decls.at[i];

		if (kind >= 0 ? decl->kind != kind : decl->kind > GLC_OBJECT_SPEC)
			continue;
		if (any)
			glc_puts(j->out, ",\n        ");
		else
			glc_printf(j->out, ",\n      \"%s\": [\n        ", key);
		any = true;
		declaration(j, decl);
	}
	if (any)
		glc_puts(j->out, "\n      ]");
	else if (kind < 0)
		glc_printf(j->out, ",\n      \"%s\": []", key);
}

/* The length is the number of values in plain digits: left out, it would be the same. */
static bool says_count(struct glc_name length, uint32_t count)
{
	unsigned char digits[20];

	return length.bytes == (uint32_t)(glc_decimal(digits, count) - digits) &&
	       !memcmp(length.at, digits, length.bytes);
}

static void constant(struct json_out *j, const struct glc_decl *decl)
{
	struct glc_writer *out = j->out;
	bool wrapped = decl->value_count > VALUES_PER_LINE;

	glc_puts(out, "{\"name\": ");
	sigil_name(out, '@', decl->name);
	type_member(out, "type", decl->type);
	if (!says_count(glc_operand_name(j->tree, NULL, decl->extent), decl->value_count)) {
		glc_puts(out, ", \"length\": ");
		operand(j, decl->extent);
	}
	glc_puts(out, ", \"values\": [");
	for (uint32_t i = 0; i < decl->value_count; i++) {
		if (wrapped && i % VALUES_PER_LINE == 0)
			glc_puts(out, "\n      ");
		else if (i)
			glc_putc(out, ' ');
		literal(out, j->tree->literals.at[decl->values + i].text);
		if (i + 1 < decl->value_count)
			glc_putc(out, ',');
	}
	if (wrapped)
		glc_puts(out, "\n    ");
	glc_puts(out, "]}");
}

/* --- Bodies -------------------------------------------------------------- */

static void operands(struct json_out *j, const struct glc_stmt *stmt)
{
	for (uint32_t i = 0; i < stmt->operand_count; i++) {
		glc_puts(j->out, ", ");
		operand(j, j->tree->operands.at[stmt->operands + i]);
	}
}

static void instruction(struct json_out *j, const struct glc_stmt *stmt)
{
	struct glc_writer *out = j->out;

	glc_putc(out, '[');
	if (stmt->result == GLC_NO_VALUE)
		glc_puts(out, "null");
	else
		sigil_name(out, '%', j->kernel->registers.at[stmt->result]);
	glc_puts(out, ", \"");
	switch (stmt->op) {
	case GLC_OP_Break:
		glc_puts(out, "break");
		break;
	case GLC_OP_Continue:
		glc_puts(out, "continue");
		break;
	case GLC_STMT_BREAK_IF:
		glc_puts(out, "break_if");
		break;
	case GLC_STMT_CONTINUE_IF:
		glc_puts(out, "continue_if");
		break;
	default:
		glc_print_opcode(out, stmt);
	}
	glc_putc(out, '"');
	operands(j, stmt);
	glc_putc(out, ']');
}

/* What stands before a block's statements. */
static void open_block(struct json_out *j, const struct glc_stmt *stmt)
{
	struct glc_writer *out = j->out;

	switch (stmt->op) {
	case GLC_OP_If:
		glc_puts(out, "{\"if\": ");
		operand(j, j->tree->operands.at[stmt->operands]);
		glc_puts(out, ", \"then\": [");
		break;
	case GLC_OP_Loop:
		glc_puts(out, "{\"loop\": [");
		break;
	default:
		glc_puts(out, "{\"for\": [\"%");
		glc_print_name(out, j->kernel->registers.at[stmt->result]);
		glc_printf(out, ".%s\"", glc_types[stmt->type].name);
		operands(j, stmt);
		glc_putc(out, ']');
		if (stmt->mods & GLC_MOD_UNROLL)
			glc_puts(out, ", \"unroll\": true");
		glc_puts(out, ", \"do\": [");
	}
}

static void new_line(struct glc_writer *out, uint32_t depth)
{
	glc_putc(out, '\n');
	glc_print_spaces(out, 8 + 2 * depth);
}

static void body(struct json_out *j)
{
	struct glc_writer *out = j->out;
	bool first = true;   /* of its list */
	uint32_t depth = 0;

	glc_puts(out, ",\n      \"body\": [");
	for (uint32_t i = 0; i < j->kernel->count; i++) {
		const struct glc_stmt *stmt = &j->tree->stmts.at[j->kernel->first + i];

		if (stmt->op == GLC_STMT_END || stmt->op == GLC_OP_Else) {
			depth--;
			if (!first)
				new_line(out, depth);
			if (stmt->op == GLC_OP_Else) {
				glc_puts(out, "], \"else\": [");
				depth++;
			} else {
				glc_puts(out, "]}");
			}
			first = stmt->op == GLC_OP_Else;
			continue;
		}
		if (!first)
			glc_putc(out, ',');
		new_line(out, depth);
		first = glc_is_opener(stmt);
		if (first) {
			open_block(j, stmt);
			if (++depth > GLC_MAX_JSON_NESTING && !j->too_deep)
				j->too_deep = stmt;
		} else {
			instruction(j, stmt);
		}
	}
	if (!first)
		glc_puts(out, "\n      ");
	glc_putc(out, ']');
}

static void stream(struct json_out *j)
{
	struct glc_writer *out = j->out;

	glc_puts(out, ",\n      \"stream\": [");
	for (uint32_t i = 0; i < j->kernel->row_count; i++) {
		const int64_t *v = j->tree->rows.at[j->kernel->first_row + i].value;

		glc_printf(out, "%s\n        [%lld, %lld, %lld, %lld]", i ? "," : "", (long long)v[0],
			   (long long)v[1], (long long)v[2], (long long)v[3]);
	}
	if (j->kernel->row_count)
		glc_puts(out, "\n      ");
	glc_putc(out, ']');
}

static void kernel_json(struct json_out *j)
{
	const struct glc_tree_kernel *kernel = j->kernel;
	struct glc_writer *out = j->out;

	glc_puts(out, "    {\n      \"kernel\": \"");
	glc_print_name(out, kernel->name);
	glc_puts(out, "\",\n      \"workgroup\": [");
	for (uint32_t i = 0; i < kernel->workgroup_count; i++) {
		glc_put(out, ", ", i ? 2 : 0);
		operand(j, kernel->workgroup[i]);
	}
	glc_putc(out, ']');
	if (kernel->is_stream) {
		stream(j);
	} else {
		if (kernel->has_subgroup) {
			glc_puts(out, ",\n      \"subgroup\": ");
			operand(j, kernel->subgroup);
		}
		declarations(j, "params", 0, kernel->param_count, -1);
		declarations(j, "shared", kernel->param_count, kernel->decls.count, GLC_OBJECT_SHARED);
		declarations(j, "local", kernel->param_count, kernel->decls.count, GLC_OBJECT_LOCAL);
		body(j);
	}
	glc_puts(out, "\n    }");
}

bool glc_print_json(const struct glc_tree *tree, struct glc_writer *out, struct glacier_diag *diag)
{
	struct json_out j = {.out = out, .tree = tree};
	bool any = false;

	glc_puts(out, "{\n  \"schema\": \"glacier-kernel\",\n  \"version\": 1");
	for (uint32_t i = 0; i < tree->includes.count; i++) {
		struct glc_name path = tree->includes.at[i];

		if (!glc_is_utf8(path.at, path.bytes)) {
			glc_fail(diag, GLC_GA_JSON_PATH, GLC_NOWHERE);
			return false;
		}
		glc_print_string(out, i ? ", " : ",\n  \"include\": [");
		string(out, path.at, path.bytes);
	}
	if (tree->includes.count)
		glc_putc(out, ']');
	for (uint32_t i = 0; i < tree->consts.count; i++) {
		if (tree->consts.at[i].included)
			continue;
		glc_print_string(out, any ? ",\n    " : ",\n  \"consts\": [\n    ");
		constant(&j, &tree->consts.at[i]);
		any = true;
	}
	if (any)
		glc_puts(out, "\n  ]");
	glc_puts(out, ",\n  \"kernels\": [");
	for (uint32_t i = 0; i < tree->kernels.count; i++) {
		j.kernel = &tree->kernels.at[i];
		glc_print_string(out, i ? ",\n" : "\n");
		kernel_json(&j);
		if (j.too_deep) {
			glc_fail(diag, GLC_GA_NESTING, j.too_deep->pos, GLC_MAX_JSON_NESTING);
			return false;
		}
	}
	if (tree->kernels.count)
		glc_puts(out, "\n  ");
	glc_puts(out, "]\n}\n");
	return true;
}
