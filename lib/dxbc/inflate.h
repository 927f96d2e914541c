/* SPDX-License-Identifier: MIT */
/* Content of parts that zlib compressed (RFC 1950). Thread safe. */
#ifndef GLC_DXBC_INFLATE_H
#define GLC_DXBC_INFLATE_H

#include <stdint.h>

enum glc_inflated {
	GLC_INFLATED,
	GLC_INFLATE_BAD,         /* no stream of all of `bytes` that gives `claimed` */
	GLC_INFLATE_NO_LIBRARY,
	GLC_INFLATE_NO_MEMORY,
};

/* data: the caller's to free; at least one byte, and never more memory than twice what came out. */
enum glc_inflated glc_inflate(const unsigned char *from, uint32_t bytes, uint32_t claimed, unsigned char **data);

#endif
