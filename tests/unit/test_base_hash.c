/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

/*
 * The key is 00 01 .. 0f, the input its first n bytes going on in the same way. The
 * 64-bit values up to 15 bytes are the paper's (appendix A) and, like the 128-bit ones,
 * those of the authors' vectors.h; all agree with OpenSSL 3's SIPHASH.
 */
static const struct {
	size_t bytes;
	char hash64[17], hash128[33];
} vectors[] = {
	{0, "310e0edd47db6f72", "a3817f04ba25a8e66df67214c7550293"},
	{1, "fd67dc93c539f874", "da87c1d86b99af44347659119b22fc45"},
	{2, "5a4fa9d909806c0d", "8177228da4a45dc7fca38bdef60affe4"},
	{3, "2d7efbd796666785", "9c70b60c5267a94e5f33b6b02985ed51"},
	{4, "b7877127e09427cf", "f88164c12d9c8faf7d0f6e7c7bcd5579"},
	{5, "8da699cd64557618", "1368875980776f8854527a07690e9627"},
	{6, "cee3fe586e46c9cb", "14eeca338b208613485ea0308fd7a15e"},
	{7, "37d1018bf50002ab", "a1f1ebbed8dbc153c0b84aa61ff08239"},
	{8, "6224939a79f5f593", "3b62a9ba6258f5610f83e264f31497b4"},
	{9, "b0e4a90bdf82009e", "264499060ad9baabc47f8b02bb6d71ed"},
	{14, "eef27a8e90ca23f7", "31fcefac66d7de9c7ec7485fe4494902"},
	{15, "e545be4961ca29a1", "5493e99933b0a8117e08ec0f97cfc3d9"},
	{16, "db9bc2577fcc2a3f", "6ee2a4ca67b054bbfd3315bf85230577"},
	{17, "9447be2cf5e99a69", "473d06e8738db89854c066c47ae47740"},
	{63, "724506eb4c328a95", "5150d1772f50834a503e069a973fbd7c"},
};

static void to_hex(char *out, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
}

static void count_up(unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)i;
}

Test(base_hash, gives_the_published_values_at_any_alignment)
{
	unsigned char key[GLC_HASH_KEY_BYTES], input[80];

	count_up(key, sizeof key);
	for (size_t r = 0; r < sizeof vectors / sizeof *vectors; r++) {
		for (size_t skew = 0; skew < 8; skew++) {
			struct glc_hash hash;
			unsigned char out[GLC_HASH_BYTES];
			char hex[33] = "";
			uint64_t value;

			count_up(input + skew, 64);
			glc_hash_init(&hash, key);
			glc_hash_add(&hash, input + skew, vectors[r].bytes);
			glc_hash_end(&hash, out);
			to_hex(hex, out, sizeof out);
			cr_expect(eq(str, hex, (char *)vectors[r].hash128), "%zu bytes", vectors[r].bytes);

			value = glc_hash64(key, input + skew, vectors[r].bytes);
			for (int i = 0; i < 8; i++)
				out[i] = (unsigned char)(value >> 8 * i);
			memset(hex, 0, sizeof hex);
			to_hex(hex, out, 8);
			cr_expect(eq(str, hex, (char *)vectors[r].hash64), "%zu bytes", vectors[r].bytes);
		}
	}
}

Test(base_hash, depends_on_the_sequence_of_bytes_alone)
{
	unsigned char input[64], whole[GLC_HASH_BYTES], pieces[GLC_HASH_BYTES];
	struct glc_hash hash;

	count_up(input, sizeof input);
	glc_hash_init(&hash, NULL);
	glc_hash_add(&hash, input, sizeof input);
	glc_hash_end(&hash, whole);
	for (size_t a = 0; a <= sizeof input; a++) {
		for (size_t b = a; b <= sizeof input; b++) {
			glc_hash_init(&hash, NULL);
			glc_hash_add(&hash, input, a);
			glc_hash_add(&hash, NULL, 0);
			glc_hash_add(&hash, input + a, b - a);
			glc_hash_end(&hash, pieces);  /* and does not end it */
			glc_hash_add(&hash, input + b, sizeof input - b);
			glc_hash_end(&hash, pieces);
			cr_assert(memcmp(whole, pieces, sizeof whole) == 0, "cut at %zu and %zu", a, b);
		}
	}
}

Test(base_hash, tells_fields_apart)
{
	static const char *const rows[][2] = {{"ab", "c"}, {"a", "bc"}, {"", "abc"}, {"abc", ""}};
	unsigned char out[4][GLC_HASH_BYTES];

	for (int i = 0; i < 4; i++) {
		struct glc_hash hash;

		glc_hash_init(&hash, NULL);
		glc_hash_add_field(&hash, rows[i][0], strlen(rows[i][0]));
		glc_hash_add_field(&hash, rows[i][1], strlen(rows[i][1]));
		glc_hash_end(&hash, out[i]);
		for (int j = 0; j < i; j++)
			cr_expect(memcmp(out[i], out[j], GLC_HASH_BYTES) != 0, "rows %d and %d", i, j);
	}
}
