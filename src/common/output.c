/* SPDX-License-Identifier: MIT */
/*
 * Outputs appear whole or not at all. A file is written under a temporary name in its own
 * folder and renamed; what cannot be renamed (standard output, a device, a FIFO) is
 * written at the commit, first, because it is what can still fail then.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct staged {
	struct staged *next;
	struct staged *same_bucket;
	const void *data;          /* written at the commit, when there is no temporary */
	size_t bytes;
	char *path;                /* links resolved; NULL: standard output */
	char *volatile temporary;  /* a handler removes it: changed under cli_hold_signals */
};

static struct staged *volatile staged_list;

/* The same by path, so that the outputs of many inputs are not compared each with each. */
static struct staged *buckets[4096];

static struct staged **bucket_of(const char *path)
{
	uint32_t hash = 2166136261u;

	for (; path && *path; path++)
		hash = (hash ^ (unsigned char)*path) * 16777619u;
	return &buckets[(hash ^ hash >> 16) % (sizeof buckets / sizeof *buckets)];
}

void cli_remove_temporaries(void)
{
	for (const struct staged *s = staged_list; s; s = s->next)
		if (s->temporary)
			unlink(s->temporary);
}

void cli_drop_staged(void)
{
	struct staged *s, *next;
	sigset_t saved;

	if (!staged_list)
		return;
	cli_hold_signals(&saved);
	cli_remove_temporaries();
	s = staged_list;
	staged_list = NULL;
	cli_allow_signals(&saved);
	memset(buckets, 0, sizeof buckets);
	for (; s; s = next) {
		next = s->next;
		free(s->temporary);
		free(s->path);
		free(s);
	}
}

static bool write_all(int fd, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	while (bytes) {
		/* One call takes at most 0x7ffff000 bytes. */
		ssize_t n = write(fd, at, bytes < INT_MAX / 2 ? bytes : INT_MAX / 2);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

/* How many bytes of path name its folder, the last slash included. */
static size_t folder_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The file that a write to path would change. NULL with errno set. */
static char *resolve(const char *path)
{
	char *at = cli_strdup(path), link[PATH_MAX], *target;
	struct stat status;

	/* What is not renamed keeps its name: behind /dev/fd/63 a pipe has none. */
	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		return at;
	for (int i = 0; i < 40; i++) {
		size_t folder;
		ssize_t n;

		if (lstat(at, &status) || !S_ISLNK(status.st_mode))
			return at;
		n = readlink(at, link, sizeof link - 1);
		if (n < 0)
			goto fail;
		link[n] = '\0';
		folder = *link == '/' ? 0 : folder_bytes(at);
		target = cli_alloc(folder + (size_t)n + 1);
		memcpy(target, at, folder);
		memcpy(target + folder, link, (size_t)n + 1);
		free(at);
		at = target;
	}
	errno = ELOOP;
fail:
	free(at);
	return NULL;
}

/* Create s->temporary, which stands in the folder of s->path. A new file's mode is 0666 less the umask. */
static int create_temporary(struct staged *s)
{
	static unsigned serial;
	size_t folder = folder_bytes(s->path);
	char *name = cli_alloc(folder + 64);
	sigset_t saved;
	int fd;

	memcpy(name, s->path, folder);
	/* Short whatever the file's own name is: that one may be as long as names can be. */
	do {
		snprintf(name + folder, 64, ".%.20s-%ld-%u.tmp", cli.program->name, (long)getpid(),
			 serial++);
		cli_hold_signals(&saved);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			s->temporary = name;
		cli_allow_signals(&saved);
	} while (fd < 0 && errno == EEXIST);
	if (fd < 0)
		free(name);
	return fd;
}

/* /dev/stdout and its like: writing there goes on where standard output is. */
static bool is_standard_output(const char *path)
{
	struct stat named, open_one;

	return !strcmp(path, "-") ||
	       (!stat(path, &named) && !fstat(STDOUT_FILENO, &open_one) &&
		named.st_dev == open_one.st_dev && named.st_ino == open_one.st_ino);
}

static bool stage_file(struct staged *s, const char *shown, bool in_place)
{
	bool exists;
	struct stat status;
	int fd;

	exists = !stat(s->path, &status);
	if (exists) {
		if (S_ISDIR(status.st_mode)) {
			cli_error("%s: is a directory", shown);
			return false;
		}
		if (S_ISREG(status.st_mode) && !in_place && cli_is_input(&status)) {
			cli_error("%s: is an input, and would be overwritten", shown);
			return false;
		}
		/* A rename would replace a file that its owner has protected. */
		if (faccessat(AT_FDCWD, s->path, W_OK, AT_EACCESS)) {
			cli_error("%s: %s", shown, strerror(errno));
			return false;
		}
		if (!S_ISREG(status.st_mode))
			return true;
	}
	fd = create_temporary(s);
	if (fd < 0) {
		cli_error("cannot create %s: %s", shown, strerror(errno));
		return false;
	}
	/* What was closed to others stays closed. Another's file is ours afterwards, mode and all. */
	if (exists && fchmod(fd, status.st_mode & 0777))
		cli_say("%s: its mode cannot be kept: %s", shown, strerror(errno));
	if (!write_all(fd, s->data, s->bytes)) {
		cli_error("cannot write %s: %s", shown, strerror(errno));
		close(fd);
		return false;
	}
	if (close(fd)) {
		cli_error("cannot write %s: %s", shown, strerror(errno));
		return false;
	}
	return true;
}

static bool stage(const char *path, const void *data, size_t bytes, bool binary, bool in_place)
{
	struct staged *s, *other, **bucket;

	if (!path && binary && isatty(STDOUT_FILENO)) {
		cli_error("binary output is not written to a terminal: give -o FILE, or -o - to insist");
		return false;
	}
	cli_catch_signals();
	s = cli_alloc(sizeof *s);
	*s = (struct staged){.data = data, .bytes = bytes};
	if (path && !is_standard_output(path)) {
		s->path = resolve(path);
		if (!s->path) {
			cli_error("%s: %s", path, strerror(errno));
			free(s);
			return false;
		}
	}
	bucket = bucket_of(s->path);
	for (other = *bucket; other; other = other->same_bucket) {
		if (s->path ? other->path && !strcmp(s->path, other->path) : !other->path) {
			cli_error("%s would be written twice", s->path ? path : "standard output");
			free(s->path);
			free(s);
			return false;
		}
	}
	/* On the list first: from here on a handler finds the temporary. */
	s->next = staged_list;
	staged_list = s;
	s->same_bucket = *bucket;
	*bucket = s;
	return !s->path || stage_file(s, path, in_place);
}

bool cli_stage(const char *path, const void *data, size_t bytes, bool binary)
{
	return stage(path, data, bytes, binary, false);
}

bool cli_stage_in_place(const char *path, const void *data, size_t bytes)
{
	return stage(path, data, bytes, true, true);
}

static bool write_direct(const struct staged *s)
{
	bool written;
	int fd;

	if (!s->path) {
		if (!fflush(stdout) && write_all(STDOUT_FILENO, s->data, s->bytes))
			return true;
		cli_error("cannot write standard output: %s", strerror(errno));
		return false;
	}
	fd = open(s->path, O_WRONLY | O_CLOEXEC);
	if (fd < 0) {
		cli_error("%s: %s", s->path, strerror(errno));
		return false;
	}
	written = write_all(fd, s->data, s->bytes);
	if (close(fd) || !written) {
		cli_error("cannot write %s: %s", s->path, strerror(errno));
		return false;
	}
	return true;
}

static bool take_name(struct staged *s)
{
	sigset_t saved;
	bool renamed;

	cli_hold_signals(&saved);
	renamed = !rename(s->temporary, s->path);
	if (renamed) {
		free(s->temporary);
		s->temporary = NULL;
	}
	cli_allow_signals(&saved);
	if (!renamed)
		cli_error("cannot write %s: %s", s->path, strerror(errno));
	return renamed;
}

bool cli_commit(void)
{
	struct staged *s;
	bool done = true;

	for (s = staged_list; s && done; s = s->next)
		if (!s->temporary)
			done = write_direct(s);
	for (s = staged_list; s && done; s = s->next)
		if (s->temporary)
			done = take_name(s);
	/* What took its name is no temporary any more. */
	cli_drop_staged();
	return done;
}
