/* SPDX-License-Identifier: MIT */
/*
 * gc-run uses its inputs where they lie: over two files of 64 MiB the processor runs saxpy
 * with one page fault for each page that it writes and few for those that it reads. A copy
 * of either would cost as many again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 64 << 20, PAGE_BYTES = 4096, SLACK = BYTES / PAGE_BYTES / 2 };

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, BYTES) || close(fd)) {
		perror(path);
		exit(99);
	}
}

int main(void)
{
	char folder[] = "/tmp/glacier-faults.XXXXXX", x[64], y[64];
	const char *source = getenv("top_srcdir");
	char kernel[4096], x_value[80], y_value[80];
	struct rusage usage;
	long limit = BYTES / PAGE_BYTES + SLACK;
	int status;
	pid_t child;

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	puts("SKIP: a sanitizer's shadow memory has page faults of its own");
	return 77;
#endif
	if (sysconf(_SC_PAGESIZE) != PAGE_BYTES) {
		puts("SKIP: pages are not of 4096 bytes");
		return 77;
	}
	if (!mkdtemp(folder)) {
		perror(folder);
		return 99;
	}
	snprintf(kernel, sizeof kernel, "%s/examples/saxpy.gasm", source ? source : ".");
	snprintf(x, sizeof x, "%s/x.raw", folder);
	snprintf(y, sizeof y, "%s/y.raw", folder);
	make_file(x);
	make_file(y);
	snprintf(x_value, sizeof x_value, "x=@%s", x);
	snprintf(y_value, sizeof y_value, "y=@%s", y);
	child = fork();
	if (child == 0) {
		execl("src/gc-run/gc-run", "gc-run", "-d", "cpu", kernel, "-g", "4096", x_value, y_value, "a=2",
		      "n=16777216", (char *)NULL);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		status = 1;
	unlink(x);
	unlink(y);
	rmdir(folder);
	if (status) {
		printf("gc-run ends with status %d\n", status);
		return 1;
	}
	printf("%ld page faults, %ld allowed\n", usage.ru_minflt + usage.ru_majflt, limit);
	return usage.ru_minflt + usage.ru_majflt > limit;
}
