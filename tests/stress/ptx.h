/* SPDX-License-Identifier: MIT */
/*
 * Lowered IR made by hand, for the tests of the PTX back end: a module of kernels, each with
 * one buffer of every type (objects 0 to 5) and one scalar of every type (6 to 12).
 */
#ifndef TESTS_STRESS_PTX_H
#define TESTS_STRESS_PTX_H

#include "ptx/ptx.h"

enum { BUFFERS = 0, SCALARS = 6, EXTRA = 13, MOST_OBJECTS = 24, MOST_KERNELS = 2000 };

static const uint8_t memory_types[6] = {GLC_I32, GLC_U32, GLC_I64, GLC_U64, GLC_F32, GLC_F64};
static const uint8_t all_types[7] = {GLC_I32, GLC_U32, GLC_I64, GLC_U64, GLC_F32, GLC_F64, GLC_BOOL};

struct maker {
	struct glacier_memory memory;
	struct glc_ir ir;
	struct glc_kernel kernels[MOST_KERNELS];
	GLC_ARRAY(struct glc_const) consts;
	GLC_ARRAY(struct glc_inst) insts;
	GLC_ARRAY(glc_value) edges;
	struct glc_object *objects;
	struct glc_kernel *kernel;
};

struct maker *make_module(void);
void free_module(struct maker *m);

/* Kernels: begin, instructions, end. The name is copied. */
void begin_kernel(struct maker *m, const char *name, uint32_t x, uint32_t y, uint32_t z);
void end_kernel(struct maker *m);
/* One more object; gives its number. */
uint32_t add_object(struct maker *m, enum glc_object_kind kind, enum glc_type type, const char *name,
		    uint32_t length);

glc_value constant(struct maker *m, enum glc_type type, uint64_t bits);
glc_value add(struct maker *m, struct glc_inst inst);
glc_value op(struct maker *m, enum glc_op op, enum glc_type type, glc_value a, glc_value b, glc_value c);
glc_value parameter(struct maker *m, enum glc_type type);
/* Element `index` of the type's buffer; bool: whether the u32 there is not 0. */
glc_value load(struct maker *m, enum glc_type type, glc_value index);
void store(struct maker *m, enum glc_type type, glc_value index, glc_value value);
/* The list of an edge. */
uint32_t edge(struct maker *m, const glc_value *values, uint32_t count);

/* The whole module as text; NULL and *status when refused. Free it. */
char *write_module(struct maker *m, const char *target, enum glacier_status *status);
/* The code of the last refusal, "GA0300". */
const char *last_code(void);

/* 0 when ptxas takes the text for that architecture, 77 when there is no ptxas. */
int assemble(const char *text, const char *arch);

#endif
