/* SPDX-License-Identifier: MIT */
/*
 * stranger PORT NUMBER - so many connections to a port of this machine by nobody of the job: silent,
 * slow, ended by a reset, garbage, and the beginning of a hello that somebody else sent.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	/* The form of a hello: magic, version, purpose, rank, size, epoch, index, proves, reserved, nonce. */
	unsigned char hello[64] = {0x47, 0x43, 0x4c, 0x45, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
	unsigned char garbage[512];
	int number, connected = 0, kept[64], next = 0;

	if (argc != 3)
		return 2;
	to.sin_port = htons((unsigned short)atoi(argv[1]));
	number = atoi(argv[2]);
	memset(kept, -1, sizeof kept);
	for (size_t i = 0; i < sizeof garbage; i++)
		garbage[i] = (unsigned char)(i * 37 + 11);
	for (int i = 0, tries = 0; i < number && tries < 20000; tries++) {
		struct linger at_once = {1, 0};
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			return 1;
		if (connect(fd, (void *)&to, sizeof to)) {
			/* Before it listens, or after it has all its ranks. */
			close(fd);
			usleep(500);
			if (connected && ++i)
				continue;
			continue;
		}
		connected++;
		switch (i++ % 5) {
		case 1: send(fd, hello, 3, MSG_NOSIGNAL); break;
		case 2: setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once); break;
		case 3: send(fd, garbage, sizeof garbage, MSG_NOSIGNAL); break;
		case 4: send(fd, hello, sizeof hello, MSG_NOSIGNAL); break;
		}
		if (i % 5 == 3) {
			close(fd);
			continue;
		}
		/* The others stay open for a while. */
		if (kept[next] >= 0)
			close(kept[next]);
		kept[next] = fd;
		next = (next + 1) % 64;
	}
	printf("%d connected\n", connected);
	return 0;
}
