/* SPDX-License-Identifier: MIT */
/*
 * Which of the compiled variants of a hot loop this machine runs.
 *
 * The levels are those of the x86-64 psABI (section 3.1.1): what one of them promises,
 * all machines of that level have. arm64 has NEON always and so but one level. A caller
 * may force a lower level, to test or to compare; the environment is never asked.
 * All functions: any thread.
 */
#ifndef GLC_BASE_CPU_H
#define GLC_BASE_CPU_H

#include <glacier/status.h>

/* In ascending order within one architecture. */
enum glc_cpu_level {
	GLC_CPU_BASELINE,   /* what the compiler assumes: SSE2 on x86-64 */
	GLC_CPU_X86_64_V3,  /* AVX2, FMA, BMI1 and 2, F16C, LZCNT, MOVBE */
	GLC_CPU_X86_64_V4,  /* AVX-512 F, BW, CD, DQ, VL */
	GLC_CPU_NEON,       /* arm64 */
	GLC_CPU_LEVEL_COUNT
};

/* The level to use: the forced one, or else the highest that the machine has. */
enum glc_cpu_level glc_cpu_level(void);

/* Whether the machine and its operating system have a level, forced or not. */
bool glc_cpu_has(enum glc_cpu_level level);

/*
 * Use this level from now on; a loop that has begun ends at its own. Returns GLACIER_OK,
 * or GLACIER_ERR_UNSUPPORTED when the machine lacks the level: then nothing changes.
 */
enum glacier_status glc_cpu_force(enum glc_cpu_level level);

/* Use the highest level again. */
void glc_cpu_release(void);

/* "baseline", "x86-64-v3", "x86-64-v4", "neon"; NULL out of range. A static string. */
const char *glc_cpu_level_name(enum glc_cpu_level level);

/* The level of that name; false, with *level unchanged, when there is none. */
bool glc_cpu_level_find(const char *name, enum glc_cpu_level *level);

/* How many CPUs this process may run on (sched_getaffinity), at least 1. */
unsigned glc_cpu_count(void);

#endif
