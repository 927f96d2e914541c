/* SPDX-License-Identifier: MIT */
/*
 * Arenas: allocators of address ranges. They hand out addresses and never touch what is
 * there, so that a range may be device memory, a shared mapping, or nothing at all.
 *
 * An arena is one tier, or the pool of all:
 *
 *   slab       256 bytes to 64 KiB, in bins; the slots of a slab are 64 bits of a word, which one thread
 *              at a time owns. A slot is aligned to its size, up to 4 KiB (sub-bins: to 64 bytes).
 *   buddy      128 KiB to 32 MiB, powers of two aligned to their size within the arena, or, as fit=run,
 *              whole 128 KiB leaves, best fit.
 *   reservoir  whole granules of 2 MiB, best fit; a host range takes memory when it is first handed out. The range that a
 *              thread freed last waits for its next request of that length.
 *   ring       scratch slices of 64-byte units, in order; they come back by serial, or one by one in any order.
 *   pool       one range with all four: the ring and the reservoir take the bytes that are named, the rest
 *              is the buddy's, which the slabs are carved out of.
 *
 * Every function may be called from any thread at any time, glacier_arena_destroy and
 * glacier_arena_close excepted, which must be the last. Memory that one thread frees and another
 * gets is ordered: what was done before the free happened before what is done after the
 * allocation.
 *
 * A free is checked in every build: an address that was never given, lies inside of an
 * allocation, belongs to another arena or was freed already is GLACIER_ERR_INVALID, and changes
 * nothing. Only where two threads free one address at the same moment may the second go unseen.
 */
#ifndef GLACIER_ARENA_H
#define GLACIER_ARENA_H

#include <glacier/buffer.h>
#include <glacier/status.h>

GLACIER_BEGIN

struct glacier_arena;

enum glacier_tier {
	GLACIER_TIER_POOL,
	GLACIER_TIER_SLAB,
	GLACIER_TIER_BUDDY,
	GLACIER_TIER_RESERVOIR,
	GLACIER_TIER_RING,
	GLACIER_TIER_COUNT
};

enum glacier_fit {
	GLACIER_FIT_BUDDY,  /* powers of two: no lock */
	GLACIER_FIT_RUN,    /* whole leaves, best fit: less memory; a lock behind what the threads have at hand */
};

/* How slices of a ring come back. */
enum glacier_reclaim {
	GLACIER_RECLAIM_FREE,    /* glacier_arena_free, in any order, from any thread */
	GLACIER_RECLAIM_SERIAL,  /* glacier_arena_mark and glacier_arena_retire: all before a mark at once */
};

/* What a full ring does. */
enum glacier_full {
	GLACIER_FULL_FAIL,   /* GLACIER_ERR_NOMEM */
	GLACIER_FULL_BLOCK,  /* waits until slices come back */
	GLACIER_FULL_GROW,   /* the host's memory is asked for another ring of twice the size; not over a caller's range */
};

/* What a pool does when a tier is full. */
enum glacier_spill {
	GLACIER_SPILL_UP,    /* asks the next larger tier: slab, buddy, reservoir */
	GLACIER_SPILL_NONE,
};

/* A range of the caller's. release is called exactly once for each arena that was asked for, also when it is refused. */
struct glacier_range {
	glacier_addr base;
	uint64_t bytes;
	void (*release)(void *user, glacier_addr base, uint64_t bytes);  /* NULL: nothing to do */
	void *user;
	/*
	 * Both or neither, and for a reservoir alone: what is behind the addresses comes and goes in granules of 2 MiB
	 * from the base up, as host memory does. commit: none of them is there; false leaves none of them. decommit:
	 * all of them are; the end of the range takes nothing back, which is for release. Any thread, one at a time.
	 */
	bool (*commit)(void *user, glacier_addr base, uint64_t bytes);
	void (*decommit)(void *user, glacier_addr base, uint64_t bytes);
};

struct glacier_arena_options {
	enum glacier_tier tier;
	const struct glacier_range *range;  /* NULL: memory of the host, reserved here, taken as it is touched */
	uint64_t bytes;                     /* of the host's; 0: 64 MiB, a reservoir 4 GiB, a pool 1 GiB and its reservoir */

	enum glacier_fit fit;
	bool sub_bins;                      /* four bins a power of two instead of one */
	/* Buddy blocks that a thread keeps; UINT64_MAX: none. 0: 64 MiB, of runs the one that it freed last alone: kept ones cost memory */
	uint64_t cache_bytes;

	uint64_t ring_bytes;                /* pool; 0: no ring */
	uint64_t reservoir_bytes;           /* pool; 0: no reservoir */
	enum glacier_spill spill;

	enum glacier_reclaim reclaim;
	enum glacier_full full;
	uint32_t segments;                  /* of a ring, 2 to 1024; 0: 32. Space comes back a segment at a time */
	uint32_t chunk_bytes;               /* a thread takes so much of the ring at once; 0: none. RECLAIM_FREE only */

	uint64_t keep_bytes;                /* freed memory, the host's or committed, that a reservoir keeps; 0: 256 MiB. UINT64_MAX: none */
	bool populate;                      /* host: pages are there when an allocation of a reservoir returns */
	bool huge_pages;                    /* host: asks for transparent huge pages */

	uint64_t hard_bytes;                /* no more than this is reserved; 0: no limit */
	uint64_t soft_bytes;                /* crossing it upwards calls on_soft; 0: never */
	void (*on_soft)(void *user, uint64_t reserved_bytes);
	/* Out of memory, everything flushed: true asks to try once more. No lock is held. */
	bool (*on_full)(void *user, uint64_t bytes);
	/* For each allocation that is live when the arena is destroyed. */
	void (*on_leak)(void *user, glacier_addr addr, uint64_t bytes, uint32_t tag);
	void *user;
	bool tags;                          /* keep the tag of each allocation */
};

/*
 * Make an arena. A caller's range is cut to whole units: its base up to 4 KiB (a ring: 64 bytes), its
 * end down to 128 KiB leaves (a ring: segments, a reservoir: 2 MiB granules).
 *
 * out  written only when GLACIER_OK is returned.
 *
 * Returns GLACIER_OK; GLACIER_ERR_ARGUMENT for a range below one unit or beyond 2^64, a number out of
 * bounds, or options that contradict each other; GLACIER_ERR_LIMIT for 2^48 bytes and more;
 * GLACIER_ERR_NOMEM.                                                            Since: 0.1
 */
GLACIER_API enum glacier_status glacier_arena_create(const struct glacier_arena_options *options,
						     struct glacier_arena **out);
/* Reports leaks and releases the range; every call after it gives GLACIER_ERR_ARGUMENT. Again: nothing. Since: 0.1 */
GLACIER_API void glacier_arena_close(struct glacier_arena *arena);
/* Closes and frees the handle. NULL is allowed. Since: 0.1 */
GLACIER_API void glacier_arena_destroy(struct glacier_arena *arena);

enum glacier_category {
	GLACIER_CATEGORY_AUTO,     /* by size: up to 64 KiB slab, up to 32 MiB buddy, else reservoir */
	GLACIER_CATEGORY_SLAB,     /* slab where it fits, else as AUTO */
	GLACIER_CATEGORY_BUDDY,    /* buddy up to 32 MiB, else reservoir */
	GLACIER_CATEGORY_VIRTUAL,  /* the reservoir */
	GLACIER_CATEGORY_SCRATCH,  /* the ring */
};

struct glacier_request {
	uint64_t bytes;
	uint64_t alignment;               /* a power of two; 0: what the tier gives */
	enum glacier_category category;   /* pool */
	uint32_t tag;                     /* kept where the options say so */
};

/*
 * Returns GLACIER_OK and *addr; GLACIER_ERR_ARGUMENT for 0 bytes, an alignment that is no power of two, a category that
 * the arena has not, a closed arena; GLACIER_ERR_LIMIT for more bytes than the tier has in one piece;
 * GLACIER_ERR_UNSUPPORTED for an alignment that the tier cannot give at this base; GLACIER_ERR_NOMEM when it is full:
 * before that all threads' caches are emptied and empty slabs given back.         Since: 0.1
 */
GLACIER_API enum glacier_status glacier_arena_alloc(struct glacier_arena *arena, uint64_t bytes, glacier_addr *addr);
GLACIER_API enum glacier_status glacier_arena_request(struct glacier_arena *arena, const struct glacier_request *request,
						      glacier_addr *addr);
/*
 * Returns GLACIER_OK; GLACIER_ERR_INVALID as above; GLACIER_ERR_UNSUPPORTED in a ring that
 * reclaims by serial; GLACIER_ERR_ARGUMENT for a closed arena.                   Since: 0.1
 */
GLACIER_API enum glacier_status glacier_arena_free(struct glacier_arena *arena, glacier_addr addr);

/* --- The ring ------------------------------------------------------------ */

/*
 * Serials grow: a mark covers every slice that was given before it was taken. Attach it to a
 * fence or an event, and retire it when that has passed; an older one is then no error, and does nothing.
 * GLACIER_ERR_UNSUPPORTED where the ring reclaims by free; GLACIER_ERR_ARGUMENT for a serial that no mark gave. Since: 0.1
 */
GLACIER_API enum glacier_status glacier_arena_mark(struct glacier_arena *arena, uint64_t *serial);
GLACIER_API enum glacier_status glacier_arena_retire(struct glacier_arena *arena, uint64_t serial);

/* A slice for a scope: given back by glacier_scratch_release, which may be called twice. */
struct glacier_scratch {
	struct glacier_arena *arena;
	glacier_addr addr;
	uint64_t bytes;
};
GLACIER_API enum glacier_status glacier_arena_rent_scratch(struct glacier_arena *arena, uint64_t bytes,
							   struct glacier_scratch *scratch);
GLACIER_API enum glacier_status glacier_scratch_release(struct glacier_scratch *scratch);

/* --- What is going on ---------------------------------------------------- */

/* Empties all caches, gives back empty slabs and what a reservoir keeps of the host's memory. Since: 0.1 */
GLACIER_API enum glacier_status glacier_arena_trim(struct glacier_arena *arena);

struct glacier_tier_stats {
	uint64_t capacity_bytes;    /* 0: the arena has no such tier. Slabs share the buddy's */
	uint64_t allocs, frees;     /* that succeeded */
	uint64_t failures;          /* out of memory */
	uint64_t requested_bytes;   /* of all allocations, ever */
	uint64_t live, live_bytes;  /* allocations that are not freed, and their bytes as granted */
};

struct glacier_arena_stats {
	struct glacier_tier_stats tier[GLACIER_TIER_COUNT];  /* POOL: the sums */
	uint64_t reserved_bytes;       /* taken from the range: live ones, caches, the rest of slabs */
	uint64_t peak_reserved_bytes;  /* exact for one thread, or under a limit; else up to 64 MiB a thread more */
	uint64_t free_bytes;           /* of leaves and granules */
	uint64_t largest_free_bytes;   /* in one piece, of one tier */
	uint64_t committed_bytes;      /* of the host's memory, or by commit, by a reservoir */
};

/* Sums of what the threads counted: exact when none is inside of a call. Since: 0.1 */
GLACIER_API enum glacier_status glacier_arena_get_stats(struct glacier_arena *arena, struct glacier_arena_stats *stats);

struct glacier_allocation {
	glacier_addr addr;
	uint64_t bytes;            /* as granted */
	enum glacier_tier tier;
	uint32_t tag;
};

/* The live allocation that an address lies in, or GLACIER_ERR_INVALID. Since: 0.1 */
GLACIER_API enum glacier_status glacier_arena_find(struct glacier_arena *arena, glacier_addr addr,
						   struct glacier_allocation *found);
/* Each live allocation in the order of addresses, one tier after the other. No other thread may change the arena. Since: 0.1 */
GLACIER_API enum glacier_status glacier_arena_walk(struct glacier_arena *arena,
						   void (*each)(void *user, const struct glacier_allocation *allocation),
						   void *user);
/* Where the tiers lie: of the whole range what is used. Since: 0.1 */
GLACIER_API enum glacier_status glacier_arena_plan(struct glacier_arena *arena, enum glacier_tier tier, glacier_addr *base,
						   uint64_t *bytes);
/* Appends the statistics, and with `allocations` each live one, as JSON; the range as an SVG picture. Since: 0.1 */
GLACIER_API enum glacier_status glacier_arena_json(struct glacier_arena *arena, bool allocations,
						   struct glacier_buffer *buffer);
GLACIER_API enum glacier_status glacier_arena_svg(struct glacier_arena *arena, struct glacier_buffer *buffer);

/* "slab" and so on; NULL out of range. Since: 0.1 */
GLACIER_API const char *glacier_tier_name(enum glacier_tier tier);

GLACIER_END

#endif
