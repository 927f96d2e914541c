/* SPDX-License-Identifier: MIT */
/*
 * Kernels on a device of the library's own: what vk.h is for SPIR-V. GLACIER_EXEC_TARGET says
 * which kind, "cpu", "cuda" or "vulkan"; GLACIER_EXEC_ISA and GLACIER_EXEC_THREADS choose the
 * processor's instruction set level and how many threads; with GLACIER_EXEC_UNROLLED it runs loops as
 * PTX has them. Prints nothing. One thread at a time.
 */
#ifndef TESTS_EXEC_LIBRARY_H
#define TESTS_EXEC_LIBRARY_H

#include <glacier/device.h>

#include "vk.h"

struct library;

/* What GLACIER_EXEC_TARGET asks for; GLACIER_DEVICE_KIND_COUNT: the tests' own runner of SPIR-V. */
enum glacier_device_kind library_kind(void);

/* As exec_open. */
enum exec_status library_open(enum glacier_device_kind kind, struct library **out, char *message, size_t bytes);

/* NULL is allowed. */
void library_close(struct library *library);

const struct glacier_device_info *library_info(const struct library *library);

/* "ptx:sm_90": the device's target as it is spelled; for the processor a SPIR-V one, which nothing runs. */
void library_target(const struct library *library, char *name, size_t bytes);

/*
 * One launch of a kernel of the module (run->entry; NULL: the only one), and its end. Of run,
 * the buffers, push constants and groups count: constants are set when the module is read.
 */
enum exec_status library_run(struct library *library, struct glacier_module *module, bool optimize,
			     const struct exec_run *run);

const char *library_message(const struct library *library);

#endif
