/* SPDX-License-Identifier: MIT */
/* Codes whose inputs are too large, or no text at all, to lie in files. */
#ifndef TESTS_DIAGNOSTICS_MADE_H
#define TESTS_DIAGNOSTICS_MADE_H

enum made_result {
	MADE_NOT,     /* the code has a pair of files */
	MADE_RIGHT,
	MADE_WRONG,   /* told on stdout */
};

enum made_result made_try(const char *code);

#endif
