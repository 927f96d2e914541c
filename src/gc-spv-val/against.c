/* SPDX-License-Identifier: MIT */
/*
 * SPIRV-Tools' verdict, by its program: its library is C++, and the C++ library alone would
 * cost more than everything else here. The module goes in through a file without a name.
 */
#define _GNU_SOURCE   /* memfd_create */
#include "against.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool write_all(int fd, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, data, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		bytes -= (size_t)n;
	}
	return lseek(fd, 0, SEEK_SET) == 0;
}

static void read_first_line(int fd, char *line, size_t bytes)
{
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	n = read(fd, line, bytes - 1);
	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (!strncmp(line, "error: ", 7))
		memmove(line, line + 7, strlen(line + 7) + 1);
}

static bool spawn(const struct options *options, int in, int out, pid_t *pid)
{
	char **argv = cli_alloc((options->passed_count + 3) * sizeof *argv);
	posix_spawn_file_actions_t actions;
	int error;
	size_t n = 0;
	static char name[] = "spirv-val", dash[] = "-";

	argv[n++] = name;
	for (size_t i = 0; i < options->passed_count; i++)
		argv[n++] = (char *)options->passed[i];
	argv[n++] = dash;
	argv[n] = NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, out, 2);
	error = posix_spawnp(pid, name, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(argv);
	if (error)
		cli_error("spirv-val cannot be run: %s", strerror(error));
	return !error;
}

bool against_run(const struct options *options, const struct cli_file *file, struct against *result)
{
	int in = memfd_create("module", MFD_CLOEXEC), out = memfd_create("messages", MFD_CLOEXEC), status = 0;
	bool done = false;
	pid_t pid;

	if (in < 0 || out < 0 || !write_all(in, file->data, file->size)) {
		cli_error("no room for a copy of the module: %s", strerror(errno));
	} else if (spawn(options, in, out, &pid)) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		read_first_line(out, result->message, sizeof result->message);
		/* Its own usage is no verdict, though it ends with the same status: some releases list options that they refuse. */
		done = WIFEXITED(status) && WEXITSTATUS(status) <= 1 && !strstr(result->message, "nrecognized option");
		result->valid = done && !WEXITSTATUS(status);
		if (!done)
			cli_error("spirv-val ended with %s %d%s%s", WIFSIGNALED(status) ? "signal" : "status",
				  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
				  result->message[0] ? ": " : "", result->message);
	}
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return done;
}
