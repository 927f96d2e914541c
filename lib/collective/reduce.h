/* SPDX-License-Identifier: MIT */
/*
 * Combining arrays element by element. The loops exist once for each level of base/cpu.h, made by
 * function attributes from one text (reduce_loops.inc), and give the same bits at every level:
 * NaNs that come out are canonical, and no multiplication is fused with an addition.
 */
#ifndef GLC_COLLECTIVE_REDUCE_H
#define GLC_COLLECTIVE_REDUCE_H

#include <glacier/collective.h>

#include "base/cpu.h"

/* dst[i] = a[i] OP b[i]. dst may be a or b. */
typedef void glc_fold_fn(void *dst, const void *a, const void *b, size_t n);
/* dst[i] = some function of src[i]. dst may be src when both have elements of one size. */
typedef void glc_map_fn(void *dst, const void *src, size_t n);
/* a[i] = a[i] / divisor. */
typedef void glc_divide_fn(void *a, size_t n, uint32_t divisor);

/*
 * outs[r][i] = ins[0][i] OP ins[1][i] OP ..., for bytes [at, end) of each, whole lines of 64 that are aligned in all outs.
 * An out may be one of ins. Seen by others once it has returned.
 */
typedef void glc_lines_fn(unsigned char *const *outs, const unsigned char *const *ins, uint32_t ranks, size_t at, size_t end);

/*
 * How one operation on one type is done: elements are widened to the work type, folded there,
 * divided, and narrowed. Without widening the work type is the type itself.
 */
struct glc_reducer {
	enum glacier_type type;
	enum glacier_reduce op;
	uint8_t elem_bytes, work_bytes;
	glc_fold_fn *fold;      /* on the work type */
	glc_map_fn *widen;      /* NULL: the work type is the type */
	glc_map_fn *narrow;
	glc_map_fn *canonical;  /* src to dst, NaNs made canonical: what one rank alone does. NULL: a copy */
	glc_lines_fn *lines;    /* NULL: fold does it */
	glc_divide_fn *divide;  /* on the work type; NULL: the operation divides nothing */
	uint64_t (*checksum)(const void *data, size_t bytes);
};

/* 0 when the type cannot be combined. */
size_t glc_reduce_elem_bytes(enum glacier_type type);

/* false: no such operation or type. */
bool glc_reducer_get(struct glc_reducer *reducer, enum glacier_type type, enum glacier_reduce op,
		     enum glc_cpu_level level);

/*
 * 64 bits of some bytes: any change of one word, and nearly any other, changes them. Guards
 * against what a relay or broken hardware does to a stream, not against malice.
 */
uint64_t glc_checksum(const void *data, size_t bytes, enum glc_cpu_level level);

#endif
