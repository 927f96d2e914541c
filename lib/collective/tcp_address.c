/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "collective/tcp.h"
#include "base/diag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool glc_address_is_loopback(const struct glc_address *address)
{
	const struct sockaddr_in *v4 = (const void *)&address->at;
	const struct sockaddr_in6 *v6 = (const void *)&address->at;

	if (address->at.ss_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
	return address->at.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

enum glacier_status glc_address_resolve(const char *text, bool passive, struct glc_address *out, int most, int *count,
					struct glacier_diag *diag)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = passive ? AI_PASSIVE : 0}, *found, *at;
	char host[256];
	const char *port = strrchr(text, ':'), *end = port, *begin = text;
	long number;
	char *rest;
	int error;

	if (!port)
		return glc_fail(diag, GLC_AR_ADDRESS, GLC_NOWHERE, text, "there is no port");
	if (*begin == '[' && end > begin && end[-1] == ']') {
		begin++;
		end--;
	} else if (memchr(begin, ':', (size_t)(end - begin))) {
		return glc_fail(diag, GLC_AR_ADDRESS, GLC_NOWHERE, text, "an IPv6 address stands in brackets");
	}
	number = strtol(port + 1, &rest, 10);
	if (rest == port + 1 || *rest || number < 0 || number > 65535)
		return glc_fail(diag, GLC_AR_ADDRESS, GLC_NOWHERE, text, "the port is no number up to 65535");
	if (end == begin || (size_t)(end - begin) >= sizeof host)
		return glc_fail(diag, GLC_AR_ADDRESS, GLC_NOWHERE, text, "there is no host");
	snprintf(host, sizeof host, "%.*s", (int)(end - begin), begin);
	/* Whatever families the machine has: without IPv6 its addresses fail to open, and the next is tried. */
	error = getaddrinfo(host, port + 1, &hints, &found);
	if (error)
		return glc_fail(diag, GLC_AR_ADDRESS, GLC_NOWHERE, text, gai_strerror(error));
	*count = 0;
	for (at = found; at && *count < most; at = at->ai_next) {
		if (at->ai_family != AF_INET && at->ai_family != AF_INET6)
			continue;
		out[*count].bytes = at->ai_addrlen;
		memcpy(&out[(*count)++].at, at->ai_addr, at->ai_addrlen);
	}
	freeaddrinfo(found);
	if (!*count)
		return glc_fail(diag, GLC_AR_ADDRESS, GLC_NOWHERE, text, "it has no IP address");
	return GLACIER_OK;
}

static void set_port(struct glc_address *address, uint16_t port)
{
	if (address->at.ss_family == AF_INET)
		((struct sockaddr_in *)&address->at)->sin_port = htons(port);
	else
		((struct sockaddr_in6 *)&address->at)->sin6_port = htons(port);
}

static int try_listen(const struct glc_address *address)
{
	int fd = socket(address->at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1, saved;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (!bind(fd, (const void *)&address->at, address->bytes) && !listen(fd, 256))
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

/* What leads to the job's address is asked of the kernel: connecting a datagram socket sends nothing. */
static bool leads_to(const struct glc_address *target, struct glc_address *local)
{
	int fd = socket(target->at.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool found;

	if (fd < 0)
		return false;
	local->bytes = sizeof local->at;
	found = !connect(fd, (const void *)&target->at, target->bytes) && !getsockname(fd, (void *)&local->at, &local->bytes);
	close(fd);
	return found;
}

enum glacier_status glc_address_listen(const struct glacier_tcp_options *options, const struct glc_address *candidates,
				       int count, int *fd, struct glacier_diag *diag)
{
	enum { PORTS = 1024 };
	struct glc_address local;
	char text[300];
	int n;

	if (options->rank == 0 && options->listener >= 0) {
		*fd = options->listener;
		return GLACIER_OK;
	}
	/* Rank 0 is where the others look for it. */
	for (int i = 0; options->rank == 0 && !options->bind && i < count; i++) {
		*fd = try_listen(&candidates[i]);
		if (*fd >= 0)
			return GLACIER_OK;
	}
	if (options->rank == 0 && !options->bind)
		return glc_fail(diag, GLC_AR_SYSTEM, GLC_NOWHERE, options->address, strerror(errno));
	if (options->bind) {
		enum glacier_status status;

		snprintf(text, sizeof text, strchr(options->bind, ':') ? "[%s]:%u" : "%s:%u", options->bind, 0u);
		status = glc_address_resolve(text, true, &local, 1, &n, diag);
		if (status != GLACIER_OK)
			return status;
		if (options->rank == 0)
			set_port(&local, ntohs(((const struct sockaddr_in *)&candidates[0].at)->sin_port));
	} else {
		for (n = 0; n < count && !leads_to(&candidates[n], &local); n++)
			;
		if (n == count)
			return glc_fail(diag, GLC_AR_SYSTEM, GLC_NOWHERE, options->address, strerror(errno));
		set_port(&local, 0);
	}
	/* The first free port of the range. */
	for (uint32_t i = 0; i < PORTS; i++) {
		if (options->port_base && options->rank)
			set_port(&local, (uint16_t)(options->port_base + i));
		*fd = try_listen(&local);
		if (*fd >= 0)
			return GLACIER_OK;
		if (errno != EADDRINUSE || !options->port_base || !options->rank || options->port_base + i == 65535)
			break;
	}
	return glc_fail(diag, GLC_AR_SYSTEM, GLC_NOWHERE, "cannot listen", strerror(errno));
}
