/* SPDX-License-Identifier: MIT */
#include "op_cells.h"

#include "ir/ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 2000 };

static struct cell cells[MOST_CELLS];
static unsigned cell_count;

static void add_cell(enum glc_op op, const char *before, const char *after, bool typed, bool two,
		     enum ev_type type, enum ev_type from)
{
	struct cell *cell = &cells[cell_count++];

	if (cell_count > MOST_CELLS) {
		fprintf(stderr, "more than %d cells\n", MOST_CELLS);
		exit(99);
	}
	*cell = (struct cell){
		.operands = glc_ops[op].operands,
		.result = glc_ops[op].result,
		.op = evaluate_find(glc_op_name(op)),
		.typed = typed,
		.two = two,
		.approx = !strcmp(after, ".approx"),
		.type = type,
		.from = from,
	};
	snprintf(cell->row, sizeof cell->row, "%s%s%s", glc_op_name(op), before, after);
	snprintf(cell->name, sizeof cell->name, "%s%s%s%s%s%s%s", glc_op_name(op), before, typed ? "." : "",
		 typed ? ev_type_name(type) : "", two ? "." : "", two ? ev_type_name(from) : "", after);
}

static void add_types(enum glc_op op, const char *after)
{
	for (enum ev_type type = 0; type < EV_TYPE_COUNT; type++) {
		if (!(glc_ops[op].flags & GLC_TWO)) {
			add_cell(op, "", after, true, false, type, type);
			continue;
		}
		for (enum ev_type from = 0; from < EV_TYPE_COUNT; from++)
			add_cell(op, "", after, true, true, type, from);
	}
}

static void add_scopes(enum glc_op op, bool typed)
{
	static const char scopes[][12] = {".workgroup", ".device", ".system"};
	static const char orders[][12] = {".relaxed", ".acquire", ".release", ".acqrel"};
	char both[24];

	for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++) {
		if (!typed) {
			add_cell(op, scopes[i], "", false, false, EV_U32, EV_U32);
			continue;
		}
		add_types(op, scopes[i]);
		for (size_t k = 0; k < sizeof orders / sizeof orders[0]; k++) {
			snprintf(both, sizeof both, "%.8s%.10s", orders[k], scopes[i]);
			add_types(op, both);
		}
	}
}

static void add_op(enum glc_op op)
{
	static const char dims[][4] = {"", ".x", ".y", ".z"};
	bool typed = glc_ops[op].types != GLC_TYPES_NONE;

	if (typed)
		add_types(op, "");
	else if (glc_ops[op].flags & GLC_DIM)
		for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++)
			add_cell(op, dims[i], "", false, false, EV_U32, EV_U32);
	else
		add_cell(op, "", "", false, false, EV_U32, EV_U32);
	if (glc_ops[op].flags & GLC_NATIVE)
		add_types(op, ".approx");
	if (glc_ops[op].flags & GLC_SCOPE)
		add_scopes(op, typed);
}

struct cell *cells_all(unsigned *count)
{
	if (!cell_count)
		for (enum glc_op op = 0; op < GLC_OP_COUNT; op++)
			if (!(glc_ops[op].flags & GLC_INNER))
				add_op(op);
	*count = cell_count;
	return cells;
}

enum ev_type cell_operand_type(const struct cell *cell, char letter)
{
	switch (letter) {
	case 'b': return EV_BOOL;
	case 'e': return EV_I32;
	case 'f': return cell->from;
	case 'i': case 's': case 'u': return EV_U32;
	default: return cell->type;
	}
}

enum ev_type cell_result_type(const struct cell *cell)
{
	switch (cell->result) {
	case 'B': return EV_BOOL;
	case 'U': return EV_U32;
	case 'W': return cell->type == EV_I32 ? EV_I64 : EV_U64;
	default: return cell->type;
	}
}

void cell_literal(struct script *script, enum ev_type type, uint64_t bits)
{
	switch (type) {
	case EV_BOOL: script_add(script, bits ? "true" : "false"); break;
	case EV_F32: script_add(script, "0f%08llx", (unsigned long long)bits); break;
	case EV_F64: script_add(script, "0d%016llx", (unsigned long long)bits); break;
	default: script_add(script, "0x%llx", (unsigned long long)bits); break;
	}
}

/* bool is no memory type: it comes and goes as u32. */
static const char *memory_type(enum ev_type type)
{
	return ev_type_name(type == EV_BOOL ? EV_U32 : type);
}

static const char *register_of(char letter, bool own, unsigned *values, unsigned *words)
{
	static const char value_names[3][3] = {"%x", "%y", "%z"};
	static const char word_names[2][3] = {"%u", "%w"};

	switch (letter) {
	case 'b': return "%p";
	case 'e': return "%e";
	case 'i': return "%i";
	case 'g': case 'm': return "@g";
	case 'h': return "@h";
	case 'l': return "@l";
	case 's': return own ? "%y" : "%u";
	case 'u': return word_names[(*words)++];
	default: return value_names[(*values)++];
	}
}

void cell_statement(struct script *script, const struct cell *cell, const char *result,
		    const struct spelling spellings[4])
{
	unsigned values = 0, words = 0;

	script_add(script, "  ");
	if (cell->result != '-')
		script_add(script, "%%%s = ", result);
	script_add(script, "%s", cell->name);
	for (unsigned i = 0; cell->operands[i]; i++) {
		char letter = cell->operands[i];
		const char *name = register_of(letter, spellings[i].own, &values, &words);

		script_add(script, i ? ", " : " ");
		if (letter == 'k')
			script_add(script, "@k_%s", memory_type(cell->type));
		else if (letter == 'n' || spellings[i].literal)
			cell_literal(script, letter == 's' && spellings[i].own ? cell->type
				     : cell_operand_type(cell, letter), spellings[i].bits);
		else
			script_add(script, "%s", name);
	}
	script_add(script, "\n");
}

void cell_constants(struct script *script)
{
	for (enum ev_type type = EV_I32; type < EV_TYPE_COUNT; type++)
		script_add(script, "const @k_%s: %s[4] = {1, 2, 3, 4}\n", ev_type_name(type), ev_type_name(type));
}

static void load_operand(struct script *script, const char *name, enum ev_type type)
{
	if (type == EV_BOOL)
		script_add(script, "  %%%s0 = LoadGlobal.u32 @%s, %%i\n  %%%s = Ne.u32 %%%s0, 0\n", name, name,
			   name, name);
	else
		script_add(script, "  %%%s = LoadGlobal.%s @%s, %%i\n", name, ev_type_name(type), name);
}

static void declare_arrays(struct script *script, const char *operands, const char *element)
{
	if (strchr(operands, 'h'))
		script_add(script, "  shared @h: %s[64]\n", element);
	if (strchr(operands, 'l'))
		script_add(script, "  local @l: %s[64]\n", element);
}

void cell_kernel(struct script *script, const struct cell *cell, const char *name)
{
	static const struct spelling plain[4];
	enum ev_type value = cell->two ? cell->from : cell->type, result = cell_result_type(cell);
	const char *element = memory_type(cell->type);

	script_add(script, "kernel %s(@g: buffer %s readwrite, @x: buffer %s read, @y: buffer %s read,"
		   " @z: buffer %s read, @u: buffer u32 read, @w: buffer u32 read, @e: buffer i32 read,"
		   " @out: buffer %s write) workgroup 64 {\n",
		   name, element, memory_type(value), memory_type(value), memory_type(value),
		   memory_type(result));
	declare_arrays(script, cell->operands, element);
	script_add(script, "  %%i = GlobalId\n");
	load_operand(script, "x", value);
	load_operand(script, "y", value);
	load_operand(script, "z", value);
	load_operand(script, "u", EV_U32);
	load_operand(script, "w", EV_U32);
	load_operand(script, "e", EV_I32);
	script_add(script, "  %%p = Ne.u32 %%u, 0\n");
	cell_statement(script, cell, "r", plain);
	if (cell->result == '-')
		script_add(script, "  Return\n}\n");
	else if (result == EV_BOOL)
		script_add(script, "  %%r0 = Select.u32 %%r, 1, 0\n  StoreGlobal.u32 @out, %%i, %%r0\n  Return\n}\n");
	else
		script_add(script, "  StoreGlobal.%s @out, %%i, %%r\n  Return\n}\n", ev_type_name(result));
}
