/* SPDX-License-Identifier: MIT */
/* Ranks over TCP that are threads here, so that ThreadSanitizer sees the control threads too: same bits as values computed alone. */
#include "allreduce_values.h"
#include "stress.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define HOLDS(condition) CHECK(condition, "in line %d", __LINE__)

enum { RANKS = 3, COUNT = 5003 };

struct rank {
	uint32_t rank, channels;
	bool deterministic, aborts;
	enum glacier_algorithm algorithm;
	int listener;
	char address[32];
	pthread_barrier_t *finished;   /* no collective is under way any more */
};

static void *run_rank(void *argument)
{
	static const unsigned char token[32] = "a secret of thirty-two bytes...";
	const struct rank *self = argument;
	struct glacier_tcp_options tcp = {.rank = self->rank, .size = RANKS, .address = self->address, .listener = self->listener,
					  .token = token, .channels = self->channels};
	struct glacier_comm_options options = {.algorithm = self->algorithm, .deterministic = self->deterministic, .piece_bytes = 1024};
	static const enum glacier_reduce ops[] = {GLACIER_REDUCE_SUM, GLACIER_REDUCE_AVG, GLACIER_REDUCE_MAXNUM};
	struct glacier_comm *comm;
	uint64_t in[COUNT], out[COUNT];

	HOLDS(glacier_comm_create_tcp(&tcp, &options, &comm, NULL) == GLACIER_OK);
	for (int t = 0; t < TYPES; t++)
		for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
			enum glacier_type type = all_types[t];
			size_t count = COUNT - (size_t)t * 7, bytes = type_bytes(type);

			for (size_t i = 0; i < count; i++) {
				uint64_t bits = make_value(type, (int)self->rank, i, o);

				memcpy((char *)in + i * bytes, &bits, bytes);
			}
			HOLDS(glacier_allreduce(comm, in, out, count, type, ops[o]) == GLACIER_OK);
			for (size_t i = self->rank; i < count; i += RANKS) {
				uint64_t bits[RANKS];
				int first = first_rank(i, count, RANKS, self->deterministic);

				for (int r = 0; r < RANKS; r++)
					bits[r] = make_value(type, (first + r) % RANKS, i, o);
				HOLDS(load(type, out, i) == reduce_values(type, ops[o], bits, RANKS));
			}
			memcpy(in, out, count * bytes);
			HOLDS(glacier_broadcast(comm, in, count, type, 0) == GLACIER_OK);
			HOLDS(!memcmp(in, out, count * bytes));
		}
	/* Who gives up takes those along that are still busy with what it has finished. */
	pthread_barrier_wait(self->finished);
	if (self->aborts)
		glacier_comm_abort(comm);
	/* Without the one that gave up there is no result. */
	HOLDS(glacier_barrier(comm) == GLACIER_ERR_PEER);
	glacier_comm_destroy(comm);
	return NULL;
}

static void run(enum glacier_algorithm algorithm, uint32_t channels, bool deterministic)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t bytes = sizeof at;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pthread_barrier_t finished;
	struct rank ranks[RANKS];
	pthread_t threads[RANKS];

	HOLDS(listener >= 0 && !bind(listener, (void *)&at, sizeof at) && !listen(listener, 16));
	HOLDS(!getsockname(listener, (void *)&at, &bytes));
	pthread_barrier_init(&finished, NULL, RANKS);
	for (uint32_t r = 0; r < RANKS; r++) {
		ranks[r] = (struct rank){.rank = r, .channels = channels, .deterministic = deterministic, .aborts = r == 1,
					 .algorithm = algorithm, .listener = r ? -1 : listener, .finished = &finished};
		snprintf(ranks[r].address, sizeof ranks[r].address, "127.0.0.1:%u", ntohs(at.sin_port));
		HOLDS(!pthread_create(&threads[r], NULL, run_rank, &ranks[r]));
	}
	for (int r = 0; r < RANKS; r++)
		pthread_join(threads[r], NULL);
	pthread_barrier_destroy(&finished);
}

int main(void)
{
	run(GLACIER_ALGORITHM_RING, 1, false);
	run(GLACIER_ALGORITHM_RING, 3, true);
	run(GLACIER_ALGORITHM_DOUBLING, 1, false);
	run(GLACIER_ALGORITHM_AUTO, 2, true);
	return 0;
}
