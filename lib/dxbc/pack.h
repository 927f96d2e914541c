/* SPDX-License-Identifier: MIT */
/* A container that is being made around bitcode: document.c reads and checks what was said, pack.c makes the parts. */
#ifndef GLC_DXBC_PACK_H
#define GLC_DXBC_PACK_H

#include "dxbc/codec.h"

enum { PACK_PARTS = 32, PACK_PATH_BYTES = 256 };
enum { PACK_COMPUTE = 5, PACK_LIBRARY = 6, PACK_MESH = 13, PACK_AMPLIFICATION = 14 };

struct pack {
	struct glacier_diag *diag;
	cJSON *document;            /* checked; its parts are members */
	const unsigned char *bitcode;
	uint32_t bitcode_bytes;
	struct glacier_buffer data[PACK_PARTS];
	uint32_t fourcc[PACK_PARTS], count;
	uint32_t major, minor, kind; /* of the program */
};

/* The parts that are made, in their order: those before debugging's, and these; HASH, DXIL and PRIV stand behind all. */
extern const char glc_pack_before[8][5], glc_pack_after[5][5];

/* Tells what is wrong; false. */
bool glc_pack_refuse(struct pack *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reads the document and the kind of program that it is of. What it takes stays p's when it says false, too. */
bool glc_pack_document(struct pack *p, const char *text, size_t bytes);
/* A whole number of the document, within bounds. */
bool glc_pack_is_whole(const cJSON *item, double least, double most);
bool glc_pack_has_groups(const struct pack *p);

static inline cJSON *glc_pack_get(const cJSON *node, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(node, name);
}

#endif
