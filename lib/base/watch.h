/* SPDX-License-Identifier: MIT */
/* Measuring for the caller's struct glacier_stats; without one nothing is read or called. */
#ifndef GLC_BASE_WATCH_H
#define GLC_BASE_WATCH_H

#include <glacier/stats.h>

struct glc_watch {
	const struct glacier_stats *stats;
	uint64_t begun_ns;
};

uint64_t glc_watch_now_ns(void);
void glc_watch_record(const struct glc_watch *watch, struct glacier_stat stat);

static inline struct glc_watch glc_watch_start(const struct glacier_stats *stats)
{
	return (struct glc_watch){stats, stats ? glc_watch_now_ns() : 0};
}

/* Records the time since the start. bytes is evaluated only if somebody wants it. */
#define glc_watch_stop(watch, phase_, target_, bytes_)                                     \
	do {                                                                               \
		if ((watch)->stats)                                                        \
			glc_watch_record(watch, (struct glacier_stat){                     \
							.phase = (phase_),                 \
							.target = (target_),               \
							.bytes = (bytes_),                 \
						});                                        \
	} while (0)

#define glc_watch_stop_kernel(watch, phase_, target_, kernel_, bytes_)                     \
	do {                                                                               \
		if ((watch)->stats)                                                        \
			glc_watch_record(watch, (struct glacier_stat){                     \
							.phase = (phase_),                 \
							.target = (target_),               \
							.kernel = (kernel_)->name.at,      \
							.kernel_name_bytes = (kernel_)->name.bytes, \
							.bytes = (bytes_),                 \
						});                                        \
	} while (0)

#endif
