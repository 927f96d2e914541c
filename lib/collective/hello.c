/* SPDX-License-Identifier: MIT */
#include "collective/hello.h"
#include "driver/crypto.h"

#include <glacier/collective.h>

#include <string.h>

bool glc_hello_takes(const struct glc_job *job, const struct glc_hello *hello)
{
	uint32_t expected;

	if (hello->magic != GLC_HELLO_MAGIC || hello->version != GLC_HELLO_VERSION || hello->reserved ||
	    hello->rank >= job->size || hello->rank == job->rank || hello->proves != (job->token != NULL))
		return false;
	switch (hello->purpose) {
	case GLC_JOIN: return job->rank == 0 && hello->index == 0;
	case GLC_CONTROL:
		expected = 1;
		if (hello->index)
			return false;
		break;
	case GLC_LINK:
		if (hello->index >= GLACIER_LINK_CHANNEL ? hello->index - GLACIER_LINK_CHANNEL >= job->channels ||
								   hello->index == GLACIER_LINK_CHANNEL
							 : hello->index >= job->links)
			return false;
		expected = hello->index < GLACIER_LINK_CHANNEL ? 1u << hello->index : 1;
		break;
	default: return false;
	}
	return (hello->rank + expected) % job->size == job->rank;
}

bool glc_hello_mac(const struct glc_job *job, bool acceptor, const struct glc_hello *hello,
		   const struct glc_challenge *challenge, unsigned char mac[32])
{
	struct {
		char label[16];
		struct glc_hello hello;  /* with its nonce, rank, size, epoch, purpose and index */
		uint32_t rank, size, epoch, reserved;
		unsigned char nonce[GLC_NONCE_BYTES];
	} message;

	memset(mac, 0, 32);
	if (!job->token)
		return true;
	memset(&message, 0, sizeof message);
	memcpy(message.label, acceptor ? "glacier accept" : "glacier connect", acceptor ? 14 : 15);
	message.hello = *hello;
	message.rank = challenge->rank;
	message.size = challenge->size;
	message.epoch = challenge->epoch;
	memcpy(message.nonce, challenge->nonce, sizeof message.nonce);
	return glc_hmac_sha256(job->token, GLC_TOKEN_BYTES, &message, sizeof message, mac);
}

bool glc_hello_proves(const struct glc_job *job, bool acceptor, const struct glc_hello *hello,
		      const struct glc_challenge *challenge, const unsigned char mac[32])
{
	unsigned char right[32];

	return !job->token || (glc_hello_mac(job, acceptor, hello, challenge, right) && glc_mac_equal(right, mac));
}
