/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/cpu.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <sched.h>

/* What the compiler's own run-time library says of the same machine. */
static bool compiler_says(enum glc_cpu_level level)
{
	switch (level) {
#if defined __x86_64__
	case GLC_CPU_BASELINE: return true;
	case GLC_CPU_X86_64_V3:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
	case GLC_CPU_X86_64_V4:
		return compiler_says(GLC_CPU_X86_64_V3) && __builtin_cpu_supports("avx512f") &&
		       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#elif defined __aarch64__
	case GLC_CPU_NEON: return true;
#endif
	default: return false;
	}
}

Test(base_cpu, has_the_levels_that_the_compiler_finds)
{
	enum glc_cpu_level highest = glc_cpu_level();

	for (int level = 0; level < GLC_CPU_LEVEL_COUNT; level++)
		cr_expect(eq(int, glc_cpu_has(level), compiler_says(level)), "%s", glc_cpu_level_name(level));
	cr_expect(glc_cpu_has(highest));
	cr_expect(not(glc_cpu_has(GLC_CPU_LEVEL_COUNT)));
}

Test(base_cpu, forces_what_the_machine_has_and_nothing_else)
{
	enum glc_cpu_level highest = glc_cpu_level(), forced = highest;

	for (int level = 0; level <= GLC_CPU_LEVEL_COUNT; level++) {
		enum glacier_status status = glc_cpu_force(level);

		cr_expect(eq(int, status, glc_cpu_has(level) ? GLACIER_OK : GLACIER_ERR_UNSUPPORTED));
		if (status == GLACIER_OK)
			forced = level;
		cr_expect(eq(int, glc_cpu_level(), forced));
	}
	glc_cpu_release();
	cr_expect(eq(int, glc_cpu_level(), highest));
}

Test(base_cpu, names_every_level)
{
	static const char names[GLC_CPU_LEVEL_COUNT][12] = {"baseline", "x86-64-v3", "x86-64-v4", "neon"};
	enum glc_cpu_level level;

	for (int i = 0; i < GLC_CPU_LEVEL_COUNT; i++) {
		cr_expect(eq(str, (char *)glc_cpu_level_name(i), (char *)names[i]));
		level = GLC_CPU_LEVEL_COUNT;
		cr_expect(glc_cpu_level_find(names[i], &level));
		cr_expect(eq(int, level, i));
	}
	level = GLC_CPU_X86_64_V3;
	cr_expect(not(glc_cpu_level_find("avx2", &level)));
	cr_expect(not(glc_cpu_level_find("", &level)));
	cr_expect(eq(int, level, GLC_CPU_X86_64_V3), "changed although not found");
	cr_expect(glc_cpu_level_name(GLC_CPU_LEVEL_COUNT) == NULL);
}

Test(base_cpu, counts_the_cpus_of_the_process)
{
	cpu_set_t one;

	cr_assert(glc_cpu_count() >= 1);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	cr_assert(eq(int, sched_setaffinity(0, sizeof one, &one), 0));
	cr_assert(eq(uint, glc_cpu_count(), 1));
}
