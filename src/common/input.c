/* SPDX-License-Identifier: MIT */
/* Whole files: large regular ones are mapped, anything else (small, pipe, terminal, /proc) is read. */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A stream has no size to look at first: no end within this is not going to be a kernel. */
enum { LARGEST_STREAM_BYTES = 1 << 30 };

/* Below it a copy costs less than pages and their faults, and the guard of a mapping. */
enum { SMALLEST_MAPPED_BYTES = 1 << 17, STREAM_BYTES = 1 << 16 };

/* Which files were read. */
static struct {
	struct input_id {
		dev_t device;
		ino_t inode;
	} *at;
	size_t count, capacity;
} inputs;

static void remember(const struct stat *status)
{
	if (inputs.count == inputs.capacity) {
		inputs.capacity = inputs.capacity ? inputs.capacity * 2 : 8;
		inputs.at = cli_realloc(inputs.at, inputs.capacity * sizeof *inputs.at);
	}
	inputs.at[inputs.count++] = (struct input_id){status->st_dev, status->st_ino};
}

bool cli_is_input(const struct stat *status)
{
	for (size_t i = 0; i < inputs.count; i++)
		if (inputs.at[i].device == status->st_dev && inputs.at[i].inode == status->st_ino)
			return true;
	return false;
}

/* known: what the file says of its size, as a mapping would take it; 0: until its end. */
static bool read_all(int fd, const char *name, size_t known, struct cli_file *file)
{
	size_t size = 0, capacity = known ? known : STREAM_BYTES;
	unsigned char *data = cli_alloc(capacity);
	ssize_t n;

	while (!known || size < known) {
		if (size == capacity) {
			capacity *= 2;
			data = cli_realloc(data, capacity);
		}
		n = read(fd, data + size, capacity - size);
		if (n == 0)
			break;
		if (n > 0)
			size += (size_t)n;
		else if (errno != EINTR) {
			cli_error("%s: %s", name, strerror(errno));
			goto fail;
		}
		if (size >= LARGEST_STREAM_BYTES) {
			cli_error("%s: no end within %d bytes", name, LARGEST_STREAM_BYTES);
			goto fail;
		}
	}
	file->data = data;
	file->size = size;
	return true;

fail:
	free(data);
	return false;
}

static bool read_fd(int fd, struct cli_file *file)
{
	size_t known = 0;
	struct stat status;
	void *data;

	if (fstat(fd, &status)) {
		cli_error("%s: %s", file->name, strerror(errno));
		return false;
	}
	if (S_ISDIR(status.st_mode)) {
		cli_error("%s: is a directory", file->name);
		return false;
	}
	if (S_ISREG(status.st_mode))
		remember(&status);
	/* Standard input may stand anywhere in its file, and a reader moves it on. */
	if (fd != STDIN_FILENO && S_ISREG(status.st_mode) && status.st_size >= SMALLEST_MAPPED_BYTES) {
		data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data != MAP_FAILED) {
			file->data = data;
			file->size = (size_t)status.st_size;
			file->mapped = true;
			cli_guard_mapping(file);
			return true;
		}
	}
	if (fd != STDIN_FILENO && S_ISREG(status.st_mode) && status.st_size < SMALLEST_MAPPED_BYTES)
		known = (size_t)status.st_size;
	return read_all(fd, file->name, known, file);
}

bool cli_try_read(const char *path, struct cli_file *file)
{
	bool read_it;
	int fd;

	*file = (struct cli_file){.name = path};
	if (!path || !strcmp(path, "-")) {
		file->name = "<stdin>";
		return read_fd(STDIN_FILENO, file);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		cli_error("%s: %s", path, strerror(errno));
		return false;
	}
	read_it = read_fd(fd, file);
	close(fd);
	return read_it;
}

struct cli_file cli_read(const char *path)
{
	struct cli_file file;

	if (!cli_try_read(path, &file))
		cli_exit(CLI_TROUBLE);
	return file;
}

void cli_release(struct cli_file *file)
{
	if (file->mapped) {
		cli_unguard_mapping(file);
		munmap((void *)file->data, file->size);
	} else {
		free((void *)file->data);
	}
	*file = (struct cli_file){0};
}

bool cli_has_suffix(const char *path, const char *suffix)
{
	size_t bytes = strlen(path), tail = strlen(suffix);

	return bytes > tail && !strcmp(path + bytes - tail, suffix);
}

char *cli_kernel_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
	size_t bytes = strcspn(stem, ".");
	char *name;

	if (!bytes || isdigit((unsigned char)*stem))
		return NULL;
	for (size_t i = 0; i < bytes; i++)
		if (!isalnum((unsigned char)stem[i]) && stem[i] != '_')
			return NULL;
	name = cli_strdup(stem);
	name[bytes] = '\0';
	return name;
}
