/* SPDX-License-Identifier: MIT */
/*
 * relay N FAULT PURPOSE INDEX FROM WAY AT PROGRAM ARGUMENT... - starts N ranks whose every connection goes through
 * this process, and does FAULT to one edge. Writes each rank's exit status, and its messages to log.RANK.
 *
 * All ranks but 0 are given the relay's port instead of rank 0's. On a join connection each tells where it listens;
 * there the relay puts a port of its own, so that what rank 0 tells to all is the relay once for each rank.
 *
 * FAULT    none delay throttle split flip truncate halfclose reset silent
 * PURPOSE  join link control any, INDEX the link's, FROM the connecting rank (any INDEX and FROM: -1)
 * WAY      up: from who connects, down: from who accepts
 * AT       flip and what ends the stream do it at this byte of the way; the first such connection alone
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A hello, its proof, and what comes behind it on a join connection: family, port, address (lib/collective/hello.h). */
enum { HELLO_BYTES = 64, PROOF_BYTES = 40, PORT_AT = HELLO_BYTES + PROOF_BYTES + 2 };
enum { RANKS = 16, EDGES = 256, ROOM = 1 << 16, LIMIT_MS = 25000, SLICE_MS = 4, THROTTLED = 4096, DELAY_MS = 15 };

enum fault { NONE, DELAY, THROTTLE, SPLIT, FLIP, TRUNCATE, HALFCLOSE, RESET, SILENT, FAULTS };
static const char fault_names[FAULTS][12] = {"none", "delay", "throttle", "split", "flip", "truncate", "halfclose", "reset", "silent"};
static const char purpose_names[][8] = {"join", "link", "control"};

struct way {
	unsigned char bytes[ROOM];
	size_t begin, end;
	uint64_t taken;           /* from the stream, forever */
	uint64_t due_ms;
	bool ended, closed;       /* the source has; the other side was told */
};

struct edge {
	int fds[2];               /* who connected, who accepted */
	struct way ways[2];       /* by where it comes from */
	unsigned char hello[HELLO_BYTES];
	bool open, known, faulty, mute;
};

static enum fault fault;
static int purpose, link_index, from_rank, fault_way, ranks;
static uint64_t fault_at;
static bool done;             /* it is done to one connection */
static int listeners[RANKS], targets[RANKS];
static struct edge *edges[EDGES];
static pid_t pids[RANKS];
static int codes[RANKS];

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(99);
}

static int open_listener(int *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t bytes = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, (void *)&at, sizeof at) || listen(fd, 64) || getsockname(fd, (void *)&at, &bytes))
		die("listen");
	*port = ntohs(at.sin_port);
	return fd;
}

static void start(int rank, int listener, int port, char **argv)
{
	char text[80];
	int log;

	pids[rank] = fork();
	if (pids[rank] < 0)
		die("fork");
	if (pids[rank])
		return;
	snprintf(text, sizeof text, "log.%d", rank);
	log = open(text, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	snprintf(text, sizeof text, "%d", rank);
	setenv("GLACIER_RANK", text, 1);
	snprintf(text, sizeof text, "%d", ranks);
	setenv("GLACIER_SIZE", text, 1);
	snprintf(text, sizeof text, "127.0.0.1:%d", port);
	setenv("GLACIER_ADDR", text, 1);
	setenv("GLACIER_JOB_TOKEN", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", 1);
	if (rank == 0) {
		snprintf(text, sizeof text, "%d", listener);
		setenv("GLACIER_LISTENER_FD", text, 1);
		fcntl(listener, F_SETFD, 0);
	}
	execvp(argv[0], argv);
	_exit(99);
}

static void take_in(int rank)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = accept4(listeners[rank], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), yes = 1, place = 0;
	struct edge *edge;

	while (place < EDGES && edges[place] && edges[place]->open)
		place++;
	if (fd < 0 || place == EDGES) {
		close(fd);
		return;
	}
	if (!edges[place])
		edges[place] = malloc(sizeof *edge);
	edge = edges[place];
	memset(edge, 0, sizeof *edge);
	edge->fds[0] = fd;
	edge->fds[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	to.sin_port = htons((uint16_t)targets[rank]);
	if (connect(edge->fds[1], (void *)&to, sizeof to)) {
		close(edge->fds[0]);
		close(edge->fds[1]);
		return;
	}
	fcntl(edge->fds[1], F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 2; i++)
		setsockopt(edge->fds[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	edge->open = true;
}

static uint32_t hello_u32(const struct edge *edge, size_t at)
{
	uint32_t value;

	memcpy(&value, edge->hello + at, sizeof value);
	return value;
}

/* What the connection is for is known by its first bytes. */
static void look_at_hello(struct edge *edge)
{
	int is_for = edge->hello[6] | edge->hello[7] << 8, rank = (int)hello_u32(edge, 8), index = (int)hello_u32(edge, 20);

	edge->known = true;
	if (fault == NONE || (done && fault >= FLIP) || (purpose >= 0 && purpose != is_for) ||
	    (link_index >= 0 && link_index != index) || (from_rank >= 0 && from_rank != rank))
		return;
	edge->faulty = done = true;
}

static void own_port(struct edge *edge, unsigned char *byte, bool low)
{
	uint32_t rank = hello_u32(edge, 8);
	int port;

	if (rank >= (uint32_t)ranks)
		return;
	if (listeners[rank] < 0)
		listeners[rank] = open_listener(&port);
	else {
		struct sockaddr_in at;
		socklen_t bytes = sizeof at;

		getsockname(listeners[rank], (void *)&at, &bytes);
		port = ntohs(at.sin_port);
	}
	targets[rank] = low ? (targets[rank] & 0xff00) | *byte : *byte << 8;
	*byte = (unsigned char)(low ? port : port >> 8);
}

static void end(struct edge *edge, bool reset)
{
	struct linger at_once = {1, 0};

	for (int i = 0; i < 2; i++) {
		if (reset)
			setsockopt(edge->fds[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
		close(edge->fds[i]);
	}
	edge->open = false;
}

static void read_way(struct edge *edge, int w)
{
	struct way *way = &edge->ways[w];
	ssize_t n = recv(edge->fds[w], way->bytes + way->end, ROOM - way->end, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		way->ended = true;
		return;
	}
	for (ssize_t i = 0; i < n; i++, way->taken++) {
		unsigned char *byte = &way->bytes[way->end++];

		if (w == 0 && way->taken < HELLO_BYTES)
			edge->hello[way->taken] = *byte;
		if (w == 0 && way->taken == HELLO_BYTES - 1)
			look_at_hello(edge);
		if (w == 0 && hello_u32(edge, 4) >> 16 == 0 && (way->taken == PORT_AT || way->taken == PORT_AT + 1))
			own_port(edge, byte, way->taken == PORT_AT + 1);
		if (!edge->faulty || w != fault_way || way->taken != fault_at)
			continue;
		if (fault == FLIP)
			*byte ^= 0x10;
		if (fault < TRUNCATE)
			continue;
		/* What came so far goes on, this byte and all behind it do not. */
		way->end--;
		way->ended = true;
		if (fault == RESET) {
			end(edge, true);
			return;
		}
		edge->mute = fault == SILENT;
		break;
	}
	if (edge->faulty && fault == DELAY && way->due_ms < now_ms())
		way->due_ms = now_ms() + DELAY_MS;
}

static void write_way(struct edge *edge, int w)
{
	struct way *way = &edge->ways[w];
	size_t most = way->end - way->begin;
	ssize_t n;

	if (edge->faulty && fault == THROTTLE) {
		most = most < THROTTLED ? most : THROTTLED;
		way->due_ms = now_ms() + SLICE_MS;
	} else if (edge->faulty && fault == SPLIT) {
		size_t odd = 1 + way->begin % 13;

		most = most < odd ? most : odd;
	}
	n = send(edge->fds[!w], way->bytes + way->begin, most, MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		way->ended = true, n = (ssize_t)(way->end - way->begin);
	way->begin += n > 0 ? (size_t)n : 0;
	if (way->begin == way->end)
		way->begin = way->end = 0;
}

/* Passes on what one side's end means for the other. */
static void look_at_ends(struct edge *edge)
{
	for (int w = 0; w < 2 && !edge->mute; w++) {
		struct way *way = &edge->ways[w];

		if (!way->ended || way->closed || way->begin != way->end)
			continue;
		way->closed = true;
		if (edge->faulty && fault == TRUNCATE) {
			end(edge, false);
			return;
		}
		shutdown(edge->fds[!w], SHUT_WR);
	}
	if (edge->ways[0].closed && edge->ways[1].closed)
		end(edge, false);
}

static void relay_once(void)
{
	static struct pollfd polled[RANKS + 2 * EDGES];
	uint64_t now = now_ms();
	int wait_ms = 20;
	nfds_t count = 0;

	for (int r = 0; r < ranks; r++)
		polled[count++] = (struct pollfd){.fd = listeners[r], .events = POLLIN};
	for (int e = 0; e < EDGES; e++)
		for (int side = 0; side < 2; side++) {
			struct pollfd *p = &polled[count++];
			const struct edge *edge = edges[e];

			*p = (struct pollfd){.fd = -1};
			if (!edge || !edge->open || edge->mute)
				continue;
			if (!edge->ways[side].ended && edge->ways[side].end < ROOM)
				p->events |= POLLIN;
			if (edge->ways[!side].begin < edge->ways[!side].end) {
				if (edge->ways[!side].due_ms <= now)
					p->events |= POLLOUT;
				else
					wait_ms = 1;
			}
			if (p->events)
				p->fd = edge->fds[side];
		}
	poll(polled, count, wait_ms);
	for (int e = 0; e < EDGES; e++)
		for (int side = 0; side < 2; side++) {
			const struct pollfd *p = &polled[(size_t)ranks + (size_t)e * 2 + (size_t)side];
			struct edge *edge = edges[e];

			if (p->fd < 0 || !edge->open)
				continue;
			if (p->events & POLLOUT && p->revents & (POLLOUT | POLLERR | POLLHUP))
				write_way(edge, !side);
			if (edge->open && p->events & POLLIN && p->revents & (POLLIN | POLLERR | POLLHUP))
				read_way(edge, side);
			if (edge->open)
				look_at_ends(edge);
		}
	for (int r = 0; r < ranks; r++)
		if (polled[r].fd >= 0 && polled[r].revents & POLLIN)
			take_in(r);
}

static int find(const char *name, const char *names, size_t bytes, int count)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(name, names + (size_t)i * bytes))
			return i;
	return -1;
}

int main(int argc, char **argv)
{
	uint64_t until = now_ms() + LIMIT_MS;
	int listener, port, left;

	if (argc < 9)
		return 2;
	ranks = left = atoi(argv[1]);
	fault = (enum fault)find(argv[2], fault_names[0], sizeof *fault_names, FAULTS);
	purpose = find(argv[3], purpose_names[0], sizeof *purpose_names, 3);
	link_index = atoi(argv[4]);
	from_rank = atoi(argv[5]);
	fault_way = !strcmp(argv[6], "down");
	fault_at = strtoull(argv[7], NULL, 10);
	if (ranks < 1 || ranks > RANKS || (int)fault < 0)
		return 2;
	memset(listeners, -1, sizeof listeners);
	listener = open_listener(&targets[0]);
	listeners[0] = open_listener(&port);
	for (int r = 0; r < ranks; r++)
		start(r, listener, r ? port : targets[0], argv + 8);
	close(listener);
	while (left) {
		relay_once();
		for (int r = 0; r < ranks; r++) {
			int status;

			if (pids[r] && now_ms() > until)
				kill(pids[r], SIGKILL);
			if (pids[r] && waitpid(pids[r], &status, WNOHANG) == pids[r]) {
				codes[r] = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
				pids[r] = 0;
				left--;
			}
		}
	}
	for (int r = 0; r < ranks; r++)
		printf("%d%c", codes[r], r == ranks - 1 ? '\n' : ' ');
	return !done && fault != NONE ? 98 : 0;
}
