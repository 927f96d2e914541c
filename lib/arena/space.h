/* SPDX-License-Identifier: MIT */
/* Where arenas take memory from: a caller's range, or mappings of the host. */
#ifndef GLC_ARENA_SPACE_H
#define GLC_ARENA_SPACE_H

#include <glacier/arena.h>

/*
 * Address space of the host, aligned to 32 MiB, of which pages come as they are touched.
 * usable false: not before glc_commit. NULL when there is none.
 */
void *glc_reserve(uint64_t bytes, bool usable, bool huge);
void glc_unreserve(void *at, uint64_t bytes);
/* Makes a part usable, and with populate the pages present. */
bool glc_commit(void *at, uint64_t bytes, bool populate);
/* Gives the pages of a usable part back; it stays usable, and reads as zeros. */
void glc_decommit(void *at, uint64_t bytes);

/* Zeroed memory for tables that may be far larger than what is used of them. NULL when there is none. */
void *glc_table(uint64_t bytes);

#endif
