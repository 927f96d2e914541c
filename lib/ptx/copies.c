/* SPDX-License-Identifier: MIT */
/*
 * Leaving SSA: each Phi has a register of its own, and each edge into its join writes all of
 * them at once. Where one Phi's new value is another's old one, order matters, and a cycle
 * (a, b = b, a) needs a register more.
 *
 * The registers of one join are handed out together, so that within a class they are a
 * range: a register of the range tells its Phi.
 */
#include "ptx/emit.h"

static inline bool is_phi(const struct emitter *e, uint32_t index)
{
	return index < e->kernel->inst_count && e->kernel->insts[index].op == GLC_OP_Phi;
}

void glc_ptx_phi_registers(struct emitter *e, uint32_t first)
{
	for (; is_phi(e, first); first++)
		e->places[first] = new_register(e, glc_ptx_class[e->kernel->insts[first].type]);
}

/* What the Phi becomes by this edge; GLC_NO_VALUE when it stays or does not matter. */
static inline uint32_t source_of(const struct emitter *e, uint32_t phi, enum edge edge, uint32_t list)
{
	const struct glc_inst *inst = &e->kernel->insts[phi];
	glc_value value = edge == EDGE_LIST ? e->kernel->edge_values[list + inst->arg[0]] : inst->arg[edge];
	uint32_t source;

	if (value == GLC_NO_VALUE)
		return GLC_NO_VALUE;
	source = operand(e, value);
	return source == e->places[phi] ? GLC_NO_VALUE : source;
}

uint32_t glc_ptx_count_copies(const struct emitter *e, uint32_t first, enum edge edge, uint32_t list)
{
	uint32_t count = 0;

	for (; is_phi(e, first); first++)
		count += source_of(e, first, edge, list) != GLC_NO_VALUE;
	return count;
}

/* The registers of the Phis: for each class the range, and where its part of by_register begins. */
struct ranges {
	uint32_t first[CLASS_COUNT], end[CLASS_COUNT], offset[CLASS_COUNT];
};

static inline bool in_ranges(const struct ranges *ranges, uint32_t op)
{
	return !glc_is_const(op) && op - ranges->first[REGISTER_CLASS(op)] <
					    ranges->end[REGISTER_CLASS(op)] - ranges->first[REGISTER_CLASS(op)];
}

static inline uint32_t position(const struct ranges *ranges, uint32_t reg)
{
	uint32_t klass = REGISTER_CLASS(reg);

	return ranges->offset[klass] + reg - ranges->first[klass];
}

struct tangle {
	uint32_t count;
	uint32_t *source;       /* GLC_NO_VALUE: nothing left to do */
	uint32_t *readers;      /* copies to come that read this Phi's register */
	uint32_t *by_register;  /* the Phi of a register */
	uint32_t *ready;        /* Phis that nobody reads any more */
	struct ranges ranges;
};

static inline uint32_t phi_of(const struct tangle *t, uint32_t reg)
{
	return t->by_register[position(&t->ranges, reg)];
}

/* Turns a cycle that begins at Phi i: its old value waits in a register of its own. */
static void turn(struct emitter *e, struct tangle *t, uint32_t first, uint32_t i, struct guard guard)
{
	uint32_t saved = new_register(e, REGISTER_CLASS(e->places[first + i])), next;

	glc_ptx_move(e, saved, e->places[first + i], guard);
	for (uint32_t j = i;; j = next) {
		next = phi_of(t, t->source[j]);
		glc_ptx_move(e, e->places[first + j], next == i ? saved : t->source[j], guard);
		t->source[j] = GLC_NO_VALUE;
		if (next == i)
			return;
	}
}

static void untangle(struct emitter *e, struct tangle *t, uint32_t first, struct guard guard)
{
	uint32_t ready = 0;

	for (uint32_t i = 0; i < t->count; i++)
		t->by_register[position(&t->ranges, e->places[first + i])] = i;
	for (uint32_t i = 0; i < t->count; i++)
		if (t->source[i] != GLC_NO_VALUE && in_ranges(&t->ranges, t->source[i]))
			t->readers[phi_of(t, t->source[i])]++;
	/* Pushed in reverse, so that the first Phi comes first. */
	for (uint32_t i = t->count; i-- > 0;)
		if (!t->readers[i] && t->source[i] != GLC_NO_VALUE)
			t->ready[ready++] = i;
	while (ready) {
		uint32_t i = t->ready[--ready], source = t->source[i], from;

		glc_ptx_move(e, e->places[first + i], source, guard);
		t->source[i] = GLC_NO_VALUE;
		if (!in_ranges(&t->ranges, source))
			continue;
		from = phi_of(t, source);
		if (!--t->readers[from] && t->source[from] != GLC_NO_VALUE)
			t->ready[ready++] = from;
	}
	/* What is left is read by exactly one copy each: cycles. */
	for (uint32_t i = 0; i < t->count; i++)
		if (t->source[i] != GLC_NO_VALUE)
			turn(e, t, first, i, guard);
}

void glc_ptx_copies(struct emitter *e, uint32_t first, enum edge edge, uint32_t list,
		    struct guard guard)
{
	struct tangle t = {.count = 0};
	uint32_t sizes[CLASS_COUNT] = {0}, *at;
	bool tangled = false;

	for (; is_phi(e, first + t.count); t.count++) {
		uint32_t reg = e->places[first + t.count];

		if (!sizes[REGISTER_CLASS(reg)]++)
			t.ranges.first[REGISTER_CLASS(reg)] = reg;
		t.ranges.end[REGISTER_CLASS(reg)] = reg + 1;
	}
	for (uint32_t i = 0; i < t.count && !tangled; i++) {
		uint32_t source = source_of(e, first + i, edge, list);

		tangled = source != GLC_NO_VALUE && in_ranges(&t.ranges, source);
	}
	if (!tangled) {
		for (uint32_t i = 0; i < t.count; i++) {
			uint32_t source = source_of(e, first + i, edge, list);

			if (source != GLC_NO_VALUE)
				glc_ptx_move(e, e->places[first + i], source, guard);
		}
		return;
	}

	e->scratch.count = 0;
	if (t.count > UINT32_MAX / 4 || !GLC_RESERVE(e->input->memory, &e->scratch, 4 * t.count)) {
		e->out.failed = true;
		return;
	}
	at = e->scratch.at;
	t.source = at;
	t.readers = at + t.count;
	t.by_register = at + 2 * t.count;
	t.ready = at + 3 * t.count;
	for (uint32_t klass = 1; klass < CLASS_COUNT; klass++)
		t.ranges.offset[klass] = t.ranges.offset[klass - 1] + sizes[klass - 1];
	for (uint32_t i = 0; i < t.count; i++) {
		t.source[i] = source_of(e, first + i, edge, list);
		t.readers[i] = 0;
	}
	untangle(e, &t, first, guard);
}
