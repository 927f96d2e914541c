/* SPDX-License-Identifier: MIT */
/*
 * Structured control flow: what constructs hold, how they may be entered and left, the
 * cases of switches, and which branches need a merge instruction.
 *
 * Source: SPIR-V 2.11.1, Structural Dominance; 2.11.2, Structured Control-Flow Constructs;
 * 2.16.2.
 */
#include "spirv/val/val.h"

enum { NONE = UINT32_MAX };

struct structure {
	struct val *v;
	struct spv_function *function;
	struct spv_block *blocks;
	const uint32_t *edges;
	uint32_t *inside, *stack, *mark, *cases, *judged, *falls, *fallen;   /* by block within the function; stamps */
	uint32_t *outer, *depth, *top;   /* the nest of constructs: see nests_well */
	uint32_t base, count, stamp;
};

static bool dominates(const struct structure *s, uint32_t a, uint32_t b)
{
	return s->blocks[a].s_first <= s->blocks[b].s_first && s->blocks[b].s_last <= s->blocks[a].s_last;
}

static bool postdominates(const struct structure *s, uint32_t a, uint32_t b)
{
	return s->blocks[a].p_first <= s->blocks[b].p_first && s->blocks[b].p_last <= s->blocks[a].p_last;
}

static uint32_t merge_of(const struct structure *s, uint32_t block)
{
	return s->edges[s->blocks[block].structural];
}

static uint32_t continue_of(const struct structure *s, uint32_t block)
{
	return s->edges[s->blocks[block].structural + 1];
}

static uint32_t terminator_op(const struct structure *s, uint32_t block)
{
	return s->v->module.insts[s->blocks[block].terminator].op;
}

static uint32_t label_of(const struct structure *s, uint32_t block)
{
	return spv_id(&s->v->module, s->v->module.insts[s->blocks[block].label].id);
}

#define FAIL(s, block, code, ...) \
	SPV_FAIL((s)->v, &(s)->v->module.insts[(s)->blocks[block].label], code, NULL, __VA_ARGS__)

/* --- Constructs ---------------------------------------------------------- */

enum kind { SELECTION, LOOP, CONTINUE };

struct construct {
	enum kind kind;
	uint32_t header;      /* the block it begins with */
	uint32_t exit;        /* its merge block; of a continue construct the back edge's block */
	uint32_t loop;        /* the loop's header; of a continue construct */
};

static const char *name(const struct construct *c)
{
	return c->kind == SELECTION ? "selection" : c->kind == LOOP ? "loop" : "continue construct";
}

static bool holds(const struct structure *s, const struct construct *c, uint32_t block)
{
	if (!dominates(s, c->header, block))
		return false;
	if (c->kind == CONTINUE && postdominates(s, c->exit, block))
		return true;
	if (dominates(s, c->exit, block))
		return false;
	return c->kind != LOOP || !dominates(s, continue_of(s, c->header), block);
}

/* Stamps the blocks of a construct; the stack keeps them as a list. */
static uint32_t collect(struct structure *s, const struct construct *c)
{
	uint32_t count = 0;

	s->stamp++;
	if (!holds(s, c, c->header))
		return 0;
	s->stack[count++] = c->header;
	s->inside[c->header - s->base] = s->stamp;
	for (uint32_t at = 0; at < count; at++) {
		const struct spv_block *b = &s->blocks[s->stack[at]];

		for (uint32_t i = 0; i < b->structural_count; i++) {
			uint32_t to = s->edges[b->structural + i];

			if (s->inside[to - s->base] == s->stamp || !holds(s, c, to))
				continue;
			s->inside[to - s->base] = s->stamp;
			s->stack[count++] = to;
		}
	}
	return count;
}

static bool is_inside(const struct structure *s, uint32_t block)
{
	return s->inside[block - s->base] == s->stamp;
}

/* The innermost loop or switch around each block. Backwards in postorder: dominators come first. */
static void find_enclosing(struct structure *s, const uint32_t *order, uint32_t count)
{
	for (uint32_t k = count; k-- > 0;) {
		struct spv_block *b = &s->blocks[order[k]];
		uint32_t header = b->is_merge ? b->header : NONE, d = b->s_dominator;

		if (header != NONE && header != order[k] && dominates(s, header, order[k]))
			b->enclosing = s->blocks[header].enclosing;
		else if (d != NONE)
			b->enclosing = s->blocks[d].is_loop || (s->blocks[d].is_selection && terminator_op(s, d) == OpSwitch) ?
					       d : s->blocks[d].enclosing;
	}
}

/* Out of a selection: to its merge block, a loop's around it, or a switch's. */
static bool leaves_selection(const struct structure *s, const struct construct *c, uint32_t to)
{
	bool seen_switch = false, of_switch = terminator_op(s, c->header) == OpSwitch;

	if (to == c->exit)
		return true;
	for (uint32_t at = s->blocks[c->header].enclosing; at != NONE; at = s->blocks[at].enclosing) {
		bool loop = s->blocks[at].is_loop;

		if ((!loop && of_switch) || dominates(s, merge_of(s, at), c->header))
			continue;
		if ((!seen_switch || loop) && to == merge_of(s, at))
			return true;
		if (loop)
			return to == continue_of(s, at);
		seen_switch = true;
	}
	return false;
}

static bool is_exit(const struct structure *s, const struct construct *c, uint32_t to)
{
	switch (c->kind) {
	case LOOP: return to == merge_of(s, c->header) || to == continue_of(s, c->header);
	case CONTINUE: return to == c->loop || to == merge_of(s, c->loop);
	default: return leaves_selection(s, c, to);
	}
}

static bool check_block(struct structure *s, const struct construct *c, uint32_t block)
{
	const struct spv_block *b = &s->blocks[block];

	for (uint32_t i = 0; i < b->next_count; i++)
		if (!is_inside(s, s->edges[b->next + i]) && !is_exit(s, c, s->edges[b->next + i]))
			return FAIL(s, block, BAD_EXIT, label_of(s, block), name(c), label_of(s, c->header));
	if (block == c->header)
		return true;
	for (uint32_t i = 0; i < b->previous_count; i++) {
		uint32_t from = s->edges[b->previous + i];

		if (s->blocks[from].s_reachable && !is_inside(s, from))
			return FAIL(s, from, BAD_ENTRY, label_of(s, from), name(c), label_of(s, c->header));
	}
	if (b->merge && s->blocks[merge_of(s, block)].s_reachable && !is_inside(s, merge_of(s, block)))
		return FAIL(s, block, MERGE_OUTSIDE, label_of(s, merge_of(s, block)), name(c), label_of(s, c->header));
	return true;
}

/* Who branches to a continue target is in the loop. */
static bool check_continue_target(struct structure *s, const struct construct *c, bool nested)
{
	uint32_t target = continue_of(s, c->header);
	const struct spv_block *b = &s->blocks[target];

	for (uint32_t i = 0; i < b->previous_count && target != c->header; i++) {
		uint32_t from = s->edges[b->previous + i];

		if (!(nested ? holds(s, c, from) : is_inside(s, from)) && b->latch != from)
			return FAIL(s, from, BAD_ENTRY, label_of(s, from), "continue target of the loop", label_of(s, c->header));
	}
	return true;
}

/* --- The nest of constructs ----------------------------------------------- */

/*
 * Judging each construct by walking its blocks costs the nesting depth a block. Where
 * constructs nest, as they nearly always do, each branch can be judged once instead.
 *
 * A node is a construct: that of the merge instruction of block i, or, at `count` + i, the
 * continue construct that begins with block i. `outer` makes a tree of them, and the nodes
 * from a block's `top` to the root are exactly the constructs that hold the block. A branch then
 * leaves and enters what lies between two nodes and their common ancestor.
 *
 * Down the tree of dominators a block is in the constructs of its dominator, without those that
 * end with it: it is their merge block, or the continue target of a loop.
 */

static struct construct construct_at(const struct structure *s, uint32_t node)
{
	uint32_t block = s->base + (node < s->count ? node : node - s->count);
	const struct spv_block *b = &s->blocks[block];

	if (node >= s->count)
		return (struct construct){CONTINUE, block, s->blocks[b->loop].latch, b->loop};
	return (struct construct){b->is_loop ? LOOP : SELECTION, block, merge_of(s, block), NONE};
}

static uint32_t depth_of(const struct structure *s, uint32_t node)
{
	return node == NONE ? 0 : s->depth[node];
}

/* The construct that ends at a block was around its dominator; has it been left on the way to `top`? */
static bool has_left(const struct structure *s, uint32_t header, uint32_t dominator, uint32_t top)
{
	struct construct c;

	if (!s->blocks[header].s_reachable)
		return true;
	c = construct_at(s, header - s->base);
	return !holds(s, &c, dominator) || s->depth[header - s->base] > depth_of(s, top);
}

static void begin_construct(struct structure *s, uint32_t block, uint32_t node)
{
	struct construct c = construct_at(s, node);
	uint32_t *top = &s->top[block - s->base];

	if (!holds(s, &c, block))
		return;
	s->outer[node] = *top;
	s->depth[node] = depth_of(s, *top) + 1;
	*top = node;
}

static bool place(struct structure *s, uint32_t block)
{
	const struct spv_block *b = &s->blocks[block];
	uint32_t d = b->s_dominator, top = d == NONE ? NONE : s->top[d - s->base];

	/* Only what is odd lies behind a back edge's block, or has two loops' continue targets in one. */
	if (d != NONE && s->judged[d - s->base])
		return false;
	if (b->is_loop && (b->latch == NONE || s->blocks[continue_of(s, block)].loop != block))
		return false;
	if (d != NONE && (b->is_merge || b->is_continue)) {
		while (top != NONE) {
			struct construct c = construct_at(s, top);

			if (holds(s, &c, block))
				break;
			top = s->outer[top];
		}
		if ((b->is_merge && !has_left(s, b->header, d, top)) || (b->is_continue && !has_left(s, b->loop, d, top)))
			return false;
	}
	s->top[block - s->base] = top;
	if (b->is_continue && s->blocks[b->loop].s_reachable) {
		if (s->blocks[b->loop].latch == NONE)
			return false;
		begin_construct(s, block, s->count + block - s->base);
	}
	if (b->is_selection || b->is_loop)
		begin_construct(s, block, block - s->base);
	return true;
}

enum edge { BRANCH, TO_MERGE, TO_CONTINUE };

/* What check_block asks of one edge, of all constructs that it leaves or enters. */
static bool crosses_well(const struct structure *s, uint32_t from, uint32_t to, enum edge edge)
{
	uint32_t left = s->top[from - s->base], entered = s->top[to - s->base];

	while (left != entered) {
		struct construct c;

		if (depth_of(s, entered) >= depth_of(s, left)) {
			c = construct_at(s, entered);
			if (c.header != to)
				return false;
			entered = s->outer[entered];
			continue;
		}
		c = construct_at(s, left);
		if (edge == BRANCH ? !is_exit(s, &c, to) : edge == TO_MERGE && c.header != from)
			return false;
		left = s->outer[left];
	}
	return true;
}

/* True when every construct is left and entered as it must be; otherwise it is not known. */
static bool nests_well(struct structure *s, const uint32_t *order, uint32_t count)
{
	bool good = true;

	for (uint32_t i = s->base; i < s->base + s->count; i++)
		if (s->blocks[i].is_loop && s->blocks[i].latch != NONE)
			s->judged[s->blocks[i].latch - s->base] = 1;
	for (uint32_t k = count; k-- > 0 && good;)
		good = place(s, order[k]);
	memset(s->judged, 0, s->count * sizeof *s->judged);
	for (uint32_t k = count; k-- > 0 && good;) {
		const struct spv_block *b = &s->blocks[order[k]];

		for (uint32_t i = 0; i < b->next_count && good; i++)
			good = crosses_well(s, order[k], s->edges[b->next + i], BRANCH);
		if (b->merge && good)
			good = crosses_well(s, order[k], merge_of(s, order[k]), TO_MERGE);
		if (b->is_loop && good)
			good = crosses_well(s, order[k], continue_of(s, order[k]), TO_CONTINUE);
	}
	return good;
}

/* --- Switches ------------------------------------------------------------ */

/* Where control falls from a case into another: NONE when it does not. False, reported, when it goes astray. */
static bool find_fall_through(struct structure *s, uint32_t target, uint32_t merge, uint32_t cases, uint32_t *falls)
{
	uint32_t count = 0, mark = ++s->stamp;
	bool reachable = s->blocks[target].s_reachable;

	*falls = NONE;
	s->stack[count++] = target;
	s->mark[target - s->base] = mark;
	while (count) {
		uint32_t at = s->stack[--count];
		const struct spv_block *b = &s->blocks[at];

		if (at == merge)
			continue;
		if (reachable && b->s_reachable && dominates(s, target, at)) {
			for (uint32_t i = 0; i < b->next_count; i++) {
				uint32_t to = s->edges[b->next + i];

				if (s->mark[to - s->base] == mark)
					continue;
				s->mark[to - s->base] = mark;
				s->stack[count++] = to;
			}
			continue;
		}
		if (s->cases[at - s->base] != cases) {
			if (b->depth < s->blocks[target].depth || (b->depth == s->blocks[target].depth && b->is_continue))
				continue;
			return FAIL(s, target, BAD_CASE, label_of(s, target), "leaves the switch by another way than its merge block or a loop's");
		}
		if (*falls == NONE) {
			if (at != target)
				*falls = at;
		} else if (*falls != at) {
			return FAIL(s, target, BAD_CASE, label_of(s, target), "falls into two other cases");
		}
	}
	return true;
}

static bool check_switch(struct structure *s, const struct construct *c)
{
	const struct spv_block *b = &s->blocks[c->header];
	uint32_t cases = ++s->stamp, fallen = ++s->stamp, fall_default = NONE, first = s->edges[b->next];
	bool default_again = false;

	for (uint32_t i = 0; i < b->next_count; i++) {
		uint32_t to = s->edges[b->next + i];

		if (to != c->exit)
			s->cases[to - s->base] = cases;
		default_again |= i && to == first;
	}
	for (uint32_t i = 0; i < b->next_count; i++) {
		uint32_t to = s->edges[b->next + i], falls, next = i + 1;

		if (to == c->exit)
			continue;
		/* A target in several cases is judged once; its other places only as to their order. */
		if (s->judged[to - s->base] == fallen) {
			falls = s->falls[to - s->base];
		} else {
			if (b->s_reachable && s->blocks[to].s_reachable && !dominates(s, c->header, to))
				return FAIL(s, c->header, BAD_CASE, label_of(s, to), "is not dominated by its switch");
			if (!find_fall_through(s, to, c->exit, cases, &falls))
				return false;
			if (falls != NONE) {
				if (s->fallen[falls - s->base] == fallen)
					return FAIL(s, falls, BAD_CASE, label_of(s, falls), "is fallen into from two cases");
				s->fallen[falls - s->base] = fallen;
			}
			s->judged[to - s->base] = fallen;
			s->falls[to - s->base] = falls;
		}
		if (falls == first && !default_again)
			falls = fall_default;
		if (falls == NONE)
			continue;
		if (i == 0) {
			fall_default = falls;
			continue;
		}
		while (next < b->next_count && s->edges[b->next + next] == to)
			next++;
		if (next == b->next_count || s->edges[b->next + next] != falls)
			return FAIL(s, c->header, BAD_CASE, label_of(s, to), "falls into a case that does not follow it");
	}
	return true;
}

/* --- The function -------------------------------------------------------- */

/* nested: nests_well has judged its blocks. */
static bool check_construct(struct structure *s, const struct construct *c, bool nested)
{
	uint32_t count;

	if (!s->blocks[c->header].s_reachable)
		return true;
	if (c->exit == NONE)
		return FAIL(s, c->header, NO_BACK_EDGE, label_of(s, c->loop));
	if (!dominates(s, c->header, c->exit) || (c->kind != CONTINUE && c->header == c->exit))
		return FAIL(s, c->exit, NOT_DOMINATED, name(c), label_of(s, c->header), label_of(s, c->exit));
	if (c->kind == CONTINUE && !postdominates(s, c->exit, c->header))
		return FAIL(s, c->exit, NOT_DOMINATED, name(c), label_of(s, c->header), label_of(s, c->exit));
	count = nested ? 0 : collect(s, c);
	for (uint32_t i = 0; i < count; i++)
		if (!check_block(s, c, s->stack[i]))
			return false;
	if (c->kind == LOOP)
		return check_continue_target(s, c, nested);
	return c->kind != SELECTION || terminator_op(s, c->header) != OpSwitch || check_switch(s, c);
}

static bool check_loops(struct structure *s)
{
	for (uint32_t i = s->base; i < s->base + s->count; i++) {
		const struct spv_block *b = &s->blocks[i];

		if (b->latches && !b->is_loop)
			return FAIL(s, b->latch, BACK_EDGE, label_of(s, i));
		if (b->is_loop && b->s_reachable && b->latches != 1)
			return FAIL(s, i, NO_BACK_EDGE, label_of(s, i));
	}
	return true;
}

static bool see(struct structure *s, uint32_t block)
{
	bool fresh = s->mark[block - s->base] != s->stamp;

	s->mark[block - s->base] = s->stamp;
	return fresh;
}

/* A branch to two blocks that no merge instruction has named needs one of its own. */
static bool check_selections(struct structure *s, const uint32_t *order, uint32_t count)
{
	s->stamp++;
	for (uint32_t k = count; k-- > 0;) {
		const struct spv_block *b = &s->blocks[order[k]];
		uint32_t op = terminator_op(s, order[k]);

		if (b->merge) {
			see(s, merge_of(s, order[k]));
			if (b->is_loop)
				see(s, continue_of(s, order[k]));
		}
		if (op == OpBranchConditional) {
			bool yes = see(s, s->edges[b->next]), no = see(s, s->edges[b->next + 1]);

			if (!b->merge && yes && no)
				return FAIL(s, order[k], UNSTRUCTURED, label_of(s, order[k]));
		} else if (op == OpSwitch) {
			if (!b->merge)
				return FAIL(s, order[k], UNSTRUCTURED, label_of(s, order[k]));
			for (uint32_t i = 0; i < b->next_count; i++)
				see(s, s->edges[b->next + i]);
		}
	}
	return true;
}

bool spv_check_structure(struct val *v, struct spv_function *function, const uint32_t *order, uint32_t count)
{
	struct structure s = {.v = v, .function = function, .blocks = v->blocks.at, .edges = v->edges.at,
		.base = function->block, .count = function->block_count};
	uint32_t **arrays[] = {&s.inside, &s.stack, &s.mark, &s.cases, &s.judged, &s.falls, &s.fallen, &s.top};
	struct glc_mark mark = glc_bump_mark(v->memory);
	bool good = false, nested;

	for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
		*arrays[i] = glc_bump_zero(v->memory, ((size_t)s.count + 1) * sizeof **arrays[i]);
		if (!*arrays[i]) {
			v->out_of_memory = true;
			return false;
		}
	}
	s.outer = glc_bump(v->memory, 2 * (size_t)s.count * sizeof *s.outer);
	s.depth = glc_bump(v->memory, 2 * (size_t)s.count * sizeof *s.depth);
	if (!s.outer || !s.depth) {
		v->out_of_memory = true;
		goto out;
	}
	if (!check_loops(&s))
		goto out;
	find_enclosing(&s, order, count);
	nested = nests_well(&s, order, count);
	for (uint32_t i = s.base; i < s.base + s.count; i++) {
		const struct spv_block *b = &s.blocks[i];

		if (b->is_selection &&
		    !check_construct(&s, &(struct construct){SELECTION, i, merge_of(&s, i), NONE}, nested))
			goto out;
		if (b->is_loop &&
		    (!check_construct(&s, &(struct construct){LOOP, i, merge_of(&s, i), NONE}, nested) ||
		     !check_construct(&s, &(struct construct){CONTINUE, continue_of(&s, i), b->latch, i}, nested)))
			goto out;
	}
	good = check_selections(&s, order, count);
out:
	glc_bump_release(v->memory, mark);
	return good;
}
