/* SPDX-License-Identifier: MIT */
/*
 * Random kernels: made from a seed as a tree, printed as text, and evaluated here lane by
 * lane, so that what the compiler's output computes can be held against what the statements say.
 *
 * Valid and free of races by construction: a lane writes its own slots; the accumulators
 * take only sums that come out the same in every order and are not read before the end;
 * shared memory is exchanged between two barriers in uniform flow; registers are set before
 * they are read on every way; every loop has a bound.
 */
#ifndef TESTS_EXEC_RANDOM_H
#define TESTS_EXEC_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "ir/ops.h"

enum {
	RK_MOST_STMTS = 1024,
	RK_MOST_REGS = 512,
	RK_MOST_LANES = 64,         /* of a workgroup */
	RK_MOST_GROUPS = 4,
	RK_IN = 64,                 /* elements of an input buffer */
	RK_SLOTS = 8,               /* elements that a lane has of each output buffer */
	RK_OUT = RK_MOST_LANES * RK_MOST_GROUPS * RK_SLOTS,
	RK_LOCAL = 8,
	RK_LUT = 16,
	RK_SUMS = 8,
	RK_MEMORY_TYPES = 6,
	RK_TYPES = 7,
	RK_DEPTH = 4,
};

/* The memory types, then bool: where the arrays below are indexed by a type's place. */
static const uint8_t rk_types[RK_TYPES] = {GLC_I32, GLC_U32, GLC_I64, GLC_U64, GLC_F32, GLC_F64, GLC_BOOL};

static inline int rk_place(enum glc_type type)
{
	for (int i = 0; i < RK_TYPES; i++)
		if (rk_types[i] == type)
			return i;
	return 0;
}

enum rk_kind {
	RK_OP,
	RK_IF,
	RK_LOOP,
	RK_FOR,
	RK_UNROLL,
	RK_BREAK,
	RK_CONTINUE,
	RK_BREAK_IF,
	RK_CONTINUE_IF,
	RK_RETURN,
	RK_KIND_COUNT
};

/* What holds a statement, for the table of constructs in constructs. */
enum rk_parent { RK_IN_KERNEL, RK_IN_IF, RK_IN_ELSE, RK_IN_LOOP, RK_IN_FOR, RK_IN_UNROLL, RK_PARENT_COUNT };

/* Memory objects; each is one per type, or one for each type that has an atomic. */
enum rk_object {
	RK_NO_OBJECT,
	RK_INPUT,      /* buffer, read */
	RK_OUTPUT,     /* buffer, readwrite: RK_SLOTS elements a lane */
	RK_APPROX,     /* buffer f32: results that have a bound */
	RK_JUNK,       /* buffer f32: results that have none */
	RK_SUM,        /* buffer, atomics only */
	RK_SHARED,     /* one element a lane */
	RK_SHARED_SUM, /* atomics only, then read */
	RK_PRIVATE,    /* local array */
	RK_TABLE,      /* const array */
};

enum rk_operand_kind { RK_REG, RK_LITERAL, RK_SCALAR, RK_SPEC };

struct rk_operand {
	uint8_t kind, type;
	uint16_t reg;
	uint64_t bits;       /* a literal */
	uint8_t spelling;    /* of a literal */
};

struct rk_stmt {
	uint8_t kind;        /* enum rk_kind */
	uint8_t op;          /* enum glc_op */
	uint8_t type, from;
	uint8_t dim;         /* ids: 0 to 2; Fence and atomics: the scope */
	uint8_t order;       /* atomics */
	uint8_t object;      /* enum rk_object */
	bool approx;         /* .approx */
	bool pinned;         /* what bounds a loop or parts lanes: the shrinker leaves it */
	bool removed;
	int16_t result;      /* a register, or -1 */
	uint8_t operand_count;
	struct rk_operand operand[4];
	int16_t body, otherwise, next;   /* statements, or -1; otherwise -1: no else */
};

struct rk_reg {
	uint8_t type;
	bool fixed;          /* never written again */
	bool uniform;        /* the same in all lanes; then also fixed */
};

/* A row of the opcode table for one type. */
struct rk_row {
	uint8_t op, type, from;
	bool approx;
};

struct rk_kernel {
	uint64_t seed;
	struct rk_stmt stmts[RK_MOST_STMTS];
	int stmt_count, first;
	struct rk_reg regs[RK_MOST_REGS];
	int reg_count;
	uint32_t local[3], groups[3];
	uint32_t lanes, group_count;
	bool barriers;                     /* may hold barriers; then no lane returns alone */
	bool subgroups;                    /* lanes map to subgroups as the local index says */
	bool used[16][RK_TYPES];           /* by object and type: declare it */
	uint64_t scalar[RK_TYPES], spec[RK_TYPES], spec_default[RK_TYPES];
	uint64_t table[RK_MEMORY_TYPES][RK_LUT];
};

/* What one kernel reads and leaves behind. Elements are bits in the low bytes. */
struct rk_memory {
	uint64_t in[RK_MEMORY_TYPES][RK_IN];
	uint64_t out[RK_MEMORY_TYPES][RK_OUT];
	uint64_t sum[RK_MEMORY_TYPES][RK_SUMS];
	double approx[RK_OUT];             /* the exact value, as good as double is */
	bool approx_set[RK_OUT];
	bool unsure[RK_MOST_LANES * RK_MOST_GROUPS];   /* a bound or flush came in: not compared */
	bool sums_unsure;
};

/* How often things were tried. */
struct rk_coverage {
	uint64_t nest[RK_DEPTH][RK_PARENT_COUNT][RK_KIND_COUNT];
	uint64_t chain[5 * 5 * 5 * 5];      /* if, else, loop, for, unroll, four deep */
	uint64_t op[GLC_OP_COUNT][GLC_TYPE_COUNT][GLC_TYPE_COUNT][2];   /* executed */
};

/* What the device does where the language leaves it open. */
struct rk_device {
	uint32_t subgroup;
	bool flushes;        /* denormals become 0 */
	bool flushes_atomics;   /* AtomicAdd.f32 on buffers does (PTX ISA, atom) */
	bool near;           /* Div and Sqrt are within bounds, not rounded */
	bool relaxed;        /* Vulkan: the sign of a zero, what comes of infinities, and an f64 Fma are its own */
};

/* random_make.c: rows is what may be used; coverage counts nests and chains. */
void rk_make(struct rk_kernel *kernel, uint64_t seed, const struct rk_row *rows, int row_count,
	     struct rk_coverage *coverage);
void rk_fill(const struct rk_kernel *kernel, struct rk_memory *memory);
/* A value that finds faults: edges, small numbers, random bits. */
uint64_t rk_value(struct glc_rng *rng, enum glc_type type);

/* random_text.c: the module's text, NUL at its end; the kernel is named k<number>. */
size_t rk_print(const struct rk_kernel *kernel, unsigned number, char *text, size_t bytes);

/* random_value.c: one instruction on bits. False: the language leaves the result open. */
bool rk_compute(const struct rk_device *device, const struct rk_stmt *stmt, const uint64_t arg[4],
		uint64_t *result);
/* The exact value of a transcendental. */
double rk_transcendental(enum glc_op op, double x, double y);

/* random_eval.c: false when it runs too long (a shrunk kernel may). */
bool rk_evaluate(const struct rk_kernel *kernel, const struct rk_device *device, struct rk_memory *memory,
		 struct rk_coverage *coverage);

#endif
