/* SPDX-License-Identifier: MIT */
/* SPIRV-Tools' validator in process: for tests that judge thousands of modules. */
#ifndef TESTS_DIFF_VALID_H
#define TESTS_DIFF_VALID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct valid;

/* env as spirv-val's --target-env names it ("vulkan1.3"); NULL when it is unknown. */
struct valid *valid_create(const char *env);
void valid_destroy(struct valid *valid);
/* As with --scalar-block-layout. */
void valid_scalar_layout(struct valid *valid);

/* Is the module valid? If not, message says why: at most bytes with the terminator. */
bool valid_spirv(struct valid *valid, const uint32_t *words, size_t count, char *message, size_t bytes);

/* A text of spirv-as for SPIR-V "1.3" and so on, as words to be freed; NULL, with the reason, when it is none. */
uint32_t *valid_assemble(const char *version, const char *text, size_t *count, char *message, size_t bytes);

#endif
