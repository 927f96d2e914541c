/* SPDX-License-Identifier: MIT */
/* The examples as loops in C: what cpu_device.c compares with. */
#ifndef BENCH_CPU_SCALAR_H
#define BENCH_CPU_SCALAR_H

#include <stddef.h>
#include <stdint.h>

void scalar_logistic_map(const float *in, float *out, uint32_t iters, uint32_t n);
void scalar_mandelbrot(uint32_t *out, float left, float top, float step, uint32_t width, uint32_t height,
		       uint32_t limit);
void scalar_saxpy(const float *x, float *y, float a, uint32_t n);
void scalar_black_scholes(const float *price, const float *strike, const float *years, float *call, float *put,
			  float rate, float volatility, uint32_t n);
/* fibonacci.gasm by an interpreter that jumps from instruction to instruction. */
int32_t threaded_fibonacci(int32_t index);

#endif
