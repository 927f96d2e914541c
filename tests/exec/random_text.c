/* SPDX-License-Identifier: MIT */
/* A random kernel as the text that a user would write. */
#include "random.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct printer {
	const struct rk_kernel *k;
	unsigned number;
	char *text;
	size_t size, bytes;
};

__attribute__((format(printf, 2, 3))) static void put(struct printer *p, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(p->text + p->size, p->bytes - p->size, format, args);
	va_end(args);
	p->size += (size_t)n < p->bytes - p->size ? (size_t)n : p->bytes - p->size - 1;
}

static const char *name(enum glc_type type)
{
	return glc_types[type].name;
}

static void put_float(struct printer *p, enum glc_type type, uint64_t bits, bool decimal)
{
	uint32_t low = (uint32_t)bits;
	float single;
	double value;

	memcpy(&single, &low, sizeof single);
	memcpy(&value, &bits, sizeof value);
	if (type == GLC_F32)
		value = (double)single;
	if (isnan(value) && decimal)
		put(p, "nan");
	else if (isinf(value) && decimal)
		put(p, value < 0 ? "-inf" : "inf");
	else if (decimal && !isnan(value))
		put(p, type == GLC_F32 ? "%.9g" : "%.17g", value);
	else
		put(p, type == GLC_F32 ? "0f%08llx" : "0d%016llx", (unsigned long long)bits);
}

static void put_literal(struct printer *p, enum glc_type type, uint64_t bits, int spelling)
{
	if (type == GLC_BOOL)
		put(p, "%s", bits ? "true" : "false");
	else if (glc_is_float(type))
		put_float(p, type, bits, spelling);
	else if (spelling)
		put(p, "0x%llX", (unsigned long long)bits);
	else if (type == GLC_I32)
		put(p, "%d", (int32_t)bits);
	else if (type == GLC_I64)
		put(p, "%lld", (long long)bits);
	else
		put(p, "%llu", (unsigned long long)bits);
}

static void put_operand(struct printer *p, const struct rk_operand *operand)
{
	switch (operand->kind) {
	case RK_REG:
		put(p, "%%r%u", operand->reg);
		break;
	case RK_LITERAL:
		put_literal(p, operand->type, operand->bits, operand->spelling);
		break;
	default:
		put(p, "@%c_%s", operand->kind == RK_SCALAR ? 'p' : 's', name(operand->type));
	}
}

static void put_object(struct printer *p, const struct rk_stmt *stmt)
{
	enum glc_type type = stmt->op == GLC_OP_Length ? stmt->from : stmt->type;

	switch (stmt->object) {
	case RK_INPUT: put(p, "@in_%s", name(type)); break;
	case RK_OUTPUT: put(p, "@out_%s", name(type)); break;
	case RK_APPROX: put(p, "@approx"); break;
	case RK_JUNK: put(p, "@junk"); break;
	case RK_SUM: put(p, "@sum_%s", name(type)); break;
	case RK_SHARED: put(p, "@shared_%s", name(type)); break;
	case RK_SHARED_SUM: put(p, "@shared_sum_%s", name(type)); break;
	case RK_PRIVATE: put(p, "@local_%s", name(type)); break;
	default: put(p, "@table%u_%s", p->number, name(type));
	}
}

static void put_op(struct printer *p, const struct rk_stmt *stmt)
{
	static const char scopes[][12] = {"", ".workgroup", ".device"};
	static const char orders[][12] = {"", ".relaxed", ".acquire", ".release", ".acqrel"};
	const struct glc_op_facts *facts = &glc_ops[stmt->op];
	bool first = true;

	if (stmt->result >= 0)
		put(p, "%%r%d = ", stmt->result);
	put(p, "%s", glc_op_name(stmt->op));
	if (facts->types)
		put(p, ".%s", name(stmt->type));
	if (facts->flags & GLC_TWO)
		put(p, ".%s", name(stmt->from));
	if (facts->flags & GLC_DIM)
		put(p, ".%c", "xyz"[stmt->dim]);
	if (stmt->approx)
		put(p, ".approx");
	if (facts->flags & GLC_SCOPE)
		put(p, "%s%s", orders[stmt->order], scopes[stmt->dim]);
	if (stmt->object) {
		put(p, " ");
		put_object(p, stmt);
		first = false;
	}
	for (int i = 0; i < stmt->operand_count; i++) {
		put(p, first ? " " : ", ");
		put_operand(p, &stmt->operand[i]);
		first = false;
	}
}

static void put_list(struct printer *p, int index, int depth)
{
	for (; index >= 0; index = p->k->stmts[index].next) {
		const struct rk_stmt *stmt = &p->k->stmts[index];

		if (stmt->removed)
			continue;
		put(p, "%*s", 2 * depth, "");
		switch (stmt->kind) {
		case RK_OP:
			put_op(p, stmt);
			break;
		case RK_IF:
			put(p, "if ");
			put_operand(p, &stmt->operand[0]);
			put(p, " {\n");
			put_list(p, stmt->body, depth + 1);
			if (stmt->otherwise >= 0) {
				put(p, "%*s} else {\n", 2 * depth, "");
				put_list(p, stmt->otherwise, depth + 1);
			}
			put(p, "%*s}", 2 * depth, "");
			break;
		case RK_LOOP:
			put(p, "loop {\n");
			put_list(p, stmt->body, depth + 1);
			put(p, "%*s}", 2 * depth, "");
			break;
		case RK_FOR:
		case RK_UNROLL:
			put(p, "for %%r%d.%s = ", stmt->result, name(stmt->type));
			for (int i = 0; i < stmt->operand_count; i++) {
				put(p, i ? ", " : "");
				put_operand(p, &stmt->operand[i]);
			}
			put(p, stmt->kind == RK_UNROLL ? " unroll {\n" : " {\n");
			put_list(p, stmt->body, depth + 1);
			put(p, "%*s}", 2 * depth, "");
			break;
		case RK_BREAK: put(p, "break"); break;
		case RK_CONTINUE: put(p, "continue"); break;
		case RK_BREAK_IF:
		case RK_CONTINUE_IF:
			put(p, stmt->kind == RK_BREAK_IF ? "break_if " : "continue_if ");
			put_operand(p, &stmt->operand[0]);
			break;
		default: put(p, "Return");
		}
		put(p, "\n");
	}
}

static void put_arrays(struct printer *p, enum rk_object object, const char *format, unsigned length)
{
	for (int i = 0; i < RK_MEMORY_TYPES; i++)
		if (p->k->used[object][i])
			put(p, format, name(rk_types[i]), name(rk_types[i]), length);
}

size_t rk_print(const struct rk_kernel *kernel, unsigned number, char *text, size_t bytes)
{
	struct printer print = {.k = kernel, .number = number, .text = text, .bytes = bytes}, *p = &print;

	for (int i = 0; i < RK_MEMORY_TYPES; i++) {
		if (!kernel->used[RK_TABLE][i])
			continue;
		put(p, "const @table%u_%s: %s[%d] = {", number, name(rk_types[i]), name(rk_types[i]), RK_LUT);
		for (int j = 0; j < RK_LUT; j++) {
			put(p, j ? ", " : "");
			put_literal(p, rk_types[i], kernel->table[i][j], j & 1);
		}
		put(p, "}\n");
	}
	put(p, "kernel k%u(\n", number);
	for (int i = 0; i < RK_MEMORY_TYPES; i++)
		put(p, "  @in_%s: buffer %s read, @out_%s: buffer %s readwrite,\n", name(rk_types[i]), name(rk_types[i]),
		    name(rk_types[i]), name(rk_types[i]));
	put(p, "  @approx: buffer f32 write, @junk: buffer f32 write,\n");
	for (int i = 0; i < RK_MEMORY_TYPES; i++)
		if (GLC_TYPES_ATOMIC >> rk_types[i] & 1)
			put(p, "  @sum_%s: buffer %s readwrite,\n", name(rk_types[i]), name(rk_types[i]));
	for (int i = 0; i < RK_TYPES; i++)
		put(p, "  @p_%s: %s,\n", name(rk_types[i]), name(rk_types[i]));
	for (int i = 0; i < RK_TYPES; i++) {
		put(p, "  @s_%s: spec %s = ", name(rk_types[i]), name(rk_types[i]));
		put_literal(p, rk_types[i], kernel->spec_default[i], 0);
		put(p, i + 1 < RK_TYPES ? ",\n" : "\n");
	}
	put(p, ") workgroup %u %u %u {\n", kernel->local[0], kernel->local[1], kernel->local[2]);
	put_arrays(p, RK_SHARED, "  shared @shared_%s: %s[%u]\n", kernel->lanes);
	put_arrays(p, RK_SHARED_SUM, "  shared @shared_sum_%s: %s[%u]\n", RK_SUMS);
	put_arrays(p, RK_PRIVATE, "  local @local_%s: %s[%u]\n", RK_LOCAL);
	put_list(p, kernel->first, 1);
	put(p, "}\n");
	return print.size;
}
