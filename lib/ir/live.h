/* SPDX-License-Identifier: MIT */
/* Which instructions matter: what has an effect, and all that it needs. */
#ifndef GLC_IR_LIVE_H
#define GLC_IR_LIVE_H

#include "ir/ir.h"

struct glc_live {
	const uint8_t *marks;   /* by instruction */
};

static inline bool glc_live_is(const struct glc_live *live, uint32_t index)
{
	return live->marks[index];
}

/* false: memory ran out. */
bool glc_live_find(const struct glc_kernel *kernel, struct glacier_memory *memory, struct glc_live *live);

#endif
