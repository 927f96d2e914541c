/* SPDX-License-Identifier: MIT */
/*
 * The LLVM bitstream inside of DXIL: blocks, abbreviations, records. Nothing of LLVM is needed, and
 * nothing recurses. Source: LLVM, "LLVM Bitcode File Format"; LLVMBitCodes.h of LLVM 3.7.
 */
#include "dxbc/bitcode.h"
#include "dxbc/codec.h"

#include <stdio.h>
#include <stdlib.h>

enum { END_BLOCK, ENTER_SUBBLOCK, DEFINE_ABBREV, UNABBREV_RECORD };   /* abbreviation ids */
enum { FIXED = 1, VBR, ARRAY, CHAR6, BLOB };                         /* encodings */
enum { BLOCKINFO = 0, SETBID = 1, MOST_DEPTH = 64, MOST_IDS = 64 };

struct operand {
	bool literal;
	uint8_t encoding;
	uint64_t value;          /* of a literal; the width */
};

struct abbreviation {
	uint32_t first, count;   /* in the reader's operands */
};

/* Abbreviations that are in force, in the order of their ids. */
struct list {
	struct abbreviation *at;
	uint32_t count, capacity;
};

struct level {
	uint32_t block, width;
	struct list list;
	cJSON *node;             /* where its records are put */
};

struct counts {
	uint32_t instances, sub_blocks, abbreviations, records;
};

struct reader {
	const unsigned char *data;
	uint64_t bits, at;
	struct glacier_diag *diag;
	uint64_t where;          /* of the first byte in the container */
	bool failed, records;
	struct operand *operands;
	uint32_t operand_count, operand_capacity;
	struct list infos[MOST_IDS];      /* by block: what BLOCKINFO gave it */
	struct counts counts[MOST_IDS];
	struct level levels[MOST_DEPTH];
	uint32_t depth;
	uint32_t info_block;     /* BLOCKINFO: whose abbreviations follow */
};

static void fail(struct reader *r, const char *what)
{
	if (!r->failed)
		glc_fail(r->diag, GLC_DX_BITCODE, r->where + r->at / 8, (unsigned long long)r->at, what);
	r->failed = true;
}

/* --- Bits ---------------------------------------------------------------- */

static uint64_t fixed(struct reader *r, uint32_t width)
{
	uint64_t value = 0;

	if (width > r->bits - r->at) {
		fail(r, "it ends inside of a number");
		return 0;
	}
	for (uint32_t got = 0; got < width;) {
		uint32_t in = (uint32_t)(r->at % 8), take = 8 - in < width - got ? 8 - in : width - got;

		value |= (uint64_t)(r->data[r->at / 8] >> in & ((1u << take) - 1)) << got;
		got += take;
		r->at += take;
	}
	return value;
}

static uint64_t vbr(struct reader *r, uint32_t width)
{
	uint64_t value = 0, high = UINT64_C(1) << (width - 1), piece;

	for (uint32_t shift = 0; !r->failed; shift += width - 1) {
		piece = fixed(r, width);
		if (shift < 64)
			value |= (piece & (high - 1)) << shift;
		if (!(piece & high))
			break;
	}
	return value;
}

static void align(struct reader *r)
{
	r->at = (r->at + 31) & ~UINT64_C(31);
	if (r->at > r->bits)
		fail(r, "it ends inside of a word");
}

/* --- Abbreviations ------------------------------------------------------- */

static bool push_operand(struct reader *r, struct operand operand)
{
	struct operand *grown;

	if (r->operand_count == r->operand_capacity) {
		grown = realloc(r->operands, (r->operand_capacity * 2 + 64) * sizeof *grown);
		if (!grown) {
			fail(r, "there is no memory for its abbreviations");
			return false;
		}
		r->operands = grown;
		r->operand_capacity = r->operand_capacity * 2 + 64;
	}
	r->operands[r->operand_count++] = operand;
	return true;
}

static bool push_abbreviation(struct reader *r, struct list *list, struct abbreviation abbreviation)
{
	struct abbreviation *grown;

	if (list->count == list->capacity) {
		grown = realloc(list->at, (list->capacity * 2 + 8) * sizeof *grown);
		if (!grown) {
			fail(r, "there is no memory for its abbreviations");
			return false;
		}
		list->at = grown;
		list->capacity = list->capacity * 2 + 8;
	}
	list->at[list->count++] = abbreviation;
	return true;
}

static void define_abbreviation(struct reader *r, struct level *level)
{
	struct abbreviation made = {.first = r->operand_count, .count = (uint32_t)vbr(r, 5)};
	struct list *list = level->block == BLOCKINFO ? &r->infos[r->info_block] : &level->list;

	r->counts[level->block].abbreviations++;
	for (uint32_t i = 0; i < made.count && !r->failed; i++) {
		struct operand operand = {.literal = fixed(r, 1)};

		if (operand.literal) {
			operand.value = vbr(r, 8);
		} else {
			operand.encoding = (uint8_t)fixed(r, 3);
			if (operand.encoding == FIXED || operand.encoding == VBR)
				operand.value = vbr(r, 5);
			if (!operand.encoding || operand.encoding > BLOB || operand.value > 64 ||
			    (operand.encoding == VBR && operand.value < 2))
				fail(r, "an abbreviation has an encoding that there is not");
		}
		push_operand(r, operand);
	}
	if (!r->failed && level->block == BLOCKINFO && !r->info_block)
		fail(r, "BLOCKINFO defines an abbreviation before it says for which block");
	if (!r->failed)
		push_abbreviation(r, list, made);
}

/* --- Records ------------------------------------------------------------- */

struct record {
	uint64_t code, first;    /* code; the first number behind it */
	uint32_t count;          /* of numbers behind the code */
	cJSON *numbers;
};

static void take_number(struct reader *r, struct record *record, bool is_code, uint64_t value)
{
	cJSON *item;

	if (is_code) {
		record->code = value;
		return;
	}
	if (!record->count++)
		record->first = value;
	if (!record->numbers)
		return;
	item = value < UINT64_C(9007199254740992) ? cJSON_CreateNumber((double)value) : NULL;
	if (!item) {
		char text[24];

		snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
		item = cJSON_CreateString(text);
	}
	if (!item || !cJSON_AddItemToArray(record->numbers, item)) {
		cJSON_Delete(item);
		fail(r, "there is no memory for its records");
	}
}

static uint64_t scalar(struct reader *r, struct operand operand)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

	if (operand.literal)
		return operand.value;
	switch (operand.encoding) {
	case FIXED: return fixed(r, (uint32_t)operand.value);
	case VBR: return vbr(r, (uint32_t)operand.value);
	case CHAR6: return (unsigned char)letters[fixed(r, 6)];
	}
	fail(r, "an array or blob stands where a number is wanted");
	return 0;
}

static void read_array(struct reader *r, struct record *record, struct operand element, bool is_code)
{
	uint64_t count = vbr(r, 6);
	uint32_t width = element.literal ? 0 : element.encoding == CHAR6 ? 6 : (uint32_t)element.value;

	/* Elements of no bits would let a short text claim any number of them. */
	if (count > (r->bits - r->at) / (width ? width : 1)) {
		fail(r, "an array claims more elements than bits are left");
		return;
	}
	for (uint64_t i = 0; i < count && !r->failed; i++)
		take_number(r, record, is_code && !i, scalar(r, element));
}

static void read_blob(struct reader *r, struct record *record)
{
	uint64_t bytes = vbr(r, 6);

	align(r);
	if (r->failed || bytes > (r->bits - r->at) / 8) {
		fail(r, "a blob claims more bytes than are left");
		return;
	}
	for (uint64_t i = 0; i < bytes && !r->failed; i++)
		take_number(r, record, false, r->data[r->at / 8 + i]);
	r->at += bytes * 8;
	align(r);
}

static void abbreviated(struct reader *r, struct record *record, struct abbreviation abbreviation)
{
	for (uint32_t i = 0; i < abbreviation.count && !r->failed; i++) {
		struct operand operand = r->operands[abbreviation.first + i];

		if (!operand.literal && operand.encoding == ARRAY) {
			if (i + 2 != abbreviation.count)
				fail(r, "an array is not the last but one of its abbreviation");
			else
				read_array(r, record, r->operands[abbreviation.first + i + 1], !i);
			return;
		}
		if (!operand.literal && operand.encoding == BLOB) {
			read_blob(r, record);
			return;
		}
		take_number(r, record, !i, scalar(r, operand));
	}
}

static void unabbreviated(struct reader *r, struct record *record)
{
	uint64_t count;

	record->code = vbr(r, 6);
	count = vbr(r, 6);
	if (count > (r->bits - r->at) / 6) {
		fail(r, "a record claims more numbers than bits are left");
		return;
	}
	for (uint64_t i = 0; i < count && !r->failed; i++)
		take_number(r, record, false, vbr(r, 6));
}

static void read_record(struct reader *r, struct level *level, uint32_t id)
{
	struct record record = {0};
	const char *name;
	cJSON *node = NULL;

	r->counts[level->block].records++;
	if (r->records) {
		node = cJSON_CreateObject();
		record.numbers = node ? cJSON_AddArrayToObject(node, "numbers") : NULL;
		if (!record.numbers || !cJSON_AddItemToArray(level->node, node)) {
			cJSON_Delete(node);
			fail(r, "there is no memory for its records");
			return;
		}
	}
	if (id == UNABBREV_RECORD)
		unabbreviated(r, &record);
	else if (id - 4 < level->list.count)
		abbreviated(r, &record, level->list.at[id - 4]);
	else
		fail(r, "a record has an abbreviation that was not defined");
	if (r->failed)
		return;
	if (level->block == BLOCKINFO && record.code == SETBID) {
		if (!record.count || record.first >= MOST_IDS)
			fail(r, "BLOCKINFO names a block that there is not");
		else
			r->info_block = (uint32_t)record.first;
	}
	if (!node)
		return;
	name = glc_bitcode_record(level->block, record.code);
	if (name)
		cJSON_AddStringToObject(node, "record", name);
	cJSON_AddNumberToObject(node, "code", (double)record.code);
}

/* --- Blocks -------------------------------------------------------------- */

static void enter(struct reader *r)
{
	struct level *outer = r->depth ? &r->levels[r->depth - 1] : NULL, *level;
	uint32_t block = (uint32_t)vbr(r, 8), width = (uint32_t)vbr(r, 4), words;
	cJSON *node;

	align(r);
	words = (uint32_t)fixed(r, 32);
	if (!r->failed && (block >= MOST_IDS || width < 2 || width > 32))
		fail(r, "a block has a number or a width that there is not");
	else if (!r->failed && words > (r->bits - r->at) / 32)
		fail(r, "a block claims more words than are left");
	else if (!r->failed && r->depth == MOST_DEPTH)
		fail(r, "blocks are nested deeper than 64");
	if (r->failed)
		return;
	if (outer)
		r->counts[outer->block].sub_blocks++;
	r->counts[block].instances++;
	level = &r->levels[r->depth++];
	*level = (struct level){.block = block, .width = width, };
	for (uint32_t i = 0; i < r->infos[block].count && !r->failed; i++)
		push_abbreviation(r, &level->list, r->infos[block].at[i]);
	if (block == BLOCKINFO)
		r->info_block = 0;
	if (!r->records)
		return;
	node = cJSON_CreateObject();
	if (!node || !cJSON_AddItemToArray(outer ? outer->node : r->levels[MOST_DEPTH - 1].node, node)) {
		cJSON_Delete(node);
		fail(r, "there is no memory for its blocks");
		return;
	}
	cJSON_AddStringToObject(node, "block", glc_bitcode_block(block));
	cJSON_AddNumberToObject(node, "id", block);
	level->node = cJSON_AddArrayToObject(node, "content");
	if (!level->node)
		fail(r, "there is no memory for its blocks");
}

static void leave(struct reader *r)
{
	align(r);
	free(r->levels[--r->depth].list.at);
}

static void read_all(struct reader *r)
{
	while (!r->failed && (r->depth || r->at + 32 <= r->bits)) {
		struct level *level = r->depth ? &r->levels[r->depth - 1] : NULL;
		uint32_t id = (uint32_t)fixed(r, level ? level->width : 2);

		if (r->failed)
			break;
		if (id == ENTER_SUBBLOCK)
			enter(r);
		else if (!level)
			fail(r, "something stands outside of all blocks");
		else if (id == END_BLOCK)
			leave(r);
		else if (id == DEFINE_ABBREV)
			define_abbreviation(r, level);
		else
			read_record(r, level, id);
	}
}

static cJSON *totals(const struct reader *r, cJSON *tree)
{
	cJSON *list = cJSON_AddArrayToObject(tree, "blocks");

	for (uint32_t i = 0; list && i < MOST_IDS; i++) {
		const struct counts *counts = &r->counts[i];
		cJSON *row;

		if (!counts->instances)
			continue;
		row = cJSON_CreateObject();
		if (!row || !cJSON_AddItemToArray(list, row)) {
			cJSON_Delete(row);
			return NULL;
		}
		cJSON_AddStringToObject(row, "block", glc_bitcode_block(i));
		cJSON_AddNumberToObject(row, "id", i);
		cJSON_AddNumberToObject(row, "instances", counts->instances);
		cJSON_AddNumberToObject(row, "sub_blocks", counts->sub_blocks);
		cJSON_AddNumberToObject(row, "abbreviations", counts->abbreviations);
		cJSON_AddNumberToObject(row, "records", counts->records);
	}
	return list;
}

enum glacier_status glacier_dxbc_bitcode_tree(const struct glacier_dxbc_part *part, bool records, struct cJSON **tree,
					      struct glacier_diag *diag)
{
	struct reader *r;
	enum glacier_status status = GLACIER_ERR_MALFORMED;
	const unsigned char *data;
	size_t bytes;

	*tree = NULL;
	if (!glacier_dxbc_bitcode_of(part, &data, &bytes))
		return glc_fail(diag, GLC_DX_PART_FORM, (uint64_t)part->offset + 8, glc_fourcc(part->fourcc).text,
				"there is no bitcode in it");
	r = calloc(1, sizeof *r);
	*tree = cJSON_CreateObject();
	if (!r || !*tree) {
		status = glc_fail(diag, GLC_DX_OUT_OF_MEMORY, GLC_NOWHERE);
	} else {
		*r = (struct reader){.data = data, .bits = (uint64_t)bytes * 8, .at = 32, .diag = diag, .records = records};
		r->where = (uint64_t)part->offset + 8 + (uint64_t)(data - part->data);
		/* The last level is never entered: its node is that of the stream itself. */
		r->levels[MOST_DEPTH - 1].node = records ? cJSON_AddArrayToObject(*tree, "stream") : NULL;
		read_all(r);
		if (!r->failed)
			status = totals(r, *tree) ? GLACIER_OK : glc_fail(diag, GLC_DX_OUT_OF_MEMORY, GLC_NOWHERE);
		while (r->depth)
			free(r->levels[--r->depth].list.at);
		for (int i = 0; i < MOST_IDS; i++)
			free(r->infos[i].at);
		free(r->operands);
	}
	free(r);
	if (status != GLACIER_OK) {
		cJSON_Delete(*tree);
		*tree = NULL;
	}
	return status;
}

enum glacier_status glacier_dxbc_bitcode(const struct glacier_dxbc_part *part, bool records,
					 struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	cJSON *tree;
	enum glacier_status status = glacier_dxbc_bitcode_tree(part, records, &tree, diag);

	return glc_json_take(tree, status, buffer, diag);
}
