/* SPDX-License-Identifier: MIT */
/*
 * What the launcher knows of a rank and the others cannot see yet: one that ended or was stopped before all had joined.
 * A pipe from the launcher has the news once for each rank; a thread waits for it while the rank joins. From then on
 * ranks watch each other, and this is gone.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "launch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { GRACE_MS = 300 };

struct news {
	uint32_t rank, stopped;
};

static struct {
	int news, stop;
	pthread_t thread;
	bool running;
	_Atomic bool came;
	struct glacier_diag printer;
} lifeline = {.news = -1, .stop = -1};

static void *wait_for_news(void *argument)
{
	struct pollfd polled[2] = {{.fd = lifeline.stop, .events = POLLIN}, {.fd = lifeline.news, .events = POLLIN}};
	struct news news;
	ssize_t n;

	(void)argument;
	/* All wake up at the first of the news, and one of them gets it. */
	do {
		if (poll(polled, 2, -1) < 0)
			n = -1;
		else if (polled[0].revents)
			return NULL;
		else
			n = read(lifeline.news, &news, sizeof news);
	} while (n < 0 && (errno == EAGAIN || errno == EINTR));
	/* Small writes to a pipe are whole. The launcher's end, without news, is somebody else's to tell. */
	if (n != sizeof news)
		return NULL;
	atomic_store(&lifeline.came, true);
	/* Who has a connection to it finds out as well, and tells the others; an end here before that would be one more loss. */
	if (poll(polled, 1, GRACE_MS) > 0)
		return NULL;
	if (news.stopped)
		cli_error("rank %u has shown no life: it was stopped before all ranks had joined", news.rank);
	else
		cli_error("lost rank %u: it ended before all ranks had joined", news.rank);
	fflush(NULL);
	_exit(news.stopped ? EXIT_TIMEOUT : EXIT_LOST);
}

void lifeline_take(int fd)
{
	sigset_t all, saved;

	if (fd < 0)
		return;
	lifeline.news = fd;
	lifeline.stop = eventfd(0, EFD_CLOEXEC);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	lifeline.running = lifeline.stop >= 0 && !pthread_create(&lifeline.thread, NULL, wait_for_news, NULL);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

/* The others act on the same news: what one of them leaves behind by that is no news. */
static void report(void *user, const struct glacier_diagnostic *diagnostic)
{
	struct pollfd news = {.fd = lifeline.news, .events = POLLIN};

	(void)user;
	if (lifeline.running && (diagnostic->status == GLACIER_ERR_PEER || diagnostic->status == GLACIER_ERR_TIMEOUT) &&
	    (atomic_load(&lifeline.came) || poll(&news, 1, 0) > 0))
		pthread_join(lifeline.thread, NULL);
	lifeline.printer.report(lifeline.printer.user, diagnostic);
}

struct glacier_diag lifeline_diag(void)
{
	struct glacier_diag diag = cli_diag(NULL);

	lifeline.printer = diag;
	diag.report = report;
	return diag;
}

void lifeline_release(void)
{
	uint64_t one = 1;

	if (lifeline.running && write(lifeline.stop, &one, sizeof one) == sizeof one)
		pthread_join(lifeline.thread, NULL);
	if (lifeline.stop >= 0)
		close(lifeline.stop);
	if (lifeline.news >= 0)
		close(lifeline.news);
	lifeline.running = false;
	lifeline.news = lifeline.stop = -1;
}

void lifeline_tell(int fd, uint32_t size, uint32_t rank, bool stopped)
{
	const struct news news = {rank, stopped};

	/* Never more than the pipe holds: who has joined does not read it. */
	for (uint32_t i = 0; i < size; i++)
		if (write(fd, &news, sizeof news) != sizeof news)
			return;
}
