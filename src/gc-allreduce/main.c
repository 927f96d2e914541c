/* SPDX-License-Identifier: MIT */
/*
 * gc-allreduce: a rank of a group, or what starts one. A rank joins, reduces its file or takes
 * part in the benchmark, and all ranks end with the same code when one of them fails.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "launch.h"
#include "session.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

static void say_waiting(void *user, uint32_t rank, uint32_t seconds)
{
	(void)user;
	if (!cli.quiet)
		fprintf(stderr, "gc-allreduce: waiting for rank %u, %u s\n", rank, seconds);
	fflush(stderr);
}

/* Joins the group that the launcher or the environment tells of. */
static struct glacier_comm *join(const struct launch *launch, const struct options *options)
{
	struct glacier_comm_options comm_options = options->comm;
	struct glacier_diag diag = lifeline_diag();
	struct glacier_comm *comm = NULL;
	enum glacier_status status;

	lifeline_take(launch->lifeline);
	comm_options.shares_processors = launch->crowded;
	comm_options.waiting = say_waiting;
	if (launch->transport == TRANSPORT_SHM && launch->group_fd >= 0) {
		status = glacier_comm_create_shared(launch->group_fd, launch->rank, launch->size, &comm_options, &comm, &diag);
	} else if (launch->size == 1) {
		status = glacier_comm_create_local(1, &comm_options, &comm, &diag);
	} else {
		struct glacier_tcp_options tcp = {
			.rank = launch->rank, .size = launch->size, .address = launch->address, .bind = options->bind,
			.port_base = options->port_base, .listener = launch->listener,
			.token = launch->has_token ? launch->token : NULL, .channels = options->channels,
			.congestion = options->congestion,
		};

		status = glacier_comm_create_tcp(&tcp, &comm_options, &comm, &diag);
	}
	lifeline_release();
	if (status != GLACIER_OK)
		cli_exit((enum cli_code)exit_code_of(status));
	return comm;
}

/* One rank's part, up to results that are staged. */
static void work(struct session *session)
{
	if (session->options->input)
		files_reduce(session);
	else
		bench_run(session);
}

static void *run_thread(void *argument)
{
	struct session *session = argument;

	work(session);
	/* The others must not wait for a rank that gave up. */
	if (session->status != GLACIER_OK)
		glacier_comm_abort(session->comm);
	return NULL;
}

static struct session session_of(const struct options *options, struct glacier_comm *comm, bool threads)
{
	return (struct session){.options = options, .comm = comm, .rank = glacier_comm_rank(comm),
				.size = glacier_comm_size(comm), .threads = threads, .type = options->type};
}

static _Noreturn void end_good(bool wrong)
{
	cli_exit(wrong ? CLI_WRONG : CLI_OK);
}

/* All ranks as threads; this one is rank 0. */
static _Noreturn void run_local(const struct options *options, uint32_t size)
{
	struct glacier_comm **comms = cli_alloc(size * sizeof *comms);
	struct session *sessions = cli_alloc(size * sizeof *sessions);
	pthread_t *threads = cli_alloc(size * sizeof *threads);
	struct glacier_comm_options comm_options = options->comm;
	struct glacier_diag diag = cli_diag(NULL);
	enum glacier_status status = glacier_comm_create_local(size, &comm_options, comms, &diag);
	struct session *failed = NULL;
	bool wrong;

	if (status != GLACIER_OK)
		cli_exit((enum cli_code)exit_code_of(status));
	for (uint32_t rank = 0; rank < size; rank++) {
		sessions[rank] = session_of(options, comms[rank], true);
		if (options->input)
			files_read(&sessions[rank]);
	}
	for (uint32_t rank = 1; rank < size; rank++)
		if (pthread_create(&threads[rank], NULL, run_thread, &sessions[rank])) {
			cli_error("cannot start rank %u: too many threads", rank);
			cli_exit((enum cli_code)EXIT_SYSTEM);
		}
	run_thread(&sessions[0]);
	for (uint32_t rank = 1; rank < size; rank++)
		pthread_join(threads[rank], NULL);
	for (uint32_t rank = 0; rank < size && !failed; rank++)
		failed = sessions[rank].status != GLACIER_OK ? &sessions[rank] : NULL;
	if (failed)
		fail_with(failed->comm, failed->status);
	for (uint32_t rank = 0; options->input && rank < size; rank++)
		files_stage(&sessions[rank]);
	if (options->input && !cli_commit())
		cli_exit(CLI_TROUBLE);
	wrong = sessions[0].wrong != 0;
	for (uint32_t rank = 0; rank < size; rank++) {
		session_release(&sessions[rank]);
		glacier_comm_destroy(comms[rank]);
	}
	free(comms);
	free(sessions);
	free(threads);
	end_good(wrong);
}

static _Noreturn void run_rank(const struct options *options, const struct launch *launch)
{
	struct glacier_comm *comm = join(launch, options);
	struct session session = session_of(options, comm, false);

	if (options->input)
		files_read(&session);
	work(&session);
	if (session.status == GLACIER_OK && options->input) {
		files_stage(&session);
		if (session.status != GLACIER_OK) {
			glacier_comm_abort(comm);
			glacier_comm_destroy(comm);
			cli_exit(CLI_TROUBLE);
		}
		/* Results appear when every rank has one, or not at all. */
		session.status = glacier_barrier(comm);
	}
	if (session.status != GLACIER_OK)
		fail_with(comm, session.status);
	if (options->input && !cli_commit())
		cli_exit(CLI_TROUBLE);
	glacier_comm_destroy(comm);
	session_release(&session);
	end_good(session.wrong != 0);
}

int main(int argc, char **argv)
{
	struct options options;
	struct launch launch;
	uint32_t size;

	options_parse(&options, argc, argv);
	launch_find(&launch, &options);
	if (launch.spawned) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	} else if (strcmp(launch.source, "nothing")) {
		if (options.ranks)
			cli_die("-n starts ranks, but %s says that this is one", launch.source);
	} else {
		size = options.ranks ? options.ranks : options.input ? 1 : 2;
		launch.size = size;
		launch.transport = options.transport ? options.transport : TRANSPORT_SHM;
		launch.source = "-n";
	}
	if (options.dry_run) {
		printf("rank %u of %u (%s), %s%s%s, %s\n", launch.rank, launch.size, launch.source,
		       transport_name(launch.transport), *launch.address ? " at " : "", launch.address,
		       launch.has_token ? "with a token" : "without a token");
		cli_exit(CLI_OK);
	}
	if (strcmp(launch.source, "-n") || launch.size == 1) {
		if (launch.transport == TRANSPORT_SHM && launch.size == 1)
			launch.transport = TRANSPORT_INPROC;
		run_rank(&options, &launch);
	}
	if (launch.transport == TRANSPORT_INPROC)
		run_local(&options, launch.size);
	cli_exit((enum cli_code)launch_spawn(launch.size, launch.transport,
					       options.comm.timeout_ns ? options.comm.timeout_ns : UINT64_C(5000000000),
					       argv));
}
