/* SPDX-License-Identifier: MIT */
#include "driver/crypto.h"

#include <dlfcn.h>
#include <pthread.h>

typedef unsigned char *hmac_fn(const void *method, const void *key, int key_bytes, const unsigned char *data, size_t bytes,
			       unsigned char *mac, unsigned *mac_bytes);

static struct {
	hmac_fn *hmac;
	const void *(*sha256)(void);
} crypto;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
	static const char names[][20] = {"libcrypto.so.3", "libcrypto.so.1.1"};
	void *library = NULL;

	for (unsigned i = 0; !library && i < sizeof names / sizeof *names; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return;
	/* POSIX: what dlsym gives may be a function. */
	*(void **)&crypto.hmac = dlsym(library, "HMAC");
	*(void **)&crypto.sha256 = dlsym(library, "EVP_sha256");
}

bool glc_crypto_open(void)
{
	pthread_once(&once, open_library);
	return crypto.hmac && crypto.sha256;
}

bool glc_hmac_sha256(const void *key, size_t key_bytes, const void *data, size_t bytes, unsigned char mac[GLC_HMAC_BYTES])
{
	unsigned mac_bytes = 0;

	return crypto.hmac(crypto.sha256(), key, (int)key_bytes, data, bytes, mac, &mac_bytes) && mac_bytes == GLC_HMAC_BYTES;
}

bool glc_mac_equal(const unsigned char *a, const unsigned char *b)
{
	volatile unsigned char differs = 0;

	for (int i = 0; i < GLC_HMAC_BYTES; i++)
		differs |= a[i] ^ b[i];
	return !differs;
}
