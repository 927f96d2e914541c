/* SPDX-License-Identifier: MIT */
#ifndef GLC_COLLECTIVE_CREATE_H
#define GLC_COLLECTIVE_CREATE_H

#include "collective/comm.h"

/*
 * A communicator over a transport. signals NULL: it has none. Takes the transport over on success.
 * GLACIER_OK, GLACIER_ERR_ARGUMENT or GLACIER_ERR_NOMEM, told.
 */
enum glacier_status glc_comm_new(const struct glacier_transport *transport, const struct glc_signals *signals,
				 struct glc_group *group, uint64_t job, const struct glacier_comm_options *options,
				 struct glacier_comm **out, struct glacier_diag *diag);
/* Defaults filled in; GLACIER_ERR_ARGUMENT, told, when an option is out of range. */
enum glacier_status glc_comm_options(const struct glacier_comm_options *options, struct glacier_comm_options *filled,
				     enum glc_cpu_level *level, struct glacier_diag *diag);

/* The numbers of a common machine (model.c). */
void glc_model_default(struct glacier_comm *comm);

#endif
