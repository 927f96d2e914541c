/* SPDX-License-Identifier: MIT */
/*
 * Kernels: read a module of the kernel language, check it, write it for a target.
 *
 * A module holds everything that one input became, in its own memory. Reading into a
 * module again forgets what it held but keeps the memory, so that a loop over many inputs
 * allocates nothing once warm. One thread at a time per module; different modules are
 * independent. The language: glacier-kernel(7).
 */
#ifndef GLACIER_KERNEL_H
#define GLACIER_KERNEL_H

#include <glacier/base.h>
#include <glacier/buffer.h>
#include <glacier/diagnostic.h>
#include <glacier/limits.h>
#include <glacier/memory.h>
#include <glacier/stats.h>
#include <glacier/status.h>
#include <glacier/target.h>

GLACIER_BEGIN

struct glacier_module;

/* A named run of text. name may be NULL; neither is copied. */
struct glacier_text {
	const char *name;
	const char *text;
	size_t size;
};

/* -D NAME=VALUE: the value of a specialization constant, spelled as a literal of the language. */
struct glacier_define {
	const char *name;   /* without the @ */
	const char *value;
};

/* How an input is read. Zero-initialise; every member has a useful zero. */
struct glacier_read_options {
	const struct glacier_define *defines;   /* live until the module is read again or destroyed */
	size_t define_count;
	/*
	 * Finds what an include statement names. `from` is the including text's name. Gives
	 * false when there is no such text; *out must live until the module is read again
	 * or destroyed. NULL: includes are refused.
	 */
	bool (*include)(void *user, const char *path, const char *from, struct glacier_text *out);
	void *include_user;
	const struct glacier_stats *stats;  /* used during the call; NULL: nothing is measured */
};

enum glacier_optimize {
	GLACIER_OPTIMIZE_DEFAULT,  /* as -O1 */
	GLACIER_OPTIMIZE_NONE,     /* -O0: what the source says, statement by statement */
	GLACIER_OPTIMIZE_SAFE,     /* -O1: folding, common subexpressions, dead code; same bits */
};

/* How a module is written. Zero-initialise. */
struct glacier_write_options {
	enum glacier_optimize optimize;
	bool debug;                /* -g: names and source lines */
	const struct glacier_limits *limits;  /* SPIR-V: the device's, checked; NULL: what Vulkan promises */
	const struct glacier_stats *stats;    /* NULL: nothing is measured */
};

/*
 * Create an empty module.
 *
 * memory  the caller's, used for everything the module holds, reset whenever the module is
 *         read into; must outlive the module. NULL: the module has its own.
 * out     written only when GLACIER_OK is returned; destroy it.
 *
 * Returns GLACIER_OK or GLACIER_ERR_NOMEM.                                  Since: 0.1
 */
GLACIER_API enum glacier_status glacier_module_create(struct glacier_memory *memory,
						      struct glacier_module **out);

/* NULL is allowed. Since: 0.1 */
GLACIER_API void glacier_module_destroy(struct glacier_module *module);

/*
 * Read and check a module in text form (.gasm).
 *
 * input    at most 2^30 bytes; must live until the module is read again or destroyed.
 * options  NULL: all defaults.
 * diag     told of every error and warning with line and column; NULL to stay silent.
 *
 * Returns GLACIER_OK; GLACIER_ERR_MALFORMED, _INVALID, _UNSUPPORTED or _LIMIT when the
 * input is wrong (the status of the first error); GLACIER_ERR_NOMEM. After an error the
 * module is empty.                                                          Since: 0.1
 */
GLACIER_API enum glacier_status glacier_module_read_text(struct glacier_module *module,
							 const struct glacier_text *input,
							 const struct glacier_read_options *options,
							 struct glacier_diag *diag);

/*
 * Read and check a module in JSON form.
 *
 * input    at most 2^28 bytes; not looked at after the call.
 * options  as for text: what the document includes is text.
 * diag     told of broken JSON with line and column, and of wrong meaning with the path
 *          ("kernels[0].body[3].then[1]").
 *
 * Blocks may be nested 480 deep. Returns what glacier_module_read_text does. Since: 0.1
 */
GLACIER_API enum glacier_status glacier_module_read_json(struct glacier_module *module,
							 const struct glacier_text *input,
							 const struct glacier_read_options *options,
							 struct glacier_diag *diag);

/* A row of the numeric stream: what each operand means is told by the opcode, 0 to 25. */
struct glacier_row {
	int32_t opcode, a, b, d;
};

/* What a stream does not say itself. Zero-initialise. */
struct glacier_stream_options {
	const char *name;        /* of the kernel; NULL: "kernel" */
	uint32_t workgroup[3];   /* 0: 64 in x, left out in y and z */
	const struct glacier_stats *stats;  /* used during the call; NULL: nothing is measured */
};

/*
 * Make a module of one kernel from rows in memory: it has the buffers input_a, input_b,
 * output at bindings 0 to 2, and n; glacier-kernel(7), THE NUMERIC STREAM.
 *
 * rows   count of them, at most 2^24; not looked at after the call.
 * diag   told of what is wrong by the row's number ("rows[3]").
 *
 * Returns what glacier_module_read_text does.                               Since: 0.1
 */
GLACIER_API enum glacier_status glacier_kernel_from_stream(struct glacier_module *module,
							   const struct glacier_row *rows, size_t count,
							   const struct glacier_stream_options *options,
							   struct glacier_diag *diag);

/* The same from a JSON array of rows, [15,0,0,1] or {"opcode":15,"a":0,"b":0,"d":1} each. Since: 0.1 */
GLACIER_API enum glacier_status glacier_module_read_stream(struct glacier_module *module,
							   const struct glacier_text *input,
							   const struct glacier_stream_options *options,
							   struct glacier_diag *diag);

enum glacier_form {
	GLACIER_FORM_TEXT,   /* .gasm */
	GLACIER_FORM_JSON,
	GLACIER_FORM_COUNT
};

/*
 * Write the module back as it was read, whatever form it came in: names, the spelling of
 * literals and every statement are kept, comments are not. The bytes depend on that alone,
 * and a form read back and written again is the same to the byte.
 *
 * buffer  written at its end; unchanged unless GLACIER_OK is returned.
 *
 * Returns GLACIER_OK; GLACIER_ERR_LIMIT or _UNSUPPORTED when JSON cannot hold the module
 * (blocks nested deeper than 480, an include whose path is not UTF-8); GLACIER_ERR_ARGUMENT
 * when the module is empty; GLACIER_ERR_NOMEM.                              Since: 0.1
 */
GLACIER_API enum glacier_status glacier_module_print(struct glacier_module *module,
						     enum glacier_form form,
						     struct glacier_buffer *buffer,
						     struct glacier_diag *diag);

/*
 * Write the module's kernels for a target, at the end of the buffer.
 *
 * options  NULL: all defaults.
 * buffer   unchanged unless GLACIER_OK is returned.
 * diag     told what the target refuses; NULL to stay silent.
 *
 * The bytes depend on the module, the target and the options alone. SPIR-V is written as
 * little-endian words. Returns GLACIER_OK, GLACIER_ERR_UNSUPPORTED, _LIMIT or _NOMEM.
 *                                                                           Since: 0.1
 */
GLACIER_API enum glacier_status glacier_module_write(struct glacier_module *module,
						     const struct glacier_target *target,
						     const struct glacier_write_options *options,
						     struct glacier_buffer *buffer,
						     struct glacier_diag *diag);

/*
 * What the compiler makes of a module on the way to code: for people, and never read back.
 */
enum glacier_pass {
	GLACIER_PASS_OPTIMIZE,   /* checked, folded and shared: no target yet */
	GLACIER_PASS_BUILD,      /* as the source says it, statement by statement */
	GLACIER_PASS_LOWER,      /* rewritten for the target */
	GLACIER_PASS_COUNT
};

/* "optimize", "build", "lower"; NULL out of range. A static string. Since: 0.1 */
GLACIER_API const char *glacier_pass_name(enum glacier_pass pass);

/* Zero-initialise. */
struct glacier_dump_options {
	enum glacier_pass pass;
	bool graph;                            /* the control flow, in Graphviz's language */
	const struct glacier_target *target;   /* of GLACIER_PASS_LOWER */
	enum glacier_optimize optimize;        /* likewise */
};

/*
 * Write the module's IR behind a pass, at the end of the buffer.
 *
 * Returns GLACIER_OK; GLACIER_ERR_ARGUMENT when the module is empty or a pass lacks its
 * target; what the target refuses; GLACIER_ERR_NOMEM.                       Since: 0.1
 */
GLACIER_API enum glacier_status glacier_module_dump(struct glacier_module *module,
						    const struct glacier_dump_options *options,
						    struct glacier_buffer *buffer,
						    struct glacier_diag *diag);

/*
 * Write what a launch of the module's kernels needs to know, as one JSON document at the
 * end of the buffer: kernels with their symbols, workgroup and subgroup sizes, parameters
 * with their place for each kind of target, specialization constants, shared bytes, and the
 * lengths that PTX takes as parameters of their own. glacier-kernel(7), REFLECTION.
 *
 * Returns GLACIER_OK, GLACIER_ERR_ARGUMENT when the module is empty, GLACIER_ERR_NOMEM.
 *                                                                           Since: 0.1
 */
GLACIER_API enum glacier_status glacier_module_reflect(struct glacier_module *module,
						       struct glacier_buffer *buffer);

GLACIER_END

#endif
