/* SPDX-License-Identifier: MIT */
/*
 * Machine code on disk: small files in a folder of the user's, one an entry, named after
 * the entry's key. Knows nothing of devices.
 *
 * Any number of processes use one folder at once, and any may be killed at any moment: an
 * entry is written beside its name and renamed, and what is read counts only if it is all
 * there, by a hash of its content. Whatever is wrong is a miss, never an error: a cache that
 * cannot be used costs time alone. One thread at a time.
 *
 * A file, numbers with their lowest byte first:
 *
 *	 0   8 bytes   "glcache1"
 *	 8  16         the key
 *	24   8         bytes of content
 *	32  16         SipHash-2-4-128 of the bytes above and the content
 *	48             the content, up to the end of the file
 */
#ifndef GLC_DEVICE_DISK_CACHE_H
#define GLC_DEVICE_DISK_CACHE_H

#include <glacier/buffer.h>

#include "base/hash.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	GLC_DISK_CACHE_HEADER_BYTES = 48,
	GLC_DISK_CACHE_NAME_BYTES = 2 * GLC_HASH_BYTES + 5,   /* of "KEY.bin", terminated */
};

struct glc_disk_cache;

/*
 * folder     made when it is not there, for the user alone; one that others can write to, or
 *            that is not the user's, is not used.
 * max_bytes  what the files may have together; 0: 256 MiB. The least recently used go first.
 *
 * NULL when there can be no cache there, or memory ran out.
 */
struct glc_disk_cache *glc_disk_cache_open(const char *folder, uint64_t max_bytes);
void glc_disk_cache_close(struct glc_disk_cache *cache);   /* NULL is allowed */

/* Appends the content. False: there is none, and out is as it was. A broken file is removed. */
bool glc_disk_cache_get(struct glc_disk_cache *cache, const unsigned char key[GLC_HASH_BYTES],
			struct glacier_buffer *out);

/* False: it could not be kept. What is larger than the whole cache may be is not. */
bool glc_disk_cache_put(struct glc_disk_cache *cache, const unsigned char key[GLC_HASH_BYTES], const void *data,
			size_t bytes);

/* The name of an entry's file in the folder. */
void glc_disk_cache_name(const unsigned char key[GLC_HASH_BYTES], char name[GLC_DISK_CACHE_NAME_BYTES]);

#endif
