/* SPDX-License-Identifier: MIT */
/*
 * Content hashes for cache keys: SipHash-2-4 with 64 or 128 bits (Aumasson and Bernstein,
 * "SipHash: a fast short-input PRF", 2012, and the authors' 128-bit variant).
 *
 * Why this one: its value is defined byte by byte, hence stable across machines, versions
 * and byte orders, and its published vectors prove it. A cache key is taken of kilobytes
 * whose compilation costs milliseconds: at about 1 GB/s the hash takes microseconds.
 * With a secret key it also withstands made collisions, should a cache be shared.
 * 128 bits: content is taken for equal when its keys are, and 64 bits would repeat by
 * chance within some 2^32 entries. Not a digest to sign with. A value; no memory.
 */
#ifndef GLC_BASE_HASH_H
#define GLC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { GLC_HASH_KEY_BYTES = 16, GLC_HASH_BYTES = 16 };

/* A 128-bit hash under way. */
struct glc_hash {
	uint64_t v[4];
	uint64_t tail;   /* the last bytes & 7 bytes, the first lowest */
	uint64_t bytes;  /* so far */
};

/* key: GLC_HASH_KEY_BYTES bytes; NULL: all zero. */
void glc_hash_init(struct glc_hash *hash, const void *key);

/* Bytes may come in any pieces: only their sequence counts. */
void glc_hash_add(struct glc_hash *hash, const void *data, size_t bytes);

/* A number as 8 bytes, the lowest first, on every machine. */
void glc_hash_add_u64(struct glc_hash *hash, uint64_t value);

/* One of several fields: its length goes first, so that "ab", "c" differs from "a", "bc". */
void glc_hash_add_field(struct glc_hash *hash, const void *data, size_t bytes);

/* out: GLC_HASH_BYTES bytes. The hash itself is not changed: more may be added. */
void glc_hash_end(const struct glc_hash *hash, void *out);

/* 64 bits at once, for tables in memory. Not the first half of the 128. */
uint64_t glc_hash64(const void *key, const void *data, size_t bytes);

#endif
