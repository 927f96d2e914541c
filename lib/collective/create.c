/* SPDX-License-Identifier: MIT */
/* Communicators from transports. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "collective/create.h"
#include "base/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const struct glacier_comm_options defaults = {
	.timeout_ns = UINT64_C(5000000000),
	.piece_bytes = 1 << 18,
};

enum glacier_status glc_comm_options(const struct glacier_comm_options *options, struct glacier_comm_options *filled,
				     enum glc_cpu_level *level, struct glacier_diag *diag)
{
	*filled = options ? *options : defaults;
	if (!filled->timeout_ns)
		filled->timeout_ns = defaults.timeout_ns;
	if (!filled->piece_bytes)
		filled->piece_bytes = defaults.piece_bytes;
	if (filled->piece_bytes % 64 || filled->piece_bytes > 1u << 30)
		return glc_fail(diag, GLC_AR_ARGUMENT, GLC_NOWHERE, "pieces are multiples of 64 bytes, up to 2^30");
	if ((unsigned)filled->algorithm >= GLACIER_ALGORITHM_COUNT)
		return glc_fail(diag, GLC_AR_ARGUMENT, GLC_NOWHERE, "there is no such algorithm");
	*level = glc_cpu_level();
	if (filled->level && (!glc_cpu_level_find(filled->level, level) || !glc_cpu_has(*level)))
		return glc_fail(diag, GLC_AR_ARGUMENT, GLC_NOWHERE, "this machine has no such level of instructions");
	return GLACIER_OK;
}

enum glacier_status glc_comm_new(const struct glacier_transport *transport, const struct glc_signals *signals,
				 struct glc_group *group, uint64_t job, const struct glacier_comm_options *options,
				 struct glacier_comm **out, struct glacier_diag *diag)
{
	struct glacier_comm *comm;
	enum glacier_status status;

	if (!transport->size || transport->size > GLACIER_COMM_RANKS || transport->rank >= transport->size ||
	    !transport->channels || transport->channels > GLC_CHANNELS)
		return glc_fail(diag, GLC_AR_ARGUMENT, GLC_NOWHERE, "rank, size or channels are out of range");
	comm = calloc(1, sizeof *comm);
	if (!comm)
		return glc_fail(diag, GLC_AR_NO_MEMORY, GLC_NOWHERE);
	status = glc_comm_options(options, &comm->options, &comm->level, diag);
	if (status != GLACIER_OK)
		goto fail;
	comm->inputs = calloc(2 * (size_t)transport->size, sizeof *comm->inputs);
	comm->outputs = calloc(transport->size, sizeof *comm->outputs);
	comm->scratch = aligned_alloc(4096, 3 * GLC_SCRATCH_BYTES);
	if (!comm->inputs || !comm->outputs || !comm->scratch) {
		status = glc_fail(diag, GLC_AR_NO_MEMORY, GLC_NOWHERE);
		goto fail;
	}
	comm->rank = transport->rank;
	comm->size = transport->size;
	comm->transport = *transport;
	if (signals)
		comm->signals = *signals;
	comm->group = group;
	comm->job = job;
	while (1u << comm->links < comm->size)
		comm->links++;
	glc_model_default(comm);
	*out = comm;
	return GLACIER_OK;

fail:
	free(comm->scratch);
	free(comm->outputs);
	free(comm->inputs);
	free(comm);
	return status;
}

enum glacier_status glacier_comm_create(const struct glacier_transport *transport,
					const struct glacier_comm_options *options, struct glacier_comm **out,
					struct glacier_diag *diag)
{
	return glc_comm_new(transport, NULL, NULL, 0, options, out, diag);
}

void glacier_comm_destroy(struct glacier_comm *comm)
{
	if (!comm)
		return;
	/* Who leaves in the middle takes the others with it, by its name. */
	if (comm->work.active && !comm->failure.reason && comm->size > 1)
		glc_comm_fail_rank(comm, GLC_REASON_ABORTED, comm->rank);
	if (comm->transport.destroy)
		comm->transport.destroy(comm->transport.self);
	for (uint32_t i = 0; i < comm->allocation_count; i++)
		munmap(comm->allocations[i].iov_base, comm->allocations[i].iov_len);
	if (comm->memory)
		munmap(comm->memory, comm->memory_bytes);
	free(comm->scratch);
	free(comm->outputs);
	free(comm->inputs);
	free(comm);
}

uint32_t glacier_comm_rank(const struct glacier_comm *comm) { return comm->rank; }
uint32_t glacier_comm_size(const struct glacier_comm *comm) { return comm->size; }

/* --- Groups ---------------------------------------------------------------------------- */

static void group_fail(void *self, const struct glc_failure *failure) { glc_group_fail(self, failure); }
static bool group_failed(void *self, struct glc_failure *failure) { return glc_group_failed(self, failure); }
static uint32_t group_late(void *self, uint64_t sequence) { return glc_group_behind(self, sequence); }

static void group_tell(void *self, uint64_t sequence, uint32_t waits_for)
{
	(void)waits_for;
	glc_group_tell(self, sequence);
}

static enum glacier_status group_comm(struct glc_group *group, const struct glacier_comm_options *options,
				      struct glacier_comm **out, struct glacier_diag *diag)
{
	static const struct glc_signals signals = {
		.fail = group_fail, .failed = group_failed, .tell = group_tell, .late = group_late};
	struct glacier_transport transport;

	glc_group_transport(group, &transport);
	return glc_comm_new(&transport, &signals, group, glc_group_job(group), options, out, diag);
}

enum glacier_status glacier_comm_create_local(uint32_t size, const struct glacier_comm_options *options,
					      struct glacier_comm **comms, struct glacier_diag *diag)
{
	struct glc_group **groups;
	struct glacier_comm **made;
	enum glacier_status status = GLACIER_OK;
	uint32_t count = 0;

	if (!size || size > GLACIER_COMM_RANKS)
		return glc_fail(diag, GLC_AR_ARGUMENT, GLC_NOWHERE, "a group has 1 to 4096 ranks");
	groups = calloc(size, sizeof *groups);
	made = calloc(size, sizeof *made);
	if (!groups || !made || !glc_group_create_local(size, options && options->shares_processors, groups)) {
		status = glc_fail(diag, GLC_AR_NO_MEMORY, GLC_NOWHERE);
	} else {
		while (count < size && status == GLACIER_OK) {
			status = group_comm(groups[count], options, &made[count], diag);
			count += status == GLACIER_OK;
		}
		if (status == GLACIER_OK)
			memcpy(comms, made, size * sizeof *made);
		for (uint32_t rank = 0; status != GLACIER_OK && rank < size; rank++)
			rank < count ? glacier_comm_destroy(made[rank]) : glc_group_destroy(groups[rank]);
	}
	free(made);
	free(groups);
	return status;
}

enum glacier_status glacier_comm_shared_file(uint32_t size, int *fd, struct glacier_diag *diag)
{
	if (!size || size > GLACIER_COMM_RANKS)
		return glc_fail(diag, GLC_AR_ARGUMENT, GLC_NOWHERE, "a group has 1 to 4096 ranks");
	if (!glc_group_file(size, fd))
		return glc_fail(diag, GLC_AR_SYSTEM, GLC_NOWHERE, "the group's file", strerror(errno));
	return GLACIER_OK;
}

enum glacier_status glacier_comm_create_shared(int fd, uint32_t rank, uint32_t size,
					       const struct glacier_comm_options *options, struct glacier_comm **out,
					       struct glacier_diag *diag)
{
	struct glacier_comm_options filled;
	enum glc_cpu_level level;
	struct glc_group *group;
	enum glacier_status status;

	if (!size || size > GLACIER_COMM_RANKS || rank >= size)
		return glc_fail(diag, GLC_AR_ARGUMENT, GLC_NOWHERE, "rank or size are out of range");
	status = glc_comm_options(options, &filled, &level, diag);
	if (status != GLACIER_OK)
		return status;
	status = glc_group_create_shared(fd, rank, size, filled.shares_processors, filled.timeout_ns, &group, diag);
	if (status != GLACIER_OK)
		return status;
	status = group_comm(group, &filled, out, diag);
	if (status != GLACIER_OK)
		glc_group_destroy(group);
	return status;
}
