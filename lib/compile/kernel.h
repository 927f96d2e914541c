/* SPDX-License-Identifier: MIT */
/* What devices take from a module: one kernel, lowered, in memory that outlives the module. */
#ifndef GLC_COMPILE_KERNEL_H
#define GLC_COMPILE_KERNEL_H

#include <glacier/kernel.h>

#include "base/diag.h"
#include "base/source.h"
#include "ir/ir.h"

/*
 * The kernel of that name as the module was checked, not lowered; NULL: the only one.
 * Returns GLACIER_OK; GLACIER_ERR_ARGUMENT when there is none or several could be meant;
 * GLACIER_ERR_NOMEM.
 */
enum glacier_status glc_module_kernel(struct glacier_module *module, const char *name,
				      const struct glc_kernel **out, struct glacier_diag *diag);

/* Where positions in the module's code lie; lives as long as what the module was read from. */
const struct glc_source_map *glc_module_map(const struct glacier_module *module);

/*
 * All that code made from the kernel depends on, as bytes that two kernels share only when
 * they are the same. Appended to `out`; false: memory ran out.
 */
bool glc_module_content(const struct glacier_module *module, const struct glc_kernel *kernel,
			const struct glacier_write_options *options, struct glacier_buffer *out);

/*
 * The kernel, lowered for a target (GLACIER_TARGET_KIND_COUNT: the processor), as
 * out->kernels[0]. Everything in *out lies in `memory`.
 */
enum glacier_status glc_module_lower(struct glacier_module *module, const struct glc_kernel *kernel,
				     const struct glacier_target *target, bool optimize,
				     struct glacier_memory *memory, struct glc_ir *out,
				     struct glacier_diag *diag);

/*
 * The kernel with bounds beside its values (ir/bound.h), lowered for the processor. Behind its own
 * objects come buffers named NAME.bound, and .lost.
 */
enum glacier_status glc_module_bound(struct glacier_module *module, const struct glc_kernel *kernel,
				     bool inputs_differ, struct glacier_memory *memory, struct glc_ir *out,
				     struct glacier_diag *diag);

#endif
