/* SPDX-License-Identifier: MIT */
#include "arena/threads.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool glc_owner_fences;

/* What states belong to whose arena is gone, and the state of a thread that has none. */
static struct glc_threads gone;
static struct glc_thread nobody = {.threads = &gone};
_Thread_local struct glc_thread *glc_last __attribute__((tls_model("initial-exec"))) = &nobody;

/* The states that this thread used, some by arena. An id of 0 is nobody's. */
enum { RECENT = 4 };
static _Thread_local struct {
	uint64_t id;
	struct glc_thread *thread;
} recent[RECENT];

/* One lock for all that is rare: threads that come and go, arenas that do, and looking at states from outside. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static uint64_t last_id;

static struct glc_threads *threads_of(const struct glc_thread *thread)
{
	return atomic_load_explicit(&thread->threads, memory_order_relaxed);
}

static void unlink_of_arena(struct glc_thread *thread)
{
	struct glc_threads *threads = threads_of(thread);

	if (thread->next)
		thread->next->before = thread->before;
	if (thread->before)
		thread->before->next = thread->next;
	else
		threads->first = thread->next;
}

static void on_thread_end(void *first)
{
	struct glc_thread *thread = first, *next;

	/* A destructor that runs later may use the arena again: it then gets a new state, and this is called again. */
	glc_last = &nobody;
	memset(recent, 0, sizeof recent);
	pthread_mutex_lock(&lock);
	/* What was linked in since: the key's value is the head only while it has one. */
	for (; thread; thread = next) {
		next = thread->next_own;
		if (threads_of(thread) != &gone) {
			threads_of(thread)->drain(threads_of(thread)->user, thread);
			unlink_of_arena(thread);
		}
		free(thread);
	}
	pthread_mutex_unlock(&lock);
}

static void prepare(void)
{
	pthread_key_create(&key, on_thread_end);
	glc_owner_fences = GLC_UNDER_TSAN || syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
}

void glc_threads_init(struct glc_threads *threads, size_t bytes, glc_state_fn *make, glc_state_fn *drain, void *user)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, prepare);
	*threads = (struct glc_threads){.bytes = bytes, .make = make, .drain = drain, .user = user};
	pthread_mutex_lock(&lock);
	threads->id = ++last_id;
	pthread_mutex_unlock(&lock);
}

/* The states stay in their threads' lists, which only these may change, and are freed when they end. */
void glc_threads_fini(struct glc_threads *threads)
{
	pthread_mutex_lock(&lock);
	for (struct glc_thread *thread = threads->first; thread; thread = thread->next)
		atomic_store_explicit(&thread->threads, &gone, memory_order_relaxed);
	threads->first = NULL;
	threads->id = UINT64_MAX;
	pthread_mutex_unlock(&lock);
}

/* Frees what arenas that are gone have left in this thread's list; the lock is held. */
static struct glc_thread *sweep(struct glc_thread *first)
{
	struct glc_thread **link = &first, *thread;

	while ((thread = *link)) {
		if (threads_of(thread) != &gone) {
			link = &thread->next_own;
		} else {
			*link = thread->next_own;
			free(thread);
		}
	}
	return first;
}

static struct glc_thread *find_own(struct glc_threads *threads)
{
	struct glc_thread *thread = pthread_getspecific(key);

	while (thread && threads_of(thread) != threads)
		thread = thread->next_own;
	return thread;
}

/* Where the owner has to fence they stay closed. */
static void set_gates(struct glc_thread *thread, bool open)
{
	open = open && !(atomic_load_explicit(&thread->wanted, memory_order_relaxed) & GLC_FENCED);
	atomic_store(&thread->quick_bytes, open ? thread->open_bytes : 0);
	atomic_store(&thread->quick_units, open ? thread->open_units : 0);
}

static struct glc_thread *make(struct glc_threads *threads)
{
	size_t bytes = (threads->bytes + GLC_LINE - 1) & ~(size_t)(GLC_LINE - 1);
	struct glc_thread *thread = aligned_alloc(GLC_LINE, bytes);

	if (!thread)
		return NULL;
	memset(thread, 0, bytes);
	atomic_init(&thread->wanted, glc_owner_fences && !GLC_UNDER_TSAN ? GLC_FENCED : 0);
	atomic_init(&thread->threads, threads);
	thread->number = threads->count++;
	threads->make(threads->user, thread);
	set_gates(thread, true);
	thread->next = threads->first;
	if (threads->first)
		threads->first->before = thread;
	threads->first = thread;
	thread->next_own = sweep(pthread_getspecific(key));
	pthread_setspecific(key, thread);
	return thread;
}

struct glc_thread *glc_thread_make(struct glc_threads *threads)
{
	unsigned place = threads->id % RECENT;

	if (recent[place].id != threads->id) {
		struct glc_thread *thread;

		pthread_mutex_lock(&lock);
		thread = find_own(threads);
		if (!thread)
			thread = make(threads);
		pthread_mutex_unlock(&lock);
		if (!thread)
			return NULL;
		recent[place].id = threads->id;
		recent[place].thread = thread;
	}
	return glc_last = recent[place].thread;
}

/* Whoever wants the state holds the lock until it is done. */
void glc_thread_wait(struct glc_thread *thread)
{
	atomic_store_explicit(&thread->busy, 0, memory_order_release);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

void glc_threads_each(struct glc_threads *threads, glc_state_fn *fn, void *user)
{
	struct glc_thread *thread;

	pthread_mutex_lock(&lock);
	for (thread = threads->first; thread; thread = thread->next) {
		atomic_fetch_or(&thread->wanted, GLC_WANTED);
		set_gates(thread, false);
	}
	if (!glc_owner_fences)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	for (thread = threads->first; thread; thread = thread->next) {
		while (atomic_load(&thread->busy))
			sched_yield();
		fn(user, thread);
		atomic_fetch_and_explicit(&thread->wanted, ~(uint32_t)GLC_WANTED, memory_order_release);
		set_gates(thread, true);
	}
	pthread_mutex_unlock(&lock);
}
