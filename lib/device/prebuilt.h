/* SPDX-License-Identifier: MIT */
/*
 * Code that is already made: SPIR-V or PTX, and what gc-asm --reflect wrote of its kernels.
 *
 *	prebuilt.c         from the two to a pipeline
 *	prebuilt_read.c    the reflection, read strictly, as a kernel without instructions
 *	prebuilt_match.c   whether the module is one that the reflection tells of
 *	prebuilt_ptx.c     the same for PTX
 */
#ifndef GLC_DEVICE_PREBUILT_H
#define GLC_DEVICE_PREBUILT_H

#include "device/device.h"
#include "spirv/interface.h"

struct glc_prebuilt {
	struct glc_spv_interface code;  /* Vulkan */
	const char *ptx;                /* CUDA: ptx_bytes, and a zero behind them */
	size_t ptx_bytes;
	const char *symbol;             /* of the entry point */
};

/*
 * The kernel of that name (NULL: the only one) as out->kernels[0], specialization constants
 * with the values that `source` defines. All in memory.
 */
enum glacier_status glc_prebuilt_read(const struct glacier_prebuilt *source, const char *kernel,
				      enum glacier_target_kind target,
				      struct glacier_memory *memory, struct glc_ir *out, const char **symbol,
				      struct glacier_diag *diag);

enum glacier_status glc_prebuilt_match(const struct glc_prebuilt *prebuilt, const struct glc_kernel *kernel,
				       struct glacier_diag *diag);
enum glacier_status glc_prebuilt_match_ptx(const struct glc_prebuilt *prebuilt, const struct glc_kernel *kernel,
					   struct glacier_diag *diag);

#endif
