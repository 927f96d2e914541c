/* SPDX-License-Identifier: MIT */
/*
 * The loops over the lanes of a tile: plain C that the compiler turns into vector
 * instructions. Compiled once for each level, with LEVEL naming it; all give the same bits,
 * since nothing here may be contracted or reordered.
 */
#include "device/cpu_math.h"

#include <string.h>

#ifndef LEVEL
#define LEVEL baseline
#endif
#define GLUE(a, b) a##_##b
#define GLUED(a, b) GLUE(a, b)

/* A result may lie where an operand lies, lane on lane, never a lane beside it. */
#ifdef __clang__
#define EACH _Pragma("clang loop vectorize(assume_safety)") for (u32 i = 0; i < n; i++)
#else
#define EACH _Pragma("GCC ivdep") for (u32 i = 0; i < n; i++)
#endif

/* Told to the compiler too: no loop needs a rest of single lanes. */
static inline u32 lanes_of(const struct glc_frame *frame)
{
	u32 n = frame->np & ~(u32)(GLC_STEP - 1);

	return n <= GLC_TILE ? n : GLC_TILE;
}

#define REG(T, name, index) T *name = frame->reg[step->index]
#define WORD(T, name, index) const T name = frame->words[step->index].T

/* --- The rows of cpu_ops.def ---------------------------------------------- */

#define LOOP_FN(name) static void name(const struct glc_step *step, struct glc_frame *frame)

#define OP1(name, R, A, expression)              \
	LOOP_FN(name##_0)                        \
	{                                        \
		u32 n = lanes_of(frame);         \
		REG(R, d, d);                    \
		REG(const A, va, a);             \
		EACH {                           \
			const A a = va[i];       \
			d[i] = (R)(expression);  \
		}                                \
	}

#define OP2(name, R, A, B, expression)           \
	LOOP_FN(name##_0)                        \
	{                                        \
		u32 n = lanes_of(frame);         \
		REG(R, d, d);                    \
		REG(const A, va, a);             \
		REG(const B, vb, b);             \
		EACH {                           \
			const A a = va[i];       \
			const B b = vb[i];       \
			d[i] = (R)(expression);  \
		}                                \
	}                                        \
	LOOP_FN(name##_1)                        \
	{                                        \
		u32 n = lanes_of(frame);         \
		REG(R, d, d);                    \
		WORD(A, a, a);                   \
		REG(const B, vb, b);             \
		EACH {                           \
			const B b = vb[i];       \
			d[i] = (R)(expression);  \
		}                                \
	}                                        \
	LOOP_FN(name##_2)                        \
	{                                        \
		u32 n = lanes_of(frame);         \
		REG(R, d, d);                    \
		REG(const A, va, a);             \
		WORD(B, b, b);                   \
		EACH {                           \
			const A a = va[i];       \
			d[i] = (R)(expression);  \
		}                                \
	}

/* Where an operand is a word, its array is there in name only and read nowhere. */
#define OP3_SHAPE(name, shape, R, A, B, C, expression)                           \
	LOOP_FN(name##_##shape)                                                  \
	{                                                                        \
		u32 n = lanes_of(frame);                                         \
		REG(R, d, d);                                                    \
		const A *va = (shape) & GLC_A_WORD ? NULL : frame->reg[step->a]; \
		const B *vb = (shape) & GLC_B_WORD ? NULL : frame->reg[step->b]; \
		const C *vc = (shape) & GLC_C_WORD ? NULL : frame->reg[step->c]; \
		const A wa = (shape) & GLC_A_WORD ? frame->words[step->a].A : 0; \
		const B wb = (shape) & GLC_B_WORD ? frame->words[step->b].B : 0; \
		const C wc = (shape) & GLC_C_WORD ? frame->words[step->c].C : 0; \
		EACH {                                                           \
			const A a = (shape) & GLC_A_WORD ? wa : va[i];           \
			const B b = (shape) & GLC_B_WORD ? wb : vb[i];           \
			const C c = (shape) & GLC_C_WORD ? wc : vc[i];           \
			d[i] = (R)(expression);                                  \
		}                                                                \
	}

#define OP3(name, R, A, B, C, expression)               \
	OP3_SHAPE(name, 0, R, A, B, C, expression)      \
	OP3_SHAPE(name, 1, R, A, B, C, expression)      \
	OP3_SHAPE(name, 2, R, A, B, C, expression)      \
	OP3_SHAPE(name, 3, R, A, B, C, expression)      \
	OP3_SHAPE(name, 4, R, A, B, C, expression)      \
	OP3_SHAPE(name, 5, R, A, B, C, expression)      \
	OP3_SHAPE(name, 6, R, A, B, C, expression)

#include "device/cpu_ops.def"
#undef OP1
#undef OP2
#undef OP3

/* --- Copies --------------------------------------------------------------- */

#define COPIES(T, bits)                                                      \
	LOOP_FN(splat##bits##_0)                                             \
	{                                                                    \
		u32 n = lanes_of(frame);                                     \
		REG(T, d, d);                                                \
		WORD(T, a, a);                                               \
		EACH d[i] = a;                                               \
	}                                                                    \
	LOOP_FN(copy##bits##_0)                                              \
	{                                                                    \
		u32 n = lanes_of(frame);                                     \
		REG(T, d, d);                                                \
		REG(const T, a, a);                                          \
		EACH d[i] = a[i];                                            \
	}                                                                    \
	/* Where the mask is set. */                                         \
	LOOP_FN(merge##bits##_0)                                             \
	{                                                                    \
		u32 n = lanes_of(frame);                                     \
		REG(T, d, d);                                                \
		REG(const T, a, a);                                          \
		const u32 *m = frame->masks[step->mask].lanes;               \
		EACH d[i] = m[i] ? a[i] : d[i];                              \
	}                                                                    \
	LOOP_FN(merge_splat##bits##_0)                                       \
	{                                                                    \
		u32 n = lanes_of(frame);                                     \
		REG(T, d, d);                                                \
		WORD(T, a, a);                                               \
		const u32 *m = frame->masks[step->mask].lanes;               \
		EACH d[i] = m[i] ? a : d[i];                                 \
	}
COPIES(u32, 32)
COPIES(u64, 64)
#undef COPIES

/* --- Memory --------------------------------------------------------------- */

/* Lanes that are not there, or switched off, load 0 and are not counted. */
#define GATHER(name, T, I)                                                                \
	LOOP_FN(name##_0)                                                                 \
	{                                                                                 \
		const struct glc_bound *object = &frame->objects[step->object];           \
		const struct glc_mask *mask = &frame->masks[step->mask];                  \
		const T *at = (const T *)object->at;                                      \
		u64 length = object->length;                                              \
		u32 n = frame->n, outside = 0;                                            \
		REG(T, d, d);                                                             \
		REG(const I, index, b);                                                   \
		if (glc_is_full(frame, mask)) {                                           \
			EACH {                                                            \
				bool inside = index[i] < length;                          \
				d[i] = inside ? at[index[i]] : 0;                         \
				outside += !inside;                                       \
			}                                                                 \
		} else {                                                                  \
			const u32 *m = mask->lanes;                                       \
			EACH {                                                            \
				bool inside = index[i] < length;                          \
				d[i] = m[i] && inside ? at[index[i]] : 0;                 \
				outside += m[i] && !inside;                               \
			}                                                                 \
		}                                                                         \
		frame->out_of_bounds += outside;                                          \
	}
GATHER(gather32, u32, u32)
GATHER(gather64, u64, u32)
GATHER(gather32_64, u32, u64)
GATHER(gather64_64, u64, u64)
#undef GATHER

/* In the order of the lanes: where several store to one place, the last stays. */
#define SCATTER(name, T, I)                                                               \
	LOOP_FN(name##_0)                                                                 \
	{                                                                                 \
		const struct glc_bound *object = &frame->objects[step->object];           \
		const struct glc_mask *mask = &frame->masks[step->mask];                  \
		bool full = glc_is_full(frame, mask), word = step->flags & GLC_FLAG_WORD; \
		T *at = (T *)object->at;                                                  \
		u64 length = object->length;                                              \
		const T *value = word ? NULL : frame->reg[step->a];                       \
		REG(const I, index, b);                                                   \
		for (u32 i = 0; i < frame->n; i++) {                                      \
			if (!full && !mask->lanes[i])                                     \
				continue;                                                 \
			if (index[i] < length)                                            \
				at[index[i]] = word ? frame->words[step->a].T : value[i]; \
			else                                                              \
				frame->out_of_bounds++;                                   \
		}                                                                         \
	}
SCATTER(scatter32, u32, u32)
SCATTER(scatter64, u64, u32)
SCATTER(scatter32_64, u32, u64)
SCATTER(scatter64_64, u64, u64)
#undef SCATTER

/* --- Masks ---------------------------------------------------------------- */

/* What is switched on in mask and holds in a, to masks[d]; the rest to masks[c]. */
LOOP_FN(split_0)
{
	const struct glc_mask *mask = &frame->masks[step->mask];
	u32 *restrict yes = frame->masks[step->d].lanes, *restrict no = frame->masks[step->c].lanes;
	u32 n = lanes_of(frame), count = 0;
	REG(const u32, p, a);

	if (glc_is_full(frame, mask)) {
		/* Lanes that are not there must stay off. */
		EACH {
			u32 on = BOOL(i < frame->n);

			yes[i] = p[i] & on;
			no[i] = ~p[i] & on;
			count += p[i] & on & 1;
		}
	} else {
		const u32 *m = mask->lanes;

		EACH {
			yes[i] = p[i] & m[i];
			no[i] = ~p[i] & m[i];
			count += p[i] & m[i] & 1;
		}
	}
	frame->count = count;
}

LOOP_FN(iota_0)
{
	u32 n = lanes_of(frame), stride = (u32)step->stride;
	REG(u32, d, d);
	WORD(u32, a, a);
	EACH d[i] = a + stride * i;
}

/* --- Subgroups ------------------------------------------------------------ */

/* The value of lane ^ b; the own where that lane is not there, switched off, or in another subgroup. */
#define SHUFFLE(name, T)                                                              \
	LOOP_FN(name##_0)                                                             \
	{                                                                             \
		const struct glc_mask *mask = &frame->masks[step->mask];              \
		u32 size = frame->program->subgroup;                                  \
		bool full = glc_is_full(frame, mask);                                 \
		REG(T, d, d);                                                         \
		REG(const T, a, a);                                                   \
		REG(const u32, b, b);                                                 \
		for (u32 i = 0; i < frame->n; i++) {                                  \
			u32 lane = i & (size - 1), other = lane ^ b[i], from;         \
			from = i - lane + (other < size ? other : lane);              \
			if (from >= frame->n || (!full && !mask->lanes[from]))        \
				from = i;                                             \
			d[i] = a[from];                                               \
		}                                                                     \
	}
SHUFFLE(shuffle32, u32)
SHUFFLE(shuffle64, u64)
#undef SHUFFLE

/* --- Finding one ---------------------------------------------------------- */

glc_lanes_fn *GLUED(glc_cpu_loop, LEVEL)(unsigned loop, unsigned shape)
{
	switch (loop * GLC_SHAPES + shape) {
#define CASE(name, shape) case GLC_STEP_##name * GLC_SHAPES + shape: return name##_##shape;
#define OP1(name, ...) CASE(name, 0)
#define OP2(name, ...) CASE(name, 0) CASE(name, 1) CASE(name, 2)
#define OP3(name, ...) CASE(name, 0) CASE(name, 1) CASE(name, 2) CASE(name, 3) CASE(name, 4) CASE(name, 5) CASE(name, 6)
#include "device/cpu_ops.def"
#undef OP1
#undef OP2
#undef OP3
#define X(name) case GLC_LOOP_##name * GLC_SHAPES: return name##_0;
	GLC_LOOPS(X)
#undef X
	}
	return NULL;
}
