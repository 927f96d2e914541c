/* SPDX-License-Identifier: MIT */
/* Types, constants and the joining of sections. */
#include "spirv/module.h"

#include "base/buf.h"
#include "base/watch.h"
#include "spirv/spirv.h"

#include <string.h>

void sp_put_string(struct sp *sp, sp_words *section, uint32_t op, const uint32_t *words, uint32_t n,
		   const char *text, uint32_t bytes)
{
	uint32_t text_words = bytes / 4 + 1;
	uint32_t *at;

	if (!GLC_RESERVE(sp->memory, section, 1 + n + text_words)) {
		sp->failed = true;
		return;
	}
	at = section->at + section->count;
	section->count += 1 + n + text_words;
	at[0] = (1 + n + text_words) << 16 | op;
	for (uint32_t i = 0; i < n; i++)   /* words may be NULL */
		at[1 + i] = words[i];
	at += 1 + n;
	at[text_words - 1] = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(at, text, bytes);
#else
	/* Characters fill a word from its low byte, whatever the machine (SPIR-V, 2.2.1). */
	memset(at, 0, text_words * sizeof *at);
	for (uint32_t i = 0; i < bytes; i++)
		at[i / 4] |= (uint32_t)(unsigned char)text[i] << i % 4 * 8;
#endif
}

void sp_decorate(struct sp *sp, uint32_t id, enum glc_spv_decoration decoration)
{
	uint32_t *at = sp_put(sp, &sp->decorations, GLC_SPV_Decorate, 3);

	at[1] = id;
	at[2] = decoration;
}

void sp_decorate1(struct sp *sp, uint32_t id, enum glc_spv_decoration decoration, uint32_t value)
{
	uint32_t *at = sp_put(sp, &sp->decorations, GLC_SPV_Decorate, 4);

	at[1] = id;
	at[2] = decoration;
	at[3] = value;
}

/* --- Types --------------------------------------------------------------- */

uint32_t sp_make_type(struct sp *sp, enum glc_type type)
{
	uint32_t id = sp_id(sp), *at;

	type = sp_plain(type);

	if (type == GLC_BOOL) {
		at = sp_put(sp, &sp->types, GLC_SPV_TypeBool, 2);
		at[1] = id;
	} else if (glc_is_float(type)) {
		at = sp_put(sp, &sp->types, GLC_SPV_TypeFloat, 3);
		at[1] = id;
		at[2] = glc_bits(type);
		if (type == GLC_F64)
			sp_capability(sp, GLC_SPV_CAP_FLOAT64);
	} else {
		at = sp_put(sp, &sp->types, GLC_SPV_TypeInt, 4);
		at[1] = id;
		at[2] = glc_bits(type);
		at[3] = 0;
		if (glc_bits(type) == 64)
			sp_capability(sp, GLC_SPV_CAP_INT64);
	}
	/* Both signs, so that looking one up takes no more. */
	sp->types_by_type[type] = id;
	if (glc_is_int(type))
		sp->types_by_type[type & ~1u] = id;
	return id;
}

static uint32_t vector(struct sp *sp, uint32_t *id, uint32_t lanes)
{
	uint32_t element, *at;

	if (*id)
		return *id;
	element = sp_type(sp, GLC_U32);
	*id = sp_id(sp);
	at = sp_put(sp, &sp->types, GLC_SPV_TypeVector, 4);
	at[1] = *id;
	at[2] = element;
	at[3] = lanes;
	return *id;
}

uint32_t sp_vector3(struct sp *sp)
{
	return vector(sp, &sp->type_vector, 3);
}

uint32_t sp_vector4(struct sp *sp)
{
	return vector(sp, &sp->type_vector4, 4);
}

uint32_t sp_file(struct sp *sp, const char *name)
{
	struct sp_file *file;
	uint32_t id;

	if (!name)
		name = "<stdin>";
	for (uint32_t i = 0; i < sp->files.count; i++)
		if (!strcmp(sp->files.at[i].name, name))
			return sp->files.at[i].id;
	file = GLC_PUSH(sp->memory, &sp->files);
	if (!file) {
		sp->failed = true;
		return 0;
	}
	id = sp_id(sp);
	*file = (struct sp_file){name, id};
	sp_put_string(sp, &sp->debug, GLC_SPV_String, &id, 1, name, (uint32_t)strlen(name));
	return id;
}

uint32_t sp_pair(struct sp *sp)
{
	uint32_t member, *at;

	if (sp->type_pair)
		return sp->type_pair;
	member = sp_type(sp, GLC_U32);
	sp->type_pair = sp_id(sp);
	at = sp_put(sp, &sp->types, GLC_SPV_TypeStruct, 4);
	at[1] = sp->type_pair;
	at[2] = at[3] = member;
	return sp->type_pair;
}

static uint32_t make_pointer(struct sp *sp, enum glc_spv_storage storage, uint32_t to)
{
	uint32_t id = sp_id(sp), *at = sp_put(sp, &sp->types, GLC_SPV_TypePointer, 4);

	at[1] = id;
	at[2] = storage;
	at[3] = to;
	return id;
}

uint32_t sp_pointer(struct sp *sp, enum glc_spv_storage storage, enum glc_type type)
{
	uint32_t to;

	type = sp_plain(type);
	if (!sp->pointers[storage][type]) {
		to = sp_type(sp, type);
		sp->pointers[storage][type] = make_pointer(sp, storage, to);
	}
	return sp->pointers[storage][type];
}

uint32_t sp_undef(struct sp *sp, enum glc_type type)
{
	uint32_t of, *at;

	type = sp_plain(type);
	if (sp->undefs[type])
		return sp->undefs[type];
	of = sp_type(sp, type);
	sp->undefs[type] = sp_id(sp);
	at = sp_put(sp, &sp->types, GLC_SPV_Undef, 3);
	at[1] = of;
	at[2] = sp->undefs[type];
	return sp->undefs[type];
}

/* --- Constants ----------------------------------------------------------- */

static uint32_t make_const(struct sp *sp, enum glc_type type, uint64_t bits)
{
	uint32_t of = sp_type(sp, type), id = sp_id(sp), *at;
	bool wide = glc_bits(type) == 64;

	if (type == GLC_BOOL) {
		at = sp_put(sp, &sp->types, bits ? GLC_SPV_ConstantTrue : GLC_SPV_ConstantFalse, 3);
	} else {
		at = sp_put(sp, &sp->types, GLC_SPV_Constant, wide ? 5 : 4);
		at[3] = (uint32_t)bits;
		if (wide)
			at[4] = (uint32_t)(bits >> 32);
	}
	at[1] = of;
	at[2] = id;
	return id;
}

static inline uint32_t const_slot(const struct sp *sp, enum glc_type type, uint64_t bits)
{
	return (uint32_t)((bits ^ type) * 0x9e3779b97f4a7c15u >> 40) & sp->shared_mask;
}

static void grow_shared(struct sp *sp)
{
	uint32_t old_size = sp->shared_mask + 1, slot;
	struct sp_const *old = sp->shared;
	struct sp_const *grown = glc_bump_zero(sp->memory, (size_t)old_size * 4 * sizeof *grown);

	if (!grown) {
		sp->failed = true;
		sp->shared_count = 0;   /* the table is full: nothing of it matters any more */
		memset(old, 0, old_size * sizeof *old);
		return;
	}
	sp->shared = grown;
	sp->shared_mask = old_size * 4 - 1;
	for (uint32_t i = 0; i < old_size; i++) {
		if (!old[i].id)
			continue;
		slot = const_slot(sp, old[i].type, old[i].bits);
		while (grown[slot].id)
			slot = (slot + 1) & sp->shared_mask;
		grown[slot] = old[i];
	}
}

/* i32 and u32 of the same bits are one constant here, so the IR's numbering does not suffice. */
uint32_t sp_const_bits(struct sp *sp, enum glc_type type, uint64_t bits)
{
	struct sp_const *at;
	uint32_t slot, id;

	type = sp_plain(type);
	slot = const_slot(sp, type, bits);
	for (; (at = &sp->shared[slot])->id; slot = (slot + 1) & sp->shared_mask)
		if (at->bits == bits && at->type == type)
			return at->id;
	id = make_const(sp, type, bits);
	*at = (struct sp_const){bits, type, id};
	if (++sp->shared_count > sp->shared_mask / 2)
		grow_shared(sp);
	return id;
}

uint32_t sp_const_u32(struct sp *sp, uint32_t value)
{
	return sp_const_bits(sp, GLC_U32, value);
}

uint32_t sp_const(struct sp *sp, glc_value value)
{
	uint32_t index = value & ~GLC_CONST_BIT;

	if (!sp->consts[index])
		sp->consts[index] = sp_const_bits(sp, sp->ir->consts[index].type, sp->ir->consts[index].bits);
	return sp->consts[index];
}

uint32_t sp_glsl(struct sp *sp)
{
	if (!sp->glsl)
		sp->glsl = sp_id(sp);
	return sp->glsl;
}

uint32_t sp_built_in(struct sp *sp, enum sp_built_in which)
{
	static const uint8_t numbers[SP_BUILT_IN_COUNT] = {
		[SP_GLOBAL_ID] = GLC_SPV_GLOBAL_INVOCATION_ID,
		[SP_LOCAL_ID] = GLC_SPV_LOCAL_INVOCATION_ID,
		[SP_GROUP_ID] = GLC_SPV_WORKGROUP_ID,
		[SP_GROUP_COUNT] = GLC_SPV_NUM_WORKGROUPS,
		[SP_LOCAL_INDEX] = GLC_SPV_LOCAL_INVOCATION_INDEX,
		[SP_SUBGROUP_SIZE] = GLC_SPV_SUBGROUP_SIZE,
		[SP_SUBGROUP_ID] = GLC_SPV_SUBGROUP_ID,
		[SP_LANE_ID] = GLC_SPV_SUBGROUP_LOCAL_INVOCATION_ID,
	};
	uint32_t type, *at;

	sp->used_built_ins |= 1u << which;
	if (sp->built_ins[which])
		return sp->built_ins[which];
	if (which >= SP_LOCAL_INDEX) {
		type = sp_pointer(sp, GLC_SPV_INPUT, GLC_U32);
	} else {
		if (!sp->vector_pointer) {
			uint32_t vector = sp_vector3(sp);

			sp->vector_pointer = make_pointer(sp, GLC_SPV_INPUT, vector);
		}
		type = sp->vector_pointer;
	}
	if (which >= SP_SUBGROUP_SIZE)
		sp_capability(sp, GLC_SPV_CAP_GROUP_NON_UNIFORM);
	sp->built_ins[which] = sp_id(sp);
	at = sp_put(sp, &sp->types, GLC_SPV_Variable, 4);
	at[1] = type;
	at[2] = sp->built_ins[which];
	at[3] = GLC_SPV_INPUT;
	sp_decorate1(sp, sp->built_ins[which], GLC_SPV_BUILT_IN, numbers[which]);
	return sp->built_ins[which];
}

/* --- The module ---------------------------------------------------------- */

/* Stores the words of a section; gives the place behind them. */
static unsigned char *append(unsigned char *at, const uint32_t *words, uint32_t count)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (count)   /* words may be NULL otherwise */
		memcpy(at, words, (size_t)count * 4);
#else
	for (uint32_t i = 0; i < count; i++) {
		uint32_t word = __builtin_bswap32(words[i]);

		memcpy(at + (size_t)i * 4, &word, 4);
	}
#endif
	return at + (size_t)count * 4;
}

static void extension(struct sp *sp, sp_words *head, const char *name)
{
	sp_put_string(sp, head, GLC_SPV_Extension, NULL, 0, name, (uint32_t)strlen(name));
}

static void join(struct sp *sp, struct glacier_buffer *buffer, bool *good)
{
	const struct glacier_target *target = sp->input->target;
	sp_words head = {0};
	enum { SECTIONS = 8 };
	const sp_words *sections[SECTIONS] = {&head,      &sp->entry,       &sp->modes, &sp->debug,
					      &sp->names, &sp->decorations, &sp->types, &sp->code};
	struct glc_writer w;
	size_t words = 0;
	uint32_t *at;

	GLC_PRESIZE(sp->memory, &head, 32);
	at = sp_put(sp, &head, 0, 5);
	at[0] = GLC_SPV_MAGIC;
	at[1] = (uint32_t)target->major << 16 | (uint32_t)target->minor << 8;
	at[2] = 0;
	at[3] = sp->next_id;
	at[4] = 0;
	for (uint32_t set = 0; set < 2; set++)
		for (uint64_t left = sp->capabilities[set]; left; left &= left - 1)
			sp_put(sp, &head, GLC_SPV_Capability, 2)[1] =
				set * 64 + (uint32_t)__builtin_ctzll(left);
	if (sp->float_controls)
		sp_put(sp, &head, GLC_SPV_Capability, 2)[1] = GLC_SPV_CAP_SIGNED_ZERO_INF_NAN_PRESERVE;
	if (sp->atomic_float)
		sp_put(sp, &head, GLC_SPV_Capability, 2)[1] = GLC_SPV_CAP_ATOMIC_FLOAT32_ADD;
	if (sp->float_controls && target->minor < 4)
		extension(sp, &head, "SPV_KHR_float_controls");
	if (sp->atomic_float)
		extension(sp, &head, "SPV_EXT_shader_atomic_float_add");
	if (sp->glsl)
		sp_put_string(sp, &head, GLC_SPV_ExtInstImport, &sp->glsl, 1, "GLSL.std.450", 12);
	at = sp_put(sp, &head, GLC_SPV_MemoryModel, 3);
	at[1] = 0;   /* Logical */
	at[2] = 1;   /* GLSL450 */

	for (size_t i = 0; i < SECTIONS; i++)
		words += sections[i]->count;
	glc_writer_begin(&w, buffer);
	glc_need(&w, words * 4);
	for (size_t i = 0; i < SECTIONS && !w.failed; i++)
		w.at = append(w.at, sections[i]->at, sections[i]->count);
	*good = glc_writer_end(&w) && !sp->failed;
}

enum { FIRST_CONSTS = 32 };

/* In all sections: what a kernel is the first to need counts as its own. */
static uint64_t written(const struct sp *sp)
{
	return 4 * ((uint64_t)sp->entry.count + sp->modes.count + sp->debug.count + sp->names.count +
		    sp->decorations.count + sp->types.count + sp->code.count);
}

enum glacier_status glc_spirv_write(const struct glc_backend_input *input,
				    struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	const struct glc_ir *ir = input->ir;
	struct sp sp = {
		.input = input,
		.ir = ir,
		.memory = input->memory,
		.diag = diag,
		.next_id = 1,
	};
	uint32_t errors = diag->errors;
	bool good;

	sp.shared = glc_bump_zero(sp.memory, FIRST_CONSTS * sizeof *sp.shared);
	sp.shared_mask = FIRST_CONSTS - 1;
	sp.consts = glc_bump_zero(sp.memory, ((size_t)ir->const_count + 1) * sizeof *sp.consts);
	if (!sp.shared || !sp.consts)
		return glc_fail(diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	sp_capability(&sp, GLC_SPV_CAP_SHADER);
	GLC_PRESIZE(sp.memory, &sp.entry, 32);
	GLC_PRESIZE(sp.memory, &sp.modes, 16);
	GLC_PRESIZE(sp.memory, &sp.decorations, 128);
	GLC_PRESIZE(sp.memory, &sp.types, 256);
	GLC_PRESIZE(sp.memory, &sp.code, 256);
	GLC_PRESIZE(sp.memory, &sp.frames, 4);
	for (uint32_t i = 0; i < ir->kernel_count && !sp.failed; i++) {
		struct glc_watch watch = glc_watch_start(input->options->stats);
		uint64_t begun = watch.stats ? written(&sp) : 0;

		sp.kernel = &ir->kernels[i];
		sp.function = sp_id(&sp);
		sp.used_built_ins = 0;
		if (!sp_declare_objects(&sp))
			break;
		sp_body(&sp);
		sp_declare_entry(&sp);
		glc_watch_stop_kernel(&watch, GLACIER_PHASE_WRITE, input->target, sp.kernel, written(&sp) - begun);
	}
	if (diag->errors > errors)
		return GLACIER_ERR_LIMIT;
	join(&sp, buffer, &good);
	return good && !sp.failed ? GLACIER_OK : glc_fail(diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
}
