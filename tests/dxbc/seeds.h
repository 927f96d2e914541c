/* SPDX-License-Identifier: MIT */
/*
 * Containers laid out byte by byte, with nothing of the library: what its answers are held against.
 * The layouts are those of DxilContainer.h, DxilPipelineStateValidation.h and d3d11TokenizedProgramFormat.hpp.
 */
#ifndef DXBC_SEEDS_H
#define DXBC_SEEDS_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
	unsigned char *at;
	size_t size, capacity;
};

void put8(struct bytes *b, uint32_t value);
void put16(struct bytes *b, uint32_t value);
void put32(struct bytes *b, uint32_t value);
void put_text(struct bytes *b, const char *text);   /* with its terminator */
void put_bytes(struct bytes *b, const void *data, size_t size);
void put_zeros(struct bytes *b, size_t to_multiple);
uint32_t get32(const unsigned char *at);
void set32(unsigned char *at, uint32_t value);

/* The digest of a container by its definition, with MD5's constants computed: a second algorithm. */
void seed_digest(unsigned char *container, size_t size);
void seed_md5(const unsigned char *data, size_t size, unsigned char digest[16]);

/* A container of parts that are put one after the other. */
void container_begin(struct bytes *b, uint32_t parts);
void part_begin(struct bytes *b, const char *fourcc);
void container_end(struct bytes *b);

/* An LLVM 3.7 module: `define void @NAME() { ret void }`. */
void seed_bitcode(struct bytes *b, const char *name);

enum seed {
	SEED_PIXEL_6_0,      /* SFI0 ISG1 OSG1 PSV0 (version 1) RTS0 HASH DXIL */
	SEED_PIXEL_5_0,      /* RDEF ISGN OSGN SHEX STAT */
	SEED_COMPUTE_5_0,    /* ISGN OSGN RDEF SHEX SFI0 */
	SEED_COMPUTE_6_6,    /* SFI0 ISG1 OSG1 RDAT PSV0 (version 2) RTS0 STAT HASH DXIL */
	SEED_LIBRARY_6_3,    /* SFI0 VERS RDAT HASH DXIL */
	SEED_DEBUG_6_8,      /* SFI0 ISG1 OSG1 PSV0 (version 4) RTS0 ILDB ILDN SRCI PDBI HASH DXIL PRIV */
	SEED_GEOMETRY_4_0,   /* RDEF ISGN OSG5 SHDR STAT */
	SEED_COMPUTE_6_8,    /* SFI0 ISG1 OSG1 RDAT PSV0 (version 3) RTS0 HASH DXIL */
	SEED_COUNT
};

extern const char seed_names[SEED_COUNT][16];

/* free() its bytes. */
struct bytes seed_make(enum seed seed);

#endif
