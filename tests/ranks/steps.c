/* SPDX-License-Identifier: MIT */
/*
 * gc-allreduce with a way to end or stop a rank at a chosen place: the linker hands calls between the library's parts to
 * this file (--wrap), which counts them. GLACIER_TEST_STEP=RANK:STEP:SIGNAL sends rank RANK the signal at its call number
 * STEP; STEP 0 only names the calls. The library that is installed knows nothing of it.
 */
#include "collective/comm.h"
#include "collective/tcp.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
	long rank, step, signal;
	bool read, here;
} wanted;

static void read_wanted(void)
{
	const char *text = getenv("GLACIER_TEST_STEP"), *rank = getenv("GLACIER_RANK");

	wanted.here = text && rank && sscanf(text, "%ld:%ld:%ld", &wanted.rank, &wanted.step, &wanted.signal) == 3 &&
		      strtol(rank, NULL, 10) == wanted.rank;
}

static void step(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static _Atomic long steps;
	long now;

	pthread_once(&once, read_wanted);
	if (!wanted.here)
		return;
	now = atomic_fetch_add(&steps, 1) + 1;
	if (!wanted.step)
		dprintf(STDERR_FILENO, "step %ld %s\n", now, name);
	else if (now == wanted.step)
		kill(getpid(), (int)wanted.signal);
}

/* STEP(result, function, (parameters), (arguments)): before the call. */
#define STEP(type, name, parameters, arguments)       \
	type __real_##name parameters;                \
	type __wrap_##name parameters;                \
	type __wrap_##name parameters                 \
	{                                             \
		step(#name);                          \
		return __real_##name arguments;       \
	}

/* Joining. */
STEP(enum glacier_status, glc_group_create_shared,
     (int fd, uint32_t rank, uint32_t size, bool shares, uint64_t timeout_ns, struct glc_group **out, struct glacier_diag *diag),
     (fd, rank, size, shares, timeout_ns, out, diag))
STEP(bool, glc_group_watch, (struct glc_group *group), (group))
STEP(enum glacier_status, glc_tcp_join,
     (struct glc_tcp *tcp, const struct glacier_tcp_options *options, struct glacier_diag *diag), (tcp, options, diag))
STEP(struct glc_acceptor *, glc_acceptor_start, (const struct glc_job *job, int listener, const char *congestion),
     (job, listener, congestion))
STEP(bool, glc_hello_mac,
     (const struct glc_job *job, bool acceptor, const struct glc_hello *hello, const struct glc_challenge *challenge,
      unsigned char mac[32]),
     (job, acceptor, hello, challenge, mac))
STEP(bool, glc_hello_proves,
     (const struct glc_job *job, bool acceptor, const struct glc_hello *hello, const struct glc_challenge *challenge,
      const unsigned char mac[32]),
     (job, acceptor, hello, challenge, mac))
STEP(void, glc_socket_tune, (int fd, const char *congestion), (fd, congestion))
STEP(void, glc_acceptor_stop, (struct glc_acceptor *acceptor), (acceptor))
STEP(bool, glc_tcp_control_start, (struct glc_tcp *tcp), (tcp))
/* Frames: the first of a collective has the header. */
STEP(void, glc_port_begin_send,
     (struct glacier_comm *comm, struct glc_port *port, uint32_t place, uint32_t index, const void *body, size_t bytes),
     (comm, port, place, index, body, bytes))
STEP(void, glc_port_begin_recv, (struct glacier_comm *comm, struct glc_port *port, void *body, size_t bytes),
     (comm, port, body, bytes))
STEP(void, glc_port_begin_header, (struct glacier_comm *comm, struct glc_port *port), (comm, port))
/* Meetings, barriers among them, and what is done between. */
STEP(uint64_t, glc_group_arrive, (struct glc_group *group), (group))
STEP(bool, glc_header_differs, (const struct glc_header *a, const struct glc_header *b, struct glc_failure *failure),
     (a, b, failure))
STEP(bool, glc_group_grow, (struct glc_group *group, size_t bytes), (group, bytes))
STEP(void *, glc_group_map, (struct glc_group *group, size_t bytes), (group, bytes))
STEP(void, glc_group_locate, (struct glc_group *group, struct glc_group_arrays *arrays, size_t in_bytes, size_t out_bytes),
     (group, arrays, in_bytes, out_bytes))
STEP(bool, glc_group_copy, (struct glc_group *group, uint32_t rank, void *to, uint64_t from, size_t bytes),
     (group, rank, to, from, bytes))
/* Leaving. */
STEP(void, glc_group_destroy, (struct glc_group *group), (group))
STEP(void, glc_tcp_control_stop, (struct glc_tcp *tcp), (tcp))

/* A frame has gone or come. */
enum glc_progress __real_glc_port_send(struct glacier_comm *comm, struct glc_port *port, uint32_t link);
enum glc_progress __wrap_glc_port_send(struct glacier_comm *comm, struct glc_port *port, uint32_t link);
enum glc_progress __wrap_glc_port_send(struct glacier_comm *comm, struct glc_port *port, uint32_t link)
{
	enum glc_progress progress = __real_glc_port_send(comm, port, link);

	if (progress == GLC_DONE)
		step("sent");
	return progress;
}

enum glc_progress __real_glc_port_recv(struct glacier_comm *comm, struct glc_port *port, uint32_t link, uint32_t from,
				       uint32_t place, uint32_t index);
enum glc_progress __wrap_glc_port_recv(struct glacier_comm *comm, struct glc_port *port, uint32_t link, uint32_t from,
				       uint32_t place, uint32_t index);
enum glc_progress __wrap_glc_port_recv(struct glacier_comm *comm, struct glc_port *port, uint32_t link, uint32_t from,
				       uint32_t place, uint32_t index)
{
	enum glc_progress progress = __real_glc_port_recv(comm, port, link, from, place, index);

	if (progress == GLC_DONE)
		step("received");
	return progress;
}
