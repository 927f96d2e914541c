/* SPDX-License-Identifier: MIT */
/*
 * min_arena [-l LIBRARY]... [LOG...] - the smallest arena in which a log of allocations goes through, by bisection, of
 * our two fits and of each library with peer_reset (bytes: a new arena of this size), peer_malloc and peer_free. The logs
 * are gc-arena-bench's own form, what is longer than the 32 MiB of a block being cut to them, and some that are made here.
 */
#include <glacier.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 128 << 10, MOST_PEERS = 8, LARGEST = 32 << 20 };

struct event {
	uint32_t id;
	uint64_t bytes;              /* 0: the end of it */
};

struct log {
	char name[64];
	struct event *events;
	size_t count, capacity;
	uint32_t ids;
	uint64_t live, peak, *bytes;
};

static struct peer {
	char name[64];
	void (*reset)(size_t);
	void *(*take)(size_t);
	void (*give)(void *);
} peers[MOST_PEERS];
static size_t peer_count;

static void *must(void *at)
{
	if (!at) {
		fputs("min_arena: out of memory\n", stderr);
		exit(2);
	}
	return at;
}

static void add(struct log *log, uint32_t id, uint64_t bytes)
{
	if (log->count == log->capacity) {
		log->capacity = log->capacity ? 2 * log->capacity : 4096;
		log->events = must(realloc(log->events, log->capacity * sizeof *log->events));
	}
	log->events[log->count++] = (struct event){id, bytes};
	if (id >= log->ids) {
		log->bytes = must(realloc(log->bytes, (id + 1) * sizeof *log->bytes));
		log->ids = id + 1;
	}
	log->live += bytes ? bytes : -log->bytes[id];
	log->bytes[id] = bytes;
	log->peak = log->live > log->peak ? log->live : log->peak;
}

/* --- Logs that are made here ---------------------------------------------- */

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Any length, as likely in each power of two. */
static uint64_t size_in(uint64_t *state, unsigned low, unsigned high)
{
	uint64_t bytes = UINT64_C(1) << (low + next(state) % (high - low));

	return bytes + next(state) % bytes;
}

/* 64 of any length; a random one is replaced. phases: small ones and large ones take turns. */
static struct log random_log(const char *name, bool phases)
{
	struct log log = {0};
	uint64_t state = 88172645463325252;
	uint32_t held[64] = {0}, ids = 0;

	snprintf(log.name, sizeof log.name, "%s", name);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned slot = next(&state) % 64, small = phases && i / 1000 % 2 == 0;

		if (held[slot])
			add(&log, held[slot] - 1, 0);
		add(&log, ids, size_in(&state, phases && !small ? 21 : 17, small ? 21 : 25));
		held[slot] = ++ids;
	}
	return log;
}

/* 48 layers with what they keep, activations of a batch forwards, gradients backwards. */
static struct log layers_log(void)
{
	struct log log = {.name = "layers"};
	uint64_t state = 88172645463325252;
	uint32_t ids = 0, kept[48][2];

	for (unsigned layer = 0; layer < 48; layer++)
		for (unsigned i = 0; i < 3; i++)
			add(&log, ids++, UINT64_C(9) << 20);
	for (unsigned step = 0; step < 100; step++) {
		uint64_t batch = 8 + next(&state) % 25;
		uint32_t gradient = 0;

		for (unsigned layer = 0; layer < 48; layer++) {
			uint32_t workspace = ids;

			add(&log, ids++, batch * 100000 + LEAF);
			for (unsigned i = 0; i < 2; i++) {
				kept[layer][i] = ids;
				add(&log, ids++, batch * (i ? 65536 : 262144));
			}
			add(&log, workspace, 0);
		}
		for (unsigned layer = 48; layer--;) {
			uint32_t before = gradient;

			gradient = ids;
			add(&log, ids++, batch * 262144);
			if (layer < 47)
				add(&log, before, 0);
			for (unsigned i = 2; i--;)
				add(&log, kept[layer][i], 0);
		}
		add(&log, gradient, 0);
	}
	return log;
}

static struct log read_log(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct log log = {0};
	FILE *file = fopen(path, "r");
	char line[256], op;
	unsigned thread, id;
	unsigned long long bytes;

	snprintf(log.name, sizeof log.name, "%s", slash ? slash + 1 : path);
	if (!file || !fgets(line, sizeof line, file) || strncmp(line, "gctrace 1", 9)) {
		fprintf(stderr, "min_arena: %s is no log of gc-arena-bench\n", path);
		exit(2);
	}
	while (fgets(line, sizeof line, file))
		if (sscanf(line, "%u %c %u %llu", &thread, &op, &id, &bytes) >= 3 && *line != '#')
			add(&log, id, op != 'a' ? 0 : bytes < LARGEST ? bytes : LARGEST);
	fclose(file);
	return log;
}

/* --- How much one needs --------------------------------------------------- */

/* NULL: ours, of this fit. */
static bool fits(const struct peer *peer, enum glacier_fit fit, const struct log *log, uint64_t arena_bytes, void **at)
{
	struct glacier_range range = {.base = UINT64_C(1) << 46, .bytes = arena_bytes};
	struct glacier_arena_options options = {.tier = GLACIER_TIER_BUDDY, .range = &range, .fit = fit};
	struct glacier_arena *arena = NULL;
	bool good = true;

	if (peer)
		peer->reset(arena_bytes);
	else if (glacier_arena_create(&options, &arena))
		return false;
	for (size_t i = 0; good && i < log->count; i++) {
		const struct event *e = &log->events[i];
		glacier_addr addr = (uintptr_t)at[e->id];

		if (e->bytes) {
			good = peer ? (at[e->id] = peer->take(e->bytes)) != NULL : !glacier_arena_alloc(arena, e->bytes, &addr);
			if (!peer)
				at[e->id] = (void *)(uintptr_t)addr;
		} else if (peer) {
			peer->give(at[e->id]);
		} else if (glacier_arena_free(arena, addr)) {
			exit(2);
		}
	}
	glacier_arena_destroy(arena);
	return good;
}

static uint64_t least(const struct peer *peer, enum glacier_fit fit, const struct log *log)
{
	uint64_t low = 0, high = (log->peak + LEAF - 1) / LEAF;
	void **at = must(calloc(log->ids, sizeof *at));

	while (!fits(peer, fit, log, high * LEAF, at)) {
		low = high;
		high += high / 4 + 1;
	}
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (fits(peer, fit, log, middle * LEAF, at))
			high = middle;
		else
			low = middle;
	}
	free(at);
	return high * LEAF;
}

static void row(struct log log)
{
	uint64_t ours = least(NULL, GLACIER_FIT_RUN, &log), best = UINT64_MAX;

	printf("%-24s %9.1f %9.3f %9.3f", log.name, (double)log.peak / (1 << 20),
	       (double)least(NULL, GLACIER_FIT_BUDDY, &log) / (double)log.peak, (double)ours / (double)log.peak);
	for (size_t i = 0; i < peer_count; i++) {
		uint64_t bytes = least(&peers[i], GLACIER_FIT_RUN, &log);

		best = bytes < best ? bytes : best;
		printf(" %14.3f", (double)bytes / (double)log.peak);
	}
	if (peer_count)
		printf(" %14.3f", (double)ours / (double)best);
	putchar('\n');
	fflush(stdout);
	free(log.events);
	free(log.bytes);
}

static void open_peer(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const char *slash = strrchr(path, '/');
	struct peer *peer = &peers[peer_count];

	if (library) {
		peer->reset = (void (*)(size_t))dlsym(library, "peer_reset");
		peer->take = (void *(*)(size_t))dlsym(library, "peer_malloc");
		peer->give = (void (*)(void *))dlsym(library, "peer_free");
	}
	if (!peer->reset || !peer->take || !peer->give || peer_count == MOST_PEERS - 1) {
		fprintf(stderr, "min_arena: %s: no peer_reset, peer_malloc and peer_free\n", path);
		exit(2);
	}
	snprintf(peer->name, sizeof peer->name, "%s", slash ? slash + 1 : path);
	peer_count++;
}

int main(int argc, char **argv)
{
	int at = 1;

	for (; at + 1 < argc && !strcmp(argv[at], "-l"); at += 2)
		open_peer(argv[at + 1]);
	printf("%-24s %9s %9s %9s", "", "MiB live", "buddy", "run");
	for (size_t i = 0; i < peer_count; i++)
		printf(" %14s", peers[i].name);
	puts(peer_count ? "  run to the best" : "");
	row(random_log("any length", false));
	row(random_log("small and large in turn", true));
	row(layers_log());
	for (; at < argc; at++)
		row(read_log(argv[at]));
	return 0;
}
