/* SPDX-License-Identifier: MIT */
/* Facts about targets that both their names and their back ends need. */
#ifndef GLC_IR_TARGET_H
#define GLC_IR_TARGET_H

#include <stdint.h>

/* The first PTX ISA that has sm_ARCH, times ten (78 for 7.8); 0: no such architecture is known. */
uint32_t glc_ptx_isa_of(uint32_t arch);

#endif
