/* SPDX-License-Identifier: MIT */
/*
 * Groups of threads: every number of ranks from 1 to 9, counts around it, every type, operation
 * and algorithm, bit by bit against values computed alone. An argument N: larger counts too.
 */
#include "allreduce_values.h"
#include "stress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define HOLDS(condition) CHECK(condition, "in line %d", __LINE__)

enum { MOST_RANKS = 9 };

struct run {
	int n;
	enum glacier_algorithm algorithm;
	bool deterministic;
	const size_t *counts;
	size_t count_count;
	int types;          /* every so many-th type */
	bool one_pair;      /* large counts are slow: each run takes the next pair of type and operation */
	int pair;
	struct glacier_comm *comm[MOST_RANKS];
};

struct rank {
	struct run *run;
	int rank;
};

static void check(const struct run *run, int rank, const void *out, size_t count, enum glacier_type type,
		  enum glacier_reduce op, uint64_t seed, size_t begin, size_t elems)
{
	/* Of a whole result each rank looks at its share, since all results are compared besides. */
	size_t by = elems == count && count > 64 ? (size_t)run->n : 1, from = by > 1 ? (size_t)rank : 0;

	for (size_t i = begin + from; i < begin + elems; i += by) {
		uint64_t bits[MOST_RANKS], want, got = load(type, out, i - begin);
		int first = first_rank(i, count, run->n, run->deterministic);

		for (int r = 0; r < run->n; r++)
			bits[r] = make_value(type, (first + r) % run->n, i, seed);
		if (run->n == 1 && type_is_float(type))
			want = from_double(type, to_double(type, bits[0]));
		else
			want = reduce_values(type, op, bits, run->n);
		if (got == want)
			continue;
		fprintf(stderr, "%d ranks, rank %d, %s %s, %s%s, count %zu, element %zu: %#llx, not %#llx\n", run->n, rank,
			glacier_type_name(type), glacier_reduce_name(op), glacier_algorithm_name(run->algorithm),
			run->deterministic ? " in order" : "", count, i, (unsigned long long)got, (unsigned long long)want);
		exit(1);
	}
}

static void fill(void *array, int rank, size_t count, enum glacier_type type, uint64_t seed, size_t begin)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = make_value(type, rank, begin + i, seed);

		memcpy((char *)array + i * type_bytes(type), &bits, type_bytes(type));
	}
}

static void one(struct run *run, int rank, size_t count, enum glacier_type type, enum glacier_reduce op)
{
	struct glacier_comm *comm = run->comm[rank];
	uint64_t seed = count * 31 + (uint64_t)op;
	size_t bytes = count * type_bytes(type), begin, elems;
	char *in = malloc(bytes + 64), *out = malloc(bytes + 64);
	bool done = false;

	HOLDS(in && out);
	fill(in, rank, count, type, seed, 0);
	memset(out, 0x5a, bytes + 64);
	HOLDS(glacier_allreduce(comm, in, out, count, type, op) == GLACIER_OK);
	check(run, rank, out, count, type, op, seed, 0, count);
	HOLDS(out[bytes] == 0x5a && out[bytes + 63] == 0x5a);
	memcpy(in, out, bytes);
	HOLDS(glacier_broadcast(comm, in, count, type, 0) == GLACIER_OK);
	HOLDS(!memcmp(in, out, bytes));
	fill(in, rank, count, type, seed, 0);

	/* In place, in steps. */
	HOLDS(glacier_allreduce_start(comm, in, in, count, type, op) == GLACIER_OK);
	HOLDS(glacier_allreduce_start(comm, in, in, count, type, op) == GLACIER_ERR_ARGUMENT);
	if (rank % 2)
		HOLDS(glacier_comm_test(comm, &done) == GLACIER_OK);
	if (!done)
		HOLDS(glacier_comm_wait(comm) == GLACIER_OK);
	HOLDS(!memcmp(in, out, bytes));

	/* The chunk alone. Its order is that of the chunks, whatever the option says. */
	fill(in, rank, count, type, seed, 0);
	glacier_comm_chunk(count, (uint32_t)run->n, (uint32_t)rank, &begin, &elems);
	memset(out, 0x5a, bytes + 64);
	HOLDS(glacier_reduce_scatter(comm, in, out, count, type, op) == GLACIER_OK);
	if (!run->deterministic)
		check(run, rank, out, count, type, op, seed, begin, elems);

	fill(in, rank, elems, type, seed, begin);
	HOLDS(glacier_all_gather(comm, in, out, count, type) == GLACIER_OK);
	for (int r = 0; r < run->n; r++) {
		glacier_comm_chunk(count, (uint32_t)run->n, (uint32_t)r, &begin, &elems);
		fill(in, r, elems, type, seed, begin);
		HOLDS(!memcmp(in, out + begin * type_bytes(type), elems * type_bytes(type)));
	}
	fill(in, rank, count, type, seed, 0);
	fill(out, run->n - 1, count, type, seed, 0);
	HOLDS(glacier_broadcast(comm, in, count, type, (uint32_t)run->n - 1) == GLACIER_OK);
	HOLDS(!memcmp(in, out, bytes));
	HOLDS(glacier_barrier(comm) == GLACIER_OK);
	free(in);
	free(out);
}

static void *run_rank(void *argument)
{
	struct rank *self = argument;
	struct run *run = self->run;

	for (size_t c = 0; run->one_pair && c < run->count_count; c++) {
		int pair = run->pair + (int)c;

		one(run, self->rank, run->counts[c], all_types[pair % TYPES],
		    (enum glacier_reduce)(pair / TYPES % GLACIER_REDUCE_COUNT));
	}
	for (size_t c = 0; !run->one_pair && c < run->count_count; c++)
		for (int t = 0; t < TYPES; t += run->types)
			for (int op = 0; op < GLACIER_REDUCE_COUNT; op++)
				one(run, self->rank, run->counts[c], all_types[(t + (int)c) % TYPES], (enum glacier_reduce)op);
	glacier_comm_destroy(run->comm[self->rank]);
	return NULL;
}

static void run_all(struct run *run, size_t piece_bytes)
{
	struct glacier_comm_options options = {
		.algorithm = run->algorithm, .deterministic = run->deterministic, .piece_bytes = piece_bytes};
	struct rank ranks[MOST_RANKS];
	pthread_t threads[MOST_RANKS];

	HOLDS(glacier_comm_create_local((uint32_t)run->n, &options, run->comm, NULL) == GLACIER_OK);
	for (int r = 0; r < run->n; r++) {
		ranks[r] = (struct rank){run, r};
		HOLDS(!pthread_create(&threads[r], NULL, run_rank, &ranks[r]));
	}
	for (int r = 0; r < run->n; r++)
		pthread_join(threads[r], NULL);
}

/* --- Sums that are stored past the caches ------------------------------------------------------ */

struct large {
	struct glacier_comm *comm;
	enum glacier_type type;
	int rank, ranks;
	bool askew;         /* results lie differently in their lines of 64 bytes */
};

static void *sum_large(void *argument)
{
	const struct large *self = argument;
	size_t elem = type_bytes(self->type), count = ((size_t)4 << 20) / elem + 77;
	char *in = malloc(count * elem), *memory = malloc(count * elem + 256);
	char *out = memory + 16 + (self->askew ? (size_t)self->rank * elem : 0);

	HOLDS(in && memory);
	fill(in, self->rank, count, self->type, 5, 0);
	memset(memory, 0x5a, count * elem + 256);
	HOLDS(glacier_allreduce(self->comm, in, out, count, self->type, GLACIER_REDUCE_SUM) == GLACIER_OK);
	for (size_t i = (size_t)self->rank; i < count; i += (size_t)self->ranks) {
		uint64_t bits[MOST_RANKS];

		for (int r = 0; r < self->ranks; r++)
			bits[r] = make_value(self->type, (first_rank(i, count, self->ranks, false) + r) % self->ranks, i, 5);
		CHECK(load(self->type, out, i) == reduce_values(self->type, GLACIER_REDUCE_SUM, bits, self->ranks),
		      "%s, element %zu of a large sum", glacier_type_name(self->type), i);
	}
	HOLDS(out[-1] == 0x5a && out[count * elem] == 0x5a);
	free(in);
	free(memory);
	glacier_comm_destroy(self->comm);
	return NULL;
}

static void run_large(const char *level, enum glacier_type type, int ranks, bool askew)
{
	struct glacier_comm_options options = {.algorithm = GLACIER_ALGORITHM_FOLD, .level = level};
	struct glacier_comm *comms[MOST_RANKS];
	struct large large[MOST_RANKS];
	pthread_t threads[MOST_RANKS];

	/* A level that this machine lacks. */
	if (glacier_comm_create_local((uint32_t)ranks, &options, comms, NULL) != GLACIER_OK)
		return;
	for (int r = 0; r < ranks; r++) {
		large[r] = (struct large){comms[r], type, r, ranks, askew};
		HOLDS(!pthread_create(&threads[r], NULL, sum_large, &large[r]));
	}
	for (int r = 0; r < ranks; r++)
		pthread_join(threads[r], NULL);
}

int main(int argc, char **argv)
{
	static const enum glacier_algorithm algorithms[] = {GLACIER_ALGORITHM_RING, GLACIER_ALGORITHM_DOUBLING,
							    GLACIER_ALGORITHM_FOLD, GLACIER_ALGORITHM_AUTO};
	static const char levels[][12] = {"baseline", "x86-64-v3", "x86-64-v4"};
	static const enum glacier_type summed[] = {GLACIER_F32, GLACIER_U64, GLACIER_F64, GLACIER_I32};
	int most = argc > 1 ? atoi(argv[1]) : 0, pair = 0;

	for (size_t l = 0; l < sizeof levels / sizeof *levels; l++)
		for (size_t t = 0; t < (most ? sizeof summed / sizeof *summed : 2); t++)
			run_large(levels[l], summed[t], 2 + (int)t, (l + t) % 3 == 2);

	for (int n = 1; n <= MOST_RANKS; n++) {
		size_t counts[] = {0, 1, (size_t)n - 1, (size_t)n, (size_t)n + 1, 97, 2053};
		size_t large[] = {(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 104729};

		for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
			for (int deterministic = 0; deterministic < 2; deterministic++) {
				struct run run = {.n = n, .algorithm = algorithms[a], .deterministic = deterministic,
						  .counts = counts, .count_count = sizeof counts / sizeof *counts, .types = most ? 1 : 3};

				/* Small pieces, so that there are many. */
				run_all(&run, 1024);
				if (!most)
					continue;
				run.counts = large;
				run.count_count = sizeof large / sizeof *large;
				run.one_pair = true;
				run.pair = pair;
				pair += (int)run.count_count;
				run_all(&run, 0);
			}
	}
	return 0;
}
