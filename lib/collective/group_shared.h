/* SPDX-License-Identifier: MIT */
/* How the memory that a group shares is laid out. Offsets, not pointers: each process maps it elsewhere. */
#ifndef GLC_COLLECTIVE_GROUP_SHARED_H
#define GLC_COLLECTIVE_GROUP_SHARED_H

#include "collective/group.h"

#include <pthread.h>

enum { GLC_CACHE_LINE = 64 };

#define GLC_OWN_LINE _Alignas(GLC_CACHE_LINE)

/* A bounded stream of bytes with one writer and one reader. */
struct glc_channel {
	GLC_OWN_LINE _Atomic uint64_t written;
	GLC_OWN_LINE _Atomic uint64_t read;
	GLC_OWN_LINE unsigned char bytes[GLC_GROUP_CHANNEL_BYTES];
};

struct glc_member {
	/* A bell is rung after something changed that the rank may wait for. */
	GLC_OWN_LINE _Atomic uint32_t bell;
	_Atomic uint32_t dozing;
	GLC_OWN_LINE _Atomic uint64_t arrived;  /* at this phase */
	_Atomic uint32_t gone;
	_Atomic uint32_t present;
	_Atomic uint64_t beat;
	_Atomic uint64_t sequence;              /* of the collective it has begun */
	int32_t pid;
	uint32_t can_copy;
	uint64_t proof;                         /* an address that holds the magic, for a first try */
	GLC_OWN_LINE struct glc_header headers[2];
	struct glc_group_arrays arrays;
};

struct glc_shared {
	uint64_t magic;
	uint32_t size, links;
	uint64_t job;
	size_t bytes;                           /* of all that follows, and of this */
	_Atomic uint32_t users;                 /* of a local group: the last one frees it */
	GLC_OWN_LINE _Atomic uint64_t arrivals;
	GLC_OWN_LINE _Atomic uint32_t gate;     /* changes at every meeting */
	_Atomic uint32_t sleepers;
	GLC_OWN_LINE _Atomic uint32_t failure_state;  /* 0, 1 while it is written, 2 */
	struct glc_failure failure;
	struct glc_member members[];
};

struct glc_segment {
	unsigned char *at;
	size_t rank_bytes, map_bytes;
};

struct glc_group {
	struct glc_shared *shared;
	uint32_t rank, size;
	uint32_t spins, yields;
	bool local;
	uint64_t phase;                         /* of the last arrival */
	struct glc_segment segments[GLC_GROUP_SEGMENTS];
	uint32_t segment_count;

	/* Between processes alone. */
	int fd;
	uint64_t file_bytes;
	uint64_t magic_copy;
	uint64_t timeout_ns;
	pthread_t watcher;
	bool watching;
	struct glc_watched *watched;   /* by rank: what the watcher last saw, and the processes */
	struct pollfd *pids;
	_Atomic uint32_t stop;
};

size_t glc_shared_bytes(uint32_t size);
void glc_shared_init(struct glc_shared *shared, uint32_t size, uint64_t job);
struct glc_channel *glc_shared_channel(struct glc_shared *shared, uint32_t rank, uint32_t link);
void glc_shared_ring(struct glc_shared *shared, uint32_t rank);

/* Looks after the other processes (group_watch.c). */
bool glc_group_watch(struct glc_group *group);
void glc_group_unwatch(struct glc_group *group);

#endif
