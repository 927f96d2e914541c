/* SPDX-License-Identifier: MIT */
/*
 * A caller's transport between threads that does to the bytes what it is told: each field of the
 * first header changed alone, data changed, cut, delayed, split into single bytes. Every rank must
 * end with an error that names the same two ranks, or with the right result; and none may hang.
 */
#include "allreduce_values.h"
#include "stress.h"

#include "collective/frame.h"

#include <pthread.h>
#include <time.h>

#define HOLDS(condition) CHECK(condition, "in line %d", __LINE__)

enum { RANKS = 4, LINKS = 2, ROOM = 4096, COUNT = 5000 };

struct queue {
	unsigned char bytes[ROOM];
	size_t written, read;
	bool ended;
};

struct fault {
	uint64_t at;       /* of the stream from rank 1 over link 0 */
	unsigned char flip;
	bool cut, trickle;
};

struct net {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct queue queues[RANKS][LINKS];  /* by sender */
	struct fault fault;
};

struct end {
	struct net *net;
	uint32_t rank;
	bool woken;
};

static ptrdiff_t net_send(void *self, uint32_t link, const struct iovec *parts, int count)
{
	struct end *end = self;
	struct net *net = end->net;
	struct queue *q = &net->queues[end->rank][link];
	const struct fault *fault = end->rank == 1 && link == 0 ? &net->fault : NULL;
	ptrdiff_t done = 0;

	pthread_mutex_lock(&net->lock);
	for (int i = 0; i < count; i++)
		for (size_t k = 0; k < parts[i].iov_len; k++, done++) {
			unsigned char byte = ((const unsigned char *)parts[i].iov_base)[k];

			if (fault && fault->cut && q->written == fault->at)
				q->ended = true;
			if (q->ended || q->written - q->read == ROOM || (fault && fault->trickle && done == 7))
				goto full;
			if (fault && q->written == fault->at)
				byte ^= fault->flip;
			q->bytes[q->written++ % ROOM] = byte;
		}
full:
	if (q->ended && !done)
		done = -1;
	pthread_cond_broadcast(&net->changed);
	pthread_mutex_unlock(&net->lock);
	return done;
}

static ptrdiff_t net_recv(void *self, uint32_t link, const struct iovec *parts, int count)
{
	struct end *end = self;
	struct net *net = end->net;
	struct queue *q = &net->queues[(end->rank + RANKS - (1u << link)) % RANKS][link];
	ptrdiff_t done = 0;

	pthread_mutex_lock(&net->lock);
	for (int i = 0; i < count; i++)
		for (size_t k = 0; k < parts[i].iov_len && q->read < q->written; k++, done++)
			((unsigned char *)parts[i].iov_base)[k] = q->bytes[q->read++ % ROOM];
	if (!done && q->ended)
		done = -1;
	pthread_cond_broadcast(&net->changed);
	pthread_mutex_unlock(&net->lock);
	return done;
}

static bool can_go_on(const struct end *end, uint32_t send_links, uint32_t recv_links)
{
	for (uint32_t link = 0; link < LINKS; link++) {
		const struct queue *out = &end->net->queues[end->rank][link];
		const struct queue *in = &end->net->queues[(end->rank + RANKS - (1u << link)) % RANKS][link];

		if ((send_links >> link & 1 && (out->ended || out->written - out->read < ROOM)) ||
		    (recv_links >> link & 1 && (in->ended || in->read < in->written)))
			return true;
	}
	return false;
}

static void net_wait(void *self, uint32_t send_links, uint32_t recv_links, uint64_t nanoseconds)
{
	struct end *end = self;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)(nanoseconds > 100000000 ? 100000000 : nanoseconds);
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&end->net->lock);
	if (!can_go_on(end, send_links, recv_links) && !end->woken)
		pthread_cond_timedwait(&end->net->changed, &end->net->lock, &until);
	end->woken = false;
	pthread_mutex_unlock(&end->net->lock);
}

static void net_wake(void *self)
{
	struct end *end = self;

	pthread_mutex_lock(&end->net->lock);
	end->woken = true;
	pthread_cond_broadcast(&end->net->changed);
	pthread_mutex_unlock(&end->net->lock);
}

/* A rank that leaves ends its streams. */
static void net_destroy(void *self)
{
	struct end *end = self;

	pthread_mutex_lock(&end->net->lock);
	for (uint32_t link = 0; link < LINKS; link++)
		end->net->queues[end->rank][link].ended = true;
	pthread_cond_broadcast(&end->net->changed);
	pthread_mutex_unlock(&end->net->lock);
}

struct rank {
	struct end end;
	enum glacier_algorithm algorithm;
	size_t count;
	bool aborts;
	enum glacier_status status;
	char text[200];
};

static void keep(void *user, const struct glacier_diagnostic *diagnostic)
{
	snprintf(user, 200, "%s", diagnostic->message);
}

static void *run_rank(void *argument)
{
	struct rank *self = argument;
	struct glacier_transport transport = {
		.name = "test", .self = &self->end, .rank = self->end.rank, .size = RANKS, .channels = 1, .send = net_send,
		.recv = net_recv, .wait = net_wait, .wake = net_wake, .destroy = net_destroy};
	struct glacier_comm_options options = {.algorithm = self->algorithm, .piece_bytes = 512, .timeout_ns = 2000000000};
	struct glacier_diag diag = {.report = keep, .user = self->text};
	struct glacier_comm *comm;
	static const float one = 1;
	float *data = calloc(self->count + 1, sizeof *data);

	HOLDS(data && glacier_comm_create(&transport, &options, &comm, NULL) == GLACIER_OK);
	for (size_t i = 0; i < self->count; i++)
		data[i] = one;
	if (self->aborts)
		glacier_comm_abort(comm);
	self->status = glacier_allreduce(comm, data, data, self->count, GLACIER_F32, GLACIER_REDUCE_SUM);
	for (size_t i = 0; self->status == GLACIER_OK && i < self->count; i++)
		HOLDS(data[i] == RANKS);
	HOLDS(glacier_comm_explain(comm, &diag) == self->status);
	glacier_comm_destroy(comm);
	free(data);
	return NULL;
}

static struct rank ranks[RANKS];
static int odd_rank = -1;

static void run(struct fault fault, enum glacier_algorithm algorithm, size_t count, int aborts)
{
	struct net *net = calloc(1, sizeof *net);
	pthread_t threads[RANKS];

	HOLDS(net);
	pthread_mutex_init(&net->lock, NULL);
	pthread_cond_init(&net->changed, NULL);
	net->fault = fault;
	for (uint32_t r = 0; r < RANKS; r++) {
		ranks[r] = (struct rank){.end = {.net = net, .rank = r}, .algorithm = algorithm, .count = count + ((int)r == odd_rank),
					  .aborts = (int)r == aborts};
		HOLDS(!pthread_create(&threads[r], NULL, run_rank, &ranks[r]));
	}
	for (int r = 0; r < RANKS; r++)
		pthread_join(threads[r], NULL);
	pthread_cond_destroy(&net->changed);
	pthread_mutex_destroy(&net->lock);
	free(net);
}

/* Every field of the header from rank 1 to rank 2, alone; the sender's number names nobody and is not compared. */
static void change_fields(enum glacier_algorithm algorithm)
{
	static const struct {
		const char *name;
		size_t at;
	} fields[] = {
		{"magic", offsetof(struct glc_header, magic)},         {"version", offsetof(struct glc_header, version)},
		{"job", offsetof(struct glc_header, job)},             {"sequence", offsetof(struct glc_header, sequence)},
		{"operation", offsetof(struct glc_header, op)},        {"type", offsetof(struct glc_header, type)},
		{"count", offsetof(struct glc_header, count)},         {"chunk map", offsetof(struct glc_header, map)},
		{"algorithm", offsetof(struct glc_header, algorithm)}, {"size", offsetof(struct glc_header, size)},
		{"call", offsetof(struct glc_header, call)},           {"piece size", offsetof(struct glc_header, piece_bytes)},
		{"channels", offsetof(struct glc_header, channels)},
	};
	static const size_t counts[] = {0, 3, 40};

	for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
		for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
			run((struct fault){.at = fields[f].at, .flip = 1}, algorithm, counts[c], -1);
			/*
			 * One link alone is wrong here. A rank that needs nothing more of rank 2 has its result, which is right,
			 * before it can hear of it: with nothing to move, or where inputs came by another way.
			 */
			CHECK(ranks[2].status == GLACIER_ERR_MISMATCH, "%s", fields[f].name);
			for (int r = 0; r < RANKS; r++) {
				if ((!counts[c] || algorithm == GLACIER_ALGORITHM_DOUBLING) && ranks[r].status == GLACIER_OK)
					continue;
				CHECK(ranks[r].status == GLACIER_ERR_MISMATCH, "%s, count %zu, rank %d: %d %s", fields[f].name, counts[c], r,
				      ranks[r].status, ranks[r].text);
				CHECK(strstr(ranks[r].text, fields[f].name) && strstr(ranks[r].text, "rank 1 and rank 2") &&
				      strstr(ranks[r].text, "rank 1 has ") && strstr(ranks[r].text, "rank 2 has "),
				      "%s, rank %d: %s", fields[f].name, r, ranks[r].text);
			}
		}
}

/* A rank that really asks for something else: nobody gets a result. */
static void disagree(enum glacier_algorithm algorithm)
{
	for (int odd = 0; odd < RANKS; odd++) {
		odd_rank = odd;
		run((struct fault){.at = UINT64_MAX}, algorithm, 40, -1);
		odd_rank = -1;
		for (int r = 0; r < RANKS; r++) {
			char name[32];

			snprintf(name, sizeof name, "rank %d has 41", odd);
			CHECK(ranks[r].status == GLACIER_ERR_MISMATCH && strstr(ranks[r].text, "count") && strstr(ranks[r].text, name),
			      "rank %d asked for another count, rank %d: %s", odd, r, ranks[r].text);
		}
	}
}

static bool any_failed(void)
{
	int failed = 0;

	for (int r = 0; r < RANKS; r++)
		failed += ranks[r].status != GLACIER_OK;
	CHECK(!failed || failed == RANKS, "%d ranks failed, the others did not", failed);
	return failed;
}

int main(void)
{
	run((struct fault){.at = UINT64_MAX}, GLACIER_ALGORITHM_RING, COUNT, -1);
	HOLDS(!any_failed());
	run((struct fault){.at = UINT64_MAX, .trickle = true}, GLACIER_ALGORITHM_RING, COUNT, -1);
	HOLDS(!any_failed());
	run((struct fault){.at = UINT64_MAX, .trickle = true}, GLACIER_ALGORITHM_DOUBLING, COUNT, -1);
	HOLDS(!any_failed());

	change_fields(GLACIER_ALGORITHM_RING);
	change_fields(GLACIER_ALGORITHM_DOUBLING);
	disagree(GLACIER_ALGORITHM_RING);
	disagree(GLACIER_ALGORITHM_DOUBLING);

	/* Any byte changed behind the header, any place cut: an error on every rank. */
	for (size_t at = sizeof(struct glc_header); at < 2400; at += 37) {
		run((struct fault){.at = at, .flip = 0x10}, GLACIER_ALGORITHM_RING, COUNT, -1);
		CHECK(any_failed(), "byte %zu changed, and nobody noticed", at);
		CHECK(ranks[2].status == GLACIER_ERR_CHECKSUM || ranks[2].status == GLACIER_ERR_MALFORMED, "%s", ranks[2].text);
		CHECK(strstr(ranks[2].text, "rank 1"), "%s", ranks[2].text);
	}
	for (size_t at = 0; at < 2400; at += 97) {
		run((struct fault){.at = at, .cut = true}, GLACIER_ALGORITHM_RING, COUNT, -1);
		CHECK(any_failed(), "cut at byte %zu, and nobody noticed", at);
	}
	run((struct fault){.at = UINT64_MAX}, GLACIER_ALGORITHM_RING, COUNT, 3);
	HOLDS(any_failed());
	HOLDS(strstr(ranks[3].text, "rank 3 gave up"));
	return 0;
}
