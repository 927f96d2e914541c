/* SPDX-License-Identifier: MIT */
/*
 * Takes connections while ranks join. Who does not prove itself within some seconds is dropped,
 * there are never more than some open that have not, and none of them is waited for.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "collective/tcp.h"
#include "collective/wait.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>

enum { STRANGERS = 64, PATIENCE_NS = 2000000000 };

struct stranger {
	int fd;                    /* -1: a free place */
	uint64_t since_ns;
	bool greeted;
	size_t got;
	struct glc_hello hello;
	struct glc_challenge challenge;
	struct glc_proof proof;
};

struct guest {
	int fd;
	enum glc_purpose purpose;
	uint32_t index, rank;
};

struct glc_acceptor {
	struct glc_job job;
	int listener, stop;
	char congestion[16];
	pthread_t thread;
	pthread_mutex_t lock;
	struct guest *guests;      /* as many as can come */
	uint32_t guest_count, guest_capacity;
	uint32_t liar;
	struct stranger strangers[STRANGERS];
	struct pollfd polled[STRANGERS + 2];
};

void glc_socket_tune(int fd, const char *congestion)
{
	int yes = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
	if (*congestion)
		setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion, (socklen_t)strlen(congestion));
}

static void drop(struct stranger *stranger)
{
	close(stranger->fd);
	stranger->fd = -1;
}

static void take_in(struct glc_acceptor *acceptor, int fd)
{
	struct stranger *place = &acceptor->strangers[0];

	/* A free place, or that of who is here longest. */
	for (int i = 0; i < STRANGERS; i++) {
		struct stranger *other = &acceptor->strangers[i];

		if (other->fd < 0) {
			place = other;
			break;
		}
		if (other->since_ns < place->since_ns)
			place = other;
	}
	if (place->fd >= 0)
		drop(place);
	memset(place, 0, sizeof *place);
	place->fd = fd;
	place->since_ns = glc_now_ns();
}

static bool send_whole(int fd, const void *data, size_t bytes)
{
	/* Into an empty buffer: less than all means that something is wrong with the peer. */
	return send(fd, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)bytes;
}

static bool challenge(struct glc_acceptor *acceptor, struct stranger *s)
{
	s->challenge = (struct glc_challenge){.magic = GLC_CHALLENGE_MAGIC, .rank = acceptor->job.rank,
					      .size = acceptor->job.size, .epoch = acceptor->job.epoch};
	return getrandom(s->challenge.nonce, sizeof s->challenge.nonce, 0) == sizeof s->challenge.nonce &&
	       glc_hello_mac(&acceptor->job, true, &s->hello, &s->challenge, s->challenge.mac) &&
	       send_whole(s->fd, &s->challenge, sizeof s->challenge);
}

/* The proof is right: it is a rank, unless that one is here already. */
static bool welcome(struct glc_acceptor *acceptor, struct stranger *s)
{
	struct glc_welcome frame = {GLC_WELCOME_MAGIC, acceptor->job.rank};
	struct guest guest = {s->fd, (enum glc_purpose)s->hello.purpose, s->hello.index, s->hello.rank};
	bool taken = false;

	pthread_mutex_lock(&acceptor->lock);
	for (uint32_t i = 0; i < acceptor->guest_count; i++) {
		const struct guest *other = &acceptor->guests[i];

		taken |= other->purpose == guest.purpose && other->index == guest.index && other->rank == guest.rank;
	}
	taken |= acceptor->guest_count == acceptor->guest_capacity;
	if (!taken && send_whole(s->fd, &frame, sizeof frame)) {
		acceptor->guests[acceptor->guest_count++] = guest;
		s->fd = -1;
	}
	pthread_mutex_unlock(&acceptor->lock);
	return s->fd < 0;
}

static void note_liar(struct glc_acceptor *acceptor, uint32_t rank)
{
	pthread_mutex_lock(&acceptor->lock);
	acceptor->liar = rank;
	pthread_mutex_unlock(&acceptor->lock);
}

/* false: drop it. */
static bool listen_to(struct glc_acceptor *acceptor, struct stranger *s)
{
	unsigned char *frame = s->greeted ? (unsigned char *)&s->proof : (unsigned char *)&s->hello;
	size_t bytes = s->greeted ? sizeof s->proof : sizeof s->hello;
	ssize_t n = recv(s->fd, frame + s->got, bytes - s->got, MSG_DONTWAIT);

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	s->got += (size_t)n;
	/* Garbage is known by its first bytes. */
	if (!s->greeted && s->got >= sizeof s->hello.magic && s->hello.magic != GLC_HELLO_MAGIC)
		return false;
	if (s->got < bytes)
		return true;
	s->got = 0;
	if (!s->greeted) {
		s->greeted = true;
		/* Another size or epoch is answered: the other side says what differs. */
		return glc_hello_takes(&acceptor->job, &s->hello) && challenge(acceptor, s);
	}
	if (s->proof.magic != GLC_PROOF_MAGIC || s->hello.size != acceptor->job.size ||
	    s->hello.epoch != acceptor->job.epoch ||
	    !glc_hello_proves(&acceptor->job, false, &s->hello, &s->challenge, s->proof.mac)) {
		note_liar(acceptor, s->hello.rank);
		return false;
	}
	return welcome(acceptor, s);
}

static void *accept_all(void *argument)
{
	struct glc_acceptor *acceptor = argument;

	for (;;) {
		uint64_t now;
		int fd;

		acceptor->polled[0] = (struct pollfd){.fd = acceptor->stop, .events = POLLIN};
		acceptor->polled[1] = (struct pollfd){.fd = acceptor->listener, .events = POLLIN};
		for (int i = 0; i < STRANGERS; i++)
			acceptor->polled[i + 2] = (struct pollfd){.fd = acceptor->strangers[i].fd, .events = POLLIN};
		poll(acceptor->polled, STRANGERS + 2, 250);
		if (acceptor->polled[0].revents)
			break;
		now = glc_now_ns();
		for (int i = 0; i < STRANGERS; i++) {
			struct stranger *s = &acceptor->strangers[i];

			if (s->fd >= 0 && ((acceptor->polled[i + 2].revents && !listen_to(acceptor, s)) ||
					   now - s->since_ns > PATIENCE_NS) && s->fd >= 0)
				drop(s);
		}
		for (int i = 0; i < STRANGERS / 2; i++) {
			fd = accept4(acceptor->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
			if (fd < 0)
				break;
			glc_socket_tune(fd, acceptor->congestion);
			take_in(acceptor, fd);
		}
		/* No descriptors left: the listener stays readable, and must not be asked without end. */
		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
			poll(acceptor->polled, 1, 50);
	}
	return NULL;
}

struct glc_acceptor *glc_acceptor_start(const struct glc_job *job, int listener, const char *congestion)
{
	struct glc_acceptor *acceptor = calloc(1, sizeof *acceptor);
	sigset_t all, saved;
	bool started;

	if (!acceptor)
		return NULL;
	acceptor->job = *job;
	acceptor->listener = listener;
	acceptor->liar = UINT32_MAX;
	strcpy(acceptor->congestion, congestion);
	acceptor->guest_capacity = job->size + GLC_TCP_LINKS + 1;
	acceptor->guests = calloc(acceptor->guest_capacity, sizeof *acceptor->guests);
	acceptor->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (int i = 0; i < STRANGERS; i++)
		acceptor->strangers[i].fd = -1;
	pthread_mutex_init(&acceptor->lock, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	started = acceptor->guests && acceptor->stop >= 0 && !pthread_create(&acceptor->thread, NULL, accept_all, acceptor);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	if (started)
		return acceptor;
	if (acceptor->stop >= 0)
		close(acceptor->stop);
	free(acceptor->guests);
	free(acceptor);
	return NULL;
}

int glc_acceptor_take(struct glc_acceptor *acceptor, enum glc_purpose purpose, uint32_t index, uint32_t rank)
{
	int fd = -1;

	pthread_mutex_lock(&acceptor->lock);
	for (uint32_t i = 0; i < acceptor->guest_count; i++) {
		struct guest *guest = &acceptor->guests[i];

		if (guest->purpose != purpose || guest->index != index || guest->rank != rank)
			continue;
		fd = guest->fd;
		guest->fd = -1;
	}
	pthread_mutex_unlock(&acceptor->lock);
	return fd;
}

uint32_t glc_acceptor_liar(struct glc_acceptor *acceptor)
{
	uint32_t liar;

	pthread_mutex_lock(&acceptor->lock);
	liar = acceptor->liar;
	pthread_mutex_unlock(&acceptor->lock);
	return liar;
}

void glc_acceptor_stop(struct glc_acceptor *acceptor)
{
	uint64_t one = 1;
	ssize_t ignored = write(acceptor->stop, &one, sizeof one);

	(void)ignored;
	pthread_join(acceptor->thread, NULL);
	for (int i = 0; i < STRANGERS; i++)
		if (acceptor->strangers[i].fd >= 0)
			drop(&acceptor->strangers[i]);
	for (uint32_t i = 0; i < acceptor->guest_count; i++)
		if (acceptor->guests[i].fd >= 0)
			close(acceptor->guests[i].fd);
	close(acceptor->stop);
	close(acceptor->listener);
	pthread_mutex_destroy(&acceptor->lock);
	free(acceptor->guests);
	free(acceptor);
}
