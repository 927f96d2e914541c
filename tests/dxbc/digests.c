/* SPDX-License-Identifier: MIT */
/*
 * MD5 and the container digests of every length up to five blocks, against libmd: its MD5, and its
 * rounds over the blocks that hlsl-specs INF-0004 lays out. Skipped where libmd0 is not installed.
 */
#include "seeds.h"

#include <glacier.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*transform)(uint32_t state[4], const uint8_t block[64]);
static char *(*md5_hex)(const uint8_t *data, size_t bytes, char *hex);

static void hex_of(const unsigned char *digest, char *hex)
{
	for (int i = 0; i < 16; i++)
		sprintf(hex + 2 * i, "%02x", digest[i]);
}

/* first and second: the two numbers of the last block. */
static void peer_digest(const unsigned char *data, uint32_t bytes, uint32_t first, uint32_t second, unsigned char *digest)
{
	uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}, rest = bytes % 64;
	struct bytes tail = {0};

	for (uint32_t at = 0; at + 64 <= bytes; at += 64)
		transform(state, data + at);
	if (rest < 56)
		put32(&tail, first);
	put_bytes(&tail, data + bytes - rest, rest);
	put8(&tail, 0x80);
	if (rest >= 56) {
		put_zeros(&tail, 64);
		put32(&tail, first);
	}
	while (tail.size % 64 != 60)
		put8(&tail, 0);
	put32(&tail, second);
	for (size_t at = 0; at < tail.size; at += 64)
		transform(state, tail.at + at);
	memcpy(digest, state, 16);
	free(tail.at);
}

int main(void)
{
	void *library = dlopen("libmd.so.0", RTLD_NOW);
	unsigned char data[20 + 320], mine[16], peer[16];
	char expected[33], got[33];
	int failures = 0;

	if (library) {
		transform = (void (*)(uint32_t *, const uint8_t *))dlsym(library, "MD5Transform");
		md5_hex = (char *(*)(const uint8_t *, size_t, char *))dlsym(library, "MD5Data");
	}
	if (!transform || !md5_hex) {
		puts("skipped: libmd is not installed");
		return 77;
	}
	for (uint32_t i = 0; i < sizeof data; i++)
		data[i] = (unsigned char)(i * 167 + 13);
	for (uint32_t n = 0; n <= 320; n++) {
		static const struct { enum glacier_dxbc_digest kind; uint32_t shift, low, shift2, low2; } kinds[] = {
			{GLACIER_DIGEST_RETAIL, 3, 0, 1, 1},
			{GLACIER_DIGEST_DEBUG, 4, 0xf, 2, 0x10000000},
		};

		glacier_dxbc_md5(data + 20, n, mine);
		hex_of(mine, got);
		if (strcmp(got, md5_hex(data + 20, n, expected))) {
			printf("FAIL: MD5 of %u bytes is %s, not %s\n", n, got, expected);
			failures++;
		}
		for (int k = 0; k < 2; k++) {
			peer_digest(data + 20, n, n << kinds[k].shift | kinds[k].low, n << kinds[k].shift2 | kinds[k].low2, peer);
			glacier_dxbc_sign(data, 20 + n, kinds[k].kind);
			if (memcmp(data + 4, peer, 16)) {
				printf("FAIL: %s digest of %u bytes\n", glacier_dxbc_digest_name(kinds[k].kind), n);
				failures++;
			}
		}
	}
	printf("%d digests, %d failures\n", 3 * 321, failures);
	return failures > 0;
}
