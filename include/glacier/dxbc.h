/* SPDX-License-Identifier: MIT */
/*
 * DXBC containers, which hold DXBC (shader model 4 and 5) and DXIL (6) programs, root
 * signatures, and what belongs to them: reading, writing, digests, and the parts inside.
 *
 * Bytes may come from anywhere: none of them is trusted, none is allocated by. Any thread.
 * Sources: DirectXShaderCompiler, DxilContainer.h and DxilPipelineStateValidation.h; LLVM, "DirectX
 * Container"; hlsl-specs INF-0004 for the digest.
 */
#ifndef GLACIER_DXBC_H
#define GLACIER_DXBC_H

#include <glacier/base.h>
#include <glacier/buffer.h>
#include <glacier/diagnostic.h>
#include <glacier/status.h>

GLACIER_BEGIN

/* "DXIL" as the number that its four bytes are in a container. */
#define GLACIER_FOURCC(a, b, c, d) \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* A container in the caller's bytes. */
struct glacier_dxbc {
	const unsigned char *data;
	uint32_t bytes;              /* as the header says; at most the size that was given */
	uint32_t part_count;
	uint16_t major, minor;
};

struct glacier_dxbc_part {
	uint32_t fourcc;
	uint32_t offset;             /* of its header, from the container's first byte */
	const unsigned char *data;   /* behind its header */
	uint32_t bytes;
};

/*
 * Read a container in place: copies nothing, allocates nothing.
 *
 * data   size bytes, any alignment; must outlive *out and its parts.
 * out    written only when GLACIER_OK is returned; needs no destroy.
 * diag   told of all that is wrong, by byte offset. What Direct3D takes and people should
 *        know of (gaps, order, unaligned parts, trailing bytes, minor version) is a warning; make
 *        those fatal to have the rules of DXC's reader.
 *
 * Returns GLACIER_OK or GLACIER_ERR_MALFORMED.                                Since: 0.1
 */
GLACIER_API enum glacier_status glacier_dxbc_parse(const void *data, size_t size, struct glacier_dxbc *out,
						   struct glacier_diag *diag);

/* The part at that place of the table, below part_count. Since: 0.1 */
GLACIER_API struct glacier_dxbc_part glacier_dxbc_part_at(const struct glacier_dxbc *dxbc, uint32_t index);

/* The first part of that FourCC; false, and *out unchanged, when there is none. Since: 0.1 */
GLACIER_API bool glacier_dxbc_find(const struct glacier_dxbc *dxbc, uint32_t fourcc, struct glacier_dxbc_part *out);

/* --- Digests --------------------------------------------------------------- */

enum glacier_dxbc_digest {
	GLACIER_DIGEST_RETAIL,       /* what the validator signs with */
	GLACIER_DIGEST_DEBUG,        /* the variant of debug builds */
	GLACIER_DIGEST_ZERO,         /* not validated */
	GLACIER_DIGEST_BYPASS,       /* sixteen 01: the runtime is not to look */
	GLACIER_DIGEST_PREVIEW,      /* sixteen 02: of a preview shader model */
	GLACIER_DIGEST_WRONG,
	GLACIER_DIGEST_COUNT
};

/* "retail" and so on; NULL out of range. Since: 0.1 */
GLACIER_API const char *glacier_dxbc_digest_name(enum glacier_dxbc_digest kind);
/* GLACIER_DIGEST_COUNT when there is none of that name. Since: 0.1 */
GLACIER_API enum glacier_dxbc_digest glacier_dxbc_digest_find(const char *name);

/* Which of them the container carries. Since: 0.1 */
GLACIER_API enum glacier_dxbc_digest glacier_dxbc_digest_kind(const struct glacier_dxbc *dxbc);

/*
 * Put the digest of that kind into a container of at least 32 bytes, whose size is `bytes`.
 * GLACIER_DIGEST_WRONG leaves what is there.                                  Since: 0.1
 */
GLACIER_API void glacier_dxbc_sign(void *container, size_t bytes, enum glacier_dxbc_digest kind);

/* The MD5 of bytes, as a HASH part has it. Source: RFC 1321. Since: 0.1 */
GLACIER_API void glacier_dxbc_md5(const void *data, size_t bytes, unsigned char digest[16]);

/* --- Writing --------------------------------------------------------------- */

struct glacier_dxbc_write_options {
	uint16_t major, minor;       /* 0, 0: 1.0 */
	bool unaligned;              /* parts keep their sizes, even where the next one is then unaligned */
	enum glacier_dxbc_digest digest;
	unsigned char raw_digest[16];  /* with GLACIER_DIGEST_WRONG: put there as it is */
};

/*
 * Append a container of these parts, in this order, to buffer. Only fourcc, data and bytes
 * of each are looked at. Parts are padded with zeros to whole words, PRIV excepted where it is last.
 *
 * Returns GLACIER_OK; GLACIER_ERR_LIMIT above 2^31 bytes; GLACIER_ERR_NOMEM.  Since: 0.1
 */
GLACIER_API enum glacier_status glacier_dxbc_write(const struct glacier_dxbc_part *parts, uint32_t count,
						   const struct glacier_dxbc_write_options *options,
						   struct glacier_buffer *buffer, struct glacier_diag *diag);

/* --- Parts ----------------------------------------------------------------- */

/* What the library knows of a FourCC. */
struct glacier_dxbc_part_info {
	uint32_t fourcc;
	const char *meaning;         /* "input signature" */
	const char *group;           /* for strip: "debug", "reflection", "private", "rootsignature"; NULL */
	bool decoded;
};

/* false, and *info filled with nothing but the FourCC, when it is not known. Since: 0.1 */
GLACIER_API bool glacier_dxbc_part_info(uint32_t fourcc, struct glacier_dxbc_part_info *info);
/* The table by index, from 0; false at its end. Since: 0.1 */
GLACIER_API bool glacier_dxbc_part_known(size_t index, struct glacier_dxbc_part_info *info);

/*
 * Append the JSON of a decoded part, or of an unknown one ({"bytes": hex}).
 *
 * at     where the part's data lies in its container: for messages.
 * whole  bulk data (bitcode, tokens, sources) too, so that glacier_dxbc_encode gives the same bytes.
 * buffer NULL: only whether the part has its form.
 *
 * Returns GLACIER_OK; GLACIER_ERR_MALFORMED, told to diag, when the part does not have the
 * form that it claims; GLACIER_ERR_NOMEM.                                     Since: 0.1
 */
GLACIER_API enum glacier_status glacier_dxbc_decode(const struct glacier_dxbc_part *part, bool whole,
						    struct glacier_buffer *buffer, struct glacier_diag *diag);

/*
 * The same as a tree of cJSON (<cjson/cJSON.h>) instead of text, for who would parse it.
 *
 * *tree  the caller's, who ends it by cJSON_Delete; NULL when it fails.          Since: 0.1
 */
struct cJSON;
GLACIER_API enum glacier_status glacier_dxbc_tree(const struct glacier_dxbc_part *part, bool whole,
						  struct cJSON **tree, struct glacier_diag *diag);

/*
 * Append the data of a part from its JSON: the inverse of glacier_dxbc_decode.
 *
 * text  `bytes` of them.
 *
 * Returns GLACIER_OK; GLACIER_ERR_MALFORMED, GLACIER_ERR_INVALID, told by path; GLACIER_ERR_NOMEM.
 *                                                                             Since: 0.1
 */
GLACIER_API enum glacier_status glacier_dxbc_encode(uint32_t fourcc, const char *text, size_t bytes,
						    struct glacier_buffer *buffer, struct glacier_diag *diag);

/*
 * Append the JSON of the LLVM bitstream in a DXIL, ILDB or STAT part: blocks, abbreviations and records.
 *
 * records  each of them, not only their numbers.
 *
 * Returns as glacier_dxbc_decode does.                                        Since: 0.1
 */
GLACIER_API enum glacier_status glacier_dxbc_bitcode(const struct glacier_dxbc_part *part, bool records,
						     struct glacier_buffer *buffer, struct glacier_diag *diag);
/* The same as a tree, see glacier_dxbc_tree. Since: 0.1 */
GLACIER_API enum glacier_status glacier_dxbc_bitcode_tree(const struct glacier_dxbc_part *part, bool records,
							  struct cJSON **tree, struct glacier_diag *diag);

/* The bitcode of a DXIL, ILDB or STAT part, without its header; false when it has none. Since: 0.1 */
GLACIER_API bool glacier_dxbc_bitcode_of(const struct glacier_dxbc_part *part, const unsigned char **data,
					 size_t *bytes);

/* What verifying asks, and what it found besides diagnostics. */
struct glacier_dxbc_verdict {
	bool required;               /* set by the caller: any digest but `require` is an error */
	enum glacier_dxbc_digest require;
	enum glacier_dxbc_digest digest;
	bool hash_checked;           /* there is a HASH part of the bitcode as it is */
};

/*
 * Verify a container: digest, HASH, program headers, PSV0 against them, signatures. Everything
 * that is wrong is told to diag; a digest other than retail is a warning.
 *
 * Returns GLACIER_OK, or the status of the first error.                       Since: 0.1
 */
GLACIER_API enum glacier_status glacier_dxbc_verify(const struct glacier_dxbc *dxbc,
						    struct glacier_dxbc_verdict *verdict, struct glacier_diag *diag);

/*
 * Append a container made around LLVM bitcode, as a compiler's driver would.
 *
 * bitcode  bytes of it; the 0x0B17C0DE wrapper is taken off.
 * text     JSON that says the rest: {"kind": "compute", "model": "6.0", "entry": "main", "threads": [64, 1, 1],
 *          "features": [...], "resources": [...], "root_signature": {...}}; or what glacier_dxbc_decode gave for the
 *          parts, {"PSV0": {...}, "SFI0": {...}, "DXIL": {...}, "RTS0": {...}}; or both, where no two tell the same.
 *          What means nothing is an error, and so is what glacier_dxbc_verify would find wrong.
 *
 * Returns GLACIER_OK; GLACIER_ERR_MALFORMED, GLACIER_ERR_INVALID; GLACIER_ERR_NOMEM. Since: 0.1
 */
GLACIER_API enum glacier_status glacier_dxbc_pack(const void *bitcode, size_t bytes, const char *text,
						  size_t text_bytes, const struct glacier_dxbc_write_options *options,
						  struct glacier_buffer *buffer, struct glacier_diag *diag);

GLACIER_END

#endif
