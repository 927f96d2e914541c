/* SPDX-License-Identifier: MIT */
/*
 * Building a module from a program: kernels, parameters, and then statements one after the
 * other, typed as in the language. What is built is the same as if it had been read as text.
 *
 * Every function reports what is wrong to the sink that the build began with, naming the
 * statement ("kernels[0].statements[5]"), and then goes on; glacier_build_end gives the
 * status of the first error. So no call needs a check of its own. Strings are copied. One
 * thread at a time. See examples/embed.c.
 */
#ifndef GLACIER_BUILD_H
#define GLACIER_BUILD_H

#include <glacier/kernel.h>
#include <glacier/opcode.h>

GLACIER_BEGIN

struct glacier_build;

/* A register, parameter, array or literal, made by the functions below for one build. */
struct glacier_operand {
	uint32_t kind;     /* 0: none */
	uint32_t index;
	uint32_t kernel;   /* that it belongs to; 0: to the module */
};

enum glacier_access {
	GLACIER_READ = 1,
	GLACIER_WRITE = 2,
	GLACIER_READWRITE = 3,
};

enum glacier_order { GLACIER_ORDER_RELAXED, GLACIER_ORDER_ACQUIRE, GLACIER_ORDER_RELEASE, GLACIER_ORDER_ACQREL };
enum glacier_scope { GLACIER_SCOPE_DEFAULT, GLACIER_SCOPE_WORKGROUP, GLACIER_SCOPE_DEVICE, GLACIER_SCOPE_SYSTEM };

/* Zero-initialise. */
struct glacier_instruction {
	enum glacier_opcode opcode;
	enum glacier_type type;           /* the suffix, of opcodes that have one */
	enum glacier_type from;           /* the second suffix: Cvt, Bitcast */
	struct glacier_operand result;    /* a register, or none */
	struct glacier_operand operands[4];
	uint32_t operand_count;
	bool approx;
	char dimension;                   /* 'x', 'y', 'z', or 0: none is written, which means x */
	enum glacier_order order;
	enum glacier_scope scope;
};

/*
 * Begin to build into the module, which forgets what it held.
 *
 * diag  must live until glacier_build_end; NULL to stay silent.
 *
 * Returns NULL without memory. The build belongs to the module: it ends with
 * glacier_build_end, or when the module is read into or destroyed.          Since: 0.1
 */
GLACIER_API struct glacier_build *glacier_build_begin(struct glacier_module *module, struct glacier_diag *diag);

/*
 * Check what was built; the module can then be written, printed and reflected upon.
 *
 * options  values for specialization constants; NULL: none.
 *
 * Returns what glacier_module_read_text does; after an error the module is empty. Since: 0.1
 */
GLACIER_API enum glacier_status glacier_build_end(struct glacier_build *build,
						  const struct glacier_read_options *options);

/* --- Literals: of any kernel of the build --------------------------------- */

GLACIER_API struct glacier_operand glacier_build_bool(struct glacier_build *build, bool value);
GLACIER_API struct glacier_operand glacier_build_int(struct glacier_build *build, int64_t value);
GLACIER_API struct glacier_operand glacier_build_uint(struct glacier_build *build, uint64_t value);
/* Exact: written as a bit pattern, which fits one type only. */
GLACIER_API struct glacier_operand glacier_build_f32(struct glacier_build *build, float value);
GLACIER_API struct glacier_operand glacier_build_f64(struct glacier_build *build, double value);
/* As it would be spelled in text: "0x1.8p1", "inf". */
GLACIER_API struct glacier_operand glacier_build_literal(struct glacier_build *build, const char *text);

/* --- Declarations ---------------------------------------------------------- */

/* An array of constants of the module: `count` literals. It may be used in every kernel begun later. */
GLACIER_API struct glacier_operand glacier_build_const(struct glacier_build *build, const char *name,
						       enum glacier_type type,
						       const struct glacier_operand *values, uint32_t count);

/* Begin a kernel; the one before it is complete. y, z: 0 leaves the size out. x: 0 if glacier_build_workgroup follows. */
GLACIER_API void glacier_build_kernel(struct glacier_build *build, const char *name, uint32_t x,
				      uint32_t y, uint32_t z);
/* In place of sizes that are numbers: operands that may be specialization constants of the kernel. */
GLACIER_API void glacier_build_workgroup(struct glacier_build *build, const struct glacier_operand *sizes,
					 uint32_t count);
GLACIER_API void glacier_build_subgroup(struct glacier_build *build, uint32_t size);

/* Parameters, in order, before everything else of the kernel. set, binding: -1 for the default. */
GLACIER_API struct glacier_operand glacier_build_buffer(struct glacier_build *build, const char *name,
							enum glacier_type type, enum glacier_access access,
							int set, int binding);
GLACIER_API struct glacier_operand glacier_build_scalar(struct glacier_build *build, const char *name,
							enum glacier_type type);
GLACIER_API struct glacier_operand glacier_build_spec(struct glacier_build *build, const char *name,
						      enum glacier_type type, struct glacier_operand value);

/* Arrays, before the statements. length: a literal or a specialization constant. */
GLACIER_API struct glacier_operand glacier_build_shared(struct glacier_build *build, const char *name,
							enum glacier_type type, struct glacier_operand length);
GLACIER_API struct glacier_operand glacier_build_local(struct glacier_build *build, const char *name,
						       enum glacier_type type, struct glacier_operand length);

/* The register of that name; NULL: a new one, with a name of its own. */
GLACIER_API struct glacier_operand glacier_build_register(struct glacier_build *build, const char *name);

/* --- Statements ------------------------------------------------------------ */

GLACIER_API void glacier_build_emit(struct glacier_build *build, const struct glacier_instruction *instruction);

/* An instruction that gives a value, into a new register, which is returned. */
GLACIER_API struct glacier_operand glacier_build_value(struct glacier_build *build, enum glacier_opcode opcode,
						       enum glacier_type type,
						       const struct glacier_operand *operands, uint32_t count);

/* The same by its spelling, "Cvt.f32.u32" or "AtomicAdd.u32.acquire.device". result: a register, or none. */
GLACIER_API void glacier_build_named(struct glacier_build *build, const char *opcode,
				     struct glacier_operand result, const struct glacier_operand *operands,
				     uint32_t count);

/* Blocks: each of the first three is ended by glacier_build_close. */
GLACIER_API void glacier_build_if(struct glacier_build *build, struct glacier_operand condition);
GLACIER_API void glacier_build_loop(struct glacier_build *build);
/* counter: a register of no other use. step: none for 1. */
GLACIER_API void glacier_build_for(struct glacier_build *build, struct glacier_operand counter,
				   enum glacier_type type, struct glacier_operand from,
				   struct glacier_operand to, struct glacier_operand step, bool unroll);
GLACIER_API void glacier_build_else(struct glacier_build *build);
GLACIER_API void glacier_build_close(struct glacier_build *build);

GLACIER_API void glacier_build_break(struct glacier_build *build);
GLACIER_API void glacier_build_continue(struct glacier_build *build);
GLACIER_API void glacier_build_break_if(struct glacier_build *build, struct glacier_operand condition);
GLACIER_API void glacier_build_continue_if(struct glacier_build *build, struct glacier_operand condition);
GLACIER_API void glacier_build_return(struct glacier_build *build);

GLACIER_END

#endif
