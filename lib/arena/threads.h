/* SPDX-License-Identifier: MIT */
/*
 * What each thread keeps of an arena, found without a lock and given back when the thread ends.
 *
 * A state belongs to its thread between glc_enter and glc_leave, which cost two plain stores:
 * whoever wants it from outside (an arena that is out of memory, statistics, trim) first asks
 * for all of them, and lets the kernel put a barrier into every running thread
 * (membarrier(2)). Where the kernel has no such call, and under ThreadSanitizer, which does
 * not know of it, the owner's store is a locked one.
 *
 * The calls that are made most often enter by glc_enter_by_gate, and do not even look whether their state is wanted:
 * who wants it closes the gates, which they have to look at anyway. They are closed too where the owner has to fence;
 * the slow halves then use glc_enter.
 */
#ifndef GLC_ARENA_THREADS_H
#define GLC_ARENA_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_THREAD__)
#define GLC_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GLC_UNDER_TSAN 1
#endif
#endif
#ifndef GLC_UNDER_TSAN
#define GLC_UNDER_TSAN 0
#endif

enum { GLC_LINE = 64 };

/* In `wanted`: somebody asks for the state; the owner has to fence, so that no quick way is open. */
enum { GLC_WANTED = 1, GLC_FENCED = 2 };

struct glc_threads;

/* The first line is all that the quickest ways look at, lib/arena/quick.c, but for the class's counts and the unit's mark. */
struct glc_thread {
	_Alignas(GLC_LINE) union {
		struct {
			_Atomic uint8_t busy;
			_Atomic uint8_t last_mark;   /* of the piece that was freed last, 0: none. Inside alone */
		};
		_Atomic uint16_t busy_and_last;      /* both left with one store: glc_leave_with */
	};
	uint8_t quick_marks;                 /* of what the quick ways may keep: up to this */
	_Atomic uint32_t wanted;
	_Atomic(struct glc_threads *) threads;
	uint64_t last_addr;
	_Atomic uint64_t quick_bytes, quick_units;   /* the gates: the largest request, units of the heap. 0: closed */
	uint64_t floor, base;                /* glc_mark_of; of the heap */
	_Atomic uint8_t *marks;

	uint64_t open_bytes, open_units;     /* what the gates are while nobody wants the state */
	uint32_t number;                     /* from 0, in the order in which threads came to the arena */
	struct glc_thread *next, *before;    /* of the arena */
	struct glc_thread *next_own;         /* of the thread */
};

_Static_assert(offsetof(struct glc_thread, open_bytes) == GLC_LINE, "the quickest ways look at one line");

/* On a state: a new one; or one that gives back all that it holds, while its thread is not inside, or is this one. */
typedef void glc_state_fn(void *user, struct glc_thread *thread);

struct glc_threads {
	uint64_t id;                         /* never used again */
	size_t bytes;                        /* of a state: struct glc_thread is its first member */
	struct glc_thread *first;
	uint32_t count;
	glc_state_fn *make, *drain;
	void *user;
};

void glc_threads_init(struct glc_threads *threads, size_t bytes, glc_state_fn *make, glc_state_fn *drain, void *user);
/* Frees the states without draining them, and no thread finds its own any more. No thread may be inside. */
void glc_threads_fini(struct glc_threads *threads);

/* Calls fn for each state while its thread is kept out, one after the other. Not from inside. */
void glc_threads_each(struct glc_threads *threads, glc_state_fn *fn, void *user);

/* --- The owner's side ---------------------------------------------------- */

struct glc_thread *glc_thread_make(struct glc_threads *threads);
void glc_thread_wait(struct glc_thread *thread);

extern bool glc_owner_fences;

/* The state that this thread used last; never NULL, but perhaps nobody's. */
extern _Thread_local struct glc_thread *glc_last __attribute__((tls_model("initial-exec")));

static inline bool glc_is_of(const struct glc_thread *thread, const struct glc_threads *threads)
{
	return __builtin_expect(atomic_load_explicit(&thread->threads, memory_order_relaxed) == threads, 1);
}

/* NULL: out of memory. */
static inline struct glc_thread *glc_thread(struct glc_threads *threads)
{
	return glc_is_of(glc_last, threads) ? glc_last : glc_thread_make(threads);
}

/* Inside, if then a gate is found open, or nothing in `wanted`; else to be left. */
static inline void glc_enter_by_gate(struct glc_thread *thread)
{
	if (GLC_UNDER_TSAN) {
		atomic_exchange(&thread->busy, 1);
	} else {
		atomic_store_explicit(&thread->busy, 1, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
	}
}

static inline void glc_enter(struct glc_thread *thread)
{
	for (;;) {
		if (GLC_UNDER_TSAN || __builtin_expect(glc_owner_fences, 0)) {
			atomic_exchange(&thread->busy, 1);
		} else {
			atomic_store_explicit(&thread->busy, 1, memory_order_relaxed);
			atomic_signal_fence(memory_order_seq_cst);
		}
		if (__builtin_expect(!(atomic_load_explicit(&thread->wanted, memory_order_acquire) & GLC_WANTED), 1))
			return;
		glc_thread_wait(thread);
	}
}

static inline void glc_leave(struct glc_thread *thread)
{
	atomic_store_explicit(&thread->busy, 0, memory_order_release);
}

/* And says what is now the class of the piece that was freed last. */
static inline void glc_leave_with(struct glc_thread *thread, unsigned last_mark)
{
	unsigned both = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? last_mark << 8 : last_mark;

	atomic_store_explicit(&thread->busy_and_last, (uint16_t)both, memory_order_release);
}

static inline unsigned glc_last_mark(const struct glc_thread *thread)
{
	return atomic_load_explicit(&thread->last_mark, memory_order_relaxed);
}

/* A counter that its owner alone writes, and others read. */
static inline void glc_add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

#endif
