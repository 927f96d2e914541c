/* SPDX-License-Identifier: MIT */
/*
 * The worker pool: threads that wait for loops to run. Whoever creates it chooses the
 * number of threads and passes the pool on; the library makes none by itself.
 *
 * Workers spin for some microseconds after a loop, since loops come in rows, and sleep
 * then. They take no signals from outside: those are for the caller's threads.
 */
#ifndef GLC_BASE_POOL_H
#define GLC_BASE_POOL_H

#include <glacier/status.h>

struct glc_pool;

/*
 * A part [begin, end) of a loop. worker is below glc_pool_threads and belongs to one
 * running call at a time: it may index scratch memory.
 */
typedef void glc_pool_fn(void *context, size_t begin, size_t end, unsigned worker);

/*
 * threads  how many work at a loop, the one that calls it included: 1 makes no thread at
 *          all; 0 is as many as there are CPUs that the process may run on.
 * out      written only when GLACIER_OK is returned.
 *
 * Returns GLACIER_OK, GLACIER_ERR_NOMEM, or GLACIER_ERR_LIMIT when the system refuses a
 * thread.
 */
enum glacier_status glc_pool_create(unsigned threads, struct glc_pool **out);

/* Joins the threads. No loop may be running. NULL is allowed. */
void glc_pool_destroy(struct glc_pool *pool);

/* At least 1; 1 for NULL. */
unsigned glc_pool_threads(const struct glc_pool *pool);

/*
 * Calls fn once for each chunk of [0, n), in no order, and returns when all calls have.
 * What the caller wrote before is seen by fn, what fn wrote is seen by the caller after.
 *
 * pool   NULL: the caller's thread does it all, as worker 0.
 * grain  indices a chunk, the last may be shorter: the same chunks for any number of
 *        threads. Their work should be worth some microseconds. 0: about 8 chunks a thread.
 *
 * Several threads may call: their loops run one after the other. A call from inside fn
 * runs at once, in order, in that thread, under the worker number it has there; so fn
 * calls with its own pool, or NULL.
 */
void glc_parallel_for(struct glc_pool *pool, size_t n, size_t grain, glc_pool_fn *fn, void *context);

#endif
