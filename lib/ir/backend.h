/* SPDX-License-Identifier: MIT */
/*
 * What a back end is: a function that writes the kernels of a lowered module.
 *
 * It is given IR that glc_lower made for its target (what that promises is in lower.h),
 * walks each kernel's instructions once, and needs no other stage.
 */
#ifndef GLC_IR_BACKEND_H
#define GLC_IR_BACKEND_H

#include <glacier/kernel.h>

#include "base/buf.h"
#include "base/source.h"
#include "ir/ir.h"

struct glc_backend_input {
	const struct glc_ir *ir;
	const struct glacier_target *target;
	const struct glacier_write_options *options;
	const struct glc_source_map *map;   /* for -g; may be NULL */
	struct glacier_memory *memory;      /* scratch: released by the caller */
};

#endif
