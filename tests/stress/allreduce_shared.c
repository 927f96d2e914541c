/* SPDX-License-Identifier: MIT */
/*
 * Processes over one file: arrays in shared and in private memory, and private ones where the
 * system does not let processes read each other. After the first call nothing is allocated any more.
 */
#include "allreduce_values.h"
#include "stress.h"

#include "collective/comm.h"
#include "collective/group_shared.h"

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOLDS(condition) CHECK(condition, "in line %d", __LINE__)

enum { RANKS = 3, COUNT = 70001 };

static void fill(uint32_t *array, uint32_t rank, size_t begin, size_t n)
{
	for (size_t i = 0; i < n; i++)
		array[i] = (uint32_t)(begin + i) * 7 + rank * 1000003;
}

static void one_round(struct glacier_comm *comm, uint32_t rank, uint32_t *in, uint32_t *out)
{
	size_t begin, elems;

	fill(in, rank, 0, COUNT);
	HOLDS(glacier_allreduce(comm, in, out, COUNT, GLACIER_U32, GLACIER_REDUCE_SUM) == GLACIER_OK);
	for (size_t i = 0; i < COUNT; i++)
		HOLDS(out[i] == (uint32_t)i * 7 * RANKS + 3 * 1000003);
	HOLDS(glacier_allreduce(comm, in, in, COUNT, GLACIER_U32, GLACIER_REDUCE_SUM) == GLACIER_OK);
	HOLDS(!memcmp(in, out, COUNT * sizeof *in));
	fill(in, rank, 0, COUNT);
	glacier_comm_chunk(COUNT, RANKS, rank, &begin, &elems);
	HOLDS(glacier_reduce_scatter(comm, in, in + begin, COUNT, GLACIER_U32, GLACIER_REDUCE_SUM) == GLACIER_OK);
	HOLDS(!memcmp(in + begin, out + begin, elems * sizeof *in));
	HOLDS(glacier_all_gather(comm, in + begin, in, COUNT, GLACIER_U32) == GLACIER_OK);
	HOLDS(!memcmp(in, out, COUNT * sizeof *in));
	fill(in, rank, 0, COUNT);
	HOLDS(glacier_broadcast(comm, in, COUNT, GLACIER_U32, 1) == GLACIER_OK);
	fill(out, 1, 0, COUNT);
	HOLDS(!memcmp(in, out, COUNT * sizeof *in));
}

static int run_rank(int fd, uint32_t rank, bool private_arrays, bool may_copy)
{
	struct glacier_diag diag = {0};
	struct glacier_comm *comm;
	struct mallinfo2 before, after;
	size_t memory;
	void *in, *out;

	HOLDS(glacier_comm_create_shared(fd, rank, RANKS, NULL, &comm, &diag) == GLACIER_OK);
	/* As if this rank had found that it may not. */
	if (!may_copy)
		comm->group->shared->members[rank].can_copy = 0;
	HOLDS(glacier_barrier(comm) == GLACIER_OK);
	if (private_arrays) {
		in = malloc(COUNT * 4);
		out = malloc(COUNT * 4);
		HOLDS(in && out);
	} else {
		HOLDS(glacier_comm_alloc(comm, COUNT * 4, &in) == GLACIER_OK);
		HOLDS(glacier_comm_alloc(comm, COUNT * 4, &out) == GLACIER_OK);
	}
	one_round(comm, rank, in, out);
	before = mallinfo2();
	memory = comm->memory_bytes;
	for (int i = 0; i < 5; i++)
		one_round(comm, rank, in, out);
	after = mallinfo2();
	HOLDS(before.uordblks == after.uordblks && before.hblkhd == after.hblkhd && comm->memory_bytes == memory);
	glacier_comm_destroy(comm);
	if (private_arrays) {
		free(in);
		free(out);
	}
	return 0;
}

static void run(bool private_arrays, bool may_copy)
{
	int fd, status;

	HOLDS(glacier_comm_shared_file(RANKS, &fd, NULL) == GLACIER_OK);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		pid_t pid = fork();

		HOLDS(pid >= 0);
		if (!pid)
			exit(run_rank(fd, rank, private_arrays, may_copy));
	}
	close(fd);
	for (int i = 0; i < RANKS; i++) {
		HOLDS(wait(&status) > 0);
		HOLDS(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

int main(void)
{
	run(false, true);
	run(true, true);
	run(true, false);
	return 0;
}
