/* SPDX-License-Identifier: MIT */
/*
 * One lock over a table and a list in order of use. It is held to look up, to insert and to
 * release, never while something is compiled: two threads that miss the same request both
 * compile it, and the later one takes what the first has put in.
 */
#include <glacier/cache.h>

#include "base/buf.h"
#include "base/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Followed in memory by key and code. */
struct entry {
	struct glacier_compiled compiled;   /* first: what callers hold */
	struct entry *next;                 /* in its bucket */
	struct entry *newer, *older;        /* by use */
	uint64_t hash;
	uint32_t users;                     /* callers that have not released it */
	bool kept;                          /* in the table */
	size_t head_bytes, input_bytes;     /* of the key */
	unsigned char key[];
};

/* What identifies a request: everything but the content, made comparable, and the content. */
struct key {
	struct glacier_buffer head;
	const void *input;
	size_t input_bytes;
	uint64_t hash;
};

enum { FIRST_BUCKETS = 64, SPARE_MODULES = 8 };

struct glacier_compile_cache {
	pthread_mutex_t lock;
	struct entry **buckets;
	size_t bucket_mask;
	struct entry *newest, *oldest;
	size_t limit;
	struct glacier_compile_cache_stats stats;
	struct glacier_module *spare[SPARE_MODULES];   /* warm ones, for the next compilation */
	uint32_t spare_count;
};

enum glacier_status glacier_compile_cache_create(size_t bytes, struct glacier_compile_cache **out)
{
	struct glacier_compile_cache *cache = calloc(1, sizeof *cache);

	if (!cache)
		return GLACIER_ERR_NOMEM;
	cache->buckets = calloc(FIRST_BUCKETS, sizeof *cache->buckets);
	if (!cache->buckets)
		goto fail_cache;
	if (pthread_mutex_init(&cache->lock, NULL))
		goto fail_buckets;
	cache->bucket_mask = FIRST_BUCKETS - 1;
	cache->limit = bytes;
	*out = cache;
	return GLACIER_OK;

fail_buckets:
	free(cache->buckets);
fail_cache:
	free(cache);
	return GLACIER_ERR_NOMEM;
}

void glacier_compile_cache_destroy(struct glacier_compile_cache *cache)
{
	if (!cache)
		return;
	while (cache->newest) {
		struct entry *older = cache->newest->older;

		free(cache->newest);
		cache->newest = older;
	}
	while (cache->spare_count)
		glacier_module_destroy(cache->spare[--cache->spare_count]);
	pthread_mutex_destroy(&cache->lock);
	free(cache->buckets);
	free(cache);
}

/* --- Keys ---------------------------------------------------------------- */

static void put_u64(struct glc_writer *out, uint64_t value)
{
	glc_put(out, &value, sizeof value);
}

/* With its length first: no two sequences of fields have the same bytes. */
static void put_text(struct glc_writer *out, const char *text)
{
	size_t bytes = text ? strlen(text) : 0;

	put_u64(out, text ? bytes + 1 : 0);
	glc_put(out, text, bytes);
}

/* Member by member: the bytes between the members of a struct mean nothing. */
static bool make_key(const struct glacier_compile_request *request, struct key *key)
{
	struct glc_writer out;

	glc_writer_begin(&out, &key->head);
	put_u64(&out, request->content);
	put_u64(&out, request->target.kind);
	put_u64(&out, (uint64_t)request->target.arch << 32 | (uint64_t)request->target.major << 16 |
			      (uint64_t)request->target.minor << 8 | request->target.version_given);
	put_u64(&out, request->target.features);
	/* The default is a level: not two entries for one code. */
	put_u64(&out, (uint64_t)(request->optimize != GLACIER_OPTIMIZE_NONE) << 1 | request->debug);
	for (int i = 0; i < 3; i++)
		put_u64(&out, request->workgroup[i]);
	put_text(&out, request->name);
	put_text(&out, request->source_name);
	for (size_t i = 0; i < request->define_count; i++) {
		put_text(&out, request->defines[i].name);
		put_text(&out, request->defines[i].value);
	}
	if (!glc_writer_end(&out))
		return false;
	key->input = request->data;
	key->input_bytes = request->size;
	key->hash = glc_hash64(NULL, key->head.data, key->head.size) ^
		    glc_hash64(NULL, key->input, key->input_bytes);
	return true;
}

static bool same_key(const struct entry *entry, const struct key *key)
{
	return entry->hash == key->hash && entry->head_bytes == key->head.size &&
	       entry->input_bytes == key->input_bytes &&
	       !memcmp(entry->key, key->head.data, key->head.size) &&
	       (!key->input_bytes || !memcmp(entry->key + entry->head_bytes, key->input, key->input_bytes));
}

/* --- The table, under the lock ------------------------------------------- */

static size_t bytes_of(const struct entry *entry)
{
	return sizeof *entry + entry->head_bytes + entry->input_bytes + entry->compiled.size;
}

static struct entry *find(struct glacier_compile_cache *cache, const struct key *key)
{
	struct entry *entry = cache->buckets[key->hash & cache->bucket_mask];

	while (entry && !same_key(entry, key))
		entry = entry->next;
	return entry;
}

static void unlink_use(struct glacier_compile_cache *cache, struct entry *entry)
{
	*(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
	*(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void link_use(struct glacier_compile_cache *cache, struct entry *entry)
{
	entry->newer = NULL;
	entry->older = cache->newest;
	*(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
	cache->newest = entry;
}

static void drop(struct glacier_compile_cache *cache, struct entry *entry)
{
	struct entry **link = &cache->buckets[entry->hash & cache->bucket_mask];

	while (*link != entry)
		link = &(*link)->next;
	*link = entry->next;
	unlink_use(cache, entry);
	entry->kept = false;
	cache->stats.entries--;
	cache->stats.bytes -= bytes_of(entry);
	cache->stats.evicted++;
	if (!entry->users)
		free(entry);
}

/* Without memory the chains grow longer, and nothing else changes. */
static void grow(struct glacier_compile_cache *cache)
{
	size_t count = (cache->bucket_mask + 1) * 2;
	struct entry **buckets = calloc(count, sizeof *buckets);

	if (!buckets)
		return;
	for (struct entry *entry = cache->newest; entry; entry = entry->older) {
		struct entry **bucket = &buckets[entry->hash & (count - 1)];

		entry->next = *bucket;
		*bucket = entry;
	}
	free(cache->buckets);
	cache->buckets = buckets;
	cache->bucket_mask = count - 1;
}

static void insert(struct glacier_compile_cache *cache, struct entry *entry)
{
	struct entry **bucket;

	if (bytes_of(entry) > cache->limit)
		return;
	while (cache->stats.bytes > cache->limit - bytes_of(entry))
		drop(cache, cache->oldest);
	if (cache->stats.entries > cache->bucket_mask)
		grow(cache);
	bucket = &cache->buckets[entry->hash & cache->bucket_mask];
	entry->next = *bucket;
	*bucket = entry;
	link_use(cache, entry);
	entry->kept = true;
	cache->stats.entries++;
	cache->stats.bytes += bytes_of(entry);
}

/* --- Compiling, without the lock ----------------------------------------- */

static struct glacier_module *take_module(struct glacier_compile_cache *cache)
{
	struct glacier_module *module = NULL;

	pthread_mutex_lock(&cache->lock);
	if (cache->spare_count)
		module = cache->spare[--cache->spare_count];
	pthread_mutex_unlock(&cache->lock);
	if (!module && glacier_module_create(NULL, &module) != GLACIER_OK)
		return NULL;
	return module;
}

static void give_module(struct glacier_compile_cache *cache, struct glacier_module *module)
{
	pthread_mutex_lock(&cache->lock);
	if (cache->spare_count < SPARE_MODULES) {
		cache->spare[cache->spare_count++] = module;
		module = NULL;
	}
	pthread_mutex_unlock(&cache->lock);
	glacier_module_destroy(module);
}

static enum glacier_status read_request(struct glacier_module *module,
					const struct glacier_compile_request *request, struct glacier_diag *diag)
{
	struct glacier_read_options options = {
		.defines = request->defines, .define_count = request->define_count};
	struct glacier_stream_options stream = {.name = request->name};
	struct glacier_text text = {.name = request->source_name, .text = request->data, .size = request->size};

	switch (request->content) {
	case GLACIER_CONTENT_TEXT:
		return glacier_module_read_text(module, &text, &options, diag);
	case GLACIER_CONTENT_JSON:
		return glacier_module_read_json(module, &text, &options, diag);
	default:
		memcpy(stream.workgroup, request->workgroup, sizeof stream.workgroup);
		return glacier_kernel_from_stream(module, request->data,
						  request->size / sizeof(struct glacier_row), &stream, diag);
	}
}

static enum glacier_status compile(struct glacier_compile_cache *cache,
				   const struct glacier_compile_request *request,
				   struct glacier_buffer *code, struct glacier_diag *diag)
{
	struct glacier_write_options options = {.optimize = request->optimize, .debug = request->debug};
	struct glacier_module *module = take_module(cache);
	enum glacier_status status;

	if (!module)
		return GLACIER_ERR_NOMEM;
	status = read_request(module, request, diag);
	if (status == GLACIER_OK)
		status = glacier_module_write(module, &request->target, &options, code, diag);
	give_module(cache, module);
	return status;
}

static struct entry *make_entry(const struct key *key, const struct glacier_buffer *code)
{
	size_t key_bytes = key->head.size + key->input_bytes;
	struct entry *entry = malloc(sizeof *entry + key_bytes + code->size);

	if (!entry)
		return NULL;
	*entry = (struct entry){
		.compiled = {entry->key + key_bytes, code->size},
		.hash = key->hash,
		.users = 1,
		.head_bytes = key->head.size,
		.input_bytes = key->input_bytes,
	};
	memcpy(entry->key, key->head.data, key->head.size);
	if (key->input_bytes)
		memcpy(entry->key + key->head.size, key->input, key->input_bytes);
	memcpy(entry->key + key_bytes, code->data, code->size);
	return entry;
}

/* The entry of that key with one user more; NULL: there is none. */
static struct entry *use(struct glacier_compile_cache *cache, const struct key *key)
{
	struct entry *entry = find(cache, key);

	if (!entry)
		return NULL;
	entry->users++;
	unlink_use(cache, entry);
	link_use(cache, entry);
	return entry;
}

static struct entry *look_up(struct glacier_compile_cache *cache, const struct key *key)
{
	struct entry *entry;

	pthread_mutex_lock(&cache->lock);
	entry = use(cache, key);
	if (entry)
		cache->stats.hits++;
	else
		cache->stats.misses++;
	pthread_mutex_unlock(&cache->lock);
	return entry;
}

/* Puts it in, unless another thread was faster: then that one's is what counts. */
static struct entry *settle(struct glacier_compile_cache *cache, const struct key *key, struct entry *entry)
{
	struct entry *present;

	pthread_mutex_lock(&cache->lock);
	present = use(cache, key);
	if (!present)
		insert(cache, entry);
	pthread_mutex_unlock(&cache->lock);
	if (present)
		free(entry);
	return present ? present : entry;
}

enum glacier_status glacier_compile_cache_get(struct glacier_compile_cache *cache,
					      const struct glacier_compile_request *request,
					      const struct glacier_compiled **out, struct glacier_diag *diag)
{
	unsigned char head[512];
	struct glacier_buffer code = {0};
	struct key key = {0};
	enum glacier_status status = GLACIER_OK;
	struct entry *entry = NULL;

	if ((unsigned)request->content >= GLACIER_CONTENT_COUNT ||
	    (request->content == GLACIER_CONTENT_ROWS && request->size % sizeof(struct glacier_row)))
		return GLACIER_ERR_ARGUMENT;
	glacier_buffer_borrow(&key.head, head, sizeof head);
	if (make_key(request, &key))
		entry = look_up(cache, &key);
	else
		status = GLACIER_ERR_NOMEM;
	if (!entry && status == GLACIER_OK) {
		status = compile(cache, request, &code, diag);
		if (status == GLACIER_OK) {
			entry = make_entry(&key, &code);
			status = entry ? GLACIER_OK : GLACIER_ERR_NOMEM;
		}
		if (entry)
			entry = settle(cache, &key, entry);
	}
	if (entry)
		*out = &entry->compiled;
	glacier_buffer_fini(&code);
	glacier_buffer_fini(&key.head);
	return status;
}

void glacier_compiled_release(struct glacier_compile_cache *cache, const struct glacier_compiled *compiled)
{
	struct entry *entry = (struct entry *)(uintptr_t)compiled;
	bool last;

	if (!entry)
		return;
	pthread_mutex_lock(&cache->lock);
	last = --entry->users == 0 && !entry->kept;
	pthread_mutex_unlock(&cache->lock);
	if (last)
		free(entry);
}

void glacier_compile_cache_stats(struct glacier_compile_cache *cache, struct glacier_compile_cache_stats *out)
{
	pthread_mutex_lock(&cache->lock);
	*out = cache->stats;
	pthread_mutex_unlock(&cache->lock);
}
