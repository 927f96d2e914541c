/* SPDX-License-Identifier: MIT */
#include "base/hash.h"
#include "base/cursor.h"

#include <string.h>

enum { BLOCK_ROUNDS = 2, END_ROUNDS = 4 };

static inline uint64_t rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

/* SipRound, figure 2.1 of the paper. */
static inline void mix(uint64_t v[4], int rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static inline void take_block(uint64_t v[4], uint64_t block)
{
	v[3] ^= block;
	mix(v, BLOCK_ROUNDS);
	v[0] ^= block;
}

static void put_le64(unsigned char *at, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

/* The constants spell "somepseudorandomlygeneratedbytes". */
static void begin(struct glc_hash *hash, const void *key)
{
	uint64_t k0 = key ? glc_le64(key) : 0;
	uint64_t k1 = key ? glc_le64((const unsigned char *)key + 8) : 0;

	*hash = (struct glc_hash){
		.v = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
		      k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)},
	};
}

void glc_hash_init(struct glc_hash *hash, const void *key)
{
	begin(hash, key);
	hash->v[1] ^= 0xee;  /* what sets 128 bits apart from 64 */
}

void glc_hash_add(struct glc_hash *hash, const void *data, size_t bytes)
{
	struct glc_hash h = *hash;  /* in registers: stores through data's type could alias */
	const unsigned char *at = data;
	unsigned held = h.bytes & 7;

	h.bytes += bytes;
	for (; held && bytes; bytes--) {
		h.tail |= (uint64_t)*at++ << 8 * held;
		held = (held + 1) & 7;
		if (!held) {
			take_block(h.v, h.tail);
			h.tail = 0;
		}
	}
	for (; bytes >= 8; bytes -= 8, at += 8)
		take_block(h.v, glc_le64(at));
	for (; bytes; bytes--)
		h.tail |= (uint64_t)*at++ << 8 * held++;
	*hash = h;
}

void glc_hash_add_u64(struct glc_hash *hash, uint64_t value)
{
	unsigned char bytes[8];

	put_le64(bytes, value);
	glc_hash_add(hash, bytes, sizeof bytes);
}

void glc_hash_add_field(struct glc_hash *hash, const void *data, size_t bytes)
{
	glc_hash_add_u64(hash, bytes);
	glc_hash_add(hash, data, bytes);
}

/* The last block carries the length's low byte at its top. */
static uint64_t finish(uint64_t v[4], const struct glc_hash *hash, uint64_t mark)
{
	memcpy(v, hash->v, sizeof hash->v);
	take_block(v, hash->tail | hash->bytes << 56);
	v[2] ^= mark;
	mix(v, END_ROUNDS);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void glc_hash_end(const struct glc_hash *hash, void *out)
{
	uint64_t v[4];

	put_le64(out, finish(v, hash, 0xee));
	v[1] ^= 0xdd;
	mix(v, END_ROUNDS);
	put_le64((unsigned char *)out + 8, v[0] ^ v[1] ^ v[2] ^ v[3]);
}

uint64_t glc_hash64(const void *key, const void *data, size_t bytes)
{
	struct glc_hash hash;
	uint64_t v[4];

	begin(&hash, key);
	glc_hash_add(&hash, data, bytes);
	return finish(v, &hash, 0xff);
}
