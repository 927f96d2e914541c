/* SPDX-License-Identifier: MIT */
/*
 * What each register holds now. Writes are journalled per frame, so that leaving an arm
 * undoes just what the arm wrote: a join costs the registers written in its arms, never
 * all that are live.
 */
#include "ir/ssa.h"

#include <string.h>

void glc_ssa_touch(struct ssa *s, uint32_t reg)
{
	struct ssa_register *r = &s->regs[reg];
	struct ssa_journal *entry;

	if (r->stamp == s->stamp)
		return;
	entry = GLC_PUSH(s->memory, &s->journal);
	if (!entry) {
		s->failed = true;
		return;
	}
	*entry = (struct ssa_journal){.reg = reg, .old = r->now, .old_stamp = r->stamp};
	r->stamp = s->stamp;
}

void glc_ssa_write(struct ssa *s, uint32_t reg, glc_value value)
{
	glc_ssa_touch(s, reg);
	s->regs[reg].now = value;
}

static struct glc_name name_of(const struct ssa *s, uint32_t reg)
{
	return s->source->registers.at[reg];
}

bool glc_ssa_define(struct ssa *s, uint32_t reg, enum glc_type type, glc_value value, uint32_t pos)
{
	struct ssa_register *r = &s->regs[reg];
	struct glc_name name = name_of(s, reg);

	if (r->counter) {
		glc_fail(s->diag, GLC_GA_COUNTER_WRITTEN, pos, (int)name.bytes, name.at);
		return false;
	}
	if (r->type == GLC_VOID) {
		r->type = (uint8_t)type;
		r->pos = pos;
	} else if (r->type != type) {
		glc_fail(s->diag, GLC_GA_RESULT_TYPE, pos, (int)name.bytes, name.at,
			 glc_types[r->type].name, glc_types[type].name);
		glc_note(s->diag, r->pos, "its first definition");
		return false;
	}
	glc_ssa_write(s, reg, value);
	return true;
}

glc_value glc_ssa_unset(struct ssa *s, uint32_t pos, enum ssa_way way, glc_value deeper)
{
	struct ssa_reason *reason = GLC_PUSH(s->memory, &s->reasons);

	if (!reason || s->reasons.count > 1u << 29) {
		s->failed = true;
		return GLC_NO_VALUE;
	}
	*reason = (struct ssa_reason){pos, way, deeper};
	return GLC_UNSET | (s->reasons.count - 1);
}

/* The path on which a register stays unset, outermost step first. */
static void tell_path(struct ssa *s, glc_value value)
{
	static const char texts[][40] = {
		[SSA_WAY_TRUE] = "not set when this condition is true",
		[SSA_WAY_FALSE] = "not set when this condition is false",
		[SSA_WAY_LEAVE] = "not set when the loop is left here",
		[SSA_WAY_NEVER] = "not set when this loop runs no round",
	};

	for (int steps = 0; value != GLC_NO_VALUE && !glc_is_set(value) && steps < 8; steps++) {
		const struct ssa_reason *reason = &s->reasons.at[value & ~GLC_UNSET];

		glc_note(s->diag, reason->pos, "%s", texts[reason->way]);
		value = reason->deeper;
	}
}

bool glc_ssa_read(struct ssa *s, struct glc_operand operand, enum glc_type type, glc_value *value)
{
	struct ssa_register *r = &s->regs[operand.index];
	struct glc_name name = name_of(s, operand.index);

	if (r->type == GLC_VOID) {
		glc_fail(s->diag, GLC_GA_NEVER_SET, operand.pos, (int)name.bytes, name.at);
		return false;
	}
	if (r->type != type) {
		glc_fail(s->diag, GLC_GA_OPERAND_TYPE, operand.pos, '%', (int)name.bytes, name.at,
			 glc_types[r->type].name, glc_types[type].name);
		return false;
	}
	if (!glc_is_set(r->now)) {
		if (r->now == GLC_NO_VALUE) {
			glc_fail(s->diag, GLC_GA_NEVER_SET, operand.pos, (int)name.bytes, name.at);
		} else {
			glc_fail(s->diag, GLC_GA_MAYBE_UNSET, operand.pos, (int)name.bytes, name.at);
			tell_path(s, r->now);
		}
		/* One report is enough: from here on it counts as set. */
		glc_ssa_write(s, operand.index, glc_const_bits(&s->b, type, 0));
		return false;
	}
	*value = r->now;
	return true;
}

/* --- The scan before: which registers each loop writes ------------------- */

struct scan_entry {
	uint32_t reg;
	uint32_t before;   /* what seen[reg] was: the depth of an outer set that has it, or 0 */
};

struct scan_loop {
	uint32_t stmt;
	GLC_ARRAY(struct scan_entry) set;
};

static bool scan_add(struct ssa *s, struct scan_loop *loop, uint32_t reg, uint32_t before)
{
	struct scan_entry *entry = GLC_PUSH(s->memory, &loop->set);

	if (entry)
		*entry = (struct scan_entry){reg, before};
	return entry;
}

/* Keeps the set of the loop at `depth` (from 1) and hands it to the loop around it. */
static bool scan_close(struct ssa *s, struct scan_loop *open, uint32_t depth, uint32_t *seen)
{
	struct scan_loop *closed = &open[depth - 1];
	struct ssa_loop *loop = &s->loops[closed->stmt];

	if (!GLC_RESERVE(s->memory, &s->write_sets, closed->set.count))
		return false;
	loop->writes = s->write_sets.count;
	loop->write_count = closed->set.count;
	for (uint32_t i = 0; i < closed->set.count; i++) {
		struct scan_entry *entry = &closed->set.at[i];

		s->write_sets.at[s->write_sets.count++] = entry->reg;
		seen[entry->reg] = depth - 1;
		if (depth > 1 && entry->before != depth - 1 &&
		    !scan_add(s, closed - 1, entry->reg, entry->before))
			return false;
	}
	return true;
}

bool glc_ssa_scan_loops(struct ssa *s)
{
	const struct glc_tree_kernel *source = s->source;
	const struct glc_stmt *stmts = s->tree->stmts.at + source->first;
	GLC_ARRAY(struct scan_loop) open = {0};
	uint32_t *seen;   /* by register: the depth of the innermost open loop whose set has it */

	s->loops = NULL;
	if (!source->has_loops)
		return true;
	s->loops = glc_bump_zero(s->memory, (size_t)source->count * sizeof *s->loops);
	seen = glc_bump_zero(s->memory, ((size_t)source->registers.count + 1) * sizeof *seen);
	if (!s->loops || !seen)
		return false;

	for (uint32_t i = 0; i < source->count; i++) {
		const struct glc_stmt *stmt = &stmts[i];
		struct scan_loop *top = open.count ? &open.at[open.count - 1] : NULL;

		switch (stmt->op) {
		case GLC_OP_Loop:
		case GLC_STMT_FOR:
			/* The counter is not in the set: it does not outlive the loop. */
			top = GLC_PUSH(s->memory, &open);
			if (!top)
				return false;
			memset(top, 0, sizeof *top);
			top->stmt = i;
			break;
		case GLC_OP_Break:
		case GLC_OP_Continue:
		case GLC_STMT_BREAK_IF:
		case GLC_STMT_CONTINUE_IF:
			if (top)
				s->loops[top->stmt].leaves = true;
			break;
		case GLC_STMT_END:
			if (!top || stmts[top->stmt].end != source->first + i)
				break;
			if (!scan_close(s, open.at, open.count, seen))
				return false;
			open.count--;
			break;
		default:
			if (!top || stmt->result == GLC_NO_VALUE || seen[stmt->result] == open.count)
				break;
			if (!scan_add(s, top, stmt->result, seen[stmt->result]))
				return false;
			seen[stmt->result] = open.count;
		}
	}
	return true;
}
