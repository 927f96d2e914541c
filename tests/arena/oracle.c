/* SPDX-License-Identifier: MIT */
/*
 * oracle [SEEDS [FIRST]] - random lists of calls, one thread, against a shadow of every 64 bytes and a list
 * of what is live: no overlap, alignment, every wrong free refused, statistics equal to the
 * shadow's, everything back at the end. Each tier and both fits, with tags and without: tags close the quick ways.
 *
 * A list that fails, or ends with a signal, is made as short as can be by running parts of it, each in a process of its
 * own, and is printed: `oracle --replay FILE` runs it. --plant makes an allocation after a trim overlap another,
 * which has to be found and made short.
 */
#include "shadow.h"
#include "shrink.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_LIVE = 600, STEPS = 4000, BYTES = 80 << 20 };

/* What a list is made of. An allocation has its number as its name: without it, what speaks of it does nothing. */
struct op {
	char what;               /* alloc, free, Free twice, inside, wild, trim, compare */
	uint8_t category;
	uint32_t id, tag;
	uint64_t bytes, alignment, random;
};

struct one {
	glacier_addr addr;
	uint64_t bytes, granted; /* bytes 0: not live */
	uint32_t tag;
};

struct kind {
	const char *name;
	struct glacier_arena_options options;
	uint64_t low, high;
};

#define FIT(n) .fit = (n) ? GLACIER_FIT_RUN : GLACIER_FIT_BUDDY
#define SLAB(sub, run) {"slab" #sub #run, {.tier = GLACIER_TIER_SLAB, .sub_bins = sub, FIT(run)}, 1, 65536}
#define POOL(sub, run, chunk) \
	{"pool" #sub #run, {.tier = GLACIER_TIER_POOL, .sub_bins = sub, FIT(run), .ring_bytes = 8 << 20, .reservoir_bytes = 32 << 20, \
			    .chunk_bytes = chunk}, 1, 4 << 20}
#define BUDDY(run) {"buddy" #run, {.tier = GLACIER_TIER_BUDDY, FIT(run)}, 1, 8 << 20}
static const struct kind kinds[] = {
	SLAB(0, 0), SLAB(0, 1), SLAB(1, 0), SLAB(1, 1),
	POOL(0, 0, 0), POOL(0, 1, 0), POOL(1, 0, 65536), POOL(1, 1, 65536),
	BUDDY(0), BUDDY(1),
	{"buddy, no caches", {.tier = GLACIER_TIER_BUDDY, .cache_bytes = UINT64_MAX}, 1, 8 << 20},
	{"reservoir", {.tier = GLACIER_TIER_RESERVOIR}, 1, 16 << 20},
	{"ring", {.tier = GLACIER_TIER_RING}, 1, 1 << 20},
	{"ring, chunks", {.tier = GLACIER_TIER_RING, .chunk_bytes = 65536}, 1, 1 << 20},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct list {
	const struct kind *kind;
	bool tags;
	struct op ops[STEPS];
	size_t count;
};

/* --- A list from a seed --------------------------------------------------- */

static void make_list(struct list *list, const struct kind *kind, bool tags, uint64_t seed)
{
	uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	uint32_t live[MOST_LIVE];
	size_t count = 0;

	*list = (struct list){.kind = kind, .tags = tags};
	for (uint32_t step = 0; step < STEPS; step++) {
		uint64_t what = next(&state) % 32;
		struct op op = {.what = 'c', .random = next(&state)};

		if (what < 15 && count < MOST_LIVE) {
			op.what = 'a';
			op.bytes = any_size(&state, kind->low, kind->high);
			op.tag = (uint32_t)next(&state);
			op.alignment = next(&state) % 8 ? 0 : UINT64_C(1) << next(&state) % 13;
			if (kind->options.tier == GLACIER_TIER_POOL && next(&state) % 2)
				op.category = (uint8_t)(next(&state) % 5);
			if (kind->options.tier == GLACIER_TIER_RING && op.alignment > 64)
				op.alignment = 64;
			op.id = step;
			live[count++] = step;
		} else if (what < 28 && count) {
			/* A ring mostly from its tail; others often what came last, which is then at hand. */
			size_t i = kind->options.tier == GLACIER_TIER_RING ? (what < 24 ? 0 : next(&state) % count)
									   : what < 20 ? count - 1 : next(&state) % count;

			op.what = what % 4 ? 'f' : 'F';
			op.id = live[i];
			memmove(&live[i], &live[i + 1], (--count - i) * sizeof *live);
		} else if (what < 30) {
			op.what = count && what == 29 ? 'i' : 'w';
			op.id = count ? live[next(&state) % count] : 0;
		} else if (what == 30 && next(&state) % 16 == 0) {
			op.what = 't';
		} else if (step % 500 != 499) {
			continue;
		}
		list->ops[list->count++] = op;
	}
}

/* --- A list run ----------------------------------------------------------- */

struct world {
	struct glacier_arena *arena;
	const struct list *list;
	struct shadow shadow;
	struct one ones[STEPS];
	uint64_t live, allocs, frees, granted;
	bool plant, trimmed;
};

static void allocate(struct world *w, const struct op *op)
{
	struct glacier_request request = {.bytes = op->bytes, .alignment = op->alignment, .category = (enum glacier_category)op->category,
					  .tag = op->tag};
	struct one *one = &w->ones[op->id];
	struct glacier_allocation found;
	enum glacier_status status;

	if (!op->alignment && !op->category && !w->list->tags)
		status = glacier_arena_alloc(w->arena, op->bytes, &one->addr);
	else
		status = glacier_arena_request(w->arena, &request, &one->addr);
	if (status) {
		CHECK(status == GLACIER_ERR_NOMEM || status == GLACIER_ERR_LIMIT || status == GLACIER_ERR_UNSUPPORTED, "%s for %" PRIu64 " bytes",
		      glacier_status_name(status), op->bytes);
		return;
	}
	/* The fault: where anything is live, what comes after a trim lies on the first that is. */
	for (size_t i = 0; w->plant && w->trimmed && i < STEPS; i++)
		if (w->ones[i].bytes > op->bytes) {
			one->addr = w->ones[i].addr;
			break;
		}
	CHECK(!op->alignment || one->addr % op->alignment == 0, "0x%" PRIx64 " is not aligned to %" PRIu64, one->addr, op->alignment);
	shadow_take(&w->shadow, one->addr, op->bytes, 1);
	one->bytes = op->bytes;
	one->tag = w->list->tags ? op->tag : 0;
	CHECK(!glacier_arena_find(w->arena, one->addr + op->random % one->bytes, &found) && found.addr == one->addr &&
	      found.bytes >= one->bytes && found.tag == one->tag, "what was given is not found");
	one->granted = found.bytes;
	w->live++;
	w->allocs++;
	w->granted += one->granted;
}

static void release(struct world *w, struct one *one, bool twice)
{
	enum glacier_status status;

	if (!one->bytes)
		return;
	shadow_give(&w->shadow, one->addr, one->bytes, 1);
	status = glacier_arena_free(w->arena, one->addr);
	CHECK(!status, "free: %s", glacier_status_name(status));
	w->live--;
	w->frees++;
	w->granted -= one->granted;
	one->bytes = 0;
	CHECK(!twice || glacier_arena_free(w->arena, one->addr) == GLACIER_ERR_INVALID, "a second free is taken");
}

/* Addresses that were never given. */
static void wild(struct world *w, uint64_t random)
{
	glacier_addr addr = w->shadow.base + random % w->shadow.bytes;
	bool begins = false;

	for (size_t i = 0; i < STEPS; i++)
		begins |= w->ones[i].bytes && w->ones[i].addr == addr;
	CHECK(begins || glacier_arena_free(w->arena, addr) == GLACIER_ERR_INVALID, "a free of 0x%" PRIx64 " is taken", addr);
	CHECK(glacier_arena_free(w->arena, w->shadow.base - 1) == GLACIER_ERR_INVALID, "a free before the range is taken");
	CHECK(glacier_arena_free(w->arena, w->shadow.base + w->shadow.bytes) == GLACIER_ERR_INVALID, "a free behind it is taken");
}

static void compare(struct world *w)
{
	struct glacier_arena_stats stats;
	const struct glacier_tier_stats *sum = &stats.tier[GLACIER_TIER_POOL];

	CHECK(!glacier_arena_get_stats(w->arena, &stats), "no statistics");
	CHECK(sum->allocs == w->allocs && sum->frees == w->frees && sum->live == w->live && sum->live_bytes == w->granted,
	      "statistics: %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "; the shadow: %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64,
	      sum->allocs, sum->frees, sum->live, sum->live_bytes, w->allocs, w->frees, w->live, w->granted);
	CHECK(stats.reserved_bytes + stats.free_bytes == w->shadow.bytes && stats.peak_reserved_bytes >= stats.reserved_bytes,
	      "%" PRIu64 " bytes are reserved, %" PRIu64 " free, of %" PRIu64, stats.reserved_bytes, stats.free_bytes, w->shadow.bytes);
}

static void step(struct world *w, const struct op *op)
{
	struct one *one = &w->ones[op->id];

	switch (op->what) {
	case 'a': allocate(w, op); break;
	case 'f': case 'F': release(w, one, op->what == 'F'); break;
	case 'i':
		if (one->bytes > 1)
			CHECK(glacier_arena_free(w->arena, one->addr + 1 + op->random % (one->bytes - 1)) == GLACIER_ERR_INVALID,
			      "an interior free is taken");
		break;
	case 'w': wild(w, op->random); break;
	case 't':
		glacier_arena_trim(w->arena);
		w->trimmed = true;
		break;
	default: compare(w);
	}
}

/* Nothing may touch what is behind the addresses. Fails by ending the process. */
static void run(const struct list *list, bool plant)
{
	static struct world w;
	void *forbidden = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct glacier_range range = {.base = (uintptr_t)forbidden, .bytes = BYTES};
	struct glacier_arena_options options = list->kind->options;
	struct glacier_arena_stats before, after;
	glacier_addr base;
	uint64_t bytes;

	CHECK(forbidden != MAP_FAILED, "no address space");
	w = (struct world){.list = list, .plant = plant};
	options.range = &range;
	options.tags = list->tags;
	CHECK(!glacier_arena_create(&options, &w.arena), "create");
	glacier_arena_plan(w.arena, GLACIER_TIER_POOL, &base, &bytes);
	glacier_arena_get_stats(w.arena, &before);
	shadow_init(&w.shadow, base, bytes, 64);
	for (size_t i = 0; i < list->count; i++)
		step(&w, &list->ops[i]);
	for (size_t i = STEPS; i--;)
		release(&w, &w.ones[i], false);
	compare(&w);
	glacier_arena_trim(w.arena);
	glacier_arena_get_stats(w.arena, &after);
	CHECK(after.free_bytes == before.free_bytes, "%" PRIu64 " bytes are free in the end, and were %" PRIu64, after.free_bytes,
	      before.free_bytes);
	CHECK(after.largest_free_bytes == before.largest_free_bytes, "%" PRIu64 " bytes are free in one piece, and were %" PRIu64,
	      after.largest_free_bytes, before.largest_free_bytes);
	glacier_arena_destroy(w.arena);
	shadow_fini(&w.shadow);
	munmap(forbidden, BYTES);
}

/* --- A list made short ---------------------------------------------------- */

struct trial {
	struct list *list;       /* its ops are what is tried */
	bool plant, loud;
};

/* In a process of its own, which a signal may end. */
static bool fails(void *user, const void *ops, size_t count)
{
	struct trial *trial = user;
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	CHECK(child >= 0, "fork");
	if (!child) {
		static struct list list;

		list = (struct list){.kind = trial->list->kind, .tags = trial->list->tags, .count = count};
		memcpy(list.ops, ops, count * sizeof *list.ops);
		if (!trial->loud)
			dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		run(&list, trial->plant);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child, "waitpid");
	return status != 0;
}

static void print(const struct list *list)
{
	printf("oracle %d %d %s\n", (int)(list->kind - kinds), list->tags, list->kind->name);
	for (size_t i = 0; i < list->count; i++) {
		const struct op *op = &list->ops[i];

		printf("%c %" PRIu32 " %" PRIu64 " %" PRIu64 " %d %" PRIu32 " %" PRIu64 "\n", op->what, op->id, op->bytes, op->alignment,
		       op->category, op->tag, op->random);
	}
}

/* 1, and the shortest list is printed, when it fails. */
static int try(struct list *list, bool plant)
{
	static struct op room[STEPS];
	struct trial trial = {.list = list, .plant = plant};

	if (!fails(&trial, list->ops, list->count))
		return 0;
	fprintf(stderr, "%zu calls fail; the fewest that do:\n", list->count);
	list->count = shrink(list->ops, list->count, sizeof *list->ops, room, fails, &trial);
	print(list);
	trial.loud = true;
	fails(&trial, list->ops, list->count);
	return 1;
}

static int replay(const char *path, bool plant)
{
	static struct list list;
	FILE *file = fopen(path, "r");
	struct trial trial = {.list = &list, .plant = plant, .loud = true};
	int kind, tags, category;
	struct op op;

	CHECK(file && fscanf(file, "oracle %d %d%*[^\n]", &kind, &tags) == 2 && (unsigned)kind < KINDS, "%s is no list", path);
	list = (struct list){.kind = &kinds[kind], .tags = tags};
	while (list.count < STEPS && fscanf(file, " %c %" SCNu32 " %" SCNu64 " %" SCNu64 " %d %" SCNu32 " %" SCNu64, &op.what, &op.id,
					    &op.bytes, &op.alignment, &category, &op.tag, &op.random) == 7) {
		CHECK(op.id < STEPS, "%s: call %zu", path, list.count + 1);
		op.category = (uint8_t)category;
		list.ops[list.count++] = op;
	}
	fclose(file);
	return fails(&trial, list.ops, list.count);
}

int main(int argc, char **argv)
{
	static struct list list;
	bool plant = argc > 1 && !strcmp(argv[1], "--plant");
	uint64_t seeds, first;

	argc -= plant;
	argv += plant;
	if (argc > 2 && !strcmp(argv[1], "--replay"))
		return replay(argv[2], plant);
	seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 12;
	first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	for (uint64_t seed = first; seed < first + seeds; seed++) {
		fprintf(stderr, "seed %" PRIu64 "\n", seed);
		for (size_t kind = 0; kind < KINDS; kind++)
			for (int tags = 0; tags < 2; tags++) {
				make_list(&list, &kinds[kind], tags, seed);
				if (try(&list, plant))
					return 1;
			}
	}
	return 0;
}
