/* SPDX-License-Identifier: MIT */
/* Frames through a transport's links, in as many parts as the link takes. */
#include "collective/comm.h"

#include <string.h>

static void begin(struct glacier_comm *comm, struct glc_port *port, bool piece, void *body, size_t bytes)
{
	port->done = 0;
	port->head_bytes = (port->opened ? 0 : sizeof comm->header) + (piece ? sizeof(struct glc_piece) : 0);
	port->body = body;
	port->body_bytes = bytes;
	port->busy = true;
}

void glc_port_begin_send(struct glacier_comm *comm, struct glc_port *port, uint32_t step, uint32_t index,
			 const void *body, size_t bytes)
{
	struct glc_piece piece = {
		.magic = GLC_PIECE_MAGIC, .step = step, .index = index, .bytes = (uint32_t)bytes,
		.sequence = comm->sequence, .checksum = glc_checksum(body, bytes, comm->level),
	};

	begin(comm, port, true, (void *)body, bytes);
	if (!port->opened)
		memcpy(port->head, &comm->header, sizeof comm->header);
	memcpy(port->head + (port->opened ? 0 : sizeof comm->header), &piece, sizeof piece);
}

void glc_port_begin_recv(struct glacier_comm *comm, struct glc_port *port, void *body, size_t bytes)
{
	begin(comm, port, true, body, bytes);
}

void glc_port_begin_header(struct glacier_comm *comm, struct glc_port *port)
{
	begin(comm, port, false, NULL, 0);
	memcpy(port->head, &comm->header, sizeof comm->header);
}

/* What is left of the frame. At a stop, only up to there. */
static int rest(struct glc_port *port, size_t stop, struct iovec parts[2])
{
	size_t head = port->head_bytes < stop ? port->head_bytes : stop;
	size_t all = port->head_bytes + port->body_bytes, in_body;
	int count = 0;

	if (all > stop)
		all = stop;
	if (port->done < head)
		parts[count++] = (struct iovec){port->head + port->done, head - port->done};
	in_body = port->done > port->head_bytes ? port->done - port->head_bytes : 0;
	if (all > port->head_bytes && all - port->head_bytes > in_body)
		parts[count++] = (struct iovec){(unsigned char *)port->body + in_body, all - port->head_bytes - in_body};
	return count;
}

enum glc_progress glc_port_send(struct glacier_comm *comm, struct glc_port *port, uint32_t link)
{
	uint32_t to = (comm->rank + (link < GLC_GROUP_LINKS ? 1u << link : 1)) % comm->size;
	struct iovec parts[2];
	int count;

	while ((count = rest(port, SIZE_MAX, parts)) > 0) {
		ptrdiff_t n = comm->transport.send(comm->transport.self, link, parts, count);

		if (n < 0)
			return glc_comm_fail_rank(comm, GLC_REASON_LOST, to);
		if (!n)
			return GLC_AGAIN;
		port->done += (size_t)n;
		comm->moved++;
	}
	port->busy = false;
	port->opened = true;
	return GLC_DONE;
}

/* The first bytes of a frame may say that another rank has failed: a failure is longer than a piece's head. */
static bool is_failure(struct glacier_comm *comm, const struct glc_port *port, struct glc_failure *failure)
{
	size_t head = port->head_bytes < sizeof *failure ? port->head_bytes : sizeof *failure;

	if (port->done < sizeof *failure)
		return false;
	memcpy(failure, port->head, head);
	if (head < sizeof *failure)
		memcpy((char *)failure + head, port->body, sizeof *failure - head);
	return glc_failure_valid(failure, comm->size);
}

/* A failure came where a shorter frame was due: its end is still in the link, which it was sent to in one go. */
static enum glc_progress end_of_failure(struct glacier_comm *comm, const struct glc_port *port, uint32_t link, uint32_t from)
{
	struct glc_failure failure;
	struct iovec part = {(char *)&failure + port->done, sizeof failure - port->done};

	if (port->done >= sizeof failure)
		return glc_comm_fail_rank(comm, GLC_REASON_FRAME, from);
	memcpy(&failure, port->head, port->head_bytes);
	if (port->body_bytes)
		memcpy((char *)&failure + port->head_bytes, port->body, port->body_bytes);
	while (part.iov_len) {
		ptrdiff_t n = comm->transport.recv(comm->transport.self, link, &part, 1);

		if (n <= 0)
			return glc_comm_fail_rank(comm, GLC_REASON_ABORTED, from);
		part.iov_base = (char *)part.iov_base + n;
		part.iov_len -= (size_t)n;
	}
	if (!glc_failure_valid(&failure, comm->size))
		return glc_comm_fail_rank(comm, GLC_REASON_FRAME, from);
	return glc_comm_fail(comm, &failure);
}

static enum glc_progress check_header(struct glacier_comm *comm, const struct glc_port *port, uint32_t from)
{
	struct glc_failure failure;
	struct glc_header header;

	memcpy(&header, port->head, sizeof header);
	header.rank = from;
	if (glc_header_differs(&header, &comm->header, &failure))
		return glc_comm_fail(comm, &failure);
	return GLC_DONE;
}

enum glc_progress glc_port_recv(struct glacier_comm *comm, struct glc_port *port, uint32_t link, uint32_t from,
				uint32_t step, uint32_t index)
{
	struct glc_piece piece;
	struct iovec parts[2];
	int count;

	for (;;) {
		/* A header that differs makes what follows meaningless: look before going on. */
		bool header_due = !port->opened && port->done < sizeof comm->header;
		struct glc_failure failure;
		ptrdiff_t n;

		count = rest(port, SIZE_MAX, parts);
		if (!count)
			break;
		n = comm->transport.recv(comm->transport.self, link, parts, count);
		if (n < 0)
			return glc_comm_fail_rank(comm, GLC_REASON_LOST, from);
		if (!n)
			return GLC_AGAIN;
		port->done += (size_t)n;
		comm->moved++;
		if (is_failure(comm, port, &failure))
			return glc_comm_fail(comm, &failure);
		if (header_due && port->done >= sizeof comm->header && check_header(comm, port, from) != GLC_DONE)
			return GLC_FAILED;
	}
	if (port->head_bytes >= sizeof piece && port->head_bytes != sizeof comm->header) {
		memcpy(&piece, port->head + port->head_bytes - sizeof piece, sizeof piece);
		if (piece.magic == GLC_FAILURE_MAGIC)
			return end_of_failure(comm, port, link, from);
		if (piece.magic != GLC_PIECE_MAGIC || piece.step != step ||
		    piece.index != index || piece.bytes != port->body_bytes || piece.sequence != comm->sequence)
			return glc_comm_fail_rank(comm, GLC_REASON_FRAME, from);
		if (piece.checksum != glc_checksum(port->body, port->body_bytes, comm->level))
			return glc_comm_fail_rank(comm, GLC_REASON_CHECKSUM, from);
	}
	port->busy = false;
	port->opened = true;
	return GLC_DONE;
}
