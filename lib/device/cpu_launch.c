/* SPDX-License-Identifier: MIT */
#include "device/cpu_launch.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

/* --- Frames --------------------------------------------------------------- */

static size_t align(size_t bytes)
{
	return (bytes + LINE - 1) & ~(size_t)(LINE - 1);
}

/* One block holds a frame and all that it points to. base NULL: only counts. */
static size_t lay_out(const struct glc_cpu_program *p, unsigned char *base, bool first_of_worker)
{
	struct glc_frame *f = (struct glc_frame *)base;
	size_t at = align(sizeof *f);

#define TAKE(member, bytes)                          \
	do {                                         \
		if (base)                            \
			f->member = (void *)(base + at); \
		at += align(bytes);                  \
	} while (0)
	TAKE(reg, p->reg_count * sizeof *f->reg);
	TAKE(words, p->word_count * sizeof *f->words);
	TAKE(masks, p->mask_count * sizeof *f->masks);
	TAKE(objects, p->object_count * sizeof *f->objects);
	TAKE(locals, p->local_bytes);
	for (uint32_t i = 0; i < p->mask_count; i++)
		TAKE(masks[i].lanes, GLC_TILE * sizeof(u32));
	for (uint32_t i = 0; i < p->slot_count; i++)
		TAKE(reg[i], GLC_TILE * p->slot_bits[i] / 8 + LINE);
	/* The workgroup's shared arrays stand behind its first tile. */
	if (first_of_worker)
		TAKE(shared, p->shared_bytes);
#undef TAKE
	return at;
}

static struct glc_frame *make_frame(const struct glc_cpu_program *p, bool first)
{
	size_t bytes = lay_out(p, NULL, first);
	struct glc_frame *f;

	if (p->local_bytes > SIZE_MAX / 4 || p->shared_bytes > SIZE_MAX / 4)
		return NULL;
	f = aligned_alloc(LINE, bytes);
	if (!f)
		return NULL;
	/* Lanes that are not there are computed with too: whatever they hold, it should be the same each time. */
	memset(f, 0, bytes);
	lay_out(p, (unsigned char *)f, first);
	f->program = p;
	for (uint32_t i = p->slot_count; i < p->reg_count; i++)
		f->reg[i] = f->reg[0];
	return f;
}

void glc_cpu_crew_fini(struct glc_cpu_crew *crew)
{
	if (!crew->frames)
		return;
	for (unsigned i = 0; i < crew->workers * crew->tiles; i++)
		free(crew->frames[i]);
	free(crew->frames);
	crew->frames = NULL;
}

bool glc_cpu_crew_init(struct glc_cpu_crew *crew, unsigned workers)
{
	const struct glc_cpu_program *p = &crew->program;

	crew->workers = workers;
	crew->tiles = p->layout == GLC_LAYOUT_GROUPS ? (p->lanes + GLC_TILE - 1) / GLC_TILE : 1;
	crew->frames = calloc((size_t)workers * crew->tiles, sizeof *crew->frames);
	for (unsigned i = 0; crew->frames && i < workers * crew->tiles; i++) {
		crew->frames[i] = make_frame(p, i % crew->tiles == 0);
		if (!crew->frames[i]) {
			glc_cpu_crew_fini(crew);
			return false;
		}
		if (i % crew->tiles)
			crew->frames[i]->shared = crew->frames[i - 1]->shared;
	}
	crew->ready = crew->frames;
	return crew->ready;
}

/* --- A launch ------------------------------------------------------------- */

static void set_input(const struct glc_cpu_job *job, const struct glc_cpu_input *input, union glc_word *words)
{
	union glc_word *word = &words[input->word];

	switch (input->what) {
	case GLC_INPUT_PARAM:
		word->u64 = job->scalars[input->object];
		if (job->crew->program.kernel->objects[input->object].type == GLC_BOOL)
			word->u64 = word->u64 ? UINT32_MAX : 0;
		break;
	case GLC_INPUT_LENGTH:
		word->u64 = job->bounds[input->object].length;
		break;
	default:
		word->u64 = job->groups[input->dimension];
		break;
	}
}

static void begin_frame(const struct glc_cpu_job *job, struct glc_frame *f)
{
	const struct glc_cpu_program *p = f->program;

	/* A kernel of nothing but varying values has no words. */
	if (p->word_count)
		memcpy(f->words, p->words, p->word_count * sizeof *f->words);
	for (uint32_t i = 0; i < p->input_count; i++)
		set_input(job, &p->inputs[i], f->words);
	for (uint32_t i = 0; i < p->object_count; i++) {
		f->objects[i] = job->bounds[i];
		if (p->objects[i].kind == GLC_OBJECT_SHARED)
			f->objects[i].at = f->shared + p->objects[i].offset;
	}
	f->groups = job->groups;
	f->stop = job->stop;
	f->check = job->check;
	f->out_of_bounds = 0;
}

static void begin_tile(struct glc_frame *f, uint64_t first, uint64_t lanes)
{
	f->first = first;
	f->n = lanes < GLC_TILE ? (u32)lanes : GLC_TILE;
	f->np = (f->n + GLC_STEP - 1) & ~(u32)(GLC_STEP - 1);
	f->masks[0].count = f->masks[1].count = f->n;
	f->pc = 0;
	if (f->program->local_bytes)
		memset(f->locals, 0, f->program->local_bytes);
}

/* All tiles reach a barrier before one goes on; those that have ended wait for nobody. */
static void run_group(struct glc_cpu_job *job, struct glc_frame **frames, uint64_t group)
{
	const struct glc_cpu_program *p = &job->crew->program;
	unsigned tiles = job->crew->tiles, waiting;
	u32 at[3] = {
		(u32)(group % job->groups[0]),
		(u32)(group / job->groups[0] % job->groups[1]),
		(u32)(group / job->groups[0] / job->groups[1]),
	};

	if (p->shared_bytes)
		memset(frames[0]->shared, 0, p->shared_bytes);
	for (unsigned i = 0; i < tiles; i++) {
		begin_tile(frames[i], (uint64_t)i * GLC_TILE, p->lanes - (uint64_t)i * GLC_TILE);
		memcpy(frames[i]->group, at, sizeof at);
	}
	if (job->check)
		glc_check_group(job->check, group);
	do {
		waiting = 0;
		for (unsigned i = 0; i < tiles; i++) {
			if (frames[i]->pc == p->step_count)
				continue;
			if (glc_cpu_run(frames[i]))
				waiting++;
			else
				frames[i]->pc = p->step_count;
		}
		if (job->check)
			glc_check_meet(job->check, frames, tiles);
	} while (waiting);
}

/* Tiles of rows, each behind the one before: no divisions on the way, which would cost a short kernel a fifth. */
static void run_rows(struct glc_cpu_job *job, struct glc_frame *f, size_t begin, size_t end)
{
	uint64_t tile = begin % job->row_tiles, row = begin / job->row_tiles;

	f->group[1] = (u32)(row % job->groups[1]);
	f->group[2] = (u32)(row / job->groups[1]);
	for (size_t item = begin; item < end && !atomic_load_explicit(job->stop, memory_order_relaxed); item++) {
		begin_tile(f, tile * GLC_TILE, job->row_lanes - tile * GLC_TILE);
		glc_cpu_run(f);
		if (++tile < job->row_tiles)
			continue;
		tile = 0;
		if (++f->group[1] < job->groups[1])
			continue;
		f->group[1] = 0;
		f->group[2]++;
	}
}

static void run_items(void *context, size_t begin, size_t end, unsigned worker)
{
	struct glc_cpu_job *job = context;
	struct glc_frame **frames = &job->crew->frames[worker * job->crew->tiles];
	const struct glc_cpu_program *p = &job->crew->program;
	uint64_t out_of_bounds = 0;

	for (unsigned i = 0; i < job->crew->tiles; i++)
		begin_frame(job, frames[i]);
	if (p->layout == GLC_LAYOUT_ROWS)
		run_rows(job, frames[0], begin, end);
	else
		for (size_t item = begin; item < end; item++) {
			if (atomic_load_explicit(job->stop, memory_order_relaxed))
				break;
			if (p->layout == GLC_LAYOUT_GROUPS) {
				run_group(job, frames, item);
				continue;
			}
			begin_tile(frames[0], (uint64_t)item * GLC_TILE, job->lanes - (uint64_t)item * GLC_TILE);
			glc_cpu_run(frames[0]);
		}
	for (unsigned i = 0; i < job->crew->tiles; i++)
		out_of_bounds += frames[i]->out_of_bounds;
	atomic_fetch_add_explicit(&job->out_of_bounds, out_of_bounds, memory_order_relaxed);
}

bool glc_cpu_job_size(struct glc_cpu_job *job)
{
	const struct glc_cpu_program *p = &job->crew->program;
	uint64_t rows = (uint64_t)job->groups[1] * job->groups[2], groups;

	job->row_lanes = (uint64_t)job->groups[0] * p->workgroup[0];
	job->row_tiles = (job->row_lanes + GLC_TILE - 1) / GLC_TILE;
	if (__builtin_mul_overflow(rows, job->groups[0], &groups) ||
	    __builtin_mul_overflow(groups, (uint64_t)p->lanes, &job->lanes))
		return false;
	switch (p->layout) {
	case GLC_LAYOUT_ROWS: job->items = rows * job->row_tiles; break;
	case GLC_LAYOUT_PACKED: job->items = (job->lanes + GLC_TILE - 1) / GLC_TILE; break;
	case GLC_LAYOUT_GROUPS: job->items = groups; break;
	}
	return job->items <= SIZE_MAX / 2;
}

void glc_cpu_job_run(struct glc_cpu_job *job)
{
	if (job->check)
		run_items(job, 0, (size_t)job->items, 0);
	else
		glc_parallel_for(job->pool, (size_t)job->items, 0, run_items, job);
}
