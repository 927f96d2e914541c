/* SPDX-License-Identifier: MIT */
/* What the files of the container share. */
#ifndef GLC_DXBC_DXBC_H
#define GLC_DXBC_DXBC_H

#include <glacier/dxbc.h>

#include "base/cursor.h"
#include "base/diag.h"

/* A FourCC as text: what cannot be printed is a '.'. */
struct glc_fourcc {
	char text[5];
};

static inline struct glc_fourcc glc_fourcc(uint32_t fourcc)
{
	struct glc_fourcc name = {""};

	for (int i = 0; i < 4; i++) {
		unsigned char c = (unsigned char)(fourcc >> 8 * i);

		name.text[i] = c > 0x20 && c < 0x7f ? (char)c : '.';
	}
	return name;
}

#endif
