/* SPDX-License-Identifier: MIT */
/*
 * A compile cache in memory: the same request gives the same object again.
 *
 * Entries are found by a hash and taken only when everything of the request is the same,
 * byte for byte: content, kernel name, workgroup, defines, target and options. The cache is
 * bounded, and drops what was not asked for the longest. Any number of threads may use one
 * cache; a compilation holds no lock.
 */
#ifndef GLACIER_CACHE_H
#define GLACIER_CACHE_H

#include <glacier/kernel.h>

GLACIER_BEGIN

struct glacier_compile_cache;

enum glacier_content {
	GLACIER_CONTENT_TEXT,
	GLACIER_CONTENT_JSON,
	GLACIER_CONTENT_ROWS,         /* an array of struct glacier_row */
	GLACIER_CONTENT_COUNT
};

/* Zero-initialise. Nothing is looked at after the call. */
struct glacier_compile_request {
	enum glacier_content content;
	const void *data;
	size_t size;                  /* bytes */
	const char *source_name;      /* of text, as -g and diagnostics give it; NULL: none */
	const char *name;             /* of the kernel that rows are */
	uint32_t workgroup[3];        /* of rows, as in struct glacier_stream_options */
	const struct glacier_define *defines;
	size_t define_count;
	struct glacier_target target;
	enum glacier_optimize optimize;
	bool debug;
};

/* Code; valid until it is released, whatever the cache does meanwhile. */
struct glacier_compiled {
	const unsigned char *data;
	size_t size;
};

struct glacier_compile_cache_stats {
	uint64_t hits, misses, evicted;
	size_t entries, bytes;        /* now; bytes of code and keys with their bookkeeping */
};

/*
 * bytes  what the cache may hold; what is larger by itself is compiled and not kept. 0 keeps nothing.
 *
 * Returns GLACIER_OK or GLACIER_ERR_NOMEM.                                  Since: 0.1
 */
GLACIER_API enum glacier_status glacier_compile_cache_create(size_t bytes, struct glacier_compile_cache **out);

/* Every object must have been released. NULL is allowed. Since: 0.1 */
GLACIER_API void glacier_compile_cache_destroy(struct glacier_compile_cache *cache);

/*
 * The code of a request, compiled now or before.
 *
 * out   written only when GLACIER_OK is returned; glacier_compiled_release it. A second
 *       equal request gives the same pointer as long as the first is kept or not released.
 * diag  told what is wrong, each time: failures are not kept. A hit tells no warnings.
 *
 * Content with include statements is refused: what they name is no part of the request.
 * Returns what reading and writing a module return.                         Since: 0.1
 */
GLACIER_API enum glacier_status glacier_compile_cache_get(struct glacier_compile_cache *cache,
							  const struct glacier_compile_request *request,
							  const struct glacier_compiled **out,
							  struct glacier_diag *diag);

/* NULL is allowed. Since: 0.1 */
GLACIER_API void glacier_compiled_release(struct glacier_compile_cache *cache,
					  const struct glacier_compiled *compiled);

/* Since: 0.1 */
GLACIER_API void glacier_compile_cache_stats(struct glacier_compile_cache *cache,
					     struct glacier_compile_cache_stats *out);

GLACIER_END

#endif
