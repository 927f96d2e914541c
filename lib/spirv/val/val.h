/* SPDX-License-Identifier: MIT */
/*
 * The validator's state: a module as it was read, and what is known of its ids, blocks and
 * functions. Families of rules are functions of one instruction; rules.c says which
 * opcode goes to which. All arrays lie in the caller's bump memory and are in proportion
 * to the number of words.
 */
#ifndef GLC_SPIRV_VAL_H
#define GLC_SPIRV_VAL_H

#include "base/bump.h"
#include "base/diag.h"
#include "spirv/opcode.h"
#include "spirv/read.h"

typedef struct glacier_spirv_inst spv_inst;

/* What a type is, what its components are, and what it contains. */
enum {
	T_VOID = 1 << 0, T_BOOL = 1 << 1, T_INT = 1 << 2, T_FLOAT = 1 << 3,
	T_BOOLS = 1 << 4, T_INTS = 1 << 5, T_FLOATS = 1 << 6,       /* vectors */
	T_MATRIX = 1 << 7, T_ARRAY = 1 << 8, T_RUNTIME_ARRAY = 1 << 9, T_STRUCT = 1 << 10,
	T_POINTER = 1 << 11, T_IMAGE = 1 << 12, T_SAMPLER = 1 << 13, T_SAMPLED_IMAGE = 1 << 14,
	T_FUNCTION = 1 << 15, T_COOP_INT = 1 << 16, T_COOP_FLOAT = 1 << 17,
	T_ACCELERATION = 1 << 18, T_RAY_QUERY = 1 << 19, T_OTHER = 1 << 20,
	T_UNSIGNED = 1 << 21,        /* integers, vectors and cooperative matrices of them */
	T_HAS_INT8 = 1 << 22, T_HAS_INT16 = 1 << 23, T_HAS_FLOAT16 = 1 << 24,
	T_HAS_RUNTIME_ARRAY = 1 << 25, T_HAS_OPAQUE = 1 << 26, T_HAS_COOP = 1 << 27,
	T_HAS_BUILT_IN = 1 << 28,    /* a structure with members that have BuiltIn */
	T_HAS_BLOCK = 1 << 29,       /* a structure with a Block or BufferBlock in it */

	T_HAS_NO_NULL = 1 << 30,     /* something that has no null value */
	T_HAS_BOOL = INT32_MIN,      /* is, or holds, a bool; not behind a pointer */

	T_KIND = (1 << 21) - 1,
	T_SCALAR = T_BOOL | T_INT | T_FLOAT,
	T_VECTOR = T_BOOLS | T_INTS | T_FLOATS,
	T_BOOL_LIKE = T_BOOL | T_BOOLS, T_INT_LIKE = T_INT | T_INTS, T_FLOAT_LIKE = T_FLOAT | T_FLOATS,
	T_COOP = T_COOP_INT | T_COOP_FLOAT,
	T_SMALL = T_HAS_INT8 | T_HAS_INT16 | T_HAS_FLOAT16,
	T_INHERITED = T_SMALL | T_HAS_RUNTIME_ARRAY | T_HAS_OPAQUE | T_HAS_COOP | T_HAS_NO_NULL,
};

struct spv_type {
	uint32_t mask;
	uint32_t inner;        /* component, column, element or pointee; of the last in a function 0 */
	uint8_t width;         /* of a component in bits; bool: 1 */
	uint8_t dim;           /* components, columns of a matrix; scalars: 1 */
	uint16_t depth;        /* of nested structures */
};

/* A decoration of an id; they are chained. */
struct spv_decoration {
	uint32_t next;         /* + 1 */
	uint32_t member;       /* SPV_NO_MEMBER: of the id itself */
	uint32_t inst, param;  /* where it stands; the word in the module where its parameters begin */
	uint16_t kind, params;
};

enum { SPV_NO_MEMBER = UINT32_MAX, SPV_GROUP = UINT16_MAX };   /* kind SPV_GROUP: those of the group that param names */

/* Goes through the decorations of an id, those of its groups too. Made by spv_decorations. */
struct spv_decoration_walk {
	uint32_t member;       /* of the one that was found last */
	uint32_t at, outer, group_member;
	bool inside;
};

struct spv_block {
	uint32_t label, terminator;          /* instructions; terminator 0: the block was cut off */
	uint32_t merge;                      /* the merge instruction before the terminator; 0: none */
	uint32_t next, next_count;           /* into edges: where it branches to */
	uint32_t structural, structural_count;  /* the same, behind what its merge instruction names */
	uint32_t previous, previous_count;   /* into edges: who branches here */
	uint32_t structural_previous, structural_previous_count;
	uint32_t order, dominator, first, last;           /* in the graph of branches; first and last number the tree */
	uint32_t s_order, s_dominator, s_first, s_last;   /* in the structural graph */
	uint32_t p_order, p_dominator, p_first, p_last;   /* backwards in it */
	uint32_t header;                     /* the block whose merge block this is; SPV_NO_BLOCK */
	uint32_t loop;                       /* the block whose continue target this is, the first */
	uint32_t latch;                      /* of a loop header: its back edge's block */
	uint32_t latches;
	uint32_t enclosing;                  /* the innermost loop or switch around it */
	uint32_t depth;
	bool reachable, s_reachable, is_loop, is_selection, is_merge, is_continue;
};

enum { SPV_NO_BLOCK = UINT32_MAX };

struct spv_function {
	uint32_t id, first, last;        /* instructions: OpFunction, OpFunctionEnd */
	uint32_t block, block_count;
	uint32_t call, call_count;       /* into calls: functions + 1 it calls */
	uint32_t globals, global_count;  /* into globals: variables of the module that it names */
	uint32_t parameters;
	uint32_t models;                 /* of all entry points that reach it: 1 << spv_model() */
	uint32_t modes;                  /* bits of enum below, of its entry points */
	bool turns_back;                 /* a block names one that stands before it, or itself */
	bool lacks_derivatives;          /* a compute entry point without derivative groups reaches it */
	bool lacks_interlock;            /* an entry point without a mode of interlock does */
	bool defined;
};

/* One OpEntryPoint. */
struct spv_entry {
	uint32_t inst, function;         /* function: index + 1, 0 when there is none */
};

enum { MODE_LOCAL_SIZE = 1, MODE_DERIVATIVES = 2, MODE_LOCAL_SIZE_ID = 4, MODE_INTERLOCK = 8 };

struct val {
	struct glacier_memory *memory;
	struct glacier_diag *diag;
	struct glacier_spirv module;
	struct glacier_spirv_options options;
	uint32_t version;                /* of the module, as in its header */
	bool vulkan, compat, shader, kernel;
	bool relaxed, variable_pointers, any_variable_pointers;
	bool int8, int16, float16;       /* types may be declared */
	bool free_rounding, reduce_and_scan;
	bool spec_uconvert, ignore_unique, non_semantic, physical_storage, amd_int16;
	struct spv_set capabilities, extensions;
	uint8_t passed[SPV_MOST_NEEDS];  /* needs that are known to be met; gate.c */
	uint32_t passed_values[64];      /* kinds << 16 | values of operands whose needs are, by a hash */
	uint32_t addressing, memory_model, memory_models;
	uint32_t small;                  /* T_HAS_ bits that may only be stored and converted */
	uint32_t bindless_bits, bindless_modes;   /* what OpSamplerImageAddressingModeNV says; how many were judged */

	struct spv_type *types;          /* by id; mask 0: no type */
	uint32_t *decorated;             /* by id: its first decoration + 1 */
	uint64_t *decorated_by;          /* by id: SPV_BIT of the kinds of its decorations; groups have all */
	uint64_t decorated_all;          /* by any id */
	bool decorated_far;              /* there are groups or kinds from 64 on: a bit may stand for another kind */
	uint32_t *blocks_of;             /* by id of a label: its block + 1 */
	uint32_t *block_of;              /* by instruction: its block + 1; 0: in none */
	uint32_t *unique, unique_mask;   /* instructions + 1 of types that are declared once, hashed */
	uint8_t *flags;                  /* by id: enum below */
	uint32_t *function_of;           /* by id that a function defines: the function + 1 */
	GLC_ARRAY(struct spv_decoration) decorations;
	GLC_ARRAY(struct spv_block) blocks;
	GLC_ARRAY(struct spv_function) functions;
	GLC_ARRAY(struct spv_entry) entries;
	GLC_ARRAY(uint32_t) edges;
	GLC_ARRAY(uint32_t) calls;
	GLC_ARRAY(uint32_t) globals;

	uint32_t types_from, types_to;   /* instructions: where types, constants and variables of the module stand */
	uint32_t import;                 /* the OpExtInstImport whose set was looked up last */
	enum spv_set_name set;
	uint32_t at;                     /* the instruction that is judged */
	uint32_t function;               /* of it + 1; 0: none */
	uint32_t errors_before, most_errors;
	uint32_t *marks;                 /* by block: stamps of phis */
	uint8_t *refused;                /* a bit an instruction: reported, not judged again */
	bool spoilt;                     /* something was refused */
	bool samples, models_differ;     /* there are OpSampledImage; storage classes that a model lacks */
	uint32_t classes;                /* of pointers, where not all models have them: bits of rules.c */
	uint64_t push_constant_bytes;
	bool broken;                     /* the graph of blocks cannot be trusted */
	bool out_of_memory;
	uint32_t unchecked;              /* models whose own rules are not here: 1 << spv_model() */
};

enum {
	ID_BROKEN = 1,             /* its definition was refused: users are not judged */
	ID_FORWARD = 2,            /* named by an OpTypeForwardPointer before */
	ID_USED = 4,               /* an entry point reaches a function that names it */
	ID_CALLED = 8, ID_ENTRY = 16,
	ID_UNIFORM_BLOCK = 32, ID_STORAGE_BLOCK = 64, ID_STORAGE_IMAGE = 128,   /* what a pointer type points to */
};

/* --- Reporting (state.c) ------------------------------------------------- */

/* Behind a message: the instruction as text, and the clause, NULL for the code's own. False. */
bool spv_explain(struct val *v, const spv_inst *inst, enum glc_code code, const char *clause);

/* False, so that a rule ends with it. clause: a VUID, or NULL when the code's row says it. */
#define SPV_FAIL(v, inst, code, clause, ...) \
	(glc_fail((v)->diag, GLC_SV_##code, (inst)->word __VA_OPT__(,) __VA_ARGS__), spv_explain(v, inst, GLC_SV_##code, clause))

/* The name of an opcode, "OpFAdd". */
const char *spv_op_name(uint32_t op);
/* "a scalar or a vector of floats" and so on. */
const char *spv_mask_name(uint32_t mask);

/* --- Looking up ---------------------------------------------------------- */

static inline uint32_t word(const struct val *v, const spv_inst *inst, uint32_t n)
{
	return v->module.words[inst->word + n];
}

static inline const spv_inst *def(const struct val *v, uint32_t id)
{
	return spv_def(&v->module, id);
}

static inline uint32_t op_of(const struct val *v, uint32_t id)
{
	const spv_inst *inst = def(v, id);

	return inst ? inst->op : OpNop;
}

/* The type of a value; 0: it has none. */
static inline uint32_t type_of(const struct val *v, uint32_t id)
{
	const spv_inst *inst = def(v, id);

	return inst ? inst->type : 0;
}

static inline const struct spv_type *type(const struct val *v, uint32_t id)
{
	return &v->types[id < v->module.id_count ? id : 0];
}

static inline const struct spv_type *value_type(const struct val *v, uint32_t id)
{
	return type(v, type_of(v, id));
}

static inline bool is(const struct val *v, uint32_t type_id, uint32_t mask)
{
	return (type(v, type_id)->mask & T_KIND & mask) != 0;
}

static inline bool has(const struct val *v, uint32_t capability)
{
	return spv_in(&v->capabilities, capability);
}

static inline uint32_t operand_count(const spv_inst *inst)
{
	return inst->operand_count;
}

/* The first word of the operand of that index; type and result count, as in the grammar. */
static inline uint32_t operand(const struct val *v, const spv_inst *inst, uint32_t n)
{
	return word(v, inst, v->module.operands[inst->operands + n].offset);
}

static inline uint32_t pointer_class(const struct val *v, uint32_t pointer_type)
{
	const spv_inst *inst = def(v, pointer_type);

	return inst && inst->op == OpTypePointer ? word(v, inst, 2) : UINT32_MAX;
}

static inline uint32_t member_count(const spv_inst *structure)
{
	return structure->words - 2u;
}

static inline bool is_constant(uint32_t op)
{
	return op >= OpConstantTrue && op <= OpSpecConstantOp;
}

static inline bool is_spec_constant(uint32_t op)
{
	return op >= OpSpecConstantTrue && op <= OpSpecConstantOp;
}

static inline uint32_t minor(const struct val *v)
{
	return v->version >> 8 & 0xff;
}

uint32_t spv_model(uint32_t execution_model);
bool spv_is_atomic(uint32_t op);
bool spv_is_group_non_uniform(uint32_t op);
/* The set of an OpExtInst; SetCount: one without a grammar. */
enum spv_set_name spv_set_of(struct val *v, const spv_inst *inst);
/* OpExtInst of a set that says so in its name. */
bool spv_is_non_semantic(const struct val *v, const spv_inst *inst);
bool spv_is_debug_info(const struct val *v, const spv_inst *inst);

/* The value of a constant of a 32-bit integer type that no specialization changes. */
bool spv_constant(const struct val *v, uint32_t id, uint32_t *value);
/* OpConstant or OpSpecConstant of any integer type, its default. */
bool spv_integer(const struct val *v, uint32_t id, uint64_t *value);

/* Kinds of decorations as bits: enough to see that an id has none of them, not that it has one. */
#define SPV_BIT(kind) (UINT64_C(1) << (kind) % 64)

static inline bool may_have(const struct val *v, uint32_t id, uint64_t kinds)
{
	return id < v->module.id_count && (v->decorated_by[id] & kinds);
}

static inline struct spv_decoration_walk spv_decorations(const struct val *v, uint32_t id)
{
	return (struct spv_decoration_walk){.at = id < v->module.id_count ? v->decorated[id] : 0};
}

const struct spv_decoration *spv_next_of_groups(const struct val *v, struct spv_decoration_walk *walk);

static inline const struct spv_decoration *spv_next_decoration(const struct val *v, struct spv_decoration_walk *walk)
{
	const struct spv_decoration *d;

	if (!walk->at)
		return walk->outer ? spv_next_of_groups(v, walk) : NULL;
	d = &v->decorations.at[walk->at - 1];
	if (walk->inside || d->kind == SPV_GROUP)
		return spv_next_of_groups(v, walk);
	walk->at = d->next;
	walk->member = d->member;
	return d;
}

/* The first decoration of that kind; NULL: none. member: SPV_NO_MEMBER, a member, or SPV_ANY for whatever. */
enum { SPV_ANY = UINT32_MAX - 1 };
const struct spv_decoration *spv_find_decoration(const struct val *v, uint32_t id, uint32_t kind, uint32_t member);

static inline const struct spv_decoration *spv_decoration(const struct val *v, uint32_t id, uint32_t kind, uint32_t member)
{
	return may_have(v, id, SPV_BIT(kind)) ? spv_find_decoration(v, id, kind, member) : NULL;
}

static inline bool decorated(const struct val *v, uint32_t id, uint32_t kind)
{
	return may_have(v, id, SPV_BIT(kind)) && (!v->decorated_far || spv_find_decoration(v, id, kind, SPV_ANY));
}

static inline uint32_t param(const struct val *v, const struct spv_decoration *d, uint32_t n)
{
	return n < d->params ? v->module.words[d->param + n] : 0;
}

/* May this function be reached from these models alone? False, reported, when others reach it. */
bool spv_only_models(struct val *v, const spv_inst *inst, uint32_t models, const char *clause);
bool spv_needs_derivatives(struct val *v, const spv_inst *inst);

enum {
	M_VERTEX = 1 << 0, M_CONTROL = 1 << 1, M_EVALUATION = 1 << 2, M_GEOMETRY = 1 << 3, M_FRAGMENT = 1 << 4,
	M_COMPUTE = 1 << 5, M_KERNEL = 1 << 6, M_TASK_NV = 1 << 7, M_MESH_NV = 1 << 8, M_RAY_GENERATION = 1 << 9,
	M_INTERSECTION = 1 << 10, M_ANY_HIT = 1 << 11, M_CLOSEST_HIT = 1 << 12, M_MISS = 1 << 13, M_CALLABLE = 1 << 14,
	M_TASK = 1 << 15, M_MESH = 1 << 16,
	M_ALL = (1 << 17) - 1,
	M_RAY = M_RAY_GENERATION | M_INTERSECTION | M_ANY_HIT | M_CLOSEST_HIT | M_MISS | M_CALLABLE,
	M_GROUPS = M_COMPUTE | M_TASK_NV | M_MESH_NV | M_TASK | M_MESH,
};

/* --- Families ------------------------------------------------------------ */

/* The whole module, in this order. False: nothing behind it can be judged. */
bool spv_check_header(struct val *v);
bool spv_collect(struct val *v);             /* state.c: capabilities, extensions, decorations */
void spv_check_order(struct val *v);         /* order.c: sections, blocks, functions, ids, what allows it */
bool spv_build_types(struct val *v);         /* type.c */
/* Appends the functions that f calls and whose stamp is another one to a list of functions. */
void spv_list_callees(const struct val *v, const struct spv_function *f, uint32_t stamp, uint32_t *seen, uint32_t *list,
		      uint32_t *count);
/* The bit of a storage class that not all models have; 0: another. rules.c */
uint32_t spv_class_bit(uint32_t storage);
void spv_reach(struct val *v);               /* function.c: which entry point reaches which function */
void spv_check_instructions(struct val *v);  /* rules.c */
void spv_check_entries(struct val *v);       /* entry.c */
void spv_check_locations(struct val *v);     /* location.c */
void spv_build_flow(struct val *v);          /* flow.c: labels to blocks, who comes from where */
void spv_check_flow(struct val *v);          /* flow.c, structure.c */
void spv_check_dominance(struct val *v);     /* ids.c */
void spv_check_decorations(struct val *v);   /* decoration.c */
void spv_check_buffers(struct val *v);       /* block.c */
void spv_check_built_ins(struct val *v);     /* built_in.c */
void spv_check_limits(struct val *v);        /* limit.c */

/* One instruction. False, reported, when it is wrong. */
bool spv_check_gate(struct val *v, const spv_inst *inst);
bool spv_check_ids(struct val *v, const spv_inst *inst, uint32_t index);
bool spv_check_type(struct val *v, const spv_inst *inst);
bool spv_check_constant(struct val *v, const spv_inst *inst);
bool spv_check_literals(struct val *v, const spv_inst *inst);
bool spv_check_typing(struct val *v, const spv_inst *inst);
bool spv_check_extended(struct val *v, const spv_inst *inst);
bool spv_check_composite(struct val *v, const spv_inst *inst);
bool spv_check_conversion(struct val *v, const spv_inst *inst);
bool spv_check_matrix(struct val *v, const spv_inst *inst);
bool spv_check_memory(struct val *v, const spv_inst *inst);
bool spv_check_variable(struct val *v, const spv_inst *inst);
bool spv_check_function(struct val *v, const spv_inst *inst);
bool spv_check_mode(struct val *v, const spv_inst *inst);
bool spv_check_branch(struct val *v, const spv_inst *inst);
bool spv_check_atomic(struct val *v, const spv_inst *inst);
bool spv_check_barrier(struct val *v, const spv_inst *inst);
bool spv_check_group(struct val *v, const spv_inst *inst);
bool spv_check_stage_op(struct val *v, const spv_inst *inst);
bool spv_check_stage_modes(struct val *v, const spv_inst *entry);
bool spv_check_reflection(struct val *v, const spv_inst *inst);
bool spv_check_debug_info(struct val *v, const spv_inst *inst);
bool spv_check_image(struct val *v, const spv_inst *inst);
bool spv_check_sampled_use(struct val *v, const spv_inst *inst, uint32_t id);
bool spv_check_image_type(struct val *v, const spv_inst *inst);
bool spv_check_annotation(struct val *v, const spv_inst *inst);
bool spv_check_debug(struct val *v, const spv_inst *inst);
bool spv_check_small_uses(struct val *v, const spv_inst *inst);
bool spv_check_misc(struct val *v, const spv_inst *inst);
bool spv_check_pointer_compare(struct val *v, const spv_inst *inst);
bool spv_check_cooperative(struct val *v, const spv_inst *inst);

bool spv_check_execution_scope(struct val *v, const spv_inst *inst, uint32_t scope);
bool spv_check_memory_scope(struct val *v, const spv_inst *inst, uint32_t scope);
bool spv_check_scope(struct val *v, const spv_inst *inst, uint32_t scope);
bool spv_check_structure(struct val *v, struct spv_function *function, const uint32_t *postorder, uint32_t count);
bool spv_dominates(const struct val *v, uint32_t a, uint32_t b);
/* Whether two aggregate types are the same but for their ids. function.c */
bool spv_logically_match(const struct val *v, uint32_t a, uint32_t b, bool with_decorations);

/* Typing: reports when an operand's type is none of the mask. */
bool spv_operand_is(struct val *v, const spv_inst *inst, uint32_t n, uint32_t mask);
bool spv_result_is(struct val *v, const spv_inst *inst, uint32_t type_id, uint32_t mask);
/* Reports that operand n must have something. */
bool spv_operand_fails(struct val *v, const spv_inst *inst, uint32_t n, const char *what, const char *clause);
bool spv_result_fails(struct val *v, const spv_inst *inst, const char *what, const char *clause);

/* A type with 8- or 16-bit numbers that may be stored and converted only. */
static inline bool is_small(const struct val *v, uint32_t type_id)
{
	return v->small && (type(v, type_id)->mask & v->small);
}

#endif
