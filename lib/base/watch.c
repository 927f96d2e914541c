/* SPDX-License-Identifier: MIT */
#include "base/watch.h"

#include <time.h>

uint64_t glc_watch_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void glc_watch_record(const struct glc_watch *watch, struct glacier_stat stat)
{
	stat.time_ns = glc_watch_now_ns() - watch->begun_ns;
	watch->stats->record(watch->stats->user, &stat);
}

const char *glacier_phase_name(enum glacier_phase phase)
{
	static const char names[GLACIER_PHASE_COUNT][8] = {
		[GLACIER_PHASE_READ] = "read",   [GLACIER_PHASE_PARSE] = "parse",
		[GLACIER_PHASE_CHECK] = "check", [GLACIER_PHASE_LOWER] = "lower",
		[GLACIER_PHASE_WRITE] = "write",
	};

	return (unsigned)phase < GLACIER_PHASE_COUNT ? names[phase] : NULL;
}
