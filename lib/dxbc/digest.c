/* SPDX-License-Identifier: MIT */
/*
 * MD5 and what Direct3D makes of it. The container's digest has MD5's rounds over the bytes behind the
 * digest; only the last block is laid out in another way. Sources: RFC 1321; hlsl-specs INF-0004.
 */
#include "dxbc/dxbc.h"

#include <string.h>

enum { DIGEST_AT = 4, COVERED_AT = 20, BLOCK = 64 };

struct state {
	uint32_t a, b, c, d;
};

static const struct state initial = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

#define ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define STEP(f, a, b, c, d, word, k, shift) (a = b + ROTATE(a + f(b, c, d) + (word) + k, shift))
#define F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define G(x, y, z) (((y) & ~(z)) + ((x) & (z)))   /* a sum: only one of its halves waits for x */
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))

/* Four steps, after which the variables stand as before. */
#define FOUR(f, i, j, k, l, s, t, u, v, p, q, r, w)  \
	STEP(f, a, b, c, d, m[i], p, s);             \
	STEP(f, d, a, b, c, m[j], q, t);             \
	STEP(f, c, d, a, b, m[k], r, u);             \
	STEP(f, b, c, d, a, m[l], w, v)

static void blocks(struct state *state, const unsigned char *data, size_t count)
{
	uint32_t a = state->a, b = state->b, c = state->c, d = state->d;

	for (; count--; data += BLOCK) {
		uint32_t a0 = a, b0 = b, c0 = c, d0 = d, m[16];

		for (int i = 0; i < 16; i++)
			m[i] = glc_le32(data + 4 * i);
		FOUR(F, 0, 1, 2, 3, 7, 12, 17, 22, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee);
		FOUR(F, 4, 5, 6, 7, 7, 12, 17, 22, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501);
		FOUR(F, 8, 9, 10, 11, 7, 12, 17, 22, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be);
		FOUR(F, 12, 13, 14, 15, 7, 12, 17, 22, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821);
		FOUR(G, 1, 6, 11, 0, 5, 9, 14, 20, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa);
		FOUR(G, 5, 10, 15, 4, 5, 9, 14, 20, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8);
		FOUR(G, 9, 14, 3, 8, 5, 9, 14, 20, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed);
		FOUR(G, 13, 2, 7, 12, 5, 9, 14, 20, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a);
		FOUR(H, 5, 8, 11, 14, 4, 11, 16, 23, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c);
		FOUR(H, 1, 4, 7, 10, 4, 11, 16, 23, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70);
		FOUR(H, 13, 0, 3, 6, 4, 11, 16, 23, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05);
		FOUR(H, 9, 12, 15, 2, 4, 11, 16, 23, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665);
		FOUR(I, 0, 7, 14, 5, 6, 10, 15, 21, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039);
		FOUR(I, 12, 3, 10, 1, 6, 10, 15, 21, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1);
		FOUR(I, 8, 15, 6, 13, 6, 10, 15, 21, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1);
		FOUR(I, 4, 11, 2, 9, 6, 10, 15, 21, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391);
		a += a0;
		b += b0;
		c += c0;
		d += d0;
	}
	*state = (struct state){a, b, c, d};
}

static void put32(unsigned char *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

static void finish(const struct state *state, unsigned char digest[16])
{
	put32(digest, state->a);
	put32(digest + 4, state->b);
	put32(digest + 8, state->c);
	put32(digest + 12, state->d);
}

void glacier_dxbc_md5(const void *data, size_t bytes, unsigned char digest[16])
{
	unsigned char last[2 * BLOCK] = {0};
	size_t rest = bytes % BLOCK, end = rest < 56 ? BLOCK : 2 * BLOCK;
	struct state state = initial;

	blocks(&state, data, bytes / BLOCK);
	if (rest)
		memcpy(last, (const unsigned char *)data + bytes - rest, rest);
	last[rest] = 0x80;
	put32(last + end - 8, (uint32_t)bytes << 3);
	put32(last + end - 4, (uint32_t)((uint64_t)bytes >> 29));
	blocks(&state, last, end / BLOCK);
	finish(&state, digest);
}

/*
 * A tail below 56 bytes stands behind the number of bits, in one block that ends in a second
 * number; a longer one is padded as in MD5, and a block with the two numbers alone follows.
 */
static void container_digest(const unsigned char *data, size_t bytes, uint32_t first, uint32_t second,
			     unsigned char digest[16])
{
	unsigned char last[2 * BLOCK] = {0};
	size_t rest = bytes % BLOCK, tail = rest < 56 ? 4 : 0, end = rest < 56 ? BLOCK : 2 * BLOCK;
	struct state state = initial;

	blocks(&state, data, bytes / BLOCK);
	memcpy(last + tail, data + bytes - rest, rest);
	last[tail + rest] = 0x80;
	put32(last + (rest < 56 ? 0 : BLOCK), first);
	put32(last + end - 4, second);
	blocks(&state, last, end / BLOCK);
	finish(&state, digest);
}

static void make(const unsigned char *container, size_t bytes, enum glacier_dxbc_digest kind, unsigned char digest[16])
{
	uint32_t n = (uint32_t)(bytes - COVERED_AT);

	switch (kind) {
	case GLACIER_DIGEST_RETAIL:
		container_digest(container + COVERED_AT, n, n * 8, n * 2 | 1, digest);
		break;
	case GLACIER_DIGEST_DEBUG:
		container_digest(container + COVERED_AT, n, n << 4 | 0xf, n << 2 | 0x10000000, digest);
		break;
	case GLACIER_DIGEST_BYPASS:
		memset(digest, 1, 16);
		break;
	case GLACIER_DIGEST_PREVIEW:
		memset(digest, 2, 16);
		break;
	default:
		memset(digest, 0, 16);
		break;
	}
}

void glacier_dxbc_sign(void *container, size_t bytes, enum glacier_dxbc_digest kind)
{
	unsigned char *at = container;

	if (kind < GLACIER_DIGEST_WRONG)
		make(at, bytes, kind, at + DIGEST_AT);
}

enum glacier_dxbc_digest glacier_dxbc_digest_kind(const struct glacier_dxbc *dxbc)
{
	static const uint8_t order[] = {GLACIER_DIGEST_ZERO, GLACIER_DIGEST_BYPASS, GLACIER_DIGEST_PREVIEW,
					GLACIER_DIGEST_RETAIL, GLACIER_DIGEST_DEBUG};
	unsigned char digest[16];

	/* The cheap ones first. */
	for (size_t i = 0; i < sizeof order; i++) {
		make(dxbc->data, dxbc->bytes, order[i], digest);
		if (!memcmp(dxbc->data + DIGEST_AT, digest, 16))
			return order[i];
	}
	return GLACIER_DIGEST_WRONG;
}

static const char names[GLACIER_DIGEST_COUNT][8] = {
	[GLACIER_DIGEST_RETAIL] = "retail", [GLACIER_DIGEST_DEBUG] = "debug",     [GLACIER_DIGEST_ZERO] = "zero",
	[GLACIER_DIGEST_BYPASS] = "bypass", [GLACIER_DIGEST_PREVIEW] = "preview", [GLACIER_DIGEST_WRONG] = "wrong",
};

const char *glacier_dxbc_digest_name(enum glacier_dxbc_digest kind)
{
	return (unsigned)kind < GLACIER_DIGEST_COUNT ? names[kind] : NULL;
}

enum glacier_dxbc_digest glacier_dxbc_digest_find(const char *name)
{
	unsigned kind = 0;

	while (kind < GLACIER_DIGEST_COUNT && strcmp(name, names[kind]))
		kind++;
	return (enum glacier_dxbc_digest)kind;
}
