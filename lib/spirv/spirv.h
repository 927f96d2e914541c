/* SPDX-License-Identifier: MIT */
#ifndef GLC_SPIRV_SPIRV_H
#define GLC_SPIRV_SPIRV_H

#include "ir/backend.h"

/* Appends a SPIR-V module to buffer, little-endian; on failure the caller cuts it back. */
enum glacier_status glc_spirv_write(const struct glc_backend_input *input,
				    struct glacier_buffer *buffer, struct glacier_diag *diag);

#endif
