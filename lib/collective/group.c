/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "collective/group_shared.h"
#include "collective/wait.h"
#include "base/cpu.h"
#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define GROUP_MAGIC UINT64_C(0x31307061476c6720)

/* Some tens of microseconds, then as long again with the processor given to others in between. */
enum { SPINS = 2000, YIELDS = 60, JOIN_SECONDS = 10 };

static size_t align_up(size_t bytes, size_t to)
{
	return (bytes + to - 1) / to * to;
}

static uint32_t link_count(uint32_t size)
{
	uint32_t links = 0;

	while (1u << links < size)
		links++;
	return links ? links : 1;
}

/* --- The memory ------------------------------------------------------------------------ */

static size_t slots_at(uint32_t size)
{
	return align_up(sizeof(struct glc_shared) + size * sizeof(struct glc_member), 4096);
}

static size_t channels_at(uint32_t size)
{
	return slots_at(size) + (size_t)size * 2 * GLC_GROUP_SLOT_BYTES;
}

size_t glc_shared_bytes(uint32_t size)
{
	return align_up(channels_at(size) + (size_t)size * link_count(size) * sizeof(struct glc_channel), 4096);
}

void glc_shared_init(struct glc_shared *shared, uint32_t size, uint64_t job)
{
	shared->size = size;
	shared->links = link_count(size);
	shared->job = job;
	shared->bytes = glc_shared_bytes(size);
	shared->magic = GROUP_MAGIC;
}

struct glc_channel *glc_shared_channel(struct glc_shared *shared, uint32_t rank, uint32_t link)
{
	return (struct glc_channel *)((unsigned char *)shared + channels_at(shared->size)) +
	       ((size_t)rank * shared->links + link);
}

static uint64_t random_job(void)
{
	uint64_t job = 0;

	if (getrandom(&job, sizeof job, GRND_NONBLOCK) != sizeof job)
		job = glc_now_ns();
	return job;
}

static void set_patience(struct glc_group *group, bool shares_processors)
{
	group->spins = shares_processors ? 0 : SPINS;
	group->yields = YIELDS;
}

bool glc_group_create_local(uint32_t size, bool shares_processors, struct glc_group **groups)
{
	size_t bytes = glc_shared_bytes(size);
	/* Zero, and no page of it is there before it is used. */
	struct glc_shared *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t made = 0;

	if (shared == MAP_FAILED)
		return false;
	glc_shared_init(shared, size, random_job());
	atomic_store(&shared->users, size);
	for (; made < size; made++) {
		struct glc_group *group = calloc(1, sizeof *group);

		if (!group)
			goto fail;
		group->shared = shared;
		group->rank = made;
		group->size = size;
		group->local = true;
		group->fd = -1;
		set_patience(group, shares_processors || size > glc_cpu_count());
		atomic_store(&shared->members[made].present, 1);
		groups[made] = group;
	}
	return true;

fail:
	while (made)
		free(groups[--made]);
	munmap(shared, bytes);
	return false;
}

bool glc_group_file(uint32_t size, int *fd)
{
	size_t bytes = glc_shared_bytes(size);
	struct glc_shared *shared;
	int file = memfd_create("glacier-group", MFD_CLOEXEC);

	if (file < 0)
		return false;
	if (ftruncate(file, (off_t)bytes))
		goto fail;
	shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (shared == MAP_FAILED)
		goto fail;
	glc_shared_init(shared, size, random_job());
	munmap(shared, bytes);
	*fd = file;
	return true;

fail:
	close(file);
	return false;
}

/* Whether this process may read the others' memory. */
static bool try_copies(struct glc_group *group)
{
	for (uint32_t rank = 0; rank < group->size; rank++) {
		uint64_t seen = 0;

		if (!glc_group_copy(group, rank, &seen, group->shared->members[rank].proof, sizeof seen) ||
		    seen != GROUP_MAGIC)
			return false;
	}
	return true;
}

static bool wait_to_begin(struct glc_group *group, uint64_t phase, uint64_t until, struct glc_failure *failure)
{
	while (!glc_group_met(group, phase)) {
		uint32_t late = glc_group_late(group, phase);
		uint64_t now = glc_now_ns();

		if (glc_group_failed(group, failure))
			return false;
		if (now >= until) {
			*failure = (struct glc_failure){.magic = GLC_FAILURE_MAGIC, .reason = GLC_REASON_LOST,
							.rank = late < group->size ? late : 0};
			return false;
		}
		glc_group_wait_met(group, phase, 100000000);
	}
	return true;
}

enum glacier_status glc_group_create_shared(int fd, uint32_t rank, uint32_t size, bool shares_processors,
					    uint64_t timeout_ns, struct glc_group **out, struct glacier_diag *diag)
{
	size_t bytes = glc_shared_bytes(size);
	uint64_t until = glc_now_ns() + timeout_ns + JOIN_SECONDS * UINT64_C(1000000000);
	struct glc_failure failure = {0};
	struct glc_group *group;
	struct glc_member *self;
	struct stat status;
	enum glacier_status result;

	if (fstat(fd, &status))
		return glc_fail(diag, GLC_AR_SYSTEM, GLC_NOWHERE, "the group's file", strerror(errno));
	if ((uint64_t)status.st_size < bytes)
		return glc_fail(diag, GLC_AR_ARGUMENT, GLC_NOWHERE, "the group's file belongs to fewer ranks");
	group = calloc(1, sizeof *group);
	if (!group)
		return glc_fail(diag, GLC_AR_NO_MEMORY, GLC_NOWHERE);
	group->rank = rank;
	group->size = size;
	group->timeout_ns = timeout_ns;
	group->file_bytes = bytes;
	group->magic_copy = GROUP_MAGIC;
	set_patience(group, shares_processors || size > glc_cpu_count());
	group->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (group->fd < 0) {
		result = glc_fail(diag, GLC_AR_SYSTEM, GLC_NOWHERE, "the group's file", strerror(errno));
		goto fail_group;
	}
	group->shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (group->shared == MAP_FAILED) {
		result = glc_fail(diag, GLC_AR_SYSTEM, GLC_NOWHERE, "the group's file", strerror(errno));
		goto fail_file;
	}
	if (group->shared->magic != GROUP_MAGIC || group->shared->size != size) {
		result = glc_fail(diag, GLC_AR_ARGUMENT, GLC_NOWHERE, "the group's file belongs to another number of ranks");
		goto fail_map;
	}
	self = &group->shared->members[rank];
	if (atomic_exchange(&self->present, 1)) {
		result = glc_fail(diag, GLC_AR_ARGUMENT, GLC_NOWHERE, "two processes have the same rank");
		goto fail_map;
	}
	self->pid = getpid();
	self->proof = (uint64_t)(uintptr_t)&group->magic_copy;
	if (!wait_to_begin(group, glc_group_arrive(group), until, &failure))
		goto fail_start;
	self->can_copy = try_copies(group);
	if (!wait_to_begin(group, glc_group_arrive(group), until, &failure))
		goto fail_start;
	if (!glc_group_watch(group)) {
		failure = (struct glc_failure){.magic = GLC_FAILURE_MAGIC, .reason = GLC_REASON_MEMORY, .rank = rank};
		goto fail_start;
	}
	*out = group;
	return GLACIER_OK;

fail_start:
	glc_group_unwatch(group);
	glc_group_fail(group, &failure);
	result = glc_failure_report(&failure, diag);
	atomic_store(&self->gone, 1);
fail_map:
	munmap(group->shared, bytes);
fail_file:
	close(group->fd);
fail_group:
	free(group);
	return result;
}

void glc_group_destroy(struct glc_group *group)
{
	struct glc_shared *shared = group->shared;
	uint32_t size = group->size;

	glc_group_unwatch(group);
	atomic_store(&shared->members[group->rank].gone, 1);
	for (uint32_t rank = 0; rank < size; rank++)
		glc_shared_ring(shared, rank);
	atomic_fetch_add(&shared->gate, 1);
	glc_futex_wake(&shared->gate);
	for (uint32_t i = 0; i < group->segment_count; i++)
		munmap(group->segments[i].at, group->segments[i].map_bytes);
	if (!group->local || atomic_fetch_sub(&shared->users, 1) == 1)
		munmap(shared, glc_shared_bytes(size));
	if (group->fd >= 0)
		close(group->fd);
	free(group);
}

bool glc_group_is_local(const struct glc_group *group) { return group->local; }
uint64_t glc_group_job(const struct glc_group *group) { return group->shared->job; }

/* --- Failure --------------------------------------------------------------------------- */

void glc_group_fail(struct glc_group *group, const struct glc_failure *failure)
{
	struct glc_shared *shared = group->shared;
	uint32_t none = 0;

	if (!atomic_compare_exchange_strong(&shared->failure_state, &none, 1))
		return;
	shared->failure = *failure;
	atomic_store(&shared->failure_state, 2);
	for (uint32_t rank = 0; rank < group->size; rank++)
		glc_shared_ring(shared, rank);
	atomic_fetch_add(&shared->gate, 1);
	glc_futex_wake(&shared->gate);
}

bool glc_group_failed(struct glc_group *group, struct glc_failure *failure)
{
	if (atomic_load_explicit(&group->shared->failure_state, memory_order_acquire) != 2)
		return false;
	*failure = group->shared->failure;
	return true;
}

/* --- Meetings -------------------------------------------------------------------------- */

uint64_t glc_group_arrive(struct glc_group *group)
{
	struct glc_shared *shared = group->shared;
	uint64_t phase = ++group->phase, arrivals;

	atomic_store_explicit(&shared->members[group->rank].arrived, phase, memory_order_relaxed);
	arrivals = atomic_fetch_add(&shared->arrivals, 1) + 1;
	/* Nobody arrives at a phase before all have at the one before. */
	if (arrivals == phase * group->size) {
		atomic_fetch_add(&shared->gate, 1);
		if (atomic_load(&shared->sleepers))
			glc_futex_wake(&shared->gate);
	}
	return phase;
}

bool glc_group_met(struct glc_group *group, uint64_t phase)
{
	return atomic_load_explicit(&group->shared->arrivals, memory_order_acquire) >= phase * group->size;
}

void glc_group_wait_met(struct glc_group *group, uint64_t phase, uint64_t nanoseconds)
{
	struct glc_shared *shared = group->shared;
	uint32_t seen;

	for (uint32_t i = 0; i < group->spins; i++) {
		if (glc_group_met(group, phase))
			return;
		glc_pause();
	}
	for (uint32_t i = 0; i < group->yields; i++) {
		if (glc_group_met(group, phase))
			return;
		sched_yield();
	}
	seen = atomic_load(&shared->gate);
	atomic_fetch_add(&shared->sleepers, 1);
	if (!glc_group_met(group, phase) && atomic_load(&shared->failure_state) != 2)
		glc_futex_wait(&shared->gate, seen, nanoseconds);
	atomic_fetch_sub(&shared->sleepers, 1);
}

uint32_t glc_group_late(struct glc_group *group, uint64_t phase)
{
	for (uint32_t rank = 0; rank < group->size; rank++)
		if (atomic_load_explicit(&group->shared->members[rank].arrived, memory_order_relaxed) < phase)
			return rank;
	return UINT32_MAX;
}

void glc_group_tell(struct glc_group *group, uint64_t sequence)
{
	atomic_store_explicit(&group->shared->members[group->rank].sequence, sequence, memory_order_relaxed);
}

uint32_t glc_group_behind(struct glc_group *group, uint64_t sequence)
{
	for (uint32_t rank = 0; rank < group->size; rank++)
		if (atomic_load_explicit(&group->shared->members[rank].sequence, memory_order_relaxed) < sequence)
			return rank;
	return UINT32_MAX;
}

uint32_t glc_group_deserter(struct glc_group *group, uint64_t phase)
{
	for (uint32_t rank = 0; rank < group->size; rank++)
		/* In this order: what it did before it left counts. */
		if (atomic_load(&group->shared->members[rank].gone) &&
		    atomic_load(&group->shared->members[rank].arrived) < phase)
			return rank;
	return UINT32_MAX;
}

/* --- What ranks show ------------------------------------------------------------------- */

struct glc_header *glc_group_header(struct glc_group *group, uint32_t rank, uint64_t sequence)
{
	return &group->shared->members[rank].headers[sequence & 1];
}

void *glc_group_slot(struct glc_group *group, uint32_t rank, uint64_t sequence)
{
	return (unsigned char *)group->shared + slots_at(group->size) +
	       ((size_t)rank * 2 + (sequence & 1)) * GLC_GROUP_SLOT_BYTES;
}

struct glc_group_arrays *glc_group_arrays(struct glc_group *group, uint32_t rank)
{
	return &group->shared->members[rank].arrays;
}

static int32_t find_segment(const struct glc_group *group, uint64_t address, size_t bytes, uint64_t *offset)
{
	for (uint32_t i = 0; i < group->segment_count; i++) {
		const struct glc_segment *segment = &group->segments[i];
		uint64_t own = (uint64_t)(uintptr_t)segment->at + group->rank * segment->rank_bytes;

		if (address < own || address - own > segment->rank_bytes ||
		    bytes > segment->rank_bytes - (address - own))
			continue;
		*offset = address - own;
		return (int32_t)i;
	}
	*offset = 0;
	return -1;
}

void glc_group_locate(struct glc_group *group, struct glc_group_arrays *arrays, size_t in_bytes, size_t out_bytes)
{
	arrays->in_segment = arrays->out_segment = -1;
	if (group->local)
		return;
	arrays->in_segment = find_segment(group, arrays->in, in_bytes, &arrays->in_offset);
	arrays->out_segment = find_segment(group, arrays->out, out_bytes, &arrays->out_offset);
}

void *glc_group_reach(struct glc_group *group, uint32_t rank, bool out)
{
	const struct glc_group_arrays *arrays = glc_group_arrays(group, rank);
	int32_t index = out ? arrays->out_segment : arrays->in_segment;
	const struct glc_segment *segment;

	if (group->local || rank == group->rank)
		return (void *)(uintptr_t)(out ? arrays->out : arrays->in);
	if (index < 0 || (uint32_t)index >= group->segment_count)
		return NULL;
	segment = &group->segments[index];
	return segment->at + rank * segment->rank_bytes + (out ? arrays->out_offset : arrays->in_offset);
}

bool glc_group_can_copy(const struct glc_group *group)
{
	if (group->local)
		return true;
	for (uint32_t rank = 0; rank < group->size; rank++)
		if (!group->shared->members[rank].can_copy)
			return false;
	return true;
}

bool glc_group_copy(struct glc_group *group, uint32_t rank, void *to, uint64_t from, size_t bytes)
{
	unsigned char *at = to;

	if (rank == group->rank || group->local) {
		memcpy(to, (const void *)(uintptr_t)from, bytes);
		return true;
	}
	while (bytes) {
		struct iovec here = {at, bytes}, there = {(void *)(uintptr_t)from, bytes};
		ssize_t n = process_vm_readv(group->shared->members[rank].pid, &here, 1, &there, 1, 0);

		if (n <= 0)
			return false;
		at += n;
		from += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return true;
}

/* --- Memory that all reach ------------------------------------------------------------- */

/*
 * Large parts are whole huge pages, and lie so in the file and in the address space. The system gives a file in memory none
 * by itself where shmem_enabled says "never", but does so when it is asked for them (Linux 6.1, MADV_COLLAPSE).
 */
enum { HUGE_BYTES = 2 << 20, HUGE_FROM_BYTES = 4 << 20 };

static size_t grain(size_t bytes)
{
	return bytes >= HUGE_FROM_BYTES ? HUGE_BYTES : 4096;
}

bool glc_group_grow(struct glc_group *group, size_t bytes)
{
	uint64_t total, at = align_up(group->file_bytes, grain(bytes));

	if (group->local)
		return true;
	return !__builtin_mul_overflow(align_up(bytes, grain(bytes)), group->size, &total) &&
	       total <= INT64_MAX - at && !ftruncate(group->fd, (off_t)(at + total));
}

/* At a multiple of the alignment, which the system does not promise. */
static void *map_aligned(size_t bytes, size_t alignment, int fd, uint64_t offset)
{
	size_t all = bytes + alignment - 4096, before;
	unsigned char *room = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), *at;

	if (room == MAP_FAILED)
		return MAP_FAILED;
	before = -(uintptr_t)room & (alignment - 1);
	at = mmap(room + before, bytes, PROT_READ | PROT_WRITE, MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED),
		  fd, (off_t)offset);
	if (at == MAP_FAILED) {
		munmap(room, all);
		return MAP_FAILED;
	}
	if (before)
		munmap(room, before);
	if (all - before > bytes)
		munmap(at + bytes, all - before - bytes);
	return at;
}

/* The memory is allocated now; should it run out, it is here and not in a collective. false: it has. */
static bool populate(unsigned char *at, size_t bytes)
{
	/* Hints: where huge pages are not to be had, small ones do. */
	madvise(at, bytes, MADV_HUGEPAGE);
#ifdef MADV_COLLAPSE
	if (bytes >= HUGE_FROM_BYTES) {
		/* One small page each, since the system makes no huge page of nothing; the rest is cheaper than small ones. */
		for (size_t i = 0; i < bytes; i += HUGE_BYTES)
			madvise(at + i, 4096, MADV_POPULATE_WRITE);
		madvise(at, bytes, MADV_COLLAPSE);
	}
#endif
#ifdef MADV_POPULATE_WRITE
	return !madvise(at, bytes, MADV_POPULATE_WRITE) || errno == EINVAL;
#else
	return true;
#endif
}

void *glc_group_map(struct glc_group *group, size_t bytes)
{
	struct glc_segment segment = {.rank_bytes = bytes ? bytes : 1};
	size_t own;

	if (group->segment_count == GLC_GROUP_SEGMENTS || bytes > SIZE_MAX / 2)
		return NULL;
	segment.rank_bytes = align_up(segment.rank_bytes, grain(bytes));
	group->file_bytes = align_up(group->file_bytes, grain(bytes));
	if (group->local)
		segment.map_bytes = segment.rank_bytes;
	else if (__builtin_mul_overflow(segment.rank_bytes, group->size, &segment.map_bytes))
		return NULL;
	segment.at = map_aligned(segment.map_bytes, grain(bytes), group->fd, group->local ? 0 : group->file_bytes);
	if (segment.at == MAP_FAILED)
		return NULL;
	own = group->local ? 0 : group->rank * segment.rank_bytes;
	if (!populate(segment.at + own, segment.rank_bytes)) {
		munmap(segment.at, segment.map_bytes);
		return NULL;
	}
	group->segments[group->segment_count++] = segment;
	group->file_bytes += group->local ? 0 : segment.map_bytes;
	return segment.at + own;
}
