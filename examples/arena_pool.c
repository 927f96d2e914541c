/* SPDX-License-Identifier: MIT */
/*
 * arena_pool - a pool of the host's memory: small and large allocations, scratch for a scope, a free that is
 * wrong, and what the pool says of itself.
 *
 *     cc arena_pool.c $(pkg-config --cflags --libs libglacier) && ./a.out
 */
#include <glacier.h>

#include <stdio.h>
#include <string.h>

static int fail(const char *what, enum glacier_status status)
{
	fprintf(stderr, "%s: %s\n", what, glacier_status_name(status));
	return 1;
}

int main(void)
{
	struct glacier_arena_options options = {.bytes = 512 << 20, .reservoir_bytes = 256 << 20, .ring_bytes = 16 << 20};
	static const uint64_t sizes[] = {100, 4096, 300000, 40 << 20};
	glacier_addr given[4], addr;
	struct glacier_scratch scratch;
	struct glacier_arena_stats stats;
	struct glacier_arena *pool;
	enum glacier_status status = glacier_arena_create(&options, &pool);

	if (status)
		return fail("no pool", status);
	for (int i = 0; i < 4; i++) {
		struct glacier_allocation found;

		status = glacier_arena_alloc(pool, sizes[i], &given[i]);
		if (status || glacier_arena_find(pool, given[i], &found))
			return fail("no allocation", status);
		/* This pool has memory behind its addresses; one over a device's range would not be written here. */
		memset((void *)(uintptr_t)given[i], i, sizes[i]);
		printf("%9llu bytes: %llu of the %s\n", (unsigned long long)sizes[i], (unsigned long long)found.bytes,
		       glacier_tier_name(found.tier));
	}
	status = glacier_arena_rent_scratch(pool, 1000, &scratch);
	if (status)
		return fail("no scratch", status);
	printf("     1000 bytes: %llu of the ring, for a scope\n", (unsigned long long)scratch.bytes);
	glacier_scratch_release(&scratch);
	addr = given[1] + 8;
	printf("a free inside of an allocation: %s\n", glacier_status_name(glacier_arena_free(pool, addr)));
	for (int i = 0; i < 4; i++)
		if ((status = glacier_arena_free(pool, given[i])))
			return fail("free", status);
	printf("a second free: %s\n", glacier_status_name(glacier_arena_free(pool, given[0])));
	glacier_arena_get_stats(pool, &stats);
	printf("%llu allocations, %llu live\n", (unsigned long long)stats.tier[GLACIER_TIER_POOL].allocs,
	       (unsigned long long)stats.tier[GLACIER_TIER_POOL].live);
	glacier_arena_destroy(pool);
	return 0;
}
