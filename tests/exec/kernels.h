/* SPDX-License-Identifier: MIT */
/*
 * From text to code to values, for tests that do it thousands of times in one process: one
 * module, one validator a SPIR-V version, one device. What is wrong is printed and counted.
 */
#ifndef TESTS_EXEC_KERNELS_H
#define TESTS_EXEC_KERNELS_H

#include <glacier/kernel.h>

#include "vk.h"

/* A text that grows; always terminated. */
struct script {
	char *at;
	size_t size, capacity;
};

void script_clear(struct script *script);
void script_add(struct script *script, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum { KERNEL_TARGETS = 8 };

struct library;
struct valid;

struct kernels {
	struct glacier_module *module;
	bool runs;                        /* there is a device; if not, why says the reason */
	bool strict;                      /* and it keeps to one rounding and all subnormals: cuda, cpu */
	char why[256];
	char target[64];                  /* what is written for it */
	bool older;                       /* set: what is run is validated for older SPIR-V too */
	struct exec *exec;
	struct library *library;
	struct valid *valid[KERNEL_TARGETS];  /* by SPIR-V minor version; NULL: nothing is validated */
	struct glacier_buffer code;       /* what the last kernels_write made */
	const char *text;                 /* what was read last */
	char error[8];                    /* the code of the first error of the last call, or "" */
	char message[512];
	unsigned failures;
};

/*
 * Opens lavapipe or the Vulkan device that GLACIER_VK_DEVICE names, or a device of the library
 * that GLACIER_EXEC_TARGET asks for (library.h). Ends the program where there is no memory.
 */
void kernels_open(struct kernels *kernels);
void kernels_close(struct kernels *kernels);

/* The end of a test: says how many failed, closes, and gives the exit status. */
int kernels_finish(struct kernels *kernels);

/* Count and print a failure; the text, if any, is shown for the first few. */
void kernels_fail(struct kernels *kernels, const char *text, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Read and check a text, defines as below; false with error and message set when it is refused. */
bool kernels_read(struct kernels *kernels, const char *text, const char *const *defines);

/* Write what was read for a target, by its name; SPIR-V is validated (failures count). */
bool kernels_write(struct kernels *kernels, const char *target, bool optimize);

/*
 * The same two in turn, then one dispatch. False after a failure, which is counted, and where
 * constants of the launch are given to PTX, which has none.
 */
bool kernels_run(struct kernels *kernels, const char *text, bool optimize, struct exec_run *run);

/* With -D: names and values in turn, ended by NULL. */
bool kernels_run_with(struct kernels *kernels, const char *text, const char *const *defines, bool optimize,
		      struct exec_run *run);

/* The device's own. */
uint32_t kernels_subgroup_size(const struct kernels *kernels);

/* ptxas for one architecture over a whole module. 0 good, 1 refused (printed), 77 no ptxas. */
int kernels_assemble(const struct glacier_buffer *ptx, const char *arch);

#endif
