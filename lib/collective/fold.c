/* SPDX-License-Identifier: MIT */
/*
 * Where ranks reach each other's arrays: each folds its chunk of all of them where they lie, and
 * writes it to all results. Arrays that are in a process's own memory alone are read from there
 * (process_vm_readv), each chunk once by its owner, and results by everybody else. What is small is handed over
 * in slots: every rank folds it all, and one meeting is enough.
 */
#include "collective/comm.h"

#include <string.h>
#if defined __x86_64__
#include <emmintrin.h>
#endif

/* From here on results do not fit into caches beside the inputs. */
enum { STREAM_BYTES = 1 << 22 };

enum { COPY_BYTES = 1 << 18, PUBLISH = 0, FIRST_MEETING, SECOND_MEETING, LAST_MEETING };

void glc_fold_inputs(struct glacier_comm *comm, uint32_t first, size_t offset_elems, size_t n, unsigned char *out)
{
	const struct glc_reducer *r = &comm->work.reducer;
	size_t elem = r->elem_bytes, most = GLC_SCRATCH_BYTES / r->work_bytes;
	unsigned char *sum = comm->scratch, *wide = comm->scratch + GLC_SCRATCH_BYTES;

	for (size_t at = 0, m; at < n; at += m, out += m * elem) {
		const void *left = NULL;

		m = n - at < most ? n - at : most;
		for (uint32_t i = 0; i < comm->size; i++) {
			uint32_t rank = first + i < comm->size ? first + i : first + i - comm->size;
			const void *input = comm->inputs[rank] + (offset_elems + at) * elem;
			bool last = i == comm->size - 1;

			if (r->widen) {
				r->widen(i ? wide : sum, input, m);
				if (i)
					r->fold(sum, sum, wide, m);
			} else if (i) {
				r->fold(last ? out : sum, left, input, m);
			}
			left = i || r->widen ? sum : input;
		}
		glc_finish(comm, out, r->widen ? sum : out, m);
	}
}

/* --- Reading what lies elsewhere --------------------------------------------------------- */

/* Folds elements [begin, begin + n) of all ranks' inputs into out, by copies. */
static enum glc_progress fold_copies(struct glacier_comm *comm, size_t begin, size_t n, unsigned char *out)
{
	const struct glc_reducer *r = &comm->work.reducer;
	size_t elem = r->elem_bytes, most = COPY_BYTES / r->work_bytes;
	unsigned char *copy = comm->memory, *sum = copy + COPY_BYTES, *wide = sum + COPY_BYTES;
	uint32_t first = glc_work_first(comm, comm->work.owner == UINT32_MAX ? comm->rank : comm->work.owner);

	for (size_t at = 0, m; at < n; at += m, out += m * elem) {
		m = n - at < most ? n - at : most;
		for (uint32_t i = 0; i < comm->size; i++) {
			uint32_t rank = (first + i) % comm->size;
			const unsigned char *input = copy;

			if (rank == comm->rank)
				input = comm->work.in + (begin + at) * elem;
			else if (!glc_group_copy(comm->group, rank, copy,
						 glc_group_arrays(comm->group, rank)->in + (begin + at) * elem, m * elem))
				return glc_comm_fail_rank(comm, GLC_REASON_LOST, rank);
			if (r->widen)
				r->widen(i ? wide : sum, input, m);
			else if (!i)
				memcpy(sum, input, m * elem);
			if (i)
				r->fold(sum, sum, r->widen ? wide : input, m);
		}
		glc_finish(comm, out, sum, m);
	}
	return GLC_AGAIN;
}

static enum glc_progress copy_from(struct glacier_comm *comm, uint32_t rank, bool out, size_t there, void *to, size_t bytes)
{
	const struct glc_group_arrays *arrays = glc_group_arrays(comm->group, rank);
	const unsigned char *at = glc_group_reach(comm->group, rank, out);

	if (!bytes)
		return GLC_AGAIN;
	if (at && at + there != to)
		memmove(to, at + there, bytes);
	else if (!at && !glc_group_copy(comm->group, rank, to, (out ? arrays->out : arrays->in) + there, bytes))
		return glc_comm_fail_rank(comm, GLC_REASON_LOST, rank);
	return GLC_AGAIN;
}

/* Past the caches: what is stored so is not read from memory before, which is a third of the traffic. */
static void stream(unsigned char *to, const unsigned char *from, size_t bytes)
{
#if defined __x86_64__
	size_t head = -(uintptr_t)to & 15;

	if (head > bytes)
		head = bytes;
	memcpy(to, from, head);
	for (to += head, from += head, bytes -= head; bytes >= 64; to += 64, from += 64, bytes -= 64)
		for (int i = 0; i < 4; i++)
			_mm_stream_si128((__m128i *)to + i, _mm_loadu_si128((const __m128i *)from + i));
#endif
	memcpy(to, from, bytes);
}

/* What was streamed is seen by whoever sees what is stored after. */
static void end_streams(void)
{
#if defined __x86_64__
	_mm_sfence();
#endif
}

/* --- The calls --------------------------------------------------------------------------- */

/* Block by block, so that what was computed is still in the cache when it goes to the others. own: where [begin, ...) goes here. */
static void fold_blocks(struct glacier_comm *comm, uint32_t first, size_t begin, size_t n, unsigned char *own, bool streams)
{
	const struct glc_work *work = &comm->work;
	unsigned char *block = comm->scratch + 2 * GLC_SCRATCH_BYTES;
	size_t elem = work->reducer.elem_bytes, most = GLC_SCRATCH_BYTES / elem;

	for (size_t at = 0, m; at < n; at += m) {
		m = n - at < most ? n - at : most;
		glc_fold_inputs(comm, first, begin + at, m, streams ? block : own + at * elem);
		for (uint32_t rank = 0; streams && rank < comm->size; rank++)
			stream(comm->outputs[rank] + (begin + at) * elem, block, m * elem);
		for (uint32_t rank = 0; !streams && work->call == GLC_ALLREDUCE && rank < comm->size; rank++)
			if (rank != comm->rank)
				memcpy(comm->outputs[rank] + (begin + at) * elem, own + at * elem, m * elem);
	}
	if (streams)
		end_streams();
}

/* Whole lines, which lie alike in all results; what is before and behind them goes in blocks. */
static void fold_lines(struct glacier_comm *comm, uint32_t first, size_t begin, size_t n)
{
	size_t elem = comm->work.reducer.elem_bytes, at = begin * elem, end = at + n * elem;
	size_t from = at + (-((uintptr_t)comm->outputs[0] + at) & 63), to = end - ((uintptr_t)comm->outputs[0] + end) % 64;
	const unsigned char **ordered = comm->inputs + comm->size;
	bool alike = from < to;

	for (uint32_t i = 0; i < comm->size; i++) {
		ordered[i] = comm->inputs[(first + i) % comm->size];
		alike = alike && ((uintptr_t)comm->outputs[i] & 63) == ((uintptr_t)comm->outputs[0] & 63);
	}
	if (!alike)
		from = to = at;
	else
		comm->work.reducer.lines(comm->outputs, ordered, comm->size, from, to);
	fold_blocks(comm, first, begin, (from - at) / elem, NULL, true);
	fold_blocks(comm, first, to / elem, (end - to) / elem, NULL, true);
}

static enum glc_progress reduce_own(struct glacier_comm *comm)
{
	struct glc_work *work = &comm->work;
	size_t begin, n, elem = work->reducer.elem_bytes;
	unsigned char *own;
	uint32_t first = glc_work_first(comm, work->owner == UINT32_MAX ? comm->rank : work->owner);
	bool streams = work->call == GLC_ALLREDUCE && work->in != work->out && work->count >= STREAM_BYTES / elem;

	glacier_comm_chunk(work->count, comm->size, comm->rank, &begin, &n);
	own = work->call == GLC_REDUCE_SCATTER ? work->out : work->out + begin * elem;
	if (!work->reaches_all)
		return fold_copies(comm, begin, n, own);
	for (uint32_t rank = 0; rank < comm->size; rank++) {
		comm->inputs[rank] = glc_group_reach(comm->group, rank, false);
		comm->outputs[rank] = glc_group_reach(comm->group, rank, true);
	}
	if (streams && work->reducer.lines)
		fold_lines(comm, first, begin, n);
	else
		fold_blocks(comm, first, begin, n, own, streams);
	return GLC_AGAIN;
}

static enum glc_progress gather(struct glacier_comm *comm, bool from_results)
{
	struct glc_work *work = &comm->work;
	size_t elem = work->reducer.elem_bytes;

	for (uint32_t i = 0; i < comm->size; i++) {
		uint32_t rank = (comm->rank + i) % comm->size;
		size_t begin, n;

		glacier_comm_chunk(work->count, comm->size, rank, &begin, &n);
		if (from_results && rank == comm->rank)
			continue;
		if (copy_from(comm, rank, from_results, from_results ? begin * elem : 0, work->out + begin * elem,
			      n * elem) == GLC_FAILED)
			return GLC_FAILED;
	}
	return GLC_AGAIN;
}

static enum glc_progress work_first(struct glacier_comm *comm)
{
	struct glc_work *work = &comm->work;
	uint64_t begun = glc_event_begin(comm);
	enum glc_progress progress;

	if (work->call == GLC_BROADCAST)
		progress = copy_from(comm, work->owner, false, 0, work->out, work->count * work->reducer.elem_bytes);
	else
		progress = work->call == GLC_ALL_GATHER ? gather(comm, false) : reduce_own(comm);
	glc_event_end(comm, begun, GLACIER_EVENT_FOLD, 0, comm->rank, work->count * work->reducer.elem_bytes / comm->size);
	return progress;
}

static void fold_slots(struct glacier_comm *comm)
{
	struct glc_work *work = &comm->work;
	uint64_t begun = glc_event_begin(comm);

	for (uint32_t rank = 0; rank < comm->size; rank++)
		comm->inputs[rank] = glc_group_slot(comm->group, rank, comm->folds);
	for (uint32_t owner = 0; owner < comm->size; owner++) {
		size_t begin, n = glc_work_part(comm, owner, 0, work->count, &begin);

		if (n)
			glc_fold_inputs(comm, glc_work_first(comm, owner), begin, n,
					work->out + begin * work->reducer.elem_bytes);
	}
	glc_event_end(comm, begun, GLACIER_EVENT_FOLD, 0, comm->rank, work->count * work->reducer.elem_bytes);
}

/* --- Agreement --------------------------------------------------------------------------- */

static enum glc_progress compare_headers(struct glacier_comm *comm)
{
	const struct glc_header *first = glc_group_header(comm->group, 0, comm->folds);

	for (uint32_t rank = 1; rank < comm->size; rank++) {
		struct glc_failure failure;

		if (glc_header_differs(first, glc_group_header(comm->group, rank, comm->folds), &failure))
			return glc_comm_fail(comm, &failure);
	}
	return GLC_AGAIN;
}

static bool is_small(const struct glc_work *work)
{
	return work->call == GLC_BARRIER || work->call == GLC_ALLOC ||
	       (work->call == GLC_ALLREDUCE && work->count <= GLC_GROUP_SLOT_BYTES / work->reducer.elem_bytes);
}

static bool all_reachable(const struct glacier_comm *comm)
{
	for (uint32_t rank = 0; rank < comm->size; rank++) {
		const struct glc_group_arrays *arrays = glc_group_arrays(comm->group, rank);

		if (!glc_group_is_local(comm->group) && (arrays->in_segment < 0 || arrays->out_segment < 0))
			return false;
	}
	return true;
}

enum glc_progress glc_fold_begin(struct glacier_comm *comm)
{
	if (!is_small(&comm->work) && !glc_group_is_local(comm->group) && !glc_comm_memory(comm, 3 * COPY_BYTES))
		return glc_comm_fail_rank(comm, GLC_REASON_MEMORY, comm->rank);
	return GLC_AGAIN;
}

static void publish(struct glacier_comm *comm)
{
	struct glc_work *work = &comm->work;
	size_t bytes = work->count * work->reducer.elem_bytes, begin, n;

	*glc_group_header(comm->group, comm->rank, comm->folds) = comm->header;
	if (work->call == GLC_ALLREDUCE && is_small(work)) {
		if (bytes)
			memcpy(glc_group_slot(comm->group, comm->rank, comm->folds), work->in, bytes);
	} else if (!is_small(work)) {
		struct glc_group_arrays *arrays = glc_group_arrays(comm->group, comm->rank);

		glacier_comm_chunk(work->count, comm->size, comm->rank, &begin, &n);
		arrays->in = (uint64_t)(uintptr_t)work->in;
		arrays->out = (uint64_t)(uintptr_t)work->out;
		glc_group_locate(comm->group, arrays,
				 work->call == GLC_ALL_GATHER ? n * work->reducer.elem_bytes : bytes,
				 work->call == GLC_REDUCE_SCATTER ? n * work->reducer.elem_bytes : bytes);
	}
}

static void meet(struct glacier_comm *comm, uint32_t stage)
{
	comm->work.meeting = glc_group_arrive(comm->group);
	comm->work.stage = stage;
}

enum glc_progress glc_fold_go(struct glacier_comm *comm)
{
	struct glc_work *work = &comm->work;

	if (work->stage == PUBLISH) {
		publish(comm);
		meet(comm, FIRST_MEETING);
	}
	if (!glc_group_met(comm->group, work->meeting))
		return GLC_AGAIN;
	if (work->stage == FIRST_MEETING) {
		if (compare_headers(comm) == GLC_FAILED)
			return GLC_FAILED;
		if (is_small(work)) {
			if (work->call == GLC_ALLREDUCE)
				fold_slots(comm);
			return GLC_DONE;
		}
		work->reaches_all = all_reachable(comm);
		if (!work->reaches_all && !glc_group_can_copy(comm->group))
			return glc_work_fall_back(comm);
		if (work_first(comm) == GLC_FAILED)
			return GLC_FAILED;
		meet(comm, SECOND_MEETING);
		if (!glc_group_met(comm->group, work->meeting))
			return GLC_AGAIN;
	}
	if (work->stage == SECOND_MEETING) {
		if (work->reaches_all || work->call != GLC_ALLREDUCE)
			return GLC_DONE;
		if (gather(comm, true) == GLC_FAILED)
			return GLC_FAILED;
		meet(comm, LAST_MEETING);
		if (!glc_group_met(comm->group, work->meeting))
			return GLC_AGAIN;
	}
	return GLC_DONE;
}
