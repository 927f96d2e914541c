/* SPDX-License-Identifier: MIT */
/* The canonical text: includes, constants, kernels; one statement a line, two spaces a level. */
#include "ir/print.h"

enum { VALUES_PER_LINE = 8 };

static const char order_names[][10] = {
	[GLC_ORDER_ACQUIRE] = ".acquire",
	[GLC_ORDER_RELEASE] = ".release",
	[GLC_ORDER_ACQREL] = ".acqrel",
};

static const char scope_names[][12] = {
	[GLC_SCOPE_WORKGROUP] = ".workgroup",
	[GLC_SCOPE_DEVICE] = ".device",
	[GLC_SCOPE_SYSTEM] = ".system",
};

void glc_print_opcode(struct glc_writer *out, const struct glc_stmt *stmt)
{
	const struct glc_op_facts *facts = &glc_ops[stmt->op];

	glc_put(out, glc_op_name(stmt->op), facts->name_bytes);
	if (facts->types) {
		glc_putc(out, '.');
		glc_print_string(out, glc_types[stmt->type].name);
	}
	if (facts->flags & GLC_TWO) {
		glc_putc(out, '.');
		glc_print_string(out, glc_types[stmt->from].name);
	}
	if (stmt->mods & GLC_MOD_APPROX)
		glc_puts(out, ".approx");
	if (stmt->has_suffix_dim) {
		glc_putc(out, '.');
		glc_putc(out, (char)('x' + stmt->detail));
	}
	if (facts->flags & GLC_SCOPE) {
		glc_print_string(out, order_names[GLC_DETAIL_ORDER(stmt->detail)]);
		glc_print_string(out, scope_names[GLC_DETAIL_SCOPE(stmt->detail)]);
	}
}

void glc_print_operand(struct glc_writer *out, const struct glc_tree *tree,
		       const struct glc_tree_kernel *kernel, struct glc_operand operand)
{
	if (operand.kind != GLC_LITERAL)
		glc_putc(out, operand.kind == GLC_REGISTER ? '%' : '@');
	glc_print_name(out, glc_operand_name(tree, kernel, operand));
}

const char *glc_access_name(enum glc_access access)
{
	return access == GLC_READ ? "read" : access == GLC_WRITE ? "write" : "readwrite";
}

/* --- Declarations -------------------------------------------------------- */

static void parameter(struct glc_writer *out, const struct glc_tree *tree, const struct glc_decl *decl)
{
	glc_putc(out, '@');
	glc_print_name(out, decl->name);
	glc_puts(out, ": ");
	if (decl->kind == GLC_OBJECT_BUFFER)
		glc_puts(out, "buffer ");
	if (decl->kind == GLC_OBJECT_SPEC)
		glc_puts(out, "spec ");
	glc_print_string(out, glc_types[decl->type].name);
	if (decl->kind == GLC_OBJECT_BUFFER) {
		glc_putc(out, ' ');
		glc_print_string(out, glc_access_name(decl->access));
	}
	if (decl->set_given) {
		glc_puts(out, " set ");
		glc_print_number(out, decl->set);
	}
	if (decl->binding_given) {
		glc_puts(out, " binding ");
		glc_print_number(out, decl->binding);
	}
	if (decl->kind == GLC_OBJECT_SPEC) {
		glc_puts(out, " = ");
		glc_print_name(out, tree->literals.at[decl->extent.index].text);
	}
}

/* `@t: f32[N]` */
static void array(struct glc_writer *out, const struct glc_tree *tree,
		  const struct glc_tree_kernel *kernel, const struct glc_decl *decl)
{
	glc_putc(out, '@');
	glc_print_name(out, decl->name);
	glc_puts(out, ": ");
	glc_print_string(out, glc_types[decl->type].name);
	glc_putc(out, '[');
	glc_print_operand(out, tree, kernel, decl->extent);
	glc_putc(out, ']');
}

static void constant(struct glc_writer *out, const struct glc_tree *tree, const struct glc_decl *decl)
{
	bool wrapped = decl->value_count > VALUES_PER_LINE;

	glc_puts(out, "const ");
	array(out, tree, NULL, decl);
	glc_puts(out, " = {");
	for (uint32_t i = 0; i < decl->value_count; i++) {
		glc_put(out, wrapped && i % VALUES_PER_LINE == 0 ? "\n  " : " ",
			wrapped && i % VALUES_PER_LINE == 0 ? 3 : 1);
		glc_print_name(out, tree->literals.at[decl->values + i].text);
		if (i + 1 < decl->value_count)
			glc_putc(out, ',');
	}
	glc_put(out, wrapped ? "\n}\n" : " }\n", 3);
}

/* --- Bodies -------------------------------------------------------------- */

static void operands(struct glc_writer *out, const struct glc_tree *tree,
		     const struct glc_tree_kernel *kernel, const struct glc_stmt *stmt)
{
	for (uint32_t i = 0; i < stmt->operand_count; i++) {
		glc_put(out, ", ", i ? 2 : 0);
		glc_print_operand(out, tree, kernel, tree->operands.at[stmt->operands + i]);
	}
}

static void reg(struct glc_writer *out, const struct glc_tree_kernel *kernel, uint32_t index)
{
	glc_putc(out, '%');
	glc_print_name(out, kernel->registers.at[index]);
}

static void statement(struct glc_writer *out, const struct glc_tree *tree,
		      const struct glc_tree_kernel *kernel, const struct glc_stmt *stmt)
{
	switch (stmt->op) {
	case GLC_OP_If:
		glc_puts(out, "if ");
		operands(out, tree, kernel, stmt);
		glc_puts(out, " {\n");
		return;
	case GLC_OP_Else:
		glc_puts(out, "} else {\n");
		return;
	case GLC_OP_Loop:
		glc_puts(out, "loop {\n");
		return;
	case GLC_STMT_FOR:
		glc_puts(out, "for ");
		reg(out, kernel, stmt->result);
		glc_putc(out, '.');
		glc_print_string(out, glc_types[stmt->type].name);
		glc_puts(out, " = ");
		operands(out, tree, kernel, stmt);
		if (stmt->mods & GLC_MOD_UNROLL)
			glc_puts(out, " unroll");
		glc_puts(out, " {\n");
		return;
	case GLC_STMT_END:
		glc_puts(out, "}\n");
		return;
	case GLC_OP_Break:
		glc_puts(out, "break\n");
		return;
	case GLC_OP_Continue:
		glc_puts(out, "continue\n");
		return;
	case GLC_STMT_BREAK_IF:
		glc_puts(out, "break_if");
		break;
	case GLC_STMT_CONTINUE_IF:
		glc_puts(out, "continue_if");
		break;
	default:
		if (stmt->result != GLC_NO_VALUE) {
			reg(out, kernel, stmt->result);
			glc_puts(out, " = ");
		}
		glc_print_opcode(out, stmt);
	}
	if (stmt->operand_count)
		glc_putc(out, ' ');
	operands(out, tree, kernel, stmt);
	glc_putc(out, '\n');
}

static void arrays(struct glc_writer *out, const struct glc_tree *tree,
		   const struct glc_tree_kernel *kernel, enum glc_object_kind kind, const char *keyword)
{
	for (uint32_t i = kernel->param_count; i < kernel->decls.count; i++) {
		if (kernel->decls.at[i].kind != kind)
			continue;
		glc_print_string(out, keyword);
		array(out, tree, kernel, &kernel->decls.at[i]);
		glc_putc(out, '\n');
	}
}

static void body(struct glc_writer *out, const struct glc_tree *tree, const struct glc_tree_kernel *kernel)
{
	uint32_t depth = 1;

	/* In the order of the JSON form, which has a list for each. */
	arrays(out, tree, kernel, GLC_OBJECT_SHARED, "  shared ");
	arrays(out, tree, kernel, GLC_OBJECT_LOCAL, "  local ");
	for (uint32_t i = 0; i < kernel->count; i++) {
		const struct glc_stmt *stmt = &tree->stmts.at[kernel->first + i];

		depth -= stmt->op == GLC_OP_Else || stmt->op == GLC_STMT_END;
		glc_print_spaces(out, 2 * depth);
		statement(out, tree, kernel, stmt);
		depth += stmt->op == GLC_OP_Else || glc_is_opener(stmt);
	}
}

static void rows(struct glc_writer *out, const struct glc_tree *tree, const struct glc_tree_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->row_count; i++) {
		const int64_t *v = tree->rows.at[kernel->first_row + i].value;

		glc_printf(out, "  {%lld, %lld, %lld, %lld}\n", (long long)v[0], (long long)v[1],
			   (long long)v[2], (long long)v[3]);
	}
}

static void kernel_text(struct glc_writer *out, const struct glc_tree *tree,
			const struct glc_tree_kernel *kernel)
{
	glc_puts(out, "kernel ");
	glc_print_name(out, kernel->name);
	if (kernel->is_stream) {
		glc_puts(out, " stream");
	} else {
		glc_putc(out, '(');
		for (uint32_t i = 0; i < kernel->param_count; i++) {
			glc_put(out, ", ", i ? 2 : 0);
			parameter(out, tree, &kernel->decls.at[i]);
		}
		glc_putc(out, ')');
	}
	glc_puts(out, " workgroup");
	for (uint32_t i = 0; i < kernel->workgroup_count; i++) {
		glc_putc(out, ' ');
		glc_print_operand(out, tree, kernel, kernel->workgroup[i]);
	}
	/* A stream has one because it shuffles, not because somebody wrote it. */
	if (kernel->has_subgroup && !kernel->is_stream) {
		glc_puts(out, " subgroup ");
		glc_print_operand(out, tree, kernel, kernel->subgroup);
	}
	glc_puts(out, " {\n");
	if (kernel->is_stream)
		rows(out, tree, kernel);
	else
		body(out, tree, kernel);
	glc_puts(out, "}\n");
}

void glc_print_text(const struct glc_tree *tree, struct glc_writer *out)
{
	bool first = true;

	for (uint32_t i = 0; i < tree->includes.count; i++) {
		glc_puts(out, "include \"");
		glc_print_name(out, tree->includes.at[i]);
		glc_puts(out, "\"\n");
		first = false;
	}
	for (uint32_t i = 0; i < tree->consts.count; i++) {
		if (tree->consts.at[i].included)
			continue;
		glc_put(out, "\n", !first);
		constant(out, tree, &tree->consts.at[i]);
		first = false;
	}
	for (uint32_t i = 0; i < tree->kernels.count; i++) {
		glc_put(out, "\n", !first);
		kernel_text(out, tree, &tree->kernels.at[i]);
		first = false;
	}
}
