/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what a neighbour sends: an all-reduce ends, with an error or, when the bytes are
 * what they should be, with a result. The first byte chooses the algorithm and what is computed.
 */
#include <glacier.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "fuzz_frames.c:%d: broken promise: %s\n", __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct stream {
	const uint8_t *at, *end;
};

static ptrdiff_t stream_send(void *self, uint32_t link, const struct iovec *parts, int count)
{
	ptrdiff_t bytes = 0;

	(void)self;
	(void)link;
	for (int i = 0; i < count; i++)
		bytes += (ptrdiff_t)parts[i].iov_len;
	return bytes;
}

static ptrdiff_t stream_recv(void *self, uint32_t link, const struct iovec *parts, int count)
{
	struct stream *stream = self;
	ptrdiff_t done = 0;

	(void)link;
	for (int i = 0; i < count; i++) {
		size_t left = (size_t)(stream->end - stream->at);
		size_t bytes = parts[i].iov_len < left ? parts[i].iov_len : left;

		memcpy(parts[i].iov_base, stream->at, bytes);
		stream->at += bytes;
		done += (ptrdiff_t)bytes;
	}
	return done ? done : -1;
}

static void stream_wait(void *self, uint32_t send_links, uint32_t recv_links, uint64_t nanoseconds)
{
	(void)self;
	(void)send_links;
	(void)recv_links;
	(void)nanoseconds;
}

static void stream_wake(void *self)
{
	(void)self;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stream stream = {data + 1, data + size};
	struct glacier_transport transport = {
		.name = "bytes", .self = &stream, .rank = 0, .size = 2, .channels = 1, .send = stream_send, .recv = stream_recv,
		.wait = stream_wait, .wake = stream_wake};
	struct glacier_comm_options options = {.piece_bytes = 64};
	struct glacier_diag diag = {0};
	enum glacier_status status;
	struct glacier_comm *comm;
	uint16_t values[40] = {0};

	if (!size)
		return 0;
	options.algorithm = data[0] & 1 ? GLACIER_ALGORITHM_RING : GLACIER_ALGORITHM_DOUBLING;
	options.deterministic = data[0] >> 1 & 1;
	REQUIRE(glacier_comm_create(&transport, &options, &comm, NULL) == GLACIER_OK);
	status = glacier_allreduce(comm, values, values, data[0] & 4 ? 40 : 3, data[0] & 8 ? GLACIER_F16 : GLACIER_U8,
				   GLACIER_REDUCE_SUM);
	REQUIRE(glacier_comm_explain(comm, &diag) == status);
	REQUIRE((status == GLACIER_OK) == (diag.errors == 0));
	glacier_comm_destroy(comm);
	return 0;
}
