/* SPDX-License-Identifier: MIT */
/*
 * replay [-n MUTATIONS] [-t SECONDS] [-s SEED] FILE-OR-FOLDER... - a fuzz target without
 * libFuzzer: every file as it is and cut short, then as many mutations of each as asked
 * for or as the time allows. The same seed gives the same inputs, on every machine.
 *
 * A crash, a report of a sanitizer, or an input that takes more than 10 s leaves the input
 * in replay-NAME.bin in the current folder and says so; give that file to replay again.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* AddressSanitizer's, where it is linked in. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

enum { MAX_FILES = 4096, INPUT_BYTES = 1 << 20, MAX_STEPS = 6, HANG_SECONDS = 10 };

struct input {
	char *path;
	uint8_t *data;
	size_t size;
};

static struct input inputs[MAX_FILES];
static size_t input_count;
static uint64_t state;
static unsigned long long runs;

/* What a death leaves behind: set before each run. */
static const uint8_t *current;
static size_t current_size;
static const char *target_name = "target";

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static size_t below(size_t limit)
{
	return limit ? next_random() % limit : 0;
}

static void save_current(void)
{
	char path[256];
	int file;

	snprintf(path, sizeof path, "replay-%s.bin", target_name);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (file < 0 || write(file, current, current_size) != (ssize_t)current_size)
		return;
	close(file);
	fprintf(stderr, "replay: the input is in %s (%zu bytes, run %llu)\n", path, current_size, runs);
}

static void die_by_signal(int number)
{
	save_current();
	if (number == SIGALRM) {
		fprintf(stderr, "replay: no end after %d s\n", HANG_SECONDS);
		_exit(1);
	}
	/* The default action, so that the exit status tells the signal. */
	signal(number, SIG_DFL);
	raise(number);
}

static void run(const uint8_t *data, size_t size)
{
	/* Exactly as large as the input, so that AddressSanitizer sees a read beyond it. */
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(2);
	if (size)
		memcpy(copy, data, size);
	current = copy;
	current_size = size;
	runs++;
	alarm(HANG_SECONDS);
	LLVMFuzzerTestOneInput(copy, size);
	alarm(0);
	free(copy);
}

static void add_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct input *input = &inputs[input_count];

	if (!file || input_count == MAX_FILES) {
		fprintf(stderr, "replay: %s: cannot be taken\n", path);
		exit(2);
	}
	input->path = strdup(path);
	input->data = malloc(INPUT_BYTES);
	if (!input->path || !input->data)
		exit(2);
	input->size = fread(input->data, 1, INPUT_BYTES, file);
	fclose(file);
	input->data = realloc(input->data, input->size ? input->size : 1);
	input_count++;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct input *)a)->path, ((const struct input *)b)->path);
}

static void add(const char *path)
{
	struct dirent *entry;
	DIR *folder = opendir(path);

	if (!folder) {
		add_file(path);
		return;
	}
	while ((entry = readdir(folder))) {
		char file[4096];
		struct stat info;

		snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.' && stat(file, &info) == 0 && S_ISREG(info.st_mode))
			add_file(file);
	}
	closedir(folder);
}

/* Change size bytes at data, which has room for capacity, one step; the new size. */
static size_t mutate_once(uint8_t *data, size_t size, size_t capacity)
{
	static const char interesting[] = {0, -1, 127, -128, '0', '9', '%', '@', '{', '}', '"', '\n', '/', '-', '.', ','};
	const struct input *other = &inputs[below(input_count)];
	size_t at = below(size + 1), from, length;

	switch (below(8)) {
	case 0:  /* flip a bit */
		if (at < size)
			data[at] ^= (uint8_t)(1u << below(8));
		return size;
	case 1:  /* any byte */
		if (at < size)
			data[at] = (uint8_t)next_random();
		return size;
	case 2:  /* a byte that formats give a meaning */
		if (at < size)
			data[at] = (uint8_t)interesting[below(sizeof interesting)];
		return size;
	case 3:  /* drop a run */
		length = below(size - at < 64 ? size - at + 1 : 64);
		memmove(data + at, data + at + length, size - at - length);
		return size - length;
	case 4:  /* cut */
		return at;
	case 5:  /* repeat a run of its own */
		from = below(size + 1);
		length = below(size - from < 64 ? size - from + 1 : 64);
		if (length > capacity - size)
			return size;
		memmove(data + at + length, data + at, size - at);
		/* The run may have moved; what is repeated matters little. */
		memmove(data + at, data + from, length);
		return size + length;
	case 6:  /* insert a run of another file */
		from = below(other->size + 1);
		length = below(other->size - from < 256 ? other->size - from + 1 : 256);
		if (length > capacity - size)
			return size;
		memmove(data + at + length, data + at, size - at);
		memcpy(data + at, other->data + from, length);
		return size + length;
	default: /* go on as another file */
		from = below(other->size + 1);
		length = other->size - from;
		if (length > capacity - at)
			length = capacity - at;
		memcpy(data + at, other->data + from, length);
		return at + length;
	}
}

static void run_mutation(const struct input *input)
{
	static uint8_t data[2 * INPUT_BYTES];
	size_t size = input->size, steps = 1 + below(MAX_STEPS);

	memcpy(data, input->data, size);
	while (steps--)
		size = mutate_once(data, size, sizeof data);
	run(data, size);
}

int main(int argc, char **argv)
{
	static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM};
	unsigned long mutations = 100, seconds = 0, done = 0;
	uint64_t seed = 1;
	time_t begun = time(NULL);
	int option;

	while ((option = getopt(argc, argv, "n:s:t:")) != -1) {
		switch (option) {
		case 'n': mutations = strtoul(optarg, NULL, 10); break;
		case 's': seed = strtoull(optarg, NULL, 10); break;
		case 't': seconds = strtoul(optarg, NULL, 10); break;
		default: return 2;
		}
	}
	if (strrchr(argv[0], '/'))
		target_name = strrchr(argv[0], '/') + 1;
	for (int i = optind; i < argc; i++)
		add(argv[i]);
	if (input_count == 0) {
		fprintf(stderr, "replay: no input\n");
		return 2;
	}
	/* Folders come in any order; the random numbers must not. */
	qsort(inputs, input_count, sizeof *inputs, by_path);
	state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		if (!__sanitizer_set_death_callback || deadly[i] == SIGALRM)
			signal(deadly[i], die_by_signal);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(save_current);

	for (size_t i = 0; i < input_count; i++) {
		/* Every length of a small file, about 256 of a large one. */
		size_t step = inputs[i].size / 256 + 1;

		run(inputs[i].data, inputs[i].size);
		for (size_t size = 0; size < inputs[i].size; size += step)
			run(inputs[i].data, size);
	}
	/* In rounds over all files, so that a time limit is fair to each. */
	for (; seconds ? (unsigned long)(time(NULL) - begun) < seconds : done < mutations; done++)
		for (size_t i = 0; i < input_count; i++)
			run_mutation(&inputs[i]);
	printf("%s: %zu files, %lu mutations of each, %llu runs, seed %llu\n", target_name, input_count,
	       done, runs, (unsigned long long)seed);
	for (size_t i = 0; i < input_count; i++) {
		free(inputs[i].path);
		free(inputs[i].data);
	}
	return 0;
}
