/* SPDX-License-Identifier: MIT */
#include "spirv/interface.h"

#include "spirv/enum.h"

#include <stdio.h>
#include <string.h>

/* SPIR-V, 2.17 Universal Limits. */
enum { MOST_IDS = 0x400000, HEADER_WORDS = 5 };

/* The instructions that are read: words they have at least, and the word of the id they give. */
static const struct {
	uint16_t op;
	uint8_t least, result;
} shapes[] = {
	{GLC_SPV_MemoryModel, 3, 0},
	{GLC_SPV_EntryPoint, 4, 0},
	{GLC_SPV_ExecutionMode, 3, 0},
	{GLC_SPV_ExecutionModeId, 3, 0},
	{GLC_SPV_Capability, 2, 0},
	{GLC_SPV_TypeBool, 2, 1},
	{GLC_SPV_TypeInt, 4, 1},
	{GLC_SPV_TypeFloat, 3, 1},
	{GLC_SPV_TypeVector, 4, 1},
	{GLC_SPV_TypeArray, 4, 1},
	{GLC_SPV_TypeRuntimeArray, 3, 1},
	{GLC_SPV_TypeStruct, 2, 1},
	{GLC_SPV_TypePointer, 4, 1},
	{GLC_SPV_ConstantTrue, 3, 2},
	{GLC_SPV_ConstantFalse, 3, 2},
	{GLC_SPV_Constant, 4, 2},
	{GLC_SPV_ConstantComposite, 3, 2},
	{GLC_SPV_SpecConstantTrue, 3, 2},
	{GLC_SPV_SpecConstantFalse, 3, 2},
	{GLC_SPV_SpecConstant, 4, 2},
	{GLC_SPV_SpecConstantComposite, 3, 2},
	{GLC_SPV_Variable, 4, 2},
	{GLC_SPV_Function, 5, 2},
	{GLC_SPV_Decorate, 3, 0},
	{GLC_SPV_MemberDecorate, 4, 0},
};

static enum glacier_status malformed(struct glacier_diag *diag, uint32_t word, const char *what)
{
	return glc_fail(diag, GLC_DV_SPV_MALFORMED, 4 * (uint64_t)word, what);
}

/* Where a decoration keeps its number; NULL: it is not looked at. */
static uint32_t *number_of(struct glc_spv_marks *marks, uint32_t decoration)
{
	switch (decoration) {
	case GLC_SPV_DESCRIPTOR_SET: return &marks->set;
	case GLC_SPV_BINDING: return &marks->binding;
	case GLC_SPV_ARRAY_STRIDE: return &marks->stride;
	case GLC_SPV_SPEC_ID: return &marks->spec_id;
	case GLC_SPV_BUILT_IN: return &marks->built_in;
	default: return NULL;
	}
}

static enum glacier_status decorate(struct glc_spv_interface *m, uint32_t at, uint32_t count,
				    struct glacier_diag *diag)
{
	const uint32_t *inst = m->words + at;
	struct glc_spv_marks *marks;
	uint32_t *number;

	if (inst[1] >= m->bound)
		return malformed(diag, at, "a decoration names an id beyond the bound");
	marks = &m->marks[inst[1]];
	if (inst[2] == GLC_SPV_NON_WRITABLE)
		marks->non_writable = true;
	if (inst[2] == GLC_SPV_NON_READABLE)
		marks->non_readable = true;
	number = number_of(marks, inst[2]);
	if (!number)
		return GLACIER_OK;
	if (count < 4)
		return malformed(diag, at, "a decoration lacks its number");
	*number = inst[3];
	return GLACIER_OK;
}

static enum glacier_status decorate_member(struct glc_spv_interface *m, uint32_t at, uint32_t count,
					   struct glacier_diag *diag)
{
	const uint32_t *inst = m->words + at;
	struct glc_spv_member *member;

	if (inst[1] >= m->bound)
		return malformed(diag, at, "a decoration names an id beyond the bound");
	/* Accesses are often told of members instead of the variable. */
	if (inst[2] == 0 && inst[3] == GLC_SPV_NON_WRITABLE)
		m->marks[inst[1]].non_writable = true;
	if (inst[2] == 0 && inst[3] == GLC_SPV_NON_READABLE)
		m->marks[inst[1]].non_readable = true;
	if (inst[3] != GLC_SPV_OFFSET)
		return GLACIER_OK;
	if (count < 5)
		return malformed(diag, at, "a decoration lacks its number");
	member = GLC_PUSH(m->memory, &m->members);
	if (!member)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	*member = (struct glc_spv_member){inst[1], inst[2], inst[4]};
	return GLACIER_OK;
}

/* The string that ends an instruction ends in it. */
static bool has_string(const uint32_t *inst, uint32_t first, uint32_t count)
{
	return count > first && memchr(&inst[first], 0, (size_t)(count - first) * 4);
}

static enum glacier_status read_one(struct glc_spv_interface *m, uint32_t at, uint32_t count,
				    struct glacier_diag *diag)
{
	const uint32_t *inst = m->words + at;
	size_t row = 0;

	while (row < sizeof shapes / sizeof *shapes && shapes[row].op != glc_spv_op(inst))
		row++;
	if (row == sizeof shapes / sizeof *shapes)
		return GLACIER_OK;
	if (count < shapes[row].least)
		return malformed(diag, at, "an instruction lacks operands");
	if (shapes[row].result) {
		uint32_t id = inst[shapes[row].result];

		if (!id || id >= m->bound)
			return malformed(diag, at, "an id is 0, or not below the bound");
		if (m->marks[id].definition)
			return malformed(diag, at, "an id is given twice");
		m->marks[id].definition = at;
	}
	switch (glc_spv_op(inst)) {
	case GLC_SPV_EntryPoint:
		return has_string(inst, 3, count) ? GLACIER_OK : malformed(diag, at, "a name does not end");
	case GLC_SPV_Decorate: return decorate(m, at, count, diag);
	case GLC_SPV_MemberDecorate: return decorate_member(m, at, count, diag);
	default: return GLACIER_OK;
	}
}

static enum glacier_status read_all(struct glc_spv_interface *m, struct glacier_diag *diag)
{
	bool in_functions = false, open = false;

	for (uint32_t at = HEADER_WORDS, count; at < m->count; at += count) {
		enum glacier_status status = GLACIER_OK;

		count = m->words[at] >> 16;
		if (!count || count > m->count - at)
			return malformed(diag, at, "an instruction has no words, or more than the module");
		if ((m->words[at] & 0xffff) == GLC_SPV_Function && !in_functions) {
			in_functions = true;
			m->functions = at;
		}
		if ((m->words[at] & 0xffff) == GLC_SPV_Function || (m->words[at] & 0xffff) == GLC_SPV_FunctionEnd) {
			open = !open;
			if (open != ((m->words[at] & 0xffff) == GLC_SPV_Function))
				return malformed(diag, at, "a function begins in a function, or ends outside of one");
		}
		if (!in_functions || (m->words[at] & 0xffff) == GLC_SPV_Function)
			status = read_one(m, at, count, diag);
		if (status != GLACIER_OK)
			return status;
	}
	if (!in_functions || open)
		return malformed(diag, m->count, open ? "its last function does not end" : "there is no function");
	return GLACIER_OK;
}

enum glacier_status glc_spv_interface_read(struct glc_spv_interface *out, const void *code, size_t bytes,
					   struct glacier_memory *memory, struct glacier_diag *diag)
{
	struct glc_spv_interface m = {.memory = memory};
	uint32_t *words;

	if (bytes % 4 || bytes < 4 * HEADER_WORDS || bytes / 4 > UINT32_MAX / 8)
		return malformed(diag, 0, "its size is no whole number of words, or too small for a header");
	words = glc_bump(memory, bytes);
	if (!words)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	memcpy(words, code, bytes);
	if (words[0] != GLC_SPV_MAGIC)
		return malformed(diag, 0, words[0] == __builtin_bswap32(GLC_SPV_MAGIC)
						  ? "its words are in the other byte order"
						  : "it does not begin with 0x07230203");
	m.words = words;
	m.count = (uint32_t)(bytes / 4);
	m.functions = m.count;
	m.version = words[1];
	m.bound = words[3];
	if (!m.bound || m.bound > MOST_IDS)
		return malformed(diag, 3, "the bound of its ids is 0, or above 4194304");
	m.marks = glc_bump(memory, (size_t)m.bound * sizeof *m.marks);
	if (!m.marks)
		return glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
	for (uint32_t i = 0; i < m.bound; i++)
		m.marks[i] = (struct glc_spv_marks){
			0, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, false, false};
	*out = m;
	return read_all(out, diag);
}

/* --- Asking ---------------------------------------------------------------- */

const uint32_t *glc_spv_definition(const struct glc_spv_interface *m, uint32_t id, uint32_t op)
{
	const uint32_t *inst;

	if (id >= m->bound || !m->marks[id].definition)
		return NULL;
	inst = m->words + m->marks[id].definition;
	return glc_spv_op(inst) == op ? inst : NULL;
}

static bool is_compute(const uint32_t *inst)
{
	return glc_spv_op(inst) == GLC_SPV_EntryPoint && inst[1] == GLC_SPV_EXECUTION_MODEL_GLCOMPUTE;
}

const uint32_t *glc_spv_entry_point(const struct glc_spv_interface *m, const char *name)
{
	const uint32_t *inst;

	for (uint32_t at = HEADER_WORDS, count; (inst = glc_spv_next(m, &at, &count)) != NULL;)
		if (is_compute(inst) && !strcmp((const char *)&inst[3], name) &&
		    glc_spv_definition(m, inst[2], GLC_SPV_Function))
			return inst;
	return NULL;
}

void glc_spv_entry_names(const struct glc_spv_interface *m, char *text, size_t bytes)
{
	const uint32_t *inst;
	size_t used = 0;

	snprintf(text, bytes, "none");
	for (uint32_t at = HEADER_WORDS, count; (inst = glc_spv_next(m, &at, &count)) != NULL;)
		if (is_compute(inst) && used < bytes)
			used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? ", " : "",
						 (const char *)&inst[3]);
}

bool glc_spv_reaches(const struct glc_spv_interface *m, const uint32_t *entry, uint32_t variable)
{
	uint32_t count = entry[0] >> 16;
	uint32_t at = 3 + (uint32_t)strlen((const char *)&entry[3]) / 4 + 1;

	if (m->version < 0x00010400)
		return true;
	for (; at < count; at++)
		if (entry[at] == variable)
			return true;
	return false;
}

uint32_t glc_spv_width(const struct glc_spv_interface *m, uint32_t type, bool *is_float)
{
	const uint32_t *inst = glc_spv_definition(m, type, GLC_SPV_TypeInt);

	*is_float = !inst;
	if (!inst)
		inst = glc_spv_definition(m, type, GLC_SPV_TypeFloat);
	return inst ? inst[2] : 0;
}

void glc_spv_offsets(const struct glc_spv_interface *m, uint32_t structure, uint32_t *offsets, uint32_t count)
{
	memset(offsets, 0xff, count * sizeof *offsets);
	for (uint32_t i = 0; i < m->members.count; i++)
		if (m->members.at[i].id == structure && m->members.at[i].member < count)
			offsets[m->members.at[i].member] = m->members.at[i].offset;
}
