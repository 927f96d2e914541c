/* SPDX-License-Identifier: MIT */
/*
 * The two-phase ring. Chunk c begins at rank c + 1 and goes around: in size - 1 steps of
 * scatter-reduce each rank adds its own elements, and rank c completes it; in size - 1 steps of
 * all-gather the result goes around. In step t rank r sends chunk r - 1 - t and receives r - 2 - t,
 * which it sends in step t + 1.
 *
 * Steps do not wait for each other: a piece is sent as soon as it has come and what goes ahead of
 * it has gone. Where one rank owns all elements the same sequence is a chain that begins behind it.
 *
 * A partial result lies in the caller's array, where its place is, unless the work type is wider
 * or there is no such place. Then it has a slot: pieces go in blocks of some pieces a chunk, and a
 * slot is taken again when what was in it has been sent, which depends on earlier steps alone.
 */
#include "collective/comm.h"

#include <string.h>

/* Where the chunk of a step lies; sends of step t, receives of step t. */
static uint32_t chunk_sent(const struct glacier_comm *comm, uint32_t step)
{
	return glc_comm_behind(comm, 1 + step);
}

static uint32_t chunk_received(const struct glacier_comm *comm, uint32_t step)
{
	return glc_comm_behind(comm, 2 + step);
}

static size_t pieces_of(const struct glacier_comm *comm, uint32_t chunk, uint32_t channel)
{
	uint32_t channels = comm->transport.channels;
	size_t begin, elems, pieces;

	glc_work_chunk(comm, chunk, &begin, &elems);
	pieces = elems / comm->work.piece_elems + (elems % comm->work.piece_elems != 0);
	return pieces / channels + (pieces % channels > channel);
}

/* Moves to the next piece there is, from `place` on itself. false: there is none. */
static bool settle(const struct glacier_comm *comm, struct glc_ring_place *place, uint32_t channel, bool sends)
{
	const struct glc_work *work = &comm->work;

	for (; place->block < work->blocks; place->block++, place->step = work->first_step)
		for (; place->step < work->end_step; place->step++, place->piece = 0) {
			uint32_t chunk = sends ? chunk_sent(comm, place->step) : chunk_received(comm, place->step);
			size_t pieces = pieces_of(comm, chunk, channel), first = place->block * work->block_pieces;

			if (place->piece < work->block_pieces && first < pieces && place->piece < pieces - first)
				return true;
		}
	return false;
}

static bool is_before(const struct glc_ring_place *a, size_t block, uint32_t step, size_t piece)
{
	if (a->block != block)
		return a->block < block;
	if (a->step != step)
		return a->step < step;
	return a->piece < piece;
}

struct range {
	size_t begin, elems;   /* in the whole array */
	size_t in_chunk;       /* the first one's place in its chunk */
	size_t index;          /* the piece's number in its chunk */
};

static struct range range_of(const struct glacier_comm *comm, const struct glc_ring_place *place, uint32_t chunk,
			     uint32_t channel)
{
	const struct glc_work *work = &comm->work;
	size_t begin, elems, at;
	struct range range;

	glc_work_chunk(comm, chunk, &begin, &elems);
	range.index = (place->block * work->block_pieces + place->piece) * comm->transport.channels + channel;
	at = range.index * work->piece_elems;
	range.in_chunk = at;
	range.begin = begin + at;
	range.elems = elems - at < work->piece_elems ? elems - at : work->piece_elems;
	return range;
}

static bool is_reduce(const struct glacier_comm *comm, uint32_t step)
{
	return step < comm->size - 1;
}

static unsigned char *slot(const struct glacier_comm *comm, struct glc_ring_channel *channel, uint32_t step, size_t piece)
{
	const struct glc_work *work = &comm->work;

	return channel->slots + ((step & 1) * work->block_pieces + piece) * work->piece_elems * work->reducer.work_bytes;
}

enum glc_progress glc_ring_start(struct glacier_comm *comm)
{
	struct glc_work *work = &comm->work;
	size_t most = 0, piece_bytes = comm->header.piece_bytes, bytes, all;
	uint32_t channels = comm->transport.channels;
	unsigned char *memory;

	work->first_step = work->call == GLC_ALLREDUCE || work->call == GLC_REDUCE_SCATTER ? 0 : comm->size - 1;
	work->end_step = work->call == GLC_REDUCE_SCATTER ? comm->size - 1 : 2 * (comm->size - 1);
	work->uses_slots = work->first_step == 0 && (work->reducer.widen || work->call == GLC_REDUCE_SCATTER);
	work->piece_elems = piece_bytes / work->reducer.work_bytes;
	for (uint32_t rank = 0; rank < comm->size; rank++) {
		size_t pieces = pieces_of(comm, rank, 0);

		most = pieces > most ? pieces : most;
	}
	work->block_pieces = work->uses_slots ? GLC_RING_BLOCK : most ? most : 1;
	work->blocks = (most + work->block_pieces - 1) / work->block_pieces;

	bytes = work->piece_elems * work->reducer.work_bytes;
	all = 2 * bytes + (work->uses_slots ? 2 * work->block_pieces * bytes : 0);
	memory = glc_comm_memory(comm, all * channels);
	if (!memory)
		return glc_comm_fail_rank(comm, GLC_REASON_MEMORY, comm->rank);
	if (work->call == GLC_ALL_GATHER) {
		/* It is sent from the place that it has in the result. */
		size_t begin, elems, elem = work->reducer.elem_bytes;

		glc_work_chunk(comm, comm->rank, &begin, &elems);
		if (elems && work->out + begin * elem != work->in)
			memcpy(work->out + begin * elem, work->in, elems * elem);
	}
	for (uint32_t i = 0; i < channels; i++) {
		struct glc_ring_channel *channel = &comm->channels[i];

		channel->sent = channel->received = (struct glc_ring_place){.step = work->first_step};
		channel->out = channel->in = (struct glc_port){0};
		channel->staging = memory + i * all;
		channel->widened = channel->staging + bytes;
		channel->slots = channel->widened + bytes;
		channel->end_sent = channel->end_received = false;
	}
	return GLC_AGAIN;
}

/* Whether the next piece to send is there. */
static bool may_send(const struct glacier_comm *comm, const struct glc_ring_channel *channel)
{
	const struct glc_ring_place *next = &channel->sent;

	return next->step == comm->work.first_step ||
	       !is_before(&channel->received, next->block, next->step - 1, next->piece + 1);
}

/* Whether there is room for what comes next. */
static bool may_receive(const struct glacier_comm *comm, const struct glc_ring_channel *channel)
{
	const struct glc_ring_place *next = &channel->received;

	if (!comm->work.uses_slots || next->step + 2 >= comm->size)
		return true;
	if (next->step >= 2)
		return !is_before(&channel->sent, next->block, next->step - 1, next->piece + 1);
	return next->block == 0 || !is_before(&channel->sent, next->block, 0, 0);
}

static const void *prepare_send(struct glacier_comm *comm, struct glc_ring_channel *channel, const struct range *range)
{
	const struct glc_work *work = &comm->work;
	size_t elem = work->reducer.elem_bytes;
	const unsigned char *own = work->in + range->begin * elem;

	if (!is_reduce(comm, channel->sent.step))
		return work->out + range->begin * elem;
	if (channel->sent.step == 0) {
		if (!work->reducer.widen)
			return own;
		work->reducer.widen(channel->widened, own, range->elems);
		return channel->widened;
	}
	if (work->uses_slots)
		return slot(comm, channel, channel->sent.step - 1, channel->sent.piece);
	return work->out + range->begin * elem;
}

static void take(struct glacier_comm *comm, struct glc_ring_channel *channel, const struct range *range)
{
	const struct glc_work *work = &comm->work;
	const struct glc_reducer *r = &work->reducer;
	uint32_t step = channel->received.step;
	const unsigned char *own = work->in + range->begin * r->elem_bytes;
	unsigned char *place = work->out +
		(work->call == GLC_REDUCE_SCATTER ? range->in_chunk : range->begin) * r->elem_bytes;
	bool last = step == comm->size - 2;
	void *to = !last && work->uses_slots ? slot(comm, channel, step, channel->received.piece) : place;
	uint64_t begun = glc_event_begin(comm);

	if (!is_reduce(comm, step))
		return;
	if (r->widen) {
		/* The send of step 0 may still read `widened`: own elements are widened behind it, in place of staging's. */
		unsigned char own_wide[4096];
		size_t most = sizeof own_wide / r->work_bytes;

		for (size_t at = 0, n; at < range->elems; at += n) {
			unsigned char *came = channel->staging + at * r->work_bytes;

			n = range->elems - at < most ? range->elems - at : most;
			r->widen(own_wide, own + at * r->elem_bytes, n);
			r->fold(last ? came : (unsigned char *)to + at * r->work_bytes, came, own_wide, n);
		}
		if (last)
			glc_finish(comm, place, channel->staging, range->elems);
	} else {
		r->fold(to, channel->staging, own, range->elems);
		if (last)
			glc_finish(comm, to, to, range->elems);
	}
	glc_event_end(comm, begun, GLACIER_EVENT_FOLD, step, chunk_received(comm, step), range->elems * r->elem_bytes);
}

static enum glc_progress send_some(struct glacier_comm *comm, uint32_t index, bool *moved)
{
	struct glc_ring_channel *channel = &comm->channels[index];
	uint32_t link = index ? GLACIER_LINK_CHANNEL + index : 0;
	const struct glc_reducer *r = &comm->work.reducer;

	while (!channel->end_sent) {
		enum glc_progress progress;
		struct range range = {0};
		bool there = settle(comm, &channel->sent, index, true);
		uint32_t step = channel->sent.step;
		uint64_t begun;

		if (there)
			range = range_of(comm, &channel->sent, chunk_sent(comm, step), index);
		if (!channel->out.busy) {
			if (!there && channel->out.opened) {
				channel->end_sent = true;
				break;
			}
			if (!there)
				glc_port_begin_header(comm, &channel->out);
			else if (!may_send(comm, channel))
				return GLC_AGAIN;
			else
				glc_port_begin_send(comm, &channel->out, step, (uint32_t)range.index,
						    prepare_send(comm, channel, &range),
						    range.elems * (is_reduce(comm, step) ? r->work_bytes : r->elem_bytes));
		}
		begun = glc_event_begin(comm);
		progress = glc_port_send(comm, &channel->out, link);
		if (progress == GLC_AGAIN)
			comm->work.send_links |= 1u << link;
		if (progress != GLC_DONE)
			return progress;
		*moved = true;
		if (there) {
			glc_event_end(comm, begun, GLACIER_EVENT_SEND, step, chunk_sent(comm, step), channel->out.body_bytes);
			channel->sent.piece++;
		}
	}
	return GLC_DONE;
}

static enum glc_progress receive_some(struct glacier_comm *comm, uint32_t index, bool *moved)
{
	struct glc_ring_channel *channel = &comm->channels[index];
	uint32_t link = index ? GLACIER_LINK_CHANNEL + index : 0, from = glc_comm_behind(comm, 1);
	const struct glc_reducer *r = &comm->work.reducer;

	while (!channel->end_received) {
		enum glc_progress progress;
		struct range range = {0};
		bool there = settle(comm, &channel->received, index, false);
		uint32_t step = channel->received.step;
		bool reduces = is_reduce(comm, step);
		uint64_t begun;

		if (there)
			range = range_of(comm, &channel->received, chunk_received(comm, step), index);
		if (!channel->in.busy) {
			if (!there && channel->in.opened) {
				channel->end_received = true;
				break;
			}
			if (!there) {
				glc_port_begin_header(comm, &channel->in);
			} else {
				if (!may_receive(comm, channel))
					return GLC_AGAIN;
				glc_port_begin_recv(comm, &channel->in,
						    reduces ? channel->staging
							    : comm->work.out + range.begin * r->elem_bytes,
						    range.elems * (reduces ? r->work_bytes : r->elem_bytes));
			}
		}
		begun = glc_event_begin(comm);
		progress = glc_port_recv(comm, &channel->in, link, from, step, (uint32_t)range.index);
		if (progress == GLC_AGAIN)
			comm->work.recv_links |= 1u << link;
		if (progress != GLC_DONE)
			return progress;
		*moved = true;
		if (there) {
			glc_event_end(comm, begun, GLACIER_EVENT_RECV, step, chunk_received(comm, step), channel->in.body_bytes);
			take(comm, channel, &range);
			channel->received.piece++;
			/* What has come may be what the next rank waits for. */
			return GLC_AGAIN;
		}
	}
	return GLC_DONE;
}

enum glc_progress glc_ring_go(struct glacier_comm *comm)
{
	bool moved, done;

	do {
		moved = false;
		done = true;
		comm->work.send_links = comm->work.recv_links = 0;
		for (uint32_t i = 0; i < comm->transport.channels; i++) {
			enum glc_progress sent = send_some(comm, i, &moved), received;

			if (sent == GLC_FAILED)
				return GLC_FAILED;
			received = receive_some(comm, i, &moved);
			if (received == GLC_FAILED)
				return GLC_FAILED;
			done = done && sent == GLC_DONE && received == GLC_DONE;
		}
	} while (moved && !done);
	return done ? GLC_DONE : GLC_AGAIN;
}
