/* SPDX-License-Identifier: MIT */
/*
 * From an address to a connection of every kind: where everybody listens, then the links.
 *
 * The join connections form a star around rank 0 and stay until all have all their links: over them goes where everybody
 * listens, that a rank has its links, that all have theirs, and instead of each of these why there will be no group.
 * So a rank that is lost while ranks join is known to all, by its number, as it is later.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "collective/tcp.h"
#include "collective/wait.h"
#include "base/diag.h"
#include "driver/crypto.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { CANDIDATES = 16, STEP_NS = 20000000, REPLY_NS = 2000000000, LEAVE_NS = 300000000 };

/* Where a rank listens, as it goes over the join connection. */
struct place {
	uint16_t family;  /* 4 or 6 */
	uint16_t port;    /* network order, as the rest */
	unsigned char at[16];
};

struct join {
	struct glc_tcp *tcp;
	const struct glacier_tcp_options *options;
	struct glc_acceptor *acceptor;
	struct glc_address candidates[CANDIDATES];
	int candidate_count;
	struct place *places;
	int *star;                    /* rank 0: by rank; others: [0]; -1: none */
	bool *linked;                 /* rank 0: who has its links */
	bool collecting;              /* rank 0: not all have come. Who is lost by now is told to those that still come */
	struct glc_failure failure;   /* why there will be no group */
	uint64_t until;
	struct glacier_diag *diag;
};

/* --- Whole frames, for a while ------------------------------------------------------------ */

static bool wait_for(int fd, short events, uint64_t until)
{
	for (;;) {
		struct pollfd polled = {.fd = fd, .events = events};
		uint64_t now = glc_now_ns();
		int n;

		if (now >= until)
			return false;
		n = poll(&polled, 1, (int)((until - now) / 1000000) + 1);
		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
	}
}

static bool recv_whole(int fd, void *data, size_t bytes, uint64_t until)
{
	unsigned char *at = data;

	while (bytes) {
		ssize_t n = recv(fd, at, bytes, MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN && wait_for(fd, POLLIN, until))
			continue;
		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

static bool send_whole(int fd, const void *data, size_t bytes, uint64_t until)
{
	const unsigned char *at = data;

	while (bytes) {
		ssize_t n = send(fd, at, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN && wait_for(fd, POLLOUT, until))
			continue;
		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

static int connect_to(const struct glc_address *address, const char *congestion, uint64_t until)
{
	int fd = socket(address->at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;
	socklen_t bytes = sizeof error;

	if (fd < 0)
		return -1;
	glc_socket_tune(fd, congestion);
	if (!connect(fd, (const void *)&address->at, address->bytes))
		return fd;
	if (errno == EINPROGRESS && wait_for(fd, POLLOUT, until) &&
	    !getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) && !error)
		return fd;
	close(fd);
	return -1;
}

/* --- One connection, proven ---------------------------------------------------------------- */

enum met { MET, NOT_YET, REFUSED };

/* The connector's side. REFUSED: told, and there is no sense in trying again. */
static enum met greet(struct join *join, int fd, enum glc_purpose purpose, uint32_t index, uint32_t rank,
		      enum glacier_status *status)
{
	const struct glc_job *job = &join->tcp->job;
	struct glc_hello hello = {.magic = GLC_HELLO_MAGIC, .version = GLC_HELLO_VERSION, .purpose = (uint16_t)purpose,
				  .rank = job->rank, .size = job->size, .epoch = job->epoch, .index = index,
				  .proves = job->token != NULL};
	/* Some tries fit into the time that all links have. */
	uint64_t patience_ns = join->tcp->timeout_ns / 4, until = glc_now_ns() + (patience_ns < REPLY_NS ? patience_ns : REPLY_NS);
	struct glc_challenge challenge;
	struct glc_proof proof = {.magic = GLC_PROOF_MAGIC};
	struct glc_welcome welcome;
	struct glc_failure differs = {.magic = GLC_FAILURE_MAGIC};
	struct glc_header ours = {.rank = job->rank, .size = job->size, .job = job->epoch}, theirs;

	if (getrandom(hello.nonce, sizeof hello.nonce, 0) != sizeof hello.nonce ||
	    !send_whole(fd, &hello, sizeof hello, until) || !recv_whole(fd, &challenge, sizeof challenge, until) ||
	    challenge.magic != GLC_CHALLENGE_MAGIC)
		return NOT_YET;
	if (!glc_hello_proves(job, true, &hello, &challenge, challenge.mac)) {
		*status = glc_fail(join->diag, GLC_AR_TOKEN, GLC_NOWHERE, rank);
		/* So that the other side learns of it too. */
		glc_hello_mac(job, false, &hello, &challenge, proof.mac);
		send_whole(fd, &proof, sizeof proof, until);
		return REFUSED;
	}
	theirs = ours;
	theirs.rank = rank;
	theirs.size = challenge.size;
	theirs.job = challenge.epoch;
	if (glc_header_differs(&theirs, &ours, &differs)) {
		*status = glc_failure_report(&differs, join->diag);
		return REFUSED;
	}
	if (challenge.rank != rank || !glc_hello_mac(job, false, &hello, &challenge, proof.mac) ||
	    !send_whole(fd, &proof, sizeof proof, until) || !recv_whole(fd, &welcome, sizeof welcome, until) ||
	    welcome.magic != GLC_WELCOME_MAGIC)
		return NOT_YET;
	return MET;
}

/* --- The star ------------------------------------------------------------------------------- */

static enum glacier_status give_up(struct join *join, enum glc_reason reason, uint32_t rank)
{
	/* What was first counts, and is told once. */
	if (join->failure.reason)
		return glc_failure_status(&join->failure);
	join->failure = (struct glc_failure){.magic = GLC_FAILURE_MAGIC, .reason = reason, .rank = rank,
					     .other = join->tcp->job.rank};
	return glc_failure_report(&join->failure, join->diag);
}

/* A connection of the star ended, or its time did. */
static enum glacier_status broken(struct join *join, uint32_t rank)
{
	return give_up(join, glc_now_ns() < join->until ? GLC_REASON_LOST : GLC_REASON_ABSENT, rank);
}

static const struct glc_failure no_failure = {.magic = GLC_FAILURE_MAGIC};

/* Takes a frame from the star if one is there. */
static enum glacier_status listen_to(struct join *join, uint32_t rank, bool *came)
{
	struct glc_failure frame;
	ssize_t n = recv(join->star[rank], &frame, sizeof frame, MSG_PEEK | MSG_DONTWAIT);

	*came = false;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return GLACIER_OK;
	if (n <= 0)
		return broken(join, rank);
	if (n < (ssize_t)sizeof frame)
		return GLACIER_OK;
	if (recv(join->star[rank], &frame, sizeof frame, MSG_DONTWAIT) != sizeof frame)
		return broken(join, rank);
	*came = true;
	if (!memcmp(&frame, &no_failure, sizeof frame))
		return GLACIER_OK;
	if (!glc_failure_valid(&frame, join->tcp->job.size))
		return give_up(join, GLC_REASON_FRAME, rank);
	if (join->failure.reason)
		return glc_failure_status(&join->failure);
	join->failure = frame;
	return glc_failure_report(&join->failure, join->diag);
}

/* Called by whoever waits: whether the group is still going to be. */
static enum glacier_status look_around(struct join *join, bool *go)
{
	uint32_t end = join->tcp->job.rank ? 1 : join->tcp->job.size;

	for (uint32_t rank = 0; rank < end; rank++) {
		enum glacier_status status;
		bool came;

		if (!join->star || join->star[rank] < 0)
			continue;
		status = listen_to(join, rank, &came);
		if (status != GLACIER_OK && join->collecting) {
			close(join->star[rank]);
			join->star[rank] = -1;
			continue;
		}
		if (status != GLACIER_OK)
			return status;
		if (came && join->tcp->job.rank)
			*go = true;
		else if (came)
			join->linked[rank] = true;
	}
	return GLACIER_OK;
}

static void tell_star(struct join *join, const struct glc_failure *frame)
{
	uint32_t end = join->tcp->job.rank ? 1 : join->tcp->job.size;

	for (uint32_t rank = 0; join->star && rank < end; rank++)
		if (join->star[rank] >= 0)
			send(join->star[rank], frame, sizeof *frame, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* A socket that is closed with unread bytes sends a reset, which may overtake what was told: the other side closes first. */
static void leave_star(struct join *join)
{
	uint32_t end = join->tcp->job.rank ? 1 : join->tcp->job.size;
	uint64_t until = glc_now_ns() + LEAVE_NS;

	for (uint32_t rank = 0; join->star && rank < end; rank++)
		if (join->star[rank] >= 0)
			shutdown(join->star[rank], SHUT_WR);
	for (uint32_t rank = 0; join->star && rank < end; rank++) {
		unsigned char rest[256];

		if (join->star[rank] < 0)
			continue;
		while (join->failure.reason && wait_for(join->star[rank], POLLIN, until) &&
		       recv(join->star[rank], rest, sizeof rest, MSG_DONTWAIT) > 0)
			;
		close(join->star[rank]);
	}
	free(join->star);
	free(join->linked);
}

/* Nobody goes on before all have their links. */
static enum glacier_status await_all(struct join *join)
{
	const struct glc_job *job = &join->tcp->job;
	struct timespec nap = glc_timespec(200000);
	bool go = false;

	if (job->rank)
		tell_star(join, &no_failure);
	while (!go) {
		enum glacier_status status = look_around(join, &go);
		uint32_t late = 0;

		if (status != GLACIER_OK)
			return status;
		if (!job->rank) {
			for (late = 1; late < job->size && join->linked[late]; late++)
				;
			go = late == job->size;
		}
		/* Rank 0 knows who is late, and says so. */
		if (!go && glc_now_ns() >= join->until + (job->rank ? LEAVE_NS * UINT64_C(4) : 0))
			return give_up(join, GLC_REASON_ABSENT, late);
		if (!go)
			nanosleep(&nap, NULL);
	}
	if (!job->rank)
		tell_star(join, &no_failure);
	return GLACIER_OK;
}

/* --- Meeting -------------------------------------------------------------------------------- */

/* Tries all addresses in turn until the time is over. */
static enum glacier_status meet(struct join *join, const struct glc_address *addresses, int count, enum glc_purpose purpose,
				uint32_t index, uint32_t rank, int *out)
{
	uint64_t pause = STEP_NS / 4;

	for (int i = 0;; i = (i + 1) % count) {
		uint64_t now = glc_now_ns();
		bool go;
		enum glacier_status status = look_around(join, &go);
		struct timespec nap;
		int fd;

		if (status != GLACIER_OK)
			return status;
		if (now >= join->until)
			return give_up(join, GLC_REASON_ABSENT, rank);
		fd = connect_to(&addresses[i], join->tcp->congestion, now + REPLY_NS);
		if (fd >= 0) {
			switch (greet(join, fd, purpose, index, rank, &status)) {
			case MET: *out = fd; return GLACIER_OK;
			case REFUSED: close(fd); return status;
			case NOT_YET: close(fd);
			}
		}
		nap = glc_timespec(pause);
		nanosleep(&nap, NULL);
		pause = pause < 8 * STEP_NS ? pause * 2 : pause;
	}
}

/* The acceptor's side: waits until it has come. */
static enum glacier_status await(struct join *join, enum glc_purpose purpose, uint32_t index, uint32_t rank, int *out)
{
	struct timespec nap = glc_timespec(200000);

	while ((*out = glc_acceptor_take(join->acceptor, purpose, index, rank)) < 0) {
		bool go;
		enum glacier_status status = look_around(join, &go);

		if (status != GLACIER_OK)
			return status;
		if (glc_now_ns() >= join->until && glc_acceptor_liar(join->acceptor) == rank && !join->failure.reason)
			return glc_fail(join->diag, GLC_AR_TOKEN, GLC_NOWHERE, rank);
		if (glc_now_ns() >= join->until)
			return give_up(join, GLC_REASON_ABSENT, rank);
		nanosleep(&nap, NULL);
		nap = glc_timespec(nap.tv_nsec < 5000000 ? (uint64_t)nap.tv_nsec * 2 : (uint64_t)nap.tv_nsec);
	}
	return GLACIER_OK;
}

/* --- Where everybody is -------------------------------------------------------------------- */

static struct place to_place(const struct glc_address *address)
{
	const struct sockaddr_in *v4 = (const void *)&address->at;
	const struct sockaddr_in6 *v6 = (const void *)&address->at;
	struct place place = {0};

	if (address->at.ss_family == AF_INET) {
		place.family = 4;
		place.port = v4->sin_port;
		memcpy(place.at, &v4->sin_addr, 4);
	} else {
		place.family = 6;
		place.port = v6->sin6_port;
		memcpy(place.at, &v6->sin6_addr, 16);
	}
	return place;
}

static bool to_address(const struct place *place, struct glc_address *address)
{
	struct sockaddr_in *v4 = (void *)&address->at;
	struct sockaddr_in6 *v6 = (void *)&address->at;

	memset(address, 0, sizeof *address);
	if (place->family == 4) {
		v4->sin_family = AF_INET;
		v4->sin_port = place->port;
		memcpy(&v4->sin_addr, place->at, 4);
		address->bytes = sizeof *v4;
		return true;
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = place->port;
	memcpy(&v6->sin6_addr, place->at, 16);
	address->bytes = sizeof *v6;
	return place->family == 6;
}

/* Rank 0 hears from all, and tells all; also that somebody did not get through, as soon as that is known. */
static enum glacier_status collect(struct join *join)
{
	const struct glc_job *job = &join->tcp->job;
	enum glacier_status status;

	join->collecting = true;
	for (uint32_t rank = 1; rank < job->size; rank++) {
		/* Who comes later than that will find nobody. */
		if (join->failure.reason && join->until > glc_now_ns() + join->tcp->timeout_ns)
			join->until = glc_now_ns() + join->tcp->timeout_ns;
		status = await(join, GLC_JOIN, 0, rank, &join->star[rank]);
		if (status == GLACIER_ERR_AUTHENTICATION)
			return status;
		if (status != GLACIER_OK || recv_whole(join->star[rank], &join->places[rank], sizeof *join->places, join->until))
			continue;
		broken(join, rank);
		close(join->star[rank]);
		join->star[rank] = -1;
	}
	join->collecting = false;
	if (join->failure.reason)
		return glc_failure_status(&join->failure);
	tell_star(join, &no_failure);
	for (uint32_t rank = 1; rank < job->size; rank++)
		if (!send_whole(join->star[rank], join->places, job->size * sizeof *join->places, join->until))
			return broken(join, rank);
	return GLACIER_OK;
}

static enum glacier_status exchange_places(struct join *join, int listener)
{
	const struct glc_job *job = &join->tcp->job;
	struct glc_address own = {.bytes = sizeof own.at};
	struct timespec nap = glc_timespec(200000);
	struct place place;
	enum glacier_status status;
	bool told = false;
	int fd;

	if (getsockname(listener, (void *)&own.at, &own.bytes))
		return glc_fail(join->diag, GLC_AR_SYSTEM, GLC_NOWHERE, "cannot listen", strerror(errno));
	place = to_place(&own);
	join->places[job->rank] = place;
	if (job->rank == 0)
		return collect(join);
	status = meet(join, join->candidates, join->candidate_count, GLC_JOIN, 0, 0, &fd);
	if (status != GLACIER_OK)
		return status;
	join->star[0] = fd;
	if (!send_whole(fd, &place, sizeof place, join->until))
		return broken(join, 0);
	while (!told) {
		/* Either of these ends the wait; what came is looked at in one place. */
		if (!wait_for(fd, POLLIN, join->until))
			return broken(join, 0);
		status = listen_to(join, 0, &told);
		if (status != GLACIER_OK)
			return status;
		if (!told)
			nanosleep(&nap, NULL);
	}
	if (!recv_whole(fd, join->places, job->size * sizeof place, join->until))
		return broken(join, 0);
	/* Rank 0 may listen on any address: it is where it was reached. */
	own.bytes = sizeof own.at;
	if (!getpeername(fd, (void *)&own.at, &own.bytes))
		join->places[0] = to_place(&own);
	return GLACIER_OK;
}

/* --- The links ----------------------------------------------------------------------------- */

static enum glacier_status connect_out(struct join *join, enum glc_purpose purpose, uint32_t index, uint32_t distance, int *fd)
{
	const struct glc_job *job = &join->tcp->job;
	uint32_t rank = (job->rank + distance) % job->size;
	struct glc_address address;

	if (!to_address(&join->places[rank], &address))
		return give_up(join, GLC_REASON_FRAME, rank);
	return meet(join, &address, 1, purpose, index, rank, fd);
}

static enum glacier_status await_in(struct join *join, enum glc_purpose purpose, uint32_t index, uint32_t distance, int *fd)
{
	const struct glc_job *job = &join->tcp->job;

	return await(join, purpose, index, (job->rank + job->size - distance % job->size) % job->size, fd);
}

static enum glacier_status make_links(struct join *join)
{
	struct glc_tcp *tcp = join->tcp;
	enum glacier_status status = GLACIER_OK;

	tcp->next.rank = (tcp->job.rank + 1) % tcp->job.size;
	tcp->before.rank = (tcp->job.rank + tcp->job.size - 1) % tcp->job.size;
	for (uint32_t k = 0; k < tcp->job.links && status == GLACIER_OK; k++)
		status = connect_out(join, GLC_LINK, k, 1u << k, &tcp->out[k]);
	for (uint32_t c = 1; c < tcp->job.channels && status == GLACIER_OK; c++)
		status = connect_out(join, GLC_LINK, GLACIER_LINK_CHANNEL + c, 1, &tcp->out[GLACIER_LINK_CHANNEL + c]);
	if (status == GLACIER_OK)
		status = connect_out(join, GLC_CONTROL, 0, 1, &tcp->next.fd);
	for (uint32_t k = 0; k < tcp->job.links && status == GLACIER_OK; k++)
		status = await_in(join, GLC_LINK, k, 1u << k, &tcp->in[k]);
	for (uint32_t c = 1; c < tcp->job.channels && status == GLACIER_OK; c++)
		status = await_in(join, GLC_LINK, GLACIER_LINK_CHANNEL + c, 1, &tcp->in[GLACIER_LINK_CHANNEL + c]);
	if (status == GLACIER_OK)
		status = await_in(join, GLC_CONTROL, 0, 1, &tcp->before.fd);
	return status;
}

/* Who may be asked to prove what. */
static enum glacier_status secure(struct join *join)
{
	struct glc_tcp *tcp = join->tcp;
	const struct glacier_tcp_options *options = join->options;
	bool loopback = true, crypto = glc_crypto_open();

	for (int i = 0; i < join->candidate_count; i++)
		loopback &= glc_address_is_loopback(&join->candidates[i]);
	if (options->bind) {
		struct in_addr v4;

		loopback &= (inet_pton(AF_INET, options->bind, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127) ||
			    !strcmp(options->bind, "::1") || !strcmp(options->bind, "localhost");
	}
	if (!loopback && !options->token)
		return glc_fail(join->diag, GLC_AR_NO_TOKEN, GLC_NOWHERE, options->bind ? options->bind : options->address);
	if (!loopback && !crypto)
		return glc_fail(join->diag, GLC_AR_NO_CRYPTO, GLC_NOWHERE, options->bind ? options->bind : options->address);
	if (options->token && crypto) {
		memcpy(tcp->token, options->token, sizeof tcp->token);
		tcp->job.token = tcp->token;
	}
	return GLACIER_OK;
}

enum glacier_status glc_tcp_join(struct glc_tcp *tcp, const struct glacier_tcp_options *options, struct glacier_diag *diag)
{
	struct join join = {.tcp = tcp, .options = options, .diag = diag,
			    .until = glc_now_ns() + (options->join_ns ? options->join_ns : UINT64_C(30000000000))};
	enum glacier_status status;
	int listener = -1;

	status = glc_address_resolve(options->address, false, join.candidates, CANDIDATES, &join.candidate_count, diag);
	if (status == GLACIER_OK)
		status = secure(&join);
	if (status == GLACIER_OK)
		status = glc_address_listen(options, join.candidates, join.candidate_count, &listener, diag);
	if (status != GLACIER_OK) {
		if (options->listener >= 0)
			close(options->listener);
		return status;
	}
	fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK);
	join.places = calloc(tcp->job.size, sizeof *join.places);
	join.star = malloc(tcp->job.size * sizeof *join.star);
	join.linked = calloc(tcp->job.size, sizeof *join.linked);
	for (uint32_t rank = 0; join.star && rank < tcp->job.size; rank++)
		join.star[rank] = -1;
	join.acceptor = join.places && join.star && join.linked ? glc_acceptor_start(&tcp->job, listener, tcp->congestion) : NULL;
	if (!join.acceptor) {
		close(listener);
		free(join.places);
		free(join.star);
		free(join.linked);
		return glc_fail(diag, GLC_AR_NO_MEMORY, GLC_NOWHERE);
	}
	status = exchange_places(&join, listener);
	if (status == GLACIER_OK) {
		/* All have come: from here on nobody has a reason to keep the others waiting. */
		if (join.until > glc_now_ns() + tcp->timeout_ns)
			join.until = glc_now_ns() + tcp->timeout_ns;
		status = make_links(&join);
	}
	if (status == GLACIER_OK)
		status = await_all(&join);
	if (status != GLACIER_OK)
		tell_star(&join, join.failure.reason ? &join.failure : &(struct glc_failure){
			.magic = GLC_FAILURE_MAGIC, .reason = GLC_REASON_ABORTED, .rank = tcp->job.rank, .other = tcp->job.rank});
	glc_acceptor_stop(join.acceptor);
	leave_star(&join);
	free(join.places);
	return status;
}
