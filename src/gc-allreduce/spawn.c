/* SPDX-License-Identifier: MIT */
/*
 * Ranks of this machine: the program again, with rank, size and secret in the environment. Their
 * messages come through a pipe each and get the rank's number; rank 0 alone prints results.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "launch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LINE_BYTES = 4096, GRACE_NS = 1000000000, ORIGIN_NS = 150000000 };

struct child {
	pid_t pid;
	int messages;          /* -1: closed */
	bool ended, stopped;
	bool silent;           /* stopped for so long that it counts as lost */
	uint64_t changed_ns;
	int code;              /* -1: a signal ended it */
	char line[LINE_BYTES];
	size_t bytes;
};

/* Listening before anybody connects, on a port that the system chose. */
static int open_listener(char *address, size_t bytes)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (void *)&at, sizeof at) || listen(fd, 256) || getsockname(fd, (void *)&at, &length)) {
		cli_error("cannot listen on 127.0.0.1: %s", strerror(errno));
		cli_exit((enum cli_code)EXIT_SYSTEM);
	}
	snprintf(address, bytes, "127.0.0.1:%u", ntohs(at.sin_port));
	return fd;
}

static void make_token(char text[65])
{
	unsigned char bytes[32];

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
		cli_error("cannot make a job token: %s", strerror(errno));
		cli_exit((enum cli_code)EXIT_SYSTEM);
	}
	for (int i = 0; i < 32; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
}

static unsigned processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) ? (unsigned)sysconf(_SC_NPROCESSORS_ONLN) : (unsigned)CPU_COUNT(&set);
}

static void set_number(const char *name, long value)
{
	char text[24];

	snprintf(text, sizeof text, "%ld", value);
	setenv(name, text, 1);
}

static void start(struct child *child, uint32_t rank, int group, int listener, int lifeline, char **argv)
{
	posix_spawn_file_actions_t actions;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC)) {
		cli_error("cannot make a pipe: %s", strerror(errno));
		cli_exit((enum cli_code)EXIT_SYSTEM);
	}
	set_number("GLACIER_RANK", (long)rank);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	/* Duplicated onto itself, a descriptor is inherited. */
	if (group >= 0)
		posix_spawn_file_actions_adddup2(&actions, group, group);
	posix_spawn_file_actions_adddup2(&actions, lifeline, lifeline);
	if (listener >= 0 && rank == 0)
		posix_spawn_file_actions_adddup2(&actions, listener, listener);
	if (rank)
		unsetenv("GLACIER_LISTENER_FD");
	error = posix_spawn(&child->pid, "/proc/self/exe", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (error) {
		cli_error("cannot start rank %u: %s", rank, strerror(error));
		cli_exit((enum cli_code)EXIT_SYSTEM);
	}
	child->messages = ends[0];
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

/* Whole lines, each in one write and behind its rank. */
static void print_lines(struct child *child, uint32_t rank, bool all)
{
	size_t begin = 0;

	for (size_t i = 0; i < child->bytes; i++) {
		if (child->line[i] != '\n')
			continue;
		dprintf(STDERR_FILENO, "[%u] %.*s\n", rank, (int)(i - begin), child->line + begin);
		begin = i + 1;
	}
	if (begin < child->bytes && (all || (!begin && child->bytes == LINE_BYTES))) {
		dprintf(STDERR_FILENO, "[%u] %.*s\n", rank, (int)(child->bytes - begin), child->line + begin);
		begin = child->bytes;
	}
	memmove(child->line, child->line + begin, child->bytes - begin);
	child->bytes -= begin;
}

static void read_messages(struct child *child, uint32_t rank)
{
	for (;;) {
		ssize_t n = read(child->messages, child->line + child->bytes, LINE_BYTES - child->bytes);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			print_lines(child, rank, true);
			close(child->messages);
			child->messages = -1;
			return;
		}
		child->bytes += (size_t)n;
		print_lines(child, rank, false);
	}
}

static bool reap(struct child *children, uint32_t size, uint32_t *left)
{
	bool failed = false;

	for (uint32_t rank = 0; rank < size; rank++) {
		struct child *child = &children[rank];
		int status;

		if (!child->ended && waitpid(child->pid, &status, WNOHANG | WUNTRACED | WCONTINUED) == child->pid) {
			child->stopped = WIFSTOPPED(status);
			child->changed_ns = cli_now_ns();
			child->ended = WIFEXITED(status) || WIFSIGNALED(status);
			child->code = WIFSIGNALED(status) ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 0;
			*left -= child->ended;
			/* Not an error of this program's own, whose code would count. */
			if (child->code < 0)
				dprintf(STDERR_FILENO, "%s: rank %u was ended by signal %d\n", cli.program->name, rank,
					WTERMSIG(status));
		}
		failed |= child->ended && child->code;
	}
	return failed;
}

/* What went wrong first counts: 4 and 5 are what it did to the others. */
static int code_of_all(const struct child *children, uint32_t size)
{
	int worst = 0;

	for (uint32_t rank = 0; rank < size; rank++) {
		int code = children[rank].code;

		if (code > 0 && code != EXIT_LOST && code != EXIT_TIMEOUT)
			return code;
		worst = code > worst ? code : code < 0 && !worst ? children[rank].silent ? EXIT_TIMEOUT : EXIT_LOST : worst;
	}
	return worst;
}

/* Ended by a signal or by trouble of its own: not because of another rank. */
static bool is_origin(const struct child *child)
{
	return child->ended && child->code && child->code != EXIT_LOST && child->code != EXIT_TIMEOUT;
}

/* Ranks that have joined find out themselves, and before; the others are told. */
static bool tell_others(struct child *children, uint32_t size, int lifeline, uint64_t timeout_ns)
{
	uint64_t patience_ns = timeout_ns / 10 * 8;
	uint32_t lost = size;

	for (uint32_t rank = 0; rank < size; rank++) {
		struct child *child = &children[rank];
		uint64_t age_ns = cli_now_ns() - child->changed_ns;

		child->silent = child->stopped && age_ns > patience_ns;
		/* Whose end was another's doing is no news yet: the other closes its connections before its end is seen here. */
		if (is_origin(child) || (lost == size && (child->silent || (child->ended && child->code && age_ns > ORIGIN_NS))))
			lost = rank;
	}
	if (lost < size)
		lifeline_tell(lifeline, size, lost, children[lost].silent);
	return lost < size;
}

static void pass_on(struct child *children, uint32_t size, int lifeline, uint64_t timeout_ns)
{
	struct pollfd *polled = cli_alloc(size * sizeof *polled);
	uint32_t left = size;
	uint64_t ended_ns = 0;
	bool failed = false, told = false;

	while (left) {
		uint32_t before = left;
		uint64_t now;

		for (uint32_t rank = 0; rank < size; rank++)
			polled[rank] = (struct pollfd){.fd = children[rank].messages, .events = POLLIN};
		/* A rank that ends closes its pipe. */
		poll(polled, size, 50);
		for (uint32_t rank = 0; rank < size; rank++)
			if (polled[rank].revents)
				read_messages(&children[rank], rank);
		now = cli_now_ns();
		failed |= reap(children, size, &left);
		if (!told && tell_others(children, size, lifeline, timeout_ns)) {
			failed = told = true;
			ended_ns = now;
		}
		if (left != before)
			ended_ns = now;
		/* The others end by themselves; one that is stopped cannot. */
		for (uint32_t rank = 0; failed && rank < size; rank++)
			if (!children[rank].ended && now - ended_ns > GRACE_NS + (children[rank].stopped ? 0 : timeout_ns))
				kill(children[rank].pid, SIGKILL);
	}
	for (uint32_t rank = 0; rank < size; rank++)
		if (children[rank].messages >= 0)
			read_messages(&children[rank], rank);
	free(polled);
}

int launch_spawn(uint32_t size, enum transport_kind transport, uint64_t timeout_ns, char **argv)
{
	struct child *children = cli_alloc(size * sizeof *children);
	struct glacier_diag diag = cli_diag(NULL);
	char address[64], token[65];
	int group = -1, listener = -1, lifeline[2], code;

	memset(children, 0, size * sizeof *children);
	if (transport == TRANSPORT_SHM && glacier_comm_shared_file(size, &group, &diag) != GLACIER_OK)
		cli_exit((enum cli_code)EXIT_SYSTEM);
	if (pipe2(lifeline, O_CLOEXEC | O_NONBLOCK)) {
		cli_error("cannot make a pipe: %s", strerror(errno));
		cli_exit((enum cli_code)EXIT_SYSTEM);
	}
	set_number("GLACIER_LIFELINE_FD", lifeline[0]);
	set_number("GLACIER_SIZE", (long)size);
	setenv("GLACIER_SPAWNED", "1", 1);
	if (size > processors())
		setenv("GLACIER_CROWDED", "1", 1);
	if (group >= 0)
		set_number("GLACIER_GROUP_FD", group);
	if (transport == TRANSPORT_TCP) {
		listener = open_listener(address, sizeof address);
		setenv("GLACIER_ADDR", address, 1);
		set_number("GLACIER_LISTENER_FD", listener);
		make_token(token);
		setenv("GLACIER_JOB_TOKEN", token, 1);
	}
	fflush(stdout);
	for (uint32_t rank = 0; rank < size; rank++)
		start(&children[rank], rank, group, listener, lifeline[0], argv);
	if (group >= 0)
		close(group);
	if (listener >= 0)
		close(listener);
	/* Both ends stay: with nobody left who reads, news must not end the launcher. */
	pass_on(children, size, lifeline[1], timeout_ns);
	close(lifeline[0]);
	close(lifeline[1]);
	code = code_of_all(children, size);
	free(children);
	return code;
}
