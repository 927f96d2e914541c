/* SPDX-License-Identifier: MIT */
/*
 * Running a program over one tile. Steps on words are done here, each jumping to the next
 * one's code; steps on registers call their loop. Offsets between labels, not addresses,
 * stand in the table of jumps, so that it costs no relocations.
 */
#include "device/cpu_math.h"
#include "device/cpu_memory.h"

#include <string.h>

/* --- Ids ------------------------------------------------------------------ */

struct place {
	u32 local[3], group[3], index;
};

static void begin_place(const struct glc_frame *f, struct place *p)
{
	const struct glc_cpu_program *program = f->program;
	const uint32_t *size = program->workgroup;
	u64 group;

	memcpy(p->group, f->group, sizeof p->group);
	switch (program->layout) {
	case GLC_LAYOUT_ROWS:
		p->group[0] = (u32)(f->first / size[0]);
		p->index = p->local[0] = (u32)(f->first % size[0]);
		p->local[1] = p->local[2] = 0;
		return;
	case GLC_LAYOUT_PACKED:
		group = f->first / program->lanes;
		p->index = (u32)(f->first % program->lanes);
		p->group[0] = (u32)(group % f->groups[0]);
		p->group[1] = (u32)(group / f->groups[0] % f->groups[1]);
		p->group[2] = (u32)(group / f->groups[0] / f->groups[1]);
		break;
	case GLC_LAYOUT_GROUPS:
		p->index = (u32)f->first;
		break;
	}
	p->local[0] = p->index % size[0];
	p->local[1] = p->index / size[0] % size[1];
	p->local[2] = p->index / size[0] / size[1];
}

/* To the next lane: no divisions. */
static void next_place(const struct glc_frame *f, struct place *p)
{
	const uint32_t *size = f->program->workgroup;

	p->index++;
	for (int d = 0; d < 3; d++) {
		if (++p->local[d] < size[d])
			return;
		p->local[d] = 0;
	}
	p->index = 0;
	for (int d = 0; d < 3; d++) {
		if (++p->group[d] < f->groups[d])
			return;
		p->group[d] = 0;
	}
}

static u32 id(const struct glc_frame *f, const struct place *p, uint16_t op, int32_t d)
{
	switch (op) {
	case GLC_OP_GroupId: return p->group[d];
	case GLC_OP_LocalId: return p->local[d];
	case GLC_OP_GlobalId: return p->group[d] * f->program->workgroup[d] + p->local[d];
	case GLC_OP_SubgroupId: return p->index / f->program->subgroup;
	case GLC_OP_LaneId: return p->index % f->program->subgroup;
	default: return p->index;
	}
}

static void id_lanes(const struct glc_step *s, struct glc_frame *f)
{
	u32 *d = f->reg[s->d];
	struct place p;

	begin_place(f, &p);
	for (u32 i = 0; i < f->n; i++) {
		d[i] = id(f, &p, s->object, s->stride);
		next_place(f, &p);
	}
}

/* --- Ranges --------------------------------------------------------------- */

static bool compare(uint16_t op, i64 a, i64 b)
{
	switch (op) {
	case GLC_OP_Eq: return a == b;
	case GLC_OP_Ne: return a != b;
	case GLC_OP_Lt: return a < b;
	case GLC_OP_Le: return a <= b;
	case GLC_OP_Gt: return a > b;
	default: return a >= b;
	}
}

/* Values that grow: a comparison is decided where both ends agree and b lies not between them. */
static void range(const struct glc_step *s, struct glc_frame *f)
{
	bool is_signed = s->type == GLC_I32;
	i64 a = is_signed ? (i64)f->words[s->a].i32 : (i64)f->words[s->a].u32;
	i64 b = is_signed ? (i64)f->words[s->b].i32 : (i64)f->words[s->b].u32;
	i64 last = a + (i64)s->stride * (f->n - 1);
	u32 summary = GLC_SOME_LANES;
	bool first = compare(s->object, a, b);
	u32 *d = f->reg[s->d];

	if (last <= (is_signed ? INT32_MAX : (i64)UINT32_MAX) && first == compare(s->object, last, b) &&
	    ((s->object != GLC_OP_Eq && s->object != GLC_OP_Ne) || a == last || b < a || b > last))
		summary = first ? GLC_ALL_LANES : GLC_NO_LANE;
	f->words[s->c].u32 = summary;
	if (summary != GLC_SOME_LANES && !(s->flags & GLC_FLAG_NEEDED))
		return;
	for (u32 i = 0; i < f->np; i++) {
		u32 value = f->words[s->a].u32 + (u32)s->stride * i;

		d[i] = BOOL(compare(s->object, is_signed ? (i64)(i32)value : (i64)value, b));
	}
}

/* --- Masks ---------------------------------------------------------------- */

static void copy_mask(const struct glc_frame *f, struct glc_mask *to, const struct glc_mask *from)
{
	to->count = from->count;
	if (from->count && from->count != f->n)
		memcpy(to->lanes, from->lanes, f->np * sizeof *to->lanes);
}

/* Writes out a mask whose lanes were not looked at so far. */
static void spell_out(const struct glc_frame *f, struct glc_mask *m)
{
	if (m->count == f->n)
		for (u32 i = 0; i < f->np; i++)
			m->lanes[i] = BOOL(i < f->n);
}

/* Those of `more`, none of which is in m yet. */
static void add_mask(const struct glc_frame *f, struct glc_mask *m, const struct glc_mask *more)
{
	if (!more->count)
		return;
	if (!m->count) {
		copy_mask(f, m, more);
		return;
	}
	for (u32 i = 0; i < f->np; i++)
		m->lanes[i] |= more->lanes[i];
	m->count += more->count;
}

static void split(const struct glc_step *s, struct glc_frame *f)
{
	struct glc_mask *yes = &f->masks[s->d], *no = &f->masks[s->c];
	const struct glc_mask *m = &f->masks[s->mask];
	u32 summary = s->flags & GLC_FLAG_SUMMARY ? f->words[s->b].u32 : GLC_SOME_LANES;

	if (summary == GLC_SOME_LANES) {
		s->lanes(s, f);
		yes->count = f->count;
		no->count = m->count - f->count;
		return;
	}
	yes->count = no->count = 0;
	copy_mask(f, summary == GLC_ALL_LANES ? yes : no, m);
}

static void end_if(const struct glc_step *s, struct glc_frame *f)
{
	const struct glc_mask *yes = &f->masks[s->d], *no = &f->masks[s->c];
	struct glc_mask *m = &f->masks[s->mask];

	if (yes->count + no->count == m->count)
		return;
	copy_mask(f, m, yes);
	add_mask(f, m, no);
}

static void remove_mask(const struct glc_frame *f, struct glc_mask *m, const struct glc_mask *gone)
{
	bool all = gone->count == f->n;

	spell_out(f, m);
	for (u32 i = 0; i < f->np; i++)
		m->lanes[i] &= all ? 0 : ~gone->lanes[i];
	m->count -= gone->count;
}

/* Behind a loop: without those that have returned inside it. */
static void drop_returned(const struct glc_frame *f, struct glc_mask *m)
{
	const struct glc_mask *here = &f->masks[1];
	u32 count = 0;

	if (here->count == f->n)
		return;
	spell_out(f, m);
	for (u32 i = 0; i < f->np; i++) {
		m->lanes[i] &= here->count ? here->lanes[i] : 0;
		count += m->lanes[i] & 1;
	}
	m->count = count;
}

/* --- Copies --------------------------------------------------------------- */

#define COPY(T, bits)                                                                   \
	static void copy##bits(const struct glc_step *s, struct glc_frame *f)           \
	{                                                                               \
		const struct glc_mask *m = &f->masks[s->mask];                          \
		T *d = f->reg[s->d];                                                    \
		if (!(s->flags & GLC_FLAG_PLAIN) && !glc_is_full(f, m)) {               \
			s->lanes(s, f);                                                 \
		} else if (s->flags & GLC_FLAG_WORD) {                                  \
			for (u32 i = 0; i < f->np; i++)                                 \
				d[i] = f->words[s->a].T;                                \
		} else {                                                                \
			memmove(d, f->reg[s->a], f->np * sizeof *d);                    \
		}                                                                       \
	}
COPY(u32, 32)
COPY(u64, 64)
#undef COPY

/* --- The steps ------------------------------------------------------------ */

bool glc_cpu_run(struct glc_frame *f)
{
	static const int32_t jumps[GLC_STEP_COUNT] = {
#define OP1(name, ...) [GLC_STEP_##name] = (int32_t)((char *)&&at_##name - (char *)&&at_LANES),
#define OP2 OP1
#define OP3 OP1
#include "device/cpu_ops.def"
#undef OP1
#undef OP2
#undef OP3
#define OP1(...)
#define OP2(...)
#define OP3(...)
#define COMPARE(name, ...) [GLC_STEP_UNLESS_##name] = (int32_t)((char *)&&at_UNLESS_##name - (char *)&&at_LANES),
#include "device/cpu_ops.def"
#undef OP1
#undef OP2
#undef OP3
#define X(name) [GLC_STEP_##name] = (int32_t)((char *)&&at_##name - (char *)&&at_LANES),
		GLC_STEPS(X)
#undef X
	};
	const struct glc_step *const steps = f->program->steps, *s = steps + f->pc;
	union glc_word *const words = f->words;
	struct glc_mask *const masks = f->masks;

#define GO goto *(void *)((char *)&&at_LANES + jumps[s->code])
#define NEXT    \
	do {    \
		s++; \
		GO; \
	} while (0)
#define GO_TO(index)               \
	do {                       \
		s = steps + (index); \
		GO;                \
	} while (0)
#define GO_IF(condition) GO_TO((condition) ? s->target : (uint32_t)(s - steps) + 1)

	GO;

#define OP1(name, R, A, expression)         \
	at_##name : {                       \
		const A a = words[s->a].A;  \
		words[s->d].R = (R)(expression); \
	}                                   \
	NEXT;
#define OP2(name, R, A, B, expression)      \
	at_##name : {                       \
		const A a = words[s->a].A;  \
		const B b = words[s->b].B;  \
		words[s->d].R = (R)(expression); \
	}                                   \
	NEXT;
#define OP3(name, R, A, B, C, expression)   \
	at_##name : {                       \
		const A a = words[s->a].A;  \
		const B b = words[s->b].B;  \
		const C c = words[s->c].C;  \
		words[s->d].R = (R)(expression); \
	}                                   \
	NEXT;
#include "device/cpu_ops.def"
#undef OP1
#undef OP2
#undef OP3

at_LANES:
	s->lanes(s, f);
	NEXT;
at_MOVE32:
	words[s->d].u32 = words[s->a].u32;
	NEXT;
at_MOVE64:
	words[s->d].u64 = words[s->a].u64;
	NEXT;
at_MOVE_PAIR:
	words[s->d].u32 = words[s->a].u32;
	words[s->c].u32 = words[s->b].u32;
	NEXT;
at_COPY32:
	copy32(s, f);
	NEXT;
at_COPY64:
	copy64(s, f);
	NEXT;
at_ID: {
	struct place p;

	/* The commonest, where lanes are counted by it: divisions take as long as a short kernel. */
	if (s->object == GLC_OP_GlobalId && !s->stride && f->program->layout == GLC_LAYOUT_ROWS) {
		words[s->d].u32 = (u32)f->first;
	} else {
		begin_place(f, &p);
		words[s->d].u32 = id(f, &p, s->object, s->stride);
	}
}
	NEXT;
at_ID_LANES:
	id_lanes(s, f);
	NEXT;
at_RANGE:
	range(s, f);
	NEXT;

at_JUMP:
	GO_TO(s->target);
at_JUMP_UNLESS:
	GO_IF(!words[s->a].u32);

#define OP1(...)
#define OP2(...)
#define OP3(...)
#define COMPARE(name, T, operator) \
	at_UNLESS_##name:          \
	GO_IF(!(words[s->a].T operator words[s->b].T));
#include "device/cpu_ops.def"
#undef OP1
#undef OP2
#undef OP3

at_BACK:
	if (atomic_load_explicit(f->stop, memory_order_relaxed))
		return false;
	GO_TO(s->target);
at_IF:
	split(s, f);
	GO_IF(!masks[s->d].count);
at_ELSE:
	GO_IF(!masks[s->c].count);
at_ENDIF:
	end_if(s, f);
	GO_IF(!masks[s->mask].count);
at_LOOP:
	copy_mask(f, &masks[s->d], &masks[s->mask]);
	masks[s->c].count = 0;
	NEXT;
at_LEAVE:
	masks[s->mask].count = 0;
	GO_TO(s->target);
at_CONTINUE:
	add_mask(f, &masks[s->c], &masks[s->mask]);
	masks[s->mask].count = 0;
	GO_TO(s->target);
at_RETURN:
	remove_mask(f, &masks[1], &masks[s->mask]);
	masks[s->mask].count = 0;
	GO_TO(s->target);
at_CONTINUING:
	add_mask(f, &masks[s->mask], &masks[s->c]);
	masks[s->c].count = 0;
	GO_IF(!masks[s->mask].count);
at_STAY:
	if (masks[s->c].count != masks[s->mask].count)
		copy_mask(f, &masks[s->mask], &masks[s->c]);
	GO_IF(!masks[s->mask].count);
at_ENDLOOP:
	drop_returned(f, &masks[s->mask]);
	GO_IF(!masks[s->mask].count);

at_LOAD_U:
	glc_cpu_load_word(s, f);
	NEXT;
at_LOAD_A:
	glc_cpu_load_row(s, f);
	NEXT;
at_STORE_U:
	glc_cpu_store_word(s, f);
	NEXT;
at_STORE_A:
	glc_cpu_store_row(s, f);
	NEXT;
at_AIM:
	glc_cpu_aim_row(s, f);
	NEXT;
at_ATOMIC:
	glc_cpu_atomic(s, f);
	NEXT;
at_LOCAL:
	glc_cpu_load_local(s, f);
	NEXT;
at_STORE_LOCAL:
	glc_cpu_store_local(s, f);
	NEXT;
at_BARRIER:
	f->pc = (uint32_t)(s - steps) + 1;
	return true;
at_FENCE:
	atomic_thread_fence(memory_order_seq_cst);
	NEXT;
at_END:
	return false;
}
