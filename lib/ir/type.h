/* SPDX-License-Identifier: MIT */
/* The scalar types of the kernel language: names, widths, classes. glacier-kernel(7), TYPES. */
#ifndef GLC_IR_TYPE_H
#define GLC_IR_TYPE_H

#include <stdbool.h>
#include <stdint.h>

enum glc_type {
	GLC_VOID,
	GLC_BOOL,
	GLC_I8,
	GLC_U8,
	GLC_I16,
	GLC_U16,
	GLC_I32,
	GLC_U32,
	GLC_I64,
	GLC_U64,
	GLC_F16,
	GLC_BF16,
	GLC_F32,
	GLC_F64,
	GLC_TYPE_COUNT
};

/* What kind of arithmetic a type has; the columns of ops.def are in this order. */
enum glc_class {
	GLC_CLASS_FLOAT,
	GLC_CLASS_SIGNED,
	GLC_CLASS_UNSIGNED,
	GLC_CLASS_BOOL,
	GLC_CLASS_COUNT
};

struct glc_type_facts {
	char name[5];
	uint8_t bits;   /* 0 for void, 1 for bool */
	uint8_t bytes;  /* in memory; 0 where it is no memory type */
	uint8_t klass;
};

extern const struct glc_type_facts glc_types[GLC_TYPE_COUNT];

/* The type of that name, or GLC_VOID. */
enum glc_type glc_type_find(const char *name, uint32_t bytes);

static inline bool glc_is_float(enum glc_type type)
{
	return type >= GLC_F16;
}

static inline bool glc_is_int(enum glc_type type)
{
	return type >= GLC_I8 && type <= GLC_U64;
}

static inline bool glc_is_signed(enum glc_type type)
{
	return glc_is_int(type) && (type & 1) == 0;
}

_Static_assert(!(GLC_I8 & 1) && !(GLC_I64 & 1) && (GLC_U8 & 1) && (GLC_U64 & 1),
	       "glc_is_signed relies on signed types being even");

static inline uint32_t glc_bits(enum glc_type type)
{
	return glc_types[type].bits;
}

/* The unsigned integer of the same width; bool stays. */
static inline enum glc_type glc_unsigned_of(enum glc_type type)
{
	switch (glc_types[type].bits) {
	case 8: return GLC_U8;
	case 16: return GLC_U16;
	case 32: return GLC_U32;
	case 64: return GLC_U64;
	}
	return type;
}

/* All bits of the width set. */
static inline uint64_t glc_type_mask(enum glc_type type)
{
	uint32_t bits = glc_types[type].bits;

	return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

#endif
