/* SPDX-License-Identifier: MIT */
/*
 * Rows to instructions. Every access to memory is predicated on gid < n, and control flow
 * stays uniform, so that barriers and shuffles in the stream are defined for the last,
 * partial workgroup too. A predicated-off load gives 0. Accesses that follow one another
 * share one test.
 */
#include "ir/ssa.h"
#include "ir/stream.h"

struct chosen_row {
	const struct glc_row *row;
	bool result;                   /* somebody needs what it writes */
};

struct rows {
	struct ssa *s;
	const struct chosen_row *at;
	uint32_t count;
	glc_value f[GLC_STREAM_REGISTERS], r[GLC_STREAM_REGISTERS];
	uint64_t set_f, set_r;         /* which of them are filled; the others are 0 */
	glc_value in;                  /* gid < n; GLC_NO_VALUE: not made yet */
};

/* --- Which rows ---------------------------------------------------------- */

/* Registers that a row further on reads. */
struct live {
	uint64_t f, r;
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

/* Whether the row is needed, going backwards; what it reads is live before it then. */
static inline bool is_needed(struct live *live, const int64_t *v, bool *result)
{
	struct glc_row_shape shape = glc_row_shapes[v[0]];
	uint64_t *file = shape.d == 'r' ? &live->r : &live->f;
	uint64_t bit = shape.d == '-' ? 0 : UINT64_C(1) << v[3];

	*result = *file & bit;
	if (!*result && !has_effect(v[0]))
		return false;
	*file &= ~bit;
	if (shape.a == 'f')
		live->f |= UINT64_C(1) << v[1];
	if (shape.b == 'f')
		live->f |= UINT64_C(1) << v[2];
	if (shape.b == 'r')
		live->r |= UINT64_C(1) << v[2];
	if (v[0] == GLC_OP_Fma)
		live->f |= bit;
	return true;
}

/*
 * All rows as they stand, or, optimizing, those that something needs: two words say what is
 * live, so that nothing has to be made first and dropped afterwards.
 */
static bool choose(struct rows *w)
{
	uint32_t count = w->s->source->live_rows;
	struct chosen_row *chosen = glc_bump(w->s->memory, count * sizeof *chosen), *at = chosen + count;
	struct live live = {0};

	if (!chosen)
		return false;
	for (uint32_t i = count; i-- > 0;) {
		const struct glc_row *row = &w->s->tree->rows.at[w->s->source->first_row + i];
		bool result = true;

		if (!w->s->b.optimize || is_needed(&live, row->value, &result))
			*--at = (struct chosen_row){row, result};
	}
	w->at = at;
	w->count = (uint32_t)(chosen + count - at);
	return true;
}

/* --- What they say ------------------------------------------------------- */

static inline glc_value value_f(struct rows *w, int64_t number)
{
	return w->set_f >> number & 1 ? w->f[number] : glc_const_bits(&w->s->b, GLC_F32, 0);
}

static inline glc_value value_r(struct rows *w, int64_t number)
{
	return w->set_r >> number & 1 ? w->r[number] : glc_const_bits(&w->s->b, GLC_U32, 0);
}

static inline void write_f(struct rows *w, int64_t number, glc_value value)
{
	w->f[number] = value;
	w->set_f |= UINT64_C(1) << number;
}

/* Add and its like: the common row. */
static inline void binary_row(struct rows *w, const int64_t *v)
{
	struct glc_inst inst = {
		.op = (uint16_t)v[0],
		.type = GLC_F32,
		.from = GLC_F32,
		.arg = {value_f(w, v[1]), value_f(w, v[2]), GLC_NO_VALUE, GLC_NO_VALUE},
	};

	write_f(w, v[3], glc_emit_inst(&w->s->b, &inst));
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
		write_f(w, v[3], glc_const_bits(&s->b, GLC_F32, (uint32_t)v[1]));
		return;
	case GLC_OP_LocalId:
	case GLC_OP_GlobalId:
		inst.type = GLC_U32;
		inst.from = GLC_VOID;
		w->r[v[3]] = glc_emit_inst(&s->b, &inst);
		w->set_r |= UINT64_C(1) << v[3];
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
		write_f(w, v[3], glc_append(&s->b, &inst));
		return;
	default:
		break;
	}
	inst.arg[0] = value_f(w, v[1]);
	if (shape.b == 'f')
		inst.arg[1] = value_f(w, v[2]);
	if (op == GLC_OP_Fma)
		inst.arg[2] = value_f(w, v[3]);
	write_f(w, v[3], glc_emit_inst(&s->b, &inst));
}

static bool is_access(const struct glc_row *row)
{
	return glc_row_shapes[row->value[0]].b == 'r';
}

static void access(struct rows *w, const struct chosen_row *chosen)
{
	const int64_t *v = chosen->row->value;
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
	if (op == GLC_OP_AtomicAdd && !chosen->result)
		inst.mods = GLC_MOD_UNUSED;
	object->used |= op == GLC_OP_AtomicAdd ? GLC_READWRITE : loads ? GLC_READ : GLC_WRITE;
	object->atomic |= op == GLC_OP_AtomicAdd;
	value = glc_emit_inst(&s->b, &inst);
	if (glc_row_shapes[op].d == 'f' && chosen->result)
		write_f(w, v[3], value);
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

	w->in = glc_emit2(b, GLC_OP_Lt, GLC_U32, glc_emit_inst(b, &gid), w->s->object_values[GLC_COUNT]);
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
	for (; next < w->count && is_access(w->at[next].row); next++) {
		const struct glc_row *row = w->at[next].row;

		b->pos = row->pos;
		access(w, &w->at[next]);
		if (glc_row_shapes[row->value[0]].d == 'f' && w->at[next].result)
			loaded |= UINT64_C(1) << row->value[3];
	}
	glc_scope_end(b, scope);
	glc_else(b, true);
	glc_end_if(b, true, false);
	for (; loaded; loaded &= loaded - 1) {
		uint32_t number = (uint32_t)__builtin_ctzll(loaded);

		w->f[number] = glc_phi(b, GLC_F32, w->f[number], glc_const_bits(b, GLC_F32, 0));
	}
	return next;
}

void glc_stream_build(struct ssa *s)
{
	struct rows w = {.s = s, .in = GLC_NO_VALUE};
	struct glc_inst end = {
		.op = GLC_OP_Return,
		.arg = {GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE, GLC_NO_VALUE},
	};

	if (!choose(&w)) {
		s->failed = true;
		return;
	}
	for (uint32_t i = 0; i < w.count && !s->b.failed;) {
		const int64_t *v = w.at[i].row->value;

		s->b.pos = w.at[i].row->pos;
		if (v[0] == GLC_OP_Return)
			break;
		if (v[0] >= GLC_OP_Add && v[0] <= GLC_OP_Div) {
			binary_row(&w, v);
			i++;
		} else if (is_access(w.at[i].row)) {
			i = accesses(&w, i);
		} else {
			plain_row(&w, v);
			i++;
		}
	}
	glc_append(&s->b, &end);
}
