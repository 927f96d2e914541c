/* SPDX-License-Identifier: MIT */
/*
 * A small Vulkan compute runner for tests: a SPIR-V module, buffers in, buffers out.
 *
 * One exec is one device with one queue. It keeps its memory and its last pipeline, so
 * that thousands of kernels in one process cost little more than their compilation
 * (opening lavapipe costs 0.13 s). libvulkan is opened at run time. Prints nothing. One
 * thread at a time.
 */
#ifndef TESTS_EXEC_VK_H
#define TESTS_EXEC_VK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exec_status {
	EXEC_OK,
	EXEC_UNAVAILABLE,  /* no Vulkan, no device: a reason to skip */
	EXEC_UNSUPPORTED,  /* the device lacks what the module or the run asks for */
	EXEC_WRONG,        /* the module or the run is wrong: no such entry point, no memory bound */
	EXEC_FAILED        /* the driver or the validation layer reported an error, or time ran out */
};

struct exec_buffer {
	uint32_t set, binding;
	void *data;        /* read before the run, written after it */
	size_t bytes;      /* 0 is allowed: the descriptor then spans 4 bytes of zeros */
};

struct exec_spec {
	uint32_t id;       /* the SpecId decoration */
	uint32_t bytes;    /* 4 (bool as well) or 8 */
	uint64_t value;    /* its bits, in the low bytes */
};

/* One dispatch. Zero-initialise. */
struct exec_run {
	const uint32_t *words;
	size_t word_count;
	const char *entry;              /* NULL: the module's only entry point */
	const struct exec_buffer *buffers;
	size_t buffer_count;
	const void *push;
	size_t push_bytes;
	const struct exec_spec *specs;
	size_t spec_count;
	uint32_t groups[3];
	uint32_t subgroup_size;         /* demanded; 0: the device's choice */
};

struct exec;

/*
 * Open the first Vulkan 1.3 device, or that with the index GLACIER_VK_DEVICE among all
 * devices. GLACIER_VK_VALIDATE=1 loads the validation layer, whose errors then fail a run.
 *
 * out      written only when EXEC_OK is returned.
 * message  why not, at most bytes with the terminator.
 */
enum exec_status exec_open(struct exec **out, char *message, size_t bytes);

/* NULL is allowed. */
void exec_close(struct exec *exec);

/*
 * Run one dispatch and wait for it, 30 s at most; after that the device is lost and every
 * later run fails.
 *
 * Returns EXEC_OK with the buffers' new contents, or another status with the buffers as
 * they were; exec_message tells why.
 */
enum exec_status exec_run(struct exec *exec, const struct exec_run *run);

/* What is wrong with the last run; lives until the next. */
const char *exec_message(const struct exec *exec);

/* The device's own name, and the subgroup size that it takes when none is demanded. */
const char *exec_device_name(const struct exec *exec);
uint32_t exec_subgroup_size(const struct exec *exec);

/* Does the device offer what this SPIR-V capability needs, and did exec_open enable it? */
bool exec_has_capability(const struct exec *exec, uint32_t capability);

#endif
