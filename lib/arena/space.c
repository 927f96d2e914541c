/* SPDX-License-Identifier: MIT */
#include "arena/space.h"

#include <sys/mman.h>

enum { ALIGNMENT = 32 << 20 };

void *glc_reserve(uint64_t bytes, bool usable, bool huge)
{
	int protection = usable ? PROT_READ | PROT_WRITE : PROT_NONE;
	uint64_t padded = bytes + ALIGNMENT;
	unsigned char *at, *aligned;

	if (padded < bytes || padded > PTRDIFF_MAX)
		return NULL;
	at = mmap(NULL, padded, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	aligned = at + (-(uintptr_t)at & (ALIGNMENT - 1));
	if (aligned > at)
		munmap(at, (size_t)(aligned - at));
	if (at + padded > aligned + bytes)
		munmap(aligned + bytes, (size_t)(at + padded - (aligned + bytes)));
	if (huge)
		madvise(aligned, bytes, MADV_HUGEPAGE);
	return aligned;
}

void glc_unreserve(void *at, uint64_t bytes)
{
	munmap(at, bytes);
}

bool glc_commit(void *at, uint64_t bytes, bool populate)
{
	if (mprotect(at, bytes, PROT_READ | PROT_WRITE))
		return false;
#ifdef MADV_POPULATE_WRITE
	/* Kernels before 5.14 do not know it: the pages then come as they are touched. */
	if (populate)
		madvise(at, bytes, MADV_POPULATE_WRITE);
#endif
	(void)populate;
	return true;
}

void glc_decommit(void *at, uint64_t bytes)
{
	madvise(at, bytes, MADV_DONTNEED);
}

void *glc_table(uint64_t bytes)
{
	void *at;

	if (bytes > PTRDIFF_MAX)
		return NULL;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}
