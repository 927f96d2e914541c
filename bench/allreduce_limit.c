/* SPDX-License-Identifier: MIT */
/*
 * allreduce_limit memory|tcp RANKS BYTES... - what moving the bytes of an all-reduce alone takes: lines of BYTES and us, the
 * least of some rounds, each as long as its slowest process.
 *
 * memory: each process copies an array of so many bytes past the caches. All together read and write as much as a fold does,
 * which reads each input once and writes each result once.
 * tcp: each process sends 2 (N - 1) / N of the bytes to the next one and receives as many, in pieces of 256 KiB.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined __x86_64__
#include <emmintrin.h>
#endif

enum { PIECE = 1 << 18, ROUNDS = 7, RANKS = 64 };

static struct shared {
	_Atomic uint32_t came;
	_Atomic uint64_t took[RANKS];
} *shared;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void meet(uint32_t ranks, uint32_t *met)
{
	*met += ranks;
	atomic_fetch_add(&shared->came, 1);
	while (atomic_load(&shared->came) < *met)
		sched_yield();
}

static void copy(char *to, const char *from, size_t bytes)
{
#if defined __x86_64__
	for (size_t i = 0; i + 16 <= bytes; i += 16)
		_mm_stream_si128((__m128i *)(to + i), _mm_load_si128((const __m128i *)(from + i)));
	_mm_sfence();
#else
	memcpy(to, from, bytes);
#endif
}

/* Both ways at once, as a ring does. */
static void stream(int out, int in, char *out_piece, char *in_piece, size_t bytes)
{
	size_t sent = 0, received = 0;

	while (sent < bytes || received < bytes) {
		struct pollfd polled[2] = {{.fd = sent < bytes ? out : -1, .events = POLLOUT},
					   {.fd = received < bytes ? in : -1, .events = POLLIN}};
		size_t place = sent % PIECE, most = PIECE - place;
		ssize_t n;

		poll(polled, 2, -1);
		most = most < bytes - sent ? most : bytes - sent;
		n = polled[0].revents ? send(out, out_piece + place, most, MSG_DONTWAIT) : 0;
		sent += n > 0 ? (size_t)n : 0;
		n = polled[1].revents ? recv(in, in_piece, PIECE, MSG_DONTWAIT) : 0;
		received += n > 0 ? (size_t)n : 0;
		if (polled[1].revents && !n)
			exit(1);
	}
}

static void run(int rank, int ranks, const int *outs, const int *ins, size_t bytes, char *memory, uint32_t *met, double *best)
{
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begun, most = 0;

		meet((uint32_t)ranks, met);
		begun = now_ns();
		if (!outs)
			copy(memory + bytes, memory, bytes);
		else
			stream(outs[rank], ins[rank], memory, memory + PIECE, bytes / (size_t)ranks * 2 * ((size_t)ranks - 1));
		atomic_store(&shared->took[rank], now_ns() - begun);
		meet((uint32_t)ranks, met);
		for (int r = 0; r < ranks; r++)
			most = atomic_load(&shared->took[r]) > most ? atomic_load(&shared->took[r]) : most;
		if (!round || (double)most < *best)
			*best = (double)most;
	}
}

int main(int argc, char **argv)
{
	int ranks = argc > 3 ? atoi(argv[2]) : 0, outs[RANKS], ins[RANKS], yes = 1, tcp;

	if (ranks < 1 || ranks > RANKS)
		return 2;
	tcp = !strcmp(argv[1], "tcp");
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int r = 0; tcp && r < ranks; r++) {
		struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
		socklen_t length = sizeof at;
		int listener = socket(AF_INET, SOCK_STREAM, 0);

		outs[r] = socket(AF_INET, SOCK_STREAM, 0);
		if (bind(listener, (void *)&at, sizeof at) || listen(listener, 1) ||
		    getsockname(listener, (void *)&at, &length) || connect(outs[r], (void *)&at, sizeof at))
			return 1;
		ins[(r + 1) % ranks] = accept(listener, NULL, NULL);
		setsockopt(outs[r], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
		close(listener);
	}
	fflush(stdout);
	for (int r = 0; r < ranks; r++) {
		uint32_t met = 0;

		if (fork())
			continue;
		for (int a = 3; a < argc; a++) {
			size_t bytes = strtoull(argv[a], NULL, 10) & ~(size_t)63, all = tcp ? 2 * PIECE : 2 * bytes;
			char *memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			double best = 0;

			madvise(memory, all, MADV_HUGEPAGE);
			memset(memory, 1, all);
			run(r, ranks, tcp ? outs : NULL, ins, bytes, memory, &met, &best);
			if (!r)
				printf("%zu %.2f\n", bytes, best / 1000);
			munmap(memory, all);
		}
		fflush(stdout);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
