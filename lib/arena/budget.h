/* SPDX-License-Identifier: MIT */
/* Bytes that the tiers of an arena have reserved together: counted where leaves, granules and rings are claimed. */
#ifndef GLC_ARENA_BUDGET_H
#define GLC_ARENA_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct glc_budget {
	_Alignas(128) _Atomic uint64_t reserved;
	_Atomic uint64_t peak;
	uint64_t hard, soft;               /* 0: none */
	_Atomic bool crossed;              /* the soft one, since it was last told */
};

static inline bool glc_budget_take(struct glc_budget *budget, uint64_t bytes)
{
	uint64_t now = atomic_fetch_add_explicit(&budget->reserved, bytes, memory_order_relaxed) + bytes;

	if (budget->hard && now > budget->hard) {
		atomic_fetch_sub_explicit(&budget->reserved, bytes, memory_order_relaxed);
		return false;
	}
	if (budget->soft && now > budget->soft && now - bytes <= budget->soft)
		atomic_store_explicit(&budget->crossed, true, memory_order_relaxed);
	return true;
}

/* The claim that was taken for has succeeded. */
static inline void glc_budget_keep(struct glc_budget *budget)
{
	uint64_t now = atomic_load_explicit(&budget->reserved, memory_order_relaxed);
	uint64_t peak = atomic_load_explicit(&budget->peak, memory_order_relaxed);

	while (now > peak && !atomic_compare_exchange_weak_explicit(&budget->peak, &peak, now, memory_order_relaxed,
								    memory_order_relaxed))
		;
}

static inline void glc_budget_return(struct glc_budget *budget, uint64_t bytes)
{
	atomic_fetch_sub_explicit(&budget->reserved, bytes, memory_order_relaxed);
}

#endif
