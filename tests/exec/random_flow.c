/* SPDX-License-Identifier: MIT */
/* Makes a kernel from a seed. Nothing but the seed and the rows decides what comes out. */
#include "random_make.h"

#include <string.h>

/* --- Structure ----------------------------------------------------------- */

static bool make_block(struct maker *m, int depth, enum rk_parent parent);

static void count_nest(struct maker *m, int depth, enum rk_parent parent, enum rk_kind kind)
{
	if (m->coverage && depth < RK_DEPTH)
		m->coverage->nest[depth][parent][kind]++;
}

/* A bool; uniform when the lanes are to stay together. */
static struct rk_operand condition(struct maker *m, bool uniform)
{
	enum glc_type type = rk_types[below(m, RK_MEMORY_TYPES)];
	int16_t reg;

	if (!uniform) {
		if (chance(m, 40))
			return value(m, GLC_BOOL);
		reg = op2(m, chance(m, 50) ? GLC_OP_Lt : GLC_OP_Ge, type, value(m, type), value(m, type));
	} else {
		for (int tries = 0; tries < 4; tries++) {
			reg = any_reg(m, GLC_BOOL, false);
			if (reg >= 0 && m->k->regs[reg].uniform)
				return reg_operand(m, reg);
		}
		reg = op2(m, chance(m, 50) ? GLC_OP_Lt : GLC_OP_Ge, type, constant(m, type), constant(m, type));
	}
	return reg_operand(m, reg);
}

/* Takes the next construct of the chain: its block goes on with the rest. */
static int next_of_chain(struct maker *m)
{
	int next = m->chain_length ? m->chain[0] : -1;

	if (m->chain_length) {
		memmove(m->chain, m->chain + 1, sizeof m->chain - sizeof *m->chain);
		m->chain_length--;
	}
	return next;
}

/* One arm; what the arm defines is not visible behind it. Gives whether it always leaves. */
static bool make_arm(struct maker *m, int16_t *link, int depth, enum rk_parent parent, int16_t join, bool chained)
{
	int visible = m->visible_count, leave = m->leave, length = m->chain_length;
	bool left;

	m->link = link;
	if (!chained) {
		m->chain_length = 0;
		m->leave = -1;
	}
	left = make_block(m, depth, parent);
	if (!chained) {
		m->chain_length = length;
		m->leave = leave;
	}
	if (!left && join >= 0) {
		struct rk_operand joined = value(m, m->k->regs[join].type);

		take(op(m, GLC_OP_Mov, m->k->regs[join].type, join), joined);
	}
	m->visible_count = visible;
	return left;
}

/* chained: 0 no arm goes on with the chain, 1 the first, 2 the second. */
static bool make_if(struct maker *m, int depth, int chained)
{
	bool outer = m->uniform, has_else = chained == 2 || chance(m, 50), together = outer && chance(m, 40);
	int16_t join = has_else && chance(m, 50) ? new_reg(m, rk_types[below(m, RK_TYPES)]) : -1, *link;
	struct rk_operand asked = condition(m, together);
	struct rk_stmt *stmt = append(m, RK_IF);
	bool left, left_too = false;

	link = m->link;
	take(stmt, asked);
	m->uniform = outer && together;
	left = make_arm(m, &stmt->body, depth + 1, RK_IN_IF, join, chained == 1);
	if (has_else)
		left_too = make_arm(m, &stmt->otherwise, depth + 1, RK_IN_ELSE, join, chained == 2);
	/* An empty else is none. */
	m->uniform = outer;
	m->link = link;
	if (left && left_too)
		return true;
	if (join >= 0)
		show(m, join);
	return false;
}

/* A bound that is not a literal: base + (x & 3). */
static struct rk_operand near(struct maker *m, enum glc_type type, uint64_t base, bool uniform)
{
	int16_t reg = op2(m, GLC_OP_And, type, uniform ? constant(m, type) : value(m, type), literal(type, 3));

	reg = op2(m, GLC_OP_Add, type, reg_operand(m, reg), literal(type, base));
	return reg_operand(m, reg);
}

/* Gives whether the body always leaves. */
static bool loop_block(struct maker *m, struct rk_stmt *stmt, struct loop *loop, int depth, enum rk_parent parent,
		       int16_t counter)
{
	struct loop *outer = m->loop;
	bool uniform = m->uniform;
	int visible = m->visible_count, rounds = m->rounds;
	int16_t *link = m->link;
	bool left;

	m->loop = loop;
	m->uniform = uniform && loop->together;
	m->rounds *= 3;
	show(m, counter);
	m->link = &stmt->body;
	left = make_block(m, depth + 1, parent);
	m->rounds = rounds;
	m->visible_count = visible;
	m->uniform = uniform;
	m->loop = outer;
	m->link = link;
	return left;
}

static bool make_for(struct maker *m, int depth, bool unroll)
{
	enum glc_type type = rk_types[below(m, 4)];
	struct loop loop = {.together = m->uniform && !m->apart && chance(m, 60)};
	bool down = glc_is_signed(type) && chance(m, 40);
	/* With literal bounds the first round is sure: what returns in it ends the kernel. */
	bool literals = unroll || (m->leave != RK_RETURN && chance(m, 50));
	uint64_t step = 1 + below(m, 3), first = below(m, 5), span = below(m, 5) + !below(m, 2), last;
	struct rk_operand from, to;
	struct rk_stmt *stmt;
	int16_t counter;
	bool left;

	/* Sometimes at the end of the range, where a counter that wraps would never stop. */
	if (chance(m, 20))
		first = glc_is_signed(type) ? (glc_type_mask(type) >> 1) - span : glc_type_mask(type) - span;
	last = first + span;
	from = literal(type, down ? last : first);
	to = literal(type, down ? first : last);
	if (!literals) {
		if (chance(m, 50))
			from = near(m, type, down ? 5 : 0, loop.together);
		to = near(m, type, down ? 0 : 5, loop.together);
		if (from.kind == RK_LITERAL)
			from = literal(type, down ? 8 : 1);
	}
	counter = new_reg(m, type);
	m->k->regs[counter].fixed = true;
	m->k->regs[counter].uniform = loop.together;
	stmt = append(m, unroll ? RK_UNROLL : RK_FOR);
	stmt->type = (uint8_t)type;
	stmt->result = counter;
	take(stmt, from);
	take(stmt, to);
	if (!unroll && !down && type == GLC_U32 && chance(m, 40)) {
		take(stmt, (struct rk_operand){.kind = RK_SPEC, .type = GLC_U32});
		literals = false;   /* the step's sign is not looked at before it has a value */
	} else if (down || step > 1 || chance(m, 30))
		take(stmt, literal(type, down ? 0 - step : step));
	left = loop_block(m, stmt, &loop, depth, unroll ? RK_IN_UNROLL : RK_IN_FOR, counter);
	/* A first round that is sure to come and returns from the kernel: nothing follows. */
	return left && literals && span && !loop.breaks && !loop.continues;
}

/* What every loop without a for begins with: leave when the counter is at its limit. */
static void make_guard(struct maker *m, struct loop *loop, int16_t counter, int depth)
{
	bool returns = !m->k->barriers && !has_cells(m->k) && chance(m, 15), plain = returns || chance(m, 30);
	int16_t done = op2(m, GLC_OP_Ge, GLC_U32, reg_operand(m, counter), literal(GLC_U32, 1 + below(m, 3)));
	struct rk_stmt *stmt = append(m, plain ? RK_IF : RK_BREAK_IF);
	int16_t *link = m->link;

	take(stmt, reg_operand(m, done));
	count_nest(m, depth, RK_IN_LOOP, plain ? RK_IF : RK_BREAK_IF);
	if (plain) {
		m->link = &stmt->body;
		append(m, returns ? RK_RETURN : RK_BREAK);
		count_nest(m, depth + 1, RK_IN_IF, returns ? RK_RETURN : RK_BREAK);
		m->link = link;
	}
	loop->breaks += !returns;
	stmt = op(m, GLC_OP_Add, GLC_U32, counter);
	take(stmt, reg_operand(m, counter));
	take(stmt, literal(GLC_U32, 1));
}

static bool make_loop(struct maker *m, int depth)
{
	struct loop loop = {.together = m->uniform && !m->apart && chance(m, 60),
			    .always_leaves = !m->apart && chance(m, 15)};
	int16_t counter = -1, *link;
	struct rk_stmt *stmt;
	struct loop *outer = m->loop;
	bool uniform = m->uniform, left;
	int visible = m->visible_count, rounds = m->rounds;

	if (!loop.always_leaves) {
		m->pin = true;
		counter = new_reg(m, GLC_U32);
		take(op(m, GLC_OP_Mov, GLC_U32, counter), literal(GLC_U32, 0));
		m->pin = false;
	}
	stmt = append(m, RK_LOOP);
	link = m->link;
	m->loop = &loop;
	m->uniform = uniform && loop.together;
	m->rounds *= loop.always_leaves ? 1 : 3;
	m->link = &stmt->body;
	if (!loop.always_leaves) {
		m->pin = true;
		make_guard(m, &loop, counter, depth + 1);
		m->pin = false;
	}
	left = make_block(m, depth + 1, RK_IN_LOOP);
	if (loop.always_leaves && !left) {
		append(m, RK_BREAK)->pinned = true;
		count_nest(m, depth + 1, RK_IN_LOOP, RK_BREAK);
		loop.breaks++;
	}
	m->rounds = rounds;
	m->visible_count = visible;
	m->uniform = uniform;
	m->loop = outer;
	m->link = link;
	return !loop.breaks;
}

/* May the lanes be parted here by this statement, and does it keep its loop's promise? */
static bool may_leave(const struct maker *m, enum rk_kind kind, int depth)
{
	switch (kind) {
	case RK_RETURN:
		/* The barriers at the end want all lanes; so do those of a loop around this. */
		return !m->k->barriers && depth > 0 && (m->apart || !has_cells(m->k));
	case RK_CONTINUE: case RK_CONTINUE_IF:
		if (!m->loop || m->loop->always_leaves)
			return false;
		break;
	default:
		if (!m->loop)
			return false;
	}
	return !m->loop->together || m->uniform;
}

static bool make_leave(struct maker *m, enum rk_kind kind, int depth, enum rk_parent parent)
{
	struct rk_operand asked = {0};
	struct rk_stmt *stmt;

	if (!may_leave(m, kind, depth))
		return false;
	if (kind == RK_BREAK_IF || kind == RK_CONTINUE_IF)
		asked = condition(m, m->loop->together);
	stmt = append(m, kind);
	if (kind == RK_BREAK_IF || kind == RK_CONTINUE_IF)
		take(stmt, asked);
	if (kind == RK_BREAK || kind == RK_BREAK_IF)
		m->loop->breaks++;
	if (kind == RK_CONTINUE || kind == RK_CONTINUE_IF)
		m->loop->continues++;
	count_nest(m, depth, parent, kind);
	return kind == RK_BREAK || kind == RK_CONTINUE || kind == RK_RETURN;
}

/* 0 if, 1 else, 2 loop, 3 for, 4 unroll. */
static bool make_construct(struct maker *m, int which, int depth, enum rk_parent parent, bool chained)
{
	static const uint8_t kinds[] = {RK_IF, RK_IF, RK_LOOP, RK_FOR, RK_UNROLL};
	int leave = m->leave, length = m->chain_length;
	bool left;

	count_nest(m, depth, parent, kinds[which]);
	if (!chained) {
		m->chain_length = 0;
		m->leave = -1;
	}
	switch (which) {
	case 0: left = make_if(m, depth, chained ? 1 : 0); break;
	case 1: left = make_if(m, depth, 2); break;
	case 2: left = make_loop(m, depth); break;
	default: left = make_for(m, depth, which == 4);
	}
	if (!chained) {
		m->chain_length = length;
		m->leave = leave;
	}
	return left;
}

static bool make_block(struct maker *m, int depth, enum rk_parent parent)
{
	static const uint8_t leaves[] = {RK_BREAK, RK_CONTINUE, RK_BREAK_IF, RK_CONTINUE_IF, RK_RETURN};
	bool in_chain = m->chain_length || m->leave >= 0;
	int next = next_of_chain(m), count = 1 + (int)below(m, 3), leave = -1, place;

	if (in_chain && next < 0) {
		leave = m->leave;
		m->leave = -1;
	}
	place = (int)below(m, (uint32_t)count);
	for (int i = 0; i < count; i++) {
		/* A cell is made for its own sake: nothing may leave before it. */
		bool small = m->k->stmt_count > 260 || m->rounds > 40 || m->apart;

		if (i == place && next >= 0) {
			if (make_construct(m, next, depth, parent, true))
				return true;
		} else if (depth < RK_DEPTH && !small && chance(m, depth ? 20 : 35)) {
			if (make_construct(m, (int)below(m, 5), depth, parent, false))
				return true;
		} else if (depth && !m->apart && chance(m, 12)) {
			enum rk_kind kind = chance(m, 50) ? RK_BREAK_IF : RK_CONTINUE_IF;

			make_leave(m, kind, depth, parent);
		} else {
			make_row(m, &m->rows[below(m, (uint32_t)m->row_count)]);
		}
	}
	if (leave < 0 && depth && !m->apart && chance(m, 15))
		leave = leaves[below(m, sizeof leaves)];
	return leave >= 0 && make_leave(m, (enum rk_kind)leave, depth, parent);
}

/* --- The kernel ---------------------------------------------------------- */

static void choose_shape(struct maker *m)
{
	static const uint8_t shapes[][3] = {{8, 1, 1}, {4, 4, 2}, {5, 3, 2}, {64, 1, 1}, {7, 1, 3}, {1, 16, 1}};
	struct rk_kernel *k = m->k;

	/* The table of the kinds: every second kernel may hold barriers, every fourth subgroups. */
	k->barriers = k->seed & 1;
	k->subgroups = (k->seed & 3) == 1;
	for (int i = 0; i < 3; i++) {
		k->local[i] = k->subgroups ? (i ? 1 : 32 << (k->seed >> 2 & 1)) : shapes[k->seed / 2 % 6][i];
		k->groups[i] = i == 2 ? 1 : 1 + below(m, 2);
	}
	k->lanes = k->local[0] * k->local[1] * k->local[2];
	k->group_count = k->groups[0] * k->groups[1] * k->groups[2];
}

static int16_t id_reg(struct maker *m, enum glc_op opcode, int dim)
{
	int16_t reg = new_reg(m, GLC_U32);

	op(m, opcode, GLC_VOID, reg)->dim = (uint8_t)dim;
	m->k->regs[reg].fixed = true;
	return reg;
}

/* lane = ((z * ny + y) * nx + x) * lanes + local index, of groups */
static void make_lane(struct maker *m)
{
	int16_t reg = id_reg(m, GLC_OP_GroupId, 2);

	m->local_index = id_reg(m, GLC_OP_LocalIndex, 0);
	reg = op2(m, GLC_OP_Mul, GLC_U32, reg_operand(m, reg), reg_operand(m, id_reg(m, GLC_OP_GroupCount, 1)));
	reg = op2(m, GLC_OP_Add, GLC_U32, reg_operand(m, reg), reg_operand(m, id_reg(m, GLC_OP_GroupId, 1)));
	reg = op2(m, GLC_OP_Mul, GLC_U32, reg_operand(m, reg), reg_operand(m, id_reg(m, GLC_OP_GroupCount, 0)));
	reg = op2(m, GLC_OP_Add, GLC_U32, reg_operand(m, reg), reg_operand(m, id_reg(m, GLC_OP_GroupId, 0)));
	reg = op2(m, GLC_OP_Mul, GLC_U32, reg_operand(m, reg), literal(GLC_U32, m->k->lanes));
	m->lane = op2(m, GLC_OP_Add, GLC_U32, reg_operand(m, reg), reg_operand(m, m->local_index));
	m->lane_slot = op2(m, GLC_OP_Mul, GLC_U32, reg_operand(m, m->lane), literal(GLC_U32, RK_SLOTS));
	m->k->regs[m->lane].fixed = m->k->regs[m->lane_slot].fixed = m->k->regs[m->local_index].fixed = true;
	show(m, m->lane);
	show(m, m->local_index);
}

static void fill_local(struct maker *m, enum glc_type type)
{
	struct rk_operand filled = constant(m, type);
	int16_t counter = new_reg(m, GLC_U32), *link;
	struct rk_stmt *stmt = append(m, RK_FOR);

	use(m, RK_PRIVATE, type);
	stmt->type = GLC_U32;
	stmt->result = counter;
	take(stmt, literal(GLC_U32, 0));
	take(stmt, literal(GLC_U32, RK_LOCAL));
	link = m->link;
	m->link = &stmt->body;
	stmt = op(m, GLC_OP_StoreLocal, type, -1);
	stmt->object = RK_PRIVATE;
	take(stmt, reg_operand(m, counter));
	take(stmt, filled);
	m->link = link;
}

/* Eight elements, eight lanes; then a barrier, and they may be added to. */
static void fill_shared_sum(struct maker *m, enum glc_type type)
{
	int16_t few = op2(m, GLC_OP_Lt, GLC_U32, reg_operand(m, m->local_index), literal(GLC_U32, RK_SUMS)), *link;
	struct rk_stmt *stmt = append(m, RK_IF);

	use(m, RK_SHARED_SUM, type);
	take(stmt, reg_operand(m, few));
	link = m->link;
	m->link = &stmt->body;
	stmt = op(m, GLC_OP_StoreShared, type, -1);
	stmt->object = RK_SHARED_SUM;
	take(stmt, reg_operand(m, m->local_index));
	take(stmt, literal(type, 0));
	m->link = link;
	op(m, GLC_OP_BarrierSync, GLC_VOID, -1);
}

static void read_shared_sums(struct maker *m)
{
	int16_t reg, *link;
	struct rk_stmt *stmt;

	op(m, GLC_OP_BarrierSync, GLC_VOID, -1);
	reg = op2(m, GLC_OP_Lt, GLC_U32, reg_operand(m, m->local_index), literal(GLC_U32, RK_SUMS));
	stmt = append(m, RK_IF);
	take(stmt, reg_operand(m, reg));
	link = m->link;
	m->link = &stmt->body;
	for (int i = 0; i < RK_MEMORY_TYPES; i++) {
		if (!m->k->used[RK_SHARED_SUM][i])
			continue;
		reg = new_reg(m, rk_types[i]);
		stmt = op(m, GLC_OP_LoadShared, rk_types[i], reg);
		stmt->object = RK_SHARED_SUM;
		take(stmt, reg_operand(m, m->local_index));
		stmt = op(m, GLC_OP_StoreGlobal, rk_types[i], -1);
		stmt->object = RK_OUTPUT;
		take(stmt, reg_operand(m, m->lane_slot));
		take(stmt, reg_operand(m, reg));
		use(m, RK_OUTPUT, rk_types[i]);
	}
	m->link = link;
}

/* Two registers of each type, so that nothing is lost unseen. */
static void make_tail(struct maker *m)
{
	for (int i = 0; i < RK_MEMORY_TYPES; i++)
		for (uint32_t slot = 1; slot < 4; slot++) {
			int16_t reg = any_reg(m, rk_types[i], false), index;
			struct rk_stmt *stmt;

			if (reg < 0)
				continue;
			index = op2(m, GLC_OP_Add, GLC_U32, reg_operand(m, m->lane_slot), literal(GLC_U32, slot));
			stmt = op(m, GLC_OP_StoreGlobal, rk_types[i], -1);
			stmt->object = RK_OUTPUT;
			take(stmt, reg_operand(m, index));
			take(stmt, reg_operand(m, reg));
			use(m, RK_OUTPUT, rk_types[i]);
		}
}

enum { GOALS = 20 };

/* The rows that the seed must try, in turn, so that few seeds try all of them. */
static const struct rk_row *goal(const struct maker *m, int number)
{
	return &m->rows[(m->k->seed * GOALS + (uint64_t)number) % (uint64_t)m->row_count];
}

static void make_goals(struct maker *m)
{
	for (int i = 0; i < m->row_count; i++) {
		const struct rk_row *row = &m->rows[i];
		bool together = row->op == GLC_OP_ShflSyncBfly || (row->op >= GLC_OP_SubgroupSize && row->op <= GLC_OP_LaneId);
		bool shared = row->op == GLC_OP_LoadShared || row->op == GLC_OP_StoreShared || row->op == GLC_OP_BarrierSync || row->op == GLC_OP_Fence;

		if ((together && m->k->subgroups) || (shared && m->k->barriers && (m->k->seed / 2 + (uint64_t)i) % 3 == 0))
			make_row(m, row);
	}
	for (int i = 0; i < GOALS; i++)
		make_row(m, goal(m, i));
}

/* Gives whether it always returns. */
static bool make_body(struct maker *m, uint64_t chain)
{
	bool left;

	static const int8_t leaves[] = {-1, RK_BREAK, RK_CONTINUE, RK_BREAK_IF, RK_CONTINUE_IF, RK_RETURN};

	m->chain_length = RK_DEPTH;
	if (m->coverage)
		m->coverage->chain[chain % 625]++;
	for (int i = 0; i < RK_DEPTH; i++) {
		m->chain[i] = (int)(chain % 5);
		chain /= 5;
	}
	m->leave = leaves[m->k->seed / 3 % 6];
	left = make_block(m, 0, RK_IN_KERNEL);
	m->chain_length = 0;
	m->leave = -1;
	return left;
}

/* What parent (from if) and kind (from if, without else) are as numbers of make_construct. */
static int construct_of(enum rk_parent parent)
{
	return (int)parent - RK_IN_IF;
}

enum {
	CELL_KINDS = RK_KIND_COUNT - RK_IF,
	CELL_PARENTS = RK_PARENT_COUNT - RK_IN_IF,
	CELLS = CELL_KINDS * CELL_PARENTS * (RK_DEPTH - 1),
	CELLS_EACH = 12,
};

static enum rk_kind cell_kind(uint64_t cell)
{
	return (enum rk_kind)(RK_IF + cell % CELL_KINDS);
}

static enum rk_parent cell_parent(uint64_t cell)
{
	return (enum rk_parent)(RK_IN_IF + cell / CELL_KINDS % CELL_PARENTS);
}

/* A cell of the table of what stands in what, how deep. Gives whether it ends the kernel. */
static bool make_cell(struct maker *m, uint64_t cell)
{
	enum rk_kind kind = cell_kind(cell);
	int depth = 1 + (int)(cell / CELL_KINDS / CELL_PARENTS % (RK_DEPTH - 1));
	bool left;

	m->chain_length = 0;
	while (m->chain_length < depth - 1)
		m->chain[m->chain_length++] = 2 + (int)below(m, 3);   /* loops, so that there is what to leave */
	m->chain[m->chain_length++] = construct_of(cell_parent(cell));
	m->leave = -1;
	if (kind >= RK_BREAK)
		m->leave = kind;
	else
		m->chain[m->chain_length++] = kind == RK_IF ? (int)below(m, 2) : (int)(2 + kind - RK_LOOP);
	m->apart = true;
	left = make_block(m, 0, RK_IN_KERNEL);
	m->apart = false;
	m->chain_length = 0;
	m->leave = -1;
	return left;
}

/* The later, the likelier that a cell ends the kernel. */
static int cell_rank(uint64_t cell)
{
	if (cell_kind(cell) != RK_RETURN)
		return 0;
	return cell_parent(cell) == RK_IN_UNROLL ? 2 : 1;
}

/* Every fourth seed tries some cells in turn, and no Return but theirs: few seeds try all. */
static bool make_cells(struct maker *m)
{
	for (int rank = 0; rank < 3; rank++)
		for (uint64_t i = 0; i < CELLS_EACH; i++) {
			uint64_t cell = (m->k->seed / 4 * CELLS_EACH + i) % CELLS;

			if (cell_rank(cell) == rank && make_cell(m, cell))
				return true;
		}
	return false;
}

static bool is_goal(const struct maker *m, enum glc_op opcode, enum glc_type type)
{
	for (int i = 0; i < GOALS; i++) {
		const struct rk_row *row = goal(m, i);

		if (row->op == opcode && row->type == type)
			return true;
	}
	return false;
}

void rk_make(struct rk_kernel *kernel, uint64_t seed, const struct rk_row *rows, int row_count,
	     struct rk_coverage *coverage)
{
	struct maker m = {
		.k = kernel,
		.coverage = coverage,
		.rows = rows,
		.row_count = row_count,
		.rng = glc_rng(seed),
		.link = NULL,
		.uniform = true,
		.leave = -1,
		.rounds = 1,
	};
	int16_t first = -1;

	memset(kernel, 0, sizeof *kernel);
	kernel->seed = seed;
	for (int i = 0; i < RK_TYPES; i++) {
		kernel->scalar[i] = rk_value(&m.rng, rk_types[i]);
		kernel->spec_default[i] = rk_value(&m.rng, rk_types[i]);
		kernel->spec[i] = seed & 2 ? rk_value(&m.rng, rk_types[i]) : kernel->spec_default[i];
	}
	/* The step of a for, where it is no literal. */
	kernel->spec_default[1] = 2;
	kernel->spec[1] = seed & 2 ? 1 + seed % 3 : 2;
	for (int i = 0; i < RK_MEMORY_TYPES; i++)
		for (int j = 0; j < RK_LUT; j++)
			kernel->table[i][j] = rk_value(&m.rng, rk_types[i]);
	choose_shape(&m);

	m.link = &first;
	m.pin = true;
	make_lane(&m);
	for (int i = 0; i < RK_MEMORY_TYPES; i++)
		if ((seed + (uint64_t)i) % 3 == 0 || is_goal(&m, GLC_OP_LoadLocal, rk_types[i]) ||
		    is_goal(&m, GLC_OP_StoreLocal, rk_types[i]))
			fill_local(&m, rk_types[i]);
	if (kernel->barriers)
		for (int i = 0; i < RK_MEMORY_TYPES; i++)
			if (GLC_TYPES_ATOMIC >> rk_types[i] & 1 && (seed / 2 + (uint64_t)i) % 2)
				fill_shared_sum(&m, rk_types[i]);
	m.pin = false;
	for (int i = 0; i < RK_MEMORY_TYPES; i++)
		make_row(&m, &(struct rk_row){.op = GLC_OP_LoadGlobal, .type = rk_types[i]});
	make_goals(&m);
	/* Two chains of constructs; over 625 seeds every chain comes first once. */
	if (!make_body(&m, seed % 625) && !make_body(&m, glc_rng_below(&m.rng, 625)) &&
	    !(has_cells(kernel) && make_cells(&m))) {
		make_tail(&m);
		m.pin = true;
		if (kernel->barriers)
			read_shared_sums(&m);
		append(&m, RK_RETURN);
	}
	kernel->first = first;
}

void rk_fill(const struct rk_kernel *kernel, struct rk_memory *memory)
{
	struct glc_rng rng = glc_rng(kernel->seed ^ UINT64_C(0x5eed));

	memset(memory, 0, sizeof *memory);
	for (int i = 0; i < RK_MEMORY_TYPES; i++) {
		for (int j = 1; j < RK_IN; j++)   /* element 0 is 0, see make_plain */
			memory->in[i][j] = rk_value(&rng, rk_types[i]);
		for (int j = 0; j < RK_OUT; j++)
			memory->out[i][j] = rk_value(&rng, rk_types[i]);
	}
}
