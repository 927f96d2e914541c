/* SPDX-License-Identifier: MIT */
/* Structured control flow: selections, loops, Phis. */
#ifndef GLC_SPIRV_FLOW_H
#define GLC_SPIRV_FLOW_H

#include "spirv/module.h"

/* Begins the block `id`. */
void sp_label(struct sp *sp, uint32_t id);
/* Writes the structure instruction at index, with the Phis behind it; gives the next index. */
uint32_t sp_flow(struct sp *sp, uint32_t index);
/* The id of a value, promised if it is made later: by a Phi behind Loop. */
static inline uint32_t sp_value(struct sp *sp, glc_value value)
{
	if (glc_is_const(value))
		return sp_const(sp, value);
	if (!sp->values[value])
		sp->values[value] = sp_id(sp);
	return sp->values[value];
}

#endif
