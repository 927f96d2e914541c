/* SPDX-License-Identifier: MIT */
/*
 * The processor as a device.
 *
 * A kernel's IR is compiled once, by cpu_compile.c, into a program: a row of steps. The
 * program runs over tiles of GLC_TILE lanes; cpu_run.c takes one step after the other.
 *
 * A value is uniform (the same in all lanes that are there: one word), affine (a word for
 * lane 0, and a known difference from lane to lane) or varying (an array, a register).
 * Steps on words run in cpu_run.c; a step on registers calls a loop of cpu_lanes.c over all
 * lanes, those that are switched off included: what they compute is never looked at. Only
 * memory, and what joins ways through the kernel, asks the mask.
 */
#ifndef GLC_DEVICE_CPU_H
#define GLC_DEVICE_CPU_H

#include "base/cpu.h"
#include "device/device.h"

#include <stdatomic.h>

/* Lanes of a tile: a constant of the build, which tests build with another. */
#ifndef GLC_TILE
#define GLC_TILE 256
#endif
#define GLC_STEP 32    /* loops run over a multiple of so many lanes */

_Static_assert(GLC_TILE >= 128 && !(GLC_TILE & (GLC_TILE - 1)), "a tile holds whole subgroups, of up to 128 lanes");

typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;
typedef float f32;
typedef double f64;

/* A uniform value. bool: 0 or all bits of u32 set, in registers too. */
union glc_word {
	i32 i32;
	u32 u32;
	i64 i64;
	u64 u64;
	f32 f32;
	f64 f64;
};

struct glc_step;
struct glc_frame;
typedef void glc_lanes_fn(const struct glc_step *step, struct glc_frame *frame);

/*
 * What a step does: the scalar form of each row of cpu_ops.def, or one of these.
 *
 *	LANES        calls the step's loop
 *	MOVE32, 64   words[d] = words[a]: as wide as what was written, or the processor waits for its own store
 *	MOVE_PAIR    two of 32 bits: behind that words[c] = words[b]
 *	COPY32, 64   a value that joins ways: to register d from register a, or word a (WORD);
 *	             where the mask is set, unless PLAIN
 *	ID           words[d] of the tile: object = glc_op, stride = dimension
 *	ID_LANES     the same, to register d
 *	RANGE        register d: words[a] + lane * stride compared with words[b], object = glc_op;
 *	             words[c] tells when all lanes agree, and the register is then written if NEEDED
 *	JUMP, JUMP_UNLESS, BACK   to target: always, unless words[a], on to the loop's next round
 *	UNLESS_...   to target unless the comparison of words[a] with words[b] holds
 *	IF           masks[mask] is split by register a into masks[d] and masks[c]; to target
 *	             when the first is empty
 *	ELSE         to target when masks[c] is empty
 *	ENDIF        masks[mask] is what is left in masks[d] and masks[c]; to target when empty
 *	LOOP         masks[d] begins as masks[mask], masks[c] (who waits for the next round) empty
 *	LEAVE, CONTINUE, RETURN   empty the mask: they are gone, in masks[c], or out of masks[1]; to target
 *	CONTINUING   masks[mask] gets what waits in masks[c]; to target when empty
 *	STAY         masks[mask] becomes masks[c]; to target when empty
 *	ENDLOOP      masks[mask] loses who has returned; to target when empty
 *	LOAD_U, LOAD_A   index in words[a], the same or growing from lane to lane; A: register b is
 *	             scratch, register c stands for the value where ALIAS, else d
 *	STORE_U, STORE_A   value a, index words[c], register b scratch
 *	AIM          register c, which the next step writes and a STORE_A stores at words[a]: the memory itself where
 *	             it may be, else register d
 *	ATOMIC       result d, value a, index b
 *	LOCAL, STORE_LOCAL   index b; LOCAL: register c stands for the value where ALIAS
 */
#define GLC_STEPS(X)                                                                            \
	X(LANES) X(MOVE32) X(MOVE64) X(MOVE_PAIR) X(COPY32) X(COPY64) X(ID) X(ID_LANES) X(RANGE)                         \
	X(JUMP) X(JUMP_UNLESS) X(BACK) X(IF) X(ELSE) X(ENDIF)                                   \
	X(LOOP) X(LEAVE) X(CONTINUE) X(RETURN) X(CONTINUING) X(STAY) X(ENDLOOP)                 \
	X(LOAD_U) X(LOAD_A) X(STORE_U) X(STORE_A) X(AIM) X(ATOMIC) X(LOCAL) X(STORE_LOCAL)             \
	X(BARRIER) X(FENCE) X(END)

enum glc_step_code {
#define OP1(name, ...) GLC_STEP_##name,
#define OP2(name, ...) GLC_STEP_##name,
#define OP3(name, ...) GLC_STEP_##name,
#include "device/cpu_ops.def"
#undef OP1
#undef OP2
#undef OP3
	GLC_STEP_ROWS,
	GLC_STEP_LAST_ROW = GLC_STEP_ROWS - 1,
#define OP1(...)
#define OP2(...)
#define OP3(...)
#define COMPARE(name, ...) GLC_STEP_UNLESS_##name,
#include "device/cpu_ops.def"
#undef OP1
#undef OP2
#undef OP3
#define X(name) GLC_STEP_##name,
	GLC_STEPS(X)
#undef X
	GLC_STEP_COUNT
};

/* The loops that are no row of cpu_ops.def. */
#define GLC_LOOPS(X)                                                                     \
	X(splat32) X(splat64) X(copy32) X(copy64) X(merge32) X(merge64) X(merge_splat32) \
	X(merge_splat64) X(gather32) X(gather64) X(gather32_64) X(gather64_64)           \
	X(scatter32) X(scatter64) X(scatter32_64) X(scatter64_64) X(split) X(iota)       \
	X(shuffle32) X(shuffle64)

enum glc_loop {
	GLC_LOOP_NONE = GLC_STEP_ROWS,
#define X(name) GLC_LOOP_##name,
	GLC_LOOPS(X)
#undef X
	GLC_LOOP_COUNT
};

/* Which operands of a loop are words: a bit each. */
enum { GLC_A_WORD = 1, GLC_B_WORD = 2, GLC_C_WORD = 4, GLC_SHAPES = 8 };

/* The loop of a row or enum glc_loop, for operands of that shape, at a level. */
glc_lanes_fn *glc_cpu_loop_baseline(unsigned loop, unsigned shape);
glc_lanes_fn *glc_cpu_loop_v3(unsigned loop, unsigned shape);
glc_lanes_fn *glc_cpu_loop_v4(unsigned loop, unsigned shape);

struct glc_step {
	uint16_t code;
	uint16_t mask;           /* index of the one that holds here */
	uint32_t d, a, b, c;     /* registers or words, as the code and the flags say */
	uint32_t target;         /* of a jump: a step */
	uint16_t object;
	uint16_t flags;
	int32_t stride;          /* of an affine operand */
	uint8_t type;
	uint32_t pos;
	glc_lanes_fn *lanes;
};

enum {
	GLC_FLAG_WORD = 1,         /* the value is a word */
	GLC_FLAG_INDEX_WORD = 2,
	GLC_FLAG_RESULT_WORD = 4,
	GLC_FLAG_INDEX64 = 8,
	GLC_FLAG_ALIAS = 16,       /* a register may stand for the memory itself */
	GLC_FLAG_NEEDED = 32,
	GLC_FLAG_SUMMARY = 64,     /* IF: b is the word with the condition's summary */
	GLC_FLAG_PLAIN = 128,      /* whatever the mask */
	GLC_FLAG_UNUSED = 256,     /* an atomic whose old value nobody reads */
};

/* A summary of a condition that was computed from its ends. */
enum { GLC_SOME_LANES, GLC_NO_LANE, GLC_ALL_LANES };

/* How lanes are numbered through a launch. */
enum glc_cpu_layout {
	GLC_LAYOUT_ROWS,     /* no barriers, one dimension: tiles run through a row of workgroups */
	GLC_LAYOUT_PACKED,   /* no barriers: a tile takes the lanes of several workgroups */
	GLC_LAYOUT_GROUPS,   /* a workgroup at a time, in as many tiles as it needs */
};

struct glc_cpu_object {
	uint32_t kind;
	uint32_t elem_bytes;
	uint64_t length;         /* of arrays */
	uint64_t offset;         /* of shared and local arrays; local: bytes for one tile */
	const void *values;      /* const: packed */
};

/* A word that each launch sets. */
struct glc_cpu_input {
	uint32_t word;
	uint16_t object;
	uint8_t what;            /* enum below */
	uint8_t dimension;
};

enum { GLC_INPUT_PARAM, GLC_INPUT_LENGTH, GLC_INPUT_GROUP_COUNT };

struct glc_cpu_program {
	struct glc_step *steps;
	uint32_t step_count;
	uint32_t reg_count;      /* pointers; the first slot_count are the tile's own arrays */
	uint32_t slot_count;
	uint8_t *slot_bits;      /* 32 or 64 */
	uint32_t word_count;
	uint32_t mask_count;
	union glc_word *words;   /* as a launch begins: constants; the rest filled by launches */
	struct glc_cpu_input *inputs;
	uint32_t input_count;
	struct glc_cpu_object *objects;
	uint32_t object_count;
	uint64_t shared_bytes, local_bytes;
	uint32_t workgroup[3];
	uint32_t lanes;          /* of a workgroup */
	uint32_t subgroup;
	enum glc_cpu_layout layout;
	bool single;             /* every tile has one lane */
	bool returns;            /* keeps the mask of lanes that have not returned */
	const struct glc_kernel *kernel;
};

/* Where an object lies in a launch. */
struct glc_bound {
	unsigned char *at;
	uint64_t length;         /* in elements */
};

struct glc_mask {
	u32 *lanes;              /* by lane: all bits or none; looked at only when count is neither 0 nor n */
	u32 count;
};

struct glc_check;

/* At which barrier a tile that is watched waits. */
struct glc_meeting {
	u32 site, who;           /* who: one of those that wait, counted through the launch */
	u64 rounds;              /* in which rounds of the loops around */
};

/* A tile under way. */
struct glc_frame {
	void **reg;
	union glc_word *words;
	struct glc_mask *masks;
	struct glc_bound *objects;
	u32 n, np;               /* lanes; rounded up to GLC_STEP */
	u32 count;               /* what the last loop over a mask found */
	u64 out_of_bounds;
	const struct glc_cpu_program *program;
	const u32 *groups;
	const atomic_bool *stop;
	uint32_t pc;
	u64 first;               /* lane 0: its x (ROWS), lane of the launch (PACKED), local index (GROUPS) */
	u32 group[3];            /* ROWS: y and z only */
	unsigned char *locals, *shared;
	struct glc_check *check; /* NULL: nobody watches */
	struct glc_meeting meeting;
};

static inline bool glc_is_full(const struct glc_frame *frame, const struct glc_mask *mask)
{
	return mask->count == frame->n;
}

/* --- cpu_compile.c -------------------------------------------------------- */

struct glc_cpu_options {
	uint32_t subgroup;
	enum glc_cpu_level level;
	bool single;             /* for tiles of one lane: every value is a word */
	const struct glacier_pipeline *watched;   /* check.h: with steps that watch its sites; NULL: without */
};

/* Everything lies in memory. false: it ran out. */
bool glc_cpu_compile(const struct glc_ir *ir, const struct glc_cpu_options *options,
		     struct glacier_memory *memory, struct glc_cpu_program *out);

/* --- cpu_run.c ------------------------------------------------------------ */

/* Runs on from frame->pc: true at a barrier, false at the end or when frame->stop is set. */
bool glc_cpu_run(struct glc_frame *frame);

#endif
