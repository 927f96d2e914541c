/* SPDX-License-Identifier: MIT */
/* The group as a transport: a bounded channel for each link, and a bell for each rank. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "collective/group_shared.h"
#include "collective/wait.h"

#include <sched.h>
#include <string.h>

void glc_shared_ring(struct glc_shared *shared, uint32_t rank)
{
	struct glc_member *member = &shared->members[rank];

	atomic_fetch_add(&member->bell, 1);
	if (atomic_load(&member->dozing))
		glc_futex_wake(&member->bell);
}

static uint32_t behind(const struct glc_group *group, uint32_t link)
{
	return (group->rank + group->size - ((1u << link) % group->size)) % group->size;
}

static uint32_t ahead(const struct glc_group *group, uint32_t link)
{
	return (group->rank + (1u << link)) % group->size;
}

static bool is_gone(const struct glc_group *group, uint32_t rank)
{
	return atomic_load(&group->shared->members[rank].gone) != 0;
}

/* Between the caller's parts and the channel, around its end. */
static void move(struct glc_channel *channel, uint64_t at, unsigned char *bytes, size_t count, bool in)
{
	size_t offset = at % GLC_GROUP_CHANNEL_BYTES, first = GLC_GROUP_CHANNEL_BYTES - offset;

	if (first > count)
		first = count;
	if (in) {
		memcpy(channel->bytes + offset, bytes, first);
		memcpy(channel->bytes, bytes + first, count - first);
	} else {
		memcpy(bytes, channel->bytes + offset, first);
		memcpy(bytes + first, channel->bytes, count - first);
	}
}

static size_t move_parts(struct glc_channel *channel, uint64_t at, const struct iovec *parts, int count, size_t most, bool in)
{
	size_t done = 0;

	for (int i = 0; i < count && done < most; i++) {
		size_t bytes = parts[i].iov_len < most - done ? parts[i].iov_len : most - done;

		move(channel, at + done, parts[i].iov_base, bytes, in);
		done += bytes;
	}
	return done;
}

static ptrdiff_t group_send(void *self, uint32_t link, const struct iovec *parts, int count)
{
	struct glc_group *group = self;
	struct glc_channel *channel = glc_shared_channel(group->shared, group->rank, link);
	uint64_t written = atomic_load_explicit(&channel->written, memory_order_relaxed);
	uint64_t read = atomic_load_explicit(&channel->read, memory_order_acquire);
	size_t room = GLC_GROUP_CHANNEL_BYTES - (size_t)(written - read);
	size_t done = move_parts(channel, written, parts, count, room, true);

	if (!done)
		return is_gone(group, ahead(group, link)) ? -1 : 0;
	atomic_store_explicit(&channel->written, written + done, memory_order_release);
	glc_shared_ring(group->shared, ahead(group, link));
	return (ptrdiff_t)done;
}

static ptrdiff_t group_recv(void *self, uint32_t link, const struct iovec *parts, int count)
{
	struct glc_group *group = self;
	uint32_t from = behind(group, link);
	struct glc_channel *channel = glc_shared_channel(group->shared, from, link);
	bool gone = is_gone(group, from);
	uint64_t read = atomic_load_explicit(&channel->read, memory_order_relaxed);
	uint64_t written = atomic_load_explicit(&channel->written, memory_order_acquire);
	size_t done = move_parts(channel, read, parts, count, (size_t)(written - read), false);

	if (!done)
		return gone ? -1 : 0;
	atomic_store_explicit(&channel->read, read + done, memory_order_release);
	glc_shared_ring(group->shared, from);
	return (ptrdiff_t)done;
}

static bool can_go_on(struct glc_group *group, uint32_t send_links, uint32_t recv_links)
{
	struct glc_shared *shared = group->shared;

	if (atomic_load_explicit(&shared->failure_state, memory_order_relaxed) == 2)
		return true;
	for (uint32_t link = 0; link < shared->links; link++) {
		struct glc_channel *out = glc_shared_channel(shared, group->rank, link);
		struct glc_channel *in = glc_shared_channel(shared, behind(group, link), link);

		if (send_links >> link & 1 &&
		    (atomic_load(&out->written) - atomic_load(&out->read) < GLC_GROUP_CHANNEL_BYTES ||
		     is_gone(group, ahead(group, link))))
			return true;
		if (recv_links >> link & 1 &&
		    (atomic_load(&in->written) != atomic_load(&in->read) || is_gone(group, behind(group, link))))
			return true;
	}
	return false;
}

static void group_wait(void *self, uint32_t send_links, uint32_t recv_links, uint64_t nanoseconds)
{
	struct glc_group *group = self;
	struct glc_member *member = &group->shared->members[group->rank];
	uint32_t begun = atomic_load(&member->bell), bell;

	for (uint32_t i = 0; i < group->spins; i++) {
		if (atomic_load_explicit(&member->bell, memory_order_relaxed) != begun &&
		    can_go_on(group, send_links, recv_links))
			return;
		glc_pause();
	}
	for (uint32_t i = 0; i < group->yields; i++) {
		if (can_go_on(group, send_links, recv_links))
			return;
		sched_yield();
	}
	atomic_store(&member->dozing, 1);
	bell = atomic_load(&member->bell);
	if (!can_go_on(group, send_links, recv_links))
		glc_futex_wait(&member->bell, bell, nanoseconds);
	atomic_store(&member->dozing, 0);
}

/* A rank of a meeting waits at the gate. */
static void group_wake(void *self)
{
	struct glc_group *group = self;

	glc_shared_ring(group->shared, group->rank);
	atomic_fetch_add(&group->shared->gate, 1);
	glc_futex_wake(&group->shared->gate);
}

static void group_destroy(void *self)
{
	glc_group_destroy(self);
}

void glc_group_transport(struct glc_group *group, struct glacier_transport *transport)
{
	*transport = (struct glacier_transport){
		.name = group->local ? "inproc" : "shm", .self = group, .rank = group->rank, .size = group->size,
		.channels = 1, .send = group_send, .recv = group_recv, .wait = group_wait, .wake = group_wake,
		.destroy = group_destroy,
	};
}
