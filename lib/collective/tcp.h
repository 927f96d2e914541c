/* SPDX-License-Identifier: MIT */
/*
 * Ranks over TCP. Joining: rank 0 listens at the job's address, all others connect, say where they
 * listen, and get everybody's address; then each connects its outgoing links and the control
 * connection to the next rank, while a thread takes the incoming ones. Nothing listens after that.
 *
 * The communicator's thread moves data over non-blocking sockets. The control thread sends and
 * watches signs of life to both neighbours, and passes failures on, so that a failure never waits
 * behind data.
 */
#ifndef GLC_COLLECTIVE_TCP_H
#define GLC_COLLECTIVE_TCP_H

#include "collective/frame.h"
#include "collective/hello.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum { GLC_TCP_LINKS = 32 };

struct glc_address {
	struct sockaddr_storage at;
	socklen_t bytes;
};

/* What the neighbours' signs of life said. */
struct glc_neighbour {
	int fd;
	uint32_t rank;
	bool left;                      /* in order */
	uint64_t heard_ns;
	unsigned char frame[64];
	size_t got;
	_Atomic uint64_t sequence;
	_Atomic uint32_t waits_for;
};

/* Bytes that a rank has sent over a link and that do not come. */
struct glc_owed {
	uint64_t since_ns;              /* 0: nothing is owed */
	uint64_t received;              /* that it had come to by then */
};

struct glc_tcp {
	struct glc_job job;
	unsigned char token[GLC_TOKEN_BYTES];
	uint64_t timeout_ns;
	uint32_t spins, looks;          /* how often to look before sleeping, and looks since something moved */
	char congestion[16];
	int out[GLC_TCP_LINKS], in[GLC_TCP_LINKS];  /* -1: none */
	int wake;                       /* an eventfd that ends a wait */
	_Atomic uint64_t sent[GLC_TCP_LINKS], received[GLC_TCP_LINKS];  /* bytes */
	_Atomic uint32_t wanted;        /* links that the communicator's thread waits to receive from */

	/* The control thread. */
	struct glc_neighbour next, before;
	int kick;
	pthread_t thread;
	bool running;
	_Atomic uint32_t stop;
	_Atomic uint64_t sequence;
	_Atomic uint32_t waits_for;
	_Atomic uint32_t failure_state; /* 0, 1 while it is written, 2 */
	struct glc_failure failure;
	struct glc_owed owed[GLC_TCP_LINKS];
};

/* Everything up to the first collective (tcp_join.c). */
enum glacier_status glc_tcp_join(struct glc_tcp *tcp, const struct glacier_tcp_options *options, struct glacier_diag *diag);
/* tcp_address.c */
bool glc_address_is_loopback(const struct glc_address *address);
enum glacier_status glc_address_resolve(const char *text, bool passive, struct glc_address *out, int most, int *count,
					struct glacier_diag *diag);
enum glacier_status glc_address_listen(const struct glacier_tcp_options *options, const struct glc_address *candidates,
				       int count, int *fd, struct glacier_diag *diag);

/* tcp_control.c */
bool glc_tcp_control_start(struct glc_tcp *tcp);
void glc_tcp_control_stop(struct glc_tcp *tcp);
void glc_tcp_fail(void *self, const struct glc_failure *failure);
bool glc_tcp_failed(void *self, struct glc_failure *failure);
void glc_tcp_tell(void *self, uint64_t sequence, uint32_t waits_for);
uint32_t glc_tcp_late(void *self, uint64_t sequence);

/* tcp_accept.c: a thread that takes connections, authenticated ones only. */
struct glc_acceptor;
struct glc_acceptor *glc_acceptor_start(const struct glc_job *job, int listener, const char *congestion);
/* The descriptor of a connection that has come, once; -1: not yet. */
int glc_acceptor_take(struct glc_acceptor *acceptor, enum glc_purpose purpose, uint32_t index, uint32_t rank);
/* Rank that greeted and failed its proof; UINT32_MAX. */
uint32_t glc_acceptor_liar(struct glc_acceptor *acceptor);
void glc_acceptor_stop(struct glc_acceptor *acceptor);

void glc_socket_tune(int fd, const char *congestion);

#endif
