/* SPDX-License-Identifier: MIT */
/* The shipped examples on a device: what examples.c gives to the cases, and the cases to it. */
#ifndef TESTS_EXEC_EXAMPLES_H
#define TESTS_EXEC_EXAMPLES_H

#include "vk.h"

/* One example, compiled at one level. */
struct example {
	struct exec *exec;
	const char *name, *level;
	const uint32_t *words;
	size_t word_count;
};

/* A buffer of elements of 32 bits. Behind them lies a guard that no kernel may write. */
struct array {
	void *at;
	uint32_t count;
	uint32_t sentinel;   /* what the guard holds, and at first the elements: another in each array */
};

struct array array_new(uint32_t count);
void array_free(struct array *array);

/* One dispatch of x * y workgroups; array i is bound to set 0, binding i. Ends the test if it fails. */
void launch(const struct example *example, const char *entry, uint32_t x, uint32_t y,
	    struct array *arrays, size_t count, const void *push, size_t push_bytes);
/* The same with the specialization constant 0 set. */
void launch_spec(const struct example *example, uint32_t x, uint32_t spec, struct array *arrays,
		 size_t count, const void *push, size_t push_bytes);

/* Each ends the test with a message when it does not hold; tolerance is absolute. */
void expect_f32(const struct example *example, const char *what, uint32_t index, float got,
		double want, double tolerance);
void expect_u32(const struct example *example, const char *what, uint32_t index, uint32_t got,
		uint32_t want);

/* Reproducible: the same numbers in every run. [low, high), and an integer of it as a float. */
uint32_t random_u32(void);
double random_real(double low, double high);
int random_int(int low, int high);

struct example_case {
	char name[20];
	void (*run)(const struct example *example);
};

extern const struct example_case example_cases[];
extern const size_t example_case_count;

#endif
