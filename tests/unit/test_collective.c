/* SPDX-License-Identifier: MIT */
/* Loops of all levels against each other and the plain one; chunks; HMAC by RFC 4231. */
#include "../stress/allreduce_values.h"
#include "collective/hello.h"
#include "collective/reduce.h"
#include "driver/crypto.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

enum { ELEMS = 1031 };

Test(collective, every_level_gives_the_same_bits)
{
	static uint64_t a[ELEMS], b[ELEMS], first[ELEMS], other[ELEMS];
	static const char levels[][12] = {"baseline", "x86-64-v3", "x86-64-v4", "neon"};

	for (int t = 0; t < TYPES; t++)
		for (int op = 0; op < GLACIER_REDUCE_COUNT; op++) {
			enum glacier_type type = all_types[t];
			size_t bytes = type_bytes(type);

			for (size_t i = 0; i < ELEMS; i++) {
				uint64_t x = make_value(type, 0, i, 5), y = make_value(type, 1, i * 7, 9);

				memcpy((char *)a + i * bytes, &x, bytes);
				memcpy((char *)b + i * bytes, &y, bytes);
			}
			for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
				uint64_t *to = l ? other : first;

				memcpy(to, a, sizeof a);
				if (glacier_reduce_into(to, b, ELEMS, type, (enum glacier_reduce)op, levels[l]) == GLACIER_ERR_UNSUPPORTED)
					continue;
				cr_assert(eq(int, memcmp(to, first, ELEMS * bytes), 0), "%s %s, %s", glacier_type_name(type),
					  glacier_reduce_name((enum glacier_reduce)op), levels[l]);
				for (size_t i = 0; l == 0 && i < ELEMS && op != GLACIER_REDUCE_AVG; i++) {
					uint64_t bits[2] = {load(type, a, i), load(type, b, i)};
					uint64_t want = reduce_values(type, (enum glacier_reduce)op, bits, 2);

					cr_assert(eq(u64, load(type, to, i), want), "%s %s of %#llx and %#llx", glacier_type_name(type),
						  glacier_reduce_name((enum glacier_reduce)op), (unsigned long long)bits[0],
						  (unsigned long long)bits[1]);
				}
			}
		}
}

/* The compiler's own conversions of all values. */
Test(collective, every_f16_survives_f32)
{
	for (uint32_t bits = 0; bits < 0x10000; bits++) {
		uint16_t half = (uint16_t)bits, zero = 0x8000;
		bool is_nan = (bits & 0x7fff) > 0x7c00;

		/* Adding -0 changes no number. */
		cr_assert(eq(int, glacier_reduce_into(&half, &zero, 1, GLACIER_F16, GLACIER_REDUCE_SUM, NULL), GLACIER_OK));
		cr_assert(eq(u16, half, is_nan ? 0x7e00 : bits));
	}
}

Test(collective, a_changed_word_changes_the_sum)
{
	static unsigned char data[4099];
	uint64_t whole = glc_checksum(data, sizeof data, GLC_CPU_BASELINE);

	for (size_t i = 0; i < sizeof data; i += 13) {
		data[i] ^= 0x40;
		for (int level = 0; level < GLC_CPU_LEVEL_COUNT; level++) {
			uint64_t sum = glc_checksum(data, sizeof data, GLC_CPU_BASELINE);

			cr_assert(ne(u64, sum, whole));
			if (glc_cpu_has((enum glc_cpu_level)level))
				cr_assert(eq(u64, glc_checksum(data, sizeof data, (enum glc_cpu_level)level), sum));
		}
		data[i] ^= 0x40;
	}
	/* Two words exchanged. */
	data[100] = 1;
	data[200] = 2;
	whole = glc_checksum(data, sizeof data, GLC_CPU_BASELINE);
	data[100] = 2;
	data[200] = 1;
	cr_assert(ne(u64, glc_checksum(data, sizeof data, GLC_CPU_BASELINE), whole));
}

Test(collective, chunks_cover_every_count)
{
	static const size_t counts[] = {0, 1, 2, 7, 8, 9, 1000003, (size_t)1 << 33, SIZE_MAX};

	for (uint32_t size = 1; size < 20; size++)
		for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
			size_t next = 0, begin, elems;

			for (uint32_t rank = 0; rank < size; rank++) {
				glacier_comm_chunk(counts[c], size, rank, &begin, &elems);
				cr_assert(eq(sz, begin, next));
				next += elems;
			}
			cr_assert(eq(sz, next, counts[c]));
		}
}

/* RFC 4231, test cases 1, 2 and 6. */
Test(collective, hmac_gives_the_published_values)
{
	static const unsigned char one[32] = {0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53, 0x5c, 0xa8, 0xaf, 0xce, 0xaf, 0x0b, 0xf1, 0x2b,
					      0x88, 0x1d, 0xc2, 0x00, 0xc9, 0x83, 0x3d, 0xa7, 0x26, 0xe9, 0x37, 0x6c, 0x2e, 0x32, 0xcf, 0xf7};
	static const unsigned char two[32] = {0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e, 0x6a, 0x04, 0x24, 0x26, 0x08, 0x95, 0x75, 0xc7,
					      0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27, 0x39, 0x83, 0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43};
	static const unsigned char six[32] = {0x60, 0xe4, 0x31, 0x59, 0x1e, 0xe0, 0xb6, 0x7f, 0x0d, 0x8a, 0x26, 0xaa, 0xcb, 0xf5, 0xb7, 0x7f,
					      0x8e, 0x0b, 0xc6, 0x21, 0x37, 0x28, 0xc5, 0x14, 0x05, 0x46, 0x04, 0x0f, 0x0e, 0xe3, 0x7f, 0x54};
	unsigned char key[131], mac[32];

	if (!glc_crypto_open())
		cr_skip_test("there is no libcrypto");
	memset(key, 0x0b, 20);
	cr_assert(glc_hmac_sha256(key, 20, "Hi There", 8, mac) && !memcmp(mac, one, 32));
	cr_assert(glc_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, mac) && !memcmp(mac, two, 32));
	memset(key, 0xaa, sizeof key);
	cr_assert(glc_hmac_sha256(key, sizeof key, "Test Using Larger Than Block-Size Key - Hash Key First", 54, mac) &&
		  !memcmp(mac, six, 32));
	cr_assert(glc_mac_equal(mac, six));
	mac[31] ^= 1;
	cr_assert(not(glc_mac_equal(mac, six)));
}

/* Whatever a proof is about, another value of it makes another proof; and a proof cannot be sent back. */
Test(collective, a_proof_is_of_everything)
{
	static const unsigned char token[32] = "some thirty-two bytes of secret";
	struct glc_job job = {.rank = 1, .size = 4, .token = token, .links = 2, .channels = 1};
	struct glc_hello hello = {.magic = GLC_HELLO_MAGIC, .version = GLC_HELLO_VERSION, .purpose = GLC_LINK, .rank = 0, .size = 4, .proves = 1};
	struct glc_challenge challenge = {.magic = GLC_CHALLENGE_MAGIC, .rank = 1, .size = 4};
	unsigned char mac[32], other[32];

	if (!glc_crypto_open())
		cr_skip_test("there is no libcrypto");
	cr_assert(glc_hello_takes(&job, &hello));
	cr_assert(glc_hello_mac(&job, true, &hello, &challenge, mac));
	cr_assert(glc_hello_proves(&job, true, &hello, &challenge, mac));
	cr_assert(not(glc_hello_proves(&job, false, &hello, &challenge, mac)));
	for (size_t i = 0; i < sizeof hello; i++) {
		((unsigned char *)&hello)[i] ^= 1;
		cr_assert(glc_hello_mac(&job, true, &hello, &challenge, other) && memcmp(mac, other, 32), "byte %zu", i);
		((unsigned char *)&hello)[i] ^= 1;
	}
	for (size_t i = offsetof(struct glc_challenge, rank); i < offsetof(struct glc_challenge, mac); i++) {
		((unsigned char *)&challenge)[i] ^= 1;
		cr_assert(not(glc_hello_proves(&job, true, &hello, &challenge, mac)), "byte %zu", i);
		((unsigned char *)&challenge)[i] ^= 1;
	}
}
