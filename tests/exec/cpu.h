/* SPDX-License-Identifier: MIT */
/*
 * Kernels on the library's own device, the processor: what vk.h is for SPIR-V.
 * GLACIER_EXEC_ISA and GLACIER_EXEC_THREADS choose the instruction set level and how many
 * threads. Prints nothing. One thread at a time.
 */
#ifndef TESTS_EXEC_CPU_H
#define TESTS_EXEC_CPU_H

#include <glacier/device.h>

#include "vk.h"

struct cpu;

/* As exec_open. */
enum exec_status cpu_open(struct cpu **out, char *message, size_t bytes);

/* NULL is allowed. */
void cpu_close(struct cpu *cpu);

/*
 * One launch of a kernel of the module (run->entry; NULL: the only one), and its end. Of run,
 * the buffers, push constants and groups count: constants are set when the module is read.
 */
enum exec_status cpu_run(struct cpu *cpu, struct glacier_module *module, bool optimize,
			 const struct exec_run *run);

const char *cpu_message(const struct cpu *cpu);

#endif
