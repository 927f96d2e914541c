/* SPDX-License-Identifier: MIT */
/* The instructions of a random kernel: values, registers, and a statement for each row. */
#include "random_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two of four kinds of kernel have no barriers; one of them tries cells, see make_cells. */
bool has_cells(const struct rk_kernel *k)
{
	return (k->seed & 3) == 2;
}

uint32_t below(struct maker *m, uint32_t bound)
{
	return (uint32_t)glc_rng_below(&m->rng, bound);
}

bool chance(struct maker *m, uint32_t percent)
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

struct rk_stmt *append(struct maker *m, enum rk_kind kind)
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

int16_t new_reg(struct maker *m, enum glc_type type)
{
	if (m->k->reg_count == RK_MOST_REGS) {
		fprintf(stderr, "random kernels: seed %llu has too many registers\n", (unsigned long long)m->k->seed);
		exit(99);
	}
	m->k->regs[m->k->reg_count] = (struct rk_reg){.type = (uint8_t)type};
	return (int16_t)m->k->reg_count++;
}

void show(struct maker *m, int16_t reg)
{
	m->visible[m->visible_count++] = reg;
}

struct rk_operand reg_operand(const struct maker *m, int16_t reg)
{
	return (struct rk_operand){.kind = RK_REG, .type = m->k->regs[reg].type, .reg = (uint16_t)reg};
}

struct rk_operand literal(enum glc_type type, uint64_t bits)
{
	return (struct rk_operand){.kind = RK_LITERAL, .type = (uint8_t)type, .bits = bits & glc_type_mask(type)};
}

void take(struct rk_stmt *stmt, struct rk_operand operand)
{
	stmt->operand[stmt->operand_count++] = operand;
}

struct rk_stmt *op(struct maker *m, enum glc_op opcode, enum glc_type type, int16_t result)
{
	struct rk_stmt *stmt = append(m, RK_OP);

	stmt->op = (uint8_t)opcode;
	stmt->type = stmt->from = (uint8_t)type;
	stmt->result = result;
	return stmt;
}

/* A statement with a new register; it is not visible yet. */
int16_t op2(struct maker *m, enum glc_op opcode, enum glc_type type, struct rk_operand a, struct rk_operand b)
{
	bool compares = glc_ops[opcode].result == 'B';
	int16_t result = new_reg(m, compares ? GLC_BOOL : type);
	struct rk_stmt *stmt = op(m, opcode, type, result);

	take(stmt, a);
	take(stmt, b);
	return result;
}

/* A register of the type that holds a value here, or -1. */
int16_t any_reg(struct maker *m, enum glc_type type, bool writable)
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

struct rk_operand constant(struct maker *m, enum glc_type type)
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

struct rk_operand value(struct maker *m, enum glc_type type)
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

void use(struct maker *m, enum rk_object object, enum glc_type type)
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

void make_row(struct maker *m, const struct rk_row *row)
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

