/* SPDX-License-Identifier: MIT */
/* The steps of cpu_run.c that reach memory; cpu.h says what each does. */
#ifndef GLC_DEVICE_CPU_MEMORY_H
#define GLC_DEVICE_CPU_MEMORY_H

#include "device/cpu.h"

void glc_cpu_load_word(const struct glc_step *s, struct glc_frame *f);
void glc_cpu_load_row(const struct glc_step *s, struct glc_frame *f);
void glc_cpu_store_word(const struct glc_step *s, struct glc_frame *f);
void glc_cpu_aim_row(const struct glc_step *s, struct glc_frame *f);
void glc_cpu_store_row(const struct glc_step *s, struct glc_frame *f);
void glc_cpu_atomic(const struct glc_step *s, struct glc_frame *f);
void glc_cpu_load_local(const struct glc_step *s, struct glc_frame *f);
void glc_cpu_store_local(const struct glc_step *s, struct glc_frame *f);

#endif
