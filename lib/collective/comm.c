/* SPDX-License-Identifier: MIT */
/* The calls of glacier/collective.h: one collective from its header to its end. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "collective/create.h"
#include "base/diag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SECOND_NS = 1000000000 };

/* --- Chunks ---------------------------------------------------------------------------- */

void glacier_comm_chunk(size_t count, uint32_t size, uint32_t rank, size_t *begin, size_t *elems)
{
	size_t each = count / size, more = count % size;

	*begin = rank * each + (rank < more ? rank : more);
	*elems = each + (rank < more);
}

void glc_work_chunk(const struct glacier_comm *comm, uint32_t rank, size_t *begin, size_t *elems)
{
	if (comm->work.owner == UINT32_MAX) {
		glacier_comm_chunk(comm->work.count, comm->size, rank, begin, elems);
		return;
	}
	*begin = 0;
	*elems = rank == comm->work.owner ? comm->work.count : 0;
}

uint32_t glc_work_first(const struct glacier_comm *comm, uint32_t owner)
{
	return owner + 1 < comm->size ? owner + 1 : 0;
}

size_t glc_work_part(const struct glacier_comm *comm, uint32_t owner, size_t from, size_t end, size_t *begin)
{
	size_t elems, last;

	glc_work_chunk(comm, owner, begin, &elems);
	last = *begin + elems < end ? *begin + elems : end;
	if (*begin < from)
		*begin = from;
	return *begin < last ? last - *begin : 0;
}

void glc_finish(const struct glacier_comm *comm, void *out, void *accumulated, size_t n)
{
	const struct glc_reducer *r = &comm->work.reducer;

	if (r->divide)
		r->divide(accumulated, n, comm->size);
	if (r->narrow)
		r->narrow(out, accumulated, n);
	else if (out != accumulated)
		memcpy(out, accumulated, n * r->elem_bytes);
}

/* --- Failure --------------------------------------------------------------------------- */

/* A transport without signs of its own: the failure goes where a frame could begin. */
static void flood(struct glacier_comm *comm)
{
	struct iovec part = {&comm->failure, sizeof comm->failure};

	for (uint32_t link = 0; link < comm->links; link++) {
		const struct glc_port *port = comm->work.active && comm->work.algorithm == GLACIER_ALGORITHM_RING && !link
						      ? &comm->channels[0].out : &comm->ports_out[link];

		if (!port->busy || !port->done)
			comm->transport.send(comm->transport.self, link, &part, 1);
	}
}

enum glc_progress glc_comm_fail(struct glacier_comm *comm, const struct glc_failure *failure)
{
	if (comm->failure.reason)
		return GLC_FAILED;
	comm->failure = *failure;
	if (!comm->signals.fail) {
		flood(comm);
		return GLC_FAILED;
	}
	comm->signals.fail(comm->transport.self, failure);
	/* Another rank may have been first. */
	comm->signals.failed(comm->transport.self, &comm->failure);
	return GLC_FAILED;
}

enum glc_progress glc_comm_fail_rank(struct glacier_comm *comm, enum glc_reason reason, uint32_t rank)
{
	return glc_comm_fail(comm, &(struct glc_failure){.magic = GLC_FAILURE_MAGIC, .reason = reason, .rank = rank,
							 .other = comm->rank});
}

enum glacier_status glacier_comm_explain(struct glacier_comm *comm, struct glacier_diag *diag)
{
	return glc_failure_report(&comm->failure, diag);
}

void glacier_comm_abort(struct glacier_comm *comm)
{
	atomic_store(&comm->abort_asked, 1);
	if (comm->signals.fail)
		comm->signals.fail(comm->transport.self, &(struct glc_failure){.magic = GLC_FAILURE_MAGIC,
									       .reason = GLC_REASON_ABORTED,
									       .rank = comm->rank, .other = comm->rank});
	comm->transport.wake(comm->transport.self);
}

/* --- One collective -------------------------------------------------------------------- */

static enum glc_progress go(struct glacier_comm *comm)
{
	struct glc_failure failure;

	if (comm->size == 1)
		return GLC_DONE;
	if (comm->signals.failed && comm->signals.failed(comm->transport.self, &failure))
		return glc_comm_fail(comm, &failure);
	if (atomic_load_explicit(&comm->abort_asked, memory_order_relaxed))
		return glc_comm_fail_rank(comm, GLC_REASON_ABORTED, comm->rank);
	switch (comm->work.algorithm) {
	case GLACIER_ALGORITHM_FOLD: return glc_fold_go(comm);
	case GLACIER_ALGORITHM_DOUBLING: return glc_doubling_go(comm);
	default: return glc_ring_go(comm);
	}
}

enum glc_progress glc_work_fall_back(struct glacier_comm *comm)
{
	comm->work.algorithm = GLACIER_ALGORITHM_RING;
	comm->work.meeting = 0;
	return glc_ring_start(comm) == GLC_FAILED ? GLC_FAILED : glc_ring_go(comm);
}

/* Who keeps this rank waiting, as far as it knows. */
static uint32_t waits_for(struct glacier_comm *comm)
{
	uint32_t late = UINT32_MAX;

	if (comm->work.meeting)
		late = glc_group_late(comm->group, comm->work.meeting);
	else if (comm->signals.late)
		late = comm->signals.late(comm->transport.self, comm->sequence);
	if (late == UINT32_MAX && !comm->work.meeting)
		late = glc_comm_behind(comm, comm->work.algorithm == GLACIER_ALGORITHM_DOUBLING ? 1u << comm->work.round : 1);
	return late;
}

static void wait_some(struct glacier_comm *comm, uint64_t nanoseconds)
{
	uint64_t begun = glc_event_begin(comm);

	if (comm->work.meeting)
		glc_group_wait_met(comm->group, comm->work.meeting, nanoseconds);
	else
		comm->transport.wait(comm->transport.self, comm->work.send_links, comm->work.recv_links, nanoseconds);
	glc_event_end(comm, begun, GLACIER_EVENT_WAIT, 0, 0, 0);
}

static enum glacier_status end(struct glacier_comm *comm, enum glc_progress progress)
{
	comm->work.active = false;
	return progress == GLC_DONE ? GLACIER_OK : glc_failure_status(&comm->failure);
}

enum glacier_status glacier_comm_wait(struct glacier_comm *comm)
{
	uint64_t begun = 0, moved = 0, stuck_since = 0;
	uint32_t told = 0;
	enum glc_progress progress;

	if (comm->failure.reason)
		return end(comm, GLC_FAILED);
	if (!comm->work.active)
		return GLACIER_ERR_ARGUMENT;
	while ((progress = go(comm)) == GLC_AGAIN) {
		uint64_t now;
		uint32_t rank;

		wait_some(comm, SECOND_NS / 4);
		/* The first wait alone is free of clocks. */
		if (!begun) {
			begun = stuck_since = glc_now_ns();
			moved = comm->moved;
			continue;
		}
		now = glc_now_ns();
		if (comm->moved != moved) {
			moved = comm->moved;
			stuck_since = now;
			if (!comm->work.meeting)
				continue;
		}
		if (comm->work.meeting) {
			rank = glc_group_deserter(comm->group, comm->work.meeting);
			if (rank != UINT32_MAX && !glc_group_met(comm->group, comm->work.meeting))
				return end(comm, glc_comm_fail_rank(comm, GLC_REASON_LOST, rank));
		}
		if (now - stuck_since < SECOND_NS / 4)
			continue;
		rank = waits_for(comm);
		if (comm->signals.tell)
			comm->signals.tell(comm->transport.self, comm->sequence, rank);
		else if (now - stuck_since > comm->options.timeout_ns && rank < comm->size) {
			struct glc_failure silent = {.magic = GLC_FAILURE_MAGIC, .reason = GLC_REASON_SILENT, .rank = rank,
						     .other = comm->rank, .values = {(now - stuck_since) / 1000000}};

			return end(comm, glc_comm_fail(comm, &silent));
		}
		if (comm->options.waiting && rank < comm->size && (now - stuck_since) / SECOND_NS > told) {
			told = (uint32_t)((now - stuck_since) / SECOND_NS);
			comm->options.waiting(comm->options.user, rank, told);
		}
	}
	return end(comm, progress);
}

enum glacier_status glacier_comm_test(struct glacier_comm *comm, bool *done)
{
	enum glc_progress progress;

	*done = true;
	if (comm->failure.reason)
		return end(comm, GLC_FAILED);
	if (!comm->work.active)
		return GLACIER_ERR_ARGUMENT;
	progress = go(comm);
	*done = progress != GLC_AGAIN;
	return *done ? end(comm, progress) : GLACIER_OK;
}

static enum glacier_algorithm choose(const struct glacier_comm *comm, enum glc_call call, size_t count,
				     enum glacier_type type, enum glacier_reduce op)
{
	enum glacier_algorithm asked = comm->options.algorithm;
	struct glacier_comm_plan plan;

	if (call == GLC_BARRIER || call == GLC_ALLOC)
		return comm->group ? GLACIER_ALGORITHM_FOLD : GLACIER_ALGORITHM_DOUBLING;
	if (call == GLC_ALLREDUCE) {
		glacier_comm_plan(comm, count, type, op, &plan);
		return plan.algorithm;
	}
	return comm->group && asked != GLACIER_ALGORITHM_RING ? GLACIER_ALGORITHM_FOLD : GLACIER_ALGORITHM_RING;
}

static enum glc_progress begin_algorithm(struct glacier_comm *comm)
{
	switch (comm->work.algorithm) {
	case GLACIER_ALGORITHM_FOLD:
		return comm->group ? glc_fold_begin(comm) : glc_comm_fail_rank(comm, GLC_REASON_UNSUPPORTED, comm->rank);
	case GLACIER_ALGORITHM_DOUBLING: return glc_doubling_begin(comm);
	default: return glc_ring_start(comm);
	}
}

/* A rank alone. */
static void alone(struct glacier_comm *comm)
{
	const struct glc_work *work = &comm->work;
	size_t bytes = work->count * work->reducer.elem_bytes;

	if (!work->count || work->call == GLC_BARRIER || work->call == GLC_ALLOC)
		return;
	if ((work->call == GLC_ALLREDUCE || work->call == GLC_REDUCE_SCATTER) && work->reducer.canonical)
		work->reducer.canonical(work->out, work->in, work->count);
	else if (work->out != work->in)
		memmove(work->out, work->in, bytes);
}

static bool overlaps(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return a_bytes && b_bytes && (x < y ? y - x < a_bytes : x - y < b_bytes);
}

/* Whether the arrays are what the call allows. */
static bool takes_arrays(const struct glacier_comm *comm, const struct glc_work *work)
{
	size_t elem = work->reducer.elem_bytes, begin, n, bytes;
	const unsigned char *in_place = work->in;
	size_t in_bytes, out_bytes;

	if (__builtin_mul_overflow(work->count, elem, &bytes) || bytes > PTRDIFF_MAX)
		return false;
	if (!work->count)
		return true;
	if (!work->in || !work->out || (uintptr_t)work->in % elem || (uintptr_t)work->out % elem)
		return work->call == GLC_BARRIER || work->call == GLC_ALLOC;
	glacier_comm_chunk(work->count, comm->size, comm->rank, &begin, &n);
	in_bytes = out_bytes = bytes;
	if (work->call == GLC_REDUCE_SCATTER) {
		in_place = work->in + begin * elem;
		out_bytes = n * elem;
	} else if (work->call == GLC_ALL_GATHER) {
		in_place = work->in - begin * elem;
		in_bytes = n * elem;
	}
	return work->out == in_place || !overlaps(work->in, in_bytes, work->out, out_bytes);
}

static enum glacier_status start(struct glacier_comm *comm, enum glc_call call, const void *in, void *out, size_t count,
				 enum glacier_type type, enum glacier_reduce op, uint32_t root)
{
	struct glc_work work = {.call = call, .in = in, .out = out, .count = count, .owner = root};
	bool reduces = call == GLC_ALLREDUCE || call == GLC_REDUCE_SCATTER;

	if (comm->failure.reason)
		return glc_failure_status(&comm->failure);
	if (comm->work.active)
		return GLACIER_ERR_ARGUMENT;
	if (!glc_reducer_get(&work.reducer, type, op, comm->level) || !takes_arrays(comm, &work))
		return GLACIER_ERR_ARGUMENT;
	if (!reduces) {
		work.reducer.widen = work.reducer.narrow = NULL;
		work.reducer.divide = NULL;
		work.reducer.work_bytes = work.reducer.elem_bytes;
	} else if (call == GLC_ALLREDUCE && comm->options.deterministic) {
		work.owner = comm->size - 1;
	}
	work.algorithm = choose(comm, call, count, type, op);
	work.active = work.started = true;
	comm->work = work;
	if (comm->size == 1)
		return GLACIER_OK;
	comm->sequence++;
	comm->header = (struct glc_header){
		.magic = GLC_HEADER_MAGIC, .version = GLC_FRAME_VERSION, .call = (uint16_t)call, .job = comm->job,
		.sequence = comm->sequence, .count = count, .piece_bytes = comm->options.piece_bytes,
		.op = (uint32_t)op, .type = (uint32_t)type, .map = work.owner == UINT32_MAX ? 0 : work.owner + 1,
		.algorithm = (uint32_t)work.algorithm, .size = comm->size, .channels = comm->transport.channels,
		.rank = comm->rank,
	};
	/* Agreed on, but there is nothing to move. */
	if (call == GLC_ALLOC)
		comm->work.count = 0;
	comm->folds += work.algorithm == GLACIER_ALGORITHM_FOLD;
	if (comm->signals.tell)
		comm->signals.tell(comm->transport.self, comm->sequence, UINT32_MAX);
	return begin_algorithm(comm) == GLC_FAILED ? end(comm, GLC_FAILED) : GLACIER_OK;
}

static enum glacier_status run(struct glacier_comm *comm, enum glc_call call, const void *in, void *out, size_t count,
			       enum glacier_type type, enum glacier_reduce op, uint32_t root)
{
	enum glacier_status status = start(comm, call, in, out, count, type, op, root);

	if (status != GLACIER_OK)
		return status;
	if (comm->size == 1) {
		alone(comm);
		comm->work.active = false;
		return GLACIER_OK;
	}
	return glacier_comm_wait(comm);
}

enum glacier_status glacier_allreduce(struct glacier_comm *comm, const void *in, void *out, size_t count,
				      enum glacier_type type, enum glacier_reduce op)
{
	return run(comm, GLC_ALLREDUCE, in, out, count, type, op, UINT32_MAX);
}

enum glacier_status glacier_allreduce_start(struct glacier_comm *comm, const void *in, void *out, size_t count,
					    enum glacier_type type, enum glacier_reduce op)
{
	enum glacier_status status = start(comm, GLC_ALLREDUCE, in, out, count, type, op, UINT32_MAX);

	if (status == GLACIER_OK && comm->size == 1)
		alone(comm);
	return status;
}

enum glacier_status glacier_reduce_scatter(struct glacier_comm *comm, const void *in, void *out, size_t count,
					   enum glacier_type type, enum glacier_reduce op)
{
	return run(comm, GLC_REDUCE_SCATTER, in, out, count, type, op, UINT32_MAX);
}

enum glacier_status glacier_all_gather(struct glacier_comm *comm, const void *in, void *out, size_t count,
				       enum glacier_type type)
{
	return run(comm, GLC_ALL_GATHER, in, out, count, type, GLACIER_REDUCE_SUM, UINT32_MAX);
}

enum glacier_status glacier_broadcast(struct glacier_comm *comm, void *data, size_t count, enum glacier_type type,
				      uint32_t root)
{
	if (root >= comm->size)
		return GLACIER_ERR_ARGUMENT;
	return run(comm, GLC_BROADCAST, data, data, count, type, GLACIER_REDUCE_SUM, root);
}

enum glacier_status glacier_barrier(struct glacier_comm *comm)
{
	return run(comm, GLC_BARRIER, NULL, NULL, 0, GLACIER_U8, GLACIER_REDUCE_SUM, UINT32_MAX);
}

/* --- Memory ---------------------------------------------------------------------------- */

unsigned char *glc_comm_memory(struct glacier_comm *comm, size_t bytes)
{
	if (bytes > comm->memory_bytes) {
		size_t whole = (bytes + 4095) / 4096 * 4096;
		unsigned char *memory = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			return NULL;
		madvise(memory, whole, MADV_HUGEPAGE);
		if (comm->memory)
			munmap(comm->memory, comm->memory_bytes);
		comm->memory = memory;
		comm->memory_bytes = whole;
	}
	return comm->memory;
}

static enum glacier_status alloc_alone(struct glacier_comm *comm, size_t bytes, void **out)
{
	size_t whole = bytes ? (bytes + 4095) / 4096 * 4096 : 4096;
	void *at;

	if (comm->allocation_count == GLC_ALLOCATIONS || bytes > PTRDIFF_MAX - 4096)
		return GLACIER_ERR_NOMEM;
	at = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return GLACIER_ERR_NOMEM;
	madvise(at, whole, MADV_HUGEPAGE);
	comm->allocations[comm->allocation_count++] = (struct iovec){at, whole};
	*out = at;
	return GLACIER_OK;
}

enum glacier_status glacier_comm_alloc(struct glacier_comm *comm, size_t bytes, void **out)
{
	/* Nothing is read of the arrays: the count is there to be agreed on. */
	enum glacier_status status = run(comm, GLC_ALLOC, NULL, NULL, bytes, GLACIER_U8, GLACIER_REDUCE_SUM, UINT32_MAX);

	if (status != GLACIER_OK)
		return status;
	if (!comm->group)
		return alloc_alone(comm, bytes, out);
	if (comm->rank == 0 && !glc_group_grow(comm->group, bytes))
		return end(comm, glc_comm_fail_rank(comm, GLC_REASON_MEMORY, comm->rank));
	status = glacier_barrier(comm);
	if (status != GLACIER_OK)
		return status;
	*out = glc_group_map(comm->group, bytes);
	if (!*out)
		return end(comm, glc_comm_fail_rank(comm, GLC_REASON_MEMORY, comm->rank));
	return glacier_barrier(comm);
}

/* --- Watching -------------------------------------------------------------------------- */

void glacier_comm_watch(struct glacier_comm *comm, void (*report)(void *user, const struct glacier_comm_event *event),
			void *user)
{
	comm->report = report;
	comm->report_user = user;
}

void glc_event_end(struct glacier_comm *comm, uint64_t begin_ns, int kind, uint32_t step, uint32_t chunk, size_t bytes)
{
	struct glacier_comm_event event;

	if (!comm->report)
		return;
	memset(&event, 0, sizeof event);
	event.kind = kind;
	event.begin_ns = begin_ns;
	event.end_ns = glc_now_ns();
	event.step = step;
	event.chunk = chunk;
	event.bytes = bytes;
	comm->report(comm->report_user, &event);
}
