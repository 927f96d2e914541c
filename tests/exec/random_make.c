/* SPDX-License-Identifier: MIT */
/* Makes a kernel from a seed. Nothing but the seed and the rows decides what comes out. */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The loop around the statement that is being made. */
struct loop {
	bool together;       /* lanes stay together: no lane leaves or goes on alone */
	bool always_leaves;  /* has no bound but the leaving at its end: no continue then */
	int breaks, continues;
};

struct maker {
	struct rk_kernel *k;
	struct rk_coverage *coverage;
	const struct rk_row *rows;
	int row_count;
	struct glc_rng rng;
	int16_t visible[RK_MOST_REGS];
	int visible_count;
	int16_t *link;               /* where the next statement's number goes */
	struct loop *loop;
	bool uniform;                /* all lanes come here together */
	bool pin;
	bool apart;                  /* no loop keeps its lanes together, or leaves at its end */
	int chain[RK_DEPTH];         /* constructs to be nested, outermost first */
	int chain_length, leave;     /* a leaving statement for the innermost, or -1 */
	int16_t lane, lane_slot;     /* registers: the lane's number, and that times RK_SLOTS */
	int16_t local_index;
	int slot;
	int rounds;                  /* how often the statement may run: bounds the work */
};

/* Two of four kinds of kernel have no barriers; one of them tries cells, see make_cells. */
static bool has_cells(const struct rk_kernel *k)
{
	return (k->seed & 3) == 2;
}

static uint32_t below(struct maker *m, uint32_t bound)
{
	return (uint32_t)glc_rng_below(&m->rng, bound);
}

static bool chance(struct maker *m, uint32_t percent)
{
	return below(m, 100) < percent;
}

uint64_t rk_value(struct glc_rng *rng, enum glc_type type)
{
	static const uint64_t ints[] = {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 0x7fffffff, 0x80000000, 0x80000001,
		0xffffffff, 0xfffffffe, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
		0x8000000000000001, 0xffffffffffffffff, 0xfffffffffffffffe, 0xffffffff80000000, 0xffffffff7fffffff};
	static const uint32_t f32s[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x3fc00000, 0x40200000,
		0xc0600000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x00000001,
		0x807fffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x5f800000, 0x4b000001, 0x3f7fffff, 0x3f800001};
	static const double f64s[] = {0, -0.0, 1, -1, 0.5, 1.5, 2.5, -3.5, 0x1p31, -0x1p31, 0x1p32, 0x1p63, -0x1p63,
		0x1p64, 0x1.fffffep127, 0x1p128, 0x1p-126, 0x1p-149, 0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp1023,
		2147483647.5, -2147483648.5, 1.0000001, 16777217};
	uint64_t bits, small = glc_rng_below(rng, 200);
	float single;
	double value;

	switch (glc_rng_below(rng, 4)) {
	case 0:
		if (glc_is_float(type)) {
			value = f64s[glc_rng_below(rng, sizeof f64s / sizeof *f64s)];
			if (glc_rng_below(rng, 12) == 0)
				value = __builtin_inf();
			else if (glc_rng_below(rng, 12) == 0)
				value = __builtin_nan("");
			memcpy(&bits, &value, sizeof bits);
			if (type == GLC_F32)
				bits = f32s[glc_rng_below(rng, sizeof f32s / sizeof *f32s)];
		} else {
			bits = ints[glc_rng_below(rng, sizeof ints / sizeof *ints)];
		}
		break;
	case 1:
		bits = glc_rng_next(rng);
		break;
	default:
		value = ((double)small - 100) / (glc_rng_below(rng, 2) ? 8 : 3);
		single = (float)value;
		if (type == GLC_F32) {
			uint32_t low;

			memcpy(&low, &single, sizeof low);
			bits = low;
		} else if (type == GLC_F64) {
			memcpy(&bits, &value, sizeof bits);
		} else {
			bits = small - (glc_is_signed(type) ? 100 : 0);
		}
	}
	/* One NaN for all: Mov and memory keep the bits, and runs are not told apart by them. */
	bits &= glc_type_mask(type);
	if (type == GLC_F32 && (bits & 0x7fffffff) > 0x7f800000)
		bits = 0x7fc00000;
	if (type == GLC_F64 && (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000))
		bits = UINT64_C(0x7ff8000000000000);
	return bits;
}

/* --- Pieces -------------------------------------------------------------- */

static struct rk_stmt *append(struct maker *m, enum rk_kind kind)
{
	struct rk_stmt *stmt;

	if (m->k->stmt_count == RK_MOST_STMTS) {
		fprintf(stderr, "random kernels: seed %llu has too many statements\n", (unsigned long long)m->k->seed);
		exit(99);
	}
	stmt = &m->k->stmts[m->k->stmt_count];
	memset(stmt, 0, sizeof *stmt);
	stmt->kind = (uint8_t)kind;
	stmt->result = stmt->body = stmt->otherwise = stmt->next = -1;
	stmt->pinned = m->pin;
	*m->link = (int16_t)m->k->stmt_count++;
	m->link = &stmt->next;
	return stmt;
}

static int16_t new_reg(struct maker *m, enum glc_type type)
{
	if (m->k->reg_count == RK_MOST_REGS) {
		fprintf(stderr, "random kernels: seed %llu has too many registers\n", (unsigned long long)m->k->seed);
		exit(99);
	}
	m->k->regs[m->k->reg_count] = (struct rk_reg){.type = (uint8_t)type};
	return (int16_t)m->k->reg_count++;
}

static void show(struct maker *m, int16_t reg)
{
	m->visible[m->visible_count++] = reg;
}

static struct rk_operand reg_operand(const struct maker *m, int16_t reg)
{
	return (struct rk_operand){.kind = RK_REG, .type = m->k->regs[reg].type, .reg = (uint16_t)reg};
}

static struct rk_operand literal(enum glc_type type, uint64_t bits)
{
	return (struct rk_operand){.kind = RK_LITERAL, .type = (uint8_t)type, .bits = bits & glc_type_mask(type)};
}

static void take(struct rk_stmt *stmt, struct rk_operand operand)
{
	stmt->operand[stmt->operand_count++] = operand;
}

static struct rk_stmt *op(struct maker *m, enum glc_op opcode, enum glc_type type, int16_t result)
{
	struct rk_stmt *stmt = append(m, RK_OP);

	stmt->op = (uint8_t)opcode;
	stmt->type = stmt->from = (uint8_t)type;
	stmt->result = result;
	return stmt;
}

/* A statement with a new register; it is not visible yet. */
static int16_t op2(struct maker *m, enum glc_op opcode, enum glc_type type, struct rk_operand a, struct rk_operand b)
{
	bool compares = glc_ops[opcode].result == 'B';
	int16_t result = new_reg(m, compares ? GLC_BOOL : type);
	struct rk_stmt *stmt = op(m, opcode, type, result);

	take(stmt, a);
	take(stmt, b);
	return result;
}

/* A register of the type that holds a value here, or -1. */
static int16_t any_reg(struct maker *m, enum glc_type type, bool writable)
{
	int found = 0;
	int16_t chosen = -1;

	for (int i = 0; i < m->visible_count; i++) {
		const struct rk_reg *reg = &m->k->regs[m->visible[i]];

		if (reg->type == type && !(writable && reg->fixed) && below(m, (uint32_t)++found) == 0)
			chosen = m->visible[i];
	}
	return chosen;
}

static struct rk_operand constant(struct maker *m, enum glc_type type)
{
	struct rk_operand operand = {.type = (uint8_t)type};
	uint32_t what = below(m, 3);

	if (what == 0) {
		operand.kind = RK_LITERAL;
		operand.bits = rk_value(&m->rng, type);
		operand.spelling = (uint8_t)below(m, 2);
	} else {
		operand.kind = what == 1 ? RK_SCALAR : RK_SPEC;
	}
	return operand;
}

static struct rk_operand value(struct maker *m, enum glc_type type)
{
	int16_t reg = chance(m, 80) ? any_reg(m, type, false) : -1;

	return reg >= 0 ? reg_operand(m, reg) : constant(m, type);
}

static bool is_uniform(const struct maker *m, struct rk_operand operand)
{
	return operand.kind != RK_REG || m->k->regs[operand.reg].uniform;
}

/* A register to write: new, or one that holds a value that may be lost. */
static int16_t result_reg(struct maker *m, enum glc_type type, bool *is_new)
{
	int16_t reg = chance(m, 40) ? any_reg(m, type, true) : -1;

	*is_new = reg < 0;
	return reg >= 0 ? reg : new_reg(m, type);
}

static void finish(struct maker *m, struct rk_stmt *stmt, bool is_new, bool uniform)
{
	if (!is_new)
		return;
	show(m, stmt->result);
	if (m->uniform && uniform) {
		m->k->regs[stmt->result].uniform = true;
		m->k->regs[stmt->result].fixed = true;
	}
}

/* x & mask, or a literal, as an index of type u32 or u64. */
static struct rk_operand index_below(struct maker *m, uint32_t power)
{
	enum glc_type type = chance(m, 30) ? GLC_U64 : GLC_U32;
	int16_t reg;

	if (chance(m, 30))
		return literal(GLC_U32, below(m, power));
	reg = op2(m, GLC_OP_And, type, value(m, type), literal(type, power - 1));
	show(m, reg);
	return reg_operand(m, reg);
}

/* Own slot of the lane in an output buffer. */
static struct rk_operand own_slot(struct maker *m)
{
	int16_t reg;

	if (chance(m, 20))
		return reg_operand(m, m->lane_slot);
	reg = op2(m, GLC_OP_Add, GLC_U32, reg_operand(m, m->lane_slot), literal(GLC_U32, below(m, RK_SLOTS)));
	m->k->regs[reg].fixed = true;
	return reg_operand(m, reg);
}

/* Without NaN: where an instruction shows the bits, which NaN it is would matter. */
static struct rk_operand sane(struct maker *m, enum glc_type type, struct rk_operand x)
{
	int16_t nan = new_reg(m, GLC_BOOL), reg = new_reg(m, type);
	struct rk_stmt *stmt = op(m, GLC_OP_IsNan, type, nan);

	take(stmt, x);
	stmt = op(m, GLC_OP_Select, type, reg);
	take(stmt, reg_operand(m, nan));
	take(stmt, literal(type, type == GLC_F32 ? 0x3fc00000 : UINT64_C(0x3ff8000000000000)));
	take(stmt, x);
	return reg_operand(m, reg);
}

static void use(struct maker *m, enum rk_object object, enum glc_type type)
{
	m->k->used[object][rk_place(type)] = true;
}

/*
 * All lanes are here. Memory barriers need no such thing, but llvmpipe of Mesa 22.3 makes
 * control barriers of them, and loses the lanes that do not come: so fences and ordered
 * atomics stand only here, and ordered f32 atomics, which are loops there, nowhere.
 */
static bool all_together(const struct maker *m)
{
	return m->uniform && m->k->barriers;
}

/* --- Instructions -------------------------------------------------------- */

static void make_memory(struct maker *m, const struct rk_row *row)
{
	enum glc_type type = row->type;
	enum rk_object object = row->op == GLC_OP_LoadConst ? RK_TABLE
				: row->op == GLC_OP_LoadLocal || row->op == GLC_OP_StoreLocal ? RK_PRIVATE
				: row->op == GLC_OP_LoadGlobal && chance(m, 75) ? RK_INPUT : RK_OUTPUT;
	bool loads = row->op != GLC_OP_StoreLocal && row->op != GLC_OP_StoreGlobal, is_new;
	struct rk_operand index, stored = value(m, type);
	struct rk_stmt *stmt;

	if (object == RK_PRIVATE && !m->k->used[RK_PRIVATE][rk_place(type)])
		return;   /* only those that the kernel's head has filled */
	use(m, object, type);
	index = object == RK_INPUT ? index_below(m, RK_IN) : object == RK_TABLE ? index_below(m, RK_LUT)
		: object == RK_PRIVATE ? index_below(m, RK_LOCAL) : own_slot(m);
	if (loads) {
		int16_t result = result_reg(m, type, &is_new);

		stmt = op(m, row->op, type, result);
	} else {
		stmt = op(m, row->op, type, -1);
	}
	stmt->object = (uint8_t)object;
	take(stmt, index);
	if (loads)
		finish(m, stmt, is_new, false);
	else
		take(stmt, stored);
}

static void make_atomic(struct maker *m, enum glc_type type)
{
	bool shared = m->k->barriers && chance(m, 50), own = !shared && chance(m, 40);
	struct rk_operand addend = value(m, type), index;
	struct rk_stmt *stmt;
	int16_t old = -1, reg;

	if (shared && !m->k->used[RK_SHARED_SUM][rk_place(type)])
		return;
	if (type == GLC_F32 && !own) {
		/* Small whole numbers: their sum is exact in every order. */
		reg = op2(m, GLC_OP_And, GLC_U32, value(m, GLC_U32), literal(GLC_U32, 7));
		old = new_reg(m, GLC_F32);
		stmt = op(m, GLC_OP_Cvt, GLC_F32, old);
		stmt->from = GLC_U32;
		take(stmt, reg_operand(m, reg));
		addend = reg_operand(m, old);
		old = -1;
	}
	index = own ? own_slot(m) : index_below(m, RK_SUMS);
	use(m, own ? RK_OUTPUT : shared ? RK_SHARED_SUM : RK_SUM, type);
	if (own && chance(m, 70))
		old = new_reg(m, type);
	stmt = op(m, GLC_OP_AtomicAdd, type, old);
	stmt->object = own ? RK_OUTPUT : shared ? RK_SHARED_SUM : RK_SUM;
	stmt->order = (uint8_t)below(m, all_together(m) && type != GLC_F32 ? 5 : 2);
	stmt->dim = (uint8_t)(shared ? below(m, 3) : below(m, 2) * 2);
	take(stmt, index);
	take(stmt, addend);
	if (old >= 0)
		show(m, old);
}

/* Store, barrier, load of another lane's, barrier: the kernel's only talk between lanes. */
static void make_exchange(struct maker *m, enum glc_type type)
{
	struct rk_operand stored = value(m, type);
	bool pinned = m->pin, is_new;
	struct rk_stmt *stmt;
	int16_t other;

	if (!all_together(m))
		return;
	m->pin = true;
	use(m, RK_SHARED, type);
	stmt = op(m, GLC_OP_StoreShared, type, -1);
	stmt->object = RK_SHARED;
	take(stmt, reg_operand(m, m->local_index));
	take(stmt, stored);
	op(m, GLC_OP_BarrierSync, GLC_VOID, -1);
	other = op2(m, GLC_OP_Add, GLC_U32, reg_operand(m, m->local_index), literal(GLC_U32, 1 + below(m, m->k->lanes - 1)));
	other = op2(m, GLC_OP_Rem, GLC_U32, reg_operand(m, other), literal(GLC_U32, m->k->lanes));
	stmt = op(m, GLC_OP_LoadShared, type, -1);
	stmt->result = result_reg(m, type, &is_new);
	stmt->object = RK_SHARED;
	take(stmt, reg_operand(m, other));
	finish(m, stmt, is_new, false);
	op(m, GLC_OP_BarrierSync, GLC_VOID, -1);
	m->pin = pinned;
}

/* Its result goes straight to a buffer of its own, where the bound is applied. */
static void make_bounded(struct maker *m, const struct rk_row *row)
{
	struct rk_operand x = value(m, GLC_F32), y = value(m, GLC_F32);
	int16_t result = new_reg(m, GLC_F32), index;
	struct rk_stmt *stmt = op(m, row->op, GLC_F32, result);

	stmt->approx = row->approx;
	take(stmt, x);
	if (glc_ops[row->op].operands[1])
		take(stmt, y);
	index = op2(m, GLC_OP_Add, GLC_U32, reg_operand(m, m->lane_slot), literal(GLC_U32, (uint32_t)m->slot++ % RK_SLOTS));
	stmt = op(m, GLC_OP_StoreGlobal, GLC_F32, -1);
	stmt->object = row->approx ? RK_JUNK : RK_APPROX;
	take(stmt, reg_operand(m, index));
	take(stmt, reg_operand(m, result));
}

static bool is_id(enum glc_op opcode)
{
	return opcode == GLC_OP_LocalId || opcode == GLC_OP_GlobalId || (opcode >= GLC_OP_GroupId && opcode <= GLC_OP_LaneId);
}

static void make_id(struct maker *m, enum glc_op opcode)
{
	bool uniform = opcode == GLC_OP_GroupId || opcode == GLC_OP_WorkgroupSize || opcode == GLC_OP_GroupCount ||
		       opcode == GLC_OP_GlobalSize || opcode == GLC_OP_SubgroupSize;
	bool is_new;
	struct rk_stmt *stmt;
	int16_t result;

	if (!m->k->subgroups && opcode >= GLC_OP_SubgroupSize)
		return;
	result = result_reg(m, GLC_U32, &is_new);
	stmt = op(m, opcode, GLC_VOID, result);
	stmt->dim = glc_ops[opcode].flags & GLC_DIM ? (uint8_t)below(m, 3) : 0;
	finish(m, stmt, is_new, uniform);
}

static enum glc_type result_type(const struct rk_row *row)
{
	switch (glc_ops[row->op].result) {
	case 'B': return GLC_BOOL;
	case 'U': return GLC_U32;
	case 'W': return row->type == GLC_I32 ? GLC_I64 : GLC_U64;
	}
	return row->type;
}

static void make_plain(struct maker *m, const struct rk_row *row)
{
	struct rk_operand operand[4], zero = literal(row->type, 0);
	const char *letters = glc_ops[row->op].operands;
	int count = (int)strlen(letters);
	enum glc_type type = row->type;
	bool uniform = true, is_new;
	struct rk_stmt *stmt;
	int16_t result;

	for (int i = 0; i < count; i++) {
		switch (letters[i]) {
		case 'b': operand[i] = value(m, GLC_BOOL); break;
		case 'u': operand[i] = value(m, GLC_U32); break;
		case 'e': operand[i] = value(m, GLC_I32); break;
		case 'f': operand[i] = value(m, row->from); break;
		case 's': operand[i] = value(m, chance(m, 50) ? GLC_U32 : type); break;
		case 'n': operand[i] = literal(type, rk_value(&m->rng, type)); break;
		default: operand[i] = value(m, type);
		}
		/* A literal amount is read as u32. */
		if (letters[i] == 's' && operand[i].kind == RK_LITERAL)
			operand[i] = literal(GLC_U32, operand[i].bits);
		/* Random amounts are mostly out of range: half of them should not be. */
		if ((letters[i] == 'u' || letters[i] == 'e') && chance(m, 50))
			operand[i] = literal(letters[i] == 'u' ? GLC_U32 : GLC_I32, below(m, 70));
	}
	if (row->op == GLC_OP_Bitcast && glc_is_float(row->from))
		operand[0] = sane(m, row->from, operand[0]);
	if (row->op == GLC_OP_CopySign)
		operand[1] = sane(m, type, operand[1]);
	if (row->op == GLC_OP_ShflSyncBfly)
		operand[1] = literal(GLC_U32, 1 + below(m, 7));
	for (int i = 0; i < count; i++)
		uniform = uniform && is_uniform(m, operand[i]);
	result = result_reg(m, result_type(row), &is_new);
	stmt = op(m, row->op, type, result);
	stmt->from = row->from;
	for (int i = 0; i < count; i++)
		take(stmt, operand[i]);
	if (glc_is_float(type) && (row->op == GLC_OP_Min || row->op == GLC_OP_Max || row->op == GLC_OP_Clamp || row->op == GLC_OP_Sign)) {
		/* Either zero is right: make it +0. */
		int16_t either = new_reg(m, type), is_zero;

		stmt->result = either;
		is_zero = op2(m, GLC_OP_Eq, type, reg_operand(m, either), zero);
		stmt = op(m, GLC_OP_Select, type, result);
		take(stmt, reg_operand(m, is_zero));
		take(stmt, zero);
		take(stmt, reg_operand(m, either));
	}
	if (row->op == GLC_OP_Cvt && row->from == GLC_I32 && glc_is_int(type) && glc_bits(type) == 64) {
		/*
		 * Mesa 22.3 compares what was sign-extended with a constant wrongly (-100 > -67):
		 * it must not see where the value came from. Element 0 of an input is 0.
		 */
		int16_t seen = new_reg(m, type), hidden = new_reg(m, type);

		stmt->result = seen;
		stmt = op(m, GLC_OP_LoadGlobal, type, hidden);
		stmt->object = RK_INPUT;
		take(stmt, literal(GLC_U32, 0));
		stmt = op(m, GLC_OP_Or, type, result);
		take(stmt, reg_operand(m, seen));
		take(stmt, reg_operand(m, hidden));
		uniform = false;
	}
	finish(m, stmt, is_new, uniform && row->op != GLC_OP_ShflSyncBfly);
}

static void make_row(struct maker *m, const struct rk_row *row)
{
	switch (row->op) {
	case GLC_OP_Nop:
		op(m, GLC_OP_Nop, GLC_VOID, -1);
		return;
	case GLC_OP_Fence:
		if (all_together(m))
			op(m, GLC_OP_Fence, GLC_VOID, -1)->dim = (uint8_t)(1 + below(m, 2));
		return;
	case GLC_OP_BarrierSync:
		if (all_together(m))
			op(m, GLC_OP_BarrierSync, GLC_VOID, -1);
		return;
	case GLC_OP_LoadGlobal: case GLC_OP_StoreGlobal: case GLC_OP_LoadLocal: case GLC_OP_StoreLocal: case GLC_OP_LoadConst:
		make_memory(m, row);
		return;
	case GLC_OP_LoadShared: case GLC_OP_StoreShared:
		make_exchange(m, row->type);
		return;
	case GLC_OP_AtomicAdd:
		make_atomic(m, row->type);
		return;
	case GLC_OP_Length: {
		bool is_new;
		int16_t result = result_reg(m, row->type, &is_new);
		struct rk_stmt *stmt = op(m, row->op, row->type, result);

		stmt->object = chance(m, 50) ? RK_INPUT : RK_OUTPUT;
		stmt->from = rk_types[below(m, RK_MEMORY_TYPES)];
		finish(m, stmt, is_new, false);
		return;
	}
	case GLC_OP_ShflSyncBfly:
		if (all_together(m) && m->k->subgroups)
			make_plain(m, row);
		return;
	default:
		break;
	}
	if (is_id(row->op))
		make_id(m, row->op);
	else if (row->approx || glc_is_transcendental(row->op))
		make_bounded(m, row);
	else
		make_plain(m, row);
}

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
	if (!unroll && !down && type == GLC_U32 && chance(m, 40))
		take(stmt, (struct rk_operand){.kind = RK_SPEC, .type = GLC_U32});
	else if (down || step > 1 || chance(m, 30))
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
