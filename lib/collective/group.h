/* SPDX-License-Identifier: MIT */
/*
 * Ranks that share memory: threads of one process, or processes over one file. The memory holds
 * where each rank has got to, what it works on, and a bounded channel for each link, so that the
 * group is a transport too. Whoever has to wait looks for some microseconds (not when ranks
 * outnumber processors), gives the processor away some times, and sleeps on a futex.
 */
#ifndef GLC_COLLECTIVE_GROUP_H
#define GLC_COLLECTIVE_GROUP_H

#include "collective/frame.h"

#include <stdatomic.h>

enum {
	GLC_GROUP_LINKS = 12,             /* 2^12 ranks */
	GLC_GROUP_SLOT_BYTES = 8192,      /* what small operations hand over without a second meeting */
	GLC_GROUP_CHANNEL_BYTES = 1 << 17,
	GLC_GROUP_SEGMENTS = 64,
};

/* Where a rank's arrays are; segment -1: in its own memory alone. */
struct glc_group_arrays {
	uint64_t in, out;  /* addresses in that process */
	int32_t in_segment, out_segment;
	uint64_t in_offset, out_offset;
};

struct glc_group;

/* All ranks of this process at once: groups[size]. NULL when there is no memory. */
bool glc_group_create_local(uint32_t size, bool shares_processors, struct glc_group **groups);
/* One rank of a file made by glc_group_file. errno is set when false. */
bool glc_group_file(uint32_t size, int *fd);
enum glacier_status glc_group_create_shared(int fd, uint32_t rank, uint32_t size, bool shares_processors,
					    uint64_t timeout_ns, struct glc_group **out, struct glacier_diag *diag);
void glc_group_transport(struct glc_group *group, struct glacier_transport *transport);
void glc_group_destroy(struct glc_group *group);

bool glc_group_is_local(const struct glc_group *group);
uint64_t glc_group_job(const struct glc_group *group);

/* Meetings. The phase that the own arrival is of; done when all have arrived at it. */
uint64_t glc_group_arrive(struct glc_group *group);
bool glc_group_met(struct glc_group *group, uint64_t phase);
void glc_group_wait_met(struct glc_group *group, uint64_t phase, uint64_t nanoseconds);
/* A rank that has not arrived; UINT32_MAX: none. */
uint32_t glc_group_late(struct glc_group *group, uint64_t phase);

/* What a rank shows to the others, by the parity of the collective's number. */
struct glc_header *glc_group_header(struct glc_group *group, uint32_t rank, uint64_t sequence);
void *glc_group_slot(struct glc_group *group, uint32_t rank, uint64_t sequence);
struct glc_group_arrays *glc_group_arrays(struct glc_group *group, uint32_t rank);

/* Fills the segments and offsets of the own arrays. */
void glc_group_locate(struct glc_group *group, struct glc_group_arrays *arrays, size_t in_bytes, size_t out_bytes);
/* The address here of another rank's array; NULL: it is in that rank's memory alone. */
void *glc_group_reach(struct glc_group *group, uint32_t rank, bool out);
/* Whether every rank can read every other's memory. */
bool glc_group_can_copy(const struct glc_group *group);
bool glc_group_copy(struct glc_group *group, uint32_t rank, void *to, uint64_t from, size_t bytes);

/* Between two meetings: the segment of all ranks. NULL: no memory. */
bool glc_group_grow(struct glc_group *group, size_t bytes);
void *glc_group_map(struct glc_group *group, size_t bytes);

void glc_group_fail(struct glc_group *group, const struct glc_failure *failure);
bool glc_group_failed(struct glc_group *group, struct glc_failure *failure);
/* The collective that a rank has begun; a rank that has not begun it, UINT32_MAX: none. */
void glc_group_tell(struct glc_group *group, uint64_t sequence);
uint32_t glc_group_behind(struct glc_group *group, uint64_t sequence);
/* A rank that left without arriving at the phase; UINT32_MAX. */
uint32_t glc_group_deserter(struct glc_group *group, uint64_t phase);

#endif
