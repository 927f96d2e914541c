/* SPDX-License-Identifier: MIT */
/*
 * Watching what a kernel does to memory: struct glacier_device_options, check.
 *
 * A program that is compiled to be watched has a step before each access, barrier and
 * shuffle; one that is not has none, and costs nothing. What is judged is who accesses what
 * and what lies between, never the values: lanes that run in step hide a missing barrier.
 *
 * Workgroups run one after the other, in their order, in one thread: what is found, and
 * what is told of it, is the same each time.
 *
 *	check_site.c   the accesses of a kernel and where they stand in its source
 *	check.c        the rules, over what is remembered of each element
 *	check_log.c    what was found, and telling it
 */
#ifndef GLC_DEVICE_CHECK_H
#define GLC_DEVICE_CHECK_H

#include "base/source.h"
#include "device/cpu.h"

/* --- Where accesses stand -------------------------------------------------- */

enum glc_access_class {
	GLC_ACCESS_LOAD,
	GLC_ACCESS_STORE,
	GLC_ACCESS_ATOMIC,
	GLC_ACCESS_CLASS_COUNT,
	GLC_ACCESS_NONE = GLC_ACCESS_CLASS_COUNT,   /* barriers and shuffles */
};

struct glc_check_site {
	uint32_t pos;                       /* the three that make it one */
	uint16_t op, object;
	uint8_t klass;                      /* enum glc_access_class */
	bool in_workgroup;                  /* an atomic, and one for the workgroup alone */
	struct glacier_location location;   /* its strings lie with the pipeline */
};

/* Records hold their number and one more in 16 bits. */
enum { GLC_MOST_SITES = UINT16_MAX - 1 };

/* Fills pipeline->sites. Returns GLACIER_OK, GLACIER_ERR_LIMIT or GLACIER_ERR_NOMEM. */
enum glacier_status glc_check_find_sites(struct glacier_pipeline *pipeline, const struct glc_source_map *map,
					 struct glacier_diag *diag);
/* The site of an instruction; its kernel is the pipeline's. */
uint32_t glc_check_site(const struct glacier_pipeline *pipeline, const struct glc_inst *inst);

/* --- What was found -------------------------------------------------------- */

enum glc_finding_kind {
	GLC_FOUND_OUT_OF_BOUNDS,
	GLC_FOUND_UNSTORED,
	GLC_FOUND_RACE,             /* within a workgroup */
	GLC_FOUND_RACE_OF_GROUPS,
	GLC_FOUND_BARRIER,
	GLC_FOUND_SHUFFLE,
};

/* Where the other invocation of a barrier or shuffle is. */
enum glc_whereabouts { GLC_WENT_ELSEWHERE, GLC_RETURNED, GLC_WAITS, GLC_IN_ANOTHER_ROUND };

struct glc_finding {
	uint8_t kind;
	uint8_t whereabouts;
	uint16_t site, other_site;   /* other_site: of races, and GLC_WAITS */
	uint32_t who, other;         /* invocations, counted through the launch */
	uint64_t index, length;      /* of the element; of its array */
};

enum { GLC_MOST_FINDINGS = 16 };

/* Of the launches since it was last told. Zero-initialise. */
struct glc_check_log {
	struct {
		struct glc_finding first;    /* the first of its kind on its lines */
		const struct glacier_pipeline *pipeline;
		uint32_t groups[3];
		uint64_t count;
	} at[GLC_MOST_FINDINGS];
	uint32_t count;
	uint64_t untold;                     /* on other lines, when there was no more room */
	uint64_t all;                        /* since the device last counted them */
};

void glc_check_note(struct glc_check_log *log, const struct glacier_pipeline *pipeline, const uint32_t groups[3],
		    const struct glc_finding *finding);
/* Tells all, and empties the log; without a diag it waits for one. */
void glc_check_tell(struct glc_check_log *log, struct glacier_diag *diag);

/* --- A launch that is watched ---------------------------------------------- */

struct glc_check;

/* NULL, with *status set: too large to be watched, or memory ran out. */
struct glc_check *glc_check_create(const struct glc_launch *launch, const struct glc_cpu_program *program,
				   struct glc_check_log *log, enum glacier_status *status,
				   struct glacier_diag *diag);
void glc_check_destroy(struct glc_check *check);

/* A workgroup begins; all its tiles have come to a barrier or to their end. */
void glc_check_group(struct glc_check *check, uint64_t group);
void glc_check_meet(struct glc_check *check, struct glc_frame *const *frames, unsigned tiles);

/*
 * The steps. target: the site.
 *	access    index as GLC_FLAG_INDEX_WORD and stride say, in b
 *	barrier   before the barrier itself
 *	round     behind it, for each loop around: word a counts its rounds
 *	shuffle   before it
 *	fence     one that is seen outside of the workgroup, or an atomic that orders there
 */
void glc_check_access(const struct glc_step *step, struct glc_frame *frame);
void glc_check_barrier(const struct glc_step *step, struct glc_frame *frame);
void glc_check_round(const struct glc_step *step, struct glc_frame *frame);
void glc_check_shuffle(const struct glc_step *step, struct glc_frame *frame);
void glc_check_fence(const struct glc_step *step, struct glc_frame *frame);

#endif
