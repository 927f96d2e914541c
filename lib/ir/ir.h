/* SPDX-License-Identifier: MIT */
/*
 * The intermediate form: SSA in structured regions, flat.
 *
 * A kernel is one run of instructions in the order in which code is written. Structure is
 * marked by instructions, always nested:
 *
 *	If c  ...  Else  ...  EndIf   Phi*
 *	Loop  Phi*  ...  Continuing  Phi*  ...  EndLoop   Phi*
 *
 * Every If has an Else. Break, Continue and Return end the run that they stand in: the
 * next instruction is Else, EndIf or Continuing. Break and Continue mean the innermost
 * Loop. Control reaches Continuing from each Continue and, if the body's end is reached,
 * from there; EndLoop goes back to Loop, unless its condition holds (if it has one), when
 * it leaves as a Break does.
 *
 * A value is the index of the instruction that makes it, or a constant (top bit set). What
 * a region makes is used outside it only through the Phis of its end; Continuing sees what
 * the body's top level made when no Continue stands in the body. Pointers, unstructured
 * jumps and casts of addresses do not exist. glc_ir_verify checks all of this.
 */
#ifndef GLC_IR_IR_H
#define GLC_IR_IR_H

#include "base/bump.h"
#include "ir/ops.h"

#include <stddef.h>
#include <string.h>

typedef uint32_t glc_value;

#define GLC_CONST_BIT 0x80000000u
/* An absent argument; in a Phi, or in a list for one: that way is never taken, or its value never read. */
#define GLC_NO_VALUE  0xffffffffu

static inline bool glc_is_const(glc_value value)
{
	return value & GLC_CONST_BIT;
}

/* Modifiers of one instruction. */
enum {
	GLC_MOD_APPROX = 1 << 0,   /* .approx: the target's native form */
	/*
	 * Set by lowering: the operands are known to be in the range where the targets' own
	 * instruction has our meaning (shift amounts, divisors, bit fields, float to integer). Add of
	 * a counter: the sum does not wrap.
	 */
	GLC_MOD_RAW = 1 << 1,
	GLC_MOD_UNUSED = 1 << 2,   /* an atomic whose old value nobody reads */
	GLC_MOD_UNREACHABLE = 1 << 3,  /* EndIf, EndLoop: control never gets behind it */
	GLC_MOD_OPEN = 1 << 4,     /* Else, EndIf, Continuing: the run before it reaches its end */
	GLC_MOD_UNROLL = 1 << 5,   /* Loop: the source asked for it */
	GLC_MOD_REST = 1 << 7,     /* Loop: what is left of one that was unrolled, a few rounds */
};

enum glc_scope { GLC_SCOPE_NONE, GLC_SCOPE_WORKGROUP, GLC_SCOPE_DEVICE, GLC_SCOPE_SYSTEM };
enum glc_order { GLC_ORDER_RELAXED, GLC_ORDER_ACQUIRE, GLC_ORDER_RELEASE, GLC_ORDER_ACQREL };

/* The detail of an atomic: its order and scope. NONE: device on buffers, workgroup on shared. */
#define GLC_DETAIL(order, scope) ((uint8_t)((order) << 2 | (scope)))
#define GLC_DETAIL_ORDER(detail) ((enum glc_order)((detail) >> 2))
#define GLC_DETAIL_SCOPE(detail) ((enum glc_scope)((detail) & 3))

/*
 *	arithmetic    arg = operands; type = the result's; from = the suffix (operands of a compare,
 *	              source of Cvt)
 *	ids           detail = 0, 1, 2 for .x .y .z
 *	memory        object = which; arg[0] = index (u32, or u64 when from is GLC_U64), then values;
 *	              type = the element's, of stores too
 *	Fence         detail = enum glc_scope; atomics: GLC_DETAIL(order, scope)
 *	Param, Spec   object = which
 *	Phi           at EndIf: arg[0], arg[1] from the first and second arm; behind Loop: arg[0] on
 *	              entry, arg[1] from EndLoop; behind Continuing and EndLoop: arg[0] = slot, the
 *	              place of its value in each edge's list
 *	If            arg[0] = condition
 *	Continuing    arg[0] = first Continue edge (chained by their arg[1]), arg[2] = how many edges
 *	              with the body's end; arg[1] = list of the body's end, when GLC_MOD_OPEN
 *	EndLoop       arg[0] = condition to leave, or GLC_NO_VALUE; arg[1] = its list; arg[2] = first Break
 *	Break, Continue   arg[0] = list: first of slots values in edge_values; arg[1] = next such edge of
 *	              this loop, or GLC_NO_VALUE
 *	Loop          arg[0] = slots; arg[1] = its EndLoop, arg[2] = its Continuing
 */
struct glc_inst {
	uint16_t op;
	uint8_t type;
	uint8_t from;
	uint8_t mods;
	uint8_t detail;
	uint16_t object;
	glc_value arg[4];
	uint32_t pos;     /* in the source map */
};

/* All that stands before an instruction's arguments, for comparing; no opcode is all ones. */
static inline uint64_t glc_inst_head(const struct glc_inst *inst)
{
	uint64_t head;

	_Static_assert(offsetof(struct glc_inst, arg) == sizeof head, "nothing is left out");
	memcpy(&head, inst, sizeof head);
	return head;
}

struct glc_const {
	uint64_t bits;    /* above the type's width: zero */
	uint32_t type;
	uint32_t next;    /* hash chain */
};

struct glc_name {
	const char *at;   /* not terminated */
	uint32_t bytes;
};

enum glc_object_kind {
	GLC_OBJECT_BUFFER,
	GLC_OBJECT_SCALAR,
	GLC_OBJECT_SPEC,
	GLC_OBJECT_SHARED,
	GLC_OBJECT_LOCAL,
	GLC_OBJECT_CONST,
};

enum glc_access { GLC_READ = 1, GLC_WRITE = 2, GLC_READWRITE = 3 };

/* A number that a specialization constant may stand for. */
struct glc_extent {
	uint32_t value;      /* the number, or the constant's present value */
	uint32_t spec;       /* index of the object, or GLC_NO_VALUE */
};

struct glc_object {
	struct glc_name name;    /* without the @ */
	uint32_t pos;
	uint8_t kind, type, access;
	/* What the code does with it; set while the IR is built. */
	uint8_t used;            /* GLC_READ, GLC_WRITE of what is really done */
	bool atomic, length_taken;
	uint32_t set, binding;   /* buffer */
	uint32_t offset;         /* buffer, scalar: none; filled for scalars: bytes in the push constants */
	uint32_t spec_id;        /* spec: order of declaration in the module */
	uint64_t spec_bits;      /* spec: its value, -D applied */
	struct glc_extent length;  /* shared, local, const: elements */
	const uint64_t *values;  /* const: length.value bit patterns */
};

struct glc_kernel {
	struct glc_name name;
	uint32_t pos;
	struct glc_extent workgroup[3];
	uint32_t subgroup;       /* demanded size, or 0 */
	struct glc_object *objects;
	uint32_t object_count;
	uint32_t push_bytes;     /* scalars at natural alignment, in order */
	struct glc_inst *insts;
	uint32_t inst_count;
	glc_value *edge_values;  /* the lists of Break, Continue, Continuing, EndLoop */
	uint32_t edge_value_count;
	bool trimmed;            /* made so that nothing in it is dead */
	bool converges;          /* has a barrier or subgroup instruction */
	bool coherent;           /* has a barrier, fence or atomic ordering: see glc_is_coherent */
};

struct glc_ir {
	struct glacier_memory *memory;
	struct glc_kernel *kernels;
	uint32_t kernel_count;
	struct glc_const *consts;
	uint32_t const_count;
};

/* What its parts take, for measurements. */
static inline uint64_t glc_kernel_bytes(const struct glc_kernel *kernel)
{
	return sizeof *kernel + (uint64_t)kernel->inst_count * sizeof *kernel->insts +
	       (uint64_t)kernel->object_count * sizeof *kernel->objects +
	       (uint64_t)kernel->edge_value_count * sizeof *kernel->edge_values;
}

static inline const struct glc_const *glc_const_at(const struct glc_ir *ir, glc_value value)
{
	return &ir->consts[value & ~GLC_CONST_BIT];
}

static inline enum glc_type glc_type_of(const struct glc_ir *ir, const struct glc_kernel *kernel,
					glc_value value)
{
	return glc_is_const(value) ? glc_const_at(ir, value)->type : kernel->insts[value].type;
}

/*
 * The ways into a Phi, one after the other, whatever kind of region it belongs to:
 *	for (struct glc_ways w = glc_ways(kernel, owner, phi); glc_way(&w);) use w.value, w.edge
 */
struct glc_ways {
	const struct glc_kernel *kernel;
	const struct glc_inst *phi;
	uint32_t owner;    /* the instruction that the Phi stands behind: EndIf, Loop, Continuing, EndLoop */
	uint32_t step;
	glc_value next;    /* edge of the chain */
	glc_value value;   /* what comes this way; never GLC_NO_VALUE */
	uint32_t edge;     /* the Break or Continue; the owner for the way without one; 0, 1: the arm or the
			      way on entry, from EndLoop, for EndIf and Loop */
};

static inline struct glc_ways glc_ways(const struct glc_kernel *kernel, uint32_t owner, uint32_t phi)
{
	const struct glc_inst *at = &kernel->insts[owner];

	return (struct glc_ways){
		.kernel = kernel,
		.phi = &kernel->insts[phi],
		.owner = owner,
		.next = at->op == GLC_OP_Continuing ? at->arg[0]
			: at->op == GLC_OP_EndLoop  ? at->arg[2]
						    : GLC_NO_VALUE,
	};
}

static inline bool glc_way(struct glc_ways *w)
{
	const struct glc_inst *owner = &w->kernel->insts[w->owner];
	bool chained = owner->op == GLC_OP_Continuing || owner->op == GLC_OP_EndLoop;

	if (!chained) {
		while (w->step < 2) {
			w->edge = w->step;
			w->value = w->phi->arg[w->step++];
			if (w->value != GLC_NO_VALUE)
				return true;
		}
		return false;
	}
	while (w->next != GLC_NO_VALUE) {
		w->edge = w->next;
		w->value = w->kernel->edge_values[w->kernel->insts[w->edge].arg[0] + w->phi->arg[0]];
		w->next = w->kernel->insts[w->edge].arg[1];
		if (w->value != GLC_NO_VALUE)
			return true;
	}
	if (w->step++ || (owner->op == GLC_OP_Continuing ? !(owner->mods & GLC_MOD_OPEN)
							 : owner->arg[0] == GLC_NO_VALUE))
		return false;
	w->edge = w->owner;
	w->value = w->kernel->edge_values[owner->arg[1] + w->phi->arg[0]];
	return true;
}

/* glacier-kernel(7), MEMORY: written and read, in a kernel that orders memory. */
static inline bool glc_is_coherent(const struct glc_kernel *kernel, const struct glc_object *object)
{
	return kernel->coherent && object->used == GLC_READWRITE;
}

#endif
