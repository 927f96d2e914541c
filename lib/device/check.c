/* SPDX-License-Identifier: MIT */
/*
 * What is remembered of each element, and which accesses may not follow which.
 *
 * An element that can be written has a cell of records, each the last access of a class by
 * one invocation: its number in the launch, its site, and the epoch, which is how many
 * barriers its workgroup had passed. Two accesses are ordered when one invocation made
 * both, or one workgroup in different epochs. Of loads and atomics two records are kept,
 * of different invocations of one epoch: whoever comes next is not both of them, so that a
 * conflict is seen whatever the order. A record of an earlier workgroup stays first, since
 * it is in conflict with all that come.
 */
#include "device/check.h"

#include <stdlib.h>
#include <string.h>

struct record {
	u32 who;
	uint16_t site;    /* and one more; 0: nobody */
	uint16_t epoch;   /* 0: before all that the workgroup can still do */
};

/* What each class of access leaves behind, and what it must be ordered with. */
static const struct {
	uint8_t records, conflicts;   /* a bit for each class */
	bool reads, writes;
} classes[GLC_ACCESS_CLASS_COUNT] = {
	[GLC_ACCESS_LOAD] = {2, 1 << GLC_ACCESS_STORE | 1 << GLC_ACCESS_ATOMIC, true, false},
	[GLC_ACCESS_STORE] = {1, 1 << GLC_ACCESS_LOAD | 1 << GLC_ACCESS_STORE | 1 << GLC_ACCESS_ATOMIC, false, true},
	[GLC_ACCESS_ATOMIC] = {2, 1 << GLC_ACCESS_LOAD | 1 << GLC_ACCESS_STORE | 1 << GLC_ACCESS_ATOMIC, true, true},
};

struct shadow {
	struct record *cells;     /* NULL: nothing here can be in conflict */
	u64 bytes;                /* of cells or lanes */
	uint8_t at[GLC_ACCESS_CLASS_COUNT], size;   /* in records, within a cell; at UINT8_MAX: no such access */
	uint8_t *stored;               /* buffers: a bit a byte; NULL: all have a value */
	u64 stored_bit;           /* of the first element */
	uint8_t *lanes;                /* private arrays: by tile, element and lane, whether it was stored to */
};

struct glc_check {
	const struct glacier_pipeline *pipeline;
	const struct glc_cpu_program *program;
	struct glc_check_log *log;
	struct shadow *shadows;   /* by object */
	u32 groups[3];
	u32 first, lanes;         /* the workgroup's invocations, counted through the launch */
	u32 epoch;
	u64 group;
	uint8_t *fenced;               /* a bit a workgroup: it has fenced against others; NULL: there are no fences */
};

/* --- Records --------------------------------------------------------------- */

static bool is_here(const struct glc_check *c, const struct record *r)
{
	return r->who - c->first < c->lanes;
}

static bool has_fenced(const struct glc_check *c, u64 group)
{
	return c->fenced && (c->fenced[group / 8] >> group % 8 & 1);
}

/*
 * Message passing by fences and atomics is taken for right wherever both workgroups have
 * fenced: which atomic followed which fence is not looked at.
 */
static bool is_ordered(const struct glc_check *c, const struct record *r, u32 who)
{
	if (r->who == who)
		return true;
	if (is_here(c, r))
		return r->epoch != c->epoch;
	return has_fenced(c, c->group) && has_fenced(c, r->who / c->lanes);
}

/* Shared memory is another one in each workgroup. */
static bool is_there(const struct glc_check *c, const struct record *r, bool shared)
{
	return r->site && (!shared || is_here(c, r));
}

static const struct record *find_conflict(const struct glc_check *c, const struct shadow *shadow,
					  const struct record *cell, const struct glc_check_site *site, u32 who, bool shared)
{
	for (int klass = 0; klass < GLC_ACCESS_CLASS_COUNT; klass++) {
		const struct record *r;

		if (!(classes[site->klass].conflicts >> klass & 1) || shadow->at[klass] == UINT8_MAX)
			continue;
		r = &cell[shadow->at[klass]];
		for (int i = 0; i < classes[klass].records; i++) {
			if (!is_there(c, &r[i], shared) || is_ordered(c, &r[i], who))
				continue;
			/* Atomics are in conflict with each other only where one is for its workgroup alone. */
			if (klass == GLC_ACCESS_ATOMIC && site->klass == GLC_ACCESS_ATOMIC &&
			    (is_here(c, &r[i]) || (!site->in_workgroup &&
						   !c->pipeline->sites[r[i].site - 1].in_workgroup)))
				continue;
			return &r[i];
		}
	}
	return NULL;
}

static void remember(const struct glc_check *c, struct record *r, int records, u32 who, u32 site, bool shared)
{
	struct record now = {who, (uint16_t)(site + 1), (uint16_t)c->epoch};

	if (records == 1 || !is_there(c, &r[0], shared) || (is_here(c, &r[0]) && r[0].epoch != c->epoch) ||
	    (r[0].who == who && is_here(c, &r[0])))
		r[0] = now;
	else
		r[1] = now;
}

/* --- One access ------------------------------------------------------------ */

/* Gives the element a value; false: it had none. */
static bool set_stored(const struct shadow *shadow, u64 index, u32 bytes, bool writes)
{
	u64 bit = shadow->stored_bit + index * bytes;
	uint8_t mask, *at;
	bool had;

	if (!shadow->stored)
		return true;
	/* Elements have 4 or 8 bytes, and begin at a multiple of that. */
	at = &shadow->stored[bit / 8];
	mask = (uint8_t)(bytes == 8 ? 0xff : 0xf << bit % 8);
	had = (*at & mask) == mask;
	if (writes)
		*at |= mask;
	return had;
}

static bool was_stored_here(const struct glc_check *c, const struct shadow *shadow, const struct record *cell)
{
	static const uint8_t writers[] = {GLC_ACCESS_STORE, GLC_ACCESS_ATOMIC};

	for (int i = 0; i < 2; i++)
		if (shadow->at[writers[i]] != UINT8_MAX && is_there(c, &cell[shadow->at[writers[i]]], true))
			return true;
	return false;
}

static void note(struct glc_check *c, struct glc_finding finding)
{
	glc_check_note(c->log, c->pipeline, c->groups, &finding);
}

static void access_private(struct glc_check *c, const struct glc_step *s, struct glc_finding *finding, u32 local)
{
	struct shadow *shadow = &c->shadows[s->object];
	u64 length = c->program->objects[s->object].length;
	uint8_t *stored = &shadow->lanes[(local / GLC_TILE * length + finding->index) * GLC_TILE + local % GLC_TILE];

	if (c->pipeline->sites[s->target].klass == GLC_ACCESS_STORE) {
		*stored = 1;
	} else if (!*stored) {
		finding->kind = GLC_FOUND_UNSTORED;
		note(c, *finding);
	}
}

static void access_common(struct glc_check *c, const struct glc_step *s, struct glc_finding *finding, bool shared)
{
	const struct glc_check_site *site = &c->pipeline->sites[s->target];
	struct shadow *shadow = &c->shadows[s->object];
	struct record *cell = shadow->cells ? &shadow->cells[finding->index * shadow->size] : NULL;
	const struct record *other;
	bool stored;

	/* An atomic on a buffer without a value counts up from the zeros that are promised there. */
	if (shared)
		stored = cell && was_stored_here(c, shadow, cell);
	else
		stored = set_stored(shadow, finding->index, glc_types[s->type].bytes, classes[site->klass].writes) ||
			 site->klass == GLC_ACCESS_ATOMIC;
	if (!stored && classes[site->klass].reads) {
		finding->kind = GLC_FOUND_UNSTORED;
		note(c, *finding);
	}
	if (!cell)
		return;
	other = find_conflict(c, shadow, cell, site, finding->who, shared);
	if (other) {
		finding->kind = is_here(c, other) ? GLC_FOUND_RACE : GLC_FOUND_RACE_OF_GROUPS;
		finding->other = other->who;
		finding->other_site = (uint16_t)(other->site - 1);
		note(c, *finding);
	}
	remember(c, &cell[shadow->at[site->klass]], classes[site->klass].records, finding->who, s->target, shared);
}

static bool is_on(const struct glc_frame *f, const struct glc_mask *m, u32 lane)
{
	return glc_is_full(f, m) || (m->count && m->lanes[lane]);
}

static u64 index_of(const struct glc_step *s, const struct glc_frame *f, u32 lane)
{
	bool wide = s->flags & GLC_FLAG_INDEX64;

	if (s->flags & GLC_FLAG_INDEX_WORD)
		return wide ? f->words[s->b].u64 : f->words[s->b].u32 + (u32)s->stride * lane;
	return wide ? ((const u64 *)f->reg[s->b])[lane] : ((const u32 *)f->reg[s->b])[lane];
}

void glc_check_access(const struct glc_step *s, struct glc_frame *f)
{
	struct glc_check *c = f->check;
	const struct glc_mask *m = &f->masks[s->mask];
	u64 length = f->objects[s->object].length;
	uint32_t kind = c->program->objects[s->object].kind;

	for (u32 lane = 0; lane < f->n; lane++) {
		u32 local = (u32)f->first + lane;
		struct glc_finding finding = {
			.site = (uint16_t)s->target, .who = c->first + local, .length = length};

		if (!is_on(f, m, lane))
			continue;
		finding.index = index_of(s, f, lane);
		if (finding.index >= length) {
			finding.kind = GLC_FOUND_OUT_OF_BOUNDS;
			note(c, finding);
		} else if (kind == GLC_OBJECT_LOCAL) {
			access_private(c, s, &finding, local);
		} else if (kind != GLC_OBJECT_CONST) {
			access_common(c, s, &finding, kind == GLC_OBJECT_SHARED);
		}
	}
}

/* --- Meeting --------------------------------------------------------------- */

static u32 first_lane(const struct glc_frame *f, const struct glc_mask *m, u32 from, u32 to, bool on)
{
	for (u32 lane = from; lane < to; lane++)
		if (is_on(f, m, lane) == on)
			return lane;
	return to;
}

/* Some lanes of `from` to `to` are here, and others are not. */
static void note_parted(const struct glc_step *s, struct glc_frame *f, u32 from, u32 to,
			enum glc_finding_kind kind)
{
	struct glc_check *c = f->check;
	const struct glc_mask *m = &f->masks[s->mask];
	u32 here = first_lane(f, m, from, to, true), away = first_lane(f, m, from, to, false);
	bool returned = f->program->returns && !is_on(f, &f->masks[1], away);

	note(c, (struct glc_finding){
			.kind = (uint8_t)kind,
			.whereabouts = returned ? GLC_RETURNED : GLC_WENT_ELSEWHERE,
			.site = (uint16_t)s->target,
			.who = c->first + (u32)f->first + here,
			.other = c->first + (u32)f->first + away,
		});
}

void glc_check_barrier(const struct glc_step *s, struct glc_frame *f)
{
	const struct glc_mask *m = &f->masks[s->mask];

	f->meeting = (struct glc_meeting){
		.site = s->target, .who = f->check->first + (u32)f->first + first_lane(f, m, 0, f->n, true)};
	if (!glc_is_full(f, m))
		note_parted(s, f, 0, f->n, GLC_FOUND_BARRIER);
}

void glc_check_round(const struct glc_step *s, struct glc_frame *f)
{
	/* Which round of each loop around, in one number: FNV-1a's step, a word at a time. */
	f->meeting.rounds = (f->meeting.rounds ^ f->words[s->a].u32) * UINT64_C(0x100000001b3);
}

void glc_check_shuffle(const struct glc_step *s, struct glc_frame *f)
{
	const struct glc_mask *m = &f->masks[s->mask];
	u32 size = f->program->subgroup;

	if (glc_is_full(f, m))
		return;
	for (u32 from = 0; from < f->n; from += size) {
		u32 to = from + size < f->n ? from + size : f->n;

		if (first_lane(f, m, from, to, true) < to && first_lane(f, m, from, to, false) < to)
			note_parted(s, f, from, to, GLC_FOUND_SHUFFLE);
	}
}

void glc_check_fence(const struct glc_step *s, struct glc_frame *f)
{
	struct glc_check *c = f->check;

	if (c->fenced && f->masks[s->mask].count)
		c->fenced[c->group / 8] |= (uint8_t)(1 << c->group % 8);
}

static void compare_tiles(struct glc_check *c, const struct glc_frame *a, const struct glc_frame *b)
{
	bool ended = b->pc == b->program->step_count;
	struct glc_finding finding = {
		.kind = GLC_FOUND_BARRIER,
		.site = (uint16_t)a->meeting.site,
		.other_site = (uint16_t)b->meeting.site,
		.who = a->meeting.who,
		.other = ended ? c->first + (u32)b->first : b->meeting.who,
	};

	if (ended)
		finding.whereabouts = GLC_RETURNED;
	else if (a->meeting.site != b->meeting.site)
		finding.whereabouts = GLC_WAITS;
	else if (a->meeting.rounds != b->meeting.rounds)
		finding.whereabouts = GLC_IN_ANOTHER_ROUND;
	else
		return;
	note(c, finding);
}

/* Numbers of epochs run out: what was accessed in them is ordered before all that follows. */
static void forget_epochs(struct glc_check *c)
{
	for (uint32_t i = 0; i < c->program->object_count; i++)
		for (u64 j = 0; c->shadows[i].cells && j < c->shadows[i].bytes / sizeof(struct record); j++)
			c->shadows[i].cells[j].epoch = 0;
	c->epoch = 0;
}

void glc_check_meet(struct glc_check *c, struct glc_frame *const *frames, unsigned tiles)
{
	unsigned a = 0;

	while (a < tiles && frames[a]->pc == frames[a]->program->step_count)
		a++;
	if (a == tiles)
		return;
	for (unsigned b = 0; b < tiles; b++)
		if (b != a)
			compare_tiles(c, frames[a], frames[b]);
	if (c->epoch == UINT16_MAX)
		forget_epochs(c);
	c->epoch++;
}

/* --- A launch -------------------------------------------------------------- */

void glc_check_group(struct glc_check *c, uint64_t group)
{
	c->group = group;
	c->first = (u32)(group * c->lanes);
	c->epoch = 1;
	for (uint32_t i = 0; i < c->program->object_count; i++)
		if (c->shadows[i].lanes)
			memset(c->shadows[i].lanes, 0, c->shadows[i].bytes);
}

/* Which classes of access the kernel has to an object. */
static uint8_t find_uses(const struct glacier_pipeline *pipeline, uint32_t object)
{
	uint8_t uses = 0;

	for (uint32_t i = 0; i < pipeline->site_count; i++)
		if (pipeline->sites[i].klass != GLC_ACCESS_NONE && pipeline->sites[i].object == object)
			uses |= (uint8_t)(1 << pipeline->sites[i].klass);
	return uses;
}

static bool make_cells(struct shadow *shadow, uint8_t uses, u64 length)
{
	for (int klass = 0; klass < GLC_ACCESS_CLASS_COUNT; klass++) {
		shadow->at[klass] = UINT8_MAX;
		if (!(uses >> klass & 1))
			continue;
		shadow->at[klass] = shadow->size;
		shadow->size += classes[klass].records;
	}
	if (!(uses & ~(1 << GLC_ACCESS_LOAD)) || !length)
		return true;
	/* No process has so many addresses. */
	if (__builtin_mul_overflow(length, shadow->size * sizeof *shadow->cells, &shadow->bytes) ||
	    shadow->bytes > UINT64_C(1) << 46)
		return false;
	/* Pages that no access reaches stay untouched. */
	shadow->cells = calloc(length, shadow->size * sizeof *shadow->cells);
	return shadow->cells;
}

static bool make_shadow(struct glc_check *c, const struct glc_launch *launch, uint32_t index)
{
	const struct glc_cpu_object *object = &c->program->objects[index];
	struct shadow *shadow = &c->shadows[index];
	uint8_t uses = find_uses(c->pipeline, index);
	u64 tiles = (c->lanes + GLC_TILE - 1) / GLC_TILE;

	switch (object->kind) {
	case GLC_OBJECT_BUFFER:
		shadow->stored = launch->bindings[index].array->stored;
		shadow->stored_bit = launch->bindings[index].offset_bytes;
		return make_cells(shadow, uses, launch->bindings[index].bytes / object->elem_bytes);
	case GLC_OBJECT_SHARED:
		return make_cells(shadow, uses, object->length);
	case GLC_OBJECT_LOCAL:
		/* The frames hold four times as much: the product is in range. */
		shadow->bytes = tiles * object->length * GLC_TILE;
		shadow->lanes = malloc(shadow->bytes ? shadow->bytes : 1);
		return shadow->lanes;
	default:
		return true;
	}
}

static bool has_fences(const struct glc_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->inst_count; i++)
		if (kernel->insts[i].op == GLC_OP_Fence ||
		    (kernel->insts[i].op == GLC_OP_AtomicAdd && GLC_DETAIL_ORDER(kernel->insts[i].detail)))
			return true;
	return false;
}

struct glc_check *glc_check_create(const struct glc_launch *launch, const struct glc_cpu_program *program,
				   struct glc_check_log *log, enum glacier_status *status,
				   struct glacier_diag *diag)
{
	const struct glc_kernel *kernel = program->kernel;
	uint64_t groups = 0, invocations;
	struct glc_check *c;
	bool good;

	if (__builtin_mul_overflow((uint64_t)launch->groups[0] * launch->groups[1], launch->groups[2], &groups) ||
	    __builtin_mul_overflow(groups, (uint64_t)program->lanes, &invocations) || invocations > UINT32_MAX) {
		*status = glc_fail(diag, GLC_CK_LAUNCH, GLC_NOWHERE, (int)kernel->name.bytes, kernel->name.at,
				   launch->groups[0], launch->groups[1], launch->groups[2], program->lanes,
				   UINT32_MAX);
		return NULL;
	}
	c = calloc(1, sizeof *c + program->object_count * sizeof *c->shadows);
	if (!c) {
		*status = glc_fail(diag, GLC_DV_OUT_OF_MEMORY, GLC_NOWHERE);
		return NULL;
	}
	c->pipeline = launch->pipeline;
	c->program = program;
	c->log = log;
	c->shadows = (struct shadow *)(c + 1);
	c->lanes = program->lanes;
	memcpy(c->groups, launch->groups, sizeof c->groups);
	good = true;
	if (has_fences(kernel)) {
		c->fenced = calloc(groups / 8 + 1, 1);
		good = c->fenced;
	}
	for (uint32_t i = 0; i < program->object_count && good; i++)
		good = make_shadow(c, launch, i);
	if (good)
		return c;
	*status = glc_fail(diag, GLC_CK_MEMORY, GLC_NOWHERE, (int)kernel->name.bytes, kernel->name.at);
	glc_check_destroy(c);
	return NULL;
}

void glc_check_destroy(struct glc_check *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->program->object_count; i++) {
		free(c->shadows[i].cells);
		free(c->shadows[i].lanes);
	}
	free(c->fenced);
	free(c);
}
