/* SPDX-License-Identifier: MIT */
#include "collective/reduce.h"
#include "collective/reduce_element.h"

#include <string.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

/* Eight words, in as many registers as the level needs: left to itself the compiler shuffles them. */
typedef uint32_t lanes __attribute__((vector_size(32)));

#define LINE_BYTES 16
#if defined __x86_64__
#define END_LINES() _mm_sfence()
#define STORE_LINE(to, from) _mm_stream_si128((__m128i *)(to), (__m128i)(from))
#else
#define END_LINES() (void)0
#define STORE_LINE(to, from) __builtin_memcpy(to, &(from), sizeof(from))
#endif

#define NAME(name) baseline_##name
#define TARGET
#include "collective/reduce_loops.inc"
#undef NAME
#undef TARGET

#if defined __x86_64__
#undef LINE_BYTES
#undef STORE_LINE
#define LINE_BYTES 32
#define STORE_LINE(to, from) _mm256_stream_si256((__m256i *)(to), (__m256i)(from))
#define NAME(name) v3_##name
#define TARGET __attribute__((target("avx2,bmi,bmi2,f16c,lzcnt,movbe")))
#include "collective/reduce_loops.inc"
#undef NAME
#undef TARGET

/* clang has no such word, and would take none of the others. */
#ifdef __clang__
#define WIDE
#else
#define WIDE ",prefer-vector-width=512"
#endif
#undef LINE_BYTES
#undef STORE_LINE
#define LINE_BYTES 64
#define STORE_LINE(to, from) _mm512_stream_si512((__m512i *)(to), (__m512i)(from))
#define NAME(name) v4_##name
#define TARGET __attribute__((target("avx2,bmi,bmi2,f16c,avx512f,avx512bw,avx512cd,avx512dq,avx512vl" WIDE)))
#include "collective/reduce_loops.inc"
#undef NAME
#undef TARGET
#endif

static const struct {
	char name[8];
} ops[GLACIER_REDUCE_COUNT] = {
	[GLACIER_REDUCE_SUM] = {"sum"},       [GLACIER_REDUCE_PROD] = {"prod"},
	[GLACIER_REDUCE_AVG] = {"avg"},       [GLACIER_REDUCE_MIN] = {"min"},
	[GLACIER_REDUCE_MAX] = {"max"},       [GLACIER_REDUCE_MINNUM] = {"minnum"},
	[GLACIER_REDUCE_MAXNUM] = {"maxnum"},
};

const char *glacier_reduce_name(enum glacier_reduce op)
{
	return (unsigned)op < GLACIER_REDUCE_COUNT ? ops[op].name : NULL;
}

enum glacier_reduce glacier_reduce_find(const char *name)
{
	unsigned op = 0;

	while (op < GLACIER_REDUCE_COUNT && strcmp(name, ops[op].name))
		op++;
	return (enum glacier_reduce)op;
}

size_t glc_reduce_elem_bytes(enum glacier_type type)
{
	switch (type) {
	case GLACIER_I8:
	case GLACIER_U8: return 1;
	case GLACIER_F16:
	case GLACIER_BF16: return 2;
	case GLACIER_I32:
	case GLACIER_U32:
	case GLACIER_F32: return 4;
	case GLACIER_I64:
	case GLACIER_U64:
	case GLACIER_F64: return 8;
	default: return 0;
	}
}

bool glacier_reduce_takes(enum glacier_type type)
{
	return glc_reduce_elem_bytes(type) != 0;
}

bool glc_reducer_get(struct glc_reducer *reducer, enum glacier_type type, enum glacier_reduce op,
		     enum glc_cpu_level level)
{
	size_t bytes = glc_reduce_elem_bytes(type);
	bool found;

	if (!bytes || (unsigned)op >= GLACIER_REDUCE_COUNT)
		return false;
	*reducer = (struct glc_reducer){.type = type, .op = op, .elem_bytes = (uint8_t)bytes};
	switch (level) {
#if defined __x86_64__
	case GLC_CPU_X86_64_V4: found = v4_get(reducer, type, op); break;
	case GLC_CPU_X86_64_V3: found = v3_get(reducer, type, op); break;
#endif
	default: found = baseline_get(reducer, type, op);
	}
	reducer->work_bytes = reducer->widen ? sizeof(float) : (uint8_t)bytes;
	return found;
}

uint64_t glc_checksum(const void *data, size_t bytes, enum glc_cpu_level level)
{
#if defined __x86_64__
	if (level == GLC_CPU_X86_64_V4)
		return v4_checksum(data, bytes);
	if (level == GLC_CPU_X86_64_V3)
		return v3_checksum(data, bytes);
#endif
	(void)level;
	return baseline_checksum(data, bytes);
}

enum glacier_status glacier_reduce_into(void *into, const void *from, size_t count, enum glacier_type type,
					enum glacier_reduce op, const char *level_name)
{
	enum { BLOCK = 1024 };
	enum glc_cpu_level level = glc_cpu_level();
	struct glc_reducer r;
	float a[BLOCK], b[BLOCK];

	if (level_name && !glc_cpu_level_find(level_name, &level))
		return GLACIER_ERR_ARGUMENT;
	if (!glc_cpu_has(level))
		return GLACIER_ERR_UNSUPPORTED;
	if (!glc_reducer_get(&r, type, op, level))
		return GLACIER_ERR_ARGUMENT;
	if (!r.widen) {
		r.fold(into, into, from, count);
		return GLACIER_OK;
	}
	for (size_t at = 0, n; at < count; at += n) {
		n = count - at < BLOCK ? count - at : BLOCK;
		r.widen(a, (char *)into + at * r.elem_bytes, n);
		r.widen(b, (const char *)from + at * r.elem_bytes, n);
		r.fold(a, a, b, n);
		r.narrow((char *)into + at * r.elem_bytes, a, n);
	}
	return GLACIER_OK;
}
