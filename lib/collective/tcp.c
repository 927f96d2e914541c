/* SPDX-License-Identifier: MIT */
/* TCP as a transport, and its communicator. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "collective/create.h"
#include "collective/tcp.h"
#include "base/diag.h"
#include "base/hash.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

enum { VERDICT_NS = 400000000, SPINS = 150 };

/*
 * A link broke. Whose fault it was the control connection may know better: a rank that left
 * because of a third one said so there before. Waits a moment for that.
 */
static ptrdiff_t link_broke(struct glc_tcp *tcp)
{
	uint64_t until = glc_now_ns() + VERDICT_NS;
	struct timespec nap = {.tv_nsec = 1000000};

	while (atomic_load(&tcp->failure_state) != 2 && glc_now_ns() < until)
		nanosleep(&nap, NULL);
	return -1;
}

/* One thread adds. */
static void count_bytes(_Atomic uint64_t *bytes, ssize_t n)
{
	atomic_store_explicit(bytes, atomic_load_explicit(bytes, memory_order_relaxed) + (uint64_t)n, memory_order_relaxed);
}

static ptrdiff_t tcp_send(void *self, uint32_t link, const struct iovec *parts, int count)
{
	struct glc_tcp *tcp = self;
	struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
	ssize_t n = sendmsg(tcp->out[link], &message, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n >= 0) {
		tcp->looks = 0;
		count_bytes(&tcp->sent[link], n);
		return n;
	}
	return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? 0 : link_broke(tcp);
}

static ptrdiff_t tcp_recv(void *self, uint32_t link, const struct iovec *parts, int count)
{
	struct glc_tcp *tcp = self;
	struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
	ssize_t n = recvmsg(tcp->in[link], &message, MSG_DONTWAIT);

	if (n > 0) {
		tcp->looks = 0;
		count_bytes(&tcp->received[link], n);
		return n;
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : link_broke(tcp);
}

static void tcp_wait(void *self, uint32_t send_links, uint32_t recv_links, uint64_t nanoseconds)
{
	struct glc_tcp *tcp = self;
	struct pollfd polled[2 * GLC_TCP_LINKS + 1];
	struct timespec time = glc_timespec(nanoseconds);
	nfds_t count = 0;
	uint64_t ignored;

	/* Going to sleep and waking up costs more than some looks, where a processor is free for them. */
	if (tcp->looks < tcp->spins) {
		tcp->looks++;
		return;
	}

	for (uint32_t link = 0; link < GLC_TCP_LINKS; link++) {
		if (send_links >> link & 1)
			polled[count++] = (struct pollfd){.fd = tcp->out[link], .events = POLLOUT};
		if (recv_links >> link & 1)
			polled[count++] = (struct pollfd){.fd = tcp->in[link], .events = POLLIN};
	}
	polled[count++] = (struct pollfd){.fd = tcp->wake, .events = POLLIN};
	atomic_store_explicit(&tcp->wanted, recv_links, memory_order_relaxed);
	ppoll(polled, count, &time, NULL);
	if (polled[count - 1].revents && read(tcp->wake, &ignored, sizeof ignored) < 0)
		return;
}

static void tcp_wake(void *self)
{
	struct glc_tcp *tcp = self;
	uint64_t one = 1;
	ssize_t ignored = write(tcp->wake, &one, sizeof one);

	(void)ignored;
}

static void tcp_destroy(void *self)
{
	struct glc_tcp *tcp = self;

	glc_tcp_control_stop(tcp);
	for (int i = 0; i < GLC_TCP_LINKS; i++) {
		if (tcp->out[i] >= 0)
			close(tcp->out[i]);
		if (tcp->in[i] >= 0)
			close(tcp->in[i]);
	}
	if (tcp->next.fd >= 0)
		close(tcp->next.fd);
	if (tcp->before.fd >= 0)
		close(tcp->before.fd);
	if (tcp->wake >= 0)
		close(tcp->wake);
	if (tcp->kick >= 0)
		close(tcp->kick);
	/* The token does not stay in memory that is given back. */
	explicit_bzero(tcp->token, sizeof tcp->token);
	free(tcp);
}

/* Whether the system has the congestion control, asked on a socket of its own. */
static bool congestion_works(const char *name)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), saved;
	bool works;

	if (fd < 0)
		fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	works = fd >= 0 && !setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name));
	saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return works;
}

static uint64_t job_number(const struct glacier_tcp_options *options)
{
	uint64_t epoch = options->epoch;

	return options->token ? glc_hash64(options->token, &epoch, sizeof epoch) : epoch;
}

static enum glacier_status check_options(const struct glacier_tcp_options *tcp, struct glacier_diag *diag)
{
	if (!tcp->size || tcp->size > GLACIER_COMM_RANKS || tcp->rank >= tcp->size || tcp->channels > GLC_CHANNELS)
		return glc_fail(diag, GLC_AR_ARGUMENT, GLC_NOWHERE, "rank, size or channels are out of range");
	if (tcp->congestion && (strlen(tcp->congestion) >= 16 || !congestion_works(tcp->congestion)))
		return glc_fail(diag, GLC_AR_SYSTEM, GLC_NOWHERE, tcp->congestion, strerror(errno));
	return GLACIER_OK;
}

enum glacier_status glacier_comm_create_tcp(const struct glacier_tcp_options *options,
					    const struct glacier_comm_options *comm_options, struct glacier_comm **out,
					    struct glacier_diag *diag)
{
	static const struct glc_signals signals = {
		.fail = glc_tcp_fail, .failed = glc_tcp_failed, .tell = glc_tcp_tell, .late = glc_tcp_late};
	struct glacier_transport transport;
	struct glacier_comm_options filled;
	enum glc_cpu_level level;
	enum glacier_status status = glc_comm_options(comm_options, &filled, &level, diag);
	struct glc_tcp *tcp;

	if (status == GLACIER_OK)
		status = check_options(options, diag);
	if (status != GLACIER_OK)
		return status;
	tcp = calloc(1, sizeof *tcp);
	if (!tcp)
		return glc_fail(diag, GLC_AR_NO_MEMORY, GLC_NOWHERE);
	tcp->job = (struct glc_job){.rank = options->rank, .size = options->size, .epoch = options->epoch,
				    .channels = options->channels ? options->channels : 1};
	while (1u << tcp->job.links < tcp->job.size)
		tcp->job.links++;
	tcp->timeout_ns = filled.timeout_ns;
	tcp->spins = filled.shares_processors || options->size > glc_cpu_count() ? 0 : SPINS;
	strcpy(tcp->congestion, options->congestion ? options->congestion : "");
	tcp->next.fd = tcp->before.fd = -1;
	for (int i = 0; i < GLC_TCP_LINKS; i++)
		tcp->out[i] = tcp->in[i] = -1;
	tcp->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	tcp->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (tcp->wake < 0 || tcp->kick < 0)
		status = glc_fail(diag, GLC_AR_SYSTEM, GLC_NOWHERE, "eventfd", strerror(errno));
	/* One rank needs no socket. */
	if (status == GLACIER_OK && tcp->job.size > 1) {
		status = glc_tcp_join(tcp, options, diag);
		if (status == GLACIER_OK && !glc_tcp_control_start(tcp))
			status = glc_fail(diag, GLC_AR_NO_MEMORY, GLC_NOWHERE);
	} else if (options->listener >= 0) {
		close(options->listener);
	}
	transport = (struct glacier_transport){
		.name = "tcp", .self = tcp, .rank = options->rank, .size = options->size, .channels = tcp->job.channels,
		.send = tcp_send, .recv = tcp_recv, .wait = tcp_wait, .wake = tcp_wake, .destroy = tcp_destroy,
	};
	if (status == GLACIER_OK)
		status = glc_comm_new(&transport, &signals, NULL, job_number(options), &filled, out, diag);
	if (status != GLACIER_OK)
		tcp_destroy(tcp);
	return status;
}
