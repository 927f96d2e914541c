/* SPDX-License-Identifier: MIT */
/*
 * What each thread keeps of an arena, found without a lock and given back when the thread ends.
 *
 * A state belongs to its thread between glc_enter and glc_leave, which cost two plain stores:
 * whoever wants it from outside (an arena that is out of memory, statistics, trim) first asks
 * for all of them, and lets the kernel put a barrier into every running thread
 * (membarrier(2)). Where the kernel has no such call, and under ThreadSanitizer, which does
 * not know of it, the owner's store is a locked one.
 */
#ifndef GLC_ARENA_THREADS_H
#define GLC_ARENA_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GLC_LINE = 64 };

struct glc_thread {
	_Alignas(GLC_LINE) _Atomic uint32_t busy;
	_Atomic uint32_t wanted;
	uint32_t number;                     /* from 0, in the order in which threads came to the arena */
	struct glc_threads *threads;
	struct glc_thread *next, *before;    /* of the arena */
	struct glc_thread *next_own;         /* of the thread */
};

/* Gives back all that a state holds; its thread is not inside, or is this one. */
typedef void glc_drain_fn(void *user, struct glc_thread *thread);

struct glc_threads {
	uint64_t id;                         /* never used again */
	size_t bytes;                        /* of a state: struct glc_thread is its first member */
	struct glc_thread *first;
	uint32_t count;
	glc_drain_fn *drain;
	void *user;
};

void glc_threads_init(struct glc_threads *threads, size_t bytes, glc_drain_fn *drain, void *user);
/* Frees the states without draining them. No thread may be inside. */
void glc_threads_fini(struct glc_threads *threads);

/* Calls fn for each state while its thread is kept out, one after the other. Not from inside. */
void glc_threads_each(struct glc_threads *threads, glc_drain_fn *fn, void *user);

/* --- The owner's side ---------------------------------------------------- */

struct glc_thread *glc_thread_make(struct glc_threads *threads);
void glc_thread_wait(struct glc_thread *thread);

extern bool glc_owner_fences;

/* The states that this thread used last, by arena. */
enum { GLC_RECENT = 4 };
struct glc_recent {
	uint64_t id;
	struct glc_thread *thread;
};
extern _Thread_local struct glc_recent glc_recent[GLC_RECENT] __attribute__((tls_model("initial-exec")));

/* NULL: out of memory. */
static inline struct glc_thread *glc_thread(struct glc_threads *threads)
{
	struct glc_recent *recent = &glc_recent[threads->id % GLC_RECENT];

	return __builtin_expect(recent->id == threads->id, 1) ? recent->thread : glc_thread_make(threads);
}

static inline void glc_enter(struct glc_thread *thread)
{
	for (;;) {
		if (__builtin_expect(glc_owner_fences, 0)) {
			atomic_exchange(&thread->busy, 1);
		} else {
			atomic_store_explicit(&thread->busy, 1, memory_order_relaxed);
			atomic_signal_fence(memory_order_seq_cst);
		}
		if (__builtin_expect(!atomic_load_explicit(&thread->wanted, memory_order_acquire), 1))
			return;
		glc_thread_wait(thread);
	}
}

static inline void glc_leave(struct glc_thread *thread)
{
	atomic_store_explicit(&thread->busy, 0, memory_order_release);
}

/* A counter that its owner alone writes, and others read. */
static inline void glc_add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

#endif
