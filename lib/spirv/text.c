/* SPDX-License-Identifier: MIT */
/* One instruction as text, in the manner of spirv-dis: for messages. */
#include "spirv/read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct line {
	char *at;
	uint32_t left;
};

__attribute__((format(printf, 2, 3)))
static void put(struct line *line, const char *format, ...)
{
	va_list args;
	int bytes;

	va_start(args, format);
	bytes = vsnprintf(line->at, line->left, format, args);
	va_end(args);
	if (bytes < 0)
		return;
	if ((uint32_t)bytes >= line->left)
		bytes = (int)line->left - 1;
	line->at += bytes;
	line->left -= (uint32_t)bytes;
}

static void put_bits(struct line *line, enum spv_kind kind, uint32_t bits)
{
	const char *between = " ";

	if (!bits)
		put(line, " None");
	for (; bits; bits &= bits - 1) {
		const struct spv_enumerant *row = spv_enumerant_find(kind, bits & -bits);

		if (row)
			put(line, "%s%s", between, spv_string(row->name));
		else
			put(line, "%s0x%" PRIx32, between, bits & -bits);
		between = "|";
	}
}

static void put_number(struct line *line, const struct glacier_spirv *module, const struct glacier_spirv_inst *inst,
		       const struct glacier_spirv_operand *operand)
{
	uint64_t value = spv_word(module, inst, operand->offset);
	const struct glacier_spirv_inst *type = spv_def(module, inst->type);

	if (operand->words > 1)
		value |= (uint64_t)spv_word(module, inst, operand->offset + 1u) << 32;
	if (operand->kind == KindLiteralContextDependentNumber && type && type->op == OpTypeFloat)
		put(line, " 0x%" PRIx64, value);
	else
		put(line, " %" PRIu64, value);
}

static const struct spv_ext_row *ext_row(const struct glacier_spirv *module, const struct glacier_spirv_inst *inst,
					 uint32_t number)
{
	const struct glacier_spirv_inst *import = module->defs ? spv_def(module, spv_word(module, inst, 3)) : NULL;
	enum spv_set_name set = SetCount;
	uint32_t bytes;

	if (import && import->op == OpExtInstImport) {
		const char *name = spv_text(module, import, 2, &bytes);

		set = spv_set_find(name, bytes);
	}
	return set < SetCount ? spv_ext_find(set, number) : NULL;
}

static void put_operand(struct line *line, const struct glacier_spirv *module, const struct glacier_spirv_inst *inst,
			const struct glacier_spirv_operand *operand)
{
	uint32_t value = spv_word(module, inst, operand->offset), bytes;
	enum spv_kind kind = (enum spv_kind)operand->kind;
	const struct spv_enumerant *row;
	const char *text;

	switch ((enum spv_category)spv_kind_at(kind)->category) {
	case SPV_ID:
		put(line, " %%%" PRIu32, spv_id(module, value));
		return;
	case SPV_BITS:
		put_bits(line, kind, value);
		return;
	case SPV_VALUE:
		row = spv_enumerant_find(kind, value);
		if (row) {
			put(line, " %s", spv_string(row->name));
			return;
		}
		break;
	default:
		if (kind == KindLiteralString) {
			text = spv_text(module, inst, operand->offset, &bytes);
			put(line, " \"%.*s\"", (int)(bytes > 256 ? 256 : bytes), text);
			return;
		}
		if (kind == KindLiteralSpecConstantOpInteger && spv_op_find(value)) {
			put(line, " %s", spv_string(spv_op_find(value)->name) + 2);
			return;
		}
		if (kind == KindLiteralExtInstInteger && ext_row(module, inst, value)) {
			put(line, " %s", spv_string(ext_row(module, inst, value)->name));
			return;
		}
		break;
	}
	put_number(line, module, inst, operand);
}

void spv_print(const struct glacier_spirv *module, const struct glacier_spirv_inst *inst, char *out, uint32_t bytes)
{
	const struct spv_op_row *row = spv_op_find(inst->op);
	struct line line = {out, bytes};

	out[0] = '\0';
	if (inst->id)
		put(&line, "%%%" PRIu32 " = ", spv_id(module, inst->id));
	if (row)
		put(&line, "%s", spv_string(row->name));
	else
		put(&line, "opcode %u", inst->op);
	for (uint32_t i = 0; i < inst->operand_count; i++) {
		const struct glacier_spirv_operand *operand = &module->operands[inst->operands + i];

		if (operand->kind != KindIdResult)
			put_operand(&line, module, inst, operand);
	}
}
