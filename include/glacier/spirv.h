/* SPDX-License-Identifier: MIT */
/*
 * Existing SPIR-V modules: reading and validating them.
 *
 * Nothing here prints, and nothing is allocated but from the memory that is passed in.
 * Modules may come from anywhere: no byte of them is trusted. Any thread, as long as the
 * memory and the sink are that thread's own.
 */
#ifndef GLACIER_SPIRV_H
#define GLACIER_SPIRV_H

#include <glacier/base.h>
#include <glacier/diagnostic.h>
#include <glacier/limits.h>
#include <glacier/memory.h>
#include <glacier/status.h>

GLACIER_BEGIN

/* An instruction, where it stands. */
struct glacier_spirv_inst {
	uint32_t word;             /* index of its first word in the module */
	uint16_t op, words;        /* opcode and word count */
	uint32_t type, id;         /* result type and result; 0: it has none */
	uint32_t operands;         /* the library's own: where its operands are listed */
	uint16_t operand_count;
	bool gated;                /* a capability, an extension, a version or a limit must allow it */
	bool settled;              /* the ids that it names are defined before it, values and types where each belongs */
};

/* A module that was read: the words as this machine orders them, and its instructions. */
struct glacier_spirv {
	const uint32_t *words;     /* the input itself where it is aligned and in this machine's order, else a copy */
	uint32_t word_count;
	uint32_t version;          /* as in the header: 0x00010600 for 1.6 */
	uint32_t generator, bound, schema;
	bool swapped;              /* the input is in the other byte order */
	const struct glacier_spirv_inst *insts;
	uint32_t inst_count;
	const struct glacier_spirv_operand *operands;  /* the library's own */
	const uint32_t *defs;      /* by id below id_count: its instruction + 1, 0 when nothing defines it */
	uint32_t id_count;
	const uint32_t *ids;       /* the module's numbers for ids, where they were too sparse to be kept; NULL: the same */
};

/*
 * Read a module: header, framing and operands, as the grammar has them. One pass; what it
 * allocates is in proportion to the size of the input, never to a number in it.
 *
 * memory  what the result lies in, until it is reset.
 * data    bytes of it, any alignment, either byte order; must outlive *out.
 * out     written only when GLACIER_OK is returned.
 * diag    told of everything that is wrong, with byte offset, word and instruction; NULL to stay silent.
 *
 * Returns GLACIER_OK; GLACIER_ERR_MALFORMED; GLACIER_ERR_NOMEM.
 * Source: SPIR-V Specification 1.6, sections 2.2.1, 2.3 and 3.                     Since: 0.1
 */
GLACIER_API enum glacier_status glacier_spirv_read(struct glacier_memory *memory, const void *data, size_t bytes,
						   struct glacier_spirv *out, struct glacier_diag *diag);

/* Where a module is to run: its rules come on top of SPIR-V's own. */
enum glacier_spirv_env {
	GLACIER_SPIRV_VULKAN_1_3,   /* the default */
	GLACIER_SPIRV_VULKAN_1_2,
	GLACIER_SPIRV_VULKAN_1_1_SPIRV_1_4,
	GLACIER_SPIRV_VULKAN_1_1,
	GLACIER_SPIRV_VULKAN_1_0,
	GLACIER_SPIRV_UNIVERSAL_1_0,
	GLACIER_SPIRV_UNIVERSAL_1_1,
	GLACIER_SPIRV_UNIVERSAL_1_2,
	GLACIER_SPIRV_UNIVERSAL_1_3,
	GLACIER_SPIRV_UNIVERSAL_1_4,
	GLACIER_SPIRV_UNIVERSAL_1_5,
	GLACIER_SPIRV_UNIVERSAL_1_6,
	GLACIER_SPIRV_ENV_COUNT
};

/* "vulkan1.3", "spv1.6" and so on, as spirv-val spells them; NULL out of range. Since: 0.1 */
GLACIER_API const char *glacier_spirv_env_name(enum glacier_spirv_env env);
/* The environment of that name; GLACIER_SPIRV_ENV_COUNT when there is none. Since: 0.1 */
GLACIER_API enum glacier_spirv_env glacier_spirv_env_find(const char *name);

enum glacier_spirv_level {
	GLACIER_SPIRV_FULL,         /* everything; the default */
	GLACIER_SPIRV_MODULE,       /* operands, capabilities, layout of the module, ids, types */
	GLACIER_SPIRV_FRAMING,      /* header, word counts, operands: what reading checks */
};

/* Options have the names and the meaning of spirv-val's. Zero-initialise. */
struct glacier_spirv_options {
	enum glacier_spirv_env env;
	enum glacier_spirv_level level;
	bool relax_logical_pointer, relax_struct_store;
	bool relax_block_layout;               /* implied by Vulkan 1.1 and later */
	bool uniform_buffer_standard_layout, scalar_block_layout, workgroup_scalar_block_layout, skip_block_layout;
	bool allow_localsizeid;                /* before Vulkan 1.3; implied by it */
	bool before_hlsl_legalization;
	bool compat;                           /* spirv-val 2023.1's verdict where the specification says more */
	/* Universal limits, SPIR-V 2.17; 0: the specification's. */
	uint32_t max_struct_members, max_struct_depth, max_local_variables, max_global_variables;
	uint32_t max_switch_branches, max_function_args, max_control_flow_nesting_depth;
	uint32_t max_access_chain_indexes, max_id_bound;
	uint32_t max_none;                     /* bits over these nine, in their order, the first 1: the limit is 0 */
	const struct glacier_limits *limits;   /* of a device; NULL: none are checked */
};

/*
 * Validate a module. All errors are reported, one an instruction at most.
 *
 * memory   scratch: reset by this call; nothing in it is needed afterwards. With one that
 *          is kept between calls, warm calls allocate nothing.
 * options  NULL: all defaults.
 *
 * Returns GLACIER_OK when the module is valid; the status of the first error when it is not;
 * GLACIER_ERR_NOMEM.
 * Source: SPIR-V Specification 1.6; Vulkan specification, appendix "Vulkan Environment for SPIR-V".
 *                                                                             Since: 0.1
 */
GLACIER_API enum glacier_status glacier_spirv_validate(struct glacier_memory *memory, const void *data, size_t bytes,
						       const struct glacier_spirv_options *options,
						       struct glacier_diag *diag);

GLACIER_END

#endif
