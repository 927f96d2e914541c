/* SPDX-License-Identifier: MIT */
/*
 * The cache folder under 32 processes, of which one at random is killed again and again:
 * nobody ever reads anything but what belongs to the key, and what is left is whole.
 */
#include "device/disk_cache.h"

#include "base/rng.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 32, KEYS = 48, KILLS = 150, MOST_BYTES = 40000, CACHE_BYTES = 400000, WRONG = 3 };

static char folder[] = "/tmp/glacier-cache-XXXXXX";

#define CHECK(condition)                                                     \
	do {                                                                 \
		if (!(condition)) {                                          \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			exit(1);                                             \
		}                                                            \
	} while (0)

/* The content that belongs to a key, of some length of its own. */
static size_t content_of(unsigned number, unsigned char key[GLC_HASH_BYTES], unsigned char *content)
{
	struct glc_rng rng = glc_rng(number);
	size_t bytes = (size_t)(glc_rng_next(&rng) % MOST_BYTES);

	memset(key, 0, GLC_HASH_BYTES);
	memcpy(key, &number, sizeof number);
	for (size_t i = 0; i < bytes; i++)
		content[i] = (unsigned char)glc_rng_next(&rng);
	return bytes;
}

/* 1: found; 0: not there, and put if it should be; -1: something else was there. */
static int look(struct glc_disk_cache *cache, unsigned number, bool fill)
{
	static unsigned char content[MOST_BYTES];
	unsigned char key[GLC_HASH_BYTES];
	size_t bytes = content_of(number, key, content);
	struct glacier_buffer out = {0};
	int answer = 0;

	if (glc_disk_cache_get(cache, key, &out))
		answer = out.size == bytes && (!bytes || !memcmp(out.data, content, bytes)) ? 1 : -1;
	else if (fill)
		glc_disk_cache_put(cache, key, content, bytes);
	glacier_buffer_fini(&out);
	return answer;
}

static _Noreturn void work(uint64_t seed)
{
	struct glc_rng rng = glc_rng(seed);

	for (;;) {
		struct glc_disk_cache *cache = glc_disk_cache_open(folder, CACHE_BYTES);

		for (int i = 0; cache && i < 50; i++)
			if (look(cache, (unsigned)(glc_rng_next(&rng) % KEYS), true) < 0)
				_exit(WRONG);
		if (!cache)
			_exit(WRONG);
		glc_disk_cache_close(cache);
	}
}

static pid_t start(uint64_t seed)
{
	pid_t child = fork();

	CHECK(child >= 0);
	if (!child)
		work(seed);
	return child;
}

/* What is there together; what killed processes left is made old. */
static uint64_t weigh(unsigned *temporaries)
{
	struct timeval old[2] = {{.tv_sec = time(NULL) - 3600}, {.tv_sec = time(NULL) - 3600}};
	DIR *list = opendir(folder);
	struct dirent *entry;
	uint64_t bytes = 0;

	CHECK(list);
	*temporaries = 0;
	while ((entry = readdir(list))) {
		char path[400];
		struct stat status;

		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		CHECK(!stat(path, &status));
		if (!S_ISREG(status.st_mode))
			continue;
		if (strstr(entry->d_name, ".tmp")) {
			++*temporaries;
			CHECK(!utimes(path, old));
		} else {
			bytes += (uint64_t)status.st_size;
		}
	}
	closedir(list);
	return bytes;
}

int main(void)
{
	pid_t children[PROCESSES];
	struct glc_rng rng = glc_rng(7);
	struct glc_disk_cache *cache;
	char command[64];
	unsigned found = 0, temporaries, left;

	CHECK(mkdtemp(folder));
	for (int i = 0; i < PROCESSES; i++)
		children[i] = start((uint64_t)i);
	for (int i = 0; i < KILLS; i++) {
		const struct timespec pause = {.tv_nsec = (long)(glc_rng_next(&rng) % 20000000)};
		unsigned victim = (unsigned)(glc_rng_next(&rng) % PROCESSES);
		int status;

		nanosleep(&pause, NULL);
		kill(children[victim], SIGKILL);
		CHECK(waitpid(children[victim], &status, 0) == children[victim]);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		children[victim] = start((uint64_t)(PROCESSES + i));
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		kill(children[i], SIGKILL);
		CHECK(waitpid(children[i], &status, 0) == children[i]);
		CHECK(WIFSIGNALED(status));
	}

	weigh(&temporaries);
	cache = glc_disk_cache_open(folder, CACHE_BYTES);
	CHECK(cache);
	for (unsigned number = 0; number < KEYS; number++) {
		int answer = look(cache, number, false);

		CHECK(answer >= 0);
		found += (unsigned)answer;
	}
	CHECK(found > 0);
	CHECK(look(cache, KEYS, true) == 0 && look(cache, KEYS, true) == 1);
	/* Those who were killed could leave only what the next writer throws away. */
	CHECK(weigh(&left) <= CACHE_BYTES && left == 0);
	glc_disk_cache_close(cache);
	snprintf(command, sizeof command, "rm -r %s", folder);
	CHECK(!system(command));
	printf("%d processes, %d killed in the midst; %u temporaries left, and removed; %u entries found whole\n",
	       PROCESSES, KILLS, temporaries, found);
	return 0;
}
