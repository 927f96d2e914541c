/* SPDX-License-Identifier: MIT */
/*
 * From a kernel's IR to a program of steps, in three parts: cpu_classify.c says which values
 * are words, cpu_slots.c gives the others registers, cpu_compile.c with cpu_emit*.c writes the steps.
 */
#ifndef GLC_DEVICE_CPU_COMPILE_H
#define GLC_DEVICE_CPU_COMPILE_H

#include "device/cpu.h"

enum glc_shape { GLC_NOT_KNOWN, GLC_UNIFORM, GLC_AFFINE, GLC_VARYING };

#define GLC_NOWHERE_32 UINT32_MAX

struct cpu_value {
	uint8_t shape;
	bool in_register;       /* varying, or affine and needed by lane */
	bool fused;             /* computed with its only use */
	bool alias;             /* a load that may stand for the memory */
	bool range;             /* a comparison of an affine with a uniform value */
	bool only_branches;     /* read by nothing but If and EndLoop */
	int32_t stride;         /* affine: from lane to lane */
	uint32_t uses, user;    /* how many; the last one found */
	uint32_t first;         /* the value that was fused into this one, or GLC_NOWHERE_32 */
	uint32_t word;          /* uniform, affine: its word; range: its summary */
	uint32_t reg;           /* where it is read; what it is written to is slot */
	uint32_t slot;
	uint32_t spare;         /* Phi of a loop that others read in its last round: a slot to save it in */
	uint32_t home;          /* the value whose slot it shares, or itself */
	uint32_t begin, end;    /* instructions between which its slot is its own */
};

struct cpu_region {
	uint32_t begin, middle, end;   /* If, Else, EndIf; Loop, Continuing, EndLoop */
	uint32_t parent;               /* a region, or GLC_NOWHERE_32 */
	bool is_loop;
	bool varying;                  /* has masks of its own */
	bool returns;                  /* loop: a Return stands in it */
	uint32_t yes, no;              /* masks: of the arms; of the rounds and of who waits for the next */
	uint32_t leave, stay;          /* loop: who leaves at its end, and who does not */
	uint32_t outer;                /* the mask around it */
	uint32_t head;                 /* loop: the step that each round begins with */
	uint32_t rounds;               /* loop that is watched: the word that counts them; 0: there is none */
};

struct cpu_compile {
	const struct glc_ir *ir;
	const struct glc_kernel *kernel;
	const struct glc_cpu_options *options;
	struct glacier_memory *memory;
	struct glc_cpu_program *program;
	struct cpu_value *values;      /* by instruction */
	glc_value *same;               /* by instruction: the value that it only renames, or itself */
	uint32_t *region_of;           /* by instruction: the innermost it stands in */
	struct cpu_region *regions;
	uint32_t region_count;
	uint32_t *owner;               /* by Phi: the instruction that it stands behind */
	bool failed;                   /* memory ran out */
};

/* Through Bitcasts, which change nothing in a register. */
static inline glc_value cpu_same(const struct cpu_compile *c, glc_value value)
{
	return value == GLC_NO_VALUE || glc_is_const(value) ? value : c->same[value];
}

static inline enum glc_shape cpu_shape(const struct cpu_compile *c, glc_value value)
{
	value = cpu_same(c, value);
	return glc_is_const(value) ? GLC_UNIFORM : (enum glc_shape)c->values[value].shape;
}

static inline enum glc_type cpu_type(const struct cpu_compile *c, glc_value value)
{
	return glc_type_of(c->ir, c->kernel, value);
}

/* 32 or 64: how a value of that type lies in registers. */
static inline uint32_t cpu_bits(enum glc_type type)
{
	return glc_types[type].bits == 64 ? 64 : 32;
}

/* Regions, and the shapes of all values. */
void cpu_classify(struct cpu_compile *c);
/* Uses, pairs that become one step, registers. */
void cpu_place(struct cpu_compile *c);
/* The row for an opcode with that suffix type (Cvt: to `type`), or GLC_NOWHERE_32. */
uint32_t cpu_row(enum glc_op op, enum glc_type type, enum glc_type from);
/* The row for a pair: `second` has `first` as its operand number `place`. GLC_NOWHERE_32: there is none. */
uint32_t cpu_pair(enum glc_op first, enum glc_op second, uint32_t place, enum glc_type type);

/* Slots that every program has: for indices, and for words that a loop needs as registers. */
enum { GLC_SLOT_INDEX, GLC_SLOT_SPLAT, GLC_SLOT_SPLAT2, GLC_SLOT_FIRST };

/*
 * Whether the value of a loop's Phi is what a later one has in the next round: they change
 * in their order, so it must be saved before it is gone.
 */
static inline bool cpu_is_exchanged(const struct cpu_compile *c, uint32_t phi)
{
	const struct glc_inst *insts = c->kernel->insts;

	for (uint32_t i = phi + 1; i < c->kernel->inst_count && insts[i].op == GLC_OP_Phi; i++)
		if (cpu_same(c, insts[i].arg[1]) == phi)
			return true;
	return false;
}

static inline bool cpu_is_load(enum glc_op op)
{
	return op == GLC_OP_LoadGlobal || op == GLC_OP_LoadShared || op == GLC_OP_LoadConst;
}

static inline bool cpu_is_store(enum glc_op op)
{
	return op == GLC_OP_StoreGlobal || op == GLC_OP_StoreShared;
}

#endif
