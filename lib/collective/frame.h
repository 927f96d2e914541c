/* SPDX-License-Identifier: MIT */
/*
 * What goes over a link. Each collective opens each link that it uses with a header, which the
 * receiver compares with its own; then pieces follow, each with a head that says which piece it
 * is and sums its bytes. All numbers little-endian, which is what both architectures are.
 */
#ifndef GLC_COLLECTIVE_FRAME_H
#define GLC_COLLECTIVE_FRAME_H

#include <glacier/collective.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are written as they lie in memory");

enum { GLC_HEADER_MAGIC = 0x48434c47, GLC_PIECE_MAGIC = 0x50434c47, GLC_FAILURE_MAGIC = 0x46434c47, GLC_FRAME_VERSION = 1 };

enum glc_call { GLC_ALLREDUCE, GLC_REDUCE_SCATTER, GLC_ALL_GATHER, GLC_BROADCAST, GLC_BARRIER, GLC_ALLOC, GLC_CALL_COUNT };

struct glc_header {
	uint32_t magic;
	uint16_t version, call;
	uint64_t job, sequence, count, piece_bytes;
	uint32_t op, type;
	uint32_t map;        /* 0: a chunk a rank; n + 1: rank n owns all */
	uint32_t algorithm, size, channels;
	uint32_t rank;       /* who sends it */
	uint32_t reserved;   /* 0 */
};
_Static_assert(sizeof(struct glc_header) == 72, "no padding");

struct glc_piece {
	uint32_t magic, step, index, bytes;
	uint64_t sequence, checksum;
};
_Static_assert(sizeof(struct glc_piece) == 32, "no padding");

/* Why a group ended: travels between ranks, so that all of them name the same culprit. */
enum glc_reason {
	GLC_REASON_NONE,
	GLC_REASON_MISMATCH,   /* rank and other differ in field: values[0] and values[1] */
	GLC_REASON_LOST,       /* rank is gone */
	GLC_REASON_SILENT,     /* rank shows no life; values[0]: ms */
	GLC_REASON_ABORTED,    /* rank called glacier_comm_abort, or left with an error */
	GLC_REASON_CHECKSUM,   /* rank sent bytes that other received as different ones */
	GLC_REASON_FRAME,      /* what other received from rank is no frame */
	GLC_REASON_MEMORY,     /* rank has no memory */
	GLC_REASON_UNSUPPORTED,
	GLC_REASON_ABSENT,     /* rank did not join */
	GLC_REASON_COUNT
};

struct glc_failure {
	uint32_t magic, reason, rank, other, field, reserved;
	uint64_t values[2];
};
_Static_assert(sizeof(struct glc_failure) == 40, "no padding");

/*
 * The first field in which the headers differ, sent by ranks a->rank and b->rank; false: none.
 * Fills the failure for ranks a and b.
 */
bool glc_header_differs(const struct glc_header *a, const struct glc_header *b, struct glc_failure *failure);

/* A failure that came over a link: false when it is none, or names no rank of the group. */
bool glc_failure_valid(const struct glc_failure *failure, uint32_t size);

enum glacier_status glc_failure_status(const struct glc_failure *failure);
/* Tells diag, and returns the status. */
enum glacier_status glc_failure_report(const struct glc_failure *failure, struct glacier_diag *diag);

#endif
