/* SPDX-License-Identifier: MIT */
/*
 * Which algorithm: the time of each by a model of steps and bytes (Hockney, "The communication
 * challenge for MPP", 1994). The numbers are those of a common machine, or measured; rank 0's
 * are everybody's, so that all choose the same.
 */
#include "collective/comm.h"
#include "collective/create.h"

#include <math.h>
#include <string.h>

static const char names[GLACIER_ALGORITHM_COUNT][12] = {
	[GLACIER_ALGORITHM_AUTO] = "auto",
	[GLACIER_ALGORITHM_RING] = "ring",
	[GLACIER_ALGORITHM_DOUBLING] = "doubling",
	[GLACIER_ALGORITHM_FOLD] = "fold",
};

const char *glacier_algorithm_name(enum glacier_algorithm algorithm)
{
	return (unsigned)algorithm < GLACIER_ALGORITHM_COUNT ? names[algorithm] : NULL;
}

enum glacier_algorithm glacier_algorithm_find(const char *name)
{
	unsigned i = 0;

	while (i < GLACIER_ALGORITHM_COUNT && strcmp(name, names[i]))
		i++;
	return (enum glacier_algorithm)i;
}

void glc_model_default(struct glacier_comm *comm)
{
	comm->model = comm->group ? (struct glacier_comm_model){5000, 0.2, 0.05, 5000}
				  : (struct glacier_comm_model){20000, 0.4, 0.05, 0};
}

void glacier_comm_plan(const struct glacier_comm *comm, size_t count, enum glacier_type type, enum glacier_reduce op,
		       struct glacier_comm_plan *plan)
{
	const struct glacier_comm_model *m = &comm->model;
	double n = comm->size, hops = n - 1, bytes = (double)count * (double)glc_reduce_elem_bytes(type), rounds = 0;
	bool wide = (type == GLACIER_F16 || type == GLACIER_BF16) && op <= GLACIER_REDUCE_AVG;
	double share = comm->options.deterministic ? 1 : hops / n;
	double least = INFINITY;

	while (ldexp(1, (int)rounds) < n)
		rounds++;
	memset(plan, 0, sizeof *plan);
	plan->model = *m;
	plan->transport = comm->transport.name;
	plan->expected_ns[GLACIER_ALGORITHM_AUTO] = NAN;
	/* The first half moves the work type. */
	plan->expected_ns[GLACIER_ALGORITHM_RING] =
		2 * hops * m->step_ns + share * bytes * ((wide ? 3 : 2) * m->byte_ns + m->fold_ns);
	plan->expected_ns[GLACIER_ALGORITHM_DOUBLING] = rounds * m->step_ns + hops * bytes * (m->byte_ns + m->fold_ns);
	plan->expected_ns[GLACIER_ALGORITHM_FOLD] =
		!comm->group ? NAN : bytes <= GLC_GROUP_SLOT_BYTES ? m->barrier_ns + hops * bytes * m->fold_ns
								    : 2 * m->barrier_ns + 2 * bytes * m->fold_ns;
	plan->algorithm = comm->options.algorithm;
	if (plan->algorithm != GLACIER_ALGORITHM_AUTO)
		return;
	for (int i = GLACIER_ALGORITHM_RING; i < GLACIER_ALGORITHM_COUNT; i++)
		if (plan->expected_ns[i] < least) {
			least = plan->expected_ns[i];
			plan->algorithm = (enum glacier_algorithm)i;
		}
}

/* --- Measuring -------------------------------------------------------------------------- */

/* The least of some runs: what disturbs a machine only adds. */
static enum glacier_status time_one(struct glacier_comm *comm, enum glacier_algorithm algorithm, void *data, size_t count,
				    int runs, double *ns)
{
	enum glacier_algorithm asked = comm->options.algorithm;
	enum glacier_status status = GLACIER_OK;

	*ns = INFINITY;
	comm->options.algorithm = algorithm;
	for (int i = 0; i <= runs && status == GLACIER_OK; i++) {
		uint64_t begun = glc_now_ns();
		double took;

		status = glacier_allreduce(comm, data, data, count, GLACIER_U32, GLACIER_REDUCE_MAX);
		took = (double)(glc_now_ns() - begun);
		/* The first one makes connections and memory warm. */
		if (i && took < *ns)
			*ns = took;
	}
	comm->options.algorithm = asked;
	return status;
}

enum glacier_status glacier_comm_calibrate(struct glacier_comm *comm)
{
	enum { LARGE = 1 << 18, RUNS = 6 };
	struct glacier_comm_model model = comm->model;
	double hops = comm->size - 1, small_ns, large_ns, meeting_ns, fold_ns;
	size_t bytes = (size_t)LARGE * 4;
	enum glacier_status status;
	void *data;

	if (comm->size == 1)
		return GLACIER_OK;
	/* Its own piece: the communicator's memory is in use during a collective. */
	if (!comm->calibration) {
		status = glacier_comm_alloc(comm, bytes, &comm->calibration);
		if (status != GLACIER_OK)
			return status;
	}
	data = comm->calibration;
	memset(data, 0, bytes);
	status = time_one(comm, GLACIER_ALGORITHM_DOUBLING, data, 1, 4 * RUNS, &small_ns);
	if (status == GLACIER_OK)
		status = time_one(comm, GLACIER_ALGORITHM_RING, data, LARGE, RUNS, &large_ns);
	if (status != GLACIER_OK)
		return status;
	model.step_ns = small_ns / comm->links;
	model.byte_ns = fmax(1e-3, (large_ns - 2 * hops * model.step_ns) / (2 * hops / comm->size * (double)bytes));
	if (comm->group) {
		status = time_one(comm, GLACIER_ALGORITHM_FOLD, data, 1, 4 * RUNS, &meeting_ns);
		if (status == GLACIER_OK)
			status = time_one(comm, GLACIER_ALGORITHM_FOLD, data, LARGE, RUNS, &fold_ns);
		if (status != GLACIER_OK)
			return status;
		model.barrier_ns = meeting_ns;
		model.fold_ns = fmax(1e-3, (fold_ns - 2 * meeting_ns) / (2 * (double)bytes));
	}
	_Static_assert(sizeof model % sizeof(double) == 0, "sent as doubles");
	status = glacier_broadcast(comm, &model, sizeof model / sizeof(double), GLACIER_F64, 0);
	if (status == GLACIER_OK)
		comm->model = model;
	return status;
}
