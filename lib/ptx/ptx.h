/* SPDX-License-Identifier: MIT */
/*
 * The PTX back end: lowered IR to the text that ptxas and the CUDA driver take.
 *
 * Parameters of an entry stand in the order of the source, one each for buffers (.u64, a
 * global or generic address) and scalars (their own type; bool as .u32), then one .u64 for
 * each buffer whose Length is taken: its elements.
 */
#ifndef GLC_PTX_PTX_H
#define GLC_PTX_PTX_H

#include "base/diag.h"
#include "ir/backend.h"

/* Appends to buffer; on failure the caller cuts it back. */
enum glacier_status glc_ptx_write(const struct glc_backend_input *input,
				  struct glacier_buffer *buffer, struct glacier_diag *diag);

/*
 * The symbol of a kernel: its name, with `_` behind it as often as needed where PTX reserves
 * the name. Returns how many `_` that are.
 */
uint32_t glc_ptx_underscores(const struct glc_ir *ir, const struct glc_kernel *kernel);

#endif
