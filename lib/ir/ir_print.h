/* SPDX-License-Identifier: MIT */
/*
 * The intermediate form as text for people who look at what passes do, and its control
 * flow as a graph in Graphviz's language. Neither is read back.
 */
#ifndef GLC_IR_IR_PRINT_H
#define GLC_IR_IR_PRINT_H

#include "base/buf.h"
#include "ir/ir.h"

void glc_print_ir(const struct glc_ir *ir, struct glacier_memory *memory, struct glc_writer *out);
void glc_print_cfg(const struct glc_ir *ir, struct glacier_memory *memory, struct glc_writer *out);

/* One instruction without its line's end. loop: the innermost Loop around it, if any. */
void glc_print_inst(const struct glc_ir *ir, const struct glc_kernel *kernel, uint32_t index,
		    uint32_t loop, struct glc_writer *out);

#endif
