/* SPDX-License-Identifier: MIT */
/*
 * Memory, where more than a plain gather or scatter is to be had. Every index is compared
 * with the length: outside, a load gives 0, a store does nothing, and both are counted.
 */
#include "device/cpu_memory.h"

#include <string.h>

static bool is_on(const struct glc_frame *f, const struct glc_mask *m, u32 lane)
{
	return glc_is_full(f, m) || m->lanes[lane];
}

static u32 elem_bytes(const struct glc_step *s)
{
	return glc_types[s->type].bytes;
}

static u64 index_word(const struct glc_step *s, const union glc_word *word)
{
	return s->flags & GLC_FLAG_INDEX64 ? word->u64 : word->u32;
}

static u64 index_of(const struct glc_step *s, const struct glc_frame *f, u32 operand, u32 lane)
{
	if (s->flags & GLC_FLAG_INDEX_WORD)
		return index_word(s, &f->words[operand]);
	return s->flags & GLC_FLAG_INDEX64 ? ((const u64 *)f->reg[operand])[lane]
					   : ((const u32 *)f->reg[operand])[lane];
}

static union glc_word value_of(const struct glc_step *s, const struct glc_frame *f, u32 lane)
{
	union glc_word value = {0};

	if (s->flags & GLC_FLAG_WORD)
		return f->words[s->a];
	if (elem_bytes(s) == 8)
		value.u64 = ((const u64 *)f->reg[s->a])[lane];
	else
		value.u32 = ((const u32 *)f->reg[s->a])[lane];
	return value;
}

static void put(unsigned char *at, union glc_word value, u32 bytes)
{
	if (bytes == 8)
		*(u64 *)at = value.u64;
	else
		*(u32 *)at = value.u32;
}

static union glc_word get(const unsigned char *at, u32 bytes)
{
	return bytes == 8 ? (union glc_word){.u64 = *(const u64 *)at}
			  : (union glc_word){.u64 = *(const u32 *)at};
}

/* The result of a step that goes lane by lane. */
static void set_result(const struct glc_step *s, struct glc_frame *f, u32 lane, union glc_word value)
{
	if (s->flags & GLC_FLAG_RESULT_WORD)
		f->words[s->d] = value;
	else
		put((unsigned char *)f->reg[s->d] + (size_t)lane * elem_bytes(s), value, elem_bytes(s));
}

/* --- One place for all lanes ---------------------------------------------- */

void glc_cpu_load_word(const struct glc_step *s, struct glc_frame *f)
{
	const struct glc_bound *object = &f->objects[s->object];
	u64 index = index_word(s, &f->words[s->a]);

	if (index < object->length) {
		f->words[s->d] = get(object->at + index * elem_bytes(s), elem_bytes(s));
		return;
	}
	f->words[s->d].u64 = 0;
	f->out_of_bounds += f->masks[s->mask].count;
}

/* All lanes store to one place: the last one's value stays. */
void glc_cpu_store_word(const struct glc_step *s, struct glc_frame *f)
{
	const struct glc_bound *object = &f->objects[s->object];
	const struct glc_mask *m = &f->masks[s->mask];
	u64 index = index_word(s, &f->words[s->c]);
	u32 lane = f->n - 1;

	if (index >= object->length) {
		f->out_of_bounds += m->count;
		return;
	}
	while (!is_on(f, m, lane))
		lane--;
	put(object->at + index * elem_bytes(s), value_of(s, f, lane), elem_bytes(s));
}

/* --- Lane by lane the next place ------------------------------------------ */

static bool is_row(const struct glc_step *s, const struct glc_frame *f, u32 first)
{
	/* The indices may not wrap: they are u32. */
	return s->stride == 1 && glc_is_full(f, &f->masks[s->mask]) && first <= UINT32_MAX - (f->n - 1) &&
	       (u64)first + f->n <= f->objects[s->object].length;
}

static void spell_indices(const struct glc_step *s, struct glc_frame *f, u32 first)
{
	u32 *index = f->reg[s->b];

	for (u32 i = 0; i < f->np; i++)
		index[i] = first + (u32)s->stride * i;
}

/*
 * A row that a later tile asks for: hardware sees no pattern in short rows. The next one would be asked for before
 * it is there; of 1 to 12 rows ahead 2 to 6 are alike, and up to a fifth faster than 1 and 12.
 */
enum { ROWS_AHEAD = 3 };

static void fetch_ahead(const struct glc_step *s, const struct glc_frame *f, const unsigned char *at)
{
	size_t bytes = (size_t)f->n * elem_bytes(s);

	for (size_t i = 0; i < bytes; i += 64)
		__builtin_prefetch(at + ROWS_AHEAD * bytes + i);
}

void glc_cpu_load_row(const struct glc_step *s, struct glc_frame *f)
{
	const struct glc_bound *object = &f->objects[s->object];
	u32 first = f->words[s->a].u32;
	unsigned char *at = object->at + (size_t)first * elem_bytes(s);

	if (s->flags & GLC_FLAG_ALIAS)
		f->reg[s->c] = f->reg[s->d];
	if (!is_row(s, f, first)) {
		spell_indices(s, f, first);
		s->lanes(s, f);
	} else if ((s->flags & GLC_FLAG_ALIAS) && (u64)first + f->np <= object->length) {
		f->reg[s->c] = at;
		fetch_ahead(s, f, at);
	} else {
		memcpy(f->reg[s->d], at, (size_t)f->n * elem_bytes(s));
	}
}

/* Loads that stand for memory lie on these lanes or apart: lane on lane what is read is read before it is written. */
static bool is_apart(const struct glc_frame *f, const unsigned char *at, size_t bytes)
{
	for (u32 r = f->program->slot_count; r < f->program->reg_count; r++) {
		const unsigned char *other = f->reg[r];

		if (other != at && other < at + bytes && at < other + GLC_TILE * sizeof(u64))
			return false;
	}
	return true;
}

void glc_cpu_aim_row(const struct glc_step *s, struct glc_frame *f)
{
	u32 first = f->words[s->a].u32;
	unsigned char *at = f->objects[s->object].at + (size_t)first * elem_bytes(s);
	bool whole = f->n == f->np && is_row(s, f, first) && is_apart(f, at, (size_t)f->n * elem_bytes(s));

	f->reg[s->c] = whole ? at : f->reg[s->d];
}

void glc_cpu_store_row(const struct glc_step *s, struct glc_frame *f)
{
	const struct glc_bound *object = &f->objects[s->object];
	u32 first = f->words[s->c].u32;
	unsigned char *at = object->at + (size_t)first * elem_bytes(s);

	if (!is_row(s, f, first)) {
		spell_indices(s, f, first);
		s->lanes(s, f);
	} else if (!(s->flags & GLC_FLAG_WORD)) {
		if (f->reg[s->a] != at)
			memmove(at, f->reg[s->a], (size_t)f->n * elem_bytes(s));
	} else {
		for (u32 i = 0; i < f->n; i++)
			put(at + (size_t)i * elem_bytes(s), f->words[s->a], elem_bytes(s));
	}
}

/* --- Atomics -------------------------------------------------------------- */

static u32 add_f32(u32 *at, f32 value)
{
	union glc_word old = {.u32 = __atomic_load_n(at, __ATOMIC_RELAXED)}, sum;

	do
		sum.f32 = old.f32 + value;
	while (!__atomic_compare_exchange_n(at, &old.u32, sum.u32, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	return old.u32;
}

void glc_cpu_atomic(const struct glc_step *s, struct glc_frame *f)
{
	const struct glc_bound *object = &f->objects[s->object];
	const struct glc_mask *m = &f->masks[s->mask];
	u32 *base = (u32 *)object->at;

	for (u32 i = 0; i < f->n; i++) {
		union glc_word value, old = {0};
		u64 index;

		if (!is_on(f, m, i))
			continue;
		index = index_of(s, f, s->b, i);
		value = value_of(s, f, i);
		if (index >= object->length)
			f->out_of_bounds++;
		else if (s->type == GLC_F32)
			old.u32 = add_f32(&base[index], value.f32);
		else
			old.u32 = __atomic_fetch_add(&base[index], value.u32, __ATOMIC_ACQ_REL);
		if (!(s->flags & GLC_FLAG_UNUSED))
			set_result(s, f, i, old);
	}
}

/* --- Private arrays: element by element, each with all lanes --------------- */

static unsigned char *local_row(const struct glc_step *s, const struct glc_frame *f, u64 index)
{
	return f->locals + f->program->objects[s->object].offset + index * GLC_TILE * elem_bytes(s);
}

static void load_local_row(const struct glc_step *s, struct glc_frame *f)
{
	u64 index = index_word(s, &f->words[s->b]);
	bool inside = index < f->objects[s->object].length;
	unsigned char *at = local_row(s, f, inside ? index : 0);

	if (!inside)
		f->out_of_bounds += f->masks[s->mask].count;
	if (s->flags & GLC_FLAG_ALIAS)
		f->reg[s->c] = inside ? (void *)at : f->reg[s->d];
	if (!inside)
		memset(f->reg[s->d], 0, (size_t)f->np * elem_bytes(s));
	else if (!(s->flags & GLC_FLAG_ALIAS))
		memcpy(f->reg[s->d], at, (size_t)f->np * elem_bytes(s));
}

void glc_cpu_load_local(const struct glc_step *s, struct glc_frame *f)
{
	const struct glc_mask *m = &f->masks[s->mask];
	u32 bytes = elem_bytes(s);

	if ((s->flags & GLC_FLAG_INDEX_WORD) && !(s->flags & GLC_FLAG_RESULT_WORD)) {
		load_local_row(s, f);
		return;
	}
	for (u32 i = 0; i < f->n; i++) {
		u64 index = index_of(s, f, s->b, i);
		bool inside = index < f->objects[s->object].length;

		if (!inside)
			f->out_of_bounds += is_on(f, m, i);
		set_result(s, f, i, inside ? get(local_row(s, f, index) + (size_t)i * bytes, bytes)
					   : (union glc_word){0});
	}
}

void glc_cpu_store_local(const struct glc_step *s, struct glc_frame *f)
{
	const struct glc_mask *m = &f->masks[s->mask];
	u32 bytes = elem_bytes(s);

	if ((s->flags & GLC_FLAG_INDEX_WORD) && !(s->flags & GLC_FLAG_WORD) && glc_is_full(f, m) &&
	    index_word(s, &f->words[s->b]) < f->objects[s->object].length) {
		memmove(local_row(s, f, index_word(s, &f->words[s->b])), f->reg[s->a], (size_t)f->n * bytes);
		return;
	}
	for (u32 i = 0; i < f->n; i++) {
		u64 index;

		if (!is_on(f, m, i))
			continue;
		index = index_of(s, f, s->b, i);
		if (index < f->objects[s->object].length)
			put(local_row(s, f, index) + (size_t)i * bytes, value_of(s, f, i), bytes);
		else
			f->out_of_bounds++;
	}
}
