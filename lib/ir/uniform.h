/* SPDX-License-Identifier: MIT */
/*
 * Uniformity: whether all invocations of a workgroup have the same value, or come by the
 * same way. Warns of barriers and subgroup instructions that they may not reach together.
 */
#ifndef GLC_IR_UNIFORM_H
#define GLC_IR_UNIFORM_H

#include "base/diag.h"
#include "ir/ir.h"

void glc_uniform_check(const struct glc_ir *ir, struct glacier_memory *memory, struct glacier_diag *diag);

#endif
