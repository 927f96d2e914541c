/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  /* sched_getaffinity */
#endif

#include "base/cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

static const char names[GLC_CPU_LEVEL_COUNT][12] = {
	[GLC_CPU_BASELINE] = "baseline",
	[GLC_CPU_X86_64_V3] = "x86-64-v3",
	[GLC_CPU_X86_64_V4] = "x86-64-v4",
	[GLC_CPU_NEON] = "neon",
};

#if defined __x86_64__

#include <cpuid.h>

enum { EAX, EBX, ECX, EDX };

/* Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E. */
static const struct feature {
	uint8_t level;
	uint32_t leaf;  /* subleaf 0 */
	uint8_t reg, bit;
} features[] = {
	{GLC_CPU_X86_64_V3, 1, ECX, 0},            /* SSE3 */
	{GLC_CPU_X86_64_V3, 1, ECX, 9},            /* SSSE3 */
	{GLC_CPU_X86_64_V3, 1, ECX, 12},           /* FMA */
	{GLC_CPU_X86_64_V3, 1, ECX, 13},           /* CMPXCHG16B */
	{GLC_CPU_X86_64_V3, 1, ECX, 19},           /* SSE4.1 */
	{GLC_CPU_X86_64_V3, 1, ECX, 20},           /* SSE4.2 */
	{GLC_CPU_X86_64_V3, 1, ECX, 22},           /* MOVBE */
	{GLC_CPU_X86_64_V3, 1, ECX, 23},           /* POPCNT */
	{GLC_CPU_X86_64_V3, 1, ECX, 27},           /* OSXSAVE */
	{GLC_CPU_X86_64_V3, 1, ECX, 28},           /* AVX */
	{GLC_CPU_X86_64_V3, 1, ECX, 29},           /* F16C */
	{GLC_CPU_X86_64_V3, 7, EBX, 3},            /* BMI1 */
	{GLC_CPU_X86_64_V3, 7, EBX, 5},            /* AVX2 */
	{GLC_CPU_X86_64_V3, 7, EBX, 8},            /* BMI2 */
	{GLC_CPU_X86_64_V3, 0x80000001, ECX, 0},   /* LAHF, SAHF */
	{GLC_CPU_X86_64_V3, 0x80000001, ECX, 5},   /* LZCNT */
	{GLC_CPU_X86_64_V4, 7, EBX, 16},           /* AVX-512F */
	{GLC_CPU_X86_64_V4, 7, EBX, 17},           /* AVX-512DQ */
	{GLC_CPU_X86_64_V4, 7, EBX, 28},           /* AVX-512CD */
	{GLC_CPU_X86_64_V4, 7, EBX, 30},           /* AVX-512BW */
	{GLC_CPU_X86_64_V4, 7, EBX, 31},           /* AVX-512VL */
};

/* The bits of XCR0 by which the operating system says that it saves the registers. */
static const uint32_t saved_state[GLC_CPU_LEVEL_COUNT] = {
	[GLC_CPU_X86_64_V3] = 0x06,  /* XMM, YMM */
	[GLC_CPU_X86_64_V4] = 0xe6,  /* and masks, upper halves, upper registers */
};

static bool has_features(enum glc_cpu_level level)
{
	for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
		const struct feature *f = &features[i];
		unsigned r[4];

		if (f->level != level)
			continue;
		if (!__get_cpuid_count(f->leaf, 0, &r[EAX], &r[EBX], &r[ECX], &r[EDX]) ||
		    !(r[f->reg] >> f->bit & 1))
			return false;
	}
	return true;
}

static bool is_saved(enum glc_cpu_level level)
{
	uint32_t low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));  /* there, since OSXSAVE is */
	return (low & saved_state[level]) == saved_state[level];
}

static enum glc_cpu_level detect(void)
{
	enum glc_cpu_level level = GLC_CPU_BASELINE;

	while (level < GLC_CPU_X86_64_V4 && has_features(level + 1) && is_saved(level + 1))
		level++;
	return level;
}

enum { LOWEST = GLC_CPU_BASELINE };

#elif defined __aarch64__

static enum glc_cpu_level detect(void)
{
	return GLC_CPU_NEON;
}

enum { LOWEST = GLC_CPU_NEON };

#else

static enum glc_cpu_level detect(void)
{
	return GLC_CPU_BASELINE;
}

enum { LOWEST = GLC_CPU_BASELINE };

#endif

/* Level + 1; 0 while not known. Two threads may both find out: they find the same. */
static _Atomic uint8_t detected, forced;

static enum glc_cpu_level highest(void)
{
	unsigned known = atomic_load_explicit(&detected, memory_order_relaxed);

	if (!known) {
		known = detect() + 1;
		atomic_store_explicit(&detected, (uint8_t)known, memory_order_relaxed);
	}
	return (enum glc_cpu_level)(known - 1);
}

enum glc_cpu_level glc_cpu_level(void)
{
	unsigned level = atomic_load_explicit(&forced, memory_order_relaxed);

	return level ? (enum glc_cpu_level)(level - 1) : highest();
}

bool glc_cpu_has(enum glc_cpu_level level)
{
	return (int)level >= LOWEST && level <= highest();
}

enum glacier_status glc_cpu_force(enum glc_cpu_level level)
{
	if (!glc_cpu_has(level))
		return GLACIER_ERR_UNSUPPORTED;
	atomic_store_explicit(&forced, (uint8_t)(level + 1), memory_order_relaxed);
	return GLACIER_OK;
}

void glc_cpu_release(void)
{
	atomic_store_explicit(&forced, 0, memory_order_relaxed);
}

const char *glc_cpu_level_name(enum glc_cpu_level level)
{
	return (unsigned)level < GLC_CPU_LEVEL_COUNT ? names[level] : NULL;
}

bool glc_cpu_level_find(const char *name, enum glc_cpu_level *level)
{
	for (unsigned i = 0; i < GLC_CPU_LEVEL_COUNT; i++) {
		if (!strcmp(name, names[i])) {
			*level = (enum glc_cpu_level)i;
			return true;
		}
	}
	return false;
}

unsigned glc_cpu_count(void)
{
	/* The kernel says EINVAL while the set is smaller than its own. */
	for (int cpus = CPU_SETSIZE; cpus <= 1 << 16; cpus *= 2) {
		size_t bytes = CPU_ALLOC_SIZE(cpus);
		cpu_set_t *set = CPU_ALLOC(cpus);
		int error, count;

		if (!set)
			break;
		error = sched_getaffinity(0, bytes, set) ? errno : 0;
		count = error ? 0 : CPU_COUNT_S(bytes, set);
		CPU_FREE(set);
		if (!error)
			return count > 0 ? (unsigned)count : 1;
		if (error != EINVAL)
			break;
	}
	return 1;
}
