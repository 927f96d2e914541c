/* SPDX-License-Identifier: MIT */
/* HMAC-SHA-256 (RFC 2104, FIPS 180-4) of OpenSSL's libcrypto, which is opened when it is asked for. */
#ifndef GLC_DRIVER_CRYPTO_H
#define GLC_DRIVER_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>

enum { GLC_HMAC_BYTES = 32 };

/* false: there is no library. Any thread; opened once, and never closed. */
bool glc_crypto_open(void);
/* After glc_crypto_open. false: the library refused. */
bool glc_hmac_sha256(const void *key, size_t key_bytes, const void *data, size_t bytes, unsigned char mac[GLC_HMAC_BYTES]);
/* In a time that does not depend on what is compared. */
bool glc_mac_equal(const unsigned char *a, const unsigned char *b);

#endif
