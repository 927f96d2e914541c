/* SPDX-License-Identifier: MIT */
/* Operands: from a register, object or literal of the tree to a value of the wanted type. */
#include "ir/ssa.h"

bool glc_literal_read_slow(struct glacier_diag *diag, struct glc_name text, uint64_t where,
			   enum glc_type type, uint64_t *bits)
{
	int width = text.bytes > 64 ? 64 : (int)text.bytes;
	const char *name = glc_types[type].name;

	switch (glc_literal_bits(text, type, bits)) {
	case GLC_LITERAL_OK:
		return true;
	case GLC_LITERAL_FORM:
		glc_fail(diag, GLC_GA_LITERAL_FORM, where, width, text.at);
		return false;
	case GLC_LITERAL_TYPE:
		glc_fail(diag, GLC_GA_LITERAL_TYPE, where, width, text.at, name);
		return false;
	case GLC_LITERAL_RANGE:
		glc_fail(diag, GLC_GA_LITERAL_RANGE, where, width, text.at, name);
		return false;
	case GLC_LITERAL_DIGITS:
		glc_fail(diag, GLC_GA_LITERAL_DIGITS, where, width, text.at);
		return false;
	case GLC_LITERAL_INEXACT:
		glc_fail(diag, GLC_GA_LITERAL_INEXACT, where, width, text.at, name);
		return false;
	}
	return false;
}

/* A parameter where a value is wanted. */
static bool object_value(struct ssa *s, struct glc_operand operand, enum glc_type type, glc_value *value)
{
	const struct glc_decl *decl = &s->source->decls.at[operand.index];

	if (decl->kind != GLC_OBJECT_SCALAR && decl->kind != GLC_OBJECT_SPEC) {
		glc_fail(s->diag, GLC_GA_NO_VALUE, operand.pos, (int)decl->name.bytes, decl->name.at);
		return false;
	}
	if (decl->type != type) {
		glc_fail(s->diag, GLC_GA_OPERAND_TYPE, operand.pos, '@', (int)decl->name.bytes,
			 decl->name.at, glc_types[decl->type].name, glc_types[type].name);
		return false;
	}
	*value = s->object_values[operand.index];
	return true;
}

bool glc_ssa_value_slow(struct ssa *s, struct glc_operand operand, enum glc_type type, glc_value *value)
{
	const struct glc_literal *literal;
	uint64_t bits;

	if (operand.kind == GLC_REGISTER)
		return glc_ssa_read(s, operand, type, value);
	if (operand.kind == GLC_OBJECT)
		return object_value(s, operand, type, value);
	literal = &s->tree->literals.at[operand.index];
	if (!glc_literal_read(s->diag, literal->text, operand.pos, type, &bits))
		return false;
	*value = glc_const_bits(&s->b, type, bits);
	return true;
}

/* The type that an operand has by itself; GLC_VOID for a literal. */
static enum glc_type own_type(const struct ssa *s, struct glc_operand operand)
{
	if (operand.kind == GLC_REGISTER)
		return s->regs[operand.index].type;
	if (operand.kind == GLC_OBJECT)
		return s->source->decls.at[operand.index].type;
	return GLC_VOID;
}

bool glc_ssa_index(struct ssa *s, struct glc_operand operand, glc_value *value, enum glc_type *type)
{
	*type = own_type(s, operand) == GLC_U64 ? GLC_U64 : GLC_U32;
	return glc_ssa_value(s, operand, *type, value);
}

bool glc_ssa_shift(struct ssa *s, struct glc_operand operand, enum glc_type type, glc_value *value)
{
	enum glc_type own = own_type(s, operand);

	/* Of its own type, the low bits are what counts: the amount is taken modulo the width. */
	if (own != type || type == GLC_U32)
		return glc_ssa_value(s, operand, GLC_U32, value);
	if (!glc_ssa_value(s, operand, type, value))
		return false;
	*value = glc_bits(type) == 32 ? glc_bitcast(&s->b, GLC_U32, type, *value)
				      : glc_cvt(&s->b, GLC_U32, type, *value);
	return true;
}
