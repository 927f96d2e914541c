/* SPDX-License-Identifier: MIT */
/*
 * Where the time of a compilation goes. A caller that wants to know hangs a struct
 * glacier_stats into the options of reading and writing, and is called back with each
 * measurement. Without one the library reads no clock.
 */
#ifndef GLACIER_STATS_H
#define GLACIER_STATS_H

#include <glacier/base.h>
#include <glacier/target.h>

GLACIER_BEGIN

enum glacier_phase {
	GLACIER_PHASE_READ,   /* the file: bytes read. The caller's own; the library reads no files */
	GLACIER_PHASE_PARSE,  /* to statements: bytes of the input and of what it includes */
	GLACIER_PHASE_CHECK,  /* to the checked intermediate form: its bytes */
	GLACIER_PHASE_LOWER,  /* to what the target has: bytes of the intermediate form */
	GLACIER_PHASE_WRITE,  /* to code: its bytes */
	GLACIER_PHASE_COUNT
};

/* One measurement. The pointers live only until the callback returns. */
struct glacier_stat {
	enum glacier_phase phase;
	const struct glacier_target *target;  /* NULL: not for one target */
	const char *kernel;                   /* not terminated; NULL: the module as a whole */
	size_t kernel_name_bytes;
	uint64_t time_ns;                     /* a steady clock; a module's time holds that of its kernels */
	uint64_t bytes;
};

struct glacier_stats {
	void (*record)(void *user, const struct glacier_stat *stat);
	void *user;
};

/* "read" and so on; NULL out of range. A static string. Since: 0.1 */
GLACIER_API const char *glacier_phase_name(enum glacier_phase phase);

GLACIER_END

#endif
