/* SPDX-License-Identifier: MIT */
/* From a launch to tiles: the workers' memory, and who runs which workgroups. */
#ifndef GLC_DEVICE_CPU_LAUNCH_H
#define GLC_DEVICE_CPU_LAUNCH_H

#include "base/pool.h"
#include "device/check.h"

/* A program with memory for each worker. */
struct glc_cpu_crew {
	struct glc_cpu_program program;
	struct glc_frame **frames;   /* by worker, then by tile of a workgroup */
	unsigned workers, tiles;
	bool ready;
};

/* Workers times tiles; false, nothing held: memory ran out. */
bool glc_cpu_crew_init(struct glc_cpu_crew *crew, unsigned workers);
void glc_cpu_crew_fini(struct glc_cpu_crew *crew);

struct glc_cpu_job {
	struct glc_cpu_job *next;
	struct glc_cpu_crew *crew;
	struct glc_pool *pool;
	uint32_t groups[3];
	uint64_t items;              /* tiles, or workgroups */
	uint64_t row_lanes, row_tiles, lanes;
	const atomic_bool *stop;
	atomic_uint_least64_t out_of_bounds;
	struct glc_bound *bounds;    /* by object */
	uint64_t *scalars;
	struct glc_check *check;     /* NULL: nobody watches */
};

/* How many items the groups are; false: too many to count. */
bool glc_cpu_job_size(struct glc_cpu_job *job);
void glc_cpu_job_run(struct glc_cpu_job *job);

#endif
