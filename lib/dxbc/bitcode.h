/* SPDX-License-Identifier: MIT */
/* Names of what an LLVM bitstream holds. */
#ifndef GLC_DXBC_BITCODE_H
#define GLC_DXBC_BITCODE_H

#include <stdint.h>

/* Never NULL. */
const char *glc_bitcode_block(uint32_t block);
/* NULL when it is not known. */
const char *glc_bitcode_record(uint32_t block, uint64_t code);

#endif
