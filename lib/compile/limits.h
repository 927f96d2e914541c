/* SPDX-License-Identifier: MIT */
/* What a kernel takes, held against what devices have. */
#ifndef GLC_COMPILE_LIMITS_H
#define GLC_COMPILE_LIMITS_H

#include <glacier/limits.h>

#include "base/diag.h"
#include "ir/ir.h"

/* -Wshared-memory, once a kernel, whatever it is written for. */
void glc_limits_warn(const struct glc_ir *ir, struct glacier_diag *diag);

/*
 * Report everything in the kernels that is over a limit of a Vulkan device. limits may be
 * NULL: then only what every device promises is checked, where it promises too little for
 * the language. What a specialization constant decides counts as not known.
 */
void glc_limits_check(const struct glc_ir *ir, const struct glacier_limits *limits,
		      struct glacier_diag *diag);

#endif
