/* SPDX-License-Identifier: MIT */
/*
 * How two ranks meet on a connection: hello, challenge, proof, welcome. Each side proves that it
 * knows the job's token by an HMAC over both nonces and over what the connection is for; the
 * labels of the two directions differ, so that no proof can be sent back.
 */
#ifndef GLC_COLLECTIVE_HELLO_H
#define GLC_COLLECTIVE_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GLC_HELLO_MAGIC = 0x454c4347,
	GLC_CHALLENGE_MAGIC = 0x414c4347,
	GLC_PROOF_MAGIC = 0x524c4347,
	GLC_WELCOME_MAGIC = 0x574c4347,
	GLC_HELLO_VERSION = 1,
	GLC_NONCE_BYTES = 32,
	GLC_TOKEN_BYTES = 32,
};

enum glc_purpose { GLC_JOIN, GLC_LINK, GLC_CONTROL, GLC_PURPOSE_COUNT };

struct glc_hello {
	uint32_t magic;
	uint16_t version, purpose;
	uint32_t rank, size, epoch, index;
	uint32_t proves;          /* 1: with proofs, 0: without a token, on loopback */
	uint32_t reserved;
	unsigned char nonce[GLC_NONCE_BYTES];
};

struct glc_challenge {
	uint32_t magic, rank, size, epoch;
	unsigned char nonce[GLC_NONCE_BYTES];
	unsigned char mac[32];
};

struct glc_proof {
	uint32_t magic, reserved;
	unsigned char mac[32];
};

struct glc_welcome {
	uint32_t magic, rank;
};

/* The job as a connection sees it. */
struct glc_job {
	uint32_t rank, size, epoch;
	const unsigned char *token;  /* NULL: nobody proves anything */
	uint32_t links, channels;
};

/* Whether the bytes are a hello that this job's rank can take: the frame reader that strangers reach. */
bool glc_hello_takes(const struct glc_job *job, const struct glc_hello *hello);
/* The acceptor's and the connector's proof. false: the library refused. */
bool glc_hello_mac(const struct glc_job *job, bool acceptor, const struct glc_hello *hello,
		   const struct glc_challenge *challenge, unsigned char mac[32]);
/* Whether a proof is right; always, in a job without a token. */
bool glc_hello_proves(const struct glc_job *job, bool acceptor, const struct glc_hello *hello,
		      const struct glc_challenge *challenge, const unsigned char mac[32]);

#endif
