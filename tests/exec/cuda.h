/* SPDX-License-Identifier: MIT */
/*
 * PTX on a CUDA device, for machines that have one: what vk.h is for SPIR-V. libcuda is
 * opened at run time. Prints nothing. One thread at a time.
 */
#ifndef TESTS_EXEC_CUDA_H
#define TESTS_EXEC_CUDA_H

#include "vk.h"

struct cuda;

/* As exec_open. *arch becomes 90 for sm_90. */
enum exec_status cuda_open(struct cuda **out, unsigned *arch, char *message, size_t bytes);

/* NULL is allowed. */
void cuda_close(struct cuda *cuda);

/*
 * One launch of the only kernel of a module, and its end. source is the kernel in text form:
 * it tells the order of buffers and scalars, the workgroup and whose Length is taken. Of run,
 * the buffers (in the order of their declaration), push constants and groups count.
 */
enum exec_status cuda_run(struct cuda *cuda, const char *ptx, const char *source, const struct exec_run *run);

const char *cuda_message(const struct cuda *cuda);

#endif
