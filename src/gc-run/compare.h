/* SPDX-License-Identifier: MIT */
/* Two results of the same thing, and whether they are the same. */
#ifndef GC_RUN_COMPARE_H
#define GC_RUN_COMPARE_H

#include "session.h"

/*
 * --compare: what two devices made of the arrays that are written. The rule is that of
 * glacier-kernel(7), ONE ANSWER ON EVERY TARGET, for each instruction that the kernels have,
 * and what follows from it for each element; --rtol and --atol widen it. Prints the first
 * difference of each array.
 */
bool compare_sessions(struct session sessions[2], struct job *job, const struct options *options);

/* --expect: arrays against files, by --rtol and --atol alone. */
bool compare_expected(struct session *session, const struct job *job, const struct options *options);

#endif
