/* SPDX-License-Identifier: MIT */
/*
 * Rows to instructions. Every access to memory is predicated on gid < n, and control flow
 * stays uniform, so that barriers and shuffles in the stream are defined for the last,
 * partial workgroup too. A predicated-off load gives 0. Accesses that follow one another
 * share one test.
 */
#include "ir/share.h"
#include "ir/ssa.h"
#include "ir/stream.h"

#include <string.h>

struct rows {
	struct ssa *s;
	const struct glc_row *at;      /* the kernel's, up to its Return */
	const uint8_t *needed;         /* by row; NULL: all as they stand */
	uint32_t count;
	/* What they hold; GLC_NO_VALUE: not written yet, so 0. */
	glc_value f[GLC_STREAM_REGISTERS], r[GLC_STREAM_REGISTERS];
	/* GLC_NO_VALUE: not made yet. */
	glc_value in;                  /* gid < n */
	glc_value zero;                /* what a register holds that nothing was written to */
};

/* --- Which rows ---------------------------------------------------------- */

enum { ROW = 1, RESULT = 2 };   /* needed of a row: it, and what it writes */

/* Registers that a row further on reads: a byte each, 0 or 1. */
struct live {
	uint8_t f[GLC_STREAM_REGISTERS], r[GLC_STREAM_REGISTERS];
};

static bool has_effect(int64_t op)
{
	switch (op) {
	case GLC_OP_StoreGlobal:
	case GLC_OP_StoreShared:
	case GLC_OP_AtomicAdd:
	case GLC_OP_BarrierSync:
	case GLC_OP_Return:
		return true;
	}
	return false;
}

/* Add and its like, the common row: two registers and a result. */
static inline bool is_binary(int64_t op)
{
	return (uint64_t)(op - GLC_OP_Add) <= GLC_OP_Div - GLC_OP_Add;
}

/* What is needed of a row, going backwards; what it reads is live before it then. */
static uint8_t need(struct live *live, const int64_t *v)
{
	struct glc_row_shape shape = glc_row_shapes[v[0]];
	uint8_t none = 0, *written = shape.d == 'f' ? &live->f[v[3]] : shape.d == 'r' ? &live->r[v[3]] : &none;
	bool result = *written;

	if (!result && !has_effect(v[0]))
		return 0;
	*written = 0;
	if (shape.a == 'f')
		live->f[v[1]] = 1;
	if (shape.b == 'f')
		live->f[v[2]] = 1;
	if (shape.b == 'r')
		live->r[v[2]] = 1;
	if (v[0] == GLC_OP_Fma)
		live->f[v[3]] = 1;
	return ROW | (result ? RESULT : 0);
}

/* What is live is known in advance, so that nothing has to be made first and dropped afterwards. */
static bool choose(struct rows *w)
{
	uint8_t *needed = glc_bump(w->s->memory, w->count);
	struct live live = {0};

	if (!needed)
		return false;
	for (uint32_t i = w->count; i-- > 0;) {
		const int64_t *v = w->at[i].value;

		if (!is_binary(v[0])) {
			needed[i] = need(&live, v);
		} else if (live.f[v[3]]) {
			live.f[v[3]] = 0;
			live.f[v[1]] = live.f[v[2]] = 1;
			needed[i] = ROW | RESULT;
		} else {
			needed[i] = 0;
		}
	}
	w->needed = needed;
	return true;
}

static inline bool is_needed(const struct rows *w, uint32_t row, uint8_t what)
{
	return !w->needed || w->needed[row] & what;
}

/* --- What they say ------------------------------------------------------- */

static inline glc_value zero_f(struct rows *w)
{
	if (w->zero == GLC_NO_VALUE)
		w->zero = glc_const_bits(&w->s->b, GLC_F32, 0);
	return w->zero;
}

static inline glc_value value_f(struct rows *w, int64_t number)
{
	return w->f[number] != GLC_NO_VALUE ? w->f[number] : zero_f(w);
}

static inline glc_value value_r(struct rows *w, int64_t number)
{
	return w->r[number] != GLC_NO_VALUE ? w->r[number] : glc_const_bits(&w->s->b, GLC_U32, 0);
}

/* The run at -O0: as it stands. */
static const struct glc_row *append_rows(struct rows *w, const struct glc_row *row, const struct glc_row *end)
{
	struct glc_builder *b = &w->s->b;
	struct glc_inst *inst = &b->insts.at[b->insts.count];
	uint32_t value = b->insts.count;

	for (; row < end && is_binary(row->value[0]); row++) {
		*inst++ = (struct glc_inst){
			.op = (uint16_t)row->value[0],
			.type = GLC_F32,
			.from = GLC_F32,
			.arg = {value_f(w, row->value[1]), value_f(w, row->value[2]), GLC_NO_VALUE, GLC_NO_VALUE},
			.pos = row->pos,
		};
		w->f[row->value[3]] = value++;
	}
	b->insts.count = value;
	return row;
}

/* The same, folded and shared. No identity of theirs keeps every bit, so that only constants fold. */
static const struct glc_row *share_rows(struct rows *w, const struct glc_row *row, const struct glc_row *end)
{
	const uint8_t *needed = w->needed + (row - w->at);
	struct glc_builder *b = &w->s->b;
	struct glc_inst inst = {
		.type = GLC_F32, .from = GLC_F32, .arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE}};
	uint64_t salt = 0;
	bool commutes = false;

	for (; row < end && is_binary(row->value[0]); row++) {
		const int64_t *v = row->value;
		glc_value x, y;

		if (!(*needed++ & ROW))
			continue;
		if (inst.op != v[0]) {
			inst.op = (uint16_t)v[0];
			commutes = glc_ops[inst.op].flags & GLC_COMMUTES;
			salt = glc_share_salt(&inst);
		}
		x = value_f(w, v[1]);
		y = value_f(w, v[2]);
		inst.arg[0] = x > y && commutes ? y : x;
		inst.arg[1] = inst.arg[0] ^ x ^ y;
		inst.pos = row->pos;
		if ((x | y) & GLC_CONST_BIT) {
			b->pos = inst.pos;
			w->f[v[3]] = glc_emit_inst(b, &inst);
		} else {
			b->insts.at[b->insts.count] = inst;
			w->f[v[3]] = glc_share(b, salt);
		}
	}
	return row;
}

/* The run of Add and its like that begins at row `first`. Gives the row behind them. */
static uint32_t binary_rows(struct rows *w, uint32_t first)
{
	const struct glc_row *row = &w->at[first], *end = &w->at[w->count];

	/* Room for all the rows that are left: most are such runs. */
	if (!glc_share_reserve(&w->s->b, w->count - first))
		return w->count;
	row = w->s->b.optimize ? share_rows(w, row, end) : append_rows(w, row, end);
	return (uint32_t)(row - w->at);
}

static void plain_row(struct rows *w, const int64_t *v)
{
	struct ssa *s = w->s;
	enum glc_op op = (enum glc_op)v[0];
	struct glc_row_shape shape = glc_row_shapes[op];
	struct glc_inst inst = {
		.op = (uint16_t)op,
		.type = GLC_F32,
		.from = GLC_F32,
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	switch (op) {
	case GLC_OP_Nop:
		return;
	case GLC_OP_LoadConstant:
		w->f[v[3]] = glc_const_bits(&s->b, GLC_F32, (uint32_t)v[1]);
		return;
	case GLC_OP_LocalId:
	case GLC_OP_GlobalId:
		inst.type = GLC_U32;
		inst.from = GLC_VOID;
		w->r[v[3]] = glc_emit_inst(&s->b, &inst);
		return;
	case GLC_OP_BarrierSync:
		s->kernel->converges = s->kernel->coherent = true;
		inst.type = inst.from = GLC_VOID;
		glc_append(&s->b, &inst);
		return;
	case GLC_OP_ShflSyncBfly:
		s->kernel->converges = true;
		inst.arg[0] = value_f(w, v[1]);
		inst.arg[1] = glc_const_u32(&s->b, v[2] ? (uint32_t)v[2] : 16);
		w->f[v[3]] = glc_append(&s->b, &inst);
		return;
	default:
		break;
	}
	inst.arg[0] = value_f(w, v[1]);
	if (shape.b == 'f')
		inst.arg[1] = value_f(w, v[2]);
	if (op == GLC_OP_Fma)
		inst.arg[2] = value_f(w, v[3]);
	w->f[v[3]] = glc_emit_inst(&s->b, &inst);
}

static bool is_access(const struct glc_row *row)
{
	return glc_row_shapes[row->value[0]].b == 'r';
}

static void access(struct rows *w, uint32_t row)
{
	const int64_t *v = w->at[row].value;
	bool result = is_needed(w, row, RESULT);
	struct ssa *s = w->s;
	enum glc_op op = (enum glc_op)v[0];
	struct glc_inst inst = {
		.op = (uint16_t)op,
		.type = GLC_F32,
		.from = GLC_U32,   /* the index */
		.object = op == GLC_OP_LoadGlobal ? (uint16_t)v[1]
			  : op == GLC_OP_LoadShared || op == GLC_OP_StoreShared ? GLC_SMEM
										: GLC_OUTPUT,
		.arg = {value_r(w, v[2]), GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};
	struct glc_object *object = &s->kernel->objects[inst.object];
	bool loads = op == GLC_OP_LoadGlobal || op == GLC_OP_LoadShared;
	glc_value value;

	if (!loads)
		inst.arg[1] = value_f(w, v[1]);
	if (op == GLC_OP_AtomicAdd && !result)
		inst.mods = GLC_MOD_UNUSED;
	object->used |= op == GLC_OP_AtomicAdd ? GLC_READWRITE : loads ? GLC_READ : GLC_WRITE;
	object->atomic |= op == GLC_OP_AtomicAdd;
	value = glc_emit_inst(&s->b, &inst);
	if (glc_row_shapes[op].d == 'f' && result)
		w->f[v[3]] = value;
}

/* gid < n, made before the first access. */
static void make_test(struct rows *w)
{
	struct glc_builder *b = &w->s->b;
	struct glc_inst gid = {
		.op = GLC_OP_GlobalId,
		.type = GLC_U32,
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};
	glc_value count = glc_ssa_param(w->s, GLC_COUNT);

	w->in = glc_emit2(b, GLC_OP_Lt, GLC_U32, glc_emit_inst(b, &gid), count);
}

/* The accesses from `first` on under one test. Gives the row behind them. */
static uint32_t accesses(struct rows *w, uint32_t first)
{
	struct glc_builder *b = &w->s->b;
	uint64_t loaded = 0;
	uint32_t next = first, scope;

	if (w->in == GLC_NO_VALUE)
		make_test(w);
	glc_if(b, w->in);
	scope = glc_scope_begin(b);
	for (; next < w->count; next++) {
		const struct glc_row *row = &w->at[next];

		if (!is_needed(w, next, ROW))
			continue;
		if (!is_access(row))
			break;
		b->pos = row->pos;
		access(w, next);
		if (glc_row_shapes[row->value[0]].d == 'f' && is_needed(w, next, RESULT))
			loaded |= UINT64_C(1) << row->value[3];
	}
	glc_scope_end(b, scope);
	glc_else(b, true);
	glc_end_if(b, true, false);
	for (; loaded; loaded &= loaded - 1) {
		uint32_t number = (uint32_t)__builtin_ctzll(loaded);

		w->f[number] = glc_phi(b, GLC_F32, w->f[number], zero_f(w));
	}
	return next;
}

void glc_stream_build(struct ssa *s)
{
	struct rows w;
	struct glc_inst end = {
		.op = GLC_OP_Return,
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	w.s = s;
	w.needed = NULL;
	w.in = w.zero = GLC_NO_VALUE;
	memset(w.f, 0xff, sizeof w.f);
	memset(w.r, 0xff, sizeof w.r);
	w.count = s->source->live_rows;
	w.at = w.count ? &s->tree->rows.at[s->source->first_row] : NULL;
	if (s->b.optimize && !choose(&w)) {
		s->failed = true;
		return;
	}
	for (uint32_t i = 0; i < w.count && !s->b.failed;) {
		const int64_t *v = w.at[i].value;

		s->b.pos = w.at[i].pos;
		if (!is_needed(&w, i, ROW)) {
			i++;
		} else if (is_binary(v[0])) {
			i = binary_rows(&w, i);
		} else if (is_access(&w.at[i])) {
			i = accesses(&w, i);
		} else if (v[0] == GLC_OP_Return) {
			break;
		} else {
			plain_row(&w, v);
			i++;
		}
	}
	glc_append(&s->b, &end);
	s->kernel->trimmed = w.needed && !s->b.replaced;
}
