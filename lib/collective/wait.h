/* SPDX-License-Identifier: MIT */
/* Sleeping until a word of memory changes, within a process or between them. */
#ifndef GLC_COLLECTIVE_WAIT_H
#define GLC_COLLECTIVE_WAIT_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t glc_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline struct timespec glc_timespec(uint64_t nanoseconds)
{
	return (struct timespec){.tv_sec = (time_t)(nanoseconds / 1000000000),
				 .tv_nsec = (long)(nanoseconds % 1000000000)};
}

/* Returns when the word is not `seen`, it was woken, or the time is over. Not the private kind: the word may be shared. */
static inline void glc_futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t nanoseconds)
{
	struct timespec time = glc_timespec(nanoseconds);

	syscall(SYS_futex, word, FUTEX_WAIT, seen, &time, NULL, 0);
}

static inline void glc_futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static inline void glc_pause(void)
{
#if defined __x86_64__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("yield");
#endif
}

#endif
