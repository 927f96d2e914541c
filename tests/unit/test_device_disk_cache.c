/* SPDX-License-Identifier: MIT */
#include "device/disk_cache.h"

#include "base/buf.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static char folder[32];

static void make_folder(void)
{
	snprintf(folder, sizeof folder, "/tmp/glacier-cache-XXXXXX");
	cr_assert(mkdtemp(folder) != NULL);
}

static void remove_folder(void)
{
	char command[96];

	snprintf(command, sizeof command, "chmod -R u+w %s; rm -r %s", folder, folder);
	cr_assert(eq(int, system(command), 0));
}

TestSuite(disk_cache, .init = make_folder, .fini = remove_folder);

static struct glc_disk_cache *open_cache(uint64_t max_bytes)
{
	struct glc_disk_cache *cache = glc_disk_cache_open(folder, max_bytes);

	cr_assert(cache != NULL);
	return cache;
}

static void make_key(unsigned char key[GLC_HASH_BYTES], unsigned number)
{
	for (int i = 0; i < GLC_HASH_BYTES; i++)
		key[i] = (unsigned char)(i + 16 * number);
}

static void path_of(unsigned number, char path[160])
{
	unsigned char key[GLC_HASH_BYTES];
	char name[GLC_DISK_CACHE_NAME_BYTES];

	make_key(key, number);
	glc_disk_cache_name(key, name);
	snprintf(path, 160, "%s/%s", folder, name);
}

static bool put(struct glc_disk_cache *cache, unsigned number, const void *data, size_t bytes)
{
	unsigned char key[GLC_HASH_BYTES];

	make_key(key, number);
	return glc_disk_cache_put(cache, key, data, bytes);
}

/* Whether there is such an entry; what it holds must be this. */
static bool has(struct glc_disk_cache *cache, unsigned number, const void *data, size_t bytes)
{
	unsigned char key[GLC_HASH_BYTES];
	struct glacier_buffer out = {0};
	bool found;

	make_key(key, number);
	found = glc_disk_cache_get(cache, key, &out);
	if (found)
		cr_assert(out.size == bytes && (!bytes || !memcmp(out.data, data, bytes)), "entry %u is another", number);
	else
		cr_assert(eq(sz, out.size, 0));
	glacier_buffer_fini(&out);
	return found;
}

static unsigned count_files(void)
{
	DIR *list = opendir(folder);
	unsigned count = 0;
	struct dirent *entry;

	while ((entry = readdir(list)))
		count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(list);
	return count;
}

static unsigned char *random_bytes(size_t bytes)
{
	unsigned char *data = malloc(bytes);
	uint32_t state = 1;

	cr_assert(data != NULL);
	for (size_t i = 0; i < bytes; i++)
		data[i] = (unsigned char)((state = state * 1664525 + 1013904223) >> 24);
	return data;
}

Test(disk_cache, gives_back_what_was_put)
{
	struct glc_disk_cache *cache = open_cache(0);
	unsigned char *large = random_bytes(1 << 20);

	cr_assert(not(has(cache, 1, NULL, 0)));
	cr_assert(put(cache, 1, "one", 3));
	cr_assert(put(cache, 2, large, 1 << 20));
	cr_assert(put(cache, 3, "", 0));
	cr_assert(has(cache, 1, "one", 3));
	cr_assert(has(cache, 2, large, 1 << 20));
	cr_assert(has(cache, 3, "", 0));
	cr_assert(not(has(cache, 4, NULL, 0)));
	cr_assert(put(cache, 1, "another", 7));
	cr_assert(has(cache, 1, "another", 7));
	glc_disk_cache_close(cache);
	cache = open_cache(0);
	cr_assert(has(cache, 2, large, 1 << 20), "not after opening it again");
	cr_assert(eq(u32, count_files(), 3), "temporaries are left");
	glc_disk_cache_close(cache);
	free(large);
}

Test(disk_cache, appends_to_what_is_in_the_buffer)
{
	struct glc_disk_cache *cache = open_cache(0);
	struct glacier_buffer out = {0};
	unsigned char key[GLC_HASH_BYTES];

	make_key(key, 1);
	cr_assert(glc_disk_cache_put(cache, key, "tail", 4));
	cr_assert(glc_buffer_reserve(&out, 5));
	memcpy(out.data, "head ", 5);
	out.size = 5;
	cr_assert(glc_disk_cache_get(cache, key, &out));
	cr_assert(out.size == 9 && !memcmp(out.data, "head tail", 9));
	glacier_buffer_fini(&out);
	glc_disk_cache_close(cache);
}

/*
 * The bytes of disk_cache.h. The hash is that of OpenSSL 3 over the 44 bytes before and behind it:
 * openssl mac -macopt size:16 -macopt hexkey:00000000000000000000000000000000 -in FILE SIPHASH
 */
Test(disk_cache, writes_the_documented_file)
{
	static const unsigned char want[] =
		"glcache1"
		"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"
		"\x0c\x00\x00\x00\x00\x00\x00\x00"
		"\x4f\x4d\xa8\x7d\xd4\x36\xec\x46\x4e\x22\xd8\x84\x6c\x9b\x6c\x52"
		"machine code";
	struct glc_disk_cache *cache = open_cache(0);
	unsigned char file[128];
	struct stat status;
	char path[160];
	size_t bytes;
	FILE *in;

	cr_assert(put(cache, 0, "machine code", 12));
	path_of(0, path);
	cr_assert(not(strcmp(strrchr(path, '/') + 1, "000102030405060708090a0b0c0d0e0f.bin")));
	in = fopen(path, "rb");
	cr_assert(in != NULL);
	bytes = fread(file, 1, sizeof file, in);
	fclose(in);
	cr_assert(eq(sz, bytes, sizeof want - 1));
	cr_assert(not(memcmp(file, want, bytes)));
	cr_assert(stat(path, &status) == 0 && (status.st_mode & 0777) == 0600, "others can read it");
	glc_disk_cache_close(cache);
}

Test(disk_cache, rebuilds_an_entry_that_was_cut_anywhere)
{
	enum { BYTES = 5000 };
	struct glc_disk_cache *cache = open_cache(0);
	unsigned char *data = random_bytes(BYTES);
	char path[160];

	path_of(5, path);
	for (off_t length = 0; length < BYTES + GLC_DISK_CACHE_HEADER_BYTES; length += 64) {
		cr_assert(put(cache, 5, data, BYTES));
		cr_assert(eq(int, truncate(path, length), 0));
		cr_assert(not(has(cache, 5, data, BYTES)), "%d bytes are taken for the whole", (int)length);
		cr_assert(ne(int, access(path, F_OK), 0), "the broken file stays");
	}
	cr_assert(put(cache, 5, data, BYTES));
	cr_assert(has(cache, 5, data, BYTES));
	glc_disk_cache_close(cache);
	free(data);
}

Test(disk_cache, sees_every_changed_byte)
{
	enum { BYTES = 100 };
	struct glc_disk_cache *cache = open_cache(0);
	unsigned char *data = random_bytes(BYTES), key[GLC_HASH_BYTES];
	char path[160], other[160];

	path_of(5, path);
	for (off_t at = 0; at <= BYTES + GLC_DISK_CACHE_HEADER_BYTES; at++) {
		unsigned char byte = 0;
		int file;

		cr_assert(put(cache, 5, data, BYTES));
		file = open(path, O_RDWR);
		cr_assert(file >= 0 && pread(file, &byte, 1, at) >= 0);
		byte ^= 1 << at % 8;
		/* The last round makes it longer. */
		cr_assert(eq(int, pwrite(file, &byte, 1, at), 1));
		close(file);
		cr_assert(not(has(cache, 5, data, BYTES)), "byte %d may be any", (int)at);
	}
	/* A whole file under the name of another key. */
	cr_assert(put(cache, 5, data, BYTES));
	path_of(6, other);
	cr_assert(eq(int, rename(path, other), 0));
	make_key(key, 6);
	cr_assert(not(has(cache, 6, data, BYTES)));
	glc_disk_cache_close(cache);
	free(data);
}

/* When the entry was used, in seconds before now. */
static void age(unsigned number, time_t seconds)
{
	struct timeval times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
	char path[160];

	path_of(number, path);
	cr_assert(eq(int, utimes(path, times), 0));
}

Test(disk_cache, drops_what_was_used_the_longest_ago)
{
	enum { ENTRY = 1000 - GLC_DISK_CACHE_HEADER_BYTES };
	struct glc_disk_cache *cache = open_cache(8000);
	unsigned char *data = random_bytes(ENTRY);

	for (unsigned i = 0; i < 8; i++) {
		cr_assert(put(cache, i, data, ENTRY));
		age(i, 1000 - i);
	}
	cr_assert(eq(u32, count_files(), 8));
	/* Used now: it stays. */
	cr_assert(has(cache, 0, data, ENTRY));
	cr_assert(put(cache, 8, data, ENTRY));
	/* Nine are too many: six, three quarters of the bound, are left. */
	cr_assert(eq(u32, count_files(), 6));
	for (unsigned i = 0; i < 9; i++)
		cr_assert(eq(int, has(cache, i, data, ENTRY), i == 0 || i > 3), "entry %u", i);
	cr_assert(not(put(cache, 9, data, 8000)), "more than the whole cache may be is kept");
	cr_assert(eq(u32, count_files(), 6));
	glc_disk_cache_close(cache);
	free(data);
}

Test(disk_cache, removes_what_a_killed_process_left)
{
	struct glc_disk_cache *cache = open_cache(0);
	struct timeval old[2] = {{.tv_sec = time(NULL) - 3600}, {.tv_sec = time(NULL) - 3600}};
	char path[160], foreign[160];

	snprintf(path, sizeof path, "%s/.0123456789abcdef.tmp", folder);
	snprintf(foreign, sizeof foreign, "%s/notes.txt", folder);
	close(creat(path, 0600));
	close(creat(foreign, 0600));
	cr_assert(put(cache, 1, "one", 3));
	cr_assert(eq(u32, count_files(), 3), "a temporary that may be in use is removed");
	cr_assert(utimes(path, old) == 0 && utimes(foreign, old) == 0);
	cr_assert(put(cache, 2, "two", 3));
	cr_assert(ne(int, access(path, F_OK), 0));
	cr_assert(eq(int, access(foreign, F_OK), 0), "somebody's file is removed");
	glc_disk_cache_close(cache);
}

Test(disk_cache, reads_no_file_that_another_could_have_made)
{
	struct glc_disk_cache *cache = open_cache(0);
	char path[160], elsewhere[160];

	cr_assert(put(cache, 1, "one", 3));
	path_of(1, path);
	cr_assert(eq(int, chmod(path, 0620), 0));
	cr_assert(not(has(cache, 1, "one", 3)), "a file that a group can write");
	cr_assert(chmod(path, 0600) == 0 && has(cache, 1, "one", 3));
	snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
	cr_assert(rename(path, elsewhere) == 0 && symlink(elsewhere, path) == 0);
	cr_assert(not(has(cache, 1, "one", 3)), "a link");
	cr_assert(unlink(path) == 0 && mkfifo(path, 0600) == 0);
	cr_assert(not(has(cache, 1, "one", 3)), "a pipe");
	cr_assert(unlink(path) == 0 && mkdir(path, 0700) == 0);
	cr_assert(not(has(cache, 1, "one", 3)), "a folder");
	cr_assert(not(put(cache, 1, "one", 3)), "over a folder");
	glc_disk_cache_close(cache);
}

Test(disk_cache, is_not_where_it_cannot_be)
{
	char path[160];

	cr_assert(glc_disk_cache_open("", 0) == NULL);
	cr_assert(glc_disk_cache_open("/dev/null/cache", 0) == NULL);
	/* Others can write there. */
	cr_assert(eq(int, chmod(folder, 0777), 0));
	cr_assert(glc_disk_cache_open(folder, 0) == NULL);
	cr_assert(eq(int, chmod(folder, 0700), 0));
	snprintf(path, sizeof path, "%s/not/yet/there", folder);
	glc_disk_cache_close(glc_disk_cache_open(path, 0));
	cr_assert(eq(int, access(path, W_OK), 0), "folders are not made");
	snprintf(path, sizeof path, "%s/file", folder);
	close(creat(path, 0600));
	cr_assert(glc_disk_cache_open(path, 0) == NULL);
	glc_disk_cache_close(NULL);
}
