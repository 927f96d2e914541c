/* SPDX-License-Identifier: MIT */
/* The compile cache: what makes two requests one, its bound, and many threads at once. */
#include "stress.h"

#include <glacier.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char text[] = "kernel k(@o: buffer u32 write, @T: spec u32 = 3) workgroup 64 {\n"
			   "%i = GlobalId\nStoreGlobal.u32 @o, %i, @T\n}\n";

static struct glacier_compile_request request(const char *target)
{
	struct glacier_compile_request made = {.data = text, .size = sizeof text - 1};

	CHECK(glacier_target_parse(target, &made.target, NULL) == GLACIER_OK, "%s", target);
	return made;
}

static void print(void *user, const struct glacier_diagnostic *diagnostic)
{
	(void)user;
	fprintf(stderr, "%s\n", diagnostic->message);
}

static const struct glacier_compiled *get(struct glacier_compile_cache *cache,
					  const struct glacier_compile_request *wanted)
{
	const struct glacier_compiled *code = NULL;
	struct glacier_diag diag = {.report = print};

	CHECK(glacier_compile_cache_get(cache, wanted, &code, &diag) == GLACIER_OK, "refused");
	CHECK(code && code->size, "no code");
	return code;
}

static struct glacier_compile_cache *create(size_t bytes)
{
	struct glacier_compile_cache *cache = NULL;

	CHECK(glacier_compile_cache_create(bytes, &cache) == GLACIER_OK, "no memory");
	return cache;
}

/* Each request differs from the first in one thing: it must be another object. */
static void tells_requests_apart(void)
{
	enum { REQUESTS = 14 };
	static const struct glacier_define define = {"T", "4"}, other = {"T", "5"};
	static const struct glacier_row rows[2] = {{22, 0, 0, 1}, {25, 0, 0, 0}};
	static char changed[sizeof text];
	struct glacier_compile_cache *cache = create(1 << 20);
	struct glacier_compile_request all[REQUESTS];
	const struct glacier_compiled *code[REQUESTS];
	struct glacier_compile_cache_stats stats;

	memcpy(changed, text, sizeof text);
	strstr(changed, "= 3")[2] = '7';
	for (int i = 0; i < REQUESTS; i++)
		all[i] = request(i == 1 ? "ptx" : i == 2 ? "spirv:1.5" : i == 3 ? "spirv+soft-fma" : "spirv");
	all[4].optimize = GLACIER_OPTIMIZE_NONE;
	all[5].debug = true;
	all[6].data = changed;
	all[7].defines = &define;
	all[8].defines = &other;
	all[7].define_count = all[8].define_count = 1;
	all[9].debug = true;
	all[9].source_name = "other.gasm";
	for (int i = 10; i < REQUESTS; i++) {
		all[i].content = GLACIER_CONTENT_ROWS;
		all[i].data = rows;
		all[i].size = sizeof rows;
	}
	all[11].name = "named";
	all[12].workgroup[0] = 32;
	all[13].size = sizeof rows[0];

	for (int i = 0; i < REQUESTS; i++) {
		code[i] = get(cache, &all[i]);
		for (int j = 0; j < i; j++)
			CHECK(code[j] != code[i], "requests %d and %d are one", j, i);
	}
	/* A second time, the data elsewhere in memory: the same objects. */
	for (int i = 0; i < REQUESTS; i++) {
		struct glacier_compile_request again = all[i];
		unsigned char copy[256];

		memcpy(copy, again.data, again.size);
		again.data = copy;
		CHECK(get(cache, &again) == code[i], "request %d became another object", i);
		glacier_compiled_release(cache, code[i]);
		glacier_compiled_release(cache, code[i]);
	}
	/* The default level is -O1. */
	all[0].optimize = GLACIER_OPTIMIZE_SAFE;
	CHECK(get(cache, &all[0]) == code[0], "-O1 is not the default");
	glacier_compiled_release(cache, code[0]);
	glacier_compile_cache_stats(cache, &stats);
	CHECK(stats.misses == REQUESTS && stats.hits == REQUESTS + 1 && stats.entries == REQUESTS,
	      "%d misses, %d hits", (int)stats.misses, (int)stats.hits);
	glacier_compile_cache_destroy(cache);
}

static void is_what_a_module_writes(void)
{
	struct glacier_compile_cache *cache = create(1 << 20);
	struct glacier_compile_request wanted = request("ptx:sm_90");
	struct glacier_text input = {.text = text, .size = sizeof text - 1};
	const struct glacier_compiled *code = get(cache, &wanted);
	struct glacier_buffer out = {0};
	struct glacier_module *module;

	CHECK(glacier_module_create(NULL, &module) == GLACIER_OK, "no memory");
	CHECK(glacier_module_read_text(module, &input, NULL, NULL) == GLACIER_OK, "refused");
	CHECK(glacier_module_write(module, &wanted.target, NULL, &out, NULL) == GLACIER_OK, "refused");
	CHECK(out.size == code->size && !memcmp(out.data, code->data, out.size), "other code");
	glacier_compiled_release(cache, code);
	glacier_module_destroy(module);
	glacier_buffer_fini(&out);
	glacier_compile_cache_destroy(cache);
}

static void keeps_no_failure(void)
{
	struct glacier_compile_cache *cache = create(1 << 20);
	struct glacier_compile_request wanted = request("ptx");
	const struct glacier_compiled *code = NULL;
	struct glacier_compile_cache_stats stats;

	wanted.size = 20;
	for (uint32_t i = 1; i <= 2; i++) {
		struct glacier_diag diag = {0};

		CHECK(glacier_compile_cache_get(cache, &wanted, &code, &diag) == GLACIER_ERR_MALFORMED, "taken");
		CHECK(diag.errors && !code, "silent");
	}
	wanted.data = "include \"a.gasm\"\n";
	wanted.size = 17;
	CHECK(glacier_compile_cache_get(cache, &wanted, &code, NULL) != GLACIER_OK, "an include is taken");
	wanted.content = GLACIER_CONTENT_ROWS;
	CHECK(glacier_compile_cache_get(cache, &wanted, &code, NULL) == GLACIER_ERR_ARGUMENT, "half a row");
	glacier_compile_cache_stats(cache, &stats);
	CHECK(!stats.entries && !stats.bytes && !stats.hits, "a failure is kept");
	glacier_compiled_release(cache, NULL);
	glacier_compile_cache_destroy(cache);
}

/* Room for some: the least recently used go, and what is in use stays valid. */
static void drops_the_oldest(void)
{
	enum { KERNELS = 40 };
	struct glacier_compile_request wanted = request("ptx");
	const struct glacier_compiled *held = NULL, *first;
	struct glacier_compile_cache_stats stats;
	struct glacier_compile_cache *cache;
	unsigned char kept[4096];
	size_t one;

	cache = create(1 << 20);
	glacier_compiled_release(cache, get(cache, &wanted));
	glacier_compile_cache_stats(cache, &stats);
	one = stats.bytes;
	glacier_compile_cache_destroy(cache);

	cache = create(10 * one + one / 2);
	for (uint32_t i = 0; i < KERNELS; i++) {
		wanted.workgroup[0] = i;   /* of no effect on text, but part of the key */
		if (i == 0) {
			held = get(cache, &wanted);
			CHECK(held->size <= sizeof kept, "large");
			memcpy(kept, held->data, held->size);
		} else {
			glacier_compiled_release(cache, get(cache, &wanted));
		}
		glacier_compile_cache_stats(cache, &stats);
		CHECK(stats.bytes <= 10 * one + one / 2, "%zu bytes", stats.bytes);
	}
	CHECK(stats.entries == 10 && stats.evicted == KERNELS - 10, "%zu entries", stats.entries);
	CHECK(!memcmp(kept, held->data, held->size), "what was held has changed");
	/* Use 30: then 31 is the oldest, and goes next. */
	wanted.workgroup[0] = 30;
	first = get(cache, &wanted);
	glacier_compiled_release(cache, first);
	wanted.workgroup[0] = KERNELS;
	glacier_compiled_release(cache, get(cache, &wanted));
	glacier_compile_cache_stats(cache, &stats);
	wanted.workgroup[0] = 30;
	CHECK(get(cache, &wanted) == first, "what was used last is gone");
	glacier_compiled_release(cache, first);
	wanted.workgroup[0] = 31;
	glacier_compiled_release(cache, get(cache, &wanted));
	CHECK(stats.misses == KERNELS + 1, "%d misses", (int)stats.misses);
	glacier_compile_cache_stats(cache, &stats);
	CHECK(stats.misses == KERNELS + 2, "the oldest stayed");
	glacier_compiled_release(cache, held);
	glacier_compile_cache_destroy(cache);

	/* A cache that may keep nothing compiles all the same. */
	cache = create(0);
	for (int i = 0; i < 3; i++)
		glacier_compiled_release(cache, get(cache, &wanted));
	glacier_compile_cache_stats(cache, &stats);
	CHECK(stats.misses == 3 && !stats.entries && !stats.bytes, "something is kept");
	glacier_compile_cache_destroy(cache);
}

enum { THREADS = 8, ROUNDS = 400, VARIANTS = 24 };

static struct glacier_compile_cache *shared;
static size_t sizes[VARIANTS];

static struct glacier_compile_request variant(unsigned which)
{
	struct glacier_compile_request made = request(which % 2 ? "ptx" : "spirv");

	made.workgroup[0] = which;
	made.debug = which % 3 == 0;
	return made;
}

static void *work(void *seed)
{
	uint32_t state = (uint32_t)(uintptr_t)seed;

	for (int i = 0; i < ROUNDS; i++) {
		const struct glacier_compiled *a, *b;
		struct glacier_compile_request wanted;
		unsigned which;
		unsigned sum = 0;

		state = state * 1664525 + 1013904223;
		which = state >> 16 & 0xffff;
		which %= VARIANTS;
		wanted = variant(which);
		a = get(shared, &wanted);
		b = get(shared, &wanted);
		CHECK(a->size == sizes[which] && b->size == sizes[which], "variant %u has %zu bytes", which, a->size);
		for (size_t k = 0; k < a->size; k++)
			sum += a->data[k] != b->data[k];
		CHECK(!sum, "variant %u differs", which);
		glacier_compiled_release(shared, a);
		glacier_compiled_release(shared, b);
	}
	return NULL;
}

static void serves_many_threads(size_t bytes)
{
	struct glacier_compile_cache_stats stats;
	pthread_t threads[THREADS];

	shared = create(bytes);
	for (unsigned i = 0; i < VARIANTS; i++) {
		struct glacier_compile_request wanted = variant(i);
		const struct glacier_compiled *code = get(shared, &wanted);

		sizes[i] = code->size;
		glacier_compiled_release(shared, code);
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, work, (void *)(i + 1)), "no thread");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	glacier_compile_cache_stats(shared, &stats);
	CHECK(stats.hits + stats.misses == VARIANTS + 2u * THREADS * ROUNDS, "lost requests");
	CHECK(stats.bytes <= bytes, "%zu bytes", stats.bytes);
	CHECK(bytes < 1 << 16 || stats.misses == VARIANTS, "%d misses", (int)stats.misses);
	glacier_compile_cache_destroy(shared);
}

int main(void)
{
	tells_requests_apart();
	is_what_a_module_writes();
	keeps_no_failure();
	drops_the_oldest();
	serves_many_threads(1 << 20);   /* room for all */
	serves_many_threads(8000);      /* evictions all the time */
	return 0;
}
