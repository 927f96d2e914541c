/* SPDX-License-Identifier: MIT */
/*
 * The words of a module to instructions and operands. What comes later looks operands up
 * here and decodes nothing again.
 *
 * After a word count that is wrong nothing can be found any more, so that is the end; an
 * operand that is wrong spoils its instruction alone.
 */
#include "spirv/read.h"

#include "spirv/opcode.h"

#include <string.h>

enum { HEADER_WORDS = 5, MOST_EXPECTED = 64 };

/* Values and types that any instruction that takes such may name; variables of the module, functions, groups are neither. */
enum { KNOWN_VALUE = 1, KNOWN_TYPE = OP_NAMES_ANYTHING };

struct reader {
	struct glacier_memory *memory;
	struct glacier_diag *diag;
	struct glacier_spirv *module;
	GLC_ARRAY(struct glacier_spirv_inst) insts;
	GLC_ARRAY(struct glacier_spirv_operand) operands;
	uint32_t *defs;
	uint8_t *known;             /* by id: what is defined so far; KNOWN_ bits */
	uint32_t id_count;
	uint32_t *writable, *ids, *slots, slot_mask, renumbered;   /* where ids are numbered anew */
	uint32_t import;            /* the import whose set was looked up last */
	enum spv_set_name set;
	/* Of the instruction that is being read. */
	const uint32_t *words;
	uint32_t count, at;
	const uint8_t *kinds, *kinds_end;  /* of the instruction's row: what comes when the stack is empty */
	uint8_t expected[MOST_EXPECTED];   /* a stack: what comes next lies on top */
	uint32_t expected_count;
	bool needs;                        /* the enumerant that was read */
	uint32_t wanted;                   /* KNOWN_ bits of what its operands may name */
};

/* --- Places -------------------------------------------------------------- */

static void locate(const struct glc_source_map *map, uint32_t position, struct glacier_location *location)
{
	const struct spv_where *where = map->context;
	const struct glacier_spirv *module = where->module;
	uint32_t low = 0, high = module->inst_count;

	location->kind = GLACIER_LOCATION_BINARY;
	location->word = position;
	location->offset = (uint64_t)position * 4;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (module->insts[middle].word <= position)
			low = middle + 1;
		else
			high = middle;
	}
	location->instruction = low ? low - 1 : 0;
}

void spv_where_begin(struct spv_where *where, const struct glacier_spirv *module)
{
	*where = (struct spv_where){.map = {.locate = locate}, .module = module};
	where->map.context = where;
}

const char *spv_text(const struct glacier_spirv *module, const struct glacier_spirv_inst *inst, uint32_t n,
		     uint32_t *bytes)
{
	const char *text = (const char *)(module->words + inst->word + n);
	uint32_t most = n < inst->words ? (inst->words - n) * 4u : 0;
	const char *end = most ? memchr(text, 0, most) : NULL;

	*bytes = end ? (uint32_t)(end - text) : most;
	return text;
}

/* --- Words --------------------------------------------------------------- */

static bool take_words(struct reader *r, const void *data, size_t bytes)
{
	struct glacier_spirv *module = r->module;
	uint32_t magic, *copy;

	module->word_count = (uint32_t)(bytes / 4);
	memcpy(&magic, data, 4);
	module->swapped = magic == __builtin_bswap32(0x07230203);
	if (!module->swapped && (uintptr_t)data % 4 == 0) {
		module->words = data;
		return true;
	}
	copy = glc_bump(r->memory, bytes);
	if (!copy) {
		glc_fail(r->diag, GLC_SV_OUT_OF_MEMORY, GLC_NOWHERE);
		return false;
	}
	memcpy(copy, data, bytes / 4 * 4);
	for (uint32_t i = 0; module->swapped && i < module->word_count; i++)
		copy[i] = __builtin_bswap32(copy[i]);
	module->words = copy;
	return true;
}

static bool read_header(struct reader *r, const void *data, size_t bytes)
{
	struct glacier_spirv *module = r->module;

	if (!data || bytes < HEADER_WORDS * 4) {
		glc_fail(r->diag, GLC_SV_HEADER_SIZE, 0, bytes);
		return false;
	}
	if (bytes / 4 > UINT32_MAX / 4) {
		glc_fail(r->diag, GLC_SV_TOO_LARGE, 0);
		return false;
	}
	if (!take_words(r, data, bytes))
		return false;
	if (module->words[0] != 0x07230203) {
		glc_fail(r->diag, GLC_SV_MAGIC, 0, module->words[0]);
		return false;
	}
	if (bytes % 4) {
		glc_fail(r->diag, GLC_SV_ODD_SIZE, module->word_count, bytes);
		return false;
	}
	module->version = module->words[1];
	module->generator = module->words[2];
	module->bound = module->words[3];
	module->schema = module->words[4];
	return true;
}

/* --- Ids ----------------------------------------------------------------- */

/*
 * Ids are looked up in arrays. A module whose ids are far above its number of words would
 * need arrays that its size does not justify: its ids are numbered anew while it is read.
 */
static uint32_t renumber(struct reader *r, uint32_t id)
{
	uint32_t slot = id * 0x9e3779b1u >> 3 & r->slot_mask;

	for (; r->slots[slot]; slot = (slot + 1) & r->slot_mask)
		if (r->ids[r->slots[slot]] == id)
			return r->slots[slot];
	r->slots[slot] = ++r->renumbered;
	r->ids[r->renumbered] = id;
	return r->renumbered;
}

static bool is_justified(const struct glacier_spirv *module)
{
	return module->bound / 4 <= module->word_count + 256;
}

static bool make_ids(struct reader *r)
{
	struct glacier_spirv *module = r->module;
	uint32_t size = 64, *copy;

	r->id_count = is_justified(module) ? module->bound : module->word_count + 1;
	r->defs = glc_bump_zero(r->memory, ((size_t)r->id_count + 1) * (sizeof *r->defs + sizeof *r->known));
	if (!r->defs)
		return false;
	r->known = (uint8_t *)(r->defs + r->id_count + 1);
	if (is_justified(module))
		return true;
	while (size / 2 < module->word_count)
		size *= 2;
	r->slot_mask = size - 1;
	r->slots = glc_bump_zero(r->memory, (size_t)size * sizeof *r->slots);
	r->ids = glc_bump_zero(r->memory, ((size_t)r->id_count + 1) * sizeof *r->ids);
	copy = glc_bump(r->memory, (size_t)module->word_count * sizeof *copy);
	if (!r->slots || !r->ids || !copy)
		return false;
	module->words = r->writable = memcpy(copy, module->words, (size_t)module->word_count * sizeof *copy);
	module->ids = r->ids;
	module->id_count = r->id_count;
	return true;
}

/* --- Operands ------------------------------------------------------------ */

static bool expect_kinds(struct reader *r, uint32_t kinds, uint32_t count)
{
	const uint8_t *list = spv_kinds(kinds);

	if (r->expected_count + count > MOST_EXPECTED)
		return false;
	for (uint32_t i = count; i-- > 0;)
		r->expected[r->expected_count++] = list[i];
	return true;
}

/* What comes next; composites are taken apart, what may be repeated stays below. */
static bool next_kind(struct reader *r, uint8_t *kind)
{
	static const uint8_t parts[3][2] = {
		{KindLiteralInteger, KindIdRef}, {KindIdRef, KindLiteralInteger}, {KindIdRef, KindIdRef},
	};
	uint8_t top, which;

	if (!r->expected_count) {
		if (r->kinds == r->kinds_end)
			return false;
		top = *r->kinds;
		r->kinds += !(top & SPV_VARIADIC);
	} else {
		top = r->expected[--r->expected_count];
		if (top & SPV_VARIADIC)
			r->expected[r->expected_count++] = top;
	}
	which = top & SPV_KIND;
	if (which >= KindPairLiteralIntegerIdRef) {
		const uint8_t *pair = parts[which - KindPairLiteralIntegerIdRef];

		r->expected[r->expected_count++] = pair[1];
		which = pair[0];
	}
	*kind = which;
	return true;
}

static const struct glacier_spirv_inst *definition(const struct reader *r, uint32_t id)
{
	return id < r->id_count && r->defs[id] ? &r->insts.at[r->defs[id] - 1] : NULL;
}

/* Words of a number of that type; 0, reported, when it is no type of numbers. */
static uint32_t number_words(struct reader *r, uint32_t type)
{
	const struct glacier_spirv_inst *inst = definition(r, type);
	uint32_t bits;

	/* Nothing has such an id: what is wrong is the bound rather than the type. */
	if (!r->writable && type >= r->module->bound) {
		glc_fail(r->diag, GLC_SV_ID_BOUND, (uint32_t)(r->words - r->module->words), type, r->module->bound);
		return 0;
	}
	if (!inst || (inst->op != OpTypeInt && inst->op != OpTypeFloat)) {
		glc_fail(r->diag, GLC_SV_LITERAL_TYPE, (uint32_t)(r->words - r->module->words), type);
		return 0;
	}
	bits = r->module->words[inst->word + 2];
	return bits <= 32 ? 1 : bits <= 64 ? 2 : (bits - 1) / 32 + 1;
}

/* A literal whose size depends on the type of something else. */
static uint32_t literal_words(struct reader *r, uint32_t op, uint8_t kind)
{
	const struct glacier_spirv_inst *selector, *type;

	if (kind == KindLiteralContextDependentNumber)
		return number_words(r, r->words[1]);
	if (op != OpSwitch)
		return 1;
	selector = definition(r, r->words[1]);
	type = selector ? definition(r, selector->type) : NULL;
	if (!type || type->op != OpTypeInt) {
		glc_fail(r->diag, GLC_SV_SWITCH_SELECTOR, (uint32_t)(r->words - r->module->words), r->words[1]);
		return 0;
	}
	return number_words(r, selector->type);
}

static bool read_value(struct reader *r, enum spv_kind kind, uint32_t value)
{
	const struct spv_enumerant *row = spv_enumerant_find(kind, value);

	if (!row) {
		glc_fail(r->diag, GLC_SV_ENUMERANT, (uint32_t)(r->words - r->module->words) + r->at, value,
			 spv_string(spv_kind_at(kind)->name));
		return false;
	}
	r->needs |= row->need != 0;
	return !row->kind_count || expect_kinds(r, row->kinds, row->kind_count);
}

static bool read_bits(struct reader *r, enum spv_kind kind, uint32_t bits)
{
	/* The parameters follow in the order of the bits, the lowest first: pushed last. */
	for (uint32_t bit = 32; bits && bit-- > 0;)
		if (bits >> bit & 1 && !read_value(r, kind, UINT32_C(1) << bit))
			return false;
	return true;
}

static bool read_string(struct reader *r, uint32_t *words)
{
	uint32_t left = r->count - r->at, where = (uint32_t)(r->words - r->module->words) + r->at;
	const char *text, *end;

	text = (const char *)(r->words + r->at);
	end = memchr(text, 0, (size_t)left * 4);
	*words = end ? (uint32_t)(end - text) / 4 + 1 : left;
	if (!end) {
		glc_fail(r->diag, GLC_SV_STRING_END, where);
		return false;
	}
	return true;
}

/* The operands of an instruction of a set; of sets that are not known any number of ids, as OpExtInst itself has it. */
static bool read_ext_inst(struct reader *r, uint32_t number)
{
	uint32_t where = (uint32_t)(r->words - r->module->words) + r->at, bytes;
	const struct glacier_spirv_inst *import = definition(r, r->words[3]);
	const struct spv_ext_row *row;
	const char *name;

	if (!import || import->op != OpExtInstImport) {
		glc_fail(r->diag, GLC_SV_EXT_INST_SET, where, r->words[3]);
		return false;
	}
	if (r->import != r->words[3]) {
		name = spv_text(r->module, import, 2, &bytes);
		r->import = r->words[3];
		r->set = spv_set_find(name, bytes);
	}
	if (r->set == SetCount)
		return true;
	row = spv_ext_find(r->set, number);
	/* A later revision may have it; who does not know a non-semantic instruction ignores it. */
	if (!row && (r->set == SetNonSemanticShaderDebugInfo100 || r->set == SetNonSemanticClspvReflection))
		return true;
	if (!row) {
		glc_fail(r->diag, GLC_SV_EXT_INST_NUMBER, where, number, spv_set_name(r->set));
		return false;
	}
	r->kinds = r->kinds_end;
	return expect_kinds(r, row->kinds, row->kind_count);
}

/* What OpSpecConstantOp may do. Source: SPIR-V 3.49.7, OpSpecConstantOp. */
static bool is_spec_op(uint32_t op)
{
	switch (op) {
	case OpSConvert: case OpUConvert: case OpFConvert: case OpSNegate: case OpNot: case OpIAdd: case OpISub:
	case OpIMul: case OpUDiv: case OpSDiv: case OpUMod: case OpSRem: case OpSMod: case OpShiftRightLogical:
	case OpShiftRightArithmetic: case OpShiftLeftLogical: case OpBitwiseOr: case OpBitwiseXor:
	case OpBitwiseAnd: case OpVectorShuffle: case OpCompositeExtract: case OpCompositeInsert:
	case OpLogicalOr: case OpLogicalAnd: case OpLogicalNot: case OpLogicalEqual: case OpLogicalNotEqual:
	case OpSelect: case OpIEqual: case OpINotEqual: case OpULessThan: case OpSLessThan:
	case OpUGreaterThan: case OpSGreaterThan: case OpULessThanEqual: case OpSLessThanEqual:
	case OpUGreaterThanEqual: case OpSGreaterThanEqual: case OpQuantizeToF16: case OpConvertFToS:
	case OpConvertSToF: case OpConvertFToU: case OpConvertUToF: case OpConvertPtrToU: case OpConvertUToPtr:
	case OpGenericCastToPtr: case OpPtrCastToGeneric: case OpBitcast: case OpFNegate: case OpFAdd:
	case OpFSub: case OpFMul: case OpFDiv: case OpFRem: case OpFMod: case OpAccessChain:
	case OpInBoundsAccessChain: case OpPtrAccessChain: case OpInBoundsPtrAccessChain:
	case OpCooperativeMatrixLengthNV:
		return true;
	}
	return false;
}

static bool read_spec_op(struct reader *r, uint32_t op)
{
	const struct spv_op_row *row = spv_op_find(op);

	if (!row || !is_spec_op(op)) {
		glc_fail(r->diag, GLC_SV_SPEC_OP, (uint32_t)(r->words - r->module->words) + r->at, op);
		return false;
	}
	return expect_kinds(r, row->kinds + 2, row->kind_count - 2);   /* without type and result */
}

static bool is_known(const struct reader *r, uint32_t id, uint32_t wanted)
{
	return id < r->id_count && (r->known[id] & wanted);
}

/* One operand: its words, and what it makes follow. False, reported, when it is wrong. */
static bool read_operand(struct reader *r, struct glacier_spirv_inst *inst, uint8_t kind)
{
	uint32_t value = r->words[r->at], words = 1, where = inst->word + r->at;
	struct glacier_spirv_operand *operand;

	r->needs = false;
	switch (spv_category(kind)) {
	case SPV_ID:
		if (!value) {
			glc_fail(r->diag, GLC_SV_ID_ZERO, where);
			return false;
		}
		if (r->writable)
			value = r->writable[where] = renumber(r, value);
		if (kind == KindIdResultType)
			inst->type = value;
		else if (kind == KindIdResult)
			inst->id = value;
		if (kind != KindIdResult)
			inst->settled &= is_known(r, value, kind == KindIdResultType ? KNOWN_TYPE : r->wanted);
		break;
	case SPV_VALUE:
		if (!read_value(r, (enum spv_kind)kind, value))
			return false;
		break;
	case SPV_BITS:
		if (!read_bits(r, (enum spv_kind)kind, value))
			return false;
		break;
	case SPV_LITERAL:
		if (kind == KindLiteralString) {
			if (!read_string(r, &words))
				return false;
		} else if (kind == KindLiteralExtInstInteger) {
			if (!read_ext_inst(r, value))
				return false;
		} else if (kind == KindLiteralSpecConstantOpInteger) {
			if (!read_spec_op(r, value))
				return false;
		} else {
			words = literal_words(r, inst->op, kind);
			if (!words)
				return false;
		}
		break;
	case SPV_COMPOSITE:
		break;
	}
	if (words > r->count - r->at) {
		glc_fail(r->diag, GLC_SV_TOO_FEW, inst->word, spv_string(spv_op_find(inst->op)->name), r->count);
		return false;
	}
	inst->gated |= r->needs;
	operand = &r->operands.at[r->operands.count++];
	*operand = (struct glacier_spirv_operand){
		.offset = (uint16_t)r->at, .kind = kind, .words = kind == KindLiteralString ? 0 : r->needs ? SPV_NEEDS : (uint8_t)words};
	r->at += words;
	return true;
}

/* Whether what is still expected may be absent. */
static bool may_end(const struct reader *r)
{
	if (r->expected_count)
		return r->expected[r->expected_count - 1] & (SPV_OPTIONAL | SPV_VARIADIC);
	return r->kinds == r->kinds_end || (*r->kinds & (SPV_OPTIONAL | SPV_VARIADIC));
}

/*
 * What most operands are: ids, numbers of one word, and enumerants whose parameters, if any, are
 * the end. Stops at anything else, and at what is wrong. True when that was all of them.
 */
static inline __attribute__((always_inline)) bool read_plain(struct reader *r, struct glacier_spirv_inst *inst, const struct spv_op_row *row)
{
	struct glacier_spirv_operand *out = r->operands.at + inst->operands;
	const uint32_t *words = r->words, id_count = r->id_count, wanted = r->wanted, count = r->count;
	const uint8_t *kinds = spv_kinds(row->kinds), *end = kinds + row->kind_count, *known = r->known;
	uint32_t at = 1;
	bool settled = true;

	for (; at < count && kinds < end; at++) {
		uint8_t top = *kinds, kind = top & SPV_KIND, needs = 1;
		uint32_t value = words[at];

		if (kind >= KindIdResultType && kind < KindLiteralInteger && value) {
			if (kind >= KindIdMemorySemantics) {
				settled &= value < id_count && (known[value] & wanted);
			} else if (kind == KindIdResultType) {
				inst->type = value;
				settled &= value < id_count && (known[value] & KNOWN_TYPE);
			} else {
				inst->id = value;
			}
		} else if (kind >= KindSourceLanguage && kind < KindIdResultType) {
			const struct spv_enumerant *enumerant = spv_enumerant_find((enum spv_kind)kind, value);

			if (!enumerant || (enumerant->kind_count && kinds + 1 != end))
				break;
			if (enumerant->need) {
				needs = SPV_NEEDS;
				inst->gated = true;
			}
			if (enumerant->kind_count) {
				kinds = spv_kinds(enumerant->kinds);
				end = kinds + enumerant->kind_count;
				top = SPV_VARIADIC;    /* nothing to go past */
			}
		} else if (kind != KindLiteralInteger) {
			break;
		}
		kinds += !(top & SPV_VARIADIC);
		*out++ = (struct glacier_spirv_operand){.offset = (uint16_t)at, .kind = kind, .words = needs};
	}
	inst->settled = settled;
	r->operands.count = (uint32_t)(out - r->operands.at);
	if (at == count && (kinds == end || (*kinds & (SPV_OPTIONAL | SPV_VARIADIC))))
		return true;
	r->kinds = kinds;
	r->kinds_end = end;
	r->at = at;
	return false;
}

/* What read_plain left. Out of the way of the loop over all instructions, as the rest seldom is. */
static __attribute__((noinline)) bool read_rest(struct reader *r, struct glacier_spirv_inst *inst, const struct spv_op_row *row)
{
	uint8_t kind;

	r->expected_count = 0;
	if (r->writable) {
		r->at = 1;
		r->kinds = spv_kinds(row->kinds);
		r->kinds_end = r->kinds + row->kind_count;
	}
	while (r->at < r->count) {
		if (!next_kind(r, &kind)) {
			glc_fail(r->diag, GLC_SV_TOO_MANY, inst->word, spv_string(row->name), r->count, r->at);
			return false;
		}
		if (!read_operand(r, inst, kind))
			return false;
	}
	if (!may_end(r)) {
		glc_fail(r->diag, GLC_SV_TOO_FEW, inst->word, spv_string(row->name), r->count);
		return false;
	}
	return true;
}

/* --- Instructions -------------------------------------------------------- */

/* What others may name without a further look. */
static uint8_t known_as(const struct reader *r, const struct glacier_spirv_inst *inst, uint32_t traits)
{
	if (traits & OP_TYPE)
		return inst->op == OpTypeFunction ? 0 : KNOWN_TYPE;
	switch (inst->op) {
	case OpFunction: case OpExtInst:
		return 0;
	case OpVariable:
		return inst->words > 3 && r->words[3] == StorageClassFunction ? KNOWN_VALUE : 0;
	default:
		return inst->type ? KNOWN_VALUE : 0;
	}
}

static void define(struct reader *r, struct glacier_spirv_inst *inst, uint32_t traits)
{
	if (inst->id >= r->id_count) {
		inst->settled = false;
		return;
	}
	if (r->defs[inst->id]) {
		glc_fail(r->diag, GLC_SV_DEFINED_TWICE, inst->word, inst->id);
		return;
	}
	r->defs[inst->id] = r->insts.count;
	r->known[inst->id] = known_as(r, inst, traits);
}

/* False when nothing behind it can be read. */
static bool read_instruction(struct reader *r, uint32_t word)
{
	struct glacier_spirv *module = r->module;
	const struct spv_op_row *row;
	struct glacier_spirv_inst *inst;
	uint32_t first = module->words[word], count = first >> 16, traits;

	/* 0 is beyond all too. */
	if (count - 1 >= module->word_count - word) {
		glc_fail(r->diag, GLC_SV_WORD_COUNT, word, count, module->word_count - word);
		return false;
	}
	inst = GLC_PUSH(r->memory, &r->insts);
	if (!inst) {
		glc_fail(r->diag, GLC_SV_OUT_OF_MEMORY, GLC_NOWHERE);
		return false;
	}
	row = spv_op_find(first & 0xffff);
	*inst = (struct glacier_spirv_inst){.word = word, .op = (uint16_t)first, .words = (uint16_t)count,
		.operands = r->operands.count};
	module->insts = r->insts.at;
	module->inst_count = r->insts.count;
	if (!row) {
		glc_fail(r->diag, GLC_SV_OPCODE, word, first & 0xffff);
		return true;
	}
	traits = spv_traits(first & 0xffff);
	inst->gated = row->need | (traits & OP_GATED);
	r->wanted = KNOWN_VALUE | (traits & KNOWN_TYPE);
	r->words = module->words + word;
	r->count = count;
	if (r->writable || !read_plain(r, inst, row))
		read_rest(r, inst, row);
	inst->operand_count = (uint16_t)(r->operands.count - inst->operands);
	if (inst->id)
		define(r, inst, traits);
	return true;
}

enum glacier_status glacier_spirv_read(struct glacier_memory *memory, const void *data, size_t bytes,
				       struct glacier_spirv *out, struct glacier_diag *diag)
{
	struct glacier_spirv module = {0};
	struct glacier_diag silent = {0};
	struct reader r = {.memory = memory, .diag = diag ? diag : &silent, .module = &module};
	const struct glc_source_map *outer = r.diag->map;
	uint32_t errors = r.diag->errors, word;
	struct spv_where where;
	enum glacier_status status = GLACIER_OK;

	spv_where_begin(&where, &module);
	r.diag->map = &where.map;
	if (!read_header(&r, data, bytes))
		goto out;
	if (!make_ids(&r)) {
		glc_fail(r.diag, GLC_SV_OUT_OF_MEMORY, GLC_NOWHERE);
		goto out;
	}
	/* An operand has a word at least: there is room for all. */
	GLC_PRESIZE(memory, &r.operands, module.word_count);
	GLC_PRESIZE(memory, &r.insts, module.word_count / 3);
	if (!r.operands.at) {
		glc_fail(r.diag, GLC_SV_OUT_OF_MEMORY, GLC_NOWHERE);
		goto out;
	}
	for (word = HEADER_WORDS; word < module.word_count; word += module.words[word] >> 16)
		if (!read_instruction(&r, word) ||
		    (r.diag->errors > errors && r.diag->errors - errors >= glc_max_errors(r.diag)))
			break;
	module.operands = r.operands.at;
	module.defs = r.defs;
	module.id_count = r.id_count;
out:
	r.diag->map = outer;
	if (r.diag->errors > errors)
		status = r.diag->first;
	else
		*out = module;
	return status;
}
