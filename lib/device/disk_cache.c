/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  /* futimens, the calls that end in "at" */
#endif

#include "device/disk_cache.h"

#include "base/buf.h"
#include "base/rng.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_BYTES (UINT64_C(256) << 20)

/* A temporary that is older was left behind by a process that is gone. */
enum { STALE_SECONDS = 600, TRIES = 8, TEMPORARY_BYTES = 32 };

static const char magic[8] = {'g', 'l', 'c', 'a', 'c', 'h', 'e', '1'};
static const char suffix[] = ".bin", temporary_suffix[] = ".tmp";

struct glc_disk_cache {
	int folder;
	uint64_t max_bytes;
	uint64_t names;   /* state of the generator of temporary names */
};

struct entry {
	char name[GLC_DISK_CACHE_NAME_BYTES];
	struct timespec used;
	uint64_t bytes;
};

/* --- The folder ----------------------------------------------------------- */

static bool make_folders(const char *folder)
{
	char *path = strdup(folder);

	if (!path)
		return false;
	for (char *at = path + (*path == '/');; at++) {
		char was = *at;

		if (was != '/' && was)
			continue;
		*at = '\0';
		if (mkdir(path, 0700) && errno != EEXIST) {
			free(path);
			return false;
		}
		*at = was;
		if (!was)
			break;
	}
	free(path);
	return true;
}

/* Code that somebody else could have put there is not run. */
static bool is_ours(int file)
{
	struct stat status;

	return !fstat(file, &status) && status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

struct glc_disk_cache *glc_disk_cache_open(const char *folder, uint64_t max_bytes)
{
	struct glc_disk_cache *cache;
	struct timespec now;

	if (!*folder || !make_folders(folder))
		return NULL;
	cache = calloc(1, sizeof *cache);
	if (!cache)
		return NULL;
	cache->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cache->folder < 0 || !is_ours(cache->folder)) {
		glc_disk_cache_close(cache);
		return NULL;
	}
	cache->max_bytes = max_bytes ? max_bytes : DEFAULT_BYTES;
	clock_gettime(CLOCK_MONOTONIC, &now);
	cache->names = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 32 ^
		       (uint64_t)(uintptr_t)cache;
	return cache;
}

void glc_disk_cache_close(struct glc_disk_cache *cache)
{
	if (!cache)
		return;
	if (cache->folder >= 0)
		close(cache->folder);
	free(cache);
}

void glc_disk_cache_name(const unsigned char key[GLC_HASH_BYTES], char name[GLC_DISK_CACHE_NAME_BYTES])
{
	for (int i = 0; i < GLC_HASH_BYTES; i++)
		snprintf(name + 2 * i, 3, "%02x", key[i]);
	memcpy(name + 2 * GLC_HASH_BYTES, suffix, sizeof suffix);
}

/* --- A file --------------------------------------------------------------- */

static void put_u64(unsigned char *at, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_u64(const unsigned char *at)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static void make_header(unsigned char header[GLC_DISK_CACHE_HEADER_BYTES], const unsigned char *key,
			const void *content, size_t bytes)
{
	struct glc_hash hash;

	memcpy(header, magic, sizeof magic);
	memcpy(header + 8, key, GLC_HASH_BYTES);
	put_u64(header + 24, bytes);
	glc_hash_init(&hash, NULL);
	glc_hash_add(&hash, header, 32);
	glc_hash_add(&hash, content, bytes);
	glc_hash_end(&hash, header + 32);
}

static bool is_whole(const unsigned char *file, size_t bytes, const unsigned char *key)
{
	unsigned char header[GLC_DISK_CACHE_HEADER_BYTES];

	if (bytes < sizeof header || get_u64(file + 24) != bytes - sizeof header)
		return false;
	make_header(header, key, file + sizeof header, bytes - sizeof header);
	return !memcmp(file, header, sizeof header);
}

static bool read_all(int file, unsigned char *at, size_t bytes)
{
	while (bytes) {
		ssize_t got = read(file, at, bytes);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		bytes -= (size_t)got;
	}
	return true;
}

static bool write_all(int file, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	while (bytes) {
		ssize_t put = write(file, at, bytes);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		at += put;
		bytes -= (size_t)put;
	}
	return true;
}

/* Appends the content of the open file; *broken: it is there, and not what was written. */
static bool read_entry(const struct glc_disk_cache *cache, int file, const unsigned char *key,
		       struct glacier_buffer *out, bool *broken)
{
	enum { HEADER = GLC_DISK_CACHE_HEADER_BYTES };
	struct stat status;
	size_t bytes;
	unsigned char *at;

	if (fstat(file, &status) || !S_ISREG(status.st_mode) || !is_ours(file))
		return false;
	*broken = true;
	if (status.st_size < HEADER || (uint64_t)status.st_size > cache->max_bytes)
		return false;
	bytes = (size_t)status.st_size;
	if (!glc_buffer_reserve(out, bytes)) {
		*broken = false;
		return false;
	}
	at = out->data + out->size;
	if (!read_all(file, at, bytes) || !is_whole(at, bytes, key))
		return false;
	memmove(at, at + HEADER, bytes - HEADER);
	out->size += bytes - HEADER;
	*broken = false;
	return true;
}

bool glc_disk_cache_get(struct glc_disk_cache *cache, const unsigned char key[GLC_HASH_BYTES],
			struct glacier_buffer *out)
{
	char name[GLC_DISK_CACHE_NAME_BYTES];
	bool broken = false, found;
	int file;

	glc_disk_cache_name(key, name);
	file = openat(cache->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file < 0)
		return false;
	found = read_entry(cache, file, key, out, &broken);
	/* So that what is in use is the last to be dropped. */
	if (found)
		futimens(file, NULL);
	close(file);
	/* Another process may have put a good one there meanwhile: it is written again then. */
	if (broken)
		unlinkat(cache->folder, name, 0);
	return found;
}

/* --- Keeping within the bound --------------------------------------------- */

static int by_age(const void *a, const void *b)
{
	const struct timespec *x = &((const struct entry *)a)->used, *y = &((const struct entry *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static bool ends_with(const char *name, const char *end)
{
	size_t bytes = strlen(name), tail = strlen(end);

	return bytes > tail && !strcmp(name + bytes - tail, end);
}

/* Notes an entry; removes what a killed process left. False: memory ran out. */
static bool look_at(const struct glc_disk_cache *cache, const char *name, time_t now, struct entry **entries,
		    size_t *count, size_t *capacity)
{
	struct stat status;
	struct entry *entry;

	if (fstatat(cache->folder, name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode))
		return true;
	if (ends_with(name, temporary_suffix) && now - status.st_mtime > STALE_SECONDS)
		unlinkat(cache->folder, name, 0);
	if (strlen(name) != GLC_DISK_CACHE_NAME_BYTES - 1 || !ends_with(name, suffix))
		return true;
	if (*count == *capacity) {
		size_t more = *capacity ? 2 * *capacity : 64;
		struct entry *larger = realloc(*entries, more * sizeof *larger);

		if (!larger)
			return false;
		*entries = larger;
		*capacity = more;
	}
	entry = &(*entries)[(*count)++];
	memcpy(entry->name, name, sizeof entry->name);
	entry->used = status.st_mtim;
	entry->bytes = (uint64_t)status.st_size;
	return true;
}

/* Down to three quarters, so that not every entry of a full cache costs another its place. */
static void shrink(const struct glc_disk_cache *cache)
{
	struct entry *entries = NULL;
	size_t count = 0, capacity = 0;
	uint64_t total = 0;
	struct dirent *found;
	int copy = openat(cache->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);

	if (!list) {
		if (copy >= 0)
			close(copy);
		return;
	}
	while ((found = readdir(list)) && look_at(cache, found->d_name, time(NULL), &entries, &count, &capacity))
		continue;
	closedir(list);
	for (size_t i = 0; i < count; i++)
		total += entries[i].bytes;
	if (total > cache->max_bytes) {
		qsort(entries, count, sizeof *entries, by_age);
		for (size_t i = 0; i < count && total > cache->max_bytes / 4 * 3; i++) {
			unlinkat(cache->folder, entries[i].name, 0);
			total -= entries[i].bytes;
		}
	}
	free(entries);
}

/* --- Writing -------------------------------------------------------------- */

static int create_temporary(struct glc_disk_cache *cache, char name[TEMPORARY_BYTES])
{
	int file = -1;

	for (int i = 0; i < TRIES && file < 0; i++) {
		snprintf(name, TEMPORARY_BYTES, ".%016llx%s",
			 (unsigned long long)glc_splitmix64(&cache->names), temporary_suffix);
		file = openat(cache->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (file < 0 && errno != EEXIST)
			break;
	}
	return file;
}

bool glc_disk_cache_put(struct glc_disk_cache *cache, const unsigned char key[GLC_HASH_BYTES], const void *data,
			size_t bytes)
{
	unsigned char header[GLC_DISK_CACHE_HEADER_BYTES];
	char name[GLC_DISK_CACHE_NAME_BYTES], temporary[TEMPORARY_BYTES];
	bool good;
	int file;

	if (bytes > cache->max_bytes || cache->max_bytes - bytes < sizeof header)
		return false;
	file = create_temporary(cache, temporary);
	if (file < 0)
		return false;
	make_header(header, key, data, bytes);
	glc_disk_cache_name(key, name);
	/* Not synced: what a power failure leaves of it is found by its hash. */
	good = write_all(file, header, sizeof header) && write_all(file, data, bytes);
	good = !close(file) && good;
	good = good && !renameat(cache->folder, temporary, cache->folder, name);
	if (!good)
		unlinkat(cache->folder, temporary, 0);
	shrink(cache);
	return good;
}
