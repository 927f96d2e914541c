/* SPDX-License-Identifier: MIT */
/* The control thread: signs of life, failures, and orderly leaving, to both neighbours. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "collective/tcp.h"
#include "collective/wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

/* ASK and ANSWER go round the ring, against and along it: how many bytes rank `to` has sent to `from` over the link. */
enum { CONTROL_MAGIC = 0x434c4347, BEAT = 1, FAIL, LEAVE, ASK, ANSWER };

struct question {
	uint32_t from, to, link, reserved;
	uint64_t sent, unused[2];
};

struct control {
	uint32_t magic, kind;
	uint64_t sequence;
	uint32_t waits_for, reserved;
	union {
		struct glc_failure failure;
		struct question question;
	};
};
_Static_assert(sizeof(struct control) == 64, "as long as the buffer that takes it");

static void ring(int fd)
{
	uint64_t one = 1;
	ssize_t ignored = write(fd, &one, sizeof one);

	(void)ignored;
}

void glc_tcp_fail(void *self, const struct glc_failure *failure)
{
	struct glc_tcp *tcp = self;
	uint32_t none = 0;

	if (!atomic_compare_exchange_strong(&tcp->failure_state, &none, 1))
		return;
	tcp->failure = *failure;
	atomic_store(&tcp->failure_state, 2);
	ring(tcp->kick);
	ring(tcp->wake);
}

bool glc_tcp_failed(void *self, struct glc_failure *failure)
{
	struct glc_tcp *tcp = self;

	if (atomic_load_explicit(&tcp->failure_state, memory_order_acquire) != 2)
		return false;
	*failure = tcp->failure;
	return true;
}

void glc_tcp_tell(void *self, uint64_t sequence, uint32_t waits_for)
{
	struct glc_tcp *tcp = self;

	atomic_store_explicit(&tcp->sequence, sequence, memory_order_relaxed);
	atomic_store_explicit(&tcp->waits_for, waits_for, memory_order_relaxed);
}

uint32_t glc_tcp_late(void *self, uint64_t sequence)
{
	struct glc_tcp *tcp = self;
	const struct glc_neighbour *neighbours[] = {&tcp->before, &tcp->next};

	for (int i = 0; i < 2; i++)
		if (atomic_load_explicit(&neighbours[i]->sequence, memory_order_relaxed) < sequence)
			return neighbours[i]->rank;
	/* Both are in it: whom they wait for, they may know. */
	for (int i = 0; i < 2; i++) {
		uint32_t rank = atomic_load_explicit(&neighbours[i]->waits_for, memory_order_relaxed);

		if (rank < tcp->job.size && rank != tcp->job.rank)
			return rank;
	}
	return UINT32_MAX;
}

static void lost(struct glc_tcp *tcp, uint32_t rank, enum glc_reason reason, uint64_t ms)
{
	glc_tcp_fail(tcp, &(struct glc_failure){.magic = GLC_FAILURE_MAGIC, .reason = reason, .rank = rank,
						.other = tcp->job.rank, .values = {ms}});
}

/* Small frames into a connection that is read all the time; if it is full, the peer is not well and will be missed. */
static void send_control(struct glc_tcp *tcp, struct glc_neighbour *to, uint32_t kind)
{
	struct control frame = {
		.magic = CONTROL_MAGIC, .kind = kind,
		.sequence = atomic_load_explicit(&tcp->sequence, memory_order_relaxed),
		.waits_for = atomic_load_explicit(&tcp->waits_for, memory_order_relaxed),
	};

	if (to->fd < 0)
		return;
	if (kind == FAIL)
		frame.failure = tcp->failure;
	send(to->fd, &frame, sizeof frame, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* --- What has been sent and does not come --------------------------------------------------- */

static uint32_t sender_of(const struct glc_tcp *tcp, uint32_t link)
{
	uint32_t distance = link < GLACIER_LINK_CHANNEL ? 1u << link : 1;

	return (tcp->job.rank + tcp->job.size - distance % tcp->job.size) % tcp->job.size;
}

static bool question_valid(const struct glc_tcp *tcp, const struct question *question)
{
	return question->from < tcp->job.size && question->to < tcp->job.size && question->link < GLC_TCP_LINKS &&
	       !question->reserved;
}

static void pass_on(struct glc_tcp *tcp, struct glc_neighbour *to, uint32_t kind, const struct question *question)
{
	struct control frame = {
		.magic = CONTROL_MAGIC, .kind = kind,
		.sequence = atomic_load_explicit(&tcp->sequence, memory_order_relaxed),
		.waits_for = atomic_load_explicit(&tcp->waits_for, memory_order_relaxed), .question = *question,
	};

	if (to->fd >= 0)
		send(to->fd, &frame, sizeof frame, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* More was sent than has come, and nothing of it is there to be read: the connection, or who has it in hand, is silent. */
static void judge(struct glc_tcp *tcp, const struct question *answer)
{
	struct glc_owed *owed = &tcp->owed[answer->link];
	uint64_t received = atomic_load_explicit(&tcp->received[answer->link], memory_order_relaxed), now = glc_now_ns();
	int readable = 0;

	if (tcp->in[answer->link] < 0 || answer->to != sender_of(tcp, answer->link))
		return;
	if (answer->sent <= received || ioctl(tcp->in[answer->link], FIONREAD, &readable) || readable) {
		owed->since_ns = 0;
		return;
	}
	if (!owed->since_ns || owed->received != received)
		*owed = (struct glc_owed){now, received};
	else if (now - owed->since_ns > tcp->timeout_ns / 10 * 7)
		lost(tcp, answer->to, GLC_REASON_SILENT, (now - owed->since_ns) / 1000000);
}

static void handle_question(struct glc_tcp *tcp, uint32_t kind, const struct question *came)
{
	struct question question = *came;

	if (kind == ASK && question.to == tcp->job.rank) {
		question.sent = atomic_load_explicit(&tcp->sent[question.link], memory_order_relaxed);
		pass_on(tcp, &tcp->next, ANSWER, &question);
	} else if (kind == ASK && question.from != tcp->job.rank) {
		pass_on(tcp, &tcp->before, ASK, &question);
	} else if (kind == ANSWER && question.from == tcp->job.rank) {
		judge(tcp, &question);
	} else if (kind == ANSWER && question.to != tcp->job.rank) {
		pass_on(tcp, &tcp->next, ANSWER, &question);
	}
}

/* Only a rank that has waited for a while asks: the communicator's thread says so in waits_for. */
static void ask(struct glc_tcp *tcp)
{
	uint32_t wanted = atomic_load_explicit(&tcp->wanted, memory_order_relaxed);

	if (atomic_load_explicit(&tcp->waits_for, memory_order_relaxed) == UINT32_MAX)
		return;
	for (uint32_t link = 0; link < GLC_TCP_LINKS; link++)
		if (wanted >> link & 1)
			pass_on(tcp, &tcp->before, ASK,
				&(struct question){.from = tcp->job.rank, .to = sender_of(tcp, link), .link = link});
}

static void handle(struct glc_tcp *tcp, struct glc_neighbour *from)
{
	struct control frame;

	memcpy(&frame, from->frame, sizeof frame);
	from->got = 0;
	if (frame.magic != CONTROL_MAGIC || frame.kind < BEAT || frame.kind > ANSWER ||
	    (frame.kind == FAIL && !glc_failure_valid(&frame.failure, tcp->job.size)) ||
	    (frame.kind >= ASK && !question_valid(tcp, &frame.question))) {
		lost(tcp, from->rank, GLC_REASON_FRAME, 0);
		return;
	}
	if (frame.kind == FAIL)
		glc_tcp_fail(tcp, &frame.failure);
	if (frame.kind >= ASK)
		handle_question(tcp, frame.kind, &frame.question);
	from->left |= frame.kind == LEAVE;
	atomic_store_explicit(&from->sequence, frame.sequence, memory_order_relaxed);
	atomic_store_explicit(&from->waits_for, frame.waits_for, memory_order_relaxed);
}

static void read_control(struct glc_tcp *tcp, struct glc_neighbour *from)
{
	for (;;) {
		ssize_t n = recv(from->fd, from->frame + from->got, sizeof from->frame - from->got, MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			close(from->fd);
			from->fd = -1;
			if (!from->left)
				lost(tcp, from->rank, GLC_REASON_LOST, 0);
			ring(tcp->wake);
			return;
		}
		from->heard_ns = glc_now_ns();
		from->got += (size_t)n;
		if (from->got == sizeof from->frame)
			handle(tcp, from);
	}
}

static void look(struct glc_tcp *tcp, struct glc_neighbour *at, uint64_t now)
{
	uint64_t patience_ns = tcp->timeout_ns / 10 * 7;

	if (at->fd >= 0 && !at->left && now > at->heard_ns && now - at->heard_ns > patience_ns)
		lost(tcp, at->rank, GLC_REASON_SILENT, (now - at->heard_ns) / 1000000);
}

/*
 * A neighbour that has left has finished the last collective, so all ranks are in it, and nobody near a rank further on
 * watches for its life any more: what it owes comes in time or not at all.
 */
static void look_further(struct glc_tcp *tcp, struct glc_owed *still, uint64_t now)
{
	uint32_t rank = atomic_load_explicit(&tcp->waits_for, memory_order_relaxed);
	uint64_t received = 0;

	for (uint32_t link = 0; link < GLC_TCP_LINKS; link++)
		received += atomic_load_explicit(&tcp->received[link], memory_order_relaxed);
	if (rank >= tcp->job.size || rank == tcp->next.rank || rank == tcp->before.rank || !(tcp->next.left || tcp->before.left))
		still->since_ns = 0;
	else if (!still->since_ns || still->received != received)
		*still = (struct glc_owed){now, received};
	else if (now - still->since_ns > tcp->timeout_ns / 10 * 7)
		lost(tcp, rank, GLC_REASON_SILENT, (now - still->since_ns) / 1000000);
}

static void *control(void *argument)
{
	struct glc_tcp *tcp = argument;
	uint64_t period_ns = tcp->timeout_ns / 16 < 100000000 ? tcp->timeout_ns / 16 : 100000000, beaten = 0, before;
	struct glc_owed still = {0};
	bool told = false;

	before = tcp->next.heard_ns = tcp->before.heard_ns = glc_now_ns();
	while (!atomic_load(&tcp->stop)) {
		struct pollfd polled[3] = {{.fd = tcp->kick, .events = POLLIN},
					   {.fd = tcp->next.fd, .events = POLLIN},
					   {.fd = tcp->before.fd, .events = POLLIN}};
		struct timespec period = glc_timespec(period_ns);
		uint64_t now, ignored;

		ppoll(polled, 3, &period, NULL);
		now = glc_now_ns();
		if (polled[0].revents && read(tcp->kick, &ignored, sizeof ignored) < 0)
			continue;
		/* This process itself was stopped for a while: the others' signs are in the sockets. */
		if (now - before > tcp->timeout_ns / 4)
			tcp->next.heard_ns = tcp->before.heard_ns = now;
		before = now;
		if (polled[1].revents)
			read_control(tcp, &tcp->next);
		if (polled[2].revents)
			read_control(tcp, &tcp->before);
		look(tcp, &tcp->next, now);
		look(tcp, &tcp->before, now);
		look_further(tcp, &still, now);
		if (!told && atomic_load(&tcp->failure_state) == 2) {
			told = true;
			send_control(tcp, &tcp->next, FAIL);
			send_control(tcp, &tcp->before, FAIL);
		}
		if (now - beaten >= period_ns) {
			beaten = now;
			send_control(tcp, &tcp->next, BEAT);
			send_control(tcp, &tcp->before, BEAT);
			ask(tcp);
		}
	}
	if (!told) {
		uint32_t kind = atomic_load(&tcp->failure_state) == 2 ? FAIL : LEAVE;

		send_control(tcp, &tcp->next, kind);
		send_control(tcp, &tcp->before, kind);
	}
	return NULL;
}

bool glc_tcp_control_start(struct glc_tcp *tcp)
{
	sigset_t all, saved;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	tcp->running = !pthread_create(&tcp->thread, NULL, control, tcp);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return tcp->running;
}

/*
 * What is in flight must not be lost by closing: a socket closed with unread bytes sends a reset,
 * which may overtake. So the write side is closed and the rest read, for a moment.
 */
static void close_gently(struct glc_neighbour *at)
{
	unsigned char rest[256];
	uint64_t until = glc_now_ns() + 200000000;

	if (at->fd < 0)
		return;
	shutdown(at->fd, SHUT_WR);
	for (;;) {
		struct pollfd polled = {.fd = at->fd, .events = POLLIN};
		uint64_t now = glc_now_ns();

		if (now >= until || poll(&polled, 1, (int)((until - now) / 1000000) + 1) <= 0 ||
		    recv(at->fd, rest, sizeof rest, MSG_DONTWAIT) <= 0)
			break;
	}
	close(at->fd);
	at->fd = -1;
}

void glc_tcp_control_stop(struct glc_tcp *tcp)
{
	if (!tcp->running)
		return;
	atomic_store(&tcp->stop, 1);
	ring(tcp->kick);
	pthread_join(tcp->thread, NULL);
	tcp->running = false;
	/* Both first: the neighbours may be waiting for each other's end. */
	if (tcp->next.fd >= 0)
		shutdown(tcp->next.fd, SHUT_WR);
	if (tcp->before.fd >= 0)
		shutdown(tcp->before.fd, SHUT_WR);
	if (atomic_load(&tcp->failure_state) == 2) {
		close_gently(&tcp->next);
		close_gently(&tcp->before);
	}
}
