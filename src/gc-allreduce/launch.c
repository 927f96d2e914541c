/* SPDX-License-Identifier: MIT */
/*
 * Launchers tell rank and size by their own variables. The first row that is there counts; a
 * later one that says something else is an error, since one of the two launchers did not mean us.
 */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct source {
	char rank[24], size[24];
	char local[28];   /* how many of them are on this machine */
} sources[] = {
	{"GLACIER_RANK", "GLACIER_SIZE", ""},
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
	{"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
	{"PMIX_RANK", "PMIX_SIZE", ""},
	{"SLURM_PROCID", "SLURM_NTASKS", ""},
	{"RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"},
};

enum { SOURCES = sizeof sources / sizeof *sources };

static uint32_t number(const char *name, const char *text, uint32_t least)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < least || value > GLACIER_COMM_RANKS)
		cli_die("%s: '%s' is no number from %u to %d", name, text, least, GLACIER_COMM_RANKS);
	return (uint32_t)value;
}

static const char *variable(const char *name)
{
	const char *value = *name ? getenv(name) : NULL;

	return value && *value ? value : NULL;
}

/* The row that counts; -1: none. PMIx may tell the rank alone. */
static int find_source(struct launch *launch)
{
	const char *rank_by = NULL, *size_by = NULL;
	int found = -1;

	for (int i = 0; i < SOURCES; i++) {
		const char *rank = variable(sources[i].rank), *size = variable(sources[i].size);

		/* A size alone is a resource manager's allocation, not a rank of ours. */
		if (!rank || (!size && strcmp(sources[i].rank, "PMIX_RANK")))
			continue;
		if (!rank_by && size) {
			rank_by = launch->source = sources[i].rank;
			size_by = sources[i].size;
			launch->rank = number(sources[i].rank, rank, 0);
			launch->size = number(sources[i].size, size, 1);
			found = i;
			continue;
		}
		if (rank_by && number(sources[i].rank, rank, 0) != launch->rank)
			cli_die("%s=%s and %s=%s disagree: unset one of them", rank_by, getenv(rank_by), sources[i].rank, rank);
		if (rank_by && size && number(sources[i].size, size, 1) != launch->size)
			cli_die("%s=%s and %s=%s disagree: unset one of them", size_by, getenv(size_by), sources[i].size, size);
	}
	return found;
}

/*
 * Without an address ranks of one launcher on one machine still have something in common: the
 * process that started them. Its number gives the port.
 */
static void make_address(struct launch *launch, int source)
{
	const char *local = source >= 0 ? variable(sources[source].local) : NULL, *nodes = variable("SLURM_NNODES");
	bool here = local && number(sources[source].local, local, 1) == launch->size;

	here |= source >= 0 && !strcmp(sources[source].rank, "SLURM_PROCID") && nodes && !strcmp(nodes, "1");
	if (launch->size > 1 && !here)
		cli_die("where does rank 0 listen? Give --addr or GLACIER_ADDR, as HOST:PORT");
	snprintf(launch->address, sizeof launch->address, "127.0.0.1:%u", 20000 + (unsigned)getppid() * 7919u % 12000u);
}

static void find_address(struct launch *launch, const struct options *options, int source)
{
	const char *address = options->address ? options->address : variable("GLACIER_ADDR");
	const char *host = variable("MASTER_ADDR"), *port = variable("MASTER_PORT");

	if (address)
		snprintf(launch->address, sizeof launch->address, "%s", address);
	else if (host && port)
		snprintf(launch->address, sizeof launch->address, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
	else
		make_address(launch, source);
}

/* 64 digits; what follows a newline is not looked at. */
static bool read_token(const char *text, size_t bytes, unsigned char token[32])
{
	while (bytes && (text[bytes - 1] == '\n' || text[bytes - 1] == '\r'))
		bytes--;
	if (bytes != 64)
		return false;
	for (int i = 0; i < 64; i++) {
		const char *digits = "0123456789abcdef", *at = strchr(digits, text[i] >= 'A' && text[i] <= 'F' ? text[i] | 32 : text[i]);

		if (!text[i] || !at)
			return false;
		token[i / 2] = (unsigned char)(token[i / 2] << 4 | (at - digits));
	}
	return true;
}

static void find_token(struct launch *launch, const struct options *options)
{
	const char *text = variable("GLACIER_JOB_TOKEN");
	struct stat status;

	if (options->token_file) {
		struct cli_file file;

		if (stat(options->token_file, &status))
			cli_die("%s: %s", options->token_file, strerror(errno));
		if (S_ISREG(status.st_mode) && status.st_mode & 077)
			cli_die("%s: others may read the job's token: chmod 600 it", options->token_file);
		file = cli_read(options->token_file);
		if (!read_token(file.data, file.size, launch->token))
			cli_die("%s: a job token is 64 hexadecimal digits", options->token_file);
		cli_release(&file);
		launch->has_token = true;
	} else if (text) {
		if (!read_token(text, strlen(text), launch->token))
			cli_die("GLACIER_JOB_TOKEN: a job token is 64 hexadecimal digits");
		launch->has_token = true;
	}
}

static int inherited(const char *name)
{
	const char *text = variable(name);
	int fd = text ? (int)number(name, text, 0) : -1;

	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

void launch_find(struct launch *launch, const struct options *options)
{
	int source;

	*launch = (struct launch){.size = 1, .source = "nothing"};
	launch->spawned = variable("GLACIER_SPAWNED") != NULL;
	launch->crowded = variable("GLACIER_CROWDED") != NULL;
	launch->group_fd = inherited("GLACIER_GROUP_FD");
	launch->listener = inherited("GLACIER_LISTENER_FD");
	launch->lifeline = inherited("GLACIER_LIFELINE_FD");
	source = find_source(launch);
	if (options->rank || options->size) {
		if (!options->rank || !options->size)
			cli_bad_usage("--rank and --size belong together");
		launch->rank = number("--rank", options->rank, 0);
		launch->size = number("--size", options->size, 1);
		launch->source = "--rank";
	}
	if (launch->rank >= launch->size)
		cli_die("rank %u is not below the number of ranks, %u (%s)", launch->rank, launch->size, launch->source);
	launch->transport = options->transport ? options->transport : launch->group_fd >= 0 ? TRANSPORT_SHM : TRANSPORT_TCP;
	if (launch->transport == TRANSPORT_SHM && launch->group_fd < 0 && launch->size > 1)
		cli_die("--transport=shm needs ranks that -n started");
	if (launch->transport == TRANSPORT_INPROC && launch->size > 1)
		cli_die("--transport=inproc needs -n: its ranks are threads");
	if (launch->transport == TRANSPORT_TCP && launch->size > 1) {
		find_address(launch, options, source);
		find_token(launch, options);
	}
}
