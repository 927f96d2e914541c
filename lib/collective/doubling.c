/* SPDX-License-Identifier: MIT */
/*
 * For arrays that are small, so that the number of steps is what counts: all inputs are gathered
 * in log2(size) steps of doubling distance (Bruck and others, "Efficient algorithms for all-to-all
 * communications", 1997), and each rank folds them itself, in the order in which the ring does.
 * After round k a rank holds the inputs of the 2^(k + 1) ranks up to it. Larger arrays go in blocks.
 */
#include "collective/comm.h"

#include <string.h>

enum { BLOCK_BYTES = 1 << 16 };

static size_t block_elems(const struct glacier_comm *comm)
{
	size_t left = comm->work.count - comm->work.at;

	return left < comm->work.block_elems ? left : comm->work.block_elems;
}

static void load_own(struct glacier_comm *comm)
{
	size_t elem = comm->work.reducer.elem_bytes, n = block_elems(comm);

	if (n)
		memcpy(comm->memory, comm->work.in + comm->work.at * elem, n * elem);
}

enum glc_progress glc_doubling_begin(struct glacier_comm *comm)
{
	struct glc_work *work = &comm->work;
	size_t elem = work->reducer.elem_bytes;

	work->block_elems = work->count < BLOCK_BYTES / elem ? (work->count + 63) / 64 * 64 : BLOCK_BYTES / elem;
	work->at = 0;
	work->round = 0;
	if (!glc_comm_memory(comm, work->block_elems * comm->size * elem + 64))
		return glc_comm_fail_rank(comm, GLC_REASON_MEMORY, comm->rank);
	memset(comm->ports_out, 0, sizeof comm->ports_out);
	memset(comm->ports_in, 0, sizeof comm->ports_in);
	load_own(comm);
	return GLC_AGAIN;
}

static void fold_block(struct glacier_comm *comm)
{
	size_t elem = comm->work.reducer.elem_bytes, block = block_elems(comm);
	size_t from = comm->work.at, end = from + block;
	uint64_t begun = glc_event_begin(comm);

	/* Input j is that of the rank j before this one. */
	for (uint32_t j = 0; j < comm->size; j++)
		comm->inputs[glc_comm_behind(comm, j)] = comm->memory + j * block * elem;
	for (uint32_t owner = 0; owner < comm->size; owner++) {
		size_t begin, n = glc_work_part(comm, owner, from, end, &begin);

		if (n)
			glc_fold_inputs(comm, glc_work_first(comm, owner), begin - from, n, comm->work.out + begin * elem);
	}
	glc_event_end(comm, begun, GLACIER_EVENT_FOLD, comm->work.round, 0, block * elem);
}

/* One round; both directions have to end. */
static enum glc_progress exchange(struct glacier_comm *comm)
{
	struct glc_work *work = &comm->work;
	struct glc_port *out = &comm->ports_out[work->round], *in = &comm->ports_in[work->round];
	uint32_t distance = 1u << work->round, from = glc_comm_behind(comm, distance);
	size_t inputs = comm->size - distance < distance ? comm->size - distance : distance;
	size_t input_bytes = block_elems(comm) * work->reducer.elem_bytes;
	enum glc_progress sent, received;

	if (work->stage == 0) {
		glc_port_begin_send(comm, out, work->round, 0, comm->memory, inputs * input_bytes);
		glc_port_begin_recv(comm, in, comm->memory + distance * input_bytes, inputs * input_bytes);
		work->stage = 1;
	}
	sent = out->busy ? glc_port_send(comm, out, work->round) : GLC_DONE;
	if (sent == GLC_FAILED)
		return sent;
	received = in->busy ? glc_port_recv(comm, in, work->round, from, work->round, 0) : GLC_DONE;
	if (received == GLC_FAILED)
		return received;
	work->send_links = sent == GLC_AGAIN ? 1u << work->round : 0;
	work->recv_links = received == GLC_AGAIN ? 1u << work->round : 0;
	return sent == GLC_DONE && received == GLC_DONE ? GLC_DONE : GLC_AGAIN;
}

enum glc_progress glc_doubling_go(struct glacier_comm *comm)
{
	struct glc_work *work = &comm->work;

	do {
		for (; 1u << work->round < comm->size; work->round++, work->stage = 0) {
			enum glc_progress progress = exchange(comm);

			if (progress != GLC_DONE)
				return progress;
		}
		if (work->call == GLC_ALLREDUCE)
			fold_block(comm);
		work->at += block_elems(comm);
		work->round = 0;
		if (work->at < work->count)
			load_own(comm);
	} while (work->at < work->count);
	return GLC_DONE;
}
