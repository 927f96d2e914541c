/* SPDX-License-Identifier: MIT */
/* Where a process finds out which rank it is, and how ranks are started here. */
#ifndef GC_ALLREDUCE_LAUNCH_H
#define GC_ALLREDUCE_LAUNCH_H

#include "options.h"

struct launch {
	uint32_t rank, size;
	const char *source;          /* the variable or option that said so */
	enum transport_kind transport;
	char address[300];
	unsigned char token[32];
	bool has_token;
	int group_fd, listener;      /* inherited from the launcher; -1 */
	int lifeline;                /* too: news of ranks that do not come; -1 */
	bool spawned;
	bool crowded;                /* more ranks here than processors */
};

/* From options and environment. What is missing or contradicts itself ends the process. */
void launch_find(struct launch *launch, const struct options *options);

/* Starts size ranks of this program, passes their messages on, and gives the exit code of them all. */
int launch_spawn(uint32_t size, enum transport_kind transport, uint64_t timeout_ns, char **argv);

/* A rank's side of it, around joining (lifeline.c): on news it says so and ends the process, 4 or 5. fd is taken over. */
void lifeline_take(int fd);
/* Prints, unless there are news, which then are the reason. */
struct glacier_diag lifeline_diag(void);
void lifeline_release(void);
/* The launcher's side: once. */
void lifeline_tell(int fd, uint32_t size, uint32_t rank, bool stopped);

#endif
