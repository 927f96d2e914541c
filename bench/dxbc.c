/* SPDX-License-Identifier: MIT */
/*
 * dxbc digest            the container digest and libmd's MD5 over the same bytes, as a ratio
 * dxbc list PROGRAM FILE...  `PROGRAM list` of the files, against a process that opens and reads them
 *
 * The best of many runs of each, which alternate.
 */
#include <glacier.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void keep(double *best, double begin)
{
	double took = now() - begin;

	if (took < *best)
		*best = took;
}

static int digests(void)
{
	void *library = dlopen("libmd.so.0", RTLD_NOW);
	char *(*md5)(const uint8_t *, size_t, char *) =
		library ? (char *(*)(const uint8_t *, size_t, char *))dlsym(library, "MD5Data") : NULL;

	if (!md5) {
		fputs("libmd is not installed\n", stderr);
		return 2;
	}
	printf("%10s  %12s  %12s  %s\n", "bytes", "digest", "libmd's MD5", "ratio");
	for (size_t bytes = 1 << 10; bytes <= 1 << 24; bytes <<= 2) {
		unsigned char *data = malloc(bytes);
		double mine = 1e9, theirs = 1e9, begin;
		char hex[33];

		if (!data)
			return 2;
		memset(data, 7, bytes);
		for (int repeat = 0; repeat < 41; repeat++) {
			int times = bytes < 1 << 20 ? (int)((1 << 20) / bytes) : 1;

			begin = now();
			for (int i = 0; i < times; i++)
				glacier_dxbc_sign(data, bytes, GLACIER_DIGEST_RETAIL);
			keep(&mine, begin);
			begin = now();
			for (int i = 0; i < times; i++)
				md5(data + 20, bytes - 20, hex);
			keep(&theirs, begin);
		}
		printf("%10zu  %9.1f us  %9.1f us  %.2f\n", bytes, 1e6 * mine, 1e6 * theirs, mine / theirs);
		free(data);
	}
	return 0;
}

/* What any program must do: open, ask for the size, read, close. */
static int read_all(char **files)
{
	for (; *files; files++) {
		struct stat about;
		int fd = open(*files, O_RDONLY | O_CLOEXEC);
		char *data;

		if (fd < 0 || fstat(fd, &about) || !(data = malloc((size_t)about.st_size + 1)) ||
		    read(fd, data, (size_t)about.st_size) != about.st_size)
			return 2;
		close(fd);
		free(data);
	}
	return 0;
}

/* Seconds of a whole process; 1e9 where it failed. */
static double process(char **argv)
{
	posix_spawn_file_actions_t actions;
	double begin = now();
	int status = 1;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) || waitpid(pid, &status, 0) < 0)
		status = 1;
	posix_spawn_file_actions_destroy(&actions);
	return status ? 1e9 : now() - begin;
}

static int list(int argc, char **argv)
{
	char self[] = "/proc/self/exe", program[4096], verb[] = "read";
	double listed = 1e9, read_in = 1e9, took;

	snprintf(program, sizeof program, "%s", argv[2]);
	for (int repeat = 0; repeat < 21; repeat++) {
		char word[] = "list";

		argv[1] = program;
		argv[2] = word;
		if ((took = process(argv + 1)) < listed)
			listed = took;
		argv[1] = self;
		argv[2] = verb;
		if ((took = process(argv + 1)) < read_in)
			read_in = took;
	}
	printf("%d files: list %.2f ms, opening and reading %.2f ms, ratio %.2f\n", argc - 3, 1e3 * listed, 1e3 * read_in,
	       listed / read_in);
	return listed >= 1e9 || read_in >= 1e9;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "digest"))
		return digests();
	if (argc > 2 && !strcmp(argv[1], "read"))
		return read_all(argv + 2);
	if (argc > 3 && !strcmp(argv[1], "list"))
		return list(argc, argv);
	fputs("usage: dxbc digest | dxbc list PROGRAM FILE...\n", stderr);
	return 2;
}
