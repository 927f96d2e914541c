/* SPDX-License-Identifier: MIT */
#ifndef TESTS_STRESS_H
#define TESTS_STRESS_H

#include <stdio.h>
#include <stdlib.h>

/* Ends the program with status 1 when the condition does not hold. */
#define CHECK(condition, ...)                                                       \
	do {                                                                        \
		if (!(condition)) {                                                 \
			fprintf(stderr, "%s:%d: %s does not hold: ", __FILE__, __LINE__, \
				#condition);                                        \
			fprintf(stderr, __VA_ARGS__);                               \
			fputc('\n', stderr);                                        \
			exit(1);                                                    \
		}                                                                   \
	} while (0)

#endif
