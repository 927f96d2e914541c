/* SPDX-License-Identifier: MIT */
/*
 * A communicator: a transport, perhaps the memory of a group, and the one collective under way.
 *
 * An algorithm is a function that goes on as far as it can without waiting. A blocking call calls
 * it, waits for what it said it lacks, and calls it again; glacier_comm_test calls it once. So there
 * is one place that waits, looks for failures and tells of slow ranks.
 */
#ifndef GLC_COLLECTIVE_COMM_H
#define GLC_COLLECTIVE_COMM_H

#include "collective/frame.h"
#include "collective/group.h"
#include "collective/reduce.h"

/* What the library's own transports can do besides. */
struct glc_signals {
	/* Tell all ranks; the first failure of a group is the one that counts. */
	void (*fail)(void *self, const struct glc_failure *failure);
	bool (*failed)(void *self, struct glc_failure *failure);
	/* What the signs of life say: the collective's number, and whom this rank waits for (UINT32_MAX: nobody). */
	void (*tell)(void *self, uint64_t sequence, uint32_t waits_for);
	/* A rank that has not begun the collective yet, as far as is known; UINT32_MAX. */
	uint32_t (*late)(void *self, uint64_t sequence);
};

enum glc_progress { GLC_DONE, GLC_AGAIN, GLC_FAILED };

/* One direction of a link while a frame is under way. */
struct glc_port {
	unsigned char head[sizeof(struct glc_header) + sizeof(struct glc_piece)];
	size_t head_bytes, body_bytes, done;
	void *body;
	bool busy;
	bool opened;      /* the header has gone ahead, or come */
};

/* A place in the sequence of pieces that a ring's channel sends or receives. */
struct glc_ring_place {
	size_t block, piece;
	uint32_t step;
};

struct glc_ring_channel {
	struct glc_ring_place sent, received;
	struct glc_port out, in;
	unsigned char *staging;   /* what comes in */
	unsigned char *widened;   /* own elements in the work type, or what goes out first */
	unsigned char *slots;     /* partial results that have no place in the caller's arrays */
	bool end_sent, end_received;
};

enum { GLC_CHANNELS = 16, GLC_RING_BLOCK = 4, GLC_SCRATCH_BYTES = 1 << 14, GLC_ALLOCATIONS = 64 };

struct glc_work {
	enum glc_call call;
	enum glacier_algorithm algorithm;
	const unsigned char *in;
	unsigned char *out;
	size_t count;
	struct glc_reducer reducer;
	uint32_t owner;           /* of all elements; UINT32_MAX: a chunk a rank */
	bool active, started;
	/* What the algorithm lacks. */
	uint32_t send_links, recv_links;
	uint64_t meeting;         /* not 0: it waits for this meeting of the group */
	/* ring */
	uint32_t first_step, end_step;
	bool uses_slots;
	size_t piece_elems, block_pieces, blocks;
	/* doubling */
	size_t at, block_elems;
	uint32_t round;
	/* fold */
	uint32_t stage;
	bool reaches_all;
};

struct glacier_comm {
	uint32_t rank, size;
	struct glacier_comm_options options;
	enum glc_cpu_level level;
	struct glacier_transport transport;
	struct glc_signals signals;
	struct glc_group *group;  /* NULL: no memory is shared */
	uint64_t job;
	uint64_t sequence;
	uint64_t folds;           /* those that meet: what they show lies by its parity */
	struct glc_header header;
	struct glc_work work;
	struct glc_failure failure;
	_Atomic uint32_t abort_asked;
	uint32_t links;

	const unsigned char **inputs;  /* one a rank; behind them as many again, in the order in which they are folded */
	unsigned char **outputs;       /* one a rank */
	unsigned char *scratch;        /* three blocks of GLC_SCRATCH_BYTES */
	struct glc_ring_channel channels[GLC_CHANNELS];
	struct glc_port ports_out[GLC_GROUP_LINKS], ports_in[GLC_GROUP_LINKS];
	/* Grows to what the largest call needs, and stays. */
	unsigned char *memory;
	size_t memory_bytes;
	/* Of glacier_comm_alloc, where ranks share no memory. */
	struct iovec allocations[GLC_ALLOCATIONS];
	uint32_t allocation_count;
	uint64_t moved;                /* frames so far: whether anything goes on */

	struct glacier_comm_model model;
	void *calibration;             /* what glacier_comm_calibrate moves */
	void (*report)(void *user, const struct glacier_comm_event *event);
	void *report_user;
};

/* At least so much, its content lost; NULL when there is none. Aligned to 64. */
unsigned char *glc_comm_memory(struct glacier_comm *comm, size_t bytes);

/* Remembers the failure, tells the others, and gives GLC_FAILED. */
enum glc_progress glc_comm_fail(struct glacier_comm *comm, const struct glc_failure *failure);
enum glc_progress glc_comm_fail_rank(struct glacier_comm *comm, enum glc_reason reason, uint32_t rank);

static inline uint32_t glc_comm_behind(const struct glacier_comm *comm, uint32_t distance)
{
	return (comm->rank + comm->size - distance % comm->size) % comm->size;
}

/* Elements [*begin, *begin + *elems) belong to the rank. */
void glc_work_chunk(const struct glacier_comm *comm, uint32_t rank, size_t *begin, size_t *elems);
/* The rank whose element is folded first: then come the others, upwards and around. */
uint32_t glc_work_first(const struct glacier_comm *comm, uint32_t owner);

/* Frames (port.c): GLC_DONE when the piece has gone, or come and is what was expected. */
void glc_port_begin_send(struct glacier_comm *comm, struct glc_port *port, uint32_t step, uint32_t index,
			 const void *body, size_t bytes);
void glc_port_begin_recv(struct glacier_comm *comm, struct glc_port *port, void *body, size_t bytes);
/* Only the header, where there is no piece. */
void glc_port_begin_header(struct glacier_comm *comm, struct glc_port *port);
enum glc_progress glc_port_send(struct glacier_comm *comm, struct glc_port *port, uint32_t link);
enum glc_progress glc_port_recv(struct glacier_comm *comm, struct glc_port *port, uint32_t link, uint32_t from,
				uint32_t step, uint32_t index);

/* The algorithms. begin: GLC_FAILED when there is no memory. */
enum glc_progress glc_ring_start(struct glacier_comm *comm);
enum glc_progress glc_ring_go(struct glacier_comm *comm);
enum glc_progress glc_doubling_begin(struct glacier_comm *comm);
enum glc_progress glc_doubling_go(struct glacier_comm *comm);
enum glc_progress glc_fold_begin(struct glacier_comm *comm);
enum glc_progress glc_fold_go(struct glacier_comm *comm);
/* The fold could not reach the arrays, which all ranks found alike: the ring does it. */
enum glc_progress glc_work_fall_back(struct glacier_comm *comm);

/* Divides, and narrows from the work type; the last step of an element. accumulated may be out. */
void glc_finish(const struct glacier_comm *comm, void *out, void *accumulated, size_t n);
/*
 * out[i] = the fold of comm->inputs[rank][i] over all ranks, from rank `first` on. Nothing is written
 * to an element of out before all its inputs are read: out may be one of the inputs.
 */
void glc_fold_inputs(struct glacier_comm *comm, uint32_t first, size_t offset_elems, size_t n, unsigned char *out);
/* The part of `owner` in elements [from, end) of the array: first one and how many. */
size_t glc_work_part(const struct glacier_comm *comm, uint32_t owner, size_t from, size_t end, size_t *begin);

static inline uint64_t glc_event_begin(const struct glacier_comm *comm);
void glc_event_end(struct glacier_comm *comm, uint64_t begin_ns, int kind, uint32_t step, uint32_t chunk, size_t bytes);

#include "collective/wait.h"
static inline uint64_t glc_event_begin(const struct glacier_comm *comm)
{
	return comm->report ? glc_now_ns() : 0;
}

#endif
