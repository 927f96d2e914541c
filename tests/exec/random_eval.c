/* SPDX-License-Identifier: MIT */
/*
 * What a random kernel computes: its statements, run one after the other for all lanes of a
 * workgroup that are there. Barriers then need nothing.
 */
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t lanes;   /* a set, one bit each */

struct eval {
	const struct rk_kernel *k;
	const struct rk_device *device;
	struct rk_memory *memory;
	struct rk_coverage *coverage;
	uint64_t (*regs)[RK_MOST_LANES];
	uint64_t shared[RK_MEMORY_TYPES][RK_MOST_LANES], shared_sum[RK_MEMORY_TYPES][RK_SUMS];
	uint64_t local[RK_MEMORY_TYPES][RK_LOCAL][RK_MOST_LANES];
	lanes broken, continued, returned;   /* broken, continued: of the innermost loop */
	lanes unsure;
	lanes nan_compared[RK_MOST_REGS];    /* the bool came of an order of NaN */
	uint32_t group[3], group_number;
	uint64_t steps;
};

enum { MOST_STEPS = 400000 };

#define RK_OPEN UINT64_MAX   /* no bound holds: a NaN that nothing here makes */

static uint64_t read(const struct eval *e, const struct rk_operand *operand, int lane)
{
	switch (operand->kind) {
	case RK_REG: return e->regs[operand->reg][lane];
	case RK_LITERAL: return operand->bits;
	case RK_SCALAR: return e->k->scalar[rk_place(operand->type)];
	default: return e->k->spec[rk_place(operand->type)];
	}
}

static uint64_t id(const struct eval *e, const struct rk_stmt *stmt, uint32_t lane)
{
	const uint32_t *local = e->k->local;
	uint32_t place[3] = {lane % local[0], lane / local[0] % local[1], lane / local[0] / local[1]};
	uint32_t d = stmt->dim;

	switch (stmt->op) {
	case GLC_OP_LocalId: return place[d];
	case GLC_OP_GlobalId: return e->group[d] * local[d] + place[d];
	case GLC_OP_GroupId: return e->group[d];
	case GLC_OP_WorkgroupSize: return local[d];
	case GLC_OP_GroupCount: return e->k->groups[d];
	case GLC_OP_GlobalSize: return e->k->groups[d] * local[d];
	case GLC_OP_LocalIndex: return lane;
	case GLC_OP_SubgroupSize: return e->device->subgroup;
	case GLC_OP_SubgroupId: return lane / e->device->subgroup;
	default: return lane % e->device->subgroup;
	}
}

static uint64_t *element(struct eval *e, const struct rk_stmt *stmt, uint64_t index, int lane)
{
	int place = rk_place(stmt->type);

	switch (stmt->object) {
	case RK_INPUT: return &e->memory->in[place][index % RK_IN];
	case RK_OUTPUT: return &e->memory->out[place][index % RK_OUT];
	case RK_SUM: return &e->memory->sum[place][index % RK_SUMS];
	case RK_SHARED: return &e->shared[place][index % RK_MOST_LANES];
	case RK_SHARED_SUM: return &e->shared_sum[place][index % RK_SUMS];
	default: return &e->local[place][index % RK_LOCAL][lane];
	}
}

static void set(struct eval *e, const struct rk_stmt *stmt, int lane, uint64_t bits)
{
	if (stmt->result >= 0)
		e->regs[stmt->result][lane] = bits;
}

/* The register carries the exact value as a double; only the store behind reads it. */
static void run_bounded(struct eval *e, const struct rk_stmt *stmt, int lane)
{
	float x[2] = {0};
	double exact;
	bool open = stmt->approx;

	for (int i = 0; i < stmt->operand_count && i < 2; i++) {
		uint32_t bits = (uint32_t)read(e, &stmt->operand[i], lane);

		memcpy(&x[i], &bits, sizeof x[i]);
		open = open || (e->device->flushes && fpclassify(x[i]) == FP_SUBNORMAL);
	}
	exact = open ? 0 : rk_transcendental(stmt->op, (double)x[0], (double)x[1]);
	memcpy(&e->regs[stmt->result][lane], &exact, sizeof exact);
	if (open)
		e->regs[stmt->result][lane] = RK_OPEN;
}

static uint64_t flushed(uint64_t bits)
{
	return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

/*
 * PTX ISA, atom: "the current implementation of atom.add.f32 on global memory flushes subnormal
 * inputs and results to sign-preserving zero".
 */
static void add_flushing(struct eval *e, const struct rk_stmt *stmt, uint64_t *at, uint64_t by, int lane)
{
	uint64_t sum;

	if (!rk_compute(e->device, &(struct rk_stmt){.op = GLC_OP_Add, .type = GLC_F32, .from = GLC_F32},
			(uint64_t[4]){flushed(*at), flushed(by)}, &sum))
		e->unsure |= (lanes)1 << lane;
	set(e, stmt, lane, *at);
	*at = flushed(sum);
}

static void run_access(struct eval *e, const struct rk_stmt *stmt, int lane)
{
	uint64_t index = read(e, &stmt->operand[0], lane), *at, sum;
	int stored = stmt->operand_count - 1;

	if (stmt->object == RK_APPROX) {
		uint64_t bits = read(e, &stmt->operand[1], lane);

		memcpy(&e->memory->approx[index], &bits, sizeof bits);
		e->memory->approx_set[index] = bits != RK_OPEN;
		return;
	}
	if (stmt->object == RK_JUNK)
		return;
	if (stmt->object == RK_TABLE) {
		set(e, stmt, lane, e->k->table[rk_place(stmt->type)][index % RK_LUT]);
		return;
	}
	at = element(e, stmt, index, lane);
	if (stmt->op != GLC_OP_AtomicAdd) {
		if (stored)
			*at = read(e, &stmt->operand[1], lane);
		else
			set(e, stmt, lane, *at);
		return;
	}
	if (e->device->flushes_atomics && stmt->type == GLC_F32 && stmt->object != RK_SHARED_SUM) {
		add_flushing(e, stmt, at, read(e, &stmt->operand[1], lane), lane);
		return;
	}
	if (!rk_compute(e->device, &(struct rk_stmt){.op = GLC_OP_Add, .type = stmt->type, .from = stmt->type},
			(uint64_t[4]){*at, read(e, &stmt->operand[1], lane)}, &sum))
		e->unsure |= (lanes)1 << lane;
	set(e, stmt, lane, *at);
	*at = sum;
}

static void run_shuffle(struct eval *e, const struct rk_stmt *stmt, lanes active)
{
	uint64_t before[RK_MOST_LANES];

	for (uint32_t i = 0; i < e->k->lanes; i++)
		before[i] = read(e, &stmt->operand[0], (int)i);
	for (uint32_t i = 0; i < e->k->lanes; i++)
		if (active >> i & 1)
			set(e, stmt, (int)i, before[i ^ (uint32_t)stmt->operand[1].bits]);
	if (e->unsure & active)
		e->unsure |= active;
}

static bool is_nan(enum glc_type type, uint64_t bits)
{
	if (type == GLC_F32)
		return (bits & 0x7fffffff) > 0x7f800000;
	return type == GLC_F64 && (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

static void run_lane(struct eval *e, const struct rk_stmt *stmt, int lane)
{
	uint64_t arg[4] = {0}, result = 0;
	bool orders = stmt->op >= GLC_OP_Lt && stmt->op <= GLC_OP_Ge;

	for (int i = 0; i < stmt->operand_count; i++)
		arg[i] = read(e, &stmt->operand[i], lane);
	if (!rk_compute(e->device, stmt, arg, &result))
		e->unsure |= (lanes)1 << lane;
	set(e, stmt, lane, result);
	e->nan_compared[stmt->result] &= ~((lanes)1 << lane);
	if (orders && (is_nan(stmt->type, arg[0]) || is_nan(stmt->type, arg[1])))
		e->nan_compared[stmt->result] |= (lanes)1 << lane;
}

static void run_op(struct eval *e, const struct rk_stmt *stmt, lanes active)
{
	const char *letters = glc_ops[stmt->op].operands;
	bool memory = stmt->object && stmt->op != GLC_OP_Length;

	if (active && e->coverage)
		e->coverage->op[stmt->op][stmt->type][stmt->op == GLC_OP_Length ? stmt->type : stmt->from][stmt->approx]++;
	if (stmt->op == GLC_OP_ShflSyncBfly) {
		run_shuffle(e, stmt, active);
		return;
	}
	/* What an unsure lane gives to others makes them unsure. */
	if (active & e->unsure && (stmt->object == RK_SHARED || stmt->object == RK_SHARED_SUM))
		e->unsure |= active;
	if (active & e->unsure && stmt->object == RK_SUM)
		e->memory->sums_unsure = true;
	for (int lane = 0; lane < (int)e->k->lanes; lane++) {
		if (!(active >> lane & 1))
			continue;
		if (memory)
			run_access(e, stmt, lane);
		else if (stmt->op == GLC_OP_Length)
			set(e, stmt, lane, stmt->object == RK_INPUT ? RK_IN : e->k->lanes * e->k->group_count * RK_SLOTS);
		else if (!letters[0] && glc_ops[stmt->op].result == 'U')
			set(e, stmt, lane, id(e, stmt, (uint32_t)lane));
		else if (stmt->approx || glc_is_transcendental(stmt->op))
			run_bounded(e, stmt, lane);
		else if (letters[0])
			run_lane(e, stmt, lane);
	}
}

/*
 * Vulkan promises NaN only to modules that ask for them. Mesa makes x >= y of !(x < y) where
 * that steers a loop: what such a lane does is open.
 */
static lanes holds(struct eval *e, const struct rk_operand *operand, lanes active, bool steers_loop)
{
	lanes yes = 0;

	if (steers_loop && operand->kind == RK_REG)
		e->unsure |= e->nan_compared[operand->reg] & active;

	for (int lane = 0; lane < (int)e->k->lanes; lane++)
		if (active >> lane & 1 && read(e, operand, lane))
			yes |= (lanes)1 << lane;
	return yes;
}

static bool run(struct eval *e, int index, lanes active);

static bool run_loop(struct eval *e, const struct rk_stmt *stmt, lanes active)
{
	lanes broken = e->broken, continued = e->continued;
	bool good = true;

	e->broken = e->continued = 0;
	while (good && (active &= ~(e->broken | e->returned))) {
		e->continued = 0;
		good = run(e, stmt->body, active);
	}
	e->broken = broken;
	e->continued = continued;
	return good;
}

/* k < b at entry; then: if b - k <= step (unsigned) leave, else k += step. */
static bool run_for(struct eval *e, const struct rk_stmt *stmt, lanes active)
{
	enum glc_type type = stmt->type;
	lanes broken = e->broken, continued = e->continued, enter = 0;
	uint64_t mask = glc_type_mask(type), bound[RK_MOST_LANES], step = 1;
	bool down, good = true;

	if (stmt->operand_count == 3)
		step = read(e, &stmt->operand[2], 0);
	down = glc_is_signed(type) && (step & (mask ^ mask >> 1));
	for (int lane = 0; lane < (int)e->k->lanes; lane++) {
		uint64_t from, less;

		if (!(active >> lane & 1))
			continue;
		from = read(e, &stmt->operand[0], lane);
		bound[lane] = read(e, &stmt->operand[1], lane);
		rk_compute(e->device, &(struct rk_stmt){.op = GLC_OP_Lt, .type = (uint8_t)type},
			   down ? (uint64_t[4]){bound[lane], from} : (uint64_t[4]){from, bound[lane]}, &less);
		if (less)
			enter |= (lanes)1 << lane;
		e->regs[stmt->result][lane] = from;
	}
	active = enter;
	e->broken = e->continued = 0;
	while (good && (active &= ~(e->broken | e->returned))) {
		e->continued = 0;
		good = run(e, stmt->body, active);
		active &= ~(e->broken | e->returned);
		for (int lane = 0; lane < (int)e->k->lanes; lane++) {
			uint64_t k = e->regs[stmt->result][lane], left;

			if (!(active >> lane & 1))
				continue;
			left = (down ? k - bound[lane] : bound[lane] - k) & mask;
			if (left <= ((down ? 0 - step : step) & mask))
				active &= ~((lanes)1 << lane);
			e->regs[stmt->result][lane] = (k + step) & mask;
		}
	}
	e->broken = broken;
	e->continued = continued;
	return good;
}

static bool run(struct eval *e, int index, lanes active)
{
	for (; index >= 0; index = e->k->stmts[index].next) {
		const struct rk_stmt *stmt = &e->k->stmts[index];
		lanes yes;

		active &= ~(e->broken | e->continued | e->returned);
		if (!active)
			return true;
		if (stmt->removed)
			continue;
		if (++e->steps > MOST_STEPS)
			return false;
		switch (stmt->kind) {
		case RK_OP:
			run_op(e, stmt, active);
			break;
		case RK_IF:
			yes = holds(e, &stmt->operand[0], active, false);
			if (!run(e, stmt->body, yes) || !run(e, stmt->otherwise, active & ~yes))
				return false;
			break;
		case RK_LOOP:
			if (!run_loop(e, stmt, active))
				return false;
			break;
		case RK_FOR:
		case RK_UNROLL:
			if (!run_for(e, stmt, active))
				return false;
			break;
		case RK_BREAK: e->broken |= active; break;
		case RK_CONTINUE: e->continued |= active; break;
		case RK_BREAK_IF: e->broken |= holds(e, &stmt->operand[0], active, true); break;
		case RK_CONTINUE_IF: e->continued |= holds(e, &stmt->operand[0], active, true); break;
		default: e->returned |= active;
		}
	}
	return true;
}

bool rk_evaluate(const struct rk_kernel *kernel, const struct rk_device *device, struct rk_memory *memory,
		 struct rk_coverage *coverage)
{
	struct eval *e = malloc(sizeof *e);
	bool good = e;

	if (!e)
		return false;
	memset(e, 0, sizeof *e);
	e->k = kernel;
	e->device = device;
	e->memory = memory;
	e->coverage = coverage;
	e->regs = calloc(RK_MOST_REGS, sizeof *e->regs);
	good = e->regs;
	for (uint32_t i = 0; i < kernel->group_count && good; i++) {
		e->group[0] = i % kernel->groups[0];
		e->group[1] = i / kernel->groups[0] % kernel->groups[1];
		e->group[2] = i / kernel->groups[0] / kernel->groups[1];
		e->broken = e->continued = e->returned = e->unsure = 0;
		e->steps = 0;
		good = run(e, kernel->first, kernel->lanes == 64 ? UINT64_MAX : ((lanes)1 << kernel->lanes) - 1);
		for (uint32_t lane = 0; lane < kernel->lanes; lane++)
			memory->unsure[i * kernel->lanes + lane] = e->unsure >> lane & 1;
	}
	free(e->regs);
	free(e);
	return good;
}
