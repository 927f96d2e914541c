/* SPDX-License-Identifier: MIT */
/*
 * Collectives: ranks - threads, processes of one machine, or processes anywhere - combine arrays
 * element by element. A communicator is one rank's end of a group.
 *
 * Threads: a communicator belongs to one thread at a time; glacier_comm_abort alone may be called
 * from any other. One collective of a communicator is under way at a time.
 *
 * Every rank makes the same calls in the same order. What they must agree on (call, element type,
 * operation, count, chunk map, algorithm) goes ahead of the data and is compared: where ranks
 * disagree, all of them get GLACIER_ERR_MISMATCH, and glacier_comm_explain names two ranks and
 * their values. After any error the communicator is of no more use than to be asked and destroyed.
 *
 * Results are the same bits on every rank, and the same for any transport, algorithm, piece size
 * and number of channels: each element is combined in one order, which follows from count and size
 * alone (rank c + 1 first, rank c last, of chunk c), or, when `deterministic` is set, is that of
 * the ranks. NaNs in results are the canonical quiet NaN.
 */
#ifndef GLACIER_COLLECTIVE_H
#define GLACIER_COLLECTIVE_H

#include <glacier/base.h>
#include <glacier/diagnostic.h>
#include <glacier/literal.h>
#include <glacier/status.h>

#include <sys/uio.h>

GLACIER_BEGIN

/*
 * What is done with the elements. Integers wrap around; f16 and bf16 are computed in f32 and rounded once, by the
 * rank that owns the chunk. AVG divides the sum once: floats rounded to nearest, integers toward zero.
 */
enum glacier_reduce {
	GLACIER_REDUCE_SUM,
	GLACIER_REDUCE_PROD,
	GLACIER_REDUCE_AVG,
	GLACIER_REDUCE_MIN,     /* IEEE 754-2019 minimum: -0 below +0, NaN if any is NaN */
	GLACIER_REDUCE_MAX,     /* maximum */
	GLACIER_REDUCE_MINNUM,  /* minimumNumber: NaN only if all are NaN */
	GLACIER_REDUCE_MAXNUM,  /* maximumNumber */
	GLACIER_REDUCE_COUNT
};

/* "sum" and so on; NULL out of range. A static string. Any thread.               Since: 0.1 */
GLACIER_API const char *glacier_reduce_name(enum glacier_reduce op);
/* GLACIER_REDUCE_COUNT when there is none of that name.                           Since: 0.1 */
GLACIER_API enum glacier_reduce glacier_reduce_find(const char *name);
/* Whether arrays of the type can be combined: f64 f32 f16 bf16 i8 u8 i32 u32 i64 u64.   Since: 0.1 */
GLACIER_API bool glacier_reduce_takes(enum glacier_type type);

/*
 * into[i] = into[i] OP from[i] for count elements, as a ring's step does it, with the loops of the
 * named level ("baseline", "x86-64-v3", ...; NULL: the best that the machine has). The arrays are
 * aligned to their elements and do not overlap. GLACIER_ERR_ARGUMENT for a type or operation that is
 * none, GLACIER_ERR_UNSUPPORTED for a level that the machine lacks. Any thread.   Since: 0.1
 */
GLACIER_API enum glacier_status glacier_reduce_into(void *into, const void *from, size_t count,
						    enum glacier_type type, enum glacier_reduce op,
						    const char *level);

enum glacier_algorithm {
	GLACIER_ALGORITHM_AUTO,      /* the quickest by the model that glacier_comm_calibrate fills */
	GLACIER_ALGORITHM_RING,      /* size - 1 steps of scatter-reduce, size - 1 of all-gather */
	GLACIER_ALGORITHM_DOUBLING,  /* inputs are gathered in log2(size) doubling steps, each rank folds all */
	GLACIER_ALGORITHM_FOLD,      /* each rank folds its chunk of all buffers where they lie */
	GLACIER_ALGORITHM_COUNT
};

/* "auto", "ring", "doubling", "fold"; NULL out of range. A static string. Any thread.  Since: 0.1 */
GLACIER_API const char *glacier_algorithm_name(enum glacier_algorithm algorithm);
GLACIER_API enum glacier_algorithm glacier_algorithm_find(const char *name);

/* How a communicator works. All zero is good. Ranks that differ in deterministic or piece_bytes disagree. */
struct glacier_comm_options {
	uint64_t timeout_ns;      /* after so long without a sign of life a rank is lost; 0: 5 s */
	size_t piece_bytes;       /* what goes through a link at once; 0: 256 KiB; a multiple of 64, at least 64 */
	bool deterministic;       /* each element in the order of ranks, whatever the count */
	bool shares_processors;   /* ranks outnumber processors: never spin. create_local finds out itself */
	enum glacier_algorithm algorithm;
	const char *level;        /* the loops' level, as in glacier_reduce_into; NULL: the best */
	/* Called once a second by a rank that waits, with the rank that keeps it waiting; may be NULL. */
	void (*waiting)(void *user, uint32_t rank, uint32_t seconds);
	void *user;
};

struct glacier_comm;

enum { GLACIER_COMM_RANKS = 4096 };  /* the most a group may have */

/*
 * A group of `size` ranks in this process: comms[r] goes to the thread that is rank r. Destroy each.
 * Returns GLACIER_OK, GLACIER_ERR_ARGUMENT or GLACIER_ERR_NOMEM; comms is written only on success. Since: 0.1
 */
GLACIER_API enum glacier_status glacier_comm_create_local(uint32_t size, const struct glacier_comm_options *options,
							  struct glacier_comm **comms, struct glacier_diag *diag);

/*
 * A file in memory for a group of processes of this machine. They inherit *fd, which the caller
 * closes when all have begun; the memory goes with the last process.
 * Returns GLACIER_OK, GLACIER_ERR_ARGUMENT, or GLACIER_ERR_IO.                    Since: 0.1
 */
GLACIER_API enum glacier_status glacier_comm_shared_file(uint32_t size, int *fd, struct glacier_diag *diag);

/*
 * Rank `rank` of the group over the file. Waits until all ranks have come, for options->timeout_ns
 * and a start of 10 s. fd stays the caller's.
 * Returns GLACIER_OK, GLACIER_ERR_ARGUMENT, GLACIER_ERR_NOMEM, GLACIER_ERR_IO, GLACIER_ERR_MISMATCH,
 * GLACIER_ERR_PEER or GLACIER_ERR_TIMEOUT.                                        Since: 0.1
 */
GLACIER_API enum glacier_status glacier_comm_create_shared(int fd, uint32_t rank, uint32_t size,
							   const struct glacier_comm_options *options,
							   struct glacier_comm **out, struct glacier_diag *diag);

struct glacier_tcp_options {
	uint32_t rank, size;
	const char *address;         /* where rank 0 listens: "host:port", "[::1]:port" */
	const char *bind;            /* address to listen on; NULL: loopback, or what leads to `address` */
	uint16_t port_base;          /* listen on the first free port from here; 0: any */
	int listener;                /* rank 0: a listening socket that is used instead; -1: none. Taken over */
	const unsigned char *token;  /* the job's secret, 32 bytes; NULL: none, on loopback alone */
	uint32_t epoch;              /* the how-manyth start of this job; ranks of another are refused */
	uint32_t channels;           /* connections of a ring edge, each with its share of the data; 0: 1; 16 at most */
	const char *congestion;      /* congestion control of the connections; NULL: the system's */
	uint64_t join_ns;            /* how long to wait for all ranks; 0: 30 s */
};

/*
 * Rank options->rank of a group over TCP. Every connection proves in both directions that it knows
 * the token, by HMAC-SHA-256 over fresh nonces; strangers are dropped and cost the job nothing.
 * Returns when all ranks have joined.
 * Nothing of *tcp is used after the call.
 * Returns GLACIER_OK, GLACIER_ERR_ARGUMENT, GLACIER_ERR_NOMEM, GLACIER_ERR_IO, GLACIER_ERR_MISMATCH,
 * GLACIER_ERR_TIMEOUT (somebody did not come), GLACIER_ERR_PEER (who had come was lost before all were there),
 * GLACIER_ERR_AUTHENTICATION, or GLACIER_ERR_UNAVAILABLE (no crypto library, and the address is not loopback).   Since: 0.1
 */
GLACIER_API enum glacier_status glacier_comm_create_tcp(const struct glacier_tcp_options *tcp,
							const struct glacier_comm_options *options,
							struct glacier_comm **out, struct glacier_diag *diag);

/*
 * A caller's own transport: streams of bytes between ranks, which keep their order and lose nothing.
 * There is one stream in each direction that the algorithms need: link k goes out to rank
 * (rank + 2^k) mod size and comes in from (rank - 2^k) mod size, for all k with 2^k < size.
 * Links from GLACIER_LINK_CHANNEL on are further channels of link 0.
 * All functions are called by the thread that owns the communicator, except wake.
 */
enum { GLACIER_LINK_CHANNEL = 16 };

struct glacier_transport {
	const char *name;
	void *self;
	uint32_t rank, size, channels;  /* channels: at least 1; 16 at most */
	/* Bytes taken or given, 0 when there is no room or nothing there, -1 when the link is broken. Never waits. */
	ptrdiff_t (*send)(void *self, uint32_t link, const struct iovec *parts, int count);
	ptrdiff_t (*recv)(void *self, uint32_t link, const struct iovec *parts, int count);
	/* Until one of the links (bit sets) can go on, wake is called, or the time is over. */
	void (*wait)(void *self, uint32_t send_links, uint32_t recv_links, uint64_t nanoseconds);
	void (*wake)(void *self);
	void (*destroy)(void *self);    /* may be NULL */
};

/* Takes the transport over on success. GLACIER_ERR_ARGUMENT, GLACIER_ERR_NOMEM.      Since: 0.1 */
GLACIER_API enum glacier_status glacier_comm_create(const struct glacier_transport *transport,
						    const struct glacier_comm_options *options,
						    struct glacier_comm **out, struct glacier_diag *diag);

/* Leaves the group. A rank that goes while others wait for it is lost to them. NULL is allowed. */
GLACIER_API void glacier_comm_destroy(struct glacier_comm *comm);

GLACIER_API uint32_t glacier_comm_rank(const struct glacier_comm *comm);
GLACIER_API uint32_t glacier_comm_size(const struct glacier_comm *comm);

/*
 * Memory that the other ranks of this machine reach without a copy: every rank calls it, with the
 * same size. Aligned to pages, zero, freed with the communicator.
 * Returns GLACIER_OK, GLACIER_ERR_NOMEM, or what a collective returns.              Since: 0.1
 */
GLACIER_API enum glacier_status glacier_comm_alloc(struct glacier_comm *comm, size_t bytes, void **out);

/*
 * out[i] = in_0[i] OP in_1[i] OP ... of all ranks, on all ranks.
 *
 * in, out  count elements, aligned to them; the same array, or apart.
 * count    any, 0 included.
 *
 * Returns GLACIER_OK; GLACIER_ERR_ARGUMENT: nothing was begun; GLACIER_ERR_NOMEM, GLACIER_ERR_MISMATCH,
 * GLACIER_ERR_PEER (a rank is lost or gave up), GLACIER_ERR_TIMEOUT (a rank shows no life),
 * GLACIER_ERR_CHECKSUM (bytes changed on their way), GLACIER_ERR_MALFORMED (what came is no frame),
 * GLACIER_ERR_UNSUPPORTED (the algorithm that options ask for, over this transport): out is undefined then.
 * Since: 0.1
 */
GLACIER_API enum glacier_status glacier_allreduce(struct glacier_comm *comm, const void *in, void *out, size_t count,
						  enum glacier_type type, enum glacier_reduce op);

/*
 * The same in steps: start begins, test goes on without waiting and sets *done, wait goes on to the
 * end. The arrays stay the communicator's until then. A second start before that is GLACIER_ERR_ARGUMENT.
 */
GLACIER_API enum glacier_status glacier_allreduce_start(struct glacier_comm *comm, const void *in, void *out,
							size_t count, enum glacier_type type,
							enum glacier_reduce op);
GLACIER_API enum glacier_status glacier_comm_test(struct glacier_comm *comm, bool *done);
GLACIER_API enum glacier_status glacier_comm_wait(struct glacier_comm *comm);

/*
 * The part of `count` elements that a rank owns: count / size, and one more on the first count % size.
 * Any thread.                                                                       Since: 0.1
 */
GLACIER_API void glacier_comm_chunk(size_t count, uint32_t size, uint32_t rank, size_t *begin, size_t *elems);

/*
 * in: count elements; out: this rank's chunk of the result, apart from in or at its place in it.
 * The order is that of the chunks, whatever `deterministic` says.                   Since: 0.1
 */
GLACIER_API enum glacier_status glacier_reduce_scatter(struct glacier_comm *comm, const void *in, void *out,
						       size_t count, enum glacier_type type,
						       enum glacier_reduce op);
/* in: this rank's chunk; out: count elements, the chunks of all. in may be at its place in out. */
GLACIER_API enum glacier_status glacier_all_gather(struct glacier_comm *comm, const void *in, void *out,
						   size_t count, enum glacier_type type);
/* What rank root has in data goes to all. */
GLACIER_API enum glacier_status glacier_broadcast(struct glacier_comm *comm, void *data, size_t count,
						  enum glacier_type type, uint32_t root);
/* No rank leaves before all have come. */
GLACIER_API enum glacier_status glacier_barrier(struct glacier_comm *comm);

/* What is under way, or comes next, ends with GLACIER_ERR_PEER on every rank, naming this one. Any thread. */
GLACIER_API void glacier_comm_abort(struct glacier_comm *comm);

/* Tells diag why the communicator failed, and returns that status; GLACIER_OK while it has not. */
GLACIER_API enum glacier_status glacier_comm_explain(struct glacier_comm *comm, struct glacier_diag *diag);

/* The numbers by which an algorithm is chosen, the same on every rank. */
struct glacier_comm_model {
	double step_ns;      /* from one rank to the next and on */
	double byte_ns;      /* a byte through a link */
	double fold_ns;      /* a byte of one operand, folded */
	double barrier_ns;   /* all ranks meet; 0: fold is not possible */
};

/* Measures the model: every rank calls it. Some milliseconds. Without it there are numbers of a common machine. */
GLACIER_API enum glacier_status glacier_comm_calibrate(struct glacier_comm *comm);

/* What an all-reduce of count elements would use. expected_ns: by algorithm; NaN where it is not possible. */
struct glacier_comm_plan {
	enum glacier_algorithm algorithm;
	double expected_ns[GLACIER_ALGORITHM_COUNT];
	struct glacier_comm_model model;
	const char *transport;  /* "inproc", "shm", "tcp", or the caller's; as long as the communicator */
};
GLACIER_API void glacier_comm_plan(const struct glacier_comm *comm, size_t count, enum glacier_type type,
				   enum glacier_reduce op, struct glacier_comm_plan *plan);

/* One piece of work of a collective, for pictures of it. Called by the communicator's thread. */
struct glacier_comm_event {
	enum { GLACIER_EVENT_SEND, GLACIER_EVENT_RECV, GLACIER_EVENT_FOLD, GLACIER_EVENT_WAIT } kind;
	uint64_t begin_ns, end_ns;  /* CLOCK_MONOTONIC */
	uint32_t step, chunk;
	size_t bytes;
};
/* report NULL: none. */
GLACIER_API void glacier_comm_watch(struct glacier_comm *comm,
				    void (*report)(void *user, const struct glacier_comm_event *event), void *user);

GLACIER_END

#endif
