/* SPDX-License-Identifier: MIT */
/*
 * One thread a process that shows life to the others and looks for theirs. A process that ended
 * is seen at once (pidfd), one that is stopped by its beats that do not come any more.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "collective/group_shared.h"
#include "collective/wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

struct glc_watched {
	uint64_t beat, since_ns;
};

/* -1: this system has no such descriptors. *ended: there is no such process any more. */
static int open_pid(int32_t pid, bool *ended)
{
	int fd = -1;

#ifdef SYS_pidfd_open
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	*ended = fd < 0 && errno == ESRCH;
#else
	(void)pid;
	*ended = false;
#endif
	return fd;
}

static void lost(struct glc_group *group, uint32_t rank, enum glc_reason reason, uint64_t ms)
{
	glc_group_fail(group, &(struct glc_failure){.magic = GLC_FAILURE_MAGIC, .reason = reason, .rank = rank,
						    .other = group->rank, .values = {ms}});
}

static void look(struct glc_group *group, struct glc_watched *watched, const struct pollfd *pids, uint64_t patience_ns)
{
	uint64_t now = glc_now_ns();

	for (uint32_t rank = 0; rank < group->size; rank++) {
		struct glc_member *member = &group->shared->members[rank];
		uint64_t beat = atomic_load_explicit(&member->beat, memory_order_relaxed);

		if (rank == group->rank || atomic_load(&member->gone))
			continue;
		if (pids[rank].fd >= 0 && pids[rank].revents & POLLIN) {
			/* It may have left in order between the two looks. */
			if (!atomic_load(&member->gone))
				lost(group, rank, GLC_REASON_LOST, 0);
			return;
		}
		if (beat != watched[rank].beat)
			watched[rank] = (struct glc_watched){beat, now};
		else if (now - watched[rank].since_ns > patience_ns)
			lost(group, rank, GLC_REASON_SILENT, (now - watched[rank].since_ns) / 1000000);
	}
}

static void *watch(void *argument)
{
	struct glc_group *group = argument;
	uint64_t patience_ns = group->timeout_ns / 10 * 7, period_ns = group->timeout_ns / 16, before = glc_now_ns();
	struct glc_watched *watched = group->watched;
	struct pollfd *pids = group->pids;
	uint32_t waited;
	bool ended;

	if (period_ns > 100000000)
		period_ns = 100000000;
	for (uint32_t rank = 0; rank < group->size; rank++) {
		watched[rank].since_ns = before;
		pids[rank] = (struct pollfd){.fd = -1, .events = POLLIN};
		if (rank == group->rank)
			continue;
		pids[rank].fd = open_pid(group->shared->members[rank].pid, &ended);
		if (ended && !atomic_load(&group->shared->members[rank].gone))
			lost(group, rank, GLC_REASON_LOST, 0);
	}
	while (!(waited = atomic_load(&group->stop))) {
		struct timespec none = {0};
		uint64_t now;

		atomic_fetch_add(&group->shared->members[group->rank].beat, 1);
		ppoll(pids, group->size, &none, NULL);
		now = glc_now_ns();
		/* This process itself was stopped for a while: it cannot judge the others yet. */
		for (uint32_t rank = 0; now - before > patience_ns / 2 && rank < group->size; rank++)
			watched[rank].since_ns = now;
		before = now;
		look(group, watched, pids, patience_ns);
		glc_futex_wait(&group->stop, waited, period_ns);
	}
	for (uint32_t rank = 0; rank < group->size; rank++)
		if (pids[rank].fd >= 0)
			close(pids[rank].fd);
	return NULL;
}

bool glc_group_watch(struct glc_group *group)
{
	sigset_t all, saved;

	if (group->size == 1)
		return true;
	/* Here and not by the watcher, which may begin late: nothing is allocated once the group is there. */
	group->watched = calloc(group->size, sizeof *group->watched);
	group->pids = calloc(group->size, sizeof *group->pids);
	if (!group->watched || !group->pids)
		return false;
	/* Signals are for the caller's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	group->watching = !pthread_create(&group->watcher, NULL, watch, group);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return group->watching;
}

void glc_group_unwatch(struct glc_group *group)
{
	if (group->watching) {
		atomic_store(&group->stop, 1);
		glc_futex_wake(&group->stop);
		pthread_join(group->watcher, NULL);
		group->watching = false;
	}
	free(group->pids);
	free(group->watched);
	group->pids = NULL;
	group->watched = NULL;
}
